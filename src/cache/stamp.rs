//! Whether a file is still what it was.
//!
//! In: a file, and what was noted of it earlier. Out: same or changed. Size, times and inode
//! decide as long as they can: a file that changed within two seconds before it was looked at
//! may change again without a trace in its times (their steps are up to two seconds on FAT, and a
//! tick of the kernel elsewhere), so that of such files the content decides, as git's "racy" entries do
//! (git's Documentation/technical/racy-git.txt).

use super::folder::{Facts, Folder, Links, look, since_1970};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Age from which on the times of a file tell of every change, whatever the file system.
const SETTLED: Duration = Duration::from_secs(2);

/// The same for a file that nobody but this program writes: some ticks of the kernel's clock.
pub const OWN_SETTLED: Duration = Duration::from_millis(25);

/// What is relied on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trust {
    /// Size, times and inode, where they can tell.
    #[default]
    Times,
    /// Nothing but the content.
    Content,
}

/// What was noted of a file, so that a change of it is noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    facts: Facts,
    /// True when the file was too young for its times to tell of a later change.
    young: bool,
    /// SHA-256 of the content.
    sha256: Option<[u8; 32]>,
}

/// What a look at a file gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// As it was, and nothing more is to be noted.
    Same,
    /// As it was, but under new times, or no longer young: to be noted anew.
    Touched(Stamp),
    /// Something else, gone, or unknown.
    Changed,
}

impl Stamp {
    /// Notes a file as it is now; hashes it when it is young, or when only content is trusted.
    ///
    /// Take it before the file is read: what is written in between shows up later.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read.
    pub fn take(path: &Path, trust: Trust) -> io::Result<Stamp> {
        let mut stamp = Stamp::of(look(path, Links::Followed)?, SETTLED);
        if stamp.young || trust == Trust::Content {
            stamp.sha256 = Some(hash(path)?);
        }
        Ok(stamp)
    }

    /// Notes a file that this program wrote and does not write any more, with the hash of what it wrote.
    ///
    /// Its times tell of every later change once [`OWN_SETTLED`] has passed since it was written.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn of_own(path: &Path, sha256: [u8; 32]) -> io::Result<Stamp> {
        let facts = look(path, Links::Kept)?;
        // A file system that keeps whole seconds.
        let whole = facts.modified % 1_000_000_000 == 0 && facts.changed % 1_000_000_000 == 0;
        let stamp = Stamp::of(facts, if whole { SETTLED } else { OWN_SETTLED });
        Ok(Stamp { sha256: Some(sha256), ..stamp })
    }

    fn of(facts: Facts, settled: Duration) -> Stamp {
        let newest = facts.modified.max(facts.changed);
        // A clock that is behind the file system's makes everything young, which is safe.
        let young = newest + i128::try_from(settled.as_nanos()).unwrap_or(i128::MAX / 2)
            > since_1970(SystemTime::now());
        Stamp { facts, young, sha256: None }
    }

    /// The hash of the content, where it was taken.
    #[must_use]
    pub fn sha256(&self) -> Option<&[u8; 32]> {
        self.sha256.as_ref()
    }

    /// Whether the file of this name in a folder is what this stamp was taken of.
    #[must_use]
    pub fn check(&self, folder: &Folder, name: &OsStr, trust: Trust) -> Checked {
        match folder.look(name, Links::Followed) {
            Ok(facts) => self.compare(facts, folder, name, trust),
            Err(_) => Checked::Changed,
        }
    }

    /// The same for a file that this program wrote: a link to one is none.
    #[must_use]
    pub fn check_own(&self, folder: &Folder, name: &OsStr, trust: Trust) -> Checked {
        match folder.look(name, Links::Kept) {
            Ok(facts) if facts.is_file => self.compare(facts, folder, name, trust),
            _ => Checked::Changed,
        }
    }

    fn compare(&self, facts: Facts, folder: &Folder, name: &OsStr, trust: Trust) -> Checked {
        if facts.bytes != self.facts.bytes {
            return Checked::Changed;
        }
        let seen = |facts: &Facts| (facts.modified, facts.changed, facts.device, facts.inode);
        let untouched = seen(&facts) == seen(&self.facts);
        if untouched && !self.young && trust == Trust::Times {
            return Checked::Same;
        }
        match &self.sha256 {
            Some(known) if hash(&folder.path_of(name)).is_ok_and(|found| found == *known) => {
                let now = Stamp { sha256: self.sha256, ..Stamp::of(facts, SETTLED) };
                // A stamp that was settled stays so.
                if untouched && (now.young || !self.young) { Checked::Same } else { Checked::Touched(now) }
            }
            _ => Checked::Changed,
        }
    }
}

/// Bytes of a stamp without a hash: five numbers, and what is true of it.
const WIDTH: usize = 8 + 16 + 16 + 8 + 8 + 1;

/// Kept as so many bytes, since reports have thousands of files, and each run asks for the stamps of all.
impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Stamp { facts, young, sha256 } = self;
        let mut bytes = Vec::with_capacity(WIDTH + 32);
        bytes.extend_from_slice(&facts.bytes.to_le_bytes());
        bytes.extend_from_slice(&facts.modified.to_le_bytes());
        bytes.extend_from_slice(&facts.changed.to_le_bytes());
        bytes.extend_from_slice(&facts.device.to_le_bytes());
        bytes.extend_from_slice(&facts.inode.to_le_bytes());
        bytes.push(u8::from(*young) | u8::from(facts.is_file) << 1);
        bytes.extend(sha256.iter().flatten());
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl de::Visitor<'_> for Bytes {
            type Value = Stamp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the bytes of a stamp")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Stamp, E> {
                stamp_of(bytes).ok_or_else(|| E::invalid_length(bytes.len(), &self))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

fn stamp_of(bytes: &[u8]) -> Option<Stamp> {
    let (size, rest) = bytes.split_first_chunk()?;
    let (modified, rest) = rest.split_first_chunk()?;
    let (changed, rest) = rest.split_first_chunk()?;
    let (device, rest) = rest.split_first_chunk()?;
    let (inode, rest) = rest.split_first_chunk()?;
    let (flags, hash) = rest.split_first()?;
    let facts = Facts {
        bytes: u64::from_le_bytes(*size),
        modified: i128::from_le_bytes(*modified),
        changed: i128::from_le_bytes(*changed),
        device: u64::from_le_bytes(*device),
        inode: u64::from_le_bytes(*inode),
        is_file: flags & 2 != 0,
    };
    let sha256 = if hash.is_empty() { None } else { Some(hash.try_into().ok()?) };
    Some(Stamp { facts, young: flags & 1 != 0, sha256 })
}

/// SHA-256 of a file's content.
fn hash(path: &Path) -> io::Result<[u8; 32]> {
    struct Sink(Sha256);
    impl io::Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut sink = Sink(Sha256::new());
    io::copy(&mut File::open(path)?, &mut sink)?;
    Ok(sink.0.finalize().into())
}
