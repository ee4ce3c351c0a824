//! What each kind of chart shows of the sample logs: words, ticks, marks and the first numbers behind it.
//!
//! A change of a snapshot is a change of a picture: look at it before it is accepted. That the numbers
//! are right is held elsewhere, against fio's own summaries (`numbers`, `distribution`).

use crate::support::{campaign, sample};
use plotgen::chart::{Figure, Shape, TableCell, chart};
use plotgen::spec::{builtins, named};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const MIXED: &str = "run-special-raid10-chunk64k-randrw75-qd4-jobs4-run1";

/// A kind of chart and the one of its name that stands for it; `MIXED` stands for a run of reads and writes of four jobs.
const CHARTS: [(&str, &str); 24] = [
    ("METRIC-by-DIMENSION", "iops-by-raid-level-sweep"),
    ("METRIC-STAT-by-DIMENSION", "clat-p99-by-raid-level-sweep"),
    ("METRIC-by-DIMENSION-and-DIMENSION", "iops-by-chunk-and-raid"),
    ("lat-iops-over-DIMENSION", "lat-iops-over-iodepth"),
    ("METRIC-matrix-by-DIMENSION-and-DIMENSION", "iops-matrix-by-raid-and-chunk"),
    ("METRIC-bars3d-by-DIMENSION-and-DIMENSION", "iops-bars3d-by-raid-and-chunk"),
    ("METRIC-time", "MIXED-iops-time"),
    ("METRIC-time-by-DIMENSION", "iops-time-by-raid"),
    ("METRIC-steady", "MIXED-iops-steady"),
    ("METRIC-heatmap", "clat-heatmap"),
    ("METRIC-percentiles-time", "clat-percentiles-time"),
    ("METRIC-amount", "MIXED-iops-amount"),
    ("METRIC-percentiles", "MIXED-clat-percentiles"),
    ("METRIC-percentiles-by-DIMENSION", "clat-percentiles-by-raid"),
    ("METRIC-ecdf-by-DIMENSION", "clat-ecdf-by-raid"),
    ("METRIC-exceedance-by-DIMENSION", "clat-exceedance-by-raid"),
    ("METRIC-histogram-by-DIMENSION", "clat-histogram-by-raid"),
    ("METRIC-box", "MIXED-iops-box"),
    ("METRIC-box-by-DIMENSION", "iops-box-by-raid"),
    ("METRIC-jobs", "MIXED-iops-jobs"),
    ("METRIC-METRIC-time", "MIXED-iops-lat-time"),
    ("METRIC-total-time", "MIXED-iops-total-time"),
    ("METRIC-jobs-stack", "MIXED-iops-jobs-stack"),
    ("METRIC-amount-time", "MIXED-iops-amount-time"),
];

/// A figure in a few lines.
fn told(figure: &Figure) -> String {
    let mut text = format!("{}\n{}\n", figure.title, figure.subtitle);
    for panel in &figure.panels {
        let ticks = |axis: &plotgen::chart::Axis| {
            axis.ticks.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>().join(" | ")
        };
        writeln!(text, "panel `{}`", panel.title).unwrap();
        writeln!(text, "  x {}: {}", panel.x.title, ticks(&panel.x)).unwrap();
        writeln!(text, "  y {}: {}", panel.y.title, ticks(&panel.y)).unwrap();
        let mut shapes: BTreeMap<&str, usize> = BTreeMap::new();
        for shape in &panel.shapes {
            let kind = match shape {
                Shape::Line { .. } => "lines",
                Shape::Band { .. } => "bands",
                Shape::Area { .. } => "areas",
                Shape::Bar { .. } => "bars",
                Shape::Dots { .. } => "dots",
                Shape::Interval { .. } => "intervals",
                Shape::Rule { .. } => "rules",
                Shape::Mark { .. } => "marks",
                Shape::Fill { .. } => "fills",
                Shape::Cut { .. } => "cuts",
            };
            *shapes.entry(kind).or_default() += 1;
        }
        let shapes: Vec<String> = shapes.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(text, "  {}", shapes.join(", ")).unwrap();
    }
    writeln!(text, "table of {} rows: {}", figure.table.rows.len(), figure.table.columns.join(" | "))
        .unwrap();
    for row in figure.table.rows.iter().take(2) {
        let cells = row.iter().map(TableCell::text);
        writeln!(text, "  {}", cells.collect::<Vec<_>>().join(" | ")).unwrap();
    }
    for note in &figure.notes {
        writeln!(text, "note: {note}").unwrap();
    }
    text
}

#[test]
fn each_kind_of_chart_shows_what_it_has_shown() {
    let data = campaign(&[sample("").as_path()]);
    let known: Vec<&str> = CHARTS.iter().map(|(kind, _)| *kind).collect();
    // Changes need a baseline and syncs need jobs that make them, which sample-logs have none of; they are held where
    // they are made.
    let left: Vec<String> =
        builtins().into_iter().map(|b| b.name).filter(|n| !known.contains(&n.as_str())).collect();
    assert_eq!(left, ["METRIC-change", "fsync-by-DIMENSION", "fsync-percentiles"]);
    let all = CHARTS.iter().map(|(kind, name)| {
        let name = name.replace("MIXED", MIXED);
        let specs = named(&name, &data).unwrap_or_else(|error| panic!("{name}: {error}"));
        let figure = chart(&data, &specs[0]).unwrap_or_else(|error| panic!("{name}: {error}"));
        format!("## {kind}\n{}", told(&figure))
    });
    insta::assert_snapshot!("figures", all.collect::<Vec<_>>().join("\n"));
}
