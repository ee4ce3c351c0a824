//! Charts as data.
//!
//! A [`ChartSpec`] says what to show; [`crate::chart::chart`] turns it and a
//! campaign into a [`crate::chart::Figure`]. A bandwidth chart and a latency
//! chart differ in their spec alone. New built-in charts are entries of
//! `catalogue`; users write the same vocabulary in plotgen.toml.

mod catalogue;

pub use catalogue::{Builtin, builtins, named, suggest};
pub(crate) use catalogue::{GOOD_LATENCY, has_tail, latency, occurs, rates};

use crate::model::unit::UnitSystem;
use crate::model::{Ddir, Dimension, Measure, Metric, RunRecord, Stat, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What stands for a data point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[serde(rename_all = "lowercase")]
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
}

/// How values map to length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[serde(rename_all = "lowercase")]
pub enum Transform {
    /// Five equal windows of one run as steps, with what the SNIA PTS looks at in them: their
    /// mean, a band of 10 % around it and the least-squares line.
    Rounds,
    /// A moving mean over so many ms of run time, centred.
    Smooth(f64),
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
pub struct Reference {
    /// Value in base units.
    pub value: f64,
    /// What it stands for: `20 ms rule of thumb`.
    pub label: String,
}

/// Which runs a chart shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Accepted values of dimensions; a dimension that is not named is not looked at.
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
        let run = &record.run;
        (self.runs.is_empty() || self.runs.contains(&run.id))
            && self.dimensions.iter().all(|(dimension, accepted)| {
                run.value(dimension).is_some_and(|value| accepted.contains(value))
            })
    }

    /// True when the direction passes.
    #[must_use]
    pub fn accepts_ddir(&self, ddir: Ddir) -> bool {
        self.ddirs.is_empty() || self.ddirs.contains(&ddir)
    }
}

/// Picture size in pixels at 1x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// What stands for a data point.
    pub mark: Mark,
    /// Horizontal axis.
    pub x: XChannel,
    /// Vertical axis.
    pub y: Measure,
    /// What tells series apart.
    #[serde(default)]
    pub color: Option<Channel>,
    /// What tells panels apart.
    #[serde(default)]
    pub facet: Option<Channel>,
    /// Which runs and directions.
    #[serde(default)]
    pub filter: Filter,
    /// Scale of the x axis.
    #[serde(default)]
    pub x_scale: ScaleKind,
    /// Scale of the y axis.
    #[serde(default)]
    pub y_scale: ScaleKind,
    /// Named lines across the plot.
    #[serde(default)]
    pub references: Vec<Reference>,
    /// Picture size.
    #[serde(default)]
    pub size: Size,
    /// Prefixes for bandwidth.
    #[serde(default)]
    pub units: UnitSystem,
    /// Run time at which a time chart starts and ends, ms.
    #[serde(default)]
    pub span_ms: (Option<f64>, Option<f64>),
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
            mark,
            x,
            y,
            color: None,
            facet: None,
            filter: Filter::default(),
            x_scale: ScaleKind::Auto,
            y_scale: ScaleKind::Auto,
            references: Vec::new(),
            size: Size::FULL,
            units: UnitSystem::default(),
            span_ms: (None, None),
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
