//! From sources to runs: recognise, read in parallel, join.
//!
//! Archives come first: their members are sources like others. Outputs (JSON, tables) are
//! read before logs, so that a log's latency unit is known from the version of the output
//! beside it. Stores bring files that were read elsewhere. Up to here each file is read on its own
//! ([`Contents`]); what needs several of them comes after ([`Contents::join`]).

use crate::discover::{Discovered, Glob, Role, SourceFile, printable_bytes};
use crate::envelope::{self, EnvelopeError, Hashed, Opened};
use crate::ingest::archive::{self, Held, Spool};
use crate::ingest::hints::{Hints, Told};
use crate::ingest::join::{self, LogFile, OutputFile};
use crate::ingest::look::{self, Listed, Looked, look};
use crate::ingest::recall::{Recall, Shelf};
use crate::ingest::reports::{blank_report, settle, settle_archive, settle_unread};
use crate::ingest::stored::{part_stores, with_stores};
use crate::ingest::{Claim, Content, Format, IngestError, IngestOptions, Parsed, ReadContext, UnitCertainty};
use crate::model::{Diagnostic, FileReport, FileState, Run, Severity};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// All runs that the inputs describe.
#[derive(Debug, Clone, Default)]
pub struct Ingested {
    /// The runs, in order of their ids.
    pub runs: Vec<Run>,
    /// What became of every file, in path order.
    pub files: Vec<FileReport>,
    /// Remarks on files and runs.
    pub diagnostics: Vec<Diagnostic>,
    /// As the user would write them: the files inside of archives and stores, by relative name.
    pub shown: BTreeMap<String, String>,
    /// The stores that some of the files came from.
    pub stores: Vec<FileReport>,
}

/// All that the inputs hold, each file read on its own and none joined with another.
#[derive(Default)]
#[cfg_attr(not(feature = "tables"), expect(dead_code, reason = "what only stores need of it"))]
pub struct Contents {
    /// The directory below which all files lie, absolute.
    pub(super) root: String,
    pub(super) sources: Vec<SourceFile>,
    /// What became of each source so far.
    pub(super) files: Vec<FileReport>,
    /// The archive that holds each source.
    pub(super) archives: Vec<Option<usize>>,
    /// What was said of single sources when their store was written.
    pub(super) said: Vec<Option<Arc<IngestOptions>>>,
    pub(super) outputs: Vec<OutputFile>,
    pub(super) logs: Vec<LogFile>,
    /// Remarks of the search.
    pub(super) found: Vec<Diagnostic>,
    /// As the user would write them, by relative name.
    pub(super) shown: BTreeMap<String, String>,
    /// The stores among the inputs.
    pub(super) stores: Vec<FileReport>,
}

/// A source, where its bytes are if in no file of its own, and what the first look gave.
struct Input {
    source: SourceFile,
    held: Option<Held>,
    looked: Option<Looked>,
    /// The archive that holds it.
    archive: Option<usize>,
}

/// A log that waits for what the outputs tell about it.
struct Waiting {
    index: usize,
    content: Rows,
}

