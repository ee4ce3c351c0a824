//! Charts as people write them: a table of plotgen.toml, or a file of their own in TOML or JSON.
//!
//! In: text. Out: [`ChartSpec`]s whose values are canonical and whose amounts are in base
//! units, or a sentence that says what was not understood and what may have been meant. And
//! back: [`to_toml`] writes the shortest text that reads as the same chart. Whether a campaign
//! has what a chart shows is not known here.

mod printed;
#[cfg(test)]
mod tests;

pub use printed::to_toml;

use super::{ChartSpec, XChannel};
use crate::model::text::nearest;
use crate::model::unit::{self, BaseUnit};
use crate::model::{Dimension, Metric, Value};
use std::collections::BTreeSet;

/// Why a file of charts is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}{message}", line.map(|line| format!("{line}: ")).unwrap_or_default())]
pub struct ChartFileError {
    /// Line of a fault of notation.
    pub line: Option<usize>,
    /// What is wrong, and what may have been meant.
    pub message: String,
}

impl From<String> for ChartFileError {
    fn from(message: String) -> Self {
        ChartFileError { line: None, message }
    }
}

/// The charts of a text in TOML or JSON: one chart, or a list of them under `chart` (`[[chart]]`).
///
/// # Errors
/// [`ChartFileError`] with the line of a fault of notation, or with the name of the key that is
/// not understood.
pub fn read_charts(text: &str) -> Result<Vec<ChartSpec>, ChartFileError> {
    let tables = match json(text)? {
        Some(tables) => tables,
        None => listed(text.parse::<toml::Table>().map_err(|error| {
            let line = error.span().and_then(|span| text.get(..span.start));
            let line = line.map(|before| before.matches('\n').count() + 1);
            ChartFileError { line, message: error.message().replace('\n', " ") }
        })?)?,
    };
    if tables.is_empty() {
        return Err(ChartFileError::from("no chart is written here".to_owned()));
    }
    let several = tables.len() > 1;
    let mut ids = BTreeSet::new();
    let mut specs = Vec::with_capacity(tables.len());
    for (index, table) in tables.iter().enumerate() {
        let place = if several { format!("chart {}: ", index + 1) } else { String::new() };
        let spec = chart_of(table).map_err(|message| format!("{place}{message}"))?;
        if !ids.insert(spec.id.clone()) {
            return Err(format!("{place}a chart before it has the id `{}`", spec.id).into());
        }
        specs.push(spec);
    }
    Ok(specs)
}

/// The tables of a text that begins like JSON; None for one that does not.
fn json(text: &str) -> Result<Option<Vec<toml::Table>>, ChartFileError> {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let list = start.strip_prefix('[').map(str::trim_start);
    // A TOML document may begin with `[table]` and `[[list]]`, never with a brace.
    if !(start.starts_with('{') || list.is_some_and(|rest| rest.starts_with(['{', ']']))) {
        return Ok(None);
    }
    let mut value: serde_json::Value = serde_json::from_str(start).map_err(|error| ChartFileError {
        line: Some(error.line() + text[..text.len() - start.len()].matches('\n').count()),
        message: error.to_string(),
    })?;
    without_nulls(&mut value);
    let table = |value: &serde_json::Value| {
        toml::Table::try_from(value).map_err(|error| ChartFileError::from(error.to_string()))
    };
    match &value {
        serde_json::Value::Array(items) => items.iter().map(table).collect::<Result<_, _>>().map(Some),
        one => listed(table(one)?).map(Some),
    }
}

/// TOML has no null: a key without a value is a key that is left out.
fn without_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(entries) => {
            entries.retain(|_, value| !value.is_null());
            entries.values_mut().for_each(without_nulls);
        }
        serde_json::Value::Array(items) => {
            items.retain(|item| !item.is_null());
            items.iter_mut().for_each(without_nulls);
        }
        _ => {}
    }
}

