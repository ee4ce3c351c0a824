//! The first page: what was measured, what came of it, and where everything is.

use crate::gallery::view::baseline::{BaselineView, baseline};
use crate::gallery::view::comparison::{ComparisonView, alone, comparisons};
use crate::gallery::view::method::{Method, method};
use crate::gallery::view::overview::{facts, overview};
use crate::gallery::view::parts::{
    Card, CheckView, DiagnosticGroup, GENERATOR, Head, Link, compared, counted, elided, figure_title,
    grouped, metrics, report_title, shown,
};
use crate::gallery::view::summary::{SummaryTable, summary};
use crate::gallery::view::{PicturePage, RunPage, Site};
use crate::model::{Diagnostic, FileReport, FileState, RunRecord, Severity};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Charts from which on filters help.
const FILTERED: usize = 4;

/// `index.html`.
#[derive(Serialize)]
pub(crate) struct Index {
    head: Head,
    /// Paragraphs of the user's.
    description: Vec<String>,
    overview: String,
    /// What all runs share.
    facts: Vec<String>,
    /// What casts doubt on the figures, with the way to it.
    notices: Vec<Link>,
    findings: Vec<FindingView>,
    /// What changed since an earlier campaign.
    baseline: Option<BaselineView>,
    method: Option<Method>,
    /// True when the sentences of the comparisons stand in for findings.
    glance: bool,
    metrics: Vec<Choice>,
    ddirs: Vec<Choice>,
    dimensions: Vec<Choice>,
    comparisons: Vec<ComparisonView>,
    /// Charts that belong to no comparison.
    cards: Vec<Card>,
    /// True when the charts are enough to filter them.
    filters: bool,
    /// True when any chart stands on the page.
    charts: bool,
    summary: Option<SummaryTable>,
    /// Runs in no comparison.
    alone: Vec<Link>,
    alone_count: String,
    runs: Vec<Link>,
    run_count: String,
    /// Warnings and errors of the audit, worst first.
    checks: Vec<CheckView>,
    /// What it has to say besides.
    hints: Vec<CheckView>,
    left_out: Vec<LeftOut>,
    left_out_count: String,
    remarks: Vec<Remarks>,
    files: Vec<FileGroup>,
    file_count: String,
    downloads: Vec<Link>,
}

/// Remarks on one kind of thing.
#[derive(Serialize)]
struct Remarks {
    id: &'static str,
    /// `9 remarks on the data of runs`.
    title: String,
    /// True for what a reader has to know of.
    open: bool,
    groups: Vec<DiagnosticGroup>,
    /// Files with the reason for each, where there is nothing more to say.
    places: Vec<String>,
}

/// A sentence and the runs that it speaks of.
#[derive(Serialize)]
pub(super) struct FindingView {
    pub(super) kind: String,
    pub(super) text: String,
    /// `12 runs`.
    pub(super) count: String,
    pub(super) runs: Vec<Link>,
}

impl FindingView {
    pub(super) fn new(site: &Site<'_>, finding: &crate::model::Finding) -> Self {
        FindingView { runs: Link::runs(site, &finding.runs), ..FindingView::of_run(finding) }
    }

