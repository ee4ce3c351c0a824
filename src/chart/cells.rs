//! Grids of cells: a figure for each pair of two dimensions' values, as colour and number.
//!
//! In: the selected runs; repeats are already their mean. Out: rows of points, the colour of each,
//! and the words that go with them. A pair that was not run stays an empty, hatched cell.
//! Latency over time is in `heat`, the same grid as solid bars in `bars3d`.

use super::axes::YPlan;
use super::heat::Heat;
use super::labels::{Canvas, placed};
use super::layout::{Frame, Style};
use super::marks::{Drawing, Pen};
use super::points::{self, Point};
use super::ramp::Ramp;
use super::scale;
use super::scene::{Data, Scene, ScenePanel, Series};
use super::select::{Key, Selection};
use super::{Align, ChartError, Ink, Role, Shape, bars3d, heat, names, text};
use crate::model::unit::DisplayUnit;
use crate::model::{Ddir, Dimension, Value};
use crate::spec::{ChartSpec, Mark, ScaleKind, XChannel};

/// Free pixels between two cells.
const GAP: f64 = 2.0;
/// Pixels between the lines of a hatch.
const HATCH: f64 = 9.0;

/// What cells have beyond the series that are their rows.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// The rows from bottom to top; empty where rows are the values that the metric takes.
    pub rows: Vec<Row>,
    /// What the rows are, for the axis.
    pub title: String,
    /// What the columns are, for solid bars, which name their own axes.
    pub across: String,
    /// The colours.
    pub ramp: Ramp,
    /// True for solid bars on a floor.
    pub solid: bool,
    /// Pairs without a run, over all panels.
    pub missing: usize,
}

/// A row of cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    color: Key,
    fold: Option<Ddir>,
    /// Its value, as ticks write it.
    pub name: String,
}

impl Grid {
    /// True when rows and columns are values of dimensions.
    pub(super) fn is_matrix(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The row of a series, counted from the bottom.
    pub(super) fn row(&self, series: &Series) -> Option<usize> {
        self.rows.iter().position(|row| row.color == series.id.color && row.fold == series.id.fold)
    }

    /// Names of the rows from bottom to top.
    pub(super) fn names(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.name.clone()).collect()
    }
}

/// True when a spec asks for cells, or bars, over two dimensions.
pub(super) fn rows_of(spec: &ChartSpec) -> Option<&Dimension> {
    spec.rows.as_ref().filter(|_| matches!(spec.mark, Mark::Cell | Mark::Bar))
}

/// The scene of a grid over two dimensions.
pub(super) fn scene(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    (x, rows): (&Dimension, &Dimension),
) -> Result<Scene, ChartError> {
    if x == rows {
        return Err(ChartError::Unsupported(format!(
            "columns and rows are both `{x}`; name two dimensions that differ"
        )));
    }
    let mut scene = points::over_dimension(selection, spec, x)?;
    let mut keys: Vec<(Key, Option<Ddir>)> =
        scene.series.iter().map(|s| (s.id.color.clone(), s.id.fold)).collect();
    keys.sort();
    keys.dedup();
    let number = |key: &Key| matches!(key, Key::Value(Some(value)) if value.number().is_some());
    // Numbers grow upward as on any axis, words read downward as in any table.
    if !keys.iter().all(|(key, _)| number(key)) {
        keys.reverse();
    }
    let name = |key: &Key, fold: Option<Ddir>| {
        let value: Option<&Value> = match key {
            Key::Value(value) => value.as_ref(),
            _ => None,
        };
        let name = names::tick_name(rows, value);
        fold.map_or_else(|| name.clone(), |ddir| format!("{name} {ddir}"))
    };
    let rows_named = keys
        .into_iter()
        .map(|(color, fold)| Row { name: name(&color, fold), color, fold })
        .collect::<Vec<_>>();
    let mut panels: Vec<&Key> = scene.series.iter().map(|s| &s.id.facet).collect();
    panels.sort();
    panels.dedup();
    let columns = scene.x.len();
    let there: usize = scene.series.iter().map(|s| s.data.xs().len()).sum();
    let values = || scene.series.iter().flat_map(|s| s.data.points()).map(|p| p.y);
    let unit = unit(values(), spec);
    let caption = names::capitalised(&names::column(spec.y, &unit));
    let grid = Grid {
        title: names::capitalised(&names::dimension_title(rows)),
        across: names::capitalised(&names::dimension_title(x)),
        ramp: Ramp::over(values(), &caption, |v| unit.number(v)),
        solid: spec.mark == Mark::Bar,
        missing: (panels.len() * columns * rows_named.len()).saturating_sub(there),
        rows: rows_named,
    };
    if grid.solid {
        scene.notes.push(format!(
            "Bars hide bars behind them: `{}` shows the same figures side by side, each with its number.",
            spec.id.replacen("bars3d", "matrix", 1)
        ));
    }
    scene.grid = Some(grid);
    Ok(scene)
}

