//! The numbers of a report as CSV, at full precision.

use crate::analyze::summary_rows;
use crate::chart::{Table, TableCell};
use crate::gallery::GalleryError;
use crate::model::Campaign;
use std::borrow::Cow;

/// Path of the tidy table of all runs.
pub(crate) const SUMMARY: &str = "data/summary.csv";

/// The table behind a picture.
pub(crate) fn table(path: &str, table: &Table) -> Result<Vec<u8>, GalleryError> {
    let failed = |source| GalleryError::Csv { path: path.to_owned(), source };
    let mut writer = writer();
    if !table.columns.is_empty() {
        writer.write_record(&table.columns).map_err(failed)?;
    }
    let mut room = zmij::Buffer::new();
    for row in table.rows.iter().filter(|row| !row.is_empty()) {
        for cell in row {
            let field = match cell {
                TableCell::Empty => "",
                TableCell::Text(text) => text,
                TableCell::Number { value, .. } => &shortest(*value, &mut room),
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
        record.push(number(row.value));
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

/// The shortest text that reads back as `value`; empty for what is no number.
fn number(value: f64) -> String {
    shortest(value, &mut zmij::Buffer::new()).into_owned()
}

/// [`number`] without a text of its own where it needs no exponent.
fn shortest(value: f64, room: &mut zmij::Buffer) -> Cow<'_, str> {
    if !value.is_finite() {
        return Cow::Borrowed("");
    }
    let text = room.format_finite(value);
    // The standard library writes all digits, and no zero behind a whole number.
    if text.contains('e') {
        Cow::Owned(value.to_string())
    } else {
        Cow::Borrowed(text.strip_suffix(".0").unwrap_or(text))
    }
}

#[cfg(test)]
mod tests {
    use super::number;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (-12.5, "-12.5"),
            (0.1, "0.1"),
            (44.920_519_999_999_996, "44.920519999999996"),
            (1e21, "1000000000000000000000"),
            (1e-7, "0.0000001"),
            (f64::NAN, ""),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(value in proptest::num::f64::NORMAL, near in -1e6f64..1e6, short in -9_999_999_i64..9_999_999) {
            for value in [value, near, short as f64 / 1e3] {
                prop_assert_eq!(number(value), value.to_string());
            }
        }
    }
}
