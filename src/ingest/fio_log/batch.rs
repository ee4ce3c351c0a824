//! Rows as columns of numbers, and how they lie in time.
//!
//! Goes in: rows in the order of their lines. Comes out: the columns, which line each row is, and
//! a [`Span`] for each [`ROWS`] of them, by which they are placed and summed up without a look at each.

use super::defect::Defects;
use super::row::{DIRECTIONS, Row};
use super::timeline::Bounds;
use pulp::NullaryFnOnce;
use std::ops::Range;

/// Rows as columns, in the order of their lines.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Time stamps as written, ms.
    pub(super) t: Vec<u64>,
    /// Values as written.
    pub(super) value: Vec<u64>,
    /// Block sizes, bytes; 0 where the log has none.
    pub(super) bytes: Vec<u64>,
    /// Indices of directions.
    pub(super) direction: Vec<u8>,
    /// How many rows; what lies beyond in the columns means nothing.
    pub(super) rows: usize,
    /// How many lines, rows or not.
    pub(super) lines: u64,
    /// The lines that are no rows, counted from 0, ascending.
    gaps: Vec<u32>,
    /// What was wrong with them; lines counted from 1.
    pub(super) defects: Defects,
    /// NUL bytes around lines.
    pub(super) nuls: u64,
    spans: Vec<Span>,
}

impl Batch {
    /// Line of a row, counted from 1.
    pub(super) fn line(&self, row: usize) -> u64 {
        // The gap of index k has `gap - k` rows before it.
        let (mut low, mut high) = (0, self.gaps.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.gaps[middle] as usize - middle <= row {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (row + low) as u64 + 1
    }

    /// A row of its own.
    pub(super) fn row(&self, index: usize, line: u64) -> Row {
        Row {
            line,
            t: self.t[index],
            value: self.value[index],
            direction: usize::from(self.direction[index]),
            bytes: self.bytes[index],
        }
    }

    /// Forgets everything but the room.
    pub(super) fn clear(&mut self) {
        self.rows = 0;
        self.lines = 0;
        self.gaps.clear();
        self.defects = Defects::default();
        self.nuls = 0;
        self.spans.clear();
    }

    /// Makes it the batch of a single line that is no row.
    pub(super) fn one_line(&mut self, nuls: u64) {
        self.clear();
        (self.lines, self.nuls) = (1, nuls);
        self.gap(0);
    }

    /// A batch of these rows, each a line.
    #[cfg(test)]
    pub(super) fn of(rows: &[Row], bounds: &Bounds) -> Batch {
        let mut batch = Batch::default();
        batch.reserve(rows.len());
        for (index, row) in rows.iter().enumerate() {
            batch.set(index, row);
        }
        (batch.rows, batch.lines) = (rows.len(), rows.len() as u64);
        batch.look(bounds);
        batch
    }

    /// Says that a line, counted from 0, is no row; lines come in order.
    pub(super) fn gap(&mut self, line: u32) {
        self.gaps.push(line);
    }

    /// Puts a row in a place that there is room for.
    pub(super) fn set(&mut self, index: usize, row: &Row) {
        self.t[index] = row.t;
        self.value[index] = row.value;
        self.bytes[index] = row.bytes;
        self.direction[index] = row.direction as u8;
    }

    /// Moves rows to where others left off.
    pub(super) fn move_rows(&mut self, rows: Range<usize>, to: usize) {
        if rows.start != to {
            self.t.copy_within(rows.clone(), to);
            self.value.copy_within(rows.clone(), to);
            self.bytes.copy_within(rows.clone(), to);
            self.direction.copy_within(rows, to);
        }
    }

    /// Makes room for `more` rows.
    pub(super) fn reserve(&mut self, more: usize) {
        let needed = self.rows + more;
        if self.t.len() < needed + ROWS {
            // More than that, so that a whole span may be looked at from any row on.
            let len = (needed + ROWS).next_multiple_of(4096);
            self.t.resize(len, 0);
            self.value.resize(len, 0);
            self.bytes.resize(len, 0);
            self.direction.resize(len, 0);
        }
    }

    /// Looks at how the rows lie in time, [`ROWS`] at a time, once they are complete.
    pub(super) fn look(&mut self, bounds: &Bounds) {
        pulp::Arch::new().dispatch(Look { batch: self, bounds });
    }

    /// What [`Batch::look`] saw.
    pub(super) fn spans(&self) -> &[Span] {
        &self.spans
    }
}

/// Rows that are looked at together.
pub(super) const ROWS: usize = 128;

/// How some rows lie in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// Which rows.
    pub(super) rows: Range<usize>,
    /// Stamp of the first.
    pub(super) first: u64,
    /// Least and largest stamp.
    pub(super) least: u64,
    pub(super) most: u64,
    /// Largest stamp of each direction; 0 where it has no row.
    pub(super) newest: [u64; DIRECTIONS.len()],
    /// Bit `d` is set when direction `d` has a row.
    pub(super) directions: u8,
    /// True when none of the rows is late or ahead of those before it in the span, as
    /// [`super::timeline::Timeline`] judges rows that are single I/Os.
    pub(super) steady: bool,
}

struct Look<'a> {
    batch: &'a mut Batch,
    bounds: &'a Bounds,
}

