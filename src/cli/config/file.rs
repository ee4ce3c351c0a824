//! plotgen.toml as written.

use super::super::args::{Appended, LatUnit, PictureFormat, SvgText, Theme, Units};
use super::super::{Failure, quantity};
use super::method::{ModelTable, SystemTable};
use super::pair;
use crate::model::{Dimension, Metric, Value};
use crate::spec::{ChartSpec, Reference, charts_of, explain};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The settings file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(in crate::cli) struct ConfigFile {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) output: Option<PathBuf>,
    pub(super) pattern: Option<String>,
    pub(super) set: Set,
    #[serde(rename = "where")]
    pub(super) where_: Pairs,
    pub(super) exclude: OneOrMore<String>,
    pub(super) lat_unit: Option<LatUnit>,
    pub(super) layout: Option<String>,
    pub(super) appended: Option<Appended>,
    pub(super) siblings: Option<bool>,
    pub(super) strict: Option<bool>,
    pub(super) redact: Option<bool>,
    pub(super) from: Option<Number>,
    pub(super) to: Option<Number>,
    pub(super) format: OneOrMore<PictureFormat>,
    pub(super) scale: Option<f64>,
    pub(super) theme: Option<Theme>,
    pub(super) units: Option<Units>,
    pub(super) svg_text: Option<SvgText>,
    pub(super) templates: Option<PathBuf>,
    pub(super) threads: Option<u16>,
    pub(super) model: ModelTable,
    pub(super) system: SystemTable,
    pub(super) silence: BTreeMap<String, String>,
    pub(super) baseline: Option<PathBuf>,
    pub(super) threshold: ThresholdTable,
    limit: BTreeMap<String, OneOrMore<Limit>>,
    chart: Vec<toml::Table>,
    /// The charts of the user, each under an id of its own.
    #[serde(skip)]
    pub(super) charts: Vec<ChartSpec>,
}

/// Why a settings file is refused.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(in crate::cli) struct ConfigError {
    line: Option<usize>,
    message: String,
}

impl ConfigError {
    /// The message with its place.
    pub(super) fn at(self, path: &Path) -> Failure {
        let line = self.line.map(|line| format!("{line}:")).unwrap_or_default();
        Failure(format!("{}:{line} {}", path.display(), self.message))
    }
}

impl ConfigFile {
    pub(super) fn parse(text: &str) -> Result<Self, ConfigError> {
        let mut file: ConfigFile = toml::from_str(text).map_err(|error| {
            let line = error.span().and_then(|span| text.get(..span.start));
            let line = line.map(|before| before.matches('\n').count() + 1);
            ConfigError { line, message: explain(error.message()) }
        })?;
        let tables = std::mem::take(&mut file.chart).into_iter().enumerate();
        let tables: Vec<_> =
            tables.map(|(i, table)| (vec!["chart".to_owned(), i.to_string()], table)).collect();
        file.charts = charts_of(&tables, text).map_err(|(index, line, message)| ConfigError {
            line: Some(line),
            message: format!("[[chart]] {}: {message}", index + 1),
        })?;
        Ok(file)
    }

    /// Lines to draw, by metric.
    pub(super) fn limits(&self) -> Result<BTreeMap<Metric, Vec<Reference>>, Failure> {
        let mut limits: BTreeMap<Metric, Vec<Reference>> = BTreeMap::new();
        for (name, values) in &self.limit {
            let metric: Metric = name.parse().map_err(|error| Failure(format!("[limit] {error}")))?;
            for limit in values.as_slice() {
                let reference =
                    limit.reference(metric).map_err(|error| Failure(format!("[limit] {name}: {error}")))?;
                limits.entry(metric).or_default().push(reference);
            }
        }
        Ok(limits)
    }
}

/// A value, or a list of them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

impl<T> Default for OneOrMore<T> {
    fn default() -> Self {
        OneOrMore::More(Vec::new())
    }
}

impl<T> OneOrMore<T> {
    pub(super) fn into_vec(self) -> Vec<T> {
        match self {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(more) => more,
        }
    }

    fn as_slice(&self) -> &[T] {
        match self {
            OneOrMore::One(one) => std::slice::from_ref(one),
            OneOrMore::More(more) => more,
        }
    }
}

/// A number, or a number with its unit.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Number {
    Plain(f64),
    Text(String),
}

impl Number {
    pub(super) fn text(&self) -> String {
        match self {
            Number::Plain(number) => number.to_string(),
            Number::Text(text) => text.clone(),
        }
    }

    pub(super) fn run_time_ms(&self) -> Result<f64, String> {
        quantity::run_time_ms(&self.text())
    }
}

/// `[limit] clat = "20 ms"`, with a label where that does not say enough.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Limit {
    Value(Number),
    Labelled { value: Number, label: String },
}

impl Limit {
    fn reference(&self, metric: Metric) -> Result<Reference, String> {
        let (value, label) = match self {
            Limit::Value(value) => (value, format!("limit {}", value.text())),
            Limit::Labelled { value, label } => (value, label.clone()),
        };
        Ok(Reference { value: quantity::in_base_unit(&value.text(), metric.unit())?, label })
    }
}

/// `threshold = "5%"` for all metrics, or `[threshold]` with a share for each.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ThresholdTable {
    All(Number),
    Each(BTreeMap<String, Number>),
}

impl Default for ThresholdTable {
    fn default() -> Self {
        ThresholdTable::Each(BTreeMap::new())
    }
}

