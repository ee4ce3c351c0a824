//! The table of all configurations: repeats as one row, the best of each column marked.

use crate::analyze::repeat;
use crate::gallery::view::Site;
use crate::gallery::view::parts::{Link, label, shown, value_text};
use crate::model::unit::{DisplayUnit, UnitSystem};
use crate::model::{Campaign, Cell, Ddir, Dimension, Measure, Metric, Stat, Value};
use crate::spec::Filter;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The table.
#[derive(Serialize)]
pub(super) struct SummaryTable {
    /// Heads of the columns that name a row.
    pub(super) keys: Vec<String>,
    /// Heads of the columns with figures.
    pub(super) heads: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// True when some figure carries an interval.
    pub(super) intervals: bool,
    /// True when some percentile is the range of several runs.
    pub(super) ranges: bool,
    /// True when some figure is marked as the best.
    pub(super) best: bool,
    /// True when some percentile was withheld.
    pub(super) unsupported: bool,
}

/// One configuration in one direction.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) keys: Vec<String>,
    pub(super) ddir: &'static str,
    pub(super) n: usize,
    pub(super) figures: Vec<Figure>,
    pub(super) runs: Vec<Link>,
    /// True when one of its runs reported errors.
    pub(super) error: bool,
}

/// A figure of a row.
#[derive(Serialize, Default)]
pub(super) struct Figure {
    /// Number and unit; empty when there is none.
    pub(super) text: String,
    /// Half the width of the 95 % interval, in the same unit.
    pub(super) interval: String,
    pub(super) best: bool,
    /// True when too few I/Os lie beyond the percentile.
    pub(super) unsupported: bool,
}

/// What identifies a row: value of each dimension but `repeat`, and the direction.
type Key = (Vec<Option<Value>>, Ddir);

/// A column of figures.
struct Column {
    measure: Measure,
    cells: BTreeMap<Key, Entry>,
}

/// A figure before it becomes text, in base units.
struct Entry {
    /// Lowest and highest of what is shown; equal for a mean.
    span: (f64, f64),
    /// Half the width of the interval.
    half: Option<f64>,
    unsupported: bool,
}

impl Entry {
    /// The value by which rows are ranked: of a range of latencies, the worse end.
    fn rank(&self) -> Option<f64> {
        (!self.unsupported && self.span.1.is_finite()).then_some(self.span.1)
    }
}

/// The table of a campaign; None when no run has a figure.
pub(super) fn summary(site: &Site<'_>) -> Option<SummaryTable> {
    let campaign = site.campaign;
    let by: Vec<Dimension> =
        campaign.dimensions.iter().filter(|d| **d != Dimension::Repeat).cloned().collect();
    let mut runs: BTreeMap<Key, BTreeSet<usize>> = BTreeMap::new();
    let mut columns: Vec<Column> = measures(campaign)
        .into_iter()
        .map(|measure| Column { measure, cells: entries(campaign, measure, &by, &mut runs) })
        .collect();
    columns.retain(|column| !column.cells.is_empty());
    if columns.is_empty() {
        return None;
    }

    let workload = by.iter().position(|d| *d == Dimension::Rw);
    let bests: Vec<BTreeSet<&Key>> = columns.iter().map(|column| bests(column, workload)).collect();
    // A dimension that only some rows have tells them apart as well as two values do.
    let differs = |i: &usize| runs.keys().map(|key| &key.0[*i]).collect::<BTreeSet<_>>().len() > 1;
    let varying: Vec<usize> = (0..by.len()).filter(differs).collect();
    let units: Vec<Option<DisplayUnit>> = columns.iter().map(unit).collect();

    let rows: Vec<Row> = runs
        .iter()
        .map(|(key, members)| {
            let members: Vec<usize> = members.iter().copied().collect();
            let figures = columns.iter().zip(&bests).zip(&units);
            Row {
                keys: row_keys(site, key, &members, &by, &varying),
                ddir: key.1.as_str(),
                n: members.len(),
                figures: figures.map(|((c, best), unit)| figure(c, key, *unit, best.contains(key))).collect(),
                runs: run_links(site, &members),
                error: site.runs_at(&members).any(|run| run.record.run.has_error()),
            }
        })
        .collect();
    let any = |test: fn(&Figure) -> bool| rows.iter().flat_map(|row| &row.figures).any(test);
    Some(SummaryTable {
        keys: if varying.is_empty() {
            vec!["run".to_owned()]
        } else {
            varying.iter().map(|&i| shown(by[i].title())).collect()
        },
        heads: columns.iter().map(|column| head(column.measure)).collect(),
        intervals: any(|f| !f.interval.is_empty()),
        ranges: columns.iter().any(|c| c.cells.values().any(|e| e.span.0 < e.span.1)),
        best: any(|f| f.best),
        unsupported: any(|f| f.unsupported),
        rows,
    })
}

/// IOPS, bandwidth, and the mean and p99 of the latency that most runs have.
fn measures(campaign: &Campaign) -> [Measure; 4] {
    let latency = |stat| {
        let having = |metric: &Metric| {
            let measured = |r: &&crate::model::RunRecord| {
                r.statistics.iter().any(|s| s.metric == *metric && s.stat == stat)
            };
            campaign.runs.iter().filter(measured).count()
        };
        // Of equals the last wins: the total latency.
        let metric = [Metric::Clat, Metric::Lat].into_iter().max_by_key(having).unwrap_or(Metric::Lat);
        Measure { metric, stat }
    };
    [Measure::mean(Metric::Iops), Measure::mean(Metric::Bw), latency(Stat::Mean), latency(Stat::P99)]
}

