//! Where the level of a run changes: a write cache that is full, a flash cache that is used up.
//!
//! In: the time series of a run. Out: its phases, when there are at least two.
//! A drift is no phase, nor is a stall of a few windows.
//!
//! The method, in four steps:
//!
//! 1. Rates are taken to logarithms, since throughput varies in proportion to its level.
//! 2. Noise and its autocorrelation come from differences between neighbours and between
//!    neighbours but one, without their largest tenth: a few jumps do not disturb them (after
//!    Chakar, Lebarbier, Lévy-Leduc and Robin 2017, "A robust approach for estimating
//!    change-points in the mean of an AR(1) process", Bernoulli 23).
//! 3. Optimal partitioning with a penalty for each change finds the best cuts (Jackson et al.
//!    2005, "An algorithm for optimal partitioning of data on an interval").
//! 4. A cut stays only when the level changes by at least 25 %, the change is at least
//!    [`CLEAR`] standard errors (corrected for autocorrelation), and a step explains both
//!    sides better than a straight line does.
//!
//! Jobs that begin or end change what is asked, not what the device does: each stretch in which
//! the same jobs run is searched on its own ([`stretches`]). What comes behind the run time that was asked for is
//! the rest of the queue, and no level ([`asked`]).

mod asked;
mod level;
mod words;

pub(crate) use words::is_missed;
pub(super) use words::remarks;

use crate::analyze::repeat::median;
use crate::analyze::steady::measured;
use crate::model::{Ddir, Metric, Phase, Phases, Run, SeriesKind, TimeSeries};
use level::level;
use std::collections::BTreeMap;
use std::ops::Range;

/// Fewest windows of a phase.
const SHORTEST: usize = 5;
/// Least change of the level from one phase to the next, as a share of the first.
const CHANGE: f64 = 0.25;
/// Standard errors that a change must have; simulations in the tests hold the rate of false alarms.
const CLEAR: f64 = 5.0;
/// Most windows that are looked at one by one; longer series are grouped.
const MAX_WINDOWS: usize = 2048;
/// Noise below which windows are taken to agree: 1 % on the log scale.
const LEAST_NOISE: f64 = 0.01;
/// Strongest autocorrelation that the correction believes in.
const MOST_RHO: f64 = 0.9;
/// Mean square of the smaller nine tenths of a standard normal sample: `1 - 2 z f(z) / 0.9` at z = 1.645.
const TRIMMED: f64 = 0.623;
/// What is added to a rate before its logarithm, as a share of the median: an idle window has one, too.
const OFFSET: f64 = 0.05;

/// The phases of a run, by metric and direction.
///
/// Cuts are found once for each direction, in its IOPS (bandwidth without
/// them); all metrics of that direction share them.
pub(super) fn of_run(run: &Run, series: &[TimeSeries]) -> Vec<Phases> {
    let total = |metric: Metric, ddir: Ddir| {
        series.iter().find(move |s| s.job.is_none() && s.metric == metric && s.ddir == ddir)
    };
    let mut all = Vec::new();
    for &ddir in Ddir::ALL {
        let Some(rate) = total(Metric::Iops, ddir).or_else(|| total(Metric::Bw, ddir)) else { continue };
        let found = stretches(run, rate).into_iter().map(|stretch| cut_times(rate, &stretch));
        let Some(times) = found.into_iter().find(|times| times.len() > 2) else { continue };
        for metric in [Metric::Bw, Metric::Iops, Metric::Lat, Metric::Clat, Metric::Slat] {
            let Some(one) = total(metric, ddir) else { continue };
            if metric.is_latency() && run.logs_largest() {
                continue;
            }
            let weights = if metric.is_latency() { total(Metric::Iops, ddir) } else { None };
            let segments: Option<Vec<Phase>> =
                times.windows(2).map(|t| phase(one, weights, (t[0], t[1]))).collect();
            if let Some(segments) = segments {
                let steady = settled(&times, rate);
                all.push(Phases { metric, ddir, segments, steady });
            }
        }
    }
    all
}

