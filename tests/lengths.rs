//! Every length hashes right: all the short ones, and those around the edges of what a kernel takes
//! in one pass.

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{Mode, input};
use support::tiers;

/// Up to here every length.
const SHORT: usize = 9000;
/// The edges of passes of 4, 8 and 16 chunks are all multiples of this.
const STEP: usize = 4096;
const LONG: usize = 128 * 1024;
const AROUND: usize = 70;

fn edges() -> impl Iterator<Item = usize> {
    (STEP..=LONG)
        .step_by(STEP)
        .flat_map(|edge| edge - AROUND..=edge + AROUND)
        .filter(|len| *len > SHORT)
}

fn check_one_shot(mode: Mode, lengths: impl Iterator<Item = usize>) {
    let input = input(LONG + AROUND);
    for len in lengths {
        let expected = mode.expected(&input[..len]);
        for &tier in tiers() {
            assert_eq!(
                mode.hash(tier, &input[..len]),
                expected,
                "{mode:?} of {len} bytes on {tier}"
            );
        }
    }
}

/// In two pieces, of which the first ends anywhere.
fn check_incremental(mode: Mode, lengths: impl Iterator<Item = usize>) {
    let input = input(LONG + AROUND);
    for len in lengths {
        let expected = mode.expected(&input[..len]);
        // Multiplied by a large odd number, so that the cuts of neighbouring lengths lie far apart.
        let cut = ((len as u64 * 2_654_435_761) >> 16) as usize % (len + 1);
        for &tier in tiers() {
            let (left, right) = input[..len].split_at(cut);
            let digest = mode.hasher(tier).update(left).update(right).finalize();
            assert_eq!(
                digest,
                expected,
                "{mode:?} of {cut} + {} bytes on {tier}",
                right.len()
            );
        }
    }
}

#[test]
fn short_one_shot() {
    for mode in Mode::ALL {
        check_one_shot(mode, 0..=SHORT);
    }
}

#[test]
fn short_incremental() {
    check_incremental(Mode::Hash, 0..=SHORT);
}

#[test]
fn edges_one_shot() {
    check_one_shot(Mode::Hash, edges());
}

#[test]
fn edges_incremental() {
    check_incremental(Mode::KeyedHash, edges());
}

/// One hasher that is asked for its digest after every byte.
#[test]
fn growing() {
    let input = input(SHORT);
    for &tier in tiers() {
        let mut hasher = Mode::DeriveKey.hasher(tier);
        let mut reference = Mode::DeriveKey.reference();
        for (len, byte) in input.iter().enumerate() {
            assert_eq!(
                *hasher.finalize().as_bytes(),
                *reference.finalize().as_bytes(),
                "after {len} bytes on {tier}"
            );
            hasher.update(&[*byte]);
            reference.update(&[*byte]);
        }
    }
}

/// A single update of a power of two of chunks must leave the last ones for the root.
#[test]
fn powers_of_two() {
    let input = input(1024 << 12);
    for k in 0..=12 {
        for len in [(1024 << k) - 1, 1024 << k] {
            let expected = Mode::Hash.expected(&input[..len]);
            for &tier in tiers() {
                let digest = Mode::Hash.hasher(tier).update(&input[..len]).finalize();
                assert_eq!(digest, expected, "{len} bytes on {tier}");
            }
        }
    }
}

/// More than any one call of the library hands to the kernels at once, whole and broken numbers of
/// chunks.
#[test]
fn many_chunks() {
    let chunks = (126..=131)
        .chain(191..=193)
        .chain(254..=259)
        .chain([383, 385, 511, 512, 513, 1000]);
    let lengths: Vec<usize> = chunks
        .flat_map(|n| [n * 1024 - 1, n * 1024, n * 1024 + 1])
        .collect();
    let input = input(1001 * 1024);
    for len in lengths {
        let expected = Mode::Hash.expected(&input[..len]);
        for &tier in tiers() {
            assert_eq!(
                Mode::Hash.hash(tier, &input[..len]),
                expected,
                "{len} bytes on {tier}"
            );
        }
    }
}

#[test]
#[ignore = "gigabytes"]
fn every_length() {
    check_one_shot(Mode::Hash, 0..=LONG + AROUND);
}

#[test]
#[ignore = "gigabytes"]
fn every_mode() {
    for mode in Mode::ALL {
        check_one_shot(mode, edges());
        check_incremental(mode, (0..=SHORT).chain(edges()));
    }
}
