//! What can be wrong with pieces.

use core::fmt;

/// A row of bytes of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The byte of the input with which it begins.
    pub offset: u64,
    /// Bytes in it.
    pub len: u64,
}

/// "the piece of 10 bytes at byte 20"
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, len } = self;
        write!(f, "the piece of {len} bytes at byte {offset}")
    }
}

/// Why pieces could not be hashed or merged. Each message names the piece.
///
/// ```
/// use blake3_lanes::subtree::{Plan, Span, SubtreeError};
///
/// let plan = Plan::new(10_000, 4096)?;
/// let span = Span { offset: 8192, len: 1808 };
/// assert_eq!(plan.hash(2, b"abc"), Err(SubtreeError::Length { span, found: 3 }));
/// # Ok::<(), SubtreeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubtreeError {
    /// A length for pieces that is not a power of two of 1024 or more.
    PieceLen {
        /// The length in bytes.
        piece_len: u64,
    },
    /// A number that no piece has.
    NoSuchPiece {
        /// The number.
        index: u64,
        /// How many pieces there are.
        count: u64,
    },
    /// Input that is longer or shorter than the piece.
    Length {
        /// The piece.
        span: Span,
        /// Bytes of input.
        found: u64,
    },
    /// A subtree of an input of another length.
    OtherTotal {
        /// The subtree.
        span: Span,
        /// The length in the plan.
        expected: u64,
        /// The length for which the subtree was made.
        found: u64,
    },
    /// A subtree that was made in another mode.
    OtherMode {
        /// The subtree.
        span: Span,
    },
    /// A subtree that was made with another key or context.
    OtherKey {
        /// The subtree.
        span: Span,
    },
    /// A row of bytes that is no subtree of an input of this length.
    NotASubtree {
        /// The row.
        span: Span,
    },
    /// A subtree that is there already.
    Duplicate {
        /// The subtree.
        span: Span,
    },
    /// A subtree of which another one is a part, or that is a part of another one.
    Overlap {
        /// The subtree.
        span: Span,
        /// The one that was there before.
        with: Span,
    },
    /// A piece that is missing: the first one.
    Missing {
        /// The piece, or the part of it that is missing.
        span: Span,
    },
    /// Bytes that are no subtree.
    Bytes(
        /// What is wrong.
        &'static str,
    ),
    /// Bytes that are no subtree, there being too few or too many of them.
    BytesLen {
        /// How many there are.
        found: usize,
    },
}

impl fmt::Display for SubtreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PieceLen { piece_len } => write!(
                f,
                "pieces of {piece_len} bytes, expected a power of two of 1024 or more"
            ),
            Self::NoSuchPiece { index, count } => {
                write!(
                    f,
                    "there is no piece {index}, expected one from 0 to {}",
                    count - 1
                )
            }
            Self::Length { span, found } => write!(f, "{span} was given {found} bytes"),
            Self::OtherTotal {
                span,
                expected,
                found,
            } => write!(
                f,
                "{span} is of an input of {found} bytes, expected one of {expected}"
            ),
            Self::OtherMode { span } => write!(f, "{span} was hashed in another mode"),
            Self::OtherKey { span } => write!(f, "{span} was hashed with another key or context"),
            Self::NotASubtree { span } => write!(f, "{span} is no subtree of this input"),
            Self::Duplicate { span } => write!(f, "{span} is there already"),
            Self::Overlap { span, with } => write!(f, "{span} overlaps with {with}"),
            Self::Missing { span } => write!(f, "{span} is missing"),
            Self::Bytes(what) => write!(f, "not a subtree: {what}"),
            Self::BytesLen { found } => write!(
                f,
                "not a subtree: {found} bytes, expected {}",
                super::Subtree::BYTES
            ),
        }
    }
}

impl core::error::Error for SubtreeError {}
