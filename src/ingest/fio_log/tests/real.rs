//! Logs that eleven versions of fio wrote, and a campaign with its summaries beside them.
//!
//! They are not part of the package: `PLOTGEN_SHARED` names their directory.

use super::*;
use crate::ingest::LogKind;
use std::path::{Path, PathBuf};

fn shared(part: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("PLOTGEN_SHARED") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let path = root.join(part);
    if !path.is_dir() {
        println!("skipped: no shared corpus");
        return None;
    }
    Some(path)
}

fn read_file(path: &Path) -> Result<Parsed, IngestError> {
    let name = path.file_name().unwrap().to_str().unwrap();
    read_with(name, &std::fs::read(path).unwrap(), |_| ())
}

#[test]
fn logs_of_every_version_are_read_in_the_unit_of_their_version_or_refused_for_a_reason() {
    let Some(root) = shared("corpus/fio-versions") else { return };
    let mut seen = 0;
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_str().unwrap();
        let log = LogName::parse(name).filter(|log| log.kind != LogKind::ClatHist);
        if log.is_none() || name.ends_with(".fz") {
            continue;
        }
        let relative = entry.path().strip_prefix(&root).unwrap().to_str().unwrap();
        match read_file(entry.path()) {
            Ok(parsed) => {
                let Content::Log(log) = &parsed.content else { continue };
                seen += 1;
                let old =
                    relative.starts_with('1') || relative.starts_with('2') || relative.contains("fio1.5");
                let expected = if old { LatUnit::Microseconds } else { LatUnit::Nanoseconds };
                assert_eq!(log.lat_unit.map_or(expected, |(unit, _)| unit), expected, "{relative}");
                let lines = std::fs::read(entry.path())
                    .unwrap()
                    .split(|&b| b == b'\n')
                    .filter(|l| l.len() > 2)
                    .count();
                if !relative.starts_with("derived") {
                    assert_eq!((parsed.rows, parsed.skipped), (lines as u64, 0), "{relative}");
                }
                // Without averages fio from 2.10 on logs each I/O; before, latencies alone.
                let metric_per_io = matches!(log.name.kind, LogKind::Bw | LogKind::Iops);
                let averaged = relative.contains("avg500")
                    || relative.contains("avg1000")
                    || relative.contains("avg10/");
                if relative.contains("perio_randrw") || relative.contains("offset_perio") {
                    let samples = metric_per_io
                        && (relative.starts_with("1.")
                            || relative.starts_with("2.0")
                            || relative.starts_with("2.1.")
                            || relative.starts_with("2.2."));
                    assert_eq!(log.per_io, !samples, "{relative}");
                } else if averaged {
                    assert!(!log.per_io, "{relative}");
                }
            }
            Err(error) => {
                let message = error.to_string();
                assert!(
                    relative.contains("compress_avg500") && message.contains("log_compression"),
                    "{relative}: {message}"
                );
            }
        }
    }
    assert!(seen > 400, "{seen}");
}

#[test]
fn a_big_log_per_io_has_the_bandwidth_of_its_summary() {
    let Some(root) = shared("corpus/fio-versions/3.33/big_perio") else { return };
    let parsed = read_file(&root.join("big_bw.1.log")).unwrap();
    let grid = grid(&parsed, 0, Ddir::Read);
    let total = grid.total();
    // fio's output: 420000 issued, IOPS=1135k, BW=4434MiB/s, 370 msec.
    assert_eq!((total.count, total.bytes), (420_000, 420_000 * 4096));
    let mib_per_second = total.bytes as f64 / 0.370 / 1_048_576.0;
    assert!((mib_per_second - 4434.0).abs() < 1.0, "{mib_per_second}");
    assert_eq!(grid.last_ms, 369);
}

#[test]
fn counted_ios_and_their_mean_are_those_of_the_summary() {
    let Some(root) = shared("raid-campaign") else { return };
    for set in ["mech7200", "throttle75"] {
        let stem = root.join(set).join("special/raid10_chunk64k_randread_qd4_perio_run1");
        let text = std::fs::read_to_string(stem.with_extension("json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let job = &json["jobs"][0]["read"];
        let ios = job["total_ios"].as_u64().unwrap();
        for kind in ["bw", "iops", "lat", "clat", "slat"] {
            let path = PathBuf::from(format!("{}_{kind}.1.log", stem.display()));
            let parsed = read_file(&path).unwrap();
            let grid = grid(&parsed, 0, Ddir::Read);
            let total = grid.total();
            assert_eq!((total.count, total.bytes), (ios, job["io_bytes"].as_u64().unwrap()), "{set} {kind}");
            if kind.ends_with("lat") {
                let reported = &job[format!("{kind}_ns")];
                let mean = total.sum as f64 / total.count as f64;
                assert!((mean - reported["mean"].as_f64().unwrap()).abs() < 1.0, "{set} {kind}: {mean}");
                assert_eq!(total.min, reported["min"].as_u64().unwrap());
                assert_eq!(total.max, reported["max"].as_u64().unwrap());
            }
        }
    }
}

#[test]
fn oddities_made_by_hand_are_read_as_their_names_say() {
    let Some(root) = shared("corpus/fio-versions/derived") else { return };
    let rows = |name: &str| {
        let parsed = read_file(&root.join(name)).unwrap();
        (parsed.rows, parsed.skipped, log(&parsed).segments.len())
    };
    assert_eq!(rows("appended_runs_bw.log"), (50, 0, 3));
    assert_eq!(rows("garbage_line_bw.1.log"), (22, 1, 1));
    assert_eq!(rows("huge_negative_bw.1.log"), (20, 2, 1));
    assert_eq!(rows("nul_tail_bw.1.log"), (22, 0, 1));
    assert_eq!(rows("reversed_bw.1.log"), (22, 0, 1));
    assert_eq!(rows("truncated_midline_bw.1.log"), (9, 1, 1));
    assert_eq!(rows("zero_tail_issue152_bw.1.log"), (6, 5, 1));
    let turned = read_file(&root.join("reversed_bw.1.log")).unwrap();
    assert_eq!(samples(&turned, 0, Ddir::Read)[..2], [(500, 50_720.0 * 1024.0), (1000, 53_688.0 * 1024.0)]);
}
