//! From a fio document to the runs that it reports.
//!
//! In: a [`Document`]. Out: one [`RunPart`] for each group of concurrent jobs, in base units.
//! Groups ran one after another (`stonewall`), so they are never one run. Nothing is added up
//! over jobs here, and no figure is made up: what fio did not measure has no summary.

use super::document::{Direction, Document, JobEntry};
use super::environment::{environment, host, of_document};
use super::figures::{latencies, moved_bytes, rates, syncs, wild_figures};
use super::idle::{idle_directions, nothing};
use super::value::OptionSets;
use crate::ingest::fio_report::{common, figure, jobs_at_once, survived, utilisation};
use crate::ingest::join::started_apart;
use crate::ingest::{LogKind, Remark, RunPart, labels};
use crate::model::{Ddir, Dimension, Job, Metric, Severity, Summary, Tool, Value};
use std::collections::BTreeMap;

/// A document's runs, and what else was noticed.
#[derive(Default)]
pub(super) struct DocumentParts {
    /// Group id and run, in the order of the groups.
    pub(super) parts: Vec<(i64, RunPart)>,
    /// Remarks on jobs.
    pub(super) remarks: Vec<Remark>,
    /// Numbers that are no figures: negative, or beyond any counter.
    pub(super) wild: u64,
    /// True when histograms were found (`json+`).
    pub(super) bins: bool,
}

/// An entry with what was concluded about it.
struct Entry<'a> {
    job: &'a JobEntry,
    options: BTreeMap<String, String>,
    clones: u32,
    /// Number of its first log, counted within its host.
    log_number: u32,
    /// Entries of the same job, this one included.
    siblings: u32,
}

/// The runs of a document, which gives its jobs' options to them.
pub(super) fn parts(document: &mut Document) -> DocumentParts {
    let own_options = document.take_job_options();
    let document = &*document;
    let mut groups: BTreeMap<i64, Vec<Entry<'_>>> = BTreeMap::new();
    for entry in entries(document, own_options) {
        groups.entry(entry.job.group.code()).or_default().push(entry);
    }
    let mut out = DocumentParts::default();
    let alone = groups.len() == 1;
    let shared = of_document(document);
    for (group, entries) in groups {
        let jobs: Vec<&JobEntry> = entries.iter().map(|entry| entry.job).collect();
        let mut part = RunPart {
            tool: Tool { name: "fio".to_owned(), version: document.plain_version().map(str::to_owned) },
            label: common(entries.iter().map(|e| e.job.name.as_str()).filter(|n| !n.is_empty()))
                .map(str::to_owned),
            first_log_number: entries.first().map_or(1, |entry| entry.log_number),
            dimensions: dimensions(&entries),
            environment: environment(&shared, &jobs),
            log_prefixes: log_prefixes(&entries),
            ..RunPart::default()
        };
        let starts = || jobs.iter().filter_map(|job| job.job_start.count()).filter(|&ms| ms > 0);
        let apart = starts().min().zip(starts().max()).and_then(|(first, last)| started_apart(first, last));
        out.remarks.extend(apart.map(|text| Remark::new(Severity::Warning, text)));
        let busy: usize = jobs.iter().map(|job| busy_directions(document, job).count()).sum();
        part.summaries.reserve(MOST_SUMMARIES * busy + 2 * jobs.len());
        for entry in entries {
            add_job(document, entry, &mut part, &mut out);
        }
        // The busy time of disks is of the whole document; with several groups it is nobody's.
        let disks = document.disks.as_slice().iter();
        let busy = utilisation(disks.map(|disk| (disk.util.figure(), disk.aggr_util.figure())));
        if alone && let Some(busy) = busy {
            part.summaries.push(figure(Metric::Util, None, busy));
        }
        out.parts.push((group, part));
    }
    out
}

