//! Many inputs, and many blocks of output: which of them go into which kernel call.
//!
//! Kernels hash as many inputs side by side as the tier has lanes, and a lane whose input has ended
//! stands still until all have. So inputs are taken in windows and sorted by length in each, so that
//! neighbours end together. Single blocks, the most frequent inputs by far, have kernels of their
//! own, which take them by length. Nothing is allocated.

use super::{Domain, Node};
use crate::Tier;
use crate::join::{GRAIN, Join};
use crate::tier::{BLOCK_LEN, CHUNK_LEN, Words, bytes_from_words, flags, padded, words_from_bytes};

/// Inputs that are sorted together, at most: places in a window are bytes. Enough for sixteen lanes of
/// inputs of each number of blocks.
const WINDOW: usize = 256;

/// Lanes of the widest tier.
const LANES: usize = 16;

/// So many single blocks of one length are worth a call of the kernels that take no other length.
const FEW: usize = 8;

/// Flags of the last block of an input of at most a chunk, besides those of the mode.
const END: u32 = flags::CHUNK_END | flags::ROOT;

/// Classes of lengths, longest first: inputs of several chunks, inputs of 16 to 2 blocks, and single
/// blocks of 64 to 0 bytes.
const CLASSES: usize = SINGLE + BLOCK_LEN + 1;

/// The first class of single blocks.
const SINGLE: usize = CHUNK_LEN / BLOCK_LEN;

/// Whether two or three inputs gain by a call that they share, on any tier: those of three to sixteen
/// blocks do, if they end at about the same time.
fn gain(lengths: impl Iterator<Item = usize> + Clone) -> bool {
    let fits = |len| len > 2 * BLOCK_LEN && len <= CHUNK_LEN;
    if !lengths.clone().all(fits) {
        return false;
    }
    let shortest = lengths.clone().min().unwrap_or(0);
    let longest = lengths.max().unwrap_or(0);
    4 * shortest >= 3 * longest
}

fn class(len: usize) -> usize {
    if len <= BLOCK_LEN {
        SINGLE + BLOCK_LEN - len
    } else if len <= CHUNK_LEN {
        SINGLE + 1 - len.div_ceil(BLOCK_LEN)
    } else {
        0
    }
}

