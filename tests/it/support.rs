//! What the integration tests share: where the data is, and the way from files to a campaign.

use plotgen::analyze::{AnalyzeOptions, analyze};
use plotgen::discover::{DiscoverOptions, discover};
use plotgen::ingest::{IngestOptions, ingest};
use plotgen::model::{Campaign, Ddir, Measure, Metric, Origin, RunRecord};
use std::path::{Path, PathBuf};

/// The package's folder.
pub(crate) fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of the sample logs.
pub(crate) fn sample(folder: &str) -> PathBuf {
    package().join("sample-logs").join(folder)
}

/// A folder of the larger corpus that stands beside the project on some machines; None where it is absent, with a line that says so.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("PLOTGEN_SHARED").map_or_else(|| package().join("../shared"), PathBuf::from);
    let path = root.join(folder);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: no shared corpus ({folder})");
    None
}

/// A campaign of the larger corpus by its code (`C02`), and a folder below it.
pub(crate) fn public(code: &str, below: &str) -> Option<PathBuf> {
    let campaigns = shared("corpus/public/campaigns")?;
    let start = format!("{code}-");
    let found = std::fs::read_dir(campaigns)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start)));
    if found.is_none() {
        eprintln!("skipped: no campaign {code}");
    }
    Some(found?.join(below))
}

/// Everything below the paths, read and analysed with default options.
pub(crate) fn campaign(paths: &[&Path]) -> Campaign {
    campaign_with(paths, &IngestOptions::default())
}

pub(crate) fn campaign_with(paths: &[&Path], options: &IngestOptions) -> Campaign {
    read(paths, options, &AnalyzeOptions::default())
}

/// Everything below the paths, with what the user knows about the system.
pub(crate) fn campaign_under(paths: &[&Path], options: &AnalyzeOptions) -> Campaign {
    read(paths, &IngestOptions::default(), options)
}

fn read(paths: &[&Path], reading: &IngestOptions, analysis: &AnalyzeOptions) -> Campaign {
    let inputs: Vec<String> = paths.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    let discovered = discover(&inputs, &DiscoverOptions::default());
    analyze(ingest(discovered, reading, &|_, _| ()), analysis)
}

/// The run whose id is `id` or ends with `/id`.
pub(crate) fn run<'a>(campaign: &'a Campaign, id: &str) -> &'a RunRecord {
    let tail = format!("/{id}");
    let found: Vec<&RunRecord> =
        campaign.runs.iter().filter(|r| r.run.id == id || r.run.id.ends_with(&tail)).collect();
    let ids: Vec<&str> = campaign.runs.iter().map(|r| r.run.id.as_str()).collect();
    assert_eq!(found.len(), 1, "`{id}` among {ids:?}");
    found[0]
}

/// A mean of one origin; NaN when there is none.
pub(crate) fn mean(record: &RunRecord, metric: Metric, ddir: Ddir, origin: Origin) -> f64 {
    record.statistic_from(Measure::mean(metric), ddir, origin).map_or(f64::NAN, |s| s.value)
}

/// Asserts that two figures are within a share of the second.
#[track_caller]
pub(crate) fn assert_near(value: f64, expected: f64, within: f64, what: &str) {
    let apart = (value / expected - 1.0).abs();
    assert!(apart <= within, "{what}: {value} against {expected}, {:.2} % apart", apart * 100.0);
}
