//! PNG, PDF, embedded and outlined letters, and what a picture says about itself.

use super::{of_class, png, svg, svg_with};
use crate::chart::{Ink, Role};
use crate::model::{Dimension, Measure, Metric, Stat, Value};
use crate::render::fixture::{empty, every_shape, text};
use crate::render::{
    ImageFormat, RenderOptions, SOFTWARE, SvgText, Theme, metadata, missing, render, render_with,
};
use crate::spec::{Channel, ChartSpec, Mark, Reference, XChannel};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use roxmltree::Document;
use std::collections::BTreeSet;

#[test]
fn a_png_has_the_figures_size_and_says_what_it_shows() {
    let figure = every_shape();
    for (scale, size) in [(1.0, (1200, 675)), (2.0, (2400, 1350)), (0.5, (600, 338))] {
        let bytes = png(&figure, scale, &Theme::light());
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let info = reader.info();
        assert_eq!((info.width, info.height), size);
        let words: Vec<(&str, &str)> = info
            .uncompressed_latin1_text
            .iter()
            .map(|chunk| (chunk.keyword.as_str(), chunk.text.as_str()))
            .collect();
        let software = concat!("plotgen ", env!("CARGO_PKG_VERSION"));
        let expected = [
            ("Title", "Every shape that a panel can hold"),
            ("Description", "Bars at the left, lines at the right."),
            ("Software", software),
        ];
        assert_eq!(words, expected);
        // No edge is half covered by the background.
        assert!(pixels.iter().take(3).chain(pixels.iter().rev().take(3)).all(|&channel| channel == 255));
    }
}

#[test]
fn titles_beyond_latin_1_are_kept_as_international_text() {
    let mut figure = empty("wide", 40.0, 40.0);
    figure.title = "延迟 — 遅延".to_owned();
    let bytes = png(&figure, 1.0, &Theme::light());
    let reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let chunk = &reader.info().utf8_text[0];
    assert_eq!((chunk.keyword.as_str(), chunk.get_text().unwrap().as_str()), ("Title", "延迟 — 遅延"));
}

#[test]
fn an_embedded_font_leaves_the_texts_as_they_are() {
    let mut figure = every_shape();
    figure.texts.push(text("source", (40.0, 660.0), 12.0, Ink::Muted, Role::Footer));
    let embedded = svg_with(&figure, &Theme::light(), SvgText::Embed);
    assert_eq!(embedded.matches("@font-face").count(), 2);
    assert!(embedded.contains("src:url(data:font/"));
    let (_, tail) = embedded.split_once("</style>\n").unwrap();
    assert!(svg(&figure).ends_with(tail));
}

#[test]
fn an_embedded_font_holds_the_letters_of_the_picture_and_no_others() {
    let mut figure = every_shape();
    figure.texts.push(text("the source", (40.0, 660.0), 12.0, Ink::Muted, Role::Footer));
    let embedded = svg_with(&figure, &Theme::light(), SvgText::Embed);
    let fonts: Vec<Vec<u8>> = embedded
        .split("base64,")
        .skip(1)
        .map(|rest| BASE64_STANDARD.decode(rest.split_once(')').unwrap().0).unwrap())
        .collect();
    for (bold, font) in [false, true].into_iter().zip(&fonts) {
        let face = ttf_parser::Face::parse(font, 0).unwrap();
        let used: BTreeSet<char> =
            figure.texts.iter().filter(|t| t.bold == bold).flat_map(|t| t.text.chars()).collect();
        assert!(used.iter().all(|&c| face.glyph_index(c).is_some()), "bold: {bold}");
        assert_eq!(face.glyph_index('Q'), None, "no text has a Q");
        let whole = crate::chart::text::face(bold).unwrap();
        let advance = |face: &ttf_parser::Face<'_>| face.glyph_hor_advance(face.glyph_index('e').unwrap());
        assert_eq!(advance(&face), advance(whole));
    }
    assert_eq!(fonts.len(), 2);
    assert!(embedded.len() < 60_000, "{} bytes", embedded.len());
}

