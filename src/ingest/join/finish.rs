//! Runs from drafts: ids, labels, and the files that each came from.
//!
//! In: drafts and their dimensions. Out: [`Run`]s in order of their ids, and the files' reports told
//! which run they are of.

use super::draft::Draft;
use super::labelling::Dimensions;
use crate::discover::SourceFile;
use crate::ingest::fio_report::error_phrase;
use crate::model::text::few;
use crate::model::unit::plain;
use crate::model::{Diagnostic, FileReport, Job, Metric, Run, Severity, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Names the drafts and makes runs of them.
pub(super) fn finish(
    drafts: Vec<Draft>,
    labelled: Vec<Dimensions>,
    sources: &[SourceFile],
    files: &mut [FileReport],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Run> {
    let mut named: Vec<(String, Draft, Dimensions)> =
        drafts.into_iter().zip(labelled).map(|(draft, dimensions)| (draft.id(), draft, dimensions)).collect();
    // Equal ids: the run with an output keeps the plain one.
    named.sort_by(|(a, x, _), (b, y, _)| a.cmp(b).then(y.part.summaries.len().cmp(&x.part.summaries.len())));
    let mut runs: Vec<Run> = Vec::with_capacity(named.len());
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for (wanted, draft, dimensions) in named {
        let mut id = wanted.clone();
        let mut copy = 2;
        while !taken.insert(id.clone()) {
            id = format!("{wanted}~{copy}");
            copy += 1;
        }
        runs.push(run_of(draft, id, dimensions, sources, files, diagnostics));
    }
    runs
}

fn run_of(
    draft: Draft,
    id: String,
    dimensions: Dimensions,
    sources: &[SourceFile],
    files: &mut [FileReport],
    diagnostics: &mut Vec<Diagnostic>,
) -> Run {
    let Draft { stem, key, part, mut series, sources: mut owned, epochs, .. } = draft;
    let output = owned.first().copied();
    owned.sort_by(|&a, &b| sources[a].relative.cmp(&sources[b].relative));
    for &source in &owned {
        let report = &mut files[source];
        report.run.get_or_insert_with(|| id.clone());
        for (dimension, entry) in &dimensions {
            report.dimensions.entry(dimension.clone()).or_insert_with(|| entry.clone());
        }
    }
    let generic = ["output", "out", "fio", "result", "results", "stdout", "-"]
        .contains(&stem.to_ascii_lowercase().as_str());
    let label = match &part.label {
        Some(label) if generic || !key.is_empty() => label.clone(),
        _ if key.is_empty() => stem,
        _ => format!("{stem} {key}"),
    };
    let path = output.map_or(&id, |source| &files[source].path);
    let several = || series.iter().any(|one| Some(one.job) != series.first().map(|first| first.job));
    let apart = epochs.filter(|_| several()).and_then(|(first, last)| started_apart(first, last));
    diagnostics.extend(apart.map(|text| Diagnostic::new(Severity::Warning, &id, text)));
    diagnostics.extend(failures(&part.jobs).map(|text| Diagnostic::new(Severity::Warning, path, text)));
    // What an output holds over time is coarser than its logs.
    let logged: BTreeSet<Metric> = series.iter().map(|series| series.metric).collect();
    series.extend(part.series.into_iter().filter(|series| !logged.contains(&series.metric)));
    series.sort_by_key(|s| (s.metric, s.ddir, s.job, s.clone));
    Run {
        id,
        label,
        tool: part.tool,
        sources: owned
            .iter()
            .map(|&source| {
                let report = &files[source];
                Source {
                    path: report.path.clone(),
                    sha256: report.sha256.clone().unwrap_or_default(),
                    format: report.format.clone().unwrap_or_default(),
                    rows: report.rows,
                    skipped: report.skipped,
                }
            })
            .collect(),
        dimensions,
        options: part.jobs.first().map(|job| job.options.clone()).unwrap_or_default(),
        environment: part.environment,
        jobs: part.jobs,
        series,
        summaries: part.summaries,
    }
}

/// Milliseconds up to which jobs are taken to have started together: they begin one after the other, and the first
/// rows of their logs come at different times.
const TOGETHER_MS: u64 = 2000;

/// A sentence where the jobs of a run started at different times (Unix, ms).
pub(in crate::ingest) fn started_apart(first: u64, last: u64) -> Option<String> {
    let apart = last.saturating_sub(first);
    (apart > TOGETHER_MS).then(|| {
        format!(
            "its jobs started up to {} s apart, and each counts from its own start: where they did not run at the same \
             time, their sum is more than the device did",
            plain(apart as f64 / 1000.0, 3)
        )
    })
}

/// A sentence on each error with which jobs ended, for the formats of all tools and for stores.
fn failures(jobs: &[Job]) -> impl Iterator<Item = String> {
    /// Most jobs that are named.
    const NAMED: usize = 3;
    let mut failed: BTreeMap<i64, Vec<&str>> = BTreeMap::new();
    for job in jobs.iter().filter(|job| job.error != 0) {
        failed.entry(job.error).or_default().push(&job.name);
    }
    failed.into_iter().map(|(error, names)| {
        let (many, which) = if names.len() == 1 { ("job", "its") } else { ("jobs", "their") };
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let (named, phrase) = (few(&quoted, NAMED), error_phrase(error));
        format!("{many} {named} ended with error {error}{phrase}; {which} figures cover what came before")
    })
}

#[cfg(test)]
mod tests {
    use super::{failures, started_apart};
    use crate::model::Job;

    #[test]
    fn jobs_that_ended_with_one_error_are_one_sentence() {
        let job = |name: &str, error| Job { name: name.to_owned(), error, ..Job::default() };
        let jobs = [job("a", 5), job("b", 0), job("c", 28), job("d", 5), job("e", 5), job("f", 5)];
        let told: Vec<String> = failures(&jobs).collect();
        assert_eq!(
            told,
            [
                "jobs `a`, `d`, `e` and 1 more ended with error 5 (input/output error); their figures cover what came before",
                "job `c` ended with error 28 (no space left on device); its figures cover what came before",
            ]
        );
        assert_eq!(failures(&jobs[1..2]).next(), None);
    }

    #[test]
    fn jobs_that_started_apart_are_told() {
        assert_eq!(started_apart(1_796_140_000_500, 1_796_140_001_700), None);
        let told = started_apart(1_796_140_000_000, 1_796_140_060_000);
        assert!(told.is_some_and(|text| text.starts_with("its jobs started up to 60 s apart, ")));
    }
}
