//! Several threads give what one gives, and no call starts a thread unasked.
#![cfg(feature = "std")]

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

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

/// Inputs that are cut into lists of ever longer pieces, and those that are cut in halves first.
fn check_long(join: &impl Join, name: &str) {
    let whole = input((16 << 20) + 70_000);
    for mib in [2, 8, 16] {
        for off in [-1, 0, 1, 65_536, 70_000] {
            let len = ((mib << 20) as usize)
                .checked_add_signed(off)
                .expect("in range");
            let input = &whole[..len];
            let expected = Mode::Hash.expected(input);
            let name = format!("{name} {len}");
            assert_eq!(parallel::hash_with_join(join, input), expected, "{name}");
            // Subtrees of many sizes.
            let mut hasher = Hasher::new();
            hasher.update(&input[..100_000]);
            hasher.update_with_join(join, &input[100_000..]);
            assert_eq!(hasher.finalize(), expected, "{name}");
        }
    }
}

#[test]
fn long_inputs() {
    check_long(&threads(2), "threads");
    check_long(&Eager(threads(3)), "eager");
}

/// Sleeps until something has come about, or for so long that it never will.
fn wait_until(come_about: impl Fn() -> bool) {
    for _ in 0..100_000 {
        if come_about() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_micros(100));
    }
}

/// Every item is visited once, by no more threads at once than there should be, and by all of them.
fn check_items(join: &impl Join, threads: usize, name: &str) {
    for count in [0, 1, 2, 3, 64, 200] {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut items = vec![0; count];
        join.for_each(&mut items, |item| {
            most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
            if count == 200 {
                wait_until(|| most.load(SeqCst) >= threads);
            }
            *item += 1;
            now.fetch_sub(1, SeqCst);
        });
        assert_eq!(items, vec![1; count], "{name}");
        let most = most.into_inner();
        assert!(most <= threads.min(count), "{name}: {most} at once");
        if count == 200 {
            assert_eq!(most, threads, "{name}: all take part");
        }
    }
    let panic = std::panic::AssertUnwindSafe(|| {
        join.for_each(&mut [0, 1, 2, 3, 4], |item| assert_ne!(*item, 3));
    });
    assert!(std::panic::catch_unwind(panic).is_err(), "{name}");
}

#[test]
fn every_item_once() {
    check_items(&Serial, 1, "serial");
    check_items(&&Serial, 1, "by reference");
    for count in [1, 2, 3] {
        check_items(&threads(count), count, "threads");
    }
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

    #[test]
    fn long_inputs() {
        check_long(&Rayon, "rayon");
        let pool = Pool::new(NonZero::new(3).expect("not zero")).expect("started");
        check_long(&pool, "pool");
        pool.install(|| check_long(&Rayon, "installed"));
    }

    #[test]
    fn every_item_once() {
        // The calling thread besides, where there is more than one.
        let outside = |count| if count > 1 { count + 1 } else { 1 };
        check_items(&Rayon, outside(Rayon.threads()), "rayon");
        for count in [1, 2, 3] {
            let pool = Pool::new(NonZero::new(count).expect("not zero")).expect("started");
            check_items(&pool, outside(count), "pool");
            pool.install(|| check_items(&Rayon, count, "installed"));
            pool.install(|| check_items(&pool, count, "on itself"));
        }
    }

    /// The caller works too, and alone where there is one thread.
    #[test]
    fn the_caller_takes_part() {
        let one = Pool::new(NonZero::<usize>::MIN).expect("started");
        let two = Pool::new(NonZero::new(2).expect("not zero")).expect("started");
        let caller = std::thread::current().id();
        let on_caller = |pool: &Pool| {
            let mut items = [false; 16];
            let helped = AtomicUsize::new(0);
            pool.for_each(&mut items, |item| {
                *item = std::thread::current().id() == caller;
                if !*item {
                    helped.fetch_add(1, SeqCst);
                } else if pool.threads() > 1 {
                    wait_until(|| helped.load(SeqCst) > 0);
                }
            });
            items.iter().filter(|item| **item).count()
        };
        assert_eq!(on_caller(&one), 16);
        let count = on_caller(&two);
        assert!((1..16).contains(&count), "{count} of 16");
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
