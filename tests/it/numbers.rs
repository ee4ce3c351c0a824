//! Figures of real runs against what fio itself said of them.

use crate::support::{assert_near, campaign, campaign_with, mean, public, run, sample, shared};
use plotgen::ingest::{Appended, IngestOptions};
use plotgen::model::{Campaign, Ddir, Measure, Metric, Origin, RunRecord, Severity, Stat};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const MIB: f64 = 1_048_576.0;

/// Mean IOPS over the repeats of a level, of one origin.
fn level(campaign: &Campaign, level: &str, ddir: Ddir, origin: Origin) -> f64 {
    let dimension = plotgen::model::Dimension::Raid;
    let values: Vec<f64> = campaign
        .runs
        .iter()
        .filter(|r| r.run.value(&dimension).is_some_and(|v| v.as_str() == level))
        .filter_map(|r| r.statistic_from(Measure::mean(Metric::Iops), ddir, origin).map(|s| s.value))
        .collect();
    assert_eq!(values.len(), 3, "RAID {level} {ddir} has three repeats");
    values.iter().sum::<f64>() / 3.0
}

#[test]
fn the_level_sweep_gives_the_iops_that_fio_reported_and_the_logs_alone_give_them_too() {
    let campaign = campaign(&[&sample("level-sweep")]);
    assert_eq!(campaign.runs.len(), 24);
    // Means over three repeats of `iops` in the JSON files.
    let expected = [
        ("0", Ddir::Read, 407.0),
        ("10", Ddir::Read, 419.0),
        ("5", Ddir::Read, 411.0),
        ("6", Ddir::Read, 401.0),
        ("0", Ddir::Write, 405.0),
        ("10", Ddir::Write, 210.0),
        ("5", Ddir::Write, 98.0),
        ("6", Ddir::Write, 75.0),
    ];
    for (raid, ddir, iops) in expected {
        let what = format!("RAID {raid} {ddir}");
        assert_near(level(&campaign, raid, ddir, Origin::Reported), iops, 0.005, &what);
        assert_near(level(&campaign, raid, ddir, Origin::Log), iops, 0.02, &what);
    }
}

/// Largest deviation of log means from reported ones over all runs, by metric; panics beyond `within`.
fn assert_logs_match(
    campaign: &Campaign,
    metrics: &[Metric],
    within: impl Fn(&str, Ddir) -> f64,
) -> (usize, f64) {
    let (mut compared, mut worst) = (0, 0.0f64);
    for record in &campaign.runs {
        for &metric in metrics {
            for ddir in record.ddirs(metric) {
                let log = mean(record, metric, ddir, Origin::Log);
                let reported = mean(record, metric, ddir, Origin::Reported);
                // Logs of the largest latency in each window have no mean to compare.
                if log.is_nan() || reported.is_nan() || record.run.id.contains("/max_") {
                    continue;
                }
                compared += 1;
                worst = worst.max((log / reported - 1.0).abs());
                let what = format!("{} {metric} {ddir}", record.run.id);
                assert_near(log, reported, within(&record.run.id, ddir), &what);
            }
        }
    }
    (compared, worst)
}

#[test]
fn every_sample_run_has_the_same_iops_in_its_logs_as_in_its_json() {
    let campaign = campaign(&[&sample("")]);
    let (compared, worst) = assert_logs_match(&campaign, &[Metric::Iops, Metric::Bw], |id, ddir| {
        // Whole-number rows at 22 IOPS a job.
        if id.contains("jobs4") && ddir == Ddir::Write { 0.03 } else { 0.02 }
    });
    assert!(compared >= 2 * 69, "{compared} compared, worst {worst}");
}

#[test]
fn the_whole_raid_campaign_agrees_with_its_json() {
    let Some(path) = shared("raid-campaign") else { return };
    let campaign = campaign(&[&path]);
    let (compared, worst) = assert_logs_match(&campaign, &[Metric::Iops], |id, ddir| {
        if id.contains("throttle75/special") && id.contains("jobs4") && ddir == Ddir::Write {
            0.03
        } else {
            0.02
        }
    });
    eprintln!("raid campaign: {compared} pairs of log and JSON, worst {:.2} %", worst * 100.0);
    assert!(compared >= 150, "{compared}");
}

