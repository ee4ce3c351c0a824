//! `plotgen ingest`: the inputs as a store.

use super::super::args::IngestArgs;
use super::super::{Exit, Failure};
use super::{Apart, Selection, Session, exit, nothing_readable};
use crate::ingest::write_store;
use crate::model::FileState;

/// `plotgen ingest`.
pub(in crate::cli) fn ingest(args: &IngestArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &Selection::default())?;
    if session.settings.redact {
        return Err(Failure::new(
            "a store keeps names, which join logs with outputs; give --redact to the command that reads it",
        ));
    }
    let folder = args.output.as_path();
    if folder.is_file() {
        return Err(Failure(format!("{}: is a file; name a directory", folder.display())));
    }
    if let Some(root) = &args.root {
        if !root.is_dir() {
            return Err(Failure(format!("--root {}: no such directory", root.display())));
        }
        session.settings.discover.within = Some(root.clone());
    }
    let found = session.find(&args.inputs.inputs, None, Some(folder))?;
    let Apart { mut contents, .. } = session.apart(found);
    let Session { settings, talk, threads, .. } = &session;
    if !contents.holds_anything() {
        let ingested = threads.install(|| contents.join(&settings.ingest));
        talk.diagnostics(&ingested.diagnostics, &ingested.shown);
        return Err(nothing_readable(&ingested.files));
    }
    let bytes = threads
        .install(|| write_store(&mut contents, &settings.ingest, folder))
        .map_err(|error| Failure(format!("{}: {error}", folder.display())))?;
    // What is said of files alone; the side that joins them says the rest.
    let ingested = threads.install(|| contents.join(&settings.ingest));
    talk.diagnostics(&ingested.diagnostics, &ingested.shown);
    let held =
        ingested.files.iter().filter(|file| matches!(file.status, FileState::Read | FileState::Companion));
    let (held, runs) = (held.count(), ingested.runs.len());
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    talk.done(&format!(
        "{} of {}, {:.1} MB: {}",
        plural(runs, "run"),
        plural(held, "file"),
        bytes as f64 / 1e6,
        folder.display()
    ));
    Ok(exit(&ingested.files, &ingested.diagnostics))
}
