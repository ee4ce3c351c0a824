//! The lines of a job's block, one at a time.
//!
//! In: a trimmed line. Out: what it states, in base units where its unit is sure. Source of the
//! forms: fio's `stat.c` at tags 1.1 to 3.42.

use crate::ingest::fio_report::DiskReport;
use crate::ingest::fio_report::quantity::{
    Spelling, bytes, bytes_in, count, field, milliseconds, number, percent,
};
use crate::model::{Ddir, Metric};

/// First line of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) group: i64,
    /// `jobs=N`: clones, or all jobs of the group (`group_reporting`).
    pub(super) jobs: u32,
    pub(super) error: i64,
    pub(super) pid: Option<i64>,
    /// When the report was written, since 2.0.
    pub(super) date: Option<String>,
}

pub(super) fn header(line: &str) -> Option<Header> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let (ids, rest) = rest.split_once("):")?;
    let (group, jobs) = ids.split_once(',').unwrap_or((ids, ""));
    let (_, error) = rest.split_once("err=")?;
    let error = error.trim_start();
    let end = error.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(error.len());
    // The error's text may hold anything; the last `pid=` is fio's.
    let pid = rest.rsplit_once("pid=").map(|(_, pid)| pid);
    let (pid, date) = match pid.map(|pid| pid.split_once(':').unwrap_or((pid, ""))) {
        Some((pid, date)) => (pid.trim().parse().ok(), date.trim()),
        None => (None, ""),
    };
    Some(Header {
        name: name.trim().to_owned(),
        group: group.trim().parse().ok()?,
        jobs: jobs.trim().strip_prefix("jobs=").and_then(|n| n.trim().parse().ok()).unwrap_or(1),
        error: error[..end].parse().unwrap_or_default(),
        pid,
        date: Some(date.to_owned()).filter(|date| !date.is_empty()),
    })
}

/// First line of a direction, amounts as printed: the unit of 1.x and 2.x may need the block size to be sure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rates {
    pub(super) ddir: Ddir,
    pub(super) spelling: Spelling,
    pub(super) io: String,
    pub(super) bw: String,
    pub(super) iops: Option<f64>,
    pub(super) runtime_ms: Option<f64>,
}

/// `read : io=199972KB, bw=99936KB/s, iops=24984, runt=  2001msec` to 2.16,
/// `read: IOPS=27.2k, BW=106MiB/s (112MB/s)(213MiB/2004msec)` since.
pub(super) fn rates(line: &str) -> Option<Rates> {
    let (word, rest) = line.split_once(':')?;
    let ddir = match word.trim_end() {
        "read" => Ddir::Read,
        "write" => Ddir::Write,
        "trim" => Ddir::Trim,
        "mixed" => Ddir::Mixed,
        _ => return None,
    };
    let rest = rest.trim_start();
    if rest.starts_with("IOPS=") {
        let bw = field(rest, "BW")?;
        // Two parentheses: the rate in the other unit, then amount and time.
        let bw_text = bw.split('(').next().unwrap_or(bw).trim();
        let last = rest.rfind('(').map(|at| &rest[at + 1..])?;
        let (io, time) = last.split_once(')')?.0.split_once('/')?;
        return Some(Rates {
            ddir,
            spelling: Spelling::Exact,
            io: io.trim().to_owned(),
            bw: bw_text.to_owned(),
            iops: field(rest, "IOPS").and_then(count),
            runtime_ms: Some(milliseconds(time)?),
        });
    }
    rest.starts_with("io=").then(|| Rates {
        ddir,
        spelling: Spelling::Binary,
        io: field(rest, "io").unwrap_or_default().to_owned(),
        bw: field(rest, "bw").unwrap_or_default().to_owned(),
        iops: field(rest, "iops").and_then(count),
        runtime_ms: field(rest, "runt").and_then(milliseconds),
    })
}

/// Smallest, largest, mean, standard deviation, number of samples.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spread {
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) mean: Option<f64>,
    pub(super) stddev: Option<f64>,
    pub(super) samples: Option<f64>,
}

fn spread(text: &str, scale: f64) -> Option<Spread> {
    let value = |key: &str| field(text, key).and_then(count).map(|n| n * scale);
    let found = Spread {
        min: value("min"),
        max: value("max"),
        mean: value("avg"),
        stddev: value("stdev"),
        samples: field(text, "samples").and_then(count),
    };
    // The last of them: without it the line is cut.
    (found.min.is_some() || found.max.is_some()).then_some(found)
}

/// `clat (usec): min=15, max=12048, avg=154.16, stdev=669.68` in ns; not `lat (usec): 50=6.74%`.
pub(super) fn latency(line: &str) -> Option<(Metric, Spread)> {
    let (metric, rest) = latency_kind(line)?;
    let (unit, rest) = rest.strip_prefix('(')?.split_once(')')?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    rest.starts_with("min=").then_some(())?;
    Some((metric, spread(rest, nanoseconds_in(unit)?)?))
}

/// `clat percentiles (usec):`: the metric and ns in a unit; None for what plotgen has no metric of.
pub(super) fn percentiles(line: &str) -> Option<Option<(Metric, f64)>> {
    let (before, unit) = line.split_once("percentiles (")?;
    let unit = unit.strip_suffix("):")?;
    let metric = latency_kind(before).filter(|(_, rest)| rest.is_empty()).map(|(metric, _)| metric);
    Some(metric.zip(nanoseconds_in(unit)))
}

