//! Whether a run, or a row of repeats, has settled: the rule of the SNIA PTS.
//!
//! In: time series and figures. Out: five rounds with what the rule says about
//! them. Over five windows of one run the result is SNIA-style only: the PTS
//! means rounds that are whole runs. fio's own `ss=` is another rule, reported
//! under its own name ([`tools_own`]) and never mixed with this one.

use crate::analyze::contrast::conditions;
use crate::analyze::repeat::mean;
use crate::model::{
    Campaign, Ddir, Dimension, Measure, Metric, Rounds, Run, RunRecord, SteadyState, TimeSeries, Value,
};
use std::collections::BTreeMap;

/// Rounds of a measurement window.
pub const ROUNDS: usize = 5;
/// Largest range of the rounds, as a share of their mean (SNIA SSS PTS, definition of steady state).
pub const RANGE: f64 = 0.20;
/// Largest movement of the least-squares line across the rounds, as a share of their mean (the same).
pub const SLOPE: f64 = 0.10;
/// Shares are sums of decimals: 20 % must not fail by a bit.
const HAIR: f64 = 1e-9;

/// Applies the rule: `max - min <= 20 %` of the mean, and `|slope| * 4 <= 10 %` of it.
///
/// None when a round is no finite number or the mean is not above zero.
#[must_use]
pub fn judge(metric: Metric, ddir: Ddir, rounds: [f64; ROUNDS]) -> Option<SteadyState> {
    let mean = mean(&rounds);
    if !rounds.iter().all(|v| v.is_finite()) || !mean.is_finite() || mean <= 0.0 {
        return None;
    }
    let largest = rounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = rounds.iter().copied().fold(f64::INFINITY, f64::min);
    let range_share = (largest - smallest) / mean;
    let slope_share = slope(&rounds).abs() * (ROUNDS - 1) as f64 / mean;
    let attained = range_share <= RANGE + HAIR && slope_share <= SLOPE + HAIR;
    Some(SteadyState { metric, ddir, rounds, mean, range_share, slope_share, attained, span_ms: None })
}

/// Slope of the least-squares line through the rounds at 0, 1, 2, 3, 4, a round.
#[must_use]
pub fn slope(rounds: &[f64; ROUNDS]) -> f64 {
    // Around the middle round: the squares of -2, -1, 0, 1, 2 add up to 10.
    rounds.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]).map(|(y, x)| x * y).sum::<f64>() / 10.0
}

/// What fio itself says about its `ss=` criterion, in the words that the reader of its JSON keeps
/// in the run's environment (`steady_state`).
#[must_use]
pub fn tools_own(run: &Run) -> Option<&str> {
    run.environment.get("steady_state").map(String::as_str).filter(|text| !text.trim().is_empty())
}

/// The rule over five equal windows of a run, for rates and latency of all jobs combined.
///
/// fio restarts its clock after `ramp_time`, so that logs begin with the measured part. Where a
/// log holds the ramp all the same, its idle cells are left out ([`measured`]).
pub(super) fn of_run(run: &Run, series: &[TimeSeries]) -> Vec<SteadyState> {
    let total = |metric: Metric| series.iter().filter(move |s| s.job.is_none() && s.metric == metric);
    let latency = [Metric::Lat, Metric::Clat].into_iter().find(|&m| total(m).next().is_some());
    let latency = latency.filter(|_| !run.logs_largest());
    let rates = [Metric::Iops, Metric::Bw];
    rates
        .into_iter()
        .chain(latency)
        .flat_map(total)
        .filter_map(|series| {
            // Without a ramp the first window is start-up: burst credit, empty queues.
            let first = match measured(run, series) {
                0 if series.values.len() > 2 * ROUNDS => 1,
                behind_ramp => behind_ramp,
            };
            let start = series.start_ms + first as f64 * series.cell_ms;
            let end = series.start_ms + series.values.len() as f64 * series.cell_ms;
            // A window of less than a cell would show the same cell twice.
            if series.values.len() < first + ROUNDS {
                return None;
            }
            let width = (end - start) / ROUNDS as f64;
            let mut rounds = [0.0; ROUNDS];
            for (i, round) in rounds.iter_mut().enumerate() {
                let from = start + i as f64 * width;
                *round = window_mean(series, from, from + width)?;
            }
            let state = judge(series.metric, series.ddir, rounds)?;
            Some(SteadyState { span_ms: Some((start, end)), ..state })
        })
        .collect()
}

