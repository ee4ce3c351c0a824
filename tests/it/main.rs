//! All integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod analysis;
mod archives;
mod bad_inputs;
mod browser;
mod cache;
mod catalogue;
mod charts_of_ones_own;
mod check;
mod cli;
mod commands;
mod compare;
mod discover;
mod distribution;
mod examples;
mod figures;
mod formats;
mod fsync;
mod large;
mod layers;
mod layout;
mod logs;
mod model;
mod mutations;
mod numbers;
mod parts;
mod pictures;
mod readme;
mod redact;
mod report;
mod report_folder;
mod steady;
#[cfg(feature = "tables")]
mod store;
mod support;
mod text_outputs;
