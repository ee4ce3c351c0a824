//! Tables for people and for scripts.

use super::Failure;
use super::args::TableFormat;
use super::charts::Kind;
use super::talk::Level;
use crate::analyze::repeat::operation_cells;
use crate::analyze::{SummaryRow, baseline, summary_rows};
use crate::chart::{Table as FigureTable, TableCell};
use crate::ingest::FORMATS;
use crate::model::decimal::{self, Room};
use crate::model::unit::{UnitSystem, humanize};
use crate::model::{Campaign, Dimension, FileReport, Measure, Metric, Operation, Stat};
use crate::spec::{self, ChartSpec};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle, presets};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::collections::BTreeMap;
use std::io::IsTerminal;

/// Most charts of single runs that are listed one by one.
const SHOWN: usize = 3;
/// Most names of ready charts of one kind.
const READY: usize = 3;
/// Columns of a table of sentences that goes into a pipe or a file.
const PIPED: usize = 100;

/// The figures of all runs in a format.
pub(super) fn summary(
    campaign: &Campaign,
    format: TableFormat,
    units: UnitSystem,
) -> Result<Vec<u8>, Failure> {
    match format {
        TableFormat::Table => Ok(text(overview(campaign, units))),
        TableFormat::Markdown => {
            let mut table = overview(campaign, units);
            table.load_style(presets::ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
            Ok(text(table))
        }
        TableFormat::Csv => csv(campaign).map_err(|error| Failure(format!("cannot write CSV: {error}"))),
        TableFormat::Json => {
            let rows = summary_rows(campaign);
            let rows: Vec<Row<'_>> =
                rows.iter().map(|row| Row { dimensions: &campaign.dimensions, row }).collect();
            json(&rows)
        }
        TableFormat::Parquet => parquet(campaign),
    }
}

#[cfg(feature = "tables")]
fn parquet(campaign: &Campaign) -> Result<Vec<u8>, Failure> {
    crate::analyze::summary_parquet(campaign)
        .map_err(|error| Failure(format!("cannot write Parquet: {error}")))
}

#[cfg(not(feature = "tables"))]
fn parquet(_: &Campaign) -> Result<Vec<u8>, Failure> {
    Err(Failure::new("this plotgen was built without Parquet (the feature `tables`); use --format csv"))
}

fn csv(campaign: &Campaign) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let dimensions = campaign.dimensions.iter().map(Dimension::as_str);
    let columns = ["metric", "ddir", "stat", "value", "unit", "origin", "n"];
    writer.write_record(["run"].into_iter().chain(dimensions).chain(columns))?;
    for row in summary_rows(campaign) {
        let mut room = Room::new();
        let value = decimal::shortest(row.value, &mut room);
        let n = row.n.map(|n| n.to_string()).unwrap_or_default();
        let figures = [
            row.metric.as_str(),
            row.ddir.as_str(),
            row.stat.as_str(),
            &value,
            row.unit.as_str(),
            row.origin.as_str(),
            &n,
        ];
        let dimensions = row.dimensions.iter().map(String::as_str);
        writer.write_record([row.run.as_str()].into_iter().chain(dimensions).chain(figures))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// A tidy row as an object, its keys the columns in their order.
struct Row<'a> {
    dimensions: &'a [Dimension],
    row: &'a SummaryRow,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Row { dimensions, row } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("run", &row.run)?;
        for (dimension, value) in dimensions.iter().zip(&row.dimensions) {
            map.serialize_entry(dimension.as_str(), &Some(value).filter(|value| !value.is_empty()))?;
        }
        map.serialize_entry("metric", &row.metric)?;
        map.serialize_entry("ddir", &row.ddir)?;
        map.serialize_entry("stat", &row.stat)?;
        map.serialize_entry("value", &row.value)?;
        map.serialize_entry("unit", &row.unit)?;
        map.serialize_entry("origin", &row.origin)?;
        map.serialize_entry("n", &row.n)?;
        map.end()
    }
}

