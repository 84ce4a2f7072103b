//! The state of a hasher as bytes, to go on with it later or elsewhere.

use crate::tier::{Words, bytes_from_words, words_from_bytes};
use crate::tree::{Mode, Parts, Tree};
use crate::{BLOCK_LEN, CHUNK_LEN, Hasher, Tier};
use core::fmt;
use core::ops::Deref;

/// The first byte. Another layout gets another number, and keeps this one readable.
const VERSION: u8 = 1;

/// Where things are. Numbers are little-endian, chaining values and keys as BLAKE3 has them.
const MODE: usize = 1;
const OFFSET: usize = 2;
const COUNT: usize = 10;
const KEY: usize = 18;
const CV: usize = 50;
const BLOCK: usize = 82;
const STACK: usize = BLOCK + BLOCK_LEN;

const CV_LEN: usize = 32;

/// The longest state: that of a hasher with all places of the stack in use.
const MAX_LEN: usize = STACK + CV_LEN * Parts::MAX_PENDING;

// The size that `SerializableState` gives is a type, and there is none between 1024 and 2048.
const _: () = assert!(MAX_LEN <= 2048);

/// The state of a [`Hasher`] as bytes, made by [`Hasher::to_bytes`]: between 146 and 1906 of them,
/// 32 more for each doubling of the input.
///
/// They are as secret as the key and the input of the hasher, and the feature `zeroize` wipes them
/// when this value is dropped; copies made of them are the caller's. `Debug` prints their number.
///
/// ```
/// let state = blake3_lanes::Hasher::new().update(b"abc").to_bytes();
/// assert_eq!(state.len(), 146);
/// ```
#[derive(Clone)]
pub struct HasherState {
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl HasherState {
    /// The bytes.
    ///
    /// ```
    /// let state = blake3_lanes::Hasher::new().to_bytes();
    /// std::fs::write(std::env::temp_dir().join("blake3-lanes-state"), state.as_bytes())?;
    /// # std::fs::remove_file(std::env::temp_dir().join("blake3-lanes-state"))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The state at the start of these bytes, and what follows it, if they begin like a state.
    #[cfg(feature = "digest")]
    pub(crate) fn split_padded(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
        let count = u64::from_le_bytes(*bytes.get(COUNT..)?.first_chunk()?);
        bytes.split_at_checked(STACK + CV_LEN * Parts::pending_after(count))
    }
}

impl Deref for HasherState {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for HasherState {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for HasherState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HasherState")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for HasherState {
    fn zeroize(&mut self) {
        self.bytes.zeroize();
        self.len = 0;
    }
}

#[cfg(feature = "zeroize")]
impl Drop for HasherState {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(self);
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for HasherState {}

/// Why bytes are no state of a [`Hasher`].
///
/// ```
/// use blake3_lanes::Hasher;
///
/// let error = Hasher::from_bytes(b"no state").unwrap_err();
/// assert_eq!(error.to_string(), "a state has at least 146 bytes, not 8");
/// let mut bytes = Hasher::new().to_bytes().to_vec();
/// bytes[0] = 77;
/// let error = Hasher::from_bytes(&bytes).unwrap_err();
/// assert_eq!(error.to_string(), "a state of version 77, which is not known here");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateError(Reason);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Short(usize),
    Version(u8),
    Mode(u8),
    Length { len: usize, wanted: usize },
    Offset(u64),
    TooLong { offset: u64, count: u64 },
    NotZero(&'static str),
    Subtree(u64),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reason::Short(len) => write!(f, "a state has at least {STACK} bytes, not {len}"),
            Reason::Version(version) => {
                write!(f, "a state of version {version}, which is not known here")
            }
            Reason::Mode(mode) => write!(f, "there is no mode {mode}"),
            Reason::Length { len, wanted } => {
                write!(f, "a state of this input has {wanted} bytes, not {len}")
            }
            Reason::Offset(offset) => {
                write!(
                    f,
                    "the input offset {offset} is not a multiple of {CHUNK_LEN}"
                )
            }
            Reason::TooLong { offset, count } => {
                write!(
                    f,
                    "a subtree that begins at byte {offset} has less than {count} bytes"
                )
            }
            Reason::NotZero(what) => write!(f, "{what} not zero, though not in use"),
            Reason::Subtree(offset) => {
                write!(
                    f,
                    "a state with the input offset {offset}: a part of an input"
                )
            }
        }
    }
}

impl core::error::Error for StateError {}

/// Bytes that nothing stands in must be zero, so that a state has one form.
fn unused(bytes: &[u8], what: &'static str) -> Result<(), StateError> {
    // No early end: the bytes may be a part of a key by mistake.
    if bytes.iter().fold(0, |all, byte| all | byte) == 0 {
        Ok(())
    } else {
        Err(StateError(Reason::NotZero(what)))
    }
}

/// The 32 bytes from `at` on, as words; `bytes` is long enough.
fn words(bytes: &[u8], at: usize) -> Words {
    let mut array = [0; CV_LEN];
    array.copy_from_slice(&bytes[at..at + CV_LEN]);
    words_from_bytes(&array)
}

fn number(bytes: &[u8], at: usize) -> u64 {
    let mut array = [0; 8];
    array.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(array)
}

impl Hasher {
    /// The state, to go on from it later: in another process, on another machine, on another tier.
    ///
    /// It depends on mode, key and input alone: not on the tier, nor on the byte order of the
    /// machine, nor on the pieces that the input came in. Its length is a function of the number of
    /// input bytes. The layout has a version, and what this version of the crate writes, later ones
    /// read.
    ///
    /// The state is **secret** if the key or the input is. It holds the key, up to 64 bytes of the
    /// input, and chaining values, from which short or guessable inputs can be found.
    ///
    /// An [input offset](crate::hazmat::HasherExt::set_input_offset) is saved too, but such a state
    /// is only read by [`hazmat::hasher_from_bytes`](crate::hazmat::hasher_from_bytes). A hasher
    /// that was given more than the 2^64 - 1 bytes which BLAKE3 defines has a state that nothing
    /// reads.
    ///
    /// ```
    /// use blake3_lanes::Hasher;
    ///
    /// let state = Hasher::new().update(b"hello ").to_bytes();
    /// // ... an hour later, elsewhere:
    /// let mut hasher = Hasher::from_bytes(&state)?;
    /// assert_eq!(hasher.update(b"world").finalize(), blake3_lanes::hash(b"hello world"));
    /// # Ok::<(), blake3_lanes::StateError>(())
    /// ```
    pub fn to_bytes(&self) -> HasherState {
        let Parts {
            mode,
            key,
            first,
            count,
            cv,
            block,
            pending,
        } = self.tree.parts();
        let mut state = HasherState {
            bytes: [0; MAX_LEN],
            len: STACK + CV_LEN * pending.len(),
        };
        let bytes = &mut state.bytes;
        bytes[0] = VERSION;
        bytes[MODE] = mode as u8;
        let offset = first.wrapping_mul(CHUNK_LEN as u64);
        bytes[OFFSET..COUNT].copy_from_slice(&offset.to_le_bytes());
        bytes[COUNT..KEY].copy_from_slice(&count.to_le_bytes());
        if mode != Mode::Hash {
            bytes[KEY..CV].copy_from_slice(&bytes_from_words(key));
        }
        if let Some(cv) = cv {
            bytes[CV..BLOCK].copy_from_slice(&bytes_from_words(cv));
        }
        bytes[BLOCK..][..block.len()].copy_from_slice(block);
        for (bytes, cv) in bytes[STACK..].chunks_exact_mut(CV_LEN).zip(pending) {
            bytes.copy_from_slice(&bytes_from_words(cv));
        }
        state
    }

