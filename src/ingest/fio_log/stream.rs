//! A log as a stream of texts that several threads read at once.
//!
//! Goes in: the lines of a log and the one way to read it. Comes out: what the row-by-row
//! reader would make of it, bit for bit, whatever the number of threads. One thread takes bytes from the
//! file, or from its unpacker; any thread reads texts; batches are placed in their order, which costs
//! next to nothing; then any thread sums up what was placed. Nobody waits for anybody but the file, and the
//! memory in use does not depend on the size of the log.

use super::batch::Batch;
use super::bulk::{Parser, Plain, Text};
use super::cells::Cells;
use super::collect::{Scale, TooManySegments, Windows};
use super::defect::{Defect, Defects};
use super::layout::Layout;
use super::lines::{Lines, Piece};
use super::place::{Part, Placer, Plan};
use super::timeline::{Bounds, Timeline};
use crate::ingest::Segment;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How a log is read.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    pub(super) layout: &'a Layout,
    pub(super) plain: Plain,
    pub(super) scale: Scale,
    /// True when a row of zeros is none wherever it stands.
    pub(super) sized: bool,
}

/// What was read.
pub(super) struct Streamed {
    /// The stretches of single I/Os; windows were handed on.
    pub(super) segments: Vec<Segment>,
    /// Single I/Os in them.
    pub(super) rows: u64,
    pub(super) overflow: Option<TooManySegments>,
    pub(super) defects: Defects,
    pub(super) nuls: u64,
}

/// A text on its way.
#[derive(Default)]
struct Chunk {
    number: usize,
    text: Text,
    batch: Batch,
    /// True when the batch is complete.
    read: bool,
}

/// What a thread fills while it reads texts.
struct Worker {
    parser: Parser,
    /// I/Os of the stretch of that number.
    cells: Option<(usize, Cells)>,
}

/// What the threads share.
struct Desk<'a> {
    manner: Manner<'a>,
    bounds: Bounds,
    state: Mutex<State<'a>>,
    /// Told when a chunk is free again.
    freed: Condvar,
    /// I/Os by stretch, of threads that went on to another one.
    done: Mutex<BTreeMap<usize, Cells>>,
}

struct State<'a> {
    placer: Placer<'a>,
    /// Filled, not yet read.
    filled: VecDeque<Chunk>,
    /// Read, but not all before them are placed.
    early: BTreeMap<usize, Chunk>,
    /// Number of the chunk that is placed next.
    next: usize,
    /// Placed, not yet summed up.
    placed: Vec<(Chunk, Plan)>,
    free: Vec<Chunk>,
    workers: Vec<Worker>,
    /// Threads that look for filled chunks.
    readers: usize,
}

/// Room that a thread keeps from one log for the next: to clear it anew costs more than to read a small log.
#[derive(Default)]
struct Kept {
    chunks: Vec<Chunk>,
    parsers: Vec<Parser>,
}

