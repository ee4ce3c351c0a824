//! What small random I/O an array of equal drives can do, and what runs reached of it.
//!
//! In: runs with a RAID level, the number of drives and what one of them does. Out: an expectation
//! for each run and direction, and remarks on where the numbers came from. It models saturated
//! drives that work independently of each other; caches, stripes written as a whole, degraded
//! arrays and processors that run out are no part of it.
//!
//! With `n` drives of `I` IOPS, a share `R` of reads, `W` of writes and a write penalty `F`, the
//! host sees `n * I / (R + F * W)` IOPS. The penalty counts the drive I/Os behind one small write:
//! P. M. Chen et al., "RAID: High-Performance, Reliable Secondary Storage", ACM Computing Surveys
//! 26(2), 1994, table 3 (small writes: 1/2 of RAID 0 for mirrors, max(1/G, 1/4) for one and
//! max(1/G, 1/6) for two parity drives in a group of `G`).

use crate::analyze::facts;
use crate::analyze::repeat::mean;
use crate::analyze::{AnalyzeOptions, ArrayModel};
use crate::ingest::labels;
use crate::model::unit::{BaseUnit, UnitSystem, humanize};
use crate::model::{
    Campaign, Ddir, Diagnostic, Dimension, Measure, Metric, ModelPoint, Run, RunRecord, Severity, Value,
};
use std::collections::BTreeMap;

/// Largest block that counts as small: beyond it the transfer itself takes time.
const SMALL: f64 = 65_536.0;

/// What an array makes of small random I/O.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Array {
    /// Drives of the array.
    pub drives: u32,
    /// Drives that serve I/Os independently of each other.
    pub lanes: u32,
    /// Drive I/Os behind one small write.
    pub penalty: f64,
    /// Drives of a stripe that hold data, where a stripe written as a whole escapes the penalty.
    stripe: Option<u32>,
}

impl Array {
    /// The array of a RAID level in canonical spelling, `10`, `raidz2`; None for an unknown level
    /// or too few drives for it.
    ///
    /// | level | penalty |
    /// |---|---|
    /// | 0 | 1 |
    /// | 1, 10 | 2 |
    /// | 5 | min(4, n) |
    /// | 6 | min(6, n) |
    /// | 50, 60 | as 5 and 6 in each group; the number of groups is the smallest from 2 on that parts the drives evenly |
    /// | raidz1, raidz2, raidz3 | none, but the vdev does what one drive does: each block is spread over all of them |
    /// | mirror | n: one ZFS mirror of n drives writes to all and reads from any |
    ///
    /// Source for ZFS: iXsystems, "ZFS Storage Pool Layout", 2023 (one vdev; mirrors read with
    /// all drives and write as one, a RAID-Z vdev reads and writes as one drive).
    #[must_use]
    pub fn of(level: &str, drives: u32) -> Option<Array> {
        let n = drives;
        let array = |least: u32, lanes, penalty: u32, parity: u32| {
            let stripe = (parity > 0).then(|| n.saturating_sub(parity));
            (n >= least).then_some(Array { drives, lanes, penalty: f64::from(penalty), stripe })
        };
        match level {
            "0" => array(1, n, 1, 0),
            "1" | "10" => array(2, n, 2, 0),
            "5" => array(3, n, n.min(4), 1),
            "6" => array(4, n, n.min(6), 2),
            "50" => groups(n, 3).and_then(|groups| array(6, n, (n / groups).min(4), groups)),
            "60" => groups(n, 4).and_then(|groups| array(8, n, (n / groups).min(6), 2 * groups)),
            "raidz" | "raidz1" => array(2, 1, 1, 0),
            "raidz2" => array(3, 1, 1, 0),
            "raidz3" => array(4, 1, 1, 0),
            "mirror" => array(2, n, n, 0),
            _ => None,
        }
    }

    /// IOPS that the host sees with all drives busy; `reads` is the share of reads, 0 to 1.
    #[must_use]
    pub fn iops(&self, drive_iops: f64, reads: f64) -> f64 {
        let reads = reads.clamp(0.0, 1.0);
        f64::from(self.lanes) * drive_iops / (reads + self.penalty * (1.0 - reads))
    }

