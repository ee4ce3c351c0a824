//! One benchmark execution and what its files said about it.

use crate::model::{
    Ddir, Dimension, DimensionEntry, Histogram, Metric, Origin, Series, SeriesKind, TimedHistogram,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One benchmark execution.
///
/// A run is identified by its full set of sources, never by its label: two
/// folders with equal names inside stay two runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Unique and stable: the run's path below the inputs' common root.
    pub id: String,
    /// What people call it: its job name or file stem.
    pub label: String,
    /// The tool that ran.
    pub tool: Tool,
    /// The files that it was read from, in path order.
    pub sources: Vec<Source>,
    /// Properties by which it may differ from other runs.
    pub dimensions: BTreeMap<Dimension, DimensionEntry>,
    /// Effective options of its first job (global options under job options).
    pub options: BTreeMap<String, String>,
    /// What else is known: host, timestamp, disks, kernel.
    pub environment: BTreeMap<String, String>,
    /// Concurrent jobs, in the order of their log numbers.
    pub jobs: Vec<Job>,
    /// Log series, by job.
    pub series: Vec<Series>,
    /// The tool's own figures, by job.
    pub summaries: Vec<Summary>,
}

/// A benchmark tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tool {
    /// `fio`, `rbench`.
    pub name: String,
    /// Its version as it names it, `3.33`.
    pub version: Option<String>,
}

impl std::fmt::Display for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{} {version}", self.name),
            None => f.pad(&self.name),
        }
    }
}

/// A file that a run was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Path relative to the inputs' common root, `/` between parts.
    pub path: String,
    /// SHA-256 of the bytes, hexadecimal.
    pub sha256: String,
    /// Format name.
    pub format: String,
    /// Rows or documents read.
    pub rows: u64,
    /// Rows dropped.
    pub skipped: u64,
}

/// One job of a run, or a group of clones that the tool reported as one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Name as the tool reports it.
    pub name: String,
    /// Host that ran it, for client/server runs.
    pub host: Option<String>,
    /// Clones behind this entry (`group_reporting` makes one of many); 1 otherwise.
    pub clones: u32,
    /// Error number that the tool reported; 0 is none.
    pub error: i64,
    /// Run time per direction, ms, as reported.
    pub runtime_ms: BTreeMap<Ddir, f64>,
    /// Bytes moved per direction, as reported.
    pub bytes: BTreeMap<Ddir, u64>,
    /// I/Os per direction, as reported.
    pub ios: BTreeMap<Ddir, u64>,
    /// Effective options of this job.
    pub options: BTreeMap<String, String>,
}

/// A tool's own figures for one metric, direction and job.
///
/// What the tool did not say is None, never 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// What is measured.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// Index into the run's jobs; None for a figure of the run as a whole.
    pub job: Option<usize>,
    /// Where the figures come from.
    pub origin: Origin,
    /// Samples or I/Os behind the figures.
    pub count: Option<u64>,
    /// Smallest, in the metric's base unit.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation.
    pub stddev: Option<f64>,
    /// (quantile in 0..1, value), ascending.
    pub percentiles: Vec<(f64, f64)>,
    /// Counts by bucket, where the tool gave them.
    pub histogram: Option<Histogram>,
}

impl Summary {
    /// A summary without figures.
    #[must_use]
    pub fn new(metric: Metric, ddir: Ddir, job: Option<usize>) -> Self {
        Summary {
            metric,
            ddir,
            job,
            origin: Origin::Reported,
            count: None,
            min: None,
            max: None,
            mean: None,
            stddev: None,
            percentiles: Vec::new(),
            histogram: None,
        }
    }
}

impl Run {
    /// The canonical value of a dimension, where the run has one.
    #[must_use]
    pub fn value(&self, dimension: &Dimension) -> Option<&crate::model::Value> {
        self.dimensions.get(dimension).map(|entry| &entry.value)
    }

    /// True when each row of its latency logs is the largest of a window and not the mean (fio HOWTO, `log_max_value` and
    /// `log_window_value=max`, with `log_avg_msec`).
    #[must_use]
    pub fn logs_largest(&self) -> bool {
        self.jobs.iter().any(|job| {
            let is = |option: &str, of: &[&str]| {
                job.options.get(option).is_some_and(|value| of.contains(&value.as_str()))
            };
            is("log_max_value", &["1", "true"]) || is("log_window_value", &["max"])
        })
    }

