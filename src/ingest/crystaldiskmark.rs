//! CrystalDiskMark's text, versions 3 to 8, and that of KDiskMark.
//!
//! In: lines of one test each, in sections `[Read]`, `[Write]` and `[Mix]` or with the direction in
//! the line. Out: one run for each line. MB is 10^6 bytes, as the text says; KDiskMark prints KiB/s
//! over 1000 as MB/s, which the IOPS beside it show, and is put right.

#[cfg(test)]
mod tests;

use super::words::{self, Reading, US};
use super::{Claim, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric};
use std::io::Read;

/// Reader of CrystalDiskMark's text.
pub struct CrystalDiskMark;

/// Bytes in the MB that the text defines, and in the one that KDiskMark prints (1000 KiB).
const MEGABYTE: f64 = 1e6;
const THOUSAND_KIB: f64 = 1_024_000.0;

impl Format for CrystalDiskMark {
    fn name(&self) -> &'static str {
        "crystaldiskmark"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "CrystalDiskMark or KDiskMark, text: SEQ  1MiB (Q=  8, T= 1):  3500.123 MB/s [ 3337.9 IOPS] < 2395.67 us>"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let mut section = None;
        let shown = text.lines().any(|line| {
            section = section_of(line).or(section);
            let test = Line::parse(line).filter(|test| test.mb.is_some());
            test.is_some_and(|test| test.ddir.or(section.map(|(ddir, _)| ddir)).is_some())
        });
        shown.then(|| Claim { reason: "a line of CrystalDiskMark: test, queues, MB/s".to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let mut reading = Reading { layout: Some("text".to_owned()), ..Reading::default() };
        let mut report = Report::default();
        for (number, line) in words::lines(&text) {
            let line = line.trim_start_matches('>').trim();
            if let Some((tool, version)) = banner(line) {
                std::mem::take(&mut report).end(&mut reading);
                reading.version.get_or_insert_with(|| version.to_owned());
                report.tool = Some((tool, version.to_owned()));
            } else if let Some(section) = section_of(line) {
                report.section = Some(section);
            } else if let Some(rest) = words::behind(line, "Test") {
                report.size = rest.split(['[', '(']).next().unwrap_or_default().trim().to_owned();
            } else if let Some(rest) = words::behind(line, "Date") {
                report.date = rest.to_owned();
            } else if let Some(test) = Line::parse(line) {
                match (test.ddir.or(report.section.map(|(ddir, _)| ddir)), test.mb) {
                    (Some(ddir), Some(_)) => {
                        reading.rows += 1;
                        report.tests.push((ddir, report.section.and_then(|(_, share)| share), test));
                    }
                    (Some(_), None) => {
                        let found = line.rsplit("):").next().unwrap_or_default().trim();
                        reading.skip(
                            number,
                            format!(
                                "expected a number and `MB/s` behind the test, found `{found}`; left out"
                            ),
                        );
                    }
                    (None, _) => reading.skip(
                        number,
                        "expected `[Read]` or `[Write]` above the test, found neither; left out",
                    ),
                }
            }
        }
        report.end(&mut reading);
        reading.finish("no line of a test")
    }
}

/// Tool and version in the first line of a report.
fn banner(line: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = line.strip_prefix("CrystalDiskMark ") {
        let version = rest.split_whitespace().next()?;
        return version.starts_with(|c: char| c.is_ascii_digit()).then_some(("crystaldiskmark", version));
    }
    let version = line.strip_prefix("KDiskMark (")?.split_once(')')?.0;
    Some(("kdiskmark", version))
}

/// `[Read]`, `[Write]`, `[Mix] Read 70%/Write 30%` with the share of reads.
fn section_of(line: &str) -> Option<(Ddir, Option<f64>)> {
    let (name, rest) = line.trim_start_matches('>').trim().strip_prefix('[')?.split_once(']')?;
    match name {
        "Read" => Some((Ddir::Read, None)),
        "Write" => Some((Ddir::Write, None)),
        "Mix" => {
            let share = rest.split_once("Read")?.1.split('%').next().and_then(words::number);
            Some((Ddir::Mixed, share))
        }
        _ => None,
    }
}

/// One test as its line says it.
#[derive(Debug)]
struct Line {
    random: bool,
    ddir: Option<Ddir>,
    /// Block size in bytes; version 5 and older print none for sequential tests.
    bs: Option<f64>,
    queues: Option<u64>,
    threads: Option<u64>,
    mb: Option<f64>,
    iops: Option<f64>,
    us: Option<f64>,
}

impl Line {
    /// Reads `SEQ    1MiB (Q=  8, T= 1):  3500.123 MB/s [ 3337.9 IOPS] < 2395.67 us>`,
    /// `Random Read 4KiB (Q= 32,T= 1) : 300.1 MB/s [ 73242.2 IOPS]`, `Random Read 4KB (QD=32) : 20.0 MB/s`.
    fn parse(line: &str) -> Option<Line> {
        let line = line.trim_start_matches('>').trim();
        // The colon behind the brackets; old sequential tests have none of those.
        let (name, figures) = match line.split_once("):").or_else(|| line.split_once(") :")) {
            Some(parts) => parts,
            None => line.split_once(" : ")?,
        };
        let (name, brackets) = name.split_once('(').unwrap_or((name, ""));
        let mut words = name.split_whitespace();
        let random = match words.next()? {
            "SEQ" | "Sequential" => false,
            "RND" | "Random" => true,
            _ => return None,
        };
        let rest: Vec<&str> = words.collect();
        let has = |word: &str| rest.contains(&word);
        let ddir = if has("Read") {
            Some(Ddir::Read)
        } else if has("Write") {
            Some(Ddir::Write)
        } else {
            has("Mix").then_some(Ddir::Mixed)
        };
        let size: String =
            rest.iter().filter(|w| !matches!(**w, "Read" | "Write" | "Mix")).copied().collect();
        if brackets.is_empty() && (ddir.is_none() || !figures.contains("MB/s")) {
            return None;
        }
        // KB was 1024 bytes in sizes of blocks.
        let units = [("KiB", 1024.0), ("KB", 1024.0), ("MiB", 1_048_576.0), ("MB", 1_048_576.0)];
        let inside = |key: &str| {
            let behind = brackets.split_once(key)?.1.trim_start();
            behind.split([',', ')']).next()?.trim().parse().ok()
        };
        let amount = |unit: &str| {
            let before = figures.split_once(unit)?.0;
            words::number(before.rsplit(['[', '<', ']']).next()?)
        };
        Some(Line {
            random,
            ddir,
            bs: words::scaled(&size, &units),
            queues: inside("Q=").or_else(|| inside("QD=")),
            threads: inside("T="),
            mb: amount("MB/s"),
            iops: amount("IOPS"),
            us: amount("us>"),
        })
    }
}

/// One report.
#[derive(Default)]
struct Report {
    tool: Option<(&'static str, String)>,
    section: Option<(Ddir, Option<f64>)>,
    size: String,
    date: String,
    tests: Vec<(Ddir, Option<f64>, Line)>,
}

impl Report {
    fn end(self, reading: &mut Reading) {
        let (tool, version) = match &self.tool {
            Some((tool, version)) => (*tool, Some(version.as_str())),
            None => ("crystaldiskmark", None),
        };
        let megabyte = self.megabyte();
        if megabyte != MEGABYTE && !self.tests.is_empty() {
            reading.inform(None, "the MB/s are 1000 KiB/s, as the IOPS beside them show; read as such");
        }
        for (ddir, share, test) in &self.tests {
            let rw = words::workload(test.random, *ddir);
            let mut key = rw.to_owned();
            let bs = test.bs.map(|bytes| (bytes as u64).to_string()).unwrap_or_default();
            let mut part = RunPart::of_tool(tool, version, "");
            part.state(Dimension::Rw, rw);
            part.state(Dimension::Bs, &bs);
            let numbers = [(Dimension::Iodepth, test.queues, "q"), (Dimension::Numjobs, test.threads, "t")];
            key.extend(part.dimensions.get(&Dimension::Bs).map(|bs| format!(" {bs}")));
            for (dimension, number, letter) in numbers {
                if let Some(number) = number {
                    part.state(dimension, &number.to_string());
                    key.push_str(&format!(" {letter}{number}"));
                }
            }
            if let Some(share) = share {
                part.state(words::other("rwmixread"), &share.to_string());
            }
            part.state(words::other("size"), &self.size);
            part.note("time", &self.date);
            part.key = key;
            part.mean(Metric::Bw, *ddir, test.mb.map(|mb| mb * megabyte));
            part.mean(Metric::Iops, *ddir, test.iops);
            part.mean(Metric::Lat, *ddir, test.us.filter(|us| *us > 0.0).map(|us| us * US));
            reading.parts.push(part);
        }
    }

    /// The MB of this report: what IOPS times block size fit better, by the test with the most IOPS.
    fn megabyte(&self) -> f64 {
        let known = self.tests.iter().filter_map(|(_, _, t)| Some((t.iops?, t.iops? * t.bs?, t.mb?)));
        let known = known.filter(|(iops, _, mb)| *iops >= 10.0 && *mb > 0.0);
        match known.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, bytes, mb)) if (bytes / mb / THOUSAND_KIB - 1.0).abs() < 0.005 => THOUSAND_KIB,
            _ => MEGABYTE,
        }
    }
}
