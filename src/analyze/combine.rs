//! Jobs of a run on one time grid.
//!
//! Rates are spread over the cells that their intervals overlap and added up;
//! latencies pool, weighted by completions. Never by row index: rows of two
//! jobs differ by milliseconds, and idle windows have no row at all.

use crate::ingest::weight;
use crate::model::{CellGrid, Ddir, GridCell, Metric, Run, Sample, Series, SeriesKind, TimeSeries};

/// Most cells of a series made from single I/Os: enough for a curve, few enough that a cell holds many I/Os.
const PER_IO_CELLS: usize = 120;
/// Round widths of a cell, ms.
const NICE_MS: [u64; 14] =
    [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 120_000, 600_000];
/// The window of fio's own samples and of most logs, ms: single I/Os of longer runs are not put into wider cells than
/// this without need, for a stall that a log of windows shows must be seen in them, too.
const USUAL_MS: f64 = 500.0;
/// Mean number of I/Os in a cell from which chance alone does not make a curve of it.
const LEAST_IOS: f64 = 20.0;
/// Cells of a series, at least, before it is put on coarser ones: those of a log with few rows over a very long time. A
/// series may have twice as many cells as its log has rows.
const MAX_CELLS: usize = 8192;

/// The series of a run: totals over its jobs, then each job where there are several.
#[must_use]
pub(super) fn time_series(run: &Run) -> Vec<TimeSeries> {
    let mut totals = Vec::new();
    let mut singles = Vec::new();
    for (metric, ddir) in keys(run) {
        let parts = parts(run, metric, ddir);
        if parts.is_empty() {
            continue;
        }
        if parts.iter().any(|s| matches!(s.kind, SeriesKind::Cells(_))) {
            let grids = grids(&parts);
            totals.extend(from_cells(metric, ddir, None, &grids));
            if parts.len() > 1 {
                singles.extend(parts.iter().filter_map(|s| match &s.kind {
                    SeriesKind::Cells(grid) => from_cells(metric, ddir, Some(s.job), &[grid]),
                    SeriesKind::Windowed { .. } | SeriesKind::Counts(_) => None,
                }));
            }
            continue;
        }
        let grid = Grid::over(&parts);
        totals.push(windowed(run, metric, ddir, None, &parts, &grid));
        if parts.len() > 1 {
            singles.extend(parts.iter().map(|s| windowed(run, metric, ddir, Some(s.job), &[s], &grid)));
        }
    }
    totals.extend(singles);
    totals
}

/// The metrics and directions that the logs of a run hold, in order.
fn keys(run: &Run) -> Vec<(Metric, Ddir)> {
    let mut keys: Vec<_> = run.series.iter().map(|s| (s.metric, s.ddir)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The grids of single I/Os among series.
pub(super) fn grids<'a>(parts: &[&'a Series]) -> Vec<&'a CellGrid> {
    let grids = parts.iter().filter_map(|s| match &s.kind {
        SeriesKind::Cells(grid) => Some(grid),
        SeriesKind::Windowed { .. } | SeriesKind::Counts(_) => None,
    });
    grids.collect()
}

/// The series with values over time; histogram logs have counts alone.
pub(super) fn parts(run: &Run, metric: Metric, ddir: Ddir) -> Vec<&Series> {
    run.series
        .iter()
        .filter(|s| s.metric == metric && s.ddir == ddir && !is_without_values(&s.kind))
        .collect()
}

fn is_without_values(kind: &SeriesKind) -> bool {
    match kind {
        SeriesKind::Counts(_) => true,
        SeriesKind::Windowed { samples, .. } => samples.is_empty(),
        SeriesKind::Cells(grid) => grid.cells.is_empty(),
    }
}

/// A regular grid from run time 0 to the last stamp. Its last cell reaches to the end.
struct Grid {
    cell_ms: f64,
    cells: usize,
    end_ms: f64,
}

