//! All integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod check;
mod cli;
mod discover;
mod examples;
mod layers;
mod model;
mod numbers;
mod support;
