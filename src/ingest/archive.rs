//! Archives as inputs: the files inside of a tar.
//!
//! In: an opened archive, packed or not. Out: its members under the names `ARCHIVE/path`, in
//! natural order, and where their bytes are. Members of a plain archive are read where they lie;
//! those of a packed one are unpacked once, into a file without a name that all archives share
//! and that stays in memory while it is small. Nothing is ever written under a member's name.
//! The rules of folders hold inside, too: hidden files, earlier reports and excluded names are
//! left out. Links and special members are named, not followed.

use crate::discover::{Glob, MANIFEST, SourceFile, is_excluded, path_order, printable_bytes};
use crate::envelope::Opened;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::SpooledTempFile;

/// Members of one archive that are listed.
const MOST_MEMBERS: usize = 100_000;

/// Bytes of unpacked members that stay in memory, of all archives together.
const IN_MEMORY: usize = 32 << 20;

/// Bytes that are moved at a time.
const CHUNK: usize = 64 * 1024;

/// Size of a header (POSIX.1-2017, pax, "ustar Interchange Format") and place of its checksum.
const HEADER: usize = 512;
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// True for the beginning of a tar archive, of any flavour: its checksum is right.
pub(super) fn is_archive(head: &[u8]) -> bool {
    let Some(header) = head.get(..HEADER) else { return false };
    let text = String::from_utf8_lossy(&header[CHECKSUM]);
    let Ok(stated) = u64::from_str_radix(text.trim_matches(['\0', ' ']), 8) else { return false };
    // The checksum counts as blanks in itself.
    let blank = |(at, &byte)| if CHECKSUM.contains(&at) { b' ' } else { byte };
    header[0] != 0 && header.iter().enumerate().map(blank).map(u64::from).sum::<u64>() == stated
}

/// What an archive holds.
pub(super) struct Unpacked {
    /// In natural order of their names.
    pub(super) members: Vec<Member>,
    /// Members that are no files, or that lead out of the archive.
    pub(super) passed_over: u64,
    /// Remarks on the archive as a whole, for information.
    pub(super) notes: Vec<String>,
    /// Why the archive ends before its end.
    pub(super) error: Option<String>,
    /// Hash of the archive's bytes; None for one that was not read through.
    pub(super) sha256: Option<String>,
}

/// One member.
pub(super) struct Member {
    /// Its names.
    pub(super) source: SourceFile,
    /// Where its bytes are, or why nobody looks at them.
    pub(super) content: Result<Held, &'static str>,
}

/// Where the bytes of a member are.
#[derive(Debug, Clone)]
pub(super) struct Held {
    /// The archive, when it is not packed; else they are in the spool.
    archive: Option<PathBuf>,
    from: u64,
    length: u64,
}

/// Unpacked members, one behind the other.
pub(super) struct Spool {
    file: SpooledTempFile,
    end: u64,
}

/// The spool once it is complete, for several readers.
pub(super) type Shared = Arc<Mutex<SpooledTempFile>>;

impl Spool {
    pub(super) fn new() -> Self {
        Spool { file: tempfile::spooled_tempfile(IN_MEMORY), end: 0 }
    }

    pub(super) fn share(self) -> Shared {
        Arc::new(Mutex::new(self.file))
    }

    /// Takes in all of `input`; where it is, and the error that cut it.
    fn take(&mut self, input: &mut dyn Read) -> (Held, Option<String>) {
        let from = self.end;
        let mut chunk = vec![0; CHUNK];
        let error = loop {
            let count = match input.read(&mut chunk) {
                Ok(0) => break None,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => break Some(broken(&error)),
            };
            if let Err(error) = self.file.write_all(chunk.get(..count).unwrap_or_default()) {
                // What was written of the chunk is not counted.
                let _ = self.file.seek(SeekFrom::Start(self.end));
                break Some(format!(
                    "cannot keep what is unpacked: {error}; make room for temporary files, or unpack it yourself"
                ));
            }
            self.end = self.end.saturating_add(count as u64);
        };
        (Held { archive: None, from, length: self.end - from }, error)
    }
}

impl Held {
    /// A reader over the member.
    ///
    /// # Errors
    /// When the archive cannot be opened any more.
    pub(super) fn open(&self, spool: &Shared) -> io::Result<Box<dyn Read + Send>> {
        match &self.archive {
            None => Ok(Box::new(SpoolReader { spool: spool.clone(), at: self.from, left: self.length })),
            Some(path) => {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(self.from))?;
                Ok(Box::new(file.take(self.length)))
            }
        }
    }
}

struct SpoolReader {
    spool: Shared,
    at: u64,
    left: u64,
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        // A reader that panicked has moved the position, which every reader sets anew.
        let mut file = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let count = file.read(buffer.get_mut(..most).unwrap_or_default())?;
        self.at = self.at.saturating_add(count as u64);
        self.left = self.left.saturating_sub(count as u64);
        Ok(count)
    }
}

