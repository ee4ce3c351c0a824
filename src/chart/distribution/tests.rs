//! Distributions: exact steps from known counts, what is left out said, the promises of every layout.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::chart::promises::promises;
use crate::chart::testdata::{by, campaign, noise, run};
use crate::chart::{ChartError, Figure, Shape, TableCell, chart};
use crate::model::{Campaign, Ddir, Dimension, Measure, Metric, RunRecord};
use crate::spec::{Channel, ChartSpec, Mark, Reference, ScaleKind, Transform, XChannel};

fn spec(form: &str) -> ChartSpec {
    let (mark, x, transforms) = match form {
        "percentiles" => (Mark::Line, XChannel::Quantile, vec![]),
        "ecdf" => (Mark::Line, XChannel::Value, vec![Transform::Ecdf]),
        "exceedance" => (Mark::Line, XChannel::Value, vec![Transform::Exceedance]),
        _ => (Mark::Bar, XChannel::Value, vec![Transform::Bin]),
    };
    let mut spec = ChartSpec::new(form, mark, x, Measure::mean(Metric::Lat));
    spec.transforms = transforms;
    spec
}

const FORMS: [&str; 4] = ["percentiles", "ecdf", "exceedance", "histogram"];

/// 1,000 I/Os whose values have buckets of their own: 500 of 100 ns, 400 of 110 ns, 90 of 120 ns, 10 of 127 ns.
fn thousand() -> RunRecord {
    run("a", &[(Dimension::Raid, "5")]).counted(
        Metric::Lat,
        Ddir::Read,
        &[(100, 500), (110, 400), (120, 90), (127, 10)],
    )
}

/// The lines of a figure's first panel, widest first, as points.
fn lines(figure: &Figure) -> Vec<Vec<(f64, f64)>> {
    let mut lines: Vec<(f64, Vec<(f64, f64)>)> = figure.panels[0]
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Line { parts, width, .. } => Some((*width, parts.concat())),
            _ => None,
        })
        .collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    lines.into_iter().map(|line| line.1).collect()
}

#[track_caller]
fn assert_close(found: &[(f64, f64)], expected: &[(f64, f64)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (f, e) in found.iter().zip(expected) {
        assert!((f.0 - e.0).abs() < 1e-9 && (f.1 - e.1).abs() < 1e-9, "{found:?}");
    }
}

#[test]
fn cumulative_shares_step_at_each_value_by_its_count() {
    let figure = chart(&campaign(vec![thousand()]), &spec("ecdf")).unwrap();
    let expected = [
        (100.0, 0.0),
        (100.0, 50.0),
        (110.0, 50.0),
        (110.0, 90.0),
        (120.0, 90.0),
        (120.0, 99.0),
        (127.0, 99.0),
        (127.0, 100.0),
    ];
    assert_close(&lines(&figure)[0], &expected);
}

#[test]
fn quantiles_stand_at_one_over_what_is_left_and_are_thin_beyond_support() {
    let figure = chart(&campaign(vec![thousand()]), &spec("percentiles")).unwrap();
    let lines = lines(&figure);
    // 1 / (1 - p): half lie below 110 ns, 90 % below 120 ns, 99 % below 127 ns; 10 of 1,000 lie beyond p99.
    let solid = [
        (1.0, 100.0),
        (2.0, 100.0),
        (2.0, 110.0),
        (10.0, 110.0),
        (10.0, 120.0),
        (100.0, 120.0),
        (100.0, 127.0),
    ];
    assert_close(&lines[0], &solid);
    assert_close(&lines[1], &[(100.0, 127.0), (1000.0, 127.0)]);
    assert!(figure.subtitle.contains("1,000 I/Os; thin: fewer than 10 I/Os beyond"), "{}", figure.subtitle);
    assert_eq!(figure.title, "Read latency percentiles");
}

#[test]
fn a_step_that_crosses_the_limit_of_support_is_cut_there() {
    // 100 I/Os: only as far as p90 do ten lie beyond.
    let data = run("a", &[]).counted(Metric::Lat, Ddir::Read, &[(100, 99), (120, 1)]);
    let lines = lines(&chart(&campaign(vec![data]), &spec("percentiles")).unwrap());
    assert_close(&lines[0], &[(1.0, 100.0), (10.0, 100.0)]);
    assert_close(&lines[1], &[(10.0, 100.0), (100.0, 100.0), (100.0, 120.0)]);
}

#[test]
fn exceedance_falls_by_the_counts_and_never_reaches_zero() {
    let figure = chart(&campaign(vec![thousand()]), &spec("exceedance")).unwrap();
    let solid = [
        (100.0, 100.0),
        (100.0, 50.0),
        (110.0, 50.0),
        (110.0, 10.0),
        (120.0, 10.0),
        (120.0, 1.0),
        (127.0, 1.0),
    ];
    assert_close(&lines(&figure)[0], &solid);
    assert!(figure.panels[0].y.title.contains("log scale"));
}

#[test]
fn shares_of_bins_add_up_to_all_that_is_drawn() {
    let figure = chart(&campaign(vec![thousand()]), &spec("histogram")).unwrap();
    let bars: Vec<(f64, f64, f64)> = figure.panels[0]
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Bar { x0, x1, y1, .. } => Some((*x0, *x1, *y1)),
            _ => None,
        })
        .collect();
    assert!((bars.iter().map(|b| b.2).sum::<f64>() - 100.0).abs() < 1e-9, "{bars:?}");
    let of = |value: f64| bars.iter().find(|b| b.0 <= value && value < b.1).map_or(0.0, |b| b.2);
    assert_eq!((of(100.5), of(110.5), of(120.5)), (50.0, 40.0, 9.0));
}

