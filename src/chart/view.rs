//! The campaign as one chart looks at it: over a part of the run time, with directions added up.
//!
//! In: a campaign and a spec. Out: the same runs at the same places, with the figures that belong to the span, computed
//! anew from the logs, and with the sum of the directions where the spec asks for it. Borrowed where neither is asked
//! for. What a tool said of whole runs cannot be cut: it is left out, and what then lacks is refused in words.

use super::ChartError;
use super::names::{duration, measure_phrase};
use super::select::{self, metrics};
use super::trace::resampled;
use super::{distribution, percentiles};
use crate::analyze::baseline::{compare, run_of};
use crate::analyze::distribution::Sampled;
use crate::analyze::{Extent, Part, Threshold, part};
use crate::model::{
    Baseline, Campaign, Ddir, Measure, Metric, Origin, Run, RunRecord, Stat, Statistic, TimeSeries, TimeSpan,
};
use crate::spec::{Channel, ChartSpec, XChannel};
use std::borrow::Cow;

/// Directions that can be added up.
const PARTS: [Ddir; 3] = [Ddir::Read, Ddir::Write, Ddir::Trim];

/// What [`super::chart`] works on.
pub(super) struct View<'a> {
    /// The campaign with the figures of the part.
    pub data: Cow<'a, Campaign>,
    /// The spec with the run times at which the runs were truly cut, and the directions that are left to show.
    pub spec: Cow<'a, ChartSpec>,
    /// What the reader must know of the part.
    pub notes: Vec<String>,
}

/// The campaign as `spec` looks at it.
pub(super) fn view<'a>(data: &'a Campaign, spec: &'a ChartSpec) -> Result<View<'a>, ChartError> {
    let mut view = View { data: Cow::Borrowed(data), spec: Cow::Borrowed(spec), notes: Vec::new() };
    if spec.span_ms() != (None, None) {
        view = cut(data, spec)?;
    }
    if let Some(part) = data.part {
        // The runs were cut before: what is shown is that part, or a part of it.
        view.spec = Cow::Owned(view.spec.into_owned().within(part));
    }
    if spec.total {
        let (runs, filtered) = totalled(&view.data, &view.spec)?;
        (view.data, view.spec) = (Cow::Owned(runs), Cow::Owned(filtered));
    }
    Ok(view)
}

/// The measures whose figures a chart shows.
fn measures(spec: &ChartSpec) -> Vec<Measure> {
    let y = metrics(spec).iter().map(|&metric| Measure { metric, ..spec.y });
    let x = match spec.x {
        XChannel::Measure { metric, stat, .. } => Some(Measure { metric, stat }),
        _ => None,
    };
    y.chain(x).collect()
}

/// The metric whose single I/Os a chart is made of.
fn counted(spec: &ChartSpec) -> Option<Metric> {
    let of_ios = distribution::Form::of(spec).is_some()
        || percentiles::of_ios(spec)
        || measures(spec).iter().any(|measure| measure.stat.quantile().is_some());
    of_ios.then_some(spec.y.metric)
}

/// The campaign with the figures of the span in place of those of whole runs.
fn cut<'a>(data: &Campaign, spec: &ChartSpec) -> Result<View<'a>, ChartError> {
    let ios = counted(spec);
    let mut taken = Taken { asked: spec.span_ms(), ..Taken::default() };
    let span = taken.span();
    // The tests of a comparison are judged together, whichever of them are shown.
    let all = spec.x == XChannel::Change;
    let accepted: Vec<bool> = data.runs.iter().map(|record| all || spec.filter.accepts(record)).collect();
    let of_run = |(record, shown): (&RunRecord, &bool)| {
        if !shown {
            return record.clone();
        }
        let part = part(record, span, ios);
        taken.add(&record.run, &part);
        part.record
    };
    let runs: Vec<RunRecord> = data.runs.iter().zip(&accepted).map(of_run).collect();
    let mut view = View {
        data: Cow::Owned(Campaign {
            runs,
            title: data.title.clone(),
            dimensions: data.dimensions.clone(),
            values: data.values.clone(),
            copies: data.copies.clone(),
            contrasts: data.contrasts.clone(),
            model: data.model.clone(),
            part: data.part,
            ..Campaign::default()
        }),
        spec: Cow::Owned(taken.spec(spec)),
        notes: taken.notes(),
    };
    if spec.x == XChannel::Change {
        view.data.to_mut().baseline = baseline(data, &view.data, span)?;
    }
    // A chart that whole runs have, but not their parts.
    let sampled = |data: &Campaign, spec: ChartSpec| {
        let spec = ChartSpec { total: false, ..spec };
        select::select((data, None), &spec).map(|selection| selection.sampled)
    };
    let whole = || sampled(data, ChartSpec { from_ms: None, to_ms: None, skip_ms: None, ..spec.clone() });
    match sampled(&view.data, view.spec.clone().into_owned()) {
        Err(ChartError::NoData(_)) if whole().is_ok() => return Err(taken.refusal(spec)),
        Ok(Some(Sampled::Windows)) if matches!(whole(), Ok(Some(Sampled::Ios | Sampled::Percentiles))) => {
            view.notes.push(
                "Of a part of the runs only means of windows are known: the tools count single I/Os over whole runs."
                    .to_owned(),
            );
        }
        _ => {}
    }
    Ok(view)
}

