//! Boxes as shapes: box, median, whiskers, and dots for what lies beyond.
//!
//! In: the spots of a series and a frame. Out: shapes in axis units, back to front, and what is
//! written above each box. Places no text.

use super::Spot;
use crate::chart::axes::is_log;
use crate::chart::callouts::Callout;
use crate::chart::dodge::Dodge;
use crate::chart::layout::Frame;
use crate::chart::marks::{BarTop, Drawing, Pen};
use crate::chart::scene::Series;
use crate::chart::{Axis, Ink, Shape, names};
use crate::model::unit::{DisplayUnit, plain};

/// Widest box in pixels.
const WIDEST: f64 = 64.0;
/// Radius of a dot, pixels.
const DOT: f64 = 2.0;
/// Most dots beyond the whiskers of one box; of more the outermost are drawn.
const MOST_DOTS: usize = 40;
/// Width of the edges of a box, pixels.
const EDGE: f64 = 1.3;

/// Where boxes stand: upright over the x axis, or lying in rows.
#[derive(Clone, Copy)]
struct Ground<'a> {
    lying: bool,
    /// The axis of the values.
    axis: &'a Axis,
    unit: &'a DisplayUnit,
}

impl Ground<'_> {
    /// A point `value` along the values at `place` across them.
    fn point(&self, place: f64, value: f64) -> (f64, f64) {
        if self.lying { (value, place) } else { (place, value) }
    }

    /// The area between two values, `half` wide on both sides of `place`.
    fn area(&self, place: f64, half: f64, low: f64, high: f64) -> Vec<(f64, f64, f64)> {
        if self.lying {
            vec![(low, place - half, place + half), (high, place - half, place + half)]
        } else {
            vec![(place - half, low, high), (place + half, low, high)]
        }
    }

    /// A value in axis units; a log axis has no place for 0, so that it stands at the lower end.
    fn along(&self, value: f64) -> f64 {
        (value / self.unit.divisor).clamp(self.axis.min, self.axis.max)
    }

    /// True when the axis has a place for the value.
    fn holds(&self, value: f64) -> bool {
        value <= self.limit() && !(is_log(self.axis) && value <= 0.0)
    }

    /// The largest value of the axis, base units.
    fn limit(&self) -> f64 {
        self.axis.max * self.unit.divisor * (1.0 + 1e-9)
    }
}

impl Pen<'_> {
    /// The boxes of a series.
    pub(in crate::chart) fn boxes(
        &self,
        series: &Series,
        spots: &[Spot],
        (frame, dodge): (&Frame, &Dodge<'_>),
        drawing: &mut Drawing,
    ) {
        let rows = self.scene.rows.len();
        let lying = rows > 0;
        let (axis, unit) = if lying { (&frame.x, &self.x.unit) } else { (&frame.y, self.unit) };
        let ground = Ground { lying, axis, unit };
        let half = if lying {
            0.36_f64.min(WIDEST / 4.0 / (frame.rect.height / rows as f64).max(1.0))
        } else {
            (dodge.width * 0.5).min(WIDEST / 2.0 / dodge.slot.max(1.0))
        };
        for spot in spots {
            let place =
                if lying { rows as f64 - 1.0 - spot.x as f64 } else { spot.x as f64 + dodge.offset(series) };
            let ink = spot.ink.unwrap_or(series.ink);
            let name = self.spot_name(series, spot, unit);
            let top = ground.along(self.spot(spot, (place, half), (ground, ink), name, drawing));
            let (x, y) = ground.point(place, top);
            drawing.bars.push(BarTop { x, y, value: spot.spread.cov, room: dodge.room });
        }
    }

    /// One box; returns the largest value that is drawn.
    fn spot(
        &self,
        spot: &Spot,
        (place, half): (f64, f64),
        (ground, ink): (Ground<'_>, Ink),
        name: String,
        drawing: &mut Drawing,
    ) -> f64 {
        let s = &spot.spread;
        let along = |value: f64| ground.along(value);
        let at = |across: f64, value: f64| ground.point(place + across, along(value));
        let (mut dots, mut top) = (spot.values.clone(), f64::NEG_INFINITY);
        if spot.is_box() {
            let area = ground.area(place, half, along(s.first), along(s.third));
            drawing.shapes.push(Shape::Band { parts: vec![area], ink });
            let corners =
                [(-half, s.first), (half, s.first), (half, s.third), (-half, s.third), (-half, s.first)];
            let cap = half * 0.5;
            let mut parts = vec![corners.iter().map(|&(across, value)| at(across, value)).collect()];
            for (from, to) in [(s.first, s.low), (s.third, s.high)] {
                parts.push(vec![at(0.0, from), at(0.0, to)]);
                parts.push(vec![at(-cap, to), at(cap, to)]);
            }
            let line = |parts, width, name| Shape::Line { parts, ink, dash: Vec::new(), width, name };
            drawing.shapes.push(line(parts, EDGE, name.clone()));
            let median = vec![at(-half, s.median), at(half, s.median)];
            drawing.shapes.push(line(vec![median], EDGE * 2.2, name.clone()));
            dots.retain(|v| *v < s.low || *v > s.high);
            if dots.len() > MOST_DOTS {
                let middle = MOST_DOTS / 2..dots.len() - MOST_DOTS / 2;
                drawing.hidden += middle.len();
                dots.drain(middle);
            }
            top = s.high.max(s.third).min(ground.limit());
        }
        let cut: Vec<f64> = dots.iter().copied().filter(|v| *v > ground.limit()).collect();
        if let Some(largest) = cut.iter().copied().reduce(f64::max) {
            if ground.lying {
                let text = format!("… {}", names::figure(largest, self.scene.y, ground.unit));
                drawing.callouts.push(Callout { at: (ground.axis.max, place), text, ink });
            } else {
                drawing.shapes.push(Shape::Cut { at: vec![place], ink });
                drawing.cut_marks.push((place, largest, ink));
            }
            drawing.cut.extend(cut);
        }
        drawing.zeros += dots.iter().filter(|v| is_log(ground.axis) && **v <= 0.0).count();
        dots.retain(|v| ground.holds(*v));
        top = dots.iter().copied().fold(top, f64::max);
        if !dots.is_empty() {
            let at = dots.into_iter().map(|v| at(0.0, v)).collect();
            drawing.shapes.push(Shape::Dots { at, radius: DOT, ink, hollow: true, name });
        }
        top
    }

    /// A box in a tooltip: `RAID 10: median 407 IOPS, middle half 390 to 420 IOPS, varies by 4.5 %, n = 80`.
    fn spot_name(&self, series: &Series, spot: &Spot, unit: &DisplayUnit) -> String {
        let parts: Vec<&str> =
            [series.name.as_str(), spot.key.as_str()].into_iter().filter(|p| !p.is_empty()).collect();
        let text = |value: f64| names::figure(value, self.scene.y, unit);
        let s = &spot.spread;
        let cov = s.cov.map(|cov| format!(", ± {} %", plain(cov * 100.0, 2))).unwrap_or_default();
        format!(
            "{}: median {}, middle half {} to {}{cov}, n = {}",
            parts.join(", "),
            text(s.median),
            unit.number(s.first),
            text(s.third),
            s.n
        )
    }
}
