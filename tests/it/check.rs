//! The methodology audit on real runs, and `plotgen check`.

use crate::support::{campaign, campaign_under, package, sample, shared};
use assert_cmd::Command;
use plotgen::analyze::{AnalyzeOptions, ArrayModel, CHECKS, repeat};
use plotgen::model::{Campaign, Check, Ddir, Measure, Metric, Severity};
use plotgen::spec::Filter;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tempfile::TempDir;

fn check<'a>(campaign: &'a Campaign, id: &str) -> Option<&'a Check> {
    campaign.checks.iter().find(|check| check.id == id)
}

#[test]
fn every_check_is_documented_under_its_name() {
    let page = fs::read_to_string(package().join("docs/checks.md")).unwrap();
    for rule in CHECKS {
        assert!(page.contains(&format!("\n### {}\n", rule.id)), "{}", rule.id);
    }
    assert_eq!(page.matches("\n### ").count(), CHECKS.len());
}

/// Labels of the runs that a check concerns.
fn labels<'a>(campaign: &'a Campaign, id: &str) -> Vec<&'a str> {
    let runs = check(campaign, id).map(|check| check.runs.as_slice()).unwrap_or_default();
    runs.iter().map(|&run| campaign.runs[run].run.label.as_str()).collect()
}

#[test]
fn the_level_sweep_is_clean_whatever_is_known_about_the_machine() {
    let known = |disk: &str| {
        [("ram", "1G"), ("disk", disk)].map(|(key, value)| (key.to_owned(), value.to_owned())).into()
    };
    let hard_disks = AnalyzeOptions {
        model: Some(ArrayModel { drives: Some(6), drive_iops: Some(75.0) }),
        system: known("hdd"),
        ..AnalyzeOptions::default()
    };
    for options in [AnalyzeOptions::default(), hard_disks] {
        let campaign = campaign_under(&[&sample("level-sweep")], &options);
        let ids: BTreeSet<&str> = campaign.checks.iter().map(|check| check.id.as_str()).collect();
        let known: BTreeSet<&str> = ["percentile-support", "no-ramp", "not-checked"].into();
        assert!(ids.is_subset(&known), "{:#?}", campaign.checks);
        assert!(campaign.checks.iter().all(|check| check.severity == Severity::Info));
    }
    // On an SSD 40 s are short, which is true.
    let options = AnalyzeOptions { system: known("ssd"), ..AnalyzeOptions::default() };
    let campaign = campaign_under(&[&sample("level-sweep")], &options);
    assert_eq!(labels(&campaign, "too-short").len(), 24);
}

#[test]
fn the_buffered_run_is_suspected_of_a_cache_and_no_other() {
    let campaign = campaign(&[&sample("")]);
    assert_eq!(labels(&campaign, "cache-suspected"), ["raid5_chunk64k_randwrite_qd4_cached_run1"]);
    let evidence = &check(&campaign, "cache-suspected").unwrap().evidence;
    let text = evidence.values().next().unwrap();
    // It falls in two steps, to 84.2 IOPS at 4.0 s and to 27.0 at 29.5 s.
    assert_eq!(
        text,
        "direct=0; the write rate falls from 9,371 IOPS after 4.0 s and is at 27.0 IOPS from 29.5 s on"
    );
    // Its rate in the first 4 s is 9 times what the array does later; no error, though.
    assert!(campaign.checks.iter().all(|check| check.severity < Severity::Error));
}

#[test]
fn the_report_and_the_check_call_the_same_runs_erratic_by_the_same_shares() {
    let data = campaign(&[&package().join("sample-logs")]);
    let check = check(&data, "erratic").unwrap();
    let finding = data.findings.iter().find(|finding| finding.kind == "erratic").unwrap();
    assert_eq!(finding.runs, check.runs);
    assert_eq!(check.runs.len(), 4);
    for seen in check.evidence.values() {
        let share = seen.split("vary by ").nth(1).and_then(|rest| rest.split(" between").next()).unwrap();
        assert!(finding.text.contains(&format!("({share}")), "{share} in {}", finding.text);
    }
    // The buffered run by what it does after its cache is full, not by the fall.
    assert!(finding.text.contains("buffered, special, cached (102 % after its fall)"), "{}", finding.text);
}

#[test]
fn one_repeat_of_the_whole_campaign_stands_apart() {
    let Some(path) = shared("raid-campaign") else { return };
    let campaign = campaign(&[&path]);
    let outliers = check(&campaign, "repeat-outlier").unwrap();
    let ids: Vec<&str> = outliers.runs.iter().map(|&run| campaign.runs[run].run.id.as_str()).collect();
    assert_eq!(ids, ["mech7200/level-sweep/raid10_chunk64k_randread_qd4_run3"]);
    let text = outliers.evidence.values().next().unwrap();
    assert_eq!(text, "read: 381 IOPS, the median of 3 repeats is 475 IOPS (modified z 3.3)");
    let suspected: BTreeSet<&str> = labels(&campaign, "cache-suspected").into_iter().collect();
    assert_eq!(suspected, BTreeSet::from(["raid5_chunk64k_randwrite_qd4_cached_run1"]));
}

