//! What a drawn picture must hold, read back from the SVG and the PNG.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::fixture::{every_shape, time_series};
use super::{ImageFormat, Theme, render};
use std::path::Path;

/// For the eye: `cargo test --no-default-features --lib -- --ignored pictures`.
#[test]
#[ignore = "writes pictures for the eye into the temporary directory"]
fn pictures_for_the_eye_are_written() {
    let folder = std::env::temp_dir().join("plotgen-pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &Path, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    for figure in [time_series(600), every_shape()] {
        for theme in [Theme::light(), Theme::dark(), Theme::auto()] {
            for format in [ImageFormat::Svg, ImageFormat::Png { scale: 1.0 }] {
                let name = format!("{}-{}.{}", figure.id, theme.name, format.extension());
                write(Path::new(&name), &render(&figure, format, &theme).unwrap());
            }
        }
    }
}
