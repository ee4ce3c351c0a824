//! All integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod analysis;
mod cli;
mod compare;
mod discover;
mod examples;
mod layers;
mod numbers;
mod steady;
mod support;
