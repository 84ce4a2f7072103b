//! Probes: for each form of instruction that occurs in a kernel, a small function that executes it on a buffer. The
//! tests run them on real numbers and on symbols, and compare: so the meaning of the instructions, which the proofs
//! take for granted, is that of the machine.

use std::fmt::Write;

use super::{asm, header, intrinsics};
use crate::ir::{Base, Block, Condition, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Constants, Encoding, Isa};
use crate::kernel::Kernel;

/// A small function: its first argument is a buffer, its second a number.
#[derive(Debug)]
pub struct Probe {
    /// The text of the instructions that it is about.
    pub text: String,
    /// The code.
    pub blocks: Vec<Block>,
    /// Bytes of stack frame.
    pub frame: i32,
}

/// Bytes of the buffer, which is aligned to 64.
pub const BUFFER: usize = 512;

/// Where in the buffer the operands are, and where the results go. Unaligned operands are a word further on.
const A: i32 = 0;
const B: i32 = 64;
const OLD: i32 = 128;
const RESULT: i32 = 256;

/// What stands in for the registers of kernels: the first of each pair is named in the old way, the second by number,
/// which makes other names for their halves.
const FIRST: [Gpr; 2] = [Gpr::T0, Gpr::A5];
const SECOND: [Gpr; 2] = [Gpr::A3, Gpr::T1];

/// The table of the kernels, then rows of masks for byte shuffles: other orders, zeros, and bits that are ignored.
pub fn constants(isa: &Isa, constants: &Constants) -> Vec<u8> {
    let mut bytes = constants.bytes.clone();
    for row in 0..MASKS {
        bytes.extend((0..isa.encoding.register().bytes()).map(|i| match row {
            0 => 15 - (i % 16) as u8,
            1 => (i * 7 % 16) as u8 | if i % 3 == 0 { 0x80 } else { 0 },
            _ => (i * 37 + i / 16 * 5) as u8,
        }));
    }
    bytes
}

const MASKS: i32 = 3;

/// The probes of a tier: one for each form that occurs in its kernels.
pub fn probes(isa: &'static Isa, table: &Constants, kernels: &[Kernel]) -> Vec<Probe> {
    let mut probes: Vec<Probe> = Vec::new();
    let mut add = |probe: Probe| {
        if probes.iter().all(|other| other.text != probe.text) {
            probes.push(probe);
        }
    };
    let instructions = kernels
        .iter()
        .flat_map(|kernel| &kernel.blocks)
        .flat_map(|block| &block.code);
    for inst in instructions {
        match *inst {
            Inst::Vector {
                op,
                width,
                dst,
                a,
                b,
            } => {
                let end = table.bytes.len() as i32;
                let masks = (0..MASKS)
                    .map(|row| Mem::constant(end + row * isa.encoding.register().bytes()));
                let by_register = matches!(b, Some(Src::Reg(_)));
                if op == Op::TableBytes || op == Op::ShuffleBytes && by_register {
                    masks.for_each(|mask| add(bytes_by_register(isa, op, width, mask)));
                    continue;
                }
                add(vector(isa, op, width, dst, a, b));
                if op == Op::ShuffleBytes {
                    // The others are no masks where they are part of the instruction.
                    let possible = match isa.encoding {
                        Encoding::Intrinsics => 1,
                        _ => MASKS,
                    };
                    for mask in masks.take(possible as usize) {
                        add(vector(isa, op, width, dst, a, Some(Src::Mem(mask))));
                    }
                }
            }
            Inst::LoadPair { .. } => add(load_pair(isa)),
            Inst::StorePair { .. } => add(store_pair(isa)),
            Inst::Store {
                width,
                src,
                part,
                mem,
            } => add(store(isa, width, src, part, mem)),
            Inst::ZeroUpper => {
                let [load, store] = [load_full(isa, 0, A), store_full(isa, 0)];
                add(probe(isa, vec![load], vec![Inst::ZeroUpper], vec![store]));
            }
            _ => general(isa, inst).into_iter().for_each(&mut add),
        }
    }
    add(if isa.encoding == Encoding::Intrinsics {
        local(isa)
    } else {
        frame(isa)
    });
    // The table of constants is where the instructions look for it.
    let row = Some(Src::Mem(table.iv_row()));
    let load = Inst::Vector {
        op: Op::Move,
        width: isa.encoding.register(),
        dst: Reg(0),
        a: None,
        b: row,
    };
    let before = load_table(isa);
    add(probe(isa, before, vec![load], vec![store_full(isa, 0)]));
    probes
}

