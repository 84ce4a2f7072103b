//! What people write with `sha2::Sha256`, compiled twice: with it, and with BLAKE3 in its place by
//! one changed line.

/// What both majors of `digest` have.
macro_rules! patterns {
    () => {
        use super::bytes;

        #[test]
        fn one_call() {
            assert_eq!(Sha256::digest(b"abc")[..], expected(b"abc"));
            assert_eq!(Sha256::digest("abc")[..], expected(b"abc"));
            assert_eq!(Sha256::digest(String::from("abc"))[..], expected(b"abc"));
            assert_eq!(Sha256::digest(vec![1, 2, 3])[..], expected(&[1, 2, 3]));
            let bytes: [u8; 32] = Sha256::digest(b"abc").into();
            assert_eq!(bytes, expected(b"abc"));
            let first = Sha256::digest(b"abc")[0];
            assert_eq!(first, expected(b"abc")[0]);
        }

        #[test]
        fn in_steps() {
            let mut hasher = Sha256::new();
            hasher.update("text, ");
            hasher.update(String::from("a string, "));
            hasher.update(b"an array, ");
            hasher.update(&b"a slice, "[..]);
            hasher.update(vec![b'a', b' ']);
            hasher.update([b'v', b'e', b'c']);
            let result = hasher.finalize();
            assert_eq!(
                result.as_slice(),
                expected(b"text, a string, an array, a slice, a vec"),
            );
            assert_eq!(result.to_vec(), result[..]);
            assert_eq!(result.len(), Sha256::output_size());
        }

        #[test]
        fn in_a_chain() {
            let result = Sha256::new()
                .chain_update("hello ")
                .chain_update(b"world")
                .finalize();
            assert_eq!(result[..], expected(b"hello world"));
            let result = Sha256::new_with_prefix("hello ")
                .chain_update("world")
                .finalize();
            assert_eq!(result[..], expected(b"hello world"));
        }

        #[test]
        fn again_and_again() {
            let mut hasher = Sha256::new();
            for len in [0, 1, 64, 1000, 5000] {
                hasher.update(bytes(len));
                assert_eq!(hasher.finalize_reset()[..], expected(&bytes(len)));
            }
            let mut output = Default::default();
            hasher.update(b"abc");
            hasher.finalize_into_reset(&mut output);
            assert_eq!(output[..], expected(b"abc"));
            hasher.update(b"something else");
            hasher.reset();
            hasher.update(b"abc");
            let fork = hasher.clone();
            hasher.update(b"def");
            hasher.finalize_into(&mut output);
            assert_eq!(output[..], expected(b"abcdef"));
            assert_eq!(fork.finalize()[..], expected(b"abc"));
        }

        /// Code that does not know which hash it gets.
        fn of_list<D: Digest>(items: &[&str]) -> Output<D> {
            let mut hasher = D::new();
            for item in items {
                hasher.update((item.len() as u64).to_le_bytes());
                hasher.update(item);
            }
            hasher.finalize()
        }

        #[test]
        fn in_generic_code() {
            let result = of_list::<Sha256>(&["a", "bc"]);
            let flat = [&1_u64.to_le_bytes()[..], b"a", &2_u64.to_le_bytes(), b"bc"].concat();
            assert_eq!(result[..], expected(&flat));

            /// A root of a tree of leaves.
            fn root<D: Digest<OutputSize = U32> + Clone>(leaves: &[&[u8]]) -> [u8; 32] {
                match leaves {
                    [leaf] => D::new_with_prefix([0]).chain_update(leaf).finalize().into(),
                    _ => {
                        let (left, right) = leaves.split_at(leaves.len() / 2);
                        D::new_with_prefix([1])
                            .chain_update(root::<D>(left))
                            .chain_update(root::<D>(right))
                            .finalize()
                            .into()
                    }
                }
            }
            let leaf = |byte| expected(&[0, byte]);
            let tree = [&[1][..], &leaf(7), &leaf(8)].concat();
            assert_eq!(root::<Sha256>(&[&[7], &[8]]), expected(&tree));
        }

        mod dynamic {
            use super::{Sha256, expected, major::DynDigest};

            #[test]
            fn behind_a_pointer() {
                let mut hashers: Vec<Box<dyn DynDigest>> = vec![
                    Box::new(Sha256::default()),
                    Box::<Sha256>::default(),
                    Sha256::default().box_clone(),
                ];
                for hasher in &mut hashers {
                    hasher.update(b"abc");
                    assert_eq!(hasher.output_size(), 32);
                }
                let mut fork = hashers[0].clone();
                assert_eq!(fork.finalize_reset()[..], expected(b"abc"));
                fork.update(b"def");
                assert_eq!(fork.finalize()[..], expected(b"def"));
                for hasher in hashers {
                    assert_eq!(hasher.finalize()[..], expected(b"abc"));
                }
                let mut hasher = Sha256::default();
                DynDigest::update(&mut hasher, b"abc");
                DynDigest::finalize_into_reset(&mut hasher, &mut [0; 31])
                    .expect_err("a short buffer");
            }
        }

        /// In somebody's struct, with derived traits.
        #[derive(Clone, Debug, Default)]
        struct Checksum {
            hasher: Sha256,
            count: usize,
        }

        impl Checksum {
            fn add(&mut self, record: &[u8]) {
                self.hasher.update(record);
                self.count += 1;
            }

            fn finish(self) -> (usize, String) {
                let bytes = self.hasher.finalize();
                let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                (self.count, hex)
            }
        }

        #[test]
        fn in_a_struct_and_as_hex() {
            let mut sum = Checksum::default();
            sum.add(b"ab");
            let before = sum.clone();
            sum.add(b"c");
            let hex = expected(b"abc").map(|byte| format!("{byte:02x}")).concat();
            assert_eq!(sum.finish(), (2, hex));
            assert_eq!(before.count, 1);
            assert!(format!("{before:?}").starts_with("Checksum { hasher: "));
        }

        #[test]
        fn moved_to_a_thread() {
            let hasher = Sha256::new().chain_update("abc");
            let thread = std::thread::spawn(move || hasher.finalize());
            assert_eq!(thread.join().expect("no panic")[..], expected(b"abc"));
        }
    };
}