/// The first cell of the measured part: behind the ramp time, where the log has nothing but idle cells for it.
pub(super) fn measured(run: &Run, series: &TimeSeries) -> usize {
    let Some(ramp_ms) = run.options.get("ramp_time").and_then(|text| seconds(text)).map(|s| s * 1000.0)
    else {
        return 0;
    };
    let cells = ((ramp_ms - series.start_ms) / series.cell_ms).floor().max(0.0) as usize;
    let idle = |values: &[Option<f64>]| values.iter().all(|v| v.is_none_or(|v| v == 0.0));
    match series.values.get(..cells) {
        Some(ramp) if idle(ramp) => cells,
        _ => 0,
    }
}

/// Seconds of a fio time: `30`, `30s`, `5m`, `1h`.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..)? {
        "" | "s" | "sec" => 1.0,
        "ms" | "msec" => 1e-3,
        "us" | "usec" => 1e-6,
        "m" | "min" => 60.0,
        "h" | "hour" => 3600.0,
        "d" | "day" => 86_400.0,
        _ => return None,
    };
    digits.trim().parse::<f64>().ok().map(|n| n * factor).filter(|s| s.is_finite() && *s >= 0.0)
}

/// Mean of a series between two run times, every cell by the part of it that lies inside; gaps count nothing.
fn window_mean(series: &TimeSeries, from: f64, to: f64) -> Option<f64> {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (i, value) in series.values.iter().enumerate() {
        let left = series.start_ms + i as f64 * series.cell_ms;
        let inside = to.min(left + series.cell_ms) - from.max(left);
        if let (Some(value), true) = (value, inside > 1e-6 * series.cell_ms) {
            sum += value * inside;
            weight += inside;
        }
    }
    (weight > 0.0).then(|| sum / weight)
}

/// The rule over whole runs, for every configuration with at least five repeats.
///
/// Repeats count in the order of their number, then of their time stamp. The
/// earliest five in a row that are steady are the measurement window, as the
/// PTS ends there; without such, the last five.
pub(super) fn rounds(campaign: &Campaign) -> Vec<Rounds> {
    type Key<'a> = (Vec<(&'a Dimension, &'a Value)>, BTreeMap<String, String>);
    let mut groups: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for (index, record) in campaign.runs.iter().enumerate().filter(|(i, _)| !campaign.copies.contains_key(i))
    {
        let dimensions = record.run.dimensions.iter().filter(|(d, _)| **d != Dimension::Repeat);
        let key = (dimensions.map(|(d, e)| (d, &e.value)).collect(), conditions(&record.run));
        groups.entry(key).or_default().push(index);
    }
    let mut all = Vec::new();
    for mut runs in groups.into_values().filter(|runs| runs.len() >= ROUNDS) {
        runs.sort_by_key(|&r| {
            let run = &campaign.runs[r].run;
            (run.value(&Dimension::Repeat), run.environment.get("timestamp"), &run.id)
        });
        for metric in [Metric::Iops, Metric::Bw, Metric::Lat] {
            all.extend(Ddir::ALL.iter().filter_map(|&ddir| of_repeats(campaign, &runs, metric, ddir)));
        }
    }
    all
}

