//! Lines of a stream, without an allocation a line and in bounded memory.
//!
//! Goes in: any reader. Comes out: lines without their end, numbered from 1,
//! and the head of the stream before the first line is taken. Lines longer than
//! the buffer are not kept: a binary file cannot make us hold it.

use super::bulk::Text;
use memchr::{memchr, memrchr};
use std::io::{ErrorKind, Read};

/// Bytes of the beginning from which a log's layout is concluded.
const HEAD_BYTES: usize = 64 * 1024;

/// Size of the read buffer; a longer line is not kept.
const BUFFER_BYTES: usize = 256 * 1024;

/// What a system keeps files in memory in.
const PAGE: u64 = 4096;

/// The longest line that can be a row; fio's longest has 8 numbers.
const LONGEST_LINE: usize = 4096;

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) struct Line<'a> {
    /// Counted from 1.
    pub(in crate::ingest) number: u64,
    /// Its bytes without the end and without blanks and NULs around it; empty for a line that was too long.
    pub(in crate::ingest) bytes: &'a [u8],
    /// False for the last line of a file that does not end with a line feed.
    pub(in crate::ingest) ended: bool,
    /// True when the line is longer than any row.
    pub(in crate::ingest) too_long: bool,
    /// NUL bytes around it, as file systems leave them after a crash.
    pub(in crate::ingest) nuls: u64,
}

impl Line<'_> {
    /// What a message says of a line that is too long.
    pub(super) const TOO_LONG: &'static [u8] = b"a line longer than any row";
}

/// A stream, line by line.
pub(in crate::ingest) struct Lines<'r> {
    source: Source<'r>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    number: u64,
}

/// Where the bytes come from.
struct Source<'r> {
    input: &'r mut (dyn Read + Send),
    at_end: bool,
    /// Bytes that came.
    taken: u64,
}

/// What comes next, in texts of many lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Whole lines, which stand in the text.
    Lines,
    /// A line that does not fit, passed over; `row` unless it is NULs only.
    Long { row: bool, nuls: u64 },
    /// The last line, without its end; `row` unless it holds nothing.
    Cut { row: bool, nuls: u64 },
}

impl<'r> Lines<'r> {
    /// A line of so many bytes does not fit.
    pub(super) const LONGEST: usize = BUFFER_BYTES;

    /// Reads the head.
    pub(in crate::ingest) fn new(input: &'r mut (dyn Read + Send)) -> std::io::Result<Self> {
        let source = Source { input, at_end: false, taken: 0 };
        let mut lines = Lines { source, buffer: vec![0; HEAD_BYTES], start: 0, end: 0, number: 0 };
        while lines.end < HEAD_BYTES && !lines.source.at_end {
            lines.fill()?;
        }
        Ok(lines)
    }

    /// The head, before the first line is taken: the same bytes however the stream hands them out.
    pub(in crate::ingest) fn head(&self) -> &[u8] {
        let rest = self.rest();
        &rest[..rest.len().min(HEAD_BYTES)]
    }

