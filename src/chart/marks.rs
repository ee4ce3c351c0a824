//! From series to shapes: lines with bands, bars with intervals and repeats, joined points.
//!
//! In: a panel of a scene and its frame. Out: shapes in axis units, back to
//! front, and where their labels want to stand. Places no text.

use super::axes::{XPlan, is_log};
use super::callouts::Callout;
use super::dodge::Dodge;
use super::layout::{Frame, Style};
use super::points::Point;
use super::scene::{Data, Scene, ScenePanel, SceneX, Series};
use super::trace::Trace;
use super::{Axis, AxisScale, CUT, Ink, Shape, cells, expectation, names};
use crate::analyze::steady::{ROUNDS, slope};
use crate::model::unit::DisplayUnit;
use crate::spec::{ChartSpec, Mark};

/// Radius of the dots of single repeats, pixels.
const SMALL_DOT: f64 = 2.5;
/// Smallest and largest radius of those at the edge of a bar, which must be seen on the bar and beside it.
const EDGE_DOT: (f64, f64) = (2.0, 3.5);

/// Pixels within which marks of cut values are one: those of lines, those of single I/Os.
pub(super) const TOUCHING: f64 = 6.0;
const APART: f64 = 24.0;

/// The shapes of a panel and what is said about them.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    /// Back to front.
    pub shapes: Vec<Shape>,
    /// Tops of bars: x and y in axis units, value in base units, room in pixels.
    pub bars: Vec<BarTop>,
    /// Ends of lines in axis units, by series.
    pub ends: Vec<(usize, (f64, f64))>,
    /// Values above the axis in base units.
    pub cut: Vec<f64>,
    /// Marks of cut values: x in axis units, the largest value in base units, colour.
    pub cut_marks: Vec<(f64, f64, Ink)>,
    /// Most windows that share a pixel column of a line.
    pub condensed: usize,
    /// Points that a log axis cannot hold.
    pub zeros: usize,
    /// Figures at points of lines.
    pub callouts: Vec<Callout>,
    /// Windows beyond the whiskers of boxes that have no dot of their own.
    pub hidden: usize,
    /// Values below the y axis.
    pub below: usize,
    /// Points beside the x axis.
    pub beside: usize,
}

/// Where a bar's value wants to stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BarTop {
    /// Middle of the bar, axis units.
    pub x: f64,
    /// Above bar, interval and repeats, axis units.
    pub y: f64,
    /// The value in base units; None for a missing bar.
    pub value: Option<f64>,
    /// Pixels to the next bar.
    pub room: f64,
}

/// What all marks of a chart share.
pub(super) struct Pen<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The chart's spec.
    pub spec: &'a ChartSpec,
    /// Fonts and widths.
    pub style: &'a Style,
    /// Unit of the y axis.
    pub unit: &'a DisplayUnit,
    /// The x axis.
    pub x: &'a XPlan,
}

