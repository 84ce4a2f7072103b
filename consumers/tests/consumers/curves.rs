//! Hashing to elliptic curves, `hash2curve` (RFC 9380), by a fixed output and by an extendable one.

use std::num::NonZero;

use blake3::{Blake3, Hasher};
use digest::consts::U16;
use hash2curve::{ExpandMsg, ExpandMsgXmd, ExpandMsgXof, Expander as _};
use p256::elliptic_curve::sec1::ToSec1Point as _;

use crate::{by_hand, bytes};

const TAG: &[u8] = b"QUUX-V01-CS02-with-BLAKE3";

fn expand<X: ExpandMsg<U16>>(message: &[u8], len: u16) -> Vec<u8> {
    let mut output = vec![0; len.into()];
    let len = NonZero::new(len).expect("not empty");
    let mut expander = X::expand_message(&[message], &[TAG], len).expect("a good tag");
    let mut filled = 0;
    while filled < output.len() {
        filled += expander.fill_bytes(&mut output[filled..]).expect("more");
    }
    output
}

#[test]
fn messages_are_expanded() {
    for length in [0, 3, 64, 1024, 5000] {
        let message = bytes(length);
        for len in [1, 32, 33, 96, 128] {
            let xmd = by_hand::expand_xmd(&message, TAG, len);
            assert_eq!(expand::<ExpandMsgXmd<Blake3>>(&message, len), xmd);
            assert_eq!(expand::<ExpandMsgXmd<Hasher>>(&message, len), xmd);
            // The official crate serves here too, but not below: it does not say how collision
            // resistant it is.
            assert_eq!(expand::<ExpandMsgXmd<official::Hasher>>(&message, len), xmd);
            let xof = by_hand::expand_xof(&message, TAG, len);
            assert_eq!(expand::<ExpandMsgXof<Blake3>>(&message, len), xof);
            assert_eq!(expand::<ExpandMsgXof<Hasher>>(&message, len), xof);
        }
    }
}

/// To points, which must be the ones that the official crate leads to.
#[test]
fn points() {
    macro_rules! point {
        ($curve:ty, $expand:ty) => {
            hash2curve::hash_from_bytes::<$curve, $expand>(&[b"a message"], &[TAG])
                .expect("a good tag")
                .to_affine()
                .to_sec1_point(true)
        };
    }
    assert_eq!(
        point!(p256::NistP256, ExpandMsgXmd<Blake3>),
        point!(p256::NistP256, ExpandMsgXmd<official::Hasher>),
    );
    assert_eq!(
        point!(k256::Secp256k1, ExpandMsgXmd<Blake3>),
        point!(k256::Secp256k1, ExpandMsgXmd<official::Hasher>),
    );
    assert_ne!(
        point!(k256::Secp256k1, ExpandMsgXof<Blake3>),
        point!(k256::Secp256k1, ExpandMsgXmd<Blake3>),
    );
}
