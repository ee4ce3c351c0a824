//! Colours: what an [`Ink`] looks like, light, dark, or as the reader's system has it.
//!
//! The palette is for people with any colour vision: neighbouring slots differ
//! in lightness as well as in hue, and a test holds the distances under
//! simulated protanopia, deuteranopia and tritanopia. Names in a series'
//! colour are written in a stronger variant where the line's own would be
//! hard to read (WCAG 2.2, 1.4.3: 4.5 to 1; lines need 3 to 1, 1.4.11).

use crate::chart::{Figure, Ink, Shape};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write;

/// A colour of the screen (sRGB).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Colour {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

impl fmt::Display for Colour {
    /// As CSS writes it: `#1f6fb4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

const fn hex(rgb: u32) -> Colour {
    let [_, r, g, b] = rgb.to_be_bytes();
    Colour { r, g, b }
}

/// One set of colours.
#[derive(Debug, Clone, PartialEq)]
pub struct Colours {
    /// Paper.
    pub background: Colour,
    /// Titles.
    pub text: Colour,
    /// Subtitles, tick labels, notes.
    pub muted: Colour,
    /// Grid lines.
    pub grid: Colour,
    /// Axis lines and ticks.
    pub axis: Colour,
    /// References such as a latency limit.
    pub warn: Colour,
    /// What is there for context only.
    pub context: Colour,
    /// Series, by slot of the palette.
    pub series: [Colour; 7],
    /// Names of series, by slot: as `series`, or stronger.
    pub names: [Colour; 7],
    /// Opacity of bands.
    pub band: f64,
}

const LIGHT: Colours = Colours {
    background: hex(0xffffff),
    text: hex(0x16191d),
    muted: hex(0x5c6670),
    grid: hex(0xe3e7ea),
    axis: hex(0x8a949d),
    warn: hex(0xc2183a),
    context: hex(0xb4bcc4),
    // Blue, green, amber, purple, coral, sky, ink.
    series: [
        hex(0x1257c2),
        hex(0x05805f),
        hex(0xb58a00),
        hex(0x7d4190),
        hex(0xd0603c),
        hex(0x159bec),
        hex(0x3a3350),
    ],
    names: [
        hex(0x1257c2),
        hex(0x05805f),
        hex(0x876600),
        hex(0x7d4190),
        hex(0xb04b2a),
        hex(0x0675b8),
        hex(0x3a3350),
    ],
    band: 0.16,
};

const DARK_SERIES: [Colour; 7] =
    [hex(0x3a8dfb), hex(0x2fbf92), hex(0xf3bd4d), hex(0xcb8fe0), hex(0xf07845), hex(0x8aefe8), hex(0x758496)];

const DARK: Colours = Colours {
    background: hex(0x12161b),
    text: hex(0xf1f3f5),
    muted: hex(0x9aa5af),
    grid: hex(0x2a3138),
    axis: hex(0x66717b),
    warn: hex(0xff5578),
    context: hex(0x4f5963),
    series: DARK_SERIES,
    names: DARK_SERIES,
    band: 0.20,
};

impl Colours {
    /// The colour of lines and areas in `ink`.
    #[must_use]
    pub fn of(&self, ink: Ink) -> Colour {
        match ink {
            Ink::Text => self.text,
            Ink::Muted => self.muted,
            Ink::Grid => self.grid,
            Ink::Axis => self.axis,
            Ink::Warn => self.warn,
            Ink::Context => self.context,
            Ink::Series(slot) => self.series[usize::from(slot) % self.series.len()],
            Ink::Own([r, g, b]) => Colour { r, g, b },
        }
    }

    /// The colour of a text in `ink`: readable where [`Colours::of`] is too faint for letters.
    #[must_use]
    pub fn of_text(&self, ink: Ink) -> Colour {
        match ink {
            Ink::Grid | Ink::Axis | Ink::Context => self.muted,
            Ink::Series(slot) => self.names[usize::from(slot) % self.names.len()],
            Ink::Text | Ink::Muted | Ink::Warn | Ink::Own(_) => self.of(ink),
        }
    }
}

/// The class of an ink in an SVG: `pg-ink`, `pg-muted`, `pg-s0`; `pg-0072b2` for a colour of the user's.
pub(super) fn class(ink: Ink) -> Cow<'static, str> {
    const SLOTS: [&str; 7] = ["pg-s0", "pg-s1", "pg-s2", "pg-s3", "pg-s4", "pg-s5", "pg-s6"];
    let known = match ink {
        Ink::Own([r, g, b]) => return Cow::Owned(format!("pg-{r:02x}{g:02x}{b:02x}")),
        Ink::Text => "pg-ink",
        Ink::Muted => "pg-muted",
        Ink::Grid => "pg-grid",
        Ink::Axis => "pg-axis",
        Ink::Warn => "pg-warn",
        Ink::Context => "pg-context",
        Ink::Series(slot) => SLOTS[usize::from(slot) % SLOTS.len()],
    };
    Cow::Borrowed(known)
}

