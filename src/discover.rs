//! From what the user named to files: sorted, each once, under stable names.
//!
//! Files, directories, glob patterns and `-` go in, in any order, mix and
//! spelling. [`SourceFile`]s come out, named relative to the deepest directory
//! that holds them all, with a remark for everything that could not be used.
//! Only names are looked at here: no file is opened.

mod pattern;
mod place;
mod search;
mod walk;

pub use pattern::{Glob, GlobError};

use crate::model::{Diagnostic, natural_order};
pub(crate) use place::printable_bytes;
use search::Search;
#[cfg(feature = "tables")]
pub(crate) use search::order_remarks;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The file that makes a directory a report of plotgen.
pub const MANIFEST: &str = "plotgen-manifest.json";

/// The file that makes a directory a store of plotgen.
pub const STORE_MANIFEST: &str = "plotgen-store.json";

/// What to look for, and what not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiscoverOptions {
    /// Patterns of files to leave out: see [`Glob::matches_path`].
    pub exclude: Vec<Glob>,
    /// Whether outputs beside named logs are taken along.
    pub siblings: Siblings,
    /// A directory that counts for the root as if it had been named: files keep the names that they have
    /// below it, although only a part of it is looked at.
    pub within: Option<PathBuf>,
}

/// Whether outputs beside named logs are taken along.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Siblings {
    /// `plotgen results/*.log` finds `results/*.json`.
    #[default]
    Find,
    /// What was named and nothing else.
    Ignore,
}

/// All inputs, ready to be read.
#[derive(Debug, Clone, Default)]
pub struct Discovered {
    /// The deepest directory that holds all named sources, absolute.
    pub root: PathBuf,
    /// The files in natural order of their relative names; standard input last.
    pub sources: Vec<SourceFile>,
    /// Remarks; their paths are relative names where they lie below the root, else as typed.
    pub diagnostics: Vec<Diagnostic>,
    /// Remarks on earlier reports that were passed over. Apart from the others: a report does
    /// not change by standing among the inputs of the next.
    pub passed_over: Vec<Diagnostic>,
    /// Earlier reports that were passed over, absolute.
    pub skipped_reports: Vec<PathBuf>,
    /// Patterns of files to leave out, for what is found inside of archives.
    pub exclude: Vec<Glob>,
    /// As the user would write it, by relative name: of all sources and of what the remarks are about.
    pub shown: BTreeMap<String, String>,
}

/// One input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Absolute path; `-` for standard input.
    pub path: PathBuf,
    /// Path below the root with `/` between parts, unique among the sources.
    pub relative: String,
    /// As the user would write it.
    pub shown: String,
    /// Why it is here.
    pub role: Role,
    /// True for standard input.
    pub stdin: bool,
}

impl SourceFile {
    /// The last part of the relative path.
    pub(crate) fn file_name(&self) -> &str {
        self.relative.rsplit('/').next().unwrap_or(&self.relative)
    }

    /// Directory part of the relative path; empty at the root.
    pub(crate) fn directory(&self) -> &str {
        self.relative.rsplit_once('/').map_or("", |(directory, _)| directory)
    }
}

/// Why a file is among the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Named, matched by a pattern, or inside a named directory.
    Named,
    /// Found beside a named log.
    Sibling,
    /// The manifest of a store: what the store holds takes its place.
    Store,
}

/// Finds the files behind `inputs`.
///
/// The result does not depend on the order of the inputs, nor on how their
/// paths are spelled. Nothing ends the search: what cannot be used becomes a
/// diagnostic, an error where the user named it.
pub fn discover<S: AsRef<OsStr>>(inputs: &[S], options: &DiscoverOptions) -> Discovered {
    let mut search = Search::new();
    let mut stdin = false;
    for input in inputs {
        match input.as_ref() {
            input if input == "-" => stdin = true,
            input => search.input(input),
        }
    }
    search.walk.run(std::mem::take(&mut search.directories));
    if options.siblings == Siblings::Find {
        search.siblings();
    }
    search.finish(options, stdin)
}

/// True when one of the patterns matches a name of the file.
pub(crate) fn is_excluded(source: &SourceFile, exclude: &[Glob]) -> bool {
    exclude.iter().any(|glob| glob.matches_path(&source.relative) || glob.matches_path(&source.shown))
}

/// Bytes by which paths sort as [`path_order`] sorts them, but for those that differ in zeros before a number alone.
pub(crate) fn path_key(path: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(path.len() + 16);
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        if !first.is_ascii_digit() {
            // No name holds the byte 0: what is in a directory comes before what only begins like its name.
            key.push(if *first == b'/' { 0 } else { *first });
            rest = behind;
            continue;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, behind) = rest.split_at(digits);
        let zeros = number.iter().take_while(|&&digit| digit == b'0').count();
        let number = &number[zeros..];
        // In the place of a digit among other bytes; the longer number is the larger one.
        key.push(b'0');
        key.extend_from_slice(&u32::try_from(number.len()).unwrap_or(u32::MAX).to_be_bytes());
        key.extend_from_slice(number);
        rest = behind;
    }
    key
}

/// Natural order, part by part: what is in a directory stays together.
pub(crate) fn path_order(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.split('/'), b.split('/'));
    loop {
        match (x.next(), y.next()) {
            (Some(p), Some(q)) => match natural_order(p, q) {
                Ordering::Equal => {}
                order => return order,
            },
            (p, q) => return p.is_some().cmp(&q.is_some()).then_with(|| a.cmp(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_put_numbers_and_folders_in_their_places() {
        let mut paths = ["run10/a", "run2/a", "run2-b", "run", "run2", "run/z", "x01", "x1a", "x9", "x/1"];
        paths.sort_by_cached_key(|path| path_key(path));
        assert_eq!(paths, ["run", "run/z", "run2", "run2/a", "run2-b", "run10/a", "x/1", "x01", "x1a", "x9"]);
    }

    proptest! {
        #[test]
        fn keys_order_paths_as_they_are_compared(a in "[a-c01/ .\\-9]{0,9}", b in "[a-c01/ .\\-9]{0,9}") {
            let by_key = path_key(&a).cmp(&path_key(&b)).then_with(|| a.cmp(&b));
            prop_assert_eq!(by_key, path_order(&a, &b));
        }
    }
}
