//! Saved states: they go on as the hasher would have, whatever tier and pieces they come from, and
//! other bytes are refused.

use blake3_lanes::hazmat::{HasherExt, hasher_from_bytes, hasher_from_bytes_on_tier};
use blake3_lanes::{CHUNK_LEN, Hasher, Tier};
use proptest::collection::vec;
use proptest::prelude::*;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{CONTEXT, KEY, Mode, input};
use support::tiers;

fn saved(mode: Mode, tier: Tier, input: &[u8], piece: usize) -> Vec<u8> {
    let mut hasher = mode.hasher(tier);
    for piece in input.chunks(piece) {
        hasher.update(piece);
    }
    hasher.to_bytes().to_vec()
}

/// At this position, on every tier, in several pieces: one state, from which every tier goes on.
fn check(mode: Mode, len: usize) {
    let input = input(len + 1500);
    let (before, after) = input.split_at(len);
    let state = saved(mode, Tier::PORTABLE, before, 1000);
    let more = mode.expected(&input);
    let now = mode.expected(before);
    for &tier in tiers() {
        for piece in [61, 64, 1024, 5000, usize::MAX] {
            assert!(
                saved(mode, tier, before, piece) == state,
                "{mode:?} of {len} bytes in pieces of {piece} on {tier}"
            );
        }
        let mut hasher = Hasher::from_bytes_on_tier(tier, &state).expect("a state");
        assert_eq!(hasher.tier(), tier);
        assert_eq!(hasher.count(), len as u64);
        assert_eq!(hasher.finalize(), now, "{mode:?} of {len} bytes on {tier}");
        assert!(hasher.to_bytes().as_bytes() == state);
        hasher.update(after);
        assert_eq!(
            hasher.finalize(),
            more,
            "{mode:?} after {len} bytes on {tier}"
        );
        hasher.reset().update(&input);
        assert_eq!(
            hasher.finalize(),
            more,
            "{mode:?} reset after {len} bytes on {tier}"
        );
    }
}

#[test]
fn positions() {
    let lens = (0..=3 * CHUNK_LEN)
        .step_by(if cfg!(miri) { 257 } else { 7 })
        .chain([
            0, 1, 63, 64, 65, 127, 128, 1023, 1024, 1025, 1087, 1088, 1089,
        ])
        .chain((1..=70).flat_map(|chunks| [chunks * CHUNK_LEN, chunks * CHUNK_LEN + 64]))
        .chain([300 * CHUNK_LEN, 512 * CHUNK_LEN, 513 * CHUNK_LEN + 1]);
    for (i, len) in lens.enumerate() {
        check(Mode::ALL[i % 3], len);
    }
}

#[test]
#[ignore = "slow: every position of 10 KiB in every mode"]
fn all_positions() {
    for len in 0..=10 * CHUNK_LEN {
        for mode in Mode::ALL {
            check(mode, len);
        }
    }
}

/// The layout, put together by hand: it must stay readable.
#[test]
fn layout() {
    let input = input(5 * CHUNK_LEN + 200);
    let chunks = |from: usize, to: usize| {
        Hasher::new_keyed(KEY)
            .set_input_offset((from * CHUNK_LEN) as u64)
            .update(&input[from * CHUNK_LEN..to * CHUNK_LEN])
            .finalize_non_root()
    };
    let header = |mode: u8, offset: u64, count: usize| {
        let count = count as u64;
        [&[1, mode][..], &offset.to_le_bytes(), &count.to_le_bytes()].concat()
    };

    // Four chunks and a fifth wait; 64 bytes are still to be marked as the last ones, or not.
    let state = saved(
        Mode::KeyedHash,
        Tier::detect(),
        &input[..5 * CHUNK_LEN + 64],
        999,
    );
    let block = &input[5 * CHUNK_LEN..][..64];
    let pending = [chunks(0, 4), chunks(4, 5)].concat();
    let header_and_key = [&header(1, 0, 5 * CHUNK_LEN + 64)[..], KEY].concat();
    assert_eq!(
        state,
        [&header_and_key[..], &[0; 32], block, &pending].concat()
    );

    // Everything so far is one subtree, and may be the whole tree: its halves wait.
    let state = saved(
        Mode::KeyedHash,
        Tier::detect(),
        &input[..4 * CHUNK_LEN],
        999,
    );
    let pending = [chunks(0, 2), chunks(2, 4)].concat();
    let header_and_key = [&header(1, 0, 4 * CHUNK_LEN)[..], KEY].concat();
    assert_eq!(
        state,
        [&header_and_key[..], &[0; 32], &[0; 64], &pending].concat()
    );

    // No key, and the first chunk waits though it is whole.
    let state = saved(Mode::Hash, Tier::detect(), &input[..CHUNK_LEN], 999);
    assert_eq!(state[..18], header(0, 0, CHUNK_LEN));
    assert_eq!(state[18..50], [0; 32]);
    assert_ne!(state[50..82], [0; 32]);
    assert_eq!(state[82..], input[CHUNK_LEN - 64..CHUNK_LEN]);

    // The context stands there as its hash.
    let state = saved(Mode::DeriveKey, Tier::detect(), b"", 999);
    let context_key = blake3_lanes::hazmat::hash_derive_key_context(CONTEXT);
    assert_eq!(
        state,
        [&header(2, 0, 0)[..], &context_key, &[0; 32 + 64]].concat()
    );
}