#[test]
fn repeats_are_taken_together_by_their_counts() {
    let one = |id: &str, values: &[(u64, u64)]| {
        run(id, &[(Dimension::Raid, "5")]).counted(Metric::Lat, Ddir::Read, values)
    };
    let data = campaign(vec![one("a", &[(100, 100)]), one("b", &[(110, 300)])]);
    let figure = chart(&data, &ChartSpec { color: by(Dimension::Raid), ..spec("ecdf") }).unwrap();
    assert_close(&lines(&figure)[0], &[(100.0, 0.0), (100.0, 25.0), (110.0, 25.0), (110.0, 100.0)]);
    assert!(figure.subtitle.contains("400 I/Os; 2 repeats taken together"), "{}", figure.subtitle);
}

#[test]
fn reported_percentiles_are_joined_points_and_say_so() {
    let data = run("a", &[]).reported(Metric::Lat, Ddir::Read, 1000, &[(0.5, 1e6), (0.9, 2e6), (0.999, 9e6)]);
    let figure = chart(&campaign(vec![data.clone()]), &spec("percentiles")).unwrap();
    let lines = lines(&figure);
    assert_close(&lines[0], &[(2.0, 1.0), (10.0, 2.0)]);
    // One of 1,000 lies beyond p99.9.
    assert_close(&lines[1], &[(10.0, 2.0), (1000.0, 9.0)]);
    assert!(figure.notes.iter().any(|n| n.contains("reports percentiles alone")), "{:?}", figure.notes);
    let error = chart(&campaign(vec![data]), &spec("histogram")).unwrap_err();
    assert!(matches!(error, ChartError::NoData(_)), "{error}");
}

#[test]
fn windows_are_never_called_ios_and_never_stand_beside_them() {
    let windows = |id: &str, raid: &str| {
        run(id, &[(Dimension::Raid, raid)]).trace(Metric::Lat, Ddir::Read, 500.0, noise(3, 50, 1e6, 0.5))
    };
    let spec = ChartSpec { color: by(Dimension::Raid), ..spec("percentiles") };
    let alone = chart(&campaign(vec![windows("a", "5"), windows("b", "6")]), &spec).unwrap();
    assert_eq!(alone.title, "Read latency percentiles of windows by RAID level");
    assert!(alone.subtitle.contains("50 windows of 500 ms each, not single I/Os"), "{}", alone.subtitle);
    let counted = run("c", &[(Dimension::Raid, "0")]).counted(Metric::Lat, Ddir::Read, &[(100, 100)]);
    let mixed = chart(&campaign(vec![windows("a", "5"), counted]), &spec).unwrap();
    assert_eq!(mixed.runs, [1]);
    assert!(
        mixed.notes.iter().any(|n| n.starts_with("1 run has only means of windows")),
        "{:?}",
        mixed.notes
    );
}