impl Pen<'_> {
    /// The shapes of a panel.
    pub(super) fn draw(&self, panel: &ScenePanel, frame: &Frame) -> Drawing {
        if let Some(grid) = &self.scene.grid {
            return cells::draw(self, grid, panel, frame);
        }
        let mut drawing = Drawing::default();
        match (self.spec.mark, &self.scene.x) {
            (Mark::Bar, SceneX::Categories(_)) => {
                self.bars(panel, frame, &mut drawing);
                return drawing;
            }
            (Mark::Box, _) => {
                let dodge = self.dodge(frame);
                for series in panel.shown.iter().filter_map(|&i| self.scene.series.get(i)) {
                    self.boxes(series, series.data.spots(), (frame, &dodge), &mut drawing);
                }
                return drawing;
            }
            _ => {}
        }
        if self.spec.mark == Mark::Area {
            self.areas(panel, frame, &mut drawing);
            return drawing;
        }
        let (mut bands, mut lines) = (Vec::new(), Vec::new());
        for &i in &panel.context {
            if let Some(series) = self.scene.series.get(i) {
                self.context(series, frame, &mut drawing);
            }
        }
        for &i in &panel.shown {
            let Some(series) = self.scene.series.get(i) else { continue };
            match &series.data {
                Data::Trace(trace) => {
                    self.trace(i, series, trace, frame, (&mut bands, &mut lines), &mut drawing);
                }
                Data::Points(points) => self.points(i, series, points, frame, &mut lines, &mut drawing),
                Data::Heat(_) => {}
                Data::Distribution(one) => {
                    let beside = panel.shown.len();
                    let shapes = (&mut bands, &mut lines);
                    self.distribution((i, series), one, (frame, beside), shapes, &mut drawing);
                }
                Data::Boxes(_) => {}
            }
        }
        drawing.shapes.extend(bands);
        drawing.shapes.extend(lines);
        drawing
    }

    /// Marks and counts what lies above the axis, of times and values in base units. Marks closer than `apart` pixels
    /// are one mark, for the largest of them.
    pub(super) fn cut(
        &self,
        tops: impl Iterator<Item = (f64, f64)>,
        (ink, apart): (Ink, f64),
        frame: &Frame,
        drawing: &mut Drawing,
    ) -> Option<Shape> {
        let limit = frame.y.max * self.unit.divisor * (1.0 + 1e-9);
        let beyond: Vec<(f64, f64)> = tops.filter(|(_, top)| *top > limit).collect();
        if beyond.is_empty() {
            return None;
        }
        let mut marks: Vec<(f64, f64)> = beyond.iter().map(|(x, y)| (x / self.x.divisor, *y)).collect();
        let pixel = (frame.x.max - frame.x.min) / frame.rect.width.max(1.0);
        // The place of the first of them stays, so that the distances between marks hold.
        marks.dedup_by(|b, a| {
            let same = b.0 - a.0 < apart * pixel;
            a.1 = if same { a.1.max(b.1) } else { a.1 };
            same
        });
        // Under the unit at the top tick no mark is seen.
        let seen = frame.x.min + (frame.covered + CUT.0) * pixel;
        marks.iter_mut().for_each(|mark| mark.0 = mark.0.max(seen));
        let at = marks.iter().map(|m| m.0).collect();
        drawing.cut_marks.extend(marks.into_iter().map(|(x, value)| (x, value, ink)));
        drawing.cut.extend(beyond.iter().map(|(_, top)| top));
        Some(Shape::Cut { at, ink })
    }

    /// A series in grey: its line alone, and where that leaves the axis unless a panel of its own says so.
    fn context(&self, series: &Series, frame: &Frame, drawing: &mut Drawing) {
        if let (Data::Trace(trace), false) = (&series.data, self.scene.multiples) {
            let line = (0..).zip(&trace.mean).filter_map(|(i, mean)| Some((trace.middle(i), (*mean)?)));
            let cut = self.cut(line, (Ink::Muted, TOUCHING), frame, drawing);
            drawing.shapes.extend(cut);
        }
        let parts = match &series.data {
            Data::Trace(trace) => self.drawn(trace, frame).0,
            Data::Points(points) => vec![points.iter().filter_map(|p| self.place(p, frame)).collect()],
            Data::Heat(_) => Vec::new(),
            Data::Distribution(distribution) => vec![self.on_axes(&distribution.points(), frame)],
            Data::Boxes(_) => Vec::new(),
        };
        drawing.shapes.push(Shape::Line {
            parts,
            ink: Ink::Context,
            dash: Vec::new(),
            width: 1.0,
            name: self.name(series),
        });
    }

    /// A trace in axis units: parts of its line and of its band, and the windows behind a point.
    #[expect(clippy::type_complexity, reason = "the two kinds of parts that shapes hold")]
    pub(super) fn drawn(
        &self,
        trace: &Trace,
        frame: &Frame,
    ) -> (Vec<Vec<(f64, f64)>>, Vec<Vec<(f64, f64, f64)>>, usize) {
        let (start, end) = self.scene.x.course().unwrap_or((0.0, 1.0));
        let drawn = if self.scene.smoothed && trace.is_long() {
            trace.smoothed().drawn(start, end, frame.rect.width)
        } else {
            trace.drawn(start, end, frame.rect.width)
        };
        let (dx, dy) = (self.x.divisor, self.unit.divisor);
        let log = is_log(&frame.y);
        let floor = frame.y.min;
        let mut line: Vec<Vec<(f64, f64)>> = drawn.line;
        line.iter_mut().flatten().for_each(|point| *point = (point.0 / dx, point.1 / dy));
        if log {
            // A log axis holds no zero: the line is parted there.
            let parts = line.iter().flat_map(|part| part.split(|&(_, y)| y <= 0.0));
            line = parts.filter(|part| !part.is_empty()).map(<[_]>::to_vec).collect();
        }
        let band = drawn.band.into_iter().map(|part| {
            part.into_iter()
                .map(|(x, low, high)| (x / dx, (low / dy).max(floor), (high / dy).max(floor)))
                .collect()
        });
        (line, band.collect(), drawn.per_column)
    }

    fn trace(
        &self,
        index: usize,
        series: &Series,
        trace: &Trace,
        frame: &Frame,
        (bands, lines): (&mut Vec<Shape>, &mut Vec<Shape>),
        drawing: &mut Drawing,
    ) {
        if trace.steps {
            self.rounds(index, series, trace, (bands, lines), drawing);
            return;
        }
        let (parts, band, condensed) = self.drawn(trace, frame);
        drawing.condensed = drawing.condensed.max(condensed);
        if let Some(&end) = parts.last().and_then(|p| p.last()) {
            drawing.ends.push((index, end));
        }
        if is_log(&frame.y) {
            drawing.zeros += trace.mean.iter().flatten().filter(|v| **v <= 0.0).count();
        }
        let floor = frame.y.min * self.unit.divisor * (1.0 - 1e-9);
        if !is_log(&frame.y) && frame.y.min > 0.0 {
            drawing.below += trace.mean.iter().flatten().filter(|v| **v < floor).count();
        }
        lines.extend(self.cut(trace.tops(), (series.ink, TOUCHING), frame, drawing));
        // All are counted; a mark for each would be a fence.
        lines.extend(self.cut(trace.peaks(), (series.ink, APART), frame, drawing));
        if !band.is_empty() {
            bands.push(Shape::Band { parts: band, ink: series.ink });
        }
        lines.push(self.line(series, parts));
    }

    /// Rounds as steps, on the band that the SNIA PTS allows them, with their mean and their trend.
    fn rounds(
        &self,
        index: usize,
        series: &Series,
        trace: &Trace,
        (bands, lines): (&mut Vec<Shape>, &mut Vec<Shape>),
        drawing: &mut Drawing,
    ) {
        let (dx, dy) = (self.x.divisor, self.unit.divisor);
        let at = |i: usize| (trace.start_ms + i as f64 * trace.cell_ms) / dx;
        let values: Vec<f64> = trace.mean.iter().flatten().copied().collect();
        let mean = trace.level() / dy;
        let ends = (at(0), at(values.len()));
        bands.push(Shape::Band {
            parts: vec![vec![(ends.0, 0.9 * mean, 1.1 * mean), (ends.1, 0.9 * mean, 1.1 * mean)]],
            ink: series.ink,
        });
        let thin = |points: Vec<(f64, f64)>, dash: Vec<f64>, name: &str| Shape::Line {
            parts: vec![points],
            ink: Ink::Muted,
            dash,
            width: 1.0,
            name: name.to_owned(),
        };
        bands.push(thin(vec![(ends.0, mean), (ends.1, mean)], Vec::new(), "Mean of the windows"));
        if let Ok(rounds) = <[f64; ROUNDS]>::try_from(values.as_slice()) {
            let half = slope(&rounds) / dy * (ROUNDS - 1) as f64 / 2.0;
            let middle = |i: usize| trace.middle(i) / dx;
            let points = vec![(middle(0), mean - half), (middle(ROUNDS - 1), mean + half)];
            lines.push(thin(points, vec![6.0, 3.0], "Least-squares line"));
        }
        let steps = values.iter().enumerate().flat_map(|(i, v)| [(at(i), v / dy), (at(i + 1), v / dy)]);
        let steps: Vec<(f64, f64)> = steps.collect();
        // What stands beside them is their mean, and stands at it.
        drawing.ends.push((index, (ends.1, mean)));
        lines.push(self.line(series, vec![steps]));
    }

    /// A line in the colour and dash of its series.
    pub(super) fn line(&self, series: &Series, parts: Vec<Vec<(f64, f64)>>) -> Shape {
        Shape::Line {
            parts,
            ink: series.ink,
            dash: series.dash.clone(),
            width: self.style.line,
            name: self.name(series),
        }
    }

    /// A point in axis units; None where a log axis cannot hold it.
    fn place(&self, point: &Point, frame: &Frame) -> Option<(f64, f64)> {
        let divisor = if matches!(self.scene.x, SceneX::Measure(_)) { self.x.divisor } else { 1.0 };
        let at = (point.x / divisor, point.y / self.unit.divisor);
        let holds = |axis: &Axis, v: f64| v.is_finite() && (!is_log(axis) || v > 0.0);
        (holds(&frame.x, at.0) && holds(&frame.y, at.1)).then_some(at)
    }

    /// Joined points with intervals and repeats.
    fn points(
        &self,
        index: usize,
        series: &Series,
        points: &[Point],
        frame: &Frame,
        shapes: &mut Vec<Shape>,
        drawing: &mut Drawing,
    ) {
        let aside = self.aside(series, frame);
        let placed: Vec<(&Point, (f64, f64))> =
            points.iter().filter_map(|p| self.place(p, frame).map(|(x, y)| (p, (x + aside, y)))).collect();
        drawing.zeros += points.len() - placed.len();
        let placed = self.limited(placed, series, frame, (shapes, drawing));
        let Some(&(_, end)) = placed.last() else { return };
        drawing.ends.push((index, end));
        let categories = matches!(self.scene.x, SceneX::Categories(_));
        let measure = matches!(self.scene.x, SceneX::Measure(_));
        let at: Vec<(f64, f64)> = placed.iter().map(|(_, at)| *at).collect();
        // Words have no order on an axis: their points are not joined.
        if !categories && at.len() > 1 {
            shapes.push(self.line(series, vec![at.clone()]));
        }
        // Where points stand close, dots give way to the line.
        let apart = frame.rect.width / at.len().max(1) as f64;
        let radius = if measure { self.style.line * 2.1 } else { (self.style.line * 2.1).min(apart * 0.11) };
        let covers = !measure && placed.iter().any(|(p, _)| p.interval.is_some());
        let radius = if covers { radius.min(SMALL_DOT + 0.5) } else { radius };
        let scale = self.unit.divisor;
        let floor = frame.y.min;
        let repeats: Vec<(f64, f64)> = placed
            .iter()
            .filter(|(p, _)| p.repeats.len() > 1)
            .flat_map(|(p, (x, _))| {
                // Beside their interval, which they would cover.
                let side = if p.interval.is_some() { 7.0 } else { 0.0 };
                let aside = aside_by(&frame.x, *x, side / frame.rect.width.max(1.0));
                let xs = move |i: usize| p.repeat_xs.get(i).map_or(aside, |v| v / self.x.divisor);
                p.repeats.iter().enumerate().map(move |(i, y)| (xs(i), y / scale)).collect::<Vec<_>>()
            })
            .filter(|(_, y)| !is_log(&frame.y) || *y > 0.0)
            .collect();
        if !repeats.is_empty() {
            let name = format!("{}: single repeats", self.name(series));
            shapes.push(Shape::Dots {
                at: repeats,
                radius: (radius * 0.6).min(SMALL_DOT),
                ink: series.ink,
                hollow: true,
                name,
            });
        }
        for (point, (x, _)) in &placed {
            if let (Some((low, high)), false) = (point.interval, measure) {
                let (low, high) = ends_of(low / scale, high / scale, floor);
                shapes.push(Shape::Interval { x: *x, low, high, cap: 4.0, ink: series.ink });
            }
        }
        for (point, at) in placed {
            let name = self.point_name(series, point);
            shapes.push(Shape::Dots { at: vec![at], radius, ink: series.ink, hollow: false, name });
        }
    }

    /// How far a series stands from the middle of a category, so that series do not cover each other.
    fn aside(&self, series: &Series, frame: &Frame) -> f64 {
        if !matches!(self.scene.x, SceneX::Categories(_)) {
            return 0.0;
        }
        let places = self.places();
        let place = places.iter().position(|(c, f)| **c == series.id.color && *f == series.id.fold);
        let slot = frame.rect.width / frame.x.ticks.len().max(1) as f64;
        let count = places.len().max(1) as f64;
        let apart = (0.7 / count).min(24.0 / slot.max(1.0));
        (place.unwrap_or(0) as f64 - (count - 1.0) / 2.0) * apart
    }

    /// Bars side by side in their category.
    fn bars(&self, panel: &ScenePanel, frame: &Frame, drawing: &mut Drawing) {
        let categories = frame.x.ticks.len();
        let dodge = self.dodge(frame);
        let Dodge { pitch, width, slot, room, .. } = dodge;
        let scale = self.unit.divisor;
        let floor = frame.y.min;
        let mut cut: Vec<f64> = Vec::new();
        for &i in &panel.shown {
            let Some(series) = self.scene.series.get(i) else { continue };
            let Data::Points(points) = &series.data else { continue };
            let offset = dodge.offset(series);
            for category in 0..categories {
                let x = category as f64 + offset;
                let Some(point) = points.iter().find(|p| p.x == category as f64) else {
                    drawing.bars.push(BarTop { x, y: floor, value: None, room });
                    continue;
                };
                let mut top = point.y / scale;
                let ink = point.ink.unwrap_or(series.ink);
                if top > frame.y.max * (1.0 + 1e-9) {
                    drawing.cut.push(point.y);
                    cut.push(x);
                }
                drawing.shapes.push(Shape::Bar {
                    x0: x - width / 2.0,
                    x1: x + width / 2.0,
                    y0: 0.0,
                    y1: top.max(floor),
                    ink,
                    name: self.point_name(series, point),
                });
                let reach = (width / 2.0 + 5.0 / slot.max(1.0)).min(pitch.max(width) * 0.56);
                let (ends, axis) = ((x - reach, x + reach), (scale, frame.y.max));
                let marks = expectation::shapes(point, ends, axis, &self.point_name(series, point));
                let (mut expected, marks): (Vec<f64>, Vec<Shape>) = marks.into_iter().unzip();
                expected.sort_by(f64::total_cmp);
                drawing.shapes.extend(marks);
                let cap = (width * slot * 0.16).clamp(2.0, 7.0);
                if point.repeats.len() > 1 {
                    let n = point.repeats.len() as f64;
                    let radius = (width * slot * 0.08).clamp(EDGE_DOT.0, EDGE_DOT.1);
                    let apart = (width * 0.5 / n).min(width * 0.16);
                    // Beside the interval, left and right of it in turn, so that neither covers the other.
                    let beside = (cap + radius + 1.5) / slot.max(1.0);
                    let beside = beside.min((width / 2.0 - radius / slot.max(1.0)).max(0.0));
                    let step = ((width / 2.0 - beside).max(0.0) / (n / 2.0).ceil()).min(apart);
                    let shift = |k: usize| match point.interval {
                        Some(_) if k.is_multiple_of(2) => beside + (k / 2) as f64 * step,
                        Some(_) => -beside - (k / 2) as f64 * step,
                        None => (k as f64 - (n - 1.0) / 2.0) * apart,
                    };
                    let repeats = point.repeats.iter().enumerate();
                    let at: Vec<(f64, f64)> = repeats.map(|(k, y)| (x + shift(k), y / scale)).collect();
                    top = at.iter().map(|p| p.1).fold(top, f64::max);
                    let name = format!("{}: single repeats", self.point_name(series, point));
                    // In the ink of text: a ring in the bar's own is lost on its bar.
                    drawing.shapes.push(Shape::Dots { at, radius, ink: Ink::Text, hollow: true, name });
                }
                if let Some((low, high)) = point.interval {
                    let (low, high) = ends_of(low / scale, high / scale, floor);
                    drawing.shapes.push(Shape::Interval { x, low, high, cap, ink: Ink::Text });
                    top = top.max(high);
                }
                for y in expected {
                    // A mark in the place of the bar's value sends the value above it.
                    let over = frame.px(x, top.max(floor)).1 - frame.px(x, y).1;
                    if (0.0..self.style.value + 9.0).contains(&over) {
                        top = top.max(y);
                    }
                }
                drawing.bars.push(BarTop { x, y: top.max(floor), value: Some(point.y), room });
            }
        }
        // On top of the bars that go on beyond the axis: in the ink of text, as a bar's own would not be seen on it.
        drawing.shapes.extend((!cut.is_empty()).then_some(Shape::Cut { at: cut, ink: Ink::Text }));
    }

    /// A series in a tooltip: `RAID 10: 407 IOPS`.
    pub(super) fn name(&self, series: &Series) -> String {
        let measure = self.scene.measure_of(series);
        let figure = series.figure.map(|v| self.scene.figure_text(v, measure, self.unit, self.x));
        match (series.name.is_empty(), figure) {
            (_, None) => series.name.clone(),
            (true, Some(figure)) => figure,
            (false, Some(figure)) => format!("{}: {figure}", series.name),
        }
    }

    /// A point in a tooltip: `RAID 10, 64 KiB chunk: 407 IOPS, n = 3`.
    pub(super) fn point_name(&self, series: &Series, point: &Point) -> String {
        let own = |d| point.key.as_ref().and_then(|key| self.spec.label_of(Some(d), key.as_str()));
        let key = self.spec.x.dimension().map(|d| match own(d) {
            Some(own) => names::clean(own),
            None => names::value_name(d, point.key.as_ref()),
        });
        let key = key.unwrap_or_default();
        let parts: Vec<&str> =
            [series.name.as_str(), key.as_str()].into_iter().filter(|p| !p.is_empty()).collect();
        let value = names::figure(point.y, self.scene.y, self.unit);
        format!("{}: {value}, n = {}", parts.join(", "), point.runs.len())
    }
}

/// A place `share` of the axis beside `x`: after it, or before it where the axis ends.
fn aside_by(axis: &Axis, x: f64, share: f64) -> f64 {
    let moved = |share: f64| match axis.scale {
        AxisScale::Linear => x + share * (axis.max - axis.min),
        AxisScale::Log => x * (axis.max / axis.min).powf(share),
    };
    let after = moved(share);
    if after <= axis.max { after } else { moved(-share) }
}

/// The ends of an interval on an axis that begins at `floor`. One below it stays below, so that the interval is drawn as
/// one that goes on; on an axis of logarithms it stays a number that there is a place for.
fn ends_of(low: f64, high: f64, floor: f64) -> (f64, f64) {
    (if floor > 0.0 { low.max(floor / 2.0) } else { low }, high)
}
