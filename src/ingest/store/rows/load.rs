//! Rows to contents.

use super::{
    BucketRow, CELLS, COUNTS, CellRow, DIMENSION, ENVIRONMENT, EXPLAINED, Histogram, LOG_PREFIX, LogRow,
    OPTION, Rows, RunRow, SampleRow, Series, SeriesKind, SeriesRow, StatisticRow, TimedHistogram, WINDOWED,
};
use crate::discover::{Role, SourceFile};
use crate::ingest::hints::Told;
use crate::ingest::join::{LogFile, OutputFile};
use crate::ingest::pipeline::Contents;
use crate::ingest::{IngestOptions, LatUnit, Log, LogName, RunPart, Segment, UnitCertainty};
use crate::model::{CellGrid, Diagnostic, Dimension, FileReport, GridCell, Job, Sample, Summary, Tool};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Why rows make no contents: what contradicts what.
type Contradiction = String;

/// The contents that rows stand for; their paths are below the store's own root.
///
/// # Errors
/// When a row names another that is not there, or holds a word or a number that no writer puts there.
pub(in crate::ingest::store) fn contents(
    rows: Rows,
    said: &[Arc<IngestOptions>],
) -> Result<Contents, Contradiction> {
    let mut contents = Contents::default();
    let count = rows.files.len();
    for (index, row) in rows.files.into_iter().enumerate() {
        same("files", row.file, index as u64)?;
        let archive = row.archive.map(|archive| below("files", archive, index)).transpose()?;
        contents.archives.push(archive);
        let own = row.said.map(|said_| below("said", said_, said.len())).transpose()?;
        contents.said.push(own.and_then(|own| said.get(own).cloned()));
        let role = match row.role.as_str() {
            "named" => Role::Named,
            "sibling" => Role::Sibling,
            other => return Err(format!("`files` has the role `{other}`")),
        };
        contents.sources.push(SourceFile {
            path: PathBuf::new(),
            relative: row.path.clone(),
            shown: row.path.clone(),
            role,
            stdin: row.path == "stdin",
        });
        contents.files.push(FileReport {
            path: row.path,
            status: word("files", &row.status)?,
            format: row.format,
            version: row.version,
            layout: row.layout,
            reason: row.reason,
            run: None,
            jobs: row.jobs.map(|jobs| fits("files", jobs)).transpose()?,
            dimensions: BTreeMap::new(),
            window_ms: row.window_ms,
            rows: row.rows,
            skipped: row.skipped,
            sha256: row.sha256,
            diagnostics: Vec::new(),
        });
    }
    for row in rows.remarks {
        let file = row.file.map(|file| below("remarks", file, count)).transpose()?;
        let report = file.and_then(|file| contents.files.get_mut(file));
        let path = match &report {
            Some(report) => report.path.clone(),
            None => row.path.unwrap_or_default(),
        };
        let mut remark = Diagnostic::new(word("remarks", &row.severity)?, path, row.message);
        remark.line = row.line;
        match report {
            Some(report) => report.diagnostics.push(remark),
            None => {
                if row.below {
                    contents.shown.insert(remark.path.clone(), remark.path.clone());
                }
                contents.found.push(remark);
            }
        }
    }
    let mut values = Values::new(rows.samples, rows.cells, rows.histograms);
    let mut series: BTreeMap<(u64, Option<u64>, Option<u64>), Vec<SeriesRow>> = BTreeMap::new();
    for row in rows.series {
        series.entry((row.file, row.segment, row.run)).or_default().push(row);
    }

    let mut parts: Vec<(usize, RunPart)> = Vec::with_capacity(rows.runs.len());
    for (index, row) in rows.runs.into_iter().enumerate() {
        same("runs", row.run, index as u64)?;
        parts.push((below("runs", row.file, count)?, part(row)?));
    }
    let runs = parts.len();
    for row in rows.jobs {
        let run = below("jobs", row.run, runs)?;
        let jobs = &mut parts[run].1.jobs;
        same("jobs", row.job, jobs.len() as u64)?;
        let clones = fits("jobs", row.clones)?;
        jobs.push(Job { name: row.name, host: row.host, clones, error: row.error, ..Job::default() });
    }
    for row in rows.totals {
        let run = below("totals", row.run, runs)?;
        let jobs = &mut parts[run].1.jobs;
        let job = below("totals", row.job, jobs.len())?;
        let (job, ddir) = (&mut jobs[job], word("totals", &row.ddir)?);
        job.runtime_ms.extend(row.runtime_ms.map(|ms| (ddir, ms)));
        job.bytes.extend(row.bytes.map(|bytes| (ddir, bytes)));
        job.ios.extend(row.ios.map(|ios| (ddir, ios)));
    }
    for row in rows.properties {
        let run = below("properties", row.run, runs)?;
        let part = &mut parts[run].1;
        match (row.kind.as_str(), row.job) {
            (OPTION, Some(job)) => {
                let job = below("properties", job, part.jobs.len())?;
                part.jobs[job].options.insert(row.key, row.value);
            }
            (ENVIRONMENT, None) => {
                part.environment.insert(row.key, row.value);
            }
            (DIMENSION, None) => {
                part.dimensions.insert(Dimension::named(&row.key), word("properties", &row.value)?);
            }
            (LOG_PREFIX, None) => {
                part.log_prefixes.entry(word("properties", &row.key)?).or_default().push(row.value);
            }
            (EXPLAINED, None) => {
                part.explained.insert(row.value);
            }
            (other, _) => return Err(format!("`properties` has a row of the kind `{other}`")),
        }
    }
    let mut percentiles: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
    for row in rows.percentiles {
        percentiles.entry(row.statistic).or_default().push((row.quantile, row.value));
    }
    for (index, row) in rows.statistics.into_iter().enumerate() {
        same("statistics", row.statistic, index as u64)?;
        let run = below("statistics", row.run, runs)?;
        let part = &mut parts[run].1;
        let job = row.job.map(|job| below("statistics", job, part.jobs.len())).transpose()?;
        let percentiles = percentiles.remove(&row.statistic).unwrap_or_default();
        part.summaries.push(summary(row, job, percentiles, &mut values)?);
    }
    for (index, (file, part)) in parts.iter_mut().enumerate() {
        for row in series.remove(&(*file as u64, None, Some(index as u64))).unwrap_or_default() {
            let job = match row.job {
                Some(job) => below("series", job, part.jobs.len())?,
                None => Series::ALL_JOBS,
            };
            part.series.push(Series {
                metric: word("series", row.metric.as_deref().unwrap_or_default())?,
                ddir: word("series", &row.ddir)?,
                job,
                clone: fits("series", row.clone.unwrap_or(0))?,
                last_ms: row.last_ms,
                kind: values.kind(&row)?,
            });
        }
    }
    for (source, part) in parts {
        match contents.outputs.last_mut().filter(|output| output.source == source) {
            Some(output) => output.parts.push(part),
            None => contents.outputs.push(OutputFile { source, parts: vec![part] }),
        }
    }

    let mut segments: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for row in rows.segments {
        let known = segments.entry(row.file).or_default();
        same("segments", row.segment, known.len() as u64)?;
        known.push(row.last_ms);
    }
    for row in rows.logs {
        let source = below("logs", row.file, count)?;
        let mut stretches = Vec::new();
        for (number, last_ms) in (0..).zip(segments.remove(&row.file).unwrap_or_default()) {
            let mut held = Vec::new();
            for series in series.remove(&(row.file, Some(number), None)).unwrap_or_default() {
                held.push((word("series", &series.ddir)?, values.kind(&series)?));
            }
            stretches.push(Segment { series: held, last_ms });
        }
        contents.logs.push(log(row, source, stretches)?);
    }
    if let Some((file, segment, run)) = series.keys().next() {
        return Err(format!(
            "`series` has a row of file {file}, segment {segment:?} and run {run:?}, which are not there"
        ));
    }
    Ok(contents)
}

