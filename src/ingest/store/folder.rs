//! The folder of a store: Parquet files under names made from their content, and the manifest that makes
//! them a store.
//!
//! In: the bytes of tables. Out: a folder, and from it the bytes again, each checked against its hash.
//! A file appears whole or not at all (written aside, then renamed), and the manifest last of all: so a
//! writer that is killed leaves the store as it was, and of two writers the last one has written all of it.
//! Nothing here knows what the tables hold.

use crate::aside::{Lasting, replace};
use crate::discover::STORE_MANIFEST;
use crate::model::text::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// How often a folder is written anew when another writer takes its files away.
const ATTEMPTS: usize = 3;

/// What makes a folder a store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Version of the schema.
    #[serde(rename = "plotgen-store")]
    pub(super) schema: u64,
    /// Version of plotgen that wrote it.
    pub(super) version: String,
    /// Directory below which the paths of files lie, absolute.
    pub(super) root: String,
    /// What was said of files on the command line.
    #[serde(default)]
    pub(super) said: Vec<Said>,
    /// The tables, by name.
    pub(super) tables: BTreeMap<String, TableFile>,
}

/// What was said on the command line of a file that was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Said {
    /// `--set` and plotgen.toml: glob pattern of paths (none for all), dimension, value.
    #[serde(default)]
    pub(super) set: Vec<(Option<String>, String, String)>,
    /// `--pattern`.
    pub(super) pattern: Option<String>,
    /// `--appended`.
    pub(super) appended: Option<String>,
    /// `--lat-unit`.
    pub(super) lat_unit: Option<String>,
}

/// A table's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TableFile {
    /// Its name beside the manifest.
    pub(super) file: String,
    /// Its length, bytes.
    pub(super) bytes: u64,
    /// Rows in it.
    pub(super) rows: u64,
    /// SHA-256 of its bytes, hexadecimal.
    pub(super) sha256: String,
}

/// The only field that any version has: read first, so that a newer schema is named and not taken for damage.
#[derive(Deserialize)]
struct Version {
    #[serde(rename = "plotgen-store")]
    schema: u64,
}

/// A table, ready to be written.
pub(super) struct TableBytes {
    pub(super) name: &'static str,
    pub(super) rows: u64,
    pub(super) bytes: Vec<u8>,
}

/// Writes the tables and then the manifest, whose `tables` are filled in; bytes written.
pub(super) fn write(folder: &Path, mut manifest: Manifest, tables: &[TableBytes]) -> io::Result<u64> {
    fs::create_dir_all(folder)?;
    refuse_others(folder)?;
    let before = named(folder);
    for TableBytes { name, rows, bytes } in tables {
        let sha256 = hash(bytes);
        let file = format!("{name}-{}.parquet", &sha256[..16]);
        let (bytes, rows) = (bytes.len() as u64, *rows);
        manifest.tables.insert((*name).to_owned(), TableFile { file, bytes, rows, sha256 });
    }
    let mut text = serde_json::to_vec_pretty(&manifest)?;
    text.push(b'\n');
    for _ in 0..ATTEMPTS {
        for TableBytes { name, bytes, .. } in tables {
            replace(&folder.join(&manifest.tables[*name].file), bytes, Lasting::Synced)?;
        }
        replace(&folder.join(STORE_MANIFEST), &text, Lasting::Synced)?;
        // A writer that replaced the same store takes away what it does not need.
        let now = named(folder);
        if now.iter().all(|file| folder.join(file).is_file()) {
            for old in before.difference(&now) {
                let _ = fs::remove_file(folder.join(old));
            }
            break;
        }
    }
    Ok(tables.iter().map(|table| table.bytes.len() as u64).sum::<u64>() + text.len() as u64)
}

/// The files that the manifest in a folder names; none without one.
fn named(folder: &Path) -> BTreeSet<String> {
    let manifest = fs::read(folder.join(STORE_MANIFEST)).ok();
    let manifest = manifest.and_then(|text| serde_json::from_slice::<Manifest>(&text).ok());
    let files = manifest.into_iter().flat_map(|manifest| manifest.tables.into_values());
    // A name with a folder in it is not ours to follow.
    files.map(|table| table.file).filter(|file| is_plain(file)).collect()
}

/// Fails for a folder with something in it that no store has: most likely not meant to become one.
fn refuse_others(folder: &Path) -> io::Result<()> {
    if folder.join(STORE_MANIFEST).is_file() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        // What a writer leaves that was killed before it wrote the manifest.
        if !name.starts_with('.') && !is_plain(&name) {
            let message = format!("holds `{name}` and no store; name an empty or a new directory");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
    }
    Ok(())
}

/// True for a name that stays in its folder.
fn is_plain(name: &str) -> bool {
    name.ends_with(".parquet") && !name.contains(['/', '\\']) && !name.starts_with('.')
}

/// The manifest of a store.
///
/// # Errors
/// What is wrong with it: damaged, or of a newer schema.
pub(super) fn manifest(text: &[u8], newest: u64) -> Result<Manifest, String> {
    let damaged = |error: serde_json::Error| {
        format!(
            "expected the manifest of a store, found {error}; write the store again with `plotgen ingest`"
        )
    };
    let Version { schema } = serde_json::from_slice(text).map_err(damaged)?;
    if schema > newest {
        return Err(format!(
            "a store of schema {schema}, and this plotgen reads up to {newest}; use the plotgen that wrote it, or a newer one"
        ));
    }
    serde_json::from_slice(text).map_err(damaged)
}

/// The bytes of one table, as they were written.
///
/// # Errors
/// When the file is missing, or not what the manifest says.
pub(super) fn table(folder: &Path, manifest: &Manifest, name: &str) -> Result<Vec<u8>, String> {
    let again = "write the store again with `plotgen ingest`";
    let table = manifest.tables.get(name).ok_or_else(|| format!("no table `{name}`; {again}"))?;
    if !is_plain(&table.file) {
        return Err(format!("expected a plain file name for the table `{name}`, found `{}`", table.file));
    }
    let bytes = fs::read(folder.join(&table.file))
        .map_err(|error| format!("cannot read {}: {error}; {again}", table.file))?;
    if hash(&bytes) != table.sha256 {
        return Err(format!("{} is damaged: its hash is not what the manifest says; {again}", table.file));
    }
    Ok(bytes)
}

fn hash(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
