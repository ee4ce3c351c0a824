//! The charts that compare runs.
//!
//! In: a contrast. Out: bars or a sweep for each figure that tells, the load curve, and the runs over time.

use super::{OVERLAID, bars, distribution, grid, latency, load_curve, rates, sweep, time, workloads};
use crate::model::{Campaign, Contrast, Ddir, Dimension, Measure, Metric, RunRecord, Stat, Value};
use crate::spec::{Channel, ChartSpec, Filter, Reference};
use std::collections::{BTreeMap, BTreeSet};

/// Most time charts of one comparison, one for each value of its second dimension.
const TIME_CHARTS: usize = 3;
/// The rule of thumb for good latency of a hard disk array, ns.
pub(crate) const GOOD_LATENCY: f64 = 20e6;

/// What its line is called.
pub(crate) const GOOD_LATENCY_LABEL: &str = "20 ms rule of thumb";
/// What etcd asks of the p99 of its log's syncs, ns (its FAQ, on `wal_fsync_duration_seconds`).
const GOOD_SYNC: f64 = 10e6;

/// From this share of its time on, a device or a processor may be what holds a run back.
const BUSY: f64 = 0.8;
/// Below this share of the busiest, it does not.
const SPARE: f64 = 0.75;

/// Runs of a contrast that stand in one chart.
pub(super) struct Group {
    pub(super) runs: Vec<usize>,
    /// Told in the id where there are several groups.
    workload: Option<String>,
}

/// One group when each workload has a direction of its own (randread, randwrite: two panels), else one for each workload.
pub(super) fn by_workload(campaign: &Campaign, contrast: &Contrast) -> Vec<Group> {
    // What is compared stands side by side in one chart, and tells no charts apart.
    let told = [Dimension::Rw, Dimension::Other("rwmixread".into())].map(|dimension| {
        (contrast.by != dimension && contrast.second.as_ref() != Some(&dimension), dimension)
    });
    let mut workloads: BTreeMap<[Option<Value>; 2], Vec<usize>> = BTreeMap::new();
    for &index in &contrast.runs {
        let run = &campaign.runs[index].run;
        let values = told.each_ref().map(|(tells, d)| if *tells { run.value(d).cloned() } else { None });
        workloads.entry(values).or_default().push(index);
    }
    let ddirs_of =
        |runs: &[usize]| -> BTreeSet<Ddir> { runs.iter().flat_map(|&r| ddirs(&campaign.runs[r])).collect() };
    let all: usize = workloads.values().map(|runs| ddirs_of(runs).len()).sum();
    let distinct = ddirs_of(&contrast.runs).len();
    if workloads.len() < 2 || all == distinct {
        return vec![Group { runs: contrast.runs.clone(), workload: None }];
    }
    workloads
        .into_iter()
        .map(|(values, runs)| {
            let words: Vec<String> = values.into_iter().flatten().map(|v| v.as_str().to_owned()).collect();
            Group { runs, workload: (!words.is_empty()).then(|| words.join("-")) }
        })
        .collect()
}

pub(super) fn ddirs(record: &RunRecord) -> BTreeSet<Ddir> {
    [Metric::Iops, Metric::Bw, Metric::Lat, Metric::Clat].into_iter().flat_map(|m| record.ddirs(m)).collect()
}

