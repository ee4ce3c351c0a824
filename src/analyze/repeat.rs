//! Repeats: runs that are equal in everything but their number, and the mean of their figures.
//!
//! The unit of replication is the run, not the second: samples inside a run
//! are autocorrelated.

use crate::model::{
    Campaign, Cell, Ddir, Dimension, Histogram, Measure, Metric, Operation, RunRecord, Value,
};
use crate::spec::Filter;
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::collections::BTreeMap;

/// Groups the runs that `filter` accepts by their values of `by`, and takes the mean of their figures.
///
/// Runs without a figure for `measure` in `ddir` are left out, and so is a copy of a run that is in its cell: it would
/// make two measurements of one, and an interval of no width. Cells come in natural order of their keys.
#[must_use]
pub fn cells(
    campaign: &Campaign,
    filter: &Filter,
    measure: Measure,
    ddir: Ddir,
    by: &[Dimension],
) -> Vec<Cell> {
    if !filter.accepts_ddir(ddir) {
        return Vec::new();
    }
    cells_of(campaign, &filter.choose(&campaign.runs), measure, ddir, by)
}

/// The same for runs that are known by their indices, in ascending order.
#[must_use]
pub fn cells_of(
    campaign: &Campaign,
    runs: &[usize],
    measure: Measure,
    ddir: Ddir,
    by: &[Dimension],
) -> Vec<Cell> {
    type Key = Vec<Option<Value>>;
    let mut groups: BTreeMap<Key, (Vec<usize>, Vec<f64>)> = BTreeMap::new();
    for &index in runs {
        let Some(record) = campaign.runs.get(index) else { continue };
        let Some(statistic) = record.statistic(measure, ddir) else { continue };
        let key = by.iter().map(|dimension| record.run.value(dimension).cloned()).collect();
        let (runs, values) = groups.entry(key).or_default();
        if campaign.copies.get(&index).is_some_and(|original| runs.contains(original)) {
            continue;
        }
        runs.push(index);
        values.push(statistic.value);
    }
    groups
        .into_iter()
        .map(|(key, (runs, values))| {
            let (mean, apart) = together(campaign, &runs, measure, ddir, &values);
            let interval = measure.stat.quantile().is_none().then(|| mean_interval(&values, 0.95)).flatten();
            Cell { key, ddir, runs, values, mean, interval, apart }
        })
        .collect()
}

/// The one figure of several runs of which each has its own in `values`: their mean; the percentile of all their I/Os
/// where each run has a histogram; else the percentile of the [`middle`] one, and true.
#[must_use]
pub fn together(
    campaign: &Campaign,
    runs: &[usize],
    measure: Measure,
    ddir: Ddir,
    values: &[f64],
) -> (f64, bool) {
    let Some(quantile) = measure.stat.quantile() else { return (mean(values), false) };
    if let [value] = values {
        return (*value, false);
    }
    let merged = merged_quantile(campaign, runs, measure.metric, ddir, quantile);
    merged.map_or_else(|| (middle(values), true), |value| (value, false))
}

/// [`cells_of`] the figures that stand under `measure` in the row of an operation; of syncs those of runs in which
/// they are part of the workload.
#[must_use]
pub fn operation_cells(
    campaign: &Campaign,
    runs: &[usize],
    measure: Measure,
    operation: Operation,
    by: &[Dimension],
) -> Vec<Cell> {
    let Some((measure, ddir)) = operation.figure_of(measure) else { return Vec::new() };
    if operation != Operation::Fsync {
        return cells_of(campaign, runs, measure, ddir, by);
    }
    let is_synced = |index: &usize| campaign.runs.get(*index).is_some_and(RunRecord::is_synced);
    let synced: Vec<usize> = runs.iter().copied().filter(is_synced).collect();
    cells_of(campaign, &synced, measure, ddir, by)
}

/// The percentile of all I/Os of several runs, from their merged histograms; None when a run has none.
fn merged_quantile(
    campaign: &Campaign,
    runs: &[usize],
    metric: Metric,
    ddir: Ddir,
    quantile: f64,
) -> Option<f64> {
    let mut merged = Histogram::default();
    for &index in runs {
        merged.merge(&campaign.runs[index].run.reported_histogram(metric, ddir)?);
    }
    merged.quantile(quantile)
}

/// The median; NaN of nothing.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// The one in the middle of figures that must not be averaged, as percentiles: of an even number the higher of two;
/// NaN of nothing.
#[must_use]
pub fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Arithmetic mean; NaN of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sample standard deviation, with n - 1; None below two values.
#[must_use]
pub fn stddev(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Confidence interval of the mean, `mean +- t * s / sqrt(n)` with Student's t at n - 1 degrees of freedom.
///
/// None below three values: two points carry no interval worth drawing.
#[must_use]
pub fn mean_interval(values: &[f64], level: f64) -> Option<(f64, f64)> {
    let n = values.len();
    if n < 3 {
        return None;
    }
    let half = student_t(1.0 - (1.0 - level) / 2.0, (n - 1) as f64)? * stddev(values)? / (n as f64).sqrt();
    let mean = mean(values);
    Some((mean - half, mean + half))
}

/// Quantile `p` of Student's t distribution with `df` degrees of freedom.
#[must_use]
pub fn student_t(p: f64, df: f64) -> Option<f64> {
    StudentsT::new(0.0, 1.0, df).ok().map(|t| t.inverse_cdf(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * b.abs()
    }

    #[test]
    fn t_quantiles_match_r() {
        // R: qt(0.975, 2), qt(0.975, 4), qt(0.975, 9)
        assert!(close(student_t(0.975, 2.0).unwrap_or(0.0), 4.302_652_73));
        assert!(close(student_t(0.975, 4.0).unwrap_or(0.0), 2.776_445_11));
        assert!(close(student_t(0.975, 9.0).unwrap_or(0.0), 2.262_157_16));
    }

    #[test]
    fn three_repeats_give_an_interval_and_two_do_not() {
        // By hand: mean 450.3333, s = 60.871449, 4.302653 * s / sqrt(3) = 151.213.
        let (low, high) = mean_interval(&[475.0, 495.0, 381.0], 0.95).unwrap_or_default();
        assert!(close(low, 299.120_261) && close(high, 601.546_405), "{low} {high}");
        assert_eq!(mean_interval(&[475.0, 495.0], 0.95), None);
    }
}
