//! **place**: where the sixteen state words of n messages sit, how their inputs arrive and how their outputs leave.

pub mod lanes;
pub mod rows;
pub mod scalar;

use std::collections::HashMap;

use crate::ir::{Condition, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Constants, Isa};
use crate::lower::Lowering;
use crate::spec::{Algebra, Place};

/// Ends the block of a loop, of which `left` counts the iterations. Where the next one is the last, the first of two
/// registers (of flags) takes the other's value.
fn loop_end(left: Gpr, (dst, src): (Gpr, Gpr), block: usize) -> [Inst; 5] {
    let [same, other] = [Condition::Equal, Condition::NotEqual];
    [
        Inst::AddGpr {
            dst: left,
            value: -1,
        },
        Inst::Compare { a: left, value: 1 },
        Inst::MoveIf {
            condition: same,
            dst,
            src,
        },
        Inst::Compare { a: left, value: 0 },
        Inst::JumpIf {
            condition: other,
            block,
        },
    ]
}

/// A word (or a row of words) while code is written: in a register, or in memory that does not change meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// In a virtual register.
    Reg(Reg),
    /// In memory, one vector wide.
    Mem(Mem),
}

/// Writes straight-line code over virtual registers. As an [`Algebra`], it writes vector instructions.
#[derive(Debug)]
pub struct Builder<'a> {
    /// The tier.
    pub isa: &'static Isa,
    /// Its constants.
    pub constants: &'a Constants,
    /// The width of the vectors.
    pub width: Width,
    code: Vec<(Place, Inst)>,
    place: Place,
    next: u32,
    lowering: Lowering,
    fused: [&'static [u32]; 4],
    held: &'static [u32],
    /// The masks in registers, by half round and distance.
    masks: HashMap<(usize, u32), Reg>,
}

impl<'a> Builder<'a> {
    /// A builder of vectors of that width.
    pub fn new(isa: &'static Isa, constants: &'a Constants, width: Width) -> Self {
        Self {
            isa,
            constants,
            width,
            code: Vec::new(),
            place: Place::default(),
            next: 0,
            lowering: Lowering::new(isa.encoding, false),
            fused: [&[]; 4],
            held: &[],
            masks: HashMap::new(),
        }
    }

    /// The same, of a kernel with that tuning.
    pub fn tuned(mut self, tuning: lanes::Tuning) -> Self {
        self.lowering = Lowering::new(self.isa.encoding, tuning.keep);
        self.fused = tuning.fused;
        self.held = tuning.held;
        self
    }

    /// What was written since the last call, lowered, with its places.
    pub fn take(&mut self) -> Vec<(Place, Inst)> {
        self.place = Place::default();
        let code = std::mem::take(&mut self.code);
        self.lowering.lower(self.constants, code)
    }

    /// The registers that a vector has become: one, or several where it is wider than a register.
    pub fn parts(&mut self, vector: Reg) -> Vec<Reg> {
        let count = self.isa.encoding.parts(self.width);
        self.lowering.parts(vector, count)
    }

    /// What was written since the last call, in the order in which it was written.
    pub fn take_code(&mut self) -> Vec<Inst> {
        self.take().into_iter().map(|(_, inst)| inst).collect()
    }

    /// A register not used so far.
    pub fn fresh(&mut self) -> Reg {
        self.next += 1;
        Reg(self.next - 1)
    }

    /// Writes an instruction.
    pub fn push(&mut self, inst: Inst) {
        self.code.push((self.place, inst));
    }

    /// Writes a vector instruction, and gives its result.
    pub fn vector(&mut self, op: Op, a: Option<Reg>, b: Option<Src>) -> Reg {
        let (dst, width) = (self.fresh(), self.width);
        self.push(Inst::Vector {
            op,
            width,
            dst,
            a,
            b,
        });
        dst
    }

    /// Loads a vector.
    pub fn load(&mut self, mem: Mem) -> Reg {
        self.vector(Op::Move, None, Some(Src::Mem(mem)))
    }

    /// Stores a vector.
    pub fn store(&mut self, src: Reg, mem: Mem) {
        self.push(Inst::Store {
            width: self.width,
            src,
            part: None,
            mem,
        });
    }

    /// An operation of two registers.
    pub fn two(&mut self, op: Op, a: Reg, b: Reg) -> Reg {
        self.vector(op, Some(a), Some(Src::Reg(b)))
    }

    /// The 32-bit word at `mem` in every lane.
    pub fn broadcast(&mut self, mem: Mem) -> Reg {
        if self.isa.broadcasts {
            return self.vector(Op::Broadcast, None, Some(Src::Mem(mem)));
        }
        let low = self.vector(Op::LoadLow, None, Some(Src::Mem(mem)));
        self.vector(Op::ShuffleLanes(0), Some(low), None)
    }

    /// The 64-bit number at `mem` in every 64-bit lane.
    pub fn broadcast_quad(&mut self, mem: Mem) -> Reg {
        if self.isa.broadcasts {
            return self.vector(Op::BroadcastQuad, None, Some(Src::Mem(mem)));
        }
        let low = self.vector(Op::LoadLowQuad, None, Some(Src::Mem(mem)));
        self.two(Op::UnpackLowQuad, low, low)
    }

