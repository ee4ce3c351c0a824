//! New results against a baseline: what changed, and whether the repeats carry it.
//!
//! In: the runs of two sides, from a campaign ([`runs_of`]) or from the
//! `report.json` of an earlier report ([`report_json::read`]). Out: a
//! [`Baseline`] with one change for each configuration, metric and direction, a
//! verdict on those that are tested, and what stands on one side only.

mod pairing;
pub mod report_json;
pub mod words;

use crate::analyze::Threshold;
use crate::analyze::contrast::conditions;
use crate::analyze::inference::{self, holm, idle};
use crate::analyze::repeat::{mean, middle};
use crate::model::{
    Baseline, Campaign, Change, Ddir, Dimension, Measure, Metric, RunRecord, Stat, Value, Verdict,
};
use pairing::Pairing;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Latencies of which the tail is shown: the first that a tool has percentiles of.
const LATENCIES: [Metric; 2] = [Metric::Clat, Metric::Lat];

/// What a comparison needs to know of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BaselineRun {
    /// Id of the run, relative to its own side's root.
    pub id: String,
    /// Its dimensions, `repeat` among them.
    pub dimensions: BTreeMap<Dimension, Value>,
    /// Options that could change the figures; None where the source does not hold them.
    pub options: Option<BTreeMap<String, String>>,
    /// Mean of each metric and direction, base units.
    pub figures: BTreeMap<(Metric, Ddir), f64>,
    /// 99th percentile of the latencies of each direction, ns, where enough I/Os lie beyond it.
    pub tails: BTreeMap<(Metric, Ddir), f64>,
    /// The run with its logs, of which a part can be had; None where the source does not hold it.
    pub record: Option<Arc<RunRecord>>,
}

/// The runs of a campaign as a side of a comparison.
#[must_use]
pub fn runs_of(campaign: &Campaign) -> Vec<BaselineRun> {
    campaign.runs.iter().map(run_of).collect()
}

/// The same without copies, which are no repeats. A copy that goes by its id alone stays: it is in no group of repeats.
#[must_use]
pub fn measured(campaign: &Campaign) -> Vec<BaselineRun> {
    let runs = campaign.runs.iter().enumerate();
    runs.filter(|(index, record)| !is_copy(&campaign.copies, *index, record))
        .map(|(_, r)| run_of(r))
        .collect()
}

/// [`measured`] as a side whose runs can be cut: they are kept with their logs.
#[must_use]
pub fn side_of(campaign: Campaign) -> Vec<BaselineRun> {
    let Campaign { runs, copies, .. } = campaign;
    let kept = |record: RunRecord| {
        let told = run_of(&record);
        BaselineRun { record: Some(Arc::new(record)), ..told }
    };
    let measured = runs.into_iter().enumerate().filter(|(index, record)| !is_copy(&copies, *index, record));
    measured.map(|(_, record)| kept(record)).collect()
}

fn is_copy(copies: &BTreeMap<usize, usize>, index: usize, record: &RunRecord) -> bool {
    copies.contains_key(&index) && !record.run.dimensions.is_empty()
}

/// A run as one of a side of a comparison.
pub(crate) fn run_of(record: &RunRecord) -> BaselineRun {
    let mut figures = BTreeMap::new();
    for metric in [Metric::Bw, Metric::Iops, Metric::Lat, Metric::Clat] {
        for &ddir in Ddir::ALL {
            if let Some(statistic) = record.statistic(Measure::mean(metric), ddir) {
                figures.insert((metric, ddir), statistic.value);
            }
        }
    }
    let mut tails = BTreeMap::new();
    for metric in LATENCIES {
        for &ddir in Ddir::ALL {
            let tail = record.statistic(Measure { metric, stat: Stat::P99 }, ddir);
            tails.extend(tail.filter(|tail| tail.supported).map(|tail| ((metric, ddir), tail.value)));
        }
    }
    let syncs = record.statistic(Measure::mean(Metric::Fsync), Ddir::Mixed);
    figures.extend(syncs.filter(|_| record.is_synced()).map(|s| ((Metric::Fsync, Ddir::Mixed), s.value)));
    BaselineRun {
        id: record.run.id.clone(),
        dimensions: record.run.dimensions.iter().map(|(d, e)| (d.clone(), e.value.clone())).collect(),
        options: Some(conditions(&record.run)),
        figures,
        tails,
        record: None,
    }
}

/// Figures of one side, and the ids of the runs that they belong to.
type Side = (Vec<f64>, Vec<String>);

