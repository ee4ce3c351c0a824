//! One fio document as typed figures.
//!
//! In: softened JSON. Out: what plotgen uses of it, with absent kept apart from zero. Every type
//! here takes any JSON value: a figure that is a text, a section that is `null` and a key that is
//! written twice (the last one wins) are no reason to refuse a file. Units are fio's; nothing is
//! converted here.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// An object's key, borrowed where it holds no escape.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

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

/// Structs filled from an object: unknown keys passed over, the last of equal keys kept,
/// everything absent when the value is no object.
macro_rules! objects {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty = $key:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default)]
        pub(super) struct $name { $($(#[$fdoc])* pub(super) $field: $ty),+ }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Object;
                impl<'de> Visitor<'de> for Object {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }
                    absent_unless_object!();
                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        let mut object = $name::default();
                        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                            match key.as_ref() {
                                $($key => object.$field = map.next_value()?,)+
                                _ => { map.next_value::<IgnoredAny>()?; }
                            }
                        }
                        Ok(object)
                    }
                }
                deserializer.deserialize_any(Object)
            }
        }
    )+};
}

objects! {
    /// A whole document: one report of one fio process.
    Document {
        version: Text = "fio version",
        timestamp: Number = "timestamp",
        timestamp_ms: Number = "timestamp_ms",
        time: Text = "time",
        global_options: OptionSets = "global options",
        jobs: List<JobEntry> = "jobs",
        client_stats: List<JobEntry> = "client_stats",
        disks: List<Disk> = "disk_util",
    }

    /// One entry of `jobs` or `client_stats`.
    JobEntry {
        name: Text = "jobname",
        group: Number = "groupid",
        job_start: Number = "job_start",
        error: Number = "error",
        total_errors: Number = "total_err",
        elapsed: Number = "elapsed",
        options: OptionSets = "job options",
        read: Option<Direction> = "read",
        write: Option<Direction> = "write",
        trim: Option<Direction> = "trim",
        mixed: Option<Direction> = "mixed",
        usr_cpu: Number = "usr_cpu",
        sys_cpu: Number = "sys_cpu",
        hostname: Text = "hostname",
        port: Number = "port",
    }

    /// The figures of one direction.
    Direction {
        io_bytes: Number = "io_bytes",
        io_kbytes: Number = "io_kbytes",
        bw_bytes: Number = "bw_bytes",
        bw: Number = "bw",
        iops: Number = "iops",
        runtime: Number = "runtime",
        total_ios: Number = "total_ios",
        slat_ns: Option<Latency> = "slat_ns",
        clat_ns: Option<Latency> = "clat_ns",
        lat_ns: Option<Latency> = "lat_ns",
        slat_us: Option<Latency> = "slat",
        clat_us: Option<Latency> = "clat",
        lat_us: Option<Latency> = "lat",
        bw_min: Number = "bw_min",
        bw_max: Number = "bw_max",
        bw_mean: Number = "bw_mean",
        bw_dev: Number = "bw_dev",
        bw_samples: Number = "bw_samples",
        iops_min: Number = "iops_min",
        iops_max: Number = "iops_max",
        iops_stddev: Number = "iops_stddev",
        iops_samples: Number = "iops_samples",
    }

    /// Figures of one kind of latency.
    Latency {
        min: Number = "min",
        max: Number = "max",
        mean: Number = "mean",
        stddev: Number = "stddev",
        n: Number = "N",
        percentiles: Numbers = "percentile",
        bins: Numbers = "bins",
    }

    /// One disk of `disk_util`.
    Disk {
        name: Text = "name",
        util: Number = "util",
        aggr_util: Number = "aggr_util",
    }
}

/// A number as fio printed it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Number {
    /// Not there, or no number.
    #[default]
    Absent,
    /// A whole number.
    Whole(i128),
    /// Any other.
    Float(f64),
}

impl Number {
    /// Largest figure that is believed: a counter beyond it has wrapped or was never set.
    const LIMIT: f64 = 9e18;

    /// True when a number stands here that is no figure: a 64-bit counter printed with a sign,
    /// or a minimum that was never set.
    pub(super) fn is_wild(self) -> bool {
        match self {
            Number::Absent => false,
            Number::Whole(n) => n < 0 || n as f64 > Number::LIMIT,
            Number::Float(n) => !(0.0..=Number::LIMIT).contains(&n),
        }
    }

    /// The figure, where there is a sane one.
    pub(super) fn figure(self) -> Option<f64> {
        match self {
            _ if self.is_wild() => None,
            Number::Absent => None,
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
            Number::Whole(n) => i64::try_from(n).unwrap_or(i64::MAX),
            Number::Float(n) => n as i64,
        }
    }

    fn of_text(text: &str) -> Self {
        let text = text.trim();
        match (text.parse(), text.parse::<f64>()) {
            (Ok(whole), _) => Number::Whole(whole),
            (_, Ok(float)) if float.is_finite() => Number::Float(float),
            _ => Number::Absent,
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Scalar::deserialize(deserializer)? {
            Scalar::Number(number) => number,
            Scalar::Text(text) => Number::of_text(&text),
            Scalar::Absent => Number::Absent,
        })
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
        Ok(Text(match Scalar::deserialize(deserializer)? {
            Scalar::Text(text) => Some(text),
            Scalar::Number(Number::Whole(n)) => Some(n.to_string()),
            Scalar::Number(Number::Float(n)) => Some(n.to_string()),
            Scalar::Number(Number::Absent) | Scalar::Absent => None,
        }))
    }
}

