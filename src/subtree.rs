//! Pieces of one input, hashed anywhere and in any order, and merged to its hash.
//!
//! A [`Plan`] is made of the input's length and a length for its pieces, and says which pieces
//! there are. Each is hashed at once or bit by bit, on any thread or machine, and gives a
//! [`Subtree`]: a small value that knows its place and can be written down ([`Subtree::to_bytes`]).
//! A [`Collector`] puts subtrees together, refuses what does not belong, says what is missing, and
//! gives the hash, or extended output, that one pass over the input gives. A piece that has changed
//! can be hashed anew and replaced without touching the others.
//!
//! All parties must use the same plan: the same lengths, mode, and key or context.
//!
//! ```
//! use blake3_lanes::subtree::{Plan, Subtree};
//!
//! let input = [7; 10_000];
//! let plan = Plan::new(input.len() as u64, 4096)?;
//! let mut collector = plan.collector();
//! // The last one first.
//! for piece in plan.pieces().rev() {
//!     let start = piece.offset() as usize;
//!     let bytes = &input[start..start + piece.len() as usize];
//!     let message: [u8; Subtree::BYTES] = plan.hash(piece.index(), bytes)?.to_bytes();
//!     collector.insert(Subtree::from_bytes(&message)?)?;
//! }
//! assert_eq!(collector.finalize()?, blake3_lanes::hash(&input));
//! # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
//! ```
//!
//! # Secrets and trust
//!
//! A subtree is as public as a hash of its piece in the plan's mode, with one exception: where a
//! single piece of up to 1024 bytes is the whole input, it holds the input's last 64 bytes. It
//! holds no key, but a fingerprint of 8 bytes of the key or context, from which subtrees of another
//! are told apart.
//!
//! A subtree is not authenticated: whoever can change it changes the hash, as they could by changing
//! the piece.

mod collector;
mod error;
#[cfg(feature = "serde")]
mod serde;

pub use collector::Collector;
pub use error::{Span, SubtreeError};

use crate::hazmat::{self, left_subtree_len};
use crate::parallel::{Join, Serial};
use crate::tier::{bytes_from_words, words_from_bytes};
use crate::tree::{Bare, Domain, Kind, Node, Tree};
use crate::{BLOCK_LEN, CHUNK_LEN, Hash, KEY_LEN, OutputReader, Tier};
use core::fmt;
use std::io;

/// How an input is cut into pieces, and hashed.
///
/// `Debug` prints lengths and mode: the key may be secret. With the feature `zeroize` it is wiped on
/// drop.
#[derive(Clone)]
pub struct Plan {
    total_len: u64,
    piece_len: u64,
    mode: Mode,
    print: [u8; 8],
    domain: Domain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Hash,
    KeyedHash,
    DeriveKey,
}

/// The context of fingerprints.
const PRINT: &str = "blake3-lanes 2026-12-01 subtree key fingerprint v1";

impl Plan {
    /// For [`hash`](crate::hash()).
    ///
    /// `total_len` is the length of the whole input in bytes, `piece_len` that of each piece but
    /// the last, which may be shorter.
    ///
    /// # Errors
    ///
    /// [`PieceLen`](SubtreeError::PieceLen), where `piece_len` is not a power of two of 1024 or
    /// more.
    ///
    /// ```
    /// use blake3_lanes::subtree::Plan;
    ///
    /// assert_eq!(Plan::new(5 << 30, 1 << 20)?.piece_count(), 5 << 10);
    /// assert!(Plan::new(5 << 30, 1_000_000).is_err());
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn new(total_len: u64, piece_len: u64) -> Result<Self, SubtreeError> {
        let domain = Domain::hash(Tier::detect());
        Self::in_domain(total_len, piece_len, Mode::Hash, [0; 8], domain)
    }

    /// For [`keyed_hash`](crate::keyed_hash).
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use blake3_lanes::{keyed_hash, subtree::Plan};
    ///
    /// let key = [7; 32];
    /// let plan = Plan::new_keyed(&key, 1500, 1024)?;
    /// let pieces = [plan.hash(0, &[1; 1024])?, plan.hash(1, &[1; 476])?];
    /// assert_eq!(plan.merge(pieces)?, keyed_hash(&key, &[1; 1500]));
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn new_keyed(
        key: &[u8; KEY_LEN],
        total_len: u64,
        piece_len: u64,
    ) -> Result<Self, SubtreeError> {
        let domain = Domain::keyed_hash(Tier::detect(), key);
        Self::in_domain(total_len, piece_len, Mode::KeyedHash, print(key), domain)
    }

