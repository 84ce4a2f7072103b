//! Extended output.

use crate::BLOCK_LEN;
use crate::parallel::Join;
use crate::tree::Node;
use core::fmt;
#[cfg(feature = "std")]
use std::io;

/// Output of any length, and at any position: 2^64 - 1 bytes of it.
///
/// Made by [`Hasher::finalize_xof`](crate::Hasher::finalize_xof). The first 32 bytes are the
/// [`Hash`](struct@crate::Hash); shorter outputs are prefixes of longer ones. Implements
/// [`Read`](std::io::Read), which always fills the buffer (so never read it to the end), and
/// [`Seek`](std::io::Seek).
///
/// Each 64 bytes of output cost one compression, and long pieces use all the tier's lanes. The last
/// block is kept, so that reading a few bytes at a time costs no more compressions.
///
/// The reader holds what determines the output: it is as secret as that. The feature `zeroize` wipes
/// it when it is dropped. The time taken depends on
/// position and lengths alone. The *position* is no secret: whoever knows the input (and the key)
/// can tell it from the output. See section 2.6 of the BLAKE3 paper.
///
/// # The end
///
/// The position is a `u64`, and BLAKE3 defines no output beyond byte 2^64 - 2. Reading on does not
/// panic and does not repeat earlier output: bytes continue as the block counter does, as they do
/// in the official implementation, while [`position`](Self::position) stays at `u64::MAX`.
///
/// ```
/// let mut reader = blake3_lanes::Hasher::new().update(b"abc").finalize_xof();
/// let mut bytes = [0; 100];
/// reader.fill(&mut bytes);
/// assert_eq!(blake3_lanes::hash(b"abc"), bytes[..32]);
///
/// let mut again = [0; 10];
/// reader.set_position(90);
/// reader.fill(&mut again);
/// assert_eq!(again, bytes[90..]);
/// ```
#[derive(Clone)]
pub struct OutputReader {
    root: Node,
    /// The block at the position. It has 6 bits more than a position needs, which is why reading
    /// past the end is harmless.
    counter: u64,
    /// Bytes of it that lie behind the position, less than 64.
    used: u8,
    /// Whether `block` holds it.
    ready: bool,
    block: [u8; BLOCK_LEN],
}

impl OutputReader {
    #[inline]
    pub(crate) fn new(root: Node) -> Self {
        Self {
            root,
            counter: 0,
            used: 0,
            ready: false,
            block: [0; BLOCK_LEN],
        }
    }

    /// Fills the buffer with output, and advances the position by its length.
    ///
    /// Never fails. For speed read much at once, preferably a multiple of 64 bytes from a position
    /// that is one.
    ///
    /// ```
    /// let mut reader = blake3_lanes::Hasher::new().finalize_xof();
    /// let mut key = [0; 64];
    /// reader.fill(&mut key);
    /// assert_eq!(reader.position(), 64);
    /// ```
    pub fn fill(&mut self, mut buf: &mut [u8]) {
        if self.used > 0 {
            buf = self.fill_from_block(buf);
        }
        let (blocks, tail) = buf.as_chunks_mut();
        if !blocks.is_empty() {
            self.root.root_blocks(self.counter, blocks);
            self.advance(blocks.len() as u64);
        }
        self.fill_from_block(tail);
    }

    /// [`fill`](Self::fill) by several threads: the buffer is cut in halves, and the halves are joined
    /// by `join`, down to [`grain`](Join::grain) bytes.
    ///
    /// # Panics
    ///
    /// If `join` does.
    ///
    /// ```
    /// use blake3_lanes::Hasher;
    /// use blake3_lanes::parallel::Serial;
    ///
    /// let mut reader = Hasher::new().finalize_xof();
    /// let (mut bytes, mut same) = (vec![0; 100_000], vec![0; 100_000]);
    /// reader.clone().fill(&mut same);
    /// reader.fill_with_join(&Serial, &mut bytes);
    /// assert!(bytes == same && reader.position() == 100_000);
    /// ```
    pub fn fill_with_join(&mut self, join: &impl Join, mut buf: &mut [u8]) {
        if self.used > 0 {
            buf = self.fill_from_block(buf);
        }
        let (blocks, tail) = buf.as_chunks_mut();
        self.root.root_blocks_joined(join, self.counter, blocks);
        if !blocks.is_empty() {
            self.advance(blocks.len() as u64);
        }
        self.fill_from_block(tail);
    }

