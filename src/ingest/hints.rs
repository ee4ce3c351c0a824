//! What the outputs beside a log tell about it: the unit of its latencies, and how long its run took.
//!
//! In: sources and the outputs read from them. Out: what each log is [`Told`]. Outputs that contradict
//! each other tell nothing.

use crate::discover::SourceFile;
use crate::ingest::hosts::HostFolders;
use crate::ingest::join::{self, OutputFile};
use crate::ingest::{LatUnit, LogName, RunPart};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What the outputs beside a log tell about it.
pub(super) struct Hints {
    by_directory: BTreeMap<String, Beside>,
    homes: HostFolders,
}

/// What the outputs of a directory tell, each set in the order of the outputs.
#[derive(Debug, Default)]
struct Beside {
    all: Vec<Told>,
    /// By the stem of the output: logs may lie in a folder of this name.
    by_stem: HashMap<String, Vec<Told>>,
    by_prefix: HashMap<String, Vec<Told>>,
    /// The unit that none of all contradicts.
    lat_unit: Option<LatUnit>,
}

/// What a log is read with beside its own bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Told {
    /// Unit of its latencies.
    pub(super) lat_unit: Option<LatUnit>,
    /// How long its run took, ms.
    pub(super) runtime_ms: Option<f64>,
}

impl Hints {
    pub(super) fn new(sources: &[SourceFile], outputs: &[OutputFile]) -> Self {
        let mut by_directory: BTreeMap<String, Beside> = BTreeMap::new();
        for output in outputs {
            let source = &sources[output.source];
            let name = source.file_name();
            let beside = by_directory.entry(source.directory().to_owned()).or_default();
            for part in &output.parts {
                let runtimes = part.jobs.iter().flat_map(|job| job.runtime_ms.values().copied());
                let told = Told { lat_unit: lat_unit_of(part), runtime_ms: runtimes.reduce(f64::max) };
                beside.all.push(told);
                beside.by_stem.entry(join::stem(name).to_owned()).or_default().push(told);
                for prefix in join::prefixes(part, name) {
                    beside.by_prefix.entry(prefix).or_default().push(told);
                }
            }
        }
        for beside in by_directory.values_mut() {
            beside.lat_unit = unanimous(&beside.all);
        }
        Hints { by_directory, homes: HostFolders::new(sources, outputs) }
    }

    /// From the outputs whose logs carry this prefix; the unit from all outputs of the folder if those are
    /// silent, or from the output that the folder is named for.
    pub(super) fn for_log(&self, source: &SourceFile, name: &str) -> Told {
        let Some(beside) = self.by_directory.get(self.homes.home(source).0) else {
            let (above, folder) = source.directory().rsplit_once('/').unwrap_or(("", source.directory()));
            let named = self.by_directory.get(above).and_then(|above| above.by_stem.get(folder));
            let named = named.map_or(&[][..], Vec::as_slice);
            return Told { lat_unit: unanimous(named), runtime_ms: longest(named) };
        };
        let own = LogName::parse(name).and_then(|name| beside.by_prefix.get(&name.prefix));
        let own = own.map_or(&[][..], Vec::as_slice);
        Told { lat_unit: unanimous(own).or(beside.lat_unit), runtime_ms: longest(own) }
    }
}

fn unanimous(told: &[Told]) -> Option<LatUnit> {
    let mut units = told.iter().filter_map(|told| told.lat_unit);
    let first = units.next()?;
    units.all(|unit| unit == first).then_some(first)
}

fn longest(told: &[Told]) -> Option<f64> {
    told.iter().filter_map(|told| told.runtime_ms).reduce(f64::max)
}

/// fio logs microseconds up to 2.21 and nanoseconds from 2.99 on.
fn lat_unit_of(part: &RunPart) -> Option<LatUnit> {
    if part.tool.name != "fio" {
        return None;
    }
    let version = part.tool.version.as_deref()?;
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok());
    let (major, minor) = (numbers.next()?, numbers.next().unwrap_or(0));
    Some(if (major, minor) >= (2, 99) { LatUnit::Nanoseconds } else { LatUnit::Microseconds })
}
