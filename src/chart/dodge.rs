//! Series side by side in the categories of an axis.
//!
//! In: the colours of a chart and the width of a category. Out: where each bar or box stands, and how
//! wide it is. Draws nothing.

use super::layout::Frame;
use super::marks::Pen;
use super::scene::Series;
use super::select::Key;
use crate::model::Ddir;
use crate::spec::XChannel;

/// Widest bar in pixels.
const WIDEST_BAR: f64 = 88.0;
/// Share of a category's width that its bars fill.
const GROUP: f64 = 0.76;

/// How series stand side by side in a category: each colour keeps its place in every panel.
#[derive(Debug)]
pub(super) struct Dodge<'a> {
    places: Vec<(&'a Key, Option<Ddir>)>,
    /// From one to the next, axis units.
    pub pitch: f64,
    /// Width of a bar or box, axis units.
    pub width: f64,
    /// Pixels of a category.
    pub slot: f64,
    /// Pixels to the next bar or box.
    pub room: f64,
}

impl Dodge<'_> {
    /// How far a series stands from the middle of its category.
    pub(super) fn offset(&self, series: &Series) -> f64 {
        let place = self.places.iter().position(|(c, f)| **c == series.id.color && *f == series.id.fold);
        let count = self.places.len().max(1) as f64;
        (place.unwrap_or(0) as f64 - (count - 1.0) / 2.0) * self.pitch
    }
}

impl Pen<'_> {
    /// How bars or boxes share a category.
    pub(super) fn dodge(&self, frame: &Frame) -> Dodge<'_> {
        // Runs on the axis have a place for each direction already.
        let places = if self.spec.x == XChannel::Run { Vec::new() } else { self.places() };
        let count = places.len().max(1) as f64;
        let slot = frame.rect.width / frame.x.ticks.len().max(1) as f64;
        let pitch = (GROUP / count).min(WIDEST_BAR / slot.max(1.0));
        let (width, room) = if count > 1.0 { (pitch * 0.9, pitch * slot) } else { (pitch, slot) };
        Dodge { places, pitch, width, slot, room }
    }

    /// The colours of the chart in order: each keeps its place in every panel, also where it is missing.
    pub(super) fn places(&self) -> Vec<(&Key, Option<Ddir>)> {
        let mut places: Vec<_> = self.scene.series.iter().map(|s| (&s.id.color, s.id.fold)).collect();
        places.sort();
        places.dedup();
        if self.scene.multiples { Vec::new() } else { places }
    }
}
