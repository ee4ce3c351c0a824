//! Exchanges an old report for a new one so that a whole one exists at every moment.
//!
//! The steps, and what the next start makes of what an interruption leaves:
//!
//! | `out` | `new` | `old` | interrupted | recovery |
//! |---|---|---|---|---|
//! | old or none | partial | | while building | `new` is removed |
//! | | whole | whole | between the two moves | `old` moves back, `new` is removed |
//! | new | | rest | while carrying over or clearing up | that is finished |

use crate::gallery::GalleryError;
use crate::gallery::write::guard::Place;
use crate::gallery::write::manifest::{self, MANIFEST};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

/// Called before every change of the file system; an error stops there, as a crash would.
pub(super) type Before<'a> = &'a mut dyn FnMut(&Path) -> Result<(), GalleryError>;

/// True when the report at `out` has exactly this file.
pub(super) fn holds(place: &Place, path: &str, bytes: &[u8]) -> bool {
    same(&place.out.join(path), bytes)
}

/// Creates the folder in which the report's lies.
pub(super) fn parent_of(place: &Place) -> Result<(), GalleryError> {
    place.out.parent().map_or(Ok(()), |parent| fs::create_dir_all(parent).map_err(failed("create", parent)))
}

/// Begins a report beside `out`, with the files of the old one that stay as they are.
pub(super) fn stage<'p>(
    place: &Place,
    kept: impl Iterator<Item = &'p str>,
    before: Before<'_>,
) -> Result<(), GalleryError> {
    let Place { out, new, .. } = place;
    before(new)?;
    fs::create_dir(new).map_err(failed("create", new))?;
    for path in kept {
        let (from, to) = (out.join(path), new.join(path));
        before(&to)?;
        folder_of(&to)?;
        if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to).map_err(failed("write", &to))?;
        }
    }
    Ok(())
}

/// Adds a file to the report beside `out`, the old one's where that is the same; the manifest comes last: a folder with
/// one is whole.
pub(super) fn put(place: &Place, path: &str, bytes: &[u8], before: Before<'_>) -> Result<(), GalleryError> {
    if !holds(place, path, bytes) {
        return make(place, path, bytes, before);
    }
    let to = place.new.join(path);
    before(&to)?;
    folder_of(&to)?;
    match fs::hard_link(place.out.join(path), &to) {
        Ok(()) => Ok(()),
        Err(_) => fs::write(&to, bytes).map_err(failed("write", &to)),
    }
}

/// [`put`] without a look at the old report.
pub(super) fn make(place: &Place, path: &str, bytes: &[u8], before: Before<'_>) -> Result<(), GalleryError> {
    let to = place.new.join(path);
    before(&to)?;
    let mut written = fs::write(&to, bytes);
    // Of a folder's files only the first finds it missing; to ask before each costs as much as to open the file.
    if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        folder_of(&to)?;
        written = fs::write(&to, bytes);
    }
    written.map_err(failed("write", &to))
}

fn folder_of(file: &Path) -> Result<(), GalleryError> {
    match file.parent() {
        Some(folder) => fs::create_dir_all(folder).map_err(failed("create", folder)),
        None => Ok(()),
    }
}

/// Puts the report beside `out` in its place.
pub(super) fn exchange(place: &Place, before: Before<'_>) -> Result<(), GalleryError> {
    let Place { out, new, old, .. } = place;
    if let Ok(meta) = out.metadata() {
        before(new)?;
        fs::set_permissions(new, meta.permissions()).map_err(failed("set the permissions of", new))?;
        before(old)?;
        fs::rename(out, old).map_err(|source| GalleryError::Pinned { path: out.clone(), source })?;
    }
    before(out)?;
    fs::rename(new, out).map_err(failed("move the new report to", out))?;
    clear(place, before)
}

/// Puts right what an interruption left.
pub(super) fn recover(place: &Place, before: Before<'_>) -> Result<(), GalleryError> {
    let Place { out, new, old, .. } = place;
    if old.is_dir() && manifest::listed(out).is_none() {
        // Either nothing is at `out`, or an empty folder that was made since.
        if out.is_dir() {
            before(out)?;
            fs::remove_dir(out).map_err(failed("remove", out))?;
        }
        before(out)?;
        fs::rename(old, out).map_err(failed("restore", out))?;
    }
    if new.is_dir() {
        before(new)?;
        fs::remove_dir_all(new).map_err(failed("remove", new))?;
    }
    if old.is_dir() { clear(place, before) } else { Ok(()) }
}

/// Moves what is not plotgen's from `old` to `out`, then removes `old`.
fn clear(place: &Place, before: Before<'_>) -> Result<(), GalleryError> {
    let Place { out, old, .. } = place;
    if !old.is_dir() {
        return Ok(());
    }
    let ours: BTreeSet<String> = manifest::listed(old).unwrap_or_default().into_iter().collect();
    carry_over(old, out, "", &ours, before)?;
    // The manifest goes last: it says what may be removed.
    for path in ours.iter().filter(|path| *path != MANIFEST) {
        let file = old.join(path);
        if file.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) && is_below(path) {
            before(&file)?;
            fs::remove_file(&file).map_err(failed("remove", &file))?;
        }
    }
    before(old)?;
    fs::remove_dir_all(old).map_err(failed("remove", old))
}

/// Moves files and folders of `old/at` that are not `ours` to the same place in `out`.
fn carry_over(
    old: &Path,
    out: &Path,
    at: &str,
    ours: &BTreeSet<String>,
    before: Before<'_>,
) -> Result<(), GalleryError> {
    let folder = old.join(at);
    let mut names: Vec<std::ffi::OsString> = fs::read_dir(&folder)
        .and_then(|entries| entries.map(|entry| entry.map(|e| e.file_name())).collect::<io::Result<_>>())
        .map_err(failed("read", &folder))?;
    names.sort();
    for name in names {
        let from = folder.join(&name);
        let to = out.join(at).join(&name);
        // A name that is no text is none of ours.
        let path =
            name.to_str().map(|name| if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") });
        let is_dir = from.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        if is_dir {
            let inside = path.as_ref().map(|path| format!("{path}/"));
            let holds_ours = inside.is_some_and(|inside| {
                ours.range(inside.clone()..).next().is_some_and(|path| path.starts_with(&inside))
            });
            if let (Some(path), true) = (&path, holds_ours || to.is_dir()) {
                carry_over(old, out, path, ours, before)?;
                continue;
            }
        } else if path.is_some_and(|path| ours.contains(&path)) || to.symlink_metadata().is_ok() {
            // Ours, or replaced by a file of the new report.
            continue;
        }
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(failed("create", folder))?;
        }
        before(&to)?;
        fs::rename(&from, &to).map_err(failed("carry over", &from))?;
    }
    Ok(())
}

/// True when `file` is a plain file of exactly these bytes.
fn same(file: &Path, bytes: &[u8]) -> bool {
    file.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64)
        && fs::read(file).is_ok_and(|found| found == bytes)
}

/// True when a manifest's path leads nowhere but down.
fn is_below(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// Wraps the operating system's error with what was tried on `path`.
fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> GalleryError {
    let path = path.to_path_buf();
    move |source| GalleryError::Io { action, path, source }
}
