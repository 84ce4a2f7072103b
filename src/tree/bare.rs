//! The top of a whole input, apart from its key.

use super::{Domain, Node};
use crate::tier::{BLOCK_LEN, bytes_from_words, flags, words_from_bytes};

/// What a node holds besides key, mode and tier, where it is the root.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bare {
    pub(crate) kind: Kind,
    /// The chaining value of the blocks before; zero where there are none.
    pub(crate) cv: [u8; 32],
    /// The last block, or two chaining values. Zero from `block_len` on.
    pub(crate) block: [u8; BLOCK_LEN],
    pub(crate) block_len: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Parent,
    /// A chunk of one block.
    Block,
    /// The last block of a longer chunk.
    LastBlock,
}

impl Node {
    /// This node, being the root.
    pub(crate) fn bare(&self) -> Bare {
        let kind = if self.flags & flags::PARENT != 0 {
            Kind::Parent
        } else if self.flags & flags::CHUNK_START != 0 {
            Kind::Block
        } else {
            Kind::LastBlock
        };
        let cv = match kind {
            // It would be the key.
            Kind::Parent | Kind::Block => [0; 32],
            Kind::LastBlock => bytes_from_words(&self.cv),
        };
        Bare {
            kind,
            cv,
            block: self.block,
            block_len: self.block_len as u8,
        }
    }
}

impl Domain {
    /// The node that [`Node::bare`] was asked of.
    pub(crate) fn node(&self, bare: &Bare) -> Node {
        let (cv, flags) = match bare.kind {
            Kind::Parent => (self.key, flags::PARENT),
            Kind::Block => (self.key, flags::CHUNK_START | flags::CHUNK_END),
            Kind::LastBlock => (words_from_bytes(&bare.cv), flags::CHUNK_END),
        };
        Node {
            cv,
            block: bare.block,
            block_len: bare.block_len.into(),
            counter: 0,
            flags: self.flags | flags,
            tier: self.tier,
        }
    }
}
