//! Many inputs in one call: the same as one after the other, whatever their lengths, number, layout,
//! mode, tier and threads, and nothing is written but the results.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use blake3_lanes::many::{self, Batch, HashBytes};
use blake3_lanes::parallel::{Join, Serial};
use blake3_lanes::{Hash, Tier, hash, hash_on_tier};
use proptest::prelude::*;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{CONTEXT, KEY, Mode, input};
use support::tiers;

/// What lies around results, and must stay.
const CANARY: [u8; 32] = [0xc4; 32];

fn batch(mode: Mode, tier: Tier) -> Batch {
    match mode {
        Mode::Hash => Batch::on_tier(tier),
        Mode::KeyedHash => Batch::new_keyed_on_tier(tier, KEY),
        Mode::DeriveKey => Batch::new_derive_key_on_tier(tier, CONTEXT),
    }
}

/// The results of a call, in the middle of canaries.
fn results(count: usize, call: impl FnOnce(&mut [[u8; 32]])) -> Vec<[u8; 32]> {
    let mut out = vec![CANARY; count + 2];
    call(&mut out[1..=count]);
    assert_eq!(out[0], CANARY, "before the results");
    assert_eq!(out[count + 1], CANARY, "behind the results");
    out[1..=count].to_vec()
}

/// Inputs of these lengths, each other bytes than its neighbours.
fn inputs(bytes: &[u8], lengths: impl IntoIterator<Item = usize>) -> Vec<&[u8]> {
    let at = |(i, len): (usize, usize)| &bytes[i * 7 % 241..][..len];
    lengths.into_iter().enumerate().map(at).collect()
}

/// Slices in all modes on all tiers, against the reference.
fn check(inputs: &[&[u8]]) {
    let lengths: Vec<usize> = inputs.iter().map(|input| input.len()).collect();
    for mode in Mode::ALL {
        let expected: Vec<[u8; 32]> = inputs.iter().map(|input| mode.expected(input)).collect();
        for &tier in tiers() {
            let found = results(inputs.len(), |out| batch(mode, tier).hash(inputs, out));
            assert!(found == expected, "{mode:?} on {tier} of {lengths:?}");
        }
    }
}

#[test]
fn any_number_of_one_length() {
    let bytes = input(3000);
    for len in [
        0, 1, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129, 512, 1000, 1024, 1025, 2048,
    ] {
        for count in (0..=18).chain([31, 32, 33, 63, 64, 65, 80]) {
            check(&inputs(&bytes, vec![len; count]));
        }
    }
    // More than a window, and not a multiple of any number of lanes.
    for len in [0, 32, 64, 65, 1024] {
        check(&inputs(&bytes, vec![len; 777]));
    }
}

#[test]
fn mixed_lengths() {
    let bytes = input(10_000);
    let lengths: [fn(usize) -> usize; 9] = [
        // Every length of a chunk, up and down.
        |i| i % 1030,
        |i| 1029 - i % 1030,
        // Blocks: many of a length, few of a length.
        |i| i % 5 * 16,
        |i| i * 37 % 65,
        |i| 60 + i % 10,
        // One long one among short ones.
        |i| if i == 11 { 1024 } else { 64 },
        |i| if i % 50 == 7 { 9000 } else { i % 100 },
        // A run that stops just before its end.
        |i| if i % 64 == 63 { 63 } else { 64 },
        // Zeros must be where a longer input of an earlier run was.
        |i| 64 - i / 64 * 7 % 65,
    ];
    for length in lengths {
        for count in [2, 3, 4, 5, 13, 16, 17, 40, 64, 100, 257, 1030] {
            check(&inputs(&bytes, (0..count).map(length)));
        }
    }
}

#[test]
fn a_huge_input_among_small_ones() {
    let bytes = input(3_000_000);
    let mut inputs = inputs(&bytes, (0..100).map(|i| i % 90));
    inputs[40] = &bytes[1..];
    check(&inputs);
    check(&inputs[39..42]);
}

