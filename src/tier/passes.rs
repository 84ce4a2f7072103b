//! What all architectures with kernels share: the tables of kernels, and the passes that a count is cut into.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "some architectures have no kernels, or not of every kind"
)]

use super::{BLOCK_LEN, CHUNK_LEN, Root, Words, flags, padded, tail};

/// The type of a kernel: on x86-64 one convention for every operating system, elsewhere the platform's own.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($($parameter:ty),*) => {
        unsafe extern "sysv64" fn($($parameter),*)
    };
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! kernel {
    ($($parameter:ty),*) => {
        unsafe extern "C" fn($($parameter),*)
    };
}

/// Where the caller's frame is, for debuggers and profilers. Not for Windows, which has tables of another
/// kind and no use for these.
#[cfg(not(windows))]
macro_rules! cfi {
    ($directive:literal) => {
        $directive
    };
}
#[cfg(windows)]
macro_rules! cfi {
    ($directive:literal) => {
        ""
    };
}
pub(super) use cfi;
/// A pointer, in as much room everywhere.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct Pointer(*const u8);

/// The argument of the kernels that take N messages, one a lane.
#[repr(C, align(64))]
pub(super) struct Lanes<const N: usize> {
    pub(super) cvs: [Words; N],
    pub(super) pointers: [Pointer; N],
    pub(super) counters: [[u32; N]; 2],
    pub(super) block_len: [u32; N],
    /// For the first, the middle and the last blocks.
    pub(super) flags: [[u32; N]; 3],
}

/// The argument of the kernels that take N messages, a row of each side by side.
#[repr(C, align(16))]
pub(super) struct Rows<const N: usize> {
    /// The first four words of each message, then the last four of each.
    pub(super) cvs: [[[u32; 4]; N]; 2],
    /// Counter, block length and flags, for the first, the middle and the last blocks.
    pub(super) tails: [[[u32; 4]; N]; 3],
    pub(super) pointers: [Pointer; N],
}

type BlocksKernel = kernel!(*mut u32, *const u8, usize, u64, u64, u64);
type OutputKernel = kernel!(*const u32, *const u8, u64, u64, *mut u8);
type RowsKernel<const N: usize> = kernel!(*mut Rows<N>, usize);

/// The kernels for one message.
#[derive(Clone, Copy)]
pub(super) struct Single {
    pub(super) blocks: BlocksKernel,
    pub(super) output: OutputKernel,
}

/// The kernels of one row layout.
#[derive(Clone, Copy)]
pub(super) struct Narrow<const N: usize> {
    pub(super) chunks: kernel!(*const u8, *const u32, u64, u64, u64, *mut u32),
    pub(super) parents: kernel!(*const u32, *const u32, u64, *mut u32),
    pub(super) outputs: OutputKernel,
    pub(super) messages: RowsKernel<N>,
}

/// The kernels of one lane layout.
#[derive(Clone, Copy)]
pub(super) struct Wide<const N: usize> {
    pub(super) chunks: kernel!(*const u8, usize, *const u32, u64, *const u32, *mut u32),
    pub(super) parents: kernel!(*const u32, usize, *const u32, u64, *mut u32),
    pub(super) messages: kernel!(*mut Lanes<N>, usize),
    pub(super) output: kernel!(*const u32, *const u8, u64, u64, *mut u8, usize),
}

/// The kernels of one row layout of a tier, by name.
macro_rules! narrow {
    ($tier:ident, $chunks:ident, $parents:ident, $outputs:ident, $messages:ident) => {
        Narrow {
            chunks: $tier::$chunks,
            parents: $tier::$parents,
            outputs: $tier::$outputs,
            messages: $tier::$messages,
        }
    };
}

pub(super) use narrow;

/// The kernels of one lane layout of a tier, by name.
macro_rules! wide {
    ($tier:ident, $chunks:ident, $parents:ident, $messages:ident, $output:ident) => {
        Wide {
            chunks: $tier::$chunks,
            parents: $tier::$parents,
            messages: $tier::$messages,
            output: $tier::$output,
        }
    };
}
pub(super) use wide;

