//! Change against a baseline: a row for each configuration, a dot with its interval, worst first.
//!
//! In: the campaign's comparison with its baseline. Out: a figure. Ratios lie on a
//! logarithmic axis, so that half and double stand equally far from no change;
//! its ticks read as percentages. Decides nothing: verdicts come with the changes.

use super::labels::{Canvas, fit, fit_among, placed};
use super::layout::{Frame, Style};
use super::select::{self, Selection};
use super::table::{count, number};
use super::words::{self, Words};
use super::{
    Align, Axis, AxisScale, ChartError, Figure, Ink, Panel, Rect, Role, Shape, Spelling, Stroke, Table,
    TableCell, Tick, header, names, scale, transform,
};
use crate::analyze::baseline::words::{percent, verdict};
use crate::analyze::repeat::mean;
use crate::model::unit::{DisplayUnit, plain};
use crate::model::{Baseline, Campaign, Change, Verdict};
use crate::spec::ChartSpec;

/// Widest share of the picture that names and figures take.
const NAMES: f64 = 0.4;
/// From this ratio between the ends of the axis on, ticks are factors instead of percentages.
const FACTORS: f64 = 4.0;
/// Rows that the words for those who cannot see the picture name.
const TOLD: usize = 8;

/// The figure of `spec`.
pub(super) fn figure(data: &Campaign, spec: &ChartSpec) -> Result<Figure, ChartError> {
    let style = Style::scaled(spec.size, spec.font.size)?;
    let Some(baseline) = &data.baseline else {
        return Err(ChartError::NoData(
            "the results are compared with no baseline; name one with --baseline".to_owned(),
        ));
    };
    let selection = select::select((data, None), spec)?;
    let changes = changes(&selection, spec, baseline);
    if changes.is_empty() {
        let what = names::measure_phrase(spec.y);
        return Err(ChartError::NoData(format!(
            "no configuration has {what} above zero both in the baseline and in the new results"
        )));
    }
    let words = self::words(&selection, spec, baseline, &changes);
    let plot = Plot::new(spec, style, &words, &changes)
        .ok_or(ChartError::Size { width: spec.size.width, height: spec.size.height })?;
    let ids: Vec<&String> = changes.iter().flat_map(|change| &change.new_runs).collect();
    let runs = selection.runs.iter().copied().filter(|&r| ids.contains(&&data.runs[r].run.id)).collect();
    Ok(plot.draw(&changes, words, runs))
}

/// The changes of the chart's metric, worst first.
fn changes<'a>(selection: &Selection<'_>, spec: &ChartSpec, baseline: &'a Baseline) -> Vec<&'a Change> {
    let shown = |id: &String| selection.runs.iter().any(|&r| selection.campaign.runs[r].run.id == *id);
    let of_chart = |change: &&Change| {
        (change.metric, change.stat) == (spec.y.metric, spec.y.stat)
            && spec.filter.accepts_ddir(change.ddir)
            && change.ratio.is_some_and(|ratio| ratio.is_finite() && ratio > 0.0)
            && change.new_runs.iter().any(shown)
    };
    let mut changes: Vec<&Change> = baseline.changes.iter().filter(of_chart).collect();
    let latency = spec.y.metric.is_latency();
    changes.sort_by(|a, b| {
        let order = a.ratio.unwrap_or(1.0).total_cmp(&b.ratio.unwrap_or(1.0));
        let order = if latency { order.reverse() } else { order };
        order.then_with(|| (&a.name, a.ddir).cmp(&(&b.name, b.ddir)))
    });
    changes
}

/// `RAID 5, random write`, with the direction where the name does not carry it.
fn row_name(change: &Change, changes: &[&Change]) -> String {
    let twice = changes.iter().filter(|other| other.name == change.name).count() > 1;
    let name = names::clean(&change.name);
    if twice { format!("{name}, {}", change.ddir) } else { name }
}

