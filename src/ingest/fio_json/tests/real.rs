//! Real files of every version of fio, from the shared corpus.

use super::*;
use crate::ingest::testing::corpus;

#[test]
fn real_documents_give_the_figures_that_they_print() {
    let Some(shared) = corpus() else { return };
    // Copied by hand: version, job, direction, IOPS, bandwidth in B/s, mean completion latency in ns.
    for (version, part, ddir, iops, bw, clat) in [
        ("2.1.10", 0, Ddir::Read, 21_059.0, 84_239.0 * 1024.0, 68_330.0),
        ("2.1.10", 0, Ddir::Write, 21_068.0, 84_275.0 * 1024.0, 112_270.0),
        ("2.21", 0, Ddir::Read, 12_433.783_108, 49_735.0 * 1024.0, 83_687.982),
        ("2.21", 1, Ddir::Write, 38_048.975_512, 152_195.0 * 1024.0, 98_034.622),
        ("2.2.10", 0, Ddir::Write, 17_493.25, 69_973.0 * 1024.0, 129_880.0),
        ("3.1", 0, Ddir::Read, 16_503.748_126, 66_014.0 * 1024.0, 97_775.075_824),
        ("3.16", 1, Ddir::Write, 18_206.396_802, 74_573_401.0, 212_972.341_632),
        ("3.33", 0, Ddir::Write, 9_508.245_877, 38_945_775.0, 289_523.277_935),
        ("3.42-head", 0, Ddir::Read, 8_813.186_813, 36_098_813.0, 168_619.714_18),
    ] {
        let path = shared.join("corpus/fio-versions").join(version).join("out_json/out.json");
        let runs = runs_of(read(&std::fs::read(path).unwrap()).unwrap());
        let mean = |metric| summary(&runs[part], metric, ddir, 0).mean.unwrap();
        assert_eq!((mean(Metric::Iops), mean(Metric::Bw)), (iops, bw), "{version}");
        assert!((mean(Metric::Clat) - clat).abs() < 1e-6, "{version}");
    }
}

#[test]
fn a_real_status_interval_file_is_one_run() {
    let Some(shared) = corpus() else { return };
    let path = shared.join("corpus/fio-versions/3.33/json_status_interval/si.json");
    let parsed = read(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(parsed.rows, 5);
    let runs = runs_of(parsed);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].jobs[0].runtime_ms[&Ddir::Read], 4001.0);
}

#[test]
fn real_stonewalled_jobs_are_runs_of_their_own() {
    let Some(shared) = corpus() else { return };
    let path = shared.join("corpus/fio-versions/3.33/job_stonewall/out.json");
    let runs = runs_of(read(&std::fs::read(path).unwrap()).unwrap());
    let seen: Vec<_> = runs
        .iter()
        .map(|r| (r.key.as_str(), r.label.as_deref().unwrap(), r.first_log_number, r.jobs[0].clones))
        .collect();
    assert_eq!(
        seen,
        [("0", "raid5-64k seq read", 1, 1), ("1", "raid5-64k_rand.write", 2, 1), ("2", "mixed", 3, 2)]
    );
    assert_eq!(runs[1].log_prefixes[&LogKind::Clat], ["raid5_64k.results.log"]);
    assert_eq!(dimensions(&runs[1]), "rw=randwrite bs=4k iodepth=4 numjobs=1 engine=libaio direct=1");
}

#[test]
fn a_real_client_file_has_its_jobs_without_their_sum() {
    let Some(shared) = corpus() else { return };
    let path = shared.join("corpus/fio-versions/3.33/client_server/client.json");
    let runs = runs_of(read(&std::fs::read(path).unwrap()).unwrap());
    assert_eq!(runs.len(), 1);
    let hosts: Vec<_> = runs[0].jobs.iter().map(|job| job.host.as_deref().unwrap()).collect();
    assert_eq!(hosts, ["127.0.0.1", "127.0.0.1"]);
    assert_eq!(
        dimensions(&runs[0]),
        "rw=randrw bs=4k iodepth=4 numjobs=2 engine=libaio direct=1 host=127.0.0.1"
    );
}

