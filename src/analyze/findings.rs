//! Sentences with their numbers, for the top of the report.
//!
//! Every sentence is computed, names its figures and n, and is silent where the
//! statistics do not carry it. Their order is that of the contrasts; within one,
//! what decides comes before what does not.

mod erratic;
mod mixed;
mod ranking;
#[cfg(test)]
mod tests;
mod words;

use crate::analyze::AnalyzeOptions;
use crate::analyze::compare::Told;
use crate::model::text::{few, list, sentence};
use crate::model::unit::{UnitSystem, humanize, significant};
use crate::model::{Campaign, Cell, Comparison, Ddir, Dimension, Finding, Measure, Metric, Value};
use crate::spec::GOOD_LATENCY;
use erratic::erratic;
use mixed::latencies;
use ranking::{ranking, undecided};
use std::collections::{BTreeMap, BTreeSet};
use words::{figure, lead, name, place, repeats};

/// Growth in IOPS from which on a doubled load is worth it.
const WORTH: f64 = 0.10;

/// More, or fewer, IOPS and latency: `adds 1.8 % IOPS`, `costs 37 % of the IOPS`.
fn change_in(iops: f64, lat: f64) -> String {
    let percent = |share: f64| significant(share.abs() * 100.0, 2);
    match (iops < 0.0, lat < 0.0) {
        (false, false) => format!("adds {} % IOPS and {} % latency", percent(iops), percent(lat)),
        (true, false) => format!("costs {} % of the IOPS and adds {} % latency", percent(iops), percent(lat)),
        (false, true) => format!("adds {} % IOPS, at {} % less latency", percent(iops), percent(lat)),
        (true, true) => format!("costs {} % of the IOPS, at {} % less latency", percent(iops), percent(lat)),
    }
}

/// All findings of a campaign.
#[must_use]
pub(super) fn findings(campaign: &Campaign, options: &AnalyzeOptions) -> Vec<Finding> {
    let mut all = Vec::new();
    let told = Told::among(&campaign.comparisons);
    for comparison in campaign.comparisons.iter().filter(|c| told.has(c)) {
        if is_load(campaign, comparison) {
            all.extend(knee(campaign, comparison));
        } else {
            all.extend(ranking(campaign, comparison, &options.threshold));
        }
    }
    all.extend(latencies(campaign));
    all.extend(undecided(campaign, &told));
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
/// It is the last level that still adds 10 % IOPS for each doubling of the load since the level before it (21 % where the
/// sweep leaps from 16 to 64); none when the last level of the sweep still does.
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
    let worth = |i: usize| (1.0 + WORTH).powf((points[i].0 / points[i - 1].0).log2()) - 1.0;
    let last = (1..points.len()).rev().find(|&i| gain(i) >= worth(i))?;
    let at = points[last].1;
    let rest_on = |cells: &[&Cell]| match cells.iter().all(|cell| cell.values.len() == 1) {
        true => "single runs".to_owned(),
        false => repeats(cells),
    };
    if last + 1 == points.len() {
        let text = format!(
            "{lead}no knee up to {}: it still adds {} % IOPS over the level before ({}).",
            name(comparison, at),
            significant(gain(last) * 100.0, 2),
            rest_on(&[points[last - 1].1, at])
        );
        let values = BTreeMap::from([("gain".to_owned(), gain(last))]);
        return Some(Finding { kind: "no-knee".into(), text, runs, values });
    }
    let next = points[last + 1].1;
    let (before, after) = (latency_at(at)?, latency_at(next)?);
    let (iops, lat) = (next.mean / at.mean - 1.0, after / before - 1.0);
    let text = format!(
        "{lead}{} is the knee of the load curve, {} at {}: {} {} ({}).",
        if lead.is_empty() { sentence(&name(comparison, at)) } else { name(comparison, at) },
        figure(comparison, at.mean),
        humanize(before, Metric::Lat.unit(), UnitSystem::Iec),
        name(comparison, next),
        change_in(iops, lat),
        rest_on(&[at, next])
    );
    let mut values = BTreeMap::from([("iops-gain".to_owned(), iops), ("lat-gain".to_owned(), lat)]);
    values.extend(points[last].1.key[0].as_ref().and_then(Value::number).map(|n| ("level".to_owned(), n)));
    Some(Finding { kind: "knee".into(), text, runs, values })
}

