//! From sources to runs: recognise, read in parallel, join.
//!
//! Archives come first: their members are sources like others. Outputs (JSON, tables) are
//! read before logs, so that a log's latency unit is known from the version of the output
//! beside it.

use crate::discover::{Discovered, Glob, Role, SourceFile};
use crate::envelope::{self, EnvelopeError, Opened};
use crate::ingest::archive::{self, Held, Spool};
use crate::ingest::hints::Hints;
use crate::ingest::join::{self, LogFile, OutputFile};
use crate::ingest::look::{Contents, Looked, look};
use crate::ingest::recall::Recall;
use crate::ingest::reports::{blank_report, settle, settle_archive, settle_unread};
use crate::ingest::{Claim, Content, Format, IngestError, IngestOptions, Parsed, ReadContext, UnitCertainty};
use crate::model::{Diagnostic, FileReport, FileState, Run, Severity};
use rayon::prelude::*;
use std::collections::BTreeMap;
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
    /// As the user would write them: the files inside of archives, by relative name.
    pub shown: BTreeMap<String, String>,
}

/// A source, where its bytes are if in no file of its own, and what the first look gave.
struct Input {
    source: SourceFile,
    held: Option<Held>,
    looked: Option<Looked>,
}

/// A log that waits for what the outputs tell about it.
struct Waiting {
    index: usize,
    format: &'static dyn Format,
    claim: Claim,
    opened: Option<Box<Opened>>,
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
    ingest_recalling(discovered, options, None, progress)
}

/// The same, without reading again what an earlier run has read and what has not changed since.
pub fn ingest_recalling(
    discovered: Discovered,
    options: &IngestOptions,
    recall: Option<&Recall>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Ingested {
    match options.threads.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n.max(1)).build()) {
        Some(Ok(pool)) => pool.install(|| ingest_sources(discovered, options, recall, progress)),
        _ => ingest_sources(discovered, options, recall, progress),
    }
}

fn ingest_sources(
    discovered: Discovered,
    options: &IngestOptions,
    recall: Option<&Recall>,
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

    let shelf = recall.map(|recall| recall.open(&sources, options));
    let looked: Vec<Looked> = sources
        .par_iter()
        .map(|source| {
            ticked(shelf.as_ref().and_then(|shelf| shelf.looked(source)).unwrap_or_else(|| {
                let looked = look(source, || open(source));
                if let Some(shelf) = &shelf {
                    shelf.keep_looked(source, &looked);
                }
                looked
            }))
        })
        .collect();
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
    let mut waiting: Vec<Waiting> = Vec::new();
    for (index, looked) in looked.into_iter().enumerate() {
        match looked {
            Looked::Settled(status, format, reason) => {
                settle_unread(&mut files[index], &sources[index], status, format, reason);
            }
            Looked::Archive(_) => {
                files[index].status = FileState::Ignored;
                files[index].reason = "an archive inside of an archive; unpack the outer one yourself".into();
            }
            Looked::Unpacked(contents) => settle_archive(&mut files[index], contents),
            Looked::Log(format, claim, opened) => waiting.push(Waiting { index, format, claim, opened }),
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
        .map(|Waiting { index, format, claim, opened }| {
            let source = &sources[index];
            let context = context_of(source, &hints, options);
            let recalled = shelf.as_ref().and_then(|shelf| shelf.log(source, &context));
            let (parsed, sha256) = recalled.unwrap_or_else(|| {
                let opened = opened.map_or_else(|| open(index), |opened| Ok(*opened));
                let read = read_log(format, opened, &context);
                if let Some(shelf) = &shelf {
                    shelf.keep_log(source, &context, format, &claim, &read);
                }
                read
            });
            tick();
            (index, format, claim, parsed, sha256)
        })
        .collect();
    if let Some(shelf) = shelf {
        shelf.close();
    }
    let mut logs: Vec<LogFile> = Vec::new();
    for (index, format, claim, parsed, sha256) in read {
        let report = &mut files[index];
        report.sha256 = sha256;
        if let Some(Content::Log(log)) = settle(report, format.name(), &claim, parsed) {
            report.window_ms = log.window_ms;
            if let (Some(layout), Some((unit, certainty))) = (&mut report.layout, log.lat_unit) {
                let sure =
                    if certainty == UnitCertainty::Known { "known" } else { "guessed from the values" };
                layout.push_str(&format!("; latency in {} ({sure})", unit.as_str()));
            }
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

/// What the reader of a log is told besides its bytes.
fn context_of<'a>(source: &'a SourceFile, hints: &Hints, options: &'a IngestOptions) -> ReadContext<'a> {
    let name = source.file_name();
    let hint = hints.for_log(source, name);
    ReadContext {
        name,
        lat_unit: options.lat_unit.or(hint.lat_unit),
        layout: options.layout.as_deref(),
        runtime_ms: hint.runtime_ms,
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
    match opened.finish() {
        Ok(stored) => (parsed, Some(stored.sha256)),
        Err(error) => (parsed.and(Err(IngestError::Io(error))), None),
    }
}
