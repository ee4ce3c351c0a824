//! The tables of a store: their rows as types, their columns as Parquet has them.
//!
//! One declaration for each table; writing, reading and the description in docs/store.md all come from
//! it. A change of a column is a new [`SCHEMA`].

#[cfg(test)]
use crate::columnar::Kind;
use crate::columnar::{self, Cell, Column, ColumnarError};

/// Version of the schema; a reader refuses newer ones.
pub(super) const SCHEMA: u64 = 1;

/// Key in each file's metadata under which the version stands.
pub(super) const SCHEMA_KEY: &str = "plotgen.store.schema";

/// A row of a table.
pub(super) trait Row: Sized {
    /// Name of the table.
    const NAME: &'static str;
    /// What a row stands for.
    #[cfg(test)]
    const ABOUT: &'static str;

    /// The columns, without cells.
    fn columns() -> Vec<Column>;

    /// For the documentation: name, kind, whether a value may be absent, and meaning of each column.
    #[cfg(test)]
    fn described() -> Vec<(&'static str, Kind, bool, &'static str)>;

    /// Adds itself to the columns.
    fn put(self, columns: &mut [Column]);

    /// Takes the next row.
    fn take(columns: &mut [Column]) -> Result<Self, ColumnarError>;
}

/// A table as a Parquet file.
pub(super) fn to_parquet<R: Row>(rows: Vec<R>) -> Result<Vec<u8>, ColumnarError> {
    let mut columns = R::columns();
    for row in rows {
        row.put(&mut columns);
    }
    columnar::write(&columns, &[(SCHEMA_KEY, &SCHEMA.to_string())])
}

/// The rows of a Parquet file.
pub(super) fn from_parquet<R: Row>(bytes: Vec<u8>) -> Result<Vec<R>, ColumnarError> {
    let (mut columns, rows) = columnar::read(bytes, R::columns())?;
    (0..rows).map(|_| R::take(&mut columns)).collect()
}

