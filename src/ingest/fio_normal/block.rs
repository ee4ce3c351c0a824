//! One job's block: from its lines to its figures.
//!
//! In: lines behind a header, one after another. Out: a [`JobReport`] in base units. A block that
//! breaks off gives what was complete.

use super::job_line::{self, Header, Rates, Spread};
use crate::ingest::fio_report::quantity::{Spelling, bytes};
use crate::ingest::fio_report::{DirectionReport, JobReport};
use crate::model::{Ddir, Metric, Summary};
use std::collections::BTreeMap;

/// A block, as far as it was read.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Line of the header.
    pub(super) line: u64,
    pub(super) header: Header,
    pub(super) host: Option<String>,
    directions: Vec<Direction>,
    /// What the lines below belong to.
    at: Place,
    /// Latencies of syncs, which have no direction.
    syncs: Latencies,
    cpu: Option<f64>,
    issued: Option<[u64; 4]>,
    /// The part of the job as a whole was reached.
    pub(super) complete: bool,
}

#[derive(Debug, Clone)]
struct Direction {
    rates: Rates,
    latencies: Latencies,
    samples: BTreeMap<Metric, Spread>,
}

/// Kinds of latency with their percentiles, ns.
#[derive(Debug, Clone, Default)]
struct Latencies {
    spreads: BTreeMap<Metric, Spread>,
    percentiles: BTreeMap<Metric, Vec<(f64, f64)>>,
}

/// Where in a block the next line stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// Before the first direction, or behind the last.
    Job,
    /// In the latest direction, or among the syncs behind the last.
    Figures,
    /// In a table of percentiles there; ns in a unit.
    Table(Metric, f64),
    /// In a table of what has no metric.
    OtherTable,
}

impl Block {
    pub(super) fn new(line: u64, header: Header, host: Option<String>) -> Self {
        Block {
            line,
            header,
            host,
            directions: Vec::new(),
            at: Place::Job,
            syncs: Latencies::default(),
            cpu: None,
            issued: None,
            complete: false,
        }
    }

    /// Spelling of its units; None for a job that moved nothing.
    pub(super) fn spelling(&self) -> Option<Spelling> {
        self.directions.first().map(|direction| direction.rates.spelling)
    }

    /// What stands last in it, for people.
    pub(super) fn last_section(&self) -> String {
        match self.directions.last() {
            None => "its first line".to_owned(),
            Some(direction) => format!("its {}s", direction.rates.ddir),
        }
    }

    /// Takes a line in.
    pub(super) fn take(&mut self, line: &str) {
        if let Some(rates) = job_line::rates(line) {
            self.directions.push(Direction {
                rates,
                latencies: Latencies::default(),
                samples: BTreeMap::new(),
            });
            self.at = Place::Figures;
        } else if line.starts_with("fsync/fdatasync") {
            self.at = Place::Figures;
        } else if let Some(cpu) = job_line::cpu(line) {
            self.cpu = Some(cpu);
            (self.at, self.complete) = (Place::Job, true);
        } else if let Some(issued) = job_line::issued(line) {
            self.issued = Some(issued);
            (self.at, self.complete) = (Place::Job, true);
        } else if self.at != Place::Job {
            self.take_figures(line);
        }
    }

    fn take_figures(&mut self, line: &str) {
        if let Some(table) = job_line::percentiles(line) {
            self.at = table.map_or(Place::OtherTable, |(metric, ns)| Place::Table(metric, ns));
        } else if let Some(cells) = job_line::percentile_cells(line) {
            if let Place::Table(metric, ns) = self.at
                && let Some(latencies) = self.latencies_with(metric)
            {
                let cells = cells.into_iter().map(|(quantile, value)| (quantile, value * ns));
                latencies.percentiles.entry(metric).or_default().extend(cells);
            }
        } else if let Some((metric, spread)) = job_line::latency(line) {
            if let Some(latencies) = self.latencies_with(metric) {
                latencies.spreads.entry(metric).or_insert(spread);
            }
            self.at = Place::Figures;
        } else if let Some(direction) = self.directions.last_mut()
            && let Some((metric, spread)) = job_line::samples(line, direction.rates.spelling)
        {
            direction.samples.insert(metric, spread);
            self.at = Place::Figures;
        }
    }

    /// Where a kind of latency belongs: to the job if it is that of syncs, else to the latest direction.
    fn latencies_with(&mut self, metric: Metric) -> Option<&mut Latencies> {
        if metric == Metric::Fsync {
            return Some(&mut self.syncs);
        }
        self.directions.last_mut().map(|direction| &mut direction.latencies)
    }

