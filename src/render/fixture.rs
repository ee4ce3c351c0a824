//! Figures made by hand for the tests: one as a reader would see it, one with every shape.

use crate::chart::{
    Align, Axis, AxisScale, Figure, Ink, Panel, Placed, Rect, Role, Shape, Stroke, Table, Tick,
};
use crate::spec::Size;

/// A figure of that size with nothing on it.
pub(super) fn empty(id: &str, width: f64, height: f64) -> Figure {
    Figure {
        id: id.to_owned(),
        size: Size { width, height },
        title: String::new(),
        subtitle: String::new(),
        footer: String::new(),
        alt: String::new(),
        panels: Vec::new(),
        texts: Vec::new(),
        strokes: Vec::new(),
        hatched: false,
        notes: Vec::new(),
        table: Table::default(),
        runs: Vec::new(),
        family: None,
    }
}

pub(super) fn axis(min: f64, max: f64, step: f64) -> Axis {
    let count = ((max - min) / step).round() as u32;
    let ticks = (0..=count)
        .map(|i| min + f64::from(i) * step)
        .map(|at| Tick { at, label: format!("{at}"), grid: true })
        .collect();
    Axis { scale: AxisScale::Linear, min, max, ticks, title: String::new() }
}

pub(super) fn panel(rect: Rect, x: Axis, y: Axis, shapes: Vec<Shape>) -> Panel {
    Panel { title: String::new(), rect, x, y, shapes }
}

pub(super) fn text(text: &str, (x, y): (f64, f64), size: f64, ink: Ink, role: Role) -> Placed {
    let bold = matches!(role, Role::Title | Role::Label);
    let (full, align, halo) = (None, Align::Start, false);
    Placed { text: text.to_owned(), full, x, y, size, bold, align, ink, role, halo }
}

pub(super) fn line(points: Vec<(f64, f64)>, slot: u8) -> Shape {
    Shape::Line {
        parts: vec![points],
        ink: Ink::Series(slot),
        dash: Vec::new(),
        width: 2.25,
        name: format!("Series {slot}"),
    }
}

/// A panel of 100 x 100 pixels at (10, 10) in a picture of 120 x 120 that holds `shapes`; both axes go from 0 to 10.
pub(super) fn square(shapes: Vec<Shape>) -> Figure {
    let mut figure = empty("square", 120.0, 120.0);
    let rect = Rect { x: 10.0, y: 10.0, width: 100.0, height: 100.0 };
    let bare = |mut axis: Axis| {
        axis.ticks.clear();
        axis
    };
    figure.panels.push(panel(rect, bare(axis(0.0, 10.0, 5.0)), bare(axis(0.0, 10.0, 5.0)), shapes));
    figure
}

/// Numbers that look random and are the same everywhere (Lehmer's generator).
fn noise(seed: u32) -> impl FnMut() -> f64 {
    let mut state = u64::from(seed) * 2 + 1;
    move || {
        state = state * 48_271 % 2_147_483_647;
        state as f64 / 2_147_483_647.0 - 0.5
    }
}

/// Mean line with its band: `points` windows of ten minutes around `level`, with two bumps.
fn course(slot: u8, level: f64, bumps: [f64; 2], points: u32) -> (Shape, Shape) {
    let mut random = noise(u32::from(slot) + 7);
    let mut drift = 0.0;
    let (mut mean, mut band) = (Vec::new(), Vec::new());
    for i in 0..points {
        let t = 600.0 * f64::from(i) / f64::from(points - 1);
        let bump = |at: f64, height: f64, width: f64| height * (-((t - at) / width).powi(2)).exp();
        drift = 0.9 * drift + 0.12 * level * random();
        let value = level + drift + bump(255.0, bumps[0], 38.0) + bump(442.0, bumps[1], 22.0);
        mean.push((t, value));
        let spread = 0.22 * value + 0.05 * level * random();
        band.push((t, value - spread, value + 1.4 * spread));
    }
    (line(mean, slot), Shape::Band { parts: vec![band], ink: Ink::Series(slot) })
}