/// One row per configuration and direction, and one for its syncs, in units that people read; repeats are merged.
fn overview(campaign: &Campaign, units: UnitSystem) -> Table {
    let mut table = plain();
    table.set_header(["run", "", "n", "bw", "IOPS", "mean latency", "p99 latency"]);
    for runs in configurations(campaign) {
        let name = name(campaign, &runs);
        for operation in Operation::ALL {
            let figure = |metrics: &[Metric], stat| figure(campaign, &runs, metrics, stat, operation, units);
            let row = [
                figure(&[Metric::Bw], Stat::Mean),
                figure(&[Metric::Iops], Stat::Mean),
                figure(&[Metric::Lat, Metric::Clat], Stat::Mean),
                figure(&[Metric::Clat, Metric::Lat], Stat::P99),
            ];
            let n = row.iter().flatten().map(|(n, _)| *n).max();
            if let Some(n) = n {
                let figures = row.into_iter().map(|figure| figure.map(|(_, text)| text).unwrap_or_default());
                let head = [cell(&name), operation.to_string(), n.to_string()];
                table.add_row(head.into_iter().chain(figures));
            }
        }
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Runs that are repeats of each other: equal in dimensions and options, in order of their first run.
fn configurations(campaign: &Campaign) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut places = BTreeMap::new();
    for (index, mut run) in baseline::runs_of(campaign).into_iter().enumerate() {
        run.dimensions.remove(&Dimension::Repeat);
        // A run of which nothing is known is a repeat of none.
        let id = run.dimensions.is_empty().then_some(run.id);
        let place = *places.entry((run.dimensions, run.options, id)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// The id of a run, or what the ids of its repeats have in common.
fn name(campaign: &Campaign, runs: &[usize]) -> String {
    let mut ids = runs.iter().map(|&run| campaign.runs[run].run.id.as_str());
    let Some(first) = ids.next() else { return String::new() };
    if runs.len() == 1 {
        return first.to_owned();
    }
    let mut shared = first;
    for id in ids {
        let same =
            shared.chars().zip(id.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        shared = &shared[..same];
    }
    // `level-sweep/raid0_qd4_run` ends in the word that counts.
    let words = ["run", "repeat", "rep", "iteration", "iter"];
    let cut = |text: &str| text.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
    let word = words.iter().find_map(|word| shared.strip_suffix(word)).filter(|rest| cut(rest) < rest.len());
    let named = word.unwrap_or(shared);
    let named = &named[..cut(named)];
    if named.is_empty() { first.to_owned() } else { named.to_owned() }
}

/// The first metric's figure that the runs have, of how many; which it is stands behind the figure when it is not the first.
fn figure(
    campaign: &Campaign,
    runs: &[usize],
    metrics: &[Metric],
    stat: Stat,
    operation: Operation,
    units: UnitSystem,
) -> Option<(usize, String)> {
    metrics.iter().enumerate().find_map(|(index, &metric)| {
        let measure = Measure { metric, stat };
        let cell = operation_cells(campaign, runs, measure, operation, &[]).pop()?;
        let mut text = humanize(cell.mean, measure.unit(), units);
        if cell.apart {
            // Neither averaged nor one for all: where they lie.
            let low =
                humanize(cell.values.iter().copied().fold(f64::INFINITY, f64::min), measure.unit(), units);
            let high = humanize(cell.values.iter().copied().fold(0.0, f64::max), measure.unit(), units);
            text = if low == high { high } else { format!("{low} to {high}") };
        }
        if let Some((low, high)) = cell.interval {
            text = format!("{text} ± {}", humanize((high - low) / 2.0, measure.unit(), units));
        }
        Some((cell.runs.len(), if index == 0 { text } else { format!("{text} ({metric})") }))
    })
}

/// What became of every file.
pub(super) fn inspect(files: &[&FileReport]) -> Vec<u8> {
    let mut table = plain();
    table.set_header(["file", "status", "format", "rows", "dimensions", "why"]);
    for file in files {
        let format = [file.format.as_deref(), file.version.as_deref(), file.layout.as_deref()];
        let dimensions =
            file.dimensions.iter().map(|(dimension, entry)| format!("{dimension}={}", entry.value));
        let rows = if file.skipped > 0 {
            format!("{} ({} skipped)", file.rows, file.skipped)
        } else {
            file.rows.to_string()
        };
        table.add_row([
            cell(&file.path),
            file.status.to_string(),
            cell(&format.into_iter().flatten().collect::<Vec<_>>().join(" ")),
            rows,
            cell(&dimensions.collect::<Vec<_>>().join(" ")),
            cell(&file.reason),
        ]);
    }
    if let Some(column) = table.column_mut(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    text(table)
}

/// What became of every file, for scripts.
pub(super) fn inspect_json(files: &[&FileReport]) -> Result<Vec<u8>, Failure> {
    json(&files)
}

/// The charts there are, and which of them suit a campaign.
pub(super) fn charts(
    campaign: Option<&Campaign>,
    kinds: &[Kind],
    own: &[ChartSpec],
    level: Level,
) -> Vec<u8> {
    let suggested =
        campaign.map(|campaign| spec::suggest(campaign).into_iter().map(|spec| spec.id).collect());
    let mut text = suggested.map_or_else(String::new, |ids| names(ids, own, level));
    let most = if level == Level::Verbose { usize::MAX } else { READY };
    let width = match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((width, _)) if std::io::stdout().is_terminal() => usize::from(width.0).clamp(40, PIPED),
        _ => PIPED,
    };
    for kind in kinds {
        text.push_str(&format!("  {}\n", cell(&kind.name)));
        let about = match kind.answers.as_str() {
            "" => format!("needs {}", kind.needs),
            answers => format!("{answers}; needs {}", kind.needs),
        };
        for line in [Some(format!("answers {about}")), kind.here(most)].into_iter().flatten() {
            text.push_str(&wrapped(&cell(&line), width));
        }
    }
    text.into_bytes()
}

/// A line as a paragraph of at most `width` columns, indented; words are never broken.
fn wrapped(line: &str, width: usize) -> String {
    const INDENT: &str = "      ";
    let mut text = String::new();
    let mut room = 0;
    for word in line.split_whitespace() {
        let length = word.chars().count() + 1;
        if text.is_empty() || length > room {
            let end = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{end}{INDENT}{word}"));
            room = (width + 1).saturating_sub(INDENT.len() + length);
        } else {
            text.push_str(&format!(" {word}"));
            room -= length;
        }
    }
    text.push('\n');
    text
}

/// The names of the charts of some inputs: comparisons first, the many of single runs as one line.
fn names(ids: Vec<String>, own: &[ChartSpec], level: Level) -> String {
    let (single, mut compared): (Vec<String>, Vec<String>) =
        ids.into_iter().partition(|id| id.starts_with("run-"));
    for spec in own {
        if !compared.contains(&spec.id) {
            compared.push(spec.id.clone());
        }
    }
    let mut text = "Charts of these inputs, for `plotgen chart NAME`:\n".to_owned();
    let few = single.len() <= SHOWN || level == Level::Verbose;
    for id in compared.iter().chain(single.iter().filter(|_| few)) {
        text.push_str(&format!("  {}\n", cell(id)));
    }
    if !few {
        text.push_str(&format!(
            "  and {} charts of single runs, run-ID-METRIC; -v lists them\n",
            single.len()
        ));
    }
    text.push_str("\nCharts there are:\n");
    text
}

/// The formats that are read.
pub(super) fn formats() -> String {
    let mut table = plain();
    table.set_header(["format", "what it is"]);
    for format in FORMATS {
        table.add_row([format.name(), format.describe()]);
    }
    format!(
        "{table}\n\nFiles are recognised by their content, not their name. They may be packed with\ngzip, zstd, xz or bzip2, stand in tar archives, and be text in UTF-8 or UTF-16.\nA store of `plotgen ingest` stands for the files that it was made from.\n"
    )
}

/// The numbers behind a figure.
pub(super) fn figure_csv(table: &FigureTable) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = || -> Result<(), csv::Error> {
        writer.write_record(&table.columns)?;
        for row in &table.rows {
            writer.write_record(row.iter().map(|cell| match cell {
                TableCell::Empty => String::new(),
                TableCell::Text(text) => text.clone(),
                TableCell::Number { value, .. } => decimal::shortest(*value, &mut Room::new()).into_owned(),
            }))?;
        }
        Ok(())
    };
    write().map_err(|error| Failure(format!("cannot write CSV: {error}")))?;
    writer.into_inner().map_err(|error| Failure(format!("cannot write CSV: {error}")))
}

/// JSON, indented, with a line end.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Failure> {
    let mut bytes =
        serde_json::to_vec_pretty(value).map_err(|error| Failure(format!("cannot write JSON: {error}")))?;
    bytes.push(b'\n');
    Ok(bytes)
}

pub(super) fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─')));
    // Wrapped to the terminal; a pipe gets whole lines.
    let stdout = std::io::stdout();
    if stdout.is_terminal()
        && let Some((width, _)) = terminal_size::terminal_size_of(stdout)
    {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.0.max(40));
    }
    table
}

pub(super) fn cell(text: &str) -> String {
    // Most texts are plain, which is seen many bytes at a time.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

pub(super) fn text(table: Table) -> Vec<u8> {
    let mut text = Vec::new();
    for line in table.lines() {
        text.extend_from_slice(line.trim_end().as_bytes());
        text.push(b'\n');
    }
    text
}
