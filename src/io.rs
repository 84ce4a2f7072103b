//! Readers, writers and files.
//!
//! | wanted | call |
//! |---|---|
//! | a reader, on this thread | [`Hasher::update_reader`] |
//! | the same, with progress and a way out | [`Hasher::update_reader_with`] |
//! | a reader read ahead, and hashed on several threads | [`ReadAhead`], `Hasher::update_reader_rayon` (feature `rayon`) |
//! | a file as a memory map | `Hasher::update_mmap`, `update_mmap_rayon` (feature `mmap`; mind its danger) |
//! | an asynchronous reader | `Hasher::update_async_reader` (feature `tokio`) |
//! | to hash what is read or written anyway | [`HashReader`], [`HashWriter`] |
//!
//! All but the maps read from front to back, whatever a file says of its length: what is hashed is
//! what the reader gives until it says that it is at its end. That suits pipes, devices, files in
//! `/proc`, files that grow or shrink meanwhile, and spinning disks. Memory is bounded by the
//! buffers, whose size each of them states.
//!
//! After an error the hasher holds all that was read before it, so that
//! [`count`](Hasher::count) says how much that is; a reader that can go on can be given again.
//! Buffers are not wiped.

mod adapters;
mod ahead;
mod buffer;
#[cfg(feature = "mmap")]
mod mmap;
#[cfg(feature = "tokio")]
mod tokio;

pub use adapters::{HashReader, HashWriter};
pub use ahead::ReadAhead;

use crate::{CHUNK_LEN, Hasher};
use buffer::Aligned;
use core::convert::Infallible;
use core::ops::ControlFlow;
use std::io::{ErrorKind, Read, Result};

/// What is read at a time by those who do not read ahead: several passes of the widest kernel, so
/// that parents come at full width too.
const BUFFER_LEN: usize = 64 * CHUNK_LEN;

impl Hasher {
    /// Adds all that a reader gives, from where it stands to its end.
    ///
    /// Faster than [`std::io::copy`], whose buffer is too small for the wide tiers: this one, on
    /// the call stack, holds 64 KiB, and is filled before it is hashed, however little the reader
    /// gives at a time.
    ///
    /// # Errors
    ///
    /// The reader's first error, except [`Interrupted`](ErrorKind::Interrupted), after which it is
    /// asked again. All that was read before an error has been added, and [`count`](Self::count)
    /// says how much, so that one can go on.
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update), or if the reader does.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let file = std::fs::File::open("Cargo.toml")?;
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update_reader(file)?;
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(&std::fs::read("Cargo.toml")?));
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_reader(&mut self, reader: impl Read) -> Result<&mut Self> {
        let done = self.update_reader_with(reader, |_| ControlFlow::<Infallible>::Continue(()))?;
        match done {
            ControlFlow::Continue(()) => Ok(self),
            ControlFlow::Break(never) => match never {},
        }
    }

    /// [`update_reader`](Self::update_reader) that tells how far it has come, and can be stopped.
    ///
    /// `progress` is called after every 64 KiB, and at the end, with the bytes that this call has
    /// added so far. Where it breaks, the call returns what it broke with: the hasher then holds
    /// all that was read, and may go on.
    ///
    /// # Errors
    ///
    /// As [`update_reader`](Self::update_reader).
    ///
    /// # Panics
    ///
    /// As [`update_reader`](Self::update_reader), or if `progress` does.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// let input = [7; 200_000];
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// let done = hasher.update_reader_with(&input[..], |bytes| {
    ///     if bytes > 100_000 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    /// })?;
    /// assert_eq!(done, ControlFlow::Break("enough"));
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(&input[..hasher.count() as usize]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn update_reader_with<B>(
        &mut self,
        mut reader: impl Read,
        mut progress: impl FnMut(u64) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let Aligned(buffer) = &mut Aligned([0; BUFFER_LEN]);
        let before = self.count();
        loop {
            // What was begun before is completed by the first round, so that the later ones have
            // whole chunks.
            let begun = (self.count() % BUFFER_LEN as u64) as usize;
            let (len, end) = fill(&mut reader, &mut buffer[begun..]);
            self.update(&buffer[begun..begun + len]);
            let end = end?;
            let told = progress(self.count() - before);
            if end || told.is_break() {
                return Ok(told);
            }
        }
    }
}

/// Reads until the buffer is full or the reader at its end, and says how many bytes that gave, and
/// whether it is.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> (usize, Result<bool>) {
    let mut len = 0;
    while len < buffer.len() {
        match reader.read(&mut buffer[len..]) {
            Ok(0) => return (len, Ok(true)),
            // A reader that claims more than it was asked for is wrong, but safe code.
            Ok(n) => len = buffer.len().min(len.saturating_add(n)),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (len, Err(error)),
        }
    }
    (len, Ok(false))
}
