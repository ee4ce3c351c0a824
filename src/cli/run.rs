//! The commands: the stages in their order, and what is said about them.

mod compare;
#[cfg(feature = "tables")]
mod store;

pub(super) use compare::compare;
#[cfg(feature = "tables")]
pub(super) use store::ingest;

use super::args::{
    ChartArgs, ChartsArgs, CheckArgs, FailOn, General, InspectArgs, InspectFormat, Reading, ReportArgs,
    Selection, SummaryArgs, TableFormat,
};
use super::config::{Settings, level, units_of};
use super::talk::{Level, Talk};
use super::{Exit, Failure, checks, output, pictures, tables};
use crate::analyze::analyze;
use crate::chart;
use crate::discover::{Role, STORE_MANIFEST, discover};
use crate::gallery;
use crate::ingest::{self, Contents, Ingested, redact};
use crate::model::{Campaign, Diagnostic, FileReport, FileState, Severity};
use crate::render::ImageFormat;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Where a report goes when nothing else is said.
const OUTPUT: &str = "report";

/// A command's settings, voice and threads.
struct Session {
    settings: Settings,
    talk: Talk,
    level: Level,
    threads: rayon::ThreadPool,
}

/// All inputs, each read on its own.
struct Apart {
    contents: Contents,
    /// Files that must not be overwritten.
    inputs: Vec<PathBuf>,
    /// The directory that holds them all.
    root: String,
}

/// All inputs, read.
struct Read {
    ingested: Ingested,
    /// Files that must not be overwritten.
    inputs: Vec<PathBuf>,
    /// Names of files as the user writes them, by their relative names.
    shown: BTreeMap<String, String>,
}

/// All inputs, analysed.
struct Analysed {
    campaign: Campaign,
    inputs: Vec<PathBuf>,
    shown: BTreeMap<String, String>,
}

impl Session {
    fn new(general: &General, reading: &Reading, selection: &Selection) -> Result<Self, Failure> {
        let mut settings = Settings::load(general)?;
        settings.reading(reading)?;
        settings.selection(selection)?;
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(settings.threads.unwrap_or(0))
            .build()
            .map_err(|error| Failure(format!("cannot start threads: {error}")))?;
        let level = level(general);
        Ok(Session { settings, talk: Talk::new(level), level, threads })
    }

