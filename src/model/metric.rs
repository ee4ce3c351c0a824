//! Names of what is measured: metric, direction, statistic.

use crate::model::unit::BaseUnit;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A name that stands for nothing plotgen knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} `{found}`; expected one of {expected}")]
pub struct UnknownName {
    /// What was being named: `metric`, `direction`, `statistic`.
    pub kind: &'static str,
    /// The name as it was found.
    pub found: String,
    /// The names that would have been understood, comma separated.
    pub expected: String,
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident, $kind:literal, { $($(#[$vdoc:meta])* $variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant),+
        }

        impl $name {
            /// Every value, in the order in which tables and charts show them.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name as scripts and files write it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownName;
            fn from_str(text: &str) -> Result<Self, UnknownName> {
                $name::ALL.iter().copied().find(|name| name.as_str() == text).ok_or_else(|| UnknownName {
                    kind: $kind,
                    found: text.to_owned(),
                    expected: $name::ALL.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}

named! {
    /// What a number measures, in fio's words.
    Metric, "metric", {
        /// Bandwidth, bytes per second.
        Bw => "bw",
        /// I/O operations per second.
        Iops => "iops",
        /// Total latency: submission plus completion.
        Lat => "lat",
        /// Completion latency.
        Clat => "clat",
        /// Submission latency.
        Slat => "slat",
        /// Latency of `fsync`, `fdatasync` and `sync_file_range`, in no direction.
        Fsync => "fsync",
        /// Processor time of one job, user and system, as a share of one processor: the mean over the jobs.
        Cpu => "cpu",
        /// Share of the time in which the device was busy.
        Util => "util",
    }
}

named! {
    /// The direction of an I/O.
    Ddir, "direction", {
        /// Reads.
        Read => "read",
        /// Writes.
        Write => "write",
        /// Trims (discards).
        Trim => "trim",
        /// Directions that the tool itself had merged (`unified_rw_reporting`).
        Mixed => "mixed",
    }
}

named! {
    /// A statistic of a metric over one run.
    Stat, "statistic", {
        /// Arithmetic mean; for latency weighted by completions.
        Mean => "mean",
        /// Smallest sample.
        Min => "min",
        /// Largest sample.
        Max => "max",
        /// Standard deviation.
        Stddev => "stddev",
        /// Coefficient of variation, `stddev / mean`.
        Cov => "cov",
        /// Median.
        P50 => "p50",
        /// 90th percentile.
        P90 => "p90",
        /// 95th percentile.
        P95 => "p95",
        /// 99th percentile.
        P99 => "p99",
        /// 99.9th percentile.
        P999 => "p99.9",
        /// 99.99th percentile.
        P9999 => "p99.99",
    }
}

named! {
    /// Where a figure was computed from.
    Origin, "origin", {
        /// From log rows alone.
        Log => "log",
        /// From the tool's own summary.
        Reported => "reported",
    }
}

impl Metric {
    /// The base unit of this metric's values.
    #[must_use]
    pub fn unit(self) -> BaseUnit {
        match self {
            Metric::Bw => BaseUnit::BytesPerSecond,
            Metric::Iops => BaseUnit::PerSecond,
            Metric::Lat | Metric::Clat | Metric::Slat | Metric::Fsync => BaseUnit::Nanoseconds,
            Metric::Cpu | Metric::Util => BaseUnit::One,
        }
    }

    /// True for latencies: lower is better, gaps stay gaps.
    #[must_use]
    pub fn is_latency(self) -> bool {
        self.unit() == BaseUnit::Nanoseconds
    }

    /// True for rates, which add over jobs and are zero in an idle window.
    #[must_use]
    pub fn is_rate(self) -> bool {
        matches!(self, Metric::Bw | Metric::Iops)
    }

    /// True for what is measured in each direction of I/O. Figures of the others stand under [`Ddir::Mixed`].
    #[must_use]
    pub fn is_directed(self) -> bool {
        !matches!(self, Metric::Fsync | Metric::Cpu | Metric::Util)
    }

    /// What single values of the metric are of: `I/Os`, or `fsyncs` for all three calls.
    #[must_use]
    pub fn samples(self) -> &'static str {
        if self == Metric::Fsync { "fsyncs" } else { "I/Os" }
    }

    /// The name as a chart's title and axis write it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Metric::Bw => "bandwidth",
            Metric::Iops => "IOPS",
            Metric::Lat => "latency",
            Metric::Clat => "completion latency",
            Metric::Slat => "submission latency",
            Metric::Fsync => "fsync latency",
            // A mean over the jobs: 64 that share a processor cost more than one, each less.
            Metric::Cpu => "CPU time per job",
            Metric::Util => "device utilisation",
        }
    }
}

impl Stat {
    /// The quantile in 0..1 that a percentile statistic names.
    #[must_use]
    pub fn quantile(self) -> Option<f64> {
        match self {
            Stat::P50 => Some(0.50),
            Stat::P90 => Some(0.90),
            Stat::P95 => Some(0.95),
            Stat::P99 => Some(0.99),
            Stat::P999 => Some(0.999),
            Stat::P9999 => Some(0.9999),
            Stat::Mean | Stat::Min | Stat::Max | Stat::Stddev | Stat::Cov => None,
        }
    }
}

impl Ddir {
    /// fio's code for the direction in a log row: 0 read, 1 write, 2 trim.
    #[must_use]
    pub fn from_code(code: u64) -> Option<Self> {
        match code {
            0 => Some(Ddir::Read),
            1 => Some(Ddir::Write),
            2 => Some(Ddir::Trim),
            _ => None,
        }
    }
}

/// A statistic of a metric: what one axis shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// What is measured.
    pub metric: Metric,
    /// Which figure of it.
    pub stat: Stat,
}

impl Measure {
    /// The mean of `metric`.
    #[must_use]
    pub fn mean(metric: Metric) -> Self {
        Measure { metric, stat: Stat::Mean }
    }

    /// The base unit of the values.
    #[must_use]
    pub fn unit(self) -> BaseUnit {
        if self.stat == Stat::Cov { BaseUnit::One } else { self.metric.unit() }
    }
}
