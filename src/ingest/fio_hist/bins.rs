//! The bins of a histogram log, and a line as counts by our own buckets.

use super::super::fio_log::row::Row;
use crate::model::{bucket_bounds, bucket_of_usec};
use std::fmt;

/// Counts above are no counts: no log counts a million million I/Os in a window.
const MOST: u64 = 1 << 40;

/// Largest block size that is believed, 1 TiB.
const MOST_BYTES: u64 = 1 << 40;

/// Stamps above are no times in ms.
const LATEST: u64 = 1_000_000_000_000_000;

/// Bins of fio up to 2.21, of microseconds: 19 groups of 64.
const USEC_BINS: u32 = 19 * 64;

/// Bins of fio from 2.99 on, of nanoseconds: 29 groups of 64.
const NSEC_BINS: u32 = 29 * 64;

/// Most steps of `log_hist_coarseness`.
const COARSEST: u32 = 6;

/// Bins so few that the rows could be any table, unless the name says what they are.
const FEW: u32 = 100;

/// What the number of columns tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bins {
    /// Counts in a row.
    count: u32,
    /// True for bins of microseconds.
    pub(super) usec: bool,
    /// `log_hist_coarseness`: each bin holds `2^coarseness` of fio's finest.
    pub(super) coarseness: u32,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HistRow {
    /// Line in the file, counted from 1.
    pub(super) line: u64,
    /// Time stamp as written, ms.
    pub(super) t: u64,
    /// Index of the direction.
    pub(super) direction: usize,
    /// Bucket of nanoseconds and count, where there is one.
    pub(super) counts: Vec<(u32, u64)>,
    /// Count of the last bin, which has no upper end.
    pub(super) beyond: u64,
}

/// Why a line is no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowError {
    /// Not numbers, or not as many as expected.
    Unreadable,
    /// A count that cannot be one.
    Garbage,
}

impl Bins {
    fn of_count(count: u32) -> Option<Bins> {
        [(USEC_BINS, true), (NSEC_BINS, false)].into_iter().find_map(|(finest, usec)| {
            let coarseness = (0..=COARSEST).find(|&coarseness| finest >> coarseness == count)?;
            Some(Bins { count, usec, coarseness })
        })
    }

    /// The bins of a line; None when it is no row of a histogram log.
    pub(super) fn of_line(line: &[u8], named: bool) -> Option<Bins> {
        let columns = line.split(|&byte| byte == b',').count();
        let bins = Bins::of_count(u32::try_from(columns.checked_sub(3)?).ok()?)?;
        let digits = |column: &[u8]| {
            let column = column.trim_ascii();
            !column.is_empty() && column.iter().all(u8::is_ascii_digit)
        };
        let direction = line.split(|&byte| byte == b',').nth(1)?.trim_ascii();
        let fits = matches!(direction, b"0" | b"1" | b"2") && line.split(|&byte| byte == b',').all(digits);
        (fits && (named || bins.count > FEW)).then_some(bins)
    }

    /// The row that a line holds.
    ///
    /// # Errors
    /// When it is no row, or its counts cannot be counts.
    pub(super) fn row(self, line: u64, text: &[u8]) -> Result<HistRow, RowError> {
        let mut columns = text.split(|&byte| byte == b',').map(number);
        let mut next = || columns.next().flatten().ok_or(RowError::Unreadable);
        let (t, direction, bytes) = (next()?, next()?, next()?);
        if t > LATEST || direction > 2 || bytes > MOST_BYTES {
            return Err(RowError::Unreadable);
        }
        let mut counts = Vec::new();
        let mut beyond = 0;
        for bin in 0..self.count {
            let n = next()?;
            if n > MOST {
                return Err(RowError::Garbage);
            }
            if n > 0 {
                counts.push((self.bucket(bin), n));
                beyond = if bin + 1 == self.count { n } else { 0 };
            }
        }
        if columns.next().is_some() {
            return Err(RowError::Unreadable);
        }
        Ok(HistRow { line, t, direction: direction as usize, counts, beyond })
    }

    /// The bucket of nanoseconds in the middle of a bin.
    fn bucket(self, bin: u32) -> u32 {
        let finest = (bin << self.coarseness) + ((1 << self.coarseness) >> 1);
        if self.usec { bucket_of_usec(finest) } else { finest }
    }

    /// Width of a bin against its values, above the first octaves.
    pub(super) fn resolution(self) -> f64 {
        f64::from(1u32 << self.coarseness) / 64.0
    }

    /// Where the last bin begins, s.
    pub(super) fn reach_s(self) -> f64 {
        let (low, _) = bucket_bounds((self.count - 1) << self.coarseness);
        low as f64 / if self.usec { 1e6 } else { 1e9 }
    }
}

/// `time, direction, block size, 1856 counts (ns)`.
impl fmt::Display for Bins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.usec { "us" } else { "ns" };
        write!(f, "time, direction, block size, {} counts ({unit})", self.count)
    }
}

impl HistRow {
    /// I/Os in the row.
    pub(super) fn ios(&self) -> u64 {
        self.counts.iter().fold(0, |sum: u64, &(_, n)| sum.saturating_add(n))
    }

    /// Its place in time.
    pub(super) fn stamp(&self) -> Row {
        Row { line: self.line, t: self.t, value: 0, direction: self.direction, bytes: 0 }
    }
}

/// A decimal number with blanks around it; one beyond the range stays at its end.
fn number(column: &[u8]) -> Option<u64> {
    let digits = column.trim_ascii();
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &digit| {
        digit.is_ascii_digit().then(|| value.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
    })
}
