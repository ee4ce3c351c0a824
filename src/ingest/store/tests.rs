//! Rows to contents and back, and rows and bytes that no writer makes.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::rows::{self, Rows};
use super::tables::{BucketRow, CellRow, SeriesRow, from_parquet, to_parquet};
use super::*;
use crate::discover::{DiscoverOptions, discover};
use crate::ingest::read;
use crate::model::{DimensionOrigin, Metric, SeriesKind};

/// A run with cells, one with histograms and one with four jobs.
fn sample() -> Contents {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-logs/special");
    let found = discover(&[folder], &DiscoverOptions::default());
    read(found, &IngestOptions::default(), None, &|_, _| ())
}

fn loaded(rows: Rows) -> Result<Contents, String> {
    rows::contents(rows, &[])
}

#[test]
fn rows_make_the_contents_that_made_them() {
    let (rows, _) = rows::rows(&sample());
    assert!(!rows.samples.is_empty() && !rows.cells.is_empty() && !rows.histograms.is_empty());
    let again = loaded(rows.clone()).unwrap();
    assert_eq!(rows::rows(&again).0, rows);
    let (direct, stored) = (sample().join(&IngestOptions::default()), again.join(&IngestOptions::default()));
    assert_eq!(direct.runs, stored.runs);
    let cells = |kind: &SeriesKind| matches!(kind, SeriesKind::Cells(grid) if !grid.timed.is_empty());
    assert!(
        stored.runs.iter().flat_map(|run| &run.series).any(|s| s.metric == Metric::Clat && cells(&s.kind))
    );
}

#[test]
fn sums_of_more_than_64_bits_keep_every_bit() {
    let row =
        CellRow { series: 0, cell: 0, count: 1, sum_high: 7, sum_low: u64::MAX, min: 1, max: 2, bytes: 3 };
    let bytes = to_parquet(vec![row.clone()]).unwrap();
    assert_eq!(from_parquet::<CellRow>(bytes).unwrap(), [row]);
}

#[test]
fn rows_that_contradict_each_other_are_errors_that_name_the_table() {
    let (good, _) = rows::rows(&sample());
    let cells = good.series.iter().position(|row| row.kind == "cells").unwrap();
    let windowed = good.series.iter().position(|row| row.kind == "windowed").unwrap();
    let error = |change: &dyn Fn(&mut Rows)| {
        let mut rows = good.clone();
        change(&mut rows);
        loaded(rows).err().unwrap()
    };
    let series = |at: usize, change: fn(&mut SeriesRow)| error(&|rows| change(&mut rows.series[at]));
    assert!(error(&|rows| rows.files[1].file = 7).contains("`files`"));
    assert!(error(&|rows| rows.files[0].status = "lost".into()).contains("`files`"));
    assert!(error(&|rows| rows.files[0].archive = Some(0)).contains("`files`"));
    assert!(error(&|rows| rows.runs[0].file = u64::MAX).contains("`runs`"));
    assert!(error(&|rows| rows.jobs[0].run = 1 << 40).contains("`jobs`"));
    assert!(error(&|rows| rows.jobs[0].clones = 1 << 40).contains("`jobs`"));
    assert!(error(&|rows| rows.totals[0].ddir = "up".into()).contains("`totals`"));
    assert!(error(&|rows| rows.properties[0].kind = "x".into()).contains("`properties`"));
    assert!(error(&|rows| rows.statistics[0].buckets = Some(1)).contains("`histograms`"));
    assert!(error(&|rows| rows.statistics[0].metric = "speed".into()).contains("`statistics`"));
    assert!(error(&|rows| rows.logs[0].told_lat_unit = Some("h".into())).contains("`logs`"));
    assert!(error(&|rows| rows.segments[0].segment = 3).contains("`segments`"));
    // A length that would take all memory.
    assert!(series(cells, |row| row.cells = Some(u64::MAX)).contains("`series`"));
    assert!(series(cells, |row| row.timed_cells = Some(u64::MAX)).contains("`series`"));
    assert!(series(cells, |row| row.cell_ms = Some(0)).contains("lacks `cell_ms`"));
    assert!(series(cells, |row| row.timed_cell_ms = None).contains("lacks `timed_cell_ms`"));
    assert!(series(windowed, |row| row.window_ms = None).contains("lacks `window_ms`"));
    assert!(series(windowed, |row| row.segment = Some(9)).contains("`series`"));
    assert!(series(windowed, |row| row.kind = "x".into()).contains("of the kind `x`"));
    assert!(error(&|rows| rows.samples[1].end_ms = 0).contains("not in order"));
    assert!(error(&|rows| rows.samples[1].value = f64::NAN).contains("not in order"));
    assert!(error(&|rows| rows.cells[0].cell = 1 << 30).contains("`cells`"));
}

#[test]
fn what_was_said_comes_back_from_the_manifest() {
    let mut options = IngestOptions {
        pattern: Some(Pattern::new("raid(?<raid>\\d+)").unwrap()),
        lat_unit: Some(LatUnit::Microseconds),
        appended: Appended::Sequential,
        ..IngestOptions::default()
    };
    let fs = Value::canonical(&Dimension::Fs, "xfs");
    options.set.push((Dimension::Fs, fs.clone()));
    options.set_matching.push((Glob::new("a/*").unwrap(), Dimension::Fs, fs));
    let said = said_of(&options);
    assert_eq!(said_of(&options_of(&said).unwrap()), said);
    assert!(options_of(&Said { lat_unit: Some("h".into()), ..Said::default() }).is_err());
    assert!(options_of(&Said { pattern: Some("(".into()), ..Said::default() }).is_err());
}

#[test]
fn what_is_said_later_is_stronger_and_what_was_said_before_stays() {
    let mut contents = sample();
    let say = |dimension: Dimension, value: &str| IngestOptions {
        set: vec![(dimension.clone(), Value::canonical(&dimension, value))],
        ..IngestOptions::default()
    };
    remember(&mut contents.said, contents.sources.len(), &say(Dimension::Fs, "xfs"));
    remember(&mut contents.said, contents.sources.len(), &say(Dimension::Host, "db1"));
    remember(&mut contents.said, contents.sources.len(), &say(Dimension::Fs, "ext4"));
    let (_, said) = rows::rows(&contents);
    assert_eq!(said.len(), 1);
    let run = contents.join(&say(Dimension::Host, "db2")).runs.swap_remove(0);
    assert_eq!(run.value(&Dimension::Fs).unwrap().as_str(), "ext4");
    assert_eq!(run.value(&Dimension::Host).unwrap().as_str(), "db2");
    assert_eq!(run.dimensions[&Dimension::Fs].from, DimensionOrigin::Set);
}

#[test]
fn bytes_that_are_not_as_they_were_written_never_panic() {
    // The hash in the manifest catches these before they are decoded; a manifest can be forged.
    let (rows, _) = rows::rows(&sample());
    let some: Vec<BucketRow> = rows.histograms.into_iter().take(40).collect();
    let whole = to_parquet(some).unwrap();
    for at in 0..whole.len() {
        for bits in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= bits;
            let _ = from_parquet::<BucketRow>(bytes);
        }
        let _ = from_parquet::<BucketRow>(whole[..at].to_vec());
    }
}
