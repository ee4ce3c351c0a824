//! Charts over two sweeps at once: the matrix heat map and its solid twin.
//!
//! In: contrasts of a campaign. Out: the pair of dimensions that make a grid, and their charts.

use super::rates;
use crate::model::{Campaign, Contrast, Dimension, Measure, Metric, Stat, Value};
use crate::spec::{ChartSpec, Mark, XChannel};
use std::collections::BTreeSet;

/// How the figures of a grid stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// As number and colour of cells.
    Matrix,
    /// As height and colour of solid bars.
    Bars3d,
}

impl Kind {
    pub(super) const ALL: [Kind; 2] = [Kind::Matrix, Kind::Bars3d];

    /// The word in a chart's name.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Matrix => "matrix",
            Kind::Bars3d => "bars3d",
        }
    }
}

/// `y` over the values of two dimensions.
pub(super) fn grid(kind: Kind, y: Measure, (x, rows): (Dimension, Dimension), tail: &str) -> ChartSpec {
    let stat = if y.stat == Stat::Mean { String::new() } else { format!("-{}", y.stat) };
    let id = format!("{}{stat}-{}-by-{x}-and-{rows}{tail}", y.metric, kind.word());
    let mark = match kind {
        Kind::Matrix => Mark::Cell,
        Kind::Bars3d => Mark::Bar,
    };
    let mut spec = ChartSpec::new(id, mark, XChannel::Dimension(x), y);
    spec.rows = Some(rows);
    spec
}

/// The two sweeps of a contrast: at least three values by at least two, both in numbers.
///
/// A campaign has such a contrast twice, once by each of its dimensions; the longer sweep runs along x, and one of
/// the twins has no grid.
pub(super) fn sweeps(campaign: &Campaign, contrast: &Contrast) -> Option<(Dimension, Dimension)> {
    let rows = contrast.second.clone()?;
    let values = |dimension: &Dimension| -> BTreeSet<&Value> {
        contrast.runs.iter().filter_map(|&r| campaign.runs[r].run.value(dimension)).collect()
    };
    let (across, up) = (values(&contrast.by).len(), values(&rows).len());
    let numeric = up >= 2 && values(&rows).iter().all(|v| v.number().is_some_and(|n| n > 0.0));
    let load = |d: &Dimension| !matches!(d, Dimension::Raid | Dimension::Direct | Dimension::Repeat);
    if !numeric || !load(&rows) || !campaign.is_sweep(&contrast.by, &contrast.runs) {
        return None;
    }
    let twin = |other: &&Contrast| other.by == rows && other.second.as_ref() == Some(&contrast.by);
    let first = campaign
        .contrasts
        .iter()
        .find(twin)
        .is_none_or(|_| across > up || (across == up && contrast.by < rows));
    first.then(|| (contrast.by.clone(), rows))
}

/// The charts of a campaign's first grid, for a name that names no dimension.
pub(super) fn first(campaign: &Campaign, kind: Kind, y: Option<Measure>) -> Result<ChartSpec, String> {
    let found = campaign.contrasts.iter().find_map(|c| Some((sweeps(campaign, c)?, c)));
    let ((x, rows), contrast) = found.ok_or_else(|| {
        format!(
            "no grid of two sweeps, such as iodepth and numjobs, is among the runs; name two dimensions: \
             METRIC-{}-by-DIMENSION-and-DIMENSION",
            kind.word()
        )
    })?;
    let usual = rates(campaign, &contrast.runs).first().copied().unwrap_or(Metric::Iops);
    let mut spec = grid(kind, y.unwrap_or(Measure::mean(usual)), (x, rows), "");
    spec.filter.runs = contrast.runs.iter().map(|&r| campaign.runs[r].run.id.clone()).collect();
    Ok(spec)
}
