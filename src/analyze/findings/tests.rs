//! What is said of small campaigns made by hand: file systems that read at the given rates.

use crate::analyze::{AnalyzeOptions, analyze};
use crate::ingest::Ingested;
use crate::model::{
    Ddir, Dimension, DimensionEntry, DimensionOrigin, Job, Metric, Run, Summary, Tool, Value,
};
use std::collections::BTreeMap;

fn run(fs: &str, repeat: usize, iops: f64) -> Run {
    let repeat = repeat.to_string();
    let named = [
        (Dimension::Fs, fs),
        (Dimension::Repeat, &repeat),
        (Dimension::Rw, "randread"),
        (Dimension::Bs, "4k"),
        (Dimension::Iodepth, "4"),
    ];
    let entry = |(dimension, text): (Dimension, &str)| {
        let value = Value::canonical(&dimension, text);
        (dimension, DimensionEntry { value, from: DimensionOrigin::Option })
    };
    Run {
        id: format!("{fs}_run{repeat}"),
        label: format!("{fs}_run{repeat}"),
        tool: Tool { name: "fio".to_owned(), version: None },
        sources: Vec::new(),
        dimensions: named.into_iter().map(entry).collect(),
        options: BTreeMap::new(),
        environment: BTreeMap::new(),
        jobs: vec![Job { clones: 1, ..Job::default() }],
        series: Vec::new(),
        summaries: vec![Summary { mean: Some(iops), ..Summary::new(Metric::Iops, Ddir::Read, Some(0)) }],
    }
}

/// The findings of a campaign, a line each.
fn said(systems: &[(&str, &[f64])]) -> Vec<String> {
    let repeats =
        |&(fs, rates): &(&str, &[f64])| (1..).zip(rates.to_vec()).map(|(n, iops)| run(fs, n, iops)).collect();
    let runs = systems.iter().flat_map(|system| -> Vec<Run> { repeats(system) }).collect();
    let campaign = analyze(Ingested { runs, ..Ingested::default() }, &AnalyzeOptions::default());
    campaign.findings.into_iter().map(|finding| finding.text).collect()
}

#[test]
fn who_moved_nothing_in_any_repeat_is_beaten_without_a_ratio() {
    let idle: &[f64] = &[0.0, 0.0, 0.0];
    assert_eq!(
        said(&[("ext4", idle), ("xfs", &[990.0, 1000.0, 1010.0])]),
        ["Random read: xfs reads 1,000 IOPS, ext4 moved nothing in any repeat (n = 3)."]
    );
    assert_eq!(
        said(&[("ext4", idle), ("xfs", idle)]),
        ["Random read: no difference shown between ext4 and xfs (0 IOPS, n = 3)."]
    );
    // A 0 among others decides nothing, and there is no factor between 0 and anything.
    assert_eq!(
        said(&[("ext4", idle), ("xfs", &[0.0, 990.0, 1010.0])]),
        [
            "Random read: ext4 and xfs are not told apart (0 IOPS to 667 IOPS): the repeats scatter too much to tell at n = 3 and a threshold of 5.0 %."
        ]
    );
}