/// The charts of one group of comparable runs.
pub(super) fn compare(campaign: &Campaign, contrast: &Contrast, group: &Group) -> Vec<ChartSpec> {
    let Contrast { by, second, .. } = contrast;
    let records: Vec<&RunRecord> = group.runs.iter().map(|&r| &campaign.runs[r]).collect();
    let filter =
        Filter { runs: records.iter().map(|r| r.run.id.clone()).collect::<Vec<_>>(), ..Filter::default() };
    let several = records.iter().flat_map(|r| ddirs(r)).collect::<BTreeSet<_>>().len() > 1;
    let facet = several.then_some(Channel::Ddir);
    let is_sweep = campaign.is_sweep(by, &group.runs);
    let tail = match (second, &group.workload) {
        (Some(second), Some(workload)) => format!("{by}-and-{second}-{workload}"),
        (Some(second), None) => format!("{by}-and-{second}"),
        (None, Some(workload)) => format!("{by}-{workload}"),
        (None, None) => by.to_string(),
    };
    let finish = |mut spec: ChartSpec| {
        spec.filter = filter.clone();
        spec.facet.clone_from(&facet);
        spec
    };
    let mut specs = Vec::new();
    let mut measures: Vec<Measure> = rates(campaign, &group.runs).into_iter().map(Measure::mean).collect();
    measures.extend(latency(campaign, &group.runs, Stat::Mean).map(Measure::mean));
    measures
        .extend(latency(campaign, &group.runs, Stat::P99).map(|metric| Measure { metric, stat: Stat::P99 }));
    for y in measures {
        let id = id(y, &tail);
        let mut spec = if is_sweep {
            sweep(id, y, by.clone(), second.clone())
        } else {
            bars(id, y, by.clone(), second.clone())
        };
        if y.metric.is_latency() && y.stat == Stat::Mean {
            spec.references.extend(nearby(&records, y, GOOD_LATENCY, GOOD_LATENCY_LABEL));
        }
        specs.push(finish(spec));
    }
    specs.extend(syncs(campaign, contrast, group, &tail));
    if is_sweep && matches!(by, Dimension::Iodepth | Dimension::Numjobs) {
        specs.push(finish(load_curve(format!("lat-iops-over-{tail}"), by.clone(), second.clone())));
    }
    if let Some(pair) = grid::sweeps(campaign, contrast)
        && let Some(&metric) = rates(campaign, &group.runs).first()
    {
        let end = group.workload.as_ref().map(|workload| format!("-{workload}")).unwrap_or_default();
        specs.push(finish(grid::grid(grid::Kind::Matrix, Measure::mean(metric), pair, &end)));
    }
    let busy = bottlenecks(campaign, &group.runs).into_iter().map(Measure::mean);
    specs.extend(busy.map(|y| without_direction(campaign, contrast, &group.runs, y, &tail)));
    specs.extend(over_time(campaign, contrast, group, &tail).into_iter().map(|mut spec| {
        spec.facet.clone_from(&facet);
        spec
    }));
    specs.extend(distribution::of_contrast(campaign, contrast, group, &tail));
    specs
}

/// A figure that has no direction, as the use of a device: bars or a sweep with a panel for each workload.
fn without_direction(
    campaign: &Campaign,
    contrast: &Contrast,
    runs: &[usize],
    y: Measure,
    tail: &str,
) -> ChartSpec {
    let Contrast { by, second, .. } = contrast;
    let id = id(y, tail);
    let mut spec = if campaign.is_sweep(by, runs) {
        sweep(id, y, by.clone(), second.clone())
    } else {
        bars(id, y, by.clone(), second.clone())
    };
    spec.filter.runs = runs.iter().map(|&r| campaign.runs[r].run.id.clone()).collect();
    let said: Vec<&Dimension> = std::iter::once(by).chain(second).collect();
    spec.facet = workloads(campaign, runs, &said);
    spec
}

/// `lat-by-raid`, `lat-p99-by-raid`.
fn id(y: Measure, tail: &str) -> String {
    match y.stat {
        Stat::Mean => format!("{}-by-{tail}", y.metric),
        stat => format!("{}-{stat}-by-{tail}", y.metric),
    }
}

