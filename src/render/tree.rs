//! An SVG of ours as a tree whose texts are laid out.
//!
//! In: an SVG written by [`super::draw`]. Out: its tree, for pixels, letter
//! shapes and PDF. Uses the embedded fonts alone, so that the picture is the
//! same everywhere; only where a text has characters that these lack, the
//! machine's fonts help out. What no font has is shown as a box, never as a
//! blank, and [`missing`] names it.

use super::RenderError;
use crate::chart::Figure;
use crate::chart::text::{REGULAR, SEMIBOLD, face};
use resvg::usvg::fontdb::{Database, FaceInfo, ID, Language, Source, Weight};
use resvg::usvg::{FallbackSelectionFn, FontResolver, Options, Tree};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use ttf_parser::Face;

/// What stands for a character that no font here has; the embedded font has it.
pub(super) const BOX: char = '□';

/// The tree of `svg`.
pub(super) fn parse(svg: &str) -> Result<Tree, RenderError> {
    static EMBEDDED: OnceLock<Options<'static>> = OnceLock::new();
    let foreign: BTreeSet<char> = svg.chars().filter(|&c| !covers(c)).collect();
    let tree = if foreign.is_empty() {
        Tree::from_str(svg, EMBEDDED.get_or_init(|| options(embedded())))
    } else {
        let nowhere = unknown(foreign);
        let shown = |c: char| if nowhere.contains(&c) { BOX } else { c };
        Tree::from_str(&svg.chars().map(shown).collect::<String>(), system())
    };
    tree.map_err(|e| RenderError::Raster(e.to_string()))
}

/// The embedded fonts and the machine's.
fn system() -> &'static Options<'static> {
    static SYSTEM: OnceLock<Options<'static>> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        let mut fonts = embedded();
        fonts.load_system_fonts();
        Options {
            font_resolver: FontResolver { select_fallback: fallback(), ..FontResolver::default() },
            ..options(fonts)
        }
    })
}

/// True when the embedded font has the character.
fn covers(c: char) -> bool {
    c.is_ascii() || face(false).is_some_and(|f| f.glyph_index(c).is_some())
}

/// True for the faces that are embedded, not the machine's.
pub(super) fn is_ours(face: &FaceInfo) -> bool {
    matches!(face.source, Source::Binary(_))
}

/// Characters in the texts of `figure` that no font here has a shape for.
///
/// A PNG and a PDF show a box for each of them; an SVG leaves them to the
/// fonts of its reader. Emoji count as missing where the machine has them as
/// pixels only.
#[must_use]
pub fn missing(figure: &Figure) -> BTreeSet<char> {
    let texts = figure.texts.iter().flat_map(|placed| placed.text.chars());
    unknown(texts.filter(|&c| !covers(c)).collect())
}

/// Those of the characters that are meant to be seen and that no font here has.
fn unknown(mut foreign: BTreeSet<char>) -> BTreeSet<char> {
    foreign.retain(|&c| !c.is_control() && !is_blank(c));
    if !foreign.is_empty() {
        let fonts = &system().fontdb;
        foreign.retain(|&c| !fonts.faces().any(|face| has(fonts, face, c)));
    }
    foreign
}

/// True when the face has something to draw for the character.
fn has(fonts: &Database, face: &FaceInfo, c: char) -> bool {
    let has = |data: &[u8], index| {
        let Ok(face) = Face::parse(data, index) else { return false };
        // Fonts that hold a glyph as pixels only have no box for it, and here it would stay blank.
        face.glyph_index(c)
            .is_some_and(|g| is_blank(c) || face.glyph_bounding_box(g).is_some() || face.is_color_glyph(g))
    };
    fonts.with_face_data(face.id, has).unwrap_or(false)
}

/// True for characters that are not meant to be seen: spaces, joiners, marks of direction, variation selectors.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
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
        others.into_iter().find(|face| has(fonts, face, c)).map(|face| face.id)
    })
}
