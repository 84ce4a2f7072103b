//! BLAKE3 in pure Rust: unrolled SIMD kernels, generated from one description and proved equal to it.
//!
//! The interface is that of the [`blake3`](https://docs.rs/blake3) crate. What this crate adds is the choice of the
//! [`Tier`]: the set of kernels that the running machine offers is found by itself, and every way in has a form that
//! takes another one.
//!
//! ```
//! // All at once.
//! let hash = blake3_lanes::hash(b"hello world");
//!
//! // Piece by piece.
//! let mut hasher = blake3_lanes::Hasher::new();
//! hasher.update(b"hello ").update(b"world");
//! assert_eq!(hasher.finalize(), hash);
//!
//! // As many bytes as one likes.
//! let mut output = [0; 1000];
//! hasher.finalize_xof().fill(&mut output);
//! assert_eq!(hash, output[..32]);
//!
//! assert_eq!(
//!     hash.to_hex().as_str(),
//!     "d74981efa70a0c880b8d8c1985d075dbcbf679b99a5f9914e5aaf96b831a9e24",
//! );
//! ```
//!
//! Nothing here allocates, and no function but those of [`hazmat`] panics.
#![no_std]
#![deny(unsafe_code)]

#[cfg(feature = "std")]
extern crate std;

mod hash;
mod hasher;
pub mod hazmat;
mod output;
mod tree;

// The only module that calls into `generated/`, and so the only one that may say `unsafe`.
#[allow(unsafe_code)]
mod tier;

pub use hash::{
    Hash, Hex, HexError, derive_key, derive_key_on_tier, hash, hash_on_tier, keyed_hash,
    keyed_hash_on_tier,
};
pub use hasher::Hasher;
pub use output::OutputReader;
pub use tier::Tier;

/// Bytes in a [`Hash`]: 32. For longer or shorter output see [`Hasher::finalize_xof`].
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
