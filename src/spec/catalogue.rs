//! The built-in charts, and the choice of those that a campaign supports.
//!
//! In: a campaign. Out: specs, most telling first; comparisons, ids and names have files of their own.

mod choice;
mod compare;
mod distribution;
mod grid;
mod ids;
mod named;
mod over;
mod over_time;

pub(crate) use choice::{latency, rates};
pub(crate) use compare::GOOD_LATENCY;
pub use named::named;
pub(crate) use named::occurs;

use crate::model::text::short_slug;
use crate::model::{Campaign, Dimension, Measure, Metric, RunRecord, Stat, Value};
use crate::spec::{Channel, ChartSpec, Mark, Transform, XChannel};
use compare::{by_workload, compare};
use ids::tell_apart;
use std::collections::BTreeSet;

/// Most values that one time chart overlays.
const OVERLAID: usize = 7;
/// From this block size on, bandwidth is the figure that people look at.
const LARGE_BLOCK: f64 = 65_536.0;

/// An entry of the catalogue.
#[derive(Debug, Clone)]
pub struct Builtin {
    /// Name for `plotgen chart NAME`; capitals stand for a word of the user's.
    pub name: String,
    /// What it answers.
    pub answers: &'static str,
    /// What a campaign needs for it.
    pub needs: &'static str,
}

/// A run in the name of a chart: an id of at most 80 bytes has room for what the chart shows.
pub(crate) fn run_word(id: &str) -> String {
    short_slug(id, 48)
}

/// All built-in charts, by name.
#[must_use]
pub fn builtins() -> Vec<Builtin> {
    let entry = |name: &str, answers, needs| Builtin { name: name.to_owned(), answers, needs };
    let mut all = vec![
        entry(
            "METRIC-by-DIMENSION",
            "which level, size or system is best",
            "runs that differ in the dimension",
        ),
        entry(
            "METRIC-STAT-by-DIMENSION",
            "the same for another figure, such as clat-p99-by-raid",
            "runs that differ in the dimension",
        ),
        entry(
            "METRIC-by-DIMENSION-and-DIMENSION",
            "the same, grouped by a second dimension",
            "runs that differ in both dimensions",
        ),
        entry(
            "lat-iops-over-DIMENSION",
            "where the knee is: latency against IOPS, a point per load level",
            "a sweep of iodepth, numjobs or another load",
        ),
        entry(
            "METRIC-matrix-by-DIMENSION-and-DIMENSION",
            "two sweeps at a glance: the figure of each combination as number and colour",
            "runs over a grid of two dimensions, such as iodepth and numjobs",
        ),
        entry(
            "METRIC-bars3d-by-DIMENSION-and-DIMENSION",
            "the same as solid bars, for those who are used to them; the matrix reads better",
            "runs over a grid of two dimensions",
        ),
        entry("METRIC-time", "how it runs over time, whether it is erratic", "logs"),
        entry(
            "METRIC-time-by-DIMENSION",
            "compared runs over time",
            "logs of runs that differ in the dimension",
        ),
        entry("METRIC-steady", "whether a run has settled, by the rule of the SNIA PTS", "logs of one run"),
        entry("METRIC-change", "what changed since the baseline, worst first", "--baseline"),
        entry(
            "METRIC-heatmap",
            "modes and stalls: how many I/Os took how long, over time",
            "logs of single I/Os, or histogram logs",
        ),
        entry(
            "METRIC-percentiles-time",
            "whether the tail moves: median, p99, p99.9 and slowest I/O over time",
            "logs of single I/Os, or histogram logs",
        ),
        entry(
            "METRIC-amount",
            "after how much data a cache is full: a rate over the data moved so far",
            "bandwidth logs, or IOPS logs and one block size",
        ),
        entry(
            "METRIC-percentiles",
            "the tail: latency at each percentile, the nines spread out",
            "histograms, logs of single I/Os or reported percentiles",
        ),
        entry(
            "METRIC-percentiles-by-DIMENSION",
            "whose tail is longer",
            "the same of runs that differ in the dimension",
        ),
        entry(
            "METRIC-ecdf-by-DIMENSION",
            "which share of I/Os (or windows) is at or below a value",
            "histograms, logs, or reported percentiles",
        ),
        entry(
            "METRIC-exceedance-by-DIMENSION",
            "which share of I/Os (or windows) is above a value",
            "histograms, logs, or reported percentiles",
        ),
        entry(
            "METRIC-histogram-by-DIMENSION",
            "whether there are several modes: cache hits and misses",
            "histograms or logs",
        ),
        entry("METRIC-box", "how much single windows vary, a box for each run", "logs"),
        entry(
            "METRIC-box-by-DIMENSION",
            "how much single windows vary, a box for each value",
            "logs of runs that differ in the dimension",
        ),
        entry(
            "fsync-by-DIMENSION",
            "what durability costs: how long fsync and its kin take",
            "fio's output of runs with fsync or fdatasync that differ in the dimension",
        ),
        entry(
            "fsync-percentiles",
            "how long the slowest syncs take, which is what a database waits for",
            "fio's output of runs with fsync or fdatasync",
        ),
        entry("METRIC-jobs", "whether the jobs of a run are fair", "logs of a run with several jobs"),
    ];
    all.extend(over_time::ENTRIES.iter().map(|(name, answers, needs)| entry(name, *answers, *needs)));
    all
}

