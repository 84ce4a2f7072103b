//! Rows: one 128-bit part holds a row of the state of one message, so that the four columns are one G over rows, and
//! the four diagonals too once the rows are turned against each other. For one to four messages, bound by latency.

use super::{Builder, Word, loop_end};
use crate::ir::{Block, Condition, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Constants, Isa};
use crate::kernel::Kernel;
use crate::prove::contract::Contract;
use crate::schedule;
use crate::spec::{self, Algebra, BLOCK_LEN, CHUNK_BLOCKS, G_STEPS, Place, QUARTERS, ROUNDS};

/// Where the fields of the argument structure of [`messages`] begin, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// Chaining values, in and out: the first four words of each message, then the last four of each.
    pub cvs: [i32; 2],
    /// Counter, block length and flags of each message: for first, middle and last blocks.
    pub tails: [i32; 3],
    /// Pointers to the blocks of each message.
    pub pointers: i32,
    /// Bytes in all.
    pub end: i32,
}

impl Fields {
    /// The fields for that many messages.
    pub const fn new(messages: usize) -> Self {
        let row = 16 * messages as i32;
        Self {
            cvs: [0, row],
            tails: [2 * row, 3 * row, 4 * row],
            pointers: 5 * row,
            end: 5 * row + 8 * messages as i32,
        }
    }
}

/// How far the lanes of each row turn before the diagonals: the lane of row 1 stays, the others come to it.
fn turns() -> [u8; 4] {
    // The first diagonal says in which columns its four words stand.
    let columns = QUARTERS[4].map(|word| word % 4);
    std::array::from_fn(|row| ((columns[row] + 4 - columns[1]) % 4) as u8)
}

/// The immediate of a lane shuffle that turns a row by so many lanes.
fn turn(by: u8) -> u8 {
    (0..4).fold(0, |immediate, lane| {
        immediate | ((lane + by) % 4) << (2 * lane)
    })
}

fn turned(b: &mut Builder<'_>, row: Word, by: u8) -> Word {
    if by.is_multiple_of(4) {
        return row;
    }
    let reg = b.in_register(row);
    Word::Reg(b.vector(Op::ShuffleLanes(turn(by % 4)), Some(reg), None))
}

/// The vector whose lanes are the wanted words of four vectors of four words each.
fn gather(b: &mut Builder<'_>, from: [Reg; 4], want: [usize; 4]) -> Reg {
    let immediate = |lanes: [usize; 4]| {
        lanes
            .iter()
            .rev()
            .fold(0, |all, lane| all << 2 | *lane as u8)
    };
    let [p, q, r, s] = want.map(|word| (word / 4, word % 4));
    let pair = |b: &mut Builder<'_>, x: (usize, usize), y: (usize, usize)| {
        b.vector(
            Op::ShuffleTwo(immediate([x.1, x.1, y.1, y.1])),
            Some(from[x.0]),
            Some(Src::Reg(from[y.0])),
        )
    };
    let two = |b: &mut Builder<'_>, lanes, x: Reg, y: Reg| {
        b.vector(Op::ShuffleTwo(immediate(lanes)), Some(x), Some(Src::Reg(y)))
    };
    if p.0 == q.0 && r.0 == s.0 {
        return two(b, [p.1, q.1, r.1, s.1], from[p.0], from[r.0]);
    }
    for (op, lanes) in [
        (Op::UnpackLow, [(0, 0), (1, 0), (0, 1), (1, 1)]),
        (Op::UnpackHigh, [(0, 2), (1, 2), (0, 3), (1, 3)]),
    ] {
        let (x, y) = (p.0, q.0);
        if [p, q, r, s] == lanes.map(|(which, lane)| (if which == 0 { x } else { y }, lane)) {
            return b.two(op, from[x], from[y]);
        }
    }
    // Two words of each of two vectors, in any order.
    let all = [p, q, r, s];
    let of_first: Vec<_> = all.iter().filter(|word| word.0 == p.0).collect();
    let others: Vec<_> = all.iter().filter(|word| word.0 != p.0).collect();
    if let ([a, c], [d, e]) = (&of_first[..], &others[..])
        && d.0 == e.0
    {
        let mixed = two(b, [a.1, c.1, d.1, e.1], from[a.0], from[d.0]);
        let mut seen = [0, 2];
        let lanes = all.map(|word| {
            let side = usize::from(word.0 != p.0);
            seen[side] += 1;
            seen[side] - 1
        });
        return b.vector(Op::ShuffleLanes(immediate(lanes)), Some(mixed), None);
    }
    // One half from one vector, the other half from two.
    if p.0 == q.0 {
        let high = pair(b, r, s);
        return two(b, [p.1, q.1, 0, 2], from[p.0], high);
    }
    if r.0 == s.0 {
        let low = pair(b, p, q);
        return two(b, [0, 2, r.1, s.1], low, from[r.0]);
    }
    let (low, high) = (pair(b, p, q), pair(b, r, s));
    two(b, [0, 2, 0, 2], low, high)
}

