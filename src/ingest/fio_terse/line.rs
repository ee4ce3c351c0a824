//! One line of terse output.
//!
//! In: a line. Out: a job in base units; or what is wrong with it, when it begins as such a line
//! and does not go on as one. Source of the field order: fio's `stat.c`
//! (`show_thread_status_terse_*`) at tags 1.1 to 3.42.

use crate::ingest::fio_report::quantity::{number, percent};
use crate::ingest::fio_report::{DirectionReport, DiskReport, JobReport};
use crate::model::{Ddir, Metric, Summary};
use std::collections::BTreeMap;

/// Fields behind the directions: processor (5), depths (7), latencies up to 1000 us (10) and above (12).
const TAIL: usize = 34;
/// Fields of a disk: name, I/Os, merges and ticks of reads and writes, time in queue, busy time.
const DISK: usize = 9;
/// Percentiles of a direction.
const PERCENTILES: usize = 20;

/// A line, understood.
#[derive(Debug)]
pub(super) enum Reading {
    /// No terse output.
    Other,
    /// A job.
    Job(Box<TerseJob>),
    /// Terse output that is cut or mixed up.
    Broken(String),
}

/// The job of a line.
#[derive(Debug, Clone)]
pub(super) struct TerseJob {
    pub(super) terse_version: u8,
    /// Version of fio, without its `fio-`; not in terse version 2 and before.
    pub(super) version: Option<String>,
    pub(super) report: JobReport,
    pub(super) disks: Vec<DiskReport>,
    /// The disks' fields as written: equal in all lines of one report.
    pub(super) disk_text: String,
}

/// The terse version of a line of terse output, whole or not: 2 to 5, 1 for the form without a version.
pub(super) fn terse_version(line: &str) -> Option<u8> {
    let fields: Vec<&str> = line.splitn(64, ';').collect();
    let integer = |at: usize| fields.get(at).is_some_and(|f| !f.is_empty() && f.parse::<i64>().is_ok());
    match (*fields.first()?, *fields.get(1)?) {
        (version @ ("3" | "4" | "5"), fio) if fio.starts_with("fio-") => version.parse().ok(),
        ("2", _) if integer(2) && integer(3) && fields.get(18).is_some_and(|f| f.contains("%=")) => Some(2),
        // Behind name, group and error: 13 numbers and a percentage.
        (name, _) if !name.is_empty() && integer(1) && integer(2) => {
            let figures = fields.get(3..16)?;
            (figures.iter().all(|f| number(f).is_some()) && percent(fields.get(16)?).is_some()).then_some(1)
        }
        _ => None,
    }
}

/// What a direction's fields are.
#[derive(Clone, Copy)]
struct Shape {
    header: usize,
    fields: usize,
    iops: bool,
    samples: bool,
    /// Directions without a mixed one.
    directions: &'static [Ddir],
}

impl Shape {
    fn of(terse_version: u8) -> Shape {
        const TWO: &[Ddir] = &[Ddir::Read, Ddir::Write];
        const THREE: &[Ddir] = &[Ddir::Read, Ddir::Write, Ddir::Trim];
        match terse_version {
            1 => Shape { header: 3, fields: 16, iops: false, samples: false, directions: TWO },
            2 => Shape { header: 4, fields: 41, iops: true, samples: false, directions: THREE },
            3 => Shape { header: 5, fields: 41, iops: true, samples: false, directions: TWO },
            4 => Shape { header: 5, fields: 41, iops: true, samples: false, directions: THREE },
            _ => Shape { header: 5, fields: 47, iops: true, samples: true, directions: THREE },
        }
    }
}

