//! From runs as read to figures that can be compared.
//!
//! In: runs. Out: a [`Campaign`] with time series on a common grid, the figures
//! of each run, repeats found, and what may be compared by what. Nothing here
//! draws or writes.

mod audit;
pub mod baseline;
mod check;
mod combine;
mod compare;
mod contrast;
mod copies;
pub mod distribution;
mod facts;
mod findings;
#[cfg(feature = "polars")]
pub mod frame;
pub mod inference;
mod little;
mod part;
mod phases;
pub mod raid;
pub mod repeat;
mod rows;
mod statistics;
pub mod steady;

pub use audit::{CHECKS, Rule, System};
pub(crate) use compare::{between, is_another, why_open};
pub(crate) use part::{Extent, Part, part};
pub(crate) use phases::is_missed;
#[cfg(feature = "tables")]
pub use rows::summary_parquet;
pub use rows::{SummaryRow, summary_rows};
pub(crate) use statistics::BEYOND;
pub use statistics::supports;

use crate::ingest::Ingested;
use crate::model::text::{list, sentence};
use crate::model::{
    Campaign, Comparison, Diagnostic, Dimension, Measure, Metric, Operation, Run, RunRecord, Severity, Value,
};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What the user said about the analysis.
#[derive(Debug, Clone, Default)]
pub struct AnalyzeOptions {
    /// Title of the report; computed from the runs when None.
    pub title: Option<String>,
    /// What the user says about the measurements.
    pub description: Option<String>,
    /// Accepted values of dimensions; several of one dimension are alternatives.
    pub where_: Vec<(Dimension, Value)>,
    /// Run time at which the figures start, ms.
    pub from_ms: Option<f64>,
    /// Run time at which they end, ms.
    pub to_ms: Option<f64>,
    /// Relative difference below which two figures count as equal in practice; 0.05 is 5 %.
    pub threshold: Threshold,
    /// Drives behind the array, for the RAID model.
    pub model: Option<ArrayModel>,
    /// What the tools' output does not hold and only the user knows: `ram`, `disk`, `device-iops`, `device-bw`.
    pub system: BTreeMap<String, String>,
    /// Limits of good figures, base units: latencies above it are named.
    pub limits: BTreeMap<Metric, f64>,
    /// Checks that the user silenced, with the reason.
    pub silenced: BTreeMap<String, String>,
    /// Earlier runs that the campaign's are compared with.
    pub baseline: Option<Vec<baseline::BaselineRun>>,
}

impl AnalyzeOptions {
    /// The run times, ms, between which the figures are wanted; None for whole runs. Without an end it is infinite.
    #[must_use]
    pub fn span(&self) -> Option<(f64, f64)> {
        (self.from_ms.is_some() || self.to_ms.is_some())
            .then(|| (self.from_ms.unwrap_or(0.0), self.to_ms.unwrap_or(f64::INFINITY)))
    }
}

/// Relative difference that matters in practice.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// For metrics without one of their own.
    pub default: f64,
    /// By metric.
    pub by_metric: BTreeMap<Metric, f64>,
}

impl Default for Threshold {
    fn default() -> Self {
        Threshold { default: 0.05, by_metric: BTreeMap::new() }
    }
}

impl Threshold {
    /// The threshold of a metric.
    #[must_use]
    pub fn of(&self, metric: Metric) -> f64 {
        self.by_metric.get(&metric).copied().unwrap_or(self.default)
    }
}

/// The drives of an array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArrayModel {
    /// How many; None takes the run's own dimension.
    pub drives: Option<u32>,
    /// Small random I/Os per second of one drive; None takes a single-disk run of the campaign.
    pub drive_iops: Option<f64>,
}