/// The charts that suit a campaign, most telling first: comparisons, then one pair for each run.
#[must_use]
pub fn suggest(campaign: &Campaign) -> Vec<ChartSpec> {
    let mut specs = changes(campaign);
    for contrast in &campaign.contrasts {
        for group in by_workload(campaign, contrast) {
            specs.extend(compare(campaign, contrast, &group));
        }
    }
    keep_telling(&mut specs);
    if specs.is_empty() {
        specs.extend(overlay(campaign));
    }
    for record in &campaign.runs {
        specs.extend(single(record, &format!("run-{}", run_word(&record.run.id))));
    }
    tell_apart(campaign, &mut specs);
    specs
}

/// Panels for the runs of a metric that has no direction, as the use of a device: one for each workload.
fn workloads(campaign: &Campaign, runs: &[usize], said: &[&Dimension]) -> Option<Channel> {
    let mut values: Vec<_> = runs.iter().map(|&r| campaign.runs[r].run.value(&Dimension::Rw)).collect();
    values.sort();
    values.dedup();
    (values.len() > 1 && !said.contains(&&Dimension::Rw)).then_some(Channel::Dimension(Dimension::Rw))
}

/// Of the charts of devices and processors, the first two for each: which of them is busy seldom depends on more.
fn keep_telling(specs: &mut Vec<ChartSpec>) {
    let mut kept: Vec<(Metric, XChannel)> = Vec::new();
    specs.retain(|spec| {
        if !matches!(spec.y.metric, Metric::Util | Metric::Cpu) {
            return true;
        }
        let same = kept.iter().filter(|(metric, _)| *metric == spec.y.metric).count();
        let new = same < 2 && !kept.contains(&(spec.y.metric, spec.x.clone()));
        if new {
            kept.push((spec.y.metric, spec.x.clone()));
        }
        new
    });
}

fn time(id: impl Into<String>, metric: Metric, color: Channel) -> ChartSpec {
    let mut spec = ChartSpec::new(id, Mark::Line, XChannel::Time, Measure::mean(metric));
    spec.facet = (color != Channel::Ddir).then_some(Channel::Ddir);
    spec.color = Some(color);
    spec
}

/// What changed since the baseline.
fn change(id: impl Into<String>, metric: Metric) -> ChartSpec {
    ChartSpec::new(id, Mark::Dot, XChannel::Change, Measure::mean(metric))
}

/// A chart for each metric that is tested against the baseline.
fn changes(campaign: &Campaign) -> Vec<ChartSpec> {
    let changes = campaign.baseline.iter().flat_map(|baseline| &baseline.changes);
    let tested: BTreeSet<Metric> = changes.filter(|c| c.verdict.is_some()).map(|c| c.metric).collect();
    tested.into_iter().map(|metric| change(format!("{metric}-change"), metric)).collect()
}

