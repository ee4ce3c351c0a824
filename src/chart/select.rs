//! Which runs a chart shows, what tells them apart, and in which colour.
//!
//! In: a campaign and a spec. Out: the accepted runs and the channels that
//! split them, with names and palette slots for their values. Reads no figure.

use super::{ChartError, Ink, Known, amount, distribution, heat, names, percentiles};
use crate::analyze::distribution::{Sampled, windows};
use crate::model::{Campaign, Ddir, Dimension, Measure, Metric, Stat, Value};
use crate::spec::{Channel, ChartSpec, Mark, Rgb, Transform, XChannel};
use std::collections::BTreeMap;

/// Options that must be equal for runs to be repeats of each other and that are no dimension of their own.
///
/// The names, seeds and log options that may differ are not among them.
const EFFECTIVE_OPTIONS: &[&str] = &[
    "runtime",
    "ramp_time",
    "size",
    "direct",
    "ioengine",
    "rw",
    "bs",
    "iodepth",
    "numjobs",
    "rwmixread",
    "log_avg_msec",
    "rate",
    "rate_iops",
    "sync",
    "fsync",
];

/// The words of a note on runs that differ and are shown as one.
const POOLED: &str = "are pooled:";

/// True for a note that says that runs which differ are shown as one.
pub(crate) fn tells_of_pooling(note: &str) -> bool {
    note.contains(POOLED)
}

/// Colours of the palette.
pub(super) const SLOTS: usize = 7;

/// A value of a channel; sorts in the order of legends and panels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// The channel is not used.
    All,
    /// A dimension's value that the user's order names, by its place in it.
    Ranked(usize, Value),
    /// A dimension's value; None for runs without one.
    Value(Option<Value>),
    /// A direction.
    Ddir(Ddir),
    /// All jobs (None), then single jobs.
    Job(Option<usize>),
    /// A run, by its place in the campaign.
    Run(usize),
    /// A statistic.
    Stat(Stat),
    /// A metric, by its place among those of the chart.
    Metric(usize, Metric),
}

impl Key {
    /// The value of a dimension.
    pub(super) fn value(&self) -> Option<&Value> {
        match self {
            Key::Ranked(_, value) => Some(value),
            Key::Value(value) => value.as_ref(),
            _ => None,
        }
    }
}

/// What one observation of a run belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// Index of the run.
    pub run: usize,
    /// Direction.
    pub ddir: Ddir,
    /// Job, None for all.
    pub job: Option<usize>,
    /// The statistic, where a chart shows several.
    pub stat: Option<Stat>,
}

/// The channels of a chart after its defaults.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Channels {
    /// Tells series apart.
    pub color: Option<Channel>,
    /// Tells panels apart.
    pub facet: Option<Channel>,
    /// True when directions stay apart although both channels are taken: they become part of names.
    pub fold_ddir: bool,
    /// True when each value of the x axis has its own colour.
    pub ink_by_x: bool,
}

/// The runs and directions of a chart.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    /// All runs.
    pub campaign: &'a Campaign,
    /// What is asked for: its words and colours for values.
    pub spec: &'a ChartSpec,
    /// Indices of the accepted runs.
    pub runs: Vec<usize>,
    /// Directions that they have figures for.
    pub ddirs: Vec<Ddir>,
    /// What tells series and panels apart.
    pub channels: Channels,
    /// What distributions are made of; None for other charts and where there is nothing.
    pub sampled: Option<Sampled>,
    /// Runs that have windows alone where others have I/Os.
    pub left_out: usize,
}

