//! What is known from earlier runs changes how long a run takes and nothing else.

use crate::support::sample;
use assert_cmd::Command;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Inputs, a report and a cache of their own.
struct Place {
    dir: TempDir,
}

/// Exit code, standard output, standard error.
type Outcome = (i32, String, String);

impl Place {
    /// Four runs with logs and outputs, a text that is none, and a log that is broken in one row; none of them new.
    fn new() -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap() };
        let data = place.data();
        fs::create_dir(&data).unwrap();
        for entry in fs::read_dir(sample("level-sweep")).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let level = name.starts_with("raid0_") || name.starts_with("raid10_");
            if level && name.contains("_randread_") && !name.contains("_run3") {
                fs::copy(entry.path(), data.join(&name)).unwrap();
            }
        }
        fs::write(data.join("notes.txt"), "what was measured\n").unwrap();
        fs::write(data.join("odd_bw.1.log"), "500, 100, 0, 4096\n1000, x, 0, 4096\n1500, 100, 0, 4096\n")
            .unwrap();
        place.age();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn data(&self) -> PathBuf {
        self.path("data")
    }

    fn report(&self) -> PathBuf {
        self.path("report")
    }

    /// Makes all inputs as old as those of a finished benchmark are. The time of the change of an
    /// inode cannot be set, so that some of it is waited for.
    fn age(&self) {
        self.age_of("data");
    }

    /// The same for another folder.
    fn age_of(&self, folder: &str) {
        for entry in fs::read_dir(self.path(folder)).unwrap() {
            let hour_ago = SystemTime::now() - Duration::from_secs(3600);
            File::options().append(true).open(entry.unwrap().path()).unwrap().set_modified(hour_ago).unwrap();
        }
        std::thread::sleep(Duration::from_millis(2100));
    }

    fn run_with(&self, cache: &str, args: &[&str]) -> Outcome {
        let mut command = Command::cargo_bin("plotgen").unwrap();
        command.current_dir(self.dir.path()).env("PLOTGEN_CACHE", self.path(cache));
        let output = command.args(["data", "--format", "svg", "-v"]).args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn run(&self, args: &[&str]) -> Outcome {
        self.run_with("cache", args)
    }

    /// The one record of the report; its content changes with every run that did something.
    fn record(&self) -> (PathBuf, Vec<u8>) {
        let entries = fs::read_dir(self.path("cache")).unwrap().map(|entry| entry.unwrap().path());
        let mut found: Vec<PathBuf> =
            entries.filter(|p| p.file_name().unwrap().to_str().unwrap().starts_with("report-")).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        let path = found.remove(0);
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    }

    /// Asserts that report and words are those of a run that knows of none before it.
    #[track_caller]
    fn assert_as_new(&self, outcome: &Outcome, args: &[&str]) {
        let made = tree(&self.report());
        fs::rename(self.report(), self.path("kept")).unwrap();
        let mut all = vec!["--no-cache"];
        all.extend(args);
        let fresh = self.run(&all);
        assert_eq!(*outcome, fresh);
        let expected = tree(&self.report());
        let names = |tree: &BTreeMap<String, Vec<u8>>| tree.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&made), names(&expected));
        for (name, bytes) in &expected {
            assert!(made[name] == *bytes, "{name} differs");
        }
        fs::remove_dir_all(self.report()).unwrap();
        fs::rename(self.path("kept"), self.report()).unwrap();
    }

    /// True when a run has nothing to do: neither the record nor any file of the report is written.
    fn does_nothing(&self, args: &[&str]) -> bool {
        let before = (self.record(), times(&self.report()), times(&self.path("cache")));
        self.run(args);
        before == (self.record(), times(&self.report()), times(&self.path("cache")))
    }

    /// Pictures of the report that are not files of before.
    fn redrawn(&self, before: &BTreeMap<PathBuf, SystemTime>) -> Vec<String> {
        let after = times(&self.report());
        let changed = after.iter().filter(|(path, time)| before.get(*path) != Some(time));
        let name = |path: &PathBuf| path.strip_prefix(self.report()).unwrap().to_str().unwrap().to_owned();
        changed.map(|(path, _)| name(path)).filter(|name| name.ends_with(".svg")).collect()
    }
}

/// Every file below `folder` with its content.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// Every file below `folder` with the time of its last change.
fn times(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    entries.map(|entry| (entry.path().to_owned(), entry.metadata().unwrap().modified().unwrap())).collect()
}

