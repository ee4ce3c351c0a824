//! Many lines at once: what makes a large log as cheap to read as to copy.
//!
//! Goes in: whole lines of a log whose columns are known, as a [`Text`]. Comes out: its rows as
//! columns of numbers in a [`Batch`], and what was wrong with the other lines. A line is read
//! the fast way when it looks as fio writes it; every other line goes, alone, through
//! [`Columns::parse`], so that the result is that of the plain reader whatever the
//! lines hold.
//!
//! The gain is in the batch. A pass over the text tells bytes apart, 64 at a time, and keeps two
//! bits for each: whether a number ends there, and whether it stands where no row has it. A second
//! pass picks, line by line but without a branch, the eight bytes before the ends of the numbers that
//! matter. A third one converts these, eight at a time. No pass waits for the one before it, so that a
//! processor has some lines in hand at any time.

mod lanes;

use super::batch::Batch;
use super::defect::{Defect, Defects, MAX_BLOCK, MAX_VALUE};
use super::layout::Layout;
use super::lines::{Line, Lines, trimmed};
use super::row::{Columns, Row};
use lanes::{BLOCK, Classes, LANES, Lanes, Portable};
use pulp::NullaryFnOnce;

/// Room before the first line, filled with line feeds: a number may be looked for there.
const BEFORE: usize = 16;

/// Places in a text and behind it. A power of two: with an index held below it, which costs nothing, no load from
/// the arrays needs to be checked.
const PLACES: usize = 2 * Lines::LONGEST;

/// A word.
const WORD: usize = 8;

/// Text that is indexed before its lines are read; small enough to stay in the fastest cache.
const SEGMENT: usize = 16 * 1024;

/// Room for the line feeds of a segment, a power of two.
const FEEDS: usize = 2 * SEGMENT;

/// Lines that are converted together.
pub(super) const GROUP: usize = 64;

/// Bits that a window into a mask surely holds.
const WINDOW: usize = 57;

/// 10^8, what eight digits more are worth.
const EIGHT_DIGITS: u64 = 100_000_000;

/// Whole lines, with room around them.
pub(super) struct Text {
    /// At least [`PLACES`] and a word.
    bytes: Vec<u8>,
    len: usize,
}

impl Default for Text {
    /// An empty text.
    fn default() -> Text {
        let mut bytes = vec![0; PLACES + WORD];
        bytes[..BEFORE].fill(b'\n');
        Text { bytes, len: 0 }
    }
}

impl Text {
    /// The [`Lines::LONGEST`] bytes that are filled in before [`Text::set_len`].
    pub(super) fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[BEFORE..BEFORE + Lines::LONGEST]
    }

    /// Says how much of the room is text; it ends with a line feed.
    pub(super) fn set_len(&mut self, len: usize) {
        self.len = len.min(Lines::LONGEST);
    }

    /// The text.
    pub(super) fn lines(&self) -> &[u8] {
        &self.bytes[BEFORE..BEFORE + self.len]
    }
}

/// Which columns rows have; only those whose direction is third and whose block size is fourth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plain {
    columns: usize,
    /// True where the last column may be hexadecimal.
    hex: bool,
}

impl Plain {
    /// The shape of a layout; None for one that is read row by row.
    pub(super) fn of(layout: &Layout, hex: bool) -> Option<Plain> {
        let sized = match layout.len() {
            3 => layout.block_size.is_none(),
            _ => layout.block_size == Some(3),
        };
        let usual = (layout.time, layout.value, layout.direction) == (0, 1, 2) && layout.max.is_none();
        (sized && usual).then_some(Plain { columns: layout.len(), hex })
    }
}

/// Reads texts; what it holds is only room that is used again.
pub(super) struct Parser {
    /// Ends of numbers, a bit a byte.
    ends: Vec<u8>,
    /// Bytes that stand where no row as fio writes it has them.
    marks: Vec<u8>,
    /// Line feeds of a segment.
    feeds: Vec<u32>,
    portable: bool,
}

impl Parser {
    /// A reader of texts.
    pub(super) fn new() -> Parser {
        let mask = || vec![0; PLACES / 8 + WORD];
        Parser { ends: mask(), marks: mask(), feeds: vec![0; FEEDS + GROUP], portable: false }
    }