/// Understands a line.
pub(super) fn read_line(line: &str) -> Reading {
    let Some(terse_version) = terse_version(line) else { return Reading::Other };
    let shape = Shape::of(terse_version);
    let fields: Vec<&str> = line.split(';').map(str::trim).collect();
    // A direction has its percentiles at a fixed place, the fields behind the directions have none.
    let is_direction = |at: usize| {
        if !shape.iops {
            return at < shape.header + 2 * shape.fields;
        }
        let percentiles = fields.get(at + 12..at + 12 + PERCENTILES);
        percentiles.is_some_and(|fields| fields.iter().all(|field| field.contains("%=")))
    };
    let starts: Vec<usize> = (0..4)
        .map(|n| shape.header + n * shape.fields)
        .take_while(|&at| at + shape.fields <= fields.len() && is_direction(at))
        .collect();
    let tail = shape.header + starts.len() * shape.fields;
    let least = match (terse_version, starts.len()) {
        (_, 1) if shape.iops && fields.get(tail).is_some_and(|field| field.ends_with('%')) => 1,
        // Trims came with 2.1.
        (2, whole) => whole.max(2),
        _ => starts.len().max(shape.directions.len()),
    };
    let expected = shape.header + least * shape.fields + TAIL;
    if fields.len() < expected || starts.is_empty() {
        return Reading::Broken(format!(
            "expected at least {expected} fields (terse version {terse_version}), found {}; the line is cut: \
             copy the file again, or let fio finish and write it anew",
            fields.len()
        ));
    }
    let (usr, sys) =
        (fields.get(tail).and_then(|f| percent(f)), fields.get(tail + 1).and_then(|f| percent(f)));
    let (Some(usr), Some(sys)) = (usr, sys) else {
        return Reading::Broken(format!(
            "field {}: expected the processor time in percent behind {} directions (terse version {terse_version}), \
             found `{}`; this line is none that fio writes: copy the file again",
            tail + 1,
            starts.len(),
            fields.get(tail).copied().unwrap_or_default().chars().take(40).collect::<String>()
        ));
    };
    let ddirs: &[Ddir] = match (starts.len(), shape.directions) {
        (1, _) => &[Ddir::Mixed],
        (3, [_, _]) => &[Ddir::Read, Ddir::Write, Ddir::Mixed],
        (4, _) => &[Ddir::Read, Ddir::Write, Ddir::Trim, Ddir::Mixed],
        (_, directions) => directions,
    };
    let directions = ddirs
        .iter()
        .zip(&starts)
        .filter_map(|(&ddir, &at)| direction(ddir, fields.get(at..at + shape.fields)?, shape));
    let head = &fields[shape.header - 3..shape.header];
    let mut report = JobReport {
        name: head[0].to_owned(),
        group: head[1].parse().unwrap_or_default(),
        error: head[2].parse().unwrap_or_default(),
        directions: directions.collect(),
        cpu: Some((usr + sys) / 100.0),
        ..JobReport::default()
    };
    let mut rest = fields.get(tail + TAIL..).unwrap_or_default();
    let mut disks = Vec::new();
    let all = rest;
    while let Some((disk, others)) = rest.split_at_checked(DISK).and_then(|(d, r)| Some((read_disk(d)?, r))) {
        disks.push(disk);
        rest = others;
    }
    let disk_text = all[..all.len() - rest.len()].join(";");
    // Total and first error, with `continue_on_error`.
    if let [total, first, others @ ..] = rest
        && let (Ok(total), Ok(_)) = (total.parse(), first.parse::<i64>())
    {
        report.survived_errors = total;
        rest = others;
    }
    report.description = Some(rest.join(";")).filter(|text| !text.is_empty());
    let version = fields.get(1).and_then(|f| f.strip_prefix("fio-")).filter(|_| terse_version > 2);
    Reading::Job(Box::new(TerseJob {
        terse_version,
        version: version.map(str::to_owned),
        report,
        disks,
        disk_text,
    }))
}

fn read_disk(fields: &[&str]) -> Option<DiskReport> {
    let (name, figures) = fields.split_first()?;
    let (util, counts) = figures.split_last()?;
    let plain = counts.iter().all(|count| count.parse::<u64>().is_ok());
    (plain && !name.is_empty()).then_some(())?;
    Some(DiskReport { name: (*name).to_owned(), util: Some(percent(util)?), aggr_util: None })
}

