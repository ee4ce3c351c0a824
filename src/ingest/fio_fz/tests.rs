#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::ingest::{Content, LatUnit, UnitCertainty};
use crate::model::{Ddir, SeriesKind};
use flate2::{Compression, write::ZlibEncoder};
use proptest::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Records of 40 bytes, as fio 3.9 to 3.36 writes them with offsets: time, value, direction, offset.
fn middle(rows: &[(u64, u64, u32, u64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &(t, value, direction, offset) in rows {
        bytes.extend(t.to_le_bytes());
        bytes.extend(value.to_le_bytes());
        bytes.extend((direction | 0x8000_0000).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(4096u64.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
    }
    bytes
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read(name: &str, bytes: &[u8]) -> Result<Parsed, IngestError> {
    let context = ReadContext { name, ..ReadContext::default() };
    FioFz.read(&mut &bytes[..], &context)
}

fn text(bytes: &[u8]) -> String {
    let mut text = String::new();
    Rows::new(bytes).unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn records_become_the_lines_that_fio_writes() {
    let bytes = packed(&middle(&[(0, 561_846, 0, 4_046_848), (7, 623_119, 1, 0)]));
    assert_eq!(text(&bytes), "0, 561846, 0, 4096, 4046848, 0\n7, 623119, 1, 4096, 0, 0\n");
    let parsed = read("a_clat.1.log.fz", &bytes).unwrap();
    let Content::Log(log) = &parsed.content else { panic!("a log") };
    assert_eq!((parsed.rows, log.lat_unit), (2, Some((LatUnit::Nanoseconds, UnitCertainty::Known))));
    assert_eq!((log.name.prefix.as_str(), log.per_io), ("a", true));
    let (_, SeriesKind::Cells(grid)) = &log.segments[0].series[0] else { panic!("cells") };
    assert_eq!((log.segments[0].series[0].0, grid.total().sum), (Ddir::Read, 561_846));
}

#[test]
fn a_maximum_and_an_issue_time_have_their_columns() {
    let mut record = Vec::new();
    for field in [20u64, 300, 900] {
        record.extend(field.to_le_bytes());
    }
    record.extend((1u32 | 0xf000_0000).to_le_bytes());
    record.extend(0x2003u16.to_le_bytes());
    record.extend([0; 2]);
    for field in [512u64, 8192, 77] {
        record.extend(field.to_le_bytes());
    }
    assert_eq!(text(&packed(&record)), "20, 300, 900, 1, 512, 8192, 0x2003, 77\n");
}

#[test]
fn compressed_histograms_are_refused_with_the_reason() {
    let bytes = packed(&[1; 4000]);
    let head = Head { name: "a_clat_hist.1.log.fz", bytes: &bytes, whole: true };
    assert!(FioFz.detect(&head).is_some());
    let message = read("a_clat_hist.1.log.fz", &bytes).unwrap_err().to_string();
    assert!(message.contains("addresses") && message.contains("log_store_compressed"), "{message}");
}

#[test]
fn a_cut_file_gives_its_whole_records_and_says_so() {
    let rows: Vec<_> = (0..5000).map(|i| (i, 1000 + i * i % 977, (i % 2) as u32, i * 4096)).collect();
    let whole = packed(&middle(&rows));
    let parsed = read("a_clat.1.log.fz", &whole[..whole.len() - whole.len() / 4]).unwrap();
    assert!(parsed.rows > 1000 && parsed.rows < 5000, "{}", parsed.rows);
    assert!(parsed.remarks.iter().any(|remark| remark.message.contains("cut")));
}

#[test]
fn other_zlib_streams_are_not_claimed() {
    let bytes = packed(b"a text that somebody has compressed, long enough for a record or two of any layout");
    let claim = |name| FioFz.detect(&Head { name, bytes: &bytes, whole: true });
    assert_eq!(claim("notes.z"), None);
    assert!(claim("a_clat.1.log.fz").is_some());
    assert!(read("a_clat.1.log.fz", &bytes).unwrap_err().to_string().contains("packed records"));
    assert_eq!(FioFz.detect(&Head { name: "a_clat.1.log.fz", bytes: b"500, 1, 0\n", whole: true }), None);
}

#[test]
fn logs_of_every_version_are_the_text_that_fio_inflates_them_to_line_for_line() {
    let root = std::env::var_os("PLOTGEN_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let root = root.join("corpus/fio-versions");
    if !root.is_dir() {
        println!("skipped: no shared corpus");
        return;
    }
    let mut compared = 0;
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.path().extension().is_none_or(|extension| extension != "fz") {
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        let name = entry.file_name().to_str().unwrap();
        assert!(FioFz.detect(&Head { name, bytes: &bytes, whole: true }).is_some(), "{name}");
        let parsed = read(name, &bytes).unwrap();
        let ours = text(&bytes);
        assert_eq!(parsed.rows, ours.lines().count() as u64);
        let Ok(inflated) = std::fs::read_to_string(entry.path().with_extension("inflated.txt")) else {
            continue;
        };
        let inflated = inflated.trim_end().lines();
        // fio 3.9 to 3.17 has the record of 3.18, but no priority yet.
        let before_priority = entry.path().to_string_lossy().contains("/3.16/");
        let ours: Vec<&str> = ours
            .lines()
            .map(|line| if before_priority { line.strip_suffix(", 0").unwrap() } else { line })
            .collect();
        assert_eq!(ours, inflated.collect::<Vec<_>>(), "{}", entry.path().display());
        compared += 1;
    }
    assert!(compared >= 5, "{compared}");
}

proptest! {
    #[test]
    fn any_records_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), flip in 0usize..400) {
        let mut file = packed(&bytes);
        let _ = read("a_clat.1.log.fz", &file);
        if let Some(byte) = file.get_mut(flip) {
            *byte ^= 0x55;
        }
        let _ = FioFz.detect(&Head { name: "a_clat.1.log.fz", bytes: &file, whole: true });
        let _ = read("a_clat.1.log.fz", &file);
    }

    #[test]
    fn records_of_any_fields_are_read_or_refused(
        rows in prop::collection::vec((any::<u64>(), any::<u64>(), 0u32..3, any::<u64>()), 1..50),
    ) {
        let rows: Vec<_> = rows.into_iter().map(|(t, v, d, o)| (t >> (t % 60), v, d, o)).collect();
        let _ = read("a_clat.1.log.fz", &packed(&middle(&rows)));
    }
}