/// The rows of a log.
enum Rows {
    /// Of a format that is known; to be opened again where they are many.
    Known(&'static dyn Format, Claim, Option<Box<Opened>>),
    /// Of a format that is told as they are read, or of none.
    Unknown(Box<Opened>),
}

/// What became of a log.
enum Became {
    /// Read, with what it was told.
    Read(&'static dyn Format, Claim, Told, Box<ReadLog>),
    /// No log, for a reason.
    Ignored(String),
}

/// What a log holds, and the hash of its bytes.
pub(super) type ReadLog = (Result<Parsed, IngestError>, Option<String>);

/// Reads every source and joins what belongs together.
///
/// One broken file is a diagnostic and the rest goes on. `progress` is told how
/// many files of how many are done.
pub fn ingest(
    discovered: Discovered,
    options: &IngestOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Ingested {
    read(discovered, options, None, progress).join(options)
}

/// Reads every source and joins nothing: [`Contents::join`] is the second half of [`ingest`].
///
/// With `recall`, what an earlier run has read and what has not changed since is not read again.
pub fn read(
    discovered: Discovered,
    options: &IngestOptions,
    recall: Option<&Recall>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Contents {
    match options.threads.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n.max(1)).build()) {
        Some(Ok(pool)) => pool.install(|| read_sources(discovered, options, recall, progress)),
        _ => read_sources(discovered, options, recall, progress),
    }
}

fn read_sources(
    discovered: Discovered,
    options: &IngestOptions,
    recall: Option<&Recall>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Contents {
    let Discovered { root, sources, diagnostics: found, exclude, shown, .. } = discovered;
    let (done, total) = (AtomicUsize::new(0), AtomicUsize::new(sources.len()));
    let tick = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, total.load(Ordering::Relaxed));
    let ticked = |looked: Looked| {
        if !matches!(looked, Looked::Log(..) | Looked::Rows(_)) {
            tick();
        }
        looked
    };

    let hashed = if options.unhashed { Hashed::No } else { Hashed::Sha256 };
    let shelf = recall.map(|recall| recall.open(&sources, options));
    let looked: Vec<Looked> = sources
        .par_iter()
        .map(|source| {
            ticked(shelf.as_ref().and_then(|shelf| shelf.looked(source)).unwrap_or_else(|| {
                let looked = look(source, || open(source, hashed));
                if let Some(shelf) = &shelf {
                    shelf.keep_looked(source, &looked);
                }
                looked
            }))
        })
        .collect();
    let mut spool = Spool::new();
    let (stores, others) = part_stores(sources, looked);
    let inputs = open_archives(others, &exclude, &mut spool);
    let spool = spool.share();
    total.store(inputs.len() + stores.len(), Ordering::Relaxed);
    let mut contents = Contents {
        root: printable_bytes(root.as_os_str().as_encoded_bytes()),
        found,
        shown,
        ..Contents::default()
    };
    let mut held: Vec<Option<Held>> = Vec::with_capacity(inputs.len());
    let mut to_look: Vec<Option<Looked>> = Vec::with_capacity(inputs.len());
    for input in inputs {
        if input.held.is_some() {
            contents.shown.insert(input.source.relative.clone(), input.source.shown.clone());
        }
        contents.sources.push(input.source);
        contents.archives.push(input.archive);
        held.push(input.held);
        to_look.push(input.looked);
    }
    // Opens a source, wherever its bytes are; again where a log is too long to be kept.
    let open = |source: &SourceFile, held: &Option<Held>| match held {
        None => open(source, hashed),
        Some(held) => envelope::from_reader(held.open(&spool).map_err(EnvelopeError::Open)?, hashed),
    };
    let looked: Vec<Looked> = to_look
        .into_par_iter()
        .enumerate()
        .map(|(index, looked)| {
            let source = &contents.sources[index];
            looked.unwrap_or_else(|| ticked(look(source, || open(source, &held[index]))))
        })
        .collect();

    contents.files = contents.sources.iter().map(blank_report).collect();
    let mut waiting: Vec<Waiting> = Vec::new();
    for (index, looked) in looked.into_iter().enumerate() {
        let report = &mut contents.files[index];
        match looked {
            Looked::Settled(status, format, reason) => {
                settle_unread(report, &contents.sources[index], status, format, reason);
            }
            Looked::Archive(_) => {
                report.status = FileState::Ignored;
                report.reason = "an archive inside of an archive; unpack the outer one yourself".into();
            }
            // Only the search finds stores, and those were taken out above.
            Looked::Store(..) => {}
            Looked::Unpacked(listed) => settle_archive(report, listed),
            Looked::Log(format, claim, opened) => {
                waiting.push(Waiting { index, content: Rows::Known(format, claim, opened) });
            }
            Looked::Rows(opened) => waiting.push(Waiting { index, content: Rows::Unknown(opened) }),
            Looked::Read(format, claim, parsed, sha256) => {
                report.sha256 = sha256;
                if let Some(Content::Runs(parts)) = settle(report, &format, &claim, parsed) {
                    contents.outputs.push(OutputFile { source: index, parts });
                }
            }
        }
    }
    let (contents, places) = with_stores(contents, stores);
    let mut moved: Vec<Option<Held>> = contents.sources.iter().map(|_| None).collect();
    for (held, &place) in held.into_iter().zip(&places) {
        moved[place] = held;
    }
    for log in &mut waiting {
        log.index = places[log.index];
    }
    read_logs(contents, waiting, shelf, options, &tick, &|source, index| open(source, &moved[index]))
}

/// Reads the logs, each with what the outputs beside it tell.
fn read_logs(
    mut contents: Contents,
    waiting: Vec<Waiting>,
    shelf: Option<Shelf<'_>>,
    options: &IngestOptions,
    tick: &(dyn Fn() + Sync),
    open: &(dyn Fn(&SourceFile, usize) -> Result<Opened, EnvelopeError> + Sync),
) -> Contents {
    let sources = contents.sources.as_slice();
    let hints = Hints::new(sources, &contents.outputs);
    let told = |index: usize| {
        let said = contents.said.get(index).and_then(|said| said.as_deref());
        let told = hints.for_log(&sources[index], sources[index].file_name());
        let said = options.lat_unit.or_else(|| said?.lat_unit);
        Told { lat_unit: said.or(told.lat_unit), ..told }
    };
    for log in &contents.logs {
        // A log that came from a store was read with what that store held.
        let now = told(log.source);
        let unit = log.log.lat_unit.is_some() && now.lat_unit != log.told.lat_unit;
        if unit || now.runtime_ms != log.told.runtime_ms {
            let message = "taken from a store that was written without the output beside this log, which tells its \
                           latency unit and run time; give `plotgen ingest` whole directories";
            let report = &mut contents.files[log.source];
            report.diagnostics.push(Diagnostic::new(Severity::Warning, &report.path, message));
        }
    }
    let read: Vec<(usize, Became)> = waiting
        .into_par_iter()
        .map(|Waiting { index, content }| {
            let source = &sources[index];
            let told = told(index);
            let context = context_of(source, told, options);
            let (became, new) = match content {
                Rows::Known(format, claim, opened) => {
                    let recalled = shelf.as_ref().and_then(|shelf| shelf.log(source, told));
                    let new = recalled.is_none();
                    let read = recalled.unwrap_or_else(|| {
                        let opened = opened.map_or_else(|| open(source, index), |opened| Ok(*opened));
                        read_log(format, opened, &context)
                    });
                    (Became::Read(format, claim, told, Box::new(read)), new)
                }
                Rows::Unknown(opened) => (read_rows(*opened, told, &context), true),
            };
            if let (Some(shelf), true) = (&shelf, new) {
                match &became {
                    Became::Read(format, claim, told, read) => {
                        shelf.keep_log(source, *told, *format, claim, read);
                    }
                    Became::Ignored(reason) => {
                        let ignored = Looked::Settled(FileState::Ignored, None, reason.clone());
                        shelf.keep_looked(source, &ignored);
                    }
                }
            }
            tick();
            (index, became)
        })
        .collect();
    if let Some(shelf) = shelf {
        shelf.close();
    }
    for (index, became) in read {
        let report = &mut contents.files[index];
        let (format, claim, told, (parsed, sha256)) = match became {
            Became::Read(format, claim, told, read) => (format, claim, told, *read),
            Became::Ignored(reason) => {
                settle_unread(report, &contents.sources[index], FileState::Ignored, None, reason);
                continue;
            }
        };
        report.sha256 = sha256;
        if let Some(Content::Log(log)) = settle(report, format.name(), &claim, parsed) {
            report.window_ms = log.window_ms;
            if let (Some(layout), Some((unit, certainty))) = (&mut report.layout, log.lat_unit) {
                let sure =
                    if certainty == UnitCertainty::Known { "known" } else { "guessed from the values" };
                layout.push_str(&format!("; latency in {} ({sure})", unit.as_str()));
            }
            report.jobs = log.name.number.map(|_| 1).or(u32::try_from(log.segments.len()).ok());
            contents.logs.push(LogFile { source: index, log, told });
        }
    }
    contents.logs.sort_by_key(|log| log.source);
    contents
}

impl Contents {
    /// What the search for files had to say.
    pub(crate) fn found(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter()
    }

