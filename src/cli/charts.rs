//! Kinds of charts and what some inputs have for them; charts of the user's own; the page with one of each kind.
//!
//! In: a campaign. Out: for each kind the names that can be asked for, or what is missing: found by making the charts,
//! so that nothing is promised that cannot be drawn.

use super::args::ChartArgs;
use super::config::Settings;
use super::run::failure;
use super::{Failure, output, pictures};
use crate::chart::{Figure, chart};
use crate::gallery::{self, Card};
use crate::model::{Campaign, Dimension, Metric, RunRecord, Stat};
use crate::render::{ImageFormat, Metadata, RenderOptions, Theme, metadata, render_with};
use crate::spec::{self, ChartSpec, Size};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Names that are tried in any case, so that a list shows the metrics there are.
const LISTED: usize = 4;
/// Runs that lines of one panel tell apart.
const CROWDED: usize = 7;
/// Most names that are tried for a kind that is not among the suggested charts.
const TRIED: usize = 60;

/// A kind of chart, and whether a campaign has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Kind {
    /// Name; capitals stand for a word of the user's.
    pub(super) name: String,
    /// What it answers.
    pub(super) answers: String,
    /// What a campaign needs for it.
    pub(super) needs: String,
    /// Names that can be asked for, most telling first; None without a campaign.
    pub(super) ready: Option<Vec<String>>,
    /// Why there are none.
    pub(super) missing: Option<String>,
}

impl Kind {
    /// The names that are ready, at most so many, or what is missing; None without a campaign.
    pub(super) fn here(&self, most: usize) -> Option<String> {
        let names = self.ready.as_ref()?;
        if names.is_empty() {
            return Some(format!("not here: {}", self.missing.as_deref().unwrap_or("nothing for it")));
        }
        let more = names.len().saturating_sub(most);
        let listed = names[..names.len() - more].join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("here: {listed}{more}"))
    }
}

/// All kinds, and the user's own charts.
pub(super) fn kinds(campaign: Option<&Campaign>, own: &[ChartSpec]) -> Vec<Kind> {
    let suggested: Vec<String> =
        campaign.map_or_else(Vec::new, |c| spec::suggest(c).into_iter().map(|spec| spec.id).collect());
    let mut kinds: Vec<Kind> = spec::builtins()
        .into_par_iter()
        .map(|builtin| {
            let (ready, missing) = match campaign {
                None => (None, None),
                Some(campaign) => {
                    let fitting = suggested.iter().filter(|id| fits(&builtin.name, id)).cloned().collect();
                    let (ready, missing) = ready(campaign, &builtin.name, fitting);
                    (Some(ready), missing)
                }
            };
            let (answers, needs) = (builtin.answers.to_owned(), builtin.needs.to_owned());
            Kind { name: builtin.name, answers, needs, ready, missing }
        })
        .collect();
    kinds.extend(own.iter().map(|spec| {
        let made = campaign.map(|campaign| {
            pictures::check(campaign, spec)
                .map_err(|Failure(message)| message)
                .and_then(|()| chart(campaign, spec).map_err(|error| error.to_string()))
        });
        Kind {
            name: spec.id.clone(),
            answers: spec.title.clone().unwrap_or_default(),
            needs: "plotgen.toml".to_owned(),
            ready: made.as_ref().map(|made| made.iter().map(|_| spec.id.clone()).collect()),
            missing: made.and_then(Result::err),
        }
    }));
    kinds
}

/// The names of one kind that the campaign has, or why it has none.
fn ready(campaign: &Campaign, kind: &str, suggested: Vec<String>) -> (Vec<String>, Option<String>) {
    if !suggested.is_empty() {
        return (suggested, None);
    }
    let (mut found, mut reason): (Vec<String>, _) = (Vec::new(), None);
    let alone = |name: &str| {
        let name = format!("run-{}-{name}", spec::run_word(telling_run(campaign)?));
        made(campaign, &name).is_ok().then_some(name)
    };
    for (index, name) in candidates(campaign, kind).into_iter().take(TRIED).enumerate() {
        if !found.is_empty() && index >= LISTED {
            break;
        }
        match made(campaign, &name) {
            Ok(figure) => {
                // More runs than can be told apart: that of one run says more.
                let crowded = figure.runs.len() > CROWDED && !kind.contains("DIMENSION");
                if crowded && found.is_empty() {
                    found.extend(alone(&name));
                }
                found.push(name);
            }
            Err(_) if !found.is_empty() => {}
            Err(error) => {
                if let Some(alone) = alone(&name) {
                    return (vec![alone], None);
                }
                reason = reason.or(Some(error));
            }
        }
    }
    if !found.is_empty() {
        return (found, None);
    }
    let reason = reason.unwrap_or_else(|| {
        let words = kind.split('-').filter(|word| *word == "DIMENSION").count();
        match words {
            0 => "no run has such figures".to_owned(),
            1 if kind.contains("-over-") => "no load level was swept".to_owned(),
            1 => "no dimension varies".to_owned(),
            _ => "fewer than two dimensions vary".to_owned(),
        }
    });
    (Vec::new(), Some(reason.trim_start_matches("no data for this chart: ").to_owned()))
}

