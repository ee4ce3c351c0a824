//! Figures of runs as points: bars and sweeps over a dimension, one figure against another.
//!
//! In: the selected runs. Out: series of [`Point`]s, each the mean of repeats
//! with its interval, through [`crate::analyze::repeat::cells`].

use super::expectation::{self, Expectation};
use super::scene::{Data, Scene, SceneX, Series, SeriesId, distinct};
use super::select::{Facts, Key, Selection, ink, value_slot};
use super::{ChartError, Ink, names, order};
use crate::analyze::repeat::{cells, together};
use crate::model::{Cell, Dimension, Measure, Value};
use crate::spec::{Channel, ChartSpec, Filter, Mark};
use std::collections::BTreeMap;

/// A figure with its repeats, in base units.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    /// Place on the x axis: a value, the number of a category, or another figure.
    pub x: f64,
    /// The value of the dimension that orders the points.
    pub key: Option<Value>,
    /// Mean over repeats.
    pub y: f64,
    /// 95 % interval of the mean.
    pub interval: Option<(f64, f64)>,
    /// The figure of each repeat.
    pub repeats: Vec<f64>,
    /// The other figure of each repeat (one figure against another only).
    pub repeat_xs: Vec<f64>,
    /// The runs.
    pub runs: Vec<usize>,
    /// A colour of its own, where the x axis decides it.
    pub ink: Option<Ink>,
    /// What the RAID model expects of it.
    pub expectation: Option<Expectation>,
}

/// Cells of a measure by series; the first part of each cell's key is its value of `x`.
fn cells_by_series(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    measure: Measure,
    x: &Dimension,
) -> BTreeMap<SeriesId, Vec<Cell>> {
    let channels = &selection.channels;
    let mut by = vec![x.clone()];
    by.extend(selection.channel_dimensions());
    let by_run = [&channels.color, &channels.facet].iter().any(|c| **c == Some(Channel::Run));
    let filters: Vec<Filter> = if by_run {
        let one = |&run: &usize| Filter {
            runs: vec![selection.campaign.runs[run].run.id.clone()],
            ..spec.filter.clone()
        };
        selection.runs.iter().map(one).collect()
    } else {
        vec![spec.filter.clone()]
    };
    let mut groups: BTreeMap<SeriesId, Vec<Cell>> = BTreeMap::new();
    for &ddir in &selection.ddirs {
        for mut cell in filters.iter().flat_map(|f| cells(selection.campaign, f, measure, ddir, &by)) {
            let Some(&run) = cell.runs.first() else { continue };
            if !cell.mean.is_finite() {
                continue;
            }
            // Runs that differ are no repeats: their spread says nothing about chance.
            if !selection.pooled(std::iter::once(cell.runs.as_slice())).is_empty() {
                cell.interval = None;
            }
            let facts = Facts { run, ddir, job: None, stat: None };
            let id = SeriesId {
                facet: selection.key(channels.facet.as_ref(), facts),
                color: selection.key(channels.color.as_ref(), facts),
                fold: channels.fold_ddir.then_some(ddir),
            };
            groups.entry(id).or_default().push(cell);
        }
    }
    groups
}

/// Bars or lines over the values of a dimension.
pub(super) fn over_dimension(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    dimension: &Dimension,
) -> Result<Scene, ChartError> {
    let groups = cells_by_series(selection, spec, spec.y, dimension);
    let keys = distinct(groups.values().flatten().map(|cell| x_key(cell).cloned()));
    if keys.is_empty() {
        return Err(ChartError::NoData(format!("no run has a {}", names::measure_phrase(spec.y))));
    }
    let number = |key: &Option<Value>| key.as_ref().and_then(Value::number);
    let numeric = matches!(spec.mark, Mark::Line | Mark::Dot) && keys.iter().all(|k| number(k).is_some());
    let keys = if numeric { keys } else { order::ordered(spec, dimension, keys, &groups) };
    let names: Vec<String> = keys.iter().map(|k| selection.tick(dimension, k.as_ref())).collect();
    let mut notes = pooled_notes(selection, groups.values());
    let pooled = !notes.is_empty();
    notes.extend(unsupported_note(selection, spec.y));
    if matches!(spec.mark, Mark::Bar | Mark::Cell) {
        notes.extend(missing_notes(selection, dimension, &keys, &groups));
    }
    let mut repeats = (usize::MAX, 0);
    let apart = groups.values().flatten().any(|cell| cell.apart);
    let mut series = Vec::new();
    for (id, cells) in groups {
        let points = cells
            .into_iter()
            .map(|cell| {
                repeats = (repeats.0.min(cell.runs.len()), repeats.1.max(cell.runs.len()));
                let key = x_key(&cell).cloned();
                let place = keys.iter().position(|k| *k == key).unwrap_or(0);
                let x = if numeric { number(&key).unwrap_or(0.0) } else { place as f64 };
                let slot = value_slot(&selection.campaign.values, dimension, key.as_ref());
                let own = selection.channels.ink_by_x.then(|| {
                    let chosen = selection
                        .own_ink(Some(&Channel::Dimension(dimension.clone())), &Key::Value(key.clone()));
                    chosen.unwrap_or(ink(Some(slot)))
                });
                let expectation = expectation::of_cell(selection.campaign, spec, &cell);
                Point { x, key, ink: own, expectation, ..point(cell) }
            })
            .collect::<Vec<_>>();
        push_series(selection, &mut series, id, points);
    }
    let x = if numeric {
        let at = keys.iter().filter_map(number);
        SceneX::Values(at.zip(names).collect())
    } else {
        SceneX::Categories(names)
    };
    notes.extend(apart.then(apart_note));
    Ok(Scene { apart, ..Scene::new(spec, series, x, (notes, pooled), repeats) })
}

