//! Lines written by hand for every form, and real ones of every version of fio.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::ingest::RunPart;
use crate::ingest::testing::corpus;
use crate::model::{Ddir, Metric, Summary};

fn read(text: &str) -> Result<Parsed, IngestError> {
    FioTerse.read(&mut text.as_bytes(), &ReadContext::default())
}

fn runs_of(parsed: Parsed) -> Vec<RunPart> {
    match parsed.content {
        Content::Runs(runs) => runs,
        other => panic!("expected runs, found {other:?}"),
    }
}

fn runs(text: &str) -> Vec<RunPart> {
    runs_of(read(text).unwrap())
}

fn messages(text: &str) -> Vec<String> {
    let say = |r: &Remark| format!("{}:{}: {}", r.severity, r.line.unwrap_or(0), r.message);
    read(text).unwrap().remarks.iter().map(say).collect()
}

fn summary(run: &RunPart, metric: Metric, ddir: Ddir) -> &Summary {
    run.summaries.iter().find(|s| s.metric == metric && s.ddir == ddir).unwrap()
}

/// A direction of 1000 I/Os of 4 KiB in a second, times `scale`; one without I/O for 0.
fn direction(scale: u64, samples: bool) -> String {
    if scale == 0 {
        let zeros = |n: usize| vec!["0"; n].join(";");
        return format!(
            "{};{};{}",
            zeros(12),
            vec!["0%=0"; 20].join(";"),
            zeros(if samples { 15 } else { 9 })
        );
    }
    let percentiles =
        (1..=20).map(|n| if n < 18 { format!("{}.000000%={}", n * 5, n * 10) } else { "0%=0".into() });
    let percentiles = percentiles.collect::<Vec<_>>().join(";");
    let (io, rate) = (4000 * scale, 1000 * scale);
    let more = if samples { ";3;900;1100;1000.000000;50.000000;4" } else { "" };
    format!(
        "{io};{io};{rate};1000;1;9;2.500000;0.500000;10;900;90.000000;5.000000;{percentiles};12;910;93.000000;6.000000;\
         3000;5000;99.500000%;4000.000000;100.000000{more}"
    )
}

const TAIL: &str = "10.000000%;15.000000%;99;0;7;100.0%;0.0%;0.0%;0.0%;0.0%;0.0%;0.0%;0.00%;0.00%;0.00%;0.00%;0.00%;\
    100.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%";

fn v3(name: &str, group: u32, scale: u64) -> String {
    format!("3;fio-3.33;{name};{group};0;{};{};{TAIL}", direction(scale, false), direction(0, false))
}

#[test]
fn a_direction_has_its_figures_in_base_units() {
    let text = v3("a", 0, 1);
    let runs = runs(&text);
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!((run.key.as_str(), run.label.as_deref(), run.first_log_number), ("", Some("a"), 1));
    assert_eq!(run.tool.version.as_deref(), Some("3.33"));
    let bw = summary(run, Metric::Bw, Ddir::Read);
    assert_eq!((bw.mean, bw.max, bw.stddev), (Some(4_096_000.0), Some(5_120_000.0), Some(102_400.0)));
    assert_eq!(summary(run, Metric::Iops, Ddir::Read).mean, Some(1000.0));
    let clat = summary(run, Metric::Clat, Ddir::Read);
    assert_eq!((clat.min, clat.max, clat.mean), (Some(10_000.0), Some(900_000.0), Some(90_000.0)));
    assert_eq!((clat.percentiles.len(), clat.percentiles[16]), (17, (0.85, 170_000.0)));
    assert_eq!(summary(run, Metric::Slat, Ddir::Read).mean, Some(2_500.0));
    assert_eq!(summary(run, Metric::Lat, Ddir::Read).mean, Some(93_000.0));
    assert_eq!(summary(run, Metric::Cpu, Ddir::Mixed).mean, Some(0.25));
    assert_eq!(run.jobs[0].runtime_ms[&Ddir::Read], 1000.0);
    assert_eq!(run.jobs[0].bytes[&Ddir::Read], 4_096_000);
    assert!(run.summaries.iter().all(|s| s.ddir != Ddir::Write), "an idle direction has no figures");
}

