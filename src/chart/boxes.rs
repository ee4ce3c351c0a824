//! Boxes: how much the windows of runs vary, side by side.
//!
//! In: the selected runs. Out: a scene of boxes over the values of a dimension, or a box for each run.
//! Windows of repeats are taken together; what differs inside a box is said.

mod draw;
#[cfg(test)]
mod tests;
mod words;

pub(super) use words::{alt, subtitle, table};

use super::axes::YPlan;
use super::scale::{Extent, robust_extent};
use super::scene::{Data, Scene, SceneX, SeriesId, distinct};
use super::select::{Facts, Key, Selection, ink, value_slot};
use super::{ChartError, Ink, names};
use crate::analyze::distribution::{Spread, windows};
use crate::model::unit::DisplayUnit;
use crate::model::{Ddir, Dimension, Measure, Metric, Value};
use crate::spec::{Channel, ChartSpec, ScaleKind};
use std::collections::BTreeMap;

/// Fewest windows that make a box; fewer are drawn one by one.
pub(super) const LEAST: usize = 10;

/// The windows at one place of the x axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spot {
    /// Number of its category.
    pub x: usize,
    /// What the category is called.
    pub key: String,
    /// The windows in ascending order, base units.
    pub values: Vec<f64>,
    /// Their spread.
    pub spread: Spread,
    /// The runs behind it.
    pub runs: Vec<usize>,
    /// A colour of its own, where the x axis decides it.
    pub ink: Option<Ink>,
    /// Shortest and longest window, ms.
    pub window_ms: (f64, f64),
}

impl Spot {
    /// True when there are enough windows for a box.
    pub(super) fn is_box(&self) -> bool {
        self.spread.n >= LEAST
    }
}

/// The category of a run: a value of the dimension, or the run itself with its direction.
type Place = (Option<Value>, Option<(usize, Ddir)>);

/// The scene of a chart of boxes; `dimension` is the x axis, None for one box a run.
pub(super) fn scene(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    dimension: Option<&Dimension>,
) -> Result<Scene, ChartError> {
    let metric = spec.y.metric;
    let mut groups: BTreeMap<SeriesId, (Ddir, BTreeMap<Place, Vec<usize>>)> = BTreeMap::new();
    for &ddir in &selection.ddirs {
        for &run in &selection.runs {
            let record = &selection.campaign.runs[run];
            if windows(record, metric, ddir).is_none() {
                continue;
            }
            let facts = Facts { run, ddir, job: None, stat: None };
            let id = SeriesId {
                facet: selection.key(selection.channels.facet.as_ref(), facts),
                color: selection.key(selection.channels.color.as_ref(), facts),
                fold: selection.channels.fold_ddir.then_some(ddir),
            };
            let place = match dimension {
                Some(dimension) => (record.run.value(dimension).cloned(), None),
                None => (None, Some((run, ddir))),
            };
            groups.entry(id).or_insert((ddir, BTreeMap::new())).1.entry(place).or_default().push(run);
        }
    }
    let all = || groups.values().flat_map(|(_, places)| places);
    let mut notes = selection.pooled(all().map(|(_, runs)| runs.as_slice()));
    let pooled = !notes.is_empty();
    let keys = distinct(all().map(|(place, _)| place.0.clone()));
    let mut single: Vec<(usize, Ddir)> = all().filter_map(|(place, _)| place.1).collect();
    single.sort_unstable();
    single.dedup();
    let labels: Vec<String> = match dimension {
        Some(dimension) => keys.iter().map(|key| names::tick_name(dimension, key.as_ref())).collect(),
        None => single.iter().map(|&(run, ddir)| run_name(selection, metric, (run, ddir))).collect(),
    };
    let mut repeats = (usize::MAX, 0);
    let mut series = Vec::new();
    for (id, (ddir, places)) in groups {
        let mut spots = Vec::new();
        let mut all_runs = Vec::new();
        for (place, runs) in places {
            let of_run = |&run: &usize| windows(&selection.campaign.runs[run], metric, ddir);
            let of_runs: Vec<_> = runs.iter().filter_map(of_run).collect();
            let lengths = || of_runs.iter().map(|w| w.cell_ms);
            let window_ms = (lengths().fold(f64::INFINITY, f64::min), lengths().fold(0.0, f64::max));
            let mut values: Vec<f64> = of_runs.iter().flat_map(|w| w.values.iter().copied()).collect();
            values.sort_by(f64::total_cmp);
            let Some(spread) = Spread::of(&values) else { continue };
            repeats = (repeats.0.min(runs.len()), repeats.1.max(runs.len()));
            all_runs.extend(&runs);
            let x = match place.1 {
                Some(run) => single.iter().position(|r| *r == run),
                None => keys.iter().position(|key| *key == place.0),
            };
            let x = x.unwrap_or(0);
            let own = dimension.filter(|_| selection.channels.ink_by_x).map(|dimension| {
                ink(Some(value_slot(&selection.campaign.values, dimension, place.0.as_ref())))
            });
            let key = match dimension {
                Some(dimension) => names::value_name(dimension, place.0.as_ref()),
                None => labels.get(x).cloned().unwrap_or_default(),
            };
            spots.push(Spot { x, key, values, spread, runs, ink: own, window_ms });
        }
        if spots.is_empty() {
            continue;
        }
        let mut one = selection.series(id, Data::Boxes(spots));
        one.runs = all_runs;
        series.push(one);
    }
    if series.is_empty() {
        return Err(ChartError::NoData(format!("no run has windows of {}", metric.title())));
    }
    let spots = || series.iter().flat_map(|s| s.data.spots());
    let lengths =
        spots().fold((f64::INFINITY, 0.0f64), |(a, b), s| (a.min(s.window_ms.0), b.max(s.window_ms.1)));
    if lengths.0 < lengths.1 {
        notes.push(format!(
            "Windows are {} to {} long: a longer window varies less.",
            names::duration(lengths.0),
            names::duration(lengths.1)
        ));
    }
    if spots().any(|s| !s.is_box()) {
        notes.push(format!("Fewer than {LEAST} windows make no box: each is a dot."));
    }
    let measure = Measure::mean(metric);
    let mut scene = if dimension.is_some() {
        Scene::new(spec, series, SceneX::Categories(labels), (notes, pooled), repeats)
    } else {
        // Names of runs are long: their boxes lie in rows.
        let mut scene = Scene::new(spec, series, SceneX::Measure(measure), (notes, pooled), repeats);
        scene.rows = labels.into_iter().rev().collect();
        scene
    };
    scene.y = measure;
    Ok(scene)
}

