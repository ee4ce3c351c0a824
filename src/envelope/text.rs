//! Text as UTF-8 without a byte order mark, whatever the editor or shell made of it.
//!
//! A stream and its first bytes go in. UTF-16 is told by its mark alone (Unicode 17.0,
//! section 23.8); what has none passes as it is.

use std::io::{self, Read};

/// How many of the first bytes [`as_utf8`] looks at.
pub(super) const MARK: usize = 4;

/// Makes a unit of UTF-16 of two bytes.
type Unit = fn([u8; 2]) -> u16;

/// Bytes of UTF-16 that are decoded at a time.
const CHUNK: usize = 64 * 1024;

/// How long the mark of a text is that begins so, and what makes units of its bytes where it is UTF-16.
fn mark(first: &[u8]) -> (u64, Option<Unit>) {
    match first {
        [0xef, 0xbb, 0xbf, ..] => (3, None),
        // The mark of UTF-32 begins like that of UTF-16.
        [0xff, 0xfe, 0, 0, ..] => (0, None),
        [0xff, 0xfe, ..] => (2, Some(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => (2, Some(u16::from_be_bytes)),
        _ => (0, None),
    }
}

/// True when [`as_utf8`] makes something else of a text that begins so.
pub(super) fn is_marked(first: &[u8]) -> bool {
    mark(first).0 > 0
}

/// The stream without its mark, decoded when the mark is that of UTF-16. `first` stands in the stream still.
pub(super) fn as_utf8(first: &[u8], mut stream: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    let (mark, unit) = mark(first);
    // These bytes were read before and are at hand: no error can be lost here.
    let _ = io::copy(&mut (&mut stream).take(mark), &mut io::sink());
    match unit {
        Some(unit) => Box::new(Utf16 { stream, unit, packed: Vec::new(), text: Vec::new(), given: 0 }),
        None => stream,
    }
}

/// Decodes UTF-16; what is none becomes U+FFFD.
struct Utf16 {
    stream: Box<dyn Read + Send>,
    unit: Unit,
    /// Bytes that are no whole character yet: at most three of them stay between reads.
    packed: Vec<u8>,
    /// Decoded text, of which `given` bytes were handed out.
    text: Vec<u8>,
    given: usize,
}

impl Utf16 {
    /// Decodes the next bytes; false at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        let read = (&mut self.stream).take(CHUNK as u64).read_to_end(&mut self.packed)?;
        let (pairs, odd) = self.packed.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(|pair| (self.unit)(*pair)).collect();
        let mut rest = odd.to_vec();
        // The second half of a surrogate pair may be in the next bytes.
        if read > 0
            && let Some(0xd800..=0xdbff) = units.last()
            && let Some(pair) = pairs.last()
        {
            rest = [pair, odd].concat();
            units.pop();
        }
        let decoded = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        self.text = decoded.collect::<String>().into_bytes();
        self.given = 0;
        self.packed = rest;
        Ok(read > 0)
    }
}

impl Read for Utf16 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.given >= self.text.len() {
            let more = self.fill()?;
            if !more && self.text.is_empty() {
                return Ok(0);
            }
        }
        let text = self.text.get(self.given..).unwrap_or_default();
        let count = text.len().min(buffer.len());
        buffer[..count].copy_from_slice(&text[..count]);
        self.given += count;
        Ok(count)
    }
}
