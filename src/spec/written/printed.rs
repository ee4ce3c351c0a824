//! A chart as text.
//!
//! In: a spec. Out: TOML that [`super::read_charts`] reads as the same chart, in the order and the units of people.

use crate::model::unit::{self, BaseUnit};
use crate::model::{Measure, Metric};
use crate::spec::{ChartSpec, Mark, XChannel};

/// Keys in the order in which people think of them; others follow.
const ORDER: &[&str] = &[
    "id",
    "title",
    "subtitle",
    "about",
    "source",
    "mark",
    "x",
    "y",
    "metrics",
    "color",
    "facet",
    "rows",
    "stats",
    "filter",
    "from",
    "to",
    "skip",
    "transforms",
    "total",
    "references",
    "order",
    "labels",
    "colors",
    "x_scale",
    "x_min",
    "x_max",
    "y_scale",
    "y_min",
    "y_max",
    "size",
    "scale",
    "font",
    "units",
];

/// The chart as a `[[chart]]` table: what is at its default is left out, and amounts have the unit that reads best.
///
/// [`crate::spec::read_charts`] reads it as the same chart.
#[must_use]
pub fn to_toml(spec: &ChartSpec) -> String {
    let table = |spec: &ChartSpec| toml::Table::try_from(spec).unwrap_or_default();
    let plain = table(&ChartSpec::new("", Mark::Line, XChannel::Time, Measure::mean(Metric::Iops)));
    let always = ["id", "mark", "x", "y"];
    let mut entries: Vec<(String, toml::Value)> = table(spec)
        .into_iter()
        .filter(|(key, value)| always.contains(&key.as_str()) || plain.get(key) != Some(value))
        .collect();
    let place = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
    entries.sort_by(|a, b| place(&a.0).cmp(&place(&b.0)).then_with(|| a.0.cmp(&b.0)));
    let unit = spec.unit(spec.y);
    let mut text = "[[chart]]\n".to_owned();
    for (key, mut value) in entries {
        match key.as_str() {
            "y_min" | "y_max" => with_unit(&mut value, unit),
            "references" => {
                let references = value.as_array_mut().into_iter().flatten();
                references.filter_map(|r| r.get_mut("value")).for_each(|v| with_unit(v, unit));
            }
            "filter" => {
                // What accepts all need not be said.
                if let Some(filter) = value.as_table_mut() {
                    filter.retain(|_, v| match v {
                        toml::Value::Array(items) => !items.is_empty(),
                        toml::Value::Table(table) => !table.is_empty(),
                        _ => true,
                    });
                }
            }
            _ => {}
        }
        whole_numbers(&mut value);
        text.push_str(&format!("{key} = {value}\n"));
    }
    text
}

/// A number in base units as the text with the unit that makes it short, where it reads as the same number.
fn with_unit(value: &mut toml::Value, unit: BaseUnit) {
    let Some(number) = value.as_float() else { return };
    let short = unit::exact(number, unit);
    if let Some(text) = short {
        *value = toml::Value::String(text);
    }
}

/// `1200` rather than `1200.0`.
fn whole_numbers(value: &mut toml::Value) {
    match value {
        toml::Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            *value = toml::Value::Integer(*number as i64);
        }
        toml::Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        toml::Value::Table(table) => table.iter_mut().for_each(|(_, value)| whole_numbers(value)),
        _ => {}
    }
}
