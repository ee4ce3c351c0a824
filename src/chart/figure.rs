//! A complete picture as data: what a renderer needs and nothing else.

use crate::model::decimal;
use crate::model::unit::{group_thousands, significant};
use crate::spec::Size;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// A picture, ready to be drawn.
///
/// Panels hold shapes in axis units (display units, not base units); texts and
/// strokes are placed in pixels of [`Figure::size`], y downward. Nothing is
/// left for a renderer to decide but colours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Slug; prefix of every id in the SVG.
    pub id: String,
    /// Picture size in pixels.
    pub size: Size,
    /// What is compared, or the finding.
    pub title: String,
    /// Measure, unit, workload facts.
    pub subtitle: String,
    /// Source, tool version and date, from the data.
    pub footer: String,
    /// A sentence or two for those who cannot see the picture.
    pub alt: String,
    /// Plots, left to right and top to bottom.
    pub panels: Vec<Panel>,
    /// Every text of the picture: title, ticks, labels, legend.
    pub texts: Vec<Placed>,
    /// Lines outside the panels' data: leaders, legend keys, axis lines, ticks.
    pub strokes: Vec<Stroke>,
    /// True when bars of several colours are told apart by a hatch as well, since a legend alone names them.
    pub hatched: bool,
    /// What was left out, cut or pooled, in sentences.
    pub notes: Vec<String>,
    /// The numbers behind the picture.
    pub table: Table,
    /// Indices into the campaign's runs that the picture shows.
    pub runs: Vec<usize>,
    /// Families for plain text, as CSS lists them; the embedded font and what systems have when None.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
}

/// A plot area with its axes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Panel {
    /// Facet value; empty without facets.
    pub title: String,
    /// Plot area in pixels.
    pub rect: Rect,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Shapes, back to front, in axis units.
    pub shapes: Vec<Shape>,
}

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// Right edge.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Bottom edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// True when the two share an area.
    #[must_use]
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// An axis: its scale and its ticks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// How values map to length.
    pub scale: AxisScale,
    /// First value of the axis, in axis units.
    pub min: f64,
    /// Last value.
    pub max: f64,
    /// Ticks with their labels; grid lines stand at those with `grid`.
    pub ticks: Vec<Tick>,
    /// What the axis shows, with its unit.
    pub title: String,
}

impl Axis {
    /// Where `value` lies between the ends of the axis: 0 at `min`, 1 at `max`; not clamped.
    #[must_use]
    pub fn position(&self, value: f64) -> f64 {
        match self.scale {
            AxisScale::Linear => (value - self.min) / (self.max - self.min),
            AxisScale::Log => (value / self.min).ln() / (self.max / self.min).ln(),
        }
    }
}

/// How an axis maps values to length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AxisScale {
    /// Equal steps for equal differences. Categories lie at 0, 1, 2, ... on it.
    Linear,
    /// Equal steps for equal ratios.
    Log,
}

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tick {
    /// Place in axis units.
    pub at: f64,
    /// Label; the text itself is among the figure's texts.
    pub label: String,
    /// True when a grid line stands here.
    pub grid: bool,
}

/// What colour something has; a theme turns it into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ink {
    /// Titles.
    Text,
    /// Subtitles, tick labels, notes.
    Muted,
    /// Grid lines.
    Grid,
    /// Axis lines and ticks.
    Axis,
    /// References such as a latency limit.
    Warn,
    /// Colour of a series: a slot of the palette, 0..=6 (chart() wraps larger numbers).
    Series(u8),
    /// What is there for context only.
    Context,
    /// A step of the colour ramp of cells, 0 (little) to [`RAMP`] - 1 (much).
    Ramp(u8),
    /// Text on that step of the ramp.
    OnRamp(u8),
    /// Shadow on the sides of solid bars.
    Shade,
    /// A colour of the user's, red, green and blue; the same in every theme.
    Own([u8; 3]),
}

/// Steps of the colour ramp.
pub const RAMP: u8 = 12;

/// Half the width and the height of the mark of a cut value, pixels.
pub(crate) const CUT: (f64, f64) = (4.0, 6.0);

