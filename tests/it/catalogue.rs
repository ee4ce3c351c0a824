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

/// The shares of reads are what is compared: they are points of one sweep, not charts of their own.
#[test]
fn a_mix_of_reads_and_writes_is_swept_in_one_chart() {
    let folder = tempfile::tempdir().unwrap();
    for reads in [30, 50, 70] {
        let direction = |ios: u32| {
            format!(
                r#"{{"io_bytes":{},"io_kbytes":1,"bw_bytes":{},"iops":{ios},"runtime":1000,"total_ios":{ios},
                    "lat_ns":{{"min":1,"max":9,"mean":5.0,"stddev":1.0,"N":{ios}}}}}"#,
                ios * 4096,
                ios * 4096
            )
        };
        let text = format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"mix","groupid":0,"error":0,
                "job options":{{"rw":"randrw","bs":"4k","rwmixread":"{reads}"}},"read":{},"write":{}}}]}}"#,
            direction(reads * 10),
            direction((100 - reads) * 10)
        );
        std::fs::write(folder.path().join(format!("randrw{reads}.json")), text).unwrap();
    }
    let data = campaign(&[folder.path()]);
    let specs = suggest(&data);
    let mixed: Vec<&str> =
        specs.iter().map(|spec| spec.id.as_str()).filter(|id| id.starts_with("iops-by")).collect();
    assert_eq!(mixed, ["iops-by-rwmixread"]);
    let figure = chart(&data, &specs[0]).unwrap();
    assert_eq!(figure.title, "Random read and write IOPS by share of reads");
    let panels: Vec<&str> = figure.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(panels, ["Read", "Write"]);
    let written = serde_json::to_string(&figure).unwrap();
    assert!(written.contains("\"Share of reads (%)\""), "{written}");
}
