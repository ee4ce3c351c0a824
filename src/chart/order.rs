//! The order of the categories of an axis.
//!
//! In: values in their natural order and the figures behind them. Out: the same values in the order that the spec asks
//! for. Numbers on a numeric axis have an order of their own.

use super::points::x_key;
use super::scene::SeriesId;
use crate::analyze::repeat::mean;
use crate::model::{Cell, Dimension, Value};
use crate::spec::{ChartSpec, Order};
use std::collections::BTreeMap;

/// The values of the x axis in the order of the spec.
pub(super) fn ordered(
    spec: &ChartSpec,
    dimension: &Dimension,
    mut keys: Vec<Option<Value>>,
    groups: &BTreeMap<SeriesId, Vec<Cell>>,
) -> Vec<Option<Value>> {
    let figure = |key: &Option<Value>| {
        let cells = groups.values().flatten().filter(|cell| x_key(cell) == key.as_ref());
        let means: Vec<f64> = cells.map(|cell| cell.mean).collect();
        mean(&means)
    };
    match &spec.order {
        Order::Natural => {}
        // Sorting is stable: what ties keeps its natural order.
        Order::Listed(_) => keys.sort_by_key(|key| {
            key.as_ref().and_then(|value| spec.rank_of(dimension, value)).unwrap_or(usize::MAX)
        }),
        Order::Ascending => keys.sort_by(|a, b| figure(a).total_cmp(&figure(b))),
        Order::Descending => keys.sort_by(|a, b| figure(b).total_cmp(&figure(a))),
    }
    keys
}