#[test]
fn results_are_hashes_or_bytes_and_inputs_are_whatever_has_bytes() {
    let rows = ["", "a", "bb", "ccc", "dddd"];
    let expected = rows.map(|row| hash(row.as_bytes()));
    let mut hashes = [Hash::from_bytes(CANARY); 5];
    many::hash(&rows, &mut hashes);
    assert_eq!(hashes, expected);
    let owned = rows.map(String::from);
    let mut bytes = [CANARY; 5];
    many::hash(&owned, &mut bytes);
    assert_eq!(bytes.map(Hash::from_bytes), expected);
    // Neither need they be known to other threads.
    let shared = rows.map(|row| std::rc::Rc::<[u8]>::from(row.as_bytes()));
    many::hash(&shared, &mut hashes[..]);
    assert_eq!(hashes, expected);
}

#[test]
fn free_functions_are_batches_on_the_widest_tier() {
    let bytes = input(2000);
    let inputs = inputs(&bytes, (0..50).map(|i| i * 31 % 1100));
    type Call = fn(&[&[u8]], &mut [[u8; 32]]);
    let calls: [(Mode, Call); 3] = [
        (Mode::Hash, |inputs, out| many::hash(inputs, out)),
        (Mode::KeyedHash, |inputs, out| {
            many::keyed_hash(KEY, inputs, out)
        }),
        (Mode::DeriveKey, |inputs, out| {
            many::derive_key(CONTEXT, inputs, out)
        }),
    ];
    for (mode, call) in calls {
        let expected: Vec<[u8; 32]> = inputs.iter().map(|input| mode.expected(input)).collect();
        assert!(
            results(inputs.len(), |out| call(&inputs, out)) == expected,
            "{mode:?}"
        );
    }
    assert_eq!(Batch::default().tier(), Tier::detect());
    assert_eq!(
        format!(
            "{:?}",
            Batch::new_keyed_on_tier(Tier::PORTABLE, &[0xab; 32])
        ),
        r#"Batch { mode: "keyed_hash", tier: portable, .. }"#
    );
}

fn check_arrays<const N: usize>() {
    let bytes = input(N + 251);
    for count in (0..=18).chain([63, 64, 65, 127, 128, 129, 300]) {
        let arrays: Vec<[u8; N]> = (0..count)
            .map(|i| bytes[i * 7 % 241..][..N].try_into().expect("that long"))
            .collect();
        for mode in Mode::ALL {
            let expected: Vec<[u8; 32]> = arrays.iter().map(|array| mode.expected(array)).collect();
            for &tier in tiers() {
                let found = results(count, |out| batch(mode, tier).hash_arrays(&arrays, out));
                assert!(
                    found == expected,
                    "{mode:?} on {tier}: {count} arrays of {N}"
                );
            }
        }
        let found = results(count, |out| many::hash_arrays::<N>(&arrays, out));
        assert!(
            found
                == arrays
                    .iter()
                    .map(|array| *hash(array).as_bytes())
                    .collect::<Vec<_>>()
        );
    }
}

#[test]
fn arrays() {
    check_arrays::<0>();
    check_arrays::<1>();
    check_arrays::<20>();
    check_arrays::<32>();
    check_arrays::<63>();
    check_arrays::<64>();
    check_arrays::<65>();
    check_arrays::<100>();
    check_arrays::<1024>();
    check_arrays::<1500>();
}

#[test]
fn records() {
    let bytes = input(64 * 300);
    for len in [1, 3, 32, 63, 64, 65, 200, 1025] {
        for count in [0, 1, 2, 5, 18, 100, 290] {
            let Some(buffer) = bytes.get(..len * count) else {
                continue;
            };
            for &tier in tiers() {
                let found = results(count, |out| {
                    Batch::on_tier(tier).hash_records(buffer, len, out)
                });
                for (record, found) in buffer.chunks(len).zip(&found) {
                    assert_eq!(hash(record), *found, "{count} records of {len} on {tier}");
                }
            }
        }
    }
    // Records of no bytes are as many as are asked for.
    let found = results(20, |out| Batch::new().hash_records(&[], 0, out));
    assert!(found.iter().all(|found| hash(b"") == *found));
}

