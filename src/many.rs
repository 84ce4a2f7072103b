//! Many inputs in one call, side by side in the lanes of the kernels.
//!
//! BLAKE3 hashes one input of up to 1 KiB in a row of dependent steps, which leaves most of a
//! processor idle. Independent inputs have no such bounds: sixteen of them (eight, four, as the
//! [tier](crate::Tier) has lanes) take little longer than one or two. So one call of this module is
//! several times faster than a loop over [`hash`](crate::hash()), and the results are the same. A few
//! inputs that would leave most lanes empty are hashed as the loop does it.
//!
//! [`hash`], [`keyed_hash`] and [`derive_key`] take slices (or anything that has bytes) and
//! [`hash_arrays`] takes arrays without a slice for each; [`Batch`] has all layouts in all modes,
//! on any tier and by any number of threads.
//!
//! # Lengths
//!
//! Lengths may be mixed: inputs are sorted by length in windows of 256, so that those that share the
//! lanes end together. What is gained is most where neighbours, 256 at a time, are of like lengths.
//! Inputs above 1 KiB are hashed one after the other, exactly as by [`hash`](crate::hash()), each with
//! its own chunks side by side.
//!
//! Results come in the order of the inputs. Nothing is allocated; a call takes up to 32 KiB of stack.
//!
//! # Panics
//!
//! Every function here panics before it has written anything where the number of results is not that
//! of the inputs, or where an input does not lie in the buffer that is to hold it. (One exception:
//! [`Batch::hash_with`] asks its caller for the inputs as it goes.)
//!
//! # Secrets
//!
//! The time taken depends on the lengths and on the order of the lengths, never on bytes or keys.
//! Short inputs are copied to the stack, which is not wiped.
//!
//! ```
//! use blake3_lanes::{Hash, hash, many};
//!
//! let rows = ["one", "two", "three", "four"];
//! let mut hashes = [Hash::from_bytes([0; 32]); 4];
//! many::hash(&rows, &mut hashes);
//! assert_eq!(hashes[2], hash(b"three"));
//! ```

use crate::hazmat::hash_derive_key_context_on_tier;
use crate::parallel::{Join, Serial};
use crate::tree::Domain;
use crate::{Hash, KEY_LEN, OUT_LEN, Tier};
use core::fmt;
use core::ops::Range;

/// Hashes each input: what a loop over [`hash`](crate::hash()) does, and several times faster.
///
/// Inputs may have any lengths. See the [module](self).
///
/// # Panics
///
/// If `out` is not as long as `inputs`; nothing is written then.
///
/// ```
/// use blake3_lanes::{Hash, hash, many};
///
/// let inputs: [&[u8]; 3] = [b"a", b"", &[7; 5000]];
/// let mut hashes = [Hash::from_bytes([0; 32]); 3];
/// many::hash(&inputs, &mut hashes);
/// assert_eq!(hashes, inputs.map(hash));
/// ```
pub fn hash<T: AsRef<[u8]>>(inputs: &[T], out: &mut [impl HashBytes]) {
    slices(&Domain::hash(Tier::detect()), inputs, out);
}

/// Hashes each input with the same key: what a loop over [`keyed_hash`](crate::keyed_hash) does.
///
/// The rules for its key hold here too. To check MACs, compare [`Hash`](struct@Hash)es.
///
/// # Panics
///
/// If `out` is not as long as `inputs`; nothing is written then.
///
/// ```
/// use blake3_lanes::{Hash, keyed_hash, many};
///
/// let key = [7; 32];
/// let mut macs = [Hash::from_bytes([0; 32]); 2];
/// many::keyed_hash(&key, &["a message", "another"], &mut macs);
/// assert_eq!(macs[1], keyed_hash(&key, b"another"));
/// ```
pub fn keyed_hash<T: AsRef<[u8]>>(key: &[u8; KEY_LEN], inputs: &[T], out: &mut [impl HashBytes]) {
    slices(&Domain::keyed_hash(Tier::detect(), key), inputs, out);
}

