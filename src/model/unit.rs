//! From base units to what a person reads: one formatter for ticks, tables and tooltips.

use crate::model::decimal;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The unit in which values are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BaseUnit {
    /// Bytes per second.
    #[serde(rename = "B/s")]
    BytesPerSecond,
    /// Operations per second.
    #[serde(rename = "1/s")]
    PerSecond,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// A plain ratio.
    #[serde(rename = "1")]
    One,
    /// Bytes: the running total of a bandwidth.
    #[serde(rename = "B")]
    Bytes,
    /// Operations: the running total of IOPS.
    #[serde(rename = "count")]
    Count,
}

impl BaseUnit {
    /// The unit as tables for scripts write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            BaseUnit::BytesPerSecond => "B/s",
            BaseUnit::PerSecond => "1/s",
            BaseUnit::Nanoseconds => "ns",
            BaseUnit::One => "1",
            BaseUnit::Bytes => "B",
            BaseUnit::Count => "count",
        }
    }
}

impl fmt::Display for BaseUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Prefixes for bandwidth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum UnitSystem {
    /// Powers of 1000: kB/s, MB/s.
    Si,
    /// Powers of 1024: KiB/s, MiB/s.
    #[default]
    Iec,
}

/// A unit for display: base value divided by `divisor`, followed by `suffix`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DisplayUnit {
    /// Base units in one display unit.
    pub divisor: f64,
    /// What stands behind the number: `ms`, `MiB/s`, `k`, `%`; empty for plain counts.
    pub suffix: &'static str,
    /// What names the unit on an axis: `ms`, `MiB/s`, `IOPS`, `thousand IOPS`.
    pub axis: &'static str,
}

/// Units of a bandwidth as people write them, and how many bytes per second each holds.
pub(crate) const BANDWIDTHS: &[(&str, f64)] = &[
    ("B/s", 1.0),
    ("kB/s", 1e3),
    ("KiB/s", 1024.0),
    ("MB/s", 1e6),
    ("MiB/s", 1_048_576.0),
    ("GB/s", 1e9),
    ("GiB/s", 1_073_741_824.0),
];

/// Display units from small to large.
fn ladder(unit: BaseUnit, system: UnitSystem) -> &'static [DisplayUnit] {
    const fn u(divisor: f64, suffix: &'static str, axis: &'static str) -> DisplayUnit {
        DisplayUnit { divisor, suffix, axis }
    }
    const IEC: &[DisplayUnit] = &[
        u(1.0, "B/s", "B/s"),
        u(1024.0, "KiB/s", "KiB/s"),
        u(1_048_576.0, "MiB/s", "MiB/s"),
        u(1_073_741_824.0, "GiB/s", "GiB/s"),
        u(1_099_511_627_776.0, "TiB/s", "TiB/s"),
    ];
    const SI: &[DisplayUnit] = &[
        u(1.0, "B/s", "B/s"),
        u(1e3, "kB/s", "kB/s"),
        u(1e6, "MB/s", "MB/s"),
        u(1e9, "GB/s", "GB/s"),
        u(1e12, "TB/s", "TB/s"),
    ];
    const COUNT: &[DisplayUnit] = &[
        u(1.0, "", "IOPS"),
        u(1e3, "k", "thousand IOPS"),
        u(1e6, "M", "million IOPS"),
        u(1e9, "G", "billion IOPS"),
    ];
    const TIME: &[DisplayUnit] =
        &[u(1.0, "ns", "ns"), u(1e3, "µs", "µs"), u(1e6, "ms", "ms"), u(1e9, "s", "s")];
    const RATIO: &[DisplayUnit] = &[DisplayUnit::PERCENT];
    const BYTES_IEC: &[DisplayUnit] = &[
        u(1.0, "B", "B"),
        u(1024.0, "KiB", "KiB"),
        u(1_048_576.0, "MiB", "MiB"),
        u(1_073_741_824.0, "GiB", "GiB"),
        u(1_099_511_627_776.0, "TiB", "TiB"),
    ];
    const BYTES_SI: &[DisplayUnit] =
        &[u(1.0, "B", "B"), u(1e3, "kB", "kB"), u(1e6, "MB", "MB"), u(1e9, "GB", "GB"), u(1e12, "TB", "TB")];
    const OPERATIONS: &[DisplayUnit] = &[
        u(1.0, "", "I/Os"),
        u(1e3, "k", "thousand I/Os"),
        u(1e6, "M", "million I/Os"),
        u(1e9, "G", "billion I/Os"),
    ];
    match (unit, system) {
        (BaseUnit::Bytes, UnitSystem::Iec) => BYTES_IEC,
        (BaseUnit::Bytes, UnitSystem::Si) => BYTES_SI,
        (BaseUnit::Count, _) => OPERATIONS,
        (BaseUnit::BytesPerSecond, UnitSystem::Iec) => IEC,
        (BaseUnit::BytesPerSecond, UnitSystem::Si) => SI,
        (BaseUnit::PerSecond, _) => COUNT,
        (BaseUnit::Nanoseconds, _) => TIME,
        (BaseUnit::One, _) => RATIO,
    }
}

