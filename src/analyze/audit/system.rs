//! What only the user knows about the machine, and which rules wait for it.

use super::{Audit, Hit, counted};
use crate::analyze::facts;
use crate::model::unit::{self, BaseUnit};
use crate::model::{Dimension, Run};
use std::collections::BTreeMap;

/// Kinds of disks that rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    /// Rotating.
    Hdd,
    /// Flash, on any bus.
    Ssd,
}

/// Facts about a machine that no tool writes into its output.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct System {
    /// Memory, bytes.
    pub ram: Option<f64>,
    /// Kind of the disks.
    pub disk: Option<Disk>,
    /// Largest IOPS that the device is said to do.
    pub device_iops: Option<f64>,
    /// Largest bandwidth that the device is said to have, bytes per second.
    pub device_bw: Option<f64>,
}

impl System {
    /// Keys that facts are said under.
    pub const KEYS: [&str; 4] = ["ram", "disk", "device-iops", "device-bw"];

    /// Takes a fact from its text: `ram` `4G`, `disk` `hdd`, `device-iops` `12k`, `device-bw` `550 MB/s`.
    ///
    /// # Errors
    /// For an unknown key and a text that says nothing under it; the message names what would.
    pub fn learn(&mut self, key: &str, text: &str) -> Result<(), String> {
        let text = text.trim();
        let positive = |value: Result<f64, String>| match value {
            Ok(value) if value > 0.0 => Ok(Some(value)),
            Ok(_) => Err("expected more than 0".to_owned()),
            Err(message) => Err(message),
        };
        match key {
            "ram" => {
                let bytes = facts::bytes(text);
                self.ram = Some(bytes.ok_or("expected a size such as 4G or 512M")?);
            }
            "disk" => {
                self.disk = Some(match text.to_ascii_lowercase().as_str() {
                    "hdd" => Disk::Hdd,
                    "ssd" | "nvme" => Disk::Ssd,
                    _ => return Err("expected hdd or ssd".to_owned()),
                });
            }
            "device-iops" => self.device_iops = positive(unit::parse(text, BaseUnit::PerSecond))?,
            "device-bw" => self.device_bw = positive(unit::parse(text, BaseUnit::BytesPerSecond))?,
            _ => return Err(format!("expected one of {}", System::KEYS.join(", "))),
        }
        Ok(())
    }

    /// What is known for a run: its own dimensions of these names (`--set disk=hdd`) over what was said for all.
    pub(super) fn of(run: &Run, said: &BTreeMap<String, String>) -> System {
        let mut system = System::default();
        for key in System::KEYS {
            let own = run.value(&Dimension::Other(key.to_owned())).map(|value| value.as_str().to_owned());
            let texts = [said.get(key).cloned(), own];
            for text in texts.into_iter().flatten() {
                // A text that says nothing leaves the fact unknown, which the rules say in words.
                let _ = system.learn(key, &text);
            }
        }
        system
    }
}

/// Names the rules that wait for a fact or for fio's options, where a run is concerned.
pub(super) fn unknown(audit: &Audit<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut say = |name: &str, runs: Vec<usize>, waits: &str| {
        if !runs.is_empty() {
            let text = format!("not checked for {}: {waits}", counted(runs.len(), "run"));
            hits.push(Hit { runs, name: name.to_owned(), text, rank: 0.0 });
        }
    };
    let which = |concerned: &dyn Fn(&Run, System) -> bool| {
        audit
            .records()
            .filter(|(_, record)| concerned(&record.run, audit.system(&record.run)))
            .map(|(index, _)| index)
            .collect::<Vec<_>>()
    };
    say(
        "[system] ram",
        which(&|run, system| system.ram.is_none() && facts::direct(run) == Some(false)),
        "whether the file fits into memory (cache-suspected)",
    );
    say(
        "[system] disk",
        which(&|_, system| system.disk.is_none()),
        "latencies and rates that no hard disk has (cache-suspected), the run time that an SSD needs (too-short)",
    );
    say(
        "fio options",
        which(&|run, _| run.tool.name == "fio" && !facts::lists_options(run)),
        "whether there was a ramp_time (no-ramp); fio lists its options in JSON output alone",
    );
    hits
}