    /// Finds and reads the inputs and joins nothing; `target` must be none of them. A store that is
    /// `replaced` is none of them either.
    fn apart(
        &mut self,
        inputs: &[OsString],
        target: Option<&Path>,
        replaced: Option<&Path>,
    ) -> Result<Apart, Failure> {
        let mut discovered = discover(inputs, &self.settings.discover);
        let replaced = replaced.and_then(|folder| folder.join(STORE_MANIFEST).canonicalize().ok());
        if let Some(replaced) = &replaced {
            discovered.sources.retain(|source| {
                source.role != Role::Store || source.path.canonicalize().ok().as_ref() != Some(replaced)
            });
        }
        let shown = &discovered.shown;
        let inputs: Vec<PathBuf> = discovered
            .sources
            .iter()
            .filter(|source| !source.stdin)
            .map(|source| source.path.clone())
            .collect();
        if let Some(target) = target {
            output::check(target, &inputs)?;
        }
        let root = discovered.root.to_string_lossy().into_owned();
        let mut found = discovered.diagnostics.clone();
        if discovered.sources.is_empty() {
            found.extend(discovered.passed_over);
            let unheard = self.talk.diagnostics(&found, shown);
            if found.iter().any(|remark| remark.severity == Severity::Error) {
                return Err(Failure::told());
            }
            self.explain_silence(&found, shown, unheard);
            return Err(Failure::new(
                "nothing to read; name files, directories or patterns that hold results",
            ));
        }
        if self.settings.ingest.strict && found.iter().any(|remark| remark.severity == Severity::Error) {
            self.talk.diagnostics(&found, shown);
            return Err(Failure::new("nothing written, because of --strict"));
        }
        self.talk.diagnostics(&discovered.passed_over, shown);
        if discovered.sources.iter().any(|source| source.stdin) && std::io::stdin().is_terminal() {
            self.talk.done("reading standard input from the terminal; end it with Ctrl-D");
        }
        let bar = self.talk.progress("reading", discovered.sources.len());
        let tell = |done: usize, total: usize| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        };
        let contents = self.threads.install(|| ingest::read(discovered, &self.settings.ingest, &tell));
        bar.finish_and_clear();
        Ok(Apart { contents, inputs, root })
    }

    /// Finds, reads and joins the inputs; `target` must be none of them.
    fn read(&mut self, inputs: &[OsString], target: Option<&Path>) -> Result<Read, Failure> {
        let Apart { contents, inputs, root } = self.apart(inputs, target, None)?;
        let found: Vec<String> = contents.found().map(|remark| remark.path.clone()).collect();
        let mut ingested = self.threads.install(|| contents.join(&self.settings.ingest));
        let mut shown = std::mem::take(&mut ingested.shown);
        if self.settings.redact {
            // The reader of standard error knows the names: they stay as typed there.
            let typed: Vec<String> = shown.values().cloned().chain([root]).collect();
            let redactor = redact(&mut ingested, &typed);
            for path in found {
                shown.entry(path.clone()).or_insert(path);
            }
            shown = shown.into_iter().map(|(name, typed)| (redactor.name(&name), typed)).collect();
            self.settings.redacted(&redactor);
        }
        Ok(Read { ingested, inputs, shown })
    }

    /// Reads and analyses the inputs and says what there is to say.
    fn analyse(&mut self, inputs: &[OsString], target: Option<&Path>) -> Result<Analysed, Failure> {
        let Read { ingested, inputs, shown } = self.read(inputs, target)?;
        let read_any = !ingested.runs.is_empty();
        let campaign = self.threads.install(|| analyze(ingested, &self.settings.analyze));
        let unheard = self.talk.diagnostics(&campaign.diagnostics, &shown);
        if self.settings.ingest.strict && exit(&campaign.files, &campaign.diagnostics) != Exit::Done {
            return Err(Failure::new("nothing written, because of --strict"));
        }
        if campaign.runs.is_empty() {
            if read_any {
                return Err(Failure::new("no run is left; loosen --where"));
            }
            self.explain_silence(&campaign.diagnostics, &shown, unheard);
            return Err(nothing_readable(&campaign.files));
        }
        Ok(Analysed { campaign, inputs, shown })
    }

    /// When nothing came of it, the notes that were held back may say why.
    fn explain_silence(&self, remarks: &[Diagnostic], shown: &BTreeMap<String, String>, unheard: usize) {
        if unheard > 0 && self.level == Level::Normal {
            let notes: Vec<Diagnostic> =
                remarks.iter().filter(|remark| remark.severity == Severity::Info).cloned().collect();
            Talk::new(Level::Verbose).diagnostics(&notes, shown);
        }
    }
}

fn nothing_readable(files: &[FileReport]) -> Failure {
    let count = files.len();
    let files =
        if count == 1 { "the file holds".to_owned() } else { format!("none of the {count} files holds") };
    let not = if count == 1 { "no benchmark results" } else { "benchmark results that can be read" };
    Failure(format!("{files} {not}; `plotgen inspect` says why, `plotgen formats` lists what is read"))
}

/// 1 when an input was missing, or recognised and broken.
fn exit(files: &[FileReport], remarks: &[Diagnostic]) -> Exit {
    let failed = files.iter().any(|file| file.status == FileState::Failed);
    let error = remarks.iter().any(|remark| remark.severity == Severity::Error);
    if failed || error { Exit::Partial } else { Exit::Done }
}

