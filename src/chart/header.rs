//! What stands above the plots: title, subtitle and legend.
//!
//! In: texts and the entries of the legend. Out: placed texts and keys, and
//! the height at which the plots may begin.

use super::labels::{Canvas, fit, fit_among, placed};
use super::layout::{Request, Style};
use super::words::Words;
use super::{Ink, Role, Stroke, text};
use crate::spec::{ChartSpec, Mark, Size};

/// An entry of the legend.
#[derive(Debug, Clone)]
pub(super) struct LegendItem {
    /// Name of the series.
    pub name: String,
    /// Its figure, empty for none.
    pub figure: String,
    /// Its colour.
    pub ink: Ink,
    /// Its dash pattern.
    pub dash: Vec<f64>,
    /// Width of a line that stands for it; None for the mark of the chart.
    pub line: Option<f64>,
}

/// Titles shrink to this size before they are elided.
const SMALLEST_TITLE: f64 = 14.0;

/// True when a title stands whole above a chart, if in smaller letters.
pub(super) fn has_room(title: &str, spec: &ChartSpec) -> bool {
    let room = Style::scaled(spec.size, spec.font.size).map(|style| room(&style, spec.size));
    room.is_ok_and(|room| text::width(title, SMALLEST_TITLE, true) <= room)
}

/// The width of a title. Browsers set the same letters a little wider.
fn room(style: &Style, size: Size) -> f64 {
    (size.width - 2.0 * style.pad) * 0.98
}

/// Title and subtitle; returns the lower edge.
pub(super) fn header(canvas: &mut Canvas, words: &Words, style: &Style, size: Size) -> f64 {
    let room = room(style, size);
    let wide = text::width(&words.title, style.title, true);
    let shrunk = if wide > room { style.title * room / wide } else { style.title };
    let title_size = (shrunk.max(SMALLEST_TITLE) * 10.0).floor() / 10.0;
    let (line, full) = fit(&words.title, title_size, true, room);
    let baseline = style.pad * 0.68 + style.title;
    let mut title = placed(line, style.pad, baseline, title_size, Role::Title);
    (title.full, title.bold, title.ink) = (full, true, Ink::Text);
    canvas.place(title, 0.0);
    let mut bottom = baseline + 0.3 * style.title;
    let lines = wrap(&words.subtitle, style.subtitle, size.width - 2.0 * style.pad, 2);
    for (i, (line, full)) in lines.into_iter().enumerate() {
        let y = baseline + 0.36 * style.title + Style::leading(style.subtitle) * (i as f64 + 1.0);
        let mut text = placed(line, style.pad, y, style.subtitle, Role::Subtitle);
        text.full = full;
        canvas.place(text, 0.0);
        bottom = y + 0.3 * style.subtitle;
    }
    bottom
}

/// The line at the lower edge.
pub(super) fn footer(canvas: &mut Canvas, words: &Words, font: f64, style: &Style, size: Size) {
    let (line, full) = fit(&words.footer, font, false, size.width - 2.0 * style.pad);
    let mut text = placed(line, style.pad, size.height - 22.0, font, Role::Footer);
    text.full = full;
    canvas.place(text, 0.0);
}

/// `text` in at most `most` lines, broken between facts where possible; the last one without the facts that have no room.
fn wrap(whole: &str, size: f64, room: f64, most: usize) -> Vec<(String, Option<String>)> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in whole.split(' ').filter(|w| !w.is_empty()) {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if line.is_empty() || text::width(&longer, size, false) <= room || lines.len() + 1 == most {
            line = longer;
            continue;
        }
        // A fact is not torn apart when its line ends after another one.
        let break_at = line.rfind(", ").map(|i| i + 1).max(line.rfind(" · ")).filter(|&i| i * 2 > line.len());
        let rest = match break_at {
            Some(at) => line.split_off(at),
            None => String::new(),
        };
        lines.push(line.trim_end_matches([' ', '·']).to_owned());
        line = format!("{} {word}", rest.trim_start_matches([' ', '·'])).trim_start().to_owned();
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines.into_iter().map(|line| without_last_facts(&line, size, room)).collect()
}

