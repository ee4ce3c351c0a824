//! Lines of many points as pixels.
//!
//! In: points, a width, a colour. Out: the pixels near them, by their distance
//! to the line. A rasteriser for any shape takes ten times as long for a noisy
//! line of a thousand points, since it sorts all edges of its outline in each
//! row of pixels.

use resvg::tiny_skia::{Color, Pixmap, PremultipliedColorU8};

/// How far from the edge of a shape a pixel is partly covered.
const SOFT: f32 = 0.5;

/// A line on its way onto a picture: how much of each pixel it covers. One after the other, lines share the room for that.
#[derive(Debug)]
pub(super) struct Line {
    half: f32,
    round: bool,
    /// Size of the picture.
    width: usize,
    height: usize,
    /// Coverage by all parts so far, 0 to 255.
    all: Vec<u8>,
    /// Coverage by the part since the last sharp turn.
    part: Vec<u8>,
    /// The pixels that the part touched.
    touched: Frame,
    /// The pixels that anything touched.
    frame: Frame,
}

/// Columns and rows from the first to behind the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frame {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

const NOWHERE: Frame = Frame { left: usize::MAX, top: usize::MAX, right: 0, bottom: 0 };

impl Frame {
    fn with(self, other: Frame) -> Frame {
        Frame {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// Where a line is cut off straight: the end and the unit way from it into the line.
#[derive(Debug, Clone, Copy)]
struct Cut {
    at: (f32, f32),
    way: (f32, f32),
}

impl Cut {
    /// The end of a line whose first piece is this one; None where it has no length.
    fn of(at: (f32, f32), next: (f32, f32)) -> Option<Cut> {
        let length = (next.0 - at.0).hypot(next.1 - at.1);
        (length > 0.0).then(|| Cut { at, way: ((next.0 - at.0) / length, (next.1 - at.1) / length) })
    }

    /// How much of the pixel around a place lies on the line's side.
    fn leaves(&self, x: f32, y: f32) -> f32 {
        ((x - self.at.0) * self.way.0 + (y - self.at.1) * self.way.1 + SOFT).clamp(0.0, 1.0)
    }
}

impl Line {
    /// Room for lines on a picture of that size in pixels.
    pub(super) fn new((across, down): (u32, u32)) -> Line {
        let (width, height) = (across as usize, down as usize);
        let room = || vec![0; width * height];
        Line {
            half: 0.5,
            round: true,
            width,
            height,
            all: room(),
            part: room(),
            touched: NOWHERE,
            frame: NOWHERE,
        }
    }

    /// Width and height of the picture in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.width as u32, self.height as u32)
    }

    /// Begins a line of that width in pixels, with round or straight ends.
    pub(super) fn begin(&mut self, width: f32, round: bool) {
        (self.half, self.round) = (width / 2.0, round);
    }

    /// Adds a line through these points.
    pub(super) fn add(&mut self, points: &[(f32, f32)]) {
        let straight = |cut: Option<Cut>| cut.filter(|_| !self.round);
        let (first, last) = match *points {
            [a, b, ..] => {
                let end = points.len() - 1;
                (straight(Cut::of(a, b)), straight(Cut::of(points[end], points[end - 1])))
            }
            _ => (None, None),
        };
        // A straight end cuts all pieces that begin or end near it, not the outermost alone.
        let near = self.half + 2.0 * SOFT;
        let close = |a: (f32, f32), cut: &Option<Cut>| {
            cut.filter(|cut| (a.0 - cut.at.0).hypot(a.1 - cut.at.1) < near)
        };
        let mut before: Option<(f32, f32)> = None;
        for pair in points.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let way = (to.0 - from.0, to.1 - from.1);
            // Within a smooth stretch the nearest piece counts; what turns back covers what was left free.
            if before.is_some_and(|b| b.0 * way.0 + b.1 * way.1 < 0.0) {
                self.part_ends();
            }
            self.piece(from, to, [close(from, &first), close(to, &last)]);
            before = Some(way);
        }
        self.part_ends();
    }

    /// Covers the pixels near a piece.
    fn piece(&mut self, from: (f32, f32), to: (f32, f32), cuts: [Option<Cut>; 2]) {
        let reach = self.half + SOFT;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        let per_length = if length > 0.0 { 1.0 / length } else { 0.0 };
        let (ux, uy) = (dx * per_length, dy * per_length);
        // A hairline covers its pixels in part only.
        let full = (2.0 * self.half).min(1.0);
        let (low, high) = (from.0.min(to.0) - reach, from.0.max(to.0) + reach);
        let steep = uy.abs() > 1e-3;
        let (slope, aside) = if steep { (ux / uy, reach / uy.abs()) } else { (0.0, 0.0) };
        let rows = span(from.1.min(to.1) - reach, from.1.max(to.1) + reach, self.height);
        let reached = span(low, high, self.width);
        if rows.is_empty() || reached.is_empty() {
            return;
        }
        let frame = Frame { left: reached.start, top: rows.start, right: reached.end, bottom: rows.end };
        self.touched = self.touched.with(frame);
        let uncut = cuts.iter().all(Option::is_none);
        for y in rows {
            let py = y as f32 + 0.5 - from.1;
            // Where the strip along the piece crosses this row.
            let (mut left, mut right) = (low, high);
            if steep {
                let middle = from.0 + py * slope;
                left = left.max(middle - aside);
                right = right.min(middle + aside);
            }
            let columns = span(left, right, self.width);
            if columns.is_empty() {
                continue;
            }
            let start = y * self.width;
            let cells = &mut self.part[start + columns.start..start + columns.end];
            // How much of the pixel at a distance from the start is covered; the same steps for each, without a branch.
            let covered = |px: f32| {
                let along = px * ux + py * uy;
                let aside = px * uy - py * ux;
                let beyond = (-along).max(along - length).max(0.0);
                (reach - hypotenuse(aside, beyond)).max(0.0).min(full)
            };
            let place = |x: usize| x as i32 as f32 + 0.5 - from.0;
            let places = (columns.start as i32..).map(|x| x as f32 + 0.5 - from.0);
            let beside = |px: f32| (0.0..=length).contains(&(px * ux + py * uy));
            if uncut && beside(place(columns.start)) && beside(place(columns.end - 1)) {
                // Neither end is near: the distance is the way aside, which needs no root.
                for (px, cell) in places.zip(cells) {
                    let covered = (reach - (px * uy - py * ux).abs()).max(0.0).min(full);
                    *cell = (*cell).max((covered * 255.0 + 0.5) as u8);
                }
                continue;
            }
            if uncut {
                for (px, cell) in places.zip(cells) {
                    *cell = (*cell).max((covered(px) * 255.0 + 0.5) as u8);
                }
                continue;
            }
            for (px, cell) in places.zip(cells) {
                let left = cuts.iter().flatten().map(|cut| cut.leaves(px + from.0, py + from.1));
                *cell = (*cell).max((left.fold(covered(px), |all, part| all * part) * 255.0 + 0.5) as u8);
            }
        }
    }

    /// Moves the part to the whole: what both leave free stays free.
    fn part_ends(&mut self) {
        let Frame { left, top, right, bottom } = self.touched;
        for y in top..bottom.max(top) {
            let cells = y * self.width + left..y * self.width + right;
            for (all, part) in self.all[cells.clone()].iter_mut().zip(&mut self.part[cells]) {
                let free = u16::from(255 - *all) * u16::from(255 - *part);
                *all = 255 - (free / 255) as u8;
                *part = 0;
            }
        }
        self.frame = self.frame.with(self.touched);
        self.touched = NOWHERE;
    }

    /// Puts the line onto an opaque picture, and forgets it.
    pub(super) fn paint(&mut self, picture: &mut Pixmap, colour: Color) {
        let Frame { left, top, right, bottom } = std::mem::replace(&mut self.frame, NOWHERE);
        let ink = colour.to_color_u8();
        for y in top..bottom.max(top) {
            let row = y * self.width;
            let pixels = &mut picture.pixels_mut()[row + left..row + right];
            let cells = &mut self.all[row + left..row + right];
            // Most of the frame around a line is free: eight pixels are passed over at a time.
            let some = pixels.chunks_mut(8).zip(cells.chunks_mut(8)).filter(|(_, cells)| {
                !<[u8; 8]>::try_from(&**cells).is_ok_and(|cells| u64::from_ne_bytes(cells) == 0)
            });
            for (pixel, cell) in some.flat_map(|(pixels, cells)| pixels.iter_mut().zip(cells)) {
                let covered = std::mem::take(cell);
                if covered == 0 {
                    continue;
                }
                let share = u32::from(covered) * u32::from(ink.alpha());
                let mix = |new: u8, old: u8| {
                    let sum = u32::from(new) * share + u32::from(old) * (255 * 255 - share);
                    ((sum + 255 * 255 / 2) / (255 * 255)) as u8
                };
                let mixed = PremultipliedColorU8::from_rgba(
                    mix(ink.red(), pixel.red()),
                    mix(ink.green(), pixel.green()),
                    mix(ink.blue(), pixel.blue()),
                    255,
                );
                *pixel = mixed.unwrap_or(*pixel);
            }
        }
    }
}

/// The square root of the sum of two squares; f64 holds both exactly, and is quicker than what guards against overflow.
fn hypotenuse(a: f32, b: f32) -> f32 {
    let (a, b) = (f64::from(a), f64::from(b));
    (a * a + b * b).sqrt() as f32
}

/// Pixels between two places, within the picture.
fn span(from: f32, to: f32, end: usize) -> std::ops::Range<usize> {
    // What is no number becomes 0.
    let below = |v: f32| (v.max(0.0) as i32 as usize).min(end);
    let (first, last) = (below(from), below(to));
    let last = if (last as f32) < to { (last + 1).min(end) } else { last };
    first..last.max(first)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::Line;
    use resvg::tiny_skia::{Color, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Stroke, Transform};

    /// White paper with one black line, by this module and by tiny-skia.
    fn both(points: &[(f32, f32)], width: f32, round: bool) -> (Vec<u8>, Vec<u8>) {
        let paper = || {
            let mut paper = Pixmap::new(60, 40).unwrap();
            paper.fill(Color::WHITE);
            paper
        };
        let mut ours = paper();
        let mut line = Line::new((60, 40));
        line.begin(width, round);
        line.add(points);
        line.paint(&mut ours, Color::BLACK);
        let mut path = PathBuilder::new();
        path.move_to(points[0].0, points[0].1);
        points[1..].iter().for_each(|p| path.line_to(p.0, p.1));
        let mut theirs = paper();
        let line_cap = if round { LineCap::Round } else { LineCap::Butt };
        let stroke = Stroke { width, line_cap, line_join: LineJoin::Round, ..Stroke::default() };
        let mut black = Paint::default();
        black.set_color(Color::BLACK);
        theirs.stroke_path(&path.finish().unwrap(), &black, &stroke, Transform::identity(), None);
        let greys = |paper: Pixmap| paper.data().iter().step_by(4).copied().collect();
        (greys(ours), greys(theirs))
    }

    fn apart((ours, theirs): &(Vec<u8>, Vec<u8>)) -> (f64, u8) {
        let each = || ours.iter().zip(theirs).map(|(a, b)| a.abs_diff(*b));
        (each().map(f64::from).sum::<f64>() / each().count() as f64, each().max().unwrap())
    }

    #[test]
    fn lines_look_like_those_of_a_rasteriser_for_any_shape() {
        let wave: Vec<(f32, f32)> =
            (0..56).map(|x| (2.0 + x as f32, 20.0 + 12.0 * (x as f32 / 5.0).sin())).collect();
        let zigzag: Vec<(f32, f32)> =
            (0..14).map(|x| (4.0 + 4.0 * x as f32, if x % 2 == 0 { 6.0 } else { 33.5 })).collect();
        for points in [wave, zigzag, vec![(5.0, 5.0), (50.3, 30.7)], vec![(5.0, 20.0), (55.0, 20.0)]] {
            for width in [0.6, 1.0, 2.25, 4.6] {
                for round in [true, false] {
                    // Of 255; the zigzag has an edge in nearly every pixel.
                    let (mean, most) = apart(&both(&points, width, round));
                    assert!(mean < 5.0, "{width} {round} {}: {mean:.2}", points.len());
                    // tiny-skia has another way for hairlines, and the two differ by more there.
                    assert!(width < 2.0 || most < 90, "{width} {round} {}: {most}", points.len());
                }
            }
        }
    }

    #[test]
    fn ends_are_cut_straight_or_round() {
        let grey = |round| {
            let (ours, _) = both(&[(10.0, 20.0), (40.0, 20.0)], 6.0, round);
            // Two pixels beyond the end, on the line's middle.
            ours[20 * 60 + 42]
        };
        assert!(grey(true) < 60);
        assert_eq!(grey(false), 255);
    }

    #[test]
    fn a_line_leaves_nothing_behind_for_the_next() {
        let mut paper = Pixmap::new(60, 40).unwrap();
        let mut line = Line::new((60, 40));
        line.begin(6.0, true);
        line.add(&[(5.0, 5.0), (50.0, 30.0), (5.0, 35.0)]);
        line.paint(&mut paper, Color::BLACK);
        paper.fill(Color::WHITE);
        line.begin(1.0, true);
        line.add(&[(20.0, 2.0), (40.0, 2.0)]);
        line.paint(&mut paper, Color::BLACK);
        let dark = paper.pixels().iter().enumerate().filter(|(_, pixel)| pixel.red() < 255);
        assert!(dark.map(|(at, _)| at / 60).all(|row| row < 4));
    }

    #[test]
    fn what_lies_outside_or_is_no_number_is_left_out() {
        let wild = [(f32::NAN, 3.0), (-1e9, 4.0), (1e9, f32::INFINITY), (20.0, 20.0), (20.0, 20.0)];
        let mut line = Line::new((60, 40));
        line.begin(2.0, true);
        line.add(&wild);
        line.add(&[]);
        let mut paper = Pixmap::new(60, 40).unwrap();
        paper.fill(Color::WHITE);
        line.paint(&mut paper, Color::BLACK);
        assert!(paper.data()[(20 * 60 + 20) * 4] < 128, "the point within is there");
    }
}
