//! All inputs of a report, with the figures that the analysis made of them.

use crate::model::{
    Baseline, Ddir, Diagnostic, Dimension, FileReport, Measure, Metric, Origin, Run, Severity, Stat, Value,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// All runs of a report and what was computed from them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Campaign {
    /// Title of the report.
    pub title: String,
    /// What the user says about the measurements; blank lines part its paragraphs.
    pub description: Option<String>,
    /// The runs, ordered by their dimensions, then by id.
    pub runs: Vec<RunRecord>,
    /// Dimensions that occur, in table order.
    pub dimensions: Vec<Dimension>,
    /// Every value of every dimension that occurs, in natural order; the place of a
    /// value here decides its colour, the same in all charts.
    pub values: BTreeMap<Dimension, Vec<Value>>,
    /// Remarks, files first, then runs.
    pub diagnostics: Vec<Diagnostic>,
    /// What became of every input file.
    pub files: Vec<FileReport>,
    /// Runs that have exactly the figures of an earlier one, each with that one: a copy counts as no repeat.
    #[serde(skip)]
    pub copies: BTreeMap<usize, usize>,
    /// Which runs may be compared by what, most telling first.
    pub contrasts: Vec<Contrast>,
    /// The figures of the contrasts.
    pub comparisons: Vec<Comparison>,
    /// Relative difference that matters in practice, by the metrics of the comparisons.
    pub thresholds: BTreeMap<Metric, f64>,
    /// Sentences with their numbers, most telling first.
    pub findings: Vec<Finding>,
    /// Results of the methodology audit.
    pub checks: Vec<Check>,
    /// Measured against the RAID model.
    pub model: Vec<ModelPoint>,
    /// Steady state over repeats, where a configuration has at least five.
    pub rounds: Vec<Rounds>,
    /// The part of the runs that the figures are of, where not of whole runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<TimeSpan>,
    /// What changed against the baseline, where one was given.
    pub baseline: Option<Baseline>,
    /// The baseline's runs, so that a chart of a part of the runs cuts both sides; empty where the baseline
    /// is an earlier report, which holds figures of whole runs alone.
    #[serde(skip)]
    pub base_runs: Vec<Arc<RunRecord>>,
}

/// A part of run time; shows itself as `10 s to 20 s`, `10 s to the end`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TimeSpan {
    /// Where it starts, ms.
    pub from_ms: f64,
    /// Where it ends, ms; None where it goes on to the end of the runs.
    pub to_ms: Option<f64>,
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s to ", self.from_ms / 1e3)?;
        match self.to_ms {
            Some(to) => write!(f, "{} s", to / 1e3),
            None => f.write_str("the end"),
        }
    }
}

/// Runs that may be compared fairly: one dimension varies, at most a second and the workload beside it, all else is held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contrast {
    /// The dimension that varies.
    pub by: Dimension,
    /// A second dimension with several values, each of which allows the comparison.
    pub second: Option<Dimension>,
    /// Values that all runs of the contrast share.
    pub held: BTreeMap<Dimension, Value>,
    /// Indices into the campaign's runs, in their order.
    pub runs: Vec<usize>,
}

/// One dimension varied, all others held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What is compared.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// The dimension that varies.
    pub by: Dimension,
    /// The dimensions that all runs of the comparison share.
    pub held: BTreeMap<Dimension, Value>,
    /// One cell for each value of `by`, in natural order of the values.
    pub cells: Vec<Cell>,
    /// Verdicts on pairs of cells.
    pub pairs: Vec<Pair>,
}

/// Two cells of a comparison against each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Value of the first cell.
    pub a: Value,
    /// Value of the second cell.
    pub b: Value,
    /// Mean of `a` over mean of `b` (geometric where both have repeats); None where one moved nothing in any repeat.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the ratio's 95 % interval.
    pub high: Option<f64>,
    /// Holm-adjusted p of the test against the practical threshold.
    pub p_adjusted: Option<f64>,
    /// What the statistics carry.
    pub verdict: Verdict,
}

/// What a comparison of two cells says about the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Better by more than the threshold.
    Better,
    /// Worse by more than the threshold.
    Worse,
    /// The 90 % interval of the ratio lies inside the threshold.
    NoDifference,
    /// The data does not decide.
    Inconclusive,
}

/// A sentence for the reader, with the numbers that it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which rule made it: `winner`, `no-difference`, `erratic`, `knee`, `limit`.
    pub kind: String,
    /// The sentence.
    pub text: String,
    /// Indices of the runs concerned.
    pub runs: Vec<usize>,
    /// The numbers, in base units.
    pub values: BTreeMap<String, f64>,
}

/// One result of the methodology audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Stable name of the check.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// Indices of the runs concerned.
    pub runs: Vec<usize>,
    /// What was seen, as name and text.
    pub evidence: BTreeMap<String, String>,
    /// What to do.
    pub advice: String,
}

