//! Inputs as disks, shells and people spoil them: one bad file is a remark, the rest of the report is made.

use crate::cli::{empty, plotgen, run};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The run whose files stand in for good inputs.
const GOOD: &str = "raid10_chunk64k_randread_qd16_run1";

/// The JSON of [`GOOD`].
fn good_json() -> String {
    fs::read_to_string(crate::support::sample("qd-sweep").join(format!("{GOOD}.json"))).unwrap()
}

/// A directory with the folder `in`, which holds one good run and these files.
fn beside_a_good_run(files: &[(&str, &[u8])]) -> TempDir {
    let dir = empty();
    let folder = dir.path().join("in");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("good.json"), good_json()).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    dir
}

/// Makes a report of `in`; exit code and standard error.
#[track_caller]
fn report(dir: &TempDir) -> (i32, String) {
    let (code, out, err) = run(dir, &["in", "-o", "out", "--format", "svg", "-v"]);
    assert_eq!(out, "");
    (code, err)
}

/// Asserts that the report of a folder was made in spite of one file, with this exit code and remark.
#[track_caller]
fn assert_remark(file: (&str, &[u8]), code: i32, remark: &str) {
    let dir = beside_a_good_run(&[file]);
    let (found, err) = report(&dir);
    assert_eq!(found, code, "{err}");
    assert!(err.contains(remark), "expected `{remark}` in\n{err}");
    assert!(dir.path().join("out/runs/good.html").is_file(), "{err}");
}

#[test]
fn an_empty_log_is_ignored_as_fio_leaves_such_files() {
    assert_remark(("x_bw.1.log", b""), 0, "info: in/x_bw.1.log: ignored: empty");
}

