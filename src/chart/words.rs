//! Titles, subtitles, footers and descriptions, computed from what is shown.
//!
//! In: a scene and its runs. Out: sentences. Never says twice what the title
//! says, and names no fact that the runs do not share.

use super::axes::YPlans;
use super::names::{
    capitalised, clean, dimension_title, duration, figure, list, list_with, measure_phrase, moved,
    value_name, what_of,
};
use super::scene::{Data, Scene, SceneX, Series};
use super::select::Selection;
use super::trace::SMOOTH;
use super::{boxes, cells, distribution, header, percentiles, transform};
use crate::model::unit::{DisplayUnit, humanize};
use crate::model::{Ddir, Dimension, Measure, Metric, Run, Stat, Value};
use crate::spec::{Channel, ChartSpec, Mark, Transform, XChannel};

/// The texts around a chart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Words {
    /// What is compared.
    pub title: String,
    /// Measure and workload facts.
    pub subtitle: String,
    /// Source, version, date.
    pub footer: String,
    /// The picture in a sentence or two.
    pub alt: String,
}

/// `a, b and c`.
fn list_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    crate::model::text::list(&words.collect::<Vec<_>>())
}

/// What a channel stands for, after `by`.
fn channel_title(channel: &Channel) -> Option<String> {
    match channel {
        Channel::Dimension(dimension) => Some(clean(dimension.title())),
        Channel::Job => Some("job".to_owned()),
        Channel::Run => Some("run".to_owned()),
        Channel::Stat | Channel::Ddir | Channel::Metric => None,
    }
}

/// Computes the texts of a chart; the spec's own come first.
pub(super) fn words(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    scene: &Scene,
    y: &YPlans,
    x: &DisplayUnit,
) -> Words {
    let mut said: Vec<Dimension> = selection.channel_dimensions();
    said.extend(spec.x.dimension().into_iter().chain(&spec.rows).cloned());
    let title = spec.title.as_deref().map(clean).unwrap_or_else(|| {
        let mut also_said = said.clone();
        let whole = title(selection, spec, scene, &mut also_said, pattern(selection));
        if header::has_room(&whole, spec) {
            said = also_said;
            return whole;
        }
        // In a small picture the subtitle says how the data is gone through.
        title(selection, spec, scene, &mut said, None)
    });
    let subtitle = match &spec.subtitle {
        Some(own) => clean(own),
        None => subtitle(selection, spec, (scene, x), &said),
    };
    let alt = alt(selection, spec, scene, &title, (y, x));
    Words { title, subtitle, footer: footer(selection, spec), alt }
}

