//! The table of all configurations: repeats as one row, the figures first.

use crate::chart::value_name;
use crate::gallery::view::Site;
use crate::gallery::view::figures::{Column, Figure, FigureHead, Key, measures, rows};
use crate::gallery::view::parts::{Link, counted, elided, label, shown};
use crate::model::{Dimension, Metric, Operation, Value};
use crate::spec::Filter;
use serde::Serialize;

/// The table.
#[derive(Serialize)]
pub(super) struct SummaryTable {
    /// Heads of the columns with figures.
    heads: Vec<FigureHead>,
    rows: Vec<Row>,
    /// `60 rows`.
    count: String,
    /// True when a column tells the direction.
    ddirs: bool,
    /// True when some figure carries an interval.
    intervals: bool,
    /// True when some percentile is the range of several runs.
    ranges: bool,
    /// True when some percentile was withheld.
    unsupported: bool,
}

/// One configuration in one direction, or its syncs.
#[derive(Serialize)]
struct Row {
    name: String,
    ddir: &'static str,
    n: usize,
    figures: Vec<Figure>,
    runs: Vec<Link>,
    /// True when one of its runs reported errors.
    error: bool,
}

/// The table of a campaign; None when no run has a figure.
pub(super) fn summary(site: &Site<'_>) -> Option<SummaryTable> {
    let campaign = site.campaign;
    let by: Vec<Dimension> =
        campaign.dimensions.iter().filter(|d| **d != Dimension::Repeat).cloned().collect();
    let varying: Vec<bool> = by.iter().map(|dimension| !site.is_shared(dimension)).collect();
    let all: Vec<usize> = (0..campaign.runs.len()).collect();
    let measures = measures(campaign, vec![Metric::Iops, Metric::Bw], &all);
    let (mut heads, mut table): (Vec<FigureHead>, Vec<(Key, Row)>) = (Vec::new(), Vec::new());
    let (mut ranges, mut directions) = (false, 0);
    for operation in Operation::ALL {
        let columns: Vec<Column> =
            measures.iter().map(|&m| Column::new(site, &Filter::default(), m, operation, &by)).collect();
        let keys = rows(columns.iter());
        if keys.is_empty() {
            continue;
        }
        directions += 1;
        ranges |= columns.iter().any(Column::has_ranges);
        merge_heads(&mut heads, columns.iter().map(Column::head));
        for (key, members) in keys {
            let members: Vec<usize> = members.into_iter().collect();
            let row = Row {
                name: name(site, &by, &varying, key, &members),
                ddir: operation.as_str(),
                n: members.len(),
                figures: columns.iter().map(|column| column.figure_with_unit(key, members.len())).collect(),
                runs: run_links(site, &members),
                error: site.runs_at(&members).any(|run| run.record.run.has_error()),
            };
            table.push((key.clone(), row));
        }
    }
    // Directions of one configuration stand together.
    table.sort_by(|a, b| a.0.cmp(&b.0));
    let rows: Vec<Row> = table.into_iter().map(|(_, row)| row).collect();
    if rows.is_empty() {
        return None;
    }
    let any = |test: fn(&Figure) -> bool| rows.iter().flat_map(|row| &row.figures).any(test);
    Some(SummaryTable {
        count: counted(rows.len(), "row"),
        ddirs: directions > 1,
        intervals: any(|f| !f.interval.is_empty()),
        unsupported: any(|f| f.unsupported),
        ranges,
        heads,
        rows,
    })
}

/// Columns of all directions under one head.
fn merge_heads(heads: &mut Vec<FigureHead>, more: impl Iterator<Item = FigureHead>) {
    for (place, head) in more.enumerate() {
        match heads.get_mut(place) {
            Some(known) => known.slot |= head.slot,
            None => heads.push(FigureHead { unit: "", ..head }),
        }
    }
}

/// What tells a configuration from others; its run's name when nothing does.
fn name(site: &Site<'_>, by: &[Dimension], varying: &[bool], key: &Key, members: &[usize]) -> String {
    let told = by.iter().zip(varying).zip(key).filter(|((_, varies), _)| **varies);
    let words: Vec<String> = told
        .filter_map(|((dimension, _), value)| value.as_ref().map(|v| shown(&value_name(dimension, Some(v)))))
        .collect();
    if words.is_empty() {
        return site.runs_at(members).next().map(|page| elided(&label(&page.record.run))).unwrap_or_default();
    }
    words.join(", ")
}

/// Links to the runs of a row, by the number of their repeat or in their order.
fn run_links(site: &Site<'_>, members: &[usize]) -> Vec<Link> {
    site.runs_at(members)
        .enumerate()
        .map(|(place, page)| {
            let repeat: Option<&Value> = page.record.run.value(&Dimension::Repeat);
            Link::run_as(page, repeat.map_or_else(|| (place + 1).to_string(), |value| shown(value.as_str())))
        })
        .collect()
}
