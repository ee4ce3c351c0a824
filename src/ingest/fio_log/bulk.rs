//! Many lines at once: what makes a large log as cheap to read as to copy.
//!
//! Goes in: whole lines of a log whose columns are known, as a [`Text`]. Comes out: its rows as
//! columns of numbers in a [`Batch`], and what was wrong with the other lines. A line is read
//! the fast way when it looks as fio writes it; every other line goes, alone, through
//! [`Columns::parse`], so that the result is that of the plain reader whatever the
//! lines hold.
//!
//! The gain is in the batch. A pass over the text tells bytes apart, 64 at a time, and notes the place of
//! each comma and line feed, which is where a number ends. In the usual text every line has as many of them as there are
//! columns, so that the notes are a table with a row for each line. A second pass picks, by that table and without a
//! branch, the eight bytes before the ends of the numbers that matter. A third one converts these, eight at a time.
//! No pass waits for the one before it, so that a processor has some lines in hand at any time.

mod lanes;

use super::batch::Batch;
use super::defect::{Defect, Defects, MAX_BLOCK, MAX_VALUE};
use super::layout::Layout;
use super::lines::{Line, Lines, trimmed};
use super::row::{Columns, Row};
#[cfg(target_arch = "x86_64")]
use lanes::Vbmi2;
use lanes::{BLOCK, FEED, LANES, Lanes, Portable, SLOTS};
use pulp::NullaryFnOnce;
use std::ops::Range;

/// Room before the first line, filled with line feeds: a number may be looked for there.
const BEFORE: usize = 16;

/// Places in a text and behind it. A power of two: with an index held below it, which costs nothing, no load from
/// the arrays needs to be checked.
const PLACES: usize = 2 * Lines::LONGEST;

/// A word.
const WORD: usize = 8;

/// Text that is indexed before its lines are read; small enough to stay in the fastest cache.
const SEGMENT: usize = 16 * 1024;

/// Lines that are converted together.
pub(super) const GROUP: usize = 64;

/// Most columns of a row.
const MOST: usize = 8;

/// Room for the ends of a segment's numbers, and for those of the lines before it that wait to be a group.
const NOTES: usize = SEGMENT + GROUP * MOST;

/// What a note can tell apart, and a word: so much of the text from where a group may begin.
const VIEW: usize = (1 << 16) + WORD;

/// Bits that a window into a mask surely holds.
const WINDOW: usize = 57;

/// 10^8, what eight digits more are worth.
const EIGHT_DIGITS: u64 = 100_000_000;

/// Whole lines, with room around them.
pub(super) struct Text {
    /// At least [`BEFORE`], an alignment, [`PLACES`] and a word.
    bytes: Vec<u8>,
    /// Where the lines begin, and how long they are.
    start: usize,
    len: usize,
}

impl Default for Text {
    /// An empty text.
    fn default() -> Text {
        Text { bytes: vec![0; BEFORE + Text::ALIGNED + PLACES + WORD], start: BEFORE, len: 0 }
    }
}

impl Text {
    /// What memory is copied in. A system copies a file that it has in memory a quarter slower to, and from, places between.
    const ALIGNED: usize = 64;

    /// The [`Lines::LONGEST`] bytes that are filled in before [`Text::set_len`]. What stands behind the first `rest` of
    /// them is aligned in memory.
    pub(super) fn room(&mut self, rest: usize) -> &mut [u8] {
        let before = (self.bytes.as_ptr().addr() + BEFORE + rest) % Text::ALIGNED;
        self.start = BEFORE + Text::ALIGNED - before;
        self.bytes[self.start - BEFORE..self.start].fill(b'\n');
        &mut self.bytes[self.start..self.start + Lines::LONGEST]
    }

    /// Says how much of the room is text; it ends with a line feed.
    pub(super) fn set_len(&mut self, len: usize) {
        self.len = len.min(Lines::LONGEST);
        // So that the last block is a whole one, of digits that mean nothing.
        let end = self.start + self.len;
        self.bytes[end..end + BLOCK].fill(b'0');
    }