impl ThresholdTable {
    /// Metric (None: all) and share, as the flag has them.
    pub(super) fn shares(&self) -> Result<Vec<(Option<Metric>, f64)>, Failure> {
        let share = |text: String| {
            quantity::threshold(&text).map_err(|error| Failure(format!("[threshold] {error}")))
        };
        match self {
            ThresholdTable::All(number) => Ok(vec![share(number.text())?]),
            ThresholdTable::Each(table) => {
                table.iter().map(|(metric, number)| share(format!("{metric}={}", number.text()))).collect()
            }
        }
    }
}

/// A word, a whole number or a truth value, as the value of a dimension.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Text(String),
    Whole(i64),
    Truth(bool),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            Scalar::Text(text) => text.clone(),
            Scalar::Whole(number) => number.to_string(),
            Scalar::Truth(truth) => truth.to_string(),
        }
    }
}

/// Keys with one value or several.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Pairs(BTreeMap<String, OneOrMore<Scalar>>);

impl Pairs {
    pub(super) fn pairs(&self, table: &str) -> Result<Vec<(Dimension, Value)>, Failure> {
        let each =
            self.0.iter().flat_map(|(key, values)| values.as_slice().iter().map(move |value| (key, value)));
        each.map(|(key, value)| pair(table, key, &value.text())).collect()
    }
}

/// `[set]` for all runs, or a list of `[[set]]`, each with a `match`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Set {
    All(BTreeMap<String, Scalar>),
    Some(Vec<BTreeMap<String, Scalar>>),
}

impl Default for Set {
    fn default() -> Self {
        Set::Some(Vec::new())
    }
}

impl Set {
    /// Pattern of the paths (None: all), dimension and value.
    pub(super) fn entries(&self) -> Result<Vec<(Option<String>, Dimension, Value)>, Failure> {
        let tables = match self {
            Set::All(table) => std::slice::from_ref(table),
            Set::Some(tables) => tables,
        };
        let mut entries = Vec::new();
        for table in tables {
            let matching = table.get("match").map(Scalar::text);
            for (key, value) in table.iter().filter(|(key, _)| *key != "match") {
                let (dimension, value) = pair("set", key, &value.text())?;
                entries.push((matching.clone(), dimension, value));
            }
        }
        Ok(entries)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::model::{Measure, Stat};
    use crate::spec::{Mark, XChannel};

    const CHART: &str = r#"
        [[chart]]
        id = "writes-by-chunk"
        title = "Random writes by chunk size"
        mark = "bar"
        x = { dimension = "chunk" }
        y = { metric = "iops", stat = "mean" }
        color = { dimension = "raid" }
        filter = { ddirs = ["write"], dimensions = { chunk = ["64K", 131072], raid = 10 } }
        references = [{ value = 200, label = "needed" }]
    "#;

    #[test]
    fn a_chart_is_written_in_the_words_of_the_specification() {
        let charts = ConfigFile::parse(CHART).unwrap().charts;
        let chart = &charts[0];
        assert_eq!((chart.id.as_str(), chart.mark), ("writes-by-chunk", Mark::Bar));
        assert_eq!(chart.x, XChannel::Dimension(Dimension::Chunk));
        assert_eq!(chart.y, Measure { metric: Metric::Iops, stat: Stat::Mean });
        let chunks: Vec<&str> =
            chart.filter.dimensions[&Dimension::Chunk].iter().map(Value::as_str).collect();
        assert_eq!(chunks, ["64k", "128k"]);
        assert_eq!(chart.references[0].value, 200.0);
    }

    #[test]
    fn slips_in_a_chart_are_errors() {
        let error = |text: &str| ConfigFile::parse(text).unwrap_err().at(Path::new("p.toml")).0;
        let slip = error(&CHART.replace("title", "titel"));
        assert_eq!(slip, "p.toml:4: [[chart]] 1: unknown key `titel`; did you mean `title`?");
        let slip = error(&CHART.replace("mark =", "marks ="));
        assert_eq!(slip, "p.toml:5: [[chart]] 1: unknown key `marks`; did you mean `mark`?");
        let slip = error(&CHART.replace("ddirs", "ddir"));
        assert_eq!(slip, "p.toml:9: [[chart]] 1: unknown key `ddir`; did you mean `ddirs`?");
        assert!(error(&CHART.replace("\"bar\"", "\"pie\"")).contains("`line`"));
        assert!(error(&CHART.replace("writes-by-chunk", "Writes by chunk")).contains("a-z, 0-9"));
        assert!(error(&format!("{CHART}{CHART}")).contains("2: a chart before it has the id"));
        assert!(error("[[chart]]\nid = 'x'").contains("missing field `mark`"));
    }

    #[test]
    fn limits_are_lines_in_base_units() {
        let file = ConfigFile::parse(
            "[limit]\nclat = [\"20 ms\", { value = 5e7, label = \"timeout\" }]\nbw = \"100 MB/s\"\n",
        )
        .unwrap();
        let limits = file.limits().unwrap();
        let lines: Vec<(f64, &str)> =
            limits[&Metric::Clat].iter().map(|l| (l.value, l.label.as_str())).collect();
        assert_eq!(lines, [(20e6, "limit 20 ms"), (50e6, "timeout")]);
        assert_eq!(limits[&Metric::Bw][0].value, 100e6);
    }

    #[test]
    fn an_error_has_its_line() {
        let error = ConfigFile::parse("title = 'x'\nscael = 2\n").unwrap_err().at(Path::new("plotgen.toml"));
        assert_eq!(error.0, "plotgen.toml:2: unknown key `scael`; did you mean `scale`?");
    }
}
