//! What the last report in a folder was made of, so that it is not made again.
//!
//! In: settings, sources, the folder. Out: what the last run said, when neither the settings nor a
//! source nor a file of the report has changed since; else what was drawn then, so that only
//! charts that look different are drawn. The record is kept in the user's cache, one for each folder.

use super::threads::Threads;
use crate::cache::{Cache, Checked, Entry, Folder, Key, OWN_SETTLED, Stamp, Trust};
use crate::discover::{Discovered, Role, SourceFile};
use crate::gallery::Written;
use crate::model::Diagnostic;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Kind of the entries.
const KIND: &str = "report";

/// Files from which on several threads look at them.
const MANY: usize = 4096;

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

/// What a report was made of; in an [`Entry`], names are those of its bytes.
#[derive(Debug, Serialize, Deserialize)]
struct Record<'a> {
    /// Hash of everything but the content of files that the report depends on.
    settings: Key,
    inputs: Vec<Stamp>,
    /// The folders of the report that hold files, below its own.
    #[serde(borrow)]
    folders: Vec<&'a str>,
    /// Its files in order of their paths: folder, name in it.
    outputs: Vec<(u32, &'a str, Stamp)>,
    /// [`Drawn`] by key, encoded: a run that changes nothing does not ask for it.
    #[serde(with = "serde_bytes")]
    pictures: &'a [u8],
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
    /// A [`Record`].
    last: Option<Entry>,
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
        let mut names = Vec::new();
        let mut paths = Vec::with_capacity(found.sources.len());
        for source in &found.sources {
            for name in [
                source.path.as_os_str().as_encoded_bytes(),
                source.relative.as_bytes(),
                source.shown.as_bytes(),
            ] {
                // No name holds the byte 0.
                names.extend_from_slice(name);
                names.push(0);
            }
            names.push(source.role as u8);
            add_files(source, &mut paths);
        }
        let root = serde_bytes::Bytes::new(found.root.as_os_str().as_encoded_bytes());
        let names = serde_bytes::Bytes::new(&names);
        let settings = Key::of(&(settings, root, names, &found.diagnostics))?;
        let key = Key::of(&folder)?;
        let last = cache.entry(KIND, &key);
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
    pub(super) fn unchanged(&self, threads: &Threads) -> Option<Said> {
        let mut record: Record<'_> = self.last.as_ref()?.value()?;
        let Record { settings, inputs, folders, outputs, .. } = &record;
        if *settings != self.settings || inputs.len() != self.paths.len() || outputs.is_empty() {
            return None;
        }
        let (homes, names) = apart(&self.paths);
        let inputs = checked(inputs.len(), threads, |at| {
            let (home, name) = names[at];
            inputs[at].check(&homes[home], name, self.trust)
        })?;
        // A report has a handful.
        let folders: Vec<Folder> =
            folders.iter().map(|folder| Folder::of(&self.folder.join(folder), outputs.len())).collect();
        let outputs = checked(outputs.len(), threads, |at| {
            let (folder, name, stamp) = &outputs[at];
            match folders.get(*folder as usize) {
                Some(folder) => stamp.check_own(folder, OsStr::new(name), self.trust),
                None => Checked::Changed,
            }
        })?;
        if !inputs.is_empty() || !outputs.is_empty() {
            for (at, stamp) in inputs {
                record.inputs[at] = stamp;
            }
            for (at, stamp) in outputs {
                record.outputs[at].2 = stamp;
            }
            self.cache.put(KIND, &self.key, &record);
        }
        Some(record.said)
    }

    /// Notes the sources as they are now, before they are read.
    pub(super) fn begin(&mut self) -> BTreeMap<PathBuf, Stamp> {
        let trust = self.trust;
        let stamps: Vec<Option<Stamp>> =
            self.paths.par_iter().map(|path| Stamp::take(path, trust).ok()).collect();
        if let Some(Record { folders, outputs, pictures, .. }) = self.last.as_ref().and_then(Entry::value) {
            for (folder, name, stamp) in &outputs {
                if let (Some(hash), Some(folder)) = (stamp.sha256(), folders.get(*folder as usize)) {
                    let path =
                        if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
                    self.places.insert(*hash, path);
                }
            }
            self.pictures = postcard::from_bytes(pictures).unwrap_or_default();
        }
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
        let stamps: Option<Vec<Stamp>> = files
            .par_iter()
            .map(|(path, hash)| Stamp::of_own(&written.folder.join(path), **hash).ok())
            .collect();
        let Some(stamps) = stamps else { return };
        let mut folders: Vec<&str> = Vec::new();
        let mut outputs: Vec<(u32, &str, Stamp)> = Vec::with_capacity(files.len());
        for ((path, _), stamp) in files.iter().zip(stamps) {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            // Files of one folder stand together, but for those of a folder in it.
            let known = folders.iter().rposition(|known| *known == folder);
            let at = known.unwrap_or_else(|| {
                folders.push(folder);
                folders.len() - 1
            });
            outputs.push((u32::try_from(at).unwrap_or(u32::MAX), name, stamp));
        }
        let drawn = |(key, names, thumb): (Key, Vec<String>, [u8; 32])| {
            let hash = |name: String| Some((written.files.get(&format!("charts/{name}")).copied()?, name));
            let files = names.into_iter().map(|name| hash(name).map(|(hash, name)| (name, hash)));
            Some((key, Drawn { files: files.collect::<Option<_>>()?, thumb }))
        };
        let pictures: BTreeMap<Key, Drawn> = pictures.into_iter().filter_map(drawn).collect();
        let pictures = postcard::to_stdvec(&pictures).unwrap_or_default();
        let pictures = pictures.as_slice();
        let record = Record { settings: self.settings, inputs, folders, outputs, pictures, said };
        let key = Key::of(&written.folder).unwrap_or(self.key);
        self.cache.put(KIND, &key, &record);
    }
}

