//! Puts the files of one execution together.
//!
//! In: the runs that outputs describe, and logs. Out: [`Run`]s. A log belongs to
//! the output of its own directory whose options name its prefix, else whose
//! job has that name, else whose file has that stem; logs in a folder of their
//! own belong to the output beside the folder that has its name. Where several
//! outputs could own one set of logs, directions, number of jobs and figures decide.

use crate::discover::{Role, SourceFile};
use crate::ingest::aggregate;
use crate::ingest::blocks::describes_same;
use crate::ingest::hosts::HostFolders;
use crate::ingest::labels::{self, Labels};
use crate::ingest::{
    Appended, IngestOptions, Log, LogKind, LogName, RunPart, Segment, UnitCertainty, metric_of,
};
use crate::model::SeriesKind;
use crate::model::{
    Ddir, Diagnostic, Dimension, DimensionEntry, DimensionOrigin, FileReport, FileState, Job, Metric, Run,
    Series, Severity, Source, Tool, Value, without_packing,
};
use std::collections::{BTreeMap, BTreeSet};

/// An output file and the runs that it describes.
pub(super) struct OutputFile {
    pub(super) source: usize,
    pub(super) parts: Vec<RunPart>,
}

/// A log file, read.
pub(super) struct LogFile {
    pub(super) source: usize,
    pub(super) log: Log,
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

/// A run before it has its final name and dimensions.
struct Draft {
    /// Directory of its sources, relative to the common root.
    directory: String,
    /// File stem, the last part of its id.
    stem: String,
    /// Log prefix, where it differs from the stem.
    prefix: Option<String>,
    /// Tells runs of one stem apart.
    key: String,
    /// What the output said; empty for logs alone.
    part: RunPart,
    series: Vec<Series>,
    sources: Vec<usize>,
}

impl Draft {
    /// A run of logs alone; `position` tells runs apart that were appended to one file.
    fn of_logs(directory: &str, stem: &str, position: Option<usize>) -> Self {
        Draft {
            directory: directory.to_owned(),
            stem: stem.to_owned(),
            prefix: None,
            key: position.map_or_else(String::new, |position| format!("part{}", position + 1)),
            part: RunPart { tool: Tool { name: "fio".into(), version: None }, ..RunPart::default() },
            series: Vec::new(),
            sources: Vec::new(),
        }
    }
}

/// The prefixes that the logs of `part` may carry, strongest first: named in the options, job names, the output's stem.
pub(super) fn prefixes(part: &RunPart, output_name: &str) -> Vec<String> {
    if !writes_logs(part) {
        return Vec::new();
    }
    let mut all: Vec<String> = part.log_prefixes.values().flatten().cloned().collect();
    all.extend(part.jobs.iter().map(|job| job.name.clone()));
    all.push(stem(output_name).to_owned());
    let mut seen = BTreeSet::new();
    all.retain(|prefix| !prefix.is_empty() && seen.insert(prefix.clone()));
    all
}

/// True for the tools whose logs stand beside their outputs; any other's output only happens to share a name with logs.
fn writes_logs(part: &RunPart) -> bool {
    matches!(part.tool.name.as_str(), "fio" | "rbench")
}

/// A file name without packing and format endings.
pub(super) fn stem(name: &str) -> &str {
    let name = without_packing(name);
    for ending in
        [".rbench.csv", ".json+", ".json", ".csv", ".out", ".txt", ".log", ".result", ".results", ".rbench"]
    {
        if let Some(stem) = name.strip_suffix(ending)
            && !stem.is_empty()
        {
            // `job.fio.out` is the output of `job.fio`.
            let of_job = [".fio", ".ini", ".job"].iter().find_map(|ending| stem.strip_suffix(ending));
            return of_job.filter(|stem| !stem.is_empty()).unwrap_or(stem);
        }
    }
    name
}

/// How strongly an output claims a set of logs; smaller is stronger.
fn claim_rank(part: &RunPart, output_name: &str, prefix: &str) -> Option<u8> {
    if !writes_logs(part) {
        None
    } else if part.log_prefixes.values().flatten().any(|p| p == prefix) {
        Some(0)
    } else if part.jobs.iter().any(|job| job.name == prefix) {
        Some(1)
    } else if stem(output_name) == prefix {
        Some(2)
    } else {
        None
    }
}

/// How strongly an output claims logs in the folder that is named for it: `read-4k.out` those in `read-4k/`.
///
/// Their prefix is a job's name, alone or behind the folder's: `read-4k-KERNEL`, `KERNEL`. A single
/// word of a job's name serves where no other job has it (`mount-kernel`).
fn claim_below(part: &RunPart, others: &[&RunPart], output_name: &str, prefix: &str) -> Option<u8> {
    let folder = stem(output_name);
    let word = prefix.strip_prefix(folder).map(|rest| rest.trim_start_matches(['-', '_', '.']));
    let has = |part: &RunPart, wanted: &str| {
        let same = |job: &Job| job.name.eq_ignore_ascii_case(wanted);
        let holds = |job: &Job| {
            job.name.split(|c: char| !c.is_alphanumeric()).any(|own| own.eq_ignore_ascii_case(wanted))
        };
        (part.jobs.iter().any(same), part.jobs.iter().any(holds))
    };
    if part.jobs.iter().any(|job| job.name == prefix) {
        return Some(0);
    }
    let word = word?;
    if word.is_empty() {
        return Some(2);
    }
    match has(part, word) {
        (true, _) => Some(1),
        (false, true) if !others.iter().any(|other| has(other, word).1) => Some(1),
        _ => None,
    }
}

pub(super) fn join(
    sources: &[SourceFile],
    files: &mut [FileReport],
    outputs: Vec<OutputFile>,
    logs: Vec<LogFile>,
    options: &IngestOptions,
) -> Joined {
    let mut diagnostics = Vec::new();
    let mut sets: BTreeMap<(String, String), LogSet> = BTreeMap::new();
    let homes = HostFolders::new(sources, &outputs);
    let mut aggregates: BTreeMap<String, Vec<LogFile>> = BTreeMap::new();
    for mut file in once_each(logs, sources, files) {
        let (directory, host) = homes.home(&sources[file.source]);
        let (directory, name) = (directory.to_owned(), &mut file.log.name);
        name.host = name.host.take().or(host.map(str::to_owned));
        if aggregate::is_aggregate(name) {
            aggregates.entry(directory).or_default().push(file);
            continue;
        }
        let prefix = name.prefix.clone();
        sets.entry((directory, prefix.clone()))
            .or_insert_with(|| LogSet { prefix, logs: Vec::new() })
            .logs
            .push(file);
    }
    let mut outputs_by_directory: BTreeMap<String, Vec<OutputFile>> = BTreeMap::new();
    for output in outputs {
        outputs_by_directory.entry(sources[output.source].directory().to_owned()).or_default().push(output);
    }

    let mut drafts: Vec<Draft> = Vec::new();
    let directories: BTreeSet<String> = sets
        .keys()
        .map(|(directory, _)| directory.clone())
        .chain(outputs_by_directory.keys().cloned())
        .chain(aggregates.keys().cloned())
        .collect();
    for directory in directories {
        let mut drafted: Vec<(Draft, bool)> = Vec::new();
        let mut outputs = outputs_by_directory.remove(&directory).unwrap_or_default();
        outputs.sort_by_key(|output| exactness(files[output.source].format.as_deref()));
        for output in outputs {
            for part in output.parts {
                let name = sources[output.source].file_name();
                let repeated = drafted.iter().map(|(draft, _)| draft).find(|draft| {
                    draft.sources[0] != output.source
                        && exactness(files[draft.sources[0]].format.as_deref())
                            < exactness(files[output.source].format.as_deref())
                        && describes_same(&draft.part, &part)
                        && (draft.stem == stem(name) || same_figures(&draft.part, &part))
                });
                if let Some(draft) = repeated {
                    let report = &mut files[output.source];
                    report.status = FileState::Companion;
                    report.reason = format!(
                        "describes the run that {} describes more exactly; counted once",
                        sources[draft.sources[0]].file_name()
                    );
                    continue;
                }
                drafted.push((
                    Draft {
                        directory: directory.clone(),
                        stem: stem(sources[output.source].file_name()).to_owned(),
                        prefix: None,
                        key: part.key.clone(),
                        part,
                        series: Vec::new(),
                        sources: vec![output.source],
                    },
                    false,
                ));
            }
        }
        let keys: Vec<_> = sets.keys().filter(|(d, _)| *d == directory).cloned().collect();
        for key in keys {
            let Some(set) = sets.remove(&key) else { continue };
            attach(set, &directory, Reach::Beside, sources, &mut drafted, options, &mut diagnostics);
        }
        // Logs in a folder that is named for an output, unless an output of that folder claims them.
        let stems: BTreeSet<String> = drafted.iter().map(|(draft, _)| draft.stem.clone()).collect();
        for stem in stems {
            let folder = join_path(&directory, &stem);
            let keys: Vec<_> = sets.keys().filter(|(d, _)| *d == folder).cloned().collect();
            for key in keys {
                let claimed_there = outputs_by_directory.get(&folder).is_some_and(|outputs| {
                    outputs.iter().any(|output| {
                        let name = sources[output.source].file_name();
                        output.parts.iter().any(|part| claim_rank(part, name, &key.1).is_some())
                    })
                });
                if claimed_there || claims(&drafted, sources, &key.1, Reach::Below(&stem)).is_empty() {
                    continue;
                }
                let Some(set) = sets.remove(&key) else { continue };
                let reach = Reach::Below(&stem);
                attach(set, &folder, reach, sources, &mut drafted, options, &mut diagnostics);
            }
        }
        if let Some(logs) = aggregates.remove(&directory) {
            attach_aggregates(logs, &directory, sources, files, &mut drafted);
        }
        for (draft, has_logs) in drafted {
            let beside_only = draft.sources.iter().all(|&s| sources[s].role == Role::Sibling);
            if beside_only && !has_logs {
                for &source in &draft.sources {
                    let report = &mut files[source];
                    if report.status == FileState::Companion {
                        report.status = FileState::Ignored;
                        report.reason = "stands beside the named logs and belongs to none of them".into();
                    }
                }
                continue;
            }
            drafts.push(draft);
        }
    }
    let runs = finish(drafts, sources, files, options, &mut diagnostics);
    Joined { runs, diagnostics }
}

/// Logs without those that lie beside themselves in another packing: `a_bw.1.log` and `a_bw.1.log.gz`.
fn once_each(logs: Vec<LogFile>, sources: &[SourceFile], files: &mut [FileReport]) -> Vec<LogFile> {
    let mut kept: BTreeMap<(String, LogName), LogFile> = BTreeMap::new();
    for file in logs {
        let key = (sources[file.source].directory().to_owned(), file.log.name.clone());
        let Some(before) = kept.remove(&key) else {
            kept.insert(key, file);
            continue;
        };
        // The shorter name is the one that fio gave it.
        let length = |file: &LogFile| (sources[file.source].file_name().len(), file.source);
        let (first, second) = if length(&before) <= length(&file) { (before, file) } else { (file, before) };
        let report = &mut files[second.source];
        report.status = FileState::Companion;
        report.reason = format!("the same log as {}; counted once", sources[first.source].file_name());
        kept.insert(key, first);
    }
    kept.into_values().collect()
}

/// Of two outputs of one run the one with the smaller number is read: JSON has all digits, terse microseconds, normal output four digits.
fn exactness(format: Option<&str>) -> usize {
    let order = ["fio-json", "fio-terse", "fio-normal"];
    order
        .iter()
        .position(|name| format.is_some_and(|f| f.split('+').any(|f| f == *name)))
        .unwrap_or(order.len())
}

/// True when both report the same rates, to the digits that the coarser one prints.
fn same_figures(a: &RunPart, b: &RunPart) -> bool {
    let figures = |part: &RunPart| -> BTreeMap<(Metric, Ddir), f64> {
        let mut sums = BTreeMap::new();
        for summary in part.summaries.iter().filter(|s| s.metric.is_rate()) {
            *sums.entry((summary.metric, summary.ddir)).or_default() += summary.mean.unwrap_or(0.0);
        }
        sums
    };
    let (a, b) = (figures(a), figures(b));
    !a.is_empty()
        && a.len() == b.len()
        && a.iter()
            .all(|(key, x)| b.get(key).is_some_and(|y| (x / y - 1.0).abs() < 0.005 || (x - y).abs() < 1.0))
}

/// The one of several jobs that logs in the folder of their output are named for: `SDB` of
/// `randread-4k/randread-4k-SDB_bw.log`.
fn job_below(part: &RunPart, folder: &str, prefix: &str) -> Option<usize> {
    let word = prefix.strip_prefix(folder).map(|rest| rest.trim_start_matches(['-', '_', '.']));
    let mut named = part.jobs.iter().enumerate().filter(|(_, job)| {
        job.name == prefix || word.is_some_and(|word| job.name.eq_ignore_ascii_case(word))
    });
    let (job, _) = named.next()?;
    (part.jobs.len() > 1 && named.next().is_none()).then_some(job)
}

/// Where an output looks for logs.
#[derive(Debug, Clone, Copy)]
enum Reach<'a> {
    /// In its own directory.
    Beside,
    /// In the folder of this name beside it, which is its own stem.
    Below(&'a str),
}

/// The drafts that claim a set of logs, each with the strength of its claim.
fn claims(
    drafted: &[(Draft, bool)],
    sources: &[SourceFile],
    prefix: &str,
    reach: Reach<'_>,
) -> Vec<(usize, u8)> {
    // Logs of several jobs of one run may have prefixes of their own.
    let open = |(draft, taken): &&(Draft, bool)| match reach {
        Reach::Below(folder) if job_below(&draft.part, folder, prefix).is_some() => true,
        _ => !taken || draft.sources.len() == 1,
    };
    let found = drafted.iter().enumerate().filter_map(|(i, entry)| {
        let (draft, _) = Some(entry).filter(open)?;
        let source = *draft.sources.first()?;
        let output = sources[source].file_name();
        let rank = match reach {
            Reach::Beside => claim_rank(&draft.part, output, prefix),
            Reach::Below(folder) => {
                let of_file = |other: &&(Draft, bool)| other.0.sources.first() == Some(&source);
                let others: Vec<&RunPart> = drafted
                    .iter()
                    .filter(of_file)
                    .filter(|(other, _)| other.key != draft.key)
                    .map(|(other, _)| &other.part)
                    .collect();
                let own = draft.stem == folder && stem(output) == folder;
                own.then(|| claim_below(&draft.part, &others, output, prefix)).flatten()
            }
        };
        Some((i, rank?))
    });
    found.collect()
}

/// Gives a set of logs to the drafts that own it, or makes runs of its own from it.
fn attach(
    set: LogSet,
    directory: &str,
    reach: Reach<'_>,
    sources: &[SourceFile],
    drafted: &mut Vec<(Draft, bool)>,
    options: &IngestOptions,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let shown = set.logs.first().map_or_else(String::new, |file| {
        let name = format!("{}_*", set.prefix);
        let shown = &sources[file.source].relative;
        shown.rsplit_once('/').map_or(name.clone(), |(folder, _)| format!("{folder}/{name}"))
    });
    let candidates = claims(drafted, sources, &set.prefix, reach);
    let best = candidates.iter().map(|&(_, rank)| rank).min();
    let candidates: Vec<usize> =
        candidates.into_iter().filter(|&(_, rank)| Some(rank) == best).map(|(i, _)| i).collect();

    let evidence = Evidence::of(&set);
    let mut files: BTreeSet<usize> = BTreeSet::new();
    for &i in &candidates {
        files.insert(drafted[i].0.sources[0]);
    }
    // Parts of one file (groups that ran one after another) share the logs among them by number; of several files one owns them.
    let owner = if files.len() > 1 {
        let owner = choose_owner(&evidence, drafted, &files);
        let names = |skip: Option<usize>| {
            let all: Vec<&str> =
                files.iter().filter(|f| Some(**f) != skip).map(|&f| sources[f].file_name()).collect();
            if all.len() > 6 {
                format!("{}, ... ({} files)", all[..6].join(", "), all.len())
            } else {
                all.join(", ")
            }
        };
        let message = match owner {
            Some(owner) => format!(
                "{} outputs name these logs; {} fits them ({}), the others stay without logs: {}",
                files.len(),
                sources[owner].file_name(),
                evidence.words(),
                names(Some(owner)),
            ),
            None => format!(
                "{} outputs name these logs and none fits them ({}); the logs are a run of their own: {}",
                files.len(),
                evidence.words(),
                names(None),
            ),
        };
        diagnostics.push(Diagnostic::new(Severity::Warning, &shown, message));
        owner
    } else {
        let owner = files.first().copied();
        match owner {
            Some(owner) if !evidence.fits_directions(drafted, owner) => {
                let message = format!(
                    "{} names these logs but does not fit them ({}); the logs are a run of their own",
                    sources[owner].file_name(),
                    evidence.words()
                );
                diagnostics.push(Diagnostic::new(Severity::Warning, &shown, message));
                None
            }
            owner => owner,
        }
    };
    let owners: Vec<usize> =
        candidates.into_iter().filter(|&i| Some(drafted[i].0.sources[0]) == owner).collect();

    let job = match (reach, owners.as_slice()) {
        (Reach::Below(folder), &[owner]) => job_below(&drafted[owner].0.part, folder, &set.prefix),
        _ => None,
    };
    let mut plan = Plan { owners, job, options, shown: &shown, directory, diagnostics };
    plan.share(set, drafted);
}

/// Gives logs of all jobs together to the one run of their directory, or makes a run of them.
fn attach_aggregates(
    logs: Vec<LogFile>,
    directory: &str,
    sources: &[SourceFile],
    files: &mut [FileReport],
    drafted: &mut Vec<(Draft, bool)>,
) {
    let from: Vec<usize> = logs.iter().map(|file| file.source).collect();
    if let [(draft, _)] = drafted.as_slice()
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
        drafted.push((Draft::of_logs(directory, aggregate::STEM, None), true));
    }
    let Some((draft, has_logs)) = drafted.last_mut() else { return };
    *has_logs = true;
    draft.series.extend(aggregate::series(logs));
    draft.sources.extend(from);
}

