//! Contents to rows.

use super::{
    BucketRow, CELLS, COUNTS, CellRow, DIMENSION, ENVIRONMENT, EXPLAINED, FileRow, Histogram, JobRow,
    LOG_PREFIX, LogRow, OPTION, PercentileRow, PropertyRow, RemarkRow, Rows, RunRow, SampleRow, SegmentRow,
    Series, SeriesKind, SeriesRow, StatisticRow, TimedHistogram, TotalRow, WINDOWED,
};
use crate::discover::Role;
use crate::ingest::join::LogFile;
use crate::ingest::pipeline::Contents;
use crate::ingest::{IngestOptions, RunPart, UnitCertainty, metric_of};
use crate::model::{Ddir, Diagnostic, FileReport, GridCell, Job, Summary};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The rows of `contents`, and what was said of their sources, each once.
pub(in crate::ingest::store) fn rows(contents: &Contents) -> (Rows, Vec<Arc<IngestOptions>>) {
    let mut rows = Rows::default();
    let mut said: Vec<Arc<IngestOptions>> = Vec::new();
    for (index, (source, report)) in contents.sources.iter().zip(&contents.files).enumerate() {
        let said = contents.said.get(index).cloned().flatten().map(|own| {
            let known = said.iter().position(|known| Arc::ptr_eq(known, &own));
            known.unwrap_or_else(|| {
                said.push(own);
                said.len() - 1
            }) as u64
        });
        let archive = contents.archives.get(index).copied().flatten().map(|archive| archive as u64);
        let role = if source.role == Role::Sibling { "sibling" } else { "named" };
        rows.file(index as u64, report, archive, said, role);
    }
    for remark in &contents.found {
        let below = contents.shown.contains_key(&remark.path);
        rows.remark(None, Some(remark.path.clone()), below, remark);
    }
    for output in &contents.outputs {
        for part in &output.parts {
            rows.run(output.source as u64, part);
        }
    }
    for log in &contents.logs {
        rows.log(log);
    }
    (rows, said)
}

impl Rows {
    fn file(&mut self, file: u64, report: &FileReport, archive: Option<u64>, said: Option<u64>, role: &str) {
        self.files.push(FileRow {
            file,
            path: report.path.clone(),
            archive,
            said,
            role: role.to_owned(),
            status: report.status.to_string(),
            format: report.format.clone(),
            version: report.version.clone(),
            layout: report.layout.clone(),
            reason: report.reason.clone(),
            jobs: report.jobs.map(u64::from),
            window_ms: report.window_ms,
            rows: report.rows,
            skipped: report.skipped,
            sha256: report.sha256.clone(),
        });
        for remark in &report.diagnostics {
            self.remark(Some(file), None, true, remark);
        }
    }

    fn remark(&mut self, file: Option<u64>, path: Option<String>, below: bool, remark: &Diagnostic) {
        self.remarks.push(RemarkRow {
            file,
            path,
            below,
            severity: remark.severity.to_string(),
            line: remark.line,
            message: remark.message.clone(),
        });
    }

    fn run(&mut self, file: u64, part: &RunPart) {
        let run = self.runs.len() as u64;
        self.runs.push(RunRow {
            run,
            file,
            tool: part.tool.name.clone(),
            version: part.tool.version.clone(),
            label: part.label.clone(),
            key: part.key.clone(),
            first_log_number: part.first_log_number.into(),
        });
        for (number, job) in (0..).zip(&part.jobs) {
            self.job(run, number, job);
        }
        for (key, value) in &part.environment {
            self.property(run, None, ENVIRONMENT, key, value);
        }
        for (dimension, value) in &part.dimensions {
            self.property(run, None, DIMENSION, dimension.as_str(), value.as_str());
        }
        for (kind, prefixes) in &part.log_prefixes {
            for prefix in prefixes {
                self.property(run, None, LOG_PREFIX, kind.as_str(), prefix);
            }
        }
        for word in &part.explained {
            self.property(run, None, EXPLAINED, "", word);
        }
        for summary in &part.summaries {
            self.statistic(run, summary);
        }
        for Series { metric, ddir, job, clone, last_ms, kind } in &part.series {
            let mut row = self.series(file, *ddir, *last_ms, kind);
            row.run = Some(run);
            row.metric = Some(metric.to_string());
            row.job = (*job != Series::ALL_JOBS).then_some(*job as u64);
            row.clone = Some((*clone).into());
            self.series.push(row);
        }
    }

    fn job(&mut self, run: u64, number: u64, job: &Job) {
        self.jobs.push(JobRow {
            run,
            job: number,
            name: job.name.clone(),
            host: job.host.clone(),
            clones: job.clones.into(),
            error: job.error,
        });
        let ddirs: BTreeSet<&Ddir> =
            job.runtime_ms.keys().chain(job.bytes.keys()).chain(job.ios.keys()).collect();
        for ddir in ddirs {
            self.totals.push(TotalRow {
                run,
                job: number,
                ddir: ddir.to_string(),
                runtime_ms: job.runtime_ms.get(ddir).copied(),
                bytes: job.bytes.get(ddir).copied(),
                ios: job.ios.get(ddir).copied(),
            });
        }
        for (key, value) in &job.options {
            self.property(run, Some(number), OPTION, key, value);
        }
    }

