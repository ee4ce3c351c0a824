//! Which blocks of a file belong to one execution.
//!
//! In: lines. Out: executions with their jobs, disks and remarks. A job that is announced behind
//! blocks begins another execution; a block of the same name, group and process as an earlier one
//! is a later report on the same (`--status-interval`), and only the last report counts. The totals
//! of a group (`Run status group`) check its jobs, and stand in for them where their blocks are missing.

use super::block::Block;
use super::job_line::{self, Header, Total};
use crate::ingest::Remark;
use crate::ingest::fio_report::banner::Banners;
use crate::ingest::fio_report::lines::Line;
use crate::ingest::fio_report::quantity::Spelling;
use crate::ingest::fio_report::{DirectionReport, DiskReport, Execution, JobReport};
use crate::model::{Ddir, Metric, Severity, Summary};
use std::collections::{BTreeMap, BTreeSet};

/// What fio calls the sum over the clients of a run.
const ALL_CLIENTS: &str = "All clients";

/// What is known of the execution that is being read.
#[derive(Default)]
struct Current {
    banners: Banners,
    blocks: Vec<Block>,
    totals: BTreeMap<(i64, Ddir), Total>,
    disks: Vec<DiskReport>,
    at: Section,
    /// Totals or disks stood behind the blocks.
    closed: bool,
    host: Option<String>,
    client: bool,
    /// Process, group, name and host of the blocks.
    identities: BTreeSet<(i64, i64, String, Option<String>)>,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Section {
    /// Announcement, or text of somebody else.
    #[default]
    Text,
    Block,
    Group(i64),
    Disks,
}

/// Collects lines into executions.
#[derive(Default)]
pub(super) struct Collector {
    current: Current,
    executions: Vec<Execution>,
    remarks: Vec<Remark>,
    blocks: u64,
    repeated: u64,
    absurd: u64,
    spellings: Vec<Spelling>,
    last_line: u64,
    /// The last line had no end and is not taken in.
    cut_line: bool,
}

/// The executions of a file.
pub(super) struct Found {
    pub(super) executions: Vec<Execution>,
    pub(super) remarks: Vec<Remark>,
    /// Blocks read.
    pub(super) blocks: u64,
    /// Which spelling of units was met, for `inspect`.
    pub(super) spelling: Option<String>,
}

impl Collector {
    pub(super) fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        if text.is_empty() {
            // Blank lines stand behind `<host> `, too.
            self.host(line);
            return;
        }
        self.last_line = line.number;
        if !line.ended && !self.current.closed && self.current.at == Section::Block {
            // Inside a block a line without its end may be cut anywhere, in a number as well.
            self.cut_line = true;
            return;
        }
        if Banners::begins(text) && (!self.current.blocks.is_empty() || self.current.closed) {
            self.end();
        }
        self.host(line);
        if let Some(header) = job_line::header(text) {
            self.block(header, line);
        } else if let Some(group) = status_group(text) {
            self.current.at = Section::Group(group);
            self.current.closed = true;
        } else if text.starts_with("Disk stats") {
            self.current.at = Section::Disks;
            self.current.closed = true;
        } else if text.starts_with("fio: terminating on signal") {
            let message = format!("{}: fio was stopped; the figures cover what ran until then", &text[5..]);
            self.remarks.push(Remark::new(Severity::Warning, message).at_line(line.number));
        } else if self.current.banners.take(text) {
            self.current.at = Section::Text;
        } else {
            self.inside(text);
        }
    }

    fn host(&mut self, line: &Line<'_>) {
        let text = line.text;
        if text.starts_with("hostname=") && text.contains("fio=fio-") {
            self.current.client = true;
            let version = text.split(", ").find_map(|part| part.strip_prefix("fio=fio-"));
            if self.current.banners.version.is_none() {
                self.current.banners.version = version.map(str::to_owned);
            }
        }
        if let Some(host) = line.host
            && (self.current.client || Banners::begins(text) || job_line::header(text).is_some())
        {
            self.current.client = true;
            self.current.host = Some(host.to_owned());
        }
    }

    fn inside(&mut self, text: &str) {
        let current = &mut self.current;
        match current.at {
            Section::Block => {
                if let Some(block) = current.blocks.last_mut() {
                    block.take(text);
                }
            }
            Section::Group(group) => {
                if let Some((ddir, total)) = job_line::group_total(text) {
                    current.totals.insert((group, ddir), total);
                }
            }
            Section::Disks => current.disks.extend(job_line::disk(text)),
            Section::Text => {}
        }
    }

    fn block(&mut self, header: Header, line: &Line<'_>) {
        self.blocks += 1;
        let current = &mut self.current;
        // Without a process number nothing tells a later report from a clone.
        let known = header.pid.filter(|&pid| pid != 0);
        let identity = known.map(|pid| (pid, header.group, header.name.clone(), current.host.clone()));
        let again = identity.as_ref().is_some_and(|identity| current.identities.contains(identity));
        if again {
            current.blocks.clear();
            current.totals.clear();
            current.disks.clear();
            current.identities.clear();
            current.closed = false;
            self.repeated += 1;
        } else if current.closed && !current.client {
            // Behind the totals and of another process, without an announcement: a second execution.
            self.end();
        }
        // The next client's block follows on the totals of this one; the sum over all has none.
        if self.current.client && header.name != ALL_CLIENTS {
            self.current.closed = false;
        }
        self.current.identities.extend(identity);
        let host = self.current.host.clone();
        self.current.blocks.push(Block::new(line.number, header, host));
        self.current.at = Section::Block;
    }

