//! **allocate**: physical vector registers and spill slots, block by block.
//!
//! Code is straight-line between the places where registers are pinned, so the farthest next use decides which value
//! leaves its register (Belady). A value that was stored once is not stored again, and a stored value that is needed
//! once more as a second operand is used from memory where the instruction can. Where operands cannot be memory, a value
//! that was loaded from a row is not stored at all, but loaded from there again.

use std::collections::HashMap;

use crate::ir::{Block, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Encoding, Isa};
use crate::kernel::Kernel;

/// Registers that are named in the same way before and after [`pin`]: those in which values pass from block to block.
pub const PINNED: u32 = 32;

/// Where the compiler gives out registers: every virtual register of a kernel goes on under a number of its own, beyond
/// those that values pass in from block to block.
pub fn pin(kernel: &mut Kernel) {
    for block in &mut kernel.blocks {
        let inputs: HashMap<Reg, Reg> = block.inputs.iter().copied().collect();
        let pinned = |reg: Reg| *inputs.get(&reg).unwrap_or(&Reg(reg.0 + PINNED));
        for inst in &mut block.code {
            match inst {
                Inst::Vector { dst, a, b, .. } => {
                    *dst = pinned(*dst);
                    *a = a.map(pinned);
                    if let Some(Src::Reg(b)) = b {
                        *b = pinned(*b);
                    }
                }
                Inst::Store { src, .. } => *src = pinned(*src),
                _ => {}
            }
        }
        let end = block
            .code
            .iter()
            .position(|inst| matches!(inst, Inst::JumpIf { .. }))
            .unwrap_or(block.code.len());
        let moves = block
            .outputs
            .iter()
            .map(|(value, register)| (*register, pinned(*value)));
        let moves: Vec<Inst> = moves
            .filter(|(register, value)| register != value)
            .map(|(dst, value)| Inst::Vector {
                op: Op::Move,
                width: kernel.width,
                dst,
                a: None,
                b: Some(Src::Reg(value)),
            })
            .collect();
        block.code.splice(end..end, moves);
    }
}

/// Gives every virtual register of a kernel a physical one; grows the frame by the spill slots.
pub fn allocate(kernel: &mut Kernel) {
    let slot_base = (kernel.frame + 63) / 64 * 64;
    let (isa, width) = (kernel.isa, kernel.register());
    let mut slots = 0;
    for (number, block) in kernel.blocks.iter_mut().enumerate() {
        let mut allocator = Allocator::new(isa, width, block, slot_base);
        allocator.run(block);
        slots = slots.max(allocator.slots);
        if number == kernel.body {
            kernel.spills = allocator.spills;
        }
        block.code = allocator.code;
    }
    if slots > 0 {
        kernel.frame = slot_base + slots as i32 * width.bytes();
    }
}

#[derive(Clone, Copy)]
struct Place {
    register: Option<u32>,
    slot: Option<usize>,
    /// Where it was loaded from, if it is still there.
    home: Option<Mem>,
}

struct Allocator {
    isa: &'static Isa,
    width: Width,
    slot_base: i32,
    /// For each value, the instructions that use it, last first.
    uses: HashMap<Reg, Vec<usize>>,
    places: HashMap<Reg, Place>,
    owner: Vec<Option<Reg>>,
    wanted: HashMap<Reg, u32>,
    free_slots: Vec<usize>,
    /// Slots given up by the instruction at hand: free once it has read them.
    leaving_slots: Vec<usize>,
    slots: usize,
    spills: usize,
    code: Vec<Inst>,
}

const PAST_THE_END: usize = usize::MAX - 1;

impl Allocator {
    fn new(isa: &'static Isa, width: Width, block: &Block, slot_base: i32) -> Self {
        let mut uses: HashMap<Reg, Vec<usize>> = HashMap::new();
        for (value, _) in &block.outputs {
            uses.entry(*value).or_default().push(PAST_THE_END);
        }
        for (i, inst) in block.code.iter().enumerate().rev() {
            for value in sources(inst) {
                uses.entry(value).or_default().push(i);
            }
        }
        let mut owner = vec![None; isa.encoding.registers() as usize];
        let mut places = HashMap::new();
        for (value, register) in &block.inputs {
            if uses.contains_key(value) {
                owner[register.0 as usize] = Some(*value);
                places.insert(
                    *value,
                    Place {
                        register: Some(register.0),
                        slot: None,
                        home: None,
                    },
                );
            }
        }
        let wanted = block
            .outputs
            .iter()
            .map(|(value, register)| (*value, register.0))
            .collect();
        Self {
            isa,
            width,
            slot_base,
            uses,
            places,
            owner,
            wanted,
            free_slots: Vec::new(),
            leaving_slots: Vec::new(),
            slots: 0,
            spills: 0,
            code: Vec::new(),
        }
    }

