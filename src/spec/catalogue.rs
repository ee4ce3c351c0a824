//! The built-in charts, and the choice of those that a campaign supports.

use crate::model::text::edit_distance;
use crate::model::{Campaign, Contrast, Ddir, Dimension, Measure, Metric, RunRecord, Stat, Value};
use crate::spec::{Channel, ChartSpec, Filter, Mark, Reference, XChannel};
use std::collections::{BTreeMap, BTreeSet};

/// Most values that one time chart overlays.
const OVERLAID: usize = 7;
/// Most time charts of one comparison, one for each value of its second dimension.
const TIME_CHARTS: usize = 3;
/// From this block size on, bandwidth is the figure that people look at.
const LARGE_BLOCK: f64 = 65_536.0;
/// The rule of thumb for good latency of a hard disk array, ns.
const GOOD_LATENCY: f64 = 20e6;

/// An entry of the catalogue.
#[derive(Debug, Clone)]
pub struct Builtin {
    /// Name for `plotgen chart NAME`; capitals stand for a word of the user's.
    pub name: String,
    /// What it answers.
    pub answers: &'static str,
    /// What a campaign needs for it.
    pub needs: &'static str,
}

/// All built-in charts, by name.
#[must_use]
pub fn builtins() -> Vec<Builtin> {
    let entry = |name: &str, answers, needs| Builtin { name: name.to_owned(), answers, needs };
    vec![
        entry(
            "METRIC-by-DIMENSION",
            "which level, size or system is best",
            "runs that differ in the dimension",
        ),
        entry(
            "METRIC-STAT-by-DIMENSION",
            "the same for another figure, such as lat-p99-by-raid",
            "runs that differ in the dimension",
        ),
        entry(
            "METRIC-by-DIMENSION-and-DIMENSION",
            "the same, grouped by a second dimension",
            "runs that differ in both dimensions",
        ),
        entry(
            "lat-iops-over-DIMENSION",
            "where the knee is: latency against IOPS, a point per load level",
            "a sweep of iodepth, numjobs or another load",
        ),
        entry("METRIC-time", "how it runs over time, whether it is erratic", "logs"),
        entry(
            "METRIC-time-by-DIMENSION",
            "compared runs over time",
            "logs of runs that differ in the dimension",
        ),
        entry("METRIC-jobs", "whether the jobs of a run are fair", "logs of a run with several jobs"),
    ]
}

/// The charts that suit a campaign, most telling first: comparisons, then one pair for each run.
#[must_use]
pub fn suggest(campaign: &Campaign) -> Vec<ChartSpec> {
    let mut specs = Vec::new();
    for contrast in &campaign.contrasts {
        for group in by_workload(campaign, contrast) {
            specs.extend(compare(campaign, contrast, &group));
        }
    }
    if specs.is_empty() {
        specs.extend(overlay(campaign));
    }
    for record in &campaign.runs {
        specs.extend(single(record, &format!("run-{}", slug(&record.run.id))));
    }
    tell_apart(campaign, &mut specs);
    specs
}

/// The charts of a name: of those that suit the campaign, or one made from the name's words.
///
/// # Errors
/// A sentence that says what was not understood or is not there, and which names are near.
pub fn named(name: &str, campaign: &Campaign) -> Result<Vec<ChartSpec>, String> {
    let suggested = suggest(campaign);
    if let Some(spec) = suggested.iter().find(|spec| spec.id == name) {
        return Ok(vec![spec.clone()]);
    }
    if let Some(spec) = parse(name, campaign) {
        return Ok(vec![spec?]);
    }
    let mut near: Vec<(usize, &str)> =
        suggested.iter().map(|spec| (edit_distance(name, &spec.id), spec.id.as_str())).collect();
    near.sort_unstable();
    let near: Vec<&str> = near.iter().take(3).map(|(_, id)| *id).collect();
    Err(format!(
        "no chart is named `{name}`; near names: {}; `plotgen charts INPUTS` lists all",
        if near.is_empty() { "none".to_owned() } else { near.join(", ") }
    ))
}

