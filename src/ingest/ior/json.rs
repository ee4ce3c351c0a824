//! IOR's JSON.
//!
//! In: `tests`, each with `Options` and `Results` (in some versions a list for each repetition, in some
//! inside `Options`). Out: the same runs as from the text.

use super::{Row, direction};
use crate::ingest::words::{self, Reading, broken, broken_json};
use crate::ingest::{Claim, Format, Head, IngestError, Parsed, ReadContext};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::Read;

/// Reader of IOR's JSON.
pub struct IorJson;

impl Format for IorJson {
    fn name(&self) -> &'static str {
        "ior-json"
    }

    fn describe(&self) -> &'static str {
        "IOR -O summaryFormat=JSON: {\"Version\": \"4.0.0\", ... \"tests\": [ ... {\"access\": \"write\", \"bwMiB\": 443.65, ... }]"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = words::head(head);
        let own =
            text.trim_start().starts_with('{') && text.contains("\"bwMiB\"") && text.contains("\"xferKiB\"");
        own.then(|| Claim { reason: "JSON with IOR's keys (`bwMiB`, `xferKiB`)".to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let text = words::text(input)?;
        let document: Json = serde_json::from_str(&text).map_err(|error| broken_json(&error))?;
        let Some(tests) = document.get("tests").and_then(Json::as_array) else {
            return Err(broken(
                None,
                "expected `tests`, a list, found none; give the file that IOR wrote with `-O summaryFormat=JSON`",
            ));
        };
        let version = document.get("Version").and_then(Json::as_str);
        let mut reading = Reading {
            version: version.map(str::to_owned),
            layout: Some("tests".to_owned()),
            ..Reading::default()
        };
        for test in tests {
            let mut options = options(test);
            for (key, name) in [
                ("Version", "version"),
                ("Command line", "command line"),
                ("Machine", "machine"),
                ("Began", "began"),
            ] {
                let text = document.get(key).and_then(Json::as_str).unwrap_or_default();
                options.insert(name.to_owned(), text.to_owned());
            }
            let results = test.get("Results").or_else(|| test.pointer("/Options/Results"));
            read_results(results, &options, &mut reading);
        }
        reading.finish("tests without a row that reads or writes")
    }
}

/// Options with lower-case keys; numbers as their text.
fn options(test: &Json) -> BTreeMap<String, String> {
    let given = test.get("Options").and_then(Json::as_object).into_iter().flatten();
    given
        .filter_map(|(key, value)| {
            let text = match value {
                Json::String(text) => text.clone(),
                Json::Number(number) => number.to_string(),
                _ => return None,
            };
            Some((key.to_ascii_lowercase(), text))
        })
        .collect()
}

/// Rows, flat or in a list for each repetition.
fn read_results(results: Option<&Json>, options: &BTreeMap<String, String>, reading: &mut Reading) {
    let mut seen: BTreeMap<&str, f64> = BTreeMap::new();
    let entries = results.and_then(Json::as_array).into_iter().flatten();
    let rows = entries.flat_map(|entry| entry.as_array().map_or(std::slice::from_ref(entry), Vec::as_slice));
    for result in rows {
        let access = result.get("access").and_then(Json::as_str).unwrap_or_default();
        let Some(ddir) = direction(access) else { continue };
        let figure = |key: &str| result.get(key).and_then(Json::as_f64).filter(|n| (0.0..=1e18).contains(n));
        let iteration = seen.entry(access).or_insert(-1.0);
        *iteration += 1.0;
        let row = Row {
            ddir,
            mib: figure("bwMiB"),
            iops: figure("iops"),
            latency: figure("latency"),
            xfer_kib: figure("xferKiB"),
            seconds: figure("totalTime"),
            iteration: Some(*iteration),
        };
        if row.mib.is_none() && row.iops.is_none() {
            reading.skipped += 1;
            reading.inform(None, format!("a row of `{access}` has no figures (`bwMiB`, `iops`); left out"));
            continue;
        }
        reading.rows += 1;
        reading.parts.push(row.part(options));
    }
}
