//! The reader of logs against counting newlines: `cargo bench --no-default-features --bench read_logs`.
//!
//! First a table of ratios, each log read through the whole stage (opened, recognised, read, hashed)
//! on one thread, against the same bytes read and their newlines counted, in turns; then folders of many
//! small files. Then timings by divan. Nothing asserts them: they are for comparing two states of the code on one machine.

#[path = "../examples/generate_logs.rs"]
#[expect(dead_code, reason = "its program is not run here")]
mod generate_logs;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use generate_logs::{Hostile, Options};
use plotgen::discover::{DiscoverOptions, Siblings, discover};
use plotgen::ingest::{IngestOptions, ingest};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const ROWS: u64 = 1_000_000;

/// Name, kind, columns, what makes it hard.
const LOGS: &[(&str, &str, usize, Hostile)] = &[
    ("lat4", "lat", 4, Hostile::None),
    ("lat5", "lat", 5, Hostile::None),
    ("lat6", "lat", 6, Hostile::None),
    ("iops5", "iops", 5, Hostile::None),
    ("bw5", "bw", 5, Hostile::None),
    ("long-times", "lat", 5, Hostile::LongTimes),
    ("long-values", "lat", 5, Hostile::LongValues),
    ("segments", "lat", 5, Hostile::Segments),
    ("interleaved", "lat", 5, Hostile::Interleaved),
    ("lagging", "lat", 5, Hostile::Lagging),
    ("crlf", "lat", 5, Hostile::Crlf),
    ("no-blanks", "lat", 5, Hostile::NoBlanks),
    ("hex", "lat", 5, Hostile::Hex),
    ("bad", "lat", 5, Hostile::Bad),
    ("all", "lat", 5, Hostile::All),
];

fn main() {
    ratios();
    divan::main();
}

/// A log of that name, made when it is first asked for.
fn log(name: &str) -> PathBuf {
    let Some(&(_, kind, columns, hostile)) = LOGS.iter().find(|(known, ..)| *known == name) else {
        panic!("no log {name}");
    };
    let folder = std::env::temp_dir().join("plotgen-bench-logs");
    let path = folder.join(format!("{name}_{kind}.1.log"));
    if !path.exists() {
        fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let out = path.clone();
        let options =
            Options { rows: ROWS, kind: kind.to_owned(), columns, hostile, out, ..Options::default() };
        generate_logs::run(&options).expect("the temporary folder can be written");
    }
    path
}

/// Files of a folder of small ones.
const MANY: u64 = 500;

/// Logs of windows, of 600 rows each, or outputs of fio as JSON.
const FOLDERS: &[&str] = &["windows", "outputs"];

/// A folder of that name, made when it is first asked for.
fn folder(name: &str) -> PathBuf {
    let out = std::env::temp_dir().join(format!("plotgen-bench-{name}"));
    if !out.exists() {
        let json = name == "outputs";
        let rows = if json { 1000 } else { 600 };
        let own = Options {
            out: out.clone(),
            files: MANY,
            rows,
            json,
            columns: 4,
            window: 1000,
            ..Options::default()
        };
        generate_logs::run(&own).expect("the temporary folder can be written");
    }
    out
}

/// The files in a folder, and the bytes in them.
fn files_in(folder: &Path) -> (Vec<PathBuf>, u64) {
    let entries = fs::read_dir(folder).expect("the folder was just made");
    let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let bytes = files.iter().flat_map(fs::metadata).map(|metadata| metadata.len()).sum();
    (files, bytes)
}

/// Reads a log, or all files of a folder.
fn read_log(path: &Path) -> u64 {
    let alone = DiscoverOptions { siblings: Siblings::Ignore, ..DiscoverOptions::default() };
    let options = IngestOptions { threads: Some(1), ..IngestOptions::default() };
    let ingested = ingest(discover(&[path.to_string_lossy().into_owned()], &alone), &options, &|_, _| ());
    ingested.files.iter().map(|file| file.rows).sum()
}

/// What `wc -l` reads at a time.
const BUFFER: usize = 256 * 1024;

/// What `wc -l` does.
fn count_newlines(path: &Path, buffer: &mut [u8]) -> usize {
    let mut file = File::open(path).expect("the log was just written");
    let mut count = 0;
    loop {
        match file.read(buffer) {
            Ok(0) | Err(_) => return count,
            Ok(n) => count += memchr::memchr_iter(b'\n', &buffer[..n]).count(),
        }
    }
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn ratios() {
    let mut buffer = vec![0; BUFFER];
    println!("{:<12} {:>8} {:>12} {:>12} {:>6}", "log", "MB", "newlines ms", "read ms", "ratio");
    for &(name, ..) in LOGS {
        let path = log(name);
        let bytes = path.metadata().map_or(0, |metadata| metadata.len());
        let (mut count, mut read) = (Duration::MAX, Duration::MAX);
        // The least of several, which others on the machine disturb least.
        for _ in 0..5 {
            count = count.min(time(|| count_newlines(&path, &mut buffer)));
            read = read.min(time(|| read_log(&path)));
        }
        let (count, read) = (count.as_secs_f64() * 1e3, read.as_secs_f64() * 1e3);
        println!("{name:<12} {:>8.1} {count:>12.2} {read:>12.2} {:>6.2}", bytes as f64 / 1e6, read / count);
    }
    for name in FOLDERS {
        let folder = folder(name);
        let (files, bytes) = files_in(&folder);
        let (mut count, mut read) = (Duration::MAX, Duration::MAX);
        for _ in 0..5 {
            count =
                count.min(time(|| files.iter().map(|file| count_newlines(file, &mut buffer)).sum::<usize>()));
            read = read.min(time(|| read_log(&folder)));
        }
        let (count, read) = (count.as_secs_f64() * 1e3, read.as_secs_f64() * 1e3);
        println!("{name:<12} {:>8.1} {count:>12.2} {read:>12.2} {:>6.2}", bytes as f64 / 1e6, read / count);
    }
}

#[divan::bench(args = FOLDERS)]
fn read_many_small_files(bencher: Bencher<'_, '_>, name: &str) {
    let folder = folder(name);
    let (_, bytes) = files_in(&folder);
    bencher.counter(BytesCount::new(bytes)).bench(|| read_log(black_box(&folder)));
}

#[divan::bench(args = ["lat4", "lat5", "lat6", "iops5", "bw5", "bad", "all"])]
fn read_a_log(bencher: Bencher<'_, '_>, name: &str) {
    let path = log(name);
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    bencher.counter(BytesCount::new(bytes)).bench(|| read_log(black_box(&path)));
}

#[divan::bench(args = ["lat5"])]
fn count_its_newlines(bencher: Bencher<'_, '_>, name: &str) {
    let path = log(name);
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    let counted = || count_newlines(black_box(&path), &mut vec![0; BUFFER]);
    bencher.counter(BytesCount::new(bytes)).bench(counted);
}
