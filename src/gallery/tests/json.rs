//! `report.json` against its published schema.

use super::sample::{campaign, hostile, pictures};
use crate::gallery::{PageOptions, build};
use crate::model::TimeSpan;
use serde_json::Value;
use std::collections::BTreeMap;

const SCHEMA: &str = include_str!("../../../docs/report.schema.json");

fn document() -> Value {
    let report = build(&campaign(), &pictures(), BTreeMap::new(), &PageOptions::default()).unwrap();
    serde_json::from_slice(&report["report.json"]).unwrap()
}

fn faults(document: &Value) -> Vec<String> {
    crate::schema::faults(SCHEMA, document)
}

#[test]
fn the_document_follows_its_schema() {
    assert_eq!(faults(&document()), Vec::<String>::new());
}

#[test]
fn a_report_of_a_part_of_its_runs_says_so() {
    assert_eq!(document().get("part"), None);
    let mut part = campaign();
    part.part = Some(TimeSpan { from_ms: 10_000.0, to_ms: None });
    let report = build(&part, &pictures(), BTreeMap::new(), &PageOptions::default()).unwrap();
    let document: Value = serde_json::from_slice(&report["report.json"]).unwrap();
    assert_eq!(document["part"], serde_json::json!({"from_ms": 10_000.0, "to_ms": null}));
    let page = String::from_utf8(report["index.html"].clone()).unwrap();
    assert!(page.contains("All figures are of each run without its first 10 s, from the logs."), "{page}");
    assert_eq!(faults(&document), Vec::<String>::new());
}

#[test]
fn the_schema_notices_missing_unknown_and_wrong_entries() {
    let mut wrong = document();
    wrong["runs"][0].as_object_mut().unwrap().remove("id");
    wrong["extra"] = Value::Null;
    wrong["charts"][0]["title"] = Value::from(1);
    assert_eq!(faults(&wrong).len(), 3);
}

#[test]
fn keys_are_those_that_scripts_rely_on() {
    let document = document();
    let keys = |pointer: &str| {
        let mut keys: Vec<&str> =
            document.pointer(pointer).unwrap().as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys.join(" ")
    };
    assert_eq!(
        keys(""),
        "baseline charts checks comparisons diagnostics dimensions findings model rounds runs schema title version"
    );
    assert_eq!(
        keys("/runs/0"),
        "dimensions environment id label littles_law phases sources status steady summaries tool"
    );
    assert_eq!(keys("/runs/0/sources/0"), "format path rows sha256 skipped");
    assert_eq!(keys("/runs/0/summaries/0"), "ddir metric n origin stat unit value");
    assert_eq!(keys("/charts/0"), "alt files id runs title");
    assert_eq!(keys("/comparisons/0"), "by cells ddir metric pairs");
    assert_eq!(keys("/comparisons/0/cells/0"), "high low mean n runs value");
    assert_eq!(keys("/comparisons/0/pairs/0"), "a b high low p_adjusted ratio verdict");
    assert_eq!(keys("/model/0"), "ddir drive_iops drive_run drives efficiency expected measured run shallow");
    assert_eq!(keys("/findings/0"), "kind runs text values");
    assert_eq!(keys("/checks/0"), "advice evidence id runs severity");
    assert_eq!(keys("/diagnostics/0"), "line message path severity");
}

#[test]
fn values_are_exact_and_runs_go_by_their_id() {
    let document = document();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["dimensions"][0], "raid");
    assert_eq!(document["runs"][0]["tool"], "fio 3.33");
    assert_eq!(document["runs"][0]["dimensions"]["bs"], "4k");
    assert_eq!(document["runs"][24]["id"], hostile());
    assert_eq!(document["runs"][24]["status"], "error");
    assert_eq!(document["model"][0]["run"], "raid10/randwrite_run1");
    assert_eq!(document["comparisons"][0]["pairs"][0]["verdict"], "no-difference");
    assert_eq!(document["comparisons"][0]["cells"][0]["value"], "0");
    assert_eq!(document["findings"][0]["values"]["nothing"], Value::Null);
    assert_eq!(document["charts"][0]["files"]["png@2x"], "charts/iops-mean-by-raid-write@2x.png");
    assert_eq!(document["charts"][0]["files"]["csv"], "data/iops-mean-by-raid-write.csv");
    assert_eq!(document["diagnostics"][0]["line"], 118);
}
