//! The methodology audit: what makes figures doubtful, with the evidence.
//!
//! In: a campaign with its figures, and what only the user knows. Out: one [`Check`] for each rule
//! of [`CHECKS`] that found something. A rule looks at figures and options; it never changes or
//! drops a run, and what it cannot know it does not judge.

mod cache;
mod comparison;
mod load;
mod repeats;
mod system;
#[cfg(test)]
mod tests;
mod time;

pub use system::System;
pub(in crate::analyze) use time::{Erratic, erratic_iops};

use crate::analyze::AnalyzeOptions;
use crate::analyze::contrast::Refusal;
use crate::model::unit::{BaseUnit, UnitSystem, humanize};
use crate::model::{Campaign, Check, Dimension, ModelPoint, Run, RunRecord, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Pieces of evidence that a check shows; of more, the worst and a count.
const SHOWN: usize = 5;

/// A rule of the audit.
pub struct Rule {
    /// Stable name.
    pub id: &'static str,
    /// What it looks at, in words.
    pub looks_at: &'static str,
    /// How bad a finding is.
    pub severity: Severity,
    /// What to do about one, a sentence.
    pub advice: &'static str,
    find: fn(&Audit<'_>) -> Vec<Hit>,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("id", &self.id).field("severity", &self.severity).finish_non_exhaustive()
    }
}

/// The rules, gravest first.
pub const CHECKS: &[Rule] = &[
    Rule {
        id: "job-errors",
        looks_at: "error numbers that jobs reported",
        severity: Severity::Error,
        advice: "Look up the error, mend its cause and run again.",
        find: load::job_errors,
    },
    Rule {
        id: "cache-suspected",
        looks_at: "signs that memory or a cache answered instead of the disks",
        severity: Severity::Warning,
        advice: "Measure with direct=1 or a file well above memory, and for longer than the cache lasts.",
        find: cache::suspected,
    },
    Rule {
        id: "littles-law",
        looks_at: "IOPS times latency against the I/Os in flight",
        severity: Severity::Warning,
        advice: "Below: find what kept the queue from filling. Above: check the unit of the latency and which files were merged.",
        find: load::littles_law,
    },
    Rule {
        id: "sync-engine-depth",
        looks_at: "iodepth above 1 with an engine that has one I/O in flight",
        severity: Severity::Warning,
        advice: "Take libaio or io_uring with direct=1 for a queue, or raise numjobs.",
        find: load::synchronous_depth,
    },
    Rule {
        id: "bw-iops-bs",
        looks_at: "bandwidth against IOPS times block size",
        severity: Severity::Warning,
        advice: "Check which files belong to the run and whether its block size is what its name says.",
        find: load::bandwidth,
    },
    Rule {
        id: "numjobs-unequal",
        looks_at: "numbers of jobs that go along with what is compared",
        severity: Severity::Warning,
        advice: "Run both sides with the same numjobs, or compare by numjobs itself.",
        find: comparison::unequal_jobs,
    },
    Rule {
        id: "not-comparable",
        looks_at: "options that differ besides the compared dimension",
        severity: Severity::Warning,
        advice: "Run them again with equal options; plotgen does not compare them as they are.",
        find: comparison::refused,
    },
    Rule {
        id: "too-short",
        looks_at: "run time and number of windows",
        severity: Severity::Warning,
        advice: "Run for at least 30 s on a hard disk and 60 s on an SSD, and with five windows or more.",
        find: time::too_short,
    },
    Rule {
        id: "not-steady",
        looks_at: "drift and spread over five windows of the run",
        severity: Severity::Warning,
        advice: "Precondition the device and run until the rate no longer drifts; compare steady parts only.",
        find: time::not_steady,
    },
    Rule {
        id: "erratic",
        looks_at: "spread of the windows of a run beyond what chance makes of so few I/Os",
        severity: Severity::Warning,
        advice: "Look at the run over time and at what else used the device.",
        find: time::erratic,
    },
    Rule {
        id: "repeat-copies",
        looks_at: "runs that have exactly the figures of another",
        severity: Severity::Warning,
        advice: "Look whether a file was copied; the copies count as no repeats.",
        find: repeats::copies,
    },
    Rule {
        id: "repeats-drift",
        looks_at: "spread between repeats",
        severity: Severity::Warning,
        advice: "Find what changes between runs, or repeat more often: the mean of these says little.",
        find: repeats::drift,
    },
    Rule {
        id: "repeat-outlier",
        looks_at: "single repeats far from the others",
        severity: Severity::Warning,
        advice: "Look at that run; it is counted in every mean until its cause is known.",
        find: repeats::outliers,
    },
    Rule {
        id: "one-repeat",
        looks_at: "compared figures that rest on one run",
        severity: Severity::Info,
        advice: "Repeat each configuration at least three times: one run shows no difference for certain.",
        find: repeats::single,
    },
    Rule {
        id: "percentile-support",
        looks_at: "percentiles with fewer than ten I/Os beyond them",
        severity: Severity::Info,
        advice: "Run longer before quoting these percentiles.",
        find: load::unsupported,
    },
    Rule {
        id: "above-model",
        looks_at: "IOPS above the RAID model",
        severity: Severity::Info,
        advice: "Measure what one drive does at this queue depth: short strokes and command queueing raise it.",
        find: cache::above_model,
    },
    Rule {
        id: "no-ramp",
        looks_at: "runs that count their first seconds",
        severity: Severity::Info,
        advice: "Set ramp_time so that caches and queues are in their usual state before counting starts.",
        find: time::no_ramp,
    },
    Rule {
        id: "mixed-tools",
        looks_at: "tools that measure different things",
        severity: Severity::Info,
        advice: "Read each tool's figures by themselves.",
        find: comparison::mixed_tools,
    },
    Rule {
        id: "not-checked",
        looks_at: "facts that no tool writes into its output, and options that an output does not list",
        severity: Severity::Info,
        advice: "Say them in plotgen.toml or with --set.",
        find: system::unknown,
    },
];

/// What rules look at.
struct Audit<'a> {
    campaign: &'a Campaign,
    options: &'a AnalyzeOptions,
    refused: &'a [Refusal],
    /// Runs that are repeats of each other, each in order; runs without any stand alone.
    repeats: Vec<Vec<usize>>,
    /// The group of each run.
    group_of: BTreeMap<usize, usize>,
    /// How many runs have a label.
    labels: BTreeMap<&'a str, usize>,
    /// Places of the points of the model, by their runs.
    points: BTreeMap<usize, Vec<usize>>,
}

