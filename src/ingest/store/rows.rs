//! What files hold, as rows and back.
//!
//! In: [`Contents`], before anything is joined. Out: the rows of all tables; and from rows, the same
//! contents, bit for bit. Rows that contradict each other are an error, never a panic.

use super::tables::{
    BucketRow, CellRow, FileRow, JobRow, LogRow, PercentileRow, PropertyRow, RemarkRow, RunRow, SampleRow,
    SegmentRow, SeriesRow, StatisticRow, TotalRow,
};
use crate::model::{Histogram, Series, SeriesKind, TimedHistogram};

mod load;
mod save;

pub(super) use load::contents;
pub(super) use save::rows;

/// The rows of all tables.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) files: Vec<FileRow>,
    pub(super) remarks: Vec<RemarkRow>,
    pub(super) logs: Vec<LogRow>,
    pub(super) segments: Vec<SegmentRow>,
    pub(super) runs: Vec<RunRow>,
    pub(super) jobs: Vec<JobRow>,
    pub(super) totals: Vec<TotalRow>,
    pub(super) properties: Vec<PropertyRow>,
    pub(super) statistics: Vec<StatisticRow>,
    pub(super) percentiles: Vec<PercentileRow>,
    pub(super) series: Vec<SeriesRow>,
    pub(super) samples: Vec<SampleRow>,
    pub(super) cells: Vec<CellRow>,
    pub(super) histograms: Vec<BucketRow>,
}

/// Kinds of properties.
const OPTION: &str = "option";
const ENVIRONMENT: &str = "environment";
const DIMENSION: &str = "dimension";
const LOG_PREFIX: &str = "log-prefix";
const EXPLAINED: &str = "explained";

/// Kinds of series.
const WINDOWED: &str = "windowed";
const CELLS: &str = "cells";
const COUNTS: &str = "counts";
