//! Every rule of the format, and every way to break one.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;

const CONTEXT: ReadContext<'_> =
    ReadContext { name: "t.csv", lat_unit: None, layout: None, runtime_ms: None };

fn read(text: &str) -> Result<Parsed, IngestError> {
    Rbench.read(&mut text.as_bytes(), &CONTEXT)
}

fn runs(text: &str) -> Vec<RunPart> {
    match read(text).unwrap().content {
        Content::Runs(runs) => runs,
        other => panic!("expected runs, found {other:?}"),
    }
}

/// Line and message of the error that a text gives.
fn refusal(text: &str) -> (u64, String) {
    match read(text).unwrap_err() {
        IngestError::Content { line, message } => (line.unwrap(), message),
        other => panic!("expected a content error, found {other}"),
    }
}

const EXAMPLE: &str = "\
# rbench 1
# raid=10 chunk=64K drives=6 fs=xfs rw=randread bs=4k iodepth=4 repeat=1
time_ms,metric,ddir,value,unit
500,iops,read,441,1/s
500,clat,read,9.05,ms
1000,iops,read,450,1/s
";

#[test]
fn the_documented_example_reads() {
    let runs = runs(EXAMPLE);
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.key, "");
    let dimensions: Vec<_> = run.dimensions.iter().map(|(d, v)| format!("{d}={v}")).collect();
    assert_eq!(
        dimensions,
        ["raid=10", "chunk=64k", "drives=6", "fs=xfs", "rw=randread", "bs=4k", "iodepth=4", "repeat=1"]
    );
    let iops = run.series.iter().find(|s| s.metric == Metric::Iops).unwrap();
    let sample = |end_ms, value| Sample { end_ms, value, partial: false };
    assert_eq!(
        iops.kind,
        SeriesKind::Windowed { window_ms: 500.0, samples: vec![sample(500, 441.0), sample(1000, 450.0)] }
    );
    let clat = run.series.iter().find(|s| s.metric == Metric::Clat).unwrap();
    let SeriesKind::Windowed { samples, .. } = &clat.kind else { panic!("windowed") };
    assert!((samples[0].value - 9_050_000.0).abs() < 1e-6);
}

#[test]
fn columns_come_in_any_order_and_others_are_dimensions() {
    let text = "# rbench 1\nunit,value,qd,metric,tuning,ddir\nMiB/s,2,8,bw,on,write\nkB/s,3,16,bw,,write\n";
    let runs = runs(text);
    assert_eq!(runs.len(), 2);
    let of = |qd: &str| runs.iter().find(|r| r.dimensions[&Dimension::Iodepth].as_str() == qd).unwrap();
    assert_eq!(of("8").key, "iodepth=8 tuning=on");
    assert_eq!(of("8").summaries[0].mean, Some(2.0 * 1_048_576.0));
    assert_eq!(of("16").key, "iodepth=16");
    assert_eq!(of("16").summaries[0].mean, Some(3000.0));
}

#[test]
fn rows_without_a_time_are_figures() {
    let text = "# rbench 1\n# a comment\n\nmetric,ddir,value,unit,stat,n\n\
        lat,read,2,ms,,100\nlat,read,1,ms,min,\nlat,read,9,ms,p99.9,\nlat,read,3,ms,p50,\nlat,read,50,%,cov,\nutil,mixed,85,%,,\n";
    let runs = runs(text);
    let lat = &runs[0].summaries[0];
    assert_eq!((lat.mean, lat.min, lat.count), (Some(2e6), Some(1e6), Some(100)));
    assert_eq!(lat.percentiles, [(0.5, 3e6), (0.999, 9e6)]);
    // Half of the mean.
    assert_eq!(lat.stddev, Some(1e6));
    let util = runs[0].summaries[1].mean.unwrap();
    assert!((util - 0.85).abs() < 1e-12);
}

#[test]
fn unknown_words_name_line_column_and_what_was_expected() {
    let with = |row: &str| format!("# rbench 1\nmetric,ddir,value,unit,stat\nbw,read,1,B/s,\n{row}\n");
    assert_eq!(
        refusal(&with("speed,read,1,B/s,")),
        (
            4,
            "column `metric`: expected one of bw, iops, lat, clat, slat, fsync, cpu, util, found `speed`"
                .to_owned()
        )
    );
    assert_eq!(
        refusal(&with("bw,both,1,B/s,")),
        (4, "column `ddir`: expected one of read, write, trim, mixed, found `both`".to_owned())
    );
    assert_eq!(
        refusal(&with("bw,read,1,KB/s,")),
        (
            4,
            "column `unit`: expected a unit of bw, one of B/s, kB/s, KiB/s, MB/s, MiB/s, GB/s, GiB/s, found `KB/s`"
                .to_owned()
        )
    );
    assert!(refusal(&with("clat,read,1,,")).1.contains("one of ns, us, ms, s, found ``"));
    assert!(refusal(&with("bw,read,1,B/s,p42")).1.starts_with("column `stat`: expected one of mean, min"));
    assert!(refusal(&with("bw,read,\"1,5\",B/s,")).1.starts_with("column `value`: expected a number"));
    assert!(refusal(&with("bw,read,-1,B/s,")).1.contains("found `-1`"));
    assert!(refusal(&with("bw,read,nan,B/s,")).1.contains("found `nan`"));
    assert_eq!(refusal(&with("bw,read,1")), (4, "expected 5 columns as in the header, found 3".to_owned()));
    assert!(refusal(&with("# raid=5")).1.contains("`#` line"));
}

