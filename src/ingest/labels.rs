//! Stub.

/// Stub.
#[derive(Debug, Clone)]
pub struct Pattern;

impl Pattern {
    /// Stub.
    ///
    /// # Errors
    /// Stub.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("stub".to_owned()) } else { Ok(Pattern) }
    }
}