fn head(measure: Measure) -> String {
    match measure.stat {
        Stat::Mean if measure.metric.is_rate() => measure.metric.title().to_owned(),
        stat => format!("{stat} {}", measure.metric.title()),
    }
}

/// The figures of one column; every run with one is noted in `runs`.
fn entries(
    campaign: &Campaign,
    measure: Measure,
    by: &[Dimension],
    runs: &mut BTreeMap<Key, BTreeSet<usize>>,
) -> BTreeMap<Key, Entry> {
    let mut entries = BTreeMap::new();
    for &ddir in Ddir::ALL {
        for cell in repeat::cells(campaign, &Filter::default(), measure, ddir, by) {
            let key = (cell.key.clone(), ddir);
            runs.entry(key.clone()).or_default().extend(&cell.runs);
            let entry = if measure.stat.quantile().is_some() {
                percentile(campaign, measure, &cell)
            } else {
                Entry {
                    span: (cell.mean, cell.mean),
                    half: cell.interval.map(|(low, high)| (high - low) / 2.0),
                    unsupported: false,
                }
            };
            entries.insert(key, entry);
        }
    }
    entries
}

/// The range of a percentile over the runs of a cell: percentiles are never averaged.
fn percentile(campaign: &Campaign, measure: Measure, cell: &Cell) -> Entry {
    let supported = cell.runs.iter().zip(&cell.values).filter(|&(&run, _)| {
        campaign
            .runs
            .get(run)
            .and_then(|record| record.statistic(measure, cell.ddir))
            .is_some_and(|statistic| statistic.supported)
    });
    let span = supported.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, &value)| {
        (low.min(value), high.max(value))
    });
    Entry { span, half: None, unsupported: span.0 > span.1 }
}

/// The rows that lead a column among those of the same direction and workload.
fn bests(column: &Column, workload: Option<usize>) -> BTreeSet<&Key> {
    let mut groups: BTreeMap<(Ddir, Option<&Value>), Vec<(&Key, f64)>> = BTreeMap::new();
    for (key, entry) in &column.cells {
        if let Some(rank) = entry.rank() {
            let rw = workload.and_then(|at| key.0.get(at)).and_then(Option::as_ref);
            groups.entry((key.1, rw)).or_default().push((key, rank));
        }
    }
    let mut bests = BTreeSet::new();
    for rows in groups.values() {
        let values = rows.iter().map(|&(_, value)| value);
        let (low, high) =
            (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        // Where all are equal there is no best.
        if low < high {
            let best = if column.measure.metric.is_rate() { high } else { low };
            bests.extend(rows.iter().filter(|&&(_, value)| value == best).map(|&(key, _)| key));
        }
    }
    bests
}

/// One unit for a column; None when its values lie too far apart for one.
fn unit(column: &Column) -> Option<DisplayUnit> {
    let mut values: Vec<f64> =
        column.cells.values().filter_map(Entry::rank).map(f64::abs).filter(|&v| v > 0.0).collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.first()?, values.last()?);
    let typical = values.get(values.len() / 2)?;
    (high / low < 1000.0).then(|| DisplayUnit::choose(column.measure.unit(), *typical, UnitSystem::default()))
}

fn figure(column: &Column, key: &Key, unit: Option<DisplayUnit>, best: bool) -> Figure {
    let Some(entry) = column.cells.get(key) else { return Figure::default() };
    if entry.unsupported {
        return Figure { unsupported: true, ..Figure::default() };
    }
    let (low, high) = entry.span;
    let unit =
        unit.unwrap_or_else(|| DisplayUnit::choose(column.measure.unit(), high, UnitSystem::default()));
    let text = if unit.number(low) == unit.number(high) {
        unit.text(high)
    } else {
        format!("{} to {}", unit.number(low), unit.text(high))
    };
    let interval = entry.half.map(|half| unit.number(half)).unwrap_or_default();
    Figure { text, interval, best, unsupported: false }
}

/// The texts that name a row: its varying dimensions, or its run.
fn row_keys(
    site: &Site<'_>,
    key: &Key,
    members: &[usize],
    by: &[Dimension],
    varying: &[usize],
) -> Vec<String> {
    if varying.is_empty() {
        return vec![site.runs_at(members).next().map(|page| label(&page.record.run)).unwrap_or_default()];
    }
    let text = |&i: &usize| match &key.0[i] {
        Some(value) => value_text(&by[i], value),
        None => String::new(),
    };
    varying.iter().map(text).collect()
}

/// Links to the runs of a row, by the number of their repeat or in their order.
fn run_links(site: &Site<'_>, members: &[usize]) -> Vec<Link> {
    site.runs_at(members)
        .enumerate()
        .map(|(place, page)| {
            let repeat = page.record.run.value(&Dimension::Repeat);
            Link::run_as(page, repeat.map_or_else(|| (place + 1).to_string(), |value| shown(value.as_str())))
        })
        .collect()
}
