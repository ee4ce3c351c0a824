//! plotgen
pub mod analyze;
pub mod chart;
pub mod cli;
pub mod discover;
pub mod envelope;
pub mod gallery;
pub mod ingest;
pub mod model;
pub mod render;
pub mod spec;
