//! Lanes: one register holds word i of as many messages as it has lanes. For bulk work, bound by throughput.

use super::{Builder, Word, loop_end};
use crate::ir::{Block, Condition, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Constants, Encoding, Isa};
use crate::kernel::Kernel;
use crate::prove::contract::Contract;
use crate::schedule;
use crate::spec::{self, Algebra, BLOCK_LEN, BLOCK_WORDS, CHUNK_BLOCKS, Place};

/// Where the parts of a stack frame begin, in bytes from the stack pointer.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Bytes of a row: one word of every lane.
    pub row: i32,
    /// Two buffers of sixteen rows each: the message words of this block and of the next. Empty where they are in registers.
    pub messages: [i32; 2],
    /// The low and high words of the counters.
    pub counters: [i32; 2],
    /// The counter of lane 0, 64 bits.
    pub counter: i32,
    /// One past the end.
    pub end: i32,
}

impl Frame {
    /// The frame of kernels of that width that copy blocks in that way.
    pub const fn new(width: Width, copies: Copies) -> Self {
        let row = width.bytes();
        let rows = if copies.ahead() { BLOCK_WORDS } else { 0 };
        let buffer = rows as i32 * row;
        Self {
            row,
            messages: [0, buffer],
            counters: [2 * buffer, 2 * buffer + row],
            counter: 2 * buffer + 2 * row,
            end: 2 * buffer + 3 * row,
        }
    }
}

/// Where the fields of the argument structure of [`messages`] begin, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// Chaining values, in and out: eight words for each lane.
    pub cvs: i32,
    /// Pointers to the blocks of each lane.
    pub pointers: i32,
    /// The low and high words of the counters.
    pub counters: [i32; 2],
    /// The block lengths.
    pub block_len: i32,
    /// The flags of the first, of the middle and of the last blocks.
    pub flags: i32,
    /// Bytes in all.
    pub end: i32,
}

impl Fields {
    /// The fields for that many lanes.
    pub const fn new(lanes: usize) -> Self {
        let lanes = lanes as i32;
        Self {
            cvs: 0,
            pointers: 32 * lanes,
            counters: [40 * lanes, 44 * lanes],
            block_len: 48 * lanes,
            flags: 52 * lanes,
            end: 64 * lanes,
        }
    }
}

/// The physical register that holds a word of the chaining value between blocks, and the lane there.
pub const fn chaining_value(
    encoding: Encoding,
    width: Width,
    word: usize,
    lane: usize,
) -> (Reg, usize) {
    let parts = encoding.parts(width);
    let lanes = width.lanes() / parts;
    (Reg((word * parts + lane / lanes) as u32), lane % lanes)
}

/// The physical registers of a chaining value: all parts of word 0, then of word 1, ...
fn pinned(b: &mut Builder<'_>, cv: [Reg; 8]) -> Vec<(Reg, Reg)> {
    cv.into_iter()
        .flat_map(|word| b.parts(word))
        .zip((0..).map(Reg))
        .collect()
}

fn registers(b: &mut Builder<'_>, words: [Word; 8]) -> [Reg; 8] {
    words.map(|word| b.in_register(word))
}

/// The state before the rounds.
fn state(
    b: &Builder<'_>,
    cv: [Word; 8],
    counters: [Mem; 2],
    block_len: Mem,
    flags: Word,
) -> [Word; 16] {
    let iv = std::array::from_fn(|i| Word::Mem(b.constants.iv(i)));
    spec::initial_state(
        &cv,
        &iv,
        [&Word::Mem(counters[0]), &Word::Mem(counters[1])],
        &Word::Mem(block_len),
        &flags,
    )
}

/// Stores word-sliced registers as adjacent words for each lane, `words.len()` of them, a multiple of four.
fn store_transposed(b: &mut Builder<'_>, words: &[Reg], to: impl Fn(usize) -> Mem) {
    // Part p of row r of a quarter holds four words of lane 4 * p + r.
    let quarters: Vec<[Reg; 4]> = words
        .chunks_exact(4)
        .map(|four| b.transpose([four[0], four[1], four[2], four[3]]))
        .collect();
    if b.width != Width::Z {
        for (i, rows) in quarters.into_iter().enumerate() {
            for (row, src) in rows.into_iter().enumerate() {
                for part in 0..b.width.parts() {
                    let mem = to(4 * part + row).plus(16 * i as i32);
                    let part = (b.width != Width::X).then_some(part as u8);
                    b.push(Inst::Store {
                        width: b.width,
                        src,
                        part,
                        mem,
                    });
                }
            }
        }
        return;
    }
    // To store a part of 512 bits takes the shuffle unit; four at a time, the parts are put together first.
    let adjacent = quarters.len();
    let flat: Vec<Reg> = (0..4)
        .flat_map(|row| quarters.iter().map(move |rows| rows[row]))
        .collect();
    for (i, four) in flat.chunks_exact(4).enumerate() {
        let row = i * 4 / adjacent;
        for (part, src) in b
            .transpose_parts([four[0], four[1], four[2], four[3]])
            .into_iter()
            .enumerate()
        {
            b.store(src, to(4 * part + row));
        }
    }
}

