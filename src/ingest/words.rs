//! What readers of text outputs share: decoded lines, numbers with units, a run while it is put together.
//!
//! In: bytes, words, cells. Out: figures in base units, or remarks that name line, what was expected
//! and what was found. It knows no tool.

use super::{Content, Head, IngestError, Parsed, Remark, RunPart, fio_json};
use crate::model::{
    Ddir, Dimension, Job, Metric, Sample, Series, SeriesKind, Severity, Summary, Tool, Value,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;

/// Bytes in a KiB.
pub(super) const KIB: f64 = 1024.0;
/// Bytes in a MiB.
pub(super) const MIB: f64 = 1_048_576.0;
/// Nanoseconds in a microsecond.
pub(super) const US: f64 = 1e3;
/// Nanoseconds in a millisecond.
pub(super) const MS: f64 = 1e6;
/// Nanoseconds in a second.
pub(super) const S: f64 = 1e9;

/// Most rows that are named one by one when they are left out.
const MAX_REMARKS: u64 = 20;

/// Units of time and how many nanoseconds each holds.
pub(super) const TIMES: &[(&str, f64)] = &[("ns", 1.0), ("us", US), ("µs", US), ("ms", MS), ("s", S)];

/// The whole of a text; bytes that are no UTF-8 are replaced.
pub(super) fn text(input: &mut dyn Read) -> Result<String, IngestError> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&fio_json::lossy(bytes)).into_owned())
}

/// The beginning of a file as text.
pub(super) fn head<'a>(head: &Head<'a>) -> Cow<'a, str> {
    String::from_utf8_lossy(head.bytes)
}

/// Lines with their numbers from 1, without line ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines())
}

/// A plain number from 0 to 10^18: what a tool prints as an amount. No sign, no `inf`, no `nan`.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    text.parse::<f64>().ok().filter(|n| plain && (0.0..=1e18).contains(n))
}

/// Number and unit in one word, `85296us` or `65.11 MiB`, in the base that `units` gives.
pub(super) fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (digits, unit) = text.split_at(split);
    let scale = units.iter().find(|(name, _)| *name == unit.trim())?.1;
    Some(number(digits)? * scale)
}

/// The text behind `key` and a colon, where the line is such a pair.
pub(super) fn behind<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(key)?.trim_start().strip_prefix(':')?;
    Some(rest.trim())
}

/// Median distance of ascending times; None when there are less than two.
pub(super) fn period(times: &[f64]) -> Option<f64> {
    let mut distances: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).filter(|d| *d > 0.0).collect();
    distances.sort_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied()
}

/// Seconds of the day in `15:40:30`, `09:21:55.129`.
pub(super) fn clock(word: &str) -> Option<f64> {
    let mut parts = word.split(':');
    let (hours, minutes) = (parts.next()?, parts.next()?);
    let seconds = number(parts.next()?).filter(|s| *s < 61.0)?;
    let hours: u32 = hours.parse().ok().filter(|h| *h < 24)?;
    let minutes: u32 = minutes.parse().ok().filter(|m| *m < 60)?;
    (parts.next().is_none()).then(|| f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0 + seconds)
}

/// Makes times of day ascend: past midnight they start again.
pub(super) fn across_midnight(times: &mut [f64]) {
    let (mut days, mut previous) = (0.0, 0.0);
    for time in times {
        *time += days;
        if *time < previous {
            days += 86_400.0;
            *time += 86_400.0;
        }
        previous = *time;
    }
}

/// fio's word for a workload: `random` with reads or writes or both (`mixed`).
pub(super) fn workload(random: bool, ddir: Ddir) -> &'static str {
    match (random, ddir) {
        (false, Ddir::Read) => "read",
        (false, Ddir::Write) => "write",
        (false, Ddir::Trim) => "trim",
        (false, Ddir::Mixed) => "rw",
        (true, Ddir::Read) => "randread",
        (true, Ddir::Write) => "randwrite",
        (true, Ddir::Trim) => "randtrim",
        (true, Ddir::Mixed) => "randrw",
    }
}

/// A dimension by a name that fio has no option for: `size`, `test`.
pub(super) fn other(name: &str) -> Dimension {
    Dimension::Other(name.to_owned())
}