fn words(selection: &Selection<'_>, spec: &ChartSpec, baseline: &Baseline, changes: &[&Change]) -> Words {
    let what = names::capitalised(&names::measure_phrase(spec.y));
    let count = |verdict: Verdict| changes.iter().filter(|c| c.verdict == Some(verdict)).count();
    let counts: Vec<String> = [
        (Verdict::Worse, "worse"),
        (Verdict::Better, "better"),
        (Verdict::NoDifference, "without a difference"),
        (Verdict::Inconclusive, "inconclusive"),
    ]
    .into_iter()
    .filter(|(verdict, _)| count(*verdict) > 0)
    .map(|(verdict, word)| format!("{} {word}", count(verdict)))
    .collect();
    let told = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    let title = spec.title.as_deref().map(names::clean);
    let title = title.unwrap_or_else(|| format!("{what} against the baseline{told}"));
    let threshold = changes.first().map_or(0.0, |change| change.threshold);
    let subtitle = spec.subtitle.as_deref().map(names::clean).unwrap_or_else(|| {
        let mut parts = vec![format!(
            "Change of the mean with its 95 % interval, worst first; shaded: less than {} %, too little to matter",
            plain(100.0 * threshold, 3)
        )];
        let tested = changes.iter().filter(|change| change.p_adjusted.is_some()).count();
        if tested > 1 {
            parts.push(format!("verdicts hold for all {tested} tests together (Holm)"));
        }
        if changes.iter().any(|change| change.low.is_none()) {
            parts.push("hollow: a single run on a side".to_owned());
        }
        parts.extend(transform::said(spec, ""));
        let facts = words::facts(selection, &[]);
        let told = parts.join("; ");
        if facts.is_empty() { told } else { format!("{told} · {}", facts.join(", ")) }
    });
    let rows = changes.iter().take(TOLD).map(|change| {
        let by = change.ratio.map(percent).unwrap_or_default();
        format!("{}: {by}, {}", row_name(change, changes), verdict(change))
    });
    let left = changes.len().saturating_sub(TOLD);
    let more = if left > 0 { format!("; and {left} more") } else { String::new() };
    let alone = baseline.only_in_base.len() + baseline.only_in_new.len();
    let alone =
        if alone > 0 { format!(" {alone} configurations stand on one side only.") } else { String::new() };
    let alt = format!("Dot chart. {title}. {}{more}.{alone}", rows.collect::<Vec<_>>().join("; "));
    Words { title, subtitle, footer: words::footer(selection, spec), alt }
}

/// Where everything stands.
struct Plot<'a> {
    spec: &'a ChartSpec,
    style: Style,
    canvas: Canvas,
    frame: Frame,
    /// Rows that have room.
    shown: Vec<&'a Change>,
    notes: Vec<String>,
}

