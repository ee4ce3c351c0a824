//! Directions that a job was asked for and in which it did nothing.
//!
//! fio reports such a direction as it reports one that nobody asked for: all zeros. A device that hung for the whole
//! run measured 0 IOPS; to leave that out would take the run for one that has no such figure.

use super::document::JobEntry;
use crate::model::{Ddir, Metric, Summary};
use std::collections::BTreeMap;

/// Seconds from which a job has had the time to do something; shorter ones may have ended before.
const LEAST_SECONDS: u64 = 2;

/// Options under which a direction of `rw` may rightly stay idle, or is reported under another name.
const EXCUSES: [&str; 8] = [
    "create_only",
    "verify",
    "verify_only",
    "do_verify",
    "unified_rw_reporting",
    "read_iolog",
    "rw_sequencer",
    "number_ios",
];

/// The directions among those of `rw` that are not in `busy`, of a job that ran and ended without an error.
pub(super) fn idle_directions(
    job: &JobEntry,
    options: &BTreeMap<String, String>,
    busy: impl Fn(Ddir) -> bool,
) -> Vec<Ddir> {
    let said = |key: &str| options.get(key).is_some_and(|value| !matches!(value.trim(), "0" | "none"));
    let ran = job.error.code() == 0 && job.elapsed.count().is_some_and(|seconds| seconds >= LEAST_SECONDS);
    // With an end by size all I/Os may have come before the counting began.
    let before = said("ramp_time") && !said("time_based");
    if !ran || before || busy(Ddir::Mixed) || EXCUSES.iter().any(|key| said(key)) {
        return Vec::new();
    }
    asked(options).iter().copied().filter(|&ddir| !busy(ddir)).collect()
}

/// The directions that `rw` asks for (fio HOWTO, `readwrite`); none where it is not said.
fn asked(options: &BTreeMap<String, String>) -> &'static [Ddir] {
    let Some(rw) = options.get("rw").or_else(|| options.get("readwrite")) else { return &[] };
    // `randrw:8` changes the offset every 8 I/Os.
    match rw.split(':').next().unwrap_or_default() {
        "read" | "randread" => &[Ddir::Read],
        "write" | "randwrite" => &[Ddir::Write],
        "trim" | "randtrim" => &[Ddir::Trim],
        "rw" | "readwrite" | "randrw" => match options.get("rwmixread").map(|share| share.trim()) {
            Some("100") => &[Ddir::Read],
            Some("0") => &[Ddir::Write],
            _ => match options.get("rwmixwrite").map(|share| share.trim()) {
                Some("100") => &[Ddir::Write],
                Some("0") => &[Ddir::Read],
                _ => &[Ddir::Read, Ddir::Write],
            },
        },
        "trimwrite" | "randtrimwrite" => &[Ddir::Write, Ddir::Trim],
        _ => &[],
    }
}

/// What such a direction measured: no byte, no I/O, and no latency.
pub(super) fn nothing(ddir: Ddir, job: usize) -> [Summary; 2] {
    [Metric::Bw, Metric::Iops]
        .map(|metric| Summary { mean: Some(0.0), ..Summary::new(metric, ddir, Some(job)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rw_says_what_was_asked_for() {
        let of = |pairs: &[(&str, &str)]| {
            asked(&pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
        };
        assert_eq!(of(&[("rw", "randread:8")]), [Ddir::Read]);
        assert_eq!(of(&[("readwrite", "rw")]), [Ddir::Read, Ddir::Write]);
        assert_eq!(of(&[("rw", "randrw"), ("rwmixread", "100")]), [Ddir::Read]);
        assert_eq!(of(&[("rw", "randrw"), ("rwmixwrite", "100")]), [Ddir::Write]);
        assert_eq!(of(&[("rw", "trimwrite")]), [Ddir::Write, Ddir::Trim]);
        assert!(of(&[("bs", "4k")]).is_empty());
    }
}
