//! Extended output: the same bytes from any position, in any pieces, by any threads, near the end of
//! what is defined and beyond it, and nothing is written but the buffer.

use std::time::Instant;

use blake3_lanes::parallel::{Join, Serial};
use blake3_lanes::{Hasher, OutputReader, Tier};
use proptest::prelude::*;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::Mode;
use support::tiers;

const CANARY: u8 = 0xc4;

/// What a call fills, in the middle of canaries.
fn filled(len: usize, fill: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = vec![CANARY; len + 128];
    fill(&mut bytes[64..64 + len]);
    let around = [&bytes[..64], &bytes[64 + len..]].concat();
    assert!(
        around.iter().all(|byte| *byte == CANARY),
        "around {len} bytes"
    );
    bytes[64..64 + len].to_vec()
}

fn reader(mode: Mode, tier: Tier) -> OutputReader {
    mode.hasher(tier).update(b"output").finalize_xof()
}

/// All ways of filling, against the reference.
fn check(mode: Mode, tier: Tier, position: u64, len: usize) {
    let expected = mode.expected_output(b"output", position, len);
    let what = || format!("{mode:?} on {tier}: {len} bytes at {position:#x}");
    let mut moved = reader(mode, tier);
    moved.set_position(position);
    assert!(
        filled(len, |buf| moved.clone().fill(buf)) == expected,
        "{}",
        what()
    );
    assert!(
        filled(len, |buf| moved.fill_at(position, buf)) == expected,
        "{}",
        what()
    );
    let at = reader(mode, tier);
    assert!(
        filled(len, |buf| at.fill_at(position, buf)) == expected,
        "{}",
        what()
    );
    assert_eq!(at.position(), 0);
    assert!(
        filled(len, |buf| moved.fill_with_join(&Backwards, buf)) == expected,
        "{}",
        what()
    );
    assert_eq!(
        moved.position(),
        position.saturating_add(len as u64),
        "{}",
        what()
    );
}

/// A [`Join`] that does one after the other, the second first.
struct Backwards;

impl Join for Backwards {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let b = b();
        (a(), b)
    }
}

#[test]
fn any_length_from_any_place_in_a_block() {
    for &tier in tiers() {
        for start in [0, 1, 31, 32, 60, 63] {
            for len in (0..=140).chain([255, 256, 257, 511, 513, 1024, 1087, 2050]) {
                check(Mode::Hash, tier, start, len);
            }
        }
    }
}

#[test]
fn far_out() {
    for &tier in tiers() {
        for mode in Mode::ALL {
            for position in [
                1 << 20,
                (1 << 32) - 3,
                (1 << 38) - 70,
                1 << 38,
                (1 << 63) - 130,
            ] {
                for len in [1, 70, 1200, 5000] {
                    check(mode, tier, position, len);
                }
            }
        }
    }
}

#[test]
fn long_outputs_in_halves() {
    for &tier in tiers() {
        for len in [65_535, 65_536, 65_537, 65_600, 300_001] {
            check(Mode::KeyedHash, tier, 0, len);
            check(Mode::KeyedHash, tier, 37, len);
        }
    }
}

/// Up to byte 2^64 - 2 the output is defined; it goes on without a panic, and the same way however
/// it is read.
#[test]
fn the_end() {
    for &tier in tiers() {
        for mode in Mode::ALL {
            for before in [0, 1, 2, 63, 64, 65, 130, 1100, 5000] {
                let position = u64::MAX - before;
                let defined = usize::try_from(before).expect("small");
                check(mode, tier, position, defined);
                // Beyond, as the reference goes on.
                check(mode, tier, position, defined + 200);
            }
            let mut moved = reader(mode, tier);
            moved.set_position(u64::MAX);
            moved.fill(&mut [0; 1000]);
            assert_eq!(moved.position(), u64::MAX);
            let mut a = [0; 64];
            moved.fill(&mut a);
            assert_ne!(a, [0; 64]);
        }
    }
}