/// The rounds on the rows of one set of messages. `message` are the four rows of the block; places are marked with `set`.
fn rounds(b: &mut Builder<'_>, rows: &mut [Word; 4], message: [Reg; 4], set: usize) {
    let turns = turns();
    for (round, order) in spec::schedule().iter().enumerate() {
        for diagonals in [false, true] {
            let half = 2 * round + usize::from(diagonals);
            b.at(Place {
                half,
                step: 0,
                g: set,
                part: 0,
            });
            // The G whose words meet in a lane: on the diagonals the lane is that of row 1.
            let in_lane: [usize; 4] = std::array::from_fn(|lane| {
                let quarters = if diagonals { 4..8 } else { 0..4 };
                quarters
                    .clone()
                    .find(|i| QUARTERS[*i][1] % 4 == lane)
                    .expect("every lane has its G")
            });
            let x = gather(b, message, in_lane.map(|g| order[2 * g]));
            let y = gather(b, message, in_lane.map(|g| order[2 * g + 1]));
            if diagonals {
                for row in [0, 3, 2] {
                    rows[row] = turned(b, rows[row], turns[row]);
                }
            }
            let [row_a, row_b, row_c, row_d] = rows;
            spec::g(
                b,
                [row_a, row_b, row_c, row_d],
                &Word::Reg(x),
                &Word::Reg(y),
                half,
                set,
            );
            b.at(Place {
                half,
                step: G_STEPS,
                g: set,
                part: 0,
            });
            if diagonals {
                for row in [0, 3, 2] {
                    rows[row] = turned(b, rows[row], 4 - turns[row]);
                }
            }
        }
    }
    b.at(Place {
        half: 2 * ROUNDS,
        step: 0,
        g: set,
        part: 0,
    });
}

/// The feed-forward of the first half, as rows 0 and 1.
fn chaining_value(b: &mut Builder<'_>, rows: [Word; 4]) -> [Reg; 2] {
    [0, 1].map(|row| {
        let word = b.xor(&rows[row], &rows[row + 2]);
        b.in_register(word)
    })
}

const CV: [Reg; 2] = [Reg(0), Reg(1)];
/// The physical register that holds the counter of [`blocks`].
pub const COUNTER: Reg = Reg(2);

/// The physical registers that hold rows 0 and 1 of a set between blocks.
pub const fn chaining_value_of(set: u32) -> [Reg; 2] {
    [Reg(2 * set), Reg(2 * set + 1)]
}

