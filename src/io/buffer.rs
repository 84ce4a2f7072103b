//! Room for what is read, on the boundary of a cache line.
//!
//! Large blocks of the C library's allocator begin 16 bytes into a page. There the copy out of the kernel's
//! own pages takes five times as long on some processors (AMD Zen 3, from 1 to 31 bytes into a page: 1 GiB in
//! 640 ms, elsewhere in 130), longer than to hash it.

use core::ops::{Deref, DerefMut};
use std::vec;
use std::vec::Vec;

const ALIGN: usize = 64;

/// Room of a fixed length.
#[repr(align(64))]
pub(super) struct Aligned<const N: usize>(pub(super) [u8; N]);

/// Room on the heap.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

impl Buffer {
    pub(super) fn new(len: usize) -> Self {
        let mut bytes = vec![0; len + ALIGN];
        // Where it cannot be told, anywhere will do.
        let start = bytes.as_ptr().align_offset(ALIGN).min(ALIGN);
        bytes.truncate(start + len);
        Self { bytes, start }
    }

    /// Forgets all but the first bytes.
    pub(super) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(self.start + len);
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }
}
