//! Amounts as fio prints them for people.
//!
//! In: `91.8MiB/s`, `571234 B/s`, `1203.4Mbit/s`, `23.5k`. Out: bytes, bytes per second, counts. A
//! number is taken with the digits that are printed; nothing else is known about it.

/// How fio spells units. Source: fio's `num2str` at tags 1.1 to 3.42.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) enum Spelling {
    /// To 2.16: `KB` means 1024 bytes.
    Binary,
    /// From 2.17 on: `KiB` means 1024 bytes, `kB` and `MB` are powers of 1000.
    Exact,
}

/// Largest figure that is believed: a counter beyond it has wrapped or was never set.
const LIMIT: f64 = 9e18;

/// A plain number; None for text, for a sign and for what no counter reaches.
pub(in crate::ingest) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    text.parse().ok().filter(|&n: &f64| plain && n <= LIMIT)
}

/// A number with a decimal suffix: `23.5k` IOPS, `max=1226.2k`, `min=812345K`.
pub(in crate::ingest) fn count(text: &str) -> Option<f64> {
    let (value, unit) = split(text)?;
    let factor = match unit {
        "" => 1.0,
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        "g" | "G" => 1e9,
        "t" | "T" => 1e12,
        _ => return None,
    };
    Some(value * factor)
}

/// A percentage, `99.74%`; without its sign it is a cut number.
pub(in crate::ingest) fn percent(text: &str) -> Option<f64> {
    number(text.trim().strip_suffix('%')?)
}

/// Milliseconds of `16467msec`; without its unit it is a cut number.
pub(in crate::ingest) fn milliseconds(text: &str) -> Option<f64> {
    let (value, unit) = split(text)?;
    (unit == "msec").then_some(value)
}

/// Bytes, or bytes per second, of an amount with its unit.
pub(in crate::ingest) fn bytes(text: &str, spelling: Spelling) -> Option<f64> {
    let (value, unit) = split(text)?;
    Some(value * bytes_in(unit, spelling)?)
}

/// Bytes in one unit: `KiB/s`, `KB  /s`, `Mbit/s`, `B`; nothing for bytes themselves.
pub(in crate::ingest) fn bytes_in(unit: &str, spelling: Spelling) -> Option<f64> {
    let unit: String = unit.chars().filter(|c| !c.is_whitespace()).collect();
    let unit = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("/sec")).unwrap_or(&unit);
    let (prefix, bits) = match unit.strip_suffix("bit") {
        Some(prefix) => (prefix, true),
        None => (unit.strip_suffix('B').unwrap_or(unit), false),
    };
    let (letter, binary) = match prefix.strip_suffix('i') {
        Some(letter) => (letter, true),
        None => (prefix, spelling == Spelling::Binary && prefix != "k"),
    };
    let power = match letter {
        "" => 0,
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        _ => return None,
    };
    let factor: f64 = if binary { 1024.0 } else { 1000.0 };
    Some(factor.powi(power) / if bits { 8.0 } else { 1.0 })
}

/// The value behind a key in `min=15, max=12048, avg=154.16`.
pub(in crate::ingest) fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split([',', ':'])
        .find_map(|part| part.trim_start().strip_prefix(key)?.strip_prefix('='))
        .map(str::trim)
}

fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Some((number(&text[..end])?, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_spellings_differ_in_their_units() {
        assert_eq!(bytes("191118KB/s", Spelling::Binary), Some(191_118.0 * 1024.0));
        assert_eq!(bytes("3073.4MB", Spelling::Binary), Some(3073.4 * 1_048_576.0));
        assert_eq!(bytes("571234 B/s", Spelling::Binary), Some(571_234.0));
        assert_eq!(bytes("1203.4Mbit/s", Spelling::Binary), Some(1203.4 * 1_048_576.0 / 8.0));
        assert_eq!(bytes("91.8MiB/s", Spelling::Exact), Some(91.8 * 1_048_576.0));
        assert_eq!(bytes("96.3MB/s", Spelling::Exact), Some(96.3e6));
        assert_eq!(bytes("681Mibit/s", Spelling::Exact), Some(681.0 * 1_048_576.0 / 8.0));
        assert_eq!(bytes("714Mbit/s", Spelling::Exact), Some(714e6 / 8.0));
        assert_eq!(bytes("5217kB/s", Spelling::Exact), Some(5_217_000.0));
        assert_eq!(bytes("74.3Mi", Spelling::Exact), Some(74.3 * 1_048_576.0));
        assert_eq!(bytes_in("KB  /s", Spelling::Binary), Some(1024.0));
        assert_eq!(bytes("12furlongs", Spelling::Exact), None);
    }

    #[test]
    fn counts_are_decimal() {
        assert_eq!(count("23.5k"), Some(23_500.0));
        assert_eq!(count("2055k"), Some(2_055_000.0));
        assert_eq!(count("47779 "), Some(47_779.0));
        assert_eq!(count("-1"), None);
        assert_eq!(number("18446744073709551615"), None);
        assert_eq!(number("inf"), None);
    }

    #[test]
    fn cut_numbers_lack_their_unit() {
        assert_eq!(milliseconds("  16467msec"), Some(16_467.0));
        assert_eq!(milliseconds("16467"), None);
        assert_eq!(percent("42.79%"), Some(42.79));
        assert_eq!(percent("42"), None);
    }
}
