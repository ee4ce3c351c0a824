//! Pixels and letter shapes from an SVG of ours. The one user of resvg.
//!
//! In: an SVG written by [`super::draw`]. Out: PNG bytes, or the outlines of
//! its texts. Uses the embedded fonts alone, so that the picture is the same
//! everywhere; only where a text has characters that these lack, the
//! machine's fonts help out.

use super::RenderError;
use super::svg::{number, separate};
use crate::chart::text::{REGULAR, SEMIBOLD};
use png::{
    BitDepth, ColorType, DeflateCompression, Encoder, Filter, PixelDimensions, SrgbRenderingIntent, Unit,
};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, FaceInfo, ID, Language, Source, Weight};
use resvg::usvg::tiny_skia_path::{PathSegment, Point};
use resvg::usvg::{FallbackSelectionFn, FontResolver, Group, Node, Options, Tree};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use ttf_parser::Face;

/// The longest side of a picture in pixels.
const LIMIT: f64 = 16_384.0;

/// Pixels per metre at scale 1: 96 to the inch, as CSS has it.
const PIXELS_PER_METRE: f64 = 96.0 / 0.0254;

/// Characters that fonts hold as pictures, which have no outline (Unicode 16, the pictographic blocks).
const EMOJI: fn(char) -> bool = |c| ('\u{1f000}'..='\u{1faff}').contains(&c);

/// Refuses sizes that cannot be drawn.
pub(super) fn check_size(width: f64, height: f64) -> Result<(), RenderError> {
    if [width, height].iter().all(|side| (1.0..=LIMIT).contains(side)) {
        return Ok(());
    }
    Err(RenderError::Size { width, height, limit: LIMIT })
}

/// The PNG of `svg`, `scale` image pixels per pixel, with `words` (keyword, text) as text chunks.
pub(super) fn encode(svg: &str, scale: f64, words: &[(&str, &str)]) -> Result<Vec<u8>, RenderError> {
    let pixels = rasterize(svg, scale)?;
    // The background is opaque, so alpha says nothing and colours are not multiplied by it.
    let rgb: Vec<u8> = pixels.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    let failed = |e: png::EncodingError| RenderError::Encode(e.to_string());

    let mut bytes = Vec::with_capacity(rgb.len() / 8);
    let mut encoder = Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    // Charts are flat areas: unfiltered rows at a low level are both smaller and quicker than the defaults.
    encoder.set_filter(Filter::NoFilter);
    encoder.set_deflate_compression(DeflateCompression::Level(3));
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    let density = (PIXELS_PER_METRE * scale).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: density, yppu: density, unit: Unit::Meter }));
    let software = concat!("plotgen ", env!("CARGO_PKG_VERSION"));
    for (keyword, text) in words.iter().chain([&("Software", software)]) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if text.is_empty() {
            continue;
        }
        // tEXt holds Latin-1, iTXt any text (PNG specification, 11.3.3).
        let plain = text.chars().all(|c| u32::from(c) <= 0xff);
        let added = if plain {
            encoder.add_text_chunk((*keyword).to_owned(), text)
        } else {
            encoder.add_itxt_chunk((*keyword).to_owned(), text)
        };
        added.map_err(failed)?;
    }
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&rgb).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

fn rasterize(svg: &str, scale: f64) -> Result<Pixmap, RenderError> {
    let tree = parse(svg)?;
    let (across, down) = (tree.size().width(), tree.size().height());
    let side = |length: f32| (f64::from(length) * scale).round().max(1.0) as u32;
    let (width, height) = (side(across), side(down));
    check_size(width.into(), height.into())?;
    let mut pixels = Pixmap::new(width, height).ok_or(RenderError::Size {
        width: width.into(),
        height: height.into(),
        limit: LIMIT,
    })?;
    // Each side by its own factor, so that rounding leaves no half-covered pixels at the edges.
    let fit = Transform::from_scale(width as f32 / across, height as f32 / down);
    resvg::render(&tree, fit, &mut pixels.as_mut());
    Ok(pixels)
}

/// Path data of the texts of a numbered SVG, by number. A text that is not all shapes (emoji are pictures) is left out.
pub(super) fn outlines(svg: &str) -> Result<BTreeMap<usize, String>, RenderError> {
    let tree = parse(svg)?;
    let mut found = BTreeMap::new();
    let mut groups = vec![tree.root()];
    while let Some(group) = groups.pop() {
        for node in group.children() {
            match node {
                Node::Group(inner) => groups.push(inner),
                Node::Text(text) => {
                    let id = text.id().strip_prefix('t').and_then(|id| id.parse().ok());
                    let pictures = text.chunks().iter().any(|chunk| chunk.text().contains(EMOJI));
                    if let (Some(id), false, Some(data)) = (id, pictures, outline(text.flattened())) {
                        found.insert(id, data);
                    }
                }
                Node::Path(_) | Node::Image(_) => {}
            }
        }
    }
    Ok(found)
}

