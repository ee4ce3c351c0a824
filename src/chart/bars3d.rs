//! Solid bars on a floor of two dimensions, for those who know such pictures from other tools.
//!
//! In: a panel of a grid of cells and its frame. Out: polygons from back to front, and the places of
//! all labels. Axis units of such a panel are its pixels, y upward: the projection happens here.
//! Bars hide bars behind them, so the chart's notes name the heat map that shows the same figures.

use super::cells::{self, Grid};
use super::labels::{Canvas, fit, placed};
use super::layout::{Frame, Layout, Style};
use super::marks::{Drawing, Pen};
use super::scale::{self, Extent};
use super::scene::{Scene, ScenePanel};
use super::{Align, Axis, AxisScale, Ink, Role, Shape, text};
use crate::model::unit::DisplayUnit;

/// Share of a floor tile that stays free around its bar, on each side.
const FREE: f64 = 0.12;
/// Most of the height that the floor takes.
const FLOOR: f64 = 0.46;
/// Rise of a floor edge over its length, at most: steeper looks tilted.
const RISE: f64 = 0.5;
/// Length of a floor edge over its rise, at most: flatter looks like a wall.
const FLAT: f64 = 3.2;
/// Opacity of the shadow on the left and on the right face.
const SHADE: (f64, f64) = (0.16, 0.34);

type Point = (f64, f64);

/// A corner of a box: floor coordinates in tiles, height as a share of the scale.
type Corner = (f64, f64, f64);

/// The axes of a panel of solid bars: its pixels.
pub(super) fn axes(width: f64, height: f64, (x, y): (&str, &str)) -> (Axis, Axis) {
    let axis = |max: f64, title: &str| Axis {
        scale: AxisScale::Linear,
        min: 0.0,
        max: max.max(1.0),
        ticks: Vec::new(),
        title: title.to_owned(),
    };
    (axis(width, x), axis(height, y))
}

/// Where a corner of the scene lies on the panel.
#[derive(Debug, Clone, Copy, PartialEq)]
struct View {
    /// Tiles along both floor edges.
    tiles: (f64, f64),
    /// The front corner of the floor, pixels.
    front: Point,
    /// One tile along either floor edge: across and up, pixels.
    tile: (f64, f64),
    /// Height of the scale, pixels.
    height: f64,
}

impl View {
    /// The largest view that a panel of this size has room for, beside its labels.
    fn of(
        tiles: (usize, usize),
        (width, height): (f64, f64),
        (left, right, bottom): (f64, f64, f64),
    ) -> View {
        let tiles = (tiles.0.max(1) as f64, tiles.1.max(1) as f64);
        let all = tiles.0 + tiles.1;
        let room = (width - left - right).max(all);
        let up = (room / all * RISE).min(FLOOR * (height - bottom) / all).max(0.5);
        let across = (room / all).min(FLAT * up);
        let top = 6.0;
        View {
            tiles,
            front: (left + (room - all * across) / 2.0 + tiles.1 * across, bottom),
            tile: (across, up),
            height: (height - bottom - top - all * up).max(10.0),
        }
    }

    /// A corner in pixels, y upward: `x` runs from the front to the right, `y` from the front to the left.
    fn at(&self, (x, y, z): Corner) -> Point {
        let (across, up) = self.tile;
        (self.front.0 + (x - y) * across, self.front.1 + (x + y) * up + z * self.height)
    }

    fn face(&self, corners: [Corner; 4]) -> Vec<Point> {
        corners.iter().map(|c| self.at(*c)).collect()
    }
}

/// The scale of heights: from zero to a tick above the largest figure.
fn heights(scene: &Scene, unit: &DisplayUnit) -> Axis {
    let max = scene.series.iter().flat_map(|s| s.data.points()).map(|p| p.y).fold(0.0, f64::max);
    let extent = Extent { min: 0.0, min_positive: max, max, cut: false };
    scale::linear_axis(&extent, unit, 4, 0.0)
}

fn view(scene: &Scene, grid: &Grid, frame: &Frame, unit: &DisplayUnit, style: &Style) -> View {
    let widest = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|name| text::width(name, style.tick, false)).fold(0.0, f64::max)
    };
    let axis = heights(scene, unit);
    let most = 0.2 * frame.rect.width;
    let rows = widest(&mut grid.rows.iter().map(|r| r.name.as_str())).min(most);
    let left = (widest(&mut axis.ticks.iter().map(|t| t.label.as_str())) + 10.0).max(rows * 0.6).min(most);
    let names: Vec<String> = (0..scene.x.len()).map(|i| scene.x.name(i)).collect();
    let right = (widest(&mut names.iter().map(String::as_str)) * 0.6).min(most).max(8.0);
    let bottom = 2.6 * style.tick;
    View::of((scene.x.len(), grid.rows.len()), (frame.rect.width, frame.rect.height), (left, right, bottom))
}

