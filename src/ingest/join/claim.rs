//! Which outputs claim a set of logs, by names.
//!
//! In: what an output says of its jobs and options, where it lies, and the prefix of logs. Out: the
//! claims, each with its strength. Which of several equal claims holds is decided by figures, not here.

use super::draft::Draft;
use crate::discover::SourceFile;
use crate::ingest::RunPart;
use crate::model::{Job, without_packing};
use std::collections::{BTreeSet, HashMap};

/// Where an output looks for logs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach<'a> {
    /// In its own directory.
    Beside,
    /// In the folder of this name beside it, which is its own stem.
    Below(&'a str),
}

/// The prefixes that the logs of `part` may carry, strongest first: named in the options, job names, the output's stem.
pub(in crate::ingest) fn prefixes(part: &RunPart, output_name: &str) -> Vec<String> {
    if !writes_logs(part) {
        return Vec::new();
    }
    let mut all: Vec<String> = part.log_prefixes.values().flatten().cloned().collect();
    all.extend(part.jobs.iter().map(|job| job.name.clone()));
    all.push(stem(output_name).to_owned());
    let mut seen = BTreeSet::new();
    all.retain(|prefix| !prefix.is_empty() && seen.insert(prefix.clone()));
    all
}

/// True for the tools whose logs stand beside their outputs; any other's output only happens to share a name with logs.
fn writes_logs(part: &RunPart) -> bool {
    matches!(part.tool.name.as_str(), "fio" | "rbench")
}

/// A file name without packing and format endings.
pub(in crate::ingest) fn stem(name: &str) -> &str {
    let name = without_packing(name);
    for ending in
        [".rbench.csv", ".json+", ".json", ".csv", ".out", ".txt", ".log", ".result", ".results", ".rbench"]
    {
        if let Some(stem) = name.strip_suffix(ending)
            && !stem.is_empty()
        {
            // `job.fio.out` is the output of `job.fio`.
            let of_job = [".fio", ".ini", ".job"].iter().find_map(|ending| stem.strip_suffix(ending));
            return of_job.filter(|stem| !stem.is_empty()).unwrap_or(stem);
        }
    }
    name
}

/// How strongly an output claims a set of logs; smaller is stronger.
pub(super) fn claim_rank(part: &RunPart, output_name: &str, prefix: &str) -> Option<u8> {
    if !writes_logs(part) {
        None
    } else if part.log_prefixes.values().flatten().any(|p| p == prefix) {
        Some(0)
    } else if part.jobs.iter().any(|job| job.name == prefix) {
        Some(1)
    } else if stem(output_name) == prefix {
        Some(2)
    } else {
        None
    }
}

/// What a prefix adds to the name of the folder that it starts with: `KERNEL` of `read-4k-KERNEL` in `read-4k`.
fn word_behind<'a>(folder: &str, prefix: &'a str) -> Option<&'a str> {
    Some(prefix.strip_prefix(folder)?.trim_start_matches(['-', '_', '.']))
}

/// How strongly an output claims logs in the folder that is named for it: `read-4k.out` those in `read-4k/`.
///
/// Their prefix is a job's name, alone or behind the folder's: `read-4k-KERNEL`, `KERNEL`. A single
/// word of a job's name serves where no other job has it (`mount-kernel`).
fn claim_below(part: &RunPart, others: &[&RunPart], output_name: &str, prefix: &str) -> Option<u8> {
    let folder = stem(output_name);
    let word = word_behind(folder, prefix);
    let has = |part: &RunPart, wanted: &str| {
        let same = |job: &Job| job.name.eq_ignore_ascii_case(wanted);
        let holds = |job: &Job| {
            job.name.split(|c: char| !c.is_alphanumeric()).any(|own| own.eq_ignore_ascii_case(wanted))
        };
        (part.jobs.iter().any(same), part.jobs.iter().any(holds))
    };
    if part.jobs.iter().any(|job| job.name == prefix) {
        return Some(0);
    }
    let word = word?;
    if word.is_empty() {
        return Some(2);
    }
    match has(part, word) {
        (true, _) => Some(1),
        (false, true) if !others.iter().any(|other| has(other, word).1) => Some(1),
        _ => None,
    }
}

/// The one of several jobs that logs in the folder of their output are named for: `SDB` of
/// `randread-4k/randread-4k-SDB_bw.log`.
pub(super) fn job_below(part: &RunPart, folder: &str, prefix: &str) -> Option<usize> {
    let word = word_behind(folder, prefix);
    let mut named = part.jobs.iter().enumerate().filter(|(_, job)| {
        job.name == prefix || word.is_some_and(|word| job.name.eq_ignore_ascii_case(word))
    });
    let (job, _) = named.next()?;
    (part.jobs.len() > 1 && named.next().is_none()).then_some(job)
}

/// The drafts of a directory by the names that they answer to, so that each set of logs asks few of them.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Drafts that are entered.
    entered: usize,
    /// By the prefixes of logs that a draft may claim beside it.
    beside: HashMap<String, Vec<usize>>,
    /// By stem, for the folders that are named for outputs.
    stems: HashMap<String, Vec<usize>>,
}

impl Names {
    /// Enters the drafts that are new. What a draft answers to is settled once it has a source.
    pub(super) fn enter(&mut self, drafted: &[Draft], sources: &[SourceFile]) {
        for (index, draft) in drafted.iter().enumerate().skip(self.entered) {
            if let Some(&source) = draft.sources.first() {
                let jobs = draft.part.jobs.iter().map(|job| &job.name);
                let named = draft.part.log_prefixes.values().flatten().chain(jobs).map(String::as_str);
                let own: BTreeSet<&str> = named.chain([stem(sources[source].file_name())]).collect();
                for name in own {
                    self.beside.entry(name.to_owned()).or_default().push(index);
                }
            }
            self.stems.entry(draft.stem.clone()).or_default().push(index);
        }
        self.entered = drafted.len();
    }

    /// The drafts that claim a set of logs, in their order, each with the strength of its claim.
    pub(super) fn claims(
        &self,
        drafted: &[Draft],
        sources: &[SourceFile],
        prefix: &str,
        reach: Reach<'_>,
    ) -> Vec<(usize, u8)> {
        // Logs of several jobs of one run may have prefixes of their own.
        let open = |draft: &&Draft| match reach {
            Reach::Below(folder) if job_below(&draft.part, folder, prefix).is_some() => true,
            _ => !draft.has_logs || draft.sources.len() == 1,
        };
        let asked = match reach {
            Reach::Beside => self.beside.get(prefix),
            Reach::Below(folder) => self.stems.get(folder),
        };
        let asked = asked.map_or(&[][..], Vec::as_slice);
        let found = asked.iter().filter_map(|&i| {
            let draft = drafted.get(i).filter(open)?;
            let source = *draft.sources.first()?;
            let output = sources[source].file_name();
            let rank = match reach {
                Reach::Beside => claim_rank(&draft.part, output, prefix)?,
                Reach::Below(folder) if stem(output) == folder => {
                    let others: Vec<&RunPart> = asked
                        .iter()
                        .filter_map(|&other| drafted.get(other))
                        .filter(|other| other.sources.first() == Some(&source) && other.key != draft.key)
                        .map(|other| &other.part)
                        .collect();
                    claim_below(&draft.part, &others, output, prefix)?
                }
                Reach::Below(_) => return None,
            };
            Some((i, rank))
        });
        found.collect()
    }
}
