//! hdparm -tT: its timings.
//!
//! In: a text with `Timing` lines of any hdparm, several devices and repeats in it. Out:
//! a run for each timing. `-T` reads the cache, so it measures memory: its device is
//! `memory`, and the dimension `hdparm` keeps `cached` and `buffered` apart in every
//! comparison. hdparm's MB are MiB, its kB KiB. The rate is the printed one, as the
//! seconds are rounded to hundredths; one that does not follow from its line is computed anew.
//!
//! ```text
//! /dev/sda:
//!  Timing cached reads:   128 MB in  1.34 seconds = 95.52 MB/sec
//!  Timing buffered disk reads:  64 MB in 17.86 seconds =  3.58 MB/sec
//! ```

#[cfg(test)]
mod tests;

use super::transcript::{self, Above, Pattern, Placed, decimal};
use super::{Claim, Content, Format, Head, IngestError, Parsed, ReadContext, Remark, RunPart};
use crate::model::{Ddir, Dimension, Job, Metric, Severity, Summary, Tool, Value};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::LazyLock;

/// Reader of hdparm's timings.
pub struct Hdparm;

/// What stands at the beginning of every timing.
const TIMING: &str = "Timing ";

impl Format for Hdparm {
    fn name(&self) -> &'static str {
        "hdparm"
    }

    fn describe(&self) -> &'static str {
        "hdparm -tT, its timings: Timing buffered disk reads: 64 MB in 17.86 seconds = 3.58 MB/sec"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        memchr::memmem::find(head.bytes, TIMING.as_bytes())?;
        let text = String::from_utf8_lossy(head.bytes);
        let mut timings =
            transcript::lines(&text).map(|line| line.text).filter(|line| timing(line).is_some()).peekable();
        let example = timings.peek().copied().unwrap_or_default();
        transcript::claim(timings.count(), "timing of hdparm", "timings of hdparm", example)
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let (mut above, mut device) = (Above::default(), None);
        let mut placed = Vec::new();
        let (mut remarks, mut skipped) = (Vec::new(), 0);
        for line in transcript::lines(&text) {
            let mut say = |message: String| {
                remarks.push(Remark::new(Severity::Warning, message).at_line(line.number));
            };
            if let Some(command) = command(line.text) {
                above.set_command(command);
                device = devices(command).next().map(str::to_owned);
            } else if let Some(name) = device_line(line.text) {
                device = Some(name.to_owned());
            } else if let Some(timing) = timing(line.text) {
                match timing.rate() {
                    Ok((rate, remark)) => {
                        remark.into_iter().for_each(&mut say);
                        placed.push(timing.place(rate, device.as_deref(), above.for_block()));
                    }
                    Err(message) => {
                        skipped += 1;
                        say(message);
                    }
                }
            } else if let Some(heading) = transcript::heading(line.text) {
                above.set_heading(heading);
            }
        }
        remarks.extend(transcript::passed_over(&text, self.name()));
        let rows = placed.len() as u64;
        let parts = transcript::finish(placed, "timing");
        Ok(Parsed {
            version: None,
            layout: Some(format!("hdparm, {rows} timing{}", if rows == 1 { "" } else { "s" })),
            rows,
            skipped,
            content: if parts.is_empty() {
                Content::Nothing("no timing of hdparm that gives a rate in it".to_owned())
            } else {
                Content::Runs(parts)
            },
            remarks,
        })
    }
}

/// True for a line that belongs to hdparm.
pub(super) fn owns(line: &str) -> bool {
    timing(line).is_some() || device_line(line).is_some() || command(line).is_some()
}

fn command(line: &str) -> Option<&str> {
    transcript::command(line, "hdparm", |word| word.starts_with('-') || word.starts_with("/dev/"))
}

fn devices(command: &str) -> impl Iterator<Item = &str> {
    command.split_whitespace().filter(|word| word.starts_with("/dev/"))
}

/// `/dev/sda:` alone in a line.
fn device_line(line: &str) -> Option<&str> {
    line.trim().strip_suffix(':').filter(|name| name.starts_with('/') && !name.contains(char::is_whitespace))
}

/// A line of hdparm, its numbers as texts.
struct Timing<'a> {
    cached: bool,
    direct: bool,
    amount: &'a str,
    amount_unit: &'a str,
    seconds: &'a str,
    rate: &'a str,
    rate_unit: &'a str,
}

