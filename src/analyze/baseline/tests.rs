//! Matching and verdicts on small sides made by hand.

use super::*;

fn run(id: &str, dimensions: &[(&str, &str)], options: &[(&str, &str)], iops: f64) -> BaselineRun {
    let dimension = |(name, text): &(&str, &str)| {
        let dimension = Dimension::named(name);
        (dimension.clone(), Value::canonical(&dimension, text))
    };
    BaselineRun {
        id: id.to_owned(),
        dimensions: dimensions.iter().map(dimension).collect(),
        options: Some(options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()),
        figures: BTreeMap::from([
            ((Metric::Iops, Ddir::Read), iops),
            ((Metric::Bw, Ddir::Read), iops * 4096.0),
            ((Metric::Lat, Ddir::Read), 4e9 / iops),
        ]),
        ..BaselineRun::default()
    }
}

/// Three repeats of a RAID level, within 1 % of each other.
fn repeats(raid: &str, iops: f64) -> Vec<BaselineRun> {
    let one = |(n, share): (&str, f64)| {
        run(&format!("{raid}-{n}"), &[("raid", raid), ("bs", "4k"), ("repeat", n)], &[], iops * share)
    };
    [("1", 0.99), ("2", 1.0), ("3", 1.01)].into_iter().map(one).collect()
}

fn sides(base: &[BaselineRun], new: &[BaselineRun]) -> Baseline {
    compare(base, new, &Threshold::default())
}

fn tested(baseline: &Baseline) -> Vec<(&str, Metric, Verdict)> {
    let tested = baseline.changes.iter().filter_map(|c| Some((c.name.as_str(), c.metric, c.verdict?)));
    tested.collect()
}

#[test]
fn one_fact_is_tested_once_and_the_others_are_shown() {
    let base = [repeats("0", 400.0), repeats("10", 300.0)].concat();
    let new = [repeats("0", 400.0), repeats("10", 200.0)].concat();
    let baseline = sides(&base, &new);
    assert_eq!(
        tested(&baseline),
        [("RAID 0", Metric::Iops, Verdict::NoDifference), ("RAID 10", Metric::Iops, Verdict::Worse)]
    );
    assert_eq!(baseline.changes.len(), 6);
    let latency = &baseline.changes[5];
    assert!(latency.metric == Metric::Lat && latency.verdict.is_none());
    assert!((latency.ratio.unwrap_or(0.0) - 1.5).abs() < 1e-9);
    assert_eq!(baseline.overall, Verdict::Worse);
}

#[test]
fn a_rate_limited_load_is_judged_by_its_latency_as_well() {
    let limited = |latency: f64| -> Vec<BaselineRun> {
        let mut runs = repeats("0", 400.0);
        for run in &mut runs {
            run.options = Some(BTreeMap::from([("rate_iops".to_owned(), "400".to_owned())]));
            run.figures.entry((Metric::Lat, Ddir::Read)).and_modify(|v| *v *= latency);
        }
        runs
    };
    let baseline = sides(&limited(1.0), &limited(2.0));
    assert_eq!(
        tested(&baseline).iter().map(|t| (t.1, t.2)).collect::<Vec<_>>(),
        [(Metric::Iops, Verdict::NoDifference), (Metric::Lat, Verdict::Worse)]
    );
}

#[test]
fn in_a_mix_each_latency_is_a_fact_of_its_own() {
    // 700 reads and 300 writes a second with 4 in flight: 0.7 * 4 ms + 0.3 * 4 ms = 0.7 * 5.2 ms + 0.3 * 1.2 ms.
    let mixed = |read: f64, write: f64| -> Vec<BaselineRun> {
        let mut runs = repeats("0", 700.0);
        for run in &mut runs {
            let share = run.figures[&(Metric::Iops, Ddir::Read)] / 700.0;
            run.figures.insert((Metric::Lat, Ddir::Read), read / share);
            run.figures.insert((Metric::Iops, Ddir::Write), 300.0 * share);
            run.figures.insert((Metric::Lat, Ddir::Write), write / share);
        }
        runs
    };
    let baseline = sides(&mixed(4e6, 4e6), &mixed(5.2e6, 1.2e6));
    assert_eq!(
        tested(&baseline).iter().map(|t| (t.1, t.2)).collect::<Vec<_>>(),
        [
            (Metric::Iops, Verdict::NoDifference),
            (Metric::Lat, Verdict::Worse),
            (Metric::Iops, Verdict::NoDifference),
            (Metric::Lat, Verdict::Better)
        ]
    );
    assert_eq!(baseline.overall, Verdict::Worse);
}

