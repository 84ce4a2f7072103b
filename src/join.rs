//! How two halves of a tree are hashed at the same time.

/// Runs two closures, at the same time if it can: what [`rayon::join`] does, for any executor.
///
/// An implementation must run both closures exactly once, and return only when both are done. It
/// may run them one after the other, on any thread. Closures nest: each half of a tree is cut in
/// halves again, until a piece is about [`grain`](Self::grain) bytes or less. Where a closure
/// panics, the panic should reach the caller.
///
/// The results do not depend on the implementation. Only lengths and keys of the halves are known
/// to it, and the time taken; it sees no data.
///
/// ```
/// use blake3_lanes::parallel::{self, Join};
///
/// /// A thread for each half of 1 MiB or more.
/// struct Threads;
///
/// impl Join for Threads {
///     fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
///     where
///         A: FnOnce() -> RA + Send,
///         B: FnOnce() -> RB + Send,
///         RA: Send,
///         RB: Send,
///     {
///         std::thread::scope(|scope| {
///             let b = scope.spawn(b);
///             (a(), b.join().unwrap())
///         })
///     }
///
///     fn grain(&self) -> usize {
///         1 << 20
///     }
/// }
///
/// let input = vec![7; 5_000_000];
/// assert_eq!(parallel::hash_with_join(&Threads, &input), blake3_lanes::hash(&input));
/// ```
///
/// [`rayon::join`]: https://docs.rs/rayon/latest/rayon/fn.join.html
pub trait Join: Sync {
    /// Runs both closures, and returns what they return.
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send;

    /// Runs a closure once on every item, in any order, and returns when all are done.
    ///
    /// Unless overridden, the items are cut in halves for [`join`](Self::join). An executor that is
    /// called from outside does better to let the caller take items too: to hand over all of the
    /// work and sleep costs two more wakings. Where the closure panics, the panic should reach the
    /// caller, and other items may be left out.
    ///
    /// ```
    /// use blake3_lanes::parallel::{Join, Serial};
    ///
    /// let mut numbers = [1, 2, 3];
    /// Serial.for_each(&mut numbers, |number| *number *= 10);
    /// assert_eq!(numbers, [10, 20, 30]);
    /// ```
    fn for_each<T: Send>(&self, items: &mut [T], run: impl Fn(&mut T) + Sync) {
        halves(self, items, &run);
    }

    /// The longest input in bytes that is not worth a second thread: 64 KiB unless overridden,
    /// which suits a pool whose threads wait for work. Starting a thread costs more.
    ///
    /// Values below 64 KiB mean 64 KiB. A single input of less than 128 KiB is never shared; the last
    /// pieces of a longer one may be as short as 16 KiB where this is 64 KiB.
    fn grain(&self) -> usize {
        GRAIN
    }

    /// How many closures may run at the same time, as far as is known: 2 unless overridden.
    ///
    /// Too low a number leaves threads without work where a reader is read ahead, too high a one
    /// holds more memory. Zero means one.
    fn threads(&self) -> usize {
        2
    }
}

/// Runs a closure on every item, in halves of halves.
pub(crate) fn halves<J, T, F>(join: &J, items: &mut [T], run: &F)
where
    J: Join + ?Sized,
    T: Send,
    F: Fn(&mut T) + Sync,
{
    match items {
        [] => {}
        [item] => run(item),
        _ => {
            let (left, right) = items.split_at_mut(items.len().div_ceil(2));
            join.join(|| halves(join, left, run), || halves(join, right, run));
        }
    }
}

/// By reference, for what takes a [`Join`] by value.
impl<J: Join> Join for &J {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        (**self).join(a, b)
    }

    fn for_each<T: Send>(&self, items: &mut [T], run: impl Fn(&mut T) + Sync) {
        (**self).for_each(items, run);
    }

    fn grain(&self) -> usize {
        (**self).grain()
    }
}

/// A worker takes some microseconds to wake, and 64 KiB as many to hash.
pub(crate) const GRAIN: usize = 64 * 1024;

/// [`Join`] on the calling thread alone.
///
/// ```
/// use blake3_lanes::parallel::{Join, Serial};
///
/// assert_eq!(Serial.join(|| 1, || 2), (1, 2));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Join for Serial {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        (a(), b())
    }

    fn grain(&self) -> usize {
        usize::MAX
    }

    fn threads(&self) -> usize {
        1
    }
}
