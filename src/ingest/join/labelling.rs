//! The dimensions of the runs, from all that is known of each.
//!
//! In: drafts with all their files. Out: the dimensions of each, strongest origin first: the user, the
//! user's pattern, the files' own options, names, folders, and at last the differing parts of paths that
//! nothing else explains.

use super::draft::Draft;
use crate::discover::SourceFile;
use crate::ingest::IngestOptions;
use crate::ingest::labels::{self, Labels};
use crate::model::{Diagnostic, Dimension, DimensionEntry, DimensionOrigin, Severity, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// The dimensions of a run.
pub(super) type Dimensions = BTreeMap<Dimension, DimensionEntry>;

/// What names say, each read once: runs of one file, and repeats, share most of theirs.
#[derive(Default)]
struct Read<'a> {
    files: HashMap<&'a str, Rc<Labels>>,
    folders: HashMap<&'a str, Rc<Labels>>,
}

impl<'a> Read<'a> {
    fn file(&mut self, stem: &'a str) -> Rc<Labels> {
        Rc::clone(self.files.entry(stem).or_insert_with(|| Rc::new(labels::from_file_stem(stem))))
    }

    fn folder(&mut self, name: &'a str) -> Rc<Labels> {
        Rc::clone(self.folders.entry(name).or_insert_with(|| Rc::new(labels::from_directory(name))))
    }
}

/// What a set of dimensions does not have yet.
fn put(dimensions: &mut Dimensions, dimension: Dimension, value: Value, from: DimensionOrigin) {
    dimensions.entry(dimension).or_insert(DimensionEntry { value, from });
}

