//! From counted values or reported percentiles to curves and bins.
//!
//! In: the samples of a group of runs. Out: a [`Distribution`] in base units, its curve parted where
//! fewer than ten samples lie beyond. Knows no axis.

use super::{Distribution, Form, LEVELS, Shaped};
use crate::analyze::BEYOND;
use crate::analyze::distribution::Counted;
use crate::analyze::repeat::middle;
use crate::chart::select::Selection;
use crate::model::Ddir;
use crate::spec::ChartSpec;

/// Deepest quantile axis: nine nines.
const DEEPEST: f64 = 1e9;
/// Share of values that may lie beyond either end of a histogram, where bins would be too low to see.
const BEYOND_BINS: f64 = 0.0005;

/// The samples of a group of runs before they are shaped.
pub(super) enum Samples {
    Counted(Counted),
    Reported { percentiles: Vec<(f64, f64)>, n: Option<u64> },
}

/// The percentiles that tools report of a group of runs: of several the [`middle`] one of each.
pub(super) fn reported(
    selection: &Selection<'_>,
    runs: &[usize],
    spec: &ChartSpec,
    ddir: Ddir,
) -> Option<Samples> {
    let records = || runs.iter().map(|&run| &selection.campaign.runs[run].run);
    let lists: Vec<&[(f64, f64)]> =
        records().filter_map(|run| run.reported_percentiles(spec.y.metric, ddir)).collect();
    let at = |list: &[(f64, f64)], p: f64| list.iter().find(|(q, _)| (q - p).abs() < 1e-9).map(|(_, v)| *v);
    let mut percentiles = Vec::new();
    for &(p, _) in *lists.first()? {
        let values: Vec<f64> =
            lists.iter().filter_map(|list| at(list, p)).filter(|v| v.is_finite()).collect();
        if values.len() == lists.len() && (0.0..1.0).contains(&p) {
            percentiles.push((p, middle(&values)));
        }
    }
    let count = |run: &crate::model::Run| {
        run.summaries.iter().find(|s| s.metric == spec.y.metric && s.ddir == ddir)?.count
    };
    let n = records().map(count).min().flatten();
    (percentiles.len() > 1).then_some(Samples::Reported { percentiles, n })
}

impl Samples {
    pub(super) fn n(&self) -> Option<u64> {
        match self {
            Samples::Counted(counted) => Some(counted.n()),
            Samples::Reported { n, .. } => *n,
        }
    }

    /// Smallest and largest value; of bins, those that few enough lie beyond.
    pub(super) fn ends(&self, form: Form) -> (f64, f64) {
        match self {
            Samples::Counted(counted) if form == Form::Bins => {
                let (low, high) = counted.ends();
                (low.max(counted.quantile(BEYOND_BINS)), high.min(counted.quantile(1.0 - BEYOND_BINS)))
            }
            Samples::Counted(counted) => counted.ends(),
            Samples::Reported { percentiles, .. } => {
                let values = || percentiles.iter().map(|(_, v)| *v);
                (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max))
            }
        }
    }

    pub(super) fn shaped(&self, form: Form, edges: &[f64]) -> Distribution {
        let n = self.n();
        let carried = |p: f64| n.is_none_or(|n| p == 0.0 || crate::analyze::supports(n, p));
        let levels = LEVELS.map(|p| match self {
            Samples::Counted(counted) => carried(p).then(|| counted.quantile(p)),
            Samples::Reported { percentiles, .. } => {
                percentiles.iter().find(|(q, _)| (q - p).abs() < 1e-9 && carried(p)).map(|(_, v)| *v)
            }
        });
        let (points, limit) = match (self, form) {
            (Samples::Counted(counted), Form::Bins) => {
                let shares = counted.shares(edges);
                let bins = edges.windows(2).zip(shares).map(|(e, share)| (e[0], e[1], share)).collect();
                return Distribution { shape: Shaped::Bins(bins), levels: levels.to_vec(), n };
            }
            (Samples::Counted(counted), form) => (steps(counted, form), counted.n() as f64 / BEYOND),
            (Samples::Reported { percentiles, n }, form) => {
                let point = |&(p, v): &(f64, f64)| match form {
                    Form::Quantiles => (1.0 / (1.0 - p), v),
                    Form::Cumulative | Form::Bins => (v, p),
                    Form::Exceedance => (v, 1.0 - p),
                };
                (percentiles.iter().map(point).collect(), n.map_or(f64::INFINITY, |n| n as f64 / BEYOND))
            }
        };
        let (solid, weak) = parted(points, form, limit);
        let points = matches!(self, Samples::Reported { .. });
        Distribution { shape: Shaped::Curve { solid, weak, points }, levels: levels.to_vec(), n }
    }
}

/// The steps of counted values.
fn steps(counted: &Counted, form: Form) -> Vec<(f64, f64)> {
    let n = counted.n() as f64;
    let mut points = Vec::new();
    for (value, below, upto) in counted.cumulative() {
        let (below, upto) = (below as f64, upto as f64);
        match form {
            Form::Quantiles => {
                // The largest value has no end: the axis of n samples ends at 1/n.
                let deep = |count: f64| (n / (n - count).max(1.0)).min(DEEPEST);
                points.extend([(deep(below), value), (deep(upto), value)]);
            }
            Form::Cumulative | Form::Bins => points.extend([(value, below / n), (value, upto / n)]),
            Form::Exceedance => {
                points.push((value, 1.0 - below / n));
                // A log axis has no place for 0.
                points.extend((upto < n).then_some((value, 1.0 - upto / n)));
            }
        }
    }
    points.dedup();
    points
}

/// A curve in two: what rests on at least ten samples beyond, and what does not. `limit` is n / 10.
#[expect(clippy::type_complexity, reason = "the two halves of one list of points")]
fn parted(points: Vec<(f64, f64)>, form: Form, limit: f64) -> (Vec<(f64, f64)>, Vec<(f64, f64)>) {
    let weak = |&(x, y): &(f64, f64)| match form {
        Form::Quantiles => x > limit * (1.0 + 1e-9),
        Form::Exceedance => y * limit < 1.0 - 1e-9,
        Form::Cumulative | Form::Bins => false,
    };
    let Some(at) = points.iter().position(weak).filter(|at| *at > 0) else {
        return (points, Vec::new());
    };
    let mut solid = points;
    let mut rest = solid.split_off(at);
    let last = solid.last().copied().unwrap_or_default();
    match (form, rest.first()) {
        // A step that crosses the limit is cut there.
        (Form::Quantiles, Some(&(_, y))) if y == last.1 && limit > last.0 => {
            solid.push((limit, y));
            rest.insert(0, (limit, y));
        }
        _ => rest.insert(0, last),
    }
    (solid, rest)
}
