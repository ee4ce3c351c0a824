//! What the outputs beside a log tell about it: the unit of its latencies, and how long its run took.
//!
//! In: sources and the outputs read from them. Out: what each log is [`Told`]. Outputs that contradict
//! each other tell nothing.

use crate::discover::SourceFile;
use crate::ingest::hosts::HostFolders;
use crate::ingest::join::{self, OutputFile};
use crate::ingest::{LatUnit, LogName, RunPart};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the outputs beside a log tell about it.
pub(super) struct Hints {
    by_directory: BTreeMap<String, Vec<Hint>>,
    homes: HostFolders,
}

#[derive(Debug, Clone)]
struct Hint {
    /// Stem of the output: logs may lie in a folder of this name.
    stem: String,
    prefixes: Vec<String>,
    told: Told,
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
        let mut by_directory: BTreeMap<String, Vec<Hint>> = BTreeMap::new();
        for output in outputs {
            let source = &sources[output.source];
            for part in &output.parts {
                by_directory.entry(source.directory().to_owned()).or_default().push(Hint {
                    stem: join::stem(source.file_name()).to_owned(),
                    prefixes: join::prefixes(part, source.file_name()),
                    told: Told {
                        lat_unit: lat_unit_of(part),
                        runtime_ms: part
                            .jobs
                            .iter()
                            .flat_map(|j| j.runtime_ms.values().copied())
                            .reduce(f64::max),
                    },
                });
            }
        }
        Hints { by_directory, homes: HostFolders::new(sources, outputs) }
    }

    /// From the outputs whose logs carry this prefix; the unit from all outputs of the folder if those are
    /// silent, or from the output that the folder is named for.
    pub(super) fn for_log(&self, source: &SourceFile, name: &str) -> Told {
        let Some(beside) = self.by_directory.get(self.homes.home(source).0) else {
            let (above, folder) = source.directory().rsplit_once('/').unwrap_or(("", source.directory()));
            let named = self.by_directory.get(above).into_iter().flatten();
            let named: Vec<&Hint> = named.filter(|hint| hint.stem == folder).collect();
            return Told { lat_unit: unanimous(&named), runtime_ms: longest(&named) };
        };
        let prefix = LogName::parse(name).map(|n| n.prefix);
        let own: Vec<&Hint> =
            beside.iter().filter(|hint| prefix.as_ref().is_some_and(|p| hint.prefixes.contains(p))).collect();
        let all: Vec<&Hint> = beside.iter().collect();
        Told { lat_unit: unanimous(&own).or_else(|| unanimous(&all)), runtime_ms: longest(&own) }
    }
}

fn unanimous(hints: &[&Hint]) -> Option<LatUnit> {
    let mut units = hints.iter().filter_map(|hint| hint.told.lat_unit);
    let first = units.next()?;
    units.all(|unit| unit == first).then_some(first)
}

fn longest(hints: &[&Hint]) -> Option<f64> {
    hints.iter().filter_map(|hint| hint.told.runtime_ms).reduce(f64::max)
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
