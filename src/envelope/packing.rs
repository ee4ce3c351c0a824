//! Kinds of packing: told by their first bytes, taken off as a stream.

use super::{BUFFER, EnvelopeError};
use std::io::{self, BufReader, Read};

/// Memory that an xz stream may ask for, bytes. `xz -9` needs 65 MiB; the format allows 4 GiB.
const XZ_MEMORY: u64 = 256 << 20;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

impl Packing {
    /// How many of the first bytes [`Packing::of`] looks at.
    pub(super) const MAGIC: usize = 10;

    /// By the first bytes: RFC 1952 (gzip, deflate), RFC 8878 (zstd, skippable frames), the
    /// .xz file format 1.2.1, section 2.1.1.1, and bzip2's level, then its first block or its end.
    pub(super) fn of(magic: &[u8]) -> Option<Packing> {
        match magic {
            [0x1f, 0x8b, 0x08, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Packing::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Packing::Xz),
            [b'B', b'Z', b'h', b'1'..=b'9', block @ ..]
                if block.starts_with(&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
                    || block.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90]) =>
            {
                Some(Packing::Bzip2)
            }
            _ => None,
        }
    }

    /// Its name, which is that of the program, too.
    fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Xz => "xz",
            Packing::Bzip2 => "bzip2",
        }
    }

    /// What is inside; several packed streams in a row are one content.
    pub(super) fn unpack(self, packed: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let packed = BufReader::with_capacity(BUFFER, packed);
        Ok(match self {
            Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
            Packing::Zstd => Box::new(zstd::Decoder::with_buffer(packed)?),
            Packing::Xz => {
                let concatenated = liblzma::stream::CONCATENATED;
                let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, concatenated)?;
                Box::new(liblzma::bufread::XzDecoder::new_stream(packed, stream))
            }
            Packing::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(packed)),
        })
    }
}

/// The layers as words, outermost last: `zstd in gzip`.
pub(super) fn name(layers: &[Packing]) -> String {
    layers.iter().rev().map(|layer| layer.name()).collect::<Vec<_>>().join(" in ")
}

/// The error for a file that does not unpack.
pub(super) fn error(layers: &[Packing], source: io::Error) -> EnvelopeError {
    let tool = layers.first().map_or("", |outermost| outermost.name());
    EnvelopeError::Unpack { packing: name(layers), tool, source }
}
