//! Threads: none before there is work for them, and results in the order of the work.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// Results that are handed over together: to wake the printing thread for each of many small files costs more than to
/// hash them.
const TOGETHER: usize = 64;
/// How long a result waits for others.
const PATIENCE: Duration = Duration::from_millis(10);

/// Threads that start when they are first needed.
#[derive(Debug)]
pub(crate) struct Threads {
    count: usize,
    pool: OnceLock<Option<ThreadPool>>,
}

impl Threads {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            count,
            pool: OnceLock::new(),
        }
    }

    /// None where one thread is all that is wanted, or that the system gives.
    pub(crate) fn pool(&self) -> Option<&ThreadPool> {
        let start = || {
            ThreadPoolBuilder::new()
                .num_threads(self.count)
                .build()
                .ok()
        };
        if self.count <= 1 {
            return None;
        }
        self.pool.get_or_init(start).as_ref()
    }

    fn pool_for(&self, several: bool) -> Option<&ThreadPool> {
        if several { self.pool() } else { None }
    }

    /// Does all work that `source` gives, several pieces at a time where `at_once`, and hands the results to `take` in
    /// order, on this thread. `idle` is called before waiting. Returns what `take` broke with.
    ///
    /// Each thread of the pool takes a piece of work when it has none. A long piece may be cut by its thread, and those
    /// that find no more work help with it: so one long file keeps all busy, and so do many short ones.
    pub(crate) fn in_order<W: Send, R: Send, B>(
        &self,
        at_once: bool,
        mut source: impl Iterator<Item = W> + Send,
        work: impl Fn(W) -> R + Sync,
        mut take: impl FnMut(R) -> ControlFlow<B>,
        mut idle: impl FnMut() -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        // One piece of work needs no pool to be handed out.
        let head: Vec<W> = source.by_ref().take(2).collect();
        let several = head.len() == 2;
        let mut source = head.into_iter().chain(source);
        let Some(pool) = self.pool_for(at_once && several) else {
            for piece in source {
                take(work(piece))?;
                idle()?;
            }
            return idle();
        };
        let queue = Queue {
            source: Mutex::new((0, &mut source)),
            done: Mutex::new(Done {
                results: BTreeMap::new(),
                workers: pool.current_num_threads(),
            }),
            news: Condvar::new(),
            stop: AtomicBool::new(false),
        };
        pool.in_place_scope(|scope| {
            scope.spawn_broadcast(|_, _| queue.run(&work));
            let result = queue.take_all(&mut take, &mut idle);
            queue.stop.store(true, Ordering::Relaxed);
            result
        })
    }
}

struct Queue<'a, S, R> {
    /// The number of the next piece of work, and where it comes from.
    source: Mutex<(u64, &'a mut S)>,
    done: Mutex<Done<R>>,
    news: Condvar,
    stop: AtomicBool,
}

struct Done<R> {
    results: BTreeMap<u64, R>,
    /// Those that still work.
    workers: usize,
}

/// A panic elsewhere leaves nothing half done here, and comes back by itself.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: Iterator, R> Queue<'_, S, R> {
    fn run(&self, work: impl Fn(S::Item) -> R) {
        struct Leave<'a, R>(&'a Mutex<Done<R>>, &'a Condvar);

        // Even where the work panics, since the printing thread waits.
        impl<R> Drop for Leave<'_, R> {
            fn drop(&mut self) {
                lock(self.0).workers -= 1;
                self.1.notify_one();
            }
        }

        let _leave = Leave(&self.done, &self.news);
        while !self.stop.load(Ordering::Relaxed) {
            let (number, piece) = {
                let mut source = lock(&self.source);
                let Some(piece) = source.1.next() else {
                    return;
                };
                let number = source.0;
                source.0 += 1;
                (number, piece)
            };
            let result = work(piece);
            let mut done = lock(&self.done);
            done.results.insert(number, result);
            let many = done.results.len() >= TOGETHER;
            drop(done);
            if many {
                self.news.notify_one();
            }
        }
    }

    fn take_all<B>(
        &self,
        mut take: impl FnMut(R) -> ControlFlow<B>,
        mut idle: impl FnMut() -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut next = 0;
        let mut ready = Vec::new();
        loop {
            let mut done = lock(&self.done);
            while let Some(result) = done.results.remove(&next) {
                ready.push(result);
                next += 1;
            }
            let finished = done.workers == 0;
            if ready.is_empty() && !finished {
                let waited = self.news.wait_timeout(done, PATIENCE);
                drop(waited.map_err(PoisonError::into_inner));
                continue;
            }
            drop(done);
            if ready.is_empty() {
                return idle();
            }
            for result in ready.drain(..) {
                take(result)?;
            }
            idle()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        for count in [1, 2, 5] {
            let threads = Threads::new(count);
            for len in [0, 1, 2, 3, 1000] {
                for at_once in [false, true] {
                    let mut taken = Vec::new();
                    let end = threads.in_order(
                        at_once,
                        0..len,
                        |n| {
                            // The earlier ones take longer.
                            for _ in 0..1000 - n {
                                std::hint::spin_loop();
                            }
                            n * 2
                        },
                        |n| {
                            taken.push(n);
                            ControlFlow::<()>::Continue(())
                        },
                        || ControlFlow::Continue(()),
                    );
                    assert_eq!(end, ControlFlow::Continue(()));
                    assert_eq!(taken, (0..len).map(|n| n * 2).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn a_break_ends_the_work() {
        let threads = Threads::new(3);
        let mut taken = 0;
        let end = threads.in_order(
            true,
            0..,
            |n| n,
            |n| {
                taken += 1;
                if n == 10 {
                    ControlFlow::Break("ten")
                } else {
                    ControlFlow::Continue(())
                }
            },
            || ControlFlow::Continue(()),
        );
        assert_eq!((end, taken), (ControlFlow::Break("ten"), 11));
    }
}