const LOG: &str = "odd_bw.1.log";

/// Writes a file of the inputs without a trace in the time of its last change.
fn overwrite_under_old_time(path: &Path, text: &str) {
    let time = fs::metadata(path).unwrap().modified().unwrap();
    fs::write(path, text).unwrap();
    File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_second_run_on_unchanged_inputs_does_nothing_and_says_the_same() {
    let place = Place::new();
    let first = place.run(&[]);
    assert_eq!(first.0, 0);
    assert!(first.2.contains(LOG) && first.2.contains("notes.txt"), "remarks to compare: {}", first.2);
    place.assert_as_new(&first, &[]);
    assert!(place.does_nothing(&[]));
    assert_eq!(place.run(&[]), first);
    // The number of threads is no reason, nor is the order of the inputs.
    assert!(place.does_nothing(&["--threads", "1"]));
}

#[test]
fn remarks_and_exit_code_of_a_broken_input_are_repeated() {
    let place = Place::new();
    fs::write(place.data().join("cut.json"), "{\"fio version\": \"fio-3.33\", \"jobs\": [").unwrap();
    place.age();
    let first = place.run(&["missing.log"]);
    assert_eq!(first.0, 1);
    assert!(first.2.contains("cut.json") && first.2.contains("missing.log"), "{}", first.2);
    assert!(place.does_nothing(&["missing.log"]));
    assert_eq!(place.run(&["missing.log"]), first);
    place.assert_as_new(&first, &["missing.log"]);
}

#[test]
fn a_touched_file_of_equal_content_changes_nothing() {
    let place = Place::new();
    let first = place.run(&[]);
    let log = place.data().join(LOG);
    // Young files are noted with their hash, so that a new time can be told from new content.
    fs::write(&log, fs::read(&log).unwrap()).unwrap();
    place.run(&[]);
    let before = times(&place.report());
    fs::write(&log, fs::read(&log).unwrap()).unwrap();
    assert_eq!(place.run(&[]), first);
    assert_eq!(times(&place.report()), before);
    place.assert_as_new(&first, &[]);
}

#[test]
fn a_log_that_changed_under_the_same_size_and_time_is_noticed_and_only_its_charts_are_drawn() {
    let place = Place::new();
    place.run(&[]);
    let before = times(&place.report());
    let log = place.data().join("raid0_chunk64k_randread_qd4_run1_iops.1.log");
    let text = fs::read_to_string(&log).unwrap();
    // The first value with another first digit: as long as it was.
    let at = text.find(", ").unwrap() + 2;
    let digit = if text[at..].starts_with('9') { "8" } else { "9" };
    overwrite_under_old_time(&log, &format!("{}{digit}{}", &text[..at], &text[at + 1..]));
    let second = place.run(&[]);
    let drawn = place.redrawn(&before);
    assert!(drawn.contains(&"charts/run-raid0-chunk64k-randread-qd4-run1-iops.svg".to_owned()), "{drawn:?}");
    let other = drawn.iter().find(|name| name.contains("run-raid10") || name.contains("run2"));
    assert_eq!(other, None);
    place.assert_as_new(&second, &[]);
}

#[test]
fn removed_added_and_renamed_inputs_are_noticed() {
    let place = Place::new();
    let (log, other) = (place.data().join(LOG), place.data().join("other_bw.1.log"));
    let mut last = place.run(&[]);
    let mut step = |what: &str| {
        let next = place.run(&[]);
        assert_ne!(next, last, "{what}");
        place.assert_as_new(&next, &[]);
        last = next;
    };
    fs::copy(&log, &other).unwrap();
    step("added");
    fs::rename(&other, place.data().join("third_bw.1.log")).unwrap();
    step("renamed");
    fs::remove_file(place.data().join("third_bw.1.log")).unwrap();
    step("removed");
}

#[test]
fn settings_flags_and_templates_are_part_of_what_a_report_depends_on() {
    let place = Place::new();
    place.run(&[]);
    let check = |args: &[&str]| {
        let changed = place.run(args);
        place.assert_as_new(&changed, args);
        assert!(place.does_nothing(args), "{args:?}");
    };
    check(&["--title", "Another"]);
    check(&["--units", "si"]);
    check(&["--where", "raid=10"]);
    fs::write(place.path("plotgen.toml"), "title = \"From the file\"\n").unwrap();
    check(&[]);
    fs::create_dir(place.path("pages")).unwrap();
    fs::write(place.path("pages/style.css"), "body { color: red }").unwrap();
    check(&["--templates", "pages"]);
    fs::write(place.path("pages/style.css"), "body { color: blue }").unwrap();
    check(&["--templates", "pages"]);
    assert_eq!(fs::read_to_string(place.report().join("assets/style.css")).unwrap(), "body { color: blue }");
}

#[test]
fn a_broken_entry_is_as_good_as_none() {
    let place = Place::new();
    let first = place.run(&[]);
    let whole: Vec<(PathBuf, Vec<u8>)> = tree(&place.path("cache"))
        .into_iter()
        .map(|(name, bytes)| (place.path("cache").join(name), bytes))
        .collect();
    assert!(whole.len() >= 2, "a record of the report and one of the folder");
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damage: [Damage; 5] = [
        |_| Vec::new(),
        |bytes| bytes[..bytes.len() / 2].to_vec(),
        |bytes| [bytes, b"more"].concat(),
        |bytes| {
            bytes.iter().enumerate().map(|(at, b)| if at == bytes.len() / 2 { b ^ 4 } else { *b }).collect()
        },
        |bytes| vec![0xff; bytes.len()],
    ];
    for (at, damage) in damage.iter().enumerate() {
        for (path, bytes) in &whole {
            fs::write(path, damage(bytes)).unwrap();
        }
        assert_eq!(place.run(&[]), first, "damage {at}");
        assert!(place.does_nothing(&[]), "damage {at} is mended");
    }
    place.assert_as_new(&first, &[]);
    fs::remove_dir_all(place.path("cache")).unwrap();
    assert_eq!(place.run(&[]), first, "an empty cache");
}

#[test]
fn a_report_that_was_deleted_or_edited_is_written_again() {
    let place = Place::new();
    let first = place.run(&[]);
    fs::remove_dir_all(place.report()).unwrap();
    assert_eq!(place.run(&[]), first);
    place.assert_as_new(&first, &[]);
    let picture =
        times(&place.report()).into_keys().find(|p| p.to_str().unwrap().ends_with("raid.svg")).unwrap();
    for file in [place.report().join("index.html"), picture] {
        // Same size, same time.
        let text = fs::read_to_string(&file).unwrap();
        let edited = format!("#{}", &text[1..]);
        overwrite_under_old_time(&file, &edited);
        assert_eq!(place.run(&[]), first);
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{}", file.display());
        fs::remove_file(&file).unwrap();
        assert_eq!(place.run(&[]), first);
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{}", file.display());
    }
    place.assert_as_new(&first, &[]);
}

#[test]
fn a_cache_that_cannot_be_written_or_is_no_folder_changes_nothing() {
    let place = Place::new();
    let first = place.run(&["--no-cache"]);
    assert!(!place.path("cache").exists(), "left alone");
    fs::write(place.path("file"), "").unwrap();
    assert_eq!(place.run_with("file", &[]), first);
    assert_eq!(fs::read(place.path("file")).unwrap(), b"");
    assert_eq!(place.run_with("file/below", &[]), first);
    // The superuser may write anywhere; elsewhere this folder refuses.
    fs::create_dir(place.path("locked")).unwrap();
    let mut locked = fs::metadata(place.path("locked")).unwrap().permissions();
    locked.set_readonly(true);
    fs::set_permissions(place.path("locked"), locked).unwrap();
    assert_eq!(place.run_with("locked", &[]), first);
    assert_eq!(place.run_with("locked", &[]), first);
}

#[test]
fn a_file_that_changes_within_the_same_tick_as_a_run_is_noticed() {
    let place = Place::new();
    let log = place.data().join(LOG);
    let text = |value: u32| format!("500, {value}, 0, 4096\n1000, 500, 0, 4096\n");
    // Whatever the times say: what is this young is known by its content.
    let now = SystemTime::now() + Duration::from_secs(1);
    for value in [100, 200, 300] {
        fs::write(&log, text(value)).unwrap();
        File::options().append(true).open(&log).unwrap().set_modified(now).unwrap();
        let run = place.run(&[]);
        place.assert_as_new(&run, &[]);
    }
    // Unchanged, it is known again although it is young.
    let before = times(&place.report());
    let first = place.run(&[]);
    assert_eq!(times(&place.report()), before);
    place.assert_as_new(&first, &[]);
}

#[test]
fn verify_believes_content_only() {
    let place = Place::new();
    let first = place.run(&["--verify"]);
    assert!(place.does_nothing(&["--verify"]));
    assert!(place.does_nothing(&[]));
    assert_eq!(place.run(&["--verify"]), first);
    place.assert_as_new(&first, &[]);
    let output =
        Command::cargo_bin("plotgen").unwrap().args(["x", "--verify", "--no-cache"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "one excludes the other");
}

#[test]
fn several_processes_at_once_do_no_harm() {
    let place = Place::new();
    let first = place.run(&["-o", "r0"]);
    fs::remove_dir_all(place.path("cache")).unwrap();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (1..5)
            .map(|n| {
                let place = &place;
                scope.spawn(move || place.run(&["-o", &format!("r{n}")]))
            })
            .collect();
        for (n, run) in (1..5).zip(runs) {
            let (code, out, err) = run.join().unwrap();
            assert_eq!((code, out, err.replace(&format!("r{n}/index"), "r0/index")), first);
            assert!(tree(&place.path(&format!("r{n}"))) == tree(&place.path("r0")));
        }
    });
    // One record for each report, one for the folder, and nothing half-written.
    let names: Vec<String> = tree(&place.path("cache")).into_keys().collect();
    assert_eq!(names.len(), 5, "{names:?}");
}

