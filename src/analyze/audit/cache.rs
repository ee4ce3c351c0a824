//! Signs that a cache answered instead of the disks.
//!
//! One sign has other explanations, so that a suspicion takes two, or a certain one.

use super::system::Disk;
use super::{Audit, Hit, bandwidth, iops, share, time};
use crate::analyze::facts;
use crate::analyze::repeat::mean_interval;
use crate::model::unit::{significant, size_phrase};
use crate::model::{Ddir, Dimension, Measure, Metric, RunRecord, Stat};
use std::collections::BTreeSet;

/// Above a limit by more than this share counts.
const ABOVE: f64 = 1.05;
/// Median completion latency that no seek allows, ns.
const NO_SEEK: f64 = 0.2e6;
/// Random reads a second, one at a time, that no hard disk does: 3.3 ms each.
const NO_HDD: f64 = 300.0;
/// A rate that falls to less than this share of what it was has collapsed.
const FALL: f64 = 0.5;

/// A rate that falls for good after a first phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Collapse {
    /// Run time at which it leaves its first level, ms.
    pub at_ms: f64,
    /// Run time from which on it is at its last one; later where there are levels between.
    pub settled_ms: f64,
    /// Level of the rate before, base units.
    pub before: f64,
    /// Level of the rate after.
    pub after: f64,
}

/// Runs with two signs, or a certain one.
pub(super) fn suspected(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let said = audit.campaign.diagnostics.iter().filter(|remark| tells_of_invalidation(&remark.message));
    let said: BTreeSet<&str> = said.map(|remark| remark.path.as_str()).collect();
    for (index, record) in audit.records() {
        let mut signs = Vec::new();
        let certain = through_memory(audit, record, &mut signs);
        signs
            .extend(collapses(record).map(|(ddir, metric, collapse)| fallen(ddir, metric, collapse)).take(1));
        signs.extend(above_device(audit, index, record));
        signs.extend(above_expectation(audit, index).map(|(text, _)| text));
        signs.extend(no_hard_disk(audit, record));
        signs.extend(not_invalidated(record, &said));
        if certain || signs.len() > 1 {
            hits.push(audit.hit(index, signs.join("; "), signs.len() as f64));
        }
    }
    hits
}

/// Runs above the RAID model, which alone says nothing about a cache.
pub(super) fn above_model(audit: &Audit<'_>) -> Vec<Hit> {
    let each = audit.records().filter_map(|(index, _)| {
        let (text, reached) = above_expectation(audit, index)?;
        Some(audit.hit(index, text, reached))
    });
    each.collect()
}

/// I/O through the page cache; true when the whole file fits into memory, which is certain.
fn through_memory(audit: &Audit<'_>, record: &RunRecord, signs: &mut Vec<String>) -> bool {
    if facts::direct(&record.run) != Some(false) {
        return false;
    }
    let sizes = (facts::file_size(&record.run), audit.system(&record.run).ram);
    match sizes {
        (Some(file), Some(ram)) if file <= ram => {
            let (file, ram) = (size_phrase(file as u64), size_phrase(ram as u64));
            signs.push(format!("direct=0 with {file} to read or write and {ram} of memory"));
            true
        }
        _ => {
            signs.push("direct=0".to_owned());
            false
        }
    }
}

fn fallen(ddir: Ddir, metric: Metric, collapse: Collapse) -> String {
    let text = |value| if metric == Metric::Bw { bandwidth(value) } else { iops(value) };
    let (before, after) = (text(collapse.before), text(collapse.after));
    let at = significant(collapse.at_ms / 1e3, 2);
    if collapse.settled_ms > collapse.at_ms {
        let settled = significant(collapse.settled_ms / 1e3, 3);
        return format!(
            "the {ddir} rate falls from {before} after {at} s and is at {after} from {settled} s on"
        );
    }
    format!("the {ddir} rate falls from {before} to {after} after {at} s")
}

/// The collapse of each direction.
fn collapses(record: &RunRecord) -> impl Iterator<Item = (Ddir, Metric, Collapse)> + '_ {
    Ddir::ALL.iter().filter_map(|&ddir| {
        let metric =
            if record.total_series(Metric::Iops, ddir).is_some() { Metric::Iops } else { Metric::Bw };
        Some((ddir, metric, collapse(record, ddir)?))
    })
}

