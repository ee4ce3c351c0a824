//! Translucent areas of many corners as pixels.
//!
//! In: a path of straight lines and a colour. Out: the very pixels that
//! tiny-skia's fill makes of them, which the tests hold it to. There, the runs
//! of a row are a list that is searched from its start, and each run goes
//! through a pipeline made for sixteen pixels; of a band around a noisy line
//! nearly every run is a single pixel. Here, a row is its coverage, pixel by
//! pixel, and blending a table.
//!
//! As there, a row of pixels is four rows of samples, a sample a quarter of a
//! pixel wide, and edges are fixed-point numbers that are stepped from row to
//! row.

use resvg::tiny_skia::{Color, Path, PathSegment, Pixmap, Point};
use std::ops::Range;

/// Rows of samples in a row of pixels, and samples side by side in a pixel, as a power of two.
const SHIFT: i32 = 2;
const SAMPLES: i32 = 1 << SHIFT;

/// Widest and highest picture that tiny-skia draws in one piece; it cuts larger ones into tiles.
const WHOLE: u32 = 8191;

/// No pixels, before the first of them.
const NOWHERE: Range<usize> = Range { start: usize::MAX, end: 0 };

/// An edge on its way down.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Edge {
    /// Where it crosses the middle of the row, in 65,536ths of a sample.
    x: i32,
    /// What a row adds to `x`.
    step: i32,
    /// First and last row of samples that it crosses.
    first: i32,
    last: i32,
    /// 1 downwards, -1 upwards.
    winding: i32,
}

impl Edge {
    /// None where the edge crosses the middle of no row.
    fn of(from: Point, to: Point) -> Option<Edge> {
        // In 64ths of a sample.
        let fixed = |v: f32| (v * (64 * SAMPLES) as f32) as i32;
        let (from, to) = ((fixed(from.x), fixed(from.y)), (fixed(to.x), fixed(to.y)));
        let (upper, lower, winding) = if from.1 > to.1 { (to, from, -1) } else { (from, to, 1) };
        let row = |y: i32| (y + 32) >> 6;
        let (first, end) = (row(upper.1), row(lower.1));
        if first == end {
            return None;
        }
        let slope = (i64::from(lower.0 - upper.0) << 16) / i64::from(lower.1 - upper.1);
        let step = slope.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let down = i64::from((first << 6) + 32 - upper.1);
        let x = (upper.0 + ((i64::from(step) * down) >> 16) as i32) << 10;
        Some(Edge { x, step, first, last: end - 1, winding })
    }

    /// Takes an upright edge that follows on this one, or runs beside it, into it; what is left of the two, None for
    /// nothing, or the other edge where they stay two.
    fn joined(self, other: Edge) -> Result<Option<Edge>, Edge> {
        if self.step != 0 || other.step != 0 || self.x != other.x {
            return Err(other);
        }
        if self.winding == other.winding {
            return if other.last + 1 == self.first {
                Ok(Some(Edge { first: other.first, ..self }))
            } else if other.first == self.last + 1 {
                Ok(Some(Edge { last: other.last, ..self }))
            } else {
                Err(other)
            };
        }
        // Opposite ways cancel out where both run.
        if self.first == other.first {
            return Ok(if self.last == other.last {
                None
            } else if other.last < self.last {
                Some(Edge { first: other.last + 1, ..self })
            } else {
                Some(Edge { first: self.last + 1, last: other.last, winding: other.winding, ..self })
            });
        }
        if self.last == other.last {
            return Ok(Some(if other.first > self.first {
                Edge { last: other.first - 1, ..self }
            } else {
                Edge { first: other.first, last: self.first - 1, winding: other.winding, ..self }
            }));
        }
        Err(other)
    }
}

