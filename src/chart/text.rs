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

/// Width of `text` at `size` pixels; characters that the font lacks count one em.
#[must_use]
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let Some(face) = face(bold) else {
        return text.chars().count() as f64 * size * 0.6;
    };
    let em = f64::from(face.units_per_em());
    let advance = |c: char| {
        face.glyph_index(c).and_then(|g| face.glyph_hor_advance(g)).map_or(1.0, |a| f64::from(a) / em)
    };
    text.chars().map(advance).sum::<f64>() * size
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
