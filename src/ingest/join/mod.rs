//! Puts the files of one execution together.
//!
//! In: the runs that outputs describe, and logs. Out: [`Run`]s. A log belongs to
//! the output of its own directory whose options name its prefix, else whose
//! job has that name, else whose file has that stem; logs in a folder of their
//! own belong to the output beside the folder that has its name. Where several
//! outputs could own one set of logs, directions, number of jobs and figures decide.

mod attach;
mod claim;
mod draft;
mod evidence;
mod finish;
mod labelling;
mod outputs;
mod slots;

pub(super) use claim::{prefixes, stem};
pub(crate) use evidence::weight;
pub(super) use finish::started_apart;

use crate::discover::{Role, SourceFile};
use crate::ingest::aggregate;
use crate::ingest::hints::Told;
use crate::ingest::hosts::HostFolders;
use crate::ingest::{IngestOptions, Log, LogName, RunPart};
use crate::model::{Diagnostic, FileReport, FileState, Run};
use attach::{Attaching, attach_aggregates};
use claim::{Names, Reach, claim_rank};
use draft::{Draft, join_path};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An output file and the runs that it describes.
pub(super) struct OutputFile {
    pub(super) source: usize,
    pub(super) parts: Vec<RunPart>,
}

/// A log file, read.
pub(super) struct LogFile {
    pub(super) source: usize,
    pub(super) log: Log,
    /// What it was read with.
    pub(super) told: Told,
}

