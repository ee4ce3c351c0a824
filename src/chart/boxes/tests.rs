//! Boxes: quartiles and whiskers as R has them, every window kept or counted, the promises of every layout.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::chart::promises::promises;
use crate::chart::testdata::{by, campaign, many_runs, noise, raid_campaign, run};
use crate::chart::{Role, Shape, TableCell, chart};
use crate::model::{Ddir, Dimension, Measure, Metric};
use crate::spec::{Channel, ChartSpec, Mark, Reference, ScaleKind, XChannel};

fn boxes(x: XChannel, metric: Metric) -> ChartSpec {
    ChartSpec::new("boxes", Mark::Box, x, Measure::mean(metric))
}

/// 20 windows: 1 to 19 IOPS and 100.
fn windows() -> Vec<Option<f64>> {
    (1..=19).map(|v| Some(f64::from(v))).chain([Some(100.0)]).collect()
}

#[test]
fn a_box_has_the_quartiles_and_whiskers_that_r_computes() {
    let data =
        campaign(vec![run("a", &[(Dimension::Raid, "5")]).trace(Metric::Iops, Ddir::Read, 500.0, windows())]);
    let figure = chart(&data, &boxes(XChannel::Dimension(Dimension::Raid), Metric::Iops)).unwrap();
    // R: quantile(c(1:19, 100), c(.05, .25, .5, .75, .95)) is 1.95, 5.75, 10.5, 15.25, 23.05.
    let numbers: Vec<f64> = figure.table.rows[0]
        .iter()
        .filter_map(|cell| match cell {
            TableCell::Number { value, .. } => Some(*value),
            _ => None,
        })
        .collect();
    let expected = [20.0, 1.0, 1.95, 5.75, 10.5, 15.25, 23.05, 100.0];
    for (found, expected) in numbers.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{numbers:?}");
    }
    // The box is an area from quartile to quartile.
    let area = figure.panels[0].shapes.iter().find_map(|shape| match shape {
        Shape::Band { parts, .. } => Some((parts[0][0].1, parts[0][0].2)),
        _ => None,
    });
    assert_eq!(area, Some((5.75, 15.25)));
    // 100 lies beyond the axis and is counted; 1 is a dot below the whisker.
    assert!(figure.notes.iter().any(|n| n.contains("is cut: 100")), "{:?}", figure.notes);
    let dots: Vec<(f64, f64)> = figure.panels[0]
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Dots { at, .. } => Some(at.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(dots, [(0.0, 1.0)]);
    assert!(figure.subtitle.contains("; 20 windows of 500 ms · "), "{}", figure.subtitle);
}

#[test]
fn few_windows_are_dots_and_no_box() {
    let values = vec![Some(1.0), Some(2.0), Some(4.0)];
    let data = campaign(vec![run("a", &[]).trace(Metric::Iops, Ddir::Read, 500.0, values)]);
    let figure = chart(&data, &boxes(XChannel::Run, Metric::Iops)).unwrap();
    assert!(figure.panels[0].shapes.iter().all(|shape| matches!(shape, Shape::Dots { .. })));
    assert!(figure.notes.iter().any(|n| n.contains("make no box")));
}

#[test]
fn repeats_stand_in_one_box_and_the_variation_over_it() {
    let data = raid_campaign(3);
    let mut spec = boxes(XChannel::Dimension(Dimension::Raid), Metric::Iops);
    spec.color = by(Dimension::Raid);
    spec.filter = crate::chart::testdata::only(Dimension::Chunk, "64k");
    let figure = chart(&data, &spec).unwrap();
    assert_eq!(figure.title, "Random-write IOPS of single windows by RAID level");
    assert!(figure.subtitle.contains("; 240 windows of 500 ms each, 3 repeats · "), "{}", figure.subtitle);
    let over: Vec<&str> = figure
        .texts
        .iter()
        .filter(|t| t.role == Role::Value && t.text.starts_with('±'))
        .map(|t| t.text.as_str())
        .collect();
    assert_eq!(over.len(), 4, "{over:?}");
    assert!(figure.alt.starts_with("Box plot of 12 runs"), "{}", figure.alt);
}

#[test]
fn runs_on_the_axis_are_named_by_what_differs() {
    let one = |id: &str, raid: &str| {
        run(id, &[(Dimension::Raid, raid), (Dimension::Bs, "4k")]).trace(
            Metric::Iops,
            Ddir::Read,
            500.0,
            noise(1, 40, 100.0, 0.2),
        )
    };
    let figure =
        chart(&campaign(vec![one("x", "5"), one("y", "10")]), &boxes(XChannel::Run, Metric::Iops)).unwrap();
    let axis = [&figure.panels[0].x, &figure.panels[0].y];
    let labels: Vec<&str> = axis.iter().flat_map(|a| &a.ticks).map(|t| t.label.as_str()).collect();
    assert!(labels.contains(&"RAID 5") && labels.contains(&"RAID 10"), "{labels:?}");
}

#[test]
fn texts_never_overlap_between_boxes() {
    for count in [1, 2, 7, 8, 21, 64] {
        let data = many_runs(count, 2e6, |i| format!("host-with-a-name-{i}"));
        let label = format!("{count} boxes");
        for x in [XChannel::Run, XChannel::Dimension(Dimension::Host)] {
            let spec = boxes(x, Metric::Lat);
            promises(&label, &data, &spec);
            promises(&label, &data, &ChartSpec { y_scale: ScaleKind::Log10, ..spec.clone() });
            promises(&label, &data, &ChartSpec { color: Some(Channel::Ddir), ..spec.clone() });
            let references = vec![Reference { value: 2e6, label: "2 ms, the limit".to_owned() }];
            promises(&label, &data, &ChartSpec { references, color: by(Dimension::Host), ..spec });
        }
    }
    let raid = raid_campaign(2);
    let spec = boxes(XChannel::Dimension(Dimension::Chunk), Metric::Iops);
    promises("dodged", &raid, &ChartSpec { color: by(Dimension::Raid), ..spec });
}

#[test]
fn hostile_windows_reach_no_box() {
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1.0, 0.0, f64::MIN_POSITIVE];
    let mut runs = Vec::new();
    for (i, value) in bad.into_iter().enumerate() {
        let depth = i.to_string();
        let values = vec![Some(value); 15];
        runs.push(run(&depth, &[(Dimension::Iodepth, &depth)]).trace(Metric::Lat, Ddir::Read, 500.0, values));
    }
    let data = campaign(runs);
    for x in [XChannel::Run, XChannel::Dimension(Dimension::Iodepth)] {
        for y_scale in [ScaleKind::Auto, ScaleKind::Log10, ScaleKind::Log2] {
            promises("hostile", &data, &ChartSpec { y_scale, ..boxes(x.clone(), Metric::Lat) });
        }
    }
}
