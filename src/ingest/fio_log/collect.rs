//! Rows into series: samples of windows, or cells of single I/Os.
//!
//! Goes in: the events of a [`super::timeline::Timeline`]. Comes out: segments in
//! base units, each on its own run time. Windows are kept (24 bytes a row); single I/Os
//! are folded into grids of bounded size at once, whatever their number.

use super::cells::Cells;
use super::mode::{median, sort};
use super::row::{DIRECTIONS, Row};
use super::stream::Streamed;
use super::timeline::{Event, Jump};
use crate::ingest::{LogKind, Segment};
use crate::model::{Sample, SeriesKind};

/// Most stretches of one log. fio appends one a job and run; more is disorder, and each holds a grid.
pub(super) const MAX_SEGMENTS: usize = 1024;

/// Distances from which a window is concluded; more are sampled.
const MAX_DISTANCES: usize = 1 << 16;

/// Window of a log with a single row whose stamp tells nothing, ms: what most runs use.
const USUAL_WINDOW_MS: f64 = 1000.0;

/// How values of a log become base units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scale {
    /// Which log.
    pub(super) kind: LogKind,
    /// Base units in one unit of the log: 1024 for KiB/s, 1000 for us.
    pub(super) factor: u64,
}

impl Scale {
    /// True when the values are latencies.
    pub(super) fn is_latency(self) -> bool {
        matches!(self.kind, LogKind::Lat | LogKind::Clat | LogKind::Slat)
    }
}

/// A log that has grown too many stretches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooManySegments {
    /// Line at which the last one began.
    pub(super) line: u64,
}

/// What the rows of a log have become.
#[derive(Debug)]
pub(super) struct Collected {
    /// One for each stretch that holds a row.
    pub(super) segments: Vec<Segment>,
    /// Nominal window, ms (windowed logs).
    pub(super) window_ms: Option<f64>,
    /// What was subtracted from the stamps of the first stretch, ms.
    pub(super) origin: u64,
}

/// Takes rows.
pub(super) enum Collector {
    /// Rows of windows.
    Windows(Windows),
    /// Rows of single I/Os.
    Ios(Ios),
}

impl Collector {
    /// Applies one event.
    pub(super) fn apply(&mut self, event: Event) {
        match (self, event) {
            (Collector::Windows(windows), event) => windows.apply(event),
            (Collector::Ios(ios), Event::Row(row)) => ios.running.add(&row),
            (Collector::Ios(ios), Event::Begin(jump, row)) => ios.begin(jump, &row),
            (Collector::Ios(ios), Event::Forget) => ios.running = Cells::new(ios.scale, ios.origin),
        }
    }

    /// Rows taken.
    pub(super) fn rows(&self) -> u64 {
        match self {
            Collector::Windows(windows) => {
                windows.done.iter().chain([&windows.running]).map(Stretch::len).sum::<usize>() as u64
            }
            Collector::Ios(ios) => ios.done_rows + ios.running.rows(),
        }
    }

    /// Set when there were more stretches than a log can have.
    pub(super) fn overflow(&self) -> Option<TooManySegments> {
        match self {
            Collector::Windows(windows) => windows.overflow,
            Collector::Ios(ios) => ios.overflow,
        }
    }

    /// The segments.
    pub(super) fn finish(self) -> Collected {
        match self {
            Collector::Windows(windows) => windows.finish(),
            Collector::Ios(ios) => ios.finish(),
        }
    }
}

/// Collects windows.
pub(super) struct Windows {
    scale: Scale,
    /// True when the first stretch does not begin near 0.
    rebase: bool,
    running: Stretch,
    done: Vec<Stretch>,
    overflow: Option<TooManySegments>,
}

#[derive(Default)]
struct Stretch {
    /// True when it has a clock of its own.
    rebase: bool,
    samples: [Vec<Sample>; DIRECTIONS.len()],
}

