//! One way to read a log: a layout with everything concluded for it, and what has been read so far.
//!
//! Goes in: numbers of lines. Comes out: [`Outcome`]. Two readings run side by side
//! where the head allows two layouts.

use super::bulk::Plain;
use super::collect::{Collected, Collector, Ios, Scale, Windows};
use super::content;
use super::defect::{Defect, Defects};
use super::lat_unit::lat_unit;
use super::layout::{Layout, usual_len};
use super::lines::Lines;
use super::mode::{Mode, Rhythm, mode};
use super::row::{Columns, Row};
use super::stream::{self, Manner};
use super::timeline::{Bounds, EPOCH_MS, Timeline};
use crate::ingest::{IngestError, LatUnit, LogKind, LogName, ReadContext, Remark, UnitCertainty};
use crate::model::Severity;

/// A log being read in one layout.
pub(super) struct Reading {
    layout: Layout,
    mode: Mode,
    backwards: bool,
    lat_unit: Option<(LatUnit, UnitCertainty)>,
    timeline: Timeline,
    scale: Scale,
    collector: Collector,
    defects: Defects,
    contradictions: u64,
}

/// What was read.
pub(super) struct Outcome {
    pub(super) collected: Collected,
    pub(super) layout: String,
    pub(super) rows: u64,
    pub(super) skipped: u64,
    pub(super) lat_unit: Option<(LatUnit, UnitCertainty)>,
    pub(super) per_io: bool,
    pub(super) epoch_ms: Option<u64>,
    pub(super) remarks: Vec<Remark>,
}

/// Refuses what the name calls a histogram log, where rows of so few columns are found.
fn refuse_histograms(name: &LogName, found: usize) -> Result<(), IngestError> {
    if name.kind != LogKind::ClatHist {
        return Ok(());
    }
    Err(content(None, format!("expected a histogram log, 3 columns and its counts; found {found} columns")))
}

fn is_latency(kind: LogKind) -> bool {
    matches!(kind, LogKind::Lat | LogKind::Clat | LogKind::Slat)
}

impl Reading {
    /// The readings that a head allows, the likeliest first.
    ///
    /// # Errors
    /// When the layout that the user gave does not fit, or the log is damaged beyond use.
    pub(super) fn candidates(
        name: &LogName,
        head: &[Columns],
        context: &ReadContext<'_>,
    ) -> Result<Vec<Reading>, IngestError> {
        refuse_histograms(name, usual_len(head).unwrap_or(0))?;
        let layouts = match context.layout {
            Some(text) => {
                let layout = Layout::given(text).map_err(|message| content(None, message))?;
                if usual_len(head) != Some(layout.len()) {
                    let found = usual_len(head).unwrap_or(0);
                    return Err(content(
                        None,
                        format!("layout `{text}` names {} columns, the rows have {found}", layout.len()),
                    ));
                }
                vec![layout]
            }
            None => Layout::candidates(head),
        };
        let mut readings = Vec::new();
        let mut refusal = None;
        for layout in layouts {
            let rows: Vec<Row> = head.iter().filter_map(|columns| layout.row(0, columns).ok()).collect();
            match Reading::new(name, layout, &rows, context) {
                Ok(reading) => readings.push(reading),
                Err(message) => refusal = refusal.or(Some(message)),
            }
        }
        match refusal {
            Some(message) if readings.is_empty() => Err(content(None, message)),
            _ => Ok(readings),
        }
    }

    /// The only reading of a log whose `rows` are all there are, in the only layout that they have.
    ///
    /// # Errors
    /// As [`Reading::candidates`].
    pub(super) fn alone(
        name: &LogName,
        layout: Layout,
        rows: &[Row],
        context: &ReadContext<'_>,
    ) -> Result<Reading, IngestError> {
        refuse_histograms(name, layout.len())?;
        Reading::new(name, layout, rows, context).map_err(|message| content(None, message))
    }

