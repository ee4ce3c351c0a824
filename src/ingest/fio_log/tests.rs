//! Whole logs: each layout, each oddity, and real logs of eleven versions of fio.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod real;
mod ways;

use super::*;
use crate::ingest::{LatUnit, UnitCertainty};
use crate::model::{CellGrid, Ddir, Sample, SeriesKind, Severity};
use proptest::prelude::*;

fn read_with(name: &str, bytes: &[u8], change: impl Fn(&mut ReadContext<'_>)) -> Result<Parsed, IngestError> {
    let mut context = ReadContext { name, lat_unit: None, layout: None, runtime_ms: None };
    change(&mut context);
    let mut input = bytes;
    FioLog.read(&mut input, &context)
}

fn read(name: &str, text: &str) -> Parsed {
    read_with(name, text.as_bytes(), |_| ()).unwrap()
}

fn refusal(name: &str, text: &str) -> String {
    read_with(name, text.as_bytes(), |_| ()).unwrap_err().to_string()
}

fn log(parsed: &Parsed) -> &Log {
    match &parsed.content {
        Content::Log(log) => log,
        other => panic!("expected a log, found {other:?}"),
    }
}

/// (end, value) of the samples of a segment's direction.
fn samples(parsed: &Parsed, segment: usize, ddir: Ddir) -> Vec<(u64, f64)> {
    windows(parsed, segment, ddir).iter().map(|sample| (sample.end_ms, sample.value)).collect()
}

fn windows(parsed: &Parsed, segment: usize, ddir: Ddir) -> &[Sample] {
    let series = &log(parsed).segments[segment].series;
    match series.iter().find(|(of, _)| *of == ddir) {
        Some((_, SeriesKind::Windowed { samples, .. })) => samples,
        other => panic!("expected windows, found {other:?}"),
    }
}

fn grid(parsed: &Parsed, segment: usize, ddir: Ddir) -> &CellGrid {
    let series = &log(parsed).segments[segment].series;
    match series.iter().find(|(of, _)| *of == ddir) {
        Some((_, SeriesKind::Cells(grid))) => grid,
        other => panic!("expected cells, found {other:?}"),
    }
}

fn says(parsed: &Parsed, line: Option<u64>, words: &str) -> bool {
    parsed.remarks.iter().any(|remark| remark.line == line && remark.message.contains(words))
}

fn claims(name: &str, text: &str) -> Option<String> {
    FioLog.detect(&Head { name, bytes: text.as_bytes(), whole: true }).map(|claim| claim.reason)
}

// ---- layouts ----

#[test]
fn windowed_bandwidth_becomes_bytes_per_second_for_each_direction() {
    let parsed =
        read("a_bw.1.log", "500, 100, 0, 0, 0\n500, 7, 1, 0, 0\n1001, 200, 0, 0, 0\n1000, 8, 1, 0, 0\n");
    assert_eq!(samples(&parsed, 0, Ddir::Read), [(500, 102_400.0), (1001, 204_800.0)]);
    assert_eq!(samples(&parsed, 0, Ddir::Write), [(500, 7168.0), (1000, 8192.0)]);
    assert_eq!((parsed.rows, parsed.skipped), (4, 0));
    assert_eq!(
        (log(&parsed).per_io, log(&parsed).window_ms, log(&parsed).segments[0].last_ms),
        (false, Some(500.0), 1001)
    );
    assert_eq!(parsed.remarks, []);
}

#[test]
fn three_columns_are_microseconds_per_io() {
    let parsed = read("a_clat.log", "35, 1891, 0\n35, 247, 0\n36, 10, 1\n");
    assert_eq!(log(&parsed).lat_unit, Some((LatUnit::Microseconds, UnitCertainty::Known)));
    let total = grid(&parsed, 0, Ddir::Read).total();
    assert_eq!(
        (total.count, total.sum, total.min, total.max, total.bytes),
        (2, 2_138_000, 247_000, 1_891_000, 0)
    );
}

#[test]
fn five_columns_per_io_are_nanoseconds_with_a_histogram() {
    let parsed = read("a_clat.1.log", "0, 8572, 0, 4096, 0\n5, 115531, 0, 4096, 0\n9, 100, 0, 512, 0\n");
    assert_eq!(log(&parsed).lat_unit, Some((LatUnit::Nanoseconds, UnitCertainty::Known)));
    let grid = grid(&parsed, 0, Ddir::Read);
    assert_eq!((grid.total().count, grid.total().sum, grid.total().bytes), (3, 124_203, 8704));
    assert_eq!((grid.histogram.count(), grid.histogram.quantile(0.0)), (3, Some(100.0)));
    assert_eq!(grid.sum_squares, 8572 * 8572 + 115_531 * 115_531 + 100 * 100);
}

#[test]
fn hexadecimal_priorities_are_passed_over() {
    let parsed = read("a_lat.1.log", "0, 208803, 0, 4096, 0x2003\n3, 49093, 0, 4096, 0x0000\n");
    assert_eq!((parsed.rows, grid(&parsed, 0, Ddir::Read).total().sum), (2, 257_896));
    assert!(parsed.layout.unwrap().starts_with("time, value, direction, block size, priority ("));
}

#[test]
fn six_columns_with_an_offset_and_with_a_maximum() {
    let offset = read("a_clat.1.log", "0, 89287, 0, 4096, 4046848, 0\n2, 2184540, 1, 4096, 49676288, 0\n");
    assert_eq!(grid(&offset, 0, Ddir::Write).total().sum, 2_184_540);
    let both = read("a_clat.1.log", "20, 20479684, 0, 0, 4096, 0\n20, 20493574, 0, 1, 4096, 0\n");
    assert_eq!(grid(&both, 0, Ddir::Write).total().sum, 20_493_574);
    assert_eq!(grid(&both, 0, Ddir::Write).total().bytes, 4096);
    let windows = read("a_bw.1.log", "500, 10, 30, 0, 0, 0\n500, 20, 40, 1, 0, 0\n1000, 11, 31, 0, 0, 0\n");
    assert_eq!(samples(&windows, 0, Ddir::Read), [(500, 10_240.0), (1000, 11_264.0)]);
}

#[test]
fn seven_and_eight_columns() {
    let issue =
        read("a_clat.1.log", "0, 169989, 0, 4096, 65564672, 0, 144123\n1, 180238, 1, 4096, 0, 0, 206084\n");
    assert_eq!(grid(&issue, 0, Ddir::Write).total().sum, 180_238);
    let both = read("a_clat.1.log", "511, 127, 900, 1, 0, 0, 0x0000\n1011, 128, 901, 1, 0, 0, 0x0000\n");
    assert_eq!(samples(&both, 0, Ddir::Write), [(511, 127.0), (1011, 128.0)]);
    let all = read("a_clat.1.log", "511, 127, 900, 1, 0, 0, 0x0000, 0\n1011, 128, 901, 1, 0, 0, 0x0000, 0\n");
    assert_eq!(samples(&all, 0, Ddir::Write), [(511, 127.0), (1011, 128.0)]);
}

#[test]
fn a_row_far_below_the_head_may_settle_the_layout() {
    // A slow disk: for 70 KiB the third column could be a direction, then a maximum of 9 shows what it is.
    let mut text = String::new();
    for window in 1..=4000 {
        text += &format!("{}, 1, 1, 0, 0, 0\n", window * 500);
    }
    text += "2000500, 3, 9, 0, 0, 0\n";
    let parsed = read("a_iops.1.log", &text);
    assert_eq!((parsed.rows, parsed.skipped), (4001, 0));
    assert_eq!(samples(&parsed, 0, Ddir::Read).last(), Some(&(2_000_500, 3.0)));
}

#[test]
fn a_given_layout_overrides_what_would_be_concluded() {
    let text = "0, 0, 500, 7\n0, 0, 1000, 8\n";
    let parsed =
        read_with("a_iops.1.log", text.as_bytes(), |context| context.layout = Some("bs,d,t,v")).unwrap();
    assert_eq!(samples(&parsed, 0, Ddir::Read), [(500, 7.0), (1000, 8.0)]);
    let wrong = |layout| {
        read_with("a_iops.1.log", text.as_bytes(), |context| context.layout = Some(layout))
            .unwrap_err()
            .to_string()
    };
    assert!(wrong("t,v,d").contains("names 3 columns, the rows have 4"));
    assert!(wrong("t,v,dir,bs").contains("unknown column `dir`"));
}

#[test]
fn separators_and_line_ends_do_not_matter() {
    let plain = read("a_bw.1.log", "500, 10, 0, 0, 0\n1000, 20, 0, 0, 0\n");
    for text in [
        "500,10,0,0,0\n1000,20,0,0,0\n",
        "500\t10\t0\t0\t0\n1000\t20\t0\t0\t0\n",
        "500, 10, 0, 0, 0\r\n1000, 20, 0, 0, 0\r\n",
        "\n500, 10, 0, 0, 0\n\n\n1000, 20, 0, 0, 0\n\n",
    ] {
        let parsed = read("a_bw.1.log", text);
        assert_eq!(samples(&parsed, 0, Ddir::Read), samples(&plain, 0, Ddir::Read), "{text:?}");
        assert_eq!((parsed.skipped, parsed.remarks.len()), (0, 0), "{text:?}");
    }
}

// ---- units ----

#[test]
fn a_given_unit_is_known_and_scales_the_latencies() {
    let text = "500, 3000, 0, 0\n1000, 4000, 0, 0\n";
    for (unit, factor) in
        [(LatUnit::Nanoseconds, 1.0), (LatUnit::Microseconds, 1e3), (LatUnit::Milliseconds, 1e6)]
    {
        let parsed =
            read_with("a_lat.1.log", text.as_bytes(), |context| context.lat_unit = Some(unit)).unwrap();
        assert_eq!(log(&parsed).lat_unit, Some((unit, UnitCertainty::Known)));
        assert_eq!(samples(&parsed, 0, Ddir::Read)[0], (500, 3000.0 * factor));
        assert!(parsed.remarks.is_empty());
    }
    let guessed = read("a_lat.1.log", text);
    assert_eq!(log(&guessed).lat_unit, Some((LatUnit::Microseconds, UnitCertainty::Guessed)));
    assert!(says(&guessed, None, "--lat-unit"));
}

// ---- windows and single I/Os ----

#[test]
fn bandwidth_per_io_is_counted_in_bytes_and_never_averaged() {
    let parsed = read("a_bw.1.log", "0, 80313725, 0, 4096, 0\n0, 452546, 0, 4096, 0\n12, 1, 0, 65536, 0\n");
    let grid = grid(&parsed, 0, Ddir::Read);
    assert!(log(&parsed).per_io);
    assert_eq!((grid.total().count, grid.total().sum, grid.total().bytes), (3, 0, 73_728));
    assert_eq!(grid.cells.iter().map(|cell| cell.bytes).collect::<Vec<_>>(), [8192, 65_536]);
}

#[test]
fn iops_per_io_are_counted() {
    let parsed = read("a_iops.1.log", "0, 1, 0, 4096, 0\n0, 1, 0, 4096, 0\n12, 1, 1, 4096, 0\n");
    assert_eq!(grid(&parsed, 0, Ddir::Read).total().count, 2);
    assert_eq!(grid(&parsed, 0, Ddir::Write).total().count, 1);
}

#[test]
fn samples_of_an_old_fio_are_windows_though_they_have_a_block_size() {
    let bw =
        read("a_bw.log", "500, 1216, 0, 4096\n500, 632, 1, 4096\n1003, 1210, 0, 4096\n1003, 630, 1, 4096\n");
    assert_eq!(samples(&bw, 0, Ddir::Write), [(500, 647_168.0), (1003, 645_120.0)]);
    let iops = read("a_iops.log", "500, 304, 0, 4096\n1003, 302, 0, 4096\n");
    assert_eq!(samples(&iops, 0, Ddir::Read), [(500, 304.0), (1003, 302.0)]);
}

#[test]
fn one_row_of_1_a_window_is_a_slow_disk_and_several_are_refused() {
    let slow =
        read("a_iops.1.log", "500, 1, 0, 0, 0\n1000, 1, 0, 0, 0\n9500, 1, 0, 0, 0\n10000, 1, 0, 0, 0\n");
    assert_eq!(samples(&slow, 0, Ddir::Read).len(), 4);
    let mut damaged = String::new();
    for window in 1..4 {
        damaged +=
            &format!("{0}, 1, 0, 0, 0\n{0}, 1, 0, 0, 0\n{1}, 1, 0, 0, 0\n", window * 500 - 1, window * 500);
    }
    assert!(refusal("a_iops.1.log", &damaged).contains("log_compression"));
}

#[test]
fn the_flush_at_the_end_of_a_latency_log_is_partial() {
    let text = "500, 70000, 0, 0, 0\n1000, 71000, 0, 0, 0\n1500, 72000, 0, 0, 0\n1503, 999000, 0, 0, 0\n";
    let flags = |name| {
        let parsed = read(name, text);
        windows(&parsed, 0, Ddir::Read).iter().map(|sample| sample.partial).collect::<Vec<_>>()
    };
    assert_eq!(flags("a_clat.1.log"), [false, false, false, true]);
    assert_eq!(flags("a_bw.1.log"), [false; 4]);
}

#[test]
fn rows_of_equal_time_stay_and_set_no_window() {
    let text = "500, 1, 0, 0, 0\n2000, 2, 0, 0, 0\n2000, 3, 0, 0, 0\n2000, 4, 0, 0, 0\n2500, 5, 0, 0, 0\n3000, 6, 0, 0, 0\n";
    let parsed = read("a_bw.1.log", text);
    assert_eq!(samples(&parsed, 0, Ddir::Read).len(), 6);
    assert_eq!(log(&parsed).window_ms, Some(500.0));
}

// ---- time ----

#[test]
fn appended_jobs_are_segments() {
    let job = "500, 1, 0, 0, 0\n500, 2, 1, 0, 0\n1001, 3, 0, 0, 0\n1000, 4, 1, 0, 0\n";
    let parsed = read("a_bw.log", &job.repeat(3));
    assert_eq!(log(&parsed).segments.len(), 3);
    for segment in 0..3 {
        assert_eq!(samples(&parsed, segment, Ddir::Write), [(500, 2048.0), (1000, 4096.0)]);
    }
    assert!(says(&parsed, Some(5), "goes back 2 times"));
}

#[test]
fn epoch_stamps_begin_at_zero_one_window_before_the_first() {
    let text = "1796140927722, 1, 0, 0, 0\n1796140928222, 2, 0, 0, 0\n1796140928722, 3, 0, 0, 0\n";
    let parsed = read("a_bw.1.log", text);
    assert_eq!(log(&parsed).epoch_ms, Some(1_796_140_927_222));
    assert_eq!(samples(&parsed, 0, Ddir::Read).iter().map(|s| s.0).collect::<Vec<_>>(), [500, 1000, 1500]);
    assert_eq!(log(&parsed).segments[0].last_ms, 1500);
    let ios = read(
        "a_bw.1.log",
        "1796140927722, 1, 0, 512, 0\n1796140927722, 2, 0, 512, 0\n1796140927741, 3, 0, 512, 0\n",
    );
    assert_eq!((grid(&ios, 0, Ddir::Read).last_ms, log(&ios).epoch_ms), (19, Some(1_796_140_927_722)));
}

#[test]
fn another_clock_is_set_back_and_told() {
    let parsed = read("a_bw.1.log", "2014360, 1, 0, 0, 0\n2014861, 2, 0, 0, 0\n2015361, 2, 0, 0, 0\n");
    assert_eq!(samples(&parsed, 0, Ddir::Read)[0].0, 501);
    assert_eq!(log(&parsed).epoch_ms, None);
    assert!(says(&parsed, None, "another clock"));
}

#[test]
fn a_wild_stamp_is_dropped_and_a_lasting_jump_is_another_run() {
    let wild =
        read("a_bw.1.log", "500, 1, 0, 0, 0\n99000000, 1, 0, 0, 0\n1000, 2, 0, 0, 0\n1500, 3, 0, 0, 0\n");
    assert_eq!(samples(&wild, 0, Ddir::Read).len(), 3);
    assert_eq!(wild.skipped, 1);
    assert!(says(&wild, Some(2), "far from those around it"));
    let jump =
        read("a_bw.1.log", "500, 1, 0, 0, 0\n1000, 1, 0, 0, 0\n4000000, 2, 0, 0, 0\n4000500, 3, 0, 0, 0\n");
    assert_eq!(log(&jump).segments.len(), 2);
    assert_eq!(samples(&jump, 1, Ddir::Read), [(500, 2048.0), (1000, 3072.0)]);
    assert!(says(&jump, Some(3), "another run"));
    assert!(jump.remarks.iter().any(|remark| remark.severity == Severity::Warning));
}

#[test]
fn the_run_time_beside_a_log_bounds_its_jumps() {
    let text = "500, 1, 0, 0, 0\n1000, 1, 0, 0, 0\n90000, 1, 0, 0, 0\n1500, 2, 0, 0, 0\n2000, 2, 0, 0, 0\n";
    let parsed =
        read_with("a_bw.1.log", text.as_bytes(), |context| context.runtime_ms = Some(2000.0)).unwrap();
    assert_eq!((parsed.rows, parsed.skipped), (4, 1));
    assert_eq!(log(&parsed).segments.len(), 1);
}

#[test]
fn a_late_row_is_put_in_place() {
    let text = "5000, 1, 0, 0, 0\n5500, 2, 0, 0, 0\n6500, 4, 0, 0, 0\n6000, 3, 0, 0, 0\n7000, 5, 0, 0, 0\n";
    let parsed = read("a_bw.1.log", text);
    assert_eq!(
        samples(&parsed, 0, Ddir::Read).iter().map(|s| s.1 / 1024.0).collect::<Vec<_>>(),
        [1.0, 2.0, 3.0, 4.0, 5.0]
    );
    assert!(says(&parsed, Some(4), "put in place"));
}

// ---- defects ----

#[test]
fn values_that_wrapped_are_dropped_and_counted() {
    let text = "500, 18446744073709551615, 0, 0, 0\n1000, 5, 0, 0, 0\n1500, -1, 0, 0, 0\n2000, 6, 0, 0, 0\n2500, 1000000000000001, 0, 0, 0\n";
    let parsed = read("a_bw.1.log", text);
    assert_eq!(samples(&parsed, 0, Ddir::Read), [(1000, 5120.0), (2000, 6144.0)]);
    assert_eq!((parsed.rows, parsed.skipped), (2, 3));
    assert!(says(&parsed, Some(1), "3 rows dropped"));
}

#[test]
fn a_cut_last_line_is_dropped_though_it_parses() {
    let parsed = read("a_bw.1.log", "500, 10, 0, 0, 0\n1000, 20, 0, 0, 0");
    assert_eq!((parsed.rows, parsed.skipped), (1, 1));
    assert!(says(&parsed, Some(2), "was cut"));
    assert!(refusal("a_bw.1.log", "500, 10, 0, 0, 0").contains("cut"));
}

#[test]
fn each_kind_of_bad_row_has_one_remark() {
    let mut text = String::new();
    for window in 1..=40 {
        text += &format!("{}, 10, 0, 0, 0\n", window * 500);
    }
    text +=
        "fio: warning\n20500, 10, 7, 0, 0\n21000, 10, 0, -4096, 0\nfio: again\n0, 0, 0, 0, 0\n21500, 3, 0\n";
    let parsed = read("a_bw.1.log", &text);
    assert_eq!((parsed.rows, parsed.skipped), (40, 6));
    assert!(says(&parsed, Some(41), "expected 5 numbers, found `fio: warning`; 3 rows dropped"));
    assert!(says(&parsed, Some(42), "direction"));
    assert!(says(&parsed, Some(43), "block size"));
    assert!(says(&parsed, Some(45), "only zeros"));
    assert_eq!(parsed.remarks.len(), 4);
}

#[test]
fn a_file_of_other_text_is_an_error_with_line_expected_and_found() {
    let Err(IngestError::Content { line, message }) =
        read_with("a_bw.1.log", b"{\n  \"jobs\": 1\n}\n", |_| ())
    else {
        panic!("expected an error");
    };
    assert_eq!(line, Some(1));
    assert_eq!(message, "expected rows of 3 to 8 numbers, found `{`");
    let mixed = format!("500, 1, 0, 0, 0\n{}", "text\n".repeat(20));
    assert!(refusal("a_bw.1.log", &mixed).contains("20 of 21 lines are no rows"));
}

#[test]
fn a_name_without_a_kind_is_claimed_and_answered_with_advice() {
    let text = "500, 1, 0, 0, 0\n1000, 1, 0, 0, 0\n1500, 1, 0, 0, 0\n";
    assert!(claims("fio.log", text).is_some_and(|reason| reason.contains("does not tell which log")));
    assert!(refusal("fio.log", text).contains("rename it to `<prefix>_bw.1.log`"));
}

#[test]
fn empty_logs_hold_nothing() {
    for bytes in [&b""[..], b"\n\n", b"\0\0\0\0\0"] {
        let parsed = read_with("a_slat.1.log", bytes, |_| ()).unwrap();
        assert!(
            matches!(&parsed.content, Content::Nothing(reason) if reason.starts_with("empty log")),
            "{bytes:?}"
        );
        assert_eq!((parsed.rows, parsed.skipped), (0, 0));
    }
}

#[test]
fn histogram_logs_are_left_to_their_own_reader() {
    for bins in [29, 1856] {
        let row = format!("1000, 0, 4096{}\n", ", 0".repeat(bins));
        assert_eq!(claims("a_clat_hist.1.log", &row), None);
    }
}

#[test]
fn latencies_of_single_ios_are_counted_over_time() {
    let parsed = read(
        "a_clat.1.log",
        "0, 300, 0, 4096, 0\n99, 300, 0, 4096, 0\n101, 90, 0, 4096, 0\n95, 90, 0, 4096, 0\n450, 7, 0, 4096, 0\n",
    );
    let timed = &grid(&parsed, 0, Ddir::Read).timed;
    let cells: Vec<Vec<(u32, u64)>> = timed.cells().iter().map(|cell| cell.buckets().collect()).collect();
    // 300 ns lies in bucket 203: (300 >> 2) & 63 = 11 beyond 192.
    assert_eq!(cells, [vec![(90, 1), (203, 2)], vec![(90, 1)], vec![], vec![], vec![(7, 1)]]);
}

#[test]
fn other_formats_are_not_claimed() {
    for text in [
        "{\"fio version\": \"fio-3.33\"}\n",
        "time,value,direction\n1,2,0\n",
        "3;fio-3.33;a;0;0;1;2;3\n",
        "Device r/s w/s rkB/s\nvda 1.0 2.0 3.0\n",
        "fio: this is not a log\nnor is this\n",
        "1 2 3 4 5 6 7 8\n1 2 3 4 5 6 7 8\n",
        "500, 1, 9, 0\n1000, 1, 9, 0\n1500, 1, 9, 0\n",
        "",
    ] {
        assert_eq!(claims("a_bw.1.log", text), None, "{text}");
    }
    // Without a name that says so, more is asked: time goes forward, block sizes are block sizes.
    for text in [
        "9, 1, 0, 0\n8, 1, 0, 0\n7, 1, 0, 0\n",
        "1, 1, 0, 3\n2, 1, 0, 3\n3, 1, 0, 3\n",
        "1, 5, 0\n2, 5, 0\n3, 5, 0\n",
    ] {
        assert_eq!(claims("table.csv", text), None, "{text}");
    }
}

#[test]
fn the_window_is_found_where_most_windows_are_idle() {
    // Windows of a second of a disk that answers every second one.
    let ends = [1000u64, 3000, 4000, 6000, 8000, 9000, 11_000, 13_000, 15_001, 16_001, 18_000];
    let rows: String = ends.iter().map(|t| format!("{t}, 1, 0, 0\n")).collect();
    assert_eq!(log(&read("a_iops.1.log", &rows)).window_ms, Some(1000.0));
    // Steady windows with late ones stay what they are.
    let ends = [500u64, 1000, 1500, 2190, 2500, 3000, 3500, 4310, 4500];
    let rows: String = ends.iter().map(|t| format!("{t}, 9, 0, 0\n")).collect();
    assert_eq!(log(&read("a_iops.1.log", &rows)).window_ms, Some(500.0));
    // A disk of 1 IOPS in windows of 500 ms: the first stamp is a distance, too. 8 I/Os in 5.5 s, as fio counted 8 in 8 s
    // with the windows after the last row.
    let rows = "500, 2, 0, 0, 0\n1500, 2, 0, 0, 0\n2505, 1, 0, 0, 0\n3009, 1, 0, 0, 0\n4013, 2, 0, 0, 0\n5013, 2, 0, 0, 0\n";
    assert_eq!(log(&read("a_iops.1.log", rows)).window_ms, Some(502.0));
}

#[test]
fn a_direction_with_few_rows_has_the_window_of_the_log() {
    // Reads in every window of 500 ms; writes in every tenth, 100 IOPS there.
    let row = |i: u64| {
        let write = if i.is_multiple_of(10) { format!("{}, 100, 1, 0\n", i * 500) } else { String::new() };
        format!("{}, 200, 0, 0\n{write}", i * 500)
    };
    let rows: String = (1..=100).map(row).collect();
    let parsed = read("a_iops.1.log", &rows);
    let windows: Vec<f64> = log(&parsed).segments[0]
        .series
        .iter()
        .map(|(_, kind)| match kind {
            SeriesKind::Windowed { window_ms, .. } => *window_ms,
            SeriesKind::Cells(_) | SeriesKind::Counts(_) => 0.0,
        })
        .collect();
    assert_eq!(windows, [500.0, 500.0]);
    let writes = &log(&parsed).segments[0].series[1].1;
    // 10 windows of half a second at 100 IOPS are 500 I/Os in 50 s.
    assert_eq!(writes.mean_rate(50_000.0, |cell| cell.count), Some(10.0));
}

// ---- anything ----

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a_bw.1.log",
        "a_iops.log",
        "a_clat.1.log",
        "a_slat.log",
        "a_clat_hist.1.log",
        "fio.log",
    ])
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(name in name(), bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = FioLog.detect(&Head { name, bytes: &bytes, whole: true });
        let _ = read_with(name, &bytes, |_| ());
    }

    #[test]
    fn no_numbers_make_it_panic_and_no_row_is_lost(
        name in prop::sample::select(vec!["a_bw.1.log", "a_iops.log", "a_clat.1.log"]),
        columns in 3usize..=8,
        rows in prop::collection::vec(prop::collection::vec(prop_oneof![
            0i128..3, 0i128..2000, any::<i64>().prop_map(i128::from), any::<i128>(), 1_700_000_000_000i128..1_700_000_009_000,
        ], 8), 1..60),
    ) {
        let mut text = String::new();
        for row in &rows {
            let cells: Vec<String> = row[..columns].iter().map(ToString::to_string).collect();
            text += &(cells.join(", ") + "\n");
        }
        if let Ok(parsed) = read_with(name, text.as_bytes(), |_| ()) {
            prop_assert_eq!(parsed.rows + parsed.skipped, rows.len() as u64);
        }
    }
}
