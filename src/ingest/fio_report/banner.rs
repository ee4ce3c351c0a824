//! What fio announces before it starts: the jobs with their options, its version, the number of processes.
//!
//! In: lines such as `n: (g=0): rw=randread, bs=(R) 4096B-4096B, ..., ioengine=libaio, iodepth=4`
//! (2.17 and later) or `bs=4K-4K/4K-4K` (before). Out: options as a job file names them.

use super::quantity::{Spelling, bytes};
use std::collections::BTreeMap;

/// One announced job.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Banner {
    name: String,
    group: i64,
    options: BTreeMap<String, String>,
    /// True when `...` stands below it: there are clones.
    cloned: bool,
}

/// Everything that an execution announced.
#[derive(Debug, Clone, Default)]
pub(in crate::ingest) struct Banners {
    announced: Vec<Banner>,
    processes: Option<u32>,
    /// Version without its `fio-`.
    pub(in crate::ingest) version: Option<String>,
    /// The line before was a job's: `...` and a bare version may follow.
    fresh: bool,
}

impl Banners {
    /// Takes a line in; false when it announces nothing.
    pub(in crate::ingest) fn take(&mut self, line: &str) -> bool {
        if let Some(banner) = parse(line) {
            // Clones are announced once more below the dots, by every client anew.
            if !self.announced.iter().any(|b| b.name == banner.name && b.group == banner.group) {
                self.announced.push(banner);
            }
            self.fresh = true;
            return true;
        }
        if line == "..." && self.fresh {
            if let Some(last) = self.announced.last_mut() {
                last.cloned = true;
            }
            return true;
        }
        if let Some(version) = version(line, self.fresh) {
            self.version = Some(version.to_owned());
            return true;
        }
        if let Some(processes) = processes(line) {
            self.processes = Some(processes);
            self.fresh = false;
            return true;
        }
        if !line.is_empty() {
            self.fresh = false;
        }
        false
    }

    /// True for a line that announces a job: with it an execution begins.
    pub(in crate::ingest) fn begins(line: &str) -> bool {
        parse(line).is_some()
    }

    /// Options of a job; of an entry that stands for its whole `group`, what all jobs of the group share.
    pub(in crate::ingest) fn options(
        &self,
        name: &str,
        group: i64,
        whole_group: bool,
    ) -> BTreeMap<String, String> {
        let mut shared: Option<BTreeMap<String, String>> = None;
        for banner in self.of(name, group, whole_group) {
            match &mut shared {
                None => shared = Some(banner.options.clone()),
                Some(shared) => shared.retain(|key, value| banner.options.get(key) == Some(value)),
            }
        }
        shared.unwrap_or_default()
    }

    /// Processes of a job, or of its whole group, as far as the announcement tells.
    pub(in crate::ingest) fn clones(&self, name: &str, group: i64, whole_group: bool) -> Option<u32> {
        let single = self.announced.iter().filter(|banner| !banner.cloned).count() as u32;
        let cloned = self.announced.len() as u32 - single;
        let mut sum = 0u32;
        for banner in self.of(name, group, whole_group) {
            let own = match (banner.cloned, cloned) {
                (false, _) => 1,
                (true, 1) => self.processes?.checked_sub(single)?,
                (true, _) => return None,
            };
            sum = sum.saturating_add(own);
        }
        (sum > 0).then_some(sum)
    }

    /// Name of the only job that was announced for a group.
    pub(in crate::ingest) fn only_name(&self, group: i64) -> Option<&str> {
        super::common(self.announced.iter().filter(|b| b.group == group).map(|b| b.name.as_str()))
    }

    fn of<'a>(&'a self, name: &'a str, group: i64, whole_group: bool) -> impl Iterator<Item = &'a Banner> {
        self.announced.iter().filter(move |b| b.group == group && (whole_group || b.name == name))
    }
}

fn parse(line: &str) -> Option<Banner> {
    let (name, rest) = line.split_once(": (g=")?;
    let (group, rest) = rest.split_once("): ")?;
    let group = group.trim().parse().ok()?;
    let value = |key: &str| {
        let start = rest.find(key)? + key.len();
        rest[start..].split(", ").next().map(str::trim).filter(|value| !value.is_empty())
    };
    let rw = value("rw=")?;
    let mut options = BTreeMap::from([("rw".to_owned(), rw.to_owned())]);
    let sizes = rest.find("bs=").map(|at| &rest[at + 3..]);
    let sizes = sizes.map(|text| text.split(", ioengine=").next().unwrap_or(text));
    options.extend(sizes.and_then(|sizes| block_size(sizes, rw)).map(|bs| ("bs".to_owned(), bs)));
    for key in ["ioengine", "iodepth"] {
        let found = value(&format!(" {key}="));
        options.extend(found.map(|value| (key.to_owned(), value.to_owned())));
    }
    Some(Banner { name: name.trim().to_owned(), group, options, cloned: false })
}

