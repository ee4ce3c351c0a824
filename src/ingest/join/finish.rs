//! Runs from drafts: ids, labels, and the files that each came from.
//!
//! In: drafts and their dimensions. Out: [`Run`]s in order of their ids, and the files' reports told
//! which run they are of.

use super::draft::Draft;
use super::labelling::Dimensions;
use crate::discover::SourceFile;
use crate::model::{Diagnostic, FileReport, Metric, Run, Severity, Source};
use std::collections::BTreeSet;

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
    let Draft { stem, key, part, mut series, sources: mut owned, .. } = draft;
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
    for job in part.jobs.iter().filter(|job| job.error != 0) {
        let message = format!(
            "job `{}` ended with error {}; its figures cover only what it did before",
            job.name, job.error
        );
        diagnostics.push(Diagnostic::new(Severity::Warning, &id, message));
    }
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