/// Parts of an input, which `Hasher::from_bytes` does not take.
#[test]
fn subtrees() {
    let input = input(9 * CHUNK_LEN);
    for (first, lens) in [
        (1_u64, &[0, 1, 1000, 1024][..]),
        (4, &[0, 64, 1024, 1025, 2048, 3000, 4096]),
        (8, &[0, 1, 4096, 8000, 8192]),
        (1 << 53, &[0, 1, 4096, 8000, 9216]),
    ] {
        for &len in lens {
            let offset = first * CHUNK_LEN as u64;
            for &tier in tiers() {
                let mut hasher = Hasher::new_keyed_on_tier(tier, KEY);
                hasher.set_input_offset(offset).update(&input[..len / 2]);
                let state = hasher.to_bytes();
                hasher.update(&input[len / 2..len]);
                let error = Hasher::from_bytes(&state).expect_err("an offset");
                assert_eq!(
                    error.to_string(),
                    format!("a state with the input offset {offset}: a part of an input")
                );
                let mut again = hasher_from_bytes_on_tier(tier, &state).expect("a state");
                again.update(&input[len / 2..len]);
                assert!(again.to_bytes().as_bytes() == hasher.to_bytes().as_bytes());
                if len > 0 {
                    assert_eq!(again.finalize_non_root(), hasher.finalize_non_root());
                }
            }
        }
    }
}

/// Does all there is to do with a hasher whose state is not of our making.
fn use_it(mut hasher: Hasher) {
    hasher.finalize();
    hasher.finalize_xof().fill(&mut [0; 100]);
    assert!(format!("{hasher:?}").starts_with("Hasher"));
    for len in [1, 64, 1023, 1024, 5000, 70_000] {
        hasher.update(&vec![7; len]);
        hasher.finalize();
        hasher.to_bytes();
    }
    hasher.reset();
    hasher.update(b"abc");
    hasher.finalize();
}

/// What is read must be what would be written.
fn read(bytes: &[u8]) -> bool {
    if let Ok(subtree) = hasher_from_bytes(bytes) {
        assert!(subtree.to_bytes().as_bytes() == bytes);
    }
    let Ok(hasher) = Hasher::from_bytes(bytes) else {
        return false;
    };
    assert!(
        hasher.to_bytes().as_bytes() == bytes,
        "two forms of one state"
    );
    true
}