/// A time series as the report has it, at full size.
pub(super) fn time_series(points: u32) -> Figure {
    let mut figure = empty("clat-over-time", 1200.0, 675.0);
    figure.title = "RAID 6 breaks the 20 ms target during scrub and rebuild".to_owned();
    figure.alt = "Four lines over ten minutes; RAID 6 is highest and has two peaks.".to_owned();
    let rect = Rect { x: 88.0, y: 112.0, width: 994.0, height: 481.0 };
    let series = [
        ("RAID 0", 4.0, [0.3, 0.1]),
        ("RAID 10", 6.4, [0.5, 0.4]),
        ("RAID 5", 11.6, [9.5, 4.6]),
        ("RAID 6", 17.5, [13.0, 6.5]),
    ];
    let (lines, bands): (Vec<Shape>, Vec<Shape>) =
        (0_u8..).zip(series).map(|(slot, (_, level, bumps))| course(slot, level, bumps, points)).unzip();
    let mut shapes = bands;
    shapes.push(Shape::Rule { y: 20.0, ink: Ink::Warn, dash: vec![6.0, 5.0] });
    shapes.extend(lines);
    let mut x = axis(0.0, 600.0, 120.0);
    x.ticks.iter_mut().for_each(|tick| tick.grid = false);
    figure.panels.push(panel(rect, x, axis(0.0, 50.0, 10.0), shapes));

    let mut texts = vec![
        text(&figure.title, (40.0, 52.0), 25.0, Ink::Text, Role::Title),
        text(
            "Random-write completion latency, 4 KiB blocks, queue depth 32. Line: mean of 1 s windows; band: p10–p90",
            (40.0, 80.0),
            15.5,
            Ink::Muted,
            Role::Subtitle,
        ),
        text(
            "Source: fio 3.36, 8 × NVMe, md RAID, chunk size 64 KiB · plotgen",
            (40.0, 653.0),
            12.5,
            Ink::Muted,
            Role::Footer,
        ),
    ];
    for step in 0..=5_u8 {
        let y = rect.bottom() - rect.height * f64::from(step) / 5.0 + 4.9;
        let label = text(&format!("{}", step * 10), (rect.x - 10.0, y), 13.5, Ink::Muted, Role::Tick);
        texts.push(Placed { align: Align::End, ..label });
        let x = rect.x + rect.width * f64::from(step) / 5.0;
        let label = if step == 0 { "0".to_owned() } else { format!("{} min", step * 2) };
        let label = text(&label, (x, rect.bottom() + 22.0), 13.5, Ink::Muted, Role::Tick);
        texts.push(Placed { align: Align::Middle, ..label });
        figure.strokes.push(Stroke {
            points: vec![(x, rect.bottom()), (x, rect.bottom() + 6.0)],
            ink: Ink::Axis,
            width: 1.0,
            dash: Vec::new(),
        });
    }
    texts.push(text("ms", (rect.x - 6.0, rect.y + 4.9), 13.5, Ink::Muted, Role::Axis));
    let target = text("20 ms target", (139.0, 392.0), 13.5, Ink::Warn, Role::Note);
    texts.push(Placed { halo: true, bold: true, ..target });
    for (slot, (name, level, _)) in (0_u8..).zip(series) {
        let y = rect.bottom() - rect.height * level / 50.0;
        let place = [568.0, 533.0, 482.0, 420.0][usize::from(slot)];
        texts.push(text(name, (1102.0, place), 15.0, Ink::Series(slot), Role::Label));
        texts.push(text(&format!("{level:.1} ms"), (1102.0, place + 15.0), 12.5, Ink::Muted, Role::Value));
        figure.strokes.push(Stroke {
            points: vec![(1086.0, y), (1098.0, place)],
            ink: Ink::Series(slot),
            width: 1.0,
            dash: Vec::new(),
        });
    }
    figure.strokes.push(Stroke {
        points: vec![(rect.x, rect.bottom()), (rect.right(), rect.bottom())],
        ink: Ink::Axis,
        width: 1.0,
        dash: Vec::new(),
    });
    figure.texts = texts;
    figure
}

