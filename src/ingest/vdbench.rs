//! vdbench's flatfile.html.
//!
//! In: rows of columns in a `<pre>` block; `*` starts a comment, the first other line names the
//! columns. Out: one run for each execution of a run definition: its intervals as series, its
//! `avg_2-N` row (which leaves out interval 1) as figures. MB/sec is MiB, resp is ms.

#[cfg(test)]
mod tests;

use super::words::{self, MIB, MS, Reading, broken};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric};
use std::collections::BTreeMap;
use std::io::Read;

/// Reader of vdbench's flat file.
pub struct Vdbench;

impl Format for Vdbench {
    fn name(&self) -> &'static str {
        "vdbench"
    }

    fn describe(&self) -> &'static str {
        "vdbench's flatfile.html: tod Run Interval reqrate rate MB/sec bytes/io read% resp ... / 09:21:55.129 rd1 avg_2-4 ..."
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let columns = text.lines().find_map(header)?.len();
        Some(Claim { reason: format!("vdbench's flat file with {columns} columns") })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading::default();
        let mut columns: Option<Vec<&str>> = None;
        let mut run = Execution::default();
        for (number, line) in words::lines(words::ended(&text, &mut reading)) {
            let cells: Vec<&str> = line.split_whitespace().collect();
            if cells.first().is_none_or(|first| first.starts_with(['*', '<'])) {
                continue;
            }
            let Some(names) = &columns else {
                columns = Some(header(line).ok_or_else(|| {
                    broken(
                        number,
                        format!(
                            "expected the names of the columns (tod, Run, Interval, rate), found `{}`",
                            cells.join(" ")
                        ),
                    )
                })?);
                continue;
            };
            if header(line).is_some() {
                continue;
            }
            if cells.len() != names.len() {
                let (expected, found) = (names.len(), cells.len());
                reading.skip(
                    number,
                    format!("expected {expected} columns as in the header, found {found}; left out"),
                );
                continue;
            }
            let row: BTreeMap<&str, &str> = names.iter().copied().zip(cells).collect();
            run.row(number, &row, &mut reading);
        }
        run.end(&mut reading);
        reading.layout = columns.map(|names| format!("{} columns", names.len()));
        reading.finish("no row of results")
    }
}

/// The names of the columns.
fn header(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.split_whitespace().collect();
    ["tod", "Run", "Interval", "rate", "MB/sec"].iter().all(|name| names.contains(name)).then_some(names)
}

/// One execution of a run definition.
#[derive(Default)]
struct Execution {
    name: String,
    part: Option<RunPart>,
    /// Seconds of the day, and figures of each interval.
    intervals: Vec<(f64, BTreeMap<Metric, f64>)>,
    averaged: bool,
    ddir: Option<Ddir>,
}

