//! Charts over run time beyond single lines: metrics above each other, jobs on each other, running totals, sums.
//!
//! In: the words of a name. Out: a spec; which runs have the logs for it is not known here.

use super::time;
use crate::model::Metric;
use crate::spec::{Channel, ChartSpec, Mark, Transform};

/// Name, what it answers, what it needs.
pub(super) const ENTRIES: &[(&str, &str, &str)] = &[
    (
        "METRIC-METRIC-time",
        "how several figures run together: panels with an axis each over one time, such as iops-lat-time",
        "logs of the metrics",
    ),
    ("METRIC-total-time", "all directions added up over time, beside each of them", "bw or iops logs"),
    ("METRIC-jobs-stack", "what each job adds to the total", "bw or iops logs of a run with several jobs"),
    ("METRIC-amount-time", "how much had been read and written by when", "bw or iops logs"),
];

/// The chart of a name such as `iops-lat-time`; None when the words are others.
pub(super) fn parse(name: &str) -> Option<ChartSpec> {
    let words: Vec<&str> = name.split('-').collect();
    match words.as_slice() {
        [metric, "total", "time"] => {
            let mut spec = time(name, rate(metric)?, Channel::Ddir);
            spec.total = true;
            Some(spec)
        }
        [metric, "jobs", "stack"] => {
            let mut spec = time(name, rate(metric)?, Channel::Job);
            (spec.mark, spec.transforms) = (Mark::Area, vec![Transform::Stack]);
            Some(spec)
        }
        [metric, "amount", "time"] => {
            let mut spec = time(name, rate(metric)?, Channel::Run);
            spec.transforms = vec![Transform::Cumulate];
            Some(spec)
        }
        [metrics @ .., "time"] if metrics.len() > 1 => {
            let metrics: Vec<Metric> = metrics.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
            let twice = metrics.iter().enumerate().any(|(i, metric)| metrics[..i].contains(metric));
            let mut spec = time(name, *metrics.first()?, Channel::Run);
            spec.facet = Some(Channel::Metric);
            spec.metrics = metrics;
            (!twice).then_some(spec)
        }
        _ => None,
    }
}

/// A metric whose values add up.
fn rate(word: &str) -> Option<Metric> {
    word.parse().ok().filter(|metric: &Metric| metric.is_rate())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        let spec = parse("iops-lat-clat-time");
        assert_eq!(spec.map(|s| s.metrics), Some(vec![Metric::Iops, Metric::Lat, Metric::Clat]));
        assert!(parse("iops-total-time").is_some_and(|s| s.total && s.color == Some(Channel::Ddir)));
        assert!(parse("bw-jobs-stack").is_some_and(|s| s.mark == Mark::Area && s.has(Transform::Stack)));
        assert!(parse("bw-amount-time").is_some_and(|s| s.has(Transform::Cumulate)));
        for other in
            ["iops-time", "iops-iops-time", "lat-total-time", "iops-lat", "iops-p99-time", "time", ""]
        {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