impl Domain {
    /// The hashes of whole inputs: what [`root`](Self::root) says of each.
    pub(crate) fn roots<'a, O: From<[u8; 32]>>(
        &self,
        input: impl Fn(usize) -> &'a [u8],
        out: &mut [O],
    ) {
        // Room for no more than there may be, since all of it is cleared.
        match out.len() {
            0 | 1 => self.roots_in_turn(input, out),
            _ if self.tier == Tier::PORTABLE => self.roots_in_turn(input, out),
            count @ 2..=3 if !gain((0..count).map(|i| input(i).len())) => {
                self.roots_in_turn(input, out);
            }
            2..=16 => self.roots_in_windows::<16, 16, O>(input, out),
            17..=64 => self.roots_in_windows::<64, 64, O>(input, out),
            _ => self.roots_in_windows::<WINDOW, 64, O>(input, out),
        }
    }

    fn roots_in_turn<'a, O: From<[u8; 32]>>(
        &self,
        input: impl Fn(usize) -> &'a [u8],
        out: &mut [O],
    ) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.root(input(i)).into();
        }
    }

    fn roots_in_windows<'a, const W: usize, const B: usize, O: From<[u8; 32]>>(
        &self,
        input: impl Fn(usize) -> &'a [u8],
        out: &mut [O],
    ) {
        // A run of inputs of one length, at most a block, is copied to blocks at once, and what is not
        // looked at together in a window.
        let mut blocks = [[0; BLOCK_LEN]; B];
        let mut inputs: [&[u8]; W] = [&[]; W];
        let mut roots = [[0; 8]; W];
        // Blocks are zero from here on.
        let mut used = 0;
        let mut done = 0;
        while done < out.len() {
            let left = out.len() - done;
            let len = input(done).len();
            if len < used {
                blocks = [[0; BLOCK_LEN]; B];
            }
            used = len.min(BLOCK_LEN);
            let blocks = &mut blocks[..left.min(B)];
            let roots = if len <= BLOCK_LEN && copied(|i| input(done + i), len, blocks) {
                let roots = &mut roots[..blocks.len()];
                self.roots_of_blocks(blocks, len, roots);
                roots
            } else {
                let (inputs, roots) = (&mut inputs[..left.min(W)], &mut roots[..left.min(W)]);
                for (i, place) in inputs.iter_mut().enumerate() {
                    *place = input(done + i);
                }
                self.roots_of_window::<W>(inputs, roots);
                roots
            };
            for (out, root) in out[done..].iter_mut().zip(&*roots) {
                *out = bytes_from_words(root).into();
            }
            done += roots.len();
        }
    }

    /// [`roots`](Self::roots), a join for the halves of what is worth more than one thread.
    ///
    /// `first` is the number of the first input.
    pub(crate) fn roots_joined<'a, O: From<[u8; 32]> + Send>(
        &self,
        join: &impl Join,
        input: &(impl Fn(usize) -> &'a [u8] + Sync),
        first: usize,
        out: &mut [O],
    ) {
        let grain = join.grain().max(GRAIN);
        // Whoever joins nothing need not know how much it is.
        if grain < usize::MAX {
            // An input costs a block at least.
            let bytes = (first..first + out.len()).fold(0, |bytes: usize, i| {
                bytes.saturating_add(input(i).len().max(BLOCK_LEN))
            });
            if bytes > grain {
                if let [out] = out {
                    *out = self.root_joined(join, input(first)).into();
                    return;
                }
                let half = out.len() / 2;
                // So that lanes are not left empty in the middle.
                let half = if half > LANES {
                    half - half % LANES
                } else {
                    half
                };
                let (left, right) = out.split_at_mut(half);
                join.join(
                    || self.roots_joined(join, input, first, left),
                    || self.roots_joined(join, input, first + half, right),
                );
                return;
            }
        }
        self.roots(|i| input(first + i), out);
    }

    /// [`roots_of_arrays`](Self::roots_of_arrays), a join for the halves of what is worth more than one
    /// thread.
    pub(crate) fn roots_of_arrays_joined<const N: usize, O: From<[u8; 32]> + Send>(
        &self,
        join: &impl Join,
        arrays: &[[u8; N]],
        out: &mut [O],
    ) {
        if N > BLOCK_LEN {
            return self.roots_joined(join, &|i| &arrays[i], 0, out);
        }
        let blocks = join.grain().max(GRAIN) / BLOCK_LEN;
        if out.len() <= blocks {
            return self.roots_of_arrays(arrays, out);
        }
        let half = out.len() / 2 / LANES * LANES;
        let ((left, right), (left_out, right_out)) =
            (arrays.split_at(half), out.split_at_mut(half));
        join.join(
            || self.roots_of_arrays_joined(join, left, left_out),
            || self.roots_of_arrays_joined(join, right, right_out),
        );
    }

    /// [`roots`](Self::roots) of arrays.
    pub(crate) fn roots_of_arrays<const N: usize, O: From<[u8; 32]>>(
        &self,
        arrays: &[[u8; N]],
        out: &mut [O],
    ) {
        match out.len() {
            _ if N > BLOCK_LEN => self.roots(|i| &arrays[i], out),
            0..=3 => self.roots_in_turn(|i| &arrays[i], out),
            4..=16 => self.roots_of_short_arrays::<16, N, O>(arrays, out),
            _ => self.roots_of_short_arrays::<64, N, O>(arrays, out),
        }
    }

    /// Roots of arrays of at most a block, W at a time.
    fn roots_of_short_arrays<const W: usize, const N: usize, O: From<[u8; 32]>>(
        &self,
        arrays: &[[u8; N]],
        out: &mut [O],
    ) {
        let mut blocks = [[0; BLOCK_LEN]; W];
        let mut roots = [[0; 8]; W];
        for (arrays, out) in arrays.chunks(W).zip(out.chunks_mut(W)) {
            let roots = &mut roots[..out.len()];
            if N == BLOCK_LEN {
                self.roots_of_blocks(arrays.as_flattened().as_chunks().0, N, roots);
            } else {
                for (block, array) in blocks.iter_mut().zip(arrays) {
                    block[..N].copy_from_slice(array);
                }
                self.roots_of_blocks(&blocks[..out.len()], N, roots);
            }
            for (out, root) in out.iter_mut().zip(roots) {
                *out = bytes_from_words(root).into();
            }
        }
    }

    /// The root above leaves, each a hash and so half an input of a block. A leaf or node without a
    /// right neighbour rises as it is. The leaves are used up.
    pub(crate) fn root_of_leaves(
        &self,
        join: &impl Join,
        leaves: &mut [[u8; 32]],
    ) -> Option<[u8; 32]> {
        let mut len = leaves.len();
        if len > 1 && leaves.as_flattened().len() > join.grain().max(GRAIN) {
            // The left half is full, so that the levels of both together are those of the whole.
            let (left, right) = leaves.split_at_mut(len.next_power_of_two() / 2);
            let (left, right) = join.join(
                || self.root_of_leaves(join, left),
                || self.root_of_leaves(join, right),
            );
            let mut pair = [left?, right?];
            self.pair_up(&mut pair);
            return Some(pair[0]);
        }
        while len > 1 {
            self.pair_up(&mut leaves[..len]);
            if len % 2 == 1 {
                leaves[len / 2] = leaves[len - 1];
            }
            len = len.div_ceil(2);
        }
        leaves.first().copied()
    }

    /// Puts the nodes above pairs in place of the first half.
    fn pair_up(&self, nodes: &mut [[u8; 32]]) {
        let mut roots = [[0; 8]; 64];
        let pairs = nodes.len() / 2;
        for done in (0..pairs).step_by(roots.len()) {
            let roots = &mut roots[..64.min(pairs - done)];
            let now = &nodes[2 * done..][..2 * roots.len()];
            self.roots_of_blocks(now.as_flattened().as_chunks().0, BLOCK_LEN, roots);
            for (node, root) in nodes[done..].iter_mut().zip(roots) {
                *node = bytes_from_words(root);
            }
        }
    }

    /// Roots of inputs of `len` bytes, at most a block, filled up with zeros.
    fn roots_of_blocks(&self, blocks: &[[u8; BLOCK_LEN]], len: usize, roots: &mut [Words]) {
        let flags = self.flags | flags::CHUNK_START | END;
        self.tier
            .hash_blocks(blocks, &self.key, len as u32, flags, roots);
    }

    /// Roots of inputs of at most a chunk.
    fn roots_of_chunks(&self, inputs: &[&[u8]], roots: &mut [Words]) {
        self.tier
            .hash_messages(inputs, &self.key, self.flags, END, roots);
    }

    /// Roots of at most W inputs, at least one.
    fn roots_of_window<const W: usize>(&self, inputs: &[&[u8]], roots: &mut [Words]) {
        if inputs.iter().all(|input| input.len() <= BLOCK_LEN) {
            return self.roots_of_chunks(inputs, roots);
        }
        let common = class(inputs[0].len());
        if inputs.iter().any(|input| class(input.len()) != common) || common >= SINGLE {
            return self.roots_of_mixed_window::<W>(inputs, roots);
        }
        if common > 0 {
            return self.roots_of_chunks(inputs, roots);
        }
        for (input, root) in inputs.iter().zip(roots) {
            *root = words_from_bytes(&self.root(input));
        }
    }

    /// Roots of at most W inputs of different lengths.
    #[inline(never)]
    fn roots_of_mixed_window<const W: usize>(&self, inputs: &[&[u8]], roots: &mut [Words]) {
        let mut places = [0; W];
        let places = sorted(inputs, &mut places);
        // What is not hashed by its class.
        let mut rest: [&[u8]; W] = [&[]; W];
        let mut rest_places = [0; W];
        let mut rest_len = 0;
        let mut blocks = [[0; BLOCK_LEN]; 16];
        let mut done = [[0; 8]; W];
        let class_at = |place: &u8| class(inputs[usize::from(*place)].len());
        for run in places.chunk_by(|a, b| class_at(a) == class_at(b)) {
            match class_at(&run[0]) {
                0 => {
                    for &place in run {
                        let place = usize::from(place);
                        roots[place] = words_from_bytes(&self.root(inputs[place]));
                    }
                }
                class if class >= SINGLE && run.len() >= FEW => {
                    for run in run.chunks(16) {
                        for (block, &place) in blocks.iter_mut().zip(run) {
                            *block = padded(inputs[usize::from(place)]);
                        }
                        let len = CLASSES - 1 - class;
                        let done = &mut done[..run.len()];
                        self.roots_of_blocks(&blocks[..run.len()], len, done);
                        for (&place, root) in run.iter().zip(done) {
                            roots[usize::from(place)] = *root;
                        }
                    }
                }
                _ => {
                    for &place in run {
                        rest[rest_len] = inputs[usize::from(place)];
                        rest_places[rest_len] = place;
                        rest_len += 1;
                    }
                }
            }
        }
        let mut at = 0;
        while at < rest_len {
            let group = group(&rest[at..rest_len]);
            if group == 1 {
                done[at] = self.root_of_chunk(rest[at]);
            } else {
                self.roots_of_chunks(&rest[at..at + group], &mut done[at..at + group]);
            }
            at += group;
        }
        for (&place, root) in rest_places[..rest_len].iter().zip(&done) {
            roots[usize::from(place)] = *root;
        }
    }
}