/// What joining gave.
pub(super) struct Joined {
    pub(super) runs: Vec<Run>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The logs of one prefix in one directory: what one execution (or several, appended) wrote.
struct LogSet {
    prefix: String,
    logs: Vec<LogFile>,
}

/// The logs that wait for their runs, by directory.
#[derive(Default)]
struct Waiting {
    /// By prefix.
    sets: BTreeMap<String, BTreeMap<String, Vec<LogFile>>>,
    /// Of all jobs together.
    aggregates: BTreeMap<String, Vec<LogFile>>,
}

impl Waiting {
    fn new(logs: Vec<LogFile>, sources: &[SourceFile], homes: &HostFolders) -> Self {
        let mut waiting = Waiting::default();
        for mut file in logs {
            let (directory, host) = homes.home(&sources[file.source]);
            let directory = directory.to_owned();
            let name = &mut file.log.name;
            name.host = name.host.take().or(host.map(str::to_owned));
            if aggregate::is_aggregate(name) {
                waiting.aggregates.entry(directory).or_default().push(file);
            } else {
                let prefix = name.prefix.clone();
                waiting.sets.entry(directory).or_default().entry(prefix).or_default().push(file);
            }
        }
        waiting
    }
}

/// Puts outputs and logs together, directory by directory.
///
/// `said` holds what was said of single sources when their store was written, `options` what is said of
/// all now; the latter is the stronger.
pub(super) fn join(
    sources: &[SourceFile],
    files: &mut [FileReport],
    outputs: Vec<OutputFile>,
    logs: Vec<LogFile>,
    options: &IngestOptions,
    said: &[Option<Arc<IngestOptions>>],
) -> Joined {
    let homes = HostFolders::new(sources, &outputs);
    let mut waiting = Waiting::new(once_each(logs, sources, files), sources, &homes);
    let mut outputs_by_directory: BTreeMap<String, Vec<OutputFile>> = BTreeMap::new();
    for output in outputs {
        let directory = sources[output.source].directory().to_owned();
        outputs_by_directory.entry(directory).or_default().push(output);
    }
    let directories: BTreeSet<String> = waiting
        .sets
        .keys()
        .chain(outputs_by_directory.keys())
        .chain(waiting.aggregates.keys())
        .cloned()
        .collect();

    let mut attaching = Attaching { sources, options, said, diagnostics: Vec::new() };
    let mut drafts: Vec<Draft> = Vec::new();
    for directory in directories {
        let outputs = outputs_by_directory.remove(&directory).unwrap_or_default();
        let mut drafted = outputs::draft(outputs, &directory, sources, files);
        let mut names = Names::default();
        names.enter(&drafted, sources);
        for (prefix, logs) in waiting.sets.remove(&directory).unwrap_or_default() {
            attaching.attach(LogSet { prefix, logs }, &directory, Reach::Beside, &mut drafted, &mut names);
        }
        // Logs in a folder that is named for an output, unless an output of that folder claims them.
        let stems: BTreeSet<String> = drafted.iter().map(|draft| draft.stem.clone()).collect();
        for stem in stems {
            let folder = join_path(&directory, &stem);
            let Some(sets) = waiting.sets.get_mut(&folder) else { continue };
            let there = outputs_by_directory.get(&folder).map_or(&[][..], Vec::as_slice);
            let prefixes: Vec<String> = sets.keys().cloned().collect();
            for prefix in prefixes {
                let reach = Reach::Below(&stem);
                let own = names.claims(&drafted, sources, &prefix, reach);
                if own.is_empty() || claimed(there, sources, &prefix) {
                    continue;
                }
                let Some(logs) = sets.remove(&prefix) else { continue };
                attaching.attach(LogSet { prefix, logs }, &folder, reach, &mut drafted, &mut names);
            }
        }
        if let Some(logs) = waiting.aggregates.remove(&directory) {
            attach_aggregates(logs, &directory, sources, files, &mut drafted);
        }
        drafts.extend(drafted.into_iter().filter(|draft| is_wanted(draft, sources, files)));
    }
    let mut diagnostics = attaching.diagnostics;
    let labelled = labelling::label(&drafts, sources, options, said, &mut diagnostics);
    let runs = finish::finish(drafts, labelled, sources, files, &mut diagnostics);
    Joined { runs, diagnostics }
}

/// True when one of the outputs names logs of this prefix as its own.
fn claimed(outputs: &[OutputFile], sources: &[SourceFile], prefix: &str) -> bool {
    outputs.iter().any(|output| {
        let name = sources[output.source].file_name();
        output.parts.iter().any(|part| claim_rank(part, name, prefix).is_some())
    })
}

/// False for an output that nobody named and that no log belongs to; its report says so.
fn is_wanted(draft: &Draft, sources: &[SourceFile], files: &mut [FileReport]) -> bool {
    let beside_only = draft.sources.iter().all(|&s| sources[s].role == Role::Sibling);
    let wanted = !beside_only || draft.has_logs;
    for &source in draft.sources.iter().filter(|_| !wanted) {
        let report = &mut files[source];
        if report.status == FileState::Companion {
            report.status = FileState::Ignored;
            report.reason = "stands beside the named logs and belongs to none of them".into();
        }
    }
    wanted
}

/// Logs without those that lie beside themselves in another packing: `a_bw.1.log` and `a_bw.1.log.gz`.
fn once_each(mut logs: Vec<LogFile>, sources: &[SourceFile], files: &mut [FileReport]) -> Vec<LogFile> {
    fn place<'a>(file: &'a LogFile, sources: &'a [SourceFile]) -> (&'a str, &'a LogName) {
        (sources[file.source].directory(), &file.log.name)
    }
    logs.sort_by(|a, b| place(a, sources).cmp(&place(b, sources)));
    let mut kept: Vec<LogFile> = Vec::with_capacity(logs.len());
    for file in logs {
        let Some(before) = kept.pop_if(|before| place(before, sources) == place(&file, sources)) else {
            kept.push(file);
            continue;
        };
        // The shorter name is the one that fio gave it.
        let length = |file: &LogFile| (sources[file.source].file_name().len(), file.source);
        let (first, second) = if length(&before) <= length(&file) { (before, file) } else { (file, before) };
        let report = &mut files[second.source];
        report.status = FileState::Companion;
        report.reason = format!("the same log as {}; counted once", sources[first.source].file_name());
        kept.push(first);
    }
    kept
}
