//! How values, measures and spans are called in labels and sentences.

use crate::model::unit::{DisplayUnit, humanize};
use crate::model::{Ddir, Dimension, Measure, Metric, Stat, Value};
use crate::spec::{ChartSpec, Filter};

/// `text` without control characters and surrounding blanks.
pub(super) fn clean(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.trim().to_owned()
}

/// `a, b and 3 more`.
pub(super) fn list(names: &[String], most: usize) -> String {
    list_with(names, most, ", ")
}

/// A list with a separator of its own.
pub(super) fn list_with(names: &[String], most: usize, separator: &str) -> String {
    let shown = names.iter().take(most).cloned().collect::<Vec<_>>().join(separator);
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown}{separator}and {more} more"),
    }
}

/// The first letter of a text as a capital.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    // Names that are written small (`p99 latency`) keep their first letter.
    match chars.next() {
        Some(first) if !chars.as_str().starts_with(|c: char| c.is_ascii_digit()) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// A value with its dimension: `RAID 10`, `64 KiB chunk`, `no chunk size`.
pub(crate) fn value_name(dimension: &Dimension, value: Option<&Value>) -> String {
    match value {
        Some(value) if *dimension == Dimension::Rw => value.workload_phrase(),
        Some(value) => clean(&dimension.phrase(value)),
        None => clean(&format!("no {}", dimension.title())),
    }
}

/// A value where its dimension is named beside it: `64 KiB`, `4`.
pub(super) fn value_plain(dimension: &Dimension, value: Option<&Value>) -> String {
    match (dimension, value) {
        (dimension, Some(value)) if dimension.is_size() => clean(&value.size_phrase()),
        (Dimension::Rw, Some(value)) => value.workload_phrase(),
        (_, Some(value)) => clean(value.as_str()),
        (_, None) => "none".to_owned(),
    }
}

/// A dimension where its values follow as bare numbers: `queue depth (iodepth)`, as labels call them.
pub(super) fn dimension_title(dimension: &Dimension) -> String {
    let title = clean(dimension.title());
    match dimension.as_str() {
        "iodepth" => format!("{title} (iodepth)"),
        "rwmixread" => format!("{title} (%)"),
        _ => title,
    }
}

/// A value at a tick.
pub(super) fn tick_name(dimension: &Dimension, value: Option<&Value>) -> String {
    if speaks_for_itself(dimension) && value.is_some() {
        value_name(dimension, value)
    } else {
        value_plain(dimension, value)
    }
}

/// True for dimensions whose values need no axis title.
pub(super) fn speaks_for_itself(dimension: &Dimension) -> bool {
    matches!(dimension, Dimension::Raid | Dimension::Rw | Dimension::Direct)
}

/// A measure in running text: `mean completion latency`, `p99 latency`, `IOPS`.
pub(super) fn measure_phrase(measure: Measure) -> String {
    let metric = measure.metric.title();
    match measure.stat {
        Stat::Mean if measure.metric.is_latency() => format!("mean {metric}"),
        Stat::Mean => metric.to_owned(),
        Stat::Min => format!("smallest {metric}"),
        Stat::Max => format!("largest {metric}"),
        Stat::Stddev => format!("standard deviation of {metric}"),
        Stat::Cov => format!("variation of {metric}"),
        Stat::P50 => format!("median {metric}"),
        stat => format!("{stat} {metric}"),
    }
}

/// What directions did to data: `written`, `read`, `moved` where there are several.
pub(super) fn moved(ddirs: &[Ddir]) -> &'static str {
    match ddirs {
        [Ddir::Read] => "read",
        [Ddir::Write] => "written",
        [Ddir::Trim] => "trimmed",
        _ => "moved",
    }
}

/// The directions of a filter as the end of a sentence.
pub(super) fn ddirs(filter: &Filter) -> String {
    if filter.ddirs.is_empty() {
        return String::new();
    }
    format!(" for {}", filter.ddirs.iter().map(|d| d.as_str()).collect::<Vec<_>>().join(", "))
}

/// A filter in the spelling of `--where`.
pub(super) fn filter(filter: &Filter) -> String {
    let mut parts: Vec<String> = filter
        .dimensions
        .iter()
        .map(|(d, values)| {
            let values: Vec<&str> = values.iter().map(Value::as_str).collect();
            clean(&format!("{d}={}", values.join(",")))
        })
        .collect();
    if !filter.runs.is_empty() {
        parts.push(format!("runs {}", list(&filter.runs, 3)));
    }
    parts.join(" ")
}

/// A span of run time in words: `500 ms`, `40 s`, `10 min`.
pub(super) fn duration(ms: f64) -> String {
    let (value, unit) = match ms {
        ms if ms < 1_000.0 => (ms, "ms"),
        ms if ms < 120_000.0 => (ms / 1e3, "s"),
        ms if ms < 7.2e6 => (ms / 6e4, "min"),
        ms => (ms / 3.6e6, "h"),
    };
    let text = format!("{value:.1}");
    format!("{} {unit}", text.trim_end_matches(".0"))
}

/// A number of the y axis with the unit that suits it alone.
pub(super) fn single(value: f64, measure: Measure, spec: &ChartSpec) -> String {
    humanize(value, spec.unit(measure), spec.units)
}

/// True for the unit of a running total.
pub(super) fn is_amount(unit: &DisplayUnit) -> bool {
    !unit.axis.ends_with("/s") && !unit.axis.ends_with("IOPS")
}

