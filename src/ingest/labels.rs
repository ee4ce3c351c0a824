//! Dimensions of a run from names and options.
//!
//! In: file and directory names, fio's options, the user's pattern. Out: dimensions in canonical
//! spelling, and the words of a name that are none. A position in a name never decides; two words
//! that contradict each other say nothing. Nothing here looks at the file system.

#[cfg(test)]
mod tests;
mod tokens;
mod words;

use crate::model::{Dimension, DimensionEntry, DimensionOrigin, Value};
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;

/// What one name says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// Properties that the name states.
    pub dimensions: BTreeMap<Dimension, DimensionEntry>,
    /// The words that state none, joined by `-`; without time stamps, job ids and serials.
    pub leftover: String,
    /// Where in the name the words of the leftover begin.
    starts: Vec<usize>,
}

impl Labels {
    /// The leftover without what stands in these stretches of the name, which something else explains.
    #[must_use]
    pub fn leftover_without(&self, explained: &[Range<usize>]) -> String {
        let words = self.leftover.split('-').zip(&self.starts).map(|(word, start)| {
            let open = |at: usize| !explained.iter().any(|range| range.contains(&(start + at)));
            word.char_indices().filter(|(at, _)| open(*at)).map(|(_, letter)| letter).collect::<String>()
        });
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
    }
}

/// Reads a file's name without its ending: `raid10_chunk64k_randread_qd4_run1`.
#[must_use]
pub fn from_file_stem(stem: &str) -> Labels {
    labels(stem, DimensionOrigin::FileName)
}

/// Reads one directory's name: `iodepth=16`, `RAID-5`, `4k_bs`.
#[must_use]
pub fn from_directory(component: &str) -> Labels {
    labels(component, DimensionOrigin::Directory)
}

fn labels(name: &str, from: DimensionOrigin) -> Labels {
    let tokens::Tokens { found, leftover } = tokens::recognise(name);
    let dimensions =
        found.into_iter().map(|(dimension, value)| (dimension, DimensionEntry { value, from })).collect();
    let (starts, words): (Vec<usize>, Vec<String>) = leftover.into_iter().unzip();
    Labels { dimensions, leftover: words.join("-"), starts }
}

/// The dimension that a key names, by its own name or one that other tools use; any other key
/// is a dimension of the user's.
#[must_use]
pub fn dimension_of_key(key: &str) -> Dimension {
    let key = key.trim().to_ascii_lowercase();
    match key.as_str() {
        "qd" | "depth" | "queuedepth" | "queue_depth" | "io_depth" => Dimension::Iodepth,
        "blocksize" | "block_size" => Dimension::Bs,
        "chunksize" | "chunk_size" => Dimension::Chunk,
        "jobs" | "num_jobs" => Dimension::Numjobs,
        "ioengine" | "io_engine" => Dimension::Engine,
        "raidlevel" | "raid_level" => Dimension::Raid,
        "filesystem" | "file_system" => Dimension::Fs,
        "readwrite" => Dimension::Rw,
        "run" | "rep" | "iter" | "iteration" => Dimension::Repeat,
        "disks" => Dimension::Drives,
        "hostname" => Dimension::Host,
        _ => Dimension::named(&key),
    }
}

/// A value in canonical spelling, with what a name may leave out: a chunk without a unit is in
/// KiB (mdadm's `--chunk`), `z2` is `raidz2`.
pub(super) fn canonical(dimension: &Dimension, text: &str) -> Value {
    let plain = text.parse::<u64>();
    match (dimension, plain) {
        (Dimension::Chunk, Ok(1..4096)) => Value::canonical(dimension, &format!("{text}k")),
        (Dimension::Raid, _) if text.starts_with(['z', 'Z']) => {
            Value::canonical(dimension, &format!("raid{text}"))
        }
        _ => Value::canonical(dimension, text),
    }
}

