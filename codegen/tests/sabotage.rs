//! Kernels damaged on purpose. A proof that accepts a wrong kernel is worth nothing, so every kind of mistake that a
//! layout, the scheduler or the allocator can make is made here, in finished kernels, and the prover has to refuse it
//! and say what is wrong first. It returns errors whatever it is given: nothing here catches a panic.

use std::collections::{BTreeMap, BTreeSet};

use codegen::ir::{Base, Condition, Gpr, Inst, Mem, Op, Reg, Src, Width};
use codegen::isa::{self, Constants, Encoding, Isa};
use codegen::kernel::{Kernel, kernels};
use codegen::prove::contract::Contract;
use codegen::prove::prove;

/// What the prover says of a kernel.
fn verdict(kernel: &Kernel) -> String {
    match prove(kernel, &Constants::new(kernel.isa)) {
        Err(error) => error,
        Ok(_) => format!("{} {}: proved", kernel.isa.name, kernel.name),
    }
}

/// Where the instructions of a kernel are.
fn places(kernel: &Kernel) -> Vec<(usize, usize)> {
    (0..kernel.blocks.len())
        .flat_map(|block| (0..kernel.blocks[block].code.len()).map(move |i| (block, i)))
        .collect()
}

fn at(kernel: &Kernel, (block, i): (usize, usize)) -> &Inst {
    &kernel.blocks[block].code[i]
}

fn replaced(kernel: &Kernel, (block, i): (usize, usize), with: Option<Inst>) -> Kernel {
    let mut damaged = kernel.clone();
    damaged.blocks[block].code.splice(i..=i, with);
    damaged
}

/// Changes the instruction in the middle of those that `change` can change.
fn change(kernel: &Kernel, change: impl Fn(&Inst) -> Option<Inst>) -> Option<Kernel> {
    let candidates: Vec<_> = places(kernel)
        .into_iter()
        .filter_map(|place| Some((place, change(at(kernel, place))?)))
        .collect();
    let (place, inst) = candidates.get(candidates.len() / 2)?;
    Some(replaced(kernel, *place, Some(inst.clone())))
}

/// Removes the instruction in the middle of those that are meant.
fn remove(kernel: &Kernel, meant: impl Fn(&Inst) -> bool) -> Option<Kernel> {
    let candidates: Vec<_> = places(kernel)
        .into_iter()
        .filter(|place| meant(at(kernel, *place)))
        .collect();
    Some(replaced(
        kernel,
        *candidates.get(candidates.len() / 2)?,
        None,
    ))
}

/// Changes the operation of a vector instruction.
fn change_op(kernel: &Kernel, to: impl Fn(Op) -> Option<Op>) -> Option<Kernel> {
    change(kernel, |inst| {
        let mut inst = inst.clone();
        let Inst::Vector { op, .. } = &mut inst else {
            return None;
        };
        *op = to(*op)?;
        Some(inst)
    })
}

/// Changes a memory operand that is read by a vector instruction.
fn change_source(kernel: &Kernel, to: impl Fn(Op, Mem) -> Option<Mem>) -> Option<Kernel> {
    change(kernel, |inst| {
        let mut inst = inst.clone();
        let Inst::Vector {
            op,
            b: Some(Src::Mem(mem)),
            ..
        } = &mut inst
        else {
            return None;
        };
        *mem = to(*op, *mem)?;
        Some(inst)
    })
}

/// Exchanges the places of two instructions that read a message word from memory.
fn exchange_message_words(kernel: &Kernel) -> Option<Kernel> {
    let words: Vec<_> = places(kernel)
        .into_iter()
        .filter_map(|place| Some((place, message_word(kernel, at(kernel, place))?)))
        .collect();
    let (first, one) = *words.get(words.len() / 2)?;
    let row = |mem: Mem| mem.offset / kernel.width.bytes();
    let (second, other) = *words[words.len() / 2..]
        .iter()
        .find(|(_, mem)| row(*mem) != row(one))?;
    let mut damaged = kernel.clone();
    for ((block, i), new) in [(first, other), (second, one)] {
        if let Inst::Vector { b, .. } = &mut damaged.blocks[block].code[i] {
            *b = Some(Src::Mem(new));
        }
    }
    Some(damaged)
}

/// The place of the message word that an instruction reads: to add it, or to add it later.
fn message_word(kernel: &Kernel, inst: &Inst) -> Option<Mem> {
    match *inst {
        Inst::Vector {
            op: Op::Add | Op::Move,
            b: Some(Src::Mem(mem)),
            ..
        } if is_message(kernel, mem) => Some(mem),
        _ => None,
    }
}

/// Is this a word of the message? Lanes kernels have it in a buffer that T1 points to (T2, where there are pointers to
/// each message), or at the start of the frame.
fn is_message(kernel: &Kernel, mem: Mem) -> bool {
    match kernel.contract {
        Contract::Chunks { .. } | Contract::Parents { .. } => mem.base == Base::Gpr(Gpr::T1),
        Contract::Messages { .. } => mem.base == Base::Gpr(Gpr::T2),
        Contract::Output { width } if kernel.isa.encoding != Encoding::Evex => {
            mem.base == Base::Gpr(Gpr::Sp) && mem.offset < 16 * width.bytes()
        }
        _ => false,
    }
}

/// Is this a row of the same word in every lane? The order of its halves does not matter.
fn is_splat(kernel: &Kernel, mem: Mem) -> bool {
    let end = match kernel.contract {
        Contract::Output { width } => 24 * width.bytes(),
        _ => 0,
    };
    mem.base == Base::Gpr(Gpr::Sp) && mem.offset < end
}

/// Where vector registers of the caller's are saved on AArch64, and to what places.
fn saves(kernel: &Kernel) -> Vec<((usize, usize), Reg, Mem)> {
    let a64 = kernel.isa.encoding == Encoding::A64;
    let first = places(kernel).into_iter().filter(|(block, _)| *block == 0);
    first
        .take_while(|place| !matches!(at(kernel, *place), Inst::Vector { .. } | Inst::LoadTable))
        .filter_map(|place| match *at(kernel, place) {
            Inst::Store { src, mem, .. } if a64 => Some((place, src, mem)),
            _ => None,
        })
        .collect()
}

/// Where the register in the middle of those is restored.
fn restore(kernel: &Kernel) -> Option<((usize, usize), Reg, Mem)> {
    let saves = saves(kernel);
    let (_, register, saved) = *saves.get(saves.len() / 2)?;
    let place = places(kernel).into_iter().rfind(
        |place| matches!(at(kernel, *place), Inst::Vector { dst, .. } if *dst == register),
    )?;
    Some((place, register, saved))
}

/// Moves the load of the table's address to the start of a block, or after it.
fn table_address(kernel: &Kernel, to: impl Fn(&mut Kernel)) -> Option<Kernel> {
    let place = places(kernel)
        .into_iter()
        .find(|place| *at(kernel, *place) == Inst::LoadTable)?;
    let mut damaged = replaced(kernel, place, None);
    to(&mut damaged);
    Some(damaged)
}

