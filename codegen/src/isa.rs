//! **lower**: what each tier's instruction set has. One table per tier, in a file of its own; to add a tier is to add
//! such a file.

pub mod avx2;
pub mod avx512;
pub mod neon;
pub mod simd128;
pub mod sse2;
pub mod sse41;
pub mod sve2;

use crate::ir::{Inst, Op, Reg, Src, Width};
use crate::layout::lanes::Tuning;

/// The vector registers of AArch64 whose low halves the caller wants back.
pub const SAVED_BY_A64: std::ops::Range<u32> = 8..16;

/// How instructions are encoded, which decides their names and whether the result may differ from the first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Two operands: the result replaces the first.
    Legacy,
    /// Three operands, sixteen registers.
    Vex,
    /// Three operands, thirty-two registers.
    Evex,
    /// AArch64: three operands, thirty-two registers of 128 bits, none of them memory.
    A64,
    /// Intrinsics of Rust for WebAssembly, of 128 bits: the compilers give out the registers.
    Intrinsics,
}

impl Encoding {
    /// The width of a vector register.
    pub const fn register(self) -> Width {
        match self {
            Self::Legacy | Self::A64 | Self::Intrinsics => Width::X,
            Self::Vex => Width::Y,
            Self::Evex => Width::Z,
        }
    }

    /// Vector registers; for intrinsics, those in which values pass from block to block.
    pub const fn registers(self) -> u32 {
        match self {
            Self::Legacy | Self::Vex => 16,
            Self::Evex | Self::A64 | Self::Intrinsics => 32,
        }
    }

    /// The architecture, as Rust names it.
    pub const fn architecture(self) -> &'static str {
        match self {
            Self::A64 => "aarch64",
            Self::Intrinsics => "wasm32",
            _ => "x86_64",
        }
    }

    /// How many registers a vector of that width takes.
    pub const fn parts(self, width: Width) -> usize {
        let parts = width.bytes() / self.register().bytes();
        if parts > 1 { parts as usize } else { 1 }
    }
}

/// How a rotate is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotate {
    /// The rotate instruction.
    Native,
    /// A byte shuffle with a constant.
    Bytes,
    /// Two shuffles of 16-bit halves.
    Halves,
    /// Two shifts and an `or`.
    Shifts,
    /// A byte shuffle with a constant in a register.
    Table,
    /// A shift, and another that is inserted below it.
    Insert,
}

impl Rotate {
    /// How many operations it takes.
    pub const fn operations(self) -> u32 {
        match self {
            Self::Native | Self::Bytes | Self::Table => 1,
            Self::Halves | Self::Insert => 2,
            Self::Shifts => 3,
        }
    }

    /// How many operations wait for each other.
    pub const fn depth(self) -> u32 {
        match self {
            Self::Native | Self::Bytes | Self::Table => 1,
            Self::Halves | Self::Shifts | Self::Insert => 2,
        }
    }
}

/// A tier's instruction set.
#[derive(Debug)]
pub struct Isa {
    /// The tier's name, which is also the name of its file.
    pub name: &'static str,
    /// What the CPU must have, as Rust names it.
    pub features: &'static [&'static str],
    /// How instructions are encoded.
    pub encoding: Encoding,
    /// The widest layout: of the widest register, or of several.
    pub width: Width,
    /// How to rotate right by the distances of G.
    pub rotates: [(u32, Rotate); 4],
    /// Does a broadcast from memory take one instruction?
    pub broadcasts: bool,
    /// 32-bit vector operations that issue in a cycle at each width, for the floors of `--stats`: 128, 256, 512 bits.
    pub issue: [u32; 3],
    /// What was found fastest for the lanes kernels, at each width.
    pub tuning: [Tuning; 3],
}

/// All tiers with kernels of their own: those of an architecture in a row, narrowest first.
pub const ALL: [&Isa; 7] = [
    &sse2::SSE2,
    &sse41::SSE41,
    &avx2::AVX2,
    &avx512::AVX512,
    &neon::NEON,
    &sve2::SVE2,
    &simd128::SIMD128,
];

/// The index of a width in the tables above.
const fn at(width: Width) -> usize {
    match width {
        Width::X => 0,
        Width::Y => 1,
        Width::Z => 2,
    }
}

impl Isa {
    /// The widths of the lanes layouts.
    pub fn widths(&self) -> Vec<Width> {
        match (self.encoding, self.width) {
            (Encoding::A64, _) => vec![Width::X, Width::Y],
            (_, Width::Z) => vec![Width::Y, Width::Z],
            (_, width) => vec![width],
        }
    }

    /// Has it kernels for one message, and of rows? Where vector instructions wait two cycles for each other, the
    /// portable compression is faster.
    pub fn rows(&self) -> bool {
        self.encoding != Encoding::A64
    }

    /// What was found fastest for the lanes kernels of that width.
    pub const fn tuning(&self, width: Width) -> Tuning {
        self.tuning[at(width)]
    }

    /// 32-bit vector operations that issue in a cycle.
    pub const fn issue(&self, width: Width) -> u32 {
        self.issue[at(width)]
    }

