//! What the analysis decided about the rows of a table.
//!
//! A column of figures goes in; the comparison that was made of the same runs,
//! and the rows that lead it, come out. No verdict is made here.

use crate::analyze::between;
use crate::gallery::view::figures::{Column, Key};
use crate::model::{Campaign, Comparison, Dimension, Stat, Value, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// The comparison whose cells are these rows of a column; None where the analysis made none of them.
pub(super) fn comparison<'c>(
    campaign: &'c Campaign,
    by: &Dimension,
    column: &Column,
    rows: &[&Key],
) -> Option<&'c Comparison> {
    let is_row = |comparison: &Comparison, key: &Key| {
        let entry = column.cells.get(key);
        let mut cells = comparison.cells.iter().filter(|cell| cell.key.first() == key.last());
        cells.any(|cell| entry.is_some_and(|entry| entry.runs == cell.runs))
    };
    campaign.comparisons.iter().filter(|_| column.measure.stat == Stat::Mean).find(|comparison| {
        comparison.metric == column.measure.metric
            && comparison.ddir == column.ddir
            && comparison.by == *by
            && comparison.cells.len() == rows.len()
            && rows.iter().all(|key| is_row(comparison, key))
    })
}

/// The rows that are better than every other row of their comparison.
///
/// Rows that differ in the second dimension, which leads their keys, are not compared.
pub(super) fn best<'k>(campaign: &Campaign, by: &Dimension, column: &'k Column) -> BTreeSet<&'k Key> {
    let mut parts: BTreeMap<&[Option<Value>], Vec<&Key>> = BTreeMap::new();
    for key in column.cells.keys() {
        let leading = key.split_last().map_or(&[][..], |(_, leading)| leading);
        parts.entry(leading).or_default().push(key);
    }
    let leads = |rows: &Vec<&'k Key>| {
        let judged = comparison(campaign, by, column, rows)?;
        let beats = |a: &Key, b: &Key| {
            let (Some(Some(a)), Some(Some(b))) = (a.last(), b.last()) else { return false };
            between(judged, a, b).is_some_and(|pair| pair.verdict == Verdict::Better)
        };
        rows.iter().copied().find(|key| {
            let mut others = rows.iter().filter(|other| *other != key).peekable();
            others.peek().is_some() && others.all(|other| beats(key, other))
        })
    };
    parts.values().filter_map(leads).collect()
}
