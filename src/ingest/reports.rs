//! What became of each file, for the list of files.
//!
//! In: a file's report and what looking or reading gave. Out: the report, filled in; what was read
//! is handed on. Which run a file belongs to is told by joining.

use crate::discover::{Role, SourceFile};
use crate::ingest::look::{EMPTY, Listed};
use crate::ingest::{Claim, Content, IngestError, LogName, Parsed};
use crate::model::{Diagnostic, FileReport, FileState, Severity};
use std::collections::BTreeMap;

/// The report of a file that nothing is known of yet.
pub(super) fn blank_report(source: &SourceFile) -> FileReport {
    FileReport {
        path: source.relative.clone(),
        status: if source.role == Role::Sibling { FileState::Companion } else { FileState::Read },
        format: None,
        version: None,
        layout: None,
        reason: String::new(),
        run: None,
        jobs: None,
        dimensions: BTreeMap::new(),
        window_ms: None,
        rows: 0,
        skipped: 0,
        sha256: None,
        diagnostics: Vec::new(),
    }
}

/// Writes into a source's report why it was not read.
pub(super) fn settle_unread(
    report: &mut FileReport,
    source: &SourceFile,
    status: FileState,
    format: Option<&str>,
    reason: String,
) {
    if status == FileState::Failed {
        let failed = Diagnostic::new(Severity::Error, &report.path, reason.as_str());
        report.diagnostics.push(failed);
    } else if reason != EMPTY && LogName::parse(source.file_name()).is_some() {
        // The name promises what the content does not keep: a damaged log, most likely.
        let message = format!(
            "named like a log of fio: expected rows such as `500, 81920, 0, 4096, 0`, found {reason}; \
             copy it again if it was one, or leave it out with --exclude"
        );
        let ignored = Diagnostic::new(Severity::Warning, &report.path, message).at_line(1);
        report.diagnostics.push(ignored);
    }
    report.status = status;
    report.format = format.map(str::to_owned);
    report.reason = reason;
}

/// Writes what an archive holds into its report.
pub(super) fn settle_archive(report: &mut FileReport, contents: Listed) {
    let Listed { packing, members, passed_over, notes, error, sha256 } = contents;
    report.format = Some("tar".to_owned());
    report.rows = members;
    report.skipped = passed_over;
    report.sha256 = sha256;
    let packing = packing.map(|packing| format!(", packed with {packing}")).unwrap_or_default();
    report.reason = format!("tar archive{packing}; its members are listed behind it");
    let notes = notes.into_iter().map(|note| (Severity::Info, note));
    for (severity, message) in notes.chain(error.clone().map(|error| (Severity::Error, error))) {
        report.diagnostics.push(Diagnostic::new(severity, &report.path, message));
    }
    if let Some(error) = error {
        report.status = FileState::Failed;
        report.reason = error;
    }
}

/// Writes what a reader said into the file's report; the content when there is some.
pub(super) fn settle(
    report: &mut FileReport,
    format: &str,
    claim: &Claim,
    parsed: Result<Parsed, IngestError>,
) -> Option<Content> {
    report.format = Some(format.to_owned());
    report.reason.clone_from(&claim.reason);
    match parsed {
        Err(error) => {
            report.status = FileState::Failed;
            report.reason = error.to_string();
            let mut diagnostic = Diagnostic::new(Severity::Error, &report.path, error.to_string());
            diagnostic.line = error.line();
            report.diagnostics.push(diagnostic);
            None
        }
        Ok(parsed) => {
            report.version = parsed.version;
            report.layout = parsed.layout;
            report.rows = parsed.rows;
            report.skipped = parsed.skipped;
            for remark in parsed.remarks {
                let mut diagnostic = Diagnostic::new(remark.severity, &report.path, remark.message);
                diagnostic.line = remark.line;
                report.diagnostics.push(diagnostic);
            }
            match parsed.content {
                Content::Nothing(reason) => {
                    report.status = FileState::Ignored;
                    report.reason = reason;
                    None
                }
                content => Some(content),
            }
        }
    }
}