    /// How often each latency occurred by the tool's own count, all jobs together; None unless every summary
    /// of the metric has a histogram.
    #[must_use]
    pub fn reported_histogram(&self, metric: Metric, ddir: Ddir) -> Option<Histogram> {
        let mut found = self.summaries.iter().filter(|s| s.metric == metric && s.ddir == ddir);
        let mut merged = found.next()?.histogram.clone()?;
        for summary in found {
            merged.merge(summary.histogram.as_ref()?);
        }
        (!merged.is_empty()).then_some(merged)
    }

    /// True when [`Run::histogram`] has values, without making it.
    #[must_use]
    pub fn has_histogram(&self, metric: Metric, ddir: Ddir) -> bool {
        let mut own = self.summaries.iter().filter(|s| s.metric == metric && s.ddir == ddir).peekable();
        let counted = |s: &Summary| s.histogram.is_some();
        let filled = |s: &&Summary| s.histogram.as_ref().is_some_and(|h| !h.is_empty());
        let reported = own.peek().is_some() && own.clone().all(counted) && own.any(|s| filled(&s));
        reported
            || self.series.iter().filter(|s| s.metric == metric && s.ddir == ddir).any(|s| match &s.kind {
                SeriesKind::Cells(grid) => !grid.timed.is_empty(),
                SeriesKind::Counts(timed) => !timed.is_empty(),
                SeriesKind::Windowed { .. } => false,
            })
    }

    /// How often each latency occurred, all jobs together: by the tool's own count, else from rows of single
    /// I/Os, else from histogram logs.
    #[must_use]
    pub fn histogram(&self, metric: Metric, ddir: Ddir) -> Option<Histogram> {
        self.reported_histogram(metric, ddir)
            .or_else(|| self.timed_histogram(metric, ddir).map(|timed| timed.total()))
            .filter(|histogram| !histogram.is_empty())
    }

    /// The percentiles that the tool reported, `(quantile in 0..1, value)`, where one summary stands for all
    /// jobs: those of several cannot be put together. At least two, in ascending order.
    #[must_use]
    pub fn reported_percentiles(&self, metric: Metric, ddir: Ddir) -> Option<&[(f64, f64)]> {
        let mut found = self.summaries.iter().filter(|s| s.metric == metric && s.ddir == ddir);
        let only = found.next().filter(|_| found.next().is_none())?;
        (only.percentiles.len() > 1).then_some(only.percentiles.as_slice())
    }

    /// How often each latency occurred over run time, all jobs together: from rows of single I/Os,
    /// else from histogram logs. None where there is neither.
    #[must_use]
    pub fn timed_histogram(&self, metric: Metric, ddir: Ddir) -> Option<TimedHistogram> {
        let of = |pick: fn(&SeriesKind) -> Option<&TimedHistogram>| {
            let mut parts = self
                .series
                .iter()
                .filter(|s| s.metric == metric && s.ddir == ddir)
                .filter_map(|s| pick(&s.kind))
                .filter(|timed| !timed.is_empty());
            let mut merged = parts.next()?.clone();
            parts.for_each(|timed| merged.merge(timed));
            Some(merged)
        };
        let of_ios = of(|kind| match kind {
            SeriesKind::Cells(grid) => Some(&grid.timed),
            SeriesKind::Windowed { .. } | SeriesKind::Counts(_) => None,
        });
        of_ios.or_else(|| {
            of(|kind| match kind {
                SeriesKind::Counts(timed) => Some(timed),
                SeriesKind::Windowed { .. } | SeriesKind::Cells(_) => None,
            })
        })
    }

    /// True when [`Run::timed_histogram`] has something to give.
    #[must_use]
    pub fn has_timed_histogram(&self, metric: Metric, ddir: Ddir) -> bool {
        self.series.iter().filter(|s| s.metric == metric && s.ddir == ddir).any(|s| match &s.kind {
            SeriesKind::Cells(grid) => !grid.timed.is_empty(),
            SeriesKind::Counts(timed) => !timed.is_empty(),
            SeriesKind::Windowed { .. } => false,
        })
    }

    /// True when any job reported an error.
    #[must_use]
    pub fn has_error(&self) -> bool {
        self.jobs.iter().any(|job| job.error != 0)
    }
}
