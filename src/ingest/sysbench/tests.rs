//! Output of sysbench 1.0.20, and that of 1.1 by hand.

use super::*;
use crate::ingest::testing::{assert_close, claims, fixture, refusal, runs, warnings};

#[test]
fn a_mixed_test_has_figures_by_direction_and_bandwidth_over_time() {
    let runs = runs(&Sysbench, &fixture("sysbench/sysbench-fileio-1.0.20.txt"));
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.tool.version.as_deref(), Some("1.0.20"));
    // 1.5 reads for each write.
    assert_eq!(run.stated(), "rw=randrw bs=16k numjobs=2 engine=sync direct=1 rwmixread=60 size=64m");
    assert_close(run.mean_of(Metric::Iops, Ddir::Read), 4538.81);
    assert_close(run.mean_of(Metric::Bw, Ddir::Write), 47.28 * 1_048_576.0);
    // Latencies are of all events, fsyncs included.
    let lat = run.figures(Metric::Lat, Ddir::Mixed).cloned().unwrap_or_else(|| panic!("latency"));
    assert_close(lat.mean, 250_000.0);
    assert_close(lat.max, 92_440_000.0);
    assert_eq!(lat.count, Some(31_481));
    assert_eq!(lat.percentiles, [(0.95, 860_000.0)]);
    let reads = run.rows(Metric::Bw, Ddir::Read);
    assert_eq!(reads.iter().map(|r| r.0).collect::<Vec<_>>(), [1000, 2000, 3000]);
    assert_close(reads.first().map(|r| r.1), 65.11 * 1_048_576.0);
    assert_close(run.jobs.first().and_then(|job| job.runtime_ms.get(&Ddir::Read)).copied(), 4001.0);
}

#[test]
fn a_histogram_is_read_and_a_latency_of_zero_is_none() {
    let runs = runs(&Sysbench, &fixture("sysbench/sysbench-fileio-histogram-1.0.20.txt"));
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.stated(), "rw=randread bs=16k numjobs=1 engine=sync direct=0 size=64m");
    assert!(run.figures(Metric::Bw, Ddir::Write).is_none());
    let lat = run.figures(Metric::Lat, Ddir::Read).cloned().unwrap_or_else(|| panic!("latency"));
    assert_eq!((lat.min, lat.percentiles.len()), (None, 0));
    // The total number of events, and the median at 3 us of the list.
    let histogram = lat.histogram.unwrap_or_else(|| panic!("histogram"));
    assert_eq!(histogram.count(), 71_047);
    assert!(histogram.quantile(0.5).is_some_and(|ns| (2_950.0..3_050.0).contains(&ns)));
}

#[test]
fn version_1_1_prints_both_rates_in_a_line() {
    let text = "sysbench 1.1.0 (using bundled LuaJIT 2.1.0)\n\nExtra file open flags: directio\nBlock size 4KiB\n\
        Doing random write test\nThroughput:\n         read:  IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n\
        \x20        write: IOPS=1024.00 4.00 MiB/s (4.19 MB/s)\n         fsync: IOPS=0.00\n\nLatency (ms):\n         avg: 0.97\n";
    let runs = runs(&Sysbench, text);
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_close(run.mean_of(Metric::Iops, Ddir::Write), 1024.0);
    assert_close(run.mean_of(Metric::Bw, Ddir::Write), 4_194_304.0);
    assert_close(run.mean_of(Metric::Lat, Ddir::Write), 970_000.0);
    assert!(run.figures(Metric::Iops, Ddir::Read).is_none());
}

#[test]
fn two_executions_in_one_text_are_two_runs() {
    let text = format!(
        "# a script\n{}\nnoise\n{}",
        fixture("sysbench/sysbench-fileio-1.0.20.txt"),
        fixture("sysbench/sysbench-fileio-histogram-1.0.20.txt")
    );
    let keys: Vec<String> = runs(&Sysbench, &text).into_iter().map(|run| run.key).collect();
    assert_eq!(keys, ["test1", "test2"]);
}

#[test]
fn a_test_without_results_is_refused() {
    let text = fixture("sysbench/sysbench-fileio-histogram-1.0.20.txt");
    let cut = text.split("Latency histogram").next().unwrap_or_default();
    let message = "expected the results (`File operations:`) of the test that starts here, found none; let sysbench finish, or give the output of `run`";
    assert_eq!(refusal(&Sysbench, cut), (Some(1), message.to_owned()));
}

#[test]
fn nonsense_is_named_and_the_rest_stands() {
    let text = fixture("sysbench/sysbench-fileio-1.0.20.txt").replace("4538.81", "4538,81");
    let message = "`reads/s`: expected a number from 0 on, found `4538,81`; left out";
    assert_eq!(warnings(&Sysbench, &text), [(Some(28), message.to_owned())]);
    let text =
        fixture("sysbench/sysbench-fileio-1.0.20.txt").replace("[ 2s ] reads: 85.52", "[ 2s ] reads: many");
    let (line, message) = warnings(&Sysbench, &text).remove(0);
    assert_eq!(line, Some(24));
    assert!(
        message.starts_with("expected `reads:` and `writes:` in MiB/s, found `reads: many MiB/s"),
        "{message}"
    );
}

#[test]
fn other_tests_of_sysbench_are_not_claimed() {
    assert!(!claims(
        &Sysbench,
        "sysbench 1.0.20 (using system LuaJIT 2.1.0)\nCPU speed:\n    events per second: 1\n"
    ));
}