    /// The finding on the page of one of its runs, without links to all others: the first page has them, and
    /// pages of a thousand runs with a thousand links each would be most of a report.
    pub(super) fn of_run(finding: &crate::model::Finding) -> Self {
        FindingView {
            kind: shown(&finding.kind),
            text: shown(&finding.text),
            count: counted(finding.runs.len(), "run"),
            runs: Vec::new(),
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
    /// What the places are: `runs`, `charts`.
    noun: &'static str,
}

/// The first page; `downloads` are paths of files that it offers.
pub(crate) fn index(site: &Site<'_>, downloads: &[String]) -> Index {
    let campaign = site.campaign;
    let title = report_title(site);
    let (hints, mut checks): (Vec<_>, Vec<_>) =
        campaign.checks.iter().partition(|check| check.severity == Severity::Info);
    checks.sort_by_key(|check| std::cmp::Reverse(check.severity));
    let comparisons = comparisons(site);
    let shown_pages = on_the_page(site);
    let baseline = baseline(site);
    let sections =
        comparisons.iter().map(|section| &section.cards).chain(baseline.as_ref().map(|b| &b.cards));
    let placed: BTreeSet<&str> = sections.flatten().map(|card| card.href.as_str()).collect();
    let cards: Vec<Card> = shown_pages
        .iter()
        .map(|page| Card::new(page))
        .filter(|card| !placed.contains(card.href.as_str()))
        .collect();
    let pages = || shown_pages.iter();
    let left_out = left_out(site);
    let remarks = remarks(site);
    let alone = if campaign.contrasts.is_empty() { Vec::new() } else { alone(site) };
    Index {
        head: Head { report: title.clone(), title, root: "", crumbs: Vec::new(), generator: GENERATOR },
        description: paragraphs(campaign.description.as_deref().unwrap_or_default()),
        overview: overview(site),
        facts: facts(site),
        notices: notices(site, &remarks, checks.len()),
        findings: campaign.findings.iter().map(|finding| FindingView::new(site, finding)).collect(),
        method: method(site),
        baseline,
        glance: comparisons.iter().any(|section| section.told && !section.sentences.is_empty()),
        filters: shown_pages.len() >= FILTERED,
        metrics: choices(pages().map(|page| {
            metrics(page).into_iter().map(|m| (m.as_str().to_owned(), m.title().to_owned())).collect()
        })),
        ddirs: choices(
            pages()
                .map(|page| page.ddirs.iter().map(|ddir| ((*ddir).to_owned(), (*ddir).to_owned())).collect()),
        ),
        dimensions: choices(pages().map(|page| compared(page).into_iter().collect())),
        charts: !shown_pages.is_empty(),
        comparisons,
        cards,
        summary: summary(site),
        alone_count: counted(alone.len(), "run"),
        alone,
        runs: site.runs.iter().map(Link::run).collect(),
        run_count: counted(site.runs.len(), "run"),
        checks: checks.iter().map(|check| CheckView::new(site, check)).collect(),
        hints: hints.iter().map(|check| CheckView::new(site, check)).collect(),
        left_out_count: counted(left_out.len(), "note"),
        left_out,
        remarks,
        files: files(site),
        file_count: counted(campaign.files.len(), "file"),
        downloads: downloads.iter().map(|path| Link::to(path, path)).collect(),
    }
}

/// The paragraphs of a text: what blank lines part.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        match paragraphs.last_mut() {
            Some(open) if !line.trim().is_empty() => *open += &format!("{line}\n"),
            _ => paragraphs.push(String::new()),
        }
    }
    paragraphs.iter().map(|text| shown(text)).filter(|text| !text.is_empty()).collect()
}

/// The charts of several runs; those of single runs only where there is nothing else to show.
fn on_the_page<'s, 'a>(site: &'s Site<'a>) -> Vec<&'s PicturePage> {
    let all = || site.pictures.iter();
    if all().any(|page| !page.is_of_one_run()) {
        all().filter(|page| !page.is_of_one_run()).collect()
    } else {
        all().collect()
    }
}

/// What casts doubt on the figures, counted, each leading to where it is told.
fn notices(site: &Site<'_>, remarks: &[Remarks], checks: usize) -> Vec<Link> {
    let errors: Vec<&RunPage<'_>> = site.runs.iter().filter(|page| page.record.run.has_error()).collect();
    let failed = site.campaign.files.iter().filter(|file| file.status == FileState::Failed).count();
    let mut notices = Vec::new();
    if !errors.is_empty() {
        notices.push(Link::to("#runs", &format!("{} reported errors", counted(errors.len(), "run"))));
    }
    if failed > 0 {
        notices.push(Link::to("#files", &format!("{} could not be read", counted(failed, "file"))));
    }
    if checks > 0 {
        notices.push(Link::to("#checks", &format!("{} about the method", counted(checks, "doubt"))));
    }
    let doubts = remarks.iter().filter(|remark| remark.open);
    notices.extend(doubts.map(|remark| Link::to(&format!("#{}", remark.id), &remark.title)));
    notices
}

