//! ECDSA (`ecdsa` through `k256` and `p256`), its nonces (`rfc6979`), and `elliptic-curve`'s ECDH.

use blake3::Blake3;
use hkdf::Hkdf;
use p256::elliptic_curve::{Curve, Generate as _};
use rfc6979::KGenerator;
use signature::hazmat::PrehashVerifier;
use signature::{DigestSigner, DigestVerifier};

use crate::{by_hand, bytes};

const SECRET: [u8; 32] = *b"a secret key of thirty-two bytes";

/// Signs a digest made by our type, and verifies it with the digest that the official crate gives,
/// and the other way round.
macro_rules! ecdsa {
    ($name:ident, $curve:ident) => {
        #[test]
        fn $name() {
            use $curve::ecdsa::{Signature, SigningKey, VerifyingKey};
            let message = bytes(5000);
            let digest = by_hand::hash(&[&message]);
            let key = SigningKey::from_slice(&SECRET).expect("a key");
            let verifying = VerifyingKey::from(&key);

            let signature: Signature =
                key.sign_digest(|digest: &mut Blake3| digest::Update::update(digest, &message));
            verifying
                .verify_prehash(&digest, &signature)
                .expect("a signature of the official digest");
            verifying
                .verify_digest(
                    |digest: &mut Blake3| {
                        digest::Update::update(digest, &message);
                        Ok(())
                    },
                    &signature,
                )
                .expect("a signature");
            // The same consumer on the official crate gives the same signature: nonces are
            // deterministic.
            let official: Signature = key.sign_digest(|digest: &mut official::Hasher| {
                digest::Update::update(digest, &message)
            });
            assert_eq!(signature, official);

            verifying
                .verify_digest(
                    |digest: &mut Blake3| {
                        digest::Update::update(digest, &message[1..]);
                        Ok(())
                    },
                    &signature,
                )
                .expect_err("another message");
        }
    };
}

ecdsa!(ecdsa_on_k256, k256);
ecdsa!(ecdsa_on_p256, p256);

/// With the nonces from our hash too, which `ecdsa` takes from the curve otherwise.
#[test]
fn nonces() {
    let digest = by_hand::hash(&[b"sample"]);
    let order = p256::NistP256::ORDER.get();
    let mut k = [0; 32];
    KGenerator::<Blake3, _>::new(&SECRET, &digest, b"", &order).fill_next_k(&mut k);
    // The digest, and so the candidate, is below the order, or the test would need another message.
    assert!(digest[0] < 0xff && k[0] < 0xff);
    assert_eq!(k, by_hand::rfc6979(&SECRET, &digest));

    use p256::ecdsa::signature::hazmat::PrehashVerifier as _;
    let secret = p256::NonZeroScalar::try_from(&SECRET[..]).expect("a scalar");
    let (signature, _) =
        ecdsa::hazmat::sign_prehashed_rfc6979::<p256::NistP256, Blake3>(&secret, &digest, b"");
    let verifying = p256::ecdsa::SigningKey::from(secret);
    verifying
        .verifying_key()
        .verify_prehash(&digest, &signature)
        .expect("a signature");
}

#[test]
fn shared_secret() {
    let ours = k256::ecdh::EphemeralSecret::generate();
    let theirs = k256::SecretKey::from_slice(&SECRET).expect("a key");
    let shared = ours.diffie_hellman(&theirs.public_key());
    let hkdf: Hkdf<Blake3> = shared.extract::<Blake3>(Some(b"salt"));
    let mut output = [0; 50];
    hkdf.expand(b"info", &mut output).expect("short enough");
    let expected = by_hand::hkdf(b"salt", shared.raw_secret_bytes(), b"info", 50);
    assert_eq!(output[..], expected);
}
