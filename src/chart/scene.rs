//! What a chart shows, before any axis exists: panels of series in base units.
//!
//! In: a selection. Out: a [`Scene`]. Repeats become means with their spread
//! here, and more series than the palette holds become small multiples or a
//! highlighted few.

use super::axes::XPlan;
use super::select::{Key, Selection, dash, ink};
use super::{ChartError, Ink, boxes, cells, distribution, heat, names, percentiles, points, trace};
use crate::model::unit::{DisplayUnit, humanize};
use crate::model::{Ddir, Measure, Value};
use crate::spec::{Channel, ChartSpec, Mark, XChannel};

/// Panels and series of a chart in base units.
#[derive(Debug)]
pub(super) struct Scene {
    /// All series, each once.
    pub series: Vec<Series>,
    /// Which series stand in which panel.
    pub panels: Vec<ScenePanel>,
    /// The horizontal axis.
    pub x: SceneX,
    /// The vertical axis.
    pub y: Measure,
    /// True when panels stand for what colour would otherwise tell apart.
    pub multiples: bool,
    /// How many series there are when only a few of them are in colour.
    pub highlighted: Option<usize>,
    /// True when lines are moving means, since they lie within each other's noise.
    pub smoothed: bool,
    /// True when points or lines pool runs that differ in more than their repeat.
    pub pooled: bool,
    /// True when the percentile of one of several runs stands for all, as they have no histograms to put together.
    pub apart: bool,
    /// Sentences on what was pooled, cut or left out.
    pub notes: Vec<String>,
    /// Fewest and most runs behind one line, bar or point.
    pub repeats: (usize, usize),
    /// Rows and colours, for cells and solid bars.
    pub grid: Option<cells::Grid>,
    /// Names of rows from bottom to top, where the y axis has no values; empty for other charts.
    pub rows: Vec<String>,
    /// What distributions are made of; None for other charts.
    pub distribution: Option<distribution::Source>,
}

impl Scene {
    /// A scene before its series have panels and colours.
    pub(super) fn new(
        spec: &ChartSpec,
        series: Vec<Series>,
        x: SceneX,
        (notes, pooled): (Vec<String>, bool),
        repeats: (usize, usize),
    ) -> Scene {
        Scene {
            series,
            panels: Vec::new(),
            x,
            y: spec.y,
            multiples: false,
            highlighted: None,
            smoothed: false,
            pooled,
            apart: false,
            notes,
            repeats,
            grid: None,
            rows: Vec::new(),
            distribution: None,
        }
    }

    /// A figure of the y axis in its unit; in charts of shares and of rows, of the x axis.
    pub(super) fn figure_text(&self, value: f64, measure: Measure, y: &DisplayUnit, x: &XPlan) -> String {
        match &self.distribution {
            // From the median to the tail lie powers of ten: each has its own unit.
            Some(source) if source.log => humanize(value, self.y.unit(), source.units),
            _ => super::names::figure(value, measure, if self.figures_on_x() { &x.unit } else { y }),
        }
    }

    /// How many runs lie behind one line, bar or cell: `3`, `1 to 3`.
    pub(super) fn repeats_text(&self) -> String {
        range(self.repeats)
    }

    /// What lies behind one line, bar or cell; of pooled runs the notes say in what they differ.
    pub(super) fn them(&self) -> &'static str {
        if self.pooled { "unlike runs" } else { "repeats" }
    }

    /// How the percentiles of several runs are one figure, after `3 repeats`.
    pub(super) fn merging(&self) -> &'static str {
        match (self.apart, self.repeats) {
            (false, _) => "taken together",
            (true, (_, 2)) => "of which the higher figure stands for both",
            (true, _) => "of which the middle one stands for all",
        }
    }

    /// True when y shows shares of the values on x.
    pub(super) fn has_shares(&self) -> bool {
        self.x == SceneX::Value
    }

    /// True when the figures of series stand on the x axis.
    pub(super) fn figures_on_x(&self) -> bool {
        self.has_shares() || !self.rows.is_empty()
    }

    /// True when series stand side by side in categories and colours need no dash.
    pub(super) fn is_filled(&self, spec: &ChartSpec) -> bool {
        matches!(spec.mark, Mark::Bar | Mark::Box)
    }
}

