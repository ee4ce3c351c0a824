//! Which lines of a file belong to one execution.
//!
//! A terse line says its job's name and group and nothing of the process that wrote it. Lines in a
//! row are one report: groups count upwards, and the disks' fields are the same in all of them. The
//! rest is concluded: counters that grow with the run time are reports on a run that goes on
//! (`--status-interval`), what cannot be told apart is taken for clones, with a remark.

use super::line::TerseJob;
use crate::ingest::Remark;
use crate::ingest::fio_report::banner::Banners;
use crate::ingest::fio_report::lines::Line;
use crate::ingest::fio_report::{Execution, JobReport};
use crate::model::Severity;
use std::collections::BTreeMap;

/// A report: the lines that one execution wrote at one time.
#[derive(Default)]
struct Report {
    jobs: Vec<TerseJob>,
    banners: Banners,
    line: u64,
}

/// Collects lines into reports.
#[derive(Default)]
pub(super) struct Collector {
    reports: Vec<Report>,
    banners: Banners,
    /// Other text stood between the last job and the next.
    interrupted: bool,
    /// Jobs were reported since the last announcement.
    used: bool,
    /// A new execution was announced.
    announced: bool,
}

/// The executions of a file.
pub(super) struct Found {
    pub(super) executions: Vec<Execution>,
    pub(super) remarks: Vec<Remark>,
}

impl Collector {
    /// A line that is no job.
    pub(super) fn other(&mut self, line: &Line<'_>) {
        if line.text.is_empty() {
            return;
        }
        // Terse version 2 writes the description into a line of its own.
        if let Some(text) = line.text.strip_prefix(';')
            && let Some(job) = self.reports.last_mut().and_then(|report| report.jobs.last_mut())
            && !self.interrupted
        {
            job.report.description.get_or_insert_with(|| text.to_owned());
            return;
        }
        // A job announced behind jobs that were reported: another execution.
        if self.used && Banners::begins(line.text) {
            self.banners = Banners::default();
            (self.used, self.announced) = (false, true);
        }
        self.banners.take(line.text);
        self.interrupted = true;
    }

    /// A job.
    pub(super) fn job(&mut self, mut job: Box<TerseJob>, line: &Line<'_>) {
        job.report.host = line.host.map(str::to_owned);
        let fits =
            !self.announced && self.reports.last().is_some_and(|last| last.takes(&job, self.interrupted));
        if !fits {
            self.reports.push(Report {
                banners: self.banners.clone(),
                line: line.number,
                ..Report::default()
            });
        }
        if let Some(report) = self.reports.last_mut() {
            report.jobs.push(*job);
        }
        (self.interrupted, self.announced, self.used) = (false, false, true);
    }

    pub(super) fn terse_version(&self) -> Option<u8> {
        self.reports.first()?.jobs.first().map(|job| job.terse_version)
    }

    pub(super) fn finish(self) -> Found {
        let mut remarks = Vec::new();
        let mut finals: Vec<Report> = Vec::new();
        let (mut repeats, mut chained) = (0, false);
        for report in self.reports {
            chained = finals.last().is_some_and(|last| last.goes_on(&report, chained));
            if chained {
                repeats += 1;
                finals.pop();
            }
            finals.push(report);
        }
        if repeats > 0 {
            let message = format!(
                "{repeats} reports of {} are cumulative (`--status-interval`) of a run that goes on; the last of each run counts",
                repeats + finals.len()
            );
            remarks.push(Remark::new(Severity::Info, message));
        }
        let executions = finals.into_iter().map(|report| report.execution(&mut remarks)).collect();
        Found { executions, remarks }
    }
}

