//! Series as a reader leaves them: windowed samples, or cells of a time grid.

use crate::model::{Ddir, Histogram, Metric, TimedHistogram};
use serde::{Deserialize, Serialize};

/// The rows of one metric, one direction and one job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What is measured; its base unit is the unit of all values.
    pub metric: Metric,
    /// Direction of the I/Os.
    pub ddir: Ddir,
    /// Index into the run's jobs; [`Series::ALL_JOBS`] for a log of all jobs together.
    pub job: usize,
    /// Which clone of that job, for jobs that the tool reports as one entry; else 0.
    pub clone: u32,
    /// Last time stamp of this clone in any direction and of this metric's log, ms.
    pub last_ms: u64,
    /// The samples.
    pub kind: SeriesKind,
}

impl Series {
    /// The job of a series that the tool recorded over all jobs together (fio's `--bandwidth-log`).
    pub const ALL_JOBS: usize = usize::MAX;
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
    /// Counts by bucket over time, from a histogram log: percentiles can be had from them, sums and extremes not.
    Counts(TimedHistogram),
}

impl SeriesKind {
    /// The intervals `(start, end]` in ms that windowed samples cover, with their values.
    ///
    /// A row is a mean over the time since the row before it, as long as that is
    /// less than 1.5 windows (jitter); after a longer gap it covers one window.
    /// A second row of one time stamp covers nothing.
    pub fn intervals(samples: &[Sample], window_ms: f64) -> impl Iterator<Item = (f64, f64, Sample)> + '_ {
        let mut previous = 0.0;
        samples.iter().map(move |&sample| {
            let end = sample.end_ms as f64;
            let since = end - previous;
            // The first row covers the time from the start even when it comes a little late.
            let length = if since < 1.5 * window_ms { since.max(0.0) } else { window_ms };
            previous = end.max(previous);
            (end - length, end, sample)
        })
    }

    /// Mean of a rate over `[0, span_ms]`: what happened in it, divided by its length. Idle windows count as zero.
    /// None for histograms, which hold no rate.
    ///
    /// Windowed rows count by the part of their interval that lies inside. For
    /// cells, `weight` says what a cell holds: its count or its bytes.
    #[must_use]
    pub fn mean_rate(&self, span_ms: f64, weight: fn(&GridCell) -> u64) -> Option<f64> {
        if span_ms <= 0.0 {
            return None;
        }
        match self {
            SeriesKind::Counts(_) => None,
            SeriesKind::Windowed { window_ms, samples } => {
                let inside = |(start, end, sample): (f64, f64, Sample)| {
                    (end.min(span_ms) - start.max(0.0)).max(0.0) * sample.value
                };
                Some(SeriesKind::intervals(samples, *window_ms).map(inside).sum::<f64>() / span_ms)
            }
            SeriesKind::Cells(grid) => {
                let cell = grid.cell_ms as f64;
                // The last cell holds only what came up to the last stamp, so it counts whole when the span reaches that:
                // even where that stamp is the beginning of the cell.
                let held: f64 = grid
                    .cells
                    .iter()
                    .enumerate()
                    .map(|(i, c)| {
                        let start = i as f64 * cell;
                        let end = (start + cell).min((grid.last_ms as f64).max(start));
                        let share = if span_ms >= end { 1.0 } else { (span_ms - start) / (end - start) };
                        share.max(0.0) * weight(c) as f64
                    })
                    .sum();
                Some(held * 1000.0 / span_ms)
            }
        }
    }
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
    /// The same counts over time.
    #[serde(default)]
    pub timed: TimedHistogram,
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
            timed: TimedHistogram::default(),
            sum_squares: 0,
        }
    }

    /// Adds one I/O that ended at `at_ms`.
    pub fn add(&mut self, at_ms: u64, value: u64, bytes: u64) {
        let index = self.reach(at_ms);
        self.cells[index].add(value, bytes);
        self.sum_squares = self.sum_squares.saturating_add(u128::from(value) * u128::from(value));
        self.last_ms = self.last_ms.max(at_ms);
    }

    /// Makes the grid reach to `at_ms`; gives the index of the cell there.
    pub fn reach(&mut self, at_ms: u64) -> usize {
        while at_ms / self.cell_ms >= CellGrid::MAX_CELLS as u64 {
            self.coarsen();
        }
        let index = (at_ms / self.cell_ms) as usize;
        if self.cells.len() <= index {
            self.cells.resize(index + 1, GridCell::default());
        }
        index
    }

    /// Adds all I/Os of a grid whose cells began as wide as those of this one; the coarser cells remain.
    pub fn merge(&mut self, other: &CellGrid) {
        while self.cell_ms < other.cell_ms {
            self.coarsen();
        }
        for (index, cell) in (0u64..).zip(&other.cells) {
            let index = self.reach(index * other.cell_ms);
            self.cells[index].merge(cell);
        }
        self.last_ms = self.last_ms.max(other.last_ms);
        self.sum_squares = self.sum_squares.saturating_add(other.sum_squares);
        self.histogram.merge(&other.histogram);
        self.timed.merge(&other.timed);
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

    fn sample(end_ms: u64, value: f64) -> Sample {
        Sample { end_ms, value, partial: false }
    }

    #[test]
    fn what_came_at_the_last_moment_counts_in_a_rate() {
        let mut grid = CellGrid::new();
        for _ in 0..500 {
            grid.add(1000, 0, 4096);
        }
        // At 2,000 ms, where a cell of any width that divides it begins.
        for _ in 0..100 {
            grid.add(2000, 0, 4096);
        }
        let kind = SeriesKind::Cells(grid);
        assert_eq!(kind.mean_rate(2000.0, |c| c.count), Some(300.0));
        assert_eq!(kind.mean_rate(1500.0, |c| c.count), Some(500.0 / 1.5));
    }

    #[test]
    fn an_idle_window_counts_as_zero_in_a_rate() {
        // 100/s for (0, 500], nothing for (500, 1500], 100/s for (1500, 2000]: 100 I/Os in 2 s.
        let kind =
            SeriesKind::Windowed { window_ms: 500.0, samples: vec![sample(500, 100.0), sample(2000, 100.0)] };
        assert_eq!(kind.mean_rate(2000.0, |c| c.count), Some(50.0));
    }

    #[test]
    fn jitter_weighs_rows_by_their_length() {
        // 501 ms at 10/s and 501 ms at 20/s.
        let kind =
            SeriesKind::Windowed { window_ms: 500.0, samples: vec![sample(501, 10.0), sample(1002, 20.0)] };
        assert_eq!(kind.mean_rate(1002.0, |c| c.count), Some(15.0));
    }

    #[test]
    fn cells_count_their_ios_over_the_span() {
        let mut grid = CellGrid::new();
        for ms in 0..1000 {
            grid.add(ms, 1, 4096);
        }
        let kind = SeriesKind::Cells(grid);
        // 1000 I/Os, the last at 999 ms.
        assert!((kind.mean_rate(999.0, |c| c.count).unwrap_or(0.0) - 1001.0).abs() < 0.1);
        assert!((kind.mean_rate(999.0, |c| c.bytes).unwrap_or(0.0) - 1001.0 * 4096.0).abs() < 500.0);
    }

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
