//! Charts as people write them: a table of plotgen.toml, or a file of their own in TOML or JSON.
//!
//! In: text. Out: [`ChartSpec`]s whose values are canonical and whose amounts are in base
//! units, or a sentence that says what was not understood and what may have been meant. And
//! back: [`to_toml`] writes the shortest text that reads as the same chart. Whether a campaign
//! has what a chart shows is not known here.

mod place;
mod printed;
#[cfg(test)]
mod tests;

pub(crate) use place::Path as Keys;
pub(crate) use place::line_of;
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
    /// Its line, where it has one.
    pub line: Option<usize>,
    /// What is wrong, and what may have been meant.
    pub message: String,
}

impl From<String> for ChartFileError {
    fn from(message: String) -> Self {
        ChartFileError { line: None, message }
    }
}

/// A fault in a chart: which key is not understood, and why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    /// The keys that lead to the value, from the chart on; the chart itself where it lacks something.
    keys: Keys,
    /// A key inside that value, of which only the name is known.
    below: Option<String>,
    /// What is wrong, and what may have been meant.
    pub message: String,
}

impl Fault {
    /// A fault of the value at `key`, dots between its keys.
    fn at(key: &str, message: String) -> Fault {
        let keys = key.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect();
        Fault { keys, below: None, message }
    }

    /// The line of the fault in the text that holds the chart at `place`.
    pub(crate) fn line(&self, text: &str, place: &[String]) -> usize {
        line_of(text, &[place, &self.keys].concat(), self.below.as_deref())
    }
}

/// The charts of a text in TOML or JSON: one chart, or a list of them under `chart` (`[[chart]]`).
///
/// # Errors
/// [`ChartFileError`] with the line of what is not understood.
pub fn read_charts(text: &str) -> Result<Vec<ChartSpec>, ChartFileError> {
    let tables = match json(text)? {
        Some(tables) => tables,
        None => listed(text.parse::<toml::Table>().map_err(|error| {
            let line = error.span().and_then(|span| text.get(..span.start));
            let line = line.map(|before| before.matches('\n').count() + 1);
            ChartFileError { line, message: error.message().replace('\n', " ") }
        })?)
        .map_err(|fault| ChartFileError { line: Some(fault.line(text, &[])), message: fault.message })?,
    };
    if tables.is_empty() {
        return Err(ChartFileError::from("no chart is written here".to_owned()));
    }
    let several = tables.len() > 1;
    let number = |index: usize| if several { format!("chart {}: ", index + 1) } else { String::new() };
    charts_of(&tables, text).map_err(|(index, line, message)| ChartFileError {
        line: Some(line),
        message: format!("{}{message}", number(index)),
    })
}

/// The charts of the tables of a text, each with the keys that lead to it and under an id of its own; else the number
/// of the chart that is not understood, the line and the reason.
pub(crate) fn charts_of(
    tables: &[(Keys, toml::Table)],
    text: &str,
) -> Result<Vec<ChartSpec>, (usize, usize, String)> {
    let mut ids = BTreeSet::new();
    let mut specs = Vec::with_capacity(tables.len());
    for (index, (place, table)) in tables.iter().enumerate() {
        let told = |fault: Fault| (index, fault.line(text, place), fault.message);
        let spec = chart_of(table).map_err(told)?;
        if !ids.insert(spec.id.clone()) {
            return Err(told(Fault::at("id", format!("a chart before it has the id `{}`", spec.id))));
        }
        specs.push(spec);
    }
    Ok(specs)
}