#[test]
fn real_oddities_read_and_a_real_cut_file_does_not() {
    let Some(shared) = corpus() else { return };
    let derived = shared.join("corpus/fio-versions/derived");
    for name in ["prefix_garbage", "suffix_garbage", "nan", "crlf", "utf16_powershell_redirect"] {
        let mut bytes = Vec::new();
        let mut opened =
            crate::envelope::open(&derived.join(format!("{name}.json")), crate::envelope::Hashed::No)
                .unwrap();
        std::io::Read::read_to_end(&mut opened, &mut bytes).unwrap();
        assert!(claims(&bytes), "{name}");
        let runs = runs_of(read(&bytes).unwrap());
        assert_eq!(summary(&runs[0], Metric::Iops, Ddir::Read, 0).mean, Some(9_500.249_875), "{name}");
    }
    let cut = std::fs::read(derived.join("truncated.json")).unwrap();
    assert!(claims(&cut));
    let IngestError::Content { line, message } = read(&cut).unwrap_err() else { panic!("content") };
    assert_eq!(line, Some(113));
    assert!(message.starts_with("column 14: expected the rest"), "{message}");
}

#[test]
fn all_real_json_files_read_or_are_not_claimed() {
    let Some(shared) = corpus() else { return };
    let mut read_files = 0;
    for folder in ["raid-campaign", "corpus/fio-versions", "corpus/public/campaigns", "corpus/other-tools"] {
        for entry in walkdir::WalkDir::new(shared.join(folder)).into_iter().flatten() {
            let path = entry.path();
            let cut = path.ends_with("derived/truncated.json");
            if cut || path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let bytes = std::fs::read(path).unwrap();
            if !claims(&bytes) {
                continue;
            }
            let parsed = read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            for run in runs_of(parsed) {
                let measured = run.jobs.iter().any(|job| !job.ios.is_empty() || !job.bytes.is_empty());
                let failed = run.jobs.iter().any(|job| job.error != 0);
                assert!(measured || failed, "{}", path.display());
                assert!(
                    run.summaries.iter().all(|s| s.mean.is_none_or(f64::is_finite)),
                    "{}",
                    path.display()
                );
            }
            read_files += 1;
        }
    }
    assert!(read_files > 150, "{read_files}");
}

#[test]
fn real_raid_runs_state_their_options_and_their_names_agree() {
    let Some(shared) = corpus() else { return };
    for entry in walkdir::WalkDir::new(shared.join("raid-campaign")).into_iter().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let run = runs_of(read(&std::fs::read(path).unwrap()).unwrap()).remove(0);
        let name = path.file_stem().unwrap().to_string_lossy();
        let labels = crate::ingest::labels::from_file_stem(&name);
        for (dimension, entry) in &labels.dimensions {
            if let Some(stated) = run.dimensions.get(dimension) {
                assert_eq!(stated, &entry.value, "{name}: {dimension}");
            }
        }
        assert_eq!(run.log_prefixes[&LogKind::Bw], [name.as_ref()]);
        let histogram = run.summaries.iter().find_map(|s| s.histogram.as_ref()).unwrap();
        assert!(histogram.count() > 0);
    }
}

#[test]
fn the_course_of_a_real_status_interval_file_adds_up_to_its_last_report() {
    let Some(shared) = corpus() else { return };
    let path = shared.join("corpus/fio-versions/3.33/json_status_interval/si.json");
    let run = runs_of(read(&std::fs::read(path).unwrap()).unwrap()).remove(0);
    // (71049 - 32671) I/Os between 894 and 1894 ms.
    assert_eq!(course(&run, Metric::Iops)[1], (1894, 38_378.0));
    let series = run.series.iter().find(|s| s.metric == Metric::Iops).unwrap();
    let mean = series.kind.mean_rate(4001.0, |cell| cell.count).unwrap();
    assert!((mean - 154_114.0 / 4.001).abs() < 1.0, "{mean}");
}

#[test]
fn bins_of_a_real_json_plus_file_of_fio_2_give_its_percentiles() {
    let Some(shared) = corpus() else { return };
    let path = shared.join("corpus/fio-versions/2.21/json_plus/jp.json");
    let run = runs_of(read(&std::fs::read(path).unwrap()).unwrap()).remove(0);
    let clat = summary(&run, Metric::Clat, Ddir::Read, 0);
    let histogram = clat.histogram.as_ref().unwrap();
    assert_eq!(Some(histogram.count()), clat.count);
    for &(quantile, value) in &clat.percentiles {
        let ours = histogram.quantile(quantile).unwrap();
        assert!((ours / value - 1.0).abs() < 0.016, "p{quantile}: {ours} against {value}");
    }
    assert!(clat.percentiles.len() >= 17);
}
