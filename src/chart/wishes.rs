//! What users ask of a chart beyond its data: order, words, limits, parts of a run, sums, several metrics.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::promises::promises;
use super::testdata::{
    bars, by, campaign, depth_campaign, knee, many_runs, over_time, raid_campaign, reads, run, sweep, texts,
};
use super::trace::Trace;
use super::*;
use crate::model::{Ddir, Dimension, Metric, Stat};
use crate::spec::{Channel, Font, Order, Reference, Rgb, ScaleKind, Size};

/// A line's name and points.
fn line(shape: &Shape) -> Option<(&str, Vec<(f64, f64)>)> {
    match shape {
        Shape::Line { parts, name, .. } => Some((name.as_str(), parts.concat())),
        _ => None,
    }
}

/// Points of all lines by their names.
fn lines(figure: &Figure) -> Vec<(&str, Vec<(f64, f64)>)> {
    figure.panels.iter().flat_map(|panel| &panel.shapes).filter_map(line).collect()
}

fn ys(points: &[(f64, f64)]) -> Vec<f64> {
    points.iter().map(|(_, y)| *y).collect()
}

/// A mix: reads at 100/s and writes at 40/s for 4 s, twice that for 4 s more; latencies of 1 ms, then 4 ms.
fn mix() -> Campaign {
    let steps =
        |low: f64, high: f64| (0..8).map(|i| Some(if i < 4 { low } else { high })).collect::<Vec<_>>();
    let mut record = run("mix", &[(Dimension::Rw, "randrw")]);
    for (ddir, rate) in [(Ddir::Read, 100.0), (Ddir::Write, 40.0)] {
        record = record
            .figure(Metric::Iops, ddir, Stat::Mean, rate * 1.5)
            .figure(Metric::Lat, ddir, Stat::Mean, 3e6)
            .figure(Metric::Lat, ddir, Stat::P99, 9e6)
            .trace(Metric::Iops, ddir, 1000.0, steps(rate, 2.0 * rate))
            .trace(Metric::Lat, ddir, 1000.0, steps(1e6, 4e6));
        for job in 0..2 {
            let share = if job == 0 { 0.25 } else { 0.75 };
            record = record.job_trace(
                Metric::Iops,
                ddir,
                Some(job),
                1000.0,
                steps(rate * share, 2.0 * rate * share),
            );
        }
    }
    campaign(vec![record.logged()])
}

fn spec_of(mark: Mark, metric: Metric) -> ChartSpec {
    ChartSpec { mark, color: Some(Channel::Ddir), ..over_time(metric) }
}

#[test]
fn directions_add_up_when_asked_and_the_chart_says_so() {
    let beside = ChartSpec { total: true, ..spec_of(Mark::Line, Metric::Iops) };
    let figure = chart(&mix(), &beside).unwrap();
    let total = lines(&figure).into_iter().find(|(name, _)| name.starts_with("total")).unwrap();
    assert_eq!(ys(&total.1), [140.0, 140.0, 140.0, 140.0, 280.0, 280.0, 280.0, 280.0]);
    assert!(texts(&figure, Role::Label).contains(&"total"), "{figure:?}");
    assert!(figure.subtitle.contains("total: all directions added up"), "{}", figure.subtitle);
    let alone = ChartSpec { color: None, ..beside.clone() };
    let figure = chart(&mix(), &alone).unwrap();
    assert_eq!((lines(&figure).len(), figure.title.as_str()), (1, "Total IOPS over time"));
    let bar = ChartSpec { total: true, ..bars(Dimension::Rw, Metric::Iops) };
    // 150 + 60.
    let figure = chart(&mix(), &bar).unwrap();
    assert!(texts(&figure, Role::Value).contains(&"210"), "{:?}", figure.texts);
    let refused = chart(&mix(), &ChartSpec { total: true, ..spec_of(Mark::Line, Metric::Lat) }).unwrap_err();
    assert!(refused.to_string().contains("directions add up in mean bw and iops alone"), "{refused}");
}

