//! The vocabulary that every stage shares: plain data in base units, no I/O.
//!
//! Base units are bytes per second, operations per second, nanoseconds of
//! latency and milliseconds of run time. Only [`mod@unit`] turns them into what a
//! person reads.

mod baseline;
mod campaign;
pub(crate) mod decimal;
mod diagnostic;
mod dimension;
mod histogram;
mod log_name;
mod metric;
mod operation;
mod run;
mod series;
pub(crate) mod text;
mod timed;
pub mod unit;

pub use baseline::{Baseline, Change};
pub use campaign::{
    Campaign, Cell, Check, Comparison, Contrast, Finding, LittlesLaw, ModelPoint, Pair, Phase, Phases,
    Rounds, RunRecord, Statistic, SteadyState, TimeSeries, TimeSpan, Verdict,
};
pub use diagnostic::{Diagnostic, FileReport, FileState, Severity};
pub(crate) use dimension::natural_order;
pub use dimension::{Dimension, DimensionEntry, DimensionOrigin, Value};
pub use histogram::{Histogram, bucket_bounds, bucket_of, bucket_of_usec};
pub use log_name::{LogKind, LogName, without_packing};
pub use metric::{Ddir, Measure, Metric, Origin, Stat, UnknownName};
pub use operation::Operation;
pub use run::{Job, Run, Source, Summary, Tool};
pub use series::{CellGrid, GridCell, Sample, Series, SeriesKind};
pub use timed::TimedHistogram;
