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
use super::lines::{Line, trimmed};
use super::row::{Columns, Row};
use lanes::{BLOCK, Classes, LANES, Lanes, Portable};
use pulp::NullaryFnOnce;

/// Room before the first line, filled with line feeds: a number may be looked for there.
const BEFORE: usize = 16;

/// Room behind the last line, which a look ahead may reach.
const BEHIND: usize = 3 * BLOCK;

/// Text that is indexed before its lines are read; small enough to stay in the fastest cache.
const SEGMENT: usize = 16 * 1024;

/// Lines that are converted together.
pub(super) const GROUP: usize = 64;

/// Bits that a window into a mask surely holds.
const WINDOW: usize = 57;

/// 10^8, what eight digits more are worth.
const EIGHT_DIGITS: u64 = 100_000_000;

/// Whole lines, with room around them.
pub(super) struct Text {
    bytes: Vec<u8>,
    len: usize,
}

impl Text {
    /// Room for `capacity` bytes.
    pub(super) fn with_capacity(capacity: usize) -> Text {
        let mut bytes = vec![b'\n'; BEFORE];
        bytes.resize(BEFORE + capacity + BEHIND, 0);
        Text { bytes, len: 0 }
    }

    /// The bytes that are filled in before [`Text::set_len`].
    pub(super) fn room(&mut self) -> &mut [u8] {
        let end = self.bytes.len() - BEHIND;
        &mut self.bytes[BEFORE..end]
    }

    /// Says how much of the room is text; it ends with a line feed.
    pub(super) fn set_len(&mut self, len: usize) {
        self.len = len.min(self.bytes.len() - BEFORE - BEHIND);
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
        Parser { ends: Vec::new(), marks: Vec::new(), feeds: vec![0; SEGMENT + BLOCK], portable: false }
    }

    /// One that uses no instructions beyond those that every processor has.
    #[cfg(test)]
    pub(super) fn portable() -> Parser {
        Parser { portable: true, ..Parser::new() }
    }