/// Computes all figures of a campaign.
#[must_use]
pub fn analyze(ingested: Ingested, options: &AnalyzeOptions) -> Campaign {
    let Ingested { mut runs, files, mut diagnostics, .. } = ingested;
    keep_where(&mut runs, &options.where_, &mut diagnostics);
    // Before they are cut: of a part nothing is known that the logs could be held against.
    diagnostics.extend(runs.iter().filter_map(check::lost_jobs));
    let mut starts = vec![0.0; runs.len()];
    let mut part = None;
    let mut outside = BTreeSet::new();
    if let Some(asked) = options.span() {
        let spans: Vec<(f64, f64)> = runs.iter_mut().map(|run| part::cut(run, asked)).collect();
        let mut extent = part::Extent::default();
        for (span, _) in spans.iter().zip(&runs).filter(|(_, run)| !run.series.is_empty()) {
            extent.add(*span);
        }
        outside = runs.iter().filter(|run| run.series.is_empty()).map(|run| run.id.clone()).collect();
        part = extent.told(asked);
        starts = spans.into_iter().map(|span| span.0).collect();
        diagnostics.extend(part::remarks(asked, &extent, &outside));
    }
    let computed: Vec<(RunRecord, Vec<Diagnostic>)> = runs
        .into_par_iter()
        .zip(starts)
        .map(|(run, start_ms)| {
            let mut remarks = check::cross_check(&run);
            remarks.extend(check::unweighted(&run));
            remarks.extend(check::largest(&run));
            remarks.extend(check::histograms(&run));
            let record = record(run, start_ms);
            remarks.extend(phases::remarks(&record));
            (record, remarks)
        })
        .collect();
    let mut records = Vec::with_capacity(computed.len());
    for (record, mut remarks) in computed {
        if record.statistics.is_empty() && !outside.contains(&record.run.id) {
            let message = "no figures: its files hold no row and no summary that could be used";
            diagnostics.push(Diagnostic::new(Severity::Warning, &record.run.id, message));
        }
        diagnostics.append(&mut remarks);
        records.push(record);
    }
    records.sort_by_cached_key(|record| order(&record.run));

    let mut values: BTreeMap<Dimension, BTreeSet<Value>> = BTreeMap::new();
    for (dimension, entry) in records.iter().flat_map(|r| &r.run.dimensions) {
        values.entry(dimension.clone()).or_default().insert(entry.value.clone());
    }
    let mut campaign = Campaign {
        title: String::new(),
        dimensions: values.keys().cloned().collect(),
        values: values.into_iter().map(|(d, v)| (d, v.into_iter().collect())).collect(),
        runs: records,
        files,
        part,
        ..Campaign::default()
    };
    diagnostics.extend(check::repeated_numbers(&campaign));
    campaign.copies = copies::copies(&campaign);
    diagnostics.extend(copies::remarks(&campaign));
    let (contrasts, refused) = contrast::contrasts(&campaign);
    campaign.contrasts = contrasts;
    diagnostics.extend(refused.iter().map(contrast::Refusal::remark));
    campaign.rounds = steady::rounds(&campaign);
    campaign.comparisons = comparisons(&campaign);
    compare::judge(&mut campaign.comparisons, &options.threshold);
    let judged = campaign.comparisons.iter().map(|comparison| comparison.metric);
    campaign.thresholds = judged.map(|metric| (metric, options.threshold.of(metric))).collect();
    campaign.findings = findings::findings(&campaign, options);
    if let Some(base) = &options.baseline {
        let found = baseline::compare(base, &baseline::measured(&campaign), &options.threshold);
        campaign.findings.splice(0..0, baseline::words::findings(&campaign, &found));
        campaign.baseline = Some(found);
        campaign.base_runs = base.iter().filter_map(|run| run.record.clone()).collect();
    }
    let (points, remarks) = raid::points(&campaign, options);
    campaign.model = points;
    diagnostics.extend(remarks);
    campaign.diagnostics = diagnostics;
    campaign.checks = audit::audit(&campaign, options, &refused);
    campaign.description.clone_from(&options.description);
    campaign.title = options.title.clone().unwrap_or_else(|| title(&campaign));
    campaign
}

/// A run with what is computed from it alone; its logs begin at `start_ms` of run time.
fn record(run: Run, start_ms: f64) -> RunRecord {
    let mut series = combine::time_series(&run);
    let statistics = statistics::statistics(&run, &series);
    for one in &mut series {
        one.start_ms += start_ms;
    }
    let steady = steady::of_run(&run, &series);
    let phases = phases::of_run(&run, &series);
    let mut record = RunRecord { run, series, statistics, little: None, steady, phases };
    record.little = little::of_run(&record);
    record
}

/// Runs sort by their dimensions, then by their id.
fn order(run: &Run) -> (Vec<(Dimension, Value)>, String) {
    (run.dimensions.iter().map(|(d, e)| (d.clone(), e.value.clone())).collect(), run.id.clone())
}

