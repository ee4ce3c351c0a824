//! fio's compressed logs (`log_store_compressed`): the rows of a log as packed records.
//!
//! Goes in: zlib streams of fio's own structs, as they lay in memory. Comes out: what
//! [`FioLog`] makes of the same rows as text, for they are written out and given to it. The
//! layout of a record is in the file nowhere; it is concluded from flags and fields
//! (`record`). Histogram logs hold addresses in place of counts and are refused.
//!
//! Source: fio's `iolog.h` (`struct io_sample`) and `iolog.c` (`inflate_chunk`) at their tags.

mod record;
#[cfg(test)]
mod tests;

use super::fio_log::FioLog;
use super::{Claim, Format, Head, IngestError, LogKind, LogName, Parsed, ReadContext, Remark};
use crate::envelope::{ZlibStreams, is_zlib};
use crate::model::Severity;
use record::Layout;
use std::io::{self, Read};

/// Unpacked bytes from which the layout is concluded.
const BEGINNING: usize = 64 * 1024;

/// Reader of fio's compressed logs.
#[derive(Debug, Clone, Copy)]
pub struct FioFz;

impl Format for FioFz {
    fn name(&self) -> &'static str {
        "fio-log-fz"
    }

    fn is_log(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "fio's compressed logs (log_store_compressed), `<prefix>_clat.1.log.fz`: packed records of 24 to 56 bytes"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        if !is_zlib(head.bytes) {
            return None;
        }
        let name = LogName::parse(head.name);
        if name.as_ref().is_some_and(|name| name.kind == LogKind::ClatHist) {
            return Some(Claim { reason: "a compressed histogram log by its name".to_owned() });
        }
        // The head ends somewhere inside a stream; what it gives before that is enough.
        let mut beginning = Vec::new();
        let unpacked = ZlibStreams::new(head.bytes).take(BEGINNING as u64).read_to_end(&mut beginning);
        match Layout::of(&beginning) {
            Some(layout) => Some(Claim { reason: format!("zlib with {layout}") }),
            None if name.is_some() && head.name.contains(".fz") => Some(Claim {
                reason: match unpacked {
                    Ok(_) => "a compressed log by its name".to_owned(),
                    Err(error) => format!("a compressed log by its name, with a fault: {error}"),
                },
            }),
            None => None,
        }
    }

    fn read(&self, input: &mut (dyn Read + Send), context: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        if LogName::parse(context.name).is_some_and(|name| name.kind == LogKind::ClatHist) {
            let message = "fio's compressed histogram logs hold addresses of counts in place of the counts, so \
                           that nothing can be read from them; run without log_store_compressed";
            return Err(IngestError::Content { line: None, message: message.to_owned() });
        }
        let mut rows = Rows::new(input)?;
        let layout = rows.layout;
        let words = layout.words();
        let context = ReadContext { layout: Some(&words), ..*context };
        let mut parsed = FioLog.read(&mut rows, &context)?;
        parsed.layout = Some(format!("{layout}: {}", parsed.layout.unwrap_or_default()));
        if rows.is_cut() {
            let message =
                "the last part of the compressed log has no end, so the file was cut; what is whole was read";
            parsed.remarks.push(Remark::new(Severity::Warning, message));
        }
        Ok(parsed)
    }
}

/// Records as the lines that fio would have written.
struct Rows<R> {
    streams: ZlibStreams<R>,
    layout: Layout,
    /// Unpacked, not yet written out.
    records: Vec<u8>,
    /// Written out, not yet read.
    text: Vec<u8>,
    given: usize,
    at_end: bool,
}

impl<R: Read> Rows<R> {
    fn new(input: R) -> Result<Self, IngestError> {
        let mut streams = ZlibStreams::new(input);
        let mut records = Vec::new();
        (&mut streams).take(BEGINNING as u64).read_to_end(&mut records)?;
        let Some(layout) = Layout::of(&records) else {
            let message = format!(
                "expected packed records of fio (24 to 56 bytes each), found {} bytes that are none in any of its layouts",
                records.len()
            );
            return Err(IngestError::Content { line: None, message });
        };
        Ok(Rows { streams, layout, records, text: Vec::new(), given: 0, at_end: false })
    }

    /// True when the streams or the last record had no end.
    fn is_cut(&self) -> bool {
        self.streams.is_cut() || !self.records.is_empty()
    }
}

impl<R: Read> Read for Rows<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() {
            self.text.clear();
            self.given = 0;
            let size = self.layout.size();
            let whole = self.records.len() / size * size;
            for record in self.records[..whole].chunks_exact(size) {
                self.layout.write(record, &mut self.text);
            }
            self.records.drain(..whole);
            if self.text.is_empty() {
                if self.at_end {
                    return Ok(0);
                }
                let read = (&mut self.streams).take(BEGINNING as u64).read_to_end(&mut self.records)?;
                self.at_end = read == 0;
            }
        }
        let rest = &self.text[self.given..];
        let n = rest.len().min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        self.given += n;
        Ok(n)
    }
}
