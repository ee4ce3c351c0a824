//! From the figures of one direction to summaries in base units.
//!
//! In: a [`Direction`]. Out: one summary for each metric that fio measured, in no direction and of no
//! job yet. fio writes zeros for what it did not measure; those are absent here.

use super::document::{Direction, Document, Latency};
use super::value::Number;
use crate::model::{Ddir, Histogram, Metric, Summary, bucket_of_usec};

/// Bytes that a direction moved. `io_bytes` holds KiB up to fio 2.20 and bytes since the key
/// `io_kbytes` exists (fio 2.21).
pub(super) fn moved_bytes(document: &Document, direction: &Direction) -> Option<u64> {
    let amount = direction.io_bytes.count()?;
    let since_2_21 = direction.io_kbytes.count().is_some()
        || document.plain_version().and_then(release).is_some_and(|v| v >= (2, 21));
    Some(if since_2_21 { amount } else { amount.saturating_mul(1024) })
}

/// Major and minor number of a version: `2.18-59-g618e` is (2, 18).
fn release(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0)))
}

/// Bandwidth and IOPS. fio takes their spread from samples of its own (500 ms by default):
/// without samples there is no spread.
pub(super) fn rates(direction: &Direction, bytes: Option<u64>, summaries: &mut Vec<Summary>) {
    let kib = |n: f64| n * 1024.0;
    let measured = || Some(bytes? as f64 * 1000.0 / direction.runtime.figure().filter(|&ms| ms > 0.0)?);
    let bw = direction
        .bw_bytes
        .figure()
        // Whole KiB/s: a rate below one reads 0.
        .or_else(|| direction.bw.figure().filter(|&bw| bw > 0.0).map(kib))
        .or_else(measured);
    if bw.is_some() {
        let samples = direction.bw_samples.count();
        let sampled = samples.unwrap_or(0) > 0
            || (samples.is_none() && direction.bw_max.figure().is_some_and(|max| max > 0.0));
        let spread = |n: Number| n.figure().filter(|_| sampled).map(kib);
        summaries.push(Summary {
            mean: bw,
            min: spread(direction.bw_min),
            max: spread(direction.bw_max),
            stddev: spread(direction.bw_dev),
            count: samples.filter(|&n| n > 0),
            ..Summary::new(Metric::Bw, Ddir::Mixed, None)
        });
    }
    if let Some(iops) = direction.iops.figure() {
        let samples = direction.iops_samples.count().filter(|&n| n > 0);
        let spread = |n: Number| n.figure().filter(|_| samples.is_some());
        summaries.push(Summary {
            mean: Some(iops),
            min: spread(direction.iops_min),
            max: spread(direction.iops_max),
            stddev: spread(direction.iops_stddev),
            count: samples,
            ..Summary::new(Metric::Iops, Ddir::Mixed, None)
        });
    }
}

/// The kinds of latency that fio measured.
pub(super) fn latencies(document: &Document, direction: &Direction, summaries: &mut Vec<Summary>) {
    let kinds = [
        (Metric::Lat, &direction.lat_ns, &direction.lat_us),
        (Metric::Clat, &direction.clat_ns, &direction.clat_us),
        (Metric::Slat, &direction.slat_ns, &direction.slat_us),
    ];
    for (metric, ns, us) in kinds {
        if let Some((latency, keys)) = in_its_unit(document, ns.as_deref(), us.as_deref()) {
            summaries.extend(latency_summary(metric, latency, keys, direction.total_ios.count()));
        }
    }
}

/// The latency of `fsync` and its kin (`sync`, since fio 3.4). Their number is `N`, since fio 3.18; `total_ios` stands for
/// it before, and is 0 beside it later [fio 3.33].
pub(super) fn syncs(document: &Document, section: &Direction) -> Option<Summary> {
    let (latency, keys) = in_its_unit(document, section.lat_ns.as_deref(), section.lat_us.as_deref())?;
    latency_summary(Metric::Fsync, latency, keys, section.total_ios.count().filter(|&n| n > 0))
}

/// A kind of latency with the keys of its bins. The key's suffix is the unit: `_ns` since fio 2.99, none for microseconds.
fn in_its_unit<'a>(
    document: &Document,
    ns: Option<&'a Latency>,
    us: Option<&'a Latency>,
) -> Option<(&'a Latency, BinKeys)> {
    let version = || document.plain_version().and_then(release);
    match (ns, us) {
        (Some(latency), _) => Some((latency, BinKeys::Nanoseconds)),
        (None, Some(latency)) if version().is_some_and(|v| v < (2, 20)) => {
            Some((latency, BinKeys::UsecIndex))
        }
        (None, Some(latency)) => Some((latency, BinKeys::Microseconds)),
        (None, None) => None,
    }
}