#[test]
fn disks_errors_and_a_description_may_follow() {
    let text = format!("{};vda;9;8;0;0;1;6;7;16.02%;sda;1;1;1;1;1;1;1;99.50%;3;5;my;desc", v3("a", 0, 1));
    let parsed = read(&text).unwrap();
    assert_eq!(parsed.remarks[0].message, "job `a` went on after 3 I/O errors (`continue_on_error`)");
    let run = &runs_of(parsed)[0];
    assert_eq!(summary(run, Metric::Util, Ddir::Mixed).mean, Some(0.995));
    assert_eq!(run.environment["disks"], "sda, vda");
    assert_eq!(run.environment["description"], "my;desc");
}

#[test]
fn one_direction_is_mixed_and_one_more_than_usual_repeats_the_others() {
    let one = format!("3;fio-3.33;a;0;0;{};{TAIL}", direction(1, false));
    assert_eq!(summary(&runs(&one)[0], Metric::Iops, Ddir::Mixed).mean, Some(1000.0));
    let both = format!(
        "3;fio-3.33;a;0;0;{};{};{};{TAIL}",
        direction(1, false),
        direction(2, false),
        direction(3, false)
    );
    let run = &runs(&both)[0];
    assert_eq!(summary(run, Metric::Iops, Ddir::Write).mean, Some(2000.0));
    assert!(run.summaries.iter().all(|s| s.metric != Metric::Iops || s.ddir != Ddir::Mixed));
}

#[test]
fn version_5_has_samples_of_iops_and_trims() {
    let text = format!(
        "5;fio-3.42;a;0;0;{};{};{};{TAIL}",
        direction(0, true),
        direction(1, true),
        direction(2, true)
    );
    let run = &runs(&text)[0];
    let iops = summary(run, Metric::Iops, Ddir::Trim);
    assert_eq!(
        (iops.mean, iops.min, iops.max, iops.count),
        (Some(2000.0), Some(900.0), Some(1100.0), Some(4))
    );
    assert_eq!(summary(run, Metric::Bw, Ddir::Write).count, Some(3));
}

#[test]
fn announced_options_are_dimensions_and_groups_are_runs() {
    let text = format!(
        "a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=8\n...\n\
         b: (g=1): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=libaio, iodepth=1\n\
         fio-3.33\nStarting 5 processes\n{}\n{}\n",
        v3("a", 0, 1),
        v3("b", 1, 1)
    );
    let runs = runs(&text);
    let words =
        |run: &RunPart| run.dimensions.iter().map(|(d, v)| format!("{d}={v}")).collect::<Vec<_>>().join(" ");
    assert_eq!(words(&runs[0]), "rw=randread bs=4k iodepth=8 numjobs=4 engine=libaio");
    assert_eq!(words(&runs[1]), "rw=write bs=1m iodepth=1 numjobs=1 engine=libaio");
    let keys: Vec<_> = runs.iter().map(|run| (run.key.as_str(), run.first_log_number)).collect();
    assert_eq!(keys, [("0", 1), ("1", 5)]);
}

#[test]
fn executions_are_told_apart_by_text_and_by_groups_that_start_again() {
    let text = format!("{}\n{}\nscript: next\n{}\n", v3("a", 0, 1), v3("b", 1, 1), v3("a", 0, 2));
    let keys: Vec<_> = runs(&text).iter().map(|run| run.key.clone()).collect();
    assert_eq!(keys, ["1.0", "1.1", "2.0"]);
}

#[test]
fn cumulative_reports_are_one_run() {
    let at =
        |seconds: u64| v3("a", 0, seconds).replacen(";1000;1;9;", &format!(";{};1;9;", seconds * 1000), 1);
    let text = format!("{}\n{}\n{}\n", at(1), at(2), at(3));
    let parsed = read(&text).unwrap();
    assert!(parsed.remarks[0].message.starts_with("2 reports of 3 are cumulative"), "{:?}", parsed.remarks);
    let runs = runs_of(parsed);
    assert_eq!((runs.len(), runs[0].jobs[0].runtime_ms[&Ddir::Read]), (1, 3000.0));
}

