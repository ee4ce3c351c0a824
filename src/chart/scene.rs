//! What a chart shows, before any axis exists: panels of series in base units.
//!
//! In: a selection. Out: a [`Scene`]. Repeats become means with their spread
//! here, and more series than the palette holds become small multiples or a
//! highlighted few.

use super::select::{Key, Selection, dash, ink};
use super::{ChartError, Ink, points, trace};
use crate::model::{Ddir, Measure, Value};
use crate::spec::{ChartSpec, Mark, XChannel};

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
    /// Sentences on what was pooled, cut or left out.
    pub notes: Vec<String>,
    /// Fewest and most runs behind one line, bar or point.
    pub repeats: (usize, usize),
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
            notes,
            repeats,
        }
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
#[derive(Debug, Clone)]
pub(super) enum SceneX {
    /// Run time from start to end, ms.
    Time(f64, f64),
    /// Numeric values of a dimension, ascending, with their spelling.
    Values(Vec<(f64, String)>),
    /// Values without a number, at 0, 1, 2, ...
    Categories(Vec<String>),
    /// Another figure.
    Measure(Measure),
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
        (Mark::Line | Mark::Area, XChannel::Time) => trace::scene(selection, spec)?,
        (Mark::Line | Mark::Bar | Mark::Dot, XChannel::Dimension(dimension)) => {
            points::over_dimension(selection, spec, dimension)?
        }
        (Mark::Line | Mark::Dot, XChannel::Measure { metric, stat, over }) => {
            points::over_measure(selection, spec, Measure { metric: *metric, stat: *stat }, over)?
        }
        _ => {
            return Err(ChartError::Unsupported(
                "bars need a dimension on the x axis, and run time needs lines".to_owned(),
            ));
        }
    };
    scene.arrange(selection, spec, capacity);
    scene.smoothed = spec.smooth_ms().is_none() && spec.mark == Mark::Line && scene.is_tangled();
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
        if count > super::select::SLOTS && !by_facet && (count <= capacity || spec.mark == Mark::Bar) {
            self.multiply(spec.mark != Mark::Bar);
        } else {
            if count > super::select::SLOTS && spec.mark != Mark::Bar {
                self.highlight();
            }
            self.panels = panels_by_facet(&self.series);
        }
        if self.panels.len() > capacity {
            let left = self.panels.split_off(capacity.max(1));
            let names: Vec<String> = left.into_iter().map(|p| p.title).collect();
            self.notes.push(format!(
                "{} panels have no room here and are in the table only: {}.",
                names.len(),
                super::names::list(&names, 6)
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
                title: self.series[own].name.clone(),
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
        for series in &self.series {
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
    /// A typical value, for ranking series.
    pub(super) fn level(&self) -> f64 {
        let values: Vec<f64> = match self {
            Data::Trace(trace) => return trace.level(),
            Data::Points(points) => points.iter().map(|p| p.y).collect(),
        };
        if values.is_empty() { 0.0 } else { crate::analyze::repeat::mean(&values) }
    }

    /// The largest values that the y axis should cover, one for each cell or point.
    pub(super) fn tops(&self) -> Vec<f64> {
        match self {
            Data::Trace(trace) => trace.tops().map(|(_, top)| top).collect(),
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
            Data::Trace(_) => Vec::new(),
            Data::Points(points) => {
                points.iter().flat_map(|p| p.repeat_xs.iter().copied().chain([p.x])).collect()
            }
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
