//! The tree: which chunks go into which kernel call, parents, the stack of pending subtrees, the
//! root.
//!
//! A *run* is a row of adjacent chaining values of one level of the tree. Up to [`RUN_CHUNKS`]
//! chunks, whatever their alignment, are hashed by one kernel call into a run in a buffer on the
//! call stack, and the run is then reduced in place, a level at a time, by kernel calls that take
//! all its pairs at once. Input is read once, and nothing is allocated (BLAKE3 paper, sections 2.1
//! and 5.1.2).

#[cfg(feature = "std")]
mod bare;
mod chunk;
mod joined;
mod many;
#[cfg(any(feature = "digest", feature = "digest-0_10"))]
mod short;
mod stack;
mod state;
#[cfg(test)]
mod tests;
#[cfg(feature = "zeroize")]
mod wipe;

use crate::tier::{
    BLOCK_LEN, CHUNK_LEN, Tier, Words, bytes_from_words, flags, padded, portable, words_from_bytes,
};
#[cfg(feature = "std")]
pub(crate) use bare::{Bare, Kind};
use chunk::Chunk;
#[cfg(any(feature = "digest", feature = "digest-0_10"))]
pub(crate) use short::Short;
use stack::Stack;
pub(crate) use state::{Mode, Parts};

/// Chunks in one kernel call, at most. A multiple of every tier's lanes, and large enough that most
/// parents of a run are compressed at full width.
const RUN_CHUNKS: usize = 256;

/// Free places before a run, where left neighbours are put so that they join a full-width call. A
/// run takes at most one a level; where more are needed, the few values left are moved.
const FRONT: usize = 8;

/// What all compressions of one hash have in common.
#[derive(Clone, Copy)]
pub(crate) struct Domain {
    key: Words,
    /// The flags of the mode.
    flags: u32,
    tier: Tier,
}

impl Domain {
    pub(crate) const fn hash(tier: Tier) -> Self {
        Self {
            key: portable::IV,
            flags: 0,
            tier,
        }
    }

    pub(crate) const fn keyed_hash(tier: Tier, key: &[u8; 32]) -> Self {
        Self {
            key: words_from_bytes(key),
            flags: flags::KEYED_HASH,
            tier,
        }
    }

    pub(crate) const fn derive_key_context(tier: Tier) -> Self {
        Self {
            key: portable::IV,
            flags: flags::DERIVE_KEY_CONTEXT,
            tier,
        }
    }

    pub(crate) const fn derive_key_material(tier: Tier, context_key: &[u8; 32]) -> Self {
        Self {
            key: words_from_bytes(context_key),
            flags: flags::DERIVE_KEY_MATERIAL,
            tier,
        }
    }

    pub(crate) const fn tier(&self) -> Tier {
        self.tier
    }

    #[cfg(feature = "std")]
    pub(crate) const fn on_tier(self, tier: Tier) -> Self {
        Self { tier, ..self }
    }