#[test]
fn logs_without_their_json_give_the_same_figures_of_origin_log() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(sample("special")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "log") {
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let with = campaign(&[&sample("special")]);
    let without = campaign(&[folder.path()]);
    let rows = |campaign: &Campaign| -> BTreeSet<String> {
        campaign
            .runs
            .iter()
            .flat_map(|r| {
                r.statistics.iter().filter(|s| s.origin == Origin::Log).map(|s| {
                    format!("{} {} {} {} {:e} {:?}", r.run.label, s.metric, s.ddir, s.stat, s.value, s.n)
                })
            })
            .collect()
    };
    assert_eq!(rows(&with), rows(&without));
    assert!(rows(&with).len() > 30);
}

#[test]
fn a_log_with_a_row_for_each_io_counts_the_ios_that_fio_counted() {
    let campaign = campaign(&[&sample("special")]);
    let record = run(&campaign, "raid10_chunk64k_randread_qd4_perio_run1");
    let reported = mean(record, Metric::Iops, Ddir::Read, Origin::Reported);
    assert_near(mean(record, Metric::Iops, Ddir::Read, Origin::Log), reported, 0.02, "iops");
    assert_near(mean(record, Metric::Bw, Ddir::Read, Origin::Log), reported * 4096.0, 0.02, "bw");
    // Latency of single I/Os: mean, and percentiles to a bucket of 1.6 %.
    for (stat, within) in [(Stat::Mean, 0.001), (Stat::P50, 0.017), (Stat::P99, 0.017)] {
        let measure = Measure { metric: Metric::Clat, stat };
        let log = record.statistic_from(measure, Ddir::Read, Origin::Log).unwrap();
        let fio = record.statistic_from(measure, Ddir::Read, Origin::Reported).unwrap();
        assert_near(log.value, fio.value, within, stat.as_str());
    }
}

#[test]
fn a_mixed_log_gives_a_read_and_a_write_series() {
    let campaign = campaign(&[&sample("special")]);
    let record = run(&campaign, "raid10_chunk64k_randrw75_qd4_jobs4_run1");
    assert_eq!(record.ddirs(Metric::Iops), [Ddir::Read, Ddir::Write]);
    assert_eq!(record.run.jobs.len(), 4);
    let share = mean(record, Metric::Iops, Ddir::Read, Origin::Log)
        / (mean(record, Metric::Iops, Ddir::Read, Origin::Log)
            + mean(record, Metric::Iops, Ddir::Write, Origin::Log));
    assert_near(share, 0.75, 0.03, "share of reads");
}

#[test]
fn equal_names_in_two_folders_stay_two_runs() {
    let folder = tempfile::tempdir().unwrap();
    for (place, value) in [("a", 100), ("b", 300)] {
        fs::create_dir(folder.path().join(place)).unwrap();
        let rows: String = (1..=20).map(|i| format!("{}, {value}, 0, 0, 0\n", i * 500)).collect();
        fs::write(folder.path().join(place).join("same_iops.1.log"), rows).unwrap();
    }
    let campaign = campaign(&[folder.path()]);
    let means: Vec<f64> =
        campaign.runs.iter().map(|r| mean(r, Metric::Iops, Ddir::Read, Origin::Log)).collect();
    assert_eq!(means, [100.0, 300.0]);
    assert_eq!(campaign.runs[0].run.label, campaign.runs[1].run.label);
}

/// A figure of the reads or writes of a run, from its logs.
fn logged(record: &RunRecord, stat: Stat, ddir: Ddir) -> f64 {
    let measure = Measure { metric: Metric::Iops, stat };
    record.statistic_from(measure, ddir, Origin::Log).unwrap().value
}