impl Stretch {
    fn len(&self) -> usize {
        self.samples.iter().map(Vec::len).sum()
    }

    fn first_ms(&self) -> Option<u64> {
        self.samples.iter().filter_map(|samples| samples.first()).map(|sample| sample.end_ms).min()
    }
}

impl Windows {
    /// Collects windows; `rebase` when the stamps do not begin near 0.
    pub(super) fn new(scale: Scale, rebase: bool) -> Self {
        Windows { scale, rebase, running: Stretch::default(), done: Vec::new(), overflow: None }
    }

    /// Applies one event.
    pub(super) fn apply(&mut self, event: Event) {
        match event {
            Event::Row(row) => self.add(&row),
            Event::Begin(jump, row) => self.begin(jump, &row),
            Event::Forget => self.running.samples = Default::default(),
        }
    }

    fn add(&mut self, row: &Row) {
        // No value is beyond those that both hold.
        let value = row.value.cast_signed() as f64 * self.scale.factor as f64;
        self.running.samples[row.direction].push(Sample { end_ms: row.t, value, partial: false });
    }

    /// Takes rows of the running stretch.
    pub(super) fn take(&mut self, rows: &[Row]) {
        let mut counts = [0; DIRECTIONS.len()];
        rows.iter().for_each(|row| counts[row.direction] += 1);
        for (samples, count) in self.running.samples.iter_mut().zip(counts) {
            samples.reserve_exact(count);
        }
        rows.iter().for_each(|row| self.add(row));
    }

    fn begin(&mut self, jump: Jump, row: &Row) {
        if self.done.len() + 1 >= MAX_SEGMENTS {
            self.overflow.get_or_insert(TooManySegments { line: row.line });
            return;
        }
        let mut done = std::mem::take(&mut self.running);
        done.samples.iter_mut().for_each(Vec::shrink_to_fit);
        self.done.push(done);
        self.running.rebase = jump == Jump::Forward;
    }

    fn finish(self) -> Collected {
        let mut stretches = self.done;
        stretches.push(self.running);
        stretches.retain(|stretch| stretch.len() > 0);
        if let Some(first) = stretches.first_mut() {
            first.rebase = self.rebase;
        }
        for samples in stretches.iter_mut().flat_map(|stretch| &mut stretch.samples) {
            if !samples.is_sorted_by_key(|sample| sample.end_ms) {
                if samples.first().map(|s| s.end_ms) > samples.last().map(|s| s.end_ms) {
                    samples.reverse();
                }
                samples.sort_by_key(|sample| sample.end_ms);
            }
        }
        let all =
            |direction: usize| stretches.iter().map(move |stretch| stretch.samples[direction].as_slice());
        let apart = [0, 1, 2].map(|direction| distances(all(direction)));
        let firsts = [0, 1, 2].map(|direction| {
            let started = stretches.first().filter(|stretch| !stretch.rebase)?;
            started.samples[direction].first().map(|sample| sample.end_ms)
        });
        let own = [0, 1, 2].map(|direction| window(&apart[direction], firsts[direction]));
        let by_direction = [0, 1, 2].map(|direction| shared(own, direction, &apart[direction]));
        let shortest = by_direction.into_iter().flatten().reduce(f64::min);
        let window_ms = shortest.unwrap_or_else(|| {
            // One row: its window reaches back to the start, unless the clock began elsewhere.
            let first = stretches.first().and_then(Stretch::first_ms);
            first.filter(|&t| t > 0 && !self.rebase).map_or(USUAL_WINDOW_MS, |t| t as f64)
        });
        let mut origin = 0;
        let mut first_origin = None;
        let mut segments = Vec::with_capacity(stretches.len());
        let alone = stretches.len() == 1;
        for index in 0..stretches.len() {
            if stretches[index].rebase {
                // Stretches that go back share the clock, and the first of them to start defines it.
                let sharing = stretches[index + 1..].iter().take_while(|stretch| !stretch.rebase);
                let firsts = std::iter::once(&stretches[index]).chain(sharing).filter_map(Stretch::first_ms);
                origin = firsts.min().unwrap_or(0).saturating_sub(window_ms.round() as u64);
            }
            first_origin.get_or_insert(origin);
            let stretch = std::mem::take(&mut stretches[index].samples);
            segments.push(self.scale.segment(stretch, origin, by_direction, window_ms, alone));
        }
        Collected { segments, window_ms: Some(window_ms), origin: first_origin.unwrap_or(0) }
    }
}

