//! What was typed, as clap gives it.

use super::quantity::{self, Accepted};
use crate::analyze::ArrayModel;
use crate::model::{Dimension, Metric, Value};
use crate::render::ImageFormat;
use clap::builder::{Styles, styling::AnsiColor};
use clap::{ArgAction, Parser, Subcommand, ValueEnum, ValueHint};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const ABOUT: &str = "Charts and a report from the logs that storage benchmarks leave behind";

const EXAMPLES: &str = "\
Examples:
  plotgen results/                    read a directory, write report/index.html
  plotgen results/*.log -o report/    the same; JSON beside the logs is found and read
  plotgen chart iops-time results/ -o iops.svg
  plotgen summary results/ --format csv | column -ts,
  plotgen inspect results/            what was found in each file, and why

New here? Run fio with --output-format=json --output=NAME.json --write_bw_log=NAME
--write_iops_log=NAME --write_lat_log=NAME --log_avg_msec=1000, then `plotgen .`.

Exit codes: 0 done; 1 written, but an input was missing or broken; 2 wrong usage,
nothing readable or nothing written; 3 a regression and 5 an inconclusive verdict of `compare`;
4 a finding of `check`.";

/// Charts and a report from the logs that storage benchmarks leave behind.
#[derive(Debug, Parser)]
#[command(
    name = "plotgen", version, about = ABOUT, after_help = EXAMPLES, styles = STYLES, max_term_width = 100,
    args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) report: ReportArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write a report with all charts (what happens without a subcommand, too)
    #[command(after_help = "\
Examples:
  plotgen report results/ -o report/ --title \"RAID levels, 6 drives\"
  plotgen report base/ new/ --set host=db1 --theme dark --scale 2
  plotgen report new/ --baseline old/             what changed since then
  plotgen report results/ --pattern 'raid(?<raid>\\d+)_chunk(?<chunk>[^_]+)_'")]
    Report(ReportArgs),
    /// Draw one chart into a file
    #[command(after_help = "\
Examples:
  plotgen chart iops-time results/ -o iops.svg
  plotgen chart lat-by-iodepth results/ --where raid=10 -o lat.png --scale 2
  plotgen chart iops-by-raid results/ -o iops.pdf
  plotgen chart bw-time results/ -o bw.csv       the numbers behind the picture
  plotgen chart bw-time results/ -o - | less     SVG to standard output
  plotgen chart lat-by-iodepth results/ --print-spec > mine.toml
  plotgen chart --spec mine.toml results/ -o mine.svg

`plotgen charts results/` lists the names; docs/charts.md is the vocabulary of --spec.")]
    Chart(ChartArgs),
    /// List the charts there are, and which of them the inputs allow
    #[command(after_help = "\
Examples:
  plotgen charts
  plotgen charts results/
  plotgen charts results/ --format json | jq -r '.[].ready[0] // empty'
  plotgen charts results/ --gallery sheet.html    one picture of each kind")]
    Charts(ChartsArgs),
    /// Print the figures of all runs as a table
    #[command(after_help = "\
Examples:
  plotgen summary results/
  plotgen summary results/ --format csv -o summary.csv
  plotgen summary results/ --format json | jq '.[] | select(.stat == \"p99\")'

table and markdown merge the n repeats of a configuration: mean ± half of its 95 % interval; percentiles
are those of all I/Os where the outputs have histograms (json+), else the lowest to the highest.
csv, json and parquet hold one row for each run and figure, in base units (B/s, 1/s, ns).")]
    Summary(SummaryArgs),
    /// Show what was found in each input file, and why
    #[command(after_help = "\
Examples:
  plotgen inspect results/
  plotgen inspect results/ --format json | jq '.[] | select(.status != \"read\")'")]
    Inspect(InspectArgs),
    /// Read the inputs into a store: Parquet that is an input like any other, also on another machine
    #[command(after_help = "\
Examples:
  plotgen ingest results/host17 -o stores/host17     on each machine, next to the data
  plotgen stores/ -o report/                         the report of all of them
  plotgen ingest stores/ -o all                      many stores as one
  plotgen ingest results/ -o store --set fs=xfs      said here, kept with the files

Give whole directories: a log is understood by the output beside it. The report is the same as from
the files themselves. docs/store.md describes the tables, docs/scale.md how to use many machines.")]
    Ingest(IngestArgs),
    /// Audit how the results were measured
    #[command(after_help = "\
Examples:
  plotgen check results/
  plotgen check results/ --fail-on warning && publish results/
  plotgen check results/ --set ram=4G --set disk=hdd --model drives=6,drive-iops=75
  plotgen check results/ --format json | jq '.[] | select(.severity != \"info\")'

Exit code 4 when a check found something at the level of --fail-on or above.")]
    Check(CheckArgs),
    /// Compare new results with a baseline, for people and for CI
    #[command(after_help = "\
Examples:
  plotgen compare base/ new/
  plotgen compare last-report/report.json results/ --threshold iops=5%,lat=10%
  plotgen compare base/ new/ --format junit -o compare.xml

Exit codes: 0 no regression; 1 none, but an input was missing or broken; 2 wrong usage or
nothing to compare; 3 regression; 5 with --fail-inconclusive, when the repeats do not decide.")]
    Compare(CompareArgs),
    /// List the file formats that are read
    Formats,
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  plotgen completions bash > ~/.local/share/bash-completion/completions/plotgen
  plotgen completions zsh > ~/.zfunc/_plotgen
  plotgen completions fish > ~/.config/fish/completions/plotgen.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, of a subcommand if one is named
    #[command(after_help = "Example: plotgen man | man -l -")]
    Man {
        /// A subcommand
        command: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// Folder for the report [default: report]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) output: Option<PathBuf>,
    /// Title of the report [default: what is compared]
    #[arg(long, value_name = "TEXT")]
    pub(super) title: Option<String>,
    /// Text under the title: what was measured, on what, why
    #[arg(long, value_name = "TEXT")]
    pub(super) description: Option<String>,
    /// Show the report in the browser when it is done
    #[arg(long)]
    pub(super) open: bool,
    /// Only this chart instead of all that fit; may be repeated
    #[arg(long = "chart", value_name = "NAME", help_heading = "Pictures")]
    pub(super) charts: Vec<String>,
    /// Formats of the pictures [default: svg,png]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FORMAT", help_heading = "Pictures")]
    pub(super) format: Vec<PictureFormat>,
    #[command(flatten)]
    pub(super) style: Style,
    /// Folder with templates that replace built-in ones of the same name
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Pictures")]
    pub(super) templates: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) against: Against,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) general: General,
}

#[derive(Debug, clap::Args)]
pub(super) struct ChartArgs {
    /// Name of the chart; `plotgen charts` lists them; with --spec of a file that holds one chart it is left out
    pub(super) name: OsString,
    /// Files, directories, patterns ('results/**/*.json'); - reads standard input
    #[arg(required_unless_present = "spec", value_hint = ValueHint::AnyPath)]
    pub(super) inputs: Vec<OsString>,
    /// File for the picture: .svg, .png, .pdf, .csv or .json; - writes SVG to standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "print_spec")]
    pub(super) output: Option<PathBuf>,
    /// File with a chart of one's own, or several, in TOML or JSON (docs/charts.md), or a picture that
    /// plotgen made; - reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) spec: Option<PathBuf>,
    /// Print the chart as TOML, for --spec or plotgen.toml, instead of drawing it
    #[arg(long, conflicts_with = "output")]
    pub(super) print_spec: bool,
    /// Title of the chart [default: what is compared]
    #[arg(long, value_name = "TEXT")]
    pub(super) title: Option<String>,
    #[command(flatten)]
    pub(super) style: Style,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) against: Against,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) general: General,
}