#[test]
fn fields() {
    let bytes = input(5000);
    // Apart, with gaps, next to each other, overlapping, empty, all the same.
    for (stride, field) in [
        (100, 10..42),
        (64, 0..64),
        (64, 60..64),
        (1, 0..100),
        (7, 3..3),
        (0, 5..1500),
        (10, 0..300),
    ] {
        for count in [0, 1, 3, 20, 47] {
            for &tier in tiers() {
                let found = results(count, |out| {
                    Batch::on_tier(tier).hash_fields(&bytes, stride, field.clone(), out);
                });
                for (i, found) in found.iter().enumerate() {
                    let input = &bytes[i * stride..][field.clone()];
                    assert_eq!(hash(input), *found, "{stride} {field:?} {i} on {tier}");
                }
            }
        }
    }
    // Just fits, and the buffer of none may be anything.
    results(10, |out| {
        Batch::new().hash_fields(&bytes[..920], 100, 10..20, out)
    });
    results(0, |out| Batch::new().hash_fields(&[], 100, 10..20, out));
}

#[test]
fn ranges() {
    let bytes = input(4000);
    // Overlapping, empty, twice, at the edges, and in no order.
    let ranges = [
        0..4000,
        0..0,
        4000..4000,
        17..17,
        10..20,
        15..25,
        10..20,
        3999..4000,
        1..65,
        0..64,
        5..1029,
        4..1029,
        0..1,
    ];
    let ranges = &ranges;
    for mode in Mode::ALL {
        for &tier in tiers() {
            let found = results(ranges.len(), |out| {
                batch(mode, tier).hash_ranges(&bytes, ranges, out);
            });
            for (range, found) in ranges.iter().zip(found) {
                assert_eq!(
                    mode.expected(&bytes[range.clone()]),
                    found,
                    "{mode:?} {range:?} on {tier}"
                );
            }
        }
    }
}

#[test]
fn whatever_a_closure_finds() {
    let bytes = input(4000);
    let found = results(300, |out| {
        Batch::new().hash_with(|i| &bytes[i..][..i * 11 % 1500], out)
    });
    for (i, found) in found.iter().enumerate() {
        assert_eq!(hash(&bytes[i..][..i * 11 % 1500]), *found, "{i}");
    }
}

/// A call that must panic with this message, having written nothing.
fn refused(message: &str, count: usize, call: impl FnOnce(&mut [[u8; 32]])) {
    let mut out = vec![CANARY; count];
    let panic = catch_unwind(AssertUnwindSafe(|| call(&mut out))).expect_err(message);
    let found = panic.downcast_ref::<String>().expect("a message");
    assert!(found.contains(message), "{found:?} and not {message:?}");
    assert!(out.iter().all(|out| *out == CANARY), "nothing is written");
}

#[test]
#[cfg_attr(panic = "abort", ignore = "a panic ends the program")]
fn what_does_not_fit_is_refused() {
    let (slices, arrays) = ([&b"a"[..]; 20], [[7; 64]; 20]);
    let serial = Batch::new();
    for count in [0, 19, 21] {
        let message = "20 inputs have 20 hashes, but there is room for";
        refused(message, count, |out| many::hash(&slices, out));
        refused(message, count, |out| many::keyed_hash(KEY, &slices, out));
        refused(message, count, |out| {
            many::derive_key(CONTEXT, &slices, out)
        });
        refused(message, count, |out| many::hash_arrays(&arrays, out));
        refused(message, count, |out| serial.hash(&slices, out));
        refused(message, count, |out| serial.hash_arrays(&arrays, out));
        refused(message, count, |out| {
            serial.hash_ranges(&[], &vec![0..0; 20], out)
        });
    }
    let buffer = &[7; 1000];
    let records =
        |len: usize| move |out: &mut [[u8; 32]]| Batch::new().hash_records(buffer, len, out);
    refused("9 records of 100 bytes are not 1000 bytes", 9, records(100));
    refused("11 records of 100 bytes", 11, records(100));
    refused("10 records of 0 bytes", 10, records(0));
    let quarter = 1usize << (usize::BITS - 2);
    let error = format!("4 records of {quarter} bytes");
    refused(&error, 4, records(quarter));
    let fields = |stride: usize, range: Range<usize>| {
        move |out: &mut [[u8; 32]]| Batch::new().hash_fields(buffer, stride, range, out)
    };
    refused("do not lie within 1000 bytes", 10, fields(100, 50..101));
    refused("do not lie within 1000 bytes", 11, fields(100, 0..1));
    refused(
        "do not lie within 1000 bytes",
        3,
        fields(usize::MAX / 2 + 1, 0..1),
    );
    refused("do not lie within 1000 bytes", 2, fields(usize::MAX, 0..1));
    refused("do not lie within 1000 bytes", 1, fields(0, 0..usize::MAX));
    let (start, end) = (6, 5);
    refused("starts at 6 and ends at 5", 1, fields(10, start..end));
    for (bad, message) in [
        (999..1001, "999..1001 does not lie within 1000 bytes"),
        (1001..1001, "1001..1001 does not lie"),
        (start..end, "6..5 does not lie"),
    ] {
        let ranges = [vec![0..10; 30], vec![bad]].concat();
        refused(message, 31, |out| serial.hash_ranges(buffer, &ranges, out));
    }
}

