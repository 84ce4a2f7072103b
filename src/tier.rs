//! The tiers: which kernels this machine runs, and the one interface to all of them.
//!
//! Everything above this module calls the methods of [`Tier`] and knows nothing of instruction sets;
//! everything below it is generated. A kernel call takes any count: how it is cut into passes is
//! decided here.

use core::fmt;

#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_pointer_width = "64",
    target_feature = "neon",
    not(miri)
))]
mod aarch64;
#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_pointer_width = "64",
    target_feature = "neon",
    not(miri)
))]
use aarch64 as arch;

#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    target_feature = "sse2",
    not(miri)
))]
mod x86;
#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    target_feature = "sse2",
    not(miri)
))]
use x86 as arch;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(miri)))]
mod simd128;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(miri)))]
use simd128 as arch;

#[cfg(not(any(
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_pointer_width = "64",
        target_feature = "neon",
        not(miri)
    ),
    all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "sse2",
        not(miri)
    ),
    all(target_arch = "wasm32", target_feature = "simd128", not(miri))
)))]
#[path = "tier/none.rs"]
mod arch;
mod passes;
#[rustfmt::skip]
#[path = "../generated/portable.rs"]
pub(crate) mod portable;
#[cfg(test)]
mod tests;

/// The words of a chaining value, or of a key, in native byte order.
pub(crate) type Words = [u32; 8];

/// Bytes in a block.
pub(crate) const BLOCK_LEN: usize = 64;
/// Bytes in a chunk.
pub(crate) const CHUNK_LEN: usize = 1024;

/// Domain flags of a compression (BLAKE3 paper, section 2.2, table 3).
pub(crate) mod flags {
    pub(crate) const CHUNK_START: u32 = 1 << 0;
    pub(crate) const CHUNK_END: u32 = 1 << 1;
    pub(crate) const PARENT: u32 = 1 << 2;
    pub(crate) const ROOT: u32 = 1 << 3;
    pub(crate) const KEYED_HASH: u32 = 1 << 4;
    pub(crate) const DERIVE_KEY_CONTEXT: u32 = 1 << 5;
    pub(crate) const DERIVE_KEY_MATERIAL: u32 = 1 << 6;
}

/// A set of kernels that the running machine can execute.
///
/// A value of this type is the proof of it: there is no way to make one for a tier that the machine
/// lacks. Tiers are ordered from narrow to wide.
///
/// # Examples
///
/// ```
/// use blake3_lanes::{Tier, hash, hash_on_tier};
///
/// for tier in Tier::available() {
///     assert_eq!(hash_on_tier(tier, b"all compute the same"), hash(b"all compute the same"));
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tier {
    kind: Kind,
    /// Is a pass as wide as the tier can?
    wide: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(dead_code, reason = "some machines have no kernels for it")]
enum Kind {
    Portable,
    Sse2,
    Sse41,
    Avx2,
    Avx512,
    Neon,
    Sve2,
    Simd128,
}

/// All kinds, widest first.
const KINDS: [Kind; 8] = [
    Kind::Simd128,
    Kind::Sve2,
    Kind::Neon,
    Kind::Avx512,
    Kind::Avx2,
    Kind::Sse41,
    Kind::Sse2,
    Kind::Portable,
];

/// The tier that was fixed when compiling, with `--cfg blake3_lanes_tier="..."`.
const FIXED: Option<Kind> = if cfg!(blake3_lanes_tier = "portable") {
    Some(Kind::Portable)
} else if cfg!(blake3_lanes_tier = "sse2") {
    Some(Kind::Sse2)
} else if cfg!(blake3_lanes_tier = "sse41") {
    Some(Kind::Sse41)
} else if cfg!(blake3_lanes_tier = "avx2") {
    Some(Kind::Avx2)
} else if cfg!(blake3_lanes_tier = "avx512") {
    Some(Kind::Avx512)
} else if cfg!(blake3_lanes_tier = "neon") {
    Some(Kind::Neon)
} else if cfg!(blake3_lanes_tier = "sve2") {
    Some(Kind::Sve2)
} else if cfg!(blake3_lanes_tier = "simd128") {
    Some(Kind::Simd128)
} else {
    None
};