impl DisplayUnit {
    /// The unit of shares.
    pub const PERCENT: DisplayUnit = DisplayUnit { divisor: 0.01, suffix: "%", axis: "%" };

    /// The unit in which `typical` (base units) reads best: the largest that leaves at least 1,
    /// except that IOPS stay plain below 10,000.
    #[must_use]
    pub fn choose(unit: BaseUnit, typical: f64, system: UnitSystem) -> Self {
        let ladder = ladder(unit, system);
        let floor = if matches!(unit, BaseUnit::PerSecond | BaseUnit::Count) { 10.0 } else { 1.0 };
        let typical = if typical.is_finite() { typical.abs() } else { 0.0 };
        // A hair below the next unit already rounds to it: 999.96 us reads 1.00 ms.
        let reached = |d: &&DisplayUnit| typical >= d.divisor * floor * 0.9995;
        ladder[1..].iter().rev().find(reached).copied().unwrap_or(ladder[0])
    }

    /// What a count counts: `IOPS`, `I/Os`.
    #[must_use]
    pub fn counted(&self) -> &'static str {
        self.axis.rsplit(' ').next().unwrap_or(self.axis)
    }

    /// The number of `value` in this unit with three significant digits (whole numbers stay whole), without the suffix.
    #[must_use]
    pub fn number(&self, value: f64) -> String {
        significant(value / self.divisor, 3)
    }

    /// Number and suffix: `12.4 ms`, `98k`, `1.2 GiB/s`, `45 %`.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        let number = self.number(value);
        match self.suffix {
            "" => number,
            "k" | "M" | "G" => format!("{number}{}", self.suffix),
            suffix => format!("{number} {suffix}"),
        }
    }
}

/// Number and unit chosen for this one value: `12.4 ms`, `407`, `98.1k`.
#[must_use]
pub fn humanize(value: f64, unit: BaseUnit, system: UnitSystem) -> String {
    DisplayUnit::choose(unit, value, system).text(value)
}

/// `value` with `digits` significant digits, thousands separated by commas, never in exponent form.
///
/// Digits before the decimal point are all kept: 1234.5 at three digits is `1,235`.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "n/a".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    match decimal::significant(value, digits) {
        Some(text) => text.as_str().to_owned(),
        None => exactly(value, digits),
    }
}

/// [`significant`] of a number that is not zero, by the exact way of [`std::fmt`].
fn exactly(value: f64, digits: usize) -> String {
    // The exponent after rounding: 99.96 at three digits is 1.00e2.
    let scientific = format!("{:.*e}", digits.saturating_sub(1), value);
    let magnitude: i64 = scientific.split('e').nth(1).and_then(|e| e.parse().ok()).unwrap_or(0);
    let decimals = (digits as i64 - 1 - magnitude).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    group_thousands(&text)
}

/// [`significant`] without zeros at the end of its decimals: 75 is `75`, 75.2 is `75.2`.
#[must_use]
pub fn plain(value: f64, digits: usize) -> String {
    let number = significant(value, digits);
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number }
}

/// Puts commas between thousands of a plain decimal text.
#[must_use]
pub fn group_thousands(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (whole, fraction) = match rest.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (rest, None),
    };
    let mut grouped = String::with_capacity(text.len() + 4);
    grouped.push_str(sign);
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(c);
    }
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

/// A size in bytes as prose writes it, binary: `4 KiB`, `64 KiB`, `1 MiB`, `512 B`.
#[must_use]
pub fn size_phrase(bytes: u64) -> String {
    for (shift, suffix) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes >= 1u64 << shift {
            let value = bytes as f64 / (1u64 << shift) as f64;
            return format!("{} {suffix}", plain(value, 3));
        }
    }
    format!("{bytes} B")
}

/// The value in `unit` of `20 ms`, `500 MB/s`, `1.2k`; a number alone is in the base unit.
///
/// # Errors
/// For a text that is no number, or has an unknown unit behind it; the message names the units.
pub fn parse(text: &str, unit: BaseUnit) -> Result<f64, String> {
    let units = spellings(unit);
    let found = split(text).and_then(|(number, suffix)| {
        let factor = units.iter().find(|(name, _)| *name == suffix)?.1;
        Some(number * factor)
    });
    found.ok_or_else(|| {
        let names: Vec<&str> = units.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).collect();
        format!("expected a number, alone ({unit}) or with {}", names.join(", "))
    })
}

