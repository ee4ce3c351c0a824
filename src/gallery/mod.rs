//! From a campaign and finished pictures to a whole static report.
//!
//! [`build`] makes every file of the report in memory: pages, pictures, tables,
//! `report.json`. It is a pure function of its arguments (and of the user's
//! templates); no clock, no path of this machine reaches the output. [`write()`]
//! puts the files into a folder in one step, so that an interrupted run leaves
//! a whole report. Nothing here computes a statistic or draws a picture.

mod data;
mod error;
mod page;
mod report_json;
mod sheet;
mod slug;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use error::{GalleryError, Refusal};
pub(crate) use report_json::checks;
pub use sheet::{Card, contact_sheet};
pub use slug::slugs;
pub use write::{MANIFEST, Written, check_output, write};

use crate::chart::Figure;
use crate::model::Campaign;
use crate::model::unit::UnitSystem;
use crate::spec::ChartSpec;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A chart with everything that was drawn of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// What was asked for; its id names the page and the table.
    pub spec: ChartSpec,
    /// What came of it: texts, numbers, runs.
    pub figure: Figure,
    /// Name of the file below `charts/` and its bytes: `ID.svg`, `ID.png`, `ID@2x.png`, `ID-dark.svg`.
    pub files: BTreeMap<String, Vec<u8>>,
    /// SVG for cards.
    pub thumb: Vec<u8>,
}

/// How pages are made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageOptions {
    /// Prefixes for bandwidth.
    pub units: UnitSystem,
    /// A folder whose files replace built-in templates of the same name.
    pub templates: Option<PathBuf>,
}

/// Every file of the report: path below its folder, `/` between parts, and bytes.
///
/// `extra` holds files made elsewhere, by their path (`data/summary.parquet`).
///
/// # Errors
/// When a template is broken, when two pictures want the same file, or when a
/// name cannot be that of a file.
pub fn build(
    campaign: &Campaign,
    pictures: &[Picture],
    extra: BTreeMap<String, Vec<u8>>,
    options: &PageOptions,
) -> Result<BTreeMap<String, Vec<u8>>, GalleryError> {
    let pages = page::Pages::load(options.templates.as_deref())?;
    let site = view::Site::new(campaign, pictures, options.units);
    let mut report = Report::default();

    for picture in &site.pictures {
        for (name, bytes) in &picture.picture.files {
            report.add(format!("charts/{}", file_name(name)?), bytes.clone())?;
        }
        report.add(picture.thumb(), picture.picture.thumb.clone())?;
        report.add(picture.csv(), data::table(&picture.csv(), &picture.picture.figure.table)?)?;
        report.add(picture.page(), pages.render("chart.html", &view::chart(&site, picture))?)?;
    }
    for run in &site.runs {
        report.add(run.page(), pages.render("run.html", &view::run(&site, run))?)?;
    }
    let mut downloads = vec!["report.json".to_owned(), data::SUMMARY.to_owned()];
    downloads.extend(extra.keys().cloned());
    report.add("index.html".to_owned(), pages.render("index.html", &view::index(&site, &downloads))?)?;
    report.add(data::SUMMARY.to_owned(), data::summary(campaign)?)?;
    report.add("report.json".to_owned(), report_json::document(&site)?)?;
    for (name, bytes) in pages.assets() {
        report.add(format!("assets/{name}"), bytes.to_vec())?;
    }
    for (path, bytes) in extra {
        for part in path.split('/') {
            file_name(part)?;
        }
        report.add(path, bytes)?;
    }
    Ok(report.files)
}

/// The files made so far.
#[derive(Default)]
struct Report {
    files: BTreeMap<String, Vec<u8>>,
}

impl Report {
    fn add(&mut self, path: String, bytes: Vec<u8>) -> Result<(), GalleryError> {
        if self.files.contains_key(&path) {
            return Err(GalleryError::Duplicate { path });
        }
        self.files.insert(path, bytes);
        Ok(())
    }
}

/// `name` when it can name a file on any system, below any folder.
fn file_name(name: &str) -> Result<&str, GalleryError> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.len() > 200 {
        "it is longer than 200 bytes"
    } else if name.starts_with(['.', '-']) {
        "it begins with a dot or a hyphen"
    } else if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-@".contains(&b)) {
        "only letters, digits and `._-@` are understood everywhere"
    } else {
        return Ok(name);
    };
    Err(GalleryError::FileName { name: name.to_owned(), reason })
}
