//! Where texts go: a canvas that refuses overlaps, labels pushed apart, places that collide least.
//!
//! In: texts with the places that they want. Out: texts that share no area and
//! stay on the picture. [`Canvas::place`] is the promise: what it accepted
//! overlaps nothing.

use super::{Align, Ink, Placed, Rect, Role, Shape, text};
use crate::spec::Size;

/// Longest name that is measured; longer ones are cut in the middle first.
const LONGEST: usize = 240;

/// The texts placed so far.
#[derive(Debug)]
pub(super) struct Canvas {
    size: Size,
    texts: Vec<Placed>,
    /// Boxes of the texts: widths are dear, and every candidate asks for all of them.
    boxes: Vec<Rect>,
}

impl Canvas {
    /// An empty picture.
    pub(super) fn new(size: Size) -> Self {
        Canvas { size, texts: Vec::new(), boxes: Vec::new() }
    }

    /// What was placed.
    pub(super) fn into_texts(self) -> Vec<Placed> {
        self.texts
    }

    /// True when a text with this box, and `margin` pixels around it, would collide with nothing.
    pub(super) fn is_free(&self, rect: &Rect, margin: f64) -> bool {
        let grown = Rect {
            x: rect.x - margin,
            y: rect.y - margin / 2.0,
            width: rect.width + 2.0 * margin,
            height: rect.height + margin,
        };
        let inside = rect.x >= 0.0
            && rect.y >= 0.0
            && rect.right() <= self.size.width
            && rect.bottom() <= self.size.height;
        inside && !self.boxes.iter().any(|b| b.overlaps(&grown))
    }

    /// Places a text unless it would collide or leave the picture; true when it was placed.
    pub(super) fn place(&mut self, placed: Placed, margin: f64) -> bool {
        let bounds = placed.bounds();
        let free = !placed.text.is_empty() && self.is_free(&bounds, margin);
        if free {
            self.texts.push(placed);
            self.boxes.push(bounds);
        }
        free
    }
}

/// A text at a place, with defaults for the rest.
pub(super) fn placed(text: impl Into<String>, x: f64, y: f64, size: f64, role: Role) -> Placed {
    Placed {
        text: text.into(),
        full: None,
        x,
        y,
        size,
        bold: false,
        align: Align::Start,
        ink: Ink::Muted,
        role,
        halo: false,
    }
}

/// `text` in at most `room` pixels, and the whole text where that took an ellipsis.
pub(super) fn fit(name: &str, size: f64, bold: bool, room: f64) -> (String, Option<String>) {
    // No text has more characters than bytes.
    let chars: Vec<char> = if name.len() > LONGEST { name.chars().collect() } else { Vec::new() };
    let short: String = if chars.len() > LONGEST {
        let (head, tail) = (&chars[..LONGEST / 2], &chars[chars.len() - LONGEST / 2..]);
        head.iter().chain(std::iter::once(&'…')).chain(tail).collect()
    } else {
        name.to_owned()
    };
    match text::elide(&short, size, bold, room) {
        Some(cut) => (cut, Some(name.to_owned())),
        None if short == name => (short, None),
        None => (short, Some(name.to_owned())),
    }
}

/// [`fit`] for one of several names: what all of them share goes first, so that they stay apart.
pub(super) fn fit_among(
    name: &str,
    all: &[&str],
    size: f64,
    bold: bool,
    room: f64,
) -> (String, Option<String>) {
    if text::width(name, size, bold) <= room || all.len() < 2 {
        return fit(name, size, bold, room);
    }
    let chars: Vec<char> = name.chars().collect();
    let shared = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(x, y)| x == y).count()
    };
    let others = || all.iter().filter(|other| **other != name);
    let head = others().map(|o| shared(&mut name.chars(), &mut o.chars())).min().unwrap_or(0);
    let tail = others().map(|o| shared(&mut name.chars().rev(), &mut o.chars().rev())).min().unwrap_or(0);
    let (mut from, mut to) = (head.min(chars.len()), chars.len().saturating_sub(tail));
    if from >= to {
        return fit_apart(name, all, size, bold, room);
    }
    let cut = |from: usize, to: usize| {
        let inner: String = chars.get(from..to).unwrap_or_default().iter().collect();
        let (before, after) = (if from > 0 { "…" } else { "" }, if to < chars.len() { "…" } else { "" });
        format!("{before}{inner}{after}")
    };
    if text::width(&cut(from, to), size, bold) > room {
        return fit_apart(name, all, size, bold, room);
    }
    // As much of the shared parts as there is room for, the beginning first.
    loop {
        if from > 0 && text::width(&cut(from - 1, to), size, bold) <= room {
            from -= 1;
        } else if to < chars.len() && text::width(&cut(from, to + 1), size, bold) <= room {
            to += 1;
        } else {
            return (cut(from, to), Some(name.to_owned()));
        }
    }
}

