//! The traits of `digest` 0.10.

use super::major::implement;
use super::types::Hashing;
use super::{Blake3, Blake3Mac};
use crate::block_api::Blake3Core;
use crate::{BLOCK_LEN, Hasher, OutputReader};
use core::fmt;
use digest_0_10::core_api::{Block, UpdateCore};
use digest_0_10::{self as major, core_api as block_api, crypto_common as common};

implement!();

impl UpdateCore for Blake3Core {
    #[inline]
    fn update_blocks(&mut self, blocks: &[Block<Self>]) {
        if let [block] = blocks {
            self.0.update(block);
            return;
        }
        // Blocks of this major cannot be seen as one slice without `unsafe`. A copy costs less than
        // lanes without work.
        let mut together = [[0; BLOCK_LEN]; 64];
        for blocks in blocks.chunks(together.len()) {
            for (copy, block) in together.iter_mut().zip(blocks) {
                copy.copy_from_slice(block);
            }
            self.0.update(together[..blocks.len()].as_flattened());
        }
    }
}
