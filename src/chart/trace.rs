//! Series over run time: repeats on a common grid, and more points than pixels as an envelope.
//!
//! In: the time series of the selected runs. Out: one [`Trace`] a line, in base
//! units and ms. A missing latency stays missing.

use super::scene::{Data, Scene, SceneX, Series, SeriesId};
use super::select::{Facts, Key, Selection, metrics};
use super::{ChartError, amount, names, transform};
use crate::analyze::repeat::mean;
use crate::analyze::steady::tools_own;
use crate::model::{Ddir, Measure, Stat, TimeSeries};
use crate::spec::{Channel, ChartSpec, Transform, XChannel};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Cells of a moving mean.
pub(super) const SMOOTH: usize = 5;
/// Numbers of cells whose lines a moving mean untangles: fewer are no tangle, more are condensed.
const TANGLED: std::ops::RangeInclusive<usize> = 61..=1000;
/// How many times the largest mean the axis reaches for the sake of single values.
const PEAKS: f64 = 6.0;
/// Most cells that repeats are brought onto.
const MAX_CELLS: usize = 8192;

/// A value for each cell of a time grid.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Trace {
    /// Start of the first cell, ms (bytes, over an amount of data).
    pub start_ms: f64,
    /// Width of a cell, the same.
    pub cell_ms: f64,
    /// The value of each cell, the mean over repeats.
    pub mean: Vec<Option<f64>>,
    /// Smallest and largest repeat in each cell, where there are repeats.
    pub range: Option<Vec<Option<(f64, f64)>>>,
    /// Runs behind it.
    pub n: usize,
    /// True for rounds of one run, which are drawn as steps.
    pub steps: bool,
    /// True when `range` goes from the smallest to the largest single value in each cell.
    pub singles: bool,
}

/// A line with an optional band, in ms and base units, at most two points a pixel.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Drawn {
    /// Points of each part of the line.
    pub line: Vec<Vec<(f64, f64)>>,
    /// (x, low, high) of each part of the band.
    pub band: Vec<Vec<(f64, f64, f64)>>,
    /// Cells behind a point.
    pub per_column: usize,
}

impl Trace {
    /// Run time at the middle of a cell, ms.
    pub(super) fn middle(&self, index: usize) -> f64 {
        self.start_ms + (index as f64 + 0.5) * self.cell_ms
    }

    /// Mean of the cells that have a value.
    pub(super) fn level(&self) -> f64 {
        let values: Vec<f64> = self.mean.iter().flatten().copied().collect();
        if values.is_empty() { 0.0 } else { mean(&values) }
    }

    /// True when the trace is of a length that a moving mean is made for.
    pub(super) fn is_long(&self) -> bool {
        !self.steps && TANGLED.contains(&self.mean.len())
    }

    /// Standard deviation of the cells that have a value.
    pub(super) fn variation(&self) -> f64 {
        let level = self.level();
        let squares: Vec<f64> = self.mean.iter().flatten().map(|v| (v - level).powi(2)).collect();
        if squares.is_empty() { 0.0 } else { mean(&squares).sqrt() }
    }

    /// [`Trace::moving`] over [`SMOOTH`] cells around each that has a value, on the range of repeats or
    /// else of those cells.
    pub(super) fn smoothed(&self) -> Trace {
        self.moving(SMOOTH)
    }

    /// The moving mean over `window` cells, an odd number.
    pub(super) fn moving(&self, window: usize) -> Trace {
        let around = |i: usize| {
            let cells = i.saturating_sub(window / 2)..(i + window / 2 + 1).min(self.mean.len());
            self.mean.get(i).copied().flatten().and_then(|_| self.column(cells))
        };
        let columns: Vec<_> = (0..self.mean.len()).map(around).collect();
        let range = match &self.range {
            // Both edges of the range of repeats move as the line does, so that it stays between them.
            Some(range) if !self.singles => {
                let edge = |of: fn((f64, f64)) -> f64| {
                    let mean = range.iter().map(|range| range.map(of)).collect();
                    Trace { mean, range: None, ..self.clone() }.moving(window).mean
                };
                let edges = edge(|(low, _)| low).into_iter().zip(edge(|(_, high)| high));
                edges.map(|(low, high)| low.zip(high)).collect()
            }
            Some(range) => range.clone(),
            None => columns.iter().map(|c| c.map(|(_, low, high)| (low, high))).collect(),
        };
        Trace {
            mean: columns.iter().map(|c| c.map(|(mean, ..)| mean)).collect(),
            range: Some(range),
            ..self.clone()
        }
    }

