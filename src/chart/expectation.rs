//! What the RAID model expects of the runs behind a bar.
//!
//! In: a campaign's model points. Out: an expectation for each bar of IOPS, its mark across the
//! bar, and the words for legend and table. Where the runs of a bar are expected to do different
//! things there is none.

use super::header::LegendItem;
use super::points::Point;
use super::scene::{Data, Scene};
use super::{Ink, Shape};
use crate::analyze::repeat::mean;
use crate::model::unit::plain;
use crate::model::{Campaign, Cell, Measure, Metric, ModelPoint};
use crate::spec::{ChartSpec, Mark};

/// Expectations of one bar's runs may differ by this share: mixed loads never have quite the same mix.
const ALIKE: f64 = 0.05;
/// An expectation beyond this many times the data would squash the bars.
pub(super) const REACH: f64 = 2.5;
/// Width of the marks in pixels: of the saturated array, and of the shallow queue.
const WIDTHS: [f64; 2] = [2.5, 1.25];
/// Dashes of the mark of the shallow queue.
const SHALLOW_DASH: [f64; 2] = [3.0, 3.0];

/// IOPS that an array should do, base units.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expectation {
    /// With all drives busy.
    pub saturated: f64,
    /// At the queue depth of the runs, for reads.
    pub shallow: Option<f64>,
    /// `6 drives of 75 IOPS`.
    drives: String,
}

/// The expectation of a bar; None unless all of its runs have one and the chart shows mean IOPS.
pub(super) fn of_cell(campaign: &Campaign, spec: &ChartSpec, cell: &Cell) -> Option<Expectation> {
    if spec.mark != Mark::Bar || spec.rows.is_some() || spec.y != Measure::mean(Metric::Iops) {
        return None;
    }
    let point = |run: &usize| campaign.model.iter().find(|p| p.run == *run && p.ddir == cell.ddir);
    let points: Vec<&ModelPoint> = cell.runs.iter().map(point).collect::<Option<_>>()?;
    let first = points.first()?;
    let expected: Vec<f64> = points.iter().map(|p| p.expected).collect();
    let saturated = mean(&expected);
    let apart = expected.iter().any(|e| (e / saturated - 1.0).abs() > ALIKE);
    if apart || !saturated.is_finite() || saturated <= 0.0 {
        return None;
    }
    let shallow: Option<Vec<f64>> = points.iter().map(|p| p.shallow).collect();
    Some(Expectation {
        saturated,
        shallow: shallow.and_then(|values| {
            let middle = mean(&values);
            let alike = values.iter().all(|v| (v / middle - 1.0).abs() <= ALIKE);
            (alike && middle.is_finite() && middle > 0.0).then_some(middle)
        }),
        drives: format!("{} drives of {} IOPS", first.drives, plain(first.drive_iops, 3)),
    })
}

impl Scene {
    /// The expectations of all bars.
    pub(super) fn expectations(&self) -> impl Iterator<Item = &Expectation> {
        let points = self.series.iter().flat_map(|series| match &series.data {
            Data::Points(points) => points.as_slice(),
            _ => &[],
        });
        points.filter_map(|point| point.expectation.as_ref())
    }

    /// What legend entries say of the marks; none without any.
    pub(super) fn expectation_legend(&self) -> Vec<LegendItem> {
        let mut drives: Vec<&str> = self.expectations().map(|e| e.drives.as_str()).collect();
        drives.dedup();
        let name = match drives.as_slice() {
            [] => return Vec::new(),
            [same] => format!("RAID model: {same}"),
            _ => "RAID model".to_owned(),
        };
        let item = |name: String, place: usize| LegendItem {
            name,
            figure: String::new(),
            ink: Ink::Text,
            dash: dash(place),
            line: WIDTHS.get(place).copied(),
        };
        let mut items = vec![item(name, 0)];
        if self.expectations().any(|e| e.shallow.is_some()) {
            let reads = if self.expectations().any(|e| e.shallow.is_none()) { ", reads alone" } else { "" };
            items.push(item(format!("the same at this queue depth{reads}"), 1));
        }
        items
    }