#[cfg(all(
    blake3_lanes_tier = "sse2",
    not(all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "sse2"
    ))
))]
compile_error!("blake3_lanes_tier=\"sse2\" needs a target with the feature sse2");
#[cfg(all(
    blake3_lanes_tier = "sse41",
    not(all(
        target_arch = "x86_64",
        target_feature = "ssse3",
        target_feature = "sse4.1"
    ))
))]
compile_error!("blake3_lanes_tier=\"sse41\" needs a target with the features ssse3 and sse4.1");
#[cfg(all(
    blake3_lanes_tier = "avx2",
    not(all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "avx2"
    ))
))]
compile_error!("blake3_lanes_tier=\"avx2\" needs a target with the feature avx2");
#[cfg(all(
    blake3_lanes_tier = "avx512",
    not(all(
        target_arch = "x86_64",
        target_feature = "avx512f",
        target_feature = "avx512vl"
    ))
))]
compile_error!(
    "blake3_lanes_tier=\"avx512\" needs a target with the features avx512f and avx512vl"
);
#[cfg(all(
    blake3_lanes_tier = "neon",
    not(all(
        target_arch = "aarch64",
        target_endian = "little",
        target_pointer_width = "64",
        target_feature = "neon"
    ))
))]
compile_error!(
    "blake3_lanes_tier=\"neon\" needs a little-endian AArch64 target with the feature neon"
);
#[cfg(all(
    blake3_lanes_tier = "sve2",
    not(all(
        target_arch = "aarch64",
        target_endian = "little",
        target_pointer_width = "64",
        target_feature = "neon",
        target_feature = "sve2"
    ))
))]
compile_error!(
    "blake3_lanes_tier=\"sve2\" needs a little-endian AArch64 target with the feature sve2"
);
#[cfg(all(
    blake3_lanes_tier = "simd128",
    not(all(target_arch = "wasm32", target_feature = "simd128"))
))]
compile_error!("blake3_lanes_tier=\"simd128\" needs a WebAssembly target with the feature simd128");

impl Tier {
    /// Plain Rust, which every machine runs.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(blake3_lanes::Tier::PORTABLE.name(), "portable");
    /// ```
    pub const PORTABLE: Self = Self::of(Kind::Portable);

    const fn of(kind: Kind) -> Self {
        Self { kind, wide: true }
    }

    /// The fastest tier of this machine.
    ///
    /// With `std`, or with the feature `cpufeatures`, the CPU is asked (once: the answer is kept; for
    /// SVE2 only with `std`);
    /// without both, it is the widest tier that the target's compile-time features promise. A tier
    /// fixed with `--cfg blake3_lanes_tier="..."` is always the answer.
    ///
    /// # Examples
    ///
    /// ```
    /// println!("hashing on {}", blake3_lanes::Tier::detect());
    /// ```
    pub fn detect() -> Self {
        if let Some(fixed) = FIXED {
            return Self::of(fixed);
        }
        Self::of(arch::widest())
    }

    /// Every tier that this machine runs, narrowest first; only the one where a tier is fixed with
    /// `--cfg blake3_lanes_tier="..."`.
    ///
    /// # Examples
    ///
    /// ```
    /// use blake3_lanes::Tier;
    ///
    /// assert!(Tier::available().any(|tier| tier == Tier::detect()));
    /// ```
    pub fn available() -> impl Iterator<Item = Self> {
        let runs = |kind: &Kind| match FIXED {
            Some(fixed) => *kind == fixed,
            None => arch::has(*kind),
        };
        KINDS.into_iter().rev().filter(runs).map(Self::of)
    }

    /// The same instructions with half as many messages in a pass, for machines where that is faster:
    /// four lanes for `neon` and `sve2`, which have eight (cores with two vector units or fewer, such as
    /// Cortex-A510 and Neoverse N2), and eight lanes of 256 bits for `avx512`, which has sixteen (cores
    /// that slow down for 512-bit instructions). The other tiers have one width, and stay as they are.
    ///
    /// # Examples
    ///
    /// ```
    /// use blake3_lanes::{Tier, hash, hash_on_tier};
    ///
    /// let tier = Tier::detect().narrow();
    /// assert_eq!(hash_on_tier(tier, b"the same"), hash(b"the same"));
    /// ```
    #[must_use]
    pub fn narrow(self) -> Self {
        let one_width = |[wide, narrow]: &[arch::Kernels; 2]| wide.widest() == narrow.widest();
        let wide = self.wide && arch::kernels(self.kind).is_none_or(one_width);
        Self { wide, ..self }
    }

