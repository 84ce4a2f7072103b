//! Pieces of the tree, for those who build on its inside. Wrong use gives wrong hashes.
//!
//! The chaining value of a chunk or of a subtree can be computed apart, on another machine or at
//! another time, and merged with its neighbour's later. Two rules make the result a BLAKE3 hash
//! (paper, section 2.1):
//!
//! * A subtree begins at a multiple of its own size: a power of two of chunks, as many as
//!   [`max_subtree_len`] allows, where only the last of the input may be shorter.
//! * Two subtrees are merged where [`left_subtree_len`] would cut their common input, and only the
//!   topmost merge is a root.
//!
//! Chaining values and hashes are of the same type here but must not be confused: whoever takes one
//! for the other loses collision resistance. Compare with [`hash`](crate::hash) in tests.
//!
//! A tree of three chunks, the last of them short:
//!
//! ```
//! use blake3_lanes::hazmat::{HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};
//! use blake3_lanes::{CHUNK_LEN, Hasher, hash};
//!
//! let input = [7; 2 * CHUNK_LEN + 100];
//! let chaining_value = |chunk: usize| {
//!     let start = chunk * CHUNK_LEN;
//!     let end = input.len().min(start + CHUNK_LEN);
//!     Hasher::new()
//!         .set_input_offset(start as u64)
//!         .update(&input[start..end])
//!         .finalize_non_root()
//! };
//! let left = merge_subtrees_non_root(&chaining_value(0), &chaining_value(1), Mode::Hash);
//! let root = merge_subtrees_root(&left, &chaining_value(2), Mode::Hash);
//! assert_eq!(root, hash(&input));
//!
//! // The first two at once, which is faster.
//! assert_eq!(left, Hasher::new().update(&input[..2 * CHUNK_LEN]).finalize_non_root());
//! ```

use crate::tier::{bytes_from_words, words_from_bytes};
use crate::tree::{Domain, Node, max_subtree_chunks};
use crate::{CHUNK_LEN, Hash, Hasher, KEY_LEN, OUT_LEN, OutputReader, StateError, Tier};
use core::fmt;

/// The 32 bytes that stand for a chunk or subtree in its parent. Not a [`Hash`](struct@Hash): see
/// the [module](self).
pub type ChainingValue = [u8; OUT_LEN];

/// The 32 bytes that stand for a context in the derivation of keys, made by
/// [`hash_derive_key_context`].
pub type ContextKey = [u8; KEY_LEN];

/// What the `hazmat` module adds to [`Hasher`].
pub trait HasherExt {
    /// [`Hasher::new_derive_key`] with a context that has been hashed before.
    ///
    /// The key must come from [`hash_derive_key_context`]; no other bytes are safe.
    ///
    /// ```
    /// use blake3_lanes::hazmat::{HasherExt, hash_derive_key_context};
    /// use blake3_lanes::{Hasher, derive_key};
    ///
    /// const CONTEXT: &str = "example.com 2025-11-30 test";
    /// let context_key = hash_derive_key_context(CONTEXT);
    /// let mut hasher = Hasher::new_from_context_key(&context_key);
    /// assert_eq!(hasher.update(b"material").finalize(), derive_key(CONTEXT, b"material"));
    /// ```
    fn new_from_context_key(context_key: &ContextKey) -> Self;

    /// Says at which byte of the whole input the input of this hasher begins.
    ///
    /// Such a hasher has no root, unless the offset is 0: end it with
    /// [`finalize_non_root`](Self::finalize_non_root). [`Hasher::reset`] takes the offset back to
    /// 0.
    ///
    /// # Panics
    ///
    /// If there has been input since the hasher was made or reset, or if the offset is not a
    /// multiple of [`CHUNK_LEN`], 1024.
    ///
    /// ```
    /// use blake3_lanes::Hasher;
    /// use blake3_lanes::hazmat::HasherExt;
    ///
    /// let mut hasher = Hasher::new();
    /// let second = hasher.set_input_offset(1024).update(b"abc").finalize_non_root();
    /// let first = hasher.reset().update(b"abc").finalize_non_root();
    /// assert_ne!(first, second);
    /// ```
    fn set_input_offset(&mut self, offset: u64) -> &mut Self;

    /// The chaining value of the chunk or subtree that is the input so far.
    ///
    /// The hasher stays as it is.
    ///
    /// # Panics
    ///
    /// If there is no input: no subtree is empty.
    ///
    /// ```
    /// use blake3_lanes::Hasher;
    /// use blake3_lanes::hazmat::HasherExt;
    ///
    /// let hasher = Hasher::new().update(b"abc").clone();
    /// assert_ne!(hasher.finalize(), hasher.finalize_non_root());
    /// ```
    fn finalize_non_root(&self) -> ChainingValue;
}

