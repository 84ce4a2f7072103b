//! The tree in halves: subtrees hashed at the same time.
//!
//! An input is cut where the tree is, into complete subtrees, until a piece is short enough for one
//! kernel call. Each half gives a row of up to [`ROW`] chaining values and not only one, so that
//! parents are compressed at full width on the way up (as the official implementation does).

use super::{Domain, FRONT, Run, Tree};
use crate::join::{Join, Serial};
use crate::tier::{CHUNK_LEN, Words, bytes_from_words};

/// Chunks that are not cut further, at most; a power of two.
const LEAF_CHUNKS: usize = 64;
const LEAF_LEN: usize = LEAF_CHUNKS * CHUNK_LEN;

/// Values that a subtree is reduced to: the lanes of the widest tier.
const ROW: usize = 16;

/// Complete subtrees that a slice is made of: ever larger ones, then ever smaller ones.
const PARTS: usize = 2 * (usize::BITS - LEAF_LEN.ilog2()) as usize;

impl Domain {
    /// The hash of a whole input, its halves hashed at the same time.
    pub(crate) fn root_joined(&self, join: &impl Join, input: &[u8]) -> [u8; 32] {
        if input.len() <= 2 * CHUNK_LEN || input.len() <= join.grain() {
            return self.root(input);
        }
        let [left, right] = self.top_two(join, input, 0);
        bytes_from_words(&self.parent(&left, &right).root_words())
    }

    /// The two chaining values under the top of a subtree of more than one chunk, which begins
    /// with chunk `counter`.
    pub(crate) fn top_two(&self, join: &impl Join, input: &[u8], counter: u64) -> [Words; 2] {
        let mut row = [[0; 8]; ROW];
        let len = self.row(join, input, counter, &mut row);
        let mut run = Run::new(&mut row, 0, 0);
        run.len = len;
        while run.len > 2 {
            run.rise(self);
        }
        [row[0], row[1]]
    }

    /// Reduces a subtree to 2 to [`ROW`] values, and says to how many: exactly [`ROW`] for a
    /// complete one with at least as many chunks. A subtree of one chunk gives one.
    fn row<J: Join>(&self, join: &J, input: &[u8], counter: u64, row: &mut [Words; ROW]) -> usize {
        if input.len() <= LEAF_LEN {
            return self.leaf_row(input, counter, row);
        }
        let (left, right) = input.split_at(1 << (input.len() - 1).ilog2());
        let right_counter = counter + (left.len() / CHUNK_LEN) as u64;
        let mut rows = [[[0; 8]; ROW]; 2];
        let [left_row, right_row] = &mut rows;
        let left = || self.row(join, left, counter, left_row);
        let right = || self.row(join, right, right_counter, right_row);
        let (left, right) = if input.len() > join.grain() {
            join.join(left, right)
        } else {
            Serial.join(left, right)
        };
        // The left one is complete, so that the two rows are one.
        debug_assert_eq!(left, ROW);
        let mut run = Run::new(rows.as_flattened_mut(), 0, 0);
        run.len = left + right;
        run.rise(self);
        row[..run.len].copy_from_slice(run.values());
        run.len
    }

    /// [`row`](Self::row) of what one kernel call takes.
    ///
    /// Not inlined, so that its buffer takes no room on the way down.
    #[inline(never)]
    fn leaf_row(&self, input: &[u8], counter: u64, row: &mut [Words; ROW]) -> usize {
        let mut cvs = [[0; 8]; LEAF_CHUNKS];
        let mut run = Run::new(&mut cvs, 0, 0);
        run.push_chunks(self, input, counter);
        while run.len > ROW {
            run.rise(self);
        }
        row[..run.len].copy_from_slice(run.values());
        run.len
    }

