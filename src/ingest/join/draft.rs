//! A run while its files are put together, before it has its final name and dimensions.
//!
//! In: one part of an output, or nothing but the name of logs; then the series of logs, one by one.
//! Out: the draft, with the path and the id that it asks for.

use super::slots::Slot;
use crate::ingest::{LogKind, RunPart, Segment, metric_of};
use crate::model::{Job, Series, SeriesKind, Tool};

/// A run before it has its final name and dimensions.
pub(super) struct Draft {
    /// Directory of its sources, relative to the common root.
    pub(super) directory: String,
    /// File stem, the last part of its id.
    pub(super) stem: String,
    /// Log prefix, where it differs from the stem.
    pub(super) prefix: Option<String>,
    /// Tells runs of one stem apart.
    pub(super) key: String,
    /// What the output said; empty for logs alone.
    pub(super) part: RunPart,
    /// From logs.
    pub(super) series: Vec<Series>,
    /// Its files; that of the output comes first.
    pub(super) sources: Vec<usize>,
    /// True once it has been given logs.
    pub(super) has_logs: bool,
    /// The first and the last Unix time at which clocks of its logs begin, ms; None where they begin with the jobs.
    pub(super) epochs: Option<(u64, u64)>,
}

impl Draft {
    /// Takes the Unix time at which the clock of one of its logs begins.
    pub(super) fn began(&mut self, epoch_ms: Option<u64>) {
        let Some(at) = epoch_ms else { return };
        let (first, last) = self.epochs.unwrap_or((at, at));
        self.epochs = Some((first.min(at), last.max(at)));
    }

    /// A run that an output describes.
    pub(super) fn of_output(directory: &str, stem: &str, part: RunPart, source: usize) -> Self {
        Draft {
            directory: directory.to_owned(),
            stem: stem.to_owned(),
            prefix: None,
            key: part.key.clone(),
            part,
            series: Vec::new(),
            sources: vec![source],
            has_logs: false,
            epochs: None,
        }
    }

    /// A run of logs alone; `position` tells runs apart that were appended to one file.
    pub(super) fn of_logs(directory: &str, stem: &str, position: Option<usize>) -> Self {
        Draft {
            directory: directory.to_owned(),
            stem: stem.to_owned(),
            prefix: None,
            key: position.map_or_else(String::new, |position| format!("part{}", position + 1)),
            part: RunPart { tool: Tool { name: "fio".into(), version: None }, ..RunPart::default() },
            series: Vec::new(),
            sources: Vec::new(),
            has_logs: true,
            epochs: None,
        }
    }

    /// The parts of its directory, outermost first.
    pub(super) fn folders(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.directory.split('/').filter(|component| !component.is_empty())
    }

    /// Where its files lie, with its stem.
    pub(super) fn path(&self) -> String {
        join_path(&self.directory, &self.stem)
    }

    /// The id that it asks for; another run may ask for the same.
    pub(super) fn id(&self) -> String {
        let path = self.path();
        if self.key.is_empty() { path } else { format!("{path}#{}", self.key) }
    }

    /// The job of a run of logs alone that holds log `number` (or stretch `position`) of `host`.
    pub(super) fn own_job(&mut self, number: Option<u32>, position: usize, host: Option<&str>) -> usize {
        let name = match number {
            Some(number) => format!("job {number}"),
            None => format!("job {}", position + 1),
        };
        let jobs = &mut self.part.jobs;
        let found = jobs.iter().position(|job| job.name == name && job.host.as_deref() == host);
        found.unwrap_or_else(|| {
            jobs.push(Job { name, host: host.map(str::to_owned), clones: 1, ..Job::default() });
            jobs.len() - 1
        })
    }

    /// Takes one stretch of a log as the series of a job.
    pub(super) fn add_series(&mut self, slot: Slot, kind: LogKind, segment: Segment) {
        let Some(metric) = metric_of(kind) else { return };
        let stated =
            self.part.jobs.get(slot.job).and_then(|job| job.options.get("log_avg_msec")?.parse::<f64>().ok());
        let last_ms = segment.last_ms;
        for (ddir, mut kind) in segment.series {
            // Rows further apart than log_avg_msec are windows with idle ones between them, however regular.
            if let (SeriesKind::Windowed { window_ms, .. }, Some(stated)) = (&mut kind, stated)
                && stated >= 1.0
                && *window_ms > 1.25 * stated
            {
                *window_ms = stated;
            }
            self.series.push(Series { metric, ddir, job: slot.job, clone: slot.clone, last_ms, kind });
        }
    }
}

/// A path below a directory; the root has no name.
pub(super) fn join_path(directory: &str, stem: &str) -> String {
    if directory.is_empty() { stem.to_owned() } else { format!("{directory}/{stem}") }
}