fn part(row: RunRow) -> Result<RunPart, Contradiction> {
    Ok(RunPart {
        tool: Tool { name: row.tool, version: row.version },
        label: row.label,
        key: row.key,
        first_log_number: fits("runs", row.first_log_number)?,
        ..RunPart::default()
    })
}

fn summary(
    row: StatisticRow,
    job: Option<usize>,
    percentiles: Vec<(f64, f64)>,
    values: &mut Values,
) -> Result<Summary, Contradiction> {
    let histogram = values.of_statistics.remove(&row.statistic).unwrap_or_default();
    same("histograms", histogram.len() as u64, row.buckets.unwrap_or(0))?;
    Ok(Summary {
        metric: word("statistics", &row.metric)?,
        ddir: word("statistics", &row.ddir)?,
        job,
        origin: word("statistics", &row.origin)?,
        count: row.count,
        min: row.min,
        max: row.max,
        mean: row.mean,
        stddev: row.stddev,
        percentiles,
        histogram: row.buckets.map(|_| histogram),
    })
}

fn log(row: LogRow, source: usize, segments: Vec<Segment>) -> Result<LogFile, Contradiction> {
    let unit = |unit: &Option<String>| unit.as_deref().map(lat_unit).transpose();
    let certainty =
        if row.lat_unit_known == Some(true) { UnitCertainty::Known } else { UnitCertainty::Guessed };
    Ok(LogFile {
        source,
        told: Told { lat_unit: unit(&row.told_lat_unit)?, runtime_ms: row.told_runtime_ms },
        log: Log {
            lat_unit: unit(&row.lat_unit)?.map(|unit| (unit, certainty)),
            name: LogName {
                prefix: row.prefix,
                kind: word("logs", &row.kind)?,
                number: row.number.map(|number| fits("logs", number)).transpose()?,
                host: row.host,
            },
            segments,
            per_io: row.per_io,
            window_ms: row.window_ms,
            epoch_ms: row.epoch_ms,
        },
    })
}

