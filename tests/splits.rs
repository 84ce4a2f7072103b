//! How the input is cut into updates changes nothing, nor does what was done with the hasher
//! before.

use proptest::collection::vec;
use proptest::prelude::*;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{Mode, input};
use support::tiers;

/// Hashes `pieces` of `input`, from its start, in one update each.
fn check(mode: Mode, input: &[u8], pieces: impl Iterator<Item = usize> + Clone) {
    let total = pieces.clone().sum();
    let expected = mode.expected(&input[..total]);
    for &tier in tiers() {
        let mut hasher = mode.hasher(tier);
        let mut rest = &input[..total];
        for piece in pieces.clone() {
            let (now, later) = rest.split_at(piece);
            hasher.update(now);
            rest = later;
            assert_eq!(
                hasher.count(),
                (total - rest.len()) as u64,
                "after a piece of {piece} bytes on {tier}"
            );
        }
        let pieces: Vec<usize> = pieces.clone().take(20).collect();
        assert_eq!(
            hasher.finalize(),
            expected,
            "{mode:?} of {total} bytes in pieces {pieces:?} ... on {tier}"
        );
    }
}

fn mode() -> impl Strategy<Value = Mode> {
    proptest::sample::select(&Mode::ALL[..])
}

/// Lengths of updates: none, a few bytes, near the edges of blocks and chunks, and more than the
/// widest pass.
fn piece() -> impl Strategy<Value = usize> {
    prop_oneof![
        1 => Just(0usize),
        3 => 1..=130usize,
        3 => (0..=4usize, -2..=2isize).prop_map(|(n, d)| (64usize << n).saturating_add_signed(d)),
        3 => (1..=33usize, -65..=65isize).prop_map(|(n, d)| (1024 * n).saturating_add_signed(d)),
        1 => 0..=40_000usize,
    ]
}

proptest! {
    #[test]
    fn random_pieces(mode in mode(), pieces in vec(piece(), 0..12)) {
        let input = input(pieces.iter().sum());
        check(mode, &input, pieces.iter().copied());
    }

    /// Random bytes too, for once.
    #[test]
    fn random_bytes(
        mode in mode(),
        input in vec(any::<u8>(), 0..5000),
        cut in any::<prop::sample::Index>(),
    ) {
        let cut = cut.index(input.len() + 1);
        check(mode, &input, [cut, input.len() - cut].into_iter());
    }

    /// What was done with a hasher before, a reset forgets, and a copy does not share.
    #[test]
    fn dirty_reuse(mode in mode(), before in vec(piece(), 0..6), after in vec(piece(), 0..6)) {
        let input = input(before.iter().chain(&after).sum());
        let before_total: usize = before.iter().sum();
        let both = mode.expected(&input);
        let (left, right) = input.split_at(before_total);
        let (only_left, only_right) = (mode.expected(left), mode.expected(right));
        for &tier in tiers() {
            let mut hasher = mode.hasher(tier);
            feed(&mut hasher, left, &before);
            prop_assert_eq!(hasher.finalize(), only_left);
            prop_assert_eq!(hasher.finalize(), only_left, "twice");
            let mut output = [0; 100];
            hasher.finalize_xof().fill(&mut output);
            prop_assert_eq!(&output[..32], &only_left[..]);

            let mut copy = hasher.clone();
            feed(&mut hasher, right, &after);
            prop_assert_eq!(hasher.finalize(), both, "more input after finalize");
            prop_assert_eq!(copy.finalize(), only_left, "the copy knows nothing of it");
            feed(&mut copy, right, &after);
            prop_assert_eq!(copy.finalize(), both, "the copy goes on by itself");

            hasher.reset();
            prop_assert_eq!(hasher.count(), 0);
            prop_assert_eq!(hasher.finalize(), mode.expected(&[]));
            feed(&mut hasher, right, &after);
            prop_assert_eq!(hasher.finalize(), only_right, "after a reset");
            prop_assert_eq!(copy.finalize(), both, "the reset of the other");

            // A copy over a hasher in use.
            hasher.clone_from(&copy);
            prop_assert_eq!(hasher.finalize(), both);
        }
    }
}

