//! From files to runs: formats recognised by content, logs joined with the outputs beside them.
//!
//! A reader ([`Format`]) turns one file into a [`Parsed`]: rows of a log, or the
//! runs that a tool's output describes. `join` puts the files of one execution
//! together. Nothing here computes a statistic.

mod aggregate;
mod archive;
mod blocks;
pub mod bonnie;
pub mod crystaldiskmark;
pub mod dd;
pub mod diskspd;
pub mod elbencho;
pub mod fio_fz;
pub mod fio_hist;
pub mod fio_json;
pub mod fio_log;
pub mod fio_normal;
mod fio_report;
pub mod fio_terse;
pub mod hdparm;
mod hints;
mod hosts;
pub mod ioping;
pub mod ior;
pub mod iostat;
pub mod iozone;
mod join;
pub mod labels;
mod look;
mod options;
mod pipeline;
pub mod rbench;
mod recall;
mod redact;
mod reports;
#[cfg(feature = "tables")]
mod store;
mod stored;
pub mod sysbench;
#[cfg(test)]
mod testing;
mod transcript;
pub mod vdbench;
mod words;

pub use crate::model::{LogKind, LogName};
pub(crate) use join::weight;
pub use options::{Appended, IngestOptions};
pub use pipeline::{Contents, Ingested, ingest, read};
pub use recall::Recall;
pub use redact::{Redactor, redact};
#[cfg(feature = "tables")]
pub use store::{StoreError, write_store};

use crate::model::{Ddir, Dimension, Job, Metric, Series, SeriesKind, Severity, Summary, Tool, Value};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

/// A kind of file that plotgen reads.
pub trait Format: Sync {
    /// Short name, as `plotgen formats` lists it: `fio-log`, `fio-json`, `rbench`.
    fn name(&self) -> &'static str;

    /// What it is, in a sentence with an example line.
    fn describe(&self) -> &'static str;

    /// True for logs: rows that need an output beside them to be understood in full. They are read last.
    fn is_log(&self) -> bool {
        false
    }

    /// True for outputs that may stand among other text, several kinds in one file: a script's transcript.
    ///
    /// Such a format is given the whole text to look at and to read, passes over
    /// what is not its own, and a file may be claimed by several of them.
    fn is_block(&self) -> bool {
        false
    }

    /// True for formats whose files may be rows of numbers between commas and nothing else.
    ///
    /// Of such a file no other format is asked: to look for words in a million numbers costs more than to read them.
    fn reads_rows(&self) -> bool {
        false
    }

    /// Looks at the beginning of a file; None when it is something else.
    fn detect(&self, head: &Head<'_>) -> Option<Claim>;

    /// Reads the whole file.
    ///
    /// # Errors
    /// When the file is of this format and broken beyond use. Rows that are
    /// broken one by one are counted in [`Parsed::skipped`] with a remark.
    fn read(&self, input: &mut (dyn Read + Send), context: &ReadContext<'_>) -> Result<Parsed, IngestError>;

    /// Recognises a file that is whole in `head` and reads it: what [`Format::detect`] and [`Format::read`] do together.
    fn read_whole(
        &self,
        head: &Head<'_>,
        context: &ReadContext<'_>,
    ) -> Option<(Claim, Result<Parsed, IngestError>)> {
        let claim = self.detect(head)?;
        let mut bytes = head.bytes;
        Some((claim, self.read(&mut bytes, context)))
    }

    /// Reads a whole text, and says how much of it is its own ([`Format::is_block`]).
    fn read_text(&self, text: &[u8], context: &ReadContext<'_>) -> (Result<Parsed, IngestError>, Share) {
        let mut text = text;
        (self.read(&mut text, context), Share::Part)
    }
}

/// How much of a text belongs to a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// All but the blanks in it: no other format needs to be asked.
    Whole,
    /// Anything from nothing to all.
    Part,
}

/// Every format, in the order in which they are asked.
pub const FORMATS: &[&dyn Format] = &[
    &fio_json::FioJson,
    &fio_terse::FioTerse,
    &fio_normal::FioNormal,
    &rbench::Rbench,
    &dd::Dd,
    &hdparm::Hdparm,
    &ioping::Ioping,
    &iostat::IostatJson,
    &ior::IorJson,
    &diskspd::DiskspdXml,
    &elbencho::Elbencho,
    &vdbench::Vdbench,
    &sysbench::Sysbench,
    &bonnie::Bonnie,
    &iozone::Iozone,
    &diskspd::Diskspd,
    &ior::Ior,
    &crystaldiskmark::CrystalDiskMark,
    &iostat::Iostat,
    &fio_hist::FioHist,
    &fio_fz::FioFz,
    &fio_log::FioLog,
];

/// The beginning of a file, unpacked.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// File name without its directory.
    pub name: &'a str,
    /// At most the first 64 KiB; a last line without an end may be cut.
    pub bytes: &'a [u8],
    /// True when `bytes` is the whole file.
    pub whole: bool,
}

/// Why a format takes a file for its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What was seen, for `inspect`: `5 columns: time, value, direction, block size, priority`.
    pub reason: String,
}