/// The file of a tier's probes.
pub fn file(isa: &'static Isa, table: &Constants, kernels: &[Kernel]) -> String {
    let facts = [
        format!("CPU features: {}.", isa.features.join(", ")),
        "Each function executes an instruction as kernels have it; `tests/models.rs` runs them."
            .into(),
    ];
    let mut text = header(
        &format!("Probes of the tier `{}`.", isa.name),
        "codegen/src/print/probes.rs",
        &facts,
    );
    let probes = probes(isa, table, kernels);
    if isa.encoding == Encoding::Intrinsics {
        return text + &functions(&constants(isa, table), &probes);
    }
    text.push_str("\nuse core::arch::naked_asm;\n\n");
    text.push_str(&asm::table(&constants(isa, table)));
    for (number, probe) in probes.iter().enumerate() {
        writeln!(text, "\n/// `{}`\n#[unsafe(naked)]", probe.text).unwrap();
        let convention = asm::convention(isa);
        writeln!(
            text,
            "unsafe extern \"{convention}\" fn probe{number}(_buffer: *mut u32, _number: u64) {{"
        )
        .unwrap();
        text.push_str(&asm::body(isa, &probe.blocks));
    }
    text + &list(&probes)
}

/// The list of all probes.
fn list(probes: &[Probe]) -> String {
    let mut text = String::from("\n/// All of them, with the text of what they are about.\n");
    text.push_str("pub(super) static PROBES: &[(&str, super::Function)] = &[\n");
    for (number, probe) in probes.iter().enumerate() {
        writeln!(text, "    ({:?}, probe{number}),", probe.text).unwrap();
    }
    text + "];\n"
}

/// The probes of a tier of intrinsics.
fn functions(constants: &[u8], probes: &[Probe]) -> String {
    let mut text = String::from(
        "\nuse core::arch::wasm32::*;\nuse core::mem::MaybeUninit;\nuse core::ptr::read_volatile;\n",
    );
    text.push_str(intrinsics::FRAME);
    for (number, probe) in probes.iter().enumerate() {
        writeln!(text, "\n/// `{}`", probe.text).unwrap();
        let code = intrinsics::Code {
            constants,
            blocks: &probe.blocks,
            frame: probe.frame,
            contract: None,
        };
        text.push_str(&intrinsics::function(
            &code,
            &format!("unsafe extern \"C\" fn probe{number}"),
            &[("buffer", "*mut u32"), ("number", "u64")],
            "the caller gives a buffer of 512 bytes.",
        ));
    }
    text + &list(probes)
}

/// A probe about some instructions, with what goes before and after.
fn probe(isa: &Isa, before: Vec<Inst>, about: Vec<Inst>, after: Vec<Inst>) -> Probe {
    let text = text_of(isa, &about);
    let mut code = [before, about, after].concat();
    if isa.encoding.register() != Width::X {
        code.push(Inst::ZeroUpper);
    }
    code.push(Inst::Return);
    Probe {
        text,
        blocks: vec![Block {
            code,
            ..Block::default()
        }],
        frame: 0,
    }
}

/// The text of instructions.
fn text_of(isa: &Isa, code: &[Inst]) -> String {
    if isa.encoding == Encoding::Intrinsics {
        return intrinsics::text(&constants(isa, &Constants::new(isa)), code);
    }
    let lines: Vec<String> = code
        .iter()
        .map(|inst| asm::instruction(isa, inst))
        .collect();
    lines.join("; ")
}

fn buffer(offset: i32) -> Mem {
    Mem::unaligned(Gpr::A0, offset)
}

/// The stand-in for a memory operand: as well aligned as it is, elsewhere.
fn operand(isa: &Isa, mem: Mem, offset: i32) -> Mem {
    // Offsets on AArch64 are multiples of the width; what is aligned or not is the base.
    let aligned = mem.aligned || isa.encoding == Encoding::A64;
    Mem {
        base: Base::Gpr(Gpr::A0),
        offset: if aligned { offset } else { offset + 4 },
        aligned: mem.aligned,
    }
}

/// What makes the table of constants reachable, where that takes anything.
fn load_table(isa: &Isa) -> Vec<Inst> {
    match isa.encoding {
        Encoding::A64 => vec![Inst::LoadTable],
        _ => vec![],
    }
}