    fn property(&mut self, run: u64, job: Option<u64>, kind: &str, key: &str, value: &str) {
        let (kind, key, value) = (kind.to_owned(), key.to_owned(), value.to_owned());
        self.properties.push(PropertyRow { run, job, kind, key, value });
    }

    fn statistic(&mut self, run: u64, summary: &Summary) {
        let statistic = self.statistics.len() as u64;
        self.statistics.push(StatisticRow {
            statistic,
            run,
            metric: summary.metric.to_string(),
            ddir: summary.ddir.to_string(),
            job: summary.job.map(|job| job as u64),
            origin: summary.origin.to_string(),
            count: summary.count,
            min: summary.min,
            max: summary.max,
            mean: summary.mean,
            stddev: summary.stddev,
            buckets: summary.histogram.as_ref().map(|histogram| histogram.len() as u64),
        });
        let rows =
            summary.percentiles.iter().map(|&(quantile, value)| PercentileRow { statistic, quantile, value });
        self.percentiles.extend(rows);
        if let Some(histogram) = &summary.histogram {
            self.histogram(Some(statistic), None, None, histogram);
        }
    }

    fn log(&mut self, LogFile { source, log, told }: &LogFile) {
        let file = *source as u64;
        self.logs.push(LogRow {
            file,
            prefix: log.name.prefix.clone(),
            kind: log.name.kind.as_str().to_owned(),
            number: log.name.number.map(u64::from),
            host: log.name.host.clone(),
            lat_unit: log.lat_unit.map(|(unit, _)| unit.as_str().to_owned()),
            lat_unit_known: log.lat_unit.map(|(_, certainty)| certainty == UnitCertainty::Known),
            per_io: log.per_io,
            window_ms: log.window_ms,
            epoch_ms: log.epoch_ms,
            told_lat_unit: told.lat_unit.map(|unit| unit.as_str().to_owned()),
            told_runtime_ms: told.runtime_ms,
        });
        let metric = metric_of(log.name.kind).map(|metric| metric.to_string());
        for (number, segment) in (0..).zip(&log.segments) {
            self.segments.push(SegmentRow { file, segment: number, last_ms: segment.last_ms });
            for (ddir, kind) in &segment.series {
                let mut row = self.series(file, *ddir, segment.last_ms, kind);
                row.segment = Some(number);
                row.metric.clone_from(&metric);
                self.series.push(row);
            }
        }
    }

    /// The row of the next series, whose values are added; where it belongs is for the caller to say.
    fn series(&mut self, file: u64, ddir: Ddir, last_ms: u64, kind: &SeriesKind) -> SeriesRow {
        let series = self.series.len() as u64;
        let mut row = SeriesRow {
            series,
            file,
            segment: None,
            run: None,
            metric: None,
            ddir: ddir.to_string(),
            job: None,
            clone: None,
            last_ms,
            own_last_ms: None,
            kind: String::new(),
            window_ms: None,
            cell_ms: None,
            cells: None,
            squares_high: None,
            squares_low: None,
            timed_cell_ms: None,
            timed_cells: None,
        };
        match kind {
            SeriesKind::Windowed { window_ms, samples } => {
                row.kind = WINDOWED.to_owned();
                row.window_ms = Some(*window_ms);
                self.samples.extend(samples.iter().map(|sample| SampleRow {
                    series,
                    end_ms: sample.end_ms,
                    value: sample.value,
                    partial: sample.partial,
                }));
            }
            SeriesKind::Cells(grid) => {
                row.kind = CELLS.to_owned();
                row.own_last_ms = Some(grid.last_ms);
                row.cell_ms = Some(grid.cell_ms);
                row.cells = Some(grid.cells.len() as u64);
                let (high, low) = halves(grid.sum_squares);
                (row.squares_high, row.squares_low) = (Some(high), Some(low));
                let held = (0..).zip(&grid.cells).filter(|(_, cell)| **cell != GridCell::default());
                self.cells.extend(held.map(|(cell, held)| {
                    let GridCell { count, sum, min, max, bytes } = *held;
                    let (sum_high, sum_low) = halves(sum);
                    CellRow { series, cell, count, sum_high, sum_low, min, max, bytes }
                }));
                self.histogram(None, Some(series), None, &grid.histogram);
                self.timed(&mut row, &grid.timed);
            }
            SeriesKind::Counts(timed) => {
                row.kind = COUNTS.to_owned();
                self.timed(&mut row, timed);
            }
        }
        row
    }

    fn timed(&mut self, row: &mut SeriesRow, timed: &TimedHistogram) {
        row.timed_cell_ms = Some(timed.cell_ms());
        row.timed_cells = Some(timed.cells().len() as u64);
        for (cell, histogram) in (0..).zip(timed.cells()) {
            self.histogram(None, Some(row.series), Some(cell), histogram);
        }
    }

    fn histogram(
        &mut self,
        statistic: Option<u64>,
        series: Option<u64>,
        cell: Option<u64>,
        histogram: &Histogram,
    ) {
        let buckets = histogram.buckets();
        self.histograms.extend(buckets.map(|(bucket, count)| BucketRow {
            statistic,
            series,
            cell,
            bucket: bucket.into(),
            count,
        }));
    }
}

/// The upper and lower 64 bits.
fn halves(sum: u128) -> (u64, u64) {
    ((sum >> 64) as u64, sum as u64)
}