    /// The complete subtrees that whole leaves are made of, in order, each as the two values under
    /// its top. The first begins `at` chunks after chunk `first`.
    fn parts(&self, join: &impl Join, input: &[u8], first: u64, at: u64, parts: &mut [[Words; 2]]) {
        let chunks = (input.len() / CHUNK_LEN) as u64;
        if let [part] = parts {
            *part = self.top_two(join, input, first + at);
            return;
        }
        let end = at + chunks;
        let mut boundary = summit(at, end);
        if boundary == at {
            boundary += part_chunks(at, end);
        } else if boundary == end {
            boundary -= 1 << chunks.ilog2();
        }
        let (left, right) = input.split_at((boundary - at) as usize * CHUNK_LEN);
        let (left_parts, right_parts) = parts.split_at_mut(part_count(at, boundary));
        let left = || self.parts(join, left, first, at, left_parts);
        let right = || self.parts(join, right, first, boundary, right_parts);
        if input.len() > join.grain() {
            join.join(left, right);
        } else {
            Serial.join(left, right);
        }
    }
}

impl Run<'_> {
    /// Goes up a level, where nothing follows to the right: a last value without a right neighbour
    /// rises as it is.
    fn rise(&mut self, domain: &Domain) {
        let odd = self.len % 2 == 1;
        let last = self.last();
        self.pair_up(domain);
        if odd {
            self.push(&last);
        }
    }
}

/// The place from `at` to `end` where the largest subtrees end and begin: what lies before it is
/// ever larger ones, what lies behind ever smaller ones.
fn summit(at: u64, end: u64) -> u64 {
    match at.checked_sub(1) {
        None => 0,
        Some(before) => {
            let level = (before ^ end).ilog2();
            end >> level << level
        }
    }
}

/// How many complete subtrees the chunks from `at` to before `end` are: one for each binary digit
/// on either side of the summit.
fn part_count(at: u64, end: u64) -> usize {
    let summit = summit(at, end);
    ((summit - at).count_ones() + (end - summit).count_ones()) as usize
}

/// How many chunks the largest complete subtree has that begins at `at` and ends by `end`.
fn part_chunks(at: u64, end: u64) -> u64 {
    let fitting = 1 << (end - at).ilog2();
    if at == 0 {
        fitting
    } else {
        fitting.min(1 << at.trailing_zeros())
    }
}

impl Tree {
    /// [`update`](Self::update) with subtrees hashed at the same time.
    pub(crate) fn update_joined(&mut self, join: &impl Join, input: &[u8]) {
        self.assert_room(input.len());
        // Up to the next leaf as ever.
        let begun = (self.count() % LEAF_LEN as u64) as usize;
        let (head, rest) = input.split_at(input.len().min((LEAF_LEN - begun) % LEAF_LEN));
        let (leaves, tail) = rest.split_at(rest.len() - rest.len() % LEAF_LEN);
        if leaves.len() < 2 * LEAF_LEN || leaves.len() <= join.grain() {
            self.update(input);
            return;
        }
        self.update(head);
        self.add_joined(join, leaves, !tail.is_empty());
        self.update(tail);
    }

    /// Adds whole leaves, before which there are only whole leaves. `more`: input follows these.
    fn add_joined(&mut self, join: &impl Join, leaves: &[u8], more: bool) {
        self.merge_held_back();
        let mut at = self.finished();
        let end = at + (leaves.len() / CHUNK_LEN) as u64;
        let mut parts = [[[0; 8]; 2]; PARTS];
        let parts = &mut parts[..part_count(at, end)];
        self.domain.parts(join, leaves, self.first, at, parts);
        for part in parts {
            let chunks = part_chunks(at, end);
            self.push_part_at(part, chunks, at, more || at + chunks < end);
            at += chunks;
        }
    }

    /// Adds a complete subtree of so many chunks, of which there is a multiple so far, by the two
    /// values under its top.
    #[cfg(feature = "std")]
    pub(crate) fn push_part(&mut self, part: &[Words; 2], chunks: u64) {
        self.assert_room(chunks as usize * CHUNK_LEN);
        self.merge_held_back();
        self.push_part_at(part, chunks, self.finished(), false);
    }

    /// The chunk with which what follows begins, where no chunk has been begun.
    #[cfg(feature = "std")]
    pub(crate) fn position(&self) -> u64 {
        self.first + self.finished()
    }