fn latency_kind(line: &str) -> Option<(Metric, &str)> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let metric = match word {
        "lat" => Metric::Lat,
        "clat" => Metric::Clat,
        "slat" => Metric::Slat,
        "sync" => Metric::Fsync,
        _ => return None,
    };
    Some((metric, rest.trim()))
}

fn nanoseconds_in(unit: &str) -> Option<f64> {
    match unit.trim() {
        "nsec" => Some(1.0),
        "usec" => Some(1e3),
        "msec" => Some(1e6),
        "sec" => Some(1e9),
        _ => None,
    }
}

/// `|  1.00th=[   46],  5.00th=[   49],` as quantiles and values in the table's unit.
pub(super) fn percentile_cells(line: &str) -> Option<Vec<(f64, f64)>> {
    let cells = line.strip_prefix('|')?.split(']').filter_map(|cell| {
        let (key, value) = cell.split_once("th=[")?;
        let key = number(key.trim_start_matches([',', ' ']))?;
        (key > 0.0 && key <= 100.0).then_some((key / 100.0, number(value)?))
    });
    Some(cells.collect())
}

/// `bw (KB/s)  : min=70055, max=106344, ...` in bytes per second; `iops        : min=...`.
///
/// The samples are KiB/s whatever `kb_base` says: with it, fio writes `kB/s` above the same numbers [fio 3.33].
pub(super) fn samples(line: &str, spelling: Spelling) -> Option<(Metric, Spread)> {
    if let Some(rest) = line.strip_prefix("iops ") {
        let rest = rest.trim_start().strip_prefix(':')?;
        return Some((Metric::Iops, spread(rest, 1.0)?));
    }
    let (unit, rest) = line.strip_prefix("bw (")?.split_once(')')?;
    let rest = rest.trim_start().strip_prefix(':')?;
    let mut scale = bytes_in(unit, spelling)?;
    if spelling == Spelling::Exact && !unit.contains('i') {
        scale = scale / 1000.0 * 1024.0;
    }
    Some((Metric::Bw, spread(rest, scale)?))
}

/// `cpu          : usr=2.05%, sys=19.45%, ctx=12493`: user and system, as a share of one processor.
pub(super) fn cpu(line: &str) -> Option<f64> {
    let rest = line.strip_prefix("cpu ")?.trim_start().strip_prefix(':')?;
    let share = |key: &str| field(rest, key).and_then(percent);
    Some((share("usr")? + share("sys")?) / 100.0)
}

/// I/Os that were issued, reads, writes, trims, syncs: `issued rwts: total=1,2,3,0 short=`,
/// `issued    : total=r=1/w=2/d=3, short=`, `issued r/w: total=1/2, short=`.
pub(super) fn issued(line: &str) -> Option<[u64; 4]> {
    let rest = line.strip_prefix("issued")?;
    let (_, rest) = rest.split_once("total=")?;
    let (totals, _) = rest.split_once("short=")?;
    let mut numbers = totals.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
    let mut next = || numbers.next().map(str::parse::<u64>);
    let (read, write) = (next()?.ok()?, next()?.ok()?);
    let mut rest = || next().and_then(Result::ok).unwrap_or(0);
    Some([read, write, rest(), rest()])
}

/// The totals of a group in one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Total {
    pub(super) bytes: Option<f64>,
    pub(super) bytes_per_second: Option<f64>,
    /// Longest run time of a job.
    pub(super) runtime_ms: Option<f64>,
}

/// Totals of a group: `READ: io=..., aggrb=..., mint=2001msec, maxt=2004msec` to 2.16,
/// `READ: bw=106MiB/s (112MB/s), ..., io=213MiB (224MB), run=2004-2004msec` since.
pub(super) fn group_total(line: &str) -> Option<(Ddir, Total)> {
    let (word, rest) = line.split_once(':')?;
    let ddir = match word {
        "READ" => Ddir::Read,
        "WRITE" => Ddir::Write,
        "TRIM" => Ddir::Trim,
        "MIXED" => Ddir::Mixed,
        _ => return None,
    };
    let plain = |text: &'static str| field(rest, text).map(|value| value.split('(').next().unwrap_or(value));
    let old = plain("aggrb");
    let (spelling, bw, run) = match old {
        Some(bw) => (Spelling::Binary, Some(bw), plain("maxt")),
        None => (Spelling::Exact, plain("bw"), plain("run").and_then(|run| run.rsplit('-').next())),
    };
    let amount = |text: Option<&str>| text.and_then(|text| bytes(text, spelling));
    let runtime_ms = run.and_then(milliseconds);
    Some((ddir, Total { bytes: amount(plain("io")), bytes_per_second: amount(bw), runtime_ms }))
}

/// A line below `Disk stats`; arrays carry `aggrutil`.
pub(super) fn disk(line: &str) -> Option<DiskReport> {
    let (name, rest) = line.split_once(": ios=")?;
    let util = field(rest, "util").and_then(percent);
    let aggr_util = field(rest, "aggrutil").and_then(percent);
    (util.is_some() || aggr_util.is_some()).then(|| DiskReport {
        name: name.trim().to_owned(),
        util,
        aggr_util,
    })
}
