//! fio's histogram logs (`write_hist_log` with `log_hist_msec`): counts of completion latencies, a row per window.
//!
//! Goes in: rows `t, direction, block size, c0, c1, ...`, each with the counts since the row
//! before it of that direction. Comes out: a [`Log`] with counts over time
//! ([`SeriesKind::Counts`]). It makes no mean and no extreme of them: a value is known to its
//! bin. The window that was open when the job ended is in no row (axboe/fio #490).
//!
//! Sources: fio's HOWTO (`log_hist_coarseness`), `iolog.c` and `stat.h` at their tags: 1216
//! bins of microseconds up to 2.21, 1856 bins of nanoseconds from 2.99 on, halved by each step
//! of coarseness. Up to 3.16 fio could subtract from memory that it had not set (axboe/fio #827).

mod bins;
#[cfg(test)]
mod tests;

use super::fio_log::defect::{Tally, excerpt};
use super::fio_log::lines::Lines;
use super::fio_log::mode::{Mode, Rhythm};
use super::fio_log::row::{DIRECTIONS, Row};
use super::fio_log::timeline::{Bounds, EPOCH_MS, Event, Jump, Timeline};
use super::fio_log::{blank, is_blank};
use super::{
    Claim, Content, Format, Head, IngestError, LatUnit, Log, LogKind, LogName, Parsed, ReadContext, Remark,
    Segment, UnitCertainty,
};
use crate::model::{SeriesKind, Severity, TimedHistogram};
use bins::{Bins, HistRow, RowError};
use std::io::Read;

/// Rows from which the window is concluded.
const BEGINNING: usize = 256;

/// Most stretches of one log.
const MAX_SEGMENTS: usize = 1024;

/// I/Os in a millisecond that no device completes: a row with more was not counted but left over.
const MOST_PER_MS: u64 = 1_000_000;

/// Reader of fio's histogram logs.
#[derive(Debug, Clone, Copy)]
pub struct FioHist;

impl Format for FioHist {
    fn name(&self) -> &'static str {
        "fio-hist"
    }

    fn is_log(&self) -> bool {
        true
    }

    fn reads_rows(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "fio's histogram logs (write_hist_log), without header: `500, 0, 4096, 0, 0, 17, 140, ...`"
    }

    fn detect(&self, head: &Head<'_>) -> Option<Claim> {
        let text = head.bytes;
        let line = text.split(|&byte| byte == b'\n').find(|line| !line.iter().all(is_blank))?;
        let named = LogName::parse(head.name).is_some_and(|name| name.kind == LogKind::ClatHist);
        let bins = Bins::of_line(line, named)?;
        Some(Claim { reason: format!("histogram log: {bins}") })
    }

    fn read(&self, input: &mut (dyn Read + Send), context: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        let mut lines = Lines::new(input)?;
        if lines.head().iter().all(is_blank) {
            return blank(lines);
        }
        let name = LogName::parse(context.name).filter(|name| name.kind == LogKind::ClatHist);
        let Some(name) = name else {
            let message = "the rows are those of a histogram log, but the name does not say so; \
                           rename it to `<prefix>_clat_hist.1.log`";
            return Err(broken(None, message));
        };
        let mut rows = Rows { bins: None, unreadable: Tally::default(), found: String::new(), cut: None };
        let mut beginning = Vec::new();
        while beginning.len() < BEGINNING
            && let Some(row) = rows.next(&mut lines)?
        {
            beginning.push(row);
        }
        let Some(bins) = rows.bins else { return Err(rows.refusal()) };
        let mut counting = Counting::new(&beginning, context);
        for row in beginning {
            counting.take(row)?;
        }
        while let Some(row) = rows.next(&mut lines)? {
            counting.take(row)?;
        }
        if rows.unreadable.count >= 3 && rows.unreadable.count * 10 > counting.rows {
            return Err(rows.refusal());
        }
        counting.finish(name, bins, &rows)
    }
}

fn broken(line: Option<u64>, message: impl Into<String>) -> IngestError {
    IngestError::Content { line, message: message.into() }
}

/// The lines of a log as rows.
struct Rows {
    /// What the first row has; the others must have as many.
    bins: Option<Bins>,
    unreadable: Tally,
    /// The first unreadable line, shortened.
    found: String,
    /// The last line, when it has no end.
    cut: Option<u64>,
}

