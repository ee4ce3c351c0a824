//! Reports of CrystalDiskMark 8 and 5 and of KDiskMark 3. The fixtures are synthetic.

use super::*;
use crate::ingest::testing::{assert_close, claims, fixture, read, refusal, run, runs, warnings};

#[test]
fn lines_of_version_8_have_their_direction_from_the_section() {
    let runs = runs(&CrystalDiskMark, &fixture("crystaldiskmark/crystaldiskmark-8.txt"));
    assert_eq!(runs.len(), 5);
    let read = run(&runs, "read 1m q8 t1");
    assert_eq!(read.stated(), "rw=read bs=1m iodepth=8 numjobs=1 size=1g");
    assert_eq!(read.tool.version.as_deref(), Some("8.0.4"));
    assert_close(read.mean_of(Metric::Bw, Ddir::Read), 3_500_123_000.0);
    assert_close(read.mean_of(Metric::Iops, Ddir::Read), 3337.9);
    assert_close(read.mean_of(Metric::Lat, Ddir::Read), 2_395_670.0);
    assert_close(run(&runs, "randread 4k q32 t16").mean_of(Metric::Bw, Ddir::Read), 409_600_000.0);
    assert_close(run(&runs, "randwrite 4k q1 t1").mean_of(Metric::Lat, Ddir::Write), 99_500.0);
    let mix = run(&runs, "rw 1m q8 t1");
    assert_eq!(mix.stated(), "rw=rw bs=1m iodepth=8 numjobs=1 rwmixread=70 size=1g");
    assert_close(mix.mean_of(Metric::Bw, Ddir::Mixed), 1_048_576_000.0);
}

#[test]
fn lines_of_version_5_name_their_direction() {
    let runs = runs(&CrystalDiskMark, &fixture("crystaldiskmark/crystaldiskmark-5.txt"));
    assert_eq!(runs.len(), 5);
    let read = run(&runs, "read q32 t1");
    assert_eq!(read.stated(), "rw=read iodepth=32 numjobs=1 size=1g");
    assert_close(read.mean_of(Metric::Bw, Ddir::Read), 550_100_000.0);
    assert!(read.figures(Metric::Iops, Ddir::Read).is_none());
    let write = run(&runs, "randwrite 4k q32 t1");
    assert_close(write.mean_of(Metric::Iops, Ddir::Write), 60_000.0);
    assert_close(run(&runs, "read t1").mean_of(Metric::Bw, Ddir::Read), 530e6);
}

#[test]
fn kdiskmark_prints_thousands_of_kib() {
    // 500 IOPS of 1 MiB are 524 MB/s; it prints 512.
    let text = fixture("crystaldiskmark/kdiskmark-3.txt");
    let runs = runs(&CrystalDiskMark, &text);
    let first = run(&runs, "read 1m q8 t1");
    assert_eq!((first.tool.name.as_str(), first.tool.version.as_deref()), ("kdiskmark", Some("3.0.0")));
    assert_close(first.mean_of(Metric::Bw, Ddir::Read), 524_288_000.0);
    assert_close(run(&runs, "randread 4k q32 t1").mean_of(Metric::Bw, Ddir::Read), 204_800_000.0);
    assert_close(run(&runs, "write 1m q1 t1").mean_of(Metric::Bw, Ddir::Write), 262_144_000.0);
    let remarks = read(&CrystalDiskMark, &text).map(|p| p.remarks).unwrap_or_default();
    assert_eq!(remarks[0].message, "the MB/s are 1000 KiB/s, as the IOPS beside them show; read as such");
}

#[test]
fn the_oldest_lines_have_a_queue_depth_or_none() {
    let text = "           Sequential Read :   109.500 MB/s\n   Random Read 4KB (QD=32) :     2.048 MB/s [   500.0 IOPS]\n";
    let runs = runs(&CrystalDiskMark, text);
    assert_eq!(run(&runs, "read").stated(), "rw=read");
    assert_eq!(run(&runs, "randread 4k q32").stated(), "rw=randread bs=4k iodepth=32");
}

#[test]
fn cut_lines_and_lines_without_a_section_are_named() {
    let text = "CrystalDiskMark 8.0.4 x64\n[Read]\n  SEQ    1MiB (Q=  8, T= 1):  3500.1\n";
    let message = "expected a number and `MB/s` behind the test, found `3500.1`; left out";
    assert_eq!(refusal(&CrystalDiskMark, text), (Some(3), message.to_owned()));
    let text = "CrystalDiskMark 8.0.4 x64\n  SEQ    1MiB (Q=  8, T= 1):  3500.1 MB/s\n";
    let message = "expected `[Read]` or `[Write]` above the test, found neither; left out";
    assert_eq!(refusal(&CrystalDiskMark, text), (Some(2), message.to_owned()));
    assert!(!claims(&CrystalDiskMark, "Sequential Read : a chapter\nRandom thoughts (see below): none\n"));
}

#[test]
fn nonsense_is_named_and_the_rest_stands() {
    let text = fixture("crystaldiskmark/crystaldiskmark-8.txt").replace("3500.123", "35OO.123");
    let message = "expected a number and `MB/s` behind the test, found `35OO.123 MB/s [   3337.9 IOPS] <  2395.67 us>`; left out";
    assert_eq!(warnings(&CrystalDiskMark, &text), [(Some(9), message.to_owned())]);
}