    /// The hasher with this state, made by [`to_bytes`](Self::to_bytes).
    ///
    /// Whatever the bytes are, nothing panics, neither here nor later. They are checked for all that
    /// can be known: each state that is accepted is one that `to_bytes` writes for some input and
    /// key. Which ones, only who wrote them can know: whoever can change the bytes can choose the
    /// hash. If the place where they are kept is not trusted, authenticate them, and keep them
    /// secret as [`to_bytes`](Self::to_bytes) says.
    ///
    /// # Errors
    ///
    /// Where the bytes are no state: of an unknown version or mode, too short or too long, not zero
    /// where nothing stands. Also where the hasher had an
    /// [input offset](crate::hazmat::HasherExt::set_input_offset).
    ///
    /// ```
    /// use blake3_lanes::{Hasher, keyed_hash};
    ///
    /// let state = Hasher::new_keyed(&[7; 32]).update(&[1; 5000]).to_bytes();
    /// assert_eq!(Hasher::from_bytes(&state)?.finalize(), keyed_hash(&[7; 32], &[1; 5000]));
    /// assert!(Hasher::from_bytes(&state[1..]).is_err());
    /// # Ok::<(), blake3_lanes::StateError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        Self::from_bytes_on_tier(Tier::detect(), bytes)
    }

