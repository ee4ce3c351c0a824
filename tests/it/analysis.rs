//! What the analysis concludes from the sample campaign, whose truth is known: six drives of 75 IOPS.

use crate::support::{assert_near, campaign, campaign_under, sample, shared};
use plotgen::analyze::AnalyzeOptions;
use plotgen::model::{Campaign, Comparison, Ddir, Metric, Pair, Verdict};

fn comparison<'a>(campaign: &'a Campaign, by: &str, metric: Metric, ddir: Ddir) -> &'a Comparison {
    let found: Vec<&Comparison> = campaign
        .comparisons
        .iter()
        .filter(|c| c.by.as_str() == by && c.metric == metric && c.ddir == ddir)
        .collect();
    assert_eq!(found.len(), 1, "{by} {metric} {ddir}");
    found[0]
}

/// The pair of two values, `a` first.
fn pair<'a>(comparison: &'a Comparison, a: &str, b: &str) -> (&'a Pair, bool) {
    let found = comparison.pairs.iter().find_map(|p| match (p.a.as_str(), p.b.as_str()) {
        (x, y) if x == a && y == b => Some((p, false)),
        (x, y) if x == b && y == a => Some((p, true)),
        _ => None,
    });
    found.unwrap()
}

fn text(campaign: &Campaign, kind: &str) -> Vec<String> {
    campaign.findings.iter().filter(|f| f.kind == kind).map(|f| f.text.clone()).collect()
}

#[test]
fn raid_10_writes_twice_as_fast_as_raid_5_and_the_interval_says_how_surely() {
    let campaign = campaign(&[&sample("level-sweep")]);
    let writes = comparison(&campaign, "raid", Metric::Iops, Ddir::Write);
    let (pair, turned) = pair(writes, "10", "5");
    let (ratio, low, high) = match turned {
        false => (pair.ratio.unwrap(), pair.low.unwrap(), pair.high.unwrap()),
        true => (1.0 / pair.ratio.unwrap(), 1.0 / pair.high.unwrap(), 1.0 / pair.low.unwrap()),
    };
    // Geometric means of the three `iops` of each level in the JSON files.
    assert_near(ratio, 2.155, 0.001, "ratio");
    assert_near(low, 2.13, 0.003, "lower end");
    assert_near(high, 2.18, 0.003, "upper end");
    assert_eq!(pair.verdict, if turned { Verdict::Worse } else { Verdict::Better });
    let winner = &text(&campaign, "winner")[0];
    assert!(
        winner.contains("RAID 10 writes 210 IOPS, 2.16 times RAID 5 (95 % interval 2.13 to 2.18, n = 3)"),
        "{winner}"
    );
}

#[test]
fn reads_of_raid_10_and_raid_6_are_too_close_to_call() {
    let campaign = campaign(&[&sample("level-sweep")]);
    let reads = comparison(&campaign, "raid", Metric::Iops, Ddir::Read);
    let (pair, turned) = pair(reads, "10", "6");
    let ratio = pair.ratio.unwrap();
    assert_near(if turned { 1.0 / ratio } else { ratio }, 1.046, 0.001, "ratio");
    assert_eq!(pair.verdict, Verdict::Inconclusive);
}

#[test]
fn single_runs_of_a_chunk_sweep_carry_no_verdict_and_the_report_says_why() {
    let campaign = campaign(&[&sample("chunk-sweep")]);
    for comparison in campaign.comparisons.iter().filter(|c| c.by.as_str() == "chunk") {
        assert!(
            comparison.pairs.iter().all(|p| p.verdict == Verdict::Inconclusive && p.p_adjusted.is_none())
        );
    }
    assert!(text(&campaign, "winner").is_empty() && text(&campaign, "no-difference").is_empty());
    let said = text(&campaign, "too-few-repeats");
    assert!(
        said[0].starts_with("No verdict on chunk size: single runs cannot tell a difference from chance"),
        "{said:?}"
    );
}

