//! Puts a report into a folder in one step.
//!
//! Files go in, a folder that is wholly the new report (or still wholly the old
//! one) comes out. [`guard`] refuses folders that are not plotgen's to replace,
//! [`lock`] keeps others away meanwhile, [`swap`] builds beside and exchanges. Nothing here depends on a clock.

mod guard;
mod lock;
mod manifest;
mod swap;
#[cfg(test)]
mod tests;

pub use manifest::MANIFEST;

use crate::gallery::GalleryError;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What writing a report did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// False when the folder held exactly this report already; nothing in it was touched then.
    pub changed: bool,
    /// The first page.
    pub index: PathBuf,
    /// The report's folder, without links.
    pub folder: PathBuf,
    /// SHA-256 of every file, by its path below the folder.
    pub files: BTreeMap<String, [u8; 32]>,
}

/// Whether [`write()`] would take `out` for a report made from `inputs`; looks, never touches.
///
/// Meant for the start, before any work is done. [`write()`] looks again, and at
/// the names of the files to come as well.
///
/// # Errors
/// [`GalleryError::Refused`] when `out` is not plotgen's to replace;
/// [`GalleryError::Io`] when it cannot be looked at.
pub fn check_output(out: &Path, inputs: &[PathBuf]) -> Result<(), GalleryError> {
    guard::place(out, inputs).map(drop)
}

/// Makes `out` the report that consists of `files`.
///
/// # Errors
/// As [`Writer`].
pub fn write(
    files: &BTreeMap<String, Vec<u8>>,
    out: &Path,
    inputs: &[PathBuf],
) -> Result<Written, GalleryError> {
    let mut writer = Writer::open(out, inputs)?;
    for (path, bytes) in files {
        writer.add(path, bytes)?;
    }
    writer.finish()
}

/// Writes a report file by file, so that a whole one stands at its place at every moment.
///
/// The new report is built in a folder beside `out` (files that did not change
/// as hard links), the old one is moved aside, the new one moved in. Files that
/// plotgen did not write (a `.git`, a `CNAME`) move along. A run that is
/// interrupted leaves a whole report, at `out` or beside it, and the next call
/// puts everything right. As long as every file is as the old report has it,
/// nothing in it is touched. A lock beside `out` keeps others away meanwhile.
#[derive(Debug)]
pub struct Writer {
    out: PathBuf,
    place: guard::Place,
    files: BTreeMap<String, [u8; 32]>,
    /// True once there is a folder beside `out`, which holds all of `files`.
    staged: bool,
    /// True where nothing was at `out` to keep, or to stand in a file's way.
    fresh: bool,
    /// None where nobody else can be kept away.
    _lock: Option<lock::Lock>,
}

impl Writer {
    /// Begins a report in `out`. `inputs` are the files and folders that it is made from; `out` may
    /// lie in one of them, but not the other way round.
    ///
    /// # Errors
    /// [`GalleryError::Refused`] when `out` is not plotgen's to replace, or another process writes a report there;
    /// nothing is touched then. [`GalleryError::Io`] when the operating system fails.
    pub fn open(out: &Path, inputs: &[PathBuf]) -> Result<Self, GalleryError> {
        let place = guard::place(out, inputs)?;
        swap::parent_of(&place)?;
        let _lock = lock::Lock::take(out, &place)?;
        swap::recover(&place, &mut |_| Ok(()))?;
        let fresh = !guard::holds_anything(&place);
        Ok(Writer { out: out.to_path_buf(), place, files: BTreeMap::new(), staged: false, fresh, _lock })
    }

    /// Adds a file: its path below the folder, `/` between parts, and its bytes.
    ///
    /// # Errors
    /// [`GalleryError::Refused`] when something of the user's is in its way, [`GalleryError::Io`]
    /// when it cannot be written.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> Result<(), GalleryError> {
        let Writer { out, place, fresh, .. } = self;
        if !*fresh {
            guard::nothing_in_the_way(out, place, path)?;
        }
        if !self.staged && (*fresh || !swap::holds(place, path, bytes)) {
            self.staged = true;
            swap::stage(place, self.files.keys().map(String::as_str), &mut |_| Ok(()))?;
        }
        if self.staged {
            let put = if *fresh { swap::make } else { swap::put };
            put(place, path, bytes, &mut |_| Ok(()))?;
        }
        self.files.insert(path.to_owned(), Sha256::digest(bytes).into());
        Ok(())
    }

    /// Adds the manifest and puts the report in its place.
    ///
    /// # Errors
    /// [`GalleryError::Io`] when the operating system fails, [`GalleryError::Pinned`] when the old
    /// report cannot make way.
    pub fn finish(mut self) -> Result<Written, GalleryError> {
        self.add(MANIFEST, &manifest::document(&self.files)?)?;
        let changed = self.staged;
        if changed {
            swap::exchange(&self.place, &mut |_| Ok(()))?;
            self.staged = false;
        }
        Ok(Written {
            changed,
            index: self.out.join("index.html"),
            folder: self.place.out.clone(),
            files: std::mem::take(&mut self.files),
        })
    }
}

impl Drop for Writer {
    /// What failed half-way is undone at once; the first error is the one to tell.
    fn drop(&mut self) {
        if self.staged {
            let _ = swap::recover(&self.place, &mut |_| Ok(()));
        }
    }
}
