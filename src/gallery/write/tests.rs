//! Writing: refusals, carried-over files, and every point of interruption.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::gallery::write::guard::{self, Place};
use crate::gallery::write::manifest;
use crate::gallery::write::swap::{self, Before};
use crate::gallery::{GalleryError, MANIFEST, Refusal, Writer, check_output, write};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

type Files = BTreeMap<String, Vec<u8>>;

fn files(entries: &[(&str, &str)]) -> Files {
    entries.iter().map(|&(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect()
}

fn first() -> Files {
    files(&[("index.html", "one"), ("charts/a.svg", "a"), ("charts/b.svg", "b"), ("old/only.html", "x")])
}

fn second() -> Files {
    files(&[("index.html", "two"), ("charts/a.svg", "a"), ("charts/c.svg", "c"), ("new/only.html", "y")])
}

fn with_manifest(mut files: Files) -> Files {
    let hashes = files.iter().map(|(path, bytes)| (path.clone(), Sha256::digest(bytes).into())).collect();
    files.insert(MANIFEST.to_owned(), manifest::document(&hashes).unwrap());
    files
}

/// All steps by which a report takes the place of another, the manifest last.
fn exchange(place: &Place, files: &Files, before: Before<'_>) -> Result<(), GalleryError> {
    swap::stage(place, std::iter::empty(), before)?;
    let manifest = files.get_key_value(MANIFEST);
    for (path, bytes) in files.iter().filter(|(path, _)| *path != MANIFEST).chain(manifest) {
        swap::put(place, path, bytes, before)?;
    }
    swap::exchange(place, before)
}

/// Every file below `folder` with its content; links as `-> target`.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut tree = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).min_depth(1) {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        if entry.path_is_symlink() {
            tree.insert(path, format!("-> {}", fs::read_link(entry.path()).unwrap().display()));
        } else if entry.file_type().is_file() {
            tree.insert(path, String::from_utf8(fs::read(entry.path()).unwrap()).unwrap());
        } else {
            tree.insert(path, "/".to_owned());
        }
    }
    tree
}

fn refusal(out: &Path, inputs: &[PathBuf]) -> Refusal {
    let early = check_output(out, inputs).map_err(|error| error.to_string());
    let late = write(&first(), out, inputs);
    // What stands in a file's way is known only with the files.
    if !matches!(&late, Err(GalleryError::Refused { reason: Refusal::InTheWay(_), .. })) {
        assert_eq!(early.err(), late.as_ref().err().map(ToString::to_string));
    }
    match late {
        Err(GalleryError::Refused { reason, .. }) => reason,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn looking_at_a_folder_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    check_output(&dir.path().join("deep/er/report"), &[dir.path().to_owned()]).unwrap();
    assert_eq!(tree(dir.path()), BTreeMap::new());
}

#[test]
fn a_report_is_written_into_a_new_or_an_empty_folder() {
    let dir = tempfile::tempdir().unwrap();
    for out in [dir.path().join("deep/er/report"), dir.path().join("empty")] {
        if out.ends_with("empty") {
            fs::create_dir(&out).unwrap();
        }
        let written = write(&first(), &out, &[]).unwrap();
        assert!(written.changed && written.index == out.join("index.html"));
        assert_eq!(fs::read_to_string(out.join("charts/a.svg")).unwrap(), "a");
        assert!(out.join(MANIFEST).is_file());
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left beside");
}

#[test]
fn nothing_in_the_folder_is_touched_when_nothing_changed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    write(&first(), &out, &[]).unwrap();
    let times = || -> Vec<_> {
        let entries = walkdir::WalkDir::new(&out).sort_by_file_name();
        entries.into_iter().map(|e| e.unwrap().metadata().unwrap().modified().unwrap()).collect()
    };
    let before = times();
    assert!(!write(&first(), &out, &[]).unwrap().changed);
    assert_eq!(times(), before);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside");
}

#[test]
fn files_that_did_not_change_keep_their_time_and_others_go() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    write(&first(), &out, &[]).unwrap();
    let modified = || fs::metadata(out.join("charts/a.svg")).unwrap().modified().unwrap();
    let before = modified();
    fs::write(out.join("index.html"), "edited by hand").unwrap();
    assert!(write(&second(), &out, &[]).unwrap().changed);
    assert_eq!(modified(), before);
    assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), "two");
    assert!(!out.join("charts/b.svg").exists() && !out.join("old").exists());
}

#[test]
fn an_edited_file_is_replaced_even_when_the_report_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    write(&first(), &out, &[]).unwrap();
    fs::write(out.join("charts/a.svg"), "z").unwrap();
    assert!(write(&first(), &out, &[]).unwrap().changed);
    assert_eq!(fs::read_to_string(out.join("charts/a.svg")).unwrap(), "a");
}

