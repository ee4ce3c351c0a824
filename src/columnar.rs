//! Columns of plain values to Parquet and back. The one user of the crate parquet.
//!
//! In: flat columns of text, whole and real numbers and truth values, some of which may be absent. Out:
//! a Parquet file in memory; and from one, the columns that are asked for by name and kind. Nothing nested,
//! nothing of what the columns mean. The same columns give the same bytes.

use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Rows that are read at a time: a file that lies about its length takes no more memory than it holds.
const BATCH: usize = 1 << 16;

/// Rows of a row group.
const GROUP: usize = 1 << 20;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// UTF-8.
    Text,
    /// An unsigned number of 64 bits.
    Whole,
    /// A signed number of 64 bits.
    Signed,
    /// A double.
    Real,
    /// True or false.
    Flag,
}

/// Why a table cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ColumnarError {
    /// The bytes are no Parquet, or damaged.
    #[error("no Parquet that can be read: {0}")]
    Parquet(#[from] ParquetError),
    /// The file lacks a column, or has it in another form.
    #[error("expected a column `{name}` of {kind:?}, found {found}")]
    Column {
        /// Name of the column.
        name: String,
        /// What it should hold.
        kind: Kind,
        /// What is there.
        found: String,
    },
    /// A row or cell that must be there is not.
    #[error("column `{0}` ends early or lacks a value")]
    Absent(String),
}

/// A column under its name: built cell by cell, or read and then taken cell by cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    name: String,
    kind: Kind,
    /// 1 for each cell with a value, 0 without; None for a column that has all its values.
    levels: Option<Vec<i16>>,
    values: Values,
    /// Next cell and next value to be taken.
    next: (usize, usize),
}

#[derive(Debug, Clone, PartialEq)]
enum Values {
    Text(Vec<ByteArray>),
    /// Unsigned numbers as the bits that they have.
    Integers(Vec<i64>),
    Reals(Vec<f64>),
    Flags(Vec<bool>),
}

/// A value of a cell.
pub(crate) trait Cell: Sized {
    /// What columns of it hold.
    const KIND: Kind;
    /// True when it may be absent.
    const OPTIONAL: bool = false;

    /// Adds itself as the next cell.
    fn put(self, column: &mut Column);

    /// Takes the next cell; None where there is none or it is absent.
    fn take(column: &mut Column) -> Option<Self>;
}

macro_rules! cell {
    ($type:ty, $kind:ident, $variant:ident, $to:expr, $from:expr) => {
        impl Cell for $type {
            const KIND: Kind = Kind::$kind;

            fn put(self, column: &mut Column) {
                if let Values::$variant(values) = &mut column.values {
                    values.push($to(self));
                    column.levels.iter_mut().for_each(|levels| levels.push(1));
                }
            }

            fn take(column: &mut Column) -> Option<Self> {
                if !column.has_next() {
                    return None;
                }
                let Values::$variant(values) = &column.values else { return None };
                let value = values.get(column.next.1)?;
                column.next.1 += 1;
                $from(value)
            }
        }
    };
}

cell!(u64, Whole, Integers, |value: u64| value as i64, |value: &i64| Some(*value as u64));
cell!(i64, Signed, Integers, |value: i64| value, |value: &i64| Some(*value));
cell!(f64, Real, Reals, |value: f64| value, |value: &f64| Some(*value));
cell!(bool, Flag, Flags, |value: bool| value, |value: &bool| Some(*value));
cell!(String, Text, Text, |value: String| ByteArray::from(value.into_bytes()), |value: &ByteArray| {
    value.as_utf8().ok().map(str::to_owned)
});

impl<T: Cell> Cell for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;

    fn put(self, column: &mut Column) {
        match self {
            Some(value) => value.put(column),
            None => column.levels.iter_mut().for_each(|levels| levels.push(0)),
        }
    }

    fn take(column: &mut Column) -> Option<Self> {
        match column.levels.as_ref()?.get(column.next.0)? {
            0 => {
                column.next.0 += 1;
                Some(None)
            }
            _ => T::take(column).map(Some),
        }
    }
}

