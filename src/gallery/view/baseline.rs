//! What changed against the baseline: a sentence or two, the charts, a table.
//!
//! In: the campaign's comparison with its baseline. Out: a section of the first page;
//! no verdict is made here.

use crate::analyze::baseline::words::{by, count, interval, remarks, verdict};
use crate::gallery::view::parts::{Card, counted, shown};
use crate::gallery::view::{PicturePage, Site};
use crate::model::unit::humanize;
use crate::model::{Change, Verdict};
use serde::Serialize;

/// Rows up to which the table stands open.
const OPEN_ROWS: usize = 16;

/// The section.
#[derive(Serialize)]
pub(super) struct BaselineView {
    sentences: Vec<String>,
    rows: Vec<ChangeRow>,
    /// True when the table is too long to stand open.
    folded: bool,
    /// `32 rows`.
    count: String,
    pub(super) cards: Vec<Card>,
}

#[derive(Serialize)]
struct ChangeRow {
    name: String,
    /// `write iops`.
    what: String,
    base: String,
    new: String,
    change: String,
    interval: String,
    /// `3`, or `3, 1` where the sides differ.
    n: String,
    verdict: &'static str,
    /// Class of the row: `worse`, `better`, or nothing.
    class: &'static str,
}

/// None without a baseline.
pub(super) fn baseline(site: &Site<'_>) -> Option<BaselineView> {
    let found = site.campaign.baseline.as_ref()?;
    let row = |change: &Change| {
        let figure = |value: f64| humanize(value, change.metric.unit(), site.units);
        ChangeRow {
            name: shown(&change.name),
            what: change.what(),
            base: figure(change.base_mean),
            new: figure(change.new_mean),
            change: by(change),
            interval: interval(change),
            n: count(change),
            verdict: if change.verdict.is_some() { verdict(change) } else { "" },
            class: match change.verdict {
                Some(Verdict::Worse) => "worse",
                Some(Verdict::Better) => "better",
                _ => "",
            },
        }
    };
    let rows: Vec<ChangeRow> = found.changes.iter().map(row).collect();
    Some(BaselineView {
        sentences: remarks(found).iter().map(|text| shown(text)).collect(),
        folded: rows.len() > OPEN_ROWS,
        count: counted(rows.len(), "row"),
        rows,
        cards: site.pictures.iter().filter(|page| page.is_change()).map(Card::new).collect(),
    })
}

impl PicturePage {
    /// True for a chart of changes against a baseline.
    pub(super) fn is_change(&self) -> bool {
        self.picture.spec.x == crate::spec::XChannel::Change
    }
}
