//! From a campaign and finished pictures to a whole static report.
//!
//! [`Builder`] makes every file of the report, picture by picture: pages, pictures, tables,
//! `report.json`; [`build`] does so at once. The files are a pure function of the arguments (and
//! of the user's templates); no clock, no path of this machine reaches the output. [`Writer`] and
//! [`write()`] put the files into a folder in one step, so that an interrupted run leaves
//! a whole report. Nothing here computes a statistic or draws a picture.

mod builder;
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

pub use builder::{Builder, Keep};
pub use error::{GalleryError, Refusal};
pub(crate) use report_json::checks;
pub use sheet::{Card, contact_sheet};
pub use slug::slugs;
pub use write::{MANIFEST, Writer, Written, check_output, write};

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
/// For a report of any size use [`Builder`], which holds no more than it has to.
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
    let mut files = BTreeMap::new();
    let mut keep = |path: &str, bytes: &[u8]| {
        files.insert(path.to_owned(), bytes.to_vec());
        Ok(())
    };
    let ids: Vec<String> = pictures.iter().map(|picture| picture.spec.id.clone()).collect();
    let mut builder = Builder::new(campaign, &ids, options, &mut keep)?;
    builder.add(pictures.to_vec())?;
    builder.finish(Vec::new(), extra)?;
    Ok(files)
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
