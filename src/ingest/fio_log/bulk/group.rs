//! Lines that are converted together.
//!
//! Goes in: a text, the notes on where its numbers end, and its marks. Comes out: the rows of the first lines, at the end
//! of a [`Batch`]. The usual ones are converted as columns; a line that is odd in any way goes alone through
//! [`Columns::parse`].

use super::lanes::{FEED, LANES, Lanes};
use super::{GROUP, Notes, PLACES, Parser, Seen, Text, VIEW, WORD, place};
use crate::ingest::fio_log::batch::Batch;
use crate::ingest::fio_log::defect::{Defect, Defects, MAX_BLOCK, MAX_VALUE};
use crate::ingest::fio_log::layout::Layout;
use crate::ingest::fio_log::lines::{Line, trimmed};
use crate::ingest::fio_log::row::{Columns, Row};
use std::ops::Range;

/// Bits that a window into a mask surely holds.
const WINDOW: usize = 57;

/// 10^8, what eight digits more are worth.
const EIGHT_DIGITS: u64 = 100_000_000;

/// Some lines that stand one after another, as rows of so many columns.
pub(super) struct Group<'a, const COLUMNS: usize> {
    text: &'a Text,
    /// The text from a word before the base.
    view: &'a [u8; VIEW],
    base: usize,
    marks: &'a Mask,
    /// Where their numbers end, line by line; the last line as often as is needed to fill the group.
    rows: &'a [[u16; COLUMNS]; GROUP],
    /// Their line feeds, where these are not the ends of the rows.
    feeds: Option<&'a [u16]>,
    /// 1 where the last number ends a byte before the line feed.
    cr: u16,
    /// How many lines.
    pub(super) lines: usize,
    /// How many notes they have.
    pub(super) notes: usize,
    /// Where the first of them begins.
    first: usize,
    /// The lines that have another number of columns.
    misfits: u64,
}

/// A bit for each place of a text.
type Mask = [u8; PLACES / 8 + WORD];

/// At least [`WINDOW`] bits of a mask from bit `at` on.
#[inline(always)]
fn window(mask: &Mask, at: usize) -> u64 {
    let from = at / 8 % (PLACES / 8);
    mask[from..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)) >> (at % 8)
}

/// The lowest `count` bits.
#[inline(always)]
fn low(count: usize) -> u64 {
    if count < 64 { (1 << count) - 1 } else { u64::MAX }
}

/// A word of text for each line of a group.
type Words = [u64; GROUP];

/// The words that end the numbers of a group, and those before them.
pub(super) struct Picked {
    t: [Words; 2],
    value: [Words; 2],
    bytes: [Words; 2],
    /// The last two bytes of the direction.
    directions: [u16; GROUP],
}

impl Default for Picked {
    fn default() -> Picked {
        let none = [[0; GROUP]; 2];
        Picked { t: none, value: none, bytes: none, directions: [0; GROUP] }
    }
}

/// What was met among the numbers of a group.
#[derive(Default)]
struct Found {
    /// Eight digits and more.
    long: bool,
    /// More than the column can hold.
    out_of_range: bool,
}

/// The bits that some lane has.
#[inline(always)]
fn any(lanes: &[u64; LANES]) -> u64 {
    lanes.iter().fold(0, |any, lane| any | lane)
}

/// True when no word is another one.
#[inline(always)]
fn all_are(words: &Words, word: u64) -> bool {
    let mut other = [0; LANES];
    for words in words.as_chunks::<LANES>().0 {
        for (other, own) in other.iter_mut().zip(words) {
            *other |= own ^ word;
        }
    }
    any(&other) == 0
}