/// A run against the RAID model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelPoint {
    /// Index of the run.
    pub run: usize,
    /// Direction.
    pub ddir: Ddir,
    /// IOPS of the saturated array.
    pub expected: f64,
    /// IOPS that the queue depth allows, for reads.
    pub shallow: Option<f64>,
    /// Measured IOPS.
    pub measured: f64,
    /// `measured / expected`.
    pub efficiency: f64,
    /// Drives of the array.
    pub drives: u32,
    /// Small random I/Os per second of one drive.
    pub drive_iops: f64,
    /// Index of the single-disk run that `drive_iops` was measured in; None where the user said it.
    pub drive_run: Option<usize>,
}

/// I/Os in flight by Little's law, beside those that were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LittlesLaw {
    /// I/Os that all jobs together keep in flight by their options; 1 a job for a synchronous engine.
    pub configured: f64,
    /// Sum over directions of I/Os per second times mean total latency.
    pub measured: f64,
}

/// A run with its computed figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The run as read.
    pub run: Run,
    /// Series over run time: totals of all jobs first, then single jobs when there are several.
    pub series: Vec<TimeSeries>,
    /// Figures of the run, all jobs combined, one for each metric, direction, statistic and origin.
    pub statistics: Vec<Statistic>,
    /// I/Os in flight, for closed loops of which IOPS and total latency are known.
    pub little: Option<LittlesLaw>,
    /// Whether its series are steady over five windows, for rates and latencies of all jobs combined.
    pub steady: Vec<SteadyState>,
    /// Series whose level changes during the run, cut where it does; empty for a run of one level.
    pub phases: Vec<Phases>,
}

/// The SNIA PTS rule of steady state over five rounds, or over five windows of one run in its style.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SteadyState {
    /// What is measured.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// Mean of each round, in the metric's base unit.
    pub rounds: [f64; 5],
    /// Mean of the rounds.
    pub mean: f64,
    /// Largest less smallest round, as a share of the mean; at most 0.20 in steady state.
    pub range_share: f64,
    /// What the least-squares line moves by from the first round to the last, as a share of the mean,
    /// without its sign; at most 0.10 in steady state.
    pub slope_share: f64,
    /// True when both rules hold.
    pub attained: bool,
    /// Run time that the five windows of a run cover, ms; None where rounds are runs.
    pub span_ms: Option<(f64, f64)>,
}

/// Repeats of one configuration as rounds of the SNIA PTS.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    /// Indices of the five runs, in the order in which they ran.
    pub runs: Vec<usize>,
    /// The rule on their figures.
    pub state: SteadyState,
}

/// A series whose level changes during the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// What is measured.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// At least two phases, in order of time, without gaps between.
    pub segments: Vec<Phase>,
    /// The phase that stands for the run once it has settled: the last one. None where an earlier
    /// phase had the same level, so that the run was disturbed or goes up and down.
    pub steady: Option<usize>,
}

/// A part of a run with one level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Run time at its start, ms.
    pub start_ms: f64,
    /// Run time at its end, ms.
    pub end_ms: f64,
    /// Mean over the phase in the metric's base unit; latency weighted by completions.
    pub mean: f64,
    /// What the phase is at, in the same unit: the mean, but where a stall or a burst of a few windows sets the mean of a
    /// rate, their median. Not in `report.json`, whose schema is published.
    #[serde(skip)]
    pub level: f64,
    /// Windows of the series in it.
    pub windows: usize,
}

/// A series on a regular time grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeSeries {
    /// What is measured.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// Index into the run's jobs; None for all jobs combined.
    pub job: Option<usize>,
    /// Run time at the start of the first cell, ms.
    pub start_ms: f64,
    /// Width of a cell, ms.
    pub cell_ms: f64,
    /// Value of each cell in base units. None: no I/O ended there (latency only;
    /// an idle cell of a rate is 0).
    pub values: Vec<Option<f64>>,
    /// Smallest and largest single value in each cell, where single I/Os are known.
    pub extremes: Option<Vec<Option<(f64, f64)>>>,
}

/// One figure of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// What is measured.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// Which figure.
    pub stat: Stat,
    /// The value in the measure's base unit.
    pub value: f64,
    /// Where it was computed from.
    pub origin: Origin,
    /// Samples or I/Os behind it; None when the tool did not say.
    pub n: Option<u64>,
    /// False for a percentile with fewer than 10 samples beyond it.
    pub supported: bool,
}