/// What was found while runs were cut.
#[derive(Default)]
struct Taken {
    /// Where the parts lie.
    extent: Extent,
    /// Start and end that were asked for, ms.
    asked: (Option<f64>, Option<f64>),
    /// Longest windows that a run was cut at, ms.
    window_ms: f64,
    /// Runs that have no log.
    without: usize,
    /// Runs that are over before the part begins.
    over: usize,
    /// Where the longest run ends, ms.
    longest: f64,
}

impl Taken {
    /// What was asked for, as two run times.
    fn span(&self) -> (f64, f64) {
        (self.asked.0.unwrap_or(0.0), self.asked.1.unwrap_or(f64::INFINITY))
    }

    /// The one span that stands for all parts in words.
    fn told(&self) -> Option<TimeSpan> {
        self.extent.told(self.span())
    }

    fn add(&mut self, run: &Run, part: &Part) {
        if run.series.is_empty() {
            self.without += 1;
            return;
        }
        self.longest = self.longest.max(part.end_ms);
        self.window_ms = self.window_ms.max(part.window_ms);
        if part.record.run.series.is_empty() {
            self.over += usize::from(part.span.0 >= part.end_ms);
            return;
        }
        self.extent.add(part.span);
    }

    /// The spec with the run times at which the runs were cut.
    fn spec(&self, spec: &ChartSpec) -> ChartSpec {
        let Some(TimeSpan { from_ms: from, to_ms }) = self.told() else { return spec.clone() };
        let from_ms = Some(from).filter(|from| *from > 0.0);
        let skipped = spec.skip_ms.is_some() && spec.from_ms.is_none_or(|from| spec.skip_ms >= Some(from));
        ChartSpec {
            from_ms: from_ms.filter(|_| !skipped),
            skip_ms: from_ms.filter(|_| skipped),
            to_ms,
            ..spec.clone()
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let Some(TimeSpan { from_ms: from, to_ms: to }) = self.told() else { return notes };
        let moved = |asked: Option<f64>, found: f64| asked.is_some_and(|ms| (ms - found).abs() > 0.5);
        let uneven = self.extent.is_uneven();
        if moved(self.asked.0, from) || to.is_some_and(|to| moved(self.asked.1, to)) || uneven {
            let window = duration(self.window_ms);
            let end = to.map_or("to the end".to_owned(), |to| format!("to {}", duration(to)));
            let each = if uneven { ", of each run the nearest to what was asked for" } else { "" };
            notes.push(format!(
                "Runs are cut at whole windows of their logs, here of up to {window}{each}: shown is {} {end}.",
                duration(from)
            ));
        }
        if self.extent.has_shorter() {
            notes.push("Runs that are over before that are shown to their end.".to_owned());
        }
        let left = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 run {one} is left out.")),
            n => Some(format!("{n} runs {many} are left out.")),
        };
        notes.extend(left(
            self.without,
            "without a log over time, of which no part is known,",
            "without logs over time, of which no part is known,",
        ));
        notes.extend(left(self.over, "that ended before", "that ended before"));
        notes
    }

    /// Why the runs have no part of what a chart shows, and what to do about it.
    fn refusal(&self, spec: &ChartSpec) -> ChartError {
        let (from, to) = self.span();
        let part = if to.is_finite() {
            format!("from {} to {}", duration(from), duration(to))
        } else {
            format!("from {} on", duration(from))
        };
        if self.longest > 0.0 && from >= self.longest {
            return ChartError::NoData(format!(
                "no run goes on {part}: the longest ends at {}",
                duration(self.longest)
            ));
        }
        if self.longest > 0.0 && self.told().is_none() && to - from < self.window_ms {
            return ChartError::NoData(format!(
                "the part {part} holds no whole window of the logs, which are {} long; widen from and to",
                duration(self.window_ms)
            ));
        }
        let what = measure_phrase(spec.y);
        let (known, log) = if counted(spec).is_some() && spec.y.metric.is_latency() {
            (
                "its single I/Os are counted over whole runs",
                "let fio log them (write_lat_log without log_avg_msec, or write_hist_log)".to_owned(),
            )
        } else {
            let log = match spec.y.metric {
                metric if metric.is_latency() => "lat",
                metric => metric.as_str(),
            };
            ("its figures are of whole runs", format!("let fio log it over time (write_{log}_log)"))
        };
        ChartError::Unsupported(format!(
            "no part of a run can be had of {what}: {known}, and no log of the runs holds more; leave from, to and skip out of it, or {log}"
        ))
    }
}

