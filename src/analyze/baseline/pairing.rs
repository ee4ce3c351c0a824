//! Which runs of one side are which of the other.
//!
//! In: the runs of both sides. Out: configurations that both have, and what is
//! left over. Looks at no figure.

use super::{BaselineRun, Pair};
use crate::model::{Dimension, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The configurations of two sides, matched.
#[derive(Debug)]
pub(super) struct Pairing<'a> {
    pub(super) pairs: Vec<Pair<'a>>,
    pub(super) only_in_base: Vec<String>,
    pub(super) only_in_new: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// What runs of one configuration share: their dimensions, or the id of a run that has none.
type Key = (BTreeMap<Dimension, Value>, Option<String>);
/// Options beside the dimensions; empty where they are not looked at.
type Options = BTreeMap<String, String>;
type Groups<'a> = BTreeMap<Key, BTreeMap<Options, Vec<&'a BaselineRun>>>;

/// Matches the runs of both sides.
///
/// Of runs with equal dimensions those with equal options belong together; where
/// one group is left on each side, they are compared and the difference is said.
pub(super) fn pair<'a>(base: &'a [BaselineRun], new: &'a [BaselineRun]) -> Pairing<'a> {
    let mut notes = Vec::new();
    let ignored = ignored(base, new, &mut notes);
    let with_options = base.iter().chain(new).all(|run| run.options.is_some());
    let base = groups(base, &ignored, with_options);
    let new = groups(new, &ignored, with_options);
    let names = Names::new(base.keys().chain(new.keys()));
    let mut pairing = Pairing { pairs: Vec::new(), only_in_base: Vec::new(), only_in_new: Vec::new(), notes };
    let none = BTreeMap::new();
    for key in base.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let (mut ours, mut theirs) =
            (base.get(key).unwrap_or(&none).clone(), new.get(key).unwrap_or(&none).clone());
        let several = ours.len() > 1 || theirs.len() > 1;
        let all: Vec<Options> = ours.keys().chain(theirs.keys()).cloned().collect();
        let name = |options: &Options| {
            let told = if several { differing(options, &all) } else { String::new() };
            if told.is_empty() { names.of(key) } else { format!("{} ({told})", names.of(key)) }
        };
        let mut together = Vec::new();
        for options in ours.keys().cloned().collect::<Vec<_>>() {
            if let Some(new) = theirs.remove(&options) {
                together.push((options.clone(), ours.remove(&options).unwrap_or_default(), new));
            }
        }
        if let (1, 1) = (ours.len(), theirs.len())
            && let (Some((before, base)), Some((after, new))) = (ours.pop_first(), theirs.pop_first())
        {
            pairing.notes.push(format!(
                "{}: the sides differ in {}",
                names.of(key),
                between(&before, &after)
            ));
            together.push((before, base, new));
        }
        for (options, base, new) in together {
            pairing.pairs.push(Pair { name: name(&options), dimensions: key.0.clone(), base, new });
        }
        pairing.only_in_base.extend(ours.keys().map(&name));
        pairing.only_in_new.extend(theirs.keys().map(&name));
    }
    pairing
}

fn groups<'a>(runs: &'a [BaselineRun], ignored: &BTreeSet<Dimension>, with_options: bool) -> Groups<'a> {
    let mut groups = Groups::new();
    for run in runs {
        let options = run.options.clone().filter(|_| with_options).unwrap_or_default();
        groups.entry(key(run, ignored)).or_default().entry(options).or_default().push(run);
    }
    groups
}

fn key(run: &BaselineRun, ignored: &BTreeSet<Dimension>) -> Key {
    let id = run.dimensions.is_empty().then(|| run.id.clone());
    let kept = run.dimensions.iter().filter(|(d, _)| **d != Dimension::Repeat && !ignored.contains(d));
    (kept.map(|(d, v)| (d.clone(), v.clone())).collect(), id)
}