/// All kernels of a tier.
///
/// Kernels are called without a word on the CPU in each place: a value of this type is reached only by
/// the architecture's `kernels`, and that is asked only by a [`Tier`](super::Tier), which exists only where
/// the machine runs it.
#[derive(Clone, Copy)]
pub(super) struct Kernels {
    /// Without them, the portable compression is faster.
    pub(super) single: Option<Single>,
    pub(super) rows2: Option<Narrow<2>>,
    pub(super) rows4: Option<Narrow<4>>,
    pub(super) lanes4: Option<Wide<4>>,
    pub(super) lanes8: Option<Wide<8>>,
    pub(super) lanes16: Option<Wide<16>>,
    /// How many chunks may be left over by the widest lanes, the last of them of so few blocks, that
    /// the last is faster alone after a narrower pass than in a lane of a wider one. From the measured
    /// cycles of a block: a pass of the kernels involved against one message.
    pub(super) short_tails: &'static [(usize, usize)],
}

/// Can N pairs from pair `from` on be compressed where they lie, `pairs` of them being wanted? There must be as many, and
/// the parents must end where the wanted pairs do at the latest.
const fn in_place<const N: usize>(children: &[Words], pairs: usize, from: usize) -> bool {
    children.len() >= 2 * (from + N) && from + N <= 2 * pairs
}

/// What the messages of a pass have in common.
#[derive(Clone, Copy)]
struct Mode<'a> {
    key: &'a Words,
    /// Flags of every block.
    flags: u32,
    /// Flags that the last block of a message has besides.
    end: u32,
}

impl Mode<'_> {
    /// Flags of the first, the middle and the last block of a message.
    fn block_flags(&self) -> [u32; 3] {
        [
            self.flags | flags::CHUNK_START,
            self.flags,
            self.flags | self.end,
        ]
    }
}

/// The argument structure of a kernel that takes N messages: what the passes below need of it.
trait Messages<const N: usize>: Sized {
    type Kernel: Copy;

    /// All messages at the same place, with that chaining value and whole blocks.
    fn new(cv: &Words, pointer: *const u8, flags: [u32; 3]) -> Self;
    fn set_pointer(&mut self, message: usize, pointer: *const u8);
    fn set_counter(&mut self, message: usize, counter: u64);
    fn set_block_len(&mut self, message: usize, block_len: u32);
    /// Flags of the first, the middle and the last block, where there are more than one; one alone is the
    /// last.
    fn set_all_flags(&mut self, flags: [u32; 3]);
    /// Flags of the last block of one message.
    fn set_last_flags(&mut self, message: usize, flags: u32);
    fn cv(&self, message: usize) -> Words;
    /// Runs the kernel over so many blocks of each message.
    ///
    /// # Safety
    ///
    /// Each pointer is good for so many blocks.
    unsafe fn run(&mut self, kernel: Self::Kernel, blocks: usize);
}

impl<const N: usize> Messages<N> for Lanes<N> {
    type Kernel = kernel!(*mut Self, usize);

    fn new(cv: &Words, pointer: *const u8, flags: [u32; 3]) -> Self {
        Self {
            cvs: [*cv; N],
            pointers: [Pointer(pointer); N],
            counters: [[0; N]; 2],
            block_len: [BLOCK_LEN as u32; N],
            flags: flags.map(|flags| [flags; N]),
        }
    }

    fn set_pointer(&mut self, message: usize, pointer: *const u8) {
        self.pointers[message] = Pointer(pointer);
    }

    fn set_counter(&mut self, message: usize, counter: u64) {
        self.counters[0][message] = counter as u32;
        self.counters[1][message] = (counter >> 32) as u32;
    }

    fn set_block_len(&mut self, message: usize, block_len: u32) {
        self.block_len[message] = block_len;
    }

    fn set_all_flags(&mut self, flags: [u32; 3]) {
        self.flags = flags.map(|flags| [flags; N]);
    }

    fn set_last_flags(&mut self, message: usize, flags: u32) {
        self.flags[2][message] = flags;
    }

    fn cv(&self, message: usize) -> Words {
        self.cvs[message]
    }

    unsafe fn run(&mut self, kernel: Self::Kernel, blocks: usize) {
        // SAFETY: the caller's word for the pointers; the structure is the one that the kernel takes.
        unsafe { kernel(self, blocks) }
    }
}

impl<const N: usize> Messages<N> for Rows<N> {
    type Kernel = RowsKernel<N>;

    fn new(cv: &Words, pointer: *const u8, flags: [u32; 3]) -> Self {
        let [low, high] = [[cv[0], cv[1], cv[2], cv[3]], [cv[4], cv[5], cv[6], cv[7]]];
        Self {
            cvs: [[low; N], [high; N]],
            tails: flags.map(|flags| [[0, 0, BLOCK_LEN as u32, flags]; N]),
            pointers: [Pointer(pointer); N],
        }
    }

