//! iostat's extended reports (`iostat -x`), text and JSON, of both eras of columns.
//!
//! In: tables under a `Device` header, named by column: `await`, `avgrq-sz` (sysstat before 11.7) or
//! `r_await`, `rareq-sz`. Out: one run for each device with utilisation, bandwidth, IOPS and await over
//! time. The first report is a mean since boot and dropped, unless two blank lines behind the banner
//! show that `-y` left it out. It reads no processor figures and no reports without `-x`.

#[cfg(test)]
mod tests;

use super::words::{self, KIB, MIB, MS, Reading, broken, broken_json};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric};
use std::collections::BTreeMap;
use std::io::Read;

/// Reader of iostat's text.
pub struct Iostat;

/// Reader of iostat's JSON.
pub struct IostatJson;

/// Distance of reports in ms where nothing tells it.
const ASSUMED_MS: f64 = 1000.0;

impl Format for Iostat {
    fn name(&self) -> &'static str {
        "iostat"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "iostat -x, text: Device r/s rkB/s ... %util / vda 359.23 6150.25 ... 3.35"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let columns = text.lines().find_map(header)?.len();
        Some(Claim { reason: format!("a table of `iostat -x` with {columns} columns") })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading::default();
        let mut session = Session::default();
        let mut columns: Option<Vec<&str>> = None;
        let mut time = None;
        for (number, line) in words::lines(words::ended(&text, &mut reading)) {
            let line = line.rsplit('\r').next().unwrap_or(line);
            if line.starts_with("Linux ") && line.contains("CPU)") {
                std::mem::take(&mut session).finish(&mut reading);
                session.banner = Some(line.to_owned());
                (columns, time) = (None, None);
            } else if line.trim().is_empty() {
                columns = None;
                session.blank();
            } else if let Some(names) = header(line) {
                reading.layout = Some(format!("Device and {} columns", names.len() - 1));
                session.begin(time.take());
                columns = Some(names);
            } else if let Some(names) = &columns {
                session.row(number, line, names, &mut reading);
            } else {
                time = time_stamp(line).or(time);
                session.begun = true;
            }
        }
        session.finish(&mut reading);
        reading.finish("only the report since boot; let iostat run with an interval: `iostat -xt 1`")
    }
}

/// The columns of a table of `iostat -x`.
fn header(line: &str) -> Option<Vec<&str>> {
    let line = line.trim_end();
    if !line.starts_with("Device") || !line.ends_with("%util") {
        return None;
    }
    let names: Vec<&str> = line.split_whitespace().collect();
    names.contains(&"r/s").then_some(names)
}

/// Seconds of the day in a line of its own: `12/01/26 15:40:30`, `12/01/26 03:40:30 PM`, `2026-12-01T15:40:30+0000`.
fn time_stamp(line: &str) -> Option<f64> {
    let line = line.trim().strip_prefix("Time:").unwrap_or(line.trim());
    let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || c == 'T' || c == '+').collect();
    if words.len() > 4 {
        return None;
    }
    let seconds = words.iter().find_map(|word| words::clock(word.trim_end_matches('Z')))?;
    let half_day = 12.0 * 3600.0;
    Some(match words.last() {
        Some(&"PM") if seconds < half_day => seconds + half_day,
        Some(&"AM") if seconds >= half_day => seconds - half_day,
        _ => seconds,
    })
}

/// What one report says about one device, base units.
type Figures = BTreeMap<(Metric, Ddir), f64>;

/// One execution of iostat.
#[derive(Default)]
struct Session {
    banner: Option<String>,
    /// Blank lines behind the banner, and whether anything has followed them.
    blanks: u32,
    begun: bool,
    /// Seconds of the day of each report.
    times: Vec<Option<f64>>,
    /// Figures of each device by report.
    devices: BTreeMap<String, BTreeMap<usize, Figures>>,
}

impl Session {
    fn blank(&mut self) {
        if !self.begun {
            self.blanks += 1;
        }
    }

    fn begin(&mut self, time: Option<f64>) {
        self.begun = true;
        self.times.push(time);
    }