/// Dimensions that tell the sides apart instead of the runs on them.
///
/// The host and the device, where each side has one of its own; and folders
/// that only one side has above its files, when its runs stay apart without them.
fn ignored(base: &[BaselineRun], new: &[BaselineRun], notes: &mut Vec<String>) -> BTreeSet<Dimension> {
    let values = |runs: &[BaselineRun], dimension: &Dimension| -> BTreeSet<Option<Value>> {
        runs.iter().map(|run| run.dimensions.get(dimension).cloned()).collect()
    };
    let dimensions: BTreeSet<&Dimension> =
        base.iter().chain(new).flat_map(|run| run.dimensions.keys()).collect();
    let mut ignored = BTreeSet::new();
    for dimension in dimensions.into_iter().filter(|d| **d != Dimension::Repeat) {
        let (ours, theirs) = (values(base, dimension), values(new, dimension));
        let absent = |values: &BTreeSet<Option<Value>>| values.iter().all(Option::is_none);
        let word = |values: &BTreeSet<Option<Value>>| match values.first() {
            Some(Some(value)) => value.to_string(),
            _ => "none".to_owned(),
        };
        let told = format!("{}: {} in the baseline, {} now", dimension.title(), word(&ours), word(&theirs));
        if matches!(dimension, Dimension::Host | Dimension::Device) {
            if ours.len() == 1 && theirs.len() == 1 && ours != theirs {
                notes.push(told);
                ignored.insert(dimension.clone());
            }
        } else if is_path(dimension) && absent(&ours) != absent(&theirs) {
            let runs = if absent(&ours) { new } else { base };
            let count = |ignored: &BTreeSet<Dimension>| {
                runs.iter().map(|run| key(run, ignored)).collect::<BTreeSet<_>>().len()
            };
            let mut without = ignored.clone();
            without.insert(dimension.clone());
            if count(&ignored) == count(&without) {
                ignored = without;
            }
        }
    }
    ignored
}

fn is_path(dimension: &Dimension) -> bool {
    let digits = dimension.as_str().strip_prefix("path");
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Names of configurations: the dimensions in which they differ, or all where that is not enough.
struct Names(BTreeMap<Key, String>);

impl Names {
    fn new<'k>(keys: impl Iterator<Item = &'k Key>) -> Self {
        let keys: BTreeSet<&Key> = keys.collect();
        let varies = |dimension: &Dimension| {
            let values: BTreeSet<&Value> = keys.iter().filter_map(|key| key.0.get(dimension)).collect();
            values.len() > 1
        };
        let phrase = |key: &Key, told: &dyn Fn(&Dimension) -> bool| -> String {
            let told = key.0.iter().filter(|(dimension, _)| told(dimension));
            told.map(|(dimension, value)| dimension.phrase(value)).collect::<Vec<_>>().join(", ")
        };
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for key in &keys {
            *count.entry(phrase(key, &varies)).or_default() += 1;
        }
        let name = |key: &Key| match &key.1 {
            Some(id) => id.clone(),
            None => {
                let short = phrase(key, &varies);
                let enough = !short.is_empty() && count.get(&short) == Some(&1);
                let name = if enough { short } else { phrase(key, &|_| true) };
                if name.is_empty() { "all runs".to_owned() } else { name }
            }
        };
        Names(keys.iter().map(|key| ((*key).clone(), name(key))).collect())
    }

    fn of(&self, key: &Key) -> String {
        self.0.get(key).cloned().unwrap_or_default()
    }
}

/// The options of a group that other groups of its configuration do not share: `runtime=40`.
fn differing(options: &Options, all: &[Options]) -> String {
    let keys: BTreeSet<&String> = all.iter().flat_map(|o| o.keys()).collect();
    let differs = |key: &&String| all.iter().any(|other| other.get(*key) != options.get(*key));
    let told = keys.into_iter().filter(differs);
    told.map(|key| format!("{key}={}", options.get(key).map_or("unset", String::as_str)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// What differs between two groups: `runtime (40 in the baseline, 20 now)`.
fn between(before: &Options, after: &Options) -> String {
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let value = |options: &Options, key: &String| {
        options
            .get(key)
            .map_or("unset".to_owned(), |v| if v.is_empty() { "set".to_owned() } else { v.clone() })
    };
    let told = keys.into_iter().filter(|key| before.get(*key) != after.get(*key));
    told.map(|key| format!("{key} ({} in the baseline, {} now)", value(before, key), value(after, key)))
        .collect::<Vec<_>>()
        .join(" and ")
}
