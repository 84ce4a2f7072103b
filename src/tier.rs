//! The tiers: which kernels this machine runs, and the one interface to all of them.
//!
//! Everything above this module calls the methods of [`Tier`] and knows nothing of instruction sets; everything below
//! it is generated. A kernel call takes any count: how it is cut into passes is decided here.

use core::fmt;

#[path = "../generated/portable.rs"]
pub(crate) mod portable;

/// The words of a chaining value, or of a key, in native byte order.
pub(crate) type Words = [u32; 8];

/// Bytes in a block.
pub(crate) const BLOCK_LEN: usize = 64;
/// Bytes in a chunk.
pub(crate) const CHUNK_LEN: usize = 1024;

/// Domain flags of a compression (BLAKE3 paper, section 2.2, table 3).
pub(crate) mod flags {
    pub(crate) const CHUNK_START: u32 = 1 << 0;
    pub(crate) const CHUNK_END: u32 = 1 << 1;
    pub(crate) const PARENT: u32 = 1 << 2;
    pub(crate) const ROOT: u32 = 1 << 3;
    pub(crate) const KEYED_HASH: u32 = 1 << 4;
    pub(crate) const DERIVE_KEY_CONTEXT: u32 = 1 << 5;
    pub(crate) const DERIVE_KEY_MATERIAL: u32 = 1 << 6;
}

/// A set of kernels that the running machine can execute.
///
/// A value of this type is the proof of it: there is no way to make one for a tier that the machine lacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tier(Kind);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    Portable,
}

impl Tier {
    /// Plain Rust, which every machine runs.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The fastest tier of this machine.
    pub fn detect() -> Self {
        Self::PORTABLE
    }

    /// Every tier that this machine runs, narrowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::PORTABLE].into_iter()
    }

    /// The name, as in `--cfg blake3_lanes_tier="..."`.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
        }
    }

    /// How many messages one pass of the widest kernel takes.
    pub(crate) const fn lanes(self) -> usize {
        4
    }

    /// Compresses whole blocks of one message into `cv`, in order. `flags` go to every block, and `first_flags` and
    /// `last_flags` are added to the first and to the last (which may be the same).
    pub(crate) fn compress_blocks(
        self,
        cv: &mut Words,
        blocks: &[[u8; BLOCK_LEN]],
        counter: u64,
        flags: u32,
        first_flags: u32,
        last_flags: u32,
    ) {
        for (i, block) in blocks.iter().enumerate() {
            let mut f = flags;
            if i == 0 {
                f |= first_flags;
            }
            if i + 1 == blocks.len() {
                f |= last_flags;
            }
            self.compress(cv, block, BLOCK_LEN as u32, counter, f);
        }
    }

    /// Compresses one block into `cv`. Bytes of `block` from `block_len` on must be zero.
    pub(crate) fn compress(self, cv: &mut Words, block: &[u8; BLOCK_LEN], block_len: u32, counter: u64, flags: u32) {
        let out = portable::compress(cv, &block_words(block), counter, block_len, flags);
        cv.copy_from_slice(&out[..8]);
    }

    /// Hashes `input.len().div_ceil(CHUNK_LEN)` adjacent chunks, of which the last may be short (1 to 1024 bytes), into
    /// chaining values, none of them a root. Chunk i has the counter `counter + i`.
    pub(crate) fn hash_chunks(self, input: &[u8], key: &Words, counter: u64, flags: u32, out: &mut [Words]) {
        debug_assert_eq!(out.len(), input.len().div_ceil(CHUNK_LEN));
        for (i, (chunk, cv)) in input.chunks(CHUNK_LEN).zip(out).enumerate() {
            *cv = *key;
            let (blocks, tail) = chunk.as_chunks::<BLOCK_LEN>();
            let end = if tail.is_empty() { flags::CHUNK_END } else { 0 };
            self.compress_blocks(cv, blocks, counter + i as u64, flags, flags::CHUNK_START, end);
            if !tail.is_empty() {
                let mut block = [0; BLOCK_LEN];
                block[..tail.len()].copy_from_slice(tail);
                let start = if blocks.is_empty() { flags::CHUNK_START } else { 0 };
                self.compress(cv, &block, tail.len() as u32, counter + i as u64, flags | start | flags::CHUNK_END);
            }
        }
    }

    /// Compresses pairs of chaining values into their parents, in place: `cvs[i]` becomes the parent of `cvs[2 * i]` and
    /// `cvs[2 * i + 1]`, for i below `pairs`. `flags` are those of the mode; the parent flag is added here.
    pub(crate) fn hash_parents(self, cvs: &mut [Words], pairs: usize, key: &Words, flags: u32) {
        for i in 0..pairs {
            let mut block = [0; 16];
            block[..8].copy_from_slice(&cvs[2 * i]);
            block[8..].copy_from_slice(&cvs[2 * i + 1]);
            let out = portable::compress(key, &block, 0, BLOCK_LEN as u32, flags | flags::PARENT);
            cvs[i].copy_from_slice(&out[..8]);
        }
    }

    /// Fills `out` with the extended output blocks `counter`, `counter + 1`, ... (wrapping) of a root.
    pub(crate) fn output_blocks(
        self,
        cv: &Words,
        block: &[u8; BLOCK_LEN],
        block_len: u32,
        counter: u64,
        flags: u32,
        out: &mut [[u8; BLOCK_LEN]],
    ) {
        for (i, out) in out.iter_mut().enumerate() {
            let words = portable::compress(cv, &block_words(block), counter.wrapping_add(i as u64), block_len, flags);
            for (bytes, word) in out.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                *bytes = word.to_le_bytes();
            }
        }
    }
}

impl fmt::Debug for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The little-endian words of a block.
pub(crate) const fn block_words(block: &[u8; BLOCK_LEN]) -> [u32; 16] {
    let mut words = [0; 16];
    let mut i = 0;
    while i < 16 {
        words[i] = u32::from_le_bytes([block[4 * i], block[4 * i + 1], block[4 * i + 2], block[4 * i + 3]]);
        i += 1;
    }
    words
}
