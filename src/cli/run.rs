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
use super::pictures::Made;
use super::rerun::{self, Rerun, Said, Tally};
use super::talk::{Level, Talk};
use super::threads::Threads;
use super::{Exit, Failure, charts, checks, output, pictures, tables};
use crate::analyze::analyze;
use crate::cache::{Cache, Stamp, Trust};
use crate::chart;
use crate::discover::{Discovered, Role, STORE_MANIFEST, discover};
use crate::gallery;
use crate::ingest::{self, Contents, Ingested, Recall, redact};
use crate::model::{Campaign, Diagnostic, FileReport, FileState, Severity};
use crate::render::ImageFormat;
use crate::spec::{self, ChartSpec};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

/// Where a report goes when nothing else is said.
const OUTPUT: &str = "report";

/// Charts that are drawn before their files are written, for each thread.
const BATCH: usize = 8;

/// A command's settings, voice and threads.
struct Session {
    settings: Settings,
    talk: Talk,
    level: Level,
    threads: Threads,
    /// What earlier runs found out, unless it is to be left alone.
    cache: Option<Cache>,
    trust: Trust,
    /// Of the inputs, where they were looked at before they are read.
    stamps: BTreeMap<PathBuf, Stamp>,
}

/// All inputs, found.
struct Found {
    discovered: Discovered,
    /// Files that must not be overwritten.
    inputs: Vec<PathBuf>,
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
    /// The system takes it back as a whole when the process ends; piece by piece it would take a tenth of the time.
    campaign: ManuallyDrop<Campaign>,
    inputs: Vec<PathBuf>,
    shown: BTreeMap<String, String>,
}

impl Session {
    fn new(general: &General, reading: &Reading, selection: &Selection) -> Result<Self, Failure> {
        let mut settings = Settings::load(general)?;
        settings.reading(reading)?;
        settings.selection(selection)?;
        let threads = Threads::new(settings.threads);
        let level = level(general);
        let cache = if general.no_cache { None } else { Cache::of_user() };
        let trust = if general.verify { Trust::Content } else { Trust::Times };
        Ok(Session {
            settings,
            talk: Talk::new(level),
            level,
            threads,
            cache,
            trust,
            stamps: BTreeMap::new(),
        })
    }

    /// Does without the hashes of the sources, for what names none.
    fn unhashed(mut self) -> Self {
        self.settings.ingest.unhashed = true;
        self
    }

    /// Finds the inputs; `target` must be none of them. A store that is `replaced` is none of them either.
    fn find(
        &self,
        inputs: &[OsString],
        target: Option<&Path>,
        replaced: Option<&Path>,
    ) -> Result<Found, Failure> {
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
        let found = &mut discovered.diagnostics;
        if discovered.sources.is_empty() {
            found.append(&mut discovered.passed_over);
            let unheard = self.talk.diagnostics(found.iter(), shown);
            if found.iter().any(|remark| remark.severity == Severity::Error) {
                return Err(Failure::told());
            }
            self.explain_silence(found, shown, unheard);
            return Err(Failure::new(
                "nothing to read; name files, directories or patterns that hold results",
            ));
        }
        if self.settings.ingest.strict && found.iter().any(|remark| remark.severity == Severity::Error) {
            self.talk.diagnostics(found.iter(), shown);
            return Err(Failure::new("nothing written, because of --strict"));
        }
        self.talk.diagnostics(&discovered.passed_over, shown);
        Ok(Found { discovered, inputs })
    }

