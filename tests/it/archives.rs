//! Archives, packed files and foreign encodings give the figures of the plain files.

use crate::bad_inputs::files;
use crate::cli::{empty, run};
use crate::support::{campaign, sample};
use plotgen::model::{Campaign, Statistic};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

/// A tar archive of a folder of samples, under the folder's name.
fn tar_of(folder: &str) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    builder.append_dir_all(folder, sample(folder)).unwrap();
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = liblzma::write::XzEncoder::new(Vec::new(), 1);
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

type Packer = fn(&[u8]) -> Vec<u8>;

/// Figures and dimensions of each run, by the last part of its id.
fn figures(campaign: &Campaign) -> BTreeMap<String, (Vec<String>, Vec<Statistic>)> {
    let figures = campaign.runs.iter().map(|record| {
        let id = record.run.id.rsplit('/').next().unwrap().to_owned();
        let dimensions = &record.run.dimensions;
        let dimensions =
            dimensions.iter().map(|(d, entry)| format!("{d}={}", entry.value.as_str())).collect();
        (id, (dimensions, record.statistics.clone()))
    });
    let figures: BTreeMap<_, _> = figures.collect();
    assert_eq!(figures.len(), campaign.runs.len());
    figures
}

#[test]
fn an_archive_of_a_folder_gives_the_figures_of_the_folder() {
    let plain = figures(&campaign(&[&sample("level-sweep")]));
    let dir = empty();
    let tar = tar_of("level-sweep");
    for (name, bytes) in
        [("r.tar", tar.clone()), ("r.tar.gz", gzip(&tar)), ("r.tar.xz", xz(&tar)), ("r.tbz", bzip2(&tar))]
    {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let packed = campaign(&[&path]);
        assert_eq!(
            packed.diagnostics.iter().filter(|d| d.severity > plotgen::model::Severity::Info).count(),
            0
        );
        assert!(packed.runs[0].run.id.starts_with(&format!("{name}/level-sweep/")));
        assert!(figures(&packed) == plain, "{name}");
    }
}

#[test]
fn packed_files_are_joined_like_plain_ones() {
    let plain = figures(&campaign(&[&sample("qd-sweep")]));
    let dir = empty();
    let packers: [(&str, Packer); 3] = [("gz", gzip), ("xz", xz), ("bz2", bzip2)];
    for (index, (path, bytes)) in files(&sample("qd-sweep")).into_iter().enumerate() {
        let (ending, pack) = packers[index % 3];
        let name = path.file_name().unwrap().to_str().unwrap();
        fs::write(dir.path().join(format!("{name}.{ending}")), pack(&bytes)).unwrap();
    }
    assert!(figures(&campaign(&[dir.path()])) == plain);
}

#[test]
fn text_in_utf_16_gives_the_figures_of_plain_text() {
    let folders = ["qd-sweep", "whole-surface"];
    for folder in folders {
        let plain = figures(&campaign(&[&sample(folder)]));
        let dir = empty();
        for (path, bytes) in files(&sample(folder)) {
            let text = format!("\u{feff}{}", String::from_utf8(bytes).unwrap());
            let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            fs::write(dir.path().join(path.file_name().unwrap()), bytes).unwrap();
        }
        assert!(figures(&campaign(&[dir.path()])) == plain, "{folder}");
    }
}

fn is_file(dir: &Path, name: &str) -> bool {
    dir.join(name).is_file()
}

#[test]
fn a_cut_archive_makes_a_report_of_what_is_there_and_exit_1() {
    let dir = empty();
    fs::create_dir(dir.path().join("in")).unwrap();
    let tar = gzip(&tar_of("qd-sweep"));
    fs::write(dir.path().join("in/r.tar.gz"), &tar[..tar.len() * 3 / 4]).unwrap();
    let (code, _, err) = run(&dir, &["in", "-o", "out", "--format", "svg"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("error: in/r.tar.gz: the archive"), "{err}");
    assert!(is_file(dir.path(), "out/index.html"));
    let (_, json, _) = run(&dir, &["inspect", "in", "--format", "json"]);
    let files: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&files[0]["path"], &files[0]["format"], &files[0]["status"]),
        (&"r.tar.gz".into(), &"tar".into(), &"failed".into())
    );
    assert!(files[1]["path"].as_str().unwrap().starts_with("r.tar.gz/qd-sweep/"));
}

#[test]
fn remarks_on_members_have_the_name_that_the_user_typed_in_front() {
    let dir = empty();
    fs::create_dir(dir.path().join("in")).unwrap();
    let mut builder = tar::Builder::new(Vec::new());
    for (name, text) in
        [("x_bw.1.log", "nothing\n"), ("good.csv", "# rbench 1\nmetric,ddir,value,unit\niops,read,5,1/s\n")]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        builder.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    fs::write(dir.path().join("in/r.tar"), builder.into_inner().unwrap()).unwrap();
    let (code, _, err) = run(&dir, &["./in", "-o", "out", "--format", "svg"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("warning: ./in/r.tar/x_bw.1.log:1: named like a log"), "{err}");
}
