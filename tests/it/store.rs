//! Stores: the same campaign as from the files, however they were shared out.

use crate::support::{package, sample, shared};
use assert_cmd::Command;
use plotgen::discover::{DiscoverOptions, discover};
use plotgen::ingest::{Contents, IngestOptions, Ingested, ingest, read, write_store};
use plotgen::model::{FileState, Severity};
use std::fs;
use std::path::{Path, PathBuf};

fn contents(inputs: &[&Path], options: &IngestOptions) -> Contents {
    read(discover(inputs, &DiscoverOptions::default()), options, None, &|_, _| ())
}

fn ingested(inputs: &[&Path]) -> Ingested {
    ingest(discover(inputs, &DiscoverOptions::default()), &IngestOptions::default(), &|_, _| ())
}

fn store(inputs: &[&Path], folder: &Path) {
    let options = IngestOptions::default();
    write_store(&mut contents(inputs, &options), &options, folder).unwrap();
}

/// What a report is made of.
#[track_caller]
fn assert_same(direct: &Ingested, other: &Ingested) {
    assert_eq!(direct.files, other.files);
    assert_eq!(direct.diagnostics, other.diagnostics);
    assert_eq!(direct.runs, other.runs);
}

/// A store for each directory and one for the files beside them.
fn shared_out(campaign: &Path, stores: &Path) {
    let entries = fs::read_dir(campaign).unwrap().count();
    if entries == 1 {
        // The one directory would be taken for the root.
        return store(&[campaign], stores);
    }
    let mut loose = Vec::new();
    for (number, entry) in fs::read_dir(campaign).unwrap().enumerate() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => store(&[&path], &stores.join(format!("part{number}"))),
            false => loose.push(path),
        }
    }
    if !loose.is_empty() {
        let loose: Vec<&Path> = loose.iter().map(PathBuf::as_path).collect();
        store(&loose, &stores.join("loose"));
    }
}

/// Files below a directory.
fn walk(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { walk(&path) } else { 1 }).sum()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

#[test]
fn a_store_is_the_campaign_that_its_files_are() {
    let folder = tempfile::tempdir().unwrap();
    store(&[&package().join("sample-logs")], &folder.path().join("store"));
    let direct = ingested(&[&package().join("sample-logs")]);
    assert_eq!(direct.runs.len(), 77);
    assert_same(&direct, &ingested(&[&folder.path().join("store")]));
}

#[test]
fn stores_of_parts_are_the_campaign_of_the_whole_in_any_order_and_once_more_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let stores = folder.path().join("stores");
    shared_out(&package().join("sample-logs"), &stores);
    let direct = ingested(&[&package().join("sample-logs")]);
    assert_same(&direct, &ingested(&[&stores]));

    let mut parts: Vec<PathBuf> = fs::read_dir(&stores).unwrap().map(|entry| entry.unwrap().path()).collect();
    parts.sort();
    parts.reverse();
    let parts: Vec<&Path> = parts.iter().map(PathBuf::as_path).collect();
    assert_same(&direct, &ingested(&parts));

    store(&[&stores], &folder.path().join("one"));
    assert_same(&direct, &ingested(&[&folder.path().join("one")]));
}

#[test]
fn outputs_of_every_tool_come_out_of_stores_as_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = package().join("tests/fixtures");
    shared_out(&fixtures, folder.path());
    assert_same(&ingested(&[&fixtures]), &ingested(&[folder.path()]));
}

#[test]
fn campaigns_of_the_larger_corpus_come_out_of_stores_as_from_files() {
    let Some(campaigns) = shared("corpus/public/campaigns") else { return };
    for campaign in fs::read_dir(campaigns).unwrap() {
        let campaign = campaign.unwrap().path();
        if walk(&campaign) > 300 {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        shared_out(&campaign, folder.path());
        assert_same(&ingested(&[&campaign]), &ingested(&[folder.path()]));
    }
}

#[test]
fn a_file_in_two_stores_or_beside_its_store_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sample("level-sweep");
    store(&[&sweep], &folder.path().join("a"));
    store(&[&sweep], &folder.path().join("b"));
    let direct = ingested(&[&sweep]);
    assert_same(&direct, &ingested(&[folder.path()]));
    assert_same(&direct, &ingested(&[&sweep, folder.path()]));
}

