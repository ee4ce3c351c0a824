//! A small campaign through the whole gallery: pages, links, data, and `report.json`.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod index;
mod json;
mod pages;
mod sample;
mod templates;

use crate::gallery::{PageOptions, Picture, build};
use crate::model::Campaign;
use sample::{campaign, pictures};
use std::collections::BTreeMap;

pub(super) fn report() -> BTreeMap<String, Vec<u8>> {
    let extra = BTreeMap::from([("data/summary.parquet".to_owned(), b"PAR1".to_vec())]);
    build(&campaign(), &pictures(), extra, &PageOptions::default()).unwrap()
}

pub(super) fn text(report: &BTreeMap<String, Vec<u8>>, path: &str) -> String {
    String::from_utf8(report[path].clone()).unwrap()
}

/// The part of the first page that has this anchor.
pub(super) fn section(index: &str, id: &str) -> String {
    let start = index.find(&format!("<section id=\"{id}\"")).unwrap();
    let length = index[start..].find("</section>").unwrap();
    index[start..start + length].to_owned()
}

pub(super) fn index_of(campaign: &Campaign, pictures: &[Picture]) -> String {
    text(&build(campaign, pictures, BTreeMap::new(), &PageOptions::default()).unwrap(), "index.html")
}