/// The 64-bit counter in the frame: loaded, added to, stored. Changes the first or the last of the three.
fn narrow_counter(kernel: &Kernel, store: bool) -> Option<Kernel> {
    let (block, i) = places(kernel).into_iter().find(|(block, i)| {
        matches!(kernel.blocks[*block].code[*i..],
            [Inst::Load { bits: 64, mem: from, .. }, Inst::AddGpr { .. }, Inst::StoreGpr { bits: 64, mem: to, .. }, ..]
            if from == to && from.base == Base::Gpr(Gpr::Sp))
    })?;
    let place = (block, if store { i + 2 } else { i });
    let mut inst = at(kernel, place).clone();
    if let Inst::Load { bits, .. } | Inst::StoreGpr { bits, .. } = &mut inst {
        *bits = 32;
    }
    Some(replaced(kernel, place, Some(inst)))
}

/// Puts an instruction at the start of a block.
fn start_with(kernel: &Kernel, block: usize, inst: Inst) -> Kernel {
    let mut damaged = kernel.clone();
    damaged.blocks[block].code.insert(0, inst);
    damaged
}

const DIFFERS: &[&str] = &["differs: expected"];
const BOUNDS: &[&str] = &["are outside"];
const DUE: &[&str] = &[
    "due",
    "differs: expected",
    "are outside",
    "no comparison with",
];

/// A kind of damage, what makes it, and what the refusal may say.
type Damage = (
    &'static str,
    fn(&Kernel) -> Option<Kernel>,
    &'static [&'static str],
);

