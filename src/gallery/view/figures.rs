//! Figures of cells as tables show them: number, interval, and whether it is marked as the best.
//!
//! Cells of repeats go in, texts come out. Nothing is judged here, and
//! percentiles are never averaged.

use crate::analyze::repeat;
use crate::gallery::view::Site;
use crate::model::unit::{DisplayUnit, UnitSystem, significant};
use crate::model::{Campaign, Cell, Ddir, Dimension, Measure, Metric, Operation, Stat, Value};
use crate::spec::Filter;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A figure in a table.
#[derive(Serialize, Default)]
pub(super) struct Figure {
    /// Number, with its unit where the head of the column has none; empty when there is none.
    pub(super) text: String,
    /// Half the width of the 95 % interval, in the same unit.
    pub(super) interval: String,
    /// True when others of its column have an interval, so that numbers stay aligned.
    pub(super) slot: bool,
    pub(super) best: bool,
    /// True when too few I/Os lie beyond the percentile.
    pub(super) unsupported: bool,
    /// Runs behind it, where they are fewer than those of its row; else empty.
    pub(super) n: String,
}

/// Head of a column with figures.
#[derive(Serialize)]
pub(super) struct FigureHead {
    pub(super) text: String,
    /// The unit of all its figures; empty when each has its own.
    pub(super) unit: &'static str,
    /// True when figures of the column have room for an interval.
    pub(super) slot: bool,
}

/// Values of the dimensions that tell the rows of a table apart.
pub(super) type Key = Vec<Option<Value>>;

/// A figure before it becomes text, in base units.
pub(super) struct Entry {
    /// Lowest and highest of what is shown; equal for a mean.
    span: (f64, f64),
    /// Half the width of the interval.
    half: Option<f64>,
    /// Indices of the runs behind it.
    pub(super) runs: Vec<usize>,
    unsupported: bool,
}

impl Entry {
    fn new(campaign: &Campaign, measure: Measure, cell: &Cell) -> Self {
        if measure.stat.quantile().is_none() {
            return Entry {
                span: (cell.mean, cell.mean),
                half: cell.interval.map(|(low, high)| (high - low) / 2.0),
                runs: cell.runs.clone(),
                unsupported: false,
            };
        }
        // The range over the runs: percentiles are never averaged.
        let supported = cell.runs.iter().zip(&cell.values).filter(|&(&run, _)| {
            let record = campaign.runs.get(run);
            record.and_then(|record| record.statistic(measure, cell.ddir)).is_some_and(|s| s.supported)
        });
        let span = supported.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, &value)| {
            (low.min(value), high.max(value))
        });
        Entry { span, half: None, runs: cell.runs.clone(), unsupported: span.0 > span.1 }
    }

    /// The value by which rows are ranked: of a range of latencies, the worse end.
    pub(super) fn rank(&self) -> Option<f64> {
        (!self.unsupported && self.span.1.is_finite()).then_some(self.span.1)
    }
}

/// A column of figures.
pub(super) struct Column {
    pub(super) measure: Measure,
    pub(super) ddir: Ddir,
    pub(super) cells: BTreeMap<Key, Entry>,
    unit: Option<DisplayUnit>,
    system: UnitSystem,
}

impl Column {
    /// The figures of an operation under `measure` among the runs that `filter` accepts, told apart by `by`.
    pub(super) fn new(
        site: &Site<'_>,
        filter: &Filter,
        measure: Measure,
        operation: Operation,
        by: &[Dimension],
    ) -> Self {
        let runs = filter.choose(&site.campaign.runs);
        let cells = repeat::operation_cells(site.campaign, &runs, measure, operation, by);
        let (measure, ddir) = operation.figure_of(measure).unwrap_or((measure, Ddir::Mixed));
        let cells: BTreeMap<Key, Entry> =
            cells.iter().map(|cell| (cell.key.clone(), Entry::new(site.campaign, measure, cell))).collect();
        let unit = unit(measure, cells.values(), site.units);
        Column { measure, ddir, cells, unit, system: site.units }
    }

    /// The head of the column; what it shows stands in its words.
    pub(super) fn head(&self) -> FigureHead {
        FigureHead {
            text: head(self.measure),
            unit: self.unit.filter(|unit| !is_prefix(unit)).map(|unit| unit.suffix).unwrap_or_default(),
            slot: self.has_intervals(),
        }
    }

    /// True when some figure carries an interval.
    pub(super) fn has_intervals(&self) -> bool {
        self.cells.values().any(|entry| entry.half.is_some())
    }

    /// True when some percentile is the range of several runs.
    pub(super) fn has_ranges(&self) -> bool {
        self.cells.values().any(|entry| entry.span.0 < entry.span.1)
    }

    /// The figure of a row of `n` runs, its unit being in the head; `best` when it leads.
    pub(super) fn figure(&self, key: &Key, n: usize, best: bool) -> Figure {
        Figure { best, n: self.fewer(key, n), ..self.written(key, self.unit) }
    }

    /// The figure of a row of `n` runs in a unit of its own.
    pub(super) fn figure_with_unit(&self, key: &Key, n: usize) -> Figure {
        Figure { n: self.fewer(key, n), ..self.written(key, None) }
    }

