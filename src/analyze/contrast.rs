//! Which runs may be compared by what.
//!
//! Two runs are comparable by a dimension when they are equal in every other
//! dimension (but for `repeat`) and in every option that could change the
//! figures. Contrasts that differ in the workload or in one second dimension
//! are put together, so that one chart can show them side by side.

use crate::model::{Campaign, Contrast, Ddir, Diagnostic, Dimension, Run, Severity, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What runs have in common, by dimension.
type Held = BTreeMap<Dimension, Value>;
/// Effective options that could change the figures.
pub(super) type Conditions = BTreeMap<String, String>;

/// Options that do not change what is measured, and those that have a dimension of their own.
const PASSED_OVER: &[&str] = &[
    // Names and places.
    "name",
    "filename",
    "directory",
    "description",
    "output",
    "output-format",
    "randseed",
    "new_group",
    "group_reporting",
    "stonewall",
    "per_job_logs",
    "filename_format",
    "write_bw_log",
    "write_iops_log",
    "write_lat_log",
    "write_hist_log",
    "log_offset",
    "disk_util",
    "eta",
    "eta-newline",
    "status-interval",
    // Dimensions.
    "rw",
    "readwrite",
    "bs",
    "blocksize",
    "iodepth",
    "numjobs",
    "ioengine",
    "direct",
    "buffered",
    "rwmixread",
    "rwmixwrite",
    "fsync",
    "fdatasync",
];

/// Preference among dimensions: what people compare first.
fn interest(dimension: &Dimension) -> usize {
    match dimension {
        Dimension::Raid => 0,
        Dimension::Fs => 1,
        Dimension::Device => 2,
        Dimension::Chunk => 3,
        Dimension::Iodepth => 4,
        Dimension::Bs => 5,
        Dimension::Numjobs => 6,
        Dimension::Drives => 7,
        Dimension::Engine => 8,
        Dimension::Direct => 9,
        Dimension::Host => 10,
        Dimension::Other(_) => 11,
        Dimension::Rw => 12,
        Dimension::Repeat => 13,
    }
}

/// Effective options that must be equal between compared runs.
pub(super) fn conditions(run: &Run) -> Conditions {
    run.options
        .iter()
        .filter(|(key, _)| !PASSED_OVER.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Everything that two runs must share to be compared by `by`.
fn held(run: &Run, by: &Dimension) -> Held {
    run.dimensions
        .iter()
        .filter(|(dimension, _)| *dimension != by && **dimension != Dimension::Repeat)
        .map(|(dimension, entry)| (dimension.clone(), entry.value.clone()))
        .collect()
}

/// Runs that would compare by one dimension, did they not differ in options as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The dimension.
    pub by: Dimension,
    /// Options that differ, with their values: `runtime (20, 40)`.
    pub options: Vec<String>,
    /// What the runs share: `raid=10 bs=4k`; may be empty.
    pub place: String,
    /// Indices of the runs.
    pub runs: Vec<usize>,
}

impl Refusal {
    /// The refusal as a remark.
    pub(super) fn remark(&self) -> Diagnostic {
        let place = if self.place.is_empty() { String::new() } else { format!(" (at {})", self.place) };
        let message = format!(
            "some runs are not compared by {}: they differ in {} as well{place}",
            self.by.title(),
            self.options.join(" and "),
        );
        Diagnostic::new(Severity::Info, "comparison", message)
    }
}

struct Family {
    held: Held,
    conditions: Conditions,
    runs: Vec<usize>,
}

/// The contrasts of a campaign, most telling first, and remarks on those that are refused.
pub(super) fn contrasts(campaign: &Campaign) -> (Vec<Contrast>, Vec<Refusal>) {
    let mut found = Vec::new();
    let mut refused = Vec::new();
    let mut by: Vec<Dimension> = campaign.varying().into_iter().filter(|d| *d != Dimension::Repeat).collect();
    by.sort_by_key(interest);
    for dimension in &by {
        let families = families(campaign, dimension, &mut refused);
        found.extend(merge(campaign, dimension, families));
    }
    // A pair of dimensions needs one picture; the other way round it is the same cells again. The
    // sweep along a numeric dimension is the better one.
    let mirrors = |a: &Contrast, b: &Contrast| {
        a.second.as_ref() == Some(&b.by) && b.second.as_ref() == Some(&a.by) && a.runs == b.runs
    };
    let sweeps = |contrast: &Contrast| campaign.is_sweep(&contrast.by, &contrast.runs);
    let mut kept: Vec<Contrast> = Vec::new();
    for contrast in found {
        match kept.iter().position(|other| mirrors(other, &contrast)) {
            Some(place) if sweeps(&contrast) && !sweeps(&kept[place]) => {
                kept[place] = contrast;
            }
            Some(_) => {}
            None => kept.push(contrast),
        }
    }
    // What was repeated can be decided, so it comes first; the rest stays in order of interest.
    let repeated = |contrast: &Contrast| {
        let mut counts: BTreeMap<Held, usize> = BTreeMap::new();
        for &index in &contrast.runs {
            *counts.entry(held(&campaign.runs[index].run, &Dimension::Repeat)).or_default() += 1;
        }
        counts.values().all(|count| *count > 1)
    };
    kept.sort_by_key(|contrast| (!repeated(contrast), interest(&contrast.by)));
    (kept, refused)
}

/// Groups of runs that differ in `by` (and repeat) alone, with at least two values of it.
fn families(campaign: &Campaign, by: &Dimension, refused: &mut Vec<Refusal>) -> Vec<Family> {
    let mut groups: BTreeMap<(Held, Conditions), Vec<usize>> = BTreeMap::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        if record.run.value(by).is_none() || record.statistics.is_empty() {
            continue;
        }
        groups.entry((held(&record.run, by), conditions(&record.run))).or_default().push(index);
    }
    // Reads against writes is no contest; random against sequential of one direction is.
    if is_workload(by) {
        groups.retain(|_, runs| {
            let mut by_value: BTreeMap<Option<&Value>, BTreeSet<Ddir>> = BTreeMap::new();
            for record in runs.iter().map(|&r| &campaign.runs[r]) {
                by_value
                    .entry(record.run.value(by))
                    .or_default()
                    .extend(record.statistics.iter().map(|s| s.ddir));
            }
            let mut seen: BTreeSet<Ddir> = BTreeSet::new();
            by_value.into_values().flatten().filter(|d| *d != Ddir::Mixed).any(|ddir| !seen.insert(ddir))
        });
    }
    let values =
        |runs: &[usize]| runs.iter().filter_map(|&r| campaign.runs[r].run.value(by)).collect::<BTreeSet<_>>();
    let mut families: Vec<Family> = Vec::new();
    let mut by_held: BTreeMap<Held, Vec<(Conditions, Vec<usize>)>> = BTreeMap::new();
    for ((held, conditions), runs) in groups {
        by_held.entry(held).or_default().push((conditions, runs));
    }
    for (held, groups) in by_held {
        let all: BTreeSet<&Value> = groups.iter().flat_map(|(_, runs)| values(runs)).collect();
        let widest = groups.iter().map(|(_, runs)| values(runs).len()).max().unwrap_or(0);
        if groups.len() > 1 && all.len() > widest {
            refused.push(refusal(by, &held, &groups));
        }
        for (conditions, runs) in groups {
            if values(&runs).len() > 1 {
                families.push(Family { held: held.clone(), conditions, runs });
            }
        }
    }
    families
}

fn refusal(by: &Dimension, held: &Held, groups: &[(Conditions, Vec<usize>)]) -> Refusal {
    let mut options: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (conditions, _) in groups {
        for key in groups.iter().flat_map(|(c, _)| c.keys()) {
            options.entry(key).or_default().insert(conditions.get(key).map_or("(unset)", String::as_str));
        }
    }
    let options: Vec<String> = options
        .into_iter()
        .filter(|(_, values)| values.len() > 1)
        .map(|(key, values)| format!("{key} ({})", values.into_iter().collect::<Vec<_>>().join(", ")))
        .collect();
    let place: Vec<String> = held.iter().map(|(d, v)| format!("{d}={v}")).collect();
    let mut runs: Vec<usize> = groups.iter().flat_map(|(_, runs)| runs.iter().copied()).collect();
    runs.sort_unstable();
    Refusal { by: by.clone(), options, place: place.join(" "), runs }
}

/// Puts families together that differ in the workload, then in one second dimension.
fn merge(campaign: &Campaign, by: &Dimension, families: Vec<Family>) -> Vec<Contrast> {
    struct Group {
        held: Held,
        runs: Vec<usize>,
    }
    // The workload first: reads and writes stand in panels of one chart.
    let mut groups: BTreeMap<(Held, Conditions), Group> = BTreeMap::new();
    for family in families {
        let mut key = family.held.clone();
        key.retain(|dimension, _| !is_workload(dimension));
        let group = groups
            .entry((key, family.conditions))
            .or_insert_with(|| Group { held: family.held.clone(), runs: Vec::new() });
        group.held.retain(|dimension, value| family.held.get(dimension) == Some(value));
        group.runs.extend(family.runs);
    }
    let mut groups: Vec<((Held, Conditions), Group)> = groups.into_iter().collect();

    let mut contrasts = Vec::new();
    while !groups.is_empty() {
        // The dimension that brings the most groups together; on a tie the more interesting one.
        let mut best: Option<(usize, usize, Dimension, Vec<usize>)> = None;
        for second in
            campaign.varying().into_iter().filter(|d| d != by && !is_workload(d) && *d != Dimension::Repeat)
        {
            let mut together: BTreeMap<_, Vec<usize>> = BTreeMap::new();
            for (index, ((key, conditions), _)) in groups.iter().enumerate() {
                if !key.contains_key(&second) {
                    continue;
                }
                let mut rest = key.clone();
                rest.remove(&second);
                together.entry((rest, conditions)).or_default().push(index);
            }
            for members in together.into_values().filter(|m| m.len() > 1) {
                let better = best.as_ref().is_none_or(|(count, rank, ..)| {
                    members.len() > *count || (members.len() == *count && interest(&second) < *rank)
                });
                if better {
                    best = Some((members.len(), interest(&second), second.clone(), members));
                }
            }
        }
        match best {
            Some((_, _, second, members)) => {
                let mut merged: Option<Group> = None;
                for index in members.into_iter().rev() {
                    let (_, group) = groups.remove(index);
                    match &mut merged {
                        None => merged = Some(group),
                        Some(into) => {
                            into.held.retain(|dimension, value| group.held.get(dimension) == Some(value));
                            into.runs.extend(group.runs);
                        }
                    }
                }
                if let Some(group) = merged {
                    contrasts.push(contrast(by, Some(second), group.held, group.runs));
                }
            }
            None => {
                contrasts
                    .extend(groups.drain(..).map(|(_, group)| contrast(by, None, group.held, group.runs)));
            }
        }
    }
    // More runs and more values tell more; ties go by the first run.
    contrasts.sort_by(|a: &Contrast, b| b.runs.len().cmp(&a.runs.len()).then_with(|| a.runs.cmp(&b.runs)));
    contrasts
}

fn is_workload(dimension: &Dimension) -> bool {
    matches!(dimension, Dimension::Rw) || dimension.as_str() == "rwmixread"
}

fn contrast(by: &Dimension, second: Option<Dimension>, held: Held, mut runs: Vec<usize>) -> Contrast {
    runs.sort_unstable();
    Contrast { by: by.clone(), second, held, runs }
}