#[test]
fn a_part_of_the_run_has_figures_of_its_own() {
    let late = ChartSpec { skip_ms: Some(4000.0), ..bars(Dimension::Rw, Metric::Iops) };
    let figure = chart(&mix(), &late).unwrap();
    assert!(texts(&figure, Role::Value).contains(&"200"), "{:?}", figure.texts);
    assert!(figure.subtitle.contains("without the first 4 s, from the logs"), "{}", figure.subtitle);
    // 2 to 6 s: two windows of 1 ms at 100/s and two of 4 ms at 200/s: (2 * 100 + 8 * 200) / 600 = 3 ms.
    let part = ChartSpec { from_ms: Some(2000.0), to_ms: Some(6000.0), ..bars(Dimension::Rw, Metric::Lat) };
    let figure = chart(&mix(), &ChartSpec { filter: reads(), ..part }).unwrap();
    assert_eq!(texts(&figure, Role::Value), ["3.00"]);
    assert!(figure.subtitle.contains("2 s to 6 s of the run"), "{}", figure.subtitle);
    let line = ChartSpec { skip_ms: Some(4000.0), filter: reads(), ..over_time(Metric::Iops) };
    let figure = chart(&mix(), &line).unwrap();
    assert_eq!(texts(&figure, Role::Value), ["mean 200 IOPS"]);
    assert_eq!(figure.panels[0].x.min, 4.0);
    let tail = ChartSpec { skip_ms: Some(4000.0), ..bars(Dimension::Rw, Metric::Lat) };
    let tail = ChartSpec { y: Measure { metric: Metric::Lat, stat: Stat::P99 }, ..tail };
    let refused = chart(&mix(), &tail).unwrap_err().to_string();
    assert!(refused.contains("no part of a run can be had of p99 latency"), "{refused}");
}

#[test]
fn a_running_total_is_an_amount() {
    let spec =
        ChartSpec { transforms: vec![Transform::Cumulate], filter: reads(), ..over_time(Metric::Iops) };
    let figure = chart(&mix(), &spec).unwrap();
    // 4 s at 100/s, then 4 s at 200/s; middles of the windows, and all of it at the end.
    assert_eq!(ys(&lines(&figure)[0].1), [50.0, 150.0, 250.0, 350.0, 500.0, 700.0, 900.0, 1200.0]);
    assert_eq!(texts(&figure, Role::Value), ["in all 1,200 I/Os"]);
    assert_eq!(figure.title, "Random read I/Os over time");
    assert!(figure.subtitle.contains("running total: I/Os since the start"), "{}", figure.subtitle);
    assert!(figure.table.columns.iter().any(|head| head.ends_with("(I/Os)")), "{:?}", figure.table.columns);
    let latency = ChartSpec { transforms: vec![Transform::Cumulate], ..over_time(Metric::Lat) };
    assert!(chart(&mix(), &latency).unwrap_err().to_string().contains("latency does not add up"));
}

#[test]
fn the_range_of_repeats_moves_with_the_mean() {
    let mean = [150.0, 100.0, 150.0, 100.0, 150.0].map(Some).to_vec();
    let range =
        [(100.0, 200.0), (100.0, 100.0), (100.0, 200.0), (100.0, 100.0), (100.0, 200.0)].map(Some).to_vec();
    let trace = Trace {
        start_ms: 0.0,
        cell_ms: 1000.0,
        mean,
        range: Some(range),
        n: 2,
        steps: false,
        singles: false,
    };
    let moved = trace.moving(5);
    // Over all five: 650 / 5, between 500 / 5 and 800 / 5.
    assert_eq!((moved.mean[2], moved.range.unwrap()[2]), (Some(130.0), Some((100.0, 160.0))));
}

