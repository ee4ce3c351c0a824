//! Log-linear histograms in fio's own bucket layout.
//!
//! Source: fio `stat.h` (FIO_IO_U_PLAT_BITS = 6): values below 128 have a bucket
//! each, above that every octave has 64 sub-buckets, so that a bucket is at
//! most 1.6 % wide.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Sub-buckets in an octave, as a power of two.
const BITS: u32 = 6;

/// Bucket of the largest value.
const LAST: u32 = ((u64::BITS - BITS + 1) << BITS) - 1;

/// The bucket that holds `value` (ns).
#[must_use]
pub fn bucket_of(value: u64) -> u32 {
    let msb = 63 - (value | 1).leading_zeros();
    if msb <= BITS {
        return value as u32;
    }
    let shift = msb - BITS;
    ((shift + 1) << BITS) + ((value >> shift) & ((1 << BITS) - 1)) as u32
}

/// The values `[low, high)` that bucket `index` holds (ns).
#[must_use]
pub fn bucket_bounds(index: u32) -> (u64, u64) {
    if index < 2 << BITS {
        return (u64::from(index), u64::from(index) + 1);
    }
    // No value has a bucket beyond that of the largest.
    let index = index.min(LAST);
    let shift = (index >> BITS) - 1;
    let low = (1u64 << (shift + BITS)) + (u64::from(index & ((1 << BITS) - 1)) << shift);
    (low, low.saturating_add(1u64 << shift))
}

/// The bucket (ns) for what fio 2 counted in its bucket `index`, which holds microseconds.
///
/// Buckets of a single microsecond stand for that, wider ones for their middle, as fio prints them.
#[must_use]
pub fn bucket_of_usec(index: u32) -> u32 {
    let (low, high) = bucket_bounds(index);
    bucket_of((low + (high - low) / 2).saturating_mul(1000))
}

/// Counts of values (ns) by bucket; sparse.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Buckets with a count, in ascending order.
    counts: Vec<(u32, u64)>,
}

impl Histogram {
    /// Counts `n` more values in the bucket of `value`.
    pub fn record(&mut self, value: u64, n: u64) {
        self.record_bucket(bucket_of(value), n);
    }

    /// Counts `n` more values in bucket `index`.
    pub fn record_bucket(&mut self, index: u32, n: u64) {
        if n == 0 {
            return;
        }
        match self.counts.binary_search_by_key(&index, |&(index, _)| index) {
            Ok(at) => self.counts[at].1 = self.counts[at].1.saturating_add(n),
            Err(at) => self.counts.insert(at, (index, n)),
        }
    }

