//! Pieces of an input hashed apart merge into the hash of the whole, and what makes no sense is
//! refused.

use std::panic::{AssertUnwindSafe, catch_unwind};

use blake3_lanes::hazmat::{
    self, HasherExt as _, hash_derive_key_context, left_subtree_len, max_subtree_len,
    merge_subtrees_non_root, merge_subtrees_root, merge_subtrees_root_xof,
};
use blake3_lanes::{Hasher, Tier};
use proptest::prelude::*;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{CONTEXT, KEY, Mode, input};
use support::tiers;

const CHUNK: usize = 1024;

fn with_mode<T>(mode: Mode, f: impl FnOnce(hazmat::Mode<'_>) -> T) -> T {
    match mode {
        Mode::Hash => f(hazmat::Mode::Hash),
        Mode::KeyedHash => f(hazmat::Mode::KeyedHash(KEY)),
        Mode::DeriveKey => f(hazmat::Mode::DeriveKeyMaterial(&hash_derive_key_context(
            CONTEXT,
        ))),
    }
}

/// The chaining value of `input`, of which pieces of up to `piece` bytes are hashed apart.
fn merged(mode: Mode, tier: Tier, offset: u64, input: &[u8], piece: usize) -> [u8; 32] {
    if input.len() <= piece {
        return mode
            .hasher(tier)
            .set_input_offset(offset)
            .update(input)
            .finalize_non_root();
    }
    let (left, right) = input.split_at(left_subtree_len(input.len() as u64) as usize);
    let left_cv = merged(mode, tier, offset, left, piece);
    let right_cv = merged(mode, tier, offset + left.len() as u64, right, piece);
    with_mode(mode, |mode| {
        merge_subtrees_non_root(&left_cv, &right_cv, mode)
    })
}

fn check_merged(mode: Mode, input: &[u8], piece: usize) {
    let expected = mode.expected_output(input, 0, 200);
    let (left, right) = input.split_at(left_subtree_len(input.len() as u64) as usize);
    for &tier in tiers() {
        let left_cv = merged(mode, tier, 0, left, piece);
        let right_cv = merged(mode, tier, left.len() as u64, right, piece);
        let root = with_mode(mode, |mode| merge_subtrees_root(&left_cv, &right_cv, mode));
        let what = format!(
            "{mode:?} of {} bytes in pieces of {piece} on {tier}",
            input.len()
        );
        assert_eq!(root, expected[..32], "{what}");
        let mut output = [0; 200];
        with_mode(mode, |mode| {
            merge_subtrees_root_xof(&left_cv, &right_cv, mode)
        })
        .fill(&mut output);
        assert_eq!(output[..], expected, "{what}");
    }
}

#[test]
fn merged_pieces() {
    let input = input(100 * CHUNK);
    for chunks in [1, 2, 4, 8, 16, 32] {
        for len in [
            1025,
            2048,
            2049,
            3000,
            4096,
            4097,
            8192,
            16 * CHUNK,
            17 * CHUNK,
            31 * CHUNK,
            100 * CHUNK,
        ] {
            for mode in Mode::ALL {
                check_merged(mode, &input[..len], chunks * CHUNK);
            }
        }
    }
}

proptest! {
    #[test]
    fn merged_random(
        mode in proptest::sample::select(&Mode::ALL[..]),
        len in 1025..40_000usize,
        log in 0..6u32,
    ) {
        check_merged(mode, &input(len), CHUNK << log);
    }

    /// Chaining values of any bytes merge as the reference merges them.
    #[test]
    fn merges_equal_the_reference(left: [u8; 32], right: [u8; 32], key: [u8; 32]) {
        use blake3::hazmat as theirs;
        for (ours, reference) in [
            (hazmat::Mode::Hash, theirs::Mode::Hash),
            (hazmat::Mode::KeyedHash(&key), theirs::Mode::KeyedHash(&key)),
            (hazmat::Mode::DeriveKeyMaterial(&key), theirs::Mode::DeriveKeyMaterial(&key)),
        ] {
            prop_assert_eq!(
                merge_subtrees_non_root(&left, &right, ours),
                theirs::merge_subtrees_non_root(&left, &right, reference)
            );
            prop_assert_eq!(
                merge_subtrees_root(&left, &right, ours),
                *theirs::merge_subtrees_root(&left, &right, reference).as_bytes()
            );
            let (mut output, mut expected) = ([0; 1100], [0; 1100]);
            merge_subtrees_root_xof(&left, &right, ours).fill(&mut output);
            theirs::merge_subtrees_root_xof(&left, &right, reference).fill(&mut expected);
            prop_assert_eq!(output, expected);
        }
    }

    #[test]
    fn context_keys(context in ".{0,300}", input in prop::collection::vec(any::<u8>(), 0..3000)) {
        let key = hash_derive_key_context(&context);
        prop_assert_eq!(key, blake3::hazmat::hash_derive_key_context(&context));
        let expected = blake3::derive_key(&context, &input);
        let hasher = &mut Hasher::new_from_context_key(&key);
        prop_assert_eq!(*hasher.update(&input).finalize().as_bytes(), expected);
    }
}

#[test]
fn subtree_lengths() {
    assert_eq!(max_subtree_len(0), None);
    for shift in 0..54 {
        for odd in [1, 3, 5, 0x1F_FFFF] {
            let Some(chunk) = (odd << shift < 1u64 << 54).then_some(odd << shift) else {
                continue;
            };
            assert_eq!(
                max_subtree_len(chunk << 10),
                Some(1024 << shift),
                "at chunk {chunk}"
            );
        }
    }
    let edges = (10..64).flat_map(|shift| [(1u64 << shift) - 1, 1 << shift, (1 << shift) + 1]);
    for len in edges
        .filter(|len| *len > 1024)
        .chain(1025..9000)
        .chain([3 << 40, 5 << 60])
    {
        let left = left_subtree_len(len);
        assert_eq!(left, blake3::hazmat::left_subtree_len(len), "of {len}");
        assert!(
            left.is_power_of_two() && left < len && len - left <= left,
            "of {len}"
        );
    }
}

/// A subtree may be full, and then take nothing more.
#[test]
fn full_subtrees_are_fine() {
    let input = input(4 * CHUNK);
    for &tier in tiers() {
        for (chunk, chunks) in [(1, 1), (2, 2), (3, 1), (4, 4), (12, 4), (1 << 40, 4)] {
            let mut hasher = Hasher::on_tier(tier);
            let offset = chunk * CHUNK as u64;
            hasher
                .set_input_offset(offset)
                .update(&input[..chunks * CHUNK])
                .update(&[]);
            let mut reference = blake3::Hasher::new();
            blake3::hazmat::HasherExt::set_input_offset(&mut reference, offset)
                .update(&input[..chunks * CHUNK]);
            let expected = blake3::hazmat::HasherExt::finalize_non_root(&reference);
            assert_eq!(
                hasher.finalize_non_root(),
                expected,
                "{chunks} chunks at {chunk} on {tier}"
            );
        }
    }
}

#[test]
fn offset_zero_is_a_root_too() {
    let input = input(5000);
    for &tier in tiers() {
        let mut hasher = Hasher::on_tier(tier);
        hasher.set_input_offset(0).update(&input);
        assert_eq!(hasher.finalize(), Mode::Hash.expected(&input));
    }
}

/// "The initial state", which is one without an offset.
#[test]
fn reset_forgets_the_offset() {
    let input = input(5000);
    for &tier in tiers() {
        for mode in Mode::ALL {
            let mut hasher = mode.hasher(tier);
            hasher
                .set_input_offset(8 * CHUNK as u64)
                .update(&input)
                .reset();
            assert_eq!(hasher.count(), 0);
            assert_eq!(
                hasher.update(&input).finalize(),
                mode.expected(&input),
                "{mode:?} on {tier}"
            );
        }
    }
}

#[track_caller]
fn refused(what: &str, f: impl FnOnce()) {
    assert!(
        catch_unwind(AssertUnwindSafe(f)).is_err(),
        "not refused: {what}"
    );
}

#[test]
#[cfg_attr(panic = "abort", ignore = "a panic ends the program")]
fn misuse_is_refused() {
    for &tier in tiers() {
        let hasher = || Hasher::on_tier(tier);
        refused("an empty subtree", || {
            hasher().finalize_non_root();
        });
        refused("an empty subtree at an offset", || {
            hasher().set_input_offset(1024).finalize_non_root();
        });
        for offset in [1, 64, 1023, 1025, u64::MAX] {
            refused("an offset inside a chunk", || {
                hasher().set_input_offset(offset);
            });
        }
        refused("an offset after input", || {
            hasher().update(b"x").set_input_offset(0);
        });
        refused("an offset after many chunks", || {
            hasher().update(&[0; 4096]).set_input_offset(4096);
        });
        refused("a root at an offset", || {
            hasher().set_input_offset(1024).finalize();
        });
        refused("a root with input at an offset", || {
            hasher().set_input_offset(1024).update(b"x").finalize();
        });
        refused("output at an offset", || {
            hasher().set_input_offset(1024).finalize_xof();
        });
        for (chunk, chunks) in [
            (1, 1),
            (2, 2),
            (3, 1),
            (4, 4),
            (24, 8),
            ((1 << 32) + 16, 16),
        ] {
            refused("more than a subtree", || {
                hasher()
                    .set_input_offset(chunk * 1024)
                    .update(&vec![0; chunks * 1024 + 1]);
            });
            refused("more than a subtree, in pieces", || {
                hasher()
                    .set_input_offset(chunk * 1024)
                    .update(&vec![0; chunks * 1024])
                    .update(&[0]);
            });
        }
        for offset in [1, 1025] {
            refused("the subtree of an offset inside a chunk", || {
                max_subtree_len(offset);
            });
        }
    }
}
