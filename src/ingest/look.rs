//! The first look at a source: what it is, and its content where that can be read at once.
//!
//! In: a source and how to open it. Out: [`Looked`]. Logs and archives are only recognised: logs
//! wait for the outputs beside them, archives are opened as a whole.

use crate::discover::{Role, SourceFile};
use crate::envelope::{EnvelopeError, Opened};
use crate::ingest::archive;
use crate::ingest::blocks::together;
use crate::ingest::{Claim, FORMATS, Format, Head, IngestError, Parsed, ReadContext};
use crate::model::FileState;
use std::io::Read;

/// Longest text that is looked through for blocks, bytes.
const LONGEST_TEXT: u64 = 256 << 20;

/// Why an empty file is ignored.
pub(super) const EMPTY: &str = "empty, as tools leave files for what they did not measure";

/// A source after the first look.
pub(super) enum Looked {
    /// Not to be read, for a reason.
    Settled(FileState, Option<&'static str>, String),
    /// A log, to be read once the outputs are known.
    Log(&'static dyn Format, Claim, Option<Box<Opened>>),
    /// Several files in one, to be opened as a whole.
    Archive(Box<Opened>),
    /// A store: its manifest and the hash of that.
    Store(Vec<u8>, Option<String>),
    /// An archive, its members listed behind it.
    Unpacked(Listed),
    /// An output, read: format names, why, content, hash.
    Read(String, Claim, Result<Parsed, IngestError>, Option<String>),
}

/// What an archive is to its own line in the list of files.
pub(super) struct Listed {
    pub(super) packing: Option<String>,
    pub(super) members: u64,
    pub(super) passed_over: u64,
    pub(super) notes: Vec<String>,
    pub(super) error: Option<String>,
    pub(super) sha256: Option<String>,
}

/// Opens a source, recognises it, and reads it unless it is a log or an archive.
pub(super) fn look(source: &SourceFile, open: impl FnOnce() -> Result<Opened, EnvelopeError>) -> Looked {
    let mut opened = match open() {
        Ok(opened) => opened,
        Err(error) => return Looked::Settled(FileState::Failed, None, error.to_string()),
    };
    if source.role == Role::Store {
        let mut manifest = Vec::new();
        let read = (&mut opened).take(LONGEST_TEXT).read_to_end(&mut manifest);
        return match read.and_then(|_| opened.finish()) {
            Ok(stored) => Looked::Store(manifest, stored.sha256),
            Err(error) => Looked::Settled(FileState::Failed, None, error.to_string()),
        };
    }
    if opened.whole() && opened.head().is_empty() {
        return Looked::Settled(FileState::Ignored, None, EMPTY.into());
    }
    if archive::is_archive(opened.head()) {
        return Looked::Archive(Box::new(opened));
    }
    let name = source.file_name();
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

/// Says what an unrecognised file looks like.
fn describe_unknown(head: &[u8]) -> String {
    let start = head.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(head.len());
    let first = head.get(start).copied();
    if head.contains(&0) {
        return "binary data, none of the formats that `plotgen formats` lists".into();
    }
    match first {
        None => "only blank lines".into(),
        // `[global]` and the like: a job file.
        Some(b'[') if head.get(start + 1).is_some_and(u8::is_ascii_alphabetic) => {
            "an INI file such as a fio job: it says what was to be run, not what came of it".into()
        }
        Some(b'{' | b'[') => {
            "JSON, but of none of the formats that `plotgen formats` lists: no `fio version` in its beginning"
                .into()
        }
        Some(b'<') => "markup, none of the formats that `plotgen formats` lists".into(),
        _ => "text, none of the formats that `plotgen formats` lists".into(),
    }
}
