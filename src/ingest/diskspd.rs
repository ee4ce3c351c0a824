//! diskspd's results, text and XML (`-Rxml`).
//!
//! In: the parameters and the tables Total, Read and Write IO of each time span; latency columns and
//! percentiles where `-L` was given. Out: one run for each time span. MiB/s is recomputed from bytes
//! and test time. It reads no processor figures, and no figures of single threads.

#[cfg(test)]
mod tests;
mod xml;

use super::words::{self, MIB, MS, Reading};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric};
use std::io::Read;
pub use xml::DiskspdXml;

/// Reader of diskspd's text.
pub struct Diskspd;

impl Format for Diskspd {
    fn name(&self) -> &'static str {
        "diskspd"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "diskspd, text: thread | bytes | I/Os | MiB/s | I/O per s | AvgLat / total: 77250887680 | 1178755 | 245.57 | 3929.18 | 16.286"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let shown = text
            .lines()
            .any(|line| table(line).is_some() || line.trim_start().starts_with("Command Line: diskspd"));
        shown.then(|| Claim { reason: "diskspd's table of threads, bytes and I/O per s".to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading { layout: Some("text".to_owned()), ..Reading::default() };
        let mut span = Span::default();
        let mut columns: Option<(Ddir, Vec<String>)> = None;
        let mut title = None;
        let mut command = 0;
        for (number, line) in words::lines(&text) {
            let line = line.trim();
            if let Some(rest) = words::behind(line, "Command Line") {
                span.end(&mut reading);
                span = Span::default();
                command = number;
                span.command = rest.to_owned();
            } else if line.starts_with("Results for timespan") {
                span.end(&mut reading);
            } else if let Some(ddir) = direction(line) {
                (title, columns) = (Some(ddir), None);
            } else if let (Some(ddir), Some(names)) = (title, table(line)) {
                columns = Some((ddir, names));
            } else if let Some((ddir, names)) = &columns
                && line.trim_start_matches('|').trim_start().to_ascii_lowercase().starts_with("total")
            {
                span.total(number, line, *ddir, names, &mut reading);
                (title, columns) = (None, None);
            } else if line.contains('|') {
                span.percentile(line);
            } else {
                span.parameter(line);
            }
        }
        span.end(&mut reading);
        if reading.parts.is_empty() && reading.remarks.is_empty() {
            let message = "expected the tables `Total IO`, `Read IO` and `Write IO` behind the parameters, found the end of the text; let diskspd finish";
            return Err(words::broken(Some(command).filter(|line| *line > 0), message));
        }
        reading.finish("no table of results")
    }
}

fn direction(line: &str) -> Option<Ddir> {
    match line {
        "Total IO" => Some(Ddir::Mixed),
        "Read IO" => Some(Ddir::Read),
        "Write IO" => Some(Ddir::Write),
        _ => None,
    }
}

/// The columns of a table of results; MB/s in old versions is MiB/s as well.
fn table(line: &str) -> Option<Vec<String>> {
    let names: Vec<String> = cells(line).map(str::to_ascii_lowercase).collect();
    let known = ["thread", "bytes", "i/os"];
    (names.len() >= 5 && known.iter().zip(&names).all(|(a, b)| a == b)).then_some(names)
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.trim().trim_matches('|').split('|').map(str::trim)
}

/// What one direction moved, base units.
#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    bytes: f64,
    ios: f64,
    mib: Option<f64>,
    iops: Option<f64>,
    lat: Option<f64>,
    lat_stddev: Option<f64>,
    iops_stddev: Option<f64>,
}

/// One time span, and the parameters of its run, which several spans share.
#[derive(Default)]
struct Span {
    command: String,
    parameters: Parameters,
    seconds: Option<f64>,
    moved: Vec<(Ddir, Moved)>,
    /// Quantile, read, write and total latency, ns; 0 and 1 are minimum and maximum.
    percentiles: Vec<(f64, [Option<f64>; 3])>,
}

/// What the profile states. Values that differ between targets state nothing.
#[derive(Debug, Default)]
struct Parameters {
    stated: Vec<(Dimension, String)>,
    random: Option<bool>,
    reads_percent: Option<f64>,
    path: Option<String>,
}

