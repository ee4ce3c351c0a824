//! What `compare` found, as a table, Markdown, JSON or JUnit's XML.

use super::Failure;
use super::args::CompareFormat;
use super::tables::{self, cell, plain, text};
use crate::analyze::baseline::{Baseline, Change};
use crate::model::Verdict;
use crate::model::unit::{UnitSystem, humanize};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::fmt::Write;

/// The comparison in a format.
pub(super) fn write(
    found: &Baseline,
    format: CompareFormat,
    units: UnitSystem,
    fail_inconclusive: bool,
) -> Result<Vec<u8>, Failure> {
    match format {
        CompareFormat::Table => {
            let mut bytes = text(table(found, units));
            bytes.push(b'\n');
            for line in remarks(found) {
                bytes.extend(format!("{}\n", cell(&line)).into_bytes());
            }
            Ok(bytes)
        }
        CompareFormat::Markdown => {
            let mut table = table(found, units);
            table.load_style(presets::ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
            let mut bytes = text(table);
            bytes.push(b'\n');
            for line in remarks(found) {
                bytes.extend(format!("- {}\n", cell(&line)).into_bytes());
            }
            Ok(bytes)
        }
        CompareFormat::Json => tables::json(found),
        CompareFormat::Junit => Ok(junit(found, units, fail_inconclusive).into_bytes()),
    }
}

fn table(found: &Baseline, units: UnitSystem) -> Table {
    let mut table = plain();
    table.set_header(["configuration", "", "baseline", "new", "change", "95 % interval", "n", "verdict"]);
    for change in &found.changes {
        table.add_row([
            cell(&change.name),
            format!("{} {}", change.ddir, change.metric),
            value(change.base_mean(), change, units),
            value(change.new_mean(), change, units),
            change.ratio.map(percent).unwrap_or_default(),
            interval(change),
            count(change),
            verdict(change).to_owned(),
        ]);
    }
    for column in 2..=6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn value(value: f64, change: &Change, units: UnitSystem) -> String {
    humanize(value, change.metric.unit(), units)
}

/// A ratio as a change: 0.8 is `-20.0 %`.
fn percent(ratio: f64) -> String {
    let change = (ratio - 1.0) * 100.0;
    // A change that rounds to nothing has no sign.
    if change.abs() < 0.05 { "0.0 %".to_owned() } else { format!("{change:+.1} %") }
}

fn interval(change: &Change) -> String {
    match (change.low, change.high) {
        (Some(low), Some(high)) => format!("{} to {}", percent(low), percent(high)),
        _ => String::new(),
    }
}

fn count(change: &Change) -> String {
    let (base, new) = (change.base.len(), change.new.len());
    if base == new { base.to_string() } else { format!("{base}, {new}") }
}

fn verdict(change: &Change) -> &'static str {
    match change.verdict {
        Some(Verdict::Better) => "better",
        Some(Verdict::Worse) => "worse",
        Some(Verdict::NoDifference) => "no difference",
        Some(Verdict::Inconclusive) => "inconclusive",
        None => "(shown only)",
    }
}

/// The outcome in sentences.
fn remarks(found: &Baseline) -> Vec<String> {
    let tested: Vec<&Change> = found.changes.iter().filter(|c| c.verdict.is_some()).collect();
    let having = |verdict: Verdict| tested.iter().filter(move |c| c.verdict == Some(verdict));
    let name = |c: &&&Change| {
        let change = c.ratio.map(|ratio| format!(" {}", percent(ratio))).unwrap_or_default();
        format!("{} ({} {}{change})", c.name, c.ddir, c.metric)
    };
    let mut thresholds: Vec<String> =
        tested.iter().map(|c| format!("{} %", (c.threshold * 1000.0).round() / 10.0)).collect();
    thresholds.sort();
    thresholds.dedup();
    let mut lines = Vec::new();
    for (word, verdict) in [("Worse", Verdict::Worse), ("Better", Verdict::Better)] {
        let names: Vec<String> = having(verdict).map(|c| name(&c)).collect();
        if !names.is_empty() {
            lines.push(format!("{word}: {}.", names.join("; ")));
        }
    }
    lines.push(format!(
        "{} tested against a difference of {}: {} worse, {} better, {} without a difference, {} inconclusive.",
        tested.len(),
        thresholds.join(" or "),
        having(Verdict::Worse).count(),
        having(Verdict::Better).count(),
        having(Verdict::NoDifference).count(),
        having(Verdict::Inconclusive).count()
    ));
    if tested.len() < found.changes.len() {
        lines.push("Figures that follow from a tested one are shown only.".to_owned());
    }
    let mut reasons: Vec<&str> = tested.iter().map(|c| c.reason()).filter(|r| !r.is_empty()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if !reasons.is_empty() {
        lines.push(format!("Inconclusive: {}; more repeats on both sides help.", reasons.join(", or ")));
    }
    for (word, names) in [("the baseline", &found.only_in_base), ("the new results", &found.only_in_new)] {
        if !names.is_empty() {
            lines.push(format!("Only in {word}: {}.", names.join("; ")));
        }
    }
    lines.extend(found.notes.iter().map(|note| format!("{note}.")));
    lines
}

/// A test case for each tested change and each configuration that one side lacks.
///
/// The form is that of the Jenkins plugin's schema, which all CI servers read.
fn junit(found: &Baseline, units: UnitSystem, fail_inconclusive: bool) -> String {
    let mut cases = String::new();
    let (mut tests, mut failures, mut skipped) = (0, 0, 0);
    for change in &found.changes {
        let Some(verdict) = change.verdict else { continue };
        tests += 1;
        let told = format!(
            "{} to {}, {}{}",
            value(change.base_mean(), change, units),
            value(change.new_mean(), change, units),
            change.ratio.map_or("no ratio".to_owned(), percent),
            match interval(change) {
                interval if interval.is_empty() => String::new(),
                interval => format!(", 95 % interval {interval}"),
            }
        );
        let inside = match verdict {
            Verdict::Worse => {
                failures += 1;
                format!("<failure message=\"worse: {}\"/>", escape(&told))
            }
            Verdict::Inconclusive if fail_inconclusive => {
                failures += 1;
                format!("<failure message=\"inconclusive, {}: {}\"/>", change.reason(), escape(&told))
            }
            Verdict::Inconclusive => {
                skipped += 1;
                format!("<skipped message=\"inconclusive, {}: {}\"/>", change.reason(), escape(&told))
            }
            Verdict::Better => format!("<system-out>better: {}</system-out>", escape(&told)),
            Verdict::NoDifference => format!("<system-out>no difference: {}</system-out>", escape(&told)),
        };
        let name = format!("{} {}", change.ddir, change.metric);
        case(&mut cases, &change.name, &name, &inside);
    }
    for (side, names) in [("baseline", &found.only_in_base), ("new results", &found.only_in_new)] {
        for name in names {
            tests += 1;
            skipped += 1;
            case(&mut cases, name, "present", &format!("<skipped message=\"only in the {side}\"/>"));
        }
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites>\n<testsuite name=\"plotgen compare\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" \
         skipped=\"{skipped}\">\n{cases}</testsuite>\n</testsuites>\n"
    )
}

fn case(cases: &mut String, class: &str, name: &str, inside: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(
        cases,
        "<testcase classname=\"{}\" name=\"{}\">{inside}</testcase>",
        escape(class),
        escape(name)
    );
}

/// Text for XML: markup escaped, characters that XML cannot hold replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
