//! From sources to runs: recognise, read in parallel, join.
//!
//! Archives come first: their members are sources like others. Outputs (JSON, tables) are
//! read before logs, so that a log's latency unit is known from the version of the output
//! beside it.

use crate::discover::{Discovered, Glob, Role, SourceFile};
use crate::envelope::{self, EnvelopeError, Opened};
use crate::ingest::archive::{self, Held, Spool};
use crate::ingest::hosts::HostFolders;
use crate::ingest::join::{self, LogFile, OutputFile};
use crate::ingest::labels::Pattern;
use crate::ingest::{
    Claim, Content, FORMATS, Format, Head, IngestError, LatUnit, LogName, Parsed, ReadContext, Remark,
    RunPart,
};
use crate::model::{Diagnostic, Dimension, FileReport, FileState, Run, Severity, Value};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Longest text that is looked through for blocks, bytes.
const LONGEST_TEXT: u64 = 256 << 20;

/// Why an empty file is ignored.
const EMPTY: &str = "empty, as tools leave files for what they did not measure";

/// How the jobs of a log that holds several stretches of time belong together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Appended {
    /// What stands beside the log decides; without that, they are successive runs.
    #[default]
    Auto,
    /// They ran at the same time (`per_job_logs=0`) and are summed.
    Concurrent,
    /// They ran one after another and are runs of their own.
    Sequential,
}

/// What the user said about the inputs.
#[derive(Debug, Clone, Default)]
pub struct IngestOptions {
    /// Dimensions from paths.
    pub pattern: Option<Pattern>,
    /// Dimensions of all runs.
    pub set: Vec<(Dimension, Value)>,
    /// Dimensions of the runs whose path matches a glob pattern.
    pub set_matching: Vec<(Glob, Dimension, Value)>,
    /// Unit of all latency logs.
    pub lat_unit: Option<LatUnit>,
    /// Columns of all logs.
    pub layout: Option<String>,
    /// Meaning of appended stretches.
    pub appended: Appended,
    /// Stop at the first broken input.
    pub strict: bool,
    /// Threads to read with; None for one a processor.
    pub threads: Option<usize>,
}

/// All runs that the inputs describe.
#[derive(Debug, Clone, Default)]
pub struct Ingested {
    /// The runs, in order of their ids.
    pub runs: Vec<Run>,
    /// What became of every file, in path order.
    pub files: Vec<FileReport>,
    /// Remarks on files and runs.
    pub diagnostics: Vec<Diagnostic>,
    /// As the user would write them: the files inside of archives, by relative name.
    pub shown: BTreeMap<String, String>,
}

