//! Where a row belongs in time: the running stretch, a new one, or nowhere.
//!
//! Goes in: rows in file order. Comes out: rows in stretches ([`Event`]) in
//! which time moves forward. The rules:
//!
//! - Rows may come a little late: half a window, or 20 ms in a log per I/O.
//! - A row that falls back to the first half of what went before, or by more
//!   than three windows (a second per I/O), may begin a stretch: fio appends jobs
//!   and runs to one file. Less is a late row.
//! - A row that jumps forward by more than the limit may begin a stretch, too.
//! - "May": the row waits for the next one. When that is nearer to the row that
//!   waits, a stretch begins; otherwise the row is late or, far from everything, dropped,
//!   so that a single bad stamp cannot ruin a file.

use super::batch::{Batch, Span};
use super::defect::Tally;
use super::mode::{LONGEST_IDLE_MS, Mode, Rhythm};
use super::row::{DIRECTIONS, Row};

/// Stamps above are Unix time in ms: 1973 on.
pub(in crate::ingest) const EPOCH_MS: u64 = 100_000_000_000;

/// What to do, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) enum Event {
    /// Take the row into the running stretch.
    Row(Row),
    /// Begin a stretch. `Jump::Forward` begins a clock of its own.
    Begin(Jump, Row),
    /// Forget the only row of the running stretch; what follows takes its place.
    Forget,
}

/// How a stretch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) enum Jump {
    /// Time went back.
    Back,
    /// Time jumped ahead, further than a run can be idle.
    Forward,
}

/// Bounds in ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ingest) struct Bounds {
    /// Distance of two rows of one direction; 0 per I/O.
    pub(in crate::ingest) step: u64,
    /// A row this late needs no second look.
    pub(in crate::ingest) late: u64,
    /// Back by more than this begins a stretch wherever it falls.
    pub(in crate::ingest) back: u64,
    /// Ahead by more than this is a jump.
    pub(in crate::ingest) ahead: u64,
    /// Where the log's clock begins.
    pub(in crate::ingest) origin: u64,
    /// True for a file that was turned round: its rows are all of one stretch.
    pub(in crate::ingest) backwards: bool,
}

impl Bounds {
    /// Bounds for a log that begins with `rows`; `runtime_ms` is what the output beside it reports.
    ///
    /// `origin` is 0 for a clock that starts with the job.
    pub(in crate::ingest) fn of(
        mode: Mode,
        rows: &[Row],
        rhythm: &Rhythm,
        runtime_ms: Option<f64>,
    ) -> Bounds {
        let step = match mode {
            Mode::Windowed => rhythm.period.map_or(0, |period| period.round() as u64).max(1),
            Mode::PerIo => 0,
        };
        let idle = LONGEST_IDLE_MS.max(step.saturating_mul(100));
        let ahead = match runtime_ms {
            Some(runtime) => (runtime as u64).max(step.saturating_mul(2)).max(1000),
            None => idle,
        };
        // A lone wild stamp at the beginning does not set the clock.
        let near = |pair: &&[Row]| pair[0].t.abs_diff(pair[1].t) <= ahead;
        let start = rows.windows(2).find(near).map(|pair| pair[0].t).or(rows.first().map(|row| row.t));
        let rebase = start.filter(|&start| start > idle);
        let origin = rebase.map_or(0, |start| start.saturating_sub(step));
        let (late, back) = match mode {
            Mode::Windowed => (step / 2, step.saturating_mul(3)),
            Mode::PerIo => (20, 1000),
        };
        Bounds { step, late, back, ahead, origin, backwards: rhythm.backwards }
    }
}

/// Sorts rows into stretches.
#[derive(Debug, Clone)]
pub(in crate::ingest) struct Timeline {
    bounds: Bounds,
    last: [Option<u64>; DIRECTIONS.len()],
    newest: Option<u64>,
    /// Beginning of the running clock.
    origin: u64,
    /// Rows in the running stretch, and the line of the first; stops counting at 2.
    held: Tally,
    waiting: Option<(Row, Jump)>,
    /// Rows that were late and taken.
    pub(in crate::ingest) late: Tally,
    /// Rows with a stamp that nothing is near to.
    pub(in crate::ingest) wild: Tally,
    /// Stretches that began because time went back.
    pub(in crate::ingest) back: Tally,
    /// Stretches that began because time jumped ahead.
    pub(in crate::ingest) forward: Tally,
}

