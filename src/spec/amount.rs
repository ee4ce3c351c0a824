//! Spans of run time as files write them: `"10s"`, `"500 ms"`, a number alone in seconds.
//!
//! In: a number or a text. Out: milliseconds, and back the shortest text that means the same.

use crate::model::unit::run_time_ms;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserializer, Serializer};
use std::fmt;

/// The text of a span that [`run_time_ms`] reads as exactly `ms`.
fn text(ms: f64) -> String {
    let candidates = [(3_600e3, "h"), (60e3, "m"), (1e3, "s")];
    let whole = candidates.into_iter().find(|(factor, _)| {
        let number = ms / factor;
        number >= 1.0 && number.fract() == 0.0 && number * factor == ms
    });
    match whole {
        Some((factor, unit)) => format!("{}{unit}", ms / factor),
        None => format!("{ms}ms"),
    }
}

struct Span;

impl Visitor<'_> for Span {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a span of run time such as \"10s\", \"500ms\" or 10 (seconds)")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        run_time_ms(text).map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_f64<E: Error>(self, seconds: f64) -> Result<f64, E> {
        let ms = seconds * 1e3;
        let usable = ms.is_finite() && ms >= 0.0;
        if usable { Ok(ms) } else { Err(E::invalid_value(Unexpected::Float(seconds), &self)) }
    }

    fn visit_i64<E: Error>(self, seconds: i64) -> Result<f64, E> {
        self.visit_f64(seconds as f64)
    }

    fn visit_u64<E: Error>(self, seconds: u64) -> Result<f64, E> {
        self.visit_f64(seconds as f64)
    }
}

/// A span of run time in ms.
pub(super) mod millis {
    use super::{Deserializer, Serializer, Span, text};

    pub(in crate::spec) fn serialize<S: Serializer>(ms: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text(*ms))
    }

    pub(in crate::spec) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(Span)
    }
}

/// A span of run time that may be left out.
pub(super) mod millis_or_none {
    use super::{Deserializer, Serializer, Span, text};
    use serde::Deserialize;

    struct Ms(f64);

    impl<'de> Deserialize<'de> for Ms {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Span).map(Ms)
        }
    }

    pub(in crate::spec) fn serialize<S: Serializer>(
        ms: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match ms {
            Some(ms) => serializer.serialize_some(&text(*ms)),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::spec) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        Option::<Ms>::deserialize(deserializer).map(|ms| ms.map(|Ms(ms)| ms))
    }
}

/// A number, or a number with its unit: what the published schema says of such a place.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is read")]
pub(super) enum Amount {
    /// In the base unit of its place.
    Number(f64),
    /// With a unit: `"20 ms"`, `"500 MB/s"`, `"64k"`, `"10s"`.
    Text(String),
}

/// A word or a whole number.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is read")]
pub(super) enum Word {
    /// As `inspect` lists it: `"64k"`.
    Text(String),
    /// A number.
    Whole(i64),
}

/// A value, or a list of them.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is read")]
pub(super) enum Words {
    /// One value.
    One(Word),
    /// Several values.
    More(Vec<Word>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_written_so_that_it_reads_the_same() {
        for (ms, written) in [
            (10_000.0, "10s"),
            (90_000.0, "90s"),
            (120_000.0, "2m"),
            (7.2e6, "2h"),
            (0.0, "0ms"),
            (250.5, "250.5ms"),
        ] {
            assert_eq!(text(ms), written);
            assert_eq!(run_time_ms(written), Ok(ms));
        }
    }
}
