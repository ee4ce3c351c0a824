//! Findings over time: runs that are erratic.
//!
//! In: the windows of each run's logs. Out: one sentence that names the worst, or none.

use super::words::is_usual;
use crate::model::unit::significant;
use crate::model::{Campaign, Dimension, Finding, Measure, Metric, Origin, RunRecord, Stat};
use std::collections::BTreeMap;

/// Runs that the sentence names.
const NAMED: usize = 4;

/// Runs whose windows vary more than chance and 10 % explain.
///
/// The rule is one of a run: an erratic repeat is named though the others are calm.
pub(super) fn erratic(campaign: &Campaign) -> Vec<Finding> {
    let mut found: Vec<(f64, usize, String)> = Vec::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        for ddir in record.ddirs(Metric::Iops) {
            let of = |stat| record.statistic_from(Measure { metric: Metric::Iops, stat }, ddir, Origin::Log);
            let series = record.total_series(Metric::Iops, ddir);
            let (Some(cov), Some(rate), Some(series)) = (of(Stat::Cov), of(Stat::Mean), series) else {
                continue;
            };
            let ios = rate.value * series.cell_ms / 1000.0;
            if ios <= 0.0 || series.values.len() < 10 || cov.value <= f64::max(0.10, 2.0 / ios.sqrt()) {
                continue;
            }
            let both = record.ddirs(Metric::Iops).len() > 1;
            let direction = if both { format!(", {ddir}s") } else { String::new() };
            let text = format!(
                "{}{direction} ({} %)",
                description(campaign, record),
                significant(cov.value * 100.0, 2)
            );
            found.push((cov.value, index, text));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let names: Vec<&str> = found.iter().take(NAMED).map(|(.., text)| text.as_str()).collect();
    let more =
        if found.len() > NAMED { format!("; and {} more", found.len() - NAMED) } else { String::new() };
    let text = format!(
        "Erratic over time: the IOPS of single windows vary (standard deviation as a share of the mean) by more \
         than chance explains in {}{more}.",
        names.join("; ")
    );
    let values = BTreeMap::from([("largest".to_owned(), found[0].0)]);
    let mut runs: Vec<usize> = found.into_iter().map(|(_, index, _)| index).collect();
    runs.sort_unstable();
    runs.dedup();
    vec![Finding { kind: "erratic".into(), text, runs, values }]
}

/// A run by what differs in the campaign and does not go without saying.
fn description(campaign: &Campaign, record: &RunRecord) -> String {
    let varying = campaign.varying();
    let words: Vec<String> = record
        .run
        .dimensions
        .iter()
        .filter(|(d, entry)| varying.contains(d) && !is_usual(d, &entry.value))
        .map(
            |(d, entry)| {
                if *d == Dimension::Rw { entry.value.workload_phrase() } else { d.phrase(&entry.value) }
            },
        )
        .collect();
    if words.is_empty() { record.run.label.clone() } else { words.join(", ") }
}
