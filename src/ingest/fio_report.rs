//! What fio's text outputs have in common: jobs as figures, and the way from them to runs.
//!
//! In: jobs as terse lines or blocks for people report them, in base units. Out: one [`RunPart`]
//! for each group of concurrent jobs of each execution. Groups ran one after another
//! (`stonewall`), so they are never one run. Nothing is added up over jobs, and what fio did not
//! measure has no summary.

pub(super) mod banner;
pub(super) mod lines;
pub(super) mod quantity;

use super::{Remark, RunPart, labels};
use crate::model::{Ddir, Dimension, Job, Metric, Severity, Summary, Tool, Value};
use std::collections::{BTreeMap, BTreeSet};

/// One execution of fio.
#[derive(Debug, Clone, Default)]
pub(super) struct Execution {
    /// Version without its `fio-`.
    pub(super) version: Option<String>,
    /// When it ended, as fio wrote it.
    pub(super) timestamp: Option<String>,
    /// Entries of jobs in the order of the output.
    pub(super) jobs: Vec<JobReport>,
    /// Disks, arrays and members alike.
    pub(super) disks: Vec<DiskReport>,
}

/// One entry: a job, or the clones that `group_reporting` reports as one.
#[derive(Debug, Clone, Default)]
pub(super) struct JobReport {
    pub(super) name: String,
    pub(super) group: i64,
    pub(super) host: Option<String>,
    pub(super) error: i64,
    /// Errors that the job went on after (`continue_on_error`).
    pub(super) survived_errors: u64,
    /// Clones behind this entry; None when the output does not say.
    pub(super) clones: Option<u32>,
    pub(super) description: Option<String>,
    /// Options that the text states.
    pub(super) options: BTreeMap<String, String>,
    pub(super) directions: Vec<DirectionReport>,
    /// Latency of `fsync` and its kin; the job is filled in later.
    pub(super) syncs: Option<Summary>,
    /// Processor time, user and system, as a share of one processor.
    pub(super) cpu: Option<f64>,
}

/// The figures of one direction.
#[derive(Debug, Clone)]
pub(super) struct DirectionReport {
    pub(super) ddir: Ddir,
    pub(super) bytes: Option<u64>,
    pub(super) ios: Option<u64>,
    pub(super) runtime_ms: Option<f64>,
    /// Figures; direction and job are filled in later.
    pub(super) summaries: Vec<Summary>,
}

/// A disk's busy time in percent.
#[derive(Debug, Clone, Default)]
pub(super) struct DiskReport {
    pub(super) name: String,
    pub(super) util: Option<f64>,
    /// Of an array: the mean over its members.
    pub(super) aggr_util: Option<f64>,
}

/// The runs of the executions that one file holds, with remarks on their jobs.
pub(super) fn parts(executions: &[Execution]) -> (Vec<RunPart>, Vec<Remark>) {
    let mut remarks = Vec::new();
    let read: Vec<_> = executions.iter().map(|execution| groups(execution, &mut remarks)).collect();
    let (several, grouped) = (read.len() > 1, read.iter().any(|parts| parts.len() > 1));
    let mut runs = Vec::new();
    for (at, parts) in read.into_iter().enumerate() {
        for (group, mut part) in parts {
            part.key = run_key(several.then_some(at + 1), grouped.then_some(group));
            runs.push(part);
        }
    }
    (runs, remarks)
}

/// What tells a run apart from the others of its file: the place of its execution where there are
/// several, the group where any has several.
pub(super) fn run_key(execution: Option<usize>, group: Option<i64>) -> String {
    match (execution, group) {
        (None, None) => String::new(),
        (None, Some(group)) => group.to_string(),
        (Some(at), None) => at.to_string(),
        (Some(at), Some(group)) => format!("{at}.{group}"),
    }
}