/// What a reader may know besides the bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadContext<'a> {
    /// File name without its directory.
    pub name: &'a str,
    /// Latency unit from `--lat-unit` (`certain`) or from the version of the output beside the log.
    pub lat_unit: Option<LatUnit>,
    /// Columns from `--layout`, as the user wrote them: `t,v,d,bs,off,p`.
    pub layout: Option<&'a str>,
    /// Run time in ms that the output beside a log reports, where there is one: a bound for wild time stamps.
    pub runtime_ms: Option<f64>,
}

/// Unit of the latencies in a fio log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LatUnit {
    /// fio 3 (2.99 and later).
    Nanoseconds,
    /// fio 1 and 2.
    Microseconds,
    /// No fio writes it; for logs that were rewritten.
    Milliseconds,
}

impl LatUnit {
    /// The unit as people and flags write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LatUnit::Nanoseconds => "ns",
            LatUnit::Microseconds => "us",
            LatUnit::Milliseconds => "ms",
        }
    }

    /// Nanoseconds in one unit.
    #[must_use]
    pub fn nanoseconds(self) -> u64 {
        match self {
            LatUnit::Nanoseconds => 1,
            LatUnit::Microseconds => 1_000,
            LatUnit::Milliseconds => 1_000_000,
        }
    }
}

/// What a file held.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Parsed {
    /// Version of the tool that wrote it.
    pub version: Option<String>,
    /// Column layout or document kind, for `inspect`.
    pub layout: Option<String>,
    /// Rows or documents read.
    pub rows: u64,
    /// Rows recognised as data and dropped.
    pub skipped: u64,
    /// The content.
    pub content: Content,
    /// Remarks.
    pub remarks: Vec<Remark>,
}

/// A remark of a reader on its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// How bad it is.
    pub severity: Severity,
    /// Line, counted from 1.
    pub line: Option<u64>,
    /// What was expected, what was found, what was done.
    pub message: String,
}

impl Remark {
    /// A remark on the whole file.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Remark { severity, line: None, message: message.into() }
    }

    /// The same remark, at a line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }
}

/// The content of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Content {
    /// Rows of one log.
    Log(Log),
    /// Runs that a tool's output describes, each with its figures.
    Runs(Vec<RunPart>),
    /// Nothing to read, for a reason: an empty log, a table without rows.
    Nothing(String),
}

/// A log without its run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Log {
    /// What its file name says.
    pub name: LogName,
    /// One for each stretch in which time moves forward: appended jobs or runs.
    pub segments: Vec<Segment>,
    /// Unit in which latencies were read, and whether that is known or guessed (latency logs only).
    pub lat_unit: Option<(LatUnit, UnitCertainty)>,
    /// True for a row per I/O, false for a row per window.
    pub per_io: bool,
    /// Nominal window in ms (windowed logs).
    pub window_ms: Option<f64>,
    /// Unix time in ms that was subtracted from every stamp, for logs with epoch stamps.
    pub epoch_ms: Option<u64>,
}

/// How well a log's latency unit is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnitCertainty {
    /// Given by the user, by the version beside the log, or by columns that only one unit has.
    Known,
    /// Concluded from the values.
    Guessed,
}

/// A stretch of a log in which time moves forward.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Segment {
    /// The series of each direction. Values are in base units already.
    pub series: Vec<(Ddir, SeriesKind)>,
    /// Last time stamp in any direction, ms.
    pub last_ms: u64,
}

/// One execution as a tool's output describes it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RunPart {
    /// Tool and version.
    pub tool: Tool,
    /// Name for people: job name, or None where the file's stem serves better.
    pub label: Option<String>,
    /// Tells parts of one file apart: group id, row key; empty for a file with one run.
    pub key: String,
    /// Jobs, each one report entry (one for many clones under `group_reporting`).
    pub jobs: Vec<Job>,
    /// First log number of this part: one more than the jobs of the parts before it.
    pub first_log_number: u32,
    /// Figures by job.
    pub summaries: Vec<Summary>,
    /// Series that the output itself holds.
    pub series: Vec<Series>,
    /// Dimensions that the file states.
    pub dimensions: BTreeMap<Dimension, Value>,
    /// What else it says: time, host, disks.
    pub environment: BTreeMap<String, String>,
    /// Base names (no directory) that the job options give to logs of each kind.
    pub log_prefixes: BTreeMap<LogKind, Vec<String>>,
    /// Words of the file's name, in lower case, that say no more than the file does: `10mx100` beside `bs=10M count=100`.
    pub explained: BTreeSet<String>,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// The operating system or the unpacker failed.
    #[error("cannot read: {0}")]
    Io(#[from] std::io::Error),
    /// The content is not what the format says; the message names expected, found and advice.
    #[error("{message}")]
    Content {
        /// Line, counted from 1.
        line: Option<u64>,
        /// What was expected, what was found, what to do.
        message: String,
    },
}

impl IngestError {
    /// The line of the content that is at fault, counted from 1.
    pub(crate) fn line(&self) -> Option<u64> {
        match self {
            IngestError::Content { line, .. } => *line,
            IngestError::Io(_) => None,
        }
    }
}

/// A metric's unit conversions need the metric only; here so that readers agree.
#[must_use]
pub fn metric_of(kind: LogKind) -> Option<Metric> {
    match kind {
        LogKind::Bw => Some(Metric::Bw),
        LogKind::Iops => Some(Metric::Iops),
        LogKind::Lat => Some(Metric::Lat),
        LogKind::Clat | LogKind::ClatHist => Some(Metric::Clat),
        LogKind::Slat => Some(Metric::Slat),
    }
}
