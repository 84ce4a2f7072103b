//! The types that are made for the traits.

use crate::tier::padded;
#[cfg(feature = "digest")]
use crate::tree::Mode;
use crate::tree::Short;
use crate::{BLOCK_LEN, CHUNK_LEN, Hasher, KEY_LEN, OUT_LEN, OutputReader, Tier};
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
#[derive(Clone)]
pub struct Blake3(State);

/// Code that is generic over hashes moves a hash from call to call, and a [`Hasher`] is large. The
/// compiler can leave out the moves, and for one block of input the state itself, but only if it sees
/// all that happens to it: so the way from the first input to the hash is inlined, and takes no
/// address of the state. What `digest` costs above [`hash`](crate::hash) is measured by `ladder`.
#[derive(Clone)]
enum State {
    /// One block at most, and zeros after it.
    Block {
        tier: Tier,
        len: u8,
        block: [u8; BLOCK_LEN],
    },
    Short(Tier, Short),
    /// One long input, and its hash: nobody has to come back to the hasher for it.
    Whole(Hasher, [u8; OUT_LEN]),
    Long(Hasher),
}

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
    #[inline(always)]
    pub fn on_tier(tier: Tier) -> Self {
        Self(State::Block {
            tier,
            len: 0,
            block: [0; BLOCK_LEN],
        })
    }

    fn tier(&self) -> Tier {
        match &self.0 {
            State::Block { tier, .. } | State::Short(tier, _) => *tier,
            State::Whole(hasher, _) | State::Long(hasher) => hasher.tier(),
        }
    }

    /// A hasher with the same input.
    pub(super) fn to_hasher(&self) -> Hasher {
        match &self.0 {
            State::Block { tier, len, block } => {
                let mut hasher = Hasher::on_tier(*tier);
                hasher.update(&block[..usize::from(*len)]);
                hasher
            }
            State::Short(tier, chunk) => Hasher {
                tree: chunk.to_tree(*tier),
            },
            State::Whole(hasher, _) | State::Long(hasher) => hasher.clone(),
        }
    }

    #[cfg(feature = "digest")]
    pub(super) fn from_hasher(hasher: Hasher) -> Option<Self> {
        (hasher.mode() == Mode::Hash).then_some(Self(State::Long(hasher)))
    }

    /// Adds input to a hash that has some.
    #[inline(never)]
    fn more(&mut self, input: &[u8]) {
        match &mut self.0 {
            State::Long(hasher) => {
                hasher.update(input);
                return;
            }
            State::Short(tier, chunk) => {
                if chunk.update(*tier, input) {
                    return;
                }
            }
            State::Block { .. } | State::Whole(..) => {}
        }
        let mut hasher = self.to_hasher();
        hasher.update(input);
        #[cfg(feature = "zeroize")]
        zeroize::Zeroize::zeroize(self);
        self.0 = State::Long(hasher);
    }
}

#[inline(never)]
fn whole(tier: Tier, input: &[u8]) -> (Hasher, [u8; OUT_LEN]) {
    let mut hasher = Hasher::on_tier(tier);
    hasher.update(input);
    let root = hasher.root();
    (hasher, root)
}

impl Default for Blake3 {
    #[inline(always)]
    fn default() -> Self {
        Self::on_tier(Tier::detect())
    }
}

impl Hashing for Blake3 {
    #[inline(always)]
    fn feed(&mut self, input: &[u8]) {
        match &mut self.0 {
            State::Block { tier, len, block } if *len == 0 => {
                if input.len() <= BLOCK_LEN {
                    *block = padded(input);
                    *len = input.len() as u8;
                } else if input.len() <= CHUNK_LEN {
                    self.0 = State::Short(*tier, Short::new(*tier, input));
                } else {
                    let (hasher, root) = whole(*tier, input);
                    self.0 = State::Whole(hasher, root);
                }
            }
            _ => self.more(input),
        }
    }

    #[inline]
    fn restart(&mut self) {
        *self = Self::on_tier(self.tier());
    }

    #[inline(always)]
    fn root(&self) -> [u8; OUT_LEN] {
        match &self.0 {
            State::Block { tier, len, block } => {
                let block = *block;
                Short::root_of_block(*tier, &block, *len)
            }
            State::Short(tier, chunk) => chunk.clone().root_hash(*tier),
            State::Whole(_, root) => *root,
            // The copy is dropped, and so wiped, with the feature `zeroize`.
            State::Long(hasher) => hasher.copy_inlined().root(),
        }
    }

    fn reader(&self) -> OutputReader {
        self.to_hasher().finalize_xof()
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

    fn tier(&self) -> Tier {
        self.0.tier()
    }

    #[cfg(feature = "digest")]
    pub(super) fn from_hasher(hasher: Hasher) -> Option<Self> {
        (hasher.mode() == Mode::KeyedHash).then_some(Self(hasher))
    }
}

impl Hashing for Blake3Mac {
    #[inline]
    fn feed(&mut self, input: &[u8]) {
        self.0.update(input);
    }

    #[inline]
    fn restart(&mut self) {
        self.0.reset();
    }

    #[inline]
    fn root(&self) -> [u8; OUT_LEN] {
        self.0.root()
    }

    fn reader(&self) -> OutputReader {
        self.0.finalize_xof()
    }
}

/// What the traits of both majors are made of.
pub(super) trait Hashing {
    fn feed(&mut self, input: &[u8]);
    fn restart(&mut self);
    fn root(&self) -> [u8; OUT_LEN];
    fn reader(&self) -> OutputReader;
}

impl Hashing for Hasher {
    #[inline]
    fn feed(&mut self, input: &[u8]) {
        self.update(input);
    }

    #[inline]
    fn restart(&mut self) {
        self.reset();
    }

    #[inline]
    fn root(&self) -> [u8; OUT_LEN] {
        self.finalize().into()
    }

    fn reader(&self) -> OutputReader {
        self.finalize_xof()
    }
}

/// What both have besides the traits of `digest`.
macro_rules! finish {
    ($type:ident) => {
        /// Prints the tier: the rest may be secret.
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type))
                    .field("tier", &self.tier())
                    .finish_non_exhaustive()
            }
        }

        /// Takes all it is given, and never fails.
        #[cfg(feature = "std")]
        impl io::Write for $type {
            fn write(&mut self, input: &[u8]) -> io::Result<usize> {
                self.feed(input);
                Ok(input.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        #[cfg(feature = "zeroize")]
        impl zeroize::ZeroizeOnDrop for $type {}
    };
}

finish!(Blake3);
finish!(Blake3Mac);

/// Leaves a hash that is of no use but does no harm.
#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Blake3 {
    fn zeroize(&mut self) {
        match &mut self.0 {
            State::Block {
                tier: _,
                len,
                block,
            } => {
                len.zeroize();
                block.zeroize();
            }
            State::Short(_, chunk) => chunk.zeroize(),
            State::Whole(hasher, root) => {
                hasher.zeroize();
                root.zeroize();
            }
            State::Long(hasher) => hasher.zeroize(),
        }
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Blake3 {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(self);
    }
}

/// Leaves a MAC with a key of zeros, which is of no use but does no harm. (Its [`Hasher`] does this
/// when it is dropped.)
#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Blake3Mac {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}
