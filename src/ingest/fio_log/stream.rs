//! A log as a stream of texts that several threads read at once.
//!
//! Goes in: the lines of a log and the one way to read it. Comes out: what the row-by-row
//! reader would make of it, bit for bit, whatever the number of threads. Each thread takes a text from the
//! file, or from its unpacker, when it is free, and reads it; batches are placed in their order, which costs
//! next to nothing; then the thread that read one sums it up, since its own cache still holds it, or another one that
//! has no room left. Nobody waits for anybody but the file, and the memory in use does not depend on the size of the log.

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
use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

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
    /// The thread that read it.
    home: Home,
}

/// A thread of the pool; None outside of one.
type Home = Option<usize>;

/// What a thread fills while it reads texts.
struct Worker {
    parser: Parser,
    /// I/Os of the stretch of that number.
    cells: Option<(usize, Cells)>,
    home: Home,
}

/// Where texts come from.
struct Source<'l> {
    lines: Lines<'l>,
    /// Number of the next chunk.
    number: usize,
    /// True when nothing more is to come.
    ended: bool,
    error: Option<io::Error>,
}

/// What the threads share.
struct Desk<'a, 'l> {
    manner: Manner<'a>,
    bounds: Bounds,
    /// Chunks that there may be: while a thread reads one, another one may wait for its turn.
    most: usize,
    source: Mutex<Source<'l>>,
    state: Mutex<State<'a>>,
    /// Told when a chunk is free or placed, and when a thread goes.
    moved: Condvar,
    /// I/Os by stretch, of threads that went on to another one.
    done: Mutex<BTreeMap<usize, Cells>>,
}

struct State<'a> {
    placer: Placer<'a>,
    /// Read, but not all before them are placed.
    early: BTreeMap<usize, Chunk>,
    /// Number of the chunk that is placed next.
    next: usize,
    /// Placed, not yet summed up.
    placed: Vec<(Chunk, Plan)>,
    free: Vec<Chunk>,
    /// Chunks that there are.
    made: usize,
    /// Workers of threads that went.
    workers: Vec<Worker>,
    /// Threads at work.
    present: usize,
    /// True when one of them failed: its text is never placed, and nothing behind it.
    failed: bool,
}

/// A thread at work, until it goes or fails.
struct Present<'d, 'a> {
    state: &'d Mutex<State<'a>>,
    moved: &'d Condvar,
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

/// Locks what others have for as long as a text takes to be copied at most, which is less than to fall asleep and be
/// woken takes.
fn soon<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    /// Some 30 us.
    const LOOKS: usize = 600;
    for _ in 0..LOOKS {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        early: BTreeMap::new(),
        next: 0,
        placed: Vec::new(),
        free: Vec::new(),
        made: 0,
        workers: Vec::new(),
        present: 0,
        failed: false,
    };
    let threads = rayon::current_num_threads();
    let desk = Desk {
        manner,
        bounds,
        most: 2 * threads + 1,
        source: Mutex::new(Source { lines, number: 0, ended: false, error: None }),
        state: Mutex::new(state),
        moved: Condvar::new(),
        done: Mutex::default(),
    };
    rayon::in_place_scope(|scope| desk.read_all(threads, scope));
    desk.finish()
}

impl<'a, 'l> Desk<'a, 'l> {
    fn state(&self) -> MutexGuard<'_, State<'a>> {
        soon(&self.state)
    }