/// Blocks of one message.
pub fn blocks(isa: &'static Isa, constants: &Constants) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4, A5, T0};
    let mut b = Builder::new(isa, constants, Width::X);
    let cv = [0, 16].map(|offset| b.load(Mem::unaligned(A0, offset)));
    let counter = b.vector(Op::LoadLowQuad, None, Some(Src::Gpr(A3)));
    // First and last never add the same flag to different blocks, so what they share is the middle.
    b.push(Inst::MoveGpr { dst: T0, src: A4 });
    b.push(Inst::AndGpr { dst: T0, src: A5 });
    b.push(Inst::Compare { a: A2, value: 1 });
    b.push(Inst::MoveIf {
        condition: Condition::Equal,
        dst: A4,
        src: A5,
    });
    let enter = Block {
        outputs: vec![(cv[0], CV[0]), (cv[1], CV[1]), (counter, COUNTER)],
        code: b.take_code(),
        ..Block::default()
    };

    let cv = [b.fresh(), b.fresh()];
    let counter = b.fresh();
    let inputs = vec![(cv[0], CV[0]), (cv[1], CV[1]), (counter, COUNTER)];
    let lengths = b.vector(Op::LoadLowQuad, None, Some(Src::Gpr(A4)));
    let tail = b.two(Op::UnpackLowQuad, counter, lengths);
    let message = [0, 16, 32, 48].map(|offset| b.load_halves(Mem::unaligned(A1, offset)));
    let mut code = b.take_code();
    let cv = compress_rows(&mut b, cv, tail, message, 0);
    code.extend(schedule::interleave(b.take(), 0, 0));
    code.extend([
        Inst::AddGpr {
            dst: A1,
            value: BLOCK_LEN as i32,
        },
        Inst::MoveGpr { dst: A4, src: T0 },
    ]);
    code.extend(loop_end(A2, (A4, A5), 1));
    let block = Block {
        inputs,
        outputs: vec![(cv[0], CV[0]), (cv[1], CV[1]), (counter, COUNTER)],
        code,
    };

    let cv = [b.fresh(), b.fresh()];
    b.store(cv[0], Mem::unaligned(A0, 0));
    b.store(cv[1], Mem::unaligned(A0, 16));
    let leave = Block {
        inputs: vec![(cv[0], CV[0]), (cv[1], CV[1])],
        code: b.take_code(),
        ..Block::default()
    };

    Kernel {
        name: "blocks".into(),
        about: vec![
            "Compresses `blocks` (at least one) whole blocks of one message into `cv` (8 words).".into(),
            "`first` and `last`: the block length, and in the high half the flags of the first and of the last block;".into(),
            "the flags that both have are those of the blocks between. One block alone is the last.".into(),
        ],
        parameters: vec![
            ("cv", "*mut u32"), ("input", "*const u8"), ("blocks", "usize"), ("counter", "u64"), ("first", "u64"), ("last", "u64"),
        ],
        isa,
        width: Width::X,
        blocks: vec![enter, block, leave],
        saved: vec![],
        frame: 0,
        contract: Contract::Blocks,
        body: 1,
        spills: 0,
    }
}

/// One extended output block of one root.
pub fn output(isa: &'static Isa, constants: &Constants) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4};
    let mut b = Builder::new(isa, constants, Width::X);
    let cv = [0, 16].map(|offset| b.load(Mem::unaligned(A0, offset)));
    let halves = [A2, A3].map(|half| b.vector(Op::LoadLowQuad, None, Some(Src::Gpr(half))));
    let tail = b.two(Op::UnpackLowQuad, halves[0], halves[1]);
    let message = [0, 16, 32, 48].map(|offset| b.load_halves(Mem::unaligned(A1, offset)));
    let mut code = b.take_code();
    let mut rows = [
        Word::Reg(cv[0]),
        Word::Reg(cv[1]),
        Word::Mem(constants.iv_row()),
        Word::Reg(tail),
    ];
    rounds(&mut b, &mut rows, message, 0);
    let head = chaining_value(&mut b, rows);
    for (row, reg) in head.into_iter().enumerate() {
        b.store(reg, Mem::unaligned(A4, 16 * row as i32));
    }
    for row in 0..2 {
        let word = b.xor(
            &rows[row + 2],
            &Word::Mem(Mem::unaligned(A0, 16 * row as i32)),
        );
        let reg = b.in_register(word);
        b.store(reg, Mem::unaligned(A4, 32 + 16 * row as i32));
    }
    code.extend(schedule::interleave(b.take(), 0, 0));

    Kernel {
        name: "output".into(),
        about: vec![
            "Compresses one block into its 64-byte output. `cv`: 8 words. `block` and `out`: 64 bytes.".into(),
            "`tail`: block length, and flags in the high half.".into(),
        ],
        parameters: vec![("cv", "*const u32"), ("block", "*const u8"), ("counter", "u64"), ("tail", "u64"), ("out", "*mut u8")],
        isa,
        width: Width::X,
        blocks: vec![Block { code, ..Block::default() }],
        saved: vec![],
        frame: 0,
        contract: Contract::OutputOne,
        body: 0,
        spills: 0,
    }
}