    /// [`from_bytes`](Self::from_bytes) with the kernels of the given tier.
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes).
    ///
    /// ```
    /// use blake3_lanes::{Hasher, Tier};
    ///
    /// let state = Hasher::new().update(b"abc").to_bytes();
    /// for tier in Tier::available() {
    ///     let hasher = Hasher::from_bytes_on_tier(tier, &state)?;
    ///     assert_eq!(hasher.finalize(), blake3_lanes::hash(b"abc"));
    /// }
    /// # Ok::<(), blake3_lanes::StateError>(())
    /// ```
    pub fn from_bytes_on_tier(tier: Tier, bytes: &[u8]) -> Result<Self, StateError> {
        let hasher = Self::subtree_from_bytes(tier, bytes)?;
        match number(bytes, OFFSET) {
            0 => Ok(hasher),
            offset => Err(StateError(Reason::Subtree(offset))),
        }
    }

    pub(crate) fn subtree_from_bytes(tier: Tier, bytes: &[u8]) -> Result<Self, StateError> {
        let error = |reason| Err(StateError(reason));
        if bytes.len() < STACK {
            return error(Reason::Short(bytes.len()));
        }
        if bytes[0] != VERSION {
            return error(Reason::Version(bytes[0]));
        }
        let mode = match bytes[MODE] {
            mode if mode == Mode::Hash as u8 => Mode::Hash,
            mode if mode == Mode::KeyedHash as u8 => Mode::KeyedHash,
            mode if mode == Mode::DeriveKeyMaterial as u8 => Mode::DeriveKeyMaterial,
            mode => return error(Reason::Mode(mode)),
        };
        let (offset, count) = (number(bytes, OFFSET), number(bytes, COUNT));
        if !offset.is_multiple_of(CHUNK_LEN as u64) {
            return error(Reason::Offset(offset));
        }
        if crate::hazmat::max_subtree_len(offset).is_some_and(|max| count > max) {
            return error(Reason::TooLong { offset, count });
        }
        let wanted = STACK + CV_LEN * Parts::pending_after(count);
        if bytes.len() != wanted {
            return error(Reason::Length {
                len: bytes.len(),
                wanted,
            });
        }
        if mode == Mode::Hash {
            unused(&bytes[KEY..CV], "the key is")?;
        }
        let buffered = Parts::buffered_after(count);
        let block = &bytes[BLOCK..STACK];
        unused(&block[buffered..], "bytes of the block are")?;
        let cv = if Parts::has_cv_after(count) {
            Some(words(bytes, CV))
        } else {
            unused(&bytes[CV..BLOCK], "the chaining value is")?;
            None
        };
        let mut pending = [[0; 8]; Parts::MAX_PENDING];
        let depth = Parts::pending_after(count);
        for (i, value) in pending[..depth].iter_mut().enumerate() {
            *value = words(bytes, STACK + CV_LEN * i);
        }
        let parts = Parts {
            mode,
            key: &words(bytes, KEY),
            first: offset / CHUNK_LEN as u64,
            count,
            cv: cv.as_ref(),
            block: &block[..buffered],
            pending: &pending[..depth],
        };
        Ok(Self {
            tree: Tree::from_parts(tier, &parts),
        })
    }
}