/// The comparison with the baseline, both sides cut.
fn baseline(whole: &Campaign, part_of: &Campaign, span: (f64, f64)) -> Result<Option<Baseline>, ChartError> {
    let Some(known) = &whole.baseline else { return Ok(None) };
    if whole.base_runs.is_empty() {
        return Err(ChartError::Unsupported(
            "the baseline is an earlier report, which holds figures of whole runs alone; name its results with \
             --baseline instead, or leave from, to and skip out"
                .to_owned(),
        ));
    }
    let base: Vec<_> =
        whole.base_runs.iter().map(|record| run_of(&part(record, span, None).record)).collect();
    let new: Vec<_> = part_of.runs.iter().map(run_of).collect();
    let by_metric = known.changes.iter().map(|change| (change.metric, change.threshold)).collect();
    Ok(Some(compare(&base, &new, &Threshold { by_metric, ..Threshold::default() })))
}

fn figure(metric: Metric, ddir: Ddir, value: f64, origin: Origin) -> Statistic {
    Statistic { metric, ddir, stat: Stat::Mean, value, origin, n: None, supported: true }
}

/// The campaign with the sum of the directions as [`Ddir::Mixed`], and the spec that shows it.
fn totalled(data: &Campaign, spec: &ChartSpec) -> Result<(Campaign, ChartSpec), ChartError> {
    if let Some(measure) =
        measures(spec).into_iter().find(|measure| !measure.metric.is_rate() || measure.stat != Stat::Mean)
    {
        return Err(ChartError::Unsupported(format!(
            "directions add up in mean bw and iops alone, not in {}; leave total out",
            measure_phrase(measure)
        )));
    }
    let mut data = data.clone();
    let parts: Vec<Ddir> = PARTS.into_iter().filter(|ddir| spec.filter.accepts_ddir(*ddir)).collect();
    for at in spec.filter.choose(&data.runs) {
        for measure in measures(spec) {
            total_of(&mut data.runs[at], measure, &parts);
        }
    }
    let mut spec = spec.clone();
    let beside = [&spec.color, &spec.facet].contains(&&Some(Channel::Ddir));
    spec.filter.ddirs =
        if beside { parts.into_iter().chain([Ddir::Mixed]).collect() } else { vec![Ddir::Mixed] };
    Ok((data, spec))
}

/// Adds the sum of `parts`; what the tool had merged itself stays as it is.
fn total_of(record: &mut RunRecord, measure: Measure, parts: &[Ddir]) {
    let metric = measure.metric;
    if record.statistic(measure, Ddir::Mixed).is_none() {
        let found: Vec<(f64, Origin)> =
            parts.iter().filter_map(|&d| record.statistic(measure, d)).map(|s| (s.value, s.origin)).collect();
        if let Some((_, origin)) = found.first() {
            let sum = found.iter().map(|(value, _)| value).sum();
            record.statistics.push(figure(metric, Ddir::Mixed, sum, *origin));
        }
    }
    let mut jobs: Vec<Option<usize>> = record
        .series
        .iter()
        .filter(|s| s.metric == metric && parts.contains(&s.ddir))
        .map(|s| s.job)
        .collect();
    jobs.sort_unstable();
    jobs.dedup();
    for job in jobs {
        let of_job = |ddir: Ddir| {
            record.series.iter().find(move |s| s.metric == metric && s.job == job && s.ddir == ddir)
        };
        if of_job(Ddir::Mixed).is_some() {
            continue;
        }
        let members: Vec<&TimeSeries> = parts
            .iter()
            .filter_map(|&ddir| of_job(ddir))
            .filter(|s| s.cell_ms > 0.0 && s.cell_ms.is_finite() && s.start_ms.is_finite())
            .collect();
        if let Some(sum) = sum_of(&members) {
            record.series.push(sum);
        }
    }
}

/// Rates of several directions added up on the coarsest of their grids; a direction that has ended adds nothing.
fn sum_of(members: &[&TimeSeries]) -> Option<TimeSeries> {
    let first = *members.first()?;
    let start_ms = members.iter().map(|s| s.start_ms).fold(f64::INFINITY, f64::min);
    let cell_ms = members.iter().map(|s| s.cell_ms).fold(0.0, f64::max);
    let end = members.iter().map(|s| s.start_ms + s.values.len() as f64 * s.cell_ms).fold(0.0, f64::max);
    let count = ((end - start_ms) / cell_ms - 1e-6).ceil().clamp(1.0, 65_536.0) as usize;
    let mut values: Vec<Option<f64>> = vec![None; count];
    for series in members {
        let same = series.start_ms == start_ms && series.cell_ms == cell_ms;
        let own = if same {
            Cow::Borrowed(&series.values)
        } else {
            Cow::Owned(resampled(series, start_ms, cell_ms, count))
        };
        for (sum, value) in values.iter_mut().zip(own.iter()) {
            *sum = value.map(|v| sum.unwrap_or(0.0) + v).or(*sum);
        }
    }
    Some(TimeSeries { ddir: Ddir::Mixed, start_ms, cell_ms, values, extremes: None, ..first.clone() })
}