/// The tables of a text that begins like JSON; None for one that does not.
fn json(text: &str) -> Result<Option<Vec<(Keys, toml::Table)>>, ChartFileError> {
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
    let table = |value: &serde_json::Value, place: Keys| match toml::Table::try_from(value) {
        Ok(table) => Ok((place, table)),
        Err(error) => Err(Fault { keys: place, below: None, message: error.to_string() }),
    };
    let tables = match &value {
        serde_json::Value::Array(items) => {
            items.iter().enumerate().map(|(i, item)| table(item, vec![i.to_string()])).collect()
        }
        one => table(one, Keys::new()).and_then(|(_, table)| listed(table)),
    };
    tables
        .map(Some)
        .map_err(|fault: Fault| ChartFileError { line: Some(fault.line(text, &[])), message: fault.message })
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

/// The tables under `chart` with the keys that lead to them, or the table itself.
fn listed(mut table: toml::Table) -> Result<Vec<(Keys, toml::Table)>, Fault> {
    let Some(charts) = table.remove("chart") else { return Ok(vec![(Keys::new(), table)]) };
    if let Some(key) = table.keys().next() {
        let message = format!("unknown key `{key}` beside `chart`; a file of charts holds nothing else");
        return Err(Fault { keys: vec![key.clone()], below: None, message });
    }
    let under = |rest: Option<usize>| {
        std::iter::once("chart".to_owned()).chain(rest.map(|index| index.to_string())).collect::<Keys>()
    };
    let charts: Vec<(Keys, toml::Value)> = match charts {
        toml::Value::Array(charts) => {
            charts.into_iter().enumerate().map(|(i, chart)| (under(Some(i)), chart)).collect()
        }
        one => vec![(under(None), one)],
    };
    let table = |(place, chart): (Keys, toml::Value)| match chart {
        toml::Value::Table(table) => Ok((place, table)),
        other => {
            let message = format!("chart: expected a table, not {}", other.type_str());
            Err(Fault { keys: place, below: None, message })
        }
    };
    charts.into_iter().map(table).collect()
}

/// A chart from its table.
pub(crate) fn chart_of(table: &toml::Table) -> Result<ChartSpec, Fault> {
    let mut table = table.clone();
    spell_out(&mut table)?;
    let mut spec: ChartSpec = toml::Value::Table(table).try_into().map_err(|error: toml::de::Error| {
        let whole = error.to_string();
        let key = whole.split_once("\nin `").and_then(|(_, rest)| rest.split_once('`')).map(|(key, _)| key);
        let message = explain(error.message());
        let unknown = message.strip_prefix("unknown key `").and_then(|rest| rest.split('`').next());
        let below = unknown.map(str::to_owned);
        let told = match key {
            Some(key) if below.is_none() => format!("{key}: {message}"),
            _ => message,
        };
        Fault { below, ..Fault::at(key.unwrap_or_default(), told) }
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
fn spell_out(table: &mut toml::Table) -> Result<(), Fault> {
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
            in_base_unit(table.get_mut(key), unit)
                .map_err(|error| Fault::at(key, format!("{key}: {error}")))?;
        }
        let references = table.get_mut("references").and_then(toml::Value::as_array_mut);
        for (i, reference) in references.into_iter().flatten().enumerate() {
            in_base_unit(reference.get_mut("value"), unit).map_err(|error| {
                Fault::at(&format!("references.{i}.value"), format!("references: {error}"))
            })?;
        }
    }
    let x = table.get("x").cloned();
    for key in ["x_min", "x_max"] {
        let Some(place) = table.get_mut(key) else { continue };
        let failed = |error: String| Fault::at(key, format!("{key}: {error}"));
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
fn check(spec: &ChartSpec) -> Result<(), Fault> {
    let refused = |key: &str, message: String| Err(Fault::at(key, message));
    let slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if spec.id.is_empty() || spec.id.len() > 80 || spec.id.starts_with('-') || !spec.id.chars().all(slug) {
        let id = &spec.id;
        return refused("id", format!("id `{id}`: expected at most 80 of a-z, 0-9 and -, as it names files"));
    }
    if let (Some(from), Some(to)) = spec.span_ms()
        && from >= to
    {
        return refused("to", format!("the span from {} s to {} s is empty", from / 1e3, to / 1e3));
    }
    for (axis, limits) in [("x", (spec.x_min, spec.x_max)), ("y", (spec.y_min, spec.y_max))] {
        if let (Some(min), Some(max)) = limits
            && min >= max
        {
            let message = format!("{axis}_min {min} is not below {axis}_max {max}");
            return refused(&format!("{axis}_max"), message);
        }
        for (end, limit) in [("min", limits.0), ("max", limits.1)] {
            if let Some(odd) = limit.filter(|limit| !limit.is_finite()) {
                let key = format!("{axis}_{end}");
                return refused(&key, format!("{key} {odd}: expected a finite number"));
            }
        }
    }
    if spec.x == XChannel::Time && (spec.x_min.is_some() || spec.x_max.is_some()) {
        let key = if spec.x_min.is_some() { "x_min" } else { "x_max" };
        return refused(
            key,
            "x_min and x_max: an axis of run time is limited by `from`, `to` and `skip`".to_owned(),
        );
    }
    if let Some(ms) = spec.smooth_ms().filter(|ms| *ms <= 0.0) {
        let message = "transforms: a moving mean needs a span above 0, such as { smooth = \"5s\" }, not";
        return refused("transforms", format!("{message} {ms} ms"));
    }
    if !(0.5..=3.0).contains(&spec.font.size) {
        let message = format!("font: size {}: expected a factor from 0.5 to 3", spec.font.size);
        return refused("font.size", message);
    }
    // The family stands in an attribute of the SVG's root.
    if let Some(family) = spec
        .font
        .family
        .as_deref()
        .filter(|family| family.contains(['"', '<', '>', '&', '\\', '{', '}', ';']))
    {
        let message = format!("font: family: expected names of fonts, separated by commas, not `{family}`");
        return refused("font.family", message);
    }
    if let Some(scale) = spec.scale.filter(|scale| !(0.25..=8.0).contains(scale)) {
        return refused("scale", format!("scale {scale}: expected a factor from 0.25 to 8, such as 2"));
    }
    if spec.by_metric() == spec.metrics.is_empty() {
        let key = if spec.by_metric() { "facet" } else { "metrics" };
        return refused(
            key,
            "`metrics` and facet = \"metric\" go together: the one names the panels of the other".to_owned(),
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
