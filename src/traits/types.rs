//! The types that are made for the traits.

#[cfg(feature = "digest")]
use crate::tree::Mode;
use crate::{Hasher, KEY_LEN, Tier};
use core::fmt;
#[cfg(feature = "std")]
use std::io;

/// The hash, for code that is generic over hashes: what replaces `Sha256`.
///
/// All it can do are traits, of digest 0.11 and 0.10, and it has no method besides them that hides
/// theirs: what compiles with `sha2::Sha256` compiles with it. Input and output have any length;
/// `FixedOutput` gives 32 bytes, `ExtendableOutput` as many as are read. Its time depends on the
/// lengths of the inputs alone. It holds parts of its input, which the feature `zeroize` wipes when
/// it is dropped. See [`traits`](crate::traits) for what each trait does, and section 2 of the
/// BLAKE3 paper.
///
/// ```
/// # #[cfg(feature = "digest")] {
/// use blake3_lanes::{Blake3, Digest};
///
/// let mut hasher = Blake3::new();
/// hasher.update("hello ");
/// hasher.update(b"world");
/// let digest = hasher.finalize();
/// assert_eq!(digest[..], blake3_lanes::hash(b"hello world").as_bytes()[..]);
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Blake3(pub(super) Hasher);

impl Blake3 {
    /// A hasher with the kernels of the given tier.
    ///
    /// ```
    /// # #[cfg(feature = "digest")] {
    /// use blake3_lanes::{Blake3, Digest, Tier};
    ///
    /// for tier in Tier::available() {
    ///     let digest = Blake3::on_tier(tier).chain_update(b"abc").finalize();
    ///     assert_eq!(digest, Blake3::digest(b"abc"));
    /// }
    /// # }
    /// ```
    pub fn on_tier(tier: Tier) -> Self {
        Self(Hasher::on_tier(tier))
    }

    #[cfg(feature = "digest")]
    pub(super) fn from_hasher(hasher: Hasher) -> Option<Self> {
        (hasher.mode() == Mode::Hash).then_some(Self(hasher))
    }
}

/// Keyed BLAKE3, for code that is generic over message authentication codes (MACs).
///
/// The key has exactly 32 bytes, and must be secret and uniformly random; `new_from_slice` returns
/// an error for another length. Messages have any length, tags 32 bytes, or through
/// `ExtendableOutput` any length. `verify_slice` and its like compare in constant time. Its time
/// depends on the lengths of the inputs alone. It holds the key and parts of its input, which the
/// feature `zeroize` wipes when it is dropped. Resetting keeps the key. See
/// [`traits`](crate::traits) for what each trait does and for keyed BLAKE3 beside HMAC, and section
/// 2.3 of the BLAKE3 paper.
///
/// ```
/// # #[cfg(feature = "digest")] {
/// use blake3_lanes::Blake3Mac;
/// use blake3_lanes::digest::{KeyInit, Mac};
///
/// let key = [7; 32];
/// let tag = Blake3Mac::new(&key.into()).chain_update(b"a message").finalize();
/// assert_eq!(tag.as_bytes()[..], *blake3_lanes::keyed_hash(&key, b"a message").as_bytes());
/// assert!(Blake3Mac::new_from_slice(b"a short key").is_err());
/// # }
/// ```
#[derive(Clone)]
pub struct Blake3Mac(pub(super) Hasher);

impl Blake3Mac {
    /// A MAC with the kernels of the given tier.
    ///
    /// ```
    /// # #[cfg(feature = "digest")] {
    /// use blake3_lanes::digest::Mac;
    /// use blake3_lanes::{Blake3Mac, Tier, keyed_hash};
    ///
    /// let mac = Blake3Mac::on_tier(Tier::PORTABLE, &[7; 32]);
    /// mac.chain_update(b"abc").verify_slice(keyed_hash(&[7; 32], b"abc").as_slice())?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_tier(tier: Tier, key: &[u8; KEY_LEN]) -> Self {
        Self(Hasher::new_keyed_on_tier(tier, key))
    }

    #[cfg(feature = "digest")]
    pub(super) fn from_hasher(hasher: Hasher) -> Option<Self> {
        (hasher.mode() == Mode::KeyedHash).then_some(Self(hasher))
    }
}

/// What both have besides the traits of `digest`.
macro_rules! finish {
    ($type:ident) => {
        /// Prints the tier: the rest may be secret.
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type))
                    .field("tier", &self.0.tier())
                    .finish_non_exhaustive()
            }
        }

        /// Takes all it is given, and never fails.
        #[cfg(feature = "std")]
        impl io::Write for $type {
            fn write(&mut self, input: &[u8]) -> io::Result<usize> {
                self.0.update(input);
                Ok(input.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        #[cfg(feature = "zeroize")]
        impl zeroize::Zeroize for $type {
            fn zeroize(&mut self) {
                self.0.zeroize();
            }
        }

        // What is in it does so.
        #[cfg(feature = "zeroize")]
        impl zeroize::ZeroizeOnDrop for $type {}
    };
}

finish!(Blake3);
finish!(Blake3Mac);
