//! Changes of level in words, which claim what the windows bear out.
//!
//! In: a run with its phases. Out: a sentence for each direction, and whether the mean over the
//! whole run stands for any of its parts.

use super::level::{middle_half, stays};
use super::{asked, windows_in};
use crate::model::unit::{UnitSystem, humanize};
use crate::model::{Ddir, Diagnostic, Measure, Metric, Phase, Phases, RunRecord, Severity, TimeSeries};

/// A mean within this share of a part's level stands for that part: the band of +-10 % of a steady state by SNIA PTS.
const NEAR: f64 = 0.10;
/// Share of the run that phases must cover before something is said of all of it.
const WHOLE: f64 = 0.9;

/// A sentence for each direction with more than one level.
pub(in crate::analyze) fn remarks(record: &RunRecord) -> Vec<Diagnostic> {
    let of =
        |ddir: Ddir| [Metric::Iops, Metric::Bw].into_iter().find_map(|metric| record.phases_of(metric, ddir));
    let all = Ddir::ALL.iter().filter_map(|&ddir| remark(record, of(ddir)?));
    all.map(|message| Diagnostic::new(Severity::Warning, &record.run.id, message)).collect()
}

/// True when the mean over the whole run is near the level of none of its phases; false where that is not known.
pub(crate) fn is_missed(record: &RunRecord, phases: &Phases) -> bool {
    let mean = record.statistic(Measure::mean(phases.metric), phases.ddir);
    let series = record.total_series(phases.metric, phases.ddir);
    let (Some(mean), Some(series)) = (mean, series) else { return false };
    let covered: f64 = phases.segments.iter().map(|p| p.end_ms - p.start_ms).sum();
    covered >= WHOLE * asked::cells(&record.run, series) as f64 * series.cell_ms
        && phases.segments.iter().all(|p| (mean.value - p.level).abs() > NEAR * p.level)
}

fn remark(record: &RunRecord, phases: &Phases) -> Option<String> {
    let series = record.total_series(phases.metric, phases.ddir)?;
    let mean = if is_missed(record, phases) {
        "; a mean over the whole run stands for no part of it: "
    } else {
        "; "
    };
    let Phases { metric, ddir, .. } = phases;
    Some(format!("{ddir} {} {}{mean}{}", metric.title(), steps(phases), after(record, phases, series)))
}

/// The changes one after the other.
fn steps(phases: &Phases) -> String {
    let mut steps = Vec::new();
    for pair in phases.segments.windows(2) {
        let way = if pair[1].level < pair[0].level { "falls" } else { "rises" };
        let from =
            if steps.is_empty() { format!(" from {}", name(phases, pair[0].level)) } else { String::new() };
        let (to, at) = (name(phases, pair[1].level), pair[1].start_ms / 1000.0);
        steps.push(format!("{way}{from} to {to} at {at:.1} s"));
    }
    steps.join(", then ")
}

/// What the rate is in the end: it stays at a level, scatters about it, or is where it was before.
fn after(record: &RunRecord, phases: &Phases, series: &TimeSeries) -> String {
    let Some(steady) = phases.steady.and_then(|i| phases.segments.get(i)) else {
        let level = |phase: Option<&Phase>| phase.map_or(0.0, |phase| phase.level);
        let (first, last) = (level(phases.segments.first()), level(phases.segments.last()));
        return if (last - first).abs() > NEAR * first {
            format!("in the end it is at {}, near a level that it had before", name(phases, last))
        } else {
            "its level comes back to where it was".to_owned()
        };
    };
    let end_ms = series.start_ms + asked::cells(&record.run, series) as f64 * series.cell_ms;
    let until = if steady.end_ms < end_ms {
        format!(" until a job ends at {:.1} s", steady.end_ms / 1000.0)
    } else {
        String::new()
    };
    format!("from {:.1} s on{until} {}", steady.start_ms / 1000.0, course(phases, steady, series))
}

fn course(phases: &Phases, steady: &Phase, series: &TimeSeries) -> String {
    // Rates are never below 0: a level of 0 is one of windows that all are.
    if steady.level == 0.0 {
        return "it is 0".to_owned();
    }
    let level = name(phases, steady.level);
    let values: Vec<f64> = windows_in(series, (steady.start_ms, steady.end_ms)).map(|(_, v)| v).collect();
    if stays(&values, steady.level, (phases.metric, series.cell_ms)) {
        return format!("it stays at {level}");
    }
    match middle_half(&values) {
        Some((low, high)) => format!(
            "it varies about {level}, half of the windows between {} and {}",
            name(phases, low),
            name(phases, high)
        ),
        None => format!("it varies about {level}"),
    }
}

fn name(phases: &Phases, value: f64) -> String {
    humanize(value, phases.metric.unit(), UnitSystem::Iec)
}
