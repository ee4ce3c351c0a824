//! Stub.
use crate::discover::Discovered;
use crate::ingest::{LatUnit, labels};
use crate::model::{Diagnostic, Dimension, FileReport, Run, Value};

/// Stub.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Appended {
    /// Stub.
    #[default]
    Auto,
    /// Stub.
    Concurrent,
    /// Stub.
    Sequential,
}

/// Stub.
#[derive(Debug, Clone, Default)]
pub struct IngestOptions {
    /// Stub.
    pub pattern: Option<labels::Pattern>,
    /// Stub.
    pub set: Vec<(Dimension, Value)>,
    /// Stub.
    pub set_matching: Vec<(String, Dimension, Value)>,
    /// Stub.
    pub lat_unit: Option<LatUnit>,
    /// Stub.
    pub layout: Option<String>,
    /// Stub.
    pub appended: Appended,
    /// Stub.
    pub strict: bool,
    /// Stub.
    pub threads: Option<usize>,
}

/// Stub.
#[derive(Debug, Clone, Default)]
pub struct Ingested {
    /// Stub.
    pub runs: Vec<Run>,
    /// Stub.
    pub files: Vec<FileReport>,
    /// Stub.
    pub diagnostics: Vec<Diagnostic>,
}

/// Stub.
pub fn ingest(d: Discovered, _: &IngestOptions, _: &(dyn Fn(usize, usize) + Sync)) -> Ingested {
    Ingested { diagnostics: d.diagnostics, ..Ingested::default() }
}