/// The shapes of a panel, back to front.
pub(super) fn draw(pen: &Pen<'_>, grid: &Grid, panel: &ScenePanel, frame: &Frame) -> Drawing {
    let mut drawing = Drawing::default();
    let view = view(pen.scene, grid, frame, pen.unit, pen.style);
    let axis = heights(pen.scene, pen.unit);
    let (nx, ny) = view.tiles;
    let line = |parts: Vec<Vec<Point>>, ink: Ink, dash: Vec<f64>, name: String| Shape::Line {
        parts,
        ink,
        dash,
        width: 1.0,
        name,
    };
    // The walls behind, the floor, and the edge at which heights are read.
    let walls = axis.ticks.iter().map(|tick| {
        let z = axis.position(tick.at);
        vec![view.at((0.0, ny, z)), view.at((nx, ny, z)), view.at((nx, 0.0, z))]
    });
    drawing.shapes.push(line(walls.collect(), Ink::Grid, Vec::new(), String::new()));
    let along = (0..=nx as usize).map(|i| vec![view.at((i as f64, 0.0, 0.0)), view.at((i as f64, ny, 0.0))]);
    let deep = (0..=ny as usize).map(|i| vec![view.at((0.0, i as f64, 0.0)), view.at((nx, i as f64, 0.0))]);
    drawing.shapes.push(line(along.chain(deep).collect(), Ink::Grid, Vec::new(), String::new()));
    let corners = [(0.0, ny, 1.0), (0.0, ny, 0.0), (0.0, 0.0, 0.0), (nx, 0.0, 0.0)];
    let edges = vec![corners.iter().map(|c| view.at(*c)).collect()];
    drawing.shapes.push(line(edges, Ink::Axis, Vec::new(), String::new()));
    let mut all: Vec<_> = cells::pairs(pen.scene, grid, panel).collect();
    all.sort_by_key(|(column, row, _)| (std::cmp::Reverse(column + row), *column));
    for (column, row, found) in all {
        let (x0, y0) = (column as f64 + FREE, row as f64 + FREE);
        let (x1, y1) = (x0 + 1.0 - 2.0 * FREE, y0 + 1.0 - 2.0 * FREE);
        let Some((series, point)) = found else {
            let mut outline = view.face([(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)]);
            outline.push(view.at((x0, y0, 0.0)));
            let name = format!("{}, {}: no run", pen.scene.x.name(column), grid.rows[row].name);
            drawing.shapes.push(line(vec![outline], Ink::Muted, vec![3.0, 3.0], name));
            continue;
        };
        let z = axis.position(point.y / pen.unit.divisor).clamp(0.0, 1.0);
        let top = view.face([(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)]);
        let left = view.face([(x0, y0, 0.0), (x0, y1, 0.0), (x0, y1, z), (x0, y0, z)]);
        let right = view.face([(x0, y0, 0.0), (x1, y0, 0.0), (x1, y0, z), (x0, y0, z)]);
        drawing.shapes.push(Shape::Fill {
            faces: vec![left.clone(), right.clone(), top],
            ink: Ink::Ramp(grid.ramp.step(point.y)),
            opacity: 1.0,
            name: pen.point_name(series, point),
        });
        for (face, opacity) in [(left, SHADE.0), (right, SHADE.1)] {
            drawing.shapes.push(Shape::Fill {
                faces: vec![face],
                ink: Ink::Shade,
                opacity,
                name: String::new(),
            });
        }
    }
    drawing
}

