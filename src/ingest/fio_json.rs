//! fio's JSON and JSON+ output, fio 2.0.10 to 3.42.
//!
//! In: a file with one or several documents, whatever stands around them. Out: a run for each
//! group of concurrent jobs, with fio's own figures. Cumulative reports (`--status-interval`)
//! are one run: the last one has its figures, their differences are its course over time.

mod document;
mod environment;
mod figures;
mod idle;
mod over_time;
mod parts;
mod snapshots;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub(super) use text::lossy;

use super::fio_report::run_key;
use super::{Claim, Content, Format, Head, IngestError, Parsed, ReadContext, Remark, Share};
use crate::model::Severity;
use document::Document;
use std::borrow::Cow;
use std::io::Read;

/// Reader of fio's JSON output.
pub struct FioJson;

impl Format for FioJson {
    fn name(&self) -> &'static str {
        "fio-json"
    }

    fn is_block(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "fio's JSON or JSON+ output (--output-format=json): { \"fio version\" : \"fio-3.33\", \"jobs\" : [ ... ] }"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        text::shows_fio(head.bytes)
            .then(|| Claim { reason: "JSON with fio's keys (`fio version`, `jobs`)".to_owned() })
    }

    fn read(&self, input: &mut (dyn Read + Send), context: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        self.read_text(&bytes, context).0
    }

    fn read_text(&self, text: &[u8], _: &ReadContext<'_>) -> (Result<Parsed, IngestError>, Share) {
        // Most texts are UTF-8, which is quickly told.
        let text = std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
        if let Some(mut documents) = pure(&text) {
            return (Ok(parsed(&mut documents, Vec::new(), 0)), Share::Whole);
        }
        let Scan { mut documents, mut faults, absent } = scan(text.into_owned().into_bytes());
        if documents.is_empty() {
            let fault = if faults.is_empty() { no_document() } else { faults.swap_remove(0) };
            let error = IngestError::Content { line: fault.line, message: fault.message };
            return (Err(error), Share::Part);
        }
        (Ok(parsed(&mut documents, faults, absent)), Share::Part)
    }
}

/// The documents of a text that holds nothing else, and these as strict JSON; None where anything asks for
/// the second look that [`scan`] takes. What both can read they read alike.
fn pure(text: &str) -> Option<Vec<Document>> {
    let mut documents = Vec::new();
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let start = from + (rest.len() - rest.trim_ascii_start().len());
        if start == text.len() {
            return (!documents.is_empty()).then_some(documents);
        }
        if text::next_start(text.as_bytes(), from) != Some(start) {
            return None;
        }
        let mut stream = serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<Document>();
        documents.push(stream.next()?.ok().filter(Document::is_fio)?);
        let stop = start + stream.byte_offset();
        if text::holds_another(text.get(start..stop)?.as_bytes()) {
            return None;
        }
        from = stop;
    }
}

/// What a file held.
#[derive(Default)]
struct Scan {
    documents: Vec<Document>,
    /// Documents that could not be read.
    faults: Vec<Remark>,
    /// Figures that were `nan` or the like.
    absent: u64,
}

fn scan(mut text: Vec<u8>) -> Scan {
    let mut scan = Scan::default();
    let mut from = 0;
    while let Some(start) = text::next_start(&text, from) {
        let end = text::soften(&mut text, start, &mut scan.absent);
        let (stop, cut) = match end {
            text::End::Closed(stop) => (stop, None),
            text::End::Interrupted(stop) => (stop, Some("the start of another document")),
            text::End::Missing => (text.len(), Some("the end of the file")),
        };
        from = stop;
        let slice = &text[start..stop];
        if let Some(found) = cut {
            // A foreign object around fio's documents is no cut document.
            if text::shows_fio(slice) {
                scan.faults.push(cut_document(&text, start, stop, found));
            }
            continue;
        }
        match serde_json::from_slice::<Document>(slice) {
            Ok(document) if document.is_fio() => scan.documents.push(document),
            Ok(_) => {}
            Err(error) if text::shows_fio(slice) => {
                scan.faults.push(broken_document(&text, start, slice, &error));
            }
            Err(_) => {}
        }
    }
    scan
}

