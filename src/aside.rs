//! Files that appear whole or not at all: written aside, then renamed.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Whether a file outlasts a machine that loses its power right after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    /// It is in the hands of the operating system.
    Handed,
    /// It is on the disk. For files that make others valid.
    #[cfg(feature = "tables")]
    Synced,
}

/// Puts a file in the place of `target` in one step: a reader meets the old bytes or the new ones.
///
/// # Errors
/// Those of the operating system; a file that may not be written to stays as it is.
pub(crate) fn replace(target: &Path, bytes: &[u8], lasting: Lasting) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // What `File::create` asks for, so that the umask decides; a file of the user's keeps its own.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".plotgen-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Ok(existing) = target.metadata() {
        if existing.permissions().readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        file.as_file().set_permissions(existing.permissions())?;
    }
    if lasting == Lasting::Handed {
        file.persist(target)?;
        return Ok(());
    }
    file.as_file().sync_all()?;
    file.persist(target)?;
    // The name lasts once the folder is on the disk, too; not every file system can be asked.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