#[test]
fn the_knee_of_the_throttled_array_is_at_depth_4() {
    let campaign = campaign(&[&sample("qd-sweep")]);
    let knee = campaign.findings.iter().find(|f| f.kind == "knee").unwrap();
    assert_eq!(knee.values["level"], 4.0);
    // 421.65 -> 429.37 IOPS and 9.435 -> 18.578 ms in the JSON files.
    assert_near(knee.values["iops-gain"], 0.0183, 0.01, "IOPS");
    assert_near(knee.values["lat-gain"], 0.9691, 0.01, "latency");
}

#[test]
fn mechanical_drives_still_grow_at_depth_64() {
    let Some(path) = shared("raid-campaign/mech7200/qd-sweep") else { return };
    let campaign = campaign(&[&path]);
    assert!(campaign.findings.iter().all(|f| f.kind != "knee"));
    assert_eq!(text(&campaign, "no-knee").len(), 1);
}

#[test]
fn an_outlier_among_three_repeats_forbids_a_verdict() {
    let Some(path) = shared("raid-campaign/mech7200/level-sweep") else { return };
    let campaign = campaign(&[&path]);
    // RAID 10 reads 475, 495 and 381: no verdict against RAID 0 can stand on that.
    let (pair, _) = pair(comparison(&campaign, "raid", Metric::Iops, Ddir::Read), "10", "0");
    assert_eq!(pair.verdict, Verdict::Inconclusive);
}

#[test]
fn a_percentile_over_repeats_is_that_of_all_their_ios() {
    let campaign = campaign(&[&sample("level-sweep")]);
    let measure = plotgen::model::Measure { metric: Metric::Clat, stat: plotgen::model::Stat::P99 };
    let by = [plotgen::model::Dimension::Raid];
    let cells = plotgen::analyze::repeat::cells(&campaign, &Default::default(), measure, Ddir::Write, &by);
    let cell = cells.iter().find(|c| c.key[0].as_ref().is_some_and(|v| v.as_str() == "10")).unwrap();
    // By a script of a few lines: the `bins` of the three JSON files added up, nearest rank.
    assert_near(cell.mean, 55_836_672.0, 1e-3, "p99");
    assert_eq!(cell.interval, None);
    assert_eq!(cell.values.len(), 3);
}

#[test]
fn in_a_mix_of_reads_and_writes_latencies_are_told_where_rates_are_equal() {
    let dir = tempfile::tempdir().unwrap();
    for (fs, read, write) in [("ext4", 5.2e6, 1.2e6), ("xfs", 4e6, 4e6)] {
        for (repeat, share) in [(1, 0.999), (2, 1.0), (3, 1.001)] {
            let side = |iops: f64, lat: f64| {
                serde_json::json!({
                    "iops": iops * share, "bw_bytes": iops * share * 4096.0, "runtime": 60_000,
                    "total_ios": iops * 60.0, "io_bytes": iops * 60.0 * 4096.0,
                    "lat_ns": {"min": 1e6, "max": 9e6, "mean": lat / share, "stddev": 1e5, "N": iops * 60.0}
                })
            };
            let output = serde_json::json!({
                "fio version": "fio-3.33",
                "jobs": [{
                    "jobname": "mix", "job_runtime": 60_000, "read": side(700.0, read), "write": side(300.0, write),
                    "job options": {"rw": "randrw", "rwmixread": "70", "bs": "4k", "iodepth": "4", "direct": "1"}
                }]
            });
            std::fs::write(dir.path().join(format!("{fs}_run{repeat}.json")), output.to_string()).unwrap();
        }
    }
    let campaign = campaign(&[dir.path()]);
    // Both sides of 4 I/Os in flight: 0.7 * 5.2 ms + 0.3 * 1.2 ms = 4 ms, so that rates are equal. 5.2 / 4 and 4 / 1.2.
    assert!(text(&campaign, "winner").is_empty());
    let said = text(&campaign, "latency-of-mix");
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].starts_with("Random read and write, reads: ext4 takes 1.30 times as long as xfs (95 %"),
        "{said:?}"
    );
    assert!(said[0].ends_with("n = 3), 5.20 ms and 4.00 ms."), "{said:?}");
    assert!(
        said[1].starts_with("Random read and write, writes: xfs takes 3.33 times as long as ext4 (95 %"),
        "{said:?}"
    );
    let equal = text(&campaign, "no-difference");
    assert!(equal[0].contains("reads: ") && equal[1].contains("writes: "), "{equal:?}");
}

