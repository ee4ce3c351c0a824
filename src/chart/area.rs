//! Areas from zero or on each other, and what the limits of axes leave of points.
//!
//! In: the traces or points of a panel. Out: shapes in axis units. On a stack all traces share a grid
//! ([`super::transform::onto_one_grid`]); a window in which a part did nothing adds nothing.

use super::layout::Frame;
use super::marks::{Drawing, Pen, TOUCHING};
use super::points::Point;
use super::scene::{Data, ScenePanel, Series};
use super::trace::Trace;
use super::{Ink, Shape};
use crate::spec::Transform;

impl Pen<'_> {
    /// The areas of a panel, with a line as the upper edge of each.
    pub(super) fn areas(&self, panel: &ScenePanel, frame: &Frame, drawing: &mut Drawing) {
        let stacked = self.spec.has(Transform::Stack);
        let mut base: Vec<f64> = Vec::new();
        let mut edges = Vec::new();
        let all = panel.context.iter().chain(&panel.shown);
        for (index, series) in all.filter_map(|&i| Some((i, self.scene.series.get(i)?))) {
            let Data::Trace(trace) = &series.data else { continue };
            let ink = if series.emphasis { series.ink } else { Ink::Context };
            base.resize(base.len().max(trace.mean.len()), 0.0);
            let low = if stacked { base.clone() } else { vec![0.0; trace.mean.len()] };
            let edge = self.edge(trace, &low, stacked);
            if stacked {
                base = edge.mean.iter().map(|value| value.unwrap_or(0.0)).collect();
            }
            let (floor, _, _) =
                self.drawn(&Trace { mean: floor_of(&edge, &low), range: None, ..edge.clone() }, frame);
            let (upper, _, condensed) = self.drawn(&Trace { range: None, ..edge.clone() }, frame);
            drawing.condensed = drawing.condensed.max(condensed);
            let parts: Vec<Vec<(f64, f64, f64)>> = upper
                .iter()
                .zip(&floor)
                .map(|(upper, lower)| {
                    let start = frame.y.min;
                    upper.iter().zip(lower).map(|(u, l)| (u.0, l.1.max(start), u.1.max(start))).collect()
                })
                .collect();
            if let Some(&(x, low, high)) = parts.last().and_then(|part| part.last()) {
                // The name stands beside the middle of what it names.
                drawing.ends.push((index, (x, if stacked { (low + high) / 2.0 } else { high })));
            }
            // In the ink of text: a mark in the area's own is not seen on it.
            let cut = self.cut(edge.tops(), (Ink::Text, TOUCHING), frame, drawing);
            drawing.shapes.extend(cut);
            drawing.shapes.push(Shape::Area { parts, ink, name: self.name(series) });
            edges.push(self.edge_line(series, ink, upper));
        }
        drawing.shapes.extend(edges);
    }

    /// The upper edge of a trace on what lies below it.
    fn edge(&self, trace: &Trace, low: &[f64], stacked: bool) -> Trace {
        let mean = trace.mean.iter().zip(low).map(|(value, low)| match (value, stacked) {
            (Some(value), _) => Some(value + low),
            (None, true) => Some(*low),
            (None, false) => None,
        });
        Trace { mean: mean.collect(), range: None, ..trace.clone() }
    }

    /// The line on an area: thin, and without a dash that the area beneath would show through.
    fn edge_line(&self, series: &Series, ink: Ink, parts: Vec<Vec<(f64, f64)>>) -> Shape {
        match self.line(series, parts) {
            Shape::Line { parts, width, name, .. } => {
                Shape::Line { parts, ink, dash: Vec::new(), width: (width * 0.6).max(1.0), name }
            }
            other => other,
        }
    }

    /// The points between the limits that the user set; marks and counts the others.
    pub(super) fn limited<'p>(
        &self,
        placed: Vec<(&'p Point, (f64, f64))>,
        series: &Series,
        frame: &Frame,
        (shapes, drawing): (&mut Vec<Shape>, &mut Drawing),
    ) -> Vec<(&'p Point, (f64, f64))> {
        let set = [self.spec.x_min, self.spec.x_max, self.spec.y_min, self.spec.y_max];
        if set.iter().all(Option::is_none) {
            return placed;
        }
        let slack = |axis: &super::Axis| (axis.max - axis.min) * 1e-9;
        let (dx, dy) = (slack(&frame.x), slack(&frame.y));
        placed
            .into_iter()
            .filter(|(point, (x, y))| {
                if *x < frame.x.min - dx || *x > frame.x.max + dx {
                    drawing.beside += 1;
                    return false;
                }
                if *y < frame.y.min - dy {
                    drawing.below += 1;
                    return false;
                }
                if *y > frame.y.max + dy {
                    drawing.cut.push(point.y);
                    shapes.push(Shape::Cut { at: vec![*x], ink: series.ink });
                    return false;
                }
                true
            })
            .collect()
    }
}

/// What lies below a trace, with its gaps.
fn floor_of(edge: &Trace, low: &[f64]) -> Vec<Option<f64>> {
    edge.mean.iter().zip(low).map(|(value, low)| value.map(|_| *low)).collect()
}