#[derive(Debug, clap::Args)]
pub(super) struct ChartsArgs {
    /// Files, directories, patterns; - reads standard input
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(super) inputs: Vec<OsString>,
    /// Format of the list
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: InspectFormat,
    /// Draw one chart of each kind onto a page: a file (.html), or a folder with the pictures beside the page
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, requires = "inputs", conflicts_with = "format")]
    pub(super) gallery: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) against: Against,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) general: General,
}

#[derive(Debug, clap::Args)]
pub(super) struct SummaryArgs {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// Format of the table [default: by the suffix of the output file, else table]
    #[arg(long, value_enum)]
    pub(super) format: Option<TableFormat>,
    /// File for the table [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
    /// Prefixes of bandwidth in tables for people [default: iec]
    #[arg(long, value_enum)]
    pub(super) units: Option<Units>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) general: General,
}

#[derive(Debug, clap::Args)]
pub(super) struct InspectArgs {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// Format of the list
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: InspectFormat,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) general: General,
}

#[derive(Debug, clap::Args)]
pub(super) struct IngestArgs {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// Folder for the store; one that is there is replaced
    #[arg(short, long, value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(super) output: PathBuf,
    /// Directory of the whole campaign, of which the inputs are a part: runs are named by their paths below it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) root: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) general: General,
}

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// Level from which on the exit code is 4
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    pub(super) fail_on: FailOn,
    /// Format of the list
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: InspectFormat,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) general: General,
}

