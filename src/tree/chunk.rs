//! A chunk that comes in pieces.

use super::{Domain, Node};
use crate::tier::{BLOCK_LEN, Words, flags, padded};

/// A chunk not yet finished: whole blocks go into the chaining value as soon as more follows them,
/// so that the last block is always still there to be marked as such.
#[derive(Clone)]
pub(super) struct Chunk {
    cv: Words,
    counter: u64,
    /// The last block so far, zero from `buffered` on, so that nothing needs to be cleared right before
    /// it is compressed: that would wait for the clearing.
    buffer: [u8; BLOCK_LEN],
    buffered: u8,
    /// Blocks in `cv`.
    blocks: u8,
}

impl Chunk {
    pub(super) fn new(domain: &Domain, counter: u64) -> Self {
        Self {
            cv: domain.key,
            counter,
            buffer: [0; BLOCK_LEN],
            buffered: 0,
            blocks: 0,
        }
    }

    /// The chunk's place in the whole input.
    pub(super) fn counter(&self) -> u64 {
        self.counter
    }

    pub(super) fn len(&self) -> usize {
        BLOCK_LEN * usize::from(self.blocks) + usize::from(self.buffered)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.buffered == 0
    }

    fn start_flag(&self) -> u32 {
        if self.blocks == 0 {
            flags::CHUNK_START
        } else {
            0
        }
    }

    /// Adds input, of which there may be no more than the chunk has room for.
    pub(super) fn update(&mut self, domain: &Domain, mut input: &[u8]) {
        let Domain { flags, tier, .. } = *domain;
        if self.buffered > 0 {
            let at = usize::from(self.buffered);
            let (head, rest) = input.split_at(input.len().min(BLOCK_LEN - at));
            if !head.is_empty() {
                self.buffer[at..at + head.len()].copy_from_slice(head);
                self.buffered += head.len() as u8;
            }
            if rest.is_empty() {
                return;
            }
            let flags = flags | self.start_flag();
            tier.compress(
                &mut self.cv,
                &self.buffer,
                BLOCK_LEN as u32,
                self.counter,
                flags,
            );
            self.blocks += 1;
            self.buffered = 0;
            input = rest;
        }
        if input.len() > BLOCK_LEN {
            let (blocks, tail) = input.split_at((input.len() - 1) / BLOCK_LEN * BLOCK_LEN);
            let (blocks, _) = blocks.as_chunks();
            let start = self.start_flag();
            tier.compress_blocks(&mut self.cv, blocks, self.counter, flags, start, 0);
            self.blocks += blocks.len() as u8;
            input = tail;
        }
        match input.first_chunk() {
            Some(block) => self.buffer = *block,
            None => self.buffer = padded(input),
        }
        self.buffered = input.len() as u8;
    }

    /// The node of this chunk, if it ends here.
    pub(super) fn node(&self, domain: &Domain) -> Node {
        Node {
            cv: self.cv,
            block: self.buffer,
            block_len: u32::from(self.buffered),
            counter: self.counter,
            flags: self.end_flags(domain),
            tier: domain.tier,
        }
    }

    fn end_flags(&self, domain: &Domain) -> u32 {
        domain.flags | self.start_flag() | flags::CHUNK_END
    }

    /// The chaining value of this chunk, if it ends here, and is not the root.
    pub(super) fn chaining_value(&self, domain: &Domain) -> Words {
        self.compress_end(domain, 0)
    }

    /// The root, if this chunk ends here, and is the only one.
    pub(super) fn root_words(&self, domain: &Domain) -> Words {
        self.compress_end(domain, flags::ROOT)
    }

    /// Without a node: the last block, stored just before in other pieces than a copy would load, would have to
    /// be waited for.
    fn compress_end(&self, domain: &Domain, root: u32) -> Words {
        let mut cv = self.cv;
        let flags = self.end_flags(domain) | root;
        let len = u32::from(self.buffered);
        let tier = domain.tier;
        tier.compress(&mut cv, &self.buffer, len, self.counter, flags);
        cv
    }

    /// The chaining value, if whole blocks went into it, and the bytes after those.
    pub(super) fn parts(&self) -> (Option<&Words>, &[u8]) {
        let cv = (self.blocks > 0).then_some(&self.cv);
        (cv, &self.buffer[..usize::from(self.buffered)])
    }

    /// The chunk with these parts: at most 64 bytes, after this many blocks.
    pub(super) fn from_parts(
        domain: &Domain,
        counter: u64,
        blocks: usize,
        cv: Option<&Words>,
        bytes: &[u8],
    ) -> Self {
        let mut chunk = Self::new(domain, counter);
        if let Some(cv) = cv {
            chunk.cv = *cv;
        }
        chunk.blocks = blocks as u8;
        chunk.buffer[..bytes.len()].copy_from_slice(bytes);
        chunk.buffered = bytes.len() as u8;
        chunk
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Chunk {
    fn zeroize(&mut self) {
        let Self {
            cv,
            counter,
            buffer,
            buffered,
            blocks,
        } = self;
        cv.zeroize();
        counter.zeroize();
        buffer.zeroize();
        buffered.zeroize();
        blocks.zeroize();
    }
}