const DAMAGES: &[Damage] = &[
    (
        "two message words change places",
        exchange_message_words,
        DIFFERS,
    ),
    (
        "a rotate has another distance",
        |kernel| {
            change_op(kernel, |op| match op {
                Op::RotateRight(distance) => Some(Op::RotateRight(distance + 1)),
                Op::XorRotate(distance) => Some(Op::XorRotate(distance + 1)),
                Op::ShiftLeft(distance) => Some(Op::ShiftLeft(distance - 1)),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "a rotate has another mask",
        |kernel| {
            let row = kernel.isa.width.bytes();
            let last = Constants::new(kernel.isa).bytes.len() as i32 - row;
            let a64 = kernel.isa.encoding == Encoding::A64;
            change_source(kernel, |op, mem| {
                let other = if mem.offset >= last { -row } else { row };
                let mask = mem.base == Base::Constants && mem.offset >= last - row;
                (op == Op::ShuffleBytes || a64 && mask).then(|| mem.plus(other))
            })
        },
        DIFFERS,
    ),
    (
        "halves change places wrongly",
        |kernel| {
            change_op(kernel, |op| match op {
                Op::ShuffleLowHalves(immediate) => Some(Op::ShuffleLowHalves(immediate ^ 1)),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "a shuffle takes another lane",
        |kernel| {
            change_op(kernel, |op| match op {
                Op::ShuffleLanes(immediate) => Some(Op::ShuffleLanes(immediate ^ 1)),
                Op::ShuffleTwo(immediate) => Some(Op::ShuffleTwo(immediate ^ 2)),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "an unpack takes the other half",
        |kernel| {
            change_op(kernel, |op| match op {
                Op::UnpackLow => Some(Op::UnpackHigh),
                Op::UnpackHigh => Some(Op::UnpackLow),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "an unpack of pairs takes the other half",
        |kernel| {
            if matches!(kernel.contract, Contract::ParentRows { .. }) {
                // Both halves of what is unpacked there are the same.
                return None;
            }
            change_op(kernel, |op| match op {
                Op::UnpackLowQuad => Some(Op::UnpackHighQuad),
                Op::UnpackHighQuad => Some(Op::UnpackLowQuad),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "an insert replaces another part",
        |kernel| {
            change_op(kernel, |op| match op {
                Op::Insert(part) => Some(Op::Insert(part ^ 1)),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "a store takes another part",
        |kernel| {
            change(kernel, |inst| match inst.clone() {
                Inst::Store {
                    width,
                    src,
                    part: Some(part),
                    mem,
                } => Some(Inst::Store {
                    width,
                    src,
                    part: Some(part ^ 1),
                    mem,
                }),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "an operation reads another register",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Vector {
                    op: op @ (Op::Xor | Op::Add),
                    width,
                    dst,
                    a,
                    b: Some(Src::Reg(b)),
                } => Some(Inst::Vector {
                    op,
                    width,
                    dst,
                    a,
                    b: Some(Src::Reg(Reg(b.0 ^ 1))),
                }),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "an operation writes another register",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Vector {
                    op,
                    width,
                    dst,
                    a: Some(a),
                    b,
                } if !op.replaces() => Some(Inst::Vector {
                    op,
                    width,
                    dst: Reg(dst.0 ^ 1),
                    a: Some(a),
                    b,
                }),
                _ => None,
            })
        },
        &["differs: expected", "the bytes to take are not constant"],
    ),
    (
        "a store takes another register",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Store {
                    width,
                    src,
                    part,
                    mem,
                } => Some(Inst::Store {
                    width,
                    src: Reg(src.0 ^ 1),
                    part,
                    mem,
                }),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "the counters of the lanes have no carry",
        |kernel| change_op(kernel, |op| (op == Op::AddQuad).then_some(Op::Add)),
        DIFFERS,
    ),
    (
        "the counter is loaded without its high half",
        |kernel| narrow_counter(kernel, false),
        &["the counter, half"],
    ),
    (
        "the counter is stored without its high half",
        |kernel| narrow_counter(kernel, true),
        &["the counter, half"],
    ),
    (
        "the counter goes on by one less",
        |kernel| {
            let (block, i) = places(kernel).into_iter().find(|(block, i)| {
                matches!(
                    kernel.blocks[*block].code[*i..],
                    [
                        Inst::AddGpr { .. },
                        Inst::StoreGpr {
                            bits: 64,
                            mem: Mem {
                                base: Base::Gpr(Gpr::Sp),
                                ..
                            },
                            ..
                        },
                        ..
                    ]
                )
            })?;
            let Inst::AddGpr { dst, value } = *at(kernel, (block, i)) else {
                return None;
            };
            let less = Inst::AddGpr {
                dst,
                value: value - 1,
            };
            Some(replaced(kernel, (block, i), Some(less)))
        },
        &["the counter, half"],
    ),
    (
        "the counter comes without its high half",
        |kernel| change_op(kernel, |op| (op == Op::LoadLowQuad).then_some(Op::LoadLow)),
        &["no words to load", "differs: expected"],
    ),
    (
        "a load reaches past the input",
        |kernel| {
            change(kernel, |inst| {
                let mut inst = inst.clone();
                match &mut inst {
                    Inst::Load { mem, .. }
                    | Inst::Vector {
                        b: Some(Src::Mem(mem)),
                        ..
                    } if !on_stack(*mem) && !mem.aligned => {
                        mem.offset += 1 << 20;
                        Some(inst)
                    }
                    _ => None,
                }
            })
        },
        BOUNDS,
    ),
    (
        "a load reaches before the input",
        |kernel| {
            change(kernel, |inst| {
                let mut inst = inst.clone();
                match &mut inst {
                    Inst::Load { mem, .. }
                    | Inst::Vector {
                        b: Some(Src::Mem(mem)),
                        ..
                    } if !on_stack(*mem) && !mem.aligned => {
                        mem.offset -= 1 << 20;
                        Some(inst)
                    }
                    _ => None,
                }
            })
        },
        BOUNDS,
    ),
    (
        "a store reaches past the output",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Store {
                    width,
                    src,
                    part,
                    mem,
                } if !on_stack(mem) => Some(Inst::Store {
                    width,
                    src,
                    part,
                    mem: mem.plus(1 << 20),
                }),
                _ => None,
            })
        },
        BOUNDS,
    ),
    (
        "a store goes to the next place",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Store {
                    width,
                    src,
                    part,
                    mem,
                } if !on_stack(mem) => Some(Inst::Store {
                    width,
                    src,
                    part,
                    mem: mem.plus(16),
                }),
                _ => None,
            })
        },
        &[
            "differs: expected",
            "is not written",
            "are outside",
            "is not aligned",
        ],
    ),
    (
        "the output is not written",
        |kernel| {
            remove(
                kernel,
                |inst| matches!(inst, Inst::Store { mem, .. } if !on_stack(*mem)),
            )
        },
        &["is not written", "differs: expected"],
    ),
    (
        "what goes around the stack frame is not stored",
        |kernel| {
            remove(
                kernel,
                |inst| matches!(inst, Inst::Store { mem, .. } | Inst::StoreGpr { mem, .. } if on_stack(*mem)),
            )
        },
        &["differs: expected", "vector register"],
    ),
    (
        "a register of the caller's is not saved",
        |kernel| {
            remove(
                kernel,
                |inst| matches!(inst, Inst::Push { src } if *src != Gpr::Fp),
            )
        },
        &["is not back", "outside stack"],
    ),
    (
        "a register of the caller's is not restored",
        |kernel| {
            remove(
                kernel,
                |inst| matches!(inst, Inst::Pop { dst } if *dst != Gpr::Fp),
            )
        },
        &["is not back"],
    ),
    (
        "a register of the caller's is neither saved nor restored",
        |kernel| {
            if !matches!(
                kernel.isa.encoding,
                Encoding::Legacy | Encoding::Vex | Encoding::Evex
            ) {
                return None;
            }
            let Some(saved) = kernel.saved.first() else {
                // It saves none: one is written.
                let write = Inst::SetGpr {
                    dst: Gpr::S1,
                    value: 0,
                };
                return Some(start_with(kernel, 0, write));
            };
            let mut damaged = kernel.clone();
            for block in &mut damaged.blocks {
                block.code.retain(|inst| {
                    *inst != Inst::Push { src: *saved } && *inst != Inst::Pop { dst: *saved }
                });
                // The others are where they are then.
                for inst in &mut block.code {
                    if let Inst::Address { dst: Gpr::Sp, mem } = inst
                        && mem.base == Base::Gpr(Gpr::Fp)
                    {
                        mem.offset += 8;
                    }
                }
            }
            Some(damaged)
        },
        &["is not back"],
    ),
    (
        "the caller's registers are restored in another order",
        |kernel| {
            let mut pops: Vec<_> = places(kernel);
            pops.retain(|place| matches!(at(kernel, *place), Inst::Pop { .. }));
            let [(block, first), (_, second), ..] = pops[..] else {
                return None;
            };
            let mut damaged = kernel.clone();
            damaged.blocks[block].code.swap(first, second);
            Some(damaged)
        },
        &["is not back"],
    ),
    (
        "the stack pointer is not restored",
        |kernel| {
            if of_intrinsics(kernel) {
                return None;
            }
            if kernel.frame == 0 {
                return Some(start_with(kernel, 0, Inst::Push { src: Gpr::A0 }));
            }
            let (block, i) = places(kernel).into_iter().rfind(|place| {
                matches!(
                    at(kernel, *place),
                    Inst::Address { dst: Gpr::Sp, .. } | Inst::Leave { .. }
                )
            })?;
            Some(replaced(kernel, (block, i), None))
        },
        &[
            "the stack pointer is not back",
            "the stack pointer has become",
        ],
    ),
    (
        "the frame lies over what was pushed",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Address { dst: Gpr::Sp, mem } if mem.base == Base::Gpr(Gpr::Sp) => {
                    Some(Inst::Address {
                        dst: Gpr::Sp,
                        mem: mem.plus(8),
                    })
                }
                _ => None,
            })
        },
        &["the frame is larger than what was taken"],
    ),
    (
        "the upper halves stay dirty",
        |kernel| remove(kernel, |inst| *inst == Inst::ZeroUpper),
        &["are not cleared"],
    ),
    (
        "a loop counts by two",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::AddGpr { dst, value: -1 } => Some(Inst::AddGpr { dst, value: -2 }),
                _ => None,
            })
        },
        DUE,
    ),
    (
        "a loop ends one too early",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Compare { a, value: 0 } => Some(Inst::Compare { a, value: 1 }),
                _ => None,
            })
        },
        DUE,
    ),
    (
        "a loop goes on while it should end",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::JumpIf {
                    condition: Condition::NotEqual,
                    block,
                } => Some(Inst::JumpIf {
                    condition: Condition::Equal,
                    block,
                }),
                _ => None,
            })
        },
        DUE,
    ),
    (
        "a chunk has one block less",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::SetGpr { dst, value } if value > 0 => Some(Inst::SetGpr {
                    dst,
                    value: value - 1,
                }),
                _ => None,
            })
        },
        DUE,
    ),
    (
        "the message buffers do not change places",
        |kernel| {
            // On AArch64 they do by way of another register.
            remove(kernel, |inst| {
                matches!(
                    inst,
                    Inst::Exchange { .. } | Inst::MoveGpr { src: Gpr::S4, .. }
                )
            })
        },
        &["differs: expected", "due"],
    ),
    (
        "a conditional move is lost",
        |kernel| remove(kernel, |inst| matches!(inst, Inst::MoveIf { .. })),
        DUE,
    ),
    (
        "a conditional move has the other condition",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::MoveIf {
                    condition,
                    dst,
                    src,
                } => Some(Inst::MoveIf {
                    condition: other(condition),
                    dst,
                    src,
                }),
                _ => None,
            })
        },
        DUE,
    ),
    (
        "a pointer does not go on",
        |kernel| {
            remove(
                kernel,
                |inst| matches!(inst, Inst::AddGpr { value, .. } if *value >= 16),
            )
        },
        &["differs: expected", "due", "is not written"],
    ),
    (
        "the flags are of another row",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Address { dst, mem }
                    if !on_stack(mem) && mem.offset < 512 && dst != Gpr::S1 =>
                {
                    Some(Inst::Address {
                        dst,
                        mem: mem.plus(-4),
                    })
                }
                _ => None,
            })
        },
        &["differs: expected", "is not aligned"],
    ),
    (
        "the flags of the middle blocks keep one too many",
        |kernel| remove(kernel, |inst| matches!(inst, Inst::AndGpr { .. })),
        DUE,
    ),
    (
        "an argument is written over",
        |kernel| {
            let offset = match kernel.contract {
                Contract::Messages { width, .. } => {
                    codegen::layout::lanes::Fields::new(width.lanes()).flags
                }
                Contract::Rows { width, sets } => {
                    codegen::layout::rows::Fields::new(width.parts() * sets).tails[1]
                }
                _ => return None,
            };
            let src = Reg(0);
            let mem = Mem::unaligned(Gpr::A0, offset);
            let store = Inst::Store {
                width: Width::X,
                src,
                part: None,
                mem,
            };
            Some(start_with(kernel, kernel.body, store))
        },
        &["differs: expected", "is written over"],
    ),
    (
        "an operand that must be aligned is not",
        |kernel| {
            (kernel.isa.encoding == Encoding::Legacy).then_some(())?;
            change_source(kernel, |op, mem| {
                (op != Op::Move && mem.aligned).then_some(Mem {
                    aligned: false,
                    ..mem
                })
            })
        },
        &["must be aligned"],
    ),
    (
        "an aligned access is not",
        |kernel| change_source(kernel, |_, mem| mem.aligned.then(|| mem.plus(4))),
        &["is not aligned to", "outside"],
    ),
    (
        "a shift inserts more bits",
        |kernel| {
            change_op(kernel, |op| match op {
                Op::ShiftRightInsert(distance) => Some(Op::ShiftRightInsert(distance + 1)),
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "a shift inserts, or a rotate mixes in, another register",
        |kernel| {
            change(kernel, |inst| {
                let mut inst = inst.clone();
                match &mut inst {
                    Inst::Vector {
                        op,
                        b: Some(Src::Reg(b)),
                        ..
                    } if op.replaces() => b.0 ^= 1,
                    _ => return None,
                }
                Some(inst)
            })
        },
        DIFFERS,
    ),
    (
        "a byte shuffle goes by another register",
        |kernel| {
            change(kernel, |inst| {
                let mut inst = inst.clone();
                match &mut inst {
                    Inst::Vector {
                        op: Op::TableBytes,
                        b: Some(Src::Reg(b)),
                        ..
                    } => b.0 ^= 1,
                    _ => return None,
                }
                Some(inst)
            })
        },
        &["the bytes to take are not constant", "differs: expected"],
    ),
    (
        "a message word is of the other state of two",
        |kernel| {
            (kernel.isa.encoding == Encoding::A64 && kernel.width == Width::Y).then_some(())?;
            change(kernel, |inst| {
                let (mut inst, place) = (inst.clone(), inst.mem());
                match &mut inst {
                    _ if place.is_none_or(|mem| is_splat(kernel, mem)) => return None,
                    Inst::LoadPair { dst, mem } if is_message(kernel, *mem) => dst.swap(0, 1),
                    Inst::Vector {
                        b: Some(Src::Mem(mem)),
                        ..
                    } if is_message(kernel, *mem) => {
                        mem.offset ^= 16;
                    }
                    _ => return None,
                }
                Some(inst)
            })
        },
        DIFFERS,
    ),
    (
        "a pair is loaded in the other order",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::LoadPair { dst: [a, b], mem } if !is_splat(kernel, mem) => {
                    Some(Inst::LoadPair { dst: [b, a], mem })
                }
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "a pair is stored in the other order",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::StorePair { src: [a, b], mem } if !is_splat(kernel, mem) => {
                    Some(Inst::StorePair { src: [b, a], mem })
                }
                _ => None,
            })
        },
        DIFFERS,
    ),
    (
        "a pair is loaded from the next place",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::LoadPair { dst, mem } => Some(Inst::LoadPair {
                    dst,
                    mem: mem.plus(16),
                }),
                _ => None,
            })
        },
        &["differs: expected", "are outside", "outside the table"],
    ),
    (
        "a pair is stored to the next place",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::StorePair { src, mem } => Some(Inst::StorePair {
                    src,
                    mem: mem.plus(16),
                }),
                _ => None,
            })
        },
        &[
            "differs: expected",
            "are outside",
            "is not written",
            "is not back",
        ],
    ),
    (
        "a vector register of the caller's is not saved",
        |kernel| {
            let saves = saves(kernel);
            let (place, ..) = saves.get(saves.len() / 2)?;
            Some(replaced(kernel, *place, None))
        },
        &["is not back"],
    ),
    (
        "a vector register of the caller's is saved where another is",
        |kernel| {
            let [(place, ..), (_, src, mem), ..] = saves(kernel)[..] else {
                return None;
            };
            let (width, part) = (Width::X, None);
            let store = Inst::Store {
                width,
                src,
                part,
                mem,
            };
            Some(replaced(kernel, place, Some(store)))
        },
        &["is not back"],
    ),
    (
        "a vector register of the caller's is written over in the frame",
        |kernel| {
            let saves = saves(kernel);
            let (_, _, mem) = *saves.get(saves.len() / 2)?;
            let store = Inst::Store {
                width: Width::X,
                src: Reg(0),
                part: None,
                mem,
            };
            Some(start_with(kernel, kernel.body, store))
        },
        &["is not back", "is elsewhere"],
    ),
    (
        "a vector register of the caller's is not restored",
        |kernel| {
            let (place, ..) = restore(kernel)?;
            Some(replaced(kernel, place, None))
        },
        &["is not back"],
    ),
    (
        "a vector register of the caller's is restored from another place",
        |kernel| {
            let (place, dst, mem) = restore(kernel)?;
            let load = Inst::Vector {
                op: Op::Move,
                width: Width::X,
                dst,
                a: None,
                b: Some(Src::Mem(mem.plus(-16))),
            };
            Some(replaced(kernel, place, Some(load)))
        },
        &["is not back"],
    ),
    (
        "a vector register of the caller's is used after it was restored",
        |kernel| {
            let (place, dst, _) = restore(kernel)?;
            let mut damaged = kernel.clone();
            let copy = Inst::Vector {
                op: Op::Move,
                width: Width::X,
                dst,
                a: None,
                b: Some(Src::Reg(Reg(0))),
            };
            damaged.blocks[place.0].code.insert(place.1 + 1, copy);
            Some(damaged)
        },
        &["is not back"],
    ),
    (
        "the address of the table is missing",
        |kernel| table_address(kernel, |_| {}),
        &["the address of the constants is not there"],
    ),
    (
        "the address of the table is written over",
        |kernel| {
            table_address(kernel, |damaged| {
                let (dst, value) = (Gpr::Table, 0);
                let code = [Inst::LoadTable, Inst::SetGpr { dst, value }];
                damaged.blocks[0].code.splice(0..0, code);
            })
        },
        &["the address of the constants is not there"],
    ),
    (
        "the address of the table is loaded late",
        |kernel| {
            table_address(kernel, |damaged| {
                damaged.blocks[damaged.body].code.insert(0, Inst::LoadTable);
            })
        },
        &[
            "the address of the constants is not there",
            "Table has become",
        ],
    ),
    (
        "a loop ends by an addition, which compares nothing",
        |kernel| {
            (!additions_compare(kernel)).then_some(())?;
            remove(kernel, |inst| {
                matches!(inst, Inst::Compare { value: 0, .. })
            })
        },
        &["nothing was compared", "due", "differs: expected"],
    ),
    (
        "the frame is smaller than what is used of it",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Enter { bytes } => Some(Inst::Enter { bytes: bytes - 16 }),
                _ => None,
            })
        },
        &["a frame of"],
    ),
    (
        "the frame is not taken",
        |kernel| remove(kernel, |inst| matches!(inst, Inst::Enter { .. })),
        &["are outside stack"],
    ),
    (
        "less is given back than the frame",
        |kernel| {
            change(kernel, |inst| match *inst {
                Inst::Leave { bytes } => Some(Inst::Leave { bytes: bytes - 16 }),
                _ => None,
            })
        },
        &["this frame was not taken"],
    ),
    (
        "the return is missing",
        |kernel| remove(kernel, |inst| *inst == Inst::Return),
        &["there is no such block"],
    ),
];

