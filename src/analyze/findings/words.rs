//! How findings call cells, figures and places.
//!
//! In: comparisons. Out: parts of sentences; which sentences there are is not decided here.

use crate::model::text::sentence;
use crate::model::unit::{UnitSystem, humanize};
use crate::model::{Campaign, Cell, Comparison, Ddir, Dimension, Metric, Value};
use std::collections::BTreeSet;

/// `RAID 10`, `64 KiB chunk`, `iodepth 4`.
pub(super) fn phrase(comparison: &Comparison, value: &Value) -> String {
    comparison.by.phrase(value)
}

/// What a cell is called.
pub(super) fn name(comparison: &Comparison, cell: &Cell) -> String {
    cell.key.first().and_then(Option::as_ref).map_or("?".into(), |value| phrase(comparison, value))
}

/// A mean with its unit.
pub(super) fn figure(comparison: &Comparison, value: f64) -> String {
    let text = humanize(value, comparison.metric.unit(), UnitSystem::Iec);
    if comparison.metric == Metric::Iops { format!("{text} IOPS") } else { text }
}

/// Where the comparison stands, in words: `random write`, with what tells it from others.
pub(super) fn place(campaign: &Campaign, comparison: &Comparison) -> String {
    let mut words = Vec::new();
    if let Some(rw) = comparison.held.get(&Dimension::Rw) {
        words.push(rw.workload_phrase());
    }
    if comparison.ddir != Ddir::Mixed && has_other_directions(campaign, comparison) {
        words.push(format!("{}s", comparison.ddir));
    }
    // What stands on the bench is worth a word wherever the campaign has several.
    for dimension in [Dimension::Raid, Dimension::Fs, Dimension::Device] {
        let several = campaign.values.get(&dimension).is_some_and(|values| values.len() > 1);
        if let Some(value) = comparison.held.get(&dimension).filter(|_| several) {
            words.push(dimension.phrase(value));
        }
    }
    // What is held differently by another comparison of the same dimension must be said.
    let others: Vec<&Comparison> = campaign
        .comparisons
        .iter()
        .filter(|o| o.by == comparison.by && o.metric == comparison.metric && o.held != comparison.held)
        .collect();
    // Folders are what people know a campaign's parts by; one word is enough where it tells this part from all others.
    let mut held: Vec<(&Dimension, &Value)> =
        comparison.held.iter().filter(|(dimension, _)| **dimension != Dimension::Rw).collect();
    held.sort_by_key(|(dimension, _)| !matches!(dimension, Dimension::Other(_)));
    let others: Vec<&Comparison> = others
        .into_iter()
        .filter(|o| o.held.get(&Dimension::Rw) == comparison.held.get(&Dimension::Rw))
        .collect();
    let tells = |(d, v): &&(&Dimension, &Value)| others.iter().all(|o| o.held.get(*d) != Some(*v));
    match held.iter().find(tells) {
        _ if others.is_empty() => {}
        Some((dimension, value)) => words.push(dimension.phrase(value)),
        None => {
            let differs = |(d, v): &&(&Dimension, &Value)| others.iter().any(|o| o.held.get(*d) != Some(*v));
            words.extend(held.iter().filter(differs).map(|(d, v)| d.phrase(v)));
        }
    }
    let mut seen = BTreeSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words.join(", ")
}

/// True when the same is compared in another direction, as in a mix of reads and writes.
pub(super) fn has_other_directions(campaign: &Campaign, comparison: &Comparison) -> bool {
    campaign.comparisons.iter().any(|other| {
        other.ddir != comparison.ddir
            && other.metric == comparison.metric
            && other.by == comparison.by
            && other.held == comparison.held
    })
}

/// The place in front of a sentence: `Random write: `.
pub(super) fn lead(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{}: ", sentence(place)) }
}

/// How often the runs of a comparison were repeated: `n = 3`, `n = 2 to 5`.
pub(super) fn repeats(cells: &[&Cell]) -> String {
    let counts = cells.iter().map(|c| c.values.len());
    let (low, high) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
    if low == high { format!("n = {low}") } else { format!("n = {low} to {high}") }
}

/// What goes without saying in a run's description.
pub(super) fn is_usual(dimension: &Dimension, value: &Value) -> bool {
    match dimension {
        Dimension::Engine => true,
        Dimension::Direct | Dimension::Numjobs => value.as_str() == "1",
        _ => false,
    }
}