    /// Reads the inputs and joins nothing.
    fn apart(&mut self, found: Found) -> Apart {
        let Found { discovered, inputs } = found;
        let root = discovered.root.to_string_lossy().into_owned();
        if discovered.sources.iter().any(|source| source.stdin) && std::io::stdin().is_terminal() {
            self.talk.done("reading standard input from the terminal; end it with Ctrl-D");
        }
        let bar = self.talk.progress("reading", discovered.sources.len());
        let tell = |done: usize, total: usize| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        };
        let stamps = std::mem::take(&mut self.stamps);
        let recall = self.cache.clone().map(|cache| Recall::new(cache, self.trust, stamps));
        let contents =
            self.threads.install(|| ingest::read(discovered, &self.settings.ingest, recall.as_ref(), &tell));
        bar.finish_and_clear();
        Apart { contents, inputs, root }
    }

    /// Reads and joins the inputs.
    fn read(&mut self, found: Found) -> Result<Read, Failure> {
        let Apart { contents, inputs, root } = self.apart(found);
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

    /// Finds, reads and analyses the inputs and says what there is to say.
    fn analyse(&mut self, inputs: &[OsString], target: Option<&Path>) -> Result<Analysed, Failure> {
        let found = self.find(inputs, target, None)?;
        self.analyse_found(found)
    }

    fn analyse_found(&mut self, found: Found) -> Result<Analysed, Failure> {
        self.analyse_telling(found, |campaign, _| campaign.diagnostics.iter().collect())
    }

    /// Reads, analyses and says what `told` chooses of what there is to say.
    fn analyse_telling(
        &mut self,
        found: Found,
        told: impl for<'c> FnOnce(&'c Campaign, &Settings) -> Vec<&'c Diagnostic>,
    ) -> Result<Analysed, Failure> {
        let Read { ingested, inputs, shown } = self.read(found)?;
        let read_any = !ingested.runs.is_empty();
        let campaign = self.threads.install(|| analyze(ingested, &self.settings.analyze));
        let unheard = self.talk.diagnostics(told(&campaign, &self.settings), &shown);
        if self.settings.ingest.strict && exit(&campaign.files, &campaign.diagnostics) != Exit::Done {
            return Err(Failure::new("nothing written, because of --strict"));
        }
        if !campaign.runs.is_empty() && campaign.part.is_none() && self.settings.analyze.span().is_some() {
            return Err(Failure::new(
                "no log has a row between --from and --to; the tools' summaries are of whole runs",
            ));
        }
        if campaign.runs.is_empty() {
            if read_any {
                return Err(Failure::new("no run is left; loosen --where"));
            }
            self.explain_silence(&campaign.diagnostics, &shown, unheard);
            return Err(nothing_readable(&campaign.files));
        }
        Ok(Analysed { campaign: ManuallyDrop::new(campaign), inputs, shown })
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

    let base = compare::against(&mut session, &args.against)?;
    let pages = gallery::PageOptions {
        units: session.settings.pictures.units,
        templates: args.templates.clone().or_else(|| session.settings.templates.clone()),
    };
    let found = session.find(&args.inputs.inputs, None, None)?;
    let mut rerun = session.rerun(args, &found.discovered, &pages, &out);
    if let Some(said) = rerun.as_ref().and_then(|rerun| rerun.unchanged(&session.threads)) {
        session.talk.diagnostics(&said.on_inputs, &said.shown);
        session.talk.diagnostics(&said.on_charts, &said.shown);
        return Ok(base.max(done(&session, &said, &out.join("index.html"), args.open)));
    }
    if let Some(rerun) = &mut rerun {
        session.stamps = session.threads.install(|| rerun.begin());
    }

    let Analysed { campaign, inputs, shown } = session.analyse_found(found)?;
    let mut writer = gallery::Writer::open(&out, &inputs).map_err(failure)?;
    let specs = pictures::select(&campaign, &session.settings, &args.charts)?;
    let drawn = session.draw(args, &campaign, &specs, rerun.as_ref(), &pages, &mut writer)?;
    session.talk.diagnostics(&drawn.remarks, &shown);
    let written = writer.finish().map_err(failure)?;

    let said = said(&campaign, drawn.remarks, drawn.pictures.len(), shown);
    let exit = done(&session, &said, &written.index, args.open);
    if let Some(rerun) = rerun {
        let pictures = drawn.pictures.into_iter().flatten().collect();
        session.threads.install(|| rerun.keep(said, &written, pictures));
    }
    Ok(base.max(exit))
}