impl Timeline {
    /// An empty timeline.
    pub(in crate::ingest) fn new(bounds: Bounds) -> Self {
        Timeline {
            bounds,
            last: [None; DIRECTIONS.len()],
            newest: None,
            origin: bounds.origin,
            held: Tally::default(),
            waiting: None,
            late: Tally::default(),
            wild: Tally::default(),
            back: Tally::default(),
            forward: Tally::default(),
        }
    }

    /// True when a row after time 0 was placed in the running stretch.
    pub(in crate::ingest) fn has_moved(&self) -> bool {
        self.newest.is_some_and(|newest| newest > 0)
    }

    /// The bounds by which rows are judged.
    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Places a whole span of single I/Os into the running stretch when each of its rows surely belongs there, as if
    /// each had been pushed; says whether. `lines` is the number of lines before the batch.
    pub(super) fn pass(&mut self, batch: &Batch, span: &Span, lines: u64) -> bool {
        let Bounds { step, late, back, ahead, backwards, .. } = self.bounds;
        let Some(newest) = self.newest else { return false };
        // Rows of nothing, which are not placed, are at 0.
        let sure =
            step == 0 && !backwards && self.waiting.is_none() && self.held.count >= 2 && span.least > 0;
        if !sure || span.first > newest.saturating_add(ahead) {
            return false;
        }
        if !span.steady || span.least.saturating_add(late) < newest {
            // No row falls back far enough to begin a stretch, and none jumps ahead: some are late at most.
            let most = newest.max(span.most);
            let since_origin = |t: u64| t.saturating_sub(self.origin);
            let stays = span.least.saturating_add(back) >= most
                && since_origin(span.least) > since_origin(most) / 2
                && span.most <= newest.saturating_add(ahead);
            if !stays {
                return false;
            }
            self.note_late(batch, span, lines);
        }
        self.newest = Some(newest.max(span.most));
        for (index, last) in self.last.iter_mut().enumerate() {
            if span.directions >> index & 1 == 1 {
                *last = Some(last.map_or(span.newest[index], |last| last.max(span.newest[index])));
            }
        }
        true
    }

    /// Counts the rows of a span that come later than the bounds have it after those of their own direction.
    fn note_late(&mut self, batch: &Batch, span: &Span, lines: u64) {
        let rows = span.rows.clone();
        let (t, direction) = (&batch.t[rows.clone()], &batch.direction[rows.clone()]);
        // Stamps are below 2^63, and the bound is a window at most.
        let is_late = |t: u64, last: u64| t.wrapping_add(self.bounds.late) < last;
        let mut count = 0;
        for (index, last) in
            self.last.iter().enumerate().filter(|(index, _)| span.directions >> index & 1 == 1)
        {
            // A direction with itself, so that nothing but its largest stamp goes from row to row.
            let mut last = last.unwrap_or(0);
            for (&t, &direction) in t.iter().zip(direction) {
                let own = usize::from(direction) == index;
                count += u64::from(own & is_late(t, last));
                last = last.max(if own { t } else { 0 });
            }
        }
        if count == 0 {
            return;
        }
        let mut first_line = self.late.first_line;
        if self.late.count == 0 {
            let mut last = self.last.map(|last| last.unwrap_or(0));
            let first = t.iter().zip(direction).position(|(&t, &direction)| {
                let last = &mut last[usize::from(direction)];
                let before = std::mem::replace(last, t.max(*last));
                is_late(t, before)
            });
            first_line = lines + batch.line(rows.start + first.unwrap_or(0));
        }
        self.late.add_later(count, first_line);
    }