    /// [`fill`](Self::fill) on the rayon pool that the caller runs on, or else on the global one:
    /// [`fill_with_join`](Self::fill_with_join) with [`Rayon`](crate::parallel::Rayon).
    ///
    /// # Panics
    ///
    /// If rayon cannot start its global pool.
    ///
    /// ```
    /// let mut bytes = vec![0; 1_000_000];
    /// blake3_lanes::Hasher::new().finalize_xof().fill_rayon(&mut bytes);
    /// assert_eq!(blake3_lanes::hash(b""), bytes[..32]);
    /// ```
    #[cfg(feature = "rayon")]
    pub fn fill_rayon(&mut self, buf: &mut [u8]) {
        self.fill_with_join(&crate::parallel::Rayon, buf);
    }

    /// Fills the buffer with the output from that position on, in bytes. Where the reader stands does
    /// not matter, and it does not move, so that threads can share it.
    ///
    /// Never fails; beyond position 2^64 - 2 as [`fill`](Self::fill) does.
    ///
    /// ```
    /// let reader = blake3_lanes::Hasher::new().finalize_xof();
    /// let (mut all, mut part) = ([0; 300], [0; 100]);
    /// reader.fill_at(0, &mut all);
    /// reader.fill_at(123, &mut part);
    /// assert_eq!(part, all[123..223]);
    /// assert_eq!(reader.position(), 0);
    /// ```
    pub fn fill_at(&self, position: u64, buf: &mut [u8]) {
        let mut counter = position / BLOCK_LEN as u64;
        let used = (position % BLOCK_LEN as u64) as usize;
        let head_len = if used > 0 { BLOCK_LEN - used } else { 0 };
        let (head, rest) = buf.split_at_mut(head_len.min(buf.len()));
        if !head.is_empty() {
            head.copy_from_slice(&self.block_at(counter)[used..used + head.len()]);
            counter = counter.wrapping_add(1);
        }
        let (blocks, tail) = rest.as_chunks_mut();
        if !blocks.is_empty() {
            self.root.root_blocks(counter, blocks);
        }
        if !tail.is_empty() {
            let counter = counter.wrapping_add(blocks.len() as u64);
            tail.copy_from_slice(&self.block_at(counter)[..tail.len()]);
        }
    }

    /// A block, from the buffer if it is the one there.
    fn block_at(&self, counter: u64) -> [u8; BLOCK_LEN] {
        if self.ready && counter == self.counter {
            return self.block;
        }
        let mut block = [0; BLOCK_LEN];
        self.root
            .root_blocks(counter, core::slice::from_mut(&mut block));
        block
    }