    fn new(
        name: &LogName,
        layout: Layout,
        rows: &[Row],
        context: &ReadContext<'_>,
    ) -> Result<Reading, String> {
        let kind = name.kind;
        let without_zeros: Vec<Row>;
        let rows = if rows.iter().any(Row::is_zeros) {
            without_zeros = rows.iter().copied().filter(|row| !row.is_zeros()).collect();
            &without_zeros
        } else {
            rows
        };
        let rhythm = Rhythm::of(rows);
        let mode = mode(kind, &layout, rows, &rhythm)?;
        let lat_unit = is_latency(kind).then(|| match context.lat_unit {
            Some(unit) => (unit, UnitCertainty::Known),
            None => lat_unit(name, &layout, mode, rows),
        });
        let factor = match (kind, lat_unit) {
            (_, Some((unit, _))) => unit.nanoseconds(),
            // KiB/s; bandwidth per I/O is not scaled because it is not used.
            (LogKind::Bw, None) => 1024,
            _ => 1,
        };
        let scale = Scale { kind, factor };
        let bounds = Bounds::of(mode, rows, &rhythm, context.runtime_ms);
        let rebase = bounds.origin > 0;
        if rebase && rhythm.backwards && mode == Mode::PerIo {
            return Err("expected rows in the order of time, found most going back; sort the file by its \
                        first column"
                .to_owned());
        }
        let collector = match mode {
            Mode::Windowed => Collector::Windows(Windows::new(scale, rebase)),
            Mode::PerIo => Collector::Ios(Ios::new(scale, bounds.origin)),
        };
        Ok(Reading {
            layout,
            mode,
            backwards: rhythm.backwards,
            lat_unit,
            timeline: Timeline::new(bounds),
            scale,
            collector,
            defects: Defects::default(),
            contradictions: 0,
        })
    }

    /// Rows that cannot have been written with this layout.
    pub(super) fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// How a stream of lines is read in this way; None where rows must be looked at one by one.
    pub(super) fn plain(&self, head: &[Columns]) -> Option<Plain> {
        let last = self.layout.len().saturating_sub(1);
        Plain::of(&self.layout, head.iter().any(|columns| columns.hex >> last & 1 == 1))
    }

    /// Takes all lines at once; gives what is wrong with those that are no rows, and their NUL bytes.
    ///
    /// # Errors
    /// When the input cannot be read to its end.
    pub(super) fn stream(&mut self, lines: Lines<'_>, plain: Plain) -> std::io::Result<(Defects, u64)> {
        let manner = Manner { layout: &self.layout, plain, scale: self.scale, sized: self.is_sized() };
        match &mut self.collector {
            Collector::Windows(windows) => {
                let streamed = stream::read(lines, manner, &mut self.timeline, Some(windows))?;
                Ok((streamed.defects, streamed.nuls))
            }
            Collector::Ios(ios) => {
                let mut streamed = stream::read(lines, manner, &mut self.timeline, None)?;
                let told = (std::mem::take(&mut streamed.defects), streamed.nuls);
                ios.take(streamed);
                Ok(told)
            }
        }
    }

    /// True when a row of zeros is none wherever it stands.
    fn is_sized(&self) -> bool {
        self.mode == Mode::Windowed || self.layout.block_size.is_some()
    }

    /// Takes rows of windows that are all of this layout and say something; false, and nothing is taken, where the rows
    /// are single I/Os.
    pub(super) fn take_windows(&mut self, rows: &[Row]) -> bool {
        let Collector::Windows(windows) = &mut self.collector else { return false };
        if self.timeline.runs_through(rows) {
            windows.take(rows);
        } else {
            rows.iter().for_each(|&row| self.timeline.push(row, &mut |event| windows.apply(event)));
        }
        true
    }

    /// Takes rows of windows, each a line; false, and nothing is taken, where the rows are single I/Os or have not all
    /// the same columns.
    pub(super) fn take_clean(&mut self, rows: &[Columns]) -> bool {
        let len = self.layout.len();
        if self.mode != Mode::Windowed || rows.iter().any(|columns| columns.len != len) {
            return false;
        }
        for (line, columns) in (1..).zip(rows) {
            self.take(line, columns, b"");
        }
        true
    }

    /// Takes the numbers of a line; `text` is the line, for a message.
    pub(super) fn take(&mut self, line: u64, columns: &Columns, text: &[u8]) {
        let row = match self.layout.row(line, columns) {
            Ok(row) => row,
            Err(Defect::Unreadable) => return self.defects.add_unreadable(line, text),
            Err(defect) => {
                self.contradictions += u64::from(defect == Defect::Direction);
                return self.defects.add(defect, line);
            }
        };
        if self.layout.max.is_some() && self.layout.contradicts(columns) {
            self.contradictions += 1;
        }
        // Without block sizes, an I/O that took less than 1 us may well begin a log.
        if row.is_zeros() && (self.is_sized() || self.timeline.has_moved()) {
            return self.defects.add(Defect::Zeros, line);
        }
        let collector = &mut self.collector;
        self.timeline.push(row, &mut |event| collector.apply(event));
    }

