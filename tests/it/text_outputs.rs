//! fio's terse output and its output for people: against JSON, against arithmetic, and in real campaigns.

use crate::support::{assert_near, campaign, mean, public, run, sample, shared};
use plotgen::ingest::{Content, Format, ReadContext, RunPart};
use plotgen::ingest::{fio_json::FioJson, fio_normal::FioNormal, fio_terse::FioTerse};
use plotgen::model::{Campaign, Ddir, Dimension, FileState, Metric, Origin, Summary};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn parts(format: &dyn Format, text: &str) -> Vec<RunPart> {
    match format.read(&mut text.as_bytes(), &ReadContext::default()).unwrap().content {
        Content::Runs(runs) => runs,
        other => panic!("expected runs, found {other:?}"),
    }
}

fn summary(part: &RunPart, metric: Metric, ddir: Ddir) -> Option<&Summary> {
    part.summaries.iter().find(|s| s.metric == metric && s.ddir == ddir && s.job == Some(0))
}

/// How far two figures are apart; `grain` is what the coarser of them prints at least.
fn apart(a: Option<f64>, b: Option<f64>, grain: f64) -> Option<f64> {
    let (a, b) = (a?, b?);
    Some((((a - b).abs() - grain) / a.abs().max(1.0)).max(0.0))
}