/// Where the rate of a direction falls to less than half of its first level for good.
pub(super) fn collapse(record: &RunRecord, ddir: Ddir) -> Option<Collapse> {
    let phases = [Metric::Iops, Metric::Bw].into_iter().find_map(|metric| record.phases_of(metric, ddir))?;
    let (first, settled) = (phases.segments.first()?, phases.segments.get(phases.steady?)?);
    (settled.level < FALL * first.level).then_some(Collapse {
        at_ms: first.end_ms,
        settled_ms: settled.start_ms,
        before: first.level,
        after: settled.level,
    })
}

/// The lowest figure that the repeats of a run allow: the lower end of their interval, or the smallest.
fn at_least(audit: &Audit<'_>, run: usize, figure: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let group = audit.repeats_of(run)?;
    let values: Vec<f64> = group.iter().filter_map(|&run| figure(run)).collect();
    let smallest = values.iter().copied().reduce(f64::min)?;
    Some(mean_interval(&values, 0.95).map_or(smallest, |(low, _)| low))
}

/// A rate above what the device is said to do.
fn above_device(audit: &Audit<'_>, index: usize, record: &RunRecord) -> Option<String> {
    let system = audit.system(&record.run);
    let limits = [(Metric::Iops, system.device_iops), (Metric::Bw, system.device_bw)];
    limits.into_iter().find_map(|(metric, limit)| {
        let limit = limit?;
        let all = |run: usize| {
            let record = audit.record(run)?;
            let figures = Ddir::ALL.iter().filter_map(|&d| record.statistic(Measure::mean(metric), d));
            Some(figures.map(|s| s.value).sum::<f64>())
        };
        let reached = at_least(audit, index, all)?;
        let text = |value| if metric == Metric::Bw { bandwidth(value) } else { iops(value) };
        (reached > ABOVE * limit).then(|| format!("{} of a device that does {}", text(reached), text(limit)))
    })
}

/// IOPS above the RAID model, with the share reached.
fn above_expectation(audit: &Audit<'_>, index: usize) -> Option<(String, f64)> {
    let point = audit.points_of(index).next()?;
    let efficiency = |run: usize| audit.points_of(run).find(|p| p.ddir == point.ddir).map(|p| p.efficiency);
    let reached = at_least(audit, index, efficiency)?;
    (reached > ABOVE).then(|| {
        let text = format!(
            "{} {}s, {} of the RAID model's {}",
            iops(point.measured),
            point.ddir,
            share(point.efficiency),
            iops(point.expected)
        );
        (text, point.efficiency)
    })
}

/// What no hard disk does, where the disks are said to be some.
fn no_hard_disk(audit: &Audit<'_>, record: &RunRecord) -> Vec<String> {
    let mut signs = Vec::new();
    if audit.system(&record.run).disk != Some(Disk::Hdd) {
        return signs;
    }
    let fastest = Ddir::ALL.iter().find_map(|&ddir| {
        let median = [Metric::Clat, Metric::Lat]
            .into_iter()
            .find_map(|metric| record.statistic(Measure { metric, stat: Stat::P50 }, ddir))?;
        (median.value < NO_SEEK).then_some((ddir, median.value))
    });
    if let Some((ddir, median)) = fastest {
        signs.push(format!("median {ddir} latency {} on a hard disk", time(median)));
    }
    let alone = facts::in_flight(&record.run).is_some_and(|depth| depth <= 1.0);
    let random = record.run.value(&Dimension::Rw).is_some_and(|rw| rw.as_str() == "randread");
    let reads = record.statistic(Measure::mean(Metric::Iops), Ddir::Read).map(|s| s.value);
    if let Some(reads) = reads.filter(|reads| alone && random && *reads > NO_HDD) {
        signs.push(format!("{} random reads one at a time on a hard disk", iops(reads)));
    }
    signs
}

/// True for fio's word that it could not drop the cache.
fn tells_of_invalidation(text: &str) -> bool {
    text.contains("cache invalidation")
}

/// fio's word that it could not drop the cache before the run; `said` holds the files and runs on which it was remarked.
fn not_invalidated(record: &RunRecord, said: &BTreeSet<&str>) -> Option<String> {
    let run = &record.run;
    let said = !said.is_empty()
        && (said.contains(run.id.as_str()) || run.sources.iter().any(|s| said.contains(s.path.as_str())));
    let noted = run.environment.values().any(|text| tells_of_invalidation(text));
    (said || noted).then(|| "cache invalidation failed".to_owned())
}