impl NullaryFnOnce for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Look { batch, bounds } = self;
        batch.spans.clear();
        for from in (0..batch.rows).step_by(ROWS) {
            let rows = from..batch.rows.min(from + ROWS);
            let span = Span::of(&batch.t[rows.clone()], &batch.direction[rows.clone()], rows, bounds);
            batch.spans.push(span);
        }
    }
}

/// Largest stamp of a direction; 0 where it has no row.
#[inline(always)]
pub(super) fn newest(t: &[u64], direction: &[u8], index: u8) -> u64 {
    /// Running maxima that do not wait for each other, and that a compiler makes vectors of.
    const LANES: usize = 8;
    let mut lanes = [0; LANES];
    let own = |of: u8| u64::from(of == index).wrapping_neg();
    let (t, rest) = t.as_chunks::<LANES>();
    let (direction, of_rest) = direction.as_chunks::<LANES>();
    for (t, direction) in t.iter().zip(direction) {
        for lane in 0..LANES {
            lanes[lane] = lanes[lane].max(t[lane] & own(direction[lane]));
        }
    }
    let lanes = lanes.into_iter().chain(rest.iter().zip(of_rest).map(|(t, of)| t & own(*of)));
    lanes.fold(0, u64::max)
}

/// True when no stamp is late or ahead of those before it.
#[inline(always)]
fn is_steady(t: &[u64], bounds: &Bounds) -> bool {
    /// Stamps after which it is asked whether the rest matters.
    const SOME: usize = 16;
    // Stamps are below 2^60: from as much late to as much ahead as may be is one range of numbers, which begins at 0.
    let ahead = bounds.ahead.min(1 << 60);
    let range = ahead + bounds.late.min(1 << 60);
    let mut most = t.first().copied().unwrap_or(0);
    for t in t.chunks(SOME) {
        let mut wrong = false;
        for &t in t {
            wrong |= (most + ahead).wrapping_sub(t) > range;
            most = most.max(t);
        }
        if wrong {
            return false;
        }
    }
    true
}

impl Span {
    #[inline(always)]
    fn of(t: &[u64], direction: &[u8], rows: Range<usize>, bounds: &Bounds) -> Span {
        let (first, last) = (t.first().copied().unwrap_or(0), t.last().copied().unwrap_or(0));
        let falls =
            t.iter().zip(t.iter().skip(1)).fold(false, |falls, (before, after)| falls | (after < before));
        let mut newest = [0; DIRECTIONS.len()];
        let mut directions = 0;
        if !falls {
            for (index, newest) in newest.iter_mut().enumerate() {
                if let Some(last) = memchr::memrchr(index as u8, direction) {
                    *newest = t[last];
                    directions |= 1 << index;
                }
            }
            let steady = last - first <= bounds.ahead;
            return Span { rows, first, least: first, most: last, newest, directions, steady };
        }
        let most = t.iter().fold(first, |most, &t| most.max(t));
        let steady = is_steady(t, bounds);
        let least = t.iter().fold(first, |least, &t| least.min(t));
        for (index, latest) in (0..).zip(&mut newest) {
            if direction.contains(&index) {
                *latest = self::newest(t, direction, index);
                directions |= 1 << index;
            }
        }
        Span { rows, first, least, most, newest, directions, steady }
    }
}
