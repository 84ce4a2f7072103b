//! Hashing at once, and the hash itself.

#[cfg(feature = "serde")]
mod serde;

use crate::hazmat::hash_derive_key_context_on_tier;
use crate::tree::Domain;
use crate::{KEY_LEN, OUT_LEN, Tier};
use core::array::TryFromSliceError;
use core::borrow::Borrow;
use core::fmt;
use core::hint::black_box;
use core::ops::Deref;
use core::str::FromStr;

/// Hashes an input of any length.
///
/// For an input that comes in pieces see [`Hasher`](crate::Hasher), for longer output
/// [`Hasher::finalize_xof`](crate::Hasher::finalize_xof). The time taken depends on the length of
/// the input alone, not on its bytes. See section 2 of the BLAKE3 paper.
///
/// ```
/// assert_eq!(
///     blake3_lanes::hash(b"abc").to_hex().as_str(),
///     "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
/// );
/// ```
pub fn hash(input: &[u8]) -> Hash {
    hash_on_tier(Tier::detect(), input)
}

/// [`hash`] with the kernels of the given tier.
///
/// ```
/// use blake3_lanes::{Tier, hash, hash_on_tier};
///
/// for tier in Tier::available() {
///     assert_eq!(hash_on_tier(tier, b"abc"), hash(b"abc"));
/// }
/// ```
pub fn hash_on_tier(tier: Tier, input: &[u8]) -> Hash {
    Hash(Domain::hash(tier).root(input))
}

/// Hashes an input of any length with a key of 32 bytes: a message authentication code (MAC) or a
/// pseudorandom function.
///
/// The key must be secret and uniformly random; passwords are not. To check a MAC, compare
/// [`Hash`](struct@Hash)es, which takes constant time, and not their bytes. The time taken depends
/// on the length of the input alone. See section 2.3 of the BLAKE3 paper.
///
/// ```
/// let key = [7; blake3_lanes::KEY_LEN];
/// let mac = blake3_lanes::keyed_hash(&key, b"a message");
/// assert_eq!(mac, blake3_lanes::Hasher::new_keyed(&key).update(b"a message").finalize());
/// assert_ne!(mac, blake3_lanes::keyed_hash(&key, b"another message"));
/// ```
pub fn keyed_hash(key: &[u8; KEY_LEN], input: &[u8]) -> Hash {
    keyed_hash_on_tier(Tier::detect(), key, input)
}

/// [`keyed_hash`] with the kernels of the given tier.
///
/// ```
/// use blake3_lanes::{Tier, keyed_hash, keyed_hash_on_tier};
///
/// let key = [7; 32];
/// let mac = keyed_hash_on_tier(Tier::PORTABLE, &key, b"a message");
/// assert_eq!(mac, keyed_hash(&key, b"a message"));
/// ```
pub fn keyed_hash_on_tier(tier: Tier, key: &[u8; KEY_LEN], input: &[u8]) -> Hash {
    Hash(Domain::keyed_hash(tier, key).root(input))
}

/// Derives a key of 32 bytes from key material, for one purpose, named by the context.
///
/// The context should be written down in the program, unique in the world, and say what the key is
/// for, like `"example.com 2025-11-30 session tokens v1"`. It must not hold anything that varies,
/// such as user input, a salt or an identifier: those may be part of the key material. The material
/// may have any length and structure but must be hard to guess: this is no password hash. For keys
/// of another length see [`Hasher::new_derive_key`](crate::Hasher::new_derive_key) and
/// [`finalize_xof`](crate::Hasher::finalize_xof). The time taken depends on the two lengths alone.
/// See section 2.3 of the BLAKE3 paper.
///
/// ```
/// const CONTEXT: &str = "example.com 2025-11-30 session tokens v1";
/// let key: [u8; 32] = blake3_lanes::derive_key(CONTEXT, b"a long secret, of high entropy");
/// # let mut hasher = blake3_lanes::Hasher::new_derive_key(CONTEXT);
/// # assert_eq!(hasher.update(b"a long secret, of high entropy").finalize(), key);
/// ```
pub fn derive_key(context: &str, key_material: &[u8]) -> [u8; OUT_LEN] {
    derive_key_on_tier(Tier::detect(), context, key_material)
}

/// [`derive_key`] with the kernels of the given tier.
///
/// ```
/// use blake3_lanes::{Tier, derive_key, derive_key_on_tier};
///
/// let key = derive_key_on_tier(Tier::PORTABLE, "example.com 2025-11-30 test", b"material");
/// assert_eq!(key, derive_key("example.com 2025-11-30 test", b"material"));
/// ```
pub fn derive_key_on_tier(tier: Tier, context: &str, key_material: &[u8]) -> [u8; OUT_LEN] {
    let context_key = hash_derive_key_context_on_tier(tier, context);
    Domain::derive_key_material(tier, &context_key).root(key_material)
}

