//! From a scene to axes: unit and scale first, ticks once the length is known.
//!
//! In: a scene and its spec. Out: plans that make the axes of any panel size,
//! with as many ticks as their labels leave room for.

use super::layout::Style;
use super::scale::{self, Extent};
use super::scene::{Data, Scene, SceneX, Series};
use super::{Axis, AxisScale, boxes, cells, distribution, expectation, names, text, transform};
use crate::model::unit::{BaseUnit, DisplayUnit, UnitSystem, plain};
use crate::model::{Ddir, Metric};
use crate::spec::{Channel, ChartSpec, Mark, ScaleKind, Transform, XChannel};

/// How the y axis will be made once its height is known.
#[derive(Debug, Clone)]
pub(super) struct YPlan {
    /// What it covers, base units.
    pub extent: Extent,
    /// Its unit.
    pub unit: DisplayUnit,
    /// The unit that its values are kept in.
    pub base: BaseUnit,
    /// Its scale.
    pub kind: ScaleKind,
    /// Share that stays free above the largest value.
    pub headroom: f64,
    /// What it shows, with its unit.
    pub title: String,
    /// Names of rows from bottom to top, where the axis has no values.
    pub rows: Option<Vec<String>>,
    /// True when each tick has its own unit, since they lie decades apart: labels stand whole beside the plot.
    pub whole: bool,
    /// Text above the axis; empty where the subtitle says what it shows.
    pub caption: String,
    /// Ends that the user chose, base units.
    pub limits: (Option<f64>, Option<f64>),
}

/// The y axes of a chart: one for all panels, or one for each where panels show metrics of their own.
#[derive(Debug, Clone)]
pub(super) struct YPlans {
    /// The axis of the spec's own measure.
    pub shared: YPlan,
    /// The axes of the panels; empty where all share one.
    pub own: Vec<YPlan>,
}

impl YPlans {
    /// The axis of a panel.
    pub(super) fn of(&self, panel: usize) -> &YPlan {
        self.own.get(panel).unwrap_or(&self.shared)
    }

    /// The axis of a series.
    pub(super) fn of_series(&self, scene: &Scene, series: usize) -> &YPlan {
        let panel =
            scene.panels.iter().position(|p| p.shown.contains(&series) || p.context.contains(&series));
        self.of(panel.unwrap_or(0))
    }
}

impl YPlan {
    /// True when labels stand whole left of the plot, and not their numbers alone.
    pub(super) fn has_whole_labels(&self) -> bool {
        self.rows.is_some() || self.whole
    }

    pub(super) fn axis(&self, height: f64, style: &Style) -> Axis {
        if let Some(rows) = &self.rows {
            return Axis { title: self.title.clone(), ..scale::category_axis(rows) };
        }
        let least = if height >= 4.0 * style.tick { 2 } else { 1 };
        // Decades with a unit each read as rows do, closer than lines of a grid.
        let (step, most) = if self.whole { (2.4 * style.tick, 14) } else { (style.step, 7) };
        let steps = ((height / step) as usize).clamp(least, most);
        let mut axis = match self.kind {
            ScaleKind::Log2 => scale::log_axis(&self.extent, &self.unit, 2.0, steps),
            ScaleKind::Log10 => {
                // Powers of ten are few and say little alone: as many as their labels leave room for.
                let steps = ((height / (2.6 * style.tick)) as usize).max(steps);
                scale::log_axis(&self.extent, &self.unit, 10.0, steps)
            }
            ScaleKind::Auto | ScaleKind::Linear => {
                scale::linear_axis(&self.extent, &self.unit, steps, self.headroom)
            }
        };
        scale::limit(&mut axis, self.limits, &self.unit, steps);
        axis.title.clone_from(&self.title);
        if self.whole {
            for tick in &mut axis.ticks {
                let own = DisplayUnit::choose(self.base, tick.at * self.unit.divisor, UnitSystem::default());
                tick.label =
                    format!("{} {}", plain(tick.at * self.unit.divisor / own.divisor, 3), own.suffix);
            }
        }
        axis
    }
}

