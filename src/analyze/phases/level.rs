//! The level of a part of a run, and whether its windows stay at it.
//!
//! In: the windows of a rate. Out: figures that a stall, or the burst that catches up after one,
//! does not move.

use super::CHANGE;
use crate::analyze::distribution::quantile;
use crate::model::Metric;

/// Share of the windows that must lie about a level before they are said to stay at it.
const MOST: f64 = 0.9;

/// Middle half of some windows: the first and the third quartile. None of none.
pub(super) fn middle_half(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some((quantile(&sorted, 0.25)?, quantile(&sorted, 0.75)?))
}

/// The rate that a part is at: the mean where it lies among the middle half of the windows, else their median.
///
/// A mean outside of that half is made by a few windows: 21 windows of which one catches up with 2,100 and the others
/// have 300 have a mean of 386. The mean is kept where it can be, since windows of few I/Os are skewed: half of
/// them lie below it, and it is what the device did. A median of 0 tells nothing of a rate of less than an I/O a window.
pub(super) fn level(values: &[f64]) -> f64 {
    let mean = crate::analyze::repeat::mean(values);
    let median = crate::analyze::repeat::median(values);
    let among = middle_half(values).is_none_or(|(low, high)| (low..=high).contains(&mean));
    if among || median == 0.0 { mean } else { median }
}

/// True when nine windows in ten lie about `level`, so that the rate can be said to stay there.
///
/// About is within the 25 % that would make another level, or what chance does to windows of few I/Os: two standard
/// deviations of a Poisson count, `2 / sqrt(n)`. Bandwidth does not say how many I/Os there were.
pub(super) fn stays(values: &[f64], level: f64, (metric, cell_ms): (Metric, f64)) -> bool {
    let chance = if metric == Metric::Iops { 2.0 / (level * cell_ms / 1000.0).sqrt() } else { 0.0 };
    let band = CHANGE.max(chance) * level;
    let about = values.iter().filter(|v| (**v - level).abs() <= band).count();
    about as f64 >= MOST * values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_or_a_window_that_catches_up_does_not_move_the_level() {
        let with = |odd: &[f64]| level(&[odd, &[300.0; 18]].concat());
        assert_eq!(with(&[2100.0]), 300.0);
        assert_eq!(with(&[900.0, 900.0, 900.0]), 300.0);
        assert_eq!(with(&[0.0, 0.0, 0.0]), 300.0);
        // As a log of fio has it: 121 and 107 I/Os in 100 ms after a stall, then 30 each.
        assert_eq!(level(&[&[1210.0, 1070.0], &[300.0; 10][..]].concat()), 300.0);
    }

    #[test]
    fn windows_that_scatter_have_their_mean_for_a_level() {
        // By hand: the sum is 74,948 over eight rows; quartiles (R, type 7) 4084 and 13,258.
        let rows = [2936.0, 3370.0, 4322.0, 7967.0, 16_656.0, 12_272.0, 16_217.0, 11_208.0];
        assert_eq!(level(&rows), 9368.5);
        // One I/O in every fifth window of a second: no window has the rate, and 0 is wrong.
        assert_eq!(level(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), 0.2);
    }

    #[test]
    fn windows_stay_at_a_level_when_nine_in_ten_lie_about_it() {
        let iops = (Metric::Iops, 1000.0);
        let with = |far: usize| [vec![1000.0; far], vec![300.0; 20 - far]].concat();
        assert!(stays(&with(2), 300.0, iops) && !stays(&with(3), 300.0, iops));
        let alternating: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 200.0 } else { 400.0 }).collect();
        assert!(!stays(&alternating, 300.0, iops));
        // 16 I/Os a window: chance alone allows 2 / sqrt(16) = 50 %, which bandwidth does not know.
        let few = [vec![9.0; 10], vec![23.0; 10]].concat();
        assert!(stays(&few, 16.0, iops) && !stays(&few, 16.0, (Metric::Bw, 1000.0)));
    }
}
