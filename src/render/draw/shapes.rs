//! One arm for each shape of a panel.

use super::backend::paint;
use super::{Easel, Plot, area, classes, dashes, line, units};
use crate::chart::{CUT, Ink, Panel, Shape};
use crate::render::RenderError;
use crate::render::clip::{Window, range, within};
use crate::render::svg::{Pen, Writer};
use plotters::element::{Circle, PathElement, Polygon, Rectangle};
use plotters_backend::BackendCoord;

/// Opacity of areas: the grid shines through.
const AREA: f64 = 0.72;

impl Easel<'_> {
    /// Draws one shape; `over` says that others lie beneath it.
    pub(super) fn shape(
        &self,
        plot: &Plot<'_>,
        panel: &Panel,
        shape: &Shape,
        over: bool,
    ) -> Result<(), RenderError> {
        let window = Window { x: &panel.x, y: &panel.y };
        let colours = &self.theme.colours;
        match shape {
            Shape::Line { parts, ink, dash, width, name } => {
                let parts: Vec<Vec<(f64, f64)>> = parts.iter().flat_map(|part| window.line(part)).collect();
                let ground = if over { self.ground() } else { None };
                self.group(&classes("pg-line", *ink), name, || {
                    self.pen(Pen { dash: dashes(dash), ground, ..Pen::default() });
                    self.lines(plot, &parts, *ink, *width)
                })
            }
            Shape::Band { parts, ink } => self.group(&classes("pg-band", *ink), "", || {
                self.pen(Pen::default());
                self.writer(Writer::join);
                let thin = 2.0 / panel.rect.width;
                for outline in parts.iter().flat_map(|part| window.band(part, thin)) {
                    plot.draw(&Polygon::new(outline, area(colours.of(*ink), colours.band)))?;
                }
                self.writer(Writer::part);
                Ok(())
            }),
            Shape::Area { parts, ink, name } => self.group(&classes("pg-area", *ink), name, || {
                self.pen(Pen::default());
                self.writer(Writer::join);
                let thin = 2.0 / panel.rect.width;
                for outline in parts.iter().flat_map(|part| window.band(part, thin)) {
                    plot.draw(&Polygon::new(outline, area(colours.of(*ink), AREA)))?;
                }
                self.writer(Writer::part);
                Ok(())
            }),
            Shape::Bar { x0, x1, y0, y1, ink, name } => {
                let Some(corners) = window.bar((*x0, *x1), (*y0, *y1)) else { return Ok(()) };
                self.group(&classes("pg-bar", *ink), name, || {
                    self.pen(Pen::default());
                    plot.draw(&Rectangle::new(corners, area(colours.of(*ink), 1.0)))?;
                    let [from, to] = corners.map(|corner| plot.map_coordinate(&corner));
                    self.hatch(*ink, from, to);
                    Ok(())
                })
            }
            Shape::Dots { at, radius, ink, hollow, name } => {
                let size = units(*radius).max(0);
                let style = if *hollow { line(colours.of(*ink), 1.5) } else { area(colours.of(*ink), 1.0) };
                self.group(&classes("pg-dots", *ink), name, || {
                    self.pen(Pen { ground: self.ground(), ..Pen::default() });
                    for centre in at.iter().filter(|centre| window.holds(**centre)) {
                        plot.draw(&Circle::new(*centre, size, style))?;
                    }
                    Ok(())
                })
            }
            Shape::Interval { x, low, high, cap, ink } => {
                let Some(ends) = range(&panel.y, *low, *high) else { return Ok(()) };
                if !within(&panel.x, *x) {
                    return Ok(());
                }
                let style = line(colours.of(*ink), 1.5);
                self.group(&classes("pg-interval", *ink), "", || {
                    self.pen(Pen { ground: self.ground(), ..Pen::default() });
                    self.writer(Writer::join);
                    plot.draw(&PathElement::new(vec![(*x, ends.0), (*x, ends.1)], style))?;
                    // An end beyond the panel has no cap: the interval goes on.
                    for end in [low, high].into_iter().filter(|end| within(&panel.y, **end)) {
                        let (centre, y) = plot.map_coordinate(&(*x, *end));
                        let half = units(*cap);
                        self.on_root(
                            &[(centre.saturating_sub(half), y), (centre.saturating_add(half), y)],
                            style,
                        )?;
                    }
                    self.writer(Writer::part);
                    Ok(())
                })
            }
            Shape::Rule { y, ink, dash } => {
                if !within(&panel.y, *y) {
                    return Ok(());
                }
                self.group(&classes("pg-rule", *ink), "", || {
                    self.pen(Pen { dash: dashes(dash), ..Pen::default() });
                    let ends = vec![(panel.x.min, *y), (panel.x.max, *y)];
                    plot.draw(&PathElement::new(ends, line(colours.of(*ink), 1.5)))?;
                    Ok(())
                })
            }
            Shape::Mark { x, ink, dash } => {
                if !within(&panel.x, *x) {
                    return Ok(());
                }
                self.group(&classes("pg-rule", *ink), "", || {
                    self.pen(Pen { dash: dashes(dash), ..Pen::default() });
                    let ends = vec![(*x, panel.y.min), (*x, panel.y.max)];
                    plot.draw(&PathElement::new(ends, line(colours.of(*ink), 1.5)))?;
                    Ok(())
                })
            }
            Shape::Fill { faces, ink, opacity, name } => self.group(&classes("pg-cells", *ink), name, || {
                self.pen(Pen::default());
                self.writer(Writer::join);
                for face in faces.iter().filter_map(|face| window.face(face)) {
                    plot.draw(&Polygon::new(face, area(colours.of(*ink), *opacity)))?;
                }
                self.writer(Writer::part);
                Ok(())
            }),
            Shape::Cut { at, ink } => self.group(&classes("pg-cut", *ink), "", || {
                self.pen(Pen::default());
                self.writer(Writer::join);
                for x in at.iter().filter(|x| within(&panel.x, **x)) {
                    let (x, y) = plot.map_coordinate(&(*x, panel.y.max));
                    let (half, height) = (units(CUT.0), units(CUT.1));
                    let corners = vec![(x, y), (x + half, y + height), (x - half, y + height)];
                    self.root.draw(&Polygon::new(corners, area(colours.of(*ink), 1.0)))?;
                }
                self.writer(Writer::part);
                Ok(())
            }),
        }
    }

    /// Parts of a line as one path, parts of one point as dots.
    fn lines(
        &self,
        plot: &Plot<'_>,
        parts: &[Vec<(f64, f64)>],
        ink: Ink,
        width: f64,
    ) -> Result<(), RenderError> {
        let colour = self.theme.colours.of(ink);
        self.writer(Writer::join);
        for part in parts.iter().filter(|part| part.len() > 1) {
            // As plotters would, which takes two copies of the points for it.
            let points: Vec<BackendCoord> = part.iter().map(|point| plot.map_coordinate(point)).collect();
            self.writer(|writer| writer.stroke(&points, paint(&line(colour, width))));
        }
        self.writer(Writer::part);
        for part in parts {
            if let [only] = part[..] {
                plot.draw(&Circle::new(only, units(width.max(2.0) + 0.5), area(colour, 1.0)))?;
            }
        }
        Ok(())
    }

    fn on_root(
        &self,
        points: &[BackendCoord],
        style: plotters::style::ShapeStyle,
    ) -> Result<(), RenderError> {
        self.root.draw(&PathElement::new(points, style))?;
        Ok(())
    }
}