/// `line` and None, or as many whole facts of it as have room, an ellipsis for the others, and the whole line.
fn without_last_facts(line: &str, size: f64, room: f64) -> (String, Option<String>) {
    if text::width(line, size, false) > room {
        let ends = line
            .match_indices([',', ';', '·'])
            .map(|(at, mark)| line[..at + mark.len()].trim_end_matches([' ', '·']));
        let mut shorter = ends.map(|kept| format!("{kept} …"));
        if let Some(kept) = shorter.rfind(|kept| text::width(kept, size, false) <= room) {
            return (kept, Some(line.to_owned()));
        }
    }
    fit(line, size, false, room)
}

/// Keys and names in rows; returns the lower edge.
pub(super) fn legend(canvas: &mut Canvas, strokes: &mut Vec<Stroke>, request: &Request<'_>, top: f64) -> f64 {
    let Request { spec, style, legend, .. } = *request;
    if let Some(grid) = &request.scene.grid {
        return grid.ramp.legend(canvas, strokes, (style, spec.size), top);
    }
    let bars = matches!(spec.mark, Mark::Bar | Mark::Box);
    let (key, gap) = (if bars { style.label } else { style.label * 1.8 }, style.label * 0.5);
    let left = style.pad;
    let right = spec.size.width - style.pad;
    let most_rows = 3;
    let between = 2.2 * gap + 6.0;
    let room_for = |share: f64| (right - left + between) * share - between - key - gap;
    let names: Vec<&str> = legend.iter().map(|item| item.name.as_str()).collect();
    // (x, row, name) of each entry, and the number of rows.
    let arrange = |share: f64| {
        let mut rows = 0;
        let mut x = left;
        let mut entries = Vec::new();
        for item in legend {
            let figure = if item.figure.is_empty() {
                0.0
            } else {
                gap + text::width(&item.figure, style.value, false)
            };
            let room = (room_for(share) - figure).max(style.label);
            let name = fit_among(&item.name, &names, style.label, false, room);
            let width = key + gap + text::width(&name.0, style.label, false) + figure;
            if x > left && x + width > right {
                (x, rows) = (left, rows + 1);
            }
            entries.push((x, rows, name));
            x += width + between;
        }
        (entries, rows + 1)
    };
    let shares = [1.0, 0.5, 0.32, 0.24, 0.16];
    let (entries, rows) =
        shares.into_iter().map(arrange).find(|(_, rows)| *rows <= most_rows).unwrap_or_else(|| arrange(0.16));
    let pitch = Style::leading(style.label) + 3.0;
    // What has no row is named in the table and in tooltips.
    for (item, (x, row, (name, full))) in legend.iter().zip(entries).filter(|(_, e)| e.1 < most_rows) {
        let baseline = top + pitch * (row as f64 + 1.0) + 2.0;
        let middle = baseline - 0.35 * style.label;
        let width = item.line.unwrap_or(if bars { 0.72 * style.label } else { style.line + 0.5 });
        // Strokes end in half a circle.
        let cap = width / 2.0;
        strokes.push(Stroke {
            points: vec![(x + cap, middle), (x + key - cap, middle)],
            ink: item.ink,
            width,
            dash: if bars && item.line.is_none() { Vec::new() } else { item.dash.clone() },
        });
        let mut text = placed(name.as_str(), x + key + gap, baseline, style.label, Role::Label);
        (text.full, text.ink) = (full, Ink::Text);
        let end = text.bounds().right();
        canvas.place(text, 0.0);
        canvas.place(placed(item.figure.as_str(), end + gap, baseline, style.value, Role::Value), 0.0);
    }
    top + pitch * rows.min(most_rows) as f64 + 0.3 * style.label
}