#[test]
fn other_commands_read_what_a_report_has_read() {
    let place = Place::new();
    let run = |cache: &str, args: &[&str]| {
        let mut command = Command::cargo_bin("plotgen").unwrap();
        command.current_dir(place.dir.path()).env("PLOTGEN_CACHE", cache);
        let output = command.args(args).output().unwrap();
        (output.status.code(), output.stdout, output.stderr)
    };
    place.run(&[]);
    let cache = place.path("cache");
    let before = times(&cache);
    for args in [
        &["summary", "data", "--format", "csv"][..],
        &["inspect", "data", "--format", "json"],
        &["check", "data"],
        &["charts", "data"],
        &["chart", "iops-by-raid", "data", "-o", "-"],
    ] {
        assert_eq!(run(cache.to_str().unwrap(), args), run("off", args), "{args:?}");
    }
    assert_eq!(times(&cache), before, "nothing was read that is not known");
}

#[test]
fn a_report_names_hashes_though_a_command_that_did_without_them_has_read_the_files() {
    let place = Place::new();
    let mut summary = Command::cargo_bin("plotgen").unwrap();
    summary.current_dir(place.dir.path()).env("PLOTGEN_CACHE", place.path("cache"));
    summary.args(["summary", "data", "-q"]).output().unwrap();
    place.run(&[]);
    let report = fs::read_to_string(place.report().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let runs = report["runs"].as_array().unwrap();
    let sources: Vec<_> = runs.iter().flat_map(|run| run["sources"].as_array().unwrap()).collect();
    assert!(sources.len() >= 8, "{}", sources.len());
    for source in sources {
        assert_eq!(source["sha256"].as_str().unwrap().len(), 64, "{source}");
    }
}

#[cfg(feature = "tables")]
#[test]
fn a_table_of_a_store_that_was_damaged_is_noticed_though_the_manifest_is_as_it_was() {
    let place = Place::new();
    let ran = |args: &[&str]| {
        let mut command = Command::cargo_bin("plotgen").unwrap();
        command.current_dir(place.dir.path()).env("PLOTGEN_CACHE", place.path("cache")).args(args);
        let output = command.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    // One of the logs is broken in a row, which is no failure of the store.
    assert!(ran(&["ingest", "data", "-q", "-o", "data/store"]).0 <= 1);
    place.age_of("data/store");
    let report = ["report", "data/store", "-q", "--format", "svg", "-o", "from-store"];
    assert!(ran(&report).0 <= 1);
    let tables = fs::read_dir(place.path("data/store")).unwrap().map(|entry| entry.unwrap().path());
    let samples = tables.into_iter().find(|path| path.to_string_lossy().contains("samples-")).unwrap();
    let mut bytes = fs::read(&samples).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&samples, bytes).unwrap();
    let (code, err) = ran(&report);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("is damaged"), "{err}");
}
