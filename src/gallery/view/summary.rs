//! The table of all configurations: repeats as one row, the best of each column marked.

use crate::analyze::repeat;
use crate::gallery::view::Site;
use crate::gallery::view::parts::{Link, label, shown, value_text};
use crate::model::unit::{DisplayUnit, UnitSystem, significant};
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
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<Row>,
    /// True when some figure carries an interval.
    pub(super) intervals: bool,
    /// True when some percentile is the range of several runs.
    pub(super) ranges: bool,
    /// True when some figure is marked as the best.
    pub(super) best: bool,
    /// True when some percentile was withheld.
    pub(super) unsupported: bool,
    /// The direction of all rows, where no column tells it.
    pub(super) ddir: &'static str,
}

/// Head of a column with figures.
#[derive(Serialize)]
pub(super) struct Head {
    pub(super) text: String,
    /// True when figures of the column have room for an interval.
    pub(super) slot: bool,
}

/// One configuration in one direction.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) keys: Vec<String>,
    /// True for the first row of its workload and direction.
    pub(super) group: bool,
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
    /// True when others of its column have an interval, so that numbers stay aligned.
    pub(super) slot: bool,
    pub(super) best: bool,
    /// True when too few I/Os lie beyond the percentile.
    pub(super) unsupported: bool,
}

/// What identifies a row: the workload and direction within which figures compare, and the value
/// of each other dimension but `repeat`.
type Key = (Option<Value>, Ddir, Vec<Option<Value>>);

/// A column of figures.
struct Column {
    measure: Measure,
    cells: BTreeMap<Key, Entry>,
}

impl Column {
    fn has_intervals(&self) -> bool {
        self.cells.values().any(|entry| entry.half.is_some())
    }
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
    // The workload leads: what compares stands together.
    let others = campaign.dimensions.iter().filter(|d| !matches!(d, Dimension::Repeat | Dimension::Rw));
    let by: Vec<Dimension> = std::iter::once(&Dimension::Rw).chain(others).cloned().collect();
    let mut runs: BTreeMap<Key, BTreeSet<usize>> = BTreeMap::new();
    let mut columns: Vec<Column> = measures(campaign)
        .into_iter()
        .map(|measure| Column { measure, cells: entries(campaign, measure, &by, &mut runs) })
        .collect();
    columns.retain(|column| !column.cells.is_empty());
    if columns.is_empty() {
        return None;
    }

    let bests: Vec<BTreeSet<&Key>> = columns.iter().map(bests).collect();
    let units: Vec<Option<DisplayUnit>> = columns.iter().map(unit).collect();
    let naming = Naming::new(runs.keys(), &by);

    let mut last: Option<(&Option<Value>, Ddir)> = None;
    let rows: Vec<Row> = runs
        .iter()
        .map(|(key, members)| {
            let members: Vec<usize> = members.iter().copied().collect();
            let figures = columns.iter().zip(&bests).zip(&units);
            let group = last.replace((&key.0, key.1)) != Some((&key.0, key.1));
            Row {
                keys: naming.row(site, key, &members),
                group,
                n: members.len(),
                figures: figures.map(|((c, best), unit)| figure(c, key, *unit, best.contains(key))).collect(),
                runs: run_links(site, &members),
                error: site.runs_at(&members).any(|run| run.record.run.has_error()),
            }
        })
        .collect();
    let any = |test: fn(&Figure) -> bool| rows.iter().flat_map(|row| &row.figures).any(test);
    Some(SummaryTable {
        keys: naming.heads(),
        heads: columns.iter().map(|c| Head { text: head(c.measure), slot: c.has_intervals() }).collect(),
        intervals: any(|f| !f.interval.is_empty()),
        ranges: columns.iter().any(|c| c.cells.values().any(|e| e.span.0 < e.span.1)),
        best: any(|f| f.best),
        unsupported: any(|f| f.unsupported),
        ddir: naming.only_ddir,
        rows,
    })
}

