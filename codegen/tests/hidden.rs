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
    let why = "a comparison with 4";
    refused(AVX2, "chunks8", 1, &when(Gpr::A1, 4, Gpr::A2, Gpr::A4), why);
    refused(
        AVX2,
        "messages8",
        1,
        &when(Gpr::A1, 4, Gpr::A4, Gpr::T1),
        why,
    );
    refused(SSE2, "blocks", 1, &when(Gpr::A2, 4, Gpr::A4, Gpr::A5), why);
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
