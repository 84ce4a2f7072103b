//! The examples of the `blake3` crate's documentation, and its interface, compiled and run twice:
//! with that crate, and with ours under its name. In the manifest that is one line.

/// From the documentation of `blake3` 1.8.7.
macro_rules! examples {
    () => {
        #[test]
        fn of_the_crate() {
            // Hash an input all at once.
            let hash1 = blake3::hash(b"foobarbaz");

            // Hash an input incrementally.
            let mut hasher = blake3::Hasher::new();
            hasher.update(b"foo");
            hasher.update(b"bar");
            hasher.update(b"baz");
            let hash2 = hasher.finalize();
            assert_eq!(hash1, hash2);

            // Extended output. OutputReader also implements Read and Seek.
            let mut output = [0; 1000];
            let mut output_reader = hasher.finalize_xof();
            output_reader.fill(&mut output);
            assert_eq!(hash1, output[..32]);
            assert_eq!(&output[..32], blake3::hash(b"foobarbaz").as_bytes());

            // Print a hash as hex.
            println!("{}", hash1);
        }

        #[test]
        fn of_hash() {
            let hash1 = blake3::hash(b"foo");
            let hash2 = blake3::Hasher::new().update(b"foo").finalize();
            assert_eq!(hash1, hash2);
        }

        #[test]
        fn of_keyed_hash() {
            const KEY: &[u8; 32] = &[0; 32];
            let mac1 = blake3::keyed_hash(KEY, b"foo");
            let mac2 = blake3::Hasher::new_keyed(KEY).update(b"foo").finalize();
            assert_eq!(mac1, mac2);
        }

        #[test]
        fn of_derive_key() {
            const CONTEXT: &str = "example.com 2019-12-25 16:18:03 session tokens v1";
            let key1 = blake3::derive_key(CONTEXT, b"key material, not a password");
            let key2: [u8; 32] = blake3::Hasher::new_derive_key(CONTEXT)
                .update(b"key material, not a password")
                .finalize()
                .into();
            assert_eq!(key1, key2);
        }

        #[test]
        fn of_the_readme() {
            // MAC an input all at once.
            let example_key = [42u8; 32];
            let mac1 = blake3::keyed_hash(&example_key, b"example input");

            // MAC incrementally.
            let mut hasher = blake3::Hasher::new_keyed(&example_key);
            hasher.update(b"example input");
            let mac2 = hasher.finalize();
            assert_eq!(mac1, mac2);

            // Derive a couple of subkeys for different purposes.
            const EMAIL_CONTEXT: &str = "BLAKE3 example 2020-01-07 17:10:44 email key";
            const API_CONTEXT: &str = "BLAKE3 example 2020-01-07 17:11:21 API key";
            let input_key_material = b"usually at least 32 random bytes, not a password";
            let email_key = blake3::derive_key(EMAIL_CONTEXT, input_key_material);
            let api_key = blake3::derive_key(API_CONTEXT, input_key_material);
            assert_ne!(email_key, api_key);
        }

        #[test]
        fn of_update_reader() -> std::io::Result<()> {
            let mut hasher = blake3::Hasher::new();
            hasher.update_reader(std::io::Cursor::new(b"foobarbaz"))?;
            assert_eq!(hasher.finalize(), blake3::hash(b"foobarbaz"));
            Ok(())
        }

        #[test]
        fn of_update_rayon() {
            let input = vec![7; 1_000_000];
            let mut hasher = blake3::Hasher::new();
            hasher.update_rayon(&input);
            assert_eq!(hasher.finalize(), blake3::hash(&input));
        }

        #[test]
        fn of_hazmat() {
            use blake3::hazmat::HasherExt; // an extension trait for Hasher
            use blake3::hazmat::{Mode, merge_subtrees_non_root, merge_subtrees_root};
            use blake3::{CHUNK_LEN, Hasher};

            let chunk0 = [b'a'; CHUNK_LEN];
            let chunk1 = [b'b'; CHUNK_LEN];
            let chunk2 = [b'c'; 42]; // The final chunk can be short.

            // Compute the non-root hashes ("chaining values") of all three chunks. Chunks or
            // subtrees that don't begin at the start of the input use `set_input_offset` to say
            // where they begin.
            let chunk0_cv = Hasher::new()
                // .set_input_offset(0) is the default.
                .update(&chunk0)
                .finalize_non_root();
            let chunk1_cv = Hasher::new()
                .set_input_offset(CHUNK_LEN as u64)
                .update(&chunk1)
                .finalize_non_root();
            let chunk2_cv = Hasher::new()
                .set_input_offset(2 * CHUNK_LEN as u64)
                .update(&chunk2)
                .finalize_non_root();

            // Join the first two chunks with a non-root parent node and compute its chaining value.
            let parent_cv = merge_subtrees_non_root(&chunk0_cv, &chunk1_cv, Mode::Hash);

            // Join that parent node and the third chunk with a root parent node and compute the
            // hash.
            let root_hash = merge_subtrees_root(&parent_cv, &chunk2_cv, Mode::Hash);

            // Double check that we got the right answer.
            let mut combined_input = Vec::new();
            combined_input.extend_from_slice(&chunk0);
            combined_input.extend_from_slice(&chunk1);
            combined_input.extend_from_slice(&chunk2);
            assert_eq!(root_hash, blake3::hash(&combined_input));

            let left_subtree_cv = Hasher::new()
                .update(&combined_input[..2 * CHUNK_LEN])
                .finalize_non_root();
            assert_eq!(left_subtree_cv, parent_cv);

            // Using multiple updates gives the same answer, though it's not as efficient.
            let mut subtree_hasher = Hasher::new();
            subtree_hasher.update(&chunk0);
            subtree_hasher.update(&chunk1);
            assert_eq!(left_subtree_cv, subtree_hasher.finalize_non_root());
        }

        #[test]
        #[should_panic]
        fn of_hazmat_gone_wrong() {
            use blake3::hazmat::HasherExt;
            use blake3::{CHUNK_LEN, Hasher};
            let chunk1 = [b'b'; CHUNK_LEN];
            let chunk2 = [b'c'; 42];
            Hasher::new()
                .set_input_offset(CHUNK_LEN as u64)
                .update(&chunk1)
                .update(&chunk2)
                .finalize_non_root();
        }

        #[test]
        fn of_context_keys() {
            use blake3::Hasher;
            use blake3::hazmat::HasherExt;

            let context_key = blake3::hazmat::hash_derive_key_context("foo");
            let mut hasher = Hasher::new_from_context_key(&context_key);
            hasher.update(b"bar");
            let derived_key = *hasher.finalize().as_bytes();

            assert_eq!(derived_key, blake3::derive_key("foo", b"bar"));
        }

        #[test]
        fn of_left_subtree_len() {
            use blake3::hazmat::{HasherExt, Mode, left_subtree_len, merge_subtrees_root};
            use blake3::{CHUNK_LEN, Hasher};

            for input_len in [CHUNK_LEN + 1, 5000, 123_456] {
                let input = vec![3; input_len];
                let left_len = left_subtree_len(input_len as u64) as usize;
                let left_subtree_cv = Hasher::new().update(&input[..left_len]).finalize_non_root();
                let right_subtree_cv = Hasher::new()
                    .set_input_offset(left_len as u64)
                    .update(&input[left_len..])
                    .finalize_non_root();
                let root_hash =
                    merge_subtrees_root(&left_subtree_cv, &right_subtree_cv, Mode::Hash);
                assert_eq!(root_hash, blake3::hash(&input));
            }
        }

        #[test]
        fn of_merge_subtrees_root_xof() {
            use blake3::hazmat::{HasherExt, Mode, merge_subtrees_root_xof};
            use blake3::{CHUNK_LEN, Hasher};

            let chunk0 = &[42; CHUNK_LEN];
            let chunk1 = b"hello world";
            let chunk0_cv = Hasher::new().update(chunk0).finalize_non_root();
            let chunk1_cv = Hasher::new()
                .set_input_offset(CHUNK_LEN as u64)
                .update(chunk1)
                .finalize_non_root();

            // Obtain a blake3::OutputReader at the root and extract 1000 bytes.
            let mut output_reader = merge_subtrees_root_xof(&chunk0_cv, &chunk1_cv, Mode::Hash);
            let mut output_bytes = [0; 1_000];
            output_reader.fill(&mut output_bytes);

            // Double check the answer.
            let mut hasher = Hasher::new();
            hasher.update(chunk0);
            hasher.update(chunk1);
            let mut expected = [0; 1_000];
            hasher.finalize_xof().fill(&mut expected);
            assert_eq!(output_bytes, expected);
        }
    };
}

