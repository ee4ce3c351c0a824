//! Tests and intervals for small samples of whole runs.
//!
//! Ratios are compared on the log scale with Welch's test: variances of two
//! configurations are never assumed equal. A difference counts when it is
//! larger than a practical threshold, not when it is merely not zero.

use crate::analyze::repeat::{mean, median, stddev};
use crate::model::Verdict;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Relative step in which a figure is known at best: a clock that counts ms tells 10 s in 10,000 of them.
const STEP: f64 = 1e-4;

/// The ratio of two configurations' means, with what the repeats say about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioTest {
    /// Geometric mean of `a` over that of `b`.
    pub ratio: f64,
    /// 95 % confidence interval of the ratio (Welch, log scale); None when a side has a single run.
    pub interval: Option<(f64, f64)>,
    /// 90 % confidence interval, for the question whether the ratio lies inside the threshold.
    pub inner: Option<(f64, f64)>,
    /// p against the hypothesis that the ratio lies within the threshold of 1.
    pub p: Option<f64>,
}

/// Compares `a` with `b`: figures of single runs, all above zero.
///
/// `threshold` is the relative difference that matters, 0.05 for 5 %. The
/// hypothesis that is tested is `|ln ratio| <= ln(1 + threshold)`; its p is the
/// largest over that range, `P(T >= (|d| - delta) / se) + P(T <= -(|d| + delta) / se)`
/// with Welch-Satterthwaite degrees of freedom (Welch 1947; Schuirmann 1987 for
/// the threshold). A side varies by no less than its figures are rounded by: 1 where all are whole numbers, a
/// ten-thousandth of them at least.
/// None when a side is empty or holds a figure that is not above zero.
#[must_use]
pub fn ratio(a: &[f64], b: &[f64], threshold: f64) -> Option<RatioTest> {
    let logs = |values: &[f64]| -> Option<Vec<f64>> {
        let positive = !values.is_empty() && values.iter().all(|v| *v > 0.0 && v.is_finite());
        positive.then(|| values.iter().map(|v| v.ln()).collect())
    };
    let least = (rounding(a), rounding(b));
    let (a, b) = (logs(a)?, logs(b)?);
    let difference = mean(&a) - mean(&b);
    let mut test = RatioTest { ratio: difference.exp(), interval: None, inner: None, p: None };
    let (Some(sa), Some(sb)) = (stddev(&a), stddev(&b)) else { return Some(test) };
    let (va, vb) = ((sa * sa).max(least.0) / a.len() as f64, (sb * sb).max(least.1) / b.len() as f64);
    let error = (va + vb).sqrt();
    let delta = (1.0 + threshold).ln();
    let freedom = (va + vb).powi(2) / (va * va / (a.len() - 1) as f64 + vb * vb / (b.len() - 1) as f64);
    let Ok(t) = StudentsT::new(0.0, 1.0, freedom) else { return Some(test) };
    let around = |p: f64| {
        let half = t.inverse_cdf(p) * error;
        ((difference - half).exp(), (difference + half).exp())
    };
    test.interval = Some(around(0.975));
    test.inner = Some(around(0.95));
    let beyond = t.sf((difference.abs() - delta) / error) + t.cdf(-(difference.abs() + delta) / error);
    test.p = Some(beyond.min(1.0));
    Some(test)
}

/// Variance of figures on the log scale that their last digit alone makes: that of a uniform error of one step, a
/// twelfth of its square.
///
/// Repeats that agree to the last digit are known no better than to that digit: the step is 1 where all are whole
/// numbers (100 and 100 IOPS may be 99.6 and 100.4), and [`STEP`] at least.
fn rounding(figures: &[f64]) -> f64 {
    let whole = figures.iter().all(|v| v.fract() == 0.0);
    let step = if whole { (1.0 / mean(figures)).max(STEP) } else { STEP };
    step * step / 12.0
}

