//! What the README tells a reader to type works, on the logs that it is shipped with.

use crate::cli::{empty, run};
use crate::support::package;
use std::fs;

/// The lines of code blocks, indented or fenced.
fn code() -> Vec<String> {
    let text = fs::read_to_string(package().join("README.md")).unwrap();
    let mut fenced = false;
    let mut code = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            code.push(line.to_owned());
        } else if let Some(line) = line.strip_prefix("    ") {
            code.push(line.to_owned());
        }
    }
    code
}

/// The words of a command line without variables: blanks part them, quotes hold them together, `#` ends them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        let word = words.last_mut().unwrap();
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') if word.is_empty() => break,
            (None, ' ') if word.is_empty() => {}
            (None, ' ') => words.push(String::new()),
            _ => word.push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_line_of_the_readme_works_on_the_sample_logs() {
    let logs = package().join("sample-logs").to_string_lossy().into_owned();
    let mut count = 0;
    for line in code().iter().filter(|line| line.starts_with("plotgen ")) {
        if line.starts_with("plotgen ingest ") && cfg!(not(feature = "tables")) {
            continue;
        }
        let given = words(line);
        let args: Vec<String> = given
            .iter()
            .skip(1)
            .map(|word| match word.as_str() {
                "sample-logs" | "results/" => logs.clone(),
                "results/*.log" => format!("{logs}/qd-sweep/*.log"),
                _ => word.clone(),
            })
            .collect();
        let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
        // Pictures are not what this is about, and PNGs take their time.
        if given.contains(&"report".to_owned()) {
            args.extend(["--format", "svg"]);
        }
        let dir = empty();
        let (code, _, err) = run(&dir, &args);
        assert_eq!(code, 0, "{line}\n{err}");
        for sign in ["error: ", "warning: chart", "is no chunk size", "matches no run at all"] {
            assert!(!err.contains(sign), "{line}\n{err}");
        }
        if let Some(at) = given.iter().position(|word| word == "-o") {
            assert!(dir.path().join(&given[at + 1]).exists(), "{line}");
        }
        count += 1;
    }
    assert!(count >= 8, "{count} command lines");
}

#[test]
fn the_chart_of_the_readmes_settings_is_sound() {
    let code = code();
    let first = code.iter().position(|line| line.starts_with("title = ")).unwrap();
    let lines = code[first..].iter().take_while(|line| !line.starts_with('#'));
    let toml = lines.cloned().collect::<Vec<_>>().join("\n");
    let dir = empty();
    fs::write(dir.path().join("plotgen.toml"), toml).unwrap();
    let logs = package().join("sample-logs").to_string_lossy().into_owned();
    let (code, _, err) = run(&dir, &["chart", "p99-by-depth", &logs, "-o", "p99.csv"]);
    assert_eq!(code, 0, "{err}");
    assert!(!err.contains("chart p99-by-depth: Runs") && err.ends_with("chart: p99.csv\n"), "{err}");
    // Queue depths 1, 2, 4, 8, 16, 32 and 64, one run each, and the header.
    let csv = fs::read_to_string(dir.path().join("p99.csv")).unwrap();
    assert_eq!(csv.lines().count(), 8, "{csv}");
}