    fn set_pointer(&mut self, message: usize, pointer: *const u8) {
        self.pointers[message] = Pointer(pointer);
    }

    fn set_counter(&mut self, message: usize, counter: u64) {
        for tails in &mut self.tails {
            tails[message][0] = counter as u32;
            tails[message][1] = (counter >> 32) as u32;
        }
    }

    fn set_block_len(&mut self, message: usize, block_len: u32) {
        for tails in &mut self.tails {
            tails[message][2] = block_len;
        }
    }

    fn set_all_flags(&mut self, flags: [u32; 3]) {
        for (tails, flags) in self.tails.iter_mut().zip(flags) {
            for tail in tails {
                tail[3] = flags;
            }
        }
    }

    fn set_last_flags(&mut self, message: usize, flags: u32) {
        self.tails[2][message][3] = flags;
    }

    fn cv(&self, message: usize) -> Words {
        let mut cv = [0; 8];
        cv[..4].copy_from_slice(&self.cvs[0][message]);
        cv[4..].copy_from_slice(&self.cvs[1][message]);
        cv
    }

    unsafe fn run(&mut self, kernel: Self::Kernel, blocks: usize) {
        // SAFETY: the caller's word for the pointers; the structure is the one that the kernel takes.
        unsafe { kernel(self, blocks) }
    }
}

/// Hashes up to N messages of at most a chunk each in one pass. `counter` is that of the first one, where they
/// are adjacent chunks.
///
/// The pass is cut where a message ends: before its last block if that is short, which is then read from
/// a padded copy, and after it, when its chaining value is taken. Messages that have ended go over the
/// longest one from then on, and those that there are not are the longest one again.
fn pass<'a, const N: usize, M: Messages<N>>(
    kernel: M::Kernel,
    mode: Mode<'_>,
    message: impl Fn(usize) -> &'a [u8],
    counter: Option<u64>,
    out: &mut [Words],
) {
    let count = out.len();
    assert!(
        (1..=N).contains(&count),
        "at least a message, and at most N"
    );
    let mut inputs = [message(0); N];
    for (i, input) in inputs[..count].iter_mut().enumerate() {
        *input = message(i);
    }
    let block_count = |input: &[u8]| input.len().div_ceil(BLOCK_LEN).max(1);
    let mut messages = M::new(mode.key, inputs[0].as_ptr(), [0; 3]);
    if let Some(counter) = counter {
        for i in 0..count {
            messages.set_counter(i, counter.wrapping_add(i as u64));
        }
    }
    let end = block_count(inputs[0]);
    if inputs.iter().all(|input| block_count(input) == end) {
        even_pass(&mut messages, kernel, mode, &inputs, end);
        for (i, out) in out.iter_mut().enumerate() {
            *out = messages.cv(i);
        }
        return;
    }
    let longest = inputs.into_iter().max_by_key(|input| input.len());
    let longest = longest.unwrap_or_default();
    inputs[count..].fill(longest);
    let blocks = inputs.map(block_count);
    let end = block_count(longest);
    let short = |i: usize| inputs[i].len() != blocks[i] * BLOCK_LEN;

    let [first, middle, last] = mode.block_flags();
    let mut padded_blocks = [[0; BLOCK_LEN]; N];
    let mut at = 0;
    while at < end {
        let mut steps = end - at;
        let mut cut = false;
        for (i, all) in blocks.iter().enumerate() {
            let left = all.saturating_sub(at);
            if left > 0 && left <= steps {
                cut = short(i) || cut && left == steps;
                steps = left;
            }
        }
        if cut && steps > 1 {
            steps -= 1;
        }
        let start = if at == 0 { first } else { middle };
        messages.set_all_flags([start, middle, if steps == 1 { start } else { middle }]);
        // The longest, where it ends here with a short block, has no whole block for others to go over.
        let longest_padded;
        let idle = if at + steps == end && longest.len() != end * BLOCK_LEN {
            longest_padded = padded(&longest[(end - 1) * BLOCK_LEN..]);
            longest_padded.as_ptr()
        } else {
            longest[at * BLOCK_LEN..].as_ptr()
        };
        for i in 0..N {
            if blocks[i] <= at {
                messages.set_pointer(i, idle);
                continue;
            }
            let rest = &inputs[i][at * BLOCK_LEN..];
            messages.set_pointer(i, rest.as_ptr());
            if blocks[i] == at + steps {
                let end = if steps == 1 { start | last } else { last };
                messages.set_last_flags(i, end);
                if short(i) {
                    padded_blocks[i] = padded(rest);
                    messages.set_pointer(i, padded_blocks[i].as_ptr());
                    messages.set_block_len(i, rest.len() as u32);
                }
            }
        }
        // SAFETY: a message that goes on has `steps` whole blocks from its pointer, or its one padded
        // block where that is all; the others go over the longest, which has not ended before.
        unsafe { messages.run(kernel, steps) };
        at += steps;
        for (i, out) in out.iter_mut().enumerate() {
            if blocks[i] == at {
                *out = messages.cv(i);
            }
        }
    }
}