fn lat_unit(text: &str) -> Result<LatUnit, Contradiction> {
    let units = [LatUnit::Nanoseconds, LatUnit::Microseconds, LatUnit::Milliseconds];
    let found = units.into_iter().find(|unit| unit.as_str() == text);
    found.ok_or_else(|| format!("`logs` has the latency unit `{text}`"))
}

/// Values that wait for their series or statistic.
struct Values {
    samples: BTreeMap<u64, Vec<Sample>>,
    cells: BTreeMap<u64, Vec<CellRow>>,
    of_statistics: BTreeMap<u64, Histogram>,
    of_series: BTreeMap<u64, Histogram>,
    timed: BTreeMap<u64, BTreeMap<u64, Histogram>>,
}

impl Values {
    fn new(samples: Vec<SampleRow>, cells: Vec<CellRow>, buckets: Vec<BucketRow>) -> Self {
        let mut values = Values {
            samples: BTreeMap::new(),
            cells: BTreeMap::new(),
            of_statistics: BTreeMap::new(),
            of_series: BTreeMap::new(),
            timed: BTreeMap::new(),
        };
        for SampleRow { series, end_ms, value, partial } in samples {
            values.samples.entry(series).or_default().push(Sample { end_ms, value, partial });
        }
        for row in cells {
            values.cells.entry(row.series).or_default().push(row);
        }
        for row in buckets {
            let histogram = match (row.statistic, row.series, row.cell) {
                (Some(statistic), ..) => values.of_statistics.entry(statistic).or_default(),
                (None, Some(series), None) => values.of_series.entry(series).or_default(),
                (None, Some(series), Some(cell)) => {
                    values.timed.entry(series).or_default().entry(cell).or_default()
                }
                (None, None, _) => continue,
            };
            histogram.record_bucket(u32::try_from(row.bucket).unwrap_or(u32::MAX), row.count);
        }
        values
    }

