//! A kernel on its way through the stages, and the list of all kernels.

use crate::ir::{Base, Block, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Constants, Encoding, Isa, SAVED_BY_A64};
use crate::print::asm::x86;
use crate::prove::contract::Contract;
use crate::{allocate, layout, lower};

/// A kernel: blocks of code, and the contract that they are proved against.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The function's name.
    pub name: String,
    /// What it does: the function's documentation, a line each.
    pub about: Vec<String>,
    /// Parameters and their Rust types.
    pub parameters: Vec<(&'static str, &'static str)>,
    /// The tier.
    pub isa: &'static Isa,
    /// The widest register used.
    pub width: Width,
    /// The code: entered at the first block, falls from each into the next.
    pub blocks: Vec<Block>,
    /// Registers to save, beside the frame pointer.
    pub saved: Vec<Gpr>,
    /// Bytes of the stack frame.
    pub frame: i32,
    /// What it must compute.
    pub contract: Contract,
    /// Which block the op counts of `--stats` are of, and how many messages it compresses a block of.
    pub body: usize,
    /// Spills and reloads in the body.
    pub spills: usize,
}

impl Kernel {
    /// The width of the widest vector register used.
    pub fn register(&self) -> Width {
        self.width.min(self.isa.encoding.register())
    }

    /// Gives physical registers, then adds what enters and leaves the stack frame.
    pub fn finish(mut self) -> Self {
        if self.isa.encoding == Encoding::Intrinsics {
            allocate::pin(&mut self);
            let last = &mut self.blocks.last_mut().expect("a kernel has code").code;
            last.push(Inst::Return);
            return self;
        }
        allocate::allocate(&mut self);
        let encoding = self.isa.encoding;
        lower::general(encoding, &mut self.blocks);
        for block in &mut self.blocks {
            block.code = lower::pairs(encoding, std::mem::take(&mut block.code));
        }
        self.frame = (self.frame + 63) / 64 * 64;
        let (enter, leave) = match encoding {
            Encoding::A64 => self.frame_of_a64(),
            _ => self.frame_of_x86(),
        };
        let mut start = vec![unwind(".cfi_startproc")];
        start.extend(enter);
        self.blocks[0].code.splice(0..0, start);
        let last = &mut self.blocks.last_mut().expect("a kernel has code").code;
        last.extend(leave);
        last.push(Inst::Return);
        last.push(unwind(".cfi_endproc"));
        self
    }

    /// On AArch64 nothing is pushed: the frame is taken as a whole, and the vector registers whose low halves the caller
    /// wants back are stored at its end.
    fn frame_of_a64(&mut self) -> (Vec<Inst>, Vec<Inst>) {
        let code = || self.blocks.iter().flat_map(|block| &block.code);
        let mut used: Vec<Reg> = code().flat_map(Inst::vector_results).collect();
        used.retain(|register| SAVED_BY_A64.contains(&register.0));
        used.sort();
        used.dedup();
        let table = code().any(|inst| inst.mem().is_some_and(|mem| mem.base == Base::Constants));
        let row = Width::X.bytes();
        let place = |i: usize, end: i32| Mem::aligned(Gpr::Sp, end + row * i as i32);
        let end = self.frame;
        self.frame += row * used.len() as i32;
        let bytes = self.frame;
        let (mut enter, mut leave) = (Vec::new(), Vec::new());
        if bytes > 0 {
            enter.push(Inst::Enter { bytes });
            enter.push(unwind(&format!(".cfi_def_cfa_offset {bytes}")));
        }
        for (i, register) in used.into_iter().enumerate() {
            enter.push(Inst::Store {
                width: Width::X,
                src: register,
                part: None,
                mem: place(i, end),
            });
            // The number of v0 is 64.
            let (number, offset) = (64 + register.0, end + row * i as i32 - bytes);
            enter.push(unwind(&format!(".cfi_offset {number}, {offset}")));
            leave.push(Inst::Vector {
                op: Op::Move,
                width: Width::X,
                dst: register,
                a: None,
                b: Some(Src::Mem(place(i, end))),
            });
        }
        if table {
            enter.push(Inst::LoadTable);
        }
        if bytes > 0 {
            leave.push(Inst::Leave { bytes });
            leave.push(unwind(".cfi_def_cfa_offset 0"));
        }
        (enter, leave)
    }

    fn frame_of_x86(&self) -> (Vec<Inst>, Vec<Inst>) {
        let mut enter = Vec::new();
        let mut leave = Vec::new();
        if self.frame > 0 || !self.saved.is_empty() {
            enter.extend([
                Inst::Push { src: Gpr::Fp },
                unwind(".cfi_def_cfa rsp, 16"),
                unwind(".cfi_offset rbp, -16"),
                Inst::MoveGpr {
                    dst: Gpr::Fp,
                    src: Gpr::Sp,
                },
                unwind(".cfi_def_cfa rbp, 16"),
            ]);
            for (i, src) in self.saved.iter().enumerate() {
                enter.push(Inst::Push { src: *src });
                let name = x86::gpr(*src);
                enter.push(Inst::Unwind(format!(".cfi_offset {name}, -{}", 24 + 8 * i)));
            }
            leave.extend(self.saved.iter().rev().map(|dst| Inst::Pop { dst: *dst }));
            leave.push(Inst::Pop { dst: Gpr::Fp });
            leave.push(unwind(".cfi_def_cfa rsp, 8"));
        }
        if self.frame > 0 {
            enter.extend([
                Inst::Address {
                    dst: Gpr::Sp,
                    mem: Mem::unaligned(Gpr::Sp, -self.frame),
                },
                Inst::AlignStack { bytes: 64 },
            ]);
            let saved = Mem::unaligned(Gpr::Fp, -8 * self.saved.len() as i32);
            leave.insert(
                0,
                Inst::Address {
                    dst: Gpr::Sp,
                    mem: saved,
                },
            );
        }
        if self.width != Width::X {
            leave.push(Inst::ZeroUpper);
        }
        (enter, leave)
    }
}

fn unwind(directive: &str) -> Inst {
    Inst::Unwind(directive.into())
}

/// All kernels of a tier.
pub fn kernels(isa: &'static Isa) -> Vec<Kernel> {
    let constants = Constants::new(isa);
    let mut all = Vec::new();
    if isa.rows() {
        let rows = |width: Width, sets| {
            [
                layout::rows::messages(isa, &constants, width, sets),
                layout::rows::chunks(isa, &constants, width, sets),
                layout::rows::parents(isa, &constants, width, sets),
                layout::rows::outputs(isa, &constants, width, sets),
            ]
        };
        all.push(layout::rows::blocks(isa, &constants));
        all.push(layout::rows::output(isa, &constants));
        match isa.width {
            // One message a lane is faster there from two on.
            Width::X if isa.encoding == Encoding::Intrinsics => {}
            Width::X => all.extend(rows(Width::X, 2)),
            Width::Y => all.extend([rows(Width::Y, 1), rows(Width::Y, 2)].concat()),
            Width::Z => all.extend([rows(Width::Y, 1), rows(Width::Z, 1)].concat()),
        }
    }
    for width in isa.widths() {
        all.extend([
            layout::lanes::chunks(isa, &constants, width, isa.tuning(width)),
            layout::lanes::parents(isa, &constants, width, isa.tuning(width)),
            layout::lanes::messages(isa, &constants, width, isa.tuning(width)),
            layout::lanes::output(isa, &constants, width, isa.tuning(width)),
        ]);
    }
    all.into_iter().map(Kernel::finish).collect()
}