/// Puts things of the user's into a report.
fn add_foreign(out: &Path) {
    fs::create_dir_all(out.join(".git/objects")).unwrap();
    fs::write(out.join(".git/HEAD"), "ref: refs/heads/main").unwrap();
    fs::write(out.join("CNAME"), "bench.example").unwrap();
    fs::write(out.join("charts/mine.txt"), "notes").unwrap();
    fs::write(out.join("old/mine.txt"), "more notes").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("CNAME", out.join("link")).unwrap();
}

fn assert_foreign(out: &Path, at: &str) {
    assert!(out.join(".git/objects").is_dir(), "{at}");
    for (path, text) in [
        (".git/HEAD", "ref: refs/heads/main"),
        ("CNAME", "bench.example"),
        ("charts/mine.txt", "notes"),
        ("old/mine.txt", "more notes"),
        #[cfg(unix)]
        ("link", "bench.example"),
    ] {
        assert_eq!(fs::read_to_string(out.join(path)).ok().as_deref(), Some(text), "{at}: {path}");
    }
}

#[test]
fn what_is_not_plotgens_is_carried_over() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    write(&first(), &out, &[]).unwrap();
    add_foreign(&out);
    assert!(!write(&first(), &out, &[]).unwrap().changed, "files of the user's are no change");
    write(&second(), &out, &[]).unwrap();
    assert_foreign(&out, "after the second report");
    assert!(!out.join("old/only.html").exists());
}

/// True when `folder` holds all files of `report`, its manifest too.
fn is_whole(folder: &Path, report: &Files) -> bool {
    folder.join(MANIFEST).is_file()
        && report.iter().all(|(path, bytes)| fs::read(folder.join(path)).is_ok_and(|found| found == *bytes))
}

#[test]
fn after_an_interruption_at_any_point_a_whole_report_exists_and_the_next_start_finishes() {
    let mut stops = 0;
    for stop in 0.. {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("report");
        write(&first(), &out, &[]).unwrap();
        add_foreign(&out);
        let place = guard::place(&out, &[]).unwrap();
        let with_manifest = with_manifest(second());
        let mut step = 0;
        let stopped = exchange(&place, &with_manifest, &mut |path| {
            if step == stop {
                return Err(GalleryError::Duplicate { path: format!("stopped before {}", path.display()) });
            }
            step += 1;
            Ok(())
        });
        let Err(error) = stopped else { break };
        let whole = is_whole(&out, &first()) || is_whole(&out, &second()) || is_whole(&place.old, &first());
        assert!(whole, "{error}");

        // The recovery itself may be interrupted as well, at each of its steps.
        for again in 0..12 {
            let mut step = 0;
            let _ = swap::recover(&place, &mut |_| {
                step += 1;
                if step > again { Err(GalleryError::Duplicate { path: String::new() }) } else { Ok(()) }
            });
        }
        assert!(write(&second(), &out, &[]).is_ok(), "{error}");
        assert!(is_whole(&out, &second()), "{error}");
        assert_foreign(&out, &error.to_string());
        assert!(!out.join("old/only.html").exists() && !out.join("charts/b.svg").exists(), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "{error}: nothing is left beside");
        stops += 1;
    }
    // Folder, five files with the manifest, permissions, two moves, five things carried over, five removed, the folder.
    assert!(stops >= 18, "{stops}");
}

#[test]
fn a_first_report_that_was_interrupted_leaves_nothing_in_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    let place = guard::place(&out, &[]).unwrap();
    let mut steps = 0;
    let stopped = exchange(&place, &first(), &mut |_| {
        steps += 1;
        if steps > 3 { Err(GalleryError::Duplicate { path: String::new() }) } else { Ok(()) }
    });
    assert!(stopped.is_err() && !out.exists() && place.new.is_dir());
    write(&first(), &out, &[]).unwrap();
    assert!(is_whole(&out, &first()) && !place.new.exists());
}

