//! Axes of distributions: quantiles by their depth 1/(1 - p), and values between their ends.
//!
//! In: the deepest quantile, or the values' extent. Out: axes whose ticks people count in. Places nothing.

use crate::chart::scale::{Extent, linear_ticks, multiples, nice_step};
use crate::chart::{Axis, AxisScale, Tick};
use crate::model::unit::DisplayUnit;

/// The quantile at a depth of 10^`nines`: `90 %`, `99.9 %`.
fn label(nines: usize) -> String {
    match nines {
        0 => "0".to_owned(),
        1 => "90 %".to_owned(),
        2 => "99 %".to_owned(),
        more => format!("99.{} %", "9".repeat(more - 2)),
    }
}

/// An axis of quantiles down to the depth `deepest`, with at most `most` ticks.
///
/// It is a log axis of 1/(1 - p): 90, 99 and 99.9 % stand at equal steps.
pub(in crate::chart) fn quantile_axis(deepest: f64, most: usize) -> Axis {
    let deepest = if deepest.is_finite() { deepest.max(10.0) } else { 10.0 };
    let nines = (deepest * (1.0 + 1e-9)).log10().floor().max(1.0) as usize;
    let tick = |at: f64, label: String| Tick { at, label, grid: true };
    let stride = nines.div_ceil(most.max(1)).max(1);
    let mut ticks: Vec<Tick> = Vec::new();
    // The median and the smallest value stand close: they are the first to give way.
    ticks.extend((most >= nines + 2).then(|| tick(1.0, label(0))));
    ticks.extend((most > nines).then(|| tick(2.0, "50 %".to_owned())));
    ticks.extend((1..=nines).step_by(stride).map(|n| tick(10f64.powi(n as i32), label(n))));
    Axis { scale: AxisScale::Log, min: 1.0, max: deepest, ticks, title: String::new() }
}

/// A linear axis that begins near the smallest value, not at zero: places on it are compared, not lengths.
pub(in crate::chart) fn snug_axis(extent: &Extent, unit: &DisplayUnit, steps: usize) -> Axis {
    let finite = |v: f64| if v.is_finite() { (v / unit.divisor).clamp(-1e300, 1e300) } else { 0.0 };
    let (mut low, mut high) = (finite(extent.min), finite(extent.max));
    if high - low <= 1e-9 * high.abs().max(1e-9) {
        let pad = (0.05 * high.abs()).max(1e-6);
        (low, high) = (low - pad, high + pad);
    }
    let step = nice_step((high - low) / steps.max(1) as f64);
    let (first, last) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
    let at = multiples(first, last, step);
    let (min, max) = (at.first().copied().unwrap_or(first), at.last().copied().unwrap_or(last));
    let mut ticks = linear_ticks(&at, step, unit);
    ticks.iter_mut().for_each(|tick| tick.grid = false);
    Axis {
        scale: AxisScale::Linear,
        min,
        max: if max > min { max } else { min + 1.0 },
        ticks,
        title: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn each_further_nine_takes_the_same_room() {
        let axis = quantile_axis(100_000.0, 8);
        assert_eq!(labels(&axis), ["0", "50 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"]);
        let at: Vec<f64> = axis.ticks.iter().map(|t| axis.position(t.at)).collect();
        for (found, expected) in at.iter().zip([0.0, 0.0602, 0.2, 0.4, 0.6, 0.8, 1.0]) {
            assert!((found - expected).abs() < 1e-4, "{at:?}");
        }
    }

    #[test]
    fn a_narrow_axis_skips_nines() {
        assert_eq!(labels(&quantile_axis(1e6, 4)), ["90 %", "99.9 %", "99.999 %"]);
        assert_eq!(labels(&quantile_axis(3.0, 8)), ["0", "50 %", "90 %"]);
    }
}