impl Parameters {
    fn state(&mut self, dimension: Dimension, text: &str) {
        match self.stated.iter_mut().find(|(d, _)| *d == dimension) {
            Some((_, known)) if known != text => known.clear(),
            Some(_) => {}
            None => self.stated.push((dimension, text.to_owned())),
        }
    }

    /// Writes the parameters into a run that moved data in these directions.
    fn describe(&self, part: &mut RunPart, ddirs: &[Ddir]) {
        for (dimension, text) in &self.stated {
            part.state(dimension.clone(), text);
        }
        if let (Some(random), Some(&ddir)) = (self.random, ddirs.first()) {
            let ddir = if ddirs.len() > 1 { Ddir::Mixed } else { ddir };
            part.state(Dimension::Rw, words::workload(random, ddir));
        }
        if let Some(share) = self.reads_percent.filter(|_| ddirs.len() > 1) {
            part.state(words::other("rwmixread"), &share.to_string());
        }
        part.note("target", self.path.as_deref().unwrap_or_default());
    }
}

impl Span {
    fn parameter(&mut self, line: &str) {
        let parameters = &mut self.parameters;
        if let Some(rest) = words::behind(line, "block size") {
            parameters.state(Dimension::Bs, &plain_size(rest));
        } else if let Some(rest) = words::behind(line, "threads per file") {
            parameters.state(Dimension::Numjobs, rest);
        } else if line.starts_with("number of outstanding I/O operations") {
            parameters.state(Dimension::Iodepth, line.rsplit(':').next().unwrap_or_default().trim());
        } else if let Some(rest) = words::behind(line, "path") {
            parameters.path.get_or_insert_with(|| rest.trim_matches('\'').to_owned());
        } else if let Some(rest) = words::behind(line, "size") {
            parameters.state(words::other("size"), &plain_size(rest));
        } else if line.starts_with("using random I/O") {
            parameters.random = Some(true);
        } else if line.starts_with("using sequential I/O")
            || line.starts_with("using interlocked sequential I/O")
        {
            parameters.random = Some(false);
        } else if let Some((_, ratio)) = line.split_once("read/write ratio:") {
            let share = ratio.trim().split('/').next().unwrap_or_default();
            parameters.reads_percent = words::number(share);
        } else if line.starts_with("software cache disabled")
            || line.starts_with("hardware and software cache")
        {
            parameters.state(Dimension::Direct, "1");
        } else if line.starts_with("using software cache")
            || line.starts_with("using hardware and software caches")
        {
            parameters.state(Dimension::Direct, "0");
        } else if let Some(rest) = words::behind(line, "actual test time") {
            self.seconds = words::number(rest.trim_end_matches('s')).filter(|s| *s > 0.0);
        }
    }

    fn total(&mut self, number: u64, line: &str, ddir: Ddir, names: &[String], reading: &mut Reading) {
        let line = line.replacen(':', "|", 1);
        let cells: Vec<&str> = cells(&line).filter(|cell| !cell.is_empty()).collect();
        let mut moved = Moved::default();
        for (name, cell) in names.iter().zip(cells).skip(1) {
            let (column, scale) = match name.as_str() {
                "bytes" | "i/os" | "i/o per s" | "iopsstddev" => (name, 1.0),
                "mib/s" | "mb/s" => (name, MIB),
                "avglat" | "latstddev" => (name, MS),
                _ => continue,
            };
            if cell == "N/A" {
                continue;
            }
            let Some(value) = reading.cell(number, column, cell).map(|value| value * scale) else { return };
            match column.as_str() {
                "bytes" => moved.bytes = value,
                "i/os" => moved.ios = value,
                "i/o per s" => moved.iops = Some(value),
                "iopsstddev" => moved.iops_stddev = Some(value),
                "avglat" => moved.lat = Some(value),
                "latstddev" => moved.lat_stddev = Some(value),
                _ => moved.mib = Some(value),
            }
        }
        reading.rows += 1;
        self.moved.push((ddir, moved));
    }

    /// `99th | 17.406 | 9.024 | 16.098`, in ms; anything else is no row of the table.
    fn percentile(&mut self, line: &str) {
        let mut cells = cells(line);
        let Some(quantile) = cells.next().and_then(quantile) else { return };
        let mut latency = || cells.next().and_then(words::number).map(|ms| ms * MS);
        self.percentiles.push((quantile, [latency(), latency(), latency()]));
    }

