//! Phases and steady state of real runs.

use crate::support::{assert_near, campaign, mean, run, sample, shared};
use plotgen::chart::{Figure, Shape, chart};
use plotgen::model::{Campaign, Ddir, Metric, Origin, Severity};
use plotgen::spec::named;

#[test]
fn a_write_cache_that_fills_up_is_dated_and_the_rest_stands_for_itself() {
    let campaign = campaign(&[&sample("special")]);
    let record = run(&campaign, "raid5_chunk64k_randwrite_qd4_cached_run1");
    let phases = record.phases_of(Metric::Iops, Ddir::Write).unwrap();
    let before = phases.segments[0];
    let after = phases.segments[1];
    // The last window before the fall ends at 4007 ms with 11208 IOPS, the next has 181.
    assert_near(after.start_ms, 4000.0, 0.01, "time of the fall");
    assert_eq!((before.start_ms, before.end_ms, before.windows), (0.0, after.start_ms, 8));
    // By hand: the eight rows of the log have a mean of 9368.5.
    assert_near(before.mean, 9368.5, 0.01, "level before");
    // It goes on to fall: awk over the rows says 84 up to 29.5 s and 27 after it.
    assert_near(after.mean, 84.0, 0.02, "level after");
    let steady = phases.segments[phases.steady.unwrap()];
    assert_near(steady.mean, 27.0, 0.02, "level in the end");
    assert_eq!((phases.segments.len(), steady.end_ms), (3, 60_000.0));
    // The mean over all stands for none.
    let whole = mean(record, Metric::Iops, Ddir::Write, Origin::Reported);
    assert!(whole > 5.0 * after.mean && whole < 0.5 * before.mean, "{whole}");
    // Latency is cut at the same time, and goes the other way.
    let latency = record.phases_of(Metric::Lat, Ddir::Write).unwrap();
    assert_eq!(latency.segments[1].start_ms, after.start_ms);
    assert!(latency.segments[1].mean > 20.0 * latency.segments[0].mean, "{latency:?}");

    let said: Vec<_> =
        campaign.diagnostics.iter().filter(|d| d.message.contains("stands for no part")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].severity == Severity::Warning && said[0].path == record.run.id);
    let sentence = "falls from 9,371 to 84.2 at 4.0 s, then falls to 27.0 at 29.5 s";
    assert!(said[0].message.contains(sentence), "{}", said[0]);
    assert!(!record.steady_state(Metric::Iops, Ddir::Write).unwrap().attained);
}

#[test]
fn runs_of_one_level_have_no_phases() {
    for folder in ["level-sweep", "chunk-sweep", "qd-sweep", "baseline"] {
        none_of(&campaign(&[&sample(folder)]));
    }
    let special = campaign(&[&sample("special")]);
    assert_eq!(special.runs.iter().filter(|r| !r.phases.is_empty()).count(), 1);
}

fn none_of(campaign: &Campaign) {
    assert!(!campaign.runs.is_empty());
    for record in &campaign.runs {
        assert!(record.phases.is_empty(), "{}: {:?}", record.run.id, record.phases[0]);
    }
}

#[test]
fn a_write_cache_on_mechanical_drives_fills_up_at_three_and_a_half_seconds() {
    let Some(mechanical) = shared("raid-campaign/mech7200") else { return };
    let cached = campaign(&[&mechanical.join("special")]);
    let record = run(&cached, "raid5_chunk64k_randwrite_qd4_cached_run1");
    let phases = record.phases_of(Metric::Iops, Ddir::Write).unwrap();
    // 7862 IOPS at 3508 ms, 316 at 4011 ms.
    assert_near(phases.segments[0].end_ms, 3500.0, 0.01, "time of the fall");
    assert!(phases.segments[0].mean > 10.0 * phases.segments[1].mean, "{phases:?}");
    assert!(phases.steady.is_some());
    assert_eq!(cached.runs.iter().filter(|r| !r.phases.is_empty()).count(), 1);
    for folder in ["chunk-sweep", "qd-sweep", "fullstroke"] {
        none_of(&campaign(&[&mechanical.join(folder)]));
    }
    // Two runs of this sweep were disturbed: 380 IOPS fall to 150 at 4.5 s and come back later; 190 rise to 265 at 5.5 s.
    let disturbed = campaign(&[&mechanical.join("level-sweep")]);
    let found: Vec<&str> =
        disturbed.runs.iter().filter(|r| !r.phases.is_empty()).map(|r| r.run.id.as_str()).collect();
    assert_eq!(found, ["raid5_chunk64k_randread_qd4_run2", "raid10_chunk64k_randwrite_qd4_run3"]);
    let fallen = run(&disturbed, found[0]).phases_of(Metric::Iops, Ddir::Read).unwrap();
    assert_eq!(fallen.steady, None);
}

