//! The list of the files that plotgen wrote into a folder.

use crate::gallery::GalleryError;
use crate::model::text::hexadecimal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

pub use crate::discover::MANIFEST;

/// Version of the manifest's layout.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Manifest {
    manifest: u32,
    /// SHA-256 of each file, by its path below the folder.
    files: BTreeMap<String, String>,
}

/// The manifest of files with these hashes.
pub(super) fn document(files: &BTreeMap<String, [u8; 32]>) -> Result<Vec<u8>, GalleryError> {
    let files = files.iter().map(|(path, hash)| (path.clone(), hexadecimal(hash))).collect();
    let mut bytes = serde_json::to_vec_pretty(&Manifest { manifest: VERSION, files })
        .map_err(|source| GalleryError::Json { path: MANIFEST.to_owned(), source })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Paths of the files that plotgen wrote into `folder`, the manifest among them; None when it has no manifest.
pub(super) fn listed(folder: &Path) -> Option<Vec<String>> {
    let bytes = std::fs::read(folder.join(MANIFEST)).ok()?;
    let manifest: Manifest = serde_json::from_slice(&bytes).ok()?;
    let mut paths: Vec<String> = manifest.files.into_keys().collect();
    paths.push(MANIFEST.to_owned());
    Some(paths)
}