    /// What was read and not yet taken.
    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The next line; None at the end.
    pub(in crate::ingest) fn next(&mut self) -> std::io::Result<Option<Line<'_>>> {
        let mut searched = 0;
        loop {
            let unsearched = &self.buffer[self.start + searched..self.end];
            if let Some(at) = memchr(b'\n', unsearched) {
                let from = self.start;
                let to = from + searched + at;
                self.start = to + 1;
                self.number += 1;
                return Ok(Some(trimmed(self.number, &self.buffer[from..to], true)));
            }
            searched = self.end - self.start;
            if self.source.at_end {
                if searched == 0 {
                    return Ok(None);
                }
                let from = std::mem::replace(&mut self.start, self.end);
                self.number += 1;
                return Ok(Some(trimmed(self.number, &self.buffer[from..self.end], false)));
            }
            if searched == self.buffer.len() {
                if searched == BUFFER_BYTES {
                    return self.pass_over_long().map(Some);
                }
                self.widen();
            }
            self.fill()?;
        }
    }

    /// Fills `text`, which has room for [`Lines::LONGEST`] bytes, with the next lines; None at the end.
    pub(super) fn piece(&mut self, text: &mut Text) -> std::io::Result<Option<Piece>> {
        // What was read before, at most a part of a line after the first time.
        let mut len = self.rest().len();
        let room = text.room(len);
        room[..len].copy_from_slice(self.rest());
        (self.start, self.end) = (0, 0);
        // Up to the end of a page, so that the next text begins with one; and where that is within a line, to the end.
        let beyond = (self.source.taken + (room.len() - len) as u64) % PAGE;
        let mut most = room.len().saturating_sub(beyond as usize).max(len);
        let lines = loop {
            while len < most && !self.source.at_end {
                len += self.source.read(&mut room[len..most])?;
            }
            match memrchr(b'\n', &room[..len]) {
                Some(last) => break last + 1,
                None if len == room.len() || self.source.at_end => break 0,
                None => most = room.len(),
            }
        };
        let rest = &room[lines..len];
        if rest.len() > self.buffer.len() {
            self.widen();
        }
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.end = rest.len();
        text.set_len(lines);
        if lines > 0 {
            return Ok(Some(Piece::Lines));
        }
        let line = if len == Lines::LONGEST {
            self.pass_over_long()?
        } else if len > 0 {
            self.start = self.end;
            trimmed(0, &self.buffer[..len], false)
        } else {
            return Ok(None);
        };
        let (row, nuls) = (!line.bytes.is_empty() || line.too_long, line.nuls);
        Ok(Some(if line.ended { Piece::Long { row, nuls } } else { Piece::Cut { row, nuls } }))
    }

    /// Passes over a line that does not fit the buffer.
    fn pass_over_long(&mut self) -> std::io::Result<Line<'_>> {
        self.number += 1;
        let mut nuls = 0;
        let mut only_nuls = true;
        let ended = loop {
            let rest = self.rest();
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            let found = length < rest.len();
            only_nuls = only_nuls && rest[..length].iter().all(|&byte| byte == 0);
            nuls += length as u64;
            self.start += length + usize::from(found);
            if found || self.source.at_end {
                break found;
            }
            self.fill()?;
        };
        let nuls = if only_nuls { nuls } else { 0 };
        Ok(Line { number: self.number, bytes: &[], ended, too_long: !only_nuls, nuls })
    }

    /// Makes the buffer, which holds no more than a head at first, as large as it may be.
    fn widen(&mut self) {
        self.buffer.resize(BUFFER_BYTES, 0);
    }

    /// Reads once more into the buffer, which has room.
    fn fill(&mut self) -> std::io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        self.end += self.source.read(&mut self.buffer[self.end..])?;
        Ok(())
    }
}

impl Source<'_> {
    /// Reads once, and notes the end.
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.input.read(room) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(0) => self.at_end = true,
                Ok(count) => {
                    self.taken += count as u64;
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
            return Ok(0);
        }
    }
}

/// A line without its end, freed of blanks and NULs around it.
pub(super) fn trimmed(number: u64, bytes: &[u8], ended: bool) -> Line<'_> {
    let blank = |byte: u8| matches!(byte, 0 | b' ' | b'\t' | b'\r');
    let mut inner = bytes;
    let mut nuls = 0;
    while let [inside @ .., last] = inner
        && blank(*last)
    {
        nuls += u64::from(*last == 0);
        inner = inside;
    }
    while let [first, inside @ ..] = inner
        && blank(*first)
    {
        nuls += u64::from(*first == 0);
        inner = inside;
    }
    Line { number, bytes: inner, ended, too_long: inner.len() > LONGEST_LINE, nuls }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time, as pipes do.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(self.0.len()).min(out.len());
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn all(bytes: &[u8], at_a_time: usize) -> Vec<(u64, Vec<u8>, bool, bool)> {
        let mut input = Dribble(bytes, at_a_time);
        let mut lines = Lines::new(&mut input).unwrap();
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.number, line.bytes.to_vec(), line.ended, line.too_long));
        }
        found
    }

    #[test]
    fn lines_lose_their_ends_blanks_and_nuls() {
        for at_a_time in [1, 3, 1000] {
            let found = all(b"1, 2\r\n\n 3\t\n\0\0 4\0", at_a_time);
            let texts: Vec<&[u8]> = found.iter().map(|line| line.1.as_slice()).collect();
            assert_eq!(texts, [&b"1, 2"[..], b"", b"3", b"4"]);
            assert_eq!(found.iter().map(|line| line.2).collect::<Vec<_>>(), [true, true, true, false]);
        }
    }

    #[test]
    fn a_line_that_does_not_fit_is_passed_over_and_the_next_one_is_whole() {
        let mut bytes = vec![b'x'; BUFFER_BYTES * 2 + 17];
        bytes.extend_from_slice(b"\n1, 2, 3\n");
        let found = all(&bytes, 100_000);
        assert_eq!(found, [(1, vec![], true, true), (2, b"1, 2, 3".to_vec(), true, false)]);
    }

    #[test]
    fn a_long_tail_of_nuls_is_no_long_line() {
        let mut bytes = b"1, 2, 3\n".to_vec();
        bytes.resize(BUFFER_BYTES * 2, 0);
        let mut input = &bytes[..];
        let mut lines = Lines::new(&mut input).unwrap();
        assert_eq!(lines.next().unwrap().unwrap().bytes, b"1, 2, 3");
        let tail = lines.next().unwrap().unwrap();
        assert!(!tail.too_long);
        assert_eq!(tail.nuls, (BUFFER_BYTES * 2 - 8) as u64);
        assert_eq!(lines.next().unwrap(), None);
    }
}