/// Units as people write them, with how many base units each holds.
fn spellings(unit: BaseUnit) -> &'static [(&'static str, f64)] {
    match unit {
        BaseUnit::Nanoseconds => &[("", 1.0), ("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)],
        BaseUnit::BytesPerSecond => &[
            ("", 1.0),
            ("B/s", 1.0),
            ("kB/s", 1e3),
            ("KiB/s", 1024.0),
            ("MB/s", 1e6),
            ("MiB/s", 1_048_576.0),
            ("GB/s", 1e9),
            ("GiB/s", 1_073_741_824.0),
        ],
        BaseUnit::PerSecond => &[("", 1.0), ("1/s", 1.0), ("k", 1e3), ("M", 1e6)],
        BaseUnit::One => &[("", 1.0), ("%", 0.01)],
        BaseUnit::Bytes => &[
            ("", 1.0),
            ("B", 1.0),
            ("kB", 1e3),
            ("KiB", 1024.0),
            ("MB", 1e6),
            ("MiB", 1_048_576.0),
            ("GB", 1e9),
            ("GiB", 1_073_741_824.0),
            ("TB", 1e12),
            ("TiB", 1_099_511_627_776.0),
        ],
        BaseUnit::Count => &[("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)],
    }
}

/// `value` in the largest unit of [`parse`] that leaves a short number and reads as exactly the same value.
pub(crate) fn exact(value: f64, unit: BaseUnit) -> Option<String> {
    let named = spellings(unit).iter().rev().filter(|(name, _)| !name.is_empty());
    named
        .filter(|(_, factor)| (1.0..1e6).contains(&(value / factor)))
        .map(|(name, factor)| format!("{} {name}", value / factor))
        .find(|text| text.len() <= 14 && parse(text, unit) == Ok(value))
}

/// Run time in ms of `90`, `90s`, `500ms`, `2m`, `1h`; a number alone is seconds.
///
/// # Errors
/// For a text that is no such time.
pub(crate) fn run_time_ms(text: &str) -> Result<f64, String> {
    let ms = match split(text) {
        Some((number, "" | "s")) => number * 1e3,
        Some((number, "ms")) => number,
        Some((number, "m" | "min")) => number * 60e3,
        Some((number, "h")) => number * 3_600e3,
        _ => return Err("expected a run time such as 30, 30s, 500ms, 5m or 1h".to_owned()),
    };
    Ok(ms)
}

/// A number and what stands behind it.
pub(crate) fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim_start())).filter(|(number, _)| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::decimal::tests::near_ties;
    use proptest::prelude::*;

    #[test]
    fn values_read_as_storage_people_write_them() {
        assert_eq!(humanize(12_400_000.0, BaseUnit::Nanoseconds, UnitSystem::Iec), "12.4 ms");
        assert_eq!(humanize(407.2, BaseUnit::PerSecond, UnitSystem::Iec), "407");
        assert_eq!(humanize(9_876.0, BaseUnit::PerSecond, UnitSystem::Iec), "9,876");
        assert_eq!(humanize(98_100.0, BaseUnit::PerSecond, UnitSystem::Iec), "98.1k");
        assert_eq!(humanize(1.25 * 1_073_741_824.0, BaseUnit::BytesPerSecond, UnitSystem::Iec), "1.25 GiB/s");
        assert_eq!(humanize(1_000_000.0, BaseUnit::BytesPerSecond, UnitSystem::Si), "1.00 MB/s");
        assert_eq!(humanize(0.453, BaseUnit::One, UnitSystem::Iec), "45.3 %");
    }

    #[test]
    fn rounding_up_to_the_next_unit_takes_that_unit() {
        assert_eq!(humanize(999_960.0, BaseUnit::Nanoseconds, UnitSystem::Iec), "1.00 ms");
        assert_eq!(significant(99.96, 3), "100");
        assert_eq!(significant(0.0999, 2), "0.10");
        assert_eq!(
            (plain(75.0, 3), plain(75.25, 3), plain(100.0, 3)),
            ("75".into(), "75.2".into(), "100".into())
        );
    }

    #[test]
    fn absurd_values_stay_texts() {
        assert_eq!(significant(f64::NAN, 3), "n/a");
        assert_eq!(significant(-1234.5, 3), "-1,234");
        assert_eq!(significant(0.0, 3), "0");
    }

    proptest! {
        #[test]
        fn the_quick_way_of_rounding_is_the_exact_one(values in near_ties(-12..9), digits in 1_usize..7) {
            for value in values {
                if value != 0.0 {
                    prop_assert_eq!(significant(value, digits), exactly(value, digits));
                }
            }
        }
    }

    #[test]
    fn sizes_read_in_binary_units() {
        assert_eq!(size_phrase(4096), "4 KiB");
        assert_eq!(size_phrase(1 << 20), "1 MiB");
        assert_eq!(size_phrase(1536), "1.5 KiB");
        assert_eq!(size_phrase(512), "512 B");
    }
}