fn other(condition: Condition) -> Condition {
    match condition {
        Condition::Equal => Condition::NotEqual,
        Condition::NotEqual => Condition::Equal,
    }
}

fn on_stack(mem: Mem) -> bool {
    matches!(mem.base, Base::Gpr(Gpr::Sp | Gpr::Fp) | Base::Constants)
}

/// Every damage in every kernel of a tier that has a place for it. A register that a contract checks may show
/// any of them first.
fn damage_all(isa: &'static Isa, nowhere: &[&str]) {
    let kernels = kernels(isa);
    let mut done: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (what, damage, says) in DAMAGES {
        for kernel in &kernels {
            let Some(damaged) = damage(kernel) else {
                continue;
            };
            let error = verdict(&damaged);
            if !error.starts_with(&format!("{} {}: ", isa.name, kernel.name))
                || !(says.iter().any(|phrase| error.contains(phrase)) || error.ends_with("was due"))
            {
                wrong.push(format!("{what}: {error}"));
            }
            *done.entry(what).or_default() += 1;
        }
    }
    assert!(
        wrong.is_empty(),
        "damages that were not refused as they should be:\n{}",
        wrong.join("\n")
    );
    let kinds = DAMAGES.iter().map(|(what, ..)| *what);
    let missing: BTreeSet<_> = kinds.filter(|what| !done.contains_key(what)).collect();
    let nowhere = nowhere.iter().copied().collect();
    assert_eq!(missing, nowhere, "damages without a place in {}", isa.name);
    println!(
        "{}: {} damages refused, of {} kinds",
        isa.name,
        done.values().sum::<usize>(),
        done.len()
    );
}

