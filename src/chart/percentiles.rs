//! Percentiles of latency over run time: median and tail of the I/Os that ended in each window.
//!
//! In: histograms over run time. Out: a line for each statistic. A percentile needs I/Os beyond it:
//! a window that holds too few of them is a gap in its line, never a guess.

use super::ChartError;
use super::heat;
use super::names;
use super::scene::{Data, Scene, SceneX, SeriesId};
use super::select::{Key, Selection};
use super::trace::{Trace, span};
use crate::model::{Histogram, Measure, Stat};
use crate::spec::{Channel, ChartSpec, Mark, XChannel};
use std::collections::BTreeMap;

/// The statistics that are shown when a spec names none.
const USUAL: [Stat; 4] = [Stat::P50, Stat::P99, Stat::P999, Stat::Max];
/// I/Os that a window should hold: enough for a 99th percentile.
const WANTED: f64 = 100.0;
/// Most and fewest windows of a line.
const WINDOWS: (f64, f64) = (240.0, 24.0);

/// True when a chart shows latencies of single I/Os over time: their percentiles, or a heat map.
pub(super) fn of_ios(spec: &ChartSpec) -> bool {
    let by_stat = [&spec.color, &spec.facet].contains(&&Some(Channel::Stat));
    spec.x == XChannel::Time && (by_stat || spec.mark == Mark::Cell)
}

/// How many I/Os a window must hold for a statistic: one is expected beyond a percentile then.
fn needed(stat: Stat) -> u64 {
    // Of a handful of I/Os the median says nothing, either.
    stat.quantile().map_or(1, |q| ((1.0 / (1.0 - q)).round() as u64).max(5))
}

/// A statistic of the I/Os in a window; None where they are too few for it.
fn figure(window: &Histogram, stat: Stat) -> Option<f64> {
    let quantile = match stat {
        Stat::Min => 0.0,
        Stat::Max => 1.0,
        stat => stat.quantile()?,
    };
    (window.count() >= needed(stat)).then(|| window.quantile(quantile)).flatten()
}

/// The scene of a chart whose colours are statistics over time.
pub(super) fn scene(selection: &Selection<'_>, spec: &ChartSpec) -> Result<Scene, ChartError> {
    let stats: Vec<Stat> = if spec.stats.is_empty() { USUAL.to_vec() } else { spec.stats.clone() };
    if let Some(odd) = stats.iter().find(|s| s.quantile().is_none() && !matches!(s, Stat::Min | Stat::Max)) {
        return Err(ChartError::Unsupported(format!(
            "`{odd}` is no statistic of single I/Os over time; use percentiles, min and max"
        )));
    }
    let members = heat::members(selection, spec.y.metric);
    let mut notes = selection.pooled(members.iter().map(|m| m.runs.as_slice()));
    let pooled = !notes.is_empty();
    // One width of windows for all lines: percentiles of windows of different length are different things.
    let group = members
        .iter()
        .map(|m| {
            let cells = m.timed.cells().iter().filter(|c| !c.is_empty()).count().max(1) as f64;
            let wanted = WANTED / (m.timed.total().count() as f64 / cells);
            let most = (cells / WINDOWS.1).max(1.0);
            m.timed.cell_ms() as f64
                * wanted.clamp((cells / WINDOWS.0).max(1.0), most.max(cells / WINDOWS.0)).ceil()
        })
        .fold(1.0, f64::max);
    let mut all = Vec::new();
    // Windows that show a statistic and windows that hold any I/O.
    let mut windows_of: BTreeMap<Stat, (usize, usize)> = BTreeMap::new();
    for member in members {
        let own = member.timed.cell_ms() as f64;
        let per_window = (group / own).round().max(1.0) as usize;
        // Of a part of a run the cells before it are empty.
        let first = ((member.start_ms / own).round() as usize).min(member.timed.cells().len());
        let windows: Vec<Histogram> = member.timed.cells()[first..]
            .chunks(per_window)
            .map(|cells| {
                let mut window = Histogram::default();
                cells.iter().for_each(|cell| window.merge(cell));
                window
            })
            .collect();
        for &stat in &stats {
            let mean: Vec<Option<f64>> = windows.iter().map(|w| figure(w, stat)).collect();
            let busy = windows.iter().filter(|w| !w.is_empty()).count();
            let shown = mean.iter().flatten().count();
            let count = windows_of.entry(stat).or_default();
            *count = (count.0 + shown, count.1 + busy);
            let trace = Trace {
                start_ms: first as f64 * own,
                cell_ms: per_window as f64 * own,
                mean,
                n: member.runs.len(),
                ..Trace::default()
            };
            let Some(trace) = trace.cropped(spec.span_ms()) else { continue };
            let id = SeriesId { color: Key::Stat(stat), ..member.id.clone() };
            let mut series = selection.series(id, Data::Trace(trace));
            series.runs.clone_from(&member.runs);
            if let [run] = member.runs.as_slice() {
                let measure = Measure { metric: spec.y.metric, stat };
                let own = selection.campaign.runs[*run].statistic(measure, member.facts.ddir);
                series.figure = own.map(|s| s.value).filter(|v| v.is_finite());
            }
            all.push(series);
        }
    }
    if all.is_empty() {
        return Err(ChartError::NoData(
            "no window holds enough I/Os for any of the statistics asked for".to_owned(),
        ));
    }
    let sparse: Vec<String> = windows_of
        .into_iter()
        .filter(|(_, (shown, busy))| 2 * shown < *busy)
        .map(|(stat, (shown, busy))| format!("{stat} (shown in {shown} of {busy} windows)"))
        .collect();
    if !sparse.is_empty() {
        notes.push(format!(
            "Most windows hold too few I/Os for {}: a percentile is shown where at least one I/O is expected beyond it.",
            names::list(&sparse, 4)
        ));
    }
    let n = all.iter().map(|s| s.runs.len());
    let repeats = (n.clone().min().unwrap_or(1), n.max().unwrap_or(1));
    if repeats.1 > 1 && !pooled {
        notes.push("The I/Os of repeats are counted together.".to_owned());
    }
    let (start, end) = span(&all);
    Ok(Scene::new(spec, all, SceneX::Time(start, end), (notes, pooled), repeats))
}

/// How the subtitle begins.
pub(super) fn lead(window_ms: f64, spec: &ChartSpec) -> String {
    let of = if spec.span_ms() == (None, None) { "the whole run" } else { "all of them" };
    format!("Of the I/Os that ended in each {}; figures: of {of}", names::duration(window_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_of_too_few_ios_is_a_gap() {
        let mut window = Histogram::default();
        (1..=99).for_each(|value| window.record(value, 1));
        // Nearest rank: the 50th of 99.
        assert_eq!(figure(&window, Stat::P50), Some(50.0));
        assert_eq!(figure(&window, Stat::P99), None);
        assert_eq!(figure(&window, Stat::Max), Some(99.0));
        window.record(100, 1);
        assert_eq!(figure(&window, Stat::P99), Some(99.0));
        assert_eq!(figure(&window, Stat::P999), None);
        assert_eq!(figure(&Histogram::default(), Stat::Max), None);
    }

    #[test]
    fn the_ios_that_a_statistic_needs_grow_with_its_nines() {
        let counts = [Stat::Max, Stat::P50, Stat::P90, Stat::P99, Stat::P999].map(needed);
        assert_eq!(counts, [1, 5, 10, 100, 1000]);
    }
}
