//! Rayon's pools, and the functions that fan out by themselves.

use super::threads::Permits;
use super::{Join, Serial};
use crate::join::halves;
use crate::tree::Domain;
use crate::{Hash, KEY_LEN, OUT_LEN, Tier};
use core::fmt;
use core::hint;
use core::num::NonZero;
use core::slice;
use core::sync::atomic::{AtomicUsize, Ordering};
use rayon_core::Scope;
use std::sync::{Mutex, PoisonError};

/// Inputs of up to this many bytes stay on the calling thread in [`hash`], [`keyed_hash`] and
/// [`derive_key`]: 256 KiB.
///
/// Measured with AVX2 and two threads of a pool whose workers sleep, as they do where there is a hash
/// now and then: below, to wake one costs about as much as it takes over. Where workers are awake,
/// [`update_rayon`](crate::Hasher::update_rayon) pays from 128 KiB on.
pub const CUT_OFF: usize = 256 * 1024;

/// How often the calling thread looks whether others are done before it sleeps: for some ten
/// microseconds, or two of the shortest pieces of an input.
const LINGER: usize = 1000;

/// Zero for no limit.
static LIMIT: AtomicUsize = AtomicUsize::new(0);

/// Calls of the functions here that are above the cut-off and have not returned.
static IN_FLIGHT: AtomicUsize = AtomicUsize::new(0);

/// Sets how many threads all calls of [`hash`], [`keyed_hash`] and [`derive_key`] in this process
/// may keep busy together, the calling threads included. `None`, which is the default, is no limit
/// but the pool's size.
///
/// A limit of 1 keeps each call on its own thread, and rayon's pool is never started. Calls that
/// are under way keep what they have.
///
/// ```
/// use blake3_lanes::parallel::{hash, set_thread_limit, thread_limit};
/// use std::num::NonZero;
///
/// set_thread_limit(NonZero::new(1));
/// assert_eq!(thread_limit().map(NonZero::get), Some(1));
/// let input = vec![7; 1_000_000];
/// assert_eq!(hash(&input), blake3_lanes::hash(&input));
/// set_thread_limit(None);
/// ```
pub fn set_thread_limit(threads: Option<NonZero<usize>>) {
    LIMIT.store(threads.map_or(0, NonZero::get), Ordering::Relaxed);
}

/// What [`set_thread_limit`] has set.
///
/// ```
/// assert_eq!(blake3_lanes::parallel::thread_limit(), None);
/// ```
pub fn thread_limit() -> Option<NonZero<usize>> {
    NonZero::new(LIMIT.load(Ordering::Relaxed))
}

/// [`hash`](crate::hash()) on several threads, where that is worth it.
///
/// Up to [`CUT_OFF`] bytes this is [`hash`](crate::hash()). Above, it fans out on rayon's pool (the
/// one that the caller runs on, or else the global one, which starts at the first use), as wide as
/// [`set_thread_limit`] and other calls in flight leave room, and stays on the calling thread where
/// they leave none.
///
/// # Panics
///
/// If rayon cannot start its global pool.
///
/// ```
/// let input = vec![7; 1_000_000];
/// assert_eq!(blake3_lanes::parallel::hash(&input), blake3_lanes::hash(&input));
/// ```
pub fn hash(input: &[u8]) -> Hash {
    Hash::from_bytes(root(&Domain::hash(Tier::detect()), input))
}

/// [`keyed_hash`](crate::keyed_hash) on several threads, where that is worth it, as [`hash`]
/// decides it.
///
/// # Panics
///
/// As [`hash`].
///
/// ```
/// let (key, input) = ([7; 32], vec![7; 1_000_000]);
/// let mac = blake3_lanes::parallel::keyed_hash(&key, &input);
/// assert_eq!(mac, blake3_lanes::keyed_hash(&key, &input));
/// ```
pub fn keyed_hash(key: &[u8; KEY_LEN], input: &[u8]) -> Hash {
    Hash::from_bytes(root(&Domain::keyed_hash(Tier::detect(), key), input))
}

/// [`derive_key`](crate::derive_key) on several threads, where that is worth it, as [`hash`]
/// decides it. Only the material is ever long enough.
///
/// # Panics
///
/// As [`hash`].
///
/// ```
/// const CONTEXT: &str = "example.com 2025-11-30 test";
/// let material = vec![7; 1_000_000];
/// let key = blake3_lanes::parallel::derive_key(CONTEXT, &material);
/// assert_eq!(key, blake3_lanes::derive_key(CONTEXT, &material));
/// ```
pub fn derive_key(context: &str, key_material: &[u8]) -> [u8; OUT_LEN] {
    let tier = Tier::detect();
    let context_key = Domain::derive_key_context(tier).root(context.as_bytes());
    root(
        &Domain::derive_key_material(tier, &context_key),
        key_material,
    )
}