/// Gives each draft its dimensions.
pub(super) fn label(
    drafts: &[Draft],
    sources: &[SourceFile],
    options: &IngestOptions,
    said: &[Option<Arc<IngestOptions>>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Dimensions> {
    let depth = drafts.iter().map(|draft| draft.folders().count()).max().unwrap_or(0);
    let mut leftovers: Vec<Vec<String>> = Vec::with_capacity(drafts.len());
    let mut labelled: Vec<Dimensions> = Vec::with_capacity(drafts.len());
    let mut dead_patterns = 0;
    let mut read = Read::default();
    for draft in drafts {
        let mut dimensions = Dimensions::new();
        let pattern = put_users(&mut dimensions, draft, sources, options, said);
        dead_patterns += usize::from(matches!(pattern, Explained::Nothing));
        for (dimension, value) in &draft.part.dimensions {
            put(&mut dimensions, dimension.clone(), value.clone(), DimensionOrigin::Option);
        }
        let stem = read.file(&draft.stem);
        let prefix = draft.prefix.as_deref().map(|prefix| read.file(prefix));
        let folders: Vec<Rc<Labels>> = draft.folders().map(|folder| read.folder(folder)).collect();
        // The folder nearest to the file says most about it.
        let names = [&stem].into_iter().chain(&prefix).chain(folders.iter().rev());
        for (dimension, entry) in names.flat_map(|labels| &labels.dimensions) {
            put(&mut dimensions, dimension.clone(), entry.value.clone(), entry.from);
        }
        let known: BTreeSet<&str> = dimensions.values().map(|entry| entry.value.as_str()).collect();
        let mut left: Vec<String> = folders
            .iter()
            .zip(pattern.folders(draft))
            .map(|(labels, explained)| unexplained(labels, &explained, &BTreeSet::new(), &known))
            .collect();
        left.resize(depth, String::new());
        // A table that states its dimensions needs none from its own name.
        left.push(if draft.part.tool.name == "rbench" {
            String::new()
        } else {
            unexplained(&stem, &pattern.stem(draft), &draft.part.explained, &known)
        });
        leftovers.push(left);
        labelled.push(dimensions);
    }
    if dead_patterns > 0 {
        let what = match dead_patterns {
            _ if dead_patterns == drafts.len() => "matches no run at all".to_owned(),
            _ => format!("matches none of the paths of {dead_patterns} of {} runs", drafts.len()),
        };
        let message = format!("{what}; the runs keep what else their names and files say");
        diagnostics.push(Diagnostic::new(Severity::Warning, "--pattern", message));
    }
    diagnostics.extend(no_sizes(&labelled, options));
    tell_jobs_apart(drafts, &mut labelled, &mut read);
    for (dimensions, paths) in labelled.iter_mut().zip(labels::path_dimensions(&leftovers)) {
        for (dimension, value) in paths {
            put(dimensions, dimension, value, DimensionOrigin::Path);
        }
    }
    labelled
}

/// Names the values that the user gave to a size and that are none, as a pattern that takes in too much gives them.
fn no_sizes(labelled: &[Dimensions], options: &IngestOptions) -> Vec<Diagnostic> {
    // A range or a list of sizes (fio HOWTO, `bsrange`, `bssplit`, `bs=4k,8k`) is of sizes.
    let is_size = |value: &Value| {
        value
            .as_str()
            .split(['-', ',', ':', '/'])
            .all(|part| part.is_empty() || Value::canonical(&Dimension::Bs, part).number().is_some())
    };
    let mut found: BTreeMap<(DimensionOrigin, &Dimension), BTreeSet<&Value>> = BTreeMap::new();
    for (dimension, entry) in labelled.iter().flatten() {
        let users = matches!(entry.from, DimensionOrigin::Set | DimensionOrigin::Pattern);
        let sized = matches!(dimension, Dimension::Chunk | Dimension::Bs);
        if users && sized && !is_size(&entry.value) {
            found.entry((entry.from, dimension)).or_default().insert(&entry.value);
        }
    }
    let remark = |((from, dimension), values): ((DimensionOrigin, &Dimension), BTreeSet<&Value>)| {
        let first = values.first().map_or("", |value| value.as_str());
        let more = match values.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let (flag, hint) = match (from, &options.pattern) {
            (DimensionOrigin::Pattern, Some(pattern)) => (
                "--pattern",
                format!("`{}` takes in too much; `[^_]+` ends at the next `_`", pattern.as_str()),
            ),
            _ => ("--set", "expected one such as 64k".to_owned()),
        };
        let message = format!("`{first}`{more} is no {}: {hint}", dimension.title());
        Diagnostic::new(Severity::Warning, flag, message)
    };
    found.into_iter().map(remark).collect()
}

/// What the user's pattern took from the path of a run.
enum Explained {
    /// There is no pattern.
    Unasked,
    /// It matches none of the run's paths.
    Nothing,
    /// Values at these places of a path.
    Places(String, Vec<Range<usize>>),
}

impl Explained {
    /// The places within a part of the path that begins at `start` and has this text there.
    fn within(&self, start: usize, text: &str) -> Vec<Range<usize>> {
        let Explained::Places(path, places) = self else { return Vec::new() };
        if !path.get(start..).is_some_and(|rest| rest.starts_with(text)) {
            return Vec::new();
        }
        let places = places.iter().filter(|place| place.end > start);
        places.map(|place| place.start.saturating_sub(start)..place.end - start).collect()
    }

    /// The places within each folder of a run.
    fn folders(&self, draft: &Draft) -> Vec<Vec<Range<usize>>> {
        let mut start = 0;
        let folders = draft.folders().map(|folder| {
            let own = self.within(start, folder);
            start += folder.len() + 1;
            own
        });
        folders.collect()
    }

    /// The places within the stem of a run.
    fn stem(&self, draft: &Draft) -> Vec<Range<usize>> {
        self.within(draft.path().len() - draft.stem.len(), &draft.stem)
    }
}

/// Puts what the user said of a run, and tells what of its path the user's pattern explains.
fn put_users(
    dimensions: &mut Dimensions,
    draft: &Draft,
    sources: &[SourceFile],
    options: &IngestOptions,
    said: &[Option<Arc<IngestOptions>>],
) -> Explained {
    let path = draft.path();
    let said = draft.sources.first().and_then(|&source| said.get(source)?.as_deref());
    for options in [options].into_iter().chain(said) {
        let matching = options.set_matching.iter().filter(|(pattern, ..)| pattern.matches_path(&path));
        let set = options.set.iter().map(|(dimension, value)| (dimension, value));
        for (dimension, value) in set.chain(matching.map(|(_, dimension, value)| (dimension, value))) {
            put(dimensions, dimension.clone(), value.clone(), DimensionOrigin::Set);
        }
    }
    let pattern = options.pattern.as_ref().or_else(|| said?.pattern.as_ref());
    let Some(pattern) = pattern else { return Explained::Unasked };
    let mut paths =
        std::iter::once(&path).chain(draft.sources.iter().map(|&source| &sources[source].relative));
    let Some((path, captured)) = paths.find_map(|path| {
        let captured = pattern.captures(path);
        (!captured.is_empty()).then_some((path, captured))
    }) else {
        return Explained::Nothing;
    };
    for (dimension, value) in captured {
        put(dimensions, dimension, value, DimensionOrigin::Pattern);
    }
    Explained::Places(path.clone(), pattern.places(path))
}

/// Groups of one output that only their jobs' names tell apart (`mount-fuse`, `mount-kernel`) get the
/// dimension `job`: without it they would pass for repeats. Names that differ in a number are repeats.
fn tell_jobs_apart<'a>(drafts: &'a [Draft], labelled: &mut [Dimensions], read: &mut Read<'a>) {
    let word = |draft: &'a Draft| {
        let read = read.file(draft.part.label.as_deref()?);
        let word = read.leftover.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-').to_owned();
        (!word.is_empty() && !draft.key.is_empty()).then_some(word)
    };
    let words: Vec<Option<String>> = drafts.iter().map(word).collect();
    /// A source, and the dimensions of one of its runs.
    type Known<'d> = (usize, Vec<(&'d Dimension, &'d Value)>);
    let mut seen: HashMap<Known<'_>, &str> = HashMap::new();
    let mut needed = false;
    for ((draft, dimensions), word) in drafts.iter().zip(labelled.iter()).zip(&words) {
        let (Some(word), Some(&source)) = (word, draft.sources.first()) else { continue };
        let values = dimensions.iter().map(|(dimension, entry)| (dimension, &entry.value)).collect();
        needed |= *seen.entry((source, values)).or_insert(word) != word.as_str();
    }
    if needed {
        let job = Dimension::Other("job".to_owned());
        for (dimensions, word) in labelled.iter_mut().zip(words) {
            let Some(word) = word else { continue };
            let value = Value::canonical(&job, &word);
            let from = DimensionOrigin::Option;
            dimensions.entry(job.clone()).or_insert(DimensionEntry { value, from });
        }
    }
}