/// What is said where percentiles of several runs stay apart.
fn apart_note() -> String {
    "Percentiles of repeats do not average, and these have no histograms to put together (fio writes them with \
     --output-format=json+): one of the repeats stands for all, that in the middle."
        .to_owned()
}

/// Points of two figures of the same runs, in order of a load level.
pub(super) fn over_measure(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    x: Measure,
    over: &Dimension,
) -> Result<Scene, ChartError> {
    let groups = cells_by_series(selection, spec, spec.y, over);
    let mut notes = pooled_notes(selection, groups.values());
    let pooled = !notes.is_empty();
    notes.extend(unsupported_note(selection, spec.y));
    let mut repeats = (usize::MAX, 0);
    let mut unmatched = 0;
    let mut apart = false;
    let mut series = Vec::new();
    for (id, cells) in groups {
        let mut points = Vec::new();
        for cell in cells {
            let figure = |&run: &usize| selection.campaign.runs[run].statistic(x, cell.ddir).map(|s| s.value);
            let xs: Vec<f64> = cell.runs.iter().filter_map(figure).filter(|v| v.is_finite()).collect();
            if xs.is_empty() || xs.len() != cell.runs.len() {
                unmatched += cell.runs.len() - xs.len();
                continue;
            }
            repeats = (repeats.0.min(xs.len()), repeats.1.max(xs.len()));
            let key = x_key(&cell).cloned();
            let (x, is_apart) = together(selection.campaign, &cell.runs, x, cell.ddir, &xs);
            apart |= cell.apart || is_apart;
            if !x.is_finite() {
                continue;
            }
            points.push(Point { x, key, repeat_xs: xs, ..point(cell) });
        }
        push_series(selection, &mut series, id, points);
    }
    if series.is_empty() {
        let (x, y) = (names::measure_phrase(x), names::measure_phrase(spec.y));
        return Err(ChartError::NoData(format!("no run has both {y} and {x}")));
    }
    if unmatched > 0 {
        notes.push(format!("{unmatched} runs have no {} and are left out.", names::measure_phrase(x)));
    }
    notes.extend(apart.then(apart_note));
    Ok(Scene { apart, ..Scene::new(spec, series, SceneX::Measure(x), (notes, pooled), repeats) })
}

/// The value of the x dimension in a cell of [`cells_by_series`].
pub(super) fn x_key(cell: &Cell) -> Option<&Value> {
    cell.key.first().and_then(Option::as_ref)
}

/// A cell as a point without a place.
fn point(cell: Cell) -> Point {
    Point {
        x: 0.0,
        key: None,
        y: cell.mean,
        interval: cell.interval.filter(|(low, high)| low.is_finite() && high.is_finite()),
        repeats: cell.values,
        repeat_xs: Vec::new(),
        runs: cell.runs,
        ink: None,
        expectation: None,
    }
}

/// Adds a series with its points in order of their keys.
fn push_series(selection: &Selection<'_>, all: &mut Vec<Series>, id: SeriesId, mut points: Vec<Point>) {
    if points.is_empty() {
        return;
    }
    points.sort_by(|a, b| a.key.cmp(&b.key));
    let runs = points.iter().flat_map(|p| p.runs.iter().copied()).collect();
    let mut series = selection.series(id, Data::Points(points));
    series.runs = runs;
    all.push(series);
}

/// Names a percentile that rests on too few samples in some runs.
fn unsupported_note(selection: &Selection<'_>, measure: Measure) -> Option<String> {
    let weak = |&&run: &&usize| {
        let record = &selection.campaign.runs[run];
        selection.ddirs.iter().any(|&ddir| record.statistic(measure, ddir).is_some_and(|s| !s.supported))
    };
    let count = selection.runs.iter().filter(weak).count();
    let (of, have) = if count == 1 { ("1 run", "has") } else { ("runs", "have") };
    let number = if count == 1 { String::new() } else { format!("{count} ") };
    (count > 0).then(|| {
        format!("{number}{of} {have} fewer than 10 samples beyond their {}: read it as a hint.", measure.stat)
    })
}

/// What was pooled into single points.
fn pooled_notes<'g>(selection: &Selection<'_>, groups: impl Iterator<Item = &'g Vec<Cell>>) -> Vec<String> {
    selection.pooled(groups.flatten().map(|cell| cell.runs.as_slice()))
}

/// Names the bars that would be there if every combination had been run.
fn missing_notes(
    selection: &Selection<'_>,
    dimension: &Dimension,
    keys: &[Option<Value>],
    groups: &BTreeMap<SeriesId, Vec<Cell>>,
) -> Vec<String> {
    let mut missing = Vec::new();
    for (id, cells) in groups {
        for key in keys.iter().filter(|k| !cells.iter().any(|c| x_key(c) == k.as_ref())) {
            let channels = &selection.channels;
            let mut parts = vec![names::value_name(dimension, key.as_ref())];
            parts.push(selection.name(channels.color.as_ref(), &id.color));
            parts.push(selection.name(channels.facet.as_ref(), &id.facet));
            parts.retain(|p| !p.is_empty());
            missing.push(parts.join(", "));
        }
    }
    if missing.is_empty() {
        return Vec::new();
    }
    vec![format!("No run for {}.", names::list_with(&missing, 6, "; "))]
}
