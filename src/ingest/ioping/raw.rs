//! ioping's raw lines: `-B` (one for a call) and `-p` (one for a period).
//!
//! In: groups of raw lines that stand together. Out: a run for a call. A script
//! that calls ioping again and again beside other commands leaves many groups; the
//! first lines of all groups are then one run, the second ones another, over the time that
//! the stamps between them give.

use super::line::Flags;
use super::run::{Latency, Made, Outcome, snapped};
use crate::ingest::Remark;
use crate::ingest::transcript::Above;
use crate::model::{Ddir, Dimension, Metric, Sample, Series, SeriesKind, Severity, Value};
use std::collections::BTreeMap;

/// Groups from which the lines of one place are one run over time, not repeats.
const MANY: usize = 10;
/// Mean length of a period below which milliseconds are no time axis.
const SHORTEST_MS: f64 = 20.0;

/// A raw line: `count, time, iops, bytes/s, min, avg, max, mdev[, all, elapsed]`.
///
/// Source: ioping(1), "Raw statistics". Times in ns; older lines of 8 columns, in us, are converted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Raw {
    /// Requests in the statistics, at least 1.
    count: u64,
    /// Sum of their times.
    time: f64,
    /// Bytes of a request.
    bytes: u64,
    min: f64,
    mean: f64,
    max: f64,
    mdev: f64,
    /// All requests, the first included, and the time that passed; 10 columns only.
    elapsed: Option<(u64, f64)>,
}

impl Raw {
    /// Reads a line of 8 or 10 whole numbers that agree with one another; None for any other table.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut numbers = [0u64; 10];
        let mut columns = 0;
        for word in line.split_ascii_whitespace() {
            *numbers.get_mut(columns)? = word.parse().ok()?;
            columns += 1;
        }
        let [count, time, iops, speed, min, mean, max, mdev, all, elapsed] = numbers;
        let whole = columns == 8 || (columns == 10 && all >= count);
        if !whole || count == 0 || time == 0 || min > mean || mean > max {
            return None;
        }
        // The mean is the sum over the count, rounded either way.
        let n = count as f64;
        let near = |a: f64, b: f64| (a - b).abs() <= 1.0 + 0.001 * b;
        if !near(mean as f64, time as f64 / n) {
            return None;
        }
        // ns from ioping 1.1 on, us before; the printed rate tells which, unless it is rounded to nothing.
        let scale = if columns == 10 { [1e9, 1e6] } else { [1e6, 1e9] }
            .into_iter()
            .find(|scale| near(iops as f64, n * scale / time as f64))?;
        let to_ns = 1e9 / scale;
        let ns = |value: u64| value as f64 * to_ns;
        let bytes = snapped(speed as f64 * (time as f64 / scale) / n);
        Some(Raw {
            count,
            time: ns(time),
            bytes,
            min: ns(min),
            mean: time as f64 / n * to_ns,
            max: ns(max),
            mdev: ns(mdev),
            elapsed: (columns == 10).then(|| (all, ns(elapsed))),
        })
    }
}

/// Several raw lines as one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Pool {
    count: u64,
    time: f64,
    /// Sum of the squares of all latencies.
    squares: f64,
    min: f64,
    max: f64,
    elapsed: Option<(u64, f64)>,
}

impl Pool {
    pub(super) fn of<'a>(rows: impl IntoIterator<Item = &'a Raw>) -> Self {
        let mut pool = Pool { min: f64::INFINITY, elapsed: Some((0, 0.0)), ..Pool::default() };
        for row in rows {
            pool.count = pool.count.saturating_add(row.count);
            pool.time += row.time;
            // mdev is the deviation of the row's own requests, with n below the root.
            pool.squares += row.count as f64 * (row.mdev.powi(2) + row.mean.powi(2));
            pool.min = pool.min.min(row.min);
            pool.max = pool.max.max(row.max);
            pool.elapsed =
                pool.elapsed.zip(row.elapsed).map(|((n, t), (all, ns))| (n.saturating_add(all), t + ns));
        }
        pool
    }

    fn mean(&self) -> f64 {
        self.time / self.count as f64
    }

    /// The figures; None of no row.
    pub(super) fn latency(&self) -> Option<Latency> {
        if self.count == 0 {
            return None;
        }
        let variance = self.squares / self.count as f64 - self.mean().powi(2);
        Some(Latency {
            count: Some(self.count),
            min: Some(self.min),
            mean: Some(self.mean()),
            max: Some(self.max),
            stddev: Some(variance.max(0.0).sqrt()),
            histogram: None,
        })
    }
}

/// Raw lines that stand together, with what stood above them.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) line: u64,
    /// Unix time in s of the last stamp above.
    pub(super) stamp: Option<u64>,
    pub(super) above: Above,
    pub(super) rows: Vec<Raw>,
}

impl Group {
    /// True when its lines are the periods of one call.
    ///
    /// The first request of a call is left out of the statistics, so every line of
    /// `-B`, and the first of `-p`, counts one request more than it has figures of.
    fn is_one_call(&self) -> bool {
        match self.above.command.as_deref().map(Flags::parse) {
            Some(flags) if flags.periods && !flags.batch => true,
            Some(flags) if flags.batch => false,
            _ => match self.rows.get(1..).unwrap_or_default() {
                [] => false,
                rest => rest.iter().all(|row| row.elapsed.is_none_or(|(all, _)| all == row.count)),
            },
        }
    }
}

