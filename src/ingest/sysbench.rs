//! sysbench's file test (`sysbench fileio run`), 1.0 and 1.1.
//!
//! In: the parameters, interval lines, a histogram and the summary, maybe among other text. Out: one
//! run for each execution: bandwidth and IOPS by direction, latency of all its events, bandwidth over
//! time. It reads no other test of sysbench, and leaves out fsyncs and the percentile of each interval.

#[cfg(test)]
mod tests;

use super::words::{self, MIB, MS, Reading};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Histogram, Metric};
use std::io::Read;

/// Reader of sysbench's file test.
pub struct Sysbench;

/// Most I/Os that one line of a histogram may count.
const MAX_COUNT: u64 = 1 << 40;

impl Format for Sysbench {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "sysbench fileio: File operations: / reads/s: 4538.81 ... Throughput: / read, MiB/s: 70.92"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let version = text.lines().find_map(banner)?;
        let fileio = text
            .lines()
            .any(|line| line.starts_with("Extra file open flags:") || line.starts_with("File operations:"));
        fileio.then(|| Claim { reason: format!("sysbench {version}, test of files") })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading::default();
        let mut test: Option<Test> = None;
        for (number, line) in words::lines(&text) {
            let line = line.rsplit('\r').next().unwrap_or(line);
            if let Some(version) = banner(line) {
                reading.version.get_or_insert_with(|| version.to_owned());
                end(test.replace(Test::new(version, number)), &mut reading);
            } else if let Some(test) = &mut test {
                test.line(number, line, &mut reading);
            }
        }
        end(test, &mut reading);
        let several = reading.parts.len() > 1;
        for (at, part) in reading.parts.iter_mut().enumerate().filter(|_| several) {
            part.key = format!("test{}", at + 1);
        }
        reading.finish("no test of files in it")
    }
}

/// Version in the first line of an execution: `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)`.
fn banner(line: &str) -> Option<&str> {
    let version = line.strip_prefix("sysbench ")?.split_whitespace().next()?;
    (version.starts_with(|c: char| c.is_ascii_digit()) && line.contains('(')).then_some(version)
}

fn end(test: Option<Test>, reading: &mut Reading) {
    if let Some(test) = test {
        test.end(reading);
    }
}

/// Sections of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Start,
    Histogram,
    Operations,
    Throughput,
    General,
    Latency,
    Fairness,
}

/// One execution.
struct Test {
    line: u64,
    section: Section,
    part: RunPart,
    /// A file test, as its parameters show; other tests are passed over.
    fileio: bool,
    finished: bool,
    fsyncs: bool,
    mix: Option<f64>,
    mixed: bool,
    histogram: Histogram,
    /// End in ms, and bandwidth of reads and writes.
    intervals: Vec<(u64, f64, f64)>,
    latency: Vec<(String, f64)>,
    events: Option<u64>,
    seconds: Option<f64>,
}

impl Test {
    fn new(version: &str, line: u64) -> Self {
        Test {
            line,
            section: Section::Start,
            part: RunPart::of_tool("sysbench", Some(version), ""),
            fileio: false,
            finished: false,
            fsyncs: false,
            mix: None,
            mixed: false,
            histogram: Histogram::default(),
            intervals: Vec::new(),
            latency: Vec::new(),
            events: None,
            seconds: None,
        }
    }

    fn line(&mut self, number: u64, line: &str, reading: &mut Reading) {
        let titles = [
            ("Latency histogram", Section::Histogram),
            ("File operations:", Section::Operations),
            ("Throughput:", Section::Throughput),
            ("General statistics:", Section::General),
            ("Latency (ms):", Section::Latency),
            ("Threads fairness:", Section::Fairness),
        ];
        if let Some((_, section)) = titles.iter().find(|(title, _)| line.starts_with(title)) {
            self.section = *section;
            return;
        }
        if line.starts_with('[') {
            self.interval(number, line, reading);
            return;
        }
        match self.section {
            Section::Start => self.parameter(line),
            Section::Histogram => self.bucket(number, line, reading),
            Section::Operations | Section::Throughput => self.rate(number, line, reading),
            Section::General => {
                if let Some(text) = words::behind(line, "total time") {
                    self.seconds =
                        reading.cell(number, "total time", text.trim_end_matches('s')).filter(|s| *s > 0.0);
                } else if let Some(text) = words::behind(line, "total number of events") {
                    self.events = reading.cell(number, "total number of events", text).map(|n| n as u64);
                }
            }
            Section::Latency => {
                if let Some((name, text)) = line.trim().split_once(':')
                    && name != "sum"
                    && let Some(ms) = reading.cell(number, name, text)
                {
                    // Two decimals: 0.00 is less than 5 us, not nothing.
                    self.latency.extend((ms > 0.0).then(|| (name.to_owned(), ms * MS)));
                }
            }
            Section::Fairness => {}
        }
    }