/// Loads four adjacent words of each lane: part p of row r holds those of lane 4 * p + r. `from` writes what it needs to
/// name the place of a lane.
fn load_rows(b: &mut Builder<'_>, from: impl Fn(&mut Builder<'_>, usize) -> Mem) -> [Reg; 4] {
    std::array::from_fn(|row| {
        let first = from(b, row);
        let whole = b.load_parts(&[first]);
        (1..b.width.parts()).fold(whole, |whole, part| {
            let mem = from(b, 4 * part + row);
            b.vector(Op::Insert(part as u8), Some(whole), Some(Src::Mem(mem)))
        })
    })
}

/// Loads four adjacent words of each lane, word-sliced.
fn load_transposed(b: &mut Builder<'_>, from: impl Fn(&mut Builder<'_>, usize) -> Mem) -> [Reg; 4] {
    let rows = load_rows(b, from);
    b.transpose(rows)
}

/// The choices that change the speed of a kernel and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Steps between one G and the next in the schedule of the rounds.
    pub stagger: usize,
    /// How a block of every lane is transposed, off the vector units.
    pub copies: Copies,
    /// Are the copies made in the order of the words, not of the lanes?
    pub by_word: bool,
    /// How many groups ahead the cache is asked for chunks; 0 for not at all.
    pub prefetch: i32,
    /// Where operands cannot be memory: are words that were loaded kept in registers while there are any?
    pub keep: bool,
    /// Steps between one register of a wide vector and the next in the schedule of the rounds.
    pub apart: usize,
    /// The distances of rotates by bytes whose mask is read once for the four Gs of a half round, into a register.
    pub held: &'static [u32],
    /// The distances by which an exclusive or is rotated in one operation, for each of the four Gs of a half round: where
    /// few units can do that, others do the rest.
    pub fused: [&'static [u32]; 4],
}

/// How a block of every lane is transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Word by word, into rows that the rounds use from memory.
    Words,
    /// Two words at a time, into rows of pairs, which take a shuffle for each word.
    Pairs,
    /// By the vector units after all, into rows: the fewest instructions where registers abound.
    Vectors,
    /// The same, four words at a time, so that the rounds miss the registers in four places only: few instructions where
    /// registers are few.
    Quarters,
    /// The same, after the rounds, when registers are free.
    Afterwards,
    /// Not at all: each block is transposed in registers just before its rounds. For compilers that give registers out, since
    /// they would keep in two places what is stored.
    InRegisters,
}

impl Copies {
    /// Is a row a word of every lane?
    const fn by_rows(self) -> bool {
        !matches!(self, Self::Pairs)
    }

    /// Do the vector units transpose?
    pub const fn by_vectors(self) -> bool {
        !matches!(self, Self::Words | Self::Pairs)
    }

    /// Is a block copied while the one before it is compressed?
    pub const fn ahead(self) -> bool {
        !matches!(self, Self::InRegisters)
    }
}

impl Tuning {
    /// Where a word of a lane is copied to, from the start of a message buffer.
    pub fn place(self, lane: usize, word: usize, row: i32) -> i32 {
        let (lane, word) = (lane as i32, word as i32);
        if self.copies.by_rows() {
            return word * row + 4 * lane;
        }
        // The first row of a pair holds lanes 0, 1, 4, 5, ..., the second lanes 2, 3, 6, 7, ...: what `ShuffleTwo` takes
        // from two rows is then in order.
        (word / 2 * 2 + lane / 2 % 2) * row + 8 * (lane / 4 * 2 + lane % 2) + 4 * (word % 2)
    }

    /// Words that are copied at a time.
    const fn step(self) -> usize {
        if self.copies.by_rows() { 1 } else { 2 }
    }

    /// The groups in which what the vector units do is spread over other code.
    fn groups(self, code: Vec<Inst>) -> Vec<Vec<Inst>> {
        let size = match self.copies {
            Copies::Quarters => code.len().div_ceil(4),
            _ => 1,
        };
        code.chunks(size).map(<[Inst]>::to_vec).collect()
    }

    /// The copy of one or two words: a load and a store.
    fn copy(
        self,
        lane: usize,
        word: usize,
        from: Mem,
        via: Gpr,
        to: Mem,
        width: Width,
    ) -> [Inst; 2] {
        let bits = 32 * self.step() as u8;
        let mem = to.plus(self.place(lane, word, width.bytes()));
        [
            Inst::Load {
                bits,
                dst: via,
                mem: from.plus(4 * word as i32),
            },
            Inst::StoreGpr {
                bits,
                src: via,
                mem,
            },
        ]
    }