/// What needs registers of more than 128 bits.
const WIDE: [&str; 3] = [
    "an insert replaces another part",
    "a store takes another part",
    "the upper halves stay dirty",
];

/// What has a place on x86-64 only.
const X86: [&str; 7] = [
    "a register of the caller's is not saved",
    "a register of the caller's is not restored",
    "a register of the caller's is neither saved nor restored",
    "the caller's registers are restored in another order",
    "the frame lies over what was pushed",
    "an operand that must be aligned is not",
    "the flags of the middle blocks keep one too many",
];

/// What has no place on x86-64, and none but the first for the intrinsics of WebAssembly.
const A64: [&str; 21] = [
    "a loop ends by an addition, which compares nothing",
    "a shift inserts more bits",
    "a shift inserts, or a rotate mixes in, another register",
    "a byte shuffle goes by another register",
    "a message word is of the other state of two",
    "a pair is loaded in the other order",
    "a pair is stored in the other order",
    "a pair is loaded from the next place",
    "a pair is stored to the next place",
    "a vector register of the caller's is not saved",
    "a vector register of the caller's is saved where another is",
    "a vector register of the caller's is written over in the frame",
    "a vector register of the caller's is not restored",
    "a vector register of the caller's is restored from another place",
    "a vector register of the caller's is used after it was restored",
    "the address of the table is missing",
    "the address of the table is written over",
    "the address of the table is loaded late",
    "the frame is smaller than what is used of it",
    "the frame is not taken",
    "less is given back than the frame",
];

const MASK: &str = "a rotate has another mask";
const HALVES: &str = "halves change places wrongly";

#[test]
fn sse2_damaged() {
    damage_all(isa::ALL[0], &[&[MASK], &WIDE[..], &A64].concat());
}

#[test]
fn sse41_damaged() {
    damage_all(isa::ALL[1], &[&[HALVES], &WIDE[..], &A64].concat());
}

#[test]
fn avx2_damaged() {
    damage_all(isa::ALL[2], &[&[HALVES], &X86[5..6], &A64].concat());
}

#[test]
fn avx512_damaged() {
    damage_all(isa::ALL[3], &[&[MASK, HALVES], &X86[5..6], &A64].concat());
}

#[test]
fn neon_damaged() {
    damage_all(isa::ALL[4], &[&[HALVES], &WIDE[..], &X86].concat());
}

#[test]
fn sve2_damaged() {
    let isa = isa::ALL[5];
    let mut nowhere = [&[HALVES], &WIDE[..], &X86].concat();
    // Which ways to rotate there are is a tuning.
    let kernels = kernels(isa);
    let code = kernels
        .iter()
        .flat_map(|kernel| &kernel.blocks)
        .flat_map(|block| &block.code);
    let ops: Vec<Op> = code
        .filter_map(|inst| match inst {
            Inst::Vector { op, .. } => Some(*op),
            _ => None,
        })
        .collect();
    if !ops.iter().any(|op| matches!(op, Op::ShiftRightInsert(_))) {
        nowhere.push("a shift inserts more bits");
    }
    if !ops.contains(&Op::TableBytes) {
        nowhere.extend(["a byte shuffle goes by another register", MASK]);
    }
    damage_all(isa, &nowhere);
}

#[test]
fn simd128_damaged() {
    let nowhere = [
        HALVES,
        "the stack pointer is not restored",
        "the message buffers do not change places",
    ];
    damage_all(
        &isa::simd128::SIMD128,
        &[&nowhere, &WIDE[..], &X86[..6], &A64[1..]].concat(),
    );
}

/// Does the compiler see to the stack, and to what the caller wants back?
fn of_intrinsics(kernel: &Kernel) -> bool {
    kernel.isa.encoding == Encoding::Intrinsics
}

/// Is a sum compared with zero as it is made?
fn additions_compare(kernel: &Kernel) -> bool {
    !matches!(kernel.isa.encoding, Encoding::A64 | Encoding::Intrinsics)
}

