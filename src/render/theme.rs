//! Colours: what an [`Ink`] looks like, light, dark, or as the reader's system has it.
//!
//! The palette is for people with any colour vision: any two slots stay at
//! least 12 apart (CIEDE2000) under simulated protanopia, deuteranopia and
//! tritanopia, which a test holds, and each has a dash and a hatch of its own
//! besides. Names in a series' colour are written in a stronger variant where
//! the line's own would be hard to read (WCAG 2.2, 1.4.3: 4.5 to 1; lines need
//! 3 to 1, 1.4.11).

#[cfg(test)]
mod tests;

use crate::chart::{Figure, Ink, RAMP, Shape};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write;
use std::sync::OnceLock;

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
        let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 15)];
        let [r, g, b] = [self.r, self.g, self.b].map(|channel| [digit(channel >> 4), digit(channel)]);
        let text = [b'#', r[0], r[1], g[0], g[1], b[0], b[1]];
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
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
    /// The ramp of cells from little to much: even steps of lightness (OKLab) away from the background,
    /// through hues that every eye tells apart.
    pub ramp: [Colour; RAMP as usize],
    /// Texts on the ramp: on its first steps, and from step `ramp_turn` on.
    pub on_ramp: [Colour; 2],
    /// The first step whose text has the second colour.
    pub ramp_turn: u8,
}

const LIGHT: Colours = Colours {
    background: hex(0xffffff),
    text: hex(0x16191d),
    muted: hex(0x5c6670),
    grid: hex(0xe3e7ea),
    axis: hex(0x8a949d),
    warn: hex(0xaf0439),
    context: hex(0xb4bcc4),
    // Blue, green, amber, purple, coral, sky, ink.
    series: [
        hex(0x0448cc),
        hex(0x3b896f),
        hex(0xc08a00),
        hex(0x733876),
        hex(0xb9593a),
        hex(0x0397ff),
        hex(0x342a3c),
    ],
    names: [
        hex(0x0448cc),
        hex(0x378068),
        hex(0x8c6400),
        hex(0x733876),
        hex(0xb65739),
        hex(0x0070bf),
        hex(0x342a3c),
    ],
    band: 0.16,
    ramp: [
        hex(0xeef6e0),
        hex(0xcee6cb),
        hex(0xadd5b7),
        hex(0x86c5b5),
        hex(0x58b3b7),
        hex(0x389eb8),
        hex(0x2b86b7),
        hex(0x276db0),
        hex(0x2b56a3),
        hex(0x2b3f92),
        hex(0x222f76),
        hex(0x1a1f5c),
    ],
    on_ramp: [hex(0x101317), hex(0xffffff)],
    ramp_turn: 7,
};

const DARK: Colours = Colours {
    background: hex(0x12161b),
    text: hex(0xf1f3f5),
    muted: hex(0x9aa5af),
    grid: hex(0x2a3138),
    axis: hex(0x66717b),
    warn: hex(0xf83267),
    context: hex(0x4f5963),
    series: [
        hex(0x237dee),
        hex(0x55c5a1),
        hex(0xffd271),
        hex(0xbf9bd5),
        hex(0xec8143),
        hex(0xb0fdfc),
        hex(0x6b778d),
    ],
    names: [
        hex(0x2a81ef),
        hex(0x55c5a1),
        hex(0xffd271),
        hex(0xbf9bd5),
        hex(0xec8143),
        hex(0xb0fdfc),
        hex(0x7d899e),
    ],
    band: 0.20,
    ramp: [
        hex(0x1d2c4d),
        hex(0x223b69),
        hex(0x274a87),
        hex(0x266095),
        hex(0x20769f),
        hex(0x238ea0),
        hex(0x30a59a),
        hex(0x53b990),
        hex(0x85ca7e),
        hex(0xb0d970),
        hex(0xd6e68b),
        hex(0xfbf3a6),
    ],
    on_ramp: [hex(0xffffff), hex(0x101317)],
    ramp_turn: 5,
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
            Ink::Ramp(step) => self.ramp[usize::from(step.min(RAMP - 1))],
            Ink::OnRamp(step) => self.on_ramp[usize::from(step >= self.ramp_turn)],
            Ink::Shade => hex(0x000000),
            Ink::Own([r, g, b]) => Colour { r, g, b },
        }
    }

    /// The colour of a text in `ink`: readable where [`Colours::of`] is too faint for letters.
    #[must_use]
    pub fn of_text(&self, ink: Ink) -> Colour {
        match ink {
            Ink::Grid | Ink::Axis | Ink::Context | Ink::Shade => self.muted,
            Ink::Series(slot) => self.names[usize::from(slot) % self.names.len()],
            // A step of the ramp may be as pale as the paper.
            Ink::Ramp(_) => self.text,
            Ink::Text | Ink::Muted | Ink::Warn | Ink::OnRamp(_) | Ink::Own(_) => self.of(ink),
        }
    }
}

/// The class of an ink in an SVG: `pg-ink`, `pg-muted`, `pg-s0`; `pg-0072b2` for a colour of the user's.
pub(super) fn class(ink: Ink) -> Cow<'static, str> {
    const SLOTS: [&str; 7] = ["pg-s0", "pg-s1", "pg-s2", "pg-s3", "pg-s4", "pg-s5", "pg-s6"];
    const STEPS: [&str; RAMP as usize] = [
        "pg-r0", "pg-r1", "pg-r2", "pg-r3", "pg-r4", "pg-r5", "pg-r6", "pg-r7", "pg-r8", "pg-r9", "pg-r10",
        "pg-r11",
    ];
    const ON_STEPS: [&str; RAMP as usize] = [
        "pg-o0", "pg-o1", "pg-o2", "pg-o3", "pg-o4", "pg-o5", "pg-o6", "pg-o7", "pg-o8", "pg-o9", "pg-o10",
        "pg-o11",
    ];
    let known = match ink {
        Ink::Own([r, g, b]) => return Cow::Owned(format!("pg-{r:02x}{g:02x}{b:02x}")),
        Ink::Text => "pg-ink",
        Ink::Muted => "pg-muted",
        Ink::Grid => "pg-grid",
        Ink::Axis => "pg-axis",
        Ink::Warn => "pg-warn",
        Ink::Context => "pg-context",
        Ink::Series(slot) => SLOTS[usize::from(slot) % SLOTS.len()],
        Ink::Ramp(step) => STEPS[usize::from(step.min(RAMP - 1))],
        Ink::OnRamp(step) => ON_STEPS[usize::from(step.min(RAMP - 1))],
        Ink::Shade => "pg-shade",
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
        /// Stands where the scope will; no id has it.
        const SCOPE: &str = "\0";
        static DARK_RULES: OnceLock<String> = OnceLock::new();
        match &self.in_the_dark {
            None => String::new(),
            // The same rules in every picture of a report.
            Some(colours) if *colours == DARK => {
                DARK_RULES.get_or_init(|| dark_rules(&DARK, SCOPE)).replace(SCOPE, &format!("#{id}"))
            }
            Some(colours) => dark_rules(colours, &format!("#{id}")),
        }
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
    let inks = [Ink::Text, Ink::Muted, Ink::Grid, Ink::Axis, Ink::Warn, Ink::Context, Ink::Shade];
    let ramp = (0..RAMP).flat_map(|step| [Ink::Ramp(step), Ink::OnRamp(step)]);
    for ink in inks.into_iter().chain((0..7).map(Ink::Series)).chain(ramp) {
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