/// Derives a key from each key material, for one purpose: what a loop over
/// [`derive_key`](crate::derive_key) does. The context is hashed once.
///
/// The rules for context and material hold here too.
///
/// # Panics
///
/// If `out` is not as long as `key_materials`; nothing is written then.
///
/// ```
/// use blake3_lanes::{derive_key, many};
///
/// const CONTEXT: &str = "example.com 2025-11-30 tenant keys v1";
/// let mut keys = [[0; 32]; 2];
/// many::derive_key(CONTEXT, &["long secret, 1", "long secret, 2"], &mut keys);
/// assert_eq!(keys[0], derive_key(CONTEXT, b"long secret, 1"));
/// ```
pub fn derive_key<T: AsRef<[u8]>>(context: &str, key_materials: &[T], out: &mut [impl HashBytes]) {
    let batch = Batch::new_derive_key(context);
    slices(&batch.domain, key_materials, out);
}

/// Hashes arrays, one after the other in memory, which needs no slice for each.
///
/// Arrays of 64 bytes, such as pairs of hashes, are fastest: they are hashed where they are. For
/// other modes see [`Batch::hash_arrays`].
///
/// # Panics
///
/// If `out` is not as long as `inputs`; nothing is written then.
///
/// ```
/// use blake3_lanes::{hash, many};
///
/// let mut hashes = [[0; 32]; 2];
/// many::hash_arrays(&[*b"sixteen bytes, 1", *b"sixteen bytes, 2"], &mut hashes);
/// assert_eq!(hashes[1], *hash(b"sixteen bytes, 2").as_bytes());
/// ```
pub fn hash_arrays<const N: usize>(inputs: &[[u8; N]], out: &mut [impl HashBytes]) {
    same_count(inputs.len(), out.len());
    Domain::hash(Tier::detect()).roots_of_arrays(inputs, out);
}

fn slices<T: AsRef<[u8]>>(domain: &Domain, inputs: &[T], out: &mut [impl HashBytes]) {
    same_count(inputs.len(), out.len());
    domain.roots(|i| inputs[i].as_ref(), out);
}

/// Panics if there is not a result for each input.
#[track_caller]
fn same_count(inputs: usize, out: usize) {
    assert!(
        inputs == out,
        "{inputs} inputs have {inputs} hashes, but there is room for {out}"
    );
}

/// What a hash can be written to: [`Hash`](struct@Hash) and `[u8; 32]`, and nothing else.
///
/// ```
/// use blake3_lanes::{Hash, many};
///
/// let (mut hashes, mut bytes) = ([Hash::from_bytes([0; 32])], [[0; 32]]);
/// many::hash(&["abc"], &mut hashes);
/// many::hash(&["abc"], &mut bytes);
/// assert_eq!(hashes[0], bytes[0]);
/// ```
pub trait HashBytes: From<[u8; OUT_LEN]> + Send + sealed::Sealed {}

impl HashBytes for Hash {}
impl HashBytes for [u8; OUT_LEN] {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::Hash {}
    impl Sealed for [u8; crate::OUT_LEN] {}
}