/// A byte shuffle by a register, together with the load of that: the prover wants to know the bytes.
fn bytes_by_register(isa: &Isa, op: Op, width: Width, mask: Mem) -> Probe {
    let mut about = vec![load_full(isa, 1, B), load_full(isa, 0, A)];
    if let Inst::Vector { b, .. } = &mut about[0] {
        *b = Some(Src::Mem(mask));
    }
    about.push(Inst::Vector {
        op,
        width,
        dst: Reg(2),
        a: Some(Reg(0)),
        b: Some(Src::Reg(Reg(1))),
    });
    probe(isa, load_table(isa), about, vec![store_full(isa, 2)])
}

fn load_pair(isa: &Isa) -> Probe {
    let about = Inst::LoadPair {
        dst: [Reg(0), Reg(1)],
        mem: buffer(B),
    };
    let mut after = vec![store_full(isa, 0), store_full(isa, 1)];
    if let Inst::Store { mem, .. } = &mut after[1] {
        mem.offset += B;
    }
    probe(isa, vec![], vec![about], after)
}

fn store_pair(isa: &Isa) -> Probe {
    let about = Inst::StorePair {
        src: [Reg(0), Reg(1)],
        mem: buffer(RESULT),
    };
    let before = vec![load_full(isa, 0, A), load_full(isa, 1, B)];
    probe(isa, before, vec![about], vec![])
}

/// Loads a whole register, so that what an instruction does to the parts that it is not about is seen too.
fn load_full(isa: &Isa, register: u32, from: i32) -> Inst {
    Inst::Vector {
        op: Op::Move,
        width: isa.encoding.register(),
        dst: Reg(register),
        a: None,
        b: Some(Src::Mem(buffer(from))),
    }
}

fn store_full(isa: &Isa, register: u32) -> Inst {
    Inst::Store {
        width: isa.encoding.register(),
        src: Reg(register),
        part: None,
        mem: buffer(RESULT),
    }
}

fn load(dst: Gpr, from: i32) -> Inst {
    Inst::Load {
        bits: 64,
        dst,
        mem: buffer(from),
    }
}

fn keep(src: Gpr, offset: i32) -> Inst {
    Inst::StoreGpr {
        bits: 64,
        src,
        mem: buffer(RESULT + offset),
    }
}

/// The first stand-in for registers: those from sixteen on make other names of instructions.
fn first_of(registers: &[Reg]) -> u32 {
    if registers.iter().any(|register| register.0 >= 16) {
        16
    } else {
        0
    }
}

fn vector(isa: &Isa, op: Op, width: Width, dst: Reg, a: Option<Reg>, b: Option<Src>) -> Probe {
    let mut registers = vec![dst];
    registers.extend(a);
    if let Some(Src::Reg(b)) = b {
        registers.push(b);
    }
    let first = first_of(&registers);
    let replaces = op.replaces() || isa.encoding == Encoding::Legacy && a == Some(dst);
    let target = if replaces { first } else { first + 2 };
    let second = match b {
        Some(Src::Reg(_)) => Some(Src::Reg(Reg(first + 1))),
        Some(Src::Gpr(_)) => Some(Src::Gpr(Gpr::T0)),
        // The prover wants the bytes to take to be constants.
        Some(Src::Mem(mem)) if op == Op::ShuffleBytes => Some(Src::Mem(mem)),
        Some(Src::Mem(mem)) => Some(Src::Mem(operand(isa, mem, B))),
        None => None,
    };
    let about = Inst::Vector {
        op,
        width,
        dst: Reg(target),
        a: a.map(|_| Reg(first)),
        b: second,
    };
    let before = vec![
        load_full(isa, first, A),
        load_full(isa, first + 1, B),
        load_full(isa, first + 2, OLD),
        load(Gpr::T0, B),
    ];
    probe(isa, before, vec![about], vec![store_full(isa, target)])
}

fn store(isa: &Isa, width: Width, src: Reg, part: Option<u8>, mem: Mem) -> Probe {
    let first = first_of(&[src]);
    let about = Inst::Store {
        width,
        src: Reg(first),
        part,
        mem: operand(isa, mem, RESULT),
    };
    probe(isa, vec![load_full(isa, first, A)], vec![about], vec![])
}