    /// End of the last cell, ms.
    pub(super) fn end(&self) -> f64 {
        self.start_ms + self.mean.len() as f64 * self.cell_ms
    }

    /// Time and largest value of each cell that has one.
    pub(super) fn tops(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let level = self.level();
        self.mean.iter().enumerate().filter_map(move |(i, value)| {
            let top = match &self.range {
                // Single values do not make the scale; see `reach`.
                Some(range) if !self.singles => range.get(i).copied().flatten().map(|(_, high)| high),
                _ => None,
            };
            // The band around the mean of rounds is part of the picture.
            let top = if self.steps { Some(value.unwrap_or(0.0).max(1.1 * level)) } else { top };
            value.map(|value| (self.middle(i), top.unwrap_or(value)))
        })
    }

    /// The largest single value of each cell and the time of it; empty where single values are not known.
    pub(super) fn peaks(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let ranges = self.range.iter().filter(|_| self.singles).flatten().enumerate();
        ranges.filter_map(|(i, range)| range.map(|(_, high)| (self.middle(i), high)))
    }

    /// What the y axis should cover of each cell: its value, and its largest single value as far as that leaves
    /// the line readable.
    pub(super) fn reach(&self) -> Vec<f64> {
        let most = PEAKS * self.mean.iter().flatten().copied().fold(0.0, f64::max);
        let peaks = self.peaks().map(|(_, high)| high.min(most));
        self.tops().map(|(_, top)| top).chain(peaks).collect()
    }

    /// The trace as drawn on `pixels` pixels for the run time from `start` to `end`:
    /// beyond two points a pixel the mean line of pixel columns with their smallest and largest value.
    pub(super) fn drawn(&self, start: f64, end: f64, pixels: f64) -> Drawn {
        let cells = ((end - start) / self.cell_ms).max(0.0);
        let per_column = if cells > 2.0 * pixels { (cells / pixels.max(1.0)).ceil() as usize } else { 1 };
        if per_column == 1 {
            return self.every_cell();
        }
        let mut drawn = Drawn { per_column, ..Drawn::default() };
        let (mut line, mut band) = (Vec::new(), Vec::new());
        for first in (0..self.mean.len()).step_by(per_column) {
            let column = first..(first + per_column).min(self.mean.len());
            match self.column(column.clone()) {
                Some((value, low, high)) => {
                    let x = (self.middle(column.start) + self.middle(column.end - 1)) / 2.0;
                    line.push((x, value));
                    band.push((x, low, high));
                }
                None if !line.is_empty() => {
                    drawn.line.push(std::mem::take(&mut line));
                    drawn.band.push(std::mem::take(&mut band));
                }
                None => {}
            }
        }
        if !line.is_empty() {
            drawn.line.push(line);
            drawn.band.push(band);
        }
        drawn
    }

    /// The trace with a point for each cell that has a value; a band only where there is a range.
    fn every_cell(&self) -> Drawn {
        let mut drawn = Drawn { per_column: 1, ..Drawn::default() };
        let mut first = 0;
        for cells in self.mean.split(Option::is_none) {
            if !cells.is_empty() {
                let at = |(i, value): (usize, &Option<f64>)| Some((self.middle(first + i), (*value)?));
                drawn.line.push(cells.iter().enumerate().filter_map(at).collect());
            }
            if let (false, Some(range)) = (cells.is_empty(), &self.range) {
                let around = |(i, value): (usize, &Option<f64>)| {
                    let (value, range) = ((*value)?, range.get(first + i).copied().flatten());
                    let (low, high) = range.map_or((value, value), |(l, h)| (l.min(value), h.max(value)));
                    Some((self.middle(first + i), low, high))
                };
                drawn.band.push(cells.iter().enumerate().filter_map(around).collect());
            }
            first += cells.len() + 1;
        }
        drawn
    }