/// A pass of messages of as many blocks each, cut before the last ones if any of these is short.
fn even_pass<const N: usize, M: Messages<N>>(
    messages: &mut M,
    kernel: M::Kernel,
    mode: Mode<'_>,
    inputs: &[&[u8]; N],
    blocks: usize,
) {
    let [first, middle, last] = mode.block_flags();
    let cut = inputs.iter().any(|input| input.len() != blocks * BLOCK_LEN);
    let whole = blocks - usize::from(cut);
    if whole > 0 {
        for (i, input) in inputs.iter().enumerate() {
            messages.set_pointer(i, input.as_ptr());
        }
        let mut end = if cut { middle } else { last };
        if whole == 1 {
            end |= first;
        }
        messages.set_all_flags([first, middle, end]);
        // SAFETY: all messages have so many whole blocks.
        unsafe { messages.run(kernel, whole) };
    }
    if cut {
        let mut padded_blocks = [[0; BLOCK_LEN]; N];
        for (i, (input, block)) in inputs.iter().zip(&mut padded_blocks).enumerate() {
            let rest = &input[whole * BLOCK_LEN..];
            *block = padded(rest);
            messages.set_pointer(i, block.as_ptr());
            messages.set_block_len(i, rest.len() as u32);
        }
        let end = if whole == 0 { first | last } else { last };
        messages.set_all_flags([end; 3]);
        // SAFETY: all messages are one block here.
        unsafe { messages.run(kernel, 1) };
    }
}

/// Hashes up to N adjacent chunks in one pass, the last of them short or not.
fn chunks_pass<const N: usize, M: Messages<N>>(
    kernel: M::Kernel,
    mode: Mode<'_>,
    input: &[u8],
    counter: u64,
    out: &mut [Words],
) {
    let chunk = |i: usize| {
        let chunk = &input[i * CHUNK_LEN..];
        &chunk[..chunk.len().min(CHUNK_LEN)]
    };
    pass::<N, M>(kernel, mode, chunk, Some(counter), out);
}

impl<const N: usize> Narrow<N> {
    /// Hashes 2 to N chunks, the last of them short or not.
    fn chunks(&self, mode: Mode<'_>, input: &[u8], counter: u64, out: &mut [Words]) {
        if input.len() < N * CHUNK_LEN {
            return chunks_pass::<N, Rows<N>>(self.messages, mode, input, counter, out);
        }
        assert!(
            input.len() == N * CHUNK_LEN && out.len() == N,
            "at most N chunks"
        );
        let tails = mode
            .block_flags()
            .map(|flags| tail(BLOCK_LEN as u32, flags));
        let (input, key, to) = (input.as_ptr(), mode.key.as_ptr(), out.as_mut_ptr().cast());
        // SAFETY: the input is N whole chunks, and the output as many values.
        unsafe { (self.chunks)(input, key, counter, tails[0], tails[2], to) }
    }

    /// Compresses the pairs from pair `from` on, of `pairs` in all, 2 to N of them, in place.
    fn parents(&self, children: &mut [Words], pairs: usize, from: usize, key: &Words, tail: u64) {
        let run = |pairs: *const Words, parents: *mut Words| {
            // SAFETY: N pairs and room for N parents, as is seen to below; the kernel has read all
            // children before it writes parents over them.
            unsafe { (self.parents)(pairs.cast(), key.as_ptr(), tail, parents.cast()) }
        };
        if in_place::<N>(children, pairs, from) {
            let base = children.as_mut_ptr();
            run(base.wrapping_add(2 * from), base.wrapping_add(from));
        } else {
            let mut group = [[[0; 8]; 2]; N];
            let filled = group.as_flattened_mut();
            filled[..2 * (pairs - from)].copy_from_slice(&children[2 * from..2 * pairs]);
            let start = filled.as_mut_ptr();
            run(start, start);
            children[from..pairs].copy_from_slice(&filled[..pairs - from]);
        }
    }

