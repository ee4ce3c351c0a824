//! What plotgen.toml says about the array, the machine and the checks.
//!
//! In: the tables `[model]`, `[system]` and `[silence]` as written. Out: what the analysis takes,
//! or what is wrong with them.

use super::file::Number;
use crate::analyze::{ArrayModel, CHECKS, System};
use crate::cli::quantity;
use crate::spec::unknown_key;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `[model]`: the drives of an array.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct ModelTable {
    drives: Option<u32>,
    drive_iops: Option<Number>,
}

impl ModelTable {
    /// The array; None when the table says nothing.
    pub(super) fn array(&self) -> Result<Option<ArrayModel>, String> {
        let of_table = |error: String| format!("[model] {error}");
        let drives = self.drives.map(|n| quantity::drives(&n.to_string())).transpose().map_err(of_table)?;
        let iops = self.drive_iops.as_ref().map(|n| quantity::drive_iops(&n.text()));
        let drive_iops = iops.transpose().map_err(of_table)?;
        let said = drives.is_some() || drive_iops.is_some();
        Ok(said.then_some(ArrayModel { drives, drive_iops }))
    }
}

/// `[system]`: what no tool writes into its output.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct SystemTable {
    ram: Option<Number>,
    disk: Option<String>,
    device_iops: Option<Number>,
    device_bw: Option<Number>,
}

impl SystemTable {
    /// The facts by their keys, each of which the analysis understands.
    pub(super) fn facts(&self) -> Result<BTreeMap<String, String>, String> {
        let text = |number: &Option<Number>| number.as_ref().map(Number::text);
        let all = [
            ("ram", text(&self.ram)),
            ("disk", self.disk.clone()),
            ("device-iops", text(&self.device_iops)),
            ("device-bw", text(&self.device_bw)),
        ];
        let mut facts = BTreeMap::new();
        for (key, text) in all {
            let Some(text) = text else { continue };
            System::default().learn(key, &text).map_err(|error| format!("[system] {key}: {error}"))?;
            facts.insert(key.to_owned(), text);
        }
        Ok(facts)
    }
}

/// `[silence]`: checks by their names, each with the reason.
pub(super) fn silenced(table: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, String> {
    let known: Vec<&str> = CHECKS.iter().map(|rule| rule.id).collect();
    for (id, reason) in &table {
        if !known.contains(&id.as_str()) {
            return Err(format!("[silence] {}", unknown_key(id, &known)));
        }
        if reason.trim().is_empty() {
            return Err(format!("[silence] {id}: say why, as in {id} = \"known, see the lab notes\""));
        }
    }
    Ok(table)
}
