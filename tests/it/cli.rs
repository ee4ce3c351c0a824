//! The program as people and scripts meet it.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fs;
use tempfile::TempDir;

/// The program, in an empty directory of its own.
pub(crate) fn plotgen(dir: &TempDir) -> Command {
    let mut command = Command::cargo_bin("plotgen").unwrap();
    command.current_dir(dir.path()).env_remove("NO_COLOR");
    command
}

pub(crate) fn empty() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Runs with these arguments; exit code, standard output and standard error.
pub(crate) fn run(dir: &TempDir, args: &[&str]) -> (i32, String, String) {
    let output = plotgen(dir).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn help_shows_how_to_begin() {
    let dir = empty();
    for args in [&["--help"][..], &["-h"], &["help"]] {
        let (code, out, err) = run(&dir, args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        for part in ["plotgen results/", "--write_bw_log", "Exit codes", "Reading:", "summary"] {
            assert!(out.contains(part), "{args:?} lacks {part}:\n{out}");
        }
    }
    let (code, _, err) = run(&dir, &[]);
    assert_eq!(code, 2);
    assert!(err.contains("Examples:"), "{err}");
    for command in ["report", "chart", "summary", "inspect", "completions"] {
        let (code, out, _) = run(&dir, &[command, "--help"]);
        assert!(code == 0 && out.contains("Example"), "{command}:\n{out}");
    }
}

#[test]
fn the_version_is_the_packages() {
    let (code, out, _) = run(&empty(), &["--version"]);
    assert_eq!((code, out), (0, format!("plotgen {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn a_missing_path_is_one_line_and_exit_2() {
    let dir = empty();
    for args in [&["nowhere"][..], &["report", "nowhere"], &["summary", "nowhere"], &["inspect", "nowhere"]] {
        let (code, out, err) = run(&dir, args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        let lines: Vec<&str> = err.lines().collect();
        assert_eq!(
            lines,
            ["error: nowhere: no such file or directory; check the spelling and the working directory"],
            "{args:?}"
        );
    }
    assert!(!dir.path().join("report").exists());
}

#[test]
fn a_mistyped_subcommand_gets_a_hint() {
    let dir = empty();
    fs::write(dir.path().join("there"), fio_output(r#""rw":"randread""#)).unwrap();
    for (args, hint) in [
        (&["sumary", "results", "--format", "csv"][..], "did you mean `plotgen summary`?"),
        (&["chrat", "iops", "results", "-o", "x.svg"], "did you mean `plotgen chart`?"),
        (&["inspct"], "did you mean `plotgen inspect`?"),
        (&["-q", "summary", "results"], "`summary` is a subcommand and comes first"),
        (&["--threads", "1", "summary", "results"], "`summary` is a subcommand and comes first"),
        (&["-o", "summary", "check", "results"], "`check` is a subcommand and comes first"),
        (&["--title", "X", "report", "there"], "`report` is a subcommand and comes first"),
        (&["repot", "there"], "did you mean `plotgen report`?"),
        (&["-q", "repot", "there"], "did you mean `plotgen report`?"),
    ] {
        let (code, out, err) = run(&dir, args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(
            err.starts_with("error: ") && err.contains(hint) && err.lines().count() == 1,
            "{args:?}: {err}"
        );
    }
    // An input of that name is an input.
    fs::write(dir.path().join("sumary"), "nothing").unwrap();
    let (_, _, err) = run(&dir, &["sumary"]);
    assert!(!err.contains("did you mean"), "{err}");
    // One that looks like a path is missed, and the others are read.
    let (code, _, err) = run(&dir, &["run1", "there"]);
    assert_eq!(code, 1);
    assert!(err.starts_with("error: run1: no such file or directory"), "{err}");
}

#[test]
fn a_figure_that_runs_have_of_another_latency_is_told_with_the_name_of_its_chart() {
    let (code, _, err) = run(&empty(), &["chart", "lat-p99-by-raid", &sample("level-sweep"), "-o", "x.svg"]);
    assert_eq!(code, 2);
    assert!(
        err.contains(
            "no run has a figure of p99 latency; they have p99 completion latency: use clat-p99-by-raid"
        ),
        "{err}"
    );
}

#[test]
fn unknown_options_suggest_the_near_one() {
    let (code, _, err) = run(&empty(), &["report", "x", "--titel", "y"]);
    assert_eq!(code, 2);
    assert!(err.contains("--title"), "{err}");
}

#[test]
fn values_that_cannot_be_are_wrong_usage() {
    let dir = empty();
    for (args, part) in [
        (&["x", "--set", "raid"][..], "expected KEY=VALUE"),
        (&["x", "--set", "run=1"], "column of every table"),
        (&["x", "--scale", "100"], "from 0.25 to 8"),
        (&["x", "--scale", "two"], "expected a factor from 0.25 to 8, such as 2"),
        (&["x", "--from", "10", "--to", "5"], "is not before"),
        (&["x", "--from", "soon"], "expected a run time"),
        (&["x", "--exclude", "a["], "no pattern"),
        (&["x", "-q", "-v"], "cannot be used with"),
        (&["chart", "iops", "x", "-o", "x.gif"], "expected .svg, .png, .pdf, .csv or .json"),
        (&["x", "--config", "none.toml"], "none.toml: cannot read the settings"),
        (&["man", "chrat"], "did you mean `chart`?"),
    ] {
        let (code, _, err) = run(&dir, args);
        assert_eq!(code, 2, "{args:?}");
        assert!(err.contains(part), "{args:?}: {err}");
    }
}

#[test]
fn the_settings_file_is_read_and_its_slips_are_errors() {
    let dir = empty();
    fs::write(dir.path().join("plotgen.toml"), "title = \"x\"\nthreds = 2\n").unwrap();
    let (code, _, err) = run(&dir, &["nowhere"]);
    assert_eq!(
        (code, err.as_str()),
        (2, "error: plotgen.toml:2: unknown key `threds`; did you mean `threads`?\n")
    );
    fs::write(dir.path().join("other.toml"), "exclude = ['*']\n").unwrap();
    fs::write(dir.path().join("a.json"), "{}").unwrap();
    let (code, _, err) = run(&dir, &["a.json", "--config", "other.toml"]);
    assert_eq!((code, err.starts_with("error: nothing to read")), (2, true), "{err}");
}

#[test]
fn completions_and_manual_pages_come_out_for_all_commands() {
    let dir = empty();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        plotgen(&dir)
            .args(["completions", shell])
            .assert()
            .success()
            .stdout(predicate::str::contains("summary"));
    }
    let (code, page, _) = run(&dir, &["man"]);
    assert_eq!(code, 0);
    assert!(page.contains(".TH plotgen 1") && page.contains("\\-\\-no\\-siblings"), "{page}");
    let (code, page, _) = run(&dir, &["man", "chart"]);
    assert!(code == 0 && page.contains("plotgen\\-chart"), "{page}");
}

#[test]
fn formats_lists_what_is_read() {
    let (code, out, _) = run(&empty(), &["formats"]);
    assert_eq!(code, 0);
    for format in ["fio-log", "fio-json", "rbench"] {
        assert!(out.contains(format), "{out}");
    }
}

#[test]
fn charts_lists_without_inputs() {
    let (code, out, err) = run(&empty(), &["charts"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("answers"), "{out}");
}

#[test]
fn outputs_never_replace_directories_or_inputs() {
    let dir = empty();
    fs::write(dir.path().join("a.json"), "{}").unwrap();
    fs::create_dir(dir.path().join("out.csv")).unwrap();
    let (code, _, err) = run(&dir, &["summary", "a.json", "-o", "./a.json"]);
    assert_eq!((code, err.contains("is one of the inputs")), (2, true), "{err}");
    let (code, _, err) = run(&dir, &["chart", "iops", "a.json", "-o", "out.csv"]);
    assert_eq!((code, err.contains("is a directory")), (2, true), "{err}");
    assert_eq!(fs::read_to_string(dir.path().join("a.json")).unwrap(), "{}");
}

#[test]
fn strict_stops_at_a_missing_input() {
    let dir = empty();
    fs::write(dir.path().join("a.json"), "{}").unwrap();
    let (code, _, err) = run(&dir, &["a.json", "nowhere", "--strict"]);
    assert_eq!((code, err.contains("nothing written, because of --strict")), (2, true), "{err}");
}

#[test]
fn an_earlier_report_as_the_only_input_is_explained() {
    let dir = empty();
    fs::create_dir(dir.path().join("report")).unwrap();
    fs::write(dir.path().join("report").join(plotgen::discover::MANIFEST), "{}").unwrap();
    let (code, _, err) = run(&dir, &["report/"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("info: report/: an earlier report of plotgen; skipped\n"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    use std::process::{Command, Stdio};
    let program = assert_cmd::cargo::cargo_bin("plotgen");
    let mut child = Command::new(program)
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

/// The sample campaign's folder of this name, as an argument.
fn sample(folder: &str) -> String {
    crate::support::sample(folder).to_string_lossy().into_owned()
}

#[test]
fn a_report_is_written_and_a_second_run_touches_nothing() {
    let dir = empty();
    let logs = sample("qd-sweep");
    let args = [logs.as_str(), "--chart", "iops-by-iodepth", "--theme", "dark", "--scale", "2"];
    let (code, out, err) = run(&dir, &args);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.starts_with("7 runs, 1 chart; ") && err.ends_with(": report/index.html\n"), "{err}");
    for suffix in [".svg", ".png", "@2x.png", "-dark.svg", "-dark.png", "-dark@2x.png"] {
        let file = dir.path().join(format!("report/charts/iops-by-iodepth{suffix}"));
        assert!(file.is_file(), "{}", file.display());
    }
    let written = || fs::metadata(dir.path().join("report/index.html")).unwrap().modified().unwrap();
    let first = written();
    let (code, _, err) = run(&dir, &args);
    assert_eq!((code, written()), (0, first), "{err}");
}

#[test]
fn a_missing_input_beside_good_ones_is_exit_1() {
    let dir = empty();
    let (code, out, err) = run(&dir, &["summary", &sample("qd-sweep"), "nowhere", "--format", "csv"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.starts_with("error: nowhere: no such file"), "{err}");
    assert!(out.lines().count() > 100);
}

#[test]
fn the_tidy_table_has_its_columns_in_every_format() {
    let dir = empty();
    let logs = sample("qd-sweep");
    let (_, csv, _) = run(&dir, &["summary", &logs, "--format", "csv"]);
    let header = csv.lines().next().unwrap();
    assert!(header.starts_with("run,raid,chunk,rw,bs,iodepth,numjobs,repeat,"), "{header}");
    assert!(header.ends_with(",metric,ddir,stat,value,unit,origin,n"), "{header}");
    let (_, json, _) = run(&dir, &["summary", &logs, "--format", "json"]);
    let rows: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(&json).unwrap();
    assert_eq!(rows.len(), csv.lines().count() - 1);
    for row in rows {
        assert!(header.split(',').all(|column| row.contains_key(column)), "{row:?}");
    }
    let (code, _, err) = run(&dir, &["summary", &logs, "-o", "new/folder/table.csv"]);
    assert_eq!((code, err.as_str()), (0, "summary: new/folder/table.csv\n"));
    assert_eq!(fs::read_to_string(dir.path().join("new/folder/table.csv")).unwrap(), csv);
    let (_, table, _) = run(&dir, &["summary", &logs]);
    assert!(table.contains("mean latency") && table.contains("MiB/s"), "{table}");
}

#[test]
fn inspect_lists_every_file_once_with_its_reason() {
    let dir = empty();
    let (code, json, err) = run(&dir, &["inspect", &sample("qd-sweep"), "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let files: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(&json).unwrap();
    let count = fs::read_dir(crate::support::sample("qd-sweep")).unwrap().count();
    assert_eq!(files.len(), count);
    for key in ["path", "status", "format", "version", "layout", "reason", "run", "jobs", "dimensions"] {
        assert!(files.iter().all(|file| file.contains_key(key)), "{key}");
    }
    assert!(files.iter().all(|file| file["reason"] != ""));
}

#[test]
fn one_chart_goes_into_a_file_or_a_pipe() {
    let dir = empty();
    let logs = sample("qd-sweep");
    let (code, svg, err) = run(&dir, &["chart", "iops-by-iodepth", &logs, "-o", "-", "--title", "Depth"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(svg.starts_with("<svg") && svg.contains("Depth"));
    let (code, _, _) = run(&dir, &["chart", "iops-by-iodepth", &logs, "-o", "deep/er/x.csv"]);
    let csv = fs::read_to_string(dir.path().join("deep/er/x.csv")).unwrap();
    assert_eq!((code, csv.lines().count()), (0, 8), "{csv}");
    let (code, _, err) = run(&dir, &["chart", "iops-by-colour", &logs, "-o", "x.svg"]);
    assert_eq!((code, err.starts_with("error: chart `iops-by-colour`: ")), (2, true), "{err}");
    assert!(!dir.path().join("x.svg").exists());
}

/// The lines of a text that begin with a word.
fn lines_of<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(word)).collect()
}

#[test]
fn a_name_that_several_charts_begin_with_is_refused_with_their_names() {
    let dir = empty();
    let (code, _, err) = run(&dir, &["chart", "iops-by-raid", &sample(""), "-o", "x.svg"]);
    assert_eq!(code, 2);
    assert_eq!(
        lines_of(&err, "error: "),
        [
            "error: chart `iops-by-raid`: several charts begin so; name one of iops-by-raid-level-sweep, iops-by-raid-whole-surface"
        ]
    );
    assert!(!dir.path().join("x.svg").exists());
}

#[test]
fn a_chart_that_pools_runs_which_differ_warns() {
    let dir = empty();
    let logs = sample("qd-sweep");
    let (code, _, err) = run(&dir, &["chart", "iops-by-raid", &logs, "-o", "x.svg"]);
    assert_eq!(code, 0, "{err}");
    let pooled = "warning: chart iops-by-raid: Runs that differ in queue depth are pooled: 1, 2, 4, 8, 16, 32, and 1 more.";
    assert!(lines_of(&err, "warning: ").contains(&pooled), "{err}");
    assert!(err.ends_with("\nchart: x.svg\n"), "{err}");
    let (code, _, err) = run(&dir, &["chart", "iops-by-raid", &logs, "-o", "x.svg", "-q"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let (_, _, err) = run(&dir, &[&logs, "--chart", "iops-by-raid"]);
    let pooled = "warning: chart iops-by-raid: Runs that differ in queue depth are pooled";
    assert!(err.contains(pooled), "{err}");
}

#[test]
fn a_chart_by_a_dimension_that_no_run_has_is_an_error_with_those_that_occur() {
    let dir = empty();
    let logs = sample("qd-sweep");
    let own = "[[chart]]\nid = \"own\"\nmark = \"bar\"\nx = { dimension = \"qdepth\" }\ny = { metric = \"iops\", stat = \"mean\" }\n";
    fs::write(dir.path().join("own.toml"), own).unwrap();
    for args in [
        &["chart", "iops-by-qdepth", &logs, "-o", "x.svg"][..],
        &[&logs, "--chart", "iops-by-qdepth"],
        &["chart", "own", &logs, "-o", "x.svg", "--config", "own.toml"],
        &[&logs, "--config", "own.toml"],
    ] {
        let (code, _, err) = run(&dir, args);
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.contains("no run has the dimension `qdepth`; these occur: "), "{args:?}: {err}");
        assert!(err.contains("iodepth"), "{args:?}: {err}");
    }
}

#[test]
fn where_takes_a_list_and_says_once_that_nothing_is_left() {
    let dir = empty();
    let logs = sample("level-sweep");
    let (code, out, _) = run(&dir, &["summary", &logs, "--where", "raid=5,6", "--format", "json"]);
    assert_eq!(code, 0);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    let levels: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row["raid"].as_str().unwrap()).collect();
    assert_eq!(levels.into_iter().collect::<Vec<_>>(), ["5", "6"]);
    fs::write(dir.path().join("notes.txt"), "nothing of interest").unwrap();
    let (code, _, err) = run(&dir, &["summary", &logs, "notes.txt", "--where", "raid=7"]);
    assert_eq!(code, 2);
    assert_eq!(
        err,
        "error: --where: no run has raid=7; it occurs with 0, 10, 5, 6\nerror: no run is left; loosen --where\n"
    );
}

#[test]
fn a_pattern_that_takes_in_too_much_is_named_with_the_value() {
    let dir = empty();
    let logs = sample("level-sweep");
    let (code, _, err) = run(&dir, &["summary", &logs, "--pattern", r"_chunk(?<chunk>\w+)_"]);
    assert_eq!(code, 0);
    assert_eq!(
        err,
        "warning: --pattern: `64k_randread_qd4` (and 1 more) is no chunk size: `_chunk(?<chunk>\\w+)_` takes in too much; `[^_]+` ends at the next `_`\n"
    );
    let (_, _, err) = run(&dir, &["summary", &logs, "--pattern", "rack(?<rack>\\d)"]);
    assert!(err.starts_with("warning: --pattern: matches no run at all; "), "{err}");
}

/// What fio's JSON says of 4,000 reads in 10 s, its job options as given.
fn fio_output(options: &str) -> String {
    format!(
        r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"j","groupid":0,"error":0,"job options":{{{options}}},
        "read":{{"io_bytes":16384000,"bw_bytes":1638400,"iops":400.0,"runtime":10000,"total_ios":4000}}}}]}}"#
    )
}

#[test]
fn what_a_pattern_explains_of_a_path_tells_no_runs_apart() {
    let dir = empty();
    for (folder, bs) in [("small", "4k"), ("large", "64k")] {
        for repeat in 0..3 {
            let path = dir.path().join(format!("t{repeat}x-{folder}"));
            fs::create_dir_all(&path).unwrap();
            let options = format!(r#""rw":"randread","bs":"{bs}""#);
            fs::write(path.join(format!("out-mine.fio-{repeat}")), fio_output(&options)).unwrap();
        }
    }
    let counts = |pattern: &str| {
        let (code, out, err) = run(&dir, &["summary", ".", "--format", "csv", "--pattern", pattern]);
        assert_eq!((code, err.as_str()), (0, ""), "{pattern}");
        out.lines().next().unwrap_or_default().to_owned()
    };
    // Repeats by the end of the name; the folder keeps its words, as nothing explains the number in it.
    assert!(counts(r"\.fio-(?<repeat>\d)$").contains(",path1,metric,"));
    // Both numbers explained, that within a word as well: `tx-small`, `tx-large` are left of the folders.
    let (_, out, _) =
        run(&dir, &["inspect", ".", "--format", "json", "--pattern", r"t(?<repeat>\d)x.*\.fio-(?<take>\d)$"]);
    let files: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = |key: &str| -> std::collections::BTreeSet<String> {
        let files = files.as_array().unwrap().iter();
        files.filter_map(|file| Some(file["dimensions"][key]["value"].as_str()?.to_owned())).collect()
    };
    assert_eq!(of("repeat"), ["0", "1", "2"].map(str::to_owned).into());
    assert_eq!(of("path1"), ["tx-large", "tx-small"].map(str::to_owned).into());
    assert!(of("path2").is_empty());
}

#[test]
fn repeats_are_one_row_with_their_number_and_half_of_the_interval() {
    let dir = empty();
    let (_, table, _) = run(&dir, &["summary", &sample("level-sweep"), "--format", "markdown"]);
    let rows = lines_of(&table, "| raid5_chunk64k_randwrite_qd4 ");
    assert_eq!((rows.len(), table.lines().count()), (1, 2 + 8), "{table}");
    // From `jobs[0].write.iops` of the three files: 97.6 over three repeats, 4.303 * s / sqrt(3) = 1.24.
    let cells: Vec<&str> = rows[0].split('|').map(str::trim).collect();
    assert_eq!((cells[2], cells[3], cells[5]), ("write", "3", "97.6 ± 1.24"), "{table}");
}

#[test]
fn the_list_of_charts_begins_with_comparisons_and_is_narrow() {
    let dir = empty();
    let (code, out, _) = run(&dir, &["charts", &sample("qd-sweep")]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[1], "  iops-by-iodepth");
    assert!(out.contains("  and 21 charts of single runs, run-ID-METRIC; -v lists them\n"), "{out}");
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{out}");
    let kind = lines.iter().position(|line| *line == "  METRIC-time").unwrap();
    assert!(lines[kind + 1].starts_with("      answers how it runs over time"), "{out}");
    assert_eq!(lines[kind + 2], "      here: iops-time, lat-time, bw-time and 1 more", "{out}");
    let kind = lines.iter().position(|line| *line == "  METRIC-by-DIMENSION-and-DIMENSION").unwrap();
    assert!(lines[kind + 2].starts_with("      not here: "), "{out}");
    let (_, all, _) = run(&dir, &["charts", &sample("qd-sweep"), "-v"]);
    assert_eq!(lines_of(&all, "  run-").len(), 21);
}