/// `plotgen report`.
pub(super) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?;
    session.settings.style(&args.style)?;
    session.settings.formats(&args.format);
    if args.title.is_some() {
        session.settings.analyze.title.clone_from(&args.title);
    }
    if args.description.is_some() {
        session.settings.analyze.description.clone_from(&args.description);
    }
    let out = args
        .output
        .clone()
        .or_else(|| session.settings.output.clone())
        .unwrap_or_else(|| PathBuf::from(OUTPUT));

    let Analysed { mut campaign, inputs, shown } = session.analyse(&args.inputs.inputs, None)?;
    let Session { settings, talk, .. } = &session;
    gallery::check_output(&out, &inputs).map_err(failure)?;
    let pages = gallery::PageOptions {
        units: settings.pictures.units,
        templates: args.templates.clone().or_else(|| settings.templates.clone()),
    };
    let specs = pictures::select(&campaign, settings, &args.charts)?;
    let bar = talk.progress("drawing", specs.len());
    let drawn =
        session.threads.install(|| pictures::draw(&campaign, specs, &settings.pictures, &|| bar.inc(1)));
    bar.finish_and_clear();
    let mut pictures = Vec::new();
    let mut remarks = Vec::new();
    for (spec, picture) in drawn {
        let wanted = !args.charts.is_empty() || settings.charts.iter().any(|own| own.id == spec.id);
        match picture {
            Ok(picture) => {
                // What plotgen suggests pools nothing; what was asked for may.
                let pooled =
                    picture.figure.notes.iter().filter(|note| wanted && chart::tells_of_pooling(note));
                let remark = |note: &String| {
                    Diagnostic::new(
                        Severity::Warning,
                        format!("chart {}", spec.id),
                        note.trim_end_matches('.'),
                    )
                };
                remarks.extend(pooled.map(remark));
                pictures.push(picture);
            }
            // A chart that was asked for is missed; one that was only suggested is not.
            Err(error) => {
                let severity = if wanted { Severity::Error } else { Severity::Warning };
                remarks.push(Diagnostic::new(severity, format!("chart {}", spec.id), error.to_string()));
            }
        }
    }
    talk.diagnostics(&remarks, &shown);
    campaign.diagnostics.append(&mut remarks);
    let files = session
        .threads
        .install(|| gallery::build(&campaign, &pictures, tables_for(&campaign)?, &pages).map_err(failure))?;
    gallery::write(&files, &out, &inputs).map_err(failure)?;

    let index = out.join("index.html");
    talk.done(&format!("{}: {}", last_word(&campaign, pictures.len(), session.level), index.display()));
    if args.open
        && let Err(Failure(message)) = output::open_in_browser(&index)
    {
        talk.done(&format!("warning: {message}"));
    }
    Ok(exit(&campaign.files, &campaign.diagnostics))
}

/// Tables that the gallery takes as they are.
#[cfg(feature = "tables")]
fn tables_for(campaign: &Campaign) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let parquet = tables::summary(campaign, TableFormat::Parquet, crate::model::unit::UnitSystem::default())?;
    Ok(BTreeMap::from([("data/summary.parquet".to_owned(), parquet)]))
}

#[cfg(not(feature = "tables"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature `tables` it can fail")]
fn tables_for(_: &Campaign) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    Ok(BTreeMap::new())
}

/// An error with its causes, on one line.
fn failure(error: impl std::error::Error) -> Failure {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    Failure(message)
}

/// Runs, charts and files, counted.
fn last_word(campaign: &Campaign, charts: usize, level: Level) -> String {
    let count =
        |states: &[FileState]| campaign.files.iter().filter(|file| states.contains(&file.status)).count();
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let notes = campaign.diagnostics.iter().filter(|remark| remark.severity == Severity::Info).count();
    let mut text = format!(
        "{}, {}; {} read",
        plural(campaign.runs.len(), "run"),
        plural(charts, "chart"),
        plural(count(&[FileState::Read, FileState::Companion]), "file"),
    );
    for (count, word) in [(count(&[FileState::Ignored]), "ignored"), (count(&[FileState::Failed]), "failed")]
    {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    if notes > 0 && level < Level::Verbose {
        text.push_str(&format!("; {} (-v shows them)", plural(notes, "note")));
    }
    text
}

/// `plotgen chart`.
pub(super) fn chart(args: &ChartArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?;
    session.settings.style(&args.style)?;
    let stdout = args.output == Path::new("-");
    let format = ChartFormat::of(&args.output)?;
    let target = Some(args.output.as_path()).filter(|_| !stdout);
    let Analysed { campaign, .. } = session.analyse(&args.inputs.inputs, target)?;
    let settings = &session.settings;
    let mut spec = pictures::single(&campaign, settings, &args.name)?;
    if args.title.is_some() {
        spec.title.clone_from(&args.title);
    }
    let figure = chart::chart(&campaign, &spec).map_err(failure)?;
    let image = |format| {
        pictures::image(&figure, format, settings.pictures.theme, &settings.pictures).map_err(failure)
    };
    let bytes = match format {
        ChartFormat::Svg => image(ImageFormat::Svg)?,
        ChartFormat::Png => image(ImageFormat::Png { scale: settings.pictures.scale })?,
        ChartFormat::Csv => tables::figure_csv(&figure.table)?,
        ChartFormat::Json => tables::json(&figure)?,
    };
    session.talk.notes(&format!("chart {}", spec.id), &figure.notes);
    let written = if stdout {
        output::to_stdout(&bytes)?
    } else {
        let written = output::to_file(&args.output, &bytes)?;
        session.talk.done(&format!("chart: {}", args.output.display()));
        written
    };
    Ok(written.max(exit(&campaign.files, &campaign.diagnostics)))
}

/// What `chart -o` writes, by the suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChartFormat {
    Svg,
    Png,
    Csv,
    Json,
}

