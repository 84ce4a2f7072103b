//! The RustCrypto traits on every tier, in both majors of `digest`: what they compute, and what they
//! keep and forget.
#![cfg(any(feature = "digest", feature = "digest-0_10"))]

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

/// The tests, for a major.
macro_rules! tests {
    () => {
        use blake3_lanes::{Blake3, Blake3Mac, Hasher, OutputReader, Tier};

        use crate::modes::{KEY, Mode, input};
        use crate::support::tiers;

        const LENS: [usize; 12] = [
            0, 1, 64, 65, 1023, 1024, 1025, 3000, 4096, 9000, 16_384, 70_000,
        ];

        /// As generic code does it: whole, in pieces, reset, extended.
        fn check<T>(mode: Mode, fresh: impl Fn() -> T)
        where
            T: FixedOutputReset + ExtendableOutputReset<Reader = OutputReader> + Clone,
            T: OutputSizeUser<OutputSize = U32> + BlockSizeUser<BlockSize = U64>,
        {
            for len in LENS {
                let input = input(len);
                let expected = mode.expected(&input);
                let long = mode.expected_output(&input, 0, 301);

                let fed = fresh().chain(&input);
                let mut output = Output::<T>::default();
                fed.clone().finalize_into(&mut output);
                assert_eq!(output[..], expected);
                assert_eq!(fed.clone().finalize_fixed()[..], expected);
                let mut extended = vec![0; 301];
                fed.clone().finalize_xof().read(&mut extended);
                assert_eq!(extended, long);
                fed.clone().finalize_xof_into(&mut extended[..100]);
                assert_eq!(extended, long);
                let mut reader = fed.clone().finalize_xof();
                for piece in extended.chunks_mut(7) {
                    piece.fill(0);
                    reader.read(piece);
                }
                assert_eq!(extended, long);

                // Everything that resets keeps mode, key and context.
                let mut hasher = fed;
                assert_eq!(hasher.finalize_fixed_reset()[..], expected);
                for piece in input.chunks(999) {
                    hasher.update(piece);
                }
                let mut output = Output::<T>::default();
                hasher.finalize_into_reset(&mut output);
                assert_eq!(output[..], expected);
                hasher.update(&input);
                hasher.finalize_xof_reset().read(&mut extended);
                assert_eq!(extended, long);
                hasher.update(b"something else");
                Reset::reset(&mut hasher);
                hasher.update(&input);
                hasher.finalize_xof_reset_into(&mut extended);
                assert_eq!(extended, long);
                assert_eq!(hasher.finalize_fixed()[..], mode.expected(b""));
            }
        }

        #[test]
        fn every_type_on_every_tier() {
            for &tier in tiers() {
                check(Mode::Hash, || Blake3::on_tier(tier));
                check(Mode::KeyedHash, || Blake3Mac::on_tier(tier, KEY));
                for mode in Mode::ALL {
                    check(mode, || mode.hasher(tier));
                }
            }
            check(Mode::Hash, Blake3::default);
            check(Mode::KeyedHash, || <Blake3Mac as KeyInit>::new(KEY.into()));
            check(Mode::KeyedHash, || <Hasher as KeyInit>::new(KEY.into()));
        }

        /// A hash changes its form with its input: each form from each other, forked, reset, and asked
        /// for its hash on the way.
        #[test]
        fn every_way_through_the_forms() {
            fn check<T>(fresh: &T, input: &[u8], pieces: [usize; 3])
            where
                T: FixedOutputReset + ExtendableOutputReset<Reader = OutputReader> + Clone,
            {
                let mut hash = fresh.clone();
                let mut fed = 0;
                for piece in pieces {
                    hash.update(&input[fed..fed + piece]);
                    fed += piece;
                    let fork = hash.clone().finalize_fixed();
                    assert_eq!(blake3_lanes::hash(&input[..fed]), fork[..], "{pieces:?}");
                }
                let mut output = [0; 40];
                hash.finalize_xof_reset().read(&mut output);
                assert_eq!(
                    blake3_lanes::hash(&input[..fed]),
                    output[..32],
                    "{pieces:?}"
                );
                hash.update(&input[..pieces[2]]);
                let again = hash.finalize_fixed_reset();
                assert_eq!(
                    blake3_lanes::hash(&input[..pieces[2]]),
                    again[..],
                    "{pieces:?}"
                );
                assert_eq!(
                    blake3_lanes::hash(b""),
                    hash.finalize_fixed()[..],
                    "{pieces:?}"
                );
            }
            const PIECES: [usize; 9] = [0, 1, 63, 64, 65, 960, 1024, 1025, 5000];
            let input = input(3 * 5000);
            for &tier in tiers() {
                for first in PIECES {
                    for second in PIECES {
                        for third in PIECES {
                            check(&Blake3::on_tier(tier), &input, [first, second, third]);
                        }
                    }
                }
            }
        }

        /// Whole blocks first, then what is left, as `hmac` does it.
        #[test]
        fn core_on_every_tier() {
            let input = input(300 * 64 + 64);
            for &tier in tiers() {
                for blocks in [0, 1, 2, 15, 16, 17, 63, 64, 65, 300] {
                    for rest in [0, 1, 63] {
                        let len = 64 * blocks + rest;
                        let mut core = Blake3Core::on_tier(tier);
                        let mut buffer = Buffer::<Blake3Core>::default();
                        buffer.digest_blocks(&input[..len], |blocks| core.update_blocks(blocks));
                        let mut output = Output::<Blake3Core>::default();
                        core.finalize_fixed_core(&mut buffer, &mut output);
                        assert_eq!(
                            output[..],
                            Mode::Hash.expected(&input[..len]),
                            "{len} bytes"
                        );
                    }
                }
            }
        }

        #[test]
        fn keys_have_32_bytes() {
            for len in (0..100).chain([1024]) {
                let key = input(len);
                assert_eq!(
                    <Blake3Mac as KeyInit>::new_from_slice(&key).is_ok(),
                    len == 32
                );
                assert_eq!(<Hasher as KeyInit>::new_from_slice(&key).is_ok(), len == 32);
            }
        }

        #[test]
        fn names() {
            struct Name<T>(std::marker::PhantomData<T>);
            impl<T: AlgorithmName> std::fmt::Display for Name<T> {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    T::write_alg_name(f)
                }
            }
            fn name<T: AlgorithmName>() -> String {
                Name(std::marker::PhantomData::<T>).to_string()
            }
            assert_eq!(name::<Blake3>(), "Blake3");
            assert_eq!(name::<Hasher>(), "Blake3");
            assert_eq!(name::<Blake3Core>(), "Blake3");
            assert_eq!(name::<Blake3Mac>(), "Blake3Mac");
        }

        /// `Debug` shows no secret.
        #[test]
        fn debug() {
            let tier = Tier::detect();
            let mac = Blake3Mac::on_tier(tier, KEY).chain(b"secret");
            assert_eq!(
                format!("{mac:?}"),
                format!("Blake3Mac {{ tier: {tier}, .. }}")
            );
            let hash = Blake3::default().chain(b"secret");
            assert_eq!(
                format!("{hash:?}"),
                format!("Blake3 {{ tier: {tier}, .. }}")
            );
            assert_eq!(format!("{:?}", Blake3Core::default()), "Blake3Core { .. }");
        }

        #[test]
        #[cfg(feature = "std")]
        fn writers() {
            let input = input(5000);
            let mut hash = Blake3::default();
            std::io::copy(&mut &input[..], &mut hash).expect("never fails");
            std::io::Write::flush(&mut hash).expect("never fails");
            let hash = major::FixedOutput::finalize_fixed(hash);
            assert_eq!(hash[..], Mode::Hash.expected(&input));
            let mut mac = Blake3Mac::on_tier(Tier::detect(), KEY);
            std::io::copy(&mut &input[..], &mut mac).expect("never fails");
            let mac = major::FixedOutput::finalize_fixed(mac);
            assert_eq!(mac[..], Mode::KeyedHash.expected(&input));
        }

        #[test]
        #[cfg(feature = "oid")]
        fn object_identifiers() {
            fn oid<T: major::const_oid::AssociatedOid>() -> String {
                T::OID.to_string()
            }
            assert_eq!(oid::<Blake3>(), "1.3.6.1.4.1.1722.12.2.3.8");
            assert_eq!(oid::<Hasher>(), oid::<Blake3>());
            assert_eq!(oid::<Blake3Core>(), oid::<Blake3>());
        }
    };
}

