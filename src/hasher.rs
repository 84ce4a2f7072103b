//! Hashing an input that comes in pieces.

use crate::tree::{Domain, Tree};
use crate::{Hash, KEY_LEN, OutputReader, Tier, hazmat, parallel};
use core::fmt;
#[cfg(feature = "std")]
use std::io;

/// Hashes an input that comes in pieces of any length.
///
/// The same input gives the same hash however it is cut. Pieces of 16 KiB and more, best in
/// multiples of 1 KiB, use all the lanes of every tier; a few bytes before them do no harm. With
/// the feature `std` it implements [`Write`](std::io::Write).
///
/// A hasher holds parts of its input and its key. With the feature `zeroize` it wipes them when it
/// is dropped, and otherwise not; places it was moved from, and the registers and stack of the
/// kernels, are never wiped. Times depend on the lengths of the pieces alone. See sections 2 and 5.1
/// of the BLAKE3 paper.
///
/// ```
/// use blake3_lanes::Hasher;
///
/// let mut hasher = Hasher::new();
/// hasher.update(b"hello ");
/// hasher.update(b"world");
/// assert_eq!(hasher.finalize(), blake3_lanes::hash(b"hello world"));
/// ```
#[derive(Clone)]
pub struct Hasher {
    pub(crate) tree: Tree,
}

// No more than a cache line above the official hasher's 1920 bytes.
const _: () = assert!(size_of::<Hasher>() <= 1920 + 64);

