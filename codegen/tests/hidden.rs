//! Damages of more than one instruction: conditions that the counts that are run would never meet, state hidden from
//! the contracts, and text that is not what was modelled. Each was once accepted.

use codegen::ir::{Condition, Gpr, Inst, Mem, Op, Reg, Src, Width};
use codegen::isa::{self, Constants, Isa};
use codegen::kernel::{Kernel, kernels};
use codegen::prove::prove;

fn kernel(isa: &'static Isa, name: &str) -> Kernel {
    let all = kernels(isa);
    all.into_iter()
        .find(|kernel| kernel.name == name)
        .expect("a kernel of that name")
}

/// Puts code at the start of a block, and sees that the proof refuses the kernel and says why.
fn refused(isa: &'static Isa, name: &str, block: usize, code: &[Inst], why: &str) {
    let mut kernel = kernel(isa, name);
    kernel.blocks[block].code.splice(0..0, code.iter().cloned());
    expect_refusal(&kernel, why);
}

fn expect_refusal(kernel: &Kernel, why: &str) {
    let constants = Constants::new(kernel.isa);
    let error = prove(kernel, &constants).expect_err("a damaged kernel was accepted");
    assert!(
        error.contains(why),
        "refused for another reason than {why:?}: {error}"
    );
}

const AVX2: &Isa = &isa::avx2::AVX2;
const SSE2: &Isa = &isa::sse2::SSE2;
const NEON: &Isa = &isa::neon::NEON;
const SVE2: &Isa = &isa::sve2::SVE2;

fn move_to(dst: Gpr, src: Gpr) -> Inst {
    Inst::MoveGpr { dst, src }
}

fn add(dst: Gpr, value: i32) -> Inst {
    Inst::AddGpr { dst, value }
}

fn store(mem: Mem) -> Inst {
    Inst::Store {
        width: Width::X,
        src: Reg(0),
        part: None,
        mem,
    }
}

fn when(count: Gpr, value: i32, dst: Gpr, src: Gpr) -> [Inst; 2] {
    let condition = Condition::Equal;
    [
        Inst::Compare { a: count, value },
        Inst::MoveIf {
            condition,
            dst,
            src,
        },
    ]
}

#[test]
fn conditions_beyond_the_counts_that_are_run() {
    let places = [
        (AVX2, "chunks8", Gpr::A1, Gpr::A2, Gpr::A4),
        (AVX2, "messages8", Gpr::A1, Gpr::A4, Gpr::T1),
        (SSE2, "blocks", Gpr::A2, Gpr::A4, Gpr::A5),
        (NEON, "chunks4", Gpr::A1, Gpr::A2, Gpr::A4),
        (NEON, "parents8", Gpr::A1, Gpr::A2, Gpr::A4),
        (SVE2, "messages4", Gpr::A1, Gpr::A4, Gpr::T1),
        (SVE2, "output8", Gpr::A5, Gpr::A4, Gpr::T1),
    ];
    for (isa, name, count, dst, src) in places {
        let why = "no comparison with 3";
        refused(isa, name, 1, &when(count, 3, dst, src), why);
        // The same by arithmetic: nine are left.
        let mut code = vec![move_to(Gpr::T0, count), add(Gpr::T0, -9)];
        code.extend(when(Gpr::T0, 0, dst, src));
        refused(isa, name, 1, &code, "no comparison with 0");
        // A loop of its own would count them all.
        let mut damaged = kernel(isa, name);
        let mut code = vec![move_to(Gpr::T0, count)];
        for _ in 0..5 {
            code.push(add(Gpr::T0, -1));
            code.extend(when(Gpr::T0, 0, dst, dst));
        }
        damaged.blocks[1].code.splice(0..0, code);
        expect_refusal(&damaged, "no comparison with 0");
        // A table of what to do, with the count as the index.
        let sp = Mem::unaligned(Gpr::Sp, 0);
        let index = [
            Inst::Address {
                dst: Gpr::T0,
                mem: sp,
            },
            Inst::AddGprs {
                dst: Gpr::T0,
                src: count,
            },
        ];
        refused(isa, name, 1, &index, "no number to add");
    }
    // On x86-64 an addition compares too.
    let mut code = vec![move_to(Gpr::T0, Gpr::A1), add(Gpr::T0, -9)];
    code.push(when(Gpr::T0, 0, Gpr::A2, Gpr::A4)[1].clone());
    refused(AVX2, "chunks8", 1, &code, "nothing was compared");
}

