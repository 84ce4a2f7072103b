//! Subtrees put together.

use super::{Piece, Plan, Span, Subtree, SubtreeError, Value, parent, parent_node};
use crate::tree::Node;
use crate::{Hash, OutputReader};
use core::fmt;
use std::collections::BTreeMap;

/// Puts the subtrees of one input together. Made by [`Plan::collector`].
///
/// Parents are computed as soon as both their subtrees are there, so that to insert or replace one
/// takes one compression a level, and memory for about two subtrees a piece. What is there can be
/// asked for at any time.
///
/// ```
/// use blake3_lanes::subtree::Plan;
///
/// let mut input = [7; 10_000];
/// let plan = Plan::new(input.len() as u64, 4096)?;
/// let mut index = plan.collector();
/// for piece in plan.pieces() {
///     let start = piece.offset() as usize;
///     let bytes = &input[start..start + piece.len() as usize];
///     index.insert(plan.hash(piece.index(), bytes)?)?;
/// }
/// assert_eq!(index.finalize()?, blake3_lanes::hash(&input));
///
/// // A byte changes: only its piece is hashed anew.
/// input[5000] = 8;
/// index.replace(plan.hash(1, &input[4096..8192])?)?;
/// assert_eq!(index.finalize()?, blake3_lanes::hash(&input));
/// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
/// ```
#[derive(Clone)]
pub struct Collector {
    plan: Plan,
    /// What was inserted, by offset. No two overlap.
    given: BTreeMap<u64, Subtree>,
    /// The chaining values above, except that of the whole.
    parents: BTreeMap<Span, [u8; 32]>,
}

impl Collector {
    pub(super) fn new(plan: Plan) -> Self {
        Self {
            plan,
            given: BTreeMap::new(),
            parents: BTreeMap::new(),
        }
    }

    /// The plan whose subtrees it takes.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// assert_eq!(Plan::new(10_000, 4096)?.collector().plan().total_len(), 10_000);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Adds a subtree.
    ///
    /// It may be that of a piece, or any other of the same input, as [`subtree`](Self::subtree)
    /// returns it, or a plan with another piece length makes it.
    ///
    /// # Errors
    ///
    /// [`OtherTotal`](SubtreeError::OtherTotal), [`OtherMode`](SubtreeError::OtherMode),
    /// [`OtherKey`](SubtreeError::OtherKey), [`NotASubtree`](SubtreeError::NotASubtree),
    /// [`Duplicate`](SubtreeError::Duplicate) or [`Overlap`](SubtreeError::Overlap); what was there
    /// stays as it was.
    ///
    /// ```
    /// use blake3_lanes::subtree::{Plan, SubtreeError};
    ///
    /// let plan = Plan::new(1500, 1024)?;
    /// let mut collector = plan.collector();
    /// collector.insert(plan.hash(0, &[7; 1024])?)?;
    /// let error = collector.insert(plan.hash(0, &[7; 1024])?).unwrap_err();
    /// assert_eq!(error.to_string(), "the piece of 1024 bytes at byte 0 is there already");
    /// # Ok::<(), SubtreeError>(())
    /// ```
    pub fn insert(&mut self, subtree: Subtree) -> Result<(), SubtreeError> {
        let above = self.check(&subtree)?;
        let span = subtree.span;
        if self.given_span(span) {
            return Err(SubtreeError::Duplicate { span });
        }
        let larger = above.iter().copied().find(|&above| self.given_span(above));
        let inside = || {
            let (_, next) = self.given.range(span.offset..).next()?;
            (next.span.offset < span.end()).then_some(next.span)
        };
        if let Some(with) = larger.or_else(inside) {
            return Err(SubtreeError::Overlap { span, with });
        }
        self.given.insert(span.offset, subtree);
        self.rise(&above);
        Ok(())
    }

    /// Puts a subtree in the place of the one that was there for the same bytes, and returns that.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), or [`Missing`](SubtreeError::Missing), where none was inserted
    /// for just these bytes; what was there stays as it was.
    ///
    /// ```
    /// use blake3_lanes::subtree::Plan;
    ///
    /// let plan = Plan::new(3, 1024)?;
    /// let mut collector = plan.collector();
    /// assert!(collector.replace(plan.hash(0, b"abd")?).is_err());
    /// collector.insert(plan.hash(0, b"abc")?)?;
    /// assert_eq!(collector.replace(plan.hash(0, b"abd")?)?, plan.hash(0, b"abc")?);
    /// assert_eq!(collector.finalize()?, blake3_lanes::hash(b"abd"));
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn replace(&mut self, subtree: Subtree) -> Result<Subtree, SubtreeError> {
        let above = self.check(&subtree)?;
        let span = subtree.span;
        match self.given.get_mut(&span.offset) {
            Some(place) if place.span == span => {
                let before = core::mem::replace(place, subtree);
                self.rise(&above);
                Ok(before)
            }
            _ => Err(SubtreeError::Missing { span }),
        }
    }

    /// The subtrees above one that belongs here, topmost first.
    fn check(&self, subtree: &Subtree) -> Result<std::vec::Vec<Span>, SubtreeError> {
        let span = subtree.span;
        if subtree.total_len != self.plan.total_len {
            return Err(SubtreeError::OtherTotal {
                span,
                expected: self.plan.total_len,
                found: subtree.total_len,
            });
        }
        if subtree.mode != self.plan.mode {
            return Err(SubtreeError::OtherMode { span });
        }
        if subtree.print != self.plan.print {
            return Err(SubtreeError::OtherKey { span });
        }
        self.plan.ancestors(span)
    }

