//! Opens a file, unpacked where it is packed.
//!
//! A path or a reader goes in. Out come the beginning of the content for
//! detection, a reader over all of it, and, where it is [wanted](Hashed), the SHA-256 of the bytes as stored.
//! gzip, zstd, xz and bzip2 are told by their first bytes, never by a name, and may
//! lie one in the other once. Text in UTF-16, as PowerShell redirects leave it, comes
//! out as UTF-8, byte order marks do not come out at all. What unpacks to more than a
//! log ever would is cut with an error. Archives of several files are opened elsewhere.

mod packing;
#[cfg(test)]
mod tests;
mod text;
mod zlib;

pub use zlib::{ZlibStreams, is_zlib};

use crate::model::text::hexadecimal;
use packing::Packing;
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

/// Bytes that the unpackers are fed with at a time.
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
        /// `gzip`, `zstd in gzip`, and so on.
        packing: String,
        /// The program that tests the outermost layer.
        tool: &'static str,
        /// What the unpacker said.
        source: io::Error,
    },
}

/// Whether the bytes of a file are hashed as they pass, which costs as much as reading a long log does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hashed {
    /// SHA-256.
    Sha256,
    /// No hash.
    No,
}

/// An open file; reading it gives its whole content, unpacked.
pub struct Opened {
    head: Vec<u8>,
    whole: bool,
    packing: Option<String>,
    /// What of the head was replayed.
    replayed: usize,
    /// The error that ended the head early; comes after the head.
    cut: Option<io::Error>,
    behind: Behind,
    /// Bytes of a file that is not packed; 0 where that is not known.
    size: u64,
}

/// What comes behind the head.
enum Behind {
    /// Nothing: all of the stored bytes were read.
    Nothing(Stored),
    More {
        rest: Box<dyn Read + Send>,
        stored: Shared,
    },
}

/// The bytes of a file as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// SHA-256, hexadecimal; None where it was not wanted.
    pub sha256: Option<String>,
    /// How many bytes.
    pub bytes: u64,
}

/// Opens a regular file.
///
/// # Errors
/// When it cannot be opened, or nothing of it can be read or unpacked. An error
/// further on comes out of the reader.
pub fn open(path: &Path, hashed: Hashed) -> Result<Opened, EnvelopeError> {
    let mut file = File::open(path).map_err(EnvelopeError::Open)?;
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    // With room for all of a small file, and a byte more to meet its end, reading takes two calls.
    let mut head = vec![0; (size.min(HEAD as u64 - 1)) as usize + 1];
    let (len, end) = fill(&mut file, &mut head);
    let whole = len < head.len();
    head.truncate(len);
    let plain = Packing::of(&head).is_none() && !text::is_marked(&head);
    match end {
        Ok(()) if plain && whole => {
            let sha256 = (hashed == Hashed::Sha256).then(|| hexadecimal(&Sha256::digest(&head)));
            Ok(Opened::plain(head, size, Behind::Nothing(Stored { sha256, bytes: len as u64 })))
        }
        Ok(()) if plain && len == HEAD => {
            let sha256 = (hashed == Hashed::Sha256).then(|| Sha256::new_with_prefix(&head));
            let hashing = Hashing { source: Box::new(file), sha256, bytes: len as u64 };
            let stored = Shared(Arc::new(Mutex::new(hashing)));
            Ok(Opened::plain(head, size, Behind::More { rest: Box::new(stored.clone()), stored }))
        }
        // The error comes again after the bytes before it.
        Err(error) => {
            unwrap(Box::new(Cursor::new(head).chain(Broken(Some(error)))), size, FREE_BYTES, hashed)
        }
        Ok(()) => unwrap(Box::new(Cursor::new(head).chain(file)), size, FREE_BYTES, hashed),
    }
}

/// Opens what a reader gives, such as standard input.
///
/// # Errors
/// As [`open`].
pub fn from_reader(reader: impl Read + Send + 'static, hashed: Hashed) -> Result<Opened, EnvelopeError> {
    unwrap(Box::new(reader), 0, FREE_BYTES, hashed)
}