/// What a test says about its first side, with the p that Holm's procedure left.
///
/// Better or worse when the adjusted p is below 0.05; no difference when the
/// 90 % interval lies inside the threshold; else inconclusive.
#[must_use]
pub fn verdict(test: &RatioTest, p_adjusted: Option<f64>, threshold: f64, higher_is_better: bool) -> Verdict {
    let (Some((low, high)), Some(p)) = (test.inner, p_adjusted) else { return Verdict::Inconclusive };
    if p < 0.05 {
        return if (test.ratio > 1.0) == higher_is_better { Verdict::Better } else { Verdict::Worse };
    }
    if low >= 1.0 / (1.0 + threshold) && high <= 1.0 + threshold {
        return Verdict::NoDifference;
    }
    Verdict::Inconclusive
}

/// What a rate of `a` is against that of `b` where one of them moved nothing in any repeat, so that no ratio says it.
///
/// Nobody doubts that repeats which all did something did more than those that did nothing, whatever they did; and that
/// two of nothing are the same. None where another side holds a 0 among others, and for single runs.
#[must_use]
pub fn idle(a: &[f64], b: &[f64]) -> Option<Verdict> {
    let all = |values: &[f64], test: fn(f64) -> bool| values.len() > 1 && values.iter().all(|v| test(*v));
    let (idle, busy) = (|v| all(v, |v| v == 0.0), |v| all(v, |v| v > 0.0));
    if idle(a) && idle(b) {
        return Some(Verdict::NoDifference);
    }
    let (better, worse) = (busy(a) && idle(b), idle(a) && busy(b));
    better.then_some(Verdict::Better).or(worse.then_some(Verdict::Worse))
}

/// Holm's step-down adjustment: each p times the number of hypotheses not yet rejected, never falling (Holm 1979).
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut largest = 0.0f64;
    for (rank, index) in order.into_iter().enumerate() {
        largest = largest.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// Two-sided p of the Mann-Whitney test, exact: the share of all arrangements of the ranks that are as far out.
///
/// Ties take middle ranks. At 3 against 3 it cannot fall below 0.1, at 4
/// against 4 not below 0.029. None when a side is empty or together they hold
/// more than 24 values, where nobody needs it exact.
#[must_use]
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    let (n, total) = (a.len(), a.len() + b.len());
    if a.is_empty() || b.is_empty() || total > 24 {
        return None;
    }
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    // Twice the middle rank, so that ranks are whole numbers.
    let rank = |value: f64| {
        let below = all.iter().filter(|v| **v < value).count();
        let equal = all.iter().filter(|v| **v == value).count();
        2 * below + equal + 1
    };
    let ranks: Vec<usize> = all.iter().map(|v| rank(*v)).collect();
    let observed: usize = ranks[..n].iter().sum();
    // ways[k][s]: choices of k of the ranks with sum s.
    let largest: usize = ranks.iter().sum();
    let mut ways = vec![vec![0u64; largest + 1]; n + 1];
    ways[0][0] = 1;
    for &rank in &ranks {
        for k in (1..=n).rev() {
            for sum in (rank..=largest).rev() {
                ways[k][sum] += ways[k - 1][sum - rank];
            }
        }
    }
    let middle = n * (total + 1); // Twice the expected rank sum.
    let out = observed.abs_diff(middle);
    let count = |far: bool| -> u64 {
        ways[n]
            .iter()
            .enumerate()
            .filter(|(sum, _)| !far || sum.abs_diff(middle) >= out)
            .map(|(_, w)| *w)
            .sum()
    };
    Some(count(true) as f64 / count(false) as f64)
}