    /// For [`derive_key`](crate::derive_key) with this context; the input is the key material.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use blake3_lanes::{derive_key, subtree::Plan};
    ///
    /// const CONTEXT: &str = "example.com 2025-11-30 test";
    /// let plan = Plan::new_derive_key(CONTEXT, 3, 1024)?;
    /// assert_eq!(plan.merge([plan.hash(0, b"abc")?])?, derive_key(CONTEXT, b"abc"));
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn new_derive_key(
        context: &str,
        total_len: u64,
        piece_len: u64,
    ) -> Result<Self, SubtreeError> {
        let tier = Tier::detect();
        let key = hazmat::hash_derive_key_context_on_tier(tier, context);
        let domain = Domain::derive_key_material(tier, &key);
        Self::in_domain(total_len, piece_len, Mode::DeriveKey, print(&key), domain)
    }

    fn in_domain(
        total_len: u64,
        piece_len: u64,
        mode: Mode,
        print: [u8; 8],
        domain: Domain,
    ) -> Result<Self, SubtreeError> {
        if !piece_len.is_power_of_two() || piece_len < CHUNK_LEN as u64 {
            return Err(SubtreeError::PieceLen { piece_len });
        }
        Ok(Self {
            total_len,
            piece_len,
            mode,
            print,
            domain,
        })
    }

    /// The same plan with the kernels of the given tier. Its subtrees are the same.
    ///
    /// ```
    /// use blake3_lanes::{Tier, subtree::Plan};
    ///
    /// let plan = Plan::new(3, 1024)?;
    /// let portable = plan.clone().on_tier(Tier::PORTABLE);
    /// assert_eq!(plan.hash(0, b"abc")?, portable.hash(0, b"abc")?);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    #[must_use]
    pub fn on_tier(mut self, tier: Tier) -> Self {
        self.domain = self.domain.on_tier(tier);
        self
    }