fn keep_where(runs: &mut Vec<Run>, wanted: &[(Dimension, Value)], diagnostics: &mut Vec<Diagnostic>) {
    if wanted.is_empty() {
        return;
    }
    let before = runs.len();
    let mut accepted: BTreeMap<&Dimension, Vec<&Value>> = BTreeMap::new();
    for (dimension, value) in wanted {
        accepted.entry(dimension).or_default().push(value);
    }
    for (dimension, values) in &accepted {
        if !runs.iter().any(|run| run.value(dimension).is_some_and(|v| values.contains(&v))) {
            let known: BTreeSet<&str> =
                runs.iter().filter_map(|r| r.value(dimension)).map(Value::as_str).collect();
            let known = if known.is_empty() {
                "no run has this dimension; `plotgen inspect` lists those that there are".to_owned()
            } else {
                format!("it occurs with {}", known.into_iter().collect::<Vec<_>>().join(", "))
            };
            let wanted: Vec<&str> = values.iter().map(|v| v.as_str()).collect();
            let message = format!("no run has {dimension}={}; {known}", wanted.join(" or "));
            diagnostics.push(Diagnostic::new(Severity::Error, "--where", message));
        }
    }
    runs.retain(|run| accepted.iter().all(|(d, values)| run.value(d).is_some_and(|v| values.contains(&v))));
    let left = before - runs.len();
    if left > 0 {
        let message = match (left, before) {
            (1, 1) => "the only run is left out".to_owned(),
            (1, _) => format!("1 of {before} runs is left out"),
            _ => format!("{left} of {before} runs are left out"),
        };
        diagnostics.push(Diagnostic::new(Severity::Info, "--where", message));
    }
}

/// The figures of every contrast, at each value of its second dimension and each workload.
fn comparisons(campaign: &Campaign) -> Vec<Comparison> {
    let mut all = Vec::new();
    for contrast in &campaign.contrasts {
        let mut groups: BTreeMap<Vec<(Dimension, Value)>, Vec<usize>> = BTreeMap::new();
        for &index in &contrast.runs {
            let run = &campaign.runs[index].run;
            let held = run
                .dimensions
                .iter()
                .filter(|(d, _)| **d != contrast.by && **d != Dimension::Repeat)
                .map(|(d, e)| (d.clone(), e.value.clone()));
            groups.entry(held.collect()).or_default().push(index);
        }
        for (held, mut runs) in groups {
            runs.sort_unstable();
            for metric in [Metric::Iops, Metric::Bw, Metric::Lat] {
                for operation in Operation::ALL {
                    let Some((measure, ddir)) = operation.figure_of(Measure::mean(metric)) else { continue };
                    let by = std::slice::from_ref(&contrast.by);
                    let cells = repeat::operation_cells(campaign, &runs, measure, operation, by);
                    if cells.len() > 1 {
                        let held = held.iter().cloned().collect();
                        all.push(Comparison {
                            metric: measure.metric,
                            ddir,
                            by: contrast.by.clone(),
                            held,
                            cells,
                            pairs: Vec::new(),
                        });
                    }
                }
            }
        }
    }
    all
}

/// What the campaign is about: what varies most tellingly, and the tool.
fn title(campaign: &Campaign) -> String {
    let mut compared: Vec<&str> = Vec::new();
    for contrast in &campaign.contrasts {
        let name = contrast.by.title();
        if !compared.contains(&name) && compared.len() < 3 {
            compared.push(name);
        }
    }
    let tools: BTreeSet<&str> = campaign.runs.iter().map(|r| r.run.tool.name.as_str()).collect();
    // rbench names a format of tables; what measured is not in them.
    let tools: Vec<&str> = tools.into_iter().filter(|tool| !tool.is_empty() && *tool != "rbench").collect();
    let tools = list(&tools);
    if !compared.is_empty() && tools.is_empty() {
        format!("{}: a comparison", sentence(&list(&compared)))
    } else if !compared.is_empty() {
        format!("{}: a comparison with {tools}", sentence(&list(&compared)))
    } else if tools.is_empty() {
        "Benchmark report".to_owned()
    } else {
        format!("{tools} benchmark report")
    }
}
