//! What earlier runs found out, kept between runs.
//!
//! Values go in under a key and come out again, or do not: an entry may be missing, broken,
//! of another version or evicted at any time, and whoever asks does the work then. Nothing
//! here can fail a run. Entries are written whole under a name of their own and moved into
//! place, so that several processes, a crash or a full disk leave old entries, new ones or
//! none. What a value means, and whether its sources are still the same, is up to the stage
//! that keeps it; [`Stamp`] says of a file whether it changed.

mod folder;
mod stamp;
#[cfg(test)]
mod tests;

pub use folder::Folder;
pub use stamp::{Checked, OWN_SETTLED, Stamp, Trust};

use crate::model::text::hexadecimal;
use etcetera::BaseStrategy;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Environment variable that names the folder, or says `off`.
pub const VARIABLE: &str = "PLOTGEN_CACHE";

/// Bytes that all entries together take at most; the least recently used ones go first.
pub const MOST_BYTES: u64 = 1 << 30;

/// Bytes that one entry takes at most.
const MOST_IN_ENTRY: u64 = MOST_BYTES / 4;

/// What every entry begins with: a name and the version of this layout.
const MAGIC: &[u8; 8] = b"plotgen\x01";

/// Magic, check sum of the payload, length of the payload.
const HEAD: usize = MAGIC.len() + 4 + 8;

/// How old the time of last use may be before it is written again.
const USE_STEP: Duration = Duration::from_secs(24 * 3600);

/// Files without an entry's name that are this old are what a crash left.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A key: the hash of everything that a value depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of a value in the encoding of the entries.
    ///
    /// None when the value cannot be encoded, as a list of unknown length cannot.
    #[must_use]
    pub fn of(value: &impl Serialize) -> Option<Key> {
        // A buffer: values are written byte by byte.
        let hashing = BufWriter::with_capacity(16 << 10, Hashing(Sha256::new()));
        let hashing = postcard::to_io(value, hashing).ok()?.into_inner().ok()?;
        Some(Key(hashing.0.finalize().into()))
    }

    /// The key of these bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Key {
        Key(Sha256::digest(bytes).into())
    }

    fn name(&self) -> String {
        // Half of a SHA-256 tells any number of entries apart.
        hexadecimal(&self.0[..16])
    }
}

struct Hashing(Sha256);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A folder of entries.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    /// Version, size and time of the program: another build may see things differently.
    program: String,
    most: u64,
    /// Bytes that this process has added.
    written: Arc<AtomicU64>,
}

impl Cache {
    /// The user's cache: the folder that [`VARIABLE`] names, else `plotgen` in the folder that the
    /// system has for caches (`$XDG_CACHE_HOME`, `~/.cache`). None when it is off or there is no such folder.
    #[must_use]
    pub fn of_user() -> Option<Cache> {
        match std::env::var_os(VARIABLE) {
            Some(value) if value.is_empty() || value == "off" => None,
            Some(folder) => Some(Cache::at(std::path::absolute(folder).ok()?)),
            None => {
                let base = etcetera::choose_base_strategy().ok()?;
                Some(Cache::at(base.cache_dir().join("plotgen")))
            }
        }
    }

    /// The cache in a folder, which need not exist.
    #[must_use]
    pub fn at(folder: PathBuf) -> Cache {
        Cache { folder, program: program(), most: MOST_BYTES, written: Arc::default() }
    }

    /// The same with another bound on the bytes of all entries.
    #[must_use]
    pub fn bounded(self, most: u64) -> Cache {
        Cache { most, ..self }
    }

