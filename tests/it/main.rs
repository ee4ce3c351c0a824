//! All integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod browser;
mod cli;
mod discover;
mod layers;
mod numbers;
mod support;
