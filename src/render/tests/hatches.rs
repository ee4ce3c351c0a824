//! What tells bars apart without their colours.

use super::{attribute, of_class, png, points, svg};
use crate::chart::{Figure, Ink, Shape, Stroke};
use crate::render::fixture::{empty, square};
use crate::render::{Colour, Theme};
use roxmltree::Document;

/// Seven equal bars, one of each slot.
fn seven_bars(hatched: bool) -> Figure {
    let bar = |slot: u8| Shape::Bar {
        x0: f64::from(slot) + 0.1,
        x1: f64::from(slot) + 0.9,
        y0: 0.0,
        y1: 5.0,
        ink: Ink::Series(slot),
        name: String::new(),
    };
    let mut figure = square((0..7).map(bar).collect());
    figure.panels[0].rect.width = 700.0;
    figure.panels[0].x.max = 7.0;
    (figure.size.width, figure.hatched) = (720.0, hatched);
    figure
}

#[test]
fn hatched_bars_of_one_grey_still_differ() {
    let grey = Colour { r: 110, g: 110, b: 110 };
    for mut theme in [Theme::light(), Theme::dark()] {
        theme.colours.series = [grey; 7];
        let bars = |hatched: bool| -> Vec<Vec<u8>> {
            let bytes = png(&seven_bars(hatched), 1.0, &theme);
            let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            // The inside of a bar: 80 pixels from 10 + 100 * slot + 10 on, the lower half of the panel.
            let row = |slot: usize, y: usize| {
                let start = (y * 720 + 22 + 100 * slot) * 3;
                pixels[start..start + 76 * 3].iter().step_by(3).copied().collect::<Vec<u8>>()
            };
            (0..7).map(|slot| (62..108).flat_map(|y| row(slot, y)).collect()).collect()
        };
        let plain = bars(false);
        assert!(plain.windows(2).all(|pair| pair[0] == pair[1]), "{}", theme.name);
        let hatched = bars(true);
        assert!(hatched[0] == plain[0], "the first slot has no hatch");
        for a in 0..7 {
            for b in a + 1..7 {
                let differ = |(x, y): (&u8, &u8)| x.abs_diff(*y) > 40;
                let share = hatched[a].iter().zip(&hatched[b]).filter(|pair| differ(*pair)).count() as f64
                    / hatched[a].len() as f64;
                assert!(share > 0.08, "{}: slots {a} and {b} share all but {share:.2}", theme.name);
            }
        }
    }
}

#[test]
fn a_hatch_stays_within_its_bar_and_has_the_colour_of_the_ground() {
    let svg = svg(&seven_bars(true));
    let document = Document::parse(&svg).unwrap();
    let bars = of_class(&document, "pg-bar");
    for bar in &bars {
        let rect = bar.children().find(|n| n.has_tag_name("rect")).unwrap();
        let (x, y) = (attribute(&rect, "x"), attribute(&rect, "y"));
        let (right, bottom) = (x + attribute(&rect, "width"), y + attribute(&rect, "height"));
        let Some(hatch) = bar.children().find(|n| n.has_tag_name("path")) else {
            assert_eq!(bar.attribute("class"), Some("pg-bar pg-s0"));
            continue;
        };
        assert_eq!(hatch.attribute("class"), Some("pg-stroke pg-halo"));
        assert_eq!(hatch.attribute("stroke"), Some("#ffffff"));
        let ends = points(hatch.attribute("d").unwrap());
        assert!(ends.len() >= 10, "{} ends", ends.len());
        assert!(ends.iter().all(|p| p.0 >= x && p.0 <= right && p.1 >= y && p.1 <= bottom));
    }
    assert_eq!(bars.len(), 7);
}

#[test]
fn the_key_of_a_hatched_bar_is_hatched_too() {
    let mut figure = empty("key", 100.0, 100.0);
    let key = |ink, width| Stroke { points: vec![(20.0, 50.0), (30.0, 50.0)], ink, width, dash: Vec::new() };
    figure.strokes = vec![key(Ink::Series(1), 11.0), key(Ink::Series(1), 2.0), key(Ink::Axis, 11.0)];
    assert_eq!(svg(&figure).matches("<path").count(), 3);
    figure.hatched = true;
    assert_eq!(svg(&figure).matches("<path").count(), 4);
}
