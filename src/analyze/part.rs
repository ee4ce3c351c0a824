//! A part of a run's time: what its logs say of it, and nothing that a tool said of the whole run.
//!
//! In: a run as read and two run times. Out: the run cut to whole windows between them, with figures of its own.
//! Summaries of whole runs (means, percentiles and histograms of a JSON) cannot be cut and are left out.

use super::combine::IDLE;
use crate::model::text::few;
use crate::model::unit::plain;
use crate::model::{Diagnostic, Metric, Run, RunRecord, Sample, SeriesKind, Severity, TimeSpan};
use std::collections::BTreeSet;

/// A part of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    /// The run with the figures of the part; without any where its logs hold nothing of it.
    pub record: RunRecord,
    /// Where it truly starts and ends, ms of run time: on whole windows of the logs. The end is infinite where the
    /// part goes on to the end of the run.
    pub span: (f64, f64),
    /// Where the logs end before they are cut, ms of run time.
    pub end_ms: f64,
    /// The windows on which it was cut, ms; 0 for a run without logs.
    pub window_ms: f64,
}

/// Where the parts of several runs lie.
#[derive(Debug, Clone, Default)]
pub(crate) struct Extent {
    /// First and last start, ms of run time; None before the first run.
    starts: Option<(f64, f64)>,
    /// First and last end of the parts that end before their runs do.
    ends: Option<(f64, f64)>,
    /// True when a part goes on to the end of its run.
    open: bool,
}

impl Extent {
    /// Takes the span at which a run was cut.
    pub(crate) fn add(&mut self, (from, to): (f64, f64)) {
        let widened = |range: Option<(f64, f64)>, ms: f64| {
            Some(range.map_or((ms, ms), |(low, high)| (f64::min(low, ms), f64::max(high, ms))))
        };
        self.starts = widened(self.starts, from);
        if to.is_finite() {
            self.ends = widened(self.ends, to);
        } else {
            self.open = true;
        }
    }

    /// True when runs were cut in different places.
    pub(crate) fn is_uneven(&self) -> bool {
        let apart = |range: Option<(f64, f64)>| range.is_some_and(|(low, high)| low != high);
        apart(self.starts) || apart(self.ends) || self.has_shorter()
    }

    /// True when some runs are over before the part of the others ends.
    pub(crate) fn has_shorter(&self) -> bool {
        self.open && self.ends.is_some()
    }

    /// One span for all in words: the places where all were cut, or those that were `asked` for where these differ. None
    /// without a run.
    pub(crate) fn told(&self, asked: (f64, f64)) -> Option<TimeSpan> {
        let one = |(low, high): (f64, f64), asked: f64| if low == high { low } else { asked };
        let from_ms = one(self.starts?, asked.0);
        Some(TimeSpan { from_ms, to_ms: self.ends.map(|ends| one(ends, asked.1)) })
    }
}

/// What is said of a part: where it truly lies, and which runs have nothing in it.
pub(super) fn remarks(asked: (f64, f64), extent: &Extent, outside: &BTreeSet<String>) -> Vec<Diagnostic> {
    let seconds = |ms: f64| format!("{} s", plain(ms / 1000.0, 6));
    let span = |(from, to): (f64, f64)| {
        let to = if to.is_finite() { seconds(to) } else { "the end".to_owned() };
        format!("{} and {to}", seconds(from))
    };
    let mut remarks = Vec::new();
    let mut say = |severity, message| remarks.push(Diagnostic::new(severity, "--from/--to", message));
    let rows = format!(
        "figures come from the log rows between {}; the tools' summaries cover whole runs and are left out",
        span(asked)
    );
    say(Severity::Info, rows);
    if let Some(told) = extent.told(asked) {
        let cut = (told.from_ms, told.to_ms.filter(|_| asked.1.is_finite()).unwrap_or(asked.1));
        // A part is cut on whole windows: half of one more or less is no other part where it holds a hundred.
        let off =
            (cut.0 - asked.0).abs().max(if asked.1.is_finite() { (cut.1 - asked.1).abs() } else { 0.0 });
        if off > (cut.1 - cut.0) / 100.0 || (off > 0.0 && !asked.1.is_finite()) {
            let message = format!("cut on whole windows of the logs, the part lies between {}", span(cut));
            say(Severity::Warning, message);
        } else if extent.is_uneven() {
            say(Severity::Info, "each run is cut on whole windows of its own logs".to_owned());
        }
    }
    if !outside.is_empty() {
        let ids: Vec<&String> = outside.iter().collect();
        let runs =
            if outside.len() == 1 { "1 run has".to_owned() } else { format!("{} runs have", outside.len()) };
        say(
            Severity::Warning,
            format!(
                "{runs} no log rows, or no half second of them, between {}: {}",
                span(asked),
                few(&ids, 3)
            ),
        );
    }
    remarks
}