    /// Compresses 2 to N single blocks that all start from the same value.
    fn blocks(&self, blocks: &[[u8; BLOCK_LEN]], key: &Words, tail: u64, out: &mut [Words]) {
        let (mut group, mut values) = ([[0; BLOCK_LEN]; N], [[0; 8]; N]);
        group[..blocks.len()].copy_from_slice(blocks);
        let (from, to) = (group.as_ptr().cast(), values.as_mut_ptr().cast());
        // SAFETY: N blocks and room for as many values.
        unsafe { (self.parents)(from, key.as_ptr(), tail, to) };
        out.copy_from_slice(&values[..out.len()]);
    }

    /// Writes 2 to N blocks of output.
    fn output(&self, root: &Root<'_>, counter: u64, out: &mut [[u8; BLOCK_LEN]]) {
        let (cv, block) = (root.cv.as_ptr(), root.block.as_ptr());
        let run = |out: &mut [[u8; BLOCK_LEN]; N]| {
            // SAFETY: the pointers are to 8 words, to a block and to N blocks.
            unsafe { (self.outputs)(cv, block, counter, root.tail, out.as_mut_ptr().cast()) }
        };
        if let Ok(whole) = out.try_into() {
            return run(whole);
        }
        let mut group = [[0; BLOCK_LEN]; N];
        run(&mut group);
        out.copy_from_slice(&group[..out.len()]);
    }
}

impl<const N: usize> Wide<N> {
    /// Hashes groups of N whole chunks from the front; gives how many chunks that were.
    fn chunks(&self, mode: Mode<'_>, input: &[u8], counter: u64, out: &mut [Words]) -> usize {
        let groups = input.len() / (N * CHUNK_LEN);
        if groups > 0 {
            let (key, flags) = (mode.key.as_ptr(), mode.block_flags());
            let (input, to) = (input.as_ptr(), out[..groups * N].as_mut_ptr().cast());
            // SAFETY: the input is at least `groups` times N chunks, the output as many values.
            unsafe { (self.chunks)(input, groups, key, counter, flags.as_ptr(), to) };
        }
        groups * N
    }

    /// Hashes the chunks from `done` on, at most N, in one pass: the last N, some of them once more, where these are
    /// whole, which saves to set up a pass of messages.
    fn last_chunks(
        &self,
        mode: Mode<'_>,
        input: &[u8],
        counter: u64,
        done: usize,
        out: &mut [Words],
    ) {
        let whole = out.len() >= N && input.len() == out.len() * CHUNK_LEN;
        let from = if whole { out.len() - N } else { done };
        let (input, out) = (&input[from * CHUNK_LEN..], &mut out[from..]);
        let counter = counter.wrapping_add(from as u64);
        if whole {
            self.chunks(mode, input, counter, out);
        } else {
            chunks_pass::<N, Lanes<N>>(self.messages, mode, input, counter, out);
        }
    }

    /// Compresses the pairs from pair `from` on, of `total` in all, in place, in groups of N; a last group of more
    /// than `least` pairs is filled up. Gives how many pairs that were.
    fn parents(
        &self,
        children: &mut [Words],
        total: usize,
        from: usize,
        least: usize,
        key: &Words,
        tail: u64,
    ) -> usize {
        let pairs = total - from;
        let (mut groups, mut rest) = (pairs / N, pairs % N);
        if rest > least && in_place::<N>(children, total, total - rest) {
            (groups, rest) = (groups + 1, 0);
        }
        let run = |pairs: *const Words, groups, parents: *mut Words| {
            // SAFETY: `groups` times N pairs and room for as many parents, as is seen to below; the kernel
            // may write parents over children that it has read: parent i lies at or before pair i.
            unsafe { (self.parents)(pairs.cast(), groups, key.as_ptr(), tail, parents.cast()) }
        };
        if groups > 0 {
            assert!(
                children.len() >= 2 * (from + groups * N),
                "a pair for each lane"
            );
            debug_assert!(
                from == 0 || from >= groups * N,
                "parents in the place of these pairs, or before all of them"
            );
            let base = children.as_mut_ptr();
            run(base.wrapping_add(2 * from), groups, base.wrapping_add(from));
        }
        if rest <= least {
            return pairs - rest;
        }
        let done = total - rest;
        let mut group = [[[0; 8]; 2]; N];
        let filled = group.as_flattened_mut();
        filled[..2 * rest].copy_from_slice(&children[2 * done..2 * total]);
        let start = filled.as_mut_ptr();
        run(start, 1, start);
        children[done..total].copy_from_slice(&filled[..rest]);
        pairs
    }

