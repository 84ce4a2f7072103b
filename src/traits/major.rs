//! The impls whose text is the same for every major of `digest`.

/// Implements the traits in the scope of which `major` is a major of `digest`, and `common` its
/// `crypto-common`.
macro_rules! implement {
    // What every hash and MAC has.
    (fixed $type:ty) => {
        impl major::OutputSizeUser for $type {
            type OutputSize = major::consts::U32;
        }

        impl common::BlockSizeUser for $type {
            type BlockSize = major::consts::U64;
        }

        impl major::Update for $type {
            #[inline(always)]
            fn update(&mut self, data: &[u8]) {
                Hashing::feed(self, data);
            }
        }

        /// Mode, key and context stay.
        impl major::Reset for $type {
            #[inline]
            fn reset(&mut self) {
                Hashing::restart(self);
            }
        }

        impl major::FixedOutput for $type {
            #[inline(always)]
            fn finalize_into(self, out: &mut major::Output<Self>) {
                out.copy_from_slice(&Hashing::root(&self));
            }
        }

        /// Mode, key and context stay.
        impl major::FixedOutputReset for $type {
            #[inline]
            fn finalize_into_reset(&mut self, out: &mut major::Output<Self>) {
                out.copy_from_slice(&Hashing::root(self));
                Hashing::restart(self);
            }
        }

        impl major::ExtendableOutput for $type {
            type Reader = OutputReader;

            #[inline]
            fn finalize_xof(self) -> OutputReader {
                Hashing::reader(&self)
            }
        }

        /// Mode, key and context stay.
        impl major::ExtendableOutputReset for $type {
            #[inline]
            fn finalize_xof_reset(&mut self) -> OutputReader {
                let reader = Hashing::reader(self);
                Hashing::restart(self);
                reader
            }
        }
    };

    // What a keyed type has.
    (keyed $type:ty, $new:expr) => {
        impl major::MacMarker for $type {}

        impl common::KeySizeUser for $type {
            type KeySize = major::consts::U32;
        }

        /// The key has exactly 32 bytes: others are neither padded nor hashed.
        impl major::KeyInit for $type {
            #[inline]
            fn new(key: &major::Key<Self>) -> Self {
                let Some(key) = key.first_chunk() else {
                    unreachable!("a key has as many bytes as `KeySize` says")
                };
                $new(key)
            }
        }
    };

    (name $type:ty, $name:literal) => {
        impl common::AlgorithmName for $type {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }
    };

    (oid $type:ty) => {
        /// `1.3.6.1.4.1.1722.12.2.3.8`, the arc that Bouncy Castle gives to BLAKE3 with 256 bits
        /// (`MiscObjectIdentifiers.blake3_256`). No registry lists it.
        #[cfg(feature = "oid")]
        impl major::const_oid::AssociatedOid for $type {
            const OID: major::const_oid::ObjectIdentifier =
                major::const_oid::ObjectIdentifier::new_unwrap("1.3.6.1.4.1.1722.12.2.3.8");
        }
    };

    // Everything, once per major.
    () => {
        implement!(fixed Hasher);
        implement!(fixed Blake3);
        implement!(fixed Blake3Mac);

        impl major::HashMarker for Hasher {}
        impl major::HashMarker for Blake3 {}
        impl major::HashMarker for Blake3Core {}

        implement!(keyed Hasher, Hasher::new_keyed);
        implement!(keyed Blake3Mac, |key| Blake3Mac::on_tier(crate::Tier::detect(), key));

        implement!(name Hasher, "Blake3");
        implement!(name Blake3, "Blake3");
        implement!(name Blake3Core, "Blake3");
        implement!(name Blake3Mac, "Blake3Mac");

        implement!(oid Hasher);
        implement!(oid Blake3);
        implement!(oid Blake3Core);

        impl major::XofReader for OutputReader {
            #[inline]
            fn read(&mut self, buffer: &mut [u8]) {
                self.fill(buffer);
            }
        }

        impl common::BlockSizeUser for Blake3Core {
            type BlockSize = major::consts::U64;
        }

        impl major::OutputSizeUser for Blake3Core {
            type OutputSize = major::consts::U32;
        }

        impl block_api::BufferKindUser for Blake3Core {
            type BufferKind = major::block_buffer::Eager;
        }

        impl block_api::FixedOutputCore for Blake3Core {
            #[inline]
            fn finalize_fixed_core(
                &mut self,
                buffer: &mut block_api::Buffer<Self>,
                out: &mut major::Output<Self>,
            ) {
                self.0.update(buffer.get_data());
                buffer.reset();
                out.copy_from_slice(self.0.finalize().as_bytes());
            }
        }

        impl major::Reset for Blake3Core {
            #[inline]
            fn reset(&mut self) {
                self.0.reset();
            }
        }
    };
}
pub(super) use implement;
