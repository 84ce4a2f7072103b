//! Hashing by several threads.
//!
//! Everything else in this crate stays on the thread that calls it. What is in here, and the
//! methods of [`Hasher`](crate::Hasher) that name another thread's work (`update_with_join`,
//! `update_rayon` and their like), may use others, and these are the ones there are:
//!
//! * [`Join`] is how two halves of a tree are hashed at the same time, on whatever executor the
//!   caller has. [`Serial`] stays on the calling thread.
#![cfg_attr(
    feature = "std",
    doc = "* [`Threads`] starts threads of the standard library and ends them, for each call anew."
)]
#![cfg_attr(
    feature = "rayon",
    doc = "* [`Rayon`] is rayon's pool: the one that the caller runs on, or else the global one."
)]
#![cfg_attr(feature = "rayon", doc = "* [`Pool`] is a pool of one's own.")]
//!
#![cfg_attr(
    feature = "rayon",
    doc = "With the feature `rayon`, [`hash`], [`keyed_hash`] and [`derive_key`] take the place of
those of the crate's root: they fan out above [`CUT_OFF`] bytes, to as many threads as
[`set_thread_limit`] allows, and stay on the calling thread while that many hashes are in flight
already, so that a server that hashes for each of its threads does not hash on all of them at once."
)]
//!
//! The result never depends on any of this, and no secret is known to more than the input's length
//! tells: which thread hashes what depends on lengths and on the load.

use crate::tree::Domain;
use crate::{Hash, KEY_LEN, OUT_LEN, Tier};

pub use crate::join::{Join, Serial};

#[cfg(feature = "rayon")]
mod pool;
#[cfg(feature = "std")]
mod threads;

#[cfg(feature = "rayon")]
pub use pool::{
    CUT_OFF, Pool, PoolError, Rayon, derive_key, hash, keyed_hash, set_thread_limit, thread_limit,
};
#[cfg(feature = "std")]
pub use threads::Threads;

/// [`hash`](crate::hash()), with the halves of long inputs joined by `join`.
///
/// Inputs of [`grain`](Join::grain) bytes or less are hashed on the calling thread.
///
/// # Panics
///
/// If `join` does.
///
/// ```
/// use blake3_lanes::parallel::{Serial, hash_with_join};
///
/// assert_eq!(hash_with_join(&Serial, b"abc"), blake3_lanes::hash(b"abc"));
/// ```
pub fn hash_with_join(join: &impl Join, input: &[u8]) -> Hash {
    Hash::from_bytes(Domain::hash(Tier::detect()).root_joined(join, input))
}

/// [`keyed_hash`](crate::keyed_hash), with the halves of long inputs joined by `join`.
///
/// Inputs of [`grain`](Join::grain) bytes or less are hashed on the calling thread.
///
/// # Panics
///
/// If `join` does.
///
/// ```
/// use blake3_lanes::parallel::{Serial, keyed_hash_with_join};
///
/// let key = [7; 32];
/// let mac = keyed_hash_with_join(&Serial, &key, b"abc");
/// assert_eq!(mac, blake3_lanes::keyed_hash(&key, b"abc"));
/// ```
pub fn keyed_hash_with_join(join: &impl Join, key: &[u8; KEY_LEN], input: &[u8]) -> Hash {
    Hash::from_bytes(Domain::keyed_hash(Tier::detect(), key).root_joined(join, input))
}

/// [`derive_key`](crate::derive_key), with the halves of long key material joined by `join`.
///
/// Material of [`grain`](Join::grain) bytes or less is hashed on the calling thread.
///
/// # Panics
///
/// If `join` does.
///
/// ```
/// use blake3_lanes::parallel::{Serial, derive_key_with_join};
///
/// const CONTEXT: &str = "example.com 2025-11-30 test";
/// let key = derive_key_with_join(&Serial, CONTEXT, b"material");
/// assert_eq!(key, blake3_lanes::derive_key(CONTEXT, b"material"));
/// ```
pub fn derive_key_with_join(join: &impl Join, context: &str, key_material: &[u8]) -> [u8; OUT_LEN] {
    let tier = Tier::detect();
    let context_key = Domain::derive_key_context(tier).root(context.as_bytes());
    Domain::derive_key_material(tier, &context_key).root_joined(join, key_material)
}
