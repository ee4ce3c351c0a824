//! Charts as data.
//!
//! A [`ChartSpec`] says what to show; [`crate::chart::chart`] turns it and a
//! campaign into a [`crate::chart::Figure`]. A bandwidth chart and a latency
//! chart differ in their spec alone. New built-in charts are entries of
//! `catalogue`; users write the same vocabulary in plotgen.toml and in files of
//! their own ([`read_charts`], [`to_toml`]).

mod amount;
mod catalogue;
mod look;
mod written;

pub use catalogue::{Builtin, builtins, named, suggest};
pub(crate) use catalogue::{GOOD_LATENCY, GOOD_LATENCY_LABEL, latency, occurs, rates, run_word};
pub use look::{Font, Order, Rgb};
pub use written::{ChartFileError, read_charts, to_toml};
pub(crate) use written::{charts_of, explain, unknown_key};

use crate::model::unit::{BaseUnit, UnitSystem};
use crate::model::{Ddir, Dimension, Measure, Metric, RunRecord, Stat, TimeSpan, Value};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// What stands for a data point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Lines over a continuous x: time series, sweeps.
    Line,
    /// Bars over the values of a dimension; solid ones on a floor where [`ChartSpec::rows`] names a second.
    Bar,
    /// Points joined in order of the load level: latency against IOPS.
    Dot,
    /// Areas from zero, for series that lie on each other.
    Area,
    /// The spread of a run's windows: box from quartile to quartile, whiskers, what lies beyond.
    Box,
    /// Cells of a grid whose colour is the figure.
    Cell,
}

/// What the horizontal axis shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum XChannel {
    /// Run time.
    Time,
    /// The change of each configuration against the baseline, worst first.
    Change,
    /// Bytes that a run has moved so far in the direction shown: where a cache is full.
    Amount,
    /// Whole runs, by their label.
    Run,
    /// The values that `y.metric` takes: histograms, cumulative shares.
    Value,
    /// Quantiles on an axis of 1/(1 - p), so that each further nine takes the same room; the values stand on y.
    Quantile,
    /// The values of a dimension.
    Dimension(Dimension),
    /// Another figure of the same runs; points are joined and labelled along `over`.
    Measure {
        /// Metric on the axis.
        metric: Metric,
        /// Statistic on the axis.
        stat: Stat,
        /// The load level: the dimension whose values order and label the points.
        over: Dimension,
    },
}

impl XChannel {
    /// The dimension whose values the axis shows, or orders its points by.
    #[must_use]
    pub fn dimension(&self) -> Option<&Dimension> {
        match self {
            XChannel::Dimension(dimension) | XChannel::Measure { over: dimension, .. } => Some(dimension),
            _ => None,
        }
    }
}

/// What tells series (by colour) or panels (by facet) apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// The values of a dimension.
    Dimension(Dimension),
    /// Read, write, trim.
    Ddir,
    /// Single jobs of a run, beside their total.
    Job,
    /// Whole runs, by their label.
    Run,
    /// The statistics of [`ChartSpec::stats`]: median and tail of one run over time.
    Stat,
    /// The metrics of [`ChartSpec::metrics`], as panels above each other with an axis each.
    Metric,
}

/// How values map to length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ScaleKind {
    /// Chosen by mark and values: log2 for sweeps over sizes and depths that double, linear otherwise.
    #[default]
    Auto,
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for doublings.
    Log2,
    /// Equal steps for powers of ten.
    Log10,
}

/// What happens to the series before they are drawn, in order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Transform {
    /// Five equal windows of one run as steps, with what the SNIA PTS looks at in them: their
    /// mean, a band of 10 % around it and the least-squares line.
    Rounds,
    /// A moving mean over so much run time, centred; ms here, `"5s"` in files.
    Smooth(
        #[serde(with = "amount::millis")]
        #[cfg_attr(test, schemars(with = "amount::Amount"))]
        f64,
    ),
    /// The running total of a rate: bytes or I/Os since the start.
    Cumulate,
    /// Series of a panel on each other, so that the upper edge is their total.
    Stack,
    /// Shares of I/Os (or windows) in bins of their values.
    Bin,
    /// Share of I/Os (or windows) at or below a value.
    Ecdf,
    /// Share of I/Os (or windows) above a value.
    Exceedance,
}