/// What a set of logs says about the run that wrote it.
struct Evidence {
    ddirs: BTreeSet<Ddir>,
    /// Logs of the kind with the most of them; segments count as logs where jobs share a file.
    jobs: usize,
    /// Mean rate over all logs, by metric and direction.
    means: BTreeMap<(Metric, Ddir), f64>,
}

impl Evidence {
    fn of(set: &LogSet) -> Self {
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

    fn words(&self) -> String {
        let ddirs: Vec<&str> = self.ddirs.iter().map(|d| d.as_str()).collect();
        let figures: Vec<String> = self
            .means
            .iter()
            .filter(|((metric, _), _)| *metric == Metric::Iops)
            .map(|((_, ddir), mean)| format!("{} {ddir} IOPS", crate::model::unit::significant(*mean, 3)))
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
    fn fits_directions(&self, drafted: &[(Draft, bool)], file: usize) -> bool {
        let reported: BTreeSet<Ddir> = parts_of(drafted, file)
            .flat_map(|part| part.summaries.iter())
            .filter(|s| s.metric.is_rate())
            .map(|s| s.ddir)
            .collect();
        reported.is_empty() || reported.contains(&Ddir::Mixed) || self.ddirs.is_subset(&reported)
    }

    /// Largest relative deviation of the logs' means from the output's; None when nothing can be compared.
    fn deviation(&self, drafted: &[(Draft, bool)], file: usize) -> Option<f64> {
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

fn parts_of(drafted: &[(Draft, bool)], file: usize) -> impl Iterator<Item = &RunPart> {
    drafted
        .iter()
        .filter(move |(draft, _)| draft.sources.first() == Some(&file))
        .map(|(draft, _)| &draft.part)
}

fn job_count(drafted: &[(Draft, bool)], file: usize) -> usize {
    parts_of(drafted, file).flat_map(|part| part.jobs.iter()).map(|job| job.clones.max(1) as usize).sum()
}

/// Of several outputs the one that fits a set of logs: same directions, same number of jobs, nearest figures.
fn choose_owner(evidence: &Evidence, drafted: &[(Draft, bool)], files: &BTreeSet<usize>) -> Option<usize> {
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
    scored.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    scored.first().filter(|(deviation, _)| *deviation <= FAR).map(|&(_, file)| file)
}

/// Which part of a cell counts for a rate.
pub(crate) fn weight(metric: Metric) -> fn(&crate::model::GridCell) -> u64 {
    match metric {
        Metric::Bw => |cell| cell.bytes,
        _ => |cell| cell.count,
    }
}

/// How the segments of a set of logs go to runs and jobs.
struct Plan<'a> {
    owners: Vec<usize>,
    /// The only job of the owner that the logs can be of.
    job: Option<usize>,
    options: &'a IngestOptions,
    shown: &'a str,
    directory: &'a str,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// A job slot: (run, job, clone).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    run: usize,
    job: usize,
    clone: u32,
}

impl Plan<'_> {
    fn share(&mut self, set: LogSet, drafted: &mut Vec<(Draft, bool)>) {
        let LogSet { prefix, logs } = set;
        self.say_units(&logs);
        // Hosts of a client run are told apart by the job's host; the number counts per host.
        let mut own: BTreeMap<(usize, Option<String>), usize> = BTreeMap::new();
        for file in logs {
            let numbered = file.log.name.number;
            let host = file.log.name.host.clone();
            let segments = file.log.segments.len();
            let apart = numbered.is_none() && segments > 1 && !self.together(segments, &prefix, drafted);
            for (position, segment) in file.log.segments.into_iter().enumerate() {
                let slot = match numbered {
                    Some(number) if segments == 1 => self.slot_by_number(number, host.as_deref(), drafted),
                    // A numbered file with several stretches: runs appended to it; the last is the output's.
                    Some(number) if position + 1 == segments => {
                        self.slot_by_number(number, host.as_deref(), drafted)
                    }
                    Some(_) => None,
                    None if apart => {
                        // The newest stretch is what an output beside it describes: outputs are written anew each time.
                        if position + 1 == segments {
                            self.slot_by_position(0, host.as_deref(), drafted)
                        } else {
                            None
                        }
                    }
                    None => self.slot_by_position(position, host.as_deref(), drafted),
                };
                let sequential = apart || (numbered.is_some() && segments > 1);
                let slot = slot.unwrap_or_else(|| {
                    let execution = if sequential { position } else { usize::MAX };
                    let run = *own.entry((execution, None)).or_insert_with(|| {
                        drafted.push((
                            Draft::of_logs(self.directory, &prefix, sequential.then_some(position)),
                            true,
                        ));
                        drafted.len() - 1
                    });
                    let (job, clone) = own_job(
                        &mut drafted[run].0,
                        numbered,
                        if sequential { 0 } else { position },
                        host.as_deref(),
                    );
                    Slot { run, job, clone }
                });
                let (draft, has_logs) = &mut drafted[slot.run];
                *has_logs = true;
                if draft.prefix.is_none() && draft.stem != prefix {
                    draft.prefix = Some(prefix.clone());
                }
                if !draft.sources.contains(&file.source) {
                    draft.sources.push(file.source);
                }
                add_series(draft, slot, file.log.name.kind, segment);
            }
            if apart || (numbered.is_some() && segments > 1) {
                self.say_sequential(file.log.name.kind, segments);
            }
        }
    }

    /// Whether the stretches of an unnumbered log are jobs that ran at the same time.
    fn together(&self, segments: usize, prefix: &str, drafted: &[(Draft, bool)]) -> bool {
        match self.options.appended {
            Appended::Concurrent => true,
            Appended::Sequential => false,
            Appended::Auto => {
                let jobs: usize = self
                    .owners
                    .iter()
                    .flat_map(|&i| drafted[i].0.part.jobs.iter().enumerate())
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
    fn slot_by_number(&self, number: u32, host: Option<&str>, drafted: &[(Draft, bool)]) -> Option<Slot> {
        for &run in &self.owners {
            let part = &drafted[run].0.part;
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
    fn slot_by_position(
        &self,
        position: usize,
        host: Option<&str>,
        drafted: &[(Draft, bool)],
    ) -> Option<Slot> {
        let mut left = position;
        for &run in &self.owners {
            for (job, entry) in drafted[run].0.part.jobs.iter().enumerate() {
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
                    crate::ingest::LatUnit::Nanoseconds => "ns (fio 3)",
                    crate::ingest::LatUnit::Microseconds => "us (fio 1 and 2)",
                    crate::ingest::LatUnit::Milliseconds => "ms",
                }
            );
            self.diagnostics.push(Diagnostic::new(Severity::Warning, self.shown, message));
        }
    }

    fn say_sequential(&mut self, kind: LogKind, segments: usize) {
        let message = format!(
            "time goes back {} times in the {} log: {segments} stretches, taken for successive runs; \
             `--appended concurrent` takes them for jobs of one run and adds them up",
            segments - 1,
            kind.as_str()
        );
        self.diagnostics.push(Diagnostic::new(Severity::Warning, self.shown, message));
    }
}

/// The job of a run of logs alone that holds log `number` (or stretch `position`) of `host`.
fn own_job(draft: &mut Draft, number: Option<u32>, position: usize, host: Option<&str>) -> (usize, u32) {
    let name = match number {
        Some(number) => format!("job {number}"),
        None => format!("job {}", position + 1),
    };
    let jobs = &mut draft.part.jobs;
    let found = jobs.iter().position(|job| job.name == name && job.host.as_deref() == host);
    let job = found.unwrap_or_else(|| {
        jobs.push(Job { name, host: host.map(str::to_owned), clones: 1, ..Job::default() });
        jobs.len() - 1
    });
    (job, 0)
}

fn add_series(draft: &mut Draft, slot: Slot, kind: LogKind, segment: Segment) {
    let Some(metric) = metric_of(kind) else { return };
    let stated =
        draft.part.jobs.get(slot.job).and_then(|job| job.options.get("log_avg_msec")?.parse::<f64>().ok());
    let last_ms = segment.last_ms;
    for (ddir, mut kind) in segment.series {
        // Rows further apart than log_avg_msec are windows with idle ones between them, however regular.
        if let (SeriesKind::Windowed { window_ms, .. }, Some(stated)) = (&mut kind, stated)
            && stated >= 1.0
            && *window_ms > 1.25 * stated
        {
            *window_ms = stated;
        }
        draft.series.push(Series { metric, ddir, job: slot.job, clone: slot.clone, last_ms, kind });
    }
}

/// Names the drafts and gives them their dimensions.
fn finish(
    drafts: Vec<Draft>,
    sources: &[SourceFile],
    files: &mut [FileReport],
    options: &IngestOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Run> {
    let depth = drafts.iter().map(|draft| components(&draft.directory).count()).max().unwrap_or(0);
    let mut leftovers: Vec<Vec<String>> = Vec::with_capacity(drafts.len());
    let mut labelled: Vec<BTreeMap<Dimension, DimensionEntry>> = Vec::with_capacity(drafts.len());
    let mut dead_patterns = 0;
    for draft in &drafts {
        let mut dimensions: BTreeMap<Dimension, DimensionEntry> = BTreeMap::new();
        let path = join_path(&draft.directory, &draft.stem);
        let mut put = |dimension: Dimension, value: Value, from: DimensionOrigin| {
            dimensions.entry(dimension).or_insert(DimensionEntry { value, from });
        };
        for (dimension, value) in &options.set {
            put(dimension.clone(), value.clone(), DimensionOrigin::Set);
        }
        for (pattern, dimension, value) in &options.set_matching {
            if pattern.matches_path(&path) {
                put(dimension.clone(), value.clone(), DimensionOrigin::Set);
            }
        }
        if let Some(pattern) = &options.pattern {
            let mut captured = pattern.captures(&path);
            for &source in &draft.sources {
                if captured.is_empty() {
                    captured = pattern.captures(&sources[source].relative);
                }
            }
            if captured.is_empty() {
                dead_patterns += 1;
            }
            for (dimension, value) in captured {
                put(dimension, value, DimensionOrigin::Pattern);
            }
        }
        for (dimension, value) in &draft.part.dimensions {
            put(dimension.clone(), value.clone(), DimensionOrigin::Option);
        }
        let mut own = vec![labels::from_file_stem(&draft.stem)];
        own.extend(draft.prefix.as_deref().map(labels::from_file_stem));
        let mut left: Vec<String> = Vec::new();
        let folders: Vec<Labels> = components(&draft.directory).map(labels::from_directory).collect();
        for entry in own.iter().flat_map(|labels| &labels.dimensions) {
            put(entry.0.clone(), entry.1.value.clone(), entry.1.from);
        }
        // The folder nearest to the file says most about it.
        for entry in folders.iter().rev().flat_map(|labels| &labels.dimensions) {
            put(entry.0.clone(), entry.1.value.clone(), entry.1.from);
        }
        left.extend(folders.iter().map(without_serial));
        left.resize(depth, String::new());
        // A table that states its dimensions needs none from its own name.
        let stem_left =
            if draft.part.tool.name == "rbench" { String::new() } else { without_serial(&own[0]) };
        left.push(without(&stem_left, &draft.part.explained));
        let known: BTreeSet<&str> = dimensions.values().map(|entry| entry.value.as_str()).collect();
        for text in &mut left {
            *text = unexplained(text, &known);
        }
        leftovers.push(left);
        labelled.push(dimensions);
    }
    if dead_patterns > 0 {
        let message = format!(
            "--pattern matches none of the paths of {dead_patterns} of {} runs; they keep what else their names and files say",
            drafts.len()
        );
        diagnostics.push(Diagnostic::new(Severity::Warning, "--pattern", message));
    }
    tell_jobs_apart(&drafts, &mut labelled);
    for (dimensions, paths) in labelled.iter_mut().zip(labels::path_dimensions(&leftovers)) {
        for (dimension, value) in paths {
            dimensions.entry(dimension).or_insert(DimensionEntry { value, from: DimensionOrigin::Path });
        }
    }

    let mut runs: Vec<Run> = Vec::with_capacity(drafts.len());
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    let ids: Vec<String> = drafts.iter().map(draft_id).collect();
    // Equal ids: the run with an output keeps the plain one.
    order.sort_by(|&a, &b| {
        ids[a].cmp(&ids[b]).then(drafts[b].part.summaries.len().cmp(&drafts[a].part.summaries.len()))
    });
    let mut drafts: Vec<Option<(Draft, BTreeMap<Dimension, DimensionEntry>)>> =
        drafts.into_iter().zip(labelled).map(Some).collect();
    for index in order {
        let Some((draft, dimensions)) = drafts[index].take() else { continue };
        let mut id = ids[index].clone();
        let mut copy = 2;
        while !taken.insert(id.clone()) {
            id = format!("{}~{copy}", ids[index]);
            copy += 1;
        }
        runs.push(run_of(draft, id, dimensions, sources, files, diagnostics));
    }
    runs
}

/// A name's unrecognised words but for those that its file explains.
fn without(leftover: &str, explained: &BTreeSet<String>) -> String {
    let words = leftover.split('-').filter(|word| !explained.contains(&word.to_lowercase()));
    words.collect::<Vec<_>>().join("-")
}

/// Groups of one output that only their jobs' names tell apart (`mount-fuse`, `mount-kernel`) get the
/// dimension `job`: without it they would pass for repeats. Names that differ in a number are repeats.
fn tell_jobs_apart(drafts: &[Draft], labelled: &mut [BTreeMap<Dimension, DimensionEntry>]) {
    let word = |draft: &Draft| {
        let left = labels::from_file_stem(draft.part.label.as_deref()?).leftover;
        let word = left.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-').to_owned();
        (!word.is_empty() && !draft.key.is_empty()).then_some(word)
    };
    let words: Vec<Option<String>> = drafts.iter().map(word).collect();
    let mut seen: BTreeMap<(usize, String), &str> = BTreeMap::new();
    let mut needed = false;
    for ((draft, dimensions), word) in drafts.iter().zip(labelled.iter()).zip(&words) {
        let (Some(word), Some(&source)) = (word, draft.sources.first()) else { continue };
        let values: Vec<String> =
            dimensions.iter().map(|(d, entry)| format!("{d}={}", entry.value)).collect();
        needed |= *seen.entry((source, values.join(" "))).or_insert(word) != word.as_str();
    }
    if needed {
        let job = Dimension::Other("job".to_owned());
        for (dimensions, word) in labelled.iter_mut().zip(words) {
            let Some(word) = word else { continue };
            let value = Value::canonical(&job, &word);
            let from = DimensionOrigin::Option;
            dimensions.entry(job.clone()).or_insert(DimensionEntry { value, from });
        }
    }
}

/// What a name states beside its dimensions, without a number in front that only orders it: `0007` of
/// `0007-bs4k-64qd-randread`, where the number and the depth would vary together and hide each other.
fn without_serial(labels: &Labels) -> String {
    let (first, rest) = labels.leftover.split_once('-').unwrap_or((&labels.leftover, ""));
    let serial = first.len() > 1 && first.starts_with('0') && first.bytes().all(|c| c.is_ascii_digit());
    let alone = rest.is_empty() && labels.dimensions.is_empty();
    if serial && !alone { rest.to_owned() } else { labels.leftover.clone() }
}

/// What is left of a name's unrecognised words when numbers that repeat a known dimension's value are taken out.
///
/// `randread-16-8` beside `iodepth=16 numjobs=8` in the options holds nothing new.
fn unexplained(leftover: &str, known: &BTreeSet<&str>) -> String {
    let words: Vec<&str> = leftover.split('-').filter(|word| !word.is_empty()).collect();
    let is_known = |word: &&str| {
        let plain = word.trim_start_matches('0');
        known.contains(if plain.is_empty() { "0" } else { plain }) && word.bytes().all(|c| c.is_ascii_digit())
    };
    if words.iter().all(is_known) { String::new() } else { leftover.to_owned() }
}

fn components(directory: &str) -> impl Iterator<Item = &str> {
    directory.split('/').filter(|component| !component.is_empty())
}

fn join_path(directory: &str, stem: &str) -> String {
    if directory.is_empty() { stem.to_owned() } else { format!("{directory}/{stem}") }
}

fn draft_id(draft: &Draft) -> String {
    let path = join_path(&draft.directory, &draft.stem);
    if draft.key.is_empty() { path } else { format!("{path}#{}", draft.key) }
}

fn run_of(
    draft: Draft,
    id: String,
    dimensions: BTreeMap<Dimension, DimensionEntry>,
    sources: &[SourceFile],
    files: &mut [FileReport],
    diagnostics: &mut Vec<Diagnostic>,
) -> Run {
    let Draft { stem, key, part, mut series, sources: mut owned, .. } = draft;
    owned.sort_by(|&a, &b| sources[a].relative.cmp(&sources[b].relative));
    for &source in &owned {
        let report = &mut files[source];
        report.run.get_or_insert_with(|| id.clone());
        for (dimension, entry) in &dimensions {
            report.dimensions.entry(dimension.clone()).or_insert_with(|| entry.clone());
        }
    }
    let generic = ["output", "out", "fio", "result", "results", "stdout", "-"]
        .contains(&stem.to_ascii_lowercase().as_str());
    let label = match &part.label {
        Some(label) if generic || !key.is_empty() => label.clone(),
        _ if key.is_empty() => stem,
        _ => format!("{stem} {key}"),
    };
    for job in part.jobs.iter().filter(|job| job.error != 0) {
        let message = format!(
            "job `{}` ended with error {}; its figures cover only what it did before",
            job.name, job.error
        );
        diagnostics.push(Diagnostic::new(Severity::Warning, &id, message));
    }
    // What an output holds over time is coarser than its logs.
    let logged: BTreeSet<Metric> = series.iter().map(|series| series.metric).collect();
    series.extend(part.series.into_iter().filter(|series| !logged.contains(&series.metric)));
    series.sort_by_key(|s| (s.metric, s.ddir, s.job, s.clone));
    Run {
        id,
        label,
        tool: part.tool,
        sources: owned
            .iter()
            .map(|&source| {
                let report = &files[source];
                Source {
                    path: report.path.clone(),
                    sha256: report.sha256.clone().unwrap_or_default(),
                    format: report.format.clone().unwrap_or_default(),
                    rows: report.rows,
                    skipped: report.skipped,
                }
            })
            .collect(),
        dimensions,
        options: part.jobs.first().map(|job| job.options.clone()).unwrap_or_default(),
        environment: part.environment,
        jobs: part.jobs,
        series,
        summaries: part.summaries,
    }
}
