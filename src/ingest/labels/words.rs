//! The vocabulary of names: which words state what.
//!
//! In: one lower-case word between separators. Out: what it states, alone or glued together with
//! others (`raid10chunk64kqd4`). Which of several words counts is not decided here.

use crate::model::Dimension;

/// How plainly a word names its property; a plainer one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// The value alone: `4k`, `randread`.
    Bare,
    /// With its name: `bs4k`, `qd_4`.
    Named,
    /// As a pair: `bs=4k`.
    Pair,
}

/// Words whose number may stand on either side, and on which side it belongs when both could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// A key: `iodepth_4`.
    Behind,
    /// A unit: `16_fiojob`.
    Before,
    /// A unit that never is a key: `job_4` is the fourth job, `disk_4` the fourth disk.
    OnlyBefore,
    /// Either: `chunk_64k`, `64k_chunk`.
    Unclear,
}

pub(super) fn neighbour_word(word: &str) -> Option<(Dimension, Side)> {
    Some(match word {
        "chunk" | "chunksize" => (Dimension::Chunk, Side::Unclear),
        "bs" | "blocksize" => (Dimension::Bs, Side::Behind),
        "iodepth" | "depth" | "queuedepth" => (Dimension::Iodepth, Side::Behind),
        "qd" => (Dimension::Iodepth, Side::Unclear),
        "numjobs" => (Dimension::Numjobs, Side::Behind),
        "jobs" | "fiojob" | "fiojobs" => (Dimension::Numjobs, Side::Before),
        "job" => (Dimension::Numjobs, Side::OnlyBefore),
        "drives" | "disks" => (Dimension::Drives, Side::Before),
        "drive" | "disk" => (Dimension::Drives, Side::OnlyBefore),
        _ => return None,
    })
}

/// Words behind a bare size, or in front of it, that say the size is no block size.
pub(super) const OTHER_SIZES: [&str; 14] = [
    "chunk",
    "chunksize",
    "size",
    "filesize",
    "stripe",
    "su",
    "cache",
    "ra",
    "readahead",
    "journal",
    "log",
    "segment",
    "page",
    "rpm",
];

pub(super) fn rwmixread() -> Dimension {
    Dimension::Other("rwmixread".to_owned())
}

/// True for job ids, serial numbers and hashes: long numbers, long hexadecimal words, long mixtures
/// of letters and digits.
pub(super) fn is_identifier(text: &str) -> bool {
    let text = text.strip_prefix("0x").unwrap_or(text);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    if digits + letters != text.len() {
        return false;
    }
    let changes =
        text.as_bytes().windows(2).filter(|w| w[0].is_ascii_digit() != w[1].is_ascii_digit()).count();
    let hexadecimal = text.bytes().all(|c| c.is_ascii_hexdigit());
    (letters == 0 && digits >= 7)
        || (hexadecimal && digits > 0 && letters > 0 && text.len() >= 8)
        || (text.len() >= 10 && changes >= 5)
}

pub(super) fn is_number(text: &str) -> bool {
    (1..=6).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit())
}

/// Numbers of RAID levels, plain and nested.
pub(super) fn is_level(text: &str) -> bool {
    ["0", "1", "2", "3", "4", "5", "6", "00", "01", "10", "50", "60", "100"].contains(&text)
}

pub(super) fn is_zlevel(text: &str) -> bool {
    ["z", "z1", "z2", "z3"].contains(&text)
}

pub(super) fn is_file_system(word: &str) -> bool {
    FILE_SYSTEMS.contains(&word)
}

const FILE_SYSTEMS: [&str; 10] =
    ["xfs", "ext4", "ext3", "ext2", "btrfs", "zfs", "f2fs", "ntfs", "bcachefs", "jfs"];

/// Workloads as names spell them, and fio's word for each; longer spellings first.
const WORKLOADS: [(&str, &str); 16] = [
    ("randtrimwrite", "randtrimwrite"),
    ("randreadwrite", "randrw"),
    ("randwrite", "randwrite"),
    ("randread", "randread"),
    ("randtrim", "randtrim"),
    ("randrw", "randrw"),
    ("seqwrite", "write"),
    ("seqread", "read"),
    ("seqtrim", "trim"),
    ("seqrw", "rw"),
    ("trimwrite", "trimwrite"),
    ("readwrite", "rw"),
    ("write", "write"),
    ("read", "read"),
    ("trim", "trim"),
    ("rw", "rw"),
];

pub(super) fn is_workload(word: &str) -> bool {
    WORKLOADS.iter().any(|(spelling, _)| *spelling == word)
}