/// A source after the first look.
enum Looked {
    /// Not to be read, for a reason.
    Settled(FileState, Option<&'static str>, String),
    /// A log, to be read once the outputs are known.
    Log(&'static dyn Format, Claim, Option<Box<Opened>>),
    /// Several files in one, to be opened as a whole.
    Archive(Box<Opened>),
    /// An archive, its members listed behind it.
    Unpacked(Contents),
    /// An output, read: format names, why, content, hash.
    Read(String, Claim, Result<Parsed, IngestError>, String),
}

/// What an archive is to its own line in the list of files.
struct Contents {
    packing: Option<String>,
    members: u64,
    passed_over: u64,
    notes: Vec<String>,
    error: Option<String>,
    sha256: Option<String>,
}

/// A source, where its bytes are if in no file of its own, and what the first look gave.
struct Input {
    source: SourceFile,
    held: Option<Held>,
    looked: Option<Looked>,
}

/// Reads every source and joins what belongs together.
///
/// One broken file is a diagnostic and the rest goes on. `progress` is told how
/// many files of how many are done.
pub fn ingest(
    discovered: Discovered,
    options: &IngestOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Ingested {
    match options.threads.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n.max(1)).build()) {
        Some(Ok(pool)) => pool.install(|| ingest_sources(discovered, options, progress)),
        _ => ingest_sources(discovered, options, progress),
    }
}

fn ingest_sources(
    discovered: Discovered,
    options: &IngestOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Ingested {
    let Discovered { sources, mut diagnostics, exclude, .. } = discovered;
    let (done, total) = (AtomicUsize::new(0), AtomicUsize::new(sources.len()));
    let tick = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, total.load(Ordering::Relaxed));
    let ticked = |looked: Looked| {
        if !matches!(looked, Looked::Log(..)) {
            tick();
        }
        looked
    };

    let looked: Vec<Looked> =
        sources.par_iter().map(|source| ticked(look(source, || open(source)))).collect();
    let mut spool = Spool::new();
    let inputs = open_archives(sources, looked, &exclude, &mut spool);
    let spool = spool.share();
    total.store(inputs.len(), Ordering::Relaxed);
    let mut sources: Vec<SourceFile> = Vec::with_capacity(inputs.len());
    let mut held: Vec<Option<Held>> = Vec::with_capacity(inputs.len());
    let mut shown = BTreeMap::new();
    let mut to_look: Vec<Option<Looked>> = Vec::with_capacity(inputs.len());
    for input in inputs {
        if input.held.is_some() {
            shown.insert(input.source.relative.clone(), input.source.shown.clone());
        }
        sources.push(input.source);
        held.push(input.held);
        to_look.push(input.looked);
    }
    // Opens a source, wherever its bytes are; again where a log is too long to be kept.
    let open = |index: usize| match &held[index] {
        None => open(&sources[index]),
        Some(held) => envelope::from_reader(held.open(&spool).map_err(EnvelopeError::Open)?),
    };
    let looked: Vec<Looked> = to_look
        .into_par_iter()
        .enumerate()
        .map(|(index, looked)| looked.unwrap_or_else(|| ticked(look(&sources[index], || open(index)))))
        .collect();
    let sources = sources.as_slice();

    let mut files: Vec<FileReport> = sources.iter().map(blank_report).collect();
    let mut outputs: Vec<OutputFile> = Vec::new();
    let mut waiting: Vec<(usize, &'static dyn Format, Claim, Option<Box<Opened>>)> = Vec::new();
    for (index, looked) in looked.into_iter().enumerate() {
        match looked {
            Looked::Settled(status, format, reason) => {
                if status == FileState::Failed {
                    let failed = Diagnostic::new(Severity::Error, &files[index].path, reason.as_str());
                    files[index].diagnostics.push(failed);
                } else if reason != EMPTY && LogName::parse(file_name(&sources[index])).is_some() {
                    // The name promises what the content does not keep: a damaged log, most likely.
                    let message = format!(
                        "named like a log of fio: expected rows such as `500, 81920, 0, 4096, 0`, found {reason}; \
                         copy it again if it was one, or leave it out with --exclude"
                    );
                    let ignored = Diagnostic::new(Severity::Warning, &files[index].path, message).at_line(1);
                    files[index].diagnostics.push(ignored);
                }
                files[index].status = status;
                files[index].format = format.map(str::to_owned);
                files[index].reason = reason;
            }
            Looked::Archive(_) => {
                files[index].status = FileState::Ignored;
                files[index].reason = "an archive inside of an archive; unpack the outer one yourself".into();
            }
            Looked::Unpacked(contents) => settle_archive(&mut files[index], contents),
            Looked::Log(format, claim, opened) => waiting.push((index, format, claim, opened)),
            Looked::Read(format, claim, parsed, sha256) => {
                let report = &mut files[index];
                report.sha256 = Some(sha256);
                if let Some(Content::Runs(parts)) = settle(report, &format, &claim, parsed) {
                    outputs.push(OutputFile { source: index, parts });
                }
            }
        }
    }

    let hints = Hints::new(sources, &outputs);
    let read: Vec<_> = waiting
        .into_par_iter()
        .map(|(index, format, claim, opened)| {
            let (parsed, sha256) = read_log(
                &sources[index],
                format,
                opened.map_or_else(|| open(index), |opened| Ok(*opened)),
                &hints,
                options,
            );
            tick();
            (index, format, claim, parsed, sha256)
        })
        .collect();
    let mut logs: Vec<LogFile> = Vec::new();
    for (index, format, claim, parsed, sha256) in read {
        let report = &mut files[index];
        report.sha256 = sha256;
        if let Some(Content::Log(log)) = settle(report, format.name(), &claim, parsed) {
            report.window_ms = log.window_ms;
            report.jobs = log.name.number.map(|_| 1).or(u32::try_from(log.segments.len()).ok());
            logs.push(LogFile { source: index, log });
        }
    }

    let mut joined = join::join(sources, &mut files, outputs, logs, options);
    for (source, report) in sources.iter().zip(&files) {
        diagnostics.extend(report.diagnostics.iter().cloned());
        let unexplained = report.diagnostics.is_empty();
        if report.status == FileState::Ignored && source.role == Role::Named && unexplained {
            let message = format!("ignored: {}", report.reason);
            diagnostics.push(Diagnostic::new(Severity::Info, &source.relative, message));
        }
    }
    diagnostics.append(&mut joined.diagnostics);
    Ingested { runs: joined.runs, files, diagnostics, shown }
}

fn blank_report(source: &SourceFile) -> FileReport {
    FileReport {
        path: source.relative.clone(),
        status: if source.role == Role::Named { FileState::Read } else { FileState::Companion },
        format: None,
        version: None,
        layout: None,
        reason: String::new(),
        run: None,
        jobs: None,
        dimensions: BTreeMap::new(),
        window_ms: None,
        rows: 0,
        skipped: 0,
        sha256: None,
        diagnostics: Vec::new(),
    }
}

fn open(source: &SourceFile) -> Result<Opened, EnvelopeError> {
    if source.stdin { envelope::from_reader(std::io::stdin()) } else { envelope::open(&source.path) }
}

/// Puts the members of each archive behind it.
fn open_archives(
    sources: Vec<SourceFile>,
    looked: Vec<Looked>,
    exclude: &[Glob],
    spool: &mut Spool,
) -> Vec<Input> {
    let mut inputs = Vec::with_capacity(sources.len());
    for (source, looked) in sources.into_iter().zip(looked) {
        let Looked::Archive(opened) = looked else {
            inputs.push(Input { source, held: None, looked: Some(looked) });
            continue;
        };
        let packing = opened.packing().map(str::to_owned);
        let unpacked = archive::unpack(&source, *opened, spool, exclude);
        let contents = Contents {
            packing,
            members: unpacked.members.len() as u64,
            passed_over: unpacked.passed_over,
            notes: unpacked.notes,
            error: unpacked.error,
            sha256: unpacked.sha256,
        };
        inputs.push(Input { source, held: None, looked: Some(Looked::Unpacked(contents)) });
        inputs.extend(unpacked.members.into_iter().map(|member| match member.content {
            Ok(held) => Input { source: member.source, held: Some(held), looked: None },
            Err(reason) => {
                let looked = Looked::Settled(FileState::Ignored, None, reason.to_owned());
                Input { source: member.source, held: None, looked: Some(looked) }
            }
        }));
    }
    inputs
}

/// Writes what an archive holds into its report.
fn settle_archive(report: &mut FileReport, contents: Contents) {
    let Contents { packing, members, passed_over, notes, error, sha256 } = contents;
    report.format = Some("tar".to_owned());
    report.rows = members;
    report.skipped = passed_over;
    report.sha256 = sha256;
    let packing = packing.map(|packing| format!(", packed with {packing}")).unwrap_or_default();
    report.reason = format!("tar archive{packing}; its members are listed behind it");
    let notes = notes.into_iter().map(|note| (Severity::Info, note));
    for (severity, message) in notes.chain(error.clone().map(|error| (Severity::Error, error))) {
        report.diagnostics.push(Diagnostic::new(severity, &report.path, message));
    }
    if let Some(error) = error {
        report.status = FileState::Failed;
        report.reason = error;
    }
}

/// Opens a source, recognises it, and reads it unless it is a log or an archive.
fn look(source: &SourceFile, open: impl FnOnce() -> Result<Opened, EnvelopeError>) -> Looked {
    let mut opened = match open() {
        Ok(opened) => opened,
        Err(error) => return Looked::Settled(FileState::Failed, None, error.to_string()),
    };
    if opened.whole() && opened.head().is_empty() {
        return Looked::Settled(FileState::Ignored, None, EMPTY.into());
    }
    if archive::is_archive(opened.head()) {
        return Looked::Archive(Box::new(opened));
    }
    let name = file_name(source);
    let claims = claims(&Head { name, bytes: opened.head(), whole: opened.whole() });
    let text = !opened.head().contains(&0);
    match claims.into_iter().next() {
        Some((format, claim)) if format.is_log() => {
            // A small log stays in memory; a large one is opened again when its turn comes.
            let kept = (opened.whole() || source.stdin).then(|| Box::new(opened));
            Looked::Log(format, claim, kept)
        }
        Some((format, claim)) if !format.is_block() => {
            let context = ReadContext { name, ..ReadContext::default() };
            let parsed = format.read(&mut opened, &context);
            match opened.finish() {
                Ok(stored) => Looked::Read(format.name().to_owned(), claim, parsed, stored.sha256),
                Err(error) => Looked::Settled(FileState::Failed, Some(format.name()), error.to_string()),
            }
        }
        // What a long text holds may come after much that is nothing.
        None if !text || opened.whole() => {
            Looked::Settled(FileState::Ignored, None, describe_unknown(opened.head()))
        }
        _ => look_through(name, opened),
    }
}

/// The formats that take a beginning for their own, in the order of [`FORMATS`].
fn claims(head: &Head<'_>) -> Vec<(&'static dyn Format, Claim)> {
    FORMATS.iter().filter_map(|format| Some((*format, format.detect(head)?))).collect()
}

/// Reads a whole text with every format that finds a block of its own in it.
fn look_through(name: &str, mut opened: Opened) -> Looked {
    let mut bytes = Vec::new();
    let read = (&mut opened).take(LONGEST_TEXT + 1).read_to_end(&mut bytes);
    let unknown = describe_unknown(opened.head());
    let claimed = claims(&Head { name, bytes: opened.head(), whole: opened.whole() }).into_iter().next();
    let stored = match read.and_then(|_| opened.finish()) {
        Ok(stored) => stored,
        Err(error) => return Looked::Settled(FileState::Failed, None, error.to_string()),
    };
    if bytes.len() as u64 > LONGEST_TEXT {
        let most = LONGEST_TEXT >> 20;
        return match claimed {
            None => {
                let reason = format!("a text of more than {most} MiB that is no log");
                Looked::Settled(FileState::Ignored, None, reason)
            }
            Some((format, _)) => {
                let reason = format!(
                    "expected at most {most} MiB of {}, found more; take what belongs to other runs out of the file",
                    format.name()
                );
                Looked::Settled(FileState::Failed, Some(format.name()), reason)
            }
        };
    }
    let mut found = claims(&Head { name, bytes: &bytes, whole: true });
    found.retain(|(format, _)| format.is_block());
    let mut blocks = Vec::new();
    for (format, claim) in found {
        let context = ReadContext { name, ..ReadContext::default() };
        blocks.push((format.name(), claim, format.read(&mut bytes.as_slice(), &context)));
    }
    match together(blocks) {
        Some((names, claim, parsed)) => Looked::Read(names, claim, parsed, stored.sha256),
        None => Looked::Settled(FileState::Ignored, None, unknown),
    }
}

/// The blocks of one file as one content. A run that several formats describe counts once, by the first of them.
fn together(
    mut blocks: Vec<(&'static str, Claim, Result<Parsed, IngestError>)>,
) -> Option<(String, Claim, Result<Parsed, IngestError>)> {
    if blocks.len() < 2 || blocks.iter().all(|(_, _, parsed)| parsed.is_err()) {
        return (!blocks.is_empty()).then(|| blocks.swap_remove(0)).map(|(n, c, p)| (n.to_owned(), c, p));
    }
    let mut names: Vec<&str> = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    let mut layouts: Vec<String> = Vec::new();
    let mut whole = Parsed {
        version: None,
        layout: None,
        rows: 0,
        skipped: 0,
        content: Content::Runs(Vec::new()),
        remarks: Vec::new(),
    };
    let mut runs: Vec<RunPart> = Vec::new();
    for (name, claim, parsed) in blocks {
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                let line = match &error {
                    IngestError::Content { line, .. } => *line,
                    IngestError::Io(_) => None,
                };
                let message = format!("{name}: {error}");
                whole.remarks.push(Remark { severity: Severity::Error, line, message });
                continue;
            }
        };
        names.push(name);
        reasons.push(claim.reason);
        layouts.extend(parsed.layout);
        whole.version = whole.version.or(parsed.version);
        whole.rows += parsed.rows;
        whole.skipped += parsed.skipped;
        whole.remarks.extend(parsed.remarks);
        if let Content::Runs(parts) = parsed.content {
            let before = runs.len();
            let mut repeated = 0;
            for part in parts {
                if runs[..before].iter().any(|earlier| describes_same(earlier, &part)) {
                    repeated += 1;
                } else {
                    runs.push(part);
                }
            }
            if repeated > 0 {
                let message = format!(
                    "{name}: {repeated} of its runs stand in this file in a more exact format as well; counted once"
                );
                whole.remarks.push(Remark::new(Severity::Info, message));
            }
        }
    }
    // The words of a name that one of the blocks explains are explained for all.
    let explained: BTreeSet<String> = runs.iter().flat_map(|part| part.explained.iter().cloned()).collect();
    for part in &mut runs {
        part.explained.clone_from(&explained);
    }
    // Keys tell the runs of one file apart; two formats may have used the same.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for part in &mut runs {
        let count = seen.entry(part.key.clone()).or_default();
        *count += 1;
        if *count > 1 {
            part.key = format!("{}{}{count}", part.key, if part.key.is_empty() { "" } else { "." });
        }
    }
    whole.layout = (!layouts.is_empty()).then(|| layouts.join("; "));
    whole.content =
        if runs.is_empty() { Content::Nothing("no run in it".into()) } else { Content::Runs(runs) };
    Some((names.join("+"), Claim { reason: reasons.join("; ") }, Ok(whole)))
}

