//! The [RustCrypto](https://github.com/RustCrypto/traits) traits: BLAKE3 for code that is generic
//! over a hash.
//!
//! # Which type do I use?
//!
//! | I want | type | made by |
//! |---|---|---|
//! | the hash of something, and nothing else | [`hash`](crate::hash) | |
//! | what replaces `Sha256` in code that names a type | [`Blake3`] | `Blake3::new()` of [`Digest`](digest::Digest) |
//! | a message authentication code, through a trait | [`Blake3Mac`] | `new` of [`KeyInit`](digest::KeyInit) |
//! | a message authentication code | [`keyed_hash`](crate::keyed_hash), [`Hasher`] | [`Hasher::new_keyed`] |
//! | a key derived from another | [`derive_key`](crate::derive_key), [`Hasher`] | [`Hasher::new_derive_key`] |
//! | as much output as I like | [`Blake3`] or [`Hasher`] | `finalize_xof`, which gives an [`OutputReader`](crate::OutputReader) |
//! | 64 bytes of output, through a trait | [`Blake3_512`] | `Blake3_512::new()` of [`Digest`](digest::Digest) |
//! | what the `blake3` crate has | [`Hasher`] | [`Hasher::new`] |
//!
//! [`Hasher`] has all the traits, those of a hash and those of a MAC, as in the `blake3` crate, and
//! methods of its own. So with two traits in scope that have the same method, it is not clear which
//! one is called, and generic code takes an unkeyed hasher for a MAC. [`Blake3`] is a hash only and
//! [`Blake3Mac`] a MAC only, and neither has a method `update`, `finalize` or `reset` besides those
//! of the traits: they are called like `Sha256` and `Hmac<Sha256>`.
//!
//! | trait | [`Blake3`] | [`Blake3Mac`] | [`Hasher`] | [`OutputReader`](crate::OutputReader) |
//! |---|---|---|---|---|
//! | `Digest`, `DynDigest`, `HashMarker`, `Default` | yes | | yes | |
//! | `Mac`, `MacMarker`, `KeyInit` (32 bytes) | | yes | yes | |
//! | `Update`, `Reset`, `FixedOutput`, `FixedOutputReset` (32 bytes) | yes | yes | yes | |
//! | `ExtendableOutput`, `ExtendableOutputReset` | yes | yes | yes | |
//! | `XofReader` | | | | yes |
//! | `BlockSizeUser` (64 bytes) | yes | yes | yes | |
//! | `EagerHash`: `Hmac`, `Hkdf`, `pbkdf2_hmac` | yes | | yes | |
//! | `CollisionResistance` (16 bytes) | yes | | yes | |
//! | `TryCustomizedInit`: key derivation | | | yes | |
//! | `AlgorithmName`, `SerializableState` | yes | yes | yes | |
//! | `AssociatedOid`, with the feature `oid` | yes | | yes | |
//! | `ZeroizeOnDrop`, with the feature `zeroize` | yes | yes | yes | yes |
//! | `io::Write`, with the feature `std` | yes | yes | yes | |
//!
//! What digest 0.10 does not have (`EagerHash`, `CollisionResistance`, `TryCustomizedInit`,
//! `SerializableState`) is there for 0.11 only; `traits_0_10`, with the feature `digest-0_10`, has
//! the rest, on the same types.
//!
//! # What the traits do here
//!
//! * `Reset`, `finalize_reset` and `finalize_xof_reset` forget the input, and keep mode, key and
//!   context.
//! * `Digest::finalize`, `Mac::finalize` and `ExtendableOutput::finalize_xof` take the hasher by
//!   value; [`Hasher::finalize`] borrows it, and can be called again. Where a trait is in scope, the
//!   call `hasher.finalize()` on a [`Hasher`] means the trait's method, which Rust prefers because
//!   it takes `self`. Write `Hasher::finalize(&hasher)` there, or use [`Blake3`].
//! * A key has exactly 32 bytes. `new_from_slice` returns an error for any other length: nothing is
//!   padded, and nothing hashed.
//! * `Default` and `Digest::new` have no key.
//! * The output of `ExtendableOutput` begins with that of `FixedOutput`. A longer output is not
//!   harder to find collisions for: it is 128 bits for any length from 32 bytes on.
//!
//! # HMAC-BLAKE3 or keyed BLAKE3?
//!
//! They are two different MACs. Keyed BLAKE3 ([`Blake3Mac`], [`keyed_hash`](crate::keyed_hash)) is
//! what the paper specifies (section 2.3). It costs what the hash costs, and its key has 32 bytes.
//! HMAC (RFC 2104), as `hmac::Hmac<Blake3>`, hashes a block before the message and two blocks after
//! it, which BLAKE3 does not need, and takes keys of any length. Use keyed BLAKE3 where the choice
//! is yours, and HMAC where a protocol or a library (HKDF, PBKDF2, RFC 6979) is built on it.
//!
//! `Hmac<Blake3>` and `SimpleHmac<Blake3>` are the same function.
//!
//! # Example
//!
#![cfg_attr(feature = "digest", doc = "```")]
#![cfg_attr(not(feature = "digest"), doc = "```ignore")]
//! use blake3_lanes::digest::{ExtendableOutput, KeyInit, Mac, XofReader};
//! use blake3_lanes::{Blake3, Blake3Mac, Digest};
//!
//! let digest = Blake3::digest(b"abc");
//! assert_eq!(digest[..], blake3_lanes::hash(b"abc").as_bytes()[..]);
//!
//! let mut mac = Blake3Mac::new(&[7; 32].into());
//! mac.update(b"abc");
//! mac.verify_slice(blake3_lanes::keyed_hash(&[7; 32], b"abc").as_slice())?;
//!
//! let mut output = [0; 100];
//! Blake3::new_with_prefix(b"abc").finalize_xof().read(&mut output);
//! assert_eq!(output[..32], digest[..]);
//! # Ok::<(), blake3_lanes::digest::MacError>(())
//! ```
//!
//! [`Hasher`]: crate::Hasher
//! [`Hasher::new`]: crate::Hasher::new
//! [`Hasher::new_keyed`]: crate::Hasher::new_keyed
//! [`Hasher::new_derive_key`]: crate::Hasher::new_derive_key
//! [`Hasher::finalize`]: crate::Hasher::finalize

mod major;
mod types;
#[cfg(feature = "digest-0_10")]
mod v0_10;
#[cfg(feature = "digest")]
mod v0_11;

pub use types::{Blake3, Blake3Mac};
#[cfg(feature = "digest")]
pub use v0_11::{Blake3_512, Blake3Mac512};

#[cfg(feature = "digest")]
pub use digest::{
    self, CollisionResistance, CtOutput, Digest, DynDigest, ExtendableOutput,
    ExtendableOutputReset, FixedOutput, FixedOutputReset, HashMarker, InvalidLength, Key, KeyInit,
    Mac, MacError, MacMarker, Output, OutputSizeUser, Reset, TryCustomizedInit, Update, XofReader,
    block_api::EagerHash,
    common::{AlgorithmName, BlockSizeUser, KeySizeUser, hazmat::SerializableState},
};
