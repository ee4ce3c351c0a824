//! All integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod cli;
mod discover;
mod layers;
mod logs;
mod numbers;
mod support;
