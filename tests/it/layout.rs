//! The promise of every picture, on real data: no text lies on another or leaves the canvas.
//!
//! Boxes are those of the embedded font's metrics. Themes change colours alone, so that one layout
//! stands for both: that is checked as well.

use crate::support::{campaign, public, sample, shared};
use plotgen::chart::{ChartError, Figure, Placed, Rect, Shape, chart};
use plotgen::model::Campaign;
use plotgen::render::{ImageFormat, Theme, render};
use plotgen::spec::{ChartSpec, Size, builtins, named, suggest};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A card on a telephone, a picture in a post, a poster.
const SIZES: [Size; 3] = [
    Size { width: 320.0, height: 200.0 },
    Size { width: 1200.0, height: 675.0 },
    Size { width: 3840.0, height: 2160.0 },
];

/// What breaks the promise in a figure.
fn faults(figure: &Figure) -> Vec<String> {
    let boxes: Vec<Rect> = figure.texts.iter().map(Placed::bounds).collect();
    let mut faults = Vec::new();
    for (i, (text, own)) in figure.texts.iter().zip(&boxes).enumerate() {
        let outside = own.x < 0.0
            || own.y < 0.0
            || own.right() > figure.size.width
            || own.bottom() > figure.size.height;
        if outside {
            faults.push(format!("`{}` leaves the canvas: {own:?}", text.text));
        }
        let others = figure.texts.iter().zip(&boxes).skip(i + 1);
        faults.extend(
            others
                .filter(|(_, other)| own.overlaps(other))
                .map(|(other, _)| format!("`{}` lies on `{}`", text.text, other.text)),
        );
    }
    faults
}

/// The suggested charts, and one of each built-in name that the campaign can fill.
fn charts(data: &Campaign) -> Vec<ChartSpec> {
    let mut specs = suggest(data);
    let dimensions: Vec<String> = data.varying().iter().map(|d| d.as_str().to_owned()).collect();
    for builtin in builtins() {
        for metric in ["iops", "bw", "lat"] {
            let mut name = builtin.name.replace("METRIC", metric).replace("STAT", "p99");
            // Each place of a dimension takes the next one.
            for dimension in dimensions.iter().chain(dimensions.first()) {
                name = name.replacen("DIMENSION", dimension, 1);
            }
            if let Ok(found) = named(&name, data) {
                specs.extend(found);
            }
        }
    }
    let mut seen = BTreeSet::new();
    specs.retain(|spec| seen.insert(spec.id.clone()));
    specs
}

/// Draws all charts of a campaign in all sizes; the number of figures, and what is wrong with them.
fn check(name: &str, data: &Campaign, most: usize) -> usize {
    let specs = charts(data);
    // Of very many charts every so many-th, the same in each run of the test.
    let step = specs.len().div_ceil(most).max(1);
    let jobs: Vec<(&ChartSpec, Size)> =
        specs.iter().step_by(step).flat_map(|spec| SIZES.map(|size| (spec, size))).collect();
    let drawn: Vec<(bool, Vec<String>)> = jobs
        .into_par_iter()
        .map(|(spec, size)| match chart(data, &spec.sized(size)) {
            Ok(figure) => {
                let place = |fault| format!("{name}, {} at {} px: {fault}", spec.id, size.width);
                (true, faults(&figure).into_iter().map(place).collect())
            }
            // A small card may have no room for what a picture has, and a name may ask for what is not there.
            Err(ChartError::Size { .. } | ChartError::NoData(_) | ChartError::Unsupported(_)) => {
                (false, Vec::new())
            }
            Err(error) => (false, vec![format!("{name}, {}: {error}", spec.id)]),
        })
        .collect();
    let faults: Vec<&String> = drawn.iter().flat_map(|(_, faults)| faults).collect();
    assert!(
        faults.is_empty(),
        "{} faults, the first ten: {:#?}",
        faults.len(),
        &faults[..faults.len().min(10)]
    );
    drawn.iter().filter(|(drawn, _)| *drawn).count()
}

#[test]
fn no_text_of_the_sample_logs_charts_lies_on_another() {
    let data = campaign(&[sample("").as_path()]);
    assert!(check("sample-logs", &data, usize::MAX) > 300);
}

#[test]
fn no_text_of_the_larger_campaigns_charts_lies_on_another() {
    let own =
        ["raid-campaign/mech7200", "raid-campaign/special", "corpus/fio-versions", "corpus/other-tools"];
    for folder in own.iter().filter_map(|folder| shared(folder)) {
        let data = campaign(&[folder.as_path()]);
        check(&folder.file_name().unwrap_or_default().to_string_lossy(), &data, 150);
    }
    for number in 1..=18 {
        let code = format!("C{number:02}");
        if let Some(folder) = public(&code, "") {
            let data = campaign(&[folder.as_path()]);
            if !data.runs.is_empty() {
                check(&code, &data, 60);
            }
        }
    }
}

