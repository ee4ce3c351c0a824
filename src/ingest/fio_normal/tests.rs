//! Outputs written by hand for every rule, and real ones of every version of fio.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod real;

use super::*;
use crate::ingest::RunPart;
use crate::model::{Ddir, Metric, Summary};

fn read(text: &str) -> Parsed {
    FioNormal.read(&mut text.as_bytes(), &ReadContext::default()).unwrap()
}

fn runs_of(parsed: Parsed) -> Vec<RunPart> {
    match parsed.content {
        Content::Runs(runs) => runs,
        other => panic!("expected runs, found {other:?}"),
    }
}

fn runs(text: &str) -> Vec<RunPart> {
    runs_of(read(text))
}

fn messages(text: &str) -> Vec<String> {
    let say = |r: &Remark| format!("{}:{}: {}", r.severity, r.line.unwrap_or(0), r.message);
    read(text).remarks.iter().map(say).collect()
}

fn summary(run: &RunPart, metric: Metric, ddir: Ddir, job: usize) -> &Summary {
    let of = |s: &&Summary| s.metric == metric && s.ddir == ddir && s.job == Some(job);
    run.summaries.iter().find(of).unwrap()
}

fn mean(run: &RunPart, metric: Metric, ddir: Ddir) -> f64 {
    summary(run, metric, ddir, 0).mean.unwrap()
}

fn dimensions(run: &RunPart) -> String {
    let words: Vec<_> = run.dimensions.iter().map(|(d, v)| format!("{d}={v}")).collect();
    words.join(" ")
}

/// Output of fio 3 for one job that reads, announced and with totals.
fn fio3(name: &str, pid: u32, iops: u32, ms: u32) -> String {
    format!("{}{}{}", BANNER.replace("NAME", name), block(name, 0, pid, iops, ms), totals(0, ms))
}

const BANNER: &str = "NAME: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=4\nfio-3.33\nStarting 1 process\n\n";

fn block(name: &str, group: u32, pid: u32, iops: u32, ms: u32) -> String {
    format!(
        "{name}: (groupid={group}, jobs=1): err= 0: pid={pid}: Tue Dec  1 15:45:11 2026\n\
        \x20 read: IOPS={iops}, BW=4000KiB/s (4096kB/s)(8000KiB/{ms}msec)\n\
        \x20   slat (nsec): min=725, max=3920.8k, avg=6330.52, stdev=18965.57\n\
        \x20   clat (usec): min=15, max=19236, avg=140.19, stdev=548.26\n\
        \x20    lat (usec): min=17, max=19238, avg=146.52, stdev=548.75\n\
        \x20   clat percentiles (usec):\n\
        \x20    |  1.00th=[   47], 99.00th=[ 2180],\n\
        \x20    | 99.99th=[15139]\n\
        \x20  bw (  KiB/s): min= 3000, max= 5000, per=96.71%, avg=4000.00, stdev=100.00, samples=3\n\
        \x20  iops        : min=  700, max= 1300, avg=1000.00, stdev=25.00, samples=3\n\
        \x20 lat (usec)   : 20=0.01%, 50=5.75%, 100=84.55%\n\
        \x20 cpu          : usr=2.60%, sys=18.72%, ctx=13630, majf=0, minf=15\n\
        \x20    issued rwts: total=2000,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
    )
}

fn totals(group: u32, ms: u32) -> String {
    format!(
        "\nRun status group {group} (all jobs):\n   READ: bw=4000KiB/s (4096kB/s), 4000KiB/s-4000KiB/s (4096kB/s-4096kB/s), \
         io=8000KiB (8192kB), run={ms}-{ms}msec\n\nDisk stats (read/write):\n  vda: ios=1/2, merge=0/0, ticks=5/1, in_queue=6, util=42.79%\n"
    )
}