/// The unit that suits the largest of some figures.
fn unit(values: impl Iterator<Item = f64>, spec: &ChartSpec) -> DisplayUnit {
    let largest = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
    DisplayUnit::choose(spec.y.unit(), largest * 0.6, spec.units)
}

/// The y axis of a grid: its rows, or the values that the metric takes on a log scale.
pub(super) fn y_plan(scene: &Scene, grid: &Grid, spec: &ChartSpec) -> YPlan {
    let figures = || scene.series.iter().flat_map(|s| s.data.tops()).filter(|v| v.is_finite());
    let mut extent = scale::robust_extent(&[]);
    extent.max = figures().fold(0.0, f64::max);
    extent.min_positive = figures().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
    let (kind, unit, title) = if grid.is_matrix() {
        (ScaleKind::Linear, unit(figures(), spec), grid.title.clone())
    } else {
        // Many bins lie far below the largest value.
        let unit = DisplayUnit::choose(spec.y.unit(), (extent.max * extent.min_positive).sqrt(), spec.units);
        let name = names::capitalised(spec.y.metric.title());
        (ScaleKind::Log10, unit, format!("{name} (log scale)"))
    };
    YPlan {
        extent,
        unit,
        base: spec.y.unit(),
        kind,
        headroom: 0.05,
        caption: if grid.solid { String::new() } else { title.clone() },
        title,
        rows: grid.is_matrix().then(|| grid.names()),
        whole: !grid.is_matrix(),
        limits: (None, None),
    }
}

/// The shapes of a panel.
pub(super) fn draw(pen: &Pen<'_>, grid: &Grid, panel: &ScenePanel, frame: &Frame) -> Drawing {
    if grid.solid {
        return bars3d::draw(pen, grid, panel, frame);
    }
    let mut drawing = Drawing::default();
    for series in panel.shown.iter().filter_map(|&i| pen.scene.series.get(i)) {
        if let Data::Heat(heat) = &series.data {
            drawing.shapes.extend(heat::shapes(heat, &grid.ramp, (pen.x.divisor, pen.unit.divisor)));
        }
    }
    if grid.is_matrix() {
        matrix(pen, grid, panel, frame, &mut drawing);
    }
    drawing
}

/// Every pair of a panel: column, row, and the point where there is one, with its series.
pub(super) fn pairs<'a>(
    scene: &'a Scene,
    grid: &'a Grid,
    panel: &'a ScenePanel,
) -> impl Iterator<Item = (usize, usize, Option<(&'a Series, &'a Point)>)> {
    (0..grid.rows.len()).flat_map(move |row| {
        let series = panel
            .shown
            .iter()
            .filter_map(|&i| scene.series.get(i))
            .find(move |series| grid.row(series) == Some(row));
        (0..scene.x.len()).map(move |column| {
            let at = |series: &'a Series| {
                let point = series.data.points().iter().find(|p| p.x == column as f64)?;
                Some((series, point))
            };
            (column, row, series.and_then(at))
        })
    })
}