#[test]
fn transforms_are_refused_where_they_mean_nothing() {
    let bars = |transforms| ChartSpec { transforms, ..bars(Dimension::Rw, Metric::Iops) };
    let refusal = |spec: ChartSpec| chart(&mix(), &spec).unwrap_err().to_string();
    assert!(
        refusal(bars(vec![Transform::Stack])).contains("series on each other are of lines over run time")
    );
    assert!(refusal(bars(vec![Transform::Smooth(5e3)])).contains("moving means are of lines over run time"));
    assert!(refusal(bars(vec![Transform::Bin])).contains("use x = \"value\""));
    let twice = vec![Transform::Cumulate, Transform::Cumulate];
    let twice = ChartSpec { transforms: twice, filter: reads(), ..over_time(Metric::Iops) };
    assert!(refusal(twice).contains("a transform is named twice"));
    let wide = vec![Transform::Smooth(1e300)];
    let wide = ChartSpec { transforms: wide, filter: reads(), ..over_time(Metric::Iops) };
    // Over all of the run: 150 everywhere.
    assert_eq!(ys(&lines(&chart(&mix(), &wide).unwrap())[0].1), [150.0; 8]);
}

#[test]
fn a_moving_mean_is_what_it_says() {
    let spec =
        ChartSpec { transforms: vec![Transform::Smooth(3000.0)], filter: reads(), ..over_time(Metric::Iops) };
    let figure = chart(&mix(), &spec).unwrap();
    let third = |a: f64, b: f64, c: f64| (a + b + c) / 3.0;
    let expected =
        [100.0, 100.0, 100.0, third(100.0, 100.0, 200.0), third(100.0, 200.0, 200.0), 200.0, 200.0, 200.0];
    assert_eq!(ys(&lines(&figure)[0].1), expected);
    assert!(
        figure.subtitle.contains("moving mean over 3 s, band: range of the windows in it"),
        "{}",
        figure.subtitle
    );
    let short =
        ChartSpec { transforms: vec![Transform::Smooth(500.0)], filter: reads(), ..over_time(Metric::Iops) };
    let figure = chart(&mix(), &short).unwrap();
    assert!(figure.notes[0].starts_with("The windows of 1 s are as long as"), "{:?}", figure.notes);
}

#[test]
fn names_that_have_no_room_lose_the_words_that_all_begin_with() {
    let spec =
        ChartSpec { size: Size { width: 240.0, height: 200.0 }, ..bars(Dimension::Raid, Metric::Iops) };
    let data = raid_campaign(3);
    let ticks = |spec: &ChartSpec| -> Vec<String> {
        let figure = chart(&data, spec).unwrap();
        assert!(figure.notes.iter().all(|note| !note.contains("no room")), "{:?}", figure.notes);
        let names = figure.texts.iter().filter(|t| t.role == Role::Tick && t.align == Align::Middle);
        names.map(|t| t.text.clone()).collect()
    };
    assert_eq!(ticks(&spec)[..4], ["0", "5", "6", "10"]);
    let wide = ChartSpec { size: Size::default(), ..spec };
    assert_eq!(ticks(&wide)[..4], ["RAID 0", "RAID 5", "RAID 6", "RAID 10"]);
}

#[test]
fn areas_lie_on_each_other_and_the_total_is_their_upper_edge() {
    let spec = ChartSpec {
        mark: Mark::Area,
        color: Some(Channel::Job),
        transforms: vec![Transform::Stack],
        filter: reads(),
        ..over_time(Metric::Iops)
    };
    let figure = chart(&mix(), &spec).unwrap();
    let edges: Vec<Vec<f64>> = lines(&figure).iter().map(|(_, points)| ys(points)).collect();
    assert_eq!(edges.len(), 2, "the line of all jobs is left out");
    assert_eq!((edges[0][0], edges[0][7]), (25.0, 50.0));
    assert_eq!((edges[1][0], edges[1][7]), (100.0, 200.0));
    let areas: Vec<(f64, f64)> = figure.panels[0]
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Area { parts, .. } => Some((parts[0][0].1, parts[0][0].2)),
            _ => None,
        })
        .collect();
    assert_eq!(areas, [(0.0, 25.0), (25.0, 100.0)]);
    assert!(figure.panels[0].y.max >= 200.0);
    // A run without single jobs has no part in the stack, nor in the words beside it.
    let mut more = mix();
    more.runs.push(run("other", &[]).trace(Metric::Iops, Ddir::Read, 500.0, vec![Some(9.0); 8]));
    assert_eq!(chart(&more, &spec).unwrap().alt, figure.alt);
    let line = ChartSpec { mark: Mark::Line, ..spec };
    assert!(chart(&mix(), &line).unwrap_err().to_string().contains("use mark = \"area\""));
}