    /// Ends the reading; `others` are the defects of lines that no layout can read.
    ///
    /// # Errors
    /// When too few lines are rows, or time goes back too often.
    pub(super) fn finish(mut self, others: Defects, nuls: u64) -> Result<Outcome, IngestError> {
        let collector = &mut self.collector;
        self.timeline.finish(&mut |event| collector.apply(event));
        self.defects.merge(others);
        self.defects.add_all(Defect::Time, self.timeline.wild);
        let rows = self.collector.rows();
        self.refuse_disorder(rows)?;
        let mut remarks = self.defects.remarks(self.layout.len());
        remarks.extend(self.remarks(nuls));
        let collected = self.collector.finish();
        let epoch_ms = Some(collected.origin).filter(|&origin| origin > EPOCH_MS);
        if collected.origin > 0 && epoch_ms.is_none() {
            let message = format!(
                "time stamps begin far from 0 (another clock, log_alternate_epoch); {} ms subtracted",
                collected.origin
            );
            remarks.push(Remark::new(Severity::Info, message));
        }
        let per_io = self.mode == Mode::PerIo;
        let layout =
            format!("{} ({})", self.layout, if per_io { "a row per I/O" } else { "a row per window" });
        Ok(Outcome {
            collected,
            layout,
            rows,
            skipped: self.defects.total(),
            lat_unit: self.lat_unit,
            per_io,
            epoch_ms,
            remarks,
        })
    }

    fn refuse_disorder(&self, rows: u64) -> Result<(), IngestError> {
        let columns = self.layout.len();
        let unreadable = self.defects.of(Defect::Unreadable);
        let directions = self.defects.of(Defect::Direction);
        let bad = unreadable.count + directions.count;
        if bad >= 3 && bad * 10 > rows + bad {
            let (first, expected) = if unreadable.count >= directions.count {
                (unreadable, format!("expected {columns} numbers, found `{}`", self.defects.found()))
            } else {
                (directions, "expected direction 0, 1 or 2, found another".to_owned())
            };
            let message = format!("{expected}; {bad} of {} lines are no rows", rows + bad);
            return Err(content(Some(first.first_line), message));
        }
        if let Some(overflow) = self.collector.overflow() {
            let message = "expected a log in the order of time, found it going back too often; sort it or split \
                           it by run";
            return Err(content(Some(overflow.line), message.to_owned()));
        }
        if rows == 0 {
            let reasons: Vec<String> =
                self.defects.remarks(columns).into_iter().map(|remark| remark.message).collect();
            return Err(content(None, format!("no row can be used: {}", reasons.join("; "))));
        }
        Ok(())
    }

    fn remarks(&self, nuls: u64) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let mut say = |severity, line: Option<u64>, message: String| {
            remarks.push(Remark { severity, line, message });
        };
        if nuls > 0 {
            say(
                Severity::Warning,
                None,
                format!("{nuls} NUL bytes passed over: the file system lost a part"),
            );
        }
        if self.backwards {
            let message = "time goes back from row to row; the rows were turned round";
            say(Severity::Warning, None, message.to_owned());
        }
        let Timeline { late, back, forward, .. } = &self.timeline;
        if late.count > 0 {
            let message = format!("{} out of the order of time, put in place", late.rows());
            say(Severity::Info, Some(late.first_line), message);
        }
        if back.count > 0 {
            let message = format!("time goes back {}: jobs or runs that share the file", back.times());
            say(Severity::Info, Some(back.first_line), message);
        }
        if forward.count > 0 {
            let message = format!(
                "time jumps ahead {}, further than a run can be idle; what follows is read as another run with its \
                 own clock",
                forward.times()
            );
            say(Severity::Warning, Some(forward.first_line), message);
        }
        if let Some((unit, UnitCertainty::Guessed)) = self.lat_unit {
            let unit = match unit {
                LatUnit::Nanoseconds => "ns (fio 3)",
                LatUnit::Microseconds => "us (fio 1 and 2)",
                LatUnit::Milliseconds => "ms",
            };
            let message = format!("latencies read as {unit}, a guess from their size; --lat-unit settles it");
            say(Severity::Warning, None, message);
        }
        remarks
    }
}