fn groups(execution: &Execution, remarks: &mut Vec<Remark>) -> Vec<(i64, RunPart)> {
    let mut siblings: BTreeMap<(i64, &str, Option<&str>), u32> = BTreeMap::new();
    for job in &execution.jobs {
        *siblings.entry(identity(job)).or_default() += 1;
    }
    // Every server counts its own threads from 1.
    let mut next_number: BTreeMap<Option<&str>, u32> = BTreeMap::new();
    let mut groups: BTreeMap<i64, Vec<Entry<'_>>> = BTreeMap::new();
    for job in &execution.jobs {
        let siblings = siblings.get(&identity(job)).copied().unwrap_or(1);
        let stated = if siblings > 1 { Some(siblings) } else { job.clones };
        let clones = if siblings > 1 { 1 } else { job.clones.unwrap_or(1).max(1) };
        let mut options = job.options.clone();
        if let Some(jobs) = stated {
            options.insert("numjobs".to_owned(), jobs.to_string());
        }
        let next = next_number.entry(job.host.as_deref()).or_insert(1);
        let log_number = *next;
        *next = next.saturating_add(clones);
        groups.entry(job.group).or_default().push(Entry { job, options, clones, log_number });
    }
    let alone = groups.len() == 1;
    let parts = groups.into_iter().map(|(group, entries)| {
        let mut part = RunPart {
            tool: Tool { name: "fio".to_owned(), version: execution.version.clone() },
            label: common(entries.iter().map(|e| e.job.name.as_str()).filter(|n| !n.is_empty()))
                .map(str::to_owned),
            first_log_number: entries.first().map_or(1, |entry| entry.log_number),
            dimensions: dimensions(&entries),
            environment: environment(execution, &entries),
            ..RunPart::default()
        };
        for entry in &entries {
            add_job(entry, &mut part, remarks);
        }
        // The busy time of disks is of the whole execution; with several groups it is nobody's.
        let disks = execution.disks.iter().map(|disk| (disk.util, disk.aggr_util));
        if alone && let Some(busy) = utilisation(disks) {
            part.summaries.push(figure(Metric::Util, None, busy));
        }
        (group, part)
    });
    parts.collect()
}

/// A job with what was concluded about it.
struct Entry<'a> {
    job: &'a JobReport,
    options: BTreeMap<String, String>,
    clones: u32,
    log_number: u32,
}

fn identity(job: &JobReport) -> (i64, &str, Option<&str>) {
    (job.group, &job.name, job.host.as_deref())
}

/// What all entries agree on.
fn dimensions(entries: &[Entry<'_>]) -> BTreeMap<Dimension, Value> {
    let of = |entry: &Entry<'_>| {
        let mut own = labels::from_options(&entry.options);
        if let Some(host) = &entry.job.host {
            own.insert(Dimension::Host, Value::canonical(&Dimension::Host, host));
        }
        own
    };
    let mut agreed = entries.first().map(of).unwrap_or_default();
    for entry in entries.iter().skip(1) {
        let own = of(entry);
        agreed.retain(|dimension, value| own.get(dimension) == Some(value));
    }
    // Sections that ran together: each states its own clones, and the run has them all.
    if entries.iter().any(|entry| identity(entry.job) != identity(entries[0].job)) {
        agreed.insert(Dimension::Numjobs, jobs_at_once(entries.iter().map(|entry| entry.clones)));
    }
    agreed
}

/// The number of jobs of a group, from the clones of its entries.
pub(super) fn jobs_at_once(clones: impl Iterator<Item = u32>) -> Value {
    let jobs: u64 = clones.map(|clones| u64::from(clones.max(1))).sum();
    Value::canonical(&Dimension::Numjobs, &jobs.to_string())
}

