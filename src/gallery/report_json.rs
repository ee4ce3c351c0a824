//! `report.json`: the whole report for programs.
//!
//! The schema is published as `docs/report.schema.json`; a change of it is a
//! new [`SCHEMA`]. Numbers are in base units, floats in their shortest form
//! that reads back the same; what is no finite number is null.

use crate::gallery::GalleryError;
use crate::gallery::view::{PicturePage, Site};
use crate::model::unit::BaseUnit;
use crate::model::{
    Baseline, Campaign, Check, Comparison, Ddir, Diagnostic, Finding, LittlesLaw, Measure, Metric,
    ModelPoint, Origin, Phases, RunRecord, Severity, Source, Stat, SteadyState, TimeSpan, Verdict,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the schema.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    version: &'static str,
    title: &'a str,
    dimensions: Vec<&'a str>,
    /// Only where the figures are of a part of the runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<TimeSpan>,
    runs: Vec<RunEntry<'a>>,
    charts: Vec<ChartEntry<'a>>,
    comparisons: Vec<ComparisonEntry<'a>>,
    model: Vec<ModelEntry<'a>>,
    /// Steady state over repeats.
    rounds: Vec<RoundsEntry<'a>>,
    /// Null without a baseline.
    baseline: Option<&'a Baseline>,
    findings: Vec<FindingEntry<'a>>,
    checks: Vec<CheckEntry<'a>>,
    diagnostics: Vec<DiagnosticEntry<'a>>,
}

#[derive(Serialize)]
struct RunEntry<'a> {
    id: &'a str,
    label: &'a str,
    /// Name and version, `fio 3.33`.
    tool: String,
    dimensions: BTreeMap<&'a str, &'a str>,
    environment: &'a BTreeMap<String, String>,
    sources: &'a [Source],
    summaries: Vec<SummaryEntry>,
    littles_law: Option<LittlesLaw>,
    steady: &'a [SteadyState],
    phases: &'a [Phases],
    status: &'static str,
}

#[derive(Serialize)]
struct SummaryEntry {
    metric: Metric,
    ddir: Ddir,
    stat: Stat,
    value: f64,
    unit: BaseUnit,
    origin: Origin,
    n: Option<u64>,
}

#[derive(Serialize)]
struct ChartEntry<'a> {
    id: &'a str,
    title: &'a str,
    files: BTreeMap<String, String>,
    runs: Vec<&'a str>,
    alt: &'a str,
}

#[derive(Serialize)]
struct ComparisonEntry<'a> {
    metric: Metric,
    ddir: Ddir,
    by: &'a str,
    cells: Vec<CellEntry<'a>>,
    pairs: Vec<PairEntry<'a>>,
}

#[derive(Serialize)]
struct CellEntry<'a> {
    value: Option<&'a str>,
    n: usize,
    mean: f64,
    low: Option<f64>,
    high: Option<f64>,
    runs: Vec<&'a str>,
}

#[derive(Serialize)]
struct PairEntry<'a> {
    a: &'a str,
    b: &'a str,
    ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    p_adjusted: Option<f64>,
    verdict: Verdict,
}

#[derive(Serialize)]
struct ModelEntry<'a> {
    run: &'a str,
    ddir: Ddir,
    expected: f64,
    shallow: Option<f64>,
    measured: f64,
    efficiency: f64,
    drives: u32,
    drive_iops: f64,
    /// The single-disk run that `drive_iops` was measured in.
    drive_run: Option<&'a str>,
}

#[derive(Serialize)]
struct RoundsEntry<'a> {
    runs: Vec<&'a str>,
    state: &'a SteadyState,
}

#[derive(Serialize)]
struct FindingEntry<'a> {
    kind: &'a str,
    text: &'a str,
    runs: Vec<&'a str>,
    values: &'a BTreeMap<String, f64>,
}

#[derive(Serialize)]
struct CheckEntry<'a> {
    id: &'a str,
    severity: Severity,
    runs: Vec<&'a str>,
    evidence: &'a BTreeMap<String, String>,
    advice: &'a str,
}

#[derive(Serialize)]
struct DiagnosticEntry<'a> {
    severity: Severity,
    path: &'a str,
    line: Option<u64>,
    message: &'a str,
}