macro_rules! table {
    (#[doc = $about:literal] $row:ident in $name:literal { $(#[doc = $what:literal] $field:ident: $type:ty,)* }) => {
        #[doc = $about]
        #[derive(Debug, Clone, PartialEq)]
        pub(super) struct $row { $(#[doc = $what] pub(super) $field: $type,)* }

        impl Row for $row {
            const NAME: &'static str = $name;
            #[cfg(test)]
            const ABOUT: &'static str = $about;

            fn columns() -> Vec<Column> {
                vec![$(Column::of::<$type>(stringify!($field)),)*]
            }

            #[cfg(test)]
            fn described() -> Vec<(&'static str, Kind, bool, &'static str)> {
                vec![$((stringify!($field), <$type>::KIND, <$type>::OPTIONAL, $what.trim_ascii()),)*]
            }

            fn put(self, columns: &mut [Column]) {
                let mut columns = columns.iter_mut();
                $(if let Some(column) = columns.next() { self.$field.put(column); })*
            }

            fn take(columns: &mut [Column]) -> Result<Self, ColumnarError> {
                let mut columns = columns.iter_mut();
                Ok($row {
                    $($field: match columns.next() {
                        Some(column) => column.take()?,
                        None => return Err(ColumnarError::Absent(stringify!($field).to_owned())),
                    },)*
                })
            }
        }
    };
}

table! {
    /// One row for each input file, archives and their members too, in the order of their paths.
    FileRow in "files" {
        /// Number of the file, from 0.
        file: u64,
        /// Path below the store's `root`, `/` between parts.
        path: String,
        /// Number of the archive that holds it.
        archive: Option<u64>,
        /// Which of the store's `said` applies to it.
        said: Option<u64>,
        /// `named`, or `sibling` for an output found beside named logs.
        role: String,
        /// `read`, `companion`, `ignored` or `failed`.
        status: String,
        /// Format, as `plotgen formats` lists it.
        format: Option<String>,
        /// Version of the tool that wrote it.
        version: Option<String>,
        /// Column layout or document kind.
        layout: Option<String>,
        /// Why it has this status and format.
        reason: String,
        /// Job entries or job numbers in it.
        jobs: Option<u64>,
        /// Window of a log, ms.
        window_ms: Option<f64>,
        /// Rows or documents read.
        rows: u64,
        /// Rows dropped.
        skipped: u64,
        /// SHA-256 of the bytes, hexadecimal, where it was computed.
        sha256: Option<String>,
    }
}

table! {
    /// What readers and the search for files had to say.
    RemarkRow in "remarks" {
        /// The file; none for the search as a whole.
        file: Option<u64>,
        /// Path of a remark of the search: below `root`, or as typed.
        path: Option<String>,
        /// True when that path lies below `root`.
        below: bool,
        /// `info`, `warning` or `error`.
        severity: String,
        /// Line, from 1.
        line: Option<u64>,
        /// The remark.
        message: String,
    }
}

table! {
    /// One row for each log.
    LogRow in "logs" {
        /// The file.
        file: u64,
        /// What its name has in front.
        prefix: String,
        /// `bw`, `iops`, `lat`, `clat`, `slat` or `clat_hist`.
        kind: String,
        /// fio's thread number, from 1.
        number: Option<u64>,
        /// Host, for logs that a fio server sent.
        host: Option<String>,
        /// Unit in which its latencies were written: `ns`, `us` or `ms`. Values are in ns whatever it was.
        lat_unit: Option<String>,
        /// False when that unit was guessed from the values.
        lat_unit_known: Option<bool>,
        /// True for a row per I/O, false for a row per window.
        per_io: bool,
        /// Nominal window, ms.
        window_ms: Option<f64>,
        /// Unix time, ms, that was subtracted from every stamp.
        epoch_ms: Option<u64>,
        /// The latency unit that the output beside it told when it was read.
        told_lat_unit: Option<String>,
        /// The run time, ms, that the output beside it told when it was read.
        told_runtime_ms: Option<f64>,
    }
}

table! {
    /// One row for each stretch of a log in which time moves forward.
    SegmentRow in "segments" {
        /// The log's file.
        file: u64,
        /// Number of the stretch in its log, from 0.
        segment: u64,
        /// Last time stamp in any direction, ms.
        last_ms: u64,
    }
}

table! {
    /// One row for each execution that an output describes; logs are joined to it when the store is read.
    RunRow in "runs" {
        /// Number of the run in this store, from 0.
        run: u64,
        /// The output's file.
        file: u64,
        /// The tool.
        tool: String,
        /// Its version.
        version: Option<String>,
        /// Name for people.
        label: Option<String>,
        /// Tells the runs of one file apart; empty for a file with one.
        key: String,
        /// Number that the first of its logs carries.
        first_log_number: u64,
    }
}

table! {
    /// One row for each job of a run, in the order of their logs.
    JobRow in "jobs" {
        /// The run.
        run: u64,
        /// Number of the job in its run, from 0.
        job: u64,
        /// Name as the tool reports it.
        name: String,
        /// Host that ran it.
        host: Option<String>,
        /// Clones behind this entry.
        clones: u64,
        /// Error number that the tool reported; 0 is none.
        error: i64,
    }
}

table! {
    /// What a job moved, by direction, as the tool reports it.
    TotalRow in "totals" {
        /// The run.
        run: u64,
        /// The job.
        job: u64,
        /// `read`, `write`, `trim` or `mixed`.
        ddir: String,
        /// Run time, ms.
        runtime_ms: Option<f64>,
        /// Bytes.
        bytes: Option<u64>,
        /// I/Os.
        ios: Option<u64>,
    }
}

table! {
    /// Job options, what is known of the system, dimensions that a file states, and what joins logs to runs.
    PropertyRow in "properties" {
        /// The run.
        run: u64,
        /// The job, for an option.
        job: Option<u64>,
        /// `option`, `environment`, `dimension`, `log-prefix` (by kind of log) or `explained` (a word of the file's name).
        kind: String,
        /// Name of the option, of the dimension, and so on.
        key: String,
        /// Its value.
        value: String,
    }
}

table! {
    /// One row for each metric and direction that a tool reports, by job.
    StatisticRow in "statistics" {
        /// Number of the row in this store, from 0.
        statistic: u64,
        /// The run.
        run: u64,
        /// `bw` (B/s), `iops` (1/s), `lat`, `clat`, `slat`, `fsync` (ns), `cpu` (share of one processor, the mean of the entry's jobs) or `util` (share of 1).
        metric: String,
        /// `read`, `write`, `trim` or `mixed`.
        ddir: String,
        /// The job; none for a figure of the run as a whole.
        job: Option<u64>,
        /// `reported` by the tool, or `log`.
        origin: String,
        /// Samples or I/Os behind it.
        count: Option<u64>,
        /// Smallest.
        min: Option<f64>,
        /// Largest.
        max: Option<f64>,
        /// Mean.
        mean: Option<f64>,
        /// Standard deviation.
        stddev: Option<f64>,
        /// Rows in `histograms`, where the tool gave counts.
        buckets: Option<u64>,
    }
}

table! {
    /// Percentiles that a tool reports.
    PercentileRow in "percentiles" {
        /// The row of `statistics`.
        statistic: u64,
        /// Quantile, 0 to 1.
        quantile: f64,
        /// The value there.
        value: f64,
    }
}

table! {
    /// One row for each metric, direction and job over time.
    SeriesRow in "series" {
        /// Number of the series in this store, from 0.
        series: u64,
        /// The file.
        file: u64,
        /// Stretch of a log; none for a series that an output holds.
        segment: Option<u64>,
        /// Run of an output that holds it; logs find theirs when the store is read.
        run: Option<u64>,
        /// What is measured, as in `statistics`.
        metric: Option<String>,
        /// `read`, `write`, `trim` or `mixed`.
        ddir: String,
        /// Job, for a series that an output holds; none there for all jobs together.
        job: Option<u64>,
        /// Clone of that job.
        clone: Option<u64>,
        /// Last time stamp in any direction, ms.
        last_ms: u64,
        /// Last time stamp of single I/Os in this direction, ms.
        own_last_ms: Option<u64>,
        /// `windowed` (rows in `samples`), `cells` (rows in `cells` and `histograms`) or `counts` (`histograms` alone).
        kind: String,
        /// Nominal window of samples, ms.
        window_ms: Option<f64>,
        /// Width of a cell, ms.
        cell_ms: Option<u64>,
        /// Cells from run time 0 on; those without I/O have no row.
        cells: Option<u64>,
        /// Sum of the squares of all values, its upper 64 bits.
        squares_high: Option<u64>,
        /// Its lower 64 bits.
        squares_low: Option<u64>,
        /// Width of a cell of the histogram over time, ms.
        timed_cell_ms: Option<u64>,
        /// Cells of the histogram over time.
        timed_cells: Option<u64>,
    }
}

table! {
    /// Values over windows.
    SampleRow in "samples" {
        /// The series.
        series: u64,
        /// End of the window, ms of run time.
        end_ms: u64,
        /// Rate or mean over the window, in the metric's base unit.
        value: f64,
        /// True for the flush of a partial window at the end of a latency log.
        partial: bool,
    }
}

table! {
    /// Sums over single I/Os: all whole numbers, so that cells of one width add up.
    CellRow in "cells" {
        /// The series.
        series: u64,
        /// Number of the cell: it covers `[cell, cell + 1) * cell_ms` of run time.
        cell: u64,
        /// I/Os that ended in it.
        count: u64,
        /// Sum of their values, upper 64 bits.
        sum_high: u64,
        /// Lower 64 bits.
        sum_low: u64,
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
        /// Sum of their block sizes, bytes.
        bytes: u64,
    }
}

table! {
    /// Counts by bucket; those of equal buckets add up.
    BucketRow in "histograms" {
        /// The row of `statistics` that it belongs to, or none.
        statistic: Option<u64>,
        /// The series that it belongs to, or none.
        series: Option<u64>,
        /// Cell of a histogram over time; none for the whole.
        cell: Option<u64>,
        /// fio's bucket: below 128 one for each ns, above that 64 in each octave.
        bucket: u64,
        /// Values in it.
        count: u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn described<R: Row>() -> String {
        let mut text = format!(
            "### {}\n{}\n\n| column | type | what it holds |\n|---|---|---|\n",
            R::NAME,
            R::ABOUT.trim()
        );
        for (name, kind, optional, what) in R::described() {
            let kind = match kind {
                Kind::Text => "string",
                Kind::Whole => "uint64",
                Kind::Signed => "int64",
                Kind::Real => "double",
                Kind::Flag => "boolean",
            };
            let absent = if optional { "?" } else { "" };
            let _ = writeln!(text, "| `{name}` | {kind}{absent} | {what} |");
        }
        text
    }

    #[test]
    fn the_documentation_describes_every_table_as_it_is_written() {
        let docs = include_str!("../../../docs/store.md");
        let tables = [
            described::<FileRow>(),
            described::<RemarkRow>(),
            described::<LogRow>(),
            described::<SegmentRow>(),
            described::<RunRow>(),
            described::<JobRow>(),
            described::<TotalRow>(),
            described::<PropertyRow>(),
            described::<StatisticRow>(),
            described::<PercentileRow>(),
            described::<SeriesRow>(),
            described::<SampleRow>(),
            described::<CellRow>(),
            described::<BucketRow>(),
        ];
        for table in tables {
            assert!(docs.contains(&table), "docs/store.md lacks\n{table}");
        }
        assert!(docs.contains(&format!("schema {SCHEMA}")));
    }
}