#[test]
fn a_tail_is_shown_and_not_tested() {
    let with_tail = |p99: [f64; 3]| -> Vec<BaselineRun> {
        let mut runs = repeats("0", 400.0);
        for (run, ms) in runs.iter_mut().zip(p99) {
            run.tails.insert((Metric::Clat, Ddir::Read), ms * 1e6);
        }
        runs
    };
    let baseline = sides(&with_tail([20.0, 22.0, 21.0]), &with_tail([110.0, 100.0, 105.0]));
    let tails: Vec<&Change> = baseline.changes.iter().filter(|change| change.stat == Stat::P99).collect();
    let [tail] = tails[..] else { panic!("{tails:?}") };
    // The repeats in the middle: 21 ms and 105 ms, five times as long.
    assert_eq!((tail.what().as_str(), tail.base_mean, tail.new_mean), ("read clat p99", 21e6, 105e6));
    assert!((tail.ratio.unwrap_or(0.0) - 5.0).abs() < 1e-12 && tail.verdict.is_none() && tail.low.is_none());
    assert_eq!(baseline.overall, Verdict::NoDifference);
    let said = words::remarks(&baseline);
    let shown = "Figures that follow from a tested one, and percentiles, are shown only.";
    assert!(said.iter().any(|line| line == shown), "{said:?}");
    // One side without a tail has nothing to stand beside.
    let lacking = sides(&repeats("0", 400.0), &with_tail([20.0, 22.0, 21.0]));
    assert!(lacking.changes.iter().all(|change| change.stat == Stat::Mean));
}

#[test]
fn without_iops_bandwidth_is_tested_and_without_rates_latency() {
    let without = |metrics: &[Metric]| -> Vec<BaselineRun> {
        let mut runs = repeats("0", 400.0);
        runs.iter_mut().for_each(|run| run.figures.retain(|(metric, _), _| !metrics.contains(metric)));
        runs
    };
    let metrics = |runs: &[BaselineRun]| tested(&sides(runs, runs)).iter().map(|t| t.1).collect::<Vec<_>>();
    assert_eq!(metrics(&without(&[Metric::Iops])), [Metric::Bw]);
    assert_eq!(metrics(&without(&[Metric::Iops, Metric::Bw])), [Metric::Lat]);
}

#[test]
fn a_single_run_on_a_side_decides_nothing_and_its_change_is_shown() {
    let baseline = sides(&repeats("0", 400.0), &repeats("0", 200.0)[..1]);
    assert_eq!(tested(&baseline)[0].2, Verdict::Inconclusive);
    let change = &baseline.changes[0];
    assert!((change.ratio.unwrap_or(0.0) - 0.495).abs() < 1e-3 && change.low.is_none());
    assert_eq!(change.reason(), "one run on a side carries no verdict");
}

#[test]
fn runs_that_moved_nothing_at_all_are_worse_than_others_and_equal_to_their_like() {
    let stopped = |mut runs: Vec<BaselineRun>| {
        runs.iter_mut().for_each(|run| run.figures.values_mut().for_each(|v| *v = 0.0));
        runs
    };
    let (busy, idle) = (repeats("0", 400.0), stopped(repeats("0", 400.0)));
    let outcome = |base: &[BaselineRun], new: &[BaselineRun]| {
        let found = sides(base, new);
        (found.overall, words::by(&found.changes[0]), words::remarks(&found)[0].clone())
    };
    let (overall, by, told) = outcome(&busy, &idle);
    assert_eq!((overall, by.as_str()), (Verdict::Worse, "to 0"));
    assert_eq!(told, "Worse: RAID 0, 4 KiB (read iops to 0).");
    let (overall, by, told) = outcome(&idle, &busy);
    assert_eq!((overall, by.as_str()), (Verdict::Better, "from 0"));
    assert_eq!(told, "Better: RAID 0, 4 KiB (read iops from 0).");
    let (overall, by, told) = outcome(&idle, &idle);
    assert_eq!((overall, by.as_str()), (Verdict::NoDifference, "0 before and after"));
    assert!(told.ends_with("0 worse, 0 better, 1 without a difference, 0 inconclusive."), "{told}");
    // One run on a side decides nothing.
    assert_eq!(outcome(&busy, &idle[..1]).0, Verdict::Inconclusive);
}