/// The cells in which the same jobs run, from one begin or end of a job to the next; a cell that holds such a moment
/// is in none.
///
/// Before its first row a job has no level: fio loses the first rows of rates (3.33 wrote none for the first 14 windows
/// of 10 ms, in which latencies tell of I/Os), and a job may start late.
fn stretches(run: &Run, rate: &TimeSeries) -> Vec<Range<usize>> {
    let (first, end) = (measured(run, rate), asked::cells(run, rate));
    let inside = |ms: f64| {
        let cell = ms / rate.cell_ms;
        // The last cell reaches to the last stamp, wherever that is.
        if cell > end as f64 - 1.0 { end as f64 } else { cell.max(first as f64) }
    };
    let turns = lives(run, rate.metric).into_iter().flat_map(|(from, to)| [inside(from), inside(to)]);
    let mut edges: Vec<f64> = turns.chain([first as f64, end as f64]).collect();
    edges.sort_by(f64::total_cmp);
    let between = edges.windows(2).map(|edge| edge[0].ceil() as usize..edge[1].floor() as usize);
    between.filter(|stretch| stretch.len() >= 2 * SHORTEST).collect()
}

/// When each clone of a job begins and ends in the logs of a metric, in any direction, ms since the first cell.
fn lives(run: &Run, metric: Metric) -> Vec<(f64, f64)> {
    let mut lives: BTreeMap<(usize, u32), (f64, f64)> = BTreeMap::new();
    for series in run.series.iter().filter(|s| s.metric == metric) {
        let begin = match &series.kind {
            SeriesKind::Windowed { window_ms, samples } => {
                SeriesKind::intervals(samples, *window_ms).next().map(|(start, ..)| start)
            }
            SeriesKind::Cells(grid) => {
                grid.cells.iter().position(|cell| cell.count > 0).map(|i| i as f64 * grid.cell_ms as f64)
            }
            SeriesKind::Counts(_) => None,
        };
        let (Some(begin), end) = (begin, series.last_ms as f64) else { continue };
        let life = lives.entry((series.job, series.clone)).or_insert((begin, end));
        *life = (life.0.min(begin), life.1.max(end));
    }
    lives.into_values().collect()
}

/// Run times of the first window's start, every cut and the last window's end; two where there is one level.
fn cut_times(series: &TimeSeries, stretch: &Range<usize>) -> Vec<f64> {
    let values: Vec<f64> = series.values[stretch.clone()].iter().map(|v| v.unwrap_or(0.0)).collect();
    let group = values.len().div_ceil(MAX_WINDOWS).max(1);
    let grouped: Vec<f64> = values.chunks(group).map(|c| c.iter().sum::<f64>() / c.len() as f64).collect();
    let start = series.start_ms + stretch.start as f64 * series.cell_ms;
    let at = |cell: usize| start + (cell * group).min(values.len()) as f64 * series.cell_ms;
    let cuts = cuts(&grouped);
    std::iter::once(0).chain(cuts).chain([grouped.len()]).map(at).collect()
}

/// The windows of a series that lie between two run times, with their middle; gaps are left out.
fn windows_in(series: &TimeSeries, (start_ms, end_ms): (f64, f64)) -> impl Iterator<Item = (f64, f64)> + '_ {
    let known = series.values.iter().enumerate().filter_map(|(i, v)| Some((series.middle_ms(i), (*v)?)));
    known.filter(move |(middle, _)| *middle > start_ms && *middle < end_ms)
}

/// One part of a series; None when it holds no value.
fn phase(series: &TimeSeries, weights: Option<&TimeSeries>, (start_ms, end_ms): (f64, f64)) -> Option<Phase> {
    let (mut sum, mut weight, mut values) = (0.0, 0.0, Vec::new());
    for (middle, value) in windows_in(series, (start_ms, end_ms)) {
        let own = weights.and_then(|w| rate_at(w, middle)).unwrap_or(1.0);
        sum += value * own;
        weight += own;
        values.push(value);
    }
    let mean = (weight > 0.0).then(|| sum / weight)?;
    // A mean latency counts I/Os, not windows: slow ones are a part of it.
    let level = if series.metric.is_rate() { level(&values) } else { mean };
    Some(Phase { start_ms, end_ms, mean, level, windows: values.len() })
}