/// The edges of a path in the order in which rows meet them; None where it has curves.
fn edges(path: &Path) -> Option<Vec<Edge>> {
    let mut edges: Vec<Edge> = Vec::with_capacity(path.len());
    let mut add = |from: Point, to: Point| {
        let Some(edge) = Edge::of(from, to) else { return };
        match edges.pop().map(|last| (last, last.joined(edge))) {
            Some((_, Ok(joined))) => edges.extend(joined),
            Some((last, Err(edge))) => edges.extend([last, edge]),
            None => edges.push(edge),
        }
    };
    // Every outline is closed, also where the path does not say so.
    let mut outline: Option<(Point, Point)> = None;
    for segment in path.segments() {
        match (segment, outline) {
            (PathSegment::MoveTo(p), _) => {
                outline.into_iter().for_each(|(start, at)| add(at, start));
                outline = Some((p, p));
            }
            (PathSegment::LineTo(p), Some((start, at))) => {
                add(at, p);
                outline = Some((start, p));
            }
            (PathSegment::Close, Some((start, at))) => {
                add(at, start);
                outline = Some((start, start));
            }
            _ => return None,
        }
    }
    outline.into_iter().for_each(|(start, at)| add(at, start));
    edges.sort_by_key(|edge| (edge.first, edge.x));
    Some(edges)
}

/// Adds the edges that begin in a row to those that it crosses, both from left to right.
///
/// Of equal places, the order decides whether a span ends there and another begins, which may round differently:
/// the first of the new edges comes after those that are there, the others before.
fn meet(crossed: &mut Vec<Edge>, new: &[Edge], spare: &mut Vec<Edge>) {
    let Some((first, others)) = new.split_first() else { return };
    if crossed.last().is_none_or(|last| last.x <= first.x) {
        crossed.extend_from_slice(new);
        return;
    }
    let mut place = crossed.iter().rposition(|edge| edge.x <= first.x).map_or(0, |at| at + 1);
    spare.clear();
    spare.extend_from_slice(&crossed[..place]);
    spare.push(*first);
    for edge in others {
        let before = crossed[place..].iter().take_while(|there| there.x < edge.x).count();
        spare.extend_from_slice(&crossed[place..place + before]);
        place += before;
        spare.push(*edge);
    }
    spare.extend_from_slice(&crossed[place..]);
    std::mem::swap(crossed, spare);
}

/// Moves edges to the next row, and drops those that end in this one.
fn step(crossed: &mut Vec<Edge>, row: i32) {
    let mut kept = 0;
    for at in 0..crossed.len() {
        let mut edge = crossed[at];
        if edge.last == row {
            continue;
        }
        edge.x = edge.x.wrapping_add(edge.step);
        // Nearly all are in order already.
        let mut place = kept;
        while place > 0 && crossed[place - 1].x > edge.x {
            crossed[place] = crossed[place - 1];
            place -= 1;
        }
        crossed[place] = edge;
        kept += 1;
    }
    crossed.truncate(kept);
}

/// How much of each pixel of a row is covered, 0 to 255.
struct Row {
    /// The picture's column of the first pixel.
    left: usize,
    covered: Vec<u8>,
    /// The pixels that anything touched.
    touched: Range<usize>,
}

impl Row {
    /// Covers the samples from one to another of a row of samples.
    fn cover(&mut self, from: i32, to: i32, row: i32) {
        let start = self.left as i32 * SAMPLES;
        let end = self.covered.len() as i32 * SAMPLES;
        let (from, to) = ((from - start).clamp(0, end), (to - start).clamp(0, end));
        if from >= to {
            return;
        }
        let (first, last) = ((from >> SHIFT) as usize, (to >> SHIFT) as usize);
        let (before, behind) = (from & (SAMPLES - 1), to & (SAMPLES - 1));
        // A quarter of a quarter of 256 for each sample; the last full row takes one less, and all are 255.
        let share = |samples: i32| (samples as u8) << (8 - 2 * SHIFT);
        let full = (1 << (8 - SHIFT)) - u8::from(row & (SAMPLES - 1) == SAMPLES - 1);
        let add = |cell: &mut u8, share: u8| {
            let sum = u16::from(*cell) + u16::from(share);
            *cell = (sum - (sum >> 8)) as u8;
        };
        self.touched = self.touched.start.min(first)..self.touched.end.max(last + usize::from(behind > 0));
        if first == last {
            add(&mut self.covered[first], share(behind - before));
            return;
        }
        let inner = if before > 0 {
            add(&mut self.covered[first], share(SAMPLES - before));
            first + 1
        } else {
            first
        };
        self.covered[inner..last].iter_mut().for_each(|cell| add(cell, full));
        if behind > 0 {
            let cell = &mut self.covered[last];
            *cell = cell.wrapping_add(share(behind));
        }
    }