#[test]
fn a_job_has_its_figures_in_base_units() {
    let runs = runs(&fio3("a", 7, 1000, 2000));
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!((run.key.as_str(), run.label.as_deref(), run.first_log_number), ("", Some("a"), 1));
    assert_eq!(run.tool.version.as_deref(), Some("3.33"));
    assert_eq!(dimensions(run), "rw=randread bs=4k iodepth=4 numjobs=1 engine=libaio");
    let bw = summary(run, Metric::Bw, Ddir::Read, 0);
    assert_eq!((bw.mean, bw.min, bw.count), (Some(4_096_000.0), Some(3_072_000.0), Some(3)));
    assert_eq!(summary(run, Metric::Iops, Ddir::Read, 0).stddev, Some(25.0));
    let slat = summary(run, Metric::Slat, Ddir::Read, 0);
    assert_eq!((slat.min, slat.max, slat.mean), (Some(725.0), Some(3_920_800.0), Some(6330.52)));
    let clat = summary(run, Metric::Clat, Ddir::Read, 0);
    assert_eq!((clat.max, clat.count), (Some(19_236_000.0), Some(2000)));
    let expected = [(0.01, 47_000.0), (0.99, 2_180_000.0), (0.9999, 15_139_000.0)];
    assert_eq!(clat.percentiles.len(), expected.len());
    for (found, expected) in clat.percentiles.iter().zip(expected) {
        assert!((found.0 - expected.0).abs() < 1e-9 && found.1 == expected.1, "{found:?}");
    }
    assert!(summary(run, Metric::Lat, Ddir::Read, 0).percentiles.is_empty());
    let share = |metric| run.summaries.iter().find(|s| s.metric == metric).unwrap().mean.unwrap();
    assert!((share(Metric::Cpu) - 0.2132).abs() < 1e-9 && (share(Metric::Util) - 0.4279).abs() < 1e-9);
    let job = &run.jobs[0];
    assert_eq!(
        (job.runtime_ms[&Ddir::Read], job.bytes[&Ddir::Read], job.ios[&Ddir::Read]),
        (2000.0, 8_192_000, 2000)
    );
    assert_eq!(run.environment["timestamp"], "Tue Dec  1 15:45:11 2026");
}

#[test]
fn lines_of_fio_2_0_9_are_read_with_binary_units() {
    let text = "
a: (groupid=0, jobs=1): err= 0: pid=1
        read : io=3073.4MB, bw=191118KB/s, iops=47779 , runt= 16467msec
        write: io=1022.7MB, bw=63592KB/s, iops=15897 , runt= 16467msec
b: (groupid=1, jobs=1): err= 0: pid=2
        read : io=4096.0MB, bw=342980KB/s, iops=85745 , runt= 12229msec
Run status group 0 (all jobs):
";
    let runs = runs(text);
    let rates = |run: &RunPart, ddir| (mean(run, Metric::Bw, ddir), mean(run, Metric::Iops, ddir));
    assert_eq!(rates(&runs[0], Ddir::Read), (191_118.0 * 1024.0, 47_779.0));
    assert_eq!(rates(&runs[0], Ddir::Write), (63_592.0 * 1024.0, 15_897.0));
    assert_eq!(rates(&runs[1], Ddir::Read), (342_980.0 * 1024.0, 85_745.0));
    assert_eq!(runs[0].jobs[0].runtime_ms[&Ddir::Write], 16_467.0);
    assert_eq!(runs[1].jobs[0].bytes[&Ddir::Read], 4096 << 20);
}

#[test]
fn every_spelling_of_a_rate_is_read() {
    let rate = |line: &str| {
        let runs = runs(&format!(
            "a: (groupid=0, jobs=1): err= 0: pid=1\n  {line}\nRun status group 0 (all jobs):\n"
        ));
        mean(&runs[0], Metric::Bw, Ddir::Read)
    };
    assert_eq!(rate("read : io=79MB, bw=571234 B/s, iops=140 , runt=120034msec"), 571_234.0);
    assert_eq!(rate("read : io=10400MB, bw=1203.4Mbit/s, iops=38510, runt= 71002msec"), 1203.4 * 131_072.0);
    assert_eq!(rate("read: IOPS=2055k, BW=8027MiB/s (8417MB/s)(8035MiB/1001msec)"), 8027.0 * 1_048_576.0);
    assert_eq!(rate("read: IOPS=22.0k, BW=90.0MB/s (85.8MiB/s)(90.1MB/1001msec)"), 90e6);
    assert_eq!(rate("read: IOPS=21.8k, BW=681Mibit/s (714Mbit/s)(85.2MiB/1001msec)"), 681.0 * 131_072.0);
    assert_eq!(rate("read: IOPS=19.0k, BW=74.3Mi (77.9M)(223MiB/3003msec)"), 74.3 * 1_048_576.0);
}

