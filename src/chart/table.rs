//! The numbers behind a picture as a table, in the units of its axes.

use super::axes::YPlans;
use super::scene::{Data, Scene, SceneX, Series};
use super::select::Selection;
use super::{Spelling, Table, TableCell, boxes, distribution, heat, names};
use crate::model::Measure;
use crate::model::decimal::rounded;
use crate::model::unit::DisplayUnit;
use crate::spec::{Channel, ChartSpec, Mark};

/// The rows behind a scene.
pub(super) fn table(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    scene: &Scene,
    y: &YPlans,
    x: (f64, &DisplayUnit),
) -> Table {
    let unit = &y.shared.unit;
    match scene.x {
        SceneX::Time(start, end) if scene.series.iter().any(|s| s.data.heat().is_some()) => {
            heat::table(scene, unit, (x.0, end - start))
        }
        SceneX::Time(start, end) => {
            let suffix = super::scale::time_unit(end - start).suffix;
            over_time(scene, y, (x.0, &format!("time ({suffix})")))
        }
        SceneX::Amount(_, end) => {
            let suffix = super::scale::amount_unit(end, spec.units).suffix;
            over_time(scene, y, (x.0, &format!("{} ({suffix})", names::moved(&selection.ddirs))))
        }
        SceneX::Quantile => distribution::table(scene, unit, unit),
        SceneX::Value => distribution::table(scene, x.1, unit),
        _ if spec.mark == Mark::Box => {
            let head = spec.x.dimension().map_or("run".to_owned(), |d| names::clean(d.title()));
            boxes::table(scene, (&head, if scene.figures_on_x() { x.1 } else { unit }))
        }
        _ => of_points(selection, spec, scene, unit, x.1),
    }
}

/// A figure in a unit.
pub(super) fn number(value: f64, unit: &DisplayUnit) -> TableCell {
    TableCell::Number { value: value / unit.divisor, spelling: Spelling::Significant }
}

/// How many there are of something.
pub(super) fn count(n: usize) -> TableCell {
    TableCell::Number { value: n as f64, spelling: Spelling::Whole }
}

/// A row for each time, or amount, a column for each line.
fn over_time(scene: &Scene, y: &YPlans, (divisor, head): (f64, &str)) -> Table {
    let mut columns = vec![head.to_owned()];
    let traces = || scene.series.iter().enumerate().filter_map(|(i, s)| Some((i, s, s.data.trace()?)));
    // Times are compared as whole microseconds, so that equal grids share their rows; of equal ones the first stays.
    let mut times: Vec<(i64, f64)> = Vec::new();
    // Most often all lines have one grid.
    let mut grid: Option<(f64, f64, usize)> = None;
    for (.., trace) in traces() {
        let own = (trace.start_ms, trace.cell_ms, trace.mean.len());
        if grid.replace(own) != Some(own) {
            times.extend((0..trace.mean.len()).map(|i| trace.middle(i)).map(|at| (microseconds(at), at)));
        }
    }
    times.sort_by_key(|(key, _)| *key);
    times.dedup_by_key(|(key, _)| *key);
    let count: usize = scene.series.iter().map(|s| if has_range(s) { 3 } else { 1 }).sum();
    let time = |&(_, at): &(i64, f64)| {
        let mut row = Vec::with_capacity(1 + count);
        row.push(time_cell(at / divisor));
        row.resize(1 + count, TableCell::Empty);
        row
    };
    let mut rows: Vec<Vec<TableCell>> = times.iter().map(time).collect();
    for (index, series, trace) in traces() {
        let unit = &y.of_series(scene, index).unit;
        let first = columns.len();
        let name = series.full_name();
        let name = if name.is_empty() { scene.y.metric.title().to_owned() } else { name };
        columns.push(format!("{name} ({})", unit.axis));
        if has_range(series) {
            columns.extend([
                format!("{name}, lowest ({})", unit.axis),
                format!("{name}, highest ({})", unit.axis),
            ]);
        }
        let mut place = 0;
        for (i, value) in trace.mean.iter().enumerate() {
            let key = microseconds(trace.middle(i));
            while times.get(place).is_some_and(|(time, _)| *time < key) {
                place += 1;
            }
            let Some(row) = rows.get_mut(place) else { break };
            let range = trace.range.as_ref().and_then(|r| r.get(i).copied().flatten());
            let values = [*value, range.map(|r| r.0), range.map(|r| r.1)];
            for (cell, value) in row.iter_mut().skip(first).zip(values) {
                if let Some(value) = value {
                    *cell = number(value, unit);
                }
            }
        }
    }
    Table { columns, rows }
}

