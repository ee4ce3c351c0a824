//! Histograms over run time: how often each latency occurred, cell by cell.
//!
//! In: counts by time and bucket. Out: a bounded, mergeable grid from which
//! percentiles over time and heat maps are read. Counts are whole numbers, so the
//! order in which they come cannot change a bit.

use crate::model::Histogram;
use serde::{Deserialize, Serialize};

/// A time grid of sparse histograms.
///
/// Cell `i` covers `[i, i + 1) * cell_ms` of run time. Neighbours merge and the
/// width doubles when a count lies beyond [`TimedHistogram::MAX_CELLS`] cells, or when
/// the cells hold more than [`TimedHistogram::MAX_ENTRIES`] buckets in all: memory
/// is bounded whatever the length of the run and the spread of its latencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedHistogram {
    cell_ms: u64,
    cells: Vec<Histogram>,
    /// Buckets with a count, over all cells.
    entries: usize,
}

impl Default for TimedHistogram {
    fn default() -> Self {
        TimedHistogram { cell_ms: TimedHistogram::START_MS, cells: Vec::new(), entries: 0 }
    }
}

impl TimedHistogram {
    /// Most cells that a series holds.
    pub const MAX_CELLS: usize = 512;
    /// Most buckets with a count that its cells hold in all, about 1.5 MB.
    pub const MAX_ENTRIES: usize = 1 << 16;
    /// Width that a grid starts with, ms.
    pub const START_MS: u64 = 100;

    /// Widest cell that a grid may start with, ms: an hour.
    pub const WIDEST_START_MS: u64 = 3_600_000;

    /// An empty grid whose cells start as wide as the windows that a tool recorded.
    #[must_use]
    pub fn starting_with(cell_ms: u64) -> Self {
        let cell_ms = cell_ms.clamp(1, TimedHistogram::WIDEST_START_MS);
        TimedHistogram { cell_ms, ..TimedHistogram::default() }
    }

    /// A grid of these cells, from run time 0 on.
    #[cfg(feature = "tables")]
    pub(crate) fn of_cells(cell_ms: u64, cells: Vec<Histogram>) -> Self {
        let entries = cells.iter().map(Histogram::len).sum();
        TimedHistogram { cell_ms: cell_ms.max(1), cells, entries }
    }

    /// Counts `n` more values in bucket `bucket` at `at_ms` of run time.
    pub fn record(&mut self, at_ms: u64, bucket: u32, n: u64) {
        if n > 0 {
            self.record_buckets(at_ms, &[(bucket, n)]);
        }
    }

    /// Counts more values at `at_ms` of run time: buckets in ascending order, each once and with a count.
    pub(crate) fn record_buckets(&mut self, at_ms: u64, counts: &[(u32, u64)]) {
        if counts.is_empty() {
            return;
        }
        while at_ms / self.cell_ms >= TimedHistogram::MAX_CELLS as u64 {
            self.coarsen();
        }
        let index = self.cell_of(at_ms);
        if self.cells.len() <= index {
            self.cells.resize_with(index + 1, Histogram::default);
        }
        let cell = &mut self.cells[index];
        let before = cell.len();
        match counts {
            [(bucket, n)] => cell.record_bucket(*bucket, *n),
            counts => cell.record_buckets(counts),
        }
        self.entries += cell.len() - before;
        while self.entries > TimedHistogram::MAX_ENTRIES && self.cells.len() > 1 {
            self.coarsen();
        }
    }

    /// Adds the counts of `other`; the coarser grid of both remains. Each cell of the finer one goes
    /// where its middle lies.
    pub fn merge(&mut self, other: &TimedHistogram) {
        while self.cell_ms < other.cell_ms {
            self.coarsen();
        }
        for (index, cell) in (0u64..).zip(&other.cells) {
            let counts: Vec<(u32, u64)> = cell.buckets().collect();
            self.record_buckets(index * other.cell_ms + other.cell_ms / 2, &counts);
        }
    }

