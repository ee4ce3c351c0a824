//! The part of the embedded font that a picture needs, as CSS.
//!
//! In: the texts of a figure. Out: `@font-face` rules with the used glyphs of
//! each weight. Kerning is left out, as it is where texts are measured.

use crate::chart::Placed;
use crate::chart::text::{REGULAR, SEMIBOLD};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use font_subset::{FontReader, ParseError};
use std::collections::BTreeSet;

/// Rules that hold what `texts` need of the font.
pub(super) fn font_faces(texts: &[Placed]) -> String {
    let rule = |bold: bool, weight: u16, font: &'static [u8]| {
        let used: BTreeSet<char> = texts
            .iter()
            .filter(|placed| placed.bold == bold)
            .flat_map(|placed| placed.text.chars())
            .collect();
        if used.is_empty() {
            return String::new();
        }
        // The whole font does as well, it is larger only.
        let part = subset(font, &used).unwrap_or_else(|_| font.to_vec());
        format!(
            "@font-face{{font-family:Inter;font-weight:{weight};\
             src:url(data:font/ttf;base64,{})format('truetype')}}",
            BASE64_STANDARD.encode(part)
        )
    };
    rule(false, 400, REGULAR) + &rule(true, 600, SEMIBOLD)
}

fn subset(font: &[u8], used: &BTreeSet<char>) -> Result<Vec<u8>, ParseError> {
    Ok(FontReader::new(font)?.read()?.subset(used)?.to_opentype())
}
