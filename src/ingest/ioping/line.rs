//! One line of ioping.

use super::raw::Raw;
use crate::ingest::transcript::{self, Pattern};
use crate::model::Ddir;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    /// One request.
    Request(Request),
    /// `--- . (ext4 /dev/vda 252.0 GiB) ioping statistics ---`.
    Place(Place),
    /// `7 requests completed in 8.47 ms, 28 KiB read, 826 iops, 3.23 MiB/s`.
    Completed(Totals),
    /// `generated 8 requests in 1.40 s, 32 KiB, 5 iops, 22.8 KiB/s`.
    Generated(Totals),
    /// `min/avg/max/mdev = ...`, ns.
    Spread([f64; 4]),
    /// Numbers alone: `-B` and `-p`.
    Raw(Raw),
}

/// A request line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) number: u64,
    pub(super) ns: f64,
    pub(super) bytes: Option<u64>,
    pub(super) ddir: Ddir,
    /// Not part of the statistics.
    pub(super) warmup: bool,
    pub(super) place: Place,
}

/// Where requests went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) fs: Option<String>,
    pub(super) device: Option<String>,
}

/// A line of totals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Totals {
    pub(super) requests: f64,
    pub(super) ns: f64,
    pub(super) bytes: Option<f64>,
    pub(super) ddir: Option<Ddir>,
}

impl Place {
    /// `.` with `ext4 /dev/vda 252.0 GiB`, `/dev/sda` with `device 465.8 GiB`.
    pub(super) fn new(target: &str, inner: &str) -> Self {
        let words: Vec<&str> = inner.split_whitespace().collect();
        match words.as_slice() {
            ["device", ..] | ["block" | "character", "device", ..] => {
                Place { fs: None, device: Some(target.to_owned()) }
            }
            [fs, device, ..] if !device.starts_with(|c: char| c.is_ascii_digit()) => {
                Place { fs: Some((*fs).to_owned()), device: Some((*device).to_owned()) }
            }
            [fs, ..] => Place { fs: Some((*fs).to_owned()), device: None },
            [] => Place::default(),
        }
    }
}

/// ioping 0.6: `4096 bytes from`; 0.9: `4 KiB to`; 1.x: `4 KiB <<<` and `>>>`.
static REQUEST: Pattern = LazyLock::new(|| {
    Regex::new(
        r"^\s*([0-9.]+) ?([kKMGT]?i?[Bb](?:ytes?)?) (<<<|>>>|from|to) (.+) \(([^()]*)\): request=([0-9]+) time=([0-9.]+) ?([a-z]+)(?: \(([a-z]+)\))?\s*$",
    )
    .ok()
});

static PLACE: Pattern = LazyLock::new(|| Regex::new(r"^\s*--- (.+) \(([^()]*)\) ioping statistics ---").ok());

static TOTALS: Pattern = LazyLock::new(|| {
    Regex::new(
        r"^\s*(generated )?([0-9.]+) ?([kKMG]?) requests (?:completed )?in ([0-9.]+) ([a-z]+)(?:, ([0-9.]+) ([kKMGTP]?i?[Bb](?:ytes)?)(?: (read|written))?)?, [0-9.]+ ?[kKMG]? iops, [0-9.]+ ?[A-Za-z]+/s",
    )
    .ok()
});

static SPREAD: Pattern = LazyLock::new(|| Regex::new(r"^\s*min/avg/max/mdev = ([0-9./ a-z]+)$").ok());

/// Reads a line; None when it is not ioping's.
pub(super) fn item(line: &str) -> Option<Item> {
    let first = line.trim_start().bytes().next()?;
    if first.is_ascii_digit() {
        if let Some(raw) = Raw::parse(line) {
            return Some(Item::Raw(raw));
        }
        if line.contains("request=") {
            return request(line).map(Item::Request);
        }
    }
    if line.contains(" requests ") {
        return totals(line);
    }
    if line.contains("ioping statistics") {
        let found = PLACE.as_ref()?.captures(line)?;
        return Some(Item::Place(Place::new(found.get(1)?.as_str(), found.get(2)?.as_str())));
    }
    if line.contains("min/avg/max/mdev") {
        let found = SPREAD.as_ref()?.captures(line)?;
        return spread(found.get(1)?.as_str()).map(Item::Spread);
    }
    None
}

fn request(line: &str) -> Option<Request> {
    let found = REQUEST.as_ref()?.captures(line)?;
    let text = |index: usize| found.get(index).map_or("", |text| text.as_str());
    Some(Request {
        number: text(6).parse().ok()?,
        ns: nanoseconds(text(7), text(8))?,
        bytes: bytes(text(1), text(2)).map(|bytes| bytes.round() as u64),
        ddir: if matches!(text(3), ">>>" | "to") { Ddir::Write } else { Ddir::Read },
        warmup: text(9) == "warmup",
        place: Place::new(text(4), text(5)),
    })
}

fn totals(line: &str) -> Option<Item> {
    let found = TOTALS.as_ref()?.captures(line)?;
    let text = |index: usize| found.get(index).map_or("", |text| text.as_str());
    let scale = match text(3) {
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => 1.0,
    };
    let totals = Totals {
        requests: number(text(2))? * scale,
        ns: nanoseconds(text(4), text(5))?,
        bytes: bytes(text(6), text(7)),
        ddir: match text(8) {
            "read" => Some(Ddir::Read),
            "written" => Some(Ddir::Write),
            _ => None,
        },
    };
    Some(if found.get(1).is_some() { Item::Generated(totals) } else { Item::Completed(totals) })
}

