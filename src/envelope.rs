//! Opens a file, unpacked where it is packed.
//!
//! A path or a reader goes in. Out come the beginning of the content for
//! detection, a reader over all of it, and the SHA-256 of the bytes as stored.
//! gzip and zstd are told by their first bytes, never by a name, and may lie one
//! in the other once. What unpacks to more than a log ever would is cut with an error.

mod zlib;

pub use zlib::{ZlibStreams, is_zlib};

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of unpacked content that [`Opened::head`] holds at most.
pub const HEAD: usize = 64 * 1024;

/// What any file may unpack to, bytes; [`RATIO`] times its packed size comes on top.
const FREE_BYTES: u64 = 1 << 30;
const RATIO: u64 = 100;

/// Layers of packing that are taken off.
const LAYERS: usize = 2;

const BUFFER: usize = 256 * 1024;

/// Why a file could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// The operating system refused.
    #[error("cannot open: {0}")]
    Open(#[source] io::Error),
    /// The first bytes could not be read.
    #[error("cannot read: {0}")]
    Read(#[source] io::Error),
    /// The first bytes are those of a packed file and do not unpack.
    #[error("cannot unpack ({packing}): {source}; check that the file is whole, with `{tool} -t`")]
    Unpack {
        /// `gzip` or `zstd`.
        packing: &'static str,
        /// The program that tests such a file.
        tool: &'static str,
        /// What the unpacker said.
        source: io::Error,
    },
}

/// An open file; reading it gives its whole content, unpacked.
pub struct Opened {
    head: Vec<u8>,
    whole: bool,
    packing: Option<&'static str>,
    /// What of the head was replayed.
    replayed: usize,
    /// The error that ended the head early; comes after the head.
    cut: Option<io::Error>,
    rest: Box<dyn Read + Send>,
    stored: Shared,
}

/// The bytes of a file as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// SHA-256, hexadecimal.
    pub sha256: String,
    /// How many bytes.
    pub bytes: u64,
}

/// Opens a regular file.
///
/// # Errors
/// When it cannot be opened, or nothing of it can be read or unpacked. An error
/// further on comes out of the reader.
pub fn open(path: &Path) -> Result<Opened, EnvelopeError> {
    let file = File::open(path).map_err(EnvelopeError::Open)?;
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    unwrap(Box::new(file), size, FREE_BYTES)
}

/// Opens what a reader gives, such as standard input.
///
/// # Errors
/// As [`open`].
pub fn from_reader(reader: impl Read + Send + 'static) -> Result<Opened, EnvelopeError> {
    unwrap(Box::new(reader), 0, FREE_BYTES)
}

fn unwrap(source: Box<dyn Read + Send>, size: u64, free: u64) -> Result<Opened, EnvelopeError> {
    let stored = Shared(Arc::new(Mutex::new(Hashing { source, sha256: Sha256::new(), bytes: 0 })));
    let mut rest: Box<dyn Read + Send> = Box::new(stored.clone());
    let mut packing = None;
    for _ in 0..LAYERS {
        let mut magic = Vec::with_capacity(4);
        let read = (&mut rest).take(4).read_to_end(&mut magic);
        let found = Packing::of(&magic);
        rest = match read {
            Ok(_) => Box::new(Cursor::new(magic).chain(rest)),
            // The error comes again after the bytes before it.
            Err(error) => Box::new(Cursor::new(magic).chain(Broken(Some(error)))),
        };
        let Some(found) = found else { break };
        packing = Some(match packing {
            None => found,
            Some(outer) => outer_with(outer, found),
        });
        rest = found.unpack(rest).map_err(|source| found.error(source))?;
        rest = Box::new(Bounded { inner: rest, given: 0, size, free, stored: stored.clone() });
    }
    let mut head = Vec::new();
    let cut = (&mut rest).take(HEAD as u64).read_to_end(&mut head).err();
    match (cut, packing) {
        (Some(error), None) if head.is_empty() => Err(EnvelopeError::Read(error)),
        (Some(error), Some(packing)) if head.is_empty() => Err(packing.error(error)),
        (cut, packing) => {
            let whole = cut.is_none() && head.len() < HEAD;
            Ok(Opened { head, whole, packing: packing.map(Packing::name), replayed: 0, cut, rest, stored })
        }
    }
}

