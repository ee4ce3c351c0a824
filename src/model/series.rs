//! Series as a reader leaves them: windowed samples, or cells of a time grid.

use crate::model::{Ddir, Histogram, Metric};
use serde::{Deserialize, Serialize};

/// The rows of one metric, one direction and one job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What is measured; its base unit is the unit of all values.
    pub metric: Metric,
    /// Direction of the I/Os.
    pub ddir: Ddir,
    /// Index into the run's jobs.
    pub job: usize,
    /// The samples.
    pub kind: SeriesKind,
}

/// How the samples of a series lie in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeriesKind {
    /// One value for each window that held I/O.
    Windowed {
        /// Nominal window: the median positive distance between rows, ms.
        window_ms: f64,
        /// Samples in ascending order of `end_ms`.
        samples: Vec<Sample>,
    },
    /// A time grid filled from single I/Os.
    Cells(CellGrid),
}

/// A value over the window that ends at `end_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// End of the window, ms since the job's start.
    pub end_ms: u64,
    /// Rate or mean over the window, in the metric's base unit.
    pub value: f64,
    /// True for the flush of a partial window at the end of a latency log:
    /// a handful of I/Os that must not set an extreme.
    pub partial: bool,
}

/// One cell of a [`CellGrid`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridCell {
    /// I/Os that ended in the cell.
    pub count: u64,
    /// Sum of their values (latency: ns).
    pub sum: u128,
    /// Smallest value; meaningless when `count` is 0.
    pub min: u64,
    /// Largest value.
    pub max: u64,
    /// Sum of their block sizes, bytes.
    pub bytes: u64,
}

impl GridCell {
    /// Adds one I/O.
    pub fn add(&mut self, value: u64, bytes: u64) {
        if self.count == 0 {
            (self.min, self.max) = (value, value);
        } else {
            self.min = self.min.min(value);
            self.max = self.max.max(value);
        }
        self.count += 1;
        self.sum += u128::from(value);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Adds all I/Os of another cell.
    pub fn merge(&mut self, other: &GridCell) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// A time grid of bounded size that a reader of per-I/O logs fills while it streams.
///
/// Cell `i` covers `[i, i + 1) * cell_ms` of run time. When an I/O lies beyond
/// [`CellGrid::MAX_CELLS`] cells, neighbours merge and the cell width doubles, so
/// memory is bounded whatever the length of the run. All sums are integers:
/// the order of I/Os cannot change a bit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellGrid {
    /// Width of a cell, ms.
    pub cell_ms: u64,
    /// The cells from run time 0 on.
    pub cells: Vec<GridCell>,
    /// Last time stamp, ms.
    pub last_ms: u64,
    /// Histogram of all values (latency series only), fio's buckets.
    pub histogram: Histogram,
    /// Sum of the squares of all values; ns squared needs 128 bits.
    pub sum_squares: u128,
}

impl Default for CellGrid {
    fn default() -> Self {
        CellGrid::new()
    }
}

impl CellGrid {
    /// Most cells that a grid holds.
    pub const MAX_CELLS: usize = 4096;
    /// Width that a grid starts with, ms.
    pub const START_MS: u64 = 10;

    /// An empty grid of the finest width.
    #[must_use]
    pub fn new() -> Self {
        CellGrid {
            cell_ms: CellGrid::START_MS,
            cells: Vec::new(),
            last_ms: 0,
            histogram: Histogram::default(),
            sum_squares: 0,
        }
    }

    /// Adds one I/O that ended at `at_ms`.
    pub fn add(&mut self, at_ms: u64, value: u64, bytes: u64) {
        while at_ms / self.cell_ms >= CellGrid::MAX_CELLS as u64 {
            self.coarsen();
        }
        let index = (at_ms / self.cell_ms) as usize;
        if self.cells.len() <= index {
            self.cells.resize(index + 1, GridCell::default());
        }
        self.cells[index].add(value, bytes);
        self.sum_squares = self.sum_squares.saturating_add(u128::from(value) * u128::from(value));
        self.last_ms = self.last_ms.max(at_ms);
    }

    /// Doubles the cell width.
    pub fn coarsen(&mut self) {
        let merged = self.cells.chunks(2).map(|pair| {
            let mut cell = pair[0];
            if let Some(second) = pair.get(1) {
                cell.merge(second);
            }
            cell
        });
        self.cells = merged.collect();
        self.cell_ms *= 2;
    }

    /// All cells as one.
    #[must_use]
    pub fn total(&self) -> GridCell {
        let mut total = GridCell::default();
        for cell in &self.cells {
            total.merge(cell);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_coarsens_and_loses_nothing() {
        let mut grid = CellGrid::new();
        for second in 0..200_000u64 {
            grid.add(second * 1000, second + 1, 4096);
        }
        assert!(grid.cells.len() <= CellGrid::MAX_CELLS);
        let total = grid.total();
        assert_eq!(total.count, 200_000);
        assert_eq!(total.bytes, 200_000 * 4096);
        assert_eq!(total.sum, 200_000 * 200_001 / 2);
        assert_eq!((total.min, total.max), (1, 200_000));
    }
}
