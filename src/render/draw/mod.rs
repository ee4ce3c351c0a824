//! Turns a figure into plotters' areas, coordinates and elements.
//!
//! In: a figure. Out: the text of an SVG. The one user of plotters.

mod backend;
mod hatch;
mod shapes;

use super::clip::within;
use super::svg::{Head, Lettering, LongLine, Pen, UNITS, Writer, identifier};
use super::theme::{Colour, Theme, class, own_inks};
use super::{RenderError, embed, png};
use crate::chart::{Align, Axis, Figure, Ink, Panel, Placed, Role, Stroke};
use crate::model::decimal::rounded;
use backend::Canvas;
use plotters::coord::Shift;
use plotters::coord::cartesian::{Cartesian2d, MeshLine};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, ShapeStyle, TextStyle};
use plotters_backend::DrawingBackend;
use std::cell::RefCell;
use std::convert::Infallible;
use std::ops::Range;
use std::rc::Rc;

type Failure = DrawingAreaErrorKind<Infallible>;
type Plot<'a> = DrawingArea<Canvas, Cartesian2d<Scale<'a>, Scale<'a>>>;

impl From<Failure> for RenderError {
    fn from(failure: Failure) -> Self {
        RenderError::Draw(failure.to_string())
    }
}

/// Draws `figure`; `metadata` is what the document says about itself for programs.
pub(super) fn draw(
    figure: &Figure,
    theme: &Theme,
    lettering: Lettering,
    metadata: Option<&str>,
) -> Result<String, RenderError> {
    document(figure, theme, lettering, metadata, false).map(|(svg, _)| svg)
}

/// Draws `figure` for pixels: the long lines are no text, and something with their number stands in their places.
pub(super) fn draw_apart(figure: &Figure, theme: &Theme) -> Result<(String, Vec<LongLine>), RenderError> {
    document(figure, theme, Lettering::Plain, None, true)
}

fn document(
    figure: &Figure,
    theme: &Theme,
    lettering: Lettering,
    metadata: Option<&str>,
    apart: bool,
) -> Result<(String, Vec<LongLine>), RenderError> {
    let (width, height) = (figure.size.width, figure.size.height);
    png::check_size(width, height)?;
    for (index, panel) in figure.panels.iter().enumerate() {
        check(index, panel, (width, height))?;
    }
    let id = identifier(&figure.id);
    let mut css = theme.own_css(&id);
    css.push_str(&own_inks(figure, &id));
    if lettering == Lettering::Embed {
        css.insert_str(0, &embed::font_faces(&figure.texts));
    }
    let head = Head {
        id: &id,
        size: (width, height),
        title: &figure.title,
        description: &figure.alt,
        metadata: metadata.unwrap_or_default(),
        css: &css,
        family: figure.family.as_deref(),
    };
    let canvas = Canvas {
        writer: Writer::new(&head, lettering),
        size: (units(width).unsigned_abs(), units(height).unsigned_abs()),
    };
    let canvas = Rc::new(RefCell::new(canvas));
    let easel = Easel { root: DrawingArea::from(&canvas), canvas, theme, hatched: figure.hatched };
    if apart {
        easel.writer(Writer::keep_lines);
    }
    easel.background()?;
    for panel in &figure.panels {
        easel.panel(panel)?;
    }
    for stroke in &figure.strokes {
        easel.stroke(stroke, (width, height))?;
    }
    for text in &figure.texts {
        easel.text(text)?;
    }
    Ok(easel.writer(|writer| (writer.finish(), writer.take_lines())))
}

/// A length in hundredths of a pixel.
fn units(pixels: f64) -> i32 {
    nearest(pixels * UNITS)
}

/// The whole number next to a number, as far as there is one.
fn nearest(value: f64) -> i32 {
    rounded(value).clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

fn check(index: usize, panel: &Panel, (width, height): (f64, f64)) -> Result<(), RenderError> {
    let rect = &panel.rect;
    let inside = rect.x >= 0.0
        && rect.y >= 0.0
        && rect.width > 0.0
        && rect.height > 0.0
        && rect.right() <= width + 1.0
        && rect.bottom() <= height + 1.0;
    if !inside {
        return Err(RenderError::Area { panel: index });
    }
    for (name, axis) in [('x', &panel.x), ('y', &panel.y)] {
        // Positions of the ends tell a span that overflows and a log axis that starts at zero.
        let (first, last) = (axis.position(axis.min), axis.position(axis.max));
        let sound = axis.min.is_finite() && axis.max.is_finite() && axis.min < axis.max;
        if !sound || first != 0.0 || last != 1.0 {
            return Err(RenderError::Axis {
                panel: index,
                axis: name,
                min: axis.min,
                max: axis.max,
                scale: axis.scale,
            });
        }
    }
    Ok(())
}

/// An axis as plotters' coordinate.
#[derive(Debug, Clone, Copy)]
struct Scale<'a>(&'a Axis);

impl Ranged for Scale<'_> {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let length = f64::from(to) - f64::from(from);
        nearest(f64::from(from) + length * self.0.position(*value))
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let ticks = self.0.ticks.iter().filter(|tick| tick.grid && within(self.0, tick.at));
        ticks.map(|tick| tick.at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.0.min..self.0.max
    }
}

/// A canvas with what is needed to draw on it.
struct Easel<'a> {
    canvas: Rc<RefCell<Canvas>>,
    root: DrawingArea<Canvas, Shift>,
    theme: &'a Theme,
    /// True when bars and their keys are hatched.
    hatched: bool,
}