/// What the axis of values covers: the bulk of the windows of each box, and all whiskers.
pub(super) fn extent(scene: &Scene) -> Extent {
    let spots = || scene.series.iter().flat_map(|s| s.data.spots());
    let mut extent = robust_extent(&spots().map(|spot| spot.values.clone()).collect::<Vec<_>>());
    extent.max = spots().map(|spot| spot.spread.high).fold(extent.max, f64::max);
    extent
}

/// The y axis of boxes in rows; None when it has values.
pub(super) fn y_plan(scene: &Scene, spec: &ChartSpec) -> Option<YPlan> {
    (!scene.rows.is_empty()).then(|| YPlan {
        extent: robust_extent(&[]),
        unit: DisplayUnit::choose(spec.y.unit(), 0.0, spec.units),
        base: spec.y.unit(),
        kind: ScaleKind::Linear,
        headroom: 0.0,
        whole: false,
        limits: (None, None),
        title: "Run".to_owned(),
        rows: Some(scene.rows.clone()),
        caption: String::new(),
    })
}

/// A run by what tells it from the others on the axis, else by its name; with the direction where there are several.
fn run_name(selection: &Selection<'_>, metric: Metric, (run, ddir): (usize, Ddir)) -> String {
    let campaign = selection.campaign;
    let differs = |dimension: &&Dimension| {
        let mut values = selection.runs.iter().map(|&r| campaign.runs[r].run.value(dimension));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let told: Vec<&Dimension> = campaign.dimensions.iter().filter(differs).collect();
    let name_of = |run: usize| {
        let value = |dimension: &&Dimension| {
            let value = campaign.runs[run].run.value(dimension)?;
            Some(names::value_name(dimension, Some(value)))
        };
        told.iter().filter_map(value).collect::<Vec<_>>().join(", ")
    };
    let own = name_of(run);
    let alone = !own.is_empty() && !selection.runs.iter().any(|&other| other != run && name_of(other) == own);
    let name = if alone { own } else { selection.name(Some(&Channel::Run), &Key::Run(run)) };
    // A run of one direction says so by its workload, or is alone.
    let ways = |&&other: &&Ddir| windows(&campaign.runs[run], metric, other).is_some();
    if selection.ddirs.iter().filter(ways).count() > 1 { format!("{name}, {ddir}") } else { name }
}
