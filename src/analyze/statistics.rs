//! Figures of one run, all jobs combined.
//!
//! From log rows alone (origin log), and from the tool's own summary (origin
//! reported). The two are never mixed in one figure.

use crate::analyze::combine::{grids, largest_latency, merge, parts, pooled_latency, windows};
use crate::analyze::repeat::{mean, stddev};
use crate::ingest::weight;
use crate::model::{Ddir, Histogram, Metric, Origin, Run, SeriesKind, Stat, Statistic, Summary, TimeSeries};
use std::collections::{BTreeMap, BTreeSet};

/// Samples that must lie beyond a percentile for it to mean something.
pub(crate) const BEYOND: f64 = 10.0;

/// True when `n` samples carry the percentile `quantile`: at least ten lie beyond it.
#[must_use]
pub fn supports(n: u64, quantile: f64) -> bool {
    // 10,000 samples carry p99.9; the product is not exact in binary.
    n as f64 * (1.0 - quantile) >= BEYOND - 1e-6
}

/// All figures of a run.
#[must_use]
pub(super) fn statistics(run: &Run, series: &[TimeSeries]) -> Vec<Statistic> {
    let mut all = from_logs(run, series);
    all.extend(reported(run));
    all.sort_by_key(|s| (s.metric, s.ddir, s.origin, s.stat));
    all
}

struct Sheet {
    metric: Metric,
    ddir: Ddir,
    origin: Origin,
    rows: Vec<Statistic>,
}

impl Sheet {
    fn new(metric: Metric, ddir: Ddir, origin: Origin) -> Self {
        Sheet { metric, ddir, origin, rows: Vec::new() }
    }

    fn put(&mut self, stat: Stat, value: Option<f64>, n: Option<u64>) {
        let Some(value) = value.filter(|v| v.is_finite()) else { return };
        let supported = match (stat.quantile(), n) {
            (Some(quantile), Some(n)) => supports(n, quantile),
            _ => true,
        };
        let Sheet { metric, ddir, origin, .. } = *self;
        self.rows.push(Statistic { metric, ddir, stat, value, origin, n, supported });
    }

    fn put_spread(&mut self, mean: f64, stddev: Option<f64>, n: Option<u64>) {
        self.put(Stat::Stddev, stddev, n);
        self.put(Stat::Cov, stddev.filter(|_| mean > 0.0).map(|s| s / mean), n);
    }

    /// Percentiles of a histogram, within the extremes where they are known: a bucket's middle may lie beyond them.
    fn put_histogram(&mut self, histogram: &Histogram, min: Option<f64>, max: Option<f64>) {
        let n = histogram.count();
        for &stat in Stat::ALL {
            if let Some(value) = stat.quantile().and_then(|quantile| histogram.quantile(quantile)) {
                let value = value.max(min.unwrap_or(value)).min(max.unwrap_or(f64::INFINITY));
                self.put(stat, Some(value), Some(n));
            }
        }
    }
}

