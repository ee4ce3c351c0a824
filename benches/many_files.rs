//! What each of many small files costs: `cargo bench --no-default-features --bench many_files`.
//!
//! The parts apart: finding the files, looking at those that have not changed, recognising and reading texts that are
//! in memory, and the stage that reads a folder of them and joins nothing. Timings are for comparing two states of the
//! code on one machine; nothing asserts them.

#[path = "../examples/generate_logs.rs"]
#[expect(dead_code, reason = "its program is not run here")]
mod generate_logs;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use generate_logs::Options;
use plotgen::cache::{Checked, Folder, Stamp, Trust};
use plotgen::discover::{DiscoverOptions, Discovered, discover};
use plotgen::ingest::fio_json::FioJson;
use plotgen::ingest::fio_log::FioLog;
use plotgen::ingest::{Format, Head, IngestOptions, Parsed, ReadContext, read};
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    divan::main();
}

/// Files of a folder.
const FILES: u64 = 500;

/// Folders: logs of 600 windows each; outputs of one job, and of 29.
const FOLDERS: &[&str] = &["windows", "outputs", "outputs-of-29"];

/// A folder of that name, made when it is first asked for.
fn folder(name: &str) -> PathBuf {
    let out = std::env::temp_dir().join(format!("plotgen-bench-{name}"));
    if !out.exists() {
        let rows = match name {
            "windows" => 600,
            "outputs" => 1000,
            _ => 29_000,
        };
        let own = Options {
            out: out.clone(),
            files: FILES,
            rows,
            json: name != "windows",
            columns: 4,
            window: 1000,
            ..Options::default()
        };
        generate_logs::run(&own).expect("the temporary folder can be written");
    }
    out
}

/// The files in a folder.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder was just made");
    entries.flatten().map(|entry| entry.path()).collect()
}

/// The texts of a folder, and the bytes in them.
fn texts_of(folder: &Path) -> (Vec<(String, Vec<u8>)>, u64) {
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read(path).expect("the file was just made"))
    };
    let texts: Vec<_> = files_in(folder).into_iter().map(named).collect();
    let bytes = texts.iter().map(|(_, text)| text.len() as u64).sum();
    (texts, bytes)
}

fn found(folder: &Path) -> Discovered {
    discover(&[folder.to_string_lossy().into_owned()], &DiscoverOptions::default())
}

/// Names alone.
#[divan::bench]
fn find_the_files_of_a_folder(bencher: Bencher<'_, '_>) {
    let folder = folder("windows");
    bencher.counter(ItemsCount::new(FILES)).bench(|| found(black_box(&folder)));
}

/// As a second run does on inputs that have not changed.
#[divan::bench]
fn see_that_no_file_has_changed(bencher: Bencher<'_, '_>) {
    let path = folder("windows");
    let noted: Vec<(PathBuf, Stamp)> = files_in(&path)
        .into_iter()
        .map(|file| (file.clone(), Stamp::take(&file, Trust::Times).expect("the file was just made")))
        .collect();
    bencher.counter(ItemsCount::new(FILES)).bench(|| {
        let folder = Folder::of(black_box(&path), noted.len());
        let same = |(file, stamp): &(PathBuf, Stamp)| {
            stamp.check(&folder, file.file_name().unwrap_or_default(), Trust::Times) == Checked::Same
        };
        noted.iter().all(same)
    });
}

/// From a text in memory to series.
#[divan::bench]
fn recognise_and_read_logs_of_windows(bencher: Bencher<'_, '_>) {
    let (texts, bytes) = texts_of(&folder("windows"));
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        let rows = texts.iter().map(|(name, text)| {
            let context = ReadContext { name, ..ReadContext::default() };
            let read = FioLog.read_whole(&Head { name, bytes: black_box(text), whole: true }, &context);
            read.and_then(|(_, parsed)| parsed.ok()).map_or(0, |parsed: Parsed| parsed.rows)
        });
        rows.sum::<u64>()
    });
}

/// From a text in memory to runs.
#[divan::bench(args = ["outputs", "outputs-of-29"])]
fn recognise_and_read_outputs(bencher: Bencher<'_, '_>, name: &str) {
    let (texts, bytes) = texts_of(&folder(name));
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        let rows = texts.iter().map(|(name, text)| {
            let found = FioJson.detect(&Head { name, bytes: black_box(text), whole: true });
            let read =
                found.map(|_| FioJson.read_text(text, &ReadContext { name, ..ReadContext::default() }).0);
            read.and_then(Result::ok).map_or(0, |parsed| parsed.rows)
        });
        rows.sum::<u64>()
    });
}

/// The figures of fio's output, as plain types that a library derives: what reading such a text costs at least.
mod derived {
    use serde::Deserialize;
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    #[derive(Deserialize)]
    pub(crate) struct Output<'a> {
        #[serde(borrow)]
        pub(crate) jobs: Vec<Job<'a>>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "to fill it is what is timed")]
    pub(crate) struct Job<'a> {
        jobname: Cow<'a, str>,
        groupid: i64,
        #[serde(rename = "job options", borrow)]
        options: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
        read: Direction<'a>,
        write: Direction<'a>,
        trim: Direction<'a>,
        usr_cpu: f64,
        sys_cpu: f64,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "to fill it is what is timed")]
    struct Direction<'a> {
        io_bytes: u64,
        bw_bytes: u64,
        bw: f64,
        iops: f64,
        runtime: u64,
        total_ios: u64,
        #[serde(borrow)]
        slat_ns: Latency<'a>,
        #[serde(borrow)]
        clat_ns: Latency<'a>,
        #[serde(borrow)]
        lat_ns: Latency<'a>,
        bw_min: f64,
        bw_max: f64,
        bw_mean: f64,
        bw_dev: f64,
        iops_min: f64,
        iops_max: f64,
        iops_stddev: f64,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "to fill it is what is timed")]
    struct Latency<'a> {
        min: u64,
        max: u64,
        mean: f64,
        stddev: f64,
        #[serde(rename = "N")]
        n: u64,
        #[serde(borrow, default)]
        percentile: BTreeMap<Cow<'a, str>, u64>,
    }
}

/// The yardstick of [`recognise_and_read_outputs`].
#[divan::bench(args = ["outputs", "outputs-of-29"])]
fn derived_types_of_outputs(bencher: Bencher<'_, '_>, name: &str) {
    let (texts, bytes) = texts_of(&folder(name));
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        let jobs = texts.iter().map(|(_, text)| {
            let output = serde_json::from_slice::<derived::Output<'_>>(black_box(text));
            output.expect("the file was just made").jobs.len()
        });
        jobs.sum::<usize>()
    });
}

/// The whole stage, on one thread: opened, recognised, read; nothing is joined.
#[divan::bench(args = FOLDERS)]
fn read_a_folder(bencher: Bencher<'_, '_>, name: &str) {
    let folder = folder(name);
    let bytes = files_in(&folder).iter().flat_map(fs::metadata).map(|metadata| metadata.len()).sum::<u64>();
    let options = IngestOptions { threads: Some(1), unhashed: true, ..IngestOptions::default() };
    bencher
        .counter(BytesCount::new(bytes))
        .with_inputs(|| found(&folder))
        .bench_values(|found| read(black_box(found), &options, None, &|_, _| ()));
}
