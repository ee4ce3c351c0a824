//! What the rows of tables tell apart: the directions of I/O, and the syncs between them.

use crate::model::{Ddir, Measure, Metric};
use std::fmt;

/// I/Os of one direction, or syncs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Reads, writes, trims, or those that the tool had merged.
    Io(Ddir),
    /// `fsync`, `fdatasync` and `sync_file_range`.
    Fsync,
}

impl Operation {
    /// Every value, in the order in which tables show them.
    pub const ALL: [Operation; 5] = [
        Operation::Io(Ddir::Read),
        Operation::Io(Ddir::Write),
        Operation::Io(Ddir::Trim),
        Operation::Io(Ddir::Mixed),
        Operation::Fsync,
    ];

    /// The word at the head of a row.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Io(ddir) => ddir.as_str(),
            Operation::Fsync => "fsync",
        }
    }

    /// The figure that stands in the row under a column of `measure`: of syncs their own latency under every kind
    /// of latency, and no rate. None where the row has no such figure.
    #[must_use]
    pub fn figure_of(self, measure: Measure) -> Option<(Measure, Ddir)> {
        match self {
            Operation::Io(ddir) => (measure.metric != Metric::Fsync).then_some((measure, ddir)),
            Operation::Fsync => {
                let own = Measure { metric: Metric::Fsync, ..measure };
                measure.metric.is_latency().then_some((own, Ddir::Mixed))
            }
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Stat;

    #[test]
    fn syncs_have_a_latency_of_their_own_and_no_rate() {
        let p99 = |metric| Measure { metric, stat: Stat::P99 };
        let write = Operation::Io(Ddir::Write);
        assert_eq!(Operation::Fsync.figure_of(p99(Metric::Clat)), Some((p99(Metric::Fsync), Ddir::Mixed)));
        assert_eq!(Operation::Fsync.figure_of(p99(Metric::Iops)), None);
        assert_eq!(Operation::Fsync.figure_of(p99(Metric::Util)), None);
        assert_eq!(write.figure_of(p99(Metric::Clat)), Some((p99(Metric::Clat), Ddir::Write)));
        assert_eq!(write.figure_of(p99(Metric::Fsync)), None);
    }

    #[test]
    fn every_direction_has_a_row() {
        let directions: Vec<Ddir> = Operation::ALL
            .into_iter()
            .filter_map(|operation| match operation {
                Operation::Io(ddir) => Some(ddir),
                Operation::Fsync => None,
            })
            .collect();
        assert_eq!(directions, Ddir::ALL);
    }
}