/// One piece of evidence.
struct Hit {
    /// The runs concerned.
    runs: Vec<usize>,
    /// Whose evidence it is.
    name: String,
    /// What was seen, with figures and units.
    text: String,
    /// Larger is worse.
    rank: f64,
}

impl<'a> Audit<'a> {
    fn new(campaign: &'a Campaign, options: &'a AnalyzeOptions, refused: &'a [Refusal]) -> Self {
        let repeats = repeats::groups(campaign);
        let grouped =
            repeats.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |&run| (run, at)));
        // Of several groups the first one.
        let group_of = grouped.rev().collect();
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        for record in &campaign.runs {
            *labels.entry(&record.run.label).or_default() += 1;
        }
        let mut points: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, point) in campaign.model.iter().enumerate() {
            points.entry(point.run).or_default().push(at);
        }
        Audit { campaign, options, refused, repeats, group_of, labels, points }
    }

    /// The runs that are repeats of a run, itself included.
    fn repeats_of(&self, run: usize) -> Option<&[usize]> {
        self.group_of.get(&run).and_then(|&group| self.repeats.get(group)).map(Vec::as_slice)
    }

    /// What the model says of a run, in the order of its points.
    fn points_of(&self, run: usize) -> impl Iterator<Item = &'a ModelPoint> {
        let model = &self.campaign.model;
        self.points.get(&run).into_iter().flatten().filter_map(|&at| model.get(at))
    }

    fn records(&self) -> impl Iterator<Item = (usize, &RunRecord)> {
        self.campaign.runs.iter().enumerate()
    }

    fn record(&self, run: usize) -> Option<&RunRecord> {
        self.campaign.runs.get(run)
    }

    /// What is known of the machine that a run was made on.
    fn system(&self, run: &Run) -> System {
        System::of(run, &self.options.system)
    }

    /// The label of a run where no other has it, else its id.
    fn name(&self, run: usize) -> String {
        let Some(record) = self.record(run) else { return String::new() };
        let label = &record.run.label;
        let alone = self.labels.get(label.as_str()) == Some(&1);
        if alone && !label.is_empty() { label.clone() } else { record.run.id.clone() }
    }

    /// Evidence about one run.
    fn hit(&self, run: usize, text: String, rank: f64) -> Hit {
        Hit { runs: vec![run], name: self.name(run), text, rank }
    }

    /// One piece of evidence about many runs; none for none.
    fn all(&self, runs: Vec<usize>, what: &str) -> Vec<Hit> {
        if runs.is_empty() {
            return Vec::new();
        }
        let text = format!("{} of {}: {what}", runs.len(), counted(self.campaign.runs.len(), "run"));
        vec![Hit { runs, name: "runs".to_owned(), text, rank: 0.0 }]
    }
}