/// The rules that keep the user's own colours in an SVG of that id, whatever the page says of inks.
pub(super) fn own_inks(figure: &Figure, id: &str) -> String {
    let shapes = figure.panels.iter().flat_map(|panel| &panel.shapes).map(Shape::ink);
    let others =
        figure.texts.iter().map(|text| text.ink).chain(figure.strokes.iter().map(|stroke| stroke.ink));
    let own: BTreeSet<[u8; 3]> = shapes
        .chain(others)
        .filter_map(|ink| match ink {
            Ink::Own(rgb) => Some(rgb),
            _ => None,
        })
        .collect();
    own.into_iter()
        .map(|rgb| {
            let ink = Ink::Own(rgb);
            let [r, g, b] = rgb;
            format!("#{id} .{}{{color:{}}}", class(ink), Colour { r, g, b })
        })
        .collect()
}

/// How a picture is coloured.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// `light`, `dark` or `auto`; part of file names.
    pub name: &'static str,
    /// The colours written into the picture.
    pub colours: Colours,
    /// Colours that an SVG takes on where the reader's system is set to dark; a PNG cannot.
    pub in_the_dark: Option<Colours>,
}

impl Theme {
    /// Dark on white.
    #[must_use]
    pub fn light() -> Theme {
        Theme { name: "light", colours: LIGHT, in_the_dark: None }
    }

    /// Light on near black.
    #[must_use]
    pub fn dark() -> Theme {
        Theme { name: "dark", colours: DARK, in_the_dark: None }
    }

    /// Light, and dark where the reader's system is; a PNG is light.
    #[must_use]
    pub fn auto() -> Theme {
        Theme { name: "auto", colours: LIGHT, in_the_dark: Some(DARK) }
    }

    /// The lowest contrast between `colour` and the backgrounds of this theme (WCAG 2.2, 1.4.11: 3 to 1 for lines).
    #[must_use]
    pub fn contrast(&self, colour: Colour) -> f64 {
        let grounds = std::iter::once(&self.colours).chain(&self.in_the_dark).map(|c| c.background);
        grounds.map(|ground| contrast(colour, ground)).fold(f64::INFINITY, f64::min)
    }

    /// The theme of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Theme> {
        [Theme::light(), Theme::dark(), Theme::auto()].into_iter().find(|theme| theme.name == name)
    }

    /// CSS rules that give every SVG below `scope` (a selector) the colours of this theme.
    ///
    /// For pages that hold SVGs inline and have a switch of their own:
    /// `Theme::dark().css("[data-theme=dark] .pg")`.
    #[must_use]
    pub fn css(&self, scope: &str) -> String {
        let mut css = rules(&self.colours, scope);
        if let Some(colours) = &self.in_the_dark {
            css.push_str(&dark_rules(colours, scope));
        }
        css
    }

    /// The style sheet inside an SVG of that id; empty when literal colours say all.
    pub(super) fn own_css(&self, id: &str) -> String {
        self.in_the_dark.as_ref().map(|colours| dark_rules(colours, &format!("#{id}"))).unwrap_or_default()
    }
}

fn dark_rules(colours: &Colours, scope: &str) -> String {
    format!("@media (prefers-color-scheme:dark){{{}}}", rules(colours, scope))
}

fn rules(colours: &Colours, scope: &str) -> String {
    let mut css = format!(
        "{scope} .pg-fill{{fill:currentColor}}{scope} .pg-stroke{{stroke:currentColor}}\
         {scope} .pg-bg{{fill:{ground}}}{scope} .pg-halo{{stroke:{ground}}}\
         {scope} .pg-band .pg-fill{{fill-opacity:{band}}}",
        ground = colours.background,
        band = colours.band,
    );
    let inks = [Ink::Text, Ink::Muted, Ink::Grid, Ink::Axis, Ink::Warn, Ink::Context];
    for ink in inks.into_iter().chain((0..7).map(Ink::Series)) {
        let (line, text, class) = (colours.of(ink), colours.of_text(ink), class(ink));
        // Writing to a String cannot fail.
        let _ = write!(css, "{scope} .{class}{{color:{line}}}");
        if text != line {
            let _ = write!(css, "{scope} .{class}.pg-text{{color:{text}}}");
        }
    }
    css
}

type Linear = [f64; 3];

/// sRGB to linear light (IEC 61966-2-1).
fn linear(colour: Colour) -> Linear {
    [colour.r, colour.g, colour.b].map(|channel| {
        let v = f64::from(channel) / 255.0;
        if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    })
}