    /// The instructions of a rotate, and their result. `fresh` makes a register.
    pub fn rotate(
        &self,
        width: Width,
        a: Reg,
        distance: u32,
        masks: &Constants,
        fresh: &mut impl FnMut() -> Reg,
    ) -> (Vec<Inst>, Reg) {
        let (_, how) = self
            .rotates
            .iter()
            .find(|(d, _)| *d == distance)
            .expect("every distance of G is in the table");
        let mut code = Vec::new();
        let mut emit = |op, a, b| {
            let dst = fresh();
            code.push(Inst::Vector {
                op,
                width,
                dst,
                a: Some(a),
                b,
            });
            dst
        };
        let result = match how {
            Rotate::Native => emit(Op::RotateRight(distance as u8), a, None),
            Rotate::Bytes => emit(
                Op::ShuffleBytes,
                a,
                Some(Src::Mem(masks.rotate_mask(distance))),
            ),
            Rotate::Halves => {
                assert_eq!(distance, 16, "halves can only change places");
                let low = emit(Op::ShuffleLowHalves(0b10_11_00_01), a, None);
                emit(Op::ShuffleHighHalves(0b10_11_00_01), low, None)
            }
            Rotate::Shifts => {
                let left = emit(Op::ShiftLeft(32 - distance as u8), a, None);
                let right = emit(Op::ShiftRight(distance as u8), a, None);
                emit(Op::Or, right, Some(Src::Reg(left)))
            }
            Rotate::Table => emit(
                Op::TableBytes,
                a,
                Some(Src::Mem(masks.rotate_mask(distance))),
            ),
            Rotate::Insert => {
                let left = emit(Op::ShiftLeft(32 - distance as u8), a, None);
                let right = Op::ShiftRightInsert(distance as u8);
                emit(right, left, Some(Src::Reg(a)))
            }
        };
        (code, result)
    }
}

/// The table of constants of a tier: rows as wide as its widest register.
#[derive(Debug)]
pub struct Constants {
    /// The bytes, as the printer writes them and the prover reads them.
    pub bytes: Vec<u8>,
    row: i32,
}

/// Rows of the table, in order.
mod rows {
    pub(super) const IV: i32 = 0;
    pub(super) const IV_ROW: i32 = 4;
    pub(super) const ZERO: i32 = 5;
    pub(super) const BLOCK_LEN: i32 = 6;
    pub(super) const COUNT: i32 = 7;
    pub(super) const PART: i32 = 9;
    pub(super) const ROTATE_16: i32 = 11;
    pub(super) const ROTATE_8: i32 = 12;
}

impl Constants {
    /// The table of a tier.
    pub fn new(isa: &Isa) -> Self {
        let lanes = isa.width.lanes();
        let mut words: Vec<u32> = Vec::new();
        for word in &crate::spec::IV[..4] {
            words.extend(vec![*word; lanes]);
        }
        words.extend((0..lanes).map(|lane| crate::spec::IV[lane % 4]));
        words.extend(vec![0; lanes]);
        words.extend(vec![crate::spec::BLOCK_LEN as u32; lanes]);
        // Lane numbers as 64-bit numbers, in the order in which `ShuffleTwo` of the two rows restores lanes 0, 1, 2, ...
        for row in 0..2 {
            words.extend((0..lanes).map(|i| {
                if i % 2 == 1 {
                    0
                } else {
                    (i / 4 * 4 + 2 * row + i % 4 / 2) as u32
                }
            }));
        }
        // Part numbers as 64-bit numbers, of a first and of a second register.
        for set in 0..2 {
            let number = |part: usize| (part + set * lanes / 4) as u32;
            words.extend((0..lanes).map(|i| if i % 4 == 0 { number(i / 4) } else { 0 }));
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let shuffles = |how| matches!(how, Rotate::Bytes | Rotate::Table);
        if isa.rotates.iter().any(|(_, how)| shuffles(*how)) {
            for distance in [16, 8] {
                bytes.extend((0..4 * lanes as u8).map(|i| i % 16 / 4 * 4 + (i + distance / 8) % 4));
            }
        }
        Self {
            bytes,
            row: isa.width.bytes(),
        }
    }

    fn row(&self, row: i32) -> crate::ir::Mem {
        crate::ir::Mem::constant(row * self.row)
    }

    /// A word of the IV in every lane.
    pub fn iv(&self, word: usize) -> crate::ir::Mem {
        self.row(rows::IV + word as i32)
    }

    /// The first four words of the IV in every part.
    pub fn iv_row(&self) -> crate::ir::Mem {
        self.row(rows::IV_ROW)
    }

    /// Zero.
    pub fn zero(&self) -> crate::ir::Mem {
        self.row(rows::ZERO)
    }

    /// The length of a whole block in every lane.
    pub fn block_len(&self) -> crate::ir::Mem {
        self.row(rows::BLOCK_LEN)
    }

    /// The lane numbers as 64-bit numbers, first or second half.
    pub fn count(&self, half: i32) -> crate::ir::Mem {
        self.row(rows::COUNT + half)
    }

    /// The numbers of the parts of a register as 64-bit numbers, in the order of registers of that
    /// width: those of the first, or of the second.
    pub fn part_numbers(&self, width: Width, set: usize) -> crate::ir::Mem {
        let parts = self.row / 16;
        let first = set as i32 * width.parts() as i32;
        self.row(rows::PART + first / parts)
            .plus(16 * (first % parts))
    }

    fn rotate_mask(&self, distance: u32) -> crate::ir::Mem {
        self.row(if distance == 16 {
            rows::ROTATE_16
        } else {
            rows::ROTATE_8
        })
    }
}