    /// Bytes in the whole input.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.total_len(), 10_000);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn total_len(&self) -> u64 {
        self.total_len
    }

    /// Bytes in each piece but the last.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.piece_len(), 4096);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn piece_len(&self) -> u64 {
        self.piece_len
    }

    /// How many pieces there are: at least one, which for an empty input is empty.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.piece_count(), 3);
    /// assert_eq!(Plan::new(0, 4096)?.piece_count(), 1);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn piece_count(&self) -> u64 {
        self.total_len.div_ceil(self.piece_len).max(1)
    }

    /// The piece with this number, if there is one.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(10_000, 4096)?;
    /// let last = plan.piece(2).unwrap();
    /// assert_eq!((last.offset(), last.len()), (8192, 1808));
    /// assert!(plan.piece(3).is_none());
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn piece(&self, index: u64) -> Option<Piece> {
        if index >= self.piece_count() {
            return None;
        }
        let offset = index * self.piece_len;
        Some(Piece {
            index,
            offset,
            len: self.piece_len.min(self.total_len - offset),
        })
    }

    /// All pieces, in order.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(10_000, 4096)?;
    /// let offsets: Vec<u64> = plan.pieces().map(|piece| piece.offset()).collect();
    /// assert_eq!(offsets, [0, 4096, 8192]);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn pieces(&self) -> impl DoubleEndedIterator<Item = Piece> + '_ {
        (0..self.piece_count()).filter_map(|index| self.piece(index))
    }

    fn expect_piece(&self, index: u64) -> Result<Piece, SubtreeError> {
        self.piece(index).ok_or(SubtreeError::NoSuchPiece {
            index,
            count: self.piece_count(),
        })
    }

    /// Hashes a piece that is in memory.
    ///
    /// # Errors
    ///
    /// [`NoSuchPiece`](SubtreeError::NoSuchPiece), or [`Length`](SubtreeError::Length) where `input`
    /// is not as long as the piece.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(10_000, 4096)?;
    /// assert!(plan.hash(2, &[7; 1808]).is_ok());
    /// assert!(plan.hash(2, &[7; 4096]).is_err());
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn hash(&self, index: u64, input: &[u8]) -> Result<Subtree, SubtreeError> {
        self.hash_with_join(&Serial, index, input)
    }

    /// [`hash`](Self::hash) with the halves of long pieces joined by `join`.
    ///
    /// # Errors
    ///
    /// As [`hash`](Self::hash).
    ///
    /// # Panics
    ///
    /// If `join` does.
    ///
    /// ```
    /// use blake3_lanes::{parallel::Serial, subtree::Plan};
    ///
    /// let plan = Plan::new(3, 1024)?;
    /// assert_eq!(plan.hash_with_join(&Serial, 0, b"abc")?, plan.hash(0, b"abc")?);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn hash_with_join(
        &self,
        join: &impl Join,
        index: u64,
        input: &[u8],
    ) -> Result<Subtree, SubtreeError> {
        let mut hasher = self.hasher(index)?;
        hasher.check(input.len() as u64, true)?;
        hasher.tree.update_joined(join, input);
        hasher.finalize()
    }

    /// A hasher for a piece that comes bit by bit.
    ///
    /// # Errors
    ///
    /// [`NoSuchPiece`](SubtreeError::NoSuchPiece).
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(10_000, 4096)?;
    /// let mut hasher = plan.hasher(2)?;
    /// hasher.update(&[7; 1000])?.update(&[7; 808])?;
    /// assert_eq!(hasher.finalize()?, plan.hash(2, &[7; 1808])?);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn hasher(&self, index: u64) -> Result<PieceHasher, SubtreeError> {
        let piece = self.expect_piece(index)?;
        let mut tree = Tree::new(self.domain);
        tree.start_at(piece.offset / CHUNK_LEN as u64);
        Ok(PieceHasher {
            plan: self.clone(),
            piece,
            tree,
        })
    }

    /// A collector for the subtrees of this plan.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(3, 1024)?;
    /// let mut collector = plan.collector();
    /// collector.insert(plan.hash(0, b"abc")?)?;
    /// assert_eq!(collector.finalize()?, blake3_lanes::hash(b"abc"));
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn collector(&self) -> Collector {
        Collector::new(self.clone())
    }

    /// The hash of the whole input from its subtrees, in any order.
    ///
    /// # Errors
    ///
    /// As [`Collector::insert`] and [`Collector::finalize`].
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(1500, 1024)?;
    /// let pieces = [plan.hash(1, &[7; 476])?, plan.hash(0, &[7; 1024])?];
    /// assert_eq!(plan.merge(pieces)?, blake3_lanes::hash(&[7; 1500]));
    /// let missing = plan.merge([plan.hash(0, &[7; 1024])?]).unwrap_err();
    /// assert_eq!(missing.to_string(), "the piece of 476 bytes at byte 1024 is missing");
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn merge(&self, subtrees: impl IntoIterator<Item = Subtree>) -> Result<Hash, SubtreeError> {
        Ok(Hash::from_bytes(self.merge_node(subtrees)?.root_hash()))
    }

    /// [`merge`](Self::merge) to output of any length.
    ///
    /// # Errors
    ///
    /// As [`Collector::insert`] and [`Collector::finalize`].
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(3, 1024)?;
    /// let mut output = [0; 100];
    /// plan.merge_xof([plan.hash(0, b"abc")?])?.fill(&mut output);
    /// assert_eq!(blake3_lanes::hash(b"abc"), output[..32]);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn merge_xof(
        &self,
        subtrees: impl IntoIterator<Item = Subtree>,
    ) -> Result<OutputReader, SubtreeError> {
        Ok(OutputReader::new(self.merge_node(subtrees)?))
    }

    fn merge_node(
        &self,
        subtrees: impl IntoIterator<Item = Subtree>,
    ) -> Result<Node, SubtreeError> {
        let mut collector = self.collector();
        for subtree in subtrees {
            collector.insert(subtree)?;
        }
        collector.top()
    }

    /// The subtrees above this one, topmost first.
    fn ancestors(&self, span: Span) -> Result<std::vec::Vec<Span>, SubtreeError> {
        let mut above = std::vec::Vec::new();
        let mut at = self.whole();
        while at != span {
            let inside = at.offset <= span.offset && span.end() <= at.end() && span.len < at.len;
            if !inside || at.len <= CHUNK_LEN as u64 {
                return Err(SubtreeError::NotASubtree { span });
            }
            above.push(at);
            let [left, right] = at.halves();
            at = if span.offset < right.offset {
                left
            } else {
                right
            };
        }
        Ok(above)
    }

    fn whole(&self) -> Span {
        Span {
            offset: 0,
            len: self.total_len,
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("total_len", &self.total_len)
            .field("piece_len", &self.piece_len)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Plan {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.domain);
    }
}