/// The part of a run between two run times, ms; cut on the cells in which its single I/Os of `ios` are counted,
/// where a chart is made of those. What `record` has is itself a part where it was cut before.
pub(crate) fn part(record: &RunRecord, span: (f64, f64), ios: Option<Metric>) -> Part {
    let mut run = record.run.clone();
    let window_ms = ios.map_or(0.0, |metric| counted_ms(&run, metric));
    let window_ms = if window_ms > 0.0 { window_ms } else { self::window_ms(&run) };
    let end_ms = record.start_ms() + last_ms(&run);
    let span = cut_at(&mut run, span, (record.start_ms(), window_ms));
    Part { record: super::record(run, span.0), span, end_ms, window_ms }
}

/// What a run must have left where its end cuts a part off, ms.
const LEAST_MS: f64 = 500.0;

/// Cuts the logs of a run to the whole windows between two run times and drops what covers the whole run;
/// gives the run times at which it was cut.
pub(super) fn cut(run: &mut Run, span: (f64, f64)) -> (f64, f64) {
    let window_ms = window_ms(run);
    cut_at(run, span, (0.0, window_ms))
}

/// [`cut`] for logs that begin at `start_ms` of run time; histograms over time lie at their run time all the same.
fn cut_at(run: &mut Run, (from, to): (f64, f64), (start_ms, window_ms): (f64, f64)) -> (f64, f64) {
    run.summaries.clear();
    let end = last_ms(run);
    let whole = |ms: f64| if window_ms > 0.0 { (ms / window_ms).round() * window_ms } else { ms };
    let from_ms = whole((from - start_ms).max(0.0));
    let to_ms = if to - start_ms < end { whole(to - start_ms) } else { f64::INFINITY };
    let run_time = (start_ms + from_ms, start_ms + to_ms);
    // What a run still finishes behind its end is no part of it: four I/Os in 6 ms are no rate.
    if from_ms > 0.0 && to_ms.is_infinite() && end - from_ms < (window_ms / 2.0).max(LEAST_MS) {
        run.series.clear();
    }
    for series in &mut run.series {
        let last = (series.last_ms as f64).min(to_ms);
        series.last_ms = (last - from_ms).max(0.0) as u64;
        match &mut series.kind {
            SeriesKind::Windowed { window_ms, samples } => {
                let had_rows = !samples.is_empty();
                *samples = rows_between(samples, *window_ms, (from_ms, to_ms));
                let goes_on = series.last_ms as f64 >= IDLE * *window_ms;
                if had_rows && samples.is_empty() && series.metric.is_rate() && goes_on {
                    // Another direction goes on: this one is idle, not unknown.
                    samples.push(Sample { end_ms: series.last_ms, value: 0.0, partial: false });
                }
            }
            SeriesKind::Cells(grid) => {
                let count = grid.cells.len();
                // An infinite time is beyond the last cell.
                let at = |ms: f64| ((ms / grid.cell_ms as f64).round() as usize).min(count);
                let (first, end) = (at(from_ms), at(to_ms));
                grid.cells.truncate(end);
                grid.cells.drain(..first.min(end));
                grid.last_ms = series.last_ms;
                grid.timed.cut(run_time.0, run_time.1);
                grid.histogram = grid.timed.total();
                // The squares cover the whole run; what is cut has none.
                grid.sum_squares = 0;
            }
            SeriesKind::Counts(timed) => timed.cut(run_time.0, run_time.1),
        }
    }
    run.series.retain(|s| s.last_ms > 0);
    run_time
}

/// The rows whose window overlaps the part, with what overlaps of it, from run time 0 on.
///
/// Windows come with jitter (503, 1005 ms): the row over the end counts by what lies before it.
fn rows_between(samples: &[Sample], window_ms: f64, (from, to): (f64, f64)) -> Vec<Sample> {
    let inside = |(start, end, sample): (f64, f64, Sample)| {
        let kept = end.min(to) - from;
        (end > from && start < to && kept >= 1.0).then_some(Sample { end_ms: kept as u64, ..sample })
    };
    SeriesKind::intervals(samples, window_ms).filter_map(inside).collect()
}

/// The last time stamp of a run's logs, ms since they begin.
pub(super) fn last_ms(run: &Run) -> f64 {
    run.series.iter().map(|s| s.last_ms).max().unwrap_or(0) as f64
}

/// The length of the windows that a run can be cut at: the longest of its rates and latencies, else the cells of
/// its single I/Os; 0 without logs.
fn window_ms(run: &Run) -> f64 {
    let measured = || run.series.iter().filter(|s| s.metric.is_rate() || s.metric.is_latency());
    let windows = measured().filter_map(|s| match &s.kind {
        // The windows of one row are unknown; nominal ones are round numbers (500, not 502 ms).
        SeriesKind::Windowed { window_ms, samples } if samples.len() > 1 && window_ms.is_finite() => {
            Some(if *window_ms >= 100.0 { (window_ms / 10.0).round() * 10.0 } else { window_ms.max(1.0) })
        }
        _ => None,
    });
    let cells = measured().filter_map(|s| match &s.kind {
        SeriesKind::Cells(grid) if grid.timed.is_empty() => Some(grid.cell_ms as f64),
        // The counts of the same I/Os lie in cells of their own.
        SeriesKind::Cells(grid) => Some(grid.cell_ms.max(grid.timed.cell_ms()) as f64),
        _ => None,
    });
    let counts = run.series.iter().filter_map(|s| match &s.kind {
        SeriesKind::Counts(timed) => Some(timed.cell_ms() as f64),
        _ => None,
    });
    windows
        .reduce(f64::max)
        .or_else(|| cells.reduce(f64::max))
        .or_else(|| counts.reduce(f64::max))
        .unwrap_or(0.0)
}

