//! What the axes of distributions cover.
//!
//! In: a scene of distributions. Out: the plan of an axis of shares, and extent and title of an axis of values.

use super::{Form, Source};
use crate::chart::axes::YPlan;
use crate::chart::names;
use crate::chart::scale::{self, CUT_FACTOR, Extent};
use crate::chart::scene::{Data, Scene, SceneX};
use crate::model::unit::{BaseUnit, DisplayUnit};
use crate::spec::{ChartSpec, ScaleKind};

/// The y axis of shares; None when y shows something else.
pub(in crate::chart) fn y_plan(scene: &Scene) -> Option<YPlan> {
    let source = scene.distribution.as_ref().filter(|_| scene.x == SceneX::Value)?;
    let ys: Vec<f64> = scene.series.iter().flat_map(|s| s.data.tops()).filter(|y| *y > 0.0).collect();
    let least = ys.iter().copied().fold(1.0, f64::min);
    let (max, kind, log) = match source.form {
        Form::Bins => (highest(scene), ScaleKind::Linear, ""),
        Form::Exceedance => (1.0, ScaleKind::Log10, ", log scale"),
        Form::Cumulative | Form::Quantiles => (1.0, ScaleKind::Linear, ""),
    };
    let what = match source.form {
        Form::Bins => "in a bin",
        Form::Exceedance => "above",
        Form::Cumulative | Form::Quantiles => "at or below",
    };
    let title = format!("Share of {} {what} (%{log})", source.samples());
    Some(YPlan {
        extent: Extent { min: 0.0, min_positive: least, max, cut: false },
        unit: DisplayUnit::PERCENT,
        base: BaseUnit::One,
        kind,
        headroom: 0.0,
        rows: None,
        whole: false,
        limits: (None, None),
        caption: title.clone(),
        title,
    })
}

/// How far the axis of shares reaches: so far that one narrow histogram does not flatten the others.
///
/// A peak more than [`CUT_FACTOR`] times as high as that of a typical histogram is cut, marked and told. The typical
/// one is the lower median: of two, the flatter one. A histogram alone has its peak.
fn highest(scene: &Scene) -> f64 {
    let peak = |data: &Data| data.tops().into_iter().filter(|y| y.is_finite()).fold(0.0, f64::max);
    let mut peaks: Vec<f64> =
        scene.series.iter().map(|series| peak(&series.data)).filter(|peak| *peak > 0.0).collect();
    peaks.sort_by(f64::total_cmp);
    let typical = peaks.get(peaks.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
    peaks.into_iter().filter(|peak| *peak <= CUT_FACTOR * typical).fold(typical, f64::max)
}

/// Where an axis of values begins: what fewer than 1 % of a line's values lie below takes no room on a log axis.
pub(in crate::chart) fn first_value(scene: &Scene) -> Option<f64> {
    let source = scene.distribution.as_ref().filter(|d| d.form != Form::Bins)?;
    let level = if source.form == Form::Quantiles { 0.01 } else { 0.001 };
    let first = |data: &Data| match data {
        Data::Distribution(distribution) => distribution.level(level),
        _ => None,
    };
    let all: Option<Vec<f64>> = scene.series.iter().map(|s| first(&s.data)).collect();
    all?.into_iter().filter(|v| *v > 0.0).reduce(f64::min)
}

/// What the axis of values covers.
pub(in crate::chart) fn x_extent(scene: &Scene) -> Extent {
    let xs: Vec<f64> = scene.series.iter().flat_map(|s| s.data.xs()).collect();
    let mut extent = scale::robust_extent(&[]);
    extent.min = xs.iter().copied().fold(f64::INFINITY, f64::min);
    extent.max = xs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    extent.min_positive = xs.iter().copied().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
    if let Some(first) = first_value(scene).filter(|_| scene.x == SceneX::Value) {
        extent.min_positive = extent.min_positive.max(first);
    }
    extent
}

/// Title of the axis of values, in `unit`.
pub(in crate::chart) fn values_title(spec: &ChartSpec, unit: &DisplayUnit, source: &Source) -> String {
    let log = if source.log { ", log scale" } else { "" };
    let name = names::capitalised(spec.y.metric.title());
    if unit.axis.contains(&name) {
        format!("{}{log}", names::capitalised(unit.axis))
    } else {
        format!("{name} ({}{log})", unit.axis)
    }
}