    /// What fills a message buffer with a block of every lane, in groups to spread over other code.
    fn copies(self, b: &mut Builder<'_>, from: impl Fn(usize) -> Mem, to: Mem) -> Vec<Vec<Inst>> {
        if !self.copies.ahead() {
            // One group, for what else there is to be done meanwhile.
            return vec![Vec::new()];
        }
        if self.copies.by_vectors() {
            self.prime(b, |_, lane| from(lane), to);
            return self.groups(b.take_code());
        }
        let words = (0..BLOCK_WORDS).step_by(self.step());
        let lanes = 0..b.width.lanes();
        let places: Vec<(usize, usize)> = if self.by_word {
            words
                .flat_map(|word| lanes.clone().map(move |lane| (lane, word)))
                .collect()
        } else {
            lanes
                .flat_map(|lane| words.clone().map(move |word| (lane, word)))
                .collect()
        };
        let to = to.anywhere();
        let copy = |(lane, word)| {
            self.copy(lane, word, from(lane), Gpr::T0, to, b.width)
                .to_vec()
        };
        places.into_iter().map(copy).collect()
    }

    /// Fills a message buffer with the first block of every lane, by the vector units: nothing is there
    /// to overlap copies with, and rows that were stored whole can be loaded at once. `from` writes what
    /// it needs to name the place of a lane.
    fn prime(self, b: &mut Builder<'_>, from: impl Fn(&mut Builder<'_>, usize) -> Mem, to: Mem) {
        if !self.copies.ahead() {
            return;
        }
        let row = b.width.bytes();
        for four in 0..4 {
            let place = |b: &mut Builder<'_>, lane| from(b, lane).plus(16 * four);
            let rows = if self.copies.by_rows() {
                load_transposed(b, place)
            } else {
                let rows = load_rows(b, place);
                [
                    b.two(Op::UnpackLowQuad, rows[0], rows[1]),
                    b.two(Op::UnpackLowQuad, rows[2], rows[3]),
                    b.two(Op::UnpackHighQuad, rows[0], rows[1]),
                    b.two(Op::UnpackHighQuad, rows[2], rows[3]),
                ]
            };
            for (i, reg) in rows.into_iter().enumerate() {
                b.store(reg, to.plus((4 * four + i as i32) * row));
            }
        }
    }

    /// The message words of the block in the buffer at `at`, or, where it was not copied, of the block of every lane.
    fn message(
        self,
        b: &mut Builder<'_>,
        at: Gpr,
        from: impl Fn(&mut Builder<'_>, usize) -> Mem,
    ) -> [Word; BLOCK_WORDS] {
        if !self.copies.ahead() {
            let words = (0..4).flat_map(|four| {
                b.at(Place {
                    half: four / 2,
                    step: 0,
                    g: four % 2 * 2,
                    part: 0,
                });
                load_transposed(b, |b, lane| from(b, lane).plus(16 * four as i32)).map(Word::Reg)
            });
            let words: Vec<Word> = words.collect();
            return words.try_into().expect("four times four words");
        }
        let row = b.width.bytes();
        if self.copies.by_rows() {
            return std::array::from_fn(|word| Word::Mem(Mem::aligned(at, word as i32 * row)));
        }
        let mut words = Vec::new();
        for pair in 0..BLOCK_WORDS / 2 {
            b.at(Place {
                half: pair / 4,
                step: 0,
                g: pair % 4,
                part: 0,
            });
            let [first, second] = [0, 1].map(|i| Mem::aligned(at, (2 * pair as i32 + i) * row));
            let first = b.load(first);
            for immediate in [EVEN, ODD] {
                let op = Op::ShuffleTwo(immediate);
                words.push(Word::Reg(b.vector(op, Some(first), Some(Src::Mem(second)))));
            }
        }
        words.try_into().expect("a word for each")
    }
}

/// The immediates of `ShuffleTwo` that take the even and the odd lanes.
const EVEN: u8 = 0b10_00_10_00;
const ODD: u8 = 0b11_01_11_01;

/// The addresses of the message buffers.
fn buffers(frame: Frame, this: Gpr, next: Gpr) -> [Inst; 2] {
    let address = |dst: Gpr, buffer: i32| Inst::Address {
        dst,
        mem: Mem::unaligned(Gpr::Sp, buffer),
    };
    [
        address(this, frame.messages[0]),
        address(next, frame.messages[1]),
    ]
}

