//! Which charts are drawn, and the files of each.

use super::Failure;
use super::args::{PictureFormat, Theme as Choice};
use super::config::{PictureOptions, Settings};
use super::rerun::Rerun;
use crate::cache::Key;
use crate::chart::{ChartError, Charts, Figure};
use crate::gallery::Picture;
use crate::model::unit::UnitSystem;
use crate::model::{Campaign, Diagnostic, Severity, Stat};
use crate::render::{Colour, ImageFormat, RenderError, RenderOptions, Theme, missing, render_with};
use crate::spec::{self, ChartSpec, Rgb};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Why a chart is missing.
#[derive(Debug, thiserror::Error)]
pub(super) enum PictureError {
    #[error("{0}")]
    Chart(#[from] ChartError),
    #[error("{0}")]
    Render(#[from] RenderError),
}

/// The charts of a report: those asked for by name, else all that suit the campaign and the user's own.
pub(super) fn select(
    campaign: &Campaign,
    settings: &Settings,
    names: &[String],
) -> Result<Vec<ChartSpec>, Failure> {
    let mut specs = Vec::new();
    if names.is_empty() {
        specs = spec::suggest(campaign);
        specs.extend(settings.charts.iter().cloned());
    }
    for name in names {
        specs.extend(named(campaign, settings, name)?);
    }
    let mut ids = BTreeSet::new();
    // The user's definition of an id replaces a built-in one.
    for own in &settings.charts {
        if let Some(place) = specs.iter_mut().find(|spec| spec.id == own.id) {
            place.clone_from(own);
        }
    }
    specs.retain(|spec| ids.insert(spec.id.clone()));
    for own in settings.charts.iter().filter(|own| ids.contains(&own.id)) {
        check(campaign, own)?;
    }
    Ok(specs.into_iter().map(|spec| dressed(spec, settings)).collect())
}

/// The charts that a name stands for.
fn named(campaign: &Campaign, settings: &Settings, name: &str) -> Result<Vec<ChartSpec>, Failure> {
    if let Some(own) = settings.charts.iter().find(|spec| spec.id == name) {
        check(campaign, own)?;
        return Ok(vec![own.clone()]);
    }
    let specs =
        spec::named(name, campaign).map_err(|message| Failure(format!("chart `{name}`: {message}")))?;
    if specs.is_empty() {
        return Err(Failure(format!(
            "chart `{name}`: the inputs have nothing for it; `plotgen charts` says what it needs"
        )));
    }
    Ok(specs)
}

/// Refuses a chart of the user's by a dimension that no run has: all its runs would stand in one category.
pub(super) fn check(campaign: &Campaign, own: &ChartSpec) -> Result<(), Failure> {
    own.dimensions()
        .try_for_each(|dimension| spec::occurs(campaign, dimension))
        .map_err(|message| Failure(format!("[[chart]] `{}`: {message}", own.id)))
}

/// The one chart of a name.
pub(super) fn single(campaign: &Campaign, settings: &Settings, name: &str) -> Result<ChartSpec, Failure> {
    let mut specs = named(campaign, settings, name)?;
    if let Some(exact) = specs.iter().position(|spec| spec.id == name) {
        specs.swap(0, exact);
        specs.truncate(1);
    }
    match specs.as_slice() {
        [one] => Ok(dressed(one.clone(), settings)),
        many => {
            let ids: Vec<&str> = many.iter().map(|spec| spec.id.as_str()).collect();
            Err(Failure(format!("chart `{name}` stands for {}; name one of them", ids.join(", "))))
        }
    }
}

/// What was remarked on a campaign, without what is said of runs that the chart does not show.
pub(super) fn remarks<'c>(campaign: &'c Campaign, spec: Option<&ChartSpec>) -> Vec<&'c Diagnostic> {
    let Some(spec) = spec else { return campaign.diagnostics.iter().collect() };
    let shown: BTreeSet<usize> = spec.filter.choose(&campaign.runs).into_iter().collect();
    let runs = campaign.runs.iter().enumerate().filter(|(index, _)| !shown.contains(index));
    let others: BTreeSet<&str> = runs.map(|(_, record)| record.run.id.as_str()).collect();
    campaign.diagnostics.iter().filter(|remark| !others.contains(remark.path.as_str())).collect()
}

/// A chart with the user's units and limits.
fn dressed(mut chart: ChartSpec, settings: &Settings) -> ChartSpec {
    // A chart of the user's may have prefixes of its own.
    if settings.pictures.units != UnitSystem::default() {
        chart.units = settings.pictures.units;
    }
    // A variation has no unit that a limit could be in.
    if chart.y.stat != Stat::Cov
        && let Some(limits) = settings.limits.get(&chart.y.metric)
    {
        // A limit of the user's takes the place of the rule of thumb.
        chart.references.retain(|reference| reference.label != spec::GOOD_LATENCY_LABEL);
        // A chart that was printed with its limits has them already.
        let new =
            limits.iter().filter(|limit| !chart.references.contains(limit)).cloned().collect::<Vec<_>>();
        chart.references.extend(new);
    }
    chart
}

/// A picture, and by what it is known again.
pub(super) struct Made {
    pub(super) picture: Picture,
    /// Hash of all that decides how it looks; None when that has none.
    pub(super) key: Option<Key>,
}

/// Draws charts, in parallel and in the order of `specs`; `done` is called after each.
///
/// What `known` has is not drawn again.
pub(super) fn draw(
    charts: &Charts<'_>,
    specs: &[ChartSpec],
    options: &PictureOptions,
    known: Option<&Rerun>,
    done: &(dyn Fn() + Sync),
) -> Vec<Result<Made, PictureError>> {
    specs
        .par_iter()
        .map(|spec| {
            let picture = picture(charts, spec, options, known);
            done();
            picture
        })
        .collect()
}

