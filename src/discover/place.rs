//! Where a path lies: its absolute spelling, its identity, its name below a root.

use super::{MANIFEST, STORE_MANIFEST};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::{env, fs, io};

/// A directory or file under its three names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Absolute, without `.` and `..`. Symbolic links keep their names: stores
    /// such as git-annex link telling names to meaningless ones.
    pub(super) apparent: PathBuf,
    /// The same with all symbolic links resolved: the identity.
    pub(super) canonical: PathBuf,
    /// As the user would write it.
    pub(super) shown: PathBuf,
}

impl Place {
    /// What lies below this directory.
    pub(super) fn join(&self, below: &Path) -> Place {
        Place {
            apparent: self.apparent.join(below),
            canonical: self.canonical.join(below),
            shown: if is_here(&self.shown) { below.to_owned() } else { self.shown.join(below) },
        }
    }
}

/// True for `.`, however it is spelled.
fn is_here(path: &Path) -> bool {
    // Paths are compared part by part, which takes longer than to see that most are longer.
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes == b"." || (bytes.first() == Some(&b'.') && path == Path::new("."))
}

/// Finds places and remembers the directories that it has looked up.
#[derive(Debug)]
pub(super) struct Places {
    cwd: PathBuf,
    parents: HashMap<PathBuf, Place>,
    in_report: HashMap<PathBuf, Option<PathBuf>>,
}

impl Places {
    pub(super) fn new() -> Self {
        let cwd =
            env::current_dir().and_then(|cwd| cwd.canonicalize()).unwrap_or_else(|_| PathBuf::from("."));
        Places { cwd, parents: HashMap::new(), in_report: HashMap::new() }
    }

    pub(super) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The place of a path that exists.
    pub(super) fn of(&mut self, path: &Path) -> io::Result<Place> {
        let Some(name) = path.file_name() else { return self.look_up(path) };
        let typed = path.parent().unwrap_or(Path::new(""));
        let parent = match self.parents.get(typed) {
            Some(place) => place.clone(),
            None => {
                let place = self.look_up(typed)?;
                self.parents.insert(typed.to_owned(), place.clone());
                place
            }
        };
        let mut place = parent.join(Path::new(name));
        if fs::symlink_metadata(&place.apparent)?.is_symlink() {
            place.canonical = fs::canonicalize(&place.apparent)?;
        }
        place.shown = path.to_owned();
        Ok(place)
    }

    fn look_up(&self, path: &Path) -> io::Result<Place> {
        let apparent = self.absolute(path);
        let canonical = apparent.canonicalize()?;
        let shown = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Place { apparent, canonical, shown: shown.components().collect() })
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let mut absolute = PathBuf::new();
        for component in self.cwd.join(path).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    // The parent of a link's target is not the parent of the link.
                    if absolute.is_symlink()
                        && let Ok(target) = absolute.canonicalize()
                    {
                        absolute = target;
                    }
                    absolute.pop();
                }
                other => absolute.push(other),
            }
        }
        if absolute.starts_with(&self.cwd) {
            return absolute;
        }
        // The shell's $PWD may reach the working directory through a link.
        let through_link =
            absolute.ancestors().find(|above| above.canonicalize().is_ok_and(|above| above == self.cwd));
        match through_link.and_then(|above| absolute.strip_prefix(above).ok()) {
            Some(below) => self.cwd.join(below).components().collect(),
            None => absolute,
        }
    }

    /// The nearest directory at or above `dir` that is an earlier report.
    pub(super) fn report_around(&mut self, dir: &Path) -> Option<PathBuf> {
        if let Some(known) = self.in_report.get(dir) {
            return known.clone();
        }
        let found = if is_report(dir) {
            Some(dir.to_owned())
        } else {
            dir.parent().and_then(|parent| self.report_around(parent))
        };
        self.in_report.insert(dir.to_owned(), found.clone());
        found
    }
}

/// True when a directory is a report that plotgen wrote.
pub(super) fn is_report(dir: &Path) -> bool {
    dir.join(MANIFEST).is_file()
}

/// True when a directory is a store that plotgen wrote.
pub(super) fn is_store(dir: &Path) -> bool {
    dir.join(STORE_MANIFEST).is_file()
}

/// The deepest directory that holds all of `paths`; None for no paths.
pub(super) fn common_root<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Option<PathBuf> {
    let mut paths = paths.into_iter();
    let mut root = paths.next()?.to_owned();
    for path in paths {
        while !path.starts_with(&root) && root.pop() {}
    }
    Some(root)
}

/// `path` below `root` with `/` between its parts; bytes that are not UTF-8 read `%FF`.
pub(super) fn relative_name(path: &Path, root: &Path) -> String {
    if let Some(name) = plain_name(path, root) {
        return printable_bytes(name);
    }
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts = below.components().map(|part| match part {
        Component::RootDir => String::new(),
        part => printable(part.as_os_str()),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// What stands behind the root in a path whose parts are parted by one `/` each; None of any other.
fn plain_name<'p>(path: &'p Path, root: &Path) -> Option<&'p [u8]> {
    let below = path.as_os_str().as_encoded_bytes().strip_prefix(root.as_os_str().as_encoded_bytes())?;
    let name = below.strip_prefix(b"/").filter(|_| std::path::MAIN_SEPARATOR == '/')?;
    let plain = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
    name.split(|&byte| byte == b'/').all(plain).then_some(name)
}

/// A name as text; bytes that are not UTF-8 read `%FF`.
pub(super) fn printable(name: &OsStr) -> String {
    printable_bytes(name.as_encoded_bytes())
}

/// The bytes of a name as text; those that are not UTF-8 read `%FF`.
pub(crate) fn printable_bytes(name: &[u8]) -> String {
    if let Ok(name) = std::str::from_utf8(name) {
        return name.to_owned();
    }
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_root_is_a_directory_not_a_common_beginning_of_names() {
        let root = |paths: &[&str]| common_root(paths.iter().map(Path::new));
        assert_eq!(root(&["/a/run1", "/a/run10"]), Some("/a".into()));
        assert_eq!(root(&["/a/b", "/a/b"]), Some("/a/b".into()));
        assert_eq!(root(&["/a/b/c", "/a/b"]), Some("/a/b".into()));
        assert_eq!(root(&["/a", "/b"]), Some("/".into()));
        assert_eq!(root(&[]), None);
    }

    #[test]
    fn names_below_the_root_have_one_slash_between_their_parts() {
        let name = |path: &str, root: &str| relative_name(Path::new(path), Path::new(root));
        assert_eq!(name("/a/b/c.log", "/a"), "b/c.log");
        assert_eq!(name("/a/b//c.log", "/a"), "b/c.log");
        assert_eq!(name("/a//b", "/a"), "b");
        assert_eq!(name("/a/./b", "/a"), "b");
        assert_eq!(name("/ab/c", "/a"), "/ab/c");
        assert_eq!(name("/c", "/"), "c");
        assert!(is_here(Path::new(".")) && is_here(Path::new("./")) && is_here(Path::new("././")));
        assert!(!is_here(Path::new("..")) && !is_here(Path::new(".a")) && !is_here(Path::new("")));
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_keep_their_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new("/r").join(OsStr::from_bytes(b"a\xffb")).join("c");
        assert_eq!(relative_name(&path, Path::new("/r")), "a%FFb/c");
    }
}
