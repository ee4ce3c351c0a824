//! Real files of every version of fio, from the shared corpus.

use super::*;
use crate::ingest::testing::corpus;

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

fn of(file: &str) -> Option<Vec<RunPart>> {
    let text = std::fs::read_to_string(corpus()?.join("corpus/fio-versions").join(file)).unwrap();
    let parsed = read(&text);
    assert!(parsed.remarks.is_empty(), "{file}: {:?}", parsed.remarks);
    Some(runs_of(parsed))
}

#[test]
fn real_blocks_give_the_figures_that_they_print() {
    // Copied by hand: version, run, direction, bytes/s, IOPS, mean completion latency in ns, a percentile in ns.
    for (version, run, ddir, bw, iops, clat, percentile) in [
        ("1.38", 0, Ddir::Read, 99_936.0 * KIB, 24_984.0, 154_160.0, None),
        ("1.38", 1, Ddir::Write, 36_162.0 * KIB, 9040.0, 313_990.0, None),
        ("2.0.9", 0, Ddir::Read, 96_521.0 * KIB, 24_130.0, 159_770.0, Some((0.99, 3_984_000.0))),
        ("2.0.9", 1, Ddir::Write, 29_039.0 * KIB, 7259.0, 415_620.0, Some((0.95, 3_632_000.0))),
        ("2.1.3", 1, Ddir::Read, 68_004.0 * KIB, 17_000.0, 84_860.0, Some((0.5, 66_000.0))),
        ("2.2.10", 0, Ddir::Read, 213_933.0 * KIB, 53_483.0, 71_070.0, Some((0.9999, 3_472_000.0))),
        ("2.21", 0, Ddir::Read, 129.0 * MIB, 32_900.0, 113_860.0, Some((0.9, 113_000.0))),
        ("2.21", 1, Ddir::Write, 60.9 * MIB, 15_600.0, 144_460.0, Some((0.99, 1_480_000.0))),
        ("3.1", 1, Ddir::Read, 45.8 * MIB, 11_700.0, 113_705.21, Some((0.999, 4_359_000.0))),
        ("3.33", 0, Ddir::Read, 106.0 * MIB, 27_200.0, 140_190.0, Some((0.99, 2_180_000.0))),
        ("3.33", 1, Ddir::Write, 36.4 * MIB, 9320.0, 286_218.82, Some((0.9999, 39_060_000.0))),
        ("3.42-head", 1, Ddir::Read, 54.8 * MIB, 14_000.0, 109_432.83, Some((0.95, 202_000.0))),
    ] {
        let Some(runs) = of(&format!("{version}/out_normal/out.txt")) else { return };
        assert_eq!(runs.len(), 2, "{version}");
        assert_eq!(dimensions(&runs[1]), "rw=randrw bs=4k iodepth=4 numjobs=1 engine=libaio", "{version}");
        let found = &runs[run];
        assert_eq!(mean(found, Metric::Bw, ddir), bw, "{version}");
        assert_eq!(mean(found, Metric::Iops, ddir), iops, "{version}");
        let latency = summary(found, Metric::Clat, ddir, 0);
        assert!((latency.mean.unwrap() - clat).abs() < 1e-6, "{version}");
        if let Some((quantile, ns)) = percentile {
            let cell = latency.percentiles.iter().find(|(q, _)| (q - quantile).abs() < 1e-9);
            assert_eq!(cell.map(|(_, value)| *value), Some(ns), "{version}");
        }
        let expected = version.trim_end_matches("-head");
        let known = (version != "1.38").then_some(expected);
        assert_eq!(found.tool.version.as_deref(), known, "{version}");
    }
}

#[test]
fn real_units_are_those_of_the_options() {
    let Some(bits) = of("3.33/normal_bits/n.txt") else { return };
    assert_eq!(mean(&bits[0], Metric::Bw, Ddir::Read), 681.0 * MIB / 8.0);
    assert_eq!(summary(&bits[0], Metric::Bw, Ddir::Read, 0).max, Some(87_888.0 * KIB));
    let decimal = of("3.33/normal_kb1000/n.txt").unwrap();
    assert_eq!(mean(&decimal[0], Metric::Bw, Ddir::Write), 89.7e6);
    // 19,188 samples a second of 4 KiB: the line says kB and means KiB.
    assert_eq!(summary(&decimal[0], Metric::Bw, Ddir::Read, 0).max, Some(19_188.0 * 4096.0));
    let null = of("3.33/normal_null/n.txt").unwrap();
    assert_eq!(mean(&null[0], Metric::Iops, Ddir::Read), 2_055_000.0);
    assert_eq!(mean(&null[0], Metric::Lat, Ddir::Read), 83.44);
    assert_eq!(summary(&null[0], Metric::Lat, Ddir::Read, 0).percentiles.len(), 17);
    assert_eq!(summary(&null[0], Metric::Bw, Ddir::Read, 0).max, Some(8557.0 * MIB));
}

#[test]
fn real_groups_clients_syncs_and_reports_in_a_row_are_read() {
    let Some(group) = of("3.33/normal_group4/n.txt") else { return };
    assert_eq!((group[0].jobs.len(), group[0].jobs[0].clones), (1, 4));
    let sync = of("3.33/normal_sync/n.txt").unwrap();
    assert_eq!(mean(&sync[0], Metric::Clat, Ddir::Write), 9730.0);
    let own = summary(&sync[0], Metric::Fsync, Ddir::Mixed, 0);
    assert_eq!((own.mean, own.max, own.percentiles.len()), (Some(772_510.0), Some(8_931_000.0), 17));
    assert!(own.percentiles.contains(&(0.99, 3_982_000.0)), "{:?}", own.percentiles);
    let clients = of("3.33/client_server/client_normal.txt").unwrap();
    let hosts: Vec<_> = clients[0].jobs.iter().map(|job| job.host.as_deref().unwrap()).collect();
    assert_eq!((clients.len(), hosts), (1, vec!["vm", "vm"]));
    let trim = of("3.33/trimwrite_null/out.txt").unwrap();
    assert_eq!(mean(&trim[0], Metric::Iops, Ddir::Trim), 300.0);
    assert_eq!(trim[0].jobs[0].ios[&Ddir::Trim], 901);
    let stonewalled = of("3.33/job_stonewall/out.txt").unwrap();
    let seen: Vec<_> =
        stonewalled.iter().map(|r| (r.key.as_str(), r.first_log_number, r.jobs[0].clones)).collect();
    assert_eq!(seen, [("0", 1, 1), ("1", 2, 1), ("2", 3, 2)]);
    let path = corpus().unwrap().join("corpus/fio-versions/3.33/normal_status_interval/si.txt");
    let parsed = read(&std::fs::read_to_string(path).unwrap());
    assert_eq!(parsed.rows, 4);
    let runs = runs_of(parsed);
    assert_eq!((runs.len(), runs[0].jobs[0].runtime_ms[&Ddir::Read]), (1, 3001.0));
    assert_eq!(runs[0].jobs[0].ios[&Ddir::Read], 140_114);
}
