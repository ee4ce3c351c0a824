//! Texts of the user's that stand for numbers: times, rates, latencies, `KEY=VALUE`.

use crate::model::unit::{BANDWIDTHS, BaseUnit};
use crate::model::{Dimension, Value};

/// Columns of the tidy table that a dimension cannot be named after.
const RESERVED: [&str; 8] = ["run", "metric", "ddir", "stat", "value", "unit", "origin", "n"];

/// Run time in ms of `90`, `90s`, `500ms`, `2m`, `1h`; a number alone is seconds.
pub(super) fn run_time_ms(text: &str) -> Result<f64, String> {
    let ms = match split(text) {
        Some((number, "" | "s")) => number * 1e3,
        Some((number, "ms")) => number,
        Some((number, "m" | "min")) => number * 60e3,
        Some((number, "h")) => number * 3_600e3,
        _ => return Err("expected a run time such as 30, 30s, 500ms, 5m or 1h".to_owned()),
    };
    Ok(ms)
}

/// The value in `unit` of `20 ms`, `500 MB/s`, `1.2k`; a number alone is in the base unit.
pub(super) fn in_base_unit(text: &str, unit: BaseUnit) -> Result<f64, String> {
    let units: &[(&str, f64)] = match unit {
        BaseUnit::Nanoseconds => &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)],
        BaseUnit::BytesPerSecond => BANDWIDTHS,
        BaseUnit::PerSecond => &[("1/s", 1.0), ("k", 1e3), ("M", 1e6)],
        BaseUnit::One => &[("%", 0.01)],
    };
    let found = split(text).and_then(|(number, suffix)| {
        let known = [("", 1.0)].iter().chain(units).find(|(name, _)| *name == suffix);
        Some(number * known?.1)
    });
    found.ok_or_else(|| {
        let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
        format!("expected a number, alone ({unit}) or with {}", names.join(", "))
    })
}

fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim_start())).filter(|(number, _)| number.is_finite())
}

/// A dimension and its canonical value from `chunk=64K`.
pub(super) fn key_value(text: &str) -> Result<(Dimension, Value), String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err("expected KEY=VALUE, such as raid=10".to_owned());
    };
    let dimension = dimension(key)?;
    let value = Value::canonical(&dimension, value);
    if value.as_str().is_empty() && !text.ends_with('=') {
        return Err("the value is blank".to_owned());
    }
    Ok((dimension, value))
}

/// A dimension that a user may name.
pub(super) fn dimension(key: &str) -> Result<Dimension, String> {
    let key = key.trim();
    if key.is_empty() || !key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
        return Err(format!("`{key}` is no key: expected letters, digits, `_` and `-`"));
    }
    if RESERVED.contains(&key) {
        return Err(format!("`{key}` is a column of every table; take another key"));
    }
    Ok(Dimension::named(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_times_take_units() {
        assert_eq!(run_time_ms("90"), Ok(90_000.0));
        assert_eq!(run_time_ms("1.5 m"), Ok(90_000.0));
        assert_eq!(run_time_ms("250ms"), Ok(250.0));
        assert!(
            run_time_ms("soon").is_err() && run_time_ms("-5s").is_err() && run_time_ms("5 parsec").is_err()
        );
    }

    #[test]
    fn limits_take_the_units_of_their_metric() {
        assert_eq!(in_base_unit("20 ms", BaseUnit::Nanoseconds), Ok(20e6));
        assert_eq!(in_base_unit("500MB/s", BaseUnit::BytesPerSecond), Ok(500e6));
        assert_eq!(in_base_unit("900", BaseUnit::PerSecond), Ok(900.0));
        let error = in_base_unit("20 ms", BaseUnit::PerSecond);
        assert_eq!(error, Err("expected a number, alone (1/s) or with 1/s, k, M".to_owned()));
    }

    #[test]
    fn values_become_canonical_and_columns_are_no_keys() {
        let (dimension, value) =
            key_value("chunk=64K").unwrap_or((Dimension::Raid, Value::canonical(&Dimension::Raid, "")));
        assert_eq!((dimension, value.as_str()), (Dimension::Chunk, "64k"));
        assert!(key_value("raid").is_err() && key_value("run=1").is_err() && key_value("a b=1").is_err());
    }
}
