//! Where everything stands: fonts by size, the grid of panels, axes with their ticks.
//!
//! In: a scene, its texts and the mode of labelling. Out: frames (plot areas
//! with axes) on a canvas with all fixed texts placed. Draws no data.

use super::axes::{XPlan, YPlans};
use super::header::{self, LegendItem};
use super::labels::{Canvas, fit, fit_among, placed};
use super::scene::{Scene, SceneX};
use super::words::Words;
use super::{Align, Axis, ChartError, Ink, Rect, Role, Stroke, bars3d, names, text};
use crate::spec::{ChartSpec, Size};

/// Font sizes and distances of a picture size, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    /// Title.
    pub title: f64,
    /// Subtitle.
    pub subtitle: f64,
    /// Tick labels and axis titles.
    pub tick: f64,
    /// Footer; None leaves it out.
    pub footer: Option<f64>,
    /// Names of series and panels.
    pub label: f64,
    /// Figures at lines and bars.
    pub value: f64,
    /// Free edge.
    pub pad: f64,
    /// Width of a line.
    pub line: f64,
    /// Least height of a panel's y step.
    pub step: f64,
    /// Smallest panel.
    pub panel: (f64, f64),
    /// Most small multiples.
    pub most_panels: usize,
}

impl Style {
    /// The style of a picture size, with letters larger by a factor; none gets too small to read.
    pub(super) fn scaled(size: Size, factor: f64) -> Result<Style, ChartError> {
        let style = Style::of(size)?;
        if factor == 1.0 {
            return Ok(style);
        }
        let letters = |size: f64| (size * factor).max(11.0);
        Ok(Style {
            title: letters(style.title),
            subtitle: letters(style.subtitle),
            tick: letters(style.tick),
            footer: style.footer.map(letters),
            label: letters(style.label),
            value: letters(style.value),
            step: style.step * factor.max(1.0),
            ..style
        })
    }

    /// The style of a picture size.
    pub(super) fn of(size: Size) -> Result<Style, ChartError> {
        let usable = |side: f64, least: f64| side.is_finite() && (least..=16_000.0).contains(&side);
        if !usable(size.width, 240.0) || !usable(size.height, 180.0) {
            return Err(ChartError::Size { width: size.width, height: size.height });
        }
        Ok(if size.width >= 700.0 && size.height >= 360.0 {
            Style {
                title: 25.0,
                subtitle: 15.5,
                tick: 13.5,
                footer: Some(12.5),
                label: 15.0,
                value: 12.5,
                pad: 40.0,
                line: 2.0,
                step: 72.0,
                panel: (130.0, 60.0),
                most_panels: 20,
            }
        } else {
            Style {
                title: 17.0,
                subtitle: 11.5,
                tick: 11.0,
                footer: None,
                label: 11.5,
                value: 11.0,
                pad: 16.0,
                line: 1.75,
                step: 44.0,
                panel: (92.0, 34.0),
                most_panels: 12,
            }
        })
    }

    /// Height of a text line of `size`, between baselines.
    pub(super) fn leading(size: f64) -> f64 {
        size * 1.36
    }

    /// How many panels a picture holds at most.
    pub(super) fn capacity(&self, size: Size) -> usize {
        let columns = ((size.width - 2.0 * self.pad - 40.0) / (self.panel.0 + 24.0)).floor().max(1.0);
        let head = self.pad + 1.4 * self.title + 3.0 * self.subtitle;
        let row = self.panel.1 + 1.9 * self.label + 0.9 * self.tick;
        let rows = ((size.height - head - 3.5 * self.tick) / row).floor().max(1.0);
        ((columns * rows) as usize).clamp(1, self.most_panels)
    }
}

/// How series are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Labelling {
    /// At their ends, in a column right of the plot.
    Ends,
    /// Beside their last point, inside the plot.
    Points,
    /// In rows under the subtitle.
    Legend,
    /// Not at all: ticks or panel titles say it.
    Nothing,
}

