//! Logs against the summary beside them, and repeats against each other.

use crate::analyze::combine::pooled_latency;
use crate::ingest::weight;
use crate::model::unit::{UnitSystem, humanize, plain};
use crate::model::{
    Campaign, Ddir, Diagnostic, Dimension, Metric, Origin, Run, Series, SeriesKind, Severity, Summary, Value,
};
use std::collections::{BTreeMap, BTreeSet};

/// Deviation of log and summary from which on it is worth a remark.
const APART: f64 = 0.05;

/// What windows of a latency may hide of the mean before it is a warning.
const HIDDEN: f64 = 0.20;

/// Compares the mean of every job's log rows with that job's own summary.
///
/// A rate is divided by the job's last time stamp in any direction, since fio
/// loses the tail window. Jobs are compared one by one, so that jobs of unequal
/// length raise no alarm.
pub(super) fn cross_check(run: &Run) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    for summary in run.summaries.iter().filter(|s| s.origin == Origin::Reported) {
        let (Some(job), Some(reported)) = (summary.job, summary.mean) else { continue };
        if reported <= 0.0 {
            continue;
        }
        let Some(logged) = logged(run, summary, job) else { continue };
        let apart = logged / reported - 1.0;
        if apart.abs() <= APART {
            continue;
        }
        let name = |value: f64| humanize(value, summary.metric.unit(), UnitSystem::Iec);
        let job_name = if run.jobs.len() > 1 {
            format!(" of job `{}` ({})", run.jobs[job].name, job + 1)
        } else {
            String::new()
        };
        let message = format!(
            "{} {}{job_name}: the log rows have a mean of {}, the tool's summary says {} ({:+.1} %); the summary is shown{}",
            summary.ddir,
            summary.metric.title(),
            name(logged),
            name(reported),
            apart * 100.0,
            if summary.metric.is_latency() && apart >= LARGEST { MAXIMA } else { "" }
        );
        // Windows of latencies hide stalls, which is their nature, to a degree; a rate that is off is a broken log.
        let tolerated = summary.metric.is_latency() && apart.abs() <= HIDDEN;
        let idle = idle_end(run, summary, job, logged);
        let severity = if tolerated || idle.is_some() { Severity::Info } else { Severity::Warning };
        let message = message + &idle.unwrap_or_default();
        remarks.push(Diagnostic::new(severity, &run.id, message));
    }
    remarks
}

/// Logs of the largest latencies, of which no mean is taken.
pub(super) fn largest(run: &Run) -> Option<Diagnostic> {
    let windowed = |s: &&Series| s.metric.is_latency() && matches!(s.kind, SeriesKind::Windowed { .. });
    let names: BTreeSet<&str> = run.series.iter().filter(windowed).map(|s| s.metric.title()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    (run.logs_largest() && !names.is_empty()).then(|| {
        let message = format!(
            "{}: each row of the log is the largest of its window (log_max_value or log_window_value=max); no means come \
             of them, over time and of parts of the run there are the largest alone",
            names.join(", ")
        );
        Diagnostic::new(Severity::Info, &run.id, message)
    })
}

/// Words on a rate whose log agrees with the summary once the idle end of the run counts, which left no row.
fn idle_end(run: &Run, summary: &Summary, job: usize, logged: f64) -> Option<String> {
    let runtime_ms =
        run.jobs.get(job)?.runtime_ms.get(&summary.ddir).copied().filter(|_| summary.metric.is_rate())?;
    let last_ms = rows_of(run, summary, job).map(|s| s.last_ms).max()? as f64;
    let over_all = logged * last_ms / runtime_ms;
    (last_ms < runtime_ms && (over_all / summary.mean? - 1.0).abs() <= APART)
        .then(|| format!("; the last {} s of the run left no row", plain((runtime_ms - last_ms) / 1000.0, 3)))
}

/// Rows of latencies that lie this share above the summary's mean are hardly means of anything.
const LARGEST: f64 = 1.0;
/// What such rows may be (fio HOWTO, `log_max_value`; with `log_avg_msec`).
const MAXIMA: &str = "; with log_max_value=1 each row is the largest latency of its window, no mean";

/// The logs with values that one job entry has of a summary's metric and direction.
fn rows_of<'r>(run: &'r Run, summary: &Summary, job: usize) -> impl Iterator<Item = &'r Series> {
    let (metric, ddir) = (summary.metric, summary.ddir);
    let own = run.series.iter().filter(move |s| s.job == job && s.metric == metric && s.ddir == ddir);
    own.filter(|s| !matches!(s.kind, SeriesKind::Counts(_)))
}

/// Mean of the log rows of one job entry; None when not all of its clones have a log.
fn logged(run: &Run, summary: &Summary, job: usize) -> Option<f64> {
    let own: Vec<_> = rows_of(run, summary, job).collect();
    let clones = run.jobs.get(job).map_or(1, |j| j.clones.max(1)) as usize;
    if own.is_empty() || own.len() != clones {
        return None;
    }
    if summary.metric.is_rate() {
        let means = own.iter().map(|s| s.kind.mean_rate(s.last_ms as f64, weight(s.metric)));
        means.sum()
    } else if summary.metric.is_latency() {
        pooled_latency(run, summary.metric, summary.ddir, Some(job)).map(|(mean, _)| mean)
    } else {
        None
    }
}

