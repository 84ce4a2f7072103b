//! `Hash` in the forms that the `blake3` crate gives it, which derives them.

use super::Hash;
use crate::OUT_LEN;
use core::fmt;
use serde_core::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// As the `blake3` crate does: 32 numbers, without a length where the format has tuples.
impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("Hash", self.as_bytes())
    }
}

/// As the `blake3` crate does: 32 numbers. Where the format says what it holds (CBOR, for one), a
/// string of 32 bytes is read too, which version 1.5.2 of that crate wrote.
impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct("Hash", Newtype)
    }
}

struct Newtype;

impl<'de> Visitor<'de> for Newtype {
    type Value = Hash;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hash of 32 bytes")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Hash, D::Error> {
        inner.deserialize_tuple(OUT_LEN, Bytes)
    }

    /// From formats that do not show newtypes: a sequence of one thing, as derived code reads it.
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Hash, A::Error> {
        match seq.next_element::<[u8; OUT_LEN]>()? {
            Some(bytes) => Ok(Hash(bytes)),
            None => Err(A::Error::invalid_length(0, &self)),
        }
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Hash;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("32 bytes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Hash, A::Error> {
        let mut bytes = [0; OUT_LEN];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = match seq.next_element()? {
                Some(byte) => byte,
                None => return Err(A::Error::invalid_length(i, &self)),
            };
        }
        Ok(Hash(bytes))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Hash, E> {
        Hash::from_slice(bytes).map_err(|_| E::invalid_length(bytes.len(), &self))
    }
}
