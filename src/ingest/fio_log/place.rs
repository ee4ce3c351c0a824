//! Batches of rows onto the timeline, in the order of the file.
//!
//! Goes in: batches, one after another. Comes out: a [`Plan`] for each, which says of its rows to which stretch
//! of the log they belong, and what was wrong with the others. Windows are handed on at
//! once; single I/Os only need to be counted somewhere, at any time, so that the plan is all
//! that must wait for its turn. Spans of rows that lie as they should are placed without a look at each.

use super::batch::{Batch, Span};
use super::collect::{MAX_SEGMENTS, TooManySegments, Windows};
use super::defect::{Defect, Defects};
use super::row::Row;
use super::timeline::{Event, Jump, Timeline};
use std::ops::Range;

/// Where the rows of a batch belong.
pub(super) type Plan = Vec<Step>;

/// Rows of one stretch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// Which stretch, counted from 0.
    pub(super) stretch: usize,
    /// Where its clock begins, ms.
    pub(super) origin: u64,
    pub(super) part: Part,
}

/// What a step takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Rows of the batch.
    Rows(Range<usize>),
    /// A row that waited, maybe of a batch before.
    Row(Row),
}

/// Places batches.
pub(super) struct Placer<'a> {
    timeline: &'a mut Timeline,
    placing: Placing<'a>,
    /// True when a row of zeros is none wherever it stands.
    sized: bool,
    /// Lines before the present batch.
    lines: u64,
    pub(super) defects: Defects,
    pub(super) nuls: u64,
}

/// What becomes of the timeline's events.
struct Placing<'a> {
    windows: Option<&'a mut Windows>,
    stretch: usize,
    origin: u64,
    /// True when the running stretch has a row.
    begun: bool,
    /// That row while it is the only one: it may be forgotten yet.
    first: Option<Row>,
    overflow: Option<TooManySegments>,
    plan: Plan,
}

impl<'a> Placer<'a> {
    /// Places rows on a timeline whose clock begins at `origin`; windows are handed to `windows`.
    pub(super) fn new(
        timeline: &'a mut Timeline,
        windows: Option<&'a mut Windows>,
        origin: u64,
        sized: bool,
    ) -> Self {
        let placing = Placing {
            windows,
            stretch: 0,
            origin,
            begun: false,
            first: None,
            overflow: None,
            plan: Plan::new(),
        };
        Placer { timeline, placing, sized, lines: 0, defects: Defects::default(), nuls: 0 }
    }

    /// Places the rows of the next batch.
    pub(super) fn place(&mut self, batch: &Batch) -> Plan {
        for span in batch.spans() {
            if self.placing.is_steady() && self.timeline.pass(batch, span, self.lines) {
                self.placing.take(span.rows.clone());
            } else {
                self.place_rows(batch, span);
            }
        }
        self.defects.merge(batch.defects.clone().moved_by(self.lines));
        self.nuls += batch.nuls;
        self.lines += batch.lines;
        std::mem::take(&mut self.placing.plan)
    }

    fn place_rows(&mut self, batch: &Batch, span: &Span) {
        for index in span.rows.clone() {
            let row = batch.row(index, self.lines + batch.line(index));
            // Without block sizes, an I/O that took less than 1 us may well begin a log.
            if row.is_zeros() && (self.sized || self.timeline.has_moved()) {
                self.defects.add(Defect::Zeros, row.line);
                continue;
            }
            let placing = &mut self.placing;
            self.timeline.push(row, &mut |event| placing.apply(event, Some((row.line, index))));
        }
    }

    /// Places what waits at the end; gives the plan for it, how often a stretch began, and whether that was too often.
    pub(super) fn finish(&mut self) -> (Plan, Option<TooManySegments>) {
        let placing = &mut self.placing;
        self.timeline.finish(&mut |event| placing.apply(event, None));
        placing.flush();
        (std::mem::take(&mut placing.plan), placing.overflow)
    }
}

impl Placing<'_> {
    /// True when nothing that may come can take back what was placed.
    fn is_steady(&self) -> bool {
        self.windows.is_none() && self.begun && self.first.is_none()
    }

    /// Applies an event; `present` is the line and the index of the batch's row that made it.
    fn apply(&mut self, event: Event, present: Option<(u64, usize)>) {
        if let Some(windows) = &mut self.windows {
            return windows.apply(event);
        }
        match event {
            Event::Row(row) if !self.begun => {
                self.begun = true;
                self.first = Some(row);
            }
            Event::Row(row) => {
                self.flush();
                match present {
                    Some((line, index)) if line == row.line => self.take(index..index + 1),
                    _ => self.step(Part::Row(row)),
                }
            }
            Event::Begin(jump, row) => {
                self.flush();
                if self.stretch + 1 >= MAX_SEGMENTS {
                    self.overflow.get_or_insert(TooManySegments { line: row.line });
                    return;
                }
                self.stretch += 1;
                self.begun = false;
                if jump == Jump::Forward {
                    self.origin = row.t;
                }
            }
            Event::Forget => {
                self.begun = false;
                self.first = None;
            }
        }
    }

    /// Places the first row of the running stretch if it still waits.
    fn flush(&mut self) {
        if let Some(first) = self.first.take() {
            self.step(Part::Row(first));
        }
    }

    /// Places rows of the present batch.
    fn take(&mut self, rows: Range<usize>) {
        if let Some(Step { stretch, part: Part::Rows(before), .. }) = self.plan.last_mut()
            && *stretch == self.stretch
            && before.end == rows.start
        {
            before.end = rows.end;
            return;
        }
        self.step(Part::Rows(rows));
    }

    fn step(&mut self, part: Part) {
        self.plan.push(Step { stretch: self.stretch, origin: self.origin, part });
    }
}