impl ChartFormat {
    fn of(output: &Path) -> Result<Self, Failure> {
        if output == Path::new("-") {
            return Ok(ChartFormat::Svg);
        }
        let suffix = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match suffix.as_str() {
            "svg" => Ok(ChartFormat::Svg),
            "png" => Ok(ChartFormat::Png),
            "csv" => Ok(ChartFormat::Csv),
            "json" => Ok(ChartFormat::Json),
            _ => Err(Failure(format!(
                "{}: the suffix says what to write; expected .svg, .png, .csv or .json, or - for SVG to standard output",
                output.display()
            ))),
        }
    }
}

/// `plotgen charts`.
pub(super) fn charts(args: &ChartsArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?;
    if args.inputs.is_empty() {
        return output::to_stdout(&tables::charts(None, &session.settings.charts, session.level));
    }
    let Analysed { campaign, .. } = session.analyse(&args.inputs, None)?;
    let written =
        output::to_stdout(&tables::charts(Some(&campaign), &session.settings.charts, session.level))?;
    Ok(written.max(exit(&campaign.files, &campaign.diagnostics)))
}

/// `plotgen ingest`.
#[cfg(not(feature = "tables"))]
pub(super) fn ingest(_: &super::args::IngestArgs) -> Result<Exit, Failure> {
    Err(Failure::new(
        "this plotgen was built without Parquet (the feature `tables`), which stores are made of",
    ))
}

/// `plotgen summary`.
pub(super) fn summary(args: &SummaryArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?;
    if let Some(units) = args.units {
        session.settings.pictures.units = units_of(units);
    }
    let target = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let format = args.format.unwrap_or_else(|| table_format(target));
    if format == TableFormat::Parquet && target.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::new("Parquet is no text for a terminal; name a file with -o"));
    }
    let Analysed { campaign, .. } = session.analyse(&args.inputs.inputs, target)?;
    let bytes = tables::summary(&campaign, format, session.settings.pictures.units)?;
    let written = match target {
        Some(target) => {
            let written = output::to_file(target, &bytes)?;
            session.talk.done(&format!("summary: {}", target.display()));
            written
        }
        None => output::to_stdout(&bytes)?,
    };
    Ok(written.max(exit(&campaign.files, &campaign.diagnostics)))
}

fn table_format(target: Option<&Path>) -> TableFormat {
    let suffix = target.and_then(Path::extension).unwrap_or_default().to_string_lossy().to_lowercase();
    match suffix.as_str() {
        "csv" => TableFormat::Csv,
        "json" => TableFormat::Json,
        "md" => TableFormat::Markdown,
        "parquet" => TableFormat::Parquet,
        _ => TableFormat::Table,
    }
}

/// `plotgen check`.
pub(super) fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?;
    let Analysed { campaign, .. } = session.analyse(&args.inputs.inputs, None)?;
    let written = match args.format {
        InspectFormat::Table => output::to_stdout(checks::text(&campaign).as_bytes())?,
        InspectFormat::Json => output::to_stdout(&tables::json(&gallery::checks(&campaign))?)?,
    };
    let least = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
    };
    if campaign.checks.iter().any(|check| check.severity >= least) {
        return Ok(Exit::Finding);
    }
    Ok(written.max(exit(&campaign.files, &campaign.diagnostics)))
}

/// `plotgen inspect`.
pub(super) fn inspect(args: &InspectArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &Selection::default())?;
    let Read { ingested, shown, .. } = session.read(&args.inputs.inputs, None)?;
    session.talk.diagnostics(&ingested.diagnostics, &shown);
    let files = [ingested.stores.as_slice(), ingested.files.as_slice()].concat();
    let written = match args.format {
        InspectFormat::Table => output::to_stdout(&tables::inspect(&files))?,
        InspectFormat::Json => output::to_stdout(&tables::inspect_json(&files)?)?,
    };
    if ingested.runs.is_empty() {
        return Err(nothing_readable(&ingested.files));
    }
    Ok(written.max(exit(&ingested.files, &ingested.diagnostics)))
}