impl RunPart {
    /// An execution of `tool` without figures yet.
    pub(super) fn of_tool(tool: &str, version: Option<&str>, key: impl Into<String>) -> Self {
        RunPart {
            tool: Tool { name: tool.to_owned(), version: version.map(str::to_owned) },
            key: key.into(),
            // The tool's name: a job called `read` would take the logs of a fio job of that name.
            jobs: vec![Job { name: tool.to_owned(), clones: 1, ..Job::default() }],
            first_log_number: 1,
            ..RunPart::default()
        }
    }

    /// States a dimension; an empty text states nothing.
    pub(super) fn state(&mut self, dimension: Dimension, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        // Sizes of files are spelt like block sizes, so that `256m` is one value however it was printed.
        let spelt = match &dimension {
            Dimension::Other(name) if name == "size" => {
                Value::canonical(&Dimension::Bs, &text.replace(' ', ""))
            }
            Dimension::Bs => Value::canonical(&dimension, &text.replace(' ', "")),
            _ => Value::canonical(&dimension, text),
        };
        self.dimensions.insert(dimension, spelt);
    }

    /// The summary of a metric and direction, made where there is none yet.
    pub(super) fn summary(&mut self, metric: Metric, ddir: Ddir) -> &mut Summary {
        let at = self.summaries.iter().position(|s| s.metric == metric && s.ddir == ddir);
        let at = at.unwrap_or_else(|| {
            self.summaries.push(Summary::new(metric, ddir, Some(0)));
            self.summaries.len() - 1
        });
        &mut self.summaries[at]
    }

    /// Sets a mean where there is one.
    pub(super) fn mean(&mut self, metric: Metric, ddir: Ddir, value: Option<f64>) {
        if let Some(value) = value {
            self.summary(metric, ddir).mean = Some(value);
        }
    }

    /// Adds a series of windows, where it holds any.
    pub(super) fn windows(&mut self, metric: Metric, ddir: Ddir, window_ms: f64, rows: Vec<(u64, f64)>) {
        let Some(&(last_ms, _)) = rows.last() else { return };
        let samples =
            rows.into_iter().map(|(end_ms, value)| Sample { end_ms, value, partial: false }).collect();
        let kind = SeriesKind::Windowed { window_ms, samples };
        self.series.push(Series { metric, ddir, job: 0, clone: 0, last_ms, kind });
    }

    /// Notes something that is no dimension.
    pub(super) fn note(&mut self, key: &str, text: &str) {
        if !text.trim().is_empty() {
            self.environment.insert(key.to_owned(), text.trim().to_owned());
        }
    }
}

/// A file while it is being read.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) version: Option<String>,
    pub(super) layout: Option<String>,
    pub(super) rows: u64,
    pub(super) skipped: u64,
    pub(super) parts: Vec<RunPart>,
    pub(super) remarks: Vec<Remark>,
}

impl Reading {
    /// A row or cell that is left out, and why.
    pub(super) fn skip(&mut self, line: u64, message: impl Into<String>) {
        self.skipped += 1;
        if self.skipped <= MAX_REMARKS {
            self.remarks.push(Remark::new(Severity::Warning, message).at_line(line));
        }
    }

    /// A remark that changes nothing.
    pub(super) fn inform(&mut self, line: Option<u64>, message: impl Into<String>) {
        let remark = Remark::new(Severity::Info, message);
        self.remarks.push(Remark { line, ..remark });
    }

    /// The number in a cell; a remark and None when it is none.
    pub(super) fn cell(&mut self, line: u64, column: &str, text: &str) -> Option<f64> {
        let value = number(text);
        if value.is_none() {
            let text = text.trim();
            self.skip(line, format!("`{column}`: expected a number from 0 on, found `{text}`; left out"));
        }
        value
    }

