//! Counters are 64 bits wide: chunks far into an input and blocks far into an output come out
//! right, where the low half of the counter runs over and near the top.

use blake3::hazmat::HasherExt as _;
use blake3_lanes::Tier;
use blake3_lanes::hazmat::HasherExt as _;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{Mode, input};
use support::tiers;

const CHUNK: usize = 1024;
/// There are 2^64 bytes to an input, so 2^54 chunks.
const CHUNKS: u64 = 1 << 54;

fn subtree(mode: Mode, tier: Tier, chunk: u64, input: &[u8]) -> [u8; 32] {
    let mut hasher = mode.hasher(tier);
    hasher.set_input_offset(chunk * CHUNK as u64).update(input);
    assert_eq!(
        hasher.count(),
        input.len() as u64,
        "at chunk {chunk} on {tier}"
    );
    hasher.finalize_non_root()
}

fn expected(mode: Mode, chunk: u64, input: &[u8]) -> [u8; 32] {
    mode.reference()
        .set_input_offset(chunk * CHUNK as u64)
        .update(input)
        .finalize_non_root()
}

/// The same of one chunk at a time, and parents that know no counter.
fn expected_by_chunks(tier: Tier, chunk: u64, input: &[u8]) -> [u8; 32] {
    if input.len() <= CHUNK {
        return subtree(Mode::Hash, tier, chunk, input);
    }
    let left_len = blake3::hazmat::left_subtree_len(input.len() as u64) as usize;
    let (left, right) = input.split_at(left_len);
    let left_cv = expected_by_chunks(tier, chunk, left);
    let right_cv = expected_by_chunks(tier, chunk + (left_len / CHUNK) as u64, right);
    blake3::hazmat::merge_subtrees_non_root(&left_cv, &right_cv, blake3::hazmat::Mode::Hash)
}

/// Where subtrees of `size` chunks begin, next to counters at which something could run over.
fn starts(size: u64) -> impl Iterator<Item = u64> {
    let edges = [
        1 << 5,
        1 << 8,
        1 << 16,
        1 << 31,
        1 << 32,
        3 << 32,
        1 << 33,
        1 << 48,
        1 << 53,
        CHUNKS,
    ];
    let around = move |edge: u64| {
        [
            edge.checked_sub(2 * size),
            edge.checked_sub(size),
            Some(edge),
            Some(edge + size),
        ]
    };
    edges
        .into_iter()
        .flat_map(around)
        .flatten()
        .filter(move |start| start + size <= CHUNKS)
}

#[test]
fn subtrees_at_far_chunks() {
    let input = input(32 * CHUNK);
    for size in [1, 2, 4, 8, 16, 32] {
        for start in starts(size) {
            for tail in [1, 63, 64, 65, 512, 1023, 1024] {
                let len = (size as usize - 1) * CHUNK + tail;
                // The modes by turns.
                let mode = Mode::ALL[(start / size + len as u64) as usize % 3];
                let expected = expected(mode, start, &input[..len]);
                for &tier in tiers() {
                    let cv = subtree(mode, tier, start, &input[..len]);
                    assert_eq!(
                        cv, expected,
                        "{mode:?} of {len} bytes at chunk {start} on {tier}"
                    );
                }
            }
        }
    }
}

/// Parents do not carry the counter of their chunks.
#[test]
fn subtrees_equal_their_chunks() {
    let input = input(16 * CHUNK);
    for start in starts(16) {
        for chunks in [1, 2, 3, 5, 8, 11, 15, 16] {
            for len in [chunks * CHUNK - 1000, chunks * CHUNK] {
                for &tier in tiers() {
                    let cv = subtree(Mode::Hash, tier, start, &input[..len]);
                    let by_chunks = expected_by_chunks(tier, start, &input[..len]);
                    assert_eq!(cv, by_chunks, "{len} bytes at chunk {start} on {tier}");
                }
            }
        }
    }
}

/// The last chunk of a subtree may be short, wherever the subtree begins.
#[test]
fn subtrees_of_every_length() {
    let input = input(20 * CHUNK);
    for start in [32, (1 << 32) - 32] {
        for len in 1..=20 * CHUNK {
            // Every length at the first start; at the other only those around the edges of blocks.
            if start == 32 || !(2..=62).contains(&(len % 64)) {
                let expected = expected(Mode::Hash, start, &input[..len]);
                for &tier in tiers() {
                    let cv = subtree(Mode::Hash, tier, start, &input[..len]);
                    assert_eq!(cv, expected, "{len} bytes at chunk {start} on {tier}");
                }
            }
        }
    }
}

