//! Which job of which run every stretch of a set of logs is of.
//!
//! In: the logs of one prefix and the runs that own them. Out: their series, in those runs or in runs of
//! their own. fio numbers logs by job over a whole run (`write_bw_log`, `per_job_logs`); a client numbers
//! them for each host.

use super::draft::Draft;
use super::{LogFile, LogSet};
use crate::ingest::{Appended, LatUnit, LogKind, LogName, UnitCertainty, labels};
use crate::model::{Diagnostic, Dimension, Severity};
use std::collections::BTreeMap;

/// How the segments of a set of logs go to runs and jobs.
pub(super) struct Plan<'a> {
    pub(super) owners: Vec<usize>,
    /// The only job of the owner that the logs can be of.
    pub(super) job: Option<usize>,
    /// Meaning of appended stretches.
    pub(super) appended: Appended,
    pub(super) shown: &'a str,
    pub(super) directory: &'a str,
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
}

/// Where a stretch of a log goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) run: usize,
    pub(super) job: usize,
    pub(super) clone: u32,
}

impl Plan<'_> {
    /// Gives every stretch of every log to a job.
    pub(super) fn share(&mut self, set: LogSet, drafted: &mut Vec<Draft>) {
        let LogSet { prefix, logs } = set;
        self.say_units(&logs);
        // Runs of logs alone, by the stretch that they are; None for all stretches together.
        let mut own: BTreeMap<Option<usize>, usize> = BTreeMap::new();
        for LogFile { source, log, .. } in logs {
            let LogName { kind, number, host, .. } = log.name;
            let host = host.as_deref();
            let segments = log.segments.len();
            // A log of one job has no place for jobs of one run: runs were appended to it.
            let sequential = segments > 1 && (number.is_some() || !self.together(segments, &prefix, drafted));
            for (position, segment) in log.segments.into_iter().enumerate() {
                let place = if sequential { 0 } else { position };
                let slot = match number {
                    // The newest stretch is what an output beside it describes: outputs are written anew each time.
                    _ if sequential && position + 1 < segments => None,
                    Some(number) => self.slot_by_number(number, host, drafted),
                    None => self.slot_by_position(place, host, drafted),
                };
                let slot = slot.unwrap_or_else(|| {
                    let stretch = sequential.then_some(position);
                    let run = *own.entry(stretch).or_insert_with(|| {
                        drafted.push(Draft::of_logs(self.directory, &prefix, stretch));
                        drafted.len() - 1
                    });
                    Slot { run, job: drafted[run].own_job(number, place, host), clone: 0 }
                });
                let draft = &mut drafted[slot.run];
                draft.has_logs = true;
                draft.began(log.epoch_ms.filter(|_| segments == 1));
                if draft.prefix.is_none() && draft.stem != prefix {
                    draft.prefix = Some(prefix.clone());
                }
                if !draft.sources.contains(&source) {
                    draft.sources.push(source);
                }
                draft.add_series(slot, kind, segment);
            }
            if sequential {
                self.say_sequential(kind, segments);
            }
        }
    }

    /// Whether the stretches of an unnumbered log are jobs that ran at the same time.
    fn together(&self, segments: usize, prefix: &str, drafted: &[Draft]) -> bool {
        match self.appended {
            Appended::Concurrent => true,
            Appended::Sequential => false,
            Appended::Auto => {
                let jobs: usize = self
                    .owners
                    .iter()
                    .flat_map(|&i| drafted[i].part.jobs.iter().enumerate())
                    .filter(|(at, _)| self.job.is_none_or(|job| job == *at))
                    .map(|(_, job)| job.clones.max(1) as usize)
                    .sum();
                if !self.owners.is_empty() {
                    return jobs == segments;
                }
                // Without an output the name may tell: `..._4jobs_...` with four stretches.
                let named = labels::from_file_stem(prefix).dimensions.remove(&Dimension::Numjobs);
                named.is_some_and(|entry| entry.value.number() == Some(segments as f64))
            }
        }
    }

    /// Log N belongs to the entry that holds N in the running sum of jobs.
    fn slot_by_number(&self, number: u32, host: Option<&str>, drafted: &[Draft]) -> Option<Slot> {
        for &run in &self.owners {
            let part = &drafted[run].part;
            let mut next = part.first_log_number.max(1);
            // A client numbers the jobs of each host from 1.
            let per_host = host.is_some() && part.jobs.iter().any(|job| job.host.is_some());
            if per_host {
                next = 1;
            }
            for (job, entry) in part.jobs.iter().enumerate() {
                if per_host && entry.host.as_deref() != host {
                    continue;
                }
                let clones = entry.clones.max(1);
                if number >= next && number < next.saturating_add(clones) {
                    return Some(Slot { run, job, clone: number - next });
                }
                next = next.saturating_add(clones);
            }
        }
        None
    }

    /// Unnumbered stretches take the jobs in order.
    fn slot_by_position(&self, position: usize, host: Option<&str>, drafted: &[Draft]) -> Option<Slot> {
        let mut left = position;
        for &run in &self.owners {
            for (job, entry) in drafted[run].part.jobs.iter().enumerate() {
                let elsewhere = host.is_some() && entry.host.is_some() && entry.host.as_deref() != host;
                if elsewhere || self.job.is_some_and(|only| only != job) {
                    continue;
                }
                let clones = entry.clones.max(1) as usize;
                if left < clones {
                    return Some(Slot { run, job, clone: left as u32 });
                }
                left -= clones;
            }
        }
        None
    }

    fn say_units(&mut self, logs: &[LogFile]) {
        let guessed: Vec<_> = logs
            .iter()
            .filter_map(|file| match file.log.lat_unit {
                Some((unit, UnitCertainty::Guessed)) => Some(unit),
                _ => None,
            })
            .collect();
        if let Some(unit) = guessed.first() {
            let message = format!(
                "nothing beside these logs tells their latency unit; {} is assumed from the values, `--lat-unit ns|us|ms` decides",
                match unit {
                    LatUnit::Nanoseconds => "ns (fio 3)",
                    LatUnit::Microseconds => "us (fio 1 and 2)",
                    LatUnit::Milliseconds => "ms",
                }
            );
            self.diagnostics.push(Diagnostic::new(Severity::Warning, self.shown, message));
        }
    }

    fn say_sequential(&mut self, kind: LogKind, segments: usize) {
        let message = format!(
            "the clock of the {} log starts anew: {segments} stretches, taken for successive runs; \
             `--appended concurrent` takes them for jobs of one run and adds them up",
            kind.as_str()
        );
        self.diagnostics.push(Diagnostic::new(Severity::Warning, self.shown, message));
    }
}
