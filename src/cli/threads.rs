//! The threads of a command.
//!
//! In: how many are wanted. Out: work done by them. They are started by the first work that comes, so that a command
//! which finds nothing to do starts none; the thread that asks is one of them.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// Threads that are started when they are needed.
pub(super) struct Threads {
    /// 0 for as many as there are processors.
    wanted: usize,
    /// None where the system gives no threads.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Threads {
    /// So many; None for as many as there are processors.
    pub(super) fn new(wanted: Option<usize>) -> Self {
        Threads { wanted: wanted.unwrap_or(0), pool: OnceLock::new() }
    }

    fn pool(&self) -> Option<&ThreadPool> {
        let builder = ThreadPoolBuilder::new().num_threads(self.wanted).use_current_thread();
        self.pool.get_or_init(|| builder.build().ok()).as_ref()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.pool().map_or(1, ThreadPool::current_num_threads)
    }

    /// Does work that is shared among them.
    pub(super) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self.pool() {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
