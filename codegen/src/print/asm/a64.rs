//! The instructions of AArch64.

use super::FIRST_LABEL;
use crate::ir::{Base, Condition, Gpr, Inst, Mem, Op, Reg, Src};

/// The name of a general register. The caller expects nothing in any of these but the stack pointer; x18 is the
/// platform's.
fn gpr(register: Gpr) -> &'static str {
    match register {
        Gpr::A0 => "x0",
        Gpr::A1 => "x1",
        Gpr::A2 => "x2",
        Gpr::A3 => "x3",
        Gpr::A4 => "x4",
        Gpr::A5 => "x5",
        Gpr::T0 => "x6",
        Gpr::T1 => "x7",
        Gpr::T2 => "x8",
        Gpr::S0 => "x9",
        Gpr::S1 => "x10",
        Gpr::S2 => "x11",
        Gpr::S3 => "x12",
        Gpr::S4 => "x13",
        Gpr::Fp => "x14",
        Gpr::Sp => "sp",
        Gpr::Table => "x15",
    }
}

fn gpr32(register: Gpr) -> String {
    gpr(register).replace('x', "w")
}

/// The text of an instruction.
pub(super) fn instruction(inst: &Inst) -> String {
    match *inst {
        Inst::Vector { op, dst, a, b, .. } => vector(op, dst, a, b),
        Inst::Store { src, mem, .. } => access("str", &quad(src), mem, 16),
        Inst::LoadPair { dst: [a, b], mem } => {
            format!("ldp {}, {}, {}", quad(a), quad(b), pair(mem))
        }
        Inst::StorePair { src: [a, b], mem } => {
            format!("stp {}, {}, {}", quad(a), quad(b), pair(mem))
        }
        Inst::Load { bits: 32, dst, mem } => access("ldr", &gpr32(dst), mem, 4),
        Inst::Load { dst, mem, .. } => access("ldr", gpr(dst), mem, 8),
        Inst::StoreGpr { bits: 32, src, mem } => access("str", &gpr32(src), mem, 4),
        Inst::StoreGpr { src, mem, .. } => access("str", gpr(src), mem, 8),
        Inst::MoveGpr { dst, src } => format!("mov {}, {}", gpr(dst), gpr(src)),
        Inst::AndGpr { dst, src } => format!("and {0}, {0}, {1}", gpr(dst), gpr(src)),
        Inst::SetGpr { dst, value } => format!("mov {}, #{value}", gpr32(dst)),
        Inst::AddGpr { dst, value } => add(dst, dst, value),
        Inst::AddGprs { dst, src } => format!("add {0}, {0}, {1}", gpr(dst), gpr(src)),
        Inst::Address {
            dst,
            mem:
                Mem {
                    base: Base::Gpr(base),
                    offset,
                    ..
                },
        } => add(dst, base, offset),
        Inst::Enter { bytes } => add(Gpr::Sp, Gpr::Sp, -bytes),
        Inst::Leave { bytes } => add(Gpr::Sp, Gpr::Sp, bytes),
        // Two instructions, whose names for the halves of an address differ between systems: a macro there.
        Inst::LoadTable => "table!()".into(),
        Inst::Compare { a, value } => format!("cmp {}, #{value}", gpr(a)),
        Inst::MoveIf {
            condition,
            dst,
            src,
        } => format!(
            "csel {0}, {1}, {0}, {2}",
            gpr(dst),
            gpr(src),
            suffix(condition)
        ),
        Inst::JumpIf { condition, block } => {
            format!("b.{} {}b", suffix(condition), block + FIRST_LABEL)
        }
        Inst::Prefetch { mem } => access("prfm", "pldl1keep", mem, 8),
        Inst::Return => "ret".into(),
        Inst::Unwind(ref directive) => directive.clone(),
        Inst::Note(ref note) => format!("// {note}"),
        Inst::Address { .. }
        | Inst::AlignStack { .. }
        | Inst::Exchange { .. }
        | Inst::Push { .. }
        | Inst::Pop { .. }
        | Inst::ZeroUpper => unreachable!("not an instruction of AArch64: {inst:?}"),
    }
}

