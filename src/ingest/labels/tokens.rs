//! Words of one file or directory name that state a property of the run.
//!
//! In: a name without its directory and endings. Out: the properties it states and the words
//! that state none. A word counts by what it says, never by where it stands: `randread-8-32`
//! has a workload and two bare numbers. Where a name says two things about one property, or
//! a number could belong to either of two words, it says nothing.

use super::words::{
    OTHER_SIZES, Side, Strength, is_bare_size, is_file_system, is_identifier, is_level, is_number, is_size,
    is_workload, is_zlevel, neighbour_word, rwmixread, states, workload, workload_pair,
};
use super::{canonical, dimension_of_key};
use crate::model::{Dimension, Value};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a name says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Properties with their values.
    pub(super) found: BTreeMap<Dimension, Value>,
    /// Words that state no property, in their order, and where in the name each begins; time stamps, ids and
    /// serials are dropped.
    pub(super) leftover: Vec<(usize, String)>,
}

/// A property found, and the segments that it was read from.
#[derive(Debug)]
struct Finding {
    dimension: Dimension,
    value: Value,
    strength: Strength,
    segments: Vec<usize>,
}

/// A stretch of a name between separators.
#[derive(Debug)]
struct Segment<'a> {
    text: &'a str,
    lower: String,
    /// Offset in the name.
    start: usize,
    /// Separator behind it, if any.
    behind: Option<u8>,
    taken: bool,
}

/// Reads a name.
pub(super) fn recognise(name: &str) -> Tokens {
    let Unstamped { text: name, cuts } = &without_stamps(name);
    let mut reader = NameReader { name, segments: split(name), findings: Vec::new() };
    reader.take_pairs();
    reader.take_followed();
    reader.take_neighbours();
    reader.take_words();
    let mut tokens = reader.finish();
    for (start, _) in &mut tokens.leftover {
        let place = *start;
        *start += cuts.iter().filter(|(at, _)| *at <= place).map(|(_, bytes)| bytes).sum::<usize>();
    }
    tokens
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b' ' | b'=' | b'+' | b',')
}

fn split(name: &str) -> Vec<Segment<'_>> {
    let bytes = name.as_bytes();
    let mut segments = Vec::new();
    let mut start = 0;
    for at in 0..=bytes.len() {
        let behind = bytes.get(at).copied();
        if behind.is_some_and(|byte| !is_separator(byte)) {
            continue;
        }
        // Separators are ASCII, so both ends are character boundaries.
        let text = name.get(start..at).unwrap_or_default();
        if !text.is_empty() {
            segments.push(Segment { text, lower: text.to_ascii_lowercase(), start, behind, taken: false });
        }
        start = at + 1;
    }
    segments
}

/// A name without its stamps.
struct Unstamped {
    text: String,
    /// Where in the text how many bytes are missing.
    cuts: Vec<(usize, usize)>,
}

/// The name without dates, dates with times, and UUIDs.
fn without_stamps(name: &str) -> Unstamped {
    static STAMP: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let date = r"(?:19|20)[0-9]{2}[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12][0-9]|3[01])";
        let time = r"[-_T. ]?[0-2][0-9][-:_.]?[0-5][0-9](?:[-:_.]?[0-5][0-9])?Z?";
        let short = r"[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[-_][0-2][0-9][0-5][0-9][0-5][0-9]";
        let uuid = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}";
        Regex::new(&format!("({uuid}|{date}(?:{time})?|{short})(?:[^0-9A-Za-z]|$)")).ok()
    });
    // A date has eight digits or more, a UUID four hyphens: most names are done here.
    let count = |is: fn(&u8) -> bool| name.bytes().filter(is).count();
    if count(u8::is_ascii_digit) < 8 && count(|byte| *byte == b'-') < 4 {
        return Unstamped { text: name.to_owned(), cuts: Vec::new() };
    }
    let mut kept = Unstamped { text: String::with_capacity(name.len()), cuts: Vec::new() };
    let stamps = STAMP.as_ref();
    let (mut copied, mut from) = (0, 0);
    while let Some(stamp) = stamps.and_then(|stamp| stamp.captures_at(name, from)?.get(1)) {
        let glued = name[..stamp.start()].ends_with(|c: char| c.is_ascii_alphanumeric());
        if glued {
            // The stamp starts with an ASCII character, so the next byte starts one, too.
            from = stamp.start() + 1;
            continue;
        }
        kept.text.push_str(&name[copied..stamp.start()]);
        kept.cuts.push((kept.text.len(), stamp.len()));
        (copied, from) = (stamp.end(), stamp.end());
    }
    kept.text.push_str(&name[copied..]);
    kept
}

struct NameReader<'a> {
    name: &'a str,
    segments: Vec<Segment<'a>>,
    findings: Vec<Finding>,
}

