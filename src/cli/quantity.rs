//! Texts of the user's that stand for numbers: times, rates, latencies, `KEY=VALUE`.

use crate::analyze::ArrayModel;
pub(super) use crate::model::unit::run_time_ms;
use crate::model::unit::{self, BaseUnit};
use crate::model::{Dimension, Metric, Value};

/// Columns of the tidy table that a dimension cannot be named after.
const RESERVED: [&str; 8] = ["run", "metric", "ddir", "stat", "value", "unit", "origin", "n"];

/// The value in `unit` of `20 ms`, `500 MB/s`, `1.2k`; a number alone is in the base unit.
pub(super) fn in_base_unit(text: &str, unit: BaseUnit) -> Result<f64, String> {
    unit::parse(text, unit)
}

/// A threshold of all metrics, `5%` or `0.05`, or of one, `iops=5%`.
pub(super) fn threshold(text: &str) -> Result<(Option<Metric>, f64), String> {
    let (metric, share) = match text.split_once('=') {
        Some((metric, share)) => {
            (Some(metric.trim().parse::<Metric>().map_err(|error| error.to_string())?), share)
        }
        None => (None, text),
    };
    let value = in_base_unit(share, BaseUnit::One)?;
    // 5 without its sign would be 500 %.
    if value > 0.0 && value < 1.0 {
        return Ok((metric, value));
    }
    Err("expected a share between 0 and 100 %, such as 5% or 0.05".to_owned())
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

/// A dimension and the values of it that are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) dimension: Dimension,
    pub(super) values: Vec<Value>,
}

/// The values of `raid=5,6`.
pub(super) fn accepted(text: &str) -> Result<Accepted, String> {
    let (dimension, whole) = key_value(text)?;
    let listed = text.split_once('=').map_or("", |(_, listed)| listed);
    let mut values: Vec<Value> = listed
        .split(',')
        .map(|value| Value::canonical(&dimension, value))
        .filter(|value| !value.as_str().is_empty())
        .collect();
    // Block sizes of reads and writes are one value with a comma (fio HOWTO, `bs=4k,8k`).
    if values.is_empty() || (dimension == Dimension::Bs && values.len() > 1) {
        values.push(whole);
    }
    Ok(Accepted { dimension, values })
}

/// Smallest and largest enlargement of a PNG.
const SCALES: std::ops::RangeInclusive<f64> = 0.25..=8.0;

/// The enlargement of a PNG.
pub(super) fn scale(text: &str) -> Result<f64, String> {
    in_scales(text.trim().parse().unwrap_or(f64::NAN))
}

/// The factor, when a PNG may be enlarged by it.
pub(super) fn in_scales(factor: f64) -> Result<f64, String> {
    if SCALES.contains(&factor) {
        return Ok(factor);
    }
    Err(format!("expected a factor from {} to {}, such as 2", SCALES.start(), SCALES.end()))
}

/// The drives of an array from `drives=6,drive-iops=75`.
pub(super) fn array_model(text: &str) -> Result<ArrayModel, String> {
    let mut model = ArrayModel { drives: None, drive_iops: None };
    for part in text.split(',') {
        match part.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
            Some(("drives", value)) => model.drives = Some(drives(value)?),
            Some(("drive-iops", value)) => model.drive_iops = Some(drive_iops(value)?),
            _ => return Err("expected drives=N and drive-iops=N, such as drives=6,drive-iops=75".to_owned()),
        }
    }
    Ok(model)
}

/// A number of drives.
pub(super) fn drives(text: &str) -> Result<u32, String> {
    let drives = text.parse().ok().filter(|drives| (1..=100_000).contains(drives));
    drives.ok_or_else(|| "drives: expected a whole number from 1 on".to_owned())
}

/// I/Os per second of a drive.
pub(super) fn drive_iops(text: &str) -> Result<f64, String> {
    let iops = in_base_unit(text, BaseUnit::PerSecond).map_err(|error| format!("drive-iops: {error}"))?;
    if iops > 0.0 { Ok(iops) } else { Err("drive-iops: expected a number above 0".to_owned()) }
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
    fn a_list_of_values_is_accepted_one_by_one() {
        let values = |text: &str| -> Vec<String> {
            accepted(text).map(|a| a.values.iter().map(ToString::to_string).collect()).unwrap_or_default()
        };
        assert_eq!(values("raid=RAID5, 6,"), ["5", "6"]);
        assert_eq!(values("bs=4k,8K"), ["4k", "8k", "4k,8k"]);
        assert_eq!(values("direct="), ["1"]);
        assert!(accepted("raid").is_err());
    }

    #[test]
    fn a_scale_is_a_number_in_its_range() {
        assert_eq!(scale("2"), Ok(2.0));
        for wrong in ["two", "100", "NaN", ""] {
            assert_eq!(scale(wrong), Err("expected a factor from 0.25 to 8, such as 2".to_owned()));
        }
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
    fn an_array_is_drives_and_what_one_does() {
        let model = |drives, drive_iops| Ok(ArrayModel { drives, drive_iops });
        assert_eq!(array_model("drives=6,drive-iops=75"), model(Some(6), Some(75.0)));
        assert_eq!(array_model("drive-iops = 1.2k"), model(None, Some(1_200.0)));
        for wrong in ["6", "drives=0", "drives=six", "drive-iops=0", "drive_iops=5", ""] {
            assert!(array_model(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn thresholds_are_shares_of_all_metrics_or_of_one() {
        assert_eq!(threshold("5%"), Ok((None, 0.05)));
        assert_eq!(threshold("lat=0.1"), Ok((Some(Metric::Lat), 0.1)));
        assert_eq!(
            threshold("5"),
            Err("expected a share between 0 and 100 %, such as 5% or 0.05".to_owned())
        );
        assert!(threshold("iosp=5%").is_err_and(|e| e.contains("unknown metric `iosp`")));
        assert!(threshold("0%").is_err() && threshold("iops=").is_err());
    }

    #[test]
    fn values_become_canonical_and_columns_are_no_keys() {
        let (dimension, value) =
            key_value("chunk=64K").unwrap_or((Dimension::Raid, Value::canonical(&Dimension::Raid, "")));
        assert_eq!((dimension, value.as_str()), (Dimension::Chunk, "64k"));
        assert!(key_value("raid").is_err() && key_value("run=1").is_err() && key_value("a b=1").is_err());
    }
}
