//! What was meant: flags over plotgen.toml over defaults, in the words of the stages.

mod file;
mod method;

pub(super) use file::ConfigFile;

use super::args::{self, General, PictureFormat, Reading, Selection, Style, Theme};
use super::quantity::Accepted;
use super::talk::Level;
use super::{Failure, quantity};
use crate::analyze::{AnalyzeOptions, ArrayModel};
use crate::discover::{DiscoverOptions, Glob, Siblings};
use crate::ingest::labels::Pattern;
use crate::ingest::{Appended, IngestOptions, LatUnit, Redactor};
use crate::model::unit::UnitSystem;
use crate::model::{Dimension, Metric, Value};
use crate::render::SvgText;
use crate::spec::{ChartSpec, Reference};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that is looked for in the working directory.
const CONFIG_FILE: &str = "plotgen.toml";

/// How pictures are drawn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PictureOptions {
    pub(super) formats: Vec<PictureFormat>,
    pub(super) scale: f64,
    pub(super) theme: Theme,
    pub(super) text: SvgText,
    pub(super) units: UnitSystem,
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions {
            formats: vec![PictureFormat::Svg, PictureFormat::Png],
            scale: 1.0,
            theme: Theme::default(),
            text: SvgText::default(),
            units: UnitSystem::default(),
        }
    }
}

/// Everything that the stages need to know.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) discover: DiscoverOptions,
    pub(super) ingest: IngestOptions,
    pub(super) analyze: AnalyzeOptions,
    pub(super) pictures: PictureOptions,
    /// Charts that the user defined.
    pub(super) charts: Vec<ChartSpec>,
    /// Lines to draw in the charts of a metric.
    pub(super) limits: BTreeMap<Metric, Vec<Reference>>,
    pub(super) templates: Option<PathBuf>,
    pub(super) output: Option<PathBuf>,
    /// Earlier results to compare with.
    pub(super) baseline: Option<PathBuf>,
    pub(super) threads: Option<usize>,
    /// Whether names of hosts, users and places are taken out.
    pub(super) redact: bool,
}