/// The chart of a name.
fn made(campaign: &Campaign, name: &str) -> Result<Figure, String> {
    let specs = spec::named(name, campaign)?;
    let spec = specs.first().ok_or_else(|| "nothing for it".to_owned())?;
    chart(campaign, spec).map_err(|error| error.to_string())
}

/// The run with the most lines over time: the one that shows most of a kind of chart about one run.
fn telling_run(campaign: &Campaign) -> Option<&str> {
    let lines = |record: &&RunRecord| record.series.len();
    // The first of those that have as many.
    campaign.runs.iter().rev().filter(|r| lines(r) > 0).max_by_key(lines).map(|record| record.run.id.as_str())
}

/// Names of a kind with the words that this campaign may have in place of the capitals.
fn candidates(campaign: &Campaign, kind: &str) -> Vec<String> {
    let has = |metric: &Metric| {
        campaign.runs.iter().any(|record| {
            record.statistics.iter().any(|s| s.metric == *metric)
                || record.series.iter().any(|s| s.metric == *metric)
        })
    };
    use Metric::{Bw, Clat, Cpu, Fsync, Iops, Lat, Slat, Util};
    // Tails are a matter of latency.
    let tail = ["percentiles", "ecdf", "exceedance", "histogram", "heatmap"];
    let order = if tail.iter().any(|form| kind.contains(form)) {
        [Clat, Lat, Iops, Bw, Slat, Fsync, Cpu, Util]
    } else {
        [Iops, Lat, Bw, Clat, Slat, Fsync, Cpu, Util]
    };
    let metrics: Vec<String> = order.iter().filter(|m| has(m)).map(ToString::to_string).collect();
    let varying: Vec<String> = campaign
        .varying()
        .into_iter()
        .filter(|dimension| *dimension != Dimension::Repeat)
        .map(|dimension| dimension.to_string())
        .collect();
    let all: Vec<usize> = (0..campaign.runs.len()).collect();
    let sweeps: Vec<String> =
        varying.iter().filter(|name| campaign.is_sweep(&Dimension::named(name), &all)).cloned().collect();
    let stats: Vec<String> =
        [Stat::P99, Stat::P50, Stat::Cov, Stat::Max].iter().map(ToString::to_string).collect();
    let mut names: Vec<Vec<String>> = vec![Vec::new()];
    for word in kind.split('-') {
        let choices: Vec<String> = match word {
            "METRIC" => metrics.clone(),
            // Points are joined along a load level, which words are not.
            "DIMENSION" if kind.contains("-over-") => sweeps.clone(),
            "DIMENSION" => varying.clone(),
            "STAT" => stats.clone(),
            other => vec![other.to_owned()],
        };
        names = names
            .iter()
            // A metric or a dimension stands once in a name.
            .flat_map(|name| {
                let fresh = choices.iter().filter(|choice| !name.contains(choice));
                fresh.map(|choice| name.iter().cloned().chain([choice.clone()]).collect())
            })
            .take(10 * TRIED)
            .collect();
    }
    names.into_iter().map(|words| words.join("-")).collect()
}