    /// Compresses single blocks that all start from the same value, in groups of N; a last group of more
    /// than `least` blocks is filled up. Gives how many blocks that were.
    fn blocks(
        &self,
        blocks: &[[u8; BLOCK_LEN]],
        least: usize,
        key: &Words,
        tail: u64,
        out: &mut [Words],
    ) -> usize {
        let run = |blocks: &[[[u8; BLOCK_LEN]; N]], out: &mut [[Words; N]]| {
            assert_eq!(blocks.len(), out.len(), "a value for each block");
            let (from, to) = (blocks.as_ptr().cast(), out.as_mut_ptr().cast());
            // SAFETY: groups of N blocks and room for as many values.
            unsafe { (self.parents)(from, blocks.len(), key.as_ptr(), tail, to) }
        };
        let ((groups, rest), (out, out_rest)) = (blocks.as_chunks(), out.as_chunks_mut());
        if !groups.is_empty() {
            run(groups, out);
        }
        let done = groups.len() * N;
        if rest.len() <= least {
            return done;
        }
        let (mut group, mut values) = ([[[0; BLOCK_LEN]; N]], [[[0; 8]; N]]);
        group[0][..rest.len()].copy_from_slice(rest);
        run(&group, &mut values);
        out_rest.copy_from_slice(&values[0][..rest.len()]);
        done + rest.len()
    }

    /// Fills groups of N blocks; a last group of more than `least` blocks by way of a buffer. Gives how
    /// many blocks that were.
    fn output(
        &self,
        root: &Root<'_>,
        counter: u64,
        least: usize,
        out: &mut [[u8; BLOCK_LEN]],
    ) -> usize {
        let (groups, rest) = out.as_chunks_mut::<N>();
        let run = |counter: u64, out: &mut [[[u8; BLOCK_LEN]; N]]| {
            let (cv, block) = (root.cv.as_ptr(), root.block.as_ptr());
            let (to, groups) = (out.as_mut_ptr().cast(), out.len());
            // SAFETY: the output is as many groups of N blocks.
            unsafe { (self.output)(cv, block, counter, root.tail, to, groups) }
        };
        if !groups.is_empty() {
            run(counter, groups);
        }
        let done = groups.len() * N;
        if rest.len() <= least {
            return done;
        }
        let mut group = [[[0; BLOCK_LEN]; N]];
        run(counter.wrapping_add(done as u64), &mut group);
        rest.copy_from_slice(&group[0][..rest.len()]);
        done + rest.len()
    }
}

impl Single {
    #[inline]
    pub(super) fn compress_blocks(
        &self,
        cv: &mut Words,
        blocks: &[[u8; BLOCK_LEN]],
        counter: u64,
        flags: u32,
        first_flags: u32,
        last_flags: u32,
    ) {
        assert!(!blocks.is_empty(), "at least one block");
        let [first, last] = if blocks.len() == 1 {
            [flags | first_flags | last_flags; 2]
        } else {
            [flags | first_flags, flags | last_flags]
        };
        let [first, last] = [first, last].map(|flags| tail(BLOCK_LEN as u32, flags));
        let (cv, input) = (cv.as_mut_ptr(), blocks.as_ptr().cast());
        // SAFETY: the pointers are to 8 words and to as many blocks as are said.
        unsafe { (self.blocks)(cv, input, blocks.len(), counter, first, last) }
    }

    #[inline]
    pub(super) fn compress(
        &self,
        cv: &mut Words,
        block: &[u8; BLOCK_LEN],
        block_len: u32,
        counter: u64,
        flags: u32,
    ) {
        let tail = tail(block_len, flags);
        // SAFETY: the pointers are to 8 words and to one block.
        unsafe { (self.blocks)(cv.as_mut_ptr(), block.as_ptr(), 1, counter, tail, tail) }
    }