    /// One that uses no instructions beyond those that every processor has.
    #[cfg(test)]
    pub(super) fn portable() -> Parser {
        Parser { portable: true, ..Parser::new() }
    }

    /// Reads the lines of `text` into `batch`.
    pub(super) fn parse(&mut self, text: &Text, layout: &Layout, plain: Plain, batch: &mut Batch) {
        batch.clear();
        #[cfg(target_arch = "x86_64")]
        if let Some(v3) = pulp::x86::V3::try_new()
            && !self.portable
        {
            // Inlined there, everything below is compiled for these processors.
            if let Some(v4) = pulp::x86::V4::try_new() {
                v4.vectorize(Work { lanes: v4, parser: self, text, layout, plain, batch });
                return;
            }
            v3.vectorize(Work { lanes: v3, parser: self, text, layout, plain, batch });
            return;
        }
        Work { lanes: Portable, parser: self, text, layout, plain, batch }.call();
    }

    #[inline(always)]
    fn read<L: Lanes, const COLUMNS: usize>(
        &mut self,
        lanes: L,
        text: &Text,
        layout: &Layout,
        plain: Plain,
        batch: &mut Batch,
    ) {
        let mut before = Classes { lf: 1 << 63, ..Classes::default() };
        let mut start = 0;
        // Long numbers are looked for as long as some are met.
        let mut wide = false;
        for segment in (0..text.len).step_by(SEGMENT) {
            let to = text.len.min(segment + SEGMENT);
            let (feeds, marked) = self.index(lanes, text, segment..to, &mut before);
            for at in (0..feeds).step_by(GROUP) {
                let Some(group) = Group::of(self, text, at, feeds - at, start) else { break };
                let lines = group.lines;
                batch.reserve(GROUP);
                let mut odd = 0;
                if !wide {
                    (odd, wide) = group.convert::<L, COLUMNS, false>(lanes, batch);
                }
                if wide {
                    (odd, wide) = group.convert::<L, COLUMNS, true>(lanes, batch);
                }
                if marked {
                    odd |= group.marked(plain.hex);
                }
                if odd == 0 {
                    batch.rows += lines;
                } else {
                    group.settle(odd, layout, batch);
                }
                batch.lines += lines as u64;
                start = group.feeds[lines - 1] as usize + 1;
            }
        }
    }

    /// Tells the bytes of a segment apart; gives the number of its lines, and whether one of them is marked.
    #[inline(always)]
    fn index<L: Lanes>(
        &mut self,
        lanes: L,
        text: &Text,
        segment: std::ops::Range<usize>,
        before: &mut Classes,
    ) -> (usize, bool) {
        /// Lines of a block that are noted without a question.
        const FEW: usize = 4;
        let mut feeds = 0;
        let mut marked = 0;
        let Some(slots) = self.feeds.first_chunk_mut::<{ FEEDS + GROUP }>() else { return (0, false) };
        let bytes = &text.bytes[BEFORE + segment.start..];
        let blocks = segment.len().div_ceil(BLOCK);
        let masks = segment.start / 8..segment.start / 8 + blocks * 8;
        let ends = self.ends[masks.clone()].as_chunks_mut::<8>().0;
        let marks = self.marks[masks].as_chunks_mut::<8>().0;
        for (index, ((block, ends), marks)) in bytes.as_chunks().0.iter().zip(ends).zip(marks).enumerate() {
            let at = segment.start + index * BLOCK;
            let mut is = lanes.classes(block);
            let mut other = !(is.digit | is.comma | is.blank | is.cr | is.lf);
            if segment.end - at < BLOCK {
                let valid = (1 << (segment.end - at)) - 1;
                other &= valid;
                for class in [&mut is.digit, &mut is.comma, &mut is.blank, &mut is.cr, &mut is.lf] {
                    *class &= valid;
                }
            }
            let after = |class: u64, before: u64| class << 1 | before >> 63;
            let after_digit = after(is.digit, before.digit);
            let after_cr = after(is.cr, before.cr);
            // What may follow what: a digit anything but a CR; a comma and a CR a digit; a blank a
            // comma; a line feed a digit or a CR.
            let mark = other
                | ((is.comma | is.cr) & !after_digit)
                | (is.blank & !after(is.comma, before.comma))
                | (is.lf & !(after_digit | after_cr))
                | (is.digit & after_cr);
            marked |= mark;
            *marks = mark.to_le_bytes();
            *ends = (is.comma | is.cr | (is.lf & !after_cr)).to_le_bytes();
            let mut left = is.lf;
            let found = left.count_ones() as usize;
            // Most blocks have no more lines than these; what is written for none is written over.
            for slot in &mut slots[feeds % FEEDS..][..FEW] {
                *slot = at as u32 + left.trailing_zeros();
                left &= left.wrapping_sub(1);
            }
            let mut more = feeds + FEW;
            while left != 0 {
                slots[more % FEEDS] = at as u32 + left.trailing_zeros();
                left &= left - 1;
                more += 1;
            }
            feeds += found;
            *before = is;
        }
        // The last group is filled up with its last line.
        let last = feeds.checked_sub(1).map_or(0, |last| slots[last % FEEDS]);
        slots[feeds % FEEDS..][..GROUP].fill(last);
        (feeds, marked != 0)
    }
}

