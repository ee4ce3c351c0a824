//! Campaigns and specs for tests: runs with dimensions, figures and series, all numbers from formulas.

use super::{Figure, Role};
use crate::model::Measure;
use crate::model::{
    Campaign, Ddir, Dimension, DimensionEntry, DimensionOrigin, Histogram, Metric, Origin, Run, RunRecord,
    Sample, Series, SeriesKind, Stat, Statistic, Summary, TimeSeries, TimedHistogram, Tool, Value,
};
use crate::spec::{Channel, ChartSpec, Filter, Mark, XChannel};
use std::collections::BTreeMap;

/// A run with these dimensions and no figures.
pub(super) fn run(id: &str, dimensions: &[(Dimension, &str)]) -> RunRecord {
    let entry = |(dimension, text): &(Dimension, &str)| {
        let value = Value::canonical(dimension, text);
        (dimension.clone(), DimensionEntry { value, from: DimensionOrigin::Set })
    };
    RunRecord {
        run: Run {
            id: id.to_owned(),
            label: id.to_owned(),
            tool: Tool { name: "fio".to_owned(), version: Some("3.33".to_owned()) },
            sources: Vec::new(),
            dimensions: dimensions.iter().map(entry).collect(),
            options: BTreeMap::from([
                ("runtime".to_owned(), "40".to_owned()),
                ("direct".to_owned(), "1".to_owned()),
            ]),
            environment: BTreeMap::from([("timestamp".to_owned(), "2026-12-01T09:30:00Z".to_owned())]),
            jobs: Vec::new(),
            series: Vec::new(),
            summaries: Vec::new(),
        },
        series: Vec::new(),
        statistics: Vec::new(),
        little: None,
        steady: Vec::new(),
        phases: Vec::new(),
    }
}

impl RunRecord {
    /// The run with one more figure.
    pub(super) fn figure(mut self, metric: Metric, ddir: Ddir, stat: Stat, value: f64) -> Self {
        self.statistics.push(Statistic {
            metric,
            ddir,
            stat,
            value,
            origin: Origin::Reported,
            n: None,
            supported: true,
        });
        self
    }

    /// The run with these latencies (ns) counted by the tool, and their extremes.
    pub(super) fn counted(mut self, metric: Metric, ddir: Ddir, values: &[(u64, u64)]) -> Self {
        let mut histogram = Histogram::default();
        values.iter().for_each(|&(value, n)| histogram.record(value, n));
        let mut summary = Summary::new(metric, ddir, None);
        summary.count = Some(histogram.count());
        summary.min = values.iter().map(|v| v.0 as f64).reduce(f64::min);
        summary.max = values.iter().map(|v| v.0 as f64).reduce(f64::max);
        summary.histogram = Some(histogram);
        self.run.summaries.push(summary);
        self
    }

    /// The run with percentiles that the tool reports of `count` I/Os.
    pub(super) fn reported(
        mut self,
        metric: Metric,
        ddir: Ddir,
        count: u64,
        percentiles: &[(f64, f64)],
    ) -> Self {
        let mut summary = Summary::new(metric, ddir, None);
        (summary.count, summary.percentiles) = (Some(count), percentiles.to_vec());
        self.run.summaries.push(summary);
        self
    }

    /// The run with one more series of all jobs.
    pub(super) fn trace(self, metric: Metric, ddir: Ddir, cell_ms: f64, values: Vec<Option<f64>>) -> Self {
        self.job_trace(metric, ddir, None, cell_ms, values)
    }

    /// The run with one more series of a job.
    pub(super) fn job_trace(
        mut self,
        metric: Metric,
        ddir: Ddir,
        job: Option<usize>,
        cell_ms: f64,
        values: Vec<Option<f64>>,
    ) -> Self {
        self.series.push(TimeSeries { metric, ddir, job, start_ms: 0.0, cell_ms, values, extremes: None });
        self
    }
}