    /// Where the entries are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The value of a kind and key, when it is there and whole.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self, kind: &str, key: &Key) -> Option<T> {
        self.entry(kind, key)?.value()
    }

    /// The entry of a kind and key, when it is there and whole.
    #[must_use]
    pub fn entry(&self, kind: &str, key: &Key) -> Option<Entry> {
        let path = self.path(kind, key);
        let mut file = File::open(&path).ok()?;
        let meta = file.metadata().ok().filter(|meta| meta.len() <= MOST_IN_ENTRY)?;
        // A byte more, to meet the end without asking for more room.
        let mut bytes = vec![0; usize::try_from(meta.len()).ok()? + 1];
        let mut length = 0;
        loop {
            match file.read(bytes.get_mut(length..)?).ok()? {
                0 => break,
                count => length += count,
            }
        }
        bytes.truncate(length);
        payload(&bytes)?;
        let used = meta.modified().ok().and_then(|used| used.elapsed().ok());
        if used.is_some_and(|used| used > USE_STEP) {
            // The order of eviction, no more: a folder that cannot be written is fine.
            let _ = File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        }
        Some(Entry(bytes))
    }

    /// Keeps a value; when it cannot be kept, all goes on without it.
    pub fn put(&self, kind: &str, key: &Key, value: &impl Serialize) {
        let Ok(bytes) = postcard::to_extend(value, vec![0; HEAD]) else { return };
        let length = bytes.len() as u64;
        if length > MOST_IN_ENTRY.min(self.most) || self.write(&self.path(kind, key), bytes).is_err() {
            return;
        }
        // Once a run, and again when much was added: looking at all entries for each would be quadratic.
        let before = self.written.fetch_add(length, Ordering::Relaxed);
        let step = self.most / 64 + 1;
        if before == 0 || before / step != (before + length) / step {
            self.evict();
        }
    }

    fn path(&self, kind: &str, key: &Key) -> PathBuf {
        let mut hash = Sha256::new();
        hash.update(self.program.as_bytes());
        hash.update(key.0);
        self.folder.join(format!("{kind}-{}", Key(hash.finalize().into()).name()))
    }

    fn write(&self, path: &Path, mut bytes: Vec<u8>) -> io::Result<()> {
        let (head, payload) = bytes.split_at_mut(HEAD);
        head[..8].copy_from_slice(MAGIC);
        head[8..12].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
        head[12..].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        // Entries tell names and figures of private files.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)?;
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
        file.write_all(&bytes)?;
        file.persist(path)?;
        Ok(())
    }

    /// Removes what was not used for the longest time, until the rest keeps within the bound.
    fn evict(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut known = Vec::new();
        for entry in entries.flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let Ok(used) = meta.modified() else { continue };
            if !meta.is_file() {
                continue;
            }
            if entry.file_name().as_encoded_bytes().starts_with(b".new-") {
                if used.elapsed().is_ok_and(|age| age > ABANDONED) {
                    let _ = fs::remove_file(entry.path());
                }
                continue;
            }
            known.push((used, entry.path(), meta.len()));
        }
        let mut total: u64 = known.iter().map(|(_, _, bytes)| bytes).sum();
        known.sort();
        for (_, path, bytes) in known {
            if total <= self.most {
                break;
            }
            // Another process may have been faster.
            let _ = fs::remove_file(path);
            total = total.saturating_sub(bytes);
        }
    }
}

/// An entry as it was kept, whole.
#[derive(Debug)]
pub struct Entry(Vec<u8>);

impl Entry {
    /// The value in it, which may borrow from it; None when it is one of another type.
    #[must_use]
    pub fn value<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        postcard::from_bytes(self.0.get(HEAD..)?).ok()
    }
}

/// The payload of an entry; None for what is cut, damaged or of another layout.
fn payload(entry: &[u8]) -> Option<&[u8]> {
    let (head, payload) = entry.split_at_checked(HEAD)?;
    let (magic, rest) = head.split_at_checked(MAGIC.len())?;
    let (sum, length) = rest.split_at_checked(4)?;
    let whole = magic == MAGIC
        && length == (payload.len() as u64).to_le_bytes()
        && sum == crc32fast::hash(payload).to_le_bytes();
    whole.then_some(payload)
}

/// What tells this build of the program from others.
fn program() -> String {
    let built = std::env::current_exe().and_then(fs::metadata).map(|meta| (meta.len(), meta.modified().ok()));
    format!("{} {:?}", env!("CARGO_PKG_VERSION"), built.ok())
}
