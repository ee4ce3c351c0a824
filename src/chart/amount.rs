//! Series over the bytes moved so far: where a cache is full, at which gigabyte a drive slows down.
//!
//! In: a series over run time and the bandwidth of the same run and direction. Out: the same figures
//! over equal amounts of data. An idle time moves no byte and counts to the amount that it delays.

use super::trace::mean_over;
use crate::model::{Ddir, Dimension, Metric, RunRecord, TimeSeries, Value};

/// Bytes per second over run time: the bandwidth series, else IOPS times the block size where that is one.
fn bandwidth(record: &RunRecord, ddir: Ddir) -> Option<TimeSeries> {
    if let Some(series) = record.total_series(Metric::Bw, ddir) {
        return Some(series.clone());
    }
    let size = record.run.value(&Dimension::Bs).and_then(Value::number).filter(|bytes| *bytes > 0.0)?;
    let mut series = record.total_series(Metric::Iops, ddir)?.clone();
    series.values.iter_mut().flatten().for_each(|v| *v *= size);
    Some(series)
}

/// True when a run says how many bytes it had moved when.
pub(super) fn knows(record: &RunRecord, ddir: Ddir) -> bool {
    record.total_series(Metric::Bw, ddir).is_some()
        || (record.total_series(Metric::Iops, ddir).is_some()
            && record.run.value(&Dimension::Bs).and_then(Value::number).is_some_and(|bytes| bytes > 0.0))
}

/// `series` over the bytes that its run had moved in its direction: cells of equal amounts, as many as the series
/// has windows; `start_ms` and `cell_ms` hold bytes. None where nothing moved.
pub(super) fn over_amount(record: &RunRecord, series: &TimeSeries) -> Option<TimeSeries> {
    let rate = bandwidth(record, series.ddir)?;
    // Bytes moved by the end of each window.
    let mut moved = Vec::with_capacity(rate.values.len() + 1);
    let mut sum = 0.0;
    moved.push(sum);
    for value in &rate.values {
        sum += value.filter(|v| v.is_finite() && *v > 0.0).unwrap_or(0.0) * rate.cell_ms / 1000.0;
        moved.push(sum);
    }
    let cells = series.values.len().max(1);
    let step = sum / cells as f64;
    if !(step.is_finite() && step > 0.0) {
        return None;
    }
    // The run time at which an amount was reached first.
    let reached = |bytes: f64| {
        let window = moved.partition_point(|m| *m < bytes * (1.0 - 1e-12)).clamp(1, rate.values.len());
        let (before, after) = (moved[window - 1], moved[window]);
        let share = if after > before { ((bytes - before) / (after - before)).clamp(0.0, 1.0) } else { 1.0 };
        rate.start_ms + (window as f64 - 1.0 + share) * rate.cell_ms
    };
    let mut from = rate.start_ms;
    let values = (1..=cells)
        .map(|i| {
            let to = reached(i as f64 * step);
            let value = mean_over(series, from, to);
            from = to;
            value
        })
        .collect();
    Some(TimeSeries { start_ms: 0.0, cell_ms: step, values, extremes: None, ..series.clone() })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::chart::testdata::run;

    #[test]
    fn a_drive_that_slows_down_does_so_at_an_amount() {
        // 100 B/s for 2 s, then 20 B/s for 10 s: 200 bytes fast, 200 bytes slow.
        let values: Vec<Option<f64>> = [100.0; 2].into_iter().chain([20.0; 10]).map(Some).collect();
        let record = run("a", &[]).trace(Metric::Bw, Ddir::Write, 1000.0, values);
        let over = over_amount(&record, &record.series[0]).unwrap();
        // 400 bytes in 12 cells: the first six fast, the others slow.
        assert!((over.cell_ms - 400.0 / 12.0).abs() < 1e-9);
        for (i, value) in over.values.iter().enumerate() {
            let expected = if i < 6 { 100.0 } else { 20.0 };
            assert!((value.unwrap() - expected).abs() < 1e-6, "{i}: {value:?}");
        }
    }

    #[test]
    fn an_idle_time_counts_to_the_amount_that_it_delays() {
        let values = vec![Some(100.0), Some(0.0), Some(100.0), Some(100.0)];
        let record = run("a", &[]).trace(Metric::Bw, Ddir::Write, 1000.0, values);
        let over = over_amount(&record, &record.series[0]).unwrap();
        // 300 bytes in cells of 75: 0.75 s; then 0.25 s, an idle second and 0.5 s; then 0.75 s each.
        let expected = [100.0, 75.0 / 1.75, 100.0, 100.0];
        for (value, expected) in over.values.iter().zip(expected) {
            assert!((value.unwrap() - expected).abs() < 1e-6, "{:?}", over.values);
        }
    }

    #[test]
    fn iops_and_a_block_size_say_how_much_was_moved() {
        let with_bs = run("a", &[(Dimension::Bs, "4k")]);
        let record = with_bs.trace(Metric::Iops, Ddir::Read, 500.0, vec![Some(10.0); 4]);
        // 10 a second for 2 s at 4 KiB: 81,920 bytes.
        assert!((over_amount(&record, &record.series[0]).unwrap().cell_ms - 20_480.0).abs() < 1e-6);
        let without = run("a", &[]).trace(Metric::Iops, Ddir::Read, 500.0, vec![Some(10.0); 4]);
        assert_eq!(over_amount(&without, &without.series[0]), None);
        assert!(knows(&record, Ddir::Read) && !knows(&without, Ddir::Read));
        let idle = run("a", &[]).trace(Metric::Bw, Ddir::Read, 500.0, vec![Some(0.0); 4]);
        assert_eq!(over_amount(&idle, &idle.series[0]), None);
    }
}
