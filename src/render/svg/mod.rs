//! Writes SVG: elements with classes, short numbers, escaped texts.
//!
//! In: shapes in hundredths of a pixel. Out: the text of one SVG document.
//! Knows neither figures nor plotters.
//!
//! Every shape stands in a group `<g class="pg-WHAT pg-INK">`; inside it,
//! `pg-fill` and `pg-stroke` say what the ink colours, `pg-bg` (inside) and
//! `pg-halo` (edge) what has the background's colour. A style sheet recolours
//! a picture with these alone ([`super::Theme::css`]).

mod notation;

pub(super) use notation::{identifier, number, separate};

use super::theme::Colour;
use crate::chart::text::known_width;
use notation::{crisp, decimal, escape, escape_content, path_data, segments};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Units of a shape's coordinates per pixel: two decimals.
pub(super) const UNITS: f64 = 100.0;

/// A point in hundredths of a pixel.
pub(super) type Point = (i32, i32);

/// How texts are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lettering {
    /// As text.
    Plain,
    /// As text, and the font with it.
    Embed,
    /// As text with an id each (`t0`, `t1`, ...), for the search of outlines.
    Numbered,
    /// As shapes: path data by the text's number. A text without shapes stays text.
    Outline(BTreeMap<usize, String>),
}

/// What colours the inside or the edge of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Paint {
    /// Colour.
    pub(super) colour: Colour,
    /// 0 (invisible) to 1.
    pub(super) opacity: f64,
    /// Width of the edge in hundredths of a pixel; unused for insides.
    pub(super) width: u32,
}

/// What the next shapes have beyond their geometry and paint.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Pen {
    /// Further classes of the element.
    pub(super) class: String,
    /// Dash pattern in pixels; empty for a solid line.
    pub(super) dash: Vec<f64>,
    /// The background's colour for what needs it: halo beneath lines and texts, edge of a dot, inside of a ring.
    pub(super) ground: Option<Colour>,
    /// Text shown while the pointer rests on the element; empty for none.
    pub(super) tip: String,
}

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Anchor {
    /// The point, on the baseline.
    pub(super) at: Point,
    /// `start`, `middle` or `end`.
    pub(super) align: &'static str,
    /// Font size in hundredths of a pixel.
    pub(super) size: i32,
    /// True for semibold.
    pub(super) bold: bool,
}

/// Segments from which a line is long.
pub(super) const LONG: usize = 48;

/// What the id of the element that stands for a long line begins with; its number follows.
pub(super) const STAND_IN: &str = "line-";

/// A long line as points, for a drawing that needs no text of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LongLine {
    /// Points of each part.
    pub(super) parts: Vec<Vec<Point>>,
    /// What lies beneath it.
    pub(super) under: Option<Paint>,
    /// Its own colour.
    pub(super) paint: Paint,
    /// Dash pattern in pixels; empty for a solid line.
    pub(super) dash: Vec<f64>,
}

/// Several subpaths on their way into one element.
#[derive(Debug, Default)]
struct Joined {
    data: String,
    /// Lines that are not part of the data yet.
    lines: Vec<Vec<Point>>,
    stroke: Option<Paint>,
    fill: Option<Paint>,
}

/// The document so far.
#[derive(Debug)]
pub(super) struct Writer {
    out: String,
    /// What the next shapes have in common.
    pub(super) pen: Pen,
    lettering: Lettering,
    /// True where texts take the room that they were given in whatever font the reader has.
    fitted: bool,
    texts: usize,
    joined: Option<Joined>,
    /// The long lines, where they are kept as points.
    kept: Option<Vec<LongLine>>,
}

/// What the root element says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) id: &'a str,
    pub(super) size: (f64, f64),
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    /// What the document says about itself for programs; may be empty.
    pub(super) metadata: &'a str,
    /// Style sheet, already scoped to the id; may be empty.
    pub(super) css: &'a str,
    /// Families that come before those of [`FAMILIES`].
    pub(super) family: Option<&'a str>,
}

/// The embedded font first, then what systems call their interface font.
const FAMILIES: &str =
    "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// Families that stand for whatever the reader's system has of a kind.
const GENERIC: [&str; 5] = ["serif", "sans-serif", "monospace", "system-ui", "cursive"];

