//! The three modes of BLAKE3, of ours and of the reference, and the input that the published
//! vectors use.

// Each test program takes what it needs of this.
#![allow(dead_code)]

use blake3_lanes::{Hasher, Tier};

/// The key of the published vectors.
pub(crate) const KEY: &[u8; 32] = b"whats the Elvish word for friend";
/// The context of the published vectors.
pub(crate) const CONTEXT: &str = "BLAKE3 2019-12-27 16:29:52 test vectors context";

/// The input of the published vectors: a period of 251, prime to every power of two, tells all
/// blocks and chunks apart.
pub(crate) fn input(len: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..251).collect();
    while bytes.len() < len {
        bytes.extend_from_within(..);
    }
    bytes.truncate(len);
    bytes
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Hash,
    KeyedHash,
    DeriveKey,
}

impl Mode {
    pub(crate) const ALL: [Self; 3] = [Self::Hash, Self::KeyedHash, Self::DeriveKey];

    /// Ours in one call.
    pub(crate) fn hash(self, tier: Tier, input: &[u8]) -> [u8; 32] {
        match self {
            Self::Hash => blake3_lanes::hash_on_tier(tier, input).into(),
            Self::KeyedHash => blake3_lanes::keyed_hash_on_tier(tier, KEY, input).into(),
            Self::DeriveKey => blake3_lanes::derive_key_on_tier(tier, CONTEXT, input),
        }
    }

    /// Ours in steps.
    pub(crate) fn hasher(self, tier: Tier) -> Hasher {
        match self {
            Self::Hash => Hasher::on_tier(tier),
            Self::KeyedHash => Hasher::new_keyed_on_tier(tier, KEY),
            Self::DeriveKey => Hasher::new_derive_key_on_tier(tier, CONTEXT),
        }
    }

    /// The reference in steps.
    pub(crate) fn reference(self) -> blake3::Hasher {
        match self {
            Self::Hash => blake3::Hasher::new(),
            Self::KeyedHash => blake3::Hasher::new_keyed(KEY),
            Self::DeriveKey => blake3::Hasher::new_derive_key(CONTEXT),
        }
    }

    /// What the reference says.
    pub(crate) fn expected(self, input: &[u8]) -> [u8; 32] {
        self.reference().update(input).finalize().into()
    }

    /// What the reference says of `len` bytes of extended output from `position` on.
    pub(crate) fn expected_output(self, input: &[u8], position: u64, len: usize) -> Vec<u8> {
        let mut output = vec![0; len];
        let mut reader = self.reference().update(input).finalize_xof();
        reader.set_position(position);
        reader.fill(&mut output);
        output
    }
}
