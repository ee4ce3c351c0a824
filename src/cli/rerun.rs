//! What the last report in a folder was made of, so that it is not made again.
//!
//! In: settings, sources, the folder. Out: what the last run said, when neither the settings nor a
//! source nor a file of the report has changed since; else what was drawn then, so that only
//! charts that look different are drawn. The record is kept in the user's cache, one for each folder.

use crate::cache::{Cache, Checked, Key, OWN_SETTLED, Stamp, Trust};
use crate::discover::{Discovered, Role, SourceFile};
use crate::gallery::Written;
use crate::model::Diagnostic;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Kind of the entries.
const KIND: &str = "report";

/// Key of a picture, the names of its files and the hash of its small drawing.
pub(super) type Known = (Key, Vec<String>, [u8; 32]);

/// The files of a picture by their names, and its small drawing.
type Pictures = (BTreeMap<String, Vec<u8>>, Vec<u8>);

/// What a run says when it is done.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Said {
    /// Remarks on the inputs.
    pub(super) on_inputs: Vec<Diagnostic>,
    /// Remarks on the charts.
    pub(super) on_charts: Vec<Diagnostic>,
    /// Names of files as the user writes them, by their relative names; of those that are remarked on.
    pub(super) shown: BTreeMap<String, String>,
    pub(super) tally: Tally,
    /// True when an input was missing or broken.
    pub(super) partial: bool,
}

/// Runs, charts and files, counted.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) runs: usize,
    pub(super) charts: usize,
    pub(super) read: usize,
    pub(super) ignored: usize,
    pub(super) failed: usize,
    pub(super) notes: usize,
}

/// What a report was made of.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Record {
    /// Hash of everything but the content of files that the report depends on.
    settings: Option<Key>,
    inputs: Vec<Stamp>,
    outputs: Vec<(String, Stamp)>,
    /// [`Drawn`] by key, encoded: a run that changes nothing does not ask for it.
    #[serde(with = "serde_bytes")]
    pictures: Vec<u8>,
    said: Said,
}

/// The files of a picture: what they are called, and hashes of what they hold.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Drawn {
    files: Vec<(String, [u8; 32])>,
    thumb: [u8; 32],
}

/// A run that may be a repetition of the last one.
pub(super) struct Rerun {
    cache: Cache,
    trust: Trust,
    folder: PathBuf,
    key: Key,
    settings: Key,
    paths: Vec<PathBuf>,
    stamps: Option<Vec<Stamp>>,
    last: Record,
    /// Where the last report has the content of a hash.
    places: BTreeMap<[u8; 32], String>,
    /// The pictures of the last report.
    pictures: BTreeMap<Key, Drawn>,
}

impl Rerun {
    /// A run that makes a report in `out` of what was discovered, under `settings`. None when the
    /// sources cannot be looked at twice, or the folder has no place of its own.
    pub(super) fn new(
        cache: Cache,
        trust: Trust,
        settings: &str,
        found: &Discovered,
        out: &Path,
    ) -> Option<Self> {
        if found.sources.iter().any(|source| source.stdin) {
            return None;
        }
        let folder = match out.canonicalize() {
            Ok(folder) => folder,
            Err(_) => std::path::absolute(out).ok()?,
        };
        let names: Vec<_> = found
            .sources
            .iter()
            .map(|source| (&source.path, &source.relative, &source.shown, format!("{:?}", source.role)))
            .collect();
        let settings = Key::of(&(settings, &found.root, names, &found.diagnostics))?;
        let key = Key::of(&folder)?;
        let last: Record = cache.get(KIND, &key).unwrap_or_default();
        let paths = found.sources.iter().flat_map(files_of).collect();
        Some(Rerun {
            cache,
            trust,
            folder,
            key,
            settings,
            paths,
            stamps: None,
            last,
            places: BTreeMap::new(),
            pictures: BTreeMap::new(),
        })
    }

    /// What the last run said, when this one would do the same.
    pub(super) fn unchanged(&mut self) -> Option<&Said> {
        let Record { settings, inputs, outputs, .. } = &self.last;
        if *settings != Some(self.settings) || inputs.len() != self.paths.len() || outputs.is_empty() {
            return None;
        }
        let trust = self.trust;
        let inputs = checked(inputs.par_iter().zip(&self.paths), |(stamp, path)| stamp.check(path, trust))?;
        let outputs =
            checked(outputs.par_iter(), |(path, stamp)| stamp.check_own(&self.folder.join(path), trust))?;
        if !inputs.is_empty() || !outputs.is_empty() {
            for (at, stamp) in inputs {
                self.last.inputs[at] = stamp;
            }
            for (at, stamp) in outputs {
                self.last.outputs[at].1 = stamp;
            }
            self.cache.put(KIND, &self.key, &self.last);
        }
        Some(&self.last.said)
    }

