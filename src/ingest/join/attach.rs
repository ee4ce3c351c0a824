//! Logs to the runs that own them.
//!
//! In: a set of logs and the drafts of a directory. Out: the drafts with their logs, and drafts of logs that
//! nobody owns. Where several outputs could own a set, the choice is said.

use super::LogFile;
use super::LogSet;
use super::claim::{Names, Reach, job_below, stem};
use super::draft::Draft;
use super::evidence::{Evidence, choose_owner};
use super::slots::Plan;
use crate::discover::SourceFile;
use crate::ingest::{Appended, IngestOptions, aggregate};
use crate::model::{Diagnostic, FileReport, FileState, Metric, Severity};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What giving logs to runs needs to know, and what it has to say.
pub(super) struct Attaching<'a> {
    pub(super) sources: &'a [SourceFile],
    pub(super) options: &'a IngestOptions,
    /// What was said of single sources when their store was written.
    pub(super) said: &'a [Option<Arc<IngestOptions>>],
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Attaching<'_> {
    /// Gives a set of logs to the drafts that own it, or makes runs of its own from it.
    pub(super) fn attach(
        &mut self,
        set: LogSet,
        directory: &str,
        reach: Reach<'_>,
        drafted: &mut Vec<Draft>,
        names: &mut Names,
    ) {
        let shown = set.logs.first().map_or_else(String::new, |file| {
            let name = format!("{}_*", set.prefix);
            let shown = &self.sources[file.source].relative;
            shown.rsplit_once('/').map_or(name.clone(), |(folder, _)| format!("{folder}/{name}"))
        });
        let candidates = names.claims(drafted, self.sources, &set.prefix, reach);
        let best = candidates.iter().map(|&(_, rank)| rank).min();
        let candidates: Vec<usize> =
            candidates.into_iter().filter(|&(_, rank)| Some(rank) == best).map(|(i, _)| i).collect();

        // Parts of one file (groups that ran one after another) share the logs among them by number; of
        // several files one owns them.
        let files: BTreeSet<usize> = candidates.iter().map(|&i| drafted[i].sources[0]).collect();
        let owner = if files.is_empty() {
            None
        } else {
            self.owner(&files, &Evidence::of(&set), (&set.prefix, &shown), drafted)
        };
        let owners: Vec<usize> =
            candidates.into_iter().filter(|&i| Some(drafted[i].sources[0]) == owner).collect();

        let job = match (reach, owners.as_slice()) {
            (Reach::Below(folder), &[owner]) => job_below(&drafted[owner].part, folder, &set.prefix),
            _ => None,
        };
        let said = set.logs.first().and_then(|file| self.said.get(file.source)?.as_deref());
        let appended = match (self.options.appended, said) {
            (Appended::Auto, Some(said)) => said.appended,
            (appended, _) => appended,
        };
        let diagnostics = &mut self.diagnostics;
        Plan { owners, job, appended, shown: &shown, directory, diagnostics }.share(set, drafted);
        names.enter(drafted, self.sources);
    }

    /// Of the outputs that claim a set of logs the one that it fits.
    fn owner(
        &mut self,
        files: &BTreeSet<usize>,
        evidence: &Evidence,
        (prefix, shown): (&str, &str),
        drafted: &[Draft],
    ) -> Option<usize> {
        let sources = self.sources;
        let name = |file: usize| sources[file].file_name();
        let (owner, message) = if files.len() > 1 {
            let named = |file: usize| stem(name(file)) == prefix;
            let owner = choose_owner(evidence, drafted, files, &named);
            let rest: Vec<&str> =
                files.iter().filter(|file| Some(**file) != owner).map(|&file| name(file)).collect();
            let rest = match rest.get(..6) {
                Some(first) if rest.len() > 6 => format!("{}, ... ({} files)", first.join(", "), rest.len()),
                _ => rest.join(", "),
            };
            let message = match owner {
                Some(owner) => format!(
                    "{} outputs name these logs; {} fits them ({}), the others stay without logs: {rest}",
                    files.len(),
                    name(owner),
                    evidence.words(),
                ),
                None => format!(
                    "{} outputs name these logs and none fits them ({}); the logs are a run of their own: {rest}",
                    files.len(),
                    evidence.words(),
                ),
            };
            (owner, message)
        } else {
            let only = *files.first()?;
            if evidence.fits_directions(drafted, only) {
                return Some(only);
            }
            let message = format!(
                "{} names these logs but does not fit them ({}); the logs are a run of their own",
                name(only),
                evidence.words()
            );
            (None, message)
        };
        self.diagnostics.push(Diagnostic::new(Severity::Warning, shown, message));
        owner
    }
}

/// Gives logs of all jobs together to the one run of their directory, or makes a run of them.
pub(super) fn attach_aggregates(
    logs: Vec<LogFile>,
    directory: &str,
    sources: &[SourceFile],
    files: &mut [FileReport],
    drafted: &mut Vec<Draft>,
) {
    let from: Vec<usize> = logs.iter().map(|file| file.source).collect();
    if let [draft] = drafted.as_slice()
        && draft.series.iter().any(|series| series.metric == Metric::Bw)
    {
        for source in from {
            files[source].status = FileState::Companion;
            files[source].reason =
                "all jobs together (--bandwidth-log); the logs of the jobs say the same".into();
        }
        return;
    }
    if drafted.len() != 1 {
        if !drafted.is_empty() {
            let message = format!(
                "all jobs together (--bandwidth-log), and {} runs beside it that it could be of; a run of its own",
                drafted.len()
            );
            let remark = Diagnostic::new(Severity::Info, &sources[from[0]].relative, message);
            files[from[0]].diagnostics.push(remark);
        }
        drafted.push(Draft::of_logs(directory, aggregate::STEM, None));
    }
    let Some(draft) = drafted.last_mut() else { return };
    draft.has_logs = true;
    draft.series.extend(aggregate::series(logs));
    draft.sources.extend(from);
}