/// True when two parts describe one execution: the same tool, group and job names.
pub(super) fn describes_same(a: &RunPart, b: &RunPart) -> bool {
    let names = |part: &RunPart| part.jobs.iter().map(|job| job.name.clone()).collect::<BTreeSet<_>>();
    a.tool.name == b.tool.name && a.key == b.key && names(a) == names(b)
}

fn read_log(
    source: &SourceFile,
    format: &dyn Format,
    opened: Result<Opened, EnvelopeError>,
    hints: &Hints,
    options: &IngestOptions,
) -> (Result<Parsed, IngestError>, Option<String>) {
    let mut opened = match opened {
        Ok(opened) => opened,
        Err(error) => {
            return (Err(IngestError::Content { line: None, message: error.to_string() }), None);
        }
    };
    let name = file_name(source);
    let hint = hints.for_log(source, name);
    let context = ReadContext {
        name,
        lat_unit: options.lat_unit.or(hint.lat_unit),
        layout: options.layout.as_deref(),
        runtime_ms: hint.runtime_ms,
    };
    let parsed = format.read(&mut opened, &context);
    match opened.finish() {
        Ok(stored) => (parsed, Some(stored.sha256)),
        Err(error) => (parsed.and(Err(IngestError::Io(error))), None),
    }
}