#[cfg(feature = "digest")]
mod digest_0_11 {
    use blake3_lanes::block_api::Blake3Core;
    use blake3_lanes::digest as major;
    use major::block_api::{Buffer, FixedOutputCore, UpdateCore};
    use major::common::hazmat::{SerializableState, SerializedState};
    use major::common::{AlgorithmName, BlockSizeUser};
    use major::consts::{U32, U64};
    use major::{
        Digest, ExtendableOutputReset, FixedOutput, FixedOutputReset, KeyInit, Output,
        OutputSizeUser, Reset, Update, XofReader,
    };

    tests!();

    /// Through the trait, at any position and on any tier.
    #[test]
    fn states() {
        fn check<T: SerializableState + Update + FixedOutput + Clone>(hasher: &T, mode: Mode) {
            for len in LENS {
                let input = input(len + 100);
                let hasher = hasher.clone().chain(&input[..len]);
                let state: SerializedState<T> = hasher.serialize();
                assert_eq!(state.len(), 2048);
                let again = T::deserialize(&state)
                    .expect("a state")
                    .chain(&input[len..]);
                assert_eq!(again.finalize_fixed()[..], mode.expected(&input));
                // A byte in the padding, or a version that is not there.
                for at in [2047, 0] {
                    let mut state = state.clone();
                    state[at] ^= 0x80;
                    assert!(T::deserialize(&state).is_err());
                }
            }
            for byte in [0, 0xff] {
                let bytes = SerializedState::<T>::from_fn(|_| byte);
                assert!(T::deserialize(&bytes).is_err());
            }
        }
        for &tier in tiers() {
            check(&Blake3::on_tier(tier), Mode::Hash);
            check(&Blake3Mac::on_tier(tier, KEY), Mode::KeyedHash);
            for mode in Mode::ALL {
                check(&mode.hasher(tier), mode);
            }
        }
    }