#[test]
fn kb_is_a_thousand_bytes_where_the_ios_say_so() {
    let text = "a: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1\n2.0.9\nStarting 1 process\n\n\
        a: (groupid=0, jobs=1): err= 0: pid=1\n  read : io=4096KB, bw=2048KB/s, iops=500 , runt=  2000msec\n\
        \x20    issued    : total=r=1000/w=0/d=0, short=r=0/w=0/d=0\nRun status group 0 (all jobs):\n";
    assert_eq!(mean(&runs(text)[0], Metric::Bw, Ddir::Read), 2_048_000.0);
}

#[test]
fn clones_share_an_entry_and_groups_are_runs_of_their_own() {
    let text = "a: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1\n...\nb: (g=1): rw=write, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1\nfio-2.16\nStarting 5 processes\n\
        a: (groupid=0, jobs=4): err= 0: pid=1: x\n  read : io=4096KB, bw=2048KB/s, iops=512, runt=  2000msec\n  cpu : usr=1.00%, sys=1.00%\n\
        b: (groupid=1, jobs=1): err= 5 (file:io_u.c:1, func=io_u, error=Input/output error): pid=9: x\n  write: io=4096KB, bw=2048KB/s, iops=512, runt=  2000msec\n\
        Run status group 0 (all jobs):\n   READ: io=4096KB, aggrb=2048KB/s, minb=1KB/s, maxb=1KB/s, mint=2000msec, maxt=2000msec\n";
    let runs = runs(text);
    let seen: Vec<_> = runs
        .iter()
        .map(|r| (r.key.as_str(), r.jobs[0].clones, r.first_log_number, r.jobs[0].error))
        .collect();
    assert_eq!(seen, [("0", 4, 1, 0), ("1", 1, 5, 5)]);
    assert_eq!(dimensions(&runs[0]), "rw=read bs=4k iodepth=1 numjobs=4 engine=sync");
    // Both in one group: a reader's four clones beside a writer.
    let together = text.replace("(g=1)", "(g=0)").replace("groupid=1", "groupid=0");
    assert_eq!(dimensions(&self::runs(&together)[0]), "bs=4k iodepth=1 numjobs=5 engine=sync");
}

#[test]
fn only_the_last_of_cumulative_reports_counts() {
    let text = format!(
        "{}{}{}",
        fio3("a", 7, 900, 1000),
        block("a", 0, 7, 950, 1500) + &totals(0, 1500),
        block("a", 0, 7, 1000, 2000) + &totals(0, 2000)
    );
    assert_eq!(
        messages(&text),
        [
            "info:0: 2 reports are cumulative (`--status-interval`) of a run that goes on; the last of each run counts"
        ]
    );
    let runs = runs(&text);
    assert_eq!((runs.len(), mean(&runs[0], Metric::Iops, Ddir::Read)), (1, 1000.0));
}

#[test]
fn appended_executions_stay_apart_even_with_equal_process_numbers() {
    let text = format!("{}{}", fio3("a", 16, 900, 1000), fio3("a", 16, 950, 2000));
    let seen: Vec<_> =
        runs(&text).iter().map(|r| (r.key.clone(), mean(r, Metric::Iops, Ddir::Read))).collect();
    assert_eq!(seen, [("1".to_owned(), 900.0), ("2".to_owned(), 950.0)]);
    let unannounced =
        format!("{}{}{}", fio3("a", 16, 900, 1000), block("a", 0, 17, 950, 2000), totals(0, 2000));
    assert_eq!(runs(&unannounced).len(), 2);
}

#[test]
fn clients_are_hosts_and_their_sum_is_left_out() {
    let client = |host: &str, pid: u32| {
        format!(
            "Jobs: 2 (f=2): [m(2)][eta 00m:00s]\r<{host}> \n{}{}",
            block("a", 0, pid, 1000, 2000),
            totals(0, 2000)
        )
    };
    let text = format!(
        "hostname=n1, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.33, flags=1\n<n1> {}<n1> ...\n{}{}{}",
        BANNER.replace("NAME", "a").replace("\nfio-3.33", ""),
        client("n1", 4),
        client("n2", 4),
        block("All clients", 0, 0, 2000, 2000)
    );
    let runs = runs(&text);
    let [run] = runs.as_slice() else { panic!("one run, {}", runs.len()) };
    let hosts: Vec<_> =
        run.jobs.iter().map(|job| (job.name.as_str(), job.host.as_deref().unwrap())).collect();
    assert_eq!(hosts, [("a", "n1"), ("a", "n2")]);
    assert_eq!(run.tool.version.as_deref(), Some("3.33"));
}

