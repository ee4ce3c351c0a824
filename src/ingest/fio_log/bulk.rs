//! Many lines at once: what makes a large log as cheap to read as to copy.
//!
//! Goes in: whole lines of a log whose columns are known, as a [`Text`]. Comes out: its rows as
//! columns of numbers in a [`Batch`], and what was wrong with the other lines. A line is read
//! the fast way when it looks as fio writes it; every other line goes, alone, through
//! [`Columns::parse`](super::row::Columns::parse), so that the result is that of the plain reader whatever the
//! lines hold.
//!
//! The gain is in the batch. A pass over the text tells bytes apart, 64 at a time, and notes the place of
//! each comma and line feed, which is where a number ends. In the usual text every line has as many of them as there are
//! columns, so that the notes are a table with a row for each line. A second pass picks, by that table and without a
//! branch, the eight bytes before the ends of the numbers that matter. A third one converts these, eight at a time.
//! No pass waits for the one before it, so that a processor has some lines in hand at any time.

mod group;
mod lanes;

use super::batch::Batch;
use super::layout::Layout;
use super::lines::Lines;
use group::{Group, Picked};
#[cfg(target_arch = "x86_64")]
use lanes::Vbmi2;
use lanes::{BLOCK, FEED, Lanes, Portable, SLOTS};
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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::super::row::Row;
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
