//! The architecture, held by a scan of `use` lines and paths.

use crate::support::package;
use std::fs;
use std::path::{Path, PathBuf};

/// Stages in the order in which data flows; a stage may use those before it.
const STAGES: &[&str] = &[
    "model", "aside", "columnar", "spec", "discover", "envelope", "cache", "ingest", "analyze", "chart",
    "render", "gallery", "cli",
];

/// Crates and the places where each may stand; most have one.
const HEAVY: &[(&str, &str)] = &[
    ("plotters", "src/render"),
    ("plotters_backend", "src/render"),
    ("resvg", "src/render"),
    ("polars", "src/analyze/frame.rs"),
    ("parquet", "src/columnar"),
    ("bytes", "src/columnar"),
    ("tera", "src/gallery"),
    ("glob", "src/discover"),
    ("walkdir", "src/discover"),
    ("clap", "src/cli"),
    ("indicatif", "src/cli"),
    ("comfy_table", "src/cli"),
    ("pdf_writer", "src/render/pdf"),
    ("subsetter", "src/render/pdf"),
    ("font_subset", "src/render/embed.rs"),
    ("flate2", "src/envelope"),
    ("flate2", "src/render/pdf"),
    ("zstd", "src/envelope"),
    ("liblzma", "src/envelope"),
    ("bzip2", "src/envelope"),
    ("tar", "src/ingest/archive.rs"),
    ("etcetera", "src/cache"),
    ("statrs", "src/analyze"),
    ("roxmltree", "src/ingest/diskspd"),
    ("roxmltree", "src/render/metadata.rs"),
    ("pulp", "src/ingest/fio_log"),
];

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") && !is_test(&path) {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(package()).unwrap().to_path_buf(), text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&package().join("src"), &mut found);
    assert!(found.len() > 30);
    found
}

/// Tests beside the code may use what they like.
fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|c| c.as_os_str() == "tests")
}

/// The code lines of a file, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn a_stage_never_uses_a_later_one() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let part = path.components().nth(1).unwrap().as_os_str().to_string_lossy().into_owned();
        let stage = part.trim_end_matches(".rs");
        let Some(rank) = STAGES.iter().position(|s| *s == stage) else { continue };
        for line in code(&text) {
            for later in &STAGES[rank + 1..] {
                if line.contains(&format!("crate::{later}::")) || line.contains(&format!("crate::{{{later}"))
                {
                    wrong.push(format!("{}: {}", path.display(), line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_heavy_crate_stands_in_one_place() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        for (name, _) in HEAVY {
            let mut places = HEAVY.iter().filter(|(other, _)| other == name).map(|(_, place)| place);
            let here = places.any(|place| path.starts_with(place) || path.starts_with(format!("{place}.rs")));
            let uses =
                |line: &&str| line.contains(&format!("use {name}::")) || line.contains(&format!(" {name}::"));
            if !here && let Some(line) = code(&text).find(uses) {
                wrong.push(format!("{} uses {name}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
