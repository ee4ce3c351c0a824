//! What a drawn picture must hold, read back from the SVG and the PNG.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod formats;
mod hatches;

use super::fixture::{empty, every_shape, line, square, text, time_series};
use super::{ImageFormat, RenderError, RenderOptions, SvgText, Theme, render, render_with};
use crate::chart::{AxisScale, Figure, Ink, Placed, Role, Shape, Stroke};
use roxmltree::{Document, Node};
use std::collections::BTreeSet;
use std::path::Path;

fn svg_with(figure: &Figure, theme: &Theme, text: SvgText) -> String {
    let options = RenderOptions { text, spec: None };
    String::from_utf8(render_with(figure, ImageFormat::Svg, theme, &options).unwrap()).unwrap()
}

fn svg(figure: &Figure) -> String {
    svg_with(figure, &Theme::light(), SvgText::Plain)
}

fn png(figure: &Figure, scale: f64, theme: &Theme) -> Vec<u8> {
    render(figure, ImageFormat::Png { scale }, theme).unwrap()
}

fn of_class<'a>(document: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node<'_, '_>| {
        node.attribute("class").is_some_and(|classes| classes.split(' ').any(|c| c == class))
    };
    document.descendants().filter(has).collect()
}

fn attribute(node: &Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

fn tip<'a>(node: &Node<'a, 'a>) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name("title")).and_then(|title| title.text())
}

/// The absolute points of path data as this module writes it: M, l with repeats, h0, z.
fn points(data: &str) -> Vec<(f64, f64)> {
    let spaced =
        data.replace('-', " -").replace('M', " M ").replace('l', " l ").replace('z', " ").replace("h0", " ");
    let (mut at, mut absolute, mut found, mut x) = ((0.0, 0.0), true, Vec::new(), None);
    for word in spaced.split_whitespace() {
        match (word, x) {
            ("M", _) => absolute = true,
            ("l", _) => absolute = false,
            (number, None) => x = Some(number.parse::<f64>().unwrap()),
            (number, Some(first)) => {
                let step = (first, number.parse::<f64>().unwrap());
                at = if absolute { step } else { (at.0 + step.0, at.1 + step.1) };
                found.push(at);
                x = None;
            }
        }
    }
    found
}

/// Points of the visible path in the only group of that class.
fn path_of(figure: &Figure, class: &str) -> Vec<(f64, f64)> {
    let svg = svg(figure);
    let document = Document::parse(&svg).unwrap();
    let group = of_class(&document, class)[0];
    let path = group.children().rfind(|node| node.has_tag_name("path")).unwrap();
    points(path.attribute("d").unwrap())
}

fn near(found: &[(f64, f64)], expected: &[(f64, f64)]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| (a.0 - b.0).abs() < 0.011 && (a.1 - b.1).abs() < 0.011)
}

#[test]
fn hostile_names_come_back_whole_from_well_formed_xml() {
    let name = "a\"b'<script>alert(1)</script>&amp; ]]> \u{1b}[31m\u{0}🚀 漢字\nnext";
    let clean = "a\"b'<script>alert(1)</script>&amp; ]]> [31m🚀 漢字 next";
    let mut figure = square(vec![
        Shape::Dots {
            at: vec![(5.0, 5.0)],
            radius: 3.0,
            ink: Ink::Text,
            hollow: false,
            name: name.to_owned(),
        },
        Shape::Bar { x0: 1.0, x1: 2.0, y0: 0.0, y1: 4.0, ink: Ink::Text, name: name.to_owned() },
    ]);
    (figure.title, figure.alt, figure.id) = (name.to_owned(), name.to_owned(), name.to_owned());
    let placed = text(name, (10.0, 20.0), 12.0, Ink::Text, Role::Label);
    figure.texts.push(Placed { full: Some(name.to_owned()), ..placed });
    for lettering in [SvgText::Plain, SvgText::Embed, SvgText::Outline] {
        let svg = svg_with(&figure, &Theme::auto(), lettering);
        let document = Document::parse(&svg).unwrap();
        let texts = document.descendants().filter(|n| ["title", "desc"].contains(&n.tag_name().name()));
        assert_eq!(texts.map(|n| n.text().unwrap()).collect::<Vec<_>>(), [clean; 5], "{lettering:?}");
        assert!(!document.descendants().any(|n| n.has_tag_name("script")));
    }
    let svg = svg(&figure);
    let document = Document::parse(&svg).unwrap();
    assert_eq!(document.descendants().find(|n| n.has_tag_name("text")).unwrap().text(), Some(clean));
}

