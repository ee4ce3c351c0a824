//! A comparison as a section: what is held, a sentence, a compact table, its charts.
//!
//! A contrast of the campaign goes in. Its charts are those that show no other
//! runs; a chart that fits several contrasts goes to the one that it names.

use crate::chart::{capitalised, value_name};
use crate::gallery::view::figures::{Column, Figure, FigureHead, Key, measures, rows};
use crate::gallery::view::parts::{Card, Link, compared, counted, joined, shown, value_text};
use crate::gallery::view::sentence::sentence;
use crate::gallery::view::verdict;
use crate::gallery::view::{PicturePage, Site};
use crate::model::unit::significant;
use crate::model::{Contrast, Dimension, Operation, Stat, Value};
use crate::spec::Filter;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Rows up to which a table stands open.
const OPEN_ROWS: usize = 24;

/// Comparisons whose sentences lead the page.
const LEADING: usize = 6;

/// Values of the second dimension that a heading names.
const NAMED: usize = 4;

/// One section of the first page.
#[derive(Serialize)]
pub(super) struct ComparisonView {
    /// Anchor.
    pub(super) id: String,
    pub(super) heading: String,
    /// What all its runs share, in a line; empty when that is nothing.
    held: String,
    /// What the figures say, one sentence for each workload.
    pub(super) sentences: Vec<String>,
    /// True when the top of the page tells the sentences.
    pub(super) told: bool,
    table: ComparisonTable,
    /// True when the table is too long to stand open.
    folded: bool,
    /// `32 rows`.
    rows: String,
    pub(super) cards: Vec<Card>,
}

/// Values of the compared dimension down, workloads and measures across.
#[derive(Serialize)]
struct ComparisonTable {
    /// The compared dimension.
    key: String,
    groups: Vec<GroupHead>,
    rows: Vec<ComparisonRow>,
    /// Number of all columns.
    columns: usize,
    /// The workloads, where there are several side by side.
    beside: String,
    /// True when no figure stands for several runs.
    singles: bool,
    /// True when some figure carries an interval.
    intervals: bool,
    /// True when some percentile is the range of several runs.
    ranges: bool,
    /// Among which rows a marked figure is the best; empty when none is marked.
    best: String,
    /// The difference that a mark needs, `5 %`; empty where each judged column has its mark.
    needed: String,
    /// True when some percentile was withheld.
    unsupported: bool,
    /// True when some figure stands for fewer runs than its row.
    lacking: bool,
}

/// The columns of one workload and direction, or of its syncs.
#[derive(Serialize)]
struct GroupHead {
    text: String,
    heads: Vec<FigureHead>,
    /// Number of its columns, n included.
    columns: usize,
}

#[derive(Serialize)]
struct ComparisonRow {
    key: String,
    /// The value of the second dimension, over the first row that has it; else empty.
    lead: String,
    /// Figures of each group of columns.
    cells: Vec<RowGroup>,
    /// True when one of its runs reported errors.
    error: bool,
}

#[derive(Serialize)]
struct RowGroup {
    figures: Vec<Figure>,
    /// Runs behind the figures; empty when there are none.
    n: String,
}

/// One workload and direction, or its syncs.
struct Group {
    text: String,
    columns: Vec<Column>,
}

impl Group {
    /// Runs of a row: those of the figure that has most. None where no column has the row.
    fn n(&self, key: &Key) -> Option<usize> {
        self.columns.iter().filter_map(|column| column.cells.get(key)).map(|entry| entry.runs.len()).max()
    }

    /// True when a figure of the column stands for fewer runs than its row.
    fn lacks_runs(&self, column: &Column) -> bool {
        column.cells.keys().any(|key| self.n(key).is_some_and(|n| !column.fewer(key, n).is_empty()))
    }
}

/// The rows that lead each column; none in one that lacks runs, since those left out may be what tells.
fn bests<'g>(site: &Site<'_>, by: &[Dimension], group: &'g Group) -> Vec<BTreeSet<&'g Key>> {
    let best = |column: &'g Column| match by.last() {
        Some(by) if !group.lacks_runs(column) => verdict::best(site.campaign, by, column),
        _ => BTreeSet::new(),
    };
    group.columns.iter().map(best).collect()
}

