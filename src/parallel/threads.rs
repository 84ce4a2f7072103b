//! Threads of the standard library.

use super::Join;
use core::num::NonZero;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic;
use std::thread;

/// [`Join`] by threads that are started for the purpose and have ended when the call returns.
///
/// It never runs more threads at once than asked for, the calling one included, however many calls
/// share it. Starting one takes some tens of microseconds, so that its [`grain`](Join::grain) is
/// 1 MiB: for shorter inputs, or many, a pool is the better choice. Where the system refuses
/// another thread, the calling one does the work.
///
/// ```
/// use blake3_lanes::parallel::{Threads, hash_with_join};
/// use std::num::NonZero;
///
/// let input = vec![7; 5_000_000];
/// let threads = Threads::new(NonZero::new(2).unwrap());
/// assert_eq!(hash_with_join(&threads, &input), blake3_lanes::hash(&input));
/// ```
#[derive(Debug)]
pub struct Threads {
    count: NonZero<usize>,
    helpers: Permits,
}

impl Threads {
    /// Up to so many threads at once, the calling one included.
    ///
    /// ```
    /// use blake3_lanes::parallel::{Join, Threads};
    /// use std::num::NonZero;
    ///
    /// // With one, nothing is ever started.
    /// let this = || std::thread::current().id();
    /// let (a, b) = Threads::new(NonZero::<usize>::MIN).join(this, this);
    /// assert_eq!((a, b), (this(), this()));
    /// ```
    pub fn new(threads: NonZero<usize>) -> Self {
        Self {
            count: threads,
            helpers: Permits::new(threads.get() - 1),
        }
    }
}

impl Join for Threads {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let Some(permit) = self.helpers.take() else {
            return (a(), b());
        };
        // Where no thread can be started, the closure given to it is lost, but not what it borrows.
        let mut b = Some(b);
        let (ra, rb) = thread::scope(|scope| {
            let b = &mut b;
            let run = move || {
                // Given back as soon as the work is done, not when it is joined, so that the other
                // half can use it meanwhile.
                let _permit = permit;
                b.take().map(|b| b())
            };
            let started = thread::Builder::new().spawn_scoped(scope, run);
            let ra = a();
            let rb = started
                .ok()
                .and_then(|b| b.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
            (ra, rb)
        });
        // Run here if no thread has.
        let rb = rb.or_else(|| b.take().map(|b| b()));
        (
            ra,
            rb.unwrap_or_else(|| unreachable!("b has run, there or here")),
        )
    }

    fn grain(&self) -> usize {
        1 << 20
    }

    fn threads(&self) -> usize {
        self.count.get()
    }
}

/// How many more threads may join in.
#[derive(Debug)]
pub(super) struct Permits(AtomicUsize);

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        Self(AtomicUsize::new(count))
    }

    /// How many are not taken.
    #[cfg(feature = "rayon")]
    pub(super) fn free(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn take(&self) -> Option<Permit<'_>> {
        // Only a count: nothing else is read or written by it.
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
            .ok()?;
        Some(Permit(self))
    }
}

/// Given back when dropped.
#[derive(Debug)]
pub(super) struct Permit<'a>(&'a Permits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }
}
