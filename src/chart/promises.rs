//! The promise of the layout: texts apart and inside the picture, numbers finite, whatever the data.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::testdata::{
    bars, by, campaign, depth_campaign, knee, many_runs, over_time, raid_campaign, reads, run, sweep,
};
use super::*;
use crate::model::{Ddir, Dimension, Metric, Stat};
use crate::spec::{Channel, Reference, ScaleKind, Size};

/// Checks that a figure keeps the promises of every figure.
fn check(name: &str, figure: &Figure) {
    let canvas = Rect { x: 0.0, y: 0.0, width: figure.size.width, height: figure.size.height };
    let boxes: Vec<Rect> = figure.texts.iter().map(Placed::bounds).collect();
    for (i, (text, bounds)) in figure.texts.iter().zip(&boxes).enumerate() {
        assert!(
            bounds.x >= 0.0
                && bounds.y >= 0.0
                && bounds.right() <= canvas.right()
                && bounds.bottom() <= canvas.bottom(),
            "{name}: {text:?} leaves the picture"
        );
        assert!(text.size >= 11.0, "{name}: {text:?} is too small to read");
        assert!(!text.text.contains('…') || text.full.is_some(), "{name}: {text:?} hides its whole text");
        for (k, other) in boxes.iter().enumerate().skip(i + 1) {
            assert!(!bounds.overlaps(other), "{name}: {text:?} lies on {:?}", figure.texts[k]);
        }
    }
    for role in [Role::Title, Role::Tick] {
        assert!(figure.texts.iter().any(|t| t.role == role), "{name}: no {role:?}");
    }
    for panel in &figure.panels {
        for axis in [&panel.x, &panel.y] {
            assert!(axis.min.is_finite() && axis.max.is_finite() && axis.min < axis.max, "{name}: {axis:?}");
            assert!(!axis.title.is_empty(), "{name}: an axis without words");
        }
        assert!(
            panel.rect.x >= 0.0
                && panel.rect.right() <= canvas.right()
                && panel.rect.bottom() <= canvas.bottom()
        );
        for other in figure.panels.iter().filter(|p| !std::ptr::eq(*p, panel)) {
            assert!(!panel.rect.overlaps(&other.rect), "{name}: panels overlap");
        }
    }
    let json = serde_json::to_string(figure).unwrap();
    // serde_json writes NaN and infinities as null; a figure holds neither.
    let empty = figure.table.rows.iter().flatten().filter(|c| **c == TableCell::Empty).count();
    let absent = figure.texts.iter().filter(|t| t.full.is_none()).count() + empty;
    assert_eq!(json.matches("null").count(), absent, "{name}: a number is not finite");
}

/// Makes the chart in both sizes (and an odd one) and checks them.
pub(super) fn promises(name: &str, data: &Campaign, spec: &ChartSpec) {
    for size in [Size::FULL, Size::THUMB, Size { width: 800.0, height: 420.0 }] {
        let figure = chart(data, &spec.sized(size));
        check(&format!("{name} at {}", size.width), &figure.unwrap_or_else(|e| panic!("{name}: {e}")));
    }
}

#[test]
fn texts_never_overlap_however_many_series_there_are() {
    for count in [1, 2, 3, 7, 8, 12, 20, 21, 64] {
        let data = many_runs(count, 2e6, |i| format!("host{i}"));
        let host = by(Dimension::Host);
        let name = |what: &str| format!("{count} {what}");
        promises(
            &name("lines"),
            &data,
            &ChartSpec { color: host.clone(), filter: reads(), ..over_time(Metric::Lat) },
        );
        promises(
            &name("lines in two panels"),
            &data,
            &ChartSpec { color: host.clone(), ..over_time(Metric::Iops) },
        );
        promises(&name("panels"), &data, &ChartSpec { facet: host.clone(), ..over_time(Metric::Lat) });
        promises(
            &name("bars"),
            &data,
            &ChartSpec { color: Some(Channel::Ddir), ..bars(Dimension::Host, Metric::Lat) },
        );
        promises(
            &name("bar colours"),
            &data,
            &ChartSpec { color: host, filter: reads(), ..bars(Dimension::Bs, Metric::Iops) },
        );
    }
}