/// How the x axis will be made once its width is known.
#[derive(Debug, Clone)]
pub(super) struct XPlan {
    /// Values of the axis.
    pub values: SceneX,
    /// Its scale, resolved.
    pub kind: ScaleKind,
    /// x values per axis unit: ms of a time unit, base units of a measure.
    pub divisor: f64,
    /// What it covers, for a measure.
    pub extent: Extent,
    /// Unit, for a measure.
    pub unit: DisplayUnit,
    /// Text below the axis; empty where ticks speak for themselves.
    pub caption: String,
    /// The axis in words, always.
    pub title: String,
    /// Prefixes of amounts of data.
    pub system: UnitSystem,
    /// True when grid lines stand at its ticks.
    pub grid: bool,
    /// Ends that the user chose, in the values of the axis.
    pub limits: (Option<f64>, Option<f64>),
}

impl XPlan {
    /// The axis on `width` pixels, with as many ticks as their labels leave room for.
    pub(super) fn axis(&self, width: f64, style: &Style) -> Axis {
        let mut axis = match &self.values {
            SceneX::Time(start, end) => {
                let unit = scale::time_unit(end - start);
                most_steps(width, style, |most| unit.axis(*start, *end, most))
            }
            SceneX::Amount(start, end) => {
                let unit = scale::amount_unit(*end, self.system);
                most_steps(width, style, |most| unit.axis(*start, *end, most))
            }
            SceneX::Values(values) => {
                let mut axis = scale::value_axis(values, self.kind != ScaleKind::Linear);
                scale::limit_ends(&mut axis, self.limits);
                axis
            }
            SceneX::Categories(labels) => scale::category_axis(labels),
            SceneX::Quantile => {
                most_steps(width, style, |most| distribution::quantile_axis(self.extent.max, most))
            }
            SceneX::Value if self.kind == ScaleKind::Linear => {
                most_steps(width, style, |most| distribution::snug_axis(&self.extent, &self.unit, most))
            }
            SceneX::Measure(_) | SceneX::Value => most_steps(width, style, |most| {
                let mut axis = match self.kind {
                    ScaleKind::Log10 => scale::log_axis(&self.extent, &self.unit, 10.0, most),
                    ScaleKind::Log2 => scale::log_axis(&self.extent, &self.unit, 2.0, most),
                    _ => scale::linear_axis(&self.extent, &self.unit, most, 0.03),
                };
                scale::limit(&mut axis, self.limits, &self.unit, most);
                if axis.scale == AxisScale::Linear {
                    // Boxes in rows have no other grid.
                    let grid = self.grid;
                    axis.ticks.iter_mut().for_each(|t| t.grid = grid);
                }
                axis
            }),
        };
        axis.title.clone_from(&self.title);
        axis
    }
}

/// The axis with the most ticks whose labels stay apart.
fn most_steps(width: f64, style: &Style, axis: impl Fn(usize) -> Axis) -> Axis {
    let fits = |axis: &Axis| {
        let places: Vec<(f64, f64)> = axis
            .ticks
            .iter()
            .map(|t| (axis.position(t.at) * width, text::width(&t.label, style.tick, false)))
            .collect();
        places.windows(2).all(|w| w[1].0 - w[0].0 >= (w[0].1 + w[1].1) / 2.0 + style.tick * 1.6)
    };
    let most = ((width / (style.tick * 5.0)) as usize).clamp(2, 10);
    (1..=most).rev().map(&axis).find(fits).unwrap_or_else(|| axis(1))
}