/// Chooses runs, directions and channels.
pub(super) fn select<'a>(
    (campaign, places): Known<'a>,
    spec: &'a ChartSpec,
) -> Result<Selection<'a>, ChartError> {
    if campaign.runs.is_empty() {
        return Err(ChartError::NoData("the campaign has no runs".to_owned()));
    }
    let accepted = match places {
        Some(places) => spec.filter.choose_named(&campaign.runs, places),
        None => spec.filter.choose(&campaign.runs),
    };
    if accepted.is_empty() {
        return Err(ChartError::NoData(format!("no run passes the filter {}", names::filter(&spec.filter))));
    }
    let by_stat = [&spec.color, &spec.facet].contains(&&Some(Channel::Stat));
    if by_stat && !(spec.color == Some(Channel::Stat) && spec.x == XChannel::Time && spec.mark == Mark::Line)
    {
        return Err(ChartError::Unsupported(
            "statistics side by side are lines over run time that differ in colour".to_owned(),
        ));
    }
    // Latencies of single I/Os over time, not means of windows.
    let of_ios = percentiles::of_ios(spec);
    let distributed = distribution::Form::of(spec).is_some();
    let kind = |run: usize, ddir: Ddir| distribution::sampled(&campaign.runs[run], spec, ddir);
    let by_job = [&spec.color, &spec.facet].contains(&&Some(Channel::Job));
    let stacks_jobs = by_job && spec.has(Transform::Stack);
    let all_ddirs = || Ddir::ALL.iter().copied().filter(|&d| spec.filter.accepts_ddir(d));
    let kinds: Vec<Vec<Option<Sampled>>> = if distributed {
        accepted.iter().map(|&run| all_ddirs().map(|ddir| kind(run, ddir)).collect()).collect()
    } else {
        Vec::new()
    };
    let sampled = kinds.iter().flatten().flatten().min().copied();
    let windows_alone = |kind: Option<Sampled>| kind == Some(Sampled::Windows);
    let has = |run: usize, ddir: Ddir| {
        let record = &campaign.runs[run];
        if of_ios {
            return record.run.has_timed_histogram(spec.y.metric, ddir);
        }
        if spec.x == XChannel::Amount && !amount::knows(record, ddir) {
            return false;
        }
        if distributed {
            let own = kind(run, ddir);
            own.is_some() && windows_alone(own) == windows_alone(sampled)
        } else if spec.mark == Mark::Box {
            windows(record, spec.y.metric, ddir).is_some()
        } else if matches!(spec.x, XChannel::Time | XChannel::Amount) {
            let shown = |metric| metrics(spec).contains(&metric);
            let mut own = record.series.iter().filter(|s| shown(s.metric) && s.ddir == ddir);
            // A stack of jobs has no part for what all jobs do together.
            own.any(|s| !(s.values.is_empty() || stacks_jobs && s.job.is_none()))
        } else {
            record.statistic(spec.y, ddir).is_some_and(|s| s.value.is_finite())
        }
    };
    if of_ios && !accepted.iter().any(|&run| heat::knows_ios(&campaign.runs[run].run, spec.y.metric)) {
        return Err(ChartError::NoData(heat::missing(&accepted, campaign, spec.y.metric)));
    }
    let ddirs: Vec<Ddir> = Ddir::ALL
        .iter()
        .copied()
        .filter(|&d| spec.filter.accepts_ddir(d) && accepted.iter().any(|&r| has(r, d)))
        .collect();
    let count = accepted.len();
    let runs: Vec<usize> =
        accepted.iter().copied().filter(|&run| ddirs.iter().any(|&ddir| has(run, ddir))).collect();
    if runs.is_empty() {
        let what = names::measure_phrase(spec.y);
        let form = match spec.mark {
            _ if distributed => "distribution",
            Mark::Box => "series of windows",
            _ if spec.x == XChannel::Time => "series over time",
            _ if spec.x == XChannel::Amount => "series over time, beside its bandwidth,",
            _ => "figure",
        };
        let instead = (form == "figure").then(|| other_latency(campaign, spec, &accepted)).flatten();
        return Err(ChartError::NoData(format!(
            "no run has a {form} of {what}{}{}",
            names::ddirs(&spec.filter),
            instead.unwrap_or_default()
        )));
    }
    let channels = if of_ios && spec.facet.is_none() && runs.len() > 1 {
        // Runs are not pooled unless a spec says so.
        channels(&ChartSpec { facet: Some(Channel::Run), ..spec.clone() }, &ddirs)?
    } else {
        channels(spec, &ddirs)?
    };
    let with_windows = kinds.iter().filter(|of_run| of_run.iter().any(Option::is_some)).count();
    let left_out = if distributed { with_windows.min(count).saturating_sub(runs.len()) } else { 0 };
    Ok(Selection { campaign, spec, runs, ddirs, channels, sampled, left_out })
}

