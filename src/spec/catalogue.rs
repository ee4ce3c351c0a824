//! The built-in charts, and the choice of those that a campaign supports.

use crate::model::Campaign;
use crate::spec::ChartSpec;

/// An entry of the catalogue.
#[derive(Debug, Clone)]
pub struct Builtin {
    /// Name for `plotgen chart NAME`.
    pub name: String,
    /// What it answers.
    pub answers: &'static str,
    /// What a campaign needs for it.
    pub needs: &'static str,
}

/// All built-in charts, by name.
#[must_use]
pub fn builtins() -> Vec<Builtin> {
    Vec::new()
}

/// The charts that suit a campaign, most telling first.
#[must_use]
pub fn suggest(_campaign: &Campaign) -> Vec<ChartSpec> {
    Vec::new()
}

/// Stub.
///
/// # Errors
/// Stub.
pub fn named(name: &str, _campaign: &Campaign) -> Result<Vec<ChartSpec>, String> {
    Err(format!("stub: {name}"))
}