/// A chart made from the words of its name: `lat-p99-by-raid-and-chunk`, `bw-time-by-raid`, `lat-iops-over-iodepth`.
fn parse(name: &str, campaign: &Campaign) -> Option<Result<ChartSpec, String>> {
    let known = |word: &str| {
        let dimension = Dimension::named(word);
        if campaign.dimensions.contains(&dimension) {
            return Ok(dimension);
        }
        let have: Vec<&str> = campaign.dimensions.iter().map(Dimension::as_str).collect();
        Err(format!("no run has the dimension `{word}`; these occur: {}", have.join(", ")))
    };
    if let Some(over) = name.strip_prefix("lat-iops-over-") {
        return Some(known(over).map(|over| load_curve(name, over, None)));
    }
    let (subject, by) = match name.split_once("-by-") {
        Some((subject, by)) => (subject, Some(by)),
        None => (name, None),
    };
    let mut words = subject.splitn(2, '-');
    let metric: Metric = words.next()?.parse().ok()?;
    let rest = words.next();
    match (rest, by) {
        (Some("time"), by) => {
            let color = match by.map(known) {
                None => Ok(Channel::Run),
                Some(dimension) => dimension.map(Channel::Dimension),
            };
            Some(color.map(|color| time(name, metric, color)))
        }
        (Some("jobs"), None) => Some(Ok(time(name, metric, Channel::Job))),
        (stat, Some(by)) => {
            let stat: Stat = match stat {
                None => Stat::Mean,
                Some(stat) => stat.parse().ok()?,
            };
            let (first, second) = match by.split_once("-and-") {
                Some((first, second)) => (first, Some(second)),
                None => (by, None),
            };
            Some(known(first).and_then(|first| {
                let second = second.map(known).transpose()?;
                let mut spec = bars(name, Measure { metric, stat }, first, second);
                spec.facet = Some(Channel::Ddir);
                Ok(spec)
            }))
        }
        (_, None) => None,
    }
}

fn time(id: impl Into<String>, metric: Metric, color: Channel) -> ChartSpec {
    let mut spec = ChartSpec::new(id, Mark::Line, XChannel::Time, Measure::mean(metric));
    spec.facet = (color != Channel::Ddir).then_some(Channel::Ddir);
    spec.color = Some(color);
    spec
}

/// Bars over `by`; without a second dimension every bar has the colour of its own value.
fn bars(id: impl Into<String>, y: Measure, by: Dimension, second: Option<Dimension>) -> ChartSpec {
    let mut spec = ChartSpec::new(id, Mark::Bar, XChannel::Dimension(by.clone()), y);
    spec.color = Some(Channel::Dimension(second.unwrap_or(by)));
    spec
}

fn sweep(id: impl Into<String>, y: Measure, by: Dimension, second: Option<Dimension>) -> ChartSpec {
    let mut spec = ChartSpec::new(id, Mark::Line, XChannel::Dimension(by), y);
    spec.color = second.map(Channel::Dimension);
    spec
}

fn load_curve(id: impl Into<String>, over: Dimension, second: Option<Dimension>) -> ChartSpec {
    let x = XChannel::Measure { metric: Metric::Iops, stat: Stat::Mean, over };
    let mut spec = ChartSpec::new(id, Mark::Dot, x, Measure::mean(Metric::Lat));
    spec.color = second.map(Channel::Dimension);
    spec.facet = Some(Channel::Ddir);
    spec
}

/// Runs of a contrast that stand in one chart.
struct Group {
    runs: Vec<usize>,
    /// Told in the id where there are several groups.
    workload: Option<String>,
}

/// One group when each workload has a direction of its own (randread, randwrite: two panels), else one for each workload.
fn by_workload(campaign: &Campaign, contrast: &Contrast) -> Vec<Group> {
    let mut workloads: BTreeMap<(Option<Value>, Option<Value>), Vec<usize>> = BTreeMap::new();
    for &index in &contrast.runs {
        let run = &campaign.runs[index].run;
        let mix = run.value(&Dimension::Other("rwmixread".into()));
        workloads.entry((run.value(&Dimension::Rw).cloned(), mix.cloned())).or_default().push(index);
    }
    let ddirs_of =
        |runs: &[usize]| -> BTreeSet<Ddir> { runs.iter().flat_map(|&r| ddirs(&campaign.runs[r])).collect() };
    let all: usize = workloads.values().map(|runs| ddirs_of(runs).len()).sum();
    let distinct = ddirs_of(&contrast.runs).len();
    if workloads.len() < 2 || all == distinct {
        return vec![Group { runs: contrast.runs.clone(), workload: None }];
    }
    workloads
        .into_iter()
        .map(|((rw, mix), runs)| {
            let words: Vec<String> = [rw, mix].into_iter().flatten().map(|v| v.as_str().to_owned()).collect();
            Group { runs, workload: (!words.is_empty()).then(|| words.join("-")) }
        })
        .collect()
}

