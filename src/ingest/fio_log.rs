//! fio's text logs: bandwidth, IOPS and latency, a row per I/O or per window.
//!
//! Goes in: the stream of one log and its name, which alone tells what the
//! values are. Comes out: a [`Log`] in base units. The columns, the unit of
//! latencies, and whether a row is an I/O or a window are concluded from the
//! head (`layout`, `lat_unit`, `mode`); then rows stream through `timeline`
//! into `collect`. Histogram logs and stored-compressed ones have readers of their own.
//!
//! Sources: fio's HOWTO ("Log File Formats") and `iolog.c`, `stat.c` at their tags.

mod batch;
mod bulk;
mod cells;
mod collect;
pub(super) mod defect;
mod head;
mod lat_unit;
mod layout;
pub(super) mod lines;
pub(super) mod mode;
mod place;
mod reading;
pub(super) mod row;
mod short;
mod stream;
pub(super) mod timeline;

use crate::ingest::{Claim, Content, Format, Head, IngestError, Log, LogName, Parsed, ReadContext};
use defect::{Defect, Defects};
use head::HeadRows;
pub(super) use head::is_blank;
use layout::Layout;
use lines::{Line, Lines};
use reading::Reading;
use row::Columns;
use short::Short;
use std::io::Read;

/// fio's text logs.
#[derive(Debug, Clone, Copy)]
pub struct FioLog;

impl Format for FioLog {
    fn name(&self) -> &'static str {
        "fio-log"
    }

    fn is_log(&self) -> bool {
        true
    }

    fn reads_rows(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "fio's bw, iops, lat, clat and slat logs (write_bw_log and so on), without header: `500, 81920, 1, 0, 0`"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        claim(&HeadRows::of(head.bytes, head.whole), LogName::parse(head.name).as_ref())
    }

    fn read(&self, input: &mut (dyn Read + Send), context: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let lines = Lines::new(input)?;
        if lines.head().iter().all(is_blank) {
            return blank(lines);
        }
        let name = LogName::parse(context.name);
        let Some(name) = name else {
            let message = "the rows are those of a fio log, but the name does not tell which; rename it to \
                           `<prefix>_bw.1.log`, or iops, lat, clat or slat in place of bw";
            return Err(content(None, message.to_owned()));
        };
        read_rows(lines, name, context, Way::Fastest)
    }

    fn read_whole(
        &self,
        head: &Head<'_>,
        context: &ReadContext<'_>,
    ) -> Option<(Claim, Result<Parsed, IngestError>)> {
        let name = LogName::parse(head.name);
        if let Some(name) = name.as_ref().filter(|_| context.layout.is_none())
            && let Some(short) = Short::of(head.bytes)
        {
            let claim = claim_of(&short.layout, true);
            let read = read_short(short, name, context).transpose();
            let mut bytes = head.bytes;
            return Some((claim, read.unwrap_or_else(|| self.read(&mut bytes, context))));
        }
        let rows = HeadRows::of(head.bytes, true);
        let claim = claim(&rows, name.as_ref())?;
        // Without its end a last line is a row here and none to the reader.
        let clean = rows.is_clean() && head.bytes.ends_with(b"\n");
        let clean = name.filter(|_| clean).and_then(|name| read_clean(&rows, name, context).transpose());
        let mut bytes = head.bytes;
        Some((claim, clean.unwrap_or_else(|| self.read(&mut bytes, context))))
    }
}

/// Why the head of a file is that of a log.
fn claim(head: &HeadRows, name: Option<&LogName>) -> Option<Claim> {
    Some(claim_of(&head.layout(name.is_some())?, name.is_some()))
}

/// Why rows of a layout are those of a log; `named` when the name tells of which.
fn claim_of(layout: &Layout, named: bool) -> Claim {
    let without_kind = if named { "" } else { "; the name does not tell which log" };
    Claim { reason: format!("{} columns: {layout}{without_kind}", layout.len()) }
}

/// Reads a log whose lines are all rows of one layout; None for single I/Os, which are better read many at once.
fn read_short(
    short: Short,
    name: &LogName,
    context: &ReadContext<'_>,
) -> Result<Option<Parsed>, IngestError> {
    let Short { rows, layout } = short;
    let mut reading = Reading::alone(name, layout, &rows, context)?;
    if !reading.take_windows(&rows) {
        return Ok(None);
    }
    parsed_of(reading, name.clone(), Defects::default(), 0).map(Some)
}