fn picture(
    charts: &Charts<'_>,
    spec: &ChartSpec,
    options: &PictureOptions,
    known: Option<&Rerun>,
) -> Result<Made, PictureError> {
    let figure = charts.chart(spec)?;
    let small = charts.card(spec)?;
    let key = known.and_then(|_| Key::of(&(spec, &figure, &small, format!("{options:?}"))));
    let drawn = known.zip(key).and_then(|(known, key)| known.picture(&key));
    let (files, thumb) = match drawn {
        Some(drawn) => drawn,
        None => (
            files(&figure, &of_whole_runs(spec, charts.campaign()), options)?,
            render_with(&small, ImageFormat::Svg, &Theme::auto(), &RenderOptions::default())?,
        ),
    };
    Ok(Made { picture: Picture { spec: spec.clone(), figure, files, thumb }, key })
}

/// The chart that draws the same from whole runs, where those of the campaign were cut for all charts.
pub(super) fn of_whole_runs(spec: &ChartSpec, campaign: &Campaign) -> ChartSpec {
    campaign.part.map_or_else(|| spec.clone(), |part| spec.clone().within(part))
}

fn files(
    figure: &Figure,
    spec: &ChartSpec,
    options: &PictureOptions,
) -> Result<BTreeMap<String, Vec<u8>>, RenderError> {
    let scale = scale(spec, options);
    let mut looks = vec![("", if options.theme == Choice::Auto { Choice::Auto } else { Choice::Light })];
    if options.theme == Choice::Dark {
        looks.push(("-dark", Choice::Dark));
    }
    let id = &spec.id;
    let mut files = BTreeMap::new();
    for (suffix, theme) in looks {
        for format in &options.formats {
            let draw = |format| image(figure, spec, format, (theme, options));
            match format {
                PictureFormat::Svg => {
                    files.insert(format!("{id}{suffix}.svg"), draw(ImageFormat::Svg)?);
                }
                PictureFormat::Png => {
                    files.insert(format!("{id}{suffix}.png"), draw(ImageFormat::Png { scale: 1.0 })?);
                    if scale != 1.0 {
                        let bytes = draw(ImageFormat::Png { scale })?;
                        files.insert(format!("{id}{suffix}@{scale}x.png"), bytes);
                    }
                }
                PictureFormat::Pdf => {
                    files.insert(format!("{id}{suffix}.pdf"), draw(ImageFormat::Pdf)?);
                }
            }
        }
    }
    Ok(files)
}

/// The enlargement of a chart's PNGs: the user's flag or setting, else the chart's own.
pub(super) fn scale(spec: &ChartSpec, options: &PictureOptions) -> f64 {
    if options.scale == 1.0 { spec.scale.unwrap_or(1.0) } else { options.scale }
}

/// Least contrast of a line with the picture's background (WCAG 2.2, 1.4.11).
const LEAST_CONTRAST: f64 = 3.0;

/// Warnings for colours of the user's that can hardly be made out.
pub(super) fn faint(spec: &ChartSpec, options: &PictureOptions) -> Vec<Diagnostic> {
    let theme = match options.theme {
        Choice::Light => Theme::light(),
        Choice::Dark => Theme::dark(),
        Choice::Auto => Theme::auto(),
    };
    let faint = spec.colors.iter().filter_map(|(value, colour)| {
        let Rgb([r, g, b]) = *colour;
        let contrast = theme.contrast(Colour { r, g, b });
        (contrast < LEAST_CONTRAST).then(|| {
            let message = format!(
                "the colour {colour} of `{value}` has a contrast of {contrast:.1} to the background ({} theme); from {LEAST_CONTRAST} on lines can be made out",
                theme.name
            );
            Diagnostic::new(Severity::Warning, format!("chart {}", spec.id), message)
        })
    });
    faint.collect()
}

/// One image in the user's theme, with its chart in it.
pub(super) fn image(
    figure: &Figure,
    spec: &ChartSpec,
    format: ImageFormat,
    (theme, options): (Choice, &PictureOptions),
) -> Result<Vec<u8>, RenderError> {
    let theme = match (theme, format) {
        (Choice::Light, _) | (Choice::Auto, ImageFormat::Png { .. } | ImageFormat::Pdf) => Theme::light(),
        (Choice::Auto, ImageFormat::Svg) => Theme::auto(),
        (Choice::Dark, _) => Theme::dark(),
    };
    render_with(figure, format, &theme, &RenderOptions { text: options.text, spec: Some(spec.clone()) })
}

/// The characters of a figure that no font here has, where a format carries its own letters.
pub(super) fn boxes(figure: &Figure, mut formats: impl Iterator<Item = ImageFormat>) -> BTreeSet<char> {
    if formats.all(|format| format == ImageFormat::Svg) {
        return BTreeSet::new();
    }
    missing(figure).into_iter().collect()
}

/// What is to be said of characters that no font here has.
pub(super) fn tell_boxes(missing: &BTreeSet<char>) -> Option<String> {
    let most = 12;
    let named: String = missing.iter().take(most).collect();
    let more = if missing.len() > most { " and others" } else { "" };
    (!missing.is_empty()).then(|| {
        format!(
            "no font here has {named}{more}: PNG and PDF show a box for each; SVG leaves them to the \
             reader's fonts"
        )
    })
}