    fn run(&mut self, block: &Block) {
        let end = block
            .code
            .iter()
            .position(|inst| matches!(inst, Inst::JumpIf { .. }))
            .unwrap_or(block.code.len());
        for (i, inst) in block.code[..end].iter().enumerate() {
            self.instruction(i, inst);
        }
        // A comparison stays next to its jump; moves of vector registers do not disturb it.
        self.settle(&block.outputs);
        self.code.extend_from_slice(&block.code[end..]);
    }

    fn instruction(&mut self, i: usize, inst: &Inst) {
        match inst {
            Inst::Vector {
                op,
                width,
                dst,
                a,
                b,
            } => self.vector(i, *op, *width, *dst, *a, *b),
            Inst::Store {
                width,
                src,
                part,
                mem,
            } => {
                let register = self.in_register(*src, &[]);
                self.code.push(Inst::Store {
                    width: *width,
                    src: Reg(register),
                    part: *part,
                    mem: *mem,
                });
                self.used(*src, i);
            }
            other => self.code.push(other.clone()),
        }
        self.free_slots.append(&mut self.leaving_slots);
    }

    fn vector(
        &mut self,
        i: usize,
        op: Op,
        width: Width,
        dst: Reg,
        mut a: Option<Reg>,
        mut b: Option<Src>,
    ) {
        let two_operands = op.replaces()
            || self.isa.encoding == Encoding::Legacy && a.is_some() && op_replaces(op);
        let home = match b {
            Some(Src::Mem(mem)) if op == Op::Move && mem.aligned => Some(mem),
            _ => None,
        }
        .filter(|_| self.isa.encoding == Encoding::A64);
        if op.commutes()
            && let (Some(first), Some(Src::Reg(second))) = (a, b)
        {
            let in_memory = |value| self.places[&value].register.is_none();
            let dies = |value: Reg| self.uses[&value].iter().all(|next| *next == i);
            // The first operand is the one that is in a register and, where it is replaced, not needed any more.
            if in_memory(first) && !in_memory(second)
                || in_memory(first) == in_memory(second)
                    && two_operands
                    && !dies(first)
                    && dies(second)
            {
                (a, b) = (Some(second), Some(Src::Reg(first)));
            }
        }
        let first = a.map(|a| self.in_register(a, &[]));
        let mut keep: Vec<u32> = first.into_iter().collect();
        let second = b.map(|b| match b {
            Src::Reg(value) => match self.places[&value] {
                Place {
                    register: Some(register),
                    ..
                } => Src::Reg(Reg(register)),
                Place {
                    slot: Some(slot), ..
                } if self.isa.encoding != Encoding::A64
                    && op_takes_memory(op)
                    && self.uses[&value].iter().filter(|next| **next != i).count() == 0 =>
                {
                    self.spills += 1;
                    Src::Mem(self.slot(slot))
                }
                _ => Src::Reg(Reg(self.in_register(value, &keep))),
            },
            other => other,
        });
        if let Some(Src::Reg(register)) = second {
            keep.push(register.0);
        }
        for value in a.into_iter().chain(match b {
            Some(Src::Reg(value)) => Some(value),
            _ => None,
        }) {
            self.used(value, i);
        }
        let target = if two_operands {
            let first = first.expect("a replaced operand");
            if self.owner[first as usize].is_none() && second != Some(Src::Reg(Reg(first))) {
                first
            } else {
                let target = self.free_register(dst, &keep);
                self.code.push(Inst::Vector {
                    op: Op::Move,
                    width,
                    dst: Reg(target),
                    a: None,
                    b: Some(Src::Reg(Reg(first))),
                });
                target
            }
        } else {
            // Where operands have died, their registers may be taken.
            let keep: Vec<u32> = keep
                .into_iter()
                .filter(|register| self.owner[*register as usize].is_some())
                .collect();
            self.free_register(dst, &keep)
        };
        let a = first.map(|first| Reg(if two_operands { target } else { first }));
        self.code.push(Inst::Vector {
            op,
            width,
            dst: Reg(target),
            a,
            b: second,
        });
        if self.uses.contains_key(&dst) {
            self.owner[target as usize] = Some(dst);
            self.places.insert(
                dst,
                Place {
                    register: Some(target),
                    slot: None,
                    home,
                },
            );
        }
    }

    fn slot(&self, slot: usize) -> Mem {
        Mem::aligned(Gpr::Sp, self.slot_base + slot as i32 * self.width.bytes())
    }

    /// Where a value is that is in no register.
    fn memory(&self, place: Place) -> Mem {
        match (place.home, place.slot) {
            (Some(home), _) => home,
            (None, slot) => self.slot(slot.expect("a live value is somewhere")),
        }
    }

