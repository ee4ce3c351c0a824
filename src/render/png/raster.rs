//! The tree of a picture as pixels.
//!
//! In: an SVG written by [`crate::render::draw`], its long lines apart. Out: its
//! pixels. Such an SVG holds paths and texts in plain colours and nothing else,
//! so its shapes go to tiny-skia at once; long lines go to [`super::line`],
//! areas of many corners to [`super::area`], and texts in other fonts than
//! ours, which may have colours of their own, to resvg. To read a long line
//! from text, and to find its bounds, would take as long as to draw it.

use super::line::Line;
use super::{LIMIT, area, check_size};
use crate::render::RenderError;
use crate::render::svg::{self, LONG, LongLine, Point, STAND_IN, UNITS};
use crate::render::theme::Colour;
use crate::render::tree::{is_ours, parse};
use resvg::tiny_skia::{
    self, Color, FillRule, IntSize, Paint, PathBuilder, PathSegment, Pixmap, StrokeDash, Transform,
};
use resvg::usvg::{self, Group, LineCap, LineJoin, Node, PaintOrder, Path, Stroke, Text, Tree};
use std::cell::Cell;

/// Bytes of pixels up to which a thread keeps the room of a picture for its next one: to get millions of bytes from the
/// operating system anew takes as long as to compress them.
const KEPT: usize = 16 << 20;

thread_local! {
    static PIXELS: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    static LINE: Cell<Option<Line>> = const { Cell::new(None) };
}

/// Leaves the bytes of a picture that is done to the next one.
pub(super) fn leave(pixels: Vec<u8>) {
    if pixels.capacity() <= KEPT {
        PIXELS.set(pixels);
    }
}

/// A picture without anything on it.
fn paper(width: u32, height: u32) -> Option<Pixmap> {
    let mut pixels = PIXELS.take();
    pixels.clear();
    pixels.resize(width as usize * height as usize * 4, 0);
    Pixmap::from_vec(pixels, IntSize::from_wh(width, height)?)
}

/// The pixels of an SVG and its long lines, `scale` for each of its own.
pub(super) fn pixels((svg, lines): (&str, &[LongLine]), scale: f64) -> Result<Pixmap, RenderError> {
    let tree = parse(svg)?;
    let (across, down) = (tree.size().width(), tree.size().height());
    let side = |length: f32| (f64::from(length) * scale).round().max(1.0) as u32;
    let (width, height) = (side(across), side(down));
    check_size(width.into(), height.into())?;
    let pixels = paper(width, height).ok_or(RenderError::Size {
        width: width.into(),
        height: height.into(),
        limit: LIMIT,
    })?;
    // Each side by its own factor, so that rounding leaves no half-covered pixels at the edges.
    let fit = Transform::from_scale(width as f32 / across, height as f32 / down);
    let mut sheet = Sheet { pixels, fit, tree: &tree, lines, line: None };
    sheet.group(tree.root());
    if sheet.pixels.data().len() <= KEPT {
        LINE.set(sheet.line);
    }
    Ok(sheet.pixels)
}

struct Sheet<'a> {
    pixels: Pixmap,
    fit: Transform,
    tree: &'a Tree,
    /// What is drawn where the tree has something in its place.
    lines: &'a [LongLine],
    /// Room for lines of many points, once there is one.
    line: Option<Line>,
}

