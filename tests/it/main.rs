//! All integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod analysis;
mod browser;
mod cli;
mod commands;
mod discover;
mod examples;
mod formats;
mod layers;
mod logs;
mod numbers;
mod support;
mod text_outputs;
