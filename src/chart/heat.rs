//! Latency over time as a heat map: how many I/Os took how long, window by window.
//!
//! In: histograms over run time, of rows of single I/Os or of histogram logs. Out: counts in a grid
//! of equal windows and log-spaced bins, at most a cell for every few pixels. A log of windowed means
//! holds no single I/O; nothing is made up from it.

use super::ramp::Ramp;
use super::scene::{Data, Scene, SceneX, SeriesId};
use super::select::{Facts, Selection};
use super::{ChartError, Ink, RAMP, Shape, Spelling, Table, TableCell, names, scale};
use crate::model::unit::{DisplayUnit, group_thousands, humanize};
use crate::model::{Histogram, Measure, Metric, Run, Stat, TimedHistogram, bucket_bounds};
use crate::spec::{Channel, ChartSpec};
use std::collections::BTreeMap;

/// Narrowest window on the picture, pixels.
const LEAST_WIDTH: f64 = 7.0;
/// Lowest bin on the picture, pixels.
const LEAST_HEIGHT: f64 = 10.0;
/// Bins in an octave, finest first; the finest still holds three of fio's buckets.
const FINENESS: [u32; 4] = [8, 4, 2, 1];

/// Counts of I/Os by window and bin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heat {
    /// Run time at the start of the first window, ms.
    pub start_ms: f64,
    /// Width of a window, ms.
    pub window_ms: f64,
    /// Bins in an octave; bin `b` holds latencies from `2^(b / per_octave)` ns on.
    pub per_octave: u32,
    /// I/Os by bin, window by window.
    pub windows: Vec<BTreeMap<i32, u64>>,
    /// All of them in fio's buckets.
    pub total: Histogram,
}

impl Heat {
    /// Smallest and first too large latency of a bin, ns.
    fn bounds(&self, bin: i32) -> (f64, f64) {
        let edge = |bin: i32| (f64::from(bin) / f64::from(self.per_octave)).exp2();
        (edge(bin), edge(bin + 1))
    }

    /// The lower edge of the lowest bin and the upper one of the highest, ns.
    pub(super) fn ends(&self) -> Vec<f64> {
        let bins = || self.windows.iter().flat_map(BTreeMap::keys).copied();
        bins()
            .min()
            .zip(bins().max())
            .map_or_else(Vec::new, |(low, high)| vec![self.bounds(low).0, self.bounds(high).1])
    }

    fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        self.windows.iter().flat_map(|window| window.values().copied())
    }
}

/// What every chart of latencies over time starts from: histograms by series, merged over the runs behind each.
pub(super) struct Member {
    pub id: SeriesId,
    pub runs: Vec<usize>,
    pub facts: Facts,
    pub timed: TimedHistogram,
    /// Run time at which the first of its runs begins, ms: above 0 for a part.
    pub start_ms: f64,
}

/// The histograms over time of the selected runs, by series.
pub(super) fn members(selection: &Selection<'_>, metric: Metric) -> Vec<Member> {
    let channels = &selection.channels;
    let color = channels.color.as_ref().filter(|c| **c != Channel::Stat);
    let mut all: BTreeMap<SeriesId, Member> = BTreeMap::new();
    for &run in &selection.runs {
        for &ddir in &selection.ddirs {
            let record = &selection.campaign.runs[run];
            let start_ms = record.start_ms();
            let timed = record.run.timed_histogram(metric, ddir);
            let Some(timed) = timed.filter(|t| !t.is_empty()) else { continue };
            let facts = Facts { run, ddir, job: None, stat: None };
            let id = SeriesId {
                facet: selection.key(channels.facet.as_ref(), facts),
                color: selection.key(color, facts),
                fold: channels.fold_ddir.then_some(ddir),
            };
            match all.get_mut(&id) {
                Some(member) => {
                    member.timed.merge(&timed);
                    member.start_ms = member.start_ms.min(start_ms);
                    member.runs.push(run);
                }
                None => {
                    all.insert(id.clone(), Member { id, runs: vec![run], facts, timed, start_ms });
                }
            }
        }
    }
    all.into_values().collect()
}

/// True when a run knows the latency of single I/Os over time.
pub(super) fn knows_ios(run: &Run, metric: Metric) -> bool {
    crate::model::Ddir::ALL.iter().any(|&ddir| run.has_timed_histogram(metric, ddir))
}

