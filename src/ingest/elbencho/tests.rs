//! A file with four phases. The fixture is synthetic, with the columns of elbencho 3.0.

use super::*;
use crate::ingest::testing::{assert_close, claims, fixture, read, refusal, run, runs, warnings};

#[test]
fn rates_are_recomputed_and_the_head_start_of_the_first_thread_is_said() {
    let text = fixture("elbencho/phases.csv");
    let runs = runs(&Elbencho, &text);
    assert_eq!(runs.iter().map(|run| run.key.as_str()).collect::<Vec<_>>(), ["write", "read", "rwmix70"]);
    let write = run(&runs, "write");
    assert_eq!(write.stated(), "rw=write bs=1m iodepth=4 numjobs=8 direct=1 size=256m");
    // 8192 MiB in 2.5 s: 3276.8 MiB/s, printed as 3276.
    assert_close(write.mean_of(Metric::Bw, Ddir::Write), 3276.8 * 1_048_576.0);
    assert_close(write.mean_of(Metric::Iops, Ddir::Write), 3276.0);
    assert_close(write.mean_of(Metric::Lat, Ddir::Write), 9_300_000.0);
    assert_eq!(write.environment["imbalance"], "the first thread was done after 2000 of 2500 ms");
    let remarks: Vec<String> = read(&Elbencho, &text)
        .map(|p| p.remarks.into_iter().map(|r| r.message).collect())
        .unwrap_or_default();
    assert_eq!(
        remarks,
        [
            "WRITE: the first thread was done 20 % before the last; the figures are those at the end",
            "phases that move no data are left out: MKDIRS (1)",
        ]
    );
}

#[test]
fn a_random_read_and_a_mix() {
    let runs = runs(&Elbencho, &fixture("elbencho/phases.csv"));
    let read = run(&runs, "read");
    assert_eq!(read.stated(), "rw=randread bs=4k iodepth=16 numjobs=8 direct=1 size=256m");
    assert_close(read.mean_of(Metric::Bw, Ddir::Read), 100.0 * 1_048_576.0);
    assert_close(read.figures(Metric::Lat, Ddir::Read).and_then(|s| s.max), 9e6);
    let mix = run(&runs, "rwmix70");
    assert_eq!(mix.dimensions[&words::other("rwmixread")].as_str(), "70");
    assert_eq!(mix.dimensions[&Dimension::Rw].as_str(), "randrw");
    assert_close(mix.mean_of(Metric::Iops, Ddir::Write), 3072.0);
    assert_close(mix.mean_of(Metric::Iops, Ddir::Read), 7168.0);
    assert_close(mix.mean_of(Metric::Bw, Ddir::Read), 28.0 * 1_048_576.0);
}

#[test]
fn a_row_that_is_cut_or_short_is_left_out() {
    let text = fixture("elbencho/phases.csv");
    let cut = text.trim_end();
    let message =
        "expected a line end behind the last row, found the end of the file: it is cut; the row is left out";
    assert_eq!(warnings(&Elbencho, cut), [(Some(5), message.to_owned())]);
    let short = format!("{text}2026-03-01T10:00:06,,dir\n");
    assert_eq!(
        warnings(&Elbencho, &short),
        [(Some(6), "expected 45 columns as in the header, found 3; left out".to_owned())]
    );
}

#[test]
fn nonsense_is_named_and_a_phase_without_figures_is_refused() {
    let text = fixture("elbencho/phases.csv").replace(",25600,25600,", ",25600,fast,");
    let message = "`IOPS [last]`: expected a number from 0 on, found `fast`; left out";
    assert_eq!(warnings(&Elbencho, &text), [(Some(4), message.to_owned())]);
    let bare = "operation,time ms [last]\nREAD,5\n";
    assert_eq!(
        refusal(&Elbencho, bare),
        (Some(2), "expected IOPS or MiB/s of READ, found neither; left out".to_owned())
    );
    assert!(!claims(&Elbencho, "operation,time ms,IOPS\nREAD,5,5\n"));
}
