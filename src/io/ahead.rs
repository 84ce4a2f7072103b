//! A reader read by several threads in turn.

use super::buffer::Buffer;
use super::{BUFFER_LEN, fill};
use crate::parallel::{Join, Serial};
use crate::tier::Words;
use crate::tree::Domain;
use crate::{CHUNK_LEN, Hasher};
#[cfg(feature = "rayon")]
use core::convert::Infallible;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::io::{Read, Result};
use std::sync::{Mutex, PoisonError};

/// Reads a block while those before it are hashed by other threads.
///
/// The threads take turns at the reader: each reads a block, and hashes it while the next one reads
/// on. So the reader is read by one thread at a time, from front to back, which suits spinning
/// disks and pipes, and each block is hashed where it was put, in the cache of the thread that has
/// read it. A block is held for each thread, whatever the length of the input.
///
/// Threads are those of the [`Join`] given, as many as it says that it has, and none of them does
/// anything any more when a call returns. One that waits for its turn is not free for other work.
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
    /// With blocks of 512 KiB: long enough that threads seldom wait for each other, short enough for
    /// a second cache.
    ///
    /// ```
    /// assert_eq!(blake3_lanes::io::ReadAhead::new().block_len(), 512 * 1024);
    /// ```
    pub const fn new() -> Self {
        Self {
            block_len: 8 * BUFFER_LEN,
        }
    }

    /// With blocks of so many bytes, rounded up to a power of two of 64 KiB or more.
    ///
    /// ```
    /// use blake3_lanes::io::ReadAhead;
    ///
    /// assert_eq!(ReadAhead::with_block_len(100_000).block_len(), 128 * 1024);
    /// assert_eq!(ReadAhead::with_block_len(0).block_len(), 64 * 1024);
    /// ```
    pub const fn with_block_len(bytes: usize) -> Self {
        let block_len = match bytes.checked_next_power_of_two() {
            Some(len) if len < BUFFER_LEN => BUFFER_LEN,
            Some(len) => len,
            None => 1 << (usize::BITS - 1),
        };
        Self { block_len }
    }

    /// Bytes in a block. One is held for each thread, and one more at first.
    ///
    /// ```
    /// assert_eq!(blake3_lanes::io::ReadAhead::default().block_len(), 512 * 1024);
    /// ```
    pub const fn block_len(&self) -> usize {
        self.block_len
    }

    /// Adds all that a reader gives, from where it stands to its end.
    ///
    /// `progress` is called after every block, in order, and at the end, with the bytes that this
    /// call has added so far. Where it breaks, the call returns what it broke with. What has been
    /// read ahead is added all the same, so that hasher and reader stand at the same byte and may
    /// go on.
    ///
    /// The first block is read by the calling thread, and an input of less than that starts no
    /// other. Later, reader and `progress` may be called on other threads, though never on two at
    /// once.
    ///
    /// # Errors
    ///
    /// The reader's first error, except [`Interrupted`](std::io::ErrorKind::Interrupted), after
    /// which it is asked again. All that was read before an error has been added.
    ///
    /// # Panics
    ///
    /// As [`Hasher::update`], or if the reader, `join` or `progress` does, or if there is no memory
    /// for the blocks. After a panic the hasher holds some of the input: [`reset`](Hasher::reset)
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
        // What was begun before is completed by the first block, so that all others are subtrees.
        let begun = (before % self.block_len as u64) as usize;
        let mut block = Buffer::new(self.block_len - begun);
        let (len, end) = fill(&mut reader, &mut block);
        hasher.update_with_join(join, &block[..len]);
        let ended = end?;
        let told = progress(hasher.count() - before);
        if ended || told.is_break() {
            return Ok(told);
        }
        drop(block);

        let turns = Turns {
            domain: *hasher.tree.domain(),
            block_len: self.block_len,
            first: hasher.tree.position(),
            reader: Mutex::new(Source {
                reader: &mut reader,
                blocks: 0,
                tail: Buffer::default(),
                end: None,
            }),
            sink: Mutex::new(Sink {
                hasher: &mut *hasher,
                before,
                blocks: 0,
                early: BTreeMap::new(),
                progress: &mut progress,
                told: None,
            }),
            stop: AtomicBool::new(false),
        };
        turns.share(join, join.threads());
        let unpoisoned = "a panic would have come back from join";
        let Source { tail, end, .. } = turns.reader.into_inner().expect(unpoisoned);
        let Sink { told, .. } = turns.sink.into_inner().expect(unpoisoned);
        hasher.update_with_join(join, &tail);
        end.unwrap_or(Ok(()))?;
        Ok(match told {
            Some(told) => ControlFlow::Break(told),
            None => progress(hasher.count() - before),
        })
    }
}