#[cfg(feature = "zeroize")]
impl Drop for PieceHasher {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.tree);
    }
}

/// By which keys are told apart.
fn print(key: &[u8; KEY_LEN]) -> [u8; 8] {
    let mut print = [0; 8];
    print.copy_from_slice(&crate::derive_key(PRINT, key)[..8]);
    print
}

impl Span {
    fn end(self) -> u64 {
        // No span that is checked ends beyond the input; one that is not may.
        self.offset.saturating_add(self.len)
    }

    fn halves(self) -> [Self; 2] {
        let left = left_subtree_len(self.len);
        [
            Self {
                offset: self.offset,
                len: left,
            },
            Self {
                offset: self.offset + left,
                len: self.len - left,
            },
        ]
    }
}

/// One of the pieces of a [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    index: u64,
    offset: u64,
    len: u64,
}

#[expect(
    clippy::len_without_is_empty,
    reason = "only an empty input has an empty piece"
)]
impl Piece {
    /// Its number, from 0 on.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.piece(1).unwrap().index(), 1);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The byte of the input with which it begins.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.piece(1).unwrap().offset(), 4096);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes in it.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.piece(2).unwrap().len(), 1808);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Both, as [`Collector::subtree`] takes them.
    ///
    /// ```
    /// use blake3_lanes::subtree::{Plan, Span};
    ///
    /// let piece = Plan::new(10_000, 4096)?.piece(2).unwrap();
    /// assert_eq!(piece.span(), Span { offset: 8192, len: 1808 });
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn span(&self) -> Span {
        Span {
            offset: self.offset,
            len: self.len,
        }
    }
}

/// Hashes a piece that comes bit by bit. Made by [`Plan::hasher`].
///
/// It holds key and input. With the feature `zeroize` they are wiped on drop.
#[derive(Clone)]
pub struct PieceHasher {
    plan: Plan,
    piece: Piece,
    tree: Tree,
}

impl PieceHasher {
    /// The piece that is hashed.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(10_000, 4096)?;
    /// assert_eq!(plan.hasher(1)?.piece(), plan.piece(1).unwrap());
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn piece(&self) -> Piece {
        self.piece
    }

    /// Bytes of it so far.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(3, 1024)?.hasher(0)?.update(b"ab")?.count(), 2);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn count(&self) -> u64 {
        self.tree.count()
    }

    /// Adds input.
    ///
    /// # Errors
    ///
    /// [`Length`](SubtreeError::Length), where there would be more of it than the piece is long;
    /// nothing has been added then.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let mut hasher = Plan::new(3, 1024)?.hasher(0)?;
    /// assert!(hasher.update(b"abcd").is_err());
    /// assert!(hasher.update(b"abc").is_ok());
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn update(&mut self, input: &[u8]) -> Result<&mut Self, SubtreeError> {
        self.check(input.len() as u64, false)?;
        self.tree.update(input);
        Ok(self)
    }

    /// [`update`](Self::update) with the halves of the tree joined by `join`.
    ///
    /// # Errors
    ///
    /// As [`update`](Self::update).
    ///
    /// # Panics
    ///
    /// If `join` does.
    ///
    /// ```
    /// use blake3_lanes::{parallel::Serial, subtree::Plan};
    ///
    /// let mut hasher = Plan::new(3, 1024)?.hasher(0)?;
    /// assert_eq!(hasher.update_with_join(&Serial, b"abc")?.count(), 3);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn update_with_join(
        &mut self,
        join: &impl Join,
        input: &[u8],
    ) -> Result<&mut Self, SubtreeError> {
        self.check(input.len() as u64, false)?;
        self.tree.update_joined(join, input);
        Ok(self)
    }

    /// Whether so many more bytes are not too many, and `whole`: just enough.
    fn check(&self, more: u64, whole: bool) -> Result<(), SubtreeError> {
        let found = self.count().saturating_add(more);
        if found > self.piece.len || (whole && found < self.piece.len) {
            let span = self.piece.span();
            return Err(SubtreeError::Length { span, found });
        }
        Ok(())
    }

    /// The subtree.
    ///
    /// The hasher stays as it is.
    ///
    /// # Errors
    ///
    /// [`Length`](SubtreeError::Length), where the input so far is not the whole piece.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let mut hasher = Plan::new(3, 1024)?.hasher(0)?;
    /// assert!(hasher.update(b"ab")?.finalize().is_err());
    /// assert!(hasher.update(b"c")?.finalize().is_ok());
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn finalize(&self) -> Result<Subtree, SubtreeError> {
        self.check(0, true)?;
        let span = self.piece.span();
        let top = self.tree.top();
        let value = if span == self.plan.whole() {
            Value::Top(top.bare())
        } else {
            Value::Inner(bytes_from_words(&top.chaining_value()))
        };
        Ok(Subtree::new(&self.plan, span, value))
    }
}