/// A configuration that both sides have.
#[derive(Debug)]
struct Pair<'a> {
    name: String,
    dimensions: BTreeMap<Dimension, Value>,
    base: Vec<&'a BaselineRun>,
    new: Vec<&'a BaselineRun>,
}

impl Pair<'_> {
    /// Figures of both sides with the ids of their runs; None when one has none.
    fn figures(&self, metric: Metric, ddir: Ddir) -> Option<(Side, Side)> {
        self.sides(|run| run.figures.get(&(metric, ddir)).copied())
    }

    /// The latency whose tail both sides have, and its 99th percentiles.
    fn tails(&self, ddir: Ddir) -> Option<(Metric, (Side, Side))> {
        let of = |metric| Some((metric, self.sides(|run| run.tails.get(&(metric, ddir)).copied())?));
        LATENCIES.into_iter().find_map(of)
    }

    fn sides(&self, figure: impl Fn(&BaselineRun) -> Option<f64>) -> Option<(Side, Side)> {
        let of = |runs: &[&BaselineRun]| -> Side {
            runs.iter().filter_map(|run| Some((figure(run)?, run.id.clone()))).unzip()
        };
        let (base, new) = (of(&self.base), of(&self.new));
        (!base.0.is_empty() && !new.0.is_empty()).then_some((base, new))
    }

    /// A sentence where one side alone has figures of a direction, which are not compared then.
    fn lacking(&self, ddir: Ddir) -> Option<String> {
        let has = |runs: &[&BaselineRun]| runs.iter().any(|run| run.figures.keys().any(|key| key.1 == ddir));
        let (with, without) = match (has(&self.base), has(&self.new)) {
            (true, false) => ("baseline", "new"),
            (false, true) => ("new", "baseline"),
            _ => return None,
        };
        let name = &self.name;
        Some(format!(
            "{name}: the {with} runs have figures of {ddir}s, the {without} ones have none; they are not compared"
        ))
    }

    /// The metrics of a direction that are one fact each, and those that only repeat it.
    ///
    /// At one block size bandwidth is IOPS times a constant, and in a closed loop latency is
    /// the queue depth over IOPS (Little's law): three tests of one fact would only cost power. In a mix the law holds
    /// for all directions together: that of one may grow while that of another falls, and no rate changes.
    fn metrics(&self, ddir: Ddir) -> Vec<(Metric, bool)> {
        let has = |metric: &Metric| self.figures(*metric, ddir).is_some();
        let latency = [Metric::Lat, Metric::Clat].into_iter().find(has);
        // They take their part of the time that the rate already tells.
        let syncs = has(&Metric::Fsync).then(|| (Metric::Fsync, self.is_limited()));
        let rates: Vec<Metric> = [Metric::Iops, Metric::Bw].into_iter().filter(has).collect();
        let one_size = self.dimensions.contains_key(&Dimension::Bs);
        let tested_rates = if one_size { 1 } else { rates.len() };
        let tests_latency = rates.is_empty() || self.is_limited() || self.is_mixed();
        let rates = rates.into_iter().enumerate().map(|(i, metric)| (metric, i < tested_rates));
        rates.chain(latency.map(|metric| (metric, tests_latency))).chain(syncs).collect()
    }

    /// True when runs move data in more than one direction.
    fn is_mixed(&self) -> bool {
        let moves = |run: &BaselineRun, ddir| {
            let rate = |metric| run.figures.get(&(metric, ddir)).is_some_and(|rate| *rate > 0.0);
            rate(Metric::Iops) || rate(Metric::Bw)
        };
        let directions = |run: &BaselineRun| {
            [Ddir::Read, Ddir::Write, Ddir::Trim].into_iter().filter(|ddir| moves(run, *ddir)).count()
        };
        self.base.iter().chain(&self.new).any(|run| directions(run) > 1)
    }

    /// True when the load does not follow the completions: a rate or a think time is set.
    fn is_limited(&self) -> bool {
        let limits = |key: &str| matches!(key, "rate" | "rate_iops" | "thinktime");
        let runs = self.base.iter().chain(&self.new);
        runs.filter_map(|run| run.options.as_ref())
            .flatten()
            .any(|(key, value)| limits(key) && !value.trim_start_matches('0').is_empty())
    }
}