    /// How many runs a figure stands for, where they are fewer than the `n` of its row: one that moved nothing has no latency.
    pub(super) fn fewer(&self, key: &Key, n: usize) -> String {
        let own = self.cells.get(key).map(|entry| entry.runs.len()).filter(|own| *own < n);
        own.map(|own| own.to_string()).unwrap_or_default()
    }

    /// The figure of one row; `head` is the unit that the head of the column tells.
    fn written(&self, key: &Key, head: Option<DisplayUnit>) -> Figure {
        let slot = self.has_intervals();
        let Some(entry) = self.cells.get(key) else { return Figure { slot, ..Figure::default() } };
        if entry.unsupported {
            return Figure { unsupported: true, slot, ..Figure::default() };
        }
        let (low, high) = entry.span;
        let unit = head.unwrap_or_else(|| DisplayUnit::choose(self.measure.unit(), high, self.system));
        let last = if head.is_some() && !is_prefix(&unit) { unit.number(high) } else { unit.text(high) };
        let text = if unit.number(low) == unit.number(high) {
            last
        } else {
            format!("{} to {last}", unit.number(low))
        };
        let suffix = if is_prefix(&unit) { unit.suffix } else { "" };
        let interval =
            entry.half.map(|half| significant(half / unit.divisor, 2) + suffix).unwrap_or_default();
        Figure { text, interval, slot, unsupported: false, ..Figure::default() }
    }

    /// A value as prose writes it: `405 IOPS`, `12.4 ms`.
    pub(super) fn phrase(&self, value: f64) -> String {
        let text = self.unit_of(value).text(value);
        if self.measure.metric == Metric::Iops { format!("{text} IOPS") } else { text }
    }

    fn unit_of(&self, value: f64) -> DisplayUnit {
        self.unit.unwrap_or_else(|| DisplayUnit::choose(self.measure.unit(), value, self.system))
    }

    /// The rows with the highest and the lowest figure among those that `within` accepts.
    pub(super) fn extremes(&self, within: impl Fn(&Key) -> bool) -> Option<Extremes<'_>> {
        let ranked = || {
            let rows = self.cells.iter().filter(|(key, _)| within(key));
            rows.filter_map(|(key, entry)| Some(Ranked { key, entry, value: entry.rank()? }))
        };
        // Of equals the first.
        Some(Extremes {
            highest: ranked().reduce(|a, b| if b.value > a.value { b } else { a })?,
            lowest: ranked().reduce(|a, b| if b.value < a.value { b } else { a })?,
        })
    }
}

/// The ends of a column, or of a part of it.
pub(super) struct Extremes<'c> {
    pub(super) highest: Ranked<'c>,
    pub(super) lowest: Ranked<'c>,
}

impl Extremes<'_> {
    /// How many times the lowest the highest is; not finite when the lowest is 0.
    pub(super) fn ratio(&self) -> f64 {
        self.highest.value / self.lowest.value
    }
}

/// A row and the value that it is ranked by.
pub(super) struct Ranked<'c> {
    pub(super) key: &'c Key,
    pub(super) entry: &'c Entry,
    pub(super) value: f64,
}

/// True for `k`, `M`, `G`, which stand at their number and not in a head.
fn is_prefix(unit: &DisplayUnit) -> bool {
    matches!(unit.suffix, "k" | "M" | "G")
}

/// One unit for a column; None when its values lie too far apart for one.
fn unit<'e>(
    measure: Measure,
    entries: impl Iterator<Item = &'e Entry>,
    system: UnitSystem,
) -> Option<DisplayUnit> {
    let mut values: Vec<f64> = entries.filter_map(Entry::rank).map(f64::abs).filter(|&v| v > 0.0).collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.first()?, values.last()?);
    let typical = values.get(values.len() / 2)?;
    (high / low < 1000.0).then(|| DisplayUnit::choose(measure.unit(), *typical, system))
}

/// A measure at the head of a column: `IOPS`, `mean latency`, `p99 completion latency`.
pub(super) fn head(measure: Measure) -> String {
    match measure.stat {
        Stat::Mean if measure.metric.is_rate() => measure.metric.title().to_owned(),
        stat => format!("{stat} {}", measure.metric.title()),
    }
}

/// What a table of these runs shows: rates, then the mean and p99 of the latency that most have.
pub(super) fn measures(campaign: &Campaign, rates: Vec<Metric>, runs: &[usize]) -> Vec<Measure> {
    let latency = |stat| crate::spec::latency(campaign, runs, stat).map(|metric| Measure { metric, stat });
    let rates = rates.into_iter().map(Measure::mean);
    rates.chain(latency(Stat::Mean)).chain(latency(Stat::P99)).collect()
}

/// Every key that some column has, in order, with the runs behind it.
pub(super) fn rows<'c>(columns: impl Iterator<Item = &'c Column>) -> BTreeMap<&'c Key, BTreeSet<usize>> {
    let mut rows: BTreeMap<&Key, BTreeSet<usize>> = BTreeMap::new();
    for (key, entry) in columns.flat_map(|column| &column.cells) {
        rows.entry(key).or_default().extend(&entry.runs);
    }
    rows
}
