//! Pictures of real charts: as a browser shows them, many in one page, and what they say about themselves.

use crate::browser::chromium;
use crate::support::{campaign, package, sample};
use image_compare::prelude::RgbImage;
use plotgen::chart::{Figure, chart};
use plotgen::model::{Campaign, Dimension, Measure, Metric};
use plotgen::render::{ImageFormat, RenderOptions, SvgText, Theme, metadata, render_with};
use plotgen::spec::{Channel, ChartSpec, Mark, Size, XChannel, suggest};
use roxmltree::{Document, Node};
use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::Path;
use std::process::Command;

/// How much a PNG may differ from the browser's view of the SVG: 1 less the hybrid score of
/// image-compare (structure of the lightness, colour), 0 for equal pictures. Two rasterisers that
/// smooth the edges of letters and lines in their own ways are apart by 0.009 to 0.034.
const BOUND: f64 = 0.045;

fn draw(figure: &Figure, format: ImageFormat, theme: &Theme, options: &RenderOptions) -> Vec<u8> {
    render_with(figure, format, theme, options).unwrap()
}

/// A chart of each mark: lines with bands, bars with intervals, hatched bars, joined dots.
fn marks() -> (Campaign, Vec<ChartSpec>) {
    let campaign = campaign(&[&sample("level-sweep"), &sample("qd-sweep")]);
    let suggested = suggest(&campaign);
    let named = |id: &str| {
        let found = suggested.iter().find(|spec| spec.id == id);
        found.unwrap_or_else(|| panic!("{id} is not among the charts")).clone()
    };
    let y = Measure::mean(Metric::Iops);
    let mut hatched = ChartSpec::new("hatched", Mark::Bar, XChannel::Dimension(Dimension::Raid), y);
    hatched.color = Some(Channel::Ddir);
    let specs =
        vec![named("lat-time-by-iodepth"), named("iops-by-raid"), hatched, named("lat-iops-over-iodepth")];
    (campaign, specs)
}

fn decoded(bytes: &[u8]) -> RgbImage {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let step = frame.color_type.samples();
    let rgb = pixels.chunks_exact(step).flat_map(|p| [p[0], p[1], p[2]]).collect();
    RgbImage::from_raw(frame.width, frame.height, rgb).unwrap()
}

fn cut(image: &RgbImage, top: u32, (width, height): (u32, u32)) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| *image.get_pixel(x, top + y))
}

fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
    1.0 - image_compare::rgb_hybrid_compare(a, b).unwrap().score
}

/// What the browser makes of a page.
fn shot(chromium: &Path, page: &Path, (width, height): (u32, u32)) -> RgbImage {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("shot.png");
    let status = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--hide-scrollbars"])
        .args(["--force-device-scale-factor=1", "--force-color-profile=srgb", "--disable-lcd-text"])
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("--screenshot={}", out.display()))
        .arg(format!("file://{}", page.display()))
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    decoded(&std::fs::read(out).unwrap())
}

