//! Distributions: percentiles on an axis of 1/(1 - p), cumulative shares, tails and histograms.
//!
//! In: the selected runs. Out: a scene of curves or bins in base units. Repeats are taken together
//! through their merged histograms; latencies of I/Os and means of windows never share a chart.

mod draw;
mod plan;
mod quantile;
mod samples;
#[cfg(test)]
mod tests;
mod words;

pub(super) use plan::{first_value, values_title, x_extent, y_plan};
pub(super) use quantile::{quantile_axis, snug_axis};
pub(super) use words::{alt, subtitle, table, title_end};

use super::scale::nice_step;
use super::scene::{Data, Scene, SceneX, Series, SeriesId};
use super::select::{Facts, Selection};
use super::{ChartError, names};
use crate::analyze::distribution::{Counted, Sampled, windows};
use crate::model::unit::{UnitSystem, plain};
use crate::model::{Ddir, Measure, Stat};
use crate::spec::{ChartSpec, Mark, ScaleKind, Transform, XChannel};
use samples::{Samples, reported};
use std::collections::BTreeMap;

/// The quantiles of the table behind a picture.
const LEVELS: [f64; 13] = [0.0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999];
/// Values that span more than this ratio read better on a log axis.
const WIDE: f64 = 20.0;
/// Most bins of a histogram.
const MOST_BINS: f64 = 60.0;
/// Bins in a decade, finest first.
const PER_DECADE: [f64; 7] = [100.0, 50.0, 40.0, 20.0, 10.0, 5.0, 2.0];

/// How a distribution is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The value at each quantile.
    Quantiles,
    /// Share at or below a value.
    Cumulative,
    /// Share above a value.
    Exceedance,
    /// Shares in bins.
    Bins,
}

impl Form {
    /// The form that a spec asks for; None when it shows no distribution.
    pub(super) fn of(spec: &ChartSpec) -> Option<Form> {
        match spec.x {
            XChannel::Quantile => Some(Form::Quantiles),
            XChannel::Value if spec.has(Transform::Bin) => Some(Form::Bins),
            XChannel::Value if spec.has(Transform::Exceedance) => Some(Form::Exceedance),
            XChannel::Value if spec.has(Transform::Ecdf) => Some(Form::Cumulative),
            XChannel::Value if matches!(spec.mark, Mark::Bar | Mark::Area) => Some(Form::Bins),
            XChannel::Value => Some(Form::Cumulative),
            _ => None,
        }
    }
}

/// What a chart of distributions is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Source {
    /// How it is shown.
    pub form: Form,
    /// I/Os or windows.
    pub sampled: Sampled,
    /// What single values are of, where they are not of windows.
    pub singles: &'static str,
    /// True when some line joins percentiles that a tool reports.
    pub reported: bool,
    /// Shortest and longest window, ms; (0, 0) for I/Os.
    pub window_ms: (f64, f64),
    /// Fewest and most samples behind a line, where they are known.
    pub n: Option<(u64, u64)>,
    /// True when the axis of values is logarithmic.
    pub log: bool,
    /// Prefixes for bandwidth.
    pub units: UnitSystem,
    /// Width of a bin: its ratio on a log axis, else its length in base units.
    pub bin: f64,
}

impl Source {
    /// What was counted: `I/Os`, `fsyncs` or `windows`.
    pub(super) fn samples(&self) -> &'static str {
        if self.sampled == Sampled::Windows { "windows" } else { self.singles }
    }
}

/// A distribution in base units, x in 1/(1 - p) for quantiles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Distribution {
    /// How it is drawn.
    pub shape: Shaped,
    /// The values at [`LEVELS`], where they are known and rest on enough samples.
    pub levels: Vec<Option<f64>>,
    /// Samples behind it; None when the tool did not say.
    pub n: Option<u64>,
}

/// Points of a curve, or bins.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shaped {
    /// A curve.
    Curve {
        /// Its points as far as at least ten samples lie beyond.
        solid: Vec<(f64, f64)>,
        /// Where fewer do; begins with the last point of `solid`.
        weak: Vec<(f64, f64)>,
        /// True for the few points that a tool reports.
        points: bool,
    },
    /// Bins as (from, to, share).
    Bins(Vec<(f64, f64, f64)>),
}

