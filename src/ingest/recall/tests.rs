//! What is kept of a file comes back as it was.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::discover::{DiscoverOptions, discover};
use crate::ingest::{self, Ingested, LatUnit, Parsed, ingest};
use std::fs;

fn read(paths: &[&Path], cache: Option<&Path>) -> Ingested {
    let found = discover(paths, &DiscoverOptions::default());
    let recall = cache.map(|folder| Recall::new(Cache::at(folder.to_owned()), Trust::Times, BTreeMap::new()));
    ingest::read(found, &IngestOptions::default(), recall.as_ref(), &|_, _| ())
        .join(&IngestOptions::default())
}

/// Everything about what was read, to the last bit of every number.
fn written(ingested: &Ingested) -> String {
    format!("{ingested:?}")
}

#[test]
fn whatever_the_formats_read_comes_back_bit_for_bit() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["sample-logs", "tests/fixtures"] {
        let path = package.join(folder);
        let dir = tempfile::tempdir().unwrap();
        let fresh =
            ingest(discover(&[&path], &DiscoverOptions::default()), &IngestOptions::default(), &|_, _| ());
        let first = read(&[&path], Some(dir.path()));
        assert!(fs::read_dir(dir.path()).unwrap().count() > 0, "nothing was kept of {folder}");
        let second = read(&[&path], Some(dir.path()));
        assert!(written(&first) == written(&fresh), "{folder}: the first run differs");
        assert!(written(&second) == written(&fresh), "{folder}: the second run differs");
    }
}

#[test]
fn a_file_that_has_not_changed_is_not_opened_again() {
    let (dir, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = dir.path().join("a_bw.1.log");
    fs::write(&log, "500, 100, 0, 4096\n1000, 100, 0, 4096\n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let first = read(&[dir.path()], Some(cache.path()));
    assert_eq!(first.runs.len(), 1);
    // A record says 7 rows where the file has 2: who asks the record believes it.
    let shelf_key = Key::of(&(dir.path(), None::<LatUnit>, &None::<String>)).unwrap();
    let cached = Cache::at(cache.path().to_owned());
    let mut records: Records = cached.get(KIND, &shelf_key).unwrap();
    let record = records.0.get_mut("a_bw.1.log").unwrap();
    let Kept::Log(format, reason, mut parsed, sha256) =
        postcard::from_bytes::<Kept<Parsed>>(&record.kept).unwrap()
    else {
        panic!("no log");
    };
    parsed.rows = 7;
    record.kept = postcard::to_stdvec(&Kept::Log(format, reason, parsed, sha256)).unwrap();
    cached.put(KIND, &shelf_key, &records);
    assert_eq!(read(&[dir.path()], Some(cache.path())).files[0].rows, 7);
    // Other content of the same length under another time is read.
    fs::write(&log, "500, 200, 0, 4096\n1000, 200, 0, 4096\n").unwrap();
    assert_eq!(read(&[dir.path()], Some(cache.path())).files[0].rows, 2);
}

#[test]
fn a_log_whose_output_changed_is_read_anew_under_the_new_unit() {
    let (dir, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = |version: &str| {
        let job = r#"{"jobname": "a", "error": 0, "job options": {"rw": "randread", "write_lat_log": "a"},
            "read": {"io_bytes": 4096, "total_ios": 1, "runtime": 1000}}"#;
        format!(r#"{{"fio version": "fio-{version}", "jobs": [{job}]}}"#)
    };
    fs::write(dir.path().join("a_lat.1.log"), "500, 100, 0, 4096\n1000, 100, 0, 4096\n").unwrap();
    fs::write(dir.path().join("a.json"), output("3.33")).unwrap();
    let unit = || {
        let read = read(&[dir.path()], Some(cache.path()));
        let log = read.files.iter().find(|file| file.path.ends_with(".log")).unwrap();
        log.layout.clone().unwrap()
    };
    assert!(unit().contains("latency in ns (known)"), "{}", unit());
    fs::write(dir.path().join("a.json"), output("2.21")).unwrap();
    assert!(unit().contains("latency in us (known)"), "{}", unit());
}
