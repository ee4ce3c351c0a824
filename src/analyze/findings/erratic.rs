//! Findings over time: runs that are erratic.
//!
//! In: the windows of each run's logs. Out: one sentence that names the worst, or none.

use super::words::is_usual;
use crate::analyze::audit::{Erratic, erratic_iops, share};
use crate::model::{Campaign, Dimension, Finding, Metric, RunRecord};
use std::collections::BTreeMap;

/// Runs that the sentence names.
const NAMED: usize = 4;

/// Runs whose windows vary more than chance and 10 % explain, by the rule of the audit.
///
/// The rule is one of a run: an erratic repeat is named though the others are calm.
pub(super) fn erratic(campaign: &Campaign) -> Vec<Finding> {
    let mut found: Vec<(f64, usize, String)> = Vec::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        let ddirs = record.ddirs(Metric::Iops);
        for &ddir in &ddirs {
            let Some(Erratic { cov, fallen, .. }) = erratic_iops(record, ddir) else { continue };
            let direction = if ddirs.len() > 1 { format!(", {ddir}s") } else { String::new() };
            let after = if fallen { " after its fall" } else { "" };
            let run = description(campaign, record);
            found.push((cov, index, format!("{run}{direction} ({}{after})", share(cov))));
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
