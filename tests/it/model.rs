//! Runs against the RAID model and Little's law.

use crate::support::{assert_near, campaign, campaign_under, sample};
use plotgen::analyze::{AnalyzeOptions, ArrayModel};
use plotgen::model::{Campaign, Ddir, Dimension};
use std::path::Path;

fn six_drives() -> AnalyzeOptions {
    AnalyzeOptions {
        model: Some(ArrayModel { drives: Some(6), drive_iops: Some(75.0) }),
        ..AnalyzeOptions::default()
    }
}

/// Expected IOPS, and the mean efficiency of the repeats of a level.
fn level(campaign: &Campaign, level: &str, ddir: Ddir) -> (f64, f64, usize) {
    let of_level = |run: usize| {
        campaign.runs[run].run.value(&Dimension::Raid).is_some_and(|value| value.as_str() == level)
    };
    let points: Vec<_> = campaign.model.iter().filter(|p| p.ddir == ddir && of_level(p.run)).collect();
    let efficiency = points.iter().map(|p| p.efficiency).sum::<f64>() / points.len() as f64;
    (points[0].expected, efficiency, points.len())
}

#[test]
fn the_level_sweep_reaches_nine_tenths_of_the_raid_model() {
    let campaign = campaign_under(&[&sample("level-sweep")], &six_drives());
    let expected = [
        ("0", Ddir::Read, 450.0, 0.90),
        ("10", Ddir::Read, 450.0, 0.93),
        ("5", Ddir::Read, 450.0, 0.91),
        ("6", Ddir::Read, 450.0, 0.89),
        ("0", Ddir::Write, 450.0, 0.90),
        ("10", Ddir::Write, 225.0, 0.93),
        ("5", Ddir::Write, 112.5, 0.87),
        ("6", Ddir::Write, 75.0, 1.00),
    ];
    for (raid, ddir, iops, efficiency) in expected {
        let (model, reached, runs) = level(&campaign, raid, ddir);
        assert_eq!((model, runs), (iops, 3), "RAID {raid} {ddir}");
        assert_eq!(format!("{reached:.2}"), format!("{efficiency:.2}"), "RAID {raid} {ddir}");
    }
    // Four reads in flight keep 6 * 4 / 9 of six drives busy; writes have no such estimate.
    let shallow = |ddir| campaign.model.iter().find(|p| p.ddir == ddir).unwrap().shallow;
    assert_near(shallow(Ddir::Read).unwrap(), 200.0, 1e-9, "shallow queue");
    assert_eq!(shallow(Ddir::Write), None);
}

#[test]
fn a_run_of_one_disk_tells_what_the_drives_do() {
    let options = AnalyzeOptions {
        model: Some(ArrayModel { drives: Some(6), drive_iops: None }),
        ..AnalyzeOptions::default()
    };
    let campaign = campaign_under(&[&sample("level-sweep"), &sample("baseline")], &options);
    assert_eq!(campaign.model.len(), 24);
    for point in &campaign.model {
        assert_near(point.drive_iops, 75.2, 0.001, "IOPS of one drive");
        let single = &campaign.runs[point.drive_run.unwrap()].run;
        assert!(single.label.starts_with("single_rand"), "{}", single.id);
    }
    let said = campaign.diagnostics.iter().filter(|d| d.message.contains("75.2 IOPS a drive")).count();
    assert_eq!(said, 2);
}

#[test]
fn a_mix_of_reads_and_writes_is_held_against_its_own_share() {
    let campaign = campaign_under(&[&sample("special")], &six_drives());
    let mixed: Vec<_> =
        campaign.model.iter().filter(|p| campaign.runs[p.run].run.label.contains("randrw75")).collect();
    assert_eq!(mixed.iter().map(|p| p.ddir).collect::<Vec<_>>(), [Ddir::Read, Ddir::Write]);
    // 75 % reads on RAID 10: 450 / (0.75 + 2 * 0.25) = 360, of which three quarters are reads.
    assert_near(mixed[0].expected + mixed[1].expected, 360.0, 0.01, "IOPS of the mix");
    assert_near(mixed[0].efficiency, mixed[1].efficiency, 1e-9, "one efficiency");
}

#[test]
fn without_drives_nothing_is_modelled_and_asking_for_it_is_answered() {
    assert!(campaign(&[&sample("level-sweep")]).model.is_empty());
    let options = AnalyzeOptions {
        model: Some(ArrayModel { drives: None, drive_iops: Some(75.0) }),
        ..AnalyzeOptions::default()
    };
    let campaign = campaign_under(&[&sample("level-sweep")], &options);
    let said = campaign.diagnostics.iter().find(|d| d.path == "--model").unwrap();
    assert!(said.message.contains("name it with --model drives=N"), "{}", said.message);
}

#[test]
fn every_depth_of_the_queue_depth_sweep_obeys_littles_law() {
    let folders = ["qd-sweep", "level-sweep", "baseline", "special"].map(sample);
    let folders: Vec<&Path> = folders.iter().map(|folder| folder.as_path()).collect();
    let campaign = campaign(&folders);
    let mut depths = Vec::new();
    for record in &campaign.runs {
        let law = record.little.unwrap();
        assert_near(law.measured, law.configured, 0.03, &record.run.id);
        depths.push(law.configured as u32);
    }
    depths.sort_unstable();
    depths.dedup();
    assert_eq!(depths, [1, 2, 4, 8, 16, 32, 64]);
}
