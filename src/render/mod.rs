//! Draws a [`Figure`]: SVG through plotters and a backend of our own, PNG and PDF from that same SVG.
//!
//! In: a complete figure and a [`Theme`]. Out: the bytes of an image, the same
//! bytes for the same input. Decides colours and the way of writing, nothing
//! about content: no scale, no tick and no label is chosen here.

mod clip;
mod draw;
mod embed;
#[cfg(test)]
mod fixture;
mod metadata;
mod outline;
mod pdf;
mod png;
mod svg;
#[cfg(test)]
mod tests;
mod theme;
mod tree;

pub use metadata::{Metadata, metadata};
pub use theme::{Colour, Colours, Theme};
pub use tree::missing;

use crate::chart::{AxisScale, Figure};
use crate::spec::ChartSpec;
use svg::Lettering;

/// What a picture is written as.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum ImageFormat {
    /// Scalable Vector Graphics 1.1, UTF-8.
    #[default]
    Svg,
    /// Portable Network Graphics, RGB.
    Png {
        /// Image pixels per pixel of the figure: 1 or 2.
        scale: f64,
    },
    /// Portable Document Format 1.7, one page as large as the figure; texts stay texts.
    Pdf,
}

/// What draws, and in which version.
const SOFTWARE: &str = concat!("plotgen ", env!("CARGO_PKG_VERSION"));

impl ImageFormat {
    /// The file name's extension, without a dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            ImageFormat::Svg => "svg",
            ImageFormat::Png { .. } => "png",
            ImageFormat::Pdf => "pdf",
        }
    }
}

/// How an SVG holds its texts; a PNG has them as pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SvgText {
    /// Text in whatever font the reader has, Inter first: small, searchable, selectable.
    #[default]
    Plain,
    /// Text with the font inside the file: looks the same everywhere, still text.
    Embed,
    /// Shapes of the letters: looks the same everywhere, even in old drawing programs, but is no text.
    Outline,
}

/// What [`render_with`] lets one choose beyond format and theme.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RenderOptions {
    /// How an SVG holds its texts.
    pub text: SvgText,
    /// The chart that the figure shows, to be written into the picture, where [`metadata`] finds
    /// it; None leaves it out.
    pub spec: Option<ChartSpec>,
}

/// What a picture says about itself.
#[derive(Debug, Clone, Copy)]
struct About<'a> {
    title: &'a str,
    description: &'a str,
    /// The object that [`metadata`] reads.
    metadata: Option<&'a str>,
}

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A picture of this size cannot be drawn.
    #[error("a picture of {width} x {height} pixels: expected 1 to {limit} pixels a side")]
    Size {
        /// Width asked for, in pixels of the image.
        width: f64,
        /// Height asked for, in pixels of the image.
        height: f64,
        /// The longest side possible.
        limit: f64,
    },
    /// A panel's plot area is no rectangle.
    #[error("panel {panel}: the plot area is no rectangle within the picture")]
    Area {
        /// Index of the panel.
        panel: usize,
    },
    /// An axis has no length.
    #[error("panel {panel}: the {axis} axis goes from {min} to {max}; expected finite, increasing ends{}", above_zero(.scale))]
    Axis {
        /// Index of the panel.
        panel: usize,
        /// `x` or `y`.
        axis: char,
        /// First value of the axis.
        min: f64,
        /// Last value.
        max: f64,
        /// How values map to length; a log axis needs ends above zero.
        scale: AxisScale,
    },
    /// The drawing library failed.
    #[error("drawing failed: {0}")]
    Draw(String),
    /// The SVG could not be turned into pixels or letter shapes.
    #[error("reading the drawn SVG failed: {0}")]
    Raster(String),
    /// The PNG or PDF could not be written.
    #[error("writing the picture failed: {0}")]
    Encode(String),
}

fn above_zero(scale: &AxisScale) -> &'static str {
    match scale {
        AxisScale::Linear => "",
        AxisScale::Log => ", above zero on a log scale",
    }
}

/// Draws `figure` as bytes of `format` in the colours of `theme`.
///
/// # Errors
/// [`RenderError`] for a figure without a drawable size, plot area or axis.
pub fn render(figure: &Figure, format: ImageFormat, theme: &Theme) -> Result<Vec<u8>, RenderError> {
    render_with(figure, format, theme, &RenderOptions::default())
}

/// [`render`] with options.
///
/// # Errors
/// As [`render`].
pub fn render_with(
    figure: &Figure,
    format: ImageFormat,
    theme: &Theme,
    options: &RenderOptions,
) -> Result<Vec<u8>, RenderError> {
    let told = options.spec.as_ref().map(|spec| metadata::text(&figure.footer, spec));
    let about = About { title: &figure.title, description: &figure.alt, metadata: told.as_deref() };
    match format {
        ImageFormat::Svg => {
            let lettering = match options.text {
                SvgText::Plain => Lettering::Plain,
                SvgText::Embed => Lettering::Embed,
                SvgText::Outline => {
                    let numbered = draw::draw(figure, theme, Lettering::Numbered, None)?;
                    Lettering::Outline(outline::outlines(&numbered)?)
                }
            };
            draw::draw(figure, theme, lettering, about.metadata).map(String::into_bytes)
        }
        ImageFormat::Png { scale } => {
            png::check_size(figure.size.width * scale, figure.size.height * scale)?;
            let (svg, lines) = draw::draw_apart(figure, theme)?;
            png::encode((&svg, &lines), scale, &about)
        }
        ImageFormat::Pdf => pdf::encode(&draw::draw(figure, theme, Lettering::Plain, None)?, &about),
    }
}
