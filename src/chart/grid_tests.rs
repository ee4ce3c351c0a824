//! Cells, solid bars, percentiles over time and figures over amounts: numbers by hand, layout in every size.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::promises::promises;
use super::testdata::{by, campaign, over_time, run};
use super::*;
use crate::model::{Contrast, Value};
use crate::model::{
    Ddir, Dimension, Measure, Metric, RunRecord, Series, SeriesKind, Stat, TimedHistogram, bucket_of,
};
use crate::spec::{Filter, ScaleKind, Size, named, suggest};

impl RunRecord {
    /// The run with single I/Os: (run time in ms, latency in ns, how many).
    fn ios(mut self, metric: Metric, ddir: Ddir, ios: impl IntoIterator<Item = (u64, u64, u64)>) -> Self {
        let mut timed = TimedHistogram::default();
        for (at, ns, n) in ios {
            timed.record(at, bucket_of(ns), n);
        }
        let kind = SeriesKind::Counts(timed);
        self.run.series.push(Series { metric, ddir, job: 0, clone: 0, last_ms: 0, kind });
        self
    }
}

/// IOPS of iodepth 1, 4, 16 by 1, 2 jobs: 100 * depth * jobs; without the last combination.
fn depth_by_jobs(repeats: usize) -> Campaign {
    grid_of(&["1", "4", "16"], &["1", "2"], repeats, &[Ddir::Read], |depth, jobs| {
        (depth, jobs) != ("16", "2")
    })
}

fn grid_of(
    depths: &[&str],
    jobs: &[&str],
    repeats: usize,
    ddirs: &[Ddir],
    measured: impl Fn(&str, &str) -> bool,
) -> Campaign {
    let mut runs = Vec::new();
    for (d, depth) in depths.iter().enumerate() {
        for (j, job) in jobs.iter().enumerate() {
            for repeat in (1..=repeats).filter(|_| measured(depth, job)) {
                let number = |text: &str, place: usize| text.parse().unwrap_or((place + 1) as f64);
                let level = 100.0 * number(depth, d) * number(job, j);
                let repeat = repeat.to_string();
                let dimensions = [
                    (Dimension::Iodepth, *depth),
                    (Dimension::Numjobs, *job),
                    (Dimension::Repeat, repeat.as_str()),
                ];
                let mut record = run(&format!("{depth}-{job}-{repeat}"), &dimensions);
                for ddir in ddirs {
                    record = record.figure(Metric::Iops, *ddir, Stat::Mean, level);
                }
                runs.push(record);
            }
        }
    }
    campaign(runs)
}

fn grid(mark: Mark) -> ChartSpec {
    let x = XChannel::Dimension(Dimension::Iodepth);
    let mut spec = ChartSpec::new("iops-matrix", mark, x, Measure::mean(Metric::Iops));
    spec.rows = Some(Dimension::Numjobs);
    spec
}

fn heatmap() -> ChartSpec {
    ChartSpec::new("heat", Mark::Cell, XChannel::Time, Measure::mean(Metric::Clat))
}

fn percentiles() -> ChartSpec {
    ChartSpec {
        color: Some(Channel::Stat),
        stats: vec![Stat::P50, Stat::P99, Stat::P999, Stat::Max],
        y_scale: ScaleKind::Log10,
        ..over_time(Metric::Clat)
    }
}

/// Ten seconds of a fast mode and a slow one; a stall at five seconds.
fn two_modes(ddirs: &[Ddir]) -> RunRecord {
    ddirs.iter().fold(run("modes", &[]), |record, ddir| {
        let ios = (0..100u64).flat_map(|cell| {
            let at = cell * 100;
            let stall = if cell == 50 { 3 } else { 0 };
            [
                (at, 90_000 + 700 * (cell % 9), 120),
                (at, 6_000_000 + 40_000 * cell, 30),
                (at, 700_000_000, stall),
            ]
        });
        record.ios(Metric::Clat, *ddir, ios)
    })
}

fn texts(table: &Table) -> Vec<Vec<String>> {
    let text = TableCell::text;
    table.rows.iter().map(|row| row.iter().map(text).collect()).collect()
}