    /// The values of a series.
    fn kind(&mut self, row: &SeriesRow) -> Result<SeriesKind, Contradiction> {
        let lacks = |what: &str| format!("series {} of the kind `{}` lacks `{what}`", row.series, row.kind);
        match row.kind.as_str() {
            WINDOWED => {
                let samples = self.samples.remove(&row.series).unwrap_or_default();
                let sound = samples.iter().all(|sample| sample.value.is_finite())
                    && samples.is_sorted_by_key(|sample| sample.end_ms);
                if !sound {
                    return Err(format!("the samples of series {} are not in order", row.series));
                }
                Ok(SeriesKind::Windowed {
                    window_ms: row.window_ms.ok_or_else(|| lacks("window_ms"))?,
                    samples,
                })
            }
            CELLS => {
                let cell_ms = row.cell_ms.filter(|&ms| ms > 0).ok_or_else(|| lacks("cell_ms"))?;
                let length = row.cells.ok_or_else(|| lacks("cells"))?;
                let length = below("series", length, CellGrid::MAX_CELLS + 1)?;
                let mut cells = vec![GridCell::default(); length];
                for held in self.cells.remove(&row.series).unwrap_or_default() {
                    let at = below("cells", held.cell, length)?;
                    let CellRow { count, min, max, bytes, .. } = held;
                    cells[at] = GridCell { count, sum: whole(held.sum_high, held.sum_low), min, max, bytes };
                }
                Ok(SeriesKind::Cells(CellGrid {
                    cell_ms,
                    cells,
                    last_ms: row.own_last_ms.ok_or_else(|| lacks("own_last_ms"))?,
                    histogram: self.of_series.remove(&row.series).unwrap_or_default(),
                    timed: self.timed(row)?,
                    sum_squares: whole(
                        row.squares_high.ok_or_else(|| lacks("squares_high"))?,
                        row.squares_low.ok_or_else(|| lacks("squares_low"))?,
                    ),
                }))
            }
            COUNTS => Ok(SeriesKind::Counts(self.timed(row)?)),
            other => Err(format!("series {} is of the kind `{other}`", row.series)),
        }
    }

    fn timed(&mut self, row: &SeriesRow) -> Result<TimedHistogram, Contradiction> {
        let lacks = |what: &str| format!("series {} of the kind `{}` lacks `{what}`", row.series, row.kind);
        let cell_ms = row.timed_cell_ms.filter(|&ms| ms > 0).ok_or_else(|| lacks("timed_cell_ms"))?;
        let length = row.timed_cells.ok_or_else(|| lacks("timed_cells"))?;
        let length = below("series", length, TimedHistogram::MAX_CELLS + 1)?;
        let mut cells = vec![Histogram::default(); length];
        for (cell, histogram) in self.timed.remove(&row.series).unwrap_or_default() {
            cells[below("histograms", cell, length)?] = histogram;
        }
        Ok(TimedHistogram::of_cells(cell_ms, cells))
    }
}

fn whole(high: u64, low: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// An index, when it is below `end`.
fn below(table: &str, index: u64, end: usize) -> Result<usize, Contradiction> {
    let found = usize::try_from(index).ok().filter(|&index| index < end);
    found.ok_or_else(|| format!("`{table}` has a row with the number {index}, expected one below {end}"))
}

fn same(table: &str, found: u64, expected: u64) -> Result<(), Contradiction> {
    if found == expected {
        return Ok(());
    }
    Err(format!("`{table}` has a row with the number {found}, expected {expected}"))
}

fn fits(table: &str, number: u64) -> Result<u32, Contradiction> {
    u32::try_from(number).map_err(|_| format!("`{table}` has the number {number}, which is too large"))
}

/// A value that is written as one word: a metric, a status, a dimension's value.
fn word<'a, T: Deserialize<'a>>(table: &str, text: &'a str) -> Result<T, Contradiction> {
    let text: StrDeserializer<'a, WordError> = text.into_deserializer();
    T::deserialize(text).map_err(|error| format!("`{table}`: {error}"))
}