/// `Random-write IOPS by RAID level`.
fn title(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    scene: &Scene,
    said: &mut Vec<Dimension>,
    pattern: Option<&str>,
) -> String {
    // A mean is what people expect; the subtitle says so.
    let plain = |measure: Measure| match measure.stat {
        Stat::Mean => measure.metric.title().to_owned(),
        _ => measure_phrase(measure),
    };
    let mut what = if spec.by_metric() {
        list_of(spec.metrics.iter().map(|metric| metric.title()))
    } else if spec.has(Transform::Cumulate) {
        what_of(spec.y.metric).to_owned()
    } else {
        plain(spec.y)
    };
    // Syncs are no reads or writes; what ran between them is a fact of the subtitle.
    let of_load = spec.y.metric != Metric::Fsync && !said.contains(&Dimension::Rw);
    let rw = shared(selection, &Dimension::Rw).filter(|_| of_load);
    let ways: Vec<&str> =
        if spec.total && selection.ddirs == [Ddir::Mixed] { vec!["total"] } else { Vec::new() };
    let directions = selection.ddirs.iter().filter(|d| **d != Ddir::Mixed).map(|d| d.as_str());
    let ways: Vec<&str> = ways.into_iter().chain(directions).collect();
    let one_way = ["randread", "randwrite", "randtrim", "read", "write", "trim"];
    let load = match rw.filter(|rw| one_way.contains(&rw.as_str())) {
        Some(rw) => {
            said.push(Dimension::Rw);
            rw.workload_phrase().replace(' ', "-")
        }
        // A mix: the direction that is shown; the mix itself is a fact of the subtitle.
        None => {
            let named = !ways.is_empty() && ways != ["total"] && !said.contains(&Dimension::Rw);
            let pattern = pattern.filter(|_| named);
            if pattern.is_some() && shared(selection, &Dimension::Rw).is_none() {
                said.push(Dimension::Rw);
            }
            let words = pattern.into_iter().map(str::to_owned).chain([list_of(ways.iter().copied())]);
            words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        }
    };
    if !load.is_empty() {
        what = format!("{load} {what}");
    }
    let mut by: Vec<String> = Vec::new();
    match &spec.x {
        XChannel::Time if spec.has(Transform::Rounds) => what.push_str(" in five windows"),
        XChannel::Time if selection.channels.color == Some(Channel::Stat) => {
            what.push_str(" percentiles over time");
        }
        XChannel::Time if spec.mark == Mark::Cell => what.push_str(" of single I/Os over time"),
        XChannel::Time => what.push_str(" over time"),
        XChannel::Amount => what.push_str(&format!(" over the data {}", moved(&selection.ddirs))),
        XChannel::Run => by.push("run".to_owned()),
        XChannel::Change => {}
        XChannel::Value | XChannel::Quantile => {
            what.push_str(&scene.distribution.as_ref().map(distribution::title_end).unwrap_or_default());
        }
        XChannel::Dimension(dimension) => by.push(clean(dimension.title())),
        XChannel::Measure { metric, stat, .. } => {
            what = format!("{what} against {}", plain(Measure { metric: *metric, stat: *stat }));
        }
    }
    if spec.mark == Mark::Box {
        what.push_str(" of single windows");
    }
    by.extend([&selection.channels.color, &selection.channels.facet].into_iter().flatten().filter_map(|c| {
        // A channel with a single value compares nothing.
        let keys = scene.series.iter().map(|s| (&s.id.color, &s.id.facet));
        let is_color = selection.channels.color.as_ref() == Some(c);
        let mut values: Vec<_> = keys.map(|(color, facet)| if is_color { color } else { facet }).collect();
        values.sort();
        values.dedup();
        (values.len() > 1).then(|| channel_title(c)).flatten()
    }));
    by.dedup();
    let by = match by.as_slice() {
        [] => String::new(),
        [one] => format!(" by {one}"),
        [most @ .., last] => format!(" by {} and {last}", most.join(", ")),
    };
    let about = spec.about.as_deref().map(|about| format!(", {}", clean(about))).unwrap_or_default();
    capitalised(&format!("{what}{by}{about}"))
}

