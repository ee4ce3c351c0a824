//! Bytes to standard output or into a file.

use super::{Exit, Failure};
use crate::aside::{Lasting, replace};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Writes to standard output; a reader that has seen enough is no failure.
pub(super) fn to_stdout(bytes: &[u8]) -> Result<Exit, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Failure(format!("cannot write to standard output: {error}"))),
    }
}

/// Refuses a target that is a directory or one of the inputs, before any work is done.
pub(super) fn check(target: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let shown = target.display();
    if target.is_dir() || target.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Failure(format!("{shown}: is a directory; name a file in it")));
    }
    if let Ok(existing) = target.canonicalize()
        && inputs.iter().any(|input| input.canonicalize().is_ok_and(|input| input == existing))
    {
        return Err(Failure(format!(
            "{shown}: is one of the inputs, which are never overwritten; name another file"
        )));
    }
    Ok(())
}

/// Writes a file whole or not at all, and the directories above it where they are missing.
pub(super) fn to_file(target: &Path, bytes: &[u8]) -> Result<Exit, Failure> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)
        .map_err(|error| Failure(format!("{}: cannot create the directory: {error}", folder.display())))?;
    // A link stays one; a device or a pipe takes the bytes as they come.
    let real = target.canonicalize().unwrap_or_else(|_| target.to_owned());
    let written = if real.exists() && !real.is_file() {
        fs::write(&real, bytes)
    } else {
        replace(&real, bytes, Lasting::Handed)
    };
    written
        .map(|()| Exit::Done)
        .map_err(|error| Failure(format!("{}: cannot write: {error}", target.display())))
}

/// Shows a file in the program that the desktop has for it; does not wait.
pub(super) fn open_in_browser(path: &Path) -> Result<(), Failure> {
    let path = env::current_dir().map_or_else(|_| path.to_owned(), |cwd| cwd.join(path));
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let null = std::process::Stdio::null;
    std::process::Command::new(program)
        .args(arguments)
        .arg(&path)
        .stdin(null())
        .stdout(null())
        .stderr(null())
        .spawn()
        .map(drop)
        .map_err(|error| {
            Failure(format!("cannot start `{program}` ({error}); open {} yourself", path.display()))
        })
}
