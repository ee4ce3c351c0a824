//! Reports of both eras, from sysstat 12.6.1 and by hand (`iostat-x-old-columns.txt` is synthetic).

use super::*;
use crate::ingest::testing::{assert_close, claims, fixture, refusal, run, runs, shared, warnings};

#[test]
fn reports_without_the_one_since_boot_are_all_read() {
    // `iostat -xty`: two blank lines behind the banner.
    let runs = runs(&Iostat, &fixture("iostat/iostat-xty-12.6.1.txt"));
    let vda = run(&runs, "vda");
    assert_eq!(vda.stated(), "device=vda");
    assert_eq!(vda.tool.name, "iostat");
    assert_eq!(vda.rows(Metric::Iops, Ddir::Write), [(1000, 2.0), (2000, 2.0)]);
    // 208 and 372 kB/s of 1024 bytes.
    assert_eq!(vda.rows(Metric::Bw, Ddir::Write), [(1000, 212_992.0), (2000, 380_928.0)]);
    assert_eq!(vda.rows(Metric::Lat, Ddir::Write), [(1000, 500_000.0), (2000, 500_000.0)]);
    // No read in the first second: a rate of 0, no latency.
    assert_eq!(vda.rows(Metric::Iops, Ddir::Read), [(1000, 0.0), (2000, 1.0)]);
    assert_eq!(vda.rows(Metric::Lat, Ddir::Read), [(2000, 1_000_000.0)]);
    let util = vda.rows(Metric::Util, Ddir::Mixed);
    assert_eq!(util[0], (1000, 0.0));
    assert_close(Some(util[1].1), 0.004);
    assert_eq!(vda.environment["kernel"], "6.18.44-fc-v769");
}

#[test]
fn old_columns_have_one_await_and_megabytes_and_midnight_is_no_step_back() {
    let runs = runs(&Iostat, &fixture("iostat/iostat-x-old-columns.txt"));
    let sda = run(&runs, "sda");
    // The report since boot (9 reads/s) is dropped; it ends where the others begin.
    assert_eq!(sda.rows(Metric::Iops, Ddir::Read), [(1000, 100.0), (2000, 0.0)]);
    assert_eq!(sda.rows(Metric::Bw, Ddir::Read), [(1000, 2_097_152.0), (2000, 0.0)]);
    assert_eq!(sda.rows(Metric::Lat, Ddir::Mixed), [(1000, 5_000_000.0)]);
    assert_close(sda.rows(Metric::Util, Ddir::Mixed).first().map(|r| r.1), 0.4);
}

#[test]
fn json_drops_the_first_report() {
    let runs = runs(&IostatJson, &fixture("iostat/iostat-x-o-JSON-12.6.1.json"));
    let vda = run(&runs, "vda");
    assert_eq!(vda.rows(Metric::Iops, Ddir::Write), [(1000, 5.0), (2000, 4.0)]);
    // 92 and 364 kB/s.
    assert_eq!(vda.rows(Metric::Bw, Ddir::Write), [(1000, 94_208.0), (2000, 372_736.0)]);
    assert_eq!(vda.rows(Metric::Bw, Ddir::Trim), [(1000, 102_400.0), (2000, 225_280.0)]);
    assert_close(vda.rows(Metric::Lat, Ddir::Trim).first().map(|r| r.1), 710_000.0);
    assert_eq!(vda.environment["hostname"], "vm");
}

#[test]
fn other_json_and_reports_without_x_are_not_claimed() {
    for text in
        ["{\"sysstat\": {\"hosts\": []}}", "[{\"disk_device\": \"vda\"}]", "{\"fio version\": \"fio-3.33\"}"]
    {
        assert!(!claims(&IostatJson, text), "{text}");
    }
    assert!(!claims(&Iostat, "Device             tps    kB_read/s    kB_wrtn/s\nvda 1 2 3\n"));
}

const TEXT: &str = "Linux 6.1 (box) \t12/01/26 \t_x86_64_\t(2 CPU)\n\n\n\
    12/01/26 10:00:00\nDevice r/s w/s rkB/s wkB/s %util\nsda 1.00 2.00 4.00 8.00 50.00\nsdb 3.00 0.00 4.00 0.00 10.00\n\n";

#[test]
fn a_row_that_is_cut_is_left_out() {
    let cut = TEXT.trim_end().strip_suffix("00").map(str::to_owned).unwrap_or_default();
    let message =
        "expected a line end behind the last row, found the end of the file: it is cut; the row is left out";
    assert_eq!(warnings(&Iostat, &cut)[0], (Some(7), message.to_owned()));
    let short = TEXT.replace("sdb 3.00 0.00 4.00 0.00 10.00", "sdb 3.00 0.00");
    let message = "expected 6 columns as in the header, found 3; left out";
    assert_eq!(warnings(&Iostat, &short)[0], (Some(7), message.to_owned()));
}

#[test]
fn a_cell_that_is_no_number_is_named() {
    let text = TEXT.replace("sda 1.00", "sda x.00");
    let message = "`r/s`: expected a number from 0 on, found `x.00`; left out";
    assert_eq!(warnings(&Iostat, &text)[0], (Some(6), message.to_owned()));
}

#[test]
fn one_report_has_no_distance() {
    let message = "no time stamps: the reports are taken for 1 s apart; `iostat -t` writes them";
    assert_eq!(warnings(&Iostat, TEXT), [(None, message.to_owned())]);
}

#[test]
fn a_json_document_that_is_cut_says_where() {
    let text = fixture("iostat/iostat-x-o-JSON-12.6.1.json");
    let cut: String = text.lines().take(14).map(|line| format!("{line}\n")).collect();
    let message = "expected the rest of the JSON document, found the end of the file; copy the file again, or let the tool finish";
    assert_eq!(refusal(&IostatJson, &cut), (Some(15), message.to_owned()));
    let message = "expected `sysstat.hosts`, a list, found none; give the output of `iostat -x -o JSON`";
    assert_eq!(refusal(&IostatJson, "{\"sysstat\": 1}"), (None, message.to_owned()));
}

#[test]
fn reports_of_others_are_read_without_the_first() {
    let Some(text) = shared("corpus/public/other-tools/expected.iostat-x") else { return };
    let runs = runs(&Iostat, &text);
    assert_eq!(runs.len(), 5);
    // The second report of the third device: 6.42 reads/s, 16.04 kB/s of discards.
    let device = &runs[2];
    assert_eq!(device.rows(Metric::Iops, Ddir::Read), [(1000, 6.42)]);
    assert_close(device.rows(Metric::Bw, Ddir::Trim).first().map(|r| r.1), 16.04 * 1024.0);
    assert_close(device.rows(Metric::Lat, Ddir::Read).first().map(|r| r.1), 9.5e6);
}