/// The charts of `--spec` take their place among the user's own; the name of the one to draw, and the inputs.
///
/// With a file of one chart the first word is an input already.
pub(super) fn own(args: &ChartArgs, settings: &mut Settings) -> Result<(String, Vec<OsString>), Failure> {
    let Some(path) = &args.spec else {
        return Ok((args.name.to_string_lossy().into_owned(), args.inputs.clone()));
    };
    let shown = path.display();
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|error| Failure(format!("{shown}: cannot read the chart: {error}")))?;
    let specs = match metadata(&bytes) {
        // A picture of plotgen's carries the chart that it shows.
        Some(Metadata { spec: Some(spec), .. }) => vec![spec],
        Some(Metadata { plotgen, fault, .. }) => {
            return Err(Failure(format!(
                "{shown}: the chart in this picture of plotgen {plotgen} is not in the words of this version: {fault}"
            )));
        }
        None => {
            let text = std::str::from_utf8(&bytes).map_err(|_| {
                Failure(format!("{shown}: expected a chart in TOML or JSON, or a picture that plotgen made"))
            })?;
            spec::read_charts(text).map_err(|error| {
                let line = error.line.map(|line| format!("{line}:")).unwrap_or_default();
                Failure(format!("{shown}:{line} {}", error.message))
            })?
        }
    };
    let first = args.name.to_string_lossy();
    let named = specs.iter().find(|spec| spec.id == first).map(|spec| spec.id.clone());
    let chosen = match (named, specs.as_slice()) {
        (Some(id), _) => (id, args.inputs.clone()),
        (None, [one]) => (one.id.clone(), std::iter::once(&args.name).chain(&args.inputs).cloned().collect()),
        (None, several) => {
            let ids: Vec<&str> = several.iter().map(|spec| spec.id.as_str()).collect();
            return Err(Failure(format!("{shown} holds several charts; name one of {}", ids.join(", "))));
        }
    };
    if chosen.1.is_empty() {
        return Err(Failure::new("nothing to read; name files, directories or patterns that hold results"));
    }
    let ids: BTreeSet<String> = specs.iter().map(|spec| spec.id.clone()).collect();
    settings.charts.retain(|known| !ids.contains(&known.id));
    settings.charts.extend(specs);
    Ok(chosen)
}

/// How the page holds its pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sheet {
    /// Inside one file.
    Page,
    /// As files beside it.
    Folder,
}

impl Sheet {
    /// A path that ends in `.html` is a page.
    pub(super) fn of(path: &Path) -> Self {
        let html = path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("html"));
        if html { Sheet::Page } else { Sheet::Folder }
    }
}

/// The page with one chart of each kind, and what it needs; the page itself is `index.html`.
pub(super) fn sheet(
    campaign: &Campaign,
    kinds: &[Kind],
    settings: &Settings,
    sheet: Sheet,
) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let drawn = kinds.par_iter().map(|kind| card(campaign, kind, settings, sheet));
    let drawn: Vec<(Card, Vec<u8>)> = drawn.collect::<Result<_, Failure>>()?;
    let files = drawn.iter().filter(|(card, _)| !card.file.is_empty());
    let mut files: BTreeMap<String, Vec<u8>> =
        files.map(|(card, svg)| (card.file.clone(), svg.clone())).collect();
    let cards: Vec<Card> = drawn.into_iter().map(|(card, _)| card).collect();
    files.insert("index.html".to_owned(), gallery::contact_sheet(&campaign.title, &cards).map_err(failure)?);
    Ok(files)
}

/// What the page shows of a kind, and the picture that lies beside it.
fn card(
    campaign: &Campaign,
    kind: &Kind,
    settings: &Settings,
    sheet: Sheet,
) -> Result<(Card, Vec<u8>), Failure> {
    let mut card = Card {
        name: kind.name.clone(),
        answers: kind.answers.clone(),
        needs: kind.needs.clone(),
        missing: kind.missing.clone(),
        ..Card::default()
    };
    let Some(name) = kind.ready.as_deref().and_then(<[String]>::first) else {
        return Ok((card, Vec::new()));
    };
    let spec = pictures::single(campaign, settings, name)?.sized(Size::THUMB);
    let figure = chart(campaign, &spec).map_err(failure)?;
    let svg = render_with(&figure, ImageFormat::Svg, &Theme::auto(), &RenderOptions::default());
    let mut svg = svg.map_err(failure)?;
    card.command = format!("plotgen chart {name} RESULTS -o chart.svg");
    card.alt = figure.alt;
    match sheet {
        Sheet::Page => card.svg = String::from_utf8_lossy(&std::mem::take(&mut svg)).into_owned(),
        Sheet::Folder => card.file = format!("{}.svg", kind.name.to_lowercase()),
    }
    Ok((card, svg))
}

/// Writes a page, or a folder with its pictures.
pub(super) fn write_sheet(
    files: &BTreeMap<String, Vec<u8>>,
    path: &Path,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    if Sheet::of(path) == Sheet::Page {
        output::check(path, inputs)?;
        for bytes in files.values() {
            output::to_file(path, bytes)?;
        }
        return Ok(());
    }
    gallery::check_output(path, inputs).map_err(failure)?;
    gallery::write(files, path, inputs).map_err(failure)?;
    Ok(())
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
