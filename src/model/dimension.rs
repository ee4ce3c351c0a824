//! Properties by which runs differ, and their values in natural order.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A property by which runs differ.
///
/// The known ones come first, in the order of the interface's tables; any
/// other word is a dimension of the user's (or `path1`, `path2`, ... for
/// differing parts of paths).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// RAID level: `0`, `10`, `raidz2`.
    Raid,
    /// RAID chunk size.
    Chunk,
    /// Number of drives.
    Drives,
    /// File system.
    Fs,
    /// fio's `rw`.
    Rw,
    /// Block size.
    Bs,
    /// Queue depth of one job.
    Iodepth,
    /// Number of concurrent jobs.
    Numjobs,
    /// Which repeat of otherwise equal runs.
    Repeat,
    /// Device under test.
    Device,
    /// fio's `ioengine`.
    Engine,
    /// Direct (1) or buffered (0) I/O.
    Direct,
    /// Host that ran the job.
    Host,
    /// Any other, by its name.
    Other(String),
}

impl Dimension {
    /// The dimensions with a meaning of their own, in table order.
    pub const KNOWN: [Dimension; 13] = [
        Dimension::Raid,
        Dimension::Chunk,
        Dimension::Drives,
        Dimension::Fs,
        Dimension::Rw,
        Dimension::Bs,
        Dimension::Iodepth,
        Dimension::Numjobs,
        Dimension::Repeat,
        Dimension::Device,
        Dimension::Engine,
        Dimension::Direct,
        Dimension::Host,
    ];

    /// The dimension of this name; an unknown name is a dimension of the user's.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Dimension::KNOWN
            .into_iter()
            .find(|known| known.as_str() == name)
            .unwrap_or_else(|| Dimension::Other(name.to_owned()))
    }

    /// The name as scripts and files write it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Dimension::Raid => "raid",
            Dimension::Chunk => "chunk",
            Dimension::Drives => "drives",
            Dimension::Fs => "fs",
            Dimension::Rw => "rw",
            Dimension::Bs => "bs",
            Dimension::Iodepth => "iodepth",
            Dimension::Numjobs => "numjobs",
            Dimension::Repeat => "repeat",
            Dimension::Device => "device",
            Dimension::Engine => "engine",
            Dimension::Direct => "direct",
            Dimension::Host => "host",
            Dimension::Other(name) => name,
        }
    }

    /// The name as prose and axis titles write it.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Dimension::Raid => "RAID level",
            Dimension::Chunk => "chunk size",
            Dimension::Drives => "number of drives",
            Dimension::Fs => "file system",
            Dimension::Rw => "workload",
            Dimension::Bs => "block size",
            Dimension::Iodepth => "queue depth",
            Dimension::Numjobs => "number of jobs",
            Dimension::Engine => "I/O engine",
            Dimension::Direct => "direct I/O",
            Dimension::Repeat | Dimension::Device | Dimension::Host => self.as_str(),
            // Parts of the path, `path1` and so on.
            Dimension::Other(_) if self.is_path() => "folder",
            Dimension::Other(name) if name == "rwmixread" => "share of reads",
            Dimension::Other(name) if name == "fsync" => "writes per fsync",
            Dimension::Other(name) if name == "fdatasync" => "writes per fdatasync",
            Dimension::Other(name) => name,
        }
    }

    /// True for the dimensions that differing parts of paths make: `path1`, `path2`.
    #[must_use]
    pub fn is_path(&self) -> bool {
        let Dimension::Other(name) = self else { return false };
        name.strip_prefix("path")
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()))
    }

    /// True when its values are sizes in bytes.
    #[must_use]
    pub fn is_size(&self) -> bool {
        match self {
            Dimension::Chunk | Dimension::Bs => true,
            Dimension::Other(name) => ["size", "filesize", "io_size"].contains(&name.as_str()),
            _ => false,
        }
    }

    /// A value as prose and labels write it: `RAID 10`, `64 KiB`, `queue depth 4`.
    #[must_use]
    pub fn phrase(&self, value: &Value) -> String {
        let text = value.as_str();
        match self {
            Dimension::Raid if text.chars().all(|c| c.is_ascii_digit()) => format!("RAID {text}"),
            Dimension::Raid => text.to_owned(),
            Dimension::Chunk => format!("{} chunk", value.size_phrase()),
            Dimension::Bs => value.size_phrase(),
            Dimension::Drives => format!("{text} drives"),
            Dimension::Iodepth => format!("iodepth {text}"),
            Dimension::Numjobs => format!("{text} job{}", if text == "1" { "" } else { "s" }),
            Dimension::Repeat => format!("repeat {text}"),
            Dimension::Direct if text == "1" => "direct".to_owned(),
            Dimension::Direct if text == "0" => "buffered".to_owned(),
            Dimension::Other(name) if self.is_size() => format!("{name} {}", value.size_phrase()),
            Dimension::Other(name) if name == "rwmixread" => format!("{text} % reads"),
            Dimension::Other(name) if is_sync(name) && text == "0" => format!("no {name}"),
            Dimension::Other(name) if is_sync(name) && text == "1" => format!("{name} after each write"),
            Dimension::Other(name) if is_sync(name) && value.number().is_some() => {
                format!("{name} after {text} writes")
            }
            Dimension::Other(name) if !name.starts_with("path") => format!("{name} {text}"),
            _ => text.to_owned(),
        }
    }
}