/// Adds the files that a source is read from: of a store, which stands for its manifest, all that lie beside that.
fn add_files(source: &SourceFile, paths: &mut Vec<PathBuf>) {
    let folder = source.path.parent().filter(|_| source.role == Role::Store);
    let Some(entries) = folder.and_then(|folder| fs::read_dir(folder).ok()) else {
        return paths.push(source.path.clone());
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    paths.append(&mut files);
}

/// The folders of files, and of each file its folder and its name there.
fn apart(paths: &[PathBuf]) -> (Vec<Folder>, Vec<(usize, &OsStr)>) {
    /// Folders that are open at a time: systems allow a process some hundred files.
    const MOST_OPEN: usize = 100;
    fn folder_of(path: &Path) -> &OsStr {
        path.parent().unwrap_or(Path::new("")).as_os_str()
    }
    let (mut folders, mut names) = (Vec::new(), Vec::with_capacity(paths.len()));
    for files in paths.chunk_by(|a, b| folder_of(a) == folder_of(b)) {
        let Some(first) = files.first() else { continue };
        names.extend(files.iter().map(|path| (folders.len(), path.file_name().unwrap_or_default())));
        let few = folders.len() < MOST_OPEN;
        folders.push(Folder::of(Path::new(folder_of(first)), if few { files.len() } else { 1 }));
    }
    (folders, names)
}

/// The files that are to be noted anew, of so many, by their place in the list; None when one has changed.
fn checked(
    files: usize,
    threads: &Threads,
    check: impl Fn(usize) -> Checked + Sync + Send,
) -> Option<Vec<(usize, Stamp)>> {
    let changed = |at: usize| match check(at) {
        Checked::Same => None,
        Checked::Touched(stamp) => Some(Some((at, stamp))),
        Checked::Changed => Some(None),
    };
    if files < MANY {
        return (0..files).filter_map(changed).collect();
    }
    threads.install(|| (0..files).into_par_iter().filter_map(changed).collect())
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