/// What drawing left behind besides the report's files.
#[derive(Default)]
struct Drawn {
    remarks: Vec<Diagnostic>,
    /// Key, names of the files and hash of the small drawing of each picture; None where one has no key.
    pictures: Vec<Option<rerun::Known>>,
}

impl Session {
    /// The last run into the folder, if that is to be remembered.
    fn rerun(
        &self,
        args: &ReportArgs,
        found: &Discovered,
        pages: &gallery::PageOptions,
        out: &Path,
    ) -> Option<Rerun> {
        let cache = self.cache.clone()?;
        // The number of threads changes nothing; everything else may.
        let settings = Settings { threads: None, output: None, ..self.settings.clone() };
        let templates = rerun::templates(pages.templates.as_deref());
        let settings = format!("{settings:?} {:?} {pages:?} {templates}", args.charts);
        Rerun::new(cache, self.trust, &settings, found, out)
    }

    /// Draws all charts and makes all files of the report, a few pictures at a time.
    fn draw(
        &self,
        args: &ReportArgs,
        campaign: &Campaign,
        specs: &[ChartSpec],
        known: Option<&Rerun>,
        pages: &gallery::PageOptions,
        writer: &mut gallery::Writer,
    ) -> Result<Drawn, Failure> {
        let Session { settings, talk, threads, .. } = self;
        let ids: Vec<String> = specs.iter().map(|spec| spec.id.clone()).collect();
        let mut keep = |path: &str, bytes: &[u8]| writer.add(path, bytes);
        let mut report = gallery::Builder::new(campaign, &ids, pages, &mut keep).map_err(failure)?;
        let mut drawn = Drawn::default();
        let mut missing = BTreeSet::new();
        let bar = talk.progress("drawing", specs.len());
        let charts = chart::Charts::new(campaign);
        for batch in specs.chunks(BATCH * threads.count()) {
            let made =
                threads.install(|| pictures::draw(&charts, batch, &settings.pictures, known, &|| bar.inc(1)));
            let mut done = Vec::new();
            for (spec, made) in batch.iter().zip(made) {
                let wanted = !args.charts.is_empty() || settings.charts.iter().any(|own| own.id == spec.id);
                let remark = |severity, message: &str| {
                    Diagnostic::new(severity, format!("chart {}", spec.id), message)
                };
                match made {
                    Ok(Made { picture, key }) => {
                        // What plotgen suggests pools nothing; what was asked for may.
                        let pooled = picture
                            .figure
                            .notes
                            .iter()
                            .filter(|note| wanted && chart::tells_of_pooling(note));
                        drawn
                            .remarks
                            .extend(pooled.map(|note| remark(Severity::Warning, note.trim_end_matches('.'))));
                        drawn.remarks.extend(pictures::faint(spec, &settings.pictures));
                        let formats = settings.pictures.formats.iter().map(|format| format.image());
                        missing.extend(pictures::boxes(&picture.figure, formats));
                        let names = picture.files.keys().cloned().collect();
                        let thumb = || Sha256::digest(&picture.thumb).into();
                        drawn.pictures.push(key.map(|key| (key, names, thumb())));
                        done.push(picture);
                    }
                    // A chart that was asked for is missed; one that was only suggested is not.
                    Err(error) => {
                        let severity = if wanted { Severity::Error } else { Severity::Warning };
                        drawn.remarks.push(remark(severity, &error.to_string()));
                    }
                }
            }
            threads.install(|| report.add(done)).map_err(failure)?;
        }
        bar.finish_and_clear();
        let told = pictures::tell_boxes(&missing);
        drawn.remarks.extend(told.map(|message| Diagnostic::new(Severity::Warning, "pictures", message)));
        let tables = tables_for(campaign)?;
        threads.install(|| report.finish(drawn.remarks.clone(), tables)).map_err(failure)?;
        Ok(drawn)
    }
}