fn from_logs(run: &Run, series: &[TimeSeries]) -> Vec<Statistic> {
    let mut all = Vec::new();
    let mut keys: Vec<(Metric, Ddir)> = run.series.iter().map(|s| (s.metric, s.ddir)).collect();
    keys.sort_unstable();
    keys.dedup();
    for (metric, ddir) in keys {
        let mut sheet = Sheet::new(metric, ddir, Origin::Log);
        let parts = parts(run, metric, ddir);
        // Bars use the span in which all jobs ran, up to the last stamp of their logs in any
        // direction: fio loses the tail window of rates, but not of latencies.
        let common = parts.iter().map(|s| s.last_ms).min().unwrap_or(0) as f64;
        let grids = grids(&parts);
        let total = series.iter().find(|s| s.job.is_none() && s.metric == metric && s.ddir == ddir);
        if metric.is_rate() {
            let means: Vec<f64> =
                parts.iter().filter_map(|s| s.kind.mean_rate(common, weight(metric))).collect();
            if means.is_empty() {
                continue;
            }
            let rows: u64 = parts.iter().map(|s| rows(&s.kind)).sum();
            let mean_rate = means.iter().sum::<f64>();
            sheet.put(Stat::Mean, Some(mean_rate), Some(rows));
            if let Some(total) = total {
                let windows: Vec<f64> = windows(run, total).iter().map(|window| window.value).collect();
                let n = Some(windows.len() as u64);
                sheet.put(Stat::Min, windows.iter().copied().reduce(f64::min), n);
                sheet.put(Stat::Max, windows.iter().copied().reduce(f64::max), n);
                sheet.put_spread(mean(&windows), stddev(&windows), n);
            }
        } else if grids.is_empty() {
            if let Some((value, rows)) = pooled_latency(run, metric, ddir, None) {
                sheet.put(Stat::Mean, Some(value), Some(rows));
            } else if run.logs_largest()
                && let Some((value, rows)) = largest_latency(run, metric, ddir)
            {
                sheet.put(Stat::Max, Some(value), Some(rows));
            }
        } else if let Some(grid) = merge(&grids) {
            let total = grid.total();
            let n = Some(total.count);
            if total.count > 0 {
                let mean = total.sum as f64 / total.count as f64;
                sheet.put(Stat::Mean, Some(mean), n);
                sheet.put(Stat::Min, Some(total.min as f64), n);
                sheet.put(Stat::Max, Some(total.max as f64), n);
                let squares = Some(grid.sum_squares as f64).filter(|squares| *squares > 0.0);
                let stddev = squares.and_then(|squares| spread(total.count, total.sum as f64, squares));
                sheet.put_spread(mean, stddev, n);
                sheet.put_histogram(&grid.histogram, Some(total.min as f64), Some(total.max as f64));
            }
        }
        // Windows hold no percentiles, histogram logs nothing else.
        if metric.is_latency()
            && grids.is_empty()
            && let Some(timed) = run.timed_histogram(metric, ddir)
        {
            sheet.put_histogram(&timed.total(), None, None);
        }
        all.append(&mut sheet.rows);
    }
    all
}

fn rows(kind: &SeriesKind) -> u64 {
    match kind {
        SeriesKind::Windowed { samples, .. } => samples.len() as u64,
        SeriesKind::Cells(grid) => grid.total().count,
        SeriesKind::Counts(timed) => timed.total().count(),
    }
}

/// Sample standard deviation from a count, a sum and a sum of squares.
fn spread(count: u64, sum: f64, squares: f64) -> Option<f64> {
    if count < 2 {
        return None;
    }
    let n = count as f64;
    Some(((squares - sum * sum / n) / (n - 1.0)).max(0.0).sqrt())
}

fn reported(run: &Run) -> Vec<Statistic> {
    let keys: BTreeSet<(Metric, Ddir)> = run.summaries.iter().map(|s| (s.metric, s.ddir)).collect();
    let mut all = Vec::new();
    for (metric, ddir) in keys {
        let found: Vec<&Summary> =
            run.summaries.iter().filter(|s| s.metric == metric && s.ddir == ddir).collect();
        let mut sheet = Sheet::new(metric, ddir, Origin::Reported);
        let single = found.len() == 1;
        let clones = found.first().and_then(|s| s.job).and_then(|j| run.jobs.get(j)).map_or(1, |j| j.clones);
        let count = found.iter().map(|s| s.count).try_fold(0u64, |sum, n| Some(sum.saturating_add(n?)));
        if metric.is_rate() {
            let means: Option<f64> = found.iter().map(|s| s.mean).sum();
            sheet.put(Stat::Mean, means, count);
            // Minima and maxima of jobs do not add up, and group_reporting has added them.
            if let (true, 1, Some(first)) = (single, clones, found.first()) {
                // Zero samples: the tool printed zeros for what it did not measure. All IOPS samples 1: it
                // sampled single I/Os (log_avg_msec=0), which are no throughput.
                if first.count != Some(0) && !sampled_single_ios(run, ddir) {
                    sheet.put(Stat::Min, first.min, first.count);
                    sheet.put(Stat::Max, first.max, first.count);
                    sheet.put_spread(first.mean.unwrap_or(0.0), first.stddev, first.count);
                }
            }
        } else if metric.is_latency() {
            pool(&mut sheet, &found, count);
        } else {
            sheet.put(Stat::Mean, mean_share(run, &found), count);
        }
        // Percentiles that a summary gives for a rate (rbench files may) pass as they are.
        if single && !metric.is_latency() {
            put_percentiles(&mut sheet, found[0]);
        }
        all.append(&mut sheet.rows);
    }
    all
}

