//! Cuts lines, bands and boxes at a panel's edges.
//!
//! In: shapes in axis units, and the panel's axes. Out: the parts within, in
//! axis units. What is no number ends a part, as a gap does. Works on
//! positions along the axes (0 to 1), so that what is straight on the picture
//! is cut straight on a log axis too.

use crate::chart::{Axis, AxisScale};

/// Positions beyond this are as good as this; keeps products finite.
const FAR: f64 = 1e9;

/// How far outside a point may lie and still count as inside, as a share of the axis.
const SLACK: f64 = 1e-9;

type Point = (f64, f64);

/// A panel's two axes as a window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window<'a> {
    pub(super) x: &'a Axis,
    pub(super) y: &'a Axis,
}

impl Window<'_> {
    /// True when the point lies within, edges included.
    pub(super) fn holds(&self, (x, y): Point) -> bool {
        within(self.x, x) && within(self.y, y)
    }

    /// The parts of a line that lie within. A line of one point comes back as such.
    pub(super) fn line(&self, points: &[Point]) -> Vec<Vec<Point>> {
        if points.len() > 1 && points.iter().all(|point| self.place(*point).is_some_and(clear)) {
            return vec![points.to_vec()];
        }
        let mut parts = Vec::new();
        for run in points.split(|p| self.place(*p).is_none()) {
            self.cut_run(run, &mut parts);
        }
        parts
    }

    fn cut_run(&self, run: &[Point], parts: &mut Vec<Vec<Point>>) {
        if let [only] = run {
            if self.holds(*only) {
                parts.push(vec![*only]);
            }
            return;
        }
        let mut part: Vec<Point> = Vec::new();
        for pair in run.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let cut = match (self.place(from), self.place(to)) {
                (Some(a), Some(b)) => segment(a, b),
                _ => None,
            };
            let Some((enter, leave)) = cut else {
                flush(&mut part, parts);
                continue;
            };
            if part.is_empty() {
                part.push(enter.map_or(from, |p| self.value(p)));
            }
            part.push(leave.map_or(to, |p| self.value(p)));
            if leave.is_some() {
                flush(&mut part, parts);
            }
        }
        flush(&mut part, parts);
    }

    /// The outline of what lies within of the area between `low` and `high`; one polygon a part without gaps.
    /// A part of one point becomes `width` wide (a share of the x axis), so that it is seen.
    pub(super) fn band(&self, points: &[(f64, f64, f64)], width: f64) -> Vec<Vec<Point>> {
        let number = |&(x, low, high): &(f64, f64, f64)| {
            self.place((x, low)).is_some() && self.place((x, high)).is_some()
        };
        points
            .split(|p| !number(p))
            .filter(|run| !run.is_empty())
            .map(|run| {
                let upper = run.iter().filter_map(|&(x, _, high)| self.place((x, high)));
                let lower = run.iter().rev().filter_map(|&(x, low, _)| self.place((x, low)));
                let mut outline: Vec<Point> = upper.chain(lower).collect();
                if let [high, low] = outline[..] {
                    let half = width / 2.0;
                    outline = vec![
                        (high.0 - half, high.1),
                        (high.0 + half, high.1),
                        (low.0 + half, low.1),
                        (low.0 - half, low.1),
                    ];
                }
                polygon(outline).into_iter().map(|p| self.value(p)).collect()
            })
            .filter(|outline: &Vec<Point>| outline.len() > 2)
            .collect()
    }

    /// The part of a box that lies within, as two corners.
    pub(super) fn bar(&self, (x0, x1): Point, (y0, y1): Point) -> Option<[Point; 2]> {
        let (x0, x1) = range(self.x, x0, x1)?;
        let (y0, y1) = range(self.y, y0, y1)?;
        Some([(x0, y0), (x1, y1)])
    }

    /// A polygon with its corners moved inside; None where one of them is no number.
    ///
    /// For upright boxes that is a cut at the edges.
    pub(super) fn face(&self, corners: &[Point]) -> Option<Vec<Point>> {
        let inside = |corner: &Point| {
            let (x, y) = self.place(*corner)?;
            Some(self.value((x.clamp(0.0, 1.0), y.clamp(0.0, 1.0))))
        };
        corners.iter().map(inside).collect()
    }

    fn place(&self, (x, y): Point) -> Option<Point> {
        Some((place(self.x, x)?, place(self.y, y)?))
    }

    fn value(&self, (x, y): Point) -> Point {
        (value(self.x, x), value(self.y, y))
    }
}