impl Distribution {
    /// All its points, those of bins at their corners.
    pub(super) fn points(&self) -> Vec<(f64, f64)> {
        match &self.shape {
            Shaped::Curve { solid, weak, .. } => solid.iter().chain(weak).copied().collect(),
            Shaped::Bins(bins) => bins.iter().flat_map(|&(from, to, y)| [(from, y), (to, y)]).collect(),
        }
    }

    /// The value at a quantile of [`LEVELS`].
    pub(super) fn level(&self, p: f64) -> Option<f64> {
        let place = LEVELS.iter().position(|level| *level == p)?;
        self.levels.get(place).copied().flatten()
    }
}

/// Which kind of samples the runs of a chart are shown by: I/Os where a run has them, else windows.
///
/// Percentiles that a tool reports have no bins.
pub(super) fn sampled(record: &crate::model::RunRecord, spec: &ChartSpec, ddir: Ddir) -> Option<Sampled> {
    match crate::analyze::distribution::sampled(record, spec.y.metric, ddir) {
        Some(Sampled::Percentiles) if Form::of(spec) == Some(Form::Bins) => {
            windows(record, spec.y.metric, ddir).map(|_| Sampled::Windows)
        }
        found => found,
    }
}

/// The scene of a chart of distributions.
pub(super) fn scene(selection: &Selection<'_>, spec: &ChartSpec, form: Form) -> Result<Scene, ChartError> {
    let metric = spec.y.metric;
    let mut groups: BTreeMap<SeriesId, (Ddir, Vec<usize>)> = BTreeMap::new();
    for &ddir in &selection.ddirs {
        for &run in &selection.runs {
            let facts = Facts { run, ddir, job: None, stat: None };
            let id = SeriesId {
                facet: selection.key(selection.channels.facet.as_ref(), facts),
                color: selection.key(selection.channels.color.as_ref(), facts),
                fold: selection.channels.fold_ddir.then_some(ddir),
            };
            let kind = sampled(&selection.campaign.runs[run], spec, ddir);
            if kind.is_some_and(|kind| {
                (kind == Sampled::Windows) == (selection.sampled == Some(Sampled::Windows))
            }) {
                groups.entry(id).or_insert((ddir, Vec::new())).1.push(run);
            }
        }
    }
    let mut notes = selection.pooled(groups.values().map(|(_, runs)| runs.as_slice()));
    let pooled = !notes.is_empty();
    let mut source = Source {
        form,
        sampled: selection.sampled.unwrap_or(Sampled::Ios),
        singles: metric.samples(),
        reported: false,
        window_ms: (f64::INFINITY, 0.0),
        n: None,
        log: false,
        units: spec.units,
        bin: 0.0,
    };
    let mut collected: Vec<(SeriesId, Vec<usize>, Samples)> = Vec::new();
    let (mut repeats, mut unmerged) = ((usize::MAX, 0), 0);
    for (id, (ddir, runs)) in groups {
        let records = || runs.iter().map(|&run| &selection.campaign.runs[run]);
        let samples = if source.sampled == Sampled::Windows {
            let of_runs: Vec<_> = records().filter_map(|record| windows(record, metric, ddir)).collect();
            for one in &of_runs {
                source.window_ms.0 = source.window_ms.0.min(one.cell_ms);
                source.window_ms.1 = source.window_ms.1.max(one.cell_ms);
            }
            let values: Vec<f64> = of_runs.into_iter().flat_map(|w| w.values).collect();
            Counted::of_values(&values).map(Samples::Counted)
        } else if let Some(counted) = Counted::of_ios(records().map(|r| &r.run), metric, ddir) {
            Some(Samples::Counted(counted))
        } else if form == Form::Bins {
            None
        } else {
            source.reported = true;
            unmerged += usize::from(runs.len() > 1);
            reported(selection, &runs, spec, ddir)
        };
        let Some(samples) = samples else { continue };
        repeats = (repeats.0.min(runs.len()), repeats.1.max(runs.len()));
        collected.push((id, runs, samples));
    }
    if collected.is_empty() {
        return Err(ChartError::NoData(format!(
            "no run has the values of single {} or windows of {}",
            metric.samples(),
            metric.title()
        )));
    }
    if source.window_ms.1 == 0.0 {
        source.window_ms.0 = 0.0;
    }
    if source.reported {
        notes.push(format!(
            "Where a tool reports percentiles alone, its points are joined by straight lines{}.",
            if unmerged > 0 {
                "; of repeats they are those of the middle one at each percentile, of two of the higher, since percentiles do not average"
            } else {
                ""
            }
        ));
    }
    let left = selection.left_out;
    if left > 0 {
        notes.push(format!(
            "{left} run{} only means of windows, which are no latencies of I/Os, and {} left out.",
            if left == 1 { " has" } else { "s have" },
            if left == 1 { "is" } else { "are" }
        ));
    }
    let counts: Vec<u64> = collected.iter().filter_map(|(.., samples)| samples.n()).collect();
    source.n = counts.iter().min().copied().zip(counts.iter().max().copied());
    let ends = collected.iter().map(|(.., samples)| samples.ends(form));
    let (low, high) = ends.fold((f64::INFINITY, 0.0f64), |(a, b), (low, high)| (a.min(low), b.max(high)));
    let wanted = if form == Form::Quantiles { spec.y_scale } else { spec.x_scale };
    source.log = match wanted {
        ScaleKind::Auto => low > 0.0 && high > WIDE * low,
        ScaleKind::Linear => false,
        ScaleKind::Log2 | ScaleKind::Log10 => low > 0.0 && high > low,
    };
    let edges = if form == Form::Bins { edges(low, high, &mut source) } else { Vec::new() };
    let series: Vec<Series> = collected
        .into_iter()
        .map(|(id, runs, samples)| {
            let distribution = samples.shaped(form, &edges);
            let figure_at = if form == Form::Quantiles { 0.99 } else { 0.5 };
            let figure = distribution.level(figure_at);
            let mut series = selection.series(id, Data::Distribution(distribution));
            (series.figure, series.runs) = (figure, runs);
            series
        })
        .collect();
    if let (Some(first), Some(last)) = (edges.first(), edges.last()) {
        let inside = |s: &Series| match &s.data {
            Data::Distribution(Distribution { shape: Shaped::Bins(bins), .. }) => {
                bins.iter().map(|b| b.2).sum()
            }
            _ => 1.0,
        };
        let least: f64 = series.iter().map(inside).fold(1.0, f64::min);
        if least < 1.0 - 1e-9 {
            let text = |v: f64| names::single(v, spec.y, spec);
            notes.push(format!(
                "Up to {} % of {} lie below {} or above {} and are not drawn.",
                plain((1.0 - least) * 100.0, 2),
                source.samples(),
                text(*first),
                text(*last)
            ));
        }
    }
    let x = if form == Form::Quantiles { SceneX::Quantile } else { SceneX::Value };
    let mut scene = Scene::new(spec, series, x, (notes, pooled), repeats);
    scene.y = Measure { metric, stat: if form == Form::Quantiles { Stat::P99 } else { Stat::P50 } };
    scene.distribution = Some(source);
    scene.apart = unmerged > 0;
    Ok(scene)
}

