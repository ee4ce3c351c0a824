//! The palette under every kind of colour vision, and the contrast of every text.
//!
//! Differences are CIEDE2000 and contrasts WCAG 2.2, both of the crate
//! `palette`; how people with a colour-vision deficiency see a colour is
//! simulated by two models for each deficiency, and the worse one counts.

use super::{Colour, Colours, Theme};
use crate::chart::{Ink, RAMP};
use palette::color_difference::{Ciede2000, Wcag21RelativeContrast};
use palette::white_point::D65;
use palette::{Hsl, IntoColor, Lab, LinSrgb, Srgb};

type Matrix = [[f64; 3]; 3];

/// How an eye sees linear sRGB.
#[derive(Debug, Clone, Copy)]
enum Sight {
    /// One matrix for all colours.
    Matrix(Matrix),
    /// One of two matrices, by the side of a plane (its normal) on which the colour lies.
    Halves(Matrix, Matrix, [f64; 3]),
}

/// The eyes, with the source of each simulation.
const EYES: [(&str, Sight); 7] = [
    ("normal", Sight::Matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
    // Machado, Oliveira, Fernandes: A physiologically-based model for simulation of color vision
    // deficiency, 2009, severity 1.0.
    (
        "protanopia",
        Sight::Matrix([
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ]),
    ),
    (
        "deuteranopia",
        Sight::Matrix([
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ]),
    ),
    (
        "tritanopia",
        Sight::Matrix([
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ]),
    ),
    // Viénot, Brettel, Mollon: Digital video colourmaps for checking the legibility of displays by
    // dichromats, 1999, for sRGB.
    (
        "protanopia",
        Sight::Matrix([[0.112_38, 0.887_62, 0.0], [0.112_38, 0.887_62, 0.0], [0.004_01, -0.004_01, 1.0]]),
    ),
    (
        "deuteranopia",
        Sight::Matrix([[0.292_75, 0.707_25, 0.0], [0.292_75, 0.707_25, 0.0], [-0.022_34, 0.022_34, 1.0]]),
    ),
    // Brettel, Viénot, Mollon: Computerized simulation of color appearance for dichromats, 1997, for sRGB.
    (
        "tritanopia",
        Sight::Halves(
            [
                [1.012_77, 0.135_48, -0.148_26],
                [-0.012_43, 0.868_12, 0.144_31],
                [0.075_89, 0.805_00, 0.119_11],
            ],
            [
                [0.936_78, 0.189_79, -0.126_57],
                [0.061_54, 0.815_26, 0.123_20],
                [-0.375_62, 1.127_67, 0.247_96],
            ],
            [0.039_01, -0.027_88, -0.011_13],
        ),
    ),
];

/// CIEDE2000 that any two series of a chart keep for every eye; about 1 is just noticeable side by side.
const SERIES_APART: f64 = 12.0;

/// The same between a series and the warning colour, whose lines are dashed and named.
const WARNING_APART: f64 = 11.0;

fn srgb(colour: Colour) -> Srgb<f64> {
    Srgb::new(colour.r, colour.g, colour.b).into_format()
}

fn contrast(a: Colour, b: Colour) -> f64 {
    srgb(a).relative_contrast(srgb(b))
}

fn seen(colour: Colour, sight: Sight) -> Lab<D65, f64> {
    let LinSrgb { red, green, blue, .. } = srgb(colour).into_linear();
    let light = [red, green, blue];
    let times = |row: &[f64; 3]| row.iter().zip(light).map(|(m, v)| m * v).sum::<f64>();
    let matrix = match sight {
        Sight::Matrix(matrix) => matrix,
        Sight::Halves(above, below, normal) => {
            if times(&normal) >= 0.0 {
                above
            } else {
                below
            }
        }
    };
    let [r, g, b] = matrix.map(|row| times(&row).clamp(0.0, 1.0));
    LinSrgb::new(r, g, b).into_color()
}

/// The smallest difference of two colours over all eyes, and whose it is.
fn difference(a: Colour, b: Colour) -> (f64, &'static str) {
    EYES.iter()
        .map(|&(name, sight)| (seen(a, sight).difference(seen(b, sight)), name))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap_or((f64::NAN, ""))
}

fn themes() -> [(&'static str, Colours); 2] {
    [Theme::light(), Theme::dark()].map(|theme| (theme.name, theme.colours))
}

fn inks() -> impl Iterator<Item = Ink> {
    let named = [Ink::Text, Ink::Muted, Ink::Grid, Ink::Axis, Ink::Warn, Ink::Context];
    named.into_iter().chain((0..7).map(Ink::Series))
}

/// Pairs of slots of the palette.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..7).flat_map(|a| (a + 1..7).map(move |b| (a, b)))
}

#[test]
fn the_measures_are_those_of_the_standards() {
    let [black, white, red] = [[0, 0, 0], [255, 255, 255], [255, 0, 0]].map(|[r, g, b]| Colour { r, g, b });
    assert!((contrast(black, white) - 21.0).abs() < 1e-9);
    // Red is (53.24, 80.09, 67.20) in CIELAB (D65).
    let lab = seen(red, EYES[0].1);
    assert!((lab.l - 53.24).abs() < 0.01 && (lab.a - 80.09).abs() < 0.02 && (lab.b - 67.20).abs() < 0.02);
    // Sharma, Wu, Dalal: The CIEDE2000 color-difference formula, 2005, test data, pairs 1 and 17.
    let lab = |[l, a, b]: [f64; 3]| Lab::<D65, f64>::new(l, a, b);
    let one = lab([50.0, 2.6772, -79.7751]).difference(lab([50.0, 0.0, -82.7485]));
    let other = lab([50.0, 2.5, 0.0]).difference(lab([73.0, 25.0, -18.0]));
    assert!((one - 2.0425).abs() < 1e-4 && (other - 27.1492).abs() < 1e-4, "{one} {other}");
}

#[test]
fn white_stays_white_and_red_and_green_come_close_for_those_who_cannot_tell_them() {
    let [white, red, green] =
        [[255, 255, 255], [190, 75, 40], [100, 115, 30]].map(|[r, g, b]| Colour { r, g, b });
    for (name, sight) in EYES {
        assert!(seen(white, sight).difference(Lab::new(100.0, 0.0, 0.0)) < 1.0, "{name}");
    }
    let apart = |kind: &str| -> Vec<f64> {
        let eyes = EYES.iter().filter(|(name, _)| *name == kind);
        eyes.map(|&(_, sight)| seen(red, sight).difference(seen(green, sight))).collect()
    };
    assert!(apart("normal")[0] > 40.0);
    for kind in ["protanopia", "deuteranopia"] {
        assert!(apart(kind).iter().all(|d| *d < 8.0), "{kind}: {:?}", apart(kind));
    }
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
fn any_two_series_differ_for_every_eye() {
    let mut close = Vec::new();
    for (name, colours) in themes() {
        for (a, b) in pairs() {
            let (difference, eye) = difference(colours.series[a], colours.series[b]);
            if difference < SERIES_APART {
                close.push(format!("{name}: slots {a} and {b} differ by {difference:.1} ({eye})"));
            }
        }
    }
    assert!(close.is_empty(), "{}", close.join("\n"));
}

#[test]
fn the_warning_differs_from_every_series_for_every_eye() {
    let mut close = Vec::new();
    for (name, colours) in themes() {
        for (slot, colour) in colours.series.into_iter().enumerate() {
            let (difference, eye) = difference(colour, colours.warn);
            if difference < WARNING_APART {
                close
                    .push(format!("{name}: slot {slot} differs from the warning by {difference:.1} ({eye})"));
            }
        }
    }
    assert!(close.is_empty(), "{}", close.join("\n"));
}

/// For the eye: `cargo test --lib the_palette_in_numbers -- --ignored --nocapture`.
#[test]
#[ignore = "prints the table of differences and contrasts"]
fn the_palette_in_numbers() {
    for (name, colours) in themes() {
        for ink in inks() {
            let of = |colour| contrast(colour, colours.background);
            println!("{name} {ink:?}: text {:.2}, line {:.2}", of(colours.of_text(ink)), of(colours.of(ink)));
        }
        for (a, b) in pairs() {
            let each = EYES.iter().map(|&(eye, sight)| {
                let seen = |slot: usize| seen(colours.series[slot], sight);
                format!("{eye} {:.1}", seen(a).difference(seen(b)))
            });
            println!("{name} {a}-{b}: {}", each.collect::<Vec<_>>().join(", "));
        }
        for slot in 0..7 {
            let (difference, eye) = difference(colours.series[slot], colours.warn);
            println!("{name} {slot}-warning: {difference:.1} ({eye})");
        }
    }
}

#[test]
fn a_name_in_a_series_colour_still_looks_like_its_line() {
    let hue = |colour| IntoColor::<Hsl<_, f64>>::into_color(srgb(colour)).hue.into_positive_degrees();
    for (name, colours) in themes() {
        for (slot, (&line, &text)) in colours.series.iter().zip(&colours.names).enumerate() {
            let turn = (hue(line) - hue(text)).rem_euclid(360.0);
            assert!(turn.min(360.0 - turn) < 12.0, "{name}: slot {slot} turns by {turn:.0} degrees");
        }
    }
}

#[test]
fn the_ramp_moves_away_from_the_background_in_even_steps_for_every_eye() {
    for (name, colours) in themes() {
        for (eye, sight) in EYES {
            let ground = seen(colours.background, sight).l;
            let away: Vec<f64> = colours.ramp.iter().map(|&c| (seen(c, sight).l - ground).abs()).collect();
            for pair in away.windows(2) {
                let step = pair[1] - pair[0];
                assert!((3.0..11.0).contains(&step), "{name}, {eye}: a step of {step:.1} in {away:.1?}");
            }
        }
    }
}

#[test]
fn every_step_of_the_ramp_holds_text_of_a_contrast_of_at_least_4_5() {
    for (name, colours) in themes() {
        for step in 0..RAMP {
            let contrast = contrast(colours.of_text(Ink::OnRamp(step)), colours.of(Ink::Ramp(step)));
            assert!(contrast >= 4.5, "{name}: text on step {step} has {contrast:.2}");
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
        css.split('}').filter(|rule| !rule.is_empty()).all(|rule| rule.starts_with("[data-theme=dark] .pg "))
    );
}