/// A text to be read with the instructions of a processor.
struct Work<'a, L> {
    lanes: L,
    parser: &'a mut Parser,
    text: &'a Text,
    layout: &'a Layout,
    plain: Plain,
    batch: &'a mut Batch,
}

impl<L: Lanes> NullaryFnOnce for Work<'_, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Work { lanes, parser, text, layout, plain, batch } = self;
        // The number of columns is settled here, once a text.
        match plain.columns {
            3 => parser.read::<L, 3>(lanes, text, layout, plain, batch),
            4 => parser.read::<L, 4>(lanes, text, layout, plain, batch),
            5 => parser.read::<L, 5>(lanes, text, layout, plain, batch),
            6 => parser.read::<L, 6>(lanes, text, layout, plain, batch),
            7 => parser.read::<L, 7>(lanes, text, layout, plain, batch),
            _ => parser.read::<L, 8>(lanes, text, layout, plain, batch),
        }
    }
}

/// Some lines that stand one after another.
struct Group<'a> {
    text: &'a Text,
    bytes: &'a [u8; PLACES + WORD],
    ends: &'a Mask,
    marks: &'a Mask,
    /// Their line feeds, the last one as often as is needed to fill the group.
    feeds: &'a [u32; GROUP],
    /// How many lines.
    lines: usize,
    /// Where the first of them begins.
    first: usize,
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

/// What was met among the numbers of a group.
#[derive(Default)]
struct Found {
    /// Eight digits and more.
    long: bool,
    /// More than the column can hold.
    out_of_range: bool,
}

/// Converts the words that end a group's numbers, and if `WIDE` those `before` them.
#[inline(always)]
fn put<L: Lanes, const WIDE: bool>(
    lanes: L,
    column: Option<&mut [u64]>,
    words: &Words,
    before: &Words,
    most: u64,
    found: &mut Found,
) {
    let Some(slots) = column.and_then(|column| column.first_chunk_mut::<GROUP>()) else { return };
    let (mut long, mut beyond) = (0, 0);
    for ((slots, words), before) in
        slots.as_chunks_mut::<LANES>().0.iter_mut().zip(words.as_chunks().0).zip(before.as_chunks().0)
    {
        let (mut numbers, full) = lanes.numbers(words);
        for full in full {
            long |= full;
        }
        if WIDE {
            let (upper, more) = lanes.numbers(before);
            for lane in 0..LANES {
                numbers[lane] += (upper[lane] & full[lane] & 0xffff_ffff) * EIGHT_DIGITS;
                // Seventeen digits are too many in any column. The others are below 10^16, so that the sign of the
                // difference tells.
                let too_long = more[lane] & full[lane];
                numbers[lane] |= too_long;
                beyond |= most.wrapping_sub(numbers[lane]) | too_long;
            }
        }
        *slots = numbers;
    }
    found.long |= long != 0;
    found.out_of_range |= beyond >> 63 != 0;
}