/// Resolves scale and unit of the x axis.
pub(super) fn x_plan(scene: &Scene, spec: &ChartSpec, ddirs: &[Ddir]) -> XPlan {
    let count = DisplayUnit::choose(BaseUnit::PerSecond, 0.0, spec.units);
    let mut plan = XPlan {
        values: scene.x.clone(),
        kind: ScaleKind::Linear,
        divisor: 1.0,
        extent: Extent { min: 0.0, min_positive: f64::INFINITY, max: 1.0, cut: false },
        unit: count,
        caption: String::new(),
        title: String::new(),
        system: spec.units,
        grid: !scene.rows.is_empty(),
        limits: (spec.x_min, spec.x_max),
    };
    let noted = |title: &str, kind: ScaleKind| match (kind, title.strip_suffix(')')) {
        (ScaleKind::Linear, _) => title.to_owned(),
        (_, Some(open)) => format!("{open}, log scale)"),
        (_, None) => format!("{title} (log scale)"),
    };
    match &scene.x {
        SceneX::Quantile => {
            plan.extent = distribution::x_extent(scene);
            plan.title = "Share of values at or below (log scale of 1/(1 − p))".to_owned();
            if let Some(source) = &scene.distribution {
                plan.title = plan.title.replace("values", source.samples());
            }
            plan.caption.clone_from(&plan.title);
        }
        SceneX::Value => {
            plan.extent = distribution::x_extent(scene);
            let log = scene.distribution.as_ref().is_some_and(|d| d.log);
            // Decades of counts read best as they are; of latencies in the unit of the tail.
            let middle = (plan.extent.min_positive * plan.extent.max).sqrt();
            let typical = if log && !spec.y.metric.is_latency() { middle } else { plan.extent.max * 0.6 };
            plan.unit = DisplayUnit::choose(spec.y.unit(), typical, spec.units);
            plan.divisor = plan.unit.divisor;
            if let Some(source) = &scene.distribution {
                plan.kind = if source.log { ScaleKind::Log10 } else { ScaleKind::Linear };
                plan.title = distribution::values_title(spec, &plan.unit, source);
            }
            plan.caption.clone_from(&plan.title);
        }
        SceneX::Time(start, end) => {
            let unit = scale::time_unit(end - start);
            plan.divisor = unit.divisor;
            plan.title = format!("Run time ({})", unit.suffix);
        }
        SceneX::Amount(_, end) => {
            let unit = scale::amount_unit(*end, spec.units);
            plan.divisor = unit.divisor;
            plan.title = format!("Data {} so far ({})", names::moved(ddirs), unit.suffix);
            plan.caption.clone_from(&plan.title);
        }
        SceneX::Values(values) => {
            let numbers: Vec<f64> = values.iter().map(|v| v.0).collect();
            let positive = numbers.first().is_some_and(|&v| v > 0.0);
            plan.kind = match spec.x_scale {
                ScaleKind::Auto if scale::doubles(&numbers) => ScaleKind::Log2,
                ScaleKind::Log2 | ScaleKind::Log10 if positive => spec.x_scale,
                _ => ScaleKind::Linear,
            };
            if let XChannel::Dimension(dimension) = &spec.x {
                plan.title = names::capitalised(&names::dimension_title(dimension));
            }
            plan.caption = noted(&plan.title, plan.kind);
        }
        SceneX::Categories(_) => {
            if let XChannel::Dimension(dimension) = &spec.x {
                plan.title = names::capitalised(&names::dimension_title(dimension));
                let solid = scene.grid.as_ref().is_some_and(|grid| grid.solid);
                if !names::speaks_for_itself(dimension) && !solid {
                    plan.caption.clone_from(&plan.title);
                }
            }
        }
        SceneX::Measure(measure) => {
            let xs: Vec<f64> = scene.series.iter().flat_map(|s| s.data.xs()).collect();
            plan.extent = scale::robust_extent(&[]);
            plan.extent.max = xs.iter().copied().fold(0.0, f64::max);
            plan.extent.min_positive = xs.iter().copied().filter(|&v| v > 0.0).fold(f64::INFINITY, f64::min);
            if !scene.rows.is_empty() {
                plan.extent = boxes::extent(scene);
            }
            let zero = xs.iter().any(|&v| v <= 0.0);
            plan.kind = match spec.x_scale {
                ScaleKind::Auto if !zero && plan.extent.max > 200.0 * plan.extent.min_positive => {
                    ScaleKind::Log10
                }
                ScaleKind::Log2 | ScaleKind::Log10 if !zero => spec.x_scale,
                _ => ScaleKind::Linear,
            };
            plan.unit = DisplayUnit::choose(measure.unit(), plan.extent.max * 0.6, spec.units);
            plan.divisor = plan.unit.divisor;
            let phrase = names::measure_phrase(*measure);
            plan.title = names::capitalised(&phrase);
            plan.caption = noted(&plan.title, plan.kind);
        }
    }
    plan
}

/// How many times the lowest level that lines hold the highest one is, for a linear axis to hide the steps below it.
const CLIFF: f64 = 30.0;
/// Share of windows without I/O up to which gaps in a line on a log axis tell no lie.
const FEW_ZEROS: f64 = 0.01;

