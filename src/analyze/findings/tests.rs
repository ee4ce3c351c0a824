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
fn near_means_are_close_only_where_the_interval_of_their_ratio_is() {
    // Means 13.33 and 13.67; geometric means (12 * 3 * 25)^(1/3) = 9.65 and (10 * 1 * 30)^(1/3) = 6.69, interval 0.04 to 50.
    assert_eq!(
        said(&[("ext4", &[12.0, 3.0, 25.0]), ("xfs", &[10.0, 1.0, 30.0])]),
        [
            "Random read: ext4 and xfs have means within 2.5 % of each other (13.3 IOPS to 13.7 IOPS): the repeats scatter too much to tell at n = 3 and a threshold of 5.0 %."
        ]
    );
    // Ratio 1.05, s = 0.5 % on both sides: half the interval is 2.776 * 0.5 % * sqrt(2 / 3) = 1.13 %, so 1.04 to 1.06.
    assert_eq!(
        said(&[("ext4", &[1000.0, 1005.0, 995.0]), ("xfs", &[1050.0, 1055.0, 1045.0])]),
        [
            "Random read: ext4 and xfs have means within 5.0 % of each other (1,000 IOPS to 1,050 IOPS): too close to call at n = 3 and a threshold of 5.0 %."
        ]
    );
}

#[test]
fn a_single_run_does_not_silence_the_verdicts_on_the_others() {
    // Ratio of geometric means 999.97 / 502.49 = 1.99; error 0.762 % with 2.89 degrees of freedom, t = 3.26.
    // Ratio of geometric means 999.97 / 502.5 = 1.99; error 0.762 % with 2.89 degrees of freedom, t = 3.26.
    assert_eq!(
        said(&[("btrfs", &[500.0, 505.0]), ("ext4", &[800.0]), ("xfs", &[990.0, 1000.0, 1010.0])])[0],
        "Random read: xfs reads 1,000 IOPS, 1.99 times btrfs (95 % interval 1.94 to 2.04, n = 2 to 3). ext4 (800 IOPS) is a single run and not judged."
    );
    // Of two cells one with repeats leaves nothing to judge.
    assert!(
        said(&[("ext4", &[800.0]), ("xfs", &[990.0, 1000.0, 1010.0])])[0]
            .starts_with("No verdict on file system")
    );
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