/// The place before the first instruction that is meant, in a block.
fn before(kernel: &mut Kernel, block: usize, meant: impl Fn(&Inst) -> bool, code: Vec<Inst>) {
    let inside = &mut kernel.blocks[block].code;
    let at = inside.iter().position(meant).expect("such an instruction");
    inside.splice(at..at, code);
}

/// What is wrong only when at least three are left.
fn unless_one_or_two(count: Gpr, dst: Gpr, src: Gpr) -> Vec<Inst> {
    [1, 2].map(|left| when(count, left, dst, src)).concat()
}

#[test]
fn an_iteration_in_the_middle_that_no_short_run_has() {
    use codegen::layout::lanes::Fields;
    for (isa, name, lanes) in [
        (AVX2, "messages8", 8),
        (NEON, "messages4", 4),
        (SVE2, "messages8", 8),
    ] {
        // The flags of the first block again, with three or more left: three blocks have this in the first only.
        let mem = Mem::unaligned(Gpr::A0, Fields::new(lanes).flags);
        let mut code = vec![Inst::Address { dst: Gpr::T0, mem }];
        code.extend(unless_one_or_two(Gpr::A1, Gpr::T0, Gpr::A4));
        code.push(move_to(Gpr::A4, Gpr::T0));
        refused(isa, name, 1, &code, "count 4: ");

        // One buffer is written over, which is done with in every other iteration.
        let mut damaged = kernel(isa, name);
        let mem = Mem::unaligned(Gpr::Sp, 0);
        let mut code = vec![Inst::Address { dst: Gpr::T0, mem }];
        code.extend(unless_one_or_two(Gpr::A1, Gpr::T0, Gpr::T2));
        code.push(store(Mem::unaligned(Gpr::T0, 0)));
        let exchange = |inst: &Inst| {
            *inst == move_to(Gpr::S4, Gpr::T2) || matches!(inst, Inst::Exchange { a: Gpr::T2, .. })
        };
        before(&mut damaged, 1, exchange, code);
        expect_refusal(&damaged, "count 4: copied message word 0 of lane 0");
    }
    // A block that is not there, in the first of three only.
    let (bits, dst, mem) = (64, Gpr::A4, Mem::unaligned(Gpr::A2, 3 * 64));
    let mut code = vec![Inst::Address { dst, mem }];
    code.extend(unless_one_or_two(Gpr::A1, dst, Gpr::A2));
    let mem = Mem::unaligned(Gpr::A4, 0);
    code.push(Inst::Load { bits, dst, mem });
    refused(
        SSE2,
        "rows2",
        1,
        &code,
        "bytes 192 to 200 are outside input",
    );
}

#[test]
fn words_hidden_on_the_stack() {
    // A word of the key, kept where a register of the caller's might have been pushed.
    let mut damaged = kernel(AVX2, "chunks8");
    let place = Mem::unaligned(Gpr::Fp, -8 * (damaged.saved.len() as i32 + 1));
    let frame = |inst: &Inst| matches!(inst, Inst::Address { dst: Gpr::Sp, .. });
    let mem = Mem::unaligned(Gpr::A2, 0);
    let (bits, dst, src) = (64, Gpr::T0, Gpr::T0);
    let keep = vec![
        Inst::Push { src },
        Inst::Load { bits, dst, mem },
        Inst::StoreGpr {
            bits,
            src,
            mem: place,
        },
    ];
    before(&mut damaged, 0, frame, keep);
    for inst in &mut damaged.blocks[1].code {
        if let Inst::Vector {
            b: Some(Src::Mem(from)),
            ..
        } = inst
            && *from == mem
        {
            *from = place;
        }
    }
    expect_refusal(&damaged, "found undefined");
}

