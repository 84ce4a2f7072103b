//! Input and output may lie at any address, and nothing beside the output is written.

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{KEY, Mode, input};
use support::tiers;

const ALIGNMENTS: usize = 64;
const ROOM: usize = 20 * 1024;

/// Bytes that begin at a multiple of 64.
#[repr(align(64))]
struct Aligned([u8; ROOM]);

impl Aligned {
    fn new(byte: u8) -> Box<Self> {
        Box::new(Self([byte; ROOM]))
    }
}

#[test]
fn input_at_every_alignment() {
    let input = input(ROOM);
    let mut room = Aligned::new(0xEE);
    for len in [
        1,
        31,
        64,
        65,
        128,
        1000,
        1024,
        1025,
        2048,
        3073,
        4096,
        8192,
        16 * 1024,
        17 * 1024 + 100,
    ] {
        let expected = Mode::ALL.map(|mode| mode.expected(&input[..len]));
        for alignment in 0..ALIGNMENTS {
            let place = &mut room.0[alignment..alignment + len];
            place.copy_from_slice(&input[..len]);
            for &tier in tiers() {
                for (mode, expected) in Mode::ALL.into_iter().zip(expected) {
                    // The long ones in one mode only, which the modes share by turns.
                    if len > 4096 && alignment % 3 != mode as usize {
                        continue;
                    }
                    let what = format!("{mode:?} of {len} bytes at {alignment} on {tier}");
                    assert_eq!(mode.hash(tier, place), expected, "{what}");
                    let cut = alignment.min(len);
                    let digest = mode
                        .hasher(tier)
                        .update(&place[..cut])
                        .update(&place[cut..])
                        .finalize();
                    assert_eq!(digest, expected, "{what} in two updates");
                }
            }
        }
    }
}

#[test]
fn key_at_every_alignment() {
    let input = input(3000);
    let expected = Mode::KeyedHash.expected(&input);
    let mut room = Aligned::new(0xEE);
    for alignment in 0..ALIGNMENTS {
        room.0[alignment..alignment + 32].copy_from_slice(KEY);
        let key: &[u8; 32] = room.0[alignment..].first_chunk().expect("room");
        for &tier in tiers() {
            assert_eq!(
                blake3_lanes::keyed_hash_on_tier(tier, key, &input),
                expected,
                "key at {alignment} on {tier}"
            );
        }
    }
}

#[test]
fn output_at_every_alignment() {
    const CANARY: u8 = 0xA5;
    let mode = Mode::Hash;
    let input = input(100);
    let expected = mode.expected_output(&input, 0, ROOM);
    let mut room = Aligned::new(CANARY);
    for len in [
        0,
        1,
        31,
        63,
        64,
        65,
        127,
        128,
        256,
        500,
        512,
        1000,
        1024,
        1025,
        2048,
        4096 + 33,
    ] {
        for alignment in 0..ALIGNMENTS {
            // From the start of a block, and from inside one.
            for position in [0, 64, 64 + alignment] {
                for &tier in tiers() {
                    let what =
                        format!("{len} bytes of output from {position} to {alignment} on {tier}");
                    let mut reader = mode.hasher(tier).update(&input).finalize_xof();
                    reader.set_position(position as u64);
                    reader.fill(&mut room.0[alignment..alignment + len]);
                    let (before, rest) = room.0.split_at_mut(alignment);
                    let (output, after) = rest.split_at_mut(len);
                    assert_eq!(*output, expected[position..position + len], "{what}");
                    assert!(
                        before
                            .iter()
                            .chain(&after[..256])
                            .all(|byte| *byte == CANARY),
                        "{what} spills"
                    );
                    output.fill(CANARY);
                }
            }
        }
    }
}