    /// IOPS of reads with `depth` of them in flight: some drives have two to do while others have none.
    ///
    /// About `n * depth / (n + depth - 1)` drives are busy, never more than `min(n, depth)`: a closed
    /// network of `n` equal exponential servers (M. Reiser and S. S. Lavenberg, "Mean-Value Analysis
    /// of Closed Multichain Queuing Networks", Journal of the ACM 27(2), 1980).
    #[must_use]
    pub fn shallow_reads(&self, drive_iops: f64, depth: f64) -> f64 {
        let lanes = f64::from(self.lanes);
        let busy = lanes * depth / (lanes + depth - 1.0).max(1.0);
        busy.min(lanes).min(depth) * drive_iops
    }
}

/// Groups of at least `least` drives that a nested level is made of.
fn groups(drives: u32, least: u32) -> Option<u32> {
    (2..=drives / least).find(|groups| drives.is_multiple_of(*groups))
}

/// Every run of small random I/O on an array against the model, and where its numbers came from.
pub(super) fn points(campaign: &Campaign, options: &AnalyzeOptions) -> (Vec<ModelPoint>, Vec<Diagnostic>) {
    let asked = options.model.unwrap_or(ArrayModel { drives: None, drive_iops: None });
    let mut points = Vec::new();
    let (mut fitting, mut without_drives, mut without_iops) = (0, 0, 0);
    for (index, record) in campaign.runs.iter().enumerate() {
        let run = &record.run;
        let Some(level) = run.value(&Dimension::Raid).filter(|_| is_small_random(run)) else { continue };
        fitting += 1;
        let own = run.value(&Dimension::Drives).and_then(Value::number).filter(|n| (1.0..=1e6).contains(n));
        let Some(drives) = asked.drives.or(own.map(|n| n as u32)) else {
            without_drives += 1;
            continue;
        };
        let Some(array) = Array::of(level.as_str(), drives).filter(|array| !writes_stripes(run, array))
        else {
            continue;
        };
        let single = || single_disk(campaign, run);
        let Some((drive_iops, drive_run)) = asked
            .drive_iops
            .map(|iops| (iops, None))
            .or_else(|| single().map(|(run, iops)| (iops, Some(run))))
            .filter(|(iops, _)| iops.is_finite() && *iops > 0.0)
        else {
            without_iops += 1;
            continue;
        };
        points.extend(measured(index, record, &array, (drive_iops, drive_run)));
    }
    let mut remarks = sources(campaign, &points);
    if options.model.is_some() && points.is_empty() {
        let why = match (fitting, without_drives, without_iops) {
            (0, ..) => "no run states a RAID level and small random I/O (up to 64 KiB)",
            (_, 1.., _) => "the number of drives is not known; name it with --model drives=N",
            (_, _, 1..) => {
                "no run of a single disk tells what a drive does; name it with --model drive-iops=N"
            }
            _ => "no run has a RAID level that the model knows with as many drives",
        };
        let message = format!("the RAID model applies to no run: {why}");
        remarks.push(Diagnostic::new(Severity::Warning, "--model", message));
    }
    (points, remarks)
}

/// Says which runs of a single disk stand for the drives.
fn sources(campaign: &Campaign, points: &[ModelPoint]) -> Vec<Diagnostic> {
    let mut found: BTreeMap<usize, f64> = BTreeMap::new();
    for point in points {
        if let Some(run) = point.drive_run {
            found.insert(run, point.drive_iops);
        }
    }
    found
        .into_iter()
        .filter_map(|(run, iops)| {
            let id = &campaign.runs.get(run)?.run.id;
            let iops = humanize(iops, BaseUnit::PerSecond, UnitSystem::Iec);
            let message = format!("the RAID model takes {iops} IOPS a drive from this run of a single disk");
            Some(Diagnostic::new(Severity::Info, id, message))
        })
        .collect()
}

