//! What is done with little input, in code that is inlined and moves its state from call to call.
//!
//! The compiler can leave out the moves only of what no address is taken of. So here copies are made
//! for the calls out of line, and the calls get those.

use super::chunk::Chunk;
use super::stack::Stack;
use super::{Domain, Tree};
use crate::tier::{BLOCK_LEN, CHUNK_LEN, Tier, bytes_from_words, flags};

/// The first chunk of a hash without a key, if there are no more.
#[derive(Clone)]
pub(crate) struct Short(Chunk);

impl Short {
    /// The input of this chunk, no more than it has room for.
    #[inline(never)]
    pub(crate) fn new(tier: Tier, input: &[u8]) -> Self {
        let domain = Domain::hash(tier);
        let mut chunk = Chunk::new(&domain, 0);
        chunk.update(&domain, input);
        Self(chunk)
    }

    /// Adds input, if there is room for it.
    pub(crate) fn update(&mut self, tier: Tier, input: &[u8]) -> bool {
        let fits = input.len() <= CHUNK_LEN - self.0.len();
        if fits {
            self.0.update(&Domain::hash(tier), input);
        }
        fits
    }

    /// The tree that goes on.
    pub(crate) fn to_tree(&self, tier: Tier) -> Tree {
        Tree {
            domain: Domain::hash(tier),
            first: 0,
            chunk: self.0.clone(),
            stack: Stack::new(),
        }
    }

    #[inline(never)]
    pub(crate) fn root_hash(&self, tier: Tier) -> [u8; 32] {
        bytes_from_words(&self.0.root_words(&Domain::hash(tier)))
    }

    /// The hash of one block at most, which is zero from `len` on.
    #[inline(never)]
    pub(crate) fn root_of_block(tier: Tier, block: &[u8; BLOCK_LEN], len: u8) -> [u8; 32] {
        const FLAGS: u32 = flags::CHUNK_START | flags::CHUNK_END | flags::ROOT;
        let mut cv = Domain::hash(tier).key;
        tier.compress(&mut cv, block, len.into(), 0, FLAGS);
        bytes_from_words(&cv)
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Short {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Tree {
    /// A copy, made part by part, for which no address is taken.
    #[inline(always)]
    pub(crate) fn copy_inlined(&self) -> Self {
        Self {
            domain: self.domain,
            first: self.first,
            chunk: self.chunk.clone(),
            stack: self.stack.copy_inlined(),
        }
    }
}