/// One operand of an instruction, or what it does, changed: everything that a kernel must notice.
fn changed(kernel: &Kernel, inst: &Inst, constants: &Constants) -> Option<Inst> {
    if adds_zeros(inst, constants) {
        return None;
    }
    let mut inst = inst.clone();
    match &mut inst {
        Inst::Vector { op, a, b, .. } => match (&mut *op, a, b) {
            (Op::RotateRight(number) | Op::ShiftLeft(number) | Op::ShiftRight(number), ..) => {
                *number ^= 1
            }
            // The lane that comes first is always used; of the others, some are not.
            (Op::ShuffleLanes(immediate) | Op::ShuffleTwo(immediate), ..) => *immediate ^= 2,
            (Op::ShuffleLowHalves(immediate) | Op::ShuffleHighHalves(immediate), ..) => {
                *immediate ^= 2;
            }
            (Op::UnpackLow, ..) => *op = Op::UnpackHigh,
            (Op::UnpackHigh, ..) => *op = Op::UnpackLow,
            (Op::UnpackLowQuad, ..) => *op = Op::UnpackLow,
            (Op::UnpackHighQuad, ..) => *op = Op::UnpackHigh,
            (Op::Add | Op::AddQuad, ..) => *op = Op::Xor,
            (Op::Xor, ..) => *op = Op::Add,
            (Op::XorRotate(number) | Op::ShiftRightInsert(number), ..) => *number ^= 1,
            // An `or` of two shifts might as well be their sum: one of them is lost instead.
            (Op::Or, Some(a), Some(b)) => *b = Src::Reg(*a),
            (_, _, Some(Src::Mem(mem))) if is_splat(kernel, *mem) => {
                mem.offset += kernel.width.bytes();
            }
            // The next row: both halves of one may be the same.
            (_, _, Some(Src::Mem(mem)))
                if mem.base == Base::Constants && kernel.isa.encoding == Encoding::A64 =>
            {
                mem.offset += kernel.isa.width.bytes();
            }
            (_, _, Some(Src::Mem(mem))) => mem.offset += if mem.aligned { 16 } else { 4 },
            (_, _, Some(Src::Reg(reg))) => reg.0 ^= 1,
            (_, _, Some(Src::Gpr(gpr))) => *gpr = neighbour(*gpr),
            _ => return None,
        },
        Inst::Store { src, .. } => src.0 ^= 1,
        Inst::StorePair { mem, .. } | Inst::LoadPair { mem, .. } if is_splat(kernel, *mem) => {
            mem.offset += 32;
        }
        Inst::StorePair { src, .. } => src.swap(0, 1),
        Inst::LoadPair { dst, .. } => dst.swap(0, 1),
        Inst::Enter { bytes } | Inst::Leave { bytes } => *bytes += 16,
        Inst::Load { mem, .. } | Inst::StoreGpr { mem, .. } => mem.offset += 4,
        Inst::MoveGpr { src, .. }
        | Inst::AddGprs { src, .. }
        | Inst::AndGpr { src, .. }
        | Inst::Push { src } => {
            *src = neighbour(*src);
        }
        Inst::SetGpr { value, .. } | Inst::AddGpr { value, .. } | Inst::Compare { value, .. } => {
            *value += 1;
        }
        Inst::Address { mem, .. } => mem.offset += 4,
        Inst::AlignStack { bytes } => *bytes /= 2,
        Inst::Exchange { b, .. } => *b = neighbour(*b),
        Inst::MoveIf { condition, .. } | Inst::JumpIf { condition, .. } => {
            *condition = other(*condition);
        }
        Inst::Pop { dst } => *dst = neighbour(*dst),
        Inst::Prefetch { .. }
        | Inst::ZeroUpper
        | Inst::LoadTable
        | Inst::Return
        | Inst::Unwind(_)
        | Inst::Note(_) => return None,
    }
    Some(inst)
}

fn neighbour(register: Gpr) -> Gpr {
    match register {
        Gpr::Table => Gpr::Sp,
        other => Gpr::ALL[other as usize ^ 1],
    }
}

/// Does it add zeros? The counter of a parent is zero, and so is what is added to the counter of the first chunk.
fn adds_zeros(inst: &Inst, constants: &Constants) -> bool {
    match inst {
        Inst::Vector {
            op: Op::Add | Op::AddQuad | Op::Xor,
            width,
            b: Some(Src::Mem(mem)),
            ..
        } if mem.base == Base::Constants => constants.bytes[mem.offset as usize..]
            [..width.bytes() as usize]
            .iter()
            .all(|byte| *byte == 0),
        _ => false,
    }
}

/// Why a kernel may do without an instruction.
fn needless(
    kernel: &Kernel,
    (block, i): (usize, usize),
    constants: &Constants,
) -> Option<&'static str> {
    let code = &kernel.blocks[block].code;
    match (&code[i], i.checked_sub(1).map(|before| &code[before])) {
        (Inst::Note(_), _) => Some("a note is for readers"),
        (Inst::Unwind(_), _) => Some("unwinding is for debuggers and profilers"),
        (Inst::Prefetch { .. }, _) => Some("a prefetch is for speed"),
        (Inst::Vector { dst, a, .. }, _) if *a == Some(*dst) && adds_zeros(&code[i], constants) => {
            Some("zeros are added")
        }
        (Inst::Compare { a, value: 0 }, Some(Inst::AddGpr { dst, .. }))
            if a == dst && additions_compare(kernel) =>
        {
            Some("the addition before has compared with zero")
        }
        (Inst::Compare { a, value }, _)
            if !additions_compare(kernel) && compared(&code[..i], *a, *value) =>
        {
            Some("the comparison before has said the same")
        }
        (inst, _) if loaded(kernel, &code[..i], inst) => Some("the word is there already"),
        _ => None,
    }
}

/// Does a register get a half of a row of the same word in every lane that holds the other half already?
fn loaded(kernel: &Kernel, code: &[Inst], inst: &Inst) -> bool {
    let row = |inst: &Inst| match *inst {
        Inst::Vector {
            op: Op::Move,
            dst,
            b: Some(Src::Mem(mem)),
            ..
        } if is_splat(kernel, mem) => Some((dst, mem.offset / kernel.width.bytes())),
        _ => None,
    };
    let Some((dst, _)) = row(inst) else {
        return false;
    };
    let before = code
        .iter()
        .rfind(|inst| inst.vector_results().contains(&dst));
    before.and_then(row) == row(inst)
}

/// Was a register compared with a number, of which additions, which compare nothing there, have made this one?
fn compared(code: &[Inst], register: Gpr, mut value: i32) -> bool {
    for inst in code.iter().rev() {
        match *inst {
            Inst::AddGpr { dst, value: added } if dst == register => value -= added,
            Inst::Compare { a, value: before } => return a == register && before == value,
            _ => {}
        }
    }
    false
}

/// Instructions at each end of a block that are never skipped: pointers, counters and loops are there.
const ENDS: usize = 16;

