//! Single pictures of four series with 1,000 points each: `cargo bench --no-default-features --bench pictures`.
//!
//! Timings are for comparing two states of the code on one machine; nothing
//! asserts them. What the first picture of a process takes, fonts and tables
//! of letters included, is printed before the others, which draw the same
//! some hundred times.

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
use std::time::Instant;

fn main() {
    // A picture alone: `pictures one png 3` draws one format some times and nothing else, for a profiler.
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [one, runs, format, times] = &words[..]
        && one == "one"
    {
        let (campaign, spec) = campaign(runs.parse().expect("runs of a level, a number"));
        let times: usize = times.parse().expect("how often, a number");
        for _ in 0..times {
            black_box(draw(&campaign, &spec, format));
        }
        return;
    }
    let (campaign, spec) = campaign(1);
    for format in ["svg", "png"] {
        let start = Instant::now();
        black_box(draw(&campaign, &spec, format));
        println!("first {format} of a process: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    divan::main();
}

/// Four RAID levels, 1,000 windows each in one run or in several, and their chart over time.
fn campaign(runs: u64) -> (Campaign, ChartSpec) {
    let folder = tempfile::tempdir().expect("the temporary folder can be written");
    for (raid, level) in [(0, 4_000), (10, 3_100), (5, 1_900), (6, 1_400)] {
        for run in 1..=runs {
            let mut rows = String::new();
            let mut state = u64::from(raid as u32) * 10 + 6 + run;
            for window in 1..=1000_u64 {
                state = state * 48_271 % 2_147_483_647;
                let dip = if (300..380).contains(&window) { 600 } else { 0 };
                let _ = writeln!(rows, "{}, {}, 0, 0, 0", window * 500, level + state % 400 - dip);
            }
            let name = format!("raid{raid}_randread_4k_qd32_run{run}_iops.1.log");
            fs::write(folder.path().join(name), rows).expect("the temporary folder can be written");
        }
    }
    let found = discover(&[folder.path().to_string_lossy().into_owned()], &DiscoverOptions::default());
    let campaign = analyze(ingest(found, &IngestOptions::default(), &|_, _| ()), &AnalyzeOptions::default());
    let spec = suggest(&campaign).into_iter().find(|spec| spec.id == "iops-time-by-raid");
    (campaign, spec.expect("four levels over time have a chart"))
}

/// From the campaign to a file of the format.
fn draw(campaign: &Campaign, spec: &ChartSpec, format: &str) -> Vec<u8> {
    let options = RenderOptions { spec: Some(spec.clone()), ..RenderOptions::default() };
    let (format, theme) = match format {
        "svg" => (ImageFormat::Svg, Theme::auto()),
        "png" => (ImageFormat::Png { scale: 1.0 }, Theme::light()),
        "pdf" => (ImageFormat::Pdf, Theme::light()),
        _ => (ImageFormat::Png { scale: 2.0 }, Theme::light()),
    };
    let figure = chart(campaign, spec).expect("the chart can be made");
    render_with(&figure, format, &theme, &options).expect("the figure can be drawn")
}

fn figure() -> (Figure, RenderOptions) {
    let (campaign, spec) = campaign(1);
    let figure = chart(&campaign, &spec).expect("the chart can be made");
    (figure, RenderOptions { spec: Some(spec), ..RenderOptions::default() })
}

/// Selection, scales, labels: the figure alone. Of three runs of a series there is the range as well.
#[divan::bench(args = [1, 3])]
fn lay_out(bencher: Bencher<'_, '_>, runs: u64) {
    let (campaign, spec) = campaign(runs);
    bencher.bench(|| chart(black_box(&campaign), &spec));
}

/// From the campaign to a file of the format.
#[divan::bench(args = ["svg", "png", "png at 2x", "pdf"])]
fn lay_out_and_draw(bencher: Bencher<'_, '_>, format: &str) {
    let (campaign, spec) = campaign(1);
    bencher.bench(|| draw(black_box(&campaign), &spec, format));
}

/// The same of three noisy runs each, with the range between them.
#[divan::bench(args = ["svg", "png"])]
fn lay_out_and_draw_bands(bencher: Bencher<'_, '_>, format: &str) {
    let (campaign, spec) = campaign(3);
    bencher.bench(|| draw(black_box(&campaign), &spec, format));
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
    let (campaign, spec) = campaign(1);
    bencher.bench(|| {
        let figure = card(black_box(&campaign), &spec)?;
        let options = RenderOptions::default();
        Ok::<_, Box<dyn std::error::Error>>(render_with(&figure, ImageFormat::Svg, &Theme::auto(), &options)?)
    });
}
