//! A report from the library: read, analyse, draw, build the pages, write them in one step.

use plotgen::analyze::{AnalyzeOptions, analyze};
use plotgen::chart::chart;
use plotgen::discover::{DiscoverOptions, discover};
use plotgen::gallery::{PageOptions, Picture, build, write};
use plotgen::ingest::{IngestOptions, ingest};
use plotgen::render::{ImageFormat, Theme, render};
use plotgen::spec::{Size, suggest};
use std::collections::BTreeMap;
use std::error::Error;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let found = discover(&["sample-logs/qd-sweep"], &DiscoverOptions::default());
    let options =
        AnalyzeOptions { title: Some("One array, deeper queues".to_owned()), ..AnalyzeOptions::default() };
    let campaign = analyze(ingest(found, &IngestOptions::default(), &|_, _| ()), &options);

    let mut pictures = Vec::new();
    for spec in suggest(&campaign) {
        let figure = chart(&campaign, &spec)?;
        let svg = render(&figure, ImageFormat::Svg, &Theme::auto())?;
        let small = chart(&campaign, &spec.sized(Size::THUMB))?;
        let thumb = render(&small, ImageFormat::Svg, &Theme::auto())?;
        let files = BTreeMap::from([(format!("{}.svg", spec.id), svg)]);
        pictures.push(Picture { spec, figure, files, thumb });
    }

    let pages = build(&campaign, &pictures, BTreeMap::new(), &PageOptions::default())?;
    let out = std::env::temp_dir().join(format!("plotgen-gallery-{}", std::process::id()));
    let written = write(&pages, &out, &[])?;
    println!("{} charts, {} files: {}", pictures.len(), pages.len(), written.index.display());
    Ok(())
}
