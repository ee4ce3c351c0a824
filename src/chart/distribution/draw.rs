//! Curves and bins as shapes.
//!
//! In: a distribution and a frame. Out: shapes in axis units, places where a name may stand, and
//! figures at the percentiles that people quote. Places no text.

use super::{Distribution, Form, Shaped, Source};
use crate::chart::axes::is_log;
use crate::chart::callouts::Callout;
use crate::chart::layout::Frame;
use crate::chart::marks::{Drawing, Pen};
use crate::chart::scene::{SceneX, Series};
use crate::chart::{Ink, Shape, names};

/// Width of a curve where fewer than ten samples lie beyond, as a share of its width before: dashes tell series apart.
const WEAK: f64 = 0.4;
/// Heights at which the name of a curve may stand, as shares of the panel.
const HEIGHTS: [f64; 9] = [0.5, 0.62, 0.38, 0.74, 0.26, 0.86, 0.14, 0.94, 0.06];
/// Percentiles whose values stand at a curve that has a panel for itself.
const QUOTED: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];
/// Most curves of a panel whose values are written.
const FEW: usize = 2;
/// Opacity of one histogram over another needs an edge.
const EDGE: f64 = 1.5;

impl Pen<'_> {
    /// The shapes of one distribution; `beside` is how many stand in its panel.
    pub(in crate::chart) fn distribution(
        &self,
        (index, series): (usize, &Series),
        distribution: &Distribution,
        (frame, beside): (&Frame, usize),
        (bands, lines): (&mut Vec<Shape>, &mut Vec<Shape>),
        drawing: &mut Drawing,
    ) {
        let Some(source) = &self.scene.distribution else { return };
        if let Shaped::Bins(bins) = &distribution.shape {
            self.cut_bins(bins, series.ink, frame, (lines, drawing));
        }
        match &distribution.shape {
            Shaped::Bins(bins) if beside == 1 => {
                bands.extend(bins.iter().filter(|bin| bin.2 > 0.0).map(|&(from, to, share)| Shape::Bar {
                    x0: from / self.x.divisor,
                    x1: to / self.x.divisor,
                    y0: 0.0,
                    y1: share / self.unit.divisor,
                    ink: series.ink,
                    name: self.bin_name(series, (from, to, share), source),
                }));
            }
            Shaped::Bins(bins) => {
                let at = |&(from, to, share): &(f64, f64, f64)| {
                    let y = share / self.unit.divisor;
                    [(from / self.x.divisor, y), (to / self.x.divisor, y)]
                };
                let outline: Vec<(f64, f64)> = bins.iter().flat_map(at).collect();
                let area = outline.iter().map(|&(x, y)| (x, 0.0, y)).collect();
                bands.push(Shape::Band { parts: vec![area], ink: series.ink });
                let line = self.line(series, vec![outline]);
                lines.push(match line {
                    Shape::Line { parts, ink, dash, name, .. } => {
                        Shape::Line { parts, ink, dash, name, width: EDGE }
                    }
                    other => other,
                });
            }
            Shaped::Curve { solid, weak, points } => {
                let solid = self.on_axes(solid, frame);
                let weak = self.on_axes(weak, frame);
                let Some(&end) = weak.last().or(solid.last()) else { return };
                if self.scene.x == SceneX::Value {
                    let all: Vec<(f64, f64)> = solid.iter().chain(&weak).copied().collect();
                    drawing.ends.extend(anchors(&all, frame).into_iter().map(|at| (index, at)));
                } else {
                    drawing.ends.push((index, end));
                }
                if *points {
                    let at = solid.iter().chain(&weak).copied().collect();
                    let (radius, name) = (self.style.line * 1.6, self.name(series));
                    lines.push(Shape::Dots { at, radius, ink: series.ink, hollow: false, name });
                }
                if weak.len() > 1 {
                    lines.push(Shape::Line {
                        parts: vec![weak],
                        ink: series.ink,
                        dash: series.dash.clone(),
                        width: (self.style.line * WEAK).max(0.75),
                        name: format!("{}: fewer than 10 {} beyond", self.name(series), source.samples()),
                    });
                }
                lines.push(self.line(series, vec![solid]));
                if beside <= FEW {
                    self.quoted(series, distribution, (source, frame), (lines, drawing));
                }
            }
        }
    }

    /// Marks bins that rise beyond the axis, for the figures that stand beside the marks.
    fn cut_bins(
        &self,
        bins: &[(f64, f64, f64)],
        ink: Ink,
        frame: &Frame,
        (lines, drawing): (&mut Vec<Shape>, &mut Drawing),
    ) {
        let limit = frame.y.max * self.unit.divisor * (1.0 + 1e-9);
        let log = is_log(&frame.x);
        let middle = |from: f64, to: f64| if log { (from * to).sqrt() } else { f64::midpoint(from, to) };
        let beyond: Vec<(f64, f64)> = bins
            .iter()
            .filter(|bin| bin.2 > limit)
            .map(|&(from, to, share)| (middle(from, to) / self.x.divisor, share))
            .collect();
        if !beyond.is_empty() {
            // On a bar in its own ink the mark would not be seen.
            lines.push(Shape::Cut { at: beyond.iter().map(|cut| cut.0).collect(), ink: Ink::Text });
            drawing.cut.extend(beyond.iter().map(|cut| cut.1));
            drawing.cut_marks.extend(beyond.into_iter().map(|(x, share)| (x, share, ink)));
        }
    }

    /// The curve of a distribution in axis units, without what is finer than a pixel.
    pub(in crate::chart) fn on_axes(&self, points: &[(f64, f64)], frame: &Frame) -> Vec<(f64, f64)> {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        let mut last: Option<(f64, f64)> = None;
        for (i, &(x, y)) in points.iter().enumerate() {
            let (mut x, y) = (x / self.x.divisor, y / self.unit.divisor);
            if !(x.is_finite() && y.is_finite()) || (is_log(&frame.y) && y <= 0.0) {
                continue;
            }
            // What a log axis has no place for lies before its first value.
            if is_log(&frame.x) {
                x = x.max(frame.x.min);
            }
            let at = frame.px(x, y);
            let near = last.is_some_and(|last| (last.0 - at.0).abs() < 0.4 && (last.1 - at.1).abs() < 0.4);
            if !near || i + 1 == points.len() {
                kept.push((x, y));
                last = Some(at);
            }
        }
        kept
    }

    /// Dots at the percentiles that people quote, with their values.
    fn quoted(
        &self,
        series: &Series,
        distribution: &Distribution,
        (source, frame): (&Source, &Frame),
        (lines, drawing): (&mut Vec<Shape>, &mut Drawing),
    ) {
        let mut at = Vec::new();
        let few: &[f64] = if source.form == Form::Quantiles { &QUOTED } else { &[0.5, 0.99] };
        for &p in few {
            let Some(value) = distribution.level(p) else { continue };
            let (x, y) = match source.form {
                Form::Quantiles => (1.0 / (1.0 - p), value / self.unit.divisor),
                Form::Exceedance => (value / self.x.divisor, (1.0 - p) / self.unit.divisor),
                Form::Cumulative | Form::Bins => (value / self.x.divisor, p / self.unit.divisor),
            };
            let figure = self.scene.figure_text(value, self.scene.y, self.unit, self.x);
            let text = match (source.form, p) {
                (Form::Quantiles, _) => figure,
                (_, 0.5) => format!("median {figure}"),
                _ => format!("p99 {figure}"),
            };
            if frame.x.position(x) <= 1.0 && (!is_log(&frame.y) || y > 0.0) {
                at.push((x, y));
                drawing.callouts.push(Callout { at: (x, y), text, ink: series.ink });
            }
        }
        if !at.is_empty() {
            let (radius, name) = (self.style.line * 1.6, self.name(series));
            lines.push(Shape::Dots { at, radius, ink: series.ink, hollow: false, name });
        }
    }

    /// `RAID 10, 4.00 to 4.50 ms: 12.1 % of I/Os`.
    fn bin_name(&self, series: &Series, (from, to, share): (f64, f64, f64), source: &Source) -> String {
        let span =
            format!("{} to {}", self.x.unit.number(from), names::figure(to, self.scene.y, &self.x.unit));
        let who = if series.name.is_empty() { String::new() } else { format!("{}, ", series.name) };
        format!("{who}{span}: {} of {}", self.unit.text(share), source.samples())
    }
}

/// Where a curve crosses some heights of its panel, so that its name may stand there.
fn anchors(points: &[(f64, f64)], frame: &Frame) -> Vec<(f64, f64)> {
    let height = |&(_, y): &(f64, f64)| frame.y.position(y);
    let crossing = |level: f64| {
        let pair = points.windows(2).find(|w| {
            let (a, b) = (height(&w[0]), height(&w[1]));
            (a.min(b)..=a.max(b)).contains(&level)
        })?;
        let (a, b) = (height(&pair[0]), height(&pair[1]));
        let near = if (a - level).abs() <= (b - level).abs() { pair[0] } else { pair[1] };
        // On a steep step the place between its ends is on the curve, too.
        if pair[0].0 == pair[1].0 { Some((near.0, on_axis(frame, level))) } else { Some(near) }
    };
    HEIGHTS.iter().filter_map(|&level| crossing(level)).collect()
}

/// The y value at a share of the panel's height.
fn on_axis(frame: &Frame, share: f64) -> f64 {
    if is_log(&frame.y) {
        frame.y.min * (frame.y.max / frame.y.min).powf(share)
    } else {
        frame.y.min + share * (frame.y.max - frame.y.min)
    }
}