/// The probes of an instruction on general registers.
fn general(isa: &Isa, inst: &Inst) -> Vec<Probe> {
    let stand_in = |of: [Gpr; 2], register: Gpr| of[usize::from(asm::x86::numbered(register))];
    let two = |dst: Gpr, src: Gpr| (stand_in(FIRST, dst), stand_in(SECOND, src));
    let loads = |dst, src| vec![load(dst, A), load(src, B)];
    // What is taken or not depends on the second argument, in RSI.
    let moves = |value, condition, (dst, src)| {
        let mut about = vec![
            Inst::Compare { a: Gpr::A1, value },
            Inst::MoveIf {
                condition,
                dst,
                src,
            },
        ];
        if isa.encoding == Encoding::A64 {
            // An addition compares nothing there.
            about.insert(1, Inst::AddGpr { dst: src, value: 4 });
        }
        probe(isa, loads(dst, src), about, vec![keep(dst, 0)])
    };
    match *inst {
        Inst::Load { bits, dst, mem } => {
            let (dst, mem) = (stand_in(FIRST, dst), operand(isa, mem, A));
            let about = vec![Inst::Load { bits, dst, mem }];
            vec![probe(isa, vec![load(dst, B)], about, vec![keep(dst, 0)])]
        }
        Inst::StoreGpr { bits, src, mem } => {
            let (src, mem) = (stand_in(FIRST, src), operand(isa, mem, RESULT));
            let about = vec![Inst::StoreGpr { bits, src, mem }];
            vec![probe(isa, vec![load(src, A)], about, vec![])]
        }
        Inst::MoveGpr { dst, src } => {
            let (dst, src) = two(dst, src);
            let about = vec![Inst::MoveGpr { dst, src }];
            vec![probe(isa, loads(dst, src), about, vec![keep(dst, 0)])]
        }
        Inst::AndGpr { dst, src } => {
            let (dst, src) = two(dst, src);
            let about = vec![Inst::AndGpr { dst, src }];
            vec![probe(isa, loads(dst, src), about, vec![keep(dst, 0)])]
        }
        Inst::AddGprs { dst, .. } => {
            let dst = stand_in(FIRST, dst);
            let src = Gpr::A1;
            let about = vec![Inst::AddGprs { dst, src }];
            vec![probe(isa, vec![load(dst, A)], about, vec![keep(dst, 0)])]
        }
        Inst::SetGpr { dst, value } => {
            let dst = stand_in(FIRST, dst);
            let about = vec![Inst::SetGpr { dst, value }];
            vec![probe(isa, vec![load(dst, A)], about, vec![keep(dst, 0)])]
        }
        // The stack pointer has a probe of its own.
        Inst::AddGpr { dst, value } if dst != Gpr::Sp => {
            let dst = stand_in(FIRST, dst);
            let about = vec![Inst::AddGpr { dst, value }];
            vec![probe(isa, vec![load(dst, A)], about, vec![keep(dst, 0)])]
        }
        Inst::Address { dst, mem } if dst != Gpr::Sp => {
            let dst = stand_in(FIRST, dst);
            let base = SECOND[0];
            let far = isa.encoding == Encoding::A64 && mem.offset.abs() > BUFFER as i32;
            let offset = if far {
                mem.offset
            } else {
                64 * mem.offset.signum()
            };
            let mem = Mem::unaligned(base, offset);
            let about = vec![Inst::Address { dst, mem }];
            let before = vec![Inst::Address {
                dst: base,
                mem: buffer(B),
            }];
            let after = vec![
                Inst::Load {
                    bits: 64,
                    dst,
                    mem: Mem::unaligned(dst, 0),
                },
                keep(dst, 0),
            ];
            let back = far.then_some(Inst::AddGpr {
                dst,
                value: -offset,
            });
            let after = back.into_iter().chain(after).collect();
            vec![probe(isa, before, about, after)]
        }
        Inst::Exchange { a, b } => {
            let (a, b) = two(a, b);
            let about = vec![Inst::Exchange { a, b }];
            vec![probe(isa, loads(a, b), about, vec![keep(a, 0), keep(b, 8)])]
        }
        Inst::Compare { value, .. } => [Condition::Equal, Condition::NotEqual]
            .map(|condition| moves(value, condition, (FIRST[0], SECOND[0])))
            .into(),
        Inst::MoveIf {
            condition,
            dst,
            src,
        } => vec![moves(1, condition, two(dst, src))],
        Inst::JumpIf { condition, .. } => {
            // Once more than the second argument says.
            let step = |dst, value| Inst::AddGpr { dst, value };
            let [counted, counter] = [FIRST[0], Gpr::A1];
            let mut about = vec![step(counter, -1)];
            if matches!(isa.encoding, Encoding::A64 | Encoding::Intrinsics) {
                // An addition compares nothing there.
                about.push(Inst::Compare {
                    a: counter,
                    value: 0,
                });
            }
            about.push(Inst::JumpIf {
                condition,
                block: 1,
            });
            let [start, turn] = [
                vec![load(counted, A), step(counter, 1)],
                [&[step(counted, 1)], &about[..]].concat(),
            ]
            .map(|code| Block {
                code,
                ..Block::default()
            });
            let mut whole = probe(isa, vec![], vec![], vec![keep(counted, 0)]);
            whole.blocks.splice(0..0, [start, turn]);
            whole.text = text_of(isa, &about);
            vec![whole]
        }
        Inst::Push { src } if src != Gpr::Fp => {
            let (src, dst) = two(src, src);
            let about = vec![Inst::Push { src }, Inst::Pop { dst }];
            vec![probe(isa, loads(src, dst), about, vec![keep(dst, 0)])]
        }
        Inst::Prefetch { .. } => {
            let mem = buffer(A);
            vec![probe(isa, vec![], vec![Inst::Prefetch { mem }], vec![])]
        }
        _ => Vec::new(),
    }
}

