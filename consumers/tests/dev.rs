//! The tests that `digest` has for those who implement its traits, on known answers
//! (`examples/make_blobs.rs`).

use blake3::{Blake3, Blake3Mac, Hasher};
use digest::dev::{
    TestVector, blobby, feed_rand_16mib, fixed_reset_test, fixed_test, mac_test, reset_mac_test,
    xof_reset_test,
};
use hex_literal::hex;

// The macros name the file after the test, and there is one per type and test: each in a module.
mod fixed {
    use super::*;
    digest::new_test!(blake3_hash, Blake3, fixed_test);
}

mod fixed_reset {
    use super::*;
    digest::new_test!(blake3_hash, Blake3, fixed_reset_test);
}

mod fixed_reset_of_hasher {
    use super::*;
    digest::new_test!(blake3_hash, Hasher, fixed_reset_test);
}

mod xof_reset {
    use super::*;
    digest::new_test!(blake3_xof, Blake3, xof_reset_test);
}

mod xof_reset_of_hasher {
    use super::*;
    digest::new_test!(blake3_xof, Hasher, xof_reset_test);
}

mod mac {
    use super::*;
    digest::new_mac_test!(blake3_mac, Blake3Mac, mac_test);
}

mod mac_reset {
    use super::*;
    digest::new_mac_test!(blake3_mac, Blake3Mac, reset_mac_test);
}

mod mac_reset_of_hasher {
    use super::*;
    digest::new_mac_test!(blake3_mac, Hasher, reset_mac_test);
}

mod state {
    use super::*;
    digest::hash_serialization_test!(blake3_state, Blake3);
}

/// 16 MiB of pseudorandom bytes, in pieces of 1024 and 1.
#[test]
fn much() {
    let expected = hex!("243dbfde5f97a5f6b3abca602df345c8492c9f099e4931f9ba02228bb76a25c6");
    let mut hasher = Blake3::default();
    feed_rand_16mib(&mut hasher);
    assert_eq!(digest::FixedOutput::finalize_fixed(hasher), expected);
    let mut official = official::Hasher::new();
    feed_rand_16mib(&mut official);
    assert_eq!(official.finalize(), expected);
}

/// The same answers, by the functions of digest 0.10, whose macros read another form of file.
#[test]
fn in_digest_0_10() {
    use blake3::traits_0_10::CoreBlake3;
    use digest_0_10::dev::{fixed_reset_test, xof_reset_test};

    blobby::parse_into_structs!(
        include_bytes!("data/blake3_hash.blb");
        static HASHES: &[TestVector { input, output }];
    );
    blobby::parse_into_structs!(
        include_bytes!("data/blake3_xof.blb");
        static OUTPUTS: &[TestVector { input, output }];
    );
    assert_eq!((HASHES.len(), OUTPUTS.len()), (14, 14));
    for TestVector { input, output } in HASHES {
        assert_eq!(fixed_reset_test::<Blake3>(input, output), None);
        assert_eq!(fixed_reset_test::<Hasher>(input, output), None);
        assert_eq!(fixed_reset_test::<CoreBlake3>(input, output), None);
    }
    for TestVector { input, output } in OUTPUTS {
        assert_eq!(xof_reset_test::<Blake3>(input, output), None);
        assert_eq!(xof_reset_test::<Hasher>(input, output), None);
    }
}

#[path = "../examples/make_blobs.rs"]
#[allow(dead_code)]
mod make_blobs;

#[test]
fn known_answers_are_fresh() {
    for (name, bytes) in make_blobs::files() {
        let path = make_blobs::path(name);
        assert!(
            std::fs::read(&path).is_ok_and(|file| file == bytes),
            "{path} is stale: cargo run -p consumers --example make_blobs"
        );
    }
}