impl Grid {
    fn over(parts: &[&Series]) -> Self {
        let windows = parts.iter().filter_map(|s| match &s.kind {
            SeriesKind::Windowed { window_ms, .. } => Some(*window_ms),
            SeriesKind::Cells(_) | SeriesKind::Counts(_) => None,
        });
        let window = windows.reduce(f64::max).filter(|w| *w > 0.0).unwrap_or(1000.0);
        // Windows come with jitter (501, 502 ms); the nominal one is a round number.
        let mut cell_ms = if window >= 100.0 { (window / 10.0).round() * 10.0 } else { window.max(1.0) };
        let end_ms = parts.iter().map(|s| s.last_ms).max().unwrap_or(0) as f64;
        let rows = |series: &&Series| match &series.kind {
            SeriesKind::Windowed { samples, .. } => samples.len(),
            SeriesKind::Cells(_) | SeriesKind::Counts(_) => 0,
        };
        let most = MAX_CELLS.max(2 * parts.iter().map(rows).max().unwrap_or(0));
        while end_ms / cell_ms > most as f64 {
            cell_ms *= 2.0;
        }
        let cells = ((end_ms / cell_ms).round() as usize).max(1);
        Grid { cell_ms, cells, end_ms: end_ms.max(1.0) }
    }

    fn bounds(&self, cell: usize) -> (f64, f64) {
        let start = cell as f64 * self.cell_ms;
        let end = if cell + 1 == self.cells { self.end_ms.max(start + 1.0) } else { start + self.cell_ms };
        (start, end)
    }

    /// Calls `put(cell, overlap in ms)` for every cell that `(start, end]` overlaps.
    fn spread(&self, start: f64, end: f64, mut put: impl FnMut(usize, f64)) {
        if end <= start {
            return;
        }
        let first = (start / self.cell_ms).max(0.0) as usize;
        for cell in first.min(self.cells - 1)..self.cells {
            let (low, high) = self.bounds(cell);
            if low >= end {
                break;
            }
            let overlap = end.min(high) - start.max(low);
            if overlap > 0.0 {
                put(cell, overlap);
            }
        }
    }
}

fn windowed(
    run: &Run,
    metric: Metric,
    ddir: Ddir,
    job: Option<usize>,
    parts: &[&Series],
    grid: &Grid,
) -> TimeSeries {
    let mut sums = vec![0.0; grid.cells];
    let mut weights = vec![0.0; grid.cells];
    let largest = metric.is_latency() && run.logs_largest();
    for series in parts {
        let SeriesKind::Windowed { window_ms, samples } = &series.kind else { continue };
        if metric.is_rate() {
            for (start, end, sample) in SeriesKind::intervals(samples, *window_ms) {
                grid.spread(start, end, |cell, overlap| sums[cell] += sample.value * overlap);
            }
        } else {
            for (start, end, value, ios) in weighted(run, series) {
                let length = end - start;
                grid.spread(start, end, |cell, overlap| {
                    let share = ios * overlap / length;
                    if largest {
                        // A sliver of a neighbour's window need not hold its slowest I/O.
                        if 2.0 * overlap >= length.min(grid.cell_ms) {
                            sums[cell] = value.max(sums[cell]);
                            weights[cell] = 1.0;
                        }
                        return;
                    }
                    sums[cell] += share * value;
                    weights[cell] += share;
                });
            }
        }
    }
    let values = (0..grid.cells).map(|cell| {
        if metric.is_rate() {
            let (start, end) = grid.bounds(cell);
            Some(sums[cell] / (end - start))
        } else {
            // A sliver of a neighbour's window is no measurement of this cell.
            (weights[cell] > 1e-9).then(|| sums[cell] / weights[cell])
        }
    });
    TimeSeries {
        metric,
        ddir,
        job,
        start_ms: 0.0,
        cell_ms: grid.cell_ms,
        values: values.collect(),
        extremes: None,
    }
}