/// The shapes of a text as one path; None when it has none, or has pictures.
fn outline(group: &Group) -> Option<String> {
    let mut data = String::new();
    for node in group.children() {
        match node {
            Node::Group(inner) => data.push_str(&outline(inner)?),
            Node::Path(path) if path.fill().is_some() => {
                let shape = path.data().clone().transform(path.abs_transform())?;
                shape.segments().for_each(|segment| append(&mut data, segment));
            }
            Node::Path(_) => {}
            Node::Image(_) | Node::Text(_) => return None,
        }
    }
    (!data.is_empty()).then_some(data)
}

fn append(data: &mut String, segment: PathSegment) {
    let mut command = |letter: char, points: &[Point]| {
        data.push(letter);
        for (i, value) in points.iter().flat_map(|p| [p.x, p.y]).enumerate() {
            let hundredths = (f64::from(value) * super::svg::UNITS).round() as i64;
            if i == 0 { number(data, hundredths) } else { separate(data, hundredths) }
        }
    };
    match segment {
        PathSegment::MoveTo(p) => command('M', &[p]),
        PathSegment::LineTo(p) => command('L', &[p]),
        PathSegment::QuadTo(a, p) => command('Q', &[a, p]),
        PathSegment::CubicTo(a, b, p) => command('C', &[a, b, p]),
        PathSegment::Close => command('Z', &[]),
    }
}

fn parse(svg: &str) -> Result<Tree, RenderError> {
    static EMBEDDED: OnceLock<Options<'static>> = OnceLock::new();
    static SYSTEM: OnceLock<Options<'static>> = OnceLock::new();
    let options = if covers(svg) {
        EMBEDDED.get_or_init(|| options(embedded()))
    } else {
        SYSTEM.get_or_init(|| {
            let mut fonts = embedded();
            fonts.load_system_fonts();
            Options {
                font_resolver: FontResolver { select_fallback: fallback(), ..FontResolver::default() },
                ..options(fonts)
            }
        })
    };
    Tree::from_str(svg, options).map_err(|e| RenderError::Raster(e.to_string()))
}

/// True when the embedded font has every character.
fn covers(text: &str) -> bool {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    let face = FACE.get_or_init(|| Face::parse(REGULAR, 0).ok());
    let known = |c: char| c.is_ascii() || face.as_ref().is_some_and(|f| f.glyph_index(c).is_some());
    text.chars().all(known)
}

fn options(fonts: Database) -> Options<'static> {
    Options { font_family: "Inter".to_owned(), fontdb: Arc::new(fonts), ..Options::default() }
}

/// The embedded faces as one family; the semibold face calls itself a family of its own.
fn embedded() -> Database {
    let mut fonts = Database::new();
    for (data, weight) in [(REGULAR, Weight::NORMAL), (SEMIBOLD, Weight::SEMIBOLD)] {
        for id in fonts.load_font_source(Source::Binary(Arc::new(data))) {
            let Some(face) = fonts.face(id).cloned() else { continue };
            fonts.remove_face(id);
            let families = vec![("Inter".to_owned(), Language::English_UnitedStates)];
            fonts.push_face_info(FaceInfo { families, weight, ..face });
        }
    }
    for set in [Database::set_sans_serif_family, Database::set_serif_family] {
        set(&mut fonts, "Inter");
    }
    fonts
}

fn name_of(face: &FaceInfo) -> &str {
    face.families.first().map_or("", |(name, _)| name)
}

/// Chooses among the machine's fonts that have a character: upright sans serifs of the same weight first, then by name.
/// The order in which directories list fonts decides nothing.
fn fallback() -> FallbackSelectionFn<'static> {
    Box::new(|c: char, used: &[ID], fonts: &mut Arc<Database>| {
        let base = fonts.face(*used.first()?)?;
        let has = |face: &FaceInfo| {
            let has = |data: &[u8], index| Face::parse(data, index).is_ok_and(|f| f.glyph_index(c).is_some());
            fonts.with_face_data(face.id, has).unwrap_or(false)
        };
        let mut others: Vec<&FaceInfo> = fonts.faces().filter(|face| !used.contains(&face.id)).collect();
        others.sort_by_cached_key(|face| {
            let style = (face.style != base.style, face.stretch != base.stretch, face.monospaced);
            let like_ours = (!name_of(face).contains("Sans"), name_of(face).contains("Serif"));
            (
                style,
                like_ours,
                face.weight.0.abs_diff(base.weight.0),
                face.post_script_name.clone(),
                face.index,
            )
        });
        others.into_iter().find(|face| has(face)).map(|face| face.id)
    })
}