/// True when lines over a run go through levels so far apart that a linear axis shows the highest alone.
///
/// A level is held for a tenth of the windows of a line: the medians of its lowest and its highest tenth are compared,
/// so that a stall or a burst is none. Where windows without I/O matter, their zeros keep the axis linear.
fn has_cliff(shown: &[&Series], spec: &ChartSpec) -> bool {
    let amounts = spec.has(Transform::Cumulate) || spec.has(Transform::Rounds);
    let traces: Vec<_> = shown.iter().filter_map(|series| series.data.trace()).collect();
    if spec.mark != Mark::Line || amounts || traces.is_empty() {
        return false;
    }
    let (mut lowest, mut highest) = (f64::INFINITY, 0.0f64);
    for trace in traces {
        let mut values: Vec<f64> = trace.mean.iter().flatten().copied().filter(|v| v.is_finite()).collect();
        let zeros = values.iter().filter(|v| **v <= 0.0).count();
        if values.len() < 10 || zeros as f64 > FEW_ZEROS * values.len() as f64 {
            return false;
        }
        let tenth = values.len() / 10;
        let highest_place = values.len() - 1 - tenth / 2;
        let (below, high, _) = values.select_nth_unstable_by(highest_place, f64::total_cmp);
        highest = highest.max(*high);
        lowest = lowest.min(*below.select_nth_unstable_by(tenth / 2, f64::total_cmp).1);
    }
    lowest > 0.0 && highest > CLIFF * lowest
}

/// True when a spec asks for a log axis.
fn is_log_scale(kind: ScaleKind) -> bool {
    matches!(kind, ScaleKind::Log2 | ScaleKind::Log10)
}

/// True when an axis is logarithmic.
pub(super) fn is_log(axis: &Axis) -> bool {
    axis.scale == AxisScale::Log
}

/// The y axes of all panels.
pub(super) fn y_plans(scene: &mut Scene, spec: &ChartSpec) -> YPlans {
    if !spec.by_metric() {
        return YPlans { shared: y_plan(scene, spec, None), own: Vec::new() };
    }
    let own: Vec<YPlan> = (0..scene.panels.len()).map(|panel| y_plan(scene, spec, Some(panel))).collect();
    // The references of the spec's own measure stand in its panel; without one they stand nowhere.
    let shared = own.first().cloned().unwrap_or_else(|| y_plan(scene, spec, None));
    YPlans { shared, own }
}