    /// Places all rows in the running stretch, as they come, where none of them is late nor a jump; else none.
    pub(in crate::ingest) fn runs_through(&mut self, rows: &[Row]) -> bool {
        let Some(first) = rows.first() else { return true };
        let Bounds { step, back, ahead, backwards, .. } = self.bounds;
        // What follows is `judge` for windows that begin a timeline.
        if self.newest.is_some() || self.waiting.is_some() || step == 0 || backwards {
            return false;
        }
        let mut last = [None; DIRECTIONS.len()];
        let mut newest = first.t;
        for row in rows {
            let Some(last) = last.get_mut(row.direction) else { return false };
            let here = match *last {
                Some(last) => row.t >= last,
                None => row.t.saturating_add(back) >= newest,
            };
            if !here || row.t > newest.saturating_add(ahead) {
                return false;
            }
            *last = Some(row.t);
            newest = newest.max(row.t);
        }
        for row in rows.iter().take(2) {
            self.held.add(row.line);
        }
        (self.last, self.newest) = (last, Some(newest));
        true
    }

    /// Places the next row.
    pub(in crate::ingest) fn push(&mut self, row: Row, sink: &mut impl FnMut(Event)) {
        if let Some((before, jump)) = self.waiting.take() {
            self.settle(before, jump, &row, sink);
        }
        match self.judge(&row) {
            Place::Here => self.accept(row, sink),
            Place::Late => {
                self.late.add(row.line);
                self.accept(row, sink);
            }
            Place::Jump(jump) => self.waiting = Some((row, jump)),
        }
    }

    /// Says what becomes of a row that still waits at the end of the file.
    pub(in crate::ingest) fn finish(&mut self, sink: &mut impl FnMut(Event)) {
        if let Some((row, _)) = self.waiting.take() {
            self.settle_alone(row, sink);
        }
    }

    fn judge(&self, row: &Row) -> Place {
        let Some(newest) = self.newest else { return Place::Here };
        if row.t > newest.saturating_add(self.bounds.ahead) {
            return Place::Jump(Jump::Forward);
        }
        if self.bounds.backwards {
            return Place::Here;
        }
        // Directions close their windows apart, so a direction is compared with itself.
        let (reference, late) = match self.last[row.direction] {
            Some(last) => (last, self.bounds.late),
            None => (newest, self.bounds.back),
        };
        if row.t.saturating_add(late) >= reference {
            // I/Os end in any order by some ms; windows of a direction do not.
            let swapped = self.bounds.step > 0 && self.last[row.direction].is_some_and(|last| row.t < last);
            return if swapped { Place::Late } else { Place::Here };
        }
        let since_origin = row.t.saturating_sub(self.origin);
        let falls_to_start = since_origin <= reference.saturating_sub(self.origin) / 2;
        if falls_to_start || reference - row.t > self.bounds.back {
            Place::Jump(Jump::Back)
        } else {
            Place::Late
        }
    }

    /// Decides on the row that waited, now that the next one is known.
    fn settle(&mut self, waiting: Row, jump: Jump, next: &Row, sink: &mut impl FnMut(Event)) {
        let same = next.direction == waiting.direction;
        let there = waiting.t.saturating_add(if same { self.bounds.step } else { 0 });
        let here = match self.last[next.direction] {
            Some(last) => last.saturating_add(self.bounds.step),
            None => self.newest.unwrap_or(0),
        };
        let follows = next.t.saturating_add(self.bounds.late) >= waiting.t
            && next.t.saturating_sub(waiting.t) <= self.bounds.ahead;
        if !follows || next.t.abs_diff(here) <= next.t.abs_diff(there) {
            self.settle_alone(waiting, sink);
            return;
        }
        let only = self.newest.filter(|_| self.held.count == 1);
        if only.is_some_and(|only| only.abs_diff(waiting.t) > self.bounds.ahead) {
            // The stretch so far was itself a lone stamp: the first row of the file.
            self.wild.add(self.held.first_line);
            sink(Event::Forget);
        } else {
            match jump {
                Jump::Back => self.back.add(waiting.line),
                Jump::Forward => {
                    self.forward.add(waiting.line);
                    self.origin = waiting.t;
                }
            }
            sink(Event::Begin(jump, waiting));
        }
        self.last = [None; DIRECTIONS.len()];
        self.newest = None;
        self.held = Tally::default();
        self.accept(waiting, sink);
    }