impl HasherExt for Hasher {
    fn new_from_context_key(context_key: &ContextKey) -> Self {
        Self::new_from_context_key_on_tier(Tier::detect(), context_key)
    }

    fn set_input_offset(&mut self, offset: u64) -> &mut Self {
        assert!(
            self.count() == 0,
            "an input offset is set before any input, but there were {} bytes",
            self.count(),
        );
        assert!(
            offset.is_multiple_of(CHUNK_LEN as u64),
            "the input offset {offset} is not a multiple of {CHUNK_LEN}",
        );
        self.tree.start_at(offset / CHUNK_LEN as u64);
        self
    }

    fn finalize_non_root(&self) -> ChainingValue {
        assert!(self.count() > 0, "an empty subtree has no chaining value");
        bytes_from_words(&self.tree.top().chaining_value())
    }
}

impl Hasher {
    /// [`HasherExt::new_from_context_key`] with the kernels of the given tier.
    ///
    /// ```
    /// use blake3_lanes::hazmat::hash_derive_key_context;
    /// use blake3_lanes::{Hasher, Tier, derive_key};
    ///
    /// const CONTEXT: &str = "example.com 2025-11-30 test";
    /// let context_key = hash_derive_key_context(CONTEXT);
    /// let mut hasher = Hasher::new_from_context_key_on_tier(Tier::PORTABLE, &context_key);
    /// assert_eq!(hasher.update(b"material").finalize(), derive_key(CONTEXT, b"material"));
    /// ```
    pub fn new_from_context_key_on_tier(tier: Tier, context_key: &ContextKey) -> Self {
        Self::in_domain(Domain::derive_key_material(tier, context_key))
    }
}

/// [`Hasher::from_bytes`] that also takes the state of a hasher with an
/// [input offset](HasherExt::set_input_offset).
///
/// So it is for states that come from where the program itself has put them: where others write
/// them, [`Hasher::finalize`] and [`Hasher::update`] may panic as they do after `set_input_offset`.
///
/// # Errors
///
/// As [`Hasher::from_bytes`], but for the offset.
///
/// ```
/// use blake3_lanes::hazmat::{HasherExt, hasher_from_bytes};
/// use blake3_lanes::Hasher;
///
/// let mut hasher = Hasher::new();
/// hasher.set_input_offset(1024).update(b"abc");
/// let again = hasher_from_bytes(&hasher.to_bytes())?;
/// assert_eq!(again.finalize_non_root(), hasher.finalize_non_root());
/// # Ok::<(), blake3_lanes::StateError>(())
/// ```
pub fn hasher_from_bytes(state: &[u8]) -> Result<Hasher, StateError> {
    hasher_from_bytes_on_tier(Tier::detect(), state)
}

/// [`hasher_from_bytes`] with the kernels of the given tier.
///
/// # Errors
///
/// As [`hasher_from_bytes`].
///
/// ```
/// use blake3_lanes::hazmat::hasher_from_bytes_on_tier;
/// use blake3_lanes::{Hasher, Tier};
///
/// let hasher = hasher_from_bytes_on_tier(Tier::PORTABLE, &Hasher::new().to_bytes())?;
/// assert_eq!(hasher.count(), 0);
/// # Ok::<(), blake3_lanes::StateError>(())
/// ```
pub fn hasher_from_bytes_on_tier(tier: Tier, state: &[u8]) -> Result<Hasher, StateError> {
    Hasher::subtree_from_bytes(tier, state)
}

/// The most bytes that a subtree starting at this byte of the whole input can have; `None` at 0,
/// where there is no limit.
///
/// A subtree that starts at chunk n has at most as many chunks as the largest power of two that
/// divides n.
///
/// # Panics
///
/// If the offset is not a multiple of [`CHUNK_LEN`], 1024.
///
/// ```
/// use blake3_lanes::hazmat::max_subtree_len;
///
/// assert_eq!(max_subtree_len(0), None);
/// assert_eq!(max_subtree_len(3 * 1024), Some(1024));
/// assert_eq!(max_subtree_len(12 * 1024), Some(4 * 1024));
/// ```
pub const fn max_subtree_len(input_offset: u64) -> Option<u64> {
    assert!(
        input_offset.is_multiple_of(CHUNK_LEN as u64),
        "the input offset is not a multiple of 1024",
    );
    match max_subtree_chunks(input_offset / CHUNK_LEN as u64) {
        None => None,
        Some(chunks) => Some(chunks * CHUNK_LEN as u64),
    }
}