    fn parameter(&mut self, line: &str) {
        let part = &mut self.part;
        if let Some(threads) = words::behind(line, "Number of threads") {
            part.state(Dimension::Numjobs, threads);
        } else if let Some(flags) = words::behind(line, "Extra file open flags") {
            self.fileio = true;
            part.state(Dimension::Direct, if flags.contains("direct") { "1" } else { "0" });
            part.note("flags", if flags == "(none)" { "" } else { flags });
        } else if let Some(size) = line.strip_suffix(" total file size") {
            part.state(words::other("size"), size);
        } else if let Some(size) = line.strip_prefix("Block size ") {
            part.state(Dimension::Bs, size);
        } else if let Some((_, ratio)) = line.split_once("Read/Write ratio for combined random IO test:") {
            // Reads for each write: 1.50 is 60 % reads.
            self.mix = words::number(ratio).map(|ratio| (100.0 * ratio / (ratio + 1.0)).round());
        } else if let Some(mode) = line.strip_prefix("Using ").and_then(|rest| rest.strip_suffix(" I/O mode"))
        {
            part.state(Dimension::Engine, if mode == "synchronous" { "sync" } else { mode });
        } else if let Some(kind) = line.strip_prefix("Doing ").and_then(|rest| rest.strip_suffix(" test")) {
            let rw = match kind {
                "sequential write" | "sequential rewrite" | "sequential write (creation)" => "write",
                "sequential read" => "read",
                "random read" => "randread",
                "random write" => "randwrite",
                "random r/w" => "randrw",
                other => other,
            };
            self.mixed = rw == "randrw";
            part.state(Dimension::Rw, rw);
            if kind == "sequential rewrite" {
                part.state(words::other("test"), "rewrite");
            }
        }
    }

    /// `[ 1s ] reads: 65.11 MiB/s writes: 43.42 MiB/s fsyncs: 275.40/s latency (ms,95%): 0.841`.
    fn interval(&mut self, number: u64, line: &str, reading: &mut Reading) {
        let Some((head, rest)) = line.trim_start_matches('[').split_once(']') else { return };
        let Some(seconds) = head.trim().strip_suffix('s').and_then(words::number) else { return };
        let amount = |name: &str| {
            let behind = rest.split_once(name)?.1.trim_start();
            words::number(behind.split_whitespace().next()?)
        };
        let (Some(reads), Some(writes)) = (amount("reads:"), amount("writes:")) else {
            reading.skip(
                number,
                format!("expected `reads:` and `writes:` in MiB/s, found `{}`; left out", rest.trim()),
            );
            return;
        };
        let end = (seconds * 1000.0).round() as u64;
        if self.intervals.last().is_some_and(|(last, ..)| *last >= end) {
            reading
                .skip(number, format!("expected a time behind the one before, found {seconds} s; left out"));
            return;
        }
        reading.rows += 1;
        self.intervals.push((end, reads * MIB, writes * MIB));
    }

    /// `0.002 |******  431`, in ms.
    fn bucket(&mut self, number: u64, line: &str, reading: &mut Reading) {
        let Some((value, rest)) = line.split_once('|') else { return };
        let count = rest.split_whitespace().last().and_then(|n| n.parse().ok()).filter(|n| *n <= MAX_COUNT);
        match (words::number(value), count) {
            (Some(ms), Some(count)) => self.histogram.record((ms * MS).round() as u64, count),
            _ => reading.skip(
                number,
                format!("expected a value in ms and a count, found `{}`; left out", line.trim()),
            ),
        }
    }

