//! A flat file with two executions of one definition, past midnight. The fixture is synthetic.

use super::*;
use crate::ingest::testing::{assert_close, claims, fixture, refusal, run, runs, warnings};

#[test]
fn intervals_are_series_and_the_average_row_is_the_summary() {
    let runs = runs(&Vdbench, &fixture("vdbench/flatfile.html"));
    assert_eq!(runs.iter().map(|run| run.key.as_str()).collect::<Vec<_>>(), ["rd1", "rd1.2"]);
    let read = run(&runs, "rd1");
    assert_eq!(read.stated(), "rw=randread bs=4k numjobs=8");
    assert_eq!(read.rows(Metric::Iops, Ddir::Read), [(1000, 1000.0), (2000, 2000.0), (3000, 2200.0)]);
    assert_close(read.rows(Metric::Lat, Ddir::Read).get(1).map(|r| r.1), 4e6);
    // Without interval 1: 2100, not 1733.
    assert_close(read.mean_of(Metric::Iops, Ddir::Read), 2100.0);
    assert_close(read.mean_of(Metric::Bw, Ddir::Read), 8.2 * 1_048_576.0);
    let lat = read.figures(Metric::Lat, Ddir::Read).map(|s| (s.mean, s.max, s.stddev));
    assert_eq!(lat, Some((Some(3.8e6), Some(12e6), Some(1.45e6))));
}

#[test]
fn a_mix_has_latencies_by_direction() {
    let runs = runs(&Vdbench, &fixture("vdbench/flatfile.html"));
    let mix = run(&runs, "rd1.2");
    assert_eq!(mix.stated(), "rw=rw bs=64k numjobs=4 rwmixread=70");
    assert_close(mix.mean_of(Metric::Iops, Ddir::Mixed), 600.0);
    assert_close(mix.mean_of(Metric::Lat, Ddir::Read), 5.5e6);
    assert_close(mix.mean_of(Metric::Lat, Ddir::Write), 8.833e6);
}

#[test]
fn an_execution_that_was_stopped_says_so() {
    let text: String = fixture("vdbench/flatfile.html").lines().take(10).map(|l| format!("{l}\n")).collect();
    let message = "`rd1` has no row `avg_2-N`: it was stopped; its intervals are shown";
    assert_eq!(warnings(&Vdbench, &text), [(None, message.to_owned())]);
    let cut = text.trim_end();
    let message =
        "expected a line end behind the last row, found the end of the file: it is cut; the row is left out";
    assert_eq!(warnings(&Vdbench, cut)[0], (Some(10), message.to_owned()));
}

#[test]
fn wrong_headers_and_nonsense_are_named() {
    let text = fixture("vdbench/flatfile.html").replace("Interval reqrate", "Interval_reqrate");
    let (line, message) = refusal(&Vdbench, &text);
    assert_eq!(line, Some(8));
    assert!(message.starts_with("expected the names of the columns (tod, Run, Interval, rate), found `tod Run Interval_reqrate rate"), "{message}");
    assert!(!claims(&Vdbench, &text));
    let text = fixture("vdbench/flatfile.html").replace("   2000.00     7.81", "   2OOO.00     7.81");
    let message = "`rate`: expected a number from 0 on, found `2OOO.00`; left out";
    assert_eq!(warnings(&Vdbench, &text), [(Some(10), message.to_owned())]);
}
