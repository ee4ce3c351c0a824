#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::model::{Ddir, bucket_of};
use proptest::prelude::*;

/// A row with the given counts; the bins between are 0.
fn row(t: u64, direction: u64, bins: usize, counts: &[(usize, u64)]) -> String {
    let mut all = vec![0; bins];
    for &(bin, n) in counts {
        all[bin] = n;
    }
    let counts: Vec<String> = all.iter().map(u64::to_string).collect();
    format!("{t}, {direction}, 4096, {}\n", counts.join(", "))
}

fn read(name: &str, text: &str) -> Result<Parsed, IngestError> {
    let context = ReadContext { name, ..ReadContext::default() };
    FioHist.read(&mut text.as_bytes(), &context)
}

fn log(parsed: &Parsed) -> &Log {
    match &parsed.content {
        Content::Log(log) => log,
        other => panic!("expected a log, found {other:?}"),
    }
}

fn counts(parsed: &Parsed, segment: usize, ddir: Ddir) -> &TimedHistogram {
    match log(parsed).segments[segment].series.iter().find(|(of, _)| *of == ddir) {
        Some((_, SeriesKind::Counts(timed))) => timed,
        other => panic!("expected counts, found {other:?}"),
    }
}

fn buckets(parsed: &Parsed, segment: usize, ddir: Ddir) -> Vec<(u32, u64)> {
    counts(parsed, segment, ddir).total().buckets().collect()
}

#[test]
fn rows_add_up_by_direction_and_lie_in_the_window_that_ends_with_them() {
    // Bin 192 begins at 256 ns, bin 300 at 864 ns.
    let text = [
        row(501, 0, 1856, &[(192, 3)]),
        row(502, 1, 1856, &[(300, 1)]),
        row(1003, 1, 1856, &[(300, 2)]),
        row(1003, 0, 1856, &[(192, 4), (200, 1)]),
    ]
    .concat();
    let parsed = read("a_clat_hist.1.log", &text).unwrap();
    assert_eq!((parsed.rows, parsed.skipped), (4, 0));
    assert_eq!(buckets(&parsed, 0, Ddir::Read), [(192, 7), (200, 1)]);
    assert_eq!(buckets(&parsed, 0, Ddir::Write), [(300, 3)]);
    let read = counts(&parsed, 0, Ddir::Read);
    assert_eq!(read.cell_ms(), 500);
    let per_cell: Vec<u64> = read.cells().iter().map(|cell| cell.count()).collect();
    assert_eq!(per_cell, [3, 5]);
    assert_eq!(log(&parsed).segments[0].last_ms, 1003);
    assert_eq!(log(&parsed).window_ms, Some(500.0));
}

#[test]
fn each_number_of_columns_is_a_coarseness() {
    for (bins, usec, coarseness) in
        [(1216, true, 0), (608, true, 1), (19, true, 6), (1856, false, 0), (232, false, 3), (29, false, 6)]
    {
        let found = Bins::of_line(row(500, 0, bins, &[]).trim_end().as_bytes(), true).unwrap();
        assert_eq!((found.usec, found.coarseness), (usec, coarseness), "{bins}");
    }
    assert_eq!(Bins::of_line(row(500, 0, 1000, &[]).trim_end().as_bytes(), true), None);
    assert_eq!(Bins::of_line(row(500, 3, 1856, &[]).trim_end().as_bytes(), true), None);
}

#[test]
fn few_columns_are_a_histogram_only_where_the_name_says_so() {
    let text = row(500, 0, 29, &[(12, 5)]);
    let claims = |name| FioHist.detect(&Head { name, bytes: text.as_bytes(), whole: true }).is_some();
    assert!(claims("a_clat_hist.1.log") && !claims("table.csv"));
}

#[test]
fn bins_of_fio_2_are_microseconds() {
    // Bin 42 is 42 us.
    let parsed = read("a_clat_hist.1.log", &row(500, 0, 1216, &[(42, 5)])).unwrap();
    assert_eq!(buckets(&parsed, 0, Ddir::Read), [(bucket_of(42_000), 5)]);
}

#[test]
fn a_coarse_bin_counts_in_its_middle() {
    // Bin 10 of coarseness 3 holds fio's bins 80 to 87.
    let parsed = read("a_clat_hist.1.log", &row(500, 0, 232, &[(10, 5)])).unwrap();
    assert_eq!(buckets(&parsed, 0, Ddir::Read), [(84, 5)]);
    assert!(parsed.remarks.iter().any(|r| r.message.contains("log_hist_coarseness=3")));
}

