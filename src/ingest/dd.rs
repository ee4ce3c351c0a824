//! dd: the lines that it prints at its end.
//!
//! In: a text with records of GNU dd (any language), BSD and macOS dd, BusyBox or
//! toybox, several in a text or on a line, progress lines between. Out: one run for
//! each record. Bandwidth is bytes over seconds, never the printed rate, whose unit
//! means 1000 to some and 1024 to others. What dd did (direction, direct I/O) comes from
//! the command above the record, else from the file's name.
//!
//! ```text
//! 1048576000 bytes (1.0 GB) copied, 3.50983 seconds, 299 MB/s
//! 25165824 bytes transferred in 0.026832 secs (937899773 bytes/sec)
//! ```

mod operands;
mod record;
#[cfg(test)]
mod tests;

use super::transcript::{self, Above, Line, Placed};
use super::{Claim, Content, Format, Head, IngestError, Parsed, ReadContext, Remark, RunPart, labels};
use crate::model::unit::group_thousands;
use crate::model::{
    Ddir, Dimension, Job, Metric, Sample, Series, SeriesKind, Severity, Summary, Tool, Value,
};
use operands::Operands;
use record::{Fault, Figures, is_complaint, is_english_pair, pairs, progress, records};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

/// Reader of dd's output.
pub struct Dd;

impl Format for Dd {
    fn name(&self) -> &'static str {
        "dd"
    }

    fn describe(&self) -> &'static str {
        "dd's last lines, of any system and language: 1048576000 bytes (1.0 GB) copied, 3.50983 s, 299 MB/s"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        if !["B/", "bytes/sec", "/s", "records in"].iter().any(|word| contains(head.bytes, word)) {
            return None;
        }
        let text = String::from_utf8_lossy(head.bytes);
        let (mut count, mut example, mut untimed) = (0, None, 0);
        let mut last_was_in = false;
        for line in transcript::lines(&text).filter(|line| !line.overwritten) {
            let found = records(line.text).len();
            if found > 0 {
                example.get_or_insert(line.text);
            }
            count += found;
            untimed += usize::from(last_was_in && line.text.contains("records out"));
            last_was_in = line.text.contains("records in") && is_english_pair(line.text);
        }
        transcript::claim(count, "record of dd", "records of dd", example.unwrap_or_default()).or_else(|| {
            transcript::claim(
                untimed,
                "record of dd without a time",
                "records of dd without a time",
                "N+M records in",
            )
        })
    }

    fn read(&self, input: &mut (dyn Read + Send), context: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut reader = Reader::default();
        for line in transcript::lines(&text) {
            reader.line(line);
        }
        reader.settle_pairs();
        Ok(reader.into_parsed(context, transcript::passed_over(&text, self.name())))
    }
}

fn contains(bytes: &[u8], word: &str) -> bool {
    memchr::memmem::find(bytes, word.as_bytes()).is_some()
}

/// True for a line that belongs to dd.
pub(super) fn owns(line: &str) -> bool {
    !records(line).is_empty()
        || progress(line).is_some()
        || !pairs(line).is_empty()
        || is_complaint(line)
        || operands::command(line).is_some()
}

/// One record with what stood above it.
struct Record {
    figures: Figures,
    line: u64,
    above: Above,
    /// Whole and partial blocks written.
    written: Option<(u64, u64)>,
    /// Seconds and bytes so far, from progress lines.
    progress: Vec<(f64, u64)>,
}

#[derive(Default)]
struct Reader {
    records: Vec<Record>,
    above: Above,
    /// `N+M` of the lines since the last record, with the first's line.
    pairs: Vec<(u64, u64)>,
    pairs_line: u64,
    progress: Vec<(f64, u64)>,
    /// Records without a time: how many, and the line of the first.
    untimed: Option<(u64, u64)>,
    skipped: u64,
    remarks: Vec<Remark>,
}

impl Reader {
    fn line(&mut self, line: Line<'_>) {
        if line.overwritten {
            self.progress.extend(progress(line.text));
            return;
        }
        let found = records(line.text);
        if found.is_empty() {
            self.other(line);
            return;
        }
        let mut from = 0;
        for (range, figures) in found {
            self.pairs.extend(pairs(line.text.get(from..range.start).unwrap_or_default()));
            from = range.end;
            self.record(line.number, figures);
        }
    }

