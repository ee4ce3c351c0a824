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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::analyze::{AnalyzeOptions, analyze};
    use crate::ingest::Ingested;
    use crate::model::{Ddir, Metric, Origin, Run, RunRecord, Stat, Statistic, Tool, Value};
    use crate::model::{Dimension, DimensionEntry, DimensionOrigin};
    use polars::prelude::{ParquetReader, SerReader};
    use std::collections::BTreeMap;
    use std::io::Cursor;

    #[test]
    fn a_table_comes_back_from_parquet_as_it_went_in() {
        let mut campaign = analyze(Ingested::default(), &AnalyzeOptions::default());
        let entry = DimensionEntry {
            value: Value::canonical(&Dimension::Raid, "raid10"),
            from: DimensionOrigin::FileName,
        };
        campaign.dimensions = vec![Dimension::Raid, Dimension::Fs];
        campaign.runs.push(RunRecord {
            run: Run {
                id: "a/b".into(),
                label: "b".into(),
                tool: Tool::default(),
                sources: Vec::new(),
                dimensions: BTreeMap::from([(Dimension::Raid, entry)]),
                options: BTreeMap::new(),
                environment: BTreeMap::new(),
                jobs: Vec::new(),
                series: Vec::new(),
                summaries: Vec::new(),
            },
            series: Vec::new(),
            statistics: vec![Statistic {
                metric: Metric::Iops,
                ddir: Ddir::Write,
                stat: Stat::Mean,
                value: 210.25,
                origin: Origin::Reported,
                n: None,
                supported: true,
            }],
            little: None,
            steady: Vec::new(),
            phases: Vec::new(),
        });
        let bytes = write_parquet(&campaign).unwrap();
        let frame = ParquetReader::new(Cursor::new(bytes)).finish().unwrap();
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