impl Execution {
    fn row(&mut self, number: u64, row: &BTreeMap<&str, &str>, reading: &mut Reading) {
        let text = |name: &str| {
            row.get(name).copied().filter(|t| !t.eq_ignore_ascii_case("n/a")).unwrap_or_default()
        };
        let interval = text("Interval");
        let average = interval.starts_with("avg");
        // The average closes an execution; loops (forthreads) run one definition again under its name.
        if self.averaged || text("Run") != self.name || interval == "1" {
            std::mem::take(self).end(reading);
            self.name = text("Run").to_owned();
        }
        let mut figures = BTreeMap::new();
        for (name, metric, scale) in
            [("rate", Metric::Iops, 1.0), ("MB/sec", Metric::Bw, MIB), ("resp", Metric::Lat, MS)]
        {
            match text(name) {
                "" => {}
                cell => match reading.cell(number, name, cell) {
                    Some(value) => {
                        figures.insert(metric, value * scale);
                    }
                    None => return,
                },
            }
        }
        // A latency without I/O is none.
        if figures.get(&Metric::Iops).is_none_or(|iops| *iops <= 0.0) {
            figures.remove(&Metric::Lat);
        }
        reading.rows += 1;
        let share = words::number(text("read%")).or_else(|| words::number(text("rdpct")));
        let ddir = match share {
            Some(share) if share >= 100.0 => Ddir::Read,
            Some(0.0) => Ddir::Write,
            _ => Ddir::Mixed,
        };
        // An interval without I/O says 0 % reads.
        if figures.get(&Metric::Iops).is_some_and(|iops| *iops > 0.0) {
            self.ddir = Some(self.ddir.map_or(ddir, |known| if known == ddir { ddir } else { Ddir::Mixed }));
        }
        let name = self.name.as_str();
        let part = self.part.get_or_insert_with(|| RunPart::of_tool("vdbench", None, name));
        part.state(Dimension::Bs, text("xfersize"));
        part.state(Dimension::Numjobs, text("threads"));
        let random = match text("seekpct") {
            "" => None,
            "seq" | "seqnz" | "eof" | "-1" => Some(false),
            percent => words::number(percent).map(|percent| percent > 0.0),
        };
        if let Some(random) = random {
            part.state(words::other("order"), if random { "random" } else { "sequential" });
        }
        if average {
            self.averaged = true;
            let ddir = self.ddir.unwrap_or(ddir);
            for (&metric, &value) in &figures {
                part.mean(metric, ddir, Some(value));
            }
            if figures.contains_key(&Metric::Lat) {
                let ms = |name: &str| words::number(text(name)).map(|ms| ms * MS);
                let summary = part.summary(Metric::Lat, ddir);
                (summary.max, summary.stddev) = (ms("resp_max"), ms("resp_std"));
                if ddir == Ddir::Mixed {
                    for (ddir, mean, max, stddev) in [
                        (Ddir::Read, "read_resp", "read_max", "read_std"),
                        (Ddir::Write, "write_resp", "write_max", "write_std"),
                    ] {
                        if let Some(value) = ms(mean).filter(|ns| *ns > 0.0) {
                            let summary = part.summary(Metric::Lat, ddir);
                            (summary.mean, summary.max, summary.stddev) = (Some(value), ms(max), ms(stddev));
                        }
                    }
                }
            }
            if let Some(share) = share.filter(|_| ddir == Ddir::Mixed) {
                part.state(words::other("rwmixread"), &share.round().to_string());
            }
        } else {
            match words::clock(text("tod")) {
                Some(time) => self.intervals.push((time, figures)),
                None => reading.skip(
                    number,
                    format!("`tod`: expected a time of day, found `{}`; left out", text("tod")),
                ),
            }
        }
    }

    fn end(self, reading: &mut Reading) {
        let Some(mut part) = self.part else { return };
        let ddir = self.ddir.unwrap_or(Ddir::Mixed);
        // Workload from order and direction; the order itself is no dimension beside it.
        if let Some(order) = part.dimensions.remove(&words::other("order")) {
            part.state(Dimension::Rw, words::workload(order.as_str() == "random", ddir));
        }
        let mut times: Vec<f64> = self.intervals.iter().map(|(time, _)| *time).collect();
        words::across_midnight(&mut times);
        let period = words::period(&times).unwrap_or(1.0);
        let start = times.first().map_or(0.0, |first| first - period);
        for metric in [Metric::Iops, Metric::Bw, Metric::Lat] {
            let rows = times.iter().zip(&self.intervals).filter_map(|(time, (_, figures))| {
                Some((((time - start) * 1000.0).round() as u64, *figures.get(&metric)?))
            });
            part.windows(metric, ddir, period * 1000.0, rows.collect());
        }
        if !self.averaged {
            let message =
                format!("`{}` has no row `avg_2-N`: it was stopped; its intervals are shown", self.name);
            reading.remarks.push(super::Remark::new(crate::model::Severity::Warning, message));
        }
        part.note("run", &self.name);
        reading.parts.push(part);
    }
}
