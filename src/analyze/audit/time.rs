//! Rules on how long a run was and how it went over time.

use super::cache::collapse;
use super::system::Disk;
use super::{Audit, Hit, counted, share};
use crate::analyze::combine;
use crate::analyze::facts;
use crate::analyze::repeat::{mean, stddev};
use crate::model::unit::significant;
use crate::model::{Ddir, Dimension, Metric, RunRecord, TimeSeries};

/// Least run time on a hard disk and on an SSD, ms. A run of 30 s is a hair shorter or longer.
const LEAST_HDD: f64 = 30_000.0 * 0.995;
const LEAST_SSD: f64 = 60_000.0 * 0.995;
/// Fewest windows that show how a run went.
const LEAST_WINDOWS: usize = 5;
/// Spread within a run that is worth a remark at any number of I/Os.
const ERRATIC: f64 = 0.10;
/// Steady state by SNIA PTS: largest range and largest drift over five windows, as shares of the mean.
const STEADY: (f64, f64) = (0.20, 0.10);

/// Runs that ended before they could say much.
pub(super) fn too_short(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, record) in audit.records() {
        let windows = record.series.iter().filter(|s| s.job.is_none()).map(|s| s.values.len()).max();
        if let Some(windows) = windows.filter(|windows| *windows < LEAST_WINDOWS) {
            hits.push(audit.hit(index, counted(windows, "window"), 100.0 - windows as f64));
            continue;
        }
        let Some(ms) = facts::duration_ms(record) else { continue };
        // Without the kind of disk, what is too short for both is too short.
        let least = if audit.system(&record.run).disk == Some(Disk::Ssd) { LEAST_SSD } else { LEAST_HDD };
        if ms < least {
            let text = format!("{} s", significant(ms / 1e3, 3));
            hits.push(audit.hit(index, text, 1.0 / ms));
        }
    }
    hits
}

/// Runs of fio whose options are known and have no ramp time.
pub(super) fn no_ramp(audit: &Audit<'_>) -> Vec<Hit> {
    let without =
        |record: &RunRecord| facts::lists_options(&record.run) && !facts::is_set(&record.run, "ramp_time");
    let runs = audit.records().filter(|(_, record)| without(record)).map(|(index, _)| index).collect();
    audit.all(runs, "no ramp_time")
}

/// Runs that are not in steady state.
pub(super) fn not_steady(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, record) in audit.records() {
        for (metric, ddir) in rates(record) {
            // A buffered run that collapses is said to have filled a cache; that is the same fact.
            let buffered = record.run.value(&Dimension::Direct).is_some_and(|v| v.as_str() == "0");
            if buffered && collapse(record, ddir).is_some() {
                continue;
            }
            if let Some((text, rank)) = unsteady(steadiness(record, metric, ddir)) {
                hits.push(audit.hit(index, format!("{ddir} {metric}: {text}"), rank));
            }
        }
    }
    hits
}

/// Range and drift of a rate over five windows of the run, as shares of the mean; None where they
/// are not known.
fn steadiness(record: &RunRecord, metric: Metric, ddir: Ddir) -> Option<(f64, f64)> {
    record.steady_state(metric, ddir).map(|state| (state.range_share, state.slope_share))
}

/// What is unsteady about a range and a drift, and how much.
pub(super) fn unsteady(steadiness: Option<(f64, f64)>) -> Option<(String, f64)> {
    let (range, drift) = steadiness?;
    let (most_range, most_drift) = STEADY;
    if range <= most_range && drift <= most_drift {
        return None;
    }
    let text =
        format!("over five windows the range is {} of the mean, the drift {}", share(range), share(drift));
    Some((text, (range / most_range).max(drift / most_drift)))
}

/// The rate by which a run is judged in each direction: IOPS, else bandwidth.
fn rates(record: &RunRecord) -> Vec<(Metric, Ddir)> {
    let all = Ddir::ALL.iter().filter_map(|&ddir| {
        let metric =
            [Metric::Iops, Metric::Bw].into_iter().find(|&m| record.total_series(m, ddir).is_some())?;
        Some((metric, ddir))
    });
    all.collect()
}

/// How far the windows of a run vary, where that is more than chance explains.
pub(in crate::analyze) struct Erratic {
    /// Standard deviation of the windows as a share of their mean.
    pub(in crate::analyze) cov: f64,
    /// The share up to which chance alone would go, at twice its standard deviation.
    pub(in crate::analyze) chance: f64,
    /// I/Os in a mean window.
    pub(in crate::analyze) per_window: f64,
    /// True where windows before a fall for good were left out.
    pub(in crate::analyze) fallen: bool,
}

/// How erratic the IOPS of one direction are; None where 10 % or chance explain it, or windows are few.
pub(in crate::analyze) fn erratic_iops(record: &RunRecord, ddir: Ddir) -> Option<Erratic> {
    let series = record.total_series(Metric::Iops, ddir)?;
    let fallen = super::cache::collapse(record, ddir).map(|collapse| collapse.at_ms);
    let windows = settled(record, series, fallen);
    let spread = stddev(&windows).filter(|_| windows.len() >= LEAST_WINDOWS)?;
    let rate = mean(&windows);
    let per_window = rate * series.cell_ms / 1e3;
    if rate <= 0.0 || per_window <= 0.0 {
        return None;
    }
    let (cov, chance) = (spread / rate, 2.0 / per_window.sqrt());
    (cov > ERRATIC.max(chance)).then_some(Erratic { cov, chance, per_window, fallen: fallen.is_some() })
}

/// Runs whose windows spread more than chance explains.
pub(super) fn erratic(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, record) in audit.records() {
        for &ddir in Ddir::ALL {
            let Some(Erratic { cov, chance, per_window, fallen }) = erratic_iops(record, ddir) else {
                continue;
            };
            let text = format!(
                "{ddir} IOPS vary by {} between windows of {} I/Os{}, of which chance makes up to {}",
                share(cov),
                significant(per_window, 2),
                if fallen { " after the fall" } else { "" },
                share(chance)
            );
            hits.push(audit.hit(index, text, cov / chance.max(ERRATIC)));
        }
    }
    hits
}

/// Windows that are judged: those after a collapse, without the first one and what lies beyond
/// the span in which all jobs ran.
fn settled(record: &RunRecord, series: &TimeSeries, from_ms: Option<f64>) -> Vec<f64> {
    let end = common_span_ms(record, series);
    let start = from_ms.unwrap_or(series.start_ms) + series.cell_ms * 0.5;
    let windows = combine::windows(&record.run, series);
    let inside = windows.iter().filter(|window| window.start_ms >= start && window.end_ms <= end + 1.0);
    inside.map(|window| window.value).collect()
}

/// Run time up to which all jobs have rows of a series.
pub(super) fn common_span_ms(record: &RunRecord, series: &TimeSeries) -> f64 {
    let own = |s: &&crate::model::Series| s.metric == series.metric && s.ddir == series.ddir;
    let last = record.run.series.iter().filter(own).map(|s| s.last_ms as f64).reduce(f64::min);
    last.map_or(f64::INFINITY, |last| last + series.start_ms)
}
