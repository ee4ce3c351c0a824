//! Figures inside the plot: at points of lines, over boxes, and at named values of the x axis.
//!
//! In: what the marks left to be written, and the texts already placed. Out: more texts on the same
//! canvas, each where it covers least; what finds no free place stands in tooltip and table alone.

use super::annotate::{above_rules, around};
use super::labels::{Canvas, Obstacles, fit, least_covering, placed};
use super::layout::{Frame, Style};
use super::marks::{BarTop, Drawing};
use super::{Align, Ink, Placed, Rect, Role, Shape, names, text};
use crate::model::unit::plain;
use crate::spec::Reference;

/// A figure at a point of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Callout {
    /// The point, axis units.
    pub at: (f64, f64),
    /// The figure.
    pub text: String,
    /// Colour of the line.
    pub ink: Ink,
}

/// True when a box lies wholly in another.
pub(super) fn within(outer: &Rect, inner: &Rect) -> bool {
    inner.x >= outer.x
        && inner.right() <= outer.right()
        && inner.y >= outer.y
        && inner.bottom() <= outer.bottom()
}

/// Writes figures beside points of lines, where they cover nothing but the line itself.
pub(super) fn callouts(
    canvas: &mut Canvas,
    frame: &Frame,
    drawing: &Drawing,
    obstacles: &Obstacles,
    style: &Style,
) {
    for callout in &drawing.callouts {
        let at = frame.px(callout.at.0, callout.at.1);
        let candidates = around(at, style.value, style.line * 1.6 + 4.0).into_iter().map(|(x, y, align)| {
            let mut label = placed(callout.text.as_str(), x, y, style.value, Role::Value);
            (label.align, label.halo, label.ink) = (align, true, callout.ink);
            label
        });
        let inside = |label: &Placed| within(&frame.rect, &label.bounds());
        if let Some((label, hits)) = least_covering(canvas, obstacles, candidates.filter(inside))
            && hits <= 1
        {
            canvas.place(label, 0.0);
        }
    }
}

/// Writes over boxes, or right of lying ones, how much their windows vary, where all of a panel have room.
pub(super) fn box_values(
    canvas: &mut Canvas,
    frame: &Frame,
    drawing: &Drawing,
    (style, rules, lying): (&Style, &[f64], bool),
) {
    let size = 11.0_f64.max(style.value - 1.0);
    let texts = |digits: usize| -> Vec<(&BarTop, String)> {
        let text = |cov: f64| {
            let digits = if cov < 0.0995 { digits } else { 2 };
            format!("±{} %", plain(cov * 100.0, digits))
        };
        drawing.bars.iter().filter_map(|bar| bar.value.map(|cov| (bar, text(cov)))).collect()
    };
    let fits = |texts: &Vec<(&BarTop, String)>| {
        lying || texts.iter().all(|(bar, text)| text::width(text, size, false) <= bar.room - 1.0)
    };
    let Some(texts) = [2, 1].into_iter().map(texts).find(fits) else { return };
    for (bar, text) in texts {
        let (x, y) = frame.px(bar.x, bar.y);
        let (x, y, align) = if lying {
            (x + 6.0, y + 0.36 * size, Align::Start)
        } else {
            (x, above_rules(y - 6.0, size, rules), Align::Middle)
        };
        let mut label = placed(text, x, y, size, Role::Value);
        (label.align, label.halo, label.ink) = (align, true, Ink::Text);
        canvas.place(label, 0.0);
    }
}

/// Draws a named line at a value of the x axis; its name stands beside it where it covers least.
pub(super) fn value_reference(
    canvas: &mut Canvas,
    frame: &Frame,
    drawing: &mut Drawing,
    obstacles: &Obstacles,
    (reference, x, style): (&Reference, f64, &Style),
) {
    if !(x.is_finite() && x > frame.x.min && x < frame.x.max) {
        return;
    }
    drawing.shapes.push(Shape::Mark { x, ink: Ink::Warn, dash: vec![6.0, 3.0] });
    let (line, full) = fit(&names::clean(&reference.label), style.value, true, frame.rect.width * 0.4);
    let (x, _) = frame.px(x, frame.y.min);
    let steps = 12;
    let ys = (0..=steps).map(|i| {
        let free = (frame.rect.height - 2.0 * style.value).max(0.0);
        frame.rect.y + style.value + free * f64::from(i) / f64::from(steps)
    });
    let candidates = ys.flat_map(|y| [(x + 6.0, y, Align::Start), (x - 6.0, y, Align::End)]);
    let candidates = candidates.map(|(x, y, align)| Placed {
        full: full.clone(),
        bold: true,
        ink: Ink::Warn,
        halo: true,
        align,
        ..placed(line.as_str(), x, y, style.value, Role::Note)
    });
    let inside = |text: &Placed| within(&frame.rect, &text.bounds());
    if let Some((text, _)) = least_covering(canvas, obstacles, candidates.filter(inside)) {
        canvas.place(text, 0.0);
    }
}