#[test]
fn the_callers_vector_registers_moved_about() {
    for (isa, name) in [
        (NEON, "chunks4"),
        (NEON, "messages8"),
        (SVE2, "parents4"),
        (SVE2, "output8"),
    ] {
        let good = kernel(isa, name);
        let saved: Vec<Mem> = good.blocks[0]
            .code
            .iter()
            .filter_map(|inst| match inst {
                Inst::Store { src, mem, .. } if isa::SAVED_BY_A64.contains(&src.0) => Some(*mem),
                _ => None,
            })
            .take(2)
            .collect();
        let [one, other] = saved[..] else {
            panic!("{name} saves too little")
        };
        let scratch = [Reg(30), Reg(31)];
        let load = |dst, mem| Inst::Vector {
            op: Op::Move,
            width: Width::X,
            dst,
            a: None,
            b: Some(Src::Mem(mem)),
        };
        let keep = |src, mem| Inst::Store {
            width: Width::X,
            src,
            part: None,
            mem,
        };
        let address = |dst, mem| Inst::Address { dst, mem };
        let here = |register| Mem::unaligned(register, 0);
        let count = if name.starts_with("output") {
            Gpr::A5
        } else {
            Gpr::A1
        };
        // They change places unless this is the last iteration.
        let mut code = vec![address(Gpr::T0, one), address(Gpr::S1, other)];
        code.extend(when(count, 1, Gpr::T0, Gpr::S1));
        code.extend([
            load(scratch[0], here(Gpr::T0)),
            load(scratch[1], here(Gpr::S1)),
            keep(scratch[0], here(Gpr::S1)),
            keep(scratch[1], here(Gpr::T0)),
        ]);
        let end = |inst: &Inst| *inst == add(count, -1);
        let mut damaged = good.clone();
        let block = if name.starts_with("chunks") { 3 } else { 1 };
        before(&mut damaged, block, end, code);
        expect_refusal(&damaged, "what the caller wants back is elsewhere");
        // One of them is written over.
        let mut damaged = good.clone();
        let over = vec![keep(Reg(0), one)];
        before(&mut damaged, block, end, over);
        expect_refusal(&damaged, "is not back");
        // What is there is not what is saved there: in the last iteration, it is back.
        let mut code = vec![
            load(scratch[0], one),
            address(Gpr::T0, other),
            address(Gpr::S1, one),
        ];
        code.extend(when(count, 1, Gpr::T0, Gpr::S1));
        code.push(keep(scratch[0], here(Gpr::T0)));
        let mut damaged = good.clone();
        before(&mut damaged, block, end, code);
        expect_refusal(&damaged, "what the caller wants back is elsewhere");
        // A copy of one, and no more to see: the next iteration might take it for another.
        if name.starts_with("parents") {
            let copies = good.isa.tuning(good.width).copies;
            let frame = codegen::layout::lanes::Frame::new(good.width, copies);
            let unused = Mem::unaligned(Gpr::Sp, frame.counters[0]);
            let mut damaged = good.clone();
            let code = vec![load(scratch[0], one), keep(scratch[0], unused)];
            before(&mut damaged, block, end, code);
            expect_refusal(&damaged, "what the caller wants back is elsewhere");
        }
    }
}

#[test]
fn the_table_register_as_a_hiding_place() {
    for (isa, name, block) in [(NEON, "chunks4", 3), (SVE2, "messages8", 1)] {
        let zero = Inst::SetGpr {
            dst: Gpr::Table,
            value: 0,
        };
        let head = [zero.clone()];
        refused(isa, name, 1, &head, "the address of the constants is not");
        refused(isa, name, 1, &[add(Gpr::Table, 16)], "no address: Table");
        let mut damaged = kernel(isa, name);
        let end = |inst: &Inst| *inst == add(Gpr::A1, -1);
        before(&mut damaged, block, end, vec![zero.clone()]);
        expect_refusal(&damaged, "Table has become Undefined");
        // Loaded late, in the loop.
        let mut damaged = kernel(isa, name);
        damaged.blocks[0]
            .code
            .retain(|inst| *inst != Inst::LoadTable);
        damaged.blocks[1].code.insert(0, Inst::LoadTable);
        expect_refusal(&damaged, "Table has become Table");
        // There all the time, and something else at the heads.
        let mut damaged = kernel(isa, name);
        let mut code = vec![move_to(Gpr::S2, Gpr::Table)];
        code.extend([move_to(Gpr::Table, Gpr::A1), move_to(Gpr::S3, Gpr::Table)]);
        before(&mut damaged, block, end, code);
        expect_refusal(&damaged, "Table has become");
    }
}