/// The rows of a windowed latency series with their interval and the I/Os that completed in it: `(start, end, value, I/Os)`.
///
/// I/Os come from the iops row of the same job, direction and window (the
/// nearest stamp within half a window, each row once), else from bandwidth over
/// block size, else every row counts the same. Not from the overlap in time: a
/// row that was stamped after a stall would be credited with I/Os of the windows
/// beside it. A partial window at the end of the log (a handful of I/Os) counts
/// nothing.
fn weighted<'a>(run: &'a Run, series: &'a Series) -> impl Iterator<Item = (f64, f64, f64, f64)> + 'a {
    let (window_ms, samples) = match &series.kind {
        SeriesKind::Windowed { window_ms, samples } => (*window_ms, samples.as_slice()),
        SeriesKind::Cells(_) | SeriesKind::Counts(_) => (1.0, &[][..]),
    };
    let rates = completions(run, series);
    let lone = samples.len() == 1;
    let mut next = 0;
    SeriesKind::intervals(samples, window_ms).filter_map(move |(start, end, sample)| {
        if (sample.partial && !lone) || end <= start {
            return None;
        }
        let ios = match &rates {
            None => end - start,
            Some((rates, per_io)) => {
                let apart = |i: usize| (rates[i].1 - end).abs();
                while next + 1 < rates.len() && apart(next + 1) < apart(next) {
                    next += 1;
                }
                let own = rates
                    .get(next)
                    .filter(|(low, high, _)| (high - end).abs() <= (high - low).max(window_ms) / 2.0);
                next += usize::from(own.is_some());
                // A latency row is there because an I/O completed, whatever a rounded rate says.
                own.map_or(1.0, |(low, high, rate)| rate * (high - low) / 1000.0 * per_io).max(1.0)
            }
        };
        Some((start, end, sample.value, ios))
    })
}

/// Start and end of an interval, ms, and the rate in it.
type RateInterval = (f64, f64, f64);

/// Rate intervals of the same job and direction, and the I/Os in one unit of that rate.
fn completions(run: &Run, series: &Series) -> Option<(Vec<RateInterval>, f64)> {
    let of = |metric: Metric| {
        let found = run.series.iter().find(|s| {
            s.metric == metric && s.ddir == series.ddir && s.job == series.job && s.clone == series.clone
        })?;
        match &found.kind {
            SeriesKind::Windowed { window_ms, samples } if !samples.is_empty() => Some(
                SeriesKind::intervals(samples, *window_ms)
                    .map(|(a, b, s)| (a, b, s.value))
                    .collect::<Vec<_>>(),
            ),
            _ => None,
        }
    };
    if let Some(rates) = of(Metric::Iops) {
        return Some((rates, 1.0));
    }
    let bs = run
        .value(&crate::model::Dimension::Bs)
        .and_then(crate::model::Value::number)
        .filter(|bs| *bs > 0.0)?;
    of(Metric::Bw).map(|rates| (rates, 1.0 / bs))
}

/// What was measured in a part of a run's time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    /// Run time at which it begins, ms.
    pub(super) start_ms: f64,
    /// Run time at which it ends, ms.
    pub(super) end_ms: f64,
    /// Its rate, or its mean latency.
    pub(super) value: f64,
}

/// The windows of a run in the span in which all its jobs ran; `total` is the series over its jobs.
///
/// The windows of one job are the rows of its log as they are, and a rate of 0 for each that left no row: on the grid of
/// the series a row that lies across two cells would be blurred, and with it the extremes and the spread. Jobs add up on
/// the grid alone.
pub(super) fn windows(run: &Run, total: &TimeSeries) -> Vec<Window> {
    let TimeSeries { metric, ddir, start_ms, cell_ms, .. } = *total;
    let parts = parts(run, metric, ddir);
    if let [only] = parts.as_slice()
        && let SeriesKind::Windowed { window_ms, samples } = &only.kind
    {
        return rows(samples, *window_ms, only.last_ms as f64, total);
    }
    // fio loses the tail window of rates, but not of latencies.
    let common = parts.iter().map(|s| s.last_ms as f64).reduce(f64::min).unwrap_or(f64::INFINITY);
    let inside = |&(i, _): &(usize, &Option<f64>)| (i + 1) as f64 * cell_ms <= common + 0.5 * cell_ms;
    let window = |(i, value): (usize, &Option<f64>)| {
        let start_ms = start_ms + i as f64 * cell_ms;
        Some(Window { start_ms, end_ms: start_ms + cell_ms, value: (*value)? })
    };
    total.values.iter().enumerate().filter(inside).filter_map(window).collect()
}