/// Writes what a reader said into the file's report; the content when there is some.
fn settle(
    report: &mut FileReport,
    format: &str,
    claim: &Claim,
    parsed: Result<Parsed, IngestError>,
) -> Option<Content> {
    report.format = Some(format.to_owned());
    report.reason.clone_from(&claim.reason);
    match parsed {
        Err(error) => {
            report.status = FileState::Failed;
            report.reason = error.to_string();
            let line = match &error {
                IngestError::Content { line, .. } => *line,
                IngestError::Io(_) => None,
            };
            let mut diagnostic = Diagnostic::new(Severity::Error, &report.path, error.to_string());
            diagnostic.line = line;
            report.diagnostics.push(diagnostic);
            None
        }
        Ok(parsed) => {
            report.version = parsed.version;
            report.layout = parsed.layout;
            report.rows = parsed.rows;
            report.skipped = parsed.skipped;
            for remark in parsed.remarks {
                let mut diagnostic = Diagnostic::new(remark.severity, &report.path, remark.message);
                diagnostic.line = remark.line;
                report.diagnostics.push(diagnostic);
            }
            match parsed.content {
                Content::Nothing(reason) => {
                    report.status = FileState::Ignored;
                    report.reason = reason;
                    None
                }
                content => Some(content),
            }
        }
    }
}

