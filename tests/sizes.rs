//! What the types are, apart from what they do: their sizes, and the traits that code which names
//! them counts on.
#![cfg(feature = "std")]

use std::fmt::{Debug, Display};
use std::hash::Hash as StdHash;
use std::io::{Read, Seek, Write};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::str::FromStr;

use blake3_lanes::hazmat::{ChainingValue, ContextKey, HasherExt, Mode};
use blake3_lanes::{BLOCK_LEN, Hash, Hasher, HexError, OutputReader, Tier};

const CACHE_LINE: usize = 64;

#[test]
fn states_are_small() {
    assert_eq!(size_of::<Hash>(), 32);
    assert_eq!(align_of::<Hash>(), 1);
    assert!(size_of::<Tier>() <= 2);
    let (ours, theirs) = (size_of::<Hasher>(), size_of::<blake3::Hasher>());
    assert!(
        ours <= theirs + CACHE_LINE,
        "a hasher takes {ours} bytes, theirs {theirs}"
    );
    // Ours keeps the block that it stands in, so that reading it in small pieces compresses once,
    // and remembers which that is.
    let (ours, theirs) = (size_of::<OutputReader>(), size_of::<blake3::OutputReader>());
    assert!(
        ours <= theirs + BLOCK_LEN + 16,
        "a reader takes {ours} bytes, theirs {theirs}"
    );
}

// These compile, or they do not.

fn moves_anywhere<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + Debug + Clone + 'static>() {
}

#[test]
fn traits() {
    moves_anywhere::<Hash>();
    moves_anywhere::<Hasher>();
    moves_anywhere::<OutputReader>();
    moves_anywhere::<HexError>();
    moves_anywhere::<Tier>();
    moves_anywhere::<Mode<'static>>();

    fn bytes<T: From<[u8; 32]> + Into<[u8; 32]> + PartialEq<[u8; 32]> + PartialEq<[u8]>>() {}
    bytes::<Hash>();
    fn value<T: Copy + Eq + StdHash + Display + FromStr<Err = HexError>>() {}
    value::<Hash>();
    fn hasher<T: Default + Write + HasherExt>() {}
    hasher::<Hasher>();
    fn reader<T: Read + Seek>() {}
    reader::<OutputReader>();
    fn tier<T: Copy + Eq + Ord + StdHash + Display>() {}
    tier::<Tier>();
    fn error<T: std::error::Error>() {}
    error::<HexError>();
}

/// The signatures of the `blake3` crate.
#[test]
fn signatures() {
    let _: fn(&[u8]) -> Hash = blake3_lanes::hash;
    let _: fn(&[u8; 32], &[u8]) -> Hash = blake3_lanes::keyed_hash;
    let _: fn(&str, &[u8]) -> [u8; 32] = blake3_lanes::derive_key;
    let _: fn() -> Hasher = Hasher::new;
    let _: fn(&[u8; 32]) -> Hasher = Hasher::new_keyed;
    let _: fn(&str) -> Hasher = Hasher::new_derive_key;
    let _: for<'a> fn(&'a mut Hasher, &[u8]) -> &'a mut Hasher = Hasher::update;
    let _: for<'a> fn(&'a mut Hasher) -> &'a mut Hasher = Hasher::reset;
    let _: fn(&Hasher) -> Hash = Hasher::finalize;
    let _: fn(&Hasher) -> OutputReader = Hasher::finalize_xof;
    let _: fn(&Hasher) -> u64 = Hasher::count;
    let _: fn(&mut OutputReader, &mut [u8]) = OutputReader::fill;
    let _: fn(&OutputReader) -> u64 = OutputReader::position;
    let _: fn(&mut OutputReader, u64) = OutputReader::set_position;
    let _: fn(&[u8; 32]) -> Hasher = Hasher::new_from_context_key;
    let _: for<'a> fn(&'a mut Hasher, u64) -> &'a mut Hasher = Hasher::set_input_offset;
    let _: fn(&Hasher) -> ChainingValue = Hasher::finalize_non_root;
    let _: fn(&str) -> ContextKey = blake3_lanes::hazmat::hash_derive_key_context;

    const { assert!(blake3_lanes::OUT_LEN == 32 && blake3_lanes::KEY_LEN == 32) };
    const { assert!(BLOCK_LEN == 64 && blake3_lanes::CHUNK_LEN == 1024) };
    const HASH: Hash = Hash::from_bytes([7; 32]);
    const BYTES: &[u8; 32] = HASH.as_bytes();
    const SLICE: &[u8] = HASH.as_slice();
    assert_eq!(BYTES[..], *SLICE);
}
