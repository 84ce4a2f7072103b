//! The x86-64 tiers: detection, and the passes that a count is cut into.

use super::{BLOCK_LEN, CHUNK_LEN, Kind, Root, Words, flags, padded, tail};

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
#[rustfmt::skip]
#[path = "../../generated/avx2.rs"]
mod avx2;
#[rustfmt::skip]
#[path = "../../generated/avx512.rs"]
mod avx512;
#[rustfmt::skip]
#[path = "../../generated/sse2.rs"]
mod sse2;
#[rustfmt::skip]
#[path = "../../generated/sse41.rs"]
mod sse41;

/// Blocks in a chunk.
const CHUNK_BLOCKS: usize = CHUNK_LEN / BLOCK_LEN;

/// The widest tier of this machine. One question after the other: in a debug build, a loop over them
/// would take longer than to hash a block.
#[inline]
pub(super) fn widest() -> Kind {
    if detect::avx512() {
        Kind::Avx512
    } else if detect::avx2() {
        Kind::Avx2
    } else if detect::sse41() {
        Kind::Sse41
    } else {
        Kind::Sse2
    }
}

/// Does this machine run that tier?
pub(super) fn has(kind: Kind) -> bool {
    match kind {
        Kind::Portable | Kind::Sse2 => true,
        Kind::Sse41 => detect::sse41(),
        Kind::Avx2 => detect::avx2(),
        Kind::Avx512 => detect::avx512(),
    }
}

/// What the CPU has, asked by the standard library, which keeps the answer.
#[cfg(feature = "std")]
mod detect {
    use std::arch::is_x86_feature_detected as has;

    pub(super) fn sse41() -> bool {
        has!("ssse3") && has!("sse4.1")
    }

    pub(super) fn avx2() -> bool {
        has!("avx2")
    }

    pub(super) fn avx512() -> bool {
        has!("avx512f") && has!("avx512vl")
    }
}

/// What the CPU has, asked without the standard library.
#[cfg(all(feature = "cpufeatures", not(feature = "std")))]
mod detect {
    cpufeatures::new!(has_sse41, "ssse3", "sse4.1");
    cpufeatures::new!(has_avx2, "avx2");
    cpufeatures::new!(has_avx512, "avx512f", "avx512vl");

    pub(super) fn sse41() -> bool {
        has_sse41::get()
    }

    pub(super) fn avx2() -> bool {
        has_avx2::get()
    }

    pub(super) fn avx512() -> bool {
        has_avx512::get()
    }
}

/// What the target was promised to have when it was compiled.
#[cfg(not(any(feature = "std", feature = "cpufeatures")))]
mod detect {
    pub(super) fn sse41() -> bool {
        cfg!(all(target_feature = "ssse3", target_feature = "sse4.1"))
    }

    pub(super) fn avx2() -> bool {
        cfg!(target_feature = "avx2")
    }

    pub(super) fn avx512() -> bool {
        cfg!(all(target_feature = "avx512f", target_feature = "avx512vl"))
    }
}

/// The argument of the kernels that take N messages, one a lane.
#[repr(C, align(64))]
struct Lanes<const N: usize> {
    cvs: [Words; N],
    pointers: [*const u8; N],
    counters: [[u32; N]; 2],
    block_len: [u32; N],
    /// For the first, the middle and the last blocks.
    flags: [[u32; N]; 3],
}

/// The argument of the kernels that take N messages, a row of each side by side.
#[repr(C, align(16))]
struct Rows<const N: usize> {
    /// The first four words of each message, then the last four of each.
    cvs: [[[u32; 4]; N]; 2],
    /// Counter, block length and flags, for the first, the middle and the last blocks.
    tails: [[[u32; 4]; N]; 3],
    pointers: [*const u8; N],
}

type BlocksKernel = unsafe extern "sysv64" fn(*mut u32, *const u8, usize, u64, u64, u64);
type OutputKernel = unsafe extern "sysv64" fn(*const u32, *const u8, u64, u64, *mut u8);
type RowsKernel<const N: usize> = unsafe extern "sysv64" fn(*mut Rows<N>, usize);

/// The kernels of one row layout.
struct Narrow<const N: usize> {
    chunks: unsafe extern "sysv64" fn(*const u8, *const u32, u64, u64, u64, *mut u32),
    parents: unsafe extern "sysv64" fn(*const u32, *const u32, u64, *mut u32),
    messages: RowsKernel<N>,
}