#[test]
fn outlined_texts_are_paths_with_the_same_classes() {
    let figure = every_shape();
    let (plain, outlined) = (svg(&figure), svg_with(&figure, &Theme::light(), SvgText::Outline));
    let (plain, outlined) = (Document::parse(&plain).unwrap(), Document::parse(&outlined).unwrap());
    let classes = |document: &Document<'_>, tag: &str| -> Vec<String> {
        let of_text = of_class(document, "pg-text").into_iter().filter(|n| n.has_tag_name(tag));
        of_text.filter_map(|n| n.attribute("class").map(str::to_owned)).collect()
    };
    assert_eq!(classes(&plain, "text"), classes(&outlined, "path"));
    assert_eq!(classes(&outlined, "text"), Vec::<String>::new());
    assert_eq!(of_class(&outlined, "pg-bar").len(), 7, "groups and tooltips stay");
}

#[test]
fn characters_that_the_embedded_font_lacks_are_no_failure() {
    let mut figure = empty("scripts", 300.0, 60.0);
    figure.texts.push(text("漢字 ไทย עברית 🚀 \u{10ffff}", (10.0, 40.0), 16.0, Ink::Text, Role::Label));
    assert!(!png(&figure, 1.0, &Theme::light()).is_empty());
    let outlined = svg_with(&figure, &Theme::light(), SvgText::Outline);
    assert!(outlined.contains("🚀"), "an emoji has no outline, so the text stays text");
    Document::parse(&outlined).unwrap();
}

#[test]
fn a_character_without_a_font_is_a_box_in_a_png_and_named() {
    let pixels = |word: &str| {
        let mut figure = empty("box", 60.0, 40.0);
        figure.texts.push(text(word, (10.0, 30.0), 24.0, Ink::Text, Role::Label));
        let bytes = png(&figure, 1.0, &Theme::light());
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        (pixels.iter().filter(|&&channel| channel < 128).count(), missing(&figure))
    };
    // No character has this number.
    let (dark, named) = pixels("\u{378}");
    assert!(dark > 30, "{dark} dark channels");
    assert_eq!(named, BTreeSet::from(['\u{378}']));
    let (dark, named) = pixels("\u{200b}\u{2003}");
    assert_eq!((dark, named), (0, BTreeSet::new()), "spaces are not missed");
    assert_eq!(pixels("µ ±").1, BTreeSet::new());
}

fn spec() -> ChartSpec {
    let y = Measure { metric: Metric::Iops, stat: Stat::Mean };
    let mut spec = ChartSpec::new("iops-by-raid", Mark::Bar, XChannel::Dimension(Dimension::Raid), y);
    spec.title = Some("<b> & \"quotes\" 漢字 {\u{0}".to_owned());
    spec.references.push(Reference { value: 0.1 + 0.2, label: "]]> limit".to_owned() });
    spec.filter.dimensions.insert(
        Dimension::Other("cache".to_owned()),
        vec![Value::canonical(&Dimension::Other("cache".to_owned()), "on")],
    );
    spec.facet = Some(Channel::Ddir);
    spec
}

#[test]
fn a_picture_tells_its_chart_source_and_version_in_every_format() {
    let mut figure = every_shape();
    figure.footer = "Source: fio 3.36, 8 × NVMe".to_owned();
    let spec = spec();
    for text in [SvgText::Plain, SvgText::Embed, SvgText::Outline] {
        for format in [ImageFormat::Svg, ImageFormat::Png { scale: 0.5 }, ImageFormat::Pdf] {
            let options = RenderOptions { text, spec: Some(spec.clone()) };
            let bytes = render_with(&figure, format, &Theme::auto(), &options).unwrap();
            let told = metadata(&bytes).unwrap_or_else(|| panic!("{format:?} says nothing"));
            assert_eq!(told.plotgen, env!("CARGO_PKG_VERSION"));
            assert_eq!(told.source, "Source: fio 3.36, 8 × NVMe");
            assert_eq!(told.spec.as_ref(), Some(&spec), "{format:?}");
        }
    }
}

#[test]
fn what_a_picture_says_is_short() {
    let y = Measure { metric: Metric::Iops, stat: Stat::Mean };
    let plain = ChartSpec::new("iops-time", Mark::Line, XChannel::Time, y);
    let expected = concat!(
        r#"{"plotgen":""#,
        env!("CARGO_PKG_VERSION"),
        r#"","source":"fio","spec":{"id":"iops-time","mark":"line","x":"time","y":{"metric":"iops","stat":"mean"}}}"#
    );
    assert_eq!(crate::render::metadata::text("fio", &plain), expected);
}

