//! iozone's table and its Excel blocks.
//!
//! In: rows of file size, record length and a rate for each test, under names in two rows; blocks
//! behind `Excel output is below:`. Out: one run for each cell. Sizes are KiB, rates KiB/s unless the
//! text says operations per second or microseconds. Tests that were left out are blank, so a cell
//! belongs to the column under whose name it ends. It reads no throughput mode (`-t`).

#[cfg(test)]
mod tests;

use super::words::{self, KIB, Reading, US};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric};
use std::collections::BTreeMap;
use std::io::Read;

/// Reader of iozone's output.
pub struct Iozone;

/// Columns by which a cell may end apart from its name: names and numbers are aligned a little differently.
const APART: usize = 3;

impl Format for Iozone {
    fn name(&self) -> &'static str {
        "iozone"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "iozone, table or Excel blocks: kB reclen write rewrite read reread ... / 1048576 512 5169375 7712220 7634280 7649870 ..."
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let shown = text.lines().any(|line| {
            header(line).is_some()
                || line.contains("Iozone: Performance Test of File I/O")
                || excel_title(line).is_some()
        });
        shown.then(|| Claim { reason: "iozone's banner, table or Excel block".to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading::default();
        let mut sheet = Sheet::default();
        let mut columns: Option<Vec<(usize, &'static str)>> = None;
        let mut block: Option<(&'static str, Vec<String>)> = None;
        let mut started = None;
        for (number, line) in words::lines(words::ended(&text, &mut reading)) {
            if line.contains("Iozone: Performance Test of File I/O") {
                sheet.end(&mut reading);
                (columns, block, started) = (None, None, Some(number));
            } else if let Some(rest) = line.trim().strip_prefix("Version $Revision:") {
                let version = rest.trim().trim_end_matches('$').trim();
                reading.version.get_or_insert_with(|| version.to_owned());
                sheet.version = Some(version.to_owned());
            } else if let Some(rest) = words::behind(line, "Command line used") {
                sheet.command = rest.to_owned();
            } else if let Some(unit) = unit(line) {
                sheet.unit = unit;
            } else if let Some(names) = header(line) {
                reading.layout = Some(format!("table of {} tests", names.len() - 2));
                (columns, block) = (Some(names), None);
            } else if let Some(test) = excel_title(line) {
                (columns, block) = (None, Some((test, Vec::new())));
            } else if line.trim().is_empty() {
                // A blank line ends a table; an Excel block may have one behind its title.
                columns = None;
                block = block.filter(|(_, lengths)| lengths.is_empty());
            } else if let Some(columns) = &columns {
                sheet.row(number, line, columns, &mut reading);
            } else if let Some((test, lengths)) = &mut block {
                sheet.excel(number, line, test, lengths, &mut reading);
            }
        }
        sheet.end(&mut reading);
        if let (true, true, Some(line)) = (reading.parts.is_empty(), reading.remarks.is_empty(), started) {
            if text.contains("Children see throughput") {
                return reading.finish("throughput mode (`-t`), which is not read");
            }
            let message = "expected a table (`kB reclen write rewrite ...`) behind the banner, found none; let iozone finish";
            return Err(words::broken(line, message));
        }
        reading.finish("no cell with a rate")
    }
}

/// Tests in the order of the table: the name under which a column ends, and the test's own.
const COLUMNS: [(&str, &str); 13] = [
    ("write", "write"),
    ("rewrite", "rewrite"),
    ("read", "read"),
    ("reread", "reread"),
    ("read", "random read"),
    ("write", "random write"),
    ("read", "backward read"),
    ("rewrite", "record rewrite"),
    ("read", "stride read"),
    ("fwrite", "fwrite"),
    ("frewrite", "refwrite"),
    ("fread", "fread"),
    ("freread", "refread"),
];

/// Ends and tests of the columns in the lower row of names; sizes first.
fn header(line: &str) -> Option<Vec<(usize, &'static str)>> {
    let words = placed(line);
    let (first, second) = (words.first()?, words.get(1)?);
    if !matches!(first.1, "kB" | "KB") || second.1 != "reclen" {
        return None;
    }
    let mut columns = vec![(first.0, "size"), (second.0, "record length")];
    let mut known = COLUMNS.iter();
    for (end, word) in &words[2..] {
        // Versions know fewer tests, never in another order.
        let (_, test) = known.find(|(name, _)| name == word)?;
        columns.push((*end, *test));
    }
    (columns.len() > 2).then_some(columns)
}

/// Words of a line with the column behind their last character.
fn placed(line: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let (mut start, mut column) = (None, 0);
    for (at, c) in line.char_indices() {
        match (c.is_whitespace(), start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                words.push((column, &line[from..at]));
                start = None;
            }
            _ => {}
        }
        // iozone indents some versions of the table with tabs.
        column = if c == '\t' { (column / 8 + 1) * 8 } else { column + 1 };
    }
    if let Some(from) = start {
        words.push((column, &line[from..]));
    }
    words
}

/// What the cells hold, where a line says it.
fn unit(line: &str) -> Option<Unit> {
    let lower = line.trim().to_ascii_lowercase();
    let text = lower.split_once("output is in ")?.1;
    if text.starts_with("kbytes/sec") {
        Some(Unit::KibPerSecond)
    } else if text.starts_with("operations per second") || text.starts_with("ops/sec") {
        Some(Unit::Operations)
    } else if text.starts_with("microseconds") {
        Some(Unit::Microseconds)
    } else {
        None
    }
}

/// Unit of the cells of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Unit {
    #[default]
    KibPerSecond,
    Operations,
    Microseconds,
}

/// The test of a block's title: `"Re-writer report"`.
fn excel_title(line: &str) -> Option<&'static str> {
    let title = line.trim().trim_matches('"').strip_suffix(" report")?.to_ascii_lowercase();
    Some(match title.as_str() {
        "writer" => "write",
        "re-writer" => "rewrite",
        "reader" => "read",
        "re-reader" => "reread",
        "random read" => "random read",
        "random write" => "random write",
        "backward read" => "backward read",
        "record rewrite" => "record rewrite",
        "stride read" => "stride read",
        "fwrite" => "fwrite",
        "re-fwrite" => "refwrite",
        "fread" => "fread",
        "re-fread" => "refread",
        _ => return None,
    })
}