fn ddirs(record: &RunRecord) -> BTreeSet<Ddir> {
    [Metric::Iops, Metric::Bw, Metric::Lat, Metric::Clat].into_iter().flat_map(|m| record.ddirs(m)).collect()
}

/// The rate that tells most: bandwidth for large blocks, IOPS for small ones, both when sizes vary.
pub(crate) fn rates(campaign: &Campaign, runs: &[usize]) -> Vec<Metric> {
    let has = |metric: Metric| {
        runs.iter().any(|&r| {
            let record = &campaign.runs[r];
            record.statistics.iter().any(|s| s.metric == metric)
                || record.series.iter().any(|s| s.metric == metric)
        })
    };
    let sizes: BTreeSet<Option<&Value>> =
        runs.iter().map(|&r| campaign.runs[r].run.value(&Dimension::Bs)).collect();
    let preferred: &[Metric] = match sizes.iter().next() {
        Some(Some(size)) if sizes.len() == 1 => {
            if size.number().is_some_and(|bytes| bytes >= LARGE_BLOCK) {
                &[Metric::Bw]
            } else {
                &[Metric::Iops]
            }
        }
        _ if sizes.len() > 1 => &[Metric::Iops, Metric::Bw],
        _ => &[Metric::Iops],
    };
    let found: Vec<Metric> = preferred.iter().copied().filter(|&m| has(m)).collect();
    if found.is_empty() {
        [Metric::Iops, Metric::Bw].into_iter().filter(|&m| has(m)).take(1).collect()
    } else {
        found
    }
}

/// The latency that most of the runs have: total before completion.
pub(crate) fn latency(campaign: &Campaign, runs: &[usize], stat: Stat) -> Option<Metric> {
    let count = |metric: Metric| {
        let has = |r: &&usize| {
            campaign.runs[**r].statistics.iter().any(|s| s.metric == metric && s.stat == stat && s.supported)
        };
        runs.iter().filter(has).count()
    };
    let (lat, clat) = (count(Metric::Lat), count(Metric::Clat));
    match (lat, clat) {
        (0, 0) => None,
        _ if lat >= clat => Some(Metric::Lat),
        _ => Some(Metric::Clat),
    }
}

/// The charts of one group of comparable runs.
fn compare(campaign: &Campaign, contrast: &Contrast, group: &Group) -> Vec<ChartSpec> {
    let Contrast { by, second, .. } = contrast;
    let records: Vec<&RunRecord> = group.runs.iter().map(|&r| &campaign.runs[r]).collect();
    let filter =
        Filter { runs: records.iter().map(|r| r.run.id.clone()).collect::<Vec<_>>(), ..Filter::default() };
    let several = records.iter().flat_map(|r| ddirs(r)).collect::<BTreeSet<_>>().len() > 1;
    let facet = several.then_some(Channel::Ddir);
    let is_sweep = campaign.is_sweep(by, &group.runs);
    let tail = match (second, &group.workload) {
        (Some(second), Some(workload)) => format!("{by}-and-{second}-{workload}"),
        (Some(second), None) => format!("{by}-and-{second}"),
        (None, Some(workload)) => format!("{by}-{workload}"),
        (None, None) => by.to_string(),
    };
    let finish = |mut spec: ChartSpec| {
        spec.filter = filter.clone();
        spec.facet.clone_from(&facet);
        spec
    };
    let mut specs = Vec::new();
    let mut measures: Vec<Measure> = rates(campaign, &group.runs).into_iter().map(Measure::mean).collect();
    measures.extend(latency(campaign, &group.runs, Stat::Mean).map(Measure::mean));
    measures
        .extend(latency(campaign, &group.runs, Stat::P99).map(|metric| Measure { metric, stat: Stat::P99 }));
    for y in measures {
        let id = match y.stat {
            Stat::Mean => format!("{}-by-{tail}", y.metric),
            stat => format!("{}-{stat}-by-{tail}", y.metric),
        };
        let mut spec = if is_sweep {
            sweep(id, y, by.clone(), second.clone())
        } else {
            bars(id, y, by.clone(), second.clone())
        };
        if y.metric.is_latency() && y.stat == Stat::Mean {
            spec.references.extend(rule_of_thumb(&records, y));
        }
        specs.push(finish(spec));
    }
    if is_sweep && matches!(by, Dimension::Iodepth | Dimension::Numjobs) {
        specs.push(finish(load_curve(format!("lat-iops-over-{tail}"), by.clone(), second.clone())));
    }
    specs.extend(over_time(campaign, contrast, group, &tail).into_iter().map(|mut spec| {
        spec.facet.clone_from(&facet);
        spec
    }));
    specs
}