/// `81.0 us / 1.21 ms / 3.84 ms / 1.36 ms`, or one unit behind all four.
fn spread(text: &str) -> Option<[f64; 4]> {
    let parts: Vec<(&str, &str)> = text
        .split('/')
        .map(|part| {
            let part = part.trim();
            let split = part.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(part.len());
            (part[..split].trim(), part[split..].trim())
        })
        .collect();
    let &(_, last) = parts.last()?;
    let values: Option<Vec<f64>> = parts
        .iter()
        .map(|&(number, unit)| nanoseconds(number, if unit.is_empty() { last } else { unit }))
        .collect();
    values?.try_into().ok()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

/// Source: ioping `ioping.c`, `time_suffix`.
fn nanoseconds(text: &str, unit: &str) -> Option<f64> {
    let scale = match unit {
        "ns" | "nsec" => 1.0,
        "us" | "usec" => 1e3,
        "ms" | "msec" => 1e6,
        "s" | "sec" => 1e9,
        "min" => 60e9,
        "hour" | "h" => 3600e9,
        "day" => 86400e9,
        _ => return None,
    };
    Some(number(text)? * scale)
}

/// All of ioping's sizes count in powers of 1024, `mb` and `MiB` alike.
fn bytes(text: &str, unit: &str) -> Option<f64> {
    let shift = match unit.bytes().next()? {
        b'k' | b'K' => 10,
        b'm' | b'M' => 20,
        b'g' | b'G' => 30,
        b't' | b'T' => 40,
        b'p' | b'P' => 50,
        _ => 0,
    };
    Some(number(text)? * (1u64 << shift) as f64)
}

/// The ioping command in a line.
pub(super) fn command(line: &str) -> Option<&str> {
    let argument = |word: &str| word.starts_with(['-', '.', '/', '~']);
    transcript::command(line, "ioping", argument).filter(|_| !line.contains("ioping statistics"))
}

/// `ioping: seek rate`: what a script prints above a part of ioping's output.
pub(super) fn fragment_heading(line: &str) -> Option<&str> {
    line.strip_prefix("ioping").filter(|rest| rest.starts_with([':', ' '])).map(|_| line)
}

/// What a command says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) direct: bool,
    pub(super) write: bool,
    pub(super) sequential: bool,
    /// Requests follow one another at once.
    pub(super) no_pause: bool,
    /// Pause between requests, as it stands there.
    pub(super) interval: Option<String>,
    /// Size of the area that requests go to, as it stands there.
    pub(super) area: Option<String>,
    /// The options as words of a file's name: `c10`, `d`.
    pub(super) words: BTreeSet<String>,
    /// `-B`: one raw line for a call.
    pub(super) batch: bool,
    /// `-p`, `-P`: a raw line now and then.
    pub(super) periods: bool,
}

impl Flags {
    pub(super) fn parse(command: &str) -> Self {
        let mut flags = Flags::default();
        let mut words = command.split_whitespace().skip(1);
        while let Some(word) = words.next() {
            match word {
                "-interval" | "--interval" => flags.set_interval(words.next().unwrap_or_default()),
                "-direct" | "--direct" => flags.direct = true,
                "-write" | "--write" => flags.write = true,
                "-batch" | "--batch" => flags.batch = true,
                "-rapid" | "--rapid" | "-flood" => flags.no_pause = true,
                _ => flags.letters(word, &mut words),
            }
        }
        flags
    }

    fn set_interval(&mut self, text: &str) {
        self.no_pause = is_zero(text);
        // A number alone is in seconds.
        let seconds = text.parse::<f64>().is_ok();
        self.interval = Some(match (self.no_pause, seconds) {
            (true, _) => "0".to_owned(),
            (false, true) => format!("{text}s"),
            (false, false) => text.to_owned(),
        });
    }

    /// `-RL`, `-i0`, `-c 10`.
    fn letters<'a>(&mut self, word: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        let Some(letters) = word.strip_prefix('-') else { return };
        self.words.insert(letters.to_lowercase());
        for (at, letter) in letters.char_indices() {
            match letter {
                'D' => self.direct = true,
                'W' => self.write = true,
                'L' => self.sequential = true,
                'R' => {
                    // ioping(1): `-R` is `-q -i 0 -w 3 -S 64m`.
                    self.no_pause = true;
                    self.area.get_or_insert_with(|| "64m".to_owned());
                }
                'B' => self.batch = true,
                'i' | 'p' | 'P' | 'a' | 'c' | 'l' | 's' | 'S' | 'o' | 't' | 'T' | 'w' | 'r' => {
                    self.periods |= matches!(letter, 'p' | 'P');
                    let glued = letters.get(at + 1..).unwrap_or_default();
                    let value = if glued.is_empty() { words.next().unwrap_or_default() } else { glued };
                    self.words.insert(format!("{letter}{value}").to_lowercase());
                    match letter {
                        'i' => self.set_interval(value),
                        'S' => self.area = Some(value.to_owned()),
                        _ => {}
                    }
                    return;
                }
                _ => {}
            }
        }
    }
}

/// `0`, `0s`, `0.0`.
fn is_zero(text: &str) -> bool {
    text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<f64>() == Ok(0.0)
}
