//! elbencho's CSV file (`--csvfile`).
//!
//! In: a header row and a row for each phase, in any order of columns. Out: one run for each phase
//! that moves data, with its figures when the last thread was done (`[last]`); how much earlier the
//! first was done is noted. Phases on directories and the like are counted and passed over.

#[cfg(test)]
mod tests;

use super::words::{self, MIB, Reading, US, broken};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric};
use std::collections::BTreeMap;
use std::io::Read;

/// Reader of elbencho's CSV.
pub struct Elbencho;

/// Share of the time by which the first thread may be ahead without a remark.
const AHEAD: f64 = 0.1;

impl Format for Elbencho {
    fn name(&self) -> &'static str {
        "elbencho"
    }

    fn describe(&self) -> &'static str {
        "elbencho --csvfile: ISO date,...,operation,time ms [first],time ms [last],...,IOPS [last],... / 2026-..,READ,846,905,..."
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let first = text.trim_start_matches('\u{feff}').lines().next()?;
        let columns: Vec<&str> = first.split(',').map(|name| name.trim().trim_matches('"')).collect();
        let own = ["operation", "time ms [last]"].iter().all(|name| columns.contains(name));
        own.then(|| Claim { reason: format!("header of elbencho's CSV, {} columns", columns.len()) })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading::default();
        let rows = words::ended(text.trim_start_matches('\u{feff}'), &mut reading);
        let mut table =
            csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(rows.as_bytes());
        let header =
            table.headers().map_err(|error| broken(1, format!("expected a header row: {error}")))?.clone();
        reading.layout = Some(format!("{} columns", header.len()));
        let mut passed: BTreeMap<String, u64> = BTreeMap::new();
        let mut record = csv::StringRecord::new();
        while table
            .read_record(&mut record)
            .map_err(|e| broken(None, format!("expected a row of CSV: {e}")))?
        {
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != header.len() {
                let (expected, found) = (header.len(), record.len());
                reading.skip(
                    line,
                    format!("expected {expected} columns as in the header, found {found}; left out"),
                );
                continue;
            }
            reading.rows += 1;
            let row = Row { header: &header, record: &record, line };
            let operation = row.text("operation").to_ascii_uppercase();
            match direction(&operation) {
                // With several appended files the header stands in between.
                None if operation == "OPERATION" => {}
                None => *passed.entry(operation).or_default() += 1,
                Some(ddir) => read_phase(&row, &operation, ddir, &mut reading),
            }
        }
        if !passed.is_empty() {
            let names: Vec<String> = passed.iter().map(|(name, rows)| format!("{name} ({rows})")).collect();
            reading.inform(None, format!("phases that move no data are left out: {}", names.join(", ")));
        }
        reading.finish("no phase that moves data")
    }
}

/// `WRITE`, `READ`, and the mixed phases `RWMIX70` (share of reads) and `RWMIX-T4` (reading threads).
fn direction(operation: &str) -> Option<Ddir> {
    match operation {
        "READ" => Some(Ddir::Read),
        "WRITE" => Some(Ddir::Write),
        _ => operation.starts_with("RWMIX").then_some(Ddir::Mixed),
    }
}

struct Row<'a> {
    header: &'a csv::StringRecord,
    record: &'a csv::StringRecord,
    line: u64,
}

impl Row<'_> {
    fn text(&self, column: &str) -> &str {
        let at = self.header.iter().position(|name| name == column);
        at.and_then(|at| self.record.get(at)).unwrap_or_default()
    }

    /// The number in a column; None where it is empty or absent, with a remark where it is no number.
    fn number(&self, column: &str, reading: &mut Reading) -> Option<f64> {
        match self.text(column) {
            "" => None,
            text => reading.cell(self.line, column, text),
        }
    }
}

fn read_phase(row: &Row<'_>, operation: &str, ddir: Ddir, reading: &mut Reading) {
    let version = Some(row.text("version")).filter(|v| !v.is_empty());
    let mut part = RunPart::of_tool("elbencho", version, operation.to_ascii_lowercase());
    let seconds = row.number("time ms [last]", reading).filter(|ms| *ms > 0.0).map(|ms| ms / 1000.0);
    // Of a mixed phase the plain columns are its writes.
    let sides: &[(&str, Ddir)] =
        if ddir == Ddir::Mixed { &[("", Ddir::Write), ("rwmix read ", Ddir::Read)] } else { &[("", ddir)] };
    for &(prefix, ddir) in sides {
        // MiB/s is cut to a whole number; MiB over ms keeps more.
        let moved = row.number(&format!("{prefix}MiB [last]"), reading).filter(|mib| *mib > 0.0);
        let printed = row.number(&format!("{prefix}MiB/s [last]"), reading).map(|mib| mib * MIB);
        let rate = moved.and_then(|mib| Some(mib * MIB / seconds?)).or(printed);
        part.mean(Metric::Bw, ddir, rate);
        part.mean(Metric::Iops, ddir, row.number(&format!("{prefix}IOPS [last]"), reading));
        let mut latency =
            |stat: &str| row.number(&format!("{prefix}IO lat us [{stat}]"), reading).map(|us| us * US);
        let (min, mean, max) = (latency("min"), latency("avg"), latency("max"));
        if mean.is_some() {
            let summary = part.summary(Metric::Lat, ddir);
            (summary.min, summary.mean, summary.max) = (min, mean, max);
        }
        if let (Some(seconds), Some(job)) = (seconds, part.jobs.first_mut()) {
            job.runtime_ms.insert(ddir, seconds * 1000.0);
        }
    }
    if part.summaries.is_empty() {
        reading.skip(row.line, format!("expected IOPS or MiB/s of {operation}, found neither; left out"));
        return;
    }
    part.state(Dimension::Rw, words::workload(row.text("random") == "1", ddir));
    part.state(
        words::other("rwmixread"),
        operation.strip_prefix("RWMIX").filter(|n| n.parse::<u8>().is_ok()).unwrap_or_default(),
    );
    part.state(Dimension::Bs, row.text("block size"));
    part.state(Dimension::Iodepth, row.text("IO depth"));
    part.state(Dimension::Numjobs, row.text("threads"));
    part.state(Dimension::Direct, row.text("direct IO"));
    part.state(words::other("size"), row.text("file size"));
    if !matches!(row.text("hosts"), "" | "0" | "1") {
        part.state(words::other("hosts"), row.text("hosts"));
    }
    part.label =
        Some(row.text("label")).filter(|label| !label.is_empty()).map(|l| format!("{l} {}", part.key));
    part.note("time", row.text("ISO date"));
    part.note("command", row.text("command"));
    if let (Some(first), Some(last)) = (row.number("time ms [first]", reading), seconds)
        && first < last * 1000.0 * (1.0 - AHEAD)
    {
        let last = last * 1000.0;
        let share = (1.0 - first / last) * 100.0;
        part.note("imbalance", &format!("the first thread was done after {first} of {last} ms"));
        let message = format!(
            "{operation}: the first thread was done {share:.0} % before the last; the figures are those at the end"
        );
        reading.inform(Some(row.line), message);
    }
    reading.parts.push(part);
}