/// The scene of a heat map over time.
pub(super) fn scene(selection: &Selection<'_>, spec: &ChartSpec) -> Result<Scene, ChartError> {
    let members = members(selection, spec.y.metric);
    let mut notes = selection.pooled(members.iter().map(|m| m.runs.as_slice()));
    let pooled = !notes.is_empty();
    let inside = |at: f64| {
        spec.span_ms().0.is_none_or(|from| at >= from) && spec.span_ms().1.is_none_or(|to| at <= to)
    };
    let cell_ms = members.iter().map(|m| m.timed.cell_ms()).max().unwrap_or(1) as f64;
    let ends = members.iter().map(|m| m.timed.cells().len() as f64 * m.timed.cell_ms() as f64);
    let end = ends.fold(0.0, f64::max).min(spec.span_ms().1.unwrap_or(f64::INFINITY));
    let first = members.iter().map(|m| m.start_ms).reduce(f64::min).unwrap_or(0.0);
    let start = (spec.span_ms().0.unwrap_or(first) / cell_ms).floor().max(0.0) * cell_ms;
    let most = (spec.size.width / LEAST_WIDTH).max(8.0);
    let window_ms = cell_ms * ((end - start) / cell_ms / most).ceil().max(1.0);
    let per_octave = fineness(&members, spec.size.height / LEAST_HEIGHT);
    let mut all = Vec::new();
    for member in members {
        let own_ms = member.timed.cell_ms() as f64;
        let mut windows: Vec<BTreeMap<i32, u64>> = Vec::new();
        let mut total = Histogram::default();
        for (i, cell) in member.timed.cells().iter().enumerate() {
            let at = (i as f64 + 0.5) * own_ms;
            if !inside(at) || cell.is_empty() {
                continue;
            }
            let window = ((at - start) / window_ms).max(0.0) as usize;
            if windows.len() <= window {
                windows.resize_with(window + 1, BTreeMap::new);
            }
            for (bucket, n) in cell.buckets() {
                *windows[window].entry(bin(bucket, per_octave)).or_default() += n;
            }
            total.merge(cell);
        }
        if total.is_empty() {
            continue;
        }
        let heat = Heat { start_ms: start, window_ms, per_octave, windows, total };
        let mut series = selection.series(member.id, Data::Heat(heat));
        series.runs = member.runs;
        all.push(series);
    }
    if all.is_empty() {
        return Err(ChartError::NoData("no I/O ended in the span asked for".to_owned()));
    }
    let most = all.iter().filter_map(|s| s.data.heat()).map(|h| h.windows.len()).max().unwrap_or(1);
    let counts = || all.iter().filter_map(|s| s.data.heat()).flat_map(Heat::counts).map(|n| n as f64);
    let ramp = Ramp::over(counts(), "I/Os in a cell", |n| group_thousands(&format!("{n:.0}")));
    let n = all.iter().map(|s| s.runs.len());
    let repeats = (n.clone().min().unwrap_or(1), n.max().unwrap_or(1));
    if repeats.1 > 1 && !pooled {
        notes.push("The I/Os of repeats are counted together.".to_owned());
    }
    let x = SceneX::Time(start, start + most as f64 * window_ms);
    let mut scene = Scene::new(spec, all, x, (notes, pooled), repeats);
    scene.grid = Some(super::cells::Grid {
        rows: Vec::new(),
        title: String::new(),
        across: String::new(),
        ramp,
        solid: false,
        missing: 0,
    });
    Ok(scene)
}

/// The bin of one of fio's buckets, by the bucket's middle.
fn bin(bucket: u32, per_octave: u32) -> i32 {
    (middle(bucket).log2() * f64::from(per_octave) + 1e-9).floor() as i32
}

/// The middle of what a bucket holds, ns; at least 1.
fn middle(bucket: u32) -> f64 {
    let (low, high) = bucket_bounds(bucket);
    ((low as f64 + high as f64 - 1.0) / 2.0).max(1.0)
}

/// The finest bins that the picture has room for and that are no finer than the buckets of the log lie apart.
///
/// The median distance of neighbouring buckets tells of coarse histogram logs and of few I/Os; a gap
/// between two modes does not move it.
fn fineness(members: &[Member], room: f64) -> u32 {
    let mut total = Histogram::default();
    members.iter().for_each(|m| total.merge(&m.timed.total()));
    let middles: Vec<f64> = total.buckets().map(|(bucket, _)| middle(bucket).log2()).collect();
    let mut steps: Vec<f64> = middles.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    let apart = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
    let octaves = middles.first().zip(middles.last()).map_or(0.0, |(low, high)| high - low);
    let fits = |k: &u32| octaves * f64::from(*k) + 1.0 <= room && apart * f64::from(*k) <= 1.0 + 1e-9;
    FINENESS.into_iter().find(fits).unwrap_or(1)
}