/// Blocks of a few independent messages: as many as `sets` registers have parts.
pub fn messages(isa: &'static Isa, constants: &Constants, width: Width, sets: usize) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4, A5, T0, T1, T2};
    const POINTERS: [Gpr; 4] = [A2, A3, A4, A5];
    let parts = width.parts();
    let count = parts * sets;
    let fields = Fields::new(count);
    let mut b = Builder::new(isa, constants, width);
    let of_set = |base: Gpr, offset: i32, set: usize| {
        Mem::unaligned(base, offset + (16 * parts * set) as i32)
    };

    // What was just stored a part at a time is not to be had as a whole without waiting.
    let by_parts = |b: &mut Builder<'_>, mem: Mem| {
        let places: Vec<_> = (0..parts).map(|part| mem.plus(16 * part as i32)).collect();
        b.load_parts(&places)
    };
    let cvs: Vec<[Reg; 2]> = (0..sets)
        .map(|set| {
            fields
                .cvs
                .map(|offset| by_parts(&mut b, of_set(A0, offset, set)))
        })
        .collect();
    for (i, pointer) in POINTERS[..count].iter().enumerate() {
        b.push(Inst::Load {
            bits: 64,
            dst: *pointer,
            mem: Mem::unaligned(A0, fields.pointers + 8 * i as i32),
        });
    }
    for (dst, tail) in [T0, T1, T2].into_iter().zip(fields.tails) {
        b.push(Inst::Address {
            dst,
            mem: Mem::unaligned(A0, tail),
        });
    }
    b.push(Inst::Compare { a: A1, value: 1 });
    b.push(Inst::MoveIf {
        condition: Condition::Equal,
        dst: T0,
        src: T2,
    });
    let enter = Block {
        outputs: pinned(&cvs),
        code: b.take_code(),
        ..Block::default()
    };

    let cvs: Vec<[Reg; 2]> = (0..sets).map(|_| [b.fresh(), b.fresh()]).collect();
    let inputs = pinned(&cvs);
    let mut code = Vec::new();
    let mut all_rows = Vec::new();
    let mut stream = Vec::new();
    for (set, cv) in cvs.iter().enumerate() {
        let pointers = &POINTERS[parts * set..parts * (set + 1)];
        let tail = b.load(of_set(T0, 0, set));
        let message = [0, 16, 32, 48].map(|offset| {
            let places: Vec<_> = pointers
                .iter()
                .map(|pointer| Mem::unaligned(*pointer, offset))
                .collect();
            b.load_parts(&places)
        });
        code.extend(b.take_code());
        all_rows.push(compress_rows(&mut b, *cv, tail, message, set));
        stream.extend(b.take());
    }
    code.extend(schedule::interleave(stream, 0, 0));
    code.extend(POINTERS[..count].iter().map(|dst| Inst::AddGpr {
        dst: *dst,
        value: BLOCK_LEN as i32,
    }));
    code.extend([Inst::MoveGpr { dst: T0, src: T1 }]);
    code.extend(loop_end(A1, (T0, T2), 1));
    let block = Block {
        inputs,
        outputs: pinned(&all_rows),
        code,
    };

    let cvs: Vec<[Reg; 2]> = (0..sets).map(|_| [b.fresh(), b.fresh()]).collect();
    for (set, cv) in cvs.iter().enumerate() {
        for (reg, offset) in cv.iter().zip(fields.cvs) {
            b.store(*reg, of_set(A0, offset, set));
        }
    }
    for (i, pointer) in POINTERS[..count].iter().enumerate() {
        b.push(Inst::StoreGpr {
            bits: 64,
            src: *pointer,
            mem: Mem::unaligned(A0, fields.pointers + 8 * i as i32),
        });
    }
    let leave = Block {
        inputs: pinned(&cvs),
        code: b.take_code(),
        ..Block::default()
    };

    Kernel {
        name: format!("rows{count}"),
        about: vec![
            format!("Compresses `blocks` (at least one) whole blocks of each of {count} messages, a row of each side by side."),
            "`rows`: chaining values and pointers, in and out (the pointers advance); counters, block lengths and flags.".into(),
        ],
        parameters: vec![("rows", if count == 2 { "*mut Rows<2>" } else { "*mut Rows<4>" }), ("blocks", "usize")],
        isa,
        width,
        blocks: vec![enter, block, leave],
        saved: vec![],
        frame: 0,
        contract: Contract::Rows { width, sets },
        body: 1,
        spills: 0,
    }
}

