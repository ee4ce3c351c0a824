//! fio's `--bandwidth-log`: bandwidth of all jobs together, `agg-read_bw.log` and so on.
//!
//! In: such logs of one directory. Out: series of no job, for the run beside them. They repeat what
//! the jobs' own logs hold, so that beside those they are passed over, never added. Unlike other
//! logs they have a row for an idle window, and their rows come as fio's progress display does:
//! irregularly. Source: fio's `eta.c` and `iolog.c` (`add_agg_sample`).

use super::join::LogFile;
use crate::ingest::{LogKind, LogName};
use crate::model::{Metric, Sample, Series, SeriesKind};

/// Stem of a run that has such logs alone.
pub(super) const STEM: &str = "agg";

/// True for the name of such a log.
pub(super) fn is_aggregate(name: &LogName) -> bool {
    name.kind == LogKind::Bw
        && name.number.is_none()
        && matches!(name.prefix.as_str(), "agg-read" | "agg-write" | "agg-trim")
}

/// The series of a directory's logs; directions that were idle throughout have none.
pub(super) fn series(logs: Vec<LogFile>) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    // A later run in the same file leaves the newest stretch at its end.
    for segment in logs.into_iter().filter_map(|mut file| file.log.segments.pop()) {
        for (ddir, kind) in segment.series {
            let SeriesKind::Windowed { samples, .. } = kind else { continue };
            if samples.iter().all(|sample| sample.value == 0.0) {
                continue;
            }
            found.push(Series {
                metric: Metric::Bw,
                ddir,
                job: Series::ALL_JOBS,
                clone: 0,
                last_ms: segment.last_ms,
                kind: SeriesKind::Windowed { window_ms: longest(&samples), samples },
            });
        }
    }
    found
}

/// The longest distance of two rows, ms: a row covers all the time since the one before it.
fn longest(samples: &[Sample]) -> f64 {
    let first = samples.first().map_or(0, |sample| sample.end_ms);
    let distances = samples.windows(2).map(|pair| pair[1].end_ms.saturating_sub(pair[0].end_ms));
    distances.max().unwrap_or(0).max(first).max(1) as f64
}