/// Latency and, for calls without pauses, rates over the periods of a call; the time axis is what the lines say passed.
pub(super) fn periods(rows: &[Raw]) -> Vec<Series> {
    let mut at = 0.0;
    let mut ends = Vec::new();
    for row in rows {
        let Some((_, elapsed)) = row.elapsed else { return Vec::new() };
        at += elapsed;
        ends.push((at / 1e6).round() as u64);
    }
    let window_ms = at / 1e6 / rows.len().max(1) as f64;
    if rows.len() < 3 || window_ms < SHORTEST_MS {
        return Vec::new();
    }
    let rate = |row: &Raw| row.elapsed.map_or(0.0, |(all, ns)| all as f64 * 1e9 / ns.max(1.0));
    vec![
        windowed(Metric::Lat, window_ms, &ends, rows.iter().map(|row| row.mean)),
        windowed(Metric::Iops, window_ms, &ends, rows.iter().map(rate)),
        windowed(Metric::Bw, window_ms, &ends, rows.iter().map(|row| rate(row) * row.bytes as f64)),
    ]
}

fn windowed(metric: Metric, window_ms: f64, ends: &[u64], values: impl Iterator<Item = f64>) -> Series {
    let samples =
        ends.iter().zip(values).map(|(&end_ms, value)| Sample { end_ms, value, partial: false }).collect();
    Series {
        metric,
        // The direction is set with the run's.
        ddir: Ddir::Read,
        job: 0,
        clone: 0,
        last_ms: ends.last().copied().unwrap_or(0),
        kind: SeriesKind::Windowed { window_ms, samples },
    }
}

/// One line of a loop: those at one place of every group.
type Stream<'a> = Vec<(&'a Group, &'a Raw)>;

/// The runs of all groups of a text.
pub(super) fn parts(groups: Vec<Group>, remarks: &mut Vec<Remark>) -> Vec<Made> {
    let mut made = Vec::new();
    let (calls, loose): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(Group::is_one_call);
    // Two-line periods of an old ioping look like two calls of a loop: many groups are a loop.
    let (calls, loose) = if calls.len() >= MANY {
        (Vec::new(), calls.into_iter().chain(loose).collect())
    } else {
        (calls, loose)
    };
    for group in &calls {
        made.push(outcome(&group.above, &group.rows, periods(&group.rows)).into_made(group.line));
    }
    let mut streams: BTreeMap<(usize, u64), Stream<'_>> = BTreeMap::new();
    for group in &loose {
        for (place, row) in group.rows.iter().enumerate() {
            // Within one group, lines are repeats of one call.
            let place = if loose.len() > 1 { place } else { 0 };
            streams.entry((place, row.bytes)).or_default().push((group, row));
        }
    }
    let several = streams.len() > 1;
    for ((place, _), stream) in streams {
        let line = stream.first().map_or(0, |(group, _)| group.line);
        let mut add = |one: &Stream<'_>, series: Vec<Series>, line: u64| {
            let Some((group, _)) = one.first() else { return };
            let rows: Vec<Raw> = one.iter().map(|(_, row)| **row).collect();
            let mut run = outcome(&group.above, &rows, series).into_made(line);
            if several && loose.len() > 1 {
                let dimension = Dimension::Other("line".to_owned());
                let value = Value::canonical(&dimension, &(place + 1).to_string());
                run.placed.part.dimensions.insert(dimension, value);
            }
            made.push(run);
        };
        if stream.len() < MANY {
            for one in stream {
                add(&vec![one], Vec::new(), one.0.line);
            }
            continue;
        }
        let series = stamped(&stream);
        let axis = if series.is_some() {
            "over the time that the stamps between them give"
        } else {
            "without a time axis, as no stamps stand between them"
        };
        let message = format!(
            "{} raw lines at place {} of a repeated group are one run, {axis}",
            crate::model::unit::group_thousands(&stream.len().to_string()),
            place + 1
        );
        remarks.push(Remark::new(Severity::Info, message).at_line(line));
        add(&stream, series.into_iter().collect(), line);
    }
    made.sort_by_key(|run| run.line);
    made
}

/// Latency over the time of the stamps; None when fewer than three differ.
fn stamped(stream: &Stream<'_>) -> Option<Series> {
    let mut by_time: BTreeMap<u64, Vec<&Raw>> = BTreeMap::new();
    for (group, row) in stream {
        by_time.entry(group.stamp?).or_default().push(row);
    }
    let stamps: Vec<u64> = by_time.keys().copied().collect();
    let first = *stamps.first()?;
    let mut steps: Vec<u64> = stamps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    let step = *steps.get(steps.len() / 2).filter(|_| steps.len() >= 2)?;
    // A line covers the time from its own stamp to the next.
    let end = |index: usize| match stamps.get(index + 1) {
        Some(next) if next - stamps[index] < 2 * step => *next,
        _ => stamps[index] + step,
    };
    let ends: Vec<u64> = (0..stamps.len()).map(|index| (end(index) - first).saturating_mul(1000)).collect();
    let values = by_time.into_values().map(|rows| Pool::of(rows).mean());
    Some(windowed(Metric::Lat, step as f64 * 1000.0, &ends, values))
}

fn outcome(above: &Above, rows: &[Raw], series: Vec<Series>) -> Outcome {
    let pool = Pool::of(rows);
    Outcome {
        bytes: rows.first().map(|row| row.bytes),
        flags: above.command.as_deref().map(Flags::parse),
        latency: pool.latency().unwrap_or_default(),
        elapsed: pool.elapsed.map(|(all, ns)| (all as f64, ns)),
        prints_rates: true,
        series,
        above: above.clone(),
        ..Outcome::default()
    }
}
