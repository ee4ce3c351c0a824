//! The campaign as one chart looks at it: over a part of the run time, with directions added up.
//!
//! In: a campaign and a spec. Out: the same runs at the same places, with the figures that belong to the span, computed
//! from the logs, and with the sum of the directions where the spec asks for it. Borrowed where neither is asked for.
//! What a log does not hold (percentiles, the smallest and largest I/O) is refused, not guessed.

use super::ChartError;
use super::names::measure_phrase;
use super::select::metrics;
use super::trace::resampled;
use crate::analyze::repeat::mean;
use crate::model::{Campaign, Ddir, Measure, Metric, Origin, RunRecord, Stat, Statistic, TimeSeries};
use crate::spec::{Channel, ChartSpec, Mark, XChannel};
use std::borrow::Cow;

/// Directions that can be added up.
const PARTS: [Ddir; 3] = [Ddir::Read, Ddir::Write, Ddir::Trim];

/// What [`super::chart`] works on.
pub(super) fn view<'a>(
    data: &'a Campaign,
    spec: &'a ChartSpec,
) -> Result<(Cow<'a, Campaign>, Cow<'a, ChartSpec>), ChartError> {
    let (mut data, mut spec) = (Cow::Borrowed(data), Cow::Borrowed(spec));
    if spec.span_ms() != (None, None) {
        data = Cow::Owned(cut(&data, &spec)?);
    }
    if spec.total {
        let (runs, filtered) = totalled(&data, &spec)?;
        (data, spec) = (Cow::Owned(runs), Cow::Owned(filtered));
    }
    Ok((data, spec))
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

/// The campaign with the figures of the span in place of those of whole runs.
fn cut(data: &Campaign, spec: &ChartSpec) -> Result<Campaign, ChartError> {
    let whole = match spec.x {
        XChannel::Value | XChannel::Quantile | XChannel::Amount | XChannel::Change => true,
        _ => spec.mark == Mark::Box,
    };
    if whole {
        return Err(ChartError::Unsupported(
            "this chart is of whole runs; leave from, to and skip out of it: `--from` and `--to` read the logs anew"
                .to_owned(),
        ));
    }
    let measures = measures(spec);
    if let Some(measure) = measures.iter().find(|measure| measure.stat != Stat::Mean)
        && spec.x != XChannel::Time
    {
        return Err(ChartError::Unsupported(format!(
            "over a part of the run logs give means, not {}; `--from` and `--to` read the logs anew for it",
            measure_phrase(*measure)
        )));
    }
    let mut data = data.clone();
    for at in spec.filter.choose(&data.runs) {
        let record = &mut data.runs[at];
        for measure in &measures {
            let figures: Vec<Statistic> = Ddir::ALL
                .iter()
                .filter_map(|&ddir| {
                    let value = mean_over(record, measure.metric, ddir, spec.span_ms())?;
                    Some(figure(measure.metric, ddir, value, Origin::Log))
                })
                .collect();
            record.statistics.retain(|s| s.metric != measure.metric);
            record.statistics.extend(figures);
        }
        // Levels and their changes were found over the whole run.
        record.phases.clear();
    }
    Ok(data)
}

fn figure(metric: Metric, ddir: Ddir, value: f64, origin: Origin) -> Statistic {
    Statistic { metric, ddir, stat: Stat::Mean, value, origin, n: None, supported: true }
}

/// The cells of a series whose middle lies in a span.
fn inside(series: &TimeSeries, (from, to): (Option<f64>, Option<f64>)) -> impl Iterator<Item = usize> + '_ {
    let span = from.unwrap_or(f64::NEG_INFINITY)..=to.unwrap_or(f64::INFINITY);
    (0..series.values.len()).filter(move |&i| span.contains(&series.middle_ms(i)))
}

/// The mean of a metric over a span: of a latency weighted by the I/Os of each window, where those were logged.
fn mean_over(
    record: &RunRecord,
    metric: Metric,
    ddir: Ddir,
    span: (Option<f64>, Option<f64>),
) -> Option<f64> {
    let series = record.total_series(metric, ddir).filter(|s| s.cell_ms > 0.0 && s.cell_ms.is_finite())?;
    let cells: Vec<(usize, f64)> =
        inside(series, span).filter_map(|i| Some((i, series.values[i]?))).collect();
    let weights: Option<Vec<Option<f64>>> = record
        .total_series(Metric::Iops, ddir)
        .filter(|ios| metric.is_latency() && ios.cell_ms > 0.0)
        .map(|ios| resampled(ios, series.start_ms, series.cell_ms, series.values.len()));
    let weighted = weights.map(|weights| {
        let pairs = || cells.iter().filter_map(|&(i, value)| Some((value, weights[i]?)));
        let ios: f64 = pairs().map(|(_, ios)| ios).sum();
        pairs().map(|(value, ios)| value * ios).sum::<f64>() / ios
    });
    let plain = || mean(&cells.iter().map(|&(_, value)| value).collect::<Vec<_>>());
    Some(weighted.filter(|value| value.is_finite()).unwrap_or_else(plain)).filter(|value| value.is_finite())
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
