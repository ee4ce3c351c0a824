//! Labels that depend on the data: line ends, load levels, bar values, references.
//!
//! In: frames, shapes and the texts already placed. Out: more texts and
//! leaders on the same canvas; a label that finds no free place is left out
//! (its number stands in tooltip and table), never laid over another.

use super::callouts::within;
use super::labels::{Canvas, Obstacles, fit, fit_among, least_covering, placed, spread};
use super::layout::{Frame, Layout, Style};
use super::marks::Drawing;
use super::scene::{Data, Scene, ScenePanel};
use super::{Align, CUT, Ink, Placed, Rect, Role, Stroke, names, text};
use crate::model::unit::DisplayUnit;
use crate::model::{Dimension, Measure, Stat};
use crate::spec::Reference;

/// Room between a plot and the labels of its line ends: gap, leader, gap.
pub(super) const GUTTER: f64 = 22.0;

/// Room between a name and its figure below.
const LINE_GAP: f64 = 2.0;

/// A name and a figure at a line's end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EndLabel {
    /// Index of the series.
    pub series: usize,
    /// Name; empty when nothing tells series apart.
    pub name: String,
    /// Figure; empty for none.
    pub figure: String,
    /// The figure as a number.
    pub level: Option<f64>,
}

impl EndLabel {
    /// Width of the wider of the two lines.
    pub(super) fn width(&self, style: &Style) -> f64 {
        let name = text::width(&self.name, style.label, true);
        name.max(text::width(&self.figure, style.value, false))
    }

    /// Height of the box of both lines.
    fn height(&self, style: &Style) -> f64 {
        let name = if self.name.is_empty() { 0.0 } else { 0.95 * style.label };
        let figure = if self.figure.is_empty() { 0.0 } else { 0.95 * style.value };
        let between = if name > 0.0 && figure > 0.0 { LINE_GAP } else { 0.0 };
        name + between + figure
    }
}

/// Labels the lines of a panel at their ends; false when they have no room.
pub(super) fn line_ends(
    layout: &mut Layout,
    at: usize,
    drawing: &Drawing,
    labels: &[EndLabel],
    (scene, style, column): (&Scene, &Style, f64),
) -> bool {
    let Some(frame) = layout.frames.get(at).cloned() else { return true };
    let rect = frame.rect;
    let mut wanted: Vec<(f64, f64, &EndLabel)> = drawing
        .ends
        .iter()
        .filter_map(|(series, end)| {
            let label = labels.iter().find(|l| l.series == *series)?;
            let (x, y) = frame.px(end.0, end.1);
            Some((y, x, label))
        })
        .collect();
    wanted.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.2.series.cmp(&b.2.series)));
    let gap = style.label * 0.3;
    let height = wanted.iter().map(|w| w.2.height(style)).fold(0.0, f64::max) + gap;
    let ys: Vec<f64> = wanted.iter().map(|w| w.0).collect();
    // The lowest label may reach into the band of x labels, which ends at the plot.
    let Some(centres) = spread(&ys, height, rect.y - style.label, rect.bottom() + style.label) else {
        return false;
    };
    by_figure_where_close(&mut wanted, height);
    let left = rect.right() + GUTTER;
    let room = column - GUTTER;
    let names: Vec<&str> = labels.iter().map(|l| l.name.as_str()).collect();
    for ((y, x, label), centre) in wanted.into_iter().zip(centres) {
        let ink = scene.series.get(label.series).map_or(Ink::Text, |s| s.ink);
        let mut baseline = centre - label.height(style) / 2.0;
        let mut texts = Vec::new();
        if !label.name.is_empty() {
            let (line, full) = fit_among(&label.name, &names, style.label, true, room);
            baseline += 0.74 * style.label;
            let mut name = placed(line, left, baseline, style.label, Role::Label);
            (name.full, name.bold, name.ink) = (full, true, ink);
            texts.push(name);
            baseline += 0.21 * style.label + LINE_GAP;
        }
        if !label.figure.is_empty() {
            let (line, full) = fit(&label.figure, style.value, false, room);
            let mut figure = placed(line, left, baseline + 0.75 * style.value, style.value, Role::Value);
            figure.full = full;
            texts.push(figure);
        }
        if !texts.into_iter().all(|t| layout.canvas.place(t, 0.0)) {
            return false;
        }
        let near = rect.right() - x <= 0.06 * rect.width;
        let from = if near { x + style.line * 2.0 + 3.0 } else { rect.right() + 4.0 };
        if !near {
            // The line ends early: dots lead from its end to the edge.
            let points = vec![(x + 4.0, y), (from, y)];
            layout.strokes.push(Stroke { points, ink, width: 1.0, dash: vec![1.0, 4.0] });
        }
        let points = vec![(from, y), (left - 5.0, centre)];
        layout.strokes.push(Stroke { points, ink, width: 1.0, dash: Vec::new() });
    }
    true
}