    /// The 64-bit number in a general register, in the low half of every part (and in no other place that
    /// anybody reads).
    pub fn spread_quad(&mut self, from: Gpr) -> Reg {
        let dst = self.fresh();
        let (op, width) = (Op::LoadLowQuad, Width::X);
        self.push(Inst::Vector {
            op,
            width,
            dst,
            a: None,
            b: Some(Src::Gpr(from)),
        });
        if self.width == Width::X {
            return dst;
        }
        self.vector(Op::BroadcastQuad, None, Some(Src::Reg(dst)))
    }

    /// Loads 128 bits as two halves, which need not wait for each other: what was just stored as two
    /// 64-bit numbers is not to be had as a whole at once.
    pub fn load_halves(&mut self, mem: Mem) -> Reg {
        if self.isa.encoding == crate::isa::Encoding::Intrinsics {
            return self.load(mem);
        }
        let low = self.vector(Op::LoadLowQuad, None, Some(Src::Mem(mem)));
        self.vector(Op::LoadHighQuad, Some(low), Some(Src::Mem(mem.plus(8))))
    }

    /// Loads one 128-bit part from each place, first part first.
    pub fn load_parts(&mut self, parts: &[Mem]) -> Reg {
        let narrow = Width::X;
        let dst = self.fresh();
        self.push(Inst::Vector {
            op: Op::Move,
            width: narrow,
            dst,
            a: None,
            b: Some(Src::Mem(parts[0])),
        });
        (1..parts.len()).fold(dst, |whole, part| {
            self.vector(
                Op::Insert(part as u8),
                Some(whole),
                Some(Src::Mem(parts[part])),
            )
        })
    }

    /// In each part, the transposition of four registers' lanes.
    pub fn transpose(&mut self, [a, b, c, d]: [Reg; 4]) -> [Reg; 4] {
        let low = [self.two(Op::UnpackLow, a, b), self.two(Op::UnpackLow, c, d)];
        let high = [
            self.two(Op::UnpackHigh, a, b),
            self.two(Op::UnpackHigh, c, d),
        ];
        [
            self.two(Op::UnpackLowQuad, low[0], low[1]),
            self.two(Op::UnpackHighQuad, low[0], low[1]),
            self.two(Op::UnpackLowQuad, high[0], high[1]),
            self.two(Op::UnpackHighQuad, high[0], high[1]),
        ]
    }

    /// The transposition of four registers' parts, 512 bits wide.
    pub fn transpose_parts(&mut self, [a, b, c, d]: [Reg; 4]) -> [Reg; 4] {
        let op = |first: u8, second: u8| {
            Op::ShuffleParts(first | second << 2 | first << 4 | second << 6)
        };
        let low = [self.two(op(0, 1), a, b), self.two(op(0, 1), c, d)];
        let high = [self.two(op(2, 3), a, b), self.two(op(2, 3), c, d)];
        [
            self.two(op(0, 2), low[0], low[1]),
            self.two(op(1, 3), low[0], low[1]),
            self.two(op(0, 2), high[0], high[1]),
            self.two(op(1, 3), high[0], high[1]),
        ]
    }

    /// A word in a register.
    pub fn in_register(&mut self, word: Word) -> Reg {
        match word {
            Word::Reg(reg) => reg,
            Word::Mem(mem) => self.load(mem),
        }
    }

    /// The mask of a rotate by bytes, in a register since its half round first took it.
    fn held_mask(&mut self, distance: u32, mask: Src) -> Reg {
        let place = (self.place.half, distance);
        if let Some(held) = self.masks.get(&place) {
            return *held;
        }
        let held = self.vector(Op::Move, None, Some(mask));
        self.masks.insert(place, held);
        held
    }

    fn commuting(&mut self, op: Op, a: Word, b: Word) -> Word {
        let (a, b) = match (a, b) {
            (Word::Mem(_), Word::Reg(b)) => (b, a),
            (a, b) => (self.in_register(a), b),
        };
        let b = match b {
            Word::Reg(reg) => Src::Reg(reg),
            // Two-operand instructions take aligned memory only.
            Word::Mem(mem) if self.isa.encoding != crate::isa::Encoding::Legacy || mem.aligned => {
                Src::Mem(mem)
            }
            Word::Mem(mem) => Src::Reg(self.load(mem)),
        };
        Word::Reg(self.vector(op, Some(a), Some(b)))
    }
}

impl Algebra for Builder<'_> {
    type Word = Word;
    fn add(&mut self, a: &Word, b: &Word) -> Word {
        self.commuting(Op::Add, *a, *b)
    }
    fn xor(&mut self, a: &Word, b: &Word) -> Word {
        self.commuting(Op::Xor, *a, *b)
    }
    fn rotate_right(&mut self, a: &Word, distance: u32) -> Word {
        let a = self.in_register(*a);
        if self.fused[self.place.g].contains(&distance)
            && let Some((_, Inst::Vector { op, dst, .. })) = self.code.last_mut()
            && (*op, *dst) == (Op::Xor, a)
        {
            *op = Op::XorRotate(distance as u8);
            return Word::Reg(a);
        }
        let (isa, constants, width, mut next) = (self.isa, self.constants, self.width, self.next);
        let (code, result) = isa.rotate(width, a, distance, constants, &mut || {
            next += 1;
            Reg(next - 1)
        });
        self.next = next;
        for mut inst in code {
            if let Inst::Vector {
                op: Op::ShuffleBytes,
                b: Some(mask),
                ..
            } = &mut inst
                && self.held.contains(&distance)
            {
                *mask = Src::Reg(self.held_mask(distance, *mask));
            }
            self.push(inst);
        }
        Word::Reg(result)
    }
    fn at(&mut self, place: Place) {
        self.place = place;
    }
}