/// Converts the words that end a group's numbers, and if `WIDE` those `before` them.
#[inline(always)]
fn put<L: Lanes, const WIDE: bool>(
    lanes: L,
    column: Option<&mut [u64]>,
    [words, before]: &[Words; 2],
    most: u64,
    found: &mut Found,
) {
    let Some(slots) = column.and_then(|column| column.first_chunk_mut::<GROUP>()) else { return };
    let (mut long, mut beyond) = ([0; LANES], [0; LANES]);
    if !WIDE && words[0] == words[GROUP - 1] && all_are(words, words[0]) {
        // As block sizes are, and the values of logs of single I/Os.
        let (number, full) = lanes.numbers(&[words[0]; LANES]);
        slots.fill(number[0]);
        found.long |= full[0] != 0;
        return;
    }
    for ((slots, words), before) in
        slots.as_chunks_mut::<LANES>().0.iter_mut().zip(words.as_chunks().0).zip(before.as_chunks().0)
    {
        let (mut numbers, full) = lanes.numbers(words);
        for (long, full) in long.iter_mut().zip(full) {
            *long |= full;
        }
        if WIDE {
            let (upper, more) = lanes.numbers(before);
            for lane in 0..LANES {
                numbers[lane] += (upper[lane] & full[lane] & 0xffff_ffff) * EIGHT_DIGITS;
                // Seventeen digits are too many in any column. The others are below 10^16, so that the sign of the
                // difference tells.
                let too_long = more[lane] & full[lane];
                numbers[lane] |= too_long;
                beyond[lane] |= most.wrapping_sub(numbers[lane]) | too_long;
            }
        }
        *slots = numbers;
    }
    found.long |= any(&long) != 0;
    found.out_of_range |= any(&beyond) >> 63 != 0;
}

