//! New results against a baseline, as the analysis leaves them.

use crate::model::{Ddir, Dimension, Metric, Stat, Value, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// New results against a baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Version of this form.
    pub schema: u32,
    /// The verdict on all: worse when any is, else inconclusive when any is, else better when any is.
    pub overall: Verdict,
    /// One for each configuration, metric and direction that both sides have.
    pub changes: Vec<Change>,
    /// Configurations that only the baseline has.
    pub only_in_base: Vec<String>,
    /// Configurations that only the new side has.
    pub only_in_new: Vec<String>,
    /// What else the reader must know: what differs between the sides, what was not looked at.
    pub notes: Vec<String>,
}

/// The change of one figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The configuration in words: the dimensions that tell it from others.
    pub name: String,
    /// All its dimensions.
    pub dimensions: BTreeMap<Dimension, Value>,
    /// What is compared.
    pub metric: Metric,
    /// Which figure of the runs: their mean; or their 99th percentile, which is shown and not tested.
    pub stat: Stat,
    /// Direction.
    pub ddir: Ddir,
    /// Figures of the baseline's runs, base units.
    pub base: Vec<f64>,
    /// Figures of the new runs.
    pub new: Vec<f64>,
    /// Mean of `base`; of percentiles the middle one, of an even number the higher of two.
    pub base_mean: f64,
    /// The same of `new`.
    pub new_mean: f64,
    /// Ids of the baseline's runs, in the order of `base`.
    pub base_runs: Vec<String>,
    /// Ids of the new runs, in the order of `new`.
    pub new_runs: Vec<String>,
    /// New over base, of geometric means; for percentiles of the two that are shown; None where a figure is not above zero.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// p of the test against the threshold, after Holm's correction over all tested cells of the metric.
    pub p_adjusted: Option<f64>,
    /// Relative difference that matters.
    pub threshold: f64,
    /// What the figures carry about the new side; None for figures that are shown for information.
    pub verdict: Option<Verdict>,
}

impl Change {
    /// What is compared, in words: `read iops`, `read clat p99`.
    #[must_use]
    pub fn what(&self) -> String {
        match self.stat {
            Stat::Mean => format!("{} {}", self.ddir, self.metric),
            stat => format!("{} {} {stat}", self.ddir, self.metric),
        }
    }

    /// What would make the verdict clearer, where it is not.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        let repeated = self.base.len() > 1 && self.new.len() > 1;
        if repeated && self.ratio.is_none() {
            "look at those runs"
        } else {
            "more repeats on both sides help"
        }
    }

    /// Why the verdict is not clearer; empty where it is clear.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        if self.verdict != Some(Verdict::Inconclusive) {
            ""
        } else if self.base.len() < 2 || self.new.len() < 2 {
            "one run on a side carries no verdict"
        } else if self.ratio.is_none() {
            "some repeats are 0, of which there is no ratio"
        } else {
            "the repeats do not decide"
        }
    }
}