    /// One block of output.
    #[inline]
    pub(super) fn output_block(&self, root: &Root<'_>, counter: u64, out: &mut [u8; BLOCK_LEN]) {
        let (cv, block) = (root.cv.as_ptr(), root.block.as_ptr());
        // SAFETY: the pointers are to 8 words and to blocks.
        unsafe { (self.output)(cv, block, counter, root.tail, out.as_mut_ptr()) }
    }
}

impl Kernels {
    /// These, and those of them for narrower passes, where there are lanes of two widths.
    pub(super) const fn policies(self) -> [Self; 2] {
        let mut narrow = self;
        narrow.short_tails = &[];
        if narrow.lanes16.is_some() && narrow.lanes8.is_some() {
            narrow.lanes16 = None;
        } else if narrow.lanes8.is_some() && narrow.lanes4.is_some() {
            narrow.lanes8 = None;
        }
        [self, narrow]
    }

    #[inline]
    pub(super) fn single(&self) -> Option<&Single> {
        self.single.as_ref()
    }

    /// Of how many messages on lanes of four are worth while: two have rows of their own, where there are any.
    const fn least4(&self) -> usize {
        if self.rows2.is_some() { 3 } else { 2 }
    }

    /// The same for a block of each: two are faster one after the other than beside two idle lanes, where a message
    /// alone has rows.
    const fn least4_blocks(&self) -> usize {
        if self.single.is_some() { 3 } else { 2 }
    }

    /// The most messages of a pass.
    pub(super) const fn widest(&self) -> usize {
        match (&self.lanes16, &self.lanes8) {
            (Some(_), _) => 16,
            (None, Some(_)) => 8,
            (None, None) => 4,
        }
    }

    /// Hashes adjacent chunks, the last of them short or not, but for a last one that is better hashed
    /// alone; gives how many that were.
    pub(super) fn hash_chunks(
        &self,
        mut input: &[u8],
        key: &Words,
        counter: u64,
        flags: u32,
        mut out: &mut [Words],
    ) -> usize {
        let mode = Mode {
            key,
            flags,
            end: flags::CHUNK_END,
        };
        let tail = input.len() % CHUNK_LEN;
        let left = || out.len() % self.widest();
        let short =
            |&(count, blocks): &(usize, usize)| count == left() && tail <= blocks * BLOCK_LEN;
        if tail > 0 && self.short_tails.iter().any(short) {
            input = &input[..input.len() - tail];
            let whole = out.len() - 1;
            out = &mut out[..whole];
        }
        let total = out.len();
        let mut done = 0;
        let rest = |done: usize| {
            (
                &input[done * CHUNK_LEN..],
                counter.wrapping_add(done as u64),
            )
        };
        if let Some(wide) = &self.lanes16 {
            let (rest, at) = rest(done);
            done += wide.chunks(mode, rest, at, &mut out[done..]);
            if total - done > 8 {
                wide.last_chunks(mode, input, counter, done, out);
                return total;
            }
        }
        if let Some(wide) = &self.lanes8 {
            let (rest, at) = rest(done);
            done += wide.chunks(mode, rest, at, &mut out[done..]);
            if total - done > 4 {
                wide.last_chunks(mode, input, counter, done, out);
                return total;
            }
        }
        if let Some(wide) = &self.lanes4 {
            let (rest, at) = rest(done);
            done += wide.chunks(mode, rest, at, &mut out[done..]);
            if total - done >= self.least4() {
                wide.last_chunks(mode, input, counter, done, out);
                return total;
            }
        }
        let ((input, counter), out) = (rest(done), &mut out[done..]);
        match (out.len(), &self.rows4, &self.rows2) {
            (3.., Some(rows4), _) => rows4.chunks(mode, input, counter, out),
            (2.., _, Some(rows2)) => rows2.chunks(mode, input, counter, out),
            _ => return done,
        }
        total
    }

