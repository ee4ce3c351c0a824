//! One parameterised chart function: data and a spec in, a complete figure out.
//!
//! [`chart`] filters, groups, infers scales and units, and places every label.
//! It knows no path, no clock and no drawing crate; what it returns is plain
//! data that tests can read and [`crate::render`] can draw.

mod amount;
mod annotate;
mod area;
mod axes;
mod bars3d;
mod boxes;
mod callouts;
mod cells;
mod change;
mod distribution;
mod dodge;
mod expectation;
mod figure;
#[cfg(test)]
mod grid_tests;
mod header;
mod heat;
mod labels;
mod layout;
mod marks;
mod names;
mod order;
#[cfg(test)]
mod parts;
mod percentiles;
mod phases;
mod points;
#[cfg(test)]
mod promises;
mod ramp;
#[cfg(test)]
mod reading;
mod scale;
mod scene;
mod select;
mod table;
#[cfg(test)]
mod testdata;
#[cfg(test)]
mod tests;
pub mod text;
mod trace;
mod transform;
mod view;
#[cfg(test)]
mod wishes;
mod words;

pub use figure::{
    Align, Axis, AxisScale, Figure, Ink, Panel, Placed, RAMP, Rect, Role, Shape, Spelling, Stroke, Table,
    TableCell, Tick,
};

pub(crate) use figure::CUT;
pub(crate) use names::{capitalised, value_name};
pub(crate) use select::tells_of_pooling;
pub(crate) use words::dates;

use crate::model::unit::DisplayUnit;
use crate::model::{Campaign, Measure, Stat, natural_order};
use crate::spec::{Channel, ChartSpec, Mark, Places, Size, Transform, XChannel};
use annotate::{EndLabel, GUTTER};
use axes::{XPlan, YPlans};
use header::LegendItem;
use labels::Obstacles;
use layout::{Labelling, Layout, Request, Style};
use marks::{Drawing, Pen};
use scene::{Scene, SceneX};
use select::{Key, Selection};
use std::borrow::Cow;
use words::Words;

/// Why a chart could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChartError {
    /// The campaign holds nothing of what the spec shows; the text names what is missing.
    #[error("no data for this chart: {0}")]
    NoData(String),
    /// The parts of the spec do not go together; the text says what would.
    #[error("this chart cannot be made: {0}")]
    Unsupported(String),
    /// The picture has no room for a plot.
    #[error(
        "a picture of {width} x {height} pixels has no room for a plot; expected at least 240 x 180 and at most 16000 a side"
    )]
    Size {
        /// Width asked for.
        width: f64,
        /// Height asked for.
        height: f64,
    },
}

/// Makes the figure that `spec` describes from the runs of `data`.
///
/// Directions are never added or averaged together: several of them become
/// panels or colours where the spec does not say. Repeats become their mean
/// with its spread. Everything in the figure is in display units.
///
/// # Errors
/// [`ChartError::NoData`] when no run holds what is asked for,
/// [`ChartError::Unsupported`] when mark and axes do not go together,
/// [`ChartError::Size`] when the picture is too small for a plot.
pub fn chart(data: &Campaign, spec: &ChartSpec) -> Result<Figure, ChartError> {
    full((data, None), spec)
}

/// The figure of [`chart`] as a card shows it: small, and without the table, which the larger one has.
///
/// # Errors
/// As [`chart`].
pub fn card(data: &Campaign, spec: &ChartSpec) -> Result<Figure, ChartError> {
    lay_out((data, None), &spec.sized(Size::THUMB), false)
}

/// A campaign for many charts: where its runs stand is looked up once, so that a chart of one run of thousands looks at
/// no other.
#[derive(Debug, Clone)]
pub struct Charts<'a> {
    campaign: &'a Campaign,
    places: Places<'a>,
}

impl<'a> Charts<'a> {
    /// Gets ready for charts of `campaign`.
    #[must_use]
    pub fn new(campaign: &'a Campaign) -> Self {
        Charts { campaign, places: Places::new(&campaign.runs) }
    }