    fn settle_alone(&mut self, row: Row, sink: &mut impl FnMut(Event)) {
        let reference = self.last[row.direction].or(self.newest).unwrap_or(row.t);
        if row.t <= reference && reference - row.t <= self.bounds.back {
            self.late.add(row.line);
            self.accept(row, sink);
        } else {
            self.wild.add(row.line);
        }
    }

    fn accept(&mut self, row: Row, sink: &mut impl FnMut(Event)) {
        let last = &mut self.last[row.direction];
        *last = Some(last.map_or(row.t, |last| last.max(row.t)));
        self.newest = Some(self.newest.map_or(row.t, |newest| newest.max(row.t)));
        if self.held.count < 2 {
            self.held.add(row.line);
        }
        sink(Event::Row(row));
    }
}

/// Where a row seems to belong.
enum Place {
    /// In the running stretch.
    Here,
    /// In the running stretch, out of order.
    Late,
    /// Elsewhere; the next row tells.
    Jump(Jump),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_run_through_leave_the_timeline_that_one_by_one_leaves() {
        let row = |at: usize, (t, direction): (u64, usize)| Row {
            line: at as u64 + 1,
            t,
            value: 1,
            direction,
            bytes: 0,
        };
        let rows = |stamps: &[(u64, usize)]| -> Vec<Row> {
            stamps.iter().enumerate().map(|(at, &stamp)| row(at, stamp)).collect()
        };
        let one_by_one = |rows: &[Row]| {
            let mut timeline = Timeline::new(bounds(1000));
            let mut events = Vec::new();
            rows.iter().for_each(|&row| timeline.push(row, &mut |event| events.push(event)));
            timeline.finish(&mut |event| events.push(event));
            let here = events == rows.iter().map(|&row| Event::Row(row)).collect::<Vec<_>>();
            (timeline.late.count == 0 && here, format!("{timeline:?}"))
        };
        for stamps in [
            &[][..],
            &[(1000, 0)],
            &[(1000, 0), (1000, 1), (2000, 1), (1999, 0), (3000, 2)],
            &[(1000, 0), (2000, 0), (3000, 0), (900, 1)],
            &[(1000, 0), (2000, 0), (1999, 0), (3000, 0)],
            &[(1000, 0), (900_000, 0), (901_000, 0)],
            &[(1000, 0), (2000, 0), (3000, 0), (4000, 0), (5000, 0), (1000, 0), (2000, 0)],
            &[(9000, 0), (1000, 1), (9500, 0)],
        ] {
            let rows = rows(stamps);
            let mut timeline = Timeline::new(bounds(1000));
            let (through, left) = one_by_one(&rows);
            assert_eq!(timeline.runs_through(&rows), through, "{stamps:?}");
            if through {
                assert_eq!(format!("{timeline:?}"), left, "{stamps:?}");
            }
        }
    }

    fn bounds(step: u64) -> Bounds {
        let windowed = step > 0;
        Bounds {
            step,
            late: if windowed { step / 2 } else { 20 },
            back: if windowed { 3 * step } else { 1000 },
            ahead: 600_000,
            origin: 0,
            backwards: false,
        }
    }

    /// Stretches of (time, direction).
    fn stretches(bounds: Bounds, rows: &[(u64, usize)]) -> (Vec<Vec<(u64, usize)>>, Timeline) {
        let mut found = vec![vec![]];
        let mut timeline = Timeline::new(bounds);
        let mut sink = |event| match event {
            Event::Row(row) => {
                if let Some(last) = found.last_mut() {
                    last.push((row.t, row.direction));
                }
            }
            Event::Begin(..) => found.push(vec![]),
            Event::Forget => found.iter_mut().for_each(Vec::clear),
        };
        for (index, &(t, direction)) in rows.iter().enumerate() {
            let row = Row { line: index as u64 + 1, t, value: 1, direction, bytes: 0 };
            timeline.push(row, &mut sink);
        }
        timeline.finish(&mut sink);
        (found, timeline)
    }