#[test]
fn panels_of_several_metrics_have_axes_of_their_own() {
    let spec = ChartSpec {
        facet: Some(Channel::Metric),
        metrics: vec![Metric::Iops, Metric::Lat],
        color: Some(Channel::Ddir),
        references: vec![Reference { value: 150.0, label: "wanted".to_owned() }],
        ..over_time(Metric::Iops)
    };
    let figure = chart(&mix(), &spec).unwrap();
    let [iops, latency] = figure.panels.as_slice() else { panic!("{} panels", figure.panels.len()) };
    assert_eq!((iops.title.as_str(), latency.title.as_str()), ("IOPS", "Latency"));
    assert_eq!(iops.rect.x, latency.rect.x);
    assert!(iops.rect.bottom() < latency.rect.y && iops.x.max == latency.x.max);
    let top = |panel: &Panel| panel.y.ticks.last().unwrap().label.clone();
    assert!(top(iops).ends_with(" IOPS") && top(latency).ends_with(" ms"), "{} {}", top(iops), top(latency));
    let rules = |panel: &Panel| panel.shapes.iter().filter(|s| matches!(s, Shape::Rule { .. })).count();
    assert_eq!((rules(iops), rules(latency)), (1, 0));
    assert!(figure.alt.contains("150 IOPS") && figure.alt.contains("3.00 ms"), "{}", figure.alt);
    assert_eq!(figure.title, "Random read and write IOPS and latency over time");
    let heads = figure.table.columns.join("; ");
    assert!(heads.contains("IOPS, read (IOPS)") && heads.contains("Latency, read (ms)"), "{heads}");
    let by_color = ChartSpec { color: Some(Channel::Metric), facet: None, ..spec.clone() };
    assert!(chart(&mix(), &by_color).is_err());
    let over_rw = ChartSpec { x: XChannel::Dimension(Dimension::Rw), ..spec };
    assert!(chart(&mix(), &over_rw).is_err());
}

#[test]
fn values_stand_in_the_order_and_under_the_names_and_colours_that_were_chosen() {
    let data = raid_campaign(3);
    let plain = ChartSpec {
        color: by(Dimension::Raid),
        filter: super::testdata::only(Dimension::Chunk, "64k"),
        ..bars(Dimension::Raid, Metric::Iops)
    };
    let ticks = |spec: &ChartSpec| -> Vec<String> {
        chart(&data, spec).unwrap().panels[0].x.ticks.iter().map(|t| t.label.clone()).collect()
    };
    let names = |levels: [&str; 4]| levels.map(|level| format!("RAID {level}"));
    assert_eq!(ticks(&plain), names(["0", "5", "6", "10"]));
    // 407, 210, 97, 58.
    assert_eq!(ticks(&ChartSpec { order: Order::Descending, ..plain.clone() }), names(["0", "10", "5", "6"]));
    assert_eq!(ticks(&ChartSpec { order: Order::Ascending, ..plain.clone() }), names(["6", "5", "10", "0"]));
    let listed = Order::Listed(vec!["10".to_owned(), "chunk=6".to_owned(), "raid=6".to_owned()]);
    let own = ChartSpec {
        order: listed,
        labels: [("raid=10".to_owned(), "mirror".to_owned()), ("10".to_owned(), "no".to_owned())].into(),
        colors: [("10".to_owned(), Rgb([1, 2, 3]))].into(),
        ..plain
    };
    assert_eq!(ticks(&own), ["mirror", "RAID 6", "RAID 0", "RAID 5"]);
    let figure = chart(&data, &own).unwrap();
    let inks: Vec<Ink> = figure.panels[0]
        .shapes
        .iter()
        .filter(|shape| matches!(shape, Shape::Bar { .. }))
        .map(Shape::ink)
        .collect();
    assert!(
        inks.contains(&Ink::Own([1, 2, 3])) && inks.iter().filter(|i| matches!(i, Ink::Own(_))).count() == 1
    );
    let lines = ChartSpec {
        order: Order::Listed(vec!["10".to_owned()]),
        facet: by(Dimension::Raid),
        color: None,
        labels: [("10".to_owned(), "mirror".to_owned())].into(),
        ..over_time(Metric::Iops)
    };
    let titles: Vec<String> = chart(&data, &lines).unwrap().panels.iter().map(|p| p.title.clone()).collect();
    assert_eq!(titles, ["mirror", "RAID 0", "RAID 5", "RAID 6"]);
}