    fn record(&mut self, line: u64, figures: Result<Figures, Fault>) {
        let pairs = std::mem::take(&mut self.pairs);
        let progress = std::mem::take(&mut self.progress);
        match figures {
            Ok(figures) => self.records.push(Record {
                figures,
                line,
                above: self.above.for_block(),
                written: pairs.last().copied(),
                progress,
            }),
            Err(fault) => {
                self.skipped += 1;
                self.remarks.push(Remark::new(Severity::Warning, fault.to_string()).at_line(line));
            }
        }
    }

    fn other(&mut self, line: Line<'_>) {
        let found = pairs(line.text);
        if !found.is_empty() {
            // A third line without a record between: the first two were a record without a time.
            if self.pairs.len() + found.len() > 2 {
                self.settle_pairs();
            }
            if self.pairs.is_empty() {
                self.pairs_line = line.number;
            }
            if is_english_pair(line.text) || !self.pairs.is_empty() || found.len() == 1 {
                self.pairs.extend(found);
            }
            return;
        }
        if line.text.trim().is_empty() {
            return;
        }
        if is_complaint(line.text) {
            let message = format!(
                "dd says `{}`; the record that follows covers only what it did before",
                line.text.trim()
            );
            self.remarks.push(Remark::new(Severity::Warning, message).at_line(line.number));
            return;
        }
        self.settle_pairs();
        if let Some(command) = operands::command(line.text) {
            self.above.set_command(command);
        } else if let Some(heading) = transcript::heading(line.text) {
            self.above.set_heading(heading);
        }
    }

    /// Counts `N+M` lines that no record followed.
    fn settle_pairs(&mut self) {
        let records = std::mem::take(&mut self.pairs).len() as u64 / 2;
        if records > 0 {
            let (count, line) = self.untimed.unwrap_or((0, self.pairs_line));
            self.untimed = Some((count + records, line));
        }
    }

    fn into_parsed(mut self, context: &ReadContext<'_>, passed_over: Option<Remark>) -> Parsed {
        if let Some((count, line)) = self.untimed {
            let (one, s) = if count == 1 { ("a record", "s") } else { ("records", "") };
            let number = if count == 1 { String::new() } else { format!("{count} ") };
            let message = format!(
                "{number}{one} of dd without bytes and seconds, as some builds of BusyBox leave it: no rate follow{s}; \
                 GNU dd prints them"
            );
            self.remarks.push(Remark::new(Severity::Warning, message).at_line(line));
            self.skipped += count;
        }
        let rows = self.records.len() as u64;
        let named = labels::from_file_stem(context.name.split('.').next().unwrap_or_default());
        let named = named.dimensions.get(&Dimension::Rw).map(|entry| entry.value.as_str().to_owned());
        let mut assumed: Vec<u64> = Vec::new();
        let records = std::mem::take(&mut self.records);
        let placed =
            records.into_iter().map(|record| place(record, named.as_deref(), &mut assumed)).collect();
        let parts = transcript::finish(placed, "dd");
        if let Some(&first) = assumed.first() {
            let what = match assumed.len() {
                1 => "this record".to_owned(),
                n => format!("{} records from here on", group_thousands(&n.to_string())),
            };
            let message = format!(
                "nothing says whether {what} read or wrote; taken for writes. The command above it \
                 (`dd if=... of=/dev/null`) or the word `read` in the file's name says otherwise"
            );
            self.remarks.push(Remark::new(Severity::Info, message).at_line(first));
        }
        self.remarks.extend(passed_over);
        Parsed {
            version: None,
            layout: Some(format!("dd, {rows} record{}", if rows == 1 { "" } else { "s" })),
            rows,
            skipped: self.skipped,
            content: if parts.is_empty() {
                Content::Nothing("no record of dd with a time above 0 in it".to_owned())
            } else {
                Content::Runs(parts)
            },
            remarks: self.remarks,
        }
    }
}

/// A canonical size as a value.
fn size_value(bytes: u64) -> Value {
    Value::canonical(&Dimension::Bs, &bytes.to_string())
}