    fn push_part_at(&mut self, part: &[Words; 2], chunks: u64, at: u64, more: bool) {
        let mut cvs = [[0; 8]; FRONT + 4];
        let mut run = Run::new(&mut cvs, FRONT, at / (chunks / 2));
        run.push(&part[0]);
        run.push(&part[1]);
        self.domain.reduce(run, &mut self.stack, more);
        self.chunk = super::Chunk::new(&self.domain, self.first + at + chunks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tier;
    use std::vec::Vec;

    /// Cuts as finely as can be.
    struct Fine;

    impl Join for Fine {
        fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
        where
            A: FnOnce() -> RA + Send,
            B: FnOnce() -> RB + Send,
            RA: Send,
            RB: Send,
        {
            // The right one first, since nothing may depend on the order.
            let b = b();
            (a(), b)
        }

        fn grain(&self) -> usize {
            0
        }
    }

    fn input(len: usize) -> Vec<u8> {
        (0..251).cycle().take(len).collect()
    }

    #[test]
    fn parts_are_counted_as_they_are_cut() {
        for at in 0..70 {
            for end in at + 1..140 {
                let mut next = at;
                let mut count = 0;
                while next < end {
                    let chunks = part_chunks(next, end);
                    assert!(next.is_multiple_of(chunks));
                    next += chunks;
                    count += 1;
                }
                assert_eq!((next, count), (end, part_count(at, end)), "{at}..{end}");
            }
        }
    }

    #[test]
    fn roots_are_those_of_one_pass() {
        let whole = input(9 * LEAF_LEN + 1);
        for tier in Tier::available() {
            let domain = Domain::keyed_hash(tier, &[7; 32]);
            for leaves in 0..9 {
                for off in [-1025, -1024, -1, 0, 1, 1023, 1024, 1025, 5000, 40_000] {
                    let Some(len) = (leaves * LEAF_LEN).checked_add_signed(off) else {
                        continue;
                    };
                    let Some(input) = whole.get(..len) else {
                        continue;
                    };
                    let expected = domain.root(input);
                    assert_eq!(domain.root_joined(&Fine, input), expected, "{tier} {len}");
                    assert_eq!(domain.root_joined(&Serial, input), expected, "{tier} {len}");
                }
            }
        }
    }

    #[test]
    fn trees_are_those_of_one_pass() {
        let whole = input(21 * LEAF_LEN);
        let prefixes = [
            0,
            1,
            1023,
            1024,
            1025,
            3 * 1024,
            LEAF_LEN - 1,
            LEAF_LEN,
            3 * LEAF_LEN + 7,
        ];
        let lens = [
            0,
            1,
            2 * LEAF_LEN - 1,
            2 * LEAF_LEN,
            2 * LEAF_LEN + 1,
            3 * LEAF_LEN,
            8 * LEAF_LEN,
            8 * LEAF_LEN + 1024,
            11 * LEAF_LEN + 1,
            13 * LEAF_LEN - 1,
        ];
        for tier in Tier::available() {
            let domain = Domain::hash(tier);
            for first in [0, 64 * LEAF_CHUNKS as u64] {
                for prefix in prefixes {
                    for len in lens {
                        let mut one = Tree::new(domain);
                        let mut other = Tree::new(domain);
                        one.start_at(first);
                        other.start_at(first);
                        let (prefix, input) = whole[..prefix + len].split_at(prefix);
                        one.update(prefix);
                        other.update(prefix);
                        one.update(input);
                        other.update_joined(&Fine, input);
                        let name = (tier, first, prefix.len(), len);
                        assert_eq!(one.count(), other.count(), "{name:?}");
                        assert_eq!(one.stack.as_slice(), other.stack.as_slice(), "{name:?}");
                        assert_eq!(one.chunk.len(), other.chunk.len(), "{name:?}");
                        // And both go on alike.
                        for more in [&[][..], &[1], &whole[..3 * LEAF_LEN + 1]] {
                            one.update_joined(&Fine, more);
                            other.update(more);
                            let (one, other) = (one.top(), other.top());
                            assert_eq!(one.chaining_value(), other.chaining_value(), "{name:?}");
                        }
                    }
                }
            }
        }
    }
}
