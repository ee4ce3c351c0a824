//! fio's terse output (`--minimal`, `--output-format=terse`), fio 1 to 3.42, terse versions 2 to 5 and the one before.
//!
//! In: a text in which lines of fields between semicolons stand, one a job. Out: a run for each
//! group of concurrent jobs. What fio announces before the lines (`rw`, `bs`, `iodepth`) gives the
//! dimensions where it is there. Cumulative reports (`--status-interval`) are one run, the last.
//! It reads no distribution of depths and latencies.

mod executions;
mod line;
#[cfg(test)]
mod tests;

use super::fio_json::lossy;
use super::fio_report::lines::lines;
use super::fio_report::parts;
use super::{Claim, Content, Format, Head, IngestError, Parsed, ReadContext, Remark};
use crate::model::Severity;
use executions::Collector;
use line::{Reading, read_line};
use std::io::Read;

/// Reader of fio's terse output.
pub struct FioTerse;

impl Format for FioTerse {
    fn name(&self) -> &'static str {
        "fio-terse"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "fio's terse output (--output-format=terse): 3;fio-3.33;job;0;0;78584;39272;9818;2001;..."
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = head.bytes;
        // Most lines of most files hold no semicolon: those need no second look.
        let version =
            text.split(|&c| c == b'\n').filter(|line| memchr::memchr(b';', line).is_some()).find_map(
                |line| lines(&String::from_utf8_lossy(line)).find_map(|l| line::terse_version(l.text)),
            )?;
        Some(Claim { reason: format!("lines of fields between semicolons, terse version {version}") })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let bytes = lossy(bytes);
        let mut collector = Collector::default();
        let mut remarks: Vec<Remark> = Vec::new();
        let (mut rows, mut skipped) = (0, 0);
        for line in lines(&String::from_utf8_lossy(&bytes)) {
            match read_line(line.text) {
                Reading::Other => collector.other(&line),
                Reading::Job(job) => {
                    rows += 1;
                    collector.job(job, &line);
                }
                Reading::Broken(message) => {
                    skipped += 1;
                    remarks.push(Remark::new(Severity::Warning, message).at_line(line.number));
                }
            }
        }
        if rows == 0 {
            return Err(match remarks.into_iter().next() {
                Some(remark) => IngestError::Content { line: remark.line, message: remark.message },
                None => {
                    IngestError::Content { line: None, message: "no line of terse output in it".to_owned() }
                }
            });
        }
        let version = collector.terse_version();
        let found = collector.finish();
        remarks.extend(found.remarks);
        let (runs, more) = parts(&found.executions);
        remarks.extend(more);
        Ok(Parsed {
            version: found.executions.iter().rev().find_map(|execution| execution.version.clone()),
            layout: version.map(|version| format!("terse version {version}")),
            rows,
            skipped,
            content: Content::Runs(runs),
            remarks,
        })
    }
}
