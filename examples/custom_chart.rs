//! A chart of one's own: p99 completion latency over queue depth, on a logarithmic axis, as SVG.

use plotgen::analyze::{AnalyzeOptions, analyze};
use plotgen::chart::chart;
use plotgen::discover::{DiscoverOptions, discover};
use plotgen::ingest::{IngestOptions, ingest};
use plotgen::model::{Dimension, Measure, Metric, Stat};
use plotgen::render::{ImageFormat, Theme, render};
use plotgen::spec::{ChartSpec, Mark, Reference, ScaleKind, XChannel};
use std::error::Error;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let found = discover(&["sample-logs/qd-sweep"], &DiscoverOptions::default());
    let campaign = analyze(ingest(found, &IngestOptions::default(), &|_, _| ()), &AnalyzeOptions::default());

    let mut spec = ChartSpec::new(
        "tail-by-depth",
        Mark::Line,
        XChannel::Dimension(Dimension::Iodepth),
        Measure { metric: Metric::Clat, stat: Stat::P99 },
    );
    spec.title = Some("The tail grows with every doubling of the queue".to_owned());
    spec.y_scale = ScaleKind::Log10;
    spec.references.push(Reference { value: 100e6, label: "100 ms".to_owned() });

    let figure = chart(&campaign, &spec)?;
    println!("{}", figure.alt);
    let svg = render(&figure, ImageFormat::Svg, &Theme::auto())?;
    let path = std::env::temp_dir().join("plotgen-tail-by-depth.svg");
    std::fs::write(&path, svg)?;
    println!("written to {}", path.display());
    Ok(())
}