/// True for fio's options that say after how many writes it makes durable what was written.
fn is_sync(name: &str) -> bool {
    matches!(name, "fsync" | "fdatasync")
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Dimension {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dimension".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let known = Dimension::KNOWN.map(|known| known.as_str().to_owned()).join(", ");
        schemars::json_schema!({
            "description": format!("A property by which runs differ: {known}, or any that `plotgen inspect` lists."),
            "type": "string"
        })
    }
}

impl Serialize for Dimension {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Dimension {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Dimension::named(&String::deserialize(deserializer)?))
    }
}

/// A dimension's value in canonical spelling, ordered as a person would.
///
/// `4k < 64k < 1m`, `2 < 10`, and words by their alphabet, with digits inside
/// words compared as numbers (`disk2 < disk10`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Value(String);

impl Value {
    /// A value in the canonical spelling of `dimension`.
    ///
    /// Sizes become `4k`, `64k`, `1m`; numbers lose leading zeros; a RAID level
    /// loses its `raid` prefix; words lose surrounding blanks.
    #[must_use]
    pub fn canonical(dimension: &Dimension, text: &str) -> Self {
        let text = text.trim();
        let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let lower = if is_lower { Cow::Borrowed(text) } else { Cow::Owned(text.to_ascii_lowercase()) };
        let canonical = match dimension {
            Dimension::Raid => {
                let level = lower.strip_prefix("raid").unwrap_or(&lower);
                let level = level.trim_start_matches(['-', '_', ' ']);
                if level.is_empty() || level.starts_with('z') {
                    lower.into_owned()
                } else {
                    plain_number(level)
                }
            }
            Dimension::Chunk | Dimension::Bs => size_text(&lower).unwrap_or_else(|| lower.into_owned()),
            Dimension::Drives | Dimension::Iodepth | Dimension::Numjobs | Dimension::Repeat => {
                plain_number(&lower)
            }
            Dimension::Direct => match &*lower {
                "true" | "yes" | "on" | "" => "1".to_owned(),
                "false" | "no" | "off" => "0".to_owned(),
                _ => plain_number(&lower),
            },
            Dimension::Fs | Dimension::Rw | Dimension::Engine => lower.into_owned(),
            Dimension::Device | Dimension::Host | Dimension::Other(_) => plain_number(text),
        };
        Value(canonical)
    }

    /// The canonical text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number that the value stands for: `4` is 4, `64k` is 65536.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        if let Ok(number) = self.0.parse::<f64>() {
            return number.is_finite().then_some(number);
        }
        size_bytes(&self.0).map(|bytes| bytes as f64)
    }

    /// A size as prose writes it, `64 KiB`; other texts unchanged.
    #[must_use]
    pub fn size_phrase(&self) -> String {
        match size_bytes(&self.0) {
            Some(bytes) => crate::model::unit::size_phrase(bytes),
            None => self.0.clone(),
        }
    }

    /// fio's `rw` as prose writes it, `random read`; other texts unchanged.
    #[must_use]
    pub fn workload_phrase(&self) -> String {
        let words = match self.0.as_str() {
            "randread" => "random read",
            "randwrite" => "random write",
            "randrw" => "random read and write",
            "read" => "sequential read",
            "write" => "sequential write",
            "rw" | "readwrite" => "sequential read and write",
            "trim" => "sequential trim",
            "randtrim" => "random trim",
            other => other,
        };
        words.to_owned()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => a.total_cmp(&b).then_with(|| self.0.cmp(&other.0)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => natural_order(&self.0, &other.0).then_with(|| self.0.cmp(&other.0)),
        }
    }
}

/// Compares two texts with runs of digits as numbers.
pub(crate) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (m, n) = (digits(a), digits(b));
            let (p, q) = (trim_zeros(&a[..m]), trim_zeros(&b[..n]));
            let order = p.len().cmp(&q.len()).then_with(|| p.cmp(q));
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (&a[m..], &b[n..]);
        } else {
            if x != y {
                return x.cmp(&y);
            }
            (a, b) = (&a[1..], &b[1..]);
        }
    }
    a.len().cmp(&b.len())
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|c| c.is_ascii_digit()).count()
}

