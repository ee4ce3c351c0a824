//! The embedded font's glyphs in a PDF: which are used, how they are shown, and their font files.

use super::deflated;
use crate::chart::text::{REGULAR, SEMIBOLD, face};
use crate::render::RenderError;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};
use resvg::usvg::fontdb::{Database, Weight};
use resvg::usvg::layout::PositionedGlyph;
use std::collections::BTreeMap;
use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};

const SYSTEM: SystemInfo<'_> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Both weights, with what was used of them.
#[derive(Default)]
pub(super) struct Fonts {
    regular: Used,
    semibold: Used,
}

/// The glyphs of a weight that were used: their new numbers and the text of each.
#[derive(Default)]
struct Used {
    glyphs: GlyphRemapper,
    texts: BTreeMap<u16, (u16, String)>,
}

/// A weight of which something was used.
pub(super) struct Font {
    name: &'static str,
    data: &'static [u8],
    used: Used,
}

impl Fonts {
    /// Shows glyphs at their places.
    pub(super) fn show<'a>(
        &mut self,
        content: &mut Content,
        glyphs: impl Iterator<Item = (&'a PositionedGlyph, (f32, f32))>,
        size: f32,
        faces: &Database,
    ) {
        let mut run: Option<Run> = None;
        for (glyph, (x, y)) in glyphs {
            let bold = faces.face(glyph.font).is_some_and(|face| face.weight != Weight::NORMAL);
            let used = if bold { &mut self.semibold } else { &mut self.regular };
            // Glyphs of the font files that PDF takes are counted in 16 bits.
            let Ok(old) = u16::try_from(glyph.id.0) else { continue };
            let new = used.glyphs.remap(old);
            used.texts.entry(new).or_insert_with(|| (old, glyph.text.clone()));
            // A glyph of another weight or line starts over.
            if run.as_ref().is_some_and(|run| run.bold != bold || (run.y - y).abs() > 0.01)
                && let Some(run) = run.take()
            {
                run.write(content, size);
            }
            let run = run.get_or_insert_with(|| Run { bold, x, y, glyphs: Vec::new() });
            run.glyphs.push((new, x, advance(bold, old) * size));
        }
        if let Some(run) = run {
            run.write(content, size);
        }
    }

    /// Names of the fonts that were used, in the order of [`Fonts::into_used`].
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let used = |used: &Used, bold: bool| (!used.texts.is_empty()).then(|| name(bold).to_owned());
        [used(&self.regular, false), used(&self.semibold, true)].into_iter().flatten()
    }

    /// The fonts that were used.
    pub(super) fn into_used(self) -> Vec<Font> {
        let fonts = [
            Font { name: "PLTGEN+Inter-Regular", data: REGULAR, used: self.regular },
            Font { name: "PLTGEN+Inter-SemiBold", data: SEMIBOLD, used: self.semibold },
        ];
        fonts.into_iter().filter(|font| !font.used.texts.is_empty()).collect()
    }
}

fn name(bold: bool) -> &'static str {
    if bold { "F1" } else { "F0" }
}

/// The advance of a glyph in ems.
fn advance(bold: bool, glyph: u16) -> f32 {
    face(bold).map_or(0.0, |face| ems(face, glyph))
}

fn ems(face: &Face<'_>, glyph: u16) -> f32 {
    let advance = face.glyph_hor_advance(GlyphId(glyph)).unwrap_or_default();
    f32::from(advance) / f32::from(face.units_per_em())
}

/// Glyphs of one weight on one line.
struct Run {
    bold: bool,
    x: f32,
    y: f32,
    /// Number in the PDF's font, place and advance of each.
    glyphs: Vec<(u16, f32, f32)>,
}

impl Run {
    fn write(self, content: &mut Content, size: f32) {
        content.set_font(Name(name(self.bold).as_bytes()), size);
        // The page is upside down; texts stand upright.
        content.set_text_matrix([1.0, 0.0, 0.0, -1.0, self.x, self.y]);
        let mut line = content.show_positioned();
        let mut items = line.items();
        let mut bytes = Vec::new();
        let mut expected = self.x;
        for (glyph, x, advance) in self.glyphs {
            // Kerning, in thousandths of the size, to the left.
            let shift = (expected - x) / size * 1000.0;
            if shift.abs() > 0.5 {
                items.show(Str(&bytes)).adjust(shift);
                bytes.clear();
            }
            bytes.extend(glyph.to_be_bytes());
            expected = x + advance;
        }
        items.show(Str(&bytes));
    }
}

impl Font {
    /// Writes the font as a composite font of the used glyphs (ISO 32000-1, 9.7).
    pub(super) fn write(
        self,
        pdf: &mut Pdf,
        at: Ref,
        free: &mut impl FnMut() -> Ref,
    ) -> Result<(), RenderError> {
        let failed = |e: String| RenderError::Encode(e);
        let face = Face::parse(self.data, 0).map_err(|e| failed(e.to_string()))?;
        let subset = subsetter::subset(self.data, 0, &self.used.glyphs).map_err(|e| failed(e.to_string()))?;
        let (cid, descriptor, to_unicode, file) = (free(), free(), free(), free());
        let name = Name(self.name.as_bytes());

        pdf.type0_font(at)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid)
            .to_unicode(to_unicode);

        let mut font = pdf.cid_font(cid);
        font.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM).font_descriptor(descriptor);
        font.default_width(0.0).cid_to_gid_map_predefined(Name(b"Identity"));
        let mut widths = font.widths();
        for (&new, &(old, _)) in &self.used.texts {
            widths.same(new, new, ems(&face, old) * 1000.0);
        }
        widths.finish();
        font.finish();

        let scaled = |units: i16| f32::from(units) * 1000.0 / f32::from(face.units_per_em());
        let frame = face.global_bounding_box();
        pdf.font_descriptor(descriptor)
            .name(name)
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(
                scaled(frame.x_min),
                scaled(frame.y_min),
                scaled(frame.x_max),
                scaled(frame.y_max),
            ))
            .italic_angle(0.0)
            .ascent(scaled(face.ascender()))
            .descent(scaled(face.descender()))
            .cap_height(scaled(face.capital_height().unwrap_or(face.ascender())))
            // No font says how thick its stems are; readers use it for substitutes only.
            .stem_v(80.0)
            .font_file2(file);

        let mut cmap = UnicodeCmap::new(Name(b"plotgen"), SYSTEM);
        for (&new, (_, text)) in &self.used.texts {
            if !text.is_empty() {
                cmap.pair_with_multiple(new, text.chars());
            }
        }
        let cmap = cmap.finish();
        pdf.cmap(to_unicode, cmap.as_slice()).name(Name(b"plotgen")).system_info(SYSTEM);
        pdf.stream(file, &deflated(&subset)?)
            .filter(Filter::FlateDecode)
            .pair(Name(b"Length1"), subset.len() as i32);
        Ok(())
    }
}