/// The 20 ms line, where the figures are in its neighbourhood.
fn rule_of_thumb(records: &[&RunRecord], y: Measure) -> Option<Reference> {
    let largest = records
        .iter()
        .flat_map(|r| r.statistics.iter())
        .filter(|s| s.metric == y.metric && s.stat == y.stat)
        .map(|s| s.value)
        .reduce(f64::max)?;
    (largest > GOOD_LATENCY * 0.5 && largest < GOOD_LATENCY * 20.0)
        .then(|| Reference { value: GOOD_LATENCY, label: "20 ms rule of thumb".to_owned() })
}

/// Compared runs over time: one chart for each value of the second dimension.
fn over_time(campaign: &Campaign, contrast: &Contrast, group: &Group, tail: &str) -> Vec<ChartSpec> {
    let mut by_second: BTreeMap<Option<Value>, Vec<usize>> = BTreeMap::new();
    for &index in &group.runs {
        let value = contrast.second.as_ref().and_then(|d| campaign.runs[index].run.value(d)).cloned();
        by_second.entry(value).or_default().push(index);
    }
    let mut specs = Vec::new();
    if by_second.len() > TIME_CHARTS {
        return specs;
    }
    for (second, runs) in by_second {
        let values: BTreeSet<&Value> =
            runs.iter().filter_map(|&r| campaign.runs[r].run.value(&contrast.by)).collect();
        if values.len() < 2 || values.len() > OVERLAID {
            continue;
        }
        let logged = |metric: Metric| {
            let has = |r: &&usize| campaign.runs[**r].series.iter().any(|s| s.metric == metric);
            runs.iter().filter(has).count() > 1
        };
        let mut metrics: Vec<Metric> = rates(campaign, &runs).into_iter().filter(|&m| logged(m)).collect();
        metrics.extend([Metric::Lat, Metric::Clat].into_iter().find(|&m| logged(m)));
        for metric in metrics {
            let end = second.as_ref().map_or(String::new(), |v| format!("-{v}"));
            let mut spec = time(
                format!("{metric}-time-by-{tail}{end}"),
                metric,
                Channel::Dimension(contrast.by.clone()),
            );
            spec.filter.runs = runs.iter().map(|&r| campaign.runs[r].run.id.clone()).collect();
            specs.push(spec);
        }
    }
    specs
}

/// Without any comparison: all runs over time, when they are few.
fn overlay(campaign: &Campaign) -> Vec<ChartSpec> {
    let logged: Vec<usize> =
        (0..campaign.runs.len()).filter(|&r| !campaign.runs[r].series.is_empty()).collect();
    if logged.len() < 2 || logged.len() > OVERLAID {
        return Vec::new();
    }
    let mut metrics = rates(campaign, &logged);
    metrics.push(Metric::Lat);
    metrics
        .into_iter()
        .filter(|&m| logged.iter().any(|&r| campaign.runs[r].series.iter().any(|s| s.metric == m)))
        .map(|metric| time(format!("{metric}-time"), metric, Channel::Run))
        .collect()
}