impl Node {
    /// [`root_blocks`](Self::root_blocks), a join for the halves of what is worth more than one thread.
    pub(crate) fn root_blocks_joined(
        &self,
        join: &impl Join,
        first: u64,
        out: &mut [[u8; BLOCK_LEN]],
    ) {
        if out.len() <= join.grain().max(GRAIN) / BLOCK_LEN {
            if !out.is_empty() {
                self.root_blocks(first, out);
            }
            return;
        }
        let half = out.len() / 2 / LANES * LANES;
        let (left, right) = out.split_at_mut(half);
        join.join(
            || self.root_blocks_joined(join, first, left),
            || self.root_blocks_joined(join, first.wrapping_add(half as u64), right),
        );
    }
}

/// Copies inputs to blocks that are zero from `len` on, if all are of this length, at most a block.
fn copied<'a>(
    input: impl Fn(usize) -> &'a [u8],
    len: usize,
    blocks: &mut [[u8; BLOCK_LEN]],
) -> bool {
    const HALF: usize = BLOCK_LEN / 2;
    let mut inputs = blocks
        .iter_mut()
        .enumerate()
        .map(|(i, block)| (block, input(i)));
    // Nodes and hashes are worth a loop of their own: copies of a constant length take no time.
    match len {
        BLOCK_LEN => {
            inputs.all(|(block, input)| input.try_into().map(|input| *block = input).is_ok())
        }
        HALF => inputs.all(|(block, input)| {
            let half = <[u8; HALF]>::try_from(input);
            half.map(|half| block[..HALF].copy_from_slice(&half))
                .is_ok()
        }),
        _ => inputs.all(|(block, input)| {
            let same = input.len() == len;
            if same {
                block[..len].copy_from_slice(input);
            }
            same
        }),
    }
}

/// The places of the inputs by class.
fn sorted<'a>(inputs: &[&[u8]], places: &'a mut [u8]) -> &'a [u8] {
    // Where the next input of each class goes.
    let mut next = [0u16; CLASSES + 1];
    for input in inputs {
        next[class(input.len()) + 1] += 1;
    }
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    for (i, input) in inputs.iter().enumerate() {
        let next = &mut next[class(input.len())];
        places[usize::from(*next)] = i as u8;
        *next += 1;
    }
    &places[..inputs.len()]
}

/// How many of these inputs, longest first, should share a call: not more than fill the lanes, and not
/// a few long ones with others that end soon, where most lanes would stand still.
fn group(inputs: &[&[u8]]) -> usize {
    let blocks = |input: &[u8]| input.len().div_ceil(BLOCK_LEN).max(1);
    let inputs = &inputs[..inputs.len().min(LANES)];
    let longest = blocks(inputs[0]);
    if 4 * blocks(inputs[inputs.len() - 1]) >= longest {
        return inputs.len();
    }
    inputs.partition_point(|input| 2 * blocks(input) >= longest)
}
