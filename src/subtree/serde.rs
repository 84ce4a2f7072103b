//! Subtrees by serde: a string of hexadecimal digits in formats for people, bytes in others.

use super::Subtree;
use core::fmt;
use serde_core::de::{Error, SeqAccess, Visitor};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use std::string::String;

/// [`Subtree::to_bytes`], as bytes, or as hexadecimal digits in formats for people.
impl Serialize for Subtree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.to_bytes();
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(&bytes);
        }
        let mut hex = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                hex.extend(char::from_digit(digit.into(), 16));
            }
        }
        serializer.serialize_str(&hex)
    }
}

/// What [`Subtree::from_bytes`] takes.
impl<'de> Deserialize<'de> for Subtree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Bytes)
        } else {
            deserializer.deserialize_bytes(Bytes)
        }
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Subtree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a subtree of {} bytes, or its hexadecimal digits",
            Subtree::BYTES
        )
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Subtree, E> {
        Subtree::from_bytes(bytes).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, hex: &str) -> Result<Subtree, E> {
        let wrong = || E::custom("not a subtree: expected 264 hexadecimal digits");
        let mut bytes = [0; Subtree::BYTES];
        if hex.len() != 2 * bytes.len() {
            return Err(wrong());
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().as_chunks::<2>().0) {
            let digit = |digit: u8| char::from(digit).to_digit(16).ok_or_else(wrong);
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        self.visit_bytes(&bytes)
    }

    /// For formats without bytes.
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Subtree, A::Error> {
        let mut bytes = [0; Subtree::BYTES];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let next = seq.next_element()?;
            *byte = next.ok_or_else(|| A::Error::invalid_length(at, &self))?;
        }
        self.visit_bytes(&bytes)
    }
}
