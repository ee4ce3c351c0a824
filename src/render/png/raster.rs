//! The tree of a picture as pixels.
//!
//! In: an SVG written by [`crate::render::draw`]. Out: its pixels. Such an SVG
//! holds paths and texts in plain colours and nothing else, so its shapes go
//! to tiny-skia at once; lines of many points go to [`super::line`], areas of
//! many corners to [`super::area`], and texts in other fonts than ours, which
//! may have colours of their own, to resvg.

use super::line::Line;
use super::{LIMIT, area, check_size};
use crate::render::RenderError;
use crate::render::tree::{is_ours, parse};
use resvg::tiny_skia::{Color, FillRule, IntSize, Paint, PathSegment, Pixmap, Transform};
use resvg::usvg::{self, Group, LineCap, LineJoin, Node, PaintOrder, Path, Stroke, Text, Tree};
use std::cell::Cell;

/// Segments from which a line is drawn by [`Line`].
const MANY: usize = 48;

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

/// The pixels of `svg`, `scale` for each of its own.
pub(super) fn pixels(svg: &str, scale: f64) -> Result<Pixmap, RenderError> {
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
    let mut sheet = Sheet { pixels, fit, tree: &tree, line: None };
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
        if path.data().len() >= MANY
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
        let style = stroke.to_tiny_skia();
        let straight =
            path.data().segments().all(|s| matches!(s, PathSegment::MoveTo(_) | PathSegment::LineTo(_)));
        let round = stroke.linejoin() == LineJoin::Round && stroke.linecap() != LineCap::Square;
        if !straight || !round || path.data().len() < MANY {
            return None;
        }
        let dashed = match &style.dash {
            Some(dash) => Some(path.data().dash(dash, 1.0)?),
            None => None,
        };
        let data = dashed.as_ref().unwrap_or(path.data()).clone().transform(place)?;
        // Both sides have the same factor but for rounding to whole pixels.
        let width = style.width * place.sx.max(place.sy);
        let size = (self.pixels.width(), self.pixels.height());
        let line = self.line.get_or_insert_with(|| {
            LINE.take().filter(|line| line.size() == size).unwrap_or_else(|| Line::new(size))
        });
        line.begin(width, stroke.linecap() == LineCap::Round);
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
