//! How SVG spells numbers, paths, names and texts.
//!
//! In: numbers in hundredths of a pixel, any text. Out: what may stand in an
//! attribute or an element.

use super::Point;
use std::borrow::Cow;

/// `figure.id` as an XML id that is a CSS identifier as well.
pub(in crate::render) fn identifier(id: &str) -> String {
    let mut clean: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).collect();
    if !clean.starts_with(|c: char| c.is_ascii_alphabetic()) {
        clean.insert_str(0, "pg-");
    }
    clean
}

/// Moves an upright or level hairline onto pixel centres, where it is one pixel wide and not two pale ones.
pub(super) fn crisp(points: &[Point], width: u32) -> Cow<'_, [Point]> {
    let centre = |v: i32| v.div_euclid(100).saturating_mul(100).saturating_add(50);
    match *points {
        [a, b] if width <= 150 && a.1 == b.1 => Cow::Owned(vec![(a.0, centre(a.1)), (b.0, centre(b.1))]),
        [a, b] if width <= 150 && a.0 == b.0 => Cow::Owned(vec![(centre(a.0), a.1), (centre(b.0), b.1)]),
        _ => Cow::Borrowed(points),
    }
}

/// Appends a subpath: absolute start, relative lines. Steps are taken on whole hundredths, so rounding never adds up.
pub(super) fn path_data(data: &mut String, points: &[Point], close: bool) {
    let Some((&(x, y), rest)) = points.split_first() else { return };
    // Bytes, which are checked to be a text once for the whole path.
    let mut path = Vec::with_capacity(16 + 10 * points.len());
    let step_to = |path: &mut Vec<u8>, hundredths: i64, first: bool| {
        if hundredths >= 0 && !first {
            path.push(b' ');
        }
        let mut room = [0; LONGEST];
        path.extend_from_slice(spelled(hundredths, &mut room));
    };
    path.push(b'M');
    step_to(&mut path, i64::from(x), true);
    step_to(&mut path, i64::from(y), false);
    let mut last = (i64::from(x), i64::from(y));
    let mut first = true;
    for &(x, y) in rest {
        let step = (i64::from(x) - last.0, i64::from(y) - last.1);
        if step == (0, 0) {
            continue;
        }
        if first {
            path.push(b'l');
        }
        step_to(&mut path, step.0, first);
        step_to(&mut path, step.1, false);
        first = false;
        last = (i64::from(x), i64::from(y));
    }
    if close {
        path.push(b'z');
    } else if first {
        // A line of no length; round caps make a dot of it.
        path.extend_from_slice(b"h0");
    }
    data.push_str(std::str::from_utf8(&path).unwrap_or_default());
}

/// How many segments [`path_data`] makes of an open path.
pub(super) fn segments(points: &[Point]) -> usize {
    let steps = points.windows(2).filter(|pair| pair[0] != pair[1]).count();
    // A line of no length has a segment, too.
    if points.is_empty() { 0 } else { 1 + steps.max(1) }
}

/// Appends a number that follows another: a minus sign needs no space before it.
pub(in crate::render) fn separate(out: &mut String, hundredths: i64) {
    if hundredths >= 0 {
        out.push(' ');
    }
    number(out, hundredths);
}

/// Appends a number of hundredths: `-.5`, `12`, `3.25`.
pub(in crate::render) fn number(out: &mut String, hundredths: i64) {
    let mut room = [0; LONGEST];
    out.push_str(std::str::from_utf8(spelled(hundredths, &mut room)).unwrap_or_default());
}

/// Bytes of the longest number: a sign, seventeen digits, a point and two decimals, and some to spare.
const LONGEST: usize = 24;

/// A number of hundredths as text.
fn spelled(hundredths: i64, room: &mut [u8; LONGEST]) -> &[u8] {
    let size = hundredths.unsigned_abs();
    let (mut whole, rest) = (size / 100, (size % 100) as u8);
    let mut at = room.len();
    let mut push = |byte: u8| {
        at -= 1;
        room[at] = byte;
    };
    if rest > 0 {
        if rest % 10 > 0 {
            push(b'0' + rest % 10);
        }
        push(b'0' + rest / 10);
        push(b'.');
    }
    if whole > 0 || rest == 0 {
        loop {
            push(b'0' + (whole % 10) as u8);
            whole /= 10;
            if whole == 0 {
                break;
            }
        }
    }
    if hundredths < 0 {
        push(b'-');
    }
    &room[at..]
}