/// The points of one run, one for each direction.
fn measured(
    index: usize,
    record: &RunRecord,
    array: &Array,
    (drive_iops, drive_run): (f64, Option<usize>),
) -> Vec<ModelPoint> {
    let measured: Vec<(Ddir, f64)> = [Ddir::Read, Ddir::Write]
        .into_iter()
        .filter_map(|ddir| {
            let iops = record.statistic(Measure::mean(Metric::Iops), ddir)?.value;
            (iops.is_finite() && iops > 0.0).then_some((ddir, iops))
        })
        .collect();
    let all: f64 = measured.iter().map(|(_, iops)| iops).sum();
    let reads: f64 =
        measured.iter().filter(|(ddir, _)| *ddir == Ddir::Read).map(|(_, iops)| iops / all).sum();
    let host = array.iops(drive_iops, reads);
    let alone = measured.len() == 1 && reads > 0.0;
    let depth = facts::in_flight(&record.run).filter(|_| alone);
    measured
        .into_iter()
        .map(|(ddir, iops)| {
            let expected = host * (iops / all);
            ModelPoint {
                run: index,
                ddir,
                expected,
                shallow: depth.map(|depth| array.shallow_reads(drive_iops, depth)),
                measured: iops,
                efficiency: iops / expected,
                drives: array.drives,
                drive_iops,
                drive_run,
            }
        })
        .filter(|point| point.expected.is_finite() && point.expected > 0.0)
        .collect()
}

/// Random I/O of at most 64 KiB, reads and writes.
fn is_small_random(run: &Run) -> bool {
    let random = run
        .value(&Dimension::Rw)
        .is_some_and(|rw| ["randread", "randwrite", "randrw"].contains(&rw.as_str()));
    random && facts::block_size(run).is_some_and(|bytes| bytes <= SMALL)
}

/// True for writes that fill a whole stripe, for which no old data or parity is read.
fn writes_stripes(run: &Run, array: &Array) -> bool {
    let writes = run.value(&Dimension::Rw).is_some_and(|rw| rw.as_str() != "randread");
    let chunk = run.value(&Dimension::Chunk).and_then(Value::number);
    match (array.stripe, chunk, facts::block_size(run)) {
        (Some(data), Some(chunk), Some(block)) if writes => block >= chunk * f64::from(data),
        _ => false,
    }
}

/// The run of a single disk that stands for the drives of `run`, and its IOPS; None where none or several could.
///
/// It must have the same workload, block size and kind of I/O, on the same device and host, and
/// be told from all others: where single disks ran at several depths, the one of the same depth.
fn single_disk(campaign: &Campaign, run: &Run) -> Option<(usize, f64)> {
    let alike = |other: &Run| {
        [
            Dimension::Rw,
            Dimension::Bs,
            Dimension::Direct,
            Dimension::Engine,
            Dimension::Device,
            Dimension::Host,
            Dimension::Other("rwmixread".to_owned()),
        ]
        .iter()
        .all(|dimension| other.value(dimension) == run.value(dimension))
    };
    let mut groups: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (index, record) in campaign.runs.iter().enumerate() {
        if is_single(&record.run) && alike(&record.run) {
            groups.entry(configuration(&record.run)).or_default().push(index);
        }
    }
    if groups.len() > 1 {
        let load = |other: &Run| (facts::depth(other), facts::jobs(other));
        groups.retain(|_, runs| {
            runs.iter().filter_map(|&r| campaign.runs.get(r)).all(|r| load(&r.run) == load(run))
        });
    }
    let runs = match groups.len() {
        1 => groups.into_values().next()?,
        _ => return None,
    };
    let iops = |&index: &usize| -> Option<f64> {
        let record = campaign.runs.get(index)?;
        let figures = [Ddir::Read, Ddir::Write].into_iter();
        let figures =
            figures.filter_map(|d| record.statistic(Measure::mean(Metric::Iops), d)).map(|s| s.value);
        Some(figures.sum())
    };
    let all: Vec<f64> = runs.iter().filter_map(iops).filter(|iops| *iops > 0.0).collect();
    (!all.is_empty()).then(|| runs.first().map(|&first| (first, mean(&all)))).flatten()
}

