//! Rows that cannot be used: counted by kind, told once a kind.
//!
//! Nothing is clamped or dropped silently: each kind of defect becomes one
//! remark with its first line and its count.

use super::layout::Layout;
use super::row::{Columns, Row};
use crate::ingest::Remark;
use crate::model::Severity;

/// Values above are counter wraps, not measurements (2^64 printed after a clock went back).
pub(super) const MAX_VALUE: i64 = 1_000_000_000_000_000;

/// Block sizes above are no block sizes: 1 TiB.
pub(super) const MAX_BLOCK: i64 = 1 << 40;

/// Why a row is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defect {
    /// Not numbers, or not as many as the other rows have.
    Unreadable,
    /// A direction that is none.
    Direction,
    /// A value below 0 or above 10^15.
    Value,
    /// A block size below 0 or above 1 TiB.
    BlockSize,
    /// A time stamp that no other row is near to.
    Time,
    /// Zeros throughout (axboe/fio #152).
    Zeros,
    /// The last line, without its end.
    Cut,
}

const ALL: [Defect; 7] = [
    Defect::Unreadable,
    Defect::Direction,
    Defect::Value,
    Defect::BlockSize,
    Defect::Time,
    Defect::Zeros,
    Defect::Cut,
];

/// How often something was met, and on which line first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::ingest) struct Tally {
    pub(in crate::ingest) count: u64,
    pub(in crate::ingest) first_line: u64,
}

impl Tally {
    pub(in crate::ingest) fn add(&mut self, line: u64) {
        self.add_later(1, line);
    }

    /// Adds what was met further on.
    pub(in crate::ingest) fn add_later(&mut self, count: u64, first_line: u64) {
        if self.count == 0 {
            self.first_line = first_line;
        }
        self.count += count;
    }

    /// `12 times`, `once`.
    pub(in crate::ingest) fn times(&self) -> String {
        if self.count == 1 { "once".to_owned() } else { format!("{} times", self.count) }
    }

    /// `12 rows`, `1 row`.
    pub(in crate::ingest) fn rows(&self) -> String {
        format!("{} {}", self.count, if self.count == 1 { "row" } else { "rows" })
    }
}

/// Dropped rows by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Defects {
    tallies: [Tally; ALL.len()],
    /// The first unreadable line and its number, shortened, for the message.
    found: Option<(u64, String)>,
}

impl Defects {
    /// Counts a dropped row.
    pub(super) fn add(&mut self, defect: Defect, line: u64) {
        self.tallies[defect as usize].add(line);
    }

    /// Counts an unreadable line.
    pub(super) fn add_unreadable(&mut self, line: u64, text: &[u8]) {
        self.add(Defect::Unreadable, line);
        if self.found.is_none() {
            self.found = Some((line, excerpt(text)));
        }
    }

    /// Adds the rows that others dropped.
    pub(super) fn merge(&mut self, others: Defects) {
        for (defect, tally) in ALL.into_iter().zip(others.tallies) {
            self.add_all(defect, tally);
        }
        // The first of both.
        self.found = self.found.take().into_iter().chain(others.found).min_by_key(|&(line, _)| line);
    }

    /// The same, so many lines further on.
    pub(super) fn moved_by(mut self, lines: u64) -> Defects {
        for tally in &mut self.tallies {
            tally.first_line += lines;
        }
        if let Some((line, _)) = &mut self.found {
            *line += lines;
        }
        self
    }

    /// Adds what was counted elsewhere.
    pub(super) fn add_all(&mut self, defect: Defect, tally: Tally) {
        let own = &mut self.tallies[defect as usize];
        if own.count == 0 || (tally.count > 0 && tally.first_line < own.first_line) {
            own.first_line = tally.first_line;
        }
        own.count += tally.count;
    }

    /// How often a kind was met.
    pub(super) fn of(&self, defect: Defect) -> Tally {
        self.tallies[defect as usize]
    }

    /// The first unreadable line.
    pub(super) fn found(&self) -> &str {
        self.found.as_ref().map_or("", |(_, text)| text)
    }

    /// All dropped rows.
    pub(super) fn total(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.count).sum()
    }

    /// One remark a kind.
    pub(super) fn remarks(&self, columns: usize) -> Vec<Remark> {
        let met =
            ALL.into_iter().map(|defect| (defect, self.of(defect))).filter(|(_, tally)| tally.count > 0);
        met.map(|(defect, tally)| {
            let rows = tally.rows();
            let message = match defect {
                Defect::Unreadable => {
                    format!("expected {columns} numbers, found `{}`; {rows} dropped", self.found())
                }
                Defect::Direction => {
                    format!("expected direction 0, 1 or 2, found another; {rows} dropped")
                }
                Defect::Value => {
                    format!("value below 0 or above 10^15 (a counter that wrapped); {rows} dropped")
                }
                Defect::BlockSize => format!("block size below 0 or above 1 TiB; {rows} dropped"),
                Defect::Time => format!("time stamp far from those around it; {rows} dropped"),
                Defect::Zeros => format!("only zeros; {rows} dropped"),
                Defect::Cut => "the last line has no end, so the file was cut; 1 row dropped".to_owned(),
            };
            Remark::new(Severity::Warning, message).at_line(tally.first_line)
        })
        .collect()
    }
}

impl Layout {
    /// The row that a line's numbers are in this layout.
    ///
    /// # Errors
    /// What makes the row unusable.
    pub(super) fn row(&self, line: u64, columns: &Columns) -> Result<Row, Defect> {
        if columns.len != self.len() {
            return Err(Defect::Unreadable);
        }
        let within =
            |value: i64, most: i64, defect| u64::try_from(value).ok().filter(|_| value <= most).ok_or(defect);
        let direction = columns.at(self.direction);
        if !(0..=2).contains(&direction) {
            return Err(Defect::Direction);
        }
        Ok(Row {
            line,
            t: within(columns.at(self.time), MAX_VALUE, Defect::Time)?,
            value: within(columns.at(self.value), MAX_VALUE, Defect::Value)?,
            direction: direction as usize,
            bytes: match self.block_size {
                Some(index) => within(columns.at(index), MAX_BLOCK, Defect::BlockSize)?,
                None => 0,
            },
        })
    }
}

/// The beginning of a line, fit for a message.
pub(in crate::ingest) fn excerpt(line: &[u8]) -> String {
    const CHARS: usize = 40;
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * CHARS)]);
    let mut short: String =
        text.chars().take(CHARS).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().count() > CHARS || line.len() > 4 * CHARS {
        short.push_str("...");
    }
    short
}