impl Opened {
    /// The beginning of the content, at most [`HEAD`] bytes.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// True when the head is the whole content.
    #[must_use]
    pub fn whole(&self) -> bool {
        self.whole
    }

    /// How the file is packed: `gzip`, `zstd`, or one in the other.
    #[must_use]
    pub fn packing(&self) -> Option<&'static str> {
        self.packing
    }

    /// Reads what is left of the stored bytes, without unpacking it, and gives their hash.
    ///
    /// # Errors
    /// When the rest cannot be read.
    pub fn finish(self) -> io::Result<Stored> {
        let mut stored = self.stored;
        io::copy(&mut stored, &mut io::sink())?;
        let hashing = stored.lock();
        let digest = hashing.sha256.clone().finalize();
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Stored { sha256, bytes: hashing.bytes })
    }
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let head = self.head.get(self.replayed..).unwrap_or_default();
        if !head.is_empty() {
            let count = head.len().min(buffer.len());
            buffer[..count].copy_from_slice(&head[..count]);
            self.replayed += count;
            return Ok(count);
        }
        match self.cut.take() {
            Some(error) => {
                // A second read must not look like a clean end.
                self.cut = Some(io::Error::new(error.kind(), error.to_string()));
                Err(error)
            }
            None => self.rest.read(buffer),
        }
    }
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Opened { head, whole, packing, .. } = self;
        let head = head.len();
        f.debug_struct("Opened").field("head", &head).field("whole", whole).field("packing", packing).finish()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
    GzipInGzip,
    GzipInZstd,
    ZstdInGzip,
    ZstdInZstd,
}

fn outer_with(outer: Packing, inner: Packing) -> Packing {
    match (outer, inner) {
        (Packing::Gzip, Packing::Gzip) => Packing::GzipInGzip,
        (Packing::Gzip, _) => Packing::ZstdInGzip,
        (_, Packing::Gzip) => Packing::GzipInZstd,
        _ => Packing::ZstdInZstd,
    }
}

impl Packing {
    /// By the first bytes: RFC 1952 (gzip, deflate) and RFC 8878 (zstd, skippable frames).
    fn of(magic: &[u8]) -> Option<Packing> {
        match magic {
            [0x1f, 0x8b, 0x08, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Packing::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::GzipInGzip => "gzip in gzip",
            Packing::GzipInZstd => "gzip in zstd",
            Packing::ZstdInGzip => "zstd in gzip",
            Packing::ZstdInZstd => "zstd in zstd",
        }
    }

    fn unpack(self, packed: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let packed = io::BufReader::with_capacity(BUFFER, packed);
        Ok(match self {
            Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
            _ => Box::new(zstd::Decoder::with_buffer(packed)?),
        })
    }

    fn error(self, source: io::Error) -> EnvelopeError {
        let tool = if self.name().ends_with("zstd") { "zstd" } else { "gzip" };
        EnvelopeError::Unpack { packing: self.name(), tool, source }
    }
}

/// The stored bytes, hashed as they pass; shared by the unpackers and [`Opened::finish`].
#[derive(Clone)]
struct Shared(Arc<Mutex<Hashing>>);

struct Hashing {
    source: Box<dyn Read + Send>,
    sha256: Sha256,
    bytes: u64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Hashing> {
        // A reader that panicked leaves a count that is still right.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut hashing = self.lock();
        let count = hashing.source.read(buffer)?;
        hashing.sha256.update(buffer.get(..count).unwrap_or_default());
        hashing.bytes = hashing.bytes.saturating_add(count as u64);
        Ok(count)
    }
}

/// Ends a stream that unpacks to far more than a log would.
struct Bounded {
    inner: Box<dyn Read + Send>,
    given: u64,
    /// Packed size of the file; 0 where it is not known beforehand.
    size: u64,
    free: u64,
    stored: Shared,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.given = self.given.saturating_add(count as u64);
        let packed = if self.given > self.free { self.size.max(self.stored.lock().bytes) } else { 0 };
        if self.given > self.free.saturating_add(packed.saturating_mul(RATIO)) {
            return Err(io::Error::other(
                "unpacks to more than 1 GiB and 100 times its size, which no log does; unpack it yourself if it is one",
            ));
        }
        Ok(count)
    }
}

