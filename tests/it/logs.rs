//! Histogram logs, compressed logs and what fio's JSON holds over time, against fio's own figures.

use crate::support::{assert_near, campaign, campaign_under, mean, public, shared};
use plotgen::analyze::AnalyzeOptions;
use plotgen::model::{Campaign, Ddir, Measure, Metric, Origin, RunRecord, Series, Stat};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A percentile of completion latency of one origin.
fn clat(record: &RunRecord, ddir: Ddir, stat: Stat, origin: Origin) -> Option<(f64, bool)> {
    let statistic = record.statistic_from(Measure { metric: Metric::Clat, stat }, ddir, origin)?;
    Some((statistic.value, statistic.supported))
}

/// Asserts that the percentiles of the histogram logs are within `buckets` of 1.6 % of fio's own; how many were compared.
fn assert_percentiles(campaign: &Campaign, id: &str, buckets: f64) -> usize {
    let mut compared = 0;
    for record in campaign.runs.iter().filter(|r| r.run.id.ends_with(id)) {
        for ddir in record.ddirs(Metric::Clat) {
            for stat in [Stat::P50, Stat::P90, Stat::P95, Stat::P99, Stat::P999] {
                let log = clat(record, ddir, stat, Origin::Log);
                let reported = clat(record, ddir, stat, Origin::Reported);
                let (Some((log, true)), Some((reported, _))) = (log, reported) else { continue };
                let apart = (log / reported - 1.0).abs();
                assert!(
                    apart <= buckets / 64.0 + 1e-9,
                    "{} {ddir} {stat}: {log} against {reported}",
                    record.run.id
                );
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn percentiles_of_histogram_logs_are_those_that_fio_printed_within_a_bucket() {
    let Some(path) = shared("raid-campaign") else { return };
    let campaign = campaign(&[&path]);
    let compared = assert_percentiles(&campaign, "_hist_run1", 1.0);
    assert!(compared >= 8, "{compared}");
    for record in campaign.runs.iter().filter(|r| r.run.id.ends_with("_hist_run1")) {
        // The windowed log of the same run has the mean, the histogram log the percentiles.
        let mean = record.statistic_from(Measure::mean(Metric::Clat), Ddir::Read, Origin::Log);
        assert!(mean.is_some_and(|s| s.value > 1e6), "{}", record.run.id);
        assert!(record.total_series(Metric::Clat, Ddir::Read).is_some());
        let said = campaign
            .diagnostics
            .iter()
            .find(|d| d.path == record.run.id && d.message.contains("histogram log holds"));
        let count = record.run.jobs[0].ios[&Ddir::Read].to_string();
        assert!(said.is_some_and(|d| d.message.contains(&count)), "{said:?}");
    }
}

/// The percentile tables of fio's normal output, in ns: by direction, `(percent, value)`.
fn printed_percentiles(text: &str) -> Vec<(Ddir, Vec<(f64, f64)>)> {
    let mut tables: Vec<(Ddir, Vec<(f64, f64)>)> = Vec::new();
    let (mut ddir, mut unit, mut inside) = (Ddir::Read, 1.0, false);
    for line in text.lines() {
        let word = line.trim_start();
        if word.starts_with("read") && word.contains(':') {
            ddir = Ddir::Read;
        } else if word.starts_with("write") && word.contains(':') {
            ddir = Ddir::Write;
        }
        if let Some((_, rest)) = line.split_once("clat percentiles (") {
            unit = if rest.starts_with('n') {
                1.0
            } else if rest.starts_with('u') {
                1e3
            } else {
                1e6
            };
            inside = true;
            tables.push((ddir, Vec::new()));
        } else if inside && word.starts_with('|') {
            for cell in word.trim_start_matches('|').split(',') {
                let Some((percent, value)) = cell.split_once("th=[") else { continue };
                let value: f64 = value.trim_end_matches(']').trim().parse().unwrap();
                tables.last_mut().unwrap().1.push((percent.trim().parse().unwrap(), value * unit));
            }
        } else {
            inside = false;
        }
    }
    tables
}

#[test]
fn coarse_histogram_logs_are_within_their_coarseness_of_what_fio_printed() {
    let Some(root) = shared("corpus/fio-versions") else { return };
    // Folder, log_hist_coarseness.
    let runs = [
        ("2.21/hist_500", 0),
        ("3.1/hist_500", 0),
        ("3.28/hist_500", 0),
        ("3.33/hist_500", 0),
        ("3.33/hist_coarse3", 3),
        ("3.42-head/hist_500", 2),
    ];
    let mut whole = 0;
    for (folder, coarseness) in runs {
        let campaign = campaign(&[&root.join(folder)]);
        let record = campaign.runs.iter().find(|r| !r.run.series.is_empty()).unwrap();
        let text = fs::read_to_string(root.join(folder).join("out.txt")).unwrap();
        let mut compared = 0;
        for (ddir, table) in printed_percentiles(&text) {
            let histogram = record.run.timed_histogram(Metric::Clat, ddir).unwrap().total();
            // A log that lacks its last windows (up to half of the I/Os here) has other percentiles than the run.
            let issued = record.run.jobs[0].ios.get(&ddir).copied().unwrap_or(0);
            if histogram.count() * 20 < issued * 19 {
                continue;
            }
            // The tail window is in no row, so the last percentiles may differ by more than the bins.
            for (percent, printed) in table.into_iter().filter(|(p, _)| (5.0..=95.0).contains(p)) {
                let value = histogram.quantile(percent / 100.0).unwrap();
                let allowed = f64::from(1 << coarseness) / 64.0 + 0.05;
                let apart = (value / printed - 1.0).abs();
                assert!(apart <= allowed, "{folder} {ddir} p{percent}: {value} against {printed}");
                compared += 1;
            }
        }
        whole += usize::from(compared >= 10);
    }
    assert!(whole >= 1, "no histogram log holds its whole run");
}

/// A figure with its suffix as fio prints rates: `23.5k`, `91.8MiB/s`, `99936KB/s`. KB is 1024 before fio 2.17.
fn printed(text: &str, binary: bool) -> f64 {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().unwrap_or(f64::NAN);
    let suffix = &text[digits..];
    let thousand = if binary || suffix.contains("iB") { 1024.0 } else { 1000.0f64 };
    let power = match suffix.chars().next().map(|c| c.to_ascii_lowercase()) {
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        _ => 0,
    };
    number * thousand.powi(power)
}

/// Bandwidth (B/s) and IOPS that fio's normal output prints for a direction, all jobs together.
fn printed_rates(text: &str) -> Vec<(Ddir, Metric, f64)> {
    let mut sums: Vec<(Ddir, Metric, f64)> = Vec::new();
    for line in text.lines().map(str::trim_start) {
        let Some((word, rest)) = line.split_once(':') else { continue };
        let ddir = match word.trim_end() {
            "read" => Ddir::Read,
            "write" => Ddir::Write,
            "trim" => Ddir::Trim,
            _ => continue,
        };
        for part in rest.split(',').map(str::trim) {
            let found = if let Some(value) = part.strip_prefix("IOPS=") {
                Some((Metric::Iops, printed(value, false)))
            } else if let Some(value) = part.strip_prefix("iops=") {
                Some((Metric::Iops, printed(value.trim(), false)))
            } else if let Some(value) = part.strip_prefix("BW=") {
                Some((Metric::Bw, printed(value, true)))
            } else {
                part.strip_prefix("bw=").map(|value| (Metric::Bw, printed(value, true)))
            };
            let Some((metric, value)) = found else { continue };
            match sums.iter_mut().find(|(d, m, _)| (*d, *m) == (ddir, metric)) {
                Some((_, _, sum)) => *sum += value,
                None => sums.push((ddir, metric, value)),
            }
        }
    }
    sums
}

/// What fio's own logs lose, by its manual and its tracker: folder, and how far rows and summary are apart.
///
/// Before 3.0 windows drifted and vanished; at a few I/Os a second whole numbers and idle windows tell; a job that
/// thinks between bursts has no row for its last pause.
const KNOWN_LOSSES: [(&str, f64); 9] = [
    ("2.0.9/avg500_randrw", 0.10),
    ("2.2.10/avg1000_4jobs", 0.37),
    ("2.2.10/avg500_randrw", 0.70),
    ("2.2.10/perjob0_4jobs", 0.21),
    ("2.21/avg500_randrw", 0.11),
    ("3.33/bssplit_perio", 0.25),
    ("3.33/slow_rate1", 0.16),
    ("3.33/stalls_thinktime", 0.17),
    ("1.38/perio_randrw", 0.05),
];

#[test]
fn logs_of_every_version_have_the_rates_that_fio_printed_beside_them() {
    let Some(root) = shared("corpus/fio-versions") else { return };
    let below = |path: &Path| -> Vec<PathBuf> {
        fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect()
    };
    let mut compared = 0;
    for folder in below(&root).iter().flat_map(|version| below(version)) {
        let name = folder.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let Ok(text) = fs::read_to_string(folder.join("out.txt")) else { continue };
        let campaign = campaign(&[&folder]);
        let runs: Vec<&RunRecord> = campaign.runs.iter().filter(|r| !r.run.series.is_empty()).collect();
        let [record] = runs.as_slice() else { continue };
        let loss = KNOWN_LOSSES.iter().find(|(folder, _)| *folder == name).map_or(0.05, |&(_, loss)| loss);
        for (ddir, metric, value) in printed_rates(&text) {
            let log = mean(record, metric, ddir, Origin::Log);
            if !log.is_nan() && value > 0.0 {
                assert_near(log, value, loss, &format!("{name} {metric} {ddir}"));
                compared += 1;
            }
        }
    }
    assert!(compared >= 120, "{compared}");
}

#[test]
fn a_log_beside_its_packed_self_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (1..=20).map(|i| format!("{}, 100, 0, 0, 0\n", i * 500)).collect();
    for name in ["a_iops.1.log", "a_iops.1.log.txt"] {
        fs::write(folder.path().join(name), &rows).unwrap();
    }
    let campaign = campaign(&[folder.path()]);
    assert_eq!(mean(&campaign.runs[0], Metric::Iops, Ddir::Read, Origin::Log), 100.0);
    let twin = campaign.files.iter().find(|f| f.path.ends_with(".txt")).unwrap();
    assert!(twin.reason.contains("the same log as a_iops.1.log"), "{}", twin.reason);
}

/// Rows of bandwidth, KiB/s.
fn bw_rows(ddir: u8, values: &[u64]) -> String {
    (1..).zip(values).map(|(i, value)| format!("{}, {value}, {ddir}, 0, 0\n", i * 500)).collect()
}

#[test]
fn bandwidth_of_all_jobs_together_is_one_run_with_a_series_of_no_job() {
    let folder = tempfile::tempdir().unwrap();
    for (name, ddir, values) in
        [("read", 0, [100, 0, 200, 100]), ("write", 1, [50, 50, 50, 50]), ("trim", 2, [0, 0, 0, 0])]
    {
        fs::write(folder.path().join(format!("agg-{name}_bw.log")), bw_rows(ddir, &values)).unwrap();
    }
    let campaign = campaign(&[folder.path()]);
    let [record] = campaign.runs.as_slice() else { panic!("{} runs", campaign.runs.len()) };
    assert_eq!(record.ddirs(Metric::Bw), [Ddir::Read, Ddir::Write]);
    assert_eq!(mean(record, Metric::Bw, Ddir::Read, Origin::Log), 100.0 * 1024.0);
    assert!(record.run.series.iter().all(|s| s.job == Series::ALL_JOBS));
    assert_eq!(record.total_series(Metric::Bw, Ddir::Read).unwrap().values[1], Some(0.0));
}

#[test]
fn bandwidth_of_all_jobs_together_is_not_added_to_that_of_the_jobs() {
    let folder = tempfile::tempdir().unwrap();
    for job in 1..=2 {
        fs::write(folder.path().join(format!("a_bw.{job}.log")), bw_rows(0, &[100; 10])).unwrap();
    }
    fs::write(folder.path().join("agg-read_bw.log"), bw_rows(0, &[200; 10])).unwrap();
    let campaign = campaign(&[folder.path()]);
    let [record] = campaign.runs.as_slice() else { panic!("{} runs", campaign.runs.len()) };
    assert_eq!(mean(record, Metric::Bw, Ddir::Read, Origin::Log), 200.0 * 1024.0);
    let aggregate = campaign.files.iter().find(|f| f.path.ends_with("agg-read_bw.log")).unwrap();
    assert!(aggregate.reason.contains("all jobs together"), "{}", aggregate.reason);
}

#[test]
fn logs_in_folders_of_hosts_are_jobs_of_the_client_that_drove_them() {
    let Some(path) = public("C10", "") else { return };
    let campaign = campaign(&[&path]);
    let [record] = campaign.runs.as_slice() else { panic!("{} runs", campaign.runs.len()) };
    assert_eq!(record.run.jobs.len(), 10);
    // The mean over all clients that the campaign's own tools worked out.
    assert_near(mean(record, Metric::Iops, Ddir::Read, Origin::Log), 93_404.891_349, 0.0005, "iops");
    assert_near(mean(record, Metric::Iops, Ddir::Read, Origin::Reported), 93_404.891_349, 0.005, "iops");
    // fio 3.7 wrote rubbish into histogram logs.
    let refused = campaign.diagnostics.iter().filter(|d| d.message.contains("axboe/fio #827")).count();
    assert_eq!(refused, 10);
}

#[test]
fn logs_that_carry_the_host_in_their_name_are_its_jobs() {
    let Some(path) = shared("corpus/fio-versions/3.33/client_server") else { return };
    let campaign = campaign(&[&path]);
    let record = campaign.runs.iter().find(|r| r.run.series.iter().any(|s| s.metric == Metric::Bw)).unwrap();
    let jobs: BTreeSet<usize> = record.run.series.iter().map(|s| s.job).collect();
    assert_eq!(jobs, BTreeSet::from([0, 1]));
    // `All clients` is the sum over the jobs and no job.
    assert_eq!(record.run.jobs.len(), 2);
}

#[test]
fn reports_of_a_run_that_goes_on_have_a_course_and_agree_with_the_last_of_them() {
    let Some(path) = shared("corpus/fio-versions/3.33/json_status_interval") else { return };
    let campaign = campaign(&[&path]);
    let record = &campaign.runs[0];
    let values = &record.total_series(Metric::Iops, Ddir::Read).unwrap().values;
    assert_eq!(values.len(), 4);
    assert!(values.iter().flatten().all(|v| (32_000.0..45_000.0).contains(v)), "{values:?}");
    let reported = mean(record, Metric::Iops, Ddir::Read, Origin::Reported);
    assert_near(mean(record, Metric::Iops, Ddir::Read, Origin::Log), reported, 0.001, "iops");
}

#[test]
fn inspect_says_how_sure_it_is_of_a_latency_unit() {
    let folder = tempfile::tempdir().unwrap();
    let rows =
        |columns: &str| -> String { (1..=20).map(|i| format!("{}, 250{columns}\n", i * 500)).collect() };
    fs::write(folder.path().join("old_lat.1.log"), rows(", 0, 0")).unwrap();
    let campaign = campaign(&[folder.path()]);
    let layout = campaign.files[0].layout.clone().unwrap();
    assert!(layout.ends_with("latency in us (guessed from the values)"), "{layout}");
    // The JSON beside it names its version.
    let beside = lat_layout("level-sweep");
    assert!(beside.ends_with("latency in ns (known)"), "{beside}");
}

fn lat_layout(sample_folder: &str) -> String {
    let campaign = campaign(&[&crate::support::sample(sample_folder)]);
    let lat = campaign.files.iter().find(|file| file.path.ends_with("_lat.1.log")).unwrap();
    lat.layout.clone().unwrap()
}

#[test]
fn a_copy_of_an_output_does_not_take_the_logs_of_the_one_with_their_name() {
    let dir = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(crate::support::sample("level-sweep")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("raid5_") && name.contains("_randread_") && name.contains("_run1") {
            std::fs::copy(&path, dir.path().join(name)).unwrap();
            if name.ends_with(".json") {
                // Before the other in the order of names.
                std::fs::copy(&path, dir.path().join("a_copy.json")).unwrap();
            }
        }
    }
    let data = crate::support::campaign(&[dir.path()]);
    let logged: Vec<&str> =
        data.runs.iter().filter(|run| !run.run.series.is_empty()).map(|run| run.run.id.as_str()).collect();
    assert_eq!(logged, ["raid5_chunk64k_randread_qd4_run1"]);
}

#[test]
fn rows_that_are_the_largest_of_their_windows_make_no_mean() {
    let dir = tempfile::tempdir().unwrap();
    let option = |value: &str| {
        let output = serde_json::json!({
            "fio version": "fio-3.33",
            "jobs": [{
                "jobname": "slow", "job_runtime": 10_000,
                "job options": {
                    "rw": "randread", "bs": "4k", "iodepth": "4", "log_avg_msec": "1000", "log_max_value": value,
                    "write_lat_log": "slow"
                },
                "read": {
                    "iops": 1000.0, "bw_bytes": 4_096_000, "runtime": 10_000, "total_ios": 10_000,
                    "lat_ns": {"min": 1_000_000, "max": 81_000_000, "mean": 4e6, "stddev": 1e6, "N": 10_000}
                }
            }]
        });
        std::fs::write(dir.path().join("slow.json"), output.to_string()).unwrap();
        campaign(&[dir.path()])
    };
    let windows = [50, 80, 65, 50, 60, 70, 55, 65, 75, 80];
    let rows = (1..).zip(windows).map(|(second, ms)| format!("{second}000, {ms}000000, 0, 0\n"));
    std::fs::write(dir.path().join("slow_lat.1.log"), rows.collect::<String>()).unwrap();
    let of = |campaign: &Campaign, stat| {
        let measure = Measure { metric: Metric::Lat, stat };
        campaign.runs[0].statistic_from(measure, Ddir::Read, Origin::Log).map(|s| s.value)
    };
    let means = option("0");
    assert_eq!((of(&means, Stat::Mean), of(&means, Stat::Max)), (Some(65e6), None));
    let largest = option("1");
    assert_eq!((of(&largest, Stat::Mean), of(&largest, Stat::Max)), (None, Some(80e6)));
    let values = &largest.runs[0].total_series(Metric::Lat, Ddir::Read).unwrap().values;
    assert_eq!(*values, windows.map(|ms| Some(f64::from(ms) * 1e6)));
    assert!(largest.runs[0].steady_state(Metric::Lat, Ddir::Read).is_none());
    let said = |campaign: &Campaign| {
        campaign
            .diagnostics
            .iter()
            .any(|d| d.message.contains("each row of the log is the largest of its window"))
    };
    assert!(said(&largest) && !said(&means));
}

#[test]
fn a_direction_that_ends_before_the_other_is_idle_from_then_on() {
    let dir = tempfile::tempdir().unwrap();
    let row = |window: u64, iops: u64, ddir: u64| format!("{}, {iops}, {ddir}, 0\n", window * 1000);
    let reads = (1..=12)
        .map(|window| row(window, 1000, 0) + &if window <= 3 { row(window, 400, 1) } else { String::new() });
    fs::write(dir.path().join("mix_iops.1.log"), reads.collect::<String>()).unwrap();
    let whole = campaign(&[dir.path()]);
    let of = |campaign: &Campaign, stat| {
        let measure = Measure { metric: Metric::Iops, stat };
        campaign.runs[0].statistic_from(measure, Ddir::Write, Origin::Log).map_or(f64::NAN, |s| s.value)
    };
    // 400 three times and 0 nine times: deviations of 300 and 100, sqrt((3 * 300^2 + 9 * 100^2) / 11).
    assert_eq!((of(&whole, Stat::Mean), of(&whole, Stat::Min), of(&whole, Stat::Max)), (100.0, 0.0, 400.0));
    assert_near(of(&whole, Stat::Stddev), 180.9068, 1e-4, "standard deviation");
    // fio 2.21 lost the last window of reads alone: one that is missing is not known to be idle.
    let lost = (1..=12)
        .map(|window| row(window, 1000, 0) + &if window < 12 { row(window, 400, 1) } else { String::new() });
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("mix_iops.1.log"), lost.collect::<String>()).unwrap();
    assert_eq!(of(&campaign(&[other.path()]), Stat::Min), 400.0);
    // A part behind its end still has it.
    let options = AnalyzeOptions { from_ms: Some(6000.0), ..AnalyzeOptions::default() };
    let part = campaign_under(&[dir.path()], &options);
    assert_eq!((of(&part, Stat::Mean), of(&part, Stat::Max)), (0.0, 0.0));
}

#[test]
fn what_ends_right_behind_the_end_of_a_run_is_no_part_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let row = |ms: u64| format!("{ms}, 1, 0, 4096\n");
    // 100 I/Os a second for 30 s; four that were in flight end some ms later, which would be 667 a second.
    let rows = (1..=3000).map(|i| i * 10).chain([30_004, 30_005, 30_005, 30_006]).map(row);
    fs::write(dir.path().join("reads_iops.1.log"), rows.collect::<String>()).unwrap();
    let from = |ms: f64| {
        let options = AnalyzeOptions { from_ms: Some(ms), ..AnalyzeOptions::default() };
        let part = campaign_under(&[dir.path()], &options);
        let measure = Measure { metric: Metric::Iops, stat: Stat::Mean };
        part.runs[0].statistic_from(measure, Ddir::Read, Origin::Log).map(|s| s.value)
    };
    assert_eq!(from(30_000.0), None);
    assert_near(from(28_000.0).unwrap(), 100.0, 1.0, "the last two seconds");
}