/// The cells of a panel: one shape for each step of the ramp, neighbours of one step in one piece.
pub(super) fn shapes(heat: &Heat, ramp: &Ramp, (dx, dy): (f64, f64)) -> Vec<Shape> {
    let mut faces: Vec<Vec<Vec<(f64, f64)>>> = vec![Vec::new(); usize::from(RAMP)];
    // What one cell of a row leaves open: its first window and its step.
    let mut open: BTreeMap<i32, (usize, u8)> = BTreeMap::new();
    let mut close = |bin: i32, (first, step): (usize, u8), end: usize| {
        let x = |window: usize| (heat.start_ms + window as f64 * heat.window_ms) / dx;
        let (low, high) = heat.bounds(bin);
        let (x0, x1, y0, y1) = (x(first), x(end), low / dy, high / dy);
        if let Some(faces) = faces.get_mut(usize::from(step)) {
            faces.push(vec![(x0, y0), (x1, y0), (x1, y1), (x0, y1)]);
        }
    };
    for (window, bins) in heat.windows.iter().enumerate() {
        let steps: BTreeMap<i32, u8> = bins.iter().map(|(bin, n)| (*bin, ramp.step(*n as f64))).collect();
        open.retain(|bin, run| {
            let goes_on = steps.get(bin) == Some(&run.1);
            if !goes_on {
                close(*bin, *run, window);
            }
            goes_on
        });
        for (bin, step) in steps {
            open.entry(bin).or_insert((window, step));
        }
    }
    for (bin, run) in open {
        close(bin, run, heat.windows.len());
    }
    faces
        .into_iter()
        .zip(0u8..)
        .filter(|(faces, _)| !faces.is_empty())
        .map(|(faces, step)| {
            let inside = heat.counts().filter(|n| ramp.step(*n as f64) == step);
            let ends = inside.fold((u64::MAX, 0), |e, n| (e.0.min(n), e.1.max(n)));
            let text = |n: u64| group_thousands(&n.to_string());
            let name = match ends {
                (a, b) if a == b => format!("{} I/Os in a cell", text(a)),
                (a, b) => format!("{} to {} I/Os in a cell", text(a), text(b)),
            };
            Shape::Fill { faces, ink: Ink::Ramp(step), opacity: 1.0, name }
        })
        .collect()
}

/// How the subtitle begins: `I/Os counted by 500 ms and by 9 % of latency`.
pub(super) fn lead(heat: &Heat) -> String {
    let share = ((1.0 / f64::from(heat.per_octave)).exp2() - 1.0) * 100.0;
    format!(
        "Single I/Os, counted in cells of {} by {share:.0} % of latency; blank: none",
        names::duration(heat.window_ms)
    )
}

/// One panel in words.
pub(super) fn told(heat: &Heat, spec: &ChartSpec) -> String {
    let value = |quantile: f64| {
        let ns = heat.total.quantile(quantile).unwrap_or(0.0);
        humanize(ns, spec.y.unit(), spec.units)
    };
    format!(
        "{} I/Os, half of them within {}, 99 % within {}, the slowest {}",
        group_thousands(&heat.total.count().to_string()),
        value(0.5),
        value(0.99),
        value(1.0)
    )
}

/// A row for each cell that holds an I/O.
pub(super) fn table(scene: &Scene, unit: &DisplayUnit, (divisor, span): (f64, f64)) -> Table {
    let named = scene.series.len() > 1;
    let suffix = scale::time_unit(span).suffix;
    let mut columns: Vec<String> = named.then(|| "panel".to_owned()).into_iter().collect();
    let latency = |end: &str| format!("{end} ({})", unit.axis);
    columns.extend([format!("from ({suffix})"), format!("to ({suffix})")]);
    columns.extend([latency("latency from"), latency("latency below"), "I/Os".to_owned()]);
    let number = |value: f64| TableCell::Number { value, spelling: Spelling::Decimals };
    let mut rows = Vec::new();
    for series in &scene.series {
        let Some(heat) = series.data.heat() else { continue };
        for (window, bins) in heat.windows.iter().enumerate() {
            let from = heat.start_ms + window as f64 * heat.window_ms;
            for (bin, n) in bins {
                let (low, high) = heat.bounds(*bin);
                let mut row: Vec<TableCell> = Vec::new();
                row.extend(named.then(|| TableCell::Text(panel_name(series))));
                row.extend([number(from / divisor), number((from + heat.window_ms) / divisor)]);
                row.extend([low, high].map(|v| super::table::number(v, unit)));
                row.push(TableCell::Number { value: *n as f64, spelling: Spelling::Grouped });
                rows.push(row);
            }
        }
    }
    Table { columns, rows }
}

/// The name of a series' own panel: what it is a facet of, and what else tells it apart.
pub(super) fn panel_name(series: &super::scene::Series) -> String {
    let parts: Vec<&str> =
        [series.facet.as_str(), series.name.trim()].into_iter().filter(|p| !p.is_empty()).collect();
    parts.join(", ")
}

/// Why no run has what a chart of single I/Os needs.
pub(super) fn missing(selection: &[usize], campaign: &crate::model::Campaign, metric: Metric) -> String {
    let other = [Metric::Lat, Metric::Clat, Metric::Slat]
        .into_iter()
        .filter(|m| *m != metric)
        .find(|m| selection.iter().any(|&r| knows_ios(&campaign.runs[r].run, *m)));
    let what = names::measure_phrase(Measure { metric, stat: Stat::P50 }).replace("median ", "");
    match other {
        Some(other) => {
            format!("no run has the {what} of single I/Os; they have {}: use {other}", other.title())
        }
        None => format!(
            "no run has the {what} of single I/Os over time; logs without log_avg_msec have, and histogram logs \
             (write_hist_log)"
        ),
    }
}