/// fio's word for a workload and the share of reads that stands behind it: `randrw75` is `randrw`, 75.
pub(super) fn workload(text: &str) -> (String, Option<String>) {
    // fio's own words need no look at how else they may be spelled.
    if let Some((_, word)) = WORKLOADS.iter().find(|(spelling, _)| *spelling == text) {
        return ((*word).to_owned(), None);
    }
    let lower: String = text.to_ascii_lowercase().chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect();
    let lower = lower.replace("random", "rand").replace("sequential", "seq");
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let share = &lower[stem.len()..];
    match WORKLOADS.iter().find(|(spelling, _)| *spelling == stem) {
        Some((_, word)) if share.is_empty() => ((*word).to_owned(), None),
        Some((_, word @ ("randrw" | "rw"))) if share.parse::<u32>().is_ok_and(|share| share <= 100) => {
            ((*word).to_owned(), Some(share.to_owned()))
        }
        // fio's own forms with a parameter (`randread:8`) stay as they are.
        _ => (text.to_ascii_lowercase(), None),
    }
}

/// Two words that are one workload: `rand` `read`, `seq` `write`, `random` `rw75`.
pub(super) fn workload_pair(first: &str, second: &str) -> Option<String> {
    let order = match first {
        "rand" | "random" | "rnd" => "rand",
        "seq" | "sequential" => "seq",
        _ => return None,
    };
    let stem = second.trim_end_matches(|c: char| c.is_ascii_digit());
    let mixed = matches!(stem, "rw" | "readwrite");
    let known = mixed || (matches!(stem, "read" | "write" | "trim") && stem == second);
    known.then(|| format!("{order}{}", second.replace("readwrite", "rw")))
}

pub(super) type Statement = (Dimension, String, Strength);

/// What a word between separators says, one statement or several glued together
/// (`raid10chunk64kqd4`); nothing when any part of it says nothing.
pub(super) fn states(word: &str) -> Vec<Statement> {
    fn cover(rest: &str, depth: usize) -> Option<Vec<Statement>> {
        if rest.is_empty() {
            return Some(Vec::new());
        }
        if depth == 0 {
            return None;
        }
        let mut beginnings = beginnings(rest);
        beginnings.sort_by_key(|(_, width)| std::cmp::Reverse(*width));
        beginnings.into_iter().find_map(|(mut statements, width)| {
            statements.extend(cover(rest.get(width..)?, depth - 1)?);
            Some(statements)
        })
    }
    // Eight properties is more than any name glues together; the bound keeps the search short.
    let statements = if word.is_ascii() && word.len() <= 80 { cover(word, 8) } else { None };
    statements.unwrap_or_default()
}

/// Statements that a word may begin with, and how many bytes each takes.
fn beginnings(rest: &str) -> Vec<(Vec<Statement>, usize)> {
    let mut found: Vec<(Vec<Statement>, usize)> = Vec::new();
    let mut one = |dimension: Dimension, text: &str, strength: Strength, width: usize| {
        found.push((vec![(dimension, text.to_owned(), strength)], width));
    };
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();

    for (word, dimension) in NAMED_NUMBERS {
        let Some(tail) = rest.strip_prefix(word) else { continue };
        let width = digits(tail);
        let (number, unit) = tail.split_at(width);
        match dimension {
            Dimension::Chunk | Dimension::Bs => {
                for unit_width in unit_widths(unit) {
                    let size = &tail[..width + unit_width];
                    if is_size(size, dimension == Dimension::Chunk) {
                        one(dimension.clone(), size, Strength::Named, word.len() + size.len());
                    }
                }
            }
            Dimension::Raid => {
                for level in (1..=width).rev().map(|n| &number[..n]).filter(|level| is_level(level)) {
                    one(dimension.clone(), level, Strength::Named, word.len() + level.len());
                }
            }
            Dimension::Direct if number == "0" || number == "1" => {
                one(dimension.clone(), number, Strength::Named, word.len() + 1);
            }
            Dimension::Direct => {}
            _ if is_number(number) => one(dimension.clone(), number, Strength::Named, word.len() + width),
            _ => {}
        }
    }
    for name in SYNCS {
        let Some(tail) = rest.strip_prefix(name) else { continue };
        let number = &tail[..digits(tail)];
        if is_number(number) {
            one(Dimension::Other(name.to_owned()), number, Strength::Named, name.len() + number.len());
        }
    }
    for level in ["raidz3", "raidz2", "raidz1", "raidz"] {
        if rest.starts_with(level) {
            one(Dimension::Raid, level, Strength::Named, level.len());
        }
    }
    let width = digits(rest);
    let (number, tail) = rest.split_at(width);
    if is_number(number) {
        for (word, dimension) in NUMBERED_WORDS {
            if tail.starts_with(word) {
                one(dimension, number, Strength::Named, width + word.len());
            }
        }
    }
    if width > 0 {
        for unit_width in unit_widths(tail) {
            let size = &rest[..width + unit_width];
            for (word, dimension) in [("chunk", Dimension::Chunk), ("bs", Dimension::Bs)] {
                if unit_width > 0 && rest[size.len()..].starts_with(word) && is_size(size, false) {
                    one(dimension, size, Strength::Named, size.len() + word.len());
                }
            }
            if is_bare_size(size) {
                one(Dimension::Bs, size, Strength::Bare, size.len());
            }
        }
    }
    for file_system in FILE_SYSTEMS.into_iter().chain(["reiserfs"]) {
        if rest.starts_with(file_system) {
            one(Dimension::Fs, file_system, Strength::Named, file_system.len());
        }
    }
    for (word, value) in [("direct", "1"), ("odirect", "1"), ("buffered", "0")] {
        if rest.starts_with(word) {
            one(Dimension::Direct, value, Strength::Bare, word.len());
        }
    }
    let mut mixes = Vec::new();
    for (spelling, word) in WORKLOADS {
        let Some(tail) = rest.strip_prefix(spelling) else { continue };
        one(Dimension::Rw, word, Strength::Bare, spelling.len());
        let share = &tail[..digits(tail)];
        if matches!(word, "randrw" | "rw") && share.parse::<u32>().is_ok_and(|share| share <= 100) {
            mixes.push((word, share, spelling.len() + share.len()));
        }
    }
    found.extend(mixes.into_iter().map(|(word, share, width)| {
        let rw = (Dimension::Rw, word.to_owned(), Strength::Bare);
        (vec![rw, (rwmixread(), share.to_owned(), Strength::Bare)], width)
    }));
    found
}