    /// The text.
    pub(super) fn lines(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
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
    /// Where numbers end, for each comma and line feed: how far behind a place of the text, the base, it stands; with
    /// [`FEED`] if it is a line feed. At most [`FEED`] of text has notes at a time.
    notes: Vec<u16>,
    /// Notes of lines that are no table of themselves, a row for each line.
    table: Vec<u16>,
    /// Line feeds of those.
    feeds: Vec<u16>,
    /// Bytes that stand where no row as fio writes it has them, a bit a byte.
    marks: Vec<u8>,
    portable: bool,
}

/// What was met in a text so far.
struct Seen<B> {
    /// What is to be known of the blocks before.
    before: B,
    /// True when there are marks in this segment or the one before.
    marks: bool,
    /// True when there are marks in this segment.
    marks_here: bool,
    /// True when some line feed follows a CR, or some other byte.
    crlf: bool,
    bare: bool,
}

/// Notes that are looked at.
#[derive(Clone)]
struct Notes {
    /// Which of them.
    which: Range<usize>,
    /// The place of the text that they count from.
    base: usize,
}

impl Parser {
    /// A reader of texts.
    pub(super) fn new() -> Parser {
        Parser {
            notes: vec![0; NOTES + SLOTS],
            table: vec![0; GROUP * MOST],
            feeds: vec![0; GROUP],
            marks: vec![0; PLACES / 8 + WORD],
            portable: false,
        }
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
            if let Some(vbmi2) = Vbmi2::try_new() {
                vbmi2.vectorize(Work { lanes: vbmi2, parser: self, text, layout, plain, batch });
                return;
            }
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
        let mut seen =
            Seen { before: lanes.start(), marks: false, marks_here: false, crlf: false, bare: false };
        // Notes of lines before the segment, and where the first of these begins.
        let (mut waiting, mut start) = (0, 0);
        let mut words = Picked::default();
        // Long numbers are looked for as long as some are met.
        let mut wide = false;
        for from in (0..text.len).step_by(SEGMENT) {
            let to = text.len.min(from + SEGMENT);
            // Of a line that is longer than any row nothing is kept but that.
            let base = if from - start > SEGMENT { from } else { start };
            let mut notes = Notes { which: 0..0, base };
            notes.which.end = self.index(lanes, text, from..to, waiting, base, &mut seen);
            loop {
                if to < text.len && notes.which.len() < GROUP * COLUMNS && to - start <= SEGMENT {
                    // They become a full group with lines of the next segment.
                    break;
                }
                let Some(group) = Group::<COLUMNS>::of(self, text, &notes, start, &seen) else { break };
                batch.reserve(GROUP);
                let mut odd = 0;
                if !wide {
                    (odd, wide) = group.convert::<L, false>(lanes, &mut words, batch);
                }
                if wide {
                    (odd, wide) = group.convert::<L, true>(lanes, &mut words, batch);
                }
                if seen.marks {
                    odd |= group.marked(plain.hex);
                }
                if odd == 0 {
                    batch.rows += group.lines;
                } else {
                    group.settle(odd, layout, batch);
                }
                batch.lines += group.lines as u64;
                notes.which.start += group.notes;
                start = group.line(group.lines - 1).end + 1;
            }
            waiting = self.keep(notes, start, to);
        }
    }

    /// Tells the bytes of a segment apart, and notes behind the `waiting` notes where its numbers end; gives the number
    /// of notes.
    #[inline(always)]
    fn index<L: Lanes>(
        &mut self,
        lanes: L,
        text: &Text,
        segment: Range<usize>,
        waiting: usize,
        base: usize,
        seen: &mut Seen<L::Before>,
    ) -> usize {
        let mut notes = waiting;
        let (mut marked, mut crs) = (0, 0);
        let Some(slots) = self.notes.first_chunk_mut::<{ NOTES + SLOTS }>() else { return 0 };
        let bytes = text.bytes.get(text.start + segment.start..).unwrap_or_default();
        let blocks = segment.len().div_ceil(BLOCK);
        let marks = self.marks.get_mut(segment.start / 8..segment.start / 8 + blocks * 8).unwrap_or_default();
        let mut before = seen.before;
        let mut at = (segment.start - base) as u16;
        for (block, marks) in bytes.as_chunks().0.iter().zip(marks.as_chunks_mut().0) {
            let told;
            (told, before) = lanes.tell(block, before);
            marked |= told.marks;
            crs |= told.cr;
            *marks = told.marks.to_le_bytes();
            if let Some(slots) = slots.get_mut(notes..).and_then(|slots| slots.first_chunk_mut()) {
                notes += lanes.notes(told.ends, told.feeds, at, slots);
            }
            at = at.wrapping_add(BLOCK as u16);
        }
        seen.before = before;
        if crs != 0 || text.bytes.get(text.start + segment.start - 1) == Some(&b'\r') {
            let before = text.bytes.get(text.start + segment.start - 1);
            let mut carry = u64::from(before == Some(&b'\r'));
            for block in bytes.as_chunks().0.iter().take(blocks) {
                let (cr, feeds) = (lanes.equal(block, b'\r'), lanes.equal(block, b'\n'));
                let after_cr = cr << 1 | carry;
                seen.crlf |= feeds & after_cr != 0;
                seen.bare |= feeds & !after_cr != 0;
                carry = cr >> (BLOCK - 1);
            }
        } else {
            seen.bare = true;
        }
        seen.marks = seen.marks_here || marked != 0;
        seen.marks_here = marked != 0;
        notes
    }

    /// Moves the notes of lines that wait for more, of which the first begins at `start`, to the front, so that they count
    /// from there; gives their number.
    fn keep(&mut self, notes: Notes, start: usize, end: usize) -> usize {
        let Notes { which, base } = notes;
        if which.len() > GROUP * MOST || end - start > SEGMENT {
            // A line without an end yet, and longer than any row: too many columns make it no row.
            self.notes[..=MOST].fill(0);
            return MOST + 1;
        }
        let len = which.len();
        self.notes.copy_within(which, 0);
        for note in &mut self.notes[..len] {
            *note -= (start - base) as u16;
        }
        len
    }