impl Rows {
    fn next(&mut self, lines: &mut Lines<'_>) -> Result<Option<HistRow>, IngestError> {
        while let Some(line) = lines.next()? {
            if line.bytes.is_empty() && !line.too_long {
                continue;
            }
            if !line.ended {
                self.cut = Some(line.number);
                return Ok(None);
            }
            let bins = self.bins.or_else(|| Bins::of_line(line.bytes, true));
            let row = bins.map_or(Err(RowError::Unreadable), |bins| bins.row(line.number, line.bytes));
            match row {
                Ok(row) => {
                    self.bins = bins;
                    return Ok(Some(row));
                }
                Err(RowError::Garbage) => return Err(garbage(line.number, "a count above 2^40")),
                Err(RowError::Unreadable) => {
                    if self.unreadable.count == 0 {
                        self.found = excerpt(line.bytes);
                    }
                    self.unreadable.add(line.number);
                }
            }
        }
        Ok(None)
    }

    fn refusal(&self) -> IngestError {
        let expected = match self.bins {
            Some(bins) => format!("expected {bins}"),
            None => "expected time, direction, block size and the counts of a histogram".to_owned(),
        };
        match self.cut {
            Some(line) if self.unreadable.count == 0 => {
                broken(Some(line), format!("{expected}, found no complete line: the file was cut"))
            }
            _ => {
                let rows = self.unreadable.rows();
                let message = format!("{expected}, found `{}`; {rows} cannot be read", self.found);
                broken(Some(self.unreadable.first_line), message)
            }
        }
    }
}

/// The error for counts that were never counted.
fn garbage(line: u64, found: &str) -> IngestError {
    let message = format!(
        "expected counts of I/Os, found {found}: fio up to 3.16 wrote what stood in memory (axboe/fio #827), \
         and other rows may hold less conspicuous rubbish; take percentiles from fio's output, or run fio 3.17 or later"
    );
    broken(Some(line), message)
}

/// Rows on their way into cells of time.
struct Counting {
    timeline: Timeline,
    filling: Filling,
    /// Rows that the timeline has not yet placed.
    held: Vec<HistRow>,
    /// Newest stamp of each direction, for the plausibility of a row.
    last: [Option<u64>; DIRECTIONS.len()],
    rows: u64,
}

impl Counting {
    fn new(beginning: &[HistRow], context: &ReadContext<'_>) -> Self {
        let rows: Vec<Row> = beginning.iter().map(HistRow::stamp).collect();
        let rhythm = Rhythm::of(&rows);
        // Windows come some ms late; the nominal one is a round number.
        let window = rhythm.period.or(rows.first().map(|row| row.t as f64)).unwrap_or(0.0);
        let window = if window >= 100.0 { (window / 10.0).round() * 10.0 } else { window.round() };
        let window_ms = (window as u64).clamp(1, TimedHistogram::WIDEST_START_MS);
        let bounds = Bounds::of(Mode::Windowed, &rows, &rhythm, context.runtime_ms);
        Counting {
            timeline: Timeline::new(bounds),
            filling: Filling::new(window_ms, bounds.origin),
            held: Vec::new(),
            last: [None; DIRECTIONS.len()],
            rows: 0,
        }
    }

    fn take(&mut self, row: HistRow) -> Result<(), IngestError> {
        let last = self.last[row.direction].replace(row.t);
        // What lies before the first row is known only where the clock begins with the job.
        let passed = row.t.saturating_sub(last.unwrap_or(0)).max(1);
        if row.ios() > passed.saturating_mul(MOST_PER_MS) {
            return Err(garbage(row.line, &format!("{} I/Os in {passed} ms", row.ios())));
        }
        self.rows += 1;
        let (line, stamp) = (row.line, row.stamp());
        self.held.push(row);
        let Counting { timeline, filling, held, .. } = self;
        timeline.push(stamp, &mut |event| filling.apply(event, held));
        held.retain(|waiting| waiting.line == line);
        match self.filling.overflow {
            Some(line) => {
                Err(broken(Some(line), "expected rows in the order of time, found it going back too often"))
            }
            None => Ok(()),
        }
    }

    fn finish(mut self, name: LogName, bins: Bins, rows: &Rows) -> Result<Parsed, IngestError> {
        let Counting { timeline, filling, held, .. } = &mut self;
        timeline.finish(&mut |event| filling.apply(event, held));
        filling.close();
        let remarks = self.remarks(bins, rows);
        let skipped = self.timeline.wild.count + rows.unreadable.count + u64::from(rows.cut.is_some());
        let Filling { window_ms, done, first_origin, .. } = self.filling;
        let counted = self.rows - self.timeline.wild.count;
        Ok(Parsed {
            version: None,
            layout: Some(format!("{bins} (a row per window)")),
            rows: counted,
            skipped,
            content: if done.is_empty() {
                Content::Nothing("a histogram log without a single I/O".to_owned())
            } else {
                Content::Log(Log {
                    name,
                    segments: done,
                    lat_unit: Some((
                        if bins.usec { LatUnit::Microseconds } else { LatUnit::Nanoseconds },
                        UnitCertainty::Known,
                    )),
                    per_io: false,
                    window_ms: Some(window_ms as f64),
                    epoch_ms: Some(first_origin).filter(|&origin| origin > EPOCH_MS),
                })
            },
            remarks,
        })
    }