/// Deletes each instruction of some kernels, one at a time, and changes each. In the long bodies of the lanes kernels,
/// where the same few lines come again and again, every `stride`th.
fn every_instruction(isa: &'static Isa, names: &[&str], stride: usize) {
    let mut needless_seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut accepted = Vec::new();
    let (mut deleted, mut altered) = (0, 0);
    let (all, constants) = (kernels(isa), Constants::new(isa));
    for name in names {
        let kernel = all
            .iter()
            .find(|kernel| kernel.name == *name)
            .unwrap_or_else(|| panic!("{} has no kernel {name}", isa.name));
        let (mut number, mut skipped) = (0, 0);
        for place in places(kernel) {
            let (block, i) = place;
            let code = &kernel.blocks[block].code;
            number += 1;
            if i >= ENDS && i + ENDS < code.len() && number % stride != 0 {
                skipped += 1;
                continue;
            }
            let inst = &code[i];
            let without = prove(&replaced(kernel, place, None), &constants).is_ok();
            match needless(kernel, place, &constants) {
                Some(reason) => {
                    assert!(without, "{name}: {inst:?} is needed, against: {reason}");
                    *needless_seen.entry(reason).or_default() += 1;
                }
                None => {
                    deleted += 1;
                    if without {
                        accepted.push(format!("{name}, block {block}: without {i} ({inst:?})"));
                    }
                }
            }
            if let Some(new) = changed(kernel, inst, &constants) {
                altered += 1;
                let with = replaced(kernel, place, Some(new.clone()));
                if prove(&with, &constants).is_ok() {
                    accepted.push(format!("{name}, block {block}: {new:?} for {i} ({inst:?})"));
                }
            }
        }
        println!(
            "{} {name}: {number} instructions, {skipped} of them skipped",
            isa.name
        );
    }
    assert!(
        accepted.is_empty(),
        "{} damaged kernels are proved:\n{}",
        accepted.len(),
        accepted.join("\n")
    );
    println!(
        "{}: {deleted} deletions and {altered} changes refused; needless: {needless_seen:?}",
        isa.name
    );
}

#[test]
fn every_instruction_of_the_rows() {
    every_instruction(isa::ALL[1], &["blocks", "output", "rows2"], 1);
    every_instruction(isa::ALL[1], &["chunk_rows2", "parent_rows2"], 7);
    every_instruction(isa::ALL[3], &["blocks", "output", "rows2", "rows4"], 1);
    every_instruction(isa::ALL[3], &["chunk_rows4", "parent_rows4"], 5);
    every_instruction(&isa::simd128::SIMD128, &["blocks", "output"], 1);
}

#[test]
fn many_instructions_of_the_lanes() {
    every_instruction(
        isa::ALL[1],
        &["chunks4", "parents4", "messages4", "output4"],
        41,
    );
    every_instruction(isa::ALL[3], &["parents16", "messages16", "output16"], 61);
    every_instruction(
        &isa::simd128::SIMD128,
        &["parents4", "messages4", "output4"],
        41,
    );
}

#[test]
fn many_instructions_of_aarch64() {
    every_instruction(
        isa::ALL[4],
        &["chunks4", "parents4", "messages8", "output8"],
        97,
    );
    every_instruction(isa::ALL[5], &["parents8", "messages4", "output4"], 97);
}

