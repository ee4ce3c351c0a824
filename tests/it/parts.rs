//! A chart's own part of the run time against the same part taken by the flags.

use crate::support::{campaign, campaign_under, package, sample, shared};
use plotgen::analyze::AnalyzeOptions;
use plotgen::chart::{Figure, chart};
use plotgen::model::{Campaign, Dimension, Measure, Metric, Stat};
use plotgen::spec::{Channel, ChartSpec, Mark, Transform, XChannel};
use std::path::Path;

/// What a picture shows, without the words around it.
fn shown(figure: &Figure) -> String {
    format!("{:?}\n{:?}\n{:?}", figure.panels, figure.table, figure.runs)
}

/// Asserts that the chart of a part is that of a campaign of which the same part was read.
fn agree(paths: &[&Path], from: f64, to: f64, specs: &[ChartSpec]) {
    let whole = campaign(paths);
    let options = AnalyzeOptions { from_ms: Some(from), to_ms: Some(to), ..AnalyzeOptions::default() };
    let flagged = campaign_under(paths, &options);
    for spec in specs {
        let part = ChartSpec { from_ms: Some(from), to_ms: Some(to), ..spec.clone() };
        let draw = |data: &Campaign, spec: &ChartSpec| {
            chart(data, spec).unwrap_or_else(|error| panic!("{} {:?}: {error}", spec.id, spec.x))
        };
        let told = draw(&whole, &part).subtitle;
        assert!(told.contains(" of the run"), "{}: {told}", spec.id);
        let said = draw(&flagged, spec).subtitle;
        assert_eq!(said, told, "{}: the flags cut as the keys do, and say so", spec.id);
        // Words of one's own, so that all have the same room.
        let worded = |spec: &ChartSpec| ChartSpec { subtitle: Some("A part".to_owned()), ..spec.clone() };
        let (part, spec) = (worded(&part), worded(spec));
        let (own, flag) = (draw(&whole, &part), draw(&flagged, &spec));
        let (first, second) = (shown(&own), shown(&flag));
        let apart = first.bytes().zip(second.bytes()).position(|(a, b)| a != b);
        let near =
            |text: &str| apart.map(|at| text[at.saturating_sub(80)..].chars().take(160).collect::<String>());
        assert!(first == second, "{:?} {:?}: {:?}, not {:?}", spec.mark, spec.x, near(&first), near(&second));
        // What a picture of the part carries draws it again from whole runs.
        let carried = spec.clone().within(flagged.part.unwrap());
        assert!(shown(&draw(&whole, &carried)) == second, "{:?} {:?}: drawn again", spec.mark, spec.x);
        let all = draw(&whole, &spec);
        assert!(first != shown(&all), "{:?} {:?}: nothing is cut", spec.mark, spec.x);
    }
}

fn spec(mark: Mark, x: XChannel, metric: Metric) -> ChartSpec {
    ChartSpec::new("part", mark, x, Measure::mean(metric))
}

#[test]
fn a_part_of_windows_is_what_the_flags_make_of_it() {
    let binned = ChartSpec {
        transforms: vec![Transform::Bin],
        color: Some(Channel::Dimension(Dimension::Raid)),
        ..spec(Mark::Bar, XChannel::Value, Metric::Iops)
    };
    let specs = [
        spec(Mark::Box, XChannel::Run, Metric::Iops),
        spec(Mark::Box, XChannel::Dimension(Dimension::Raid), Metric::Lat),
        ChartSpec {
            color: Some(Channel::Dimension(Dimension::Raid)),
            ..spec(Mark::Line, XChannel::Amount, Metric::Bw)
        },
        binned,
        spec(Mark::Bar, XChannel::Dimension(Dimension::Raid), Metric::Iops),
        spec(Mark::Bar, XChannel::Dimension(Dimension::Raid), Metric::Lat),
        ChartSpec {
            color: Some(Channel::Dimension(Dimension::Raid)),
            ..spec(Mark::Line, XChannel::Time, Metric::Lat)
        },
    ];
    agree(&[&sample("level-sweep")], 10e3, 20e3, &specs);
}

