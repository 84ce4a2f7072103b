//! The tree in pieces: subtrees hashed at the same time.
//!
//! An input is cut where the tree is, into complete subtrees. A long one is cut in halves; what is
//! short enough is cut into a list of pieces at once, so that whatever thread is free takes the
//! next. Each part gives several chaining values and not only one, so that parents are compressed at
//! full width on the way up.

use super::{Domain, FRONT, Run, Tree};
use crate::join::{GRAIN, Join, Serial};
use crate::tier::{CHUNK_LEN, Words, bytes_from_words};
use core::{array, iter};

/// Chunks that are not cut further, at most; a power of two.
const LEAF_CHUNKS: usize = 32;
const LEAF_LEN: usize = LEAF_CHUNKS * CHUNK_LEN;

/// What is shorter than this stays on the calling thread.
const MIN_SHARED_LEN: usize = 2 * GRAIN;

/// Values that a subtree is reduced to on one thread: the lanes of the widest tier.
const ROW: usize = 16;

/// Values that a piece of a list is reduced to by the thread that hashes it: what is left to the
/// caller is short then, and few parents are compressed at less than full width.
const FEW: usize = 4;

/// Pieces in a list, at most.
const PIECES: usize = 64;

/// What is longer than half a list of pieces of that many bytes is cut in halves first; a power of
/// two.
const MAX_PIECE_LEN: usize = 256 * 1024;

/// Complete subtrees that a slice is made of: ever larger ones, then ever smaller ones.
const PARTS: usize = 2 * (usize::BITS - LEAF_LEN.ilog2()) as usize;

impl Domain {
    /// The hash of a whole input, parts of it hashed at the same time.
    pub(crate) fn root_joined(&self, join: &impl Join, input: &[u8]) -> [u8; 32] {
        if input.len() < MIN_SHARED_LEN || input.len() <= join.grain() {
            return self.root(input);
        }
        let [left, right] = self.top_two(join, input, 0);
        bytes_from_words(&self.parent(&left, &right).root_words())
    }

    /// The two chaining values under the top of a subtree that begins with chunk `counter`; of one
    /// chunk, its own and nothing.
    pub(crate) fn top_two(&self, join: &impl Join, input: &[u8], counter: u64) -> [Words; 2] {
        if input.len() <= join.grain().max(LEAF_LEN) {
            let mut row = [[0; 8]; ROW];
            let len = self.row(input, counter, &mut row);
            Run::of(&mut row, len).top_two(self)
        } else if is_listed(join, input) {
            let mut top = [[[0; 8]; 2]];
            self.list(join, iter::once((input, counter)), &mut top);
            top[0]
        } else {
            let half = 1 << (input.len() - 1).ilog2();
            let (left, right) = input.split_at(half);
            let right_counter = counter + (half / CHUNK_LEN) as u64;
            let left = || self.top_two(join, left, counter);
            let right = || self.top_two(join, right, right_counter);
            let (left, right) = join.join(left, right);
            let values = if input.len() - half <= CHUNK_LEN {
                3
            } else {
                4
            };
            Run::of([left, right].as_flattened_mut(), values).top_two(self)
        }
    }

