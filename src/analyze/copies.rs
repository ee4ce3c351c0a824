//! Copies: runs that are another run once more, under another name.
//!
//! In: a campaign with the figures of each run. Out: which run is a copy of which. A repeat that measures anew
//! never has every figure of another one to the last bit. The figures are compared, not the files: a hash costs as
//! much as reading a long log, is not known to every command, and differs between a file and the same one packed.
//! Whole numbers, as some tables hold them, come out the same by chance; so a copy takes what chance cannot repeat
//! ([`is_telling`]).

use super::contrast::{Conditions, conditions};
use crate::model::text::few;
use crate::model::{Campaign, Diagnostic, Dimension, Run, RunRecord, SeriesKind, Severity, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Different values in a log that no second run has in the same order.
const TELLING: usize = 5;
/// Copies that a sentence names.
const NAMED: usize = 4;

/// Runs of one configuration with the same figures: tool, dimensions but for the repeat, options, and every figure's bits.
type Key<'a> = (&'a str, Vec<(&'a Dimension, &'a Value)>, Conditions, Vec<u64>);

/// The copies among the runs of a campaign, each with the run that it is a copy of: the first one of its like.
pub(super) fn copies(campaign: &Campaign) -> BTreeMap<usize, usize> {
    let mut originals: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    let mut copies = BTreeMap::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        if !is_telling(&record.run) {
            continue;
        }
        let like = originals.entry(key(record)).or_default();
        match like.iter().find(|&&first| is_same(&campaign.runs[first].run, &record.run)) {
            Some(&first) => {
                copies.insert(index, first);
            }
            None => like.push(index),
        }
    }
    copies
}

fn key(record: &RunRecord) -> Key<'_> {
    let run = &record.run;
    let dimensions = run.dimensions.iter().filter(|(d, _)| **d != Dimension::Repeat);
    let figures = record.statistics.iter().map(|s| s.value.to_bits()).collect();
    (&run.tool.name, dimensions.map(|(d, e)| (d, &e.value)).collect(), conditions(run), figures)
}

/// True when all that was measured is the same, the time of the measurement included.
fn is_same(a: &Run, b: &Run) -> bool {
    (&a.environment, &a.jobs, &a.summaries, &a.series) == (&b.environment, &b.jobs, &b.summaries, &b.series)
}

/// True for a run that no second one is equal to by chance: it says when it was measured, or its logs go up and down.
fn is_telling(run: &Run) -> bool {
    let varied = run.series.iter().any(|series| match &series.kind {
        SeriesKind::Windowed { samples, .. } => {
            samples.iter().map(|s| s.value.to_bits()).collect::<BTreeSet<_>>().len() >= TELLING
        }
        SeriesKind::Cells(grid) => grid.cells.iter().map(|c| c.sum).collect::<BTreeSet<_>>().len() >= TELLING,
        SeriesKind::Counts(_) => false,
    });
    varied || run.environment.contains_key("timestamp")
}

/// The copies of each run, by the run that they are copies of.
pub(super) fn by_original(copies: &BTreeMap<usize, usize>) -> BTreeMap<usize, Vec<usize>> {
    let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (&copy, &original) in copies {
        all.entry(original).or_default().push(copy);
    }
    all
}

/// A sentence for each run that has copies.
pub(super) fn remarks(campaign: &Campaign) -> Vec<Diagnostic> {
    let id = |index: usize| campaign.runs[index].run.id.as_str();
    let remark = |(original, copies): (usize, Vec<usize>)| {
        let ids: Vec<&str> = copies.iter().map(|&copy| id(copy)).collect();
        let names = few(&ids, NAMED);
        let message = if copies.len() == 1 {
            format!("{names} has exactly its figures: a copy counts as no repeat")
        } else {
            format!("{names} have exactly its figures: copies count as no repeats")
        };
        Diagnostic::new(Severity::Warning, id(original), message)
    };
    by_original(&campaign.copies).into_iter().map(remark).collect()
}
