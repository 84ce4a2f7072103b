//! **lower**, second half: what an instruction set lacks is made of what it has. Vectors wider than a register become
//! several, memory operands become loads, and large numbers and exchanges become small steps.
//!
//! For x86-64 there is nothing to do: every layout is as wide as a register, and operands may be memory.

use std::collections::HashMap;

use crate::ir::{Base, Block, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Constants, Encoding};
use crate::spec::Place;

/// Lowers the vector instructions of a kernel. Registers that are virtual and wide go in, virtual ones of the width of
/// the instruction set come out.
#[derive(Debug)]
pub struct Lowering {
    encoding: Encoding,
    /// Are words that were loaded kept for later uses? The allocator drops those that it has no register for.
    keep: bool,
    parts: HashMap<Reg, Vec<Reg>>,
    loaded: HashMap<Loaded, Reg>,
    next: u32,
}

/// What a register was loaded with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Loaded {
    Constant(Vec<u8>),
    Row(Mem),
}

impl Lowering {
    /// The lowering of one kernel.
    pub fn new(encoding: Encoding, keep: bool) -> Self {
        Self {
            encoding,
            keep,
            parts: HashMap::new(),
            loaded: HashMap::new(),
            next: 0,
        }
    }

    fn fresh(&mut self) -> Reg {
        self.next += 1;
        Reg(self.next - 1)
    }

    /// The registers that a wide one of so many parts has become.
    pub fn parts(&mut self, wide: Reg, count: usize) -> Vec<Reg> {
        if self.encoding != Encoding::A64 {
            return vec![wide];
        }
        if let Some(parts) = self.parts.get(&wide) {
            return parts.clone();
        }
        let parts: Vec<Reg> = (0..count).map(|_| self.fresh()).collect();
        self.parts.insert(wide, parts.clone());
        parts
    }

    /// Lowers straight-line code.
    pub fn lower(&mut self, constants: &Constants, code: Vec<(Place, Inst)>) -> Vec<(Place, Inst)> {
        if self.encoding != Encoding::A64 {
            return code;
        }
        self.loaded.clear();
        let mut lowered = Vec::new();
        for (place, inst) in code {
            self.one(constants, inst, &mut |part, inst| {
                lowered.push((Place { part, ..place }, inst));
            });
        }
        lowered
    }

    fn one(&mut self, constants: &Constants, inst: Inst, push: &mut impl FnMut(usize, Inst)) {
        match inst {
            Inst::Vector {
                op,
                width,
                dst,
                a,
                b,
            } => self.vector(constants, op, width, (dst, a, b), push),
            Inst::Store {
                width,
                src,
                part,
                mem,
            } => {
                self.loaded
                    .retain(|what, _| !matches!(what, Loaded::Row(row) if row.base == mem.base));
                let sources = self.parts(src, self.encoding.parts(width));
                let sources = match part {
                    Some(part) => &sources[usize::from(part)..][..1],
                    None => &sources[..],
                };
                for (part, src) in sources.iter().enumerate() {
                    let mem = mem.plus(part as i32 * Width::X.bytes());
                    let store = Inst::Store {
                        width: Width::X,
                        src: *src,
                        part: None,
                        mem,
                    };
                    push(part, store);
                }
            }
            other => push(0, other),
        }
    }

    fn vector(
        &mut self,
        constants: &Constants,
        op: Op,
        width: Width,
        (dst, a, b): (Reg, Option<Reg>, Option<Src>),
        push: &mut impl FnMut(usize, Inst),
    ) {
        let count = self.encoding.parts(width);
        let row = |part: usize| part as i32 * Width::X.bytes();
        match (op, b) {
            (Op::Broadcast | Op::BroadcastQuad, Some(Src::Mem(mem))) => {
                let low = self.fresh();
                let (load, spread, b) = if op == Op::Broadcast {
                    (Op::LoadLow, Op::ShuffleLanes(0), None)
                } else {
                    (Op::LoadLowQuad, Op::UnpackLowQuad, Some(Src::Reg(low)))
                };
                push(0, narrow(load, low, None, Some(Src::Mem(mem))));
                for (part, dst) in self.parts(dst, count).into_iter().enumerate() {
                    push(part, narrow(spread, dst, Some(low), b));
                }
            }
            (Op::Insert(part), Some(Src::Mem(mem))) => {
                let whole = self.parts(a.expect("a register to insert into"), count);
                let part = usize::from(part);
                let loaded = self.fresh();
                push(part, narrow(Op::Move, loaded, None, Some(Src::Mem(mem))));
                let mut parts = whole[..part].to_vec();
                parts.push(loaded);
                self.parts.insert(dst, parts);
            }
            (Op::Move, Some(Src::Mem(mem))) => {
                for (part, dst) in self.parts(dst, count).into_iter().enumerate() {
                    let mem = mem.plus(row(part));
                    push(part, narrow(Op::Move, dst, None, Some(Src::Mem(mem))));
                }
            }
            (Op::LoadLow | Op::LoadLowQuad | Op::LoadHighQuad, _) => {
                unreachable!("{op:?}: this instruction set has no rows")
            }
            _ => {
                let first = a.map(|a| self.parts(a, count));
                // All loads, so that those of adjacent memory stand side by side.
                let second: Option<Vec<Src>> = b.map(|b| match b {
                    Src::Reg(b) => self.parts(b, count).into_iter().map(Src::Reg).collect(),
                    Src::Mem(mem) => (0..count)
                        .map(|part| {
                            let mem = mem.plus(row(part));
                            let mut load = |inst| push(part, inst);
                            Src::Reg(self.operand(constants, mem, &mut load))
                        })
                        .collect(),
                    Src::Gpr(_) => unreachable!("{op:?}: this instruction set has no rows"),
                });
                for (part, dst) in self.parts(dst, count).into_iter().enumerate() {
                    let a = first.as_ref().map(|first| first[part]);
                    let b = second.as_ref().map(|second| second[part]);
                    push(part, narrow(op, dst, a, b));
                }
            }
        }
    }

