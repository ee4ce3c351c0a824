//! Whether a file is still what it was.
//!
//! In: a file, and what was noted of it earlier. Out: same or changed. Size, times and inode
//! decide as long as they can: a file that changed within two seconds before it was looked at
//! may change again without a trace in its times (their steps are up to two seconds on FAT, and a
//! tick of the kernel elsewhere), so that of such files the content decides, as git's "racy" entries do
//! (git's Documentation/technical/racy-git.txt).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: i128,
    /// Change of the inode (unix), which no program can set back.
    changed: i128,
    device: u64,
    inode: u64,
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
        let mut stamp = Stamp::of(&fs::metadata(path)?, SETTLED);
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
        let mut stamp = Stamp::of(&fs::symlink_metadata(path)?, OWN_SETTLED);
        // A file system that keeps whole seconds.
        if stamp.modified % 1_000_000_000 == 0 && stamp.changed % 1_000_000_000 == 0 {
            stamp = Stamp::of(&fs::symlink_metadata(path)?, SETTLED);
        }
        Ok(Stamp { sha256: Some(sha256), ..stamp })
    }

    fn of(meta: &Metadata, settled: Duration) -> Stamp {
        #[cfg(unix)]
        let (changed, device, inode) = {
            use std::os::unix::fs::MetadataExt;
            let changed = i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec());
            (changed, meta.dev(), meta.ino())
        };
        #[cfg(not(unix))]
        let (changed, device, inode) = (0, 0, 0);
        let modified = meta.modified().map_or(0, since_1970);
        let newest = modified.max(changed);
        // A clock that is behind the file system's makes everything young, which is safe.
        let young = newest + i128::try_from(settled.as_nanos()).unwrap_or(i128::MAX / 2)
            > since_1970(SystemTime::now());
        Stamp { bytes: meta.len(), modified, changed, device, inode, young, sha256: None }
    }

    /// The hash of the content, where it was taken.
    #[must_use]
    pub fn sha256(&self) -> Option<&[u8; 32]> {
        self.sha256.as_ref()
    }

    /// Whether the file at `path` is what this stamp was taken of.
    #[must_use]
    pub fn check(&self, path: &Path, trust: Trust) -> Checked {
        fs::metadata(path).map_or(Checked::Changed, |meta| self.compare(&meta, path, trust))
    }

    /// The same for a file that this program wrote: a link to one is none.
    #[must_use]
    pub fn check_own(&self, path: &Path, trust: Trust) -> Checked {
        match fs::symlink_metadata(path) {
            Ok(meta) if meta.is_file() => self.compare(&meta, path, trust),
            _ => Checked::Changed,
        }
    }

    fn compare(&self, meta: &Metadata, path: &Path, trust: Trust) -> Checked {
        let now = Stamp::of(meta, SETTLED);
        if now.bytes != self.bytes {
            return Checked::Changed;
        }
        let untouched = (now.modified, now.changed, now.device, now.inode)
            == (self.modified, self.changed, self.device, self.inode);
        if untouched && !self.young && trust == Trust::Times {
            return Checked::Same;
        }
        match &self.sha256 {
            Some(known) if hash(path).is_ok_and(|found| found == *known) => {
                let now = Stamp { sha256: self.sha256, ..now };
                // A stamp that was settled stays so.
                if untouched && (now.young || !self.young) { Checked::Same } else { Checked::Touched(now) }
            }
            _ => Checked::Changed,
        }
    }
}

fn since_1970(time: SystemTime) -> i128 {
    let nanos = |duration: Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => nanos(after),
        Err(error) => -nanos(error.duration()),
    }
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
