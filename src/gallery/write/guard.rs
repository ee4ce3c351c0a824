//! Which folders plotgen may replace. Looks, never touches.

use crate::gallery::write::manifest;
use crate::gallery::{GalleryError, Refusal};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Where a report goes, without links, and the folders beside it that the exchange needs.
#[derive(Debug)]
pub(super) struct Place {
    /// The report's folder.
    pub(super) out: PathBuf,
    /// The folder in which it is built.
    pub(super) new: PathBuf,
    /// The folder to which an older report is moved aside.
    pub(super) old: PathBuf,
    /// The file that is locked meanwhile.
    pub(super) lock: PathBuf,
}

/// The place of `out`, when plotgen may write there.
pub(super) fn place(out: &Path, inputs: &[PathBuf]) -> Result<Place, GalleryError> {
    let refuse = |reason| Err(GalleryError::Refused { out: out.to_path_buf(), reason });
    let failed = |source| GalleryError::Io { action: "look at", path: out.to_path_buf(), source };
    let here = std::env::current_dir().map_err(failed)?;

    let is_link = out.symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink());
    if is_link && !out.exists() {
        return refuse(Refusal::DanglingLink);
    }
    let real = resolved(&here.join(out));
    let (Some(name), Some(parent)) = (real.file_name(), real.parent()) else {
        return refuse(Refusal::Nameless);
    };
    let mut folders = BTreeMap::new();
    for input in inputs {
        let source = resolved_file(&here.join(input), &mut folders);
        if source == real {
            return refuse(Refusal::Input);
        }
        if source.starts_with(&real) {
            return refuse(Refusal::HoldsInput(input.clone()));
        }
    }
    if real.exists() && !real.is_dir() {
        return refuse(Refusal::File);
    }
    if resolved(&here).starts_with(&real) {
        return refuse(Refusal::WorkingDirectory);
    }
    if real.is_dir() && manifest::listed(&real).is_none() {
        let mut entries = std::fs::read_dir(&real).map_err(failed)?;
        if entries.next().is_some() {
            return refuse(Refusal::Foreign);
        }
    }
    let beside = |kind: &str| {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".plotgen-{kind}"));
        parent.join(hidden)
    };
    Ok(Place { new: beside("new"), old: beside("old"), lock: beside("lock"), out: real.clone() })
}

/// True when something is at the place of the report, or is to be feared there.
pub(super) fn holds_anything(place: &Place) -> bool {
    match std::fs::read_dir(&place.out) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Refuses when something that plotgen did not write has the name of the file or of a folder above it.
pub(super) fn nothing_in_the_way(out: &Path, place: &Place, path: &str) -> Result<(), GalleryError> {
    let mut at = PathBuf::new();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        let Ok(meta) = place.out.join(&at).symlink_metadata() else { break };
        // A folder must be one; a file may replace a file or a link, never a folder.
        let fits = if parts.peek().is_some() { meta.is_dir() } else { !meta.is_dir() };
        if !fits {
            let reason = Refusal::InTheWay(at.to_string_lossy().into_owned());
            return Err(GalleryError::Refused { out: out.to_path_buf(), reason });
        }
    }
    Ok(())
}

/// [`resolved`] for one of many files, of whose folders each is looked at once.
fn resolved_file(path: &Path, folders: &mut BTreeMap<PathBuf, PathBuf>) -> PathBuf {
    let plain = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if plain => match folders.get(folder) {
            Some(real) => real.join(name),
            None => folders.entry(folder.to_path_buf()).or_insert(resolved(folder)).join(name),
        },
        _ => resolved(path),
    }
}

/// `path` without links and dots; the part that does not exist yet is taken as it is written.
fn resolved(path: &Path) -> PathBuf {
    let mut rest: Vec<Component<'_>> = path.components().collect();
    let mut missing = Vec::new();
    while !rest.is_empty() {
        let head: PathBuf = rest.iter().collect();
        if let Ok(real) = head.canonicalize() {
            let mut real = real;
            for part in missing.into_iter().rev() {
                match part {
                    Component::ParentDir => {
                        real.pop();
                    }
                    Component::Normal(name) => real.push(name),
                    _ => {}
                }
            }
            return real;
        }
        missing.extend(rest.pop());
    }
    path.to_path_buf()
}