/// What the running total of a rate counts.
pub(super) fn what_of(metric: Metric) -> &'static str {
    if metric == Metric::Iops { "I/Os" } else { "data" }
}

/// The column head of a measure: `mean completion latency (ms)`.
pub(super) fn column(measure: Measure, unit: &DisplayUnit) -> String {
    // The running total of a rate is an amount.
    if measure.metric.is_rate() && is_amount(unit) {
        return if measure.metric == Metric::Iops {
            unit.axis.to_owned()
        } else {
            format!("data ({})", unit.axis)
        };
    }
    let phrase = measure_phrase(measure);
    // `IOPS` and `thousand IOPS` name measure and unit at once.
    if measure == Measure::mean(Metric::Iops) {
        unit.axis.to_owned()
    } else {
        format!("{phrase} ({})", unit.axis)
    }
}

/// Job names up to this length are shown whole.
const SHORT_JOB: usize = 16;

/// A job's name without what all names of its run share: `job 2` where they differ in a number or not at all.
pub(super) fn among_jobs(all: &[String], job: usize) -> String {
    let by_place = format!("job {}", job + 1);
    let Some(own) = all.get(job) else { return by_place };
    let twice = all.iter().filter(|name| *name == own).count() > 1;
    let chars = |name: &String| name.chars().collect::<Vec<char>>();
    let names: Vec<Vec<char>> = all.iter().map(chars).collect();
    let own_chars = chars(own);
    let shared = |same: &dyn Fn(&[char]) -> usize| names.iter().map(|name| same(name)).min().unwrap_or(0);
    let mut head = shared(&|name| own_chars.iter().zip(name).take_while(|(a, b)| a == b).count());
    let mut tail =
        shared(&|name| own_chars.iter().rev().zip(name.iter().rev()).take_while(|(a, b)| a == b).count());
    if all.len() > 1 && head == own_chars.len() && names.iter().all(|name| name.len() == head) {
        return by_place;
    }
    // Words and numbers stay whole.
    let part = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
    let digit = |c: Option<&char>| c.is_some_and(char::is_ascii_digit);
    let numbers_alone = names.iter().all(|name| {
        let (mut from, mut to) = (head.min(name.len()), name.len().saturating_sub(tail));
        while from > 0 && digit(name.get(from - 1)) {
            from -= 1;
        }
        while digit(name.get(to)) {
            to += 1;
        }
        name.get(from..to).is_some_and(|rest| !rest.is_empty() && rest.iter().all(char::is_ascii_digit))
    });
    while head > 0
        && (if numbers_alone { digit(own_chars.get(head - 1)) } else { part(own_chars.get(head - 1)) })
    {
        head -= 1;
    }
    let end = |tail: usize| own_chars.len().saturating_sub(tail);
    while tail > 0
        && (if numbers_alone { digit(own_chars.get(end(tail))) } else { part(own_chars.get(end(tail))) })
    {
        tail -= 1;
    }
    let rest: String = own_chars.get(head..end(tail)).unwrap_or_default().iter().collect();
    let long = names.iter().any(|name| name.len() > SHORT_JOB);
    match (all.len() > 1 && !rest.is_empty(), twice) {
        (true, false) if numbers_alone => format!("job {rest}"),
        (true, false) if long => rest,
        (true, true) if long => format!("{rest} {}", job + 1),
        (_, true) => format!("{own} {}", job + 1),
        (_, false) => own.clone(),
    }
}

/// How a direction is named as a panel.
pub(super) fn panel_title(name: &str) -> String {
    match Ddir::ALL.iter().any(|d| d.as_str() == name) {
        true => capitalised(name),
        false => name.to_owned(),
    }
}

/// A value of a measure with the unit of its axis: `407 IOPS`, `12.4 ms`.
pub(super) fn figure(value: f64, measure: Measure, unit: &DisplayUnit) -> String {
    let text = unit.text(value);
    if measure.metric == Metric::Iops && measure.stat != Stat::Cov {
        format!("{text} {}", unit.counted())
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(names: &[&str]) -> Vec<String> {
        let all: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        (0..all.len()).map(|job| among_jobs(&all, job)).collect()
    }

    #[test]
    fn jobs_are_named_by_what_tells_them_apart() {
        assert_eq!(jobs(&["raid5_4k_randread_qd4", "raid5_4k_randread_qd4"]), ["job 1", "job 2"]);
        assert_eq!(
            jobs(&["results-of-the-campaign.9.log", "results-of-the-campaign.10.log"]),
            ["job 9", "job 10"]
        );
        assert_eq!(jobs(&["worker1", "worker12"]), ["job 1", "job 12"]);
        assert_eq!(
            jobs(&["campaign-2026/reader-4k.fio", "campaign-2026/writer-4k.fio"]),
            ["reader", "writer"]
        );
        assert_eq!(jobs(&["seq", "rand", "rand"]), ["seq", "rand 2", "rand 3"]);
        assert_eq!(jobs(&["alone"]), ["alone"]);
        assert_eq!(jobs(&["", "a"]), ["", "a"]);
        assert_eq!(among_jobs(&[], 3), "job 4");
    }

    #[test]
    fn sizes_read_as_sizes() {
        let size = Dimension::named("size");
        let value = Value::canonical(&size, "100m");
        assert_eq!(value_name(&size, Some(&value)), "size 100 MiB");
        assert_eq!(tick_name(&size, Some(&value)), "100 MiB");
    }
}
