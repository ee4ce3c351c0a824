//! Charts of a part of the run time, with figures worked by hand.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::promises::promises;
use super::testdata::{bars, campaign, over_time, run};
use super::*;
use crate::analyze::Threshold;
use crate::analyze::baseline::{compare, runs_of};
use crate::model::{Ddir, Dimension, Metric, RunRecord, Stat};
use std::sync::Arc;

/// Reads at 100/s for 4 s and at 200/s for 4 s more.
fn steps() -> RunRecord {
    let values = (0..8).map(|i| Some(if i < 4 { 100.0 } else { 200.0 })).collect();
    run("steps", &[(Dimension::Rw, "randread")]).trace(Metric::Iops, Ddir::Read, 1000.0, values).logged()
}

/// 1,000 I/Os of 10 ns, 300 of 20 ns, 100 of 40 ns and 1,000 of 60 ns, a second each.
fn counted() -> RunRecord {
    let seconds: [&[(u64, u64)]; 4] = [&[(10, 1000)], &[(20, 300)], &[(40, 100)], &[(60, 1000)]];
    run("counted", &[(Dimension::Rw, "randread")]).counted_over_time(Metric::Lat, Ddir::Read, &seconds)
}

fn part(spec: ChartSpec, from: f64, to: f64) -> ChartSpec {
    ChartSpec { from_ms: Some(from), to_ms: Some(to), ..spec }
}

/// A row of the table behind a picture, by its first cell.
fn row(figure: &Figure, head: &str) -> Vec<String> {
    let text = TableCell::text;
    let rows = figure.table.rows.iter().map(|row| row.iter().map(text).collect::<Vec<_>>());
    rows.into_iter().find(|row| row[0] == head).unwrap_or_else(|| panic!("{head}: {:?}", figure.table))
}

#[test]
fn percentiles_of_a_part_are_those_of_the_ios_that_ended_in_it() {
    let spec = ChartSpec { x: XChannel::Quantile, ..over_time(Metric::Lat) };
    let data = campaign(vec![counted()]);
    // Seconds 1 and 2: 300 I/Os of 20 ns and 100 of 40 ns; 90 % of them: the 360th.
    let figure = chart(&data, &part(spec.clone(), 1000.0, 3000.0)).unwrap();
    assert_eq!(row(&figure, "p75")[1], "20.0");
    assert_eq!(row(&figure, "p90")[1], "40.0");
    assert!(figure.table.columns[1].contains("n = 400"), "{:?}", figure.table.columns);
    assert!(figure.subtitle.contains("1 s to 3 s of the run, from the logs"), "{}", figure.subtitle);
    assert!(figure.notes.is_empty(), "{:?}", figure.notes);
    // Of the whole run the median is 20 ns, too, but p75 is 60 ns.
    assert_eq!(row(&chart(&data, &spec).unwrap(), "p75")[1], "60.0");
    let bars =
        ChartSpec { y: Measure { metric: Metric::Lat, stat: Stat::P90 }, ..bars(Dimension::Rw, Metric::Lat) };
    let figure = chart(&data, &part(bars, 1000.0, 3000.0)).unwrap();
    assert!(figure.texts.iter().any(|t| t.role == Role::Value && t.text == "40.0"), "{:?}", figure.texts);
}

#[test]
fn a_part_between_two_cells_is_cut_at_the_nearest_and_the_words_say_so() {
    let spec = ChartSpec { x: XChannel::Value, transforms: vec![Transform::Ecdf], ..over_time(Metric::Lat) };
    let figure = chart(&campaign(vec![counted()]), &part(spec, 1400.0, 2700.0)).unwrap();
    assert!(figure.subtitle.contains("400 I/Os; 1 s to 3 s of the run"), "{}", figure.subtitle);
    let note = "Runs are cut at whole windows of their logs, here of up to 1 s: shown is 1 s to 3 s.";
    assert_eq!(figure.notes, [note]);
}

#[test]
fn boxes_of_a_part_hold_its_windows() {
    let spec = ChartSpec { mark: Mark::Box, x: XChannel::Run, ..over_time(Metric::Iops) };
    let data = campaign(vec![steps()]);
    let figure = chart(&data, &part(spec.clone(), 2000.0, 6000.0)).unwrap();
    // Windows of 100, 100, 200 and 200 IOPS: 4 of them, from 100 to 200, median 150.
    let cells = &figure.table.rows[0];
    let number = |i: usize| match &cells[i] {
        TableCell::Number { value, .. } => *value,
        other => panic!("{other:?}"),
    };
    assert_eq!([3, 4, 7, 10].map(number), [4.0, 100.0, 150.0, 200.0]);
    assert!(figure.subtitle.contains("2 s to 6 s of the run, from the logs"), "{}", figure.subtitle);
    promises("boxes of a part", &data, &part(spec, 2000.0, 6000.0));
}

#[test]
fn the_data_moved_in_a_part_counts_from_its_start() {
    // 100 B/s for 2 s, then 20 B/s for 10 s: from 2 s on 200 bytes, all at 20 B/s.
    let values: Vec<Option<f64>> = [100.0; 2].into_iter().chain([20.0; 10]).map(Some).collect();
    let record = run("a", &[]).trace(Metric::Bw, Ddir::Write, 1000.0, values).logged();
    let spec = ChartSpec { x: XChannel::Amount, ..over_time(Metric::Bw) };
    let late = ChartSpec { skip_ms: Some(2000.0), ..spec };
    let figure = chart(&campaign(vec![record]), &late).unwrap();
    assert!((figure.panels[0].x.max - 200.0).abs() < 1e-6, "{:?}", figure.panels[0].x);
    let line = figure.panels[0].shapes.iter().find_map(|shape| match shape {
        Shape::Line { parts, .. } => Some(parts.concat()),
        _ => None,
    });
    assert!(line.unwrap().iter().all(|(_, y)| (y - 20.0).abs() < 1e-6));
    let words = "without the first 2 s, from the logs; data counted from there on";
    assert!(figure.subtitle.contains(words), "{}", figure.subtitle);
}