    fn row(&mut self, number: u64, line: &str, names: &[&str], reading: &mut Reading) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if cells.len() != names.len() {
            let (expected, found) = (names.len(), cells.len());
            reading.skip(
                number,
                format!("expected {expected} columns as in the header, found {found}; left out"),
            );
            return;
        }
        let mut values = BTreeMap::new();
        for (name, cell) in names.iter().zip(&cells).skip(1).filter(|(name, _)| is_known(name)) {
            // Some locales print a decimal comma.
            match reading.cell(number, name, &cell.replace(',', ".")) {
                Some(value) => values.insert(*name, value),
                None => return,
            };
        }
        reading.rows += 1;
        self.add(cells[0], figures(|name| values.get(name).copied()));
    }

    fn add(&mut self, device: &str, figures: Figures) {
        let Some(report) = self.times.len().checked_sub(1) else { return };
        self.devices.entry(device.to_owned()).or_default().insert(report, figures);
    }

    fn finish(self, reading: &mut Reading) {
        let since_boot = usize::from(self.blanks < 2 || self.banner.is_none());
        if self.times.len() <= since_boot {
            return;
        }
        let Ends { window_ms, ends } = self.ends(since_boot, reading);
        let mut words = self.banner.as_deref().unwrap_or_default().split_whitespace().skip(1);
        let (kernel, host) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        for (device, reports) in &self.devices {
            let mut part = RunPart::of_tool("iostat", None, device.as_str());
            part.state(Dimension::Device, device);
            part.note("kernel", kernel);
            part.note("hostname", host.trim_matches(['(', ')']));
            let mut series: BTreeMap<(Metric, Ddir), Vec<(u64, f64)>> = BTreeMap::new();
            for (report, figures) in reports.range(since_boot..) {
                for (&what, &value) in figures {
                    series.entry(what).or_default().push((ends[*report], value));
                }
            }
            for ((metric, ddir), rows) in series {
                // Discards are rare: a device that saw none has no such series.
                if ddir != Ddir::Trim || rows.iter().any(|(_, value)| *value > 0.0) {
                    part.windows(metric, ddir, window_ms, rows);
                }
            }
            if !part.series.is_empty() {
                reading.parts.push(part);
            }
        }
    }

    /// The end of each report in ms since the first one that counts began.
    fn ends(&self, since_boot: usize, reading: &mut Reading) -> Ends {
        let stamps: Option<Vec<f64>> = self.times.iter().copied().collect();
        let mut stamps = stamps.filter(|stamps| stamps.len() > 1).unwrap_or_default();
        words::across_midnight(&mut stamps);
        let count = self.times.len();
        let Some(period) = words::period(&stamps) else {
            let line = "no time stamps: the reports are taken for 1 s apart; `iostat -t` writes them";
            reading.remarks.push(super::Remark::new(crate::model::Severity::Warning, line));
            let ends = (0..count).map(|i| (i + 1).saturating_sub(since_boot) as u64 * ASSUMED_MS as u64);
            return Ends { window_ms: ASSUMED_MS, ends: ends.collect() };
        };
        let start = if since_boot == 1 { stamps[0] } else { stamps[0] - period };
        let ends = stamps.iter().map(|stamp| ((stamp - start) * 1000.0).max(0.0).round() as u64);
        Ends { window_ms: period * 1000.0, ends: ends.collect() }
    }
}

struct Ends {
    window_ms: f64,
    ends: Vec<u64>,
}