    /// Keeps what lies between two run times, to the nearest cell, where it is: the cells before are empty then.
    pub fn cut(&mut self, from_ms: f64, to_ms: f64) {
        let cell = |ms: f64| ((ms / self.cell_ms as f64).round().max(0.0) as usize).min(self.cells.len());
        let (first, end) = (cell(from_ms), cell(to_ms));
        self.cells.truncate(end);
        self.cells.iter_mut().take(first).for_each(|cell| *cell = Histogram::default());
        self.entries = self.cells.iter().map(Histogram::len).sum();
    }

    /// Index of the cell that covers `at_ms` at the present width.
    #[must_use]
    pub fn cell_of(&self, at_ms: u64) -> usize {
        usize::try_from(at_ms / self.cell_ms).unwrap_or(usize::MAX)
    }

    /// Width of a cell, ms.
    #[must_use]
    pub fn cell_ms(&self) -> u64 {
        self.cell_ms
    }

    /// The cells from run time 0 on; one in which nothing was counted is empty.
    #[must_use]
    pub fn cells(&self) -> &[Histogram] {
        &self.cells
    }

    /// All cells as one.
    #[must_use]
    pub fn total(&self) -> Histogram {
        let mut total = Histogram::default();
        for cell in &self.cells {
            total.merge(cell);
        }
        total
    }

    /// True when nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    fn coarsen(&mut self) {
        let mut merged: Vec<Histogram> = Vec::with_capacity(self.cells.len().div_ceil(2));
        for (index, cell) in std::mem::take(&mut self.cells).into_iter().enumerate() {
            match merged.last_mut() {
                Some(first) if index % 2 == 1 => first.merge(&cell),
                _ => merged.push(cell),
            }
        }
        self.entries = merged.iter().map(Histogram::len).sum();
        self.cells = merged;
        self.cell_ms = self.cell_ms.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lie_in_the_cell_of_their_time() {
        let mut timed = TimedHistogram::default();
        timed.record(0, 10, 1);
        timed.record(99, 10, 2);
        timed.record(100, 20, 4);
        let cells: Vec<Vec<(u32, u64)>> = timed.cells().iter().map(|c| c.buckets().collect()).collect();
        assert_eq!(cells, [vec![(10, 3)], vec![(20, 4)]]);
    }

    #[test]
    fn a_long_run_coarsens_and_loses_no_count() {
        let mut timed = TimedHistogram::default();
        for second in 0..100_000 {
            timed.record(second * 1000, (second % 7) as u32, 1);
        }
        assert!(timed.cells().len() <= TimedHistogram::MAX_CELLS);
        assert_eq!(timed.total().count(), 100_000);
        // 100,000 s in cells of 100 ms times a power of two, at most 512 of them.
        assert_eq!(timed.cell_ms(), 204_800);
    }

    #[test]
    fn many_buckets_coarsen_before_they_fill_the_memory() {
        let mut timed = TimedHistogram::default();
        for cell in 0..512u64 {
            for bucket in 0..1000 {
                timed.record(cell * 100, bucket, 1);
            }
        }
        let entries: usize = timed.cells().iter().map(Histogram::len).sum();
        assert!(entries <= TimedHistogram::MAX_ENTRIES, "{entries}");
        assert_eq!(timed.total().count(), 512_000);
    }

    #[test]
    fn a_cut_keeps_what_lies_between_at_its_time() {
        let mut timed = TimedHistogram::default();
        for cell in 0..10 {
            timed.record(cell * 100, cell as u32, 1);
        }
        timed.cut(200.0, 400.0);
        let cells: Vec<Vec<(u32, u64)>> = timed.cells().iter().map(|c| c.buckets().collect()).collect();
        assert_eq!(cells, [vec![], vec![], vec![(2, 1)], vec![(3, 1)]]);
        timed.cut(500.0, f64::INFINITY);
        assert!(timed.is_empty());
    }

    #[test]
    fn merging_gives_the_same_in_either_order() {
        let (mut fine, mut coarse) = (TimedHistogram::default(), TimedHistogram::default());
        for at in 0..40 {
            fine.record(at * 100, 7, 1);
        }
        coarse.record(0, 7, 1);
        coarse.record(100_000, 9, 5);
        let mut a = fine.clone();
        a.merge(&coarse);
        let mut b = coarse.clone();
        b.merge(&fine);
        assert_eq!(a, b);
        assert_eq!(a.total().count(), 46);
        assert_eq!(a.cell_ms(), 200);
    }
}