/// Remarks by what they are on: the figures of runs, comparisons, files.
fn remarks(site: &Site<'_>) -> Vec<Remarks> {
    let ids: BTreeSet<&str> = site.campaign.runs.iter().map(|record| record.run.id.as_str()).collect();
    let files: BTreeSet<&str> = site.campaign.files.iter().map(|file| file.path.as_str()).collect();
    let kind = |diagnostic: &Diagnostic| {
        if ids.contains(diagnostic.path.as_str()) {
            0
        } else if !files.contains(diagnostic.path.as_str()) {
            1
        } else {
            2
        }
    };
    let kinds = [
        ("remarks-data", "on the data"),
        ("remarks-comparisons", "on comparisons and settings"),
        ("remarks-files", "on files"),
    ];
    let ignored: BTreeSet<&str> = site
        .campaign
        .files
        .iter()
        .filter(|file| file.status == FileState::Ignored)
        .map(|file| file.path.as_str())
        .collect();
    let passed_over = |diagnostic: &Diagnostic| {
        diagnostic.severity == Severity::Info && ignored.contains(diagnostic.path.as_str())
    };
    let told = || site.diagnostics().filter(|diagnostic| !passed_over(diagnostic));
    let of = |(place, (id, on)): (usize, (&'static str, &str))| {
        let own = || told().filter(|diagnostic| kind(diagnostic) == place);
        Remarks {
            id,
            title: format!("{} {on}", counted(own().count(), "remark")),
            open: place == 0 || own().any(|diagnostic| diagnostic.severity != Severity::Info),
            groups: grouped(site, own()),
            places: Vec::new(),
        }
    };
    let remarks = kinds.into_iter().enumerate().map(of).filter(|remarks| !remarks.groups.is_empty());
    remarks.chain(ignored_files(site.diagnostics().filter(|d| passed_over(d)))).collect()
}

/// One line for all files that were passed over.
fn ignored_files<'d>(remarks: impl Iterator<Item = &'d Diagnostic>) -> Option<Remarks> {
    let places: Vec<String> =
        remarks.map(|remark| format!("{}: {}", shown(&remark.path), shown(&remark.message))).collect();
    (!places.is_empty()).then(|| Remarks {
        id: "remarks-ignored",
        title: format!("{} ignored: no benchmark output, or empty", counted(places.len(), "file")),
        open: false,
        groups: Vec::new(),
        places,
    })
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
        left_out.push(LeftOut { text, places: Vec::new(), noun: "files" });
    }
    let unsupported = site.campaign.runs.iter().flat_map(RunRecord::unsupported).count();
    if unsupported > 0 {
        let text = format!(
            "{} have fewer than 10 I/Os beyond them; they are marked on the pages of their runs and left out of the table.",
            counted(unsupported, "percentile")
        );
        left_out.push(LeftOut { text, places: Vec::new(), noun: "files" });
    }
    let uncharted: Vec<Link> =
        site.runs.iter().filter(|run| site.pictures_of(run.index).next().is_none()).map(Link::run).collect();
    if !uncharted.is_empty() && !site.pictures.is_empty() {
        let text = format!("{} in no chart:", counted(uncharted.len(), "run"));
        left_out.push(LeftOut { text, places: uncharted, noun: "runs" });
    }
    let mut notes: BTreeMap<&str, Vec<Link>> = BTreeMap::new();
    for page in &site.pictures {
        for note in &page.picture.figure.notes {
            notes.entry(note).or_default().push(Link::to(&page.page(), &elided(&figure_title(page))));
        }
    }
    left_out.extend(notes.into_iter().map(|(note, places)| LeftOut {
        text: shown(note),
        places,
        noun: "charts",
    }));
    left_out
}
