//! Pixels from an SVG of ours.
//!
//! In: an SVG written by [`super::draw`], its long lines apart. Out: PNG bytes.
//! Never leaves a colour to a profile: sRGB, opaque.

mod area;
mod line;
mod raster;

use super::svg::LongLine;
use super::{About, RenderError, SOFTWARE};
use png::{
    BitDepth, ColorType, DeflateCompression, Encoder, Filter, PixelDimensions, SrgbRenderingIntent, Unit,
};

/// The longest side of a picture in pixels.
const LIMIT: f64 = 16_384.0;

/// Pixels per metre at scale 1: 96 to the inch, as CSS has it.
const PIXELS_PER_METRE: f64 = 96.0 / 0.0254;

/// Refuses sizes that cannot be drawn.
pub(super) fn check_size(width: f64, height: f64) -> Result<(), RenderError> {
    if [width, height].iter().all(|side| (1.0..=LIMIT).contains(side)) {
        return Ok(());
    }
    Err(RenderError::Size { width, height, limit: LIMIT })
}

/// The PNG of an SVG and its long lines, `scale` image pixels per pixel, with what it says about itself as text chunks.
pub(super) fn encode(
    drawn: (&str, &[LongLine]),
    scale: f64,
    about: &About<'_>,
) -> Result<Vec<u8>, RenderError> {
    let pixels = raster::pixels(drawn, scale)?;
    let (width, height) = (pixels.width(), pixels.height());
    let mut bytes = pixels.take();
    let rgb = without_alpha(&mut bytes);
    let failed = |e: png::EncodingError| RenderError::Encode(e.to_string());

    let mut file = Vec::with_capacity(rgb.len() / 8);
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    // Charts are flat areas: unfiltered rows at a low level are both smaller and quicker than the defaults. The level
    // below takes four fifths of the time for files that are larger by a twentieth, some by a ninth.
    encoder.set_filter(Filter::NoFilter);
    encoder.set_deflate_compression(DeflateCompression::Level(3));
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    let density = (PIXELS_PER_METRE * scale).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: density, yppu: density, unit: Unit::Meter }));
    for (keyword, text) in
        [("Title", about.title), ("Description", about.description), ("Software", SOFTWARE)]
    {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if text.is_empty() {
            continue;
        }
        // tEXt holds Latin-1, iTXt any text (PNG specification, 11.3.3).
        let plain = text.chars().all(|c| u32::from(c) <= 0xff);
        let added = if plain {
            encoder.add_text_chunk(keyword.to_owned(), text)
        } else {
            encoder.add_itxt_chunk(keyword.to_owned(), text)
        };
        added.map_err(failed)?;
    }
    if let Some(text) = about.metadata {
        encoder.add_itxt_chunk(super::metadata::KEYWORD.to_owned(), text.to_owned()).map_err(failed)?;
    }
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(rgb).map_err(failed)?;
    writer.finish().map_err(failed)?;
    raster::leave(bytes);
    Ok(file)
}

/// Red, green and blue of each pixel, moved to the front: the background is opaque, so alpha says nothing and colours are
/// not multiplied by it.
fn without_alpha(rgba: &mut [u8]) -> &[u8] {
    let pixels = rgba.len() / 4;
    for pixel in 1..pixels {
        rgba.copy_within(4 * pixel..4 * pixel + 3, 3 * pixel);
    }
    &rgba[..3 * pixels]
}
