//! Transforms of lines over run time: moving means, running totals, lines on each other.
//!
//! In: traces as they were measured. Out: traces as they are drawn. What a transform did is said by
//! [`said`], which the subtitle holds: none is silent.

use super::ChartError;
use super::names::{duration, what_of};
use super::scene::{Data, Scene, ScenePanel, Series};
use super::select::metrics;
use super::trace::{Trace, resampled, span};
use crate::model::{Ddir, Metric, TimeSeries};
use crate::spec::{ChartSpec, Mark, Transform, XChannel};

/// Refuses transforms that would make figures that mean nothing.
pub(super) fn check(spec: &ChartSpec) -> Result<(), ChartError> {
    let refused = |text: String| Err(ChartError::Unsupported(text));
    let adds_up = |what: &str| {
        let wrong = metrics(spec).iter().find(|metric| !metric.is_rate());
        wrong.map(|metric| {
            format!("{what} add values up, and {} does not add up; bw and iops do", metric.title())
        })
    };
    for (index, transform) in spec.transforms.iter().enumerate() {
        let over_time = match transform {
            Transform::Smooth(_) => Some("moving means"),
            Transform::Cumulate => Some("running totals"),
            Transform::Stack => Some("series on each other"),
            Transform::Rounds | Transform::Bin | Transform::Ecdf | Transform::Exceedance => None,
        };
        if let Some(what) = over_time
            && !matches!(spec.x, XChannel::Time | XChannel::Amount)
        {
            return refused(format!(
                "{what} are of lines over run time; use x = \"time\", or leave it out of transforms"
            ));
        }
        let same = |other: &Transform| std::mem::discriminant(other) == std::mem::discriminant(transform);
        if spec.transforms[..index].iter().any(same) {
            return refused("a transform is named twice; once is enough".to_owned());
        }
        if over_time.is_none() && *transform != Transform::Rounds && spec.x != XChannel::Value {
            return refused(
                "bin, ecdf and exceedance are of the values that a metric takes; use x = \"value\""
                    .to_owned(),
            );
        }
    }
    if spec.has(Transform::Cumulate)
        && let Some(text) = adds_up("running totals")
    {
        return refused(text);
    }
    if spec.has(Transform::Stack) {
        if spec.mark != Mark::Area {
            return refused("series lie on each other as areas; use mark = \"area\"".to_owned());
        }
        if let Some(text) = adds_up("series on each other") {
            return refused(text);
        }
    }
    if spec.has(Transform::Rounds) && spec.transforms.len() > 1 {
        return refused("steady state is judged by what was measured; leave other transforms out".to_owned());
    }
    if spec.has(Transform::Cumulate) && spec.by_metric() {
        return refused("panels of several metrics show what was measured, no running totals".to_owned());
    }
    Ok(())
}

/// The transforms that each line goes through by itself, in the order of the spec.
pub(super) fn of_line(mut trace: Trace, spec: &ChartSpec, notes: &mut Vec<String>) -> Trace {
    for transform in &spec.transforms {
        match transform {
            Transform::Smooth(ms) => {
                // More than all of the line on both sides is no more than that.
                let most = 2.0 * trace.mean.len() as f64 + 1.0;
                let cells = (ms / trace.cell_ms).round().clamp(1.0, most) as usize;
                if cells < 2 {
                    let note = format!(
                        "The windows of {} are as long as the moving mean over {}: lines are as measured.",
                        duration(trace.cell_ms),
                        duration(*ms)
                    );
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                    continue;
                }
                // As many windows before as after.
                trace = trace.moving(cells + 1 - cells % 2);
            }
            Transform::Cumulate => trace = cumulated(trace),
            _ => {}
        }
    }
    trace
}