/// The charts of one run: its rate and its latency over time, its jobs where there are several.
fn single(record: &RunRecord, prefix: &str) -> Vec<ChartSpec> {
    let has = |metric: Metric| record.series.iter().any(|s| s.metric == metric);
    let large =
        record.run.value(&Dimension::Bs).and_then(Value::number).is_some_and(|bytes| bytes >= LARGE_BLOCK);
    let order = if large { [Metric::Bw, Metric::Iops] } else { [Metric::Iops, Metric::Bw] };
    let rate = order.into_iter().find(|&m| has(m));
    let latency = [Metric::Lat, Metric::Clat, Metric::Slat].into_iter().find(|&m| has(m));
    let mut specs: Vec<ChartSpec> = rate
        .into_iter()
        .chain(latency)
        .map(|metric| time(format!("{prefix}-{metric}"), metric, Channel::Ddir))
        .collect();
    let several = |metric| record.series.iter().any(|s| s.metric == metric && s.job.is_some());
    if let Some(metric) = rate.filter(|&m| several(m)) {
        specs.push(time(format!("{prefix}-{metric}-jobs"), metric, Channel::Job));
    }
    for spec in &mut specs {
        spec.filter.runs = vec![record.run.id.clone()];
    }
    specs
}

/// Lower-case letters and digits with single dashes between.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// Makes ids slugs, and unique: contrasts of one dimension are told apart by what each holds, else by number.
fn tell_apart(campaign: &Campaign, specs: &mut [ChartSpec]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for spec in specs.iter_mut() {
        spec.id = slug(&spec.id);
        *count.entry(spec.id.clone()).or_default() += 1;
    }
    let told: Vec<Option<String>> =
        (0..specs.len()).map(|index| told_by_held(campaign, specs, &count, index)).collect();
    for (spec, told) in specs.iter_mut().zip(told) {
        spec.id = told.unwrap_or_else(|| spec.id.clone());
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for spec in specs.iter_mut() {
        let n = seen.entry(spec.id.clone()).or_insert(0);
        *n += 1;
        if *n > 1 {
            spec.id = format!("{}-{n}", spec.id);
        }
    }
}

/// The id with what this chart's runs share and those of other charts with the same id do not.
fn told_by_held(
    campaign: &Campaign,
    specs: &[ChartSpec],
    count: &BTreeMap<String, usize>,
    index: usize,
) -> Option<String> {
    let id = &specs[index].id;
    if count.get(id).is_none_or(|n| *n < 2) {
        return None;
    }
    let own = shared(campaign, &specs[index].filter.runs);
    let same = specs.iter().enumerate().filter(|(other, spec)| *other != index && spec.id == *id);
    let others: Vec<_> = same.map(|(_, spec)| shared(campaign, &spec.filter.runs)).collect();
    let word = |(dimension, value): (&Dimension, &Value)| {
        if value.number().is_some() { format!("{dimension}-{value}") } else { value.to_string() }
    };
    let differs =
        |dimension: &Dimension, value: &Value| others.iter().all(|o| o.get(dimension) != Some(value));
    // One dimension is enough where it tells this chart from all others; folders are what people know them by.
    let mut candidates: Vec<(&Dimension, &Value)> = own.iter().collect();
    candidates.sort_by_key(|(dimension, _)| !matches!(dimension, Dimension::Other(_)));
    let words: Vec<String> = match candidates.iter().find(|(d, v)| differs(d, v)) {
        Some(&one) => vec![word(one)],
        None => {
            let apart = |(d, v): &(&Dimension, &Value)| others.iter().any(|o| o.get(*d) != Some(*v));
            candidates.into_iter().filter(apart).map(word).collect()
        }
    };
    (!words.is_empty()).then(|| format!("{id}-{}", slug(&words.join("-"))))
}

/// Dimension values that all of the runs have in common.
fn shared(campaign: &Campaign, ids: &[String]) -> BTreeMap<Dimension, Value> {
    let mut runs = campaign.runs.iter().filter(|r| ids.contains(&r.run.id));
    let Some(first) = runs.next() else { return BTreeMap::new() };
    let mut shared: BTreeMap<Dimension, Value> =
        first.run.dimensions.iter().map(|(d, e)| (d.clone(), e.value.clone())).collect();
    for record in runs {
        shared.retain(|dimension, value| record.run.value(dimension) == Some(value));
    }
    shared
}
