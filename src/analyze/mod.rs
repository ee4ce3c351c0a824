//! From runs as read to figures that can be compared.

pub mod repeat;

use crate::ingest::Ingested;
use crate::model::unit::BaseUnit;
use crate::model::{Campaign, Ddir, Dimension, Metric, Origin, Stat, Value};

/// Stub.
#[derive(Debug, Clone, Default)]
pub struct AnalyzeOptions {
    /// Stub.
    pub title: Option<String>,
    /// Stub.
    pub where_: Vec<(Dimension, Value)>,
    /// Stub.
    pub from_ms: Option<f64>,
    /// Stub.
    pub to_ms: Option<f64>,
}

/// Stub.
#[must_use]
pub fn analyze(ingested: Ingested, _: &AnalyzeOptions) -> Campaign {
    Campaign { files: ingested.files, diagnostics: ingested.diagnostics, ..Campaign::default() }
}

/// Stub.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryRow {
    /// Stub.
    pub run: String,
    /// Stub.
    pub dimensions: Vec<String>,
    /// Stub.
    pub metric: Metric,
    /// Stub.
    pub ddir: Ddir,
    /// Stub.
    pub stat: Stat,
    /// Stub.
    pub value: f64,
    /// Stub.
    pub unit: BaseUnit,
    /// Stub.
    pub origin: Origin,
    /// Stub.
    pub n: Option<u64>,
}

/// Stub.
#[must_use]
pub fn summary_rows(_: &Campaign) -> Vec<SummaryRow> {
    Vec::new()
}

/// Stub.
#[cfg(feature = "tables")]
pub mod frame {
    /// Stub.
    ///
    /// # Errors
    /// Stub.
    pub fn write_parquet(_: &crate::model::Campaign) -> Result<Vec<u8>, String> {
        Err("stub".to_owned())
    }
}