fn no_document() -> Remark {
    Remark::new(
        Severity::Error,
        "expected an object with fio's keys (`fio version`, `jobs`), found none; \
         give the file that `fio --output-format=json --output=FILE` wrote",
    )
}

fn cut_document(text: &[u8], start: usize, stop: usize, found: &str) -> Remark {
    let (first, _) = text::position(text, start);
    // The last byte that is no blank: where the document breaks off, not where the file ends.
    let blanks = text[..stop].iter().rev().take_while(|c| c.is_ascii_whitespace()).count();
    let (line, column) = text::position(text, stop - blanks);
    let message = format!(
        "column {column}: expected the rest of the JSON document that starts in line {first}, \
         found {found}; the document ends in the middle: copy the file again, or let fio finish and write it anew"
    );
    Remark::new(Severity::Warning, message).at_line(line)
}

fn broken_document(text: &[u8], start: usize, slice: &[u8], error: &serde_json::Error) -> Remark {
    let line_start = match error.line().saturating_sub(2) {
        _ if error.line() <= 1 => 0,
        nth => memchr::memchr_iter(b'\n', slice).nth(nth).map_or(0, |at| at + 1),
    };
    let (line, column) = text::position(text, start + line_start + error.column().saturating_sub(1));
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or(&what);
    let at = start + line_start + error.column().saturating_sub(1);
    let found = text.get(at).map_or("the end of the file".to_owned(), |&c| format!("`{}`", char::from(c)));
    let message = format!(
        "column {column}: {what}, found {found}; this is no valid JSON: \
         copy the file again, or undo what edited it"
    );
    Remark::new(Severity::Warning, message).at_line(line)
}

fn parsed(documents: &mut [Document], mut remarks: Vec<Remark>, absent: u64) -> Parsed {
    let finals = snapshots::finals(documents);
    if finals.len() < documents.len() {
        let message = format!(
            "{} documents of {} are cumulative reports (`--status-interval`) of a run that goes on; the last of each run \
             counts, and where no log tells the course of bandwidth and IOPS, the differences between them do",
            documents.len() - finals.len(),
            documents.len()
        );
        remarks.push(Remark::new(Severity::Info, message));
    }
    let mut read: Vec<_> = finals.iter().map(|&at| parts::parts(&mut documents[at])).collect();
    let mut first = 0;
    for (&last, read) in finals.iter().zip(&mut read) {
        over_time::from_reports(&mut documents[first..last], read);
        over_time::from_steady_state(&documents[last], read);
        first = last + 1;
    }
    let (several, grouped) = (read.len() > 1, read.iter().any(|document| document.parts.len() > 1));
    let (mut runs, mut wild, mut bins) = (Vec::new(), 0, false);
    for (at, document) in read.into_iter().enumerate() {
        for (group, mut part) in document.parts {
            part.key = run_key(several.then_some(at + 1), grouped.then_some(group));
            runs.push(part);
        }
        remarks.extend(document.remarks);
        wild += document.wild;
        bins |= document.bins;
    }
    if absent > 0 {
        let message = format!("`nan` or `inf` in place of {absent} of the numbers; they count as absent");
        remarks.push(Remark::new(Severity::Warning, message));
    }
    if wild > 0 {
        let message = format!("{wild} of the figures negative or beyond any counter; they count as absent");
        remarks.push(Remark::new(Severity::Warning, message));
    }
    let mut layout = if bins { "JSON+" } else { "JSON" }.to_owned();
    if documents.iter().any(|document| document.client_stats.0.is_some()) {
        layout.push_str(" of fio clients");
    }
    Parsed {
        version: documents.last().and_then(Document::plain_version).map(str::to_owned),
        layout: Some(layout),
        rows: documents.len() as u64,
        skipped: 0,
        content: if runs.is_empty() {
            Content::Nothing("fio's report holds no jobs".to_owned())
        } else {
            Content::Runs(runs)
        },
        remarks,
    }
}