/// The jobs of a document; their own options stand in their order.
fn entries(document: &Document, own_options: Vec<OptionSets>) -> Vec<Entry<'_>> {
    type Client<'a> = (&'a str, i64);
    fn client(job: &JobEntry) -> Client<'_> {
        (job.hostname.as_str(), job.port.code())
    }
    fn identity(job: &JobEntry) -> (i64, &str, Client<'_>) {
        (job.group.code(), job.name.as_str(), client(job))
    }
    let mut siblings: BTreeMap<(i64, &str, Client<'_>), u32> = BTreeMap::new();
    for job in document.job_entries() {
        *siblings.entry(identity(job)).or_default() += 1;
    }
    let mut next_number: BTreeMap<Client<'_>, u32> = BTreeMap::new();
    let entries = document.job_entries().zip(own_options).map(|(job, own)| {
        let options = effective_options(document, job, own);
        let siblings = siblings.get(&identity(job)).copied().unwrap_or(1);
        let numjobs = options.get("numjobs").and_then(|n| n.trim().parse().ok()).unwrap_or(1).max(1);
        // `group_reporting` is often missing among the options: the number of entries tells.
        let clones = if siblings == 1 { numjobs } else { 1 };
        // Every server counts its own threads, and its logs carry its name.
        let number = next_number.entry(client(job)).or_insert(1);
        let log_number = *number;
        *number = number.saturating_add(clones);
        Entry { job, options, clones, log_number, siblings }
    });
    entries.collect()
}

/// Global options under those of the job, its `own`. With several clients the global ones are an array
/// with a `hostname` and `port` in each.
fn effective_options(document: &Document, job: &JobEntry, own: OptionSets) -> BTreeMap<String, String> {
    let mut own = own.0.unwrap_or_default().into_iter();
    let mut options = own.next().unwrap_or_default();
    options.extend(own.flatten());
    let global = document.global_options.0.as_deref().unwrap_or_default();
    let several = global.len() > 1;
    // Of several values the last one counts, and those of the job are there already.
    for set in global.iter().rev() {
        let others = |key: &str, own: &str| set.get(key).is_some_and(|value| value != own);
        let port = || job.port.count().map(|port| port.to_string()).unwrap_or_default();
        if several && (others("hostname", job.hostname.as_str()) || others("port", &port())) {
            continue;
        }
        let of_client = |key: &str| several && (key == "hostname" || key == "port");
        for (key, value) in set.iter().filter(|(key, _)| !of_client(key)) {
            if !options.contains_key(key) {
                options.insert(key.clone(), value.clone());
            }
        }
    }
    options
}