/// Measure, aggregation and the facts that all shown runs share.
fn subtitle(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    (scene, x): (&Scene, &DisplayUnit),
    said: &[Dimension],
) -> String {
    let n = scene.repeats_text();
    let many = scene.repeats.1 > 1;
    // Pooled runs differ in more than their repeat; the notes say in what.
    let them = scene.them();
    let mean =
        if spec.y.metric.is_latency() && spec.y.stat == Stat::Mean { "Mean latency; mean" } else { "Mean" };
    let start = match &scene.x {
        _ if scene.grid.is_some() => cells::lead(scene, spec).unwrap_or_default(),
        _ if spec.mark == Mark::Box => boxes::subtitle(scene),
        SceneX::Quantile | SceneX::Value => {
            scene.distribution.as_ref().map(|d| distribution::subtitle(d, scene, x)).unwrap_or_default()
        }
        SceneX::Time(..) if selection.channels.color == Some(Channel::Stat) => {
            percentiles::lead(scene.series.iter().find_map(Series::cell).unwrap_or(0.0), spec)
        }
        SceneX::Time(..) if spec.has(Transform::Rounds) => rounds(selection, spec),
        SceneX::Time(..) | SceneX::Amount(..) => {
            let mut cells = scene.series.iter().filter_map(Series::cell);
            let first = cells.next().unwrap_or(0.0);
            let window = if matches!(scene.x, SceneX::Amount(..)) {
                "equal amounts of data".to_owned()
            } else if cells.all(|c| c == first) {
                format!("{} windows", duration(first))
            } else {
                "windows".to_owned()
            };
            let largest = |&run: &usize| selection.campaign.runs[run].run.logs_largest();
            let each = if spec.y.metric.is_latency() && selection.runs.iter().all(largest) {
                format!("Largest latency of {window}")
            } else {
                format!("Mean of {window}")
            };
            match (many, scene.smoothed) {
                (true, false)
                    if spec.mark == Mark::Area
                        || spec.smooth_ms().is_some()
                        || spec.has(Transform::Cumulate) =>
                {
                    format!("{each} and of {n} {them}")
                }
                (true, false) => format!("{each}; line: mean of {n} {them}, band: their range"),
                (true, true) => {
                    format!("{each}; line: mean of {n} {them} over {SMOOTH} windows, band: range of {them}")
                }
                (false, false) if scene.series.iter().any(Series::has_singles) => {
                    format!("Line: mean of {window}, band: their fastest to slowest I/O")
                }
                (false, false) => each,
                (false, true) => {
                    format!("{each}; line: mean over {SMOOTH} windows, band: their range")
                }
            }
        }
        SceneX::Measure(_) => {
            let over = match &spec.x {
                XChannel::Measure { over, .. } => dimension_title(over),
                _ => String::new(),
            };
            let repeats = if many { format!(", mean of {n} {them}") } else { String::new() };
            format!("A point for each {over}{repeats}")
        }
        SceneX::Values(_) | SceneX::Categories(_) if many => {
            let has_interval = |s: &Series| match &s.data {
                Data::Points(points) => points.iter().any(|p| p.interval.is_some()),
                _ => false,
            };
            let interval = if scene.series.iter().any(has_interval) { " with 95 % interval" } else { "" };
            // Percentiles are not averaged.
            if spec.y.stat.quantile().is_some() {
                format!("{n} {them} {}, each as a dot", scene.merging())
            } else {
                format!("{mean} of {n} {them}{interval}, each as a dot")
            }
        }
        _ if mean == "Mean" => "Single runs".to_owned(),
        _ => "Mean latency of single runs".to_owned(),
    };
    let band = if many { format!("range of {them}") } else { "range of the windows in it".to_owned() };
    let start = std::iter::once(start).chain(transform::said(spec, &band)).collect::<Vec<_>>().join("; ");
    let start = match scene.highlighted {
        Some(all) => format!("{start}; in colour: the highest, the middle and the lowest of {all}"),
        None => start,
    };
    let start = match scene.expectations().next() {
        Some(_) => format!("{start}; marks: {}", scene.expectation_words()),
        None => start,
    };
    let facts = facts(selection, said);
    let parts: Vec<String> =
        std::iter::once(start).chain((!facts.is_empty()).then(|| facts.join(", "))).collect();
    parts.join(" · ")
}

/// What the rule of steady state says about the shown run, a direction at a time.
fn rounds(selection: &Selection<'_>, spec: &ChartSpec) -> String {
    let states = selection.runs.iter().flat_map(|&r| {
        let record = &selection.campaign.runs[r];
        selection.ddirs.iter().filter_map(move |&ddir| record.steady_state(spec.y.metric, ddir))
    });
    let told: Vec<String> = states
        .map(|s| {
            let ddir = if selection.ddirs.len() > 1 { format!("{} ", s.ddir) } else { String::new() };
            let state = if s.attained { "steady" } else { "not steady" };
            format!(
                "{ddir}{state}: range {:.1} % (20 % allowed), trend {:.1} % (10 % allowed)",
                100.0 * s.range_share,
                100.0 * s.slope_share
            )
        })
        .collect();
    format!("SNIA-style, {}", told.join("; "))
}

/// Facts that all shown runs share and that the title does not say.
pub(super) fn facts(selection: &Selection<'_>, said: &[Dimension]) -> Vec<String> {
    let mut order =
        vec![Dimension::Bs, Dimension::Rw, Dimension::Iodepth, Dimension::Numjobs, Dimension::Direct];
    order.extend(Dimension::KNOWN.into_iter().filter(|d| !order.contains(d)).collect::<Vec<_>>());
    order.extend(["fsync", "fdatasync"].map(Dimension::named));
    order.retain(|d| *d != Dimension::Repeat && !said.contains(d));
    let mut facts: Vec<String> = Vec::new();
    for dimension in &order {
        if let Some(value) = shared(selection, dimension) {
            facts.push(value_name(dimension, Some(&value)));
        } else if let (Dimension::Rw, Some(pattern)) = (dimension, pattern(selection)) {
            facts.push(format!("{pattern} I/O"));
        } else if *dimension == Dimension::Direct && option(selection, "direct") == Some("1") {
            facts.push("direct".to_owned());
        }
    }
    // `4 KiB random write` is one fact.
    if shared(selection, &Dimension::Bs).is_some()
        && shared(selection, &Dimension::Rw).is_some()
        && !said.contains(&Dimension::Bs)
    {
        if !said.contains(&Dimension::Rw) && facts.len() > 1 {
            let rw = facts.remove(1);
            facts[0] = format!("{} {rw}", facts[0]);
        } else {
            facts[0].push_str(" blocks");
        }
    }
    if let Some(seconds) =
        option(selection, "runtime").and_then(|t| t.trim_end_matches('s').parse::<f64>().ok())
        && seconds > 0.0
        && seconds.is_finite()
    {
        facts.push(duration(seconds * 1000.0));
    }
    facts
}

