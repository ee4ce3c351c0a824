//! plotgen
pub mod analyze;
pub mod chart;
pub mod ingest;
pub mod model;
pub mod render;
pub mod spec;
