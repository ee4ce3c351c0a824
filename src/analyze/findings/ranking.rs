//! Findings of comparisons: who wins, who is equal, and what single runs leave open.
//!
//! In: comparisons with their verdicts. Out: a sentence for each that decides something, and one for
//! each dimension that lacks repeats.

use super::is_load;
use super::words::{figure, lead, name, place, repeats};
use crate::analyze::Threshold;
use crate::analyze::compare::{Told, between, verb, why_open};
use crate::model::text::{list, sentence};
use crate::model::unit::significant;
use crate::model::{Campaign, Cell, Comparison, Finding, Pair, Value, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Who wins by how much, who is equal, and what is left open.
pub(super) fn ranking(campaign: &Campaign, comparison: &Comparison, threshold: &Threshold) -> Vec<Finding> {
    let mut order: Vec<&Cell> =
        comparison.cells.iter().filter(|c| c.key.first().is_some_and(Option::is_some)).collect();
    order.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    if order.len() < 2 || order.iter().any(|c| c.values.len() < 2) {
        return Vec::new();
    }
    let value = |cell: &Cell| cell.key[0].clone().unwrap_or_else(|| Value::canonical(&comparison.by, ""));
    let pair = |a: &Cell, b: &Cell| between(comparison, &value(a), &value(b));
    let lead = lead(&place(campaign, comparison));
    let runs: Vec<usize> = order.iter().flat_map(|c| c.runs.iter().copied()).collect();
    let mut found = Vec::new();

    // Steps down the ranking that the repeats carry.
    let steps: Vec<(&Cell, &Cell, Pair)> = order
        .windows(2)
        .filter_map(|w| Some((w[0], w[1], pair(w[0], w[1])?)))
        .filter(|(.., pair)| pair.verdict == Verdict::Better)
        .collect();
    let best = order[0];
    let beaten: Vec<&Cell> = order[1..]
        .iter()
        .copied()
        .filter(|c| pair(best, c).is_some_and(|p| p.verdict == Verdict::Better))
        .collect();
    if !steps.is_empty() {
        let mut parts: Vec<String> = Vec::new();
        let mut values = BTreeMap::new();
        for (a, b, pair) in &steps {
            parts.push(step(comparison, (a, b), pair));
            values.extend(pair.ratio.map(|ratio| (format!("ratio {} to {}", pair.a, pair.b), ratio)));
        }
        let last = order[order.len() - 1];
        let tail = format!("; {} comes last with {}", name(comparison, last), figure(comparison, last.mean));
        let told = |(_, b, pair): &(&Cell, &Cell, Pair)| std::ptr::eq(*b, last) && pair.ratio.is_some();
        let closing = if steps.iter().any(told) { tail } else { String::new() };
        found.push(Finding {
            kind: "winner".into(),
            text: format!("{lead}{}{closing}.", parts.join("; ")),
            runs: runs.clone(),
            values,
        });
    } else if beaten.len() == order.len() - 1 {
        // Every other one is beaten, though no single step is beyond doubt.
        let text = format!(
            "{lead}{} {} most, {} ({}).",
            name(comparison, best),
            verb(comparison.ddir),
            figure(comparison, best.mean),
            repeats(&order)
        );
        found.push(Finding { kind: "winner".into(), text, runs: runs.clone(), values: BTreeMap::new() });
    }

    // All pairs inside the threshold: no difference shown.
    let verdicts: BTreeSet<&str> = comparison
        .pairs
        .iter()
        .map(|p| match p.verdict {
            Verdict::NoDifference => "none",
            Verdict::Better | Verdict::Worse => "some",
            Verdict::Inconclusive => "open",
        })
        .collect();
    let names: Vec<String> = comparison.cells.iter().map(|c| name(comparison, c)).collect();
    let (high, low) = (order[0].mean, order[order.len() - 1].mean);
    let range = BTreeMap::from([("highest".to_owned(), high), ("lowest".to_owned(), low)]);
    if verdicts.len() == 1 && verdicts.contains("none") {
        let text = format!(
            "{lead}no difference shown between {} ({}, {}).",
            list(&names),
            span(comparison, low, high),
            repeats(&order)
        );
        found.push(Finding { kind: "no-difference".into(), text: sentence(&text), runs, values: range });
    } else if !verdicts.contains("some") {
        let text = format!(
            "{lead}{} {} ({}): {} at {} and a threshold of {} %.",
            list(&names),
            apart(high / low),
            span(comparison, low, high),
            why_open(high / low),
            repeats(&order),
            significant(threshold.of(comparison.metric) * 100.0, 2)
        );
        found.push(Finding { kind: "inconclusive".into(), text: sentence(&text), runs, values: range });
    }
    found
}

/// A step down the ranking: `RAID 10 writes 210 IOPS, 2.16 times RAID 5 (95 % interval 2.13 to 2.18, n = 3)`.
fn step(comparison: &Comparison, (above, below): (&Cell, &Cell), pair: &Pair) -> String {
    let [first, second] = [above, below].map(|cell| name(comparison, cell));
    let does = format!("{first} {} {}", verb(comparison.ddir), figure(comparison, above.mean));
    let n = repeats(&[above, below]);
    let Some(ratio) = pair.ratio else {
        return format!("{does}, {second} moved nothing in any repeat ({n})");
    };
    let interval = pair.low.zip(pair.high).map(|(low, high)| {
        format!(" (95 % interval {} to {}, {n})", significant(low, 3), significant(high, 3))
    });
    format!("{does}, {} times {second}{}", significant(ratio, 3), interval.unwrap_or_default())
}

/// How far two means are apart: they `lie within 4.6 % of each other`, or `within a factor of 2.05`.
fn apart(ratio: f64) -> String {
    if !ratio.is_finite() {
        "are not told apart".to_owned()
    } else if ratio < 1.5 {
        format!("lie within {} % of each other", significant((ratio - 1.0) * 100.0, 2))
    } else {
        format!("lie within a factor of {} of each other", significant(ratio, 3))
    }
}

/// Lowest and highest mean: `400 IOPS to 420 IOPS`; one where both are the same.
fn span(comparison: &Comparison, low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|mean| figure(comparison, mean));
    if low == high { low } else { format!("{low} to {high}") }
}

