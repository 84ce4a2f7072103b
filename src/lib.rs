#![doc = include_str!("../README.md")]
#![no_std]
#![deny(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(any(feature = "digest", feature = "digest-0_10"))]
pub mod block_api;
pub mod constant;
mod hash;
mod hasher;
pub mod hazmat;
#[cfg(feature = "std")]
pub mod io;
mod join;
pub mod many;
mod output;
pub mod parallel;
mod state;
#[cfg(feature = "std")]
pub mod subtree;
#[cfg(any(feature = "digest", feature = "digest-0_10"))]
pub mod traits;
#[cfg(feature = "digest-0_10")]
pub mod traits_0_10;
mod tree;

// The only module that calls into `generated/`, and so the one that may say `unsafe` (besides one call that
// maps a file, in `io`).
#[allow(unsafe_code)]
mod tier;

pub use hash::{
    Hash, Hex, HexError, derive_key, derive_key_on_tier, hash, hash_on_tier, keyed_hash,
    keyed_hash_on_tier,
};
pub use hasher::Hasher;
pub use output::OutputReader;
pub use state::{HasherState, StateError};
pub use tier::Tier;
#[cfg(any(feature = "digest", feature = "digest-0_10"))]
pub use traits::{Blake3, Blake3Mac};

// As `sha2` does, so that one line names hash and trait.
#[cfg(feature = "digest")]
pub use digest::{self, Digest};

/// Bytes in a [`Hash`](struct@Hash): 32. For longer or shorter output see [`Hasher::finalize_xof`].
pub const OUT_LEN: usize = 32;

/// Bytes in the key of [`keyed_hash`], and of a [context key](hazmat::ContextKey): 32.
pub const KEY_LEN: usize = 32;

/// Bytes in a block, the input of one compression: 64 (BLAKE3 paper, section 2.1).
///
/// [`OutputReader`] makes its output in blocks of this length too.
pub const BLOCK_LEN: usize = tier::BLOCK_LEN;

/// Bytes in a chunk, a leaf of the tree: 1024 (BLAKE3 paper, section 2.1).
///
/// Only [`hazmat`] asks users to know it.
pub const CHUNK_LEN: usize = tier::CHUNK_LEN;