/// What there is to say of a report.
fn said(
    campaign: &Campaign,
    on_charts: Vec<Diagnostic>,
    charts: usize,
    mut shown: BTreeMap<String, String>,
) -> Said {
    let count =
        |states: &[FileState]| campaign.files.iter().filter(|file| states.contains(&file.status)).count();
    let on_inputs = campaign.diagnostics.clone();
    let remarks = || on_inputs.iter().chain(&on_charts);
    let tally = Tally {
        runs: campaign.runs.len(),
        charts,
        read: count(&[FileState::Read, FileState::Companion]),
        ignored: count(&[FileState::Ignored]),
        failed: count(&[FileState::Failed]),
        notes: remarks().filter(|remark| remark.severity == Severity::Info).count(),
    };
    let error = remarks().any(|remark| remark.severity == Severity::Error);
    let named: BTreeSet<&String> = remarks().map(|remark| &remark.path).collect();
    shown.retain(|name, _| named.contains(name));
    Said { shown, tally, partial: error || tally.failed > 0, on_inputs, on_charts }
}

/// The last word on a report.
fn done(session: &Session, said: &Said, index: &Path, open: bool) -> Exit {
    let Session { talk, level, .. } = session;
    talk.done(&format!("{}: {}", last_word(&said.tally, *level), index.display()));
    if open && let Err(Failure(message)) = output::open_in_browser(index) {
        talk.done(&format!("warning: {message}"));
    }
    if said.partial { Exit::Partial } else { Exit::Done }
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
pub(super) fn failure(error: impl std::error::Error) -> Failure {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    Failure(message)
}

/// Runs, charts and files, counted.
fn last_word(tally: &Tally, level: Level) -> String {
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let mut text = format!(
        "{}, {}; {} read",
        plural(tally.runs, "run"),
        plural(tally.charts, "chart"),
        plural(tally.read, "file"),
    );
    for (count, word) in [(tally.ignored, "ignored"), (tally.failed, "failed")] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    if tally.notes > 0 && level < Level::Verbose {
        text.push_str(&format!("; {} (-v shows them)", plural(tally.notes, "note")));
    }
    text
}

/// `plotgen chart`.
pub(super) fn chart(args: &ChartArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?.unhashed();
    session.settings.style(&args.style)?;
    let (name, inputs) = charts::own(args, &mut session.settings)?;
    let stdout = args.output.as_deref().is_none_or(|output| output == Path::new("-"));
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let format = ChartFormat::of(output)?;
    let target = (!stdout).then_some(output);
    let base = compare::against(&mut session, &args.against)?;
    let found = session.find(&inputs, target, None)?;
    let all = session.level == Level::Verbose;
    let mut chosen = None;
    let Analysed { campaign, .. } = session.analyse_telling(found, |campaign, settings| {
        let spec = chosen.insert(pictures::single(campaign, settings, &name));
        pictures::remarks(campaign, spec.as_ref().ok().filter(|_| !all))
    })?;
    let settings = &session.settings;
    let mut spec = chosen.unwrap_or_else(|| pictures::single(&campaign, settings, &name))?;
    if args.title.is_some() {
        spec.title.clone_from(&args.title);
    }
    if args.print_spec {
        let written = output::to_stdout(spec::to_toml(&spec).as_bytes())?;
        return Ok(written.max(exit(&campaign.files, &campaign.diagnostics)));
    }
    let figure = chart::chart(&campaign, &spec).map_err(failure)?;
    let image = |format| {
        pictures::image(
            &figure,
            &pictures::of_whole_runs(&spec, &campaign),
            format,
            (settings.pictures.theme, &settings.pictures),
        )
        .map_err(failure)
    };
    let bytes = match format {
        ChartFormat::Svg => image(ImageFormat::Svg)?,
        ChartFormat::Png => image(ImageFormat::Png { scale: pictures::scale(&spec, &settings.pictures) })?,
        ChartFormat::Pdf => image(ImageFormat::Pdf)?,
        ChartFormat::Csv => tables::figure_csv(&figure.table)?,
        ChartFormat::Json => tables::json(&figure)?,
    };
    session.talk.notes(&format!("chart {}", spec.id), &figure.notes);
    let missing = pictures::boxes(&figure, format.image().into_iter());
    if let Some(message) = pictures::tell_boxes(&missing) {
        let remark = Diagnostic::new(Severity::Warning, format!("chart {}", spec.id), message);
        session.talk.diagnostics(&[remark], &BTreeMap::new());
    }
    session.talk.diagnostics(&pictures::faint(&spec, &settings.pictures), &BTreeMap::new());
    let written = if stdout {
        output::to_stdout(&bytes)?
    } else {
        let written = output::to_file(output, &bytes)?;
        session.talk.done(&format!("chart: {}", output.display()));
        written
    };
    Ok(written.max(base).max(exit(&campaign.files, &campaign.diagnostics)))
}

/// What `chart -o` writes, by the suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChartFormat {
    Svg,
    Png,
    Pdf,
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
            "pdf" => Ok(ChartFormat::Pdf),
            "csv" => Ok(ChartFormat::Csv),
            "json" => Ok(ChartFormat::Json),
            _ => Err(Failure(format!(
                "{}: the suffix says what to write; expected .svg, .png, .pdf, .csv or .json, or - for SVG to standard output",
                output.display()
            ))),
        }
    }

    /// The picture that it is; None for numbers.
    fn image(self) -> Option<ImageFormat> {
        match self {
            ChartFormat::Svg => Some(ImageFormat::Svg),
            ChartFormat::Png => Some(ImageFormat::Png { scale: 1.0 }),
            ChartFormat::Pdf => Some(ImageFormat::Pdf),
            ChartFormat::Csv | ChartFormat::Json => None,
        }
    }
}

