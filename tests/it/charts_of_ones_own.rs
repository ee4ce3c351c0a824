//! Charts from files, as people and scripts ask for them, and the lists of what there is.

use crate::cli::{empty, run};
use crate::support::{package, sample};
use std::fs;

fn logs(folder: &str) -> String {
    sample(folder).to_string_lossy().into_owned()
}

#[test]
fn a_built_in_chart_is_printed_changed_and_drawn_again() {
    let dir = empty();
    let qd = logs("qd-sweep");
    let (code, toml, err) = run(&dir, &["chart", "lat-by-iodepth", &qd, "--print-spec"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(toml.starts_with("[[chart]]\nid = \"lat-by-iodepth\"\nmark = \"line\"\n"), "{toml}");
    fs::write(dir.path().join("mine.toml"), format!("{toml}title = \"Mine\"\ny_max = \"50 ms\"\n")).unwrap();
    let (code, _, err) = run(&dir, &["chart", "--spec", "mine.toml", &qd, "-o", "mine.json"]);
    assert_eq!(code, 0, "{err}");
    let figure: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("mine.json")).unwrap()).unwrap();
    assert_eq!(
        (figure["title"].as_str(), figure["panels"][0]["y"]["max"].as_f64()),
        (Some("Mine"), Some(50.0))
    );
    // Depths 32 and 64 have 72.4 and 146 ms.
    let notes = figure["notes"].to_string();
    assert!(notes.contains("2 values above 50.0 ms are cut, the largest is 146 ms."), "{notes}");
    // The same chart through standard input, asked for by its name.
    let output = crate::cli::plotgen(&dir)
        .args(["chart", "lat-by-iodepth", &qd, "--spec", "-", "-o", "again.json"])
        .write_stdin(fs::read_to_string(dir.path().join("mine.toml")).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
    assert_eq!(read("mine.json"), read("again.json"));
}

#[test]
fn slips_in_a_file_of_charts_are_told_with_their_place() {
    let dir = empty();
    let qd = logs("qd-sweep");
    let error = |text: &str| {
        fs::write(dir.path().join("mine.toml"), text).unwrap();
        let (code, _, err) = run(&dir, &["chart", "--spec", "mine.toml", &qd, "-o", "x.svg"]);
        assert_eq!(code, 2, "{err}");
        err
    };
    let chart = "mark = 'line'\nx = { dimension = 'iodepth' }\ny = { metric = 'iops', stat = 'mean' }\n";
    assert_eq!(
        error(&format!("id = 'a'\n{chart}titel = 'x'\n")),
        "error: mine.toml:5: unknown key `titel`; did you mean `title`?\n"
    );
    assert!(error("id = 'a'\nmark = \n").starts_with("error: mine.toml:2: "));
    let two = format!("[[chart]]\nid = 'a'\n{chart}[[chart]]\nid = 'b'\n{chart}");
    assert_eq!(error(&two), "error: mine.toml holds several charts; name one of a, b\n");
    assert!(
        error(&format!("id = 'a'\n{}", chart.replace("iodepth", "colour")))
            .contains("no run has the dimension `colour`")
    );
    let (code, _, err) = run(&dir, &["chart", "--spec", "nowhere.toml", &qd, "-o", "x.svg"]);
    assert_eq!((code, err.contains("nowhere.toml: cannot read the chart")), (2, true), "{err}");
    let (code, _, err) = run(&dir, &["chart", "--spec", "mine.toml", "-o", "x.svg"]);
    assert_eq!(code, 2, "{err}");
}

#[test]
fn colours_that_can_hardly_be_seen_are_warned_about() {
    let dir = empty();
    let text = "id = 'a'\nmark = 'bar'\nx = { dimension = 'iodepth' }\ny = { metric = 'iops', stat = 'mean' }\n\
        color = { dimension = 'iodepth' }\ncolors = { 4 = '#ffff00', 8 = '#0072b2' }\n";
    fs::write(dir.path().join("mine.toml"), text).unwrap();
    let args = ["chart", "--spec", "mine.toml", &logs("qd-sweep"), "-o", "x.svg", "--theme", "light"];
    let (code, _, err) = run(&dir, &args);
    assert_eq!(code, 0, "{err}");
    // Yellow on white has a contrast of 1.07.
    let warnings: Vec<&str> = err.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 1, "{err}");
    assert!(warnings[0].contains("the colour #ffff00 of `4` has a contrast of 1.1"), "{err}");
    let svg = fs::read_to_string(dir.path().join("x.svg")).unwrap();
    assert!(svg.contains("fill=\"#0072b2\"") && svg.contains(".pg-0072b2{color:#0072b2}"));
}

