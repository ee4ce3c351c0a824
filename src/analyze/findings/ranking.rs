//! Findings of comparisons: who wins, who is equal, and what single runs leave open.
//!
//! In: comparisons with their verdicts. Out: a sentence for each that decides something, and one for
//! each dimension that lacks repeats.

use super::is_load;
use super::words::{figure, lead, name, place, repeats};
use crate::analyze::Threshold;
use crate::analyze::compare::{Told, between, is_another, verb, why_open};
use crate::model::text::{list, sentence};
use crate::model::unit::significant;
use crate::model::{Campaign, Cell, Comparison, Finding, Pair, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Who wins by how much, who is equal, and what is left open.
pub(super) fn ranking(campaign: &Campaign, comparison: &Comparison, threshold: &Threshold) -> Vec<Finding> {
    let field = Field::new(campaign, comparison);
    if field.order.len() < 2 {
        return Vec::new();
    }
    field.winner().into_iter().chain(field.undecided(threshold)).collect()
}

/// The cells of a comparison, ranked.
struct Field<'a> {
    comparison: &'a Comparison,
    /// Where the comparison stands, in front of a sentence.
    lead: String,
    /// Those with repeats, highest mean first.
    order: Vec<&'a Cell>,
    /// Those of a single run, which carry no verdict.
    single: Vec<&'a Cell>,
}

impl<'a> Field<'a> {
    fn new(campaign: &Campaign, comparison: &'a Comparison) -> Self {
        let known = comparison.cells.iter().filter(|c| c.key.first().is_some_and(Option::is_some));
        let (mut order, single): (Vec<&Cell>, Vec<&Cell>) = known.partition(|c| c.values.len() > 1);
        order.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        Field { comparison, lead: lead(&place(campaign, comparison)), order, single }
    }

    fn pair(&self, a: &Cell, b: &Cell) -> Option<Pair> {
        let value = |cell: &Cell| cell.key.first().cloned().flatten();
        between(self.comparison, &value(a)?, &value(b)?)
    }

    /// The pair of two cells of which the first is better.
    fn beats(&self, a: &Cell, b: &Cell) -> Option<Pair> {
        self.pair(a, b).filter(|pair| pair.verdict == Verdict::Better)
    }

    /// The verdicts on the cells with repeats; a cell of which none was made is open.
    fn pairs(&self) -> Vec<Pair> {
        let places = |at: usize| (at + 1..self.order.len()).map(move |other| (at, other));
        let all = (0..self.order.len()).flat_map(places);
        all.filter_map(|(a, b)| self.pair(self.order[a], self.order[b])).collect()
    }

    /// True when some cell is in no pair: one repeat of 0 among others has no ratio to any.
    fn has_unpaired(&self) -> bool {
        let others = |cell: &Cell| self.order.iter().any(|other| self.pair(cell, other).is_some());
        self.order.iter().any(|cell| !others(cell))
    }

    /// A finding about all cells.
    fn finding(&self, kind: &str, text: &str, values: BTreeMap<String, f64>) -> Finding {
        let runs = self.order.iter().chain(&self.single).flat_map(|c| c.runs.iter().copied()).collect();
        let text = format!("{}{text}.{}", self.lead, self.not_judged());
        Finding { kind: kind.to_owned(), text: sentence(&text), runs, values }
    }

    /// ` RAID 6 (98.1 IOPS) is a single run and not judged.`; empty where all have repeats.
    fn not_judged(&self) -> String {
        let named = |cell: &&Cell| {
            format!("{} ({})", name(self.comparison, cell), figure(self.comparison, cell.mean))
        };
        let names: Vec<String> = self.single.iter().map(named).collect();
        match names.len() {
            0 => String::new(),
            1 => format!(" {} is a single run and not judged.", names[0]),
            _ => format!(" {} are single runs and not judged.", list(&names)),
        }
    }