impl Hasher {
    /// A hasher for [`hash`](crate::hash).
    ///
    /// ```
    /// let hasher = blake3_lanes::Hasher::new();
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(b""));
    /// ```
    pub fn new() -> Self {
        Self::on_tier(Tier::detect())
    }

    /// A hasher for [`keyed_hash`](crate::keyed_hash), whose rules for the key hold here too.
    ///
    /// ```
    /// let key = [7; 32];
    /// let mut hasher = blake3_lanes::Hasher::new_keyed(&key);
    /// assert_eq!(hasher.update(b"abc").finalize(), blake3_lanes::keyed_hash(&key, b"abc"));
    /// ```
    pub fn new_keyed(key: &[u8; KEY_LEN]) -> Self {
        Self::new_keyed_on_tier(Tier::detect(), key)
    }

    /// A hasher for [`derive_key`](crate::derive_key), whose rules for the context hold here too.
    /// Its input is the key material.
    ///
    /// ```
    /// const CONTEXT: &str = "example.com 2025-11-30 test";
    /// let mut hasher = blake3_lanes::Hasher::new_derive_key(CONTEXT);
    /// let mut long_key = [0; 96];
    /// hasher.update(b"material").finalize_xof().fill(&mut long_key);
    /// assert_eq!(long_key[..32], blake3_lanes::derive_key(CONTEXT, b"material"));
    /// ```
    pub fn new_derive_key(context: &str) -> Self {
        Self::new_derive_key_on_tier(Tier::detect(), context)
    }

    /// [`new`](Self::new) with the kernels of the given tier.
    ///
    /// ```
    /// use blake3_lanes::{Hasher, Tier};
    ///
    /// for tier in Tier::available() {
    ///     let mut hasher = Hasher::on_tier(tier);
    ///     assert_eq!(hasher.tier(), tier);
    ///     assert_eq!(hasher.update(b"abc").finalize(), blake3_lanes::hash(b"abc"));
    /// }
    /// ```
    pub fn on_tier(tier: Tier) -> Self {
        Self::in_domain(Domain::hash(tier))
    }

    /// [`new_keyed`](Self::new_keyed) with the kernels of the given tier.
    ///
    /// ```
    /// use blake3_lanes::{Hasher, Tier, keyed_hash};
    ///
    /// let mut hasher = Hasher::new_keyed_on_tier(Tier::PORTABLE, &[7; 32]);
    /// assert_eq!(hasher.update(b"abc").finalize(), keyed_hash(&[7; 32], b"abc"));
    /// ```
    pub fn new_keyed_on_tier(tier: Tier, key: &[u8; KEY_LEN]) -> Self {
        Self::in_domain(Domain::keyed_hash(tier, key))
    }

    /// [`new_derive_key`](Self::new_derive_key) with the kernels of the given tier.
    ///
    /// ```
    /// use blake3_lanes::{Hasher, Tier, derive_key};
    ///
    /// const CONTEXT: &str = "example.com 2025-11-30 test";
    /// let mut hasher = Hasher::new_derive_key_on_tier(Tier::PORTABLE, CONTEXT);
    /// assert_eq!(hasher.update(b"material").finalize(), derive_key(CONTEXT, b"material"));
    /// ```
    pub fn new_derive_key_on_tier(tier: Tier, context: &str) -> Self {
        let context_key = hazmat::hash_derive_key_context_on_tier(tier, context);
        Self::in_domain(Domain::derive_key_material(tier, &context_key))
    }

    pub(crate) fn in_domain(domain: Domain) -> Self {
        Self {
            tree: Tree::new(domain),
        }
    }

    /// The tier whose kernels this hasher calls.
    ///
    /// ```
    /// use blake3_lanes::{Hasher, Tier};
    ///
    /// assert_eq!(Hasher::new().tier(), Tier::detect());
    /// ```
    pub fn tier(&self) -> Tier {
        self.tree.domain().tier()
    }

    /// A copy for which no address is taken: see `Blake3`.
    #[cfg(any(feature = "digest", feature = "digest-0_10"))]
    #[inline(always)]
    pub(crate) fn copy_inlined(&self) -> Self {
        Self {
            tree: self.tree.copy_inlined(),
        }
    }

    #[cfg(feature = "digest")]
    pub(crate) fn mode(&self) -> crate::tree::Mode {
        self.tree.domain().hasher_mode()
    }

    /// Forgets all input, as if newly made: mode, key, context and tier stay. An
    /// [input offset](hazmat::HasherExt::set_input_offset) goes back to 0.
    ///
    /// Nothing is wiped.
    ///
    /// ```
    /// let mut hasher = blake3_lanes::Hasher::new_keyed(&[7; 32]);
    /// hasher.update(b"something else").reset().update(b"abc");
    /// assert_eq!(hasher.finalize(), blake3_lanes::keyed_hash(&[7; 32], b"abc"));
    /// ```
    pub fn reset(&mut self) -> &mut Self {
        self.tree.start_at(0);
        self
    }

    /// Adds input, of any length.
    ///
    /// # Panics
    ///
    /// Only after [`set_input_offset`](hazmat::HasherExt::set_input_offset), where the subtree
    /// would become larger than [`max_subtree_len`](hazmat::max_subtree_len).
    ///
    /// ```
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update(b"a").update(b"").update(b"bc");
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(b"abc"));
    /// ```
    pub fn update(&mut self, input: &[u8]) -> &mut Self {
        self.tree.update(input);
        self
    }

    /// [`update`](Self::update) with the halves of the tree joined by `join`: the state after it is
    /// the same.
    ///
    /// It pays from some hundred KiB on, at best for all of an input at once. Less than
    /// [`grain`](parallel::Join::grain) bytes are hashed on the calling thread, and so is what lies
    /// before the next multiple of 32 KiB.
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update), or if `join` does. After a panic of `join` part of the input
    /// may have been added: [`reset`](Self::reset) the hasher.
    ///
    /// ```
    /// use blake3_lanes::parallel::Serial;
    ///
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update_with_join(&Serial, b"ab").update(b"c");
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(b"abc"));
    /// ```
    pub fn update_with_join(&mut self, join: &impl parallel::Join, input: &[u8]) -> &mut Self {
        self.tree.update_joined(join, input);
        self
    }

    /// [`update`](Self::update) on several threads, those of the rayon pool that the caller runs
    /// on, or else of the global one: [`update_with_join`](Self::update_with_join) with
    /// [`Rayon`](parallel::Rayon).
    ///
    /// It pays from some hundred KiB on, at best for all of an input at once; below 128 KiB no
    /// other thread is asked. Other threads of the pool may be busy, and the result is the same
    /// then.
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update), or if rayon cannot start its global pool.
    ///
    /// ```
    /// let input = vec![7; 1_000_000];
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update_rayon(&input);
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(&input));
    /// ```
    #[cfg(feature = "rayon")]
    pub fn update_rayon(&mut self, input: &[u8]) -> &mut Self {
        self.update_with_join(&parallel::Rayon, input)
    }

    /// The hash of the input so far.
    ///
    /// The hasher stays as it is: asking again gives the same, and more input may follow.
    ///
    /// # Panics
    ///
    /// Only after [`set_input_offset`](hazmat::HasherExt::set_input_offset) with another offset
    /// than 0: a subtree's value is no hash.
    ///
    /// ```
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update(b"ab");
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(b"ab"));
    /// hasher.update(b"c");
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(b"abc"));
    /// ```
    pub fn finalize(&self) -> Hash {
        self.assert_whole();
        Hash::from_bytes(self.tree.root_hash())
    }

    /// The hash of the input so far, as output of any length.
    ///
    /// The hasher stays as it is: asking again gives the same, and more input may follow.
    ///
    /// # Panics
    ///
    /// As [`finalize`](Self::finalize).
    ///
    /// ```
    /// let mut output = [0; 1000];
    /// blake3_lanes::Hasher::new().update(b"abc").finalize_xof().fill(&mut output);
    /// assert_eq!(blake3_lanes::hash(b"abc"), output[..32]);
    /// ```
    pub fn finalize_xof(&self) -> OutputReader {
        self.assert_whole();
        OutputReader::new(self.tree.top())
    }

    fn assert_whole(&self) {
        assert!(
            self.tree.first() == 0,
            "a hasher with an input offset has no root: call finalize_non_root",
        );
    }

    /// Bytes of input so far, without an [input offset](hazmat::HasherExt::set_input_offset).
    ///
    /// ```
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update(b"ab").update(b"c");
    /// assert_eq!(hasher.count(), 3);
    /// assert_eq!(hasher.reset().count(), 0);
    /// ```
    pub fn count(&self) -> u64 {
        self.tree.count()
    }
}

/// [`Hasher::new`].
impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

/// Prints mode and tier: the rest may be secret.
impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher")
            .field("mode", &self.tree.domain().mode())
            .field("tier", &self.tier())
            .finish_non_exhaustive()
    }
}

/// Takes all it is given, and never fails.
#[cfg(feature = "std")]
impl io::Write for Hasher {
    fn write(&mut self, input: &[u8]) -> io::Result<usize> {
        self.update(input);
        Ok(input.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Leaves an empty hasher with a key of zeros, which is of no use but does no harm.
#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Hasher {
    fn zeroize(&mut self) {
        self.tree.zeroize();
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Hasher {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(self);
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Hasher {}
