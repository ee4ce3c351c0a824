//! The header and the rows of an rbench table.
//!
//! In: records of CSV. Out: columns by their names, and rows in base units; anything else is an
//! error that names line, column, what was expected and what was found.

use super::{Preamble, fault};
use crate::ingest::{IngestError, labels};
use crate::model::unit::BANDWIDTHS;
use crate::model::{Ddir, Dimension, Metric, Stat, Value};
use std::collections::BTreeMap;

/// Latest time that is believed, ms: 31,700 years.
const MAX_TIME_MS: f64 = 1e15;

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Metric,
    Ddir,
    Value,
    Unit,
    Stat,
    Count,
    Dimension(Dimension),
}

const COLUMNS: [(&str, Column); 7] = [
    ("time_ms", Column::Time),
    ("metric", Column::Metric),
    ("ddir", Column::Ddir),
    ("value", Column::Value),
    ("unit", Column::Unit),
    ("stat", Column::Stat),
    ("n", Column::Count),
];

/// One row in base units.
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) time_ms: Option<u64>,
    pub(super) metric: Metric,
    pub(super) ddir: Ddir,
    pub(super) stat: Stat,
    pub(super) value: f64,
    pub(super) count: Option<u64>,
    pub(super) dimensions: BTreeMap<Dimension, Value>,
}

pub(super) fn header(
    record: &csv::StringRecord,
    line: u64,
    preamble: &Preamble<'_>,
) -> Result<Vec<(String, Column)>, IngestError> {
    let mut columns: Vec<(String, Column)> = Vec::new();
    for (at, name) in record.iter().enumerate() {
        if name.is_empty() {
            return Err(fault(line, format!("column {}: expected a name in the header, found none", at + 1)));
        }
        let lower = name.to_ascii_lowercase();
        let known = COLUMNS.into_iter().find(|(known, _)| *known == lower).map(|(_, column)| column);
        let column = known.unwrap_or_else(|| Column::Dimension(labels::dimension_of_key(&lower)));
        if let Column::Dimension(dimension) = &column
            && let Some((_, stated)) = preamble.dimensions.get(dimension)
        {
            let message =
                format!("column `{name}` is a dimension of the whole file, too, in line {stated}; keep one");
            return Err(fault(line, message));
        }
        if columns.iter().any(|(_, other)| *other == column) {
            return Err(fault(line, format!("column `{name}` stands in the header twice; keep one")));
        }
        columns.push((name.to_owned(), column));
    }
    for required in ["metric", "ddir", "value"] {
        if !columns.iter().any(|(name, _)| name.eq_ignore_ascii_case(required)) {
            let found: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!(
                "expected a header with the columns metric, ddir and value (and time_ms, unit, stat, n as needed), \
                 found no `{required}` in `{}`",
                found.join(",")
            );
            return Err(fault(line, message));
        }
    }
    Ok(columns)
}

pub(super) fn parse_row(
    record: &csv::StringRecord,
    columns: &[(String, Column)],
    line: u64,
) -> Result<Row, IngestError> {
    if record.get(0).is_some_and(|first| first.starts_with('#')) {
        return Err(fault(line, "expected a row, found a `#` line; such lines stand before the header"));
    }
    if record.len() != columns.len() {
        let message = format!("expected {} columns as in the header, found {}", columns.len(), record.len());
        return Err(fault(line, message));
    }
    let field = |wanted: Column| {
        let at = columns.iter().position(|(_, column)| *column == wanted);
        at.and_then(|at| record.get(at)).unwrap_or_default()
    };
    let bad = |column: &str, expected: &str, found: &str| {
        fault(line, format!("column `{column}`: expected {expected}, found `{found}`"))
    };
    let metric: Metric = field(Column::Metric)
        .parse()
        .map_err(|_| bad("metric", &one_of(Metric::ALL.iter().map(|m| m.as_str())), field(Column::Metric)))?;
    let ddir: Ddir = field(Column::Ddir)
        .parse()
        .map_err(|_| bad("ddir", &one_of(Ddir::ALL.iter().map(|d| d.as_str())), field(Column::Ddir)))?;
    if metric == Metric::Fsync && ddir != Ddir::Mixed {
        return Err(bad("ddir", "mixed, as syncs have no direction", ddir.as_str()));
    }
    let stat = match field(Column::Stat) {
        "" => Stat::Mean,
        text => text.parse().map_err(|_| bad("stat", &one_of(Stat::ALL.iter().map(|s| s.as_str())), text))?,
    };
    let unit = field(Column::Unit);
    let scale = units(metric, stat)
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, scale)| *scale)
        .ok_or_else(|| {
            let names =
                units(metric, stat).iter().map(|(name, _)| if name.is_empty() { "nothing" } else { name });
            bad("unit", &format!("a unit of {metric}, {}", one_of(names)), unit)
        })?;
    let value = field(Column::Value)
        .parse::<f64>()
        .ok()
        .map(|value| value * scale)
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| bad("value", "a number from 0 on, with a decimal point", field(Column::Value)))?;
    let time_ms = match field(Column::Time) {
        "" => None,
        text => Some(
            text.parse::<f64>()
                .ok()
                .filter(|ms| (0.0..=MAX_TIME_MS).contains(ms))
                .map(|ms| ms.round() as u64)
                .ok_or_else(|| bad("time_ms", "milliseconds since the start of the run, or nothing", text))?,
        ),
    };
    let count = match field(Column::Count) {
        "" => None,
        text => Some(text.parse().map_err(|_| bad("n", "a whole number, or nothing", text))?),
    };
    let mut dimensions = BTreeMap::new();
    for ((_, column), text) in columns.iter().zip(record) {
        if let Column::Dimension(dimension) = column
            && !text.is_empty()
        {
            dimensions.insert(dimension.clone(), labels::canonical(dimension, text));
        }
    }
    Ok(Row { line, time_ms, metric, ddir, stat, value, count, dimensions })
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("one of {}", names.collect::<Vec<_>>().join(", "))
}

/// Units of a figure and how many base units each holds. Bandwidth and latency need theirs.
fn units(metric: Metric, stat: Stat) -> &'static [(&'static str, f64)] {
    const RATIO: &[(&str, f64)] = &[("", 1.0), ("1", 1.0), ("%", 0.01)];
    match metric {
        _ if stat == Stat::Cov => RATIO,
        Metric::Bw => BANDWIDTHS,
        Metric::Lat | Metric::Clat | Metric::Slat | Metric::Fsync => {
            &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
        }
        Metric::Iops => &[("", 1.0), ("1/s", 1.0)],
        Metric::Cpu | Metric::Util => RATIO,
    }
}