/// True when `v` lies on the axis, ends included.
pub(super) fn within(axis: &Axis, v: f64) -> bool {
    place(axis, v).is_some_and(|t| (-SLACK..=1.0 + SLACK).contains(&t))
}

/// The part of an interval that lies on the axis, lower end first. On a log axis, what is not above zero is below all.
pub(super) fn range(axis: &Axis, a: f64, b: f64) -> Option<Point> {
    let end = |v: f64| match axis.scale {
        AxisScale::Log if v <= 0.0 => Some(-FAR),
        AxisScale::Linear | AxisScale::Log => place(axis, v),
    };
    let (a, b) = (end(a)?, end(b)?);
    let (low, high) = (a.min(b), a.max(b));
    if high < -SLACK || low > 1.0 + SLACK {
        return None;
    }
    Some((value(axis, low.clamp(0.0, 1.0)), value(axis, high.clamp(0.0, 1.0))))
}

fn place(axis: &Axis, v: f64) -> Option<f64> {
    let t = axis.position(v);
    (v.is_finite() && t.is_finite()).then(|| t.clamp(-FAR, FAR))
}

/// The inverse of [`Axis::position`].
fn value(axis: &Axis, t: f64) -> f64 {
    match axis.scale {
        AxisScale::Linear => axis.min + (axis.max - axis.min) * t,
        AxisScale::Log => axis.min * (axis.max / axis.min).powf(t),
    }
}

/// True for a place that no rounding can move outside: within the unit square, on its edges or off them.
fn clear((x, y): Point) -> bool {
    [x, y, 1.0 - x, 1.0 - y].iter().all(|room| *room == 0.0 || *room >= SLACK)
}

/// Where a segment enters and leaves the unit square, None for an end that lies within (Liang and Barsky, 1984).
fn segment(a: Point, b: Point) -> Option<(Option<Point>, Option<Point>)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (step, room) in [(-dx, a.0), (dx, 1.0 - a.0), (-dy, a.1), (dy, 1.0 - a.1)] {
        let room = if room.abs() < SLACK { 0.0 } else { room };
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            from = from.max(room / step);
        } else {
            to = to.min(room / step);
        }
    }
    if from > to {
        return None;
    }
    let at = |t: f64| ((a.0 + dx * t).clamp(0.0, 1.0), (a.1 + dy * t).clamp(0.0, 1.0));
    Some(((from > 0.0).then(|| at(from)), (to < 1.0).then(|| at(to))))
}

fn flush(part: &mut Vec<Point>, parts: &mut Vec<Vec<Point>>) {
    if part.len() > 1 {
        parts.push(std::mem::take(part));
    } else {
        part.clear();
    }
}

