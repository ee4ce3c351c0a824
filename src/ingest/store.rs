//! Stores: what files hold, as Parquet, to be read on another machine.
//!
//! In: [`Contents`], each file read on its own. Out: a folder of tables (docs/store.md), and from any
//! number of them, on any machine, the contents again, as if the files themselves were there. Whatever
//! needs more than one file (logs beside outputs, labels from paths, ids) is left to the side that reads
//! all stores: that is why a store holds files and not finished runs.

mod folder;
mod merge;
mod rows;
mod tables;
#[cfg(test)]
mod tests;

pub(super) use merge::{merge, shown_folder};

use crate::columnar::ColumnarError;
use crate::discover::{Glob, SourceFile};
use crate::ingest::labels::Pattern;
use crate::ingest::pipeline::Contents;
use crate::ingest::{Appended, IngestOptions, LatUnit};
use crate::model::{Dimension, Value};
use folder::{Manifest, Said, TableBytes};
use rows::Rows;
use std::io;
use std::path::Path;
use std::sync::Arc;
use tables::{Row, SCHEMA, from_parquet, to_parquet};

/// Why a store cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused.
    #[error("cannot write the store: {0}")]
    Io(#[from] io::Error),
    /// The tables cannot be encoded.
    #[error("cannot write the store: {0}")]
    Encode(String),
}

impl From<ColumnarError> for StoreError {
    fn from(error: ColumnarError) -> Self {
        StoreError::Encode(error.to_string())
    }
}

/// Does `$what` for each table, with its field of [`Rows`].
macro_rules! each_table {
    ($what:ident) => {{
        $what!(files);
        $what!(remarks);
        $what!(logs);
        $what!(segments);
        $what!(runs);
        $what!(jobs);
        $what!(totals);
        $what!(properties);
        $what!(statistics);
        $what!(percentiles);
        $what!(series);
        $what!(samples);
        $what!(cells);
        $what!(histograms);
    }};
}

/// Writes what was read into `folder` as a store, in place of the one that is there; bytes written.
///
/// What `options` say of the files (dimensions, pattern, appended logs, latency unit) is kept with them.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_store(
    contents: &mut Contents,
    options: &IngestOptions,
    folder: &Path,
) -> Result<u64, StoreError> {
    remember(&mut contents.said, contents.sources.len(), options);
    let (rows, said) = rows::rows(contents);
    let mut tables = Vec::new();
    macro_rules! encode {
        ($table:ident) => {{
            let rows = rows.$table;
            tables.push(encoded(rows)?);
        }};
    }
    each_table!(encode);
    let manifest = Manifest {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        root: contents.root.clone(),
        said: said.iter().map(|options| said_of(options)).collect(),
        tables: Default::default(),
    };
    Ok(folder::write(folder, manifest, &tables)?)
}

/// Adds what is said of all files now to what was said of some before.
fn remember(said: &mut Vec<Option<Arc<IngestOptions>>>, count: usize, options: &IngestOptions) {
    said.resize(count, None);
    let now = IngestOptions { layout: None, strict: false, threads: None, ..options.clone() };
    if said_of(&now) == Said::default() {
        return;
    }
    // Files that shared what was said of them still do.
    let mut known: Vec<(Option<Arc<IngestOptions>>, Arc<IngestOptions>)> = Vec::new();
    for slot in said {
        let same = |before: &Option<Arc<IngestOptions>>| match (before, &*slot) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let found = known.iter().find(|(before, _)| same(before)).map(|(_, after)| after.clone());
        let after = found.unwrap_or_else(|| {
            let mut after = now.clone();
            if let Some(before) = slot.as_deref() {
                after.set.extend(before.set.iter().cloned());
                after.set_matching.extend(before.set_matching.iter().cloned());
                after.pattern = after.pattern.or_else(|| before.pattern.clone());
                after.lat_unit = after.lat_unit.or(before.lat_unit);
                if after.appended == Appended::Auto {
                    after.appended = before.appended;
                }
            }
            let after = Arc::new(after);
            known.push((slot.clone(), after.clone()));
            after
        });
        *slot = Some(after);
    }
}