/// [`fit`] for what is left of a name without the words that all names have, wherever they stand in them.
fn fit_apart(name: &str, all: &[&str], size: f64, bold: bool, room: f64) -> (String, Option<String>) {
    let own = without_common(name, all);
    let others: Vec<String> =
        all.iter().filter(|other| **other != name).map(|o| without_common(o, all)).collect();
    if own.chars().all(|c| c == '…') || others.contains(&own) {
        return fit(name, size, bold, room);
    }
    (fit(&own, size, bold, room).0, Some(name.to_owned()))
}

/// A name with an ellipsis for each stretch of words that occur in all names.
fn without_common(name: &str, all: &[&str]) -> String {
    let is_joint = |c: char| !c.is_alphanumeric() && c != '.';
    let common = |word: &str| all.iter().all(|other| other.split(is_joint).any(|own| own == word));
    let elide = |told: &mut String| {
        told.truncate(told.trim_end_matches(is_joint).len());
        told.push('…');
    };
    let mut told = String::new();
    let mut left_out = false;
    for piece in name.split_inclusive(is_joint) {
        let word = piece.trim_end_matches(is_joint);
        if common(word) {
            left_out = true;
            continue;
        }
        if std::mem::take(&mut left_out) {
            elide(&mut told);
        }
        told.push_str(piece);
    }
    if left_out {
        elide(&mut told);
    }
    told
}

/// Centres for labels of `height` that want to be at `wanted` (ascending), apart and between
/// `top` and `bottom`; None when they do not fit.
///
/// Labels that push each other form a block around the mean of what they want,
/// so that none is moved further than needed.
pub(super) fn spread(wanted: &[f64], height: f64, top: f64, bottom: f64) -> Option<Vec<f64>> {
    if wanted.len() as f64 * height > bottom - top + 1e-6 {
        return None;
    }
    // Each block: first place of its first label's upper edge, number of labels, sum of wanted upper edges.
    let mut blocks: Vec<(f64, usize, f64)> = Vec::new();
    let settle = |count: usize, sum: f64| {
        let start = sum / count as f64;
        start.clamp(top, (bottom - count as f64 * height).max(top))
    };
    for &centre in wanted {
        let edge = centre - height / 2.0;
        let mut block = (settle(1, edge), 1, edge);
        while let Some(&(start, count, sum)) = blocks.last() {
            if start + count as f64 * height <= block.0 + 1e-9 {
                break;
            }
            blocks.pop();
            // The labels of the later block stand `count` heights below the block's start.
            let total = sum + block.2 - block.1 as f64 * count as f64 * height;
            let merged = count + block.1;
            block = (settle(merged, total), merged, total);
        }
        blocks.push(block);
    }
    let centres = blocks
        .iter()
        .flat_map(|&(start, count, _)| (0..count).map(move |i| start + (i as f64 + 0.5) * height))
        .collect();
    Some(centres)
}

/// What a label in the plot should not cover, in pixels.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    segments: Vec<((f64, f64), (f64, f64))>,
    boxes: Vec<Rect>,
}

impl Obstacles {
    /// Adds the shapes of a panel; `px` maps its axis units to pixels.
    pub(super) fn add(&mut self, shapes: &[Shape], px: impl Fn(f64, f64) -> (f64, f64)) {
        for shape in shapes {
            match shape {
                Shape::Line { parts, .. } => {
                    for part in parts {
                        let points: Vec<_> = part.iter().map(|&(x, y)| px(x, y)).collect();
                        self.segments.extend(points.windows(2).map(|w| (w[0], w[1])));
                    }
                }
                Shape::Bar { x0, x1, y0, y1, .. } => {
                    let ((left, bottom), (right, top)) = (px(*x0, *y0), px(*x1, *y1));
                    self.boxes.push(Rect { x: left, y: top, width: right - left, height: bottom - top });
                }
                Shape::Dots { at, radius, .. } => {
                    self.boxes.extend(at.iter().map(|&(x, y)| {
                        let (x, y) = px(x, y);
                        Rect { x: x - radius, y: y - radius, width: 2.0 * radius, height: 2.0 * radius }
                    }));
                }
                Shape::Interval { x, low, high, cap, .. } => {
                    let ((x, bottom), (_, top)) = (px(*x, *low), px(*x, *high));
                    self.boxes.push(Rect { x: x - cap, y: top, width: 2.0 * cap, height: bottom - top });
                }
                Shape::Area { .. }
                | Shape::Band { .. }
                | Shape::Fill { .. }
                | Shape::Rule { .. }
                | Shape::Mark { .. }
                | Shape::Cut { .. } => {}
            }
        }
    }

    /// How many strokes and shapes a box would cover.
    pub(super) fn hits(&self, rect: &Rect) -> usize {
        let lines = self.segments.iter().filter(|(a, b)| crosses(*a, *b, rect)).count();
        lines + self.boxes.iter().filter(|b| b.overlaps(rect)).count()
    }
}

/// Pixels by which a segment beside a rectangle lies clear of it, whatever rounding does.
const CLEAR: f64 = 1e-6;