    fn given_span(&self, span: Span) -> bool {
        let found = self.given.get(&span.offset);
        found.is_some_and(|found| found.span == span)
    }

    fn value(&self, span: Span) -> Option<[u8; 32]> {
        match self.given.get(&span.offset) {
            Some(Subtree {
                value: Value::Inner(cv),
                span: found,
                ..
            }) if *found == span => Some(*cv),
            _ => self.parents.get(&span).copied(),
        }
    }

    fn children(&self, span: Span) -> Option<[[u8; 32]; 2]> {
        let [left, right] = span.halves();
        Some([self.value(left)?, self.value(right)?])
    }

    /// Computes the parents that can be, except the root, and drops nothing: below what is there
    /// everything is there.
    fn rise(&mut self, above: &[Span]) {
        let Some((_whole, above)) = above.split_first() else {
            return;
        };
        for &span in above.iter().rev() {
            let Some([left, right]) = self.children(span) else {
                return;
            };
            self.parents.insert(span, parent(&self.plan, &left, &right));
        }
    }

    /// The subtree of these bytes, if all pieces of it are there: for those who merge in several
    /// steps.
    ///
    /// ```
    /// use blake3_lanes::subtree::{Plan, Span};
    ///
    /// let plan = Plan::new(10_000, 1024)?;
    /// let mut first_half = plan.collector();
    /// for index in 0..8 {
    ///     first_half.insert(plan.hash(index, &[7; 1024])?)?;
    /// }
    /// let first_half = first_half.subtree(Span { offset: 0, len: 8192 }).unwrap();
    /// let rest = [plan.hash(8, &[7; 1024])?, plan.hash(9, &[7; 784])?];
    /// let all = rest.into_iter().chain([first_half]);
    /// assert_eq!(plan.merge(all)?, blake3_lanes::hash(&[7; 10_000]));
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn subtree(&self, span: Span) -> Option<Subtree> {
        let value = if span == self.plan.whole() {
            Value::Top(self.top().ok()?.bare())
        } else {
            Value::Inner(self.value(span)?)
        };
        Some(Subtree::new(&self.plan, span, value))
    }

    /// The pieces of the plan of which nothing, or not all, is there yet, in order.
    ///
    /// ```
    /// use blake3_lanes::subtree::Plan;
    ///
    /// let plan = Plan::new(10_000, 4096)?;
    /// let mut collector = plan.collector();
    /// collector.insert(plan.hash(1, &[7; 4096])?)?;
    /// let missing: Vec<u64> = collector.missing().map(|piece| piece.index()).collect();
    /// assert_eq!(missing, [0, 2]);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn missing(&self) -> impl Iterator<Item = Piece> + '_ {
        self.plan
            .pieces()
            .filter(|piece| self.gap(piece.span()).is_some())
    }

    /// The first bytes of a piece that are not there.
    fn gap(&self, span: Span) -> Option<Span> {
        if span.len == 0 {
            return (!self.given_span(span)).then_some(span);
        }
        let mut at = span.offset;
        let first = self.given.range(..=at).next_back();
        let first = first.map_or(at, |(&offset, _)| offset);
        let mut end = span.end();
        for (_, found) in self.given.range(first..span.end()) {
            if found.span.offset > at {
                end = found.span.offset;
                break;
            }
            at = at.max(found.span.end());
        }
        (at < end).then(|| Span {
            offset: at,
            len: end - at,
        })
    }

    /// The hash of the whole input.
    ///
    /// # Errors
    ///
    /// [`Missing`](SubtreeError::Missing), where not all is there, which names the first piece.
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(3, 1024)?;
    /// let mut collector = plan.collector();
    /// assert!(collector.finalize().is_err());
    /// collector.insert(plan.hash(0, b"abc")?)?;
    /// assert_eq!(collector.finalize()?, blake3_lanes::hash(b"abc"));
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn finalize(&self) -> Result<Hash, SubtreeError> {
        Ok(Hash::from_bytes(self.top()?.root_hash()))
    }

    /// The hash of the whole input, as output of any length.
    ///
    /// # Errors
    ///
    /// As [`finalize`](Self::finalize).
    ///
    /// ```
    /// # use blake3_lanes::subtree::Plan;
    /// let plan = Plan::new(3, 1024)?;
    /// let mut collector = plan.collector();
    /// collector.insert(plan.hash(0, b"abc")?)?;
    /// let mut output = [0; 100];
    /// collector.finalize_xof()?.fill(&mut output);
    /// assert_eq!(blake3_lanes::hash(b"abc"), output[..32]);
    /// # Ok::<(), blake3_lanes::subtree::SubtreeError>(())
    /// ```
    pub fn finalize_xof(&self) -> Result<OutputReader, SubtreeError> {
        Ok(OutputReader::new(self.top()?))
    }

    pub(super) fn top(&self) -> Result<Node, SubtreeError> {
        let whole = self.plan.whole();
        if let Some(node) = self.given.get(&0).and_then(|first| first.node(&self.plan)) {
            return Ok(node);
        }
        if whole.len > crate::CHUNK_LEN as u64
            && let Some([left, right]) = self.children(whole)
        {
            return Ok(parent_node(&self.plan, &left, &right));
        }
        let missing = self.missing().find_map(|piece| self.gap(piece.span()));
        Err(SubtreeError::Missing {
            span: missing.unwrap_or(whole),
        })
    }
}

/// Prints how much is there: the rest may be secret.
impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector")
            .field("plan", &self.plan)
            .field("given", &self.given.len())
            .finish_non_exhaustive()
    }
}