    /// The input, for this thread alone.
    fn source(&self) -> MutexGuard<'_, Source<'l>> {
        soon(&self.source)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State<'a>>) -> MutexGuard<'g, State<'a>> {
        self.moved.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads all texts, with other threads as soon as there is a second one.
    fn read_all<'s>(&'s self, threads: usize, scope: &rayon::Scope<'s>)
    where
        'a: 's,
        'l: 's,
    {
        let mut called = 1;
        self.read_texts(|| {
            if called < threads {
                called += 1;
                scope.spawn(|_| {
                    if !self.source().ended {
                        self.read_texts(|| ());
                    }
                });
            }
        });
        // Others finish what they have in hand; to wait for them in the scope would be to take up other work.
        let mut state = self.state();
        while state.present > 0 {
            state = self.wait(state);
        }
    }

    /// Takes texts and reads them until the input ends and nothing is left to sum up; tells of each that was taken.
    fn read_texts(&self, mut taken: impl FnMut()) {
        let _present = self.come();
        let mut worker = self.worker();
        while let Some(mut chunk) = self.next_chunk(&mut worker) {
            taken();
            self.read_text(&mut worker, &mut chunk);
            self.place(chunk);
            while let Some((chunk, plan)) = self.placed(|chunk| chunk.home == worker.home) {
                self.sum_up_chunk(&mut worker, chunk, plan);
            }
        }
        while let Some((chunk, plan)) = self.placed(|_| true) {
            self.sum_up_chunk(&mut worker, chunk, plan);
        }
        self.state().workers.push(worker);
    }

    fn come(&self) -> Present<'_, 'a> {
        self.state().present += 1;
        Present { state: &self.state, moved: &self.moved }
    }

    /// What a thread needs to read texts.
    fn worker(&self) -> Worker {
        let parser = KEPT.with_borrow_mut(|kept| kept.parsers.pop()).unwrap_or_else(Parser::new);
        Worker { parser, cells: None, home: rayon::current_thread_index() }
    }

    /// The next text of the input; None at its end, where it cannot be read further, or where another thread failed.
    fn next_chunk(&self, worker: &mut Worker) -> Option<Chunk> {
        let mut chunk = self.free_chunk(worker)?;
        let mut source = self.source();
        let piece = if source.ended { Ok(None) } else { source.lines.piece(&mut chunk.text) };
        let piece = piece.unwrap_or_else(|error| {
            source.error = Some(error);
            None
        });
        let Some(piece) = piece else {
            source.ended = true;
            drop(source);
            self.state().free.push(chunk);
            return None;
        };
        source.ended = matches!(piece, Piece::Cut { .. });
        chunk.number = source.number;
        source.number += 1;
        drop(source);
        chunk.home = worker.home;
        chunk.take(piece);
        Some(chunk)
    }

    /// Room for a text, rather such as this thread had before; sums up what others read where all room is taken. None where
    /// another thread failed.
    fn free_chunk(&self, worker: &mut Worker) -> Option<Chunk> {
        let mut state = self.state();
        loop {
            if state.failed {
                return None;
            }
            let own = state.free.iter().rposition(|chunk| chunk.home == worker.home);
            if let Some(at) = own.or(state.free.len().checked_sub(1)) {
                return Some(state.free.swap_remove(at));
            }
            if state.made < self.most {
                state.made += 1;
                drop(state);
                return Some(KEPT.with_borrow_mut(|kept| kept.chunks.pop()).unwrap_or_default());
            }
            // All room is in the hands of threads that go on, or holds what can be summed up.
            state = match state.placed.pop() {
                Some((chunk, plan)) => {
                    drop(state);
                    self.sum_up_chunk(worker, chunk, plan);
                    self.state()
                }
                None => self.wait(state),
            };
        }
    }

    fn read_text(&self, worker: &mut Worker, chunk: &mut Chunk) {
        if !chunk.read {
            worker.parser.parse(&chunk.text, self.manner.layout, self.manner.plain, &mut chunk.batch);
            chunk.batch.look(&self.bounds);
        }
    }

    /// Places all batches whose turn has come.
    fn place(&self, chunk: Chunk) {
        let mut state = self.state();
        state.early.insert(chunk.number, chunk);
        let State { early, next, placer, placed, free, .. } = &mut *state;
        while let Some(chunk) = early.remove(next) {
            let plan = placer.place(&chunk.batch);
            if plan.is_empty() {
                free.push(chunk);
            } else {
                placed.push((chunk, plan));
            }
            *next += 1;
        }
        drop(state);
        self.moved.notify_all();
    }

    /// A batch that is placed and wanted.
    fn placed(&self, wanted: impl Fn(&Chunk) -> bool) -> Option<(Chunk, Plan)> {
        let mut state = self.state();
        let at = state.placed.iter().position(|(chunk, _)| wanted(chunk))?;
        Some(state.placed.swap_remove(at))
    }

    fn sum_up_chunk(&self, worker: &mut Worker, chunk: Chunk, plan: Plan) {
        self.sum_up(worker, &chunk.batch, plan);
        self.state().free.push(chunk);
        self.moved.notify_all();
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

    fn finish(self) -> io::Result<Streamed> {
        let (plan, overflow) = self.state().placer.finish();
        if !plan.is_empty() {
            let mut worker = self.worker();
            self.sum_up(&mut worker, &Batch::default(), plan);
            self.state().workers.push(worker);
        }
        let mut state = self.state();
        let (chunks, workers) = (std::mem::take(&mut state.free), std::mem::take(&mut state.workers));
        let mut parsers = Vec::new();
        for Worker { parser, cells, .. } in workers {
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
        let source = self.source.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = source.error {
            return Err(error);
        }
        let done = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rows = done.values().map(Cells::rows).sum();
        let segments = done.into_values().filter_map(Cells::finish).collect();
        Ok(Streamed { segments, rows, overflow, defects, nuls })
    }
}

impl Drop for Present<'_, '_> {
    fn drop(&mut self) {
        let mut state = soon(self.state);
        state.present -= 1;
        state.failed |= std::thread::panicking();
        drop(state);
        self.moved.notify_all();
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
