//! One fio document as typed figures.
//!
//! In: softened JSON. Out: what plotgen uses of it, with absent kept apart from zero. Every type
//! here takes any JSON value: a figure that is a text, a section that is `null` and a key that is
//! written twice (the last one wins) are no reason to refuse a file. Units are fio's; nothing is
//! converted here.

use super::value::{Key, List, Number, Numbers, OptionSets, Shares, Text, absent_unless_object};
use crate::model::Ddir;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

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
        read: Option<Box<Direction>> = "read",
        write: Option<Box<Direction>> = "write",
        trim: Option<Box<Direction>> = "trim",
        mixed: Option<Box<Direction>> = "mixed",
        usr_cpu: Number = "usr_cpu",
        sys_cpu: Number = "sys_cpu",
        depths: Shares = "iodepth_level",
        latency_ns: Shares = "latency_ns",
        latency_us: Shares = "latency_us",
        latency_ms: Shares = "latency_ms",
        sync: Option<Box<Direction>> = "sync",
        steady: Option<Box<SteadyState>> = "steadystate",
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
        slat_ns: Option<Box<Latency>> = "slat_ns",
        clat_ns: Option<Box<Latency>> = "clat_ns",
        lat_ns: Option<Box<Latency>> = "lat_ns",
        slat_us: Option<Box<Latency>> = "slat",
        clat_us: Option<Box<Latency>> = "clat",
        lat_us: Option<Box<Latency>> = "lat",
        bw_min: Number = "bw_min",
        bw_max: Number = "bw_max",
        bw_mean: Number = "bw_mean",
        bw_dev: Number = "bw_dev",
        bw_samples: Number = "bw_samples",
        iops_min: Number = "iops_min",
        iops_max: Number = "iops_max",
        iops_stddev: Number = "iops_stddev",
        iops_samples: Number = "iops_samples",
        priorities: List<Priority> = "prios",
        high_priority: Option<Box<Latency>> = "clat_high_prio",
        low_priority: Option<Box<Latency>> = "clat_low_prio",
    }

    /// The I/Os of one priority (`prios`, fio 3.30 on).
    Priority {
        class: Number = "prioclass",
        level: Number = "prio",
        clat_ns: Option<Box<Latency>> = "clat_ns",
        lat_ns: Option<Box<Latency>> = "lat_ns",
    }

    /// What the search for a steady state found (`steadystate`).
    SteadyState {
        target: Text = "ss",
        attained: Number = "attained",
        data: Option<SteadyData> = "data",
    }

    /// The window of the steady state, a figure a second, over all directions.
    SteadyData {
        bw_mean: Number = "bw_mean",
        iops_mean: Number = "iops_mean",
        bw: List<Number> = "bw",
        iops: List<Number> = "iops",
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
        self.entries().iter().filter(move |entry| !entry.is_sum(sums))
    }

    /// Takes the options of each of the [`Document::job_entries`].
    pub(super) fn take_job_options(&mut self) -> Vec<OptionSets> {
        let sums = self.client_stats.0.is_some();
        let entries = self.client_stats.0.as_mut().or(self.jobs.0.as_mut());
        let entries = entries.into_iter().flatten().filter(|entry| !entry.is_sum(sums));
        entries.map(|entry| std::mem::take(&mut entry.options)).collect()
    }

    /// The version without its `fio-`.
    pub(super) fn plain_version(&self) -> Option<&str> {
        let version = self.version.as_str().trim();
        let version = version.strip_prefix("fio-").unwrap_or(version);
        (!version.is_empty()).then_some(version)
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
    /// True for the sum over all clients, where there may be one.
    fn is_sum(&self, sums: bool) -> bool {
        sums && self.name.as_str() == "All clients"
    }

    /// Its directions in fio's order. `mixed` counts only where fio gave nothing else:
    /// with `unified_rw_reporting=both` it repeats the sum of the others.
    pub(super) fn directions(&self) -> impl Iterator<Item = (Ddir, &Direction)> {
        let single = [(Ddir::Read, &self.read), (Ddir::Write, &self.write), (Ddir::Trim, &self.trim)];
        let merged = self.read.is_none() && self.write.is_none();
        let mixed = if merged { self.mixed.as_deref() } else { None };
        single
            .into_iter()
            .filter_map(|(ddir, direction)| Some((ddir, direction.as_deref()?)))
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
