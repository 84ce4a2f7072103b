//! `hkdf`, `pbkdf2`, and key derivation through a trait.

use blake3::digest::{ExtendableOutput, FixedOutput, TryCustomizedInit, Update, XofReader};
use blake3::{Blake3, Blake3Mac, Hasher};
use hkdf::{Hkdf, HkdfExtract, SimpleHkdf};
use hmac::{Hmac, SimpleHmac};

use crate::{by_hand, bytes};

#[test]
fn hkdf_of_both_kinds() {
    for (salt, material, info, len) in [
        (0, 22, 10, 42),
        (13, 22, 0, 32),
        (64, 80, 80, 82),
        (65, 3000, 100, 1000),
        (32, 0, 3, 1),
    ] {
        let (salt, material, info) = (bytes(salt), bytes(material), bytes(info));
        let expected = by_hand::hkdf(&salt, &material, &info, len);
        let mut output = vec![0; len];
        Hkdf::<Blake3>::new(Some(&salt), &material)
            .expand(&info, &mut output)
            .expect("short enough");
        assert_eq!(output, expected);
        Hkdf::<Hasher>::new(Some(&salt), &material)
            .expand(&info, &mut output)
            .expect("short enough");
        assert_eq!(output, expected);
        SimpleHkdf::<Blake3>::new(Some(&salt), &material)
            .expand(&info, &mut output)
            .expect("short enough");
        assert_eq!(output, expected);
        let mut extract = HkdfExtract::<Blake3>::new(Some(&salt));
        for piece in material.chunks(7) {
            extract.input_ikm(piece);
        }
        let (key, hkdf) = extract.finalize();
        assert_eq!(key, by_hand::hmac(&salt, &[&material]));
        hkdf.expand(&info, &mut output).expect("short enough");
        assert_eq!(output, expected);
    }
    let mut output = vec![0; 255 * 32 + 1];
    let hkdf = Hkdf::<Blake3>::new(None, b"material");
    hkdf.expand(b"", &mut output).expect_err("too long");
}

#[test]
fn pbkdf2_on_hmac() {
    let (password, salt) = (b"correct horse battery staple", bytes(20));
    let expected = by_hand::pbkdf2(|text| by_hand::hmac(password, &[text]), &salt, 20, 75);
    let mut output = [0; 75];
    pbkdf2::pbkdf2_hmac::<Blake3>(password, &salt, 20, &mut output);
    assert_eq!(output[..], expected);
    pbkdf2::pbkdf2::<Hmac<Hasher>>(password, &salt, 20, &mut output).expect("any length");
    assert_eq!(output[..], expected);
    pbkdf2::pbkdf2::<SimpleHmac<Blake3>>(password, &salt, 20, &mut output).expect("any length");
    assert_eq!(output[..], expected);
}

/// A password of another length than 32 is an error: keys are not padded.
#[test]
fn pbkdf2_on_the_keyed_mode() {
    let (password, salt) = ([9; 32], bytes(20));
    let keyed = |text: &[u8]| official::keyed_hash(&password, text).into();
    let expected = by_hand::pbkdf2(keyed, &salt, 20, 75);
    let mut output = [0; 75];
    pbkdf2::pbkdf2::<Blake3Mac>(&password, &salt, 20, &mut output).expect("32 bytes");
    assert_eq!(output[..], expected);
    pbkdf2::pbkdf2::<Blake3Mac>(b"password", &salt, 20, &mut output).expect_err("8 bytes");
}

/// Code that is generic over hashes with a customization string.
#[test]
fn derivation_by_customization() {
    fn derive<D>(context: &[u8], material: &[u8]) -> Result<([u8; 32], [u8; 100]), D::Error>
    where
        D: TryCustomizedInit + Update + ExtendableOutput + FixedOutput + Clone,
    {
        let hasher = D::try_new_customized(context)?.chain(material);
        let mut short = [0; 32];
        short.copy_from_slice(&hasher.clone().finalize_fixed());
        let mut long = [0; 100];
        hasher.finalize_xof().read(&mut long);
        Ok((short, long))
    }
    let context = "consumers 2025-11-30 kdf test Ωμέγα";
    let (short, long) = derive::<Hasher>(context.as_bytes(), b"material").expect("UTF-8");
    assert_eq!(short, official::derive_key(context, b"material"));
    assert_eq!(long[..32], short);
    assert_eq!(long[..], by_hand::derive(context, b"material", 100));
    let error = derive::<Hasher>(b"\xff", b"material").expect_err("not UTF-8");
    assert_eq!(error.valid_up_to(), 0);
}
