//! The charts of distributions: tails, cumulative shares, histograms, and boxes of windows.
//!
//! In: runs and contrasts. Out: few specs, where the runs hold what they show: the tail of each run,
//! tails and windows of compared runs beside each other.

use super::compare::{Group, ddirs};
use super::{OVERLAID, bars, rates};
use crate::model::{Campaign, Contrast, Ddir, Dimension, Measure, Metric, RunRecord, Stat, Value};
use crate::spec::{Channel, ChartSpec, Mark, Transform, XChannel};
use std::collections::BTreeSet;

/// Most panels of a second dimension.
const PANELS: usize = 6;
/// Most boxes of one panel.
const BOXES: usize = 48;
/// Fewest windows of a run that a box is worth.
const WINDOWS: usize = 10;
/// Most runs that have a box each where nothing is compared.
const RUNS: usize = 24;

/// A way to show a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Percentiles,
    Ecdf,
    Exceedance,
    Histogram,
}

impl Kind {
    /// The kind that a chart's name asks for.
    pub(super) fn named(word: &str) -> Option<Kind> {
        match word {
            "percentiles" => Some(Kind::Percentiles),
            "ecdf" => Some(Kind::Ecdf),
            "exceedance" => Some(Kind::Exceedance),
            "histogram" => Some(Kind::Histogram),
            _ => None,
        }
    }

    /// A chart of this kind; directions have panels unless they are the colours.
    pub(super) fn spec(self, id: impl Into<String>, metric: Metric, color: Channel) -> ChartSpec {
        let (mark, x, transform) = match self {
            Kind::Percentiles => (Mark::Line, XChannel::Quantile, None),
            Kind::Ecdf => (Mark::Line, XChannel::Value, Some(Transform::Ecdf)),
            Kind::Exceedance => (Mark::Line, XChannel::Value, Some(Transform::Exceedance)),
            Kind::Histogram => (Mark::Bar, XChannel::Value, Some(Transform::Bin)),
        };
        let mut spec = ChartSpec::new(id, mark, x, Measure::mean(metric));
        spec.transforms.extend(transform);
        spec.color = Some(color);
        spec
    }
}

/// Boxes of windows over the values of a dimension, or one for each run.
pub(super) fn boxes(
    id: impl Into<String>,
    metric: Metric,
    by: Option<Dimension>,
    second: Option<Dimension>,
) -> ChartSpec {
    let x = by.clone().map_or(XChannel::Run, XChannel::Dimension);
    let mut spec = ChartSpec::new(id, Mark::Box, x, Measure::mean(metric));
    if by.is_none() {
        spec.color = Some(Channel::Ddir);
        return spec;
    }
    spec.color = second.or(by).map(Channel::Dimension);
    spec.facet = Some(Channel::Ddir);
    spec
}

/// The latency of whose I/Os most is known: histograms before reported percentiles, total before completion.
fn tail_metric(records: &[&RunRecord]) -> Option<Metric> {
    let known = |metric: Metric| {
        let counted = |r: &&&RunRecord| Ddir::ALL.iter().any(|&d| r.run.has_histogram(metric, d));
        let told =
            |r: &&&RunRecord| Ddir::ALL.iter().any(|&d| r.run.reported_percentiles(metric, d).is_some());
        (records.iter().filter(counted).count(), records.iter().filter(told).count())
    };
    let (lat, clat) = (known(Metric::Lat), known(Metric::Clat));
    match (lat, clat) {
        ((0, 0), (0, 0)) => None,
        _ if lat >= clat => Some(Metric::Lat),
        _ => Some(Metric::Clat),
    }
}

/// True when the latencies of the run's I/Os are known.
pub(super) fn has_tail(record: &RunRecord, metric: Metric) -> bool {
    let known = |&d: &Ddir| {
        record.run.has_histogram(metric, d) || record.run.reported_percentiles(metric, d).is_some()
    };
    Ddir::ALL.iter().any(known)
}

/// True when a box of the run's windows says something.
fn has_windows(record: &RunRecord, metric: Metric) -> bool {
    record.series.iter().any(|s| s.metric == metric && s.job.is_none() && s.values.len() >= WINDOWS)
}

/// The kinds of latency of whose tails runs tell: that of I/Os, and that of syncs where they are part of the workload.
fn tail_metrics(records: &[&RunRecord]) -> impl Iterator<Item = Metric> + use<> {
    let synced = records.iter().any(|record| tells(record, Metric::Fsync));
    tail_metric(records).into_iter().chain(synced.then_some(Metric::Fsync))
}

/// True when the tail of the run is known and worth a look.
fn tells(record: &RunRecord, metric: Metric) -> bool {
    has_tail(record, metric) && (metric != Metric::Fsync || record.is_synced())
}

/// The tails of one run, its directions as colours.
pub(super) fn of_run<'a>(record: &'a RunRecord, prefix: &'a str) -> impl Iterator<Item = ChartSpec> + 'a {
    tail_metrics(&[record]).map(move |metric| {
        Kind::Percentiles.spec(format!("{prefix}-{metric}-percentiles"), metric, Channel::Ddir)
    })
}