    /// Puts the row onto a row of the picture, and forgets it.
    fn blend(&mut self, pixels: &mut [u8], ink: &Ink) {
        let Range { start, end } = self.touched.clone();
        self.touched = NOWHERE;
        if start >= end {
            return;
        }
        let columns = (self.left + start) * 4..(self.left + end) * 4;
        for (pixel, cell) in pixels[columns].chunks_exact_mut(4).zip(&mut self.covered[start..end]) {
            let covered = std::mem::take(cell);
            if covered > 0 {
                ink.put(pixel, covered);
            }
        }
    }
}

/// A translucent colour at each coverage.
struct Ink {
    /// Channels 0 and 2, and 1 and 3, 16 bits each, and what is left of the ground.
    at: Vec<(u32, u32, u32)>,
}

impl Ink {
    fn new(colour: Color) -> Ink {
        let colour = colour.premultiply();
        let channels = [colour.red(), colour.green(), colour.blue(), colour.alpha()];
        let channels = channels.map(|v| (v * 255.0 + 0.5) as u32);
        let at = |covered: u32| {
            let [r, g, b, a] = channels.map(|v| (v * covered + 255) >> 8);
            (r | b << 16, g | a << 16, 255 - a)
        };
        Ink { at: (0..256).map(at).collect() }
    }

    /// Lays the colour over a pixel.
    fn put(&self, pixel: &mut [u8], covered: u8) {
        const PAIR: u32 = 0x00ff_00ff;
        let Ok(ground) = <[u8; 4]>::try_from(&*pixel) else { return };
        let ground = u32::from_le_bytes(ground);
        let (even, odd, left) = self.at[usize::from(covered)];
        // Two channels in one product: 255 * 255 + 255 has 16 bits.
        let even = even + ((((ground & PAIR) * left + PAIR) >> 8) & PAIR);
        let odd = odd + (((((ground >> 8) & PAIR) * left + PAIR) >> 8) & PAIR);
        pixel.copy_from_slice(&(even | odd << 8).to_le_bytes());
    }
}

