//! The tree in pieces: parts of it hashed at the same time.
//!
//! A long input is cut where the tree is, into halves. One of some MiB is cut into a list of pieces
//! at once, ever shorter ones, so that whatever thread is free takes the next and all are done at
//! about the same time. A piece gives a chaining value for each *unit* of its input, a small
//! subtree, so that it may begin and end with any unit; the caller compresses what lies above.

use super::{Domain, FRONT, RUN_CHUNKS, Run, Tree, left_subtree_len};
use crate::join::{GRAIN, Join, Serial};
use crate::tier::{CHUNK_LEN, Words, bytes_from_words};
use core::array;

/// Where parts begin and end: the number of chunks of a leaf, a power of two.
const LEAF_CHUNKS: usize = 32;
const LEAF_LEN: usize = LEAF_CHUNKS * CHUNK_LEN;

/// What is shorter than this stays on the calling thread.
const MIN_SHARED_LEN: usize = 2 * GRAIN;

/// Units of a list, at most.
const UNITS: usize = 512;

/// Bytes of a unit, at least: so many that little is left to the caller.
const MIN_UNIT_LEN: usize = 8 * CHUNK_LEN;

/// What is longer is cut in halves first. Units are half a leaf then, so that each part has two.
const MAX_LIST_LEN: usize = UNITS * (LEAF_LEN / 2);

/// Pieces of a list, at most.
const PIECES: usize = 128;

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
        if input.len() <= MAX_LIST_LEN {
            return self.top_two_of_list(join, input, counter);
        }
        let half = left_subtree_len(input.len() as u64) as usize;
        let (left, right) = input.split_at(half);
        let right_counter = counter + (half / CHUNK_LEN) as u64;
        let left = || self.top_two(join, left, counter);
        let right = || self.top_two(join, right, right_counter);
        let mut values: [[Words; 2]; 2] = if input.len() > join.grain() {
            join.join(left, right).into()
        } else {
            Serial.join(left, right).into()
        };
        let len = if input.len() - half > CHUNK_LEN { 4 } else { 3 };
        Run::full(&mut values.as_flattened_mut()[..len]).top_two(self)
    }

    /// [`top_two`](Self::top_two) of a list.
    ///
    /// Not inlined, here and below, so that buffers take no room where they are not used.
    #[inline(never)]
    fn top_two_of_list(&self, join: &impl Join, input: &[u8], counter: u64) -> [Words; 2] {
        // Two values need units that are shorter than what they are taken from.
        let unit_len = match input.len() {
            ..=CHUNK_LEN => CHUNK_LEN,
            len => unit_len(len).min(left_subtree_len(len as u64) as usize),
        };
        let mut units = [[0; 8]; UNITS];
        let units = &mut units[..input.len().div_ceil(unit_len)];
        self.units(join, input, counter, unit_len, units);
        Run::full(units).top_two(self)
    }

    /// The chaining values of the units that an input is made of.
    fn units(
        &self,
        join: &impl Join,
        mut input: &[u8],
        mut counter: u64,
        unit_len: usize,
        mut units: &mut [Words],
    ) {
        #[derive(Default)]
        struct Piece<'a> {
            input: &'a [u8],
            counter: u64,
            units: &'a mut [Words],
        }
        if input.len() <= join.grain() {
            self.units_of_piece(input, counter, unit_len, units);
            return;
        }
        // Threads that wait for work take small pieces cheaply; where they cost more, it is known.
        let min_len = match join.grain() {
            ..=GRAIN => 2 * unit_len,
            grain => grain,
        };
        let min_len = min_len
            .max(input.len().div_ceil(PIECES))
            .next_power_of_two();
        let shares = join.threads().max(1).saturating_mul(2);
        let mut pieces: [Piece<'_>; PIECES] = array::from_fn(|_| Piece::default());
        let mut len = 0;
        while !input.is_empty() {
            let piece_len = power_of_two(input.len() / shares).max(min_len);
            let piece = &mut pieces[len];
            len += 1;
            piece.counter = counter;
            counter += (piece_len / CHUNK_LEN) as u64;
            (piece.input, input) = input.split_at(piece_len.min(input.len()));
            (piece.units, units) = units.split_at_mut(piece.input.len().div_ceil(unit_len));
        }
        join.for_each(&mut pieces[..len], |piece| {
            self.units_of_piece(piece.input, piece.counter, unit_len, piece.units);
        });
    }

    /// The same, on this thread.
    fn units_of_piece(&self, input: &[u8], counter: u64, unit_len: usize, units: &mut [Words]) {
        // A short piece should not pay for the buffer of a long one.
        if input.len() <= 64 * CHUNK_LEN {
            self.units_of_runs::<64>(input, counter, unit_len, units);
        } else {
            self.units_of_runs::<RUN_CHUNKS>(input, counter, unit_len, units);
        }
    }

    /// The same, by runs of up to N chunks.
    #[inline(never)]
    fn units_of_runs<const N: usize>(
        &self,
        input: &[u8],
        counter: u64,
        unit_len: usize,
        units: &mut [Words],
    ) {
        let run_len = N * CHUNK_LEN;
        let mut cvs = [[0; 8]; N];
        let counters = (counter..).step_by(N);
        let runs = input.chunks(run_len).zip(counters);
        for ((input, counter), units) in runs.zip(units.chunks_mut(run_len / unit_len)) {
            let mut run = Run::new(&mut cvs, 0, 0);
            run.push_chunks(self, input, counter);
            for _ in 0..(unit_len / CHUNK_LEN).ilog2() {
                run.rise(self);
            }
            units.copy_from_slice(run.values());
        }
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
        if input.len() <= MAX_LIST_LEN {
            self.parts_of_list(join, input, first, at, parts);
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

    /// [`parts`](Self::parts) of a list.
    #[inline(never)]
    fn parts_of_list(
        &self,
        join: &impl Join,
        input: &[u8],
        first: u64,
        mut at: u64,
        parts: &mut [[Words; 2]],
    ) {
        let end = at + (input.len() / CHUNK_LEN) as u64;
        let unit_len = unit_len(input.len());
        let mut units = [[0; 8]; UNITS];
        let mut rest = &mut units[..input.len() / unit_len];
        self.units(join, input, first + at, unit_len, rest);
        for part in parts {
            let chunks = part_chunks(at, end);
            at += chunks;
            let units;
            (units, rest) = rest.split_at_mut(chunks as usize * CHUNK_LEN / unit_len);
            *part = Run::full(units).top_two(self);
        }
    }
}

/// The largest power of two that is not larger; 1 for 0.
const fn power_of_two(number: usize) -> usize {
    1 << (number | 1).ilog2()
}

/// Bytes of a unit of an input of a list: a power of two.
fn unit_len(len: usize) -> usize {
    len.div_ceil(UNITS).next_power_of_two().max(MIN_UNIT_LEN)
}

impl<'a> Run<'a> {
    /// All values of a buffer, where nothing precedes them.
    fn full(cvs: &'a mut [Words]) -> Self {
        Self {
            start: 0,
            len: cvs.len(),
            index: 0,
            cvs,
        }
    }

    /// Goes up to the two values under the top, where nothing follows to the right.
    fn top_two(mut self, domain: &Domain) -> [Words; 2] {
        while self.len > 2 {
            self.rise(domain);
        }
        [self.cvs[0], self.cvs.get(1).copied().unwrap_or_default()]
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

        fn threads(&self) -> usize {
            usize::MAX
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