/// The 32 bytes of a hash.
///
/// `==` takes constant time, with another `Hash`, with `[u8; 32]`, and with `[u8]` (where it tells
/// by its time only whether the length is 32), so that a `Hash` can be a MAC. Everything else is
/// for public values: `Debug` and `Display` print the bytes, in hexadecimal, and `Display` heeds
/// width and precision as it does for strings.
///
/// ```
/// use blake3_lanes::{Hash, hash};
///
/// let hash = hash(b"abc");
/// assert_eq!(Hash::from_hex(hash.to_hex().as_str())?, hash);
/// assert_eq!(Hash::from_bytes(*hash.as_bytes()), hash);
/// assert_eq!(format!("{hash:.8}"), "6437b3ac");
/// # Ok::<(), blake3_lanes::HexError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Hash([u8; OUT_LEN]);

impl Hash {
    /// The bytes.
    ///
    /// To compare them takes variable time: compare hashes instead.
    ///
    /// ```
    /// assert_eq!(blake3_lanes::hash(b"abc").as_bytes()[..2], [0x64, 0x37]);
    /// ```
    #[inline]
    pub const fn as_bytes(&self) -> &[u8; OUT_LEN] {
        &self.0
    }

    /// The hash with these bytes.
    ///
    /// ```
    /// const ZEROS: blake3_lanes::Hash = blake3_lanes::Hash::from_bytes([0; 32]);
    /// assert_ne!(blake3_lanes::hash(b"abc"), ZEROS);
    /// ```
    #[inline]
    pub const fn from_bytes(bytes: [u8; OUT_LEN]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes, as a slice.
    ///
    /// ```
    /// assert_eq!(blake3_lanes::hash(b"abc").as_slice().len(), blake3_lanes::OUT_LEN);
    /// ```
    #[inline]
    pub const fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// The hash with these bytes.
    ///
    /// # Errors
    ///
    /// Where there are not 32 of them.
    ///
    /// ```
    /// use blake3_lanes::Hash;
    ///
    /// assert!(Hash::from_slice(&[0; 32]).is_ok());
    /// assert!(Hash::from_slice(&[0; 31]).is_err());
    /// ```
    #[inline]
    pub fn from_slice(bytes: &[u8]) -> Result<Self, TryFromSliceError> {
        bytes.try_into().map(Self)
    }

    /// The hash as 64 lower-case hexadecimal digits.
    ///
    /// Nothing is allocated, and the time taken does not depend on the bytes.
    ///
    /// ```
    /// let hex = blake3_lanes::hash(b"abc").to_hex();
    /// assert_eq!(hex.len(), 64);
    /// assert!(hex.starts_with("6437b3ac"));
    /// ```
    pub fn to_hex(&self) -> Hex {
        self.hex(b'a')
    }

    /// The digits, those above 9 from this letter on.
    fn hex(&self, letter: u8) -> Hex {
        // Neither a table nor a branch: both would be seen in the time taken.
        let gap = letter - b'9' - 1;
        let digit = |n: u8| b'0' + n + u8::from(n > 9) * gap;
        let mut digits = [0; 2 * OUT_LEN];
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 15)];
        }
        Hex(digits)
    }

    /// Reads 64 hexadecimal digits, in lower or upper case.
    ///
    /// The time taken depends on the digits: not for secrets.
    ///
    /// # Errors
    ///
    /// Where the length is not 64, or at the first byte that is not a digit. White space is not
    /// skipped.
    ///
    /// ```
    /// use blake3_lanes::Hash;
    ///
    /// let hex = "6437B3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
    /// assert_eq!(Hash::from_hex(hex)?, blake3_lanes::hash(b"abc"));
    /// assert_eq!(
    ///     Hash::from_hex(b"6437").unwrap_err().to_string(),
    ///     "a hash has 64 hexadecimal digits, not 4",
    /// );
    /// # Ok::<(), blake3_lanes::HexError>(())
    /// ```
    pub fn from_hex(hex: impl AsRef<[u8]>) -> Result<Self, HexError> {
        fn value(digits: &[u8], at: usize) -> Result<u8, HexError> {
            match digits[at] {
                c @ b'0'..=b'9' => Ok(c - b'0'),
                c @ b'a'..=b'f' => Ok(c - b'a' + 10),
                c @ b'A'..=b'F' => Ok(c - b'A' + 10),
                byte => Err(HexError(Reason::Digit { byte, at })),
            }
        }
        let digits = hex.as_ref();
        if digits.len() != 2 * OUT_LEN {
            return Err(HexError(Reason::Length(digits.len())));
        }
        let mut bytes = [0; OUT_LEN];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = value(digits, 2 * i)? << 4 | value(digits, 2 * i + 1)?;
        }
        Ok(Self(bytes))
    }
}