#[test]
fn flags_and_registers_of_the_iteration_before() {
    let last = when(Gpr::A1, 1, Gpr::A2, Gpr::A4)[1].clone();
    for (isa, name, block) in [
        (NEON, "chunks4", 1),
        (NEON, "chunks8", 2),
        (SVE2, "parents4", 1),
        (SVE2, "messages4", 1),
    ] {
        refused(
            isa,
            name,
            block,
            std::slice::from_ref(&last),
            "nothing was compared",
        );
        // All registers that no contract names, the frame pointer of x86-64 among them.
        for register in [Gpr::T0, Gpr::S1, Gpr::S2, Gpr::S3, Gpr::S4, Gpr::Fp] {
            let mut damaged = kernel(isa, name);
            let value = 10;
            damaged.blocks[0].code.push(Inst::SetGpr {
                dst: register,
                value,
            });
            damaged.blocks[block].code.insert(0, add(register, -1));
            expect_refusal(&damaged, "no address: Undefined");
            let mut damaged = kernel(isa, name);
            damaged.blocks[0].code.push(move_to(register, Gpr::A0));
            let (bits, dst, mem) = (64, Gpr::T0, Mem::unaligned(register, 0));
            damaged.blocks[block]
                .code
                .insert(0, Inst::Load { bits, dst, mem });
            expect_refusal(&damaged, "is no address: Undefined");
        }
    }
    // An addition does not compare there: the loop ends by what was compared last.
    for (isa, name) in [(NEON, "parents8"), (SVE2, "chunks4")] {
        let mut damaged = kernel(isa, name);
        for block in &mut damaged.blocks {
            block
                .code
                .retain(|inst| !matches!(inst, Inst::Compare { value: 0, .. }));
        }
        expect_refusal(&damaged, "was due");
    }
}

#[test]
fn more_of_a_register_than_there_is() {
    for isa in [NEON, SVE2, SSE2] {
        for mut damaged in kernels(isa) {
            let store = damaged
                .blocks
                .iter_mut()
                .flat_map(|block| &mut block.code)
                .find_map(|inst| match inst {
                    Inst::Store { width, .. } => Some(width),
                    _ => None,
                });
            *store.expect("a store") = Width::Y;
            expect_refusal(&damaged, "no register here has 32 bytes");
        }
    }
}

#[test]
fn earlier_outputs_written_over() {
    let mut damaged = kernel(AVX2, "chunks8");
    let leave = &mut damaged.blocks[3].code;
    let at = leave
        .iter()
        .position(|inst| matches!(inst, Inst::AddGpr { dst: Gpr::A5, .. }))
        .expect("the output goes on");
    let mut code = vec![
        Inst::MoveGpr {
            dst: Gpr::T0,
            src: Gpr::A5,
        },
        Inst::Address {
            dst: Gpr::S1,
            mem: Mem::unaligned(Gpr::A5, -256),
        },
    ];
    code.extend(when(Gpr::A1, 2, Gpr::T0, Gpr::S1));
    code.push(Inst::Store {
        width: Width::X,
        src: Reg(0),
        part: None,
        mem: Mem::unaligned(Gpr::T0, 0),
    });
    leave.splice(at..at, code);
    expect_refusal(&damaged, "chunks8");
}

#[test]
fn counters_and_pointers_hidden_in_registers() {
    let mut damaged = kernel(SSE2, "rows2");
    damaged.blocks[0].code.push(Inst::SetGpr {
        dst: Gpr::A4,
        value: 10,
    });
    let mut code = vec![Inst::AddGpr {
        dst: Gpr::A4,
        value: -1,
    }];
    code.extend(when(Gpr::A4, 1, Gpr::T0, Gpr::T2));
    damaged.blocks[1].code.splice(0..0, code);
    expect_refusal(&damaged, "no address: Undefined");

    let mut damaged = kernel(SSE2, "rows2");
    damaged.blocks[0].code.push(Inst::MoveGpr {
        dst: Gpr::A4,
        src: Gpr::A0,
    });
    let load = Inst::Vector {
        op: Op::LoadLow,
        width: Width::X,
        dst: Reg(15),
        a: None,
        b: Some(Src::Mem(Mem::unaligned(Gpr::A4, 0))),
    };
    damaged.blocks[1].code.splice(
        0..0,
        [
            load,
            Inst::AddGpr {
                dst: Gpr::A4,
                value: 64,
            },
        ],
    );
    expect_refusal(&damaged, "A4 is no address");
}