/// How far the halo goes beyond a line, both sides together, in hundredths of a pixel; less for thin lines.
const UNDERLAY: u32 = 235;

/// Characters that leave their room in no font.
const SHORT: usize = 1;

/// The room that a text was given, in hundredths of a pixel; None for short ones, and where the font of the layout
/// lacks a letter. Many readers have no Inter, and what stands in for it may be a sixth wider.
fn fitting(text: &str, anchor: &Anchor) -> Option<i32> {
    text.chars().nth(SHORT)?;
    known_width(text, f64::from(anchor.size), anchor.bold).map(|width| width.round() as i32)
}

const ROUND: &str = " stroke-linejoin=\"round\" stroke-linecap=\"round\"";

impl Writer {
    /// Opens a document.
    pub(super) fn new(head: &Head<'_>, lettering: Lettering) -> Writer {
        let Head { id, size: (width, height), .. } = *head;
        let (width, height) = (decimal(width), decimal(height));
        let mut families = String::new();
        // The embedded and the outlined font are what they are.
        if let (Some(own), Lettering::Plain) = (head.family, &lettering) {
            for name in own.split(',').map(|name| name.trim().trim_matches(['\'', '"'])) {
                // A name in quotes may hold digits and blanks; words of CSS lose their meaning in them.
                match GENERIC.contains(&name) {
                    true => families.push_str(name),
                    false => {
                        families.push('\'');
                        escape(&mut families, name);
                        families.push('\'');
                    }
                }
                families.push_str(", ");
            }
        }
        families.push_str(FAMILIES);
        let mut out = String::with_capacity(64 * 1024);
        push(
            &mut out,
            format_args!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{id}\" class=\"pg\" width=\"{width}\" \
                 height=\"{height}\" viewBox=\"0 0 {width} {height}\" style=\"max-width:100%;height:auto\" \
                 role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{families}\" \
                 text-rendering=\"geometricPrecision\">\n"
            ),
        );
        for (tag, suffix, text) in [("title", "title", head.title), ("desc", "desc", head.description)] {
            push(&mut out, format_args!("<{tag} id=\"{id}-{suffix}\">"));
            escape(&mut out, text);
            push(&mut out, format_args!("</{tag}>\n"));
        }
        if !head.metadata.is_empty() {
            out.push_str("<metadata>");
            escape_content(&mut out, head.metadata);
            out.push_str("</metadata>\n");
        }
        if !head.css.is_empty() {
            push(&mut out, format_args!("<style>{}</style>\n", head.css));
        }
        // The user's own font has widths of its own; the embedded one may be kept out by the page's rules.
        let fitted = match lettering {
            Lettering::Plain => head.family.is_none(),
            Lettering::Embed => true,
            Lettering::Numbered | Lettering::Outline(_) => false,
        };
        Writer { out, pen: Pen::default(), lettering, fitted, texts: 0, joined: None, kept: None }
    }

    /// From here on, the document has something in the place of each long line that is drawn in one, and the line is
    /// kept apart.
    pub(super) fn keep_lines(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// The lines that were kept, by the numbers of what stands in their places.
    pub(super) fn take_lines(&mut self) -> Vec<LongLine> {
        self.kept.take().unwrap_or_default()
    }

    /// Closes the document and hands it over.
    pub(super) fn finish(&mut self) -> String {
        self.out.push_str("</svg>\n");
        std::mem::take(&mut self.out)
    }

    /// Opens a group; `tip` is shown while the pointer rests on its shapes.
    pub(super) fn open(&mut self, class: &str, tip: &str) {
        push(&mut self.out, format_args!("<g class=\"{class}\">"));
        self.tip(tip);
        self.out.push('\n');
    }

    /// Closes the group opened last.
    pub(super) fn close(&mut self) {
        self.out.push_str("</g>\n");
    }

    /// From here on, paths and polygons become parts of one element.
    pub(super) fn join(&mut self) {
        self.joined = Some(Joined::default());
    }

    /// Writes what was joined.
    pub(super) fn part(&mut self) {
        let Some(Joined { mut data, lines, stroke, fill }) = self.joined.take() else { return };
        if let (Some(paint), None, true) =
            (stroke, fill, lines.iter().map(|part| segments(part)).sum::<usize>() >= LONG)
        {
            let (under, dash) = (self.under(paint), self.pen.dash.clone());
            if let Some(kept) = &mut self.kept {
                let number = kept.len();
                kept.push(LongLine { parts: lines, under, paint, dash });
                push(
                    &mut self.out,
                    format_args!("<path id=\"{STAND_IN}{number}\" d=\"M0 0h1\" stroke=\"#000\"/>\n"),
                );
                self.pen.tip.clear();
                return;
            }
        }
        lines.iter().for_each(|part| path_data(&mut data, part, false));
        if !data.is_empty() {
            self.path_element(&data, stroke, fill);
        }
    }

    /// What lies beneath a line: a wider one in the background's colour.
    fn under(&self, paint: Paint) -> Option<Paint> {
        let width = paint.width.saturating_add(UNDERLAY.min(paint.width));
        self.pen.ground.map(|colour| Paint { colour, opacity: 0.85, width })
    }

    /// An open path.
    pub(super) fn stroke(&mut self, points: &[Point], paint: Paint) {
        let points = crisp(points, paint.width);
        match &mut self.joined {
            Some(joined) => {
                match self.kept {
                    Some(_) => joined.lines.push(points.into_owned()),
                    None => path_data(&mut joined.data, &points, false),
                }
                joined.stroke = Some(paint);
            }
            None => {
                let mut data = String::new();
                path_data(&mut data, &points, false);
                self.path_element(&data, Some(paint), None);
            }
        }
    }

    /// A closed, filled path.
    pub(super) fn polygon(&mut self, points: &[Point], paint: Paint) {
        match &mut self.joined {
            Some(joined) => {
                path_data(&mut joined.data, points, true);
                joined.fill = Some(paint);
            }
            None => {
                let mut data = String::new();
                path_data(&mut data, points, true);
                self.path_element(&data, None, Some(paint));
            }
        }
    }

    /// A filled rectangle.
    pub(super) fn rect(&mut self, from: Point, to: Point, paint: Paint) {
        self.out.push_str("<rect");
        self.coordinates([
            ("x", from.0),
            ("y", from.1),
            ("width", to.0.saturating_sub(from.0)),
            ("height", to.1.saturating_sub(from.1)),
        ]);
        self.fill(paint);
        self.class("pg-fill");
        self.end_element("rect");
    }

    /// A dot: filled with an edge in the background's colour, or hollow.
    pub(super) fn circle(&mut self, centre: Point, radius: i32, paint: Paint, hollow: bool) {
        self.out.push_str("<circle");
        self.coordinates([("cx", centre.0), ("cy", centre.1), ("r", radius)]);
        let ground = self.pen.ground.map(|colour| Paint { colour, opacity: 1.0, width: 100 });
        if hollow {
            match ground {
                Some(ground) => self.fill(ground),
                None => self.out.push_str(" fill=\"none\""),
            }
            self.edge(paint);
            self.class("pg-bg pg-stroke");
        } else {
            self.fill(paint);
            if let Some(ground) = ground {
                self.edge(ground);
            }
            self.class("pg-fill pg-halo");
        }
        self.end_element("circle");
    }

    /// A text on one line.
    pub(super) fn text(&mut self, text: &str, anchor: Anchor, paint: Paint) {
        let number = self.texts;
        self.texts += 1;
        let outline = match &mut self.lettering {
            Lettering::Outline(outlines) => outlines.remove(&number),
            Lettering::Plain | Lettering::Embed | Lettering::Numbered => None,
        };
        // A title inside `text` would do in browsers; around it, it does everywhere.
        let wrapped = !self.pen.tip.is_empty();
        if wrapped {
            self.out.push_str("<g>");
            let tip = std::mem::take(&mut self.pen.tip);
            self.tip(&tip);
        }
        self.out.push_str(if outline.is_some() { "<path" } else { "<text" });
        if let Some(data) = &outline {
            push(&mut self.out, format_args!(" d=\"{data}\""));
        } else {
            self.coordinates([("x", anchor.at.0), ("y", anchor.at.1), ("font-size", anchor.size)]);
            if anchor.bold {
                self.out.push_str(" font-weight=\"600\"");
            }
            if let Some(width) = self.fitted.then(|| fitting(text, &anchor)).flatten() {
                self.coordinates([("textLength", width)]);
                self.out.push_str(" lengthAdjust=\"spacingAndGlyphs\"");
            }
            if anchor.align != "start" {
                push(&mut self.out, format_args!(" text-anchor=\"{}\"", anchor.align));
            }
            if self.lettering == Lettering::Numbered {
                push(&mut self.out, format_args!(" id=\"t{number}\""));
            }
        }
        self.fill(paint);
        if let Some(colour) = self.pen.ground {
            // Stroke first, fill over it (SVG 2, `paint-order`).
            push(
                &mut self.out,
                format_args!(
                    " stroke=\"{colour}\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\""
                ),
            );
            self.class("pg-text pg-fill pg-halo");
        } else {
            self.class("pg-text pg-fill");
        }
        if outline.is_some() {
            self.out.push_str("/>");
        } else {
            self.out.push('>');
            escape(&mut self.out, text);
            self.out.push_str("</text>");
        }
        self.out.push_str(if wrapped { "</g>\n" } else { "\n" });
    }

    fn path_element(&mut self, data: &str, stroke: Option<Paint>, fill: Option<Paint>) {
        if let Some(under) = stroke.and_then(|paint| self.under(paint)) {
            push(&mut self.out, format_args!("<path d=\"{data}\" fill=\"none\""));
            self.edge(under);
            self.out.push_str(ROUND);
            push(&mut self.out, format_args!(" class=\"pg-halo\"/>\n"));
        }
        push(&mut self.out, format_args!("<path d=\"{data}\""));
        match fill {
            Some(paint) => self.fill(paint),
            None => self.out.push_str(" fill=\"none\""),
        }
        if let Some(paint) = stroke {
            self.edge(paint);
            if self.pen.dash.is_empty() {
                self.out.push_str(ROUND);
            } else {
                // Round caps would fill the gaps.
                self.out.push_str(" stroke-linejoin=\"round\" stroke-dasharray=\"");
                for (i, length) in self.pen.dash.iter().enumerate() {
                    if i > 0 {
                        self.out.push(' ');
                    }
                    self.out.push_str(&decimal(*length));
                }
                self.out.push('"');
            }
        }
        self.class(if stroke.is_some() { "pg-stroke" } else { "pg-fill" });
        self.end_element("path");
    }

    fn coordinates<const N: usize>(&mut self, pairs: [(&str, i32); N]) {
        for (name, value) in pairs {
            push(&mut self.out, format_args!(" {name}=\""));
            number(&mut self.out, i64::from(value));
            self.out.push('"');
        }
    }

    fn fill(&mut self, paint: Paint) {
        push(&mut self.out, format_args!(" fill=\"{}\"", paint.colour));
        if paint.opacity < 1.0 {
            push(&mut self.out, format_args!(" fill-opacity=\"{}\"", decimal(paint.opacity)));
        }
    }

    fn edge(&mut self, paint: Paint) {
        push(&mut self.out, format_args!(" stroke=\"{}\" stroke-width=\"", paint.colour));
        number(&mut self.out, i64::from(paint.width));
        self.out.push('"');
        if paint.opacity < 1.0 {
            push(&mut self.out, format_args!(" stroke-opacity=\"{}\"", decimal(paint.opacity)));
        }
    }

    fn class(&mut self, class: &str) {
        let space = if self.pen.class.is_empty() { "" } else { " " };
        push(&mut self.out, format_args!(" class=\"{class}{space}{}\"", self.pen.class));
    }

    fn end_element(&mut self, tag: &str) {
        if self.pen.tip.is_empty() {
            self.out.push_str("/>\n");
        } else {
            self.out.push('>');
            let tip = std::mem::take(&mut self.pen.tip);
            self.tip(&tip);
            push(&mut self.out, format_args!("</{tag}>\n"));
        }
    }

    fn tip(&mut self, tip: &str) {
        if !tip.is_empty() {
            self.out.push_str("<title>");
            escape(&mut self.out, tip);
            self.out.push_str("</title>");
        }
    }
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(arguments);
}
