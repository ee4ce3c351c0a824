//! The first look at a source: what it is, and its content where that can be read at once.
//!
//! In: a source and how to open it. Out: [`Looked`]. Logs and archives are only recognised: logs
//! wait for the outputs beside them, archives are opened as a whole.

use crate::discover::{Role, SourceFile};
use crate::envelope::{EnvelopeError, HEAD, Opened};
use crate::ingest::archive;
use crate::ingest::blocks::together;
use crate::ingest::{Claim, FORMATS, Format, Head, IngestError, Parsed, ReadContext, Share};
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
    /// Rows of numbers, whole in memory: a log or nothing, which is told as they are read.
    Rows(Box<Opened>),
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
    if opened.whole() && are_rows(opened.head()) {
        return Looked::Rows(Box::new(opened));
    }
    let name = source.file_name();
    match claim(&Head { name, bytes: opened.head(), whole: opened.whole() }) {
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
        None if opened.whole() || opened.head().contains(&0) => {
            Looked::Settled(FileState::Ignored, None, describe_unknown(opened.head()))
        }
        _ => look_through(name, opened),
    }
}

/// The first format that takes a beginning for its own, in the order of [`FORMATS`].
fn claim(head: &Head<'_>) -> Option<(&'static dyn Format, Claim)> {
    let rows = are_rows(head.bytes);
    let asked = FORMATS.iter().filter(|format| !rows || format.reads_rows());
    asked.copied().find_map(|format| Some((format, format.detect(head)?)))
}

/// A format, why it was recognised, and what it read.
pub(super) type Recognised = (&'static dyn Format, Claim, Result<Parsed, IngestError>);

/// Recognises and reads [`Looked::Rows`]; when they are of no format, says what they look like.
pub(super) fn read_rows(opened: &Opened, context: &ReadContext<'_>) -> Result<Recognised, String> {
    let head = Head { name: context.name, bytes: opened.head(), whole: true };
    let read = FORMATS.iter().copied().filter(|format| format.reads_rows()).find_map(|format| {
        let (claim, parsed) = format.read_whole(&head, context)?;
        Some((format, claim, parsed))
    });
    read.ok_or_else(|| describe_unknown(opened.head()))
}

/// True for rows of numbers between commas, decimal or hexadecimal: nothing that a format with words or other signs
/// in it could be told by. A blank behind a digit is none of them: ioping has rows without commas.
fn are_rows(bytes: &[u8]) -> bool {
    /// Bytes that are looked at before the first answer.
    const STEP: usize = 1024;
    let of_row =
        |byte: u8| byte.is_ascii_hexdigit() | matches!(byte, b',' | b' ' | b'-' | b'x' | b'\r' | b'\n');
    // What nearly all rows are made of is asked for first: it takes half as long.
    let usual = |byte: u8| byte.is_ascii_digit() | matches!(byte, b',' | b' ' | b'\n');
    let all = bytes.chunks(STEP).all(|step| all_are(step, usual) || all_are(step, of_row));
    let behind = bytes.get(1..).unwrap_or_default();
    all && !bytes.iter().zip(behind).fold(false, |any, (a, b)| any | (a.is_ascii_digit() & (*b == b' ')))
}

/// True when all bytes are so; without an end between them, so that many are looked at at once.
fn all_are(bytes: &[u8], is: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(true, |all, &byte| all & is(byte))
}

/// Reads a whole text with every format that finds a block of its own in it.
fn look_through(name: &str, mut opened: Opened) -> Looked {
    let taken = opened.take_all(LONGEST_TEXT);
    let (bytes, stored) = match taken.and_then(|bytes| Ok((bytes, opened.finish()?))) {
        Ok(read) => read,
        Err(error) => return Looked::Settled(FileState::Failed, None, error.to_string()),
    };
    let head = bytes.get(..HEAD).unwrap_or(&bytes);
    if bytes.len() as u64 > LONGEST_TEXT {
        let most = LONGEST_TEXT >> 20;
        return match claim(&Head { name, bytes: head, whole: false }) {
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
    let unknown = || describe_unknown(head);
    let head = Head { name, bytes: &bytes, whole: true };
    let mut blocks = Vec::new();
    for format in FORMATS.iter().filter(|format| format.is_block()) {
        let Some(claim) = format.detect(&head) else { continue };
        let context = ReadContext { name, ..ReadContext::default() };
        let (parsed, share) = format.read_text(&bytes, &context);
        blocks.push((format.name(), claim, parsed));
        if share == Share::Whole {
            break;
        }
    }
    match together(blocks) {
        Some((names, claim, parsed)) => Looked::Read(names, claim, parsed, stored.sha256),
        None => Looked::Settled(FileState::Ignored, None, unknown()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_are_numbers_between_commas_and_nothing_else() {
        for text in
            ["500, 81920, 1, 0, 0\n", "0,1,0\r\n3,1,0", "0, 8572, 0, 4096, 0x2003\n", "5, -1, 0\n", ""]
        {
            assert!(are_rows(text.as_bytes()), "{text}");
        }
        // Raw lines of ioping, tabs, fractions, words.
        for text in ["100 17430 5737 23499713 170 174 211 5\n", "1\t2\t3\n", "1.5, 2\n", "time, 2\n", "{\n"] {
            assert!(!are_rows(text.as_bytes()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn rows_are_of_no_format_that_is_not_asked_about_them(
            text in "([0-9]{1,4}(, ?[0-9]{1,4}){0,12}\n|[-0-9a-fA-Fx,\r\n]{0,40}|[0-9]{1,3},([0-9]{1,3} ?,){1,50}\n){0,12}",
            name in "(a_lat.1.log|a|out.csv|iostat.txt|a.json)",
        ) {
            prop_assume!(are_rows(text.as_bytes()));
            let head = Head { name: &name, bytes: text.as_bytes(), whole: true };
            for format in FORMATS.iter().filter(|format| !format.reads_rows()) {
                prop_assert_eq!(format.detect(&head), None, "{}", format.name());
            }
        }
    }
}
