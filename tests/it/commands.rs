//! dd, hdparm and ioping from files to comparisons.

use crate::support::{assert_near, campaign, mean, package, public, run};
use plotgen::model::{Campaign, Ddir, Dimension, Metric, Origin, Stat};
use std::fs;
use std::path::PathBuf;

fn fixtures(tool: &str) -> PathBuf {
    package().join("tests/fixtures").join(tool)
}

/// The figures of a comparison's cells in MiB/s, by value.
fn cells(campaign: &Campaign, by: &str, ddir: Ddir, held: &[(&str, &str)]) -> Vec<(String, Vec<f64>)> {
    let holds = |dimension: &str,
                 value: &str,
                 held: &std::collections::BTreeMap<Dimension, plotgen::model::Value>| {
        held.get(&Dimension::named(dimension)).is_some_and(|v| v.as_str() == value)
    };
    let found: Vec<_> = campaign
        .comparisons
        .iter()
        .filter(|c| c.metric == Metric::Bw && c.by == Dimension::named(by) && c.ddir == ddir)
        .filter(|c| held.iter().all(|(d, v)| holds(d, v, &c.held)))
        .collect();
    assert_eq!(found.len(), 1, "{by}");
    let mib = |values: &[f64]| values.iter().map(|v| (v / 1_048_576.0).round()).collect();
    let cells = found[0].cells.iter();
    cells.map(|cell| (cell.key[0].as_ref().unwrap().to_string(), mib(&cell.values))).collect()
}

#[test]
fn writes_of_dd_compare_by_size_and_by_direct_io_with_three_repeats_each() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixtures("dd")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if name.to_string_lossy().starts_with("dd_") {
            fs::copy(&path, folder.path().join(name)).unwrap();
        }
    }
    let campaign = campaign(&[folder.path()]);
    assert_eq!(campaign.runs.len(), 12);
    let by_size = cells(&campaign, "size", Ddir::Write, &[("direct", "1")]);
    assert_eq!(
        by_size.iter().map(|(v, c)| (v.as_str(), c.len())).collect::<Vec<_>>(),
        [("100m", 3), ("1000m", 3)]
    );
    // 100 MiB in 0.126397 s; 1000 MiB in 0.815193 s.
    assert!(by_size[0].1.contains(&791.0) && by_size[1].1.contains(&1227.0), "{by_size:?}");
    let by_direct = cells(&campaign, "direct", Ddir::Write, &[("size", "100m")]);
    assert_eq!(
        by_direct.iter().map(|(v, c)| (v.as_str(), c.len())).collect::<Vec<_>>(),
        [("0", 3), ("1", 3)]
    );
    assert_eq!(campaign.diagnostics, []);
}

#[test]
fn records_pasted_into_one_file_compare_by_size() {
    let folder = tempfile::tempdir().unwrap();
    let text = "1048576000 bytes (1.0 GB) copied, 3.50983 seconds, 299 MB/s\n\
                1048576000 bytes (1.0 GB) copied, 3.06942 seconds, 342 MB/s\n\
                1048576000 bytes (1.0 GB) copied, 2.14136 seconds, 490 MB/s\n\
                104857600 bytes (105 MB) copied, 0.116491 seconds, 900 MB/s\n\
                104857600 bytes (105 MB) copied, 0.160693 seconds, 653 MB/s\n\
                104857600 bytes (105 MB) copied, 0.115702 seconds, 906 MB/s\n";
    fs::write(folder.path().join("disk.txt"), text).unwrap();
    let campaign = campaign(&[folder.path()]);
    // 100 / 0.116491, 100 / 0.160693, 100 / 0.115702; 1000 / 3.50983, 1000 / 3.06942, 1000 / 2.14136.
    assert_eq!(
        cells(&campaign, "size", Ddir::Write, &[]),
        [("100m".to_owned(), vec![858.0, 622.0, 864.0]), ("1000m".to_owned(), vec![285.0, 326.0, 467.0])]
    );
}

#[test]
fn memory_never_stands_beside_disks_in_a_comparison() {
    let campaign = campaign(&[&fixtures("hdparm")]);
    assert_eq!(campaign.runs.len(), 8);
    let record = run(&campaign, "hdparm_tT_loop_run2#buffered");
    assert_near(
        mean(record, Metric::Bw, Ddir::Read, Origin::Reported),
        135.35 * 1_048_576.0,
        1e-9,
        "buffered",
    );
    assert!(!campaign.contrasts.is_empty());
    let hdparm = Dimension::named("hdparm");
    for contrast in &campaign.contrasts {
        let kinds: std::collections::BTreeSet<_> =
            contrast.runs.iter().map(|&index| campaign.runs[index].run.value(&hdparm)).collect();
        assert_eq!(kinds.len(), 1, "{contrast:?}");
    }
}

#[test]
fn outputs_of_one_stem_stay_runs_of_their_own_and_take_no_logs() {
    let folder = tempfile::tempdir().unwrap();
    let copied = "1048576000 bytes (1.0 GB) copied, 2 s, 524 MB/s\n";
    let timing = " Timing buffered disk reads: 806 MB in  3.00 seconds = 268.23 MB/sec\n";
    fs::write(folder.path().join("md0.txt"), copied).unwrap();
    fs::write(folder.path().join("md0.out"), copied).unwrap();
    fs::write(folder.path().join("md0.log"), timing).unwrap();
    fs::write(folder.path().join("md0_bw.1.log"), "500, 1024, 1, 0\n1000, 1024, 1, 0\n").unwrap();
    let campaign = campaign(&[folder.path()]);
    let mut found: Vec<(&str, &str, usize)> = campaign
        .runs
        .iter()
        .map(|record| (record.run.id.as_str(), record.run.tool.name.as_str(), record.run.sources.len()))
        .collect();
    found.sort_unstable();
    let tail: Vec<(&str, usize)> = found.iter().map(|&(_, tool, sources)| (tool, sources)).collect();
    assert_eq!(tail.len(), 4, "{found:?}");
    assert_eq!(tail.iter().filter(|t| **t == ("dd", 1)).count(), 2, "{found:?}");
    assert_eq!(tail.iter().filter(|t| **t == ("fio", 1)).count(), 1, "{found:?}");
}

#[test]
fn a_long_loop_of_raw_lines_is_a_few_runs_over_time() {
    let Some(path) = public("C18", "") else { return };
    let campaign = campaign(&[&path]);
    assert_eq!(campaign.runs.len(), 3);
    for record in &campaign.runs {
        let lat = record.total_series(Metric::Lat, Ddir::Read).unwrap();
        // Stamps from 01:17:52 to 04:29:46.
        let hours = lat.cell_ms * lat.values.len() as f64 / 3.6e6;
        assert!((hours - 3.2).abs() < 0.05, "{hours}");
    }
}

#[test]
fn a_scripts_transcript_gives_its_blocks() {
    let Some(path) = public("C13", "") else { return };
    let campaign = campaign(&[&path]);
    assert_eq!(campaign.runs.len(), 8);
    let means: Vec<f64> = campaign
        .runs
        .iter()
        .filter_map(|r| {
            r.statistic(plotgen::model::Measure { metric: Metric::Lat, stat: Stat::Mean }, Ddir::Read)
        })
        .map(|s| s.value)
        .collect();
    // The four lines `min/avg/max/mdev = ...`.
    for us in [221.6, 240.0, 187.0, 262.0] {
        assert!(means.iter().any(|ns| (ns - us * 1e3).abs() < 1.0), "{us} among {means:?}");
    }
}
