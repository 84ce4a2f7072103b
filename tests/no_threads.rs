//! No thread is started that the caller has not asked for. One test alone, so that nobody else
//! starts any in its process.
#![cfg(all(feature = "std", target_os = "linux"))]

use std::io::Write;
use std::num::NonZero;

use blake3_lanes::parallel::{self, Threads};
use blake3_lanes::{Hasher, hash, keyed_hash};

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("there").count()
}

#[test]
fn no_thread_is_started_unasked() {
    let before = threads();
    let input = vec![7; 10_000_000];
    let digest = hash(&input);
    assert_ne!(keyed_hash(&[7; 32], &input), digest);
    let mut hasher = Hasher::new();
    hasher.update(&input[..5_000_000]);
    hasher.write_all(&input[5_000_000..]).expect("never fails");
    assert_eq!(hasher.finalize(), digest);
    hasher.reset().update_reader(&input[..]).expect("no error");
    assert_eq!(hasher.finalize(), digest);
    let one = Threads::new(NonZero::<usize>::MIN);
    assert_eq!(parallel::hash_with_join(&one, &input), digest);
    assert_eq!(threads(), before);

    // Those that were asked for are gone when the call returns.
    let three = Threads::new(NonZero::new(3).expect("three"));
    assert_eq!(parallel::hash_with_join(&three, &input), digest);
    assert_eq!(threads(), before);

    #[cfg(feature = "rayon")]
    {
        // Not above the limit, and not below the cut-off.
        parallel::set_thread_limit(NonZero::new(1));
        assert_eq!(parallel::hash(&input), digest);
        parallel::set_thread_limit(None);
        assert_eq!(parallel::hash(&input[..100_000]), hash(&input[..100_000]));
        hasher.reset().update_rayon(&input[..100_000]);
        hasher
            .update_reader_rayon(&input[..100_000])
            .expect("no error");
        assert_eq!(hasher.finalize(), hash(&input[..200_000]));
        assert_eq!(threads(), before);
        assert_eq!(parallel::hash(&input), digest);
    }
}