/// Windows without a row at the end of a log that make a direction idle: fio may lose the last window of one and write that
/// of another, so that a single one is not known to be (2 less some jitter).
pub(super) const IDLE: f64 = 1.9;

/// The rows of a log, with a rate of 0 for each window that has none: between them, and up to `last_ms`, the last row of
/// the log in any direction.
fn rows(samples: &[Sample], window_ms: f64, last_ms: f64, total: &TimeSeries) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::with_capacity(samples.len());
    let at = |ms: f64| total.start_ms + ms;
    let idle = |windows: &mut Vec<Window>, (from, to): (f64, f64)| {
        // A row that came late after a stall leaves less than a window before it; whole ones come some ms early.
        let whole = ((to - from) / window_ms + 0.1).floor().max(0.0);
        let idle = if total.metric.is_rate() { whole } else { 0.0 };
        let length = (to - from) / idle.max(1.0);
        // A lone row at a wild time is no reason for as many windows as memory holds.
        for gap in 0..(idle as usize).min(total.values.len()) {
            let (start, end) = (at(from + gap as f64 * length), at(from + (gap + 1) as f64 * length));
            windows.push(Window { start_ms: start, end_ms: end, value: 0.0 });
        }
    };
    let mut reached = 0.0;
    for (start, end, sample) in SeriesKind::intervals(samples, window_ms) {
        idle(&mut windows, (reached, start));
        reached = end.max(reached);
        // What is left of a window at the end of a log holds a handful of I/Os.
        if !sample.partial && end - start >= window_ms / 2.0 {
            windows.push(Window { start_ms: at(start), end_ms: at(end), value: sample.value });
        }
    }
    if last_ms - reached >= IDLE * window_ms {
        idle(&mut windows, (reached, last_ms));
    }
    windows
}

/// True when nothing tells how many I/Os a latency row stands for, and something hangs on it.
pub(super) fn is_unweighted(run: &Run, metric: Metric, ddir: Ddir) -> bool {
    metric.is_latency()
        && !run.logs_largest()
        && parts(run, metric, ddir)
            .iter()
            .any(|s| matches!(s.kind, SeriesKind::Windowed { .. }) && completions(run, s).is_none())
}

/// Mean latency of windowed series, pooled by completions, with the number of rows behind it: of all jobs, or of one; None
/// where rows are no means.
pub(super) fn pooled_latency(
    run: &Run,
    metric: Metric,
    ddir: Ddir,
    job: Option<usize>,
) -> Option<(f64, u64)> {
    if run.logs_largest() {
        return None;
    }
    let (mut sum, mut weight, mut rows) = (0.0, 0.0, 0);
    for series in parts(run, metric, ddir).into_iter().filter(|s| job.is_none_or(|job| s.job == job)) {
        for (_, _, value, ios) in weighted(run, series) {
            sum += value * ios;
            weight += ios;
            rows += 1;
        }
    }
    (weight > 0.0).then(|| (sum / weight, rows))
}

/// The largest row of windowed latency series, and how many there are.
pub(super) fn largest_latency(run: &Run, metric: Metric, ddir: Ddir) -> Option<(f64, u64)> {
    let parts = parts(run, metric, ddir);
    let rows = parts.iter().flat_map(|series| match &series.kind {
        SeriesKind::Windowed { samples, .. } => samples.as_slice(),
        SeriesKind::Cells(_) | SeriesKind::Counts(_) => &[],
    });
    let (mut most, mut count) = (None, 0);
    for row in rows {
        most = Some(most.map_or(row.value, |most: f64| most.max(row.value)));
        count += 1;
    }
    most.map(|most| (most, count))
}

/// Mean latency of one series, ns, by completions; None when it holds none.
pub(super) fn latency_of(run: &Run, series: &Series) -> Option<f64> {
    let (mut sum, mut ios) = (0.0, 0.0);
    match &series.kind {
        SeriesKind::Windowed { .. } if run.logs_largest() => return None,
        SeriesKind::Windowed { .. } => {
            for (_, _, value, own) in weighted(run, series) {
                sum += value * own;
                ios += own;
            }
        }
        SeriesKind::Cells(grid) => {
            let total = grid.total();
            (sum, ios) = (total.sum as f64, total.count as f64);
        }
        SeriesKind::Counts(_) => return None,
    }
    (ios > 0.0).then(|| sum / ios)
}