/// Comparisons of single runs carry no verdict: said once for each dimension, with the range.
pub(super) fn undecided(campaign: &Campaign, told: &Told<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for contrast in &campaign.contrasts {
        let own: BTreeSet<usize> = contrast.runs.iter().copied().collect();
        let told: Vec<&Comparison> = campaign
            .comparisons
            .iter()
            .filter(|c| c.by == contrast.by && told.has(c) && !is_load(campaign, c))
            .filter(|c| c.cells.iter().all(|cell| cell.runs.iter().all(|r| own.contains(r))))
            .collect();
        if told.is_empty() || told.iter().any(|c| c.cells.iter().all(|cell| cell.values.len() > 1)) {
            continue;
        }
        let mut ranges: Vec<String> = Vec::new();
        for comparison in told.iter().take(4) {
            let means: Vec<f64> = comparison.cells.iter().map(|c| c.mean).collect();
            let (low, high) = (
                means.iter().copied().fold(f64::INFINITY, f64::min),
                means.iter().copied().fold(0.0, f64::max),
            );
            let place = place(campaign, comparison);
            ranges.push(format!(
                "{}{} to {}",
                if place.is_empty() { place } else { format!("{place} ") },
                figure(comparison, low),
                figure(comparison, high)
            ));
        }
        let more = if told.len() > 4 { format!(" and {} more", told.len() - 4) } else { String::new() };
        let text = format!(
            "No verdict on {}: single runs cannot tell a difference from chance ({}{more}). Three repeats or more of each would.",
            contrast.by.title(),
            ranges.join("; ")
        );
        found.push(Finding {
            kind: "too-few-repeats".into(),
            text,
            runs: contrast.runs.clone(),
            values: BTreeMap::new(),
        });
    }
    found
}