/// Words on the kind of latency that runs have the figure of: fio gives percentiles of one kind alone, completion
/// latency unless it is told otherwise (fio HOWTO, `lat_percentiles`).
fn other_latency(campaign: &Campaign, spec: &ChartSpec, accepted: &[usize]) -> Option<String> {
    let kinds = [Metric::Clat, Metric::Lat, Metric::Slat];
    let asked = spec.y.metric;
    let has = |metric: Metric| {
        let y = Measure { metric, ..spec.y };
        let mut records = accepted.iter().filter_map(|&run| campaign.runs.get(run));
        records.any(|record| {
            Ddir::ALL.iter().any(|&d| spec.filter.accepts_ddir(d) && record.statistic(y, d).is_some())
        })
    };
    let other = kinds.into_iter().find(|&metric| metric != asked && has(metric))?;
    let rest = spec.id.strip_prefix(asked.as_str()).filter(|rest| rest.starts_with('-')).unwrap_or_default();
    let phrase = names::measure_phrase(Measure { metric: other, ..spec.y });
    kinds.contains(&asked).then(|| format!("; they have {phrase}: use {other}{rest}"))
}

/// The metrics that a chart shows.
pub(super) fn metrics(spec: &ChartSpec) -> &[Metric] {
    if spec.by_metric() { &spec.metrics } else { std::slice::from_ref(&spec.y.metric) }
}

/// Fills in what the spec leaves open: directions never share a line or a bar.
fn channels(spec: &ChartSpec, ddirs: &[Ddir]) -> Result<Channels, ChartError> {
    let mut color = spec.color.clone();
    let mut facet = spec.facet.clone();
    let x = spec.x.dimension().cloned().map(Channel::Dimension);
    if spec.mark == Mark::Cell || super::cells::rows_of(spec).is_some() {
        if color.is_some() {
            return Err(ChartError::Unsupported(
                "the colour of a cell is its figure; tell panels apart by facet instead".to_owned(),
            ));
        }
        // The rows of a grid are its series.
        color = super::cells::rows_of(spec).cloned().map(Channel::Dimension);
    }
    let by_job = [&color, &facet].iter().any(|c| **c == Some(Channel::Job));
    if by_job && spec.x != XChannel::Time {
        return Err(ChartError::Unsupported(
            "single jobs have series over time only; use x = time, or another channel than job".to_owned(),
        ));
    }
    if spec.color == Some(Channel::Metric) {
        return Err(ChartError::Unsupported(
            "metrics have units of their own and share no axis; use facet = \"metric\"".to_owned(),
        ));
    }
    if spec.by_metric() && spec.x != XChannel::Time {
        return Err(ChartError::Unsupported(
            "panels of several metrics share run time as their axis".to_owned(),
        ));
    }
    let ink_by_x = matches!(spec.mark, Mark::Bar | Mark::Box) && x.is_some() && color == x;
    if color == x {
        color = None;
    }
    if facet == x {
        facet = None;
    }
    let split = [&color, &facet].iter().any(|c| **c == Some(Channel::Ddir));
    let mut fold_ddir = false;
    if ddirs.len() > 1 && !split {
        if facet.is_none() {
            facet = Some(Channel::Ddir);
        } else if color.is_none() && spec.mark != Mark::Cell {
            color = Some(Channel::Ddir);
        } else {
            fold_ddir = true;
        }
    }
    Ok(Channels { color, facet, fold_ddir, ink_by_x })
}