/// Runs that are equal in the dimensions of a comparison, and the mean of their figures.
///
/// The unit of replication is the run: `n` counts runs, never samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Value of each compared dimension, None where a run has none.
    pub key: Vec<Option<Value>>,
    /// Direction.
    pub ddir: Ddir,
    /// Indices into the campaign's runs, in their order.
    pub runs: Vec<usize>,
    /// The figure of each run, in the order of `runs`.
    pub values: Vec<f64>,
    /// Mean of `values`. For a percentile, which must not be averaged: the percentile of all runs' I/Os
    /// together where every run has a histogram of them, else that of the run in the middle, of two the higher.
    pub mean: f64,
    /// 95 % confidence interval of the mean from n >= 3 runs, Student's t; None for percentiles.
    pub interval: Option<(f64, f64)>,
    /// True where `mean` is the percentile of one of several runs, as they have no histograms to put together.
    #[serde(skip)]
    pub apart: bool,
}

/// Fewest syncs that are part of a workload: their median has ten beyond it.
const SYNCS: u64 = 20;

impl RunRecord {
    /// True when syncs are part of the run's workload and their latency may stand beside that of its I/Os.
    ///
    /// One or two come of the end of a run (fio's `end_fsync`, `fsync_on_close`), and find little to write.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        let of = |stat| self.statistic(Measure { metric: Metric::Fsync, stat }, Ddir::Mixed);
        let Some(mean) = of(Stat::Mean) else { return false };
        // Where a tool does not count them, a single one shows by its lack of spread.
        mean.n.map_or_else(|| of(Stat::Stddev).is_none_or(|s| s.value > 0.0), |n| n >= SYNCS)
    }

    /// The figure that bars and tables show: the tool's own where it has one, else the log's.
    #[must_use]
    pub fn statistic(&self, measure: Measure, ddir: Ddir) -> Option<&Statistic> {
        self.statistic_from(measure, ddir, Origin::Reported)
            .or_else(|| self.statistic_from(measure, ddir, Origin::Log))
    }

    /// The percentiles on too few samples, but for those of syncs that are no part of the workload.
    pub fn unsupported(&self) -> impl Iterator<Item = &Statistic> {
        let synced = self.is_synced();
        self.statistics.iter().filter(move |s| !s.supported && (synced || s.metric != Metric::Fsync))
    }

    /// The figure of one origin.
    #[must_use]
    pub fn statistic_from(&self, measure: Measure, ddir: Ddir, origin: Origin) -> Option<&Statistic> {
        self.statistics.iter().find(|s| {
            s.metric == measure.metric && s.stat == measure.stat && s.ddir == ddir && s.origin == origin
        })
    }

    /// The directions in which the run has a figure for `metric`, in order.
    #[must_use]
    pub fn ddirs(&self, metric: Metric) -> Vec<Ddir> {
        Ddir::ALL
            .iter()
            .copied()
            .filter(|&ddir| {
                self.statistics.iter().any(|s| s.metric == metric && s.ddir == ddir)
                    || self.series.iter().any(|s| s.metric == metric && s.ddir == ddir)
            })
            .collect()
    }

    /// The phases of a series whose level changes during the run.
    #[must_use]
    pub fn phases_of(&self, metric: Metric, ddir: Ddir) -> Option<&Phases> {
        self.phases.iter().find(|p| p.metric == metric && p.ddir == ddir)
    }

    /// The steady state of a series.
    #[must_use]
    pub fn steady_state(&self, metric: Metric, ddir: Ddir) -> Option<&SteadyState> {
        self.steady.iter().find(|s| s.metric == metric && s.ddir == ddir)
    }

    /// Run time at which its series begin, ms: above 0 for a part of a run.
    #[must_use]
    pub fn start_ms(&self) -> f64 {
        self.series.iter().map(|s| s.start_ms).reduce(f64::min).unwrap_or(0.0)
    }

    /// The series of all jobs combined.
    #[must_use]
    pub fn total_series(&self, metric: Metric, ddir: Ddir) -> Option<&TimeSeries> {
        self.series.iter().find(|s| s.job.is_none() && s.metric == metric && s.ddir == ddir)
    }
}

impl TimeSeries {
    /// Run time at the middle of cell `index`, ms.
    #[must_use]
    pub fn middle_ms(&self, index: usize) -> f64 {
        self.start_ms + (index as f64 + 0.5) * self.cell_ms
    }
}

impl Campaign {
    /// Dimensions with at least two values among the runs.
    #[must_use]
    pub fn varying(&self) -> Vec<Dimension> {
        self.dimensions.iter().filter(|d| self.values.get(d).is_some_and(|v| v.len() > 1)).cloned().collect()
    }

    /// True when `by` is numeric with at least three values among the runs at these indices.
    ///
    /// Numbers that are names (RAID levels, folders) make no sweep.
    #[must_use]
    pub fn is_sweep(&self, by: &Dimension, runs: &[usize]) -> bool {
        if matches!(by, Dimension::Raid | Dimension::Direct) || by.is_path() {
            return false;
        }
        let values: BTreeSet<&Value> = runs.iter().filter_map(|&r| self.runs[r].run.value(by)).collect();
        values.len() >= 3 && values.iter().all(|value| value.number().is_some_and(|n| n > 0.0))
    }
}