/// A series from cells of single I/Os, regrouped so that a cell is wide enough to mean something.
fn from_cells(metric: Metric, ddir: Ddir, job: Option<usize>, grids: &[&CellGrid]) -> Option<TimeSeries> {
    let merged = merge(grids)?;
    let group = grouped(&merged);
    let cell_ms = (merged.cell_ms as usize * group) as f64;
    let end_ms = (merged.last_ms as f64).max(1.0);
    let mut cells: Vec<GridCell> = merged
        .cells
        .chunks(group)
        .map(|chunk| {
            let mut cell = GridCell::default();
            for part in chunk {
                cell.merge(part);
            }
            cell
        })
        .collect();
    // The last cell holds what came up to the last stamp; when that is little, it joins its neighbour.
    let mut last_ms = end_ms - (cells.len().saturating_sub(1)) as f64 * cell_ms;
    if cells.len() > 1 && last_ms < cell_ms / 2.0 {
        let tail = cells.pop()?;
        cells.last_mut()?.merge(&tail);
        last_ms += cell_ms;
    }
    let count = cells.len();
    let value = |(index, cell): (usize, &GridCell)| {
        let length = if index + 1 == count { last_ms.max(1.0) } else { cell_ms };
        if metric.is_rate() {
            Some(weight(metric)(cell) as f64 * 1000.0 / length)
        } else {
            (cell.count > 0).then(|| cell.sum as f64 / cell.count as f64)
        }
    };
    let extremes = metric
        .is_latency()
        .then(|| cells.iter().map(|c| (c.count > 0).then_some((c.min as f64, c.max as f64))).collect());
    Some(TimeSeries {
        metric,
        ddir,
        job,
        start_ms: 0.0,
        cell_ms,
        values: cells.iter().enumerate().map(value).collect(),
        extremes,
    })
}

/// How many cells of single I/Os make one of a series.
///
/// So many that there are [`PER_IO_CELLS`]; in longer runs fewer, down to a width of [`USUAL_MS`], as long as a cell holds
/// [`LEAST_IOS`]. Widths that people read where the grid has them near: 200 ms, not 260.
fn grouped(grid: &CellGrid) -> usize {
    let end_ms = (grid.last_ms as f64).max(1.0);
    let curve = end_ms / PER_IO_CELLS as f64;
    let filled = LEAST_IOS * end_ms / (grid.total().count as f64).max(1.0);
    let wanted = if curve > USUAL_MS { filled.clamp(USUAL_MS, curve) } else { curve };
    let least = ((wanted / grid.cell_ms as f64).ceil() as usize).max(1);
    let nice = NICE_MS.iter().filter(|ms| *ms % grid.cell_ms == 0).map(|ms| (ms / grid.cell_ms) as usize);
    nice.into_iter().find(|group| (least..=least * 5 / 2).contains(group)).unwrap_or(least)
}

/// Cells of several jobs as one grid, without their histograms over time.
pub(super) fn merge(grids: &[&CellGrid]) -> Option<CellGrid> {
    let cell_ms = grids.iter().map(|g| g.cell_ms).max()?;
    let mut total = CellGrid { cell_ms, ..CellGrid::new() };
    for grid in grids {
        // Widths are the finest one doubled some times.
        let group = (cell_ms / grid.cell_ms.max(1)).max(1) as usize;
        let cells = grid.cells.len().div_ceil(group);
        if total.cells.len() < cells {
            total.cells.resize(cells, GridCell::default());
        }
        for (into, cells) in total.cells.iter_mut().zip(grid.cells.chunks(group)) {
            cells.iter().for_each(|cell| into.merge(cell));
        }
        total.last_ms = total.last_ms.max(grid.last_ms);
        total.histogram.merge(&grid.histogram);
        total.sum_squares = total.sum_squares.saturating_add(grid.sum_squares);
    }
    Some(total)
}