impl Scale {
    fn segment(
        self,
        stretch: [Vec<Sample>; DIRECTIONS.len()],
        origin: u64,
        by_direction: [Option<f64>; DIRECTIONS.len()],
        window_ms: f64,
        alone: bool,
    ) -> Segment {
        let mut segment = Segment { series: Vec::new(), last_ms: 0 };
        for (direction, mut samples) in stretch.into_iter().enumerate() {
            for sample in &mut samples {
                sample.end_ms = sample.end_ms.saturating_sub(origin);
            }
            // A few rows tell less about the window than all the stretches of the log; a single stretch tells
            // what all do.
            let own = (samples.len() > 5 && !alone)
                .then(|| {
                    let apart = distances([samples.as_slice()].into_iter());
                    let mut all = by_direction;
                    all[direction] = window(&apart, None);
                    shared(all, direction, &apart)
                })
                .flatten();
            let window_ms = own.or(by_direction[direction]).unwrap_or(window_ms);
            if self.is_latency()
                && let [.., before, last] = samples.as_mut_slice()
                && ((last.end_ms - before.end_ms) as f64) < window_ms / 2.0
            {
                last.partial = true;
            }
            let Some(last) = samples.last() else { continue };
            segment.last_ms = segment.last_ms.max(last.end_ms);
            samples.shrink_to_fit();
            segment.series.push((DIRECTIONS[direction], SeriesKind::Windowed { window_ms, samples }));
        }
        segment
    }
}

/// The positive distances of rows in stretches, ms, in ascending order; some of them where there are very many.
fn distances<'a>(stretches: impl Iterator<Item = &'a [Sample]> + Clone) -> Vec<u64> {
    let total: usize = stretches.clone().map(<[Sample]>::len).sum();
    let every = total / MAX_DISTANCES + 1;
    let mut distances: Vec<u64> = Vec::with_capacity(total / every);
    let distance = |pair: &[Sample]| pair[1].end_ms.saturating_sub(pair[0].end_ms);
    if every == 1 {
        stretches.for_each(|samples| distances.extend(samples.windows(2).map(distance)));
    } else {
        distances.extend(stretches.flat_map(|samples| samples.windows(2)).step_by(every).map(distance));
    }
    sort(&mut distances);
    // What is no distance comes first.
    distances.drain(..distances.partition_point(|&distance| distance == 0));
    distances
}

/// The window in which rows were recorded, ms: their median positive distance, or the whole part of it
/// that [`within_idle`] finds. The first stamp of a log whose clock starts with the run is a distance from 0.
fn window(distances: &[u64], first: Option<u64>) -> Option<f64> {
    let usual = median(distances)?;
    let first = first.filter(|&first| first > 0 && (first as f64) < usual * SHORTER);
    let within = match first {
        Some(first) => {
            let mut all = distances.to_vec();
            all.insert(all.partition_point(|&distance| distance < first), first);
            within_idle(&all, usual)
        }
        None => within_idle(distances, usual),
    };
    Some(within.unwrap_or(usual))
}