/// Applies all rules; findings come gravest first, then in the order of [`CHECKS`].
pub(super) fn audit(campaign: &Campaign, options: &AnalyzeOptions, refused: &[Refusal]) -> Vec<Check> {
    let audit = Audit::new(campaign, options, refused);
    let mut checks: Vec<Check> = CHECKS
        .iter()
        .filter_map(|rule| {
            let hits = (rule.find)(&audit);
            (!hits.is_empty()).then(|| check(rule, hits, options.silenced.get(rule.id)))
        })
        .collect();
    checks.sort_by_key(|check| std::cmp::Reverse(check.severity));
    checks
}

/// All evidence of a rule as one check; a silenced one stays, as information with the reason.
fn check(rule: &Rule, mut hits: Vec<Hit>, silenced: Option<&String>) -> Check {
    hits.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.runs.cmp(&b.runs)));
    let runs: BTreeSet<usize> = hits.iter().flat_map(|hit| hit.runs.iter().copied()).collect();
    let mut evidence: BTreeMap<String, String> = BTreeMap::new();
    let mut left = 0;
    for hit in hits {
        if let Some(text) = evidence.get_mut(&hit.name) {
            text.push_str("; ");
            text.push_str(&hit.text);
        } else if evidence.len() < SHOWN {
            evidence.insert(hit.name, hit.text);
        } else {
            left += 1;
        }
    }
    if left > 0 {
        // Sorts behind every name of a file.
        evidence.insert("\u{2026}".to_owned(), format!("{left} more like these; the worst are shown"));
    }
    if let Some(reason) = silenced {
        evidence.insert("silenced".to_owned(), reason.clone());
    }
    Check {
        id: rule.id.to_owned(),
        severity: if silenced.is_some() { Severity::Info } else { rule.severity },
        runs: runs.into_iter().collect(),
        evidence,
        advice: rule.advice.to_owned(),
    }
}

/// `1 run`, `3 runs`.
fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// `407 IOPS`.
fn iops(value: f64) -> String {
    format!("{} IOPS", humanize(value, BaseUnit::PerSecond, UnitSystem::Iec))
}

/// `12.4 ms`.
fn time(ns: f64) -> String {
    humanize(ns, BaseUnit::Nanoseconds, UnitSystem::Iec)
}

/// `45.3 %`.
pub(in crate::analyze) fn share(value: f64) -> String {
    humanize(value, BaseUnit::One, UnitSystem::Iec)
}

/// `10.0 MiB/s`.
fn bandwidth(value: f64) -> String {
    humanize(value, BaseUnit::BytesPerSecond, UnitSystem::Iec)
}

/// A run's dimensions but for its repeat, as a key.
fn held<'r>(run: &'r Run, but: &[&Dimension]) -> BTreeMap<&'r Dimension, &'r str> {
    run.dimensions
        .iter()
        .filter(|(dimension, _)| **dimension != Dimension::Repeat && !but.contains(dimension))
        .map(|(dimension, entry)| (dimension, entry.value.as_str()))
        .collect()
}
