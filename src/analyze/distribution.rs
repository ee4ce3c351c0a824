//! How the latencies of a run's I/Os are distributed, or else the means of its windows.
//!
//! In: runs. Out: counted values with their quantiles, shares and bins, and the spread of windows.
//! I/Os and windows never mix: a window's mean hides what its I/Os did.

use crate::analyze::combine;
use crate::analyze::repeat::{mean, stddev};
use crate::model::{Ddir, Histogram, Metric, Run, RunRecord, bucket_bounds};

/// What a distribution is made of, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sampled {
    /// The latency of every I/O, counted in buckets.
    Ios,
    /// The percentiles that a tool reports of its I/Os.
    Percentiles,
    /// The means of windows.
    Windows,
}

/// What is known of a run; None when it has neither I/Os nor windows of this metric.
#[must_use]
pub fn sampled(record: &RunRecord, metric: Metric, ddir: Ddir) -> Option<Sampled> {
    if record.run.has_histogram(metric, ddir) {
        Some(Sampled::Ios)
    } else if record.run.reported_percentiles(metric, ddir).is_some() {
        Some(Sampled::Percentiles)
    } else {
        windows(record, metric, ddir).map(|_| Sampled::Windows)
    }
}

/// Values that occurred equally often as far as is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Smallest value that the part can hold.
    pub low: f64,
    /// End of the values that it can hold; equal to `low` where the value is exact.
    pub high: f64,
    /// The value that stands for them: the middle, within the extremes where they are known.
    pub value: f64,
    /// How many there were.
    pub count: u64,
}

/// Values in ascending order with their counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    parts: Vec<Part>,
    n: u64,
}

impl Counted {
    /// The I/Os of several runs together; None unless each run has a histogram of them.
    #[must_use]
    pub fn of_ios<'r>(
        runs: impl IntoIterator<Item = &'r Run>,
        metric: Metric,
        ddir: Ddir,
    ) -> Option<Counted> {
        let mut merged = Histogram::default();
        let (mut min, mut max) = (Some(f64::INFINITY), Some(0.0));
        for run in runs {
            merged.merge(&run.histogram(metric, ddir)?);
            for summary in run.summaries.iter().filter(|s| s.metric == metric && s.ddir == ddir) {
                min = min.zip(summary.min).map(|(a, b)| f64::min(a, b));
                max = max.zip(summary.max).map(|(a, b)| f64::max(a, b));
            }
        }
        let (min, max) =
            (min.filter(|v| v.is_finite()).unwrap_or(0.0), max.filter(|v| *v > min.unwrap_or(0.0)));
        let parts = merged.buckets().map(|(index, count)| {
            let (low, high) = bucket_bounds(index);
            let (low, high) = (low as f64, high as f64);
            // Buckets one wide hold exactly their lower bound.
            let middle = if high - low <= 1.0 { low } else { f64::midpoint(low, high) };
            Part { low, high, value: middle.max(min).min(max.unwrap_or(f64::INFINITY)), count }
        });
        Counted::new(parts.collect())
    }

    /// Single values; what is not finite is left out, None when nothing is left.
    #[must_use]
    pub fn of_values(values: &[f64]) -> Option<Counted> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let mut parts: Vec<Part> = Vec::new();
        for value in sorted {
            match parts.last_mut() {
                Some(last) if last.value == value => last.count += 1,
                _ => parts.push(Part { low: value, high: value, value, count: 1 }),
            }
        }
        Counted::new(parts)
    }

    fn new(parts: Vec<Part>) -> Option<Counted> {
        let n = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.count));
        (n > 0).then_some(Counted { parts, n })
    }

    /// Number of values.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Smallest and end of the largest value that was counted.
    #[must_use]
    pub fn ends(&self) -> (f64, f64) {
        (self.parts.first().map_or(0.0, |p| p.low), self.parts.last().map_or(0.0, |p| p.high))
    }

    /// The value at `quantile` (0..=1) by nearest rank, `ceil(n p)`.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> f64 {
        let rank = ((self.n as f64 * quantile).ceil() as u64).clamp(1, self.n);
        let found = self.cumulative().find(|(_, _, upto)| *upto >= rank);
        found.or_else(|| self.cumulative().last()).map_or(0.0, |(value, ..)| value)
    }

    /// Each value with how many lie below it, and how many at or below it.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64, u64)> + '_ {
        self.parts.iter().scan(0u64, |seen, part| {
            let below = *seen;
            *seen = seen.saturating_add(part.count);
            Some((part.value, below, *seen))
        })
    }

    /// The share of all values in each bin between two `edges` (ascending); a bucket that an edge cuts is
    /// divided in proportion, the last bin holds its upper edge.
    #[must_use]
    pub fn shares(&self, edges: &[f64]) -> Vec<f64> {
        let mut counts = vec![0.0; edges.len().saturating_sub(1)];
        let last = counts.len().saturating_sub(1);
        for part in &self.parts {
            let width = part.high - part.low;
            for (i, (bin, count)) in edges.windows(2).zip(&mut counts).enumerate() {
                let (from, to) = (bin[0], bin[1]);
                if width > 0.0 {
                    *count += part.count as f64 * (part.high.min(to) - part.low.max(from)).max(0.0) / width;
                } else if part.low >= from && (part.low < to || (i == last && part.low == to)) {
                    *count += part.count as f64;
                }
            }
        }
        counts.into_iter().map(|count| count / self.n as f64).collect()
    }
}

