//! The first page: what was measured, what came of it, and where everything is.

use crate::gallery::view::Site;
use crate::gallery::view::overview::overview;
use crate::gallery::view::parts::{
    Card, CheckView, DiagnosticGroup, GENERATOR, Head, Link, compared, counted, ddirs, elided, figure_title,
    grouped, report_title, shown,
};
use crate::gallery::view::summary::{SummaryTable, summary};
use crate::model::{FileReport, FileState, Severity};
use serde::Serialize;
use std::collections::BTreeMap;

/// `index.html`.
#[derive(Serialize)]
pub(crate) struct Index {
    head: Head,
    overview: String,
    findings: Vec<FindingView>,
    /// Warnings and errors of the audit, worst first.
    checks: Vec<CheckView>,
    /// What it has to say besides.
    hints: Vec<CheckView>,
    summary: Option<SummaryTable>,
    metrics: Vec<Choice>,
    ddirs: Vec<Choice>,
    compares: Vec<Choice>,
    cards: Vec<Card>,
    runs: Vec<Link>,
    diagnostics: Vec<DiagnosticGroup>,
    diagnostic_count: String,
    files: Vec<FileGroup>,
    file_count: String,
    left_out: Vec<LeftOut>,
    downloads: Vec<Link>,
}

/// A sentence and the runs that it speaks of.
#[derive(Serialize)]
pub(super) struct FindingView {
    pub(super) kind: String,
    pub(super) text: String,
    pub(super) runs: Vec<Link>,
}

impl FindingView {
    pub(super) fn new(site: &Site<'_>, finding: &crate::model::Finding) -> Self {
        FindingView {
            kind: shown(&finding.kind),
            text: shown(&finding.text),
            runs: Link::runs(site, &finding.runs),
        }
    }
}

/// A value of a filter.
#[derive(Serialize)]
struct Choice {
    value: String,
    text: String,
    count: usize,
}

/// The files of one state.
#[derive(Serialize)]
struct FileGroup {
    status: String,
    /// What the state means.
    meaning: &'static str,
    count: usize,
    /// True for the states that a reader has to know of.
    open: bool,
    files: Vec<FileView>,
}

#[derive(Serialize)]
struct FileView {
    path: String,
    format: String,
    reason: String,
    run: Option<Link>,
    rows: u64,
    skipped: u64,
}

/// Something that the report does not show, and why.
#[derive(Serialize)]
struct LeftOut {
    text: String,
    /// Where it was left out, or what.
    places: Vec<Link>,
}

/// The first page; `downloads` are paths of files that it offers.
pub(crate) fn index(site: &Site<'_>, downloads: &[String]) -> Index {
    let campaign = site.campaign;
    let title = report_title(site);
    let (hints, mut checks): (Vec<_>, Vec<_>) =
        campaign.checks.iter().partition(|check| check.severity == Severity::Info);
    checks.sort_by_key(|check| std::cmp::Reverse(check.severity));
    Index {
        head: Head { report: title.clone(), title, root: "", crumbs: Vec::new(), generator: GENERATOR },
        overview: overview(site),
        findings: campaign.findings.iter().map(|finding| FindingView::new(site, finding)).collect(),
        checks: checks.iter().map(|check| CheckView::new(site, check)).collect(),
        hints: hints.iter().map(|check| CheckView::new(site, check)).collect(),
        summary: summary(site),
        metrics: choices(site.pictures.iter().map(|page| {
            let metric = page.picture.spec.y.metric;
            vec![(metric.as_str().to_owned(), metric.title().to_owned())]
        })),
        ddirs: choices(site.pictures.iter().map(|page| {
            ddirs(site, page).into_iter().map(|ddir| (ddir.to_owned(), ddir.to_owned())).collect()
        })),
        compares: choices(site.pictures.iter().map(|page| compared(page).into_iter().collect())),
        cards: site.pictures.iter().map(|page| Card::new(site, page)).collect(),
        runs: site.runs.iter().map(Link::run).collect(),
        diagnostics: grouped(campaign.diagnostics.iter()),
        diagnostic_count: counted(campaign.diagnostics.len(), "remark"),
        files: files(site),
        file_count: counted(campaign.files.len(), "file"),
        left_out: left_out(site),
        downloads: downloads.iter().map(|path| Link::to(path, path)).collect(),
    }
}