#[test]
fn the_table_holds_the_percentiles_that_have_support() {
    let figure = chart(&campaign(vec![thousand()]), &spec("percentiles")).unwrap();
    assert_eq!(figure.table.columns, ["percentile", "latency, n = 1,000 (ns)"]);
    let row = |name: &str| {
        let found = figure.table.rows.iter().find(|row| row[0] == TableCell::Text(name.to_owned()));
        found.map(|row| match &row[1] {
            TableCell::Number { value, .. } => *value,
            _ => f64::NAN,
        })
    };
    assert_eq!((row("p50"), row("p90"), row("p99")), (Some(100.0), Some(110.0), Some(120.0)));
    assert_eq!(row("p99.9"), None);
}

/// Runs with two modes and a long tail, a colour each.
fn tails(count: usize, level: f64, name: impl Fn(usize) -> String) -> Campaign {
    let one = |i: usize| {
        let host = name(i);
        let base = level * (1.0 + i as f64 * 0.3);
        let values: Vec<(u64, u64)> = (0..60u32)
            .map(|k| {
                ((base * 1.12f64.powi(k as i32)) as u64, 40_000 / (1 + u64::from(k * k)) + u64::from(k % 7))
            })
            .collect();
        let few = &values[..20 + i % 7];
        run(&format!("{host}-{i}"), &[(Dimension::Host, host.as_str())])
            .counted(Metric::Lat, Ddir::Read, &values)
            .counted(Metric::Lat, Ddir::Write, few)
    };
    campaign((0..count).map(one).collect())
}

#[test]
fn texts_never_overlap_in_distributions() {
    let names: [fn(usize) -> String; 2] = [
        |i| format!("host{i}"),
        |i| format!("a-very-long-host-name-that-nobody-would-choose-{i}.rack-12.example"),
    ];
    for name in names {
        for count in [1, 2, 8, 21] {
            let data = tails(count, 50_000.0, name);
            for form in FORMS {
                let label = format!("{count} {form}");
                let host = by(Dimension::Host);
                let lines = ChartSpec { color: host.clone(), ..spec(form) };
                promises(&label, &data, &lines);
                let mut reads = lines.clone();
                reads.filter.ddirs = vec![Ddir::Read];
                reads.references = vec![Reference { value: 2e6, label: "2 ms, the limit".to_owned() }];
                promises(&label, &data, &reads);
                promises(&label, &data, &ChartSpec { color: Some(Channel::Ddir), facet: host, ..spec(form) });
            }
        }
    }
}

#[test]
fn texts_never_overlap_for_tiny_and_huge_latencies() {
    for level in [0.0, 1.0, 90.0, 1e6, 5e9, 1e15] {
        let data = tails(3, level, |i| format!("host{i}"));
        for form in FORMS {
            for scale in [ScaleKind::Auto, ScaleKind::Linear, ScaleKind::Log10] {
                let color = by(Dimension::Host);
                let spec = ChartSpec { color, x_scale: scale, y_scale: scale, ..spec(form) };
                promises(&format!("{form} at {level}"), &data, &spec);
            }
        }
    }
}

#[test]
fn hostile_windows_reach_no_distribution() {
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1.0, 0.0, f64::MIN_POSITIVE];
    let all: Vec<Option<f64>> = bad.iter().map(|v| Some(*v)).chain([None]).collect();
    let mut runs = vec![run("all", &[]).trace(Metric::Lat, Ddir::Read, 500.0, all)];
    for (i, value) in bad.into_iter().enumerate() {
        runs.push(run(&format!("r{i}"), &[]).trace(Metric::Lat, Ddir::Read, 500.0, vec![Some(value); 12]));
    }
    let data = campaign(runs);
    for form in FORMS {
        for scale in [ScaleKind::Auto, ScaleKind::Log10] {
            let color = Some(Channel::Run);
            promises(form, &data, &ChartSpec { color, x_scale: scale, y_scale: scale, ..spec(form) });
        }
    }
}