/// A rectangle for each pair, coloured where it was measured.
fn matrix(pen: &Pen<'_>, grid: &Grid, panel: &ScenePanel, frame: &Frame, drawing: &mut Drawing) {
    let across = GAP / 2.0 * (frame.x.max - frame.x.min) / frame.rect.width.max(1.0);
    let up = GAP / 2.0 * (frame.y.max - frame.y.min) / frame.rect.height.max(1.0);
    for (column, row, found) in pairs(pen.scene, grid, panel) {
        let (x, y) = (column as f64, row as f64);
        let (x0, x1, y0, y1) = (x - 0.5 + across, x + 0.5 - across, y - 0.5 + up, y + 0.5 - up);
        match found {
            Some((series, point)) => {
                let ink = Ink::Ramp(grid.ramp.step(point.y));
                let name = pen.point_name(series, point);
                drawing.shapes.push(Shape::Bar { x0, x1, y0, y1, ink, name });
            }
            None => {
                let name = format!("{}, {}: no run", pen.scene.x.name(column), grid.rows[row].name);
                let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)];
                let mut parts = vec![corners.to_vec()];
                parts.extend(hatch((x0, x1), (y0, y1), frame));
                drawing.shapes.push(Shape::Line {
                    parts,
                    ink: Ink::Grid,
                    dash: Vec::new(),
                    width: 1.0,
                    name,
                });
            }
        }
    }
}

/// Rising lines over a rectangle, [`HATCH`] pixels apart.
fn hatch((x0, x1): (f64, f64), (y0, y1): (f64, f64), frame: &Frame) -> Vec<Vec<(f64, f64)>> {
    let ((left, bottom), (right, top)) = (frame.px(x0, y0), frame.px(x1, y1));
    let (width, height) = (right - left, bottom - top);
    let at = |px: f64, py: f64| (x0 + (x1 - x0) * px / width, y0 + (y1 - y0) * py / height);
    let count = ((width + height) / HATCH).min(400.0) as usize;
    (1..=count)
        .map(|i| i as f64 * HATCH)
        .filter(|reach| *reach < width + height)
        // From the upper or left edge to the lower or right one.
        .map(|reach| {
            let from = (reach - height).max(0.0);
            let to = reach.min(width);
            vec![at(from, height - (reach - from).min(height)), at(to, height - (reach - to).max(0.0))]
        })
        .collect()
}

/// Writes each cell's figure into it; all or none, so that a cell without one means something.
pub(super) fn values(
    canvas: &mut Canvas,
    (frame, panel): (&Frame, &ScenePanel),
    (scene, grid): (&Scene, &Grid),
    (unit, style): (&DisplayUnit, &Style),
) -> bool {
    let slot = frame.rect.width / scene.x.len().max(1) as f64 - GAP - 6.0;
    let height = frame.rect.height / grid.rows.len().max(1) as f64 - GAP - 2.0;
    let found: Vec<_> =
        pairs(scene, grid, panel).filter_map(|(c, r, found)| found.map(|(_, p)| (c, r, p))).collect();
    let written = |digits: usize| -> Vec<String> {
        let number = |p: &Point| crate::model::unit::significant(p.y / unit.divisor, digits);
        found.iter().map(|(_, _, p)| number(p)).collect()
    };
    let fits = |texts: &[String], size: f64| {
        height >= size && texts.iter().all(|t| text::width(t, size, false) <= slot)
    };
    let sizes = [style.label, style.value, 11.0];
    let choice = [3, 2]
        .into_iter()
        .map(written)
        .flat_map(|texts| sizes.into_iter().map(move |size| (texts.clone(), size)))
        .find(|(texts, size)| fits(texts, *size));
    let Some((texts, size)) = choice else { return found.is_empty() };
    for ((column, row, point), text) in found.iter().zip(texts) {
        let (x, y) = frame.px(*column as f64, *row as f64);
        let mut value = placed(text, x, y + 0.36 * size, size, Role::Value);
        (value.align, value.ink) = (Align::Middle, Ink::OnRamp(grid.ramp.step(point.y)));
        canvas.place(value, 0.0);
    }
    true
}