fn environment(execution: &Execution, entries: &[Entry<'_>]) -> BTreeMap<String, String> {
    let mut environment = BTreeMap::new();
    let mut say = |key: &str, text: String| {
        if !text.is_empty() {
            environment.insert(key.to_owned(), text);
        }
    };
    let list = |words: BTreeSet<&str>| words.into_iter().collect::<Vec<_>>().join(", ");
    say("timestamp", execution.timestamp.clone().unwrap_or_default());
    say("fio_version", execution.version.as_ref().map_or_else(String::new, |v| format!("fio-{v}")));
    say("hostname", list(entries.iter().filter_map(|entry| entry.job.host.as_deref()).collect()));
    say("disks", list(execution.disks.iter().map(|disk| disk.name.as_str()).collect()));
    say("description", list(entries.iter().filter_map(|e| e.job.description.as_deref()).collect()));
    environment
}

fn add_job(entry: &Entry<'_>, part: &mut RunPart, remarks: &mut Vec<Remark>) {
    let index = part.jobs.len();
    let report = entry.job;
    let mut job = Job {
        name: report.name.clone(),
        host: report.host.clone(),
        clones: entry.clones,
        error: report.error,
        options: entry.options.clone(),
        ..Job::default()
    };
    // `mixed` counts only where fio gave nothing else: with `unified_rw_reporting=both` it repeats the others.
    let single = report.directions.iter().any(|direction| direction.ddir != Ddir::Mixed);
    for direction in report.directions.iter().filter(|d| !single || d.ddir != Ddir::Mixed) {
        let ddir = direction.ddir;
        job.runtime_ms.extend(direction.runtime_ms.map(|ms| (ddir, ms)));
        job.bytes.extend(direction.bytes.map(|bytes| (ddir, bytes)));
        job.ios.extend(direction.ios.map(|ios| (ddir, ios)));
        let summaries = direction.summaries.iter().cloned();
        part.summaries.extend(summaries.map(|summary| Summary { ddir, job: Some(index), ..summary }));
    }
    let syncs = report.syncs.iter().cloned();
    part.summaries.extend(syncs.map(|summary| Summary { job: Some(index), ..summary }));
    if let Some(cpu) = report.cpu.filter(|_| !report.directions.is_empty()) {
        part.summaries.push(figure(Metric::Cpu, Some(index), cpu));
    }
    if report.error == 0 && report.survived_errors > 0 {
        remarks.push(Remark::new(Severity::Warning, survived(&report.name, report.survived_errors)));
    }
    part.jobs.push(job);
}

/// What to say of a job that went on after errors.
pub(super) fn survived(name: &str, errors: u64) -> String {
    format!("job `{name}` went on after {errors} I/O errors (`continue_on_error`)")
}

/// What the commonest error numbers say on Linux.
pub(super) fn error_phrase(error: i64) -> &'static str {
    match error.unsigned_abs() {
        1 => " (operation not permitted)",
        2 => " (no such file or directory)",
        5 => " (input/output error)",
        13 => " (permission denied)",
        16 => " (device or resource busy)",
        22 => " (invalid argument)",
        28 => " (no space left on device)",
        61 => " (no data available)",
        84 => " (verification failed)",
        95 => " (operation not supported)",
        110 => " (timed out)",
        121 => " (remote input/output error)",
        _ => "",
    }
}

/// A figure of the job or the run in no direction of its own.
pub(super) fn figure(metric: Metric, job: Option<usize>, mean: f64) -> Summary {
    Summary { mean: Some(mean), ..Summary::new(metric, Ddir::Mixed, job) }
}

/// The one value that all have; None without any, or with two.
pub(super) fn common<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Busiest top-level disk, as a share of the time, from its own busy percentage and the one over
/// its members. Where an array is listed with that, the members are listed beside it and do not
/// count; kernels that do not account for arrays leave the array's own figure at 0.
pub(super) fn utilisation(disks: impl Iterator<Item = (Option<f64>, Option<f64>)> + Clone) -> Option<f64> {
    let arrays = disks.clone().any(|(_, aggregate)| aggregate.is_some());
    let busy = disks
        .filter(|(_, aggregate)| !arrays || aggregate.is_some())
        .filter_map(|(own, aggregate)| own.filter(|&util| util > 0.0).or(aggregate).or(own));
    busy.reduce(f64::max).map(|percent| percent / 100.0)
}
