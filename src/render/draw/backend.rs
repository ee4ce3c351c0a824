//! plotters' view of the SVG writer.
//!
//! plotters gives a backend whole numbers; the canvas here is a hundred times
//! larger than the picture, which leaves two decimals of a pixel. What
//! plotters has no word for (classes, dashes, tooltips, halos) is set on
//! [`Writer::pen`] beforehand.

use crate::render::svg::{Anchor, Paint, UNITS, Writer};
use crate::render::theme::Colour;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};
use std::convert::Infallible;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// A canvas in hundredths of a pixel.
#[derive(Debug)]
pub(super) struct Canvas {
    /// The document behind it.
    pub(super) writer: Writer,
    /// Width and height in hundredths of a pixel.
    pub(super) size: (u32, u32),
}

fn colour(of: BackendColor) -> Colour {
    let (r, g, b) = of.rgb;
    Colour { r, g, b }
}

pub(super) fn paint<S: BackendStyle>(style: &S) -> Paint {
    Paint { colour: colour(style.color()), opacity: style.color().alpha, width: style.stroke_width() }
}

impl DrawingBackend for Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let side = UNITS as i32;
        self.draw_rect((x, y), (x.saturating_add(side), y.saturating_add(side)), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.writer.stroke(&[from, to], paint(style));
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        a: BackendCoord,
        b: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        if fill {
            self.writer.rect(a, b, paint(style));
        } else {
            self.writer.stroke(&[a, (b.0, a.1), b, (a.0, b.1), a], paint(style));
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<BackendCoord> = path.into_iter().collect();
        self.writer.stroke(&points, paint(style));
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<BackendCoord> = path.into_iter().collect();
        self.writer.polygon(&points, paint(style));
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.writer.circle(centre, i32::try_from(radius).unwrap_or(i32::MAX), paint(style), !fill);
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let align = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        let anchor = Anchor {
            at,
            align,
            size: (style.size().round() as i32).max(0),
            bold: matches!(style.style(), FontStyle::Bold),
        };
        let paint = Paint { colour: colour(style.color()), opacity: style.color().alpha, width: 0 };
        self.writer.text(text, anchor, paint);
        Ok(())
    }

    /// In hundredths of a pixel, from the embedded font.
    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let bold = matches!(style.style(), FontStyle::Bold);
        let width = crate::chart::text::width(text, style.size(), bold);
        Ok((width.round() as u32, style.size().round() as u32))
    }
}
