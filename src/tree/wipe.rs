//! Overwriting what is secret, room that is not in use included: it may hold what was there before.
//!
//! The patterns name every field, so that a new one is not forgotten. What is left in each case is
//! an empty tree or node with a key of zeros.

use super::{Domain, Node, Tree};
use zeroize::Zeroize;

impl Zeroize for Domain {
    fn zeroize(&mut self) {
        let Self {
            key,
            flags,
            tier: _,
        } = self;
        key.zeroize();
        flags.zeroize();
    }
}

impl Zeroize for Tree {
    fn zeroize(&mut self) {
        let Self {
            domain,
            first,
            chunk,
            stack,
        } = self;
        domain.zeroize();
        first.zeroize();
        chunk.zeroize();
        stack.zeroize();
    }
}

impl Zeroize for Node {
    fn zeroize(&mut self) {
        let Self {
            cv,
            block,
            block_len,
            counter,
            flags,
            tier: _,
        } = self;
        cv.zeroize();
        block.zeroize();
        block_len.zeroize();
        counter.zeroize();
        flags.zeroize();
    }
}
