//! Latency of fsync and its kin, from fio's output to pictures and pages: six runs of fio 3.33 with `fdatasync` after 1, 8
//! and 32 writes, twice each.

use crate::cli::{empty, run as plotgen};
use crate::support::{campaign, package, run};
use plotgen::analyze::repeat::cells;
use plotgen::chart::{Figure, Shape, chart};
use plotgen::model::{Campaign, Ddir, Dimension, Measure, Metric, Origin, Stat};
use plotgen::spec::{Filter, named, suggest};
use std::fs;
use std::path::PathBuf;

fn fixtures() -> PathBuf {
    package().join("tests/fixtures/fsync")
}

/// The six runs, each from its JSON.
fn runs() -> (tempfile::TempDir, Campaign) {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixtures()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|suffix| suffix == "json") {
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let data = campaign(&[folder.path()]);
    assert_eq!(data.runs.len(), 6);
    (folder, data)
}

fn figure(data: &Campaign, name: &str) -> Figure {
    chart(data, &named(name, data).unwrap()[0]).unwrap()
}

#[test]
fn json_and_text_of_one_run_tell_the_same() {
    let json = campaign(&[&fixtures().join("fdatasync1_run1.json")]);
    let text = campaign(&[&fixtures().join("fdatasync1_run1.txt")]);
    let (json, text) = (&json.runs[0], &text.runs[0]);
    let mut compared = 0;
    for &stat in Stat::ALL {
        let measure = Measure { metric: Metric::Fsync, stat };
        let value =
            |record: &plotgen::model::RunRecord| record.statistic(measure, Ddir::Mixed).map(|s| s.value);
        let (Some(exact), Some(printed)) = (value(json), value(text)) else { continue };
        // Whole microseconds of latencies, two decimals of the mean and the deviation.
        let rounding = if stat == Stat::Cov { 1e-5 } else { 1000.0 };
        assert!((exact - printed).abs() <= rounding, "{stat}: {exact} and {printed}");
        compared += 1;
    }
    assert_eq!(compared, 11);
    // Copied by hand from the text: `min=155, max=27795, avg=4687.81`, `99.00th=[16057]`.
    let printed = |stat| text.statistic(Measure { metric: Metric::Fsync, stat }, Ddir::Mixed).unwrap();
    let told = [Stat::Min, Stat::Max, Stat::Mean, Stat::P99].map(|stat| printed(stat).value);
    assert_eq!(told, [155e3, 27_795e3, 4_687_810.0, 16_057e3]);
    assert_eq!(printed(Stat::Mean).n, None);
    assert_eq!(json.statistic(Measure::mean(Metric::Fsync), Ddir::Mixed).unwrap().n, Some(1063));
}

#[test]
fn the_bins_of_each_run_give_the_percentiles_that_fio_prints() {
    let (_folder, data) = runs();
    for record in &data.runs {
        let histogram = record.run.reported_histogram(Metric::Fsync, Ddir::Mixed).unwrap();
        let printed = record.run.reported_percentiles(Metric::Fsync, Ddir::Mixed).unwrap();
        assert_eq!(printed.len(), 17);
        for &(quantile, value) in printed {
            let own = histogram.quantile(quantile).unwrap();
            // A bucket spans 1/64 of its lower end.
            assert!((own / value - 1.0).abs() < 1.0 / 64.0, "{} p{quantile}: {own} {value}", record.run.id);
        }
    }
}

/// Worked from the bins of both files by a script of its own: `ceil(n p)` over the sorted buckets.
#[test]
fn percentiles_of_repeats_come_from_their_bins_together() {
    let (_folder, data) = runs();
    let by = [Dimension::named("fdatasync")];
    for (stat, expected) in [
        (Stat::P50, [("1", 3_981_312.0), ("8", 4_112_384.0), ("32", 3_948_544.0)]),
        (Stat::P99, [("1", 12_779_520.0), ("8", 13_565_952.0), ("32", 14_352_384.0)]),
    ] {
        let measure = Measure { metric: Metric::Fsync, stat };
        let cells = cells(&data, &Filter::default(), measure, Ddir::Mixed, &by);
        let found: Vec<(&str, f64)> =
            cells.iter().map(|cell| (cell.key[0].as_ref().unwrap().as_str(), cell.mean)).collect();
        assert_eq!(found, expected, "{stat}");
    }
}