    /// Mean, smallest and largest of a column of cells.
    fn column(&self, cells: std::ops::Range<usize>) -> Option<(f64, f64, f64)> {
        let own = self.mean.get(cells.clone())?;
        let values = || own.iter().flatten().copied();
        let count = values().count();
        if count == 0 {
            return None;
        }
        let ranges = self.range.as_ref().and_then(|r| r.get(cells)).unwrap_or_default();
        let lows = ranges.iter().flatten().map(|r| r.0).chain(values());
        let highs = ranges.iter().flatten().map(|r| r.1).chain(values());
        let mean = values().sum::<f64>() / count as f64;
        Some((mean, lows.fold(f64::INFINITY, f64::min), highs.fold(f64::NEG_INFINITY, f64::max)))
    }
}

/// The scene of a time chart.
pub(super) fn scene(selection: &Selection<'_>, spec: &ChartSpec) -> Result<Scene, ChartError> {
    if spec.y.stat != Stat::Mean {
        return Err(ChartError::Unsupported(format!(
            "series over time hold means of windows, not {}; use stat = mean",
            names::measure_phrase(spec.y)
        )));
    }
    let channels = &selection.channels;
    let by_job = [&channels.color, &channels.facet].iter().any(|c| **c == Some(Channel::Job));
    // The upper edge of a stack is the total already.
    let stacked = spec.has(Transform::Stack);
    let mixed = selection.ddirs == [Ddir::Mixed];
    let mut groups: BTreeMap<SeriesId, Vec<(Facts, Cow<'_, TimeSeries>)>> = BTreeMap::new();
    for &run in &selection.runs {
        for series in &selection.campaign.runs[run].series {
            let place = metrics(spec).iter().position(|metric| *metric == series.metric);
            let usable = place.is_some()
                && ((by_job && spec.x == XChannel::Time) || series.job.is_none())
                && !(stacked && by_job && series.job.is_none())
                && !(stacked && spec.total && series.ddir == Ddir::Mixed && !mixed)
                && selection.ddirs.contains(&series.ddir)
                && series.cell_ms.is_finite()
                && series.cell_ms > 0.0
                && series.start_ms.is_finite()
                && series.values.iter().any(|v| sane(*v).is_some());
            if !usable {
                continue;
            }
            let facts = Facts { run, ddir: series.ddir, job: series.job, stat: None };
            let facet = match (&channels.facet, place) {
                (Some(Channel::Metric), Some(place)) => Key::Metric(place, series.metric),
                (channel, _) => selection.key(channel.as_ref(), facts),
            };
            let id = SeriesId {
                facet,
                color: selection.key(channels.color.as_ref(), facts),
                fold: channels.fold_ddir.then_some(series.ddir),
            };
            let series = if spec.x == XChannel::Amount {
                let record = &selection.campaign.runs[run];
                let Some(over) = amount::over_amount(record, series) else { continue };
                Cow::Owned(over)
            } else {
                Cow::Borrowed(series)
            };
            let members = groups.entry(id).or_default();
            let original = selection.campaign.copies.get(&run);
            // A copy beside its original would narrow the band of the repeats.
            if !original.is_some_and(|original| members.iter().any(|(facts, _)| facts.run == *original)) {
                members.push((facts, series));
            }
        }
    }
    if by_job && groups.values().flatten().all(|(facts, _)| facts.job.is_none()) {
        return Err(ChartError::NoData("no run has logs of several jobs".to_owned()));
    }
    let groups_of_runs: Vec<Vec<usize>> =
        groups.values().map(|members| members.iter().map(|(facts, _)| facts.run).collect()).collect();
    let mut notes = selection.pooled(groups_of_runs.iter().map(Vec::as_slice));
    let pooled = !notes.is_empty();
    let mut all = Vec::new();
    let mut repeats = (usize::MAX, 0);
    let mut shortened = 0;
    // Bands of single values would hide each other.
    let mut panels: Vec<_> = groups.keys().map(|id| id.facet.clone()).collect();
    let lines = panels.len();
    panels.dedup();
    let alone = panels.len() == lines && spec.transforms.is_empty() && spec.x == XChannel::Time;
    for (id, members) in groups {
        let sources: Vec<&TimeSeries> = members.iter().map(|(_, s)| s.as_ref()).collect();
        let (trace, shorter) = if spec.has(Transform::Rounds) {
            (rounds(selection, &members)?, false)
        } else {
            combined(&sources)
        };
        let trace = match sources.as_slice() {
            [single] if alone => trace.with_extremes(single),
            _ => trace,
        };
        // Along the data moved, what was cut is no longer there.
        let span = if spec.x == XChannel::Amount { (None, None) } else { spec.span_ms() };
        let Some(trace) = trace.cropped(span) else { continue };
        let trace = transform::of_line(trace, spec, &mut notes);
        shortened += usize::from(shorter);
        repeats = (repeats.0.min(trace.n), repeats.1.max(trace.n));
        let (ddir, job) = members.first().map_or((Ddir::Read, None), |(f, _)| (f.ddir, f.job));
        let measure = members.first().map_or(spec.y, |(_, s)| Measure { metric: s.metric, ..spec.y });
        let mut series = selection.series(id, Data::Trace(trace));
        series.runs = members.iter().map(|(f, _)| f.run).collect();
        // A run's figures are those of all jobs; a single job has none in the tables.
        if job.is_none() {
            let figures: Vec<f64> = series
                .runs
                .iter()
                .map(|&run| &selection.campaign.runs[run])
                // Beside a line of largest latencies no mean stands.
                .filter(|record| !(measure.metric.is_latency() && record.run.logs_largest()))
                .filter_map(|record| record.statistic(measure, ddir))
                .map(|s| s.value)
                .filter(|v| v.is_finite())
                .collect();
            series.figure = (!figures.is_empty()).then(|| mean(&figures)).filter(|v| v.is_finite());
            // Beside a line whose level has changed stands the level that it settles at.
            let over_time = spec.transforms.is_empty() && spec.x == XChannel::Time;
            if let (true, [run]) = (over_time, selection.runs.as_slice())
                && let Some(phases) = selection.campaign.runs[*run].phases_of(measure.metric, ddir)
                && let Some(settled) = phases.steady.and_then(|i| phases.segments.get(i))
            {
                series.figure = Some(settled.level).filter(|v| v.is_finite());
                series.settled = true;
            }
        }
        if spec.has(Transform::Rounds)
            && let Data::Trace(trace) = &series.data
        {
            // That of the drawn windows: a run has its first log row, and the end of some of its jobs, besides.
            (series.figure, series.settled) = (Some(trace.level()).filter(|v| v.is_finite()), false);
        }
        if spec.has(Transform::Cumulate)
            && let Data::Trace(trace) = &series.data
        {
            // What has come together at the end, not a rate.
            (series.figure, series.settled) = (trace.mean.last().copied().flatten(), false);
        }
        all.push(series);
    }
    let largest =
        selection.runs.iter().filter(|&&run| selection.campaign.runs[run].run.logs_largest()).count();
    if spec.y.metric.is_latency() && (1..selection.runs.len()).contains(&largest) {
        notes.push(format!(
            "{largest} of {} runs logged the largest latency of each window in place of the mean: they lie higher.",
            selection.runs.len()
        ));
    }
    if stacked {
        transform::onto_one_grid(&mut all);
    }
    if all.is_empty() {
        let what = names::measure_phrase(spec.y);
        return Err(ChartError::NoData(format!("no series of {what} has a value in the span asked for")));
    }
    if shortened > 0 {
        notes.push("Repeats ran for different times: their mean ends with the shortest repeat.".to_owned());
    }
    if spec.has(Transform::Rounds)
        && let [run] = selection.runs.as_slice()
        && let Some(own) = tools_own(&selection.campaign.runs[*run].run)
    {
        notes.push(format!("fio's own criterion, another rule: {}.", names::clean(own)));
    }
    let (start, end) = span(&all);
    let x = if spec.x == XChannel::Amount { SceneX::Amount(start, end) } else { SceneX::Time(start, end) };
    Ok(Scene::new(spec, all, x, (notes, pooled), repeats))
}

/// Where the first of all lines begins and the last one ends.
pub(super) fn span(all: &[Series]) -> (f64, f64) {
    let traces = || all.iter().filter_map(|series| series.data.trace());
    let start = traces().map(|t| t.start_ms).fold(f64::INFINITY, f64::min);
    (start, traces().map(Trace::end).fold(f64::NEG_INFINITY, f64::max))
}

/// The five windows of one run.
fn rounds(selection: &Selection<'_>, members: &[(Facts, Cow<'_, TimeSeries>)]) -> Result<Trace, ChartError> {
    let (1, Some((facts, series))) = (members.len(), members.first()) else {
        return Err(ChartError::Unsupported(
            "steady state is a matter of one run; name it with a filter (`--where`)".to_owned(),
        ));
    };
    let state = selection.campaign.runs[facts.run].steady_state(series.metric, series.ddir);
    let Some((state, (start, end))) = state.and_then(|s| Some((s, s.span_ms?))) else {
        return Err(ChartError::NoData("the log has fewer than five windows of I/O".to_owned()));
    };
    let mean = state.rounds.iter().map(|v| sane(Some(*v))).collect();
    let cell_ms = (end - start) / state.rounds.len() as f64;
    Ok(Trace { start_ms: start, cell_ms, mean, range: None, n: 1, steps: true, singles: false })
}

