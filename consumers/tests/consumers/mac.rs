//! `hmac`, and BLAKE3's own keyed mode beside it.

use blake3::digest::{FixedOutput, KeyInit, Mac};
use blake3::{Blake3, Blake3Mac, Hasher};
use hmac::{Hmac, HmacReset, SimpleHmac, SimpleHmacReset};

use crate::{by_hand, bytes};

const KEY_LENGTHS: [usize; 9] = [0, 1, 31, 32, 33, 63, 64, 65, 1000];
const LENGTHS: [usize; 14] = [
    0, 1, 63, 64, 65, 127, 128, 129, 959, 960, 961, 1024, 2049, 20_000,
];

fn mac<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = <M as KeyInit>::new_from_slice(key).expect("a key of any length");
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

#[test]
fn hmac_of_every_kind() {
    for key_length in KEY_LENGTHS {
        let key = bytes(key_length);
        for length in LENGTHS {
            let message = bytes(length);
            let expected = by_hand::hmac(&key, &[&message]).to_vec();
            let what = format!("key of {key_length}, message of {length}");
            assert_eq!(mac::<Hmac<Blake3>>(&key, &message), expected, "{what}");
            assert_eq!(mac::<Hmac<Hasher>>(&key, &message), expected, "{what}");
            assert_eq!(mac::<HmacReset<Blake3>>(&key, &message), expected, "{what}");
            assert_eq!(
                mac::<SimpleHmac<Blake3>>(&key, &message),
                expected,
                "{what}"
            );
            assert_eq!(
                mac::<SimpleHmac<Hasher>>(&key, &message),
                expected,
                "{what}"
            );
            assert_eq!(
                mac::<SimpleHmacReset<Blake3>>(&key, &message),
                expected,
                "{what}"
            );
        }
    }
}

#[test]
fn hmac_in_pieces_and_again() {
    let (key, message) = (bytes(40), bytes(3000));
    let expected = by_hand::hmac(&key, &[&message]);
    for piece in [1, 7, 63, 64, 65, 1000] {
        let mut whole = Hmac::<Blake3>::new_from_slice(&key).expect("any length");
        let mut reset = HmacReset::<Blake3>::new_from_slice(&key).expect("any length");
        for _ in 0..2 {
            for piece in message.chunks(piece) {
                reset.update(piece);
            }
            assert_eq!(reset.finalize_reset().into_bytes(), expected);
        }
        for piece in message.chunks(piece) {
            whole.update(piece);
        }
        whole.verify_slice(&expected).expect("the tag");
    }
}

/// Two different MACs, and the keyed mode takes keys of 32 bytes only.
#[test]
fn hmac_is_not_the_keyed_mode() {
    let (key, message) = ([7; 32], bytes(100));
    let keyed = official::keyed_hash(&key, &message);
    assert_eq!(mac::<Blake3Mac>(&key, &message), keyed.as_bytes());
    assert_eq!(mac::<Hasher>(&key, &message), keyed.as_bytes());
    assert_ne!(mac::<Hmac<Blake3>>(&key, &message), keyed.as_bytes());
    for length in [0, 31, 33, 64] {
        assert!(<Blake3Mac as KeyInit>::new_from_slice(&bytes(length)).is_err());
    }
}

#[test]
fn verification() {
    let message = bytes(100);
    let mac = || Blake3Mac::new(&[7; 32].into()).chain_update(&message);
    let tag = *official::keyed_hash(&[7; 32], &message).as_bytes();
    mac().verify(&tag.into()).expect("the tag");
    mac().verify_slice(&tag).expect("the tag");
    mac()
        .verify_truncated_left(&tag[..16])
        .expect("its left half");
    mac()
        .verify_truncated_right(&tag[16..])
        .expect("its right half");
    for i in 0..32 {
        let mut wrong = tag;
        wrong[i] ^= 1;
        mac().verify_slice(&wrong).expect_err("another tag");
    }
    mac().verify_slice(&tag[..31]).expect_err("a short tag");
    mac().verify_truncated_left(&[]).expect_err("no tag");
}

#[test]
fn resetting_keeps_the_key() {
    let message = bytes(2000);
    let tag = *official::keyed_hash(&[7; 32], &message).as_bytes();
    let mut mac = Blake3Mac::new(&[7; 32].into());
    for _ in 0..3 {
        Mac::update(&mut mac, &message);
        mac.verify_slice_reset(&tag).expect("the tag");
        Mac::update(&mut mac, &message);
        assert_eq!(mac.finalize_reset().into_bytes(), tag);
        Mac::update(&mut mac, b"something else");
        Mac::reset(&mut mac);
    }
    Mac::update(&mut mac, &message);
    assert_eq!(mac.finalize_fixed(), tag);
}