#[test]
fn the_root_says_size_and_purpose_and_refers_to_nothing_outside() {
    let svg = svg_with(&time_series(100), &Theme::auto(), SvgText::Plain);
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    for (name, expected) in
        [("width", "1200"), ("height", "675"), ("viewBox", "0 0 1200 675"), ("role", "img")]
    {
        assert_eq!(root.attribute(name), Some(expected));
    }
    let labels: Vec<&str> = root.attribute("aria-labelledby").unwrap().split(' ').collect();
    let label =
        |id: &str| document.descendants().find(|n| n.attribute("id") == Some(id)).and_then(|n| n.text());
    assert_eq!(label(labels[0]), Some("RAID 6 breaks the 20 ms target during scrub and rebuild"));
    assert_eq!(label(labels[1]), Some("Four lines over ten minutes; RAID 6 is highest and has two peaks."));
    assert_eq!(svg.matches("http").count(), 1, "the namespace is the only address");
    for word in ["href", "url(", "@import", "<script", "<image", "<metadata"] {
        assert!(!svg.contains(word), "{word}");
    }
}

#[test]
fn ids_of_two_pictures_in_one_page_do_not_meet() {
    let page = format!("<div>{}{}</div>", svg(&time_series(50)), svg(&every_shape()));
    let document = Document::parse(&page).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|n| n.attribute("id")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    assert!(
        ids.iter().all(|id| id.starts_with("clat-over-time") || id.starts_with("every-shape")),
        "{ids:?}"
    );
}

#[test]
fn style_sheets_of_a_picture_touch_that_picture_alone() {
    let svg = svg_with(&every_shape(), &Theme::auto(), SvgText::Plain);
    let document = Document::parse(&svg).unwrap();
    let style = document.descendants().find(|n| n.has_tag_name("style")).and_then(|n| n.text()).unwrap();
    let rules =
        style.strip_prefix("@media (prefers-color-scheme:dark){").and_then(|s| s.strip_suffix('}')).unwrap();
    let mut selectors = rules.split('}').filter(|rule| !rule.is_empty());
    assert!(selectors.all(|rule| rule.starts_with("#every-shape .pg-")), "{rules}");
}

#[test]
fn no_number_has_more_than_two_decimals() {
    for lettering in [SvgText::Plain, SvgText::Outline] {
        let svg = svg_with(&time_series(300), &Theme::light(), lettering);
        let document = Document::parse(&svg).unwrap();
        for value in document.descendants().flat_map(|n| n.attributes()).map(|a| a.value()) {
            for (dot, _) in value.match_indices('.') {
                let decimals = value[dot + 1..].bytes().take_while(u8::is_ascii_digit).count();
                assert!(decimals <= 2, "{lettering:?}: {value}");
            }
        }
    }
}

#[test]
fn a_line_is_cut_at_the_panel_and_not_bent_along_its_edge() {
    // From (5, 5) straight up and out; the panel's top is at 10 pixels.
    let up = square(vec![line(vec![(5.0, 5.0), (5.0, 40.0)], 0)]);
    assert!(near(&path_of(&up, "pg-line"), &[(60.0, 60.0), (60.0, 10.0)]));
    // From below zero at half the slope: enters at x = 2.
    let slope = square(vec![line(vec![(-2.0, -2.0), (22.0, 10.0)], 0)]);
    assert!(near(&path_of(&slope, "pg-line"), &[(30.0, 110.0), (110.0, 70.0)]));
}

