//! The part of a run in which I/O was asked for.
//!
//! In: a run with a series of it. Out: the cell from which on fio starts no I/O and only waits for what is in flight,
//! which says nothing about a level: 65 s may pass of 60.

use super::SHORTEST;
use crate::analyze::steady::{measured, seconds};
use crate::model::{Run, TimeSeries};
use std::collections::BTreeMap;

/// The cells in which I/O was asked for: up to the `runtime` of the jobs, or without one up to a last row behind a pause.
pub(super) fn cells(run: &Run, series: &TimeSeries) -> usize {
    let Some(runtime_ms) = runtime_ms(run) else { return before_last_pause(&series.values) };
    let begin = measured(run, series);
    let asked = (runtime_ms - series.start_ms).max(0.0) / series.cell_ms;
    // A row stamped some ms late reaches into the next cell.
    begin.saturating_add(asked.round() as usize).min(series.values.len())
}

/// The longest `runtime` of the jobs, ms; None where one has none, or starts late.
fn runtime_ms(run: &Run) -> Option<f64> {
    let own = run.jobs.iter().map(|job| &job.options).filter(|options| !options.is_empty());
    let each = std::iter::once(&run.options).chain(own).map(|options: &BTreeMap<String, String>| {
        let text = ["runtime", "timeout"].iter().find_map(|key| options.get(*key))?;
        let starts_late = options.get("startdelay").is_some_and(|delay| delay.trim() != "0");
        seconds(text).filter(|s| *s > 0.0 && !starts_late).map(|s| s * 1000.0)
    });
    each.reduce(|a, b| Some(a?.max(b?))).flatten()
}

/// The cells before a last row that stands alone behind a pause as long as a phase; all where there is none.
///
/// A row may lie across two cells. Whether the device had stopped, or the queue ran empty, the row alone does not tell.
fn before_last_pause(values: &[Option<f64>]) -> usize {
    let is_idle = |value: &Option<f64>| value.is_none_or(|v| v == 0.0);
    let alone = values.iter().rev().take_while(|value| !is_idle(value)).count();
    let pause = values.iter().rev().skip(alone).take_while(|value| is_idle(value)).count();
    if (1..=2).contains(&alone) && pause + alone >= SHORTEST {
        values.len() - alone - pause
    } else {
        values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_row_behind_a_pause_is_no_part_of_what_was_asked() {
        let with = |tail: &[f64]| {
            let values = [&[40.0; 20], tail].concat();
            before_last_pause(&values.into_iter().map(Some).collect::<Vec<_>>())
        };
        // 21 idle windows of 250 ms and one of an I/O: fio 2.16 with runtime=60, whose last write took 5 s.
        assert_eq!(with(&[[0.0; 20].as_slice(), &[1.0, 3.0]].concat()), 20);
        assert_eq!(with(&[0.0, 0.0, 0.0, 0.0, 4.0]), 20);
        // A short pause, windows of no I/O up to the end, and a rate that comes back are of the run.
        assert_eq!(with(&[0.0, 0.0, 0.0, 4.0]), 24);
        assert_eq!(with(&[0.0; 8]), 28);
        assert_eq!(with(&[0.0, 0.0, 0.0, 0.0, 0.0, 40.0, 40.0, 40.0]), 28);
    }
}
