//! rbench logs: plotgen's own table for results of any other tool.
//!
//! In: UTF-8 CSV with `#` lines first, `# rbench 1` before all. Out: one run for each distinct
//! combination of the dimension columns, rows with a time as series, rows without as the tool's own
//! figures. A row that cannot be read is an error for the whole file: half a table is no result.
//!
//! ```text
//! # rbench 1
//! # raid=10 chunk=64K rw=randread bs=4k iodepth=4
//! time_ms,metric,ddir,value,unit
//! 500,iops,read,441,1/s
//! 500,clat,read,9.05,ms
//! ```

mod row;
#[cfg(test)]
mod tests;

use super::{Claim, Content, Format, Head, IngestError, Parsed, ReadContext, Remark, RunPart, labels};
use crate::model::{
    Ddir, Dimension, Job, Metric, Sample, Series, SeriesKind, Severity, Stat, Summary, Tool, Value,
};
use row::{Column, Row, header, parse_row};
use std::collections::BTreeMap;
use std::io::Read;

/// Reader of rbench logs.
pub struct Rbench;

/// The version of the format that this reader knows.
const VERSION: &str = "1";

/// Longest table that is read, bytes.
const LONGEST: u64 = 256 << 20;

impl Format for Rbench {
    fn name(&self) -> &'static str {
        "rbench"
    }

    fn describe(&self) -> &'static str {
        "plotgen's own table, CSV under `# rbench 1`: time_ms,metric,ddir,value,unit / 500,clat,read,9.05,ms"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let first = head.bytes.split(|&c| c == b'\n').next()?;
        let version = version_of(&String::from_utf8_lossy(first))?.to_owned();
        Some(Claim { reason: format!("first line `# rbench {version}`") })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let mut bytes = Vec::new();
        input.take(LONGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST {
            let message = format!(
                "expected at most {} MiB, found more; split the table into several files",
                LONGEST >> 20
            );
            return Err(IngestError::Content { line: None, message });
        }
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
                return Err(fault(line, "expected UTF-8 text, found other bytes; save the file as UTF-8"));
            }
        };
        let preamble = Preamble::parse(text)?;
        let mut table = Table::default();
        table.read(&preamble)?;
        Ok(table.into_parsed(&preamble))
    }
}

fn fault(line: u64, message: impl Into<String>) -> IngestError {
    IngestError::Content { line: Some(line), message: message.into() }
}

/// The version in `# rbench 1`; None when the line is another.
fn version_of(line: &str) -> Option<&str> {
    let mut words = line.trim().strip_prefix('#')?.split_whitespace();
    (words.next() == Some("rbench")).then(|| words.next().unwrap_or_default())
}

/// The `#` lines.
struct Preamble<'a> {
    dimensions: BTreeMap<Dimension, (Value, u64)>,
    /// The table behind them.
    table: &'a str,
    /// Number of `#` lines and blank lines.
    lines: u64,
}

impl<'a> Preamble<'a> {
    fn parse(text: &'a str) -> Result<Self, IngestError> {
        let mut dimensions = BTreeMap::new();
        let (mut rest, mut lines) = (text, 0);
        while !rest.is_empty() {
            let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
            let number = lines + 1;
            match line.trim().strip_prefix('#') {
                _ if number == 1 => match version_of(line) {
                    Some(VERSION) => {}
                    found => {
                        return Err(fault(
                            1,
                            format!(
                                "expected `# rbench {VERSION}`, found `{}`; this plotgen reads version {VERSION} of the format{}",
                                line.trim(),
                                if found.is_some() { ", a newer one may read this file" } else { "" }
                            ),
                        ));
                    }
                },
                Some(comment) => read_dimensions(comment, number, &mut dimensions)?,
                None if line.trim().is_empty() => {}
                None => break,
            }
            (rest, lines) = (behind, number);
        }
        Ok(Preamble { dimensions, table: rest, lines })
    }
}

/// Reads `key=value key=value`; a line without any `=` is a comment.
fn read_dimensions(
    comment: &str,
    line: u64,
    dimensions: &mut BTreeMap<Dimension, (Value, u64)>,
) -> Result<(), IngestError> {
    if !comment.contains('=') {
        return Ok(());
    }
    for word in comment.split_whitespace() {
        let (key, text) = match word.split_once('=') {
            Some((key, text)) if !key.is_empty() && !text.is_empty() => (key, text),
            _ => return Err(fault(line, format!("expected `key=value` between blanks, found `{word}`"))),
        };
        let dimension = labels::dimension_of_key(key);
        let value = labels::canonical(&dimension, text);
        if let Some((_, first)) = dimensions.insert(dimension, (value, line)) {
            return Err(fault(
                line,
                format!("`{key}` has a value already, in line {first}; keep one of the two"),
            ));
        }
    }
    Ok(())
}

/// A figure, the count behind it, and its line.
type Figure = (f64, Option<u64>, u64);

/// Rows of one run.
#[derive(Default)]
struct Group {
    /// Samples by end, with their lines.
    series: BTreeMap<(Metric, Ddir), BTreeMap<u64, (f64, u64)>>,
    /// Figures of the whole run.
    figures: BTreeMap<(Metric, Ddir), BTreeMap<Stat, Figure>>,
}

#[derive(Default)]
struct Table {
    groups: BTreeMap<Vec<(Dimension, Value)>, Group>,
    rows: u64,
}