/// How many bytes of an input, or of a subtree's input, belong to the left of the two subtrees
/// under its topmost parent.
///
/// That is the largest power of two that leaves at least a byte for the right one.
///
/// # Panics
///
/// If the length is 1024 or less: a chunk has no subtrees.
///
/// ```
/// use blake3_lanes::hazmat::left_subtree_len;
///
/// assert_eq!(left_subtree_len(1025), 1024);
/// assert_eq!(left_subtree_len(4096), 2048);
/// assert_eq!(left_subtree_len(4097), 4096);
/// ```
pub const fn left_subtree_len(input_len: u64) -> u64 {
    assert!(
        input_len > CHUNK_LEN as u64,
        "an input of one chunk has no subtrees",
    );
    crate::tree::left_subtree_len(input_len)
}

/// Hashes the context of [`derive_key`](crate::derive_key), whose rules for it hold here too, to be
/// used many times.
///
/// The result serves for [`HasherExt::new_from_context_key`] and [`Mode::DeriveKeyMaterial`] only.
/// It is as public as the context.
///
/// ```
/// use blake3_lanes::Hasher;
/// use blake3_lanes::hazmat::{HasherExt, hash_derive_key_context};
///
/// const CONTEXT: &str = "example.com 2025-11-30 test";
/// let context_key = hash_derive_key_context(CONTEXT);
/// for material in [b"one", b"two"] {
///     let key = Hasher::new_from_context_key(&context_key).update(material).finalize();
///     assert_eq!(key, blake3_lanes::derive_key(CONTEXT, material));
/// }
/// ```
pub fn hash_derive_key_context(context: &str) -> ContextKey {
    hash_derive_key_context_on_tier(Tier::detect(), context)
}

/// [`hash_derive_key_context`] with the kernels of the given tier.
///
/// ```
/// use blake3_lanes::Tier;
/// use blake3_lanes::hazmat::{hash_derive_key_context, hash_derive_key_context_on_tier};
///
/// const CONTEXT: &str = "example.com 2025-11-30 test";
/// let context_key = hash_derive_key_context_on_tier(Tier::PORTABLE, CONTEXT);
/// assert_eq!(context_key, hash_derive_key_context(CONTEXT));
/// ```
pub fn hash_derive_key_context_on_tier(tier: Tier, context: &str) -> ContextKey {
    Domain::derive_key_context(tier).root(context.as_bytes())
}

/// How the subtrees that are merged have been hashed.
///
/// `Debug` does not print the keys.
#[derive(Clone, Copy)]
pub enum Mode<'a> {
    /// By [`Hasher::new`].
    Hash,
    /// By [`Hasher::new_keyed`] with this key.
    KeyedHash(&'a [u8; KEY_LEN]),
    /// By [`HasherExt::new_from_context_key`] with this key, or by [`Hasher::new_derive_key`] with
    /// its context.
    DeriveKeyMaterial(&'a ContextKey),
}

impl Mode<'_> {
    fn domain(self, tier: Tier) -> Domain {
        match self {
            Self::Hash => Domain::hash(tier),
            Self::KeyedHash(key) => Domain::keyed_hash(tier, key),
            Self::DeriveKeyMaterial(key) => Domain::derive_key_material(tier, key),
        }
    }

    fn parent(self, tier: Tier, left: &ChainingValue, right: &ChainingValue) -> Node {
        let (left, right) = (words_from_bytes(left), words_from_bytes(right));
        self.domain(tier).parent(&left, &right)
    }
}

/// Names the mode; a key may be secret.
impl fmt::Debug for Mode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hash => "Hash",
            Self::KeyedHash(_) => "KeyedHash(..)",
            Self::DeriveKeyMaterial(_) => "DeriveKeyMaterial(..)",
        })
    }
}

/// The chaining value of the parent of two subtrees, where it is not the root.
///
/// ```
/// use blake3_lanes::Hasher;
/// use blake3_lanes::hazmat::{HasherExt, Mode, merge_subtrees_non_root};
///
/// let (left, right) = ([1; 1024], [2; 1024]);
/// let parent = merge_subtrees_non_root(
///     &Hasher::new().update(&left).finalize_non_root(),
///     &Hasher::new().set_input_offset(1024).update(&right).finalize_non_root(),
///     Mode::Hash,
/// );
/// assert_eq!(parent, Hasher::new().update(&left).update(&right).finalize_non_root());
/// ```
pub fn merge_subtrees_non_root(
    left_child: &ChainingValue,
    right_child: &ChainingValue,
    mode: Mode<'_>,
) -> ChainingValue {
    merge_subtrees_non_root_on_tier(Tier::detect(), left_child, right_child, mode)
}