/// Sets the counters of all lanes: consecutive from the 64-bit number in the frame.
fn set_counters(b: &mut Builder<'_>, frame: Frame) {
    let base = b.broadcast_quad(Mem::aligned(Gpr::Sp, frame.counter));
    let [low, high] = [0, 1].map(|half| {
        b.vector(
            Op::AddQuad,
            Some(base),
            Some(Src::Mem(b.constants.count(half))),
        )
    });
    for (row, immediate) in frame.counters.into_iter().zip([EVEN, ODD]) {
        let halves = b.two(Op::ShuffleTwo(immediate), low, high);
        b.store(halves, Mem::aligned(Gpr::Sp, row));
    }
}

/// Adds the number of lanes to the 64-bit counter in the frame.
fn advance_counter(b: &mut Builder<'_>, frame: Frame) {
    let (mem, lanes) = (
        Mem::unaligned(Gpr::Sp, frame.counter),
        b.width.lanes() as i32,
    );
    b.push(Inst::Load {
        bits: 64,
        dst: Gpr::T0,
        mem,
    });
    b.push(Inst::AddGpr {
        dst: Gpr::T0,
        value: lanes,
    });
    b.push(Inst::StoreGpr {
        bits: 64,
        src: Gpr::T0,
        mem,
    });
}

fn key_words(b: &mut Builder<'_>, key: Gpr) -> [Reg; 8] {
    std::array::from_fn(|i| b.broadcast(Mem::unaligned(key, 4 * i as i32)))
}

