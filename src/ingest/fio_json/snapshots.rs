//! Which documents of a file belong to one execution.
//!
//! `--status-interval` makes fio write its report again and again, each with all figures since
//! the start, so that only the last one counts; a script that appends (`>>`) puts different
//! executions into one file. fio does not say which it was, so the jobs, the counters and the
//! clock must.

use super::document::{Document, JobEntry};

/// Indices of the documents that are the last of their execution, in file order.
pub(super) fn finals(documents: &[Document]) -> Vec<usize> {
    let continued = |at: usize| documents.get(at + 1).is_some_and(|next| continues(&documents[at], next));
    (0..documents.len()).filter(|&at| !continued(at)).collect()
}

/// True when `next` is a later report of the execution that `first` reports on.
fn continues(first: &Document, next: &Document) -> bool {
    let (a, b) = (first.entries(), next.entries());
    let same_jobs = first.version == next.version
        && first.global_options == next.global_options
        && a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.name == b.name
                && a.group.code() == b.group.code()
                && a.hostname == b.hostname
                && a.options == b.options
        });
    if !same_jobs || !a.iter().zip(b).all(|(a, b)| grows(a, b)) {
        return false;
    }
    let starts =
        |entries: &[JobEntry]| entries.iter().filter_map(|e| e.job_start.count()).filter(|&ms| ms > 0).min();
    if let (Some(a), Some(b)) = (starts(a), starts(b)) {
        return a == b;
    }
    let more_runtime = a.iter().zip(b).map(|(a, b)| runtime(b) - runtime(a)).fold(0.0, f64::max);
    let (Some((wrote_a, exact)), Some((wrote_b, _))) = (first.written_ms(), next.written_ms()) else {
        // Versions before the time stamp: only a run time that goes on tells.
        return more_runtime > 0.0;
    };
    let Some(passed) = wrote_b.checked_sub(wrote_a).map(|ms| ms as f64) else { return false };
    let elapsed = |entries: &[JobEntry]| entries.iter().filter_map(|e| e.elapsed.figure()).reduce(f64::max);
    if let (Some(a), Some(b)) = (elapsed(a), elapsed(b))
        && a >= 3.0
    {
        // fio's own age, in whole seconds, grows with the clock; that of a new process starts again.
        return ((b - a) * 1000.0 - passed).abs() < 2000.0;
    }
    // The jobs ran for most of the time between the reports; the last report follows soon after their end.
    passed <= 2.0 * more_runtime + 500.0 + exact as f64
}

/// True when no counter of `next` is behind that of `first`.
fn grows(first: &JobEntry, next: &JobEntry) -> bool {
    first.directions().zip(next.directions()).all(|((_, a), (_, b))| {
        let pairs = [(a.total_ios, b.total_ios), (a.io_bytes, b.io_bytes), (a.runtime, b.runtime)];
        pairs.iter().all(|(a, b)| a.figure() <= b.figure())
    })
}

/// Longest run time of a direction, ms.
fn runtime(entry: &JobEntry) -> f64 {
    entry.directions().filter_map(|(_, direction)| direction.runtime.figure()).fold(0.0, f64::max)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    /// A report at `at` ms of a process that is `elapsed` s old and ran for `runtime` ms.
    fn report(at: u64, elapsed: u64, runtime: u64, ios: u64) -> Document {
        serde_json::from_str(&format!(
            r#"{{"fio version":"fio-3.33","timestamp_ms":{at},"jobs":[{{"jobname":"a","groupid":0,
                "elapsed":{elapsed},"read":{{"runtime":{runtime},"total_ios":{ios},"io_bytes":{ios}}}}}]}}"#
        ))
        .unwrap()
    }

    #[test]
    fn only_the_last_of_cumulative_reports_counts() {
        let documents = [
            report(1_000_000, 1, 894, 10),
            report(1_001_000, 2, 1_894, 20),
            report(1_002_000, 3, 2_894, 30),
            report(1_002_150, 4, 3_001, 31),
        ];
        assert_eq!(finals(&documents), [3]);
    }

    #[test]
    fn a_second_run_with_a_little_more_io_stays_a_second_run() {
        let documents = [report(1_060_000, 61, 60_000, 100), report(1_121_000, 61, 60_001, 101)];
        assert_eq!(finals(&documents), [0, 1]);
        let short = [report(1_001_000, 1, 1_000, 100), report(1_002_300, 1, 1_001, 101)];
        assert_eq!(finals(&short), [0, 1]);
    }

    #[test]
    fn a_counter_that_falls_back_starts_another_run() {
        let documents = [report(1_001_000, 2, 2_000, 100), report(1_002_000, 3, 2_500, 99)];
        assert_eq!(finals(&documents), [0, 1]);
    }

    #[test]
    fn a_last_report_long_after_the_io_is_the_same_run() {
        // The job synced for five seconds after its last I/O.
        let documents = [report(1_010_000, 10, 9_500, 100), report(1_015_000, 15, 9_600, 101)];
        assert_eq!(finals(&documents), [1]);
    }

    #[test]
    fn equal_job_starts_make_one_run_and_different_ones_two() {
        let with_start = |start: u64| -> Document {
            serde_json::from_str(&format!(
                r#"{{"fio version":"fio-3.40","jobs":[{{"jobname":"a","job_start":{start},"read":{{"total_ios":5}}}}]}}"#
            ))
            .unwrap()
        };
        assert_eq!(finals(&[with_start(7), with_start(7)]), [1]);
        assert_eq!(finals(&[with_start(7), with_start(8)]), [0, 1]);
    }
}
