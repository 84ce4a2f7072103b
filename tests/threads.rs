//! The first use may come from many threads at once. One test alone, so that nothing in its process
//! comes before it.

use std::sync::Barrier;
use std::thread;

use blake3_lanes::Tier;

#[path = "support/modes.rs"]
mod modes;

use modes::{Mode, input};

#[test]
fn first_use_from_many_threads() {
    const THREADS: usize = 16;
    let input = input(20_000);
    let expected = Mode::Hash.expected(&input);
    let barrier = Barrier::new(THREADS);
    let first_use = &|thread: usize| {
        barrier.wait();
        // Half of the threads ask first, half just hash.
        let tier = thread.is_multiple_of(2).then(Tier::detect);
        assert_eq!(blake3_lanes::hash(&input), expected);
        let mut hasher = blake3_lanes::Hasher::new();
        assert_eq!(hasher.update(&input).finalize(), expected);
        tier.unwrap_or_else(Tier::detect)
    };
    let tiers: Vec<Tier> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || first_use(thread)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no thread panics"))
            .collect()
    });
    assert_eq!(tiers, [Tier::detect(); THREADS]);
}
