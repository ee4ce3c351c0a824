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
    /// Two runs with logs and outputs, a text that is none, and a log that is broken in one row; none of them new.
    fn new() -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap() };
        let data = place.data();
        fs::create_dir(&data).unwrap();
        for entry in fs::read_dir(sample("level-sweep")).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with("raid0_") || name.starts_with("raid10_") {
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
        for entry in fs::read_dir(self.data()).unwrap() {
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

    /// True when the next run has nothing to do. A log is made unreadable in content, not in time: who reads it stumbles.
    fn does_nothing(&self, args: &[&str]) -> bool {
        let before = self.record().1;
        let times = times(&self.report());
        self.run(args);
        self.record().1 == before && times == self::times(&self.report())
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

#[test]
fn a_second_run_on_unchanged_inputs_does_nothing_and_says_the_same() {
    let place = Place::new();
    let first = place.run(&[]);
    assert_eq!(first.0, 0);
    assert!(first.2.contains(LOG) && first.2.contains("notes.txt"), "remarks to compare: {}", first.2);
    place.assert_as_new(&first, &[]);
    assert!(place.does_nothing(&[]));
    assert_eq!(place.run(&[]), first);
    // Nothing is parsed: what stands in a file of the same stamp is not looked at.
    let quiet = place.run(&["-q"]);
    assert_eq!(quiet.0, 2, "-q and -v exclude each other");
}