#[test]
fn a_kept_block_is_used_only_where_it_is() {
    for &tier in tiers() {
        let mut reader = reader(Mode::Hash, tier);
        let expected = Mode::Hash.expected_output(b"output", 0, 400);
        // Keeps block 1.
        reader.set_position(70);
        reader.fill(&mut [0; 3]);
        for position in [0, 3, 64, 65, 71, 127, 128, 200] {
            let mut found = [0; 150];
            reader.fill_at(position as u64, &mut found);
            assert_eq!(found, expected[position..][..150], "{position} on {tier}");
            assert_eq!(reader.position(), 73);
        }
        let mut found = [0; 100];
        reader.fill(&mut found);
        assert_eq!(found, expected[73..173]);
        // Not after it was left.
        reader.set_position(0);
        reader.fill_at(64, &mut found);
        assert_eq!(found, expected[64..164]);
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "no threads")]
fn threads_share_a_reader() {
    let reader = Hasher::new().update(b"shared").finalize_xof();
    let expected = filled(100_000, |buf| reader.clone().fill(buf));
    let found = filled(100_000, |buf| {
        std::thread::scope(|scope| {
            for (i, part) in buf.chunks_mut(33_333).enumerate() {
                let reader = &reader;
                scope.spawn(move || reader.fill_at(i as u64 * 33_333, part));
            }
        });
    });
    assert!(found == expected);
}

#[test]
#[cfg(feature = "rayon")]
fn on_rayon() {
    for &tier in tiers() {
        for (position, len) in [(0, 0), (5, 100), (64, 1_000_000), (3, 300_007)] {
            let mut moved = reader(Mode::DeriveKey, tier);
            moved.set_position(position);
            let expected = Mode::DeriveKey.expected_output(b"output", position, len);
            assert!(filled(len, |buf| moved.fill_rayon(buf)) == expected);
            assert_eq!(moved.position(), position + len as u64);
        }
    }
}

/// Sixteen reads of 4 bytes cost one compression and not sixteen: much less than sixteen times as long, though the reads
/// themselves take their time in a debug build.
#[test]
fn small_reads_do_not_compress_again() {
    const BLOCKS: usize = 2000;
    let quickest = |piece: usize| {
        let run = || {
            // Where a block costs most, so that copies do not count.
            let mut reader = reader(Mode::Hash, Tier::PORTABLE);
            let mut sum = 0;
            let start = Instant::now();
            for _ in 0..BLOCKS * 64 / piece {
                let mut bytes = [0; 64];
                reader.fill(&mut bytes[..piece]);
                sum ^= bytes[0];
            }
            std::hint::black_box(sum);
            start.elapsed()
        };
        (0..7).map(|_| run()).min().expect("seven")
    };
    let (small, whole) = (quickest(4), quickest(64));
    assert!(
        small < whole * 12,
        "{small:?} by 4 bytes, {whole:?} by blocks"
    );
}

#[test]
fn serial_is_a_join_like_others() {
    let mut reader = reader(Mode::Hash, Tier::detect());
    let found = filled(200_000, |buf| reader.fill_with_join(&Serial, buf));
    assert!(found == Mode::Hash.expected_output(b"output", 0, 200_000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn pieces(
        start in prop_oneof![0..1000u64, any::<u64>()],
        pieces in prop::collection::vec(prop_oneof![0..10usize, 0..200usize, 0..3000usize], 0..20),
    ) {
        let len = pieces.iter().sum();
        let expected = Mode::Hash.expected_output(b"output", start, len);
        for &tier in tiers() {
            let mut moved = reader(Mode::Hash, tier);
            moved.set_position(start);
            let found = filled(len, |mut buf| {
                for piece in &pieces {
                    let (now, later) = buf.split_at_mut(*piece);
                    moved.fill(now);
                    buf = later;
                }
            });
            prop_assert!(found == expected, "{:?} from {} on {}", pieces, start, tier);
        }
    }
}
