//! `curve25519-dalek` and `ed25519-dalek`, which ask for 64 bytes.

use blake3::traits::Blake3_512;
use curve25519_dalek::{RistrettoPoint, Scalar};
use digest::{Digest, XofFixedWrapper, consts::U64};
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign, raw_verify};
use ed25519_dalek::{Signature, SigningKey};

use crate::{by_hand, bytes};

/// The same of the official crate.
type Official512 = XofFixedWrapper<official::Hasher, U64>;

fn long(message: &[u8]) -> [u8; 64] {
    let bytes = by_hand::xof(&[message], 64);
    bytes.try_into().expect("64 bytes")
}

#[test]
fn scalars_and_points() {
    for length in [0, 3, 64, 5000] {
        let message = bytes(length);
        let wide = long(&message);
        assert_eq!(
            Scalar::hash_from_bytes::<Blake3_512>(&message),
            Scalar::from_bytes_mod_order_wide(&wide),
        );
        assert_eq!(
            Scalar::from_hash(Blake3_512::new_with_prefix(&message)),
            Scalar::from_bytes_mod_order_wide(&wide),
        );
        assert_eq!(
            RistrettoPoint::hash_from_bytes::<Blake3_512>(&message),
            RistrettoPoint::from_uniform_bytes(&wide),
        );
    }
}

#[test]
fn signatures_of_prehashed_messages() {
    let message = bytes(5000);
    let key = SigningKey::from_bytes(&[7; 32]);
    let prehash = || Blake3_512::new_with_prefix(&message);
    let signature = key
        .sign_prehashed(prehash(), Some(b"context"))
        .expect("a context");
    // Ed25519ph as of RFC 8032, section 5.1: the signature depends on the 64 bytes alone.
    let official = Official512::new_with_prefix(&message);
    let expected = key
        .sign_prehashed(official.clone(), Some(b"context"))
        .expect("a context");
    assert_eq!(signature, expected);
    key.verify_prehashed(official, Some(b"context"), &signature)
        .expect("a signature");
    key.verify_prehashed(prehash(), None, &signature)
        .expect_err("another context");
}

/// BLAKE3 in the place of SHA-512 inside of Ed25519.
#[test]
fn signatures_on_another_hash() {
    let secret = long(b"a secret");
    let key = ExpandedSecretKey::from_bytes(&secret);
    let verifying = (&key).into();
    let signature: Signature = raw_sign::<Blake3_512>(&key, b"a message", &verifying);
    raw_verify::<Blake3_512>(&verifying, b"a message", &signature).expect("a signature");
    assert_eq!(
        signature,
        raw_sign::<Official512>(&key, b"a message", &verifying)
    );

    // By hand, from RFC 8032, section 5.1.6.
    let prefix = &secret[32..];
    let r = Scalar::from_bytes_mod_order_wide(&long(&[prefix, b"a message"].concat()));
    assert_eq!(
        *signature.r_bytes(),
        curve25519_dalek::EdwardsPoint::mul_base(&r)
            .compress()
            .to_bytes(),
    );
}