impl<'a> Plot<'a> {
    /// None when there is no room for a row.
    fn new(spec: &'a ChartSpec, style: Style, words: &Words, changes: &[&'a Change]) -> Option<Plot<'a>> {
        let size = spec.size;
        let mut canvas = Canvas::new(size);
        let top = header::header(&mut canvas, words, &style, size) + style.tick * 1.2;
        let mut bottom = size.height - style.pad * 0.5;
        if let Some(footer) = style.footer {
            header::footer(&mut canvas, words, footer, &style, size);
            bottom = size.height - 22.0 - 2.4 * footer;
        }
        let bottom = bottom - style.tick - 8.0;
        let capacity = ((bottom - top) / (1.35 * style.label)).floor();
        if capacity < 1.0 {
            return None;
        }
        let mut notes = Vec::new();
        let mut shown = changes.to_vec();
        let capacity = capacity as usize;
        if shown.len() > capacity {
            // The smallest changes make room.
            let distance = |change: &Change| change.ratio.map_or(0.0, |ratio| ratio.ln().abs());
            let mut by_size = shown.clone();
            by_size.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
            let least = by_size.get(capacity - 1).map_or(0.0, |change| distance(change));
            let mut room = capacity;
            shown.retain(|change| {
                let kept = distance(change) >= least && room > 0;
                room -= usize::from(kept);
                kept
            });
            notes.push(format!(
                "{} configurations with smaller changes have no room; all are in the table.",
                changes.len() - shown.len()
            ));
        }
        let room = size.width * NAMES;
        let widest = |texts: Vec<String>, size: f64| {
            texts.iter().map(|text| super::text::width(text, size, false)).fold(0.0, f64::max)
        };
        let names = widest(shown.iter().map(|c| row_name(c, changes)).collect(), style.label).min(room);
        let figures = widest(shown.iter().map(|c| outcome(c)).collect(), style.value);
        let (left, right) = (style.pad + names + 12.0, style.pad + figures + 12.0);
        let width = size.width - left - right;
        if width < style.panel.0 * 0.6 {
            return None;
        }
        let rect = Rect { x: left, y: top, width, height: bottom - top };
        let (x, cut) = x_axis(&shown, width, &style);
        if cut > 0 {
            notes.push(format!(
                "{cut} intervals reach beyond the axis and are cut; the table has them whole."
            ));
        }
        let rows = shown.len() as f64;
        let y = Axis {
            scale: AxisScale::Linear,
            min: -0.5,
            max: rows - 0.5,
            ticks: Vec::new(),
            title: "Configuration".to_owned(),
        };
        Some(Plot { spec, style, canvas, frame: Frame { rect, x, y, covered: 0.0 }, shown, notes })
    }

    fn draw(mut self, changes: &[&Change], words: Words, runs: Vec<usize>) -> Figure {
        let frame = self.frame.clone();
        let (shapes, strokes) = (self.shapes(), self.axis());
        self.rows(changes);
        Figure {
            id: self.spec.id.clone(),
            size: self.spec.size,
            hatched: false,
            family: self.spec.font.family.clone(),
            title: words.title,
            subtitle: words.subtitle,
            footer: words.footer,
            alt: words.alt,
            panels: vec![Panel { title: String::new(), rect: frame.rect, x: frame.x, y: frame.y, shapes }],
            texts: self.canvas.into_texts(),
            strokes,
            notes: self.notes,
            table: table(self.spec, changes),
            runs,
        }
    }

    /// The height of a row in axis units.
    fn height(&self, row: usize) -> f64 {
        (self.shown.len() - 1 - row) as f64
    }

    fn shapes(&self) -> Vec<Shape> {
        let Frame { x, y, .. } = &self.frame;
        let threshold = self.shown.first().map_or(0.0, |change| change.threshold);
        let (from, to) = ((1.0 - threshold).max(x.min), (1.0 + threshold).min(x.max));
        let mut shapes = Vec::new();
        if from < to {
            let edge = |at: f64| (at, y.min, y.max);
            shapes.push(Shape::Band { parts: vec![vec![edge(from), edge(to)]], ink: Ink::Muted });
        }
        shapes.push(Shape::Mark { x: 1.0, ink: Ink::Axis, dash: Vec::new() });
        for (row, change) in self.shown.iter().enumerate() {
            let (at, height) = (change.ratio.unwrap_or(1.0), self.height(row));
            let ink = ink(change);
            let name = format!("{}: {}", names::clean(&change.name), outcome(change));
            if let (Some(low), Some(high)) = (change.low, change.high) {
                let ends = [low.clamp(x.min, x.max), high.clamp(x.min, x.max)];
                shapes.push(Shape::Line {
                    parts: vec![ends.iter().map(|end| (*end, height)).collect()],
                    ink,
                    dash: Vec::new(),
                    width: self.style.line,
                    name: name.clone(),
                });
            }
            let hollow = change.low.is_none();
            let radius = self.style.line * 2.2;
            shapes.push(Shape::Dots { at: vec![(at, height)], radius, ink, hollow, name });
        }
        shapes
    }

    /// Axis line, tick marks and labels.
    fn axis(&mut self) -> Vec<Stroke> {
        let Frame { rect, x, y, .. } = &self.frame;
        let base = rect.bottom();
        let stroke = |points| Stroke { points, ink: Ink::Axis, width: 1.0, dash: Vec::new() };
        let mut strokes = vec![stroke(vec![(rect.x, base), (rect.right(), base)])];
        for tick in &x.ticks {
            let (at, _) = self.frame.px(tick.at, y.min);
            strokes.push(stroke(vec![(at, base), (at, base + 5.0)]));
            let size = self.style.tick;
            let mut label = placed(tick.label.as_str(), at, base + 8.0 + 0.74 * size, size, Role::Tick);
            label.align = Align::Middle;
            self.canvas.place(label, 2.0);
        }
        strokes
    }

    /// Names left of the rows, outcomes right of them.
    fn rows(&mut self, changes: &[&Change]) {
        let rect = self.frame.rect;
        let all: Vec<String> = self.shown.iter().map(|change| row_name(change, changes)).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        for (row, change) in self.shown.iter().enumerate() {
            let (_, y) = self.frame.px(1.0, self.height(row));
            let Style { label, value, pad, .. } = self.style;
            let (line, full) = fit_among(all[row], &all, label, false, rect.x - 12.0 - pad);
            let mut name = placed(line, rect.x - 12.0, y + 0.36 * label, label, Role::Label);
            (name.full, name.align, name.ink) = (full, Align::End, Ink::Text);
            self.canvas.place(name, 0.0);
            let (line, full) =
                fit(&outcome(change), value, false, self.spec.size.width - rect.right() - 14.0);
            let mut told = placed(line, rect.right() + 12.0, y + 0.36 * value, value, Role::Value);
            told.full = full;
            told.bold = matches!(change.verdict, Some(Verdict::Worse | Verdict::Better));
            if change.verdict == Some(Verdict::Worse) {
                told.ink = Ink::Warn;
            }
            self.canvas.place(told, 0.0);
        }
    }
}

