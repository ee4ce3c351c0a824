//! The tidy table: one row per run and figure.

use crate::model::unit::BaseUnit;
use crate::model::{Campaign, Ddir, Measure, Metric, Origin, Stat, Value};
use serde::Serialize;

/// A row of the tidy table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SummaryRow {
    /// Id of the run.
    pub run: String,
    /// Values of the campaign's dimensions, in their order; empty where the run has none.
    pub dimensions: Vec<String>,
    /// What is measured.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// Which figure.
    pub stat: Stat,
    /// The value in `unit`.
    pub value: f64,
    /// Base unit of the value.
    pub unit: BaseUnit,
    /// Where it was computed from.
    pub origin: Origin,
    /// Samples or I/Os behind it.
    pub n: Option<u64>,
}

/// All figures of a campaign as rows, in the order of its runs.
#[must_use]
pub fn summary_rows(campaign: &Campaign) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    for record in &campaign.runs {
        let value = |d| record.run.value(d).map(Value::as_str).unwrap_or_default().to_owned();
        let dimensions: Vec<String> = campaign.dimensions.iter().map(value).collect();
        rows.extend(record.statistics.iter().map(|statistic| SummaryRow {
            run: record.run.id.clone(),
            dimensions: dimensions.clone(),
            metric: statistic.metric,
            ddir: statistic.ddir,
            stat: statistic.stat,
            value: statistic.value,
            unit: Measure { metric: statistic.metric, stat: statistic.stat }.unit(),
            origin: statistic.origin,
            n: statistic.n,
        }));
    }
    rows
}