impl Report {
    /// Whether a job may be of this report.
    fn takes(&self, job: &TerseJob, interrupted: bool) -> bool {
        let Some(last) = self.jobs.last() else { return true };
        let same_disks = last.disk_text == job.disk_text;
        if last.version != job.version || last.terse_version != job.terse_version {
            return false;
        }
        match job.report.group.cmp(&last.report.group) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => same_disks,
            std::cmp::Ordering::Equal => {
                let repeats = last.report.name == job.report.name;
                same_disks && !interrupted && !(repeats && goes_on(&last.report, &job.report, false))
            }
        }
    }

    /// Whether `next` is a later report on the same execution.
    fn goes_on(&self, next: &Report, chained: bool) -> bool {
        self.jobs.len() == next.jobs.len()
            && self.jobs.iter().zip(&next.jobs).all(|(a, b)| {
                a.version == b.version
                    && a.report.name == b.report.name
                    && a.report.group == b.report.group
                    && (goes_on(&a.report, &b.report, chained) || unchanged(&a.report, &b.report))
            })
            && self.jobs.iter().zip(&next.jobs).any(|(a, b)| !unchanged(&a.report, &b.report))
    }

    fn execution(self, remarks: &mut Vec<Remark>) -> Execution {
        let version =
            self.jobs.iter().find_map(|job| job.version.clone()).or_else(|| self.banners.version.clone());
        let disks = self.jobs.first().map(|job| job.disks.clone()).unwrap_or_default();
        let mut jobs: Vec<JobReport> = self.jobs.into_iter().map(|job| job.report).collect();
        let mut by_group: BTreeMap<i64, u32> = BTreeMap::new();
        let mut by_name: BTreeMap<(i64, String), u32> = BTreeMap::new();
        for job in &jobs {
            *by_group.entry(job.group).or_default() += 1;
            *by_name.entry((job.group, job.name.clone())).or_default() += 1;
        }
        let count = |job: &JobReport| {
            let named = by_name.get(&(job.group, job.name.clone())).copied().unwrap_or(1);
            (by_group.get(&job.group).copied().unwrap_or(1), named)
        };
        let counts: Vec<_> = jobs.iter().map(count).collect();
        for (job, &(in_group, named)) in jobs.iter_mut().zip(&counts) {
            let whole = in_group == 1;
            job.options = self.banners.options(&job.name, job.group, whole);
            job.clones = if named == 1 { self.banners.clones(&job.name, job.group, whole) } else { Some(1) };
        }
        let doubtful = jobs.iter().zip(&counts).find(|(job, counts)| counts.0 > 1 && job.options.is_empty());
        if let Some((job, (in_group, _))) = doubtful.filter(|_| disks.is_empty()) {
            let message = format!(
                "{in_group} lines of group {}, and nothing tells whether they ran together; they are taken for jobs \
                 of one run, as fio writes them: give each execution a file of its own if they are not",
                job.group
            );
            remarks.push(Remark::new(Severity::Warning, message).at_line(self.line));
        }
        Execution { version, timestamp: None, jobs, disks }
    }
}

fn totals(job: &JobReport) -> (f64, f64) {
    let bytes = job.directions.iter().filter_map(|d| d.bytes).map(|n| n as f64).sum();
    (bytes, job.directions.iter().filter_map(|d| d.runtime_ms).fold(0.0, f64::max))
}

/// True when `next` continues the counters of `first`: more I/O in more time, at a rate that the
/// first could go on at. Runs of a fixed size repeat the I/O, runs of a fixed time the time; in a
/// chain of reports the last may follow soon.
fn goes_on(first: &JobReport, next: &JobReport, chained: bool) -> bool {
    let ((bytes, ms), (more_bytes, more_ms)) = (totals(first), totals(next));
    let (grown, passed) = (more_bytes - bytes, more_ms - ms);
    if grown < 0.0 || passed < 0.0 || !counters_grow(first, next) {
        return false;
    }
    let rate = (grown / passed) / (bytes / ms);
    chained || (passed > 20.0 && ms > 0.0 && passed > 0.02 * ms && (0.2..5.0).contains(&rate))
}

fn counters_grow(first: &JobReport, next: &JobReport) -> bool {
    first.directions.iter().all(|a| {
        next.directions.iter().any(|b| a.ddir == b.ddir && a.bytes <= b.bytes && a.runtime_ms <= b.runtime_ms)
    })
}

fn unchanged(first: &JobReport, next: &JobReport) -> bool {
    totals(first) == totals(next)
}