/// Share of a processor or a device: the mean over all jobs, those behind one entry as well.
///
/// With `group_reporting` fio gives the processor time of all clones over the sum of their run times (stat.c,
/// `usr_cpu` of `total_run_time`), which is the mean of one job. Entries therefore count by clones and run time.
/// A total is not to be had: an entry that several sections share does not say how many jobs it stands for.
fn mean_share(run: &Run, found: &[&Summary]) -> Option<f64> {
    if let [only] = found {
        return only.mean;
    }
    let clones = |summary: &Summary| {
        let job = summary.job.and_then(|job| run.jobs.get(job));
        f64::from(job.map_or(1, |job| job.clones.max(1)))
    };
    let lasted = |summary: &Summary| {
        let job = run.jobs.get(summary.job?)?;
        job.runtime_ms.values().copied().reduce(f64::max).filter(|ms| ms.is_finite() && *ms > 0.0)
    };
    let timed = found.iter().all(|summary| lasted(summary).is_some());
    let weight = |summary: &Summary| clones(summary) * lasted(summary).filter(|_| timed).unwrap_or(1.0);
    let known = || found.iter().filter_map(|summary| Some((summary.mean?, weight(summary))));
    let total: f64 = known().map(|(_, weight)| weight).sum();
    (total > 0.0).then(|| known().map(|(mean, weight)| mean * weight).sum::<f64>() / total)
}

/// True when fio's rate samples were of single I/Os: then every sample of IOPS is 1.
fn sampled_single_ios(run: &Run, ddir: Ddir) -> bool {
    let iops = run.summaries.iter().find(|s| s.metric == Metric::Iops && s.ddir == ddir);
    iops.is_some_and(|s| (s.min, s.max) == (Some(1.0), Some(1.0)) && s.mean.is_some_and(|mean| mean > 2.0))
}

/// Latency of several jobs: means weighted by I/Os, variances pooled, histograms merged.
fn pool(sheet: &mut Sheet, found: &[&Summary], count: Option<u64>) {
    if let [only] = found {
        sheet.put(Stat::Mean, only.mean, only.count);
        sheet.put(Stat::Min, only.min, only.count);
        sheet.put(Stat::Max, only.max, only.count);
        sheet.put_spread(only.mean.unwrap_or(0.0), only.stddev, only.count);
        put_percentiles(sheet, only);
        return;
    }
    let weights: Vec<f64> = match count {
        Some(_) => found.iter().map(|s| s.count.unwrap_or(0) as f64).collect(),
        None => vec![1.0; found.len()],
    };
    let total: f64 = weights.iter().sum();
    let means: Option<Vec<f64>> = found.iter().map(|s| s.mean).collect();
    if let Some(means) = means.filter(|_| total > 0.0) {
        let pooled = means.iter().zip(&weights).map(|(m, w)| m * w).sum::<f64>() / total;
        sheet.put(Stat::Mean, Some(pooled), count);
        sheet.put(Stat::Min, found.iter().filter_map(|s| s.min).reduce(f64::min), count);
        sheet.put(Stat::Max, found.iter().filter_map(|s| s.max).reduce(f64::max), count);
        let stddevs: Option<Vec<f64>> = found.iter().map(|s| s.stddev).collect();
        if let (Some(stddevs), Some(_)) = (stddevs, count) {
            // Sum of squares within the jobs plus that of their means around the pooled one.
            let squares: f64 = stddevs
                .iter()
                .zip(&means)
                .zip(&weights)
                .map(|((s, m), w)| (w - 1.0).max(0.0) * s * s + w * (m - pooled).powi(2))
                .sum();
            let stddev = (total > 1.0).then(|| (squares / (total - 1.0)).sqrt());
            sheet.put_spread(pooled, stddev, count);
        }
    }
    // Percentiles of jobs are never averaged: only merged histograms give one.
    if found.iter().all(|s| s.histogram.is_some()) {
        let mut histogram = Histogram::default();
        for summary in found.iter().filter_map(|s| s.histogram.as_ref()) {
            histogram.merge(summary);
        }
        let min = found.iter().filter_map(|s| s.min).reduce(f64::min);
        let max = found.iter().filter_map(|s| s.max).reduce(f64::max);
        sheet.put_histogram(&histogram, min, max);
    }
}