    /// The name of the mode, for `Debug`.
    pub(crate) const fn mode(&self) -> &'static str {
        match self.flags {
            flags::KEYED_HASH => "keyed_hash",
            flags::DERIVE_KEY_CONTEXT | flags::DERIVE_KEY_MATERIAL => "derive_key",
            _ => "hash",
        }
    }

    /// The node above two others.
    pub(crate) fn parent(&self, left: &Words, right: &Words) -> Node {
        let mut block = [0; BLOCK_LEN];
        block[..32].copy_from_slice(&bytes_from_words(left));
        block[32..].copy_from_slice(&bytes_from_words(right));
        Node {
            cv: self.key,
            block,
            block_len: BLOCK_LEN as u32,
            counter: 0,
            flags: self.flags | flags::PARENT,
            tier: self.tier,
        }
    }

    /// The hash of a whole input.
    #[inline]
    pub(crate) fn root(&self, input: &[u8]) -> [u8; 32] {
        let words = if input.len() <= CHUNK_LEN {
            self.root_of_chunk(input)
        } else {
            // A short input should not pay for the buffer of a long one.
            match input.len().div_ceil(CHUNK_LEN) {
                0..=2 => self.root_of_pair(input),
                3..=4 => self.root_of_run::<4>(input),
                5..=16 => self.root_of_run::<16>(input),
                17..=64 => self.root_of_run::<64>(input),
                65..=RUN_CHUNKS => self.root_of_run::<RUN_CHUNKS>(input),
                _ => self.root_of_runs(input),
            }
        };
        bytes_from_words(&words)
    }

    /// The root of at most one chunk.
    fn root_of_chunk(&self, input: &[u8]) -> Words {
        const START: u32 = flags::CHUNK_START;
        const END: u32 = flags::CHUNK_END | flags::ROOT;
        let mut cv = self.key;
        let (blocks, tail) = input.as_chunks::<BLOCK_LEN>();
        match (blocks, tail) {
            ([block], []) => {
                let flags = self.flags | START | END;
                self.tier
                    .compress(&mut cv, block, BLOCK_LEN as u32, 0, flags);
            }
            ([_, ..], []) => {
                self.tier
                    .compress_blocks(&mut cv, blocks, 0, self.flags, START, END);
            }
            ([], []) => {
                let flags = self.flags | START | END;
                self.tier.compress(&mut cv, &[0; BLOCK_LEN], 0, 0, flags);
            }
            _ => {
                let mut flags = self.flags | END;
                if blocks.is_empty() {
                    flags |= START;
                } else {
                    self.tier
                        .compress_blocks(&mut cv, blocks, 0, self.flags, START, 0);
                }
                let block = padded(tail);
                self.tier
                    .compress(&mut cv, &block, tail.len() as u32, 0, flags);
            }
        }
        cv
    }

    /// The root of two chunks, of which the last may be short.
    #[inline(never)]
    fn root_of_pair(&self, input: &[u8]) -> Words {
        let mut cvs = [[0; 8]; 2];
        self.tier
            .hash_chunks(input, &self.key, 0, self.flags, &mut cvs);
        let [left, right] = &cvs;
        self.parent(left, right).root_words()
    }

    /// The root of 2 to N chunks, of which the last may be short.
    ///
    /// Not inlined, here and below, so that each buffer takes room only where it is used.
    #[inline(never)]
    fn root_of_run<const N: usize>(&self, input: &[u8]) -> Words {
        let mut cvs = [[0; 8]; N];
        let mut run = Run::new(&mut cvs, 0, 0);
        run.push_chunks(self, input, 0);
        self.root_of_last_run(run, &[])
    }

    /// The root of more chunks than a run takes.
    #[inline(never)]
    fn root_of_runs(&self, mut input: &[u8]) -> Words {
        let mut cvs = [[0; 8]; FRONT + RUN_CHUNKS];
        let mut stack = Stack::new();
        let mut index = 0;
        while let Some((chunks, rest)) = input.split_at_checked(RUN_CHUNKS * CHUNK_LEN)
            && !rest.is_empty()
        {
            let mut run = Run::new(&mut cvs, FRONT, index);
            run.push_chunks(self, chunks, index);
            self.reduce(run, &mut stack, true);
            index += RUN_CHUNKS as u64;
            input = rest;
        }
        let mut run = Run::new(&mut cvs, FRONT, index);
        run.push_chunks(self, input, index);
        self.root_of_last_run(run, stack.as_slice())
    }

    /// Reduces a run, to the right of which there is no input, and all that is pending to the left
    /// of it, to the root.
    ///
    /// A value without a right neighbour rises to the next level as it is, so that the levels stay
    /// full.
    fn root_of_last_run(&self, mut run: Run<'_>, mut pending: &[Words]) -> Words {
        loop {
            if run.index % 2 == 1
                && let Some((left, rest)) = pending.split_last()
            {
                run.push_front(left);
                pending = rest;
            }
            if run.index == 0
                && let [left, right] = run.values()
            {
                return self.parent(left, right).root_words();
            }
            run.rise(self);
        }
    }

    /// Reduces a run of complete subtrees, and what is pending to the left of it, as far as its
    /// values have neighbours, and leaves what remains on the stack.
    ///
    /// Unless `more` input is known to follow, the one parent that covers everything so far is not
    /// computed, since it may be the root: its two children are left on the stack.
    fn reduce(&self, mut run: Run<'_>, stack: &mut Stack, more: bool) {
        // Where the values without a right neighbour lie in the buffer, lowest level first: beyond
        // all that the levels above them still write.
        let mut alone = [0; 16];
        let mut alone_len = 0;
        while run.len > 0 {
            if run.index % 2 == 1
                && let Some(left) = stack.pop()
            {
                run.push_front(&left);
            }
            if run.len % 2 == 1 {
                run.len -= 1;
                alone[alone_len] = run.start + run.len;
                alone_len += 1;
            } else if !more
                && alone_len == 0
                && run.index == 0
                && let [left, right] = run.values()
            {
                stack.push(left);
                stack.push(right);
                return;
            }
            run.pair_up(self);
        }
        for &at in alone[..alone_len].iter().rev() {
            stack.push(&run.cvs[at]);
        }
    }
}