    /// The steps down the ranking that the repeats carry; without any, the one that beats all others.
    fn winner(&self) -> Option<Finding> {
        let step = |w: &[&'a Cell]| Some((w[0], w[1], self.beats(w[0], w[1])?));
        let steps: Vec<(&Cell, &Cell, Pair)> = self.order.windows(2).filter_map(step).collect();
        if steps.is_empty() { self.leader() } else { Some(self.steps(&steps)) }
    }

    fn steps(&self, steps: &[(&Cell, &Cell, Pair)]) -> Finding {
        let comparison = self.comparison;
        let parts: Vec<String> = steps.iter().map(|(a, b, pair)| step(comparison, (a, b), pair)).collect();
        let ratio = |(.., pair): &(&Cell, &Cell, Pair)| {
            Some((format!("ratio {} to {}", pair.a, pair.b), pair.ratio?))
        };
        let values = steps.iter().filter_map(ratio).collect();
        // A single run may lie below the last one.
        let last = self.order.last().filter(|_| self.single.is_empty());
        let last = last.filter(|last| steps.iter().any(|(_, b, pair)| *b == **last && pair.ratio.is_some()));
        let closing = last.map(|last| {
            format!("; {} comes last with {}", name(comparison, last), figure(comparison, last.mean))
        });
        self.finding("winner", &(parts.join("; ") + &closing.unwrap_or_default()), values)
    }

    /// The one that beats every other, though no single step is beyond doubt.
    fn leader(&self) -> Option<Finding> {
        let (best, others) = self.order.split_first()?;
        if others.iter().any(|other| self.beats(best, other).is_none()) {
            return None;
        }
        let text = format!(
            "{} {} most{}, {} ({})",
            name(self.comparison, best),
            verb(self.comparison.ddir),
            if self.single.is_empty() { "" } else { " of those with repeats" },
            figure(self.comparison, best.mean),
            repeats(&self.order)
        );
        Some(self.finding("winner", &text, BTreeMap::new()))
    }

    /// That no pair differs, or that none is decided.
    fn undecided(&self, threshold: &Threshold) -> Option<Finding> {
        let (high, low) = (self.order.first()?.mean, self.order.last()?.mean);
        let pairs = self.pairs();
        if pairs.iter().any(|pair| matches!(pair.verdict, Verdict::Better | Verdict::Worse)) {
            return None;
        }
        let cells = self.comparison.cells.iter().filter(|cell| self.order.contains(cell));
        let names = list(&cells.map(|cell| name(self.comparison, cell)).collect::<Vec<_>>());
        let (span, n) = (span(self.comparison, low, high), repeats(&self.order));
        let range = BTreeMap::from([("highest".to_owned(), high), ("lowest".to_owned(), low)]);
        if !self.has_unpaired() && pairs.iter().all(|pair| pair.verdict == Verdict::NoDifference) {
            let text = format!("no difference shown between {names} ({span}, {n})");
            return Some(self.finding("no-difference", &text, range));
        }
        let widest = if self.has_unpaired() { None } else { widest(&pairs) };
        let text = format!(
            "{names} {} ({span}): {} at {n} and a threshold of {} %",
            apart(high / low),
            why_open(widest),
            significant(threshold.of(self.comparison.metric) * 100.0, 2)
        );
        Some(self.finding("inconclusive", &text, range))
    }
}

/// The interval that reaches over those of all pairs; None where one has none.
fn widest(pairs: &[Pair]) -> Option<(f64, f64)> {
    let intervals: Option<Vec<(f64, f64)>> = pairs.iter().map(|pair| Some((pair.low?, pair.high?))).collect();
    let wider = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
    intervals?.into_iter().reduce(wider)
}

/// A step down the ranking: `RAID 10 writes 210 IOPS, 2.16 times RAID 5 (95 % interval 2.13 to 2.18, n = 3)`.
fn step(comparison: &Comparison, (above, below): (&Cell, &Cell), pair: &Pair) -> String {
    let [first, second] = [above, below].map(|cell| name(comparison, cell));
    let does = format!("{first} {} {}", verb(comparison.ddir), figure(comparison, above.mean));
    let n = repeats(&[above, below]);
    let Some(ratio) = pair.ratio else {
        return format!("{does}, {second} moved nothing in any repeat ({n})");
    };
    let of = if is_another(above.mean / below.mean, ratio) { "of geometric means, " } else { "" };
    let interval = pair.low.zip(pair.high).map(|(low, high)| {
        format!(" ({of}95 % interval {} to {}, {n})", significant(low, 3), significant(high, 3))
    });
    format!("{does}, {} times {second}{}", significant(ratio, 3), interval.unwrap_or_default())
}

/// How far two means are apart: they `have means within 4.6 % of each other`, or `within a factor of 2.05`.
fn apart(ratio: f64) -> String {
    if !ratio.is_finite() {
        "are not told apart".to_owned()
    } else if ratio < 1.5 {
        format!("have means within {} % of each other", significant((ratio - 1.0) * 100.0, 2))
    } else {
        format!("have means within a factor of {} of each other", significant(ratio, 3))
    }
}

/// Lowest and highest mean: `400 IOPS to 420 IOPS`; one where both are the same.
fn span(comparison: &Comparison, low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|mean| figure(comparison, mean));
    if low == high { low } else { format!("{low} to {high}") }
}

/// Comparisons of single runs carry no verdict: said once for each dimension, with the range.
pub(super) fn undecided(campaign: &Campaign, told: &Told<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for contrast in &campaign.contrasts {
        let own: BTreeSet<usize> = contrast.runs.iter().copied().collect();
        let told: Vec<&Comparison> = campaign
            .comparisons
            .iter()
            .filter(|c| c.by == contrast.by && told.has(c) && !is_load(campaign, c))
            .filter(|c| c.cells.iter().all(|cell| cell.runs.iter().all(|r| own.contains(r))))
            .collect();
        let repeated = |c: &Comparison| c.cells.iter().filter(|cell| cell.values.len() > 1).count();
        if told.is_empty() || told.iter().any(|c| repeated(c) > 1) {
            continue;
        }
        let mut ranges: Vec<String> = Vec::new();
        for comparison in told.iter().take(4) {
            let means: Vec<f64> = comparison.cells.iter().map(|c| c.mean).collect();
            let (low, high) = (
                means.iter().copied().fold(f64::INFINITY, f64::min),
                means.iter().copied().fold(0.0, f64::max),
            );
            let place = place(campaign, comparison);
            ranges.push(format!(
                "{}{} to {}",
                if place.is_empty() { place } else { format!("{place} ") },
                figure(comparison, low),
                figure(comparison, high)
            ));
        }
        let more = if told.len() > 4 { format!(" and {} more", told.len() - 4) } else { String::new() };
        let text = format!(
            "No verdict on {}: single runs cannot tell a difference from chance ({}{more}). Three repeats or more of each would.",
            contrast.by.title(),
            ranges.join("; ")
        );
        found.push(Finding {
            kind: "too-few-repeats".into(),
            text,
            runs: contrast.runs.clone(),
            values: BTreeMap::new(),
        });
    }
    found
}