#[test]
fn a_matrix_has_a_cell_for_each_combination_and_a_note_for_each_that_lacks() {
    let figure = chart(&depth_by_jobs(1), &grid(Mark::Cell)).unwrap();
    let panel = &figure.panels[0];
    let cells: Vec<(f64, f64, Ink, &str)> = panel
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Bar { x0, x1, y0, y1, ink, name } => {
                Some((((x0 + x1) / 2.0).round(), ((y0 + y1) / 2.0).round(), *ink, name.as_str()))
            }
            _ => None,
        })
        .collect();
    // From 100 to 1,600: twelve steps of 125. Rows from the bottom, more jobs higher.
    assert_eq!(
        cells,
        [
            (0.0, 0.0, Ink::Ramp(0), "1 job, iodepth 1: 100 IOPS, n = 1"),
            (1.0, 0.0, Ink::Ramp(2), "1 job, iodepth 4: 400 IOPS, n = 1"),
            (2.0, 0.0, Ink::Ramp(11), "1 job, iodepth 16: 1,600 IOPS, n = 1"),
            (0.0, 1.0, Ink::Ramp(0), "2 jobs, iodepth 1: 200 IOPS, n = 1"),
            (1.0, 1.0, Ink::Ramp(5), "2 jobs, iodepth 4: 800 IOPS, n = 1"),
        ]
    );
    assert!(panel.shapes.iter().any(|s| matches!(s, Shape::Line { name, .. } if name == "16, 2: no run")));
    assert_eq!(figure.notes, ["No run for iodepth 16, 2 jobs."]);
    assert_eq!(figure.title, "Read IOPS by queue depth and number of jobs");
    assert!(figure.subtitle.starts_with("IOPS of single runs as number and colour; hatched: not measured"));
    let values: Vec<&str> =
        figure.texts.iter().filter(|t| matches!(t.ink, Ink::OnRamp(_))).map(|t| t.text.as_str()).collect();
    assert_eq!(values, ["100", "400", "1,600", "200", "800"]);
    assert!(
        figure.alt.contains("From 100 IOPS at queue depth (iodepth) 1, number of jobs 1 to 1,600 IOPS at")
    );
    assert!(figure.alt.ends_with("one combination was not measured."), "{}", figure.alt);
}

#[test]
fn the_table_of_a_matrix_counts_repeats() {
    let figure = chart(&depth_by_jobs(3), &grid(Mark::Cell)).unwrap();
    assert_eq!(
        figure.table.columns[..6],
        ["number of jobs", "queue depth", "IOPS", "95 % low", "95 % high", "n"]
    );
    assert_eq!(texts(&figure.table)[2][..3], ["1 job", "16", "1,600"]);
    assert!(texts(&figure.table).iter().all(|row| row[5] == "3"));
    assert!(figure.subtitle.starts_with("IOPS, mean of 3 repeats, as number and colour"));
}

#[test]
fn directions_are_panels_of_a_matrix_and_share_its_colours() {
    let data = grid_of(&["1", "4", "16"], &["1", "2"], 1, &[Ddir::Read, Ddir::Write], |_, _| true);
    let figure = chart(&data, &grid(Mark::Cell)).unwrap();
    let titles: Vec<&str> = figure.panels.iter().map(|p| p.title.as_str()).collect();
    assert_eq!(titles, ["Read", "Write"]);
    let inks = |panel: &Panel| -> Vec<Ink> {
        let ink = |s: &Shape| match s {
            Shape::Bar { ink, .. } => Some(*ink),
            _ => None,
        };
        panel.shapes.iter().filter_map(ink).collect()
    };
    assert_eq!(inks(&figure.panels[0]), inks(&figure.panels[1]));
    // Three dimensions on a grid of two: rows of each direction.
    let folded = ChartSpec { facet: by(Dimension::Repeat), ..grid(Mark::Cell) };
    let figure = chart(&data, &folded).unwrap();
    let rows: Vec<&str> = figure.panels[0].y.ticks.iter().map(|t| t.label.as_str()).collect();
    assert_eq!(rows, ["1 read", "1 write", "2 read", "2 write"]);
}