/// Names with their number behind: `qd4`, `chunk64k`.
const NAMED_NUMBERS: [(&str, Dimension); 19] = [
    ("raid", Dimension::Raid),
    ("chunk", Dimension::Chunk),
    ("chunksize", Dimension::Chunk),
    ("bs", Dimension::Bs),
    ("blocksize", Dimension::Bs),
    ("qd", Dimension::Iodepth),
    ("iodepth", Dimension::Iodepth),
    ("depth", Dimension::Iodepth),
    ("queuedepth", Dimension::Iodepth),
    ("numjobs", Dimension::Numjobs),
    ("jobs", Dimension::Numjobs),
    ("fiojobs", Dimension::Numjobs),
    ("fiojob", Dimension::Numjobs),
    ("run", Dimension::Repeat),
    ("rep", Dimension::Repeat),
    ("repeat", Dimension::Repeat),
    ("iter", Dimension::Repeat),
    ("drives", Dimension::Drives),
    ("direct", Dimension::Direct),
];

/// fio's options whose number is that of the writes between two syncs, as names repeat them: `fsync8`.
pub(super) const SYNCS: [&str; 2] = ["fsync", "fdatasync"];

/// Names with their number in front: `512qd`, `4j`.
const NUMBERED_WORDS: [(&str, Dimension); 12] = [
    ("qd", Dimension::Iodepth),
    ("iodepth", Dimension::Iodepth),
    ("jobs", Dimension::Numjobs),
    ("job", Dimension::Numjobs),
    ("j", Dimension::Numjobs),
    ("numjobs", Dimension::Numjobs),
    ("fiojobs", Dimension::Numjobs),
    ("fiojob", Dimension::Numjobs),
    ("drives", Dimension::Drives),
    ("drive", Dimension::Drives),
    ("disks", Dimension::Drives),
    ("disk", Dimension::Drives),
];

/// Widths of the size units that a text begins with, and 0 for no unit.
fn unit_widths(text: &str) -> impl Iterator<Item = usize> + '_ {
    ["kib", "kb", "k", "mib", "mb", "m", "gib", "gb", "g", "b"]
        .into_iter()
        .filter(|unit| text.starts_with(unit))
        .map(str::len)
        .chain([0])
}

/// Number and shift of a size text.
fn size(text: &str) -> Option<(u64, bool)> {
    let width = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(width);
    let number: u64 = number.parse().ok()?;
    let shift = match unit {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return None,
    };
    Some((number.checked_mul(1 << shift)?, unit.is_empty()))
}

/// True for a size beside its name. Without a unit a chunk is in KiB (mdadm's habit), and a block
/// size in bytes: less than a sector is no size.
pub(super) fn is_size(text: &str, chunk: bool) -> bool {
    match size(text) {
        Some((bytes, true)) => {
            if chunk {
                bytes > 0
            } else {
                bytes >= 512
            }
        }
        Some((bytes, false)) => bytes > 0,
        None => false,
    }
}

/// True for a size that can only be a block size: a power of two with a unit, 512 bytes to 16 MiB
/// (`10k` and `15k` are speeds of drives, `100g` the size of a file).
pub(super) fn is_bare_size(text: &str) -> bool {
    size(text).is_some_and(|(bytes, plain)| {
        !plain && bytes.is_power_of_two() && (512..=16 << 20).contains(&bytes) && !text.contains('g')
    })
}