#[test]
fn a_group_without_blocks_is_known_by_its_totals() {
    let text = format!("{}{}", BANNER.replace("NAME", "a"), totals(0, 2000));
    let runs = runs(&text);
    assert_eq!((runs.len(), runs[0].label.as_deref()), (1, Some("a")));
    assert_eq!(mean(&runs[0], Metric::Bw, Ddir::Read), 4_096_000.0);
    assert_eq!(dimensions(&runs[0]), "rw=randread bs=4k iodepth=4 numjobs=1 engine=libaio");
}

#[test]
fn totals_that_the_jobs_do_not_reach_are_said() {
    let text = fio3("a", 7, 1000, 2000).replace("io=8000KiB (8192kB)", "io=16000KiB (16.4MB)");
    assert_eq!(
        messages(&text),
        [
            "warning:0: the jobs of group 0 moved 50 % of what fio's totals say in reads; blocks of jobs are missing, or stand twice"
        ]
    );
}

#[test]
fn an_output_that_breaks_off_counts_as_far_as_it_goes() {
    let text = fio3("a", 7, 1000, 2000);
    let cut = |after: &str, more: usize| &text[..text.find(after).unwrap() + after.len() + more];
    // In the middle of a number: 3920.8k would read 392.
    let in_number = cut("max=392", 0);
    assert_eq!(
        messages(in_number),
        [
            "warning:7: the output ends in the middle of job `a` (from line 5 on), in its reads; what was complete counts: \
          copy the file again, or let fio finish"
        ]
    );
    let run = &runs(in_number)[0];
    assert_eq!(mean(run, Metric::Iops, Ddir::Read), 1000.0);
    assert!(run.summaries.iter().all(|s| s.metric != Metric::Slat));
    let before_totals = cut("dropped=0,0,0,0\n", 0);
    assert_eq!(
        messages(before_totals),
        ["warning:17: the output ends behind job `a`, before fio's totals; what was complete counts"]
    );
    let in_header = cut("(groupid=0, jobs=1): err= 0", 0);
    assert!(matches!(read(in_header).content, Content::Runs(_) | Content::Nothing(_)));
}

#[test]
fn a_stopped_run_says_so() {
    let text = fio3("a", 7, 1000, 2000)
        .replace("Starting 1 process\n", "Starting 1 process\nfio: terminating on signal 2\n");
    assert_eq!(
        messages(&text),
        ["warning:4: terminating on signal 2: fio was stopped; the figures cover what ran until then"]
    );
}

#[test]
fn latencies_without_a_clock_are_left_out() {
    let text = "a: (groupid=0, jobs=4): err= 0: pid=1: x\n  read : io=20000MB, bw=681984KB/s, iops=170496, runt= 30030msec\n\
        \x20    lat (msec): min=812345K, max=812399K, avg=812370111.25, stdev=8001.50\n\
        Run status group 0 (all jobs):\n";
    assert!(
        messages(text)[0].starts_with("warning:0: 1 latencies are longer than the run itself"),
        "{:?}",
        messages(text)
    );
    assert!(runs(text)[0].summaries.iter().all(|s| s.metric != Metric::Lat));
}

#[test]
fn arrays_count_and_their_members_do_not() {
    let text = fio3("a", 7, 1000, 2000).replace(
        "  vda: ios=1/2, merge=0/0, ticks=5/1, in_queue=6, util=42.79%\n",
        "    md127: ios=1/2, merge=0/0, ticks=5/1, in_queue=6, util=98.70%, aggrios=1/1, aggrmerge=1/1, aggrticks=1/1, aggrin_queue=1, aggrutil=47.20%\n  sdf: ios=1/2, merge=0/0, ticks=5/1, in_queue=6, util=100.00%\n",
    );
    let run = &runs(&text)[0];
    let util = run.summaries.iter().find(|s| s.metric == Metric::Util).unwrap().mean.unwrap();
    assert!((util - 0.987).abs() < 1e-9);
}