impl Column {
    /// An empty column for cells of one type.
    pub(crate) fn of<T: Cell>(name: &str) -> Self {
        Column::empty(name, T::KIND, T::OPTIONAL)
    }

    /// A column with these cells.
    pub(crate) fn filled<T: Cell>(name: &str, cells: impl IntoIterator<Item = T>) -> Self {
        let mut column = Column::of::<T>(name);
        for cell in cells {
            cell.put(&mut column);
        }
        column
    }

    fn empty(name: &str, kind: Kind, optional: bool) -> Self {
        let values = match kind {
            Kind::Text => Values::Text(Vec::new()),
            Kind::Whole | Kind::Signed => Values::Integers(Vec::new()),
            Kind::Real => Values::Reals(Vec::new()),
            Kind::Flag => Values::Flags(Vec::new()),
        };
        Column { name: name.to_owned(), kind, levels: optional.then(Vec::new), values, next: (0, 0) }
    }

    /// Takes the next cell.
    ///
    /// # Errors
    /// When there is none, or one without a value that must have one.
    pub(crate) fn take<T: Cell>(&mut self) -> Result<T, ColumnarError> {
        T::take(self).ok_or_else(|| ColumnarError::Absent(self.name.clone()))
    }

    /// Cells, those without a value too.
    pub(crate) fn len(&self) -> usize {
        match (&self.levels, &self.values) {
            (Some(levels), _) => levels.len(),
            (None, Values::Text(values)) => values.len(),
            (None, Values::Integers(values)) => values.len(),
            (None, Values::Reals(values)) => values.len(),
            (None, Values::Flags(values)) => values.len(),
        }
    }

    /// Steps to the next cell; false when there is none with a value.
    fn has_next(&mut self) -> bool {
        let cell = self.next.0;
        self.next.0 += 1;
        self.levels.as_ref().is_none_or(|levels| levels.get(cell) == Some(&1))
    }

    fn schema(&self) -> Result<Type, ParquetError> {
        let (physical, logical) = match self.kind {
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Whole => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Kind::Signed => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Flag => (Physical::BOOLEAN, None),
        };
        let repetition = if self.levels.is_some() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        Type::primitive_type_builder(&self.name, physical)
            .with_logical_type(logical)
            .with_repetition(repetition)
            .build()
    }
}

