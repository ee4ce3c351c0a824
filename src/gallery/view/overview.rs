//! The campaign in two sentences and a line of facts, computed from what it holds.

use crate::chart::{dates, value_name};
use crate::gallery::view::Site;
use crate::gallery::view::parts::{counted, joined, origin, shown, value_text};
use crate::model::{Dimension, Run, TimeSpan, Tool, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Most values of a dimension, or tools, that a sentence names.
const NAMED: usize = 5;

/// `77 runs of 60 configurations, ... They compare RAID level (0, 5, 6 and 10).`
pub(super) fn overview(site: &Site<'_>) -> String {
    if site.runs.is_empty() {
        return "No run was found in the inputs.".to_owned();
    }
    let mut sentences = vec![measured(site)];
    sentences.extend(compared(site));
    sentences.extend(site.campaign.part.map(of_part));
    sentences.join(" ")
}

/// What part of the runs is shown.
fn of_part(span: TimeSpan) -> String {
    let part = match span.to_ms {
        Some(_) => format!("{span} of each run"),
        None => format!("each run without its first {} s", span.from_ms / 1e3),
    };
    format!("All figures are of {part}, from the logs.")
}

/// How many runs of which tools, how often each, and when.
fn measured(site: &Site<'_>) -> String {
    let runs = &site.campaign.runs;
    let mut tools: BTreeMap<&Tool, usize> = BTreeMap::new();
    for record in runs {
        *tools.entry(&record.run.tool).or_default() += 1;
    }
    let total = counted(runs.len(), "run");
    let who = if tools.len() > NAMED {
        let names: BTreeSet<String> =
            tools.keys().map(|tool| origin(&Tool { version: None, ..Tool::clone(tool) })).collect();
        format!("{total} {}, {} tools and versions", joined(names.into_iter().collect()), tools.len())
    } else if tools.len() == 1 {
        format!("{total} {}", joined(tools.keys().map(|tool| origin(tool)).collect()))
    } else {
        let each = tools.iter().map(|(tool, n)| format!("{n} {}", origin(tool))).collect();
        format!("{total}: {}", joined(each))
    };
    let all: Vec<&Run> = runs.iter().map(|record| &record.run).collect();
    let parts = [Some(who), repeats(site, &all), dated(&all)];
    format!("{}.", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// When the runs were made that say so: `dated 1 December 2026`, `69 of them dated 1 December 2026`.
pub(super) fn dated(runs: &[&Run]) -> Option<String> {
    let days = dates(runs.iter().copied())?;
    let known = runs.iter().filter(|run| dates(std::iter::once(**run)).is_some()).count();
    Some(if known == runs.len() { format!("dated {days}") } else { format!("{known} of them dated {days}") })
}

/// How often each configuration was run.
pub(super) fn repeats(site: &Site<'_>, runs: &[&Run]) -> Option<String> {
    let mut sizes: BTreeMap<Vec<Option<&Value>>, usize> = BTreeMap::new();
    for run in runs {
        let key = site
            .campaign
            .dimensions
            .iter()
            .filter(|d| **d != Dimension::Repeat)
            .map(|dimension| run.value(dimension))
            .collect();
        *sizes.entry(key).or_default() += 1;
    }
    let (fewest, most) = (*sizes.values().min()?, *sizes.values().max()?);
    Some(match (fewest, most) {
        (1, 1) if runs.len() == 1 => return None,
        (1, 1) => "each configuration once".to_owned(),
        (n, m) if n == m => format!("each configuration {n} times"),
        (n, m) => format!("each configuration {n} to {m} times"),
    })
}

/// What the comparisons vary.
fn compared(site: &Site<'_>) -> Option<String> {
    let mut seen: Vec<&Dimension> = Vec::new();
    for contrast in &site.campaign.contrasts {
        if !seen.contains(&&contrast.by) {
            seen.push(&contrast.by);
        }
    }
    let described = seen.into_iter().map(|dimension| {
        let values: BTreeSet<&Value> = site
            .campaign
            .contrasts
            .iter()
            .filter(|contrast| contrast.by == *dimension)
            .flat_map(|contrast| site.runs_at(&contrast.runs))
            .filter_map(|page| page.record.run.value(dimension))
            .collect();
        format!("{} ({})", shown(dimension.title()), listed(dimension, &values))
    });
    let described: Vec<String> = described.collect();
    (!described.is_empty()).then(|| format!("They compare {}.", joined(described)))
}

/// The values of a dimension: all when they are few, else from the first to the last.
pub(super) fn listed(dimension: &Dimension, values: &BTreeSet<&Value>) -> String {
    let text = |value: &&Value| value_text(dimension, value);
    match (values.first(), values.last()) {
        (Some(first), Some(last)) if values.len() > NAMED => {
            format!("{} values from {} to {}", values.len(), text(first), text(last))
        }
        _ => joined(values.iter().map(text).collect()),
    }
}

/// What all runs share.
pub(super) fn facts(site: &Site<'_>) -> Vec<String> {
    let Some(first) = site.campaign.runs.first().filter(|_| site.runs.len() > 1) else { return Vec::new() };
    let shared = site.campaign.dimensions.iter().filter(|d| **d != Dimension::Repeat && site.is_shared(d));
    shared
        .filter_map(|dimension| {
            let name = shown(&value_name(dimension, Some(first.run.value(dimension)?)));
            Some(if *dimension == Dimension::Bs { format!("{name} blocks") } else { name })
        })
        .collect()
}