impl Table {
    fn read(&mut self, preamble: &Preamble<'_>) -> Result<(), IngestError> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(preamble.table.as_bytes());
        let mut columns: Option<Vec<(String, Column)>> = None;
        let mut record = csv::StringRecord::new();
        loop {
            let line = preamble.lines + reader.position().line();
            match reader.read_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => return Err(fault(line, format!("expected a row of CSV: {error}"))),
            }
            let line = record.position().map_or(line, |position| preamble.lines + position.line());
            let Some(columns) = &columns else {
                columns = Some(header(&record, line, preamble)?);
                continue;
            };
            self.add(parse_row(&record, columns, line)?)?;
        }
    }

    fn add(&mut self, row: Row) -> Result<(), IngestError> {
        let what = format!("{} of {} {}", row.stat, row.ddir, row.metric);
        let group = self.groups.entry(row.dimensions.into_iter().collect()).or_default();
        let series = (row.metric, row.ddir);
        let first = match row.time_ms {
            Some(time) if row.stat != Stat::Mean => {
                return Err(fault(
                    row.line,
                    format!(
                        "column `stat`: expected `mean` or nothing in a row with a time, found `{}` at {time} ms; \
                         leave `time_ms` empty for a figure of the whole run",
                        row.stat
                    ),
                ));
            }
            Some(time) => group
                .series
                .entry(series)
                .or_default()
                .insert(time, (row.value, row.line))
                .map(|(_, first)| (first, format!("{what} at {time} ms"))),
            None => group
                .figures
                .entry(series)
                .or_default()
                .insert(row.stat, (row.value, row.count, row.line))
                .map(|(_, _, first)| (first, what)),
        };
        self.rows += 1;
        match first {
            None => Ok(()),
            Some((first, what)) => Err(fault(
                row.line,
                format!(
                    "expected one {what} in a run, found a second (the first is in line {first}); \
                     add a column that tells the runs apart, such as `repeat`"
                ),
            )),
        }
    }

    fn into_parsed(self, preamble: &Preamble<'_>) -> Parsed {
        let several = self.groups.len() > 1;
        let (mut runs, mut remarks, mut skipped) = (Vec::new(), Vec::new(), 0);
        for (columns, group) in self.groups {
            let key: Vec<String> = columns.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let shared = preamble.dimensions.iter().map(|(name, (value, _))| (name.clone(), value.clone()));
            runs.push(RunPart {
                tool: Tool { name: "rbench".to_owned(), version: None },
                key: if several { key.join(" ") } else { String::new() },
                jobs: vec![Job { name: "rbench".to_owned(), clones: 1, ..Job::default() }],
                first_log_number: 1,
                summaries: summaries(&group, &mut remarks, &mut skipped),
                series: series(&group),
                dimensions: shared.chain(columns).collect(),
                ..RunPart::default()
            });
        }
        Parsed {
            version: None,
            layout: Some(format!("rbench {VERSION}")),
            rows: self.rows,
            skipped,
            content: if runs.is_empty() {
                Content::Nothing("a table without rows".to_owned())
            } else {
                Content::Runs(runs)
            },
            remarks,
        }
    }
}

fn series(group: &Group) -> Vec<Series> {
    let series = group.series.iter().map(|(&(metric, ddir), rows)| {
        let samples: Vec<Sample> =
            rows.iter().map(|(&end_ms, &(value, _))| Sample { end_ms, value, partial: false }).collect();
        let last_ms = samples.last().map_or(0, |s| s.end_ms);
        Series {
            metric,
            ddir,
            job: 0,
            clone: 0,
            last_ms,
            kind: SeriesKind::Windowed { window_ms: window(&samples), samples },
        }
    });
    series.collect()
}

/// Median distance between samples; a single one covers the time up to its end.
fn window(samples: &[Sample]) -> f64 {
    let mut distances: Vec<u64> = samples.windows(2).map(|pair| pair[1].end_ms - pair[0].end_ms).collect();
    distances.sort_unstable();
    match (distances.len(), samples.first()) {
        (0, first) => first.map_or(0.0, |sample| sample.end_ms as f64),
        (n, _) if n % 2 == 1 => distances[n / 2] as f64,
        (n, _) => (distances[n / 2 - 1] + distances[n / 2]) as f64 / 2.0,
    }
}

fn summaries(group: &Group, remarks: &mut Vec<Remark>, skipped: &mut u64) -> Vec<Summary> {
    let mut summaries = Vec::new();
    for (&(metric, ddir), figures) in &group.figures {
        let figure = |stat: Stat| figures.get(&stat).map(|&(value, _, _)| value);
        let mut summary = Summary {
            count: figures.values().find_map(|&(_, count, _)| count),
            min: figure(Stat::Min),
            max: figure(Stat::Max),
            mean: figure(Stat::Mean),
            stddev: figure(Stat::Stddev),
            ..Summary::new(metric, ddir, Some(0))
        };
        let quantiles = figures.iter().filter_map(|(stat, &(value, _, _))| Some((stat.quantile()?, value)));
        summary.percentiles = quantiles.collect();
        summary.percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(&(cov, _, line)) = figures.get(&Stat::Cov) {
            // A summary holds the standard deviation; the coefficient follows from it.
            match (summary.mean, summary.stddev) {
                (_, Some(_)) => {}
                (Some(mean), None) => summary.stddev = Some(cov * mean),
                (None, None) => {
                    *skipped += 1;
                    let message =
                        format!("the cov of {ddir} {metric} says nothing without its mean; left out");
                    remarks.push(Remark::new(Severity::Warning, message).at_line(line));
                }
            }
        }
        summaries.push(summary);
    }
    summaries
}
