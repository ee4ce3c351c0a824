//! A short log of windows, from its text to rows in one go.
//!
//! Goes in: the text of a log that is whole in memory. Comes out: its rows and their layout when each line is as fio
//! writes those of windows in three to five columns; of other logs nothing, and the general way reads them.
//! Thousands of such logs are what a campaign leaves behind: nothing is looked at twice here.

use super::defect::MAX_BLOCK;
use super::layout::Layout;
use super::row::{MIN_COLUMNS, POWERS, Row, leading_digits};

/// Most columns whose meaning the first four and the sum of the fifth settle.
const MOST_COLUMNS: usize = 5;

/// Bytes at the end of a text that are read from a copy with room behind it.
const TAIL: usize = 256;

/// No row is shorter: three digits, two commas and a line feed.
const SHORTEST: usize = 6;

/// The rows of a short log.
pub(super) struct Short {
    /// One a line.
    pub(super) rows: Vec<Row>,
    pub(super) layout: Layout,
}

/// Rows under way.
struct Taken {
    rows: Vec<Row>,
    columns: usize,
    /// All that stood in the fifth column, bit by bit.
    fifth: u64,
}

impl Short {
    /// The rows of a text; None unless each line is a row of the same columns that says something.
    pub(super) fn of(text: &[u8]) -> Option<Short> {
        let first = memchr::memchr(b'\n', text)? + 1;
        let columns = memchr::memchr_iter(b',', &text[..first]).count() + 1;
        if !(MIN_COLUMNS..=MOST_COLUMNS).contains(&columns) || text.last() != Some(&b'\n') {
            return None;
        }
        // As many as there are when all are as short as the first.
        let rows = Vec::with_capacity(text.len() / first.max(SHORTEST) + 1);
        let mut taken = Taken { rows, columns, fifth: 0 };
        let read = match columns {
            3 => Taken::read::<3>,
            4 => Taken::read::<4>,
            _ => Taken::read::<5>,
        };
        // Numbers are taken eight bytes at a time, so that the last lines need bytes behind them.
        let behind = text.len().saturating_sub(TAIL / 2);
        let body = if behind == 0 { 0 } else { behind + memchr::memchr(b'\n', text.get(behind..)?)? + 1 };
        read(&mut taken, text, body)?;
        let tail = text.get(body..)?;
        let mut copy = [0; TAIL + 16];
        copy.get_mut(..tail.len())?.copy_from_slice(tail);
        read(&mut taken, &copy, tail.len())?;
        let layout = Layout::of_windows(taken.columns, taken.fifth)?;
        Some(Short { rows: taken.rows, layout })
    }
}

impl Taken {
    /// Takes the rows of `text` up to `end`, where a line begins.
    fn read<const COLUMNS: usize>(&mut self, text: &[u8], end: usize) -> Option<()> {
        let mut at = 0;
        while at < end {
            let t = before_comma(text, &mut at)?;
            let value = before_comma(text, &mut at)?;
            let direction = direction(text, &mut at, COLUMNS == 3)?;
            let bytes = match COLUMNS {
                3 => 0,
                4 => before_end(text, &mut at)?,
                _ => before_comma(text, &mut at)?,
            };
            if COLUMNS > 4 {
                self.fifth |= before_end(text, &mut at)?;
            }
            if bytes > MAX_BLOCK as u64 || t | value | bytes == 0 {
                return None;
            }
            let line = self.rows.len() as u64 + 1;
            self.rows.push(Row { line, t, value, direction: direction as usize, bytes });
        }
        (at == end).then_some(())
    }
}

/// A comma and a blank as the two bytes of a number.
const COMMA_BLANK: u16 = u16::from_le_bytes(*b", ");

