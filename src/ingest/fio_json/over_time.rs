//! What fio's JSON holds over time: cumulative reports, and the window of a steady state.
//!
//! In: documents. Out: series of bandwidth and IOPS in the runs that the documents describe.
//! They are second to logs, which know every window.

use super::document::{Document, JobEntry, SteadyData};
use super::parts::{DocumentParts, parts};
use super::value::Number;
use crate::ingest::{Remark, RunPart};
use crate::model::{Ddir, Job, Metric, Sample, Series, SeriesKind, Severity};

/// What a report says of one direction of a job since its start.
#[derive(Debug, Clone, Copy, Default)]
struct Counters {
    runtime_ms: f64,
    ios: u64,
    bytes: u64,
}

impl Counters {
    fn of(job: &Job, ddir: Ddir) -> Option<Counters> {
        Some(Counters {
            runtime_ms: *job.runtime_ms.get(&ddir)?,
            ios: job.ios.get(&ddir).copied().unwrap_or(0),
            bytes: job.bytes.get(&ddir).copied().unwrap_or(0),
        })
    }
}

/// Adds the differences between the `earlier` reports of an execution and its last one, which `last` was made from.
pub(super) fn from_reports(earlier: &mut [Document], last: &mut DocumentParts) {
    if earlier.is_empty() {
        return;
    }
    let earlier: Vec<DocumentParts> = earlier.iter_mut().map(parts).collect();
    for (group, part) in &mut last.parts {
        let before = earlier.iter().filter_map(|document| document.parts.iter().find(|(of, _)| of == group));
        let before: Vec<&RunPart> = before.map(|(_, part)| part).collect();
        for index in 0..part.jobs.len() {
            let job = &part.jobs[index];
            let mut found = Vec::new();
            for &ddir in job.runtime_ms.keys() {
                let reports = before.iter().filter_map(|part| part.jobs.get(index)).chain([job]);
                let counters: Vec<Counters> = reports.filter_map(|job| Counters::of(job, ddir)).collect();
                found.extend(differences(&counters, ddir, index));
            }
            part.series.extend(found);
        }
    }
}

fn differences(counters: &[Counters], ddir: Ddir, job: usize) -> Vec<Series> {
    let (mut ios, mut bytes) = (Vec::new(), Vec::new());
    let mut before = Counters::default();
    let mut longest: f64 = 0.0;
    for &now in counters {
        let passed = now.runtime_ms.round() - before.runtime_ms.round();
        if passed < 1.0 {
            continue;
        }
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 * 1000.0 / passed;
        let end_ms = now.runtime_ms.round() as u64;
        ios.push(Sample { end_ms, value: rate(now.ios, before.ios), partial: false });
        bytes.push(Sample { end_ms, value: rate(now.bytes, before.bytes), partial: false });
        longest = longest.max(passed);
        before = now;
    }
    series(job, ddir, longest, [(Metric::Iops, ios), (Metric::Bw, bytes)])
}

/// Series of a job with at least two samples.
fn series(job: usize, ddir: Ddir, window_ms: f64, found: [(Metric, Vec<Sample>); 2]) -> Vec<Series> {
    let found = found.into_iter().filter(|(_, samples)| samples.len() > 1);
    found
        .map(|(metric, samples)| Series {
            metric,
            ddir,
            job,
            clone: 0,
            last_ms: samples.last().map_or(0, |sample| sample.end_ms),
            kind: SeriesKind::Windowed { window_ms, samples },
        })
        .collect()
}

/// Adds the window of a steady state where it covers the run and nothing else does.
///
/// fio keeps the last `steadystate_duration` seconds alone and does not say which direction an I/O
/// had, so that a longer run, or a mixed one, has only their mean.
pub(super) fn from_steady_state(document: &Document, last: &mut DocumentParts) {
    /// Share of a run that its window must cover to stand for it.
    const COVERED: f64 = 0.8;
    let mut used = false;
    for (group, part) in &mut last.parts {
        let entries: Vec<&JobEntry> =
            document.job_entries().filter(|entry| entry.group.code() == *group).collect();
        for (index, entry) in entries.into_iter().enumerate() {
            let Some(data) = entry.steady.as_ref().and_then(|steady| steady.data.as_ref()) else { continue };
            let Some(job) = part.jobs.get(index) else { continue };
            let mut directions = job.runtime_ms.iter();
            let (Some((&ddir, &runtime_ms)), None) = (directions.next(), directions.next()) else { continue };
            let covered = data.iops.as_slice().len() as f64 * 1000.0;
            if covered < COVERED * runtime_ms || !part.series.is_empty() || interval(job) != Some(1) {
                continue;
            }
            let found = steady_series(data, ddir, index);
            used |= !found.is_empty();
            part.series.extend(found);
        }
    }
    if used {
        let message = "where no log tells the course of bandwidth and IOPS, fio's steady-state data does";
        last.remarks.push(Remark::new(Severity::Info, message));
    }
}

/// Seconds between two figures of the window; None when the option cannot be read.
fn interval(job: &Job) -> Option<u64> {
    let names = ["steadystate_check_interval", "ss_interval"];
    match names.iter().find_map(|name| job.options.get(*name)) {
        None => Some(1),
        Some(text) => text.trim().trim_end_matches('s').parse().ok(),
    }
}

fn steady_series(data: &SteadyData, ddir: Ddir, job: usize) -> Vec<Series> {
    let samples = |values: &[Number]| -> Vec<Sample> {
        let ends = (1..).map(|second: u64| second * 1000);
        let known = ends.zip(values).filter_map(|(end_ms, value)| Some((end_ms, value.figure()?)));
        known.map(|(end_ms, value)| Sample { end_ms, value, partial: false }).collect()
    };
    let (iops, bw) = (samples(data.iops.as_slice()), samples(data.bw.as_slice()));
    series(job, ddir, 1000.0, [(Metric::Iops, iops), (Metric::Bw, bw)])
}