/// A panel of a scene.
#[derive(Debug, Clone)]
pub(super) struct ScenePanel {
    /// Facet value.
    pub title: String,
    /// Its series.
    pub shown: Vec<usize>,
    /// Series drawn in grey behind them.
    pub context: Vec<usize>,
}

/// The horizontal axis of a scene.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SceneX {
    /// Run time from start to end, ms.
    Time(f64, f64),
    /// Numeric values of a dimension, ascending, with their spelling.
    Values(Vec<(f64, String)>),
    /// Values without a number, at 0, 1, 2, ...
    Categories(Vec<String>),
    /// Another figure.
    Measure(Measure),
    /// Bytes moved so far, from start to end.
    Amount(f64, f64),
    /// Quantiles by their depth, 1/(1 - p).
    Quantile,
    /// The values of the metric, whose shares stand on y.
    Value,
}

impl SceneX {
    /// Start and end of an axis along which a run goes on: its time, or the bytes that it has moved.
    pub(super) fn course(&self) -> Option<(f64, f64)> {
        match self {
            SceneX::Time(start, end) | SceneX::Amount(start, end) => Some((*start, *end)),
            _ => None,
        }
    }

    /// How many values or categories an axis has.
    pub(super) fn len(&self) -> usize {
        match self {
            SceneX::Values(values) => values.len(),
            SceneX::Categories(names) => names.len(),
            _ => 0,
        }
    }

    /// A category by its number; empty where there is none.
    pub(super) fn name(&self, index: usize) -> String {
        match self {
            SceneX::Categories(names) => names.get(index).cloned().unwrap_or_default(),
            _ => String::new(),
        }
    }
}

/// A line, a set of bars or a curve.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// Place in the grid of the chart: facet value, colour value, direction in the name.
    pub id: SeriesId,
    /// Name for labels; empty when nothing tells series apart.
    pub name: String,
    /// Name of its panel.
    pub facet: String,
    /// Colour.
    pub ink: Ink,
    /// Dash pattern.
    pub dash: Vec<f64>,
    /// The run's figure, as tables show it (base units).
    pub figure: Option<f64>,
    /// True when `figure` is the level that the run settles at, not its mean.
    pub settled: bool,
    /// The runs behind it.
    pub runs: Vec<usize>,
    /// The numbers.
    pub data: Data,
    /// False for a series that is there for context only.
    pub emphasis: bool,
}