/// What is said of the levels of a run whose IOPS logs, one a job, have these rows of `(ms, IOPS)`.
fn said_of(jobs: &[Vec<(u32, u32)>]) -> (Campaign, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    for (job, rows) in (1..).zip(jobs) {
        let text: String = rows.iter().map(|(ms, iops)| format!("{ms}, {iops}, 0, 0, 0\n")).collect();
        std::fs::write(dir.path().join(format!("a_iops.{job}.log")), text).unwrap();
    }
    let campaign = campaign(&[dir.path()]);
    let said = campaign.diagnostics.iter().map(|d| d.message.clone());
    let said = said.filter(|text| text.contains(" falls ") || text.contains(" rises ")).collect();
    (campaign, said)
}

/// Rows of windows of 500 ms in `(from, to]` s at one rate.
fn rows(from: u32, to: u32, iops: u32) -> Vec<(u32, u32)> {
    (2 * from + 1..=2 * to).map(|window| (500 * window, iops)).collect()
}

#[test]
fn a_run_that_goes_up_and_down_and_ends_low_is_not_said_to_come_back() {
    let (_, said) =
        said_of(&[[rows(0, 10, 900), rows(10, 20, 300), rows(20, 30, 900), rows(30, 40, 300)].concat()]);
    assert_eq!(said.len(), 1);
    assert!(said[0].ends_with("in the end it is at 300, near a level that it had before"), "{said:?}");
}

#[test]
fn a_run_that_catches_up_after_a_stall_comes_back_to_its_level() {
    // 300 IOPS, idle from 10 to 13 s, the 2,100 I/Os of seven windows in one, 300 again: the mean is 300, too.
    let (campaign, said) = said_of(&[[rows(0, 10, 300), vec![(13_500, 2100)], rows(14, 24, 300)].concat()]);
    let sentence = "read IOPS falls from 300 to 0 at 10.0 s, then rises to 300 at 13.0 s; its level comes back to where it was";
    assert_eq!(said, [sentence]);
    let phases = campaign.runs[0].phases_of(Metric::Iops, Ddir::Read).unwrap();
    assert_eq!(phases.steady, None);
    // By hand: the third part has windows of 2100, 0 (no row at 14.0 s) and twenty of 300 in 22; its mean stays the mean.
    assert_near(phases.segments[2].mean, 8100.0 / 22.0, 1e-9, "mean of the part");
    assert_near(phases.segments[2].level, 300.0, 1e-9, "level of the part");
    let figure = figure(&campaign, "iops-time");
    assert!(!figure.notes.iter().any(|n| n.contains("stands for no part")), "{:?}", figure.notes);
}

#[test]
fn windows_that_alternate_do_not_stay_at_their_mean() {
    let saw = (21..=60).map(|i| (500 * i, if i % 2 == 0 { 400 } else { 200 })).collect();
    let (_, said) = said_of(&[[rows(0, 10, 100), saw].concat()]);
    // 20 windows of 100 and 40 of 300 on average: the whole has 233, a quarter off both.
    let sentence = "read IOPS rises from 100 to 300 at 10.0 s; a mean over the whole run stands for no part of it: \
                    from 10.0 s on it varies about 300, half of the windows between 200 and 400";
    assert_eq!(said, [sentence]);
}

#[test]
fn a_mean_that_is_near_a_level_is_not_said_to_stand_for_none() {
    // 60 windows of 300 and 5 of 10: the mean is 277.7, 7.4 % below 300.
    let (_, said) = said_of(&[[rows(0, 30, 300), rows(30, 33, 10)[..5].to_vec()].concat()]);
    assert_eq!(said, ["read IOPS falls from 300 to 10.0 at 30.0 s; from 30.0 s on it stays at 10.0"]);
}

#[test]
fn the_end_or_the_begin_of_a_job_is_no_change_of_level() {
    assert_eq!(said_of(&[rows(0, 8, 200), rows(0, 16, 200)]).1, Vec::<String>::new());
    assert_eq!(said_of(&[rows(8, 16, 200), rows(0, 16, 200)]).1, Vec::<String>::new());
    // Between two stamps of the grid, too.
    let odd = rows(0, 8, 200).into_iter().map(|(ms, iops)| (ms + 230, iops)).collect();
    assert_eq!(said_of(&[odd, rows(0, 16, 200)]).1, Vec::<String>::new());
}

#[test]
fn a_fall_of_the_device_is_found_beside_the_end_of_a_job() {
    let slow = |end: u32| [rows(0, 6, 500), rows(6, end, 50)].concat();
    let (_, said) = said_of(&[slow(14), slow(30)]);
    let before = "read IOPS falls from 1,000 to 100 at 6.0 s; from 6.0 s on until a job ends at 14.0 s it stays at 100";
    assert_eq!(said, [before]);
    // And when the job had ended before.
    let (_, said) = said_of(&[rows(0, 6, 500), [rows(0, 14, 500), rows(14, 30, 50)].concat()]);
    assert_eq!(said, ["read IOPS falls from 500 to 50.0 at 14.0 s; from 14.0 s on it stays at 50.0"]);
}

#[test]
fn a_log_without_its_first_rows_does_not_begin_at_zero() {
    // fio 3.33 with log_avg_msec=10 wrote its first row of IOPS at 144 ms, that of latency at 10 ms.
    let late = (0..60).map(|i| (144 + 10 * i, 20_000 + 10 * i)).collect();
    assert_eq!(said_of(&[late]).1, Vec::<String>::new());
}