/// Tails and boxes of runs that nothing compares.
pub(super) fn of_runs(campaign: &Campaign) -> Vec<ChartSpec> {
    let records: Vec<&RunRecord> = campaign.runs.iter().collect();
    let mut specs = Vec::new();
    let count = |has: &dyn Fn(&RunRecord) -> bool| records.iter().filter(|r| has(r)).count();
    for metric in tail_metrics(&records) {
        if !(2..=OVERLAID).contains(&count(&|r| tells(r, metric))) {
            continue;
        }
        let mut spec = Kind::Percentiles.spec(format!("{metric}-percentiles"), metric, Channel::Run);
        spec.facet = metric.is_directed().then_some(Channel::Ddir);
        if metric == Metric::Fsync {
            spec.filter.runs = synced(&records);
        }
        specs.push(spec);
    }
    let all: Vec<usize> = (0..campaign.runs.len()).collect();
    let boxed = rates(campaign, &all).into_iter().next();
    specs.extend(
        boxed
            .filter(|&metric| (2..=RUNS).contains(&count(&|r| has_windows(r, metric))))
            .map(|metric| boxes(format!("{metric}-box"), metric, None, None)),
    );
    specs
}

/// Tails and windows of compared runs, and how erratic they are where a finding says that some are.
pub(super) fn of_contrast(
    campaign: &Campaign,
    contrast: &Contrast,
    group: &Group,
    tail: &str,
) -> Vec<ChartSpec> {
    let records: Vec<&RunRecord> = group.runs.iter().map(|&r| &campaign.runs[r]).collect();
    let mut specs: Vec<ChartSpec> =
        tail_metrics(&records).flat_map(|metric| tails(contrast, &records, metric, tail)).collect();
    let Some(metric) = rates(campaign, &group.runs).into_iter().next() else { return specs };
    let several = records.iter().flat_map(|r| ddirs(r)).collect::<BTreeSet<_>>().len() > 1;
    let ids: Vec<String> = records.iter().map(|r| r.run.id.clone()).collect();
    let mut push = |mut spec: ChartSpec| {
        spec.filter.runs.clone_from(&ids);
        spec.facet = several.then_some(Channel::Ddir);
        specs.push(spec);
    };
    let seconds = contrast.second.as_ref().map_or(1, |d| values(&records, d).len());
    let boxed = records.iter().copied().filter(|r| has_windows(r, metric)).collect::<Vec<_>>();
    let here = values(&boxed, &contrast.by).len();
    if here > 1 && here * seconds <= BOXES {
        let (by, second) = (Some(contrast.by.clone()), contrast.second.clone());
        push(boxes(format!("{metric}-box-by-{tail}"), metric, by, second));
    }
    let erratic = campaign.findings.iter().filter(|f| f.kind == "erratic").flat_map(|f| &f.runs);
    if erratic.filter(|run| group.runs.contains(run)).count() > 0 {
        let y = Measure { metric, stat: Stat::Cov };
        push(bars(format!("{metric}-cov-by-{tail}"), y, contrast.by.clone(), contrast.second.clone()));
    }
    specs
}

/// The values of a dimension among runs.
fn values<'r>(records: &[&'r RunRecord], dimension: &Dimension) -> BTreeSet<&'r Value> {
    records.iter().filter_map(|r| r.run.value(dimension)).collect()
}

/// The ids of the runs in which syncs are part of the workload.
fn synced(records: &[&RunRecord]) -> Vec<String> {
    records.iter().filter(|record| record.is_synced()).map(|record| record.run.id.clone()).collect()
}

/// One chart of tails; of two dimensions and several directions, one for each direction.
fn tails(contrast: &Contrast, records: &[&RunRecord], metric: Metric, tail: &str) -> Vec<ChartSpec> {
    let known: Vec<&RunRecord> = records.iter().copied().filter(|r| tells(r, metric)).collect();
    let panels = contrast.second.as_ref().map_or(1, |second| values(&known, second).len());
    if !(2..=OVERLAID).contains(&values(&known, &contrast.by).len()) || panels > PANELS {
        return Vec::new();
    }
    let mut spec = Kind::Percentiles.spec(
        format!("{metric}-percentiles-by-{tail}"),
        metric,
        Channel::Dimension(contrast.by.clone()),
    );
    spec.filter.runs = known.iter().map(|r| r.run.id.clone()).collect();
    let directions: Vec<Ddir> = Ddir::ALL
        .iter()
        .copied()
        .filter(|&d| {
            let has = |r: &&RunRecord| {
                r.run.has_histogram(metric, d) || r.run.reported_percentiles(metric, d).is_some()
            };
            known.iter().any(has)
        })
        .collect();
    match (&contrast.second, directions.len()) {
        (None, 0 | 1) => vec![spec],
        (None, _) => vec![ChartSpec { facet: Some(Channel::Ddir), ..spec }],
        (Some(second), 0 | 1) => {
            vec![ChartSpec { facet: Some(Channel::Dimension(second.clone())), ..spec }]
        }
        (Some(second), _) => directions
            .into_iter()
            .map(|ddir| {
                let mut one = spec.clone();
                one.id = format!("{}-{ddir}", spec.id);
                one.facet = Some(Channel::Dimension(second.clone()));
                one.filter.ddirs = vec![ddir];
                one
            })
            .collect(),
    }
}