#[test]
fn what_makes_no_grid_is_refused_with_a_reason() {
    let data = depth_by_jobs(1);
    let same = ChartSpec { rows: Some(Dimension::Iodepth), ..grid(Mark::Cell) };
    assert!(chart(&data, &same).unwrap_err().to_string().contains("columns and rows are both `iodepth`"));
    let coloured = ChartSpec { color: by(Dimension::Repeat), ..grid(Mark::Cell) };
    assert!(chart(&data, &coloured).unwrap_err().to_string().contains("the colour of a cell is its figure"));
    let windows = over_time(Metric::Lat);
    let record = run("a", &[]).trace(Metric::Lat, Ddir::Read, 500.0, vec![Some(1e6); 9]);
    let heat = ChartSpec { mark: Mark::Cell, ..windows };
    let error = chart(&campaign(vec![record]), &heat).unwrap_err().to_string();
    assert!(error.contains("no run has the latency of single I/Os over time"), "{error}");
    let clat = campaign(vec![two_modes(&[Ddir::Read])]);
    let error = chart(&clat, &heat).unwrap_err().to_string();
    assert!(error.contains("they have completion latency: use clat"), "{error}");
}

#[test]
fn a_heat_map_counts_every_io_once() {
    let data = campaign(vec![two_modes(&[Ddir::Read])]);
    let figure = chart(&data, &heatmap()).unwrap();
    let ios: f64 = figure
        .table
        .rows
        .iter()
        .map(|row| match row.last() {
            Some(TableCell::Number { value, .. }) => *value,
            _ => f64::NAN,
        })
        .sum();
    assert_eq!(ios, 100.0 * 150.0 + 3.0);
    assert_eq!(figure.table.columns[..2], ["from (s)", "to (s)"]);
    // The stall: 5.0 to 5.1 s, three I/Os, within a bin around 700 ms.
    let stall = figure
        .table
        .rows
        .iter()
        .find(|row| matches!(row[4], TableCell::Number { value, .. } if value == 3.0));
    let numbers: Vec<f64> = stall
        .unwrap()
        .iter()
        .map(|cell| match cell {
            TableCell::Number { value, .. } => *value,
            _ => f64::NAN,
        })
        .collect();
    let unit = if figure.table.columns[2].contains("ms") { 1e6 } else { 1e3 };
    assert!((numbers[0] - 5.0).abs() < 1e-9 && (numbers[1] - 5.1).abs() < 1e-9, "{numbers:?}");
    assert!(numbers[2] * unit <= 700e6 && 700e6 < numbers[3] * unit, "{numbers:?}");
    assert_eq!(figure.title, "Read completion latency of single I/Os over time");
    assert!(figure.alt.contains("15,003 I/Os, half of them within"), "{}", figure.alt);
}

#[test]
fn cells_of_one_colour_beside_each_other_are_one_piece() {
    let data =
        campaign(vec![run("a", &[]).ios(Metric::Clat, Ddir::Read, (0..40).map(|i| (i * 100, 1_000_000, 7)))]);
    let figure = chart(&data, &heatmap()).unwrap();
    let [Shape::Fill { faces, name, .. }] = figure.panels[0].shapes.as_slice() else {
        panic!("{:?}", figure.panels[0].shapes)
    };
    // Four seconds of seven I/Os a window: one rectangle from start to end.
    let [only] = faces.as_slice() else { panic!("{faces:?}") };
    assert_eq!((only[0].0, only[1].0, name.as_str()), (0.0, 4.0, "7 I/Os in a cell"));
}

#[test]
fn percentiles_over_time_are_those_of_each_window() {
    // Windows of 100 I/Os: 1 to 100 us; then 1 to 100 ms.
    let ios = (1..=100u64).map(|i| (0, i * 1000, 1)).chain((1..=100).map(|i| (150, i * 1_000_000, 1)));
    let data = campaign(vec![run("a", &[]).ios(Metric::Clat, Ddir::Read, ios)]);
    let figure = chart(&data, &percentiles()).unwrap();
    let column = |name: &str| figure.table.columns.iter().position(|c| c.starts_with(name)).unwrap();
    let value = |row: usize, name: &str| match figure.table.rows[row][column(name)] {
        TableCell::Number { value, .. } => value,
        _ => f64::NAN,
    };
    let unit = if figure.table.columns[1].contains("ms") { 1e6 } else { 1e3 };
    for (row, scale) in [(0, 1e3), (1, 1e6)] {
        for (name, expected) in [("median", 50.0), ("p99", 99.0), ("slowest", 100.0)] {
            let ns = value(row, name) * unit;
            // Half a bucket of fio's histogram is 0.8 %.
            assert!((ns / (expected * scale) - 1.0).abs() < 0.009, "{name} in {row}: {ns}");
        }
    }
    // A thousand I/Os would be needed.
    assert!(!figure.table.columns.iter().any(|c| c.starts_with("p99.9")));
    assert!(figure.notes[0].contains("p99.9 (shown in 0 of 2 windows)"), "{:?}", figure.notes);
    assert_eq!(figure.title, "Read completion latency percentiles over time");
}

