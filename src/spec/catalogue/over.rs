//! Charts of single runs that need more than a line over time.
//!
//! In: a run. Out: the heat map of its latencies, its percentiles over time, its rate over the data
//! moved; each only where it tells something that the plain lines hide.

use super::{Stat, time};
use crate::model::{Ddir, Histogram, Measure, Metric, RunRecord};
use crate::spec::{Channel, ChartSpec, Mark, ScaleKind, XChannel};

/// From this ratio of the 99.9th percentile to the median, or of the median to the 5th on, a mean hides a tail or a
/// second mode.
const APART: f64 = 10.0;
/// Fewest I/Os that tell of a tail: ten are expected beyond the 99th percentile.
const ENOUGH: u64 = 1000;
/// From this ratio of its highest to its lowest quarter on, the 99th percentile moves during a run.
const MOVING_TAIL: f64 = 2.0;
/// A last phase below this share of the first tells of a cache that was full.
const SLOWER: f64 = 0.8;

/// How many I/Os took how long, over run time.
pub(super) fn heatmap(id: impl Into<String>, metric: Metric) -> ChartSpec {
    ChartSpec::new(id, Mark::Cell, XChannel::Time, Measure::mean(metric))
}

/// Median and tail over run time.
pub(super) fn percentiles(id: impl Into<String>, metric: Metric) -> ChartSpec {
    let mut spec = time(id, metric, Channel::Stat);
    spec.facet = None;
    spec.y_scale = ScaleKind::Log10;
    spec.stats = vec![Stat::P50, Stat::P99, Stat::P999, Stat::Max];
    spec
}

/// A metric over the data moved so far.
pub(super) fn amount(id: impl Into<String>, metric: Metric, color: Channel) -> ChartSpec {
    let mut spec = time(id, metric, color);
    spec.x = XChannel::Amount;
    spec
}

/// Those of a run that tell something.
pub(super) fn telling(record: &RunRecord, prefix: &str) -> Vec<ChartSpec> {
    let mut specs = Vec::new();
    let of_ios = [Metric::Lat, Metric::Clat]
        .into_iter()
        .find(|&m| Ddir::ALL.iter().any(|&d| record.run.has_timed_histogram(m, d)));
    if let Some(metric) = of_ios {
        if Ddir::ALL.iter().any(|&ddir| has_modes(record, metric, ddir)) {
            specs.push(heatmap(format!("{prefix}-{metric}-heatmap"), metric));
        }
        if Ddir::ALL.iter().any(|&ddir| has_moving_tail(record, metric, ddir)) {
            specs.push(percentiles(format!("{prefix}-{metric}-percentiles-time"), metric));
        }
    }
    let slows = |metric: Metric| {
        let ends =
            record.phases_of(metric, Ddir::Write).and_then(|p| p.segments.first().zip(p.segments.last()));
        ends.is_some_and(|(first, last)| last.level < SLOWER * first.level)
    };
    if record.total_series(Metric::Bw, Ddir::Write).is_some() && slows(Metric::Bw) {
        let mut spec = amount(format!("{prefix}-bw-amount"), Metric::Bw, Channel::Ddir);
        spec.filter.ddirs = vec![Ddir::Write];
        specs.push(spec);
    }
    specs
}

fn has_modes(record: &RunRecord, metric: Metric, ddir: Ddir) -> bool {
    let Some(total) = record.run.timed_histogram(metric, ddir).map(|timed| timed.total()) else {
        return false;
    };
    let ends = [0.05, 0.5, 0.999].map(|q| total.quantile(q).unwrap_or(0.0).max(1.0));
    total.count() >= ENOUGH && (ends[1] > APART * ends[0] || ends[2] > APART * ends[1])
}

fn has_moving_tail(record: &RunRecord, metric: Metric, ddir: Ddir) -> bool {
    let Some(timed) = record.run.timed_histogram(metric, ddir) else { return false };
    let quarter = timed.cells().len().div_ceil(4).max(1);
    let tails: Vec<f64> = timed
        .cells()
        .chunks(quarter)
        .filter_map(|cells| {
            let mut all = Histogram::default();
            cells.iter().for_each(|cell| all.merge(cell));
            // As a statistic is supported: ten I/Os beyond it.
            (all.count() >= ENOUGH).then(|| all.quantile(0.99)).flatten()
        })
        .collect();
    let ends = tails.iter().fold((f64::INFINITY, 0.0f64), |e, v| (e.0.min(*v), e.1.max(*v)));
    ends.0 > 0.0 && ends.1 > MOVING_TAIL * ends.0
}