    /// The campaign.
    #[must_use]
    pub fn campaign(&self) -> &'a Campaign {
        self.campaign
    }

    /// As [`chart()`].
    ///
    /// # Errors
    /// As [`chart()`].
    pub fn chart(&self, spec: &ChartSpec) -> Result<Figure, ChartError> {
        full((self.campaign, Some(&self.places)), spec)
    }

    /// As [`card()`].
    ///
    /// # Errors
    /// As [`chart()`].
    pub fn card(&self, spec: &ChartSpec) -> Result<Figure, ChartError> {
        lay_out((self.campaign, Some(&self.places)), &spec.sized(Size::THUMB), false)
    }
}

/// A campaign, and where its runs stand, if that is known.
type Known<'a> = (&'a Campaign, Option<&'a Places<'a>>);

/// The figure at the size of the spec, a poster's laid out smaller.
fn full(data: Known<'_>, spec: &ChartSpec) -> Result<Figure, ChartError> {
    let factor = enlargement(spec.size);
    if factor > 1.0 {
        let size = Size { width: spec.size.width / factor, height: spec.size.height / factor };
        return lay_out(data, &spec.sized(size), true).map(|figure| figure.scaled(factor));
    }
    lay_out(data, spec, true)
}

/// How much larger than a picture in a post a poster is: it is laid out as that, and enlarged, so that its letters
/// can be read from where it is seen whole.
fn enlargement(size: Size) -> f64 {
    let factor = (size.width / Size::FULL.width).min(size.height / Size::FULL.height);
    if factor.is_finite() && factor >= 1.5 && size.width <= 16_000.0 && size.height <= 16_000.0 {
        factor
    } else {
        1.0
    }
}

/// [`chart()`] at the size of the spec; with the table behind it where it is `tabled`.
fn lay_out((data, places): Known<'_>, spec: &ChartSpec, tabled: bool) -> Result<Figure, ChartError> {
    let style = Style::scaled(spec.size, spec.font.size)?;
    transform::check(spec)?;
    let view = view::view(data, spec)?;
    // A view of a part has runs of its own.
    let places = places.filter(|_| matches!(view.data, Cow::Borrowed(_)));
    let (data, spec) = (&*view.data, &*view.spec);
    if spec.x == XChannel::Change {
        let mut figure = change::figure(data, spec)?;
        figure.notes.extend(view.notes);
        if !tabled {
            figure.table = Table::default();
        }
        return Ok(figure);
    }
    let selection = select::select((data, places), spec)?;
    let mut capacity = style.capacity(spec.size);
    // Long words take room that the estimate of panels did not know of: fewer panels then.
    while capacity > 0 {
        let mut scene = scene::build(&selection, spec, capacity)?;
        scene.notes.extend(view.notes.iter().cloned());
        let y = axes::y_plans(&mut scene, spec);
        let x = axes::x_plan(&scene, spec, &selection.ddirs);
        let words = words::words(&selection, spec, &scene, &y, &x.unit);
        let job =
            Job { spec, style, selection: &selection, scene: &scene, words: &words, x: &x, y: &y, tabled };
        let composed = job.labellings().into_iter().find_map(|labelling| job.compose_clear(labelling));
        if let Some(composed) = composed {
            return Ok(job.finish(composed));
        }
        capacity /= 2;
    }
    Err(ChartError::Size { width: spec.size.width, height: spec.size.height })
}

/// A chart whose numbers are known, on its way to a figure.
struct Job<'a> {
    spec: &'a ChartSpec,
    style: Style,
    selection: &'a Selection<'a>,
    scene: &'a Scene,
    words: &'a Words,
    x: &'a XPlan,
    y: &'a YPlans,
    /// True when the figure has its table.
    tabled: bool,
}

/// Layout and shapes of all panels.
struct Composed {
    layout: Layout,
    drawings: Vec<Drawing>,
    notes: Vec<String>,
    /// True when the name of a reference lies on the data.
    covering: bool,
}