#[test]
fn state_hidden_in_the_callers_memory() {
    // What was stored to an output is not to be read back.
    let mut damaged = kernel(AVX2, "chunks8");
    let back = Inst::Load {
        bits: 32,
        dst: Gpr::T0,
        mem: Mem::unaligned(Gpr::A5, -4),
    };
    let leave = &mut damaged.blocks[3].code;
    let at = leave
        .iter()
        .position(|inst| matches!(inst, Inst::AddGpr { dst: Gpr::A5, .. }))
        .expect("the output goes on");
    leave.insert(at + 1, back);
    expect_refusal(&damaged, "is not to be read");

    // The argument structure holds chaining values at the end, and nothing of the kernel's before.
    let store = Inst::StoreGpr {
        bits: 64,
        src: Gpr::A1,
        mem: Mem::unaligned(Gpr::A0, 0),
    };
    let mut damaged = kernel(AVX2, "messages8");
    damaged.blocks[0].code.push(store.clone());
    expect_refusal(&damaged, "is written over");
    let mut damaged = kernel(SSE2, "blocks");
    damaged.blocks[0].code.push(store);
    expect_refusal(&damaged, "is written over");
}

#[test]
fn memory_below_the_stack_pointer() {
    let place = Mem::unaligned(Gpr::Sp, -64);
    let (width, dst) = (Width::X, Reg(0));
    let spill = [
        Inst::Store {
            width,
            src: dst,
            part: None,
            mem: place,
        },
        Inst::Vector {
            op: Op::Move,
            width,
            dst,
            a: None,
            b: Some(Src::Mem(place)),
        },
    ];
    refused(SSE2, "blocks", 1, &spill, "below the stack pointer");
    let given_up = [512, -512].map(|value| Inst::AddGpr {
        dst: Gpr::Sp,
        value,
    });
    refused(
        AVX2,
        "chunks8",
        1,
        &given_up,
        "the stack pointer has become",
    );
    for (isa, name) in [(NEON, "chunks4"), (NEON, "output8"), (SVE2, "messages8")] {
        refused(isa, name, 1, &spill, "below the stack pointer");
        refused(isa, name, 1, &given_up, "the stack pointer has become");
        // Before there is a frame, and by an address that was made then.
        refused(isa, name, 0, &spill, "below the stack pointer");
        let early = [Inst::Address {
            dst: Gpr::S3,
            mem: place,
        }];
        let mut damaged = kernel(isa, name);
        damaged.blocks[0].code.splice(0..0, early);
        damaged.blocks[0]
            .code
            .push(store(Mem::unaligned(Gpr::S3, 0)));
        expect_refusal(&damaged, "are outside stack");
        // A stack pointer that is no multiple of 16, and the stack of the caller.
        let odd = [-8, 8].map(|value| add(Gpr::Sp, value));
        refused(isa, name, 0, &odd, "the stack pointer has become");
        let (bits, src, mem) = (64, Gpr::A0, Mem::unaligned(Gpr::Sp, 0));
        let over = [Inst::StoreGpr { bits, src, mem }];
        refused(isa, name, 0, &over, "was overwritten");
    }
}

#[test]
fn text_that_is_not_what_was_modelled() {
    let forward = Inst::JumpIf {
        condition: Condition::Equal,
        block: 2,
    };
    let mut damaged = kernel(SSE2, "blocks");
    damaged.blocks[1].code.push(forward);
    expect_refusal(&damaged, "a jump forward");
    let smuggled = [Inst::Unwind("mov rdi, 0".into())];
    refused(SSE2, "blocks", 1, &smuggled, "no directive");
    for text in [".cfi_endproc\nmov x0, 0", ".cfi_endproc; ret"] {
        let smuggled = [Inst::Unwind(text.into())];
        refused(NEON, "chunks4", 1, &smuggled, "no directive");
    }
    let smuggled = [Inst::Note("a note\n\"ret\",".into())];
    refused(NEON, "chunks4", 1, &smuggled, "more than a comment");
    // Copies of registers that would clear the upper half.
    for isa in isa::ALL {
        for mut damaged in kernels(isa) {
            let copy = damaged
                .blocks
                .iter_mut()
                .flat_map(|block| &mut block.code)
                .find_map(|inst| match inst {
                    Inst::Vector {
                        op: op @ Op::Move,
                        b: Some(Src::Reg(_)),
                        ..
                    } => Some(op),
                    _ => None,
                });
            if let Some(op) = copy {
                *op = Op::LoadLowQuad;
                expect_refusal(&damaged, "no register here");
                break;
            }
        }
    }
}