/// Bars with intervals and repeats, a sweep over a log axis, cut marks, all seven slots: every shape in two panels.
pub(super) fn every_shape() -> Figure {
    let mut figure = empty("every-shape", 1200.0, 675.0);
    figure.title = "Every shape that a panel can hold".to_owned();
    figure.alt = "Bars at the left, lines at the right.".to_owned();
    let mut bars = Vec::new();
    for slot in 0..7_u8 {
        let (x, top) = (f64::from(slot), 420.0 - 50.0 * f64::from(slot));
        let ink = Ink::Series(slot);
        bars.push(Shape::Bar {
            x0: x - 0.36,
            x1: x + 0.36,
            y0: 0.0,
            y1: top,
            ink,
            name: format!("Slot {slot}: {top}"),
        });
        bars.push(Shape::Interval { x, low: top - 22.0, high: top + 22.0, cap: 6.0, ink: Ink::Text });
        let at = vec![(x - 0.12, top - 15.0), (x, top + 4.0), (x + 0.12, top + 13.0)];
        bars.push(Shape::Dots { at, radius: 3.5, ink, hollow: true, name: format!("Repeats of {slot}") });
    }
    let mut categories = axis(-0.5, 6.5, 1.0);
    categories.ticks.clear();
    let rect = Rect { x: 80.0, y: 112.0, width: 480.0, height: 480.0 };
    figure.panels.push(panel(rect, categories, axis(0.0, 500.0, 100.0), bars));

    let mut lines = Vec::new();
    for slot in 0..7_u8 {
        let level = |depth: f64| 20.0 + 60.0 * f64::from(slot) + 18.0 * depth.log2();
        let points: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].map(|d| (d, level(d))).to_vec();
        let ink = Ink::Series(slot);
        let band = points.iter().map(|&(x, y)| (x, y - 15.0, y + 15.0)).collect();
        lines.push(Shape::Band { parts: vec![band], ink });
        let dash = if slot % 2 == 0 { Vec::new() } else { vec![7.0, 4.0] };
        lines.push(Shape::Line {
            parts: vec![points.clone()],
            ink,
            dash,
            width: 2.25,
            name: format!("Line {slot}"),
        });
        lines.push(Shape::Dots {
            at: points,
            radius: 4.0,
            ink,
            hollow: false,
            name: format!("Points {slot}"),
        });
    }
    lines.push(Shape::Line {
        parts: vec![vec![(1.0, 480.0), (3.0, 640.0), (6.0, 470.0)], vec![(20.0, 470.0)]],
        ink: Ink::Context,
        dash: Vec::new(),
        width: 1.5,
        name: "Context".to_owned(),
    });
    lines.push(Shape::Rule { y: 250.0, ink: Ink::Warn, dash: vec![6.0, 5.0] });
    lines.push(Shape::Cut { at: vec![2.0, 3.0, 3.4], ink: Ink::Context });
    let depths = Axis {
        scale: AxisScale::Log,
        min: 1.0,
        max: 32.0,
        ticks: [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
            .map(|at| Tick { at, label: format!("{at}"), grid: true })
            .to_vec(),
        title: "iodepth".to_owned(),
    };
    let rect = Rect { x: 640.0, y: 112.0, width: 480.0, height: 480.0 };
    figure.panels.push(panel(rect, depths, axis(0.0, 500.0, 100.0), lines));
    figure.texts.push(text(&figure.title, (40.0, 52.0), 25.0, Ink::Text, Role::Title));
    for slot in 0..7_u8 {
        let place = (40.0 + 150.0 * f64::from(slot), 640.0);
        figure.texts.push(text(&format!("Name of slot {slot}"), place, 15.0, Ink::Series(slot), Role::Label));
    }
    figure
}
