//! The tidy table: one row per run and figure, as rows and as Parquet.

#[cfg(feature = "tables")]
use crate::columnar::{self, Column};
use crate::model::unit::BaseUnit;
use crate::model::{Campaign, Ddir, Measure, Metric, Origin, Stat, Value};
use serde::Serialize;

/// A row of the tidy table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SummaryRow {
    /// Id of the run.
    pub run: String,
    /// Values of the campaign's dimensions, in their order; empty where the run has none.
    pub dimensions: Vec<String>,
    /// What is measured.
    pub metric: Metric,
    /// Direction.
    pub ddir: Ddir,
    /// Which figure.
    pub stat: Stat,
    /// The value in `unit`.
    pub value: f64,
    /// Base unit of the value.
    pub unit: BaseUnit,
    /// Where it was computed from.
    pub origin: Origin,
    /// Samples or I/Os behind it.
    pub n: Option<u64>,
}

/// All figures of a campaign as rows, in the order of its runs.
#[must_use]
pub fn summary_rows(campaign: &Campaign) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    for record in &campaign.runs {
        let value = |d| record.run.value(d).map(Value::as_str).unwrap_or_default().to_owned();
        let dimensions: Vec<String> = campaign.dimensions.iter().map(value).collect();
        rows.extend(record.statistics.iter().map(|statistic| SummaryRow {
            run: record.run.id.clone(),
            dimensions: dimensions.clone(),
            metric: statistic.metric,
            ddir: statistic.ddir,
            stat: statistic.stat,
            value: statistic.value,
            unit: Measure { metric: statistic.metric, stat: statistic.stat }.unit(),
            origin: statistic.origin,
            n: statistic.n,
        }));
    }
    rows
}

/// The tidy table as a Parquet file.
///
/// Columns as in `data/summary.csv`: `run`, the dimensions in use (null where a run has none),
/// `metric`, `ddir`, `stat`, `value` (double), `unit`, `origin`, `n` (unsigned, null when unknown).
///
/// # Errors
/// When a dimension has the name of another column.
#[cfg(feature = "tables")]
pub fn summary_parquet(campaign: &Campaign) -> Result<Vec<u8>, String> {
    let rows = summary_rows(campaign);
    let text = |name: &str, of: fn(&SummaryRow) -> &str| {
        Column::filled(name, rows.iter().map(|row| of(row).to_owned()))
    };
    let mut columns = vec![text("run", |row| &row.run)];
    for (index, dimension) in campaign.dimensions.iter().enumerate() {
        let values = rows.iter().map(|row| Some(row.dimensions[index].clone()).filter(|v| !v.is_empty()));
        columns.push(Column::filled(dimension.as_str(), values));
    }
    columns.push(text("metric", |row| row.metric.as_str()));
    columns.push(text("ddir", |row| row.ddir.as_str()));
    columns.push(text("stat", |row| row.stat.as_str()));
    columns.push(Column::filled("value", rows.iter().map(|row| row.value)));
    columns.push(text("unit", |row| row.unit.as_str()));
    columns.push(text("origin", |row| row.origin.as_str()));
    columns.push(Column::filled("n", rows.iter().map(|row| row.n)));
    columnar::write(&columns, &[]).map_err(|error| error.to_string())
}

#[cfg(all(test, feature = "polars"))]
pub(super) use tests::sample;

#[cfg(all(test, any(feature = "tables", feature = "polars")))]
mod tests {
    use super::*;
    use crate::analyze::{AnalyzeOptions, analyze};
    use crate::ingest::Ingested;
    use crate::model::{Dimension, DimensionEntry, DimensionOrigin, Run, RunRecord, Statistic, Tool};
    use std::collections::BTreeMap;

    /// One run on RAID 10 with one figure, in a campaign that knows a file system, too.
    pub(in crate::analyze) fn sample() -> Campaign {
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
        campaign
    }

    #[cfg(feature = "tables")]
    #[test]
    #[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
    fn a_table_comes_back_from_parquet_as_it_went_in() {
        let texts = ["run", "metric", "ddir", "stat", "unit", "origin"].map(Column::of::<String>);
        let optional = ["raid", "fs"].map(Column::of::<Option<String>>);
        let numbers = [Column::of::<f64>("value"), Column::of::<Option<u64>>("n")];
        let wanted: Vec<Column> = texts.into_iter().chain(optional).chain(numbers).collect();
        let (mut columns, rows) = columnar::read(summary_parquet(&sample()).unwrap(), wanted).unwrap();
        assert_eq!(rows, 1);
        let texts: Vec<String> = columns[..6].iter_mut().map(|column| column.take().unwrap()).collect();
        assert_eq!(texts, ["a/b", "iops", "write", "mean", "1/s", "reported"]);
        let optional: Vec<Option<String>> =
            columns[6..8].iter_mut().map(|column| column.take().unwrap()).collect();
        assert_eq!(optional, [Some("10".to_owned()), None]);
        assert_eq!(columns[8].take::<f64>().unwrap(), 210.25);
        assert_eq!(columns[9].take::<Option<u64>>().unwrap(), None);
    }
}
