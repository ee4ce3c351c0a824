//! IOR's results, text and JSON, versions 3 and 4.
//!
//! In: the options of each test and its rows, named by their header. Out: one run for each row that
//! reads or writes, `repeat` telling repetitions apart, so that their spread is that of runs. The
//! summary of all tests repeats the rows and is not read. bw is MiB/s, latency is seconds.

mod json;
#[cfg(test)]
mod tests;

use super::words::{self, KIB, MIB, Reading, S};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric};
pub use json::IorJson;
use std::collections::BTreeMap;
use std::io::Read;

/// Reader of IOR's text.
pub struct Ior;

impl Format for Ior {
    fn name(&self) -> &'static str {
        "ior"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "IOR, text: access bw(MiB/s) IOPS Latency(s) block(KiB) xfer(KiB) ... / write 443.65 1981.01 0.000505 1024.00 256.00 ..."
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let shown = text.lines().any(|line| banner(line).is_some() || header(line).is_some());
        shown.then(|| Claim { reason: "IOR's banner or its table of access and bw(MiB/s)".to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading { layout: Some("text".to_owned()), ..Reading::default() };
        let mut options: BTreeMap<String, String> = BTreeMap::new();
        let mut columns: Option<Vec<&str>> = None;
        let mut started = None;
        for (number, line) in words::lines(&text) {
            if let Some(version) = banner(line) {
                reading.version.get_or_insert_with(|| version.to_owned());
                options.clear();
                (columns, started) = (None, Some(number));
                options.insert("version".to_owned(), version.to_owned());
            } else if line.trim_end() == "Options:" {
                columns = None;
            } else if let Some(names) = header(line) {
                columns = Some(names);
            } else if line.starts_with("Summary of all tests") || line.starts_with("Max Write") {
                columns = None;
            } else if let Some(names) = &columns {
                read_row(number, line, names, &options, &mut reading);
            } else if let Some((key, value)) = line.split_once(" : ").or_else(|| line.split_once(": ")) {
                options.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
            }
        }
        if let (true, true, Some(line)) = (reading.parts.is_empty(), reading.remarks.is_empty(), started) {
            let message = "expected a table of results (`access bw(MiB/s) ...`) behind the options, found none; let IOR finish";
            return Err(words::broken(line, message));
        }
        reading.finish("no row that reads or writes")
    }
}

/// Version in `IOR-4.0.0rc1: MPI Coordinated Test of Parallel I/O`.
fn banner(line: &str) -> Option<&str> {
    let (version, rest) = line.strip_prefix("IOR-")?.split_once(": ")?;
    rest.starts_with("MPI Coordinated").then_some(version)
}

/// The names of the columns.
fn header(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.split_whitespace().collect();
    (names.first() == Some(&"access") && names.contains(&"bw(MiB/s)")).then_some(names)
}

fn read_row(
    number: u64,
    line: &str,
    names: &[&str],
    options: &BTreeMap<String, String>,
    reading: &mut Reading,
) {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let Some(ddir) = cells.first().and_then(|access| direction(access)) else { return };
    if cells.len() != names.len() {
        let (expected, found) = (names.len(), cells.len());
        reading
            .skip(number, format!("expected {expected} columns as in the header, found {found}; left out"));
        return;
    }
    let mut row = Row { ddir, ..Row::default() };
    for (name, cell) in names.iter().zip(cells).filter(|(_, cell)| !matches!(*cell, "-" | "NA")) {
        let into = match *name {
            "bw(MiB/s)" => &mut row.mib,
            "IOPS" => &mut row.iops,
            "Latency(s)" => &mut row.latency,
            "xfer(KiB)" => &mut row.xfer_kib,
            "total(s)" => &mut row.seconds,
            "iter" => &mut row.iteration,
            _ => continue,
        };
        match reading.cell(number, name, cell) {
            Some(value) => *into = Some(value),
            None => return,
        }
    }
    reading.rows += 1;
    reading.parts.push(row.part(options));
}

fn direction(access: &str) -> Option<Ddir> {
    match access {
        "read" => Some(Ddir::Read),
        "write" => Some(Ddir::Write),
        _ => None,
    }
}

/// One repetition of one access, in IOR's units.
#[derive(Debug)]
struct Row {
    ddir: Ddir,
    mib: Option<f64>,
    iops: Option<f64>,
    latency: Option<f64>,
    xfer_kib: Option<f64>,
    seconds: Option<f64>,
    iteration: Option<f64>,
}

impl Default for Row {
    fn default() -> Self {
        Row {
            ddir: Ddir::Read,
            mib: None,
            iops: None,
            latency: None,
            xfer_kib: None,
            seconds: None,
            iteration: None,
        }
    }
}

impl Row {
    /// The run, with what the options (lower-case keys) say.
    fn part(&self, options: &BTreeMap<String, String>) -> RunPart {
        let option = |key: &str| options.get(key).map(String::as_str).unwrap_or_default();
        let several = words::number(option("repetitions")).is_some_and(|n| n > 1.0);
        let repeat = self.iteration.filter(|_| several).map(|i| i as u64 + 1);
        let key = match repeat {
            Some(repeat) => format!("{}.rep{repeat}", self.ddir),
            None => self.ddir.to_string(),
        };
        let version = Some(option("version")).filter(|version| !version.is_empty());
        let mut part = RunPart::of_tool("ior", version, key);
        part.mean(Metric::Bw, self.ddir, self.mib.map(|mib| mib * MIB));
        part.mean(Metric::Iops, self.ddir, self.iops);
        part.mean(Metric::Lat, self.ddir, self.latency.filter(|s| *s > 0.0).map(|s| s * S));
        let random = option("ordering in a file").starts_with("random");
        part.state(Dimension::Rw, words::workload(random, self.ddir));
        match self.xfer_kib {
            Some(kib) => part.state(Dimension::Bs, &((kib * KIB).round() as u64).to_string()),
            None => part.state(Dimension::Bs, option("xfersize").trim_end_matches(" bytes")),
        }
        part.state(Dimension::Numjobs, option("tasks"));
        part.state(Dimension::Engine, option("api"));
        part.state(words::other("size"), option("aggregate filesize").trim_end_matches(" bytes"));
        part.state(words::other("access"), option("access"));
        if option("nodes") != "1" {
            part.state(words::other("nodes"), option("nodes"));
        }
        if let Some(repeat) = repeat {
            part.state(Dimension::Repeat, &repeat.to_string());
        }
        if let (Some(seconds), Some(job)) = (self.seconds, part.jobs.first_mut()) {
            job.runtime_ms.insert(self.ddir, seconds * 1000.0);
        }
        part.note("command", option("command line"));
        part.note("machine", option("machine"));
        part.note("time", option("began"));
        part
    }
}