/// The block size in the directions that a workload has: `4096`, `512-65536`, `4096,65536`.
fn block_size(text: &str, rw: &str) -> Option<String> {
    let ranges: Vec<&str> = if text.starts_with('(') {
        text.split(", ").filter_map(|range| Some(range.split_once(") ")?.1)).collect()
    } else {
        text.split('/').map(|range| range.split(',').next().unwrap_or(range)).collect()
    };
    let one = |at: usize| -> Option<String> {
        let (low, high) = ranges.get(at)?.split_once('-')?;
        let size = |text: &str| bytes(text, Spelling::Binary).map(|n| format!("{n:.0}"));
        let (low, high) = (size(low)?, size(high)?);
        Some(if low == high { low } else { format!("{low}-{high}") })
    };
    let rw = rw.split(':').next().unwrap_or(rw).trim_start_matches("rand");
    match rw {
        "read" => one(0),
        "write" | "trimwrite" => one(1),
        "trim" => one(2),
        _ => match (one(0)?, one(1)) {
            (read, Some(write)) if read != write => Some(format!("{read},{write}")),
            (read, _) => Some(read),
        },
    }
}

/// The version that a line consists of: `fio-3.33`, `fio 1.59`; behind a job's line `2.0.8` alone.
fn version(line: &str, fresh: bool) -> Option<&str> {
    let marked = line.strip_prefix("fio-").or_else(|| line.strip_prefix("fio "));
    let version = marked.or(if fresh { Some(line) } else { None })?;
    let dotted = version.split('.').count() >= 2 || marked.is_some_and(|_| line.starts_with("fio-"));
    let plain = version.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'_' | b'+'));
    (version.starts_with(|c: char| c.is_ascii_digit()) && dotted && plain).then_some(version)
}

/// `Starting 4 processes`, `Starting 1 thread`, `Starting 2 threads and 1 process`.
fn processes(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("Starting ")?;
    let known = |word: &str| word.starts_with("process") || word.starts_with("thread") || word == "and";
    let mut sum = 0u32;
    for word in rest.split_whitespace() {
        match word.parse::<u32>() {
            Ok(n) => sum = sum.saturating_add(n),
            Err(_) if known(word) => {}
            Err(_) => return None,
        }
    }
    (sum > 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banners(text: &str) -> Banners {
        let mut banners = Banners::default();
        for line in text.lines() {
            banners.take(line);
        }
        banners
    }

    fn words(options: &BTreeMap<String, String>) -> String {
        options.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")
    }

    fn announced(line: &str) -> String {
        words(&banners(line).options("n", 0, true))
    }

    #[test]
    fn block_sizes_are_those_of_the_workloads_directions() {
        let new = "n: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 64.0KiB-64.0KiB, (T) 4096B-4096B, ioengine=libaio, iodepth=4";
        assert_eq!(announced(new), "bs=4096,65536 iodepth=4 ioengine=libaio rw=randrw");
        let old = "n: (g=0): rw=randrw, bs=512-64K/512-64K, ioengine=libaio, iodepth=64";
        assert_eq!(announced(old), "bs=512-65536 iodepth=64 ioengine=libaio rw=randrw");
        let write = "n: (g=0): rw=randwrite, bs=4K-4K/1M-1M/4K-4K, ioengine=sync, iodepth=1";
        assert_eq!(announced(write), "bs=1048576 iodepth=1 ioengine=sync rw=randwrite");
    }

    #[test]
    fn versions_stand_alone_or_behind_the_jobs() {
        assert_eq!(banners("fio-3.8-12-gabcde").version.as_deref(), Some("3.8-12-gabcde"));
        assert_eq!(banners("fio 1.59").version.as_deref(), Some("1.59"));
        assert_eq!(banners("a: (g=0): rw=read, bs=4K-4K/4K-4K\n2.0.8").version.as_deref(), Some("2.0.8"));
        assert_eq!(banners("2.0.8").version, None);
        assert_eq!(banners("fio: this platform").version, None);
    }

    #[test]
    fn clones_are_what_the_single_jobs_leave_of_the_processes() {
        let text = "a: (g=0): rw=read, bs=4K-4K/4K-4K\nb: (g=1): rw=write, bs=4K-4K/4K-4K\n...\nStarting 5 processes";
        let found = banners(text);
        assert_eq!((found.clones("a", 0, false), found.clones("b", 1, false)), (Some(1), Some(4)));
        assert_eq!(found.only_name(1), Some("b"));
    }

    #[test]
    fn an_entry_for_a_whole_group_has_what_its_jobs_share() {
        let text = "a: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1\nb: (g=0): rw=write, bs=4K-4K/4K-4K, ioengine=sync, iodepth=2";
        assert_eq!(words(&banners(text).options("a", 0, true)), "bs=4096 ioengine=sync");
        assert_eq!(words(&banners(text).options("b", 0, false)), "bs=4096 iodepth=2 ioengine=sync rw=write");
    }
}