/// A shape of a panel, in axis units.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A line; parts are separate where the data has gaps. A part of one point is drawn as a dot.
    Line {
        /// Points of each part.
        parts: Vec<Vec<(f64, f64)>>,
        /// Colour.
        ink: Ink,
        /// Dash pattern in pixels, empty for a solid line.
        dash: Vec<f64>,
        /// Width in pixels.
        width: f64,
        /// Name for the tooltip (`title` element).
        name: String,
    },
    /// The area between two lines over the same x.
    Band {
        /// (x, low, high) of each part.
        parts: Vec<Vec<(f64, f64, f64)>>,
        /// Colour; drawn translucent.
        ink: Ink,
    },
    /// A filled area between two lines over the same x, with its name.
    Area {
        /// (x, low, high) of each part.
        parts: Vec<Vec<(f64, f64, f64)>>,
        /// Colour.
        ink: Ink,
        /// Name for the tooltip.
        name: String,
    },
    /// A bar from `y0` to `y1`.
    Bar {
        /// Left edge.
        x0: f64,
        /// Right edge.
        x1: f64,
        /// Base.
        y0: f64,
        /// Top.
        y1: f64,
        /// Colour.
        ink: Ink,
        /// Tooltip: series, value with unit, n.
        name: String,
    },
    /// Dots.
    Dots {
        /// Centres.
        at: Vec<(f64, f64)>,
        /// Radius in pixels.
        radius: f64,
        /// Colour.
        ink: Ink,
        /// True for a hollow dot (a single repeat over its bar).
        hollow: bool,
        /// Tooltip.
        name: String,
    },
    /// An interval: a vertical line with caps.
    Interval {
        /// Place.
        x: f64,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Half the cap's width in pixels.
        cap: f64,
        /// Colour.
        ink: Ink,
    },
    /// A horizontal rule across the panel.
    Rule {
        /// Place on the y axis.
        y: f64,
        /// Colour.
        ink: Ink,
        /// Dash pattern in pixels.
        dash: Vec<f64>,
    },
    /// A vertical rule from the bottom to the top of the panel.
    Mark {
        /// Place on the x axis.
        x: f64,
        /// Colour.
        ink: Ink,
        /// Dash pattern in pixels.
        dash: Vec<f64>,
    },
    /// Filled polygons: cells of one colour, or a face of a solid bar.
    Fill {
        /// Corners of each polygon.
        faces: Vec<Vec<(f64, f64)>>,
        /// Colour.
        ink: Ink,
        /// 0 (invisible) to 1.
        opacity: f64,
        /// Tooltip; empty for none.
        name: String,
    },
    /// A mark at the upper edge where values were cut.
    Cut {
        /// Places on the x axis.
        at: Vec<f64>,
        /// Colour.
        ink: Ink,
    },
}

impl Figure {
    /// The same picture `k` times as large, letters and lines too.
    pub(super) fn scaled(mut self, k: f64) -> Figure {
        self.size = Size { width: self.size.width * k, height: self.size.height * k };
        for panel in &mut self.panels {
            let Rect { x, y, width, height } = panel.rect;
            panel.rect = Rect { x: x * k, y: y * k, width: width * k, height: height * k };
            panel.shapes.iter_mut().for_each(|shape| shape.scale(k));
        }
        for text in &mut self.texts {
            (text.x, text.y, text.size) = (text.x * k, text.y * k, text.size * k);
        }
        for stroke in &mut self.strokes {
            stroke.points.iter_mut().for_each(|point| *point = (point.0 * k, point.1 * k));
            stroke.width *= k;
            stroke.dash.iter_mut().for_each(|part| *part *= k);
        }
        self
    }
}

impl Shape {
    /// Makes what is in pixels `k` times as large.
    fn scale(&mut self, k: f64) {
        let longer = |dash: &mut Vec<f64>| dash.iter_mut().for_each(|part| *part *= k);
        match self {
            Shape::Line { width, dash, .. } => {
                *width *= k;
                longer(dash);
            }
            Shape::Dots { radius, .. } => *radius *= k,
            Shape::Interval { cap, .. } => *cap *= k,
            Shape::Rule { dash, .. } | Shape::Mark { dash, .. } => longer(dash),
            Shape::Band { .. }
            | Shape::Area { .. }
            | Shape::Bar { .. }
            | Shape::Fill { .. }
            | Shape::Cut { .. } => {}
        }
    }

    /// The colour of a shape.
    #[must_use]
    pub fn ink(&self) -> Ink {
        match self {
            Shape::Line { ink, .. }
            | Shape::Band { ink, .. }
            | Shape::Area { ink, .. }
            | Shape::Bar { ink, .. }
            | Shape::Dots { ink, .. }
            | Shape::Interval { ink, .. }
            | Shape::Rule { ink, .. }
            | Shape::Mark { ink, .. }
            | Shape::Fill { ink, .. }
            | Shape::Cut { ink, .. } => *ink,
        }
    }
}

