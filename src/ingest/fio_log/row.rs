//! One line of a log as numbers.
//!
//! Goes in: the bytes of a line. Comes out: 3 to 8 integers and which of them
//! were hexadecimal. What the columns mean is [`super::layout`]'s business.

use crate::model::Ddir;

/// Most columns of a row: `log_window_value=both` with offset, priority and issue time.
pub(in crate::ingest) const MAX_COLUMNS: usize = 8;

/// Least columns of a row: fio before 1.26.3.
pub(in crate::ingest) const MIN_COLUMNS: usize = 3;

/// Numbers with more digits are held at the end of the range: they are far above anything plausible.
const EXACT_DIGITS: usize = 18;

/// The numbers of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) struct Columns {
    /// How many.
    pub(in crate::ingest) len: usize,
    /// Bit `i` is set when column `i` was written in hexadecimal.
    pub(in crate::ingest) hex: u8,
    /// The numbers; beyond the range of i64 they are held at its ends.
    pub(in crate::ingest) values: [i64; MAX_COLUMNS],
}

impl Columns {
    /// The number in column `index`, counted from 0; 0 beyond the last.
    pub(in crate::ingest) fn at(&self, index: usize) -> i64 {
        self.values.get(index).copied().unwrap_or(0)
    }

    /// Parses the row at the beginning of `text` when it is written as fio writes it, up to its line feed; gives
    /// the bytes that it takes. None for any other, and for one that stands at the very end of `text`: those are for
    /// [`Columns::parse`].
    #[inline]
    pub(in crate::ingest) fn parse_usual(text: &[u8]) -> Option<(Columns, usize)> {
        let mut columns = Columns { len: 0, hex: 0, values: [0; MAX_COLUMNS] };
        let mut at = 0;
        loop {
            let word = u64::from_le_bytes(*text.get(at..)?.first_chunk()?);
            let (mut value, mut digits) = leading_digits(word);
            if digits == 8 {
                let more = u64::from_le_bytes(*text.get(at + 8..)?.first_chunk()?);
                let (low, count) = leading_digits(more);
                // Sixteen digits and more are for the plain way.
                value = value * *POWERS.get(count)? + low;
                digits += count;
            }
            if digits == 0 {
                return None;
            }
            *columns.values.get_mut(columns.len)? = value as i64;
            columns.len += 1;
            at += digits;
            match text.get(at..)? {
                [b',', b' ', ..] => at += 2,
                [b',', ..] => at += 1,
                [b'\n', ..] if columns.len >= MIN_COLUMNS => return Some((columns, at + 1)),
                [b'\r', b'\n', ..] if columns.len >= MIN_COLUMNS => return Some((columns, at + 2)),
                _ => return None,
            }
        }
    }

    /// Parses a line without its end; None when it is no row.
    ///
    /// Numbers are separated by a comma, a tab or both, with blanks around.
    pub(in crate::ingest) fn parse(line: &[u8]) -> Option<Columns> {
        let mut columns = Columns { len: 0, hex: 0, values: [0; MAX_COLUMNS] };
        let mut rest = line;
        loop {
            let slot = columns.values.get_mut(columns.len)?;
            let (value, hex, after) = number(rest)?;
            *slot = value;
            columns.hex |= u8::from(hex) << columns.len;
            columns.len += 1;
            rest = after;
            let after_blanks = rest.trim_ascii_start();
            let tab = rest[..rest.len() - after_blanks.len()].contains(&b'\t');
            // One comma at most: an empty column would shift those after it.
            let (comma, after) = match after_blanks {
                [b',', after @ ..] => (true, after.trim_ascii_start()),
                after => (false, after),
            };
            rest = after;
            let separated = comma || tab;
            if rest.is_empty() && !separated {
                // Time, value and direction are decimal in every version.
                let readable = columns.len >= MIN_COLUMNS && columns.hex & 0b111 == 0;
                return readable.then_some(columns);
            }
            if !separated {
                return None;
            }
        }
    }
}

/// Powers of ten that eight digits can be followed by: seven digits at most.
pub(super) const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The number that the leading digits of eight characters make, the first in the lowest byte, and how many they are.
#[inline(always)]
pub(super) fn leading_digits(word: u64) -> (u64, usize) {
    // Each byte less `0`; digits are below 10.
    let values = word ^ 0x3030_3030_3030_3030;
    let beyond_nine = (values & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676;
    let others = (beyond_nine | values) & 0x8080_8080_8080_8080;
    let digits = (others.trailing_zeros() / 8) as usize;
    if digits == 0 {
        return (0, 0);
    }
    // Zeros in front; then digits become pairs, pairs fours, and these the number.
    let aligned = values << (64 - 8 * digits);
    let pairs = (aligned & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(2561) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(6_553_601) >> 16;
    ((fours & 0x0000_ffff_0000_ffff).wrapping_mul(42_949_672_960_001) >> 32, digits)
}

/// The number at the beginning of `text`, whether it is hexadecimal, and what follows it.
fn number(text: &[u8]) -> Option<(i64, bool, &[u8])> {
    if let [b'0', b'x' | b'X', digits @ ..] = text {
        return hexadecimal(digits).map(|(value, rest)| (value, true, rest));
    }
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        _ => (false, text),
    };
    let mut rest = digits;
    let mut value: i64 = 0;
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        // Cannot overflow within EXACT_DIGITS; beyond them the result is replaced.
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
        rest = after;
    }
    let length = digits.len() - rest.len();
    if length == 0 {
        return None;
    }
    if length > EXACT_DIGITS {
        let zeros = digits[..length].iter().take_while(|&&digit| digit == b'0').count();
        if length - zeros > EXACT_DIGITS {
            value = i64::MAX;
        }
    }
    Some((if negative { -value } else { value }, false, rest))
}