/// `-20.1 %, worse`; a change that is shown for information has no verdict.
fn outcome(change: &Change) -> String {
    let by = change.ratio.map(percent).unwrap_or_default();
    match change.verdict {
        Some(_) => format!("{by}, {}", verdict(change)),
        None => by,
    }
    .replace('-', "\u{2212}")
}

/// What decides is in colour, what does not is grey.
fn ink(change: &Change) -> Ink {
    match change.verdict {
        Some(Verdict::Worse) => Ink::Warn,
        Some(Verdict::Better) => Ink::Series(0),
        Some(Verdict::NoDifference) => Ink::Text,
        Some(Verdict::Inconclusive) | None => Ink::Muted,
    }
}

/// The axis of ratios, and how many intervals reach beyond it.
///
/// It covers all dots and the threshold; intervals only as far as twice what the dots and most
/// other intervals need, so that one wide interval does not flatten the rest.
fn x_axis(changes: &[&Change], width: f64, style: &Style) -> (Axis, usize) {
    let ln = |v: f64| v.max(1e-9).ln();
    let dots = changes.iter().filter_map(|c| c.ratio).map(ln);
    let threshold = changes.first().map_or(0.05, |c| c.threshold);
    let mut reach = dots.map(f64::abs).fold(1.6 * ln(1.0 + threshold), f64::max);
    let mut ends: Vec<f64> =
        changes.iter().filter_map(|c| Some(ln(c.low?).abs().max(ln(c.high?).abs()))).collect();
    ends.sort_by(f64::total_cmp);
    // All intervals, when the widest is no more than twice what three quarters of them need.
    let most = ends.get(ends.len() * 3 / 4).or(ends.last()).copied().unwrap_or(0.0);
    let widest = ends.last().copied().unwrap_or(0.0);
    reach = reach.max(if widest <= 2.0 * most.max(reach) { widest } else { most });
    let side = |sign: f64| {
        let of = |c: &&&Change| {
            let far = [c.ratio, c.low, c.high].into_iter().flatten().map(|v| sign * ln(v));
            far.fold(0.0, f64::max)
        };
        let far = changes.iter().map(|c| of(&c)).fold(1.6 * ln(1.0 + threshold), f64::max);
        far.min(reach) * 1.06
    };
    let (min, max) = ((-side(-1.0)).exp(), side(1.0).exp());
    let beyond = |c: &&&Change| c.low.is_some_and(|low| low < min) || c.high.is_some_and(|high| high > max);
    let cut = changes.iter().filter(beyond).count();
    let most = ((width / (style.tick * 4.5)) as usize).clamp(2, 9);
    let ticks = if max / min < FACTORS {
        let step = scale::nice_step((max - min) / most as f64);
        let at = scale::multiples(min - 1.0, max - 1.0, step);
        at.into_iter().map(|p| Tick { at: 1.0 + p, label: signed(p), grid: true }).collect()
    } else {
        let first = (min.log2().ceil()) as i32;
        let last = (max.log2().floor()) as i32;
        let every = ((last - first + 1) as usize).div_ceil(most).max(1);
        let whole = |power: i32| power.rem_euclid(every as i32) == 0;
        let factor = |power: i32| {
            let label =
                if power < 0 { format!("1/{}", 2f64.powi(-power)) } else { format!("{}", 2f64.powi(power)) };
            Tick { at: 2f64.powi(power), label: format!("× {label}"), grid: true }
        };
        (first..=last).filter(|power| whole(*power)).map(factor).collect()
    };
    let title = "Change against the baseline (log scale)".to_owned();
    (Axis { scale: AxisScale::Log, min, max, ticks, title }, cut)
}

