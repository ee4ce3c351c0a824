//! Which figures tell most about runs.
//!
//! In: a campaign and some of its runs. Out: the rates and the latency to show of them.

use super::LARGE_BLOCK;
use crate::model::{Campaign, Dimension, Metric, Stat, Value};
use std::collections::BTreeSet;

/// The rate that tells most: bandwidth for large blocks, IOPS for small ones, both when sizes vary.
pub(crate) fn rates(campaign: &Campaign, runs: &[usize]) -> Vec<Metric> {
    let has = |metric: Metric| {
        runs.iter().any(|&r| {
            let record = &campaign.runs[r];
            record.statistics.iter().any(|s| s.metric == metric)
                || record.series.iter().any(|s| s.metric == metric)
        })
    };
    let sizes: BTreeSet<Option<&Value>> =
        runs.iter().map(|&r| campaign.runs[r].run.value(&Dimension::Bs)).collect();
    let preferred: &[Metric] = match sizes.iter().next() {
        Some(Some(size)) if sizes.len() == 1 => {
            if size.number().is_some_and(|bytes| bytes >= LARGE_BLOCK) {
                &[Metric::Bw]
            } else {
                &[Metric::Iops]
            }
        }
        _ if sizes.len() > 1 => &[Metric::Iops, Metric::Bw],
        _ => &[Metric::Iops],
    };
    let found: Vec<Metric> = preferred.iter().copied().filter(|&m| has(m)).collect();
    if found.is_empty() {
        [Metric::Iops, Metric::Bw].into_iter().filter(|&m| has(m)).take(1).collect()
    } else {
        found
    }
}

/// The latency that most of the runs have: total before completion.
pub(crate) fn latency(campaign: &Campaign, runs: &[usize], stat: Stat) -> Option<Metric> {
    let count = |metric: Metric| {
        let has = |r: &&usize| {
            campaign.runs[**r].statistics.iter().any(|s| s.metric == metric && s.stat == stat && s.supported)
        };
        runs.iter().filter(has).count()
    };
    let (lat, clat) = (count(Metric::Lat), count(Metric::Clat));
    match (lat, clat) {
        (0, 0) => None,
        _ if lat >= clat => Some(Metric::Lat),
        _ => Some(Metric::Clat),
    }
}