/// Loads a row of the block of each of adjacent messages, `stride` bytes apart.
fn adjacent_message(b: &mut Builder<'_>, from: Gpr, stride: usize, set: usize) -> [Reg; 4] {
    let parts = b.width.parts();
    [0, 16, 32, 48].map(|offset| {
        let place = |part| Mem::unaligned(from, (stride * (set * parts + part)) as i32 + offset);
        let places: Vec<_> = (0..parts).map(place).collect();
        b.load_parts(&places)
    })
}

/// The key as rows 0 and 1 of every message.
fn key_rows(b: &mut Builder<'_>, key: Gpr) -> [Reg; 2] {
    let parts = b.width.parts();
    [0, 16].map(|offset| b.load_parts(&vec![Mem::unaligned(key, offset); parts]))
}

/// Stores rows 0 and 1 as adjacent chaining values.
fn store_cvs(b: &mut Builder<'_>, cv: [Reg; 2], to: Gpr, set: usize) {
    let parts = b.width.parts();
    for (half, src) in cv.into_iter().enumerate() {
        for part in 0..parts {
            let mem = Mem::unaligned(to, (32 * (set * parts + part) + 16 * half) as i32);
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

fn pinned(cvs: &[[Reg; 2]]) -> Vec<(Reg, Reg)> {
    let of_set = |(set, cv): (usize, &[Reg; 2])| {
        cv.iter()
            .copied()
            .zip(chaining_value_of(set as u32))
            .collect()
    };
    let all: Vec<Vec<(Reg, Reg)>> = cvs.iter().enumerate().map(of_set).collect();
    all.concat()
}

/// Adjacent whole chunks: as many as `sets` registers have parts.
pub fn chunks(isa: &'static Isa, constants: &Constants, width: Width, sets: usize) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4, A5, T0, T1};
    let count = width.parts() * sets;
    let mut b = Builder::new(isa, constants, width);
    let counter_of = |set: usize| Reg(2 * sets as u32 + set as u32);
    let pinned_counters = |counters: &[Reg]| -> Vec<(Reg, Reg)> {
        counters
            .iter()
            .enumerate()
            .map(|(set, reg)| (*reg, counter_of(set)))
            .collect()
    };

    let counter = b.spread_quad(A2);
    let counters: Vec<Reg> = (0..sets)
        .map(|set| {
            let numbers = Src::Mem(constants.part_numbers(width, set));
            b.vector(Op::AddQuad, Some(counter), Some(numbers))
        })
        .collect();
    let cvs: Vec<[Reg; 2]> = (0..sets).map(|_| key_rows(&mut b, A1)).collect();
    // First and last never add the same flag, so what they share is the middle.
    b.push(Inst::MoveGpr { dst: T1, src: A3 });
    b.push(Inst::AndGpr { dst: T1, src: A4 });
    b.push(Inst::SetGpr {
        dst: T0,
        value: CHUNK_BLOCKS as i32,
    });
    let mut outputs = pinned(&cvs);
    outputs.extend(pinned_counters(&counters));
    let enter = Block {
        outputs,
        code: b.take_code(),
        ..Block::default()
    };

    let cvs: Vec<[Reg; 2]> = (0..sets).map(|_| [b.fresh(), b.fresh()]).collect();
    let counters: Vec<Reg> = (0..sets).map(|_| b.fresh()).collect();
    let mut inputs = pinned(&cvs);
    inputs.extend(pinned_counters(&counters));
    let lengths = b.spread_quad(A3);
    let mut code = b.take_code();
    let (mut cvs_out, mut stream) = (Vec::new(), Vec::new());
    for (set, cv) in cvs.iter().enumerate() {
        let tail = b.two(Op::UnpackLowQuad, counters[set], lengths);
        let message = adjacent_message(&mut b, A0, CHUNK_BLOCKS * BLOCK_LEN, set);
        code.extend(b.take_code());
        cvs_out.push(compress_rows(&mut b, *cv, tail, message, set));
        stream.extend(b.take());
    }
    code.extend(schedule::interleave(stream, 0, 0));
    code.extend([
        Inst::AddGpr {
            dst: A0,
            value: BLOCK_LEN as i32,
        },
        Inst::MoveGpr { dst: A3, src: T1 },
    ]);
    code.extend(loop_end(T0, (A3, A4), 1));
    let mut outputs = pinned(&cvs_out);
    outputs.extend(pinned_counters(&counters));
    let block = Block {
        inputs,
        outputs,
        code,
    };

    let cvs: Vec<[Reg; 2]> = (0..sets).map(|_| [b.fresh(), b.fresh()]).collect();
    for (set, cv) in cvs.iter().enumerate() {
        store_cvs(&mut b, *cv, A5, set);
    }
    let leave = Block {
        inputs: pinned(&cvs),
        code: b.take_code(),
        ..Block::default()
    };

    Kernel {
        name: format!("chunk_rows{count}"),
        about: vec![
            format!("Hashes {count} adjacent whole chunks, a row of each side by side."),
            format!("`input`: {} bytes. `key`: 8 words. `counter`: of the first chunk.", count * CHUNK_BLOCKS * BLOCK_LEN),
            "`first` and `last`: the block length, and in the high half the flags of the first and of the last block of a".into(),
            "chunk; the flags that both have are those of the blocks between.".into(),
            format!("`out`: {} bytes, the chaining values.", 32 * count),
        ],
        parameters: vec![
            ("input", "*const u8"), ("key", "*const u32"), ("counter", "u64"), ("first", "u64"), ("last", "u64"), ("out", "*mut u32"),
        ],
        isa,
        width,
        blocks: vec![enter, block, leave],
        saved: vec![],
        frame: 0,
        contract: Contract::ChunkRows { width, sets },
        body: 1,
        spills: 0,
    }
}

/// Adjacent pairs of chaining values: as many as `sets` registers have parts.
pub fn parents(isa: &'static Isa, constants: &Constants, width: Width, sets: usize) -> Kernel {
    use Gpr::{A0, A1, A2, A3};
    let count = width.parts() * sets;
    let mut b = Builder::new(isa, constants, width);
    let lengths = b.spread_quad(A2);
    let zero = b.load(constants.zero());
    let tail = b.two(Op::UnpackLowQuad, zero, lengths);
    let mut code = b.take_code();
    let (mut cvs, mut stream) = (Vec::new(), Vec::new());
    for set in 0..sets {
        let cv = key_rows(&mut b, A1);
        let message = adjacent_message(&mut b, A0, BLOCK_LEN, set);
        code.extend(b.take_code());
        cvs.push(compress_rows(&mut b, cv, tail, message, set));
        stream.extend(b.take());
    }
    code.extend(schedule::interleave(stream, 0, 0));
    for (set, cv) in cvs.into_iter().enumerate() {
        store_cvs(&mut b, cv, A3, set);
    }
    code.extend(b.take_code());

    Kernel {
        name: format!("parent_rows{count}"),
        about: vec![
            format!(
                "Compresses {count} adjacent pairs of chaining values, a row of each side by side."
            ),
            format!(
                "`children`: {} bytes. `key`: 8 words. `tail`: block length, and flags in the high half.",
                BLOCK_LEN * count
            ),
            format!("`out`: {} bytes; it may be `children`.", 32 * count),
        ],
        parameters: vec![
            ("children", "*const u32"),
            ("key", "*const u32"),
            ("tail", "u64"),
            ("out", "*mut u32"),
        ],
        isa,
        width,
        blocks: vec![Block {
            code,
            ..Block::default()
        }],
        saved: vec![],
        frame: 0,
        contract: Contract::ParentRows { width, sets },
        body: 0,
        spills: 0,
    }
}

/// Extended output blocks of one root: as many as `sets` registers have parts.
pub fn outputs(isa: &'static Isa, constants: &Constants, width: Width, sets: usize) -> Kernel {
    use Gpr::{A0, A1, A2, A3, A4};
    let parts = width.parts();
    let count = parts * sets;
    let mut b = Builder::new(isa, constants, width);
    let everywhere = |b: &mut Builder<'_>, from: Gpr, offset: i32| {
        b.load_parts(&vec![Mem::unaligned(from, offset); parts])
    };
    let counter = b.spread_quad(A2);
    let lengths = b.spread_quad(A3);
    // All blocks have the same message and start from the same value: once for all sets.
    let cv = [0, 16].map(|offset| everywhere(&mut b, A0, offset));
    let message = [0, 16, 32, 48].map(|offset| everywhere(&mut b, A1, offset));
    let mut code = b.take_code();
    let mut stream = Vec::new();
    for set in 0..sets {
        let numbers = Src::Mem(constants.part_numbers(width, set));
        let counters = b.vector(Op::AddQuad, Some(counter), Some(numbers));
        let tail = b.two(Op::UnpackLowQuad, counters, lengths);
        code.extend(b.take_code());
        let iv = Word::Mem(constants.iv_row());
        let mut rows = [Word::Reg(cv[0]), Word::Reg(cv[1]), iv, Word::Reg(tail)];
        rounds(&mut b, &mut rows, message, set);
        let head = chaining_value(&mut b, rows);
        let tail = [0, 1].map(|half| {
            let cv = Word::Reg(everywhere(&mut b, A0, 16 * half));
            let word = b.xor(&rows[half as usize + 2], &cv);
            b.in_register(word)
        });
        for (i, src) in head.into_iter().chain(tail).enumerate() {
            for part in 0..parts {
                let mem = Mem::unaligned(A4, (BLOCK_LEN * (set * parts + part) + 16 * i) as i32);
                let part = (width != Width::X).then_some(part as u8);
                b.push(Inst::Store {
                    width,
                    src,
                    part,
                    mem,
                });
            }
        }
        stream.extend(b.take());
    }
    code.extend(schedule::interleave(stream, 0, 0));

    Kernel {
        name: format!("output_rows{count}"),
        about: vec![
            format!(
                "Writes {count} extended output blocks of one root, a row of each side by side."
            ),
            "`cv`: 8 words. `block`: 64 bytes. `tail`: block length, and flags in the high half."
                .into(),
            format!("`out`: {} bytes.", BLOCK_LEN * count),
        ],
        parameters: vec![
            ("cv", "*const u32"),
            ("block", "*const u8"),
            ("counter", "u64"),
            ("tail", "u64"),
            ("out", "*mut u8"),
        ],
        isa,
        width,
        blocks: vec![Block {
            code,
            ..Block::default()
        }],
        saved: vec![],
        frame: 0,
        contract: Contract::OutputRows { width, sets },
        body: 0,
        spills: 0,
    }
}

/// The compression of one set of messages, up to the chaining value.
fn compress_rows(
    b: &mut Builder<'_>,
    cv: [Reg; 2],
    tail: Reg,
    message: [Reg; 4],
    set: usize,
) -> [Reg; 2] {
    let iv = Word::Mem(b.constants.iv_row());
    let mut rows = [Word::Reg(cv[0]), Word::Reg(cv[1]), iv, Word::Reg(tail)];
    rounds(b, &mut rows, message, set);
    chaining_value(b, rows)
}
