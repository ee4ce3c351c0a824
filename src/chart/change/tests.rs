//! Rows, dots and words of changes made by hand.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::analyze::Threshold;
use crate::analyze::baseline::{compare, runs_of};
use crate::chart::chart;
use crate::chart::promises::promises;
use crate::chart::testdata::{many_runs, raid_campaign};
use crate::model::{Dimension, Measure, Metric};
use crate::spec::{Mark, XChannel};

fn spec(metric: Metric) -> ChartSpec {
    ChartSpec::new("change", Mark::Dot, XChannel::Change, Measure::mean(metric))
}

/// A campaign against a baseline whose figures are those of `share` of its own.
fn against(mut campaign: Campaign, share: impl Fn(&Option<&crate::model::Value>) -> f64) -> Campaign {
    let new = runs_of(&campaign);
    let mut base = new.clone();
    for run in &mut base {
        let factor = share(&run.dimensions.get(&Dimension::Raid));
        run.figures.values_mut().for_each(|figure| *figure *= factor);
    }
    campaign.baseline = Some(compare(&base, &new, &Threshold::default()));
    campaign
}

#[test]
fn without_a_baseline_there_is_no_chart_and_the_error_says_how_to_have_one() {
    let error = chart(&raid_campaign(3), &spec(Metric::Iops)).unwrap_err();
    assert!(error.to_string().contains("--baseline"), "{error}");
}

#[test]
fn rows_stand_worst_first_at_their_ratio_and_the_title_counts_the_verdicts() {
    // RAID 5 had 1.25 times as much before: it has lost a fifth. RAID 10 had half: it has doubled.
    let share = |raid: &Option<&crate::model::Value>| match raid.map(|raid| raid.as_str()) {
        Some("5") => 1.25,
        Some("10") => 0.5,
        _ => 1.0,
    };
    let data = against(raid_campaign(3), share);
    let figure = chart(&data, &spec(Metric::Iops)).unwrap();
    let words = |role: Role| {
        let texts = figure.texts.iter().filter(move |text| text.role == role);
        texts.map(|text| text.text.as_str()).collect::<Vec<_>>()
    };
    let names = words(Role::Label);
    assert!(names.first().unwrap().contains("RAID 5"), "{names:?}");
    assert!(names.last().unwrap().contains("RAID 10"), "{names:?}");
    let told = words(Role::Value);
    assert_eq!(told.first(), Some(&"\u{2212}20.0 %, worse"));
    assert_eq!(told.last(), Some(&"+100.0 %, better"));
    let dots: Vec<(f64, f64)> = figure.panels[0]
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Dots { at, .. } => at.first().copied(),
            _ => None,
        })
        .collect();
    // The first row is the highest.
    assert!((dots[0].0 - 0.8).abs() < 1e-9 && dots[0].1 == (dots.len() - 1) as f64, "{dots:?}");
    assert!((dots[dots.len() - 1].0 - 2.0).abs() < 1e-9 && dots[dots.len() - 1].1 == 0.0);
    assert!(figure.title.contains("3 worse, 3 better"), "{}", figure.title);
    let TableCell::Number { value, .. } = &figure.table.rows[0][4] else {
        panic!("{:?}", figure.table.rows[0])
    };
    assert!((value + 20.0).abs() < 1e-9, "{value}");
}

#[test]
fn more_of_latency_is_worse() {
    let share = |raid: &Option<&crate::model::Value>| match raid.map(|raid| raid.as_str()) {
        Some("5") => 0.5,
        _ => 1.0,
    };
    let figure = chart(&against(raid_campaign(3), share), &spec(Metric::Lat)).unwrap();
    let first = figure.texts.iter().find(|text| text.role == Role::Label).unwrap();
    assert!(first.text.contains("RAID 5"), "{}", first.text);
}

#[test]
fn texts_never_overlap_however_many_configurations_there_are() {
    promises("levels", &against(raid_campaign(3), |_| 1.1), &spec(Metric::Iops));
    promises("single runs", &against(raid_campaign(1), |_| 0.01), &spec(Metric::Iops));
    for count in [1, 9, 200] {
        let name =
            |i: usize| format!("a-very-long-name-of-a-run-that-nobody-would-type-by-hand-{i}-of-{count}");
        let data = against(many_runs(count, 4e5, name), |_| 3.0);
        promises(&format!("{count} runs"), &data, &spec(Metric::Iops));
        let figure = chart(&data, &spec(Metric::Iops)).unwrap();
        assert_eq!(figure.table.rows.len(), 2 * count, "reads and writes of every run");
    }
}