#[test]
fn the_spread_and_the_extremes_of_windows_are_those_that_fio_says() {
    let campaign = campaign(&[&sample("level-sweep")]);
    let mut compared = 0;
    for record in &campaign.runs {
        let ddir = record.ddirs(Metric::Iops)[0];
        for stat in [Stat::Min, Stat::Max, Stat::Stddev] {
            let measure = Measure { metric: Metric::Iops, stat };
            let reported = record.statistic_from(measure, ddir, Origin::Reported).unwrap();
            let what = format!("{} {stat:?}", record.run.id);
            assert_near(logged(record, stat, ddir), reported.value, 1e-6, &what);
            compared += 1;
        }
    }
    assert_eq!(compared, 72);
}

#[test]
fn windows_that_come_late_are_not_blurred() {
    let folder = tempfile::tempdir().unwrap();
    // Every 502 ms, 50 and 150 IOPS in turn: mean 100, R: sd(rep(c(50, 150), 120)) = 50.10449.
    let rows: String =
        (1..=240).map(|i| format!("{}, {}, 0, 0, 0\n", i * 502, if i % 2 == 0 { 150 } else { 50 })).collect();
    fs::write(folder.path().join("late_iops.1.log"), rows).unwrap();
    let record = &campaign(&[folder.path()]).runs[0];
    let of = |stat| logged(record, stat, Ddir::Read);
    assert_eq!((of(Stat::Min), of(Stat::Max)), (50.0, 150.0));
    assert_near(of(Stat::Stddev), 50.104_49, 1e-6, "stddev");
}

#[test]
fn a_log_of_any_number_of_windows_keeps_its_extremes() {
    let folder = tempfile::tempdir().unwrap();
    // 20,000 windows of 100 ms: one of 10,000 IOPS, one idle.
    let rows: String = (1..=20_000u32)
        .filter(|&i| i != 7000)
        .map(|i| format!("{}, {}, 0, 0, 0\n", i * 100, if i == 3000 { 10_000 } else { 100 }))
        .collect();
    fs::write(folder.path().join("long_iops.1.log"), rows).unwrap();
    let record = &campaign(&[folder.path()]).runs[0];
    assert_eq!(logged(record, Stat::Min, Ddir::Read), 0.0);
    assert_eq!(logged(record, Stat::Max, Ddir::Read), 10_000.0);
    let series = record.total_series(Metric::Iops, Ddir::Read).unwrap();
    assert_eq!((series.cell_ms, series.values.len()), (100.0, 20_000));
}

#[test]
fn an_outage_is_seen_in_single_ios_however_long_the_run_is() {
    let folder = tempfile::tempdir().unwrap();
    for seconds in [50u64, 300, 1200, 7200] {
        // 100 I/Os a second, but for 8 s in the middle.
        let outage = seconds * 500..seconds * 500 + 8000;
        let ios = (1..=seconds * 100).map(|i| i * 10).filter(|ms| !outage.contains(ms));
        let rows: String = ios.map(|ms| format!("{ms}, 1, 0, 4096, 0\n")).collect();
        fs::write(folder.path().join(format!("outage{seconds}_iops.1.log")), rows).unwrap();
    }
    let campaign = campaign(&[folder.path()]);
    assert_eq!(campaign.runs.len(), 4);
    for record in &campaign.runs {
        assert_eq!(logged(record, Stat::Min, Ddir::Read), 0.0, "{}", record.run.id);
    }
}

#[test]
fn a_run_that_is_idle_at_its_end_agrees_with_its_log() {
    let folder = tempfile::tempdir().unwrap();
    // 12,000 I/Os: 1,714 a second over the 7 s that left rows, 1,471 over the 8.155 s of the run.
    let json = |iops: f64| {
        format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"a","error":0,
            "read":{{"io_bytes":49152000,"total_ios":12000,"iops":{iops},"bw_bytes":6025000,"runtime":8155}}}}]}}"#
        )
    };
    let rows: String = (1..=14).map(|i| format!("{}, 1714, 0, 0, 0\n", i * 500)).collect();
    fs::write(folder.path().join("a_iops.1.log"), rows).unwrap();
    let told = |iops: f64| {
        fs::write(folder.path().join("a.json"), json(iops)).unwrap();
        let campaign = campaign(&[folder.path()]);
        let apart = campaign.diagnostics.iter().find(|d| d.message.contains("the log rows have a mean"));
        apart.map(|d| (d.severity, d.message.contains("the last 1.16 s of the run left no row")))
    };
    assert_eq!(told(1471.0), Some((Severity::Info, true)));
    // A log that is off for another reason stays a warning.
    assert_eq!(told(1200.0), Some((Severity::Warning, false)));
}