fn trim_zeros(text: &[u8]) -> &[u8] {
    let zeros = text.iter().take_while(|&&c| c == b'0').count();
    &text[zeros..]
}

/// Drops leading zeros of a whole number; other texts pass unchanged.
fn plain_number(text: &str) -> String {
    if text.is_empty() || !text.bytes().all(|c| c.is_ascii_digit()) {
        return text.to_owned();
    }
    let trimmed = text.trim_start_matches('0');
    if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() }
}

/// Bytes of a size text: `4096`, `4k`, `4KiB`, `1m`. fio's default base is 1024.
fn size_bytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = number.parse().ok()?;
    let letter = match unit.as_bytes() {
        [] | [b'b' | b'B'] => return Some(number),
        [letter] | [letter, b'b' | b'B'] | [letter, b'i' | b'I', b'b' | b'B'] => letter,
        _ => return None,
    };
    let shift = match letter.to_ascii_lowercase() {
        b'k' => 10,
        b'm' => 20,
        b'g' => 30,
        b't' => 40,
        _ => return None,
    };
    number.checked_mul(1u64 << shift)
}

/// Canonical size text: the largest unit that divides without a rest.
fn size_text(text: &str) -> Option<String> {
    // A range or split of sizes (`4k-16k`, `4k/60:64k/40`, `4k,8k`) stays a text.
    let bytes = size_bytes(text)?;
    if bytes == 0 {
        return Some("0".to_owned());
    }
    for (shift, suffix) in [(30, "g"), (20, "m"), (10, "k")] {
        if bytes % (1u64 << shift) == 0 {
            return Some(format!("{}{suffix}", bytes >> shift));
        }
    }
    Some(bytes.to_string())
}

/// Where a run's dimension came from, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DimensionOrigin {
    /// `--set key=value` or plotgen.toml.
    Set,
    /// A named group of the user's pattern.
    Pattern,
    /// Stated in the file itself (job option, rbench header or column).
    Option,
    /// A token recognised in the file name.
    FileName,
    /// A token recognised in a directory name.
    Directory,
    /// A differing part of the path without a meaning of its own.
    Path,
}

/// A dimension's value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DimensionEntry {
    /// The value in canonical spelling.
    pub value: Value,
    /// Where it was found.
    pub from: DimensionOrigin,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(dimension: Dimension, text: &str) -> String {
        Value::canonical(&dimension, text).as_str().to_owned()
    }

    #[test]
    fn sizes_take_one_spelling() {
        for text in ["64k", "64K", "64KiB", "65536", "064kb"] {
            assert_eq!(value(Dimension::Chunk, text), "64k");
        }
        assert_eq!(value(Dimension::Bs, "1024k"), "1m");
        assert_eq!(value(Dimension::Bs, "512"), "512");
        assert_eq!(value(Dimension::Bs, "4k-16k"), "4k-16k");
    }

    #[test]
    fn mixes_and_writes_between_two_syncs_are_told_in_words() {
        let phrase = |name: &str, text: &str| {
            let dimension = Dimension::named(name);
            dimension.phrase(&Value::canonical(&dimension, text))
        };
        assert_eq!(phrase("fsync", "1"), "fsync after each write");
        assert_eq!(phrase("fdatasync", "32"), "fdatasync after 32 writes");
        assert_eq!(phrase("fsync", "0"), "no fsync");
        assert_eq!(phrase("fsync", "never"), "fsync never");
        assert_eq!(Dimension::named("fdatasync").title(), "writes per fdatasync");
        assert_eq!(phrase("rwmixread", "70"), "70 % reads");
    }

    #[test]
    fn raid_levels_lose_their_prefix_but_raidz_keeps_its_name() {
        assert_eq!(value(Dimension::Raid, "RAID10"), "10");
        assert_eq!(value(Dimension::Raid, "raid-5"), "5");
        assert_eq!(value(Dimension::Raid, "raidz2"), "raidz2");
    }

    #[test]
    fn values_sort_as_a_person_would() {
        let mut values: Vec<Value> =
            ["1m", "64k", "4k", "512"].iter().map(|t| Value::canonical(&Dimension::Bs, t)).collect();
        values.sort();
        assert_eq!(values.iter().map(Value::as_str).collect::<Vec<_>>(), ["512", "4k", "64k", "1m"]);
        let mut names: Vec<Value> =
            ["disk10", "disk2", "7"].iter().map(|t| Value::canonical(&Dimension::Device, t)).collect();
        names.sort();
        assert_eq!(names.iter().map(Value::as_str).collect::<Vec<_>>(), ["7", "disk2", "disk10"]);
    }

    #[test]
    fn leading_zeros_do_not_make_another_value() {
        assert_eq!(value(Dimension::Iodepth, "01"), "1");
        assert_eq!(value(Dimension::Iodepth, "0"), "0");
    }
}