#[test]
fn limits_cut_and_what_is_cut_is_counted() {
    let spec = ChartSpec { y_max: Some(150.0), filter: reads(), ..over_time(Metric::Iops) };
    let figure = chart(&mix(), &spec).unwrap();
    assert_eq!((figure.panels[0].y.min, figure.panels[0].y.max), (0.0, 150.0));
    assert!(
        figure.notes.contains(&"4 values above 150 are cut, the largest is 200.".to_owned()),
        "{:?}",
        figure.notes
    );
    let data = depth_campaign(&["sda"], 1);
    let part = ChartSpec { x_min: Some(2.0), x_max: Some(64.0), ..sweep(Dimension::Iodepth, Metric::Iops) };
    let figure = chart(&data, &part).unwrap();
    assert_eq!((figure.panels[0].x.min, figure.panels[0].x.max), (2.0, 64.0));
    assert_eq!(figure.panels[0].x.ticks.len(), 6);
    // Depths 1, 128 and 256.
    assert!(
        figure.notes.contains(&"3 values beside the x axis are not drawn.".to_owned()),
        "{:?}",
        figure.notes
    );
    let knee = ChartSpec { y_min: Some(1e5), y_max: Some(3e5), ..knee(Stat::Mean) };
    let figure = chart(&data, &knee).unwrap();
    let axis = &figure.panels[0].y;
    assert_eq!((axis.min, axis.max, axis.ticks.last().unwrap().label.as_str()), (100.0, 300.0, "300 µs"));
    assert!(
        figure.notes.iter().any(|n| n.contains("below the y axis"))
            && figure.notes.iter().any(|n| n.contains("are cut")),
        "{:?}",
        figure.notes
    );
    let bar = ChartSpec { y_min: Some(10.0), y_max: Some(200.0), ..bars(Dimension::Raid, Metric::Iops) };
    let figure = chart(&raid_campaign(1), &bar).unwrap();
    assert_eq!((figure.panels[0].y.min, figure.panels[0].y.max), (0.0, 200.0));
    assert!(figure.notes.iter().any(|n| n.starts_with("Bars start at zero: y_min")), "{:?}", figure.notes);
    assert!(figure.panels[0].shapes.iter().any(|s| matches!(s, Shape::Cut { .. })));
}

#[test]
fn source_and_letters_are_the_users() {
    let spec = ChartSpec {
        source: Some("the lab".to_owned()),
        font: Font { size: 1.5, family: Some("Georgia".to_owned()) },
        ..over_time(Metric::Iops)
    };
    let figure = chart(&mix(), &spec).unwrap();
    assert!(figure.footer.starts_with("Source: the lab · plotgen "), "{}", figure.footer);
    let title = figure.texts.iter().find(|t| t.role == Role::Title).unwrap();
    assert_eq!((title.size, figure.family.as_deref()), (37.5, Some("Georgia")));
}

