//! Findings on the latencies of mixed loads.
//!
//! In: comparisons with their verdicts. Out: a sentence for each direction of a mix in which latencies differ. Of other
//! loads the rates tell the same: a closed loop with one direction has as much latency as it has fewer IOPS (Little's
//! law). In a mix the law holds for all directions together, so that reads may wait longer at equal rates.

use super::is_load;
use super::words::{figure, has_other_directions, lead, name, place, repeats};
use crate::analyze::compare::{between, is_another};
use crate::model::unit::significant;
use crate::model::{Campaign, Cell, Comparison, Finding, Metric, Value, Verdict};
use std::collections::BTreeMap;

/// Where the latency of a direction differs, and by how much.
pub(super) fn latencies(campaign: &Campaign) -> Vec<Finding> {
    let comparisons = campaign.comparisons.iter();
    comparisons
        .filter(|comparison| comparison.metric == Metric::Lat)
        .filter(|comparison| !is_load(campaign, comparison) && has_other_directions(campaign, comparison))
        .filter_map(|comparison| latency(campaign, comparison))
        .collect()
}

fn latency(campaign: &Campaign, comparison: &Comparison) -> Option<Finding> {
    let value = |cell: &Cell| cell.key.first().cloned().flatten();
    let mut order: Vec<(&Cell, Value)> =
        comparison.cells.iter().filter_map(|cell| Some((cell, value(cell)?))).collect();
    order.sort_by(|a, b| a.0.mean.total_cmp(&b.0.mean));
    let mut parts = Vec::new();
    let mut values = BTreeMap::new();
    for ((short, a), (long, b)) in order.iter().zip(order.iter().skip(1)) {
        let Some(pair) = between(comparison, b, a).filter(|pair| pair.verdict == Verdict::Worse) else {
            continue;
        };
        let Some(ratio) = pair.ratio else { continue };
        let of = if is_another(long.mean / short.mean, ratio) { "of geometric means, " } else { "" };
        let n = repeats(&[short, long]);
        let interval = match (pair.low, pair.high) {
            (Some(low), Some(high)) => {
                format!("{of}95 % interval {} to {}, {n}", significant(low, 3), significant(high, 3))
            }
            _ => n,
        };
        parts.push(format!(
            "{} takes {} times as long as {} ({interval}), {} and {}",
            name(comparison, long),
            significant(ratio, 3),
            name(comparison, short),
            figure(comparison, long.mean),
            figure(comparison, short.mean)
        ));
        values.insert(format!("ratio {b} to {a}"), ratio);
    }
    let lead = lead(&place(campaign, comparison));
    let runs = order.iter().flat_map(|(cell, _)| cell.runs.iter().copied()).collect();
    let text = format!("{lead}{}.", parts.join("; "));
    (!parts.is_empty()).then(|| Finding { kind: "latency-of-mix".into(), text, runs, values })
}