/// Mean and p99 of the latency of syncs, where they are part of what is compared.
fn syncs(campaign: &Campaign, contrast: &Contrast, group: &Group, tail: &str) -> Vec<ChartSpec> {
    let runs: Vec<usize> = group.runs.iter().copied().filter(|&r| campaign.runs[r].is_synced()).collect();
    let measures = [Stat::Mean, Stat::P99].map(|stat| Measure { metric: Metric::Fsync, stat });
    let known = |y: &Measure| {
        let has = |r: &&usize| campaign.runs[**r].statistic(*y, Ddir::Mixed).is_some_and(|s| s.supported);
        let values = runs.iter().filter(has).filter_map(|&r| campaign.runs[r].run.value(&contrast.by));
        values.collect::<BTreeSet<_>>().len() > 1
    };
    let specs = measures.into_iter().filter(known).map(|y| {
        let mut spec = without_direction(campaign, contrast, &runs, y, tail);
        if y.stat == Stat::P99 {
            let records: Vec<&RunRecord> = runs.iter().map(|&r| &campaign.runs[r]).collect();
            spec.references.extend(nearby(&records, y, GOOD_SYNC, "10 ms, as etcd asks"));
        }
        spec
    });
    specs.collect()
}

/// Device and processor, where one of them is a bottleneck of some runs and not of others.
fn bottlenecks(campaign: &Campaign, runs: &[usize]) -> Vec<Metric> {
    let telling = |metric: &Metric| {
        let shares: Vec<f64> = runs
            .iter()
            .filter_map(|&r| campaign.runs[r].statistic(Measure::mean(*metric), Ddir::Mixed))
            .map(|s| s.value)
            .filter(|v| v.is_finite())
            .collect();
        let ends = shares.iter().fold((f64::INFINITY, 0.0f64), |e, v| (e.0.min(*v), e.1.max(*v)));
        shares.len() > 1 && ends.1 >= BUSY && ends.0 <= SPARE * ends.1
    };
    [Metric::Util, Metric::Cpu].into_iter().filter(telling).collect()
}

/// The line of a rule of thumb, where the figures are in its neighbourhood.
fn nearby(records: &[&RunRecord], y: Measure, limit: f64, label: &str) -> Option<Reference> {
    let largest = records
        .iter()
        .flat_map(|r| r.statistics.iter())
        .filter(|s| s.metric == y.metric && s.stat == y.stat)
        .map(|s| s.value)
        .reduce(f64::max)?;
    (largest > limit * 0.5 && largest < limit * 20.0)
        .then(|| Reference { value: limit, label: label.to_owned() })
}

/// Compared runs over time: one chart for each value of the second dimension.
fn over_time(campaign: &Campaign, contrast: &Contrast, group: &Group, tail: &str) -> Vec<ChartSpec> {
    let mut by_second: BTreeMap<Option<Value>, Vec<usize>> = BTreeMap::new();
    for &index in &group.runs {
        let value = contrast.second.as_ref().and_then(|d| campaign.runs[index].run.value(d)).cloned();
        by_second.entry(value).or_default().push(index);
    }
    let mut specs = Vec::new();
    if by_second.len() > TIME_CHARTS {
        return specs;
    }
    for (second, runs) in by_second {
        let values: BTreeSet<&Value> =
            runs.iter().filter_map(|&r| campaign.runs[r].run.value(&contrast.by)).collect();
        if values.len() < 2 || values.len() > OVERLAID {
            continue;
        }
        let logged = |metric: Metric| {
            let has = |r: &&usize| campaign.runs[**r].series.iter().any(|s| s.metric == metric);
            runs.iter().filter(has).count() > 1
        };
        let mut metrics: Vec<Metric> = rates(campaign, &runs).into_iter().filter(|&m| logged(m)).collect();
        metrics.extend([Metric::Lat, Metric::Clat].into_iter().find(|&m| logged(m)));
        for metric in metrics {
            let end = second.as_ref().map_or(String::new(), |v| format!("-{v}"));
            let mut spec = time(
                format!("{metric}-time-by-{tail}{end}"),
                metric,
                Channel::Dimension(contrast.by.clone()),
            );
            spec.filter.runs = runs.iter().map(|&r| campaign.runs[r].run.id.clone()).collect();
            specs.push(spec);
        }
    }
    specs
}
