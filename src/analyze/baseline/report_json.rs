//! Reads the `report.json` of an earlier report as a side of a comparison.
//!
//! In: its bytes. Out: runs with their dimensions and mean figures. The rest
//! of the document is not looked at, and options are not in it.

use super::BaselineRun;
use crate::analyze::supports;
use crate::model::{Ddir, Dimension, Metric, Origin, Stat, TimeSpan, Value};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The version of the schema that is understood (`docs/report.schema.json`).
const SCHEMA: u64 = 1;

/// Why a file is no report that can be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// No JSON, or not the form of a report.
    #[error("no report.json of plotgen: {0}")]
    Form(#[from] serde_json::Error),
    /// Written by a plotgen with another schema.
    #[error("a report of schema {0}; expected schema {SCHEMA}: make the report again with this plotgen")]
    Schema(u64),
    /// Its figures are of a part of the runs.
    #[error(
        "a report of a part of its runs ({0}), which whole runs cannot be held against; make it again without --from and --to"
    )]
    Part(TimeSpan),
}

#[derive(Deserialize)]
struct Head {
    schema: u64,
    #[expect(dead_code, reason = "its presence tells a report from other JSON")]
    charts: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Document {
    part: Option<TimeSpan>,
    runs: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    dimensions: BTreeMap<String, String>,
    summaries: Vec<Figure>,
}

#[derive(Deserialize)]
struct Figure {
    metric: String,
    ddir: String,
    stat: String,
    value: Option<f64>,
    origin: String,
    n: Option<u64>,
}

/// True when JSON has the head of a report, whatever its version.
#[must_use]
pub fn is_report(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Head>(bytes).is_ok()
}

/// The runs of a report.
///
/// As in all tables, the tool's own figure goes before the log's. Metrics that
/// this version does not know are passed over.
///
/// # Errors
/// [`ReportError::Form`] for anything that is no report, [`ReportError::Schema`] for one of another version,
/// [`ReportError::Part`] for one of a part of its runs.
pub fn read(bytes: &[u8]) -> Result<Vec<BaselineRun>, ReportError> {
    let head: Head = serde_json::from_slice(bytes)?;
    if head.schema != SCHEMA {
        return Err(ReportError::Schema(head.schema));
    }
    let document: Document = serde_json::from_slice(bytes)?;
    if let Some(part) = document.part {
        return Err(ReportError::Part(part));
    }
    Ok(document.runs.into_iter().map(run).collect())
}

fn run(entry: Entry) -> BaselineRun {
    let figures_of = |stat: Stat| {
        let mut figures: BTreeMap<(Metric, Ddir), (Origin, f64)> = BTreeMap::new();
        for figure in entry.summaries.iter().filter(|figure| figure.stat == stat.as_str()) {
            let names = (figure.metric.parse(), figure.ddir.parse(), figure.origin.parse::<Origin>());
            let (Ok(metric), Ok(ddir), Ok(origin)) = names else { continue };
            let carried =
                stat.quantile().is_none_or(|quantile| figure.n.is_none_or(|n| supports(n, quantile)));
            let Some(value) = figure.value.filter(|_| carried) else { continue };
            let known = figures.entry((metric, ddir)).or_insert((origin, value));
            if origin > known.0 {
                *known = (origin, value);
            }
        }
        figures.into_iter().map(|(key, (_, value))| (key, value)).collect()
    };
    let (figures, tails) = (figures_of(Stat::Mean), figures_of(Stat::P99));
    let dimension = |(name, text): (String, String)| {
        let dimension = Dimension::named(&name);
        let value = Value::canonical(&dimension, &text);
        (dimension, value)
    };
    BaselineRun {
        id: entry.id,
        dimensions: entry.dimensions.into_iter().map(dimension).collect(),
        options: None,
        figures,
        tails,
        record: None,
    }
}