/// The tables under `chart`, or the table itself.
fn listed(mut table: toml::Table) -> Result<Vec<toml::Table>, ChartFileError> {
    let Some(charts) = table.remove("chart") else { return Ok(vec![table]) };
    if let Some(key) = table.keys().next() {
        return Err(format!("unknown key `{key}` beside `chart`; a file of charts holds nothing else").into());
    }
    let charts = match charts {
        toml::Value::Array(charts) => charts,
        one => vec![one],
    };
    let table = |chart| match chart {
        toml::Value::Table(table) => Ok(table),
        other => Err(ChartFileError::from(format!("chart: expected a table, not {}", other.type_str()))),
    };
    charts.into_iter().map(table).collect()
}

/// A chart from its table.
pub(crate) fn chart_of(table: &toml::Table) -> Result<ChartSpec, String> {
    let mut table = table.clone();
    spell_out(&mut table)?;
    let mut spec: ChartSpec = toml::Value::Table(table).try_into().map_err(|error: toml::de::Error| {
        let whole = error.to_string();
        let key = whole.split_once("\nin `").and_then(|(_, rest)| rest.split_once('`')).map(|(key, _)| key);
        let message = explain(error.message());
        match key {
            Some(key) if !message.starts_with("unknown key") => format!("{key}: {message}"),
            _ => message,
        }
    })?;
    for (dimension, values) in &mut spec.filter.dimensions {
        for value in values {
            *value = Value::canonical(dimension, value.as_str());
        }
    }
    check(&spec)?;
    Ok(spec)
}

/// Puts amounts into base units and whole numbers that stand for values into quotes.
fn spell_out(table: &mut toml::Table) -> Result<(), String> {
    let metric = metric_of(table.get("y"));
    // A running total is an amount; what else `transforms` says is read later.
    let cumulated = table
        .get("transforms")
        .and_then(toml::Value::as_array)
        .is_some_and(|transforms| transforms.iter().any(|transform| transform.as_str() == Some("cumulate")));
    let stat = table.get("y").and_then(|y| y.get("stat")).and_then(toml::Value::as_str);
    let unit = metric.map(|metric| match metric.unit() {
        _ if stat == Some("cov") => BaseUnit::One,
        BaseUnit::BytesPerSecond if cumulated => BaseUnit::Bytes,
        BaseUnit::PerSecond if cumulated => BaseUnit::Count,
        unit => unit,
    });
    if let Some(unit) = unit {
        for key in ["y_min", "y_max"] {
            in_base_unit(table.get_mut(key), unit).map_err(|error| format!("{key}: {error}"))?;
        }
        let references = table.get_mut("references").and_then(toml::Value::as_array_mut);
        for reference in references.into_iter().flatten() {
            in_base_unit(reference.get_mut("value"), unit).map_err(|error| format!("references: {error}"))?;
        }
    }
    let x = table.get("x").cloned();
    for key in ["x_min", "x_max"] {
        let Some(place) = table.get_mut(key) else { continue };
        let failed = |error: String| format!("{key}: {error}");
        if let Some(metric) = metric_of(x.as_ref().and_then(|x| x.get("measure"))) {
            in_base_unit(Some(place), metric.unit()).map_err(failed)?;
        } else if let Some(name) = x.as_ref().and_then(|x| x.get("dimension")).and_then(toml::Value::as_str) {
            of_dimension(place, &Dimension::named(name)).map_err(failed)?;
        } else if let Some(unit) = unit {
            in_base_unit(Some(place), unit).map_err(failed)?;
        }
    }
    if let Some(dimensions) = table
        .get_mut("filter")
        .and_then(|filter| filter.get_mut("dimensions"))
        .and_then(toml::Value::as_table_mut)
    {
        for (_, values) in dimensions.iter_mut() {
            *values = toml::Value::Array(texts(values));
        }
    }
    if let Some(order) = table.get_mut("order").filter(|order| order.is_array()) {
        *order = toml::Value::Array(texts(order));
    }
    Ok(())
}

/// The metric of `{ metric = "iops", stat = "mean" }`.
fn metric_of(measure: Option<&toml::Value>) -> Option<Metric> {
    measure?.get("metric")?.as_str()?.parse().ok()
}

/// A text with a unit becomes its number in the base unit.
fn in_base_unit(place: Option<&mut toml::Value>, unit: BaseUnit) -> Result<(), String> {
    if let Some(place) = place
        && let Some(text) = place.as_str()
    {
        *place = toml::Value::Float(unit::parse(text, unit)?);
    }
    Ok(())
}