/// Adjacent chaining values of one level: `len` of them in `cvs`, from `start` on.
struct Run<'a> {
    cvs: &'a mut [Words],
    start: usize,
    len: usize,
    /// The number of subtrees of this level to the left of the first value.
    index: u64,
}

impl<'a> Run<'a> {
    fn new(cvs: &'a mut [Words], start: usize, index: u64) -> Self {
        Self {
            cvs,
            start,
            len: 0,
            index,
        }
    }

    fn values(&self) -> &[Words] {
        &self.cvs[self.start..self.start + self.len]
    }

    fn last(&self) -> Words {
        self.values().last().copied().unwrap_or_default()
    }

    /// Appends a value.
    fn push(&mut self, cv: &Words) {
        self.cvs[self.start + self.len] = *cv;
        self.len += 1;
    }

    /// Appends the chaining values of chunks, the first of which has the given counter.
    fn push_chunks(&mut self, domain: &Domain, chunks: &[u8], counter: u64) {
        let at = self.start + self.len;
        let count = chunks.len().div_ceil(CHUNK_LEN);
        let out = &mut self.cvs[at..at + count];
        domain
            .tier
            .hash_chunks(chunks, &domain.key, counter, domain.flags, out);
        self.len += count;
    }

    /// Puts the left neighbour before the first value.
    fn push_front(&mut self, cv: &Words) {
        if self.start == 0 {
            // The place after the last value is free: half of the values of the level below were
            // used up.
            self.cvs.copy_within(..self.len, 1);
            self.start = 1;
        }
        self.start -= 1;
        self.cvs[self.start] = *cv;
        self.len += 1;
        self.index -= 1;
    }

