//! Values of fio's JSON, whatever their kind.
//!
//! In: any JSON value. Out: a number, a text, a list or options; absent when it is none of that.
//! No value is a reason to refuse a file.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// An object's key, borrowed where it holds no escape.
pub(super) struct Key<'a>(pub(super) Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl<'de> Visitor<'de> for Name {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(Name)
    }
}

/// The methods of a visitor that passes over every value that is no object.
macro_rules! absent_unless_object {
    () => {
        absent_unless_object!(@scalars);
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
    (@scalars) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
}
pub(super) use absent_unless_object;

/// A number as fio printed it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Number {
    /// Not there, or no number.
    #[default]
    Absent,
    /// A whole number.
    Whole(i64),
    /// A whole number beyond those: no figure, whatever it is.
    Beyond,
    /// Any other.
    Float(f64),
}

impl Number {
    /// Largest figure that is believed: a counter beyond it has wrapped or was never set.
    const LIMIT: f64 = 9e18;

    fn whole(number: impl TryInto<i64>) -> Self {
        number.try_into().map_or(Number::Beyond, Number::Whole)
    }

    /// True when a number stands here that is no figure: a 64-bit counter printed with a sign,
    /// or a minimum that was never set.
    pub(super) fn is_wild(self) -> bool {
        match self {
            Number::Absent => false,
            Number::Whole(n) => n < 0 || n as f64 > Number::LIMIT,
            Number::Beyond => true,
            Number::Float(n) => !(0.0..=Number::LIMIT).contains(&n),
        }
    }

    /// The figure, where there is a sane one.
    pub(super) fn figure(self) -> Option<f64> {
        match self {
            _ if self.is_wild() => None,
            Number::Absent | Number::Beyond => None,
            Number::Whole(n) => Some(n as f64),
            Number::Float(n) => Some(n),
        }
    }

    /// The figure as a count.
    pub(super) fn count(self) -> Option<u64> {
        match self {
            Number::Whole(n) if !self.is_wild() => u64::try_from(n).ok(),
            _ => self.figure().map(|n| n as u64),
        }
    }

    /// The number with its sign, for codes and ids; 0 when absent.
    pub(super) fn code(self) -> i64 {
        match self {
            Number::Absent => 0,
            Number::Whole(n) => n,
            Number::Beyond => i64::MAX,
            Number::Float(n) => n as i64,
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scalar(PhantomData))
    }
}

impl OfScalar for Number {
    fn of_whole(number: impl TryInto<i64> + fmt::Display) -> Self {
        Number::whole(number)
    }

    fn of_float(number: f64) -> Self {
        Number::Float(number)
    }

    fn of_text(text: &str) -> Self {
        let text = text.trim();
        match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(whole), _) => Number::whole(whole),
            (_, Ok(float)) if float.is_finite() => Number::Float(float),
            _ => Number::Absent,
        }
    }
}

/// A text; None when absent. Numbers and booleans are taken by their spelling.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) Option<String>);

impl Text {
    /// The text, empty when absent.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scalar(PhantomData))
    }
}

impl OfScalar for Text {
    fn of_whole(number: impl TryInto<i64> + fmt::Display) -> Self {
        Text(Some(number.to_string()))
    }

    fn of_float(number: f64) -> Self {
        Text(Some(number.to_string()))
    }

    fn of_text(text: &str) -> Self {
        Text(Some(text.to_owned()))
    }
}

/// What any value that is no container can become; containers and `null` read as absent, the default.
trait OfScalar: Default {
    fn of_whole(number: impl TryInto<i64> + fmt::Display) -> Self;
    fn of_float(number: f64) -> Self;
    fn of_text(text: &str) -> Self;
}

/// Reads one value, whatever it is.
struct Scalar<T>(PhantomData<T>);

impl<'de, T: OfScalar> Visitor<'de> for Scalar<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<T, E> {
        Ok(T::of_whole(i64::from(value)))
    }
    fn visit_i64<E>(self, value: i64) -> Result<T, E> {
        Ok(T::of_whole(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<T, E> {
        Ok(T::of_whole(value))
    }
    fn visit_f64<E>(self, value: f64) -> Result<T, E> {
        Ok(T::of_float(value))
    }
    fn visit_str<E>(self, value: &str) -> Result<T, E> {
        Ok(T::of_text(value))
    }
    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<T, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(T::default())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(T::default())
    }
}

/// An array; None when there is none.
#[derive(Debug, Clone)]
pub(super) struct List<T>(pub(super) Option<Vec<T>>);

impl<T> Default for List<T> {
    fn default() -> Self {
        List(None)
    }
}

impl<T> List<T> {
    /// The elements, none when absent.
    pub(super) fn as_slice(&self) -> &[T] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Array<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Array<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            absent_unless_object!(@scalars);
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = seq.next_element()? {
                    elements.push(element);
                }
                Ok(List(Some(elements)))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<List<T>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(List(None))
            }
        }
        deserializer.deserialize_any(Array(PhantomData))
    }
}