    /// A type takes no state of another mode, and none takes a part of an input.
    #[test]
    fn states_of_other_types() {
        use blake3_lanes::hazmat::HasherExt;
        let states = Mode::ALL.map(|mode| mode.hasher(Tier::detect()).serialize());
        let read = states.map(|state| {
            let hash = Blake3::deserialize(&state).is_ok();
            (
                hash,
                Blake3Mac::deserialize(&state).is_ok(),
                Hasher::deserialize(&state).is_ok(),
            )
        });
        assert_eq!(
            read,
            [
                (true, false, true),
                (false, true, true),
                (false, false, true)
            ]
        );
        let mut part = Hasher::new();
        part.set_input_offset(1024);
        assert!(Hasher::deserialize(&part.serialize()).is_err());
        assert!(Blake3::deserialize(&part.serialize()).is_err());
    }

    /// The longest state there is fits: 54 subtrees wait, of 2^64 - 1 bytes.
    #[test]
    fn the_longest_state() {
        let mut state = Hasher::new().serialize();
        state[10..18].fill(0xff);
        state[50..146].fill(7);
        state[145] = 0;
        state[146..146 + 32 * 54].fill(8);
        let hasher = Hasher::deserialize(&state).expect("a state");
        assert_eq!(hasher.count(), u64::MAX);
        assert_eq!(hasher.serialize(), state);
    }

    #[test]
    fn wide_outputs() {
        use blake3_lanes::traits::{Blake3_512, Blake3Mac512};
        for len in LENS {
            let input = input(len);
            let hash = Blake3_512::digest(&input);
            assert_eq!(hash[..], Mode::Hash.expected_output(&input, 0, 64));
            let mac = Blake3Mac512::new(KEY.into()).chain(&input).finalize_fixed();
            assert_eq!(mac[..], Mode::KeyedHash.expected_output(&input, 0, 64));
        }
    }

    #[test]
    fn collision_resistance() {
        use major::CollisionResistance;
        use major::typenum::Unsigned;
        fn bytes<T: CollisionResistance>() -> usize {
            T::CollisionResistance::to_usize()
        }
        assert_eq!([bytes::<Blake3>(), bytes::<Hasher>()], [16, 16]);
        assert_eq!(bytes::<blake3_lanes::traits::Blake3_512>(), 16);
    }
}

#[cfg(feature = "digest-0_10")]
mod digest_0_10 {
    use blake3_lanes::block_api::Blake3Core;
    use blake3_lanes::traits_0_10::digest as major;
    use major::consts::{U32, U64};
    use major::core_api::{Buffer, FixedOutputCore, UpdateCore};
    use major::crypto_common::{AlgorithmName, BlockSizeUser};
    use major::{
        ExtendableOutputReset, FixedOutputReset, KeyInit, Output, OutputSizeUser, Reset, Update,
        XofReader,
    };

    tests!();

    /// The wrapper, through which `hmac` 0.12 takes the hash.
    #[test]
    fn wrapped() {
        use blake3_lanes::traits_0_10::CoreBlake3;
        use major::Digest;
        for &tier in tiers() {
            for len in LENS {
                let input = input(len);
                let core = Blake3Core::on_tier(tier);
                let mut hasher = CoreBlake3::from_core(core);
                for piece in input.chunks(1000) {
                    Digest::update(&mut hasher, piece);
                }
                assert_eq!(hasher.finalize_reset()[..], Mode::Hash.expected(&input));
                Digest::update(&mut hasher, b"abc");
                assert_eq!(hasher.finalize()[..], Mode::Hash.expected(b"abc"));
            }
        }
    }
}