/// Prints the piece and how much of it there is: the rest may be secret.
impl fmt::Debug for PieceHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PieceHasher")
            .field("piece", &self.piece)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

/// Takes at most what the piece has room for, and fails with
/// [`InvalidInput`](io::ErrorKind::InvalidInput) beyond.
impl io::Write for PieceHasher {
    fn write(&mut self, input: &[u8]) -> io::Result<usize> {
        match self.update(input) {
            Ok(_) => Ok(input.len()),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidInput, error)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What stands for a piece, or for several neighbours, in the whole.
///
/// It knows its place, the whole length, the mode, and a fingerprint of the key. `==` takes
/// variable time, which depends on public values alone unless the input is secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Subtree {
    total_len: u64,
    span: Span,
    mode: Mode,
    print: [u8; 8],
    value: Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// A chaining value.
    Inner([u8; 32]),
    /// The subtree is the whole, of which it is open how much output is wanted.
    Top(Bare),
}

const VERSION: u8 = 1;

#[expect(
    clippy::len_without_is_empty,
    reason = "only an empty input has an empty subtree"
)]
impl Subtree {
    /// Bytes of [`to_bytes`](Self::to_bytes): 132.
    pub const BYTES: usize = 132;

    fn new(plan: &Plan, span: Span, value: Value) -> Self {
        Self {
            total_len: plan.total_len,
            span,
            mode: plan.mode,
            print: plan.print,
            value,
        }
    }