/// A subtree that comes in pieces.
#[test]
fn subtrees_in_pieces() {
    let input = input(32 * CHUNK);
    for start in starts(32) {
        for (i, len) in [20 * CHUNK + 5, 31 * CHUNK, 32 * CHUNK - 1, 32 * CHUNK]
            .into_iter()
            .enumerate()
        {
            let mode = Mode::ALL[i % 3];
            let expected = expected(mode, start, &input[..len]);
            for first in [1, 1023, 1024, 1025, 3 * CHUNK, 16 * CHUNK, 17 * CHUNK + 3] {
                for &tier in tiers() {
                    let mut hasher = mode.hasher(tier);
                    hasher.set_input_offset(start * CHUNK as u64);
                    hasher
                        .update(&input[..first])
                        .update(&[])
                        .update(&input[first..len]);
                    assert_eq!(hasher.count(), len as u64);
                    assert_eq!(
                        hasher.finalize_non_root(),
                        expected,
                        "{mode:?} of {first} and {} bytes at chunk {start} on {tier}",
                        len - first
                    );
                }
            }
        }
    }
}

/// Blocks of output whose counters meet `edge` inside one pass, at every distance, and in runs of
/// every count.
fn check_output_around(edge: u64) {
    const MOST: u64 = 37;
    let input = input(77);
    let first = edge - 20;
    for (i, mode) in Mode::ALL.into_iter().enumerate() {
        let expected = mode.expected_output(&input, first * 64, (40 + MOST as usize) * 64);
        for &tier in tiers() {
            let mut reader = mode.hasher(tier).update(&input).finalize_xof();
            let mut output = [0; 64 * MOST as usize];
            for start in 0..=40 {
                // The modes share the counts.
                for count in
                    (1..=MOST).filter(|count| *count as usize % 3 == i || mode == Mode::Hash)
                {
                    let output = &mut output[..64 * count as usize];
                    reader.set_position((first + start) * 64);
                    reader.fill(output);
                    let what = || {
                        format!(
                            "{mode:?}, {count} blocks of output from {} on {tier}",
                            first + start
                        )
                    };
                    assert_eq!(
                        *output,
                        expected[64 * start as usize..][..output.len()],
                        "{}",
                        what()
                    );
                    assert_eq!(
                        reader.position(),
                        (first + start + count) * 64,
                        "{}",
                        what()
                    );
                }
                for (phase, len) in [
                    (1, 64 * 36),
                    (63, 64 * 36),
                    (17, 1),
                    (32, 33),
                    (5, 64 * 8),
                    (60, 64 * 16 + 10),
                ] {
                    let output = &mut output[..len];
                    let position = (first + start) * 64 + phase;
                    reader.set_position(position);
                    reader.fill(output);
                    let what =
                        || format!("{mode:?}, {len} bytes of output from {position} on {tier}");
                    assert_eq!(
                        *output,
                        expected[(64 * start + phase) as usize..][..len],
                        "{}",
                        what()
                    );
                    assert_eq!(reader.position(), position + len as u64, "{}", what());
                }
            }
        }
    }
}

#[test]
fn output_around_2_31_blocks() {
    check_output_around(1 << 31);
}

#[test]
fn output_around_2_32_blocks() {
    check_output_around(1 << 32);
}

#[test]
fn output_around_far_blocks() {
    check_output_around(1 << 33);
    check_output_around(7 << 32);
    check_output_around(1 << 57);
}

/// The last bytes there are: right up to the end, and what comes after is not defined but does no
/// harm.
#[test]
fn output_at_the_end() {
    let input = input(3);
    for &tier in tiers() {
        let mut reader = Mode::Hash.hasher(tier).update(&input).finalize_xof();
        for before in (0..=200).chain([1000, 1023, 1024, 1025, 2048, 3000, 4096]) {
            // One byte less than what a counter of bytes can hold.
            let position = u64::MAX - before;
            let expected = Mode::Hash.expected_output(&input, position, before as usize);
            let mut output = vec![0; before as usize];
            reader.set_position(position);
            assert_eq!(reader.position(), position);
            reader.fill(&mut output);
            assert_eq!(output, expected, "the last {before} bytes on {tier}");
            assert_eq!(
                reader.position(),
                u64::MAX,
                "the last {before} bytes on {tier}"
            );

            for beyond in [1, 2, 63, 64, 65, 1024, 5000] {
                let mut output = vec![0; before as usize + beyond];
                reader.set_position(position);
                reader.fill(&mut output);
                assert_eq!(
                    output[..before as usize],
                    expected,
                    "{before} bytes and {beyond} beyond on {tier}"
                );
                // Wherever that led to, there is a way back.
                reader.fill(&mut output);
                reader.position();
                reader.set_position(0);
                let mut first = [0; 32];
                reader.fill(&mut first);
                assert_eq!(first, Mode::Hash.expected(&input), "on {tier}");
            }
        }
    }
}