pub(super) fn file_name(source: &SourceFile) -> &str {
    source.relative.rsplit('/').next().unwrap_or(&source.relative)
}

/// Directory part of a relative path; empty at the root.
pub(super) fn directory(source: &SourceFile) -> &str {
    source.relative.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Says what an unrecognised file looks like.
fn describe_unknown(head: &[u8]) -> String {
    let start = head.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(head.len());
    let first = head.get(start).copied();
    if head.contains(&0) {
        return "binary data, none of the formats that `plotgen formats` lists".into();
    }
    match first {
        None => "only blank lines".into(),
        Some(b'{' | b'[') => "JSON, but not fio's: no `fio version` in its beginning".into(),
        Some(b'<') => "markup, none of the formats that `plotgen formats` lists".into(),
        _ => "text, none of the formats that `plotgen formats` lists".into(),
    }
}

/// What the outputs beside a log tell about it.
struct Hints {
    by_directory: BTreeMap<String, Vec<Hint>>,
    homes: HostFolders,
}

#[derive(Debug, Clone, Default)]
struct Hint {
    /// Stem of the output: logs may lie in a folder of this name.
    stem: String,
    prefixes: Vec<String>,
    lat_unit: Option<LatUnit>,
    runtime_ms: Option<f64>,
}

impl Hints {
    fn new(sources: &[SourceFile], outputs: &[OutputFile]) -> Self {
        let mut by_directory: BTreeMap<String, Vec<Hint>> = BTreeMap::new();
        for output in outputs {
            let source = &sources[output.source];
            for part in &output.parts {
                by_directory.entry(directory(source).to_owned()).or_default().push(Hint {
                    stem: join::stem(file_name(source)).to_owned(),
                    prefixes: join::prefixes(part, file_name(source)),
                    lat_unit: lat_unit_of(part),
                    runtime_ms: part
                        .jobs
                        .iter()
                        .flat_map(|j| j.runtime_ms.values().copied())
                        .reduce(f64::max),
                });
            }
        }
        Hints { by_directory, homes: HostFolders::new(sources, outputs) }
    }

    /// From the outputs whose logs carry this prefix; the unit from all outputs of the folder if those are
    /// silent, or from the output that the folder is named for.
    fn for_log(&self, source: &SourceFile, name: &str) -> Hint {
        let Some(beside) = self.by_directory.get(self.homes.home(source).0) else {
            let (above, folder) = directory(source).rsplit_once('/').unwrap_or(("", directory(source)));
            let named = self.by_directory.get(above).into_iter().flatten();
            let named: Vec<&Hint> = named.filter(|hint| hint.stem == folder).collect();
            let runtime_ms = named.iter().filter_map(|hint| hint.runtime_ms).reduce(f64::max);
            return Hint { lat_unit: unanimous(&named), runtime_ms, ..Hint::default() };
        };
        let prefix = LogName::parse(name).map(|n| n.prefix);
        let own: Vec<&Hint> =
            beside.iter().filter(|hint| prefix.as_ref().is_some_and(|p| hint.prefixes.contains(p))).collect();
        let all: Vec<&Hint> = beside.iter().collect();
        Hint {
            lat_unit: unanimous(&own).or_else(|| unanimous(&all)),
            runtime_ms: own.iter().filter_map(|hint| hint.runtime_ms).reduce(f64::max),
            ..Hint::default()
        }
    }
}

fn unanimous(hints: &[&Hint]) -> Option<LatUnit> {
    let mut units = hints.iter().filter_map(|hint| hint.lat_unit);
    let first = units.next()?;
    units.all(|unit| unit == first).then_some(first)
}

/// fio logs microseconds up to 2.21 and nanoseconds from 2.99 on.
fn lat_unit_of(part: &RunPart) -> Option<LatUnit> {
    if part.tool.name != "fio" {
        return None;
    }
    let version = part.tool.version.as_deref()?;
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok());
    let (major, minor) = (numbers.next()?, numbers.next().unwrap_or(0));
    Some(if (major, minor) >= (2, 99) { LatUnit::Nanoseconds } else { LatUnit::Microseconds })
}