/// The window of a direction where those of all directions are known: fio has one for a log, so that a direction whose
/// rows lie whole windows of another one apart is idle between them.
fn shared(own: [Option<f64>; DIRECTIONS.len()], direction: usize, distances: &[u64]) -> Option<f64> {
    let usual = own[direction]?;
    let shortest = own.into_iter().flatten().fold(usual, f64::min);
    let windows = |distance: u64| distance as f64 / shortest;
    let whole = distances.iter().filter(|&&distance| is_whole(windows(distance))).count();
    let idle = shortest < usual * SHORTER && whole * 10 >= distances.len() * 9;
    Some(if idle { shortest } else { usual })
}

/// Windows come some ms late.
const JITTER: f64 = 0.1;
/// A window that leaves room for idle ones is at most this share of the usual distance: half of it, and some ms.
const SHORTER: f64 = 0.6;

fn is_whole(windows: f64) -> bool {
    (windows - windows.round()).abs() <= JITTER
}

/// The window when most windows are idle, so that the usual distance of rows is several of them.
///
/// An idle window leaves no row, so that all distances are whole multiples of the window. It shows
/// when at least a fifth of them are a single one; shorter ones than half of that are late rows that
/// come in bursts.
fn within_idle(sorted: &[u64], usual: f64) -> Option<f64> {
    /// Most windows in a usual distance: with more, single ones are no fifth of all.
    const MOST: u32 = 10;
    // Half of the usual distance is the longest window that is looked for; most logs have none so short.
    if sorted.first().is_none_or(|&shortest| shortest as f64 > usual * SHORTER) {
        return None;
    }
    // Most distances are equal to many others.
    let groups: Vec<(f64, usize)> =
        sorted.chunk_by(|a, b| a == b).map(|equal| (equal[0] as f64, equal.len())).collect();
    (2..=MOST).rev().find_map(|parts| {
        let window = usual / f64::from(parts);
        let bursts = sorted.partition_point(|&distance| (distance as f64) < window / 2.0);
        let distances = &sorted[bursts..];
        let count = |is: fn(f64) -> bool| -> usize {
            let longer = groups.iter().filter(|(distance, _)| *distance >= window / 2.0);
            longer.filter(|(distance, _)| is(distance / window)).map(|(_, count)| count).sum()
        };
        let single = count(|windows| (windows - 1.0).abs() <= JITTER);
        let whole = || count(is_whole);
        let shown = single >= 2 && single * 5 >= distances.len() && whole() * 10 >= distances.len() * 9;
        // Sorted, and nothing lies below them but bursts.
        shown.then(|| median(&distances[..single])).flatten()
    })
}

/// Collects single I/Os.
pub(super) struct Ios {
    scale: Scale,
    /// What the running clock begins with, ms.
    origin: u64,
    first_origin: u64,
    running: Cells,
    done: Vec<Segment>,
    done_rows: u64,
    overflow: Option<TooManySegments>,
}

impl Ios {
    /// Collects I/Os whose clock begins at `origin`.
    pub(super) fn new(scale: Scale, origin: u64) -> Self {
        Ios {
            scale,
            origin,
            first_origin: origin,
            running: Cells::new(scale, origin),
            done: Vec::new(),
            done_rows: 0,
            overflow: None,
        }
    }

    fn begin(&mut self, jump: Jump, row: &Row) {
        if self.done.len() + 1 >= MAX_SEGMENTS {
            self.overflow.get_or_insert(TooManySegments { line: row.line });
            return;
        }
        if jump == Jump::Forward {
            self.origin = row.t;
        }
        self.close();
    }

    /// Ends the running stretch.
    fn close(&mut self) {
        let ended = std::mem::replace(&mut self.running, Cells::new(self.scale, self.origin));
        self.done_rows += ended.rows();
        self.done.extend(ended.finish());
    }

    /// Takes what a stream made of all rows.
    pub(super) fn take(&mut self, streamed: Streamed) {
        self.done = streamed.segments;
        self.done_rows = streamed.rows;
        self.overflow = streamed.overflow;
    }

    fn finish(mut self) -> Collected {
        self.close();
        Collected { segments: self.done, window_ms: None, origin: self.first_origin }
    }
}
