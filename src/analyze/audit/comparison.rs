//! Rules on what stands side by side.

use super::{Audit, Hit, counted, held};
use crate::analyze::contrast::Refusal;
use crate::analyze::facts;
use crate::model::unit::{significant, size_phrase};
use crate::model::{Dimension, Run, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A burst of dd this many times shorter than another of the same campaign.
const BURST: f64 = 5.0;

/// Runs that were refused a comparison because of their options.
pub(super) fn refused(audit: &Audit<'_>) -> Vec<Hit> {
    // Sweeps in folders of their own overlap in a few runs, which nobody means to compare.
    let meant = |refusal: &&Refusal| {
        let by_path = matches!(&refusal.by, Dimension::Other(name) if name.starts_with("path"));
        !by_path || refusal.runs.len() * 2 > audit.campaign.runs.len()
    };
    let each = audit.refused.iter().filter(meant).map(|refusal| {
        let place = if refusal.place.is_empty() { String::new() } else { format!(" at {}", refusal.place) };
        Hit {
            runs: refusal.runs.clone(),
            name: format!("by {}{place}", refusal.by.title()),
            text: format!("they differ in {} as well", refusal.options.join(" and ")),
            rank: refusal.runs.len() as f64,
        }
    });
    each.collect()
}

/// Values of a dimension that were run with different numbers of jobs, and never with the same.
pub(super) fn unequal_jobs(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    // Depth, block size and workload often go along with the number of jobs on purpose.
    let by = audit.campaign.varying().into_iter().filter(|dimension| {
        matches!(
            dimension,
            Dimension::Raid
                | Dimension::Fs
                | Dimension::Device
                | Dimension::Chunk
                | Dimension::Drives
                | Dimension::Engine
                | Dimension::Host
        )
    });
    for by in by {
        let mut families: BTreeMap<BTreeMap<&Dimension, &str>, Vec<usize>> = BTreeMap::new();
        for (index, record) in audit.records() {
            let run = &record.run;
            if run.value(&by).is_some() && run.value(&Dimension::Numjobs).is_some() {
                families.entry(held(run, &[&by, &Dimension::Numjobs])).or_default().push(index);
            }
        }
        for runs in families.into_values() {
            let mut jobs: BTreeMap<&Value, BTreeSet<&Value>> = BTreeMap::new();
            for run in runs.iter().filter_map(|&run| audit.record(run)).map(|record| &record.run) {
                if let (Some(value), Some(count)) = (run.value(&by), run.value(&Dimension::Numjobs)) {
                    jobs.entry(value).or_default().insert(count);
                }
            }
            let sets: Vec<(&Value, BTreeSet<&Value>)> = jobs.into_iter().collect();
            let apart = sets
                .iter()
                .enumerate()
                .any(|(i, (_, a))| sets.iter().skip(i + 1).any(|(_, b)| a.is_disjoint(b)));
            if apart {
                let list = sets.iter().map(|(value, counts)| {
                    let counts: Vec<&str> = counts.iter().map(|count| count.as_str()).collect();
                    format!("{} numjobs={}", by.phrase(value), counts.join(" and "))
                });
                let text = list.collect::<Vec<_>>().join(", ");
                let rank = runs.len() as f64;
                hits.push(Hit { runs, name: format!("by {}", by.title()), text, rank });
            }
        }
    }
    hits
}

/// Tools whose figures are no measure of the same thing.
pub(super) fn mixed_tools(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let runs = |fits: &dyn Fn(&Run) -> bool| -> Vec<usize> {
        audit.records().filter(|(_, record)| fits(&record.run)).map(|(index, _)| index).collect()
    };
    let mut say = |runs: Vec<usize>, name: &str, text: String| {
        if !runs.is_empty() {
            hits.push(Hit { runs, name: name.to_owned(), text, rank: 0.0 });
        }
    };
    let cached = |run: &Run| {
        let kind = run.value(&Dimension::Other("hdparm".to_owned())).map(Value::as_str);
        run.tool.name == "hdparm" && kind == Some("cached")
    };
    say(runs(&cached), "hdparm -T", "reads the buffer cache: memory, not the disk".to_owned());
    let dd = |run: &Run| run.tool.name == "dd";
    let random = |run: &Run| run.value(&Dimension::Rw).is_some_and(|rw| rw.as_str().starts_with("rand"));
    if audit.records().any(|(_, record)| random(&record.run)) {
        say(runs(&dd), "dd", "one sequential stream says nothing about random I/O".to_owned());
    }
    let size = |run: &Run| facts::file_size(run).filter(|_| dd(run));
    let sizes: Vec<(usize, f64)> =
        audit.records().filter_map(|(index, record)| Some((index, size(&record.run)?))).collect();
    let largest = sizes.iter().map(|(_, size)| *size).fold(0.0, f64::max);
    let bursts: Vec<(usize, f64)> = sizes.into_iter().filter(|(_, size)| size * BURST <= largest).collect();
    if let Some(shortest) = bursts.iter().map(|(_, size)| *size).reduce(f64::min) {
        let text = format!(
            "{} of {} and more beside one of {}: a burst smaller than the cache measures the cache (up to {} times less)",
            counted(bursts.len(), "stream"),
            size_phrase(shortest as u64),
            size_phrase(largest as u64),
            significant(largest / shortest, 2)
        );
        say(bursts.into_iter().map(|(run, _)| run).collect(), "dd bursts", text);
    }
    hits
}
