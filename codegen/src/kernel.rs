//! A kernel on its way through the stages, and the list of all kernels.

use crate::ir::{Block, Gpr, Inst, Mem, Width};
use crate::isa::{Constants, Isa};
use crate::print::asm;
use crate::prove::contract::Contract;
use crate::{allocate, layout};

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
    /// Gives physical registers, then adds what enters and leaves the stack frame.
    pub fn finish(mut self) -> Self {
        allocate::allocate(&mut self);
        self.frame = (self.frame + 63) / 64 * 64;
        let unwind = |directive: &str| Inst::Unwind(directive.into());
        let mut enter = vec![unwind(".cfi_startproc")];
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
                let name = asm::gpr(*src);
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
        self.blocks[0].code.splice(0..0, enter);
        let last = &mut self.blocks.last_mut().expect("a kernel has code").code;
        last.extend(leave);
        last.push(Inst::Return);
        last.push(Inst::Unwind(".cfi_endproc".into()));
        self
    }
}

/// All kernels of a tier.
pub fn kernels(isa: &'static Isa) -> Vec<Kernel> {
    let constants = Constants::new(isa);
    let rows = |width: Width, sets| {
        [
            layout::rows::messages(isa, &constants, width, sets),
            layout::rows::chunks(isa, &constants, width, sets),
            layout::rows::parents(isa, &constants, width, sets),
            layout::rows::outputs(isa, &constants, width, sets),
        ]
    };
    let mut all = vec![
        layout::rows::blocks(isa, &constants),
        layout::rows::output(isa, &constants),
    ];
    match isa.width {
        Width::X => all.extend(rows(Width::X, 2)),
        Width::Y => all.extend([rows(Width::Y, 1), rows(Width::Y, 2)].concat()),
        Width::Z => all.extend([rows(Width::Y, 1), rows(Width::Z, 1)].concat()),
    }
    let widths = if isa.width == Width::Z {
        vec![Width::Y, Width::Z]
    } else {
        vec![isa.width]
    };
    for width in widths {
        all.extend([
            layout::lanes::chunks(isa, &constants, width, isa.tuning(width)),
            layout::lanes::parents(isa, &constants, width, isa.tuning(width)),
            layout::lanes::messages(isa, &constants, width, isa.tuning(width)),
            layout::lanes::output(isa, &constants, width, isa.tuning(width)),
        ]);
    }
    all.into_iter().map(Kernel::finish).collect()
}
