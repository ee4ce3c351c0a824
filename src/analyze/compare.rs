//! Verdicts on the comparisons of a campaign.

use crate::analyze::Threshold;
use crate::analyze::inference::{holm, idle, ratio, verdict};
use crate::model::{Comparison, Ddir, Dimension, Metric, Pair, Value, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Most cells of a comparison of which all pairs are tested; of more, each is tested against the first.
const ALL_PAIRS: usize = 8;

/// Fills in the pairs of all comparisons.
///
/// The family of Holm's correction is all pairs of one metric that carry a
/// test. Bandwidth, IOPS and latency of a closed loop with one block size are
/// one fact; each metric's pairs are judged within that metric alone, and what
/// is said in words is said of one of them.
pub(super) fn judge(comparisons: &mut [Comparison], threshold: &Threshold) {
    let mut families: BTreeMap<Metric, Vec<(usize, usize, f64)>> = BTreeMap::new();
    let mut tests = Vec::new();
    for (index, comparison) in comparisons.iter_mut().enumerate() {
        let limit = threshold.of(comparison.metric);
        for (a, b) in pairs(comparison.cells.len()) {
            let (first, second) = (&comparison.cells[a], &comparison.cells[b]);
            let (Some(Some(x)), Some(Some(y))) = (first.key.first(), second.key.first()) else { continue };
            let (x, y): (Value, Value) = (x.clone(), y.clone());
            let Some(test) = ratio(&first.values, &second.values, limit) else {
                let verdict =
                    if comparison.metric.is_rate() { idle(&first.values, &second.values) } else { None };
                comparison.pairs.extend(verdict.map(|verdict| without_ratio(x, y, verdict)));
                continue;
            };
            let place = comparison.pairs.len();
            if let Some(p) = test.p {
                families.entry(comparison.metric).or_default().push((index, place, p));
            }
            comparison.pairs.push(Pair {
                a: x,
                b: y,
                ratio: Some(test.ratio),
                low: test.interval.map(|i| i.0),
                high: test.interval.map(|i| i.1),
                p_adjusted: None,
                verdict: verdict(&test, None, limit, true),
            });
            tests.push(((index, place), test));
        }
    }
    for family in families.values() {
        let p: Vec<f64> = family.iter().map(|(.., p)| *p).collect();
        for ((index, place, _), adjusted) in family.iter().zip(holm(&p)) {
            comparisons[*index].pairs[*place].p_adjusted = Some(adjusted);
        }
    }
    for ((index, place), test) in tests {
        let comparison = &mut comparisons[index];
        let limit = threshold.of(comparison.metric);
        let higher_is_better = !comparison.metric.is_latency();
        let pair = &mut comparison.pairs[place];
        pair.verdict = verdict(&test, pair.p_adjusted, limit, higher_is_better);
    }
}

/// A pair of which a side moved nothing.
fn without_ratio(a: Value, b: Value, verdict: Verdict) -> Pair {
    Pair { a, b, ratio: None, low: None, high: None, p_adjusted: None, verdict }
}

fn pairs(cells: usize) -> Vec<(usize, usize)> {
    if cells <= ALL_PAIRS {
        (0..cells).flat_map(|a| (a + 1..cells).map(move |b| (a, b))).collect()
    } else {
        (1..cells).map(|b| (0, b)).collect()
    }
}

/// The comparison's pair of two values, as seen from `a`.
pub(crate) fn between(comparison: &Comparison, a: &Value, b: &Value) -> Option<Pair> {
    comparison.pairs.iter().find_map(|pair| {
        if pair.a == *a && pair.b == *b {
            return Some(pair.clone());
        }
        (pair.a == *b && pair.b == *a).then(|| Pair {
            a: a.clone(),
            b: b.clone(),
            ratio: pair.ratio.map(f64::recip),
            low: pair.high.map(|high| 1.0 / high),
            high: pair.low.map(|low| 1.0 / low),
            p_adjusted: pair.p_adjusted,
            verdict: match pair.verdict {
                Verdict::Better => Verdict::Worse,
                Verdict::Worse => Verdict::Better,
                same => same,
            },
        })
    })
}

/// Ratio from which nobody would call two figures close.
const FAR: f64 = 1.1;

/// Why figures whose ratio has this interval carry no verdict.
///
/// They are close where the repeats leave nothing but close ratios. That the means are near each other says nothing:
/// 12, 3, 25 and 10, 1, 30 have means of 13.3 and 13.7, and may differ by a factor of 50.
pub(crate) fn why_open(interval: Option<(f64, f64)>) -> &'static str {
    match interval {
        Some((low, high)) if low.recip().max(high) < FAR => "too close to call",
        _ => "the repeats scatter too much to tell",
    }
}

/// What a ratio of two means in three digits can be off: half a percent for each (100.5 is written 101), on the log scale.
const ROUNDED: f64 = 0.01;

/// True when the ratio of the means that are shown is another one than that of the geometric means, which the test is
/// of: one far figure among repeats moves the arithmetic mean more.
pub(crate) fn is_another(shown: f64, tested: f64) -> bool {
    let apart = (shown.ln() - tested.ln()).abs();
    apart.is_finite() && apart > ROUNDED
}

/// The comparisons whose figures are told in words: one rate for each direction.
pub(super) struct Told<'a>(BTreeSet<Place<'a>>);

/// What is compared, at which values of all else, in which direction.
type Place<'a> = (&'a Dimension, &'a BTreeMap<Dimension, Value>, Ddir);

impl<'a> Told<'a> {
    /// Looks through all comparisons of a campaign.
    pub(super) fn among(all: &'a [Comparison]) -> Self {
        Told(all.iter().filter(|comparison| comparison.metric == Metric::Iops).map(place).collect())
    }

    /// True when this one is told.
    pub(super) fn has(&self, comparison: &Comparison) -> bool {
        // Larger blocks move more with fewer I/Os: by block size the data moved is what compares.
        let by_size = comparison.by == Dimension::Bs;
        match comparison.metric {
            Metric::Iops => !large_blocks(comparison) && !by_size,
            Metric::Bw => by_size || large_blocks(comparison) || !self.0.contains(&place(comparison)),
            _ => false,
        }
    }
}

fn place(comparison: &Comparison) -> Place<'_> {
    (&comparison.by, &comparison.held, comparison.ddir)
}

fn large_blocks(comparison: &Comparison) -> bool {
    let bs = comparison.held.get(&Dimension::Bs).and_then(Value::number);
    bs.is_some_and(|bytes| bytes >= 65_536.0)
}

/// A direction as a verb: `reads`, `writes`.
pub(super) fn verb(ddir: Ddir) -> &'static str {
    match ddir {
        Ddir::Read => "reads",
        Ddir::Write => "writes",
        Ddir::Trim => "trims",
        Ddir::Mixed => "does",
    }
}