/// Compares the new side with the baseline.
///
/// Runs match by their dimensions but for `repeat`, runs without dimensions by
/// their id. The family of Holm's correction is the tested cells of a metric.
#[must_use]
pub fn compare(base: &[BaselineRun], new: &[BaselineRun], threshold: &Threshold) -> Baseline {
    let Pairing { pairs, only_in_base, only_in_new, mut notes } = pairing::pair(base, new);
    let mut changes = Vec::new();
    for pair in &pairs {
        for &ddir in Ddir::ALL {
            notes.extend(pair.lacking(ddir));
            for (metric, tested) in pair.metrics(ddir) {
                changes.extend(change(pair, metric, ddir, tested, threshold.of(metric)));
            }
            changes.extend(pair.tails(ddir).map(|tails| tail(pair, tails, ddir, threshold)));
        }
    }
    judge(&mut changes);
    let verdicts: BTreeSet<u8> = changes.iter().filter_map(|c| c.verdict).map(rank).collect();
    let overall = match verdicts.first() {
        Some(0) => Verdict::Worse,
        Some(1) | None => Verdict::Inconclusive,
        Some(2) => Verdict::Better,
        Some(_) => Verdict::NoDifference,
    };
    Baseline { schema: 1, overall, changes, only_in_base, only_in_new, notes }
}

/// Place of a verdict, the one that decides over all first.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Worse => 0,
        Verdict::Inconclusive => 1,
        Verdict::Better => 2,
        Verdict::NoDifference => 3,
    }
}

/// A change before its verdict: that of a tested one is inconclusive so far.
fn change(pair: &Pair<'_>, metric: Metric, ddir: Ddir, tested: bool, threshold: f64) -> Option<Change> {
    let sides = pair.figures(metric, ddir)?;
    let test = inference::ratio(&sides.1.0, &sides.0.0, threshold);
    let interval = test.and_then(|t| t.interval);
    let means = [mean(&sides.0.0), mean(&sides.1.0)];
    Some(Change {
        ratio: test.map(|t| t.ratio),
        low: interval.map(|i| i.0),
        high: interval.map(|i| i.1),
        verdict: tested.then_some(Verdict::Inconclusive),
        ..untested(pair, Measure::mean(metric), ddir, sides, means, threshold)
    })
}

/// The change of a tail, which is neither averaged nor tested: one of the repeats stands beside one.
fn tail(
    pair: &Pair<'_>,
    (metric, sides): (Metric, (Side, Side)),
    ddir: Ddir,
    threshold: &Threshold,
) -> Change {
    let middles = [middle(&sides.0.0), middle(&sides.1.0)];
    let ratio = middles[1] / middles[0];
    let measure = Measure { metric, stat: Stat::P99 };
    Change {
        ratio: (ratio.is_finite() && ratio > 0.0).then_some(ratio),
        ..untested(pair, measure, ddir, sides, middles, threshold.of(metric))
    }
}

fn untested(
    pair: &Pair<'_>,
    Measure { metric, stat }: Measure,
    ddir: Ddir,
    ((base, base_runs), (new, new_runs)): (Side, Side),
    [base_mean, new_mean]: [f64; 2],
    threshold: f64,
) -> Change {
    Change {
        name: pair.name.clone(),
        dimensions: pair.dimensions.clone(),
        metric,
        stat,
        ddir,
        base_mean,
        new_mean,
        base,
        new,
        base_runs,
        new_runs,
        ratio: None,
        low: None,
        high: None,
        p_adjusted: None,
        threshold,
        verdict: None,
    }
}

/// Gives the tested changes their verdicts, family by family.
fn judge(changes: &mut [Change]) {
    for &metric in Metric::ALL {
        let family: Vec<&mut Change> =
            changes.iter_mut().filter(|c| c.metric == metric && c.verdict.is_some()).collect();
        let tests: Vec<_> = family.iter().map(|c| inference::ratio(&c.new, &c.base, c.threshold)).collect();
        let p: Vec<f64> = tests.iter().filter_map(|t| t.and_then(|t| t.p)).collect();
        let mut adjusted = holm(&p).into_iter();
        for (change, test) in family.into_iter().zip(tests) {
            if let Some(test) = test {
                change.p_adjusted = test.p.and_then(|_| adjusted.next());
                let verdict =
                    inference::verdict(&test, change.p_adjusted, change.threshold, !metric.is_latency());
                change.verdict = Some(verdict);
            } else if let Some(verdict) = metric.is_rate().then(|| idle(&change.new, &change.base)).flatten()
            {
                change.verdict = Some(verdict);
            }
        }
    }
}

#[cfg(test)]
mod tests;
