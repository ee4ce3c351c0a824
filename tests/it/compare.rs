//! `plotgen compare` on real runs: against themselves, and against copies with a known change.

use crate::support::sample;
use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const LEVELS: &str = "level-sweep";
const CELL: &str = "raid10_chunk64k_randwrite_qd4";

/// Exit code, standard output and standard error of `plotgen compare`.
fn compare(base: &Path, new: &Path, more: &[&str]) -> (i32, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("plotgen").unwrap();
    let output =
        command.current_dir(dir.path()).arg("compare").args([base, new]).args(more).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A copy of the level sweep in which the named runs do `share` of their I/O, each of it that much slower.
fn lowered(runs: &[&str], share: f64) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(sample(LEVELS)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let changed =
            runs.iter().any(|run| name.starts_with(&format!("{run}_")) || name == format!("{run}.json"));
        let text = match name.rsplit_once('.') {
            Some((_, "json")) if changed => lowered_summary(&text, share),
            Some((_, "log")) if changed => {
                let factor = if name.contains("lat.1.log") { 1.0 / share } else { share };
                lowered_log(&text, factor)
            }
            _ => text,
        };
        fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn lowered_log(text: &str, factor: f64) -> String {
    let row = |line: &str| {
        let columns: Vec<&str> = line.split(", ").collect();
        let value = (columns[1].parse::<f64>().unwrap() * factor).round();
        format!("{}, {value}, {}\n", columns[0], columns[2..].join(", "))
    };
    text.lines().map(row).collect()
}

fn lowered_summary(text: &str, share: f64) -> String {
    let mut document: Value = serde_json::from_str(text).unwrap();
    for way in ["read", "write"] {
        let data = document["jobs"][0][way].as_object_mut().unwrap();
        for (key, value) in data.iter_mut() {
            let rate = key.starts_with("bw") || key.starts_with("iops") || key.starts_with("io_");
            if (rate && !key.ends_with("_samples") && key != "bw_agg") || key == "total_ios" {
                scale(value, share);
            } else if key.ends_with("lat_ns") {
                for (key, value) in value.as_object_mut().unwrap() {
                    match (key.as_str(), value) {
                        ("min" | "max" | "mean" | "stddev", value) => scale(value, 1.0 / share),
                        ("N", value) => scale(value, share),
                        _ => {}
                    }
                }
            }
        }
    }
    serde_json::to_string_pretty(&document).unwrap()
}

fn scale(value: &mut Value, factor: f64) {
    let scaled = value.as_f64().unwrap() * factor;
    *value = if value.is_u64() { json!(scaled.round() as u64) } else { json!(scaled) };
}

/// Name, metric and verdict of every tested change.
fn verdicts(text: &str) -> Vec<(String, String, String)> {
    let document: Value = serde_json::from_str(text).unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let changes = document["changes"].as_array().unwrap().iter().filter(|c| !c["verdict"].is_null());
    changes.map(|c| (word(&c["name"]), word(&c["metric"]), word(&c["verdict"]))).collect()
}

#[test]
fn a_campaign_against_itself_shows_no_difference() {
    let levels = sample(LEVELS);
    let (code, out, err) = compare(&levels, &levels, &["--format", "json", "--fail-inconclusive"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let found = verdicts(&out);
    assert_eq!(found.len(), 8, "four levels, reads and writes, IOPS alone");
    assert!(
        found.iter().all(|(_, metric, verdict)| metric == "iops" && verdict == "no-difference"),
        "{found:?}"
    );
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&document["schema"], &document["overall"]), (&json!(1), &json!("no-difference")));
    // Bandwidth, IOPS, mean latency and its tail for each of the eight.
    let changes = document["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 32);
    let tails: Vec<&Value> = changes.iter().filter(|change| change["stat"] == "p99").collect();
    assert!(tails.len() == 8 && tails.iter().all(|tail| tail["verdict"].is_null() && tail["ratio"] == 1.0));
}

#[test]
fn three_repeats_that_all_lost_a_fifth_are_found_and_nothing_else() {
    let new = lowered(&[1, 2, 3].map(|n| format!("{CELL}_run{n}")).each_ref().map(String::as_str), 0.8);
    let (code, out, err) = compare(&sample(LEVELS), new.path(), &["--format", "json"]);
    assert_eq!((code, err.as_str()), (3, ""));
    let worse: Vec<_> =
        verdicts(&out).into_iter().filter(|(.., verdict)| verdict != "no-difference").collect();
    assert_eq!(worse, [("RAID 10, randwrite".to_owned(), "iops".to_owned(), "worse".to_owned())]);
    let document: Value = serde_json::from_str(&out).unwrap();
    let changes = document["changes"].as_array().unwrap();
    let of = |metric: &str| {
        let own = |c: &&Value| c["name"] == "RAID 10, randwrite" && c["metric"] == metric;
        changes.iter().find(own).unwrap()["ratio"].as_f64().unwrap()
    };
    assert!((of("iops") - 0.8).abs() < 1e-3 && (of("bw") - 0.8).abs() < 1e-3);
    assert!((of("lat") - 1.25).abs() < 1e-3, "{}", of("lat"));

    // The other way round the same is better, which is no reason to fail.
    let (code, out, _) = compare(new.path(), &sample(LEVELS), &["--fail-inconclusive"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("Better: RAID 10, randwrite (write iops +25.0 %)."), "{out}");
    // A threshold that allows for it finds nothing.
    let allowed = ["--threshold", "iops=30%", "--format", "json"];
    assert_eq!(compare(&sample(LEVELS), new.path(), &allowed).0, 0);
}

#[test]
fn one_repeat_of_three_that_lost_a_fifth_decides_nothing() {
    let new = lowered(&[&format!("{CELL}_run2")], 0.8);
    let (code, out, _) = compare(&sample(LEVELS), new.path(), &["--format", "json"]);
    assert_eq!(code, 0);
    let open: Vec<_> =
        verdicts(&out).into_iter().filter(|(.., verdict)| verdict != "no-difference").collect();
    assert_eq!(open, [("RAID 10, randwrite".to_owned(), "iops".to_owned(), "inconclusive".to_owned())]);
    assert_eq!(compare(&sample(LEVELS), new.path(), &["--fail-inconclusive"]).0, 5);
}

#[test]
fn a_regression_goes_before_what_is_inconclusive() {
    let lost = [1, 2, 3].map(|n| format!("{CELL}_run{n}"));
    let mut runs: Vec<&str> = lost.iter().map(String::as_str).collect();
    runs.push("raid0_chunk64k_randread_qd4_run1");
    let new = lowered(&runs, 0.8);
    assert_eq!(compare(&sample(LEVELS), new.path(), &["--fail-inconclusive"]).0, 3);
}

#[test]
fn tables_say_what_changed_and_how_sure_that_is() {
    let new = lowered(&[1, 2, 3].map(|n| format!("{CELL}_run{n}")).each_ref().map(String::as_str), 0.8);
    let (_, out, _) = compare(&sample(LEVELS), new.path(), &[]);
    // By hand: repeats of 210.31, 210.06 and 210.66 have a mean of 210.3, four fifths of it are 168.3.
    let row = out.lines().find(|l| l.contains("RAID 10, randwrite") && l.contains("write iops")).unwrap();
    for part in ["210", "168", "-20.0 %", "worse"] {
        assert!(row.contains(part), "{row}");
    }
    assert!(
        out.contains(
            "8 figures tested against a difference of 5 %: 1 worse, 0 better, 7 without a difference, 0 inconclusive."
        ),
        "{out}"
    );
    let (_, out, _) = compare(&sample(LEVELS), new.path(), &["--format", "markdown"]);
    assert!(out.starts_with("| configuration ") && out.contains("\n- Worse: RAID 10, randwrite"), "{out}");
}

#[test]
fn junit_holds_a_case_for_every_test() {
    let new = lowered(&[1, 2, 3].map(|n| format!("{CELL}_run{n}")).each_ref().map(String::as_str), 0.8);
    fs::remove_file(new.path().join("raid0_chunk64k_randread_qd4_run1.json")).unwrap();
    let (code, out, _) = compare(&sample(LEVELS), new.path(), &["--format", "junit"]);
    assert_eq!(code, 3);
    let document = roxmltree::Document::parse(&out).unwrap();
    let suite = document.descendants().find(|n| n.has_tag_name("testsuite")).unwrap();
    assert_eq!((suite.attribute("failures"), suite.attribute("errors")), (Some("1"), Some("0")));
    let cases: Vec<_> = document.descendants().filter(|n| n.has_tag_name("testcase")).collect();
    assert_eq!(suite.attribute("tests"), Some(cases.len().to_string().as_str()));
    let failed: Vec<_> = cases.iter().filter(|c| c.children().any(|n| n.has_tag_name("failure"))).collect();
    assert_eq!(failed[0].attribute("classname"), Some("RAID 10, randwrite"));
    assert_eq!(failed[0].attribute("name"), Some("write iops"));
}

#[test]
fn an_earlier_report_is_a_baseline() {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report");
    let mut command = Command::cargo_bin("plotgen").unwrap();
    let made =
        command.args(["report", "--format", "svg", "-o"]).arg(&report).arg(sample(LEVELS)).output().unwrap();
    assert!(made.status.success());
    let new = lowered(&[1, 2, 3].map(|n| format!("{CELL}_run{n}")).each_ref().map(String::as_str), 0.8);
    for base in [report.clone(), report.join("report.json")] {
        let (code, out, err) = compare(&base, new.path(), &["--format", "json"]);
        assert_eq!((code, err.as_str()), (3, ""), "{}", base.display());
        let found = verdicts(&out);
        assert_eq!(found.iter().filter(|(.., verdict)| verdict == "worse").count(), 1, "{found:?}");
        assert_eq!(found.len(), 8);
    }
    assert_eq!(compare(&report, &sample(LEVELS), &["--fail-inconclusive", "--where", "raid=10"]).0, 0);
}

#[test]
fn a_part_of_the_run_is_not_held_against_the_whole_runs_of_a_report() {
    let (folder, _) = report_against(&sample(LEVELS), &sample(LEVELS), "");
    let report = folder.path().join("out/report.json");
    let (code, _, said) = compare(&report, &sample(LEVELS), &["--from", "10"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("holds figures of whole runs, of which no part can be taken"), "{said}");
}

#[test]
fn what_stands_on_one_side_only_is_listed() {
    let new = lowered(&[], 1.0);
    for entry in fs::read_dir(new.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("raid6_") {
            fs::remove_file(path).unwrap();
        }
    }
    let (code, out, _) = compare(&sample(LEVELS), new.path(), &[]);
    assert_eq!(code, 0);
    assert!(out.contains("Only in the baseline: RAID 6, randread; RAID 6, randwrite."), "{out}");
    assert!(out.contains("6 figures tested"), "{out}");
}

#[test]
fn nothing_in_common_is_nothing_to_compare() {
    let (code, out, err) = compare(&sample("baseline"), &sample("qd-sweep"), &[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("nothing to compare"), "{err}");
    let (code, _, err) = compare(Path::new("nowhere"), &sample(LEVELS), &[]);
    assert_eq!(code, 2);
    assert!(err.contains("nowhere: no such file"), "{err}");
    let (code, _, err) = compare(&sample(LEVELS), &sample(LEVELS), &["--threshold", "iosp=5%"]);
    assert!(code == 2 && err.contains("unknown metric `iosp`"), "{err}");
    assert_eq!(compare(&sample(LEVELS), &sample(LEVELS), &["--threshold", "5"]).0, 2);
}

#[test]
fn single_runs_show_their_change_without_a_verdict() {
    let (code, out, _) = compare(&sample("qd-sweep"), &sample("qd-sweep"), &[]);
    assert_eq!(code, 0);
    assert!(out.contains("0 without a difference, 7 inconclusive"), "{out}");
    assert!(out.contains("one run on a side carries no verdict"), "{out}");
}

/// The report of `new` against a baseline, and its report.json.
fn report_against(baseline: &Path, new: &Path, config: &str) -> (TempDir, Value) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("plotgen.toml"), config).unwrap();
    let mut command = Command::cargo_bin("plotgen").unwrap();
    let output = command
        .current_dir(dir.path())
        .arg("report")
        .arg(new)
        .arg("--baseline")
        .arg(baseline)
        .args(["-q", "--format", "svg", "-o", "out"])
        .output()
        .unwrap();
    // A report tells of a regression; only `compare` fails for it.
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let document = fs::read_to_string(dir.path().join("out/report.json")).unwrap();
    (dir, serde_json::from_str(&document).unwrap())
}

#[test]
fn a_report_shows_what_changed_since_its_baseline() {
    let new = lowered(&[1, 2, 3].map(|n| format!("{CELL}_run{n}")).each_ref().map(String::as_str), 0.8);
    let (dir, document) = report_against(&sample(LEVELS), new.path(), "");
    assert_eq!(document["baseline"]["overall"], "worse");
    let finding = &document["findings"][0];
    assert_eq!(finding["kind"], "regression");
    assert_eq!(finding["text"], "Worse than the baseline: RAID 10, randwrite (write iops -20.0 %).");
    assert_eq!(finding["runs"].as_array().unwrap().len(), 3);
    assert_eq!(document["charts"][0]["id"], "iops-change");
    let page = fs::read_to_string(dir.path().join("out/index.html")).unwrap();
    assert!(page.contains("<h2>Against the baseline</h2>"));
    assert!(
        page.contains(
            "8 figures tested against a difference of 5 %: 1 worse, 0 better, 7 without a difference"
        )
    );
    let picture = fs::read_to_string(dir.path().join("out/charts/iops-change.svg")).unwrap();
    assert!(picture.contains("IOPS against the baseline: 1 worse, 7 without a difference"));

    // An earlier report is a baseline as well; a threshold in the settings allows for the change.
    let (_old_dir, old) = report_against(&sample(LEVELS), &sample(LEVELS), "");
    assert_eq!(old["baseline"]["overall"], "no-difference");
    let (_, document) =
        report_against(&_old_dir.path().join("out"), new.path(), "[threshold]\niops = \"30%\"\n");
    assert_eq!(document["baseline"]["overall"], "no-difference", "{}", document["baseline"]);
    assert_eq!(document["baseline"]["changes"][0]["threshold"], 0.3);
}

#[test]
fn runs_carry_their_depth_their_steadiness_and_their_phases_in_the_document() {
    let (_dir, document) = report_against(&sample(LEVELS), &sample(LEVELS), "");
    let run = document["runs"].as_array().unwrap().iter().find(|run| run["id"] == format!("{CELL}_run1"));
    let run = run.unwrap();
    assert_eq!(run["littles_law"]["configured"], 4.0);
    let measured = run["littles_law"]["measured"].as_f64().unwrap();
    assert!((measured - 4.0).abs() < 0.04, "{measured}");
    let steady = run["steady"].as_array().unwrap();
    assert!(steady.iter().all(|s| s["rounds"].as_array().unwrap().len() == 5) && !steady.is_empty());
    assert_eq!(run["phases"], json!([]));
}