/// A plot area with its axes.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// Plot area.
    pub rect: Rect,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Pixels of the upper edge, from the left, that the unit at the top tick covers.
    pub covered: f64,
}

impl Frame {
    /// Pixels of a place in axis units, kept inside the plot area.
    pub(super) fn px(&self, x: f64, y: f64) -> (f64, f64) {
        let place = |axis: &Axis, v: f64| {
            let p = axis.position(v);
            if p.is_finite() { p.clamp(0.0, 1.0) } else { 0.0 }
        };
        let (x, y) = (place(&self.x, x), place(&self.y, y));
        (self.rect.x + x * self.rect.width, self.rect.bottom() - y * self.rect.height)
    }
}

/// Frames and fixed texts.
#[derive(Debug)]
pub(super) struct Layout {
    /// One frame for each panel of the scene.
    pub frames: Vec<Frame>,
    /// Texts placed so far.
    pub canvas: Canvas,
    /// Axis lines, ticks and legend keys.
    pub strokes: Vec<Stroke>,
    /// Sentences on labels that had no room.
    pub notes: Vec<String>,
}

/// What [`lay_out`] needs.
pub(super) struct Request<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The chart's spec.
    pub spec: &'a ChartSpec,
    /// Texts around it.
    pub words: &'a Words,
    /// Fonts.
    pub style: &'a Style,
    /// Horizontal axis.
    pub x: &'a XPlan,
    /// Vertical axes.
    pub y: &'a YPlans,
    /// Entries of the legend, drawn for [`Labelling::Legend`].
    pub legend: &'a [LegendItem],
    /// Width of the labels right of each panel, 0 for none.
    pub label_column: f64,
    /// Room right of the plots for the names of references.
    pub margin: f64,
}

/// Places header, footer, legend, panels and axes; None when the plot would have no room.
pub(super) fn lay_out(request: &Request<'_>, labelling: Labelling) -> Option<Layout> {
    let Request { scene, spec, words, style, .. } = *request;
    let size = spec.size;
    let mut canvas = Canvas::new(size);
    let mut strokes = Vec::new();
    let mut top = header::header(&mut canvas, words, style, size);
    if labelling == Labelling::Legend {
        top = header::legend(&mut canvas, &mut strokes, request, top);
    }
    let mut bottom = size.height - style.pad * 0.5;
    if let Some(footer) = style.footer {
        header::footer(&mut canvas, words, footer, style, size);
        bottom = size.height - 22.0 - 2.4 * footer;
    }
    if !request.x.caption.is_empty() {
        bottom -= Style::leading(style.tick);
    }
    let grid = Grid::of(request, labelling, top, bottom)?;
    let mut layout = Layout { frames: grid.frames, canvas, strokes, notes: Vec::new() };
    let columns = grid.columns;
    if request.y.shared.has_whole_labels() {
        layout.row_names(request, columns);
    } else {
        layout.y_ticks(columns, style);
    }
    layout.titles(scene, style);
    layout.y_caption(request, columns);
    layout.x_ticks(request, columns);
    layout.x_caption(request, bottom);
    Some(layout)
}

/// The panels' places.
struct Grid {
    columns: usize,
    frames: Vec<Frame>,
}