/// The kernels of one lane layout.
struct Wide<const N: usize> {
    chunks: unsafe extern "sysv64" fn(*const u8, usize, *const u32, u64, *const u32, *mut u32),
    parents: unsafe extern "sysv64" fn(*const u32, usize, *const u32, u32, *mut u32),
    messages: unsafe extern "sysv64" fn(*mut Lanes<N>, usize),
    output: unsafe extern "sysv64" fn(*const u32, *const u8, u64, u64, *mut u8, usize),
}

macro_rules! narrow {
    ($tier:ident, $chunks:ident, $parents:ident, $messages:ident) => {
        Narrow {
            chunks: $tier::$chunks,
            parents: $tier::$parents,
            messages: $tier::$messages,
        }
    };
}

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

/// All kernels of a tier.
///
/// Kernels are called without a word on the CPU in each place: a value of this type is reached only by
/// [`kernels`], and that is asked only by a [`Tier`](super::Tier), which exists only where the machine
/// runs it.
pub(super) struct Kernels {
    blocks: BlocksKernel,
    output: OutputKernel,
    rows2: Narrow<2>,
    rows4: Option<Narrow<4>>,
    lanes4: Option<Wide<4>>,
    lanes8: Option<Wide<8>>,
    lanes16: Option<Wide<16>>,
    /// How many chunks may be left over by the widest lanes, the last of them of so few blocks, that
    /// the last is faster alone after a narrower pass than in a lane of a wider one. From the measured
    /// cycles of a block: a pass of the kernels involved against one message.
    short_tails: &'static [(usize, usize)],
}

static SSE2: Kernels = Kernels {
    blocks: sse2::blocks,
    output: sse2::output,
    rows2: narrow!(sse2, chunk_rows2, parent_rows2, rows2),
    rows4: None,
    lanes4: Some(wide!(sse2, chunks4, parents4, messages4, output4)),
    lanes8: None,
    lanes16: None,
    short_tails: &[(2, 2), (3, 10)],
};

static SSE41: Kernels = Kernels {
    blocks: sse41::blocks,
    output: sse41::output,
    rows2: narrow!(sse41, chunk_rows2, parent_rows2, rows2),
    rows4: None,
    lanes4: Some(wide!(sse41, chunks4, parents4, messages4, output4)),
    lanes8: None,
    lanes16: None,
    short_tails: &[(2, 2), (3, 10)],
};

static AVX2: Kernels = Kernels {
    blocks: avx2::blocks,
    output: avx2::output,
    rows2: narrow!(avx2, chunk_rows2, parent_rows2, rows2),
    rows4: Some(narrow!(avx2, chunk_rows4, parent_rows4, rows4)),
    lanes4: None,
    lanes8: Some(wide!(avx2, chunks8, parents8, messages8, output8)),
    lanes16: None,
    short_tails: &[(3, 5), (5, 11)],
};

static AVX512: Kernels = Kernels {
    blocks: avx512::blocks,
    output: avx512::output,
    rows2: narrow!(avx512, chunk_rows2, parent_rows2, rows2),
    rows4: Some(narrow!(avx512, chunk_rows4, parent_rows4, rows4)),
    lanes4: None,
    lanes8: Some(wide!(avx512, chunks8, parents8, messages8, output8)),
    lanes16: Some(wide!(avx512, chunks16, parents16, messages16, output16)),
    short_tails: &[(5, 11), (9, 11)],
};

/// The kernels of a tier, none for the portable one.
#[inline]
pub(super) fn kernels(kind: Kind) -> Option<&'static Kernels> {
    match kind {
        Kind::Portable => None,
        Kind::Sse2 => Some(&SSE2),
        Kind::Sse41 => Some(&SSE41),
        Kind::Avx2 => Some(&AVX2),
        Kind::Avx512 => Some(&AVX512),
    }
}

/// Adjacent chunks for one pass, and what goes with them.
#[derive(Clone, Copy)]
struct Chunks<'a> {
    input: &'a [u8],
    key: &'a Words,
    counter: u64,
    flags: u32,
}

impl<'a> Chunks<'a> {
    fn count(&self) -> usize {
        self.input.len().div_ceil(CHUNK_LEN)
    }

    fn whole(&self) -> usize {
        self.input.len() / CHUNK_LEN
    }

