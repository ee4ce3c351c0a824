//! A line of bonnie++ 2.00a, and one of 1.96 by hand (`bonnie-1.96.csv` is synthetic).

use super::*;
use crate::ingest::testing::read;
use crate::ingest::testing::{assert_close, claims, fixture, refusal, run, runs, warnings};

#[test]
fn tests_that_were_too_short_have_no_rate() {
    let text = fixture("bonnie/bonnie-2.00a.csv");
    let runs = runs(&Bonnie, &text);
    let putc = run(&runs, "putc");
    assert_eq!(putc.tool.version.as_deref(), Some("2.00a"));
    assert_close(putc.mean_of(Metric::Bw, Ddir::Write), 729.0 * 1024.0);
    assert_close(putc.mean_of(Metric::Cpu, Ddir::Mixed), 0.17);
    assert_close(putc.figures(Metric::Lat, Ddir::Write).and_then(|s| s.max), 85_296_000.0);
    assert_close(run(&runs, "getc").mean_of(Metric::Bw, Ddir::Read), 1027.0 * 1024.0);
    assert_close(run(&runs, "getc").figures(Metric::Lat, Ddir::Read).and_then(|s| s.max), 118e6);
    let write = run(&runs, "write");
    assert!(write.figures(Metric::Bw, Ddir::Write).is_none());
    assert_close(write.figures(Metric::Lat, Ddir::Write).and_then(|s| s.max), 29_165_000.0);
    let remarks = read(&Bonnie, &text).map(|p| p.remarks).unwrap_or_default();
    assert_eq!(
        remarks[0].message,
        "too short to time (`+++++`), no rate: write, rewrite, read, seeks; let it use larger files"
    );
}

#[test]
fn the_older_layout_has_two_fields_less() {
    let runs = runs(&Bonnie, &fixture("bonnie/bonnie-1.96.csv"));
    assert_eq!(runs.len(), 6);
    let write = run(&runs, "write");
    assert_eq!(write.stated(), "rw=write bs=4k numjobs=1 size=8g test=write");
    assert_close(write.mean_of(Metric::Bw, Ddir::Write), 204_800.0 * 1024.0);
    assert_close(run(&runs, "read").mean_of(Metric::Bw, Ddir::Read), 409_600.0 * 1024.0);
    let seeks = run(&runs, "seeks");
    assert_close(seeks.mean_of(Metric::Iops, Ddir::Mixed), 312.5);
    assert_close(seeks.figures(Metric::Lat, Ddir::Mixed).and_then(|s| s.max), 310e6);
    assert_close(run(&runs, "rewrite").figures(Metric::Lat, Ddir::Mixed).and_then(|s| s.max), 2e9);
}

#[test]
fn a_line_among_other_text_is_found_and_its_table_is_passed_over() {
    let text = format!(
        "Version 2.00a ------Sequential Output------\nbox 64M 729k 17\n\n{}",
        fixture("bonnie/bonnie-2.00a.csv")
    );
    assert_eq!(runs(&Bonnie, &text).len(), 6);
    assert!(!claims(&Bonnie, "1.96,3,4\n1.98,x,,,,,,,,,,,,,,\n"));
}

#[test]
fn a_line_that_is_cut_is_refused() {
    let text = fixture("bonnie/bonnie-2.00a.csv");
    let cut = text.get(..text.len() - 20).unwrap_or_default();
    let (line, message) = refusal(&Bonnie, cut);
    assert_eq!(
        (line, message.as_str()),
        (Some(1), "expected the 50 fields of format 1.98, found 43; left out")
    );
}

#[test]
fn nonsense_is_named() {
    let text = fixture("bonnie/bonnie-1.96.csv").replace("204800", "2O4800").replace("1250ms", "1250h");
    assert_eq!(
        warnings(&Bonnie, &text),
        [
            (Some(1), "`write`: expected a number from 0 on, found `2O4800`; left out".to_owned()),
            (
                Some(1),
                "`write latency`: expected a number with us, ms or s, found `1250h`; left out".to_owned()
            ),
        ]
    );
}
