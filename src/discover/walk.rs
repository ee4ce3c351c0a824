//! Directories, all the way down.
//!
//! Real directories are walked first, each once. Then come the directories that
//! symbolic links lead to, unless they were walked already: so a file has its
//! real name where it has one, and links that form a loop or a lattice end.

use super::STORE_MANIFEST;
use super::pattern::is_hidden;
use super::place::{Place, is_report, is_store};
use super::search::{Found, Note, Origin};
use crate::model::Severity;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};
use walkdir::{DirEntry, WalkDir};

/// What the walk of all directories has found so far.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) files: Vec<Found>,
    pub(super) notes: Vec<Note>,
    pub(super) reports: BTreeSet<PathBuf>,
    /// Notes on those reports.
    pub(super) passed_over: Vec<Note>,
    /// Canonical paths of the directories that were walked.
    pub(super) visited: HashSet<PathBuf>,
    links: Vec<(Place, PathBuf)>,
}

impl Walk {
    /// Walks the directories that were given as inputs.
    pub(super) fn run(&mut self, mut inputs: Vec<Place>) {
        inputs.sort_by(|a, b| a.apparent.cmp(&b.apparent).then_with(|| a.shown.cmp(&b.shown)));
        for input in inputs {
            self.tree(&input, &input.apparent);
        }
        while !self.links.is_empty() {
            let mut links = std::mem::take(&mut self.links);
            links.sort_by(|(a, _), (b, _)| a.apparent.cmp(&b.apparent));
            for (link, input) in links {
                self.through_link(&link, &input);
            }
        }
    }

    fn through_link(&mut self, link: &Place, input: &Path) {
        let above = link.apparent.parent().and_then(|parent| parent.canonicalize().ok());
        if above.is_some_and(|above| above.starts_with(&link.canonical)) {
            self.note(link, Severity::Info, "symbolic link to a directory above itself; not followed");
        } else if self.visited.contains(&link.canonical) {
            self.note(
                link,
                Severity::Info,
                "symbolic link to a directory whose files are here already; not followed",
            );
        } else {
            self.tree(link, input);
        }
    }

    /// Walks one directory without following links; `input` is the directory that the user named.
    fn tree(&mut self, top: &Place, input: &Path) {
        let mut entries = WalkDir::new(&top.apparent).into_iter();
        // The directories on the way down to the next entry.
        let mut above: Vec<Place> = Vec::new();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.unreadable(top, &error);
                    continue;
                }
            };
            above.truncate(entry.depth());
            let name = Path::new(entry.file_name());
            let place = above.last().map_or_else(|| top.clone(), |home| home.join(name));
            let kind = entry.file_type();
            let is_dir = kind.is_dir() || entry.depth() == 0;
            if entry.depth() > 0 && is_hidden(entry.file_name()) {
                if is_dir {
                    entries.skip_current_dir();
                }
            } else if is_dir {
                if is_report(entry.path()) {
                    let report = place.apparent.clone();
                    self.pass_over(report, &place, "an earlier report of plotgen; skipped");
                    entries.skip_current_dir();
                } else if !self.visited.insert(place.canonical.clone()) {
                    entries.skip_current_dir();
                } else if is_store(entry.path()) {
                    let place = place.join(Path::new(STORE_MANIFEST));
                    self.files.push(Found { place, origin: Origin::Store });
                    entries.skip_current_dir();
                } else {
                    above.push(place);
                }
            } else {
                self.entry(&entry, place, input);
            }
        }
    }

    fn entry(&mut self, entry: &DirEntry, place: Place, input: &Path) {
        let kind = entry.file_type();
        if kind.is_file() {
            self.files.push(Found { place, origin: Origin::Directory(input.to_owned()) });
        } else if kind.is_symlink() {
            self.link(place, input);
        } else {
            let message = format!("{}; not opened", special_kind(kind));
            self.note(&place, Severity::Info, message);
        }
    }

    fn link(&mut self, mut place: Place, input: &Path) {
        let target = fs::metadata(&place.apparent)
            .and_then(|target| Ok((target.file_type(), place.apparent.canonicalize()?)));
        match target {
            Ok((kind, canonical)) => {
                place.canonical = canonical;
                if kind.is_dir() {
                    self.links.push((place, input.to_owned()));
                } else if kind.is_file() {
                    self.files.push(Found { place, origin: Origin::Directory(input.to_owned()) });
                } else {
                    let message = format!("symbolic link to {}; not opened", special_kind(kind));
                    self.note(&place, Severity::Info, message);
                }
            }
            Err(error) => self.note(&place, Severity::Warning, broken_link(&error)),
        }
    }

    fn unreadable(&mut self, top: &Place, error: &walkdir::Error) {
        let path = error.path().unwrap_or(&top.apparent);
        let place = match path.strip_prefix(&top.apparent) {
            Ok(below) if below.as_os_str().is_empty() => top.clone(),
            Ok(below) => top.join(below),
            Err(_) => top.clone(),
        };
        let unknown = io::Error::other("unknown error");
        let message = unreadable(error.io_error().unwrap_or(&unknown));
        self.note(&place, Severity::Error, message);
    }

    /// Leaves out `place`, which is or lies in a report.
    pub(super) fn pass_over(&mut self, report: PathBuf, place: &Place, message: &str) {
        self.reports.insert(report);
        self.passed_over.push(note(place, Severity::Info, message));
    }

    fn note(&mut self, place: &Place, severity: Severity, message: impl Into<String>) {
        self.notes.push(note(place, severity, message));
    }
}

fn note(place: &Place, severity: Severity, message: impl Into<String>) -> Note {
    Note {
        apparent: Some(place.apparent.clone()),
        shown: place.shown.clone(),
        severity,
        message: message.into(),
    }
}

pub(super) fn unreadable(error: &io::Error) -> String {
    format!("cannot list the directory: {error}; make it readable or leave it out with --exclude")
}

pub(super) fn broken_link(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        "broken symbolic link: its target does not exist; restore the target or remove the link".to_owned()
    } else {
        format!("cannot follow: {error}; check the permissions and where the link leads")
    }
}

/// What a file that is neither regular nor a directory is.
pub(super) fn special_kind(kind: fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        } else if kind.is_socket() {
            return "a socket";
        } else if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    let _ = kind;
    "no regular file"
}