fn place(record: Record, named: Option<&str>, assumed: &mut Vec<u64>) -> Placed {
    let Record { figures, line, above, written, progress } = record;
    let operands = above.command.as_deref().map(Operands::parse);
    let mut dimensions: BTreeMap<Dimension, Value> = BTreeMap::new();
    dimensions.insert(Dimension::Other("size".to_owned()), size_value(figures.bytes));
    // Exact when only whole blocks were written.
    let exact = match written {
        // Whole blocks of nothing have no size.
        Some((blocks, 0)) if blocks > 0 && figures.bytes >= blocks && figures.bytes % blocks == 0 => {
            Some(figures.bytes / blocks)
        }
        _ => None,
    };
    if let Some(bs) = exact.or_else(|| operands.as_ref().and_then(|o| o.bs)) {
        dimensions.insert(Dimension::Bs, size_value(bs));
    }
    let ddir = match (&operands, named) {
        (Some(operands), _) => operands.ddir(),
        (None, Some(rw)) if rw.contains("read") => Ddir::Read,
        (None, Some(rw)) if rw.contains("write") => Ddir::Write,
        _ => {
            assumed.push(line);
            Ddir::Write
        }
    };
    let explained = explained(operands.as_ref(), exact.map(|bs| (bs, figures.bytes / bs)));
    let options = operands.as_ref().map(|o| o.conditions()).unwrap_or_default();
    dimensions.extend(operands.map(|o| o.dimensions()).unwrap_or_default());
    let job = Job {
        name: "dd".to_owned(),
        clones: 1,
        runtime_ms: BTreeMap::from([(ddir, figures.seconds * 1000.0)]),
        bytes: BTreeMap::from([(ddir, figures.bytes)]),
        ios: exact.map(|bs| (ddir, figures.bytes / bs)).into_iter().collect(),
        options,
        ..Job::default()
    };
    let bw = figures.bytes as f64 / figures.seconds;
    let part = RunPart {
        tool: Tool { name: "dd".to_owned(), version: None },
        label: above.label(),
        jobs: vec![job],
        summaries: vec![Summary { mean: Some(bw), ..Summary::new(Metric::Bw, ddir, Some(0)) }],
        series: series(&progress, &figures, ddir).into_iter().collect(),
        dimensions,
        explained,
        ..RunPart::default()
    };
    Placed { part, heading: above.heading }
}

/// Words of a file's name that repeat the command: `dd_write_oflag_direct_10Mx100`.
fn explained(operands: Option<&Operands>, blocks: Option<(u64, u64)>) -> BTreeSet<String> {
    let mut words = BTreeSet::from(["dd".to_owned()]);
    if let Some((bs, count)) = blocks {
        words.insert(format!("{}x{count}", size_value(bs)));
        words.insert(format!("{bs}x{count}"));
    }
    if let Some(operands) = operands {
        words.extend(["iflag", "oflag", "direct", "buffered"].map(str::to_owned));
        if operands.ddir() == Ddir::Write {
            words.insert("cached".to_owned());
        }
    }
    words
}

/// Bandwidth between progress lines (`status=progress`, one a second); None for fewer than three.
fn series(progress: &[(f64, u64)], figures: &Figures, ddir: Ddir) -> Option<Series> {
    let end = (figures.seconds, figures.bytes);
    let mut samples = Vec::new();
    let (mut at, mut done) = (0.0, 0);
    for &(seconds, bytes) in progress.iter().chain([&end]) {
        // The last line comes right before the end; what is shorter than half a second has no rate worth drawing.
        if seconds > figures.seconds || seconds - at < 0.5 || bytes < done {
            continue;
        }
        let value = (bytes - done) as f64 / (seconds - at);
        samples.push(Sample { end_ms: (seconds * 1000.0).round() as u64, value, partial: false });
        (at, done) = (seconds, bytes);
    }
    let last_ms = samples.last()?.end_ms;
    let kind = SeriesKind::Windowed { window_ms: 1000.0, samples };
    let long = matches!(&kind, SeriesKind::Windowed { samples, .. } if samples.len() >= 3);
    long.then_some(Series { metric: Metric::Bw, ddir, job: 0, clone: 0, last_ms, kind })
}