impl RunRecord {
    /// The run with a log for each of its series of all jobs, a row for each cell.
    pub(super) fn logged(mut self) -> Self {
        let totals = self.series.iter().filter(|series| series.job.is_none());
        let logs = totals.map(|series| {
            let end = |i: usize| ((i + 1) as f64 * series.cell_ms) as u64;
            let row = |(i, value): (usize, &Option<f64>)| {
                value.map(|value| Sample { end_ms: end(i), value, partial: false })
            };
            Series {
                metric: series.metric,
                ddir: series.ddir,
                job: 0,
                clone: 0,
                last_ms: end(series.values.len() - 1),
                kind: SeriesKind::Windowed {
                    window_ms: series.cell_ms,
                    samples: series.values.iter().enumerate().filter_map(row).collect(),
                },
            }
        });
        self.run.series.extend(logs);
        self
    }

    /// The run with counts of single latencies (ns) in each second.
    pub(super) fn counted_over_time(mut self, metric: Metric, ddir: Ddir, seconds: &[&[(u64, u64)]]) -> Self {
        let mut timed = TimedHistogram::starting_with(1000);
        for (second, counts) in (0u64..).zip(seconds) {
            for &(value, n) in *counts {
                timed.record(second * 1000, crate::model::bucket_of(value), n);
            }
        }
        let last_ms = seconds.len() as u64 * 1000;
        let kind = SeriesKind::Counts(timed);
        self.run.series.push(Series { metric, ddir, job: 0, clone: 0, last_ms, kind });
        self
    }
}

/// A campaign of these runs, its dimensions and values filled in.
pub(super) fn campaign(runs: Vec<RunRecord>) -> Campaign {
    let mut values: BTreeMap<Dimension, Vec<Value>> = BTreeMap::new();
    for record in &runs {
        for (dimension, entry) in &record.run.dimensions {
            values.entry(dimension.clone()).or_default().push(entry.value.clone());
        }
    }
    for all in values.values_mut() {
        all.sort();
        all.dedup();
    }
    Campaign { dimensions: values.keys().cloned().collect(), values, runs, ..Campaign::default() }
}

/// Values that swing around `level` by `share` of it, the same for the same `seed`.
pub(super) fn noise(seed: u64, count: usize, level: f64, share: f64) -> Vec<Option<f64>> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut drift = 0.0;
    (0..count)
        .map(|i| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let chance = (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            drift = 0.9 * drift + 0.25 * chance;
            let wave = 0.3 * (i as f64 * 0.07 + seed as f64).sin();
            Some(level * (1.0 + share * (drift + wave + 0.5 * chance)))
        })
        .collect()
}

/// RAID levels with a figure and series each: (level, chunk, IOPS).
pub(super) const RAIDS: [(&str, f64); 4] = [("0", 407.0), ("10", 210.0), ("5", 97.0), ("6", 58.0)];

/// A campaign of random writes on four RAID levels and three chunk sizes, `repeats` runs each.
pub(super) fn raid_campaign(repeats: usize) -> Campaign {
    let mut runs = Vec::new();
    for (r, (raid, iops)) in RAIDS.into_iter().enumerate() {
        for (c, chunk) in ["64k", "256k", "1m"].into_iter().enumerate() {
            for repeat in 1..=repeats {
                let seed = (r * 100 + c * 10 + repeat) as u64;
                let level = iops * (1.0 + 0.08 * c as f64) * (1.0 + 0.04 * (seed as f64).sin());
                let lat = 4e9 / level;
                let number = repeat.to_string();
                let dimensions = [
                    (Dimension::Raid, raid),
                    (Dimension::Chunk, chunk),
                    (Dimension::Bs, "4k"),
                    (Dimension::Rw, "randwrite"),
                    (Dimension::Iodepth, "4"),
                    (Dimension::Numjobs, "1"),
                    (Dimension::Repeat, number.as_str()),
                ];
                runs.push(
                    run(&format!("raid{raid}-{chunk}-{repeat}"), &dimensions)
                        .figure(Metric::Iops, Ddir::Write, Stat::Mean, level)
                        .figure(Metric::Bw, Ddir::Write, Stat::Mean, level * 4096.0)
                        .figure(Metric::Lat, Ddir::Write, Stat::Mean, lat)
                        .figure(Metric::Lat, Ddir::Write, Stat::P99, lat * 4.0)
                        .trace(Metric::Iops, Ddir::Write, 500.0, noise(seed, 80, level, 0.3))
                        .trace(Metric::Lat, Ddir::Write, 500.0, noise(seed + 7, 80, lat, 0.4))
                        .logged(),
                );
            }
        }
    }
    campaign(runs)
}