/// A table as a Parquet file; `labels` go into its metadata as keys and values.
///
/// # Errors
/// When the columns have different lengths, or two of them one name.
pub(crate) fn write(columns: &[Column], labels: &[(&str, &str)]) -> Result<Vec<u8>, ColumnarError> {
    let fields = columns.iter().map(|column| column.schema().map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    let labels = labels.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), (*value).to_owned()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(labels.collect()))
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties))?;
    let rows = columns.first().map_or(0, Column::len);
    // Where each column's values stand, as cells without one take no place.
    let mut starts = vec![0; columns.len()];
    for start in (0..rows).step_by(GROUP) {
        let end = (start + GROUP).min(rows);
        let mut group = writer.next_row_group()?;
        for (column, first) in columns.iter().zip(&mut starts) {
            let short = || ColumnarError::Absent(column.name.clone());
            let levels = match &column.levels {
                Some(levels) => Some(levels.get(start..end).ok_or_else(short)?),
                None => None,
            };
            let count =
                levels.map_or(end - start, |levels| levels.iter().filter(|&&level| level == 1).count());
            let last = *first + count;
            let Some(mut out) = group.next_column()? else { return Err(short()) };
            match &column.values {
                Values::Text(values) => {
                    let values = values.get(*first..last).ok_or_else(short)?;
                    out.typed::<ByteArrayType>().write_batch(values, levels, None)?;
                }
                Values::Integers(values) => {
                    let values = values.get(*first..last).ok_or_else(short)?;
                    out.typed::<Int64Type>().write_batch(values, levels, None)?;
                }
                Values::Reals(values) => {
                    let values = values.get(*first..last).ok_or_else(short)?;
                    out.typed::<DoubleType>().write_batch(values, levels, None)?;
                }
                Values::Flags(values) => {
                    let values = values.get(*first..last).ok_or_else(short)?;
                    out.typed::<BoolType>().write_batch(values, levels, None)?;
                }
            }
            *first = last;
            out.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

/// The columns of a Parquet file that `wanted` names, in its order, and the number of rows; columns that
/// nobody asks for are passed over.
///
/// # Errors
/// When the bytes are no Parquet, or a column is missing or of another kind.
pub(crate) fn read(bytes: Vec<u8>, wanted: Vec<Column>) -> Result<(Vec<Column>, usize), ColumnarError> {
    // The crate checks most of what a file says of itself and panics at some of the rest.
    catch_unwind(AssertUnwindSafe(|| read_columns(bytes, wanted))).unwrap_or_else(|_| {
        Err(ColumnarError::Parquet(ParquetError::General("the file contradicts itself".to_owned())))
    })
}

fn read_columns(bytes: Vec<u8>, wanted: Vec<Column>) -> Result<(Vec<Column>, usize), ColumnarError> {
    let length = bytes.len() as u64;
    let file = SerializedFileReader::new(Bytes::from(bytes))?;
    check_places(file.metadata(), length)?;
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let mut columns = wanted;
    let mut places = Vec::with_capacity(columns.len());
    for column in &columns {
        let found = (0..schema.num_columns()).find(|&at| schema.column(at).name() == column.name);
        let wrong =
            |found: String| ColumnarError::Column { name: column.name.clone(), kind: column.kind, found };
        let Some(place) = found else { return Err(wrong("none".to_owned())) };
        let there = schema.column(place);
        if there.self_type() != &column.schema()? {
            return Err(wrong(format!("{:?}", there.self_type())));
        }
        places.push(place);
    }
    let mut rows = 0;
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        let count = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        rows += count;
        for (column, &place) in columns.iter_mut().zip(&places) {
            let levels = &mut column.levels;
            match (group.get_column_reader(place)?, &mut column.values) {
                (ColumnReader::ByteArrayColumnReader(from), Values::Text(values)) => {
                    all(from, count, levels, values)?;
                    if let Some(text) =
                        values.iter().find(|text| std::str::from_utf8(text.as_bytes()).is_err())
                    {
                        let found = format!("bytes that are no text: {text:?}");
                        return Err(ColumnarError::Column {
                            name: column.name.clone(),
                            kind: column.kind,
                            found,
                        });
                    }
                }
                (ColumnReader::Int64ColumnReader(from), Values::Integers(values)) => {
                    all(from, count, levels, values)?;
                }
                (ColumnReader::DoubleColumnReader(from), Values::Reals(values)) => {
                    all(from, count, levels, values)?;
                }
                (ColumnReader::BoolColumnReader(from), Values::Flags(values)) => {
                    all(from, count, levels, values)?;
                }
                _ => return Err(ColumnarError::Absent(column.name.clone())),
            }
            if column.len() != rows {
                return Err(ColumnarError::Absent(column.name.clone()));
            }
        }
    }
    Ok((columns, rows))
}

/// Fails when the metadata places a column outside of the file.
fn check_places(metadata: &ParquetMetaData, length: u64) -> Result<(), ParquetError> {
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let starts = [Some(column.data_page_offset()), column.dictionary_page_offset()];
        let size = u64::try_from(column.compressed_size()).ok();
        let inside = starts.into_iter().flatten().all(|start| {
            let start = u64::try_from(start).ok();
            let end = start.zip(size).and_then(|(start, size)| start.checked_add(size));
            // The two kinds of pages share the size: only the first of them has all of it.
            start.is_some_and(|start| start <= length) && end.is_some()
        });
        if !inside || size.is_none_or(|size| size > length) || column.num_values() < 0 {
            return Err(ParquetError::General("a column lies outside of the file".to_owned()));
        }
    }
    Ok(())
}