/// `plotgen charts`.
pub(super) fn charts(args: &ChartsArgs) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?.unhashed();
    compare::against(&mut session, &args.against)?;
    let campaign = if args.inputs.is_empty() { None } else { Some(session.analyse(&args.inputs, None)?) };
    let Session { settings, level, .. } = &session;
    let list =
        session.threads.install(|| charts::kinds(campaign.as_ref().map(|a| &*a.campaign), &settings.charts));
    let written = match (&args.gallery, args.format, &campaign) {
        (Some(path), _, Some(analysed)) => {
            let files = session
                .threads
                .install(|| charts::sheet(&analysed.campaign, &list, settings, charts::Sheet::of(path)))?;
            charts::write_sheet(&files, path, &analysed.inputs)?;
            session.talk.done(&format!("gallery: {}", path.display()));
            Exit::Done
        }
        (_, InspectFormat::Json, _) => output::to_stdout(&tables::json(&list)?)?,
        (_, InspectFormat::Table, campaign) => output::to_stdout(&tables::charts(
            campaign.as_ref().map(|analysed| &*analysed.campaign),
            &list,
            &settings.charts,
            *level,
        ))?,
    };
    let partial = campaign.map_or(Exit::Done, |a| exit(&a.campaign.files, &a.campaign.diagnostics));
    Ok(written.max(partial))
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
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?.unhashed();
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
    let mut session = Session::new(&args.general, &args.reading, &args.selection)?.unhashed();
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
    session.settings.ingest.unhashed = args.format == InspectFormat::Table;
    let Read { ingested, shown, .. } =
        session.find(&args.inputs.inputs, None, None).and_then(|found| session.read(found))?;
    // As with a campaign that was analysed.
    let ingested = ManuallyDrop::new(ingested);
    session.talk.diagnostics(&ingested.diagnostics, &shown);
    let files: Vec<&FileReport> = ingested.stores.iter().chain(&ingested.files).collect();
    let written = match args.format {
        InspectFormat::Table => output::to_stdout(&tables::inspect(&files))?,
        InspectFormat::Json => output::to_stdout(&tables::inspect_json(&files)?)?,
    };
    if ingested.runs.is_empty() {
        return Err(nothing_readable(&ingested.files));
    }
    Ok(written.max(exit(&ingested.files, &ingested.diagnostics)))
}
