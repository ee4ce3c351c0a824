//! What a reader without hints must be able to see in a picture.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::promises::promises;
use super::testdata::{RAIDS, bars, by, campaign, over_time, raid_campaign, reads, run, texts};
use super::*;
use crate::model::{Ddir, Dimension, Metric, RunRecord, Stat};
use crate::spec::ScaleKind;

/// A run of this workload with IOPS for each direction.
fn of_workload(rw: &str, ddirs: &[Ddir]) -> RunRecord {
    let start = run(rw, &[(Dimension::Rw, rw), (Dimension::Raid, "5")]);
    ddirs.iter().fold(start, |run, &ddir| run.figure(Metric::Iops, ddir, Stat::Mean, 100.0))
}

#[test]
fn a_title_says_random_or_sequential_where_all_runs_are() {
    let title = |runs: Vec<RunRecord>, spec: &ChartSpec| {
        let figure = chart(&campaign(runs), spec).unwrap();
        (figure.title, figure.subtitle)
    };
    let spec = bars(Dimension::Raid, Metric::Iops);
    let random = || vec![of_workload("randread", &[Ddir::Read]), of_workload("randwrite", &[Ddir::Write])];
    assert_eq!(title(random(), &spec).0, "Random read and write IOPS by RAID level");
    let both = [Ddir::Read, Ddir::Write];
    assert_eq!(
        title(vec![of_workload("randrw", &both)], &spec).0,
        "Random read and write IOPS by RAID level"
    );
    let straight = vec![of_workload("read", &[Ddir::Read]), of_workload("write", &[Ddir::Write])];
    assert_eq!(title(straight, &spec).0, "Sequential read and write IOPS by RAID level");
    let unlike = vec![of_workload("randread", &[Ddir::Read]), of_workload("write", &[Ddir::Write])];
    assert_eq!(title(unlike, &spec).0, "Read and write IOPS by RAID level");
    // Where that is too long for a small picture, the subtitle says it.
    let small = spec.sized(Size { width: 320.0, height: 240.0 });
    let (told, subtitle) = title(random(), &small);
    assert_eq!(told, "Read and write IOPS by RAID level");
    assert!(subtitle.contains("random I/O"), "{subtitle}");
    // One's own title leaves it to the subtitle.
    let own = ChartSpec { title: Some("Mine".to_owned()), ..spec };
    let (_, subtitle) = title(random(), &own);
    assert!(subtitle.ends_with("random I/O, direct, 40 s"), "{subtitle}");
}

/// Three runs whose latencies (ns) lie in few or in many bins.
fn peaks() -> Campaign {
    let narrow: Vec<(u64, u64)> = vec![(1_050_000, 960), (8_000_000, 40)];
    let wide = |from: u64| (0..10).map(|i| (from << i, 100)).collect::<Vec<(u64, u64)>>();
    let of = |host: &str, counts: &[(u64, u64)]| {
        run(host, &[(Dimension::Host, host)]).counted(Metric::Lat, Ddir::Read, counts)
    };
    campaign(vec![of("a", &narrow), of("b", &wide(20_000)), of("c", &wide(30_000))])
}

#[test]
fn a_narrow_histogram_does_not_flatten_the_others() {
    let spec = ChartSpec {
        x: XChannel::Value,
        transforms: vec![Transform::Bin],
        color: by(Dimension::Host),
        ..over_time(Metric::Lat)
    };
    let spec = ChartSpec { mark: Mark::Bar, ..spec };
    let figure = chart(&peaks(), &spec).unwrap();
    // 96 % in one bin against 10 % in each of ten: the axis is that of the ten, the same in all panels.
    assert_eq!(figure.panels.len(), 3);
    assert!(
        figure.panels.iter().all(|panel| (10.0..=20.0).contains(&panel.y.max)),
        "{:?}",
        figure.panels[0].y
    );
    let marks = |panel: &Panel| panel.shapes.iter().filter(|s| matches!(s, Shape::Cut { .. })).count();
    assert_eq!(figure.panels.iter().map(marks).collect::<Vec<_>>(), [1, 0, 0]);
    assert!(texts(&figure, Role::Note).contains(&"96.0 %"), "{:?}", texts(&figure, Role::Note));
    let note = figure.notes.iter().find(|note| note.contains("cut")).unwrap();
    assert!(note.ends_with("is cut: 96.0 %.") || note.ends_with("the largest is 96.0 %."), "{note}");
    promises("cut bins", &peaks(), &spec);
    // Alone it has its peak.
    let alone = ChartSpec { filter: super::testdata::only(Dimension::Host, "a"), ..spec };
    assert_eq!(chart(&peaks(), &alone).unwrap().panels[0].y.max, 100.0);
}

