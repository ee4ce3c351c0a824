//! The search for inputs: what was named, what stands beside it, and what each file is called.
//!
//! In: inputs as typed. Out: [`Discovered`]. Directories are walked in [`super::walk`].

use super::pattern::{expand, is_hidden, is_pattern};
use super::place::{Place, Places, common_root, printable, relative_name};
use super::walk::{Walk, broken_link, special_kind, unreadable};
use super::{
    DiscoverOptions, Discovered, Role, STORE_MANIFEST, SourceFile, is_excluded, path_key, path_order,
};
use crate::model::{Diagnostic, LogName, Severity, without_packing};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A file with the input that led to it.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The apparent path of the directory that was named.
    Directory(PathBuf),
    File,
    Sibling,
    /// The manifest of a store, wherever it was found.
    Store,
}

/// A remark whose path has no relative name yet.
#[derive(Debug)]
pub(super) struct Note {
    /// None for what does not exist.
    pub(super) apparent: Option<PathBuf>,
    pub(super) shown: PathBuf,
    pub(super) severity: Severity,
    pub(super) message: String,
}

/// A search under way.
pub(super) struct Search {
    places: Places,
    pub(super) directories: Vec<Place>,
    pub(super) walk: Walk,
}

impl Search {
    pub(super) fn new() -> Self {
        Search { places: Places::new(), directories: Vec::new(), walk: Walk::default() }
    }

    pub(super) fn input(&mut self, input: &OsStr) {
        let path = Path::new(input);
        // A name with brackets that exists is a name.
        if fs::symlink_metadata(path).is_ok() {
            return self.path(path);
        }
        match input.to_str() {
            Some(pattern) if is_pattern(pattern) => self.pattern(pattern),
            _ => {
                let message = "no such file or directory; check the spelling and the working directory";
                self.note(None, path, Severity::Error, message);
            }
        }
    }

    fn pattern(&mut self, pattern: &str) {
        let expansion = match expand(pattern) {
            Ok(expansion) => expansion,
            Err(error) => return self.note(None, Path::new(pattern), Severity::Error, error.to_string()),
        };
        if expansion.paths.is_empty() {
            let message = "the pattern matches no file; check the directory, or name the directory itself";
            self.note(None, Path::new(pattern), Severity::Error, message);
        }
        for (path, error) in expansion.unreadable {
            self.note(None, &path, Severity::Error, unreadable(&error));
        }
        for path in expansion.paths {
            self.path(&path);
        }
    }

    fn path(&mut self, path: &Path) {
        let kind = match fs::metadata(path) {
            Ok(target) => target.file_type(),
            Err(error) => return self.note(None, path, Severity::Error, broken_link(&error)),
        };
        // Before its place is looked up: a shell's `<(...)` has no canonical path.
        if !kind.is_dir() && !kind.is_file() {
            let message = format!("{}; not opened: pipe it into `plotgen -`", special_kind(kind));
            return self.note(None, path, Severity::Error, message);
        }
        let place = match self.places.of(path) {
            Ok(place) => place,
            Err(error) => return self.note(None, path, Severity::Error, broken_link(&error)),
        };
        let dir = if kind.is_dir() { Some(place.apparent.as_path()) } else { place.apparent.parent() };
        if let Some(report) = dir.and_then(|dir| self.places.report_around(dir)) {
            let message = "inside an earlier report of plotgen; skipped";
            let message =
                if report == place.apparent { "an earlier report of plotgen; skipped" } else { message };
            self.walk.pass_over(report, &Place { shown: path.to_owned(), ..place }, message);
        } else if kind.is_dir() {
            self.directories.push(place);
        } else {
            let store = place.apparent.file_name() == Some(OsStr::new(STORE_MANIFEST));
            let origin = if store { Origin::Store } else { Origin::File };
            self.walk.files.push(Found { place, origin });
        }
    }