/// Writes the labels of a panel: heights at the left edge, columns and rows at the front, figures on the bars
/// that show their top. True when every name had room.
pub(super) fn label(
    layout: &mut Layout,
    (frame, panel): (&Frame, &ScenePanel),
    (scene, grid): (&Scene, &Grid),
    (unit, style): (&DisplayUnit, &Style),
) -> bool {
    let view = view(scene, grid, frame, unit, style);
    let canvas = &mut layout.canvas;
    let ny = view.tiles.1;
    let px = |(x, y): Point| (frame.rect.x + x, frame.rect.bottom() - y);
    let mut all = true;
    let most = 0.2 * frame.rect.width;
    for column in 0..scene.x.len() {
        let (x, y) = px(view.at((column as f64 + 0.5, 0.0, 0.0)));
        all &= name(
            canvas,
            &scene.x.name(column),
            (x + 3.0, y + 1.15 * style.tick),
            Align::Start,
            (style, most),
        );
    }
    for (i, row) in grid.rows.iter().enumerate() {
        let (x, y) = px(view.at((0.0, i as f64 + 0.5, 0.0)));
        all &= name(canvas, &row.name, (x - 3.0, y + 1.15 * style.tick), Align::End, (style, most));
    }
    let axis = heights(scene, unit);
    for tick in &axis.ticks {
        let (x, y) = px(view.at((0.0, ny, axis.position(tick.at))));
        let mut label = placed(tick.label.as_str(), x - 6.0, y + 0.36 * style.tick, style.tick, Role::Tick);
        label.align = Align::End;
        if label.bounds().x < 0.0 {
            (label.align, label.x) = (Align::Start, 1.0);
        }
        canvas.place(label, 0.0);
    }
    // What the two floor edges are, each below its own.
    let base = frame.rect.bottom() + 0.4 * style.tick;
    let room = frame.rect.width / 2.0 - 12.0;
    let ends = [
        (format!("← {}", grid.title), frame.rect.x, Align::Start),
        (format!("{} →", grid.across), frame.rect.right(), Align::End),
    ];
    for (title, x, align) in ends {
        let (line, full) = fit(&title, style.tick, false, room);
        let mut title = placed(line, x, base, style.tick, Role::Axis);
        (title.full, title.align) = (full, align);
        canvas.place(title, 0.0);
    }
    // Front to back, so that what is seen whole is written first.
    let mut bars: Vec<_> = cells::pairs(scene, grid, panel)
        .filter_map(|(column, row, found)| {
            let point = found?.1;
            let z = axis.position(point.y / unit.divisor).clamp(0.0, 1.0);
            Some((column, row, z, point))
        })
        .collect();
    bars.sort_by_key(|(column, row, ..)| (column + row, *column));
    for (column, row, z, point) in &bars {
        let centre = view.at((*column as f64 + 0.5, *row as f64 + 0.5, *z));
        let (x, y) = px(centre);
        let size = style.value;
        let mut value = placed(unit.number(point.y), x, y + 0.36 * size, size, Role::Value);
        (value.align, value.ink) = (Align::Middle, Ink::OnRamp(grid.ramp.step(point.y)));
        let bounds = value.bounds();
        // A box fits a rhombus when its half sides, as shares of the half diagonals, add up to one.
        let half = ((1.0 - 2.0 * FREE) * view.tile.0, (1.0 - 2.0 * FREE) * view.tile.1);
        let fits = bounds.width / 2.0 / half.0 + 0.8 * bounds.height / 2.0 / half.1 <= 1.0;
        let hidden = bars.iter().any(|(c, r, other, _)| {
            c + r < column + row
                && covers(&view, (*c as f64, *r as f64, *other), centre, bounds.width / 2.0, half.1)
        });
        if fits && !hidden {
            canvas.place(value, 0.0);
        }
    }
    all
}

/// True when a bar's faces reach over a place, `wide` to the sides and `high` up and down.
fn covers(view: &View, (column, row, z): Corner, (x, y): Point, wide: f64, high: f64) -> bool {
    let (near, far) = (FREE, 1.0 - FREE);
    let left = view.at((column + near, row + far, 0.0)).0;
    let right = view.at((column + far, row + near, 0.0)).0;
    let top = view.at((column + far, row + far, z)).1;
    let bottom = view.at((column + near, row + near, 0.0)).1;
    x + wide > left && x - wide < right && y - high < top && y + high > bottom
}

/// Writes a name at a floor edge, elided to `most` pixels; true when there was room.
fn name(canvas: &mut Canvas, name: &str, (x, y): Point, align: Align, (style, most): (&Style, f64)) -> bool {
    let (line, full) = fit(name, style.tick, false, most);
    let mut label = placed(line, x, y, style.tick, Role::Tick);
    (label.full, label.align) = (full, align);
    canvas.place(label, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_a_rhombus_and_heights_stand_upright() {
        let view = View::of((2, 3), (540.0, 300.0), (20.0, 20.0, 30.0));
        // Up: 0.46 of 270 for five tiles, 24.84 each; across: 3.2 times that, in the middle of 500 pixels.
        let close =
            |(x, y): Point, to: Point| assert!((x - to.0).abs() < 1e-6 && (y - to.1).abs() < 1e-6, "{x} {y}");
        close(view.tile, (79.488, 24.84));
        close(view.at((0.0, 0.0, 0.0)), (20.0 + 51.28 + 3.0 * 79.488, 30.0));
        close(view.at((2.0, 0.0, 0.0)), (520.0 - 51.28, 30.0 + 2.0 * 24.84));
        close(view.at((0.0, 3.0, 0.0)), (71.28, 30.0 + 3.0 * 24.84));
        let (foot, head) = (view.at((1.0, 1.0, 0.0)), view.at((1.0, 1.0, 1.0)));
        assert_eq!(foot.0, head.0);
        // The highest corner ends 6 pixels below the upper edge.
        assert!((view.at((2.0, 3.0, 1.0)).1 - 294.0).abs() < 1e-9);
    }

    #[test]
    fn a_bar_in_front_covers_and_one_behind_or_aside_does_not() {
        let view = View::of((4, 4), (840.0, 500.0), (20.0, 20.0, 40.0));
        let place = view.at((2.5, 2.5, 0.1));
        assert!(covers(&view, (1.0, 1.0, 1.0), place, 5.0, 5.0));
        assert!(!covers(&view, (1.0, 1.0, 0.05), place, 5.0, 5.0));
        assert!(!covers(&view, (3.0, 0.0, 1.0), place, 5.0, 5.0));
    }
}