/// The values that occur, with the number of pictures that have each.
fn choices(pictures: impl Iterator<Item = Vec<(String, String)>>) -> Vec<Choice> {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for value in pictures.flatten() {
        *counts.entry(value).or_default() += 1;
    }
    counts.into_iter().map(|((value, text), count)| Choice { value, text, count }).collect()
}

/// The input files by state, those that went wrong first.
fn files(site: &Site<'_>) -> Vec<FileGroup> {
    let states = [
        (FileState::Failed, "recognised and broken; not in the figures"),
        (FileState::Ignored, "no benchmark output, or empty"),
        (FileState::Read, "their figures are in the report"),
        (FileState::Companion, "found beside a named file, or set aside for a better source of the same run"),
    ];
    let group = |(state, meaning)| {
        let files: Vec<FileView> = site
            .campaign
            .files
            .iter()
            .filter(|file| file.status == state)
            .map(|file| file_view(site, file))
            .collect();
        FileGroup {
            status: state.to_string(),
            meaning,
            count: files.len(),
            open: state == FileState::Failed,
            files,
        }
    };
    states.into_iter().map(group).filter(|group| group.count > 0).collect()
}

fn file_view(site: &Site<'_>, file: &FileReport) -> FileView {
    let run = file.run.as_ref().and_then(|id| site.runs.iter().find(|page| page.record.run.id == *id));
    FileView {
        path: shown(&file.path),
        format: shown(file.format.as_deref().unwrap_or_default()),
        reason: shown(&file.reason),
        run: run.map(Link::run),
        rows: file.rows,
        skipped: file.skipped,
    }
}

/// Rows dropped, percentiles withheld, runs in no chart, and what the charts themselves left out.
fn left_out(site: &Site<'_>) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    let skipped: Vec<&FileReport> = site.campaign.files.iter().filter(|file| file.skipped > 0).collect();
    if !skipped.is_empty() {
        let rows = skipped.iter().fold(0u64, |sum, file| sum.saturating_add(file.skipped));
        let rows = counted(usize::try_from(rows).unwrap_or(usize::MAX), "row");
        let text = format!("{rows} in {} could not be used.", counted(skipped.len(), "file"));
        left_out.push(LeftOut { text, places: Vec::new() });
    }
    let unsupported =
        site.campaign.runs.iter().flat_map(|record| &record.statistics).filter(|s| !s.supported).count();
    if unsupported > 0 {
        let text = format!(
            "{} have fewer than 10 I/Os beyond them; they are marked on the pages of their runs and left out of the table.",
            counted(unsupported, "percentile")
        );
        left_out.push(LeftOut { text, places: Vec::new() });
    }
    let uncharted: Vec<Link> = site
        .runs
        .iter()
        .filter(|run| !site.pictures.iter().any(|page| page.picture.figure.runs.contains(&run.index)))
        .map(Link::run)
        .collect();
    if !uncharted.is_empty() && !site.pictures.is_empty() {
        let text = format!("{} in no chart:", counted(uncharted.len(), "run"));
        left_out.push(LeftOut { text, places: uncharted });
    }
    let mut notes: BTreeMap<&str, Vec<Link>> = BTreeMap::new();
    for page in &site.pictures {
        for note in &page.picture.figure.notes {
            notes.entry(note).or_default().push(Link::to(&page.page(), &elided(&figure_title(page))));
        }
    }
    left_out.extend(notes.into_iter().map(|(note, places)| LeftOut { text: shown(note), places }));
    left_out
}