    /// A register that holds what is in memory.
    fn operand(&mut self, constants: &Constants, mem: Mem, push: &mut impl FnMut(Inst)) -> Reg {
        let what = match mem.base {
            Base::Constants => Some(Loaded::Constant(
                constants.bytes[mem.offset as usize..][..Width::X.bytes() as usize].to_vec(),
            )),
            Base::Gpr(_) if self.keep && mem.aligned => Some(Loaded::Row(mem)),
            Base::Gpr(_) => None,
        };
        if let Some(register) = what.as_ref().and_then(|what| self.loaded.get(what)) {
            return *register;
        }
        let dst = self.fresh();
        push(narrow(Op::Move, dst, None, Some(Src::Mem(mem))));
        if let Some(what) = what {
            self.loaded.insert(what, dst);
        }
        dst
    }
}

fn narrow(op: Op, dst: Reg, a: Option<Reg>, b: Option<Src>) -> Inst {
    Inst::Vector {
        op,
        width: Width::X,
        dst,
        a,
        b,
    }
}

/// Lowers the instructions on general registers of a whole kernel.
pub fn general(encoding: Encoding, blocks: &mut [Block]) {
    if encoding != Encoding::A64 {
        return;
    }
    for block in blocks {
        let code = std::mem::take(&mut block.code);
        block.code = code.into_iter().flat_map(steps).collect();
    }
}

/// The largest number that an addition takes; larger ones are multiples of the next.
const LARGEST: i32 = 0xFFF;

fn steps(inst: Inst) -> Vec<Inst> {
    match inst {
        Inst::Exchange { a, b } => [(Gpr::S4, a), (a, b), (b, Gpr::S4)]
            .map(|(dst, src)| Inst::MoveGpr { dst, src })
            .into(),
        Inst::AddGpr { dst, value } if value.abs() > LARGEST => {
            let low = value.signum() * (value.abs() & LARGEST);
            let parts = [value - low, low].into_iter().filter(|value| *value != 0);
            parts.map(|value| Inst::AddGpr { dst, value }).collect()
        }
        Inst::Address { dst, mem } if mem.offset.abs() > LARGEST => {
            let low = mem.offset.signum() * (mem.offset.abs() & LARGEST);
            let mut steps = vec![Inst::Address {
                dst,
                mem: mem.plus(-low),
            }];
            if low != 0 {
                steps.push(Inst::AddGpr { dst, value: low });
            }
            steps
        }
        other => vec![other],
    }
}

/// Joins loads and stores of adjacent vectors, where the instruction set can.
pub fn pairs(encoding: Encoding, code: Vec<Inst>) -> Vec<Inst> {
    if encoding != Encoding::A64 {
        return code;
    }
    let mut joined: Vec<Inst> = Vec::new();
    for inst in code {
        match joined.last().and_then(|last| pair(last, &inst)) {
            Some(pair) => *joined.last_mut().expect("there is a last one") = pair,
            None => joined.push(inst),
        }
    }
    joined
}

fn pair(first: &Inst, second: &Inst) -> Option<Inst> {
    let adjacent = |a: Mem, b: Mem| {
        let reach = -1024..=1008;
        a.plus(Width::X.bytes()) == b && a.offset % 16 == 0 && reach.contains(&a.offset)
    };
    // The order of two stores or loads does not matter: they are of different places and registers.
    let ordered = |(a, at): (Reg, Mem), (b, after): (Reg, Mem)| {
        if adjacent(at, after) {
            Some(([a, b], at))
        } else if adjacent(after, at) {
            Some(([b, a], after))
        } else {
            None
        }
    };
    match (load(first), load(second)) {
        (Some(first), Some(second)) if first.0 != second.0 => {
            return ordered(first, second).map(|(dst, mem)| Inst::LoadPair { dst, mem });
        }
        _ => {}
    }
    let store = |inst: &Inst| match *inst {
        Inst::Store {
            src,
            part: None,
            mem,
            ..
        } => Some((src, mem)),
        _ => None,
    };
    ordered(store(first)?, store(second)?).map(|(src, mem)| Inst::StorePair { src, mem })
}

fn load(inst: &Inst) -> Option<(Reg, Mem)> {
    match *inst {
        Inst::Vector {
            op: Op::Move,
            dst,
            b: Some(Src::Mem(mem)),
            ..
        } => Some((dst, mem)),
        _ => None,
    }
}