/// Dimensions that fio's effective options state. Nothing is assumed for an option that is not there.
///
/// `readwrite` and `rw` are one workload to fio; the value is `rw`. The share of reads
/// is the dimension `rwmixread`, the writes between two syncs are `fsync` and `fdatasync`. `device` is `filename` where that is a device.
#[must_use]
pub fn from_options(options: &BTreeMap<String, String>) -> BTreeMap<Dimension, Value> {
    let mut dimensions = BTreeMap::new();
    let option = |names: &[&str]| {
        let stated = names.iter().find_map(|name| options.get(*name)).map(|value| value.trim());
        stated.filter(|value| !value.is_empty())
    };
    let mut set = |dimension: Dimension, text: &str| {
        let value = Value::canonical(&dimension, text);
        dimensions.insert(dimension, value);
    };
    let rw = option(&["rw", "readwrite"]).map(|text| words::workload(text).0);
    if let Some(rw) = &rw {
        set(Dimension::Rw, rw);
    }
    if rw.as_deref().is_none_or(|rw| rw.starts_with("rw") || rw.starts_with("randrw")) {
        let writes = option(&["rwmixwrite"]).and_then(|share| 100u32.checked_sub(share.parse().ok()?));
        let reads = option(&["rwmixread"]).map(str::to_owned).or(writes.map(|share| share.to_string()));
        if let Some(reads) = reads {
            set(Dimension::Other("rwmixread".to_owned()), &reads);
        }
    }
    for (dimension, names) in [
        (Dimension::Bs, ["bs", "blocksize", "bsrange", "blocksize_range", "bssplit"].as_slice()),
        (Dimension::Iodepth, &["iodepth"]),
        (Dimension::Numjobs, &["numjobs"]),
        (Dimension::Engine, &["ioengine"]),
    ] {
        if let Some(text) = option(names) {
            set(dimension, text);
        }
    }
    // After how many writes, each option the call of its name; 0 is fio's default, never.
    for name in words::SYNCS {
        if let Some(writes) = option(&[name]).filter(|text| text.parse() != Ok(0)) {
            set(Dimension::Other(name.to_owned()), writes);
        }
    }
    // A flag without a value is set.
    match (options.get("direct"), options.get("buffered")) {
        (Some(direct), _) => set(Dimension::Direct, direct),
        (None, Some(buffered)) => {
            let buffered = Value::canonical(&Dimension::Direct, buffered);
            set(Dimension::Direct, if buffered.as_str() == "0" { "1" } else { "0" });
        }
        (None, None) => {}
    }
    if let Some(device) = option(&["filename"]).filter(|name| name.starts_with("/dev/")) {
        set(Dimension::Device, device);
    }
    dimensions
}

/// The user's pattern for paths: a regular expression whose named groups are dimensions.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It is no regular expression; the message marks the place.
    #[error("the pattern is no regular expression: {0}")]
    Syntax(String),
    /// It names nothing.
    #[error(
        "the pattern `{0}` has no named group; name each part that is a dimension, \
         as in `raid(?<raid>\\d+)_chunk(?<chunk>[^_]+)_`"
    )]
    NoNames(String),
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When it is no regular expression, or names no group.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let regex = Regex::new(pattern).map_err(|error| PatternError::Syntax(error.to_string()))?;
        if regex.capture_names().flatten().next().is_none() {
            return Err(PatternError::NoNames(pattern.to_owned()));
        }
        Ok(Pattern { regex })
    }

    /// The pattern as the user wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// Where in a path [`Pattern::captures`] finds its values.
    #[must_use]
    pub fn places(&self, relative_path: &str) -> Vec<Range<usize>> {
        let Some(found) = self.regex.captures(relative_path) else { return Vec::new() };
        let named = self.regex.capture_names().flatten();
        named.filter_map(|name| Some(found.name(name)?.range())).collect()
    }

    /// Dimensions from the first match anywhere in a path (relative, `/` between parts); none
    /// when nothing matches. A group that took part in no way, or with nothing, has no value.
    #[must_use]
    pub fn captures(&self, relative_path: &str) -> BTreeMap<Dimension, Value> {
        let Some(found) = self.regex.captures(relative_path) else { return BTreeMap::new() };
        let named = self.regex.capture_names().flatten();
        named
            .filter_map(|name| {
                let text = found.name(name)?.as_str().trim();
                let dimension = dimension_of_key(name);
                let value = canonical(&dimension, text);
                (!text.is_empty()).then_some((dimension, value))
            })
            .collect()
    }
}

/// Dimensions from the parts of paths by which runs differ.
///
/// `leftovers` holds, for each run, what [`from_directory`] left of its directories, outermost
/// first, from the common root on. The first depth at which runs differ is `path1`, the next
/// `path2`; depths at which all agree give nothing, and an empty leftover no value.
#[must_use]
pub fn path_dimensions(leftovers: &[Vec<String>]) -> Vec<BTreeMap<Dimension, Value>> {
    let deepest = leftovers.iter().map(Vec::len).max().unwrap_or(0);
    let mut dimensions = vec![BTreeMap::new(); leftovers.len()];
    let mut number = 0;
    for depth in 0..deepest {
        let words = || leftovers.iter().map(|run| run.get(depth).map_or("", String::as_str));
        let first = words().next();
        if words().all(|word| Some(word) == first) {
            continue;
        }
        number += 1;
        let dimension = Dimension::Other(format!("path{number}"));
        for (run, word) in dimensions.iter_mut().zip(words()).filter(|(_, word)| !word.is_empty()) {
            run.insert(dimension.clone(), Value::canonical(&dimension, word));
        }
    }
    dimensions
}