#[test]
fn a_part_of_single_ios_is_what_the_flags_make_of_it() {
    let Some(logs) = shared("corpus/fio-versions/3.33/hist_500") else { return };
    let counted = [
        spec(Mark::Line, XChannel::Quantile, Metric::Clat),
        ChartSpec { transforms: vec![Transform::Ecdf], ..spec(Mark::Line, XChannel::Value, Metric::Clat) },
        ChartSpec {
            transforms: vec![Transform::Exceedance],
            ..spec(Mark::Line, XChannel::Value, Metric::Clat)
        },
        ChartSpec { transforms: vec![Transform::Bin], ..spec(Mark::Bar, XChannel::Value, Metric::Clat) },
        ChartSpec { color: Some(Channel::Stat), ..spec(Mark::Line, XChannel::Time, Metric::Clat) },
        spec(Mark::Cell, XChannel::Time, Metric::Clat),
        ChartSpec {
            y: Measure { metric: Metric::Clat, stat: Stat::P99 },
            ..spec(Mark::Bar, XChannel::Dimension(Dimension::Rw), Metric::Clat)
        },
    ];
    agree(&[&logs], 500.0, 2e3, &counted);
}

#[test]
fn a_part_of_a_part_lies_at_its_run_time() {
    let Some(logs) = shared("corpus/fio-versions/3.33/hist_500") else { return };
    let options = AnalyzeOptions { from_ms: Some(500.0), ..AnalyzeOptions::default() };
    for spec in
        [spec(Mark::Line, XChannel::Quantile, Metric::Clat), spec(Mark::Line, XChannel::Time, Metric::Clat)]
    {
        let part = ChartSpec { from_ms: Some(1e3), to_ms: Some(2e3), ..spec };
        let (whole, flagged) = (campaign(&[&logs]), campaign_under(&[&logs], &options));
        let (own, again) = (chart(&whole, &part).unwrap(), chart(&flagged, &part).unwrap());
        assert!(shown(&own) == shown(&again), "{:?}", part.x);
    }
}

#[test]
fn the_part_of_a_windowed_rate_is_the_mean_of_its_rows() {
    // The first run of this campaign, its rows of 500 ms read here by themselves: each counts by what lies in the part.
    let name = "chunk-sweep/raid10_chunk64k_randread_qd4_run1_iops.1.log";
    let log = std::fs::read_to_string(package().join("sample-logs").join(name)).unwrap();
    let (from, to, mut previous, mut sum) = (10_000.0, 20_000.0, 0.0, 0.0);
    for line in log.lines() {
        let mut columns = line.split(',').map(|column| column.trim().parse::<f64>().unwrap());
        let (end, value) = (columns.next().unwrap(), columns.next().unwrap());
        sum += value * (end.min(to) - f64::max(previous, from)).max(0.0);
        previous = end;
    }
    let expected = sum / (to - from);
    let options = AnalyzeOptions { from_ms: Some(from), to_ms: Some(to), ..AnalyzeOptions::default() };
    let read = campaign_under(&[&sample("chunk-sweep")], &options);
    let record = crate::support::run(&read, "raid10_chunk64k_randread_qd4_run1");
    let found = record.statistic(Measure::mean(Metric::Iops), plotgen::model::Ddir::Read).unwrap().value;
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} against {expected}");
}

#[test]
fn logs_of_some_jobs_alone_are_not_taken_for_the_run_without_a_word() {
    let dir = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(sample("special")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let other_job = [".2.log", ".3.log", ".4.log"].iter().any(|end| name.ends_with(end));
        if name.contains("_jobs4_") && !other_job {
            std::fs::copy(&path, dir.path().join(name)).unwrap();
        }
    }
    let remarks = |path: &Path, from_ms: Option<f64>| -> Vec<String> {
        let data = campaign_under(&[path], &AnalyzeOptions { from_ms, ..AnalyzeOptions::default() });
        data.diagnostics.iter().map(|remark| remark.message.clone()).collect()
    };
    // Of a part of the run all the more, which the logs alone tell of.
    for from_ms in [None, Some(10_000.0)] {
        let found = remarks(dir.path(), from_ms);
        assert!(found.iter().any(|text| text.starts_with("logs of 1 of its 4 jobs: ")), "{found:?}");
        // With all four logs there is nothing to say.
        let found = remarks(&sample("special"), from_ms);
        assert!(!found.iter().any(|text| text.starts_with("logs of ")), "{found:?}");
    }
}