fn root(domain: &Domain, input: &[u8]) -> [u8; OUT_LEN] {
    if input.len() <= CUT_OFF {
        return domain.root(input);
    }
    let call = Call::begin();
    match share(
        thread_limit(),
        call.in_flight,
        rayon_core::current_num_threads,
    ) {
        Share::One => domain.root_joined(&Serial, input),
        Share::Some(threads) => domain.root_joined(&Few(Permits::new(threads - 1)), input),
        Share::All => domain.root_joined(&Rayon, input),
    }
}

/// A call that is counted while it lasts.
struct Call {
    /// This one included.
    in_flight: usize,
}

impl Call {
    fn begin() -> Self {
        Self {
            in_flight: IN_FLIGHT.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        IN_FLIGHT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many threads a call may use.
#[derive(Debug, PartialEq, Eq)]
enum Share {
    One,
    Some(usize),
    All,
}

/// An equal share for each call in flight. The pool is not asked, and so not started, where the
/// limit alone decides.
fn share(limit: Option<NonZero<usize>>, in_flight: usize, pool: impl FnOnce() -> usize) -> Share {
    let limit = limit.map_or(usize::MAX, NonZero::get);
    if limit / in_flight <= 1 {
        return Share::One;
    }
    let pool = pool();
    match limit.min(pool) / in_flight {
        0 | 1 => Share::One,
        threads if threads < pool => Share::Some(threads),
        _ => Share::All,
    }
}

/// [`Rayon`] on not more threads at once than there are permits, and one.
struct Few(Permits);

impl Join for Few {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let Some(permit) = self.0.take() else {
            return (a(), b());
        };
        rayon_core::join(a, || {
            let _permit = permit;
            b()
        })
    }

    fn for_each<T: Send>(&self, items: &mut [T], run: impl Fn(&mut T) + Sync) {
        for_each_on_rayon(self, &self.0, items, &run);
    }

    fn threads(&self) -> usize {
        self.0.free() + 1
    }
}

/// [`Join`] by [rayon](https://docs.rs/rayon): on the pool that the caller runs on, or else on the
/// global one, which starts at the first use.
///
/// A caller that is none of the pool's threads works too, and alone where the pool has only one.
///
/// # Panics
///
/// `join` panics if rayon cannot start its global pool.
///
/// ```
/// use blake3_lanes::parallel::{Rayon, hash_with_join};
///
/// let input = vec![7; 1_000_000];
/// assert_eq!(hash_with_join(&Rayon, &input), blake3_lanes::hash(&input));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Rayon;

impl Join for Rayon {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        rayon_core::join(a, b)
    }

    fn for_each<T: Send>(&self, items: &mut [T], run: impl Fn(&mut T) + Sync) {
        for_each_on_rayon(self, &helpers(self.threads()), items, &run);
    }

    fn threads(&self) -> usize {
        rayon_core::current_num_threads()
    }
}

/// How many of a pool's threads help a caller that is none of them: all, since the one that is woken
/// first may be put where the caller runs and have to wait for it; but of one alone, none, since
/// whoever has such a pool wants one thread.
fn helpers(threads: usize) -> Permits {
    Permits::new(if threads > 1 { threads } else { 0 })
}

/// From one of the pool's threads, halves that others may steal; from elsewhere, a queue.
fn for_each_on_rayon<T: Send>(
    join: &impl Join,
    helpers: &Permits,
    items: &mut [T],
    run: &(impl Fn(&mut T) + Sync),
) {
    if rayon_core::current_thread_index().is_some() {
        halves(join, items, run);
    } else {
        let queue = Queue::new(items, run, helpers);
        rayon_core::in_place_scope(|scope| queue.run(scope));
    }
}

/// Items that several threads take, one at a time.
struct Queue<'a, T, F> {
    items: Mutex<slice::IterMut<'a, T>>,
    run: &'a F,
    helpers: &'a Permits,
}

impl<'a, T: Send, F: Fn(&mut T) + Sync> Queue<'a, T, F> {
    fn new(items: &'a mut [T], run: &'a F, helpers: &'a Permits) -> Self {
        Self {
            items: Mutex::new(items.iter_mut()),
            run,
            helpers,
        }
    }

    /// What the calling thread does within the scope.
    fn run<'scope>(&'scope self, scope: &Scope<'scope>) {
        let helpers = self.helpers.free();
        self.drain(scope);
        // Others may be at their last item, which takes less than to sleep and be woken.
        for _ in 0..LINGER {
            if self.helpers.free() == helpers {
                break;
            }
            hint::spin_loop();
        }
    }

    /// The next item, and whether there are more.
    fn next(&self) -> Option<(&'a mut T, bool)> {
        // Nothing panics while it is locked.
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        let item = items.next()?;
        Some((item, items.len() > 0))
    }

    /// Takes items until there are none. With each, one more thread is woken, so that each wakes
    /// others in turn.
    fn drain<'scope>(&'scope self, scope: &Scope<'scope>) {
        while let Some((item, more)) = self.next() {
            if more && let Some(permit) = self.helpers.take() {
                scope.spawn(move |scope| {
                    let _permit = permit;
                    self.drain(scope);
                });
            }
            (self.run)(item);
        }
    }
}