#[test]
fn one_path_with_different_content_on_two_machines_is_told_apart_by_the_stores() {
    let folder = tempfile::tempdir().unwrap();
    let (results, stores) = (folder.path().join("results"), folder.path().join("stores"));
    for (host, run) in
        [("db1", "raid0_chunk64k_randread_qd4_run1"), ("db2", "raid5_chunk64k_randread_qd4_run1")]
    {
        fs::create_dir_all(&results).unwrap();
        fs::copy(sample("level-sweep").join(format!("{run}.json")), results.join("fio.json")).unwrap();
        store(&[&results], &stores.join(host));
    }
    let both = ingested(&[&stores]);
    let ids: Vec<&str> = both.runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, ["db1/fio", "db2/fio"]);
}

#[test]
fn what_is_said_at_the_map_side_stays_with_the_files() {
    let folder = tempfile::tempdir().unwrap();
    for (run, fs) in [("run1", "xfs"), ("run2", "ext4")] {
        let from = sample("level-sweep").join(format!("raid0_chunk64k_randread_qd4_{run}.json"));
        let results = folder.path().join("results").join(run);
        fs::create_dir_all(&results).unwrap();
        fs::copy(from, results.join("fio.json")).unwrap();
        Command::cargo_bin("plotgen")
            .unwrap()
            .arg("ingest")
            .arg(&results)
            .args(["--set", &format!("fs={fs}"), "-o"])
            .arg(folder.path().join("stores").join(run))
            .assert()
            .success();
    }
    // Stores of stores keep it, too.
    store(&[&folder.path().join("stores")], &folder.path().join("all"));
    for input in ["stores", "all"] {
        let found = ingested(&[&folder.path().join(input)]);
        let values: Vec<&str> = found
            .runs
            .iter()
            .map(|run| run.value(&plotgen::model::Dimension::Fs).unwrap().as_str())
            .collect();
        assert_eq!(values, ["xfs", "ext4"]);
    }
}

#[test]
fn a_log_whose_output_is_in_another_store_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (logs, outputs) = (folder.path().join("a"), folder.path().join("b"));
    let run = "raid0_chunk64k_randread_qd4_run1";
    let results = folder.path().join("results");
    copy(&sample("level-sweep"), &results);
    let options = IngestOptions::default();
    let alone =
        DiscoverOptions { siblings: plotgen::discover::Siblings::Ignore, ..DiscoverOptions::default() };
    let log = results.join(format!("{run}_lat.1.log"));
    write_store(&mut read(discover(&[&log], &alone), &options, None, &|_, _| ()), &options, &logs).unwrap();
    store(&[&results.join(format!("{run}.json"))], &outputs);
    let both = ingested(&[&logs, &outputs]);
    let named: Vec<&str> = both
        .diagnostics
        .iter()
        .filter(|remark| remark.message.contains("without the output beside this log"))
        .map(|remark| remark.path.as_str())
        .collect();
    assert_eq!(named, [format!("{run}_lat.1.log")]);
}

#[test]
fn a_damaged_store_is_a_broken_input_wherever_the_damage_is() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (folder.path().join("good"), folder.path().join("bad"));
    store(&[&sample("level-sweep")], &good);
    copy(&good, &bad);
    let mut names: Vec<PathBuf> = fs::read_dir(&bad).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert_eq!(names.len(), 15);
    for name in names {
        let whole = fs::read(&name).unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 0x55;
        for damaged in [Vec::new(), whole[..whole.len() / 2].to_vec(), flipped] {
            fs::write(&name, damaged).unwrap();
            let found = ingested(&[&bad]);
            assert_eq!(found.files.len(), 1, "{}", name.display());
            assert_eq!(found.files[0].status, FileState::Failed);
            assert_eq!(found.files[0].path, "bad/plotgen-store.json");
            assert!(found.diagnostics.iter().any(|remark| remark.severity == Severity::Error));
        }
        fs::remove_file(&name).unwrap();
        if !name.ends_with("plotgen-store.json") {
            assert_eq!(ingested(&[&bad]).files[0].status, FileState::Failed);
        }
        fs::write(&name, whole).unwrap();
    }
    assert_eq!(ingested(&[&bad]).runs.len(), 24);
}