/// Source: hdparm `hdparm.c`, `time_cache` and `time_device`.
static LINE: Pattern = LazyLock::new(|| {
    Regex::new(
        r"Timing (O_DIRECT )?(cached|buffer-cache|buffered disk|disk)(?: device)? reads: *([0-9.,]+) ?([kM])B in +([0-9.,]+) seconds = *([0-9.,]+|inf|-?nan) ([kMG])B/sec",
    )
    .ok()
});

fn timing(line: &str) -> Option<Timing<'_>> {
    if !line.contains(TIMING) {
        return None;
    }
    let found = LINE.as_ref()?.captures(line)?;
    let text = |index: usize| found.get(index).map_or("", |text| text.as_str());
    Some(Timing {
        cached: matches!(text(2), "cached" | "buffer-cache"),
        direct: found.get(1).is_some(),
        amount: text(3),
        amount_unit: text(4),
        seconds: text(5),
        rate: text(6),
        rate_unit: text(7),
    })
}

/// Bytes in hdparm's unit, which counts in powers of 1024 whatever it is called.
fn unit(letter: &str) -> f64 {
    match letter {
        "k" => 1024.0,
        "G" => 1_073_741_824.0,
        _ => 1_048_576.0,
    }
}

impl Timing<'_> {
    /// Bytes per second, and a remark when the printed rate is not the line's own; else why there is none.
    fn rate(&self) -> Result<(f64, Option<String>), String> {
        let amount = decimal(self.amount).filter(|amount| *amount > 0.0).ok_or_else(|| {
            format!(
                "expected an amount above 0, found `{} {}B`; the timing is left out",
                self.amount, self.amount_unit
            )
        })? * unit(self.amount_unit);
        let seconds = decimal(self.seconds).filter(|seconds| *seconds > 0.0).ok_or_else(|| {
            format!(
                "expected a time above 0, found `{} seconds`: no rate follows; the timing is left out",
                self.seconds
            )
        })?;
        let computed = amount / seconds;
        let printed = decimal(self.rate).map(|rate| rate * unit(self.rate_unit));
        // Half of the last digit of the seconds, of the amount and of the rate.
        let slack = 0.006 / seconds + 0.51 * unit(self.amount_unit) / amount;
        match printed {
            Some(printed)
                if (printed / computed - 1.0).abs() <= slack + 0.006 * unit(self.rate_unit) / computed =>
            {
                Ok((printed, None))
            }
            _ => Ok((
                computed,
                Some(format!(
                    "expected a rate of about {:.2} MB/sec from {} {}B in {} seconds, found `{} {}B/sec`; the computed one is used",
                    computed / unit("M"),
                    self.amount,
                    self.amount_unit,
                    self.seconds,
                    self.rate,
                    self.rate_unit
                )),
            )),
        }
    }

    fn place(&self, rate: f64, device: Option<&str>, above: Above) -> Placed {
        let kind = if self.cached { "cached" } else { "buffered" };
        let mut dimensions: BTreeMap<Dimension, Value> = BTreeMap::new();
        let mut set = |dimension: Dimension, text: &str| {
            let value = Value::canonical(&dimension, text);
            dimensions.insert(dimension, value);
        };
        set(Dimension::Other("hdparm".to_owned()), kind);
        set(Dimension::Rw, "read");
        set(Dimension::Direct, if self.direct { "1" } else { "0" });
        if self.cached {
            set(Dimension::Device, "memory");
        } else if let Some(device) = device {
            set(Dimension::Device, device);
        }
        let mut environment = BTreeMap::new();
        if let Some(device) = device {
            environment.insert("device".to_owned(), device.to_owned());
        }
        let seconds = decimal(self.seconds).unwrap_or_default();
        let amount = decimal(self.amount).unwrap_or_default() * unit(self.amount_unit);
        let job = Job {
            name: "hdparm".to_owned(),
            clones: 1,
            runtime_ms: BTreeMap::from([(Ddir::Read, seconds * 1000.0)]),
            bytes: BTreeMap::from([(Ddir::Read, amount as u64)]),
            ..Job::default()
        };
        let part = RunPart {
            tool: Tool { name: "hdparm".to_owned(), version: None },
            label: above.label(),
            key: kind.to_owned(),
            jobs: vec![job],
            summaries: vec![Summary { mean: Some(rate), ..Summary::new(Metric::Bw, Ddir::Read, Some(0)) }],
            dimensions,
            environment,
            explained: BTreeSet::from(["hdparm", "t", "tt", "direct"].map(str::to_owned)),
            ..RunPart::default()
        };
        Placed { part, heading: above.heading }
    }
}