impl Trace {
    /// The trace of one series on the range of its single values, where they are known.
    fn with_extremes(mut self, series: &TimeSeries) -> Trace {
        if let Some(extremes) = series.extremes.as_ref().filter(|e| e.len() == self.mean.len()) {
            let known = |range: &Option<(f64, f64)>| {
                range.filter(|r| sane(Some(r.0)).is_some() && sane(Some(r.1)).is_some())
            };
            self.range = Some(extremes.iter().map(known).collect());
            self.singles = true;
        }
        self
    }

    /// The cells whose middle lies inside `span`; None when no value is left.
    pub(super) fn cropped(mut self, span: (Option<f64>, Option<f64>)) -> Option<Trace> {
        let from = span.0.unwrap_or(f64::NEG_INFINITY);
        let to = span.1.unwrap_or(f64::INFINITY);
        let inside: Vec<usize> =
            (0..self.mean.len()).filter(|&i| (from..=to).contains(&self.middle(i))).collect();
        let (&first, &last) = (inside.first()?, inside.last()?);
        self.start_ms += first as f64 * self.cell_ms;
        self.mean = self.mean.get(first..=last)?.to_vec();
        self.range = self.range.and_then(|r| r.get(first..=last).map(<[_]>::to_vec));
        self.mean.iter().any(Option::is_some).then_some(self)
    }
}

