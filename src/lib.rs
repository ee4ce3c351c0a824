//! Charts and a report from the logs that storage benchmarks leave behind.
//!
//! The `plotgen` program is a thin layer over this library. A few lines read a
//! campaign, choose a chart and draw it:
//!
//! ```
//! use plotgen::analyze::{AnalyzeOptions, analyze};
//! use plotgen::discover::{DiscoverOptions, discover};
//! use plotgen::ingest::{IngestOptions, ingest};
//! use plotgen::render::{ImageFormat, Theme, render};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let found = discover(&["sample-logs/level-sweep"], &DiscoverOptions::default());
//! let ingested = ingest(found, &IngestOptions::default(), &|_, _| ());
//! let campaign = analyze(ingested, &AnalyzeOptions::default());
//! assert_eq!(campaign.runs.len(), 24);
//!
//! let spec = plotgen::spec::named("iops-by-raid", &campaign)?.remove(0);
//! let figure = plotgen::chart::chart(&campaign, &spec)?;
//! let svg = render(&figure, ImageFormat::Svg, &Theme::light())?;
//! assert!(svg.starts_with(b"<svg"));
//! # Ok(())
//! # }
//! ```
//!
//! The stages, in the order in which data flows: [`discover`] finds the inputs,
//! [`ingest`] reads them and joins what belongs to one run, [`analyze`]
//! computes figures and finds what may be compared, [`chart`] turns a
//! [`spec::ChartSpec`] into a complete [`chart::Figure`], [`render`] draws it,
//! [`gallery`] makes the report. [`model`] and [`spec`] are the vocabularies
//! that they share.
//!
//! What it does not do: run benchmarks, talk to a network, or guess. A figure
//! that the data does not carry is left out, with a remark.

pub mod analyze;
mod aside;
pub mod cache;
pub mod chart;
pub mod cli;
#[cfg(feature = "tables")]
mod columnar;
pub mod discover;
pub mod envelope;
pub mod gallery;
pub mod ingest;
pub mod model;
pub mod render;
#[cfg(test)]
mod schema;
pub mod spec;
