//! Glob patterns: texts matched against names, and patterns expanded to paths.
//!
//! The one place that names the crate glob. Its matcher is used and its
//! directory walk is not: that follows symbolic links under `**` without end
//! and drops names that are not UTF-8.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// `*` stays inside a path part and leaves hidden names alone, as in a shell.
const LIKE_A_SHELL: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// A compiled glob pattern: `*`, `?`, `[...]`, `**`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(glob::Pattern);

/// A text that is no glob pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{pattern}` is no pattern: {reason} at character {at}; write `[[]` for a plain `[`, `**` only between slashes"
)]
pub struct GlobError {
    /// The text.
    pub pattern: String,
    /// What is wrong.
    pub reason: &'static str,
    /// Where, counted from 1.
    pub at: usize,
}

impl Glob {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When a bracket is open or `**` is part of a longer word.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        glob::Pattern::new(pattern).map(Glob).map_err(|error| GlobError {
            pattern: pattern.to_owned(),
            reason: error.msg,
            at: error.pos.saturating_add(1),
        })
    }

    /// True when the pattern matches `text` as a whole; `*` does not cross a `/`.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let options = glob::MatchOptions { require_literal_leading_dot: false, ..LIKE_A_SHELL };
        self.0.matches_with(text, options)
    }

    /// True when the pattern matches the path (`/` between parts), a directory that
    /// holds it, or the name of either: `old` and `*.bak` need no `**/` in front.
    #[must_use]
    pub fn matches_path(&self, path: &str) -> bool {
        let mut from = 0;
        for end in path.match_indices('/').map(|(at, _)| at).chain([path.len()]) {
            if self.matches(&path[..end]) || self.matches(&path[from..end]) {
                return true;
            }
            from = end + 1;
        }
        false
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// True when a text has characters with a meaning in patterns.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// What a pattern stands for.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    /// Existing paths, spelled as the pattern is.
    pub(super) paths: Vec<PathBuf>,
    /// Directories that could not be listed.
    pub(super) unreadable: Vec<(PathBuf, io::Error)>,
}

enum Part {
    Plain(PathBuf),
    Matching(glob::Pattern),
    AnyDepth,
}

/// All paths that match, directories too. `**` does not pass through symbolic links.
pub(super) fn expand(pattern: &str) -> Result<Expansion, GlobError> {
    let parts = Path::new(pattern)
        .components()
        .map(|component| match component {
            Component::Normal(name) if name == "**" => Ok(Part::AnyDepth),
            Component::Normal(name) if is_pattern(&name.to_string_lossy()) => {
                Glob::new(&name.to_string_lossy()).map(|glob| Part::Matching(glob.0))
            }
            other => Ok(Part::Plain(PathBuf::from(other.as_os_str()))),
        })
        .collect::<Result<Vec<Part>, GlobError>>()?;
    let mut expansion = Expansion::default();
    step(PathBuf::new(), &parts, &mut expansion);
    Ok(expansion)
}

fn step(base: PathBuf, parts: &[Part], found: &mut Expansion) {
    let Some((part, rest)) = parts.split_first() else {
        if fs::symlink_metadata(&base).is_ok() {
            found.paths.push(base);
        }
        return;
    };
    match part {
        Part::Plain(name) => step(base.join(name), rest, found),
        Part::Matching(pattern) => {
            for (name, _) in entries(&base, found) {
                if pattern.matches_with(&name.to_string_lossy(), LIKE_A_SHELL) {
                    step(base.join(name), rest, found);
                }
            }
        }
        Part::AnyDepth => {
            // `**` as the last part stands for every directory; those are walked anyway.
            if !rest.is_empty() || !base.as_os_str().is_empty() {
                step(base.clone(), rest, found);
            }
            for (name, is_dir) in entries(&base, found) {
                if is_dir && !is_hidden(&name) {
                    step(base.join(name), parts, found);
                }
            }
        }
    }
}

/// Names in a directory, and which are directories themselves; nothing for what is no directory.
fn entries(dir: &Path, found: &mut Expansion) -> Vec<(std::ffi::OsString, bool)> {
    let listed = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    match fs::read_dir(listed) {
        Ok(entries) => entries
            .filter_map(Result::ok)
            .map(|entry| (entry.file_name(), entry.file_type().is_ok_and(|kind| kind.is_dir())))
            .collect(),
        Err(error) => {
            if error.kind() == io::ErrorKind::PermissionDenied {
                found.unreadable.push((dir.to_owned(), error));
            }
            Vec::new()
        }
    }
}

/// True for names that begin with a dot.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn an_exclusion_matches_a_path_a_directory_above_it_or_a_name() {
        let matches = |glob: &str, path: &str| Glob::new(glob).unwrap().matches_path(path);
        assert!(matches("*.bak", "a/b/c.bak"));
        assert!(matches("old", "a/old/c.log"));
        assert!(matches("a/*", "a/old/c.log"));
        assert!(matches("**/c.log", "a/old/c.log"));
        assert!(!matches("b", "a/old/c.log"));
        assert!(!matches("a*.log", "a/c.log"));
    }

    #[test]
    fn an_open_bracket_is_an_error_that_says_where() {
        let error = Glob::new("run[12").unwrap_err();
        assert_eq!(error.at, 4);
        assert!(error.to_string().contains("`run[12`"), "{error}");
    }
}
