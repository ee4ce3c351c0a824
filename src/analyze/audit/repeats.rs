//! Rules on repeats: how many there are and how well they agree.

use super::{Audit, Hit, bandwidth, counted, iops, share};
use crate::analyze::contrast::conditions;
use crate::analyze::copies::by_original;
use crate::analyze::inference;
use crate::analyze::repeat::{mean, median, stddev};
use crate::ingest::labels;
use crate::model::text::list;
use crate::model::unit::significant;
use crate::model::{Campaign, Ddir, Dimension, Measure, Metric};
use std::collections::{BTreeMap, BTreeSet};

/// Spread between repeats that is worth a remark.
const DRIFT: f64 = 0.10;
/// Runs that are repeats of each other: equal in tool, options, dimensions but for `repeat`,
/// folder, and the words of their name that say none of it.
pub(super) fn groups(campaign: &Campaign) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        let run = &record.run;
        let folder = run.id.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = labels::from_file_stem(&run.label).leftover;
        let mut key = vec![run.tool.name.clone(), folder.to_owned(), name];
        key.extend(super::held(run, &[]).iter().map(|(dimension, value)| format!("{dimension}={value}")));
        key.extend(conditions(run).iter().map(|(option, value)| format!("--{option}={value}")));
        if campaign.copies.contains_key(&index) {
            // A copy is no repeat of its original, nor of the others.
            key.push(run.id.clone());
        }
        groups.entry(key).or_default().push(index);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort();
    groups
}

/// The figure of each run of a group.
type Figures = Vec<(usize, f64)>;

/// The rates of the repeats of a group, by direction: IOPS, else bandwidth. A repeat that moved nothing counts as 0.
fn rates(audit: &Audit<'_>, group: &[usize]) -> Vec<(Metric, Ddir, Figures)> {
    let figures = |metric, ddir| -> Figures {
        let figure = |&run: &usize| {
            let value = audit.record(run)?.statistic(Measure::mean(metric), ddir)?.value;
            (value.is_finite() && value >= 0.0).then_some((run, value))
        };
        group.iter().filter_map(figure).collect()
    };
    let each = Ddir::ALL.iter().filter_map(|&ddir| {
        [Metric::Iops, Metric::Bw]
            .into_iter()
            .map(|metric| (metric, ddir, figures(metric, ddir)))
            .find(|(_, _, values)| values.iter().any(|(_, value)| *value > 0.0))
    });
    each.collect()
}

fn text(metric: Metric, value: f64) -> String {
    if metric == Metric::Bw { bandwidth(value) } else { iops(value) }
}

/// Repeats that spread widely.
pub(super) fn drift(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for group in audit.repeats.iter().filter(|group| group.len() > 1) {
        for (metric, ddir, figures) in rates(audit, group) {
            let values: Vec<f64> = figures.iter().map(|(_, value)| *value).collect();
            let Some(cov) = stddev(&values).map(|s| s / mean(&values)).filter(|cov| *cov > DRIFT) else {
                continue;
            };
            let list: Vec<String> = values.iter().take(6).map(|v| text(metric, *v)).collect();
            let more = if values.len() > 6 { ", ..." } else { "" };
            let said = format!("{ddir}s vary by {} between repeats: {}{more}", share(cov), list.join(", "));
            let name = group.first().map(|&run| audit.name(run)).unwrap_or_default();
            let name = format!("{name} and its repeats");
            hits.push(Hit { runs: group.clone(), name, text: said, rank: cov });
        }
    }
    hits
}

/// Single repeats far from the median of at least three.
pub(super) fn outliers(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for group in &audit.repeats {
        for (metric, ddir, figures) in rates(audit, group) {
            let values: Vec<f64> = figures.iter().map(|(_, value)| *value).collect();
            for outlier in inference::outliers(&values) {
                let (run, value) = figures[outlier.index];
                let z = if outlier.z.is_finite() {
                    format!("modified z {}", significant(outlier.z, 2))
                } else {
                    "the others are equal".to_owned()
                };
                let said = format!(
                    "{ddir}: {}, the median of {} is {} ({z})",
                    text(metric, value),
                    counted(values.len(), "repeat"),
                    text(metric, median(&values))
                );
                hits.push(audit.hit(run, said, outlier.share));
            }
        }
    }
    hits
}

/// Runs that are another one once more.
pub(super) fn copies(audit: &Audit<'_>) -> Vec<Hit> {
    let hit = |(original, copies): (usize, Vec<usize>)| {
        let names: Vec<String> = copies.iter().map(|&copy| audit.name(copy)).collect();
        let has = if copies.len() == 1 { "has" } else { "have" };
        let text = format!("{} {has} exactly its figures", list(&names));
        let rank = copies.len() as f64;
        Hit { runs: [vec![original], copies].concat(), name: audit.name(original), text, rank }
    };
    by_original(&audit.campaign.copies).into_iter().map(hit).collect()
}

/// Compared figures that rest on one run.
pub(super) fn single(audit: &Audit<'_>) -> Vec<Hit> {
    let mut alone: BTreeSet<usize> = BTreeSet::new();
    let mut by: BTreeSet<&str> = BTreeSet::new();
    for comparison in &audit.campaign.comparisons {
        if comparison.by == Dimension::Repeat {
            continue;
        }
        for cell in comparison.cells.iter().filter(|cell| cell.runs.len() == 1) {
            alone.extend(&cell.runs);
            by.insert(comparison.by.title());
        }
    }
    let by = by.into_iter().collect::<Vec<_>>().join(", ");
    audit.all(alone.into_iter().collect(), &format!("compared by {by} without a repeat"))
}