    /// Adds the outputs that lie beside named logs.
    pub(super) fn siblings(&mut self) {
        let mut beside: BTreeMap<PathBuf, (Place, BTreeSet<String>)> = BTreeMap::new();
        for Found { place, origin } in &self.walk.files {
            let name = place.apparent.file_name().map(printable).unwrap_or_default();
            let (Origin::File, Some(log)) = (origin, LogName::parse(&name)) else { continue };
            let Some(dir) = place.apparent.parent() else { continue };
            if let Some((known, prefixes)) = beside.get_mut(dir) {
                prefixes.insert(log.prefix);
                let shown = place.shown.parent().unwrap_or(Path::new("."));
                if shorter(shown, &known.shown) {
                    known.shown = shown.to_owned();
                }
            } else if let Ok(canonical) = dir.canonicalize() {
                let shown = match place.shown.parent() {
                    Some(shown) if !shown.as_os_str().is_empty() => shown.to_owned(),
                    _ => PathBuf::from("."),
                };
                let home = Place { apparent: dir.to_owned(), canonical, shown };
                beside.insert(dir.to_owned(), (home, BTreeSet::from([log.prefix])));
            }
        }
        for (home, prefixes) in beside.into_values() {
            if !self.walk.visited.contains(&home.canonical) {
                self.siblings_in(&home, &prefixes);
            }
        }
    }

    fn siblings_in(&mut self, home: &Place, prefixes: &BTreeSet<String>) {
        let entries = match fs::read_dir(&home.apparent) {
            Ok(entries) => entries,
            Err(error) => {
                let message =
                    format!("cannot look for outputs beside the logs: {error}; name the outputs as well");
                return self.note(Some(home.apparent.clone()), &home.shown, Severity::Warning, message);
            }
        };
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name();
            if is_hidden(&name) || !is_sibling(&printable(&name), prefixes) {
                continue;
            }
            let mut place = home.join(Path::new(&name));
            // Links are resolved; a broken one is no output.
            if !fs::metadata(&place.apparent).is_ok_and(|target| target.is_file()) {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                let Ok(canonical) = place.apparent.canonicalize() else { continue };
                place.canonical = canonical;
            }
            self.walk.files.push(Found { place, origin: Origin::Sibling });
        }
    }

    pub(super) fn finish(mut self, options: &DiscoverOptions, stdin: bool) -> Discovered {
        let exclude = options.exclude.as_slice();
        let within = options.within.as_deref().and_then(|within| self.places.of(within).ok());
        let files = self.once_each();
        let root = self.root(&files, within.as_ref().map(|within| within.apparent.as_path()));
        let mut sources: Vec<SourceFile> = Vec::with_capacity(files.len());
        for Found { place, origin } in files {
            let source = SourceFile {
                relative: relative_name(&place.apparent, &root),
                shown: printable(place.shown.as_os_str()),
                path: place.apparent,
                role: match origin {
                    Origin::Directory(_) | Origin::File => Role::Named,
                    Origin::Sibling => Role::Sibling,
                    Origin::Store => Role::Store,
                },
                stdin: false,
            };
            if !is_excluded(&source, exclude) {
                sources.push(source);
            }
        }
        let mut keyed: Vec<(Vec<u8>, SourceFile)> =
            sources.into_iter().map(|source| (path_key(&source.relative), source)).collect();
        keyed.sort_by(|(x, a), (y, b)| {
            x.cmp(y).then_with(|| a.relative.cmp(&b.relative)).then_with(|| a.path.cmp(&b.path))
        });
        let mut sources: Vec<SourceFile> = keyed.into_iter().map(|(_, source)| source).collect();
        if stdin {
            sources.push(standard_input());
        }
        // In order, so that equal names stand together, but for that of standard input.
        if stdin || sources.windows(2).any(|pair| pair[0].relative == pair[1].relative) {
            tell_apart(&mut sources);
        }
        let mut shown: BTreeMap<String, String> =
            sources.iter().map(|source| (source.relative.clone(), source.shown.clone())).collect();
        let diagnostics = remarks(self.walk.notes, &root, &mut shown);
        let passed_over = remarks(self.walk.passed_over, &root, &mut shown);
        let skipped_reports = self.walk.reports.into_iter().collect();
        Discovered {
            root,
            sources,
            diagnostics,
            passed_over,
            skipped_reports,
            exclude: exclude.to_vec(),
            shown,
        }
    }

    /// Every file once: by its real name where it is there under that, else by its first.
    fn once_each(&mut self) -> Vec<Found> {
        let mut files = std::mem::take(&mut self.walk.files);
        files.sort_by(|a, b| {
            let rank = |found: &Found| {
                (found.origin == Origin::Sibling, found.place.apparent != found.place.canonical)
            };
            let key = |found: &Found| printable(found.place.apparent.as_os_str());
            // Which file comes first does not matter here; by bytes is fastest.
            (a.place.canonical.as_os_str().cmp(b.place.canonical.as_os_str()))
                .then_with(|| rank(a).cmp(&rank(b)))
                .then_with(|| path_order(&key(a), &key(b)))
                .then_with(|| length_order(&a.place.shown, &b.place.shown))
                .then_with(|| a.origin.cmp(&b.origin))
        });
        let mut once: Vec<Found> = Vec::with_capacity(files.len());
        for found in files {
            let Some(first) = once.last().filter(|first| first.place.canonical == found.place.canonical)
            else {
                once.push(found);
                continue;
            };
            if first.place.apparent != found.place.apparent && found.origin != Origin::Sibling {
                let message = format!(
                    "the same file as `{}` by a symbolic link; counted once",
                    printable(first.place.shown.as_os_str())
                );
                self.note(Some(found.place.apparent.clone()), &found.place.shown, Severity::Info, message);
            }
            // A directory and a file in it were both named: the directory decides the root.
            if let (Origin::Directory(_), Some(first)) = (&found.origin, once.last_mut())
                && first.origin == Origin::File
            {
                first.origin = found.origin;
            }
        }
        once
    }

    fn root(&self, files: &[Found], within: Option<&Path>) -> PathBuf {
        let mut homes: Vec<&Path> = files
            .iter()
            .filter_map(|found| match &found.origin {
                Origin::Directory(input) => Some(input.as_path()),
                Origin::File => found.place.apparent.parent(),
                Origin::Sibling | Origin::Store => None,
            })
            .chain(within)
            .collect();
        // Whatever their order, they have one root in common; most are spelled alike, and bytes are compared fast.
        homes.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
        common_root(homes).unwrap_or_else(|| self.places.cwd().to_owned())
    }

    fn note(
        &mut self,
        apparent: Option<PathBuf>,
        shown: &Path,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let shown = shown.to_owned();
        self.walk.notes.push(Note { apparent, shown, severity, message: message.into() });
    }
}

