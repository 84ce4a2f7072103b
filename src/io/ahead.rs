//! A reader read ahead.

use super::{BUFFER_LEN, fill};
use crate::Hasher;
use crate::parallel::Join;
#[cfg(feature = "rayon")]
use core::convert::Infallible;
use core::ops::ControlFlow;
use std::io::{Read, Result};
use std::vec;

/// Reads a block while the one before it is hashed by several threads.
///
/// The reader is read by one thread at a time, from front to back, so that neither a spinning disk
/// nor a pipe minds. Two blocks are held, whatever the length of the input. Threads are those of
/// the [`Join`] given, and none of them does anything any more when a call returns.
///
/// ```
/// use blake3_lanes::io::ReadAhead;
/// use blake3_lanes::parallel::Threads;
/// use std::num::NonZero;
/// use std::ops::ControlFlow;
///
/// let input = vec![7; 5_000_000];
/// let threads = Threads::new(NonZero::new(2).unwrap());
/// let mut hasher = blake3_lanes::Hasher::new();
/// let mut calls = 0;
/// let done = ReadAhead::new().update(&mut hasher, &threads, &input[..], |_bytes| {
///     calls += 1;
///     ControlFlow::<()>::Continue(())
/// })?;
/// assert!(done.is_continue() && calls > 1);
/// assert_eq!(hasher.finalize(), blake3_lanes::hash(&input));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReadAhead {
    block_len: usize,
}

impl ReadAhead {
    /// With blocks of 1 MiB: enough work for a dozen threads or so, and both blocks stay in most
    /// processors' caches.
    ///
    /// ```
    /// assert_eq!(blake3_lanes::io::ReadAhead::new().block_len(), 1 << 20);
    /// ```
    pub const fn new() -> Self {
        Self { block_len: 1 << 20 }
    }

    /// With blocks of so many bytes, rounded up to a multiple of 64 KiB. More threads want longer
    /// blocks: 64 KiB is what one takes at a time.
    ///
    /// ```
    /// use blake3_lanes::io::ReadAhead;
    ///
    /// assert_eq!(ReadAhead::with_block_len(100_000).block_len(), 128 * 1024);
    /// assert_eq!(ReadAhead::with_block_len(0).block_len(), 64 * 1024);
    /// ```
    pub const fn with_block_len(bytes: usize) -> Self {
        // The last multiple of 64 KiB, where there is none above.
        let block_len = match bytes.checked_next_multiple_of(BUFFER_LEN) {
            Some(0) => BUFFER_LEN,
            Some(len) => len,
            None => usize::MAX - (BUFFER_LEN - 1),
        };
        Self { block_len }
    }

    /// Bytes in a block. Two of them are held.
    ///
    /// ```
    /// assert_eq!(blake3_lanes::io::ReadAhead::default().block_len(), 1 << 20);
    /// ```
    pub const fn block_len(&self) -> usize {
        self.block_len
    }

    /// Adds all that a reader gives, from where it stands to its end.
    ///
    /// `progress` is called after every block, and at the end, with the bytes that this call has
    /// added so far. Where it breaks, the call returns what it broke with. What has been read ahead
    /// is added all the same, so that hasher and reader stand at the same byte and may go on.
    ///
    /// An input of less than a block is read by the calling thread. Otherwise reader and `progress`
    /// may be called on another thread, though never on two at once.
    ///
    /// # Errors
    ///
    /// The reader's first error, except [`Interrupted`](std::io::ErrorKind::Interrupted), after
    /// which it is asked again. All that was read before an error has been added.
    ///
    /// # Panics
    ///
    /// As [`Hasher::update`], or if the reader, `join` or `progress` does, or if there is no memory
    /// for two blocks. After a panic the hasher holds some of the input: [`reset`](Hasher::reset)
    /// it.
    ///
    /// ```
    /// use blake3_lanes::io::ReadAhead;
    /// use blake3_lanes::parallel::Serial;
    /// use std::ops::ControlFlow;
    ///
    /// let input = vec![7; 5_000_000];
    /// let mut reader = &input[..];
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// let done = ReadAhead::new().update(&mut hasher, &Serial, &mut reader, |bytes| {
    ///     ControlFlow::Break(bytes)
    /// })?;
    /// assert!(done.is_break());
    /// let read = input.len() - reader.len();
    /// assert_eq!(hasher.count(), read as u64);
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(&input[..read]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn update<B: Send>(
        &self,
        hasher: &mut Hasher,
        join: &impl Join,
        mut reader: impl Read + Send,
        mut progress: impl FnMut(u64) -> ControlFlow<B> + Send,
    ) -> Result<ControlFlow<B>> {
        let before = hasher.count();
        // What was begun before is completed by the first block, so that all others begin where
        // subtrees do.
        let begun = (before % BUFFER_LEN as u64) as usize;
        let mut block = vec![0; self.block_len];
        let (len, end) = fill(&mut reader, &mut block[begun..]);
        if !matches!(end, Ok(false)) {
            hasher.update_with_join(join, &block[begun..begun + len]);
            return end.map(|_| progress(hasher.count() - before));
        }
        // The second block, while `block` holds the first, and so in turn.
        let mut other = vec![0; self.block_len];
        let run = || {
            let mut range = begun..begun + len;
            loop {
                let hash = || {
                    hasher.update_with_join(join, &block[range]);
                };
                let (read, ()) = join.join(|| fill(&mut reader, &mut other), hash);
                core::mem::swap(&mut block, &mut other);
                let (len, end) = read;
                range = 0..len;
                // The last block is told of when it is hashed.
                let told = match end {
                    Ok(false) => progress(hasher.count() - before),
                    _ => ControlFlow::Continue(()),
                };
                if told.is_continue() && matches!(end, Ok(false)) {
                    continue;
                }
                hasher.update_with_join(join, &block[range]);
                let end = end?;
                if end {
                    return Ok(progress(hasher.count() - before));
                }
                return Ok(told);
            }
        };
        // All of it on the executor's threads, to which each round would otherwise have to be
        // handed anew.
        join.join(run, || ()).0
    }
}

impl Default for ReadAhead {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "rayon")]
impl Hasher {
    /// Adds all that a reader gives, reading ahead while the threads of a rayon pool hash:
    /// [`ReadAhead::update`] with [`Rayon`](crate::parallel::Rayon), and blocks of 1 MiB.
    ///
    /// # Errors
    ///
    /// The reader's first error, except [`Interrupted`](std::io::ErrorKind::Interrupted), after
    /// which it is asked again. All that was read before an error has been added.
    ///
    /// # Panics
    ///
    /// As [`ReadAhead::update`], or if rayon cannot start its global pool.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let file = std::fs::File::open("Cargo.toml")?;
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update_reader_rayon(file)?;
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(&std::fs::read("Cargo.toml")?));
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_reader_rayon(&mut self, reader: impl Read + Send) -> Result<&mut Self> {
        let go_on = |_| ControlFlow::<Infallible>::Continue(());
        let join = &crate::parallel::Rayon;
        match ReadAhead::new().update(self, join, reader, go_on)? {
            ControlFlow::Continue(()) => Ok(self),
            ControlFlow::Break(never) => match never {},
        }
    }
}