/// Workload and direction of a test.
fn workload(test: &str) -> (&'static str, Ddir) {
    match test {
        "random read" => ("randread", Ddir::Read),
        "random write" => ("randwrite", Ddir::Write),
        _ if test.contains("write") => ("write", Ddir::Write),
        _ => ("read", Ddir::Read),
    }
}

/// Figures of one execution: by size and record length in KiB, by test.
#[derive(Default)]
struct Sheet {
    version: Option<String>,
    command: String,
    unit: Unit,
    cells: BTreeMap<(u64, u64, &'static str), f64>,
}

impl Sheet {
    fn row(&mut self, number: u64, line: &str, columns: &[(usize, &'static str)], reading: &mut Reading) {
        let words = placed(line);
        let whole = words.len() == columns.len();
        let sizes: Vec<u64> = words.iter().take(2).map_while(|(_, word)| word.parse().ok()).collect();
        let &[size, length] = sizes.as_slice() else {
            // What stands behind the table (`iozone test complete.`) is no row.
            if words.first().is_some_and(|(_, word)| word.starts_with(|c: char| c.is_ascii_digit())) {
                reading.skip(
                    number,
                    format!("expected file size and record length in KiB, found `{}`; left out", line.trim()),
                );
            }
            return;
        };
        reading.rows += 1;
        for (at, (end, word)) in words.iter().enumerate().skip(2) {
            let nearest = || columns.iter().skip(2).min_by_key(|(column, _)| column.abs_diff(*end));
            let column = if whole {
                columns.get(at)
            } else {
                nearest().filter(|(column, _)| column.abs_diff(*end) <= APART)
            };
            let Some((_, test)) = column else {
                reading.skip(number, format!("`{word}` stands under no name of a test; left out"));
                continue;
            };
            if let Some(value) = reading.cell(number, test, word) {
                self.cells.insert((size, length, test), value);
            }
        }
    }

    /// A row of an Excel block: record lengths first, then a size and its rates. 0 is a test that was left out.
    fn excel(
        &mut self,
        number: u64,
        line: &str,
        test: &'static str,
        lengths: &mut Vec<String>,
        reading: &mut Reading,
    ) {
        let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('"')).collect();
        if lengths.is_empty() {
            lengths.extend(words.iter().map(|word| (*word).to_owned()));
            return;
        }
        let Some(size) = words.first().and_then(|word| word.parse().ok()) else {
            reading.skip(number, format!("expected a file size in KiB, found `{}`; left out", line.trim()));
            return;
        };
        reading.rows += 1;
        for (word, length) in words.iter().skip(1).zip(lengths.iter()) {
            let Ok(length) = length.parse() else { continue };
            if let Some(value) = reading.cell(number, test, word).filter(|value| *value > 0.0) {
                // The block repeats the table.
                self.cells.entry((size, length, test)).or_insert(value);
            }
        }
    }

    fn end(&mut self, reading: &mut Reading) {
        let Sheet { version, command, unit, cells } = std::mem::take(self);
        for ((size, length, test), value) in cells {
            let (rw, ddir) = workload(test);
            let mut part =
                RunPart::of_tool("iozone", version.as_deref(), format!("{test} {size}k {length}k"));
            let (metric, scale) = match unit {
                Unit::KibPerSecond => (Metric::Bw, KIB),
                Unit::Operations => (Metric::Iops, 1.0),
                Unit::Microseconds => (Metric::Lat, US),
            };
            part.mean(metric, ddir, Some(value * scale));
            part.state(Dimension::Rw, rw);
            part.state(words::other("test"), test);
            part.state(Dimension::Bs, &format!("{length}k"));
            part.state(words::other("size"), &format!("{size}k"));
            part.note("command", &command);
            reading.parts.push(part);
        }
    }
}
