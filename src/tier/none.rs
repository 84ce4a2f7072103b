//! Where there are no kernels but the portable one.

use super::{BLOCK_LEN, Kind, Root, Words};

/// Kernels that do not exist.
pub(super) enum Kernels {}

/// The kernels for one message, which do not exist.
pub(super) enum Single {}

pub(super) fn kernels(_: Kind) -> Option<&'static Kernels> {
    None
}

pub(super) fn widest() -> Kind {
    Kind::Portable
}

pub(super) fn has(kind: Kind) -> bool {
    kind == Kind::Portable
}

impl Single {
    pub(super) fn compress_blocks(
        &self,
        _: &mut Words,
        _: &[[u8; BLOCK_LEN]],
        _: u64,
        _: u32,
        _: u32,
        _: u32,
    ) {
        match *self {}
    }

    pub(super) fn compress(&self, _: &mut Words, _: &[u8; BLOCK_LEN], _: u32, _: u64, _: u32) {
        match *self {}
    }

    pub(super) fn output_block(&self, _: &Root<'_>, _: u64, _: &mut [u8; BLOCK_LEN]) {
        match *self {}
    }
}

impl Kernels {
    pub(super) fn single(&self) -> Option<&Single> {
        match *self {}
    }

    pub(super) fn hash_chunks(
        &self,
        _: &[u8],
        _: &Words,
        _: u64,
        _: u32,
        _: &mut [Words],
    ) -> usize {
        match *self {}
    }

    pub(super) fn hash_messages(
        &self,
        _: &[&[u8]],
        _: &Words,
        _: u32,
        _: u32,
        _: &mut [Words],
    ) -> usize {
        match *self {}
    }

    pub(super) fn hash_blocks(
        &self,
        _: &[[u8; BLOCK_LEN]],
        _: &Words,
        _: u64,
        _: &mut [Words],
    ) -> usize {
        match *self {}
    }

    pub(super) fn hash_parents(&self, _: &mut [Words], _: &Words, _: u32) -> usize {
        match *self {}
    }

    pub(super) fn output_blocks(&self, _: &Root<'_>, _: u64, _: &mut [[u8; BLOCK_LEN]]) -> usize {
        match *self {}
    }
}
