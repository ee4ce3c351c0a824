//! Tidy rows: one for each run and figure.

use crate::model::unit::BaseUnit;
use crate::model::{Campaign, Ddir, Measure, Metric, Origin, Stat};

/// A figure of a run, as tables for scripts list it.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryRow {
    /// Id of the run.
    pub run: String,
    /// Value of each of the campaign's dimensions, empty where the run has none.
    pub dimensions: Vec<String>,
    /// What is measured.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// Which figure.
    pub stat: Stat,
    /// The value, in `unit`.
    pub value: f64,
    /// Base unit of `value`.
    pub unit: BaseUnit,
    /// Where the figure was computed from.
    pub origin: Origin,
    /// Samples or I/Os behind it.
    pub n: Option<u64>,
}

/// All figures of all runs, in the campaign's order.
#[must_use]
pub fn summary_rows(campaign: &Campaign) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    for record in &campaign.runs {
        let value = |d| record.run.value(d).map(|v| v.as_str().to_owned()).unwrap_or_default();
        let dimensions: Vec<String> = campaign.dimensions.iter().map(value).collect();
        rows.extend(record.statistics.iter().map(|s| SummaryRow {
            run: record.run.id.clone(),
            dimensions: dimensions.clone(),
            metric: s.metric,
            ddir: s.ddir,
            stat: s.stat,
            value: s.value,
            unit: Measure { metric: s.metric, stat: s.stat }.unit(),
            origin: s.origin,
            n: s.n,
        }));
    }
    rows
}