fn figure(campaign: &Campaign, name: &str) -> Figure {
    chart(campaign, &named(name, campaign).unwrap()[0]).unwrap()
}

#[test]
fn the_time_chart_of_a_run_marks_the_fall_and_the_mean_of_each_part() {
    let campaign = campaign(&[&sample("special")]);
    let figure = figure(&campaign, "run-raid5-chunk64k-randwrite-qd4-cached-run1-iops");
    let shapes = &figure.panels[0].shapes;
    let marks: Vec<f64> = shapes
        .iter()
        .filter_map(|s| match s {
            Shape::Mark { x, .. } => Some(*x),
            _ => None,
        })
        .collect();
    assert_eq!(marks, [4.0, 29.5]);
    let means = shapes.iter().find_map(|s| match s {
        Shape::Line { parts, name, .. } if name.starts_with("Mean of each part") => Some(parts.clone()),
        _ => None,
    });
    let means = means.unwrap();
    assert_eq!((means.len(), means[0][0].0, means[0][1].0), (3, 0.0, 4.0));
    assert!(figure.texts.iter().any(|t| t.text.starts_with("4 s: 9,371")), "{:?}", figure.texts);
    assert!(
        figure.notes.iter().any(|n| n.contains("673 IOPS, stands for no part of it")),
        "{:?}",
        figure.notes
    );
    // Beside the end of the line stands the level that it settled at.
    assert!(figure.texts.iter().any(|t| t.text == "settles at 27.0 IOPS"), "{:?}", figure.texts);
}

#[test]
fn a_time_chart_of_several_runs_marks_nothing() {
    let campaign = campaign(&[&sample("special")]);
    let figure = figure(&campaign, "iops-time");
    let mut shapes = figure.panels.iter().flat_map(|p| &p.shapes);
    assert!(!shapes.any(|s| matches!(s, Shape::Mark { .. })));
}

#[test]
fn the_steady_chart_shows_five_steps_on_the_band_that_the_rule_allows() {
    let campaign = campaign(&[&sample("special")]);
    let figure = figure(&campaign, "run-raid5-chunk64k-randwrite-qd4-cached-run1-iops-steady");
    assert!(figure.subtitle.starts_with("SNIA-style, not steady: range 47"), "{}", figure.subtitle);
    let state =
        run(&campaign, "raid5_chunk64k_randwrite_qd4_cached_run1").steady_state(Metric::Iops, Ddir::Write);
    let state = state.unwrap();
    let band = figure.panels[0].shapes.iter().find_map(|s| match s {
        Shape::Band { parts, .. } => Some(parts[0].clone()),
        _ => None,
    });
    let band = band.unwrap();
    assert_near(band[0].1, 0.9 * state.mean, 1e-9, "lower edge");
    assert_near(band[1].2, 1.1 * state.mean, 1e-9, "upper edge");
    // The first window is start-up and in no round.
    assert_eq!((band[0].0, band[1].0), (0.5, 60.0));
    let steps = figure.panels[0].shapes.iter().find_map(|s| match s {
        Shape::Line { parts, .. } if parts[0].len() == 10 => Some(parts[0].clone()),
        _ => None,
    });
    let steps = steps.unwrap();
    assert_eq!((steps[0].1, steps[1], steps[9].0), (state.rounds[0], (12.4, state.rounds[0]), 60.0));
    // The label says the mean that is drawn, not that of the run with its first row, and stands at it.
    let mean = state.rounds.iter().sum::<f64>() / 5.0;
    let label = figure.texts.iter().find(|text| text.text.starts_with("mean ")).unwrap();
    assert_eq!(label.text, format!("mean {mean:.0} IOPS"));
    let panel = &figure.panels[0];
    let at = panel.rect.y + panel.rect.height * (1.0 - panel.y.position(mean));
    assert!((label.y - at).abs() < 8.0, "{} {at}", label.y);
}

#[test]
fn five_repeats_in_a_row_are_rounds_and_the_first_steady_ones_are_the_window() {
    let dir = tempfile::tempdir().unwrap();
    let mut text =
        "# rbench 1\n# raid=10 rw=randread bs=4k iodepth=4\nrepeat,metric,ddir,value,unit\n".to_owned();
    // The first repeat is cold: with it the range is 42 of 92, without it 4 of 100.
    for (n, iops) in [60, 100, 102, 98, 101, 99, 100].iter().enumerate() {
        text.push_str(&format!("{},iops,read,{iops},1/s\n", n + 1));
    }
    std::fs::write(dir.path().join("repeats.rbench.csv"), text).unwrap();
    let campaign = campaign(&[dir.path()]);
    assert_eq!(campaign.runs.len(), 7);
    let [rounds] = campaign.rounds.as_slice() else { panic!("{:?}", campaign.rounds) };
    assert_eq!(rounds.runs, [1, 2, 3, 4, 5]);
    assert_eq!(rounds.state.rounds, [100.0, 102.0, 98.0, 101.0, 99.0]);
    assert!(rounds.state.attained && rounds.state.span_ms.is_none());
}
