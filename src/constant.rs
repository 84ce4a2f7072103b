//! BLAKE3 in constants: the functions of the crate's root as `const fn`.
//!
//! They give what [`hash`](crate::hash), [`keyed_hash`](crate::keyed_hash) and
//! [`derive_key`](crate::derive_key) give, on the `portable` tier, which the compiler can run. At
//! run time, those are many times faster.
//!
//! The compiler runs them slowly, and warns (by the lint `long_running_const_eval`, an error unless
//! allowed) from an input of some hundred KiB on.
//!
//! ```
//! use blake3_lanes::{Hash, constant};
//!
//! const SCHEMA: Hash = constant::hash(include_bytes!("../Cargo.toml"));
//! # // The file lies beside the sources.
//! assert_eq!(SCHEMA, blake3_lanes::hash(include_bytes!("../Cargo.toml")));
//! ```

use crate::tier::words_from_bytes;
use crate::tier::{BLOCK_LEN, CHUNK_LEN, Words, block_words, bytes_from_words, flags, portable};
use crate::{Hash, KEY_LEN, OUT_LEN};

/// [`hash`](crate::hash), in constants.
///
/// The input has any length; see the [module](self) for the time that it takes to compile.
///
/// ```
/// const DIGEST: blake3_lanes::Hash = blake3_lanes::constant::hash(b"abc");
/// assert_eq!(DIGEST, blake3_lanes::hash(b"abc"));
/// ```
pub const fn hash(input: &[u8]) -> Hash {
    Hash::from_bytes(root(&portable::IV, 0, input))
}

/// [`keyed_hash`](crate::keyed_hash), in constants.
///
/// A key in a constant is in the program, for all to read: it is no secret. The input has any
/// length.
///
/// ```
/// const TAG: blake3_lanes::Hash = blake3_lanes::constant::keyed_hash(&[7; 32], b"abc");
/// assert_eq!(TAG, blake3_lanes::keyed_hash(&[7; 32], b"abc"));
/// ```
pub const fn keyed_hash(key: &[u8; KEY_LEN], input: &[u8]) -> Hash {
    let key = words_from_bytes(key);
    Hash::from_bytes(root(&key, flags::KEYED_HASH, input))
}

/// [`derive_key`](crate::derive_key), in constants.
///
/// What is derived in a constant is in the program, for all to read: it is no secret. For the
/// context of secrets that are derived at run time see
/// [`context_key`]. Both inputs have any length.
///
/// ```
/// const KEY: [u8; 32] = blake3_lanes::constant::derive_key("example.com 2025-11-30 test", b"abc");
/// assert_eq!(KEY, blake3_lanes::derive_key("example.com 2025-11-30 test", b"abc"));
/// ```
pub const fn derive_key(context: &str, key_material: &[u8]) -> [u8; OUT_LEN] {
    let key = words_from_bytes(&context_key(context));
    root(&key, flags::DERIVE_KEY_MATERIAL, key_material)
}

/// [`hazmat::hash_derive_key_context`](crate::hazmat::hash_derive_key_context), in constants: so
/// that a context written down in the program, as contexts should be, is not hashed at run time.
///
/// ```
/// use blake3_lanes::hazmat::{ContextKey, HasherExt};
/// use blake3_lanes::{Hasher, constant, derive_key};
///
/// const CONTEXT: ContextKey = constant::context_key("example.com 2025-11-30 test");
/// let mut hasher = Hasher::new_from_context_key(&CONTEXT);
/// hasher.update(b"material");
/// assert_eq!(hasher.finalize(), derive_key("example.com 2025-11-30 test", b"material"));
/// ```
pub const fn context_key(context: &str) -> crate::hazmat::ContextKey {
    root(&portable::IV, flags::DERIVE_KEY_CONTEXT, context.as_bytes())
}

const fn root(key: &Words, flags: u32, input: &[u8]) -> [u8; OUT_LEN] {
    bytes_from_words(&subtree(key, flags, input, 0, flags::ROOT))
}

/// The chaining value of a subtree whose first chunk has this counter; with the root flag in `root`,
/// the hash (BLAKE3 paper, section 2.1).
const fn subtree(key: &Words, flags: u32, input: &[u8], counter: u64, root: u32) -> Words {
    if input.len() <= CHUNK_LEN {
        return chunk(key, flags, input, counter, root);
    }
    let chunks = 1 << ((input.len() - 1) / CHUNK_LEN).ilog2();
    let (left, right) = input.split_at(chunks * CHUNK_LEN);
    let left = subtree(key, flags, left, counter, 0);
    let right = subtree(key, flags, right, counter + chunks as u64, 0);
    let mut block = [0; 16];
    let (low, high) = block.split_at_mut(8);
    low.copy_from_slice(&left);
    high.copy_from_slice(&right);
    let output = portable::compress(
        key,
        &block,
        0,
        BLOCK_LEN as u32,
        flags | flags::PARENT | root,
    );
    first_half(&output)
}

const fn chunk(key: &Words, flags: u32, mut input: &[u8], counter: u64, root: u32) -> Words {
    let mut cv = *key;
    let mut start = flags::CHUNK_START;
    loop {
        let last = input.len() <= BLOCK_LEN;
        let len = if last { input.len() } else { BLOCK_LEN };
        let (bytes, rest) = input.split_at(len);
        let mut block = [0; BLOCK_LEN];
        block.split_at_mut(len).0.copy_from_slice(bytes);
        let end = if last { flags::CHUNK_END | root } else { 0 };
        let words = block_words(&block);
        cv = first_half(&portable::compress(
            &cv,
            &words,
            counter,
            len as u32,
            flags | start | end,
        ));
        if last {
            return cv;
        }
        start = 0;
        input = rest;
    }
}

const fn first_half(output: &[u32; 16]) -> Words {
    let mut words = [0; 8];
    words.copy_from_slice(output.split_at(8).0);
    words
}
