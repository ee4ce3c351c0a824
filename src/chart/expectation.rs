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
use crate::model::unit::significant;
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
    if spec.mark != Mark::Bar || spec.y != Measure::mean(Metric::Iops) {
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
    let iops = significant(first.drive_iops, 3);
    let iops = if iops.contains('.') { iops.trim_end_matches('0').trim_end_matches('.') } else { &iops };
    Some(Expectation {
        saturated,
        shallow: shallow.map(|values| mean(&values)).filter(|v| v.is_finite() && *v > 0.0),
        drives: format!("{} drives of {iops} IOPS", first.drives),
    })
}

impl Scene {
    /// The expectations of all bars.
    pub(super) fn expectations(&self) -> impl Iterator<Item = &Expectation> {
        let points = self.series.iter().flat_map(|series| match &series.data {
            Data::Points(points) => points.as_slice(),
            Data::Trace(_) => &[],
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
            items.push(item("the same at this queue depth".to_owned(), 1));
        }
        items
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
                name: format!("{name}; {what}: {} IOPS", significant(y * divisor, 3)),
            };
            (y, shape)
        })
        .collect()
}