/// Reads on an SSD at queue depths 1 to 256 for several devices: IOPS saturate, latency grows.
pub(super) fn depth_campaign(devices: &[&str], repeats: usize) -> Campaign {
    let mut runs = Vec::new();
    for (d, device) in devices.iter().enumerate() {
        for depth in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0_f64] {
            for repeat in 1..=repeats {
                let limit = 400_000.0 / (1.0 + 0.45 * d as f64);
                let wobble = 1.0 + 0.03 * (depth + repeat as f64 * 1.7 + d as f64).sin();
                let iops = limit * depth / (depth + 22.0) * wobble;
                let lat = depth / iops * 1e9;
                let (level, number) = (depth.to_string(), repeat.to_string());
                let dimensions = [
                    (Dimension::Device, *device),
                    (Dimension::Iodepth, level.as_str()),
                    (Dimension::Bs, "4k"),
                    (Dimension::Rw, "randread"),
                    (Dimension::Repeat, number.as_str()),
                ];
                runs.push(
                    run(&format!("{device}-qd{level}-{repeat}"), &dimensions)
                        .figure(Metric::Iops, Ddir::Read, Stat::Mean, iops)
                        .figure(Metric::Bw, Ddir::Read, Stat::Mean, iops * 4096.0)
                        .figure(Metric::Lat, Ddir::Read, Stat::Mean, lat)
                        .figure(Metric::Lat, Ddir::Read, Stat::P99, lat * 3.0),
                );
            }
        }
    }
    campaign(runs)
}

/// `count` runs named by `name`, each with reads and writes over time.
pub(super) fn many_runs(count: usize, level: f64, name: impl Fn(usize) -> String) -> Campaign {
    let runs = (0..count)
        .map(|i| {
            let host = name(i);
            let own = level * (1.0 + i as f64 * 0.2);
            let mut record = run(&format!("{host}-{i}"), &[(Dimension::Host, host.as_str())]);
            for (ddir, factor) in [(Ddir::Read, 1.0), (Ddir::Write, 0.4)] {
                record = record
                    .figure(Metric::Lat, ddir, Stat::Mean, own * factor)
                    .figure(Metric::Iops, ddir, Stat::Mean, 1e9 / (own * factor))
                    .trace(Metric::Lat, ddir, 500.0, noise(i as u64 + 1, 60 + i * 3, own * factor, 0.3))
                    .trace(Metric::Iops, ddir, 500.0, noise(i as u64 + 9, 60, 1e9 / (own * factor), 0.3));
            }
            record
        })
        .collect();
    campaign(runs)
}

/// A channel of this dimension.
pub(super) fn by(dimension: Dimension) -> Option<Channel> {
    Some(Channel::Dimension(dimension))
}

/// A filter for one value of a dimension.
pub(super) fn only(dimension: Dimension, value: &str) -> Filter {
    let value = Value::canonical(&dimension, value);
    Filter { dimensions: [(dimension, vec![value])].into(), ..Filter::default() }
}

/// A filter for reads.
pub(super) fn reads() -> Filter {
    Filter { ddirs: vec![Ddir::Read], ..Filter::default() }
}

/// Means over run time.
pub(super) fn over_time(metric: Metric) -> ChartSpec {
    ChartSpec::new("time", Mark::Line, XChannel::Time, Measure::mean(metric))
}

/// Bars of means.
pub(super) fn bars(x: Dimension, metric: Metric) -> ChartSpec {
    ChartSpec::new("bars", Mark::Bar, XChannel::Dimension(x), Measure::mean(metric))
}

/// Lines of means over a dimension.
pub(super) fn sweep(x: Dimension, metric: Metric) -> ChartSpec {
    ChartSpec::new("sweep", Mark::Line, XChannel::Dimension(x), Measure::mean(metric))
}

/// Latency against IOPS along the queue depth.
pub(super) fn knee(stat: Stat) -> ChartSpec {
    let x = XChannel::Measure { metric: Metric::Iops, stat: Stat::Mean, over: Dimension::Iodepth };
    ChartSpec::new("knee", Mark::Dot, x, Measure { metric: Metric::Lat, stat })
}

/// The texts of a role, in the order of their placing.
pub(super) fn texts(figure: &Figure, role: Role) -> Vec<&str> {
    figure.texts.iter().filter(|t| t.role == role).map(|t| t.text.as_str()).collect()
}