    /// The name, as in `--cfg blake3_lanes_tier="..."` (whether narrow or not): `portable`; on x86-64 `sse2`, `sse41`,
    /// `avx2` or `avx512`; on AArch64 `neon` or `sve2`; on WebAssembly `simd128`.
    ///
    /// # Examples
    ///
    /// ```
    /// let wide = blake3_lanes::Tier::available().find(|tier| tier.name() == "avx512");
    /// ```
    pub const fn name(self) -> &'static str {
        match self.kind {
            Kind::Portable => "portable",
            Kind::Sse2 => "sse2",
            Kind::Sse41 => "sse41",
            Kind::Avx2 => "avx2",
            Kind::Avx512 => "avx512",
            Kind::Neon => "neon",
            Kind::Sve2 => "sve2",
            Kind::Simd128 => "simd128",
        }
    }

    /// The kernels of this tier, none for the portable one. Where a tier is fixed there is but one other,
    /// and the compiler sees that nobody calls the rest.
    #[inline]
    fn kernels(self) -> Option<&'static arch::Kernels> {
        let [wide, narrow] = arch::kernels(match FIXED {
            Some(fixed) if self.kind != Kind::Portable => fixed,
            _ => self.kind,
        })?;
        Some(if self.wide { wide } else { narrow })
    }

    /// The kernels of this tier for one message, none where the portable compression is used.
    #[inline]
    fn single(self) -> Option<&'static arch::Single> {
        self.kernels()?.single()
    }

    /// Compresses whole blocks (at least one) of one message into `cv`, in order. `flags` go to
    /// every block, and `first_flags` and `last_flags` are added to the first and to the last (which
    /// may be the same); they have no flag in common.
    pub(crate) fn compress_blocks(
        self,
        cv: &mut Words,
        blocks: &[[u8; BLOCK_LEN]],
        counter: u64,
        flags: u32,
        first_flags: u32,
        last_flags: u32,
    ) {
        debug_assert_eq!(first_flags & last_flags, 0, "a flag of all blocks");
        if let Some(single) = self.single() {
            return single.compress_blocks(cv, blocks, counter, flags, first_flags, last_flags);
        }
        for (i, block) in blocks.iter().enumerate() {
            let first = if i == 0 { first_flags } else { 0 };
            let last = if i + 1 == blocks.len() { last_flags } else { 0 };
            self.compress(cv, block, BLOCK_LEN as u32, counter, flags | first | last);
        }
    }

    /// Compresses one block into `cv`. Bytes of `block` from `block_len` on must be zero.
    pub(crate) fn compress(
        self,
        cv: &mut Words,
        block: &[u8; BLOCK_LEN],
        block_len: u32,
        counter: u64,
        flags: u32,
    ) {
        if let Some(single) = self.single() {
            return single.compress(cv, block, block_len, counter, flags);
        }
        let output = portable::compress(cv, &block_words(block), counter, block_len, flags);
        cv.copy_from_slice(&output[..8]);
    }

    /// Hashes adjacent chunks, of which the last may be short (1 to 1024 bytes), into chaining
    /// values, none of them a root. Chunk i has the counter `counter + i`.
    pub(crate) fn hash_chunks(
        self,
        input: &[u8],
        key: &Words,
        counter: u64,
        flags: u32,
        out: &mut [Words],
    ) {
        assert_eq!(
            out.len(),
            input.len().div_ceil(CHUNK_LEN),
            "a value for each chunk"
        );
        let done = match self.kernels() {
            Some(kernels) => kernels.hash_chunks(input, key, counter, flags, out),
            None => 0,
        };
        for (i, cv) in out.iter_mut().enumerate().skip(done) {
            let chunk = &input[i * CHUNK_LEN..];
            let chunk = &chunk[..chunk.len().min(CHUNK_LEN)];
            let counter = counter.wrapping_add(i as u64);
            self.hash_message(chunk, key, counter, flags, flags::CHUNK_END, cv);
        }
    }

    /// Hashes one message of at most a chunk; `end` are the flags of its last block.
    fn hash_message(
        self,
        message: &[u8],
        key: &Words,
        counter: u64,
        flags: u32,
        end: u32,
        cv: &mut Words,
    ) {
        *cv = *key;
        let (blocks, tail) = message.as_chunks::<BLOCK_LEN>();
        let whole = tail.is_empty() && !blocks.is_empty();
        if !blocks.is_empty() {
            let end = if whole { end } else { 0 };
            self.compress_blocks(cv, blocks, counter, flags, flags::CHUNK_START, end);
        }
        if !whole {
            let start = if blocks.is_empty() {
                flags::CHUNK_START
            } else {
                0
            };
            let flags = flags | start | end;
            self.compress(cv, &padded(tail), tail.len() as u32, counter, flags);
        }
    }

    /// Hashes messages of at most a chunk each, as chunk 0 of trees of their own. `end` are the flags of
    /// their last blocks. Messages of like lengths in a row are hashed fastest.
    pub(crate) fn hash_messages(
        self,
        messages: &[&[u8]],
        key: &Words,
        flags: u32,
        end: u32,
        out: &mut [Words],
    ) {
        assert_eq!(out.len(), messages.len(), "a value for each message");
        let done = match self.kernels() {
            Some(kernels) => kernels.hash_messages(messages, key, flags, end, out),
            None => 0,
        };
        for (message, cv) in messages.iter().zip(out).skip(done) {
            self.hash_message(message, key, 0, flags, end, cv);
        }
    }

    /// Compresses single blocks, each from the key, with the same length and flags.
    pub(crate) fn hash_blocks(
        self,
        blocks: &[[u8; BLOCK_LEN]],
        key: &Words,
        block_len: u32,
        flags: u32,
        out: &mut [Words],
    ) {
        assert_eq!(out.len(), blocks.len(), "a value for each block");
        let done = match self.kernels() {
            Some(kernels) => kernels.hash_blocks(blocks, key, tail(block_len, flags), out),
            None => 0,
        };
        for (block, cv) in blocks.iter().zip(out).skip(done) {
            *cv = *key;
            self.compress(cv, block, block_len, 0, flags);
        }
    }

    /// Compresses pairs of chaining values into their parents, in place: `cvs[i]` becomes the parent
    /// of `cvs[2 * i]` and `cvs[2 * i + 1]`, for i below `pairs`. `flags` are those of the mode; the
    /// parent flag is added here. What lies behind the pairs stays as it is, and spares copies where there is enough of it.
    pub(crate) fn hash_parents(self, cvs: &mut [Words], pairs: usize, key: &Words, flags: u32) {
        assert!(cvs.len() >= 2 * pairs, "two values for each pair");
        let flags = flags | flags::PARENT;
        let done = match self.kernels() {
            Some(kernels) if pairs > 1 => kernels.hash_parents(cvs, pairs, key, flags),
            _ => 0,
        };
        for i in done..pairs {
            let mut parent = *key;
            let mut swapped = [0; BLOCK_LEN];
            let block = pair_bytes(&cvs.as_chunks().0[i], &mut swapped);
            self.compress(&mut parent, block, BLOCK_LEN as u32, 0, flags);
            cvs[i] = parent;
        }
    }

    /// Fills `out` with the extended output blocks `counter`, `counter + 1`, ... (wrapping) of a
    /// root.
    pub(crate) fn output_blocks(
        self,
        cv: &Words,
        block: &[u8; BLOCK_LEN],
        block_len: u32,
        counter: u64,
        flags: u32,
        out: &mut [[u8; BLOCK_LEN]],
    ) {
        let root = Root {
            cv,
            block,
            tail: tail(block_len, flags),
        };
        let done = match self.kernels() {
            Some(kernels) if out.len() > 1 => kernels.output_blocks(&root, counter, out),
            _ => 0,
        };
        for (i, out) in out.iter_mut().enumerate().skip(done) {
            let counter = counter.wrapping_add(i as u64);
            match self.single() {
                Some(single) => single.output_block(&root, counter, out),
                None => {
                    let words = block_words(block);
                    *out = block_bytes(&portable::compress(cv, &words, counter, block_len, flags));
                }
            }
        }
    }
}