#[test]
fn two_jobs_that_end_apart_are_summed_over_the_span_in_which_both_ran() {
    let folder = tempfile::tempdir().unwrap();
    for (job, windows) in [(1, 6), (2, 12)] {
        let rows: String = (1..=windows).map(|i| format!("{}, 200, 1, 0, 0\n", i * 500)).collect();
        fs::write(folder.path().join(format!("apart_iops.{job}.log")), rows).unwrap();
    }
    let campaign = campaign(&[folder.path()]);
    let record = &campaign.runs[0];
    // Two jobs of 200 IOPS, 3 s and 6 s: 400 while both ran.
    assert_eq!(mean(record, Metric::Iops, Ddir::Write, Origin::Log), 400.0);
    let series = record.total_series(Metric::Iops, Ddir::Write).unwrap();
    assert_eq!(series.values.first(), Some(&Some(400.0)));
    assert_eq!(series.values.last(), Some(&Some(200.0)));
}

#[test]
fn an_idle_window_is_zero_for_iops_and_a_gap_for_latency() {
    let folder = tempfile::tempdir().unwrap();
    // Windows 3 and 4 of 8 hold no I/O.
    let rows = |value: u64| -> String {
        [1, 2, 5, 6, 7, 8].iter().map(|i| format!("{}, {value}, 0, 0, 0\n", i * 500)).collect()
    };
    fs::write(folder.path().join("idle_iops.1.log"), rows(100)).unwrap();
    fs::write(folder.path().join("idle_lat.1.log"), rows(2_000_000)).unwrap();
    let campaign = campaign(&[folder.path()]);
    let series = |metric| campaign.runs[0].total_series(metric, Ddir::Read).unwrap().values.clone();
    assert_eq!(series(Metric::Iops)[2..4], [Some(0.0), Some(0.0)]);
    assert_eq!(series(Metric::Lat)[2..4], [None, None]);
    assert_eq!(series(Metric::Lat)[4], Some(2_000_000.0));
    // 100 IOPS in 6 of 8 windows.
    assert_eq!(mean(&campaign.runs[0], Metric::Iops, Ddir::Read, Origin::Log), 75.0);
}

#[test]
fn latency_of_jobs_pools_by_completions() {
    let folder = tempfile::tempdir().unwrap();
    // Job 1: 300 IOPS at 1 ms; job 2: 100 IOPS at 9 ms. Pooled: (300 + 900) / 400 = 3 ms, not 5.
    for (job, iops, lat) in [(1, 300, 1_000_000), (2, 100, 9_000_000)] {
        for (kind, value) in [("iops", iops), ("lat", lat)] {
            let rows: String = (1..=20).map(|i| format!("{}, {value}, 0, 0, 0\n", i * 500)).collect();
            fs::write(folder.path().join(format!("pool_{kind}.{job}.log")), rows).unwrap();
        }
    }
    let campaign = campaign(&[folder.path()]);
    assert_near(mean(&campaign.runs[0], Metric::Lat, Ddir::Read, Origin::Log), 3e6, 1e-9, "pooled latency");
}

#[test]
fn rates_of_three_iops_are_read_within_ten_percent() {
    let Some(path) = public("C01", "") else { return };
    let campaign = campaign(&[&path]);
    let (compared, worst) = assert_logs_match(&campaign, &[Metric::Iops, Metric::Bw], |_, _| 0.10);
    eprintln!("C01: {compared} pairs, worst {:.2} %", worst * 100.0);
    assert!(compared >= 40, "{compared}");
}