    /// Ends an execution.
    fn end(&mut self) {
        let Current { banners, mut blocks, totals, disks, closed, client, .. } =
            std::mem::take(&mut self.current);
        self.current.client = client;
        self.current.banners.version.clone_from(&banners.version);
        // The totals of clients and of some appended runs are those of one of them only.
        if blocks.iter().any(|block| block.header.name != ALL_CLIENTS) {
            blocks.retain(|block| block.header.name != ALL_CLIENTS);
        }
        if blocks.is_empty() && totals.is_empty() {
            return;
        }
        self.say_cut(&blocks, closed);
        let mut entries: BTreeMap<i64, usize> = BTreeMap::new();
        for block in &blocks {
            *entries.entry(block.header.group).or_default() += 1;
        }
        let mut jobs: Vec<JobReport> = Vec::new();
        for block in &blocks {
            self.spellings.extend(block.spelling());
            let (name, group) = (&block.header.name, block.header.group);
            let whole_group = entries.get(&group) == Some(&1) && block.header.jobs > 1;
            jobs.push(block.report(banners.options(name, group, whole_group), &mut self.absurd));
        }
        if !client {
            self.check(&jobs, &totals);
            jobs.extend(from_totals(&jobs, &totals, &banners));
        }
        let timestamp = blocks.iter().find_map(|block| block.header.date.clone());
        self.executions.push(Execution { version: banners.version, timestamp, jobs, disks });
    }

    /// Says where an output without its totals ends.
    fn say_cut(&mut self, blocks: &[Block], closed: bool) {
        let Some(last) = blocks.last().filter(|_| !closed) else { return };
        let name = &last.header.name;
        let message = if last.complete && !self.cut_line {
            format!("the output ends behind job `{name}`, before fio's totals; what was complete counts")
        } else {
            format!(
                "the output ends in the middle of job `{name}` (from line {} on), in {}; what was complete counts: \
                 copy the file again, or let fio finish",
                last.line,
                last.last_section()
            )
        };
        self.remarks.push(Remark::new(Severity::Warning, message).at_line(self.last_line));
    }

    /// Compares the jobs with the totals of their group.
    fn check(&mut self, jobs: &[JobReport], totals: &BTreeMap<(i64, Ddir), Total>) {
        for (&(group, ddir), total) in totals {
            let of_group = jobs.iter().filter(|job| job.group == group);
            let moved = of_group.flat_map(|job| &job.directions).filter(|d| d.ddir == ddir);
            let sum: u64 = moved.filter_map(|direction| direction.bytes).fold(0, u64::saturating_add);
            let Some(total) = total.bytes.filter(|&total| total > 0.0 && sum > 0) else { continue };
            // Three digits are printed of each job.
            if (sum as f64 / total - 1.0).abs() > 0.02 {
                let message = format!(
                    "the jobs of group {group} moved {:.0} % of what fio's totals say in {ddir}s; \
                     blocks of jobs are missing, or stand twice",
                    100.0 * sum as f64 / total
                );
                self.remarks.push(Remark::new(Severity::Warning, message));
            }
        }
    }

    pub(super) fn finish(mut self) -> Found {
        self.end();
        if self.repeated > 0 {
            let message = format!(
                "{} reports are cumulative (`--status-interval`) of a run that goes on; the last of each run counts",
                self.repeated
            );
            self.remarks.push(Remark::new(Severity::Info, message));
        }
        if self.absurd > 0 {
            let message = format!(
                "{} latencies are longer than the run itself, as fio 2 prints them where it does not read the clock \
                 (`gtod_reduce`); they count as absent",
                self.absurd
            );
            self.remarks.push(Remark::new(Severity::Warning, message));
        }
        let spelling =
            match (self.spellings.contains(&Spelling::Binary), self.spellings.contains(&Spelling::Exact)) {
                (true, false) => Some("normal output of fio to 2.16"),
                (false, true) => Some("normal output of fio from 2.17 on"),
                (true, true) => Some("normal output of several versions of fio"),
                (false, false) => None,
            };
        Found {
            executions: self.executions,
            remarks: self.remarks,
            blocks: self.blocks,
            spelling: spelling.map(str::to_owned),
        }
    }
}

/// The number in `Run status group 0 (all jobs):`.
fn status_group(line: &str) -> Option<i64> {
    line.strip_prefix("Run status group ")?.split(' ').next()?.parse().ok()
}

/// Entries made from the totals of groups that have no blocks.
fn from_totals(
    jobs: &[JobReport],
    totals: &BTreeMap<(i64, Ddir), Total>,
    banners: &Banners,
) -> Vec<JobReport> {
    let mut made: BTreeMap<i64, JobReport> = BTreeMap::new();
    for (&(group, ddir), &total) in totals {
        if jobs.iter().any(|job| job.group == group) {
            continue;
        }
        let job = made.entry(group).or_insert_with(|| {
            let name = banners.only_name(group).map_or_else(|| format!("group {group}"), str::to_owned);
            JobReport {
                clones: banners.clones(&name, group, true),
                options: banners.options(&name, group, true),
                name,
                group,
                ..JobReport::default()
            }
        });
        let summaries = total
            .bytes_per_second
            .map(|bw| Summary { mean: Some(bw), ..Summary::new(Metric::Bw, ddir, None) });
        job.directions.push(DirectionReport {
            ddir,
            bytes: total.bytes.map(|n| n as u64),
            ios: None,
            runtime_ms: total.runtime_ms,
            summaries: summaries.into_iter().collect(),
        });
    }
    made.into_values().collect()
}