/// Sorts labels that lines with ends less than `close` pixels apart would push aside by their figures, highest first.
fn by_figure_where_close(wanted: &mut [(f64, f64, &EndLabel)], close: f64) {
    let mut rest = wanted;
    while !rest.is_empty() {
        let count = 1 + rest.windows(2).take_while(|pair| pair[1].0 - pair[0].0 < close).count();
        let (near, further) = rest.split_at_mut(count.min(rest.len()));
        if near.iter().all(|w| w.2.level.is_some()) {
            let level = |w: &(f64, f64, &EndLabel)| w.2.level.unwrap_or(0.0);
            near.sort_by(|a, b| level(b).total_cmp(&level(a)));
        }
        rest = further;
    }
}

/// Names curves beside their last points; false when one finds no place.
pub(super) fn curve_names(
    layout: &mut Layout,
    at: usize,
    drawing: &Drawing,
    obstacles: &Obstacles,
    (scene, labels, style): (&Scene, &[EndLabel], &Style),
) -> bool {
    let Some(frame) = layout.frames.get(at).cloned() else { return true };
    let mut named: Vec<usize> = drawing.ends.iter().map(|(series, _)| *series).collect();
    named.dedup();
    named.iter().all(|series| {
        let Some(label) = labels.iter().find(|l| l.series == *series) else { return true };
        let ink = scene.series.get(*series).map_or(Ink::Text, |s| s.ink);
        let room = frame.rect.width * 0.4;
        let (line, full) = fit(&label.name, style.label, true, room);
        let ends = drawing.ends.iter().filter(|(own, _)| own == series);
        let gap = style.line * 2.1 + 5.0;
        let around = ends.flat_map(|(_, end)| around(frame.px(end.0, end.1), style.label, gap));
        let inside = |text: &Placed| !scene.has_shares() || within(&frame.rect, &text.bounds());
        let candidates = around.map(|(x, y, align)| {
            let mut text = placed(line.as_str(), x, y, style.label, Role::Label);
            (text.full, text.bold, text.ink, text.align, text.halo) = (full.clone(), true, ink, align, true);
            text
        });
        match least_covering(&layout.canvas, obstacles, candidates.filter(inside)) {
            Some((text, hits)) if hits <= 1 => layout.canvas.place(text, 0.0),
            _ => false,
        }
    })
}

/// Writes the load level beside each point of joined points.
pub(super) fn levels(
    layout: &mut Layout,
    at: usize,
    panel: &ScenePanel,
    obstacles: &Obstacles,
    (scene, style, over): (&Scene, &Style, &Dimension),
    to_axes: impl Fn(f64, f64) -> (f64, f64),
) {
    let Some(frame) = layout.frames.get(at).cloned() else { return };
    let mut first = true;
    for series in panel.shown.iter().filter_map(|&i| scene.series.get(i)) {
        let Data::Points(points) = &series.data else { continue };
        for point in points {
            let plain = names::value_plain(over, point.key.as_ref());
            let phrase = names::value_name(over, point.key.as_ref());
            let (x, y) = to_axes(point.x, point.y);
            let around = around(frame.px(x, y), style.value, style.line * 2.1 + 3.0);
            // The first level says what the others are.
            let texts = if first { vec![phrase, plain] } else { vec![plain] };
            for text in texts {
                let candidates = around.iter().map(|&(x, y, align)| {
                    let mut label = placed(text.as_str(), x, y, style.value, Role::Value);
                    (label.align, label.halo, label.ink) = (align, true, series.ink);
                    label
                });
                let base = frame.rect.bottom() - 2.0;
                let candidates = candidates.filter(|label: &Placed| label.bounds().bottom() <= base);
                if let Some((label, hits)) = least_covering(&layout.canvas, obstacles, candidates)
                    && hits <= 1
                    && layout.canvas.place(label, 0.0)
                {
                    first = false;
                    break;
                }
            }
        }
    }
}