/// A value that sums stay finite with; what no device can reach counts as missing.
fn sane(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.abs() < 1e200)
}

/// Repeats as one trace: their mean on a common grid with the range between them.
///
/// A single series passes as it is. The second value is true when repeats ended
/// more than 5 % apart, and the mean ends with the shortest.
fn combined(members: &[&TimeSeries]) -> (Trace, bool) {
    if let [single] = members {
        let mean = single.values.iter().copied().map(sane).collect();
        return (
            Trace {
                start_ms: single.start_ms,
                cell_ms: single.cell_ms,
                mean,
                range: None,
                n: 1,
                ..Trace::default()
            },
            false,
        );
    }
    let end = |s: &TimeSeries| s.start_ms + s.values.len() as f64 * s.cell_ms;
    let start_ms = members.iter().map(|s| s.start_ms).fold(f64::NEG_INFINITY, f64::max);
    let shortest = members.iter().map(|s| end(s)).fold(f64::INFINITY, f64::min);
    let longest = members.iter().map(|s| end(s)).fold(f64::NEG_INFINITY, f64::max);
    let span = (shortest - start_ms).max(0.0);
    let cell_ms = members.iter().map(|s| s.cell_ms).fold(span / MAX_CELLS as f64, f64::max);
    let count = ((span / cell_ms + 1e-6).floor() as usize).clamp(1, MAX_CELLS);
    let grids: Vec<Vec<Option<f64>>> =
        members.iter().map(|s| resampled(s, start_ms, cell_ms, count)).collect();
    let cell = |i: usize| grids.iter().filter_map(|g| g[i]).collect::<Vec<f64>>();
    let values: Vec<Vec<f64>> = (0..count).map(cell).collect();
    let range = |v: &Vec<f64>| {
        let low = v.iter().copied().fold(f64::INFINITY, f64::min);
        let high = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (!v.is_empty()).then_some((low, high))
    };
    let trace = Trace {
        start_ms,
        cell_ms,
        mean: values.iter().map(|v| (!v.is_empty()).then(|| mean(v))).collect(),
        range: Some(values.iter().map(range).collect()),
        n: members.len(),
        ..Trace::default()
    };
    (trace, longest - shortest > 0.05 * (longest - start_ms))
}

/// A series on another grid: each cell the mean of the source cells that it overlaps, in proportion.
pub(super) fn resampled(series: &TimeSeries, start_ms: f64, cell_ms: f64, count: usize) -> Vec<Option<f64>> {
    let edge = |i: usize| start_ms + i as f64 * cell_ms;
    (0..count).map(|i| mean_over(series, edge(i), edge(i + 1))).collect()
}

