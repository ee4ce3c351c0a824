//! A comparison with a baseline in words.
//!
//! In: changes with their verdicts. Out: percentages, sentences and findings;
//! nothing is tested or decided here.

use crate::analyze::compare::is_another;
use crate::model::{Baseline, Campaign, Change, Finding, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Most configurations that a finding names.
const NAMED: usize = 6;

/// A ratio as a change: 0.8 is `-20.0 %`.
#[must_use]
pub fn percent(ratio: f64) -> String {
    let change = (ratio - 1.0) * 100.0;
    // A change that rounds to nothing has no sign.
    if change.abs() < 0.05 { "0.0 %".to_owned() } else { format!("{change:+.1} %") }
}

/// The change that the means shown of both sides make, where it is another than the change shown: that is of geometric
/// means, as the test is. One far figure among repeats moves the arithmetic mean more.
#[must_use]
pub fn of_means(change: &Change) -> Option<f64> {
    let shown = change.new_mean / change.base_mean;
    is_another(shown, change.ratio?).then_some(shown)
}

/// The interval of a change: `-21.3 % to -18.6 %`; empty without one.
#[must_use]
pub fn interval(change: &Change) -> String {
    match (change.low, change.high) {
        (Some(low), Some(high)) => format!("{} to {}", percent(low), percent(high)),
        _ => String::new(),
    }
}

/// The change of a figure: `-20.1 %`, or, where no ratio says it, that it is 0 in every repeat of a side; else empty.
#[must_use]
pub fn by(change: &Change) -> String {
    let idle = |values: &[f64]| values.iter().all(|v| *v == 0.0);
    match (change.ratio, idle(&change.base), idle(&change.new)) {
        (Some(ratio), ..) => percent(ratio),
        (None, true, true) => "0 before and after".to_owned(),
        (None, true, false) => "from 0".to_owned(),
        (None, false, true) => "to 0".to_owned(),
        (None, false, false) => String::new(),
    }
}

/// How many runs stand on each side: `3`, or `3, 1` where they differ.
#[must_use]
pub fn count(change: &Change) -> String {
    let (base, new) = (change.base.len(), change.new.len());
    if base == new { base.to_string() } else { format!("{base}, {new}") }
}

/// The verdict on a change.
#[must_use]
pub fn verdict(change: &Change) -> &'static str {
    match change.verdict {
        Some(Verdict::Better) => "better",
        Some(Verdict::Worse) => "worse",
        Some(Verdict::NoDifference) => "no difference",
        Some(Verdict::Inconclusive) => "inconclusive",
        None => "(shown only)",
    }
}

/// The tested changes with a verdict, in their order.
fn having(found: &Baseline, verdict: Verdict) -> Vec<&Change> {
    found.changes.iter().filter(|change| change.verdict == Some(verdict)).collect()
}

/// `RAID 5, random write (write iops -20.1 %)`.
fn named(change: &Change) -> String {
    let told = format!("{} {}", change.what(), by(change));
    format!("{} ({})", change.name, told.trim_end())
}

/// How many changes were tested, against what, and what came of it.
fn counts(found: &Baseline) -> String {
    let tested: Vec<&Change> = found.changes.iter().filter(|change| change.verdict.is_some()).collect();
    let mut thresholds: Vec<String> =
        tested.iter().map(|change| format!("{} %", (change.threshold * 1000.0).round() / 10.0)).collect();
    thresholds.sort();
    thresholds.dedup();
    format!(
        "{} figures tested against a difference of {}: {} worse, {} better, {} without a difference, {} inconclusive",
        tested.len(),
        thresholds.join(" or "),
        having(found, Verdict::Worse).len(),
        having(found, Verdict::Better).len(),
        having(found, Verdict::NoDifference).len(),
        having(found, Verdict::Inconclusive).len()
    )
}