/// The sections of a campaign, in the order of its contrasts.
pub(super) fn comparisons(site: &Site<'_>) -> Vec<ComparisonView> {
    let members: Vec<BTreeSet<usize>> =
        site.campaign.contrasts.iter().map(|contrast| contrast.runs.iter().copied().collect()).collect();
    let homes: Vec<Option<usize>> = site.pictures.iter().map(|page| home(site, &members, page)).collect();
    let headings = headings(site);
    let mut ids = BTreeMap::new();
    site.campaign
        .contrasts
        .iter()
        .zip(headings)
        .enumerate()
        .map(|(place, (contrast, heading))| {
            let groups = groups(site, contrast);
            let by = by(contrast);
            let held = held(site, contrast);
            let table = table(site, &by, &groups);
            let context = format!("{heading} {held}").to_lowercase();
            let cards = site.pictures.iter().zip(&homes).filter(|(_, home)| **home == Some(place));
            ComparisonView {
                id: anchor(contrast, &mut ids),
                sentences: groups
                    .iter()
                    .filter_map(|group| sentence(site.campaign, &by, &group.text, group.columns.first()?))
                    .collect(),
                told: site.campaign.findings.is_empty() && place < LEADING,
                folded: table.rows.len() > OPEN_ROWS,
                rows: counted(table.rows.len(), "row"),
                cards: cards.map(|(page, _)| Card::within(page, &context)).collect(),
                heading,
                held,
                table,
            }
        })
        .collect()
}

/// The contrast that a chart belongs to: it holds all of the chart's runs, and fits best.
fn home(site: &Site<'_>, members: &[BTreeSet<usize>], page: &PicturePage) -> Option<usize> {
    if page.picture.figure.runs.is_empty() || page.is_of_one_run() || page.is_change() {
        return None;
    }
    let dimensions = compared(page);
    let fit = |contrast: &Contrast| {
        let named = |dimension: &Dimension| dimensions.contains_key(dimension.as_str());
        let second = contrast.second.as_ref();
        // What the chart shows comes before how many runs the contrast holds beside.
        (!named(&contrast.by), second.is_some_and(|second| !named(second)), contrast.runs.len())
    };
    site.campaign
        .contrasts
        .iter()
        .zip(members)
        .enumerate()
        .filter(|(_, (_, members))| page.picture.figure.runs.iter().all(|run| members.contains(run)))
        .min_by_key(|(_, (contrast, _))| fit(contrast))
        .map(|(place, _)| place)
}

/// `by-chunk-and-raid`, numbered where there are several.
fn anchor(contrast: &Contrast, seen: &mut BTreeMap<String, usize>) -> String {
    let words = [Some(&contrast.by), contrast.second.as_ref()].into_iter().flatten();
    let name = words.map(Dimension::as_str).collect::<Vec<_>>().join("-and-");
    let name = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let id = format!("by-{}", name.collect::<String>());
    let count = seen.entry(id.clone()).or_insert(0);
    *count += 1;
    if *count > 1 { format!("{id}-{count}") } else { id }
}

/// What each section is called; equal names are told apart by what is held.
fn headings(site: &Site<'_>) -> Vec<String> {
    let contrasts = &site.campaign.contrasts;
    let plain: Vec<String> = contrasts.iter().map(|contrast| heading(site, contrast)).collect();
    let apart = |place: usize| {
        let others = || (0..plain.len()).filter(|&i| i != place && plain[i] == plain[place]);
        let own = &contrasts[place];
        others().next()?;
        let mut held: Vec<(&Dimension, &Value)> = own
            .held
            .iter()
            .filter(|&(dimension, value)| others().any(|i| contrasts[i].held.get(dimension) != Some(value)))
            .collect();
        // Folders are what people know their runs by, and one word is enough where it tells this from all.
        let alone = |&(dimension, value): &(&Dimension, &Value)| {
            others().all(|i| contrasts[i].held.get(dimension) != Some(value))
        };
        held.sort_by_key(|(dimension, _)| !matches!(dimension, Dimension::Other(_)));
        let told = held.iter().find(|pair| alone(pair)).map_or(held.clone(), |&pair| vec![pair]);
        let words = told.into_iter().map(|(d, v)| shown(&value_name(d, Some(v)))).collect::<Vec<_>>();
        (!words.is_empty()).then(|| words.join(", "))
    };
    (0..plain.len())
        .map(|place| match apart(place) {
            Some(words) => format!("{} ({words})", plain[place]),
            None => plain[place].clone(),
        })
        .collect()
}