    /// Fills as much of the buffer as one block serves, and returns the rest.
    fn fill_from_block<'a>(&mut self, buf: &'a mut [u8]) -> &'a mut [u8] {
        let used = usize::from(self.used);
        let len = buf.len().min(BLOCK_LEN - used);
        let (head, rest) = buf.split_at_mut(len);
        if head.is_empty() {
            return rest;
        }
        if !self.ready {
            let block = core::slice::from_mut(&mut self.block);
            self.root.root_blocks(self.counter, block);
            self.ready = true;
        }
        head.copy_from_slice(&self.block[used..used + len]);
        if used + len == BLOCK_LEN {
            self.used = 0;
            self.advance(1);
        } else {
            self.used += len as u8;
        }
        rest
    }

    fn advance(&mut self, blocks: u64) {
        self.counter = self.counter.wrapping_add(blocks);
        self.ready = false;
    }

    /// Bytes between the start of the output and the byte read next; `u64::MAX` past the end of
    /// what BLAKE3 defines.
    ///
    /// ```
    /// let mut reader = blake3_lanes::Hasher::new().finalize_xof();
    /// assert_eq!(reader.position(), 0);
    /// reader.set_position(u64::MAX);
    /// reader.fill(&mut [0; 100]);
    /// assert_eq!(reader.position(), u64::MAX);
    /// ```
    pub fn position(&self) -> u64 {
        let blocks = self.counter.saturating_mul(BLOCK_LEN as u64);
        blocks.saturating_add(u64::from(self.used))
    }

    /// Moves to a position, in bytes from the start of the output. Takes constant time, wherever it
    /// is.
    ///
    /// ```
    /// let mut reader = blake3_lanes::Hasher::new().finalize_xof();
    /// reader.set_position(1 << 40);
    /// reader.fill(&mut [0; 10]);
    /// assert_eq!(reader.position(), (1 << 40) + 10);
    /// ```
    pub fn set_position(&mut self, position: u64) {
        let counter = position / BLOCK_LEN as u64;
        self.ready &= counter == self.counter;
        self.counter = counter;
        self.used = (position % BLOCK_LEN as u64) as u8;
    }
}

/// Prints the position only: the rest may be secret.
impl fmt::Debug for OutputReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputReader")
            .field("position", &self.position())
            .finish_non_exhaustive()
    }
}

/// Always fills the buffer, and never fails: there is no end to reach, so `read_to_end` and
/// `io::copy` do not return unless [`take`](io::Read::take) limits them.
#[cfg(feature = "std")]
impl io::Read for OutputReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.fill(buf);
        Ok(buf.len())
    }

    fn read_exact(&mut self, buf: &mut [u8]) -> io::Result<()> {
        self.fill(buf);
        Ok(())
    }
}

/// Seeking from the end, or to before the start, is an error of kind
/// [`InvalidInput`](io::ErrorKind::InvalidInput), and leaves the position as it was. Seeking past
/// `u64::MAX` stops there.
#[cfg(feature = "std")]
impl io::Seek for OutputReader {
    fn seek(&mut self, pos: io::SeekFrom) -> io::Result<u64> {
        let error = |message| Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        let position = match pos {
            io::SeekFrom::Start(position) => position,
            // Must not move a reader that is past the end.
            io::SeekFrom::Current(0) => return Ok(self.position()),
            io::SeekFrom::Current(offset) if offset > 0 => {
                self.position().saturating_add(offset.unsigned_abs())
            }
            io::SeekFrom::Current(offset) => {
                match self.position().checked_sub(offset.unsigned_abs()) {
                    Some(position) => position,
                    None => return error("cannot seek to before the start of the output"),
                }
            }
            io::SeekFrom::End(_) => return error("extended output has no end to seek from"),
        };
        self.set_position(position);
        Ok(position)
    }
}

/// An endless stream of random bytes, if what was hashed is secret and hard to guess: then it is a
/// cryptographically secure generator, and without that none. Numbers are little-endian, and each is
/// made of the bytes at the position: a `u32` of 4, a `u64` of 8. For seeding see
/// [`Hasher::new_derive_key`](crate::Hasher::new_derive_key).
#[cfg(feature = "rand_core")]
impl rand_core::TryRng for OutputReader {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.fill(bytes);
        Ok(())
    }
}

/// If what was hashed is secret and hard to guess, as this trait asks of a seed.
#[cfg(feature = "rand_core")]
impl rand_core::TryCryptoRng for OutputReader {}

/// Leaves a reader of useless output.
#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for OutputReader {
    fn zeroize(&mut self) {
        let Self {
            root,
            counter,
            used,
            ready,
            block,
        } = self;
        root.zeroize();
        counter.zeroize();
        used.zeroize();
        ready.zeroize();
        block.zeroize();
    }
}

#[cfg(feature = "zeroize")]
impl Drop for OutputReader {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(self);
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for OutputReader {}