/// That some changes are not those of the means beside them, with the figures; None where all are.
fn geometric(found: &Baseline) -> Option<String> {
    let apart = |change: &Change| {
        let (shown, ratio) = (of_means(change)?, change.ratio?);
        let Change { name, ddir, metric, .. } = change;
        Some(format!("{name} ({ddir} {metric}) by {}, not {}", percent(shown), percent(ratio)))
    };
    let all: Vec<String> = found.changes.iter().filter_map(apart).collect();
    let more = all.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let names = all.get(..NAMED.min(all.len()))?.join("; ");
    (!all.is_empty()).then(|| {
        format!("Changes are of geometric means; the means shown are arithmetic and differ: {names}{more}.")
    })
}

/// The outcome in sentences: what is worse and better, how much was tested, what is missing.
#[must_use]
pub fn remarks(found: &Baseline) -> Vec<String> {
    let mut lines = Vec::new();
    for (word, verdict) in [("Worse", Verdict::Worse), ("Better", Verdict::Better)] {
        let names: Vec<String> = having(found, verdict).into_iter().map(named).collect();
        if !names.is_empty() {
            lines.push(format!("{word}: {}.", names.join("; ")));
        }
    }
    lines.push(format!("{}.", counts(found)));
    let shown = |tail: bool| {
        let mut untested = found.changes.iter().filter(|change| change.verdict.is_none());
        untested.any(|change| change.stat.quantile().is_some() == tail)
    };
    let shown = match (shown(false), shown(true)) {
        (true, true) => "Figures that follow from a tested one, and percentiles, are shown only.",
        (true, false) => "Figures that follow from a tested one are shown only.",
        (false, true) => "Percentiles are shown only.",
        (false, false) => "",
    };
    lines.extend((!shown.is_empty()).then(|| shown.to_owned()));
    let mut open: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for change in having(found, Verdict::Inconclusive) {
        open.entry(change.advice()).or_default().insert(change.reason());
    }
    for (advice, reasons) in open.into_iter().rev() {
        let reasons: Vec<&str> = reasons.into_iter().collect();
        lines.push(format!("Inconclusive: {}; {advice}.", reasons.join(", or ")));
    }
    lines.extend(geometric(found));
    for (word, names) in [("the baseline", &found.only_in_base), ("the new results", &found.only_in_new)] {
        if !names.is_empty() {
            lines.push(format!("Only in {word}: {}.", names.join("; ")));
        }
    }
    lines.extend(found.notes.iter().map(|note| format!("{note}.")));
    lines
}

/// What changed, as findings of the campaign that holds the new runs: one for what is worse, one for
/// what is better, and the outcome of all tests.
#[must_use]
pub fn findings(campaign: &Campaign, found: &Baseline) -> Vec<Finding> {
    if !found.changes.iter().any(|change| change.verdict.is_some()) {
        return Vec::new();
    }
    let place = |id: &String| campaign.runs.iter().position(|record| record.run.id == *id);
    let finding = |kind: &str, text: String, changes: &[&Change]| {
        let mut runs: Vec<usize> = changes.iter().flat_map(|c| &c.new_runs).filter_map(place).collect();
        runs.sort_unstable();
        runs.dedup();
        let ratio = |c: &&Change| Some((format!("{} {} {}", c.name, c.ddir, c.metric), c.ratio?));
        Finding { kind: kind.to_owned(), text, runs, values: changes.iter().filter_map(ratio).collect() }
    };
    let mut findings = Vec::new();
    for (kind, word, verdict) in
        [("regression", "Worse", Verdict::Worse), ("improvement", "Better", Verdict::Better)]
    {
        let mut changes = having(found, verdict);
        if changes.is_empty() {
            continue;
        }
        let distance = |change: &Change| change.ratio.map_or(f64::INFINITY, |ratio| ratio.ln().abs());
        changes.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        let names: Vec<String> = changes.iter().take(NAMED).map(|change| named(change)).collect();
        let more = changes.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        findings.push(finding(
            kind,
            format!("{word} than the baseline: {}{more}.", names.join("; ")),
            &changes,
        ));
    }
    findings.push(finding("baseline", format!("Against the baseline, {}.", counts(found)), &[]));
    findings
}