#[test]
fn themes_change_colours_and_no_place() {
    let data = campaign(&[sample("level-sweep").as_path()]);
    for spec in suggest(&data).iter().take(6) {
        let figure = chart(&data, spec).unwrap();
        let texts = |theme: &Theme| -> Vec<(String, String, String)> {
            let svg = String::from_utf8(render(&figure, ImageFormat::Svg, theme).unwrap()).unwrap();
            let document = roxmltree::Document::parse(&svg).unwrap();
            let texts = document.descendants().filter(|node| node.has_tag_name("text"));
            let value =
                |node: &roxmltree::Node<'_, '_>, name| node.attribute(name).unwrap_or_default().to_owned();
            texts
                .map(|node| {
                    (value(&node, "x"), value(&node, "y"), node.text().unwrap_or_default().to_owned())
                })
                .collect()
        };
        let (light, dark) = (texts(&Theme::light()), texts(&Theme::dark()));
        assert!(light.len() > 5 && light == dark, "{}", spec.id);
    }
}

/// Dimensions of a run as text, and its rows: ms, metric, value.
type Tidy = (String, Vec<(u64, &'static str, f64)>);

/// Runs as text of the tidy format, read and analysed: a header of dimensions and rows `time_ms,metric,value` each.
fn tidy(runs: &[Tidy]) -> Campaign {
    let dir = tempfile::tempdir().unwrap();
    for (i, (dimensions, rows)) in runs.iter().enumerate() {
        let mut text = format!("# rbench 1\n# {dimensions}\ntime_ms,metric,ddir,value,unit\n");
        for (at, metric, value) in rows {
            let unit = if *metric == "iops" { "1/s" } else { "ns" };
            writeln!(text, "{at},{metric},read,{value},{unit}").unwrap();
        }
        std::fs::write(dir.path().join(format!("run-{i:02}.csv")), text).unwrap();
    }
    campaign(&[dir.path()])
}

/// A run of `count` seconds whose value at each second is computed.
fn seconds(dimensions: impl Into<String>, count: u64, value: impl Fn(u64) -> f64) -> Tidy {
    let rows =
        (1..=count).flat_map(|i| [(i * 1000, "iops", value(i)), (i * 1000, "lat", 1e9 / value(i).max(1.0))]);
    (dimensions.into(), rows.collect())
}

/// The chart of a name, which must be made.
fn figure(data: &Campaign, name: &str) -> Figure {
    let specs = named(name, data).unwrap_or_else(|error| panic!("{name}: {error}"));
    chart(data, &specs[0]).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn strange_inputs_give_sensible_pictures() {
    let level = |raid: u32| format!("raid={raid} rw=randread bs=4k iodepth=4 repeat=1");
    let levels = [0, 5, 6, 10];

    // Constant, all zero, one point: the axis has an extent, and something is drawn.
    for (what, value) in [("constant", 400.0), ("zero", 0.0)] {
        let data = tidy(&levels.map(|raid| seconds(level(raid), 30, |_| value)));
        assert!(check(what, &data, usize::MAX) > 10, "{what}");
        let time = figure(&data, "iops-time-by-raid");
        let panel = &time.panels[0];
        assert!(
            panel.y.min <= value && panel.y.max > value && panel.y.ticks.len() > 1,
            "{what}: {:?}",
            panel.y
        );
    }
    let data = tidy(&levels.map(|raid| seconds(level(raid), 1, |_| 400.0)));
    assert!(check("one point", &data, usize::MAX) > 5);

    // One sample a thousand times above the rest neither flattens them nor is hidden.
    let data = tidy(&levels.map(|raid| seconds(level(raid), 60, |i| if i == 31 { 4e5 } else { 400.0 })));
    check("one stall", &data, usize::MAX);
    let time = figure(&data, "iops-time-by-raid");
    assert!(time.panels.iter().all(|panel| panel.y.max < 2_000.0), "{:?}", time.panels[0].y);
    assert!(time.notes.iter().any(|note| note.contains("cut")), "{:?}", time.notes);
    assert!(time.panels.iter().any(|p| p.shapes.iter().any(|s| matches!(s, Shape::Cut { .. }))));

    // Sixty-four runs: a highlighted few or small multiples, never spaghetti without names.
    let many: Vec<_> = (0..64)
        .map(|i| {
            seconds(format!("device=nvme{i}n1 rw=randread bs=4k repeat=1"), 30, |t| {
                f64::from(i * 50 + 100) + t as f64
            })
        })
        .collect();
    let data = tidy(&many);
    assert!(check("64 series", &data, usize::MAX) > 3);
    assert!(figure(&data, "iops-time-by-device").notes.iter().any(|note| note.contains("64")));

    // Ten years of days.
    let day = 86_400_000;
    let years: Vec<(u64, &str, f64)> =
        (1..=3650).map(|i| (i * day, "iops", 400.0 + (i % 7) as f64)).collect();
    let data = tidy(&[("raid=5 rw=randread bs=4k".to_owned(), years)]);
    assert!(check("ten years", &data, usize::MAX) > 0);
    let time = figure(&data, "iops-time");
    assert!((2..=12).contains(&time.panels[0].x.ticks.len()), "{:?}", time.panels[0].x.ticks);

    // A combination that was never run is an empty place with a note.
    let grid: Vec<_> = levels
        .iter()
        .flat_map(|&raid| [16, 64].map(|chunk| (raid, chunk)))
        .filter(|pair| *pair != (6, 64))
        .map(|(raid, chunk)| {
            seconds(format!("raid={raid} chunk={chunk}k rw=randread bs=4k repeat=1"), 30, |_| 400.0)
        })
        .collect();
    let data = tidy(&grid);
    check("missing cell", &data, usize::MAX);
    let bars = figure(&data, "iops-by-raid-and-chunk");
    assert!(bars.notes.iter().any(|note| note.starts_with("No run for")), "{:?}", bars.notes);
}