    /// Goes up a level, dropping a last value that has no right neighbour.
    fn pair_up(&mut self, domain: &Domain) {
        let pairs = self.len / 2;
        if pairs > 0 {
            let children = &mut self.cvs[self.start..];
            domain
                .tier
                .hash_parents(children, pairs, &domain.key, domain.flags);
        }
        self.len = pairs;
        self.index /= 2;
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

/// An input that comes in pieces, or a subtree of one.
///
/// Between calls the stack holds the subtrees of the binary digits of the number of finished
/// chunks, the largest (and leftmost) first. There is one exception, the parent that covers
/// everything so far: while nothing follows it, it may be the root, so its two children are held in
/// its place. For the same reason chunk 0 stays in `chunk` until more follows.
#[derive(Clone)]
pub(crate) struct Tree {
    domain: Domain,
    /// The first chunk of the subtree (0 but for users of `hazmat`).
    first: u64,
    chunk: Chunk,
    stack: Stack,
}

impl Tree {
    pub(crate) fn new(domain: Domain) -> Self {
        Self {
            domain,
            first: 0,
            chunk: Chunk::new(&domain, 0),
            stack: Stack::new(),
        }
    }

    /// Forgets all input, and begins a subtree at this chunk.
    pub(crate) fn start_at(&mut self, first: u64) {
        self.first = first;
        self.chunk = Chunk::new(&self.domain, first);
        self.stack.clear();
    }

    pub(crate) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The first chunk of the subtree.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// Chunks finished so far.
    fn finished(&self) -> u64 {
        self.chunk.counter() - self.first
    }

    /// Bytes taken in so far (wrapping, which no input is long enough to see).
    pub(crate) fn count(&self) -> u64 {
        let chunks = self.finished().wrapping_mul(CHUNK_LEN as u64);
        chunks.wrapping_add(self.chunk.len() as u64)
    }

    /// Panics if so many more bytes are too many for the subtree.
    fn assert_room(&self, len: usize) {
        if let Some(chunks) = max_subtree_chunks(self.first) {
            let max = chunks * CHUNK_LEN as u64;
            assert!(
                len as u64 <= max - self.count(),
                "a subtree that begins at byte {} has at most {max} bytes",
                self.first * CHUNK_LEN as u64,
            );
        }
    }

    /// Adds input.
    ///
    /// Panics if the subtree does not begin with chunk 0 and would become larger than one that
    /// begins where it does can be.
    #[inline]
    pub(crate) fn update(&mut self, input: &[u8]) {
        if self.finished() == 0 && input.len() <= CHUNK_LEN - self.chunk.len() {
            self.chunk.update(&self.domain, input);
        } else if !input.is_empty() {
            self.update_beyond(input);
        }
    }

    /// [`update`](Self::update) beyond the first chunk.
    fn update_beyond(&mut self, mut input: &[u8]) {
        self.assert_room(input.len());
        let mut completed = None;
        if self.chunk.is_empty() {
            self.merge_held_back();
        } else {
            let room = CHUNK_LEN - self.chunk.len();
            let (head, rest) = input.split_at(room.min(input.len()));
            self.chunk.update(&self.domain, head);
            if head.len() < room {
                return;
            }
            completed = Some(self.chunk.chaining_value(&self.domain));
            input = rest;
        }
        let (chunks, tail) = input.split_at(input.len() - input.len() % CHUNK_LEN);
        let more = !tail.is_empty();
        match chunks.len() / CHUNK_LEN {
            0 => {
                if let Some(cv) = completed {
                    self.add_chunk(&cv, more);
                }
            }
            1..=4 => self.add::<{ FRONT + 4 }>(completed, chunks, more),
            5..=16 => self.add::<{ FRONT + 16 }>(completed, chunks, more),
            17..=64 => self.add::<{ FRONT + 64 }>(completed, chunks, more),
            _ => self.add::<{ FRONT + RUN_CHUNKS }>(completed, chunks, more),
        }
        self.chunk.update(&self.domain, tail);
    }

    /// Adds the chunk just completed. `more`: input follows it.
    fn add_chunk(&mut self, cv: &Words, more: bool) {
        let mut index = self.finished();
        self.stack.push(cv);
        while index % 2 == 1 && self.stack.len() > 1 && (more || index > 1) {
            self.merge();
            index /= 2;
        }
        self.chunk = Chunk::new(&self.domain, self.chunk.counter() + 1);
    }

    /// Puts the parent of the last two values on the stack in their place.
    fn merge(&mut self) {
        let Domain { key, flags, tier } = &self.domain;
        self.stack
            .merge(|pair| tier.hash_parents(pair, 1, key, *flags));
    }

    /// Adds the chunk just completed, if there is one, and whole chunks. `more`: input follows
    /// these.
    #[inline(never)]
    fn add<const N: usize>(&mut self, mut completed: Option<Words>, mut chunks: &[u8], more: bool) {
        let mut cvs = [[0; 8]; N];
        let mut counter = self.chunk.counter();
        while !chunks.is_empty() || completed.is_some() {
            // A completed chunk takes one of the free places, so that the buffer's other places are
            // all for this call.
            let before = usize::from(completed.is_some());
            let len = chunks.len().min((N - FRONT) * CHUNK_LEN);
            let (now, later) = chunks.split_at(len);
            let mut run = Run::new(&mut cvs, FRONT - before, counter - self.first);
            if let Some(cv) = completed.take() {
                run.push(&cv);
                counter += 1;
            }
            if !now.is_empty() {
                run.push_chunks(&self.domain, now, counter);
                counter += (len / CHUNK_LEN) as u64;
            }
            self.domain
                .reduce(run, &mut self.stack, more || !later.is_empty());
            chunks = later;
        }
        self.chunk = Chunk::new(&self.domain, counter);
    }

    /// Computes the parent that was held back, now that more input follows it.
    fn merge_held_back(&mut self) {
        if self.stack.len() > self.finished().count_ones() as usize {
            self.merge();
        }
    }

    /// The hash of everything.
    pub(crate) fn root_hash(&self) -> [u8; 32] {
        if self.stack.len() == 0 {
            bytes_from_words(&self.chunk.root_words(&self.domain))
        } else {
            self.top().root_hash()
        }
    }

    /// The node that covers everything.
    pub(crate) fn top(&self) -> Node {
        let mut pending = self.stack.as_slice();
        let mut node = match pending {
            [rest @ .., left, right] if self.chunk.is_empty() => {
                pending = rest;
                self.domain.parent(left, right)
            }
            [rest @ .., left] => {
                pending = rest;
                let chunk = self.chunk.chaining_value(&self.domain);
                self.domain.parent(left, &chunk)
            }
            [] => return self.chunk.node(&self.domain),
        };
        while let [rest @ .., left] = pending {
            node = self.domain.parent(left, &node.chaining_value());
            pending = rest;
        }
        node
    }
}

/// The last compression of a chunk, or the compression of a parent, not yet done: it is still open
/// whether this node is the root.
#[derive(Clone)]
pub(crate) struct Node {
    cv: Words,
    /// Zero from `block_len` on.
    block: [u8; BLOCK_LEN],
    block_len: u32,
    counter: u64,
    flags: u32,
    tier: Tier,
}

impl Node {
    /// The chaining value of this node, which is not the root.
    pub(crate) fn chaining_value(&self) -> Words {
        let mut cv = self.cv;
        self.tier.compress(
            &mut cv,
            &self.block,
            self.block_len,
            self.counter,
            self.flags,
        );
        cv
    }

    fn root_words(&self) -> Words {
        let mut cv = self.cv;
        let flags = self.flags | flags::ROOT;
        self.tier
            .compress(&mut cv, &self.block, self.block_len, 0, flags);
        cv
    }

    /// The hash, this node being the root.
    pub(crate) fn root_hash(&self) -> [u8; 32] {
        bytes_from_words(&self.root_words())
    }

    /// Blocks of extended output, from this one on (wrapping), this node being the root (BLAKE3
    /// paper, section 2.6).
    pub(crate) fn root_blocks(&self, first: u64, out: &mut [[u8; BLOCK_LEN]]) {
        let flags = self.flags | flags::ROOT;
        self.tier
            .output_blocks(&self.cv, &self.block, self.block_len, first, flags, out);
    }
}

/// How many bytes are to the left of the top of a tree over more than one chunk: the most that is a
/// power of two and leaves some for the right.
pub(crate) const fn left_subtree_len(input_len: u64) -> u64 {
    1 << (input_len - 1).ilog2()
}

/// How many chunks a subtree that begins with chunk `first` has at most; none for the first chunk,
/// where there is no limit.
pub(crate) const fn max_subtree_chunks(first: u64) -> Option<u64> {
    if first == 0 {
        None
    } else {
        Some(1 << first.trailing_zeros())
    }
}
