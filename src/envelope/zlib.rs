//! Several zlib streams, one after another, as one stream of bytes.
//!
//! fio writes its compressed logs so: a stream for each chunk of rows. Unlike gzip and
//! zstd they have no magic number worth the name, so that only a reader that expects
//! them takes them off.

use flate2::{Decompress, FlushDecompress, Status};
use std::io::{self, ErrorKind, Read};

const BUFFER: usize = 64 * 1024;

/// True when bytes may be the beginning of a zlib stream with a window of 32 KiB (RFC 1950).
#[must_use]
pub fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [0x78, flags, ..] if (0x7800 + u32::from(*flags)).is_multiple_of(31) && flags & 0x20 == 0)
}

/// Unpacks the streams that a reader gives.
pub struct ZlibStreams<R> {
    inner: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    unpacker: Decompress,
    /// True inside a stream.
    open: bool,
    cut: bool,
}

impl<R: Read> ZlibStreams<R> {
    /// Unpacks what `inner` gives.
    pub fn new(inner: R) -> Self {
        ZlibStreams {
            inner,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            unpacker: Decompress::new(true),
            open: false,
            cut: false,
        }
    }

    /// True when the last stream had no end; known once everything is read.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut
    }
}

impl<R: Read> Read for ZlibStreams<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if self.start == self.end {
                self.start = 0;
                self.end = match self.inner.read(&mut self.buffer) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    read => read?,
                };
            }
            let at_end = self.end == 0;
            if at_end && !self.open {
                return Ok(0);
            }
            self.open = true;
            let (before_in, before_out) = (self.unpacker.total_in(), self.unpacker.total_out());
            let input = &self.buffer[self.start..self.end];
            let status = self.unpacker.decompress(input, out, FlushDecompress::None);
            let status = status.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            self.start += usize::try_from(self.unpacker.total_in() - before_in).unwrap_or(input.len());
            let given = usize::try_from(self.unpacker.total_out() - before_out).unwrap_or(out.len());
            if status == Status::StreamEnd {
                self.unpacker.reset(true);
                self.open = false;
            }
            if given > 0 {
                return Ok(given);
            }
            if at_end {
                self.cut = self.open;
                self.open = false;
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(bytes: &[u8]) -> (io::Result<Vec<u8>>, bool) {
        let mut streams = ZlibStreams::new(bytes);
        let mut out = Vec::new();
        let read = streams.read_to_end(&mut out);
        (read.map(|_| out), streams.is_cut())
    }

    #[test]
    fn streams_follow_each_other() {
        let (first, second) = (vec![7u8; 200_000], b"more".to_vec());
        let bytes = [packed(&first), packed(&[]), packed(&second)].concat();
        let (out, cut) = unpacked(&bytes);
        assert_eq!((out.unwrap(), cut), ([first, second].concat(), false));
        assert!(is_zlib(&bytes));
    }

    #[test]
    fn a_stream_without_an_end_gives_what_it_holds() {
        let noise: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let bytes = packed(&noise);
        let (out, cut) = unpacked(&bytes[..bytes.len() / 2]);
        let out = out.unwrap();
        assert!(cut && !out.is_empty() && noise.starts_with(&out));
    }

    #[test]
    fn other_bytes_are_an_error_or_no_stream() {
        assert!(unpacked(b"\x78\x9cno zlib at all").0.is_err());
        assert!(!is_zlib(b"x") && !is_zlib(b"text") && !is_zlib(b"x y"));
    }
}