/// Common edges of the bins of all series.
fn edges(low: f64, high: f64, source: &mut Source) -> Vec<f64> {
    // Rice's rule, the number of bins that a sample of this size fills: 2 n^(1/3).
    let n = source.n.map_or(1000.0, |n| n.1 as f64);
    let most = (2.0 * n.cbrt()).clamp(8.0, MOST_BINS);
    if source.log {
        let decades = (high / low).log10();
        let per = PER_DECADE.into_iter().find(|per| decades * per <= most).unwrap_or(2.0);
        source.bin = 10f64.powf(1.0 / per);
        let (first, last) = ((low.log10() * per + 1e-9).floor(), (high.log10() * per - 1e-9).ceil());
        let count = (last - first).clamp(1.0, 400.0) as usize;
        return (0..=count).map(|i| 10f64.powf((first + i as f64) / per)).collect();
    }
    let width = nice_step(((high - low) / most).max(high.abs() * 1e-3));
    source.bin = width;
    let first = (low / width + 1e-9).floor();
    let count = ((high / width - 1e-9).ceil() - first).clamp(1.0, 2000.0) as usize;
    (0..=count).map(|i| (first + i as f64) * width).collect()
}

/// True when each series has a panel for itself: histograms that lie on each other hide each other.
pub(super) fn has_own_panels(scene: &Scene) -> bool {
    scene.distribution.as_ref().is_some_and(|d| d.form == Form::Bins) && scene.color_count() > 1
}