impl Series {
    /// True when its band is that of single I/Os.
    fn has_singles(&self) -> bool {
        matches!(&self.data, Data::Trace(trace) if trace.singles)
    }

    /// Width of a cell of a line over time, ms.
    fn cell(&self) -> Option<f64> {
        match &self.data {
            Data::Trace(trace) => Some(trace.cell_ms),
            _ => None,
        }
    }
}

/// How all shown runs go through the data, whatever their directions: `random` or `sequential`.
fn pattern(selection: &Selection<'_>) -> Option<&'static str> {
    let of_run = |&run: &usize| {
        let rw = selection.campaign.runs[run].run.value(&Dimension::Rw)?.as_str();
        match rw {
            "read" | "write" | "rw" | "readwrite" | "trim" | "trimwrite" => Some("sequential"),
            _ => rw.starts_with("rand").then_some("random"),
        }
    };
    let mut patterns = selection.runs.iter().map(of_run);
    let first = patterns.next().flatten()?;
    patterns.all(|other| other == Some(first)).then_some(first)
}

/// The value of a dimension that all shown runs have.
fn shared(selection: &Selection<'_>, dimension: &Dimension) -> Option<Value> {
    let mut values = selection.runs.iter().map(|&r| selection.campaign.runs[r].run.value(dimension));
    let first = values.next().flatten()?;
    values.all(|v| v == Some(first)).then(|| first.clone())
}

/// The value of a job option that all shown runs have.
fn option<'a>(selection: &Selection<'a>, name: &str) -> Option<&'a str> {
    let mut values = selection.runs.iter().map(|&r| selection.campaign.runs[r].run.options.get(name));
    let first = values.next().flatten()?;
    values.all(|v| v == Some(first)).then_some(first.as_str())
}

/// `Source: fio 3.33, 24 runs, 1 December 2026 · plotgen 0.1.0`.
pub(super) fn footer(selection: &Selection<'_>, spec: &ChartSpec) -> String {
    let made_by = format!("plotgen {}", env!("CARGO_PKG_VERSION"));
    if let Some(own) = &spec.source {
        return format!("Source: {} · {made_by}", clean(own));
    }
    let runs = || selection.runs.iter().map(|&r| &selection.campaign.runs[r].run);
    let mut tools: Vec<String> =
        runs().filter(|r| !r.tool.name.is_empty()).map(|r| clean(&r.tool.to_string())).collect();
    tools.sort();
    tools.dedup();
    let n = selection.runs.len();
    let mut parts = Vec::new();
    if !tools.is_empty() {
        parts.push(list(&tools, 3));
    }
    parts.push(format!("{n} run{}", if n == 1 { "" } else { "s" }));
    parts.extend(dates(runs()));
    format!("Source: {} · {made_by}", parts.join(", "))
}

/// The days on which runs were made, from the time stamps that they carry.
pub(crate) fn dates<'r>(runs: impl Iterator<Item = &'r Run>) -> Option<String> {
    let days: Vec<(u32, u32, u32)> = runs.filter_map(|run| date(run.environment.get("timestamp")?)).collect();
    Some(date_range(*days.iter().min()?, *days.iter().max()?))
}

/// Year, month and day of an ISO 8601 time.
fn date(iso: &str) -> Option<(u32, u32, u32)> {
    let mut parts = iso.get(..10)?.split('-').map(str::parse::<u32>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month, day))
}

/// `1 December 2026`, `1–3 December 2026`, `30 November 2026 to 2 December 2026`.
fn date_range(first: (u32, u32, u32), last: (u32, u32, u32)) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let name = |month: u32| MONTHS.get(month as usize - 1).copied().unwrap_or_default();
    let full = |(year, month, day): (u32, u32, u32)| format!("{day} {} {year}", name(month));
    match (first, last) {
        (a, b) if a == b => full(a),
        ((y, m, a), (y2, m2, _)) if (y, m) == (y2, m2) => format!("{a}–{}", full(last)),
        _ => format!("{} to {}", full(first), full(last)),
    }
}