#[test]
fn nothing_of_a_panel_leaves_its_area() {
    let wild = [(-50.0, 3.0), (3.0, 90.0), (5.0, -80.0), (7.0, 4.0), (400.0, 300.0), (8.0, 2.0)];
    let band = wild.iter().map(|&(x, y)| (x, y - 30.0, y + 30.0)).collect();
    let figure = square(vec![
        line(wild.to_vec(), 0),
        Shape::Band { parts: vec![band], ink: Ink::Series(1) },
        Shape::Bar { x0: -4.0, x1: 3.0, y0: -9.0, y1: 70.0, ink: Ink::Series(2), name: String::new() },
        Shape::Dots {
            at: wild.to_vec(),
            radius: 3.0,
            ink: Ink::Series(3),
            hollow: true,
            name: String::new(),
        },
        Shape::Interval { x: 9.0, low: -20.0, high: 60.0, cap: 4.0, ink: Ink::Text },
        Shape::Interval { x: 11.0, low: 2.0, high: 6.0, cap: 4.0, ink: Ink::Text },
        Shape::Rule { y: 10.5, ink: Ink::Warn, dash: Vec::new() },
        Shape::Mark { x: 10.5, ink: Ink::Warn, dash: Vec::new() },
    ]);
    let svg = svg(&figure);
    let document = Document::parse(&svg).unwrap();
    let inside = |(x, y): (f64, f64)| (9.99..=110.01).contains(&x) && (9.99..=110.01).contains(&y);
    let panel = of_class(&document, "pg-panel")[0];
    for node in panel.descendants() {
        let corners = match node.tag_name().name() {
            "path" => points(node.attribute("d").unwrap()),
            "circle" => vec![(attribute(&node, "cx"), attribute(&node, "cy"))],
            "rect" => {
                let (x, y) = (attribute(&node, "x"), attribute(&node, "y"));
                vec![(x, y), (x + attribute(&node, "width"), y + attribute(&node, "height"))]
            }
            _ => continue,
        };
        assert!(corners.iter().copied().all(inside), "{corners:?}");
    }
    assert_eq!(panel.descendants().filter(|n| n.has_tag_name("circle")).count(), 2, "two dots lie within");
    assert!(of_class(&document, "pg-rule").is_empty());
    assert_eq!(of_class(&document, "pg-interval").len(), 1);
}

#[test]
fn values_stand_where_a_log_axis_puts_them() {
    let mut figure = square(vec![line(vec![(1.0, 1.0), (10.0, 10.0), (100.0, 100.0)], 0)]);
    let panel = &mut figure.panels[0];
    for axis in [&mut panel.x, &mut panel.y] {
        (axis.scale, axis.min, axis.max) = (AxisScale::Log, 1.0, 100.0);
    }
    assert!(near(&path_of(&figure, "pg-line"), &[(10.0, 110.0), (60.0, 60.0), (110.0, 10.0)]));
}

#[test]
fn every_shape_is_drawn_with_its_class_and_tooltip() {
    let svg = svg(&every_shape());
    let document = Document::parse(&svg).unwrap();
    let counts = [
        ("pg-panel", 2),
        ("pg-gridlines", 2),
        ("pg-line", 8),
        ("pg-band", 7),
        ("pg-bar", 7),
        ("pg-dots", 14),
        ("pg-interval", 7),
        ("pg-rule", 1),
        ("pg-cut", 1),
        ("pg-title", 1),
        ("pg-label", 7),
    ];
    for (class, count) in counts {
        assert_eq!(of_class(&document, class).len(), count, "{class}");
    }
    assert_eq!(tip(&of_class(&document, "pg-bar")[3]), Some("Slot 3: 270"));
    assert_eq!(tip(&of_class(&document, "pg-dots")[0]), Some("Repeats of 0"));
    assert_eq!(tip(&of_class(&document, "pg-line")[0]), Some("Line 0"));
    let colour = |class: &str, name: &str| {
        of_class(&document, class)[0].children().find_map(|n| n.attribute(name)).unwrap()
    };
    assert_eq!(colour("pg-bar", "fill"), "#0448cc");
    assert_eq!(colour("pg-band", "fill-opacity"), ".16");
    assert_eq!(colour("pg-rule", "stroke-dasharray"), "6 5");
}

#[test]
fn a_line_has_a_halo_beneath_it_where_others_lie_below() {
    let svg =
        svg(&square(vec![line(vec![(0.0, 0.0), (9.0, 9.0)], 0), line(vec![(0.0, 9.0), (9.0, 0.0)], 1)]));
    let document = Document::parse(&svg).unwrap();
    let strokes = |group: &Node<'_, '_>| -> Vec<String> {
        group.children().filter_map(|n| n.attribute("stroke")).map(str::to_owned).collect()
    };
    let lines = of_class(&document, "pg-line");
    assert_eq!(strokes(&lines[0]), ["#0448cc"]);
    assert_eq!(strokes(&lines[1]), ["#ffffff", "#3b896f"]);
}

#[test]
fn a_part_of_one_point_is_a_dot() {
    let mut lonely = line(vec![(5.0, 5.0)], 0);
    if let Shape::Line { parts, .. } = &mut lonely {
        parts.push(vec![(6.0, 5.0), (7.0, 5.0)]);
    }
    let svg = svg(&square(vec![lonely]));
    let document = Document::parse(&svg).unwrap();
    let circle = document.descendants().find(|n| n.has_tag_name("circle")).unwrap();
    assert_eq!((attribute(&circle, "cx"), attribute(&circle, "cy")), (60.0, 60.0));
}