#[test]
fn folders_that_are_not_plotgens_are_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("results")).unwrap();
    fs::write(at("results/a.log"), "1, 2, 0, 4096").unwrap();
    fs::create_dir(at("empty")).unwrap();
    fs::write(at("file"), "text").unwrap();
    let before = tree(dir.path());

    assert_eq!(refusal(&at("results"), &[]), Refusal::Foreign);
    assert_eq!(refusal(&at("results"), &[at("results")]), Refusal::Input);
    assert_eq!(refusal(&at("results/../results/."), &[at("results")]), Refusal::Input);
    assert_eq!(refusal(&at("results"), &[at("results/a.log")]), Refusal::HoldsInput(at("results/a.log")));
    assert_eq!(refusal(&at("empty"), &[at("empty")]), Refusal::Input);
    assert_eq!(refusal(&at("file"), &[]), Refusal::File);
    assert_eq!(refusal(&at("file"), &[at("file")]), Refusal::Input);
    assert_eq!(refusal(Path::new("."), &[]), Refusal::WorkingDirectory);
    assert_eq!(refusal(Path::new("src/.."), &[]), Refusal::WorkingDirectory);
    assert_eq!(refusal(Path::new("src"), &[]), Refusal::Foreign);
    assert_eq!(refusal(Path::new("/"), &[]), Refusal::Nameless);
    assert_eq!(tree(dir.path()), before);

    write(&first(), &at("results/report"), &[at("results")]).unwrap();
    assert!(at("results/report/index.html").is_file(), "a report may lie inside an input folder");
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_anything_is_decided() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("results")).unwrap();
    fs::write(at("results/a.log"), "1, 2, 0, 4096").unwrap();
    fs::create_dir(at("site")).unwrap();
    for (target, link) in [
        ("results", "to-results"),
        ("results/a.log", "to-file"),
        ("nowhere", "dangling"),
        ("site", "to-site"),
    ] {
        symlink(target, at(link)).unwrap();
    }
    let before = tree(dir.path());
    assert_eq!(refusal(&at("to-results"), &[]), Refusal::Foreign);
    assert_eq!(refusal(&at("to-results"), &[at("results")]), Refusal::Input);
    assert_eq!(
        refusal(&at("results"), &[at("to-results/a.log")]),
        Refusal::HoldsInput(at("to-results/a.log"))
    );
    assert_eq!(refusal(&at("to-file"), &[]), Refusal::File);
    assert_eq!(refusal(&at("dangling"), &[]), Refusal::DanglingLink);
    assert_eq!(tree(dir.path()), before);

    write(&first(), &at("to-site"), &[]).unwrap();
    assert!(at("to-site").is_symlink() && at("site/index.html").is_file());
}

#[test]
fn something_of_the_users_in_place_of_a_file_to_come_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    write(&first(), &out, &[]).unwrap();
    fs::write(out.join("new"), "a file where a folder has to go").unwrap();
    let before = tree(&out);
    match write(&second(), &out, &[]) {
        Err(GalleryError::Refused { reason: Refusal::InTheWay(path), .. }) => assert_eq!(path, "new"),
        other => panic!("expected a refusal, got {other:?}"),
    }
    assert_eq!(tree(&out), before);
}

#[test]
fn a_manifest_that_lists_files_elsewhere_removes_none_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    write(&first(), &out, &[]).unwrap();
    fs::write(dir.path().join("precious"), "keep").unwrap();
    let absolute = dir.path().join("precious").display().to_string();
    fs::write(
        out.join(MANIFEST),
        format!(r#"{{"manifest": 1, "files": {{"../precious": "", "{absolute}": "", "index.html": ""}}}}"#),
    )
    .unwrap();
    write(&second(), &out, &[]).unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("precious")).unwrap(), "keep");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_with_the_path() {
    let error = write(&first(), Path::new("/proc/plotgen/report"), &[]).unwrap_err();
    assert!(error.to_string().contains("/proc/plotgen"), "{error}");
}

#[test]
fn an_empty_folder_that_was_moved_aside_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    for stop in 0.. {
        fs::create_dir_all(&out).unwrap();
        let place = guard::place(&out, &[]).unwrap();
        let mut step = 0;
        let stopped = exchange(&place, &with_manifest(first()), &mut |_| {
            step += 1;
            if step > stop { Err(GalleryError::Duplicate { path: String::new() }) } else { Ok(()) }
        });
        let done = stopped.is_ok();
        write(&first(), &out, &[]).unwrap_or_else(|error| panic!("stop {stop}: {error}"));
        assert!(is_whole(&out, &first()), "stop {stop}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "stop {stop}");
        fs::remove_dir_all(&out).unwrap();
        if done {
            break;
        }
    }
}

#[test]
fn of_two_reports_into_one_folder_at_once_the_second_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    let mut one = Writer::open(&out, &[]).unwrap();
    one.add("index.html", b"one").unwrap();
    for _ in 0..2 {
        let refused = Writer::open(&out, &[]).unwrap_err();
        assert!(matches!(refused, GalleryError::Refused { reason: Refusal::Busy, .. }), "{refused}");
    }
    // Into another folder beside it there may be one.
    write(&second(), &dir.path().join("other"), &[]).unwrap();
    one.add("charts/a.svg", b"a").unwrap();
    one.finish().unwrap();
    let expected = files(&[("index.html", "one"), ("charts/a.svg", "a")]);
    assert!(is_whole(&out, &expected));
    write(&second(), &out, &[]).unwrap();
    assert!(is_whole(&out, &second()));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left beside");
}

#[test]
fn the_lock_of_a_process_that_died_keeps_nobody_away() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    let lock = guard::place(&out, &[]).unwrap().lock;
    fs::write(&lock, "").unwrap();
    write(&first(), &out, &[]).unwrap();
    assert!(is_whole(&out, &first()) && !lock.exists());
}
