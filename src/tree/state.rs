//! What is saved of a tree, and a tree made of it.

use super::chunk::Chunk;
use super::stack::{DEPTH, Stack};
use super::{Domain, Tree};
use crate::tier::{BLOCK_LEN, CHUNK_LEN, Tier, Words, flags, portable};

/// The modes that a hasher can be in. The numbers are those of saved states.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Hash = 0,
    KeyedHash = 1,
    DeriveKeyMaterial = 2,
}

/// All of a tree that its input and its key decide; with the number of bytes, the lengths of the
/// other parts are known.
pub(crate) struct Parts<'a> {
    pub(crate) mode: Mode,
    pub(crate) key: &'a Words,
    /// The first chunk of the subtree.
    pub(crate) first: u64,
    /// Bytes taken in so far.
    pub(crate) count: u64,
    /// The chaining value of the chunk begun, if whole blocks went into it.
    pub(crate) cv: Option<&'a Words>,
    /// The bytes after those.
    pub(crate) block: &'a [u8],
    /// The subtrees that wait for their right neighbour.
    pub(crate) pending: &'a [Words],
}

/// Bytes of the chunk begun, after so many bytes. A whole chunk is finished, except the first, which
/// waits for more.
const fn begun_after(count: u64) -> u64 {
    if count <= CHUNK_LEN as u64 {
        count
    } else {
        count % CHUNK_LEN as u64
    }
}

impl Parts<'_> {
    pub(crate) const MAX_PENDING: usize = DEPTH;

    /// The length of `pending` after so many bytes.
    pub(crate) const fn pending_after(count: u64) -> usize {
        let begun = begun_after(count);
        let finished = (count - begun) / CHUNK_LEN as u64;
        // The parent that covers everything is held back as its two children.
        let held_back = begun == 0 && finished.is_power_of_two();
        finished.count_ones() as usize + held_back as usize
    }

    /// The length of `block` after so many bytes. A whole block waits for more.
    pub(crate) const fn buffered_after(count: u64) -> usize {
        match begun_after(count) {
            0 => 0,
            begun => (begun as usize - 1) % BLOCK_LEN + 1,
        }
    }

    /// Whether there is a `cv` after so many bytes.
    pub(crate) const fn has_cv_after(count: u64) -> bool {
        begun_after(count) > BLOCK_LEN as u64
    }
}

impl Domain {
    /// The mode that a hasher of this domain is in.
    pub(crate) const fn hasher_mode(&self) -> Mode {
        match self.flags {
            flags::KEYED_HASH => Mode::KeyedHash,
            flags::DERIVE_KEY_MATERIAL => Mode::DeriveKeyMaterial,
            _ => Mode::Hash,
        }
    }
}

impl Tree {
    pub(crate) fn parts(&self) -> Parts<'_> {
        let (cv, block) = self.chunk.parts();
        Parts {
            mode: self.domain.hasher_mode(),
            key: &self.domain.key,
            first: self.first,
            count: self.count(),
            cv,
            block,
            pending: self.stack.as_slice(),
        }
    }

    /// The tree with these parts, whose lengths must be those that their `count` demands.
    pub(crate) fn from_parts(tier: Tier, parts: &Parts<'_>) -> Self {
        let (key, flags) = match parts.mode {
            Mode::Hash => (portable::IV, 0),
            Mode::KeyedHash => (*parts.key, flags::KEYED_HASH),
            Mode::DeriveKeyMaterial => (*parts.key, flags::DERIVE_KEY_MATERIAL),
        };
        let domain = Domain { key, flags, tier };
        let begun = begun_after(parts.count);
        let counter = parts.first + (parts.count - begun) / CHUNK_LEN as u64;
        let blocks = (begun as usize - parts.block.len()) / BLOCK_LEN;
        let mut stack = Stack::new();
        for cv in parts.pending {
            stack.push(cv);
        }
        Self {
            domain,
            first: parts.first,
            chunk: Chunk::from_parts(&domain, counter, blocks, parts.cv, parts.block),
            stack,
        }
    }
}
