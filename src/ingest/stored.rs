//! Stores among the inputs: told apart from files, read, and put beside them.
//!
//! In: sources after the first look, and what was read of those that are no stores. Out: all contents as one.
//! A store that cannot be read is listed as a broken file.

use crate::discover::{STORE_MANIFEST, SourceFile, printable_bytes};
use crate::ingest::look::Looked;
use crate::ingest::pipeline::Contents;
use crate::ingest::reports::{blank_report, settle_unread};
#[cfg(feature = "tables")]
use crate::ingest::store;
use crate::model::FileState;
#[cfg(feature = "tables")]
use rayon::prelude::*;
use std::path::Path;

/// Name of stores among formats.
const FORMAT: &str = "plotgen-store";

/// A store among the inputs.
pub(super) struct FoundStore {
    source: SourceFile,
    #[cfg_attr(not(feature = "tables"), expect(dead_code, reason = "without Parquet no store is read"))]
    manifest: Vec<u8>,
    /// Hash of the manifest.
    sha256: Option<String>,
}

/// Stores apart from other sources.
pub(super) fn part_stores(
    sources: Vec<SourceFile>,
    looked: Vec<Looked>,
) -> (Vec<FoundStore>, Vec<(SourceFile, Looked)>) {
    let mut stores = Vec::new();
    let mut others = Vec::with_capacity(sources.len());
    for (source, looked) in sources.into_iter().zip(looked) {
        match looked {
            Looked::Store(manifest, sha256) => stores.push(FoundStore { source, manifest, sha256 }),
            looked => others.push((source, looked)),
        }
    }
    (stores, others)
}

/// Puts what stores hold beside what was read directly, and says where each direct source went.
#[cfg(feature = "tables")]
pub(super) fn with_stores(mut direct: Contents, stores: Vec<FoundStore>) -> (Contents, Vec<usize>) {
    if stores.is_empty() {
        let places = (0..direct.sources.len()).collect();
        return (direct, places);
    }
    let loaded: Vec<_> = stores.par_iter().map(|found| store::load(&found.source, &found.manifest)).collect();
    let mut parts = Vec::new();
    for (FoundStore { source, sha256, .. }, loaded) in stores.into_iter().zip(loaded) {
        match loaded {
            Ok(loaded) => {
                let mut report = blank_report(&source);
                report.path = store::shown_folder(&source.shown);
                report.format = Some(FORMAT.to_owned());
                report.sha256 = sha256;
                report.version = Some(loaded.version);
                report.rows = loaded.contents.files.len() as u64;
                report.reason = "a store; what it holds is listed in its place".to_owned();
                direct.stores.push(report);
                parts.push((source, loaded.contents));
            }
            Err(reason) => fail(&mut direct, source, sha256, reason),
        }
    }
    store::merge(direct, parts)
}

/// Lists all stores as broken: this build reads none.
#[cfg(not(feature = "tables"))]
pub(super) fn with_stores(mut direct: Contents, stores: Vec<FoundStore>) -> (Contents, Vec<usize>) {
    for FoundStore { source, sha256, .. } in stores {
        let reason = "a store, and this plotgen was built without Parquet (the feature `tables`)";
        fail(&mut direct, source, sha256, reason.to_owned());
    }
    let places = (0..direct.sources.len()).collect();
    (direct, places)
}

/// Lists a store that cannot be read as a broken input.
fn fail(direct: &mut Contents, mut source: SourceFile, sha256: Option<String>, reason: String) {
    let folder = source.path.parent().and_then(Path::file_name).unwrap_or_default();
    source.relative = format!("{}/{STORE_MANIFEST}", printable_bytes(folder.as_encoded_bytes()));
    while direct.sources.iter().any(|other| other.relative == source.relative) {
        source.relative.push('~');
    }
    let mut report = blank_report(&source);
    report.sha256 = sha256;
    settle_unread(&mut report, &source, FileState::Failed, Some(FORMAT), reason);
    direct.shown.insert(source.relative.clone(), source.shown.clone());
    direct.sources.push(source);
    direct.files.push(report);
    direct.archives.push(None);
}