/// What lies within the unit square of a polygon (Sutherland and Hodgman, 1974).
fn polygon(mut points: Vec<Point>) -> Vec<Point> {
    let inside: [fn(Point) -> f64; 4] = [|p| p.0, |p| 1.0 - p.0, |p| p.1, |p| 1.0 - p.1];
    for depth in inside {
        if points.iter().all(|p| depth(*p) >= 0.0) {
            continue;
        }
        let mut kept = Vec::with_capacity(points.len() + 4);
        let Some(&last) = points.last() else { return kept };
        let mut before = last;
        for &point in &points {
            let (d0, d1) = (depth(before), depth(point));
            if (d0 < 0.0) != (d1 < 0.0) {
                let t = d0 / (d0 - d1);
                kept.push((before.0 + (point.0 - before.0) * t, before.1 + (point.1 - before.1) * t));
            }
            if d1 >= 0.0 {
                kept.push(point);
            }
            before = point;
        }
        points = kept;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::{Window, range};
    use crate::chart::{Axis, AxisScale};

    fn axis(scale: AxisScale, min: f64, max: f64) -> Axis {
        Axis { scale, min, max, ticks: Vec::new(), title: String::new() }
    }

    fn ten() -> Axis {
        axis(AxisScale::Linear, 0.0, 10.0)
    }

    fn cut(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let ten = ten();
        Window { x: &ten, y: &ten }.line(points)
    }

    #[test]
    fn a_line_within_is_left_as_it_is() {
        let line = vec![(0.0, 0.0), (5.0, 3.0), (10.0, 10.0)];
        assert_eq!(cut(&line), [line]);
    }

    #[test]
    fn a_line_that_crosses_is_cut_at_both_edges() {
        assert_eq!(cut(&[(-5.0, 0.0), (15.0, 10.0)]), [[(0.0, 2.5), (10.0, 7.5)]]);
    }

    #[test]
    fn a_line_that_leaves_and_comes_back_is_two_parts() {
        let parts = cut(&[(0.0, 5.0), (2.0, 15.0), (6.0, 15.0), (8.0, 5.0)]);
        assert_eq!(parts, [[(0.0, 5.0), (1.0, 10.0)], [(7.0, 10.0), (8.0, 5.0)]]);
    }

    #[test]
    fn a_line_that_passes_outside_leaves_nothing() {
        assert_eq!(cut(&[(-5.0, 5.0), (5.0, 20.0), (20.0, 20.0)]), Vec::<Vec<(f64, f64)>>::new());
    }

    #[test]
    fn what_is_no_number_parts_a_line() {
        let parts = cut(&[
            (1.0, 1.0),
            (2.0, 2.0),
            (3.0, f64::NAN),
            (4.0, 4.0),
            (f64::INFINITY, 5.0),
            (6.0, 6.0),
            (7.0, 7.0),
        ]);
        assert_eq!(parts, [vec![(1.0, 1.0), (2.0, 2.0)], vec![(4.0, 4.0)], vec![(6.0, 6.0), (7.0, 7.0)]]);
    }

    #[test]
    fn numbers_near_the_end_of_f64_are_cut_too() {
        let parts = cut(&[(5.0, 5.0), (5.0, f64::MAX)]);
        assert_eq!(parts, [[(5.0, 5.0), (5.0, 10.0)]]);
    }

    #[test]
    fn on_a_log_axis_a_line_is_cut_where_it_is_seen_to_cross() {
        let (depth, ten) = (axis(AxisScale::Log, 1.0, 100.0), ten());
        // From 10 to 1000: leaves at 100, which is half way on the picture.
        let parts = Window { x: &depth, y: &ten }.line(&[(10.0, 0.0), (1000.0, 8.0)]);
        let [part] = &parts[..] else { panic!("expected one part: {parts:?}") };
        let (x, y) = part[1];
        assert!((x - 100.0).abs() < 1e-9 && (y - 4.0).abs() < 1e-9, "{part:?}");
    }

    #[test]
    fn a_band_is_cut_along_its_slopes() {
        let ten = ten();
        let outlines = Window { x: &ten, y: &ten }.band(&[(0.0, 0.0, 5.0), (10.0, 0.0, 15.0)], 0.02);
        let expected = [(0.0, 0.0), (0.0, 5.0), (5.0, 10.0), (10.0, 10.0), (10.0, 0.0)];
        let [outline] = &outlines[..] else { panic!("expected one outline: {outlines:?}") };
        assert_eq!(outline.len(), expected.len());
        for corner in expected {
            let near = |p: &(f64, f64)| (p.0 - corner.0).abs() < 1e-9 && (p.1 - corner.1).abs() < 1e-9;
            assert!(outline.iter().any(near), "{corner:?} is not in {outline:?}");
        }
    }

    #[test]
    fn a_band_of_one_point_is_as_wide_as_asked() {
        let ten = ten();
        let outlines = Window { x: &ten, y: &ten }.band(&[(5.0, 2.0, 4.0)], 0.2);
        assert_eq!(outlines, [[(4.0, 4.0), (6.0, 4.0), (6.0, 2.0), (4.0, 2.0)]]);
    }

    #[test]
    fn a_bar_from_zero_stands_on_the_foot_of_a_log_axis() {
        let log = axis(AxisScale::Log, 1.0, 1000.0);
        assert_eq!(range(&log, 0.0, 1000.0), Some((1.0, 1000.0)));
        assert_eq!(range(&log, 0.0, 0.5), None);
        assert_eq!(range(&ten(), 12.0, 15.0), None);
        assert_eq!(range(&ten(), f64::NAN, 5.0), None);
    }
}
