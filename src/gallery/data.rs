//! The numbers of a report as CSV, at full precision.

use crate::analyze::summary_rows;
use crate::chart::{Table, TableCell};
use crate::gallery::GalleryError;
use crate::model::Campaign;

/// Path of the tidy table of all runs.
pub(crate) const SUMMARY: &str = "data/summary.csv";

/// The table behind a picture.
pub(crate) fn table(path: &str, table: &Table) -> Result<Vec<u8>, GalleryError> {
    let text = |cell: &TableCell| match cell {
        TableCell::Empty => String::new(),
        TableCell::Text(text) => text.clone(),
        TableCell::Number { value, .. } => number(*value),
    };
    let rows = table.rows.iter().map(|row| row.iter().map(text).collect());
    csv(path, std::iter::once(table.columns.clone()).chain(rows))
}

/// One row for each run and figure.
pub(crate) fn summary(campaign: &Campaign) -> Result<Vec<u8>, GalleryError> {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let dimensions = campaign.dimensions.iter().map(|d| d.as_str().to_owned()).collect();
    let head =
        [words(&["run"]), dimensions, words(&["metric", "ddir", "stat", "value", "unit", "origin", "n"])];
    let rows = summary_rows(campaign).into_iter().map(|row| {
        let mut record = vec![row.run];
        record.extend(row.dimensions);
        record.extend(words(&[row.metric.as_str(), row.ddir.as_str(), row.stat.as_str()]));
        record.push(number(row.value));
        record.extend(words(&[row.unit.as_str(), row.origin.as_str()]));
        record.push(row.n.map(|n| n.to_string()).unwrap_or_default());
        record
    });
    csv(SUMMARY, std::iter::once(head.concat()).chain(rows))
}

fn csv(path: &str, rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>, GalleryError> {
    let failed = |source| GalleryError::Csv { path: path.to_owned(), source };
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows.filter(|row| !row.is_empty()) {
        writer.write_record(&row).map_err(failed)?;
    }
    writer.into_inner().map_err(|error| failed(csv::Error::from(error.into_error())))
}

/// The shortest text that reads back as `value`; empty for what is no number.
fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}