/// The cells in which single I/Os of a metric are counted over time, ms; 0 where they are not.
fn counted_ms(run: &Run, metric: Metric) -> f64 {
    let cells = run.series.iter().filter(|s| s.metric == metric).filter_map(|s| match &s.kind {
        SeriesKind::Cells(grid) if !grid.timed.is_empty() => Some(grid.timed.cell_ms().max(grid.cell_ms)),
        SeriesKind::Counts(timed) if !timed.is_empty() => Some(timed.cell_ms()),
        _ => None,
    });
    cells.max().unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ends: &[u64]) -> Vec<Sample> {
        ends.iter().map(|&end_ms| Sample { end_ms, value: end_ms as f64, partial: false }).collect()
    }

    fn ends(samples: &[Sample], span: (f64, f64)) -> Vec<(u64, f64)> {
        rows_between(samples, 500.0, span).iter().map(|s| (s.end_ms, s.value)).collect()
    }

    #[test]
    fn parts_of_unlike_runs_are_told_by_what_was_asked_for() {
        let mut extent = Extent::default();
        let span = |from_ms, to_ms| Some(TimeSpan { from_ms, to_ms: Some(to_ms) });
        assert_eq!(extent.told((5_000.0, 30_000.0)), None);
        extent.add((5_000.0, 30_000.0));
        assert_eq!((extent.told((5_100.0, 30_000.0)), extent.is_uneven()), (span(5_000.0, 30_000.0), false));
        // A run of 20 s.
        extent.add((5_000.0, f64::INFINITY));
        assert_eq!(extent.told((5_100.0, 30_000.0)), span(5_000.0, 30_000.0));
        assert!(extent.is_uneven() && extent.has_shorter());
        // A run with windows of 7 s.
        extent.add((7_000.0, 28_000.0));
        assert_eq!(extent.told((5_100.0, 30_000.0)), span(5_100.0, 30_000.0));
    }

    #[test]
    fn a_part_says_where_it_truly_lies_and_who_has_nothing_in_it() {
        let told = |asked: (f64, f64), cut: &[(f64, f64)], outside: &[&str]| -> Vec<String> {
            let mut extent = Extent::default();
            cut.iter().for_each(|&span| extent.add(span));
            let outside = outside.iter().map(|id| (*id).to_owned()).collect();
            let remarks = remarks(asked, &extent, &outside);
            remarks.into_iter().filter(|r| r.severity == Severity::Warning).map(|r| r.message).collect()
        };
        let asked = (595_000.0, 600_000.0);
        let whole = "cut on whole windows of the logs, the part lies between 595.2 s and 601.6 s";
        assert_eq!(told(asked, &[(595_200.0, 601_600.0)], &[]), [whole]);
        // 5 ms of 5 s.
        assert!(told(asked, &[(595_005.0, 600_000.0)], &[]).is_empty());
        // Runs with windows of their own; and one that goes on to its end.
        assert!(told(asked, &[(595_000.0, 600_000.0), (594_000.0, 602_000.0)], &[]).is_empty());
        assert!(told((5_000.0, f64::INFINITY), &[(5_000.0, f64::INFINITY)], &[]).is_empty());
        let ended = told((50_000.0, f64::INFINITY), &[], &["a", "b", "c", "d"]);
        assert_eq!(
            ended,
            [
                "4 runs have no log rows, or no half second of them, between 50 s and the end: a, b, c and 1 more"
            ]
        );
    }

    #[test]
    fn the_row_over_an_end_counts_by_what_lies_inside() {
        // Windows (0, 503], (503, 1005], (1005, 1506], (1506, 2008], cut to (1000, 2000]:
        // 5 ms of the second, all of the third, 494 ms of the fourth.
        let jitter = rows(&[503, 1005, 1506, 2008]);
        assert_eq!(ends(&jitter, (1000.0, 2000.0)), [(5, 1005.0), (506, 1506.0), (1000, 2008.0)]);
        assert_eq!(ends(&jitter, (0.0, f64::INFINITY)).len(), 4);
        // After an idle time the next row covers its own window alone: (1500, 2000] lies beyond 1,400 ms.
        assert_eq!(ends(&rows(&[500, 2000]), (0.0, 1400.0)), [(500, 500.0)]);
    }
}