/// Five windows of one run.
fn steady(id: impl Into<String>, metric: Metric) -> ChartSpec {
    let mut spec = time(id, metric, Channel::Ddir);
    spec.transforms = vec![Transform::Rounds];
    spec
}

/// Bars over `by`; without a second dimension every bar has the colour of its own value.
fn bars(id: impl Into<String>, y: Measure, by: Dimension, second: Option<Dimension>) -> ChartSpec {
    let mut spec = ChartSpec::new(id, Mark::Bar, XChannel::Dimension(by.clone()), y);
    spec.color = Some(Channel::Dimension(second.unwrap_or(by)));
    spec
}

fn sweep(id: impl Into<String>, y: Measure, by: Dimension, second: Option<Dimension>) -> ChartSpec {
    let mut spec = ChartSpec::new(id, Mark::Line, XChannel::Dimension(by), y);
    spec.color = second.map(Channel::Dimension);
    spec
}

fn load_curve(id: impl Into<String>, over: Dimension, second: Option<Dimension>) -> ChartSpec {
    let x = XChannel::Measure { metric: Metric::Iops, stat: Stat::Mean, over };
    let mut spec = ChartSpec::new(id, Mark::Dot, x, Measure::mean(Metric::Lat));
    spec.color = second.map(Channel::Dimension);
    spec.facet = Some(Channel::Ddir);
    spec
}

/// Without any comparison: all runs over time, when they are few.
fn overlay(campaign: &Campaign) -> Vec<ChartSpec> {
    let logged: Vec<usize> =
        (0..campaign.runs.len()).filter(|&r| !campaign.runs[r].series.is_empty()).collect();
    let mut specs = distribution::of_runs(campaign);
    if logged.len() < 2 || logged.len() > OVERLAID {
        return specs;
    }
    let mut metrics = rates(campaign, &logged);
    metrics.push(Metric::Lat);
    let over_time = metrics
        .into_iter()
        .filter(|&m| logged.iter().any(|&r| campaign.runs[r].series.iter().any(|s| s.metric == m)))
        .map(|metric| time(format!("{metric}-time"), metric, Channel::Run));
    specs.splice(0..0, over_time);
    specs
}

/// The charts of one run: its rate and its latency over time, its tail, its jobs where there are several.
fn single(record: &RunRecord, prefix: &str) -> Vec<ChartSpec> {
    let has = |metric: Metric| record.series.iter().any(|s| s.metric == metric);
    let large =
        record.run.value(&Dimension::Bs).and_then(Value::number).is_some_and(|bytes| bytes >= LARGE_BLOCK);
    let order = if large { [Metric::Bw, Metric::Iops] } else { [Metric::Iops, Metric::Bw] };
    let rate = order.into_iter().find(|&m| has(m));
    let latency = [Metric::Lat, Metric::Clat, Metric::Slat].into_iter().find(|&m| has(m));
    let mut specs: Vec<ChartSpec> = rate
        .into_iter()
        .chain(latency)
        .map(|metric| time(format!("{prefix}-{metric}"), metric, Channel::Ddir))
        .collect();
    specs.extend(distribution::of_run(record, prefix));
    let several = |metric| record.series.iter().any(|s| s.metric == metric && s.job.is_some());
    if let Some(metric) = rate.filter(|&m| several(m)) {
        specs.push(time(format!("{prefix}-{metric}-jobs"), metric, Channel::Job));
    }
    // A run that has settled needs no picture of it; `METRIC-steady` draws one for any run.
    if let Some(metric) = rate.filter(|m| record.steady.iter().any(|s| s.metric == *m && !s.attained)) {
        specs.push(steady(format!("{prefix}-{metric}-steady"), metric));
    }
    specs.extend(over::telling(record, prefix));
    for spec in &mut specs {
        spec.filter.runs = vec![record.run.id.clone()];
    }
    specs
}
