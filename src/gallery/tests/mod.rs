//! A small campaign through the whole gallery: pages, links, data, and `report.json`.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod json;
mod pages;
mod sample;
mod templates;