#[test]
fn a_repeat_of_0_among_others_has_no_ratio_and_no_number_of_repeats_mends_it() {
    let mut new = repeats("0", 400.0);
    new[0].figures.values_mut().for_each(|v| *v = 0.0);
    let found = sides(&repeats("0", 400.0), &new);
    assert_eq!((found.overall, words::by(&found.changes[0]).as_str()), (Verdict::Inconclusive, ""));
    let told = words::remarks(&found);
    assert!(
        told.contains(
            &"Inconclusive: some repeats are 0, of which there is no ratio; look at those runs.".to_owned()
        ),
        "{told:?}"
    );
}

#[test]
fn what_one_side_lacks_is_listed() {
    let base = [repeats("0", 400.0), repeats("5", 100.0)].concat();
    let new = [repeats("0", 400.0), repeats("6", 100.0)].concat();
    let baseline = sides(&base, &new);
    assert_eq!((baseline.only_in_base, baseline.only_in_new), (vec!["RAID 5".into()], vec!["RAID 6".into()]));
}

#[test]
fn a_folder_on_one_side_only_does_not_part_equal_runs() {
    let inside = |mut runs: Vec<BaselineRun>, folder: &str| {
        for run in &mut runs {
            run.dimensions.insert(Dimension::named("path1"), Value::canonical(&Dimension::Raid, folder));
        }
        runs
    };
    let flat = [repeats("0", 400.0), repeats("5", 100.0)].concat();
    let nested = [inside(repeats("0", 400.0), "a"), inside(repeats("5", 100.0), "b")].concat();
    let baseline = sides(&flat, &nested);
    assert_eq!((tested(&baseline).len(), baseline.notes.len()), (2, 0));
    // Where the folders are all that tells runs apart, they are not the same runs.
    let twice = [inside(repeats("0", 400.0), "a"), inside(repeats("0", 300.0), "b")].concat();
    let baseline = sides(&repeats("0", 400.0), &twice);
    assert_eq!((tested(&baseline).len(), baseline.only_in_new.len()), (0, 2));
}

#[test]
fn another_host_is_said_and_compared() {
    let on = |host: &str| -> Vec<BaselineRun> {
        let mut runs = repeats("0", 400.0);
        for run in &mut runs {
            run.dimensions.insert(Dimension::Host, Value::canonical(&Dimension::Host, host));
        }
        runs
    };
    let baseline = sides(&on("db1"), &on("db2"));
    assert_eq!(tested(&baseline).len(), 1);
    assert_eq!(baseline.notes, ["host: db1 in the baseline, db2 now"]);
}

#[test]
fn other_options_part_runs_and_are_said_where_they_differ_between_the_sides() {
    let lasting = |seconds: &str| {
        [run(seconds, &[("raid", "0"), ("bs", "4k")], &[("runtime", seconds), ("direct", "1")], 100.0)]
    };
    let both = [lasting("20"), lasting("40")].concat();
    let baseline = sides(&both, &both);
    let names: Vec<&str> = tested(&baseline).iter().map(|t| t.0).collect();
    assert_eq!(names, ["RAID 0, 4 KiB (runtime=20)", "RAID 0, 4 KiB (runtime=40)"]);
    let baseline = sides(&lasting("20"), &lasting("40"));
    assert_eq!(baseline.notes, ["RAID 0, 4 KiB: the sides differ in runtime (20 in the baseline, 40 now)"]);
    assert_eq!(tested(&baseline).len(), 1);
}

#[test]
fn a_change_that_is_not_that_of_the_means_shown_is_told_in_words() {
    let three = |iops: [f64; 3]| -> Vec<BaselineRun> {
        let one = |(n, iops): (&str, f64)| run(n, &[("raid", "0"), ("bs", "4k"), ("repeat", n)], &[], iops);
        ["1", "2", "3"].into_iter().zip(iops).map(one).collect()
    };
    // Arithmetic means 200 and 200; geometric 158.74 and 200, 1.25992 apart. Of the latencies 40, 40, 10 ms and 20 ms
    // the arithmetic means are 30 and 20 (-33.3 %), the ratio of geometric ones 0.7937 (-20.6 %).
    let found = sides(&three([100.0, 100.0, 400.0]), &three([200.0; 3]));
    let said = "Changes are of geometric means; the means shown are arithmetic and differ: RAID 0, 4 KiB (read iops) by \
                0.0 %, not +26.0 %; RAID 0, 4 KiB (read bw) by 0.0 %, not +26.0 %; RAID 0, 4 KiB (read lat) by -33.3 %, \
                not -20.6 %.";
    assert!(words::remarks(&found).iter().any(|line| line == said), "{:?}", words::remarks(&found));
    // Repeats within 1 % of each other: the two means are 0.003 % apart, and so are those of 95 and 105 with 0.125 %.
    for new in [repeats("0", 300.0), three([285.0, 300.0, 315.0])] {
        let found = sides(&repeats("0", 400.0), &new);
        assert!(!words::remarks(&found).iter().any(|line| line.contains("geometric")));
    }
}