impl Sheet<'_> {
    fn group(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner),
                Node::Path(path) => self.path(path),
                Node::Text(text) => self.text(node, text),
                Node::Image(_) => {}
            }
        }
    }

    fn text(&mut self, node: &Node, text: &Text) {
        let mut glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
        if glyphs.all(|glyph| self.tree.fontdb().face(glyph.font).is_some_and(is_ours)) {
            return self.group(text.flattened());
        }
        if let Some(frame) = node.abs_layer_bounding_box() {
            // resvg moves a single node to the corner of the picture.
            let place = self.fit.pre_translate(frame.x(), frame.y());
            let _ = resvg::render_node(node, place, &mut self.pixels.as_mut());
        }
    }

    fn path(&mut self, path: &Path) {
        let number = path.id().strip_prefix(STAND_IN).and_then(|number| number.parse::<usize>().ok());
        if let Some(line) = number.and_then(|number| self.lines.get(number)) {
            self.long_line(line);
            return;
        }
        if path.paint_order() == PaintOrder::StrokeAndFill {
            self.stroke(path);
            self.fill(path);
        } else {
            self.fill(path);
            self.stroke(path);
        }
    }

    fn fill(&mut self, path: &Path) {
        let Some(fill) = path.fill() else { return };
        let rule = match fill.rule() {
            usvg::FillRule::NonZero => FillRule::Winding,
            usvg::FillRule::EvenOdd => FillRule::EvenOdd,
        };
        let colour = colour(fill.paint(), fill.opacity().get());
        let place = self.fit.pre_concat(path.abs_transform());
        if path.data().len() >= LONG
            && rule == FillRule::Winding
            && let Some(data) = path.data().clone().transform(place)
            && area::fill(&data, colour, &mut self.pixels)
        {
            return;
        }
        self.pixels.fill_path(path.data(), &paint(colour), rule, place, None);
    }

    fn stroke(&mut self, path: &Path) {
        let Some(stroke) = path.stroke() else { return };
        let colour = colour(stroke.paint(), stroke.opacity().get());
        let place = self.fit.pre_concat(path.abs_transform());
        if self.many(path, stroke, place, colour).is_none() {
            let style = stroke.to_tiny_skia();
            self.pixels.stroke_path(path.data(), &paint(colour), &style, place, None);
        }
    }

    /// Draws a line of many points; None where it is another kind of path.
    fn many(&mut self, path: &Path, stroke: &Stroke, place: Transform, colour: Color) -> Option<()> {
        let straight =
            path.data().segments().all(|s| matches!(s, PathSegment::MoveTo(_) | PathSegment::LineTo(_)));
        let round = stroke.linejoin() == LineJoin::Round && stroke.linecap() != LineCap::Square;
        if !straight || !round || path.data().len() < LONG {
            return None;
        }
        self.line(path.data(), &stroke.to_tiny_skia(), place, colour)
    }

    /// Draws a long line on what lies beneath it.
    fn long_line(&mut self, long: &LongLine) {
        let Some(data) = path_of(&long.parts) else { return };
        let solid = tiny_skia::Stroke { line_cap: tiny_skia::LineCap::Round, ..tiny_skia::Stroke::default() };
        if let Some(under) = long.under {
            let style = tiny_skia::Stroke { width: pixels_of(under.width), ..solid.clone() };
            let _ = self.line(&data, &style, self.fit, ink(under));
        }
        let mut style = tiny_skia::Stroke { width: pixels_of(long.paint.width), ..solid };
        if !long.dash.is_empty() {
            let mut dash: Vec<f32> = long.dash.iter().map(|v| hundredths(*v) as f32).collect();
            if dash.len() % 2 == 1 {
                // SVG 1.1, `stroke-dasharray`: an odd list is repeated.
                dash.extend_from_within(..);
            }
            style.dash = StrokeDash::new(dash, 0.0);
            // Round ends would fill the gaps.
            style.line_cap = tiny_skia::LineCap::Butt;
        }
        let _ = self.line(&data, &style, self.fit, ink(long.paint));
    }

    /// Draws straight lines with round joins; None where nothing is left of them.
    fn line(
        &mut self,
        data: &tiny_skia::Path,
        style: &tiny_skia::Stroke,
        place: Transform,
        colour: Color,
    ) -> Option<()> {
        let dashed = match &style.dash {
            Some(dash) => Some(data.dash(dash, 1.0)?),
            None => None,
        };
        let data = dashed.as_ref().unwrap_or(data).clone().transform(place)?;
        if style.width <= 0.0 {
            return None;
        }
        // Both sides have the same factor but for rounding to whole pixels.
        let width = style.width * place.sx.max(place.sy);
        let size = (self.pixels.width(), self.pixels.height());
        let line = self.line.get_or_insert_with(|| {
            LINE.take().filter(|line| line.size() == size).unwrap_or_else(|| Line::new(size))
        });
        line.begin(width, style.line_cap == tiny_skia::LineCap::Round);
        let mut points: Vec<(f32, f32)> = Vec::new();
        for segment in data.segments() {
            match segment {
                PathSegment::MoveTo(p) => {
                    line.add(&points);
                    points.clear();
                    points.push((p.x, p.y));
                }
                PathSegment::LineTo(p) => points.push((p.x, p.y)),
                // Not in a straight, open line.
                PathSegment::QuadTo(..) | PathSegment::CubicTo(..) | PathSegment::Close => {}
            }
        }
        line.add(&points);
        line.paint(&mut self.pixels, colour);
        Some(())
    }
}

/// The path that a reader of SVG makes of lines, which takes steps from point to point as they are written.
fn path_of(parts: &[Vec<Point>]) -> Option<tiny_skia::Path> {
    let mut path = PathBuilder::new();
    for part in parts {
        let Some((&(x, y), rest)) = part.split_first() else { continue };
        let (mut last, mut at) = ((x, y), (f64::from(x) / UNITS, f64::from(y) / UNITS));
        path.move_to(at.0 as f32, at.1 as f32);
        let mut moved = false;
        for &(x, y) in rest {
            if (x, y) == last {
                continue;
            }
            let step = |new: i32, old: i32| (i64::from(new) - i64::from(old)) as f64 / UNITS;
            at = (at.0 + step(x, last.0), at.1 + step(y, last.1));
            path.line_to(at.0 as f32, at.1 as f32);
            (last, moved) = ((x, y), true);
        }
        if !moved {
            // A line of no length.
            path.line_to(at.0 as f32, at.1 as f32);
        }
    }
    path.finish()
}

/// A length in hundredths of a pixel, in pixels.
fn pixels_of(hundredths: u32) -> f32 {
    (f64::from(hundredths) / UNITS) as f32
}

/// A number as SVG has it, with two decimals.
fn hundredths(value: f64) -> f64 {
    (value * UNITS).round() / UNITS
}

/// The colour of a line.
fn ink(paint: svg::Paint) -> Color {
    let opacity = if paint.opacity < 1.0 { hundredths(paint.opacity) as f32 } else { 1.0 };
    let Colour { r, g, b } = paint.colour;
    Color::from_rgba8(r, g, b, (opacity * 255.0).round() as u8)
}

fn paint(colour: Color) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour);
    paint.anti_alias = true;
    paint
}

/// A plain colour; our pictures have no gradients and patterns.
fn colour(paint: &usvg::Paint, opacity: f32) -> Color {
    let usvg::Paint::Color(colour) = paint else { return Color::BLACK };
    Color::from_rgba8(colour.red, colour.green, colour.blue, (opacity * 255.0).round() as u8)
}