    /// Reads the lines of `text` into `batch`.
    pub(super) fn parse(&mut self, text: &Text, layout: &Layout, plain: Plain, batch: &mut Batch) {
        batch.clear();
        let bits = text.len.div_ceil(BLOCK) * (BLOCK / 8) + BEHIND;
        if self.ends.len() < bits {
            self.ends.resize(bits, 0);
            self.marks.resize(bits, 0);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(v3) = pulp::x86::V3::try_new()
            && !self.portable
        {
            // Inlined there, everything below is compiled for these processors.
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
                let group = at..feeds.min(at + GROUP);
                let first = start;
                let Some(last) = self.feeds.get(group.end - 1) else { break };
                start = *last as usize + 1;
                batch.reserve(GROUP);
                let lines =
                    Group { text, ends: &self.ends, marks: &self.marks, feeds: &self.feeds[group], first };
                let mut odd = 0;
                if !wide {
                    (odd, wide) = lines.convert::<L, COLUMNS, false>(lanes, batch);
                }
                if wide {
                    (odd, wide) = lines.convert::<L, COLUMNS, true>(lanes, batch);
                }
                if marked {
                    odd |= lines.marked(plain.hex);
                }
                if odd == 0 {
                    batch.rows += lines.feeds.len();
                } else {
                    lines.settle(odd, layout, batch);
                }
                batch.lines += lines.feeds.len() as u64;
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
        let mut feeds = 0;
        let mut marked = 0;
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
            if let Some(slots) = self.feeds.get_mut(feeds..).and_then(|slots| slots.first_chunk_mut::<4>()) {
                for slot in slots {
                    *slot = at as u32 + left.trailing_zeros();
                    left &= left.wrapping_sub(1);
                }
            }
            let mut more = feeds + 4;
            while left != 0 {
                if let Some(slot) = self.feeds.get_mut(more) {
                    *slot = at as u32 + left.trailing_zeros();
                }
                left &= left - 1;
                more += 1;
            }
            feeds += found;
            *before = is;
        }
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
    ends: &'a [u8],
    marks: &'a [u8],
    /// Their line feeds.
    feeds: &'a [u32],
    /// Where the first of them begins.
    first: usize,
}

/// At least [`WINDOW`] bits of a mask from bit `at` on.
#[inline(always)]
fn window(mask: &[u8], at: usize) -> u64 {
    let bytes = mask.get(at / 8..).and_then(|mask| mask.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)) >> (at % 8)
}

/// The lowest `count` bits.
#[inline(always)]
fn low(count: usize) -> u64 {
    if count < 64 { (1 << count) - 1 } else { u64::MAX }
}

/// A word of text for each line of a group.
type Words = [[u64; LANES]; GROUP / LANES];

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
    for ((slots, words), before) in slots.as_chunks_mut::<LANES>().0.iter_mut().zip(words).zip(before) {
        let (mut numbers, full) = lanes.numbers(words);
        for lane in 0..LANES {
            long |= full[lane];
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
    /// The eight bytes that end before `end`, which is a place in the text.
    #[inline(always)]
    fn word(&self, end: usize) -> u64 {
        let bytes = self.text.bytes.get(BEFORE + end - 8..).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Reads the lines as rows; gives those that have another number of columns or numbers out of range, and
    /// whether a number is longer than a word. Unless `WIDE`, such numbers are wrong.
    #[inline(always)]
    fn convert<L: Lanes, const COLUMNS: usize, const WIDE: bool>(
        &self,
        lanes: L,
        batch: &mut Batch,
    ) -> (u64, bool) {
        let (mut t, mut value, mut bytes): (Words, Words, Words) = Default::default();
        let (mut t_before, mut value_before, mut bytes_before): (Words, Words, Words) = Default::default();
        let mut directions = [0u16; GROUP];
        let mut odd = 0u64;
        let mut start = self.first;
        for (index, &feed) in self.feeds.iter().enumerate().take(GROUP) {
            let feed = feed as usize;
            let mut ends = window(self.ends, start);
            let mut places = [0; COLUMNS];
            for place in &mut places {
                *place = start + ends.trailing_zeros() as usize;
                ends &= ends.wrapping_sub(1);
            }
            // The last number ends at the line feed, or at the CR before it.
            let fits = if COLUMNS <= 6 {
                feed.wrapping_sub(places[COLUMNS - 1]) <= 1
            } else {
                self.numbers(start, feed) == COLUMNS
            };
            odd |= u64::from(!fits) << index;
            let (row, lane) = (index / LANES, index % LANES);
            t[row][lane] = self.word(places[0]);
            value[row][lane] = self.word(places[1]);
            directions[index] = (self.word(places[2]) >> 48) as u16;
            if COLUMNS > 3 {
                bytes[row][lane] = self.word(places[3.min(COLUMNS - 1)]);
            }
            if WIDE {
                t_before[row][lane] = self.word(places[0].max(8) - 8);
                value_before[row][lane] = self.word(places[1].max(8) - 8);
                if COLUMNS > 3 {
                    bytes_before[row][lane] = self.word(places[3.min(COLUMNS - 1)].max(8) - 8);
                }
            }
            start = feed + 1;
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
            for index in 0..self.feeds.len() {
                let row = at + index;
                let most = MAX_VALUE as u64;
                let wild = batch.t[row] > most || batch.value[row] > most;
                let wild = wild || (COLUMNS > 3 && batch.bytes[row] > MAX_BLOCK as u64);
                odd |= u64::from(wild) << index;
            }
        }
        (odd & low(self.feeds.len()), found.long)
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
        let mut odd = 0;
        let mut start = self.first;
        for (index, &feed) in self.feeds.iter().enumerate() {
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
        let mut start = self.first;
        for (index, &feed) in self.feeds.iter().enumerate() {
            let feed = feed as usize;
            let slot = from + index;
            if odd >> index & 1 == 0 {
                if slot != to {
                    batch.t[to] = batch.t[slot];
                    batch.value[to] = batch.value[slot];
                    batch.bytes[to] = batch.bytes[slot];
                    batch.direction[to] = batch.direction[slot];
                }
                to += 1;
            } else {
                let number = batch.lines + index as u64 + 1;
                let line = trimmed(number, &self.text.lines()[start..feed], true);
                batch.nuls += line.nuls;
                match judge(&line, layout, &mut batch.defects) {
                    Some(row) => {
                        batch.t[to] = row.t;
                        batch.value[to] = row.value;
                        batch.bytes[to] = row.bytes;
                        batch.direction[to] = row.direction as u8;
                        to += 1;
                    }
                    None => batch.gap((number - 1) as u32),
                }
            }
            start = feed + 1;
        }
        batch.rows = to;
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