#[derive(Debug, clap::Args)]
pub(super) struct CompareArgs {
    /// The baseline: a file, a directory, a pattern, or a report.json
    #[arg(value_name = "BASE", value_hint = ValueHint::AnyPath)]
    pub(super) base: OsString,
    /// The new results, in the same forms
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub(super) new: OsString,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: CompareFormat,
    /// File for the comparison [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
    /// Exit with 5 when a verdict is inconclusive
    #[arg(long)]
    pub(super) fail_inconclusive: bool,
    /// Prefixes of bandwidth in tables for people [default: iec]
    #[arg(long, value_enum)]
    pub(super) units: Option<Units>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) general: General,
}

/// Where the results are.
#[derive(Debug, clap::Args)]
pub(super) struct Inputs {
    /// Files, directories, patterns ('results/**/*.json'); - reads standard input
    #[arg(required = true, value_name = "INPUTS", value_hint = ValueHint::AnyPath)]
    pub(super) inputs: Vec<OsString>,
}

/// How files are read and what is known about them.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(super) struct Reading {
    /// Regular expression for paths; its named groups are dimensions: 'raid(?<raid>\d+)'
    #[arg(long, value_name = "REGEX")]
    pub(super) pattern: Option<String>,
    /// A dimension of all runs, such as fs=xfs; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = quantity::key_value)]
    pub(super) set: Vec<(Dimension, Value)>,
    /// Drives of the array, for the RAID model: drives=6,drive-iops=75
    #[arg(long, value_name = "KEY=N,...", value_parser = quantity::array_model)]
    pub(super) model: Option<ArrayModel>,
    /// Leave out files whose path, directory or name matches; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(super) exclude: Vec<String>,
    /// Unit of latency logs, where plotgen cannot know it
    #[arg(long, value_enum, value_name = "UNIT")]
    pub(super) lat_unit: Option<LatUnit>,
    /// Columns of the logs, such as t,v,d,bs,off,p
    #[arg(long, value_name = "COLUMNS")]
    pub(super) layout: Option<String>,
    /// What it means when time starts over in a log: jobs at once or one after another
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) appended: Option<Appended>,
    /// Read only what was named, not the outputs beside named logs
    #[arg(long)]
    pub(super) no_siblings: bool,
    /// Stop at the first missing or broken input instead of going on without it
    #[arg(long)]
    pub(super) strict: bool,
    /// Put placeholders in place of host names, user names and absolute paths; devices stay
    #[arg(long)]
    pub(super) redact: bool,
}