/// What all entries agree on.
fn dimensions(entries: &[Entry<'_>]) -> BTreeMap<Dimension, Value> {
    let mut agreed = entries.first().map(entry_dimensions).unwrap_or_default();
    for entry in entries.iter().skip(1) {
        let own = entry_dimensions(entry);
        agreed.retain(|dimension, value| own.get(dimension) == Some(value));
    }
    // Sections that ran together: each states its own clones, and the run has them all.
    if entries.first().is_some_and(|first| (first.siblings as usize) < entries.len()) {
        let jobs = jobs_at_once(entries.iter().map(|entry| entry.clones));
        agreed.insert(Dimension::Numjobs, jobs);
    }
    agreed
}

fn entry_dimensions(entry: &Entry<'_>) -> BTreeMap<Dimension, Value> {
    let mut dimensions = labels::from_options(&entry.options);
    let mut default = |dimension: Dimension, text: &str| {
        let value = |dimension: &Dimension| Value::canonical(dimension, text);
        dimensions.entry(dimension).or_insert_with_key(value);
    };
    let stated = !entry.options.is_empty();
    if stated || entry.siblings > 1 {
        default(Dimension::Numjobs, &entry.siblings.to_string());
    }
    if stated {
        // Source: fio HOWTO, defaults of `blocksize` and `iodepth`.
        default(Dimension::Bs, "4k");
        default(Dimension::Iodepth, "1");
    }
    if let Some(host) = host(entry.job) {
        default(Dimension::Host, host);
    }
    dimensions
}

/// Base names of the logs that the options ask for.
fn log_prefixes(entries: &[Entry<'_>]) -> BTreeMap<LogKind, Vec<String>> {
    const LOGS: [(&str, &[LogKind]); 4] = [
        ("write_bw_log", &[LogKind::Bw]),
        ("write_iops_log", &[LogKind::Iops]),
        ("write_lat_log", &[LogKind::Lat, LogKind::Clat, LogKind::Slat]),
        ("write_hist_log", &[LogKind::ClatHist]),
    ];
    let mut prefixes: BTreeMap<LogKind, Vec<String>> = BTreeMap::new();
    for entry in entries {
        for (option, kinds) in LOGS {
            let Some(value) = entry.options.get(option) else { continue };
            let base = value.rsplit(['/', '\\']).next().unwrap_or(value);
            let base = if base.is_empty() { entry.job.name.as_str() } else { base };
            for &kind in kinds {
                let known = prefixes.entry(kind).or_default();
                if !base.is_empty() && !known.iter().any(|k| k == base) {
                    known.push(base.to_owned());
                }
            }
        }
    }
    prefixes.retain(|_, names| !names.is_empty());
    prefixes
}

/// Summaries of a direction at most: two rates, three kinds of latency.
const MOST_SUMMARIES: usize = 5;

/// The directions of a job that did anything, with the bytes and the I/Os that each moved.
fn busy_directions<'a>(
    document: &'a Document,
    job: &'a JobEntry,
) -> impl Iterator<Item = (Ddir, &'a Direction, Option<u64>, Option<u64>)> {
    job.directions().filter_map(move |(ddir, direction)| {
        let bytes = moved_bytes(document, direction);
        let ios = direction.total_ios.count();
        let idle = ios.unwrap_or(0) == 0 && bytes.unwrap_or(0) == 0;
        (!idle).then_some((ddir, direction, bytes, ios))
    })
}

fn add_job(document: &Document, entry: Entry<'_>, part: &mut RunPart, out: &mut DocumentParts) {
    let index = part.jobs.len();
    let mut job = Job {
        name: entry.job.name.as_str().to_owned(),
        host: host(entry.job).map(str::to_owned),
        clones: entry.clones,
        error: entry.job.error.code(),
        options: entry.options,
        ..Job::default()
    };
    for (ddir, direction, bytes, ios) in busy_directions(document, entry.job) {
        job.runtime_ms.extend(direction.runtime.figure().map(|ms| (ddir, ms)));
        job.bytes.extend(bytes.map(|bytes| (ddir, bytes)));
        job.ios.extend(ios.map(|ios| (ddir, ios)));
        let before = part.summaries.len();
        rates(direction, bytes, &mut part.summaries);
        latencies(document, direction, &mut part.summaries);
        for summary in &mut part.summaries[before..] {
            (summary.ddir, summary.job) = (ddir, Some(index));
            out.bins |= summary.histogram.is_some();
        }
        out.wild += wild_figures(direction);
    }
    let busy = |ddir| job.ios.contains_key(&ddir) || job.bytes.contains_key(&ddir);
    for ddir in idle_directions(entry.job, &job.options, busy) {
        part.summaries.extend(nothing(ddir, index));
        let message = format!("job `{}` was asked for {ddir}s and made none: it counts as 0 IOPS", job.name);
        out.remarks.push(Remark::new(Severity::Warning, message));
    }
    if let Some(section) = &entry.job.sync
        && let Some(summary) = syncs(document, section)
    {
        out.bins |= summary.histogram.is_some();
        part.summaries.push(Summary { job: Some(index), ..summary });
        out.wild += wild_figures(section);
    }
    if !job.ios.is_empty() || !job.bytes.is_empty() {
        let (usr, sys) = (entry.job.usr_cpu.figure(), entry.job.sys_cpu.figure());
        if usr.is_some() || sys.is_some() {
            let share = (usr.unwrap_or(0.0) + sys.unwrap_or(0.0)) / 100.0;
            part.summaries.push(figure(Metric::Cpu, Some(index), share));
        }
    }
    if let Some(n) = entry.job.total_errors.count().filter(|&n| n > 0 && job.error == 0) {
        out.remarks.push(Remark::new(Severity::Warning, survived(&job.name, n)));
    }
    part.jobs.push(job);
}