    /// Hashes messages of at most a chunk each, but for a last one that is left alone; gives how many
    /// that were. Messages of like lengths in a row are hashed fastest.
    pub(super) fn hash_messages(
        &self,
        messages: &[&[u8]],
        key: &Words,
        flags: u32,
        end: u32,
        out: &mut [Words],
    ) -> usize {
        let mode = Mode { key, flags, end };
        let mut done = 0;
        while messages.len() - done > 1 {
            let left = messages.len() - done;
            let now = &messages[done..done + left.min(self.widest())];
            let out = &mut out[done..done + now.len()];
            let message = |i: usize| now[i];
            match (
                now.len(),
                &self.lanes16,
                &self.lanes8,
                &self.lanes4,
                &self.rows4,
                &self.rows2,
            ) {
                (9.., Some(wide), ..) => {
                    pass::<16, Lanes<16>>(wide.messages, mode, message, None, out);
                }
                (5.., _, Some(wide), ..) => {
                    pass::<8, Lanes<8>>(wide.messages, mode, message, None, out);
                }
                (count, _, _, Some(wide), ..) if count >= self.least4() => {
                    pass::<4, Lanes<4>>(wide.messages, mode, message, None, out);
                }
                (3.., .., Some(rows4), _) => {
                    pass::<4, Rows<4>>(rows4.messages, mode, message, None, out);
                }
                (.., Some(rows2)) => {
                    pass::<2, Rows<2>>(rows2.messages, mode, message, None, out);
                }
                _ => break,
            }
            done += now.len();
        }
        done
    }

    /// Compresses single blocks, all from the same value and with the same tail, but for last ones that
    /// are better compressed alone; gives how many that were.
    pub(super) fn hash_blocks(
        &self,
        blocks: &[[u8; BLOCK_LEN]],
        key: &Words,
        tail: u64,
        out: &mut [Words],
    ) -> usize {
        let mut done = 0;
        if let Some(wide) = &self.lanes16 {
            done += wide.blocks(&blocks[done..], 8, key, tail, &mut out[done..]);
        }
        if let Some(wide) = &self.lanes8 {
            done += wide.blocks(&blocks[done..], 4, key, tail, &mut out[done..]);
        }
        if let Some(wide) = &self.lanes4 {
            done += wide.blocks(
                &blocks[done..],
                self.least4_blocks() - 1,
                key,
                tail,
                &mut out[done..],
            );
        }
        let (rest, out) = (&blocks[done..], &mut out[done..]);
        match (rest.len(), &self.rows4, &self.rows2) {
            (3.., Some(rows4), _) => rows4.blocks(rest, key, tail, out),
            (2.., _, Some(rows2)) => rows2.blocks(rest, key, tail, out),
            _ => return done,
        }
        blocks.len()
    }

    /// Compresses the first pairs into parents, in place, but for last ones that are better compressed alone; gives
    /// how many that were. What lies behind the pairs may be read, and stays as it is.
    pub(super) fn hash_parents(
        &self,
        children: &mut [Words],
        pairs: usize,
        key: &Words,
        flags: u32,
    ) -> usize {
        let tail = tail(BLOCK_LEN as u32, flags);
        let mut done = 0;
        if let Some(wide) = &self.lanes16 {
            done += wide.parents(children, pairs, done, 8, key, tail);
        }
        if let Some(wide) = &self.lanes8 {
            done += wide.parents(children, pairs, done, 4, key, tail);
        }
        if let Some(wide) = &self.lanes4 {
            done += wide.parents(children, pairs, done, self.least4_blocks() - 1, key, tail);
        }
        match (pairs - done, &self.rows4, &self.rows2) {
            (3.., Some(rows4), _) => rows4.parents(children, pairs, done, key, tail),
            (2.., _, Some(rows2)) => rows2.parents(children, pairs, done, key, tail),
            _ => return done,
        }
        pairs
    }

    /// Fills blocks of output, but for last ones that are better filled alone; gives how many that were.
    pub(super) fn output_blocks(
        &self,
        root: &Root<'_>,
        counter: u64,
        out: &mut [[u8; BLOCK_LEN]],
    ) -> usize {
        let mut done = 0;
        if out.len() <= 1 {
            return done;
        }
        let at = |done: usize| counter.wrapping_add(done as u64);
        if let Some(wide) = &self.lanes16 {
            done += wide.output(root, at(done), 8, &mut out[done..]);
        }
        if let Some(wide) = &self.lanes8 {
            done += wide.output(root, at(done), 4, &mut out[done..]);
        }
        if let Some(wide) = &self.lanes4 {
            done += wide.output(root, at(done), self.least4_blocks() - 1, &mut out[done..]);
        }
        let all = out.len();
        let (counter, rest) = (at(done), &mut out[done..]);
        match (rest.len(), &self.rows4, &self.rows2) {
            (3.., Some(rows4), _) => rows4.output(root, counter, rest),
            (2.., _, Some(rows2)) => rows2.output(root, counter, rest),
            _ => return done,
        }
        all
    }
}