/// A mode with its key or context, a tier, and the threads to use: all that many inputs have in
/// common.
///
/// One is enough for any number of calls. It holds the key, if there is one; the feature `zeroize`
/// wipes it when it is dropped.
///
/// Each method gives for each input what [`hash`](crate::hash()), [`keyed_hash`](crate::keyed_hash) or
/// [`derive_key`](crate::derive_key) gives for it. They differ in where the inputs are:
///
/// | method | inputs |
/// |---|---|
/// | [`hash`](Self::hash) | slices, strings, vectors |
/// | [`hash_arrays`](Self::hash_arrays) | arrays in a row |
/// | [`hash_records`](Self::hash_records) | records of one length in a row |
/// | [`hash_fields`](Self::hash_fields) | the same part of each record; windows that overlap |
/// | [`hash_ranges`](Self::hash_ranges) | ranges of one buffer |
/// | [`hash_with`](Self::hash_with) | wherever a closure finds them |
///
/// ```
/// use blake3_lanes::keyed_hash;
/// use blake3_lanes::many::Batch;
///
/// let batch = Batch::new_keyed(&[7; 32]);
/// let mut macs = [[0; 32]; 3];
/// batch.hash(&["a", "b", "c"], &mut macs);
/// assert_eq!(keyed_hash(&[7; 32], b"c"), macs[2]);
/// ```
#[derive(Clone)]
pub struct Batch<J = Serial> {
    domain: Domain,
    join: J,
}

impl Batch {
    /// For [`hash`](crate::hash()).
    ///
    /// ```
    /// let mut hashes = [[0; 32]];
    /// blake3_lanes::many::Batch::new().hash(&["abc"], &mut hashes);
    /// assert_eq!(blake3_lanes::hash(b"abc"), hashes[0]);
    /// ```
    pub fn new() -> Self {
        Self::on_tier(Tier::detect())
    }

    /// For [`keyed_hash`](crate::keyed_hash), whose rules for the key hold here too.
    ///
    /// ```
    /// let mut macs = [[0; 32]];
    /// blake3_lanes::many::Batch::new_keyed(&[7; 32]).hash(&["abc"], &mut macs);
    /// assert_eq!(blake3_lanes::keyed_hash(&[7; 32], b"abc"), macs[0]);
    /// ```
    pub fn new_keyed(key: &[u8; KEY_LEN]) -> Self {
        Self::new_keyed_on_tier(Tier::detect(), key)
    }

    /// For [`derive_key`](crate::derive_key), whose rules for the context hold here too. Inputs are
    /// key material, and results are keys.
    ///
    /// ```
    /// const CONTEXT: &str = "example.com 2025-11-30 test";
    /// let mut keys = [[0; 32]];
    /// blake3_lanes::many::Batch::new_derive_key(CONTEXT).hash(&["material"], &mut keys);
    /// assert_eq!(blake3_lanes::derive_key(CONTEXT, b"material"), keys[0]);
    /// ```
    pub fn new_derive_key(context: &str) -> Self {
        Self::new_derive_key_on_tier(Tier::detect(), context)
    }

    /// [`new`](Self::new) with the kernels of the given tier.
    ///
    /// ```
    /// use blake3_lanes::{Tier, hash, many::Batch};
    ///
    /// for tier in Tier::available() {
    ///     let mut hashes = [[0; 32]; 2];
    ///     Batch::on_tier(tier).hash(&["a", "b"], &mut hashes);
    ///     assert_eq!(hash(b"b"), hashes[1]);
    /// }
    /// ```
    pub fn on_tier(tier: Tier) -> Self {
        Self::in_domain(Domain::hash(tier))
    }

    /// [`new_keyed`](Self::new_keyed) with the kernels of the given tier.
    ///
    /// ```
    /// use blake3_lanes::{Tier, keyed_hash, many::Batch};
    ///
    /// let mut macs = [[0; 32]; 2];
    /// Batch::new_keyed_on_tier(Tier::PORTABLE, &[7; 32]).hash(&["a", "b"], &mut macs);
    /// assert_eq!(keyed_hash(&[7; 32], b"b"), macs[1]);
    /// ```
    pub fn new_keyed_on_tier(tier: Tier, key: &[u8; KEY_LEN]) -> Self {
        Self::in_domain(Domain::keyed_hash(tier, key))
    }