/// Distribution-free 95 % interval of the median from order statistics; None below six values.
#[must_use]
pub fn median_interval(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len();
    if n < 6 {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // The largest k with P(Binomial(n, 1/2) < k) <= 0.025.
    let (mut below, mut choose, mut k) = (0.0, 0.5f64.powi(i32::try_from(n).ok()?), 0);
    while below + choose <= 0.025 {
        below += choose;
        choose *= (n - k) as f64 / (k + 1) as f64;
        k += 1;
    }
    (k > 0).then(|| (sorted[k - 1], sorted[n - k]))
}

/// Least-squares line `y = intercept + slope * x`; None below two distinct x.
#[must_use]
pub fn least_squares(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    (sxx > 0.0).then(|| (my - sxy / sxx * mx, sxy / sxx))
}

/// A repeat that stands apart from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// Its place among the repeats.
    pub index: usize,
    /// Distance from the median, as a share of the median.
    pub share: f64,
    /// Modified z; infinite where most repeats are equal.
    pub z: f64,
}

/// The repeats that stand apart: more than 10 % from the median, and a modified z above 3.
///
/// Modified z is `0.6745 * |x - median| / MAD` (Iglewicz and Hoaglin 1993, who take 3.5; 3 still labels one of
/// three repeats that is far out). Below three values nothing stands apart.
#[must_use]
pub fn outliers(values: &[f64]) -> Vec<Outlier> {
    if values.len() < 3 {
        return Vec::new();
    }
    let center = median(values);
    let deviations: Vec<f64> = values.iter().map(|v| (v - center).abs()).collect();
    let mad = median(&deviations);
    let all = deviations.iter().enumerate().map(|(index, &deviation)| Outlier {
        index,
        share: deviation / center.abs(),
        z: if mad > 0.0 { 0.6745 * deviation / mad } else { f64::INFINITY },
    });
    all.filter(|o| o.share > 0.10 && o.z > 3.0).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-4 * b.abs().max(1e-3), "{a} against {b}");
    }

    #[test]
    fn repeats_that_agree_to_the_last_digit_are_known_to_that_digit() {
        // Steps of 1e-4: error 1e-4 / sqrt(12) = 2.8868e-5 at two against two, with 2 degrees of freedom, where
        // P(T > t) = (1 - t / sqrt(2 + t^2)) / 2, nearly 1 / (2 t^2). t = (ln(150.5 / 100.5) -+ ln 1.05) / error is 12,298
        // and 15,678: 3.306e-9 + 2.034e-9.
        let test = ratio(&[150.5, 150.5], &[100.5, 100.5], 0.05).unwrap();
        near(test.p.unwrap() * 1e9, 5.340);
        assert_eq!(verdict(&test, test.p, 0.05, true), Verdict::Better);
        // Whole numbers: a step of 1 in 1,000 is ten times that; half the interval is 4.302653 * 2.8868e-4.
        let (low, high) = ratio(&[1000.0, 1000.0], &[1000.0, 1000.0], 0.05).unwrap().interval.unwrap();
        near(low, (-0.001_242_09f64).exp());
        near(high, 0.001_242_09f64.exp());
        // What repeats vary by is not added to: 4.302653 * ln(24 / 22) / sqrt(2) = 0.26473.
        near(ratio(&[22.0, 24.0], &[22.0, 24.0], 0.05).unwrap().interval.unwrap().1, 1.303_07);
    }

    #[test]
    fn the_interval_of_a_ratio_matches_scipy() {
        // SciPy: ttest_ind(log(a), log(b), equal_var=False) with confidence_interval(0.95).
        let (a, b) = ([100.0, 102.0, 98.0], [50.0, 51.0, 52.0]);
        let test = ratio(&a, &b, 0.05).unwrap();
        near(test.ratio, 1.960_774_2);
        let (low, high) = test.interval.unwrap();
        near(low, 1.874_663_1);
        near(high, 2.050_840_7);
        assert!(test.p.unwrap() < 1e-4);
        assert_eq!(verdict(&test, test.p, 0.05, true), Verdict::Better);
        assert_eq!(verdict(&test, test.p, 0.05, false), Verdict::Worse);
    }

    #[test]
    fn equal_repeats_show_no_difference_and_noisy_ones_decide_nothing() {
        let same = ratio(&[100.0, 101.0, 99.0, 100.5], &[100.0, 99.5, 100.5, 100.2], 0.05).unwrap();
        assert_eq!(verdict(&same, same.p, 0.05, true), Verdict::NoDifference);
        let noisy = ratio(&[100.0, 140.0, 80.0], &[100.0, 90.0, 120.0], 0.05).unwrap();
        assert_eq!(verdict(&noisy, noisy.p, 0.05, true), Verdict::Inconclusive);
        let single = ratio(&[200.0], &[100.0, 100.0, 101.0], 0.05).unwrap();
        assert_eq!(single.interval, None);
        assert_eq!(verdict(&single, single.p, 0.05, true), Verdict::Inconclusive);
    }

    #[test]
    fn holm_matches_r() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") = 0.03 0.06 0.06 0.02
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (value, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            near(*value, expected);
        }
    }

    #[test]
    fn mann_whitney_has_the_floors_that_small_samples_have() {
        // R: wilcox.test(1:3, 4:6)$p.value = 0.1; (1:4, 5:8) = 0.02857143; (c(1,4,5), c(2,3,6)) = 1.
        near(mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap(), 0.1);
        near(mann_whitney(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]).unwrap(), 0.028_571_43);
        near(mann_whitney(&[1.0, 4.0, 5.0], &[2.0, 3.0, 6.0]).unwrap(), 1.0);
    }

    #[test]
    fn a_median_has_an_interval_from_six_values_on() {
        assert_eq!(median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]), None);
        // P(Bin(6, .5) = 0) = 1/64 <= 0.025: the extremes. At ten the second and the ninth.
        assert_eq!(median_interval(&[3.0, 1.0, 2.0, 6.0, 5.0, 4.0]), Some((1.0, 6.0)));
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(median_interval(&ten), Some((2.0, 9.0)));
    }

    #[test]
    fn a_line_is_fitted_as_r_fits_it() {
        // R: lm(c(2, 4, 5, 4, 5) ~ c(1, 2, 3, 4, 5)): intercept 2.2, slope 0.6.
        let (intercept, slope) =
            least_squares(&[(1.0, 2.0), (2.0, 4.0), (3.0, 5.0), (4.0, 4.0), (5.0, 5.0)]).unwrap();
        near(intercept, 2.2);
        near(slope, 0.6);
        assert_eq!(least_squares(&[(1.0, 2.0)]), None);
    }

    #[test]
    fn only_what_is_far_and_apart_is_an_outlier() {
        // Median 475, MAD 20: z of 381 is 0.6745 * 94 / 20 = 3.17.
        let found = outliers(&[475.0, 495.0, 381.0]);
        assert_eq!(found.iter().map(|o| o.index).collect::<Vec<_>>(), [2]);
        near(found[0].z, 3.170_15);
        // Apart in z, but within 10 %.
        assert_eq!(outliers(&[100.0, 100.1, 105.0]), Vec::new());
        assert_eq!(outliers(&[100.0, 200.0]), Vec::new());
    }

    #[test]
    fn intervals_cover_the_truth_at_their_rate() {
        // Seeded simulation: log-normal repeats, n = 3 against 3, true ratio 1.5.
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut uniform = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut normal =
            move || (-2.0 * uniform().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
        let (mut covered, rounds) = (0, 4000);
        for _ in 0..rounds {
            let mut draw =
                |center: f64| -> Vec<f64> { (0..3).map(|_| center * (0.05 * normal()).exp()).collect() };
            let (a, b) = (draw(150.0), draw(100.0));
            let (low, high) = ratio(&a, &b, 0.05).unwrap().interval.unwrap();
            covered += usize::from(low <= 1.5 && 1.5 <= high);
        }
        // Welch at 3 against 3 is a little conservative.
        let rate = covered as f64 / f64::from(rounds);
        assert!((0.94..0.985).contains(&rate), "{rate}");
    }
}