#[test]
fn a_store_of_a_newer_schema_is_refused_by_name_and_ends_with_1_beside_good_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let (good, new) = (folder.path().join("good"), folder.path().join("new"));
    store(&[&sample("level-sweep")], &good);
    fs::create_dir(&new).unwrap();
    fs::write(new.join("plotgen-store.json"), "{\"plotgen-store\": 99, \"shards\": []}").unwrap();
    let output = Command::cargo_bin("plotgen")
        .unwrap()
        .args(["summary", "--format", "csv"])
        .args([&good, &new])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("a store of schema 99, and this plotgen reads up to 1"), "{said}");
    assert!(String::from_utf8(output.stdout).unwrap().lines().count() > 24);
}

#[test]
fn a_store_is_replaced_whole_and_a_writer_that_was_killed_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("store");
    store(&[&sample("level-sweep")], &target);
    let files = |folder: &Path| {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let first = files(&target);
    assert_eq!(first.len(), 15);
    // What a writer of other inputs leaves when it dies before its manifest.
    let other = folder.path().join("other");
    store(&[&sample("chunk-sweep")], &other);
    for name in files(&other).iter().filter(|name| name.ends_with(".parquet")) {
        fs::copy(other.join(name), target.join(name)).unwrap();
    }
    fs::write(target.join(".plotgen-x1"), "half").unwrap();
    assert_same(&ingested(&[&sample("level-sweep")]), &ingested(&[&target]));
    // The same again is the same, byte for byte; other inputs take the place of the first.
    store(&[&sample("chunk-sweep")], &target);
    assert_same(&ingested(&[&sample("chunk-sweep")]), &ingested(&[&target]));
    let held: Vec<String> = files(&target).into_iter().filter(|name| !name.starts_with('.')).collect();
    assert_eq!(held, files(&other));
    for name in held {
        assert_eq!(fs::read(target.join(&name)).unwrap(), fs::read(other.join(&name)).unwrap(), "{name}");
    }
}

#[test]
fn many_writers_of_one_store_leave_one_of_their_stores() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("store");
    let (a, b) = (sample("level-sweep"), sample("chunk-sweep"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            for input in [&a, &b] {
                let target = &target;
                scope.spawn(move || store(&[input], target));
            }
        }
    });
    let found = ingested(&[&target]);
    let expected = [ingested(&[&a]), ingested(&[&b])];
    assert!(expected.iter().any(|one| one.runs == found.runs && one.files == found.files));
}

#[test]
fn ingest_refuses_a_directory_with_other_things_in_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    Command::cargo_bin("plotgen")
        .unwrap()
        .arg("ingest")
        .arg(sample("level-sweep"))
        .arg("-o")
        .arg(folder.path())
        .assert()
        .code(2)
        .stderr(predicates::str::contains("holds `notes.txt` and no store"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_part_of_a_campaign_keeps_the_names_that_it_has_in_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    Command::cargo_bin("plotgen")
        .unwrap()
        .arg("ingest")
        .arg(sample("level-sweep"))
        .arg("--root")
        .arg(package().join("sample-logs"))
        .arg("-o")
        .arg(folder.path().join("s"))
        .assert()
        .success();
    let found = ingested(&[folder.path()]);
    assert_eq!(found.runs[0].id, "level-sweep/raid0_chunk64k_randread_qd4_run1");
}

#[test]
fn inspect_lists_stores_before_what_they_hold() {
    let folder = tempfile::tempdir().unwrap();
    store(&[&sample("level-sweep")], &folder.path().join("s"));
    let output = Command::cargo_bin("plotgen")
        .unwrap()
        .current_dir(folder.path())
        .args(["inspect", "s", "--format", "json"])
        .output()
        .unwrap();
    let files: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(files[0]["path"], "s");
    assert_eq!(files[0]["format"], "plotgen-store");
    assert_eq!(files[0]["rows"], files.as_array().unwrap().len() - 1);
    let read = files.as_array().unwrap().iter().filter(|file| file["status"] == "read");
    // 24 runs of a summary and five logs each, and the store.
    assert_eq!(read.count(), 24 * 6 + 1);
}
