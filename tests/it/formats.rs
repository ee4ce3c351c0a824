//! Every file is claimed by one format, or by blocks that may stand together, and no text makes a reader panic.

use crate::support::{package, sample, shared};
use plotgen::discover::{DiscoverOptions, discover};
use plotgen::ingest::{Content, FORMATS, Format, Head, IngestOptions, Ingested, ReadContext, ingest};
use plotgen::model::FileState;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that the pipeline shows to a format that is no block.
const HEAD: usize = 64 << 10;

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The formats that take a file for their own; blocks look at the whole text.
fn claiming(name: &str, bytes: &[u8]) -> Vec<&'static dyn Format> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let claims = |format: &&dyn Format| {
        let (bytes, whole) =
            if format.is_block() { (bytes, true) } else { (head, head.len() == bytes.len()) };
        format.detect(&Head { name, bytes, whole }).is_some()
    };
    FORMATS.iter().copied().filter(claims).collect()
}

fn read(folder: &Path) -> Ingested {
    let inputs = [folder.to_string_lossy().into_owned()];
    ingest(discover(&inputs, &DiscoverOptions::default()), &IngestOptions::default(), &|_, _| ())
}

#[test]
fn every_fixture_and_sample_is_claimed_by_one_format_or_by_blocks_alone() {
    let mut unclaimed = Vec::new();
    let mut claimed: BTreeMap<&str, usize> = BTreeMap::new();
    for path in files_below(&package().join("tests/fixtures")).into_iter().chain(files_below(&sample(""))) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let formats = claiming(&name, &bytes);
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        let single = formats.iter().filter(|format| !format.is_block()).count();
        assert!(single <= 1, "{}: {names:?}", path.display());
        assert!(single == 0 || formats.len() == 1, "{}: {names:?}", path.display());
        // A fixture lies in the folder of its tool.
        let tool = path.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned();
        if path.starts_with(package().join("tests/fixtures"))
            && FORMATS.iter().any(|format| format.name() == tool)
            && !names.is_empty()
        {
            assert!(
                names.iter().any(|name| name.starts_with(tool.as_str())),
                "{}: {names:?}",
                path.display()
            );
        }
        if names.is_empty() {
            unclaimed.push(path);
        }
        for name in names {
            *claimed.entry(name).or_default() += 1;
        }
    }
    eprintln!("claimed: {claimed:?}; by none: {}", unclaimed.len());
    assert!(claimed.len() >= 10, "{claimed:?}");
}

#[test]
fn every_fixture_and_sample_gives_a_run_or_is_ignored_for_a_reason() {
    for folder in [package().join("tests/fixtures"), sample("")] {
        let ingested = read(&folder);
        assert!(!ingested.files.is_empty(), "{}", folder.display());
        for file in &ingested.files {
            match file.status {
                FileState::Read => assert!(file.run.is_some(), "{}: read without a run", file.path),
                FileState::Companion | FileState::Ignored => {
                    assert!(!file.reason.is_empty(), "{}", file.path)
                }
                FileState::Failed => panic!("{}: {}", file.path, file.reason),
            }
        }
        for run in &ingested.runs {
            assert!(!run.summaries.is_empty() || !run.series.is_empty(), "{} has no figures", run.id);
        }
    }
}