    /// What was read. Without any run it is the first defect, or `nothing` where there was none.
    ///
    /// # Errors
    /// When all that the file holds is broken.
    pub(super) fn finish(mut self, nothing: &str) -> Result<Parsed, IngestError> {
        if self.parts.is_empty()
            && let Some(defect) = self.remarks.iter().find(|r| r.severity != Severity::Info)
        {
            return Err(IngestError::Content { line: defect.line, message: defect.message.clone() });
        }
        if let Some(more) = self.skipped.checked_sub(MAX_REMARKS).filter(|more| *more > 0) {
            let message = format!("{more} more rows or cells are left out");
            self.remarks.push(Remark::new(Severity::Warning, message));
        }
        distinguish(&mut self.parts);
        Ok(Parsed {
            version: self.version,
            layout: self.layout,
            rows: self.rows,
            skipped: self.skipped,
            content: if self.parts.is_empty() {
                Content::Nothing(nothing.to_owned())
            } else {
                Content::Runs(self.parts)
            },
            remarks: self.remarks,
        })
    }
}

/// Gives parts of equal keys a number: the second `write` is `write.2`.
fn distinguish(parts: &mut [RunPart]) {
    let mut copies: BTreeMap<String, usize> = BTreeMap::new();
    for part in parts {
        let copy = copies.entry(part.key.clone()).or_default();
        *copy += 1;
        if *copy > 1 {
            part.key = format!("{}{}{copy}", part.key, if part.key.is_empty() { "" } else { "." });
        }
    }
}

/// The lines of a table that its tool ended. A last line without an end was cut, and a cut number still
/// reads as one.
pub(super) fn ended<'a>(text: &'a str, reading: &mut Reading) -> &'a str {
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    let (whole, rest) = text.split_at(end);
    if !rest.trim().is_empty() {
        let message = "expected a line end behind the last row, found the end of the file: it is cut; the row is left out";
        reading.skip(whole.lines().count() as u64 + 1, message);
    }
    whole
}

/// An error at a line, or on the whole file.
pub(super) fn broken(line: impl Into<Option<u64>>, message: impl Into<String>) -> IngestError {
    IngestError::Content { line: line.into(), message: message.into() }
}

/// Why a JSON document cannot be read.
pub(super) fn broken_json(error: &serde_json::Error) -> IngestError {
    let line = error.line() as u64;
    if error.is_eof() {
        return broken(
            line,
            "expected the rest of the JSON document, found the end of the file; copy the file again, or let the tool finish",
        );
    }
    broken(line, format!("expected JSON, found something else in column {}; {error}", error.column()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn numbers_are_plain_amounts() {
        assert_eq!(number(" 12.5 "), Some(12.5));
        for text in ["", "-1", "+1", "inf", "nan", "1e300", "12k", "0x10", "."] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn units_stand_behind_numbers() {
        assert_eq!(scaled("85296us", TIMES), Some(85_296_000.0));
        assert_eq!(scaled("118ms", TIMES), Some(118_000_000.0));
        assert_eq!(scaled("3 s", TIMES), Some(3e9));
        assert_eq!(scaled("3", TIMES), None);
        assert_eq!(scaled("3h", TIMES), None);
    }

    #[test]
    fn times_of_day_become_seconds() {
        assert_eq!(clock("15:40:30"), Some(56_430.0));
        assert_eq!(clock("00:00:01.5"), Some(1.5));
        assert_eq!(clock("24:00:00"), None);
        assert_eq!(clock("1:2"), None);
    }

    #[test]
    fn many_defects_are_counted_not_listed() {
        let mut reading = Reading { parts: vec![RunPart::default()], ..Reading::default() };
        for line in 1..=25 {
            assert_eq!(reading.cell(line, "rate", "x"), None);
        }
        let parsed = reading.finish("nothing").unwrap();
        assert_eq!((parsed.skipped, parsed.remarks.len()), (25, 21));
        assert_eq!(parsed.remarks.last().unwrap().message, "5 more rows or cells are left out");
    }

    #[test]
    fn parts_of_one_key_are_numbered() {
        let mut parts = vec![RunPart::of_tool("x", None, "write"), RunPart::of_tool("x", None, "write")];
        distinguish(&mut parts);
        assert_eq!(parts.iter().map(|p| p.key.as_str()).collect::<Vec<_>>(), ["write", "write.2"]);
        let one = parts.first_mut().unwrap();
        one.state(other("size"), "64 MiB");
        assert_eq!(one.dimensions[&other("size")].as_str(), "64m");
    }
}