#[test]
fn texts_never_overlap_whatever_is_asked_for() {
    let mixed = mix();
    let hosts = many_runs(9, 2e6, |i| format!("host{i}"));
    let raids = raid_campaign(3);
    let depths = depth_campaign(&["sda", "sdb", "nvme0n1"], 2);
    let words = |spec: ChartSpec| ChartSpec {
        labels: ["10", "read", "host3", "sda"]
            .map(|v| (v.to_owned(), "a rather long name of one's own".to_owned()))
            .into(),
        colors: ["10", "write", "host4"].map(|v| (v.to_owned(), Rgb([200, 100, 0]))).into(),
        order: Order::Listed(vec!["10".to_owned(), "host7".to_owned()]),
        ..spec
    };
    for (name, data, spec) in [
        ("total", &mixed, ChartSpec { total: true, ..spec_of(Mark::Line, Metric::Iops) }),
        (
            "areas",
            &hosts,
            ChartSpec {
                mark: Mark::Area,
                color: by(Dimension::Host),
                transforms: vec![Transform::Stack],
                filter: reads(),
                ..over_time(Metric::Iops)
            },
        ),
        ("plain areas", &mixed, spec_of(Mark::Area, Metric::Lat)),
        (
            "amounts",
            &hosts,
            ChartSpec {
                color: by(Dimension::Host),
                transforms: vec![Transform::Cumulate],
                ..over_time(Metric::Iops)
            },
        ),
        (
            "smooth",
            &raids,
            ChartSpec {
                color: by(Dimension::Raid),
                facet: by(Dimension::Chunk),
                transforms: vec![Transform::Smooth(3e3)],
                ..over_time(Metric::Lat)
            },
        ),
        (
            "metrics",
            &hosts,
            ChartSpec {
                facet: Some(Channel::Metric),
                metrics: vec![Metric::Iops, Metric::Lat],
                color: by(Dimension::Host),
                ..over_time(Metric::Iops)
            },
        ),
        (
            "metrics of a mix",
            &mixed,
            ChartSpec {
                facet: Some(Channel::Metric),
                metrics: vec![Metric::Lat, Metric::Iops],
                y_max: Some(2e6),
                ..over_time(Metric::Lat)
            },
        ),
        (
            "limits",
            &depths,
            ChartSpec {
                color: by(Dimension::Device),
                y_min: Some(1e5),
                y_max: Some(2e6),
                x_min: Some(7.0),
                ..knee(Stat::Mean)
            },
        ),
        (
            "log limits",
            &depths,
            ChartSpec {
                color: by(Dimension::Device),
                y_scale: ScaleKind::Log10,
                y_min: Some(3e4),
                y_max: Some(2e6),
                x_max: Some(100.0),
                ..sweep(Dimension::Iodepth, Metric::Lat)
            },
        ),
        (
            "limits beyond the values",
            &mixed,
            ChartSpec { y_min: Some(1e12), x_min: Some(1e12), ..sweep(Dimension::Rw, Metric::Lat) },
        ),
        (
            "cut bars",
            &raids,
            ChartSpec {
                color: by(Dimension::Chunk),
                y_max: Some(90.0),
                ..bars(Dimension::Raid, Metric::Iops)
            },
        ),
        (
            "a part",
            &raids,
            ChartSpec {
                color: by(Dimension::Raid),
                skip_ms: Some(1e4),
                to_ms: Some(3e4),
                ..over_time(Metric::Iops)
            },
        ),
    ] {
        promises(name, data, &spec);
        promises(&format!("{name}, in words"), data, &words(spec.clone()));
        for size in [0.7, 1.6] {
            let spec = ChartSpec { font: Font { size, family: None }, ..spec.clone() };
            promises(&format!("{name}, letters of {size}"), data, &spec);
        }
        // A poster and the smallest of thumbs.
        for size in [Size { width: 3840.0, height: 2160.0 }, Size { width: 320.0, height: 240.0 }] {
            chart(data, &spec.sized(size))
                .unwrap_or_else(|error| panic!("{name} at {}: {error}", size.width));
        }
    }
}