    fn remarks(&self, bins: Bins, rows: &Rows) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let mut say = |severity, line: Option<u64>, message: String| {
            remarks.push(Remark { severity, line, message });
        };
        if rows.unreadable.count > 0 {
            let dropped = rows.unreadable.rows();
            let message = format!("expected {bins}, found `{}`; {dropped} dropped", rows.found);
            say(Severity::Warning, Some(rows.unreadable.first_line), message);
        }
        if let Some(line) = rows.cut {
            let message = "the last line has no end, so the file was cut; 1 row dropped";
            say(Severity::Warning, Some(line), message.to_owned());
        }
        let wild = self.timeline.wild;
        if wild.count > 0 {
            let message = format!("time stamp far from those around it; {} dropped", wild.rows());
            say(Severity::Warning, Some(wild.first_line), message);
        }
        let back = self.timeline.back;
        if back.count > 0 {
            let message = format!("time goes back {}: jobs or runs that share the file", back.times());
            say(Severity::Info, Some(back.first_line), message);
        }
        if self.filling.beyond > 0 {
            let message = format!(
                "{} I/Os took longer than fio's histogram reaches, {:.0} s; they count as that long",
                self.filling.beyond,
                bins.reach_s()
            );
            say(Severity::Warning, None, message);
        }
        if bins.coarseness > 0 {
            let message = format!(
                "recorded with log_hist_coarseness={}: percentiles from it are exact to {:.0} %",
                bins.coarseness,
                100.0 * bins.resolution()
            );
            say(Severity::Info, None, message);
        }
        remarks
    }
}

/// Stretches being filled.
struct Filling {
    window_ms: u64,
    origin: u64,
    first_origin: u64,
    running: [TimedHistogram; DIRECTIONS.len()],
    last_ms: u64,
    done: Vec<Segment>,
    /// I/Os in the last bin, which has no upper end.
    beyond: u64,
    /// Line at which there were more stretches than a log can have.
    overflow: Option<u64>,
}

impl Filling {
    fn new(window_ms: u64, origin: u64) -> Self {
        Filling {
            window_ms,
            origin,
            first_origin: origin,
            running: Filling::blank(window_ms),
            last_ms: 0,
            done: Vec::new(),
            beyond: 0,
            overflow: None,
        }
    }

    fn blank(window_ms: u64) -> [TimedHistogram; DIRECTIONS.len()] {
        std::array::from_fn(|_| TimedHistogram::starting_with(window_ms))
    }

    fn apply(&mut self, event: Event, held: &[HistRow]) {
        match event {
            Event::Row(stamp) => {
                let Some(row) = held.iter().find(|row| row.line == stamp.line) else { return };
                let end = stamp.t.saturating_sub(self.origin);
                // The row stands for the window that ends with it.
                let middle = end.saturating_sub(self.window_ms / 2 + 1);
                for &(bucket, n) in &row.counts {
                    self.running[stamp.direction].record(middle, bucket, n);
                }
                self.beyond = self.beyond.saturating_add(row.beyond);
                self.last_ms = self.last_ms.max(end);
            }
            Event::Begin(jump, stamp) => {
                if self.done.len() + 1 >= MAX_SEGMENTS {
                    self.overflow.get_or_insert(stamp.line);
                    return;
                }
                self.close();
                if jump == Jump::Forward {
                    self.origin = stamp.t.saturating_sub(self.window_ms);
                }
            }
            Event::Forget => self.running = Filling::blank(self.window_ms),
        }
    }

    fn close(&mut self) {
        let running = std::mem::replace(&mut self.running, Filling::blank(self.window_ms));
        let filled = DIRECTIONS.into_iter().zip(running).filter(|(_, timed)| !timed.is_empty());
        let series: Vec<_> = filled.map(|(ddir, timed)| (ddir, SeriesKind::Counts(timed))).collect();
        let last_ms = std::mem::take(&mut self.last_ms);
        if !series.is_empty() {
            self.done.push(Segment { series, last_ms });
        }
    }
}