#[test]
fn an_interval_has_caps_at_the_ends_that_lie_within() {
    let interval = |high| square(vec![Shape::Interval { x: 5.0, low: 2.0, high, cap: 4.0, ink: Ink::Text }]);
    // The stem stands on a pixel centre (60.5), the caps reach 4 pixels to both sides of 60.
    let within = [(60.5, 90.0), (60.5, 30.0), (56.0, 90.5), (64.0, 90.5), (56.0, 30.5), (64.0, 30.5)];
    assert!(near(&path_of(&interval(8.0), "pg-interval"), &within));
    let beyond = [(60.5, 90.0), (60.5, 10.0), (56.0, 90.5), (64.0, 90.5)];
    assert!(near(&path_of(&interval(80.0), "pg-interval"), &beyond));
}

#[test]
fn a_cut_mark_points_up_at_the_upper_edge() {
    let figure = square(vec![Shape::Cut { at: vec![5.0, 50.0], ink: Ink::Context }]);
    assert!(near(&path_of(&figure, "pg-cut"), &[(60.0, 10.0), (64.0, 16.0), (56.0, 16.0)]));
}

#[test]
fn grid_lines_stand_at_ticks_that_ask_for_them() {
    let mut figure = square(Vec::new());
    let tick = |at, grid| crate::chart::Tick { at, label: String::new(), grid };
    figure.panels[0].y.ticks = vec![tick(0.0, false), tick(5.0, true), tick(50.0, true)];
    assert!(near(&path_of(&figure, "pg-gridlines"), &[(10.0, 60.5), (110.0, 60.5)]));
}

#[test]
fn an_elided_text_shows_the_whole_while_the_pointer_rests_on_it() {
    let mut figure = empty("elided", 100.0, 100.0);
    let short = text("a…z", (10.0, 20.0), 12.0, Ink::Series(2), Role::Label);
    figure.texts.push(Placed { full: Some("abcz".to_owned()), halo: true, ..short });
    let svg = svg(&figure);
    let document = Document::parse(&svg).unwrap();
    let node = document.descendants().find(|n| n.has_tag_name("text")).unwrap();
    assert_eq!((node.text(), tip(&node.parent().unwrap())), (Some("a…z"), Some("abcz")));
    assert_eq!(node.attribute("class"), Some("pg-text pg-fill pg-halo pg-label pg-s2"));
    assert_eq!(node.attribute("paint-order"), Some("stroke"));
    assert_eq!((node.attribute("x"), node.attribute("y")), (Some("10"), Some("20")));
}

#[test]
fn strokes_are_cut_at_the_picture() {
    let mut figure = empty("stroke", 100.0, 100.0);
    let points = vec![(50.0, 50.0), (50.0, 150.0)];
    figure.strokes.push(Stroke { points, ink: Ink::Axis, width: 2.0, dash: vec![4.0, f64::NAN] });
    let svg = svg(&figure);
    assert!(svg.contains("<path d=\"M50 50l0 50\""), "{svg}");
    assert!(!svg.contains("dasharray"), "a pattern that is no pattern is a solid line");
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let figure = time_series(200);
    for format in [ImageFormat::Svg, ImageFormat::Png { scale: 1.0 }, ImageFormat::Pdf] {
        let draw = || render(&figure, format, &Theme::auto()).unwrap();
        assert!(draw() == draw(), "{format:?}");
    }
}

#[test]
fn auto_is_light_with_a_style_sheet_and_a_light_png() {
    let figure = every_shape();
    let (light, auto) = (svg(&figure), svg_with(&figure, &Theme::auto(), SvgText::Plain));
    let (head, rest) = auto.split_once("<style>").unwrap();
    let (_, tail) = rest.split_once("</style>\n").unwrap();
    assert_eq!(format!("{head}{tail}"), light);
    assert!(png(&figure, 1.0, &Theme::auto()) == png(&figure, 1.0, &Theme::light()));
    assert!(png(&figure, 1.0, &Theme::dark()) != png(&figure, 1.0, &Theme::light()));
    assert!(svg_with(&figure, &Theme::dark(), SvgText::Plain).contains("fill=\"#12161b\""));
}

