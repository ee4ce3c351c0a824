//! The tidy rows as a data frame, for users of the library. The one user of polars.

use crate::analyze::summary_rows;
use crate::model::Campaign;
use polars::prelude::{Column, DataFrame, PolarsError};

/// The tidy table as a polars `DataFrame`.
///
/// Columns as in `data/summary.csv`: `run`, the dimensions in use (null where a run has none),
/// `metric`, `ddir`, `stat`, `value` (f64), `unit`, `origin`, `n` (u64, null when unknown).
///
/// # Errors
/// That of polars, when a dimension has the name of another column.
pub fn data_frame(campaign: &Campaign) -> Result<DataFrame, PolarsError> {
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
    DataFrame::new(rows.len(), columns)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::analyze::rows::sample;

    #[test]
    fn a_frame_has_a_row_for_each_figure_and_a_column_for_each_dimension_in_use() {
        let frame = data_frame(&sample()).unwrap();
        assert_eq!(frame.shape(), (1, 10));
        let names: Vec<&str> = frame.get_column_names().into_iter().map(|n| n.as_str()).collect();
        assert_eq!(names, ["run", "raid", "fs", "metric", "ddir", "stat", "value", "unit", "origin", "n"]);
        assert_eq!(frame.column("value").unwrap().f64().unwrap().get(0), Some(210.25));
        assert_eq!(frame.column("raid").unwrap().str().unwrap().get(0), Some("10"));
        assert_eq!(frame.column("fs").unwrap().str().unwrap().get(0), None);
        assert_eq!(frame.column("unit").unwrap().str().unwrap().get(0), Some("1/s"));
        assert_eq!(frame.column("n").unwrap().null_count(), 1);
    }
}