impl From<[u8; OUT_LEN]> for Hash {
    #[inline]
    fn from(bytes: [u8; OUT_LEN]) -> Self {
        Self(bytes)
    }
}

impl From<Hash> for [u8; OUT_LEN] {
    #[inline]
    fn from(hash: Hash) -> Self {
        hash.0
    }
}

impl FromStr for Hash {
    type Err = HexError;

    /// [`Hash::from_hex`].
    fn from_str(hex: &str) -> Result<Self, HexError> {
        Self::from_hex(hex)
    }
}

impl core::hash::Hash for Hash {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// Takes constant time.
impl PartialEq for Hash {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        *self == other.0
    }
}

impl Eq for Hash {}

/// Takes constant time.
impl PartialEq<[u8; OUT_LEN]> for Hash {
    #[inline]
    fn eq(&self, other: &[u8; OUT_LEN]) -> bool {
        let (ours, theirs) = (self.0.as_chunks().0, other.as_chunks().0);
        let mut difference = 0;
        for (&a, &b) in ours.iter().zip(theirs) {
            difference |= u64::from_ne_bytes(a) ^ u64::from_ne_bytes(b);
        }
        // So that the compiler cannot see that a difference once found decides.
        black_box(difference) == 0
    }
}

/// Takes constant time if the slice has 32 bytes; otherwise there is nothing to compare.
impl PartialEq<[u8]> for Hash {
    #[inline]
    fn eq(&self, other: &[u8]) -> bool {
        <&[u8; OUT_LEN]>::try_from(other).is_ok_and(|other| *self == *other)
    }
}

/// Takes constant time.
#[cfg(feature = "subtle")]
impl subtle::ConstantTimeEq for Hash {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        self.0.ct_eq(&other.0)
    }
}

/// A hash is copied wherever it goes, so nothing is wiped when it is dropped: who has one that is
/// secret wipes it.
#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Hash {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.to_hex().as_str())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hash")
            .field(&self.to_hex().as_str())
            .finish()
    }
}

/// As `Display`; `{:#x}` puts `0x` before the digits.
impl fmt::LowerHex for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { "0x" } else { "" })?;
        f.pad(self.to_hex().as_str())
    }
}

/// In upper case; `{:#X}` puts `0x` before the digits.
impl fmt::UpperHex for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { "0x" } else { "" })?;
        f.pad(self.hex(b'A').as_str())
    }
}

/// The 64 hexadecimal digits of a [`Hash`](struct@Hash), made by [`Hash::to_hex`]: a string that
/// needs no allocation.
///
/// ```
/// let hex = blake3_lanes::hash(b"abc").to_hex();
/// let text: &str = &hex;
/// assert_eq!(hex, *text);
/// assert_eq!(hex.to_string(), text);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hex([u8; 2 * OUT_LEN]);

impl Hex {
    /// The digits.
    ///
    /// ```
    /// assert_eq!(&blake3_lanes::hash(b"abc").to_hex().as_str()[..8], "6437b3ac");
    /// ```
    pub fn as_str(&self) -> &str {
        // Digits are ASCII, so there is no error to report.
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Deref for Hex {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Hex {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Hex {
    fn borrow(&self) -> &str {
        self
    }
}

/// To name files after their hash.
#[cfg(feature = "std")]
impl AsRef<std::path::Path> for Hex {
    fn as_ref(&self) -> &std::path::Path {
        self.as_str().as_ref()
    }
}

/// As for a string.
impl core::hash::Hash for Hex {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialEq<str> for Hex {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<Hex> for str {
    fn eq(&self, other: &Hex) -> bool {
        self == other.as_str()
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Why [`Hash::from_hex`] could not read its input: the wrong length, or a byte that is no
/// hexadecimal digit.
///
/// ```
/// let error = blake3_lanes::Hash::from_hex("g".repeat(64)).unwrap_err();
/// assert_eq!(error.to_string(), "'g' at offset 0 is not a hexadecimal digit");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HexError(Reason);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Length(usize),
    Digit { byte: u8, at: usize },
}

impl fmt::Display for HexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reason::Length(len) => {
                write!(
                    f,
                    "a hash has {} hexadecimal digits, not {len}",
                    2 * OUT_LEN
                )
            }
            Reason::Digit { byte, at } if byte.is_ascii() => write!(
                f,
                "{:?} at offset {at} is not a hexadecimal digit",
                char::from(byte)
            ),
            Reason::Digit { byte, at } => write!(
                f,
                "the byte {byte:#04x} at offset {at} is not a hexadecimal digit"
            ),
        }
    }
}

impl core::error::Error for HexError {}