/// What a text is, for style sheets and layout tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Title of the figure.
    Title,
    /// Subtitle.
    Subtitle,
    /// Footer.
    Footer,
    /// Title of a panel.
    Facet,
    /// Label of a tick.
    Tick,
    /// Title of an axis.
    Axis,
    /// Name of a series, at its line or in the legend.
    Label,
    /// A figure: at a line's end, on a bar.
    Value,
    /// Name of a reference, remark in the plot.
    Note,
}

/// Which point of a text `x` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Align {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A text with its place in pixels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Placed {
    /// The text, elided when it did not fit.
    pub text: String,
    /// The whole text where `text` is elided.
    pub full: Option<String>,
    /// Horizontal anchor.
    pub x: f64,
    /// Baseline.
    pub y: f64,
    /// Font size in pixels.
    pub size: f64,
    /// True for semibold.
    pub bold: bool,
    /// Which point `x` is.
    pub align: Align,
    /// Colour.
    pub ink: Ink,
    /// What it is.
    pub role: Role,
    /// True when a halo in the background's colour keeps it readable over lines.
    pub halo: bool,
}

impl Placed {
    /// The box that the text fills: from the font's widths, cap height and descent.
    #[must_use]
    pub fn bounds(&self) -> Rect {
        let width = crate::chart::text::width(&self.text, self.size, self.bold);
        let x = match self.align {
            Align::Start => self.x,
            Align::Middle => self.x - width / 2.0,
            Align::End => self.x - width,
        };
        Rect { x, y: self.y - 0.74 * self.size, width, height: 0.95 * self.size }
    }
}

/// A line in pixels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stroke {
    /// Points.
    pub points: Vec<(f64, f64)>,
    /// Colour.
    pub ink: Ink,
    /// Width in pixels.
    pub width: f64,
    /// Dash pattern in pixels, empty for a solid line.
    pub dash: Vec<f64>,
}

/// Rows behind a picture, as text for people and numbers for programs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Table {
    /// Column heads, with units.
    pub columns: Vec<String>,
    /// Rows; a missing cell is empty.
    pub rows: Vec<Vec<TableCell>>,
}

/// A cell of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub enum TableCell {
    /// Nothing was measured.
    Empty,
    /// A word.
    Text(String),
    /// A number in the column's unit.
    Number {
        /// Full precision.
        value: f64,
        /// How people read it.
        spelling: Spelling,
    },
}

/// How a number of a [`Table`] reads for people.
///
/// Its text is made when it is asked for: a picture has thousands of numbers behind it that few pages show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    /// Three significant digits, commas between thousands: `12.4`, `1,235`.
    Significant,
    /// At most three decimals, no zeros at their end: `0.5`, `1234.125`.
    Decimals,
    /// A whole number: `1234`.
    Whole,
    /// A whole number with commas between thousands: `1,234`.
    Grouped,
    /// This text.
    Own(Box<str>),
}

impl TableCell {
    /// Appends what people read; nothing for an empty cell.
    pub fn push_text(&self, out: &mut String) {
        let TableCell::Number { value, spelling } = self else {
            if let TableCell::Text(text) = self {
                out.push_str(text);
            }
            return;
        };
        match spelling {
            Spelling::Significant => match decimal::significant(*value, 3) {
                Some(text) => out.push_str(text.as_str()),
                None => out.push_str(&significant(*value, 3)),
            },
            Spelling::Decimals => match decimal::fixed(*value, 3) {
                Some(text) => out.push_str(without_zeros(text.as_str())),
                None => out.push_str(without_zeros(&format!("{value:.3}"))),
            },
            Spelling::Whole => out.push_str(&format!("{value:.0}")),
            Spelling::Grouped => out.push_str(&group_thousands(&format!("{value:.0}"))),
            Spelling::Own(text) => out.push_str(text),
        }
    }

    /// What people read; empty for an empty cell.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.push_text(&mut text);
        text
    }
}

/// A text of decimals without zeros at their end.
fn without_zeros(text: &str) -> &str {
    text.trim_end_matches('0').trim_end_matches('.')
}

/// Nothing, a text, or a number with its text.
impl Serialize for TableCell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TableCell::Empty => serializer.serialize_unit(),
            TableCell::Text(text) => serializer.serialize_str(text),
            TableCell::Number { value, .. } => {
                let mut number = serializer.serialize_struct("TableCell", 2)?;
                number.serialize_field("value", value)?;
                number.serialize_field("text", &self.text())?;
                number.end()
            }
        }
    }
}