/// A named line at a value of the y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Value in base units; files may give it a unit: `"20 ms"`.
    #[cfg_attr(test, schemars(with = "amount::Amount"))]
    pub value: f64,
    /// What it stands for: `20 ms rule of thumb`.
    pub label: String,
}

/// Which runs a chart shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// Accepted values of dimensions; a dimension that is not named is not looked at.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, amount::Words>"))]
    pub dimensions: BTreeMap<Dimension, Vec<Value>>,
    /// Accepted directions; empty accepts all.
    pub ddirs: Vec<Ddir>,
    /// Ids of accepted runs; empty accepts all.
    pub runs: Vec<String>,
}

impl Filter {
    /// True when the run passes.
    #[must_use]
    pub fn accepts(&self, record: &RunRecord) -> bool {
        (self.runs.is_empty() || self.runs.contains(&record.run.id)) && self.accepts_values(record)
    }

    fn accepts_values(&self, record: &RunRecord) -> bool {
        self.dimensions.iter().all(|(dimension, accepted)| {
            record.run.value(dimension).is_some_and(|value| accepted.contains(value))
        })
    }

    /// Indices of the runs that pass, in their order.
    #[must_use]
    pub fn choose(&self, runs: &[RunRecord]) -> Vec<usize> {
        /// So many names are compared sooner than hashed.
        const FEW: usize = 8;
        if self.runs.len() <= FEW {
            return (0..runs.len()).filter(|&at| self.accepts(&runs[at])).collect();
        }
        let named: HashSet<&str> = self.runs.iter().map(String::as_str).collect();
        let passes =
            |record: &RunRecord| named.contains(record.run.id.as_str()) && self.accepts_values(record);
        (0..runs.len()).filter(|&at| passes(&runs[at])).collect()
    }

    /// [`Filter::choose`] where the places of the runs are known by their ids: a filter of a few runs looks at no others.
    #[must_use]
    pub fn choose_named(&self, runs: &[RunRecord], places: &Places<'_>) -> Vec<usize> {
        if self.runs.is_empty() {
            return self.choose(runs);
        }
        let named = self.runs.iter().flat_map(|id| places.of(id));
        let passes = |at: &usize| runs.get(*at).is_some_and(|record| self.accepts_values(record));
        let mut chosen: Vec<usize> = named.filter(passes).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// True when the direction passes.
    #[must_use]
    pub fn accepts_ddir(&self, ddir: Ddir) -> bool {
        self.ddirs.is_empty() || self.ddirs.contains(&ddir)
    }
}

/// Where runs stand in their campaign, by their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places<'a>(Vec<(&'a str, usize)>);

impl<'a> Places<'a> {
    /// The places of these runs.
    #[must_use]
    pub fn new(runs: &'a [RunRecord]) -> Self {
        let mut places: Vec<(&str, usize)> =
            runs.iter().map(|record| record.run.id.as_str()).zip(0..).collect();
        places.sort_unstable();
        Places(places)
    }

    /// The places of the runs of an id.
    fn of<'p>(&'p self, id: &'p str) -> impl Iterator<Item = usize> + 'p {
        let first = self.0.partition_point(|(name, _)| *name < id);
        self.0[first..].iter().take_while(move |(name, _)| *name == id).map(|(_, at)| *at)
    }
}

/// Picture size in pixels at 1x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Size {
    /// The size of a chart in a report or a post.
    pub const FULL: Size = Size { width: 1200.0, height: 675.0 };
    /// The size of a card in the gallery.
    pub const THUMB: Size = Size { width: 560.0, height: 350.0 };
}