/// True when a segment meets a rectangle (Liang-Barsky clipping).
fn crosses(a: (f64, f64), b: (f64, f64), rect: &Rect) -> bool {
    // Nearly all segments lie to one side of it.
    if a.0.max(b.0) < rect.x - CLEAR
        || a.0.min(b.0) > rect.right() + CLEAR
        || a.1.max(b.1) < rect.y - CLEAR
        || a.1.min(b.1) > rect.bottom() + CLEAR
    {
        return false;
    }
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (p, q) in
        [(-dx, a.0 - rect.x), (dx, rect.right() - a.0), (-dy, a.1 - rect.y), (dy, rect.bottom() - a.1)]
    {
        if p == 0.0 {
            if q < 0.0 {
                return false;
            }
        } else if p < 0.0 {
            enter = enter.max(q / p);
        } else {
            leave = leave.min(q / p);
        }
    }
    enter <= leave
}

/// The candidate that covers least, earlier ones first among equals; None when all collide with texts.
pub(super) fn least_covering(
    canvas: &Canvas,
    obstacles: &Obstacles,
    candidates: impl IntoIterator<Item = Placed>,
) -> Option<(Placed, usize)> {
    let mut best: Option<(Placed, usize)> = None;
    for candidate in candidates {
        let bounds = candidate.bounds();
        if !canvas.is_free(&bounds, 3.0) {
            continue;
        }
        let hits = obstacles.hits(&bounds);
        if best.as_ref().is_none_or(|(_, least)| hits < *least) {
            let done = hits == 0;
            best = Some((candidate, hits));
            if done {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_that_do_not_touch_stay_where_they_want() {
        assert_eq!(spread(&[20.0, 60.0, 90.0], 20.0, 0.0, 100.0).unwrap(), [20.0, 60.0, 90.0]);
    }

    #[test]
    fn labels_at_one_place_are_centred_around_it() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 20.0, 0.0, 100.0).unwrap(), [30.0, 50.0, 70.0]);
    }

    #[test]
    fn labels_at_the_edge_are_pushed_inside() {
        assert_eq!(spread(&[0.0, 2.0], 20.0, 0.0, 100.0).unwrap(), [10.0, 30.0]);
        assert_eq!(spread(&[99.0, 99.0], 20.0, 0.0, 100.0).unwrap(), [70.0, 90.0]);
        assert_eq!(spread(&[0.0; 6], 20.0, 0.0, 100.0), None);
    }

    #[test]
    fn a_segment_through_a_box_crosses_it() {
        let rect = Rect { x: 10.0, y: 10.0, width: 10.0, height: 10.0 };
        assert!(crosses((0.0, 15.0), (30.0, 15.0), &rect));
        assert!(crosses((12.0, 12.0), (13.0, 13.0), &rect));
        assert!(!crosses((0.0, 0.0), (30.0, 5.0), &rect));
        assert!(!crosses((0.0, 25.0), (5.0, 0.0), &rect));
    }

    #[test]
    fn elided_names_keep_what_tells_them_apart() {
        let names = ["results/2026/raid-campaign/raid5/run", "results/2026/raid-campaign/raid6/run"];
        let room = text::width("…campaign/raid5/…", 12.0, false);
        let (a, full) = fit_among(names[0], &names, 12.0, false, room);
        let (b, _) = fit_among(names[1], &names, 12.0, false, room);
        assert!(a.contains('5') && b.contains('6'), "{a} {b}");
        assert_eq!(full.as_deref(), Some(names[0]));
        assert!(text::width(&a, 12.0, false) <= room);
    }

    #[test]
    fn words_that_all_names_share_go_before_any_letter_that_tells_them_apart() {
        let names = [
            "raid10_chunk1024k_randread_qd4_direct_run1",
            "raid5_chunk64k_randread_qd4_direct_run2",
            "single_chunk16k_randread_qd4_direct_run3",
        ];
        let room = text::width("raid10_chunk1024k…run1", 12.0, false);
        let short = names.map(|name| fit_among(name, &names, 12.0, false, room));
        let texts = short.clone().map(|(text, _)| text);
        assert_eq!(texts, ["raid10_chunk1024k…run1", "raid5_chunk64k…run2", "single_chunk16k…run3"]);
        assert_eq!(short[1].1.as_deref(), Some(names[1]));
        // Names that differ in nothing but their order of words are told whole, as far as there is room.
        let turned = ["one two three four five", "two one three four five"];
        assert!(fit_among(turned[0], &turned, 12.0, false, 60.0).0.starts_with("one"));
    }

    proptest! {
        #[test]
        fn spread_labels_never_overlap(mut wanted in prop::collection::vec(-50.0f64..150.0, 1..6)) {
            wanted.sort_by(f64::total_cmp);
            let centres = spread(&wanted, 18.0, 0.0, 100.0).unwrap();
            prop_assert_eq!(centres.len(), wanted.len());
            for pair in centres.windows(2) {
                prop_assert!(pair[1] - pair[0] >= 18.0 - 1e-6, "{:?}", centres);
            }
            prop_assert!(centres[0] >= 9.0 - 1e-6 && centres[centres.len() - 1] <= 91.0 + 1e-6);
        }
    }
}