/// True for a run on one drive: it says so by number, or by name and has no RAID level.
fn is_single(run: &Run) -> bool {
    if let Some(drives) = run.value(&Dimension::Drives) {
        return drives.as_str() == "1";
    }
    let words = labels::from_file_stem(&run.label).leftover.to_ascii_lowercase();
    let words: Vec<&str> = words.split('-').collect();
    let named = words.iter().any(|word| ["single", "singledisk", "onedisk", "1disk"].contains(word))
        || words
            .windows(2)
            .any(|pair| ["one", "1"].contains(&pair[0]) && ["disk", "drive"].contains(&pair[1]));
    run.value(&Dimension::Raid).is_none() && named
}

/// What tells a run from all that are not repeats of it: dimensions, place and name.
fn configuration(run: &Run) -> Vec<String> {
    let folder = run.id.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut all = vec![folder.to_owned(), labels::from_file_stem(&run.label).leftover];
    let dimensions = run.dimensions.iter().filter(|(dimension, _)| **dimension != Dimension::Repeat);
    all.extend(dimensions.map(|(dimension, entry)| format!("{dimension}={}", entry.value)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Host IOPS of six drives of 75 IOPS.
    fn six(level: &str, reads: f64) -> Option<f64> {
        Array::of(level, 6).map(|array| array.iops(75.0, reads))
    }

    #[test]
    fn six_drives_of_75_iops_write_as_their_level_allows() {
        let writes = ["0", "10", "1", "5", "6"].map(|level| six(level, 0.0));
        assert_eq!(writes, [Some(450.0), Some(225.0), Some(225.0), Some(112.5), Some(75.0)]);
        let reads = ["0", "10", "5", "6"].map(|level| six(level, 1.0));
        assert_eq!(reads, [Some(450.0); 4]);
    }

    #[test]
    fn a_mixed_load_pays_the_penalty_for_its_writes_alone() {
        // 900 raw IOPS, 16 % writes, RAID 5: 900 / (0.84 + 4 * 0.16) = 900 / 1.48.
        let iops = Array::of("5", 9).map_or(0.0, |array| array.iops(100.0, 0.84));
        assert!((iops - 608.108).abs() < 0.001, "{iops}");
    }

    #[test]
    fn small_groups_write_a_stripe_anew_instead_of_reading_its_parity() {
        let penalty = |level: &str, drives| Array::of(level, drives).map(|array| array.penalty);
        assert_eq!([penalty("5", 3), penalty("5", 4), penalty("5", 12)], [Some(3.0), Some(4.0), Some(4.0)]);
        assert_eq!([penalty("6", 4), penalty("6", 5), penalty("6", 8)], [Some(4.0), Some(5.0), Some(6.0)]);
        // 6 = 2 x 3, 8 = 2 x 4, 9 = 3 x 3, 12 = 2 x 6, 15 = 3 x 5.
        let nested = [6, 8, 9, 12, 15].map(|drives| penalty("50", drives));
        assert_eq!(nested, [Some(3.0), Some(4.0), Some(3.0), Some(4.0), Some(4.0)]);
        assert_eq!([penalty("60", 8), penalty("60", 12)], [Some(4.0), Some(6.0)]);
        assert_eq!([penalty("50", 7), penalty("60", 6), penalty("5", 2), penalty("7", 6)], [None; 4]);
    }

    #[test]
    fn a_raidz_vdev_does_what_one_drive_does_and_a_mirror_reads_with_all() {
        assert_eq!([six("raidz1", 1.0), six("raidz2", 0.0), six("raidz3", 0.5)], [Some(75.0); 3]);
        assert_eq!([six("mirror", 1.0), six("mirror", 0.0)], [Some(450.0), Some(75.0)]);
    }

    #[test]
    fn a_shallow_queue_keeps_some_drives_idle() {
        let busy = |depth| Array::of("0", 6).map_or(0.0, |array| array.shallow_reads(1.0, depth));
        // 6 * 4 / 9, one at depth 1, all six only in the limit.
        assert!((busy(4.0) - 2.667).abs() < 0.001);
        assert_eq!(busy(1.0), 1.0);
        assert!(busy(64.0) < 6.0 && busy(64.0) > 5.5);
    }
}