    /// Notes the sources as they are now, before they are read.
    pub(super) fn begin(&mut self) -> BTreeMap<PathBuf, Stamp> {
        let trust = self.trust;
        let stamps: Vec<Option<Stamp>> =
            self.paths.par_iter().map(|path| Stamp::take(path, trust).ok()).collect();
        for (path, stamp) in &self.last.outputs {
            if let Some(hash) = stamp.sha256() {
                self.places.insert(*hash, path.clone());
            }
        }
        self.pictures = postcard::from_bytes(&self.last.pictures).unwrap_or_default();
        let taken = self.paths.iter().zip(&stamps);
        let taken = taken.filter_map(|(path, stamp)| Some((path.clone(), stamp.clone()?))).collect();
        self.stamps = stamps.into_iter().collect();
        taken
    }

    /// The files and the small drawing of a picture, when the last report has them as they were drawn.
    pub(super) fn picture(&self, key: &Key) -> Option<Pictures> {
        let content = |hash: &[u8; 32]| {
            let bytes = fs::read(self.folder.join(self.places.get(hash)?)).ok()?;
            (Sha256::digest(&bytes).as_slice() == hash).then_some(bytes)
        };
        let Drawn { files, thumb } = self.pictures.get(key)?;
        let files = files.iter().map(|(name, hash)| Some((name.clone(), content(hash)?)));
        Some((files.collect::<Option<_>>()?, content(thumb)?))
    }

    /// Keeps what this run wrote and said. `pictures` are the keys of all pictures, with the names of
    /// their files and the hash of the small drawing.
    pub(super) fn keep(self, said: Said, written: &Written, pictures: Vec<Known>) {
        let Some(inputs) = self.stamps else { return };
        if written.changed {
            // So that the times of the files tell of any change to come.
            std::thread::sleep(OWN_SETTLED + OWN_SETTLED / 5);
        }
        let files: Vec<(&String, &[u8; 32])> = written.files.iter().collect();
        let outputs: Option<Vec<(String, Stamp)>> = files
            .par_iter()
            .map(|(path, hash)| {
                Some(((*path).clone(), Stamp::of_own(&written.folder.join(path), **hash).ok()?))
            })
            .collect();
        let Some(outputs) = outputs else { return };
        let drawn = |(key, names, thumb): (Key, Vec<String>, [u8; 32])| {
            let hash = |name: String| Some((written.files.get(&format!("charts/{name}")).copied()?, name));
            let files = names.into_iter().map(|name| hash(name).map(|(hash, name)| (name, hash)));
            Some((key, Drawn { files: files.collect::<Option<_>>()?, thumb }))
        };
        let pictures: BTreeMap<Key, Drawn> = pictures.into_iter().filter_map(drawn).collect();
        let pictures = postcard::to_stdvec(&pictures).unwrap_or_default();
        let record = Record { settings: Some(self.settings), inputs, outputs, pictures, said };
        let key = Key::of(&written.folder).unwrap_or(self.key);
        self.cache.put(KIND, &key, &record);
    }
}

/// The files that a source is read from: of a store, which stands for its manifest, all that lie beside that.
fn files_of(source: &SourceFile) -> Vec<PathBuf> {
    let folder = source.path.parent().filter(|_| source.role == Role::Store);
    let Some(entries) = folder.and_then(|folder| fs::read_dir(folder).ok()) else {
        return vec![source.path.clone()];
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// The files that are to be noted anew, by their place in the list; None when one has changed.
fn checked<I: IndexedParallelIterator>(
    files: I,
    check: impl Fn(I::Item) -> Checked + Sync + Send,
) -> Option<Vec<(usize, Stamp)>> {
    let found: Option<Vec<Option<(usize, Stamp)>>> = files
        .enumerate()
        .map(|(at, file)| match check(file) {
            Checked::Same => Some(None),
            Checked::Touched(stamp) => Some(Some((at, stamp))),
            Checked::Changed => None,
        })
        .collect();
    Some(found?.into_iter().flatten().collect())
}

/// Hash of the files of a folder of templates, which a report depends on.
pub(super) fn templates(folder: Option<&Path>) -> String {
    let Some(folder) = folder else { return String::new() };
    let mut files: Vec<(PathBuf, Option<Key>)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| (entry.path(), fs::read(entry.path()).ok().map(|bytes| Key::of_bytes(&bytes))))
        .collect();
    files.sort();
    format!("{files:?}")
}