    /// [`new_derive_key`](Self::new_derive_key) with the kernels of the given tier.
    ///
    /// ```
    /// use blake3_lanes::{Tier, derive_key, many::Batch};
    ///
    /// const CONTEXT: &str = "example.com 2025-11-30 test";
    /// let mut keys = [[0; 32]; 2];
    /// Batch::new_derive_key_on_tier(Tier::PORTABLE, CONTEXT).hash(&["a", "b"], &mut keys);
    /// assert_eq!(keys[1], derive_key(CONTEXT, b"b"));
    /// ```
    pub fn new_derive_key_on_tier(tier: Tier, context: &str) -> Self {
        let context_key = hash_derive_key_context_on_tier(tier, context);
        Self::in_domain(Domain::derive_key_material(tier, &context_key))
    }

    fn in_domain(domain: Domain) -> Self {
        Self {
            domain,
            join: Serial,
        }
    }
}

impl<J: Join> Batch<J> {
    /// The same on several threads: batches are cut in halves, and the halves joined by `join`, down
    /// to [`grain`](Join::grain) bytes. A long input among short ones is cut too.
    ///
    /// For a [`Pool`](crate::parallel) of one's own give a reference to it.
    ///
    /// ```
    /// use blake3_lanes::{hash, many::Batch, parallel::Serial};
    ///
    /// let mut hashes = [[0; 32]; 2];
    /// Batch::new().with_join(&Serial).hash(&["a", "b"], &mut hashes);
    /// assert_eq!(hash(b"b"), hashes[1]);
    /// ```
    pub fn with_join<K: Join>(&self, join: K) -> Batch<K> {
        Batch {
            domain: self.domain,
            join,
        }
    }

    /// The same on the rayon pool that the caller runs on, or else on the global one:
    /// [`with_join`](Self::with_join) with [`Rayon`](crate::parallel::Rayon).
    ///
    /// ```
    /// use blake3_lanes::{hash, many::Batch};
    ///
    /// let rows = vec![[7; 100]; 5000];
    /// let mut hashes = vec![[0; 32]; rows.len()];
    /// Batch::new().rayon().hash_arrays(&rows, &mut hashes);
    /// assert_eq!(hash(&[7; 100]), hashes[4999]);
    /// ```
    #[cfg(feature = "rayon")]
    pub fn rayon(&self) -> Batch<crate::parallel::Rayon> {
        self.with_join(crate::parallel::Rayon)
    }

    /// The tier whose kernels are called.
    ///
    /// ```
    /// use blake3_lanes::{Tier, many::Batch};
    ///
    /// assert_eq!(Batch::new().tier(), Tier::detect());
    /// ```
    pub fn tier(&self) -> Tier {
        self.domain.tier()
    }

    /// Hashes slices, or what has bytes: strings, vectors, boxes, arrays. Lengths may be mixed.
    ///
    /// # Panics
    ///
    /// If `out` is not as long as `inputs`; nothing is written then.
    ///
    /// ```
    /// use blake3_lanes::{hash, many::Batch};
    ///
    /// let inputs = vec![vec![1; 10], vec![2; 2000], vec![]];
    /// let mut hashes = [[0; 32]; 3];
    /// Batch::new().hash(&inputs, &mut hashes);
    /// assert_eq!(hash(&inputs[1]), hashes[1]);
    /// ```
    pub fn hash<T: AsRef<[u8]> + Sync>(&self, inputs: &[T], out: &mut [impl HashBytes]) {
        same_count(inputs.len(), out.len());
        self.hash_with(|i| inputs[i].as_ref(), out);
    }

    /// Hashes arrays, one after the other in memory. Those of 64 bytes are hashed where they are.
    ///
    /// # Panics
    ///
    /// If `out` is not as long as `inputs`; nothing is written then.
    ///
    /// ```
    /// use blake3_lanes::{hash, many::Batch};
    ///
    /// let mut hashes = [[0; 32]; 2];
    /// Batch::new().hash_arrays(&[[1; 64], [2; 64]], &mut hashes);
    /// assert_eq!(hash(&[2; 64]), hashes[1]);
    /// ```
    pub fn hash_arrays<const N: usize>(&self, inputs: &[[u8; N]], out: &mut [impl HashBytes]) {
        same_count(inputs.len(), out.len());
        self.domain.roots_of_arrays_joined(&self.join, inputs, out);
    }

