//! Decimal texts of numbers, for tables with thousands of them.
//!
//! In: a number and, but for the shortest text, how many decimals or significant digits it has. Out: the
//! very text that [`std::fmt`] makes, at a tenth of its cost, with commas
//! between thousands where asked for. None where only the exact way of
//! [`std::fmt`] can tell how to round: ties, and what is very large or small.
//! A text is no allocation of its own: most go into a longer one at once.

use std::borrow::Cow;

/// Numbers of units up to which a product's error is below [`DOUBT`].
const LARGEST: f64 = (1_u64 << 40) as f64;

/// How near to the middle between two numbers rounding is left to the exact way: a product below [`LARGEST`] is off by
/// less than an eighth of this.
const DOUBT: f64 = 1e-3;

const POWERS: [f64; 10] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// `value`, 0 or more, in whole units of its last decimal.
fn units(value: f64, decimals: usize) -> Option<u64> {
    let scaled = value * POWERS.get(decimals)?;
    if !(0.0..LARGEST).contains(&scaled) {
        return None;
    }
    let below = scaled as u64;
    let rest = scaled - below as f64;
    ((rest - 0.5).abs() >= DOUBT).then(|| below + u64::from(rest > 0.5))
}

/// As `value.round() as i64`, which asks the library of C for each number.
pub(crate) fn rounded(value: f64) -> i64 {
    let whole = value as i64;
    // Exact: of numbers that have decimals, all near ones can be told apart.
    let rest = value - whole as f64;
    whole.saturating_add(i64::from(rest >= 0.5) - i64::from(rest <= -0.5))
}

/// A number as text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spelled {
    /// Digits to the right, nothing to the left of them.
    text: [u8; LONGEST],
    start: usize,
}

/// Twenty digits of a u64 or ten of a fraction, six commas, a point and a sign at most.
const LONGEST: usize = 40;

impl Spelled {
    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[self.start..]).unwrap_or_default()
    }
}

/// As `format!("{value:.decimals$}")`.
pub(crate) fn fixed(value: f64, decimals: usize) -> Option<Spelled> {
    let units = units(value.abs(), decimals)?;
    Some(spelled(value.is_sign_negative(), units, decimals, false))
}

/// As many decimals as leave `digits` significant digits, at most nine; commas between thousands.
pub(crate) fn significant(value: f64, digits: usize) -> Option<Spelled> {
    let size = value.abs();
    if !(1e-3..1e9).contains(&size) || !(1..=6).contains(&digits) {
        return None;
    }
    // Digits before the decimal point; 0 and less for what is below a tenth.
    let whole = match POWERS.iter().position(|power| size < *power) {
        Some(0) => -([0.1, 0.01].iter().take_while(|power| size < **power).count() as i64),
        Some(digits) => digits as i64,
        None => return None,
    };
    let decimals = (digits as i64 - whole).clamp(0, 9) as usize;
    let units = units(size, decimals)?;
    // 99.96 at three digits is 100, which has a decimal less than 99.9.
    if decimals > 0 && units as f64 >= POWERS[digits] {
        return Some(spelled(value < 0.0, units / 10, decimals - 1, true));
    }
    Some(spelled(value < 0.0, units, decimals, true))
}

/// `units` of the last decimal as a text.
fn spelled(negative: bool, mut units: u64, decimals: usize, grouped: bool) -> Spelled {
    let mut text = [b'0'; LONGEST];
    let mut at = text.len();
    let mut push = |byte: u8| {
        at -= 1;
        text[at] = byte;
    };
    for _ in 0..decimals {
        push(b'0' + (units % 10) as u8);
        units /= 10;
    }
    if decimals > 0 {
        push(b'.');
    }
    let mut digits = 0;
    loop {
        if grouped && digits > 0 && digits % 3 == 0 {
            push(b',');
        }
        push(b'0' + (units % 10) as u8);
        units /= 10;
        digits += 1;
        if units == 0 {
            break;
        }
    }
    if negative {
        push(b'-');
    }
    Spelled { text, start: at }
}

/// Room for a text of [`shortest`].
pub(crate) use zmij::Buffer as Room;

