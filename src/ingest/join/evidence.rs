//! What logs tell about the run that wrote them, held against what outputs report.
//!
//! In: a set of logs, and the outputs that claim it equally. Out: the one whose directions, number of
//! jobs and figures fit, or none. Names decide between outputs that fit alike, such as an output and its copy.

use super::LogSet;
use super::draft::Draft;
use crate::ingest::{LogKind, RunPart, metric_of};
use crate::model::unit::significant;
use crate::model::{Ddir, GridCell, Metric};
use std::collections::{BTreeMap, BTreeSet};

/// What a set of logs says about the run that wrote it.
pub(super) struct Evidence {
    ddirs: BTreeSet<Ddir>,
    /// Logs of the kind with the most of them; segments count as logs where jobs share a file.
    jobs: usize,
    /// Mean rate over all logs, by metric and direction.
    means: BTreeMap<(Metric, Ddir), f64>,
}

impl Evidence {
    pub(super) fn of(set: &LogSet) -> Self {
        let mut ddirs = BTreeSet::new();
        let mut jobs: BTreeMap<LogKind, usize> = BTreeMap::new();
        let mut means: BTreeMap<(Metric, Ddir), f64> = BTreeMap::new();
        for file in &set.logs {
            *jobs.entry(file.log.name.kind).or_default() += file.log.segments.len();
            let Some(metric) = metric_of(file.log.name.kind) else { continue };
            for segment in &file.log.segments {
                for (ddir, kind) in &segment.series {
                    ddirs.insert(*ddir);
                    if metric.is_rate()
                        && let Some(mean) = kind.mean_rate(segment.last_ms as f64, weight(metric))
                    {
                        *means.entry((metric, *ddir)).or_default() += mean;
                    }
                }
            }
        }
        Evidence { ddirs, jobs: jobs.values().copied().max().unwrap_or(0), means }
    }

    pub(super) fn words(&self) -> String {
        let ddirs: Vec<&str> = self.ddirs.iter().map(|d| d.as_str()).collect();
        let figures: Vec<String> = self
            .means
            .iter()
            .filter(|((metric, _), _)| *metric == Metric::Iops)
            .map(|((_, ddir), mean)| format!("{} {ddir} IOPS", significant(*mean, 3)))
            .collect();
        let mut words = vec![format!(
            "they hold {}",
            if ddirs.is_empty() { "no I/O".into() } else { ddirs.join(" and ") }
        )];
        words.push(format!("{} job{}", self.jobs, if self.jobs == 1 { "" } else { "s" }));
        words.extend(figures);
        words.join(", ")
    }

    /// True unless the output lacks a direction that the logs hold.
    pub(super) fn fits_directions(&self, drafted: &[Draft], file: usize) -> bool {
        let reported: BTreeSet<Ddir> = parts_of(drafted, file)
            .flat_map(|part| part.summaries.iter())
            .filter(|s| s.metric.is_rate())
            .map(|s| s.ddir)
            .collect();
        reported.is_empty() || reported.contains(&Ddir::Mixed) || self.ddirs.is_subset(&reported)
    }

    /// Largest relative deviation of the logs' means from the output's; None when nothing can be compared.
    fn deviation(&self, drafted: &[Draft], file: usize) -> Option<f64> {
        let deviations = self.means.iter().filter_map(|(&(metric, ddir), &mean)| {
            let reported: f64 = parts_of(drafted, file)
                .flat_map(|part| part.summaries.iter())
                .filter(|s| s.metric == metric && s.ddir == ddir)
                .filter_map(|s| s.mean)
                .sum();
            (reported > 0.0).then(|| (mean / reported - 1.0).abs())
        });
        deviations.reduce(f64::max)
    }
}

fn parts_of(drafted: &[Draft], file: usize) -> impl Iterator<Item = &RunPart> {
    drafted.iter().filter(move |draft| draft.sources.first() == Some(&file)).map(|draft| &draft.part)
}

fn job_count(drafted: &[Draft], file: usize) -> usize {
    parts_of(drafted, file).flat_map(|part| part.jobs.iter()).map(|job| job.clones.max(1) as usize).sum()
}

/// Of several outputs the one that fits a set of logs: same directions, same number of jobs, nearest figures; of equals
/// the one that is `named` as the logs are.
pub(super) fn choose_owner(
    evidence: &Evidence,
    drafted: &[Draft],
    files: &BTreeSet<usize>,
    named: &dyn Fn(usize) -> bool,
) -> Option<usize> {
    /// Figures further apart than this do not describe the same run.
    const FAR: f64 = 0.25;
    let fitting: Vec<usize> =
        files.iter().copied().filter(|&file| evidence.fits_directions(drafted, file)).collect();
    let by_jobs: Vec<usize> =
        fitting.iter().copied().filter(|&file| job_count(drafted, file) == evidence.jobs).collect();
    let pool = if by_jobs.is_empty() { &fitting } else { &by_jobs };
    let mut scored: Vec<(f64, usize)> = pool
        .iter()
        .map(|&file| {
            (evidence.deviation(drafted, file).unwrap_or(if pool.len() == 1 { 0.0 } else { FAR }), file)
        })
        .collect();
    let key = |file: usize| (!named(file), file);
    scored.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| key(a.1).cmp(&key(b.1))));
    scored.first().filter(|(deviation, _)| *deviation <= FAR).map(|&(_, file)| file)
}

/// Which part of a cell counts for a rate.
pub(crate) fn weight(metric: Metric) -> fn(&GridCell) -> u64 {
    match metric {
        Metric::Bw => |cell| cell.bytes,
        _ => |cell| cell.count,
    }
}