/// Every public name of `blake3` 1.8.7 that its documentation shows, with its signature. `mmap` is
/// not on here, and the hidden modules `guts` and `platform` are no interface.
macro_rules! interface {
    () => {
        #[test]
        fn constants() {
            let constants: [usize; 4] = [
                blake3::OUT_LEN,
                blake3::KEY_LEN,
                blake3::BLOCK_LEN,
                blake3::CHUNK_LEN,
            ];
            assert_eq!(constants, [32, 32, 64, 1024]);
        }

        #[test]
        fn functions() {
            use blake3::hazmat::{self, ChainingValue, ContextKey, HasherExt, Mode};
            use blake3::{Hash, Hasher, OutputReader};

            let _: fn(&[u8]) -> Hash = blake3::hash;
            let _: fn(&[u8; 32], &[u8]) -> Hash = blake3::keyed_hash;
            let _: fn(&str, &[u8]) -> [u8; 32] = blake3::derive_key;
            let _: fn() -> Hasher = Hasher::new;
            let _: fn(&[u8; 32]) -> Hasher = Hasher::new_keyed;
            let _: fn(&str) -> Hasher = Hasher::new_derive_key;
            let _: for<'a> fn(&'a mut Hasher) -> &'a mut Hasher = Hasher::reset;
            let _: for<'a> fn(&'a mut Hasher, &[u8]) -> &'a mut Hasher = Hasher::update;
            let _: for<'a> fn(&'a mut Hasher, &[u8]) -> &'a mut Hasher = Hasher::update_rayon;
            let _: for<'a> fn(&'a mut Hasher, std::io::Empty) -> std::io::Result<&'a mut Hasher> =
                Hasher::update_reader;
            let _: fn(&Hasher) -> Hash = Hasher::finalize;
            let _: fn(&Hasher) -> OutputReader = Hasher::finalize_xof;
            let _: fn(&Hasher) -> u64 = Hasher::count;
            let _: fn(&mut OutputReader, &mut [u8]) = OutputReader::fill;
            let _: fn(&OutputReader) -> u64 = OutputReader::position;
            let _: fn(&mut OutputReader, u64) = OutputReader::set_position;
            let _: fn(&ContextKey) -> Hasher = Hasher::new_from_context_key;
            let _: for<'a> fn(&'a mut Hasher, u64) -> &'a mut Hasher = Hasher::set_input_offset;
            let _: fn(&Hasher) -> ChainingValue = Hasher::finalize_non_root;
            let _: fn(u64) -> Option<u64> = hazmat::max_subtree_len;
            let _: fn(u64) -> u64 = hazmat::left_subtree_len;
            let _: fn(&str) -> ContextKey = hazmat::hash_derive_key_context;
            type Merge<T> = fn(&ChainingValue, &ChainingValue, Mode<'_>) -> T;
            let _: Merge<ChainingValue> = hazmat::merge_subtrees_non_root;
            let _: Merge<Hash> = hazmat::merge_subtrees_root;
            let _: Merge<OutputReader> = hazmat::merge_subtrees_root_xof;
            let _ = [
                Mode::Hash,
                Mode::KeyedHash(&[0; 32]),
                Mode::DeriveKeyMaterial(&[0; 32]),
            ];
        }

        #[test]
        fn hashes() -> Result<(), blake3::HexError> {
            use blake3::Hash;

            const ZEROS: Hash = Hash::from_bytes([0; 32]);
            const BYTES: &[u8; 32] = ZEROS.as_bytes();
            const SLICE: &[u8] = ZEROS.as_slice();
            assert_eq!(BYTES, SLICE);
            let hash = blake3::hash(b"abc");
            let hex = hash.to_hex();
            let text: &str = &hex;
            assert_eq!(text, hex.as_str());
            assert_eq!(&hex, hash.to_string().as_str());
            assert_eq!(hex.len(), 64);
            assert_eq!(Hash::from_hex(hex.as_str())?, hash);
            assert_eq!(Hash::from_hex(hex.as_bytes())?, hash);
            assert_eq!(hex.parse::<Hash>()?, hash);
            assert_eq!(format!("{hash:?}"), format!("Hash(\"{hex}\")"));
            assert!(Hash::from_hex("abc").is_err());
            let bytes: [u8; 32] = hash.into();
            assert_eq!(Hash::from(bytes), hash);
            assert_eq!(hash, bytes);
            assert_eq!(hash, bytes[..]);
            assert_ne!(hash, bytes[1..]);
            assert_eq!(Hash::from_slice(&bytes).expect("32 bytes"), hash);
            let error: std::array::TryFromSliceError =
                Hash::from_slice(&bytes[1..]).expect_err("31 bytes");
            let _: Box<dyn std::error::Error> = error.into();
            let set: std::collections::HashSet<Hash> = [hash, hash, ZEROS].into();
            assert_eq!(set.len(), 2);
            let error: Box<dyn std::error::Error> = Box::new(Hash::from_hex("!").unwrap_err());
            assert!(!error.to_string().is_empty());
            Ok(())
        }

        #[test]
        fn readers_and_writers() -> std::io::Result<()> {
            use std::io::{Read, Seek, SeekFrom, Write};
            let mut hasher = blake3::Hasher::default();
            hasher.write_all(b"foo")?;
            std::io::copy(&mut &b"bar"[..], &mut hasher)?;
            hasher.flush()?;
            assert_eq!(hasher.finalize(), blake3::hash(b"foobar"));
            let mut reader = hasher.finalize_xof();
            let mut output = [0; 100];
            reader.read_exact(&mut output)?;
            assert_eq!(reader.seek(SeekFrom::Start(90))?, 90);
            let mut again = Vec::new();
            reader.take(10).read_to_end(&mut again)?;
            assert_eq!(again, output[90..]);
            Ok(())
        }

        #[test]
        fn features() {
            use blake3::traits::digest;
            fn hash<D: digest::Digest>() {}
            hash::<blake3::Hasher>();
            fn mac<D: digest::Mac + digest::KeyInit>() {}
            mac::<blake3::Hasher>();
            fn output<D: digest::ExtendableOutputReset<Reader = blake3::OutputReader>>() {}
            output::<blake3::Hasher>();
            fn wiped<T: zeroize::Zeroize>() {}
            wiped::<blake3::Hasher>();
            wiped::<blake3::OutputReader>();
            wiped::<blake3::Hash>();
            fn stored<T: serde::Serialize + serde::de::DeserializeOwned>() {}
            stored::<blake3::Hash>();
        }
    };
}

mod ours {
    use ::blake3;

    examples!();
    interface!();
}

mod theirs {
    use ::official as blake3;

    examples!();
    interface!();
}