#[test]
fn what_is_no_picture_of_ours_says_nothing() {
    let silent = render(&every_shape(), ImageFormat::Svg, &Theme::light()).unwrap();
    let png = png(&every_shape(), 0.2, &Theme::light());
    let foreign = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><metadata>{\"a\":1}</metadata></svg>".to_vec();
    let broken = b"<svg><metadata>{\"plotgen\":\"1\",</metadata></svg>".to_vec();
    let pdf = b"%PDF-1.7 {\"plotgen\":\"1\"".to_vec();
    let empty = Vec::new();
    for bytes in [silent, png.clone(), png[..40].to_vec(), foreign, broken, pdf, empty, vec![0xff, 0xfe, 0]] {
        assert_eq!(metadata(&bytes), None);
    }
    let later = b"<svg><metadata>{\"plotgen\":\"9.0\",\"spec\":{\"hologram\":true}}</metadata></svg>";
    let told = metadata(later).unwrap();
    assert_eq!((told.plotgen.as_str(), told.spec), ("9.0", None));
}

#[test]
fn a_pdf_is_one_page_of_the_figures_size_with_its_texts() {
    let mut figure = every_shape();
    figure.texts.push(text("AVAVA ±µ→", (40.0, 90.0), 16.0, Ink::Muted, Role::Note));
    let bytes = render(&figure, ImageFormat::Pdf, &Theme::light()).unwrap();
    let said = String::from_utf8_lossy(&bytes);
    assert!(said.starts_with("%PDF-1.7"));
    // 1200 x 675 pixels at 96 to the inch.
    assert!(said.contains("/MediaBox [0 0 900 506.25]"), "{said}");
    assert_eq!(said.matches("/Type /Page\n").count(), 1);
    assert_eq!(said.matches("/Subtype /Type0").count(), 2, "both weights are used");
    assert!(said.contains("Every shape that a panel can hold") && said.contains(SOFTWARE));
    for word in ["/CreationDate", "/ModDate", "/ID"] {
        assert!(!said.contains(word), "{word}");
    }
    assert!(bytes.len() < 80_000, "{} bytes", bytes.len());
}

#[test]
fn scripts_that_the_embedded_font_lacks_are_shapes_in_a_pdf() {
    let mut figure = empty("scripts", 300.0, 60.0);
    figure.texts.push(text("漢字 \u{378}", (10.0, 40.0), 16.0, Ink::Text, Role::Label));
    let bytes = render(&figure, ImageFormat::Pdf, &Theme::dark()).unwrap();
    assert!(bytes.starts_with(b"%PDF-1.7"));
}

#[test]
fn texts_take_the_room_of_the_layout_in_whatever_font_the_reader_has() {
    let mut figure = empty("fitted", 200.0, 100.0);
    for (i, words) in ["20 ms", "0", "\u{5ef6}\u{8fdf} 20 ms"].into_iter().enumerate() {
        figure.texts.push(text(words, (10.0, 20.0 * i as f64 + 20.0), 20.0, Ink::Text, Role::Label));
    }
    let lengths = |figure: &crate::chart::Figure, lettering| -> Vec<Option<f64>> {
        let svg = svg_with(figure, &Theme::light(), lettering);
        let document = Document::parse(&svg).unwrap();
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        texts.map(|node| node.attribute("textLength").map(|length| length.parse().unwrap())).collect()
    };
    let face = crate::chart::text::face(figure.texts[0].bold).unwrap();
    let units: u32 = "20 ms"
        .chars()
        .map(|c| u32::from(face.glyph_hor_advance(face.glyph_index(c).unwrap()).unwrap()))
        .sum();
    let width = 20.0 * f64::from(units) / f64::from(face.units_per_em());
    for lettering in [SvgText::Plain, SvgText::Embed] {
        let found = lengths(&figure, lettering);
        assert!(found[0].is_some_and(|length| (length - width).abs() < 0.006), "{found:?} {width}");
        // A digit leaves its room in no font, and of letters that Inter lacks nobody knows the width.
        assert_eq!(found[1..], [None, None]);
    }
    // The user's own font has widths of its own.
    figure.family = Some("Source Sans 3".to_owned());
    assert_eq!(lengths(&figure, SvgText::Plain), [None; 3]);
}
