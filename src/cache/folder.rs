//! Looks at the files of a folder, one after the other.
//!
//! In: a folder, then names in it. Out: what the system knows of each file. The folder is opened once: to find a file by
//! its whole path takes the system half as long again. Where a folder cannot be opened, paths are looked up.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A folder whose files are looked at.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    open: Option<Open>,
}

/// A folder that is open.
#[cfg(target_os = "linux")]
type Open = std::os::fd::OwnedFd;
#[cfg(not(target_os = "linux"))]
type Open = std::convert::Infallible;

/// What becomes of a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// What it leads to is looked at.
    Followed,
    /// It is looked at itself.
    Kept,
}

/// What the system knows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) bytes: u64,
    /// Nanoseconds since 1970.
    pub(super) modified: i128,
    /// Change of the inode (unix), which no program can set back.
    pub(super) changed: i128,
    pub(super) device: u64,
    pub(super) inode: u64,
    /// False for folders, links and devices.
    pub(super) is_file: bool,
}

impl Folder {
    /// The folder at `path`, of which so many files are to be looked at. It need not exist: then there is nothing in it.
    #[must_use]
    pub fn of(path: &Path, files: usize) -> Folder {
        /// Files for which it pays to open a folder.
        const MANY: usize = 4;
        let pays = files >= MANY;
        Folder { path: path.to_owned(), open: pays.then(|| open(path)).flatten() }
    }

    /// The path of a file in it.
    pub(super) fn path_of(&self, name: &OsStr) -> PathBuf {
        self.path.join(name)
    }

    /// Looks at the file of a name.
    pub(super) fn look(&self, name: &OsStr, links: Links) -> io::Result<Facts> {
        if let Some(folder) = &self.open {
            return look_in(folder, name, links);
        }
        look(&self.path_of(name), links)
    }
}

/// Opens a folder for looks at what is in it.
#[cfg(target_os = "linux")]
fn open(path: &Path) -> Option<Open> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).ok()
}

/// Elsewhere paths will do.
#[cfg(not(target_os = "linux"))]
fn open(_: &Path) -> Option<Open> {
    None
}

/// Looks at the file of a name in a folder.
#[cfg(target_os = "linux")]
fn look_in(folder: &Open, name: &OsStr, links: Links) -> io::Result<Facts> {
    use rustix::fs::{AtFlags, FileType, statat};
    let flags = if links == Links::Kept { AtFlags::SYMLINK_NOFOLLOW } else { AtFlags::empty() };
    let stat = statat(folder, name, flags)?;
    let time = |seconds, nanoseconds| seconds * 1_000_000_000 + nanoseconds;
    Ok(Facts {
        bytes: u64::try_from(stat.st_size).unwrap_or(0),
        modified: time(i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec)),
        changed: time(i128::from(stat.st_ctime), i128::from(stat.st_ctime_nsec)),
        device: stat.st_dev,
        inode: stat.st_ino,
        is_file: FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile,
    })
}

#[cfg(not(target_os = "linux"))]
fn look_in(folder: &Open, _: &OsStr, _: Links) -> io::Result<Facts> {
    match *folder {}
}

/// Looks at the file of a path.
pub(super) fn look(path: &Path, links: Links) -> io::Result<Facts> {
    let meta = if links == Links::Kept { fs::symlink_metadata(path) } else { fs::metadata(path) }?;
    #[cfg(unix)]
    let (changed, device, inode) = {
        use std::os::unix::fs::MetadataExt;
        let changed = i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec());
        (changed, meta.dev(), meta.ino())
    };
    #[cfg(not(unix))]
    let (changed, device, inode) = (0, 0, 0);
    let modified = meta.modified().map_or(0, since_1970);
    Ok(Facts { bytes: meta.len(), modified, changed, device, inode, is_file: meta.is_file() })
}

/// Nanoseconds since 1970.
pub(super) fn since_1970(time: SystemTime) -> i128 {
    let nanos = |duration: std::time::Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => nanos(after),
        Err(error) => -nanos(error.duration()),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_by_its_name_in_its_folder_and_by_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "three").unwrap();
        let folder = Folder::of(dir.path(), 100);
        let facts = folder.look(OsStr::new("a"), Links::Followed).unwrap();
        assert_eq!(facts, look(&path, Links::Followed).unwrap());
        assert_eq!(facts, Folder::of(dir.path(), 1).look(OsStr::new("a"), Links::Followed).unwrap());
        assert_eq!((facts.bytes, facts.is_file), (5, true));
        assert!(folder.look(OsStr::new("b"), Links::Followed).is_err());
        assert!(Folder::of(&dir.path().join("none"), 100).look(OsStr::new("a"), Links::Kept).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&path, dir.path().join("link")).unwrap();
            let link = OsStr::new("link");
            assert_eq!(folder.look(link, Links::Followed).unwrap(), facts);
            assert!(!folder.look(link, Links::Kept).unwrap().is_file);
        }
        // Before 1970, and long before.
        let file = fs::File::options().append(true).open(&path).unwrap();
        for before in [1, 3_000_000_000] {
            file.set_modified(UNIX_EPOCH - std::time::Duration::new(before, 500)).unwrap();
            let facts = folder.look(OsStr::new("a"), Links::Followed).unwrap();
            assert_eq!(facts.modified, look(&path, Links::Followed).unwrap().modified);
        }
    }
}
