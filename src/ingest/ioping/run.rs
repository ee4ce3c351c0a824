//! What a call measured as a run: the part that request lines, raw lines and JSON share.

use super::line::{Flags, Place};
use crate::ingest::transcript::{Above, Placed};
use crate::ingest::{Remark, RunPart};
use crate::model::{Ddir, Dimension, Histogram, Job, Metric, Series, Summary, Tool, Value};
use std::collections::BTreeMap;

/// Share of the elapsed time from which requests count as following one another at once.
const BUSY: f64 = 0.8;

/// Figures of latency, ns.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Latency {
    pub(super) count: Option<u64>,
    pub(super) min: Option<f64>,
    pub(super) mean: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) stddev: Option<f64>,
    pub(super) histogram: Option<Histogram>,
}

/// All that is known of a call.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) place: Place,
    /// Size of a request.
    pub(super) bytes: Option<u64>,
    pub(super) ddir: Option<Ddir>,
    pub(super) flags: Option<Flags>,
    pub(super) latency: Latency,
    /// Requests made, and the time in ns from first to last.
    pub(super) elapsed: Option<(f64, f64)>,
    /// True when ioping printed `iops`, so that leaving them out needs a word.
    pub(super) prints_rates: bool,
    /// Series but for their direction.
    pub(super) series: Vec<Series>,
    pub(super) above: Above,
    pub(super) version: Option<String>,
}

/// A run, and what is to be said about it.
pub(super) struct Made {
    pub(super) line: u64,
    pub(super) placed: Placed,
    /// The direction is an assumption.
    pub(super) assumed_read: bool,
    /// Rates were printed and mean nothing.
    pub(super) paced: bool,
    pub(super) remark: Option<Remark>,
}

/// A size computed from rounded numbers: within a hundredth of a power of two, it is that.
pub(super) fn snapped(bytes: f64) -> u64 {
    let power = bytes.max(1.0).log2().round().clamp(0.0, 62.0).exp2();
    if (bytes / power - 1.0).abs() < 0.01 { power as u64 } else { bytes.round() as u64 }
}

impl Outcome {
    /// True when requests followed one another at once.
    ///
    /// The command says so (`-i 0`, `-R`), a script's heading does (`seek rate`,
    /// `read speed`), or the requests took up the elapsed time.
    fn no_pause(&self) -> bool {
        let stated = self.flags.as_ref().is_some_and(|flags| flags.no_pause);
        let heading = self.above.label().unwrap_or_default().to_ascii_lowercase();
        let headed = self.flags.is_none() && ["rate", "speed"].iter().any(|word| heading.contains(word));
        let busy = || {
            let (_, elapsed) = self.elapsed?;
            Some(self.latency.mean? * self.latency.count? as f64 / elapsed)
        };
        stated || headed || busy().is_some_and(|share| share >= BUSY)
    }

    fn dimensions(&self, ddir: Ddir) -> BTreeMap<Dimension, Value> {
        let mut dimensions = BTreeMap::new();
        let mut set = |dimension: Dimension, text: &str| {
            let value = Value::canonical(&dimension, text);
            dimensions.insert(dimension, value);
        };
        if let Some(fs) = &self.place.fs {
            set(Dimension::Fs, fs);
        }
        if let Some(device) = &self.place.device {
            set(Dimension::Device, device);
        }
        if let Some(bytes) = self.bytes.filter(|&bytes| bytes > 0) {
            set(Dimension::Bs, &bytes.to_string());
        }
        if let Some(flags) = &self.flags {
            set(Dimension::Direct, if flags.direct { "1" } else { "0" });
            let random = if flags.sequential { "" } else { "rand" };
            set(Dimension::Rw, &format!("{random}{ddir}"));
            let interval = flags.interval.as_deref().unwrap_or(if flags.no_pause { "0" } else { "1s" });
            set(Dimension::Other("interval".to_owned()), interval);
            if let Some(area) = &flags.area {
                set(Dimension::Other("area".to_owned()), area);
            }
        }
        dimensions
    }

    /// The run.
    pub(super) fn into_made(self, line: u64) -> Made {
        let heading = self.above.label().unwrap_or_default().to_ascii_lowercase();
        let told = self.ddir.or_else(|| match &self.flags {
            Some(flags) => Some(if flags.write { Ddir::Write } else { Ddir::Read }),
            None if heading.contains("write") => Some(Ddir::Write),
            None if heading.contains("read") => Some(Ddir::Read),
            None => None,
        });
        let ddir = told.unwrap_or(Ddir::Read);
        let no_pause = self.no_pause();
        let dimensions = self.dimensions(ddir);
        let Latency { count, min, mean, max, stddev, histogram } = self.latency.clone();
        let mut summaries = Vec::new();
        if mean.is_some() {
            let empty = Summary::new(Metric::Lat, ddir, Some(0));
            summaries.push(Summary { count, min, max, mean, stddev, histogram, ..empty });
        }
        // Without an elapsed time, requests that follow one another at once take what their latencies add up to.
        let at_once = || Some((count? as f64, count? as f64 * mean?));
        let elapsed = self.elapsed.or_else(at_once).filter(|&(_, ns)| ns > 0.0);
        if let Some((requests, ns)) = elapsed.filter(|_| no_pause) {
            let iops = requests * 1e9 / ns;
            let rate = |metric, mean| Summary { mean: Some(mean), ..Summary::new(metric, ddir, Some(0)) };
            summaries.push(rate(Metric::Iops, iops));
            summaries.extend(self.bytes.map(|bytes| rate(Metric::Bw, iops * bytes as f64)));
        }
        let job = Job {
            name: "ioping".to_owned(),
            clones: 1,
            runtime_ms: self.elapsed.map(|(_, ns)| (ddir, ns / 1e6)).into_iter().collect(),
            ios: count.map(|count| (ddir, count)).into_iter().collect(),
            ..Job::default()
        };
        let series = self
            .series
            .into_iter()
            .filter(|series| no_pause || !series.metric.is_rate())
            .map(|series| Series { ddir, ..series })
            .collect();
        let mut explained = self.flags.map(|flags| flags.words).unwrap_or_default();
        explained.insert("ioping".to_owned());
        let part = RunPart {
            tool: Tool { name: "ioping".to_owned(), version: self.version },
            label: self.above.label(),
            jobs: vec![job],
            summaries,
            series,
            dimensions,
            explained,
            ..RunPart::default()
        };
        Made {
            line,
            placed: Placed { part, heading: self.above.heading },
            assumed_read: told.is_none(),
            paced: self.prints_rates && !no_pause,
            remark: None,
        }
    }
}