    fn next_use(&self, value: Reg) -> usize {
        *self
            .uses
            .get(&value)
            .and_then(|uses| uses.last())
            .unwrap_or(&usize::MAX)
    }

    /// Notes that instruction i has used a value; gives up its places after the last use.
    fn used(&mut self, value: Reg, i: usize) {
        let uses = self.uses.get_mut(&value).expect("a used value has uses");
        while uses.last() == Some(&i) {
            uses.pop();
        }
        if uses.is_empty()
            && let Some(place) = self.places.remove(&value)
        {
            if let Some(register) = place.register {
                self.owner[register as usize] = None;
            }
            self.leaving_slots.extend(place.slot);
        }
    }

    fn in_register(&mut self, value: Reg, keep: &[u32]) -> u32 {
        let place = *self
            .places
            .get(&value)
            .unwrap_or_else(|| panic!("{value:?} is used before it is made"));
        if let Some(register) = place.register {
            return register;
        }
        let register = self.free_register(value, keep);
        let from = self.memory(place);
        self.code.push(Inst::Vector {
            op: Op::Move,
            width: self.width,
            dst: Reg(register),
            a: None,
            b: Some(Src::Mem(from)),
        });
        self.spills += 1;
        self.owner[register as usize] = Some(value);
        self.places.get_mut(&value).expect("just read").register = Some(register);
        register
    }

    /// A register for a value: the one it is wanted in, any free one, or that of the value needed last.
    fn free_register(&mut self, value: Reg, keep: &[u32]) -> u32 {
        if let Some(wanted) = self.wanted.get(&value)
            && self.owner[*wanted as usize].is_none()
            && !keep.contains(wanted)
        {
            return *wanted;
        }
        let free =
            |register: &u32| self.owner[*register as usize].is_none() && !keep.contains(register);
        // Registers that an output is wanted in are taken last.
        let taken: Vec<u32> = self.wanted.values().copied().collect();
        let registers = 0..self.isa.encoding.registers();
        if let Some(register) = registers
            .clone()
            .filter(free)
            .min_by_key(|register| taken.contains(register))
        {
            return register;
        }
        let register = registers
            .filter(|register| !keep.contains(register))
            .max_by_key(|register| {
                self.next_use(self.owner[*register as usize].expect("no register is free"))
            })
            .expect("more registers than operands");
        self.evict(register);
        register
    }

    fn evict(&mut self, register: u32) {
        let value = self.owner[register as usize]
            .take()
            .expect("only owned registers are evicted");
        let mut place = self.places[&value];
        if place.slot.is_none() && place.home.is_none() {
            let slot = self.free_slots.pop().unwrap_or(self.slots);
            self.slots = self.slots.max(slot + 1);
            place.slot = Some(slot);
            self.code.push(Inst::Store {
                width: self.width,
                src: Reg(register),
                part: None,
                mem: self.slot(slot),
            });
            self.spills += 1;
        }
        place.register = None;
        self.places.insert(value, place);
    }

    /// Brings the outputs to where they are wanted.
    fn settle(&mut self, outputs: &[(Reg, Reg)]) {
        for (value, wanted) in outputs {
            let place = self.places[value];
            if place.register == Some(wanted.0) {
                continue;
            }
            if self.owner[wanted.0 as usize].is_some() {
                self.evict(wanted.0);
            }
            let from = match place.register {
                Some(register) => {
                    self.owner[register as usize] = None;
                    Src::Reg(Reg(register))
                }
                None => Src::Mem(self.memory(place)),
            };
            self.code.push(Inst::Vector {
                op: Op::Move,
                width: self.width,
                dst: *wanted,
                a: None,
                b: Some(from),
            });
            self.owner[wanted.0 as usize] = Some(*value);
            self.places.insert(
                *value,
                Place {
                    register: Some(wanted.0),
                    ..place
                },
            );
        }
    }
}

/// The virtual registers that an instruction reads.
fn sources(inst: &Inst) -> Vec<Reg> {
    match inst {
        Inst::Vector { a, b, .. } => {
            let second = match b {
                Some(Src::Reg(value)) => Some(*value),
                _ => None,
            };
            a.iter().copied().chain(second).collect()
        }
        Inst::Store { src, .. } => vec![*src],
        _ => Vec::new(),
    }
}

/// Does a two-operand instruction replace its first operand? The shuffles with an immediate do not.
fn op_replaces(op: Op) -> bool {
    !matches!(
        op,
        Op::ShuffleLanes(_) | Op::ShuffleLowHalves(_) | Op::ShuffleHighHalves(_)
    )
}

fn op_takes_memory(op: Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::AddQuad
            | Op::Xor
            | Op::Or
            | Op::ShuffleTwo(_)
            | Op::UnpackLow
            | Op::UnpackHigh
            | Op::UnpackLowQuad
            | Op::UnpackHighQuad
    )
}