impl Grid {
    fn of(request: &Request<'_>, labelling: Labelling, top: f64, bottom: f64) -> Option<Grid> {
        let Request { scene, spec, style, x, y, label_column, .. } = *request;
        let count = scene.panels.len().max(1);
        let titled = scene.panels.iter().any(|p| !p.title.is_empty());
        let head = if titled { style.label * 1.9 + title_gap(count) } else { style.tick * 0.8 };
        let caption = if y.shared.caption.is_empty() { 0.0 } else { style.tick * 1.5 };
        let top = top + style.tick * 0.9 + caption;
        let foot = 8.0 + style.tick;
        let column = if labelling == Labelling::Ends { label_column } else { 0.0 };
        let room = (spec.size.width - 2.0 * style.pad, bottom - top);
        let row_gap = head + style.tick * 0.9;
        let height_of = |columns: usize| {
            let rows = count.div_ceil(columns) as f64;
            (bottom - foot - top - head - row_gap * (rows - 1.0)) / rows
        };
        // Panels with axes of their own stand above each other, on one axis of time.
        let most_columns = if y.own.is_empty() { count } else { 1 };
        let columns = columns(count, room, |columns| {
            if columns > most_columns {
                return None;
            }
            let height = height_of(columns);
            let wide = room.0 / columns as f64 - 24.0 >= style.panel.0 * 0.8;
            (height >= style.panel.1 * 0.8 && wide).then_some(height)
        })?;
        let height = height_of(columns);
        let y_axes: Vec<Axis> = (0..count).map(|panel| y.of(panel).axis(height, style)).collect();
        let solid = scene.grid.as_ref().filter(|grid| grid.solid);
        let ticks = || y_axes.iter().flat_map(|axis| &axis.ticks);
        let left = match solid {
            Some(_) => style.pad,
            None if y.shared.has_whole_labels() => {
                let whole = ticks().map(|t| text::width(&t.label, style.tick, false));
                style.pad + whole.fold(0.0, f64::max).min(ROWS * spec.size.width) + 10.0
            }
            None => {
                let numbers = ticks().map(|t| text::width(number_of(&t.label), style.tick, false));
                style.pad + numbers.fold(0.0, f64::max) + 10.0
            }
        };
        // The last x label may stand half beyond its plot.
        let probe = x.axis((room.0 / columns as f64).max(1.0), style);
        let overhang = match &x.values {
            SceneX::Categories(_) => 0.0,
            _ => {
                probe.ticks.iter().map(|t| text::width(&t.label, style.tick, false)).fold(0.0, f64::max) / 2.0
            }
        };
        let right = if column > 0.0 { column + style.pad.min(20.0) } else { style.pad.max(overhang + 2.0) };
        let right = right.max(request.margin);
        let gap = if column > 0.0 { column + 10.0 } else { (overhang * 2.0 + 8.0).max(24.0) };
        let width = (spec.size.width - left - right - gap * (columns as f64 - 1.0)) / columns as f64;
        if width < style.panel.0 * 0.6 {
            return None;
        }
        let (x_axis, y_axes) = match solid {
            Some(_) => {
                let (x_axis, y_axis) = bars3d::axes(width, height, (&x.title, &y.shared.title));
                (x_axis, vec![y_axis; count])
            }
            None => (x.axis(width, style), y_axes),
        };
        let frames = y_axes
            .into_iter()
            .enumerate()
            .map(|(i, y_axis)| {
                let (row, col) = (i / columns, i % columns);
                let rect = Rect {
                    x: left + col as f64 * (width + gap),
                    y: top + head + row as f64 * (height + row_gap),
                    width,
                    height,
                };
                Frame { rect, x: x_axis.clone(), y: y_axis, covered: 0.0 }
            })
            .collect();
        Some(Grid { columns, frames })
    }
}

/// The number of columns that gives panels the best shape and leaves few places empty.
///
/// `height` tells how high panels are then, None when they are too small.
fn columns(count: usize, room: (f64, f64), height: impl Fn(usize) -> Option<f64>) -> Option<usize> {
    let badness = |columns: usize| {
        let shape = (room.0 / columns as f64 - 24.0) / height(columns)?.max(1.0);
        let empty = (count.div_ceil(columns) * columns - count) as f64 / count as f64;
        Some(((shape.max(0.01) / 1.5).ln().abs() + 2.5 * empty, columns))
    };
    (1..=count).filter_map(badness).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, columns)| columns)
}

/// Room between a panel's title and the unit at its top tick, where there are few panels.
fn title_gap(panels: usize) -> f64 {
    if panels <= 2 { 6.0 } else { 0.0 }
}

/// Most of the picture's width that the names of rows take.
const ROWS: f64 = 0.24;

/// What the halo of a text covers beside it.
const HALO: f64 = 2.0;