    /// The first `count` chunks, and the rest.
    fn split(self, count: usize) -> (Self, Self) {
        let (first, rest) = self.input.split_at(count * CHUNK_LEN);
        let counter = self.counter.wrapping_add(count as u64);
        (
            Self {
                input: first,
                ..self
            },
            Self {
                input: rest,
                counter,
                ..self
            },
        )
    }

    /// Flags of the first, the middle and the last block of a chunk.
    fn block_flags(&self) -> [u32; 3] {
        [
            self.flags | flags::CHUNK_START,
            self.flags,
            self.flags | flags::CHUNK_END,
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
    /// Flags of the first, the middle and the last block.
    fn set_flags(&mut self, message: usize, flags: [u32; 3]);
    fn cv(&self, message: usize) -> Words;
    /// Runs the kernel over so many blocks of each message.
    ///
    /// # Safety
    ///
    /// Each pointer is good for so many blocks.
    unsafe fn run(&mut self, kernel: Self::Kernel, blocks: usize);
}

impl<const N: usize> Messages<N> for Lanes<N> {
    type Kernel = unsafe extern "sysv64" fn(*mut Self, usize);

    fn new(cv: &Words, pointer: *const u8, flags: [u32; 3]) -> Self {
        Self {
            cvs: [*cv; N],
            pointers: [pointer; N],
            counters: [[0; N]; 2],
            block_len: [BLOCK_LEN as u32; N],
            flags: flags.map(|flags| [flags; N]),
        }
    }

    fn set_pointer(&mut self, message: usize, pointer: *const u8) {
        self.pointers[message] = pointer;
    }

    fn set_counter(&mut self, message: usize, counter: u64) {
        self.counters[0][message] = counter as u32;
        self.counters[1][message] = (counter >> 32) as u32;
    }

    fn set_block_len(&mut self, message: usize, block_len: u32) {
        self.block_len[message] = block_len;
    }

    fn set_flags(&mut self, message: usize, flags: [u32; 3]) {
        for (row, flags) in self.flags.iter_mut().zip(flags) {
            row[message] = flags;
        }
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
            pointers: [pointer; N],
        }
    }

    fn set_pointer(&mut self, message: usize, pointer: *const u8) {
        self.pointers[message] = pointer;
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

    fn set_flags(&mut self, message: usize, flags: [u32; 3]) {
        for (tails, flags) in self.tails.iter_mut().zip(flags) {
            tails[message][3] = flags;
        }
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

/// Hashes 2 to N chunks in one pass, the last of them short or not.
///
/// Messages without a chunk of their own go over the first chunk again. Only the last chunk can be
/// short: the pass stops before that chunk's last block, which is read from a padded copy, and after
/// it, when its chaining value is taken; then its message goes over the first chunk too.
fn chunks_pass<const N: usize, M: Messages<N>>(
    kernel: M::Kernel,
    chunks: Chunks<'_>,
    out: &mut [Words],
) {
    let count = chunks.count();
    let last = count - 1;
    assert!(
        (2..=N).contains(&count) && out.len() == count,
        "as many chunks as values: 2 to N"
    );
    let [first_flags, middle_flags, end_flags] = chunks.block_flags();
    let mut messages = M::new(chunks.key, chunks.input.as_ptr(), [0; 3]);
    for i in 0..count {
        messages.set_counter(i, chunks.counter.wrapping_add(i as u64));
    }
    // Makes ready for blocks `from` to `to` of the chunks.
    let stretch = |messages: &mut M, from: usize, to: usize| {
        let first = if from == 0 { first_flags } else { middle_flags };
        let end = if to == CHUNK_BLOCKS {
            end_flags
        } else {
            middle_flags
        };
        let flags = if to - from == 1 {
            [first | end; 3]
        } else {
            [first, middle_flags, end]
        };
        for i in 0..N {
            let chunk = if i < count { i } else { 0 };
            let at = (chunk * CHUNK_LEN + from * BLOCK_LEN).min(chunks.input.len());
            messages.set_pointer(i, chunks.input[at..].as_ptr());
            messages.set_flags(i, flags);
        }
    };
    let last_len = chunks.input.len() - last * CHUNK_LEN;
    let mut finished = count;
    if last_len == CHUNK_LEN {
        stretch(&mut messages, 0, CHUNK_BLOCKS);
        // SAFETY: each pointer is to a whole chunk.
        unsafe { messages.run(kernel, CHUNK_BLOCKS) };
    } else {
        let at = (last_len - 1) / BLOCK_LEN;
        if at > 0 {
            stretch(&mut messages, 0, at);
            // SAFETY: the last chunk has more than `at` blocks, the others are whole.
            unsafe { messages.run(kernel, at) };
        }
        let rest = &chunks.input[last * CHUNK_LEN + at * BLOCK_LEN..];
        let block = padded(rest);
        stretch(&mut messages, at, at + 1);
        messages.set_pointer(last, block.as_ptr());
        messages.set_block_len(last, rest.len() as u32);
        let first = if at == 0 { first_flags } else { middle_flags };
        messages.set_flags(last, [first | end_flags; 3]);
        // SAFETY: one block of each: the padded copy, or one of a whole chunk (chunk 0, which stands in
        // for messages without a chunk, is not the last).
        unsafe { messages.run(kernel, 1) };
        out[last] = messages.cv(last);
        finished = last;
        if at + 1 < CHUNK_BLOCKS {
            stretch(&mut messages, at + 1, CHUNK_BLOCKS);
            messages.set_pointer(last, chunks.input.as_ptr());
            // SAFETY: what is left of whole chunks, and as many blocks of chunk 0 from its start.
            unsafe { messages.run(kernel, CHUNK_BLOCKS - at - 1) };
        }
    }
    for (i, out) in out[..finished].iter_mut().enumerate() {
        *out = messages.cv(i);
    }
}

impl<const N: usize> Narrow<N> {
    /// Hashes 2 to N chunks, the last of them short or not.
    fn chunks(&self, chunks: Chunks<'_>, out: &mut [Words]) {
        if chunks.whole() < N {
            return chunks_pass::<N, Rows<N>>(self.messages, chunks, out);
        }
        assert!(chunks.count() == N && out.len() == N, "at most N chunks");
        let [first, _, last] = chunks
            .block_flags()
            .map(|flags| tail(BLOCK_LEN as u32, flags));
        let (input, key, to) = (
            chunks.input.as_ptr(),
            chunks.key.as_ptr(),
            out.as_mut_ptr().cast(),
        );
        // SAFETY: the input is N whole chunks, and the output as many values.
        unsafe { (self.chunks)(input, key, chunks.counter, first, last, to) }
    }

    /// Compresses the pairs from pair `from` on, 2 to N of them, in place.
    fn parents(&self, children: &mut [Words], from: usize, key: &Words, flags: u32) {
        let run = |pairs: *const Words, parents: *mut Words| {
            let tail = tail(BLOCK_LEN as u32, flags);
            // SAFETY: N pairs and room for N parents, as is seen to below; the kernel has read all
            // children before it writes parents over them.
            unsafe { (self.parents)(pairs.cast(), key.as_ptr(), tail, parents.cast()) }
        };
        let pairs = children.len() / 2 - from;
        if pairs == N {
            let base = children.as_mut_ptr();
            run(base.wrapping_add(2 * from), base.wrapping_add(from));
        } else {
            let mut group = [[[0; 8]; 2]; N];
            let filled = group.as_flattened_mut();
            filled[..2 * pairs].copy_from_slice(&children[2 * from..2 * (from + pairs)]);
            let start = filled.as_mut_ptr();
            run(start, start);
            children[from..from + pairs].copy_from_slice(&filled[..pairs]);
        }
    }
}

impl<const N: usize> Wide<N> {
    /// Hashes groups of N whole chunks from the front; gives what is left.
    fn chunks<'a, 'b>(
        &self,
        chunks: Chunks<'a>,
        out: &'b mut [Words],
    ) -> (Chunks<'a>, &'b mut [Words]) {
        let groups = chunks.whole() / N;
        if groups == 0 {
            return (chunks, out);
        }
        let (now, rest) = chunks.split(groups * N);
        let (out, out_rest) = out.split_at_mut(groups * N);
        let (key, flags) = (now.key.as_ptr(), now.block_flags());
        let (input, to) = (now.input.as_ptr(), out.as_mut_ptr().cast());
        // SAFETY: the input is `groups` times N chunks, and the output as many values.
        unsafe { (self.chunks)(input, groups, key, now.counter, flags.as_ptr(), to) };
        (rest, out_rest)
    }

    /// Compresses the pairs from pair `from` on, in place, in groups of N; a last group of more than
    /// `least` pairs is filled up. Gives how many pairs that were.
    fn parents(
        &self,
        children: &mut [Words],
        from: usize,
        least: usize,
        key: &Words,
        flags: u32,
    ) -> usize {
        let pairs = children.len() / 2 - from;
        let (groups, rest) = (pairs / N, pairs % N);
        if groups > 0 {
            let base: *mut Words = children.as_mut_ptr();
            // SAFETY: pairs `from` to `from + groups * N` are inside, and the kernel may write parents
            // over children that it has read: parent i lies at or before pair i.
            unsafe {
                let (pairs, parents) = (base.add(2 * from), base.add(from));
                (self.parents)(pairs.cast(), groups, key.as_ptr(), flags, parents.cast());
            }
        }
        if rest <= least {
            return pairs - rest;
        }
        let done = from + pairs - rest;
        let mut group = [[[0; 8]; 2]; N];
        let filled = group.as_flattened_mut();
        filled[..2 * rest].copy_from_slice(&children[2 * done..2 * (done + rest)]);
        let start: *mut Words = filled.as_mut_ptr();
        // SAFETY: a group of N pairs, as above.
        unsafe { (self.parents)(start.cast(), 1, key.as_ptr(), flags, start.cast()) };
        children[done..done + rest].copy_from_slice(&filled[..rest]);
        pairs
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

impl Kernels {
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

    const fn widest(&self) -> usize {
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
        input: &[u8],
        key: &Words,
        counter: u64,
        flags: u32,
        mut out: &mut [Words],
    ) -> usize {
        let mut chunks = Chunks {
            input,
            key,
            counter,
            flags,
        };
        let (left, tail) = (out.len() % self.widest(), input.len() % CHUNK_LEN);
        let short = |&(count, blocks): &(usize, usize)| count == left && tail <= blocks * BLOCK_LEN;
        if tail > 0 && self.short_tails.iter().any(short) {
            chunks.input = &input[..input.len() - tail];
            let whole = out.len() - 1;
            out = &mut out[..whole];
        }
        let total = out.len();
        if let Some(wide) = &self.lanes16 {
            (chunks, out) = wide.chunks(chunks, out);
            if out.len() > 8 {
                chunks_pass::<16, Lanes<16>>(wide.messages, chunks, out);
                return total;
            }
        }
        if let Some(wide) = &self.lanes8 {
            (chunks, out) = wide.chunks(chunks, out);
            if out.len() > 4 {
                chunks_pass::<8, Lanes<8>>(wide.messages, chunks, out);
                return total;
            }
        }
        if let Some(wide) = &self.lanes4 {
            (chunks, out) = wide.chunks(chunks, out);
            if out.len() > 2 {
                chunks_pass::<4, Lanes<4>>(wide.messages, chunks, out);
                return total;
            }
        }
        match (out.len(), &self.rows4) {
            (0 | 1, _) => return total - out.len(),
            (3.., Some(rows4)) => rows4.chunks(chunks, out),
            _ => self.rows2.chunks(chunks, out),
        }
        total
    }

    /// Compresses pairs into parents, in place, but for a last one that is left alone; gives how many
    /// that were.
    pub(super) fn hash_parents(&self, children: &mut [Words], key: &Words, flags: u32) -> usize {
        let pairs = children.len() / 2;
        let mut done = 0;
        if let Some(wide) = &self.lanes16 {
            done += wide.parents(children, done, 8, key, flags);
        }
        if let Some(wide) = &self.lanes8 {
            done += wide.parents(children, done, 4, key, flags);
        }
        if let Some(wide) = &self.lanes4 {
            done += wide.parents(children, done, 2, key, flags);
        }
        match (pairs - done, &self.rows4) {
            (0 | 1, _) => return done,
            (3.., Some(rows4)) => rows4.parents(children, done, key, flags),
            _ => self.rows2.parents(children, done, key, flags),
        }
        pairs
    }

    /// Fills blocks of output, but for a last one that is left alone; gives how many that were.
    pub(super) fn output_blocks(
        &self,
        root: &Root<'_>,
        counter: u64,
        out: &mut [[u8; BLOCK_LEN]],
    ) -> usize {
        let mut done = 0;
        let at = |done: usize| counter.wrapping_add(done as u64);
        if let Some(wide) = &self.lanes16 {
            done += wide.output(root, at(done), 8, &mut out[done..]);
        }
        if let Some(wide) = &self.lanes8 {
            done += wide.output(root, at(done), 1, &mut out[done..]);
        }
        if let Some(wide) = &self.lanes4 {
            done += wide.output(root, at(done), 1, &mut out[done..]);
        }
        done
    }
}
