//! One parameterised chart function: data and a spec in, a complete figure out.
//!
//! [`chart`] filters, groups, infers scales and units, and places every label.
//! It knows no path, no clock and no drawing crate; what it returns is plain
//! data that tests can read and [`crate::render`] can draw.

mod figure;
pub mod text;

pub use figure::{
    Align, Axis, AxisScale, Figure, Ink, Panel, Placed, Rect, Role, Shape, Stroke, Table, TableCell, Tick,
};

/// Stub.
#[derive(Debug, thiserror::Error)]
#[error("stub")]
pub struct ChartError;

/// Stub.
///
/// # Errors
/// Stub.
pub fn chart(_: &crate::model::Campaign, _: &crate::spec::ChartSpec) -> Result<Figure, ChartError> {
    Err(ChartError)
}
