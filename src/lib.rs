//! plotgen
pub mod analyze;
pub mod chart;
pub mod gallery;
pub mod ingest;
pub mod model;
pub mod spec;
