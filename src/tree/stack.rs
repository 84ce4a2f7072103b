//! The stack of subtrees that wait for their right neighbour.

use crate::tier::{CHUNK_LEN, Words};

/// Levels of parents over the chunks of the longest input, 2^64 - 1 bytes.
const LEVELS: usize = 64 - CHUNK_LEN.ilog2() as usize;

/// One subtree a level, and one more for the parent that is held back as its two children.
pub(super) const DEPTH: usize = LEVELS + 1;

/// Enough for 31 chunks in any pieces, and for many more at once.
const SHORT: usize = 6;

const _: () = assert!(DEPTH > LEVELS && 1u128 << LEVELS == (1u128 << 64) / CHUNK_LEN as u128);

/// A stack of chaining values.
pub(super) struct Stack {
    store: Store,
    len: u8,
}

/// Most inputs are short, so the whole stack is not cleared before it is needed.
#[expect(clippy::large_enum_variant, reason = "its size is that of the stack")]
enum Store {
    Short([Words; SHORT]),
    Full([Words; DEPTH]),
}

/// Copies what is there, and not the room for more.
impl Clone for Stack {
    fn clone(&self) -> Self {
        let mut stack = Self::new();
        for cv in self.as_slice() {
            stack.push(cv);
        }
        stack
    }
}

impl Stack {
    /// A copy of all places, for which no address is taken (see `short`).
    #[cfg(any(feature = "digest", feature = "digest-0_10"))]
    #[inline(always)]
    pub(super) fn copy_inlined(&self) -> Self {
        let store = match &self.store {
            Store::Short(cvs) => Store::Short(*cvs),
            Store::Full(cvs) => Store::Full(*cvs),
        };
        let len = self.len;
        Self { store, len }
    }

    pub(super) fn new() -> Self {
        Self {
            store: Store::Short([[0; 8]; SHORT]),
            len: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len.into()
    }

    /// The values, the last pushed one last.
    pub(super) fn as_slice(&self) -> &[Words] {
        let len = usize::from(self.len);
        match &self.store {
            Store::Short(cvs) => &cvs[..len],
            Store::Full(cvs) => &cvs[..len],
        }
    }

    pub(super) fn push(&mut self, cv: &Words) {
        let len = usize::from(self.len);
        if let Store::Short(cvs) = &self.store
            && len == SHORT
        {
            let mut full = [[0; 8]; DEPTH];
            full[..SHORT].copy_from_slice(cvs);
            self.store = Store::Full(full);
        }
        match &mut self.store {
            Store::Short(cvs) => cvs[len] = *cv,
            Store::Full(cvs) => cvs[len] = *cv,
        }
        self.len += 1;
    }

    /// Replaces the last two values by the first of them, once they have been changed in place.
    pub(super) fn merge(&mut self, change: impl FnOnce(&mut [Words; 2])) {
        let len = usize::from(self.len);
        let values = match &mut self.store {
            Store::Short(cvs) => &mut cvs[..len],
            Store::Full(cvs) => &mut cvs[..len],
        };
        if let Some(pair) = values.last_chunk_mut() {
            change(pair);
            self.len -= 1;
        }
    }

    pub(super) fn pop(&mut self) -> Option<Words> {
        let top = *self.as_slice().last()?;
        self.len -= 1;
        Some(top)
    }
}

/// All places: values that were taken from the stack are still in theirs.
#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Stack {
    fn zeroize(&mut self) {
        let Self { store, len } = self;
        match store {
            Store::Short(cvs) => cvs.zeroize(),
            Store::Full(cvs) => cvs.zeroize(),
        }
        len.zeroize();
    }
}