/// A tick label's number without the unit behind it.
fn number_of(label: &str) -> &str {
    label.split(' ').next().unwrap_or(label)
}

/// Of how many names in slots of this width one has room: names that would be a letter and an ellipsis make room for each
/// other instead.
fn spaced(names: &[&str], slot: f64, style: &Style) -> usize {
    let widest = names.iter().map(|name| text::width(name, style.tick, false)).fold(0.0, f64::max);
    (widest.min(4.0 * style.tick) / (slot - 4.0).max(1.0)).ceil().max(1.0) as usize
}

/// Bytes of the words that all names begin with, the blank behind them included; 0 where a name is nothing else.
fn shared_words(names: &[&str]) -> usize {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else {
        return 0;
    };
    let ends = first.match_indices(' ').map(|(at, _)| at + 1);
    let all = |end: &usize| others.iter().all(|name| name.len() > *end && name.starts_with(&first[..*end]));
    ends.filter(|end| *end < first.len()).take_while(all).last().unwrap_or(0)
}

impl Layout {
    /// Labels of the y axes in the first column.
    fn y_ticks(&mut self, columns: usize, style: &Style) {
        for frame in self.frames.iter_mut().step_by(columns.max(1)) {
            for tick in &frame.y.ticks {
                let number = number_of(&tick.label);
                let (_, y) = frame.px(frame.x.min, tick.at);
                let x = frame.rect.x - 10.0 - text::width(number, style.tick, false);
                let mut label = placed(tick.label.as_str(), x, y + 0.36 * style.tick, style.tick, Role::Tick);
                label.halo = number != tick.label;
                if y - frame.rect.y < style.tick {
                    frame.covered = (label.bounds().right() + HALO - frame.rect.x).max(0.0);
                }
                self.canvas.place(label, 0.0);
            }
        }
    }

    /// Names of rows, or ticks with a unit each, left of the first column; as many as have room.
    fn row_names(&mut self, request: &Request<'_>, columns: usize) {
        let style = request.style;
        let most = ROWS * request.spec.size.width;
        let names: Vec<&str> = request.y.shared.rows.iter().flatten().map(String::as_str).collect();
        let mut hidden = 0;
        for frame in self.frames.iter().step_by(columns.max(1)) {
            let slot = frame.rect.height / frame.y.ticks.len().max(1) as f64;
            let every = if request.y.shared.rows.is_some() {
                (1.1 * style.tick / slot.max(0.01)).ceil().max(1.0) as usize
            } else {
                1
            };
            // From the top on, where people begin to read.
            for tick in frame.y.ticks.iter().rev().step_by(every) {
                let (line, full) = fit_among(&tick.label, &names, style.tick, false, most);
                let (_, y) = frame.px(frame.x.min, tick.at);
                let x = frame.rect.x - 10.0;
                let mut label = placed(line, x, y + 0.36 * style.tick, style.tick, Role::Tick);
                (label.full, label.align) = (full, Align::End);
                self.canvas.place(label, 0.0);
            }
            hidden = hidden.max(frame.y.ticks.len() - frame.y.ticks.len().div_ceil(every));
        }
        if hidden > 0 {
            self.notes.push(format!("{hidden} names of rows have no room; all are in the table."));
        }
    }

    /// Names of the panels.
    fn titles(&mut self, scene: &Scene, style: &Style) {
        for (frame, panel) in self.frames.iter().zip(&scene.panels) {
            let title = names::panel_title(&panel.title);
            let names: Vec<&str> = scene.panels.iter().map(|p| p.title.as_str()).collect();
            let (line, full) = fit_among(&title, &names, style.label, true, frame.rect.width);
            let y = frame.rect.y - 0.85 * style.label - title_gap(scene.panels.len());
            let mut title = placed(line, frame.rect.x, y, style.label, Role::Facet);
            (title.full, title.bold) = (full, true);
            title.ink = match (scene.multiples, panel.shown.first().and_then(|&i| scene.series.get(i))) {
                (true, Some(series)) => series.ink,
                _ => Ink::Text,
            };
            self.canvas.place(title, 0.0);
        }
    }