/// The words of a name that say something which nothing else does.
///
/// A number in front that only orders names goes: `0007` of `0007-bs4k-64qd-randread`, where the number and
/// the depth would vary together and hide each other. So do what stands in the `places` that the user's pattern
/// explains, words that the file explains, and, where nothing else is left, numbers that repeat a known value: `randread-16-8` beside `iodepth=16 numjobs=8`.
fn unexplained(
    labels: &Labels,
    places: &[Range<usize>],
    explained: &BTreeSet<String>,
    known: &BTreeSet<&str>,
) -> String {
    let leftover = labels.leftover_without(places);
    let (first, rest) = leftover.split_once('-').unwrap_or((&leftover, ""));
    let serial = first.len() > 1 && first.starts_with('0') && first.bytes().all(|c| c.is_ascii_digit());
    let alone = rest.is_empty() && labels.dimensions.is_empty();
    let left = if serial && !alone { rest } else { &leftover };
    let words: Vec<&str> = left.split('-').filter(|word| !explained.contains(&word.to_lowercase())).collect();
    let is_known = |word: &str| {
        let plain = word.trim_start_matches('0');
        known.contains(if plain.is_empty() { "0" } else { plain }) && word.bytes().all(|c| c.is_ascii_digit())
    };
    if words.iter().all(|word| word.is_empty() || is_known(word)) { String::new() } else { words.join("-") }
}
