//! Sentences with their numbers, for the top of the report.
//!
//! Every sentence is computed, names its figures and n, and is silent where the
//! statistics do not carry it. Their order is that of the contrasts; within one,
//! what decides comes before what does not.

use crate::analyze::compare::{between, is_told, verb};
use crate::analyze::repeat::mean;
use crate::analyze::{AnalyzeOptions, Threshold};
use crate::model::text::{list, sentence};
use crate::model::unit::{UnitSystem, humanize, significant};
use crate::model::{
    Campaign, Cell, Comparison, Ddir, Dimension, Finding, Measure, Metric, Origin, Stat, Value, Verdict,
};
use std::collections::{BTreeMap, BTreeSet};

/// Limit of good latency where the user names none, ns.
const GOOD_LATENCY: f64 = 20e6;
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

/// `RAID 10`, `64 KiB chunk`, `iodepth 4`.
fn phrase(comparison: &Comparison, value: &Value) -> String {
    comparison.by.phrase(value)
}

fn name(comparison: &Comparison, cell: &Cell) -> String {
    cell.key.first().and_then(Option::as_ref).map_or("?".into(), |value| phrase(comparison, value))
}

fn figure(comparison: &Comparison, value: f64) -> String {
    let text = humanize(value, comparison.metric.unit(), UnitSystem::Iec);
    if comparison.metric == Metric::Iops { format!("{text} IOPS") } else { text }
}

/// Where the comparison stands, in words: `random write`, with what tells it from others.
fn place(campaign: &Campaign, comparison: &Comparison) -> String {
    let mut words = Vec::new();
    if let Some(rw) = comparison.held.get(&Dimension::Rw) {
        words.push(rw.workload_phrase());
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
    words.join(", ")
}

/// How often the runs of a comparison were repeated: `n = 3`, `n = 2 to 5`.
fn repeats(cells: &[&Cell]) -> String {
    let counts = cells.iter().map(|c| c.values.len());
    let (low, high) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
    if low == high { format!("n = {low}") } else { format!("n = {low} to {high}") }
}

fn is_load(campaign: &Campaign, comparison: &Comparison) -> bool {
    matches!(comparison.by, Dimension::Iodepth | Dimension::Numjobs)
        && comparison.cells.len() >= 3
        && campaign.values.get(&comparison.by).is_some_and(|v| v.iter().all(|v| v.number().is_some()))
}

/// Who wins by how much, who is equal, and what is left open.
fn ranking(campaign: &Campaign, comparison: &Comparison, threshold: &Threshold) -> Vec<Finding> {
    let mut order: Vec<&Cell> =
        comparison.cells.iter().filter(|c| c.key.first().is_some_and(Option::is_some)).collect();
    order.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    if order.len() < 2 || order.iter().any(|c| c.values.len() < 2) {
        return Vec::new();
    }
    let value = |cell: &Cell| cell.key[0].clone().unwrap_or_else(|| Value::canonical(&comparison.by, ""));
    let pair = |a: &Cell, b: &Cell| between(comparison, &value(a), &value(b));
    let place = place(campaign, comparison);
    let lead = if place.is_empty() { String::new() } else { format!("{}: ", sentence(&place)) };
    let runs: Vec<usize> = order.iter().flat_map(|c| c.runs.iter().copied()).collect();
    let mut found = Vec::new();

    // Steps down the ranking that the repeats carry.
    let steps: Vec<(&Cell, &Cell, crate::model::Pair)> = order
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
            let interval = match (pair.low, pair.high) {
                (Some(low), Some(high)) => {
                    format!(
                        " (95 % interval {} to {}, {})",
                        significant(low, 3),
                        significant(high, 3),
                        repeats(&[a, b])
                    )
                }
                _ => String::new(),
            };
            let text = format!(
                "{} {} {}, {} times {}{interval}",
                name(comparison, a),
                verb(comparison.ddir),
                figure(comparison, a.mean),
                significant(pair.ratio, 3),
                name(comparison, b)
            );
            values.insert(format!("ratio {} to {}", pair.a, pair.b), pair.ratio);
            parts.push(text);
        }
        let last = order[order.len() - 1];
        let tail = format!("; {} comes last with {}", name(comparison, last), figure(comparison, last.mean));
        let closing = if steps.iter().any(|(_, b, _)| std::ptr::eq(*b, last)) { tail } else { String::new() };
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
            "{lead}no difference shown between {} ({} to {}, {}).",
            list(&names),
            figure(comparison, low),
            figure(comparison, high),
            repeats(&order)
        );
        found.push(Finding { kind: "no-difference".into(), text: sentence(&text), runs, values: range });
    } else if !verdicts.contains("some") {
        let text = format!(
            "{lead}{} lie within {} % of each other ({} to {}): too close to call at {} and a threshold of {} %.",
            list(&names),
            significant((high / low - 1.0) * 100.0, 2),
            figure(comparison, low),
            figure(comparison, high),
            repeats(&order),
            significant(threshold.of(comparison.metric) * 100.0, 2)
        );
        found.push(Finding { kind: "inconclusive".into(), text: sentence(&text), runs, values: range });
    }
    found
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
    let place = place(campaign, comparison);
    let lead = if place.is_empty() { String::new() } else { format!("{}: ", sentence(&place)) };
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

