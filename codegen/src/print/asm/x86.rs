//! The instructions of x86-64, in Intel's syntax.

use super::FIRST_LABEL;
use crate::ir::{Base, Condition, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Encoding, Isa};

/// The text of an instruction.
pub(super) fn instruction(isa: &Isa, inst: &Inst) -> String {
    let encoding = isa.encoding;
    match *inst {
        Inst::Vector {
            op,
            width,
            dst,
            a,
            b,
        } => vector(encoding, op, width, dst, a, b),
        Inst::Store {
            width,
            src,
            part: None | Some(0),
            mem,
        } => {
            let width = if matches!(*inst, Inst::Store { part: Some(0), .. }) {
                Width::X
            } else {
                width
            };
            let name = mover(encoding, width, &[src], mem.aligned);
            format!(
                "{name} {}, {}",
                memory(mem, pointer(width)),
                register(src, width)
            )
        }
        Inst::Store {
            width,
            src,
            part: Some(part),
            mem,
        } => {
            let name = if width == Width::Z || src.0 >= 16 {
                "vextracti32x4"
            } else {
                "vextracti128"
            };
            format!(
                "{name} {}, {}, {part}",
                memory(mem, pointer(Width::X)),
                register(src, width)
            )
        }
        Inst::Load { bits: 32, dst, mem } => {
            format!("mov {}, {}", gpr32(dst), memory(mem, "dword"))
        }
        Inst::Load { dst, mem, .. } => format!("mov {}, {}", gpr(dst), memory(mem, "qword")),
        Inst::StoreGpr { bits: 32, src, mem } => {
            format!("mov {}, {}", memory(mem, "dword"), gpr32(src))
        }
        Inst::StoreGpr { src, mem, .. } => format!("mov {}, {}", memory(mem, "qword"), gpr(src)),
        Inst::MoveGpr { dst, src } => format!("mov {}, {}", gpr(dst), gpr(src)),
        Inst::AndGpr { dst, src } => format!("and {}, {}", gpr(dst), gpr(src)),
        Inst::SetGpr { dst, value } => format!("mov {}, {value}", gpr32(dst)),
        Inst::AddGpr { dst, value } if value < 0 => format!("sub {}, {}", gpr(dst), -value),
        Inst::AddGpr { dst, value } => format!("add {}, {value}", gpr(dst)),
        Inst::AddGprs { dst, src } => format!("add {}, {}", gpr(dst), gpr(src)),
        Inst::Address { dst, mem } => format!("lea {}, {}", gpr(dst), address(mem)),
        Inst::AlignStack { bytes } => format!("and rsp, -{bytes}"),
        Inst::Exchange { a, b } => format!("xchg {}, {}", gpr(a), gpr(b)),
        Inst::Compare { a, value: 0 } => format!("test {0}, {0}", gpr(a)),
        Inst::Compare { a, value } => format!("cmp {}, {value}", gpr(a)),
        Inst::MoveIf {
            condition,
            dst,
            src,
        } => format!("cmov{} {}, {}", suffix(condition), gpr(dst), gpr(src)),
        Inst::JumpIf { condition, block } => {
            format!("j{} {}b", suffix(condition), block + FIRST_LABEL)
        }
        Inst::Enter { .. }
        | Inst::Leave { .. }
        | Inst::LoadTable
        | Inst::LoadPair { .. }
        | Inst::StorePair { .. } => unreachable!("not an instruction of x86-64: {inst:?}"),
        Inst::Push { src } => format!("push {}", gpr(src)),
        Inst::Pop { dst } => format!("pop {}", gpr(dst)),
        Inst::Prefetch { mem } => format!("prefetcht0 {}", address(mem)),
        Inst::ZeroUpper => "vzeroupper".into(),
        Inst::Return => "ret".into(),
        Inst::Unwind(ref directive) => directive.clone(),
        Inst::Note(ref note) => format!("// {note}"),
    }
}