/// A [`Join`] that does one after the other, the second first, and counts.
#[derive(Default)]
struct Backwards(std::sync::atomic::AtomicUsize);

impl Join for Backwards {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let b = b();
        (a(), b)
    }
}

/// All layouts, by any threads, against a loop.
fn check_joined<J: Join>(with: impl Fn(&Batch) -> Batch<J>) {
    let bytes = input(1 << 20);
    let lengths = |i: usize| if i == 700 { 500_000 } else { i * 89 % 1200 };
    let slices: Vec<&[u8]> = (0..1500).map(|i| &bytes[i * 13..][..lengths(i)]).collect();
    for mode in Mode::ALL {
        for &tier in tiers() {
            let batch = with(&batch(mode, tier));
            let expect = |found: Vec<[u8; 32]>, inputs: &mut dyn Iterator<Item = &[u8]>| {
                let expected: Vec<[u8; 32]> = inputs.map(|input| mode.expected(input)).collect();
                assert!(found == expected, "{mode:?} on {tier}");
            };
            expect(
                results(1500, |out| batch.hash(&slices, out)),
                &mut slices.iter().copied(),
            );
            for count in [0, 1, 5, 2500] {
                let buffer = &bytes[..count * 64];
                expect(
                    results(count, |out| batch.hash_records(buffer, 64, out)),
                    &mut buffer.chunks(64),
                );
                let arrays: Vec<[u8; 90]> = (0..count).map(|i| [i as u8; 90]).collect();
                expect(
                    results(count, |out| batch.hash_arrays(&arrays, out)),
                    &mut arrays.iter().map(|array| &array[..]),
                );
            }
            let mut leaves: Vec<[u8; 32]> = slices
                .iter()
                .cycle()
                .take(5000)
                .map(|s| *hash(s).as_bytes())
                .collect();
            let expected = merkle(mode, &leaves);
            assert_eq!(
                batch.merkle_root(&mut leaves),
                expected,
                "{mode:?} on {tier}"
            );
        }
    }
}

#[test]
fn joined() {
    check_joined(|batch| batch.with_join(Serial));
    let backwards = Backwards::default();
    check_joined(|batch| batch.with_join(&backwards));
    assert!(backwards.0.into_inner() > 100, "halves were joined");
}

#[test]
#[cfg(feature = "rayon")]
fn on_rayon() {
    check_joined(|batch| batch.rayon());
    let pool = blake3_lanes::parallel::Pool::new(3.try_into().expect("not zero")).expect("threads");
    check_joined(|batch| batch.with_join(&pool));
}

/// The tree above leaves as its documentation has it, node by node.
fn merkle(mode: Mode, leaves: &[[u8; 32]]) -> Option<[u8; 32]> {
    match leaves {
        [] => None,
        [leaf] => Some(*leaf),
        _ => {
            let next: Vec<[u8; 32]> = leaves
                .chunks(2)
                .map(|pair| match pair {
                    [_, _] => mode.expected(pair.as_flattened()),
                    _ => pair[0],
                })
                .collect();
            merkle(mode, &next)
        }
    }
}