/// Comparisons of single runs carry no verdict: said once for each dimension, with the range.
fn undecided(campaign: &Campaign) -> Vec<Finding> {
    let mut found = Vec::new();
    for contrast in &campaign.contrasts {
        let told: Vec<&Comparison> = campaign
            .comparisons
            .iter()
            .filter(|c| c.by == contrast.by && is_told(c, &campaign.comparisons) && !is_load(campaign, c))
            .filter(|c| c.cells.iter().all(|cell| cell.runs.iter().all(|r| contrast.runs.contains(r))))
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

/// What goes without saying in a run's description.
fn is_usual(dimension: &Dimension, value: &Value) -> bool {
    match dimension {
        Dimension::Engine => true,
        Dimension::Direct | Dimension::Numjobs => value.as_str() == "1",
        _ => false,
    }
}

/// Runs whose windows vary more than chance and 10 % explain.
fn erratic(campaign: &Campaign) -> Vec<Finding> {
    type Key = (BTreeMap<Dimension, Value>, Ddir);
    let mut groups: BTreeMap<Key, Vec<(usize, f64, bool)>> = BTreeMap::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        for ddir in record.ddirs(Metric::Iops) {
            let cov =
                record.statistic_from(Measure { metric: Metric::Iops, stat: Stat::Cov }, ddir, Origin::Log);
            let rate = record.statistic_from(Measure::mean(Metric::Iops), ddir, Origin::Log);
            let series = record.total_series(Metric::Iops, ddir);
            let (Some(cov), Some(rate), Some(series)) = (cov, rate, series) else { continue };
            let ios = rate.value * series.cell_ms / 1000.0;
            if ios <= 0.0 || series.values.len() < 10 {
                continue;
            }
            let bound = f64::max(0.10, 2.0 / ios.sqrt());
            let key: BTreeMap<Dimension, Value> = record
                .run
                .dimensions
                .iter()
                .filter(|(d, _)| **d != Dimension::Repeat)
                .map(|(d, e)| (d.clone(), e.value.clone()))
                .collect();
            groups.entry((key, ddir)).or_default().push((index, cov.value, cov.value > bound));
        }
    }
    let varying = campaign.varying();
    let mut named: Vec<(f64, String, Vec<usize>)> = groups
        .into_iter()
        .filter(|(_, runs)| runs.iter().all(|(.., beyond)| *beyond))
        .map(|((key, ddir), runs)| {
            let words: Vec<String> = key
                .iter()
                .filter(|(d, v)| varying.contains(d) && !is_usual(d, v))
                .map(|(d, v)| if *d == Dimension::Rw { v.workload_phrase() } else { d.phrase(v) })
                .collect();
            let values: Vec<f64> = runs.iter().map(|r| r.1).collect();
            let who =
                if words.is_empty() { campaign.runs[runs[0].0].run.label.clone() } else { words.join(", ") };
            let text = format!(
                "{who} ({} %{})",
                significant(mean(&values) * 100.0, 2),
                if ddir == Ddir::Write { ", writes" } else { "" }
            );
            (mean(&values), text, runs.into_iter().map(|r| r.0).collect())
        })
        .collect();
    if named.is_empty() {
        return Vec::new();
    }
    named.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let names: Vec<String> = named.iter().take(4).map(|(_, text, _)| text.clone()).collect();
    let more = if named.len() > 4 { format!("; {} more", named.len() - 4) } else { String::new() };
    let text = format!(
        "Erratic over time, windows varying by more than chance explains: {}{more}.",
        names.join("; ")
    );
    let values = BTreeMap::from([("largest".to_owned(), named[0].0)]);
    vec![Finding {
        kind: "erratic".into(),
        text,
        runs: named.into_iter().flat_map(|n| n.2).collect(),
        values,
    }]
}