impl Series {
    /// Panel and name: `read, RAID 10`.
    pub(super) fn full_name(&self) -> String {
        let parts = [self.facet.as_str(), self.name.as_str()];
        parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// What tells a series from all others; sorts in the order of panels, then colours.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesId {
    /// Panel.
    pub facet: Key,
    /// Colour.
    pub color: Key,
    /// Direction, where names carry it.
    pub fold: Option<Ddir>,
}

/// The numbers of a series.
#[derive(Debug, Clone)]
pub(super) enum Data {
    /// A value for each cell of a time grid.
    Trace(trace::Trace),
    /// A value for each run or group of repeats.
    Points(Vec<points::Point>),
    /// Counts of I/Os by time and latency.
    Heat(heat::Heat),
    /// The values of I/Os or windows.
    Distribution(distribution::Distribution),
    /// Windows side by side.
    Boxes(Vec<boxes::Spot>),
}

/// Builds the scene of a spec.
///
/// `capacity` is how many panels the picture holds.
pub(super) fn build(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    capacity: usize,
) -> Result<Scene, ChartError> {
    let mut scene = match (spec.mark, &spec.x) {
        (Mark::Line, XChannel::Time) if selection.channels.color == Some(Channel::Stat) => {
            percentiles::scene(selection, spec)?
        }
        (Mark::Line, XChannel::Time | XChannel::Amount) | (Mark::Area, XChannel::Time) => {
            trace::scene(selection, spec)?
        }
        (Mark::Cell, XChannel::Time) if spec.rows.is_none() => heat::scene(selection, spec)?,
        (Mark::Cell | Mark::Bar, XChannel::Dimension(dimension)) if spec.rows.is_some() => {
            let rows = cells::rows_of(spec).unwrap_or(dimension);
            cells::scene(selection, spec, (dimension, rows))?
        }
        (Mark::Line | Mark::Bar | Mark::Dot, XChannel::Dimension(dimension)) => {
            points::over_dimension(selection, spec, dimension)?
        }
        (Mark::Line | Mark::Dot, XChannel::Measure { metric, stat, over }) => {
            points::over_measure(selection, spec, Measure { metric: *metric, stat: *stat }, over)?
        }
        (Mark::Box, XChannel::Dimension(dimension)) => boxes::scene(selection, spec, Some(dimension))?,
        (Mark::Box, XChannel::Run) => boxes::scene(selection, spec, None)?,
        (mark, _) => match distribution::Form::of(spec) {
            Some(form) if form == distribution::Form::Bins || mark == Mark::Line => {
                distribution::scene(selection, spec, form)?
            }
            _ => {
                return Err(ChartError::Unsupported(
                    "bars need a dimension on the x axis, boxes a dimension or runs, cells a dimension on x and \
                     one as rows, or run time; run time, quantiles and cumulative shares need lines"
                        .to_owned(),
                ));
            }
        },
    };
    scene.arrange(selection, spec, capacity);
    // Median and tail of one run are no rivals that hide each other.
    let rivals = selection.channels.color != Some(Channel::Stat) && spec.mark == Mark::Line;
    scene.smoothed = rivals && spec.smooth_ms().is_none() && scene.is_tangled();
    Ok(scene)
}

impl Selection<'_> {
    /// A series without its numbers.
    pub(super) fn series(&self, id: SeriesId, data: Data) -> Series {
        let channels = &self.channels;
        // Directions keep their colours where they are panels, too.
        let slot = match (&channels.color, &id.facet) {
            (None, Key::Ddir(_)) => self.slot(None, &id.facet),
            _ => self.slot(channels.color.as_ref(), &id.color),
        };
        let own = match (&channels.color, &id.facet) {
            (None, facet) => self.own_ink(channels.facet.as_ref(), facet),
            (color, _) => self.own_ink(color.as_ref(), &id.color),
        };
        let name = self.name(channels.color.as_ref(), &id.color);
        let name = match id.fold {
            Some(ddir) => format!("{name} {ddir}"),
            None => name,
        };
        let facet = self.name(channels.facet.as_ref(), &id.facet);
        // Two directions of one colour differ in their dash.
        let shift = id.fold.map_or(0, |ddir| ddir as usize);
        Series {
            name,
            facet,
            ink: own.unwrap_or(ink(slot)),
            dash: dash(slot.map(|s| s + shift)),
            figure: None,
            settled: false,
            runs: Vec::new(),
            data,
            emphasis: true,
            id,
        }
    }
}

impl Scene {
    /// Distributes the series over panels; beyond the palette, over small multiples or a highlighted few.
    fn arrange(&mut self, selection: &Selection<'_>, spec: &ChartSpec, capacity: usize) {
        let count = self.color_count();
        let by_facet = selection.channels.facet.is_some();
        // A line alone needs nothing to tell it apart.
        if count < 2 {
            self.series.iter_mut().for_each(|series| series.dash.clear());
        }
        let filled = self.is_filled(spec);
        if self.grid.as_ref().is_some_and(|grid| !grid.is_matrix()) {
            // A heat map over time fills its panel.
            self.panels = (0..self.series.len())
                .map(|own| ScenePanel {
                    title: heat::panel_name(&self.series[own]),
                    shown: vec![own],
                    context: Vec::new(),
                })
                .collect();
        } else if self.grid.is_some() {
            self.panels = panels_by_facet(&self.series);
        } else if distribution::has_own_panels(self) && self.series.len() <= capacity {
            self.multiply(false);
        } else if count > super::select::SLOTS && !by_facet && (count <= capacity || filled) {
            self.multiply(!filled);
        } else {
            if count > super::select::SLOTS && !filled {
                self.highlight();
            }
            self.panels = panels_by_facet(&self.series);
        }
        if self.panels.len() > capacity {
            let left = self.panels.split_off(capacity.max(1));
            let titles: Vec<String> = left.into_iter().map(|p| p.title).collect();
            self.notes.push(format!(
                "{} panels have no room here and are in the table only: {}.",
                titles.len(),
                names::list(&titles, 6)
            ));
        }
    }