/// What digest 0.11 has.
macro_rules! patterns_0_11 {
    () => {
        patterns!();

        #[test]
        fn as_an_array() {
            let output: Output<Sha256> = Sha256::digest(b"abc");
            assert_eq!(output, expected(b"abc"));
            assert_eq!(output.0, expected(b"abc"));
            assert_eq!(
                Sha256::digest(b"abc"),
                Sha256::new_with_prefix(b"abc").finalize()
            );
        }

        #[test]
        fn from_a_reader() {
            let input = bytes(100_000);
            let mut hasher = digest_io::IoWrapper(Sha256::new());
            std::io::copy(&mut &input[..], &mut hasher).expect("never fails");
            assert_eq!(hasher.0.finalize(), expected(&input));
        }

        #[test]
        fn as_a_mac() {
            use hmac::{Hmac, KeyInit, Mac};
            type HmacSha256 = Hmac<Sha256>;

            let mut mac = HmacSha256::new_from_slice(b"a key").expect("a key of any length");
            mac.update(b"a message");
            let tag = mac.finalize().into_bytes();
            let pads = [0x36, 0x5c].map(|pad| {
                let mut block = [pad; 64];
                block
                    .iter_mut()
                    .zip(b"a key")
                    .for_each(|(byte, key)| *byte ^= key);
                block
            });
            let inner = expected(&[&pads[0], &b"a message"[..]].concat());
            assert_eq!(tag, expected(&[&pads[1][..], &inner].concat()));
        }

        #[test]
        fn saved() {
            use digest::common::hazmat::SerializableState;
            let mut hasher = Sha256::new();
            hasher.update(b"ab");
            let state = hasher.serialize();
            let mut again = Sha256::deserialize(&state).expect("a state");
            again.update(b"c");
            assert_eq!(again.finalize(), expected(b"abc"));
        }

        #[test]
        fn with_an_identifier() {
            use digest::const_oid::AssociatedOid;
            assert!(
                Sha256::OID
                    .to_string()
                    .starts_with("1.3.6.1.4.1.1722.12.2.3.8")
                    || Sha256::OID
                        .to_string()
                        .starts_with("2.16.840.1.101.3.4.2.1")
            );
        }
    };
}

/// What digest 0.10 has.
macro_rules! patterns_0_10 {
    () => {
        patterns!();

        #[test]
        fn as_hex_by_itself() {
            let hex = format!("{:x}", Sha256::digest(b"abc"));
            assert_eq!(
                hex,
                expected(b"abc").map(|byte| format!("{byte:02x}")).concat()
            );
        }

        #[test]
        fn from_a_reader() {
            let input = bytes(100_000);
            let mut hasher = Sha256::new();
            std::io::copy(&mut &input[..], &mut hasher).expect("never fails");
            assert_eq!(hasher.finalize()[..], expected(&input));
        }
    };
}

fn bytes(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

/// SHA-256 and BLAKE3 by crates that are not under test.
fn sha256(input: &[u8]) -> [u8; 32] {
    use sha2_0_10::Digest as _;
    sha2_0_10::Sha256::digest(input).into()
}

fn blake3(input: &[u8]) -> [u8; 32] {
    official::hash(input).into()
}

mod with_sha256 {
    use super::sha256 as expected;
    use digest::{self as major, Output, consts::U32};
    use sha2::{Digest, Sha256};

    patterns_0_11!();
}

mod with_blake3 {
    use super::blake3 as expected;
    use ::blake3::{Blake3 as Sha256, Digest};
    use digest::{self as major, Output, consts::U32};

    patterns_0_11!();
}

mod with_sha256_0_10 {
    use super::sha256 as expected;
    use digest_0_10::{self as major, Output, consts::U32};
    use sha2_0_10::{Digest, Sha256};

    patterns_0_10!();
}

mod with_blake3_0_10 {
    use super::blake3 as expected;
    use ::blake3::{Blake3 as Sha256, traits_0_10::digest::Digest};
    use digest_0_10::{self as major, Output, consts::U32};

    patterns_0_10!();
}

mod with_wrapped_blake3_0_10 {
    use super::blake3 as expected;
    use ::blake3::traits_0_10::{CoreBlake3 as Sha256, digest::Digest};
    use digest_0_10::{self as major, Output, consts::U32};

    patterns_0_10!();
}