/// A root whose extended output is wanted.
struct Root<'a> {
    cv: &'a Words,
    block: &'a [u8; BLOCK_LEN],
    /// Block length, and flags in the high half, as kernels take them.
    tail: u64,
}

fn tail(block_len: u32, flags: u32) -> u64 {
    u64::from(flags) << 32 | u64::from(block_len)
}

impl fmt::Debug for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The name, and `narrow` behind it if that is what it is.
impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if self.wide {
            Ok(())
        } else {
            f.write_str(", narrow")
        }
    }
}

/// A block that begins with these bytes (at most 64) and is zero beyond them.
///
/// Put together in registers, so that it is stored in pieces no smaller than those in which the kernels
/// load it: else they would wait, for a third of the time of a compression.
#[inline]
pub(crate) fn padded(bytes: &[u8]) -> [u8; BLOCK_LEN] {
    const PART: usize = 16;
    let last = bytes.len().checked_sub(PART);
    // Without branches, but for the shortest: inputs of different lengths would take them differently.
    let part = |i: usize| match last {
        Some(last) => {
            let at = (PART * i).min(last);
            let part = bytes[at..]
                .first_chunk()
                .map_or(0, |part| u128::from_le_bytes(*part));
            part.checked_shr((8 * (PART * i - at)) as u32).unwrap_or(0)
        }
        None if i == 0 => short(bytes),
        None => 0,
    };
    let mut block = [0; BLOCK_LEN];
    block[..16].copy_from_slice(&part(0).to_le_bytes());
    block[16..32].copy_from_slice(&part(1).to_le_bytes());
    block[32..48].copy_from_slice(&part(2).to_le_bytes());
    block[48..].copy_from_slice(&part(3).to_le_bytes());
    block
}

