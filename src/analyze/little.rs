//! Little's law: I/Os in flight from rate and latency.
//!
//! In: a run with its figures. Out: the measured depth beside the configured one. In a closed
//! loop the sum over directions of I/Os per second times mean total latency is the number of I/Os
//! in flight (J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations
//! Research 9(3), 1961); completion latency alone leaves out what waits for submission.
//!
//! The law holds for each job over the time in which it ran. IOPS that are added up over jobs of unequal
//! length go with no latency that is pooled over their I/Os, so each job's product comes first.

use crate::analyze::combine::latency_of;
use crate::analyze::facts::{self, Engine};
use crate::ingest::weight;
use crate::model::{Ddir, LittlesLaw, Measure, Metric, Origin, Run, RunRecord, SeriesKind};

/// Options with which a job pauses on purpose, or spends time that no latency counts: it keeps
/// fewer I/Os in flight than its depth, and rightly so.
const PACED: &[&str] = &[
    "rate",
    "rate_iops",
    "rate_process",
    "thinktime",
    "latency_target",
    "read_iolog",
    "fsync",
    "fdatasync",
    "sync_file_range",
    "verify",
];

/// A depth that rounding and job start can still make of one I/O in flight.
const ABOUT_ONE: f64 = 1.2;

/// The law for a run; None for paced jobs, and where depth, IOPS or latency is not known.
#[must_use]
pub(super) fn of_run(record: &RunRecord) -> Option<LittlesLaw> {
    let run = &record.run;
    if PACED.iter().any(|key| facts::is_set(run, key)) {
        return None;
    }
    let asked = facts::in_flight(run)?;
    let measured =
        [Origin::Reported, Origin::Log].into_iter().find_map(|origin| in_flight(record, origin))?;
    // Where the engine is not stated, the platform's own is synchronous on Linux.
    let jobs = facts::jobs(run);
    let single = facts::engine(run) == Engine::Unstated && measured <= ABOUT_ONE * jobs;
    Some(LittlesLaw { configured: if single { jobs } else { asked }, measured })
}

/// I/Os in flight from the figures of one origin; every direction with I/Os must have a latency.
fn in_flight(record: &RunRecord, origin: Origin) -> Option<f64> {
    let mean = |metric, ddir| {
        record.statistic_from(Measure::mean(metric), ddir, origin).map(|s| s.value).filter(|v| v.is_finite())
    };
    let mut sum = 0.0;
    for &ddir in Ddir::ALL {
        let Some(iops) = mean(Metric::Iops, ddir).filter(|iops| *iops > 0.0) else { continue };
        let pooled = || Some(iops * mean(Metric::Lat, ddir)?);
        sum += job_by_job(&record.run, origin, ddir).or_else(pooled)? / 1e9;
    }
    (sum > 0.0).then_some(sum)
}

/// The sum over jobs of IOPS times mean latency, ns/s, in one direction; None unless both are known of every job with
/// I/Os.
fn job_by_job(run: &Run, origin: Origin, ddir: Ddir) -> Option<f64> {
    let products = if origin == Origin::Reported { reported(run, ddir) } else { logged(run, ddir) };
    let sum = products.into_iter().sum::<Option<f64>>()?;
    (sum > 0.0 && sum.is_finite()).then_some(sum)
}

/// The product of each job by the tool's own figures.
fn reported(run: &Run, ddir: Ddir) -> Vec<Option<f64>> {
    let of = |metric| run.summaries.iter().filter(move |s| s.metric == metric && s.ddir == ddir);
    let product = |job, iops: f64| Some(iops * of(Metric::Lat).find(|s| s.job == job)?.mean?);
    of(Metric::Iops).filter(|s| s.mean != Some(0.0)).map(|s| product(s.job, s.mean?)).collect()
}

/// The product of each job, and each clone of one, by its logs up to its own last stamp.
fn logged(run: &Run, ddir: Ddir) -> Vec<Option<f64>> {
    let of = |metric| {
        let own = run.series.iter().filter(move |s| s.metric == metric && s.ddir == ddir);
        own.filter(|s| !matches!(s.kind, SeriesKind::Counts(_)))
    };
    let each = of(Metric::Iops).map(|rate| {
        let iops = rate.kind.mean_rate(rate.last_ms as f64, weight(Metric::Iops))?;
        let latency = of(Metric::Lat).find(|s| (s.job, s.clone) == (rate.job, rate.clone));
        if iops > 0.0 { Some(iops * latency_of(run, latency?)?) } else { Some(0.0) }
    });
    each.collect()
}
