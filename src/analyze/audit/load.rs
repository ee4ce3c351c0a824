//! Rules on how a run was loaded and whether its figures agree with each other.

use super::{Audit, Hit, bandwidth as bandwidth_text, counted, iops};
use crate::analyze::facts::{self, Engine};
use crate::model::unit::{group_thousands, plain, significant};
use crate::model::{Ddir, Dimension, Measure, Metric, Origin, Statistic, Value};

/// Measured depth below this share of the configured one: the queue was not kept full.
const STARVED: f64 = 0.75;
/// Measured depth above this share: more I/Os in flight than there can be.
const OVERFULL: f64 = 1.25;
/// Deviation of bandwidth from IOPS times block size.
const APART: f64 = 0.05;
/// Whole numbers in log rows are off by 1 % at this rate, by more below.
const COARSE: f64 = 50.0;

/// Jobs that reported an error.
pub(super) fn job_errors(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, record) in audit.records() {
        let failed: Vec<_> = record.run.jobs.iter().filter(|job| job.error != 0).collect();
        if let Some(first) = failed.first() {
            let jobs = counted(record.run.jobs.len(), "job");
            let text = format!("error {} in {} of {jobs}", first.error, failed.len());
            hits.push(audit.hit(index, text, failed.len() as f64));
        }
    }
    hits
}

/// Closed loops whose IOPS and latency do not make their queue depth.
pub(super) fn littles_law(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, record) in audit.records() {
        let Some(law) = record.little else { continue };
        let reached = law.measured / law.configured;
        let all: f64 = Ddir::ALL
            .iter()
            .filter_map(|&d| record.statistic(Measure::mean(Metric::Iops), d))
            .map(|s| s.value)
            .sum();
        // A queue that takes a tenth of the run to pass through once is never in balance.
        let passes = facts::duration_ms(record).is_none_or(|ms| law.configured / all < ms / 1e4);
        if passes && !(STARVED..=OVERFULL).contains(&reached) {
            let text = format!(
                "{} I/Os in flight by IOPS and mean latency, {} by its options",
                significant(law.measured, 3),
                plain(law.configured, 6)
            );
            hits.push(audit.hit(index, text, reached.ln().abs()));
        }
    }
    hits
}

/// Queues that an engine does not keep.
pub(super) fn synchronous_depth(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, record) in audit.records() {
        let run = &record.run;
        let Some(depth) = facts::depth(run).filter(|depth| *depth > 1.0) else { continue };
        let name = match facts::engine(run) {
            Engine::Queueing => continue,
            Engine::Synchronous => {
                run.value(&Dimension::Engine).map(Value::as_str).unwrap_or_default().to_owned()
            }
            // fio's own choice shows in what it measured.
            Engine::Unstated => match record.little {
                Some(law) if law.configured < depth * facts::jobs(run) => "the platform's engine".to_owned(),
                _ => continue,
            },
        };
        let text = format!("{name} keeps 1 I/O in flight, iodepth={} has no effect", plain(depth, 6));
        hits.push(audit.hit(index, text, depth));
    }
    hits
}

/// Bandwidth that IOPS and block size do not make.
pub(super) fn bandwidth(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, record) in audit.records() {
        let Some(bs) = facts::block_size(&record.run) else { continue };
        for &ddir in Ddir::ALL {
            for origin in [Origin::Reported, Origin::Log] {
                let mean =
                    |metric| record.statistic_from(Measure::mean(metric), ddir, origin).map(|s| s.value);
                let (Some(bw), Some(rate)) = (mean(Metric::Bw), mean(Metric::Iops)) else { continue };
                let coarse = origin == Origin::Log && rate < COARSE;
                let apart = bw / (rate * bs) - 1.0;
                // Old versions print whole KiB/s.
                let coarse = coarse || (bw - rate * bs).abs() <= 1024.0;
                if apart.is_finite() && apart.abs() > APART && !coarse {
                    let block = crate::model::unit::size_phrase(bs as u64);
                    let (bw, made) = (bandwidth_text(bw), bandwidth_text(rate * bs));
                    let text = format!("{ddir} ({origin}): {bw}, but {} of {block} make {made}", iops(rate));
                    hits.push(audit.hit(index, text, apart.abs()));
                }
            }
        }
    }
    hits
}

/// Percentiles on too few I/Os.
pub(super) fn unsupported(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, record) in audit.records() {
        let weak: Vec<_> = record.unsupported().collect();
        // The lowest percentile without support says it of all above.
        let lowest = weak.iter().min_by_key(|s| (s.stat, s.metric));
        if let Some((statistic, n)) = lowest.and_then(|s| Some((s, s.n?))) {
            let beyond = n as f64 * (1.0 - statistic.stat.quantile().unwrap_or(1.0));
            let Statistic { stat, metric, ddir, .. } = statistic;
            let direction = if metric.is_directed() { format!("{ddir} ") } else { String::new() };
            let text = format!(
                "{stat} {direction}{} has {} of {} {} beyond it",
                metric.title(),
                significant(beyond, 2),
                group_thousands(&n.to_string()),
                metric.samples()
            );
            hits.push(audit.hit(index, text, 1.0 - share_of(beyond)));
        }
    }
    hits
}

/// A rank of 0 to 1 for a number of I/Os.
fn share_of(beyond: f64) -> f64 {
    (beyond / 10.0).clamp(0.0, 1.0)
}