impl Kept {
    /// Chunks and parsers that a thread keeps at most.
    const MOST: usize = 3;
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Reads all lines.
///
/// # Errors
/// When the input cannot be read to its end.
pub(super) fn read(
    lines: Lines<'_>,
    manner: Manner<'_>,
    timeline: &mut Timeline,
    windows: Option<&mut Windows>,
) -> io::Result<Streamed> {
    let bounds = timeline.bounds();
    let placer = Placer::new(timeline, windows, bounds.origin, manner.sized);
    let state = State {
        placer,
        filled: VecDeque::new(),
        early: BTreeMap::new(),
        next: 0,
        placed: Vec::new(),
        free: Vec::new(),
        workers: Vec::new(),
        readers: 0,
    };
    let desk =
        Desk { manner, bounds, state: Mutex::new(state), freed: Condvar::new(), done: Mutex::default() };
    let threads = rayon::current_num_threads();
    rayon::in_place_scope(|scope| desk.fill(lines, threads, scope))?;
    Ok(desk.finish())
}

impl<'a> Desk<'a> {
    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes texts from the input until its end, and sees that all are read.
    fn fill<'s>(&'s self, mut lines: Lines<'_>, threads: usize, scope: &rayon::Scope<'s>) -> io::Result<()>
    where
        'a: 's,
    {
        // One is filled while each thread reads one and one waits for its turn.
        let most = 2 * threads + 1;
        let mut number = 0;
        let result = loop {
            let mut chunk = self.free_chunk(number, most);
            let piece = match lines.piece(&mut chunk.text) {
                Ok(Some(piece)) => piece,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            let last = matches!(piece, Piece::Cut { .. });
            chunk.number = number;
            chunk.take(piece);
            number += 1;
            if threads == 1 {
                self.work_on(chunk);
            } else {
                let mut state = self.state();
                state.filled.push_back(chunk);
                if state.readers + 1 < threads {
                    state.readers += 1;
                    drop(state);
                    scope.spawn(|_| self.read_filled());
                }
            }
            if last {
                break Ok(());
            }
        };
        while let Some(chunk) = self.next_filled() {
            self.work_on(chunk);
        }
        // Other threads finish what they have in hand; to wait in the scope would be to take up other work.
        let mut state = self.state();
        while state.next < number || state.placed.len() + state.early.len() > 0 {
            drop(state);
            self.sum_up_placed();
            state = self.state();
            if state.next < number {
                state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        result
    }

    fn next_filled(&self) -> Option<Chunk> {
        self.state().filled.pop_front()
    }

    /// Room for the next text; reads another one meanwhile where all room is taken.
    fn free_chunk(&self, used: usize, most: usize) -> Chunk {
        loop {
            let mut state = self.state();
            if let Some(chunk) = state.free.pop() {
                return chunk;
            }
            if used < most {
                return KEPT.with_borrow_mut(|kept| kept.chunks.pop()).unwrap_or_default();
            }
            match state.filled.pop_front() {
                Some(chunk) => {
                    drop(state);
                    self.work_on(chunk);
                }
                None => drop(self.freed.wait(state)),
            }
        }
    }

    /// Reads texts as long as some wait.
    fn read_filled(&self) {
        loop {
            let mut state = self.state();
            let Some(chunk) = state.filled.pop_front() else {
                state.readers -= 1;
                return;
            };
            drop(state);
            self.work_on(chunk);
        }
    }

    /// Reads a text, places all batches whose turn has come, and sums up some of them.
    fn work_on(&self, mut chunk: Chunk) {
        if !chunk.read {
            let mut worker = self.worker();
            worker.parser.parse(&chunk.text, self.manner.layout, self.manner.plain, &mut chunk.batch);
            chunk.batch.look(&self.bounds);
            self.state().workers.push(worker);
        }
        let mut state = self.state();
        state.early.insert(chunk.number, chunk);
        let State { early, next, placer, placed, .. } = &mut *state;
        while let Some(chunk) = early.remove(next) {
            let plan = placer.place(&chunk.batch);
            placed.push((chunk, plan));
            *next += 1;
        }
        drop(state);
        self.sum_up_placed();
    }

    fn worker(&self) -> Worker {
        let idle = self.state().workers.pop();
        idle.unwrap_or_else(|| {
            let parser = KEPT.with_borrow_mut(|kept| kept.parsers.pop()).unwrap_or_else(Parser::new);
            Worker { parser, cells: None }
        })
    }

    /// Sums up batches that are placed, as long as there are some.
    fn sum_up_placed(&self) {
        loop {
            let mut state = self.state();
            let Some((chunk, plan)) = state.placed.pop() else { return };
            if !plan.is_empty() {
                drop(state);
                let mut worker = self.worker();
                self.sum_up(&mut worker, &chunk.batch, plan);
                state = self.state();
                state.workers.push(worker);
            }
            state.free.push(chunk);
            drop(state);
            self.freed.notify_all();
        }
    }

    fn sum_up(&self, worker: &mut Worker, batch: &Batch, plan: Plan) {
        for step in plan {
            if let Some((stretch, cells)) = worker.cells.take_if(|(stretch, _)| *stretch != step.stretch) {
                self.put_away(stretch, cells);
            }
            let (_, cells) = worker
                .cells
                .get_or_insert_with(|| (step.stretch, Cells::new(self.manner.scale, step.origin)));
            match step.part {
                Part::Rows(rows) => cells.add_rows(batch, rows),
                Part::Row(row) => cells.add(&row),
            }
        }
    }

    /// Keeps what a thread has of a stretch.
    fn put_away(&self, stretch: usize, mut cells: Cells) {
        cells.close();
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        match done.get_mut(&stretch) {
            Some(own) => own.merge(cells),
            None => drop(done.insert(stretch, cells)),
        }
    }

    fn finish(self) -> Streamed {
        let (plan, overflow) = self.state().placer.finish();
        if !plan.is_empty() {
            let mut worker = self.worker();
            self.sum_up(&mut worker, &Batch::default(), plan);
            self.state().workers.push(worker);
        }
        let mut state = self.state();
        let (chunks, workers) = (std::mem::take(&mut state.free), std::mem::take(&mut state.workers));
        let mut parsers = Vec::new();
        for Worker { parser, cells } in workers {
            if let Some((stretch, cells)) = cells {
                self.put_away(stretch, cells);
            }
            parsers.push(parser);
        }
        KEPT.with_borrow_mut(|kept| {
            kept.chunks.extend(chunks);
            kept.chunks.truncate(Kept::MOST);
            kept.parsers.extend(parsers);
            kept.parsers.truncate(Kept::MOST);
        });
        let defects = std::mem::take(&mut state.placer.defects);
        let nuls = state.placer.nuls;
        drop(state);
        let done = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rows = done.values().map(Cells::rows).sum();
        let segments = done.into_values().filter_map(Cells::finish).collect();
        Streamed { segments, rows, overflow, defects, nuls }
    }
}

impl Chunk {
    /// Takes a piece of the input; one that holds no whole lines is read at once.
    fn take(&mut self, piece: Piece) {
        self.read = true;
        match piece {
            Piece::Lines => self.read = false,
            Piece::Cut { row, nuls } => {
                self.batch.one_line(nuls);
                if row {
                    self.batch.defects.add(Defect::Cut, 1);
                }
            }
            Piece::Long { row, nuls } => {
                self.batch.one_line(nuls);
                if row {
                    self.batch.defects.add_unreadable(1, super::lines::Line::TOO_LONG);
                }
            }
        }
    }
}