/// Eight bytes.
#[inline(always)]
fn word(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

/// The number that stands at `at` before a comma, and a blank behind that.
#[inline(always)]
fn before_comma(text: &[u8], at: &mut usize) -> Option<u64> {
    let word = word(text, *at)?;
    let (value, digits) = leading_digits(word);
    // What stands behind a short number was read with it.
    if (1..=6).contains(&digits) {
        let behind = (word >> (8 * digits)) as u16;
        if behind == COMMA_BLANK {
            *at += digits + 2;
            return Some(value);
        }
        *at += digits + 1;
        return (behind as u8 == b',').then_some(value);
    }
    let value = long_number(text, at)?;
    match text.get(*at..)? {
        [b',', b' ', ..] => *at += 2,
        [b',', ..] => *at += 1,
        _ => return None,
    }
    Some(value)
}

/// The number that stands at `at` at the end of a line.
#[inline(always)]
fn before_end(text: &[u8], at: &mut usize) -> Option<u64> {
    // Most last columns are one digit; not to wait for their length lets the next row begin.
    let word = word(text, *at)?;
    if let [digit @ b'0'..=b'9', b'\n', ..] = word.to_le_bytes() {
        *at += 2;
        return Some(u64::from(digit & 0xf));
    }
    let value = long_number(text, at)?;
    match text.get(*at..)? {
        [b'\n', ..] => *at += 1,
        [b'\r', b'\n', ..] => *at += 2,
        _ => return None,
    }
    Some(value)
}

/// The direction that stands at `at`, and passes over what parts it from the next column.
#[inline(always)]
fn direction(text: &[u8], at: &mut usize, last: bool) -> Option<u64> {
    let width = match text.get(*at + 1..)? {
        [b',', b' ', ..] if !last => 3,
        [b',', ..] if !last => 2,
        [b'\n', ..] if last => 2,
        [b'\r', b'\n', ..] if last => 3,
        _ => return None,
    };
    let digit = text.get(*at)?.wrapping_sub(b'0');
    *at += width;
    (digit <= 2).then_some(u64::from(digit))
}

/// The number of at most fifteen digits that stands at `at`.
fn long_number(text: &[u8], at: &mut usize) -> Option<u64> {
    let (mut value, mut digits) = leading_digits(word(text, *at)?);
    if digits == 8 {
        let (low, count) = leading_digits(word(text, *at + 8)?);
        // Sixteen digits and more are for the plain way.
        value = value * POWERS.get(count)? + low;
        digits += count;
    }
    *at += digits;
    (digits > 0).then_some(value)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::super::row::Columns;
    use super::*;

    /// What the plain way makes of lines that are all rows of one layout.
    fn plainly(text: &str) -> (Vec<Row>, Layout) {
        let columns: Vec<Columns> =
            text.lines().map(|line| Columns::parse(line.as_bytes()).unwrap()).collect();
        let layout = Layout::candidates(&columns).swap_remove(0);
        let rows = (1..).zip(&columns).map(|(line, columns)| layout.row(line, columns).unwrap()).collect();
        (rows, layout)
    }

    #[test]
    fn rows_and_layout_are_those_of_the_plain_way() {
        for lines in [
            vec!["500, 81920, 1", "1000, 7, 0"],
            vec!["500,81920,1,0", "1000,123456789012345,0,4096"],
            vec!["500, 81920, 1, 0, 0", "1000, 7, 0, 0, 0"],
            vec!["500, 81920, 1, 0, 0", "1000, 7, 0, 0, 1"],
            vec!["500, 81920, 1, 0, 1", "1000, 7, 0, 0, 4096", "1500, 12345678, 2, 1099511627776, 0"],
        ] {
            for times in [1, 2, 40, 3000] {
                for end in ["\n", "\r\n"] {
                    let text: String = lines
                        .iter()
                        .cycle()
                        .take(lines.len() * times)
                        .map(|line| format!("{line}{end}"))
                        .collect();
                    let short = Short::of(text.as_bytes()).unwrap();
                    assert_eq!((short.rows, short.layout), plainly(&text), "{lines:?} {times}");
                }
            }
        }
    }

    #[test]
    fn what_is_odd_anywhere_is_left_to_the_plain_way() {
        let row = "500, 81920, 1, 0\n";
        for odd in [
            "",
            " ",
            "5, 5",
            "5, 5, 5, 0",
            "5, 5, 1, 0, 0",
            " 5, 5, 1, 0",
            "5, 5, 1, 0 ",
            "5, 5, 1, 0x0",
            "0, 0, 0, 0",
            "-5, 5, 1, 0",
            "5,  5, 1, 0",
            "5, 5, 01, 0",
            "5, 1234567890123456, 1, 0",
            "5, 5, 1, 1099511627777",
            "5, , 1, 0",
            "{",
            "5, 5, 1, 0\r",
        ] {
            for at in [0, 1, 50, 99] {
                let mut lines = vec![row.to_owned(); 100];
                lines[at] = format!("{odd}\n");
                let made = Short::of(lines.concat().as_bytes()).is_some();
                // A carriage return in front of the line feed is an end like any other.
                assert_eq!(made, odd == "5, 5, 1, 0\r", "`{odd}` in line {at}");
            }
        }
        assert!(Short::of(row.repeat(100).trim_end().as_bytes()).is_none(), "the last line has no end");
        assert!(Short::of(b"").is_none() && Short::of(b"\n").is_none());
        assert!(Short::of(b"1, 2\n").is_none() && Short::of(b"500, 1, 1, 0, 0, 0\n").is_none());
    }
}
