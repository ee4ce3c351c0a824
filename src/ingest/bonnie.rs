//! bonnie++'s CSV lines, versions 1.96 (48 fields) and 1.98 (50 fields, bonnie++ 2.00).
//!
//! In: lines that begin with the version of the format, maybe among other text. Out: one run for each
//! test of a line: bandwidth in KiB/s, seeks as IOPS, processor time, largest latency. `+++++` is a
//! test too short to time: missing, not zero. It does not read the table for people, nor the tests of files.

#[cfg(test)]
mod tests;

use super::words::{self, KIB, Reading, TIMES};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric};
use std::io::Read;

/// Reader of bonnie++'s CSV.
pub struct Bonnie;

/// Fields of a line by the version of the format, and where the first test stands.
const LAYOUTS: [(&str, usize, usize); 3] = [("1.96", 48, 7), ("1.97", 48, 7), ("1.98", 50, 9)];

/// A test: its name, its workload, what its rate is, its place among the latencies.
const TESTS: [(&str, &str, Metric, Ddir); 6] = [
    ("putc", "write", Metric::Bw, Ddir::Write),
    ("write", "write", Metric::Bw, Ddir::Write),
    ("rewrite", "rw", Metric::Bw, Ddir::Mixed),
    ("getc", "read", Metric::Bw, Ddir::Read),
    ("read", "read", Metric::Bw, Ddir::Read),
    // Reads at random places, of which one in ten is written back.
    ("seeks", "randrw", Metric::Iops, Ddir::Mixed),
];

impl Format for Bonnie {
    fn name(&self) -> &'static str {
        "bonnie"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "bonnie++, CSV: 1.98,2.00a,host,1,1796119412,64M,,8192,5,729,17,+++++,+++,..."
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let (version, ..) = text.lines().find_map(layout)?;
        Some(Claim { reason: format!("a line of bonnie++'s CSV, format {version}") })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading::default();
        for (number, line) in words::lines(&text) {
            let Some((version, count, first)) = layout(line) else { continue };
            let fields: Vec<&str> = line.trim().split(',').collect();
            reading.layout = Some(format!("format {version}, {count} fields"));
            if fields.len() != count {
                let found = fields.len();
                reading.skip(
                    number,
                    format!("expected the {count} fields of format {version}, found {found}; left out"),
                );
                continue;
            }
            reading.rows += 1;
            read_line(number, &fields, first, &mut reading);
        }
        reading.finish("lines without a test that was timed")
    }
}

/// The layout of a line of CSV; None for any other line.
fn layout(line: &str) -> Option<(&'static str, usize, usize)> {
    let mut fields = line.trim_start().split(',');
    let version = fields.next()?;
    let layout = LAYOUTS.into_iter().find(|(known, ..)| *known == version)?;
    let tool = fields.next()?;
    (tool.starts_with(|c: char| c.is_ascii_digit()) && fields.count() > 10).then_some(layout)
}

fn read_line(number: u64, fields: &[&str], first: usize, reading: &mut Reading) {
    let field = |at: usize| fields.get(at).copied().unwrap_or_default().trim();
    let latencies = fields.len() - 12;
    reading.version.get_or_insert_with(|| field(1).to_owned());
    let mut untimed = Vec::new();
    for (at, (test, rw, metric, ddir)) in TESTS.into_iter().enumerate() {
        let mut part = RunPart::of_tool("bonnie++", Some(field(1)), test);
        let scale = if metric == Metric::Bw { KIB } else { 1.0 };
        let mut share = |reading: &mut Reading, name: String, at: usize| match field(at) {
            "" => None,
            text if text.starts_with('+') => {
                untimed.push(test);
                None
            }
            text => reading.cell(number, &name, text),
        };
        let rate = share(reading, test.to_owned(), first + 2 * at);
        let cpu = share(reading, format!("{test} %CP"), first + 2 * at + 1);
        part.mean(metric, ddir, rate.map(|rate| rate * scale));
        part.mean(Metric::Cpu, Ddir::Mixed, cpu.map(|percent| percent / 100.0));
        let latency = field(latencies + at);
        match words::scaled(latency, TIMES) {
            Some(ns) => part.summary(Metric::Lat, ddir).max = Some(ns),
            None if latency.is_empty() || latency.starts_with('+') => {}
            None => reading.skip(
                number,
                format!("`{test} latency`: expected a number with us, ms or s, found `{latency}`; left out"),
            ),
        }
        if part.summaries.is_empty() {
            continue;
        }
        part.state(Dimension::Rw, rw);
        part.state(words::other("test"), test);
        part.state(words::other("size"), field(5));
        part.state(Dimension::Numjobs, field(3));
        if !matches!(test, "putc" | "getc") {
            part.state(Dimension::Bs, field(6));
        }
        part.note("hostname", field(2));
        reading.parts.push(part);
    }
    untimed.dedup();
    if !untimed.is_empty() {
        let message =
            format!("too short to time (`+++++`), no rate: {}; let it use larger files", untimed.join(", "));
        reading.inform(Some(number), message);
    }
    if (first + 12 + 5..latencies).any(|at| !field(at).is_empty() && !field(at).starts_with('+')) {
        reading.inform(Some(number), "creating, reading and deleting files is no I/O by bytes; left out");
    }
}