/// An object whose keys are numbers, in file order: percentiles, bins.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Numbers(pub(super) Vec<(f64, Number)>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Numbers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with numbers for keys")
            }
            absent_unless_object!();
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Numbers, A::Error> {
                // As many as fio's own list of percentiles has.
                let mut numbers = Vec::with_capacity(20);
                while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                    match key_number(&key) {
                        Some(key) => numbers.push((key, map.next_value()?)),
                        None => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Numbers(numbers))
            }
        }
        deserializer.deserialize_any(Object)
    }
}

/// The number that a key spells.
fn key_number(key: &str) -> Option<f64> {
    short_number(key.as_bytes()).or_else(|| key.trim().parse::<f64>().ok().filter(|key| key.is_finite()))
}

/// A number of digits alone, or digits around a point, few enough that a float holds them without the point: then
/// a division by a power of ten, which a float holds too, gives the float that is nearest to the number.
fn short_number(key: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (mut digits, mut number, mut behind) = (0, 0u64, None);
    for &byte in key.get(..16).map_or(key, |_| b"") {
        match byte {
            b'0'..=b'9' => (digits, number) = (digits + 1, number * 10 + u64::from(byte - b'0')),
            b'.' if behind.is_none() => behind = Some(digits),
            _ => return None,
        }
    }
    let fraction = behind.map_or(0, |before: usize| digits - before);
    (digits > 0).then(|| number as f64 / POWERS[fraction])
}

/// An object of figures whose keys are words as well as numbers, in file order: `"64"`, `">=64"`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Shares(pub(super) Vec<(String, Number)>);

impl<'de> Deserialize<'de> for Shares {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Shares;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with figures")
            }
            absent_unless_object!();
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shares, A::Error> {
                let mut shares = Vec::new();
                while let Some(share) = map.next_entry()? {
                    shares.push(share);
                }
                Ok(Shares(shares))
            }
        }
        deserializer.deserialize_any(Object)
    }
}

/// `job options` and `global options`: an object, or an array with one for each client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OptionSets(pub(super) Option<Vec<BTreeMap<String, String>>>);

impl<'de> Deserialize<'de> for OptionSets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Sets;
        impl<'de> Visitor<'de> for Sets {
            type Value = OptionSets;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of options")
            }
            absent_unless_object!(@scalars);
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OptionSets, A::Error> {
                let mut sets = Vec::new();
                while let Some(OptionSets(nested)) = seq.next_element()? {
                    sets.extend(nested.unwrap_or_default());
                }
                Ok(OptionSets(Some(sets)))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OptionSets, A::Error> {
                let mut set = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, Text>()? {
                    // A flag without a value is an empty text; old versions print C's null.
                    let value = value.0.filter(|value| value != "(null)").unwrap_or_default();
                    set.insert(key, value);
                }
                Ok(OptionSets(Some(vec![set])))
            }
        }
        deserializer.deserialize_any(Sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_printed_with_a_sign_is_no_figure() {
        assert!(Number::Whole(-1).is_wild());
        assert!(Number::whole(u64::MAX).is_wild());
        assert_eq!(Number::Whole(-1).figure(), None);
        assert_eq!(Number::Whole(0).figure(), Some(0.0));
        assert_eq!(Number::Float(2.5).count(), Some(2));
    }

    #[test]
    fn keys_read_as_the_floats_that_they_spell() {
        for key in
            ["0", "1.000000", "99.990000", "99.999", "12.5", ".5", "5.", "123456789012345", "0.1", "00.30"]
        {
            assert_eq!(short_number(key.as_bytes()), key.parse().ok(), "{key}");
        }
        for key in ["", ".", "1e3", "-1", " 1", "1.2.3", "1234567890123456", "nan"] {
            assert_eq!(short_number(key.as_bytes()), None, "{key}");
        }
        assert_eq!(key_number(" 1e3 "), Some(1000.0));
        assert_eq!(key_number("inf"), None);
    }

    #[test]
    fn a_number_in_place_of_a_text_keeps_all_its_digits() {
        let text = |json: &str| serde_json::from_str::<Text>(json).ok().and_then(|text| text.0);
        assert_eq!(text("18446744073709551615").as_deref(), Some("18446744073709551615"));
        assert_eq!(text("-5").as_deref(), Some("-5"));
        assert_eq!(text("2.5").as_deref(), Some("2.5"));
    }
}