/// The picture in words, for those who cannot see it.
fn alt(
    selection: &Selection<'_>,
    spec: &ChartSpec,
    scene: &Scene,
    title: &str,
    (y, x): (&YPlans, &DisplayUnit),
) -> String {
    let kind = match (spec.mark, &spec.x) {
        _ if scene.grid.is_some() => scene.grid.as_ref().map_or("Chart", |grid| cells::kind(grid, spec)),
        (Mark::Box, _) => "Box plot",
        (_, XChannel::Quantile) => "Percentile chart",
        (_, XChannel::Value) => "Distribution chart",
        (Mark::Bar, _) => "Bar chart",
        (Mark::Area, _) => "Area chart",
        (_, XChannel::Measure { .. }) => "Scatter chart with joined points",
        _ => "Line chart",
    };
    let name = |series: &Series| {
        let parts: Vec<&str> =
            [series.name.as_str(), series.facet.as_str()].into_iter().filter(|p| !p.is_empty()).collect();
        parts.join(", ")
    };
    // In charts of shares the figures are those of the x axis.
    let unit = if scene.figures_on_x() { x } else { &y.shared.unit };
    let number = |value: f64| match &scene.distribution {
        Some(source) if source.log => humanize(value, scene.y.unit(), source.units),
        _ => figure(value, scene.y, unit),
    };
    let level_of = |index: usize, value: f64| {
        let own = y.of_series(scene, index);
        match (&scene.distribution, scene.series.get(index)) {
            (None, Some(series)) if !scene.figures_on_x() => {
                figure(value, scene.measure_of(series), &own.unit)
            }
            _ => number(value),
        }
    };
    let mut items: Vec<String> =
        scene.grid.as_ref().map(|grid| cells::alt(scene, grid, spec, unit)).unwrap_or_default();
    for (index, series) in scene.series.iter().enumerate().filter(|_| scene.grid.is_none()) {
        let name = name(series);
        let text = match (&series.data, &spec.x) {
            (Data::Trace(_), _) => {
                let level = level_of(index, series.figure.unwrap_or_else(|| series.data.level()));
                if spec.has(Transform::Cumulate) {
                    format!("comes to {level}")
                } else if series.settled {
                    format!("settles at {level}")
                } else {
                    format!("has a mean of {level}")
                }
            }
            (Data::Distribution(one), _) => distribution::alt(one, number),
            (Data::Boxes(spots), _) => {
                for spot in spots {
                    let whole = [spot.key.as_str(), name.as_str()];
                    let whole: Vec<&str> = whole.into_iter().filter(|p| !p.is_empty()).collect();
                    items.push(format!("{} {}", whole.join(", "), boxes::alt(spot, number)));
                }
                continue;
            }
            (Data::Points(points), XChannel::Dimension(d)) if spec.mark == Mark::Bar => {
                for point in points {
                    let own = value_name(d, point.key.as_ref());
                    let whole = if name.is_empty() { own } else { format!("{own}, {name}") };
                    let of =
                        point.expectation.as_ref().map(|e| format!(" of {} expected", number(e.saturated)));
                    items.push(format!("{whole} has {}{}", number(point.y), of.unwrap_or_default()));
                }
                continue;
            }
            (Data::Points(points), _) => match (points.first(), points.last()) {
                (Some(a), Some(b)) if points.len() > 1 => {
                    format!("goes from {} to {}", number(a.y), number(b.y))
                }
                (Some(only), _) => format!("has {}", number(only.y)),
                _ => continue,
            },
            (Data::Heat(_), _) => continue,
        };
        let who = if name.is_empty() { "the line" } else { name.as_str() };
        items.push(format!("{who} {text}"));
    }
    let span = match scene.x {
        SceneX::Time(start, end) => format!(" over {}", duration(end - start)),
        _ => String::new(),
    };
    let runs = selection.runs.len();
    let runs = format!("{runs} run{}", if runs == 1 { "" } else { "s" });
    let told = list_with(&items, 8, "; ");
    // Names of files keep their letters.
    let word = told.split([' ', ',']).next().unwrap_or_default();
    let told = if word.chars().all(char::is_alphabetic) { capitalised(&told) } else { told };
    format!("{kind} of {runs}{span}: {title}. {told}.")
}