/// Extent, unit and scale of the y axis of one panel or of all; notes references that lie far above the data.
fn y_plan(scene: &mut Scene, spec: &ChartSpec, panel: Option<usize>) -> YPlan {
    if let Some(grid) = &scene.grid {
        return cells::y_plan(scene, grid, spec);
    }
    if let Some(shares) = distribution::y_plan(scene) {
        return shares;
    }
    if let Some(rows) = boxes::y_plan(scene, spec) {
        return rows;
    }
    let shown: Vec<&Series> = match panel.and_then(|panel| scene.panels.get(panel)) {
        Some(panel) => {
            let all = panel.shown.iter().chain(&panel.context);
            all.filter_map(|&i| scene.series.get(i)).collect()
        }
        None => scene.series.iter().collect(),
    };
    let measure = shown.first().filter(|_| panel.is_some()).map_or(spec.y, |series| scene.measure_of(series));
    let tops: Vec<Vec<f64>> = if spec.has(Transform::Stack) {
        transform::stack_tops(scene)
    } else {
        shown.iter().map(|s| s.data.tops()).collect()
    };
    let cliff = spec.y_scale == ScaleKind::Auto && measure.metric.is_rate() && has_cliff(&shown, spec);
    let wanted = if cliff { ScaleKind::Log10 } else { spec.y_scale };
    let mut extent = match scene.x {
        // A log axis holds the largest value, too, without flattening the others.
        SceneX::Time(..) | SceneX::Amount(..) if !is_log_scale(wanted) => scale::robust_extent(&tops),
        _ if spec.mark == Mark::Box => boxes::extent(scene),
        // A figure of a run is never an outlier to be cut.
        _ => tops.iter().fold(scale::robust_extent(&[]), |e, t| {
            let own = scale::robust_extent(&t.iter().map(|v| vec![*v]).collect::<Vec<_>>());
            Extent {
                min: e.min.min(own.min),
                min_positive: e.min_positive.min(own.min_positive),
                max: e.max.max(t.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max)),
                cut: false,
            }
        }),
    };
    for series in &shown {
        if let Data::Trace(trace) = &series.data {
            let lows = trace.mean.iter().flatten().copied().filter(|v| *v > 0.0);
            extent.min_positive = lows.fold(extent.min_positive, f64::min);
        }
    }
    if let Some(first) = distribution::first_value(scene) {
        extent.min_positive = extent.min_positive.max(first);
    }
    let data_max = extent.max;
    let expected: Vec<f64> =
        scene.expectations().flat_map(|e| [Some(e.saturated), e.shallow]).flatten().collect();
    let (near, far): (Vec<f64>, Vec<f64>) =
        expected.into_iter().partition(|value| *value <= expectation::REACH * data_max);
    extent.max = near.into_iter().fold(extent.max, f64::max);
    if !far.is_empty() {
        scene.notes.push(
            "Some expectations of the RAID model lie far above the bars; the table has them.".to_owned(),
        );
    }
    let named = if measure == spec.y { spec.references.as_slice() } else { &[] };
    for reference in named {
        let value = reference.value;
        if value.is_finite() && value > 0.0 && (value <= 2.5 * data_max || data_max <= 0.0) {
            extent.max = extent.max.max(value);
            extent.min_positive = extent.min_positive.min(value);
        } else {
            let (label, text) = (names::clean(&reference.label), names::single(value, spec.y, spec));
            scene.notes.push(format!("{label} ({text}) lies outside the axis and is not drawn."));
        }
    }
    let kind = match wanted {
        ScaleKind::Log2 | ScaleKind::Log10 if matches!(spec.mark, Mark::Bar | Mark::Area) => {
            let what = if spec.mark == Mark::Bar { "Bars" } else { "Areas" };
            scene.notes.push(format!("{what} start at zero: their axis is linear."));
            ScaleKind::Linear
        }
        ScaleKind::Log2 | ScaleKind::Log10 if extent.min_positive.is_finite() => wanted,
        ScaleKind::Auto if scene.distribution.as_ref().is_some_and(|d| d.log) => ScaleKind::Log10,
        _ => ScaleKind::Linear,
    };
    let mut limits = (spec.y_min, spec.y_max);
    if measure != spec.y {
        limits = (None, None);
    }
    if matches!(spec.mark, Mark::Bar | Mark::Area) && limits.0.take().is_some_and(|min| min != 0.0) {
        let what = if spec.mark == Mark::Bar { "Bars" } else { "Areas" };
        scene.notes.push(format!("{what} start at zero: y_min has no effect on them."));
    }
    let unit = DisplayUnit::choose(spec.unit(measure), limits.1.unwrap_or(extent.max) * 0.6, spec.units);
    let log = if kind == ScaleKind::Linear { "" } else { ", log scale" };
    let name = match spec.color {
        // Its lines are of several statistics.
        Some(Channel::Stat) => format!("{} ({})", measure.metric.title(), unit.axis),
        _ => names::column(measure, &unit),
    };
    let mut title = format!("{}{log}", names::capitalised(&name));
    if let Some(source) = &scene.distribution {
        title = distribution::values_title(spec, &unit, source);
    }
    // Where x is a figure too, the subtitle does not say which is which.
    let caption = match scene.x {
        SceneX::Measure(_) => names::capitalised(&names::measure_phrase(scene.y)),
        SceneX::Quantile => title.clone(),
        _ if kind != ScaleKind::Linear => title.clone(),
        _ => String::new(),
    };
    // A share ends at the whole.
    let share = matches!(measure.metric, Metric::Util | Metric::Cpu) && extent.max > 0.9 && extent.max <= 1.0;
    let headroom = match spec.mark {
        _ if share => 0.0,
        Mark::Bar => 0.08,
        Mark::Box => 0.05,
        _ => 0.02,
    };
    let base = spec.unit(measure);
    YPlan { extent, unit, base, kind, headroom, title, rows: None, whole: false, caption, limits }
}
