//! PDF from an SVG of ours. The one user of pdf-writer and subsetter.
//!
//! In: an SVG written by [`super::draw`]. Out: one page of PDF 1.7, as large as
//! the picture at 96 pixels to the inch. Texts stay texts, with the used
//! glyphs of the embedded font; one with characters of another font becomes
//! shapes. No date and no id, so the same picture gives the same bytes.

mod fonts;

use super::tree::{is_ours, parse};
use super::{About, RenderError};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use fonts::Fonts;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use resvg::usvg::tiny_skia_path::{PathSegment, Point};
use resvg::usvg::{Group, LineCap, LineJoin, Node, Paint, PaintOrder, Path, Stroke, Text, Transform};
use std::collections::BTreeMap;
use std::io::Write;

/// Points of PDF (72 to the inch) per pixel of CSS (96 to the inch).
const POINTS: f32 = 0.75;

/// Objects of the file with a fixed number; fonts and graphics states come behind them.
const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const INFO: Ref = Ref::new(5);
const ATTACHMENT: Ref = Ref::new(6);
const ATTACHED: Ref = Ref::new(7);
const FIRST_FREE: i32 = 8;

/// The name under which what a picture says about itself is attached.
const FILE: &str = "plotgen.json";

/// The PDF of `svg`.
pub(super) fn encode(svg: &str, about: &About<'_>) -> Result<Vec<u8>, RenderError> {
    let tree = parse(svg)?;
    let (width, height) = (tree.size().width() * POINTS, tree.size().height() * POINTS);
    let mut sheet = Sheet { content: Content::new(), fonts: Fonts::default(), states: BTreeMap::new() };
    // PDF counts from the bottom, SVG from the top.
    sheet.content.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, height]);
    sheet.group(tree.root(), &tree);
    let Sheet { content, fonts, states } = sheet;

    let mut next = FIRST_FREE;
    let mut free = || {
        next += 1;
        Ref::new(next - 1)
    };
    let mut pdf = Pdf::new();
    let mut catalog = pdf.catalog(CATALOG);
    catalog.pages(PAGES);
    catalog.viewer_preferences().display_doc_title(true);
    if about.metadata.is_some() {
        let mut names = catalog.names();
        names.embedded_files().names().insert(Str(FILE.as_bytes()), ATTACHMENT);
    }
    catalog.finish();
    pdf.document_info(INFO)
        .title(TextStr(about.title))
        .subject(TextStr(about.description))
        .producer(TextStr(super::SOFTWARE));
    pdf.pages(PAGES).kids([PAGE]).count(1);

    let font_refs: Vec<(String, Ref)> = fonts.names().map(|name| (name, free())).collect();
    let mut page = pdf.page(PAGE);
    page.parent(PAGES).media_box(Rect::new(0.0, 0.0, width, height)).contents(CONTENT);
    let mut resources = page.resources();
    let mut named = resources.fonts();
    for (name, at) in &font_refs {
        named.pair(Name(name.as_bytes()), at);
    }
    named.finish();
    let mut named = resources.ext_g_states();
    for (&(fill, stroke), number) in &states {
        let mut state = named
            .insert(Name(state_name(*number).as_bytes()))
            .start::<pdf_writer::writers::ExtGraphicsState<'_>>();
        state.non_stroking_alpha(f32::from(fill) / 1000.0).stroking_alpha(f32::from(stroke) / 1000.0);
    }
    named.finish();
    resources.finish();
    page.finish();

    pdf.stream(CONTENT, &deflated(&content.finish())?).filter(Filter::FlateDecode);
    for (font, (_, at)) in fonts.into_used().into_iter().zip(font_refs) {
        font.write(&mut pdf, at, &mut free)?;
    }
    if let Some(text) = about.metadata {
        // Not compressed, so that it is found without a reader of PDF.
        pdf.embedded_file(ATTACHED, text.as_bytes()).subtype(Name(b"application/json"));
        let mut file = pdf.file_spec(ATTACHMENT);
        file.path(Str(FILE.as_bytes())).unic_file(TextStr(FILE));
        file.embedded_file_with_unicode(ATTACHED);
    }
    Ok(pdf.finish())
}

/// Zlib at its usual level.
fn deflated(bytes: &[u8]) -> Result<Vec<u8>, RenderError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|e| RenderError::Encode(e.to_string()))
}

fn state_name(number: usize) -> String {
    format!("G{number}")
}

/// The page so far.
struct Sheet {
    content: Content,
    fonts: Fonts,
    /// Numbers of graphics states by the opacity of fill and stroke, in thousandths.
    states: BTreeMap<(u16, u16), usize>,
}

/// What of a path is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Fill,
    Stroke,
    Both,
}