#[test]
fn an_empty_json_alone_is_nothing_readable() {
    let dir = empty();
    fs::write(dir.path().join("x.json"), "").unwrap();
    let (code, _, err) = run(&dir, &["x.json"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("info: x.json: ignored: empty") && err.contains("error: "), "{err}");
    assert!(!dir.path().join("report").exists());
}

#[test]
fn a_log_cut_in_the_middle_of_a_row_keeps_its_rows() {
    let rows = b"500, 2112, 0, 0, 0\n1000, 1677, 0, 0, 0\n1500, 15";
    assert_remark(("x_bw.1.log", rows), 0, "warning: in/x_bw.1.log:3: the last line has no end");
    // So short that a row could end there as well.
    let rows = b"500, 2112, 0, 0, 0\n1000, 1677, 0, 0, 0\n1500, 1540, 0";
    assert_remark(("x_bw.1.log", rows), 0, "warning: in/x_bw.1.log:3: the last line has no end");
}

#[test]
fn text_and_bytes_under_the_name_of_a_log_get_a_warning() {
    let expected = "warning: in/x_bw.1.log:1: named like a log of fio: expected rows such as";
    assert_remark(("x_bw.1.log", b"no log\nat all\n"), 0, expected);
    let noise: Vec<u8> = numbers(7).take(5_000).map(|n| n as u8).collect();
    assert_remark(("x_bw.1.log", &noise), 0, expected);
    assert_remark(("x.bin", &noise), 0, "info: in/x.bin: ignored: binary data");
}

#[test]
fn json_cut_in_the_middle_is_recognised_and_broken() {
    let json = good_json();
    let expected =
        "error: in/x.json:107: column 25: expected the rest of the JSON document that starts in line 1";
    assert_remark(("x.json", &json.as_bytes()[..3_000]), 1, expected);
}

#[test]
fn json_of_something_else_is_ignored() {
    let remark = "info: in/x.json: ignored: JSON, but of none of the formats";
    assert_remark(("x.json", br#"{"name": "x", "jobs": 3}"#), 0, remark);
}

#[test]
fn a_value_of_two_to_the_64th_is_a_dropped_row() {
    let rows = b"500, 18446744073709551616, 0, 4096, 0\n1000, 50000, 0, 4096, 0\n1500, 50000, 0, 4096, 0\n";
    assert_remark(("x_lat.1.log", rows), 0, "warning: in/x_lat.1.log:1: value");
    let rows = b"500, 18446744073709551615, 0, 4096, 0\n1000, 18446744073709551615, 0, 4096, 0\n";
    assert_remark(("x_bw.1.log", rows), 1, "error: in/x_bw.1.log: no row can be used");
    let rows = b"18446744073709551615, 1, 0, 18446744073709551615, 0\n18446744073709551615, 1, 0, 0, 0\n";
    assert_remark(("x_bw.1.log", rows), 1, "error: in/x_bw.1.log: no row can be used");
}

#[test]
fn an_unknown_unit_names_the_line_and_the_known_units() {
    let table = b"# rbench 1\n# raid=10\ntime_ms,metric,ddir,value,unit\n500,bw,read,441,furlong\n";
    let expected = "error: in/x.csv:4: column `unit`: expected a unit of bw, one of B/s, kB/s, KiB/s, MB/s, \
                    MiB/s, GB/s, GiB/s, found `furlong`";
    assert_remark(("x.csv", table), 1, expected);
}

#[test]
fn a_directory_without_inputs_is_exit_2() {
    let dir = empty();
    fs::create_dir(dir.path().join("in")).unwrap();
    let (code, err) = report(&dir);
    assert_eq!((code, err.starts_with("error: nothing to read")), (2, true), "{err}");
    assert!(!dir.path().join("out").exists());
}

#[test]
fn a_missing_path_is_exit_2_alone_and_exit_1_beside_a_good_one() {
    let dir = beside_a_good_run(&[]);
    let (code, _, err) = run(&dir, &["nowhere", "-o", "out"]);
    assert_eq!((code, err.contains("error: nowhere: no such file")), (2, true), "{err}");
    let (code, _, err) = run(&dir, &["nowhere.json", "in", "-o", "out", "--format", "svg"]);
    assert_eq!((code, err.contains("error: nowhere.json: no such file")), (1, true), "{err}");
    assert!(dir.path().join("out/index.html").is_file());
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_exit_1() {
    use std::os::unix::fs::PermissionsExt;
    let dir = beside_a_good_run(&[("x.json", b"{}")]);
    let path = dir.path().join("in/x.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&path).is_ok() {
        println!("skipped: root reads everything");
        return;
    }
    let (code, err) = report(&dir);
    assert_eq!((code, err.contains("error: in/x.json: cannot open")), (1, true), "{err}");
}

#[cfg(unix)]
#[test]
fn loops_of_links_and_pipes_are_passed_over() {
    let dir = beside_a_good_run(&[]);
    let folder = dir.path().join("in");
    std::os::unix::fs::symlink("../in", folder.join("again")).unwrap();
    std::os::unix::fs::symlink("self", folder.join("self")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status();
    let (code, err) = report(&dir);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("info: in/again: symbolic link to a directory above itself"), "{err}");
    assert!(err.contains("warning: in/self: cannot follow"), "{err}");
    if made.is_ok_and(|status| status.success()) {
        assert!(err.contains("info: in/pipe: a pipe; not opened"), "{err}");
        let (code, _, err) = run(&dir, &["in/pipe", "in/good.json", "-o", "out2", "--format", "svg"]);
        assert_eq!((code, err.contains("error: in/pipe: a pipe")), (1, true), "{err}");
    }
}

#[test]
fn what_unpacks_without_end_is_cut() {
    // More than 1 GiB of blanks behind rows; the packed file has some 100 KiB.
    let mut packer = zstd::Encoder::new(Vec::new(), 1).unwrap();
    for row in 1..5_000 {
        writeln!(packer, "{}, 2112, 0, 0, 0", row * 500).unwrap();
    }
    let blank = vec![0; 1 << 20];
    for _ in 0..1_060 {
        packer.write_all(&blank).unwrap();
    }
    let bomb = packer.finish().unwrap();
    assert_remark(("x_bw.1.log", &bomb), 1, "error: in/x_bw.1.log: cannot read: unpacks to more than 1 GiB");
}

#[test]
fn fios_json_of_endless_blanks_is_refused_before_it_fills_the_memory() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(br#"{"fio version": "fio-3.33", "jobs": ["#).unwrap();
    for _ in 0..300 {
        packer.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let bomb = packer.finish().unwrap();
    assert_remark(("x.json", &bomb), 1, "error: in/x.json: expected at most 256 MiB of fio-json, found more");
}

/// Numbers that look random: xorshift, seeded.
pub(crate) fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(seed.max(1)), |&state| {
        let mut next = state;
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        Some(next)
    })
}

/// Every file below a folder, with its bytes.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push((path.clone(), fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn hostile_names_stay_text_in_pages_and_slugs_in_file_names() {
    let dir = beside_a_good_run(&[]);
    let mut json: serde_json::Value = serde_json::from_str(&good_json()).unwrap();
    json["global options"] = serde_json::json!({ "description": "<svg onload=alert(2)>" });
    let job = &mut json["jobs"][0];
    job["jobname"] = "../../../evil<img src=x onerror=alert(1)>\u{0}\u{1b}[31m&amp;\u{202e}".into();
    job["hostname"] = "=cmd|' \"<script>alert(4)</script>".into();
    job["job options"]["filename"] = "\"><script>alert(3)</script>".into();
    let text = json.to_string();
    let mut names = vec!["\u{1f525}".repeat(62) + ".json", "x".repeat(250) + ".json", "-o.json".into()];
    if cfg!(unix) {
        names.extend(["<script>alert(1)<script>.json".into(), "a'\"b.json".into(), "new\nline.json".into()]);
    }
    for name in &names {
        fs::write(dir.path().join("in").join(name), &text).unwrap();
    }
    let (code, err) = report(&dir);
    assert_eq!(code, 0, "{err}");
    assert!(!err.contains('\u{1b}'), "{err:?}");
    let beside: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside.len(), 2, "nothing is written beside `in` and `out`: {beside:?}");
    let out = dir.path().join("out");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.@/".contains(c);
    let mut pages = 0;
    for (path, bytes) in files(&out) {
        let name = path.strip_prefix(&out).unwrap().to_str().unwrap();
        assert!(name.chars().all(plain) && !name.contains(".."), "{name}");
        // A binary table holds lengths and packed texts.
        if name.ends_with(".parquet") {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(['\0', '\u{1b}']), "{name} holds control characters");
        if name.ends_with(".svg") {
            roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        if name.ends_with(".html") || name.ends_with(".svg") {
            pages += 1;
            for hostile in ["<img src=x", "<script>alert", "<svg onload"] {
                assert!(!text.contains(hostile), "{name} holds {hostile}");
            }
        }
    }
    assert!(pages > names.len());
    let table = fs::read(out.join("data/summary.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(table.as_slice());
    let runs: std::collections::BTreeSet<String> =
        rows.records().map(|row| row.unwrap().get(0).unwrap().to_owned()).collect();
    assert_eq!(runs.len(), names.len() + 1, "{runs:?}");
}

#[test]
fn weird_but_legal_inputs_make_reports() {
    let idle = good_json().lines().map(idle_line).collect::<Vec<_>>().join("\n");
    let row = |t: u64, v: u64| format!("{t}, {v}, 0, 0, 0\n").into_bytes();
    let rows = |step: u64| (1..40).flat_map(|i| row(i * step, 2_000 + i % 7)).collect::<Vec<u8>>();
    let ten_years = 10 * 365 * 86_400_000;
    let cases = [
        ("one row", vec![("x_bw.1.log", row(500, 2112))]),
        ("one row at the start", vec![("x_bw.1.log", row(0, 2112))]),
        ("no I/O", vec![("x.json", idle.into_bytes())]),
        ("slat alone", vec![("x_slat.1.log", rows(500))]),
        ("10 ms", vec![("x_bw.1.log", [row(2, 5), row(4, 5), row(6, 7), row(8, 5), row(10, 9)].concat())]),
        ("10 years", vec![("x_bw.1.log", rows(ten_years / 40))]),
        ("10 ms and 10 years", vec![("x_bw.1.log", rows(1)), ("y_bw.1.log", rows(ten_years / 40))]),
        ("zeros", vec![("x_bw.1.log", (1..9).flat_map(|i| row(i * 500, 0)).collect())]),
    ];
    for (what, inputs) in cases {
        let dir = empty();
        fs::create_dir(dir.path().join("in")).unwrap();
        for (name, bytes) in inputs {
            fs::write(dir.path().join("in").join(name), bytes).unwrap();
        }
        let (code, err) = report(&dir);
        assert_eq!(code, 0, "{what}: {err}");
        assert!(dir.path().join("out/index.html").is_file(), "{what}");
        for (path, bytes) in files(&dir.path().join("out")) {
            let text = String::from_utf8_lossy(&bytes);
            if path.extension().is_some_and(|e| e == "svg" || e == "csv") {
                assert!(!text.contains("NaN") && !text.contains(">inf"), "{what}: {}", path.display());
            }
        }
    }
}

/// A line of fio's JSON with its figure set to zero.
fn idle_line(line: &str) -> String {
    let keys =
        ["bytes", "bw", "iops", "runtime", "ios", "min", "max", "mean", "stddev", "N", "samples", "agg", "0"];
    match line.split_once(" : ") {
        Some((key, value)) if keys.iter().any(|k| key.trim_matches([' ', '"']).ends_with(k)) => {
            match value.trim_end_matches(',').parse::<f64>() {
                Ok(_) if value.ends_with(',') => format!("{key} : 0,"),
                Ok(_) => format!("{key} : 0"),
                Err(_) => line.to_owned(),
            }
        }
        _ => line.to_owned(),
    }
}

#[test]
fn sixty_four_jobs_are_one_run() {
    let dir = empty();
    fs::create_dir(dir.path().join("in")).unwrap();
    for job in 1..=64 {
        let rows: String = (1..40).map(|i| format!("{}, 100, 0, 0, 0\n", i * 500)).collect();
        fs::write(dir.path().join(format!("in/x_bw.{job}.log")), rows).unwrap();
    }
    let (code, err) = report(&dir);
    assert_eq!(code, 0, "{err}");
    let table = fs::read_to_string(dir.path().join("out/data/summary.csv")).unwrap();
    // 64 jobs of 100 KiB/s.
    assert!(table.contains(",bw,read,mean,6553600,B/s,log,"), "{table}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_closes_its_end_early_ends_the_program_in_silence() {
    use std::process::Stdio;
    let rows: String = (1..40).map(|i| format!("{}, 100, 0, 0, 0\n", i * 500)).collect();
    let dir = beside_a_good_run(&[("x_iops.1.log", rows.as_bytes())]);
    for args in [
        &["summary", "in", "--format", "csv"][..],
        &["inspect", "in", "--format", "json"],
        &["chart", "iops-time", "in", "-o", "-"],
        &["charts", "in"],
        &["formats"],
    ] {
        let mut command = std::process::Command::new(plotgen(&dir).get_program());
        let mut child = command
            .current_dir(dir.path())
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), err.as_ref()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_failed_job_is_told_once_with_its_file() {
    let failed = good_json().replacen("\"error\" : 0", "\"error\" : 28", 1);
    assert!(failed.contains("\"error\" : 28"));
    let dir = beside_a_good_run(&[("full.json", failed.as_bytes())]);
    let (code, err) = report(&dir);
    assert_eq!(code, 0, "{err}");
    let told: Vec<&str> = err.lines().filter(|line| line.contains("error 28")).collect();
    let expected = format!(
        "warning: in/full.json: job `{GOOD}` ended with error 28 (no space left on device); its figures cover what came before"
    );
    assert_eq!(told, [expected]);
}

#[test]
fn a_chart_is_warned_of_for_the_runs_that_it_shows() {
    let dir = empty();
    let logs = crate::support::sample("");
    let logs = logs.to_str().unwrap();
    let warned = |args: &[&str]| {
        let (code, _, err) = run(&dir, args);
        assert_eq!(code, 0, "{err}");
        err.contains("cached_run1: write IOPS falls")
    };
    assert!(warned(&["summary", logs]));
    assert!(warned(&["chart", "iops-time", logs, "-o", "all.svg"]));
    assert!(!warned(&["chart", "iops-by-raid-level-sweep", logs, "-o", "levels.svg"]));
    assert!(warned(&["chart", "iops-by-raid-level-sweep", logs, "-o", "levels.svg", "-v"]));
}