impl Default for Size {
    fn default() -> Self {
        Size::FULL
    }
}

/// A chart, as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChartSpec {
    /// Slug that names files; stable between campaigns.
    pub id: String,
    /// Title; computed from what is compared when None.
    #[serde(default)]
    pub title: Option<String>,
    /// Line under the title; measure, unit and workload facts when None.
    #[serde(default)]
    pub subtitle: Option<String>,
    /// What tells it from charts of the same kind, as prose: `level-sweep`; ends a computed title.
    #[serde(default)]
    pub about: Option<String>,
    /// What stands in the footer for the source; tools, runs and date when None.
    #[serde(default)]
    pub source: Option<String>,
    /// What stands for a data point.
    pub mark: Mark,
    /// Horizontal axis.
    pub x: XChannel,
    /// Vertical axis.
    pub y: Measure,
    /// The metrics that [`Channel::Metric`] tells apart, from top to bottom.
    #[serde(default)]
    pub metrics: Vec<Metric>,
    /// What tells series apart.
    #[serde(default)]
    pub color: Option<Channel>,
    /// What tells panels apart.
    #[serde(default)]
    pub facet: Option<Channel>,
    /// Which runs and directions.
    #[serde(default)]
    pub filter: Filter,
    /// Adds the rates of all directions up: instead of them, or beside them where a channel is `ddir`.
    #[serde(default)]
    pub total: bool,
    /// Order of the values of dimensions.
    #[serde(default)]
    pub order: Order,
    /// Names for values: `{ "10" = "mirror" }`, or `{ "raid=10" = "mirror" }` where several dimensions have the value.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Colours for values, spelled as in `labels`: `{ "10" = "#0072b2" }`.
    #[serde(default)]
    pub colors: BTreeMap<String, Rgb>,
    /// Scale of the x axis.
    #[serde(default)]
    pub x_scale: ScaleKind,
    /// Scale of the y axis.
    #[serde(default)]
    pub y_scale: ScaleKind,
    /// First value of the x axis, in base units; run time has `from` instead.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<amount::Amount>"))]
    pub x_min: Option<f64>,
    /// Last value of the x axis; run time has `to` instead.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<amount::Amount>"))]
    pub x_max: Option<f64>,
    /// First value of the y axis, in base units; files may give it a unit: `"1 ms"`.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<amount::Amount>"))]
    pub y_min: Option<f64>,
    /// Last value of the y axis; what lies above it is marked and counted.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<amount::Amount>"))]
    pub y_max: Option<f64>,
    /// Named lines across the plot.
    #[serde(default)]
    pub references: Vec<Reference>,
    /// Picture size.
    #[serde(default)]
    pub size: Size,
    /// Enlargement of PNGs; `--scale` wins.
    #[serde(default)]
    pub scale: Option<f64>,
    /// Size and family of texts.
    #[serde(default)]
    pub font: Font,
    /// Prefixes for bandwidth.
    #[serde(default)]
    pub units: UnitSystem,
    /// Run time at which what is shown starts: ms here, `"10s"` in files, where a number alone is seconds.
    #[serde(default, rename = "from", with = "amount::millis_or_none")]
    #[cfg_attr(test, schemars(with = "Option<amount::Amount>"))]
    pub from_ms: Option<f64>,
    /// Run time at which it ends.
    #[serde(default, rename = "to", with = "amount::millis_or_none")]
    #[cfg_attr(test, schemars(with = "Option<amount::Amount>"))]
    pub to_ms: Option<f64>,
    /// Run time that is cut off as warm-up.
    #[serde(default, rename = "skip", with = "amount::millis_or_none")]
    #[cfg_attr(test, schemars(with = "Option<amount::Amount>"))]
    pub skip_ms: Option<f64>,
    /// What happens to the series before they are drawn, in order.
    #[serde(default)]
    pub transforms: Vec<Transform>,
    /// For cells, or solid bars, over two dimensions the one whose values are the rows; cells without it have the
    /// values of `y.metric` as rows.
    #[serde(default)]
    pub rows: Option<Dimension>,
    /// The statistics that [`Channel::Stat`] tells apart.
    #[serde(default)]
    pub stats: Vec<Stat>,
}