fn hexadecimal(digits: &[u8]) -> Option<(i64, &[u8])> {
    let length = digits.iter().take_while(|digit| digit.is_ascii_hexdigit()).count();
    let (digits, rest) = digits.split_at(length);
    // fio writes four digits, `0x%04x`.
    if length == 0 || length > 8 {
        return None;
    }
    let value = digits.iter().fold(0, |value, &digit| {
        let digit = (digit as char).to_digit(16).unwrap_or(0);
        value * 16 + i64::from(digit)
    });
    Some((value, rest))
}

/// A row whose columns are known and whose numbers are plausible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) struct Row {
    /// Line in the file, counted from 1.
    pub(in crate::ingest) line: u64,
    /// Time stamp as written, ms.
    pub(in crate::ingest) t: u64,
    /// Value as written.
    pub(in crate::ingest) value: u64,
    /// Index of the direction in [`DIRECTIONS`].
    pub(in crate::ingest) direction: usize,
    /// Block size, bytes; 0 where the log has none.
    pub(in crate::ingest) bytes: u64,
}

impl Row {
    /// True for a row of nothing, as a log that grew over its end holds (axboe/fio #152).
    pub(in crate::ingest) fn is_zeros(&self) -> bool {
        self.t == 0 && self.value == 0 && self.bytes == 0
    }
}

/// Directions by fio's code.
pub(in crate::ingest) const DIRECTIONS: [Ddir; 3] = [Ddir::Read, Ddir::Write, Ddir::Trim];

#[cfg(test)]
mod tests {
    use super::*;

    fn values(line: &str) -> Option<Vec<i64>> {
        Columns::parse(line.as_bytes()).map(|c| c.values[..c.len].to_vec())
    }

    #[test]
    fn commas_tabs_and_blanks_separate_numbers() {
        for line in
            ["500, 81920, 1, 4096", "500,81920,1,4096", "500\t81920\t1\t4096", "500 ,\t81920, 1 , 4096"]
        {
            assert_eq!(values(line), Some(vec![500, 81_920, 1, 4096]), "{line}");
        }
    }

    #[test]
    fn hexadecimal_priorities_are_numbers() {
        let row = Columns::parse(b"0, 19616, 0, 4096, 0x2003");
        assert_eq!(row.map(|r| (r.at(4), r.hex)), Some((0x2003, 0b1_0000)));
        assert_eq!(values("0x10, 1, 0"), None);
    }

    #[test]
    fn numbers_beyond_the_range_stay_at_its_end() {
        assert_eq!(values("1, 18446744073709551615, 0"), Some(vec![1, i64::MAX, 0]));
        assert_eq!(values("1, -99999999999999999999, 0"), Some(vec![1, -i64::MAX, 0]));
        assert_eq!(values("1, -1, 0"), Some(vec![1, -1, 0]));
        assert_eq!(values("1, 00000000000000000000042, 0"), Some(vec![1, 42, 0]));
    }

    #[test]
    fn usual_rows_read_as_the_plain_way_reads_them() {
        for line in [
            "500, 81920, 1, 4096",
            "0,0,0",
            "1, 2, 0, 3, 4, 5, 6, 7",
            "12345678, 1, 2, 0",
            "1234567890, 999999999999999, 0, 00000007, 10",
            "1, 22, 333, 4444, 55555, 666666, 7777777, 88888888",
        ] {
            let plain = Columns::parse(line.as_bytes());
            assert!(plain.is_some(), "{line}");
            for end in ["\n", "\r\n"] {
                let text = format!("{line}{end}9, 9, 9, 9\n");
                let usual = Columns::parse_usual(text.as_bytes());
                assert_eq!(usual, plain.map(|plain| (plain, line.len() + end.len())), "{line}");
            }
        }
        // The plain way takes some of these, the fast one leaves them to it.
        for line in [
            "1, 2",
            "1,  2, 3",
            "1, 2, 3 ",
            " 1, 2, 3",
            "-1, 2, 3",
            "1, 2, 3, 0x1",
            "1, 2,, 3",
            "1, 2, 3,",
            "1\t2\t3",
            "1, 2, 3, 4, 5, 6, 7, 8, 9",
            "1, 9999999999999999, 3",
            "1, 2, :",
            "1, 2, /",
            "1, 2, \u{b1}",
            "",
        ] {
            assert_eq!(Columns::parse_usual(format!("{line}\n9, 9, 9, 9\n").as_bytes()), None, "{line}");
        }
        assert_eq!(Columns::parse_usual(b"1, 2, 3\n"), None, "too near to the end for a look at whole words");
    }

    #[test]
    fn other_text_is_no_row() {
        for line in [
            "",
            "1, 2",
            "1, 2,",
            "1, 2, 3,",
            "1, 2,, 0",
            "1 2 3 4",
            "1, 2, x",
            "1.5, 2, 0",
            "1, 2, 0, 4096, 0, 0, 0, 0, 0",
            "fio: warning",
            "1, -, 0",
            "1, 0x, 0",
            "{",
        ] {
            assert_eq!(values(line), None, "{line}");
        }
    }
}