#[test]
fn runs_without_dimensions_match_by_their_id() {
    let (a, b) = (run("a", &[], &[], 1.0), run("b", &[], &[], 2.0));
    let baseline = sides(&[a.clone(), b], &[a]);
    assert_eq!((tested(&baseline)[0].0, baseline.only_in_base.clone()), ("a", vec!["b".to_owned()]));
}

#[test]
fn a_report_gives_its_means_the_tools_own_first() {
    let document = r#"{"schema": 1, "charts": [], "runs": [{"id": "a", "dimensions": {"raid": "10"}, "summaries": [
        {"metric": "iops", "ddir": "read", "stat": "mean", "value": 99, "unit": "1/s", "origin": "log", "n": 3},
        {"metric": "iops", "ddir": "read", "stat": "mean", "value": 100, "unit": "1/s", "origin": "reported", "n": null},
        {"metric": "iops", "ddir": "read", "stat": "max", "value": 120, "unit": "1/s", "origin": "log", "n": 3},
        {"metric": "iops", "ddir": "write", "stat": "mean", "value": null, "unit": "1/s", "origin": "log", "n": 3},
        {"metric": "joules", "ddir": "read", "stat": "mean", "value": 1, "unit": "J", "origin": "log", "n": 3}]}]}"#;
    let runs = report_json::read(document.as_bytes()).unwrap_or_default();
    assert_eq!(runs[0].figures, BTreeMap::from([((Metric::Iops, Ddir::Read), 100.0)]));
    assert_eq!(runs[0].dimensions[&Dimension::Raid].as_str(), "10");
    let message =
        |text: &str| report_json::read(text.as_bytes()).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message(r#"{"schema": 2, "charts": []}"#).starts_with("a report of schema 2; expected schema 1"));
    let part = document.replacen("\"runs\"", "\"part\": {\"from_ms\": 2500, \"to_ms\": null}, \"runs\"", 1);
    assert!(
        message(&part).starts_with("a report of a part of its runs (2.5 s to the end), which whole runs")
    );
    assert!(message("{}").starts_with("no report.json of plotgen: "));
    assert!(!report_json::is_report(b"[]") && report_json::is_report(document.as_bytes()));
}

#[test]
fn latency_of_syncs_is_shown_and_judged_where_the_load_is_limited() {
    let synced = |latency: f64, options: &[(&str, &str)]| -> Vec<BaselineRun> {
        let mut runs = repeats("0", 400.0);
        for run in &mut runs {
            run.options = Some(options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect());
            let one = run.figures[&(Metric::Iops, Ddir::Read)] * 1e4 * latency;
            run.figures.insert((Metric::Fsync, Ddir::Mixed), one);
        }
        runs
    };
    let closed = sides(&synced(1.0, &[]), &synced(2.0, &[]));
    let syncs: Vec<_> = closed.changes.iter().filter(|c| c.metric == Metric::Fsync).collect();
    let [change] = syncs.as_slice() else { panic!("one change") };
    assert_eq!((change.ddir, change.verdict), (Ddir::Mixed, None));
    assert!((change.ratio.unwrap_or(0.0) - 2.0).abs() < 1e-9);
    let rate = [("rate_iops", "400")];
    let limited = sides(&synced(1.0, &rate), &synced(2.0, &rate));
    assert!(
        tested(&limited).contains(&("RAID 0, 4 KiB", Metric::Fsync, Verdict::Worse)),
        "{:?}",
        tested(&limited)
    );
}

#[test]
fn a_direction_that_one_side_lacks_is_named() {
    let base = repeats("0", 400.0);
    let mut new = repeats("0", 400.0);
    for run in &mut new {
        run.figures =
            run.figures.iter().map(|(&(metric, _), &value)| ((metric, Ddir::Write), value)).collect();
    }
    let baseline = sides(&base, &new);
    assert!(baseline.changes.is_empty());
    let told = |with: &str, ddir: &str, without: &str| {
        format!(
            "RAID 0, 4 KiB: the {with} runs have figures of {ddir}s, the {without} ones have none; they are not compared"
        )
    };
    assert_eq!(baseline.notes, [told("baseline", "read", "new"), told("new", "write", "baseline")]);
}
