//! The campaign in a few sentences, computed from what it holds.

use crate::gallery::view::Site;
use crate::gallery::view::parts::{counted, shown, value_text};
use crate::model::{Dimension, FileState, Tool, Value};
use std::collections::BTreeMap;

/// Most values of a dimension that a sentence names.
const NAMED: usize = 8;

/// `24 runs of fio 3.33, comparing RAID level (0, 5, 6, 10). ...`
pub(super) fn overview(site: &Site<'_>) -> String {
    let mut sentences = vec![runs_and_dimensions(site)];
    sentences.extend(repeats(site));
    sentences.extend(held(site));
    sentences.extend(trouble(site));
    sentences.join(" ")
}

fn runs_and_dimensions(site: &Site<'_>) -> String {
    let campaign = site.campaign;
    if campaign.runs.is_empty() {
        return "No run was found in the inputs.".to_owned();
    }
    let mut tools: BTreeMap<&Tool, usize> = BTreeMap::new();
    for record in &campaign.runs {
        *tools.entry(&record.run.tool).or_default() += 1;
    }
    let total = counted(campaign.runs.len(), "run");
    let name = |tool: &Tool| match shown(&tool.to_string()) {
        name if name.is_empty() => "an unnamed tool".to_owned(),
        name => name,
    };
    let runs = if tools.len() == 1 {
        format!("{total} of {}", joined(tools.keys().map(|tool| name(tool)).collect()))
    } else {
        let each = tools.iter().map(|(tool, n)| format!("{n} of {}", name(tool))).collect();
        format!("{total} ({})", joined(each))
    };
    let compared: Vec<String> = campaign
        .varying()
        .iter()
        .filter(|dimension| **dimension != Dimension::Repeat)
        .map(|dimension| {
            let values = campaign.values.get(dimension).map(Vec::as_slice).unwrap_or_default();
            format!("{} ({})", shown(dimension.title()), listed(dimension, values))
        })
        .collect();
    if compared.is_empty() { format!("{runs}.") } else { format!("{runs}, comparing {}.", joined(compared)) }
}

/// How often each configuration was run.
fn repeats(site: &Site<'_>) -> Option<String> {
    let campaign = site.campaign;
    let mut sizes: BTreeMap<Vec<Option<&Value>>, usize> = BTreeMap::new();
    for record in &campaign.runs {
        let key = campaign
            .dimensions
            .iter()
            .filter(|d| **d != Dimension::Repeat)
            .map(|dimension| record.run.value(dimension))
            .collect();
        *sizes.entry(key).or_default() += 1;
    }
    let (fewest, most) = (*sizes.values().min()?, *sizes.values().max()?);
    Some(match (fewest, most) {
        (1, 1) if campaign.runs.len() == 1 => return None,
        (1, 1) => "Every configuration was run once, so no figure carries an interval.".to_owned(),
        (n, m) if n == m => format!("Every configuration was run {n} times."),
        (n, m) => format!("Configurations were run {n} to {m} times."),
    })
}

/// What all runs share.
fn held(site: &Site<'_>) -> Option<String> {
    let campaign = site.campaign;
    let held: Vec<String> = campaign
        .dimensions
        .iter()
        .filter(|d| **d != Dimension::Repeat)
        .filter_map(|dimension| {
            let first = campaign.runs.first()?.run.value(dimension)?;
            let same = campaign.runs.iter().all(|record| record.run.value(dimension) == Some(first));
            same.then(|| shown(&dimension.phrase(first)))
        })
        .collect();
    (!held.is_empty() && campaign.runs.len() > 1).then(|| format!("All share {}.", joined(held)))
}

/// Errors in runs, and files that could not be read.
fn trouble(site: &Site<'_>) -> Option<String> {
    let errors = site.campaign.runs.iter().filter(|record| record.run.has_error()).count();
    let failed = site.campaign.files.iter().filter(|file| file.status == FileState::Failed).count();
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push(format!("{} reported errors", counted(errors, "run")));
    }
    if failed > 0 {
        parts.push(format!("{} could not be read", counted(failed, "file")));
    }
    (!parts.is_empty()).then(|| format!("{}.", joined(parts)))
}

/// The values of a dimension, the first few by name.
fn listed(dimension: &Dimension, values: &[Value]) -> String {
    let named = values.iter().take(NAMED).map(|value| value_text(dimension, value)).collect::<Vec<_>>();
    let rest = values.len().saturating_sub(NAMED);
    if rest == 0 { named.join(", ") } else { format!("{} and {rest} more", named.join(", ")) }
}

/// `a`, `a and b`, `a, b and c`.
fn joined(mut parts: Vec<String>) -> String {
    match parts.pop() {
        None => String::new(),
        Some(last) if parts.is_empty() => last,
        Some(last) => format!("{} and {last}", parts.join(", ")),
    }
}