/// The summary of one kind of latency; None when fio did not measure it and wrote zeros.
fn latency_summary(metric: Metric, latency: &Latency, keys: BinKeys, ios: Option<u64>) -> Option<Summary> {
    let scale = if keys == BinKeys::Nanoseconds { 1.0 } else { 1000.0 };
    let unmeasured = match latency.n.count() {
        Some(n) => n == 0,
        None => latency.max.figure().unwrap_or(0.0) == 0.0 && latency.mean.figure().unwrap_or(0.0) == 0.0,
    };
    if unmeasured {
        return None;
    }
    let scaled = |n: Number| n.figure().map(|n| n * scale);
    Some(Summary {
        count: latency.n.count().or(ios),
        min: scaled(latency.min),
        max: scaled(latency.max),
        mean: scaled(latency.mean),
        stddev: scaled(latency.stddev),
        percentiles: percentiles(latency, scale),
        histogram: histogram(latency, keys),
        ..Summary::new(metric, Ddir::Mixed, None)
    })
}

/// Percentiles in ascending order; key 0 is padding, the last of equal keys wins.
fn percentiles(latency: &Latency, scale: f64) -> Vec<(f64, f64)> {
    let known = latency.percentiles.0.iter().filter(|(key, _)| *key > 0.0 && *key <= 100.0);
    let figure = |(key, value): &(f64, Number)| Some((*key, value.figure()? * scale));
    // Thousands of runs keep theirs: no more room than they take.
    let mut by_key: Vec<(f64, f64)> = Vec::with_capacity(latency.percentiles.0.len());
    by_key.extend(known.filter_map(figure));
    // fio writes them in order; of equal keys the last comes first here.
    if !by_key.is_sorted_by(|(a, _), (b, _)| a < b) {
        by_key.reverse();
        by_key.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        by_key.dedup_by_key(|(key, _)| *key);
    }
    for (key, _) in &mut by_key {
        *key /= 100.0;
    }
    by_key
}

/// What the keys of `bins` are. The unit is that of the figures beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BinKeys {
    /// The value in the middle of each bucket, from fio 2.99 on.
    Nanoseconds,
    /// The same in microseconds, fio 2.20 and 2.21.
    Microseconds,
    /// Numbers of buckets of microseconds, all 1216 of them, up to fio 2.19.
    UsecIndex,
}

/// The bins of `json+`.
fn histogram(latency: &Latency, keys: BinKeys) -> Option<Histogram> {
    /// More I/Os than any run makes: a sum beyond it comes from a broken file.
    const MOST: u64 = 1 << 53;
    let mut histogram = Histogram::default();
    let mut total = 0u64;
    for (value, count) in &latency.bins.0 {
        let count = count.count().filter(|&n| n > 0 && *value >= 0.0);
        let Some(count) = count else { continue };
        total = total.checked_add(count).filter(|&total| total <= MOST)?;
        let value = *value as u64;
        match keys {
            BinKeys::Nanoseconds => histogram.record(value, count),
            BinKeys::Microseconds => histogram.record(value.saturating_mul(1000), count),
            BinKeys::UsecIndex => {
                histogram.record_bucket(bucket_of_usec(u32::try_from(value).unwrap_or(u32::MAX)), count);
            }
        }
    }
    (!histogram.is_empty()).then_some(histogram)
}

/// Numbers of a direction that are no figures.
pub(super) fn wild_figures(direction: &Direction) -> u64 {
    let d = direction;
    let rates = [d.io_bytes, d.bw_bytes, d.bw, d.iops, d.runtime, d.total_ios, d.bw_min, d.bw_max, d.bw_mean];
    let spread = [d.bw_dev, d.iops_min, d.iops_max, d.iops_stddev];
    let latencies = [&d.slat_ns, &d.clat_ns, &d.lat_ns, &d.slat_us, &d.clat_us, &d.lat_us];
    let latencies = latencies.into_iter().flatten().flat_map(|l| [l.min, l.max, l.mean, l.stddev]);
    rates.into_iter().chain(spread).chain(latencies).filter(|number| number.is_wild()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(release("2.18-59-g618e"), Some((2, 18)));
        assert_eq!(release("3.33"), Some((3, 33)));
        assert_eq!(release("3"), Some((3, 0)));
        assert_eq!(release("dirty"), None);
    }
}