#[test]
fn equal_lines_without_anything_to_tell_are_clones_with_a_warning() {
    let text = format!("{}\n{}\n", v3("a", 0, 1), v3("a", 0, 1));
    assert_eq!(
        messages(&text),
        [
            "warning:1: 2 lines of group 0, and nothing tells whether they ran together; they are taken for jobs of one \
          run, as fio writes them: give each execution a file of its own if they are not"
        ]
    );
    let runs = runs(&text);
    assert_eq!((runs.len(), runs[0].jobs.len()), (1, 2));
}

#[test]
fn a_cut_line_says_how_many_fields_it_lacks() {
    let whole = v3("a", 0, 1);
    let cut: Vec<&str> = whole.split(';').take(77).collect();
    let error = read(&cut.join(";")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected at least 121 fields (terse version 3), found 77; the line is cut: \
         copy the file again, or let fio finish and write it anew"
    );
    let text = format!("{whole}\n{}", cut.join(";"));
    assert_eq!(messages(&text).len(), 1);
    assert!(messages(&text)[0].starts_with("warning:2: expected at least 121 fields"));
    assert_eq!(read(&text).unwrap().skipped, 1);
}

#[test]
fn fields_that_slipped_are_said() {
    let text = v3("a", 0, 1).replacen(";10.000000%;", ";7;10.000000%;", 1);
    let error = read(&text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "field 88: expected the processor time in percent behind 2 directions (terse version 3), found `7`; \
         this line is none that fio writes: copy the file again"
    );
}

#[test]
fn other_text_with_semicolons_is_no_terse_output() {
    let claims =
        |text: &str| FioTerse.detect(&Head { name: "x", bytes: text.as_bytes(), whole: true }).is_some();
    assert!(claims(&format!("text\n<host> {}", v3("a", 0, 1))));
    assert!(!claims("3;4;5;6\nname;0;0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17\n"));
    assert!(!claims("int main() { for (;;) ; }\n"));
}

#[test]
fn wild_numbers_are_absent() {
    let text =
        v3("a", 0, 1).replacen(";900;", ";18446744073709551615;", 1).replacen(";2.500000;", ";-nan;", 1);
    let run = &runs(&text)[0];
    assert_eq!(summary(run, Metric::Clat, Ddir::Read).max, None);
    assert_eq!(summary(run, Metric::Slat, Ddir::Read).mean, None);
}

#[test]
fn no_cut_and_no_changed_byte_is_beyond_reading() {
    let text = format!(
        "{};vda;9;8;0;0;1;6;7;16.02%;2;5;text\n;more\n2;a;0;0;{};{TAIL}",
        v3("a", 0, 1),
        direction(1, false)
    );
    for end in 0..text.len() {
        let _ = read(&text[..end]);
    }
    for (at, byte) in (0..text.len()).zip(b"=;%.-9\n\r\0\xc3".iter().cycle()) {
        let mut changed = text.clone().into_bytes();
        changed[at] = *byte;
        FioTerse.detect(&Head { name: "x", bytes: &changed, whole: true });
        let _ = FioTerse.read(&mut changed.as_slice(), &ReadContext::default());
    }
}