impl NameReader<'_> {
    fn find(&mut self, dimension: Dimension, text: &str, strength: Strength, segments: &[usize]) {
        for &at in segments {
            self.segments[at].taken = true;
        }
        let value = canonical(&dimension, text);
        self.findings.push(Finding { dimension, value, strength, segments: segments.to_vec() });
    }

    /// The lower-case text of a free segment; empty when taken or out of range.
    fn free(&self, at: usize) -> &str {
        self.segments.get(at).filter(|segment| !segment.taken).map_or("", |segment| &segment.lower)
    }

    fn is_key(&self, at: usize) -> bool {
        self.segments.get(at).is_some_and(|segment| segment.behind == Some(b'='))
    }

    /// `key=value`, with any key.
    fn take_pairs(&mut self) {
        for at in 0..self.segments.len() {
            if !self.is_key(at) || self.segments[at].taken {
                continue;
            }
            let mut used = vec![at];
            let mut key = self.segments[at].lower.clone();
            // `block_size=4k`: two words that are one name.
            if let Some(before) = at.checked_sub(1)
                && !self.segments[before].taken
                && matches!(dimension_of_key(&(self.segments[before].lower.clone() + &key)), d if Dimension::KNOWN.contains(&d))
            {
                key.insert_str(0, &self.segments[before].lower);
                used.push(before);
            }
            let dimension = dimension_of_key(&key);
            let glued = self.segments[at].start + self.segments[at].text.len() + 1;
            let first = at + 1;
            // An empty value (`date=` once its stamp is gone) states nothing.
            if self.segments.get(first).is_none_or(|value| value.start != glued) || self.is_key(first) {
                self.segments[at].taken = true;
                continue;
            }
            let mut last = first;
            let open = matches!(
                dimension,
                Dimension::Other(_) | Dimension::Host | Dimension::Device | Dimension::Engine
            );
            while open
                && matches!(self.segments[last].behind, Some(b'-' | b'.'))
                && self.segments.get(last + 1).is_some_and(|next| states(&next.lower).is_empty())
                && !self.is_key(last + 1)
            {
                last += 1;
            }
            if dimension == Dimension::Engine
                && self.segments[first].lower == "io"
                && self.free(first + 1) == "uring"
            {
                last = first + 1;
            }
            if dimension == Dimension::Rw && workload_pair(self.free(first), self.free(first + 1)).is_some() {
                last = first + 1;
            }
            used.extend(first..=last);
            let start = self.segments[first].start;
            let end = self.segments[last].start + self.segments[last].text.len();
            let text = self.name.get(start..end).unwrap_or_default().to_owned();
            let labels_only =
                ["job", "jobid", "id", "uuid", "pid", "serial", "date", "time", "timestamp", "ts"]
                    .contains(&key.as_str());
            if matches!(dimension, Dimension::Other(_)) && (labels_only || is_identifier(&text)) {
                used.iter().for_each(|&at| self.segments[at].taken = true);
            } else if dimension == Dimension::Rw {
                let (rw, mix) = workload(&text);
                self.find(dimension, &rw, Strength::Pair, &used);
                if let Some(mix) = mix {
                    self.find(rwmixread(), &mix, Strength::Pair, &used);
                }
            } else {
                self.find(dimension, &text, Strength::Pair, &used);
            }
        }
    }

    /// Words whose value always stands behind them: `raid-5`, `run_3`, `direct_1`, `ioengine_psync`.
    fn take_followed(&mut self) {
        for at in 0..self.segments.len() {
            let (word, next) = (self.free(at), self.free(at + 1).to_owned());
            let number = is_number(&next);
            match word {
                "raid" | "raidlevel" if is_level(&next) || is_zlevel(&next) => {
                    self.find(Dimension::Raid, &next, Strength::Named, &[at, at + 1]);
                }
                "raid" if next == "level" && is_level(self.free(at + 2)) => {
                    let level = self.free(at + 2).to_owned();
                    self.find(Dimension::Raid, &level, Strength::Named, &[at, at + 1, at + 2]);
                }
                "run" | "rep" | "repeat" | "iter" | "iteration" if number => {
                    self.find(Dimension::Repeat, &next, Strength::Named, &[at, at + 1]);
                }
                "direct" if next == "0" || next == "1" => {
                    self.find(Dimension::Direct, &next, Strength::Named, &[at, at + 1]);
                }
                "ioengine" | "engine" if next == "io" && self.free(at + 2) == "uring" => {
                    self.find(Dimension::Engine, "io_uring", Strength::Named, &[at, at + 1, at + 2]);
                }
                "ioengine" if next.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    self.find(Dimension::Engine, &next, Strength::Named, &[at, at + 1]);
                }
                // The word in front is the property's name; the workload itself is read later.
                "rw" if is_workload(&next) || workload_pair(&next, self.free(at + 2)).is_some() => {
                    self.segments[at].taken = true;
                }
                "fs" | "filesystem" if is_file_system(&next) => self.segments[at].taken = true,
                _ => {}
            }
        }
    }

    /// Words whose number or size stands beside them.
    fn take_neighbours(&mut self) {
        struct Word {
            at: usize,
            /// Segments of the word itself: two for `queue_depth`.
            width: usize,
            dimension: Dimension,
            side: Side,
        }
        let mut words = Vec::new();
        for at in 0..self.segments.len() {
            let (first, second) = (self.free(at), self.free(at + 1));
            let pair = ["blocksize", "chunksize", "queuedepth", "iodepth"].into_iter().find(|pair| {
                !first.is_empty() && !second.is_empty() && pair.strip_prefix(first) == Some(second)
            });
            let (two, word) = (pair.is_some(), pair.unwrap_or(first));
            if let Some((dimension, side)) = neighbour_word(word) {
                words.push(Word { at, width: if two { 2 } else { 1 }, dimension, side });
            }
        }
        let fits = |reader: &Self, word: &Word, at: Option<usize>| {
            at.filter(|&at| match word.dimension {
                Dimension::Chunk | Dimension::Bs => {
                    is_size(reader.free(at), word.dimension == Dimension::Chunk)
                }
                _ => is_number(reader.free(at)),
            })
        };
        let before = |reader: &Self, word: &Word| fits(reader, word, word.at.checked_sub(1));
        let behind = |reader: &Self, word: &Word| {
            fits(reader, word, Some(word.at + word.width)).filter(|_| word.side != Side::OnlyBefore)
        };
        words.retain(|word| before(self, word).is_some() || behind(self, word).is_some());
        // A name in one style throughout leaves no doubt: `64k_chunk_4k_bs`, `qd_4_jobs_8`.
        let all_before = words.iter().all(|word| before(self, word).is_some());
        let all_behind = words.iter().all(|word| behind(self, word).is_some());
        for word in &words {
            let value = match (before(self, word), behind(self, word)) {
                (Some(at), None) | (None, Some(at)) => at,
                (Some(at), Some(_)) if all_before && !all_behind => at,
                (Some(_), Some(at)) if all_behind && !all_before => at,
                (Some(at), Some(_)) if matches!(word.side, Side::Before) => at,
                (Some(_), Some(at)) if matches!(word.side, Side::Behind) => at,
                _ => continue,
            };
            let text = self.free(value).to_owned();
            let mut used: Vec<usize> = (word.at..word.at + word.width).collect();
            used.push(value);
            self.find(word.dimension.clone(), &text, Strength::Named, &used);
        }
    }

    /// Words that say it all by themselves, and pairs such as `rand-read`.
    fn take_words(&mut self) {
        for at in 0..self.segments.len() {
            let (word, next) = (self.free(at).to_owned(), self.free(at + 1).to_owned());
            if word.is_empty() {
                continue;
            }
            if let Some(rw) = workload_pair(&word, &next) {
                let (rw, mix) = workload(&rw);
                self.find(Dimension::Rw, &rw, Strength::Bare, &[at, at + 1]);
                if let Some(mix) = mix {
                    self.find(rwmixread(), &mix, Strength::Bare, &[at, at + 1]);
                }
                continue;
            }
            // `write-cache`, `read-ahead`: settings, no workloads.
            let setting = ["cache", "through", "back", "ahead", "only", "policy"].contains(&next.as_str());
            if setting && (word == "read" || word == "write") {
                continue;
            }
            if is_bare_size(&word) && self.names_other_size(at) {
                continue;
            }
            for (dimension, text, strength) in states(&word) {
                self.find(dimension, &text, strength, &[at]);
            }
        }
    }

    fn names_other_size(&self, at: usize) -> bool {
        let beside = [at.checked_sub(1), Some(at + 1)];
        let mut beside = beside.into_iter().flatten().filter_map(|at| self.segments.get(at));
        // A word that has found its own size leaves others alone: `chunk64k_4k` and `chunk_64k_4k`.
        beside.any(|segment| !segment.taken && OTHER_SIZES.contains(&segment.lower.as_str()))
    }

    fn finish(mut self) -> Tokens {
        let mut tokens = Tokens::default();
        for dimension in self.findings.iter().map(|f| f.dimension.clone()).collect::<Vec<_>>() {
            let of = self.findings.iter().filter(|f| f.dimension == dimension);
            let Some(best) = of.clone().map(|f| f.strength).max() else { continue };
            let mut values: Vec<&Value> = of.filter(|f| f.strength == best).map(|f| &f.value).collect();
            values.sort();
            values.dedup();
            if let [value] = values.as_slice() {
                tokens.found.insert(dimension, (*value).clone());
            }
        }
        // What lost, or says two things at once, is a word like any other.
        for finding in &self.findings {
            if tokens.found.get(&finding.dimension) != Some(&finding.value) {
                finding.segments.iter().for_each(|&at| self.segments[at].taken = false);
            }
        }
        for finding in &self.findings {
            if tokens.found.get(&finding.dimension) == Some(&finding.value) {
                finding.segments.iter().for_each(|&at| self.segments[at].taken = true);
            }
        }
        for at in 0..self.segments.len() {
            let id_follows =
                self.segments.get(at + 1).is_some_and(|next| !next.taken && is_identifier(next.text));
            let segment = &self.segments[at];
            let names_id =
                id_follows && ["job", "jobid", "id", "pid", "slurm", "wwn"].contains(&segment.lower.as_str());
            if !segment.taken && !names_id && !is_identifier(segment.text) {
                tokens.leftover.push((segment.start, segment.text.to_owned()));
            }
        }
        tokens
    }
}