/// Reads a log whose rows are all parsed, each a line, in the layouts that they allow; None where more must be known of
/// its lines, or for single I/Os.
fn read_clean(
    head: &HeadRows,
    name: LogName,
    context: &ReadContext<'_>,
) -> Result<Option<Parsed>, IngestError> {
    let mut readings = Reading::candidates(&name, &head.rows, context)?;
    for reading in &mut readings {
        if !reading.take_clean(&head.rows) {
            return Ok(None);
        }
    }
    conclude(readings, head, name, Defects::default(), 0).map(Some)
}

/// How rows are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Many at once where that can be.
    Fastest,
    /// One by one: simple, and what the other way is held to.
    #[cfg(test)]
    RowByRow,
}

/// Reads the rows of a log whose kind is known.
fn read_rows(
    lines: Lines<'_>,
    name: LogName,
    context: &ReadContext<'_>,
    way: Way,
) -> Result<Parsed, IngestError> {
    let head = HeadRows::of(lines.head(), false);
    if head.rows.is_empty() {
        return Err(head.no_rows());
    }
    let mut readings = Reading::candidates(&name, &head.rows, context)?;
    let plain = match readings.as_slice() {
        [only] if way == Way::Fastest => only.plain(&head.rows),
        _ => None,
    };
    let (defects, nuls) = match (readings.as_mut_slice(), plain) {
        ([only], Some(plain)) => only.stream(lines, plain)?,
        (several, _) => read_row_by_row(lines, several)?,
    };
    conclude(readings, &head, name, defects, nuls)
}

/// The log as the best of several ways reads it.
fn conclude(
    readings: Vec<Reading>,
    head: &HeadRows,
    name: LogName,
    defects: Defects,
    nuls: u64,
) -> Result<Parsed, IngestError> {
    // The layout that fewest rows contradict; of equals the likelier one.
    let reading = readings.into_iter().min_by_key(Reading::contradictions);
    let Some(reading) = reading else { return Err(head.no_rows()) };
    parsed_of(reading, name, defects, nuls)
}

/// The log as it was read.
fn parsed_of(reading: Reading, name: LogName, defects: Defects, nuls: u64) -> Result<Parsed, IngestError> {
    let outcome = reading.finish(defects, nuls)?;
    Ok(Parsed {
        version: None,
        layout: Some(outcome.layout),
        rows: outcome.rows,
        skipped: outcome.skipped,
        content: Content::Log(Log {
            name,
            segments: outcome.collected.segments,
            lat_unit: outcome.lat_unit,
            per_io: outcome.per_io,
            window_ms: outcome.collected.window_ms,
            epoch_ms: outcome.epoch_ms,
        }),
        remarks: outcome.remarks,
    })
}

/// Reads a log in several ways at once, or in one that is not usual; gives what is wrong with lines that are no
/// rows in any way, and their NUL bytes.
fn read_row_by_row(mut lines: Lines<'_>, readings: &mut [Reading]) -> Result<(Defects, u64), IngestError> {
    let mut defects = Defects::default();
    let mut nuls = 0;
    while let Some(line) = lines.next()? {
        nuls += line.nuls;
        if line.bytes.is_empty() && !line.too_long {
            continue;
        }
        if !line.ended {
            defects.add(Defect::Cut, line.number);
            break;
        }
        match Columns::parse(line.bytes) {
            Some(columns) if !line.too_long => {
                for reading in &mut *readings {
                    reading.take(line.number, &columns, line.bytes);
                }
            }
            _ if line.too_long => defects.add_unreadable(line.number, Line::TOO_LONG),
            _ => defects.add_unreadable(line.number, line.bytes),
        }
    }
    Ok((defects, nuls))
}

/// A file without rows so far; what follows must be as empty.
pub(super) fn blank(mut lines: Lines<'_>) -> Result<Parsed, IngestError> {
    let mut nuls = 0;
    while let Some(line) = lines.next()? {
        if !line.bytes.is_empty() || line.too_long {
            let found = format!("expected rows, found them only after an empty head of {nuls} NUL bytes");
            return Err(content(Some(line.number), found));
        }
        nuls += line.nuls;
    }
    let reason = if nuls > 0 { format!("empty log: {nuls} NUL bytes") } else { "empty log".to_owned() };
    Ok(Parsed {
        version: None,
        layout: None,
        rows: 0,
        skipped: 0,
        content: Content::Nothing(reason),
        remarks: Vec::new(),
    })
}

fn content(line: Option<u64>, message: String) -> IngestError {
    IngestError::Content { line, message }
}

#[cfg(test)]
mod tests;