/// Columns, what they hold, and base units in one of theirs.
const COLUMNS: [(&str, Metric, Ddir, f64); 17] = [
    ("r/s", Metric::Iops, Ddir::Read, 1.0),
    ("w/s", Metric::Iops, Ddir::Write, 1.0),
    ("d/s", Metric::Iops, Ddir::Trim, 1.0),
    ("rkB/s", Metric::Bw, Ddir::Read, KIB),
    ("wkB/s", Metric::Bw, Ddir::Write, KIB),
    ("dkB/s", Metric::Bw, Ddir::Trim, KIB),
    ("rMB/s", Metric::Bw, Ddir::Read, MIB),
    ("wMB/s", Metric::Bw, Ddir::Write, MIB),
    ("dMB/s", Metric::Bw, Ddir::Trim, MIB),
    ("rsec/s", Metric::Bw, Ddir::Read, 512.0),
    ("wsec/s", Metric::Bw, Ddir::Write, 512.0),
    ("r_await", Metric::Lat, Ddir::Read, MS),
    ("w_await", Metric::Lat, Ddir::Write, MS),
    ("d_await", Metric::Lat, Ddir::Trim, MS),
    // sysstat before 10.1 knew no direction.
    ("await", Metric::Lat, Ddir::Mixed, MS),
    ("%util", Metric::Util, Ddir::Mixed, 0.01),
    ("util", Metric::Util, Ddir::Mixed, 0.01),
];

fn is_known(name: &str) -> bool {
    COLUMNS.iter().any(|(known, ..)| *known == name)
}

/// The figures of one row. A latency of a direction without I/O is none.
fn figures(value: impl Fn(&str) -> Option<f64>) -> Figures {
    let mut figures = Figures::new();
    for (name, metric, ddir, scale) in COLUMNS {
        if let Some(value) = value(name) {
            figures.insert((metric, ddir), value * scale);
        }
    }
    let ios = |ddir: Ddir| figures.get(&(Metric::Iops, ddir)).copied().unwrap_or(0.0);
    let busy: Vec<Ddir> =
        [Ddir::Read, Ddir::Write, Ddir::Trim].into_iter().filter(|&d| ios(d) > 0.0).collect();
    // Where reads and writes have their own await, the common one adds nothing.
    let apart = figures.contains_key(&(Metric::Lat, Ddir::Read));
    figures.retain(|&(metric, ddir), _| {
        metric != Metric::Lat
            || match ddir {
                Ddir::Mixed => !apart && !busy.is_empty(),
                ddir => busy.contains(&ddir),
            }
    });
    figures
}

impl Format for IostatJson {
    fn name(&self) -> &'static str {
        "iostat-json"
    }

    fn describe(&self) -> &'static str {
        "iostat -x -o JSON: {\"sysstat\": {\"hosts\": [ ... \"disk\": [{\"disk_device\": \"vda\", \"r/s\": 359.23, ... }]"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let behind = text.trim_start().strip_prefix('{')?.trim_start();
        let is_iostat = behind.starts_with("\"sysstat\"") && text.contains("\"disk_device\"");
        is_iostat.then(|| Claim { reason: "JSON with iostat's keys (`sysstat`, `disk_device`)".to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let document: serde_json::Value = serde_json::from_str(&text).map_err(|error| broken_json(&error))?;
        let Some(hosts) = document.pointer("/sysstat/hosts").and_then(|hosts| hosts.as_array()) else {
            return Err(broken(
                None,
                "expected `sysstat.hosts`, a list, found none; give the output of `iostat -x -o JSON`",
            ));
        };
        let mut reading = Reading { layout: Some("sysstat.hosts".to_owned()), ..Reading::default() };
        for host in hosts {
            let word = |key: &str| host.get(key).and_then(|v| v.as_str()).unwrap_or_default();
            let mut session = Session {
                banner: Some(format!("Linux {} ({})", word("release"), word("nodename"))),
                ..Session::default()
            };
            for report in host.get("statistics").and_then(|s| s.as_array()).into_iter().flatten() {
                session.begin(report.get("timestamp").and_then(|t| time_stamp(t.as_str()?)));
                for disk in report.get("disk").and_then(|d| d.as_array()).into_iter().flatten() {
                    let Some(device) = disk.get("disk_device").and_then(|d| d.as_str()) else { continue };
                    let amount = |v: &serde_json::Value| v.as_f64().filter(|n| (0.0..=1e18).contains(n));
                    let figures = figures(|name| disk.get(name).and_then(amount));
                    if figures.is_empty() {
                        reading.skipped += 1;
                        continue;
                    }
                    reading.rows += 1;
                    session.add(device, figures);
                }
            }
            session.finish(&mut reading);
        }
        reading.finish("only the report since boot; let iostat run with an interval: `iostat -x -o JSON 1`")
    }
}
