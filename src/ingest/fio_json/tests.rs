//! Documents written by hand for every rule, and real ones for every version of fio.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod real;

use super::*;
use crate::ingest::{LogKind, RunPart};
use crate::model::{Ddir, Dimension, Metric, Summary};

const CONTEXT: ReadContext<'_> =
    ReadContext { name: "out.json", lat_unit: None, layout: None, runtime_ms: None };

fn read(bytes: &[u8]) -> Result<Parsed, IngestError> {
    both_looks_agree(bytes);
    FioJson.read(&mut &bytes[..], &CONTEXT)
}

/// What the quick look takes, the careful one makes the same of.
fn both_looks_agree(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Some(documents) = pure(&text) else { return };
    let careful = scan(text.into_owned().into_bytes());
    assert_eq!((careful.faults.len(), careful.absent), (0, 0));
    assert_eq!(format!("{documents:?}"), format!("{:?}", careful.documents));
}

#[test]
fn only_documents_and_blanks_are_taken_at_the_first_look() {
    let one = fio3(&job("a", 0, ""));
    for (text, taken) in [
        (one.clone(), 1),
        (format!("\n  {one}\n"), 1),
        (format!("{one}\n{one}"), 2),
        (format!("{one}{one}"), 2),
        (String::new(), 0),
        (format!("fio: note\n{one}"), 0),
        (format!("{one}\nbye"), 0),
        (format!("[{one}]"), 0),
        (format!(r#"{{"of":{one}}}"#), 0),
        (one.replace("1000.0", "nan"), 0),
        (one.replace("fio-3.33", "fio\t3"), 0),
        (r#"{"name":"another tool's"}"#.to_owned(), 0),
    ] {
        both_looks_agree(text.as_bytes());
        assert_eq!(pure(&text).map_or(0, |documents| documents.len()), taken, "{text}");
        let (_, share) = FioJson.read_text(text.as_bytes(), &CONTEXT);
        assert_eq!(share == Share::Whole, taken > 0, "{text}");
    }
}

fn runs_of(parsed: Parsed) -> Vec<RunPart> {
    match parsed.content {
        Content::Runs(runs) => runs,
        other => panic!("expected runs, found {other:?}"),
    }
}

fn runs(text: &str) -> Vec<RunPart> {
    runs_of(read(text.as_bytes()).unwrap())
}

fn claims(bytes: &[u8]) -> bool {
    FioJson.detect(&Head { name: "out", bytes: &bytes[..bytes.len().min(65_536)], whole: false }).is_some()
}

fn summary(run: &RunPart, metric: Metric, ddir: Ddir, job: usize) -> &Summary {
    let of = |s: &&Summary| s.metric == metric && s.ddir == ddir && s.job == Some(job);
    run.summaries.iter().find(of).unwrap()
}

/// A document of fio 3.33 around its jobs.
fn fio3(jobs: &str) -> String {
    format!(r#"{{"fio version" : "fio-3.33", "timestamp" : 1796139918, "jobs" : [{jobs}]}}"#)
}

/// An entry with a read direction of one I/O a ms.
fn job(name: &str, group: u32, options: &str) -> String {
    format!(
        r#"{{"jobname":"{name}","groupid":{group},"error":0,"job options":{{{options}}},
        "read":{{"io_bytes":4096000,"io_kbytes":4000,"bw_bytes":4096000,"bw":4000,"iops":1000.0,"runtime":1000,"total_ios":1000,
        "clat_ns":{{"min":5,"max":90,"mean":10.5,"stddev":2.0,"N":1000}},"bw_samples":0,"iops_samples":0}},
        "write":{{"io_bytes":0,"total_ios":0,"iops":0.0}},"usr_cpu":10.0,"sys_cpu":15.0}}"#
    )
}

fn dimensions(run: &RunPart) -> String {
    let words: Vec<_> = run.dimensions.iter().map(|(d, v)| format!("{d}={v}")).collect();
    words.join(" ")
}

#[test]
fn one_job_is_one_run_with_its_figures() {
    let runs = runs(&fio3(&job("a", 0, r#""rw":"randread","bs":"4k","iodepth":"8","direct":"1""#)));
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!((run.key.as_str(), run.label.as_deref(), run.first_log_number), ("", Some("a"), 1));
    assert_eq!(run.tool.to_string(), "fio 3.33");
    assert_eq!(dimensions(run), "rw=randread bs=4k iodepth=8 numjobs=1 direct=1");
    assert_eq!(run.environment["timestamp"], "2026-12-01T15:45:18Z");
    assert_eq!(run.environment["fio_version"], "fio-3.33");
    assert_eq!(summary(run, Metric::Bw, Ddir::Read, 0).mean, Some(4_096_000.0));
    let clat = summary(run, Metric::Clat, Ddir::Read, 0);
    assert_eq!((clat.mean, clat.min, clat.max, clat.count), (Some(10.5), Some(5.0), Some(90.0), Some(1000)));
    assert_eq!(summary(run, Metric::Cpu, Ddir::Mixed, 0).mean, Some(0.25));
    assert!(run.summaries.iter().all(|s| s.ddir != Ddir::Write));
    let job = &run.jobs[0];
    assert_eq!((job.clones, job.ios[&Ddir::Read], job.bytes[&Ddir::Read]), (1, 1000, 4_096_000));
    assert_eq!(job.runtime_ms[&Ddir::Read], 1000.0);
}

#[test]
fn what_fio_did_not_measure_has_no_figure() {
    let runs = runs(&fio3(
        r#"{"jobname":"a","read":{"io_bytes":4096,"io_kbytes":4,"bw_bytes":4096,"iops":1.0,"total_ios":1,
        "slat_ns":{"min":0,"max":0,"mean":0.0,"stddev":0.0,"N":0},"lat_ns":{"min":0,"max":0,"mean":0.0},
        "bw_min":0,"bw_max":0,"bw_mean":0.0,"bw_dev":0.0,"bw_samples":0,"iops_min":0,"iops_samples":0}}"#,
    ));
    let metrics: Vec<_> = runs[0].summaries.iter().map(|s| s.metric).collect();
    assert_eq!(metrics, [Metric::Bw, Metric::Iops]);
    assert!(runs[0].summaries.iter().all(|s| s.min.is_none() && s.stddev.is_none() && s.count.is_none()));
    assert!(runs[0].dimensions.is_empty(), "no options, no defaults");
}

#[test]
fn samples_give_the_spread_of_rates() {
    let runs = runs(&fio3(
        r#"{"jobname":"a","read":{"io_bytes":4096,"io_kbytes":4,"bw_bytes":4096,"iops":9.5,"total_ios":1,
        "bw_min":1,"bw_max":3,"bw_mean":2.0,"bw_dev":0.5,"bw_samples":7,"iops_min":8,"iops_max":11,"iops_stddev":0.25,"iops_samples":6}}"#,
    ));
    let bw = summary(&runs[0], Metric::Bw, Ddir::Read, 0);
    assert_eq!((bw.min, bw.max, bw.stddev, bw.count), (Some(1024.0), Some(3072.0), Some(512.0), Some(7)));
    let iops = summary(&runs[0], Metric::Iops, Ddir::Read, 0);
    assert_eq!((iops.mean, iops.min, iops.stddev, iops.count), (Some(9.5), Some(8.0), Some(0.25), Some(6)));
}

#[test]
fn fio_2_counts_kib_and_microseconds() {
    let runs = runs(
        r#"{"fio version":"fio-2.2.10","jobs":[{"jobname":"a","groupid":0,"read":{"io_bytes":100,"bw":50,"iops":12,
        "runtime":2000,"total_ios":25,"clat":{"min":1,"max":20,"mean":8.25,"stddev":0.5,
        "percentile":{"50.000000":8,"99.000000":19,"99.000000":20,"0.00":0,"0.00":0}}}}]}"#,
    );
    assert_eq!(runs[0].jobs[0].bytes[&Ddir::Read], 102_400);
    assert_eq!(summary(&runs[0], Metric::Bw, Ddir::Read, 0).mean, Some(51_200.0));
    let clat = summary(&runs[0], Metric::Clat, Ddir::Read, 0);
    assert_eq!((clat.mean, clat.max, clat.count), (Some(8250.0), Some(20_000.0), Some(25)));
    assert_eq!(clat.percentiles, [(0.5, 8000.0), (0.99, 20_000.0)]);
}