fn vector(
    encoding: Encoding,
    op: Op,
    width: Width,
    dst: Reg,
    a: Option<Reg>,
    b: Option<Src>,
) -> String {
    let registers: Vec<Reg> = [
        Some(dst),
        a,
        b.and_then(|b| if let Src::Reg(b) = b { Some(b) } else { None }),
    ]
    .into_iter()
    .flatten()
    .collect();
    // EVEX has its own names for what VEX can do with the first sixteen registers of up to 256 bits.
    let evex = encoding == Encoding::Evex
        && (width == Width::Z || registers.iter().any(|register| register.0 >= 16));
    let name = match op {
        Op::Move => match b {
            Some(Src::Mem(mem)) => mover(encoding, width, &registers, mem.aligned),
            _ => mover(encoding, width, &registers, true),
        }
        .trim_start_matches('v'),
        Op::Broadcast => "pbroadcastd",
        Op::BroadcastQuad => "pbroadcastq",
        Op::LoadLow => "movd",
        Op::LoadLowQuad => "movq",
        Op::LoadHighQuad => "movhps",
        Op::Add => "paddd",
        Op::AddQuad => "paddq",
        Op::Xor => {
            if evex {
                "pxord"
            } else {
                "pxor"
            }
        }
        Op::Or => {
            if evex {
                "pord"
            } else {
                "por"
            }
        }
        Op::ShiftRightInsert(_) | Op::XorRotate(_) | Op::TableBytes => {
            unreachable!("not an operation of x86-64: {op:?}")
        }
        Op::RotateRight(_) => "prord",
        Op::ShiftLeft(_) => "pslld",
        Op::ShiftRight(_) => "psrld",
        Op::ShuffleBytes => "pshufb",
        Op::ShuffleLanes(_) => "pshufd",
        Op::ShuffleLowHalves(_) => "pshuflw",
        Op::ShuffleHighHalves(_) => "pshufhw",
        Op::ShuffleTwo(_) => "shufps",
        Op::UnpackLow => "punpckldq",
        Op::UnpackHigh => "punpckhdq",
        Op::UnpackLowQuad => "punpcklqdq",
        Op::UnpackHighQuad => "punpckhqdq",
        Op::ShuffleParts(_) => "shufi32x4",
        Op::Insert(_) => {
            if evex {
                "inserti32x4"
            } else {
                "inserti128"
            }
        }
    };
    let prefix = if encoding == Encoding::Legacy {
        ""
    } else {
        "v"
    };
    let (destination, source) = match op {
        Op::LoadLow | Op::LoadLowQuad => {
            (Width::X, if op == Op::LoadLow { "dword" } else { "qword" })
        }
        Op::Broadcast => (width, "dword"),
        Op::LoadHighQuad => (width, "qword"),
        Op::BroadcastQuad => (width, "qword"),
        Op::Insert(_) => (width, pointer(Width::X)),
        _ => (width, pointer(width)),
    };
    let mut operands = vec![register(dst, destination)];
    let immediate = match op {
        Op::RotateRight(value) | Op::ShiftLeft(value) | Op::ShiftRight(value) => Some(value),
        Op::ShuffleLanes(value)
        | Op::ShuffleLowHalves(value)
        | Op::ShuffleHighHalves(value)
        | Op::ShuffleTwo(value)
        | Op::ShuffleParts(value)
        | Op::Insert(value) => Some(value),
        _ => None,
    };
    let replaces = encoding == Encoding::Legacy
        && !matches!(
            op,
            Op::ShuffleLanes(_) | Op::ShuffleLowHalves(_) | Op::ShuffleHighHalves(_)
        );
    if let Some(a) = a {
        if replaces {
            assert_eq!(
                a, dst,
                "a two-operand instruction replaces its first operand"
            );
        } else {
            operands.push(register(a, width));
        }
    }
    match b {
        None => {}
        Some(Src::Reg(b)) if op == Op::BroadcastQuad => operands.push(register(b, Width::X)),
        Some(Src::Reg(b)) => operands.push(register(b, width)),
        Some(Src::Mem(mem)) => operands.push(memory(mem, source)),
        Some(Src::Gpr(b)) => operands.push(gpr(b).into()),
    }
    operands.extend(immediate.map(|value| value.to_string()));
    format!("{prefix}{name} {}", operands.join(", "))
}

fn mover(encoding: Encoding, width: Width, registers: &[Reg], aligned: bool) -> &'static str {
    let evex = width == Width::Z || registers.iter().any(|register| register.0 >= 16);
    match (encoding, aligned) {
        (Encoding::Legacy, true) => "movdqa",
        (Encoding::Legacy, false) => "movdqu",
        (Encoding::Evex, true) if evex => "vmovdqa32",
        (Encoding::Evex, false) if evex => "vmovdqu32",
        (_, true) => "vmovdqa",
        (_, false) => "vmovdqu",
    }
}

fn register(register: Reg, width: Width) -> String {
    let letter = match width {
        Width::X => 'x',
        Width::Y => 'y',
        Width::Z => 'z',
    };
    format!("{letter}mm{}", register.0)
}

fn pointer(width: Width) -> &'static str {
    match width {
        Width::X => "xmmword",
        Width::Y => "ymmword",
        Width::Z => "zmmword",
    }
}

fn memory(mem: Mem, size: &str) -> String {
    format!("{size} ptr {}", address(mem))
}

fn address(mem: Mem) -> String {
    let base = match mem.base {
        Base::Gpr(base) => gpr(base),
        Base::Constants => "rip + {constants}",
    };
    match mem.offset {
        0 => format!("[{base}]"),
        offset if offset < 0 => format!("[{base} - {}]", -offset),
        offset => format!("[{base} + {offset}]"),
    }
}

/// The name of a general register.
pub fn gpr(register: Gpr) -> &'static str {
    match register {
        Gpr::A0 => "rdi",
        Gpr::A1 => "rsi",
        Gpr::A2 => "rdx",
        Gpr::A3 => "rcx",
        Gpr::A4 => "r8",
        Gpr::A5 => "r9",
        Gpr::T0 => "rax",
        Gpr::T1 => "r10",
        Gpr::T2 => "r11",
        Gpr::S0 => "rbx",
        Gpr::S1 => "r12",
        Gpr::S2 => "r13",
        Gpr::S3 => "r14",
        Gpr::S4 => "r15",
        Gpr::Fp => "rbp",
        Gpr::Sp => "rsp",
        Gpr::Table => unreachable!("the table has a name of its own"),
    }
}

/// Is a register named by number? Then other names are made for its halves.
pub fn numbered(register: Gpr) -> bool {
    gpr(register).ends_with(|last: char| last.is_ascii_digit())
}

fn gpr32(register: Gpr) -> String {
    let name = gpr(register);
    if numbered(register) {
        format!("{name}d")
    } else {
        format!("e{}", &name[1..])
    }
}

fn suffix(condition: Condition) -> &'static str {
    match condition {
        Condition::Equal => "e",
        Condition::NotEqual => "ne",
    }
}
