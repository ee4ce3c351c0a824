//! How a chart is dressed: order, colours and letters that the user chose.
//!
//! In: what a file says. Out: values that cannot be wrong. What a theme makes of them is not known here.

use super::ChartSpec;
use crate::model::{Dimension, Value};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A colour of the screen (sRGB), written `#0072b2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rgb(
    /// Red, green, blue.
    pub [u8; 3],
);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

impl FromStr for Rgb {
    type Err = String;

    /// `#0072b2` or `#07b`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no colour; expected one such as #0072b2");
        let digits = text.strip_prefix('#').filter(|d| d.chars().all(|c| c.is_ascii_hexdigit()));
        let whole = match digits {
            Some(short) if short.len() == 3 => short.chars().flat_map(|c| [c, c]).collect(),
            Some(long) if long.len() == 6 => long.to_owned(),
            _ => return Err(wrong()),
        };
        let [_, r, g, b] = u32::from_str_radix(&whole, 16).map_err(|_| wrong())?.to_be_bytes();
        Ok(Rgb([r, g, b]))
    }
}

impl Serialize for Rgb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rgb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}

/// In which order the values of dimensions stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// 4 KiB before 64 KiB, RAID 5 before RAID 10.
    #[default]
    Natural,
    /// Categories of the x axis from the smallest figure to the largest.
    Ascending,
    /// Categories of the x axis from the largest figure to the smallest.
    Descending,
    /// As listed, on axes, in legends and as panels; values that are not listed follow in their natural order.
    Listed(Vec<String>),
}

impl Serialize for Order {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Order::Natural => serializer.serialize_str("natural"),
            Order::Ascending => serializer.serialize_str("ascending"),
            Order::Descending => serializer.serialize_str("descending"),
            Order::Listed(values) => values.serialize(serializer),
        }
    }
}

/// `order` as written.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected natural, ascending, descending or a list of values")]
enum Written {
    /// By a rule.
    Rule(Rule),
    /// As listed.
    Listed(#[cfg_attr(test, schemars(with = "Vec<super::amount::Word>"))] Vec<String>),
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Rule {
    /// 4 KiB before 64 KiB.
    Natural,
    /// From the smallest figure to the largest.
    Ascending,
    /// From the largest figure to the smallest.
    Descending,
}

impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Rule(Rule::Natural) => Order::Natural,
            Written::Rule(Rule::Ascending) => Order::Ascending,
            Written::Rule(Rule::Descending) => Order::Descending,
            Written::Listed(values) => Order::Listed(values),
        })
    }
}

/// Letters of a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Font {
    /// Enlargement of all texts; 1 is the size that suits the picture.
    pub size: f64,
    /// Families for SVGs with plain text, as CSS lists them; the embedded font measures them and draws PNGs.
    pub family: Option<String>,
}

impl Default for Font {
    fn default() -> Self {
        Font { size: 1.0, family: None }
    }
}

impl ChartSpec {
    /// The user's name for a value, `key` being its spelling and `dimension` what it is a value of.
    pub(crate) fn label_of(&self, dimension: Option<&Dimension>, key: &str) -> Option<&str> {
        chosen(&self.labels, dimension, key).map(String::as_str)
    }

    /// The user's colour for a value.
    pub(crate) fn color_of(&self, dimension: Option<&Dimension>, key: &str) -> Option<Rgb> {
        chosen(&self.colors, dimension, key).copied()
    }

    /// The place of a value in the user's order.
    pub(crate) fn rank_of(&self, dimension: &Dimension, value: &Value) -> Option<usize> {
        let Order::Listed(values) = &self.order else { return None };
        values.iter().position(|listed| {
            let listed = match listed.split_once('=') {
                Some((key, value)) if key.trim() == dimension.as_str() => value,
                Some(_) => return false,
                None => listed.as_str(),
            };
            Value::canonical(dimension, listed) == *value
        })
    }
}

/// What a map says of a value: under `raid=10` first, then under `10`, in any spelling of the value.
fn chosen<'a, T>(map: &'a BTreeMap<String, T>, dimension: Option<&Dimension>, key: &str) -> Option<&'a T> {
    if map.is_empty() {
        return None;
    }
    let Some(dimension) = dimension else { return map.get(key) };
    let same = |written: &str| Value::canonical(dimension, written).as_str() == key;
    let qualified = map.iter().find(|(written, _)| {
        written.split_once('=').is_some_and(|(name, value)| name.trim() == dimension.as_str() && same(value))
    });
    qualified.or_else(|| map.iter().find(|(written, _)| same(written))).map(|(_, found)| found)
}

#[cfg(test)]
mod schema {
    use super::{Order, Rgb, Written};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    impl JsonSchema for Rgb {
        fn schema_name() -> Cow<'static, str> {
            "Rgb".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "description": "A colour such as #0072b2.", "type": "string", "pattern": "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$" })
        }
    }

    impl JsonSchema for Order {
        fn schema_name() -> Cow<'static, str> {
            "Order".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            Written::json_schema(generator)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_three_or_six_digits() {
        assert_eq!("#0072b2".parse(), Ok(Rgb([0, 0x72, 0xb2])));
        assert_eq!("#07B".parse(), Ok(Rgb([0, 0x77, 0xbb])));
        assert_eq!(Rgb([0, 0x72, 0xb2]).to_string(), "#0072b2");
        for wrong in ["0072b2", "#0072b", "blue", "#", "#00é2", "#-07"] {
            assert!(wrong.parse::<Rgb>().is_err(), "{wrong}");
        }
    }
}