#[test]
fn every_byte_matters() {
    for mode in Mode::ALL {
        for len in [0, 1, 64, 65, 1024, 1025, 4096, 5 * 1024 + 700] {
            let state = saved(mode, Tier::detect(), &input(len), usize::MAX);
            assert!(read(&state));
            for cut in 0..state.len() {
                assert!(!read(&state[..cut]));
            }
            assert!(!read(&[&state[..], &[0]].concat()));
            assert!(!read(&[&state[..], &[0; 32]].concat()));
            let mut accepted = 0;
            for at in 0..state.len() {
                for change in [1, 0x80, 0xff, state[at] | 1] {
                    let mut changed = state.clone();
                    changed[at] ^= change;
                    if read(&changed) {
                        accepted += 1;
                        if at < 82 && at % 5 == 0 {
                            use_it(Hasher::from_bytes(&changed).expect("just read"));
                        }
                        assert!(
                            (2..10).all(|i| changed[i] == 0),
                            "no offset is accepted here"
                        );
                    }
                }
            }
            // Keys, chaining values and input can be any bytes; nothing else can.
            let free = state.len() - 18 - if mode == Mode::Hash { 32 } else { 0 };
            assert!(
                accepted <= 4 * (free + 9),
                "{accepted} of {}",
                4 * state.len()
            );
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let state = saved(Mode::Hash, Tier::detect(), &input(3000), usize::MAX);
    let message = |at: usize, byte: u8| {
        let mut state = state.clone();
        state[at] = byte;
        Hasher::from_bytes(&state)
            .expect_err("no state")
            .to_string()
    };
    assert_eq!(
        message(0, 2),
        "a state of version 2, which is not known here"
    );
    assert_eq!(
        message(0, 0),
        "a state of version 0, which is not known here"
    );
    assert_eq!(message(1, 3), "there is no mode 3");
    assert_eq!(
        message(3, 1),
        "the input offset 256 is not a multiple of 1024"
    );
    assert_eq!(
        message(3, 4),
        "a subtree that begins at byte 1024 has less than 3000 bytes"
    );
    assert_eq!(message(18, 1), "the key is not zero, though not in use");
    assert_eq!(
        message(145, 1),
        "bytes of the block are not zero, though not in use"
    );
    assert_eq!(
        Hasher::from_bytes(&state[1..])
            .expect_err("no state")
            .to_string(),
        "a state of version 0, which is not known here"
    );
    assert_eq!(
        Hasher::from_bytes(&state[..state.len() - 1])
            .expect_err("no state")
            .to_string(),
        format!(
            "a state of this input has {} bytes, not {}",
            state.len(),
            state.len() - 1
        )
    );
    assert_eq!(
        Hasher::from_bytes(&state[..100])
            .expect_err("no state")
            .to_string(),
        "a state has at least 146 bytes, not 100"
    );
    let mut started = saved(Mode::Hash, Tier::detect(), b"abc", usize::MAX);
    started[50] = 1;
    assert_eq!(
        Hasher::from_bytes(&started)
            .expect_err("no state")
            .to_string(),
        "the chaining value is not zero, though not in use"
    );
}

/// States that no input has led to, at the end of what BLAKE3 defines: nothing panics, not even in
/// a debug build, when it goes on past it.
#[test]
fn at_the_end_of_all_input() {
    const TOP: u64 = u64::MAX;
    for count in [
        TOP,
        TOP - 1023,
        TOP - 1024,
        TOP - 5000,
        1 << 63,
        (1 << 63) + 1,
        (1 << 63) - 1,
    ] {
        let finished = count / 1024;
        let begun = (count % 1024) as usize;
        let held_back = begun == 0 && finished.is_power_of_two();
        let pending = finished.count_ones() as usize + usize::from(held_back);
        let mut state = vec![1, 0];
        state.extend(0_u64.to_le_bytes());
        state.extend(count.to_le_bytes());
        state.extend([0; 32]);
        state.extend([if begun > 64 { 9 } else { 0 }; 32]);
        let buffered = if begun == 0 { 0 } else { (begun - 1) % 64 + 1 };
        state.extend((0..64).map(|i| if i < buffered { 8 } else { 0 }));
        state.extend(vec![7; 32 * pending]);
        assert!(read(&state), "{count}");
        for &tier in tiers() {
            use_it(Hasher::from_bytes_on_tier(tier, &state).expect("just read"));
        }
    }
}

proptest! {
    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..2100)) {
        read(&bytes);
    }

    /// With a good header, so that more is looked at.
    #[test]
    fn any_bytes_after_a_header(
        mode in 0_u8..4,
        count in prop_oneof![0_u64..20_000, any::<u64>()],
        rest in vec(any::<u8>(), 0..300),
        zeros in 0_usize..128,
    ) {
        let mut bytes = vec![1, mode];
        bytes.extend(0_u64.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(vec![0; zeros]);
        bytes.extend(rest);
        if read(&bytes) {
            use_it(Hasher::from_bytes(&bytes).expect("just read"));
        }
    }

    /// Saved and read back at every cut.
    #[test]
    fn relays(
        pieces in vec(prop_oneof![0_usize..200, 0_usize..5000, Just(1024)], 0..20),
        mode in prop::sample::select(&Mode::ALL[..]),
    ) {
        let input = input(pieces.iter().sum());
        let mut rest = &input[..];
        let mut state = mode.hasher(Tier::detect()).to_bytes();
        for (piece, &tier) in pieces.iter().zip(tiers().iter().cycle()) {
            let (now, later) = rest.split_at(*piece);
            rest = later;
            let mut hasher = Hasher::from_bytes_on_tier(tier, &state).expect("a state");
            hasher.update(now);
            state = hasher.to_bytes();
        }
        let hasher = Hasher::from_bytes(&state).expect("a state");
        prop_assert_eq!(hasher.finalize(), mode.expected(&input));
    }
}