/// The rounds, with the copies of the next block spread over them, and the new chaining value.
fn compress(
    b: &mut Builder<'_>,
    mut state: [Word; 16],
    message: impl FnOnce(&mut Builder<'_>) -> [Word; BLOCK_WORDS],
    copies: Vec<Vec<Inst>>,
    tuning: Tuning,
) -> ([Reg; 8], Vec<Inst>) {
    let mut code = b.take_code();
    let block = message(b);
    spec::rounds(b, &mut state, &block);
    let cv = spec::chaining_value(b, &state);
    let cv = registers(b, cv);
    let rounds = schedule::interleave(b.take(), tuning.stagger, tuning.apart);
    if matches!(tuning.copies, Copies::Afterwards | Copies::InRegisters) {
        code.extend(rounds);
        code.extend(copies.into_iter().flatten());
    } else {
        code.extend(schedule::spread(rounds, copies));
    }
    (cv, code)
}

/// Groups of adjacent whole chunks, one chunk a lane.
pub fn chunks(isa: &'static Isa, constants: &Constants, width: Width, tuning: Tuning) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4, A5, S0, S1, Sp, T0, T1, T2};
    let lanes = width.lanes();
    let frame = Frame::new(width, tuning.copies);
    let chunk = (CHUNK_BLOCKS * BLOCK_LEN) as i32;
    let mut b = Builder::new(isa, constants, width).tuned(tuning);
    let source = |lane: usize| Mem::unaligned(A0, chunk * lane as i32);
    let ahead = tuning.copies.ahead();
    let to_next_group = (lanes as i32 - 1) * chunk;

    // The first block of the first group; from then on, each block is copied while the one before is compressed.
    tuning.prime(
        &mut b,
        |_, lane| source(lane),
        Mem::aligned(Sp, frame.messages[0]),
    );
    let mut enter = b.take_code();
    if ahead {
        enter.push(Inst::AddGpr {
            dst: A0,
            value: BLOCK_LEN as i32,
        });
        enter.extend(buffers(frame, T1, T2));
    }
    enter.push(Inst::StoreGpr {
        bits: 64,
        src: A3,
        mem: Mem::unaligned(Sp, frame.counter),
    });
    let enter = Block {
        code: enter,
        ..Block::default()
    };

    b.push(Inst::Note(
        "a group: the key is the chaining value, the counters follow each other".into(),
    ));
    set_counters(&mut b, frame);
    advance_counter(&mut b, frame);
    let cv = key_words(&mut b, A2);
    b.push(Inst::SetGpr {
        dst: A3,
        value: CHUNK_BLOCKS as i32,
    });
    b.push(Inst::MoveGpr { dst: S0, src: A4 });
    let group = Block {
        code: b.take_code(),
        outputs: pinned(&mut b, cv),
        ..Block::default()
    };

    let cv: [Reg; 8] = std::array::from_fn(|_| b.fresh());
    let inputs = pinned(&mut b, cv);
    let mut next = tuning.copies(&mut b, source, Mem::aligned(T2, 0));
    if tuning.prefetch > 0 {
        let (groups, ahead) = (next.len(), tuning.prefetch * lanes as i32 * chunk);
        for lane in 0..lanes {
            let mem = source(lane).plus(ahead);
            next[lane * groups / lanes].push(Inst::Prefetch { mem });
        }
    }
    let flags = Word::Reg(b.broadcast(Mem::unaligned(S0, 0)));
    let counters = frame.counters.map(|row| Mem::aligned(Sp, row));
    let state = state(
        &b,
        cv.map(Word::Reg),
        counters,
        constants.block_len(),
        flags,
    );
    let (cv, mut code) = compress(
        &mut b,
        state,
        |b| tuning.message(b, T1, |_, lane| source(lane)),
        next,
        tuning,
    );
    // What is copied while the last block of a group is compressed is the next group's first, or, where there is none,
    // the last block again: nothing past the input is read.
    if ahead {
        code.push(Inst::Exchange { a: T1, b: T2 });
    }
    code.push(Inst::AddGpr {
        dst: A0,
        value: BLOCK_LEN as i32,
    });
    if ahead {
        code.extend([
            Inst::Address {
                dst: T0,
                mem: Mem::unaligned(A0, to_next_group),
            },
            Inst::Address {
                dst: S1,
                mem: Mem::unaligned(A0, -(BLOCK_LEN as i32)),
            },
            Inst::Compare { a: A1, value: 1 },
            Inst::MoveIf {
                condition: Condition::Equal,
                dst: T0,
                src: S1,
            },
        ]);
    }
    code.extend([
        Inst::AddGpr { dst: A3, value: -1 },
        Inst::Compare { a: A3, value: 1 },
    ]);
    if ahead {
        code.push(Inst::MoveIf {
            condition: Condition::Equal,
            dst: A0,
            src: T0,
        });
    }
    code.extend([
        Inst::Address {
            dst: S0,
            mem: Mem::unaligned(A4, 4),
        },
        Inst::Address {
            dst: S1,
            mem: Mem::unaligned(A4, 8),
        },
        Inst::MoveIf {
            condition: Condition::Equal,
            dst: S0,
            src: S1,
        },
        Inst::Compare { a: A3, value: 0 },
        Inst::JumpIf {
            condition: Condition::NotEqual,
            block: 2,
        },
    ]);
    let block = Block {
        inputs,
        outputs: pinned(&mut b, cv),
        code,
    };

    let cv: [Reg; 8] = std::array::from_fn(|_| b.fresh());
    store_transposed(&mut b, &cv, |lane| Mem::unaligned(A5, 32 * lane as i32));
    if !ahead {
        b.push(Inst::AddGpr {
            dst: A0,
            value: to_next_group,
        });
    }
    b.push(Inst::AddGpr {
        dst: A5,
        value: 32 * lanes as i32,
    });
    b.push(Inst::AddGpr { dst: A1, value: -1 });
    b.push(Inst::Compare { a: A1, value: 0 });
    b.push(Inst::JumpIf {
        condition: Condition::NotEqual,
        block: 1,
    });
    let leave = Block {
        inputs: pinned(&mut b, cv),
        code: b.take_code(),
        ..Block::default()
    };

    Kernel {
        name: format!("chunks{lanes}"),
        about: vec![
            format!(
                "Hashes `groups` (at least one) groups of {lanes} adjacent whole chunks, one chunk a lane."
            ),
            format!(
                "`input`: {} bytes for each group. `key`: 8 words. `counter`: of the first chunk.",
                lanes as i32 * chunk
            ),
            "`flags`: 3 words, for the first, the middle and the last block of a chunk.".into(),
            format!(
                "`out`: {} bytes for each group, the chaining values.",
                32 * lanes
            ),
        ],
        parameters: vec![
            ("input", "*const u8"),
            ("groups", "usize"),
            ("key", "*const u32"),
            ("counter", "u64"),
            ("flags", "*const u32"),
            ("out", "*mut u32"),
        ],
        isa,
        width,
        blocks: vec![enter, group, block, leave, Block::default()],
        saved: vec![S0, S1],
        frame: frame.end,
        contract: Contract::Chunks { width, tuning },
        body: 2,
        spills: 0,
    }
}

/// Groups of adjacent pairs of chaining values, one parent a lane.
pub fn parents(isa: &'static Isa, constants: &Constants, width: Width, tuning: Tuning) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4, S1, Sp, T1, T2};
    let lanes = width.lanes();
    let frame = Frame::new(width, tuning.copies);
    let mut b = Builder::new(isa, constants, width).tuned(tuning);
    let source = |lane: usize| Mem::unaligned(A0, (BLOCK_LEN * lane) as i32);
    let group_bytes = (BLOCK_LEN * lanes) as i32;
    let ahead = tuning.copies.ahead();
    // Nothing past the children is copied.
    let advance = if ahead {
        vec![
            Inst::Address {
                dst: S1,
                mem: Mem::unaligned(A0, group_bytes),
            },
            Inst::Compare { a: A1, value: 1 },
            Inst::MoveIf {
                condition: Condition::NotEqual,
                dst: A0,
                src: S1,
            },
        ]
    } else {
        vec![Inst::AddGpr {
            dst: A0,
            value: group_bytes,
        }]
    };

    tuning.prime(
        &mut b,
        |_, lane| source(lane),
        Mem::aligned(Sp, frame.messages[0]),
    );
    let mut enter = b.take_code();
    if ahead {
        enter.extend(buffers(frame, T1, T2));
    }
    enter.push(Inst::StoreGpr {
        bits: 64,
        src: A3,
        mem: Mem::unaligned(Sp, frame.counter),
    });
    if ahead {
        enter.extend(advance.clone());
    }
    let enter = Block {
        code: enter,
        ..Block::default()
    };

    let next = tuning.copies(&mut b, source, Mem::aligned(T2, 0));
    let cv = key_words(&mut b, A2).map(Word::Reg);
    // Block length and flags stand side by side where other kernels keep the counter.
    let [block_len, flags] =
        [0, 4].map(|half| b.broadcast(Mem::unaligned(Sp, frame.counter + half)));
    let zero = Word::Mem(constants.zero());
    let iv = std::array::from_fn(|i| Word::Mem(constants.iv(i)));
    let (block_len, flags) = (Word::Reg(block_len), Word::Reg(flags));
    let state = spec::initial_state(&cv, &iv, [&zero, &zero], &block_len, &flags);
    let (cv, mut code) = compress(
        &mut b,
        state,
        |b| tuning.message(b, T1, |_, lane| source(lane)),
        next,
        tuning,
    );
    store_transposed(&mut b, &cv, |lane| Mem::unaligned(A4, 32 * lane as i32));
    code.extend(b.take_code());
    if ahead {
        code.push(Inst::Exchange { a: T1, b: T2 });
    }
    code.extend([
        Inst::AddGpr {
            dst: A4,
            value: 32 * lanes as i32,
        },
        Inst::AddGpr { dst: A1, value: -1 },
    ]);
    code.extend(advance);
    code.extend([
        Inst::Compare { a: A1, value: 0 },
        Inst::JumpIf {
            condition: Condition::NotEqual,
            block: 1,
        },
    ]);
    let group = Block {
        code,
        ..Block::default()
    };

    Kernel {
        name: format!("parents{lanes}"),
        about: vec![
            format!(
                "Compresses `groups` (at least one) groups of {lanes} adjacent pairs of chaining values, one pair a lane."
            ),
            format!(
                "`children`: {} bytes for each group. `key`: 8 words. `out`: {} bytes for each group; it may be",
                64 * lanes,
                32 * lanes
            ),
            "`children`: a group is read before it, or any group before it, is written. `tail`: block length, and flags in".into(),
            "the high half.".into(),
        ],
        parameters: vec![
            ("children", "*const u32"),
            ("groups", "usize"),
            ("key", "*const u32"),
            ("tail", "u64"),
            ("out", "*mut u32"),
        ],
        isa,
        width,
        blocks: vec![enter, group, Block::default()],
        saved: vec![S1],
        frame: frame.end,
        contract: Contract::Parents { width, tuning },
        body: 1,
        spills: 0,
    }
}

/// Blocks of independent messages, one message a lane.
pub fn messages(isa: &'static Isa, constants: &Constants, width: Width, tuning: Tuning) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4, A5, S0, Sp, T0, T1, T2};
    let lanes = width.lanes();
    let fields = Fields::new(lanes);
    let frame = Frame::new(width, tuning.copies);
    let mut b = Builder::new(isa, constants, width).tuned(tuning);
    let field = |offset: i32| Mem::aligned(A0, offset);
    let cv_of = |lane: usize, half: i32| field(fields.cvs + 32 * lane as i32 + 16 * half);
    let pointer = |lane: usize| field(fields.pointers + 8 * lane as i32).anywhere();
    let load = |lane: usize| Inst::Load {
        bits: 64,
        dst: T0,
        mem: pointer(lane),
    };
    // A pointer goes on to the next block unless the block that it is at is the last.
    let advance = |lane: usize| {
        [
            Inst::AddGprs { dst: T0, src: A2 },
            Inst::StoreGpr {
                bits: 64,
                src: T0,
                mem: pointer(lane),
            },
        ]
    };
    let step = |left: &[i32]| {
        let mut code = vec![
            Inst::SetGpr {
                dst: A2,
                value: BLOCK_LEN as i32,
            },
            Inst::SetGpr { dst: A3, value: 0 },
        ];
        for value in left {
            code.push(Inst::Compare {
                a: A1,
                value: *value,
            });
            code.push(Inst::MoveIf {
                condition: Condition::Equal,
                dst: A2,
                src: A3,
            });
        }
        code
    };

    let ahead = tuning.copies.ahead();
    let pointers: Vec<Vec<Inst>> = (0..lanes)
        .map(|lane| [&[load(lane)][..], &advance(lane)].concat())
        .collect();
    let cv: Vec<Reg> = [0, 1]
        .into_iter()
        .flat_map(|half| load_transposed(&mut b, |_, lane| cv_of(lane, half)))
        .collect();
    let cv: [Reg; 8] = cv.try_into().expect("two times four words");
    let from = |b: &mut Builder<'_>, lane: usize| {
        b.push(load(lane));
        Mem::unaligned(T0, 0)
    };
    tuning.prime(&mut b, from, Mem::aligned(Sp, frame.messages[0]));
    let mut code = b.take_code();
    if ahead {
        code.extend(step(&[1]));
        code.extend(pointers.concat());
    }
    for (dst, row) in [(A4, 0), (A5, 1), (T1, 2)] {
        let mem = field(fields.flags + row * width.bytes());
        code.push(Inst::Address { dst, mem });
    }
    if ahead {
        code.extend(buffers(frame, T2, S0));
    }
    code.extend([
        Inst::Compare { a: A1, value: 1 },
        Inst::MoveIf {
            condition: Condition::Equal,
            dst: A4,
            src: T1,
        },
    ]);
    let enter = Block {
        outputs: pinned(&mut b, cv),
        code,
        ..Block::default()
    };

    // Lane by lane, since a lane's pointer is loaded before its words.
    let mut copies = Vec::new();
    if !ahead {
        copies = pointers;
    } else if tuning.copies.by_vectors() {
        tuning.prime(&mut b, from, Mem::aligned(S0, 0));
        copies.extend(tuning.groups(b.take_code()));
        match (tuning.copies, copies.last_mut()) {
            // Four groups and no more, so that they are spread evenly.
            (Copies::Quarters, Some(last)) => last.extend(pointers.concat()),
            _ => copies.extend(pointers),
        }
    } else {
        for lane in 0..lanes {
            for word in (0..BLOCK_WORDS).step_by(tuning.step()) {
                let (from, to) = (Mem::unaligned(T0, 0), Mem::unaligned(S0, 0));
                let mut group = if word == 0 {
                    vec![load(lane)]
                } else {
                    Vec::new()
                };
                group.extend(tuning.copy(lane, word, from, A3, to, width));
                if word + tuning.step() == BLOCK_WORDS {
                    group.extend(advance(lane));
                }
                copies.push(group);
            }
        }
    }
    let cv: [Reg; 8] = std::array::from_fn(|_| b.fresh());
    let inputs = pinned(&mut b, cv);
    let flags = Word::Mem(Mem::aligned(A4, 0));
    let counters = fields.counters.map(field);
    let state = state(
        &b,
        cv.map(Word::Reg),
        counters,
        field(fields.block_len),
        flags,
    );
    // Where blocks are copied ahead, the last but one is the last to go on from.
    let mut code = step(if ahead { &[1, 2] } else { &[1] });
    let message = |b: &mut Builder<'_>| tuning.message(b, T2, from);
    let (cv, body) = compress(&mut b, state, message, copies, tuning);
    code.extend(body);
    if ahead {
        code.push(Inst::Exchange { a: T2, b: S0 });
    }
    code.push(Inst::MoveGpr { dst: A4, src: A5 });
    code.extend(loop_end(A1, (A4, T1), 1));
    let block = Block {
        inputs,
        outputs: pinned(&mut b, cv),
        code,
    };

    let cv: [Reg; 8] = std::array::from_fn(|_| b.fresh());
    store_transposed(&mut b, &cv, |lane| cv_of(lane, 0));
    let leave = Block {
        inputs: pinned(&mut b, cv),
        code: b.take_code(),
        ..Block::default()
    };

    let argument = match lanes {
        4 => "*mut Lanes<4>",
        8 => "*mut Lanes<8>",
        _ => "*mut Lanes<16>",
    };
    Kernel {
        name: format!("messages{lanes}"),
        about: vec![
            format!("Compresses `blocks` (at least one) whole blocks of each of {lanes} messages, one message a lane."),
            "`lanes`: chaining values and pointers, in and out (the pointers go on to the last block); counters,".into(),
            "block lengths and flags.".into(),
        ],
        parameters: vec![("lanes", argument), ("blocks", "usize")],
        isa,
        width,
        blocks: vec![enter, block, leave],
        saved: vec![S0],
        frame: if ahead { frame.end } else { 0 },
        contract: Contract::Messages { width, tuning },
        body: 1,
        spills: 0,
    }
}

