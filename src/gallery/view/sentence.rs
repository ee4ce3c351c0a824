//! What a column of figures says, in one sentence.
//!
//! No winner is named: the sentence says which mean is highest and lowest, and
//! whether their intervals lie apart.

use crate::chart::value_name;
use crate::gallery::view::figures::{Column, Extremes, Key};
use crate::gallery::view::parts::shown;
use crate::model::unit::significant;
use crate::model::{Dimension, Value};

/// `Random write: highest mean 405 IOPS (RAID 0), 5.39 times the lowest, 75.1 IOPS (RAID 6); n = 3, ...`
///
/// Only the compared dimension differs between the two; where there is a second
/// one, they are taken at the value at which they lie widest apart.
pub(super) fn sentence(by: &[Dimension], workload: &str, column: &Column) -> Option<String> {
    let mut places: Vec<Option<&Option<Value>>> = vec![None];
    if by.len() > 1 {
        places = column.cells.keys().map(|key| key.first()).collect();
        places.dedup();
    }
    let found = places.iter().filter_map(|&place| {
        let ends = column.extremes(|key| place.is_none_or(|second| key.first() == Some(second)))?;
        (ends.highest.key != ends.lowest.key).then_some((place, ends))
    });
    // Of equals the first.
    let (place, ends) = found.reduce(|a, b| if b.1.ratio() > a.1.ratio() { b } else { a })?;
    let name = |key: &Key| {
        let value = key.last().and_then(Option::as_ref);
        by.last().map(|dimension| shown(&value_name(dimension, value))).unwrap_or_default()
    };
    let at = match (by.first(), place) {
        (Some(second), Some(value)) if places.len() > 1 => {
            format!(", widest apart with {}", shown(&value_name(second, value.as_ref())))
        }
        _ => String::new(),
    };
    let ratio = ends.ratio();
    let times = if ratio.is_finite() && ratio > 0.0 {
        format!("{} times the lowest", significant(ratio, 3))
    } else {
        "the lowest".to_owned()
    };
    Some(format!(
        "{workload}{at}: highest mean {} ({}), {times}, {} ({}); {}.",
        column.phrase(ends.highest.value),
        name(ends.highest.key),
        column.phrase(ends.lowest.value),
        name(ends.lowest.key),
        support(&ends)
    ))
}

/// How far the highest and the lowest figure can be trusted to differ.
fn support(ends: &Extremes<'_>) -> String {
    let (highest, lowest) = (ends.highest.entry, ends.lowest.entry);
    let (most, least) = (highest.runs.len(), lowest.runs.len());
    let n = match (most.min(least), most.max(least)) {
        (1, 1) => "single runs".to_owned(),
        (low, high) if low == high => format!("n = {low}"),
        (low, high) => format!("n = {low} and {high}"),
    };
    match (highest.bounds(), lowest.bounds()) {
        (Some((low, _)), Some((_, high))) if low > high => format!("{n}, 95 % intervals apart"),
        (Some(_), Some(_)) => format!("{n}, 95 % intervals overlap"),
        _ => format!("{n}, no interval"),
    }
}