impl Group<'_> {
    /// The lines from the `at`th of a segment on, at most as many as a group holds; the first begins at `first`.
    #[inline(always)]
    fn of<'a>(
        parser: &'a Parser,
        text: &'a Text,
        at: usize,
        lines: usize,
        first: usize,
    ) -> Option<Group<'a>> {
        Some(Group {
            text,
            bytes: text.bytes.first_chunk()?,
            ends: parser.ends.first_chunk()?,
            marks: parser.marks.first_chunk()?,
            feeds: parser.feeds.get(at..)?.first_chunk()?,
            lines: lines.min(GROUP),
            first,
        })
    }

    /// The eight bytes that end before `end`, which is a place in the text.
    #[inline(always)]
    fn word(&self, end: usize) -> u64 {
        let from = (BEFORE - WORD + end) % PLACES;
        self.bytes[from..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// The two bytes that end before `end`.
    #[inline(always)]
    fn pair(&self, end: usize) -> u16 {
        let from = (BEFORE - 2 + end) % PLACES;
        self.bytes[from..].first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes))
    }

    /// Reads the lines as rows; gives those that have another number of columns or numbers out of range, and
    /// whether a number is longer than a word. Unless `WIDE`, such numbers are wrong.
    #[inline(always)]
    fn convert<L: Lanes, const COLUMNS: usize, const WIDE: bool>(
        &self,
        lanes: L,
        batch: &mut Batch,
    ) -> (u64, bool) {
        let (mut t, mut value, mut bytes): (Words, Words, Words) = ([0; GROUP], [0; GROUP], [0; GROUP]);
        let (mut t_before, mut value_before, mut bytes_before): (Words, Words, Words) =
            ([0; GROUP], [0; GROUP], [0; GROUP]);
        let mut misfits = [0u32; GROUP];
        let mut directions = [0u16; GROUP];
        let mut odd = 0u64;
        let mut start = self.first;
        for (index, &feed) in self.feeds.iter().enumerate() {
            let feed = feed as usize;
            let mut ends = window(self.ends, start);
            let mut places = [0; COLUMNS];
            for place in &mut places {
                *place = start + ends.trailing_zeros() as usize;
                ends &= ends.wrapping_sub(1);
            }
            // The last number ends at the line feed, or at the CR before it: more than 1 is a misfit.
            misfits[index] = if COLUMNS <= 6 {
                feed.wrapping_sub(places[COLUMNS - 1]) as u32
            } else {
                2 * u32::from(self.numbers(start, feed) != COLUMNS)
            };
            t[index] = self.word(places[0]);
            value[index] = self.word(places[1]);
            directions[index] = self.pair(places[2]);
            if COLUMNS > 3 {
                bytes[index] = self.word(places[3.min(COLUMNS - 1)]);
            }
            if WIDE {
                t_before[index] = self.word(places[0].saturating_sub(WORD));
                value_before[index] = self.word(places[1].saturating_sub(WORD));
                if COLUMNS > 3 {
                    bytes_before[index] = self.word(places[3.min(COLUMNS - 1)].saturating_sub(WORD));
                }
            }
            start = feed + 1;
        }
        if misfits.iter().fold(0, |any, misfit| any | misfit) > 1 {
            for (index, misfit) in misfits.into_iter().enumerate() {
                odd |= u64::from(misfit > 1) << index;
            }
        }
        let at = batch.rows;
        let mut found = Found::default();
        put::<L, WIDE>(lanes, batch.t.get_mut(at..), &t, &t_before, MAX_VALUE as u64, &mut found);
        put::<L, WIDE>(lanes, batch.value.get_mut(at..), &value, &value_before, MAX_VALUE as u64, &mut found);
        if COLUMNS > 3 {
            put::<L, WIDE>(
                lanes,
                batch.bytes.get_mut(at..),
                &bytes,
                &bytes_before,
                MAX_BLOCK as u64,
                &mut found,
            );
        }
        if found.long && !WIDE {
            return (0, true);
        }
        if let Some(slots) =
            batch.direction.get_mut(at..).and_then(|column| column.first_chunk_mut::<GROUP>())
        {
            let mut none = 0;
            for (slot, text) in slots.iter_mut().zip(directions) {
                // One digit, and no digit before it.
                let digit = (text >> 8) as u8;
                *slot = digit.wrapping_sub(b'0');
                none |= u8::from(*slot > 2) | (text as u8 & 0x10);
            }
            if none != 0 {
                for (index, text) in directions.into_iter().enumerate() {
                    let direction = matches!(text >> 8, 0x30..=0x32) && text & 0x10 == 0;
                    odd |= u64::from(!direction) << index;
                }
            }
        }
        if WIDE && found.out_of_range {
            for index in 0..self.lines {
                let row = at + index;
                let most = MAX_VALUE as u64;
                let wild = batch.t[row] > most || batch.value[row] > most;
                let wild = wild || (COLUMNS > 3 && batch.bytes[row] > MAX_BLOCK as u64);
                odd |= u64::from(wild) << index;
            }
        }
        (odd & low(self.lines), found.long)
    }

    /// How many numbers end in a line.
    #[inline(always)]
    fn numbers(&self, start: usize, feed: usize) -> usize {
        let mut from = start;
        let mut count = 0;
        while from <= feed {
            let bits = (feed + 1 - from).min(WINDOW - 1);
            count += (window(self.ends, from) & low(bits)).count_ones() as usize;
            from += bits;
        }
        count
    }

    /// The lines that hold a mark.
    #[inline(always)]
    fn marked(&self, hex: bool) -> u64 {
        // Most groups have none, even where a hundredth of all lines has.
        let end = self.feeds[GROUP - 1] as usize;
        let bytes = self.marks.get(self.first / 8..end / 8 + 1).unwrap_or_default();
        if bytes.iter().fold(0, |any, byte| any | byte) == 0 {
            return 0;
        }
        let mut odd = 0;
        let mut start = self.first;
        for (index, &feed) in self.feeds.iter().enumerate().take(self.lines) {
            let feed = feed as usize;
            let mut marks = window(self.marks, start) & low((feed + 1 - start).min(WINDOW));
            let mut from = start + WINDOW;
            while from <= feed {
                marks |= window(self.marks, from) & low((feed + 1 - from).min(WINDOW));
                from += WINDOW;
            }
            let bad = marks != 0 && !(hex && self.ends_in_hex(start, feed));
            odd |= u64::from(bad) << index;
            start = feed + 1;
        }
        odd
    }

    /// True for a line whose only marks are in a last column of `0x` and four hexadecimal digits.
    #[inline(always)]
    fn ends_in_hex(&self, start: usize, feed: usize) -> bool {
        let cr = self.word(feed) >> 56 == u64::from(b'\r');
        let end = feed - usize::from(cr);
        let word = self.word(end).to_le_bytes();
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
    fn settle(&self, odd: u64, layout: &Layout, batch: &mut Batch) {
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
            let start = index.checked_sub(1).map_or(self.first, |before| self.feeds[before] as usize + 1);
            let number = batch.lines + index as u64 + 1;
            let line = trimmed(number, &self.text.lines()[start..self.feeds[index] as usize], true);
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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn every_processor_reads_the_same_rows() {
        let mut lines = String::new();
        for row in 0..9000u64 {
            let value = (row * 0x9e37_79b9) % [1000, 10_000_000_000][usize::from(row % 50 == 0)];
            lines += &match row % 300 {
                7 => "fio: warning\n".to_owned(),
                8 => format!("{row}, {value}, 3, 4096, 0\n"),
                9 => format!("{row},{value},1,512,0x2003\r\n"),
                _ => format!("{row}, {value}, {}, 4096, 0\n", row % 3),
            };
        }
        let layout = Layout::given("t,v,d,bs,p").unwrap();
        let mut text = Text::default();
        text.room()[..lines.len()].copy_from_slice(lines.as_bytes());
        text.set_len(lines.len());
        let read = |mut parser: Parser| {
            let mut batch = Batch::default();
            parser.parse(&text, &layout, Plain::of(&layout, true).unwrap(), &mut batch);
            let rows: Vec<Row> = (0..batch.rows).map(|row| batch.row(row, batch.line(row))).collect();
            (rows, batch.lines, batch.defects)
        };
        let (rows, count, defects) = read(Parser::portable());
        assert_eq!((rows.len(), count, defects.total()), (8940, 9000, 60));
        // Lines 8 and 9 are no rows, and line 10 has no blanks.
        assert_eq!(rows[7], Row { line: 10, t: 9, value: 9 * 0x9e37_79b9 % 1000, direction: 1, bytes: 512 });
        assert_eq!((rows, count, defects), read(Parser::new()));
    }
}