/// Which runs and which part of them.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Selecting")]
pub(super) struct Selection {
    /// Only runs with one of these values, such as raid=5,6; may be repeated
    #[arg(long = "where", value_name = "KEY=VALUE,...", value_parser = quantity::accepted)]
    pub(super) where_: Vec<Accepted>,
    /// Run time to start at, such as 30s or 5m; a number alone is seconds
    #[arg(long, value_name = "TIME", value_parser = quantity::run_time_ms)]
    pub(super) from: Option<f64>,
    /// Run time to end at
    #[arg(long, value_name = "TIME", value_parser = quantity::run_time_ms)]
    pub(super) to: Option<f64>,
    /// Relative difference that matters: 5%, or by metric as in iops=5%,lat=10% [default: 5%]
    #[arg(long, value_name = "SHARE", value_delimiter = ',', value_parser = quantity::threshold)]
    pub(super) threshold: Vec<(Option<Metric>, f64)>,
}

/// What the results are compared with.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Against {
    /// Earlier results to compare with: a file, a directory, a pattern, or a report.json
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "Selecting")]
    pub(super) baseline: Option<OsString>,
}

/// How pictures look.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Pictures")]
pub(super) struct Style {
    /// Size of PNGs: 2 is for high-resolution screens; a report gets it beside 1x, as NAME@2x.png
    #[arg(long, value_name = "FACTOR", value_parser = quantity::scale)]
    pub(super) scale: Option<f64>,
    /// Colours; auto: SVG follows the reader's theme, PNG is light [default: auto]
    #[arg(long, value_enum)]
    pub(super) theme: Option<Theme>,
    /// Prefixes of bandwidth: si MB/s, iec MiB/s [default: iec]
    #[arg(long, value_enum)]
    pub(super) units: Option<Units>,
    /// Text in SVGs: plain, with the font embedded, or as outlines [default: plain]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) svg_text: Option<SvgText>,
}

/// What concerns the program itself.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "General")]
pub(super) struct General {
    /// Settings to use [default: plotgen.toml in the working directory, if there is one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Threads to work with [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// Neither use nor keep what is known from earlier runs
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Tell by their content, not by size and time, whether files are those of an earlier run
    #[arg(long, conflicts_with = "no_cache")]
    pub(super) verify: bool,
    /// Only errors on standard error
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Notes on standard error, too
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(super) verbose: bool,
}

/// Formats of pictures in a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PictureFormat {
    Svg,
    Png,
    Pdf,
}

impl PictureFormat {
    /// What the renderer calls it, at 1x.
    pub(super) fn image(self) -> ImageFormat {
        match self {
            PictureFormat::Svg => ImageFormat::Svg,
            PictureFormat::Png => ImageFormat::Png { scale: 1.0 },
            PictureFormat::Pdf => ImageFormat::Pdf,
        }
    }
}

/// Formats of the tidy table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// One row per configuration and direction, for people; repeats are merged
    Table,
    /// Tidy rows
    Csv,
    /// Tidy rows
    Json,
    /// As table, for a wiki or an issue
    Markdown,
    /// Tidy rows
    Parquet,
}

/// Formats of `compare`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareFormat {
    /// For people
    #[default]
    Table,
    /// As table, for a wiki or an issue
    Markdown,
    /// For scripts
    Json,
    /// Test cases, for CI servers
    Junit,
}

/// Levels at which `check` fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Figures that are wrong
    #[default]
    Error,
    /// Figures that need a caveat, too
    Warning,
}

/// Formats of `inspect`, `check` and `charts`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum InspectFormat {
    /// For people
    #[default]
    Table,
    /// For scripts
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LatUnit {
    /// fio 3
    Ns,
    /// fio 2 and older
    Us,
    /// Rewritten logs
    Ms,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Appended {
    /// The output beside the log decides
    Auto,
    /// Jobs that ran at once: their values are summed
    Concurrent,
    /// Runs one after another: each stands for itself
    Sequential,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Theme {
    /// Dark on light
    Light,
    /// Light on dark; a report gets it beside the light pictures, as NAME-dark.svg
    Dark,
    /// SVG follows the reader's theme, PNG is light
    #[default]
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Units {
    /// Powers of 1000: kB/s, MB/s
    Si,
    /// Powers of 1024: KiB/s, MiB/s
    Iec,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SvgText {
    /// In the reader's fonts
    Plain,
    /// With the font in the file
    Embed,
    /// As shapes
    Outline,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }
}