#[test]
fn bins_become_a_histogram() {
    let runs = runs(&fio3(
        r#"{"jobname":"a","read":{"io_bytes":1,"io_kbytes":1,"iops":1,"total_ios":3,
        "clat_ns":{"mean":9.0,"N":3,"bins":{"5984":1,"6624":2}}}}"#,
    ));
    let histogram = summary(&runs[0], Metric::Clat, Ddir::Read, 0).histogram.clone().unwrap();
    assert_eq!(histogram.count(), 3);
    // fio's buckets are 64 ns wide there, and 5984 and 6624 in the middle of theirs.
    let bounds: Vec<_> =
        histogram.buckets().map(|(index, n)| (crate::model::bucket_bounds(index), n)).collect();
    assert_eq!(bounds, [((5952, 6016), 1), ((6592, 6656), 2)]);
}

#[test]
fn groups_are_runs_and_log_numbers_go_on() {
    let entries = [job("a", 0, r#""numjobs":"4""#), job("b", 1, ""), job("b", 1, ""), job("c", 2, "")];
    let runs = runs(&fio3(&entries.join(",")));
    let seen: Vec<_> = runs
        .iter()
        .map(|run| {
            let clones: Vec<_> = run.jobs.iter().map(|job| job.clones).collect();
            (run.key.as_str(), run.label.as_deref(), run.first_log_number, clones)
        })
        .collect();
    assert_eq!(
        seen,
        [("0", Some("a"), 1, vec![4]), ("1", Some("b"), 5, vec![1, 1]), ("2", Some("c"), 7, vec![1])]
    );
    assert_eq!(runs[0].dimensions[&Dimension::Numjobs].as_str(), "4");
    assert_eq!(runs[1].dimensions[&Dimension::Numjobs].as_str(), "2");
}

#[test]
fn clones_reported_one_by_one_are_single_jobs() {
    let entry = job("a", 0, r#""numjobs":"2""#);
    let runs = runs(&fio3(&format!("{entry},{entry}")));
    assert_eq!(runs[0].jobs.iter().map(|job| job.clones).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(runs[0].dimensions[&Dimension::Numjobs].as_str(), "2");
}

#[test]
fn a_run_has_the_dimensions_and_the_name_that_its_jobs_share() {
    let (a, b) = (job("a", 0, r#""rw":"read","bs":"64k""#), job("b", 0, r#""rw":"write","bs":"64k""#));
    let runs = runs(&fio3(&format!("{a},{b}")));
    assert_eq!(runs[0].label, None);
    // A reader beside a writer: two jobs.
    assert_eq!(dimensions(&runs[0]), "bs=64k iodepth=1 numjobs=2");
}

#[test]
fn sections_that_ran_together_are_as_many_jobs_as_all_of_them_have() {
    let numjobs = |entries: &[String]| {
        let runs = runs(&fio3(&entries.join(",")));
        runs.iter().map(|run| run.dimensions[&Dimension::Numjobs].as_str().to_owned()).collect::<Vec<_>>()
    };
    let named: Vec<String> = (0..4).map(|at| job(&format!("job{at}"), 0, r#""iodepth":"4""#)).collect();
    assert_eq!(numjobs(&named), ["4"]);
    // Three clones, fio listing each, beside one job.
    let clone = job("a", 0, r#""numjobs":"3""#);
    assert_eq!(numjobs(&[clone.clone(), clone.clone(), clone, job("b", 0, "")]), ["4"]);
    // One after another they are runs of their own.
    let own = r#""rw":"read""#;
    assert_eq!(numjobs(&[job("a", 0, own), job("b", 1, own)]), ["1", "1"]);
}

#[test]
fn job_options_stand_over_global_ones() {
    let text = format!(
        r#"{{"fio version":"fio-3.33","global options":{{"bs":"64k","iodepth":"4"}},"jobs":[{}]}}"#,
        job("a", 0, r#""bs":"4k","time_based":null"#)
    );
    let options = &runs(&text)[0].jobs[0].options;
    let pairs: Vec<_> = options.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(pairs, [("bs", "4k"), ("iodepth", "4"), ("time_based", "")]);
}

#[test]
fn log_prefixes_are_base_names_and_default_to_the_job() {
    let runs = runs(&fio3(&job(
        "a job",
        0,
        r#""write_bw_log":"logs/run.x","write_lat_log":"","write_hist_log":"h","write_iops_log":"C:\\logs\\i""#,
    )));
    let prefix = |kind| runs[0].log_prefixes[&kind].join(",");
    assert_eq!(prefix(LogKind::Bw), "run.x");
    assert_eq!(prefix(LogKind::Iops), "i");
    for kind in [LogKind::Lat, LogKind::Clat, LogKind::Slat] {
        assert_eq!(prefix(kind), "a job");
    }
    assert_eq!(prefix(LogKind::ClatHist), "h");
}

#[test]
fn clients_keep_their_hosts_and_options_and_their_sum_is_left_out() {
    let client = |name: &str, host: &str| {
        job(name, 0, "").replacen('{', &format!(r#"{{"hostname":"{host}","port":8765,"#), 1)
    };
    let text = format!(
        "\n{{\"fio version\":\"fio-3.33\",\"global options\":[\
         {{\"hostname\":\"n1\",\"port\":\"8765\",\"bs\":\"4k\"}},{{\"hostname\":\"n2\",\"port\":\"8765\",\"bs\":\"8k\"}}],\
         \"client_stats\":[{},{},{}]}}",
        client("a", "n1"),
        client("a", "n2"),
        client("All clients", "n2")
    );
    let runs = runs(&text);
    let jobs: Vec<_> =
        runs[0].jobs.iter().map(|j| (j.host.as_deref().unwrap(), j.options["bs"].as_str())).collect();
    assert_eq!(jobs, [("n1", "4k"), ("n2", "8k")]);
    assert_eq!(runs[0].environment["hostname"], "n1, n2");
    // Every server counts its own threads.
    assert_eq!(runs[0].first_log_number, 1);
    // One job on each.
    assert_eq!(dimensions(&runs[0]), "iodepth=1 numjobs=2");
}

#[test]
fn mixed_counts_only_where_nothing_else_was_reported() {
    let figures = r#"{"io_bytes":9,"io_kbytes":1,"iops":5.0,"total_ios":9}"#;
    let unified = runs(&fio3(&format!(r#"{{"jobname":"a","mixed":{figures}}}"#)));
    assert_eq!(summary(&unified[0], Metric::Iops, Ddir::Mixed, 0).mean, Some(5.0));
    let both = runs(&fio3(&format!(r#"{{"jobname":"a","read":{figures},"mixed":{figures}}}"#)));
    assert!(both[0].summaries.iter().all(|s| s.ddir == Ddir::Read));
}

#[test]
fn an_array_counts_as_one_disk_and_its_members_as_none() {
    let with = |disks: &str| {
        let text =
            format!(r#"{{"fio version":"fio-3.33","jobs":[{}],"disk_util":[{disks}]}}"#, job("a", 0, ""));
        let runs = runs(&text);
        let util = runs[0].summaries.iter().find(|s| s.metric == Metric::Util).unwrap();
        assert_eq!((util.ddir, util.job), (Ddir::Mixed, None));
        (util.mean.unwrap(), runs[0].environment["disks"].clone())
    };
    let array = r#"{"name":"md0","util":99.5,"aggr_util":38.0},{"name":"vda","util":25.0}"#;
    assert_eq!(with(array), (0.995, "md0, vda".to_owned()));
    let unaccounted = r#"{"name":"md0","util":0.0,"aggr_util":38.0},{"name":"vda","util":99.0}"#;
    assert_eq!(with(unaccounted).0, 0.38);
    assert_eq!(with(r#"{"name":"sda","util":25.0},{"name":"sdb","util":50.0}"#).0, 0.5);
}

#[test]
fn errors_are_kept() {
    let parsed = read(fio3(r#"{"jobname":"er","error":28,"write":{"io_bytes":0,"total_ios":0}}"#).as_bytes());
    let parsed = parsed.unwrap();
    let runs = runs_of(parsed);
    assert_eq!(runs[0].jobs[0].error, 28);
    assert!(runs[0].summaries.is_empty());
}

#[test]
fn text_around_documents_is_passed_over() {
    let text = format!(
        "fio: \"odd\nnote: {{x}}\nJobs: 1 (f=1): [r(1)][eta 00m:00s]{}\nfio: done\n",
        fio3(&job("a", 0, ""))
    );
    assert!(claims(text.as_bytes()));
    assert_eq!(runs(&text).len(), 1);
    // Documents in an array, and inside another object.
    let nested = format!("{{\"results\": [{},\n{}]}}", fio3(&job("a", 0, "")), fio3(&job("b", 0, "")));
    assert_eq!(runs(&nested).iter().map(|run| run.key.as_str()).collect::<Vec<_>>(), ["1", "2"]);
}

#[test]
fn different_runs_in_one_file_are_told_apart() {
    let two = format!("{}\n{}", fio3(&job("a", 0, "")), fio3(&[job("b", 0, ""), job("c", 1, "")].join(",")));
    let parsed = read(two.as_bytes()).unwrap();
    assert_eq!(parsed.rows, 2);
    let keys: Vec<_> = runs_of(parsed).iter().map(|run| run.key.clone()).collect();
    assert_eq!(keys, ["1.0", "2.0", "2.1"]);
}

#[test]
fn what_is_no_number_is_absent_and_told() {
    let text =
        fio3(&job("a", 0, "")).replace("\"mean\":10.5", "\"mean\":-nan").replace("\"max\":90", "\"max\":-1");
    let parsed = read(text.as_bytes()).unwrap();
    let messages: Vec<_> = parsed.remarks.iter().map(|remark| remark.message.clone()).collect();
    assert_eq!(
        messages,
        [
            "`nan` or `inf` in place of 1 of the numbers; they count as absent",
            "1 of the figures negative or beyond any counter; they count as absent"
        ]
    );
    let runs = runs_of(parsed);
    let clat = summary(&runs[0], Metric::Clat, Ddir::Read, 0);
    assert_eq!((clat.mean, clat.max, clat.min), (None, None, Some(5.0)));
}

#[test]
fn raw_control_characters_and_single_backslashes_are_read() {
    let text = fio3(&job("a\tb", 0, r#""filename":"C\:x""#));
    let runs = runs(&text);
    assert_eq!(runs[0].jobs[0].name, "a b");
    assert_eq!(runs[0].jobs[0].options["filename"], "C/:x");
}

#[test]
fn a_cut_document_says_where_and_what_to_do() {
    let text = "{\n\"fio version\" : \"fio-3.33\",\n\"jobs\" : [\n  {\"jobname\" : \"a\n";
    assert!(claims(text.as_bytes()));
    let IngestError::Content { line, message } = read(text.as_bytes()).unwrap_err() else {
        panic!("content")
    };
    assert_eq!(line, Some(4));
    assert_eq!(
        message,
        "column 18: expected the rest of the JSON document that starts in line 1, found the end of the file; \
         the document ends in the middle: copy the file again, or let fio finish and write it anew"
    );
}

#[test]
fn documents_before_a_cut_one_count() {
    let whole = fio3(&job("a", 0, ""));
    let parsed = read(format!("{whole}\n{}", &whole[..60]).as_bytes()).unwrap();
    assert!(parsed.remarks[0].message.contains("ends in the middle"));
    assert_eq!(runs_of(parsed).len(), 1);
    // A cut one in front of a whole one.
    let parsed = read(format!("{}\n{whole}", &whole[..60]).as_bytes()).unwrap();
    assert!(parsed.remarks[0].message.contains("found the start of another document"));
    assert_eq!(runs_of(parsed).len(), 1);
}

#[test]
fn broken_json_names_its_place() {
    let text = "{\"fio version\" : \"fio-3.33\",\n\"jobs\" : [ 1 2 ]}";
    let IngestError::Content { line, message } = read(text.as_bytes()).unwrap_err() else {
        panic!("content")
    };
    assert_eq!(line, Some(2));
    assert!(message.starts_with("column 14: expected `,` or `]`, found `2`"), "{message}");
}

#[test]
fn foreign_json_is_not_claimed() {
    for text in [
        r#"{"jobs":[{"name":"build"}]}"#,
        r#"{"sysstat":{"hosts":[]}}"#,
        r#"read "fio version" and "jobs" with "jobname""#,
        r#"print(d["fio version"], {"x": 1})"#,
        "",
    ] {
        assert!(!claims(text.as_bytes()), "{text}");
    }
    assert!(claims(br#"{"jobs" : [{"jobname" : "a""#));
    let other = r#"{"jobs":[{"name":"jobname"}]}"#;
    assert!(matches!(read(other.as_bytes()), Err(IngestError::Content { line: None, .. })));
}

#[test]
fn a_report_without_jobs_is_nothing() {
    let parsed = read(br#"{"fio version":"fio-3.33","jobs":[]}"#).unwrap();
    assert!(matches!(parsed.content, Content::Nothing(_)));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
        drop(read(&bytes));
        claims(&bytes);
    }

    #[test]
    fn no_change_to_a_document_makes_the_reader_panic(
        at in 0usize..900, with in "[\\PC\n]{0,12}", cut in 0usize..900
    ) {
        let text = fio3(&[job("a", 0, r#""numjobs":"3""#), job("b", 1, "")].join(","));
        let mut bytes = text.into_bytes();
        let at = at.min(bytes.len());
        bytes.splice(at..(at + cut % 20).min(bytes.len()), with.bytes());
        drop(read(&bytes));
        bytes.truncate(cut);
        drop(read(&bytes));
    }
}

// ---- bins of fio 2, and what the output holds over time ----

/// A document of `version` with one read job whose `clat` has these bins.
fn fio2(version: &str, bins: &str) -> RunPart {
    let text = format!(
        r#"{{"fio version":"{version}","jobs":[{{"jobname":"a","groupid":0,"read":{{"io_bytes":4000,"iops":10,"runtime":100,
        "total_ios":5,"clat":{{"min":1,"max":140,"mean":50.0,"stddev":2.0,"bins":{{{bins}}}}}}}}}]}}"#
    );
    runs(&text).remove(0)
}

fn bins_of(run: &RunPart) -> Vec<(u32, u64)> {
    summary(run, Metric::Clat, Ddir::Read, 0).histogram.as_ref().unwrap().buckets().collect()
}

#[test]
fn bins_up_to_2_19_are_numbers_of_buckets_of_microseconds() {
    use crate::model::bucket_of;
    let run = fio2("fio-2.19", r#""FIO_IO_U_PLAT_BITS":6,"FIO_IO_U_PLAT_NR":1216,"0":0,"42":3,"128":2"#);
    // Bucket 128 holds 128 and 129 us, the middle is 129.
    assert_eq!(bins_of(&run), [(bucket_of(42_000), 3), (bucket_of(129_000), 2)]);
}

#[test]
fn bins_of_2_20_and_2_21_are_microseconds() {
    use crate::model::bucket_of;
    let run = fio2("fio-2.21", r#""42":3,"129":2"#);
    assert_eq!(bins_of(&run), [(bucket_of(42_000), 3), (bucket_of(129_000), 2)]);
}

/// A report of a run that has gone on for `runtime` ms, with its counters.
fn report(at: u64, runtime: u64, ios: u64) -> String {
    format!(
        r#"{{"fio version":"fio-3.33","timestamp_ms":{at},"jobs":[{{"jobname":"a","groupid":0,"read":{{
        "io_bytes":{},"io_kbytes":1,"bw_bytes":1,"iops":1.0,"runtime":{runtime},"total_ios":{ios}}}}}]}}"#,
        ios * 4096
    )
}

/// (end, value) of the samples of a series.
fn course(run: &RunPart, metric: Metric) -> Vec<(u64, f64)> {
    let series = run.series.iter().find(|s| s.metric == metric);
    match series.map(|s| &s.kind) {
        Some(crate::model::SeriesKind::Windowed { samples, .. }) => {
            samples.iter().map(|s| (s.end_ms, s.value)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn cumulative_reports_give_the_course_by_their_differences() {
    let text = [report(1_001_000, 1000, 100), report(1_002_000, 2000, 300), report(1_002_600, 2500, 400)];
    let parsed = read(text.join("\n").as_bytes()).unwrap();
    assert!(parsed.remarks.iter().any(|remark| remark.message.contains("differences")));
    let runs = runs_of(parsed);
    // 100 in 1 s, 200 in 1 s, 100 in half a second.
    assert_eq!(course(&runs[0], Metric::Iops), [(1000, 100.0), (2000, 200.0), (2500, 200.0)]);
    assert_eq!(course(&runs[0], Metric::Bw)[1], (2000, 200.0 * 4096.0));
}

#[test]
fn a_lone_report_has_no_course() {
    assert!(runs(&report(1_001_000, 1000, 100))[0].series.is_empty());
}

#[test]
fn the_window_of_a_steady_state_is_a_series_where_it_covers_the_run() {
    let with_runtime = |runtime: u64| {
        let steady = r#""steadystate":{"ss":"iops:50%","attained":1,"data":{"bw_mean":10,"iops_mean":5,
            "iops":[4,5,6],"bw":[8,10,12]}},"read":{"runtime":"#;
        runs(&fio3(
            &job("a", 0, "")
                .replace(r#""read":{"#, &format!("{steady}{runtime},"))
                .replace(r#""runtime":1000,"#, ""),
        ))
        .remove(0)
    };
    let run = with_runtime(2896);
    assert_eq!(course(&run, Metric::Iops), [(1000, 4.0), (2000, 5.0), (3000, 6.0)]);
    assert!(run.environment["steady_state"].starts_with("iops:50% attained, 5 IOPS"));
    let run = with_runtime(60_000);
    assert!(run.series.is_empty() && run.environment.contains_key("steady_state"));
}

#[test]
fn tables_without_a_place_among_the_figures_are_told_in_words() {
    let entry = r#""iodepth_level":{"1":0.1,"4":99.9,">=64":0.0},"latency_us":{"50":18.5,"100":73.4},
        "latency_ms":{">=2000":0.01},"sync":{"total_ios":0,"lat_ns":{"min":1,"max":26196404,"mean":1535737.0,
        "N":1262,"percentile":{"99.000000":8454144}}},"read":{"#;
    let text = fio3(&job("a", 0, "").replace(r#""read":{"#, entry)).replace(
        r#""timestamp""#,
        r#""disk_util":[{"name":"md0","util":40.5,"aggr_util":61.25},{"name":"sda","util":61.25}],"timestamp""#,
    );
    let environment = &runs(&text)[0].environment;
    assert_eq!(environment["cpu"], "usr 10 %, sys 15 %");
    assert_eq!(environment["iodepth_level"], "1: 0.1 %, 4: 99.9 %");
    assert_eq!(
        environment["latency_distribution"],
        "up to 50 us: 18.5 %, up to 100 us: 73.4 %, >=2000 ms: 0.01 %"
    );
    assert_eq!(environment["disk_util"], "md0 40.5 % (members 61.25 %), sda 61.25 %");
    assert_eq!(environment["sync_latency"], "1262, mean 1.54 ms, p99 8.45 ms, max 26.2 ms");
}

#[test]
fn an_error_is_told_with_its_words() {
    let text = fio3(&job("a", 0, "").replace(r#""error":0"#, r#""error":28"#));
    assert_eq!(runs(&text)[0].environment["errors"], "a: error 28 (no space left on device)");
}

/// The latency of syncs in a document whose job has this `sync` section.
fn synced(section: &str) -> Option<Summary> {
    let section = format!(r#""sync":{section},"read":{{"#);
    let text = fio3(&job("a", 0, "").replace(r#""read":{"#, &section));
    runs(&text)[0].summaries.iter().find(|s| s.metric == Metric::Fsync).cloned()
}

#[test]
fn syncs_have_a_latency_of_no_direction_and_are_counted_by_n() {
    let section = r#"{"total_ios":0,"lat_ns":{"min":169725,"max":26196404,"mean":1535737.131537,
        "stddev":1855053.893232,"N":1262,"percentile":{"50.000000":946176,"99.000000":8454144}}}"#;
    let sync = synced(section).unwrap();
    assert_eq!((sync.ddir, sync.job, sync.count), (Ddir::Mixed, Some(0), Some(1262)));
    assert_eq!((sync.min, sync.max), (Some(169_725.0), Some(26_196_404.0)));
    assert_eq!((sync.mean, sync.stddev), (Some(1_535_737.131_537), Some(1_855_053.893_232)));
    assert_eq!(sync.percentiles, [(0.5, 946_176.0), (0.99, 8_454_144.0)]);
    assert_eq!(sync.histogram, None);
}

#[test]
fn before_fio_3_18_syncs_are_counted_by_their_total() {
    let sync = synced(r#"{"lat_ns":{"min":503,"max":528,"mean":515.5,"stddev":17.67767},"total_ios":2}"#);
    assert_eq!(sync.unwrap().count, Some(2));
    let sync = synced(r#"{"lat_ns":{"min":503,"max":528,"mean":515.5,"stddev":17.67767},"total_ios":0}"#);
    assert_eq!(sync.unwrap().count, None);
}

#[test]
fn a_run_without_syncs_has_no_latency_of_them() {
    let zeros = r#"{"min":0,"max":0,"mean":0.0,"stddev":0.0,"percentile":{"99.000000":0}"#;
    assert_eq!(synced(&format!(r#"{{"total_ios":0,"lat_ns":{zeros},"N":0}}}}"#)), None);
    assert_eq!(synced(&format!(r#"{{"lat_ns":{zeros}}}}}"#)), None);
    assert_eq!(synced("null"), None);
    // What was never measured is no broken number either.
    let text = format!(r#""sync":{{"lat_ns":{{"min":{},"max":0,"N":0}}}},"read":{{"#, u64::MAX);
    assert_eq!(read(fio3(&job("a", 0, "").replace(r#""read":{"#, &text)).as_bytes()).unwrap().remarks, []);
}

#[test]
fn bins_of_syncs_become_a_histogram() {
    let section = r#"{"lat_ns":{"min":100,"max":260,"mean":150.0,"N":5,"bins":{"100":3,"258":2}}}"#;
    let histogram = synced(section).unwrap().histogram.unwrap();
    // Values to 127 ns have buckets of their own; 258 lies in bucket 192, from 256 to 260 ns.
    assert_eq!(histogram.buckets().collect::<Vec<_>>(), [(100, 3), (192, 2)]);
}

#[test]
fn a_direction_that_was_asked_for_and_stayed_idle_is_0_iops() {
    let of = |options: &str, more: &str| {
        let text = format!(
            r#"{{"jobname":"hung","error":0,{more}"job options":{{{options}}},
            "read":{{"io_bytes":4096000,"total_ios":1000,"iops":25.0,"bw_bytes":102400,"runtime":40000}},
            "write":{{"io_bytes":0,"total_ios":0,"iops":0.0,"bw_bytes":0,"runtime":0}}}}"#
        );
        let parsed = read(fio3(&text).as_bytes()).unwrap();
        let told: Vec<String> = parsed.remarks.iter().map(|remark| remark.message.clone()).collect();
        let runs = runs_of(parsed);
        let zeros: Vec<(Metric, Ddir)> =
            runs[0].summaries.iter().filter(|s| s.mean == Some(0.0)).map(|s| (s.metric, s.ddir)).collect();
        (zeros, told)
    };
    let (zeros, told) = of(r#""rw":"randrw""#, r#""elapsed":41,"#);
    assert_eq!(zeros, [(Metric::Bw, Ddir::Write), (Metric::Iops, Ddir::Write)]);
    assert_eq!(told, ["job `hung` was asked for writes and made none: it counts as 0 IOPS"]);
    // Not asked for; verified or prepared; ended at once; ended by its size before the counting began.
    for (options, more) in [
        (r#""rw":"randread""#, r#""elapsed":41,"#),
        (r#""rw":"randrw","rwmixread":"100""#, r#""elapsed":41,"#),
        (r#""rw":"randrw","verify":"crc32c""#, r#""elapsed":41,"#),
        (r#""rw":"randrw""#, r#""elapsed":1,"#),
        (r#""rw":"randrw""#, ""),
        (r#""rw":"randrw","ramp_time":"10""#, r#""elapsed":41,"#),
        (r#""iodepth":"4""#, r#""elapsed":41,"#),
    ] {
        let (zeros, told) = of(options, more);
        assert!(zeros.is_empty() && told.is_empty(), "{options} {more}: {zeros:?} {told:?}");
    }
}