/// The steps against runs that stayed at 100/s.
fn against_level() -> Campaign {
    let level = run("steps", &[(Dimension::Rw, "randread")])
        .trace(Metric::Iops, Ddir::Read, 1000.0, vec![Some(100.0); 8])
        .figure(Metric::Iops, Ddir::Read, Stat::Mean, 100.0)
        .logged();
    let new = steps().figure(Metric::Iops, Ddir::Read, Stat::Mean, 150.0);
    let mut data = campaign(vec![new]);
    data.base_runs = vec![Arc::new(level.clone())];
    data.baseline = Some(compare(&runs_of(&campaign(vec![level])), &runs_of(&data), &Threshold::default()));
    data
}

#[test]
fn a_change_of_a_part_cuts_both_sides() {
    let spec = ChartSpec { mark: Mark::Dot, x: XChannel::Change, ..over_time(Metric::Iops) };
    let data = against_level();
    let changed = |spec: &ChartSpec| {
        let figure = chart(&data, spec).unwrap();
        let told = figure.texts.iter().find(|t| t.role == Role::Value).unwrap().text.clone();
        (told, figure.subtitle)
    };
    // 150 against 100 over the whole run, 200 against 100 in the second half.
    assert!(changed(&spec).0.starts_with("+50.0 %"), "{:?}", changed(&spec));
    let (told, subtitle) = changed(&part(spec.clone(), 4000.0, 8000.0));
    assert!(told.starts_with("+100.0 %"), "{told}");
    assert!(subtitle.contains("from 4 s on, from the logs"), "{subtitle}");
    let mut reported = data.clone();
    reported.base_runs.clear();
    let refused = chart(&reported, &part(spec, 4000.0, 8000.0)).unwrap_err().to_string();
    assert!(refused.contains("the baseline is an earlier report"), "{refused}");
}

#[test]
fn steady_state_is_judged_over_the_part_that_is_asked_for() {
    let rounds = ChartSpec { transforms: vec![Transform::Rounds], ..over_time(Metric::Iops) };
    let values = (0..60).map(|i| Some(if i < 10 { 900.0 } else { 100.0 })).collect();
    let record = run("a", &[]).trace(Metric::Iops, Ddir::Read, 1000.0, values).logged();
    let late = ChartSpec { skip_ms: Some(10e3), ..rounds };
    let figure = chart(&campaign(vec![record]), &late).unwrap();
    assert!(figure.subtitle.contains("SNIA-style, steady: range 0.0 %"), "{}", figure.subtitle);
    // Less the first second of what is left, as of any run.
    assert_eq!(figure.panels[0].x.min, 11.0);
}

#[test]
fn what_cannot_be_cut_is_refused_with_the_reason_and_what_to_do() {
    let json = run("json", &[(Dimension::Rw, "randread")])
        .figure(Metric::Iops, Ddir::Read, Stat::Mean, 150.0)
        .counted(Metric::Lat, Ddir::Read, &[(1000, 5000), (2000, 5000)]);
    let refused = |spec: ChartSpec, record: &RunRecord| {
        chart(&campaign(vec![record.clone()]), &part(spec, 1000.0, 3000.0)).unwrap_err().to_string()
    };
    let told = refused(ChartSpec { x: XChannel::Quantile, ..over_time(Metric::Lat) }, &json);
    assert!(told.contains("single I/Os are counted over whole runs"), "{told}");
    assert!(told.contains("leave from, to and skip out of it, or let fio log them"), "{told}");
    let told = refused(bars(Dimension::Rw, Metric::Iops), &json);
    assert!(told.contains("figures are of whole runs") && told.contains("(write_iops_log)"), "{told}");
    let boxes = ChartSpec { mark: Mark::Box, x: XChannel::Run, ..over_time(Metric::Iops) };
    let late = chart(&campaign(vec![steps()]), &part(boxes.clone(), 9000.0, 10e3)).unwrap_err().to_string();
    assert!(late.contains("no run goes on from 9 s to 10 s: the longest ends at 8 s"), "{late}");
    let narrow = chart(&campaign(vec![steps()]), &part(boxes, 2100.0, 2300.0)).unwrap_err().to_string();
    assert!(narrow.contains("holds no whole window of the logs, which are 1 s long"), "{narrow}");
}

#[test]
fn runs_without_a_log_are_left_out_in_words() {
    let json = run("json", &[(Dimension::Rw, "read")]).figure(Metric::Iops, Ddir::Read, Stat::Mean, 150.0);
    let data = campaign(vec![steps(), json]);
    let figure = chart(&data, &part(bars(Dimension::Rw, Metric::Iops), 4000.0, 8000.0)).unwrap();
    let note = "1 run without a log over time, of which no part is known, is left out.";
    assert!(figure.notes.iter().any(|n| n == note), "{:?}", figure.notes);
    assert_eq!(figure.runs, [0]);
}
