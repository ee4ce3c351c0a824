//! stub
use crate::model::{Dimension, DimensionEntry, Value};
use std::collections::BTreeMap;
#[derive(Debug, Clone, Default)]
pub struct Labels {
    pub dimensions: BTreeMap<Dimension, DimensionEntry>,
    pub leftover: String,
}
pub fn from_file_stem(_: &str) -> Labels {
    Labels::default()
}
pub fn from_directory(_: &str) -> Labels {
    Labels::default()
}
#[derive(Debug, Clone)]
pub struct Pattern;
impl Pattern {
    pub fn captures(&self, _: &str) -> BTreeMap<Dimension, Value> {
        BTreeMap::new()
    }
}
pub fn path_dimensions(l: &[Vec<String>]) -> Vec<BTreeMap<Dimension, Value>> {
    vec![BTreeMap::new(); l.len()]
}