/// A store to what is kept beside the variables, and a load from there.
fn local(isa: &Isa) -> Probe {
    let at = Mem::aligned(Gpr::Sp, 16);
    let store = Inst::Store {
        width: isa.width,
        src: Reg(0),
        part: None,
        mem: at,
    };
    let load = Inst::Vector {
        op: Op::Move,
        width: isa.width,
        dst: Reg(1),
        a: None,
        b: Some(Src::Mem(at)),
    };
    let (before, after) = (vec![load_full(isa, 0, A)], vec![store_full(isa, 1)]);
    Probe {
        frame: 64,
        ..probe(isa, before, vec![store, load], after)
    }
}

/// What enters and leaves a stack frame, around a store and a load there that must be aligned; on AArch64, also by
/// addresses that were made of the stack pointer.
fn frame(isa: &Isa) -> Probe {
    let width = isa.encoding.register();
    let stack = |mem| Inst::Address { dst: Gpr::Sp, mem };
    let moved = |from, to, by| {
        [
            Inst::Store {
                width,
                src: Reg(from),
                part: None,
                mem: by,
            },
            Inst::Vector {
                op: Op::Move,
                width,
                dst: Reg(from + 1),
                a: None,
                b: Some(Src::Mem(to)),
            },
        ]
    };
    let at = Mem::aligned(Gpr::Sp, 0);
    let mut inside = moved(0, at, at).to_vec();
    let mut last = 1;
    if isa.encoding == Encoding::A64 {
        for (dst, offset) in [(Gpr::T0, 0), (Gpr::T1, 16)] {
            let mem = at.plus(offset);
            inside.push(Inst::Address { dst, mem });
            // Not where the value was before.
            let by = Mem::aligned(dst, 32 - offset);
            inside.extend(moved(last, at.plus(32), by));
            last += 1;
        }
    }
    let (enter, leave) = match isa.encoding {
        Encoding::A64 => (
            vec![Inst::Enter { bytes: 64 }],
            vec![Inst::Leave { bytes: 64 }],
        ),
        _ => (
            vec![
                Inst::Push { src: Gpr::Fp },
                Inst::MoveGpr {
                    dst: Gpr::Fp,
                    src: Gpr::Sp,
                },
                Inst::Push { src: Gpr::S0 },
                stack(Mem::unaligned(Gpr::Sp, -64)),
                Inst::AlignStack { bytes: 64 },
            ],
            vec![
                Inst::SetGpr {
                    dst: Gpr::S0,
                    value: 1,
                },
                stack(Mem::unaligned(Gpr::Fp, -8)),
                Inst::Pop { dst: Gpr::S0 },
                Inst::Pop { dst: Gpr::Fp },
            ],
        ),
    };
    let about = [enter, inside, leave].concat();
    Probe {
        frame: 64,
        ..probe(
            isa,
            vec![load_full(isa, 0, A)],
            about,
            vec![store_full(isa, last)],
        )
    }
}
