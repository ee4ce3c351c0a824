//! The charts that are suggested for the sample logs.

use crate::support::{campaign, sample};
use plotgen::chart::chart;
use plotgen::spec::suggest;

#[test]
fn charts_of_two_experiments_differ_in_their_titles_as_in_their_ids() {
    let data = campaign(&[sample("").as_path()]);
    let title = |id: &str| {
        let spec = suggest(&data).into_iter().find(|spec| spec.id == id);
        chart(&data, &spec.unwrap_or_else(|| panic!("no chart {id}"))).unwrap().title
    };
    assert_eq!(title("iops-by-raid-level-sweep"), "Random read and write IOPS by RAID level, level-sweep");
    assert_eq!(
        title("iops-by-raid-whole-surface"),
        "Random read and write IOPS by RAID level, whole-surface"
    );
    // A chart that is the only one of its kind says no more than what it compares.
    assert_eq!(title("lat-by-iodepth"), "Random-read latency by queue depth");
}
