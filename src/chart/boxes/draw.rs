//! Boxes as shapes: box, median, whiskers, and dots for what lies beyond.
//!
//! In: the spots of a series and a frame. Out: shapes in axis units, back to front, and what is
//! written above each box. Places no text.

use super::Spot;
use crate::chart::axes::is_log;
use crate::chart::layout::Frame;
use crate::chart::marks::{BarTop, Dodge, Drawing, Pen};
use crate::chart::scene::Series;
use crate::chart::{Ink, Shape, names};
use crate::model::unit::plain;

/// Widest box in pixels.
const WIDEST: f64 = 64.0;
/// Radius of a dot, pixels.
const DOT: f64 = 2.0;
/// Most dots beyond the whiskers of one box; of more the outermost are drawn.
const MOST_DOTS: usize = 40;
/// Width of the edges of a box, pixels.
const EDGE: f64 = 1.3;

impl Pen<'_> {
    /// The boxes of a series.
    pub(in crate::chart) fn boxes(
        &self,
        series: &Series,
        spots: &[Spot],
        (frame, dodge): (&Frame, &Dodge<'_>),
        drawing: &mut Drawing,
    ) {
        let offset = dodge.offset(series);
        let wide = dodge.slot.max(1.0);
        let half = (dodge.width * 0.5).min(WIDEST / 2.0 / wide);
        for spot in spots {
            let x = spot.x as f64 + offset;
            let ink = spot.ink.unwrap_or(series.ink);
            let shown = self.spot(spot, (x, half), (frame, ink), self.spot_name(series, spot), drawing);
            let top = shown.max(spot.spread.third.min(frame.y.max * self.unit.divisor));
            drawing.bars.push(BarTop {
                x,
                y: (top / self.unit.divisor).clamp(frame.y.min, frame.y.max),
                value: spot.spread.cov,
                room: dodge.room,
            });
        }
    }

    /// One box; returns the largest value that is drawn.
    fn spot(
        &self,
        spot: &Spot,
        (x, half): (f64, f64),
        (frame, ink): (&Frame, Ink),
        name: String,
        drawing: &mut Drawing,
    ) -> f64 {
        let unit = self.unit.divisor;
        // A log axis has no place for 0: the box begins at its lower edge.
        let y = |value: f64| (value / unit).clamp(frame.y.min, frame.y.max);
        let limit = frame.y.max * unit * (1.0 + 1e-9);
        let s = &spot.spread;
        let drawn = |value: &f64| *value <= limit && !(is_log(&frame.y) && *value <= 0.0);
        let (mut dots, mut top) = (Vec::new(), f64::NEG_INFINITY);
        if spot.is_box() {
            let (low, high) = (y(s.first), y(s.third));
            drawing
                .shapes
                .push(Shape::Band { parts: vec![vec![(x - half, low, high), (x + half, low, high)]], ink });
            let corners =
                [(x - half, low), (x + half, low), (x + half, high), (x - half, high), (x - half, low)];
            let cap = half * 0.5;
            let whisker = |from: f64, to: f64| {
                [vec![(x, y(from)), (x, y(to))], vec![(x - cap, y(to)), (x + cap, y(to))]]
            };
            let mut parts = vec![corners.to_vec()];
            parts.extend(whisker(s.first, s.low));
            parts.extend(whisker(s.third, s.high));
            let line = |parts, width, name| Shape::Line { parts, ink, dash: Vec::new(), width, name };
            drawing.shapes.push(line(parts, EDGE, name.clone()));
            let median = vec![(x - half, y(s.median)), (x + half, y(s.median))];
            drawing.shapes.push(line(vec![median], EDGE * 2.2, name.clone()));
            let mut beyond: Vec<f64> =
                spot.values.iter().copied().filter(|v| *v < s.low || *v > s.high).collect();
            if beyond.len() > MOST_DOTS {
                let middle = MOST_DOTS / 2..beyond.len() - MOST_DOTS / 2;
                drawing.hidden += middle.len();
                beyond.drain(middle);
            }
            dots = beyond;
            top = top.max(s.high.min(limit));
        } else {
            dots.extend(&spot.values);
        }
        let cut: Vec<f64> = dots.iter().copied().filter(|v| *v > limit).collect();
        if let Some(largest) = cut.iter().copied().reduce(f64::max) {
            drawing.shapes.push(Shape::Cut { at: vec![x], ink });
            drawing.cut_marks.push((x, largest, ink));
            drawing.cut.extend(cut);
        }
        drawing.zeros += dots.iter().filter(|v| is_log(&frame.y) && **v <= 0.0).count();
        let at: Vec<(f64, f64)> = dots.iter().filter(|v| drawn(v)).map(|v| (x, y(*v))).collect();
        top = dots.iter().copied().filter(drawn).fold(top, f64::max);
        if !at.is_empty() {
            drawing.shapes.push(Shape::Dots { at, radius: DOT, ink, hollow: true, name });
        }
        top
    }

    /// A box in a tooltip: `RAID 10: median 407 IOPS, middle half 390 to 420 IOPS, varies by 4.5 %, n = 80`.
    fn spot_name(&self, series: &Series, spot: &Spot) -> String {
        let parts: Vec<&str> =
            [series.name.as_str(), spot.key.as_str()].into_iter().filter(|p| !p.is_empty()).collect();
        let text = |value: f64| names::figure(value, self.scene.y, self.unit);
        let s = &spot.spread;
        let cov = s.cov.map(|cov| format!(", ± {} %", plain(cov * 100.0, 2))).unwrap_or_default();
        format!(
            "{}: median {}, middle half {} to {}{cov}, n = {}",
            parts.join(", "),
            text(s.median),
            self.unit.number(s.first),
            text(s.third),
            s.n
        )
    }
}