    #[test]
    fn appended_jobs_become_stretches_and_each_direction_goes_along() {
        let job = [(500, 0), (500, 1), (1000, 0), (1001, 1), (1500, 0), (1500, 1)];
        let (found, timeline) = stretches(bounds(500), &[job, job, job].concat());
        assert_eq!(found, [job.to_vec(), job.to_vec(), job.to_vec()]);
        assert_eq!(timeline.back.count, 2);
        assert_eq!(timeline.back.first_line, 7);
    }

    #[test]
    fn jobs_of_two_windows_are_told_apart() {
        let (found, _) = stretches(bounds(500), &[(500, 0), (1000, 0), (500, 0), (1000, 0)]);
        assert_eq!(found, [[(500, 0), (1000, 0)], [(500, 0), (1000, 0)]]);
    }

    #[test]
    fn a_direction_that_lags_a_window_begins_nothing() {
        let rows = [(500, 0), (1000, 0), (500, 1), (1500, 0), (1000, 1), (2000, 0), (1500, 1)];
        let (found, timeline) = stretches(bounds(500), &rows);
        assert_eq!(found.len(), 1);
        assert_eq!(timeline.late.count, 0);
    }

    #[test]
    fn late_ios_stay_in_their_stretch() {
        let rows = [(5000, 0), (5001, 0), (4950, 0), (4951, 0), (5002, 0)];
        let (found, timeline) = stretches(bounds(0), &rows);
        assert_eq!(found, [rows.to_vec()]);
        assert_eq!(timeline.late.count, 2);
    }

    #[test]
    fn a_lone_wild_stamp_is_dropped() {
        let (found, timeline) = stretches(bounds(500), &[(500, 0), (1000, 0), (9_000_000, 0), (1500, 0)]);
        assert_eq!(found, [[(500, 0), (1000, 0), (1500, 0)]]);
        assert_eq!(timeline.wild, Tally { count: 1, first_line: 3 });
        let (found, timeline) = stretches(bounds(500), &[(9_000_000, 0), (500, 0), (1000, 0), (1500, 0)]);
        assert_eq!(found, [[(500, 0), (1000, 0), (1500, 0)]]);
        assert_eq!(timeline.wild, Tally { count: 1, first_line: 1 });
        let (found, timeline) = stretches(bounds(500), &[(500, 0), (1000, 0), (9_000_000, 0)]);
        assert_eq!(found, [[(500, 0), (1000, 0)]]);
        assert_eq!(timeline.wild.count, 1);
        let wild = [(500, 0), (1000, 0), (7_000_000, 0), (99_000_000, 0), (1500, 0), (2000, 0)];
        let (found, timeline) = stretches(bounds(500), &wild);
        assert_eq!(found, [[(500, 0), (1000, 0), (1500, 0), (2000, 0)]]);
        assert_eq!(timeline.wild.count, 2);
    }

    #[test]
    fn a_lone_zero_stamp_in_a_long_run_is_dropped() {
        let (found, timeline) = stretches(bounds(500), &[(5000, 0), (5500, 0), (0, 0), (6000, 0)]);
        assert_eq!(found, [[(5000, 0), (5500, 0), (6000, 0)]]);
        assert_eq!(timeline.wild.count, 1);
    }

    #[test]
    fn a_jump_ahead_that_lasts_begins_a_stretch() {
        let (found, timeline) = stretches(bounds(500), &[(500, 0), (1000, 0), (900_500, 0), (901_000, 0)]);
        assert_eq!(found, [[(500, 0), (1000, 0)], [(900_500, 0), (901_000, 0)]]);
        assert_eq!(timeline.forward, Tally { count: 1, first_line: 3 });
    }

    #[test]
    fn appended_logs_per_io_become_stretches() {
        let (found, _) = stretches(bounds(0), &[(0, 0), (100, 0), (369, 0), (0, 0), (0, 0), (90, 0)]);
        assert_eq!(found, [vec![(0, 0), (100, 0), (369, 0)], vec![(0, 0), (0, 0), (90, 0)]]);
    }

    #[test]
    fn a_turned_file_is_one_stretch() {
        let bounds = Bounds { backwards: true, ..bounds(500) };
        let (found, _) = stretches(bounds, &[(2000, 0), (1500, 0), (1000, 0), (500, 0)]);
        assert_eq!(found.len(), 1);
    }
}