fn plotgen(dir: &TempDir, args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("plotgen").unwrap().current_dir(dir.path()).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn path(folder: &str) -> String {
    sample(folder).to_string_lossy().into_owned()
}

#[test]
fn check_fails_at_its_level_and_not_below() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = plotgen(&dir, &["check", &path("level-sweep"), "--fail-on", "warning"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.contains("info: no-ramp (24 of 24 runs)\n  runs: 24 of 24 runs: no ramp_time\n  -> "),
        "{out}"
    );
    assert!(out.ends_with("24 runs: 0 errors, 0 warnings, 3 notes\n"), "{out}");
    let (code, out, _) = plotgen(&dir, &["check", &path("special")]);
    assert_eq!(code, 0, "{out}");
    let (code, out, _) = plotgen(&dir, &["check", &path("special"), "--fail-on", "warning"]);
    assert_eq!(code, 4, "{out}");
    assert!(out.starts_with("warning: cache-suspected (1 of 4 runs)\n"), "{out}");
    let (code, _, err) = plotgen(&dir, &["check", "nowhere"]);
    assert_eq!((code, err.starts_with("error: nowhere: no such file")), (2, true), "{err}");
}

#[test]
fn an_error_of_a_job_fails_by_default() {
    let dir = tempfile::tempdir().unwrap();
    let name = "single_randread_qd4_run1.json";
    let json = fs::read_to_string(sample("baseline").join(name)).unwrap();
    fs::write(dir.path().join(name), json.replacen("\"error\" : 0", "\"error\" : 5", 1)).unwrap();
    let (code, out, _) = plotgen(&dir, &["check", name]);
    assert_eq!(code, 4, "{out}");
    assert!(out.starts_with("error: job-errors (1 of 1 run)\n"), "{out}");
    // Silenced with a reason it stays in the list.
    fs::write(dir.path().join("plotgen.toml"), "[silence]\njob-errors = \"a known fault\"\n").unwrap();
    let (code, out, _) = plotgen(&dir, &["check", name, "--fail-on", "warning"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("info: job-errors") && out.contains("  silenced: a known fault\n"), "{out}");
}

#[test]
fn checks_for_scripts_are_those_of_the_report() {
    let dir = tempfile::tempdir().unwrap();
    let args = [path("special"), "--format".to_owned(), "json".to_owned()];
    let args: Vec<&str> = ["check"].into_iter().chain(args.iter().map(String::as_str)).collect();
    let (code, out, _) = plotgen(&dir, &args);
    let checks: Vec<BTreeMap<String, serde_json::Value>> = serde_json::from_str(&out).unwrap();
    assert_eq!((code, checks[0]["id"].as_str()), (0, Some("cache-suspected")));
    assert_eq!(checks[0]["runs"][0], "raid5_chunk64k_randwrite_qd4_cached_run1");
    let keys: Vec<&str> = checks[0].keys().map(String::as_str).collect();
    assert_eq!(keys, ["advice", "evidence", "id", "runs", "severity"]);
    let (code, _, err) = plotgen(&dir, &[&path("special"), "--chart", "iops-by-raid", "-q"]);
    assert_eq!(code, 0, "{err}");
    let report = fs::read_to_string(dir.path().join("report/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["checks"], serde_json::from_str::<serde_json::Value>(&out).unwrap());
}

#[test]
fn what_only_the_user_knows_comes_from_flags_and_the_settings_file() {
    let dir = tempfile::tempdir().unwrap();
    let logs = path("level-sweep");
    let (_, out, _) = plotgen(&dir, &["check", &logs, "--set", "ram=4G", "--set", "disk=ssd"]);
    assert!(out.contains("warning: too-short (24 of 24 runs)") && !out.contains("not-checked"), "{out}");
    let (_, out, _) = plotgen(&dir, &["check", &logs, "--model", "drives=6,drive-iops=50"]);
    assert!(
        out.contains("info: above-model") && out.contains("150 % of the RAID model's 50.0 IOPS"),
        "{out}"
    );
    fs::write(
        dir.path().join("plotgen.toml"),
        "[model]\ndrives = 6\ndrive-iops = 50\n[system]\nram = \"4G\"\ndisk = \"ssd\"\ndevice-bw = \"550 MB/s\"\n",
    )
    .unwrap();
    let (_, out, _) = plotgen(&dir, &["check", &logs]);
    assert!(
        out.contains("above-model") && out.contains("too-short") && !out.contains("not-checked"),
        "{out}"
    );
    // The flag wins over the file.
    let (_, out, _) = plotgen(&dir, &["check", &logs, "--model", "drive-iops=75"]);
    assert!(!out.contains("above-model"), "{out}");
}

#[test]
fn slips_in_what_the_user_says_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    for (text, part) in [
        ("[model]\ndrive = 6\n", "unknown key `drive`; did you mean `drives`?"),
        ("[model]\ndrives = 0\n", "[model] drives: expected a whole number from 1 on"),
        ("[system]\ndisk = \"tape\"\n", "[system] disk: expected hdd or ssd"),
        ("[system]\nram = \"much\"\n", "[system] ram: expected a size such as 4G"),
        ("[silence]\nno-rampp = \"x\"\n", "[silence] unknown key `no-rampp`; did you mean `no-ramp`?"),
        ("[silence]\nno-ramp = \"\"\n", "[silence] no-ramp: say why"),
    ] {
        fs::write(dir.path().join("plotgen.toml"), text).unwrap();
        let (code, _, err) = plotgen(&dir, &["check", "x"]);
        assert_eq!((code, err.contains(part)), (2, true), "{text}: {err}");
    }
    fs::remove_file(dir.path().join("plotgen.toml")).unwrap();
    let (code, _, err) = plotgen(&dir, &["check", "x", "--model", "disks=6"]);
    assert_eq!((code, err.contains("drives=6,drive-iops=75")), (2, true), "{err}");
}

/// A folder with files of the level sweep under other names.
fn copied(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (from, to) in files {
        std::fs::copy(sample("level-sweep").join(from), dir.path().join(to)).unwrap();
    }
    dir
}

const FIRST: &str = "raid10_chunk64k_randwrite_qd4_run1.json";
const SECOND: &str = "raid10_chunk64k_randwrite_qd4_run2.json";

#[test]
fn a_copied_file_is_no_repeat_in_tables_comparisons_and_the_report() {
    let dir = copied(&[(FIRST, FIRST), (FIRST, SECOND), (FIRST, "raid10_chunk64k_randwrite_qd4_run3.json")]);
    let from = dir.path().to_string_lossy().into_owned();
    let said =
        "raid10_chunk64k_randwrite_qd4_run2 and raid10_chunk64k_randwrite_qd4_run3 have exactly its figures";
    let (_, out, err) = plotgen(&dir, &["summary", &from, "--no-cache"]);
    assert!(err.contains(&format!("{said}: copies count as no repeats")), "{err}");
    let row = out.lines().find(|line| line.contains("write")).unwrap();
    // n is 1, the IOPS those of the file (210.306859), and nothing has an interval.
    assert!(
        row.split_whitespace().any(|word| word == "1") && row.contains("210") && !row.contains('±'),
        "{row}"
    );
    let (_, out, _) = plotgen(&dir, &["check", &from, "--no-cache"]);
    assert!(out.contains("warning: repeat-copies (3 of 3 runs)") && out.contains(said), "{out}");
    // Three copies against three copies would be "no difference" with certainty.
    let (code, out, _) = plotgen(&dir, &["compare", &from, &from, "--no-cache", "--fail-inconclusive"]);
    assert!(code == 5 && out.contains("one run on a side carries no verdict"), "{code} {out}");
}

#[test]
fn a_copy_among_repeats_leaves_their_number_and_mean_to_the_others() {
    let dir = copied(&[(FIRST, FIRST), (SECOND, SECOND), (FIRST, "raid10_chunk64k_randwrite_qd4_run3.json")]);
    let campaign = campaign(&[dir.path()]);
    let measure = Measure::mean(Metric::Iops);
    let cells = repeat::cells(&campaign, &Filter::default(), measure, Ddir::Write, &[]);
    let [cell] = cells.as_slice() else { panic!("{cells:?}") };
    assert_eq!(cell.runs, [0, 1]);
    // jq of both files: 210.306859 and 210.064935. Two repeats carry no interval.
    assert!((cell.mean - 210.185_897).abs() < 1e-6 && cell.interval.is_none(), "{cell:?}");
    assert_eq!(campaign.checks.iter().find(|c| c.id == "repeat-copies").unwrap().runs, [0, 2]);
}

#[test]
fn equal_figures_that_chance_can_repeat_are_no_copies() {
    let dir = tempfile::tempdir().unwrap();
    let rows: String = (1..=3).map(|n| format!("{n},iops,read,100,1/s\n")).collect();
    let table =
        format!("# rbench 1\n# raid=10 rw=randread bs=4k iodepth=4\nrepeat,metric,ddir,value,unit\n{rows}");
    std::fs::write(dir.path().join("repeats.rbench.csv"), table).unwrap();
    // Three jobs that a rate limit holds at 300 IOPS write the same rows.
    for n in 1..=3 {
        let rows: String = (1..=20).map(|i| format!("{}, 300, 0, 0, 0\n", 500 * i)).collect();
        std::fs::write(dir.path().join(format!("limited_run{n}_iops.1.log")), rows).unwrap();
    }
    let campaign = campaign(&[dir.path()]);
    assert_eq!(campaign.runs.len(), 6);
    assert!(campaign.copies.is_empty() && campaign.checks.iter().all(|c| c.id != "repeat-copies"));
}