#[test]
fn texts_never_overlap_with_long_and_strange_names() {
    let names: [fn(usize) -> String; 4] = [
        |i| format!("a-very-long-host-name-that-nobody-would-choose-{i}.rack-12.example.internal"),
        |i| format!("🚀🔥💾 {i} ディスク"),
        |i| format!("line\nbreak\tand\u{7} bell {i}"),
        |i| "x".repeat(600) + &i.to_string(),
    ];
    for (n, name) in names.into_iter().enumerate() {
        for count in [1, 4, 7, 10] {
            let data = many_runs(count, 2e6, name);
            let host = by(Dimension::Host);
            let label = format!("names {n}, {count}");
            promises(
                &label,
                &data,
                &ChartSpec { color: host.clone(), filter: reads(), ..over_time(Metric::Lat) },
            );
            promises(&label, &data, &ChartSpec { color: host.clone(), ..over_time(Metric::Lat) });
            promises(
                &label,
                &data,
                &ChartSpec { color: Some(Channel::Run), filter: reads(), ..over_time(Metric::Lat) },
            );
            promises(&label, &data, &bars(Dimension::Host, Metric::Lat));
            let texts = ChartSpec {
                title: Some(name(1).repeat(4)),
                subtitle: Some(format!("{}, {}", name(2), name(3))),
                references: vec![Reference { value: 2e6, label: name(9) }],
                ..over_time(Metric::Lat)
            };
            promises(&label, &data, &ChartSpec { color: host, filter: reads(), ..texts });
        }
    }
}

#[test]
fn texts_never_overlap_for_tiny_and_huge_values() {
    for level in [0.0, 1e-3, 0.7, 999.6, 1e6, 5e9, 1e15, 1e24] {
        let data = many_runs(4, level, |i| format!("host{i}"));
        let host = by(Dimension::Host);
        let name = format!("level {level}");
        for scale in [ScaleKind::Auto, ScaleKind::Log10, ScaleKind::Log2] {
            let spec =
                ChartSpec { color: host.clone(), filter: reads(), y_scale: scale, ..over_time(Metric::Lat) };
            promises(&name, &data, &spec);
        }
        promises(&name, &data, &bars(Dimension::Host, Metric::Lat));
        if level > 0.0 {
            let x = XChannel::Measure { metric: Metric::Iops, stat: Stat::Mean, over: Dimension::Host };
            promises(&name, &data, &ChartSpec { x, ..knee(Stat::Mean) });
        }
    }
}

#[test]
fn texts_never_overlap_in_sweeps_and_curves() {
    for devices in
        [&["sda"][..], &["nvme0n1", "nvme1n1", "sda"], &["a", "b", "c", "d", "e", "f", "g", "h", "i"]]
    {
        for repeats in [1, 2, 5] {
            let data = depth_campaign(devices, repeats);
            let name = format!("{} devices, {repeats} repeats", devices.len());
            let color = by(Dimension::Device);
            promises(
                &name,
                &data,
                &ChartSpec { color: color.clone(), ..sweep(Dimension::Iodepth, Metric::Bw) },
            );
            promises(&name, &data, &ChartSpec { color: color.clone(), ..knee(Stat::P99) });
            promises(&name, &data, &ChartSpec { facet: color.clone(), ..knee(Stat::Mean) });
            let log =
                ChartSpec { x_scale: ScaleKind::Log10, y_scale: ScaleKind::Log10, color, ..knee(Stat::Mean) };
            promises(&name, &data, &log);
        }
    }
    let raid = raid_campaign(3);
    for (color, facet) in [(Dimension::Raid, Dimension::Chunk), (Dimension::Chunk, Dimension::Raid)] {
        let (color, facet) = (by(color), by(facet));
        promises(
            "raid lines",
            &raid,
            &ChartSpec { color: color.clone(), facet: facet.clone(), ..over_time(Metric::Lat) },
        );
        promises("raid bars", &raid, &ChartSpec { color, facet, ..bars(Dimension::Repeat, Metric::Iops) });
    }
}

#[test]
fn hostile_numbers_reach_no_figure() {
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1.0, 0.0, f64::MIN_POSITIVE];
    let values: Vec<Option<f64>> = bad.iter().map(|v| Some(*v)).chain([None]).collect();
    let mut runs = Vec::new();
    for (i, value) in bad.into_iter().enumerate() {
        let depth = i.to_string();
        let mut record = run(&depth, &[(Dimension::Iodepth, &depth)])
            .figure(Metric::Lat, Ddir::Read, Stat::Mean, value)
            .figure(Metric::Iops, Ddir::Read, Stat::Mean, bad[bad.len() - 1 - i])
            .trace(Metric::Lat, Ddir::Read, 500.0, values.clone());
        record.series[0].start_ms = if i == 3 { f64::NAN } else { 0.0 };
        runs.push(record);
    }
    let data = campaign(runs);
    for scale in [ScaleKind::Auto, ScaleKind::Log2, ScaleKind::Log10] {
        for spec in [
            ChartSpec { color: Some(Channel::Run), ..over_time(Metric::Lat) },
            over_time(Metric::Lat),
            bars(Dimension::Iodepth, Metric::Lat),
            sweep(Dimension::Iodepth, Metric::Lat),
            knee(Stat::Mean),
        ] {
            promises("hostile", &data, &ChartSpec { x_scale: scale, y_scale: scale, ..spec });
        }
    }
}
