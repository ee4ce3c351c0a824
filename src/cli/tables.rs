//! Tables for people and for scripts.

use super::Failure;
use super::args::TableFormat;
use super::talk::Level;
use crate::analyze::repeat::cells;
use crate::analyze::{SummaryRow, baseline, summary_rows};
use crate::chart::{Table as FigureTable, TableCell};
use crate::ingest::FORMATS;
use crate::model::unit::{UnitSystem, humanize};
use crate::model::{Campaign, Ddir, Dimension, FileReport, Measure, Metric, RunRecord, Stat};
use crate::spec::{self, ChartSpec, Filter};
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, presets,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;

/// Most charts of single runs that are listed one by one.
const SHOWN: usize = 3;
/// Columns of a table of sentences that goes into a pipe or a file.
const PIPED: u16 = 100;

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
        let (value, n) = (row.value.to_string(), row.n.map(|n| n.to_string()).unwrap_or_default());
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

/// One row per configuration and direction, in units that people read; repeats are merged.
fn overview(campaign: &Campaign, units: UnitSystem) -> Table {
    let mut table = plain();
    table.set_header(["run", "", "n", "bw", "IOPS", "mean latency", "p99 latency"]);
    for runs in configurations(campaign) {
        let filter = Filter {
            runs: runs.iter().map(|&run| campaign.runs[run].run.id.clone()).collect(),
            ..Filter::default()
        };
        let name = name(campaign, &runs);
        for &ddir in Ddir::ALL {
            let figure = |metrics: &[Metric], stat| figure(campaign, &filter, metrics, stat, ddir, units);
            let row = [
                figure(&[Metric::Bw], Stat::Mean),
                figure(&[Metric::Iops], Stat::Mean),
                figure(&[Metric::Lat, Metric::Clat], Stat::Mean),
                figure(&[Metric::Clat, Metric::Lat], Stat::P99),
            ];
            let n = row.iter().flatten().map(|(n, _)| *n).max();
            if let Some(n) = n {
                let figures = row.into_iter().map(|figure| figure.map(|(_, text)| text).unwrap_or_default());
                table.add_row([cell(&name), ddir.to_string(), n.to_string()].into_iter().chain(figures));
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
    filter: &Filter,
    metrics: &[Metric],
    stat: Stat,
    ddir: Ddir,
    units: UnitSystem,
) -> Option<(usize, String)> {
    metrics.iter().enumerate().find_map(|(index, &metric)| {
        let measure = Measure { metric, stat };
        let cell = cells(campaign, filter, measure, ddir, &[]).pop()?;
        let mut text = humanize(cell.mean, measure.unit(), units);
        if let Some((low, high)) = cell.interval {
            text = format!("{text} ± {}", humanize((high - low) / 2.0, measure.unit(), units));
        }
        Some((cell.runs.len(), if index == 0 { text } else { format!("{text} ({metric})") }))
    })
}

/// What became of every file.
pub(super) fn inspect(files: &[FileReport]) -> Vec<u8> {
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
pub(super) fn inspect_json(files: &[FileReport]) -> Result<Vec<u8>, Failure> {
    json(&files)
}

/// The charts there are, and which of them suit a campaign.
pub(super) fn charts(campaign: Option<&Campaign>, own: &[ChartSpec], level: Level) -> Vec<u8> {
    let suggested: Option<Vec<String>> =
        campaign.map(|campaign| spec::suggest(campaign).into_iter().map(|spec| spec.id).collect());
    let mut table = plain();
    if !std::io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(PIPED);
    }
    table.set_header(["chart", "answers", "needs"].into_iter().chain(suggested.as_ref().map(|_| "here")));
    for builtin in spec::builtins() {
        let here = campaign.zip(suggested.as_ref()).map(|(campaign, ids)| {
            let mut fitting: BTreeSet<&str> =
                ids.iter().map(String::as_str).filter(|id| fits(&builtin.name, id)).collect();
            let mut unasked = unasked(campaign, ids);
            unasked.extend(on_demand(&builtin.name, campaign, ids));
            fitting.extend(unasked.iter().map(String::as_str).filter(|id| fits(&builtin.name, id)));
            if fitting.is_empty() { "none".to_owned() } else { fitting.len().to_string() }
        });
        table.add_row(
            [cell(&builtin.name), builtin.answers.to_owned(), builtin.needs.to_owned()]
                .into_iter()
                .chain(here),
        );
    }
    for spec in own {
        let row =
            [cell(&spec.id), cell(spec.title.as_deref().unwrap_or_default()), "plotgen.toml".to_owned()];
        table.add_row(row.into_iter().chain(suggested.as_ref().map(|_| "1".to_owned())));
    }
    // A name that is broken over lines cannot be copied.
    if let Some(column) = table.column_mut(0) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    let mut bytes = suggested.map_or_else(Vec::new, |ids| names(ids, own, level).into_bytes());
    bytes.extend(text(table));
    bytes
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

/// Charts that the runs have data for and that are drawn when asked for only: all runs over time or over the data
/// moved, latencies of single I/Os, solid bars beside a matrix.
fn unasked(campaign: &Campaign, ids: &[String]) -> Vec<String> {
    let logged = |metric: Metric| campaign.runs.iter().any(|r| r.series.iter().any(|s| s.metric == metric));
    let of_ios = |metric: Metric| {
        let has = |r: &RunRecord| Ddir::ALL.iter().any(|&ddir| r.run.has_timed_histogram(metric, ddir));
        campaign.runs.iter().any(has)
    };
    let mut names: Vec<String> = ids
        .iter()
        .filter(|id| id.contains("-matrix-"))
        .map(|id| id.replacen("-matrix-", "-bars3d-", 1))
        .collect();
    for metric in [Metric::Iops, Metric::Bw, Metric::Lat, Metric::Clat] {
        if logged(metric) {
            names.push(format!("{metric}-time"));
        }
        if logged(metric) && metric.is_rate() && logged(Metric::Bw) {
            names.push(format!("{metric}-amount"));
        }
        if of_ios(metric) {
            names.extend([format!("{metric}-heatmap"), format!("{metric}-percentiles-time")]);
        }
    }
    names
}

/// Charts that a report does not draw of itself and that a name stands for here.
fn on_demand(name: &str, campaign: &Campaign, suggested: &[String]) -> Vec<String> {
    let counted = |r: &RunRecord| {
        let of = |metric| Ddir::ALL.iter().any(|&ddir| r.run.has_histogram(metric, ddir));
        [Metric::Lat, Metric::Clat].into_iter().any(of)
    };
    match name {
        "METRIC-percentiles" => [Metric::Lat, Metric::Clat]
            .iter()
            .filter(|metric| campaign.runs.iter().any(|r| spec::has_tail(r, **metric)))
            .map(|metric| format!("{metric}-percentiles"))
            .collect(),
        // The same runs in another form; percentiles that a tool reports have no bins.
        _ => ["ecdf", "exceedance", "histogram"]
            .iter()
            .filter(|form| name.contains(**form))
            .filter(|form| **form != "histogram" || campaign.runs.iter().any(counted))
            .flat_map(|form| {
                let tails = name.replace(form, "percentiles");
                suggested.iter().filter(move |id| fits(&tails, id)).map(|id| id.replace("percentiles", form))
            })
            .collect(),
    }
}

/// True when a chart's id is what a name with words in capitals stands for, perhaps followed by what tells
/// charts of one name apart.
fn fits(name: &str, id: &str) -> bool {
    let (mut words, mut parts) = (name.split('-'), id.split('-'));
    loop {
        match (words.next(), parts.next()) {
            (None, rest) => return rest.is_none_or(|word| word != "and" && name.ends_with("DIMENSION")),
            (Some("METRIC"), Some(part)) if part.parse::<Metric>().is_ok() => {}
            (Some("STAT"), Some(part)) if part.parse::<Stat>().is_ok() => {}
            (Some("DIMENSION"), Some(part)) if !part.is_empty() => {}
            (Some(word), Some(part)) if word == part => {}
            _ => return false,
        }
    }
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
                TableCell::Number { value, .. } => value.to_string(),
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
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

pub(super) fn text(table: Table) -> Vec<u8> {
    format!("{}\n", table.trim_fmt()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_words_in_capitals_stand_for_charts() {
        assert!(fits("METRIC-by-DIMENSION", "iops-by-raid"));
        assert!(fits("METRIC-STAT-by-DIMENSION", "lat-p99-by-chunk"));
        assert!(!fits("METRIC-by-DIMENSION", "lat-p99-by-chunk"));
        assert!(!fits("METRIC-by-DIMENSION", "iops-by-raid-and-chunk"));
        assert!(fits("METRIC-by-DIMENSION", "iops-by-raid-level-sweep"));
        assert!(!fits("METRIC-time", "run-a-time"));
        assert!(!fits("METRIC-time", "iops-time-by-raid"));
    }
}
