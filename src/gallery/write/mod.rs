//! Puts a report into a folder in one step.
//!
//! Files go in, a folder that is wholly the new report (or still wholly the old
//! one) comes out. [`guard`] refuses folders that are not plotgen's to replace,
//! [`swap`] builds beside and exchanges. Nothing here depends on a clock.

mod guard;
mod manifest;
mod swap;
#[cfg(test)]
mod tests;

pub use manifest::MANIFEST;

use crate::gallery::GalleryError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What writing a report did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// False when the folder held exactly this report already; nothing was touched then.
    pub changed: bool,
    /// The first page.
    pub index: PathBuf,
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
/// The new report is built in a folder beside `out` (files that did not change
/// as hard links), the old one is moved aside, the new one moved in. Files that
/// plotgen did not write (a `.git`, a `CNAME`) move along. A run that is
/// interrupted leaves a whole report, at `out` or beside it, and the next call
/// puts everything right. `inputs` are the files and folders that the report
/// was made from; `out` may lie in one of them, but not the other way round.
///
/// # Errors
/// [`GalleryError::Refused`] when `out` is not plotgen's to replace; nothing is
/// touched then. [`GalleryError::Io`] when the operating system fails.
pub fn write(
    files: &BTreeMap<String, Vec<u8>>,
    out: &Path,
    inputs: &[PathBuf],
) -> Result<Written, GalleryError> {
    let place = guard::place(out, inputs)?;
    swap::recover(&place, &mut |_| Ok(()))?;
    let index = out.join("index.html");
    let mut files = files.clone();
    files.insert(MANIFEST.to_owned(), manifest::document(&files)?);
    guard::nothing_in_the_way(out, &place, &files)?;
    if swap::holds(&place, &files) {
        return Ok(Written { changed: false, index });
    }
    let swapped = swap::swap(&place, &files, &mut |_| Ok(()));
    if swapped.is_err() {
        // What failed half-way is undone at once; the first error is the one to tell.
        let _ = swap::recover(&place, &mut |_| Ok(()));
    }
    swapped.map(|()| Written { changed: true, index })
}