    /// True when some file was read.
    #[cfg(feature = "tables")]
    pub(crate) fn holds_anything(&self) -> bool {
        !(self.outputs.is_empty() && self.logs.is_empty())
    }

    /// Joins what belongs together.
    #[must_use]
    pub fn join(self, options: &IngestOptions) -> Ingested {
        let Contents { sources, mut files, said, outputs, logs, found, shown, stores, .. } = self;
        let mut joined = join::join(&sources, &mut files, outputs, logs, options, &said);
        let mut diagnostics = found;
        for (source, report) in sources.iter().zip(&files) {
            diagnostics.extend(report.diagnostics.iter().cloned());
            let unexplained = report.diagnostics.is_empty();
            if report.status == FileState::Ignored && source.role == Role::Named && unexplained {
                let message = format!("ignored: {}", report.reason);
                diagnostics.push(Diagnostic::new(Severity::Info, &source.relative, message));
            }
        }
        diagnostics.append(&mut joined.diagnostics);
        Ingested { runs: joined.runs, files, diagnostics, shown, stores }
    }
}

fn open(source: &SourceFile, hashed: Hashed) -> Result<Opened, EnvelopeError> {
    if source.stdin {
        envelope::from_reader(std::io::stdin(), hashed)
    } else {
        envelope::open(&source.path, hashed)
    }
}

/// Puts the members of each archive behind it.
fn open_archives(others: Vec<(SourceFile, Looked)>, exclude: &[Glob], spool: &mut Spool) -> Vec<Input> {
    let mut inputs = Vec::with_capacity(others.len());
    for (source, looked) in others {
        let Looked::Archive(opened) = looked else {
            inputs.push(Input { source, held: None, looked: Some(looked), archive: None });
            continue;
        };
        let packing = opened.packing().map(str::to_owned);
        let unpacked = archive::unpack(&source, *opened, spool, exclude);
        let listed = Listed {
            packing,
            members: unpacked.members.len() as u64,
            passed_over: unpacked.passed_over,
            notes: unpacked.notes,
            error: unpacked.error,
            sha256: unpacked.sha256,
        };
        let archive = Some(inputs.len());
        inputs.push(Input { source, held: None, looked: Some(Looked::Unpacked(listed)), archive: None });
        inputs.extend(unpacked.members.into_iter().map(|member| match member.content {
            Ok(held) => Input { source: member.source, held: Some(held), looked: None, archive },
            Err(reason) => {
                let looked = Looked::Settled(FileState::Ignored, None, reason.to_owned());
                Input { source: member.source, held: None, looked: Some(looked), archive }
            }
        }));
    }
    inputs
}

/// What the reader of a log is told besides its bytes.
fn context_of<'a>(source: &'a SourceFile, told: Told, options: &'a IngestOptions) -> ReadContext<'a> {
    ReadContext {
        name: source.file_name(),
        lat_unit: told.lat_unit,
        layout: options.layout.as_deref(),
        runtime_ms: told.runtime_ms,
    }
}

fn read_log(
    format: &dyn Format,
    opened: Result<Opened, EnvelopeError>,
    context: &ReadContext<'_>,
) -> ReadLog {
    let mut opened = match opened {
        Ok(opened) => opened,
        Err(error) => {
            return (Err(IngestError::Content { line: None, message: error.to_string() }), None);
        }
    };
    let parsed = format.read(&mut opened, context);
    finish(opened, parsed)
}

fn read_rows(opened: Opened, told: Told, context: &ReadContext<'_>) -> Became {
    match look::read_rows(&opened, context) {
        Ok((format, claim, parsed)) => Became::Read(format, claim, told, Box::new(finish(opened, parsed))),
        Err(reason) => Became::Ignored(reason),
    }
}

/// What was read, with the hash of the bytes that it was read from.
fn finish(opened: Opened, parsed: Result<Parsed, IngestError>) -> ReadLog {
    match opened.finish() {
        Ok(stored) => (parsed, stored.sha256),
        Err(error) => (parsed.and(Err(IngestError::Io(error))), None),
    }
}