    /// What a series shows: the metric of its panel, where panels show a metric each.
    pub(super) fn measure_of(&self, series: &Series) -> Measure {
        match series.id.facet {
            Key::Metric(_, metric) => Measure::mean(metric),
            _ => self.y,
        }
    }

    /// How many series the colours must tell apart.
    pub(super) fn color_count(&self) -> usize {
        let mut ids: Vec<(&Key, Option<Ddir>)> =
            self.series.iter().map(|s| (&s.id.color, s.id.fold)).collect();
        ids.sort();
        ids.dedup();
        ids.len()
    }

    /// True when the lines of a panel, three or more, differ by less than each of them varies.
    fn is_tangled(&self) -> bool {
        let traces = |panel: &ScenePanel| -> Option<Vec<&trace::Trace>> {
            let trace = |&i: &usize| match &self.series.get(i)?.data {
                Data::Trace(trace) if trace.is_long() => Some(trace),
                _ => None,
            };
            panel.shown.iter().map(trace).collect()
        };
        self.panels.iter().filter_map(traces).filter(|traces| traces.len() >= 3).any(|traces| {
            let levels = || traces.iter().map(|t| t.level());
            let range = levels().fold(f64::NEG_INFINITY, f64::max) - levels().fold(f64::INFINITY, f64::min);
            range < traces.iter().map(|t| t.variation()).fold(f64::INFINITY, f64::min)
        })
    }

    /// One panel for each series, the others in grey behind it.
    fn multiply(&mut self, with_context: bool) {
        self.multiples = true;
        let all = 0..self.series.len();
        self.panels = all
            .clone()
            .map(|own| ScenePanel {
                title: self.series[own].full_name(),
                shown: vec![own],
                context: if with_context { all.clone().filter(|&i| i != own).collect() } else { Vec::new() },
            })
            .collect();
        for series in &mut self.series {
            series.dash.clear();
        }
    }

    /// Keeps the colours of the highest, the middle and the lowest series; the others turn grey.
    fn highlight(&mut self) {
        let mut ranks: Vec<(f64, SeriesId)> = Vec::new();
        // Of several metrics only levels of the first can be compared.
        let first: Vec<&Series> = self.series.iter().filter(|s| self.measure_of(s) == self.y).collect();
        let all: Vec<&Series> = self.series.iter().collect();
        for series in if first.is_empty() { all } else { first } {
            let level = series.figure.unwrap_or_else(|| series.data.level());
            match ranks.iter_mut().find(|(_, id)| id.color == series.id.color && id.fold == series.id.fold) {
                Some((highest, _)) => *highest = highest.max(level),
                None => ranks.push((level, series.id.clone())),
            }
        }
        ranks.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let last = ranks.len().saturating_sub(1);
        let kept: Vec<SeriesId> =
            [last, last / 2, 0].iter().filter_map(|&i| ranks.get(i)).map(|(_, id)| id.clone()).collect();
        for series in &mut self.series {
            let place = kept.iter().position(|id| id.color == series.id.color && id.fold == series.id.fold);
            series.emphasis = place.is_some();
        }
        self.part_colors(&kept);
        self.highlighted = Some(ranks.len());
        self.notes.push(format!(
            "{} series are more than colours can tell apart: the highest, the middle and the lowest are \
             in colour, all are in the table.",
            ranks.len()
        ));
    }