/// [`merge_subtrees_non_root`] with the kernels of the given tier.
///
/// ```
/// use blake3_lanes::Tier;
/// use blake3_lanes::hazmat::{Mode, merge_subtrees_non_root, merge_subtrees_non_root_on_tier};
///
/// let (left, right) = ([1; 32], [2; 32]);
/// assert_eq!(
///     merge_subtrees_non_root_on_tier(Tier::PORTABLE, &left, &right, Mode::Hash),
///     merge_subtrees_non_root(&left, &right, Mode::Hash),
/// );
/// ```
pub fn merge_subtrees_non_root_on_tier(
    tier: Tier,
    left_child: &ChainingValue,
    right_child: &ChainingValue,
    mode: Mode<'_>,
) -> ChainingValue {
    let parent = mode.parent(tier, left_child, right_child);
    bytes_from_words(&parent.chaining_value())
}

/// The hash of an input from its two topmost subtrees.
///
/// An input of 1024 bytes or less has none: hash it with [`Hasher::finalize`].
///
/// ```
/// use blake3_lanes::hazmat::{HasherExt, Mode, merge_subtrees_root};
/// use blake3_lanes::{Hasher, keyed_hash};
///
/// let key = [7; 32];
/// let input = [0; 1500];
/// let root = merge_subtrees_root(
///     &Hasher::new_keyed(&key).update(&input[..1024]).finalize_non_root(),
///     &Hasher::new_keyed(&key).set_input_offset(1024).update(&input[1024..]).finalize_non_root(),
///     Mode::KeyedHash(&key),
/// );
/// assert_eq!(root, keyed_hash(&key, &input));
/// ```
pub fn merge_subtrees_root(
    left_child: &ChainingValue,
    right_child: &ChainingValue,
    mode: Mode<'_>,
) -> Hash {
    merge_subtrees_root_on_tier(Tier::detect(), left_child, right_child, mode)
}

/// [`merge_subtrees_root`] with the kernels of the given tier.
///
/// ```
/// use blake3_lanes::Tier;
/// use blake3_lanes::hazmat::{Mode, merge_subtrees_root, merge_subtrees_root_on_tier};
///
/// let (left, right) = ([1; 32], [2; 32]);
/// assert_eq!(
///     merge_subtrees_root_on_tier(Tier::PORTABLE, &left, &right, Mode::Hash),
///     merge_subtrees_root(&left, &right, Mode::Hash),
/// );
/// ```
pub fn merge_subtrees_root_on_tier(
    tier: Tier,
    left_child: &ChainingValue,
    right_child: &ChainingValue,
    mode: Mode<'_>,
) -> Hash {
    Hash::from_bytes(mode.parent(tier, left_child, right_child).root_hash())
}

/// The hash of an input from its two topmost subtrees, as output of any length.
///
/// An input of 1024 bytes or less has none: hash it with [`Hasher::finalize_xof`].
///
/// ```
/// use blake3_lanes::hazmat::{Mode, merge_subtrees_root, merge_subtrees_root_xof};
///
/// let (left, right) = ([1; 32], [2; 32]);
/// let mut output = [0; 100];
/// merge_subtrees_root_xof(&left, &right, Mode::Hash).fill(&mut output);
/// assert_eq!(merge_subtrees_root(&left, &right, Mode::Hash), output[..32]);
/// ```
pub fn merge_subtrees_root_xof(
    left_child: &ChainingValue,
    right_child: &ChainingValue,
    mode: Mode<'_>,
) -> OutputReader {
    merge_subtrees_root_xof_on_tier(Tier::detect(), left_child, right_child, mode)
}

/// [`merge_subtrees_root_xof`] with the kernels of the given tier.
///
/// ```
/// use blake3_lanes::Tier;
/// use blake3_lanes::hazmat::{Mode, merge_subtrees_root, merge_subtrees_root_xof_on_tier};
///
/// let (left, right) = ([1; 32], [2; 32]);
/// let mut output = [0; 32];
/// merge_subtrees_root_xof_on_tier(Tier::PORTABLE, &left, &right, Mode::Hash).fill(&mut output);
/// assert_eq!(merge_subtrees_root(&left, &right, Mode::Hash), output);
/// ```
pub fn merge_subtrees_root_xof_on_tier(
    tier: Tier,
    left_child: &ChainingValue,
    right_child: &ChainingValue,
    mode: Mode<'_>,
) -> OutputReader {
    OutputReader::new(mode.parent(tier, left_child, right_child))
}
