//! The lines of one record: bytes and seconds, blocks in and out, progress.

use crate::ingest::transcript::{Pattern, decimal};
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

/// What a record measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub(super) bytes: u64,
    /// Above 0.
    pub(super) seconds: f64,
}

/// Why a record gives no figure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("expected a number of bytes below 2^64, found `{0}`; the record is left out")]
    Bytes(String),
    #[error(
        "expected a time above 0, found `{0}`: the copy was too short for dd's clock and no rate follows; copy more"
    )]
    Time(String),
}

/// `1048576000 bytes (1.0 GB) copied, 3.50983 s, 299 MB/s` in any language: number, word, sizes in
/// parentheses (from 1000 bytes on), words, a comma, number, word, a comma, rate.
/// Sources: coreutils `dd.c`, `print_xfer_stats`, and its translations; BusyBox `dd.c`, `print_statistics`.
static COPIED: Pattern = LazyLock::new(|| {
    Regex::new(
        r"(?:^|[^0-9.,])([0-9]+)\s*[^\W\d_]+(?:\s*[(（][^()（）]*[)）]\s*|\s+)[^\W\d_][^\d,，、]*[,，、]\s*([0-9]+(?:[.,][0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*[^\W\d_]+[,，、]\s*(?:[0-9][0-9.,]*|[^\W\d_]+)\s*[kKMGTPEZYRQ]?i?B?/[^\W\d_]+",
    )
    .ok()
});

/// `25165824 bytes transferred in 0.026832 secs (937899773 bytes/sec)`: FreeBSD `bin/dd/misc.c`, `summary`.
static TRANSFERRED: Pattern = LazyLock::new(|| {
    Regex::new(r"([0-9]+) bytes transferred in ([0-9]+(?:[.,][0-9]+)?) sec[a-z]* \([^()]*\)").ok()
});

/// FreeBSD's progress: `123 bytes (123 MB, 117 MiB) transferred 1.001s, 123 MB/s`.
static TRANSFERRING: Pattern =
    LazyLock::new(|| Regex::new(r"([0-9]+) bytes \([^()]*\) transferred ([0-9]+(?:[.,][0-9]+)?)s, ").ok());

/// `100+0 records in`, `962+0 Datensätze ein`, `记录了10+0 的读入`.
static PAIR: Pattern =
    LazyLock::new(|| Regex::new(r"(?:^|\s|[^\W\d_])([0-9]+)\+([0-9]+) ([^\W\d_]+)(?: [^\W\d_]+)?").ok());

/// All records in a line, in their order, each with its place.
pub(super) fn records(line: &str) -> Vec<(Range<usize>, Result<Figures, Fault>)> {
    // Every record has a rate in it; most other lines end here.
    if !line.contains('/') {
        return Vec::new();
    }
    let mut found: Vec<_> = [&COPIED, &TRANSFERRED]
        .into_iter()
        .filter_map(|pattern| pattern.as_ref())
        .flat_map(|pattern| pattern.captures_iter(line))
        // `36 KiB written, 224 iops, 897.9 KiB/s` is ioping's.
        .filter(|found| found.get(0).is_some_and(|all| !all.as_str().contains(" iops")))
        .filter_map(|found| Some((found.get(0)?.range(), figures(&found))))
        .collect();
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// Seconds and bytes of a progress line.
pub(super) fn progress(line: &str) -> Option<(f64, u64)> {
    let found = [&COPIED, &TRANSFERRING].into_iter().find_map(|pattern| pattern.as_ref()?.captures(line))?;
    let figures = figures(&found).ok()?;
    Some((figures.seconds, figures.bytes))
}

fn figures(found: &Captures<'_>) -> Result<Figures, Fault> {
    let text = |index: usize| found.get(index).map_or("", |text| text.as_str());
    let bytes = text(1).parse().map_err(|_| Fault::Bytes(text(1).to_owned()))?;
    let seconds = decimal(text(2)).filter(|s| *s > 0.0).ok_or_else(|| Fault::Time(text(2).to_owned()))?;
    Ok(Figures { bytes, seconds })
}

/// Whole and partial blocks in a line, in the order in which it gives them.
pub(super) fn pairs(line: &str) -> Vec<(u64, u64)> {
    let Some(pattern) = PAIR.as_ref().filter(|_| line.contains('+') && line.len() < 200) else {
        return Vec::new();
    };
    let number = |found: &Captures<'_>, index: usize| found.get(index)?.as_str().parse().ok();
    pattern.captures_iter(line).filter_map(|found| Some((number(&found, 1)?, number(&found, 2)?))).collect()
}

/// True for `N+M records in` and `N+M records out`.
pub(super) fn is_english_pair(line: &str) -> bool {
    line.contains(" records ") && !pairs(line).is_empty()
}

/// True for an error message: `dd: error writing 'x': No space left on device`.
pub(super) fn is_complaint(line: &str) -> bool {
    line.trim_start().strip_prefix("dd: ").is_some_and(|rest| rest.contains(": "))
}
