//! `serde`, `subtle` and `rand_core`.

use blake3::{Hash, Hasher};

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("always")
}

fn cbor<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("always");
    bytes
}

fn from_cbor<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    ciborium::from_reader(bytes).ok()
}

fn postcard<T: serde::Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).expect("always")
}

/// Ours is written as theirs, and each is read from what the other has written.
#[test]
fn forms_are_those_of_the_official_crate() {
    let mixed = official::hash(b"abc").into();
    for bytes in [
        [0; 32], [1; 32], [0x17; 32], [0x18; 32], [0x7f; 32], [0x80; 32], [0xff; 32], mixed,
    ] {
        let theirs = official::Hash::from_bytes(bytes);
        let ours = Hash::from_bytes(bytes);

        let text = json(&theirs);
        assert_eq!(json(&ours), text);
        assert_eq!(
            serde_json::from_str::<Hash>(&text).expect("their form"),
            ours
        );

        let form = cbor(&theirs);
        assert_eq!(cbor(&ours), form);
        assert_eq!(from_cbor::<Hash>(&form), Some(ours));

        let form = postcard(&theirs);
        assert_eq!(postcard(&ours), form);
        assert_eq!(form, bytes);
        assert_eq!(
            postcard::from_bytes::<Hash>(&form).expect("their form"),
            ours
        );
    }
}

/// The forms themselves, so that both crates cannot change them together.
#[test]
fn forms_as_bytes() {
    let hash = Hash::from_bytes([0xfe; 32]);
    assert_eq!(json(&hash), format!("[{}254]", "254,".repeat(31)));
    let array = [&[0x98, 0x20][..], &[0x18, 0xfe].repeat(32)].concat();
    assert_eq!(cbor(&hash), array);
    assert_eq!(postcard(&hash), [0xfe; 32]);

    // A version of the official crate wrote strings of bytes; both still read them.
    let string = [&[0x58, 0x20][..], &[0xfe; 32]].concat();
    assert_eq!(from_cbor::<Hash>(&string), Some(hash));
    assert!(from_cbor::<official::Hash>(&string).is_some());
}

/// Inside of other values, where a newtype must not show.
#[test]
fn forms_inside_of_others() {
    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    struct Entry<H> {
        name: String,
        hash: H,
        old: Option<H>,
    }
    let entry = |hash| Entry {
        name: "a".into(),
        hash,
        old: Some(hash),
    };
    let ours = entry(blake3::hash(b"abc"));
    let theirs = Entry {
        name: "a".to_owned(),
        hash: official::hash(b"abc"),
        old: Some(official::hash(b"abc")),
    };
    assert_eq!(json(&ours), json(&theirs));
    assert_eq!(cbor(&ours), cbor(&theirs));
    assert_eq!(postcard(&ours), postcard(&theirs));
    let read: Entry<Hash> = serde_json::from_str(&json(&theirs)).expect("their form");
    assert_eq!(read, ours);
    assert_eq!(
        from_cbor::<Entry<Hash>>(&cbor(&theirs)),
        Some(entry(ours.hash))
    );
    let read: Entry<Hash> = postcard::from_bytes(&postcard(&theirs)).expect("their form");
    assert_eq!(read, ours);
}

#[test]
fn other_forms_are_refused_by_both() {
    for len in [0, 1, 31, 33, 64] {
        let numbers = vec![7_u8; len];
        let text = json(&numbers);
        let error = serde_json::from_str::<Hash>(&text).expect_err("not 32 numbers");
        assert!(error.is_data() || error.is_syntax(), "{error}");
        assert!(serde_json::from_str::<official::Hash>(&text).is_err());
        // What a format makes of an array that is too long is its own affair, and the same for both.
        let string = [&[0x58, len as u8][..], &numbers].concat();
        for form in [cbor(&numbers), string] {
            let read = from_cbor::<Hash>(&form);
            assert_eq!(read.is_some(), from_cbor::<official::Hash>(&form).is_some());
            assert!(read.is_none() || len > 32);
        }
        if len < 32 {
            postcard::from_bytes::<Hash>(&numbers).expect_err("too few bytes");
        }
    }
    for text in ["null", "\"00\"", "{}", "[256]", "[-1]", "[[1]]", "7"] {
        serde_json::from_str::<Hash>(text).expect_err(text);
        assert!(serde_json::from_str::<official::Hash>(text).is_err());
    }
}

#[test]
fn constant_time_comparison() {
    use subtle::ConstantTimeEq as _;
    let hash = blake3::hash(b"abc");
    assert!(bool::from(hash.ct_eq(&hash)));
    for i in 0..256 {
        let mut bytes = *hash.as_bytes();
        bytes[i / 8] ^= 1 << (i % 8);
        assert!(bool::from(hash.ct_ne(&Hash::from_bytes(bytes))));
    }
}

/// The stream of the extended output, number by number.
#[test]
fn random_numbers() {
    fn numbers(mut random: impl rand_core::CryptoRng) -> (u32, u64, [u8; 100], u32) {
        let first = random.next_u32();
        let second = random.next_u64();
        let mut bytes = [0; 100];
        random.fill_bytes(&mut bytes);
        (first, second, bytes, random.next_u32())
    }
    let mut output = [0; 116];
    official::Hasher::new_keyed(&[7; 32])
        .finalize_xof()
        .fill(&mut output);
    let hasher = Hasher::new_keyed(&[7; 32]);
    let (first, second, bytes, last) = numbers(hasher.finalize_xof());
    assert_eq!(first.to_le_bytes(), output[..4]);
    assert_eq!(second.to_le_bytes(), output[4..12]);
    assert_eq!(bytes, output[12..112]);
    assert_eq!(last.to_le_bytes(), output[112..]);
    // By reference too, and where a generator may fail.
    let mut reader = hasher.finalize_xof();
    assert_eq!(numbers(&mut reader).0, first);
    assert_eq!(reader.position(), 116);
    assert_eq!(
        rand_core::TryRng::try_next_u32(&mut hasher.finalize_xof()),
        Ok(first),
    );
}