    /// [`top_two`](Self::top_two) of several subtrees, cut into a list of pieces.
    ///
    /// Not inlined, here and below, so that buffers take no room where they are not used.
    #[inline(never)]
    fn list<'a>(
        &self,
        join: &impl Join,
        subtrees: impl Iterator<Item = (&'a [u8], u64)> + Clone,
        tops: &mut [[Words; 2]],
    ) {
        let count = |input: &[u8], piece_len| input.len().div_ceil(piece_len);
        let counts = |piece_len| {
            subtrees
                .clone()
                .map(move |(input, _)| count(input, piece_len))
        };
        // Threads that wait for work take small pieces cheaply; where they cost more, it is known.
        let mut piece_len = match join.grain() {
            ..=GRAIN => LEAF_LEN,
            grain => power_of_two(grain),
        };
        while counts(piece_len).sum::<usize>() > PIECES {
            piece_len *= 2;
        }
        let cut = subtrees.clone().flat_map(|(input, counter)| {
            let counters = (counter..).step_by(piece_len / CHUNK_LEN);
            input.chunks(piece_len).zip(counters)
        });
        let mut pieces: [Piece<'_>; PIECES] = array::from_fn(|_| Piece::default());
        let mut len = 0;
        for (input, counter) in cut {
            pieces[len].input = input;
            pieces[len].counter = counter;
            len += 1;
        }
        join.for_each(&mut pieces[..len], |piece| {
            let mut row = [[0; 8]; ROW];
            let len = self.row(piece.input, piece.counter, &mut row);
            let mut run = Run::of(&mut row, len);
            while run.len > FEW {
                run.rise(self);
            }
            piece.len = run.len;
            piece.few[..run.len].copy_from_slice(run.values());
        });
        let mut values = [[0; 8]; PIECES * FEW];
        let mut rest = pieces.iter();
        for (count, top) in counts(piece_len).zip(tops) {
            let mut run = Run::new(&mut values, 0, 0);
            for piece in rest.by_ref().take(count) {
                for value in &piece.few[..piece.len] {
                    run.push(value);
                }
            }
            *top = run.top_two(self);
        }
    }

    /// Reduces a subtree to 2 to [`ROW`] values, and says to how many: exactly [`ROW`] for a
    /// complete one with at least as many chunks. A subtree of one chunk gives one.
    fn row(&self, input: &[u8], counter: u64, row: &mut [Words; ROW]) -> usize {
        if input.len() <= LEAF_LEN {
            return self.leaf_row(input, counter, row);
        }
        let (left, right) = input.split_at(1 << (input.len() - 1).ilog2());
        let right_counter = counter + (left.len() / CHUNK_LEN) as u64;
        let mut rows = [[[0; 8]; ROW]; 2];
        let left = self.row(left, counter, &mut rows[0]);
        let right = self.row(right, right_counter, &mut rows[1]);
        // The left one is complete, so that the two rows are one.
        debug_assert_eq!(left, ROW);
        let mut run = Run::of(rows.as_flattened_mut(), left + right);
        run.rise(self);
        row[..run.len].copy_from_slice(run.values());
        run.len
    }

    /// [`row`](Self::row) of what one kernel call takes.
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
        if is_listed(join, input) {
            self.list(join, cut(input, first, at), parts);
            return;
        }
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

/// A complete subtree, or the last one, which any thread may hash.
#[derive(Default)]
struct Piece<'a> {
    input: &'a [u8],
    counter: u64,
    /// What it is reduced to, and to how many values.
    few: [Words; FEW],
    len: usize,
}

/// Is such an input cut into a list of pieces at once?
fn is_listed(join: &impl Join, input: &[u8]) -> bool {
    input.len() / (PIECES / 2) <= MAX_PIECE_LEN.max(power_of_two(join.grain()))
}

/// The largest power of two that is not larger; 1 for 0.
const fn power_of_two(number: usize) -> usize {
    1 << (number | 1).ilog2()
}

impl<'a> Run<'a> {
    /// The first values of a buffer, where nothing precedes them.
    fn of(cvs: &'a mut [Words], len: usize) -> Self {
        let mut run = Self::new(cvs, 0, 0);
        run.len = len;
        run
    }

    /// Goes up to the two values under the top, where nothing follows to the right.
    fn top_two(mut self, domain: &Domain) -> [Words; 2] {
        while self.len > 2 {
            self.rise(domain);
        }
        [self.cvs[0], self.cvs[1]]
    }

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

/// The complete subtrees that whole leaves are made of, in order, each with its counter.
fn cut(input: &[u8], first: u64, at: u64) -> impl Iterator<Item = (&[u8], u64)> + Clone {
    let end = at + (input.len() / CHUNK_LEN) as u64;
    let starts = iter::successors(Some(at), move |at| {
        let next = at + part_chunks(*at, end);
        (next < end).then_some(next)
    });
    starts.map(move |start| {
        let input = &input[(start - at) as usize * CHUNK_LEN..];
        (
            &input[..part_chunks(start, end) as usize * CHUNK_LEN],
            first + start,
        )
    })
}

impl Tree {
    /// [`update`](Self::update) with subtrees hashed at the same time.
    pub(crate) fn update_joined(&mut self, join: &impl Join, input: &[u8]) {
        self.assert_room(input.len());
        // Up to the next leaf as ever.
        let begun = (self.count() % LEAF_LEN as u64) as usize;
        let (head, rest) = input.split_at(input.len().min((LEAF_LEN - begun) % LEAF_LEN));
        let (leaves, tail) = rest.split_at(rest.len() - rest.len() % LEAF_LEN);
        if leaves.len() < MIN_SHARED_LEN || leaves.len() <= join.grain() {
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
