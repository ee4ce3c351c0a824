//! Words and numbers of distributions: title, subtitle, description, table.
//!
//! In: a scene of distributions. Out: texts that say what was counted, and whether it was I/Os or windows.

use super::{Distribution, Form, LEVELS, Shaped, Source};
use crate::analyze::distribution::Sampled;
use crate::chart::names::duration;
use crate::chart::scene::{Data, Scene, Series};
use crate::chart::table::number;
use crate::chart::{Table, TableCell};
use crate::model::Metric;
use crate::model::unit::{DisplayUnit, group_thousands, plain};

/// What a title says of the form, after the metric: ` percentiles`, ` histogram of windows`.
pub(in crate::chart) fn title_end(source: &Source) -> String {
    let form = match source.form {
        Form::Quantiles => "percentiles",
        Form::Cumulative => "distribution",
        Form::Exceedance => "tail",
        Form::Bins => "histogram",
    };
    let of = if source.sampled == Sampled::Windows { " of windows" } else { "" };
    format!(" {form}{of}")
}

/// How the picture is read and what it rests on.
pub(in crate::chart) fn subtitle(source: &Source, scene: &Scene, unit: &DisplayUnit) -> String {
    let samples = source.samples();
    let how = match source.form {
        Form::Quantiles => "Each further nine takes the same room".to_owned(),
        Form::Cumulative => format!("Share of {samples} at or below each value"),
        Form::Exceedance => format!("Share of {samples} above each value"),
        Form::Bins if source.log => {
            format!("Share of {samples} in bins {} % wide", plain((source.bin - 1.0) * 100.0, 2))
        }
        Form::Bins => {
            let width = plain(source.bin / unit.divisor, 3);
            let suffix = if scene.y.metric == Metric::Iops { "IOPS" } else { unit.suffix };
            let prefix = if scene.y.metric == Metric::Iops { unit.suffix } else { "" };
            format!("Share of {samples} in bins of {width}{prefix} {suffix}")
        }
    };
    let mut parts = vec![how];
    let each = if scene.series.len() > 1 { " each" } else { "" };
    let number = |n: u64| group_thousands(&n.to_string());
    let count = source.n.map(|(least, most)| {
        if least == most { number(least) } else { format!("{} to {}", number(least), number(most)) }
    });
    match (source.sampled, count) {
        (Sampled::Windows, count) => {
            let (shortest, longest) = source.window_ms;
            let length = if shortest == longest {
                duration(shortest)
            } else {
                format!("{} to {}", duration(shortest), duration(longest))
            };
            let count = count.map(|count| format!("{count} ")).unwrap_or_default();
            parts.push(format!("{count}windows of {length}{each}, not single I/Os"));
        }
        (_, Some(count)) => parts.push(format!("{count} {samples}{each}")),
        (_, None) => {}
    }
    if source.reported {
        parts.push("points: percentiles as the tool reports them".to_owned());
    }
    if scene.repeats.1 > 1 {
        let them = scene.them();
        let n = scene.repeats_text();
        parts.push(format!("{n} {them} {}", scene.merging()));
    }
    let weak = |s: &Series| match &s.data {
        Data::Distribution(Distribution { shape: Shaped::Curve { weak, .. }, .. }) => weak.len() > 1,
        _ => false,
    };
    if scene.series.iter().any(weak) {
        parts.push(format!("thin: fewer than 10 {samples} beyond"));
    }
    parts.join("; ")
}

/// One distribution in words: `has a median of 4.1 ms and a p99 of 12 ms`.
pub(in crate::chart) fn alt(distribution: &Distribution, number: impl Fn(f64) -> String) -> String {
    let named = [(0.5, "median"), (0.99, "p99"), (0.999, "p99.9")];
    let told: Vec<String> = named
        .into_iter()
        .filter_map(|(p, name)| Some(format!("a {name} of {}", number(distribution.level(p)?))))
        .collect();
    match told.as_slice() {
        [] => "has too few values for a percentile".to_owned(),
        [one] => format!("has {one}"),
        [most @ .., last] => format!("has {} and {last}", most.join(", ")),
    }
}

/// Values by quantile, or shares by bin; a column for each line. `unit` is that of values, `share` that of shares.
pub(in crate::chart) fn table(scene: &Scene, unit: &DisplayUnit, share: &DisplayUnit) -> Table {
    let name = |series: &Series| match series.full_name() {
        none if none.is_empty() => scene.y.metric.title().to_owned(),
        name => name,
    };
    let all: Vec<(&Series, &Distribution)> = scene
        .series
        .iter()
        .filter_map(|s| match &s.data {
            Data::Distribution(distribution) => Some((s, distribution)),
            _ => None,
        })
        .collect();
    let bins = |d: &Distribution| match &d.shape {
        Shaped::Bins(bins) => Some(bins.clone()),
        Shaped::Curve { .. } => None,
    };
    if let Some(first) = all.first().and_then(|(_, d)| bins(d)) {
        let mut columns = vec![format!("from ({})", unit.axis), format!("to ({})", unit.axis)];
        columns.extend(all.iter().map(|(s, _)| format!("{} (%)", name(s))));
        let all: Vec<_> = all.iter().filter_map(|(_, d)| bins(d)).collect();
        let rows = (0..first.len()).map(|i| {
            let edges = [number(first[i].0, unit), number(first[i].1, unit)];
            let shares = all.iter().map(|bins| bins.get(i).map_or(TableCell::Empty, |b| number(b.2, share)));
            edges.into_iter().chain(shares).collect()
        });
        return Table { columns, rows: rows.collect() };
    }
    let mut columns = vec!["percentile".to_owned()];
    for (series, distribution) in &all {
        let n = distribution.n.map(|n| format!(", n = {}", group_thousands(&n.to_string())));
        columns.push(format!("{}{} ({})", name(series), n.unwrap_or_default(), unit.axis));
    }
    let rows = LEVELS.iter().enumerate().map(|(i, p)| {
        let text = if *p == 0.0 { "smallest".to_owned() } else { format!("p{}", plain(p * 100.0, 7)) };
        let values = all.iter().map(|(_, d)| {
            d.levels.get(i).copied().flatten().map_or(TableCell::Empty, |value| number(value, unit))
        });
        std::iter::once(TableCell::Text(text)).chain(values).collect::<Vec<_>>()
    });
    let told = |row: &Vec<TableCell>| row.iter().skip(1).any(|cell| *cell != TableCell::Empty);
    Table { columns, rows: rows.filter(told).collect() }
}
