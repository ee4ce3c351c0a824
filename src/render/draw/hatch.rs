//! Hatches: what tells bars apart where colours do not, in a grey print for one.
//!
//! In: the slot of a series and a rectangle. Out: thin lines in the
//! background's colour across it. Lines and not an SVG pattern, since every
//! program that shows SVG, PNG or PDF draws them, and style sheets recolour them.

use super::Easel;
use crate::chart::Ink;
use crate::render::svg::{Paint, Pen, Writer};
use plotters_backend::BackendCoord;

/// Width in pixels from which a line of the picture is the key of a bar.
pub(super) const KEY: f64 = 6.0;

/// Distance of a hatch's lines, their width, and how far they stay from the edge, in hundredths of a pixel.
const PITCH: i32 = 800;
const WIDTH: u32 = 130;
const INSET: i32 = 60;

/// Sides up to which a rectangle has lines closer to each other, as a key has; hundredths of a pixel.
const SMALL: i32 = 2000;

/// How visible the lines are.
const OPACITY: f64 = 0.7;

/// The way of a family of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Rising,
    Falling,
    Level,
    Upright,
}

/// The lines of each slot of the palette; the first is plain.
const HATCHES: [&[Way]; 7] = [
    &[],
    &[Way::Rising],
    &[Way::Level],
    &[Way::Falling],
    &[Way::Upright],
    &[Way::Rising, Way::Falling],
    &[Way::Level, Way::Upright],
];

impl Easel<'_> {
    /// Hatches the rectangle between two corners, in hundredths of a pixel, where the figure asks for it.
    pub(super) fn hatch(&self, ink: Ink, a: BackendCoord, b: BackendCoord) {
        let Ink::Series(slot) = ink else { return };
        if !self.hatched {
            return;
        }
        let paint = Paint { colour: self.theme.colours.background, opacity: OPACITY, width: WIDTH };
        self.writer(|writer| {
            writer.pen = Pen { class: "pg-halo".to_owned(), ..Pen::default() };
            writer.join();
            for line in lines(HATCHES[usize::from(slot) % HATCHES.len()], a, b) {
                writer.stroke(&line, paint);
            }
        });
        self.writer(Writer::part);
    }
}

/// The lines across a rectangle.
fn lines(ways: &[Way], a: BackendCoord, b: BackendCoord) -> Vec<[BackendCoord; 2]> {
    let (left, right) = (a.0.min(b.0) + INSET, a.0.max(b.0) - INSET);
    let (top, bottom) = (a.1.min(b.1) + INSET, a.1.max(b.1) - INSET);
    if right <= left || bottom <= top {
        return Vec::new();
    }
    let (width, height) = (right - left, bottom - top);
    let pitch = if width.min(height) <= SMALL { PITCH / 2 } else { PITCH };
    // Slanting lines lie apart by the same distance, measured across them.
    let slanting = (f64::from(pitch) * std::f64::consts::SQRT_2).round() as i32;
    let steps = |step: i32, end: i32| (1..).map(move |i| i * step - step / 2).take_while(move |at| *at < end);
    let mut lines = Vec::new();
    for way in ways {
        match way {
            Way::Level => {
                lines.extend(steps(pitch, height).map(|at| [(left, bottom - at), (right, bottom - at)]))
            }
            Way::Upright => {
                lines.extend(steps(pitch, width).map(|at| [(left + at, top), (left + at, bottom)]))
            }
            Way::Rising | Way::Falling => {
                for at in steps(slanting, width + height) {
                    // From where the line enters, at the left or at the lower edge, to where it leaves.
                    let (from, to) = ((at - height).max(0), at.min(width));
                    let (x, y) = match way {
                        Way::Falling => ([left + from, left + to], [bottom - at + from, bottom - at + to]),
                        _ => ([left + from, left + to], [top + at - from, top + at - to]),
                    };
                    lines.push([(x[0], y[0]), (x[1], y[1])]);
                }
            }
        }
    }
    lines
}
