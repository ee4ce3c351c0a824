//! The numbers of a report as CSV, at full precision.

use crate::analyze::summary_rows;
use crate::chart::{Table, TableCell};
use crate::gallery::GalleryError;
use crate::model::Campaign;
use crate::model::decimal::{self, Room};

/// Path of the tidy table of all runs.
pub(crate) const SUMMARY: &str = "data/summary.csv";

/// The table behind a picture.
pub(crate) fn table(path: &str, table: &Table) -> Result<Vec<u8>, GalleryError> {
    let failed = |source| GalleryError::Csv { path: path.to_owned(), source };
    let mut writer = writer();
    if !table.columns.is_empty() {
        writer.write_record(&table.columns).map_err(failed)?;
    }
    let mut room = Room::new();
    for row in table.rows.iter().filter(|row| !row.is_empty()) {
        for cell in row {
            let field = match cell {
                TableCell::Empty => "",
                TableCell::Text(text) => text,
                TableCell::Number { value, .. } => &decimal::shortest(*value, &mut room),
            };
            writer.write_field(field.as_bytes()).map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)?;
    }
    bytes(path, writer)
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
        record.push(decimal::shortest(row.value, &mut Room::new()).into_owned());
        record.extend(words(&[row.unit.as_str(), row.origin.as_str()]));
        record.push(row.n.map(|n| n.to_string()).unwrap_or_default());
        record
    });
    csv(SUMMARY, std::iter::once(head.concat()).chain(rows))
}

fn csv(path: &str, rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>, GalleryError> {
    let mut writer = writer();
    for row in rows.filter(|row| !row.is_empty()) {
        writer.write_record(&row).map_err(|source| GalleryError::Csv { path: path.to_owned(), source })?;
    }
    bytes(path, writer)
}

fn writer() -> csv::Writer<Vec<u8>> {
    csv::WriterBuilder::new().flexible(true).from_writer(Vec::new())
}

fn bytes(path: &str, writer: csv::Writer<Vec<u8>>) -> Result<Vec<u8>, GalleryError> {
    let failed = |source| GalleryError::Csv { path: path.to_owned(), source };
    writer.into_inner().map_err(|error| failed(csv::Error::from(error.into_error())))
}