impl Settings {
    /// Reads the file that `--config` names, or plotgen.toml where there is one.
    pub(super) fn load(general: &General) -> Result<Self, Failure> {
        let (path, required) = match &general.config {
            Some(path) => (path.as_path(), true),
            None => (Path::new(CONFIG_FILE), false),
        };
        let mut settings = match std::fs::read_to_string(path) {
            Ok(text) => {
                let file = ConfigFile::parse(&text).map_err(|error| error.at(path))?;
                let home = path.parent().unwrap_or(Path::new(""));
                Settings::from_file(file, home)
                    .map_err(|Failure(message)| Failure(format!("{}: {message}", path.display())))?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => Settings::default(),
            Err(error) => {
                return Err(Failure(format!("{}: cannot read the settings: {error}", path.display())));
            }
        };
        if let Some(threads) = general.threads {
            settings.threads = Some(usize::from(threads));
        }
        Ok(settings)
    }

    fn from_file(file: ConfigFile, home: &Path) -> Result<Self, Failure> {
        let mut settings = Settings {
            limits: file.limits()?,
            charts: file.charts,
            templates: file.templates.map(|path| home.join(path)),
            output: file.output.map(|path| home.join(path)),
            baseline: file.baseline.map(|path| home.join(path)),
            threads: file.threads.map(usize::from).filter(|&threads| threads > 0),
            ..Settings::default()
        };
        let strictest = |(metric, limits): (&Metric, &Vec<Reference>)| {
            Some((*metric, limits.iter().map(|limit| limit.value).reduce(f64::min)?))
        };
        settings.analyze.limits = settings.limits.iter().filter_map(strictest).collect();
        settings.analyze.title = file.title;
        settings.analyze.description = file.description;
        settings.analyze.system = file.system.facts().map_err(Failure)?;
        settings.analyze.silenced = method::silenced(file.silence).map_err(Failure)?;
        for (matching, dimension, value) in file.set.entries()? {
            match matching {
                None => settings.ingest.set.push((dimension, value)),
                Some(glob) => {
                    let glob = Glob::new(&glob).map_err(|error| Failure(format!("match: {error}")))?;
                    settings.ingest.set_matching.push((glob, dimension, value));
                }
            }
        }
        settings.analyze.where_ = file.where_.pairs("where")?;
        settings.reading(&Reading {
            pattern: file.pattern,
            exclude: file.exclude.into_vec(),
            lat_unit: file.lat_unit,
            layout: file.layout,
            appended: file.appended,
            no_siblings: file.siblings == Some(false),
            strict: file.strict.unwrap_or(false),
            redact: file.redact.unwrap_or(false),
            set: Vec::new(),
            model: file.model.array().map_err(Failure)?,
        })?;
        let time = |name: &str, time: Option<file::Number>| {
            time.map(|time| time.run_time_ms().map_err(|error| Failure(format!("{name}: {error}"))))
                .transpose()
        };
        let (from, to) = (time("from", file.from)?, time("to", file.to)?);
        settings.selection(&Selection {
            where_: Vec::new(),
            from,
            to,
            threshold: file.threshold.shares()?,
        })?;
        settings.style(&Style {
            scale: file.scale,
            theme: file.theme,
            units: file.units,
            svg_text: file.svg_text,
        })?;
        settings.formats(&file.format.into_vec());
        Ok(settings)
    }

    /// Applies flags on how files are read.
    pub(super) fn reading(&mut self, flags: &Reading) -> Result<(), Failure> {
        if let Some(pattern) = &flags.pattern {
            let pattern = Pattern::new(pattern).map_err(|error| Failure(format!("--pattern: {error}")))?;
            self.ingest.pattern = Some(pattern);
        }
        // The flag wins over the file, also where the file sets a value for some runs only.
        for (dimension, value) in &flags.set {
            self.ingest.set.retain(|(known, _)| known != dimension);
            self.ingest.set_matching.retain(|(_, known, _)| known != dimension);
            self.ingest.set.push((dimension.clone(), value.clone()));
        }
        if let Some(model) = flags.model {
            let known = self.analyze.model;
            self.analyze.model = Some(ArrayModel {
                drives: model.drives.or(known.and_then(|m| m.drives)),
                drive_iops: model.drive_iops.or(known.and_then(|m| m.drive_iops)),
            });
        }
        for glob in &flags.exclude {
            let glob = Glob::new(glob).map_err(|error| Failure(format!("--exclude: {error}")))?;
            self.discover.exclude.push(glob);
        }
        if let Some(unit) = flags.lat_unit {
            self.ingest.lat_unit = Some(match unit {
                args::LatUnit::Ns => LatUnit::Nanoseconds,
                args::LatUnit::Us => LatUnit::Microseconds,
                args::LatUnit::Ms => LatUnit::Milliseconds,
            });
        }
        if flags.layout.is_some() {
            self.ingest.layout.clone_from(&flags.layout);
        }
        if let Some(appended) = flags.appended {
            self.ingest.appended = match appended {
                args::Appended::Auto => Appended::Auto,
                args::Appended::Concurrent => Appended::Concurrent,
                args::Appended::Sequential => Appended::Sequential,
            };
        }
        if flags.no_siblings {
            self.discover.siblings = Siblings::Ignore;
        }
        self.ingest.strict |= flags.strict;
        self.redact |= flags.redact;
        Ok(())
    }

    /// Translates what was said about hosts and places into the words of redacted runs.
    pub(super) fn redacted(&mut self, redactor: &Redactor) {
        for (dimension, value) in &mut self.analyze.where_ {
            *value = redactor.value(dimension, value);
        }
        for chart in &mut self.charts {
            for (dimension, values) in &mut chart.filter.dimensions {
                for value in values {
                    *value = redactor.value(dimension, value);
                }
            }
        }
    }

    /// Applies flags on what is selected.
    pub(super) fn selection(&mut self, flags: &Selection) -> Result<(), Failure> {
        // A dimension that a flag names is no longer what the file says.
        let named: Vec<&Dimension> = flags.where_.iter().map(|accepted| &accepted.dimension).collect();
        self.analyze.where_.retain(|(dimension, _)| !named.contains(&dimension));
        for Accepted { dimension, values } in &flags.where_ {
            self.analyze.where_.extend(values.iter().map(|value| (dimension.clone(), value.clone())));
        }
        self.analyze.from_ms = flags.from.or(self.analyze.from_ms);
        self.analyze.to_ms = flags.to.or(self.analyze.to_ms);
        let threshold = &mut self.analyze.threshold;
        for (metric, share) in &flags.threshold {
            match metric {
                Some(metric) => {
                    threshold.by_metric.insert(*metric, *share);
                }
                None => threshold.default = *share,
            }
        }
        match (self.analyze.from_ms, self.analyze.to_ms) {
            (Some(from), Some(to)) if from >= to => {
                Err(Failure(format!("--from {} s is not before --to {} s", from / 1e3, to / 1e3)))
            }
            _ => Ok(()),
        }
    }

    /// Applies flags on how pictures look.
    pub(super) fn style(&mut self, flags: &Style) -> Result<(), Failure> {
        let pictures = &mut self.pictures;
        if let Some(scale) = flags.scale {
            pictures.scale =
                quantity::in_scales(scale).map_err(|error| Failure(format!("scale {scale}: {error}")))?;
        }
        pictures.theme = flags.theme.unwrap_or(pictures.theme);
        if let Some(units) = flags.units {
            pictures.units = units_of(units);
        }
        if let Some(text) = flags.svg_text {
            pictures.text = match text {
                args::SvgText::Plain => SvgText::Plain,
                args::SvgText::Embed => SvgText::Embed,
                args::SvgText::Outline => SvgText::Outline,
            };
        }
        Ok(())
    }

    /// Applies the formats of a report's pictures, where any are given.
    pub(super) fn formats(&mut self, formats: &[PictureFormat]) {
        if !formats.is_empty() {
            self.pictures.formats = formats.to_vec();
        }
    }
}

pub(super) fn units_of(units: args::Units) -> UnitSystem {
    match units {
        args::Units::Si => UnitSystem::Si,
        args::Units::Iec => UnitSystem::Iec,
    }
}

/// How much is said on standard error.
pub(super) fn level(general: &General) -> Level {
    match (general.quiet, general.verbose) {
        (true, _) => Level::Quiet,
        (_, true) => Level::Verbose,
        _ => Level::Normal,
    }
}

/// Pairs under the name of their table.
fn pair(table: &str, key: &str, value: &str) -> Result<(Dimension, Value), Failure> {
    quantity::key_value(&format!("{key}={value}"))
        .map_err(|error| Failure(format!("[{table}] {key}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<Settings, String> {
        ConfigFile::parse(text)
            .map_err(|error| error.to_string())
            .and_then(|file| Settings::from_file(file, Path::new("conf")).map_err(|Failure(message)| message))
    }

    fn pairs(pairs: &[(Dimension, Value)]) -> Vec<String> {
        pairs.iter().map(|(dimension, value)| format!("{dimension}={value}")).collect()
    }

    #[test]
    #[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let mut settings = settings(
            r#"
            title = "RAID"
            exclude = "*.bak"
            format = ["png"]
            theme = "dark"
            scale = 2
            from = 5
            to = "1m"
            lat-unit = "us"
            templates = "pages"
            [set]
            fs = "xfs"
            drives = 6
            [where]
            raid = [0, 10]
            "#,
        )
        .unwrap();
        assert_eq!(settings.pictures.formats, [PictureFormat::Png]);
        assert_eq!((settings.pictures.scale, settings.pictures.theme), (2.0, Theme::Dark));
        assert_eq!((settings.analyze.from_ms, settings.analyze.to_ms), (Some(5_000.0), Some(60_000.0)));
        assert_eq!(pairs(&settings.ingest.set), ["drives=6", "fs=xfs"]);
        assert_eq!(pairs(&settings.analyze.where_), ["raid=0", "raid=10"]);
        assert_eq!(settings.templates.as_deref(), Some(Path::new("conf/pages")));
        let five = quantity::accepted("raid=5,6").unwrap();
        let flags = Selection { where_: vec![five], from: Some(1.0), ..Selection::default() };
        settings.selection(&flags).unwrap();
        settings.style(&Style { theme: Some(Theme::Light), ..Style::default() }).unwrap();
        let ext4 = (Dimension::Fs, Value::canonical(&Dimension::Fs, "ext4"));
        settings.reading(&Reading { set: vec![ext4], ..Reading::default() }).unwrap();
        assert_eq!(pairs(&settings.analyze.where_), ["raid=5", "raid=6"]);
        assert_eq!((settings.analyze.from_ms, settings.analyze.to_ms), (Some(1.0), Some(60_000.0)));
        assert_eq!((settings.pictures.scale, settings.pictures.theme), (2.0, Theme::Light));
        assert_eq!(pairs(&settings.ingest.set), ["drives=6", "fs=ext4"]);
    }

    #[test]
    #[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
    fn values_can_be_set_for_some_runs_only() {
        let settings =
            settings("[[set]]\nmatch = \"raid5/**\"\nraid = 5\n[[set]]\nhost = \"db1\"\n").unwrap();
        assert_eq!(pairs(&settings.ingest.set), ["host=db1"]);
        let (glob, dimension, value) = &settings.ingest.set_matching[0];
        assert_eq!((glob.as_str(), dimension, value.as_str()), ("raid5/**", &Dimension::Raid, "5"));
    }

    #[test]
    fn unknown_keys_and_impossible_values_are_errors_with_a_hint() {
        let message = |text: &str| settings(text).err().unwrap_or_default();
        assert_eq!(message("titel = 'x'"), "unknown key `titel`; did you mean `title`?");
        assert!(message("colour = 'x'").starts_with("unknown key `colour`; expected one of "));
        assert!(message("theme = 'blue'").contains("`light`"), "{}", message("theme = 'blue'"));
        assert_eq!(
            message("[limit]\niosp = 5"),
            "[limit] unknown metric `iosp`; expected one of bw, iops, lat, clat, slat, fsync, cpu, util"
        );
        assert!(message("from = 10\nto = 5").contains("is not before"));
        assert!(message("scale = 100").contains("from 0.25 to 8"));
        assert!(message("[set]\nrun = 1").contains("column of every table"));
        assert!(message("exclude = 'a[' ").contains("no pattern"));
    }
}