/// The document's bytes.
pub(crate) fn document(site: &Site<'_>) -> Result<Vec<u8>, GalleryError> {
    let campaign = site.campaign;
    let document = Document {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        title: &campaign.title,
        dimensions: campaign.dimensions.iter().map(|dimension| dimension.as_str()).collect(),
        part: campaign.part,
        runs: campaign.runs.iter().map(run).collect(),
        charts: site.pictures.iter().map(|page| chart(site, page)).collect(),
        comparisons: campaign.comparisons.iter().map(|c| comparison(site, c)).collect(),
        model: campaign.model.iter().filter_map(|point| model(site, point)).collect(),
        rounds: campaign
            .rounds
            .iter()
            .map(|rounds| RoundsEntry { runs: site.ids(&rounds.runs), state: &rounds.state })
            .collect(),
        baseline: campaign.baseline.as_ref(),
        findings: campaign.findings.iter().map(|f| finding(site, f)).collect(),
        checks: campaign.checks.iter().map(|c| check(campaign, c)).collect(),
        diagnostics: site.diagnostics().map(diagnostic).collect(),
    };
    let failed = |source| GalleryError::Json { path: "report.json".to_owned(), source };
    let mut bytes = serde_json::to_vec_pretty(&document).map_err(failed)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn run(record: &RunRecord) -> RunEntry<'_> {
    let run = &record.run;
    RunEntry {
        id: &run.id,
        label: &run.label,
        tool: run.tool.to_string(),
        dimensions: run.dimensions.iter().map(|(d, entry)| (d.as_str(), entry.value.as_str())).collect(),
        environment: &run.environment,
        sources: &run.sources,
        summaries: record
            .statistics
            .iter()
            .map(|s| SummaryEntry {
                metric: s.metric,
                ddir: s.ddir,
                stat: s.stat,
                value: s.value,
                unit: Measure { metric: s.metric, stat: s.stat }.unit(),
                origin: s.origin,
                n: s.n,
            })
            .collect(),
        littles_law: record.little,
        steady: &record.steady,
        phases: &record.phases,
        status: if run.has_error() { "error" } else { "ok" },
    }
}

/// Files of a chart by kind: `svg`, `png`, `png@2x`, `svg-dark`, `csv`, `html`.
fn chart<'a>(site: &Site<'a>, page: &'a PicturePage) -> ChartEntry<'a> {
    let picture = &page.picture;
    let mut files = BTreeMap::from([("html".to_owned(), page.page()), ("csv".to_owned(), page.csv())]);
    for name in picture.files.keys() {
        let (stem, suffix) = name.rsplit_once('.').unwrap_or((name, ""));
        let variant = stem.strip_prefix(picture.spec.id.as_str()).or_else(|| stem.strip_prefix(&page.slug));
        files.insert(format!("{suffix}{}", variant.unwrap_or(stem)), format!("charts/{name}"));
    }
    ChartEntry {
        id: &picture.spec.id,
        title: &picture.figure.title,
        files,
        runs: site.ids(&picture.figure.runs),
        alt: &picture.figure.alt,
    }
}

fn comparison<'a>(site: &Site<'a>, comparison: &'a Comparison) -> ComparisonEntry<'a> {
    let cells = comparison.cells.iter().map(|cell| CellEntry {
        value: cell.key.first().and_then(Option::as_ref).map(|value| value.as_str()),
        n: cell.runs.len(),
        mean: cell.mean,
        low: cell.interval.map(|(low, _)| low),
        high: cell.interval.map(|(_, high)| high),
        runs: site.ids(&cell.runs),
    });
    let pairs = comparison.pairs.iter().map(|pair| PairEntry {
        a: pair.a.as_str(),
        b: pair.b.as_str(),
        ratio: pair.ratio,
        low: pair.low,
        high: pair.high,
        p_adjusted: pair.p_adjusted,
        verdict: pair.verdict,
    });
    ComparisonEntry {
        metric: comparison.metric,
        ddir: comparison.ddir,
        by: comparison.by.as_str(),
        cells: cells.collect(),
        pairs: pairs.collect(),
    }
}

/// None for a point whose run does not exist.
fn model<'a>(site: &Site<'a>, point: &ModelPoint) -> Option<ModelEntry<'a>> {
    Some(ModelEntry {
        run: &site.runs.get(point.run)?.record.run.id,
        ddir: point.ddir,
        expected: point.expected,
        shallow: point.shallow,
        measured: point.measured,
        efficiency: point.efficiency,
        drives: point.drives,
        drive_iops: point.drive_iops,
        drive_run: point.drive_run.and_then(|run| Some(site.runs.get(run)?.record.run.id.as_str())),
    })
}

fn finding<'a>(site: &Site<'a>, finding: &'a Finding) -> FindingEntry<'a> {
    FindingEntry {
        kind: &finding.kind,
        text: &finding.text,
        runs: site.ids(&finding.runs),
        values: &finding.values,
    }
}

/// The checks of a campaign as `report.json` has them.
pub(crate) fn checks(campaign: &Campaign) -> impl Serialize + '_ {
    campaign.checks.iter().map(|c| check(campaign, c)).collect::<Vec<_>>()
}

fn check<'a>(campaign: &'a Campaign, check: &'a Check) -> CheckEntry<'a> {
    let id = |&run: &usize| campaign.runs.get(run).map(|record| record.run.id.as_str());
    CheckEntry {
        id: &check.id,
        severity: check.severity,
        runs: check.runs.iter().filter_map(id).collect(),
        evidence: &check.evidence,
        advice: &check.advice,
    }
}

fn diagnostic(diagnostic: &Diagnostic) -> DiagnosticEntry<'_> {
    DiagnosticEntry {
        severity: diagnostic.severity,
        path: &diagnostic.path,
        line: diagnostic.line,
        message: &diagnostic.message,
    }
}