impl<const COLUMNS: usize> Group<'_, COLUMNS> {
    /// Notes that are such a table.
    const TABLE: [[u16; COLUMNS]; GROUP] = {
        let mut row = [0; COLUMNS];
        row[COLUMNS - 1] = FEED;
        [row; GROUP]
    };

    /// The first lines of some notes, at most as many as a group holds, of which the first begins at `first`; None where
    /// no line ends.
    #[inline(always)]
    pub(super) fn of<'a, B>(
        parser: &'a mut Parser,
        text: &'a Text,
        notes: &Notes,
        first: usize,
        seen: &Seen<B>,
    ) -> Option<Group<'a, COLUMNS>> {
        let own = parser.notes.get(notes.which.clone())?;
        let whole = own.len() / COLUMNS;
        let usual = whole > 0
            && (whole >= GROUP || whole * COLUMNS == own.len())
            && !(seen.crlf && seen.bare)
            && own
                .iter()
                .zip(Self::TABLE.as_flattened())
                .fold(0, |wrong, (note, like)| wrong | (note ^ like))
                & FEED
                == 0;
        let (lines, taken, misfits) = if usual {
            (whole.min(GROUP), whole.min(GROUP) * COLUMNS, 0)
        } else {
            parser.tabulate::<COLUMNS>(text, notes)
        };
        if lines == 0 {
            return None;
        }
        if usual && lines < GROUP {
            parser.pad::<COLUMNS>(notes);
        }
        let rows =
            if lines == GROUP && usual { parser.notes.get(notes.which.clone())? } else { &parser.table };
        Some(Group {
            text,
            view: text.bytes.get(text.start - WORD + notes.base..)?.first_chunk()?,
            base: notes.base,
            marks: parser.marks.first_chunk()?,
            rows: rows.as_chunks().0.first_chunk()?,
            feeds: (!usual).then_some(&parser.feeds),
            cr: u16::from(usual && seen.crlf),
            lines,
            notes: taken,
            first,
            misfits,
        })
    }

    /// Where a line stands in the text, without its line feed.
    pub(super) fn line(&self, index: usize) -> Range<usize> {
        let feed = |index: usize| {
            let note = match self.feeds {
                Some(feeds) => feeds.get(index),
                None => self.rows.get(index).and_then(|row| row.last()),
            };
            self.base + note.map_or(0, |note| place(*note))
        };
        index.checked_sub(1).map_or(self.first, |before| feed(before) + 1)..feed(index)
    }

    /// The eight bytes before a place behind the base.
    #[inline(always)]
    fn word(&self, place: u16) -> u64 {
        self.view[usize::from(place)..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// The two bytes before a place behind the base.
    #[inline(always)]
    fn pair(&self, place: u16) -> u16 {
        let from = usize::from(place) + WORD - 2;
        self.view[from..].first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes))
    }

    /// Reads the lines as rows; gives those that have another number of columns or numbers out of range, and
    /// whether a number is longer than a word. Unless `WIDE`, such numbers are wrong.
    #[inline(always)]
    pub(super) fn convert<L: Lanes, const WIDE: bool>(
        &self,
        lanes: L,
        picked: &mut Picked,
        batch: &mut Batch,
    ) -> (u64, bool) {
        let Picked { t, value, bytes, directions } = picked;
        let mut odd = self.misfits;
        let before = |place: u16| self.word(place.saturating_sub(WORD as u16));
        // Only the last column ends at a line feed.
        let last = |note: u16| (note & !FEED) - self.cr;
        for (index, row) in self.rows.iter().enumerate() {
            // Every row ends at a line feed, so that the loop never ends here. As it might, the compiler does not make a
            // group of its loads one instruction that gathers words, which takes longer than they do.
            if row[COLUMNS - 1] & FEED == 0 {
                break;
            }
            t[0][index] = self.word(row[0]);
            value[0][index] = self.word(row[1]);
            directions[index] = self.pair(if COLUMNS == 3 { last(row[2]) } else { row[2] });
            let fourth = row[3.min(COLUMNS - 1)];
            let fourth = if COLUMNS <= 4 { last(fourth) } else { fourth };
            if COLUMNS > 3 {
                bytes[0][index] = self.word(fourth);
            }
            if WIDE {
                t[1][index] = before(row[0]);
                value[1][index] = before(row[1]);
                if COLUMNS > 3 {
                    bytes[1][index] = before(fourth);
                }
            }
        }
        let at = batch.rows;
        let mut found = Found::default();
        put::<L, WIDE>(lanes, batch.t.get_mut(at..), t, MAX_VALUE as u64, &mut found);
        put::<L, WIDE>(lanes, batch.value.get_mut(at..), value, MAX_VALUE as u64, &mut found);
        if COLUMNS > 3 {
            put::<L, WIDE>(lanes, batch.bytes.get_mut(at..), bytes, MAX_BLOCK as u64, &mut found);
        } else if let Some(slots) =
            batch.bytes.get_mut(at..).and_then(|column| column.first_chunk_mut::<GROUP>())
        {
            // The room may hold block sizes of a log that was read before.
            slots.fill(0);
        }
        if found.long && !WIDE {
            return (0, true);
        }
        if let Some(slots) =
            batch.direction.get_mut(at..).and_then(|column| column.first_chunk_mut::<GROUP>())
        {
            let mut none = 0;
            for (slot, text) in slots.iter_mut().zip(&*directions) {
                // One digit, and no digit before it.
                let digit = (text >> 8) as u8;
                *slot = digit.wrapping_sub(b'0');
                none |= u8::from(*slot > 2) | (*text as u8 & 0x10);
            }
            if none != 0 {
                for (index, text) in directions.iter().enumerate() {
                    let direction = matches!(text >> 8, 0x30..=0x32) && text & 0x10 == 0;
                    odd |= u64::from(!direction) << index;
                }
            }
        }
        if WIDE && found.out_of_range {
            for (index, row) in (at..at + self.lines).enumerate() {
                let most = MAX_VALUE as u64;
                let wild = batch.t[row] > most || batch.value[row] > most;
                let wild = wild || (COLUMNS > 3 && batch.bytes[row] > MAX_BLOCK as u64);
                odd |= u64::from(wild) << index;
            }
        }
        (odd & low(self.lines), found.long)
    }

    /// The lines that hold a mark.
    #[inline(always)]
    pub(super) fn marked(&self, hex: bool) -> u64 {
        // Most groups have none, even where a hundredth of all lines has.
        let end = self.line(self.lines - 1).end;
        let bytes = self.marks.get(self.first / 8..end / 8 + 1).unwrap_or_default();
        if bytes.iter().fold(0, |any, byte| any | byte) == 0 {
            return 0;
        }
        if hex && self.only_tails_are_marked(bytes) {
            return 0;
        }
        let mut odd = 0;
        for index in 0..self.lines {
            let Range { start, end: feed } = self.line(index);
            let mut marks = window(self.marks, start) & low((feed + 1 - start).min(WINDOW));
            let mut from = start + WINDOW;
            while from <= feed {
                marks |= window(self.marks, from) & low((feed + 1 - from).min(WINDOW));
                from += WINDOW;
            }
            let bad = marks != 0 && !(hex && self.ends_in_hex(start, feed));
            odd |= u64::from(bad) << index;
        }
        odd
    }

    /// True when each line ends in `0x` and four hexadecimal digits or has no mark there, and there are no other marks among
    /// theirs. The lines' marks, and some of the lines beside them, are `marks`.
    #[inline(always)]
    fn only_tails_are_marked(&self, marks: &[u8]) -> bool {
        /// The end, and what before it may be marked: a row without a mark is no shorter.
        const TAIL: usize = 6;
        let mut tails = [0; GROUP];
        let mut counts = [0; GROUP];
        for (index, row) in self.rows.iter().enumerate().take(self.lines) {
            let end = (row[COLUMNS - 1] & !FEED) - self.cr;
            tails[index] = self.word(end);
            let marks = window(self.marks, (self.base + usize::from(end)).saturating_sub(TAIL - 1));
            counts[index] = (marks & low(TAIL)).count_ones();
        }
        let mut wrong = 0;
        for (tail, count) in tails.iter().zip(&counts) {
            let [_, separator, zero, x, digits @ ..] = tail.to_le_bytes();
            let mut bad = (separator & 0x10) | (zero ^ b'0') | (x ^ b'x');
            for digit in digits {
                let letter = digit | 0x20;
                let fits = (digit.wrapping_sub(b'0') < 10) | (letter.wrapping_sub(b'a') < 6);
                bad |= u8::from(!fits);
            }
            wrong |= u32::from(bad) * count;
        }
        let all: u32 = marks.iter().map(|byte| byte.count_ones()).sum();
        wrong == 0 && self.misfits == 0 && all == counts.iter().sum::<u32>()
    }

    /// True for a line whose only marks are in a last column of `0x` and four hexadecimal digits.
    #[inline(always)]
    fn ends_in_hex(&self, start: usize, feed: usize) -> bool {
        let cr = self.word((feed - self.base) as u16) >> 56 == u64::from(b'\r');
        let end = feed - usize::from(cr);
        let word = self.word((end - self.base) as u16).to_le_bytes();
        let [_, separator, zero, x, digits @ ..] = word;
        let number =
            separator & 0x10 == 0 && (zero, x) == (b'0', b'x') && digits.iter().all(u8::is_ascii_hexdigit);
        // The blank or comma before the number, and all before that, are as they should be.
        let length = end.saturating_sub(start + 5);
        number && length < WINDOW && end > start + 6 && window(self.marks, start) & low(length) == 0
    }

    /// Reads lines that look odd one by one, and closes the gaps that those leave which are no rows.
    #[cold]
    #[inline(never)]
    pub(super) fn settle(&self, odd: u64, layout: &Layout, batch: &mut Batch) {
        let from = batch.rows;
        let mut to = from;
        // Lines before this one are done.
        let mut next = 0;
        let mut left = odd;
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            left &= left - 1;
            batch.move_rows(from + next..from + index, to);
            to += index - next;
            next = index + 1;
            let number = batch.lines + index as u64 + 1;
            let line = self.text.lines().get(self.line(index)).unwrap_or_default();
            let line = trimmed(number, line, true);
            batch.nuls += line.nuls;
            match judge(&line, layout, &mut batch.defects) {
                Some(row) => {
                    batch.set(to, &row);
                    to += 1;
                }
                None => batch.gap((number - 1) as u32),
            }
        }
        batch.move_rows(from + next..from + self.lines, to);
        batch.rows = to + self.lines - next;
    }
}

/// The row that a line is; None for an empty line, and for what is counted among the defects.
fn judge(line: &Line<'_>, layout: &Layout, defects: &mut Defects) -> Option<Row> {
    if line.too_long {
        defects.add_unreadable(line.number, Line::TOO_LONG);
        return None;
    }
    if line.bytes.is_empty() {
        return None;
    }
    let row = Columns::parse(line.bytes)
        .ok_or(Defect::Unreadable)
        .and_then(|columns| layout.row(line.number, &columns));
    match row {
        Ok(row) => return Some(row),
        Err(Defect::Unreadable) => defects.add_unreadable(line.number, line.bytes),
        Err(defect) => defects.add(defect, line.number),
    }
    None
}
