//! Single pictures of four series with 1,000 points each: `cargo bench --no-default-features --bench pictures`.
//!
//! Timings are for comparing two states of the code on one machine; nothing
//! asserts them.

use divan::{Bencher, black_box};
use plotgen::analyze::{AnalyzeOptions, analyze};
use plotgen::chart::{Figure, card, chart};
use plotgen::discover::{DiscoverOptions, discover};
use plotgen::ingest::{IngestOptions, ingest};
use plotgen::model::Campaign;
use plotgen::render::{ImageFormat, RenderOptions, Theme, render_with};
use plotgen::spec::{ChartSpec, suggest};
use std::fmt::Write as _;
use std::fs;

fn main() {
    divan::main();
}

/// Four RAID levels, 1,000 windows each, and their chart over time.
fn campaign() -> (Campaign, ChartSpec) {
    let folder = tempfile::tempdir().expect("the temporary folder can be written");
    for (raid, level) in [(0, 4_000), (10, 3_100), (5, 1_900), (6, 1_400)] {
        let mut rows = String::new();
        let mut state = u64::from(raid as u32) + 7;
        for window in 1..=1000_u64 {
            state = state * 48_271 % 2_147_483_647;
            let dip = if (300..380).contains(&window) { 600 } else { 0 };
            let _ = writeln!(rows, "{}, {}, 0, 0, 0", window * 500, level + state % 400 - dip);
        }
        let name = format!("raid{raid}_randread_4k_qd32_iops.1.log");
        fs::write(folder.path().join(name), rows).expect("the temporary folder can be written");
    }
    let found = discover(&[folder.path().to_string_lossy().into_owned()], &DiscoverOptions::default());
    let campaign = analyze(ingest(found, &IngestOptions::default(), &|_, _| ()), &AnalyzeOptions::default());
    let spec = suggest(&campaign).into_iter().find(|spec| spec.id == "iops-time-by-raid");
    (campaign, spec.expect("four levels over time have a chart"))
}

fn figure() -> (Figure, RenderOptions) {
    let (campaign, spec) = campaign();
    let figure = chart(&campaign, &spec).expect("the chart can be made");
    (figure, RenderOptions { spec: Some(spec), ..RenderOptions::default() })
}

/// Selection, scales, labels: the figure alone.
#[divan::bench]
fn lay_out(bencher: Bencher<'_, '_>) {
    let (campaign, spec) = campaign();
    bencher.bench(|| chart(black_box(&campaign), &spec));
}

/// From the campaign to a file of the format.
#[divan::bench(args = ["svg", "png", "png at 2x", "pdf"])]
fn lay_out_and_draw(bencher: Bencher<'_, '_>, format: &str) {
    let (campaign, spec) = campaign();
    let options = RenderOptions { spec: Some(spec.clone()), ..RenderOptions::default() };
    let format = match format {
        "svg" => ImageFormat::Svg,
        "png" => ImageFormat::Png { scale: 1.0 },
        "pdf" => ImageFormat::Pdf,
        _ => ImageFormat::Png { scale: 2.0 },
    };
    bencher.bench(|| {
        let figure = chart(black_box(&campaign), &spec)?;
        Ok::<_, Box<dyn std::error::Error>>(render_with(&figure, format, &Theme::light(), &options)?)
    });
}

/// A figure as SVG.
#[divan::bench]
fn draw_svg(bencher: Bencher<'_, '_>) {
    let (figure, options) = figure();
    bencher.bench(|| render_with(black_box(&figure), ImageFormat::Svg, &Theme::auto(), &options));
}

/// A figure as PNG.
#[divan::bench(args = [1.0, 2.0])]
fn draw_png(bencher: Bencher<'_, '_>, scale: f64) {
    let (figure, options) = figure();
    bencher.bench(|| render_with(black_box(&figure), ImageFormat::Png { scale }, &Theme::light(), &options));
}

/// The card of the same chart.
#[divan::bench]
fn lay_out_and_draw_a_thumb(bencher: Bencher<'_, '_>) {
    let (campaign, spec) = campaign();
    bencher.bench(|| {
        let figure = card(black_box(&campaign), &spec)?;
        let options = RenderOptions::default();
        Ok::<_, Box<dyn std::error::Error>>(render_with(&figure, ImageFormat::Svg, &Theme::auto(), &options)?)
    });
}