/// Up to 15 bytes as a little-endian number, from pieces that may overlap.
#[inline]
fn short(bytes: &[u8]) -> u128 {
    let len = bytes.len();
    if len == 0 {
        0
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        u128::from(u64::from_le_bytes(*first))
            | u128::from(u64::from_le_bytes(*last)) << (8 * (len - 8))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
        u128::from(u64::from(u32::from_le_bytes(*first)) | last)
    } else {
        let byte = |i: usize| u32::from(bytes[i]) << (8 * i);
        u128::from(byte(0) | byte(len / 2) | byte(len - 1))
    }
}

/// The words of what was stored as little-endian, or the reverse.
const fn little_endian<const N: usize>(mut words: [u32; N]) -> [u32; N] {
    if cfg!(target_endian = "big") {
        let mut i = 0;
        while i < N {
            words[i] = words[i].swap_bytes();
            i += 1;
        }
    }
    words
}

/// The little-endian words of a chaining value or key. At once, here and below: word by word, a debug
/// build would take as long as for a compression.
pub(crate) const fn words_from_bytes(bytes: &[u8; 32]) -> Words {
    // SAFETY: both are 32 bytes, and any bits are words.
    little_endian(unsafe { core::mem::transmute::<[u8; 32], [u32; 8]>(*bytes) })
}

/// The little-endian bytes of a chaining value.
pub(crate) const fn bytes_from_words(words: &Words) -> [u8; 32] {
    // SAFETY: both are 32 bytes, and any bits are bytes.
    unsafe { core::mem::transmute::<[u32; 8], [u8; 32]>(little_endian(*words)) }
}

/// The little-endian words of a block.
pub(crate) const fn block_words(block: &[u8; BLOCK_LEN]) -> [u32; 16] {
    // SAFETY: both are 64 bytes, and any bits are words.
    little_endian(unsafe { core::mem::transmute::<[u8; BLOCK_LEN], [u32; 16]>(*block) })
}

/// The little-endian bytes of two chaining values: the block of their parent. `swapped` is for them where they
/// have another order.
#[inline]
fn pair_bytes<'a>(pair: &'a [Words; 2], swapped: &'a mut [u8; BLOCK_LEN]) -> &'a [u8; BLOCK_LEN] {
    if cfg!(target_endian = "big") {
        let (halves, _) = swapped.as_chunks_mut();
        for (half, words) in halves.iter_mut().zip(pair) {
            *half = bytes_from_words(words);
        }
        return swapped;
    }
    // SAFETY: both are 64 bytes, any bits are bytes, and these need no alignment.
    unsafe { &*core::ptr::from_ref(pair).cast() }
}

/// The little-endian bytes of a block.
const fn block_bytes(words: &[u32; 16]) -> [u8; BLOCK_LEN] {
    // SAFETY: both are 64 bytes, and any bits are bytes.
    unsafe { core::mem::transmute::<[u32; 16], [u8; BLOCK_LEN]>(little_endian(*words)) }
}
