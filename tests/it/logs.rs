//! Histogram logs, compressed logs and what fio's JSON holds over time, against fio's own figures.

use crate::support::{campaign, shared};
use plotgen::model::{Campaign, Ddir, Measure, Metric, Origin, RunRecord, Stat};

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
    // Folder, log_hist_coarseness. Rows of 2.21 are few: its run ended within a window.
    let runs = [
        ("3.1/hist_500", 0),
        ("3.28/hist_500", 0),
        ("3.33/hist_500", 0),
        ("3.33/hist_coarse3", 3),
        ("3.42-head/hist_500", 2),
    ];
    for (folder, coarseness) in runs {
        let campaign = campaign(&[&root.join(folder)]);
        let record = campaign.runs.iter().find(|r| !r.run.series.is_empty()).unwrap();
        let text = std::fs::read_to_string(root.join(folder).join("out.txt")).unwrap();
        let mut compared = 0;
        for (ddir, table) in printed_percentiles(&text) {
            let histogram = record.run.timed_histogram(Metric::Clat, ddir).unwrap().total();
            // The tail window is in no row, so the last percentiles may differ by more than the bins.
            for (percent, printed) in table.into_iter().filter(|(p, _)| (5.0..=95.0).contains(p)) {
                let value = histogram.quantile(percent / 100.0).unwrap();
                let allowed = f64::from(1 << coarseness) / 64.0 + 0.05;
                let apart = (value / printed - 1.0).abs();
                assert!(apart <= allowed, "{folder} {ddir} p{percent}: {value} against {printed}");
                compared += 1;
            }
        }
        assert!(compared >= 10, "{folder}: {compared}");
    }
}