    /// Counts what others have counted: buckets in ascending order, each once and with a count.
    pub(crate) fn record_buckets(&mut self, more: &[(u32, u64)]) {
        debug_assert!(more.is_sorted_by(|(a, _), (b, _)| a < b) && more.iter().all(|&(_, n)| n > 0));
        if self.counts.is_empty() {
            self.counts.extend_from_slice(more);
            return;
        }
        let own = std::mem::take(&mut self.counts);
        self.counts.reserve(own.len().max(more.len()));
        let (mut own, mut more) = (own.as_slice(), more);
        while let (Some((first, own_rest)), Some((other, more_rest))) =
            (own.split_first(), more.split_first())
        {
            match first.0.cmp(&other.0) {
                Ordering::Less => self.counts.push(*first),
                Ordering::Greater => self.counts.push(*other),
                Ordering::Equal => self.counts.push((first.0, first.1.saturating_add(other.1))),
            }
            (own, more) = match first.0.cmp(&other.0) {
                Ordering::Less => (own_rest, more),
                Ordering::Greater => (own, more_rest),
                Ordering::Equal => (own_rest, more_rest),
            };
        }
        self.counts.extend_from_slice(own);
        self.counts.extend_from_slice(more);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        self.record_buckets(&other.counts);
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |sum, &(_, n)| sum.saturating_add(n))
    }

    /// Buckets with a count.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True when nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Buckets with a count, in ascending order.
    pub fn buckets(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.counts.iter().copied()
    }

    /// The value at `quantile` (0..=1) by nearest rank, `ceil(n p)`, as its bucket's midpoint; None when empty.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<f64> {
        let n = self.count();
        if n == 0 {
            return None;
        }
        let rank = ((n as f64 * quantile).ceil() as u64).clamp(1, n);
        let mut seen = 0;
        for &(index, count) in &self.counts {
            seen = count.saturating_add(seen);
            if seen >= rank {
                let (low, high) = bucket_bounds(index);
                // Buckets one wide hold exactly their lower bound.
                return Some(if high - low == 1 { low as f64 } else { (low as f64 + high as f64) / 2.0 });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_fios_layout() {
        // fio's plat_val_to_idx worked by hand: msb 7 -> error bits 1, base 128, offset (128>>1)&63 = 0.
        assert_eq!(bucket_of(0), 0);
        assert_eq!(bucket_of(127), 127);
        assert_eq!(bucket_of(128), 128);
        assert_eq!(bucket_of(129), 128);
        assert_eq!(bucket_of(130), 129);
        assert_eq!(bucket_of(256), 192);
        assert_eq!(bucket_bounds(128), (128, 130));
        assert_eq!(bucket_bounds(192), (256, 260));
    }

    #[test]
    fn buckets_of_microseconds_stand_for_their_middle() {
        // 0 and 42 us have buckets of their own; bucket 128 holds 128 and 129 us.
        for (index, ns) in [(0, 0), (42, 42_000), (128, 129_000), (192, 258_000)] {
            assert_eq!(bucket_of_usec(index), bucket_of(ns), "{index}");
        }
    }

    #[test]
    fn the_largest_value_has_the_last_bucket() {
        assert_eq!(bucket_of(u64::MAX), LAST);
        assert_eq!(bucket_bounds(u32::MAX), bucket_bounds(LAST));
    }

    #[test]
    fn every_value_lies_in_its_bucket() {
        for shift in 0..63 {
            for delta in [0, 1, 3] {
                let value = (1u64 << shift) + delta;
                let (low, high) = bucket_bounds(bucket_of(value));
                assert!(low <= value && value < high, "{value} in [{low}, {high})");
                assert!((high - low) as f64 <= (low as f64 / 64.0).max(1.0));
            }
        }
    }

    #[test]
    fn merging_counts_each_bucket_of_both_once() {
        let of = |counts: &[(u32, u64)]| {
            let mut histogram = Histogram::default();
            for &(bucket, n) in counts {
                histogram.record_bucket(bucket, n);
            }
            histogram
        };
        // In any order, with buckets before, between, behind and in both.
        let (one, other) =
            (of(&[(9, 1), (5, 2), (7, 4), (5, 8)]), of(&[(12, 1), (1, 16), (7, 32), (8, u64::MAX)]));
        let mut both = one.clone();
        both.merge(&other);
        let expected = [(1, 16), (5, 10), (7, 36), (8, u64::MAX), (9, 1), (12, 1)];
        assert!(both.buckets().eq(expected));
        let mut back = other.clone();
        back.merge(&one);
        assert_eq!(back, both);
        both.merge(&other);
        assert_eq!(both.buckets().nth(3), Some((8, u64::MAX)));
    }

    #[test]
    fn quantile_takes_the_nearest_rank() {
        let mut histogram = Histogram::default();
        for value in 1..=100 {
            histogram.record(value, 1);
        }
        assert_eq!(histogram.quantile(0.5), Some(50.0));
        assert_eq!(histogram.quantile(0.99), Some(99.0));
        assert_eq!(histogram.quantile(0.0), Some(1.0));
        assert_eq!(histogram.quantile(1.0), Some(100.0));
        assert_eq!(Histogram::default().quantile(0.5), None);
    }
}
