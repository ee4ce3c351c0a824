//! Long and large logs: readable, and small as pictures.

use crate::support::{campaign, shared};
use plotgen::chart::{Figure, Shape, chart};
use plotgen::model::Campaign;
use plotgen::render::{ImageFormat, Theme, render};
use plotgen::spec::{Size, named};
use std::path::PathBuf;

/// Most bytes of a picture, whatever the length of the log.
const MOST: usize = 300_000;

/// Folders of single runs that hold a log of more than 3 MB.
fn long_runs() -> Vec<PathBuf> {
    let Some(singles) = shared("corpus/public/singles") else { return Vec::new() };
    let has_large_log = |folder: &PathBuf| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files
            .filter(|f| f.path().extension().is_some_and(|e| e == "log"))
            .any(|f| f.metadata().is_ok_and(|m| m.len() > 3_000_000))
    };
    let mut found: Vec<PathBuf> = std::fs::read_dir(singles)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && has_large_log(path))
        .collect();
    found.extend(shared("corpus/fio-versions/3.33/big_perio"));
    found
}

fn draw(data: &Campaign, name: &str, size: Size) -> Figure {
    let spec = named(name, data).unwrap().remove(0).sized(size);
    chart(data, &spec).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn pictures_of_long_logs_are_small_and_hold_two_points_a_pixel_at_most() {
    for folder in long_runs() {
        let data = campaign(&[folder.as_path()]);
        for name in ["bw-time", "bw-amount"] {
            for size in [Size::FULL, Size::THUMB] {
                let figure = draw(&data, name, size);
                let bytes = render(&figure, ImageFormat::Svg, &Theme::auto()).unwrap().len();
                assert!(bytes < MOST, "{name}: {bytes} bytes");
                for panel in &figure.panels {
                    for shape in &panel.shapes {
                        let Shape::Line { parts, .. } = shape else { continue };
                        let points: usize = parts.iter().map(Vec::len).sum();
                        assert!(points as f64 <= 2.0 * panel.rect.width + 2.0, "{name}: {points} points");
                    }
                }
            }
        }
    }
}