#[test]
fn three_outputs_of_one_execution_agree_to_the_digits_that_they_print() {
    let Some(versions) = shared("corpus/fio-versions") else { return };
    eprintln!("{:<36} {:<6} {:<5} {:<6} {:>9}", "file", "format", "what", "ddir", "apart");
    let mut compared = 0;
    for file in ["3.33/json_normal_both/both.txt", "3.33/unified_both/unib.txt"] {
        let text = fs::read_to_string(versions.join(file)).unwrap();
        let json = &parts(&FioJson, &text)[0];
        // Terse: whole KiB/s, IOPS and microseconds. Normal: three digits, four of IOPS.
        for (name, format, digits) in
            [("terse", &FioTerse as &dyn Format, 1e-6), ("normal", &FioNormal, 0.005)]
        {
            let found = parts(format, &text);
            assert_eq!(found.len(), 1, "{file} {name}");
            let found = &found[0];
            assert_eq!((&found.label, &found.key), (&json.label, &json.key), "{file} {name}");
            for ddir in [Ddir::Read, Ddir::Write] {
                for (metric, grain) in [
                    (Metric::Bw, 1024.0),
                    (Metric::Iops, 1.0),
                    (Metric::Lat, 10.0),
                    (Metric::Clat, 10.0),
                    (Metric::Slat, 10.0),
                ] {
                    let (a, b) =
                        (summary(json, metric, ddir).unwrap(), summary(found, metric, ddir).unwrap());
                    let far = apart(a.mean, b.mean, grain).unwrap();
                    eprintln!("{file:<36} {name:<6} {metric:<5} {ddir:<6} {:>8.4}%", far * 100.0);
                    assert!(far <= digits, "{file} {name} {metric} {ddir}: {:?} and {:?}", a.mean, b.mean);
                    // Whole microseconds in a terse line, four digits or whole units elsewhere.
                    let grain = if metric.is_latency() { 1000.0 } else { grain };
                    for (a, b) in [(a.min, b.min), (a.max, b.max), (a.stddev, b.stddev)] {
                        let far = apart(a, b, grain).unwrap_or(0.0);
                        assert!(far <= digits, "{file} {name} {metric} {ddir}: {a:?} and {b:?}");
                    }
                    for ((q, a), (p, b)) in a.percentiles.iter().zip(&b.percentiles) {
                        assert!((q - p).abs() < 1e-9 && (a - b).abs() <= 1000.0, "{file} {name} {q} {a} {b}");
                    }
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 40);
}

#[test]
fn figures_of_every_version_fit_each_other() {
    let Some(versions) = shared("corpus/fio-versions") else { return };
    let mut seen = BTreeSet::new();
    for version in fs::read_dir(&versions).unwrap().map(|entry| entry.unwrap().path()) {
        for (folder, format) in
            [("out_normal", &FioNormal as &dyn Format), ("out_terse", &FioTerse), ("out_json", &FioJson)]
        {
            let files =
                fs::read_dir(version.join(folder)).into_iter().flatten().map(|entry| entry.unwrap().path());
            for file in files.filter(|path| path.file_stem().is_some_and(|stem| stem == "out")) {
                let shown = file.display().to_string();
                for part in parts(format, &fs::read_to_string(&file).unwrap()) {
                    let mut in_flight = 0.0;
                    for (ddir, bytes) in &part.jobs[0].bytes {
                        let bw = summary(&part, Metric::Bw, *ddir).unwrap().mean.unwrap();
                        let moved = *bytes as f64 * 1000.0 / part.jobs[0].runtime_ms[ddir];
                        assert_near(bw, moved, 0.01, &format!("{shown}: bandwidth"));
                        let Some(iops) = summary(&part, Metric::Iops, *ddir).and_then(|s| s.mean) else {
                            continue;
                        };
                        assert_near(bw, iops * 4096.0, 0.01, &format!("{shown}: bandwidth"));
                        // fio 1 prints no total latency.
                        let Some(lat) = summary(&part, Metric::Lat, *ddir).and_then(|s| s.mean) else {
                            continue;
                        };
                        let of = |metric| summary(&part, metric, *ddir).unwrap().mean.unwrap();
                        assert_near(
                            of(Metric::Slat) + of(Metric::Clat),
                            lat,
                            0.01,
                            &format!("{shown}: latency"),
                        );
                        in_flight += iops * lat / 1e9;
                    }
                    // Little's law: I/Os in flight are rate times latency, at most the depth of 4 and hardly less.
                    assert!(
                        in_flight == 0.0 || (2.5..4.4).contains(&in_flight),
                        "{shown}: {in_flight} in flight"
                    );
                    seen.insert((folder, version.file_name().unwrap().to_owned()));
                }
            }
        }
    }
    eprintln!("figures fit in {} outputs", seen.len());
    assert!(seen.len() >= 28, "{seen:?}");
}

#[test]
fn four_appended_jobs_are_summed_by_the_output_that_is_named_as_their_folder() {
    let Some(path) = public("C03", "filestore/fourjobs") else { return };
    let campaign = campaign(&[&path]);
    assert_eq!(campaign.runs.len(), 20);
    let kernel = run(&campaign, "read-4k#1");
    assert!(kernel.run.label.ends_with("kernel"));
    // The sum of four jobs; the totals of the output say 87,102 KiB/s.
    assert_near(mean(kernel, Metric::Bw, Ddir::Read, Origin::Log) / 1024.0, 87_098.0, 0.0005, "KiB/s");
    assert_near(mean(kernel, Metric::Bw, Ddir::Read, Origin::Reported) / 1024.0, 87_103.0, 1e-9, "KiB/s");
    // FUSE and KERNEL ran one after the other: two runs, five logs each beside the output.
    let fuse = run(&campaign, "read-4k#0");
    for record in [kernel, fuse] {
        assert_eq!(record.run.sources.len(), 6, "{:?}", record.run.sources);
        assert_eq!(record.run.jobs[0].clones, 4);
    }
    assert!(mean(fuse, Metric::Bw, Ddir::Read, Origin::Log) < 14e6);
    let job = |id| run(&campaign, id).run.value(&Dimension::named("job")).unwrap().to_string();
    assert!(job("read-4k#0").ends_with("fuse") && job("read-4k#1").ends_with("kernel"));
}

#[test]
fn logs_of_jobs_that_ran_together_go_to_the_job_that_their_prefix_names() {
    let Some(path) = public("C03", "hdd") else { return };
    let campaign = campaign(&[&path]);
    assert_eq!(campaign.runs.len(), 10);
    let record = run(&campaign, "randread-4k");
    assert_eq!((record.run.jobs.len(), record.run.sources.len()), (4, 21));
    let jobs: BTreeSet<usize> = record.run.series.iter().map(|series| series.job).collect();
    assert_eq!(jobs.len(), 4);
    // 1440.84 + 1694.40 + 1534.25 + 680.21 KiB/s: the means of the samples of the four jobs, as fio prints them.
    assert_near(mean(record, Metric::Bw, Ddir::Read, Origin::Log) / 1024.0, 5349.7, 0.01, "KiB/s");
}

/// Files that were read, runs, and the values of each dimension.
fn shape(campaign: &Campaign) -> (usize, usize, BTreeMap<String, String>) {
    let read = campaign.files.iter().filter(|file| file.status == FileState::Read).count();
    let values = campaign.values.iter().map(|(dimension, values)| {
        let words: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
        (dimension.to_string(), words.join(" "))
    });
    (read, campaign.runs.len(), values.collect())
}

/// Folder, files read, runs, some dimensions with their values.
type Expected = (&'static str, usize, usize, &'static [(&'static str, &'static str)]);

#[test]
fn public_campaigns_have_the_runs_and_dimensions_that_a_person_would_see() {
    let expected: [Expected; 4] = [
        (
            "C06",
            138,
            138,
            &[
                ("engine", "mmap net"),
                ("bs", "4k 8k 16k 32k 64k 128k 256k"),
                ("path1", "BlockSizeVariation Stats"),
            ],
        ),
        ("C07", 366, 366, &[("iodepth", "1 2 4 8 16 32 64 128 256 512 1024 2048 4096"), ("bs", "4k")]),
        ("C12", 7, 56, &[("rw", "randread randwrite read write"), ("bs", "4k 1m"), ("iodepth", "1 8 32")]),
        ("C14", 40, 40, &[("rw", "read write"), ("iodepth", "1 4 8 16"), ("bs", "512k")]),
    ];
    for (folder, files, runs, dimensions) in expected {
        let Some(path) = public(folder, "") else { return };
        let campaign = campaign(&[&path]);
        let (found_files, found_runs, values) = shape(&campaign);
        eprintln!("{folder}: {found_files} files, {found_runs} runs, {values:?}");
        assert_eq!((found_files, found_runs), (files, runs), "{folder}");
        if folder == "C07" {
            // A number in front of each file name must not hide the depth behind it.
            let by_depth = campaign.contrasts.iter().filter(|contrast| contrast.by == Dimension::Iodepth);
            assert!(by_depth.map(|contrast| contrast.runs.len()).max().unwrap_or(0) >= 13, "{folder}");
        }
        for (dimension, words) in dimensions {
            assert_eq!(values.get(*dimension).map(String::as_str), Some(*words), "{folder} {dimension}");
        }
    }
}

#[test]
fn an_output_in_three_formats_beside_each_other_is_one_run() {
    let Some(file) = shared("corpus/fio-versions/3.33/json_normal_both/both.txt") else { return };
    let campaign = campaign(&[&file]);
    assert_eq!(campaign.runs.len(), 1);
    assert_eq!(campaign.runs[0].run.sources[0].format, "fio-json+fio-terse+fio-normal");
}

#[test]
fn outputs_for_people_among_other_text_give_their_runs() {
    let folder = tempfile::tempdir().unwrap();
    let text = "$ date\nTue Mar  1 09:30:00 2016\n$ fio --name=a\n\
        a: (g=0): rw=randwrite, bs=8K-8K/8K-8K/8K-8K, ioengine=libaio, iodepth=16\nfio-2.2.8\nStarting 1 process\n\n\
        a: (groupid=0, jobs=1): err= 0: pid=4711: Tue Mar  1 09:30:00 2016\n\
        \x20 write: io=10240MB, bw=102400KB/s, iops=12800, runt=102400msec\n\
        \x20   clat (usec): min=12, max=1500, avg=1250.00, stdev= 2.50\n\
        \x20 cpu          : usr=9.00%, sys=41.00%, ctx=100, majf=0, minf=9\n\n\
        Run status group 0 (all jobs):\n  WRITE: io=10240MB, aggrb=102400KB/s, minb=1KB/s, maxb=1KB/s, mint=102400msec, maxt=102400msec\n\n\
        $ exit\n";
    fs::write(folder.path().join("transcript.log"), text).unwrap();
    let campaign = campaign(&[folder.path()]);
    let record = &campaign.runs[0];
    assert_eq!(mean(record, Metric::Bw, Ddir::Write, Origin::Reported), 100.0 * 1_048_576.0);
    assert_eq!(record.run.value(&Dimension::Bs).unwrap().as_str(), "8k");
    assert_eq!(record.run.value(&Dimension::Iodepth).unwrap().as_str(), "16");
    assert_eq!(campaign.files[0].format.as_deref(), Some("fio-normal"));
}

#[test]
fn the_sample_logs_are_no_text_outputs() {
    let campaign = campaign(&[&sample("special")]);
    let formats: BTreeSet<&str> = campaign.files.iter().filter_map(|file| file.format.as_deref()).collect();
    assert!(
        !formats.iter().any(|format| format.contains("terse") || format.contains("normal")),
        "{formats:?}"
    );
}
