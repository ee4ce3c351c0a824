//! What a run's options and dimensions say about its load.
//!
//! In: a run. Out: facts that several stages of the analysis need. What the run does not say is
//! None; the defaults of fio stand in where its options are known (fio HOWTO).

use crate::model::{Dimension, Run, RunRecord, Value};

/// fio's engines that have one I/O in flight, whatever `iodepth` says (fio HOWTO, `iodepth`:
/// "increasing iodepth beyond 1 will not affect synchronous ioengines"). `vsync` is not among
/// them, as it gathers adjacent I/Os.
const SYNCHRONOUS: &[&str] = &[
    "sync",
    "psync",
    "pvsync",
    "pvsync2",
    "mmap",
    "splice",
    "falloc",
    "ftruncate",
    "dev-dax",
    "libpmem",
    "mtd",
];

/// Options that fio's banner and its count of processes tell, all that normal and terse output say of a job.
const ANNOUNCED: &[&str] = &["rw", "bs", "ioengine", "iodepth", "numjobs"];

/// How an engine treats a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    /// One I/O at a time.
    Synchronous,
    /// As many as `iodepth` says.
    Queueing,
    /// Not stated; fio then takes the platform's own, psync on Linux.
    Unstated,
}

/// The engine of a run.
pub(super) fn engine(run: &Run) -> Engine {
    match run.value(&Dimension::Engine).map(Value::as_str) {
        Some(name) if SYNCHRONOUS.contains(&name) => Engine::Synchronous,
        Some(_) => Engine::Queueing,
        None => Engine::Unstated,
    }
}

/// True for a run of fio whose options are all known, so that fio's default stands for what is not among them.
///
/// JSON lists every option that was set, and no job runs on those of a banner alone: it needs a file or a size.
pub(super) fn lists_options(run: &Run) -> bool {
    run.tool.name == "fio" && run.options.keys().any(|key| !ANNOUNCED.contains(&key.as_str()))
}

/// True for direct I/O, false for I/O through the page cache.
pub(super) fn direct(run: &Run) -> Option<bool> {
    match run.value(&Dimension::Direct).map(Value::as_str) {
        Some("1") => Some(true),
        Some("0") => Some(false),
        Some(_) => None,
        // Source: fio HOWTO, `direct` defaults to false.
        None => lists_options(run).then_some(false),
    }
}

/// Processes or threads that ran at once.
pub(super) fn jobs(run: &Run) -> f64 {
    let clones: u64 = run.jobs.iter().map(|job| u64::from(job.clones.max(1))).sum();
    if clones > 1 {
        return clones as f64;
    }
    run.value(&Dimension::Numjobs).and_then(Value::number).filter(|jobs| *jobs >= 1.0).unwrap_or(1.0)
}

/// Queue depth of one job, as it was asked for.
pub(super) fn depth(run: &Run) -> Option<f64> {
    run.value(&Dimension::Iodepth).and_then(Value::number).filter(|depth| *depth >= 1.0)
}

/// I/Os that all jobs together may have in flight; a synchronous engine has one a job.
pub(super) fn in_flight(run: &Run) -> Option<f64> {
    if engine(run) == Engine::Synchronous {
        return Some(jobs(run));
    }
    let one = |options: &std::collections::BTreeMap<String, String>| {
        options.get("iodepth").and_then(|text| text.trim().parse::<f64>().ok()).filter(|depth| *depth >= 1.0)
    };
    let stated: Option<f64> =
        run.jobs.iter().map(|job| Some(f64::from(job.clones.max(1)) * one(&job.options)?)).sum();
    match stated {
        Some(sum) if run.jobs.len() > 1 => Some(sum),
        _ => Some(jobs(run) * depth(run)?),
    }
}

/// Block size in bytes, where it is one size.
pub(super) fn block_size(run: &Run) -> Option<f64> {
    run.value(&Dimension::Bs).and_then(Value::number).filter(|bytes| *bytes > 0.0)
}

/// Bytes of a size text such as `4G`, `512 MiB` (1024-based, as fio reads them).
pub(super) fn bytes(text: &str) -> Option<f64> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    Value::canonical(&Dimension::Bs, &compact).number().filter(|bytes| *bytes > 0.0)
}

/// Bytes that the run reads or writes over again: `size` of each job, once where they share a file.
pub(super) fn file_size(run: &Run) -> Option<f64> {
    let stated = ["filesize", "size"].iter().find_map(|key| run.options.get(*key));
    if let Some(text) = stated {
        let shared = run.options.contains_key("filename");
        return Some(bytes(text)? * if shared { 1.0 } else { jobs(run) });
    }
    bytes(run.value(&Dimension::Other("size".to_owned()))?.as_str())
}

/// How long the run took, ms: as reported, else up to the last stamp of its logs.
pub(super) fn duration_ms(record: &RunRecord) -> Option<f64> {
    let reported = record.run.jobs.iter().flat_map(|job| job.runtime_ms.values().copied()).reduce(f64::max);
    let logged = record.run.series.iter().map(|series| series.last_ms as f64).reduce(f64::max);
    reported.or(logged).filter(|ms| ms.is_finite() && *ms > 0.0)
}

/// True when an option is there and says anything but `0`, in any job.
pub(super) fn is_set(run: &Run, key: &str) -> bool {
    let all = std::iter::once(&run.options).chain(run.jobs.iter().map(|job| &job.options));
    all.filter_map(|options| options.get(key)).any(|value| !matches!(value.trim(), "0" | "none" | "false"))
}
