//! Several threads give what one gives, and no call starts a thread unasked.
#![cfg(feature = "std")]

use std::num::NonZero;

use blake3_lanes::Hasher;
use blake3_lanes::parallel::{self, Join, Serial, Threads};

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{CONTEXT, KEY, Mode, input};
use support::tiers;

fn threads(count: usize) -> Threads {
    Threads::new(NonZero::new(count).expect("not zero"))
}

/// Threads for pieces of any length.
struct Eager(Threads);

impl Join for Eager {
    fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.0.join(a, b)
    }
}

/// Around the length of a piece, the cut-off, and powers of two of chunks.
const LENGTHS: [usize; 12] = [
    0,
    1,
    1024,
    65_536,
    65_537,
    131_072,
    131_073,
    196_608,
    200_000,
    262_145,
    1 << 20,
    (1 << 20) + 1025,
];

fn check(join: &impl Join, name: &str) {
    let whole = input(LENGTHS[LENGTHS.len() - 1]);
    for len in LENGTHS {
        let input = &whole[..len];
        let expected = Mode::Hash.expected(input);
        assert_eq!(
            parallel::hash_with_join(join, input),
            expected,
            "{name} {len}"
        );
        let keyed = Mode::KeyedHash.expected(input);
        assert_eq!(
            parallel::keyed_hash_with_join(join, KEY, input),
            keyed,
            "{name} {len}"
        );
        let expected = Mode::DeriveKey.expected(input);
        assert_eq!(
            parallel::derive_key_with_join(join, CONTEXT, input),
            expected,
            "{name} {len}"
        );
        for &tier in tiers() {
            for before in [0, 1, 100_000] {
                let before = before.min(len);
                let mut hasher = Mode::KeyedHash.hasher(tier);
                hasher.update_with_join(join, &input[..before]);
                hasher.update_with_join(join, &input[before..]);
                hasher.update_with_join(join, &[]);
                assert_eq!(hasher.finalize(), keyed, "{name} {tier} {before} {len}");
                assert_eq!(hasher.count(), len as u64);
            }
        }
    }
}

#[test]
fn serial() {
    check(&Serial, "serial");
}

#[test]
fn threads_of_the_standard_library() {
    for count in [1, 2, 3, 8] {
        check(&Eager(threads(count)), "threads");
    }
    let long = input(9_000_001);
    assert_eq!(
        parallel::hash_with_join(&threads(3), &long),
        blake3_lanes::hash(&long)
    );
}

#[test]
fn a_panic_comes_back() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let threads = threads(2);
    for run in [
        &(|| drop(threads.join(|| -> String { panic!("left") }, String::new))) as &dyn Fn(),
        &|| drop(threads.join(String::new, || -> String { panic!("right") })),
    ] {
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
    let ids = threads.join(
        || std::thread::current().id(),
        || std::thread::current().id(),
    );
    assert_ne!(ids.0, ids.1, "its thread was given back");
}

/// A subtree that begins elsewhere.
#[test]
fn subtrees() {
    use blake3_lanes::hazmat::HasherExt;

    let input = input(512 * 1024);
    for &tier in tiers() {
        for len in [1024, 100_000, 512 * 1024] {
            let mut one = Hasher::on_tier(tier);
            let mut other = Hasher::on_tier(tier);
            one.set_input_offset(1 << 40).update(&input[..len]);
            other
                .set_input_offset(1 << 40)
                .update_with_join(&Eager(threads(2)), &input[..len]);
            assert_eq!(one.finalize_non_root(), other.finalize_non_root());
        }
    }
    let too_much = std::panic::catch_unwind(|| {
        Hasher::new()
            .set_input_offset(256 * 1024)
            .update_with_join(&Serial, &input)
            .count()
    });
    assert!(too_much.is_err());
}

#[cfg(feature = "rayon")]
mod rayon {
    use proptest::prelude::*;

    use super::*;
    use blake3_lanes::parallel::{CUT_OFF, Pool, Rayon};

    #[test]
    fn pools() {
        check(&Rayon, "rayon");
        for count in [1, 2, 5] {
            let pool = Pool::new(NonZero::new(count).expect("not zero")).expect("started");
            check(&pool, "pool");
            pool.install(|| check(&Rayon, "installed"));
        }
    }

    /// Alone in changing the limit: other tests of this program only see that digests stay.
    #[test]
    fn functions_that_fan_out() {
        for limit in [None, NonZero::new(1), NonZero::new(2), NonZero::new(100)] {
            parallel::set_thread_limit(limit);
            assert_eq!(parallel::thread_limit(), limit);
            let whole = input(CUT_OFF * 5);
            for len in [0, CUT_OFF, CUT_OFF + 1, CUT_OFF * 3 + 7, whole.len()] {
                let input = &whole[..len];
                assert_eq!(parallel::hash(input), Mode::Hash.expected(input));
                assert_eq!(
                    parallel::keyed_hash(KEY, input),
                    Mode::KeyedHash.expected(input)
                );
                assert_eq!(
                    parallel::derive_key(CONTEXT, input),
                    Mode::DeriveKey.expected(input)
                );
            }
            // Many at once.
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        assert_eq!(parallel::hash(&whole), Mode::Hash.expected(&whole));
                    });
                }
            });
        }
        parallel::set_thread_limit(None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn any_splits(pieces in proptest::collection::vec(0usize..400_000, 1..6)) {
            let input = input(pieces.iter().sum());
            let mut hasher = Hasher::new();
            let mut rest = &input[..];
            for piece in pieces {
                let (now, later) = rest.split_at(piece);
                hasher.update_rayon(now);
                rest = later;
            }
            prop_assert_eq!(hasher.finalize(), blake3_lanes::hash(&input));
        }
    }
}
