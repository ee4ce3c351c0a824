//! What earlier runs have read, so that files which have not changed are not read again.
//!
//! In: sources, the user's cache. Out: for a source that is still what it was, what the first look
//! and the reader made of it then, and only if the reader would be told the same today (the unit and
//! the run time that the outputs beside a log give). Kept is one entry for each folder: as small as
//! a file system likes them for a thousand small logs, and one changed log costs the folder's entry alone.
//! Not kept: what failed, standard input, and what is inside of archives.

use crate::cache::{Cache, Checked, Folder, Key, Stamp, Trust};
use crate::discover::SourceFile;
use crate::ingest::hints::Told;
use crate::ingest::look::Looked;
use crate::ingest::pipeline::ReadLog;
use crate::ingest::{Claim, FORMATS, Format, IngestOptions};
use crate::model::FileState;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Kind of the entries.
const KIND: &str = "folder";

/// Bytes of new records that a run keeps at most, so that remembering takes no more memory than reading.
const MOST_NEW: usize = 128 << 20;

/// What earlier runs have read, and how files are known again.
#[derive(Debug)]
pub struct Recall {
    cache: Cache,
    trust: Trust,
    stamps: BTreeMap<PathBuf, Stamp>,
}

impl Recall {
    /// What is in `cache`. `stamps` are those of files that were looked at already in this run.
    #[must_use]
    pub fn new(cache: Cache, trust: Trust, stamps: BTreeMap<PathBuf, Stamp>) -> Self {
        Recall { cache, trust, stamps }
    }

    /// Looks up what is known of the sources as they are now.
    pub(super) fn open(&self, sources: &[SourceFile], options: &IngestOptions) -> Shelf<'_> {
        let mut folders: BTreeMap<&Path, Vec<&SourceFile>> = BTreeMap::new();
        for source in sources.iter().filter(|source| !source.stdin) {
            if let Some(folder) = source.path.parent() {
                folders.entry(folder).or_default().push(source);
            }
        }
        let folders: Vec<_> = folders.into_iter().collect();
        let opened: Vec<(Known, Vec<(String, Slot)>)> = folders
            .into_par_iter()
            .filter_map(|(path, sources)| self.folder(path, &sources, options))
            .collect();
        let mut shelf = Shelf {
            recall: self,
            unhashed: options.unhashed,
            folders: Vec::new(),
            slots: BTreeMap::new(),
            new: Mutex::new(New { records: BTreeMap::new(), bytes: 0 }),
        };
        for (index, (folder, slots)) in opened.into_iter().enumerate() {
            shelf.folders.push(folder);
            shelf.slots.extend(slots.into_iter().map(|(name, slot)| (name, Slot { folder: index, ..slot })));
        }
        shelf
    }

    fn folder(
        &self,
        path: &Path,
        sources: &[&SourceFile],
        options: &IngestOptions,
    ) -> Option<(Known, Vec<(String, Slot)>)> {
        let key = Key::of(&(path, options.lat_unit, &options.layout))?;
        let records: Records = self.cache.get(KIND, &key).unwrap_or_default();
        let mut folder = Known { path: path.to_owned(), key, records, stale: false };
        let there = Folder::of(path, sources.len());
        let slots = sources.par_iter().map(|source| {
            let known = folder.records.0.get(source.file_name());
            let check = |record: &Record| {
                let name = source.path.file_name()?;
                Some(record.stamp.check(&there, name, self.trust))
            };
            let (valid, stamp) = match known.and_then(check) {
                Some(Checked::Same) => (true, None),
                Some(Checked::Touched(stamp)) => (true, Some(stamp)),
                Some(Checked::Changed) | None => {
                    let known = self.stamps.get(&source.path).cloned();
                    (false, known.or_else(|| Stamp::take(&source.path, self.trust).ok()))
                }
            };
            (source.relative.clone(), Slot { folder: 0, valid, stamp })
        });
        let slots: Vec<(String, Slot)> = slots.collect();
        for (source, (_, slot)) in sources.iter().zip(&slots) {
            if let (true, Some(stamp)) = (slot.valid, &slot.stamp)
                && let Some(record) = folder.records.0.get_mut(source.file_name())
            {
                record.stamp = stamp.clone();
                folder.stale = true;
            }
        }
        Some((folder, slots))
    }
}

/// What is known of the sources of a run, and what it learns.
pub(super) struct Shelf<'r> {
    recall: &'r Recall,
    /// True when what is known without its hash will do.
    unhashed: bool,
    folders: Vec<Known>,
    /// By relative name.
    slots: BTreeMap<String, Slot>,
    new: Mutex<New>,
}

/// A folder of sources, and what is known of it.
struct Known {
    path: PathBuf,
    key: Key,
    records: Records,
    /// True when stamps are to be noted anew.
    stale: bool,
}

/// A source of this run.
struct Slot {
    folder: usize,
    /// True when what is known of it still holds.
    valid: bool,
    /// As it was before it was read; None where that is noted already, or could not be taken.
    stamp: Option<Stamp>,
}

/// New records by folder and name.
struct New {
    records: BTreeMap<(usize, String), Record>,
    bytes: usize,
}

/// The records of a folder, by file name.
#[derive(Default, Serialize, Deserialize)]
struct Records(BTreeMap<String, Record>);

