//! From files to pictures: `cargo bench --no-default-features`.
//!
//! Timings are for comparing two states of the code on one machine; nothing
//! asserts them.

use divan::{Bencher, black_box};
use plotgen::analyze::{AnalyzeOptions, analyze};
use plotgen::chart::{Figure, chart};
use plotgen::discover::{DiscoverOptions, discover};
use plotgen::ingest::{IngestOptions, ingest};
use plotgen::model::Campaign;
use plotgen::render::{ImageFormat, Theme, render};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    divan::main();
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-logs")
}

fn campaign(path: &Path) -> Campaign {
    let found = discover(&[path.to_string_lossy().into_owned()], &DiscoverOptions::default());
    analyze(ingest(found, &IngestOptions::default(), &|_, _| ()), &AnalyzeOptions::default())
}

fn figures(campaign: &Campaign) -> Vec<Figure> {
    plotgen::spec::suggest(campaign).iter().filter_map(|spec| chart(campaign, spec).ok()).collect()
}

/// Every file of the sample campaign, read, joined, analysed.
#[divan::bench]
fn read_the_sample_campaign() -> Campaign {
    campaign(black_box(&sample()))
}

/// All its charts, laid out and drawn as SVG.
#[divan::bench]
fn draw_the_sample_campaign(bencher: Bencher<'_, '_>) {
    let campaign = campaign(&sample());
    bencher.bench(|| {
        let drawn = figures(&campaign)
            .into_iter()
            .map(|f| render(&f, ImageFormat::Svg, &Theme::auto()).map_or(0, |b| b.len()));
        drawn.sum::<usize>()
    });
}

/// One picture as PNG at 1x and 2x.
#[divan::bench(args = [1.0, 2.0])]
fn draw_one_png(bencher: Bencher<'_, '_>, scale: f64) {
    let campaign = campaign(&sample().join("level-sweep"));
    let figure = figures(&campaign).remove(0);
    bencher.bench(|| render(&figure, ImageFormat::Png { scale }, &Theme::light()).map_or(0, |b| b.len()));
}

/// Growth with the number of runs: 60 windows of iops and lat each.
#[divan::bench(args = [100, 300, 1000], sample_count = 3)]
fn read_and_lay_out_many_runs(bencher: Bencher<'_, '_>, runs: usize) {
    let folder = std::env::temp_dir().join(format!("plotgen-bench-{runs}"));
    if !folder.exists() {
        fs::create_dir_all(&folder).expect("the temporary folder can be written");
        for run in 0..runs {
            let (device, depth, repeat) = (run / 40, 1 << (run / 5 % 8), run % 5 + 1);
            for (kind, value) in [("iops", 400), ("lat", 9_000_000)] {
                let mut rows = String::new();
                for window in 1..=60u64 {
                    let _ =
                        writeln!(rows, "{}, {}, 0, 0, 0", window * 500, value + (window * run as u64) % 37);
                }
                let name = format!("disk{device}_randread_qd{depth}_run{repeat}_{kind}.1.log");
                fs::write(folder.join(name), rows).expect("the temporary folder can be written");
            }
        }
    }
    bencher.bench(|| figures(&campaign(&folder)).len());
}
