//! The tidy table as a data frame: Parquet out. The one user of polars.

use crate::analyze::summary_rows;
use crate::model::Campaign;
use polars::prelude::{Column, DataFrame, ParquetWriter};

/// The tidy table as a Parquet file.
///
/// Columns as in `data/summary.csv`: `run`, the dimensions in use, `metric`,
/// `ddir`, `stat`, `value` (f64), `unit`, `origin`, `n` (u64, null when unknown).
///
/// # Errors
/// The message of polars, when the table cannot be encoded.
pub fn write_parquet(campaign: &Campaign) -> Result<Vec<u8>, String> {
    let rows = summary_rows(campaign);
    let text = |name: &str, values: Vec<Option<&str>>| Column::new(name.into(), values);
    let mut columns = vec![text("run", rows.iter().map(|r| Some(r.run.as_str())).collect())];
    for (index, dimension) in campaign.dimensions.iter().enumerate() {
        let values =
            rows.iter().map(|r| Some(r.dimensions[index].as_str()).filter(|v| !v.is_empty())).collect();
        columns.push(text(dimension.as_str(), values));
    }
    columns.push(text("metric", rows.iter().map(|r| Some(r.metric.as_str())).collect()));
    columns.push(text("ddir", rows.iter().map(|r| Some(r.ddir.as_str())).collect()));
    columns.push(text("stat", rows.iter().map(|r| Some(r.stat.as_str())).collect()));
    columns.push(Column::new("value".into(), rows.iter().map(|r| r.value).collect::<Vec<f64>>()));
    columns.push(text("unit", rows.iter().map(|r| Some(r.unit.as_str())).collect()));
    columns.push(text("origin", rows.iter().map(|r| Some(r.origin.as_str())).collect()));
    columns.push(Column::new("n".into(), rows.iter().map(|r| r.n).collect::<Vec<Option<u64>>>()));
    let mut frame = DataFrame::new(rows.len(), columns).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes).finish(&mut frame).map_err(|error| error.to_string())?;
    Ok(bytes)
}