/// Where the parts of the stack frame of [`output`] begin.
#[derive(Clone, Copy, Debug)]
pub struct OutputFrame {
    /// Rows of the message words and of the chaining value's words, where registers are too few to load
    /// them into.
    pub splats: Option<[i32; 2]>,
    /// Block length and flags, side by side.
    pub tail: i32,
    /// Counters, as in the other kernels.
    pub counters: Frame,
    /// One past the end.
    pub end: i32,
}

impl OutputFrame {
    /// The frame of the kernel of that width, with instructions of that encoding.
    pub const fn new(width: Width, encoding: Encoding) -> Self {
        let row = width.bytes();
        let (splats, rows) = if matches!(encoding, Encoding::Evex) {
            (None, 0)
        } else {
            (Some([0, 16 * row]), 24 * row)
        };
        let counters = Frame {
            row,
            messages: [0, 0],
            counters: [rows, rows + row],
            counter: rows + 2 * row,
            end: rows + 3 * row,
        };
        Self {
            splats,
            tail: counters.counter + 8,
            counters,
            end: counters.end,
        }
    }
}

/// Groups of extended output blocks of one root, one block a lane.
pub fn output(isa: &'static Isa, constants: &Constants, width: Width, tuning: Tuning) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4, A5, Sp};
    let lanes = width.lanes();
    let frame = OutputFrame::new(width, isa.encoding);
    let row = width.bytes();
    let mut b = Builder::new(isa, constants, width).tuned(tuning);
    let local = |offset: i32| Mem::aligned(Sp, offset);

    for (src, to) in [(A2, frame.counters.counter), (A3, frame.tail)] {
        b.push(Inst::StoreGpr {
            bits: 64,
            src,
            mem: Mem::unaligned(Sp, to),
        });
    }
    let sources = [(A1, BLOCK_WORDS as i32), (A0, 8)];
    if let Some(splats) = frame.splats {
        for ((from, words), to) in sources.into_iter().zip(splats) {
            for word in 0..words {
                let splat = b.broadcast(Mem::unaligned(from, 4 * word));
                b.store(splat, local(to + word * row));
            }
        }
    }
    let enter = Block {
        code: b.take_code(),
        ..Block::default()
    };

    set_counters(&mut b, frame.counters);
    advance_counter(&mut b, frame.counters);
    // A word of the block (0) or of the chaining value (1) in every lane.
    let splat = |b: &mut Builder<'_>, of: usize, word: usize| match frame.splats {
        Some(splats) => Word::Mem(local(splats[of] + word as i32 * row)),
        None => Word::Reg(b.broadcast(Mem::unaligned(sources[of].0, 4 * word as i32))),
    };
    let cv = std::array::from_fn(|word| splat(&mut b, 1, word));
    let counters = frame.counters.counters.map(|row| Word::Mem(local(row)));
    let [block_len, flags] =
        [0, 4].map(|half| Word::Reg(b.broadcast(Mem::unaligned(Sp, frame.tail + half))));
    let iv = std::array::from_fn(|i| Word::Mem(constants.iv(i)));
    let [low, high] = &counters;
    let mut state = spec::initial_state(&cv, &iv, [low, high], &block_len, &flags);
    let block = std::array::from_fn(|word| splat(&mut b, 0, word));
    let mut code = b.take_code();
    spec::rounds(&mut b, &mut state, &block);
    let head = spec::chaining_value(&mut b, &state);
    b.at(Place {
        half: 2 * spec::ROUNDS,
        ..Place::default()
    });
    let cv = std::array::from_fn(|word| splat(&mut b, 1, word));
    let tail = spec::output_tail(&mut b, &state, &cv);
    let words: Vec<Reg> = [head, tail]
        .concat()
        .into_iter()
        .map(|word| b.in_register(word))
        .collect();
    code.extend(schedule::interleave(b.take(), tuning.stagger, tuning.apart));
    store_transposed(&mut b, &words, |lane| {
        Mem::unaligned(A4, (BLOCK_LEN * lane) as i32)
    });
    code.extend(b.take_code());
    code.extend([
        Inst::AddGpr {
            dst: A4,
            value: (BLOCK_LEN * lanes) as i32,
        },
        Inst::AddGpr { dst: A5, value: -1 },
        Inst::Compare { a: A5, value: 0 },
        Inst::JumpIf {
            condition: Condition::NotEqual,
            block: 1,
        },
    ]);
    let group = Block {
        code,
        ..Block::default()
    };

    Kernel {
        name: format!("output{lanes}"),
        about: vec![
            format!(
                "Writes `groups` (at least one) groups of {lanes} extended output blocks of one root, one block a lane."
            ),
            "`cv`: 8 words. `block`: 64 bytes. `tail`: block length, and flags in the high half."
                .into(),
            format!("`out`: {} bytes for each group.", BLOCK_LEN * lanes),
        ],
        parameters: vec![
            ("cv", "*const u32"),
            ("block", "*const u8"),
            ("counter", "u64"),
            ("tail", "u64"),
            ("out", "*mut u8"),
            ("groups", "usize"),
        ],
        isa,
        width,
        blocks: vec![enter, group, Block::default()],
        saved: vec![],
        frame: frame.end,
        contract: Contract::Output { width },
        body: 1,
        spills: 0,
    }
}
