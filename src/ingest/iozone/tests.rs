//! Tables and Excel blocks. The fixture is synthetic; whole tables are read from real files where they are.

use super::*;
use crate::ingest::testing::{assert_close, claims, fixture, read, refusal, run, runs, shared, warnings};

#[test]
fn cells_belong_to_the_name_under_which_they_end() {
    let runs = runs(&Iozone, &fixture("iozone/table-and-excel.txt"));
    let write = run(&runs, "write 65536k 4k");
    assert_eq!(write.stated(), "rw=write bs=4k size=64m test=write");
    assert_eq!(write.tool.version.as_deref(), Some("3.506"));
    assert_close(write.mean_of(Metric::Bw, Ddir::Write), 512_000.0 * 1024.0);
    // Reading was left out: the third number is the random read.
    let random = run(&runs, "random read 65536k 4k");
    assert_eq!(random.stated(), "rw=randread bs=4k size=64m test=random read");
    assert_close(random.mean_of(Metric::Bw, Ddir::Read), 20_480.0 * 1024.0);
    assert_close(run(&runs, "random write 65536k 8k").mean_of(Metric::Bw, Ddir::Write), 20_480.0 * 1024.0);
    assert!(!runs.iter().any(|run| run.key.starts_with("read ")));
}

#[test]
fn a_block_adds_what_the_table_lacks_and_zero_is_left_out() {
    let runs = runs(&Iozone, &fixture("iozone/table-and-excel.txt"));
    assert_close(run(&runs, "write 131072k 8k").mean_of(Metric::Bw, Ddir::Write), 530_000.0 * 1024.0);
    assert!(!runs.iter().any(|run| run.key == "write 131072k 4k"));
    // Eight cells of the table and one of the blocks.
    assert_eq!(runs.len(), 9);
}

#[test]
fn operations_and_microseconds_are_read_as_such() {
    let table = "KB  reclen   write rewrite\n 64       4  1000    2000\n";
    let ops = format!("OPS Mode. Output is in operations per second.\n{table}");
    assert_close(run(&runs(&Iozone, &ops), "write 64k 4k").mean_of(Metric::Iops, Ddir::Write), 1000.0);
    let us = format!("Microseconds/op Mode. Output is in microseconds per operation.\n{table}");
    assert_close(run(&runs(&Iozone, &us), "rewrite 64k 4k").mean_of(Metric::Lat, Ddir::Write), 2e6);
}

#[test]
fn a_text_without_a_table_is_refused_and_throughput_is_ignored() {
    let banner = "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.506 $\n";
    let message =
        "expected a table (`kB reclen write rewrite ...`) behind the banner, found none; let iozone finish";
    assert_eq!(refusal(&Iozone, banner), (Some(1), message.to_owned()));
    let throughput =
        format!("{banner}\tChildren see throughput for  4 initial writers \t=  1234.50 kB/sec\n");
    let content = read(&Iozone, &throughput).map(|p| format!("{:?}", p.content)).unwrap_or_default();
    assert_eq!(content, "Nothing(\"throughput mode (`-t`), which is not read\")");
}

#[test]
fn a_last_row_without_an_end_is_left_out() {
    let text = fixture("iozone/table-and-excel.txt");
    let cut = text.split("629145").next().unwrap_or_default().trim_end();
    let message =
        "expected a line end behind the last row, found the end of the file: it is cut; the row is left out";
    assert_eq!(warnings(&Iozone, cut), [(Some(9), message.to_owned())]);
}

#[test]
fn nonsense_is_named() {
    let text = fixture("iozone/table-and-excel.txt").replace("614400", "6144O0");
    assert_eq!(
        warnings(&Iozone, &text),
        [(Some(8), "`rewrite`: expected a number from 0 on, found `6144O0`; left out".to_owned())]
    );
    let text = "kB  reclen   write rewrite\n64  4k  1000    2000\n";
    let message = "expected file size and record length in KiB, found `64  4k  1000    2000`; left out";
    assert_eq!(refusal(&Iozone, text), (Some(2), message.to_owned()));
    assert!(!claims(&Iozone, "kB reclen speed\n1 2 3\n"));
}

#[test]
fn a_whole_table_of_others_gives_thirteen_tests_a_row() {
    let Some(text) = shared("corpus/public/other-tools/iozone-*.out") else { return };
    let runs = runs(&Iozone, &text);
    assert_eq!(runs.len(), 8 * 13);
    assert_close(run(&runs, "refread 2097152k 4096k").mean_of(Metric::Bw, Ddir::Read), 6_736_193.0 * 1024.0);
    assert_close(
        run(&runs, "record rewrite 1048576k 512k").mean_of(Metric::Bw, Ddir::Write),
        11_968_815.0 * 1024.0,
    );
    assert_close(
        run(&runs, "random write 1048576k 1024k").mean_of(Metric::Bw, Ddir::Write),
        8_875_317.0 * 1024.0,
    );
}
