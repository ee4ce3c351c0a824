//! What a reader, a join or a statistic has to say about an input.

use crate::model::{Dimension, DimensionEntry};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// The figures stand, with a caveat.
    Warning,
    /// An input could not be used as it should.
    Error,
}

impl Severity {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One remark: what was expected, what was found, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file (or run id) that it concerns, as the user would name it.
    pub path: String,
    /// The line, counted from 1, where there is one.
    pub line: Option<u64>,
    /// The remark, one paragraph, no trailing period needed.
    pub message: String,
}

impl Diagnostic {
    /// A remark on `path` as a whole.
    pub fn new(severity: Severity, path: impl Into<String>, message: impl Into<String>) -> Self {
        Diagnostic { severity, path: path.into(), line: None, message: message.into() }
    }

    /// The same remark, at a line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }
}

impl Diagnostic {
    /// `path:line: message`, one line, under a name that the file goes by.
    pub(crate) fn located(&self, path: &str) -> String {
        let mut text = String::with_capacity(path.len() + self.message.len() + 8);
        let clean = |part: &str, text: &mut String| {
            if part.contains(char::is_control) {
                text.extend(part.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }));
            } else {
                text.push_str(part);
            }
        };
        clean(path, &mut text);
        if let Some(line) = self.line {
            text.push_str(&format!(":{line}"));
        }
        text.push_str(": ");
        clean(&self.message, &mut text);
        text
    }
}

impl fmt::Display for Diagnostic {
    /// `severity: path:line: message`, one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.located(&self.path))
    }
}

/// What became of an input file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileState {
    /// Its figures are in the report.
    Read,
    /// Found beside a named file and read, or set aside for a better source of the same run.
    Companion,
    /// No benchmark output, or empty as tools often leave files.
    Ignored,
    /// Recognised and broken.
    Failed,
}

impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FileState::Read => "read",
            FileState::Companion => "companion",
            FileState::Ignored => "ignored",
            FileState::Failed => "failed",
        })
    }
}

/// What was found in one input file, and why it was taken for that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileReport {
    /// Path relative to the inputs' common root.
    pub path: String,
    /// What became of it.
    pub status: FileState,
    /// Format name, as `plotgen formats` lists it.
    pub format: Option<String>,
    /// Version of the tool that wrote it, where known.
    pub version: Option<String>,
    /// Column layout or document kind.
    pub layout: Option<String>,
    /// Why the file has this status, format and layout.
    pub reason: String,
    /// Id of the run that took the file in; the first of several.
    pub run: Option<String>,
    /// Job entries or job numbers in it.
    pub jobs: Option<u32>,
    /// Dimensions read off this file and where they came from.
    pub dimensions: BTreeMap<Dimension, DimensionEntry>,
    /// Window of a log in milliseconds of run time.
    pub window_ms: Option<f64>,
    /// Rows, records or documents that were read.
    pub rows: u64,
    /// Rows that were recognised as data and dropped.
    pub skipped: u64,
    /// SHA-256 of the file's bytes, hexadecimal, where it was computed.
    pub sha256: Option<String>,
    /// Remarks on this file.
    pub diagnostics: Vec<Diagnostic>,
}
