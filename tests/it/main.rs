//! All integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod archives;
mod bad_inputs;
mod cli;
mod discover;
mod layers;
mod mutations;
mod numbers;
mod redact;
mod report_folder;
mod support;