#[test]
fn merkle_trees() {
    for count in (0..=40).chain([63, 64, 65, 127, 128, 129, 255, 256, 257, 1000]) {
        let leaves: Vec<[u8; 32]> = (0..count)
            .map(|i: u32| *hash(&i.to_le_bytes()).as_bytes())
            .collect();
        for mode in Mode::ALL {
            let expected = merkle(mode, &leaves);
            for &tier in tiers() {
                let mut padded = [vec![CANARY], leaves.clone(), vec![CANARY]].concat();
                let root = batch(mode, tier).merkle_root(&mut padded[1..=leaves.len()]);
                assert_eq!(root, expected, "{mode:?} on {tier}: {count} leaves");
                assert_eq!([padded[0], padded[leaves.len() + 1]], [CANARY; 2]);
            }
        }
    }
}

#[test]
#[cfg(feature = "zeroize")]
fn a_wiped_batch_has_a_key_of_zeros() {
    use zeroize::Zeroize;
    fn wiped_on_drop<T: zeroize::ZeroizeOnDrop>() {}
    wiped_on_drop::<Batch>();
    let mut batch = Batch::new_keyed(KEY);
    batch.zeroize();
    let mut found = [CANARY];
    batch.hash(&["abc"], &mut found);
    assert_ne!(found[0], Mode::KeyedHash.expected(b"abc"));
}

/// What calls of a batch may be: nothing that only one thread may have.
#[test]
fn batches_go_anywhere() {
    fn anywhere<T: Send + Sync + Clone + std::fmt::Debug + 'static>(_: &T) {}
    anywhere(&Batch::new());
    fn bytes<T: HashBytes>() {}
    bytes::<Hash>();
    bytes::<[u8; 32]>();
    // Free functions take what only this thread knows.
    struct Counted<'a>(&'a Cell<u32>);
    impl AsRef<[u8]> for Counted<'_> {
        fn as_ref(&self) -> &[u8] {
            self.0.set(self.0.get() + 1);
            b"abc"
        }
    }
    let calls = Cell::new(0);
    let found = results(9, |out| many::hash(&[(); 9].map(|()| Counted(&calls)), out));
    assert!(found.iter().all(|found| hash(b"abc") == *found));
    assert!((9..=27).contains(&calls.get()), "{} calls", calls.get());
}

/// Lengths near what decides: blocks, chunks, and anything.
fn lengths() -> impl Strategy<Value = Vec<usize>> {
    let near = |at: usize| at.saturating_sub(2)..=at + 2;
    let length = prop_oneof![
        4 => 0..=70usize,
        2 => 0..=1100usize,
        2 => (1..=16usize).prop_flat_map(move |blocks| near(64 * blocks)),
        1 => 0..=5000usize,
        3 => Just(64),
        3 => Just(32),
    ];
    prop::collection::vec(length, 0..600)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn random_batches(lengths in lengths(), seed: u8) {
        let bytes = input(6000);
        let inputs = inputs(&bytes[usize::from(seed)..], lengths);
        let expected: Vec<[u8; 32]> = inputs.iter().map(|input| *hash_on_tier(Tier::PORTABLE, input).as_bytes()).collect();
        for &tier in tiers() {
            let found = results(inputs.len(), |out| Batch::on_tier(tier).hash(&inputs, out));
            prop_assert!(found == expected, "on {}", tier);
        }
    }

    #[test]
    fn random_ranges(ranges in prop::collection::vec((0..3000usize, 0..1500usize), 0..200)) {
        let bytes = input(4500);
        let ranges: Vec<Range<usize>> = ranges.iter().map(|&(start, len)| start..start + len).collect();
        for &tier in tiers() {
            let found = results(ranges.len(), |out| Batch::on_tier(tier).hash_ranges(&bytes, &ranges, out));
            for (range, found) in ranges.iter().zip(&found) {
                prop_assert_eq!(hash(&bytes[range.clone()]), *found);
            }
        }
    }
}