impl Default for ReadAhead {
    fn default() -> Self {
        Self::new()
    }
}

/// What the threads share.
struct Turns<'a, R, P, B> {
    domain: Domain,
    block_len: usize,
    /// The chunk with which the first block begins.
    first: u64,
    reader: Mutex<Source<'a, R>>,
    sink: Mutex<Sink<'a, P, B>>,
    /// Whether no more is to be read.
    stop: AtomicBool,
}

/// Where blocks come from.
struct Source<'a, R> {
    reader: &'a mut R,
    /// Whole blocks so far.
    blocks: u64,
    /// What came after the last one.
    tail: Buffer,
    /// How it ended, if it has.
    end: Option<Result<()>>,
}

/// Where they go to.
struct Sink<'a, P, B> {
    hasher: &'a mut Hasher,
    before: u64,
    /// Blocks in the hasher.
    blocks: u64,
    /// Blocks before which others are missing.
    early: BTreeMap<u64, [Words; 2]>,
    progress: &'a mut P,
    told: Option<B>,
}

impl<R, P, B> Turns<'_, R, P, B>
where
    R: Read + Send,
    P: FnMut(u64) -> ControlFlow<B> + Send,
    B: Send,
{
    /// Works on so many threads, if there are as many.
    fn share(&self, join: &impl Join, threads: usize) {
        if threads <= 1 {
            self.work();
        } else {
            let half = threads / 2;
            join.join(
                || self.share(join, threads - half),
                || self.share(join, half),
            );
        }
    }

    fn work(&self) {
        let mut block = Buffer::default();
        let chunks = (self.block_len / CHUNK_LEN) as u64;
        while let Some(number) = self.read(&mut block) {
            let counter = self.first + number * chunks;
            let part = self.domain.top_two(&Serial, &block, counter);
            self.take(number, part, chunks);
        }
    }

    /// Fills a block, and says which it is. None at the end.
    fn read(&self, block: &mut Buffer) -> Option<u64> {
        // After a panic there is nothing to go on with.
        let mut source = self.reader.lock().ok()?;
        let source = &mut *source;
        if source.end.is_some() || self.stop.load(Ordering::Relaxed) {
            return None;
        }
        if block.is_empty() {
            *block = Buffer::new(self.block_len);
        }
        let (len, end) = fill(&mut source.reader, block);
        match end {
            Ok(false) => {
                source.blocks += 1;
                Some(source.blocks - 1)
            }
            end => {
                block.truncate(len);
                source.tail = core::mem::take(block);
                source.end = Some(end.map(drop));
                None
            }
        }
    }

    /// Adds a block to the hasher, or keeps it until those before it are there.
    fn take(&self, number: u64, part: [Words; 2], chunks: u64) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        let sink = &mut *sink;
        sink.early.insert(number, part);
        while let Some(part) = sink.early.remove(&sink.blocks) {
            sink.hasher.tree.push_part(&part, chunks);
            sink.blocks += 1;
            if sink.told.is_none()
                && let ControlFlow::Break(told) = (sink.progress)(sink.hasher.count() - sink.before)
            {
                sink.told = Some(told);
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(feature = "rayon")]
impl Hasher {
    /// Adds all that a reader gives, reading ahead while the threads of a rayon pool hash:
    /// [`ReadAhead::update`] with [`Rayon`](crate::parallel::Rayon), and a block of 512 KiB for
    /// each thread.
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
