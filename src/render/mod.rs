//! Stub.

/// Stub.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum ImageFormat {
    /// Stub.
    #[default]
    Svg,
    /// Stub.
    Png {
        /// Stub.
        scale: f64,
    },
}

/// Stub.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SvgText {
    /// Stub.
    #[default]
    Plain,
    /// Stub.
    Embed,
    /// Stub.
    Outline,
}

/// Stub.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RenderOptions {
    /// Stub.
    pub text: SvgText,
}

/// Stub.
#[derive(Debug, thiserror::Error)]
#[error("stub")]
pub struct RenderError;

/// Stub.
#[derive(Debug, Clone)]
pub struct Theme;

impl Theme {
    /// Stub.
    #[must_use]
    pub fn light() -> Theme {
        Theme
    }
    /// Stub.
    #[must_use]
    pub fn dark() -> Theme {
        Theme
    }
    /// Stub.
    #[must_use]
    pub fn auto() -> Theme {
        Theme
    }
}

/// Stub.
///
/// # Errors
/// Stub.
pub fn render_with(
    _: &crate::chart::Figure,
    _: ImageFormat,
    _: &Theme,
    _: &RenderOptions,
) -> Result<Vec<u8>, RenderError> {
    Err(RenderError)
}
