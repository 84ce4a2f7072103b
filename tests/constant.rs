//! The constant functions, run by the compiler, beside the others.

use blake3_lanes::hazmat::ContextKey;
use blake3_lanes::{Hash, constant};

#[path = "support/modes.rs"]
mod modes;

use modes::{CONTEXT, KEY, Mode};

const LEN: usize = 3 * 1024 + 100;

/// The input of `modes::input`, in a constant.
const INPUT: [u8; LEN] = {
    let mut input = [0; LEN];
    let mut i = 0;
    while i < LEN {
        input[i] = (i % 251) as u8;
        i += 1;
    }
    input
};

const fn first(len: usize) -> &'static [u8] {
    INPUT.split_at(len).0
}

const LENS: [usize; 14] = [
    0, 1, 63, 64, 65, 128, 1023, 1024, 1025, 2048, 2049, 3071, 3072, LEN,
];

const HASHES: [Hash; LENS.len()] = {
    let mut hashes = [Hash::from_bytes([0; 32]); LENS.len()];
    let mut i = 0;
    while i < LENS.len() {
        hashes[i] = constant::hash(first(LENS[i]));
        i += 1;
    }
    hashes
};

const KEYED: Hash = constant::keyed_hash(KEY, &INPUT);
const DERIVED: [u8; 32] = constant::derive_key(CONTEXT, &INPUT);
const CONTEXT_KEY: ContextKey = constant::context_key(CONTEXT);

#[test]
fn in_constants() {
    for (len, hash) in LENS.into_iter().zip(HASHES) {
        assert_eq!(hash, Mode::Hash.expected(&INPUT[..len]), "{len} bytes");
    }
    assert_eq!(KEYED, Mode::KeyedHash.expected(&INPUT));
    assert_eq!(DERIVED, Mode::DeriveKey.expected(&INPUT));
    assert_eq!(
        CONTEXT_KEY,
        blake3_lanes::hazmat::hash_derive_key_context(CONTEXT)
    );
}

#[test]
fn at_run_time() {
    let lens = (0..=2100)
        .step_by(13)
        .chain((1..40).map(|i| 1024 * i))
        .chain((1..40).map(|i| 1024 * i + 1));
    let input = modes::input(40 * 1024);
    for len in lens {
        let input = &input[..len];
        assert_eq!(constant::hash(input), Mode::Hash.expected(input));
        assert_eq!(
            constant::keyed_hash(KEY, input),
            Mode::KeyedHash.expected(input)
        );
        assert_eq!(
            constant::derive_key(CONTEXT, input),
            Mode::DeriveKey.expected(input)
        );
    }
}
