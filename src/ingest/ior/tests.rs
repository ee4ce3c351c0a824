//! Text and JSON. Both fixtures are synthetic, in the layout of IOR 4.0.

use super::*;
use crate::ingest::testing::{assert_close, claims, fixture, refusal, run, runs, warnings};

#[test]
fn each_repetition_is_a_run() {
    let runs = runs(&Ior, &fixture("ior/ior-4.0.0.txt"));
    let keys: Vec<&str> = runs.iter().map(|run| run.key.as_str()).collect();
    assert_eq!(keys, ["write.rep1", "read.rep1", "write.rep2", "read.rep2"]);
    let write = run(&runs, "write.rep2");
    assert_eq!(
        write.stated(),
        "rw=randwrite bs=1m numjobs=4 repeat=2 engine=posix access=single-shared-file size=64m"
    );
    assert_close(write.mean_of(Metric::Bw, Ddir::Write), 200.0 * 1_048_576.0);
    assert_close(write.mean_of(Metric::Iops, Ddir::Write), 203.0);
    assert_close(write.mean_of(Metric::Lat, Ddir::Write), 19e6);
    assert_eq!(write.jobs.first().and_then(|job| job.runtime_ms.get(&Ddir::Write)), Some(&320.0));
    assert_eq!(write.tool.version.as_deref(), Some("4.0.0"));
}

#[test]
fn columns_of_version_3_0_have_no_iops() {
    let text = "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\
        access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n\
        ------    ---------  ---------- ---------  --------   --------   --------   --------   ----\n\
        write     128.00     16384      512.00     0.001      0.99       0.001      1.00       0   \n";
    let runs = runs(&Ior, text);
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.stated(), "rw=write bs=512k");
    assert_close(run.mean_of(Metric::Bw, Ddir::Write), 134_217_728.0);
    assert!(run.figures(Metric::Iops, Ddir::Write).is_none());
}

#[test]
fn json_gives_the_same_figures() {
    let runs = runs(&IorJson, &fixture("ior/ior-4.0.0.json"));
    let read = run(&runs, "read");
    assert_eq!(
        read.stated(),
        "rw=read bs=256k numjobs=8 engine=posix access=file-per-process nodes=2 size=8m"
    );
    assert_close(read.mean_of(Metric::Bw, Ddir::Read), 3584.0 * 1_048_576.0);
    assert_close(read.mean_of(Metric::Iops, Ddir::Read), 15_033.0);
    assert_close(read.mean_of(Metric::Lat, Ddir::Read), 62_500.0);
    assert_close(run(&runs, "write").mean_of(Metric::Bw, Ddir::Write), 443.5 * 1_048_576.0);
}

#[test]
fn a_text_without_results_is_refused_and_a_cut_row_is_named() {
    let text = fixture("ior/ior-4.0.0.txt");
    let cut = text.split("Results:").next().unwrap_or_default();
    let message =
        "expected a table of results (`access bw(MiB/s) ...`) behind the options, found none; let IOR finish";
    assert_eq!(refusal(&Ior, cut), (Some(1), message.to_owned()));
    let cut = text.split("16384      1024.00    0.000195   0.060038").next().unwrap_or_default();
    assert_eq!(
        warnings(&Ior, cut),
        [(Some(32), "expected 11 columns as in the header, found 4; left out".to_owned())]
    );
}

#[test]
fn nonsense_is_named() {
    let text = fixture("ior/ior-4.0.0.txt").replace("256.00     260.00", "256.00     lots");
    assert_eq!(
        warnings(&Ior, &text),
        [(Some(31), "`IOPS`: expected a number from 0 on, found `lots`; left out".to_owned())]
    );
    let text = fixture("ior/ior-4.0.0.json").replace("443.5,", "fast,");
    let (line, message) = refusal(&IorJson, &text);
    assert_eq!(line, Some(17));
    assert!(message.starts_with("expected JSON, found something else in column "), "{message}");
    let message =
        "expected `tests`, a list, found none; give the file that IOR wrote with `-O summaryFormat=JSON`";
    assert_eq!(refusal(&IorJson, "{}"), (None, message.to_owned()));
}

#[test]
fn other_tables_and_documents_are_not_claimed() {
    assert!(!claims(&Ior, "access bw(MB/s)\nwrite 1\n"));
    assert!(!claims(&IorJson, "{\"tests\": [{\"bwMiB\": 1}]}"));
}