    /// Makes the run of this span and leaves the parameters to the next.
    fn end(&mut self, reading: &mut Reading) {
        let moved = std::mem::take(&mut self.moved);
        let percentiles = std::mem::take(&mut self.percentiles);
        let seconds = self.seconds.take();
        let Some(mut part) = run(None, &moved, &percentiles, seconds) else { return };
        let ddirs: Vec<Ddir> = busy(&moved).map(|(ddir, _)| *ddir).collect();
        self.parameters.describe(&mut part, &ddirs);
        part.note("command", &self.command);
        push(part, reading);
    }
}

/// Adds a run; the second and later ones are told apart by their number.
fn push(mut part: RunPart, reading: &mut Reading) {
    let count = reading.parts.len() + 1;
    if count == 2
        && let Some(first) = reading.parts.first_mut()
    {
        first.key = "span1".to_owned();
    }
    if count > 1 {
        part.key = format!("span{count}");
    }
    reading.parts.push(part);
}

/// Directions with I/O. The total says nothing beside them.
fn busy(moved: &[(Ddir, Moved)]) -> impl Iterator<Item = &(Ddir, Moved)> {
    moved.iter().filter(|(ddir, moved)| *ddir != Ddir::Mixed && moved.ios > 0.0)
}

/// The run of one span; None when it moved nothing.
fn run(
    version: Option<&str>,
    moved: &[(Ddir, Moved)],
    percentiles: &[(f64, [Option<f64>; 3])],
    seconds: Option<f64>,
) -> Option<RunPart> {
    let mut part = RunPart::of_tool("diskspd", version, "");
    let mut shown: Vec<&(Ddir, Moved)> = busy(moved).collect();
    if shown.is_empty() {
        // Tables of one kind only, as they are pasted into notes.
        shown.extend(moved.iter().filter(|(_, moved)| moved.ios > 0.0));
    }
    if shown.is_empty() {
        return None;
    }
    for &&(ddir, moved) in &shown {
        let rate = |amount: f64| seconds.map(|seconds| amount / seconds);
        part.mean(Metric::Bw, ddir, rate(moved.bytes).or(moved.mib));
        part.mean(Metric::Iops, ddir, moved.iops.or_else(|| rate(moved.ios)));
        part.summary(Metric::Iops, ddir).stddev = moved.iops_stddev;
        let column = match ddir {
            Ddir::Read => 0,
            Ddir::Write => 1,
            Ddir::Trim | Ddir::Mixed => 2,
        };
        let latency: Vec<(f64, f64)> =
            percentiles.iter().filter_map(|(q, row)| Some((*q, row[column]?))).collect();
        if moved.lat.is_some() || !latency.is_empty() {
            let summary = part.summary(Metric::Lat, ddir);
            (summary.mean, summary.stddev) = (moved.lat, moved.lat_stddev);
            summary.count = Some(moved.ios as u64);
            let at = |wanted: f64| latency.iter().find(|(q, _)| *q == wanted).map(|(_, value)| *value);
            (summary.min, summary.max) = (at(0.0), at(1.0));
            summary.percentiles = latency.iter().copied().filter(|(q, _)| *q > 0.0 && *q < 1.0).collect();
            summary.percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        if let Some(job) = part.jobs.first_mut() {
            job.bytes.insert(ddir, moved.bytes as u64);
            job.ios.insert(ddir, moved.ios as u64);
            job.runtime_ms.extend(seconds.map(|seconds| (ddir, seconds * 1000.0)));
        }
    }
    Some(part)
}

/// Quantile of a row of the latency table: `min`, `25th`, `3-nines`, `max`.
fn quantile(text: &str) -> Option<f64> {
    match text {
        "min" => return Some(0.0),
        "max" => return Some(1.0),
        _ => {}
    }
    if let Some(nines) = text.strip_suffix("-nines") {
        let nines: i32 = nines.parse().ok().filter(|n| (1..=12).contains(n))?;
        return Some(1.0 - 10f64.powi(-nines));
    }
    let percent = text.strip_suffix("th").and_then(words::number)?;
    (percent > 0.0 && percent < 100.0).then(|| percent / 100.0)
}

/// A size as dimensions spell it: `64KiB`, `65536`, `50MiB`.
fn plain_size(text: &str) -> String {
    text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', 'B']).to_owned()
}
