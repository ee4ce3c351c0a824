//! fio's output for people (`--output-format=normal`), fio 1 to 3.42.
//!
//! In: a text in which blocks of jobs stand, `name: (groupid=0, jobs=1): err= 0: pid=7: ...`. Out: a
//! run for each group of concurrent jobs, with the digits that are printed. What fio announces
//! before the blocks gives the dimensions. Cumulative reports (`--status-interval`) are one run,
//! the last. It reads no distribution of depths and latencies.

mod block;
mod executions;
mod job_line;
#[cfg(test)]
mod tests;

use super::fio_json::lossy;
use super::fio_report::lines::lines;
use super::fio_report::parts;
use super::{Claim, Content, Format, Head, IngestError, Parsed, ReadContext, Remark};
use executions::Collector;
use memchr::memmem;
use std::io::Read;

/// Reader of fio's output for people.
pub struct FioNormal;

impl Format for FioNormal {
    fn name(&self) -> &'static str {
        "fio-normal"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "fio's output for people: job: (groupid=0, jobs=1): err= 0: ... read: IOPS=27.2k, BW=106MiB/s (112MB/s)(213MiB/2004msec)"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = head.bytes;
        let block = memmem::find_iter(text, b": (groupid=").find(|&at| {
            let line = text[at..].split(|&c| c == b'\n').next().unwrap_or_default();
            memmem::find(line, b"err=").is_some()
        });
        let totals = || {
            memmem::find(text, b"Run status group ").filter(|&at| {
                [b"io=".as_slice(), b"bw="].iter().any(|key| memmem::find(&text[at..], key).is_some())
            })
        };
        let reason = match (block, totals()) {
            (Some(_), _) => "jobs as fio reports them to people (`groupid=`, `err=`)",
            (None, Some(_)) => "totals as fio reports them to people (`Run status group`)",
            (None, None) => return None,
        };
        Some(Claim { reason: reason.to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let bytes = lossy(bytes);
        let mut collector = Collector::default();
        for line in lines(&String::from_utf8_lossy(&bytes)) {
            collector.line(&line);
        }
        let found = collector.finish();
        let mut remarks: Vec<Remark> = found.remarks;
        let (runs, more) = parts(&found.executions);
        remarks.extend(more);
        Ok(Parsed {
            version: found.executions.iter().rev().find_map(|execution| execution.version.clone()),
            layout: found.spelling,
            rows: found.blocks,
            skipped: 0,
            content: if runs.is_empty() {
                Content::Nothing("fio's output holds no job with figures".to_owned())
            } else {
                Content::Runs(runs)
            },
            remarks,
        })
    }
}