/// True for a file that may be the output of a tool whose logs have these prefixes.
fn is_sibling(name: &str, prefixes: &BTreeSet<String>) -> bool {
    if LogName::parse(name).is_some() {
        return false;
    }
    let name = without_packing(name);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    ["json", "out", "txt", "result"].contains(&extension)
        || prefixes.contains(stem)
        || prefixes.contains(name)
}

fn standard_input() -> SourceFile {
    SourceFile {
        path: PathBuf::from("-"),
        relative: "stdin".to_owned(),
        shown: "-".to_owned(),
        role: Role::Named,
        stdin: true,
    }
}

/// Gives sources of equal names, which only encoded bytes or standard input can have, a distinct end.
fn tell_apart(sources: &mut [SourceFile]) {
    let mut taken = BTreeSet::new();
    for source in sources {
        while !taken.insert(source.relative.clone()) {
            source.relative.push('~');
        }
    }
}

/// Notes under the names that their files have below the root.
fn remarks(notes: Vec<Note>, root: &Path, shown: &mut BTreeMap<String, String>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = notes
        .into_iter()
        .map(|note| {
            let typed = printable(note.shown.as_os_str());
            let below = note.apparent.filter(|path| path != root && path.starts_with(root));
            let path = match below {
                Some(path) => {
                    let relative = relative_name(&path, root);
                    shown.entry(relative.clone()).or_insert(typed);
                    relative
                }
                None => typed,
            };
            Diagnostic::new(note.severity, path, note.message)
        })
        .collect();
    order_remarks(&mut diagnostics);
    diagnostics
}

/// Remarks by path, the worst first, each once.
pub(crate) fn order_remarks(remarks: &mut Vec<Diagnostic>) {
    remarks.sort_by(|a, b| {
        path_order(&a.path, &b.path)
            .then_with(|| b.severity.cmp(&a.severity))
            .then_with(|| a.message.cmp(&b.message))
    });
    remarks.dedup();
}

fn length_order(a: &Path, b: &Path) -> Ordering {
    a.as_os_str().len().cmp(&b.as_os_str().len()).then_with(|| a.cmp(b))
}

fn shorter(a: &Path, b: &Path) -> bool {
    length_order(a, b) == Ordering::Less
}