/// Places around a point at a distance: above left and right first, where rising curves leave room.
pub(super) fn around((x, y): (f64, f64), size: f64, gap: f64) -> Vec<(f64, f64, Align)> {
    let middle = y + 0.36 * size;
    let (above, below) = (y - gap, y + gap + 0.74 * size);
    let near = gap * 0.7;
    vec![
        (x + near, below - 0.3 * size, Align::Start),
        (x - near, above + 0.2 * size, Align::End),
        (x + gap, middle, Align::Start),
        (x, above, Align::Middle),
        (x, below, Align::Middle),
        (x - gap, middle, Align::End),
        (x + near, above + 0.2 * size, Align::Start),
        (x - near, below - 0.3 * size, Align::End),
        (x, above - size, Align::Middle),
        (x, below + size, Align::Middle),
    ]
}

/// Writes values over bars where all of a panel have room, and `no run` where a bar is missing.
pub(super) fn bar_values(
    canvas: &mut Canvas,
    frame: &Frame,
    drawing: &Drawing,
    (measure, unit, style, rules): (Measure, &DisplayUnit, &Style, &[f64]),
) {
    let text_of = |value: f64| match unit.suffix {
        "k" | "M" | "G" => unit.text(value),
        _ => unit.number(value),
    };
    let fits = |size: f64| {
        drawing
            .bars
            .iter()
            .all(|bar| bar.value.is_none_or(|v| text::width(&text_of(v), size, true) <= bar.room - 2.0))
    };
    let biggest = style.value + if measure.stat == Stat::Mean { 0.5 } else { 0.0 };
    let sizes = [biggest, 11.5, 11.0];
    let Some(&size) = sizes.iter().filter(|s| **s <= biggest).find(|s| fits(**s)) else { return };
    let missing = |room: f64| {
        if text::width("no run", size, false) <= room - 2.0 { "no run" } else { "–" }
    };
    for bar in &drawing.bars {
        let (x, top) = frame.px(bar.x, bar.y);
        let text = bar.value.map_or_else(|| missing(bar.room).to_owned(), text_of);
        // The unit beside the first bar may stand where its value wants to: aside within its room, else above the unit.
        let slack = ((bar.room - text::width(&text, size, true)) / 2.0 - 1.0).max(0.0);
        let rises = [0.0, 0.5, 1.0, 1.5, 2.0].map(|rise| top - 6.0 - rise * size);
        let places = rises.into_iter().flat_map(|y| [(x, y), (x + slack, y), (x - slack, y)]);
        // Where both are taken, as beneath the title of a low panel, on the bar itself.
        let inside = bar.value.map(|value| frame.px(bar.x, value / unit.divisor).1 + 9.0 + 0.74 * size);
        let inside = inside.filter(|y| y + 0.5 * size < frame.rect.bottom()).map(|y| (x, y));
        let places = places.chain(inside);
        let role = if bar.value.is_some() { Role::Value } else { Role::Note };
        for (x, y) in places {
            let mut label = placed(text.as_str(), x, above_rules(y, size, rules), size, role);
            (label.align, label.halo) = (Align::Middle, !rules.is_empty() || Some((x, y)) == inside);
            (label.bold, label.ink) =
                (bar.value.is_some(), if bar.value.is_some() { Ink::Text } else { Ink::Muted });
            if label.bounds().y >= frame.rect.y - 1.8 * size && canvas.place(label, 0.0) {
                break;
            }
        }
    }
}

/// A baseline for a text of `size` that no rule strikes through: `y`, or above the rule in its way.
pub(super) fn above_rules(mut y: f64, size: f64, rules: &[f64]) -> f64 {
    // Once for each rule: above one, the next may be in the way.
    for _ in rules {
        let strikes = |rule: &&f64| (y - 0.74 * size - 3.0..=y + 3.0).contains(*rule);
        match rules.iter().find(strikes) {
            Some(rule) => y = rule - 5.0,
            None => break,
        }
    }
    y
}

/// Most figures at cut values of a panel.
const MOST_CUTS: usize = 4;

