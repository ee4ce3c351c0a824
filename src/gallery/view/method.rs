//! How it was measured: the settings of each group of runs, and what the files do not say.
//!
//! Runs go in; a sentence for each group with equal settings comes out. What
//! is compared (queue depth, RAID level, ...) does not part the groups.

use crate::gallery::view::Site;
use crate::gallery::view::overview::{dated, listed, repeats};
use crate::gallery::view::parts::{Link, counted, elided, joined, origin, shown};
use crate::model::unit::significant;
use crate::model::{Dimension, Run, Tool, Value};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Groups that stand open.
const OPEN: usize = 6;

/// The section.
#[derive(Serialize)]
pub(super) struct Method {
    groups: Vec<Group>,
    /// Smaller groups, folded.
    more: Vec<Group>,
    /// What the files do not say and the user can; empty when nothing is missing.
    unknown: String,
    /// How to say it: `--set fs=xfs --set drives=6`.
    say: String,
}

/// Runs with equal settings.
#[derive(Serialize)]
struct Group {
    /// `69 runs of fio 3.33`.
    lead: String,
    /// `libaio, direct I/O, 4 KiB blocks, 40 s each`.
    settings: String,
    /// `engine and run time`; empty when nothing is missing.
    missing: String,
    runs: Vec<Link>,
    count: String,
}

/// Settings by which groups are told apart; what a run does not say is None.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Settings<'a> {
    tool: &'a Tool,
    engine: Option<&'a str>,
    direct: Option<Value>,
    runtime: Option<&'a str>,
    time_based: bool,
    ramp: Option<&'a str>,
    size: Option<&'a str>,
    fs: Option<&'a str>,
    target: Option<&'a str>,
}

impl<'a> Settings<'a> {
    fn of(run: &'a Run) -> Self {
        let option = |names: &[&str]| {
            let found = names.iter().find_map(|name| run.options.get(*name));
            found.map(|text| text.trim()).filter(|text| !text.is_empty())
        };
        let dimension = |dimension: &Dimension| run.value(dimension).map(Value::as_str);
        let environment = |name: &str| run.environment.get(name).map(String::as_str);
        Settings {
            tool: &run.tool,
            engine: dimension(&Dimension::Engine).or(option(&["ioengine"])),
            direct: run
                .value(&Dimension::Direct)
                .cloned()
                .or_else(|| option(&["direct"]).map(|text| Value::canonical(&Dimension::Direct, text))),
            runtime: option(&["runtime", "timeout"]),
            time_based: run.options.get("time_based").is_some_and(|text| text.trim() != "0"),
            ramp: option(&["ramp_time"]).filter(|text| *text != "0"),
            size: option(&["size", "filesize"]),
            fs: dimension(&Dimension::Fs),
            target: dimension(&Dimension::Device)
                .or(option(&["filename", "directory"]))
                .or(environment("device"))
                .or(environment("disks")),
        }
    }
}

/// What the runs say about how they were made; None without runs.
pub(super) fn method(site: &Site<'_>) -> Option<Method> {
    let mut parts: BTreeMap<Settings<'_>, Vec<usize>> = BTreeMap::new();
    for page in &site.runs {
        parts.entry(Settings::of(&page.record.run)).or_default().push(page.index);
    }
    let mut parts: Vec<(Settings<'_>, Vec<usize>)> = parts.into_iter().collect();
    parts.sort_by_key(|(_, members)| Reverse(members.len()));
    let mut groups: Vec<Group> =
        parts.iter().map(|(settings, members)| group(site, settings, members)).collect();
    let more = groups.split_off(groups.len().min(OPEN));
    let (unknown, say) = unknown(site);
    (!groups.is_empty()).then_some(Method { groups, more, unknown, say })
}

fn group(site: &Site<'_>, settings: &Settings<'_>, members: &[usize]) -> Group {
    let runs: Vec<&Run> = site.runs_at(members).map(|page| &page.record.run).collect();
    let mut missing = Vec::new();
    let mut known = |name: &str, text: Option<String>| {
        if text.is_none() {
            missing.push(name.to_owned());
        }
        text
    };
    let blocks: BTreeSet<&Value> = runs.iter().filter_map(|run| run.value(&Dimension::Bs)).collect();
    let blocks = (!blocks.is_empty()).then(|| format!("{} blocks", listed(&Dimension::Bs, &blocks)));
    let words = [
        known("engine", settings.engine.map(shown)),
        known(
            "direct I/O",
            settings.direct.as_ref().map(|value| format!("{} I/O", shown(&Dimension::Direct.phrase(value)))),
        ),
        known("block size", blocks),
        known("run time", run_time(settings, &runs)),
        settings.time_based.then(|| "time-based".to_owned()),
        settings.ramp.map(|ramp| format!("after {} of ramp time", seconds(ramp))),
        settings
            .size
            .map(|size| format!("size {}", shown(&Value::canonical(&Dimension::Bs, size).size_phrase()))),
        settings.fs.map(shown),
        settings.target.map(|target| format!("on {}", elided(&shown(target)))),
        repeats(site, &runs),
        known("date", dated(&runs)),
    ];
    Group {
        lead: format!("{} {}", counted(runs.len(), "run"), origin(settings.tool)),
        settings: words.into_iter().flatten().collect::<Vec<_>>().join(", "),
        missing: joined(missing),
        runs: Link::runs(site, members),
        count: counted(members.len(), "run"),
    }
}

/// The run time that was asked for; else the one that was measured.
fn run_time(settings: &Settings<'_>, runs: &[&Run]) -> Option<String> {
    if let Some(text) = settings.runtime {
        return Some(format!("{} each", seconds(text)));
    }
    let longest = |run: &&Run| {
        let times = run.jobs.iter().flat_map(|job| job.runtime_ms.values().copied());
        times.filter(|ms| ms.is_finite() && *ms > 0.0).reduce(f64::max)
    };
    let times: Vec<f64> = runs.iter().filter_map(longest).collect();
    let (low, high) = (times.iter().copied().reduce(f64::min)?, times.iter().copied().reduce(f64::max)?);
    let text = |ms: f64| significant(ms / 1000.0, 2);
    let span = if text(low) == text(high) { text(low) } else { format!("{} to {}", text(low), text(high)) };
    Some(format!("{span} s each as measured"))
}

/// A time of fio's options; seconds where it names no unit (fio HOWTO, "time").
fn seconds(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_digit()) { format!("{text} s") } else { shown(text) }
}

/// Properties that no benchmark writes down, of which runs say nothing.
fn unknown(site: &Site<'_>) -> (String, String) {
    let asked = [(Dimension::Fs, "fs=xfs"), (Dimension::Drives, "drives=6")];
    let lacks = |dimension: &Dimension| {
        site.runs.iter().filter(|page| page.record.run.value(dimension).is_none()).count()
    };
    let missing: Vec<_> = asked.into_iter().filter(|(dimension, _)| lacks(dimension) > 0).collect();
    let of = |dimension: &Dimension| match lacks(dimension) {
        n if n == site.runs.len() => dimension.title().to_owned(),
        n => format!("{} (of {})", dimension.title(), counted(n, "run")),
    };
    let say = missing.iter().map(|(_, example)| format!("--set {example}")).collect::<Vec<_>>().join(" ");
    (joined(missing.iter().map(|(dimension, _)| of(dimension)).collect()), say)
}
