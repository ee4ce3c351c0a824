//! Findings over time: runs that are erratic.
//!
//! In: the windows of each run's logs. Out: one sentence that names the worst, or none.

use super::words::is_usual;
use crate::analyze::repeat::mean;
use crate::model::unit::significant;
use crate::model::{Campaign, Ddir, Dimension, Finding, Measure, Metric, Origin, Stat, Value};
use std::collections::BTreeMap;

/// Runs whose windows vary more than chance and 10 % explain.
pub(super) fn erratic(campaign: &Campaign) -> Vec<Finding> {
    type Key = (BTreeMap<Dimension, Value>, Ddir);
    let mut groups: BTreeMap<Key, Vec<(usize, f64, bool)>> = BTreeMap::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        for ddir in record.ddirs(Metric::Iops) {
            let cov =
                record.statistic_from(Measure { metric: Metric::Iops, stat: Stat::Cov }, ddir, Origin::Log);
            let rate = record.statistic_from(Measure::mean(Metric::Iops), ddir, Origin::Log);
            let series = record.total_series(Metric::Iops, ddir);
            let (Some(cov), Some(rate), Some(series)) = (cov, rate, series) else { continue };
            let ios = rate.value * series.cell_ms / 1000.0;
            if ios <= 0.0 || series.values.len() < 10 {
                continue;
            }
            let bound = f64::max(0.10, 2.0 / ios.sqrt());
            let key: BTreeMap<Dimension, Value> = record
                .run
                .dimensions
                .iter()
                .filter(|(d, _)| **d != Dimension::Repeat)
                .map(|(d, e)| (d.clone(), e.value.clone()))
                .collect();
            groups.entry((key, ddir)).or_default().push((index, cov.value, cov.value > bound));
        }
    }
    let varying = campaign.varying();
    let mut named: Vec<(f64, String, Vec<usize>)> = groups
        .into_iter()
        .filter(|(_, runs)| runs.iter().all(|(.., beyond)| *beyond))
        .map(|((key, ddir), runs)| {
            let words: Vec<String> = key
                .iter()
                .filter(|(d, v)| varying.contains(d) && !is_usual(d, v))
                .map(|(d, v)| if *d == Dimension::Rw { v.workload_phrase() } else { d.phrase(v) })
                .collect();
            let values: Vec<f64> = runs.iter().map(|r| r.1).collect();
            let who =
                if words.is_empty() { campaign.runs[runs[0].0].run.label.clone() } else { words.join(", ") };
            let text = format!(
                "{who} ({} %{})",
                significant(mean(&values) * 100.0, 2),
                if ddir == Ddir::Write { ", writes" } else { "" }
            );
            (mean(&values), text, runs.into_iter().map(|r| r.0).collect())
        })
        .collect();
    if named.is_empty() {
        return Vec::new();
    }
    named.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let names: Vec<String> = named.iter().take(4).map(|(_, text, _)| text.clone()).collect();
    let more = if named.len() > 4 { format!("; {} more", named.len() - 4) } else { String::new() };
    let text = format!(
        "Erratic over time, windows varying by more than chance explains: {}{more}.",
        names.join("; ")
    );
    let values = BTreeMap::from([("largest".to_owned(), named[0].0)]);
    vec![Finding {
        kind: "erratic".into(),
        text,
        runs: named.into_iter().flat_map(|n| n.2).collect(),
        values,
    }]
}
