//! Rows of a span that lie in several cells, moved together by time.
//!
//! Goes in: some rows of a batch. Comes out: those before a stamp, again and again, until none is left. A log into
//! which several jobs wrote in turn has rows of two times or more in each span; once they lie together, they
//! are summed up as quickly as any.

use super::columns::{Columns, LANES, NONE};
use crate::ingest::fio_log::batch::{Batch, ROWS, newest};
use crate::ingest::fio_log::row::{DIRECTIONS, Row};
use std::ops::Range;

/// At most a span of rows; what lies behind them is of no direction.
pub(super) struct Few {
    len: usize,
    t: [u64; ROWS],
    value: [u64; ROWS],
    bytes: [u64; ROWS],
    direction: [u8; ROWS],
}

impl Default for Few {
    /// None.
    fn default() -> Few {
        Few { len: 0, t: [0; ROWS], value: [0; ROWS], bytes: [0; ROWS], direction: [NONE; ROWS] }
    }
}

impl Few {
    /// Takes these rows of a batch, a span of them at most, in place of those that it had.
    #[inline(always)]
    pub(super) fn fill(&mut self, batch: &Batch, rows: Range<usize>) {
        let len = rows.len().min(ROWS);
        self.t[..len].copy_from_slice(&batch.t[rows.clone()]);
        self.value[..len].copy_from_slice(&batch.value[rows.clone()]);
        self.bytes[..len].copy_from_slice(&batch.bytes[rows.clone()]);
        self.direction[..len].copy_from_slice(&batch.direction[rows]);
        self.set_len(len);
    }

    #[inline(always)]
    fn set_len(&mut self, len: usize) {
        self.len = len;
        self.direction[len..].fill(NONE);
    }

    /// How many rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Least and largest stamp.
    #[inline(always)]
    pub(super) fn least_and_most(&self) -> (u64, u64) {
        let t = &self.t[..self.len];
        (t.iter().fold(u64::MAX, |least, &t| least.min(t)), t.iter().fold(0, |most, &t| most.max(t)))
    }

    /// Bit `d` is set when direction `d` has a row.
    #[inline(always)]
    pub(super) fn directions(&self) -> u8 {
        let has = |direction: u8| self.direction.iter().fold(false, |has, &own| has | (own == direction));
        (0..DIRECTIONS.len() as u8).fold(0, |bits, direction| bits | u8::from(has(direction)) << direction)
    }

    /// Largest stamp of each direction; 0 where it has no row.
    #[inline(always)]
    pub(super) fn newest(&self) -> [u64; DIRECTIONS.len()] {
        let len = self.padded();
        let mut latest = [0; DIRECTIONS.len()];
        // No closure for each, which would be compiled for any processor.
        for (index, latest) in (0..).zip(&mut latest) {
            *latest = newest(&self.t[..len], &self.direction[..len], index);
        }
        latest
    }

    /// Moves the rows before a stamp into `taken`, in place of those there, without a branch for each.
    #[inline(always)]
    pub(super) fn take_before(&mut self, end: u64, taken: &mut Few) {
        let (mut gone, mut kept) = (0, 0);
        for index in 0..self.len {
            let row = (self.t[index], self.value[index], self.bytes[index], self.direction[index]);
            taken.put(gone, row);
            self.put(kept, row);
            let goes = row.0 < end;
            gone += usize::from(goes);
            kept += usize::from(!goes);
        }
        self.set_len(kept);
        taken.set_len(gone);
    }

    #[inline(always)]
    fn put(&mut self, at: usize, (t, value, bytes, direction): (u64, u64, u64, u8)) {
        let at = at % ROWS;
        (self.t[at], self.value[at], self.bytes[at], self.direction[at]) = (t, value, bytes, direction);
    }

    /// The length, and what is added to it so that it is one of [`Columns`].
    #[inline(always)]
    fn padded(&self) -> usize {
        self.len.next_multiple_of(LANES).min(ROWS)
    }

    /// The rows as columns, with some of no direction behind them.
    #[inline(always)]
    pub(super) fn columns(&self) -> Columns<'_> {
        let len = self.padded();
        Columns { value: &self.value[..len], bytes: &self.bytes[..len], direction: &self.direction[..len] }
    }

    /// The rows one by one; of their lines nothing is known.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> {
        (0..self.len).map(|index| Row {
            line: 0,
            t: self.t[index],
            value: self.value[index],
            direction: usize::from(self.direction[index]),
            bytes: self.bytes[index],
        })
    }
}