fn feed(hasher: &mut blake3_lanes::Hasher, mut input: &[u8], pieces: &[usize]) {
    for &piece in pieces {
        let (now, later) = input.split_at(piece);
        hasher.update(now);
        input = later;
    }
    assert_eq!(input, []);
}

/// A buffer that is partly full, then an update that ends exactly on a chunk.
#[test]
fn ends_on_a_chunk() {
    let input = input(32 * 1024);
    for first in [1, 63, 64, 65, 512, 1023] {
        for chunks in [1, 2, 3, 4, 7, 8, 15, 16, 17, 32] {
            for mode in Mode::ALL {
                check(mode, &input, [first, chunks * 1024 - first].into_iter());
                check(
                    mode,
                    &input,
                    [first, 0, chunks * 1024 - first, 0].into_iter(),
                );
            }
        }
    }
}

/// A few bytes or chunks first, so that all that follows is out of step with the passes of the
/// kernels.
#[test]
fn odd_prefixes() {
    let input = input(8 * 1024 + 65 * 1024 + 7);
    for prefix in [
        1,
        8,
        64,
        1023,
        1024,
        1025,
        2048,
        3 * 1024,
        3 * 1024 + 1,
        5 * 1024,
        7 * 1024,
        8 * 1024 - 1,
    ] {
        for len in [
            1,
            1024,
            2048,
            4096,
            8192,
            8192 + 64,
            16 * 1024,
            16 * 1024 + 1,
            64 * 1024,
            65 * 1024 + 7,
        ] {
            check(Mode::Hash, &input, [prefix, len].into_iter());
        }
    }
}

/// Pieces of many chunks, at every kind of distance from the start.
#[test]
fn long_pieces() {
    let input = input(600 * 1024);
    let chunks = [1, 2, 5, 63, 64, 65, 127, 128, 129, 130, 255, 257];
    for (i, first) in chunks.into_iter().enumerate() {
        for (j, second) in chunks.into_iter().enumerate() {
            // Off an edge of chunks or on one, at either end.
            let (head, tail) = (i % 3 * 500, j % 2 * 64);
            check(
                Mode::Hash,
                &input,
                [first * 1024 + head, second * 1024 + tail].into_iter(),
            );
        }
    }
}

/// All pieces of the same length, of every length up to two blocks and around the edges.
#[test]
fn equal_pieces() {
    const LEN: usize = 10_000;
    let input = input(LEN);
    let edges = [
        255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 4095, 4096, 4097,
        9999,
    ];
    for size in (1..=130).chain(edges) {
        check(
            Mode::KeyedHash,
            &input,
            (0..LEN).step_by(size).map(|start| size.min(LEN - start)),
        );
    }
}

/// Pieces of 1, 2, 3, ... bytes, and back down.
#[test]
fn growing_pieces() {
    let input = input(300 * 301);
    check(Mode::DeriveKey, &input, 1..=300);
    check(Mode::DeriveKey, &input, (1..=300).rev());
    check(
        Mode::DeriveKey,
        &input,
        (1..=300).flat_map(|n| [n, 301 - n]),
    );
}

/// Every pair of cuts of an input of a few blocks.
#[test]
fn every_pair_of_cuts() {
    let input = input(200);
    for first in 0..=200 {
        for second in first..=200 {
            check(
                Mode::Hash,
                &input,
                [first, second - first, 200 - second].into_iter(),
            );
        }
    }
}

/// Every cut of some whole chunks, and of a little more and less.
#[test]
#[ignore = "gigabytes"]
fn every_cut() {
    for len in [
        2047,
        2048,
        2049,
        4096,
        8192,
        16 * 1024,
        16 * 1024 + 1,
        17 * 1024,
        33 * 1024,
    ] {
        let input = input(len);
        for cut in 0..=len {
            check(Mode::Hash, &input, [cut, len - cut].into_iter());
        }
    }
}