/// What exceeds the limit of good latency: every compared configuration, and all others, counted.
fn limits(campaign: &Campaign, options: &AnalyzeOptions) -> Vec<Finding> {
    let own = options.limits.get(&Metric::Lat).copied();
    let limit = own.unwrap_or(GOOD_LATENCY);
    let text = |ns: f64| humanize(ns, Metric::Lat.unit(), UnitSystem::Iec);
    let measure = Measure::mean(Metric::Lat);
    let means: Vec<(usize, f64)> = campaign
        .runs
        .iter()
        .enumerate()
        .flat_map(|(index, record)| {
            let means = Ddir::ALL
                .iter()
                .filter_map(move |&ddir| Some((index, record.statistic(measure, ddir)?.value)));
            means.collect::<Vec<_>>()
        })
        .collect();
    let above: Vec<usize> = means.iter().filter(|(_, mean)| *mean > limit).map(|(index, _)| *index).collect();
    // The rule of thumb tells something where it divides the field; a limit of the user's always does.
    if above.is_empty() || (own.is_none() && above.len() == means.len()) {
        return Vec::new();
    }
    let mut groups: Vec<String> = Vec::new();
    let mut named: BTreeSet<usize> = BTreeSet::new();
    for comparison in campaign.comparisons.iter().filter(|c| c.metric == Metric::Lat) {
        let over: Vec<&Cell> = comparison.cells.iter().filter(|c| c.mean > limit).collect();
        if over.is_empty() {
            continue;
        }
        named.extend(over.iter().flat_map(|cell| cell.runs.iter().copied()));
        let names: Vec<String> = match over.len() {
            all if all == comparison.cells.len() && all > 4 => {
                let (low, high) = span(&over);
                vec![format!("every {} ({} to {})", comparison.by.title(), text(low), text(high))]
            }
            1..=4 => over.iter().map(|c| format!("{} ({})", name(comparison, c), text(c.mean))).collect(),
            many => {
                let (low, high) = span(&over);
                vec![format!(
                    "{many} of {} values of {} ({} to {})",
                    comparison.cells.len(),
                    comparison.by.title(),
                    text(low),
                    text(high)
                )]
            }
        };
        let place = place(campaign, comparison);
        groups.push(if place.is_empty() { list(&names) } else { format!("{place}: {}", list(&names)) });
    }
    // Runs that nothing stands beside are named themselves.
    let mut lone: BTreeMap<usize, f64> = BTreeMap::new();
    for &(index, mean) in means.iter().filter(|(index, mean)| *mean > limit && !named.contains(index)) {
        // Of a mix the slower direction.
        lone.entry(index).and_modify(|most| *most = most.max(mean)).or_insert(mean);
    }
    let lone: Vec<String> = lone
        .iter()
        .map(|(&index, &mean)| format!("{} ({})", campaign.runs[index].run.id, text(mean)))
        .collect();
    let groups = sentence(&groups.join("; "));
    let details = match (groups.is_empty(), lone.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" {groups}."),
        (true, false) => format!(" {}.", few(&lone, 3)),
        (false, false) => format!(" {groups}; {}.", few(&lone, 3)),
    };
    let runs: BTreeSet<usize> = above.into_iter().collect();
    let what = match own {
        Some(_) => format!("the limit of {}", text(limit)),
        None => format!("{}, the rule of thumb for good latency", text(limit).replace(".0 ", " ")),
    };
    let all = campaign.runs.len();
    let text = format!("Mean latency is above {what}, in {} of {all} runs.{details}", runs.len());
    let values = BTreeMap::from([("limit".to_owned(), limit)]);
    vec![Finding { kind: "limit".into(), text, runs: runs.into_iter().collect(), values }]
}

/// Smallest and largest mean.
fn span(cells: &[&Cell]) -> (f64, f64) {
    let means = cells.iter().map(|c| c.mean);
    (means.clone().fold(f64::INFINITY, f64::min), means.fold(f64::NEG_INFINITY, f64::max))
}