/// Any value that is no container; containers read as absent.
enum Scalar {
    Absent,
    Number(Number),
    Text(String),
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Scalar;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
                Ok(Scalar::Number(Number::Whole(value.into())))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
                Ok(Scalar::Number(Number::Whole(value.into())))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
                Ok(Scalar::Number(Number::Whole(value.into())))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Scalar, E> {
                Ok(Scalar::Number(Number::Float(value)))
            }
            fn visit_str<E>(self, value: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(value.to_owned()))
            }
            fn visit_unit<E>(self) -> Result<Scalar, E> {
                Ok(Scalar::Absent)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Scalar::Absent)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Scalar::Absent)
            }
        }
        deserializer.deserialize_any(Any)
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
        struct Array<T>(std::marker::PhantomData<T>);
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
        deserializer.deserialize_any(Array(std::marker::PhantomData))
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
                let mut numbers = Vec::new();
                while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                    match key.trim().parse::<f64>() {
                        Ok(key) if key.is_finite() => numbers.push((key, map.next_value()?)),
                        _ => {
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

impl Document {
    /// True when the document is fio's: another tool's may hold `jobs`, too.
    pub(super) fn is_fio(&self) -> bool {
        let shown = |entry: &JobEntry| entry.name.0.is_some() || entry.group != Number::Absent;
        self.version.0.is_some() || self.entries().iter().any(shown)
    }

    /// The entries of its jobs; in client mode those of all clients, with the sum over them.
    pub(super) fn entries(&self) -> &[JobEntry] {
        match &self.client_stats.0 {
            Some(entries) => entries,
            None => self.jobs.as_slice(),
        }
    }

    /// The entries of jobs that ran, without the sum over all clients.
    pub(super) fn job_entries(&self) -> impl Iterator<Item = &JobEntry> {
        let sums = self.client_stats.0.is_some();
        self.entries().iter().filter(move |entry| !(sums && entry.name.as_str() == "All clients"))
    }

    /// The version without its `fio-`.
    pub(super) fn plain_version(&self) -> Option<String> {
        let version = self.version.as_str().trim();
        let version = version.strip_prefix("fio-").unwrap_or(version);
        (!version.is_empty()).then(|| version.to_owned())
    }

    /// When it was written, ms since 1970, and how exact that is, in ms.
    pub(super) fn written_ms(&self) -> Option<(u64, u64)> {
        match (self.timestamp_ms.count(), self.timestamp.count()) {
            (Some(ms), _) if ms > 0 => Some((ms, 1)),
            (_, Some(s)) if s > 0 => Some((s.saturating_mul(1000), 1000)),
            _ => None,
        }
    }
}

impl JobEntry {
    /// Its directions in fio's order. `mixed` counts only where fio gave nothing else:
    /// with `unified_rw_reporting=both` it repeats the sum of the others.
    pub(super) fn directions(&self) -> impl Iterator<Item = (crate::model::Ddir, &Direction)> {
        use crate::model::Ddir;
        let single = [(Ddir::Read, &self.read), (Ddir::Write, &self.write), (Ddir::Trim, &self.trim)];
        let merged = self.read.is_none() && self.write.is_none();
        let mixed = if merged { self.mixed.as_ref() } else { None };
        single
            .into_iter()
            .filter_map(|(ddir, direction)| Some((ddir, direction.as_ref()?)))
            .chain(mixed.map(|direction| (Ddir::Mixed, direction)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
    fn document(text: &str) -> Document {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        let read = document(r#"{"jobs":[{"read":{"bw":1,"bw":2}}]}"#).jobs.as_slice()[0].read.clone();
        assert_eq!(read.map(|read| read.bw), Some(Number::Whole(2)));
    }

    #[test]
    fn values_of_any_kind_are_taken() {
        let text = r#"{"fio version":null,"jobs":[{"jobname":7,"read":null,"write":[1],"error":"5",
            "usr_cpu":{"x":1}},3],"disk_util":{},"timestamp":true}"#;
        let document = document(text);
        assert_eq!(document.jobs.as_slice().len(), 2);
        let job = &document.jobs.as_slice()[0];
        assert_eq!(job.name.as_str(), "7");
        assert!(job.read.is_none() && job.write.is_some());
        assert_eq!(job.error.code(), 5);
        assert_eq!(job.usr_cpu, Number::Absent);
    }

    #[test]
    fn a_counter_printed_with_a_sign_is_no_figure() {
        assert!(Number::Whole(-1).is_wild());
        assert!(Number::Whole(i128::from(u64::MAX)).is_wild());
        assert_eq!(Number::Whole(-1).figure(), None);
        assert_eq!(Number::Whole(0).figure(), Some(0.0));
        assert_eq!(Number::Float(2.5).count(), Some(2));
    }

    #[test]
    fn the_sum_over_clients_is_no_job() {
        let document = document(r#"{"client_stats":[{"jobname":"a"},{"jobname":"All clients"}]}"#);
        assert_eq!(document.job_entries().count(), 1);
        assert!(document.is_fio());
    }

    #[test]
    fn flags_without_a_value_stay_options() {
        let document = document(r#"{"global options":[{"a":null},{"b":"(null)","c":1}]}"#);
        let sets = document.global_options.0.unwrap_or_default();
        let pairs: Vec<_> = sets.iter().flatten().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("a", ""), ("b", ""), ("c", "1")]);
    }
}