impl ChartSpec {
    /// A chart of `y` over `x` with `mark`; everything else at its default.
    pub fn new(id: impl Into<String>, mark: Mark, x: XChannel, y: Measure) -> Self {
        ChartSpec {
            id: id.into(),
            title: None,
            subtitle: None,
            about: None,
            source: None,
            mark,
            x,
            y,
            metrics: Vec::new(),
            color: None,
            facet: None,
            filter: Filter::default(),
            total: false,
            order: Order::default(),
            labels: BTreeMap::new(),
            colors: BTreeMap::new(),
            x_scale: ScaleKind::Auto,
            y_scale: ScaleKind::Auto,
            x_min: None,
            x_max: None,
            y_min: None,
            y_max: None,
            references: Vec::new(),
            size: Size::FULL,
            scale: None,
            font: Font::default(),
            units: UnitSystem::default(),
            from_ms: None,
            to_ms: None,
            skip_ms: None,
            transforms: Vec::new(),
            rows: None,
            stats: Vec::new(),
        }
    }

    /// True when the series go through `transform`.
    #[must_use]
    pub fn has(&self, transform: Transform) -> bool {
        self.transforms.contains(&transform)
    }

    /// Run time that the chart is limited to, ms: from the later of its start and the end of the warm-up.
    #[must_use]
    pub fn span_ms(&self) -> (Option<f64>, Option<f64>) {
        let from = match (self.from_ms, self.skip_ms) {
            (Some(from), Some(skip)) => Some(from.max(skip)),
            (from, skip) => from.or(skip),
        };
        (from, self.to_ms)
    }

    /// The chart limited to what lies in `part` as well.
    #[must_use]
    pub fn within(mut self, part: TimeSpan) -> ChartSpec {
        let TimeSpan { from_ms: from, to_ms: to } = part;
        if from > 0.0 && self.span_ms().0.is_none_or(|own| own < from) {
            (self.from_ms, self.skip_ms) = (Some(from), None);
        }
        self.to_ms = [self.to_ms, to].into_iter().flatten().reduce(f64::min);
        self
    }

    /// The window of a moving mean, ms.
    #[must_use]
    pub fn smooth_ms(&self) -> Option<f64> {
        self.transforms.iter().find_map(|transform| match transform {
            Transform::Smooth(ms) => Some(*ms),
            _ => None,
        })
    }

    /// The unit of `measure` after the transforms: the running total of a rate is an amount.
    #[must_use]
    pub fn unit(&self, measure: Measure) -> BaseUnit {
        match measure.unit() {
            BaseUnit::BytesPerSecond if self.has(Transform::Cumulate) => BaseUnit::Bytes,
            BaseUnit::PerSecond if self.has(Transform::Cumulate) => BaseUnit::Count,
            unit => unit,
        }
    }

    /// True when panels above each other show a metric each.
    #[must_use]
    pub fn by_metric(&self) -> bool {
        self.facet == Some(Channel::Metric)
    }

    /// The dimensions that the chart shows or filters by.
    pub fn dimensions(&self) -> impl Iterator<Item = &Dimension> {
        let channels = [&self.color, &self.facet].into_iter().filter_map(|channel| match channel {
            Some(Channel::Dimension(dimension)) => Some(dimension),
            _ => None,
        });
        self.x.dimension().into_iter().chain(&self.rows).chain(channels).chain(self.filter.dimensions.keys())
    }

    /// The same chart in another size.
    #[must_use]
    pub fn sized(&self, size: Size) -> Self {
        ChartSpec { size, ..self.clone() }
    }
}