/// Which columns name a row.
struct Naming<'a> {
    by: &'a [Dimension],
    workload: bool,
    ddir: bool,
    /// The direction of all rows, where no column tells it.
    only_ddir: &'static str,
    /// Places in `by` of the other dimensions that tell rows apart.
    others: Vec<usize>,
}

impl<'a> Naming<'a> {
    fn new<'k>(keys: impl Iterator<Item = &'k Key> + Clone, by: &'a [Dimension]) -> Self {
        let workloads: BTreeSet<_> = keys.clone().map(|key| &key.0).collect();
        let pairs: BTreeSet<_> = keys.clone().map(|key| (&key.0, key.1)).collect();
        let ddirs: BTreeSet<Ddir> = keys.clone().map(|key| key.1).collect();
        // A dimension that only some rows have tells them apart as well as two values do.
        let differs =
            |i: &usize| keys.clone().filter_map(|key| key.2.get(*i - 1)).collect::<BTreeSet<_>>().len() > 1;
        let only_ddir = match (ddirs.len(), ddirs.first()) {
            (1, Some(ddir)) => ddir.as_str(),
            _ => "",
        };
        Naming {
            by,
            workload: workloads.len() > 1,
            // Each workload with its one direction needs no column for that.
            ddir: ddirs.len() > 1 && pairs.len() > workloads.len(),
            only_ddir,
            others: (1..by.len()).filter(differs).collect(),
        }
    }

    fn heads(&self) -> Vec<String> {
        let mut heads = Vec::new();
        if self.workload {
            heads.push(Dimension::Rw.title().to_owned());
        }
        if self.ddir {
            heads.push("direction".to_owned());
        }
        heads.extend(self.others.iter().map(|&i| shown(self.by[i].title())));
        if heads.is_empty() { vec!["run".to_owned()] } else { heads }
    }

    /// The texts that name a row: what differs, or else its run.
    fn row(&self, site: &Site<'_>, key: &Key, members: &[usize]) -> Vec<String> {
        let text = |dimension: &Dimension, value: Option<&Value>| {
            value.map(|value| value_text(dimension, value)).unwrap_or_default()
        };
        let mut texts = Vec::new();
        if self.workload {
            texts.push(text(&Dimension::Rw, key.0.as_ref()));
        }
        if self.ddir {
            texts.push(key.1.as_str().to_owned());
        }
        texts.extend(
            self.others.iter().map(|&i| text(&self.by[i], key.2.get(i - 1).and_then(Option::as_ref))),
        );
        if texts.is_empty() {
            texts.extend(site.runs_at(members).next().map(|page| label(&page.record.run)));
        }
        texts
    }
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
            let mut values = cell.key.iter().cloned();
            let key = (values.next().flatten(), ddir, values.collect());
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
fn bests(column: &Column) -> BTreeSet<&Key> {
    /// Rows that compare, each with its rank.
    type Group<'c> = Vec<(&'c Key, f64)>;
    let mut groups: BTreeMap<(Ddir, Option<&Value>), Group<'_>> = BTreeMap::new();
    for (key, entry) in &column.cells {
        if let Some(rank) = entry.rank() {
            groups.entry((key.1, key.0.as_ref())).or_default().push((key, rank));
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
    let slot = column.has_intervals();
    let Some(entry) = column.cells.get(key) else { return Figure { slot, ..Figure::default() } };
    if entry.unsupported {
        return Figure { unsupported: true, slot, ..Figure::default() };
    }
    let (low, high) = entry.span;
    let unit =
        unit.unwrap_or_else(|| DisplayUnit::choose(column.measure.unit(), high, UnitSystem::default()));
    let text = if unit.number(low) == unit.number(high) {
        unit.text(high)
    } else {
        format!("{} to {}", unit.number(low), unit.text(high))
    };
    let interval = entry.half.map(|half| significant(half / unit.divisor, 2)).unwrap_or_default();
    Figure { text, interval, slot, best, unsupported: false }
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
