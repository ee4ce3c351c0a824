//! One report at a time in a folder: a lock beside it, held while the report is built.

use crate::gallery::write::guard::Place;
use crate::gallery::{GalleryError, Refusal};
use same_file::Handle;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The right to build beside a folder and to exchange it. The system takes it back from a process that dies.
#[derive(Debug)]
pub(super) struct Lock {
    /// Holds the lock until it is closed.
    _file: File,
    path: PathBuf,
}

/// Times that a file is opened anew because who had the lock removed it; on a file system that gives one file another
/// number at each look this would not end.
const ATTEMPTS: usize = 100;

impl Lock {
    /// Takes the lock of `place`; None where the file system has no locks, or nothing can be created: what follows
    /// says why.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when another process builds a report there.
    pub(super) fn take(out: &Path, place: &Place) -> Result<Option<Lock>, GalleryError> {
        let path = place.lock.clone();
        for _ in 0..ATTEMPTS {
            let Ok(file) = OpenOptions::new().write(true).create(true).truncate(false).open(&path) else {
                return Ok(None);
            };
            match file.try_lock() {
                // Who had it may have removed the file since it was opened.
                Ok(()) if is_named(&file, &path) => return Ok(Some(Lock { _file: file, path })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(GalleryError::Refused { out: out.to_path_buf(), reason: Refusal::Busy });
                }
                Err(TryLockError::Error(_)) => {
                    let _ = fs::remove_file(&path);
                    break;
                }
            }
        }
        Ok(None)
    }
}

impl Drop for Lock {
    /// Removed before it is given back, so that nobody takes the lock of a file that goes.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// True when `path` still names this file.
fn is_named(file: &File, path: &Path) -> bool {
    let open = file.try_clone().and_then(Handle::from_file);
    open.is_ok_and(|open| Handle::from_path(path).is_ok_and(|named| named == open))
}