#[test]
fn what_few_ios_support_is_thin_and_keeps_the_dash_of_its_series() {
    let counts: Vec<(u64, u64)> = (0..200).map(|i| (1_000_000 + 10_000 * i, 10)).collect();
    let of = |host: &str| run(host, &[(Dimension::Host, host)]).counted(Metric::Lat, Ddir::Read, &counts);
    let data = campaign(["a", "b", "c", "d"].map(of).to_vec());
    let spec = ChartSpec { x: XChannel::Quantile, color: by(Dimension::Host), ..over_time(Metric::Lat) };
    let figure = chart(&data, &spec).unwrap();
    let lines: Vec<(&str, f64, &[f64])> = figure.panels[0]
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Line { name, width, dash, .. } => Some((name.as_str(), *width, dash.as_slice())),
            _ => None,
        })
        .collect();
    let (weak, firm): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.0.contains("fewer than 10"));
    assert_eq!((weak.len(), firm.len()), (4, 4));
    for (weak, firm) in weak.iter().zip(&firm) {
        assert!(weak.1 <= 0.5 * firm.1 && weak.2 == firm.2, "{weak:?} {firm:?}");
    }
    assert!(figure.subtitle.contains("thin: fewer than 10 I/Os beyond"), "{}", figure.subtitle);
}

#[test]
fn every_bar_of_a_thumb_has_its_value_beside_the_unit_too() {
    // The first bar ends a little below the top tick, so that its value wants to stand where the unit does.
    for height in [230.0, 240.0, 250.0, 260.0, 280.0] {
        for highest in [380.0, 407.0, 420.0, 440.0, 460.0, 480.0, 540.0, 590.0] {
            let runs = RAIDS.map(|(raid, iops)| {
                let value = if raid == "0" { highest } else { iops };
                let run = run(raid, &[(Dimension::Raid, raid), (Dimension::Rw, "randrw")]);
                let run = run.figure(Metric::Iops, Ddir::Read, Stat::Mean, value);
                run.figure(Metric::Iops, Ddir::Write, Stat::Mean, iops)
            });
            let spec = ChartSpec {
                color: by(Dimension::Raid),
                subtitle: Some(
                    "Mean of 3 repeats with 95 % interval, each as a dot, 4 KiB, 1 job".to_owned(),
                ),
                ..bars(Dimension::Raid, Metric::Iops)
            };
            let figure = chart(&campaign(runs.to_vec()), &spec.sized(Size { width: 320.0, height })).unwrap();
            assert_eq!(texts(&figure, Role::Value).len(), 8, "{highest} of {height}: {:?}", figure.texts);
        }
    }
}

#[test]
fn repeats_on_the_edge_of_a_bar_are_rings_in_the_ink_of_text() {
    let figure = chart(&raid_campaign(3), &bars(Dimension::Raid, Metric::Iops)).unwrap();
    let mut found = 0;
    for shape in figure.panels.iter().flat_map(|panel| &panel.shapes) {
        if let Shape::Dots { ink, hollow, radius, .. } = shape {
            assert!(*ink == Ink::Text && *hollow && *radius >= 2.0, "{shape:?}");
            found += 1;
        }
    }
    assert_eq!(found, 4);
}

/// A run at these levels, so many windows each, with a little noise.
fn levels(levels: &[(f64, usize)]) -> Campaign {
    let values = levels.iter().flat_map(|&(level, count)| {
        (0..count).map(move |i| Some(level * (1.0 + 0.02 * (i as f64 * 1.7).sin())))
    });
    let record = run("cached", &[(Dimension::Rw, "randread")]);
    campaign(vec![record.trace(Metric::Iops, Ddir::Read, 500.0, values.collect()).logged()])
}

#[test]
fn levels_far_apart_have_a_log_axis_that_says_so() {
    let spec = ChartSpec { filter: reads(), ..over_time(Metric::Iops) };
    let cached = levels(&[(9371.0, 40), (400.0, 40), (84.0, 40)]);
    let figure = chart(&cached, &spec).unwrap();
    let y = &figure.panels[0].y;
    assert_eq!((y.scale, y.title.as_str()), (AxisScale::Log, "IOPS, log scale"));
    assert!(texts(&figure, Role::Axis).iter().any(|t| t.contains("log scale")), "{:?}", figure.texts);
    promises("a cliff", &cached, &spec);
    // Who wants a linear axis says so.
    let linear = ChartSpec { y_scale: ScaleKind::Linear, ..spec.clone() };
    assert_eq!(chart(&cached, &linear).unwrap().panels[0].y.scale, AxisScale::Linear);
    // A factor of 20, a stall of three windows in a hundred and windows without I/O leave the axis linear.
    for other in [
        levels(&[(2000.0, 60), (100.0, 60)]),
        levels(&[(2000.0, 97), (10.0, 3)]),
        levels(&[(9000.0, 60), (100.0, 50), (0.0, 10)]),
    ] {
        assert_eq!(chart(&other, &spec).unwrap().panels[0].y.scale, AxisScale::Linear);
    }
}