impl Sheet {
    fn group(&mut self, group: &Group, tree: &resvg::usvg::Tree) {
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner, tree),
                Node::Path(path) => self.path(path),
                Node::Text(text) => self.text(text, tree),
                Node::Image(_) => {}
            }
        }
    }

    fn path(&mut self, path: &Path) {
        match (path.fill().is_some(), path.stroke().is_some(), path.paint_order()) {
            (true, true, PaintOrder::FillAndStroke) => self.part(path, Part::Both),
            (true, true, PaintOrder::StrokeAndFill) => {
                self.part(path, Part::Stroke);
                self.part(path, Part::Fill);
            }
            (true, false, _) => self.part(path, Part::Fill),
            (false, true, _) => self.part(path, Part::Stroke),
            (false, false, _) => {}
        }
    }

    fn part(&mut self, path: &Path, part: Part) {
        let fill = path.fill().filter(|_| part != Part::Stroke);
        let stroke = path.stroke().filter(|_| part != Part::Fill);
        self.content.save_state();
        self.opacity(fill.map(|f| f.opacity().get()), stroke.map(|s| s.opacity().get()));
        if let Some(fill) = fill {
            self.fill_colour(fill.paint());
        }
        if let Some(stroke) = stroke {
            self.stroke_style(stroke);
        }
        self.outline(path);
        match part {
            Part::Fill => self.content.fill_nonzero(),
            Part::Stroke => self.content.stroke(),
            Part::Both => self.content.fill_nonzero_and_stroke(),
        };
        self.content.restore_state();
    }

    /// Opacities of what comes next, where they are not full.
    fn opacity(&mut self, fill: Option<f32>, stroke: Option<f32>) {
        let thousandths = |part: Option<f32>| (part.unwrap_or(1.0) * 1000.0).round() as u16;
        let wanted = (thousandths(fill), thousandths(stroke));
        if wanted == (1000, 1000) {
            return;
        }
        let next = self.states.len();
        let number = *self.states.entry(wanted).or_insert(next);
        self.content.set_parameters(Name(state_name(number).as_bytes()));
    }

    fn fill_colour(&mut self, paint: &Paint) {
        let [r, g, b] = channels(paint);
        self.content.set_fill_rgb(r, g, b);
    }

    fn stroke_style(&mut self, stroke: &Stroke) {
        let [r, g, b] = channels(stroke.paint());
        self.content.set_stroke_rgb(r, g, b).set_line_width(stroke.width().get());
        self.content.set_line_cap(match stroke.linecap() {
            LineCap::Butt => LineCapStyle::ButtCap,
            LineCap::Round => LineCapStyle::RoundCap,
            LineCap::Square => LineCapStyle::ProjectingSquareCap,
        });
        self.content.set_line_join(match stroke.linejoin() {
            LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
            LineJoin::Round => LineJoinStyle::RoundJoin,
            LineJoin::Bevel => LineJoinStyle::BevelJoin,
        });
        if let Some(dashes) = stroke.dasharray() {
            self.content.set_dash_pattern(dashes.iter().copied(), stroke.dashoffset());
        }
    }

    fn outline(&mut self, path: &Path) {
        let Some(data) = path.data().clone().transform(path.abs_transform()) else { return };
        let mut at = Point::zero();
        for segment in data.segments() {
            match segment {
                PathSegment::MoveTo(p) => {
                    self.content.move_to(p.x, p.y);
                    at = p;
                }
                PathSegment::LineTo(p) => {
                    self.content.line_to(p.x, p.y);
                    at = p;
                }
                PathSegment::QuadTo(c, p) => {
                    // PDF has cubic curves only.
                    let toward = |a: f32, b: f32| a + (b - a) * 2.0 / 3.0;
                    self.content.cubic_to(
                        toward(at.x, c.x),
                        toward(at.y, c.y),
                        toward(p.x, c.x),
                        toward(p.y, c.y),
                        p.x,
                        p.y,
                    );
                    at = p;
                }
                PathSegment::CubicTo(c, d, p) => {
                    self.content.cubic_to(c.x, c.y, d.x, d.y, p.x, p.y);
                    at = p;
                }
                PathSegment::Close => {
                    self.content.close_path();
                }
            }
        }
    }

    fn text(&mut self, text: &Text, tree: &resvg::usvg::Tree) {
        let mut glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
        if !glyphs.all(|glyph| tree.fontdb().face(glyph.font).is_some_and(is_ours)) {
            return self.group(text.flattened(), tree);
        }
        // The halo as shapes, so that the text itself is there once.
        self.halo(text.flattened());
        for span in text.layouted() {
            let Some(fill) = &span.fill else { continue };
            self.content.save_state();
            self.opacity(Some(fill.opacity().get()), None);
            self.fill_colour(fill.paint());
            self.content.begin_text();
            let places = span.positioned_glyphs.iter().map(|glyph| {
                let place: Transform = text.abs_transform().pre_concat(glyph.transform());
                (glyph, (place.tx, place.ty))
            });
            self.fonts.show(&mut self.content, places, span.font_size.get(), tree.fontdb());
            self.content.end_text();
            self.content.restore_state();
        }
    }

    fn halo(&mut self, letters: &Group) {
        for node in letters.children() {
            match node {
                Node::Group(inner) => self.halo(inner),
                Node::Path(path) if path.stroke().is_some() => self.part(path, Part::Stroke),
                Node::Path(_) | Node::Image(_) | Node::Text(_) => {}
            }
        }
    }
}

/// Red, green and blue from 0 to 1; our pictures have no gradients and patterns.
fn channels(paint: &Paint) -> [f32; 3] {
    match paint {
        Paint::Color(colour) => [colour.red, colour.green, colour.blue].map(|c| f32::from(c) / 255.0),
        Paint::LinearGradient(_) | Paint::RadialGradient(_) | Paint::Pattern(_) => [0.5; 3],
    }
}