fn put_percentiles(sheet: &mut Sheet, summary: &Summary) {
    let given: BTreeMap<Stat, f64> = Stat::ALL
        .iter()
        .filter_map(|&stat| {
            let quantile = stat.quantile()?;
            let (_, value) = summary.percentiles.iter().find(|(q, _)| (q - quantile).abs() < 1e-7)?;
            Some((stat, *value))
        })
        .collect();
    if given.is_empty() {
        if let Some(histogram) = &summary.histogram {
            sheet.put_histogram(histogram, summary.min, summary.max);
        }
        return;
    }
    for (stat, value) in given {
        sheet.put(stat, Some(value), summary.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Job;

    #[test]
    fn a_percentile_needs_ten_samples_beyond_it() {
        assert!(supports(10_000, 0.999) && !supports(9_999, 0.999));
        assert!(supports(1_000, 0.99) && !supports(999, 0.99));
        assert!(supports(20, 0.5));
    }

    #[test]
    fn pooled_jobs_have_the_mean_and_spread_of_all_their_ios() {
        // Job 1: values 1, 2, 3 (mean 2, s = 1). Job 2: values 10, 10 (mean 10, s = 0).
        // Together: mean 26/5 = 5.2, squares 17.64+10.24+4.84+23.04+23.04 = 78.8, s = sqrt(78.8/4).
        let job = |count, mean, stddev| Summary {
            count: Some(count),
            mean: Some(mean),
            stddev: Some(stddev),
            ..Summary::new(Metric::Lat, Ddir::Read, Some(0))
        };
        let (a, b) = (job(3, 2.0, 1.0), job(2, 10.0, 0.0));
        let mut sheet = Sheet::new(Metric::Lat, Ddir::Read, Origin::Reported);
        pool(&mut sheet, &[&a, &b], Some(5));
        let value = |stat| sheet.rows.iter().find(|r| r.stat == stat).map(|r| r.value).unwrap_or(f64::NAN);
        assert!((value(Stat::Mean) - 5.2).abs() < 1e-12);
        assert!((value(Stat::Stddev) - (78.8f64 / 4.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_share_of_a_processor_is_that_of_one_job_however_fio_reported_the_jobs() {
        let share = |entries: &[(u32, f64, f64)]| {
            let jobs = entries.iter().map(|&(clones, ms, _)| Job {
                clones,
                runtime_ms: [(Ddir::Read, ms)].into(),
                ..Job::default()
            });
            let own = entries.iter().enumerate().map(|(at, &(.., share))| Summary {
                mean: Some(share),
                ..Summary::new(Metric::Cpu, Ddir::Mixed, Some(at))
            });
            let run = Run { jobs: jobs.collect(), summaries: own.collect(), ..nothing() };
            reported(&run).iter().map(|s| (s.metric, s.value)).collect::<Vec<_>>()
        };
        // Four clones of 50, 50, 20 and 40 % for 10 s each: 16 s of 40 s, listed one by one or as one entry.
        let each = share(&[(1, 10e3, 0.5), (1, 10e3, 0.5), (1, 10e3, 0.2), (1, 10e3, 0.4)]);
        assert_eq!(each, [(Metric::Cpu, 0.4)]);
        assert_eq!(share(&[(4, 10e3, 0.4)]), each);
        // Three clones as one entry beside one job: (3 x 0.5 + 0.1) / 4.
        assert_eq!(share(&[(3, 10e3, 0.5), (1, 10e3, 0.1)]), [(Metric::Cpu, 0.4)]);
        // 3 s of 10 s and 15 s of 20 s: 18 s of 30 s.
        assert_eq!(share(&[(1, 10e3, 0.3), (1, 20e3, 0.75)]), [(Metric::Cpu, 0.6)]);
    }

    fn nothing() -> Run {
        Run {
            id: String::new(),
            label: String::new(),
            tool: crate::model::Tool::default(),
            sources: Vec::new(),
            dimensions: BTreeMap::new(),
            options: BTreeMap::new(),
            environment: BTreeMap::new(),
            jobs: Vec::new(),
            series: Vec::new(),
            summaries: Vec::new(),
        }
    }

    #[test]
    fn spread_of_sums_is_the_sample_deviation() {
        // R: sd(c(2, 4, 4, 4, 5, 5, 7, 9)) = 2.13809
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0f64];
        let squares: f64 = values.iter().map(|v| v * v).sum();
        assert!((spread(8, values.iter().sum(), squares).unwrap_or(0.0) - 2.138_089_9).abs() < 1e-6);
    }
}