#[test]
fn a_limit_of_ones_own_is_that_of_the_findings_and_names_what_nothing_stands_beside() {
    // Means of `lat_ns` in the JSON files: 9.3 to 9.9 ms for reads, 18.9 and more for writes of RAID 10, 5 and 6.
    let options = AnalyzeOptions { limits: [(Metric::Lat, 30e6)].into(), ..AnalyzeOptions::default() };
    let limited = campaign_under(&[&sample("level-sweep")], &options);
    let said = text(&limited, "limit");
    assert!(said[0].starts_with("Mean latency is above the limit of 30.0 ms, in 6 of 24 runs. "), "{said:?}");
    let lone = tempfile::tempdir().unwrap();
    for (name, rw, ms) in [("slow", "randwrite", 40), ("fast", "randread", 4)] {
        let lat =
            serde_json::json!({"min": 1e6, "max": 9e8, "mean": ms * 1_000_000, "stddev": 1e5, "N": 1000});
        let output = serde_json::json!({
            "fio version": "fio-3.33",
            "jobs": [{
                "jobname": name, "job_runtime": 10_000, "job options": {"rw": rw, "bs": "4k"},
                rw.trim_start_matches("rand"): {"iops": 100.0, "bw_bytes": 409_600, "runtime": 10_000, "total_ios": 1000, "lat_ns": lat}
            }]
        });
        std::fs::write(lone.path().join(format!("{name}.json")), output.to_string()).unwrap();
    }
    let said = text(&campaign(&[&lone.path().join("slow.json"), &lone.path().join("fast.json")]), "limit");
    assert!(
        said[0].ends_with("in 1 of 2 runs. slow (40.0 ms).") || said[0].contains("(40.0 ms)"),
        "{said:?}"
    );
}

/// Three repeats of each configuration, of which reads have these IOPS; `name` is that of the files.
fn reads(dir: &std::path::Path, name: &str, bs: (&str, f64), repeats: [f64; 3]) {
    for (repeat, iops) in (1..).zip(repeats) {
        let output = serde_json::json!({
            "fio version": "fio-3.33",
            "jobs": [{
                "jobname": "reads", "job_runtime": 60_000, "job options": {"rw": "randread", "bs": bs.0},
                "read": {"iops": iops, "bw_bytes": iops * bs.1, "runtime": 60_000, "total_ios": iops * 60.0}
            }]
        });
        std::fs::write(dir.join(format!("{name}_run{repeat}.json")), output.to_string()).unwrap();
    }
}

#[test]
fn block_sizes_are_ranked_by_the_data_that_they_move() {
    let dir = tempfile::tempdir().unwrap();
    reads(dir.path(), "bs4k", ("4k", 4096.0), [1000.0, 1001.0, 999.0]);
    reads(dir.path(), "bs1m", ("1m", 1_048_576.0), [100.0, 100.1, 99.9]);
    // 100 MiB/s against 1000 * 4096 B/s = 3.906 MiB/s: 25.6 times, with a tenth of the IOPS.
    let said = text(&campaign(&[dir.path()]), "winner");
    assert!(said.len() == 1 && said[0].contains("1 MiB reads 100 MiB/s, 25.6 times 4 KiB"), "{said:?}");
}

#[test]
fn a_ratio_that_is_not_that_of_the_means_beside_it_says_what_it_is_of() {
    let dir = tempfile::tempdir().unwrap();
    reads(dir.path(), "xfs", ("4k", 4096.0), [100.0, 110.0, 160.0]);
    reads(dir.path(), "ext4", ("4k", 4096.0), [50.0, 50.5, 49.5]);
    // Means 123.33 and 50: 2.47. Geometric means (100 * 110 * 160)^(1/3) = 120.74 and 49.998: 2.41.
    let said = text(&campaign(&[dir.path()]), "winner");
    assert!(
        said[0].contains("xfs reads 123 IOPS, 2.41 times ext4 (of geometric means, 95 % interval"),
        "{said:?}"
    );
}
