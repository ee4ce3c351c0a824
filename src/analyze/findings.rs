//! Sentences with their numbers, for the top of the report.
//!
//! Every sentence is computed, names its figures and n, and is silent where the
//! statistics do not carry it. Their order is that of the contrasts; within one,
//! what decides comes before what does not.

mod erratic;
mod ranking;
mod words;

use crate::analyze::AnalyzeOptions;
use crate::analyze::compare::is_told;
use crate::model::text::{list, sentence};
use crate::model::unit::{UnitSystem, humanize, significant};
use crate::model::{Campaign, Cell, Comparison, Ddir, Dimension, Finding, Metric, Value};
use crate::spec::GOOD_LATENCY;
use erratic::erratic;
use ranking::{ranking, undecided};
use std::collections::{BTreeMap, BTreeSet};
use words::{figure, lead, name, place};

/// Growth in IOPS from which on a doubled load is worth it.
const WORTH: f64 = 0.10;

/// All findings of a campaign.
#[must_use]
pub(super) fn findings(campaign: &Campaign, options: &AnalyzeOptions) -> Vec<Finding> {
    let mut all = Vec::new();
    for comparison in campaign.comparisons.iter().filter(|c| is_told(c, &campaign.comparisons)) {
        if is_load(campaign, comparison) {
            all.extend(knee(campaign, comparison));
        } else {
            all.extend(ranking(campaign, comparison, &options.threshold));
        }
    }
    all.extend(undecided(campaign));
    all.extend(limits(campaign, options));
    all.extend(erratic(campaign));
    all
}

/// True for a comparison along a load, where a knee tells more than a ranking.
fn is_load(campaign: &Campaign, comparison: &Comparison) -> bool {
    matches!(comparison.by, Dimension::Iodepth | Dimension::Numjobs)
        && comparison.cells.len() >= 3
        && campaign.values.get(&comparison.by).is_some_and(|v| v.iter().all(|v| v.number().is_some()))
}

/// The load level beyond which IOPS stop growing while latency does.
///
/// It is the last level that still adds 10 % IOPS over the level before it;
/// none when the last level of the sweep still does.
fn knee(campaign: &Campaign, comparison: &Comparison) -> Option<Finding> {
    let latency = campaign.comparisons.iter().find(|c| {
        c.metric == Metric::Lat
            && c.by == comparison.by
            && c.held == comparison.held
            && c.ddir == comparison.ddir
    })?;
    let level = |cell: &Cell| cell.key.first()?.as_ref()?.number();
    let mut points: Vec<(f64, &Cell)> =
        comparison.cells.iter().filter_map(|c| Some((level(c)?, c))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let latency_at = |key: &Cell| latency.cells.iter().find(|c| c.key == key.key).map(|c| c.mean);
    let lead = lead(&place(campaign, comparison));
    let runs: Vec<usize> = points.iter().flat_map(|(_, c)| c.runs.iter().copied()).collect();
    let gain = |i: usize| points[i].1.mean / points[i - 1].1.mean - 1.0;
    let last = (1..points.len()).rev().find(|&i| gain(i) >= WORTH)?;
    let at = points[last].1;
    if last + 1 == points.len() {
        let text = format!(
            "{lead}no knee up to {}: it still adds {} % IOPS over the level before.",
            name(comparison, at),
            significant(gain(last) * 100.0, 2)
        );
        let values = BTreeMap::from([("gain".to_owned(), gain(last))]);
        return Some(Finding { kind: "no-knee".into(), text, runs, values });
    }
    let next = points[last + 1].1;
    let (before, after) = (latency_at(at)?, latency_at(next)?);
    let (iops, lat) = (next.mean / at.mean - 1.0, after / before - 1.0);
    let text = format!(
        "{lead}{} is the knee of the load curve, {} at {}: {} adds {} % IOPS and {} % latency.",
        if lead.is_empty() { sentence(&name(comparison, at)) } else { name(comparison, at) },
        figure(comparison, at.mean),
        humanize(before, Metric::Lat.unit(), UnitSystem::Iec),
        name(comparison, next),
        significant(iops * 100.0, 2),
        significant(lat * 100.0, 2)
    );
    let mut values = BTreeMap::from([("iops-gain".to_owned(), iops), ("lat-gain".to_owned(), lat)]);
    values.extend(points[last].1.key[0].as_ref().and_then(Value::number).map(|n| ("level".to_owned(), n)));
    Some(Finding { kind: "knee".into(), text, runs, values })
}

/// Cells above a limit.
#[derive(Default)]
struct Exceeding {
    names: Vec<String>,
    runs: Vec<usize>,
    places: BTreeSet<String>,
}

/// What exceeds the limit of good latency.
fn limits(campaign: &Campaign, options: &AnalyzeOptions) -> Vec<Finding> {
    let own = options.limits.get(&Metric::Lat).copied();
    let limit = own.unwrap_or(GOOD_LATENCY);
    let mut over: BTreeMap<(Dimension, Ddir), Exceeding> = BTreeMap::new();
    for comparison in campaign.comparisons.iter().filter(|c| c.metric == Metric::Lat && !is_load(campaign, c))
    {
        let (above, below): (Vec<&Cell>, Vec<&Cell>) = comparison.cells.iter().partition(|c| c.mean > limit);
        // The rule of thumb tells something where it divides the field; a limit of the user's always does.
        if above.is_empty() || (own.is_none() && below.is_empty()) {
            continue;
        }
        let entry = over.entry((comparison.by.clone(), comparison.ddir)).or_default();
        for cell in above {
            let figure = humanize(cell.mean, Metric::Lat.unit(), UnitSystem::Iec);
            entry.names.push(format!("{} ({figure})", name(comparison, cell)));
            entry.runs.extend(&cell.runs);
        }
        entry.places.insert(place(campaign, comparison));
    }
    let limit_text = humanize(limit, Metric::Lat.unit(), UnitSystem::Iec);
    let what = if own.is_some() {
        format!("the limit of {limit_text}")
    } else {
        format!("{}, the rule of thumb for good latency", limit_text.replace(".0 ", " "))
    };
    over.into_iter()
        .map(|((_, ddir), Exceeding { names, runs, places })| {
            let places: Vec<String> = places.into_iter().filter(|p| !p.is_empty()).collect();
            let lead = if places.len() == 1 { format!("{}: ", sentence(&places[0])) } else { String::new() };
            let shown = if names.len() > 6 {
                format!("{} and {} more", names[..6].join(", "), names.len() - 6)
            } else {
                list(&names)
            };
            let text = format!(
                "{lead}{shown} exceed{} {what}, in mean {ddir} latency.",
                if names.len() == 1 { "s" } else { "" }
            );
            Finding {
                kind: "limit".into(),
                text,
                runs,
                values: BTreeMap::from([("limit".to_owned(), limit)]),
            }
        })
        .collect()
}