    /// The job's figures. `absurd` counts latencies that are left out: longer than the run itself,
    /// as fio 2 prints them when it does not read the clock (`gtod_reduce`).
    pub(super) fn report(&self, options: BTreeMap<String, String>, absurd: &mut u64) -> JobReport {
        let block_size = options.get("bs").and_then(|bs| bs.parse().ok());
        let directions = self.directions.iter().filter_map(|direction| {
            let ios = self.issued.map(|[read, write, trim, _]| match direction.rates.ddir {
                Ddir::Read => read,
                Ddir::Write => write,
                Ddir::Trim => trim,
                Ddir::Mixed => read.saturating_add(write).saturating_add(trim),
            });
            direction.report(ios, block_size, absurd)
        });
        // fio 3.33 prints 0 syncs above their latencies.
        let synced = self.issued.map(|[.., syncs]| syncs).filter(|&n| n > 0);
        JobReport {
            name: self.header.name.clone(),
            group: self.header.group,
            host: self.host.clone(),
            error: self.header.error,
            survived_errors: 0,
            clones: Some(self.header.jobs),
            description: None,
            directions: directions.collect(),
            syncs: self.syncs.summary(Metric::Fsync, Ddir::Mixed, synced),
            options,
            cpu: self.cpu,
        }
    }
}

impl Latencies {
    /// A kind of latency over so many I/Os or syncs.
    fn summary(&self, metric: Metric, ddir: Ddir, count: Option<u64>) -> Option<Summary> {
        let spread = self.spreads.get(&metric)?;
        let mut percentiles = self.percentiles.get(&metric).cloned().unwrap_or_default();
        percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
        percentiles.dedup_by(|b, a| a.0 == b.0);
        Some(Summary {
            count,
            min: spread.min,
            max: spread.max,
            mean: spread.mean,
            stddev: spread.stddev,
            percentiles,
            ..Summary::new(metric, ddir, None)
        })
    }
}

/// IOPS from the I/Os issued and the run time, where they are what was printed: fio cuts `6.33` to `6`. Of large
/// figures the cut is nothing, and they stay as printed.
fn exact_iops(printed: f64, ios: Option<u64>, runtime_ms: Option<f64>) -> f64 {
    let (Some(ios), Some(runtime_ms)) = (ios, runtime_ms.filter(|ms| *ms > 0.0)) else { return printed };
    let computed = ios as f64 * 1000.0 / runtime_ms;
    if printed < 100.0 && (computed - printed).abs() <= 1.0 { computed } else { printed }
}

impl Direction {
    fn report(&self, ios: Option<u64>, block_size: Option<f64>, absurd: &mut u64) -> Option<DirectionReport> {
        let Rates { ddir, iops, runtime_ms, .. } = self.rates;
        let spelling = self.spelling(ios, block_size);
        let moved = bytes(&self.rates.io, spelling);
        if moved.unwrap_or(0.0) == 0.0 && iops.unwrap_or(0.0) == 0.0 {
            return None;
        }
        let mut summaries = Vec::new();
        let exact = iops.map(|printed| exact_iops(printed, ios, runtime_ms));
        let means = [(Metric::Bw, bytes(&self.rates.bw, spelling)), (Metric::Iops, exact)];
        for (metric, mean) in means.into_iter().filter(|(_, mean)| mean.is_some()) {
            // Without samples there is no spread.
            let spread = self.samples.get(&metric).copied().unwrap_or_default();
            summaries.push(Summary {
                mean,
                min: spread.min,
                max: spread.max,
                stddev: spread.stddev,
                count: spread.samples.map(|n| n as u64).filter(|&n| n > 0),
                ..Summary::new(metric, ddir, None)
            });
        }
        for (&metric, spread) in &self.latencies.spreads {
            let longest = runtime_ms.map(|ms| ms.max(1_000.0) * 1e6 * 10.0);
            if longest.zip(spread.min).is_some_and(|(longest, min)| min > longest) {
                *absurd += 1;
                continue;
            }
            summaries.extend(self.latencies.summary(metric, ddir, ios));
        }
        Some(DirectionReport { ddir, bytes: moved.map(|n| n as u64), ios, runtime_ms, summaries })
    }

    /// Up to 2.16, `KB` is 1000 bytes with `kb_base=1000`: then I/Os times block size is that many bytes.
    fn spelling(&self, ios: Option<u64>, block_size: Option<f64>) -> Spelling {
        let far = |spelling: Spelling| {
            let expected = ios.filter(|&n| n > 0)? as f64 * block_size?;
            Some((bytes(&self.rates.io, spelling)? / expected - 1.0).abs())
        };
        match (self.rates.spelling, far(Spelling::Binary), far(Spelling::Exact)) {
            (Spelling::Binary, Some(binary), Some(decimal)) if binary > 0.01 && decimal < 0.005 => {
                Spelling::Exact
            }
            (spelling, ..) => spelling,
        }
    }
}