/// The means of a run's windows, all jobs combined.
#[derive(Debug, Clone, PartialEq)]
pub struct Windows {
    /// Length of a window, ms.
    pub cell_ms: f64,
    /// The value of each window that lies wholly inside the span in which all jobs ran.
    pub values: Vec<f64>,
}

/// The windows of a run; None when it has no log of this metric.
#[must_use]
pub fn windows(record: &RunRecord, metric: Metric, ddir: Ddir) -> Option<Windows> {
    let series = record.total_series(metric, ddir).filter(|s| s.cell_ms.is_finite() && s.cell_ms > 0.0)?;
    // What no device can reach would make sums infinite.
    let sane = |v: &f64| v.abs() < 1e200;
    let windows = combine::windows(&record.run, series);
    let values: Vec<f64> = windows.iter().map(|window| window.value).filter(sane).collect();
    (!values.is_empty()).then_some(Windows { cell_ms: series.cell_ms, values })
}

/// The spread of values: five figures of a box, the extremes, and how much they vary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Number of values.
    pub n: usize,
    /// Smallest.
    pub min: f64,
    /// 5 % lie below it: the end of the lower whisker.
    pub low: f64,
    /// First quartile.
    pub first: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub third: f64,
    /// 5 % lie above it: the end of the upper whisker.
    pub high: f64,
    /// Largest.
    pub max: f64,
    /// Standard deviation as a share of the mean; None for a single value or a mean that is not positive.
    pub cov: Option<f64>,
}

impl Spread {
    /// The spread of finite values in ascending order; None of none.
    #[must_use]
    pub fn of(sorted: &[f64]) -> Option<Spread> {
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let mean = mean(sorted);
        let at = |p| quantile(sorted, p);
        Some(Spread {
            n: sorted.len(),
            min,
            low: at(0.05)?,
            first: at(0.25)?,
            median: at(0.5)?,
            third: at(0.75)?,
            high: at(0.95)?,
            max,
            cov: stddev(sorted).filter(|_| mean > 0.0).map(|s| s / mean).filter(|v| v.is_finite()),
        })
    }
}

/// The quantile `p` of values in ascending order, interpolated as R and NumPy do by default.
///
/// Source: Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), type 7.
#[must_use]
pub fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    let place = sorted.len().checked_sub(1)? as f64 * p.clamp(0.0, 1.0);
    let (below, above) = (sorted.get(place.floor() as usize)?, sorted.get(place.ceil() as usize)?);
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn quartiles_and_whiskers_match_r() {
        // R: quantile(c(2, 3, 5, 7, 11, 13, 17, 19), c(.05, .25, .5, .75, .95))
        //      5%   25%   50%   75%   95%
        //    2.35  4.50  9.00 14.00 18.30
        let values = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0];
        let spread = Spread::of(&values).unwrap();
        let found = [spread.low, spread.first, spread.median, spread.third, spread.high];
        for (found, expected) in found.iter().zip([2.35, 4.5, 9.0, 14.0, 18.3]) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        // Mean 9.625; squares of the differences sum to 285.875; sd = sqrt(285.875 / 7) = 6.39056.
        assert!((spread.cov.unwrap() - 6.390_562 / 9.625).abs() < 1e-6);
    }

    #[test]
    fn counts_give_exact_shares_and_ranks() {
        let counted = Counted::of_values(&[4.0, 1.0, 1.0, 2.0, 4.0, 4.0, 4.0, 9.0]).unwrap();
        let steps: Vec<_> = counted.cumulative().collect();
        assert_eq!(steps, [(1.0, 0, 2), (2.0, 2, 3), (4.0, 3, 7), (9.0, 7, 8)]);
        assert_eq!(counted.quantile(0.25), 1.0);
        assert_eq!(counted.quantile(0.26), 2.0);
        assert_eq!(counted.quantile(0.875), 4.0);
        assert_eq!(counted.quantile(0.876), 9.0);
        // [1, 3) holds 3 of 8, [3, 9] holds the other 5.
        assert_eq!(counted.shares(&[1.0, 3.0, 9.0]), [0.375, 0.625]);
    }

    #[test]
    fn an_edge_divides_the_bucket_that_it_cuts() {
        // Bucket 192 holds 256 to 259 ns, four values; the edge at 257 takes one of them.
        let mut histogram = Histogram::default();
        histogram.record_bucket(192, 8);
        let run = run(histogram);
        let counted = Counted::of_ios([&run], Metric::Lat, Ddir::Read).unwrap();
        assert_eq!(counted.shares(&[256.0, 257.0, 260.0]), [0.25, 0.75]);
        assert_eq!(counted.quantile(0.5), 258.0);
    }

    #[test]
    fn the_middle_of_a_bucket_stays_within_the_extremes() {
        let mut histogram = Histogram::default();
        histogram.record_bucket(192, 8);
        let mut run = run(histogram);
        (run.summaries[0].min, run.summaries[0].max) = (Some(256.0), Some(257.0));
        let counted = Counted::of_ios([&run], Metric::Lat, Ddir::Read).unwrap();
        assert_eq!(counted.quantile(1.0), 257.0);
    }

    /// A run whose tool counted this.
    fn run(histogram: Histogram) -> Run {
        let summary = crate::model::Summary {
            histogram: Some(histogram),
            ..crate::model::Summary::new(Metric::Lat, Ddir::Read, None)
        };
        Run {
            id: "a".into(),
            label: "a".into(),
            tool: crate::model::Tool::default(),
            sources: Vec::new(),
            dimensions: Default::default(),
            options: Default::default(),
            environment: Default::default(),
            jobs: Vec::new(),
            series: Vec::new(),
            summaries: vec![summary],
        }
    }
}
