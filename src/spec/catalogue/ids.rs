//! Ids of charts: words for people and scripts, each once.
//!
//! In: specs whose ids may be equal. Out: distinct ids, told apart by what the runs of each chart share.

use crate::model::text::slug;
use crate::model::{Campaign, Dimension, Value};
use crate::spec::ChartSpec;
use std::collections::{BTreeMap, HashMap};

/// Makes ids slugs, and unique: contrasts of one dimension are told apart by what each holds, else by number.
pub(super) fn tell_apart(campaign: &Campaign, specs: &mut [ChartSpec]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for spec in specs.iter_mut() {
        spec.id = slug(&spec.id);
        *count.entry(spec.id.clone()).or_default() += 1;
    }
    let places: HashMap<&str, usize> =
        campaign.runs.iter().enumerate().map(|(at, record)| (record.run.id.as_str(), at)).collect();
    // What the runs of each chart share, of those that have an id in common.
    let mut namesakes: BTreeMap<&str, Vec<(usize, Shared)>> = BTreeMap::new();
    for (at, spec) in specs.iter().enumerate().filter(|(_, spec)| count.get(&spec.id) > Some(&1)) {
        let shared = shared(campaign, &places, &spec.filter.runs);
        namesakes.entry(&spec.id).or_default().push((at, shared));
    }
    let told: Vec<(usize, Vec<(Dimension, Value)>)> = namesakes
        .values()
        .flat_map(|same| same.iter().map(|(at, own)| (*at, told_by_held(*at, own, same))))
        .collect();
    for (at, told) in told.into_iter().filter(|(_, told)| !told.is_empty()) {
        let spec = &mut specs[at];
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

/// Dimension values that all runs of a chart have in common.
type Shared = BTreeMap<Dimension, Value>;

/// What this chart's runs share and those of its namesakes do not.
fn told_by_held(index: usize, own: &Shared, same: &[(usize, Shared)]) -> Vec<(Dimension, Value)> {
    let others = || same.iter().filter(|(other, _)| *other != index).map(|(_, shared)| shared);
    let differs = |dimension: &Dimension, value: &Value| others().all(|o| o.get(dimension) != Some(value));
    // One dimension is enough where it tells this chart from all others; folders are what people know them by.
    let mut candidates: Vec<(&Dimension, &Value)> = own.iter().collect();
    candidates.sort_by_key(|(dimension, _)| !matches!(dimension, Dimension::Other(_)));
    let told: Vec<(&Dimension, &Value)> = match candidates.iter().find(|(d, v)| differs(d, v)) {
        Some(&one) => vec![one],
        None => {
            let apart = |(d, v): &(&Dimension, &Value)| others().any(|o| o.get(*d) != Some(*v));
            candidates.into_iter().filter(apart).collect()
        }
    };
    told.into_iter().map(|(dimension, value)| (dimension.clone(), value.clone())).collect()
}

/// Dimension values that all of the runs have in common.
fn shared(campaign: &Campaign, places: &HashMap<&str, usize>, ids: &[String]) -> Shared {
    let mut runs: Vec<usize> = ids.iter().filter_map(|id| places.get(id.as_str()).copied()).collect();
    runs.sort_unstable();
    let mut runs = runs.into_iter().map(|at| &campaign.runs[at]);
    let Some(first) = runs.next() else { return Shared::new() };
    let mut shared: Shared = first.run.dimensions.iter().map(|(d, e)| (d.clone(), e.value.clone())).collect();
    for record in runs {
        shared.retain(|dimension, value| record.run.value(dimension) == Some(value));
    }
    shared
}