/// The shortest decimal text that reads back as `value`, without an exponent; empty for what is no number. Of two that are
/// as near, it is the even one.
pub(crate) fn shortest(value: f64, room: &mut Room) -> Cow<'_, str> {
    if !value.is_finite() {
        return Cow::Borrowed("");
    }
    let text = room.format_finite(value);
    // All digits, and no zero behind a whole number.
    if text.contains('e') {
        Cow::Owned(value.to_string())
    } else {
        Cow::Borrowed(text.strip_suffix(".0").unwrap_or(text))
    }
}

#[cfg(test)]
pub(in crate::model) mod tests {
    use super::{Room, Spelled, fixed, rounded, shortest, significant};
    use proptest::prelude::*;
    use std::ops::Range;

    fn told(text: Spelled) -> String {
        text.as_str().to_owned()
    }

    #[test]
    fn numbers_are_rounded_grouped_and_signed() {
        let text = |value, digits| significant(value, digits).map(told).unwrap_or_default();
        for (value, digits, expected) in [
            (12.34, 3, "12.3"),
            (99.96, 3, "100"),
            (9.996, 3, "10.0"),
            (0.999_6, 3, "1.00"),
            (0.099_96, 3, "0.100"),
            (0.001_234, 3, "0.00123"),
            (1_234_567.8, 3, "1,234,568"),
            (-1_234.4, 3, "-1,234"),
            (0.1, 1, "0.1"),
            (999.0, 2, "999"),
        ] {
            assert_eq!(text(value, digits), expected, "{value}");
        }
        assert_eq!(fixed(-0.001, 2).map(told).as_deref(), Some("-0.00"));
        assert_eq!(fixed(1234.5, 3).map(told).as_deref(), Some("1234.500"));
    }

    #[test]
    fn texts_are_as_short_as_they_can_be() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (-12.5, "-12.5"),
            (0.1, "0.1"),
            (44.920_519_999_999_996, "44.920519999999996"),
            (1e21, "1000000000000000000000"),
            (1e-7, "0.0000001"),
            (f64::NAN, ""),
            (f64::INFINITY, ""),
        ] {
            assert_eq!(shortest(value, &mut Room::new()), expected);
        }
    }

    #[test]
    fn ties_and_extremes_are_left_to_the_exact_way() {
        for value in [0.5, 2.5, 1e300, f64::NAN, f64::INFINITY] {
            assert!(fixed(value, 0).is_none(), "{value}");
        }
        assert!(fixed(0.125, 2).is_none());
        assert!(fixed(1.0, 10).is_none());
        assert!([1e-9, 1e12, 0.0].iter().all(|value| significant(*value, 3).is_none()));
    }

    /// A short decimal, which lies near a tie far more often than any number does, and a third of it.
    pub(in crate::model) fn near_ties(powers: Range<i32>) -> impl Strategy<Value = [f64; 2]> {
        (-9_999_999_i64..9_999_999, powers).prop_map(|(mantissa, power)| {
            [mantissa as f64 * 10f64.powi(power), mantissa as f64 / 3.0 * 10f64.powi(power)]
        })
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (value, expected) in [
            (0.5, 1),
            (-0.5, -1),
            (0.499_999_999_999_999_94, 0),
            (-2.5, -3),
            (4_503_599_627_370_495.5, 4_503_599_627_370_496),
            (f64::NAN, 0),
            (1e300, i64::MAX),
            (f64::NEG_INFINITY, i64::MIN),
        ] {
            assert_eq!(rounded(value), expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn the_shortest_text_reads_back_and_is_as_short_as_that_of_the_standard_library(
            value in proptest::num::f64::NORMAL,
            near in -1e6f64..1e6,
            short in -9_999_999_i64..9_999_999,
        ) {
            for value in [value, near, short as f64 / 1e3] {
                let text = shortest(value, &mut Room::new()).into_owned();
                prop_assert_eq!(text.parse::<f64>().ok(), Some(value));
                prop_assert_eq!(text.len(), value.to_string().len());
            }
        }

        #[test]
        fn rounding_is_that_of_the_standard_library(value in proptest::num::f64::ANY, near in -1e7f64..1e7) {
            prop_assert_eq!(rounded(value), value.round() as i64);
            prop_assert_eq!(rounded(near), near.round() as i64);
        }

        #[test]
        fn a_text_is_that_of_the_standard_library(values in near_ties(-9..6), decimals in 0_usize..10) {
            for value in values {
                if let Some(text) = fixed(value, decimals) {
                    prop_assert_eq!(text.as_str(), format!("{value:.decimals$}"));
                }
            }
        }
    }
}