/// A value of a dimension (`64k`) becomes its number.
fn of_dimension(place: &mut toml::Value, dimension: &Dimension) -> Result<(), String> {
    if let Some(text) = place.as_str() {
        let number = Value::canonical(dimension, text).number();
        let number = number.ok_or_else(|| format!("`{text}` is no number of the dimension {dimension}"))?;
        *place = toml::Value::Float(number);
    }
    Ok(())
}

/// `10`, `"10"` and `[10, 5]` are all lists of texts.
fn texts(values: &toml::Value) -> Vec<toml::Value> {
    let text = |value: &toml::Value| match value {
        toml::Value::Integer(number) => toml::Value::String(number.to_string()),
        other => other.clone(),
    };
    match values {
        toml::Value::Array(values) => values.iter().map(text).collect(),
        one => vec![text(one)],
    }
}

/// What can be told to be wrong without any data.
fn check(spec: &ChartSpec) -> Result<(), String> {
    let slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if spec.id.is_empty() || spec.id.len() > 80 || spec.id.starts_with('-') || !spec.id.chars().all(slug) {
        return Err(format!("id `{}`: expected at most 80 of a-z, 0-9 and -, as it names files", spec.id));
    }
    if let (Some(from), Some(to)) = spec.span_ms()
        && from >= to
    {
        return Err(format!("the span from {} s to {} s is empty", from / 1e3, to / 1e3));
    }
    for (axis, limits) in [("x", (spec.x_min, spec.x_max)), ("y", (spec.y_min, spec.y_max))] {
        if let (Some(min), Some(max)) = limits
            && min >= max
        {
            return Err(format!("{axis}_min {min} is not below {axis}_max {max}"));
        }
        if [limits.0, limits.1].into_iter().flatten().any(|limit| !limit.is_finite()) {
            return Err(format!("{axis}_min and {axis}_max: expected finite numbers"));
        }
    }
    if spec.x == XChannel::Time && (spec.x_min.is_some() || spec.x_max.is_some()) {
        return Err("x_min and x_max: an axis of run time is limited by `from`, `to` and `skip`".to_owned());
    }
    if spec.smooth_ms().is_some_and(|ms| ms <= 0.0) {
        return Err("transforms: a moving mean needs a span above 0, such as { smooth = \"5s\" }".to_owned());
    }
    if !(0.5..=3.0).contains(&spec.font.size) {
        return Err(format!("font: size {}: expected a factor from 0.5 to 3", spec.font.size));
    }
    // The family stands in an attribute of the SVG's root.
    if spec
        .font
        .family
        .as_deref()
        .is_some_and(|family| family.contains(['"', '<', '>', '&', '\\', '{', '}', ';']))
    {
        return Err("font: family: expected names of fonts, separated by commas".to_owned());
    }
    if spec.scale.is_some_and(|scale| !(0.25..=8.0).contains(&scale)) {
        return Err("scale: expected a factor from 0.25 to 8, such as 2".to_owned());
    }
    if spec.by_metric() == spec.metrics.is_empty() {
        return Err(
            "`metrics` and facet = \"metric\" go together: the one names the panels of the other".to_owned()
        );
    }
    Ok(())
}

/// `unknown key ...` with the key that may have been meant.
pub(crate) fn unknown_key(found: &str, known: &[&str]) -> String {
    match nearest(found, known) {
        Some(near) => format!("unknown key `{found}`; did you mean `{near}`?"),
        None => format!("unknown key `{found}`; expected one of {}", known.join(", ")),
    }
}

/// serde's complaint about a key or a word, with what may have been meant; its others are clear.
pub(crate) fn explain(message: &str) -> String {
    let quoted = |rest: &'_ str| rest.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    if let Some(rest) = message.strip_prefix("unknown field ")
        && let Some((found, known)) = quoted(rest).split_first()
    {
        return unknown_key(found, &known.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let message = message.replace('\n', " ");
    if let Some(rest) = message.strip_prefix("unknown variant ")
        && let Some((found, known)) = quoted(rest).split_first()
        && let Some(near) = nearest(found, known)
    {
        return format!("{message}; did you mean `{near}`?");
    }
    message
}