#[test]
fn counts_that_were_never_counted_are_refused_with_the_reason() {
    let good = row(500, 0, 29, &[(12, 5)]);
    let huge = format!("1000, 0, 4096, {}18446744073709551615\n", "0, ".repeat(28));
    let message = read("a_clat_hist.1.log", &[good.clone(), huge].concat()).unwrap_err().to_string();
    assert!(message.contains("3.16") && message.contains("2^40"), "{message}");
    // 600 thousand million I/Os in half a second, no count above 2^40.
    let many = row(1000, 0, 29, &[(12, 600_000_000_000)]);
    let message = read("a_clat_hist.1.log", &[good, many].concat()).unwrap_err().to_string();
    assert!(message.contains("600000000000 I/Os in 500 ms"), "{message}");
}

#[test]
fn appended_jobs_are_stretches() {
    let job = [row(500, 0, 29, &[(12, 5)]), row(1000, 0, 29, &[(12, 6)]), row(1500, 0, 29, &[(12, 7)])];
    let parsed = read("a_clat_hist.log", &[job.concat(), job.concat()].concat()).unwrap();
    assert_eq!(log(&parsed).segments.len(), 2);
    assert_eq!(buckets(&parsed, 1, Ddir::Read), [((12 << 6) + 32, 18)]);
}

#[test]
fn unix_stamps_are_moved_to_the_start() {
    let at = 1_796_139_918_000;
    let text = [row(at + 500, 0, 29, &[(12, 5)]), row(at + 1000, 0, 29, &[(12, 6)])].concat();
    let parsed = read("a_clat_hist.1.log", &text).unwrap();
    assert_eq!((log(&parsed).segments[0].last_ms, log(&parsed).epoch_ms), (1000, Some(at)));
}

#[test]
fn a_cut_line_is_dropped_and_said() {
    let text = [row(500, 0, 29, &[(12, 5)]), "1000, 0, 4096, 0, 0".to_owned()].concat();
    let parsed = read("a_clat_hist.1.log", &text).unwrap();
    assert_eq!((parsed.rows, parsed.skipped), (1, 1));
    assert!(parsed.remarks.iter().any(|r| r.message.contains("cut") && r.line == Some(2)));
    let message = read("a_clat_hist.1.log", "1000, 0, 4096, 0, 0").unwrap_err().to_string();
    assert!(message.contains("the file was cut"), "{message}");
}

#[test]
fn other_lines_are_counted_and_many_of_them_refuse_the_file() {
    let good = row(500, 0, 29, &[(12, 5)]).repeat(40);
    let parsed = read("a_clat_hist.1.log", &[good.clone(), "nonsense\n".to_owned()].concat()).unwrap();
    assert_eq!(parsed.skipped, 1);
    let message =
        read("a_clat_hist.1.log", &[good, "nonsense\n".repeat(9)].concat()).unwrap_err().to_string();
    assert!(message.contains("`nonsense`; 9 rows"), "{message}");
}

#[test]
fn an_empty_log_is_nothing() {
    assert!(matches!(read("a_clat_hist.1.log", "\n\n").unwrap().content, Content::Nothing(_)));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        let context = ReadContext { name: "a_clat_hist.1.log", ..ReadContext::default() };
        let _ = FioHist.detect(&Head { name: "a_clat_hist.1.log", bytes: &bytes, whole: true });
        let _ = FioHist.read(&mut &bytes[..], &context);
    }

    #[test]
    fn rows_of_any_numbers_are_counted_or_refused(
        rows in prop::collection::vec((any::<u64>(), 0u64..4, 0usize..29, any::<u64>()), 1..40),
        runtime in proptest::option::of(any::<f64>()),
    ) {
        let text: String = rows.iter().map(|&(t, d, bin, n)| row(t >> (t % 60), d, 29, &[(bin, n >> (n % 64))])).collect();
        let context = ReadContext { name: "a_clat_hist.log", runtime_ms: runtime, ..ReadContext::default() };
        if let Ok(parsed) = FioHist.read(&mut text.as_bytes(), &context) {
            prop_assert_eq!(parsed.rows + parsed.skipped, rows.len() as u64);
        }
    }
}
