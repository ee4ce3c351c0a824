//! Little's law: I/Os in flight from rate and latency.
//!
//! In: a run with its figures. Out: the measured depth beside the configured one. In a closed
//! loop the sum over directions of I/Os per second times mean total latency is the number of I/Os
//! in flight (J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations
//! Research 9(3), 1961); completion latency alone leaves out what waits for submission.

use crate::analyze::facts::{self, Engine};
use crate::model::{Ddir, LittlesLaw, Measure, Metric, Origin, RunRecord};

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
        sum += iops * mean(Metric::Lat, ddir)? / 1e9;
    }
    (sum > 0.0).then_some(sum)
}