/// A pool of one's own, whose threads wait for work until it is dropped.
///
/// It is a [`Join`]; calls from its own threads stay on it, so that it nests. A calling thread that
/// is none of them works too, and alone where the pool has only one. The threads may still be ending
/// when a drop returns.
///
/// ```
/// use blake3_lanes::Hasher;
/// use blake3_lanes::parallel::{Pool, hash_with_join};
/// use std::num::NonZero;
///
/// let pool = Pool::new(NonZero::new(2).unwrap())?;
/// let input = vec![7; 1_000_000];
/// assert_eq!(hash_with_join(&pool, &input), blake3_lanes::hash(&input));
///
/// let mut hasher = Hasher::new();
/// hasher.update_with_join(&pool, &input);
/// assert_eq!(hasher.finalize(), blake3_lanes::hash(&input));
/// # Ok::<(), blake3_lanes::parallel::PoolError>(())
/// ```
#[derive(Debug)]
pub struct Pool {
    pool: rayon_core::ThreadPool,
}

impl Pool {
    /// Starts so many threads.
    ///
    /// # Errors
    ///
    /// If the system refuses to.
    ///
    /// ```
    /// use std::num::NonZero;
    ///
    /// use blake3_lanes::parallel::{Join, Pool};
    ///
    /// let pool = Pool::new(NonZero::new(3).unwrap())?;
    /// assert_eq!(pool.threads(), 3);
    /// # Ok::<(), blake3_lanes::parallel::PoolError>(())
    /// ```
    pub fn new(threads: NonZero<usize>) -> Result<Self, PoolError> {
        let pool = rayon_core::ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .thread_name(|index| std::format!("blake3-lanes-{index}"))
            .build();
        match pool {
            Ok(pool) => Ok(Self { pool }),
            Err(error) => Err(PoolError(error)),
        }
    }

    /// Runs a closure on one of its threads, and waits for it. What the closure does by [`Rayon`]
    /// or [`update_rayon`](crate::Hasher::update_rayon) is then done by this pool.
    ///
    /// # Panics
    ///
    /// If the closure does.
    ///
    /// ```
    /// use std::num::NonZero;
    ///
    /// let pool = blake3_lanes::parallel::Pool::new(NonZero::new(2).unwrap())?;
    /// let input = vec![7; 1_000_000];
    /// let hash = pool.install(|| {
    ///     let mut hasher = blake3_lanes::Hasher::new();
    ///     hasher.update_rayon(&input).finalize()
    /// });
    /// assert_eq!(hash, blake3_lanes::hash(&input));
    /// # Ok::<(), blake3_lanes::parallel::PoolError>(())
    /// ```
    pub fn install<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        self.pool.install(run)
    }
}

impl Join for Pool {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.pool.join(a, b)
    }

    fn for_each<T: Send>(&self, items: &mut [T], run: impl Fn(&mut T) + Sync) {
        if self.pool.current_thread_index().is_some() {
            halves(self, items, &run);
        } else {
            let helpers = helpers(self.threads());
            let queue = Queue::new(items, &run, &helpers);
            self.pool.in_place_scope(|scope| queue.run(scope));
        }
    }

    fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

/// Why a [`Pool`] could not be started.
#[derive(Debug)]
pub struct PoolError(rayon_core::ThreadPoolBuildError);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the threads of a pool could not be started: {}", self.0)
    }
}

impl core::error::Error for PoolError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A limit is kept wherever the call comes from.
    #[test]
    fn few_are_few() {
        for inside in [false, true] {
            for helpers in 0..3 {
                let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let mut items = [0; 50];
                let few = Few(Permits::new(helpers));
                let mut call = || {
                    few.for_each(&mut items, |item| {
                        most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                        std::thread::sleep(std::time::Duration::from_micros(500));
                        *item += 1;
                        now.fetch_sub(1, Ordering::Relaxed);
                    });
                };
                if inside {
                    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(4).build();
                    pool.unwrap().install(call);
                } else {
                    call();
                }
                assert_eq!(items, [1; 50]);
                assert!(most.into_inner() <= helpers + 1);
            }
        }
    }

    #[test]
    fn shares_are_equal_and_never_above_a_limit() {
        let limit = NonZero::new;
        assert_eq!(share(None, 1, || 8), Share::All);
        assert_eq!(share(None, 1, || 1), Share::One);
        assert_eq!(share(None, 2, || 8), Share::Some(4));
        assert_eq!(share(None, 8, || 8), Share::One);
        assert_eq!(share(None, 100, || 8), Share::One);
        assert_eq!(share(limit(8), 1, || 8), Share::All);
        assert_eq!(share(limit(9), 1, || 8), Share::All);
        assert_eq!(share(limit(5), 1, || 8), Share::Some(5));
        assert_eq!(share(limit(5), 2, || 8), Share::Some(2));
        assert_eq!(share(limit(5), 3, || 8), Share::One);
        assert_eq!(share(limit(1), 1, || unreachable!("not asked")), Share::One);
        assert_eq!(share(limit(3), 2, || unreachable!("not asked")), Share::One);
    }
}