    /// Gives highlighted series colours that differ, where the palette has wrapped.
    fn part_colors(&mut self, kept: &[SeriesId]) {
        let mut taken: Vec<Ink> = Vec::new();
        for id in kept {
            let same = |s: &Series| s.id.color == id.color && s.id.fold == id.fold;
            let Some(own) = self.series.iter().find(|s| same(s)).map(|s| s.ink) else { continue };
            let free = (0..super::select::SLOTS).map(|s| (ink(Some(s)), Some(s)));
            let choice =
                if taken.contains(&own) { free.into_iter().find(|(i, _)| !taken.contains(i)) } else { None };
            if let Some((other, slot)) = choice {
                for series in self.series.iter_mut().filter(|s| same(s)) {
                    series.ink = other;
                    series.dash = dash(slot);
                }
                taken.push(other);
            } else {
                taken.push(own);
            }
        }
    }
}

/// From the fewest to the most: `3`, `1 to 3`.
pub(super) fn range((fewest, most): (usize, usize)) -> String {
    if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") }
}

/// A panel for each facet value; series without emphasis stand behind.
fn panels_by_facet(series: &[Series]) -> Vec<ScenePanel> {
    let mut panels: Vec<(&Key, ScenePanel)> = Vec::new();
    for (i, one) in series.iter().enumerate() {
        let at = panels.iter().position(|(facet, _)| **facet == one.id.facet).unwrap_or_else(|| {
            let panel = ScenePanel { title: one.facet.clone(), shown: Vec::new(), context: Vec::new() };
            panels.push((&one.id.facet, panel));
            panels.len() - 1
        });
        let panel = &mut panels[at].1;
        if one.emphasis { panel.shown.push(i) } else { panel.context.push(i) }
    }
    panels.sort_by(|a, b| a.0.cmp(b.0));
    panels.into_iter().map(|(_, panel)| panel).collect()
}

impl Data {
    /// The line over time; None where it is no line over time.
    pub(super) fn trace(&self) -> Option<&trace::Trace> {
        match self {
            Data::Trace(trace) => Some(trace),
            _ => None,
        }
    }

    /// A typical value, for ranking series.
    pub(super) fn level(&self) -> f64 {
        let values: Vec<f64> = match self {
            Data::Trace(trace) => return trace.level(),
            Data::Points(points) => points.iter().map(|p| p.y).collect(),
            Data::Heat(heat) => heat.total.quantile(0.5).into_iter().collect(),
            Data::Distribution(distribution) => distribution.level(0.5).into_iter().collect(),
            Data::Boxes(spots) => spots.iter().map(|s| s.spread.median).collect(),
        };
        if values.is_empty() { 0.0 } else { crate::analyze::repeat::mean(&values) }
    }

    /// The largest values that the y axis should cover, one for each cell, point or window.
    pub(super) fn tops(&self) -> Vec<f64> {
        match self {
            Data::Distribution(distribution) => distribution.points().into_iter().map(|(_, y)| y).collect(),
            Data::Boxes(spots) => spots.iter().flat_map(|s| s.values.iter().copied()).collect(),
            Data::Trace(trace) => trace.reach(),
            Data::Heat(heat) => heat.ends(),
            Data::Points(points) => points
                .iter()
                .flat_map(|p| p.repeats.iter().copied().chain([p.y]).chain(p.interval.map(|i| i.1)))
                .collect(),
        }
    }
}

impl Data {
    /// The x values of points.
    pub(super) fn xs(&self) -> Vec<f64> {
        match self {
            Data::Trace(_) | Data::Heat(_) => Vec::new(),
            Data::Boxes(spots) => spots.iter().flat_map(|s| s.values.iter().copied()).collect(),
            Data::Points(points) => {
                points.iter().flat_map(|p| p.repeat_xs.iter().copied().chain([p.x])).collect()
            }
            Data::Distribution(distribution) => distribution.points().into_iter().map(|(x, _)| x).collect(),
        }
    }

    /// The boxes of a series.
    pub(super) fn spots(&self) -> &[boxes::Spot] {
        match self {
            Data::Boxes(spots) => spots,
            _ => &[],
        }
    }
}

/// Values of an axis as categories: each value once, in natural order.
pub(super) fn distinct(values: impl Iterator<Item = Option<Value>>) -> Vec<Option<Value>> {
    let mut all: Vec<Option<Value>> = values.collect();
    all.sort();
    all.dedup();
    all
}