#[test]
fn kinds_are_listed_for_scripts_with_what_is_ready_and_what_is_missing() {
    let dir = empty();
    let (code, out, err) = run(&dir, &["charts", &logs("qd-sweep"), "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let kinds: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    let kind =
        |name: &str| kinds.iter().find(|kind| kind["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(kind("lat-iops-over-DIMENSION")["ready"][0], "lat-iops-over-iodepth");
    let two = kind("METRIC-by-DIMENSION-and-DIMENSION");
    assert_eq!(two["ready"].as_array().map(Vec::len), Some(0), "{two}");
    assert_eq!(two["missing"], "fewer than two dimensions vary");
    let (_, out, _) = run(&dir, &["charts", "--format", "json"]);
    let kinds: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    assert!(kinds.iter().all(|kind| kind["ready"].is_null() && kind["needs"].is_string()));
}

#[test]
fn a_chart_of_one_run_is_asked_for_by_the_runs_name() {
    let dir = empty();
    let name = "run-raid10-chunk64k-randread-qd4-run1-iops-lat-time";
    let (code, _, err) = run(&dir, &["chart", name, &logs("qd-sweep"), "-o", "x.json"]);
    assert_eq!(code, 0, "{err}");
    let figure: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("x.json")).unwrap()).unwrap();
    assert_eq!(figure["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&figure["panels"][0]["title"], &figure["panels"][1]["title"]),
        (&"IOPS".into(), &"Latency".into())
    );
}

#[test]
fn a_sheet_is_a_page_or_a_folder_with_one_chart_of_each_kind() {
    let dir = empty();
    let qd = logs("qd-sweep");
    let (code, _, err) = run(&dir, &["charts", &qd, "--gallery", "sheet.html"]);
    assert_eq!((code, err.as_str()), (0, "gallery: sheet.html\n"));
    let page = fs::read_to_string(dir.path().join("sheet.html")).unwrap();
    assert!(page.matches("<svg ").count() >= 6, "{}", page.matches("<svg ").count());
    assert!(page.contains("plotgen chart lat-iops-over-iodepth RESULTS -o chart.svg"));
    assert!(page.contains("fewer than two dimensions vary"));
    let (code, _, err) = run(&dir, &["charts", &qd, "--gallery", "sheet"]);
    assert_eq!(code, 0, "{err}");
    let page = fs::read_to_string(dir.path().join("sheet/index.html")).unwrap();
    assert!(page.contains("src=\"lat-iops-over-dimension.svg\""), "{page}");
    assert!(dir.path().join("sheet/lat-iops-over-dimension.svg").exists());
    let (code, _, err) = run(&dir, &["charts", "--gallery", "sheet"]);
    assert_eq!(code, 2, "{err}");
}

#[test]
fn the_sheet_in_the_documentation_names_every_kind() {
    let folder = package().join("docs/gallery");
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    for builtin in plotgen::spec::builtins() {
        let name = format!(">{}<", builtin.name);
        let after = page.split_once(&name).unwrap_or_else(|| panic!("docs/gallery lacks {}", builtin.name)).1;
        // What it answers, or what the sample logs lack for it.
        let card = after.split("</li>").next().unwrap().split("<dt>").next().unwrap();
        assert!(card.contains("plotgen chart ") || card.contains("; here: "), "{}: {card}", builtin.name);
    }
    let mut size = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        size += entry.unwrap().metadata().unwrap().len();
    }
    assert!(size < 1_500_000, "docs/gallery holds {size} bytes");
    for picture in page.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(folder.join(picture).exists(), "{picture}");
    }
}