#[test]
fn real_lines_give_the_figures_that_they_print() {
    let Some(shared) = corpus() else { return };
    // Copied by hand: file, direction, KiB/s, IOPS, mean completion latency in us, a percentile in us.
    for (file, ddir, kib, iops, clat, percentile) in [
        ("1.38/out_terse/out.txt", Ddir::Read, 50_644.0 / 2.004, None, 163.239_791, None),
        ("1.38/out_terse/out.txt", Ddir::Write, 48_692.0 / 2.004, None, 474.228_128, None),
        ("2.0.9/out_terse/out.txt", Ddir::Read, 18_858.0, Some(4714.0), 208.276_447, Some((0.99, 3984.0))),
        ("2.0.9/terse_v2/out.txt", Ddir::Write, 44_007.0, Some(11_001.0), 241.532_061, Some((0.5, 101.0))),
        ("2.1.3/out_terse/out.txt", Ddir::Write, 66_280.0, Some(16_570.0), 134.933_8, Some((0.95, 239.0))),
        ("2.1.10/out_terse/out.txt", Ddir::Read, 71_240.0, Some(17_810.0), 80.887_199, Some((0.9, 84.0))),
        ("2.2.10/terse_v2/out.txt", Ddir::Read, 33_650.0, Some(8412.0), 199.784_997, Some((0.999, 4640.0))),
        ("2.2.10/terse_v4/out.txt", Ddir::Write, 1842.0, Some(460.0), 3_316.239_741, Some((0.95, 9664.0))),
        ("2.21/out_terse/out.txt", Ddir::Write, 67_596.0, Some(16_899.0), 137.666_953, Some((0.99, 1640.0))),
        ("3.1/out_terse/out.txt", Ddir::Read, 74_992.0, Some(18_748.0), 83.147_032, Some((0.99, 403.0))),
        ("3.16/out_terse/out.txt", Ddir::Read, 47_646.0, Some(11_911.0), 112.134_076, Some((0.8, 90.0))),
        ("3.28/out_terse/out.txt", Ddir::Write, 39_748.0, Some(9937.0), 249.170_299, Some((0.7, 132.0))),
        ("3.33/terse_v2/terse_v2.txt", Ddir::Read, 45_273.0, Some(11_318.0), 124.811_866, Some((0.01, 40.0))),
        ("3.33/terse_v3/terse_v3.txt", Ddir::Write, 48_313.0, Some(12_078.0), 202.279_13, Some((0.9, 403.0))),
        ("3.33/terse_v4/terse_v4.txt", Ddir::Read, 53_007.0, Some(13_251.0), 109.377_229, Some((0.5, 71.0))),
        (
            "3.33/terse_v5/terse_v5.txt",
            Ddir::Write,
            64_077.0,
            Some(16_019.0),
            157.820_227,
            Some((0.99, 2310.0)),
        ),
        ("3.42-head/terse_v5/t5.txt", Ddir::Read, 93_766.0, Some(23_441.0), 67.480_223, Some((0.95, 109.0))),
    ] {
        let text = std::fs::read_to_string(shared.join("corpus/fio-versions").join(file)).unwrap();
        let parsed = read(&text).unwrap();
        assert!(parsed.remarks.is_empty(), "{file}: {:?}", parsed.remarks);
        let runs = runs_of(parsed);
        let [run] = runs.as_slice() else { panic!("{file}: one run") };
        let bw = summary(run, Metric::Bw, ddir).mean.unwrap();
        assert!((bw - kib * 1024.0).abs() < 1e-6, "{file}: {bw}");
        let found = run.summaries.iter().find(|s| s.metric == Metric::Iops && s.ddir == ddir);
        assert_eq!(found.and_then(|s| s.mean), iops, "{file}");
        let latency = summary(run, Metric::Clat, ddir);
        assert!((latency.mean.unwrap() - clat * 1000.0).abs() < 1e-6, "{file}");
        if let Some((quantile, us)) = percentile {
            let found = latency.percentiles.iter().find(|(q, _)| (q - quantile).abs() < 1e-9);
            assert_eq!(found.map(|(_, ns)| *ns), Some(us * 1000.0), "{file}");
        }
    }
}

#[test]
fn real_descriptions_and_stonewalled_jobs_are_read() {
    let Some(shared) = corpus() else { return };
    let of =
        |file: &str| runs(&std::fs::read_to_string(shared.join("corpus/fio-versions").join(file)).unwrap());
    for file in ["3.33/terse_v2/terse_v2.txt", "3.33/terse_v3/terse_v3.txt", "3.33/terse_v5/terse_v5.txt"] {
        assert_eq!(of(file)[0].environment["description"], "my;desc", "{file}");
    }
    assert_eq!(of("2.0.9/terse_v2/out.txt")[0].environment["description"], "a desc");
    let keys: Vec<_> =
        of("3.33/terse_2jobs/out.txt").iter().map(|r| (r.key.clone(), r.label.clone())).collect();
    assert_eq!(keys, [("0".to_owned(), Some("t1".to_owned())), ("1".to_owned(), Some("t2".to_owned()))]);
}