/// Mean of a series from one run time to another: its cells in proportion to what they overlap; None where none has
/// a value.
pub(super) fn mean_over(series: &TimeSeries, from: f64, to: f64) -> Option<f64> {
    let first = ((from - series.start_ms) / series.cell_ms).floor().max(0.0) as usize;
    let (mut sum, mut weight) = (0.0, 0.0);
    for index in first..series.values.len() {
        let left = series.start_ms + index as f64 * series.cell_ms;
        if left >= to {
            break;
        }
        let share = (to.min(left + series.cell_ms) - from.max(left)).max(0.0);
        if let Some(value) = sane(series.values[index]) {
            sum += value * share;
            weight += share;
        }
    }
    // A hair of overlap from rounding is no value.
    (weight > 1e-6 * (to - from)).then(|| sum / weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Metric;

    fn series(cell_ms: f64, values: &[Option<f64>]) -> TimeSeries {
        TimeSeries {
            metric: Metric::Iops,
            ddir: Ddir::Read,
            job: None,
            start_ms: 0.0,
            cell_ms,
            values: values.to_vec(),
            extremes: None,
        }
    }

    #[test]
    fn repeats_give_their_mean_and_their_range() {
        let a = series(500.0, &[Some(100.0), Some(200.0), Some(300.0)]);
        let b = series(500.0, &[Some(200.0), Some(200.0), Some(100.0)]);
        let (trace, shorter) = combined(&[&a, &b]);
        assert_eq!(trace.mean, [Some(150.0), Some(200.0), Some(200.0)]);
        assert_eq!(trace.range, Some(vec![Some((100.0, 200.0)), Some((200.0, 200.0)), Some((100.0, 300.0))]));
        assert!(!shorter);
    }

    #[test]
    fn repeats_meet_on_the_coarser_grid_for_as_long_as_all_ran() {
        let fine = series(250.0, &[Some(1.0), Some(3.0), Some(5.0), Some(7.0), Some(9.0), Some(9.0)]);
        let coarse = series(500.0, &[Some(4.0), Some(4.0)]);
        let (trace, shorter) = combined(&[&fine, &coarse]);
        assert_eq!(trace.mean, [Some(3.0), Some(5.0)]);
        assert!(shorter);
    }

    #[test]
    fn a_gap_parts_the_line() {
        let (trace, _) = combined(&[&series(500.0, &[Some(1.0), None, Some(2.0), Some(3.0)])]);
        let drawn = trace.drawn(0.0, 2000.0, 100.0);
        assert_eq!(drawn.line, [vec![(250.0, 1.0)], vec![(1250.0, 2.0), (1750.0, 3.0)]]);
        assert!(drawn.band.is_empty());
    }

    #[test]
    fn single_values_reach_as_far_as_leaves_the_line_readable() {
        let mut one = series(500.0, &[Some(10.0), Some(20.0), None]);
        one.extremes = Some(vec![Some((1.0, 15.0)), Some((2.0, 900.0)), None]);
        let trace = combined(&[&one]).0.with_extremes(&one);
        assert_eq!(trace.range, Some(vec![Some((1.0, 15.0)), Some((2.0, 900.0)), None]));
        assert_eq!(trace.peaks().collect::<Vec<_>>(), [(250.0, 15.0), (750.0, 900.0)]);
        // The means, and the peaks up to six times the largest of them.
        assert_eq!(trace.reach(), [10.0, 20.0, 15.0, 120.0]);
        let drawn = trace.drawn(0.0, 1500.0, 100.0);
        assert_eq!(drawn.band, [vec![(250.0, 1.0, 15.0), (750.0, 2.0, 900.0)]]);
    }

    #[test]
    fn more_points_than_pixels_become_an_envelope_that_keeps_extremes() {
        let mut values = vec![Some(10.0); 1000];
        values[500] = Some(90.0);
        values[501] = Some(0.0);
        let (trace, _) = combined(&[&series(1.0, &values)]);
        let drawn = trace.drawn(0.0, 1000.0, 100.0);
        assert_eq!(drawn.line[0].len(), 100);
        assert_eq!(drawn.band[0][50], (505.0, 0.0, 90.0));
        assert_eq!(drawn.line[0][50].1, 17.0);
    }
}
