//! Rows of a span as columns: their sums, and the buckets of their values.
//!
//! Goes in: columns of numbers, some rows of which are meant. Comes out: [`Sums`] of a direction and a bucket a row, by loops
//! that compilers make vectors of.

use crate::ingest::fio_log::batch::ROWS;
use crate::ingest::fio_log::collect::Scale;
use crate::ingest::fio_log::row::DIRECTIONS;
use crate::model::bucket_of;

/// Values from here on are squared one by one, with more bits.
const SQUARABLE: u64 = 1 << 28;

/// Running sums that do not wait for each other.
pub(super) const LANES: usize = 8;

/// A row that is none of those wanted.
pub(super) const NONE: u8 = DIRECTIONS.len() as u8;

/// The rows of a direction within a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    pub(super) count: u64,
    pub(super) sum: u128,
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) bytes: u64,
    pub(super) squares: u128,
}

/// Some rows, as many in each column, a multiple of [`LANES`] and a span at most: `direction` is [`NONE`] where a
/// row is not meant.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub(super) value: &'a [u64],
    pub(super) bytes: &'a [u64],
    pub(super) direction: &'a [u8],
}

impl Columns<'_> {
    /// Sums over the rows of a direction, in base units.
    #[inline(always)]
    pub(super) fn sums(&self, direction: u8, scale: Scale) -> Sums {
        let (mut count, mut bytes) = ([0u64; LANES], [0u64; LANES]);
        let (mut sum, mut least, mut most, mut squares) =
            ([0u64; LANES], [i64::MAX; LANES], [0i64; LANES], [0u64; LANES]);
        let latency = scale.is_latency();
        let groups = self.value.as_chunks::<LANES>().0.iter();
        let groups = groups.zip(self.bytes.as_chunks::<LANES>().0).zip(self.direction.as_chunks::<LANES>().0);
        if latency {
            for ((values, sizes), directions) in groups {
                for lane in 0..LANES {
                    let wanted = u64::from(directions[lane] == direction).wrapping_neg();
                    let value = values[lane] & wanted;
                    count[lane] = count[lane].wrapping_sub(wanted);
                    bytes[lane] += sizes[lane] & wanted;
                    sum[lane] += value;
                    // A row holds less than 2^63, so that signed numbers, which processors compare faster, do; what is
                    // not wanted may hold anything.
                    most[lane] = most[lane].max(value as i64);
                    least[lane] = least[lane].min((value | (!wanted >> 1)) as i64);
                    let low = value & 0xffff_ffff;
                    squares[lane] = squares[lane].wrapping_add(low * low);
                }
            }
        } else {
            // Of each a loop of its own, which a compiler makes vectors of as the rows stand.
            count[0] = self.direction.iter().map(|own| u64::from(*own == direction)).sum();
            let own = self
                .bytes
                .iter()
                .zip(self.direction)
                .map(|(size, own)| size & u64::from(*own == direction).wrapping_neg());
            bytes[0] = own.sum();
            least = [0; LANES];
        }
        let least = least.into_iter().min().unwrap_or(0) as u64;
        let most = most.into_iter().max().unwrap_or(0) as u64;
        let (count, bytes) = (count.into_iter().sum(), bytes.into_iter().sum());
        let factor = scale.factor;
        let scaled = |value: u64| value.saturating_mul(factor);
        let (sum, squares) = if most < SQUARABLE {
            let (factor, sum, squares) =
                (u128::from(factor), sum.into_iter().sum::<u64>(), squares.into_iter().sum::<u64>());
            (u128::from(sum) * factor, u128::from(squares) * factor * factor)
        } else {
            let wanted = self.value.iter().zip(self.direction).filter(|(_, own)| **own == direction);
            wanted.map(|(&value, _)| u128::from(scaled(value))).fold((0, 0u128), |(sum, squares), value| {
                (sum + value, squares.saturating_add(value * value))
            })
        };
        if latency {
            Sums { count, sum, least: scaled(least), most: scaled(most), bytes, squares }
        } else {
            Sums { count, sum: 0, least: 0, most: 0, bytes, squares: 0 }
        }
    }

    /// The bucket of each value, in base units.
    #[inline(always)]
    pub(super) fn buckets(&self, factor: u64) -> [u32; ROWS] {
        let mut buckets = [0; ROWS];
        let any = self.value.iter().fold(0, |any, value| any | value);
        // No factor is above 10^6, below 2^20: the product is exact as a floating-point number.
        if any >> 32 == 0 {
            let factor = factor & 0xffff_ffff;
            for (bucket, &value) in buckets.iter_mut().zip(self.value) {
                *bucket = bucket_of_exact((value & 0xffff_ffff) * factor);
            }
        } else {
            for (bucket, &value) in buckets.iter_mut().zip(self.value) {
                *bucket = bucket_of(value.saturating_mul(factor));
            }
        }
        buckets
    }
}

/// [`bucket_of`] for values below 2^52, without a branch or a count of bits: a floating-point number holds the octave
/// in its exponent and the sub-bucket in the first bits of its fraction.
#[inline(always)]
fn bucket_of_exact(value: u64) -> u32 {
    /// 2^52, whose last bit is worth 1.
    const UNIT: u64 = 0x4330_0000_0000_0000;
    /// Sub-buckets of an octave, and the exponent of 2^0 less the octaves that have fewer of them.
    const BITS: u32 = 6;
    const FIRST: u64 = (1023 + 5) << BITS;
    let float = f64::from_bits(value | UNIT) - f64::from_bits(UNIT);
    let bucket = (float.to_bits() >> (52 - BITS)).wrapping_sub(FIRST);
    (if value < 1 << BITS { value } else { bucket }) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn floating_point_finds_the_same_bucket(value in 0u64..1 << 52, shift in 0u32..52) {
            prop_assert_eq!(bucket_of_exact(value >> shift), bucket_of(value >> shift));
        }
    }

    #[test]
    fn the_buckets_at_the_ends_of_octaves_are_the_same() {
        for shift in 0..52 {
            for value in [(1u64 << shift) - 1, 1 << shift, (1 << shift) + 1] {
                assert_eq!(bucket_of_exact(value), bucket_of(value), "{value}");
            }
        }
    }
}