    /// Hashes records: `buffer` is cut in pieces of `len` bytes.
    ///
    /// # Panics
    ///
    /// If `buffer` is not `len` bytes for each place of `out`; nothing is written then.
    ///
    /// ```
    /// use blake3_lanes::{hash, many::Batch};
    ///
    /// let mut hashes = [[0; 32]; 3];
    /// Batch::new().hash_records(b"redgreenblue"[..].get(..9).unwrap(), 3, &mut hashes);
    /// assert_eq!(hash(b"gre"), hashes[1]);
    /// ```
    pub fn hash_records(&self, buffer: &[u8], len: usize, out: &mut [impl HashBytes]) {
        let count = out.len();
        assert!(
            count.checked_mul(len) == Some(buffer.len()),
            "{count} records of {len} bytes are not {} bytes",
            buffer.len()
        );
        if len == crate::BLOCK_LEN {
            self.hash_arrays(buffer.as_chunks::<{ crate::BLOCK_LEN }>().0, out);
        } else {
            self.hash_with(|i| &buffer[i * len..][..len], out);
        }
    }

    /// Hashes the same part of each record: input i is `buffer[i * stride..]`, of which it is the
    /// given range.
    ///
    /// The range may reach beyond the stride: then inputs overlap. How many there are is said by
    /// `out`; the buffer may be longer than they are.
    ///
    /// # Panics
    ///
    /// If the last input is not within `buffer`, or the range ends before it starts; nothing is
    /// written then.
    ///
    /// ```
    /// use blake3_lanes::{hash, many::Batch};
    ///
    /// // Name and number, of which only the names are hashed.
    /// let table = b"anna 12 bert 7  cleo 431";
    /// let mut hashes = [[0; 32]; 3];
    /// Batch::new().hash_fields(table, 8, 0..4, &mut hashes);
    /// assert_eq!(hash(b"cleo"), hashes[2]);
    ///
    /// // Every window of 4 bytes.
    /// let mut hashes = [[0; 32]; 21];
    /// Batch::new().hash_fields(table, 1, 0..4, &mut hashes);
    /// assert_eq!(hash(b"nna "), hashes[1]);
    /// ```
    pub fn hash_fields(
        &self,
        buffer: &[u8],
        stride: usize,
        field: Range<usize>,
        out: &mut [impl HashBytes],
    ) {
        let Range { start, end } = field;
        assert!(
            start <= end,
            "a range that starts at {start} and ends at {end}"
        );
        if let Some(last) = out.len().checked_sub(1) {
            let needed = last.checked_mul(stride).and_then(|at| at.checked_add(end));
            assert!(
                needed.is_some_and(|needed| needed <= buffer.len()),
                "{} records, {stride} bytes apart, up to byte {end} of the last, do not lie within {} bytes",
                out.len(),
                buffer.len()
            );
        }
        self.hash_with(|i| &buffer[i * stride..][start..end], out);
    }

    /// Hashes ranges of one buffer. They may overlap, be empty, and come in any order.
    ///
    /// # Panics
    ///
    /// If `out` is not as long as `ranges`, or a range is not within `buffer` or ends before it
    /// starts; nothing is written then.
    ///
    /// ```
    /// use blake3_lanes::{hash, many::Batch};
    ///
    /// let mut hashes = [[0; 32]; 3];
    /// Batch::new().hash_ranges(b"redgreenblue", &[0..3, 3..8, 8..12], &mut hashes);
    /// assert_eq!(hash(b"green"), hashes[1]);
    /// ```
    pub fn hash_ranges(&self, buffer: &[u8], ranges: &[Range<usize>], out: &mut [impl HashBytes]) {
        same_count(ranges.len(), out.len());
        for Range { start, end } in ranges {
            assert!(
                start <= end && *end <= buffer.len(),
                "the range {start}..{end} does not lie within {} bytes",
                buffer.len()
            );
        }
        self.hash_with(|i| &buffer[ranges[i].start..ranges[i].end], out);
    }