#[test]
fn syncs_are_compared_and_enter_no_rate_and_no_law() {
    let (_folder, data) = runs();
    let found: Vec<_> = data.comparisons.iter().filter(|c| c.metric == Metric::Fsync).collect();
    let [comparison] = found.as_slice() else { panic!("one comparison") };
    assert_eq!((comparison.ddir, comparison.by.as_str()), (Ddir::Mixed, "fdatasync"));
    // The mean of the two means that fio prints for each.
    let means: Vec<f64> = comparison.cells.iter().map(|cell| cell.mean).collect();
    let expected = [
        (4_687_806.128_881 + 4_765_853.132_565) / 2.0,
        (5_654_005.839_041 + 4_827_538.136_986) / 2.0,
        (4_941_646.261_094 + 4_958_323.910_417) / 2.0,
    ];
    assert!(means.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{means:?}");
    for record in &data.runs {
        assert_eq!(record.little, None, "{}", record.run.id);
        assert!(record.is_synced());
        assert_eq!(record.ddirs(Metric::Iops), [Ddir::Write]);
        let job = &record.run.jobs[0];
        assert_eq!(job.ios.keys().collect::<Vec<_>>(), [&Ddir::Write]);
    }
    // 1063 writes in 5.004 s; as many syncs beside them count for nothing.
    let one = run(&data, "fdatasync1_run1");
    let iops = one.statistic_from(Measure::mean(Metric::Iops), Ddir::Write, Origin::Reported).unwrap().value;
    assert!((iops - 1063.0 / 5.004).abs() < 0.2, "{iops}");
}

#[test]
fn a_campaign_with_syncs_has_their_charts_and_each_says_what_it_shows() {
    let (_folder, data) = runs();
    let specs = suggest(&data);
    let ids: Vec<&str> = specs.iter().map(|spec| spec.id.as_str()).collect();
    for (id, title) in [
        ("fsync-by-fdatasync", "Fsync latency by writes per fdatasync"),
        ("fsync-p99-by-fdatasync", "p99 fsync latency by writes per fdatasync"),
        ("fsync-percentiles-by-fdatasync", "Fsync latency percentiles by writes per fdatasync"),
        ("run-fdatasync1-run1-fsync-percentiles", "Fsync latency percentiles"),
    ] {
        assert!(ids.contains(&id), "{id} among {ids:?}");
        assert_eq!(figure(&data, id).title, title);
    }
    // Other ways to show them are there by name.
    for (name, title, samples) in [
        ("fsync-ecdf-by-fdatasync", "Fsync latency distribution by writes per fdatasync", true),
        ("fsync-exceedance-by-fdatasync", "Fsync latency tail by writes per fdatasync", true),
        ("fsync-histogram-by-fdatasync", "Fsync latency histogram by writes per fdatasync", true),
        ("fsync-max-by-fdatasync", "Largest fsync latency by writes per fdatasync", false),
        ("fsync-by-repeat", "Fsync latency by repeat", false),
    ] {
        let figure = figure(&data, name);
        assert_eq!(figure.title, title);
        assert_eq!(figure.subtitle.contains("fsyncs"), samples, "{}", figure.subtitle);
        assert!(!figure.subtitle.contains("I/Os"), "{}", figure.subtitle);
    }
    let of_run = figure(&data, "run-fdatasync1-run1-fsync-percentiles");
    assert!(of_run.subtitle.contains("1,063 fsyncs"), "{}", of_run.subtitle);
    assert!(of_run.subtitle.contains("fdatasync after each write"), "{}", of_run.subtitle);
    assert!(!of_run.alt.contains("ixed"), "{}", of_run.alt);
}

#[test]
fn a_sweep_of_syncs_goes_through_the_means_that_fio_prints() {
    let (_folder, data) = runs();
    let sweep = figure(&data, "fsync-by-fdatasync");
    let line = sweep.panels[0].shapes.iter().find_map(|shape| match shape {
        Shape::Line { parts, .. } => Some(parts.concat()),
        _ => None,
    });
    let line = line.unwrap();
    let expected = [(1.0, 4.726_830), (8.0, 5.240_772), (32.0, 4.949_985)];
    assert_eq!(line.len(), 3);
    for ((x, y), (wanted_x, wanted_y)) in line.into_iter().zip(expected) {
        assert!((x - wanted_x).abs() < 1e-9 && (y - wanted_y).abs() < 1e-5, "{x} {y}");
    }
}

#[test]
fn without_syncs_the_list_of_charts_says_what_is_missing() {
    let dir = empty();
    let logs = package().join("sample-logs/qd-sweep");
    let (code, list, _) = plotgen(&dir, &["charts", &logs.to_string_lossy()]);
    assert_eq!(code, 0);
    let after = list.split_once("\n  fsync-by-DIMENSION\n").unwrap().1;
    let entry = after.split("\n  ").collect::<Vec<_>>()[..6].join(" ");
    assert!(entry.contains("not here: no run has a figure of mean fsync latency"), "{entry}");
    let (_, list, _) = plotgen(&dir, &["charts", &fixtures().to_string_lossy()]);
    assert!(list.contains("here: fsync-by-fdatasync"), "{list}");
}

#[test]
fn tables_and_pages_have_a_row_of_syncs() {
    let dir = empty();
    let input = fixtures().join("fdatasync1_run1.json");
    let input = input.to_string_lossy();
    let (_, table, _) = plotgen(&dir, &["summary", &input]);
    let row = table.lines().find(|line| line.contains("fsync ")).unwrap();
    assert!(row.contains("4.69 ms") && row.contains("16.1 ms"), "{row}");
    let (_, csv, _) = plotgen(&dir, &["summary", &input, "--format", "csv"]);
    assert!(csv.contains(",fsync,mixed,mean,4687806.128881,ns,reported,1063\n"), "{csv}");
    let (code, _, err) = plotgen(&dir, &["report", &input, "-o", "out"]);
    assert_eq!(code, 0, "{err}");
    let page = fs::read_to_string(dir.path().join("out/runs/fdatasync1-run1.html")).unwrap();
    let row = page.split_once("<th scope=\"row\">fsync</th>").unwrap().1;
    let row = row.split_once("</tr>").unwrap().0;
    assert!(row.contains("4.69 ms") && row.contains("3.98 ms") && row.contains("27.8 ms"), "{row}");
    let report = fs::read_to_string(dir.path().join("out/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let figures = report["runs"][0]["summaries"].as_array().unwrap();
    let p99 = figures.iter().find(|f| f["metric"] == "fsync" && f["stat"] == "p99").unwrap();
    assert_eq!((p99["value"].as_f64(), p99["n"].as_u64()), (Some(16_056_320.0), Some(1063)));
}

/// A sync or two come of the end of a run: they stand among its figures, and nothing is made of them.
#[test]
fn single_syncs_at_the_end_of_runs_make_no_charts_and_no_rows() {
    let dir = empty();
    for (bs, n) in [("4k", 1), ("16k", 2)] {
        let sync = format!(
            r#"{{"total_ios":0,"lat_ns":{{"min":400,"max":500,"mean":450.0,"stddev":9.0,"N":{n}}}}}"#
        );
        let write = r#"{"io_bytes":4096000,"io_kbytes":4000,"bw_bytes":4096000,"iops":1000.0,"runtime":1000,"total_ios":1000,
            "lat_ns":{"min":5,"max":90,"mean":10.5,"stddev":2.0,"N":1000}}"#;
        let text = format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"a","groupid":0,"error":0,
                "job options":{{"rw":"write","bs":"{bs}"}},"write":{write},"sync":{sync}}}]}}"#
        );
        fs::write(dir.path().join(format!("bs{bs}.json")), text).unwrap();
    }
    let data = campaign(&[dir.path()]);
    assert_eq!(data.runs[0].statistic(Measure::mean(Metric::Fsync), Ddir::Mixed).unwrap().value, 450.0);
    assert!(data.runs.iter().all(|record| !record.is_synced()));
    assert!(data.comparisons.iter().all(|c| c.metric != Metric::Fsync) && !data.comparisons.is_empty());
    assert!(suggest(&data).iter().all(|spec| spec.y.metric != Metric::Fsync));
    let (_, table, _) = plotgen(&dir, &["summary", "."]);
    assert!(table.contains("write") && !table.contains("fsync"), "{table}");
}

#[test]
fn windows_of_syncs_over_time_make_lines_and_boxes_like_those_of_other_latencies() {
    let dir = empty();
    for fs_name in ["ext4", "xfs"] {
        let rows: Vec<String> = (1..=20)
            .map(|i| format!("{},fsync,mixed,{},ms", i * 500, if fs_name == "xfs" { i } else { 3 }))
            .collect();
        let text = format!(
            "# rbench 1\n# fs={fs_name} rw=write\ntime_ms,metric,ddir,value,unit\n{}\n",
            rows.join("\n")
        );
        fs::write(dir.path().join(format!("{fs_name}.csv")), text).unwrap();
    }
    let data = campaign(&[dir.path()]);
    assert_eq!(figure(&data, "fsync-box-by-fs").title, "Fsync latency of single windows by file system");
    assert_eq!(figure(&data, "fsync-time-by-fs").title, "Fsync latency over time by file system");
    let of = |id: &str| run(&data, id).statistic(Measure::mean(Metric::Fsync), Ddir::Mixed).unwrap().value;
    // The mean of 1 to 20 ms.
    assert_eq!((of("ext4"), of("xfs")), (3e6, 10.5e6));
}