/// The running total of a rate: each cell holds what had come together at its middle, the last one all of it.
fn cumulated(trace: Trace) -> Trace {
    let seconds = trace.cell_ms / 1e3;
    let mut sum = 0.0;
    let last = trace.mean.len().saturating_sub(1);
    let mean = trace.mean.iter().enumerate().map(|(i, rate)| {
        let step = rate.unwrap_or(0.0) * seconds;
        sum += step;
        Some(if i == last { sum } else { sum - step / 2.0 })
    });
    Trace { mean: mean.collect(), range: None, ..trace.clone() }
}

/// Brings all traces onto the coarsest of their grids, so that they can lie on each other.
pub(super) fn onto_one_grid(all: &mut [Series]) {
    let (start_ms, end) = span(all);
    let cell_ms = all.iter().filter_map(|series| series.data.trace()).map(|t| t.cell_ms).fold(0.0, f64::max);
    if !(start_ms.is_finite() && end > start_ms && cell_ms > 0.0) {
        return;
    }
    let count = ((end - start_ms) / cell_ms - 1e-6).ceil().max(1.0) as usize;
    for series in all {
        let Data::Trace(trace) = &mut series.data else { continue };
        if trace.start_ms != start_ms || trace.cell_ms != cell_ms || trace.mean.len() != count {
            let own = TimeSeries {
                metric: Metric::Iops,
                ddir: Ddir::Read,
                job: None,
                start_ms: trace.start_ms,
                cell_ms: trace.cell_ms,
                values: trace.mean.clone(),
                extremes: None,
            };
            trace.mean = resampled(&own, start_ms, cell_ms, count);
            (trace.start_ms, trace.cell_ms) = (start_ms, cell_ms);
        }
        // The range between repeats of a part says nothing about the sum.
        trace.range = None;
    }
}

/// The upper edges of the stacks of all panels, a value for each cell.
pub(super) fn stack_tops(scene: &Scene) -> Vec<Vec<f64>> {
    let panel = |panel: &ScenePanel| {
        let mut sums: Vec<f64> = Vec::new();
        for trace in panel.shown.iter().filter_map(|&i| scene.series.get(i)?.data.trace()) {
            sums.resize(sums.len().max(trace.mean.len()), 0.0);
            sums.iter_mut().zip(&trace.mean).for_each(|(sum, value)| *sum += value.unwrap_or(0.0));
        }
        sums
    };
    scene.panels.iter().map(panel).collect()
}

/// What the subtitle says of the transforms and of the part of the run that is shown.
pub(super) fn said(spec: &ChartSpec, band: &str) -> Vec<String> {
    let mut said = Vec::new();
    for transform in &spec.transforms {
        match transform {
            Transform::Smooth(ms) => {
                let band = if spec.has(Transform::Cumulate) || spec.mark == Mark::Area {
                    String::new()
                } else {
                    format!(", band: {band}")
                };
                said.push(format!("moving mean over {}{band}", duration(*ms)));
            }
            Transform::Cumulate => {
                said.push(format!("running total: {} since the start", what_of(spec.y.metric)))
            }
            Transform::Stack => said.push("areas on each other, the upper edge is their sum".to_owned()),
            _ => {}
        }
    }
    if spec.total {
        said.push("total: all directions added up".to_owned());
    }
    let (from, to) = spec.span_ms();
    let time = |ms: f64| duration(ms);
    let cut = match (from, to) {
        (None, None) => None,
        (Some(from), None) if spec.skip_ms == Some(from) => Some(format!("without the first {}", time(from))),
        (Some(from), None) => Some(format!("from {} on", time(from))),
        (None, Some(to)) => Some(format!("the first {}", time(to))),
        (Some(from), Some(to)) => Some(format!("{} to {} of the run", time(from), time(to))),
    };
    said.extend(cut.map(|cut| match &spec.x {
        XChannel::Time => cut,
        XChannel::Amount if from.is_some() => format!("{cut}, from the logs; data counted from there on"),
        _ => format!("{cut}, from the logs"),
    }));
    said
}