#[test]
fn syncs_and_priorities_change_no_direction() {
    let text = fio3("a", 7, 1000, 2000).replace(
        "  cpu ",
        "    clat prio 2/0 (usec): min=1, max=2, avg=1.5, stdev=0.1\n  fsync/fdatasync/sync_file_range:\n    sync (usec): min=73, max=8931, avg=772.51, stdev=841.92\n    sync percentiles (usec):\n     |  1.00th=[   97], 99.00th=[  111]\n  cpu ",
    );
    let run = &runs(&text)[0];
    assert_eq!(mean(run, Metric::Clat, Ddir::Read), 140_190.0);
    assert_eq!(summary(run, Metric::Clat, Ddir::Read, 0).percentiles.len(), 3);
    let sync = summary(run, Metric::Fsync, Ddir::Mixed, 0);
    assert_eq!((sync.min, sync.max), (Some(73_000.0), Some(8_931_000.0)));
    assert_eq!((sync.mean, sync.stddev), (Some(772_510.0), Some(841_920.0)));
    assert_eq!(sync.percentiles, [(0.01, 97_000.0), (0.99, 111_000.0)]);
    // fio prints 0 of them above their latencies: how many there were is not known.
    assert_eq!(sync.count, None);
    assert!(!runs(&fio3("a", 7, 1000, 2000))[0].summaries.iter().any(|s| s.metric == Metric::Fsync));
}

#[test]
fn syncs_are_counted_where_fio_does_and_may_have_a_unit_of_their_own_for_percentiles() {
    let block = "a: (groupid=0, jobs=1): err= 0: pid=7: Thu Jun 29 03:01:27 2023\n  \
        write: IOPS=416, BW=1668KiB/s (1708kB/s)(22.0MiB/13510msec); 0 zone resets\n    \
        clat (usec): min=4, max=170, avg= 7.66, stdev= 5.50\n  \
        fsync/fdatasync/sync_file_range:\n    \
        sync (usec): min=399, max=5729.7k, avg=16924.38, stdev=135471.87\n    \
        sync percentiles (msec):\n     |  1.00th=[    3], 99.00th=[   18],\n     | 99.99th=[  305]\n  \
        cpu          : usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=0\n     \
        issued rwts: total=0,5632,0,5631 short=0,0,0,0 dropped=0,0,0,0\n";
    let run = &runs(block)[0];
    let sync = summary(run, Metric::Fsync, Ddir::Mixed, 0);
    assert_eq!((sync.count, sync.max), (Some(5631), Some(5_729_700_000.0)));
    assert_eq!(sync.percentiles, [(0.01, 3e6), (0.99, 18e6), (99.99 / 100.0, 305e6)]);
    assert_eq!(mean(run, Metric::Clat, Ddir::Write), 7_660.0);
    assert_eq!(summary(run, Metric::Clat, Ddir::Write, 0).percentiles, []);
}

#[test]
fn only_fios_output_is_claimed() {
    let claims =
        |text: &str| FioNormal.detect(&Head { name: "x", bytes: text.as_bytes(), whole: true }).is_some();
    assert!(claims(&fio3("a", 7, 1, 1)));
    assert!(claims(
        "Run status group 0 (all jobs):\n   READ: bw=1KiB/s (1kB/s), io=8000KiB (8192kB), run=1-1msec\n"
    ));
    assert!(!claims("{ \"groupid\" : 0, \"jobs\" : [] }"));
    assert!(!claims("a: (groupid=0"));
    assert!(!claims("Disk stats (read/write):\n"));
}

#[test]
fn no_cut_and_no_changed_byte_is_beyond_reading() {
    let text =
        format!("<n1> {}{}", fio3("a", 7, 1000, 2000), "read : io=1MB, bw=1KB/s, iops=1, runt= 1msec\n");
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
        read(&text[..end]);
    }
    for (at, byte) in (0..text.len()).zip(b"=:()[]%,/;<>0\n\r\0\xc3".iter().cycle()) {
        let mut changed = text.clone().into_bytes();
        changed[at] = *byte;
        FioNormal.detect(&Head { name: "x", bytes: &changed, whole: true });
        FioNormal.read(&mut changed.as_slice(), &ReadContext::default()).unwrap();
    }
}