/// Fills a path, in pixels of the picture, by the nonzero rule.
///
/// False, and nothing done, where that is better left to tiny-skia: where the path has curves, touches the edge of the
/// picture, or the colour is opaque.
pub(super) fn fill(path: &Path, colour: Color, picture: &mut Pixmap) -> bool {
    let bounds = path.bounds();
    let (width, height) = (picture.width(), picture.height());
    let inside = bounds.left() >= 1.0
        && bounds.top() >= 0.0
        && bounds.right() <= width as f32 - 1.0
        && bounds.bottom() <= height as f32;
    // Lines without an area are not filled.
    let thin = bounds.width().min(bounds.height()) < 0.01;
    if !inside || thin || width.max(height) > WHOLE || colour.is_opaque() {
        return false;
    }
    let Some(edges) = edges(path) else { return false };
    let left = bounds.left().floor() as usize;
    let mut row = Row { left, covered: vec![0; bounds.right().ceil() as usize - left], touched: NOWHERE };
    let ink = Ink::new(colour);
    let stride = width as usize * 4;
    let (top, bottom) = (bounds.top().floor() as usize, bounds.bottom().ceil() as usize);
    let (mut crossed, mut spare) = (Vec::new(), Vec::new());
    let mut rest = &edges[..];
    for (y, pixels) in picture.data_mut().chunks_exact_mut(stride).enumerate().take(bottom).skip(top) {
        for sample in y as i32 * SAMPLES..(y as i32 + 1) * SAMPLES {
            let (new, later) = rest.split_at(rest.iter().take_while(|edge| edge.first <= sample).count());
            rest = later;
            meet(&mut crossed, new, &mut spare);
            let (mut winding, mut from) = (0, 0);
            for edge in &crossed {
                let x = (edge.x + (1 << 15)) >> 16;
                if winding == 0 {
                    from = x;
                }
                winding += edge.winding;
                if winding == 0 {
                    row.cover(from, x, sample);
                }
            }
            step(&mut crossed, sample);
        }
        row.blend(pixels, &ink);
    }
    true
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::fill;
    use proptest::prelude::*;
    use resvg::tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Transform};

    fn polygons(outlines: &[Vec<(f32, f32)>]) -> Path {
        let mut path = PathBuilder::new();
        for outline in outlines {
            path.move_to(outline[0].0, outline[0].1);
            outline[1..].iter().for_each(|p| path.line_to(p.0, p.1));
            path.close();
        }
        path.finish().unwrap()
    }

    /// A picture with something on it, filled by tiny-skia and by this module; None where the latter refuses.
    fn both(path: &Path, colour: Color) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut theirs = Pixmap::new(64, 48).unwrap();
        theirs.fill(Color::from_rgba8(250, 240, 10, 255));
        let mut ours = theirs.clone();
        let mut paint = Paint::default();
        paint.set_color(colour);
        theirs.fill_path(path, &paint, FillRule::Winding, Transform::identity(), None);
        fill(path, colour, &mut ours).then(|| (ours.data().to_vec(), theirs.data().to_vec()))
    }

    #[test]
    fn curves_edges_of_the_picture_and_opaque_colours_are_refused() {
        let pale = Color::from_rgba8(10, 20, 200, 60);
        let inside = polygons(&[vec![(3.0, 3.0), (40.0, 5.5), (20.0, 40.0)]]);
        assert!(both(&inside, pale).is_some());
        assert!(both(&inside, Color::BLACK).is_none());
        let beyond = polygons(&[vec![(-3.0, 3.0), (40.0, 5.5), (20.0, 40.0)]]);
        assert!(both(&beyond, pale).is_none());
        let mut curve = PathBuilder::new();
        curve.move_to(5.0, 5.0);
        curve.quad_to(20.0, 40.0, 40.0, 5.0);
        assert!(both(&curve.finish().unwrap(), pale).is_none());
    }

    proptest! {
        #[test]
        fn pixels_are_those_of_tiny_skia(
            // Corners on eighths of a pixel meet each other and the rows of samples often.
            outlines in prop::collection::vec(prop::collection::vec((8..500_i32, 0..384_i32), 3..40), 1..3),
            (r, g, b, a) in (0..=255_u8, 0..=255_u8, 0..=255_u8, 0..=254_u8),
            shift in prop::sample::select(vec![0.0_f32, 0.013]),
        ) {
            let point = |&(x, y): &(i32, i32)| (x as f32 / 8.0 + shift, (y as f32 / 8.0 + shift).min(48.0));
            let outlines: Vec<Vec<(f32, f32)>> =
                outlines.iter().map(|outline| outline.iter().map(point).collect()).collect();
            if let Some((ours, theirs)) = both(&polygons(&outlines), Color::from_rgba8(r, g, b, a)) {
                prop_assert_eq!(ours, theirs);
            }
        }

        #[test]
        fn pixels_of_bands_are_those_of_tiny_skia(
            band in prop::collection::vec((0.0..20.0_f32, 20.0..47.0_f32), 40..120),
            upright in prop::bool::ANY,
        ) {
            let step = 60.0 / band.len() as f32;
            let x = |i: usize| 2.0 + if upright { (i / 2) as f32 } else { i as f32 * step };
            let upper = band.iter().enumerate().map(|(i, b)| (x(i), b.0));
            let lower = band.iter().enumerate().rev().map(|(i, b)| (x(i), b.1));
            let path = polygons(&[upper.chain(lower).collect()]);
            let (ours, theirs) = both(&path, Color::from_rgba8(20, 90, 200, 50)).unwrap();
            prop_assert_eq!(ours, theirs);
        }
    }
}