/// The rate in the cell of a run time; a latency is there because something completed, so at least a little.
fn rate_at(series: &TimeSeries, at_ms: f64) -> Option<f64> {
    let cell = ((at_ms - series.start_ms) / series.cell_ms).floor();
    let rate = (cell >= 0.0).then(|| series.values.get(cell as usize).copied().flatten()).flatten()?;
    Some(rate.max(1e-3))
}

/// The last phase, unless its level was there before: then the run was disturbed, or goes up and down.
fn settled(times: &[f64], rate: &TimeSeries) -> Option<usize> {
    let levels: Vec<f64> =
        times.windows(2).filter_map(|t| phase(rate, None, (t[0], t[1]))).map(|p| p.level).collect();
    let (last, earlier) = levels.split_last()?;
    earlier.iter().all(|level| changed(*level, *last)).then_some(earlier.len())
}

/// Indices at which a new level begins; empty for one level.
fn cuts(values: &[f64]) -> Vec<usize> {
    let n = values.len();
    if n < 2 * SHORTEST || values.iter().any(|v| !v.is_finite() || *v < 0.0 || *v > 1e200) {
        return Vec::new();
    }
    let positive: Vec<f64> = values.iter().copied().filter(|v| *v > 0.0).collect();
    if positive.is_empty() {
        return Vec::new();
    }
    let offset = OFFSET * median(&positive);
    let logs: Vec<f64> = values.iter().map(|v| (v + offset).ln()).collect();
    let sums = Sums::new(&logs);
    let noise = Noise::of(&logs);
    let mut cuts = partition(&sums, n, 2.0 * noise.long_run() * (n as f64).ln());
    // The weakest cut that does not hold goes first; what is left is judged anew.
    while !cuts.is_empty() {
        let edges: Vec<usize> = std::iter::once(0).chain(cuts.iter().copied()).chain([n]).collect();
        let noise = Noise::within(&logs, &sums, &edges);
        let weakest = (0..cuts.len())
            .map(|i| (i, strength(&sums, &noise, (edges[i], edges[i + 1], edges[i + 2]))))
            .map(|(i, t)| {
                let holds = t >= CLEAR
                    && changes(values, (edges[i], edges[i + 1], edges[i + 2]))
                    && steps(&logs, &sums, (edges[i], edges[i + 1], edges[i + 2]));
                (i, t, holds)
            })
            .filter(|(.., holds)| !holds)
            .min_by(|a, b| a.1.total_cmp(&b.1));
        match weakest {
            Some((i, ..)) => {
                cuts.remove(i);
            }
            None => break,
        }
    }
    cuts
}

/// True when the levels on both sides of a cut differ by 25 % of the first.
fn changes(values: &[f64], (start, cut, end): (usize, usize, usize)) -> bool {
    changed(level(&values[start..cut]), level(&values[cut..end]))
}

fn changed(before: f64, after: f64) -> bool {
    (after - before).abs() >= CHANGE * before
}

/// The change at a cut in standard errors: the larger error of a common and of two separate variances.
fn strength(sums: &Sums, noise: &Noise, (start, cut, end): (usize, usize, usize)) -> f64 {
    let (n1, n2) = ((cut - start) as f64, (end - cut) as f64);
    let inflation = (1.0 + noise.rho) / (1.0 - noise.rho);
    let common = noise.variance * (1.0 / n1 + 1.0 / n2);
    let own = sums.cost(start, cut) / (n1 - 1.0) / n1 + sums.cost(cut, end) / (n2 - 1.0) / n2;
    let error = (inflation * common.max(own)).sqrt();
    (sums.mean(cut, end) - sums.mean(start, cut)).abs() / error
}

/// True when two levels explain the windows on both sides of a cut better than one straight line.
fn steps(logs: &[f64], sums: &Sums, (start, cut, end): (usize, usize, usize)) -> bool {
    let n = (end - start) as f64;
    let (middle, mean) = ((n - 1.0) / 2.0, sums.mean(start, end));
    let sxx = n * (n * n - 1.0) / 12.0;
    let sxy: f64 = logs[start..end].iter().enumerate().map(|(i, y)| (i as f64 - middle) * (y - mean)).sum();
    let line = sums.cost(start, end) - sxy * sxy / sxx;
    sums.cost(start, cut) + sums.cost(cut, end) < line
}

