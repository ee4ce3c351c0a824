//! What a column of figures says, in one sentence.
//!
//! The sentence says which mean is highest and lowest; whether they differ is
//! the verdict of the analysis, which is given in its words.

use crate::analyze::{between, is_another, why_open};
use crate::chart::value_name;
use crate::gallery::view::figures::{Column, Extremes, Key};
use crate::gallery::view::parts::shown;
use crate::gallery::view::verdict;
use crate::model::unit::significant;
use crate::model::{Campaign, Dimension, Pair, Value, Verdict};

/// `Random write: highest mean 405 IOPS (RAID 0), 5.39 times the lowest, 75.1 IOPS (RAID 6); n = 3, ...`
///
/// Only the compared dimension differs between the two; where there is a second
/// one, they are taken at the value at which they lie widest apart.
pub(super) fn sentence(
    campaign: &Campaign,
    by: &[Dimension],
    workload: &str,
    column: &Column,
) -> Option<String> {
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
    let within: Vec<&Key> =
        column.cells.keys().filter(|key| place.is_none_or(|second| key.first() == Some(second))).collect();
    let judged = by.last().and_then(|by| verdict::comparison(campaign, by, column, &within));
    let value = |key: &Key| key.last().cloned().flatten();
    let pair = judged.and_then(|judged| between(judged, &value(ends.highest.key)?, &value(ends.lowest.key)?));
    // The ratio that was tested is one of geometric means; where no interval stands beside it, or it is another one, that
    // of the means shown.
    let tested = pair.as_ref().filter(|pair| matches!(pair.verdict, Verdict::Better | Verdict::Worse));
    let tested = tested.and_then(|pair| pair.ratio).filter(|tested| !is_another(ends.ratio(), *tested));
    let ratio = tested.unwrap_or(ends.ratio());
    let lowest = format!("{} ({})", column.phrase(ends.lowest.value), name(ends.lowest.key));
    let lowest = if ratio.is_finite() && ratio > 0.0 {
        format!("{} times the lowest, {lowest}", significant(ratio, 3))
    } else {
        format!("the lowest is {lowest}")
    };
    Some(format!(
        "{workload}{at}: highest mean {} ({}), {lowest}; {}.",
        column.phrase(ends.highest.value),
        name(ends.highest.key),
        support(&ends, pair.as_ref())
    ))
}

/// What the repeats say about the highest and the lowest figure.
fn support(ends: &Extremes<'_>, pair: Option<&Pair>) -> String {
    let (most, least) = (ends.highest.entry.runs.len(), ends.lowest.entry.runs.len());
    let n = match (most.min(least), most.max(least)) {
        (1, 1) => return "single runs cannot tell a difference from chance".to_owned(),
        (1, high) => return format!("n = 1 and {high}, a single run carries no verdict"),
        (low, high) if low == high => format!("n = {low}"),
        (low, high) => format!("n = {low} and {high}"),
    };
    let Some(pair) = pair else { return format!("{n}, no verdict on the two") };
    match (pair.verdict, pair.low, pair.high) {
        (Verdict::NoDifference, ..) => format!("{n}, no difference shown"),
        (Verdict::Inconclusive, ..) => format!("{n}, {}", why_open(pair.low.zip(pair.high))),
        (Verdict::Better | Verdict::Worse, Some(low), Some(high)) => {
            let interval = format!("{} to {}", significant(low, 3), significant(high, 3));
            match pair.ratio.filter(|tested| is_another(ends.ratio(), *tested)) {
                Some(tested) => format!(
                    "of geometric means, which are tested, {} times, 95 % interval {interval}, {n}",
                    significant(tested, 3)
                ),
                None => format!("95 % interval of the ratio {interval}, {n}"),
            }
        }
        (Verdict::Better | Verdict::Worse, ..) => n,
    }
}