    /// Hashes what a closure says is input 0, input 1 and so on, one for each place of `out`: for
    /// layouts that the other methods do not know.
    ///
    /// The closure is called in no particular order, from the threads that do the work, and more than
    /// once for some inputs. It should always say the same.
    ///
    /// # Panics
    ///
    /// If the closure does. Other results may have been written then.
    ///
    /// ```
    /// use blake3_lanes::{hash, many::Batch};
    ///
    /// // A column of strings, as databases keep it.
    /// let (offsets, values) = ([0u32, 3, 8, 12], b"redgreenblue");
    /// let mut hashes = [[0; 32]; 3];
    /// Batch::new().hash_with(
    ///     |i| &values[offsets[i] as usize..offsets[i + 1] as usize],
    ///     &mut hashes,
    /// );
    /// assert_eq!(hash(b"blue"), hashes[2]);
    /// ```
    pub fn hash_with<'a>(
        &self,
        input: impl Fn(usize) -> &'a [u8] + Sync,
        out: &mut [impl HashBytes],
    ) {
        self.domain.roots_joined(&self.join, &input, 0, out);
    }

    /// The root of a binary Merkle tree above the given leaves, none if there is none.
    ///
    /// A node is the hash of its two children, 64 bytes. A node without a right neighbour rises to the
    /// next level as it is, so that every level is that of a complete tree, cut off on the right. One
    /// leaf is its own root. The leaves are used up: their places hold inner nodes afterwards.
    ///
    /// The tree is as binding as its user makes it: a leaf should not be mistaken for a node, so hash
    /// leaves in another mode than nodes (with another [key](Self::new_keyed), or a
    /// [context](Self::new_derive_key)), and the number of leaves is not in the root, so tell it along.
    /// This is not BLAKE3's own tree.
    ///
    /// ```
    /// use blake3_lanes::{derive_key, many::Batch};
    ///
    /// const LEAF: &str = "example.com 2025-11-30 leaf of a tree v1";
    /// const NODE: &str = "example.com 2025-11-30 node of a tree v1";
    /// let mut leaves = [[0; 32]; 3];
    /// Batch::new_derive_key(LEAF).hash(&["a", "b", "c"], &mut leaves);
    ///
    /// let node = |left: [u8; 32], right: [u8; 32]| derive_key(NODE, [left, right].as_flattened());
    /// let expected = node(node(leaves[0], leaves[1]), leaves[2]);
    /// assert_eq!(Batch::new_derive_key(NODE).merkle_root(&mut leaves), Some(expected));
    /// ```
    pub fn merkle_root(&self, leaves: &mut [[u8; OUT_LEN]]) -> Option<[u8; OUT_LEN]> {
        self.domain.root_of_leaves(&self.join, leaves)
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

/// Prints mode and tier only: the key may be secret.
impl<J> fmt::Debug for Batch<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("mode", &self.domain.mode())
            .field("tier", &self.domain.tier())
            .finish_non_exhaustive()
    }
}

/// Leaves a batch with a key of zeros.
#[cfg(feature = "zeroize")]
impl<J> zeroize::Zeroize for Batch<J> {
    fn zeroize(&mut self) {
        let Self { domain, join: _ } = self;
        domain.zeroize();
    }
}

#[cfg(feature = "zeroize")]
impl<J> Drop for Batch<J> {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(self);
    }
}

#[cfg(feature = "zeroize")]
impl<J> zeroize::ZeroizeOnDrop for Batch<J> {}
