//! Changes of level in the time chart of a single run: a rule at their time, the level of each part.
//!
//! In: a panel and the phases that the analysis found. Out: shapes, and a note
//! beside each rule. Charts of several runs or of single jobs have none.

use super::labels::{Canvas, Obstacles, least_covering, placed};
use super::layout::Frame;
use super::marks::Drawing;
use super::scene::{Scene, ScenePanel, Series};
use super::select::{Key, Selection};
use super::{Align, Ink, Job, Role, Shape, names};
use crate::analyze::is_missed;
use crate::model::{Ddir, Phase, Phases};
use crate::spec::{Channel, ChartSpec, Mark, XChannel};

/// What sums in another order may differ by.
const ROUNDING: f64 = 1e-9;

/// The changes of level of one series.
pub(super) struct Cliffs<'a> {
    series: &'a Series,
    phases: &'a Phases,
    /// The figure of the whole run, base units, where it is that of no part.
    missed: Option<f64>,
}

/// The series of a panel whose level changes, when the chart shows one run.
pub(super) fn cliffs<'a>(
    selection: &'a Selection<'_>,
    spec: &ChartSpec,
    scene: &'a Scene,
    panel: &'a ScenePanel,
) -> Vec<Cliffs<'a>> {
    let channels = [&selection.channels.color, &selection.channels.facet];
    let parts = channels.iter().any(|c| matches!(c, Some(Channel::Job | Channel::Stat)));
    let (XChannel::Time, Mark::Line, true, [run], false) =
        (&spec.x, spec.mark, spec.transforms.is_empty(), selection.runs.as_slice(), parts)
    else {
        return Vec::new();
    };
    let record = &selection.campaign.runs[*run];
    let found = panel.shown.iter().filter_map(|&i| {
        let series = scene.series.get(i)?;
        let ddir = ddir_of(selection, series)?;
        let measure = scene.measure_of(series);
        let phases = record.phases_of(measure.metric, ddir)?;
        let whole = record.statistic(measure, ddir).map(|s| s.value);
        Some(Cliffs { series, phases, missed: whole.filter(|_| is_missed(record, phases)) })
    });
    found.collect()
}

/// The direction of a series, which a channel, its name or the lack of others tells.
fn ddir_of(selection: &Selection<'_>, series: &Series) -> Option<Ddir> {
    let only = match selection.ddirs.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    match (&series.id.color, &series.id.facet) {
        (Key::Ddir(ddir), _) | (_, Key::Ddir(ddir)) => Some(*ddir),
        _ => series.id.fold.or(only),
    }
}

impl Cliffs<'_> {
    /// Draws the levels and the rules, and says at each rule what happens there.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        frame: &Frame,
        drawing: &mut Drawing,
        obstacles: &Obstacles,
        (job, panel, notes): (&Job<'_>, usize, &mut Vec<String>),
    ) {
        let unit = &job.y.of(panel).unit;
        let (dx, dy) = (job.x.divisor, unit.divisor);
        let figure = |value: f64| names::figure(value, job.measure(panel), unit);
        let parts = self.phases.segments.iter().map(|phase| {
            vec![(phase.start_ms / dx, phase.level / dy), (phase.end_ms / dx, phase.level / dy)]
        });
        drawing.shapes.push(Shape::Line {
            parts: parts.collect(),
            ink: Ink::Text,
            dash: Vec::new(),
            width: 1.0,
            name: self.name().to_owned(),
        });
        let mut told = Vec::new();
        for pair in self.phases.segments.windows(2) {
            let x = pair[1].start_ms / dx;
            if !(x > frame.x.min && x < frame.x.max) {
                continue;
            }
            drawing.shapes.push(Shape::Mark { x, ink: Ink::Warn, dash: vec![6.0, 3.0] });
            let at = names::duration(pair[1].start_ms);
            told.push(format!("{at} ({} before, {} after)", figure(pair[0].level), figure(pair[1].level)));
            let text = format!("{at}: {} → {}", figure(pair[0].level), figure(pair[1].level));
            self.label(canvas, frame, obstacles, (x, &text), job.style.value);
        }
        if !told.is_empty() {
            let name =
                if self.series.name.is_empty() { String::new() } else { format!(" of {}", self.series.name) };
            let missed = self.missed.map(|value| {
                format!(": the mean over the whole run, {}, stands for no part of it", figure(value))
            });
            let missed = missed.unwrap_or_default();
            notes.push(format!("The level{name} changes at {}{missed}.", told.join(" and at ")));
        }
    }

    /// What the lines of the parts are.
    fn name(&self) -> &'static str {
        let moved = |phase: &Phase| (phase.level - phase.mean).abs() > ROUNDING * phase.mean;
        if self.phases.segments.iter().any(moved) {
            "Mean of each part of the run, median where a few windows set the mean"
        } else {
            "Mean of each part of the run"
        }
    }

    /// Writes a note beside a rule, where it covers least.
    fn label(
        &self,
        canvas: &mut Canvas,
        frame: &Frame,
        obstacles: &Obstacles,
        (x, text): (f64, &str),
        size: f64,
    ) {
        let rect = frame.rect;
        let (x, _) = frame.px(x, frame.y.max);
        let rows = (0..12).map(|i| rect.y + size * (1.2 + 1.5 * f64::from(i)));
        let sides = [(x + 6.0, Align::Start), (x - 6.0, Align::End)];
        let candidates = rows.flat_map(|y| sides.map(|(x, align)| (x, y, align))).map(|(x, y, align)| {
            let mut note = placed(text, x, y, size, Role::Note);
            (note.align, note.ink, note.bold, note.halo) = (align, Ink::Warn, true, true);
            note
        });
        let inside = candidates.filter(|note| {
            let b = note.bounds();
            b.x >= rect.x && b.right() <= rect.right() && b.bottom() <= rect.bottom()
        });
        // A note without a place is in the notes below the picture all the same.
        if let Some((note, _)) = least_covering(canvas, obstacles, inside) {
            canvas.place(note, 0.0);
        }
    }
}