#[test]
fn every_file_of_the_corpus_is_settled_for_a_reason() {
    let Some(corpus) = shared("corpus") else { return };
    let ingested = read(&corpus);
    let mut counts: BTreeMap<(String, FileState), usize> = BTreeMap::new();
    let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &ingested.files {
        if file.status != FileState::Read && file.status != FileState::Companion {
            assert!(!file.reason.is_empty(), "{}", file.path);
        }
        if file.status == FileState::Failed {
            assert!(!file.diagnostics.is_empty(), "{}", file.path);
        }
        *counts.entry((file.format.clone().unwrap_or_else(|| "none".into()), file.status)).or_default() += 1;
    }
    for run in &ingested.runs {
        *runs.entry(run.tool.name.as_str()).or_default() += 1;
        assert!(!run.sources.is_empty(), "{}", run.id);
    }
    for ((format, status), count) in &counts {
        eprintln!("{format:>40} {status:<10} {count}");
    }
    eprintln!("runs: {runs:?}");
    assert_eq!(counts.values().sum::<usize>(), ingested.files.len());
    assert_eq!(runs.values().sum::<usize>(), ingested.runs.len());
    // By format, status and version of the tool: a file that changes its reader shows here.
    let mut versions: BTreeMap<String, usize> = BTreeMap::new();
    for file in ingested.files.iter().filter(|file| file.format.is_some()) {
        let format = file.format.clone().unwrap_or_default();
        let version = file.version.as_deref().unwrap_or("-");
        *versions.entry(format!("{format} {} {version}", file.status)).or_default() += 1;
    }
    let lines: Vec<String> = versions.into_iter().map(|(key, count)| format!("{key}: {count}")).collect();
    insta::assert_snapshot!("corpus_by_format_and_version", lines.join("\n"));
}

/// Reads a text with every format, claimed or not: what does not panic on foreign text does not on its own.
fn read_by_all(text: &[u8]) {
    let name = "x_bw.1.log";
    for format in FORMATS {
        let _ = format.detect(&Head { name, bytes: text, whole: true });
        let parsed = format.read(&mut &text[..], &ReadContext { name, ..ReadContext::default() });
        if let Ok(parsed) = parsed
            && let Content::Runs(runs) = parsed.content
        {
            for summary in runs.iter().flat_map(|run| &run.summaries) {
                let figures = [summary.min, summary.mean, summary.max, summary.stddev];
                assert!(figures.into_iter().flatten().all(f64::is_finite), "{}: {summary:?}", format.name());
            }
        }
    }
}

/// Fixtures, to be cut and mixed.
fn texts() -> Vec<String> {
    let files = files_below(&package().join("tests/fixtures"));
    let texts = files.into_iter().filter_map(|path| fs::read_to_string(path).ok());
    // Large ones take long and add nothing.
    texts.filter(|text| text.len() < 6000).collect()
}

/// Words of all the formats, so that arbitrary text comes near to them.
const WORDS: &[&str] = &[
    "\n",
    " ",
    "\t",
    ",",
    "|",
    ":",
    "0",
    "1",
    "4096",
    "1e308",
    "-1",
    "99999999999999999999",
    "nan",
    "+++++",
    "%util",
    "Device",
    "r/s",
    "kB",
    "reclen",
    "write",
    "rewrite",
    "access",
    "bw(MiB/s)",
    "iter",
    "Total IO",
    "Read IO",
    "thread",
    "bytes",
    "I/Os",
    "total:",
    "[Read]",
    "SEQ",
    "(Q=",
    "T=",
    "):",
    "MB/s",
    "IOPS]",
    "< 1 us>",
    "sysbench 1.0 (",
    "Throughput:",
    "[ 1s ]",
    "reads:",
    "1.98,2.00a,",
    "Latency histogram",
    "tod Run Interval rate MB/sec\n",
    "12:00:00",
    "avg_2-3",
    "<Results>",
    "</Results>",
    "<TimeSpan>",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\"tests\":",
    "\"sysstat\":",
    "é",
    "\u{feff}",
    "\0",
    "\r\n",
    "Linux 6 (x) (2 CPU)\n",
    "\"Writer report\"\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_reader_panic(picks in prop::collection::vec(0..WORDS.len(), 0..80), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text: String = picks.iter().map(|&at| WORDS[at]).collect();
        read_by_all(text.as_bytes());
        read_by_all(&bytes);
    }

    #[test]
    fn no_damage_to_a_real_text_makes_a_reader_panic(which in any::<prop::sample::Index>(), from in any::<prop::sample::Index>(), length in 0usize..60, word in 0..WORDS.len()) {
        let texts = texts();
        let mut bytes = texts[which.index(texts.len())].clone().into_bytes();
        let start = from.index(bytes.len());
        let end = (start + length).min(bytes.len());
        bytes.splice(start..end, WORDS[word].bytes());
        read_by_all(&bytes);
        read_by_all(&bytes[..start]);
    }
}