fn encoded<R: Row>(rows: Vec<R>) -> Result<TableBytes, StoreError> {
    Ok(TableBytes { name: R::NAME, rows: rows.len() as u64, bytes: to_parquet(rows)? })
}

/// A store, read.
pub(super) struct Loaded {
    /// Version of plotgen that wrote it.
    pub(super) version: String,
    /// What it holds.
    pub(super) contents: Contents,
}

/// The contents of the store whose manifest is `source`; their paths are below the store's own root.
///
/// # Errors
/// What is wrong with the store, and what to do.
pub(super) fn load(source: &SourceFile, manifest: &[u8]) -> Result<Loaded, String> {
    let manifest = folder::manifest(manifest, SCHEMA)?;
    let folder = source.path.parent().unwrap_or(Path::new("."));
    let mut rows = Rows::default();
    macro_rules! decode {
        ($table:ident) => {{
            rows.$table = decoded(folder, &manifest)?;
        }};
    }
    each_table!(decode);
    let said = manifest.said.iter().map(|said| options_of(said).map(Arc::new));
    let said = said.collect::<Result<Vec<_>, _>>()?;
    let mut contents = rows::contents(rows, &said)
        .map_err(|contradiction| format!("{contradiction}; write the store again with `plotgen ingest`"))?;
    contents.root = manifest.root;
    Ok(Loaded { version: manifest.version, contents })
}

fn decoded<R: Row>(folder: &Path, manifest: &Manifest) -> Result<Vec<R>, String> {
    let bytes = folder::table(folder, manifest, R::NAME)?;
    from_parquet(bytes).map_err(|error| format!("the table `{}`: {error}", R::NAME))
}

fn said_of(options: &IngestOptions) -> Said {
    let all = options.set.iter().map(|(dimension, value)| (None, dimension, value));
    let some = options.set_matching.iter();
    let some = some.map(|(glob, dimension, value)| (Some(glob.as_str().to_owned()), dimension, value));
    Said {
        set: all
            .chain(some)
            .map(|(glob, dimension, value)| (glob, dimension.to_string(), value.to_string()))
            .collect(),
        pattern: options.pattern.as_ref().map(|pattern| pattern.as_str().to_owned()),
        appended: match options.appended {
            Appended::Auto => None,
            Appended::Concurrent => Some("concurrent".to_owned()),
            Appended::Sequential => Some("sequential".to_owned()),
        },
        lat_unit: options.lat_unit.map(|unit| unit.as_str().to_owned()),
    }
}

fn options_of(said: &Said) -> Result<IngestOptions, String> {
    let mut options = IngestOptions::default();
    for (glob, dimension, value) in &said.set {
        let dimension = Dimension::named(dimension);
        let value = Value::canonical(&dimension, value);
        match glob {
            None => options.set.push((dimension, value)),
            Some(glob) => {
                let glob = Glob::new(glob).map_err(|error| error.to_string())?;
                options.set_matching.push((glob, dimension, value));
            }
        }
    }
    if let Some(pattern) = &said.pattern {
        options.pattern = Some(Pattern::new(pattern).map_err(|error| error.to_string())?);
    }
    options.appended = match said.appended.as_deref() {
        None => Appended::Auto,
        Some("concurrent") => Appended::Concurrent,
        Some("sequential") => Appended::Sequential,
        Some(other) => return Err(format!("the manifest says `{other}` of appended logs")),
    };
    options.lat_unit = match said.lat_unit.as_deref() {
        None => None,
        Some("ns") => Some(LatUnit::Nanoseconds),
        Some("us") => Some(LatUnit::Microseconds),
        Some("ms") => Some(LatUnit::Milliseconds),
        Some(other) => return Err(format!("the manifest names the latency unit `{other}`")),
    };
    Ok(options)
}
