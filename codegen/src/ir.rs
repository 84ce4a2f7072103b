//! The instructions that the stages hand on: first over virtual vector registers, after allocation over physical ones.
//! What stands here is what is proved, and what is printed is one line for each.

use std::fmt;

/// Width of a vector operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// 128 bits.
    X,
    /// 256 bits.
    Y,
    /// 512 bits.
    Z,
}

impl Width {
    /// Bytes in a register.
    pub const fn bytes(self) -> i32 {
        match self {
            Self::X => 16,
            Self::Y => 32,
            Self::Z => 64,
        }
    }

    /// 32-bit lanes in a register.
    pub const fn lanes(self) -> usize {
        self.bytes() as usize / 4
    }

    /// 128-bit parts of a register.
    pub const fn parts(self) -> usize {
        self.bytes() as usize / 16
    }
}

/// A vector register: virtual before allocation, physical after.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

impl fmt::Debug for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A general register, by the role that it has when a kernel is called; the printer of an architecture names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "one text for each kind")]
pub enum Gpr {
    /// The arguments, in order.
    A0,
    A1,
    A2,
    A3,
    A4,
    A5,
    /// Temporary: the caller expects nothing in them.
    T0,
    T1,
    T2,
    /// Saved: on x86-64 the caller wants them back.
    S0,
    S1,
    S2,
    S3,
    S4,
    /// The frame pointer, which is saved too.
    Fp,
    /// The stack pointer.
    Sp,
    /// The table of constants, where instructions cannot name it themselves.
    Table,
}

impl Gpr {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::A0,
        Self::A1,
        Self::A2,
        Self::A3,
        Self::A4,
        Self::A5,
        Self::T0,
        Self::T1,
        Self::T2,
        Self::S0,
        Self::S1,
        Self::S2,
        Self::S3,
        Self::S4,
        Self::Fp,
        Self::Sp,
        Self::Table,
    ];
    /// Those that the System V ABI of x86-64 wants back.
    pub const SAVED: [Self; 6] = [Self::Fp, Self::S0, Self::S1, Self::S2, Self::S3, Self::S4];
}

/// What a memory operand is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A general register.
    Gpr(Gpr),
    /// The tier's table of constants.
    Constants,
}

/// A memory operand: a base and a constant offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    /// What it is relative to.
    pub base: Base,
    /// Bytes from there.
    pub offset: i32,
    /// Is the address a multiple of the width of any vector that is read or written there?
    pub aligned: bool,
}

impl Mem {
    /// `[base + offset]`, anywhere.
    pub const fn unaligned(base: Gpr, offset: i32) -> Self {
        Self {
            base: Base::Gpr(base),
            offset,
            aligned: false,
        }
    }

    /// `[base + offset]`, aligned.
    pub const fn aligned(base: Gpr, offset: i32) -> Self {
        Self {
            base: Base::Gpr(base),
            offset,
            aligned: true,
        }
    }

    /// A row of the table of constants.
    pub const fn constant(offset: i32) -> Self {
        Self {
            base: Base::Constants,
            offset,
            aligned: true,
        }
    }

    /// The same, whatever its alignment.
    pub const fn anywhere(self) -> Self {
        Self {
            aligned: false,
            ..self
        }
    }

    /// The same, some bytes on.
    pub const fn plus(self, bytes: i32) -> Self {
        Self {
            offset: self.offset + bytes,
            ..self
        }
    }
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// A vector register.
    Reg(Reg),
    /// Memory, as wide as the operation.
    Mem(Mem),
    /// A general register.
    Gpr(Gpr),
}

/// Vector operations that make a register. Lanes are 32 bits and parts 128 bits unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// `b`, from memory or another register.
    Move,
    /// The 32-bit word at `b` (memory) in every lane.
    Broadcast,
    /// The 32-bit word at `b` (memory) in lane 0, zero elsewhere.
    LoadLow,
    /// The 64-bit number at `b` (memory, or lanes 0 and 1 of a register) in every 64-bit lane.
    BroadcastQuad,
    /// The 64-bit number `b` (memory or a general register) in lanes 0 and 1, zero elsewhere.
    LoadLowQuad,
    /// Lanes 0 and 1 of `a`, then the 64-bit number at `b` (memory); 128 bits only.
    LoadHighQuad,
    /// `a + b`.
    Add,
    /// `a + b` in 64-bit lanes.
    AddQuad,
    /// `a ^ b`.
    Xor,
    /// `a | b`.
    Or,
    /// `a` rotated right.
    RotateRight(u8),
    /// `a` shifted left.
    ShiftLeft(u8),
    /// `a` shifted right.
    ShiftRight(u8),
    /// `b` shifted right, below the high bits of `a`, which stay: as many as it is shifted by.
    ShiftRightInsert(u8),
    /// `a ^ b` rotated right.
    XorRotate(u8),
    /// In each part, the bytes of `a` that the low four bits of the bytes of `b` name, or zero where the highest is set.
    ShuffleBytes,
    /// In each part, the bytes of `a` that the bytes of `b` name, or zero where there is none.
    TableBytes,
    /// In each part, the lanes of `a` that the immediate names.
    ShuffleLanes(u8),
    /// In each part, the low four 16-bit words of `a` that the immediate names; the high ones stay.
    ShuffleLowHalves(u8),
    /// The same for the high four.
    ShuffleHighHalves(u8),
    /// In each part, two lanes of `a`, then two of `b`.
    ShuffleTwo(u8),
    /// In each part, lanes 0 and 1 of `a` and `b`, alternating.
    UnpackLow,
    /// In each part, lanes 2 and 3 of `a` and `b`, alternating.
    UnpackHigh,
    /// In each part, lanes 0 and 1 of `a`, then of `b`.
    UnpackLowQuad,
    /// In each part, lanes 2 and 3 of `a`, then of `b`.
    UnpackHighQuad,
    /// Two parts of `a`, then two of `b`, that the immediate names; 512 bits only.
    ShuffleParts(u8),
    /// `a` with the 128-bit part that the number names replaced by `b` (memory).
    Insert(u8),
}