    /// A line of the operations or the throughput: `reads/s: 4538.81`, `read, MiB/s: 70.92`, `read: IOPS=4538.81 70.92 MiB/s (74.36 MB/s)` (1.1).
    fn rate(&mut self, number: u64, line: &str, reading: &mut Reading) {
        let Some((name, text)) = line.trim().split_once(':') else { return };
        let text = text.trim();
        let one = match name {
            "reads/s" => Some((Metric::Iops, Ddir::Read, 1.0)),
            "writes/s" => Some((Metric::Iops, Ddir::Write, 1.0)),
            "read, MiB/s" => Some((Metric::Bw, Ddir::Read, MIB)),
            "written, MiB/s" => Some((Metric::Bw, Ddir::Write, MIB)),
            _ => None,
        };
        let mut put = |metric, ddir, value: Option<f64>| {
            // What was not asked for is printed as 0.00.
            self.part.mean(metric, ddir, value.filter(|v| *v > 0.0));
            self.finished = true;
        };
        if let Some((metric, ddir, scale)) = one {
            put(metric, ddir, reading.cell(number, name, text).map(|value| value * scale));
            return;
        }
        let iops = text.strip_prefix("IOPS=").map(|rest| rest.split_whitespace());
        match (name, iops) {
            ("read" | "write", Some(mut words)) => {
                let ddir = if name == "read" { Ddir::Read } else { Ddir::Write };
                put(Metric::Iops, ddir, reading.cell(number, "IOPS", words.next().unwrap_or_default()));
                let mib = words.next().unwrap_or_default();
                put(Metric::Bw, ddir, reading.cell(number, "MiB/s", mib).map(|value| value * MIB));
            }
            ("fsync", Some(mut words)) => {
                self.fsyncs = words.next().and_then(words::number).is_some_and(|n| n > 0.0)
            }
            ("fsyncs/s", None) => self.fsyncs = words::number(text).is_some_and(|n| n > 0.0),
            _ => {}
        }
    }

    fn end(mut self, reading: &mut Reading) {
        if !self.fileio && !self.finished {
            return;
        }
        if !self.finished && self.intervals.is_empty() {
            let message = "expected the results (`File operations:`) of the test that starts here, found none; let sysbench finish, or give the output of `run`";
            reading.skip(self.line, message);
            return;
        }
        let has = |part: &RunPart, ddir| part.summaries.iter().any(|s| s.ddir == ddir && s.metric.is_rate());
        let reads = has(&self.part, Ddir::Read) || self.intervals.iter().any(|(_, r, _)| *r > 0.0);
        let writes = has(&self.part, Ddir::Write) || self.intervals.iter().any(|(_, _, w)| *w > 0.0);
        // Latencies are of all events, fsyncs included.
        let ddir = match (reads, writes || self.fsyncs) {
            (true, false) => Ddir::Read,
            (false, true) if !self.fsyncs => Ddir::Write,
            _ => Ddir::Mixed,
        };
        if let Some(mix) = self.mix.filter(|_| self.mixed) {
            self.part.state(words::other("rwmixread"), &mix.to_string());
        }
        if !self.latency.is_empty() || !self.histogram.is_empty() {
            let summary = self.part.summary(Metric::Lat, ddir);
            summary.count = self.events;
            for (name, ns) in &self.latency {
                match name.as_str() {
                    "min" => summary.min = Some(*ns),
                    "avg" => summary.mean = Some(*ns),
                    "max" => summary.max = Some(*ns),
                    _ => {
                        let percent = name.split("th ").next().and_then(words::number);
                        let quantile = percent.filter(|p| *p > 0.0 && *p < 100.0).map(|p| p / 100.0);
                        summary.percentiles.extend(quantile.map(|q| (q, *ns)));
                    }
                }
            }
            summary.histogram = (!self.histogram.is_empty()).then_some(self.histogram);
        }
        if let (Some(seconds), Some(job)) = (self.seconds, self.part.jobs.first_mut()) {
            let moved = [(Ddir::Read, reads), (Ddir::Write, writes)];
            job.runtime_ms
                .extend(moved.iter().filter(|(_, moved)| *moved).map(|(ddir, _)| (*ddir, seconds * 1000.0)));
        }
        let ends: Vec<f64> = self.intervals.iter().map(|(end, ..)| *end as f64).collect();
        let window = words::period(&ends).or(ends.first().copied()).unwrap_or(1000.0);
        for (ddir, moved) in [(Ddir::Read, reads), (Ddir::Write, writes)] {
            if moved {
                let rows =
                    self.intervals.iter().map(|&(end, r, w)| (end, if ddir == Ddir::Read { r } else { w }));
                self.part.windows(Metric::Bw, ddir, window, rows.collect());
            }
        }
        if !self.intervals.is_empty() {
            reading.inform(None, "the latency of each interval is a percentile, no mean; left out");
        }
        if !self.finished {
            let message = "the test that starts here has no summary; its intervals are shown";
            reading
                .remarks
                .push(super::Remark::new(crate::model::Severity::Warning, message).at_line(self.line));
        }
        reading.rows += 1;
        self.part.key = String::new();
        reading.parts.push(self.part);
    }
}