#[derive(Serialize, Deserialize)]
struct Record {
    stamp: Stamp,
    /// What the reader was told; None for what is read without.
    told: Option<Told>,
    /// A [`Kept`], encoded.
    #[serde(with = "serde_bytes")]
    kept: Vec<u8>,
}

/// What was made of a file; `P` is what it held.
#[derive(Serialize, Deserialize)]
enum Kept<P> {
    /// Ignored, for a reason.
    Ignored(String),
    /// An output: format names, why, content, hash.
    Output(String, String, P, Option<String>),
    /// A log: format, why, content, hash.
    Log(String, String, P, Option<String>),
}

impl Shelf<'_> {
    /// What the first look at a source gives.
    pub(super) fn looked(&self, source: &SourceFile) -> Option<Looked> {
        let record = self.record(source)?;
        // Without decoding what the log holds: that waits for what the outputs tell.
        if record.told.is_some() {
            let (Tag::Log, format, reason) = postcard::take_from_bytes(&record.kept).ok()?.0 else {
                return None;
            };
            return Some(Looked::Log(named(format)?, Claim { reason }, None));
        }
        match postcard::from_bytes(&record.kept).ok()? {
            Kept::Ignored(reason) => Some(Looked::Settled(FileState::Ignored, None, reason)),
            Kept::Output(formats, reason, parsed, sha256) if self.unhashed || sha256.is_some() => {
                Some(Looked::Read(formats, Claim { reason }, Ok(parsed), sha256))
            }
            Kept::Output(..) | Kept::Log(..) => None,
        }
    }

    /// What a log holds, when its reader would be told the same.
    pub(super) fn log(&self, source: &SourceFile, told: Told) -> Option<ReadLog> {
        let record = self.record(source).filter(|record| record.told == Some(told))?;
        match postcard::from_bytes(&record.kept).ok()? {
            Kept::Log(_, _, parsed, sha256) if self.unhashed || sha256.is_some() => {
                Some((Ok(parsed), sha256))
            }
            Kept::Ignored(_) | Kept::Output(..) | Kept::Log(..) => None,
        }
    }

    fn record(&self, source: &SourceFile) -> Option<&Record> {
        let slot = self.slots.get(&source.relative).filter(|slot| slot.valid)?;
        self.folders.get(slot.folder)?.records.0.get(source.file_name())
    }

    /// Keeps what the first look gave, if that is all there is to it.
    pub(super) fn keep_looked(&self, source: &SourceFile, looked: &Looked) {
        match looked {
            Looked::Settled(FileState::Ignored, None, reason) => {
                self.keep(source, None, &Kept::<()>::Ignored(reason.clone()));
            }
            Looked::Read(formats, claim, Ok(parsed), sha256) => {
                let kept = Kept::Output(formats.clone(), claim.reason.clone(), parsed, sha256.clone());
                self.keep(source, None, &kept);
            }
            Looked::Settled(..)
            | Looked::Read(..)
            | Looked::Log(..)
            | Looked::Rows(_)
            | Looked::Archive(_)
            | Looked::Store(..)
            | Looked::Unpacked(_) => {}
        }
    }

    /// Keeps what a log held.
    pub(super) fn keep_log(
        &self,
        source: &SourceFile,
        told: Told,
        format: &dyn Format,
        claim: &Claim,
        (parsed, sha256): &ReadLog,
    ) {
        if let Ok(parsed) = parsed {
            let kept = Kept::Log(format.name().to_owned(), claim.reason.clone(), parsed, sha256.clone());
            self.keep(source, Some(told), &kept);
        }
    }

    fn keep(&self, source: &SourceFile, told: Option<Told>, kept: &Kept<impl Serialize>) {
        let Some(slot) = self.slots.get(&source.relative) else { return };
        let noted = || Some(self.record(source)?.stamp.clone());
        let Some(stamp) = slot.stamp.clone().or_else(noted) else { return };
        if self.learnt().bytes > MOST_NEW {
            return;
        }
        let Ok(kept) = postcard::to_stdvec(kept) else { return };
        let mut new = self.learnt();
        new.bytes += kept.len();
        new.records.insert((slot.folder, source.file_name().to_owned()), Record { stamp, told, kept });
    }

    fn learnt(&self) -> MutexGuard<'_, New> {
        // A reader that panicked has added its record or has not.
        self.new.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf<'_> {
    /// Writes down what this run has learnt.
    pub(super) fn close(self) {
        let Shelf { recall, folders, new, .. } = self;
        let new = new.into_inner().unwrap_or_else(PoisonError::into_inner).records;
        let mut learnt: Vec<BTreeMap<String, Record>> = folders.iter().map(|_| BTreeMap::new()).collect();
        for ((folder, name), record) in new {
            learnt[folder].insert(name, record);
        }
        folders.into_par_iter().zip(learnt).for_each(|(mut folder, learnt)| {
            if learnt.is_empty() && !folder.stale {
                return;
            }
            folder.records.0.extend(learnt);
            // What is known of a file that changed is of no use, and of no harm: its stamp tells.
            let path = &folder.path;
            folder.records.0.retain(|name, _| path.join(name).exists());
            recall.cache.put(KIND, &folder.key, &folder.records);
        });
    }
}

/// The beginning of a [`Kept::Log`], to be read alone.
#[derive(Deserialize, PartialEq)]
enum Tag {
    Ignored,
    Output,
    Log,
}

/// The format of a name.
fn named(name: String) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

#[cfg(test)]
mod tests;