/// Lists an archive, and unpacks its members where it is packed.
pub(super) fn unpack(source: &SourceFile, opened: Opened, spool: &mut Spool, exclude: &[Glob]) -> Unpacked {
    let mut listing = Listing { source, exclude, members: BTreeMap::new(), passed_over: 0, repeated: 0 };
    let plain = (!source.stdin && opened.packing().is_none()).then(|| File::open(&source.path));
    let (error, sha256) = match plain {
        Some(Ok(file)) => {
            let size = file.metadata().map_or(u64::MAX, |meta| meta.len());
            let mut archive = tar::Archive::new(file);
            let mut take = |entry: &mut tar::Entry<'_, File>| {
                let (from, length) = (entry.raw_file_position(), entry.size());
                let cut = from.checked_add(length).is_none_or(|end| end > size);
                (
                    Held { archive: Some(source.path.clone()), from, length },
                    cut.then(|| "the archive ends inside of a member; copy it again".to_owned()),
                )
            };
            let entries = archive.entries_with_seek();
            (
                entries.map_or_else(|error| Some(broken(&error)), |entries| listing.read(entries, &mut take)),
                None,
            )
        }
        Some(Err(error)) => (Some(format!("cannot open: {error}")), None),
        None => {
            let mut archive = tar::Archive::new(opened);
            let mut take = |entry: &mut tar::Entry<'_, Opened>| {
                let stated = entry.size();
                let (held, error) = spool.take(entry);
                let cut = held.length < stated;
                let error = error
                    .or_else(|| cut.then(|| "the archive ends inside of a member; copy it again".to_owned()));
                (held, error)
            };
            let error = archive
                .entries()
                .map_or_else(|error| Some(broken(&error)), |entries| listing.read(entries, &mut take));
            (error, archive.into_inner().finish().ok().and_then(|stored| stored.sha256))
        }
    };
    listing.finish(error, sha256)
}

fn broken(error: &io::Error) -> String {
    format!(
        "the archive is broken behind the members listed here: {error}; copy it again, or check it with `tar -t`"
    )
}

/// Says where the content of an entry is, and what cut it short.
type Take<'t, R> = &'t mut dyn FnMut(&mut tar::Entry<'_, R>) -> (Held, Option<String>);

/// The members so far.
struct Listing<'a> {
    source: &'a SourceFile,
    exclude: &'a [Glob],
    /// By their paths inside of the archive.
    members: BTreeMap<String, Result<Held, &'static str>>,
    passed_over: u64,
    repeated: u64,
}

impl Listing<'_> {
    /// Reads all entries; the error that ended them early.
    fn read<R: Read>(&mut self, entries: tar::Entries<'_, R>, take: Take<'_, R>) -> Option<String> {
        for entry in entries {
            let mut entry = match entry {
                Ok(entry) => entry,
                Err(error) => return Some(broken(&error)),
            };
            let kind = entry.header().entry_type();
            let path = printable_bytes(&entry.path_bytes());
            let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
            let hidden = parts.iter().any(|part| part.starts_with('.') && *part != "..");
            if kind.is_dir() || parts.is_empty() || hidden {
                continue;
            }
            if self.members.len() >= MOST_MEMBERS {
                return Some(format!(
                    "expected at most {MOST_MEMBERS} members, found more; unpack it yourself"
                ));
            }
            let mut error = None;
            let content = if parts.contains(&"..") {
                Err("its path leads out of the archive; not read")
            } else if let Some(reason) = special(kind) {
                Err(reason)
            } else {
                let held;
                (held, error) = take(&mut entry);
                Ok(held)
            };
            self.passed_over += u64::from(content.is_err());
            // As when tar unpacks: a later member replaces an earlier one.
            self.repeated += u64::from(self.members.insert(parts.join("/"), content).is_some());
            if error.is_some() {
                return error;
            }
        }
        None
    }

    fn finish(self, error: Option<String>, sha256: Option<String>) -> Unpacked {
        let Listing { source, exclude, members, passed_over, repeated } = self;
        let mut notes = Vec::new();
        if repeated > 0 {
            notes.push(format!("{repeated} members are there twice; the last of each counts"));
        }
        let folder =
            |path: &str| path.rsplit_once('/').map_or(String::new(), |(above, _)| format!("{above}/"));
        let is_manifest = |path: &&String| path.rsplit('/').next() == Some(MANIFEST);
        let reports: BTreeSet<String> = members.keys().filter(is_manifest).map(|path| folder(path)).collect();
        for report in &reports {
            notes.push(format!("`{report}` in it is an earlier report of plotgen; skipped"));
        }
        let mut members: Vec<Member> = members
            .into_iter()
            .filter(|(path, _)| !reports.iter().any(|report| path.starts_with(report.as_str())))
            .map(|(path, content)| {
                let source = SourceFile {
                    relative: format!("{}/{path}", source.relative),
                    shown: format!("{}/{path}", source.shown),
                    ..source.clone()
                };
                Member { source, content }
            })
            .filter(|member| !is_excluded(&member.source, exclude))
            .collect();
        members.sort_by(|a, b| path_order(&a.source.relative, &b.source.relative));
        Unpacked { members, passed_over, notes, error, sha256 }
    }
}

/// Why an entry is no file; None when it is one.
fn special(kind: tar::EntryType) -> Option<&'static str> {
    if kind.is_file() || kind.is_contiguous() {
        None
    } else if kind.is_symlink() || kind.is_hard_link() {
        Some("a link inside of an archive; not followed")
    } else if kind.is_gnu_sparse() {
        Some("a sparse file inside of an archive; not read: unpack it yourself")
    } else {
        Some("neither a file nor a folder inside of an archive; not read")
    }
}

#[cfg(test)]
mod tests;