#[test]
fn runs_are_panels_of_charts_of_single_ios_and_never_pooled_unasked() {
    let mut other = two_modes(&[Ddir::Read, Ddir::Write]);
    other.run.id = "other".to_owned();
    other.run.label = "other".to_owned();
    let data = campaign(vec![two_modes(&[Ddir::Read, Ddir::Write]), other]);
    let titles = |spec: &ChartSpec| -> Vec<String> {
        chart(&data, spec).unwrap().panels.into_iter().map(|p| p.title).collect()
    };
    assert_eq!(titles(&heatmap()), ["modes, read", "modes, write", "other, read", "other, write"]);
    assert_eq!(titles(&percentiles()), ["modes", "other"]);
}

#[test]
fn a_drive_that_slows_down_shows_at_which_amount() {
    let values = [200.0; 10].into_iter().chain([50.0; 10]).map(|v| Some(v * 1024.0 * 1024.0)).collect();
    let data = campaign(vec![run("ssd", &[]).trace(Metric::Bw, Ddir::Write, 1000.0, values)]);
    let spec = ChartSpec { x: XChannel::Amount, ..over_time(Metric::Bw) };
    let figure = chart(&data, &spec).unwrap();
    // 2,000 MiB fast, then 500 MiB slowly, in 20 cells of 125 MiB.
    let fast = figure
        .table
        .rows
        .iter()
        .filter(|row| matches!(row[1], TableCell::Number { value, .. } if value > 199.0));
    assert_eq!(fast.count(), 16);
    assert_eq!(figure.table.columns[0], "written (GiB)");
    assert_eq!(figure.panels[0].x.title, "Data written so far (GiB)");
    assert_eq!(figure.title, "Write bandwidth over the data written");
}