/// Reads all cells of one column in one row group.
fn all<T: DataType>(
    mut from: ColumnReaderImpl<T>,
    count: usize,
    levels: &mut Option<Vec<i16>>,
    values: &mut Vec<T::T>,
) -> Result<(), ParquetError> {
    let mut left = count;
    while left > 0 {
        let (read, _, _) = from.read_records(left.min(BATCH), levels.as_mut(), None, values)?;
        if read == 0 {
            break;
        }
        left -= read;
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn table() -> Vec<Column> {
        vec![
            Column::filled("text", ["raid10", "", "µs"].map(str::to_owned)),
            Column::filled("maybe", [None, Some("x".to_owned()), None]),
            Column::filled("whole", [0, u64::MAX, 7]),
            Column::filled("signed", [i64::MIN, -1, i64::MAX]),
            Column::filled("real", [Some(0.1), None, Some(f64::INFINITY)]),
            Column::filled("flag", [true, false, true]),
        ]
    }

    fn empty(columns: &[Column]) -> Vec<Column> {
        columns.iter().map(|c| Column::empty(&c.name, c.kind, c.levels.is_some())).collect()
    }

    #[test]
    fn columns_come_back_as_they_went_in() {
        let bytes = write(&table(), &[("schema", "1")]).unwrap();
        let (columns, rows) = read(bytes, empty(&table())).unwrap();
        assert_eq!(rows, 3);
        assert_eq!(columns, table());
    }

    #[test]
    fn cells_are_taken_in_order_and_absent_ones_are_none() {
        let bytes = write(&table(), &[]).unwrap();
        let (mut columns, _) = read(bytes, empty(&table())).unwrap();
        let maybe: Vec<Option<String>> = (0..3).map(|_| columns[1].take().unwrap()).collect();
        assert_eq!(maybe, [None, Some("x".to_owned()), None]);
        assert!(columns[1].take::<Option<String>>().is_err());
        let whole: Vec<u64> = (0..3).map(|_| columns[2].take().unwrap()).collect();
        assert_eq!(whole, [0, u64::MAX, 7]);
        assert!(columns[2].take::<u64>().is_err());
    }

    #[test]
    fn rows_beyond_one_group_and_tables_without_rows_come_back_too() {
        let many = GROUP as u64 + 3;
        let column = Column::filled("n", (0..many).map(|n| (n % 3 > 0).then_some(n)));
        let bytes = write(std::slice::from_ref(&column), &[]).unwrap();
        let (columns, rows) = read(bytes, vec![Column::of::<Option<u64>>("n")]).unwrap();
        assert_eq!(rows as u64, many);
        assert_eq!(columns[0], column);
        let bytes = write(&[Column::of::<u64>("n")], &[]).unwrap();
        assert_eq!(read(bytes, vec![Column::of::<u64>("n")]).unwrap().1, 0);
    }

    #[test]
    fn a_column_that_is_missing_or_of_another_kind_is_named() {
        let bytes = write(&table(), &[]).unwrap();
        let error = |wanted| read(bytes.clone(), vec![wanted]).unwrap_err().to_string();
        assert_eq!(error(Column::of::<u64>("other")), "expected a column `other` of Whole, found none");
        assert!(error(Column::of::<u64>("text")).starts_with("expected a column `text` of Whole, found "));
        assert!(error(Column::of::<u64>("maybe")).starts_with("expected a column `maybe`"));
    }

    #[test]
    fn what_is_no_parquet_is_an_error() {
        for bytes in [b"".to_vec(), b"PAR1".to_vec(), b"PAR1 and something else PAR1".to_vec()] {
            assert!(read(bytes, vec![Column::of::<u64>("n")]).is_err());
        }
    }

    #[test]
    fn the_same_columns_give_the_same_bytes() {
        assert_eq!(write(&table(), &[]).unwrap(), write(&table(), &[]).unwrap());
    }
}