    /// What the y axis shows, above it.
    fn y_caption(&mut self, request: &Request<'_>, columns: usize) {
        let style = request.style;
        let Some(frame) = self.frames.iter().step_by(columns.max(1)).next() else { return };
        let titled = request.scene.panels.iter().any(|p| !p.title.is_empty());
        let rise = if titled { style.label * 2.3 + title_gap(self.frames.len()) } else { style.tick * 1.3 };
        let room = request.spec.size.width - 2.0 * style.pad;
        let (line, full) = fit(&request.y.shared.caption, style.tick, false, room);
        let mut text = placed(line, style.pad, frame.rect.y - rise, style.tick, Role::Axis);
        text.full = full;
        self.canvas.place(text, 0.0);
    }

    /// Axis lines, tick marks and labels of the x axes; labels where no panel stands below.
    fn x_ticks(&mut self, request: &Request<'_>, columns: usize) {
        let style = request.style;
        let count = self.frames.len();
        let categories = matches!(request.x.values, SceneX::Categories(_));
        let mut hidden = 0;
        for (i, frame) in self.frames.iter().enumerate() {
            let rect = frame.rect;
            let base = rect.bottom();
            let stroke = |points| Stroke { points, ink: Ink::Axis, width: 1.0, dash: Vec::new() };
            // Cells have edges of their own.
            if request.y.shared.rows.is_none() {
                self.strokes.push(stroke(vec![(rect.x, base), (rect.right(), base)]));
            }
            let slot = rect.width / frame.x.ticks.len().max(1) as f64;
            let mut names: Vec<&str> = frame.x.ticks.iter().map(|t| t.label.as_str()).collect();
            let mut every = if categories { spaced(&names, slot, style) } else { 1 };
            if every > 1 {
                // The title says what all names begin with.
                let shared = shared_words(&names);
                names = names.into_iter().filter_map(|name| name.get(shared..)).collect();
                every = spaced(&names, slot, style);
            }
            if i + columns >= count {
                hidden = hidden.max(frame.x.ticks.len() - frame.x.ticks.len().div_ceil(every));
            }
            for (k, (tick, name)) in frame.x.ticks.iter().zip(names).enumerate() {
                let (x, _) = frame.px(tick.at, frame.y.min);
                if !categories {
                    self.strokes.push(stroke(vec![(x, base), (x, base + 5.0)]));
                }
                if i + columns < count || k % every != 0 {
                    continue;
                }
                let room = if categories { slot * every as f64 - 4.0 } else { rect.width };
                let (line, _) = fit(name, style.tick, false, room);
                let full = (line != tick.label).then(|| tick.label.clone());
                let y = base + 8.0 + 0.74 * style.tick;
                let mut label = placed(line, x, y, style.tick, Role::Tick);
                (label.full, label.align) = (full, Align::Middle);
                let bounds = label.bounds();
                if bounds.right() > request.spec.size.width {
                    (label.align, label.x) = (Align::End, request.spec.size.width - 1.0);
                } else if bounds.x < 0.0 {
                    (label.align, label.x) = (Align::Start, 1.0);
                }
                self.canvas.place(label, 3.0);
            }
        }
        if hidden > 0 {
            self.notes.push(format!("{hidden} names on the x axis have no room; all are in the table."));
        }
    }

    /// What the x axis shows, below it.
    fn x_caption(&mut self, request: &Request<'_>, bottom: f64) {
        let style = request.style;
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else { return };
        let right = self.frames.iter().map(|f| f.rect.right()).fold(last.rect.right(), f64::max);
        let (line, full) = fit(&request.x.caption, style.tick, false, right - first.rect.x);
        let middle = (first.rect.x + right) / 2.0;
        let y = bottom + Style::leading(style.tick) - 0.2 * style.tick;
        let mut text = placed(line, middle, y, style.tick, Role::Axis);
        (text.full, text.align) = (full, Align::Middle);
        self.canvas.place(text, 0.0);
    }
}