#[test]
fn solid_bars_stand_back_to_front_and_name_the_matrix() {
    let figure =
        chart(&depth_by_jobs(1), &ChartSpec { id: "iops-bars3d".into(), ..grid(Mark::Bar) }).unwrap();
    let bars: Vec<&str> = figure.panels[0]
        .shapes
        .iter()
        .filter_map(|s| match s {
            Shape::Fill { name, .. } if !name.is_empty() => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(bars.len(), 5);
    assert_eq!(*bars.last().unwrap(), "1 job, iodepth 1: 100 IOPS, n = 1");
    assert!(
        figure.notes.iter().any(|n| n.contains("`iops-matrix` shows the same figures")),
        "{:?}",
        figure.notes
    );
    // A hundredth of the scale is a hundredth of the height: heights are in proportion.
    let height = |wanted: &str| {
        let faces = figure.panels[0].shapes.iter().find_map(|s| match s {
            Shape::Fill { name, faces, .. } if name.starts_with(wanted) => Some(faces),
            _ => None,
        });
        let face = &faces.unwrap()[0];
        face[3].1 - face[0].1
    };
    assert!((height("1 job, iodepth 16") / height("1 job, iodepth 4") - 4.0).abs() < 1e-6);
}

#[test]
fn grids_keep_the_promises_of_every_figure() {
    let words: Vec<String> = (0..30).map(|i| format!("a-long-name-of-a-thing-{i}.example")).collect();
    let numbers: Vec<String> = (0..30).map(|i| (1u64 << i).to_string()).collect();
    for count in [1, 3, 8, 30] {
        for names in [&words, &numbers] {
            let names: Vec<&str> = names.iter().take(count).map(String::as_str).collect();
            let some = &names[..count.div_ceil(2)];
            for (x, rows) in [(&names[..], some), (some, &names[..]), (&names[..1], &names[..1])] {
                let both = [Ddir::Read, Ddir::Write];
                let data = grid_of(x, rows, 1, &both, |a, b| a == rows[0] || (a.len() + b.len()) % 3 > 0);
                for mark in [Mark::Cell, Mark::Bar] {
                    let name = format!("{mark:?} of {} by {}", x.len(), rows.len());
                    promises(&name, &data, &grid(mark));
                    let reads = Filter { ddirs: vec![Ddir::Read], ..Filter::default() };
                    promises(&name, &data, &ChartSpec { filter: reads, ..grid(mark) });
                }
            }
        }
    }
}

#[test]
fn charts_of_single_ios_keep_the_promises_of_every_figure() {
    let all = [Ddir::Read, Ddir::Write, Ddir::Trim];
    for ddirs in [&all[..1], &all[..2], &all[..]] {
        for runs in [1, 2, 9] {
            let named = |i: usize| {
                let mut record = two_modes(ddirs);
                record.run.id = format!("run{i}");
                record.run.label = format!("a run with a long label {i}");
                record
            };
            let data = campaign((0..runs).map(named).collect());
            promises("heat", &data, &heatmap());
            promises("percentiles", &data, &percentiles());
        }
    }
    for ios in [vec![(0, 0, 1)], vec![(0, 1, 1), (90_000_000_000, u64::MAX, u64::MAX)], vec![(5, 77, 3); 4]] {
        let data = campaign(vec![run("odd", &[]).ios(Metric::Clat, Ddir::Read, ios)]);
        promises("odd heat", &data, &heatmap());
        promises("odd percentiles", &data, &percentiles());
    }
}

#[test]
fn amounts_and_long_times_keep_the_promises_of_every_figure() {
    for level in [1.0, 1e6, 1e12] {
        for cell_ms in [10.0, 1e3, 1e8] {
            let values = (0..4000).map(|i| Some(level * (1.0 + f64::from(i % 7)))).collect();
            let record = run("a", &[]).trace(Metric::Bw, Ddir::Write, cell_ms, values);
            let data = campaign(vec![record]);
            promises("amount", &data, &ChartSpec { x: XChannel::Amount, ..over_time(Metric::Bw) });
            promises("long", &data, &over_time(Metric::Bw));
        }
    }
}

/// The two contrasts that the analysis finds in a grid, one by each dimension.
fn with_contrasts(mut data: Campaign) -> Campaign {
    let contrast = |by: Dimension, second: Dimension| Contrast {
        by,
        second: Some(second),
        held: Default::default(),
        runs: (0..data.runs.len()).collect(),
    };
    data.contrasts = vec![
        contrast(Dimension::Numjobs, Dimension::Iodepth),
        contrast(Dimension::Iodepth, Dimension::Numjobs),
    ];
    data
}

#[test]
fn a_grid_of_two_sweeps_is_suggested_once_with_the_longer_one_along_x() {
    let data =
        with_contrasts(grid_of(&["1", "4", "16", "64"], &["1", "2", "4"], 1, &[Ddir::Read], |_, _| true));
    let ids = |data: &Campaign| -> Vec<String> {
        suggest(data).into_iter().map(|s| s.id).filter(|id| id.contains("matrix")).collect()
    };
    assert_eq!(ids(&data), ["iops-matrix-by-iodepth-and-numjobs"]);
    // Words make no sweep.
    let words = with_contrasts(grid_of(&["1", "4", "16"], &["few", "many"], 1, &[Ddir::Read], |_, _| true));
    assert_eq!(ids(&words), Vec::<String>::new());
}

#[test]
fn grids_are_found_by_name() {
    let data = with_contrasts(grid_of(&["1", "4", "16"], &["1", "2"], 1, &[Ddir::Read], |_, _| true));
    let one = |name: &str| named(name, &data).map(|mut specs| specs.remove(0));
    for name in ["bars3d", "iops-bars3d", "iops-bars3d-by-iodepth-and-numjobs"] {
        let spec = one(name).unwrap();
        assert_eq!((spec.mark, &spec.rows), (Mark::Bar, &Some(Dimension::Numjobs)), "{name}");
        assert_eq!(spec.x, XChannel::Dimension(Dimension::Iodepth), "{name}");
    }
    let tail = one("lat-p99-matrix-by-numjobs-and-iodepth").unwrap();
    assert_eq!(tail.y, Measure { metric: Metric::Lat, stat: Stat::P99 });
    assert_eq!((tail.mark, tail.rows), (Mark::Cell, Some(Dimension::Iodepth)));
    assert!(one("iops-matrix-by-iodepth").unwrap_err().contains("a grid has two"));
    assert!(
        one("iops-matrix-by-iodepth-and-chunk").unwrap_err().contains("no run has the dimension `chunk`")
    );
    let none = campaign(vec![run("a", &[]).figure(Metric::Iops, Ddir::Read, Stat::Mean, 1.0)]);
    assert!(named("matrix", &none).unwrap_err().contains("no grid of two sweeps"));
    assert_eq!(one("clat-heatmap").unwrap().mark, Mark::Cell);
    assert_eq!(one("lat-percentiles-time").unwrap().color, Some(Channel::Stat));
    assert_eq!(one("bw-amount-by-iodepth").unwrap().x, XChannel::Amount);
}

#[test]
fn a_size_that_is_no_known_dimension_is_swept_and_folders_are_not() {
    let of = |name: &str, values: [&str; 3]| {
        let dimension = Dimension::named(name);
        let runs =
            values.map(|v| run(v, &[(dimension.clone(), v)]).figure(Metric::Bw, Ddir::Read, Stat::Mean, 1e6));
        let data = campaign(runs.to_vec());
        data.is_sweep(&dimension, &[0, 1, 2])
    };
    assert!(of("transfer", ["64k", "1m", "16m"]));
    assert!(of("size", ["1g", "2g", "4g"]));
    assert!(!of("path1", ["2019", "2020", "2021"]));
    assert!(!of("transfer", ["small", "1m", "16m"]));
    assert_eq!(Value::canonical(&Dimension::named("transfer"), "64k").number(), Some(65_536.0));
}

#[test]
fn heat_maps_are_suggested_where_a_mean_hides_modes() {
    let modes = campaign(vec![two_modes(&[Ddir::Read])]);
    let even = (0..100).map(|i| (i * 100, 1_000_000 + i * 1000, 50));
    let even = campaign(vec![run("even", &[]).ios(Metric::Clat, Ddir::Read, even)]);
    let ids = |data: &Campaign| -> Vec<String> { suggest(data).into_iter().map(|s| s.id).collect() };
    assert!(ids(&modes).contains(&"run-modes-clat-heatmap".to_owned()), "{:?}", ids(&modes));
    assert!(!ids(&even).iter().any(|id| id.ends_with("heatmap")), "{:?}", ids(&even));
}

#[test]
fn devices_are_charted_where_some_are_busy_and_some_are_not() {
    let data = |shares: [f64; 3]| {
        let record = |(i, share): (usize, f64)| {
            let depth = (1 << i).to_string();
            run(&depth, &[(Dimension::Iodepth, &depth)])
                .figure(Metric::Iops, Ddir::Read, Stat::Mean, 100.0)
                .figure(Metric::Util, Ddir::Mixed, Stat::Mean, share)
        };
        let mut data = campaign(shares.into_iter().enumerate().map(record).collect());
        let (by, second, held) = (Dimension::Iodepth, None, Default::default());
        data.contrasts = vec![Contrast { by, second, held, runs: vec![0, 1, 2] }];
        data
    };
    let found = |shares| suggest(&data(shares)).into_iter().find(|s| s.id == "util-by-iodepth");
    assert_eq!(found([0.95, 0.97, 0.99]), None);
    assert_eq!(found([0.1, 0.2, 0.3]), None);
    let spec = found([0.3, 0.7, 0.99]).unwrap();
    let figure = chart(&data([0.3, 0.7, 0.99]), &spec).unwrap();
    // A share ends at the whole, and a device has no direction.
    assert_eq!((figure.panels[0].y.max, figure.panels[0].title.as_str()), (100.0, ""));
    assert_eq!(figure.title, "Device utilisation by queue depth");
}

#[test]
fn hostile_figures_make_a_grid_too() {
    let bad = [f64::NAN, f64::INFINITY, f64::MAX, -1.0, 0.0, f64::MIN_POSITIVE];
    let record = |(i, value): (usize, &f64)| {
        let depth = (i + 1).to_string();
        run(&depth, &[(Dimension::Iodepth, &depth), (Dimension::Numjobs, "1")]).figure(
            Metric::Iops,
            Ddir::Read,
            Stat::Mean,
            *value,
        )
    };
    let data = campaign(bad.iter().enumerate().map(record).collect());
    promises("hostile cells", &data, &grid(Mark::Cell));
    promises("hostile bars", &data, &grid(Mark::Bar));
    promises("small", &data, &ChartSpec { size: Size::THUMB, ..grid(Mark::Cell) });
}