#[test]
fn raid_levels_and_chunks_of_a_public_campaign_agree_and_one_output_of_many_owns_the_logs() {
    let Some(path) = public("C02", "") else { return };
    let campaign = campaign(&[&path]);
    let (compared, worst) = assert_logs_match(&campaign, &[Metric::Iops, Metric::Bw], |_, _| 0.05);
    eprintln!("C02: {compared} pairs, worst {:.2} %", worst * 100.0);
    assert!(compared >= 50, "{compared}");
    let owners: Vec<&str> = campaign
        .runs
        .iter()
        .filter(|r| r.run.sources.iter().any(|s| s.path.contains("random-read-depth-16_")))
        .map(|r| r.run.label.as_str())
        .collect();
    assert!(!owners.is_empty() && owners.iter().all(|o| *o == "randwrite-16-64"), "{owners:?}");
    let said = campaign.diagnostics.iter().find(|d| d.path.contains("random-read-depth-16_")).unwrap();
    assert!(said.message.contains("randwrite-16-64.json fits them"), "{}", said.message);
    assert_eq!(said.severity, Severity::Warning);
}

#[test]
fn four_appended_jobs_are_summed_when_the_user_says_that_they_ran_together() {
    let Some(path) = public("C03", "filestore/fourjobs") else { return };
    let options = IngestOptions { appended: Appended::Concurrent, ..IngestOptions::default() };
    let campaign = campaign_with(&[&path], &options);
    let record = run(&campaign, "read-4k#1");
    // The group total of the human output beside it: 87,102 KiB/s.
    assert_near(mean(record, Metric::Bw, Ddir::Read, Origin::Log), 87_098.0 * 1024.0, 0.02, "bw");
}

#[test]
fn a_log_of_millions_of_ios_gives_the_true_bandwidth() {
    let Some(path) = shared("corpus/fio-versions/3.33/big_perio") else { return };
    let campaign = campaign(&[&path]);
    let record = &campaign.runs[0];
    let bw: f64 = record.ddirs(Metric::Bw).iter().map(|&d| mean(record, Metric::Bw, d, Origin::Log)).sum();
    // 4434 MiB/s by the tool's summary; the mean of the rows would be 226 GB/s.
    assert_near(bw / MIB, 4434.0, 0.05, "MiB/s");
}

#[test]
fn latencies_of_old_and_new_fio_are_in_the_right_unit() {
    let Some(path) = shared("corpus/fio-versions") else { return };
    // `lat avg` of read and write in usec, from the normal output beside the logs.
    let printed = [
        ("2.0.9", 144.43, 268.55),
        ("2.1.10", 55.73, 85.24),
        ("2.2.10", 91.37, 135.36),
        ("2.21", 81.45, 109.25),
        ("3.1", 85.74, 131.98),
        ("3.16", 119.08, 213.03),
        ("3.28", 106.77, 155.12),
        ("3.42-head", 112.35, 188.25),
    ];
    let campaign = campaign(&[&path]);
    for (version, read, write) in printed {
        let record = run(&campaign, &format!("{version}/avg500_randrw/out"));
        for (ddir, usec) in [(Ddir::Read, read), (Ddir::Write, write)] {
            // Windows of old versions drift; a wrong unit would be off by 1000.
            let log = mean(record, Metric::Lat, ddir, Origin::Log);
            assert_near(log, usec * 1000.0, 0.20, &format!("fio {version} {ddir}"));
        }
    }
}

#[test]
fn the_same_inputs_in_any_order_and_by_any_thread_count_are_the_same_campaign() {
    let (a, b) = (sample("level-sweep"), sample("special"));
    let one = IngestOptions { threads: Some(1), ..IngestOptions::default() };
    let two = IngestOptions { threads: Some(2), ..IngestOptions::default() };
    let first = campaign_with(&[&a, &b], &one);
    let second = campaign_with(&[&b, &a, Path::new(&a)], &two);
    assert_eq!(serde_json::to_string(&first).unwrap(), serde_json::to_string(&second).unwrap());
}