/// The figures of a direction; None when it moved nothing.
fn direction(ddir: Ddir, fields: &[&str], shape: Shape) -> Option<DirectionReport> {
    let figure = |at: usize| fields.get(at).and_then(|field| number(field));
    // Without IOPS, everything behind the bandwidth stands one field earlier.
    let runtime_at = if shape.iops { 3 } else { 2 };
    let bytes = figure(0).map(|kib| kib * 1024.0);
    let runtime_ms = figure(runtime_at);
    let slat = runtime_at + 1;
    let clat = slat + 4;
    let lat = clat + 4 + PERCENTILES;
    let samples = if shape.iops { lat + 4 } else { clat + 4 };
    let idle = [0, 1, 2, clat + 1].iter().all(|&at| figure(at).unwrap_or(0.0) == 0.0);
    if idle {
        return None;
    }
    let measured = || Some(bytes? * 1000.0 / runtime_ms.filter(|&ms| ms > 0.0)?);
    // Whole KiB/s: a rate below one reads 0. Before 2.0 the field counts 1000 bytes [fio 1.38].
    let printed = figure(1).filter(|&bw| bw > 0.0).map(|kib| kib * 1024.0);
    let bw = if shape.iops { printed.or_else(measured) } else { measured().or(printed) };
    let mut summaries = Vec::new();
    if bw.is_some() {
        let count = if shape.samples { figure(samples + 5) } else { None };
        let sampled = count.map_or(figure(samples + 1).unwrap_or(0.0) > 0.0, |count| count > 0.0);
        let spread = |at: usize| figure(at).filter(|_| sampled).map(|kib| kib * 1024.0);
        summaries.push(Summary {
            mean: bw,
            min: spread(samples),
            max: spread(samples + 1),
            stddev: spread(samples + 4),
            count: count.map(|n| n as u64).filter(|&n| n > 0),
            ..Summary::new(Metric::Bw, ddir, None)
        });
    }
    if let Some(iops) = figure(2).filter(|_| shape.iops) {
        let count = if shape.samples { figure(samples + 10).filter(|&n| n > 0.0) } else { None };
        let spread = |at: usize| figure(at).filter(|_| count.is_some());
        summaries.push(Summary {
            mean: Some(iops),
            min: spread(samples + 6),
            max: spread(samples + 7),
            stddev: spread(samples + 9),
            count: count.map(|n| n as u64),
            ..Summary::new(Metric::Iops, ddir, None)
        });
    }
    let percentiles =
        if shape.iops { percentiles(fields.get(clat + 4..lat).unwrap_or_default()) } else { Vec::new() };
    let kinds =
        [(Metric::Slat, Some(slat)), (Metric::Clat, Some(clat)), (Metric::Lat, shape.iops.then_some(lat))];
    for (metric, at) in kinds {
        let Some(at) = at else { continue };
        // fio writes zeros for what it did not measure.
        if figure(at + 1).unwrap_or(0.0) == 0.0 && figure(at + 2).unwrap_or(0.0) == 0.0 {
            continue;
        }
        let ns = |at: usize| figure(at).map(|us| us * 1000.0);
        summaries.push(Summary {
            min: ns(at),
            max: ns(at + 1),
            mean: ns(at + 2),
            stddev: ns(at + 3),
            percentiles: if metric == Metric::Clat { percentiles.clone() } else { Vec::new() },
            ..Summary::new(metric, ddir, None)
        });
    }
    Some(DirectionReport { ddir, bytes: bytes.map(|bytes| bytes as u64), ios: None, runtime_ms, summaries })
}

/// `99.000000%=462` in microseconds as quantile and nanoseconds; `0%=0` fills unused fields.
fn percentiles(fields: &[&str]) -> Vec<(f64, f64)> {
    let known = fields.iter().filter_map(|field| {
        let (key, value) = field.split_once("%=")?;
        let key = number(key).filter(|key| *key > 0.0 && *key <= 100.0)?;
        Some((key.to_bits(), (key / 100.0, number(value)? * 1000.0)))
    });
    // Positive floats sort by their bits.
    known.collect::<BTreeMap<_, _>>().into_values().collect()
}
