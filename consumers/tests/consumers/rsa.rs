//! `rsa`: PKCS #1 v1.5, PSS and OAEP, whose encoded messages are taken apart by hand (RFC 8017).

use blake3::Blake3;
use rsa::hazmat::{rsa_decrypt, rsa_encrypt};
use rsa::signature::{SignatureEncoding as _, Signer as _, Verifier as _};
use rsa::traits::PublicKeyParts as _;
use rsa::{BoxedUint, PrivateKey, oaep, pkcs1v15, pss};

use crate::by_hand;

/// 128 bytes: short, so that the tests are fast; far too short for use.
const LEN: usize = 128;

fn key() -> PrivateKey {
    let number = |hex: &str| BoxedUint::from_str_radix_vartime(hex, 16).expect("a number");
    let p = number(P);
    let q = number(Q);
    PrivateKey::from_p_q(p, q, 65537_u64.into()).expect("two primes")
}

const P: &str = concat!(
    "d29872838cb9cfe6578e11f0a323438aee5ae7f61d41412d62db72b25dac5201",
    "9de2d6a355eb2d033336fb70e73f0ec0afeca3ef36dd8a90d83f998fee23b81b",
);
const Q: &str = concat!(
    "ee96772232487fb3a058d58f2c310023e07e4017c94d56cc5fae4b54b44605f4",
    "2a75b0b1f358991f8c6cbe9b68b64e5b2a09d0ad23fcac07ee9a9198a745e1eb",
);

/// What was signed or encrypted, as bytes.
fn bytes(number: &BoxedUint) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let (zeros, bytes) = bytes.split_at(bytes.len() - LEN);
    assert!(zeros.iter().all(|&byte| byte == 0));
    bytes.to_vec()
}

fn opened(key: &PrivateKey, signature: &[u8]) -> Vec<u8> {
    let number = BoxedUint::from_be_slice_vartime(signature);
    bytes(&rsa_encrypt(key.as_public_key(), &number).expect("a number below the modulus"))
}

#[test]
fn pkcs1v15() {
    let key = key();
    let signing = pkcs1v15::SigningKey::<Blake3>::new(key.clone());
    let verifying = pkcs1v15::VerifyingKey::<Blake3>::new(key.as_public_key().clone());
    let signature = signing.sign(b"a message");
    verifying
        .verify(b"a message", &signature)
        .expect("a signature");
    verifying
        .verify(b"another", &signature)
        .expect_err("another message");

    // Section 9.2: DigestInfo with the identifier 1.3.6.1.4.1.1722.12.2.3.8, in DER.
    let identifier = [0x2b, 6, 1, 4, 1, 0x8d, 0x3a, 12, 2, 3, 8];
    let algorithm = [&[0x30, 15, 6, 11][..], &identifier, &[5, 0]].concat();
    let digest = [&[4, 32], &by_hand::hash(&[b"a message"])[..]].concat();
    let info = [&[0x30, 51][..], &algorithm, &digest].concat();
    let padding = vec![0xff; LEN - 3 - info.len()];
    let expected = [&[0, 1][..], &padding, &[0], &info].concat();
    assert_eq!(opened(&key, &signature.to_bytes()), expected);
}

#[test]
fn probabilistic_signatures() {
    let key = key();
    let signing = pss::SigningKey::<Blake3>::new(key.clone());
    let verifying = pss::VerifyingKey::<Blake3>::new(key.as_public_key().clone());
    let mut random = blake3::Hasher::new().update(b"a seed").finalize_xof();
    use rsa::signature::RandomizedSigner as _;
    let signature = signing.sign_with_rng(&mut random, b"a message");
    verifying
        .verify(b"a message", &signature)
        .expect("a signature");
    verifying
        .verify(b"another", &signature)
        .expect_err("another message");
    // The official crate as the hash of the same consumer.
    let official = pss::VerifyingKey::<official::Hasher>::new(key.as_public_key().clone());
    official
        .verify(b"a message", &signature)
        .expect("a signature");

    // Section 9.1.2, for a modulus of 1024 bits and a salt as long as the hash.
    let encoded = opened(&key, &signature.to_bytes());
    let (masked, rest) = encoded.split_at(LEN - 33);
    let (hash, trailer) = rest.split_at(32);
    assert_eq!(trailer, [0xbc]);
    let mut db = by_hand::xor(masked, &by_hand::mgf1(hash, masked.len()));
    db[0] &= 0x7f;
    let (padding, salt) = db.split_at(db.len() - 32);
    assert_eq!(padding, [vec![0; padding.len() - 1], vec![1]].concat());
    let message_hash = by_hand::hash(&[b"a message"]);
    assert_eq!(hash, by_hand::hash(&[&[0; 8], &message_hash, salt]));
}

#[test]
fn encryption() {
    let key = key();
    let mut random = blake3::Hasher::new().update(b"another seed").finalize_xof();
    use rsa::traits::{Decryptor as _, RandomizedEncryptor as _};
    let encrypting =
        oaep::EncryptingKey::<Blake3>::new_with_label(key.as_public_key().clone(), *b"label");
    let encrypted = encrypting
        .encrypt_with_rng(&mut random, b"a message")
        .expect("a short message");
    let decrypting = oaep::DecryptingKey::<Blake3>::new_with_label(key.clone(), *b"label");
    assert_eq!(
        decrypting.decrypt(&encrypted).expect("encrypted"),
        b"a message"
    );

    // Section 7.1.2.
    let number = BoxedUint::from_be_slice_vartime(&encrypted);
    let encoded =
        bytes(&rsa_decrypt(None::<&mut blake3::OutputReader>, &key, &number).expect("ours"));
    assert_eq!(encoded[0], 0);
    let (seed, masked) = encoded[1..].split_at(32);
    let seed = by_hand::xor(seed, &by_hand::mgf1(masked, 32));
    let db = by_hand::xor(masked, &by_hand::mgf1(&seed, masked.len()));
    let (label, rest) = db.split_at(32);
    assert_eq!(label, by_hand::hash(&[b"label"]));
    let (padding, message) = rest.split_at(rest.len() - b"a message".len());
    assert_eq!(padding, [vec![0; padding.len() - 1], vec![1]].concat());
    assert_eq!(message, b"a message");
    assert_eq!(key.size(), LEN);
}