/// All kernels of all tiers, with a closer step: some minutes.
#[test]
#[ignore = "slow"]
fn many_instructions_of_all() {
    for isa in isa::ALL {
        let names: Vec<String> = kernels(isa).into_iter().map(|kernel| kernel.name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        every_instruction(isa, &names, 23);
    }
}

/// A wrong bit in any word of the table of constants that a kernel reads is seen by its proof.
#[test]
fn wrong_constants() {
    let mut flipped = 0;
    for isa in isa::ALL {
        let good = Constants::new(isa);
        let mut rows: BTreeMap<i32, Kernel> = BTreeMap::new();
        for kernel in kernels(isa) {
            for place in places(&kernel) {
                let inst = at(&kernel, place);
                let read = inst.mem().filter(|mem| mem.base == Base::Constants);
                let Some(mem) = read.filter(|_| kernel.width == isa.width) else {
                    continue;
                };
                for register in 0..inst.vector_results().len() as i32 {
                    let row = mem.offset + register * kernel.register().bytes();
                    rows.entry(row).or_insert_with(|| kernel.clone());
                }
            }
        }
        for (row, kernel) in rows {
            let last = match kernel.contract {
                // They read more of some rows than they use.
                Contract::ChunkRows { .. } | Contract::ParentRows { .. } => row,
                _ => row + kernel.register().bytes() - 4,
            };
            for word in [row, last] {
                let mut constants = Constants::new(isa);
                constants.bytes[word as usize] ^= 1;
                assert_ne!(constants.bytes, good.bytes);
                let error = prove(&kernel, &constants)
                    .err()
                    .unwrap_or_else(|| panic!("{} {}: a wrong word {word}", isa.name, kernel.name));
                assert!(error.contains("differs: expected"), "{error}");
                flipped += 1;
            }
        }
    }
    println!("{flipped} wrong constants refused");
}

/// Whatever it is given, the prover answers.
#[test]
fn nonsense_is_refused() {
    let isa = isa::ALL[2];
    let kernel = kernels(isa)
        .into_iter()
        .find(|kernel| kernel.name == "parents8")
        .expect("a kernel with a frame and saved registers");
    let vector = |op, dst, a, b| Inst::Vector {
        op,
        width: Width::Y,
        dst: Reg(dst),
        a,
        b,
    };
    let store = |src, part, mem| Inst::Store {
        width: Width::Y,
        src: Reg(src),
        part,
        mem,
    };
    let frame = Mem::aligned(Gpr::Sp, 0);
    let far = |offset| Mem::unaligned(Gpr::Sp, offset);
    let constant = |offset| Some(Src::Mem(Mem::constant(offset)));
    let nonsense = [
        (
            vector(Op::Xor, 0, Some(Reg(16)), Some(Src::Reg(Reg(0)))),
            "no register 16",
        ),
        (
            vector(Op::Xor, 0, Some(Reg(0)), Some(Src::Reg(Reg(99)))),
            "no register 99",
        ),
        (
            vector(Op::Move, u32::MAX, None, Some(Src::Reg(Reg(0)))),
            "no register",
        ),
        (vector(Op::Xor, 0, None, None), "operand is missing"),
        (
            vector(
                Op::Insert(2),
                0,
                Some(Reg(0)),
                Some(Src::Mem(Mem::unaligned(Gpr::Sp, 0))),
            ),
            "no part 2",
        ),
        (
            vector(
                Op::Insert(255),
                0,
                Some(Reg(0)),
                Some(Src::Mem(Mem::unaligned(Gpr::Sp, 0))),
            ),
            "no part 255",
        ),
        (
            vector(Op::ShuffleBytes, 0, Some(Reg(0)), Some(Src::Reg(Reg(1)))),
            "not constant",
        ),
        (
            vector(Op::Move, 0, None, Some(Src::Gpr(Gpr::A0))),
            "no words to load",
        ),
        (
            vector(Op::Move, 0, None, constant(-32)),
            "outside the table",
        ),
        (
            vector(Op::Move, 0, None, constant(i32::MAX)),
            "outside the table",
        ),
        (vector(Op::Move, 0, None, constant(4)), "not aligned"),
        (store(0, Some(2), frame), "no part 2"),
        (store(31, None, frame), "no register 31"),
        (store(0, None, Mem::constant(0)), "no place to write"),
        (store(0, None, far(i32::MAX)), "outside frame"),
        (store(0, None, far(i32::MIN)), "below the stack pointer"),
        (store(0, None, far(2)), "splits a word"),
        (store(0, None, Mem::unaligned(Gpr::T0, 0)), "no address"),
        (store(0, None, Mem::unaligned(Gpr::Fp, 0)), "outside stack"),
        (
            Inst::Load {
                bits: 64,
                dst: Gpr::T0,
                mem: far(-8),
            },
            "below the stack pointer",
        ),
        (
            Inst::StoreGpr {
                bits: 32,
                src: Gpr::A0,
                mem: frame,
            },
            "no word to store",
        ),
        (
            Inst::SetGpr {
                dst: Gpr::T0,
                value: -1,
            },
            "negative",
        ),
        (
            Inst::AndGpr {
                dst: Gpr::A0,
                src: Gpr::A1,
            },
            "no words to and",
        ),
        (
            Inst::Address {
                dst: Gpr::T0,
                mem: Mem::constant(0),
            },
            "no address",
        ),
        (
            Inst::Compare {
                a: Gpr::A0,
                value: 0,
            },
            "no comparison with 0",
        ),
        (Inst::AlignStack { bytes: 64 }, "not on the stack"),
        (Inst::Push { src: Gpr::T0 }, "outside frame"),
        (
            Inst::AddGpr {
                dst: Gpr::Sp,
                value: i32::MIN,
            },
            "the stack pointer has become",
        ),
        (
            Inst::JumpIf {
                condition: Condition::Equal,
                block: 0,
            },
            "nothing was compared",
        ),
        (Inst::Return, "the stack pointer is not back"),
    ];
    for (inst, says) in nonsense {
        // At the start of the body, where the frame is there and no comparison is left.
        let error = verdict(&start_with(&kernel, kernel.body, inst.clone()));
        assert!(error.contains(says), "{inst:?}: {error}");
    }
    // A jump to nowhere, and a loop that never ends, in a block that no contract watches.
    let condition = Condition::NotEqual;
    for (block, says) in [(99, "a jump forward"), (0, "no end after")] {
        let mut damaged = kernel.clone();
        damaged.blocks[0].code = vec![
            Inst::SetGpr {
                dst: Gpr::A3,
                value: 1,
            },
            Inst::Compare {
                a: Gpr::A3,
                value: 0,
            },
            Inst::JumpIf { condition, block },
        ];
        let error = verdict(&damaged);
        assert!(error.contains(says), "{error}");
    }
    // A message buffer read after the frame was given back.
    let mut damaged = kernel.clone();
    let leave = &mut damaged.blocks.last_mut().expect("a kernel has code").code;
    let back = leave
        .iter()
        .position(|inst| matches!(inst, Inst::Address { dst: Gpr::Sp, .. }))
        .expect("the frame is given back");
    let mem = Mem::unaligned(Gpr::T1, 0);
    leave.insert(
        back + 1,
        Inst::Load {
            bits: 64,
            dst: Gpr::T0,
            mem,
        },
    );
    let error = verdict(&damaged);
    assert!(error.contains("the frame has been given back"), "{error}");
    // Half of a pointer written over: what is loaded then is no pointer.
    let pointer = Mem::unaligned(Gpr::Sp, kernel.frame - 32 + 4);
    for start in [-12, 4] {
        let mut damaged = kernel.clone();
        let code = [
            Inst::StoreGpr {
                bits: 64,
                src: Gpr::A4,
                mem: pointer,
            },
            Inst::Store {
                width: Width::X,
                src: Reg(0),
                part: None,
                mem: pointer.plus(start),
            },
            Inst::Load {
                bits: 64,
                dst: Gpr::A4,
                mem: pointer,
            },
        ];
        damaged.blocks[kernel.body].code.splice(0..0, code);
        let error = verdict(&damaged);
        assert!(error.contains("A4 is no address: Halves"), "{error}");
    }
}

#[test]
fn nonsense_of_aarch64_is_refused() {
    let kernel = kernels(isa::ALL[4])
        .into_iter()
        .find(|kernel| kernel.name == "parents4")
        .expect("a kernel with a frame");
    let insert = |distance| Inst::Vector {
        op: Op::ShiftRightInsert(distance),
        width: Width::X,
        dst: Reg(0),
        a: Some(Reg(0)),
        b: Some(Src::Reg(Reg(1))),
    };
    let load = |a, b, mem| Inst::LoadPair {
        dst: [Reg(a), Reg(b)],
        mem,
    };
    let store = |a, b, mem| Inst::StorePair {
        src: [Reg(a), Reg(b)],
        mem,
    };
    let far = |offset| Mem::unaligned(Gpr::Sp, offset);
    let last = kernel.frame - 16;
    let xor = |b| Inst::Vector {
        op: Op::Xor,
        width: Width::X,
        dst: Reg(0),
        a: Some(Reg(0)),
        b: Some(b),
    };
    let nonsense = [
        (insert(0), "no shift by 0"),
        (insert(255), "no shift by 255"),
        (load(1, 1, far(0)), "one register for two"),
        (load(0, 32, far(0)), "no register 32"),
        (load(0, 1, far(last)), "outside frame"),
        (load(0, 1, far(i32::MAX)), "outside frame"),
        (load(0, 1, far(i32::MIN)), "below the stack pointer"),
        (load(0, 1, Mem::constant(i32::MAX)), "outside the table"),
        (
            load(0, 1, Mem::unaligned(Gpr::Table, 0)),
            "no address: Table",
        ),
        (store(0, 99, far(0)), "no register 99"),
        (store(0, 1, far(last)), "outside frame"),
        (store(0, 1, far(-16)), "below the stack pointer"),
        (store(0, 1, far(2)), "splits a word"),
        (store(0, 1, Mem::constant(0)), "no place to write"),
        (xor(Src::Mem(far(0))), "no memory operand"),
        (
            Inst::Enter {
                bytes: kernel.frame,
            },
            "not where the caller left it",
        ),
        (Inst::Leave { bytes: 0 }, "this frame was not taken"),
        (
            Inst::Leave {
                bytes: kernel.frame,
            },
            "are outside stack",
        ),
    ];
    for (inst, says) in nonsense {
        let error = verdict(&start_with(&kernel, kernel.body, inst.clone()));
        assert!(error.contains(says), "{inst:?}: {error}");
    }
}