fn vector(op: Op, dst: Reg, a: Option<Reg>, b: Option<Src>) -> String {
    let words = |register: Reg| format!("v{}.4s", register.0);
    let quads = |register: Reg| format!("v{}.2d", register.0);
    let bytes = |register: Reg| format!("v{}.16b", register.0);
    let first = || a.unwrap_or_else(|| unreachable!("{op:?} has a first operand"));
    let second = || match b {
        Some(Src::Reg(b)) => b,
        _ => unreachable!("{op:?} has a register for its second operand"),
    };
    let memory = || match b {
        Some(Src::Mem(mem)) => mem,
        _ => unreachable!("{op:?} loads"),
    };
    let three = |name: &str, form: &dyn Fn(Reg) -> String| {
        format!(
            "{name} {}, {}, {}",
            form(dst),
            form(first()),
            form(second())
        )
    };
    let replaced = || assert_eq!(a, Some(dst), "the first operand is replaced");
    match op {
        Op::Move if matches!(b, Some(Src::Mem(_))) => access("ldr", &quad(dst), memory(), 16),
        Op::Move => format!("mov {}, {}", bytes(dst), bytes(second())),
        Op::LoadLow => access("ldr", &format!("s{}", dst.0), memory(), 4),
        Op::LoadLowQuad => access("ldr", &format!("d{}", dst.0), memory(), 8),
        Op::Add => three("add", &words),
        Op::AddQuad => three("add", &quads),
        Op::Xor => three("eor", &bytes),
        Op::Or => three("orr", &bytes),
        Op::RotateRight(16) => format!("rev32 v{}.8h, v{}.8h", dst.0, first().0),
        Op::ShiftLeft(distance) => format!("shl {}, {}, #{distance}", words(dst), words(first())),
        Op::ShiftRight(distance) => format!("ushr {}, {}, #{distance}", words(dst), words(first())),
        Op::ShiftRightInsert(distance) => {
            replaced();
            format!("sri {}, {}, #{distance}", words(dst), words(second()))
        }
        Op::XorRotate(distance) => {
            replaced();
            format!("xar z{0}.s, z{0}.s, z{1}.s, #{distance}", dst.0, second().0)
        }
        Op::TableBytes => format!(
            "tbl {}, {{{{{}}}}}, {}",
            bytes(dst),
            bytes(first()),
            bytes(second())
        ),
        Op::ShuffleLanes(0) => format!("dup {}, v{}.s[0]", words(dst), first().0),
        Op::ShuffleTwo(0b10_00_10_00) => three("uzp1", &words),
        Op::ShuffleTwo(0b11_01_11_01) => three("uzp2", &words),
        Op::UnpackLow => three("zip1", &words),
        Op::UnpackHigh => three("zip2", &words),
        Op::UnpackLowQuad => three("zip1", &quads),
        Op::UnpackHighQuad => three("zip2", &quads),
        _ => unreachable!("not an operation of AArch64: {op:?}"),
    }
}

fn quad(register: Reg) -> String {
    format!("q{}", register.0)
}

/// An access of so many bytes, with a positive multiple of them as the offset: no kernel has the other forms, and so no
/// probe.
fn access(name: &str, register: &str, mem: Mem, bytes: i32) -> String {
    let (base, offset) = (base(mem), mem.offset);
    assert!(
        (0..=4095 * bytes).contains(&offset) && offset % bytes == 0,
        "no offset of {name} {register}: {offset}"
    );
    match offset {
        0 => format!("{name} {register}, [{base}]"),
        _ => format!("{name} {register}, [{base}, #{offset}]"),
    }
}

fn pair(mem: Mem) -> String {
    assert!(
        (-1024..=1008).contains(&mem.offset) && mem.offset % 16 == 0,
        "no offset of a pair: {}",
        mem.offset
    );
    match mem.offset {
        0 => format!("[{}]", base(mem)),
        offset => format!("[{}, #{offset}]", base(mem)),
    }
}

fn base(mem: Mem) -> &'static str {
    match mem.base {
        Base::Gpr(base) => gpr(base),
        Base::Constants => gpr(Gpr::Table),
    }
}

/// Adds a number of twelve bits, or a multiple of 4096 of as many.
fn add(dst: Gpr, src: Gpr, value: i32) -> String {
    let name = if value < 0 { "sub" } else { "add" };
    let size = value.unsigned_abs();
    let (dst, src) = (gpr(dst), gpr(src));
    match size {
        0 => format!("mov {dst}, {src}"),
        1..=0xFFF => format!("{name} {dst}, {src}, #{size}"),
        _ => {
            assert!(
                size.is_multiple_of(0x1000) && size <= 0xFF_F000,
                "no number to add: {value}"
            );
            format!("{name} {dst}, {src}, #{}, lsl #12", size / 0x1000)
        }
    }
}

fn suffix(condition: Condition) -> &'static str {
    match condition {
        Condition::Equal => "eq",
        Condition::NotEqual => "ne",
    }
}