/// A reader that only fails.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.take().unwrap_or_else(|| io::Error::other("reading has failed before")))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 1).unwrap()
    }

    fn read_all(stored: Vec<u8>) -> (Vec<u8>, Option<&'static str>, Stored) {
        let mut opened = from_reader(Cursor::new(stored)).unwrap();
        let packing = opened.packing();
        let mut content = Vec::new();
        opened.read_to_end(&mut content).unwrap();
        (content, packing, opened.finish().unwrap())
    }

    #[test]
    fn plain_bytes_pass_with_their_hash() {
        let (content, packing, stored) = read_all(b"abc".to_vec());
        assert_eq!((content.as_slice(), packing), (b"abc".as_slice(), None));
        // FIPS 180-2, appendix B.1.
        assert_eq!(stored.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(stored.bytes, 3);
    }

    #[test]
    fn a_long_file_replays_its_head_and_goes_on() {
        let long: Vec<u8> = (0..HEAD as u32 / 2).flat_map(u32::to_le_bytes).collect();
        let opened = from_reader(Cursor::new(long.clone())).unwrap();
        assert_eq!((opened.head(), opened.whole()), (&long[..HEAD], false));
        assert_eq!(read_all(long.clone()).0, long);
    }

    #[test]
    fn gzip_members_in_a_row_are_one_content() {
        let stored = [gzip(b"0, 1, 0, 4096\n"), gzip(b"5, 2, 0, 4096\n")].concat();
        let (content, packing, hash) = read_all(stored.clone());
        assert_eq!(content, b"0, 1, 0, 4096\n5, 2, 0, 4096\n");
        assert_eq!(packing, Some("gzip"));
        assert_eq!(hash, read_all_stored(&stored));
    }

    fn read_all_stored(stored: &[u8]) -> Stored {
        let sha256 = Sha256::digest(stored).iter().map(|byte| format!("{byte:02x}")).collect();
        Stored { sha256, bytes: stored.len() as u64 }
    }

    #[test]
    fn packing_may_be_nested_once() {
        assert_eq!(read_all(zstd(b"x")).0, b"x");
        assert_eq!(read_all(zstd(&gzip(b"x"))).1, Some("gzip in zstd"));
        let thrice = gzip(&gzip(&gzip(b"x")));
        assert_eq!(read_all(thrice).0, gzip(b"x"));
    }

    #[test]
    fn the_hash_covers_the_whole_file_even_when_nothing_was_read() {
        let stored = gzip(&vec![7; 3_000_000]);
        let opened = from_reader(Cursor::new(stored.clone())).unwrap();
        assert_eq!(opened.finish().unwrap(), read_all_stored(&stored));
    }

    #[test]
    fn a_cut_file_gives_its_beginning_and_then_an_error() {
        let rows: String =
            (0..10_000u32).map(|i| format!("{i}, {}, 0, 4096\n", i.wrapping_mul(2_654_435_761))).collect();
        let mut stored = gzip(rows.as_bytes());
        stored.truncate(stored.len() / 2);
        let mut opened = from_reader(Cursor::new(stored)).unwrap();
        assert!(opened.head().starts_with(b"0, 0, 0, 4096\n1, "));
        let mut content = Vec::new();
        let error = opened.read_to_end(&mut content).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert!(opened.read(&mut [0; 8]).is_err());
    }

    #[test]
    fn what_only_looks_packed_is_an_error_with_advice() {
        let error = from_reader(Cursor::new(b"\x1f\x8b\x08nonsense".to_vec())).unwrap_err().to_string();
        assert!(error.contains("cannot unpack (gzip)") && error.contains("gzip -t"), "{error}");
    }

    #[test]
    fn a_bomb_is_cut() {
        let stored = zstd(&vec![0; 4 << 20]);
        let mut opened = unwrap(Box::new(Cursor::new(stored)), 0, 1 << 20).unwrap();
        let error = io::copy(&mut opened, &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("100 times its size"), "{error}");
    }
}
