//! The traits of `digest` 0.11.

use super::major::implement;
use super::types::Hashing;
use super::{Blake3, Blake3Mac};
use crate::block_api::Blake3Core;
use crate::{Hasher, HasherState, OutputReader};
use core::fmt;
use core::str::Utf8Error;
use digest::block_api::{Block, EagerHash, UpdateCore};
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use digest::consts::U64;
use digest::consts::{U16, U2048};
use digest::{self as major, block_api, common};
use digest::{CollisionResistance, TryCustomizedInit, XofFixedWrapper};

/// [`Blake3`] with 64 bytes of output, for code that asks for `Digest<OutputSize = U64>` because it
/// was written for SHA-512: Ed25519, and hashing to scalars and points of Curve25519.
///
/// The bytes are the first 64 of the extended output. Finding a collision takes 2^128 steps, as for
/// 32 bytes, and not the 2^256 of SHA-512.
///
/// ```
/// use blake3_lanes::digest::Digest;
/// use blake3_lanes::traits::Blake3_512;
///
/// let long = Blake3_512::digest(b"abc");
/// assert_eq!(long.len(), 64);
/// assert_eq!(blake3_lanes::hash(b"abc"), long[..32]);
/// ```
pub type Blake3_512 = XofFixedWrapper<Blake3, U64>;

/// [`Blake3Mac`] with 64 bytes of output, the first of the extended output.
///
/// The key has 32 bytes all the same, and decides how hard it is to forge.
///
/// ```
/// use blake3_lanes::digest::{KeyInit, Mac};
/// use blake3_lanes::traits::Blake3Mac512;
///
/// let long = Blake3Mac512::new(&[7; 32].into()).chain_update(b"abc").finalize().into_bytes();
/// assert_eq!(long.len(), 64);
/// assert_eq!(blake3_lanes::keyed_hash(&[7; 32], b"abc"), long[..32]);
/// ```
pub type Blake3Mac512 = XofFixedWrapper<Blake3Mac, U64>;

implement!();

impl UpdateCore for Blake3Core {
    #[inline]
    fn update_blocks(&mut self, blocks: &[Block<Self>]) {
        // All at once: every lane has work.
        self.0
            .update(Block::<Self>::cast_slice_to_core(blocks).as_flattened());
    }
}

impl EagerHash for Hasher {
    type Core = Blake3Core;
}

impl EagerHash for Blake3 {
    type Core = Blake3Core;
}

/// In bytes: 128 bits (BLAKE3 paper, section 4).
impl CollisionResistance for Hasher {
    type CollisionResistance = U16;
}

/// In bytes: 128 bits (BLAKE3 paper, section 4).
impl CollisionResistance for Blake3 {
    type CollisionResistance = U16;
}

/// [`Hasher::new_derive_key`]: the customization string is the context, with all the rules for
/// contexts.
///
/// An empty one is not the plain hash, unlike in cSHAKE or KangarooTwelve.
impl TryCustomizedInit for Hasher {
    /// A context is a string, on purpose: it is written down in the program, and no data.
    type Error = Utf8Error;

    fn try_new_customized(customization: &[u8]) -> Result<Self, Utf8Error> {
        core::str::from_utf8(customization).map(Self::new_derive_key)
    }
}

/// The bytes of [`Hasher::to_bytes`], and zeros after them.
///
/// They are as secret as the key and the input, and nobody wipes them. Of a hasher with an
/// [input offset](crate::hazmat::HasherExt::set_input_offset) they cannot be read back here: see
/// [`hazmat::hasher_from_bytes`](crate::hazmat::hasher_from_bytes).
impl SerializableState for Hasher {
    type SerializedStateSize = U2048;

    fn serialize(&self) -> SerializedState<Self> {
        let mut padded = SerializedState::<Self>::default();
        let state = self.to_bytes();
        padded[..state.len()].copy_from_slice(&state);
        padded
    }

    fn deserialize(serialized: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let (state, padding) =
            HasherState::split_padded(serialized).ok_or(DeserializeStateError)?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(DeserializeStateError);
        }
        Self::from_bytes(state).map_err(|_| DeserializeStateError)
    }
}

/// As for [`Hasher`]; the state of a keyed or deriving hasher is rejected.
impl SerializableState for Blake3 {
    type SerializedStateSize = U2048;

    fn serialize(&self) -> SerializedState<Self> {
        SerializableState::serialize(&self.to_hasher())
    }

    fn deserialize(serialized: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let hasher = <Hasher as SerializableState>::deserialize(serialized)?;
        Self::from_hasher(hasher).ok_or(DeserializeStateError)
    }
}

/// As for [`Hasher`], the key included; the state of a hasher without a key, or of a deriving one,
/// is rejected.
impl SerializableState for Blake3Mac {
    type SerializedStateSize = U2048;

    fn serialize(&self) -> SerializedState<Self> {
        SerializableState::serialize(&self.0)
    }

    fn deserialize(serialized: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let hasher = <Hasher as SerializableState>::deserialize(serialized)?;
        Self::from_hasher(hasher).ok_or(DeserializeStateError)
    }
}