/// A number with at most two decimals; 0 for what is no number.
pub(super) fn decimal(value: f64) -> String {
    let mut out = String::new();
    number(&mut out, (value * 100.0).round() as i64);
    out
}

/// Appends `text` for element content or a quoted attribute, without what XML 1.0 forbids (section 2.2, Char).
pub(super) fn escape(out: &mut String, text: &str) {
    escape_but(out, text, "");
}

/// [`escape`] for element content alone, where quotes may stay, which JSON is full of.
pub(super) fn escape_content(out: &mut String, text: &str) {
    escape_but(out, text, "\"'");
}

/// [`escape`] but for the characters of `kept`.
fn escape_but(out: &mut String, text: &str, kept: &str) {
    for c in text.chars() {
        match c {
            _ if kept.contains(c) => out.push(c),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Point, crisp, decimal, escape, identifier, number, path_data};

    fn written(hundredths: i64) -> String {
        let mut out = String::new();
        number(&mut out, hundredths);
        out
    }

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        escape(&mut out, text);
        out
    }

    #[test]
    fn numbers_have_at_most_two_decimals_and_no_needless_digits() {
        let cases = [
            (0, "0"),
            (5, ".05"),
            (50, ".5"),
            (-50, "-.5"),
            (100, "1"),
            (-1205, "-12.05"),
            (123_456, "1234.56"),
        ];
        for (hundredths, expected) in cases {
            assert_eq!(written(hundredths), expected);
        }
        assert_eq!(written(i64::MIN), "-92233720368547758.08");
    }

    #[test]
    fn decimals_are_rounded_and_what_is_no_number_is_zero() {
        for (value, expected) in [(1200.0, "1200"), (0.125_1, ".13"), (-2.345_1, "-2.35"), (f64::NAN, "0")] {
            assert_eq!(decimal(value), expected);
        }
    }

    #[test]
    fn paths_are_relative_and_skip_points_that_fall_together() {
        let mut data = String::new();
        path_data(&mut data, &[(1000, 2000), (1050, 2000), (1050, 2000), (950, 1875)], false);
        assert_eq!(data, "M10 20l.5 0-1-1.25");
    }

    #[test]
    fn a_line_of_no_length_stays_a_line() {
        let mut data = String::new();
        path_data(&mut data, &[(100, 200), (100, 200)], false);
        assert_eq!(data, "M1 2h0");
    }

    #[test]
    fn hairlines_stand_on_pixel_centres_and_thick_lines_where_they_are() {
        let moved = |points: [Point; 2], width| crisp(&points, width).into_owned();
        assert_eq!(moved([(100, 5_900), (900, 5_900)], 100), [(100, 5_950), (900, 5_950)]);
        assert_eq!(moved([(149, 0), (149, 900)], 150), [(150, 0), (150, 900)]);
        assert_eq!(moved([(100, 5_900), (900, 5_900)], 225), [(100, 5_900), (900, 5_900)]);
        assert_eq!(moved([(100, 100), (900, 200)], 100), [(100, 100), (900, 200)]);
    }

    #[test]
    fn texts_are_escaped_and_lose_what_xml_forbids() {
        assert_eq!(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
        assert_eq!(escaped("]]>"), "]]&gt;");
        assert_eq!(escaped("a\u{0}b\u{1b}c\u{ffff}d\u{fffe}e"), "abcde");
        assert_eq!(escaped("two\nlines\tand 🚀 漢字"), "two lines and 🚀 漢字");
    }

    #[test]
    fn identifiers_suit_xml_and_css() {
        let cases = [
            ("clat-over-time", "clat-over-time"),
            ("4k", "pg-4k"),
            ("", "pg-"),
            ("a b\"<é", "a-b---"),
            ("-x", "pg--x"),
        ];
        for (id, expected) in cases {
            assert_eq!(identifier(id), expected);
        }
    }
}
