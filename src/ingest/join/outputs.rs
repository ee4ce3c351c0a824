//! The runs that the outputs of one directory describe, each once.
//!
//! In: outputs. Out: drafts. A run that two outputs describe (JSON beside normal output) is taken from the
//! one with more digits; the other becomes a companion. Logs come later.

use super::OutputFile;
use super::claim::stem;
use super::draft::Draft;
use crate::discover::SourceFile;
use crate::ingest::RunPart;
use crate::ingest::blocks::{Subject, subject};
use crate::model::{Ddir, FileReport, FileState, Metric};
use std::collections::{BTreeMap, HashMap};

/// Drafts a run for every part of the outputs of `directory`.
pub(super) fn draft(
    mut outputs: Vec<OutputFile>,
    directory: &str,
    sources: &[SourceFile],
    files: &mut [FileReport],
) -> Vec<Draft> {
    let mut drafted: Vec<Draft> = Vec::new();
    // By what they report on: drafts of the more exact formats, and those of the format that is at turn.
    let (mut exacter, mut equal): (Reported, Reported) = Default::default();
    let mut turn = None;
    outputs.sort_by_cached_key(|output| exactness(files[output.source].format.as_deref()));
    for output in outputs {
        let stem = stem(sources[output.source].file_name());
        let own = exactness(files[output.source].format.as_deref());
        if turn.replace(own) != Some(own) {
            for (subject, drafts) in std::mem::take(&mut equal) {
                exacter.entry(subject).or_default().extend(drafts);
            }
        }
        for part in output.parts {
            let subject = subject(&part);
            let reported = exacter.get(&subject).into_iter().flatten().map(|&index: &usize| &drafted[index]);
            let repeated = reported.into_iter().find(|draft| {
                draft.sources[0] != output.source && (draft.stem == stem || same_figures(&draft.part, &part))
            });
            if let Some(draft) = repeated {
                let report = &mut files[output.source];
                report.status = FileState::Companion;
                report.reason = format!(
                    "describes the run that {} describes more exactly; counted once",
                    sources[draft.sources[0]].file_name()
                );
                continue;
            }
            equal.entry(subject).or_default().push(drafted.len());
            drafted.push(Draft::of_output(directory, stem, part, output.source));
        }
    }
    drafted
}

/// Drafts by what their outputs report on, in their order.
type Reported = HashMap<Subject, Vec<usize>>;

/// Of two outputs of one run the one with the smaller number is read: JSON has all digits, terse microseconds, normal output four digits.
fn exactness(format: Option<&str>) -> usize {
    let order = ["fio-json", "fio-terse", "fio-normal"];
    order
        .iter()
        .position(|name| format.is_some_and(|f| f.split('+').any(|f| f == *name)))
        .unwrap_or(order.len())
}

/// True when both report the same rates, to the digits that the coarser one prints.
fn same_figures(a: &RunPart, b: &RunPart) -> bool {
    let figures = |part: &RunPart| -> BTreeMap<(Metric, Ddir), f64> {
        let mut sums = BTreeMap::new();
        for summary in part.summaries.iter().filter(|s| s.metric.is_rate()) {
            *sums.entry((summary.metric, summary.ddir)).or_default() += summary.mean.unwrap_or(0.0);
        }
        sums
    };
    let (a, b) = (figures(a), figures(b));
    !a.is_empty()
        && a.len() == b.len()
        && a.iter()
            .all(|(key, x)| b.get(key).is_some_and(|y| (x / y - 1.0).abs() < 0.005 || (x - y).abs() < 1.0))
}
