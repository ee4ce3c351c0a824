//! What `compare` found, as a table, Markdown, JSON or JUnit's XML.

use super::Failure;
use super::args::CompareFormat;
use super::tables::{self, cell, plain, text};
use crate::analyze::baseline::words::{by, count, interval, of_means, remarks, verdict};
use crate::model::Verdict;
use crate::model::unit::{UnitSystem, humanize};
use crate::model::{Baseline, Change};
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
            change.what(),
            value(change.base_mean, change, units),
            value(change.new_mean, change, units),
            by(change),
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
            value(change.base_mean, change, units),
            value(change.new_mean, change, units),
            match by(change) {
                by if by.is_empty() => "no ratio".to_owned(),
                by if of_means(change).is_some() => format!("{by} of geometric means"),
                by => by,
            },
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
        case(&mut cases, &change.name, &change.what(), &inside);
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
