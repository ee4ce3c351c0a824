//! Widths of texts in the embedded font.

use std::sync::OnceLock;
use ttf_parser::Face;

/// The embedded font, regular weight (Inter, OFL).
pub const REGULAR: &[u8] = include_bytes!("../../assets/fonts/Inter-Regular.ttf");
/// The embedded font, semibold.
pub const SEMIBOLD: &[u8] = include_bytes!("../../assets/fonts/Inter-SemiBold.ttf");

/// The embedded font, parsed once; None never happens with the font that is there.
pub(crate) fn face(bold: bool) -> Option<&'static Face<'static>> {
    static FACES: OnceLock<[Option<Face<'static>>; 2]> = OnceLock::new();
    let faces = FACES.get_or_init(|| [Face::parse(REGULAR, 0).ok(), Face::parse(SEMIBOLD, 0).ok()]);
    faces[usize::from(bold)].as_ref()
}

/// Characters whose advances are looked up once: those of Latin-1, which nearly all texts consist of.
const USUAL: usize = 256;

/// The advance of a character, in ems.
fn advance(c: char, bold: bool) -> f64 {
    static USUALS: OnceLock<[[f64; USUAL]; 2]> = OnceLock::new();
    let look = |c: char, bold: bool| {
        let Some(face) = face(bold) else { return 0.6 };
        let advance = face.glyph_index(c).and_then(|glyph| face.glyph_hor_advance(glyph));
        advance.map_or(1.0, |advance| f64::from(advance) / f64::from(face.units_per_em()))
    };
    let usuals = USUALS.get_or_init(|| {
        let all = |bold| std::array::from_fn(|at| look(char::from(at as u8), bold));
        [all(false), all(true)]
    });
    usuals[usize::from(bold)].get(c as usize).copied().unwrap_or_else(|| look(c, bold))
}

/// Width of `text` at `size` pixels; characters that the font lacks count one em.
#[must_use]
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    text.chars().map(|c| advance(c, bold)).sum::<f64>() * size
}

/// [`width`], where the font has all of these characters: what the text is to take in any font.
pub(crate) fn known_width(text: &str, size: f64, bold: bool) -> Option<f64> {
    let has = |c: char| face(bold).is_some_and(|face| face.glyph_index(c).is_some());
    text.chars().all(|c| (' '..='~').contains(&c) || has(c)).then(|| width(text, size, bold))
}

/// `text` cut in its middle with an ellipsis so that it is at most `room` pixels wide; None when it fits as it is.
#[must_use]
pub fn elide(text: &str, size: f64, bold: bool, room: f64) -> Option<String> {
    if width(text, size, bold) <= room {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    for keep in (0..chars.len()).rev() {
        let (head, tail) = (keep.div_ceil(2), keep / 2);
        let cut: String =
            chars[..head].iter().chain(std::iter::once(&'…')).chain(&chars[chars.len() - tail..]).collect();
        if width(&cut, size, bold) <= room {
            return Some(cut);
        }
    }
    Some("…".to_owned())
}