#[test]
fn figures_that_cannot_be_drawn_are_refused_with_the_reason() {
    let refused = |change: &dyn Fn(&mut Figure)| {
        let mut figure = square(vec![line(vec![(0.0, 0.0), (1.0, 1.0)], 0)]);
        change(&mut figure);
        render(&figure, ImageFormat::Svg, &Theme::light()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|f| f.size.width = f64::NAN),
        "a picture of NaN x 120 pixels: expected 1 to 16384 pixels a side"
    );
    assert_eq!(
        refused(&|f| f.panels[0].rect.width = 1e9),
        "panel 0: the plot area is no rectangle within the picture"
    );
    assert_eq!(
        refused(&|f| f.panels[0].x.max = 0.0),
        "panel 0: the x axis goes from 0 to 0; expected finite, increasing ends"
    );
    assert_eq!(
        refused(&|f| f.panels[0].y.scale = AxisScale::Log),
        "panel 0: the y axis goes from 0 to 10; expected finite, increasing ends, above zero on a log scale"
    );
    for scale in [f64::NAN, 0.0, -1.0, 1e9] {
        let result = render(&square(Vec::new()), ImageFormat::Png { scale }, &Theme::light());
        assert!(matches!(result, Err(RenderError::Size { .. })), "{scale}");
    }
}

#[test]
fn hostile_numbers_neither_panic_nor_break_the_document() {
    let hostile = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 1e-320, -0.0, 5.0];
    for a in hostile {
        for b in hostile {
            let mut figure = square(vec![
                Shape::Line {
                    parts: vec![vec![(a, b), (5.0, 5.0), (b, a)], vec![(a, b)], Vec::new()],
                    ink: Ink::Series(255),
                    dash: vec![a, b],
                    width: a,
                    name: String::new(),
                },
                Shape::Band {
                    parts: vec![vec![(a, b, a), (5.0, a, b), (b, a, b)], vec![(a, a, b)]],
                    ink: Ink::Context,
                },
                Shape::Bar { x0: a, x1: b, y0: b, y1: a, ink: Ink::Text, name: String::new() },
                Shape::Dots {
                    at: vec![(a, b), (5.0, 5.0)],
                    radius: a,
                    ink: Ink::Text,
                    hollow: true,
                    name: String::new(),
                },
                Shape::Interval { x: 5.0, low: a, high: b, cap: a, ink: Ink::Text },
                Shape::Rule { y: a, ink: Ink::Text, dash: vec![b] },
                Shape::Mark { x: a, ink: Ink::Text, dash: vec![b] },
                Shape::Cut { at: vec![a, b, 5.0], ink: Ink::Text },
            ]);
            figure.texts.push(text("text", (a, b), b, Ink::Text, Role::Note));
            figure.strokes.push(Stroke {
                points: vec![(a, b), (b, a), (5.0, a)],
                ink: Ink::Text,
                width: b,
                dash: vec![a],
            });
            Document::parse(&svg(&figure)).unwrap();
        }
    }
}

/// For the eye: `cargo test --no-default-features --lib pictures -- --ignored`.
#[test]
#[ignore = "writes pictures for the eye into the temporary directory"]
fn pictures_for_the_eye_are_written() {
    let folder = std::env::temp_dir().join("plotgen-pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &Path, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    for figure in [time_series(600), every_shape()] {
        for lettering in [SvgText::Embed, SvgText::Outline] {
            let svg = svg_with(&figure, &Theme::auto(), lettering);
            write(Path::new(&format!("{}-{lettering:?}.svg", figure.id)), svg.as_bytes());
        }
        for theme in [Theme::light(), Theme::dark(), Theme::auto()] {
            for format in [ImageFormat::Svg, ImageFormat::Png { scale: 1.0 }, ImageFormat::Pdf] {
                let name = format!("{}-{}.{}", figure.id, theme.name, format.extension());
                write(Path::new(&name), &render(&figure, format, &theme).unwrap());
            }
        }
    }
}

#[test]
fn the_users_families_come_first_and_colours_stay_in_every_theme() {
    let mut figure = square(vec![Shape::Bar {
        x0: 1.0,
        x1: 2.0,
        y0: 0.0,
        y1: 5.0,
        ink: Ink::Own([0, 0x72, 0xb2]),
        name: String::new(),
    }]);
    figure.family = Some("Source Sans 3, 'Gill & Sons', serif".to_owned());
    let svg = String::from_utf8(render(&figure, ImageFormat::Svg, &Theme::auto()).unwrap()).unwrap();
    let document = Document::parse(&svg).unwrap();
    let families = document.root_element().attribute("font-family").unwrap();
    assert!(families.starts_with("'Source Sans 3', 'Gill & Sons', serif, Inter, "), "{families}");
    let bar = of_class(&document, "pg-0072b2")[0];
    assert_eq!(bar.descendants().find_map(|n| n.attribute("fill")), Some("#0072b2"));
    assert!(svg.contains(" .pg-0072b2{color:#0072b2}"), "{svg}");
}
