//! What the tests of readers share: fixtures, and short ways to what a reader made of a text.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::{Content, Format, Head, IngestError, Parsed, ReadContext, RunPart};
use crate::model::{Ddir, Dimension, Metric, SeriesKind, Severity, Summary};
use std::path::{Path, PathBuf};

/// A file of `tests/fixtures`.
pub(super) fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Where the corpus beside the project would be.
fn corpus_root() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    std::env::var_os("PLOTGEN_SHARED").map_or_else(beside, PathBuf::from)
}

/// The corpus beside the project; None with a line where it is absent.
pub(super) fn corpus() -> Option<PathBuf> {
    let root = corpus_root();
    if root.is_dir() {
        return Some(root);
    }
    println!("skipped: no shared corpus");
    None
}

/// A file of the corpus beside the project; None with a line where it is absent.
pub(super) fn shared(name: &str) -> Option<String> {
    let root = corpus_root();
    // `*` stands for the rest of a file name that is not ours to tell.
    let path = match name.split_once('*') {
        None => Some(root.join(name)),
        Some((start, end)) => {
            let (folder, start) = start.rsplit_once('/').unwrap_or(("", start));
            let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).find(|path| {
                let name =
                    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                name.starts_with(start) && name.ends_with(end)
            })
        }
    };
    let text = path.and_then(|path| std::fs::read_to_string(path).ok());
    if text.is_none() {
        eprintln!("skipped: no shared corpus ({name})");
    }
    text
}

pub(super) fn claims(format: &dyn Format, text: &str) -> bool {
    format.detect(&Head { name: "x", bytes: text.as_bytes(), whole: true }).is_some()
}

pub(super) fn read(format: &dyn Format, text: &str) -> Result<Parsed, IngestError> {
    format.read(&mut text.as_bytes(), &ReadContext::default())
}

/// The runs of a text that the format claims.
pub(super) fn runs(format: &dyn Format, text: &str) -> Vec<RunPart> {
    assert!(claims(format, text), "not claimed by {}", format.name());
    match read(format, text).unwrap().content {
        Content::Runs(runs) => runs,
        other => panic!("expected runs, found {other:?}"),
    }
}

/// Line and message of the error that a text gives.
pub(super) fn refusal(format: &dyn Format, text: &str) -> (Option<u64>, String) {
    match read(format, text).unwrap_err() {
        IngestError::Content { line, message } => (line, message),
        other => panic!("expected a content error, found {other}"),
    }
}

/// Lines and messages of the warnings that a readable text gives.
pub(super) fn warnings(format: &dyn Format, text: &str) -> Vec<(Option<u64>, String)> {
    let remarks = read(format, text).unwrap().remarks.into_iter();
    remarks.filter(|r| r.severity == Severity::Warning).map(|r| (r.line, r.message)).collect()
}

/// The run of a key.
pub(super) fn run<'a>(runs: &'a [RunPart], key: &str) -> &'a RunPart {
    let keys: Vec<&str> = runs.iter().map(|run| run.key.as_str()).collect();
    runs.iter().find(|run| run.key == key).unwrap_or_else(|| panic!("no `{key}` among {keys:?}"))
}

impl RunPart {
    pub(super) fn figures(&self, metric: Metric, ddir: Ddir) -> Option<&Summary> {
        self.summaries.iter().find(|s| s.metric == metric && s.ddir == ddir)
    }

    pub(super) fn mean_of(&self, metric: Metric, ddir: Ddir) -> Option<f64> {
        self.figures(metric, ddir)?.mean
    }

    /// End and value of the windows of a series.
    pub(super) fn rows(&self, metric: Metric, ddir: Ddir) -> Vec<(u64, f64)> {
        let series = self.series.iter().find(|s| s.metric == metric && s.ddir == ddir);
        match series.map(|s| &s.kind) {
            Some(SeriesKind::Windowed { samples, .. }) => {
                samples.iter().map(|s| (s.end_ms, s.value)).collect()
            }
            Some(other) => panic!("no windows but {other:?}"),
            None => Vec::new(),
        }
    }

    /// Dimensions as `rw=read bs=4k`.
    pub(super) fn stated(&self) -> String {
        let all: Vec<String> =
            self.dimensions.iter().map(|(d, v): (&Dimension, _)| format!("{d}={v}")).collect();
        all.join(" ")
    }
}

/// Asserts that two figures agree but for the last bits.
#[track_caller]
pub(super) fn assert_close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}