/// A time in ms as a number that equal grids share.
fn microseconds(at: f64) -> i64 {
    rounded(at * 1e3)
}

/// A time, or an amount, with at most three decimals.
fn time_cell(value: f64) -> TableCell {
    TableCell::Number { value, spelling: Spelling::Decimals }
}

fn has_range(series: &Series) -> bool {
    matches!(&series.data, Data::Trace(trace) if trace.range.is_some())
}

/// A row for each point: its dimensions, mean, interval, n and the single runs.
fn of_points(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    scene: &Scene,
    unit: &DisplayUnit,
    x_unit: &DisplayUnit,
) -> Table {
    let channels = &selection.channels;
    let head = |channel: &Channel| match channel {
        Channel::Dimension(dimension) => names::clean(dimension.title()),
        Channel::Ddir => "direction".to_owned(),
        Channel::Job => "job".to_owned(),
        Channel::Run => "run".to_owned(),
        Channel::Stat => "statistic".to_owned(),
        Channel::Metric => "metric".to_owned(),
    };
    let dimension = spec.x.dimension();
    let x_measure: Option<Measure> = match scene.x {
        SceneX::Measure(measure) => Some(measure),
        _ => None,
    };
    let mut columns: Vec<String> = Vec::new();
    columns.extend(channels.facet.as_ref().map(head));
    // A name that carries the direction stands in the colour's column.
    let colored = channels.color.is_some() || channels.fold_ddir;
    columns.extend(colored.then(|| channels.color.as_ref().map_or_else(|| "direction".to_owned(), head)));
    columns.extend(dimension.map(|d| names::clean(d.title())));
    columns.extend(x_measure.map(|m| names::column(m, x_unit)));
    columns.push(names::column(scene.y, unit));
    columns.extend(["95 % low", "95 % high", "n"].map(str::to_owned));
    let expects = scene.expectations().next().is_some();
    if expects {
        columns.extend([format!("RAID model ({})", unit.axis), "of the RAID model (%)".to_owned()]);
    }
    let most = scene.repeats.1;
    columns.extend((1..=most).map(|i| format!("run {i}")));
    let mut rows = Vec::new();
    for series in &scene.series {
        let Data::Points(points) = &series.data else { continue };
        for point in points {
            let mut row: Vec<TableCell> = Vec::new();
            row.extend(channels.facet.as_ref().map(|_| TableCell::Text(series.facet.clone())));
            row.extend(colored.then(|| TableCell::Text(series.name.clone())));
            row.extend(dimension.map(|d| TableCell::Text(selection.tick(d, point.key.as_ref()))));
            row.extend(x_measure.map(|_| number(point.x, x_unit)));
            row.push(number(point.y, unit));
            let end = |v: Option<f64>| v.map_or(TableCell::Empty, |v| number(v, unit));
            row.push(end(point.interval.map(|i| i.0)));
            row.push(end(point.interval.map(|i| i.1)));
            let n = point.runs.len();
            row.push(count(n));
            if expects {
                let expected = point.expectation.as_ref().map(|e| e.saturated);
                row.push(end(expected));
                row.push(
                    expected.map_or(TableCell::Empty, |expected| {
                        number(point.y / expected, &DisplayUnit::PERCENT)
                    }),
                );
            }
            row.extend((0..most).map(|i| end(point.repeats.get(i).copied())));
            rows.push(row);
        }
    }
    Table { columns, rows }
}
