//! The interface of every tier against the portable one, where no public way in reaches: counters that
//! carry inside a pass, any count, any raggedness.

use super::*;
use std::vec::Vec;

const KEY: Words = [
    0x0123_4567,
    0x89ab_cdef,
    0xffff_ffff,
    0,
    0x8000_0000,
    0x7fff_ffff,
    1,
    0xdead_beef,
];

/// Counters next to where 32 bits, a signed 32-bit compare and 64 bits end.
fn counters() -> Vec<u64> {
    let ends = [0, 1 << 31, 1 << 32, 3 << 32, 1 << 54, 1 << 63];
    let near = |end: u64| (0..=40).step_by(3).map(move |less| end.wrapping_sub(less));
    ends.into_iter().flat_map(near).collect()
}

fn input(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i / 7 % 251) as u8).collect()
}

/// All tiers but the portable one, wide and narrow.
fn tiers() -> impl Iterator<Item = Tier> {
    let wide = Tier::available().filter(|tier| *tier != Tier::PORTABLE);
    wide.flat_map(|tier| {
        let narrow = Some(tier.narrow()).filter(|narrow| *narrow != tier);
        [Some(tier), narrow].into_iter().flatten()
    })
}

fn check_chunks(len: usize, counter: u64) {
    let input = input(len);
    let mut expected = std::vec![[0; 8]; len.div_ceil(CHUNK_LEN)];
    let flags = flags::KEYED_HASH;
    Tier::PORTABLE.hash_chunks(&input, &KEY, counter, flags, &mut expected);
    for tier in tiers() {
        let mut found = std::vec![[0; 8]; expected.len()];
        tier.hash_chunks(&input, &KEY, counter, flags, &mut found);
        assert_eq!(
            found, expected,
            "{len} bytes from chunk {counter:#x} on {tier}"
        );
    }
}

#[test]
fn chunk_counters_carry() {
    for counter in counters() {
        for chunks in [1, 2, 3, 4, 7, 8, 15, 16, 33] {
            check_chunks(chunks * CHUNK_LEN, counter);
        }
        check_chunks(15 * CHUNK_LEN + 700, counter);
        check_chunks(4 * CHUNK_LEN + 1, counter);
    }
}

#[test]
fn chunks_of_any_count_and_raggedness() {
    for chunks in 0..40 {
        for tail in [1, 63, 64, 65, 128, 640, 704, 705, 960, 961, 1023, 1024] {
            check_chunks(chunks * CHUNK_LEN + tail, 5);
        }
    }
}

#[test]
fn parents_of_any_count() {
    for pairs in (0..=70).chain([127, 128, 200]) {
        let children: Vec<Words> = (0..2 * pairs)
            .map(|i| core::array::from_fn(|j| ((i * 8 + j) as u32).wrapping_mul(0x9e37_79b9)))
            .collect();
        let mut expected = children.clone();
        Tier::PORTABLE.hash_parents(&mut expected, pairs, &KEY, flags::KEYED_HASH);
        for tier in tiers() {
            // What lies behind the pairs stays as it is, be it nothing, too little to fill the lanes, or enough.
            for behind in [0, 1, 2, 7, 15, 32] {
                let mut found = children.clone();
                found.extend(std::vec![[7; 8]; behind]);
                tier.hash_parents(&mut found, pairs, &KEY, flags::KEYED_HASH);
                assert_eq!(
                    found[..pairs],
                    expected[..pairs],
                    "{pairs} pairs on {tier}, {behind} behind"
                );
                assert_eq!(
                    found[2 * pairs..],
                    std::vec![[7; 8]; behind],
                    "behind {pairs} pairs on {tier}"
                );
            }
        }
    }
}

#[test]
fn output_of_any_count() {
    let block = padded(&input(61));
    for counter in counters() {
        for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 25, 33, 48] {
            let mut expected = std::vec![[0; BLOCK_LEN]; count];
            Tier::PORTABLE.output_blocks(&KEY, &block, 61, counter, flags::ROOT, &mut expected);
            for tier in tiers() {
                let mut found = std::vec![[0; BLOCK_LEN]; count];
                tier.output_blocks(&KEY, &block, 61, counter, flags::ROOT, &mut found);
                assert_eq!(
                    found, expected,
                    "{count} blocks from {counter:#x} on {tier}"
                );
            }
        }
    }
}

#[test]
fn blocks_of_one_message() {
    let bytes = input(CHUNK_LEN);
    let (blocks, _) = bytes.as_chunks::<BLOCK_LEN>();
    for counter in counters() {
        for count in 1..=blocks.len() {
            let run = |tier: Tier| {
                let mut cv = KEY;
                let (first, last) = (flags::CHUNK_START, flags::CHUNK_END);
                tier.compress_blocks(&mut cv, &blocks[..count], counter, 16, first, last);
                tier.compress(&mut cv, &padded(&bytes[..count]), count as u32, counter, 32);
                cv
            };
            let expected = run(Tier::PORTABLE);
            for tier in tiers() {
                assert_eq!(
                    run(tier),
                    expected,
                    "{count} blocks of chunk {counter:#x} on {tier}"
                );
            }
        }
    }
}

#[test]
fn padding() {
    let bytes = input(BLOCK_LEN);
    for len in 0..=BLOCK_LEN {
        // Where it ends says what may be read: nothing beyond.
        let exact = bytes[..len].to_vec().into_boxed_slice();
        let mut expected = [0; BLOCK_LEN];
        expected[..len].copy_from_slice(&exact);
        assert_eq!(padded(&exact), expected, "{len} bytes");
    }
}

#[test]
fn messages_of_any_count_and_length() {
    let bytes = input(4 * CHUNK_LEN);
    let lengths: [fn(usize) -> usize; 6] = [
        |_| 0,
        |_| 64,
        |_| 1024,
        |i| i * 7 % 130,
        |i| i * 389 % 1025,
        |i| if i % 3 == 0 { 1024 } else { i % 66 },
    ];
    for length in lengths {
        for count in 0..40 {
            let messages: Vec<&[u8]> = (0..count).map(|i| &bytes[i * 11..][..length(i)]).collect();
            let run = |tier: Tier| {
                let mut out = std::vec![[0; 8]; count];
                let (flags, end) = (flags::KEYED_HASH, flags::CHUNK_END | flags::ROOT);
                tier.hash_messages(&messages, &KEY, flags, end, &mut out);
                out
            };
            let expected = run(Tier::PORTABLE);
            for tier in tiers() {
                assert_eq!(run(tier), expected, "{count} messages on {tier}");
            }
        }
    }
}

#[test]
fn single_blocks_of_any_count() {
    let bytes = input(200 * BLOCK_LEN);
    let (blocks, _) = bytes.as_chunks::<BLOCK_LEN>();
    for count in (0..=50).chain([127, 128, 200]) {
        for block_len in [64, 32, 0] {
            let run = |tier: Tier| {
                let mut out = std::vec![[0; 8]; count];
                tier.hash_blocks(&blocks[..count], &KEY, block_len, 11, &mut out);
                out
            };
            let expected = run(Tier::PORTABLE);
            for tier in tiers() {
                assert_eq!(run(tier), expected, "{count} blocks on {tier}");
            }
        }
    }
}