/// A tick of a change: `+10 %`, `0 %`.
fn signed(share: f64) -> String {
    let text = plain(100.0 * share.abs(), 3);
    match share {
        s if s.abs() < 1e-9 => "0 %".to_owned(),
        s if s < 0.0 => format!("\u{2212}{text} %"),
        _ => format!("+{text} %"),
    }
}

/// All changes, also those that have no row.
fn table(spec: &ChartSpec, changes: &[&Change]) -> Table {
    let typical: Vec<f64> = changes.iter().map(|c| c.new_mean).collect();
    let unit = DisplayUnit::choose(spec.y.unit(), mean(&typical), spec.units);
    let column = |side: &str| format!("{side}, {}", names::column(spec.y, &unit));
    let columns = vec![
        "configuration".to_owned(),
        "direction".to_owned(),
        column("baseline"),
        column("new"),
        "change (%)".to_owned(),
        "95 % low (%)".to_owned(),
        "95 % high (%)".to_owned(),
        "n of baseline".to_owned(),
        "n of new".to_owned(),
        "verdict".to_owned(),
    ];
    let share = |ratio: Option<f64>| {
        ratio.map_or(TableCell::Empty, |ratio| TableCell::Number {
            value: (ratio - 1.0) / DisplayUnit::PERCENT.divisor,
            spelling: Spelling::Own(percent(ratio).trim_end_matches(" %").into()),
        })
    };
    let row = |change: &&Change| {
        vec![
            TableCell::Text(names::clean(&change.name)),
            TableCell::Text(change.ddir.to_string()),
            number(change.base_mean, &unit),
            number(change.new_mean, &unit),
            share(change.ratio),
            share(change.low),
            share(change.high),
            count(change.base.len()),
            count(change.new.len()),
            TableCell::Text(verdict(change).to_owned()),
        ]
    };
    Table { columns, rows: changes.iter().map(row).collect() }
}

#[cfg(test)]
mod tests;
