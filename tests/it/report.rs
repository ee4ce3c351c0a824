//! One number is the same number wherever it stands.

use crate::cli::{empty, plotgen};
use crate::support::sample;
use plotgen::model::unit::significant;
use std::fs;

#[test]
fn a_figure_is_the_same_in_svg_table_csv_summary_and_report_json() {
    let dir = empty();
    let report = dir.path().join("report");
    let input = sample("level-sweep");
    plotgen(&dir).arg(&input).arg("-o").arg(&report).args(["--format", "svg", "-q"]).assert().success();

    // report.json: the three repeats of RAID 10, random write.
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(report.join("report.json")).unwrap()).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut figures: Vec<(String, f64)> = Vec::new();
    for run in json["runs"].as_array().unwrap() {
        if text(&run["dimensions"]["raid"]) != "10" || text(&run["dimensions"]["rw"]) != "randwrite" {
            continue;
        }
        for summary in run["summaries"].as_array().unwrap() {
            let words = ["metric", "ddir", "stat", "origin"].map(|key| text(&summary[key]));
            if words == ["iops", "write", "mean", "reported"] {
                figures.push((text(&run["id"]), summary["value"].as_f64().unwrap()));
            }
        }
    }
    assert_eq!(figures.len(), 3);
    // 210.2, 210.6 and 210.5 by the JSON files.
    assert!(figures.iter().all(|(_, value)| (*value - 210.4).abs() < 1.0), "{figures:?}");

    // data/summary.csv and the command give the same rows, to the last digit.
    let csv = fs::read_to_string(report.join("data/summary.csv")).unwrap();
    let printed = plotgen(&dir).arg("summary").arg(&input).args(["--format", "csv"]).assert().success();
    assert_eq!(String::from_utf8_lossy(&printed.get_output().stdout), csv);
    for (id, value) in &figures {
        let line = csv.lines().find(|line| {
            line.starts_with(id.as_str()) && line.contains(",iops,write,mean,") && line.contains("reported")
        });
        let found = line.unwrap().split(',').find(|cell| cell.parse::<f64>() == Ok(*value));
        assert!(found.is_some(), "{id}: {value} in {line:?}");
    }

    // The chart: its CSV in full, its picture and the page's table rounded by the one formatter.
    let mean = figures.iter().map(|(_, value)| value).sum::<f64>() / 3.0;
    let data = fs::read_to_string(report.join("data/iops-by-raid.csv")).unwrap();
    let cells = data.lines().flat_map(|line| line.split(',')).filter_map(|cell| cell.parse::<f64>().ok());
    assert!(cells.into_iter().any(|cell| (cell / mean - 1.0).abs() < 1e-12), "{mean} in {data}");
    let shown = significant(mean, 3);
    let svg = fs::read_to_string(report.join("charts/iops-by-raid.svg")).unwrap();
    assert!(svg.contains(&format!(">{shown}</text>")), "{shown}");
    let index = fs::read_to_string(report.join("index.html")).unwrap();
    assert!(index.contains(&format!("RAID 10 writes {shown} IOPS")), "{shown}");
}
