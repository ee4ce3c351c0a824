//! The page of a run: what it was, what it measured, where that came from.

use crate::chart::value_name;
use crate::gallery::view::figures::head;
use crate::gallery::view::index::FindingView;
use crate::gallery::view::parts::{
    Card, CheckView, DiagnosticGroup, Fact, Head, Link, counted, grouped, label, origin, shown, value_text,
};
use crate::gallery::view::{PicturePage, RunPage, Site};
use crate::model::unit::{group_thousands, humanize, plain, significant, size_phrase};
use crate::model::{
    Ddir, Dimension, DimensionOrigin, Job, LittlesLaw, Measure, Metric, Operation, Origin, RunRecord, Stat,
    Tool,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// `runs/ID.html`.
#[derive(Serialize)]
pub(crate) struct RunView {
    head: Head,
    id: String,
    tool: String,
    /// A sentence on its errors; empty when there were none.
    error: String,
    /// What it was, in a line: `RAID 10, 64 KiB chunk, random read`.
    setup: String,
    /// The figures that matter most.
    key: Option<KeyFigures>,
    dimensions: Vec<Fact>,
    stats: Vec<&'static str>,
    figures: Vec<FigureRow>,
    /// True when some percentile is marked as unsupported.
    unsupported: bool,
    figure_count: String,
    /// I/Os in flight by Little's law; empty where it says nothing.
    little: String,
    model: Vec<Fact>,
    findings: Vec<FindingView>,
    checks: Vec<CheckView>,
    cards: Vec<Card>,
    jobs: Vec<JobView>,
    options: Vec<Fact>,
    environment: Vec<Fact>,
    sources: Vec<SourceView>,
    diagnostics: Vec<DiagnosticGroup>,
    previous: Option<Link>,
    next: Option<Link>,
}

/// Rates and latencies, a row for each direction and for syncs.
#[derive(Serialize)]
struct KeyFigures {
    heads: Vec<String>,
    rows: Vec<KeyRow>,
    /// True when some percentile is marked as unsupported.
    unsupported: bool,
}

#[derive(Serialize)]
struct KeyRow {
    ddir: &'static str,
    cells: Vec<FigureCell>,
}

/// All figures of one metric, direction and origin.
#[derive(Serialize)]
struct FigureRow {
    metric: &'static str,
    ddir: &'static str,
    origin: &'static str,
    n: String,
    cells: Vec<FigureCell>,
}

#[derive(Serialize, Default, Clone)]
struct FigureCell {
    text: String,
    unsupported: bool,
}

#[derive(Serialize)]
struct JobView {
    name: String,
    host: String,
    clones: u32,
    error: i64,
    /// `read 30 s, 1.2 GiB, 9,000 I/Os`, one for each direction.
    work: Vec<String>,
}

#[derive(Serialize)]
struct SourceView {
    path: String,
    format: String,
    sha256: String,
    rows: String,
    skipped: u64,
}

/// The page of one run.
pub(crate) fn run(site: &Site<'_>, page: &RunPage<'_>) -> RunView {
    let record = page.record;
    let run = &record.run;
    let stats = stats(record);
    let figures = figures(site, record, &stats);
    let paths: BTreeSet<&str> =
        run.sources.iter().map(|source| source.path.as_str()).chain([run.id.as_str()]).collect();
    let neighbour = |index: Option<usize>| index.and_then(|i| site.runs.get(i)).map(Link::run);
    let mut diagnostics = grouped(site, site.diagnostics_on(&paths).into_iter());
    for place in diagnostics.iter_mut().flat_map(|group| &mut group.places) {
        // The reader is there already.
        place.href.clear();
    }
    RunView {
        head: Head::below(site, label(run), "Runs", "runs"),
        id: shown(&run.id),
        tool: tool(&run.tool),
        error: error(&run.jobs),
        setup: setup(record),
        key: key(site, record),
        dimensions: dimensions(record),
        figure_count: counted(record.statistics.len(), "figure"),
        unsupported: figures.iter().flat_map(|row| &row.cells).any(|cell| cell.unsupported),
        stats: stats.into_iter().map(Stat::as_str).collect(),
        figures,
        little: record.little.map(little).unwrap_or_default(),
        model: model(site, page.index),
        findings: site.findings_on(page.index).map(FindingView::of_run).collect(),
        checks: site.checks_on(page.index).map(|check| CheckView::of_run(site, check, run)).collect(),
        cards: cards(site, page),
        jobs: jobs(site, &run.jobs),
        options: Fact::list(&run.options),
        environment: run.environment.iter().map(environment).collect(),
        sources: run.sources.iter().map(source).collect(),
        diagnostics,
        previous: neighbour(page.index.checked_sub(1)),
        next: neighbour(page.index.checked_add(1)),
    }
}

/// `fio 3.33`; for tables what they are.
fn tool(tool: &Tool) -> String {
    if tool.name == "rbench" { origin(tool) } else { shown(&tool.to_string()) }
}

/// A property of the environment, its key as words.
fn environment((key, value): (&String, &String)) -> Fact {
    let name = match key.as_str() {
        "cpu" => "CPU time".to_owned(),
        "disk_util" => "disk utilisation".to_owned(),
        "fio_version" => "version of fio".to_owned(),
        "hostname" => "host".to_owned(),
        "iodepth_level" => "I/Os in flight".to_owned(),
        "timestamp" => "written at".to_owned(),
        "sync_latency" => "latency of syncs".to_owned(),
        other => shown(other).replace('_', " "),
    };
    Fact::new(name, shown(value))
}

/// The charts that show the run, its own first.
fn cards(site: &Site<'_>, page: &RunPage<'_>) -> Vec<Card> {
    let mut pages: Vec<&PicturePage> = site.pictures_of(page.index).collect();
    pages.sort_by_key(|picture| !picture.is_of_one_run());
    pages.into_iter().map(Card::new).collect()
}

/// What was run, in the words of titles.
fn setup(record: &RunRecord) -> String {
    let words = record
        .run
        .dimensions
        .iter()
        .filter(|(dimension, _)| !matches!(dimension, Dimension::Other(name) if name.starts_with("path")))
        .map(|(dimension, entry)| shown(&value_name(dimension, Some(&entry.value))));
    words.collect::<Vec<_>>().join(", ")
}

/// IOPS, bandwidth and the latency of each direction, and the latency of syncs; None when the run has none of them.
fn key(site: &Site<'_>, record: &RunRecord) -> Option<KeyFigures> {
    let has = |measure: &Measure| {
        record.statistics.iter().any(|s| s.metric == measure.metric && s.stat == measure.stat)
    };
    let latency = |stat| {
        [Metric::Lat, Metric::Clat, Metric::Fsync]
            .into_iter()
            .map(|metric| Measure { metric, stat })
            .find(|m| has(m))
    };
    let rates = [Metric::Iops, Metric::Bw].into_iter().map(Measure::mean).filter(|m| has(m));
    let latencies = [Stat::Mean, Stat::P50, Stat::P99, Stat::Max].into_iter().filter_map(latency);
    let measures: Vec<Measure> = rates.chain(latencies).collect();
    let figure = |measure: &Measure, operation: Operation| {
        let (measure, ddir) = operation.figure_of(*measure)?;
        record.statistic(measure, ddir)
    };
    let cell = |measure: &Measure, operation| {
        let Some(statistic) = figure(measure, operation) else { return FigureCell::default() };
        let text = humanize(statistic.value, measure.unit(), site.units);
        FigureCell { text, unsupported: !statistic.supported }
    };
    let rows: Vec<KeyRow> = Operation::ALL
        .into_iter()
        .filter(|operation| *operation != Operation::Fsync || record.is_synced())
        .filter(|&operation| measures.iter().any(|measure| figure(measure, operation).is_some()))
        .map(|operation| KeyRow {
            ddir: operation.as_str(),
            cells: measures.iter().map(|m| cell(m, operation)).collect(),
        })
        .collect();
    let unsupported = rows.iter().flat_map(|row| &row.cells).any(|cell| cell.unsupported);
    let heads = measures.into_iter().map(head).collect();
    (!rows.is_empty()).then_some(KeyFigures { heads, rows, unsupported })
}

/// What the jobs with errors were; empty when none had any.
fn error(jobs: &[Job]) -> String {
    let failed: Vec<&Job> = jobs.iter().filter(|job| job.error != 0).collect();
    let Some(first) = failed.first() else { return String::new() };
    format!(
        "{} of {} reported an error (number {} in {}). Treat the figures of this run with care.",
        failed.len(),
        counted(jobs.len(), "job"),
        first.error,
        shown(&first.name)
    )
}

fn dimensions(record: &RunRecord) -> Vec<Fact> {
    record
        .run
        .dimensions
        .iter()
        .map(|(dimension, entry)| Fact {
            name: shown(dimension.title()),
            value: value_text(dimension, &entry.value),
            from: match entry.from {
                DimensionOrigin::Set => "set by the user",
                DimensionOrigin::Pattern => "the user's pattern",
                DimensionOrigin::Option => "stated in the file",
                DimensionOrigin::FileName => "the file's name",
                DimensionOrigin::Directory => "a directory's name",
                DimensionOrigin::Path => "a part of the path",
            }
            .to_owned(),
        })
        .collect()
}

/// The statistics that the run has, in table order.
fn stats(record: &RunRecord) -> Vec<Stat> {
    let present = |stat: &Stat| record.statistics.iter().any(|s| s.stat == *stat);
    Stat::ALL.iter().copied().filter(present).collect()
}

fn figures(site: &Site<'_>, record: &RunRecord, stats: &[Stat]) -> Vec<FigureRow> {
    let mut rows: BTreeMap<(Metric, Ddir, Origin), FigureRow> = BTreeMap::new();
    for statistic in &record.statistics {
        let row =
            rows.entry((statistic.metric, statistic.ddir, statistic.origin)).or_insert_with(|| FigureRow {
                metric: statistic.metric.title(),
                ddir: statistic.ddir.as_str(),
                origin: statistic.origin.as_str(),
                n: String::new(),
                cells: vec![FigureCell::default(); stats.len()],
            });
        if let Some(n) = statistic.n {
            row.n = group_thousands(&n.to_string());
        }
        let place = stats.iter().position(|stat| *stat == statistic.stat);
        if let Some(cell) = place.and_then(|place| row.cells.get_mut(place)) {
            let unit = Measure { metric: statistic.metric, stat: statistic.stat }.unit();
            *cell = FigureCell {
                text: humanize(statistic.value, unit, site.units),
                unsupported: !statistic.supported,
            };
        }
    }
    rows.into_values().collect()
}

/// `3.99 of 4 configured`.
fn little(law: LittlesLaw) -> String {
    format!("{} of {} configured", significant(law.measured, 3), plain(law.configured, 4))
}

/// The run against the RAID model.
fn model(site: &Site<'_>, index: usize) -> Vec<Fact> {
    use crate::model::unit::BaseUnit::{One, PerSecond};
    let text = |value, unit| humanize(value, unit, site.units);
    site.model_of(index)
        .map(|point| {
            let shallow = point
                .shallow
                .map(|iops| format!(", {} at this queue depth", text(iops, PerSecond)))
                .unwrap_or_default();
            let value = format!(
                "{} IOPS of {} expected{shallow}: {}",
                text(point.measured, PerSecond),
                text(point.expected, PerSecond),
                text(point.efficiency, One)
            );
            Fact::new(point.ddir.as_str(), value)
        })
        .collect()
}

/// The jobs; none where a single one has nothing to tell.
fn jobs(site: &Site<'_>, jobs: &[Job]) -> Vec<JobView> {
    let views: Vec<JobView> = jobs.iter().map(|one| job(site, one)).collect();
    let tells =
        |job: &JobView| job.error != 0 || job.clones > 1 || !job.host.is_empty() || !job.work.is_empty();
    if views.len() > 1 || views.iter().any(tells) { views } else { Vec::new() }
}

fn job(site: &Site<'_>, job: &Job) -> JobView {
    let work = Ddir::ALL.iter().filter_map(|ddir| {
        let parts: Vec<String> = [
            job.runtime_ms.get(ddir).map(|&ms| humanize(ms * 1e6, Metric::Lat.unit(), site.units)),
            job.bytes.get(ddir).map(|&bytes| size_phrase(bytes)),
            job.ios.get(ddir).map(|n| format!("{} I/Os", group_thousands(&n.to_string()))),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!parts.is_empty()).then(|| format!("{ddir} {}", parts.join(", ")))
    });
    JobView {
        name: shown(&job.name),
        host: job.host.as_deref().map(shown).unwrap_or_default(),
        clones: job.clones,
        error: job.error,
        work: work.collect(),
    }
}

fn source(source: &crate::model::Source) -> SourceView {
    SourceView {
        path: shown(&source.path),
        format: shown(&source.format),
        sha256: shown(&source.sha256),
        rows: group_thousands(&source.rows.to_string()),
        skipped: source.skipped,
    }
}