    /// Fills the table with some notes, and the rest with the last row of these.
    #[cold]
    #[inline(never)]
    fn pad<const COLUMNS: usize>(&mut self, notes: &Notes) {
        let notes = self.notes.get(notes.which.clone()).unwrap_or_default().as_chunks::<COLUMNS>().0;
        let table = self.table.as_chunks_mut::<COLUMNS>().0;
        if let (Some(last), Some((own, rest))) = (notes.last(), table.split_at_mut_checked(notes.len())) {
            own.copy_from_slice(notes);
            rest.fill(*last);
        }
    }

    /// Fills the table and the line feeds with the first lines of some notes, and the rest with the last of these. Gives
    /// the number of lines, of their notes, and the lines that have another number of columns.
    #[cold]
    #[inline(never)]
    fn tabulate<const COLUMNS: usize>(&mut self, text: &Text, notes: &Notes) -> (usize, usize, u64) {
        let base = notes.base;
        let notes = self.notes.get(notes.which.clone()).unwrap_or_default();
        let rows = self.table.as_chunks_mut::<COLUMNS>().0;
        let (mut lines, mut taken, mut misfits) = (0, 0, 0);
        let (mut row, mut end) = ([0; COLUMNS], 0);
        for ((into, feed), line) in rows.iter_mut().zip(&mut self.feeds).zip(0..GROUP) {
            let left = &notes[taken..];
            if let Some(last) = left.iter().position(|note| note & FEED != 0) {
                end = left[last];
                row = [end; COLUMNS];
                // A line with more columns is no row; its end alone matters.
                if last < COLUMNS {
                    for (row, note) in row.iter_mut().zip(&left[..=last]) {
                        *row = *note;
                    }
                }
                let text = text.lines().get(..base + place(end)).unwrap_or_default();
                if let Some(last) = row.last_mut()
                    && *last & FEED != 0
                    && text.ends_with(b"\r")
                {
                    // The last number ends at the CR.
                    *last -= 1;
                }
                misfits |= u64::from(last + 1 != COLUMNS) << line;
                taken += last + 1;
                lines += 1;
            }
            (*into, *feed) = (row, end);
        }
        (lines, taken, misfits)
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

/// How far behind the base a note says.
fn place(note: u16) -> usize {
    usize::from(note & !FEED)
}

/// Some lines that stand one after another, as rows of so many columns.
struct Group<'a, const COLUMNS: usize> {
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
    lines: usize,
    /// How many notes they have.
    notes: usize,
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
struct Picked {
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
    fn of<'a, B>(
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
    fn line(&self, index: usize) -> Range<usize> {
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
    fn convert<L: Lanes, const WIDE: bool>(
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
    fn marked(&self, hex: bool) -> u64 {
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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    /// Stamps and values of the rows of a text of five columns.
    fn read(lines: &str) -> Vec<(u64, u64)> {
        let layout = Layout::given("t,v,d,bs,p").unwrap();
        let mut text = Text::default();
        text.room(0)[..lines.len()].copy_from_slice(lines.as_bytes());
        text.set_len(lines.len());
        let mut batch = Batch::default();
        Parser::new().parse(&text, &layout, Plain::of(&layout, true).unwrap(), &mut batch);
        (0..batch.rows).map(|row| (batch.t[row], batch.value[row])).collect()
    }

    #[test]
    fn a_long_number_that_two_segments_share_is_whole() {
        // Lines of 32 bytes, 512 a segment; the first is shorter, so that others begin before a segment does by as much.
        for shorter in 0..13 {
            let mut lines = format!("{}, 1234567, 0, 8, 0\n", &"1700000000000"[shorter..]);
            assert_eq!(lines.len(), 32 - shorter);
            for row in 1..1100 {
                lines += &format!("{}, {}, 0, 4096, 0\n", 1_700_000_000_000u64 + row, 1000 + row);
            }
            let rows = read(&lines);
            assert_eq!(rows.len(), 1100);
            assert!(rows[1..].iter().zip(1..).all(|(&row, n)| row == (1_700_000_000_000 + n, 1000 + n)));
        }
    }

    #[test]
    fn a_line_longer_than_a_segment_is_no_row_and_costs_no_other() {
        for length in [SEGMENT - 40, SEGMENT, 3 * SEGMENT] {
            for filling in ["0", ",", "1, "] {
                let long = filling.repeat(length / filling.len());
                let lines = format!("1, 2, 0, 4096, 0\n{long}, 3, 0, 4096, 0\n4, 5, 1, 512, 0\n");
                assert_eq!(read(&lines), [(1, 2), (4, 5)], "{length} of {filling:?}");
            }
        }
    }

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
        text.room(0)[..lines.len()].copy_from_slice(lines.as_bytes());
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