/// How the subtitle begins; None for charts of other marks.
pub(super) fn lead(scene: &Scene, spec: &ChartSpec) -> Option<String> {
    let grid = scene.grid.as_ref()?;
    if let Some(Data::Heat(heat)) = scene.series.first().map(|s| &s.data) {
        return Some(heat::lead(heat));
    }
    let n = scene.repeats_text();
    let them = scene.them();
    let measure = names::capitalised(&names::measure_phrase(spec.y));
    let shape = if grid.solid { "height and colour" } else { "number and colour" };
    let start = match (scene.repeats.1 > 1, spec.y.stat.quantile().is_some()) {
        (true, true) => format!("{measure} of {n} {them}, {}, as {shape}", scene.merging()),
        (true, false) => format!("{measure}, mean of {n} {them}, as {shape}"),
        (false, _) => format!("{measure} of single runs as {shape}"),
    };
    let missing = match (grid.missing, grid.solid) {
        (0, _) => "",
        (_, true) => "; dashed: not measured",
        (_, false) => "; hatched: not measured",
    };
    let twin = if grid.solid { "; the matrix chart of the same has every figure" } else { "" };
    Some(format!("{start}{missing}{twin}"))
}

/// The picture in words, without its title.
pub(super) fn alt(scene: &Scene, grid: &Grid, spec: &ChartSpec, unit: &DisplayUnit) -> Vec<String> {
    let mut items = Vec::new();
    for panel in &scene.panels {
        let own = if panel.title.is_empty() { String::new() } else { format!("{}: ", panel.title) };
        let heats = panel.shown.iter().filter_map(|&i| match &scene.series.get(i)?.data {
            Data::Heat(heat) => Some(heat),
            _ => None,
        });
        items.extend(heats.map(|heat| format!("{own}{}", heat::told(heat, spec))));
        let mut found: Vec<(usize, usize, &Point)> =
            pairs(scene, grid, panel).filter_map(|(c, r, found)| found.map(|(_, p)| (c, r, p))).collect();
        found.sort_by(|a, b| b.2.y.total_cmp(&a.2.y).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
        let told = |(column, row, point): &(usize, usize, &Point)| {
            let (x, y) = (scene.x.name(*column), &grid.rows[*row].name);
            let across = grid.across.to_lowercase();
            let value = names::figure(point.y, spec.y, unit);
            format!("{value} at {across} {x}, {} {y}", grid.title.to_lowercase())
        };
        match (found.first(), found.last()) {
            (Some(most), Some(least)) if found.len() > 1 => {
                items.push(format!("{own}from {} to {}", told(least), told(most)));
            }
            (Some(only), _) => items.push(format!("{own}{}", told(only))),
            _ => {}
        }
    }
    match grid.missing {
        0 => {}
        1 => items.push("one combination was not measured".to_owned()),
        missing => items.push(format!("{missing} combinations were not measured")),
    }
    items
}

/// What a chart of this mark is called.
pub(super) fn kind(grid: &Grid, spec: &ChartSpec) -> &'static str {
    match (grid.solid, &spec.x) {
        (true, _) => "Three-dimensional bar chart",
        (false, XChannel::Time) => "Heat map over time",
        (false, _) => "Heat map",
    }
}

impl Data {
    /// The points of a series; none where it is no series of points.
    pub(super) fn points(&self) -> &[Point] {
        match self {
            Data::Points(points) => points,
            _ => &[],
        }
    }

    /// The bins of a heat map over time.
    pub(super) fn heat(&self) -> Option<&Heat> {
        match self {
            Data::Heat(heat) => Some(heat),
            _ => None,
        }
    }
}