/// The cuts that minimise the squares within the parts plus a penalty for each cut.
fn partition(sums: &Sums, n: usize, penalty: f64) -> Vec<usize> {
    let mut best = vec![f64::INFINITY; n + 1];
    let mut last = vec![0; n + 1];
    best[0] = -penalty;
    for end in SHORTEST..=n {
        for start in (0..=end - SHORTEST).filter(|&s| s == 0 || s >= SHORTEST) {
            let cost = best[start] + sums.cost(start, end) + penalty;
            if cost < best[end] {
                (best[end], last[end]) = (cost, start);
            }
        }
    }
    let mut cuts = Vec::new();
    let mut end = last[n];
    while end > 0 {
        cuts.push(end);
        end = last[end];
    }
    cuts.reverse();
    cuts
}

/// Running sums, so that the mean and the squares of any part cost nothing.
struct Sums {
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    fn new(values: &[f64]) -> Self {
        // Around the mean, so that squares keep their digits.
        let centre = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let running = |f: &dyn Fn(f64) -> f64| {
            let mut sum = 0.0;
            std::iter::once(0.0)
                .chain(values.iter().map(|v| {
                    sum += f(v - centre);
                    sum
                }))
                .collect()
        };
        Sums { values: running(&|v| v), squares: running(&|v| v * v) }
    }

    /// Mean of a part, less the mean of all.
    fn mean(&self, start: usize, end: usize) -> f64 {
        (self.values[end] - self.values[start]) / (end - start) as f64
    }

    /// Squares around the mean of a part.
    fn cost(&self, start: usize, end: usize) -> f64 {
        let sum = self.values[end] - self.values[start];
        (self.squares[end] - self.squares[start] - sum * sum / (end - start) as f64).max(0.0)
    }
}

/// Variance of a window and correlation with the next.
#[derive(Debug, Clone, Copy)]
struct Noise {
    variance: f64,
    rho: f64,
}

impl Noise {
    /// From differences at lags 1 and 2: their variances are `2 v (1 - r)` and `2 v (1 - r^2)`.
    fn of(logs: &[f64]) -> Self {
        let spread = |lag: usize| {
            let apart = logs.iter().zip(logs.iter().skip(lag)).map(|(a, b)| (b - a).powi(2));
            let mut squares: Vec<f64> = apart.collect();
            squares.sort_by(f64::total_cmp);
            squares.truncate((squares.len() * 9).div_ceil(10));
            squares.iter().sum::<f64>() / squares.len().max(1) as f64 / TRIMMED
        };
        let (one, two) = (spread(1), spread(2));
        // Too large an estimate loses cuts, too small a one only proposes some that do not hold later.
        let rho = if one > 0.0 { (two / one - 1.0).clamp(0.0, 0.8) } else { 0.0 };
        Noise { variance: (one / 2.0 / (1.0 - rho)).max(LEAST_NOISE * LEAST_NOISE), rho }
    }

    /// From what is left around the levels of the parts.
    fn within(logs: &[f64], sums: &Sums, edges: &[usize]) -> Self {
        let n = logs.len() as f64;
        let (mut squares, mut products) = (0.0, 0.0);
        let centre = logs.iter().sum::<f64>() / n;
        for part in edges.windows(2) {
            let mean = sums.mean(part[0], part[1]) + centre;
            squares += sums.cost(part[0], part[1]);
            products += logs[part[0]..part[1]].windows(2).map(|p| (p[0] - mean) * (p[1] - mean)).sum::<f64>();
        }
        let freedom = (n - (edges.len() - 1) as f64).max(1.0);
        let raw = if squares > 0.0 { products / squares } else { 0.0 };
        // A correlation estimated from n values around their mean is too small by (1 + 3 r) / n (Kendall 1954).
        let parts = (edges.len() - 1) as f64;
        let rho = (raw + parts * (1.0 + 3.0 * raw) / n).clamp(0.0, MOST_RHO);
        Noise { variance: (squares / freedom).max(LEAST_NOISE * LEAST_NOISE), rho }
    }

    /// Variance of a long mean, times its length.
    fn long_run(&self) -> f64 {
        self.variance * (1.0 + self.rho) / (1.0 - self.rho)
    }
}

#[cfg(test)]
mod tests;
