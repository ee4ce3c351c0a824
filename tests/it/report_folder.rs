//! Where a report goes: what is refused, what stays untouched, what an interruption leaves.

use crate::bad_inputs::{files, numbers};
use crate::cli::{empty, plotgen, run};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// A directory with the folder `in`, which holds the files of two runs.
fn inputs() -> TempDir {
    let dir = empty();
    fs::create_dir(dir.path().join("in")).unwrap();
    for entry in fs::read_dir(crate::support::sample("qd-sweep")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.contains("_qd16_") || name.contains("_qd1_") {
            fs::copy(&path, dir.path().join("in").join(name)).unwrap();
        }
    }
    dir
}

/// Everything below a folder, with its time and size.
fn listing(folder: &Path) -> Vec<(String, SystemTime, u64)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        found.push((path.display().to_string(), meta.modified().unwrap(), meta.len()));
    }
    found.sort();
    found
}

#[test]
fn folders_that_are_not_plotgens_are_refused_and_stay_untouched() {
    let dir = inputs();
    fs::create_dir(dir.path().join("foreign")).unwrap();
    fs::write(dir.path().join("foreign/thesis.txt"), "years of work").unwrap();
    fs::write(dir.path().join("file"), "x").unwrap();
    let before = listing(dir.path());
    for out in [".", "in", "in/..", "foreign", "file", "/"] {
        let (code, stdout, err) = run(&dir, &["in", "-o", out, "--format", "svg"]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{out}: {err}");
        assert!(err.contains("error: will not write a report to"), "{out}: {err}");
        assert_eq!(listing(dir.path()), before, "{out}");
    }
}

#[test]
fn a_report_in_its_own_inputs_folder_is_no_input_of_the_next() {
    let dir = inputs();
    for inputs in [&["."][..], &["in", "report"]] {
        let args = [inputs, &["-o", "report", "--format", "svg"]].concat();
        let existed = dir.path().join("report").exists();
        let (code, _, err) = run(&dir, &args);
        assert_eq!(code, if existed || inputs == ["."] { 0 } else { 1 }, "{err}");
        let first = listing(&dir.path().join("report"));
        let (code, _, err) = run(&dir, &args);
        assert_eq!(code, 0, "{err}");
        assert_eq!(listing(&dir.path().join("report")), first, "{inputs:?}");
    }
}

/// The files of a folder by their names below it.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let below = |path: &Path| path.strip_prefix(folder).unwrap().display().to_string();
    files(folder).into_iter().map(|(path, bytes)| (below(&path), bytes)).collect()
}

#[test]
fn order_and_spelling_of_the_inputs_and_threads_change_no_byte() {
    let dir = inputs();
    let mut names: Vec<String> =
        files(&dir.path().join("in")).iter().map(|(path, _)| path.display().to_string()).collect();
    let absolute = names.clone();
    for name in &mut names {
        *name = format!("./in/../in/{}", Path::new(name).file_name().unwrap().to_str().unwrap());
    }
    names.reverse();
    let ways: [(&[String], &str); 4] = [
        (&["in".to_owned()], "1"),
        (&names, "2"),
        (&absolute, "1"),
        (&["in/*.json".to_owned(), "in/".to_owned(), absolute[0].clone()], "2"),
    ];
    let mut first: Option<BTreeMap<String, Vec<u8>>> = None;
    for (index, (inputs, threads)) in ways.iter().enumerate() {
        let out = format!("out{index}");
        let mut args: Vec<&str> = inputs.iter().map(String::as_str).collect();
        args.extend(["-o", &out, "--format", "svg", "--threads", threads]);
        let (code, _, err) = run(&dir, &args);
        assert_eq!(code, 0, "{err}");
        let written = contents(&dir.path().join(out));
        let first = first.get_or_insert_with(|| written.clone());
        let names: Vec<&String> = written.keys().collect();
        assert_eq!(names, first.keys().collect::<Vec<_>>(), "{inputs:?}");
        for (name, bytes) in &written {
            assert!(*bytes == first[name], "{name} differs: {inputs:?}, {threads} threads");
        }
    }
}

/// True when a folder holds all files that its manifest lists, as it lists them.
fn is_whole(folder: &Path) -> bool {
    let Ok(bytes) = fs::read(folder.join(plotgen::discover::MANIFEST)) else { return false };
    let manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    manifest["files"].as_object().unwrap().iter().all(|(path, hash)| {
        let digest = Sha256::digest(fs::read(folder.join(path)).unwrap_or_default());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        *hash == hex
    })
}

#[test]
fn a_run_that_is_killed_leaves_a_whole_report() {
    let dir = inputs();
    let report = |title: &str| {
        let mut command = std::process::Command::new(plotgen(&dir).get_program());
        command.current_dir(dir.path()).args(["in", "-o", "out", "--format", "svg", "--title", title]);
        command.stderr(std::process::Stdio::null());
        command
    };
    let started = std::time::Instant::now();
    assert!(report("first").status().unwrap().success());
    let whole = started.elapsed().as_micros() as u64;
    let out = dir.path().join("out");
    let aside = dir.path().join(".out.plotgen-old");
    for (round, number) in numbers(18).skip(20).take(24).enumerate() {
        let mut child = report(&format!("round {round}")).spawn().unwrap();
        // Writing comes last, so most moments are near the end.
        let moment = whole * (70 + number % 40) / 100;
        std::thread::sleep(Duration::from_micros(moment));
        let _ = child.kill();
        child.wait().unwrap();
        assert!(is_whole(&out) || is_whole(&aside), "round {round}, after {moment} us");
    }
    assert!(report("last").status().unwrap().success());
    assert!(is_whole(&out) && fs::read_to_string(out.join("index.html")).unwrap().contains("last"));
    let mut left: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["in", "out"]);
}