impl Easel<'_> {
    /// Does something to the document itself.
    fn writer<T>(&self, act: impl FnOnce(&mut Writer) -> T) -> T {
        act(&mut self.canvas.borrow_mut().writer)
    }

    fn pen(&self, pen: Pen) {
        self.writer(|writer| writer.pen = pen);
    }

    /// Runs `inside` within a group of that class.
    fn group(
        &self,
        class: &str,
        tip: &str,
        inside: impl FnOnce() -> Result<(), RenderError>,
    ) -> Result<(), RenderError> {
        self.writer(|writer| writer.open(class, tip));
        let result = inside();
        self.writer(Writer::close);
        result
    }

    fn ground(&self) -> Option<Colour> {
        Some(self.theme.colours.background)
    }

    fn background(&self) -> Result<(), RenderError> {
        // The style sheet has `pg-bg` after `pg-fill`, so the background wins over the ink.
        self.pen(Pen { class: "pg-bg".to_owned(), ..Pen::default() });
        self.root.fill(&rgb(self.theme.colours.background))?;
        Ok(())
    }

    fn panel(&self, panel: &Panel) -> Result<(), RenderError> {
        let rect = &panel.rect;
        let place = (units(rect.x), units(rect.y));
        let area = self.root.clone().shrink(place, (units(rect.width), units(rect.height)));
        // Not through ChartBuilder: it holds back one unit at the right and the lower edge.
        let (across, down) = area.get_pixel_range();
        let coordinates = Cartesian2d::new(Scale(&panel.x), Scale(&panel.y), (across, down.end..down.start));
        let plot = &area.apply_coord_spec(coordinates);
        self.group("pg-panel", "", || {
            self.grid(plot)?;
            panel
                .shapes
                .iter()
                .enumerate()
                .try_for_each(|(index, shape)| self.shape(plot, panel, shape, index > 0))
        })
    }

    fn grid(&self, plot: &Plot<'_>) -> Result<(), RenderError> {
        let style = line(self.theme.colours.grid, 1.0);
        self.group(&classes("pg-gridlines", Ink::Grid), "", || {
            self.pen(Pen::default());
            self.writer(Writer::join);
            plot.draw_mesh(
                |canvas, mesh| match mesh {
                    MeshLine::XMesh(from, to, _) | MeshLine::YMesh(from, to, _) => {
                        canvas.draw_path([from, to], &style)
                    }
                },
                usize::MAX,
                usize::MAX,
            )?;
            self.writer(Writer::part);
            Ok(())
        })
    }

    fn stroke(&self, stroke: &Stroke, (width, height): (f64, f64)) -> Result<(), RenderError> {
        let frame = [width, height].map(picture_axis);
        let window = super::clip::Window { x: &frame[0], y: &frame[1] };
        let style = line(self.theme.colours.of(stroke.ink), stroke.width);
        self.pen(Pen { class: class(stroke.ink).into_owned(), dash: dashes(&stroke.dash), ..Pen::default() });
        self.writer(Writer::join);
        for part in window.line(&stroke.points) {
            let points: Vec<(i32, i32)> = part.iter().map(|&(x, y)| (units(x), units(y))).collect();
            self.root.draw(&PathElement::new(points, style))?;
        }
        self.writer(Writer::part);
        // The key of a bar is a short, thick line.
        if let [(x0, y), (x1, _)] = stroke.points[..]
            && stroke.width >= hatch::KEY
        {
            let half = stroke.width / 2.0;
            self.hatch(stroke.ink, (units(x0), units(y - half)), (units(x1), units(y + half)));
        }
        Ok(())
    }

    fn text(&self, placed: &Placed) -> Result<(), RenderError> {
        let role = match placed.role {
            Role::Title => "pg-title",
            Role::Subtitle => "pg-subtitle",
            Role::Footer => "pg-footer",
            Role::Facet => "pg-facet",
            Role::Tick => "pg-tick",
            Role::Axis => "pg-axis-title",
            Role::Label => "pg-label",
            Role::Value => "pg-value",
            Role::Note => "pg-note",
        };
        self.pen(Pen {
            class: classes(role, placed.ink),
            ground: if placed.halo { self.ground() } else { None },
            tip: placed.full.clone().unwrap_or_default(),
            ..Pen::default()
        });
        let weight = if placed.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(FontFamily::Name("Inter"), placed.size * UNITS, weight);
        let align = match placed.align {
            Align::Start => HPos::Left,
            Align::Middle => HPos::Center,
            Align::End => HPos::Right,
        };
        let colour = rgb(self.theme.colours.of_text(placed.ink));
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(align, VPos::Bottom));
        let at = (units(placed.x), units(placed.y));
        self.root.draw(&Text::new(placed.text.as_str(), at, style))?;
        Ok(())
    }
}

/// The classes of something in an ink.
fn classes(what: &str, ink: Ink) -> String {
    format!("{what} {}", class(ink))
}

/// The picture's own width or height as an axis, for cutting.
fn picture_axis(length: f64) -> Axis {
    Axis {
        scale: crate::chart::AxisScale::Linear,
        min: 0.0,
        max: length,
        ticks: Vec::new(),
        title: String::new(),
    }
}

/// A dash pattern that a renderer cannot stumble over.
fn dashes(pattern: &[f64]) -> Vec<f64> {
    let sound = pattern.iter().all(|d| d.is_finite() && *d >= 0.0) && pattern.iter().sum::<f64>() > 0.1;
    if sound { pattern.to_vec() } else { Vec::new() }
}

fn rgb(colour: Colour) -> RGBColor {
    RGBColor(colour.r, colour.g, colour.b)
}

fn line(colour: Colour, width: f64) -> ShapeStyle {
    ShapeStyle { color: rgb(colour).to_rgba(), filled: false, stroke_width: units(width).unsigned_abs() }
}

fn area(colour: Colour, opacity: f64) -> ShapeStyle {
    ShapeStyle { color: rgb(colour).mix(opacity), filled: true, stroke_width: 0 }
}