/// Logs of some of a run's jobs alone: what is drawn over time is not the run.
pub(super) fn lost_jobs(run: &Run) -> Option<Diagnostic> {
    let jobs: u64 = run.jobs.iter().map(|job| u64::from(job.clones.max(1))).sum();
    for metric in [Metric::Iops, Metric::Bw] {
        for &ddir in Ddir::ALL {
            let own = || run.series.iter().filter(|s| s.metric == metric && s.ddir == ddir);
            let logs: BTreeSet<(usize, u32)> = own().map(|s| (s.job, s.clone)).collect();
            let all = own().any(|s| s.job == Series::ALL_JOBS);
            let known = run.summaries.iter().filter(|s| s.metric == metric && s.ddir == ddir);
            let reported: f64 = known.filter_map(|s| s.mean).sum();
            let logged: f64 =
                own().filter_map(|s| s.kind.mean_rate(s.last_ms as f64, weight(s.metric))).sum();
            // A log that several jobs share holds what all of them did.
            let partly = reported > 0.0 && logged < (1.0 - APART) * reported;
            if logs.is_empty() || all || logs.len() as u64 >= jobs || !partly {
                continue;
            }
            let name = |value: f64| humanize(value, metric.unit(), UnitSystem::Iec);
            let message = format!(
                "logs of {} of its {jobs} jobs: what is drawn over time, and parts of the run, are of these alone ({ddir} {}: {} of {})",
                logs.len(),
                metric.title(),
                name(logged),
                name(reported)
            );
            return Some(Diagnostic::new(Severity::Warning, &run.id, message));
        }
    }
    None
}

/// Histogram logs that hold fewer I/Os than the tool counted.
///
/// fio never writes the window that is open when a job ends, so that a few are missing always.
pub(super) fn histograms(run: &Run) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    let mut keys: Vec<(Metric, Ddir)> = run.series.iter().map(|s| (s.metric, s.ddir)).collect();
    keys.dedup();
    for (metric, ddir) in keys {
        let (mut held, mut last_ms) = (0u64, 0);
        for series in run.series.iter().filter(|s| s.metric == metric && s.ddir == ddir) {
            if let SeriesKind::Counts(timed) = &series.kind {
                held = held.saturating_add(timed.total().count());
                last_ms = last_ms.max(series.last_ms);
            }
        }
        let of = |s: &&Summary| s.metric == metric && s.ddir == ddir;
        let counted = run.summaries.iter().filter(of);
        let counted = counted.map(|s| s.count).try_fold(0u64, |sum, n| Some(sum.saturating_add(n?)));
        let Some(counted) = counted.filter(|&counted| held > 0 && held < counted) else { continue };
        let runtime_ms = run.jobs.iter().filter_map(|job| job.runtime_ms.get(&ddir).copied());
        let runtime_ms = runtime_ms.reduce(f64::max).unwrap_or(0.0).max(last_ms as f64);
        // I/Os up to the last row, if they came evenly; half of them may have come after it.
        let expected = counted as f64 * last_ms as f64 / runtime_ms;
        let severity = if (held as f64) < expected / 2.0 { Severity::Warning } else { Severity::Info };
        let message = format!(
            "{ddir} {}: the histogram log holds {held} of the {counted} I/Os that the tool counted; its last \
             row is of {:.1} s of {:.1} s, and the window after that is never written",
            metric.title(),
            last_ms as f64 / 1000.0,
            runtime_ms / 1000.0
        );
        remarks.push(Diagnostic::new(severity, &run.id, message));
    }
    remarks
}

/// Repeats that carry the same number: somebody ran it twice, or two folders hold the same files.
pub(super) fn repeated_numbers(campaign: &Campaign) -> Vec<Diagnostic> {
    type Key<'a> = (BTreeMap<&'a Dimension, &'a Value>, Vec<(&'a String, &'a String)>);
    let mut seen: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        if record.run.value(&Dimension::Repeat).is_none() {
            continue;
        }
        let dimensions = record.run.dimensions.iter().map(|(d, e)| (d, &e.value)).collect();
        let runtime =
            record.run.options.iter().filter(|(k, _)| ["runtime", "size", "direct"].contains(&k.as_str()));
        seen.entry((dimensions, runtime.collect())).or_default().push(index);
    }
    let same = seen.into_values().filter(|runs| runs.len() > 1);
    same.map(|runs| {
        let names: Vec<&str> = runs.iter().map(|&r| campaign.runs[r].run.id.as_str()).collect();
        let message = format!(
            "{} runs are equal in everything, their repeat number as well; they count as {} repeats: {}",
            runs.len(),
            runs.len(),
            names.join(", ")
        );
        Diagnostic::new(Severity::Warning, names[0], message)
    })
    .collect()
}

/// Directions and metrics whose latency rows could not be weighted by completions.
pub(super) fn unweighted(run: &Run) -> Vec<Diagnostic> {
    let mut found: Vec<(Metric, Ddir)> = run
        .series
        .iter()
        .map(|s| (s.metric, s.ddir))
        .filter(|&(m, d)| crate::analyze::combine::is_unweighted(run, m, d))
        .collect();
    found.sort_unstable();
    found.dedup();
    let reported =
        |metric, ddir| run.summaries.iter().any(|s| s.metric == metric && s.ddir == ddir && s.mean.is_some());
    let left: Vec<String> = found
        .into_iter()
        .filter(|&(m, d)| !reported(m, d))
        .map(|(m, d)| format!("{d} {}", m.title()))
        .collect();
    if left.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "no iops or bw log tells how many I/Os a latency row stands for; the mean of {} counts every window the same",
        left.join(", ")
    );
    vec![Diagnostic::new(Severity::Info, &run.id, message)]
}