/// Contrast ratio (WCAG 2.2, relative luminance).
fn contrast(a: Colour, b: Colour) -> f64 {
    let luminance = |colour| {
        let [r, g, b] = linear(colour);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::{Colour, Colours, Linear, Theme, contrast, linear};
    use crate::chart::Ink;

    /// Full vision, protanopia, deuteranopia, tritanopia: Machado, Oliveira and Fernandes (2009), severity 1.
    const EYES: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    fn seen(colour: Colour, eye: &[[f64; 3]; 3]) -> Linear {
        let light = linear(colour);
        eye.map(|row| row.iter().zip(light).map(|(m, v)| m * v).sum::<f64>().clamp(0.0, 1.0))
    }

    /// CIELAB for the white point D65.
    fn lab([r, g, b]: Linear) -> [f64; 3] {
        let f = |t: f64| if t > 216.0 / 24_389.0 { t.cbrt() } else { (24_389.0 / 27.0 * t + 16.0) / 116.0 };
        let x = f((0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47);
        let y = f(0.212_672_9 * r + 0.715_152_2 * g + 0.072_175_0 * b);
        let z = f((0.019_333_9 * r + 0.119_192_0 * g + 0.950_304_1 * b) / 1.088_83);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The smallest distance (CIE76) of two colours over all eyes; about 2.3 is just noticeable side by side.
    fn distance(a: Colour, b: Colour) -> f64 {
        let of = |eye| {
            let (a, b) = (lab(seen(a, eye)), lab(seen(b, eye)));
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        EYES.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    fn themes() -> [(&'static str, Colours); 2] {
        [Theme::light(), Theme::dark()].map(|theme| (theme.name, theme.colours))
    }

    fn inks() -> impl Iterator<Item = Ink> {
        let named = [Ink::Text, Ink::Muted, Ink::Grid, Ink::Axis, Ink::Warn, Ink::Context];
        named.into_iter().chain((0..7).map(Ink::Series))
    }

    #[test]
    fn black_on_white_has_a_contrast_of_21_and_red_is_53_lab_units_light() {
        let (black, white) = (Colour { r: 0, g: 0, b: 0 }, Colour { r: 255, g: 255, b: 255 });
        assert!((contrast(black, white) - 21.0).abs() < 1e-9);
        let [l, a, b] = lab(linear(Colour { r: 255, g: 0, b: 0 }));
        assert!((l - 53.24).abs() < 0.01 && (a - 80.09).abs() < 0.02 && (b - 67.20).abs() < 0.02);
    }

    #[test]
    fn every_text_has_a_contrast_of_at_least_4_5() {
        for (name, colours) in themes() {
            for ink in inks() {
                let contrast = contrast(colours.of_text(ink), colours.background);
                assert!(contrast >= 4.5, "{name}: text in {ink:?} has {contrast:.2}");
            }
        }
    }

    #[test]
    fn every_line_that_matters_has_a_contrast_of_at_least_3() {
        for (name, colours) in themes() {
            for ink in inks().filter(|ink| !matches!(ink, Ink::Grid | Ink::Context)) {
                let contrast = contrast(colours.of(ink), colours.background);
                assert!(contrast >= 3.0, "{name}: {ink:?} has {contrast:.2}");
            }
        }
    }

    #[test]
    fn series_differ_by_17_lab_units_for_every_eye_and_from_the_warning_by_13() {
        for (name, colours) in themes() {
            for (i, &a) in colours.series.iter().enumerate() {
                for (j, &b) in colours.series.iter().enumerate().skip(i + 1) {
                    let distance = distance(a, b);
                    assert!(distance >= 17.0, "{name}: slots {i} and {j} differ by {distance:.1}");
                }
                let distance = distance(a, colours.warn);
                assert!(distance >= 13.0, "{name}: slot {i} differs from the warning by {distance:.1}");
            }
        }
    }

    #[test]
    fn a_name_in_a_series_colour_still_looks_like_its_line() {
        let hue = |colour| {
            let [_, a, b] = lab(linear(colour));
            b.atan2(a).to_degrees()
        };
        for (name, colours) in themes() {
            for (slot, (&line, &text)) in colours.series.iter().zip(&colours.names).enumerate() {
                let turn = (hue(line) - hue(text)).rem_euclid(360.0);
                assert!(turn.min(360.0 - turn) < 12.0, "{name}: slot {slot} turns by {turn:.0} degrees");
            }
        }
    }

    #[test]
    fn themes_are_found_by_name() {
        for name in ["light", "dark", "auto"] {
            assert_eq!(Theme::named(name).map(|theme| theme.name), Some(name));
        }
        assert_eq!(Theme::named("sepia"), None);
    }

    #[test]
    fn style_sheets_are_scoped_in_every_rule() {
        let css = Theme::dark().css("[data-theme=dark] .pg");
        assert!(
            css.split('}')
                .filter(|rule| !rule.is_empty())
                .all(|rule| rule.starts_with("[data-theme=dark] .pg "))
        );
    }
}