impl Op {
    /// May `a` and `b` be swapped?
    pub const fn commutes(self) -> bool {
        matches!(
            self,
            Self::Add | Self::AddQuad | Self::Xor | Self::Or | Self::XorRotate(_)
        )
    }

    /// Does the result replace `a` in every encoding?
    pub const fn replaces(self) -> bool {
        matches!(self, Self::ShiftRightInsert(_) | Self::XorRotate(_))
    }
}

/// A condition of a jump or conditional move, on the last comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Condition {
    Equal,
    NotEqual,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named for what they are")]
pub enum Inst {
    /// `dst = op(a, b)`.
    Vector {
        op: Op,
        width: Width,
        dst: Reg,
        a: Option<Reg>,
        b: Option<Src>,
    },
    /// Stores a register, or one 128-bit part of it.
    Store {
        width: Width,
        src: Reg,
        part: Option<u8>,
        mem: Mem,
    },
    /// Loads 32 bits (zero-extended) or 64 bits.
    Load { bits: u8, dst: Gpr, mem: Mem },
    /// Stores the low 32 or all 64 bits.
    StoreGpr { bits: u8, src: Gpr, mem: Mem },
    /// Copies a register.
    MoveGpr { dst: Gpr, src: Gpr },
    /// The bitwise and, of all 64 bits.
    AndGpr { dst: Gpr, src: Gpr },
    /// Sets a register to a small number.
    SetGpr { dst: Gpr, value: i32 },
    /// Adds a number (which may be negative).
    AddGpr { dst: Gpr, value: i32 },
    /// Adds a register.
    AddGprs { dst: Gpr, src: Gpr },
    /// `dst = address of mem`.
    Address { dst: Gpr, mem: Mem },
    /// Aligns the stack pointer down.
    AlignStack { bytes: i32 },
    /// Takes a frame of that many bytes from the stack.
    Enter { bytes: i32 },
    /// Gives it back.
    Leave { bytes: i32 },
    /// The address of the table of constants, in the register that is for it.
    LoadTable,
    /// Loads two adjacent vectors, the first one first.
    LoadPair { dst: [Reg; 2], mem: Mem },
    /// Stores two vectors next to each other, the first one first.
    StorePair { src: [Reg; 2], mem: Mem },
    /// Exchanges two registers.
    Exchange { a: Gpr, b: Gpr },
    /// Compares a register with a number.
    Compare { a: Gpr, value: i32 },
    /// `dst = src` where the condition holds.
    MoveIf {
        condition: Condition,
        dst: Gpr,
        src: Gpr,
    },
    /// Jumps to the block of that number where the condition holds.
    JumpIf { condition: Condition, block: usize },
    /// Pushes a register.
    Push { src: Gpr },
    /// Pops a register.
    Pop { dst: Gpr },
    /// Tells debuggers and profilers where the caller's frame is; does nothing.
    Unwind(String),
    /// Asks the cache for a line; touches nothing.
    Prefetch { mem: Mem },
    /// Clears the upper parts of all vector registers.
    ZeroUpper,
    /// Returns.
    Return,
    /// A comment.
    Note(String),
}

impl Inst {
    /// The vector registers that it makes.
    pub fn vector_results(&self) -> Vec<Reg> {
        match *self {
            Self::Vector { dst, .. } => vec![dst],
            Self::LoadPair { dst, .. } => dst.into(),
            _ => Vec::new(),
        }
    }

    /// The memory that it reads, writes or names.
    pub fn mem(&self) -> Option<Mem> {
        match *self {
            Self::Vector {
                b: Some(Src::Mem(mem)),
                ..
            }
            | Self::Store { mem, .. }
            | Self::Load { mem, .. }
            | Self::StoreGpr { mem, .. }
            | Self::Address { mem, .. }
            | Self::LoadPair { mem, .. }
            | Self::StorePair { mem, .. }
            | Self::Prefetch { mem } => Some(mem),
            _ => None,
        }
    }
}

/// Straight-line code: entered at its start, left at its end or by the jump that ends it.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Virtual registers that are in these physical registers at the start.
    pub inputs: Vec<(Reg, Reg)>,
    /// Virtual registers that must be in these physical registers at the end.
    pub outputs: Vec<(Reg, Reg)>,
    /// The instructions.
    pub code: Vec<Inst>,
}