fn of_repeats(campaign: &Campaign, runs: &[usize], metric: Metric, ddir: Ddir) -> Option<Rounds> {
    let figure = |record: &RunRecord| record.statistic(Measure::mean(metric), ddir).map(|s| s.value);
    let values: Vec<f64> = runs.iter().map(|&r| figure(&campaign.runs[r])).collect::<Option<_>>()?;
    let mut last = None;
    for (window, runs) in values.windows(ROUNDS).zip(runs.windows(ROUNDS)) {
        let Some(state) = <[f64; ROUNDS]>::try_from(window).ok().and_then(|v| judge(metric, ddir, v)) else {
            continue;
        };
        let attained = state.attained;
        last = Some(Rounds { runs: runs.to_vec(), state });
        if attained {
            break;
        }
    }
    last
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn judged(rounds: [f64; 5]) -> SteadyState {
        judge(Metric::Iops, Ddir::Read, rounds).unwrap()
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} against {expected}");
    }

    #[test]
    fn level_rounds_are_steady() {
        // R: coef(lm(c(100, 102, 98, 101, 99) ~ c(0:4)))[2] = -0.3; 4 * 0.3 / 100 = 1.2 %, range 4 %.
        let state = judged([100.0, 102.0, 98.0, 101.0, 99.0]);
        near(slope(&state.rounds), -0.3);
        near(state.mean, 100.0);
        near(state.range_share, 0.04);
        near(state.slope_share, 0.012);
        assert!(state.attained);
    }

    #[test]
    fn a_drift_of_three_percent_a_round_is_not_steady_although_its_range_is_small() {
        // The line moves by 12 over a mean of 100; the range is 12 %.
        let state = judged([94.0, 97.0, 100.0, 103.0, 106.0]);
        near(state.range_share, 0.12);
        near(state.slope_share, 0.12);
        assert!(!state.attained);
        assert!(!judged([106.0, 103.0, 100.0, 97.0, 94.0]).attained);
        assert!(judged([95.0, 97.5, 100.0, 102.5, 105.0]).attained, "10 % exactly is steady");
    }

    #[test]
    fn one_round_far_off_is_not_steady_although_the_line_is_level() {
        // Mean 105, range 25 / 105 = 23.8 %.
        let last = judged([100.0, 100.0, 100.0, 100.0, 125.0]);
        near(last.range_share, 25.0 / 105.0);
        assert!(!last.attained);
        // In the middle it does not tilt the line: only the range speaks.
        let middle = judged([100.0, 100.0, 125.0, 100.0, 100.0]);
        near(middle.slope_share, 0.0);
        assert!(!middle.attained);
    }

    #[test]
    fn the_slope_is_that_of_r() {
        // R: coef(lm(c(412, 398, 405, 431, 420) ~ c(0:4)))[2] = 4.9
        near(slope(&[412.0, 398.0, 405.0, 431.0, 420.0]), 4.9);
    }

    #[test]
    fn rounds_without_a_level_are_not_judged() {
        assert_eq!(judge(Metric::Iops, Ddir::Read, [0.0; 5]), None);
        assert_eq!(judge(Metric::Iops, Ddir::Read, [1.0, 2.0, f64::NAN, 1.0, 1.0]), None);
        assert_eq!(judge(Metric::Iops, Ddir::Read, [f64::MAX; 5]), None);
    }

    #[test]
    fn windows_are_weighted_by_time() {
        // Seven cells of 1 s: five windows of 1.4 s; the first holds 10 for 1 s and 20 for 0.4 s.
        let series = TimeSeries {
            metric: Metric::Iops,
            ddir: Ddir::Read,
            job: None,
            start_ms: 0.0,
            cell_ms: 1000.0,
            values: [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0].map(Some).to_vec(),
            extremes: None,
        };
        near(window_mean(&series, 0.0, 1400.0).unwrap(), 18.0 / 1.4);
        near(window_mean(&series, 5600.0, 7000.0).unwrap(), (60.0 * 0.4 + 70.0) / 1.4);
    }

    #[test]
    fn ramp_times_come_in_fios_units() {
        assert_eq!(seconds("30"), Some(30.0));
        assert_eq!(seconds("5m"), Some(300.0));
        assert_eq!(seconds("250ms"), Some(0.25));
        assert_eq!((seconds("soon"), seconds("-3"), seconds("")), (None, None, None));
    }
}