impl Selection<'_> {
    /// The value of a channel for one observation.
    pub(super) fn key(&self, channel: Option<&Channel>, facts: Facts) -> Key {
        match channel {
            None => Key::All,
            Some(Channel::Dimension(dimension)) => {
                let value = self.campaign.runs[facts.run].run.value(dimension).cloned();
                let rank = value.as_ref().and_then(|value| self.spec.rank_of(dimension, value));
                match (rank, value) {
                    (Some(rank), Some(value)) => Key::Ranked(rank, value),
                    (_, value) => Key::Value(value),
                }
            }
            Some(Channel::Ddir) => Key::Ddir(facts.ddir),
            Some(Channel::Job) => Key::Job(facts.job),
            Some(Channel::Run) => Key::Run(facts.run),
            Some(Channel::Stat) => facts.stat.map_or(Key::All, Key::Stat),
            Some(Channel::Metric) => Key::All,
        }
    }

    /// A channel's value as labels write it, in the user's words where there are any; empty for no channel.
    pub(super) fn name(&self, channel: Option<&Channel>, key: &Key) -> String {
        if let Some((dimension, spelled)) = self.spelled(channel, key)
            && let Some(own) = self.spec.label_of(dimension, &spelled)
        {
            return names::clean(own);
        }
        match (channel, key) {
            (Some(Channel::Dimension(dimension)), key) => names::value_name(dimension, key.value()),
            (_, Key::Ddir(Ddir::Mixed)) if self.spec.total => "total".to_owned(),
            (_, Key::Ddir(Ddir::Mixed)) if !self.spec.y.metric.is_directed() => {
                self.spec.y.metric.title().to_owned()
            }
            (_, Key::Ddir(ddir)) => ddir.as_str().to_owned(),
            (_, Key::Job(None)) => "all jobs".to_owned(),
            (_, Key::Job(Some(job))) => self.job_name(*job),
            (_, Key::Run(run)) => self.run_name(*run),
            (_, Key::Stat(Stat::P50)) => "median".to_owned(),
            (_, Key::Stat(Stat::Max)) => "slowest".to_owned(),
            (_, Key::Stat(Stat::Min)) => "fastest".to_owned(),
            (_, Key::Stat(stat)) => stat.to_string(),
            (_, Key::Metric(_, metric)) => names::capitalised(metric.title()),
            _ => String::new(),
        }
    }

    /// A value as files spell it, with its dimension: what the user's words and colours go by.
    fn spelled<'k>(
        &self,
        channel: Option<&'k Channel>,
        key: &'k Key,
    ) -> Option<(Option<&'k Dimension>, String)> {
        match (channel, key) {
            (Some(Channel::Dimension(dimension)), key) => {
                key.value().map(|value| (Some(dimension), value.as_str().to_owned()))
            }
            (_, Key::Ddir(Ddir::Mixed)) if self.spec.total => Some((None, "total".to_owned())),
            (_, Key::Ddir(ddir)) => Some((None, ddir.to_string())),
            (_, Key::Job(None)) => Some((None, "all jobs".to_owned())),
            (_, Key::Job(Some(job))) => Some((None, self.job_name(*job))),
            // A run goes by its label as by its id.
            (_, Key::Run(run)) => {
                let own = &self.campaign.runs[*run].run;
                let known = |name: &String| {
                    self.spec.labels.contains_key(name) || self.spec.colors.contains_key(name)
                };
                Some((None, if known(&own.id) { own.id.clone() } else { own.label.clone() }))
            }
            (_, Key::Stat(stat)) => Some((None, stat.to_string())),
            (_, Key::Metric(_, metric)) => Some((None, metric.to_string())),
            _ => None,
        }
    }

    /// The colour that the user chose for a channel's value.
    pub(super) fn own_ink(&self, channel: Option<&Channel>, key: &Key) -> Option<Ink> {
        let (dimension, spelled) = self.spelled(channel, key)?;
        self.spec.color_of(dimension, &spelled).map(|Rgb(rgb)| Ink::Own(rgb))
    }

    /// A value of the x axis at its tick, in the user's words where there are any.
    pub(super) fn tick(&self, dimension: &Dimension, value: Option<&Value>) -> String {
        let own = value.and_then(|value| self.spec.label_of(Some(dimension), value.as_str()));
        own.map_or_else(|| names::tick_name(dimension, value), names::clean)
    }

    /// A run's label, or its id where the label occurs twice.
    fn run_name(&self, run: usize) -> String {
        let own = &self.campaign.runs[run].run;
        let twice = self.runs.iter().filter(|&&r| self.campaign.runs[r].run.label == own.label).count() > 1;
        names::clean(if twice || own.label.trim().is_empty() { &own.id } else { &own.label })
    }

    /// What tells a job from the others of its run.
    fn job_name(&self, job: usize) -> String {
        let jobs = self.runs.iter().map(|&r| &self.campaign.runs[r].run.jobs).max_by_key(|jobs| jobs.len());
        let all: Vec<String> = jobs.into_iter().flatten().map(|j| names::clean(&j.name)).collect();
        names::among_jobs(&all, job)
    }

    /// The palette slot of a channel's value, the same in all charts of a campaign; None for a total.
    pub(super) fn slot(&self, channel: Option<&Channel>, key: &Key) -> Option<usize> {
        let slot = match (channel, key) {
            (Some(Channel::Dimension(dimension)), key @ (Key::Value(_) | Key::Ranked(..))) => {
                value_slot(&self.campaign.values, dimension, key.value())
            }
            (_, Key::Ddir(Ddir::Mixed)) if self.spec.total => return None,
            (_, Key::Ddir(ddir)) => match ddir {
                Ddir::Read => 0,
                Ddir::Write => 1,
                Ddir::Trim => 2,
                Ddir::Mixed => 3,
            },
            (_, Key::Job(None)) => return None,
            (_, Key::Job(Some(job))) => *job,
            (_, Key::Run(run)) => self.runs.iter().position(|r| r == run).unwrap_or(0),
            (_, Key::Stat(stat)) => match stat {
                Stat::P50 | Stat::Mean => 0,
                Stat::P99 | Stat::Stddev => 1,
                Stat::P999 | Stat::Cov => 2,
                Stat::P95 => 3,
                Stat::Max => 4,
                Stat::P90 | Stat::Min => 5,
                Stat::P9999 => 6,
            },
            _ => 0,
        };
        Some(slot % SLOTS)
    }

    /// The dimensions that channels already tell apart.
    pub(super) fn channel_dimensions(&self) -> Vec<Dimension> {
        [&self.channels.color, &self.channels.facet]
            .into_iter()
            .filter_map(|c| match c {
                Some(Channel::Dimension(dimension)) => Some(dimension.clone()),
                _ => None,
            })
            .collect()
    }

    /// Names what differs inside groups that are shown as one, so that nothing is pooled silently.
    pub(super) fn pooled<'g>(&self, groups: impl Iterator<Item = &'g [usize]>) -> Vec<String> {
        let mut dimensions: BTreeMap<&Dimension, Vec<Option<&Value>>> = BTreeMap::new();
        let mut options: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for group in groups {
            if group.len() < 2 {
                continue;
            }
            let runs = || group.iter().map(|&r| &self.campaign.runs[r].run);
            for dimension in self.campaign.dimensions.iter().filter(|d| **d != Dimension::Repeat) {
                let mut values: Vec<_> = runs().map(|run| run.value(dimension)).collect();
                values.sort();
                values.dedup();
                if values.len() > 1 {
                    dimensions.entry(dimension).or_default().extend(values);
                }
            }
            for option in EFFECTIVE_OPTIONS {
                let mut values: Vec<&str> =
                    runs().map(|run| run.options.get(*option).map_or("unset", String::as_str)).collect();
                values.sort_unstable();
                values.dedup();
                // A dimension of the same name has spoken already.
                if values.len() > 1 && !dimensions.keys().any(|d| d.as_str() == *option) {
                    options.entry(option).or_default().extend(values);
                }
            }
        }
        let by_dimension = dimensions.into_iter().map(|(dimension, mut values)| {
            values.sort();
            values.dedup();
            let names: Vec<String> = values.iter().map(|v| names::value_plain(dimension, *v)).collect();
            format!("Runs that differ in {} {POOLED} {}.", dimension.title(), names::list(&names, 6))
        });
        let by_option = options.into_iter().map(|(option, mut values)| {
            values.sort_unstable();
            values.dedup();
            let names: Vec<String> = values.iter().map(|v| names::clean(v)).collect();
            format!("Runs that differ in their option {option} {POOLED} {}.", names::list(&names, 6))
        });
        by_dimension.chain(by_option).collect()
    }
}

/// The slot of a dimension's value: its place among all values of the campaign.
pub(super) fn value_slot(
    values: &BTreeMap<Dimension, Vec<Value>>,
    dimension: &Dimension,
    value: Option<&Value>,
) -> usize {
    let known = values.get(dimension).map_or(&[][..], Vec::as_slice);
    match value {
        Some(value) => known.iter().position(|v| v == value).unwrap_or(0),
        None => known.len(),
    }
}

/// The ink of a slot; a total has the ink of text.
pub(super) fn ink(slot: Option<usize>) -> Ink {
    slot.map_or(Ink::Text, |slot| Ink::Series((slot % SLOTS) as u8))
}

/// The dash pattern of a slot: a second code beside its colour.
pub(super) fn dash(slot: Option<usize>) -> Vec<f64> {
    const DASHES: [&[f64]; SLOTS] = [
        &[],
        &[9.0, 3.0],
        &[3.0, 2.5],
        &[12.0, 3.0, 3.0, 3.0],
        &[18.0, 4.0],
        &[8.0, 3.0, 2.0, 3.0, 2.0, 3.0],
        &[5.0, 5.0],
    ];
    slot.map_or_else(Vec::new, |slot| DASHES[slot % SLOTS].to_vec())
}