    /// What the subtitle says of the marks: where the depth of the queue counts, and why it does not for writes.
    pub(super) fn expectation_words(&self) -> &'static str {
        let shallow = |e: &Expectation| e.shallow.is_some();
        match (self.expectations().any(shallow), self.expectations().all(shallow)) {
            (true, true) => "RAID model, dashed at this queue depth",
            (true, false) => {
                "RAID model, dashed at this queue depth for reads (a write is several I/Os on the drives)"
            }
            (false, _) => "RAID model with all drives busy",
        }
    }
}

fn dash(place: usize) -> Vec<f64> {
    if place == 0 { Vec::new() } else { SHALLOW_DASH.to_vec() }
}

/// The values of a bar's marks with the place of each: the saturated array first.
fn marks(expectation: &Expectation) -> impl Iterator<Item = (usize, f64)> {
    [Some(expectation.saturated), expectation.shallow]
        .into_iter()
        .enumerate()
        .filter_map(|(i, v)| Some((i, v?)))
}

/// Marks across a bar from `x0` to `x1`, in axis units; `divisor` makes them of base units.
pub(super) fn shapes(
    point: &Point,
    (x0, x1): (f64, f64),
    (divisor, top): (f64, f64),
    name: &str,
) -> Vec<(f64, Shape)> {
    let Some(expectation) = &point.expectation else { return Vec::new() };
    marks(expectation)
        .map(|(place, value)| (place, value / divisor))
        .filter(|(_, y)| *y <= top)
        .map(|(place, y)| {
            let what = if place == 0 { "RAID model" } else { "RAID model at this queue depth" };
            let shape = Shape::Line {
                parts: vec![vec![(x0, y), (x1, y)]],
                ink: Ink::Text,
                dash: dash(place),
                width: WIDTHS.get(place).copied().unwrap_or(1.0),
                name: format!("{name}; {what}: {} IOPS", plain(y * divisor, 3)),
            };
            (y, shape)
        })
        .collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::super::testdata::{bars, by, only, raid_campaign};
    use super::super::{Figure, chart};
    use super::*;
    use crate::model::{Ddir, Dimension};

    /// Random writes on four levels, each run expected to do `expected` IOPS with six drives of 75.
    fn modelled(expected: impl Fn(&str) -> f64) -> Campaign {
        let mut data = raid_campaign(3);
        data.model = data
            .runs
            .iter()
            .enumerate()
            .map(|(run, record)| {
                let level = record.run.value(&Dimension::Raid).unwrap().as_str();
                let measured = record.statistic(Measure::mean(Metric::Iops), Ddir::Write).unwrap().value;
                ModelPoint {
                    run,
                    ddir: Ddir::Write,
                    expected: expected(level),
                    shallow: None,
                    measured,
                    efficiency: measured / expected(level),
                    drives: 6,
                    drive_iops: 75.0,
                    drive_run: None,
                }
            })
            .collect();
        data
    }

    fn of_level(level: &str) -> f64 {
        match level {
            "0" => 450.0,
            "10" => 225.0,
            "5" => 112.5,
            _ => 75.0,
        }
    }

    fn draw(data: &Campaign, metric: Metric) -> Figure {
        let filter = only(Dimension::Chunk, "64k");
        chart(data, &ChartSpec { filter, ..bars(Dimension::Raid, metric) }).unwrap()
    }

    /// Heights of the marks, left to right.
    fn heights(figure: &Figure) -> Vec<f64> {
        let line = |shape: &Shape| match shape {
            Shape::Line { parts, .. } => parts.first().and_then(|part| part.first()).copied(),
            _ => None,
        };
        let mut ends: Vec<(f64, f64)> = figure.panels[0].shapes.iter().filter_map(line).collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        ends.into_iter().map(|(_, y)| y).collect()
    }

    #[test]
    fn each_bar_of_iops_has_a_mark_where_the_model_puts_it() {
        let figure = draw(&modelled(of_level), Metric::Iops);
        // RAID 0, 5, 6, 10.
        assert_eq!(heights(&figure), [450.0, 112.5, 75.0, 225.0]);
        assert!(figure.texts.iter().any(|text| text.text == "RAID model: 6 drives of 75 IOPS"));
        assert!(figure.subtitle.contains("marks: RAID model"), "{}", figure.subtitle);
        assert!(figure.alt.contains(" of 450 IOPS expected"), "{}", figure.alt);
        let column = figure.table.columns.iter().position(|head| head == "RAID model (IOPS)").unwrap();
        assert_eq!(figure.table.columns[column + 1], "of the RAID model (%)");
        let shares: Vec<f64> = figure
            .table
            .rows
            .iter()
            .filter_map(|row| match row[column + 1] {
                super::super::TableCell::Number { value, .. } => Some(value),
                _ => None,
            })
            .collect();
        // Means near 407, 97, 58 and 210.
        for (share, near) in shares.into_iter().zip([90.4, 86.2, 77.3, 93.3]) {
            assert!((share - near).abs() < 4.0, "{share} against {near}");
        }
    }

    #[test]
    fn a_mark_of_the_queue_depth_that_writes_lack_is_explained() {
        let mut data = modelled(of_level);
        assert!(draw(&data, Metric::Iops).subtitle.contains("marks: RAID model with all drives busy"));
        data.model.iter_mut().filter(|point| point.expected > 200.0).for_each(|p| p.shallow = Some(150.0));
        let figure = draw(&data, Metric::Iops);
        assert!(figure.subtitle.contains("for reads (a write is several I/Os"), "{}", figure.subtitle);
        let legend = figure.texts.iter().any(|t| t.text == "the same at this queue depth, reads alone");
        assert!(legend, "{:?}", figure.texts);
        data.model.iter_mut().for_each(|p| p.shallow = Some(50.0));
        let figure = draw(&data, Metric::Iops);
        assert!(figure.subtitle.contains("dashed at this queue depth ·"), "{}", figure.subtitle);
    }

    #[test]
    fn latency_and_bars_without_a_model_have_no_marks() {
        assert!(heights(&draw(&modelled(of_level), Metric::Lat)).is_empty());
        let figure = draw(&raid_campaign(3), Metric::Iops);
        assert!(heights(&figure).is_empty() && !figure.subtitle.contains("model"));
        // One run of a bar without a point: the bar has none.
        let mut data = modelled(of_level);
        data.model.remove(0);
        assert_eq!(heights(&draw(&data, Metric::Iops)).len(), 3);
    }

    #[test]
    fn runs_that_are_expected_to_do_different_things_have_no_common_mark() {
        let mut data = modelled(of_level);
        data.model[0].expected = 300.0;
        assert_eq!(heights(&draw(&data, Metric::Iops)).len(), 3);
    }

    #[test]
    fn an_expectation_far_above_the_bars_does_not_squash_them() {
        let figure = draw(&modelled(|level| if level == "0" { 1e6 } else { of_level(level) }), Metric::Iops);
        assert!(figure.panels[0].y.max < 1000.0);
        assert_eq!(heights(&figure).len(), 3);
        assert!(figure.notes.iter().any(|note| note.contains("lie far above")), "{:?}", figure.notes);
    }

    #[test]
    fn marks_stand_beside_colours_in_one_legend() {
        let spec = ChartSpec { color: by(Dimension::Chunk), ..bars(Dimension::Raid, Metric::Iops) };
        let figure = chart(&modelled(of_level), &spec).unwrap();
        for text in ["64 KiB chunk", "RAID model: 6 drives of 75 IOPS"] {
            assert!(figure.texts.iter().any(|placed| placed.text == text), "{text}");
        }
        assert_eq!(heights(&figure).len(), 12);
    }

    #[test]
    fn texts_never_overlap_with_marks_at_any_height() {
        for factor in [0.3, 0.9, 1.0, 1.02, 1.1, 2.0, 1e-9, 1e9, f64::NAN] {
            let data = modelled(|level| of_level(level) * factor);
            for color in [None, by(Dimension::Chunk)] {
                let spec = ChartSpec { color, ..bars(Dimension::Raid, Metric::Iops) };
                super::super::promises::promises(&format!("model {factor}"), &data, &spec);
            }
        }
    }
}
