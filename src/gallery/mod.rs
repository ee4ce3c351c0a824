//! Stub.

use crate::chart::Figure;
use crate::model::Campaign;
use crate::spec::ChartSpec;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Stub.
#[derive(Debug, thiserror::Error)]
#[error("stub")]
pub struct GalleryError;

/// Stub.
#[derive(Debug)]
pub struct Written;

/// Stub.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Stub.
    pub spec: ChartSpec,
    /// Stub.
    pub figure: Figure,
    /// Stub.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Stub.
    pub thumb: Vec<u8>,
}

/// Stub.
///
/// # Errors
/// Stub.
pub fn build(
    _: &Campaign,
    _: &[Picture],
    _: BTreeMap<String, Vec<u8>>,
    _: Option<&Path>,
) -> Result<BTreeMap<String, Vec<u8>>, GalleryError> {
    Err(GalleryError)
}

/// Stub.
///
/// # Errors
/// Stub.
pub fn write(_: &BTreeMap<String, Vec<u8>>, _: &Path, _: &[PathBuf]) -> Result<Written, GalleryError> {
    Err(GalleryError)
}
