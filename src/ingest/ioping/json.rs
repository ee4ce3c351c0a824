//! ioping -J: an array with an object for each request, at the end one with the statistics.
//!
//! The array of a call that was killed has no end: what is complete in it is read.

use super::line::Place;
use super::run::{Latency, Outcome};
use crate::ingest::Remark;
use crate::ingest::transcript::{Above, Placed};
use crate::model::{CellGrid, Ddir, Metric, Series, SeriesKind, Severity};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Element {
    timestamp: f64,
    #[serde(default)]
    target: Target,
    io: Option<Io>,
    stat: Option<Stat>,
    load: Option<Load>,
}

#[derive(Debug, Default, Deserialize)]
struct Target {
    fstype: Option<String>,
    device: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Io {
    request: u64,
    operation: String,
    size: u64,
    /// ns.
    time: u64,
    #[serde(default)]
    ignored: bool,
}

#[derive(Debug, Deserialize)]
struct Stat {
    count: u64,
    min: f64,
    avg: f64,
    max: f64,
    mdev: f64,
}

#[derive(Debug, Deserialize)]
struct Load {
    count: f64,
    /// ns.
    time: f64,
}

/// True for a text with ioping's JSON in it.
pub(super) fn looks_like(text: &str) -> bool {
    start(text).is_some()
        && ["\"io\"", "\"request\"", "\"ignored\"", "\"timestamp\""].iter().all(|word| text.contains(word))
}

/// The first `[` at the beginning of a line.
fn start(text: &str) -> Option<usize> {
    if text.starts_with('[') { Some(0) } else { text.find("\n[").map(|at| at + 1) }
}

/// Reads all arrays; gives the number of requests.
pub(super) fn read(text: &str, placed: &mut Vec<Placed>, remarks: &mut Vec<Remark>) -> u64 {
    let mut rows = 0;
    let mut rest = text;
    while let Some(at) = start(rest) {
        let array = rest.get(at + 1..).unwrap_or_default();
        let line = line_of(text, text.len() - array.len());
        let (elements, used, whole) = elements(array);
        if !whole {
            let message = format!(
                "expected the array's end or another object of ioping behind {} objects, found neither: it was cut, or is not ioping's",
                elements.len()
            );
            let at = line_of(text, text.len() - array.len() + used);
            remarks.push(Remark::new(Severity::Warning, message).at_line(at));
        }
        rows += elements.iter().filter(|element| element.io.is_some()).count() as u64;
        placed.extend(runs(&elements).into_iter().map(|outcome| outcome.into_made(line).placed));
        rest = array.get(used..).unwrap_or_default();
    }
    rows
}

fn line_of(text: &str, at: usize) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes().get(..at).unwrap_or_default()).count() as u64 + 1
}

/// The objects of an array, the bytes that they take, and whether the array ends.
fn elements(array: &str) -> (Vec<Element>, usize, bool) {
    let mut found = Vec::new();
    let mut used = 0;
    loop {
        let rest = array.get(used..).unwrap_or_default();
        let next = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        used += rest.len() - next.len();
        if next.starts_with(']') {
            return (found, used + 1, true);
        }
        let mut objects = serde_json::Deserializer::from_str(next).into_iter::<Element>();
        match objects.next() {
            Some(Ok(element)) => found.push(element),
            _ => return (found, used, false),
        }
        used += objects.byte_offset();
    }
}

/// The calls of an array: a request number that falls begins another.
fn runs(elements: &[Element]) -> Vec<Outcome> {
    let mut runs = Vec::new();
    let mut from = 0;
    let mut last = 0;
    for (index, element) in elements.iter().enumerate() {
        let Some(io) = &element.io else { continue };
        if io.request <= last {
            runs.extend(run(&elements[from..index]));
            from = index;
        }
        last = io.request;
    }
    runs.extend(run(&elements[from..]));
    runs
}

fn run(elements: &[Element]) -> Option<Outcome> {
    let requests: Vec<(f64, &Io)> =
        elements.iter().filter_map(|e| Some((e.timestamp, e.io.as_ref()?))).collect();
    let (first, first_io) = *requests.first()?;
    // A request is printed when it has ended.
    let begin = first - first_io.time as f64 / 1e9;
    let mut grid = CellGrid::new();
    for (at, io) in requests.iter().filter(|(_, io)| !io.ignored) {
        grid.add(((at - begin) * 1000.0).max(0.0) as u64, io.time, io.size);
        grid.histogram.record(io.time, 1);
    }
    let total = grid.total();
    let stat = elements.iter().find_map(|element| element.stat.as_ref());
    let load = elements.iter().find_map(|element| element.load.as_ref());
    let mean = (total.count > 0).then(|| total.sum as f64 / total.count as f64);
    let latency = Latency {
        count: stat.map(|stat| stat.count).or(Some(total.count)),
        min: stat.map(|stat| stat.min).or(mean.map(|_| total.min as f64)),
        mean: stat.map(|stat| stat.avg).or(mean),
        max: stat.map(|stat| stat.max).or(mean.map(|_| total.max as f64)),
        stddev: stat.map(|stat| stat.mdev),
        histogram: Some(grid.histogram.clone()).filter(|histogram| !histogram.is_empty()),
    };
    let target = elements.first().map(|element| &element.target);
    let text = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
    let series = Series {
        metric: Metric::Lat,
        ddir: Ddir::Read,
        job: 0,
        clone: 0,
        last_ms: grid.last_ms,
        kind: SeriesKind::Cells(grid),
    };
    Some(Outcome {
        place: Place {
            fs: text(target.and_then(|t| t.fstype.as_ref())),
            device: text(target.and_then(|t| t.device.as_ref())),
        },
        bytes: Some(first_io.size),
        ddir: Some(if first_io.operation == "write" { Ddir::Write } else { Ddir::Read }),
        latency,
        elapsed: load.map(|load| (load.count, load.time)),
        series: (total.count > 0).then_some(series).into_iter().collect(),
        above: Above::default(),
        ..Outcome::default()
    })
}
