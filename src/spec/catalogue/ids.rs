//! Ids of charts: words for people and scripts, each once.
//!
//! In: specs whose ids may be equal. Out: distinct ids, told apart by what the runs of each chart share.

use crate::model::text::slug;
use crate::model::{Campaign, Dimension, Value};
use crate::spec::ChartSpec;
use std::collections::BTreeMap;

/// Makes ids slugs, and unique: contrasts of one dimension are told apart by what each holds, else by number.
pub(super) fn tell_apart(campaign: &Campaign, specs: &mut [ChartSpec]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for spec in specs.iter_mut() {
        spec.id = slug(&spec.id);
        *count.entry(spec.id.clone()).or_default() += 1;
    }
    let told: Vec<Vec<(Dimension, Value)>> =
        (0..specs.len()).map(|index| told_by_held(campaign, specs, &count, index)).collect();
    for (spec, told) in specs.iter_mut().zip(told).filter(|(_, told)| !told.is_empty()) {
        let words: Vec<String> = told.iter().map(|(d, v)| word(d, v)).collect();
        let prose: Vec<String> = told.iter().map(|(d, v)| phrase(d, v)).collect();
        spec.id = format!("{}-{}", spec.id, slug(&words.join("-")));
        spec.about = Some(prose.join(", "));
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for spec in specs.iter_mut() {
        let n = seen.entry(spec.id.clone()).or_insert(0);
        *n += 1;
        if *n > 1 {
            spec.id = format!("{}-{n}", spec.id);
        }
    }
}

/// A value as a part of an id.
fn word(dimension: &Dimension, value: &Value) -> String {
    if value.number().is_some() { format!("{dimension}-{value}") } else { value.to_string() }
}

/// The same for people.
fn phrase(dimension: &Dimension, value: &Value) -> String {
    match dimension {
        Dimension::Rw => value.workload_phrase(),
        _ => dimension.phrase(value),
    }
}

/// What this chart's runs share and those of other charts with the same id do not; nothing where its id is its own.
fn told_by_held(
    campaign: &Campaign,
    specs: &[ChartSpec],
    count: &BTreeMap<String, usize>,
    index: usize,
) -> Vec<(Dimension, Value)> {
    let id = &specs[index].id;
    if count.get(id).is_none_or(|n| *n < 2) {
        return Vec::new();
    }
    let own = shared(campaign, &specs[index].filter.runs);
    let same = specs.iter().enumerate().filter(|(other, spec)| *other != index && spec.id == *id);
    let others: Vec<_> = same.map(|(_, spec)| shared(campaign, &spec.filter.runs)).collect();
    let differs =
        |dimension: &Dimension, value: &Value| others.iter().all(|o| o.get(dimension) != Some(value));
    // One dimension is enough where it tells this chart from all others; folders are what people know them by.
    let mut candidates: Vec<(&Dimension, &Value)> = own.iter().collect();
    candidates.sort_by_key(|(dimension, _)| !matches!(dimension, Dimension::Other(_)));
    let told: Vec<(&Dimension, &Value)> = match candidates.iter().find(|(d, v)| differs(d, v)) {
        Some(&one) => vec![one],
        None => {
            let apart = |(d, v): &(&Dimension, &Value)| others.iter().any(|o| o.get(*d) != Some(*v));
            candidates.into_iter().filter(apart).collect()
        }
    };
    told.into_iter().map(|(dimension, value)| (dimension.clone(), value.clone())).collect()
}

/// Dimension values that all of the runs have in common.
fn shared(campaign: &Campaign, ids: &[String]) -> BTreeMap<Dimension, Value> {
    let mut runs = campaign.runs.iter().filter(|r| ids.contains(&r.run.id));
    let Some(first) = runs.next() else { return BTreeMap::new() };
    let mut shared: BTreeMap<Dimension, Value> =
        first.run.dimensions.iter().map(|(d, e)| (d.clone(), e.value.clone())).collect();
    for record in runs {
        shared.retain(|dimension, value| record.run.value(dimension) == Some(value));
    }
    shared
}
