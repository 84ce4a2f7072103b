//! Crates that are generic over a hash, run with BLAKE3. All is in `tests/`; here stands what the
//! ecosystem does not allow, in the compiler's words. Each example fails to compile, and is a test
//! that it still does.
//!
//! # `hmac` 0.12 on the plain type
//!
//! Digest 0.10 seals `CoreProxy`: no type but its own wrapper can have it. `CoreBlake3` is that
//! wrapper around our core, and `Hmac<CoreBlake3>` works, as do `Hkdf` 0.12 and `opaque-ke` with it,
//! and `SimpleHmac<Blake3>`.
//!
//! > the trait bound `Blake3: hmac::digest::core_api::CoreProxy` is not satisfied
//!
//! ```compile_fail,E0277
//! use blake3::Blake3;
//! use hmac_0_12::{Hmac, Mac};
//!
//! let mac = <Hmac<Blake3> as Mac>::new_from_slice(b"key");
//! ```
//!
//! ```
//! use blake3::traits_0_10::CoreBlake3;
//! use hmac_0_12::{Hmac, Mac};
//!
//! let mac = <Hmac<CoreBlake3> as Mac>::new_from_slice(b"key");
//! ```
//!
//! # Hashing to points of Edwards25519 in `curve25519-dalek` 5
//!
//! `EdwardsPoint::hash_to_curve` and `encode_to_curve` ask for 64 bytes of output from a hash whose
//! blocks are *larger* than that (RFC 9380 asks for blocks no smaller). BLAKE3's have 64. Scalars,
//! Ristretto points and signatures, which ask for the 64 bytes only, work with the same type.
//!
//! > type mismatch resolving `<UInt<UInt<UInt<..., ...>, ...>, ...> as IsGreater>::Output == B1`
//!
//! ```compile_fail,E0271
//! use blake3::traits::Blake3_512;
//! use curve25519_dalek::EdwardsPoint;
//!
//! let point = EdwardsPoint::hash_to_curve::<Blake3_512>(&[b"message"], &[b"tag"]);
//! ```
//!
//! ```
//! use blake3::traits::Blake3_512;
//! use curve25519_dalek::RistrettoPoint;
//!
//! let point = RistrettoPoint::hash_from_bytes::<Blake3_512>(b"message");
//! ```
//!
//! # Hexadecimal output of digest 0.11
//!
//! Its arrays cannot be formatted, whatever the hash, `Sha256` of sha2 0.11 included; those of digest
//! 0.10 can. A `Hash` of ours can.
//!
//! > the trait `LowerHex` is not implemented for `Array<u8, ...>`
//!
//! ```compile_fail,E0277
//! use blake3::{Blake3, Digest};
//!
//! println!("{:x}", Blake3::digest(b"abc"));
//! ```
//!
//! ```
//! use blake3::{Blake3, Digest, Hash};
//!
//! println!("{:x}", Hash::from_bytes(Blake3::digest(b"abc").into()));
//! ```
//!
//! # What the official crate cannot do
//!
//! `Hmac`, `Hkdf`, `pbkdf2_hmac` and `SharedSecret::extract` take `blake3_lanes::Hasher`, but not the
//! `Hasher` of the `blake3` crate, which has no block-level core; `ExpandMsgXof` takes no hash that
//! does not say how collision resistant it is.
//!
//! > the trait bound `blake3::Hasher: CoreProxy` is not satisfied
//!
//! ```compile_fail,E0277
//! use hmac::{Hmac, KeyInit};
//!
//! let mac = Hmac::<official::Hasher>::new_from_slice(b"key");
//! ```
//!
//! ```
//! use hmac::{Hmac, KeyInit};
//!
//! let mac = Hmac::<blake3::Hasher>::new_from_slice(b"key");
//! ```
//!
//! # `argon2`
//!
//! Names BLAKE2b, as its specification does, and is generic over no hash.