/// `RAID level`; `Chunk size, RAID 5 and RAID 10`; for parts of paths their values.
fn heading(site: &Site<'_>, contrast: &Contrast) -> String {
    let values = |dimension: &Dimension| {
        let runs = site.runs_at(&contrast.runs).map(|page| &page.record.run);
        let values: BTreeSet<&Value> = runs.filter_map(|run| run.value(dimension)).collect();
        let names = values.iter().map(|value| shown(&value_name(dimension, Some(value)))).collect();
        (values.len() <= NAMED).then(|| joined(names))
    };
    let is_path = matches!(&contrast.by, Dimension::Other(name) if name.starts_with("path"));
    let title = match values(&contrast.by).filter(|_| is_path) {
        Some(names) => names,
        None => capitalised(&shown(contrast.by.title())),
    };
    match &contrast.second {
        None => title,
        Some(second) => match values(second) {
            Some(names) => format!("{title}, {names}"),
            None => format!("{title} by {}", shown(second.title())),
        },
    }
}

/// `64 KiB chunk, iodepth 4, folder level-sweep`.
fn held(site: &Site<'_>, contrast: &Contrast) -> String {
    let runs = || site.runs_at(&contrast.runs).map(|page| &page.record.run);
    let words = contrast.held.iter().map(|(dimension, value)| {
        let name = shown(&value_name(dimension, Some(value)));
        let is_folder = |id: &str| {
            id.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(|f| f == value.as_str()))
        };
        match dimension {
            Dimension::Bs => format!("{name} blocks"),
            Dimension::Other(_) if runs().all(|run| is_folder(&run.id)) => {
                format!("folder {}", shown(value.as_str()))
            }
            _ => name,
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The dimensions that tell rows apart: the second leads, so that what compares stands together.
fn by(contrast: &Contrast) -> Vec<Dimension> {
    contrast.second.iter().chain([&contrast.by]).cloned().collect()
}

/// Workloads and directions of a contrast with their columns.
fn groups(site: &Site<'_>, contrast: &Contrast) -> Vec<Group> {
    let mix = Dimension::Other("rwmixread".to_owned());
    let mut workloads: BTreeMap<(Option<&Value>, Option<&Value>), Vec<String>> = BTreeMap::new();
    for page in site.runs_at(&contrast.runs) {
        let run = &page.record.run;
        workloads.entry((run.value(&Dimension::Rw), run.value(&mix))).or_default().push(run.id.clone());
    }
    // Where the workload is what is compared, its values are rows.
    if by(contrast).iter().any(|d| *d == Dimension::Rw || *d == mix) {
        let all = workloads.into_values().flatten().collect();
        workloads = BTreeMap::from([((None, None), all)]);
    }
    let by = by(contrast);
    let measures = measures(site.campaign, crate::spec::rates(site.campaign, &contrast.runs), &contrast.runs);
    let mut groups = Vec::new();
    for ((rw, mixed), runs) in workloads {
        let filter = Filter { runs, ..Filter::default() };
        let columns = |operation| {
            let columns = measures.iter().map(|&m| Column::new(site, &filter, m, operation, &by));
            columns.filter(|column: &Column| !column.cells.is_empty()).collect::<Vec<_>>()
        };
        let found = Operation::ALL.map(|operation| (operation, columns(operation)));
        let found: Vec<(Operation, Vec<Column>)> = found.into_iter().filter(|(_, c)| !c.is_empty()).collect();
        let single = found.len() == 1;
        let workload = rw.map(|rw| {
            let name = shown(&value_name(&Dimension::Rw, Some(rw)));
            mixed.map_or(name.clone(), |share| format!("{name}, {} % reads", shown(share.as_str())))
        });
        groups.extend(found.into_iter().map(|(operation, columns)| {
            let text = match &workload {
                Some(workload) if single => workload.clone(),
                Some(workload) => format!("{workload}: {operation}s"),
                None => operation.to_string(),
            };
            Group { text: capitalised(&text), columns }
        }));
    }
    groups
}

fn table(site: &Site<'_>, by: &[Dimension], groups: &[Group]) -> ComparisonTable {
    let keys = rows(groups.iter().flat_map(|group| &group.columns));
    let bests: Vec<Vec<BTreeSet<&Key>>> = groups.iter().map(|group| bests(site, by, group)).collect();
    let second = by.first().filter(|_| by.len() > 1);
    let mut last: Option<&Option<Value>> = None;
    let mut table_rows = Vec::new();
    for (&key, members) in &keys {
        let members: Vec<usize> = members.iter().copied().collect();
        let lead = second
            .filter(|_| last != key.first())
            .map(|second| shown(&value_name(second, key.first().and_then(Option::as_ref))));
        last = key.first();
        let own = by.last().map(|by| row_name(by, key.last().and_then(Option::as_ref)));
        table_rows.push(ComparisonRow {
            key: own.unwrap_or_default(),
            lead: lead.unwrap_or_default(),
            cells: groups.iter().zip(&bests).map(|(group, bests)| row_group(group, bests, key)).collect(),
            error: site.runs_at(&members).any(|page| page.record.run.has_error()),
        });
    }
    let columns = || groups.iter().flat_map(|group| &group.columns);
    let figures = || table_rows.iter().flat_map(|row| &row.cells).flat_map(|cell| &cell.figures);
    let judged = groups.iter().flat_map(|group| group.columns.iter().map(|column| !group.lacks_runs(column)));
    let unmarked = columns().zip(bests.iter().flatten()).zip(judged);
    let unmarked = unmarked.filter(|((_, best), judged)| *judged && best.is_empty()).map(|(pair, _)| pair);
    let needed: BTreeSet<String> = unmarked
        .filter(|(column, _)| column.measure.stat == Stat::Mean)
        .filter_map(|(column, _)| site.campaign.thresholds.get(&column.measure.metric))
        .map(|share| format!("{} %", significant(share * 100.0, 2).trim_end_matches(".0")))
        .collect();
    let marked = figures().any(|figure| figure.best);
    ComparisonTable {
        key: by.last().map(|by| shown(by.title())).unwrap_or_default(),
        columns: 1 + groups.iter().map(|group| group.columns.len() + 1).sum::<usize>(),
        beside: if groups.len() > 1 {
            joined(groups.iter().map(|group| group.text.to_lowercase()).collect())
        } else {
            String::new()
        },
        singles: columns().flat_map(|column| column.cells.values()).all(|entry| entry.runs.len() == 1),
        intervals: columns().any(Column::has_intervals),
        ranges: columns().any(Column::has_ranges),
        best: match second {
            _ if !marked => String::new(),
            Some(second) => format!("every other row of the same {}", shown(second.title())),
            None => "every other row".to_owned(),
        },
        needed: joined(needed.into_iter().collect()),
        unsupported: figures().any(|figure| figure.unsupported),
        lacking: figures().any(|figure| !figure.n.is_empty()),
        groups: groups
            .iter()
            .map(|group| GroupHead {
                text: group.text.clone(),
                columns: group.columns.len() + 1,
                heads: group.columns.iter().map(Column::head).collect(),
            })
            .collect(),
        rows: table_rows,
    }
}

fn row_group(group: &Group, bests: &[BTreeSet<&Key>], key: &Key) -> RowGroup {
    let n = group.n(key);
    let figure = |(column, best): (&Column, &BTreeSet<&Key>)| {
        column.figure(key, n.unwrap_or_default(), best.contains(key))
    };
    RowGroup {
        figures: group.columns.iter().zip(bests).map(figure).collect(),
        n: n.map(|n| n.to_string()).unwrap_or_default(),
    }
}

/// `RAID 10`, `64 KiB`, `4`.
fn row_name(dimension: &Dimension, value: Option<&Value>) -> String {
    match (dimension, value) {
        (Dimension::Raid | Dimension::Rw, Some(value)) => shown(&value_name(dimension, Some(value))),
        (_, Some(value)) => value_text(dimension, value),
        (_, None) => String::new(),
    }
}

/// Runs that no contrast holds.
pub(super) fn alone(site: &Site<'_>) -> Vec<Link> {
    let compared: BTreeSet<usize> =
        site.campaign.contrasts.iter().flat_map(|contrast| contrast.runs.iter().copied()).collect();
    site.runs.iter().filter(|page| !compared.contains(&page.index)).map(Link::run).collect()
}