fn unwrap(
    source: Box<dyn Read + Send>,
    size: u64,
    free: u64,
    hashed: Hashed,
) -> Result<Opened, EnvelopeError> {
    let sha256 = (hashed == Hashed::Sha256).then(Sha256::new);
    let stored = Shared(Arc::new(Mutex::new(Hashing { source, sha256, bytes: 0 })));
    let mut rest: Box<dyn Read + Send> = Box::new(stored.clone());
    let mut layers: Vec<Packing> = Vec::new();
    for _ in 0..LAYERS {
        let magic;
        (magic, rest) = peek(rest, Packing::MAGIC);
        let Some(found) = Packing::of(&magic) else { break };
        layers.push(found);
        rest = found.unpack(rest).map_err(|source| packing::error(&layers, source))?;
        rest = Box::new(Bounded { inner: rest, given: 0, size, free, stored: stored.clone() });
    }
    let (mark, rest) = peek(rest, text::MARK);
    let mut rest = text::as_utf8(&mark, rest);
    let mut head = Vec::with_capacity(HEAD + 1);
    let cut = (&mut rest).take(HEAD as u64).read_to_end(&mut head).err();
    head.shrink_to_fit();
    match cut {
        Some(error) if head.is_empty() && layers.is_empty() => Err(EnvelopeError::Read(error)),
        Some(error) if head.is_empty() => Err(packing::error(&layers, error)),
        cut => {
            let whole = cut.is_none() && head.len() < HEAD;
            let packing = (!layers.is_empty()).then(|| packing::name(&layers));
            Ok(Opened {
                head,
                whole,
                packing,
                replayed: 0,
                cut,
                behind: Behind::More { rest, stored },
                size: 0,
            })
        }
    }
}

/// The first bytes of a stream, and the stream with them still in it.
fn peek(mut stream: Box<dyn Read + Send>, length: usize) -> (Vec<u8>, Box<dyn Read + Send>) {
    let mut first = Vec::with_capacity(length);
    let read = (&mut stream).take(length as u64).read_to_end(&mut first);
    let again = Cursor::new(first.clone());
    match read {
        Ok(_) => (first, Box::new(again.chain(stream))),
        // The error comes again after the bytes before it.
        Err(error) => (first, Box::new(again.chain(Broken(Some(error))))),
    }
}

impl Opened {
    /// A file that is neither packed nor marked.
    fn plain(head: Vec<u8>, size: u64, behind: Behind) -> Self {
        let whole = matches!(behind, Behind::Nothing(_));
        Opened { head, whole, packing: None, replayed: 0, cut: None, behind, size }
    }

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

    /// How the file is packed: `gzip`, `zstd`, `xz`, `bzip2`, or one in the other.
    #[must_use]
    pub fn packing(&self) -> Option<&str> {
        self.packing.as_deref()
    }

    /// Reads what is left of the stored bytes, without unpacking it, and gives their hash.
    ///
    /// Without a hash the bytes that nobody asked for are not read, nor counted.
    ///
    /// # Errors
    /// When the rest cannot be read.
    pub fn finish(self) -> io::Result<Stored> {
        let mut stored = match self.behind {
            Behind::Nothing(stored) => return Ok(stored),
            Behind::More { stored, .. } => stored,
        };
        if stored.lock().sha256.is_some() {
            io::copy(&mut stored, &mut io::sink())?;
        }
        let mut hashing = stored.lock();
        let sha256 = hashing.sha256.take().map(|sha256| hexadecimal(&sha256.finalize()));
        Ok(Stored { sha256, bytes: hashing.bytes })
    }

    /// All of the content; of what is longer than `most`, as many bytes and one more. The head is in it,
    /// and empty from then on: nothing is copied.
    ///
    /// # Errors
    /// When the content cannot be read to that point.
    pub fn take_all(&mut self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.head);
        bytes.drain(..std::mem::take(&mut self.replayed));
        if let Some(error) = self.cut.take() {
            return Err(error);
        }
        let Behind::More { rest, .. } = &mut self.behind else { return Ok(bytes) };
        let mut limited = rest.take(most.saturating_add(1).saturating_sub(bytes.len() as u64));
        // Room for all that is there, and a byte more to meet its end.
        let len = bytes.len();
        bytes.resize(len.max(usize::try_from(self.size.min(most)).unwrap_or(0)) + 1, 0);
        let (more, end) = fill(&mut limited, &mut bytes[len..]);
        end?;
        bytes.truncate(len + more);
        limited.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Reads until the room is full or the input ends; gives the bytes that came, also before an error.
fn fill(input: &mut impl Read, room: &mut [u8]) -> (usize, io::Result<()>) {
    let mut len = 0;
    while len < room.len() {
        match input.read(&mut room[len..]) {
            Ok(0) => break,
            Ok(count) => len += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (len, Err(error)),
        }
    }
    (len, Ok(()))
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
            None => match &mut self.behind {
                Behind::Nothing(_) => Ok(0),
                Behind::More { rest, .. } => rest.read(buffer),
            },
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

/// The stored bytes, hashed as they pass; shared by the unpackers and [`Opened::finish`].
#[derive(Clone)]
struct Shared(Arc<Mutex<Hashing>>);

struct Hashing {
    source: Box<dyn Read + Send>,
    sha256: Option<Sha256>,
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
        if let Some(sha256) = &mut hashing.sha256 {
            sha256.update(buffer.get(..count).unwrap_or_default());
        }
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
