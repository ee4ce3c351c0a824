//! What the user said about the inputs: dimensions, units, columns, and how stretches of time belong together.

use crate::discover::Glob;
use crate::ingest::LatUnit;
use crate::ingest::labels::Pattern;
use crate::model::{Dimension, Value};

/// How the jobs of a log that holds several stretches of time belong together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Appended {
    /// What stands beside the log decides; without that, they are successive runs.
    #[default]
    Auto,
    /// They ran at the same time (`per_job_logs=0`) and are summed.
    Concurrent,
    /// They ran one after another and are runs of their own.
    Sequential,
}

/// What the user said about the inputs.
#[derive(Debug, Clone, Default)]
pub struct IngestOptions {
    /// Dimensions from paths.
    pub pattern: Option<Pattern>,
    /// Dimensions of all runs.
    pub set: Vec<(Dimension, Value)>,
    /// Dimensions of the runs whose path matches a glob pattern.
    pub set_matching: Vec<(Glob, Dimension, Value)>,
    /// Unit of all latency logs.
    pub lat_unit: Option<LatUnit>,
    /// Columns of all logs.
    pub layout: Option<String>,
    /// Meaning of appended stretches.
    pub appended: Appended,
    /// Stop at the first broken input.
    pub strict: bool,
    /// Leave out the SHA-256 of the sources, which costs as much as reading a long log does. Reports and stores
    /// name it.
    pub unhashed: bool,
    /// Threads to read with; None for one a processor.
    pub threads: Option<usize>,
}