#[test]
fn times_and_counts_are_checked() {
    let with = |row: &str| format!("# rbench 1\ntime_ms,metric,ddir,value,n,stat\n{row}\n");
    assert!(refusal(&with("soon,iops,read,1,,")).1.starts_with("column `time_ms`"));
    assert!(refusal(&with("-5,iops,read,1,,")).1.starts_with("column `time_ms`"));
    assert!(refusal(&with(",iops,read,1,1.5,")).1.starts_with("column `n`"));
    assert!(
        refusal(&with("500,iops,read,1,,p99")).1.starts_with("column `stat`: expected `mean` or nothing")
    );
}

#[test]
fn a_second_value_for_the_same_thing_is_refused() {
    let (line, message) = refusal("# rbench 1\nmetric,ddir,value\niops,read,1\niops,read,2\n");
    assert_eq!(line, 4);
    assert!(message.contains("the first is in line 3"), "{message}");
    let (line, message) = refusal("# rbench 1\ntime_ms,metric,ddir,value\n5,iops,read,1\n5,iops,read,2\n");
    assert_eq!(line, 4);
    assert!(message.contains("mean of read iops at 5 ms"), "{message}");
}

#[test]
fn headers_are_checked() {
    assert!(refusal("# rbench 1\nmetric,value\n").1.contains("found no `ddir`"));
    assert!(refusal("# rbench 1\nmetric,ddir,value,qd,iodepth\n").1.contains("twice"));
    assert!(refusal("# rbench 1\n# qd=4\nmetric,ddir,value,iodepth\n").1.contains("line 2"));
    assert!(refusal("# rbench 1\n# raid=5 chunk\n").1.contains("found `chunk`"));
    assert!(refusal("# rbench 1\n# raid=5\n# raid=6\n").1.contains("in line 2"));
}

#[test]
fn another_version_is_refused() {
    let (line, message) = refusal("# rbench 2\nmetric,ddir,value\n");
    assert_eq!(line, 1);
    assert!(message.starts_with("expected `# rbench 1`, found `# rbench 2`"), "{message}");
}

#[test]
fn a_table_without_rows_is_nothing() {
    let parsed = read("# rbench 1\nmetric,ddir,value\n").unwrap();
    assert!(matches!(parsed.content, Content::Nothing(_)));
    assert!(matches!(read("# rbench 1").unwrap().content, Content::Nothing(_)));
}

#[test]
fn only_the_first_line_makes_it_an_rbench_log() {
    let claim = |bytes: &[u8]| Rbench.detect(&Head { name: "x", bytes, whole: true }).is_some();
    assert!(claim(EXAMPLE.as_bytes()));
    assert!(claim(b"# rbench 1\r\n"));
    assert!(claim(b"# rbench 7"));
    assert!(!claim(b"time_ms,metric,ddir,value\n# rbench 1\n"));
    assert!(!claim(b"# rbenchmark 1\n"));
}

#[test]
fn windows_line_ends_change_nothing() {
    let text = EXAMPLE.replace('\n', "\r\n");
    assert_eq!(runs(&text)[0].series, runs(EXAMPLE)[0].series);
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(tail in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
        let mut bytes = b"# rbench 1\nmetric,ddir,value,unit,time_ms\n".to_vec();
        bytes.extend(tail);
        drop(Rbench.read(&mut bytes.as_slice(), &CONTEXT));
        Rbench.detect(&Head { name: "", bytes: &bytes[11..], whole: false });
    }
}

#[test]
fn syncs_have_no_direction() {
    let of = |ddir: &str| format!("# rbench 1\ntime_ms,metric,ddir,value,unit\n500,fsync,{ddir},4.5,ms\n");
    let run = &runs(&of("mixed"))[0];
    let SeriesKind::Windowed { samples, .. } = &run.series[0].kind else { panic!("windowed") };
    assert_eq!((run.series[0].metric, samples[0].value), (Metric::Fsync, 4_500_000.0));
    let (line, message) = refusal(&of("write"));
    assert_eq!(line, 3);
    assert_eq!(message, "column `ddir`: expected mixed, as syncs have no direction, found `write`");
}