impl Job<'_> {
    /// True where lines end at places that say little: their names stand beside them.
    fn names_stand_inside(&self) -> bool {
        matches!(self.scene.x, SceneX::Measure(_) | SceneX::Value)
    }

    /// A series' figure with its unit; of a distribution with the percentile that it is.
    fn figure_text(&self, series: &scene::Series, value: f64, unit: &DisplayUnit) -> String {
        let text = self.scene.figure_text(value, self.scene.measure_of(series), unit, self.x);
        match (&self.scene.distribution, self.scene.y.stat) {
            (None, _) => text,
            (Some(_), Stat::P50) => format!("median {text}"),
            (Some(_), stat) => format!("{stat} {text}"),
        }
    }

    /// The ways to name series, best first; the last one always works.
    fn labellings(&self) -> Vec<Labelling> {
        if self.scene.grid.is_some() {
            return vec![Labelling::Legend, Labelling::Nothing];
        }
        let named = self.scene.color_count() > 1 && !self.scene.multiples;
        let joined = !self.scene.is_filled(self.spec) && !matches!(self.scene.x, SceneX::Categories(_));
        let figures = self.scene.panels.len() == 1 && self.scene.series.iter().any(|s| s.figure.is_some());
        match (named, joined) {
            (true, true) if self.names_stand_inside() => {
                vec![Labelling::Points, Labelling::Legend, Labelling::Nothing]
            }
            (true, true) => vec![Labelling::Ends, Labelling::Legend, Labelling::Nothing],
            (true, false) => vec![Labelling::Legend, Labelling::Nothing],
            (false, false) if self.scene.expectations().next().is_some() => {
                vec![Labelling::Legend, Labelling::Nothing]
            }
            (false, true) if figures && !self.scene.multiples && self.scene.distribution.is_none() => {
                vec![Labelling::Ends, Labelling::Nothing]
            }
            (false, _) => vec![Labelling::Nothing],
        }
    }

    /// Name and figure of each series that is not there for context only.
    fn end_labels(&self) -> Vec<EndLabel> {
        let named = self.scene.color_count() > 1;
        let label = |(series, s): (usize, &scene::Series), spoken: bool| {
            let unit = &self.y.of_series(self.scene, series).unit;
            // A mean over time is none over the data moved.
            let level = s.figure.filter(|_| !matches!(self.scene.x, SceneX::Amount(..)));
            let plain = level.map(|v| self.figure_text(s, v, unit)).unwrap_or_default();
            let what = match self.spec.has(Transform::Cumulate) {
                true => "in all",
                false if s.settled => "settles at",
                false => "mean",
            };
            EndLabel {
                series,
                name: if named { s.name.clone() } else { String::new() },
                figure: if spoken && !plain.is_empty() { format!("{what} {plain}") } else { plain },
                level: s.figure,
            }
        };
        let labels = |spoken: bool| -> Vec<EndLabel> {
            let shown = self.scene.series.iter().enumerate().filter(|(_, s)| s.emphasis);
            let labels = shown.map(|s| label(s, spoken));
            labels.filter(|l| !l.name.is_empty() || !l.figure.is_empty()).collect()
        };
        // A statistic's name and figure say by themselves what they are.
        if self.scene.x.course().is_none() || self.selection.channels.color == Some(Channel::Stat) {
            return labels(false);
        }
        // A figure beside a line's end reads like its last value: it says what it is where there is room.
        let style = &self.style;
        let widest = |spoken: bool| labels(spoken).iter().map(|l| l.width(style)).fold(0.0, f64::max);
        let room = widest(false).max(0.09 * self.spec.size.width);
        labels(!named || widest(true) <= room)
    }

    /// Entries of the legend: each colour once, lines in the order in which they lie.
    fn legend(&self) -> Vec<LegendItem> {
        let mut series: Vec<_> = self.scene.series.iter().filter(|s| s.emphasis).collect();
        if self.scene.color_count() < 2 || self.scene.multiples {
            series.clear();
        }
        if !self.scene.is_filled(self.spec) {
            let level = |s: &scene::Series| s.figure.unwrap_or_else(|| s.data.level());
            series.sort_by(|a, b| level(b).total_cmp(&level(a)).then_with(|| a.id.cmp(&b.id)));
            // People look for a job by its number.
            if self.selection.channels.color == Some(Channel::Job) {
                let total = |s: &scene::Series| s.id.color == Key::Job(None);
                series.sort_by(|a, b| total(b).cmp(&total(a)).then_with(|| natural_order(&a.name, &b.name)));
            }
        }
        let mut seen = Vec::new();
        let single = self.scene.panels.len() == 1;
        series
            .into_iter()
            .filter(|s| {
                let key = (&s.id.color, s.id.fold);
                let new = !seen.contains(&key);
                seen.push(key);
                new
            })
            .map(|s| LegendItem {
                name: s.name.clone(),
                figure: s
                    .figure
                    .filter(|_| single)
                    .map(|v| self.figure_text(s, v, &self.y.shared.unit))
                    .unwrap_or_default(),
                ink: s.ink,
                dash: s.dash.clone(),
                line: None,
            })
            .chain(self.scene.expectation_legend())
            .collect()
    }

    /// [`Job::compose`], with room right of the bars for the name of a reference that would lie on them.
    fn compose_clear(&self, labelling: Labelling) -> Option<Composed> {
        let composed = self.compose(labelling, 0.0)?;
        if !self.scene.is_filled(self.spec) || !composed.covering {
            return Some(composed);
        }
        let widths = self.spec.references.iter().map(|r| annotate::reference_margin(r, &self.style));
        let margin = widths.fold(0.0, f64::max);
        let aside =
            if margin <= 0.18 * self.spec.size.width { self.compose(labelling, margin) } else { None };
        Some(aside.filter(|c| !c.covering).unwrap_or(composed))
    }

    /// Lays out, draws and labels, with `margin` pixels right of the plots for the names of references;
    /// None when this way of labelling has no room.
    fn compose(&self, labelling: Labelling, margin: f64) -> Option<Composed> {
        let style = &self.style;
        let labels = self.end_labels();
        let legend = self.legend();
        let widest = labels.iter().map(|l| l.width(style)).fold(0.0, f64::max);
        let share = if self.style.footer.is_some() { 0.2 } else { 0.26 };
        let label_column = GUTTER + widest.min(self.spec.size.width * share).ceil();
        let request = Request {
            scene: self.scene,
            spec: self.spec,
            words: self.words,
            style,
            x: self.x,
            y: self.y,
            legend: &legend,
            label_column,
            margin,
        };
        let mut layout = layout::lay_out(&request, labelling)?;
        if labelling == Labelling::Ends {
            // Labels must not take more room than the lines that they name.
            let narrow = layout.frames.iter().any(|f| f.rect.width < 2.2 * label_column);
            if narrow {
                return None;
            }
        }
        let panels = self.scene.panels.iter().zip(&layout.frames).enumerate();
        let mut drawings: Vec<Drawing> = panels
            .map(|(at, (panel, frame))| {
                let unit = &self.y.of(at).unit;
                let pen = Pen { scene: self.scene, spec: self.spec, style, unit, x: self.x };
                pen.draw(panel, frame)
            })
            .collect();
        let mut notes = std::mem::take(&mut layout.notes);
        let mut covering = false;
        for (at, (panel, drawing)) in self.scene.panels.iter().zip(&mut drawings).enumerate() {
            let Some(frame) = layout.frames.get(at).cloned() else { continue };
            let unit = &self.y.of(at).unit;
            let measure = self.measure(at);
            let mut obstacles = Obstacles::default();
            obstacles.add(&drawing.shapes, |x, y| frame.px(x, y));
            let named = match labelling {
                Labelling::Ends => {
                    annotate::line_ends(&mut layout, at, drawing, &labels, (self.scene, style, label_column))
                }
                Labelling::Points => {
                    annotate::curve_names(&mut layout, at, drawing, &obstacles, (self.scene, &labels, style))
                }
                Labelling::Legend | Labelling::Nothing => true,
            };
            if !named {
                return None;
            }
            if let Some(grid) = &self.scene.grid {
                self.grid(&mut layout, (&frame, panel), grid, &mut notes);
            }
            if self.spec.mark == Mark::Bar {
                let rules = self.rules(&frame);
                annotate::bar_values(&mut layout.canvas, &frame, drawing, (measure, unit, style, &rules));
            }
            if self.spec.mark == Mark::Box {
                let rules = self.rules(&frame);
                let lying = !self.scene.rows.is_empty();
                callouts::box_values(&mut layout.canvas, &frame, drawing, (style, &rules, lying));
            }
            callouts::callouts(&mut layout.canvas, &frame, drawing, &obstacles, style);
            covering |= self.references(&mut layout, (at, margin), drawing, &obstacles, &mut notes);
            for cliff in phases::cliffs(self.selection, self.spec, self.scene, panel) {
                cliff.draw(&mut layout.canvas, &frame, drawing, &obstacles, (self, at, &mut notes));
            }
            if let XChannel::Measure { over, .. } = &self.spec.x {
                let (dx, dy) = (self.x.divisor, unit.divisor);
                annotate::levels(&mut layout, at, panel, &obstacles, (self.scene, style, over), |x, y| {
                    (x / dx, y / dy)
                });
            }
            annotate::cut_values(&mut layout.canvas, &frame, &drawing.cut_marks, &obstacles, |value| {
                let share = self.scene.has_shares();
                (if share { unit.text(value) } else { names::figure(value, measure, unit) }, style.value)
            });
        }
        Some(Composed { layout, drawings, notes, covering })
    }

    /// Writes figures into cells, or names and figures at solid bars.
    fn grid(
        &self,
        layout: &mut Layout,
        (frame, panel): (&layout::Frame, &scene::ScenePanel),
        grid: &cells::Grid,
        notes: &mut Vec<String>,
    ) {
        let (scene, unit, style) = (self.scene, &self.y.shared.unit, &self.style);
        let missing = if grid.solid {
            let all = bars3d::label(layout, (frame, panel), (scene, grid), (unit, style));
            (!all).then_some("Some names on the axes have no room; all are in the table.")
        } else if grid.is_matrix() {
            let all = cells::values(&mut layout.canvas, (frame, panel), (scene, grid), (unit, style));
            (!all).then_some("The cells are too small for their figures; the table has them.")
        } else {
            None
        };
        notes.extend(missing.map(str::to_owned).filter(|note| !notes.contains(note)));
    }

    /// What a panel shows.
    fn measure(&self, panel: usize) -> Measure {
        let shown =
            self.scene.panels.get(panel).and_then(|panel| panel.shown.first().or(panel.context.first()));
        let series = shown.and_then(|&series| self.scene.series.get(series));
        series.map_or(self.scene.y, |series| self.scene.measure_of(series))
    }

    /// Heights of the named lines in a panel, pixels.
    fn rules(&self, frame: &layout::Frame) -> Vec<f64> {
        let ys = self.spec.references.iter().map(|r| r.value / self.y.shared.unit.divisor);
        let inside = ys.filter(|y| y.is_finite() && *y > frame.y.min && *y <= frame.y.max);
        inside.map(|y| frame.px(frame.x.min, y).1).collect()
    }

    /// Draws the named lines of a panel; names them in the first panel, or right of the last one in
    /// its row where there is a margin. True when a name lies on the data.
    fn references(
        &self,
        layout: &mut Layout,
        (at, margin): (usize, f64),
        drawing: &mut Drawing,
        obstacles: &Obstacles,
        notes: &mut Vec<String>,
    ) -> bool {
        let Some(frame) = layout.frames.get(at).cloned() else { return false };
        let frame = &frame;
        // Among panels of several metrics the lines belong to the one that they are about.
        let apart = !self.y.own.is_empty();
        if apart && self.measure(at) != self.spec.y {
            return false;
        }
        let right = layout.frames.iter().map(|f| f.rect.right()).fold(0.0, f64::max);
        let named_in =
            if margin > 0.0 { layout.frames.iter().position(|f| f.rect.right() >= right) } else { Some(0) };
        let named_in = if apart { Some(at) } else { named_in };
        let mut covering = false;
        let categories = self.y.shared.rows.is_some() && !self.scene.figures_on_x();
        for reference in self.spec.references.iter().filter(|_| !categories) {
            if self.scene.figures_on_x() {
                let x = reference.value / self.x.divisor;
                callouts::value_reference(
                    &mut layout.canvas,
                    frame,
                    drawing,
                    obstacles,
                    (reference, x, &self.style),
                );
                continue;
            }
            let y = reference.value / self.y.of(at).unit.divisor;
            if !(y.is_finite() && y > frame.y.min && y <= frame.y.max) {
                continue;
            }
            drawing.shapes.push(Shape::Rule { y, ink: Ink::Warn, dash: vec![6.0, 3.0] });
            if named_in != Some(at) {
                continue;
            }
            let canvas = &mut layout.canvas;
            let hits = if margin > 0.0 {
                annotate::reference_aside(canvas, frame, reference, (y, &self.style)).then_some(0)
            } else {
                annotate::reference(canvas, frame, obstacles, reference, (y, &self.style))
            };
            covering |= hits != Some(0);
            if hits.is_none() {
                let text = names::single(reference.value, self.spec.y, self.spec);
                notes.push(format!("The dashed line at {text} is {}.", names::clean(&reference.label)));
            }
        }
        covering
    }

    /// Puts the figure together.
    fn finish(&self, composed: Composed) -> Figure {
        let Composed { layout, drawings, notes, .. } = composed;
        let mut all_notes = self.scene.notes.clone();
        all_notes.extend(notes);
        if self.y.own.is_empty() {
            all_notes.extend(self.cut_note(0, &drawings, &layout.frames));
        } else {
            for (at, drawing) in drawings.iter().enumerate() {
                all_notes.extend(self.cut_note(at, std::slice::from_ref(drawing), &layout.frames));
            }
        }
        all_notes.extend(limit_notes(&drawings));
        let condensed = drawings.iter().map(|d| d.condensed).max().unwrap_or(0);
        if condensed > 1 {
            all_notes.push(format!(
                "More windows than pixels: the line is the mean of {condensed} windows each, the band their \
                 smallest and largest."
            ));
        }
        let hidden: usize = drawings.iter().map(|d| d.hidden).sum();
        if hidden > 0 {
            all_notes.push(format!(
                "{hidden} windows beyond the whiskers have no dot: of each box the outermost are drawn."
            ));
        }
        let zeros: usize = drawings.iter().map(|d| d.zeros).sum();
        if zeros > 0 {
            all_notes.push(format!("{zeros} values of 0 have no place on a log axis and are not drawn."));
        }
        let mut runs: Vec<usize> = self.scene.series.iter().flat_map(|s| s.runs.iter().copied()).collect();
        runs.sort_unstable();
        runs.dedup();
        let table = match self.tabled {
            true => {
                table::table(self.selection, self.spec, self.scene, self.y, (self.x.divisor, &self.x.unit))
            }
            false => Table::default(),
        };
        let panels = self
            .scene
            .panels
            .iter()
            .zip(layout.frames)
            .zip(drawings)
            .map(|((panel, frame), drawing)| Panel {
                title: names::panel_title(&panel.title),
                rect: frame.rect,
                x: frame.x,
                y: frame.y,
                shapes: drawing.shapes,
            })
            .collect();
        Figure {
            id: self.spec.id.clone(),
            size: self.spec.size,
            title: self.words.title.clone(),
            subtitle: self.words.subtitle.clone(),
            footer: self.words.footer.clone(),
            alt: self.words.alt.clone(),
            panels,
            texts: layout.canvas.into_texts(),
            strokes: layout.strokes,
            hatched: self.spec.mark == Mark::Bar && self.scene.color_count() > 1 && !self.scene.multiples,
            notes: all_notes,
            table,
            runs,
            family: self.spec.font.family.clone(),
        }
    }

    /// Counts what lies above the axis of a panel, or of all that share it.
    fn cut_note(&self, at: usize, drawings: &[Drawing], frames: &[layout::Frame]) -> Option<String> {
        let top = frames.get(at).map_or(0.0, |f| f.y.max * self.y.of(at).unit.divisor);
        let cut: Vec<f64> = drawings.iter().flat_map(|d| d.cut.iter().copied()).collect();
        let largest = cut.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let text = |v: f64| match self.scene.has_shares() {
            true => self.y.of(at).unit.text(v),
            false => names::single(v, self.measure(at), self.spec),
        };
        match cut.len() {
            0 => None,
            1 => Some(format!("1 value above {} is cut: {}.", text(top), text(largest))),
            n => Some(format!("{n} values above {} are cut, the largest is {}.", text(top), text(largest))),
        }
    }
}

/// Counts what the limits of the axes leave out.
fn limit_notes(drawings: &[Drawing]) -> Vec<String> {
    let all = |of: fn(&Drawing) -> usize| drawings.iter().map(of).sum::<usize>();
    let note = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 value {what} is not drawn.")),
        n => Some(format!("{n} values {what} are not drawn.")),
    };
    [note(all(|d| d.below), "below the y axis"), note(all(|d| d.beside), "beside the x axis")]
        .into_iter()
        .flatten()
        .collect()
}
