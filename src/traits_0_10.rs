//! The [traits](crate::traits) in the version that digest 0.10 has.
//!
//! They are on the same types, beside those of digest 0.11: [`Blake3`](crate::Blake3),
//! [`Blake3Mac`](crate::Blake3Mac), [`Hasher`](crate::Hasher) and
//! [`OutputReader`](crate::OutputReader). Import the traits of one major in one scope.
//!
//! ```
//! use blake3_lanes::Blake3;
//! use blake3_lanes::traits_0_10::{CoreBlake3, digest::Digest};
//!
//! assert_eq!(Blake3::digest(b"abc")[..], *blake3_lanes::hash(b"abc").as_bytes());
//! assert_eq!(Blake3::digest(b"abc"), CoreBlake3::digest(b"abc"));
//! ```

pub use digest_0_10 as digest;

use crate::block_api::Blake3Core;

/// What replaces `Sha256` of sha2 0.10 where [`Blake3`](crate::Blake3) is not enough: in code that
/// asks for `CoreProxy`, such as `hmac::Hmac` 0.12 and what is built on it.
///
/// Digest 0.10 lets no type but its own wrapper implement `CoreProxy`, so this is that wrapper. The
/// hash is the same. Where the code asks for `Digest` alone, [`Blake3`](crate::Blake3) is faster on
/// short inputs, since it has no second buffer.
///
/// ```
/// use blake3_lanes::traits_0_10::{CoreBlake3, digest::Digest};
///
/// let digest = CoreBlake3::new().chain_update("abc").finalize();
/// assert_eq!(digest[..], *blake3_lanes::hash(b"abc").as_bytes());
/// ```
pub type CoreBlake3 = digest_0_10::core_api::CoreWrapper<Blake3Core>;