/// Writes what was cut beside the marks of the largest values, where it covers nothing.
pub(super) fn cut_values(
    canvas: &mut Canvas,
    frame: &Frame,
    marks: &[(f64, f64, Ink)],
    obstacles: &Obstacles,
    words: impl Fn(f64) -> (String, f64),
) {
    let (left, upper) = (frame.rect.x, frame.rect.y);
    let mut marks: Vec<(f64, f64, Ink)> =
        marks.iter().map(|&(x, value, ink)| (frame.px(x, frame.y.max).0, value, ink)).collect();
    marks.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (x, value, ink) in marks.iter().copied().take(MOST_CUTS) {
        let (text, size) = words(value);
        let free = |t: &Placed| {
            let b = t.bounds();
            let on_mark = |m: &(f64, f64, Ink)| m.0 + CUT.0 > b.x && m.0 - CUT.0 < b.right();
            let beside_marks = b.y >= upper + CUT.1 || !marks.iter().any(on_mark);
            b.x >= left && b.right() <= frame.rect.right() && beside_marks
        };
        // Beside its mark, or in a row below the marks where the next one is close.
        let (row, below) = (upper + 0.8 * size, upper + CUT.1 + 1.1 * size);
        let places = [
            (x + 6.0, row, Align::Start),
            (x - 6.0, row, Align::End),
            (x, below, Align::Middle),
            (x - CUT.0, below, Align::Start),
        ];
        let candidates = places.into_iter().map(|(x, y, align)| {
            let mut note = placed(text.as_str(), x, y, size, Role::Note);
            (note.align, note.ink, note.halo) = (align, ink, true);
            note
        });
        // The line itself rises to its mark close by; a second one is too much.
        if let Some((note, hits)) = least_covering(canvas, obstacles, candidates.filter(free))
            && hits <= 1
        {
            canvas.place(note, 0.0);
        }
    }
}

/// The name of a reference in at most two lines, about equally wide.
fn two_lines(label: &str, size: f64) -> (String, String) {
    let whole = names::clean(label);
    let breaks = whole.match_indices(' ').map(|(i, _)| whole.split_at(i));
    let wider =
        |(a, b): &(&str, &str)| text::width(a, size, true).max(text::width(b.trim_start(), size, true));
    match breaks.min_by(|a, b| wider(a).total_cmp(&wider(b))) {
        Some((a, b)) => (a.to_owned(), b.trim_start().to_owned()),
        None => (whole, String::new()),
    }
}

/// Room that the name of a reference needs right of a plot.
pub(super) fn reference_margin(reference: &Reference, style: &Style) -> f64 {
    let (a, b) = two_lines(&reference.label, style.value);
    let width = text::width(&a, style.value, true).max(text::width(&b, style.value, true));
    (8.0 + width + style.pad.min(20.0)).ceil()
}

/// Names a rule at its right end, outside the plot; false when there is no place for it.
pub(super) fn reference_aside(
    canvas: &mut Canvas,
    frame: &Frame,
    reference: &Reference,
    (y, style): (f64, &Style),
) -> bool {
    let (_, y) = frame.px(frame.x.min, y);
    let (a, b) = two_lines(&reference.label, style.value);
    let size = style.value;
    let rows = if b.is_empty() { vec![(a, 0.36)] } else { vec![(a, -0.2), (b, 0.95)] };
    rows.into_iter().all(|(line, down)| {
        let mut name = placed(line, frame.rect.right() + 8.0, y + down * size, size, Role::Note);
        (name.bold, name.ink) = (true, Ink::Warn);
        canvas.place(name, 0.0)
    })
}

/// Names a rule where its label covers least; how much that is, None when there is no place for it.
pub(super) fn reference(
    canvas: &mut Canvas,
    frame: &Frame,
    obstacles: &Obstacles,
    reference: &Reference,
    (y, style): (f64, &Style),
) -> Option<usize> {
    let rect = frame.rect;
    let (line, full) = fit(&names::clean(&reference.label), style.value, true, rect.width * 0.6);
    let width = text::width(&line, style.value, true);
    let (_, y) = frame.px(frame.x.min, y);
    let above = y - 0.45 * style.value;
    let below = y + 0.45 * style.value + 0.74 * style.value;
    let steps = 14;
    let xs = (0..=steps)
        .map(|i| rect.x + 6.0 + (rect.width - width - 12.0).max(0.0) * f64::from(i) / f64::from(steps));
    let candidates = xs.flat_map(|x| [above, below].map(|y| (x, y))).map(|(x, y)| Placed {
        full: full.clone(),
        bold: true,
        ink: Ink::Warn,
        halo: true,
        ..placed(line.as_str(), x, y, style.value, Role::Note)
    });
    let inside = |text: &Placed| {
        let b: Rect = text.bounds();
        b.y >= rect.y - 2.0 * style.value && b.bottom() <= rect.bottom() && b.right() <= rect.right() + 1.0
    };
    let (text, hits) = least_covering(canvas, obstacles, candidates.filter(inside))?;
    canvas.place(text, 0.0).then_some(hits)
}