    /// The byte of the input with which it begins.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.hash(2, &[7; 1808])?.offset(), 8192);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn offset(&self) -> u64 {
        self.span.offset
    }

    /// Bytes of input that it stands for.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.hash(2, &[7; 1808])?.len(), 1808);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn len(&self) -> u64 {
        self.span.len
    }

    /// Bytes in the whole input.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.hash(2, &[7; 1808])?.total_len(), 10_000);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn total_len(&self) -> u64 {
        self.total_len
    }

    /// To be sent or stored. The form stays: later versions of this crate will read it.
    ///
    /// Little-endian: version (1 byte), mode (1), kind (1), length of the last block (1),
    /// fingerprint (8), total length, offset, length (8 each), chaining value (32), last block (64).
    ///
    /// ```
    /// use blake3_lanes::subtree::{Plan, Subtree};
    ///
    /// let subtree = Plan::new(10_000, 4096)?.hash(2, &[7; 1808])?;
    /// assert_eq!(Subtree::from_bytes(&subtree.to_bytes())?, subtree);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[0] = VERSION;
        bytes[1] = match self.mode {
            Mode::Hash => 0,
            Mode::KeyedHash => 1,
            Mode::DeriveKey => 2,
        };
        bytes[4..12].copy_from_slice(&self.print);
        bytes[12..20].copy_from_slice(&self.total_len.to_le_bytes());
        bytes[20..28].copy_from_slice(&self.span.offset.to_le_bytes());
        bytes[28..36].copy_from_slice(&self.span.len.to_le_bytes());
        match &self.value {
            Value::Inner(cv) => bytes[36..68].copy_from_slice(cv),
            Value::Top(bare) => {
                bytes[2] = match bare.kind {
                    Kind::Parent => 1,
                    Kind::Block => 2,
                    Kind::LastBlock => 3,
                };
                bytes[3] = bare.block_len;
                bytes[36..68].copy_from_slice(&bare.cv);
                bytes[68..].copy_from_slice(&bare.block);
            }
        }
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) has written.
    ///
    /// # Errors
    ///
    /// [`Bytes`](SubtreeError::Bytes), which says what no subtree has.
    ///
    /// ```
    /// use blake3_lanes::subtree::Subtree;
    ///
    /// let error = Subtree::from_bytes(&[1; 100]).unwrap_err();
    /// assert_eq!(error.to_string(), "not a subtree: 100 bytes, expected 132");
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SubtreeError> {
        let wrong = |what| Err(SubtreeError::Bytes(what));
        let Ok(bytes) = <&[u8; Self::BYTES]>::try_from(bytes) else {
            return Err(SubtreeError::BytesLen { found: bytes.len() });
        };
        if bytes[0] != VERSION {
            return wrong("its version is not 1");
        }
        let mode = match bytes[1] {
            0 => Mode::Hash,
            1 => Mode::KeyedHash,
            2 => Mode::DeriveKey,
            _ => return wrong("there is no such mode"),
        };
        let print = array(bytes, 4);
        if mode == Mode::Hash && print != [0; 8] {
            return wrong("a key's fingerprint where there is no key");
        }
        let number = |at| u64::from_le_bytes(array(bytes, at));
        let total_len = number(12);
        let span = Span {
            offset: number(20),
            len: number(28),
        };
        let whole = span.offset == 0 && span.len == total_len;
        let block: [u8; BLOCK_LEN] = array(bytes, 68);
        let cv = array(bytes, 36);
        let value = match (bytes[2], bytes[3]) {
            (0, 0) if !whole && block == [0; BLOCK_LEN] => Value::Inner(cv),
            (kind @ 1..=3, block_len) if whole => {
                let kind = match kind {
                    1 => Kind::Parent,
                    2 => Kind::Block,
                    _ => Kind::LastBlock,
                };
                let expected = match kind {
                    Kind::Parent if total_len > CHUNK_LEN as u64 => BLOCK_LEN as u64,
                    Kind::Block if total_len <= BLOCK_LEN as u64 => total_len,
                    Kind::LastBlock
                        if total_len > BLOCK_LEN as u64 && total_len <= CHUNK_LEN as u64 =>
                    {
                        (total_len - 1) % BLOCK_LEN as u64 + 1
                    }
                    _ => return wrong("its kind does not go with its length"),
                };
                if u64::from(block_len) != expected
                    || block[expected as usize..].iter().any(|&byte| byte != 0)
                    || (kind != Kind::LastBlock && cv != [0; 32])
                {
                    return wrong("its last block does not go with its length");
                }
                Value::Top(Bare {
                    kind,
                    cv,
                    block,
                    block_len,
                })
            }
            _ => return wrong("its kind does not go with its length"),
        };
        if span.len == 0 && !whole {
            return wrong("it is empty");
        }
        Ok(Self {
            total_len,
            span,
            mode,
            print,
            value,
        })
    }

    /// The node of the whole.
    fn node(&self, plan: &Plan) -> Option<Node> {
        match &self.value {
            Value::Inner(_) => None,
            Value::Top(bare) => Some(plan.domain.node(bare)),
        }
    }
}

fn array<const N: usize>(bytes: &[u8; Subtree::BYTES], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}

/// Prints the place: what is in it may be secret.
impl fmt::Debug for Subtree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subtree")
            .field("total_len", &self.total_len)
            .field("offset", &self.span.offset)
            .field("len", &self.span.len)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// The chaining value of a parent that is not the root.
fn parent(plan: &Plan, left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    bytes_from_words(&parent_node(plan, left, right).chaining_value())
}

fn parent_node(plan: &Plan, left: &[u8; 32], right: &[u8; 32]) -> Node {
    plan.domain
        .parent(&words_from_bytes(left), &words_from_bytes(right))
}