#[test]
fn a_png_looks_like_the_svg_in_a_browser() {
    let Some(chromium) = chromium() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (campaign, specs) = marks();
    let options = RenderOptions { text: SvgText::Embed, spec: None };
    let mut page = String::from("<body style=\"margin:0\">");
    let mut ours = Vec::new();
    for spec in &specs {
        for size in [Size::FULL, Size::THUMB] {
            let figure = chart(&campaign, &spec.sized(size)).unwrap();
            for theme in [Theme::light(), Theme::dark()] {
                let name = format!("{}-{}-{}.svg", spec.id, size.width, theme.name);
                let svg = draw(&figure, ImageFormat::Svg, &theme, &options);
                std::fs::write(dir.path().join(&name), svg).unwrap();
                page.push_str(&format!("<img src=\"{name}\" style=\"display:block\">"));
                let png = decoded(&draw(&figure, ImageFormat::Png { scale: 1.0 }, &theme, &options));
                ours.push((name, png));
            }
        }
    }
    let path = dir.path().join("page.html");
    std::fs::write(&path, page).unwrap();
    let height = ours.iter().map(|(_, png)| png.height()).sum();
    let seen = shot(&chromium, &path, (1200, height));

    let mut top = 0;
    let mut wrong = Vec::new();
    let mut before: Option<RgbImage> = None;
    for (name, png) in &ours {
        let theirs = cut(&seen, top, png.dimensions());
        top += png.height();
        let apart = difference(png, &theirs);
        println!("{name}: {apart:.4}");
        if apart > BOUND {
            wrong.push(format!("{name} differs by {apart:.4}"));
        }
        // The measure would notice: another theme or chart of the same size is far away.
        if let Some(other) = before.filter(|other| other.dimensions() == png.dimensions()) {
            let far = difference(png, &other);
            assert!(far > 2.0 * BOUND, "{name} and the picture before it differ by {far:.4} only");
        }
        before = Some(theirs);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_measure_notices_a_line_that_is_missing() {
    let (campaign, specs) = marks();
    let figure = chart(&campaign, &specs[0]).unwrap();
    let mut poorer = figure.clone();
    poorer.panels[0].shapes.pop();
    let png = |figure: &Figure| {
        decoded(&draw(figure, ImageFormat::Png { scale: 1.0 }, &Theme::light(), &RenderOptions::default()))
    };
    let (whole, poor) = (png(&figure), png(&poorer));
    assert_eq!(difference(&whole, &whole), 0.0);
    assert!(difference(&whole, &poor) > 0.001);
}

#[test]
fn ten_pictures_in_one_page_are_well_formed_and_share_no_id() {
    let campaign = campaign(&[&sample("")]);
    let specs: Vec<ChartSpec> = suggest(&campaign).into_iter().take(10).collect();
    assert_eq!(specs.len(), 10);
    let options = |spec: &ChartSpec| RenderOptions { spec: Some(spec.clone()), ..RenderOptions::default() };
    let pictures: Vec<String> = specs
        .iter()
        .map(|spec| {
            let figure = chart(&campaign, spec).unwrap();
            let bytes = draw(&figure, ImageFormat::Svg, &Theme::auto(), &options(spec));
            String::from_utf8(bytes).unwrap()
        })
        .collect();
    for picture in &pictures {
        let document = Document::parse(picture).unwrap();
        assert!(document.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")));
        // No word of where or when it was made.
        assert!(!picture.contains(&package().display().to_string()));
    }
    let page = format!("<div>{}</div>", pictures.concat());
    let document = Document::parse(&page).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    // What says what a picture is stands within that picture.
    let svgs: Vec<Node<'_, '_>> =
        document.descendants().filter(|n| n.attribute("role") == Some("img")).collect();
    assert_eq!(svgs.len(), 10);
    for svg in svgs {
        for id in svg.attribute("aria-labelledby").unwrap().split(' ') {
            let named = svg.descendants().find(|node| node.attribute("id") == Some(id)).unwrap();
            assert!(named.text().is_some_and(|text| text.len() > 10), "{id}");
        }
    }
}

#[test]
fn every_suggested_chart_comes_back_from_its_picture() {
    let campaign = campaign(&[&sample("")]);
    for (place, spec) in suggest(&campaign).iter().enumerate() {
        let figure = chart(&campaign, &spec.sized(Size::THUMB)).unwrap();
        let options = RenderOptions { spec: Some(spec.clone()), ..RenderOptions::default() };
        let mut formats = vec![ImageFormat::Svg];
        if place % 40 == 0 {
            formats.extend([ImageFormat::Png { scale: 1.0 }, ImageFormat::Pdf]);
        }
        for format in formats {
            let told = metadata(&draw(&figure, format, &Theme::light(), &options)).unwrap();
            assert_eq!(told.spec.as_ref(), Some(spec), "{} as {format:?}", spec.id);
            assert_eq!(told.source, figure.footer);
        }
    }
}

/// The texts of a PDF as Ghostscript reads them; None where it is absent, with a line that says so.
fn texts_of(pdf: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("a.pdf"), folder.path().join("a.txt"));
    std::fs::write(&path, pdf).unwrap();
    let run = Command::new("gs")
        .args(["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=txtwrite"])
        .arg(format!("-sOutputFile={}", out.display()))
        .arg(&path)
        .output();
    let Ok(output) = run else {
        eprintln!("skipped: no ghostscript");
        return None;
    };
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
    Some(std::fs::read_to_string(out).unwrap())
}

#[test]
fn every_text_of_a_chart_is_a_text_in_its_pdf() {
    let (campaign, specs) = marks();
    for spec in &specs {
        let figure = chart(&campaign, spec).unwrap();
        let pdf = draw(&figure, ImageFormat::Pdf, &Theme::light(), &RenderOptions::default());
        let Some(read) = texts_of(&pdf) else { return };
        // The reader guesses at blanks from distances.
        let dense = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let read = dense(&read);
        for placed in &figure.texts {
            assert!(read.contains(&dense(&placed.text)), "{}: `{}`", spec.id, placed.text);
        }
    }
}

#[test]
fn a_picture_found_somewhere_is_made_again_from_itself() {
    let dir = tempfile::tempdir().unwrap();
    let logs = sample("qd-sweep");
    let draw = |args: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("plotgen").unwrap();
        command.current_dir(dir.path()).arg("chart").args(args).arg(&logs).arg("-q").assert().code(0);
    };
    for suffix in ["svg", "png"] {
        let (first, again) = (format!("first.{suffix}"), format!("again.{suffix}"));
        draw(&["lat-by-iodepth", "-o", &first]);
        draw(&["--spec", &first, "-o", &again]);
        let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
        assert!(bytes(&first) == bytes(&again), "{suffix}");
    }
    std::fs::write(dir.path().join("noise.png"), [0x89, 0x50, 0xff, 0x00]).unwrap();
    let mut command = assert_cmd::Command::cargo_bin("plotgen").unwrap();
    let told = command
        .current_dir(dir.path())
        .args(["chart", "--spec", "noise.png"])
        .arg(&logs)
        .args(["-o", "x.png"])
        .assert()
        .code(2);
    let err = String::from_utf8_lossy(&told.get_output().stderr).into_owned();
    assert!(err.contains("expected a chart in TOML or JSON, or a picture that plotgen made"), "{err}");
}
