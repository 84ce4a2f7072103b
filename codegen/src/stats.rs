//! Op counts of the kernels, against their floors.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::Proved;
use crate::ir::{Inst, Op, Src};
use crate::kernel::Kernel;
use crate::layout::scalar;
use crate::prove::contract::Contract;

/// Counts of the body of a kernel: what is executed for one block of each of its messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Adds of 32-bit lanes.
    pub adds: usize,
    /// Exclusive ors.
    pub xors: usize,
    /// Rotates, and the shifts, shuffles and ors that rotates are made of.
    pub rotates: usize,
    /// Shuffles, unpacks and inserts, rotates by byte shuffles not among them.
    pub shuffles: usize,
    /// Vector loads and broadcasts, memory operands not among them, and vector stores.
    pub moves: usize,
    /// Memory operands of vector operations.
    pub memory: usize,
    /// Instructions on general registers.
    pub scalar: usize,
    /// All instructions.
    pub instructions: usize,
    /// Vector registers used.
    pub registers: usize,
}

impl Counts {
    /// Counts the body of a kernel.
    pub fn of(kernel: &Kernel) -> Self {
        let mut counts = Self::default();
        let mut used = BTreeSet::new();
        for inst in &kernel.blocks[kernel.body].code {
            counts.instructions += usize::from(!matches!(inst, Inst::Note(_) | Inst::Unwind(_)));
            match inst {
                Inst::Vector { op, dst, b, .. } => {
                    used.insert(dst.0);
                    let from_memory = matches!(b, Some(Src::Mem(_)));
                    match op {
                        Op::Add | Op::AddQuad => counts.adds += 1,
                        Op::Xor | Op::XorRotate(_) => counts.xors += 1,
                        Op::RotateRight(_)
                        | Op::ShiftLeft(_)
                        | Op::ShiftRight(_)
                        | Op::ShiftRightInsert(_)
                        | Op::TableBytes
                        | Op::Or
                        | Op::ShuffleBytes
                        | Op::ShuffleLowHalves(_)
                        | Op::ShuffleHighHalves(_) => counts.rotates += 1,
                        Op::Move
                        | Op::Broadcast
                        | Op::BroadcastQuad
                        | Op::LoadLow
                        | Op::LoadLowQuad
                        | Op::LoadHighQuad => counts.moves += 1,
                        Op::ShuffleLanes(_)
                        | Op::ShuffleTwo(_)
                        | Op::ShuffleParts(_)
                        | Op::UnpackLow
                        | Op::UnpackHigh
                        | Op::UnpackLowQuad
                        | Op::UnpackHighQuad
                        | Op::Insert(_) => counts.shuffles += 1,
                    }
                    let moves = matches!(
                        op,
                        Op::Move
                            | Op::Broadcast
                            | Op::BroadcastQuad
                            | Op::LoadLow
                            | Op::LoadLowQuad
                            | Op::LoadHighQuad
                    );
                    counts.memory += usize::from(from_memory && !moves);
                }
                Inst::LoadPair { dst, .. } => {
                    counts.moves += 1;
                    used.extend(dst.iter().map(|dst| dst.0));
                }
                Inst::Store { .. } | Inst::StorePair { .. } => counts.moves += 1,
                Inst::Note(_) | Inst::Unwind(_) => {}
                _ => counts.scalar += 1,
            }
        }
        counts.registers = used.len();
        counts
    }
}

/// The floor of a kernel's body and what it is: vector operations that no schedule saves, or the latency of the chain.
pub fn floor(kernel: &Kernel) -> (u32, &'static str) {
    let bound_by_latency = matches!(
        kernel.contract,
        Contract::Blocks
            | Contract::OutputOne
            | Contract::Rows { .. }
            | Contract::ChunkRows { .. }
            | Contract::ParentRows { .. }
            | Contract::OutputRows { .. }
    );
    // Seven rounds of eight Gs of 6 adds, 4 xors and 4 rotates, and the feed-forward; rows do four Gs in one operation.
    let isa = kernel.isa;
    let rotates = |fused: &[u32]| -> u32 {
        isa.rotates
            .iter()
            .filter(|(distance, _)| !fused.contains(distance))
            .map(|(_, how)| how.operations())
            .sum()
    };
    let fused = isa.tuning(kernel.width).fused;
    let half: u32 = fused.iter().map(|fused| 10 + rotates(fused)).sum();
    if bound_by_latency {
        // A half round is twice add, xor, rotate, add, xor, rotate; a rotate by shifts is two operations deep.
        let deep: u32 = kernel.isa.rotates.iter().map(|(_, how)| how.depth()).sum();
        return (14 * (8 + deep), "cycles of latency, at one a step");
    }
    let forward = if matches!(kernel.contract, Contract::Output { .. }) {
        16
    } else {
        8
    };
    let parts = isa.encoding.parts(kernel.width) as u32;
    (parts * (14 * half + forward), "vector operations")
}

/// The table of `--stats`.
pub fn table(proved: &[Proved]) -> String {
    let mut lines = vec![format!(
        "{:<20} {:>5} {:>5} {:>7} {:>8} {:>6} {:>7} {:>7} {:>12} {:>9} {:>7} {:>6}  floor",
        "kernel",
        "adds",
        "xors",
        "rotates",
        "shuffles",
        "moves",
        "memory",
        "scalar",
        "instructions",
        "registers",
        "spills",
        "stack"
    )];
    for item in proved {
        let Some(kernel) = &item.kernel else {
            let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
            for (_, op) in scalar::compression().code {
                *kinds
                    .entry(match op {
                        scalar::Op::Add(..) => "adds",
                        scalar::Op::Xor(..) => "xors",
                        scalar::Op::RotateRight(..) => "rotates",
                    })
                    .or_default() += 1;
            }
            lines.push(format!(
                "{:<20} {:>5} {:>5} {:>7}",
                item.name, kinds["adds"], kinds["xors"], kinds["rotates"]
            ));
            continue;
        };
        let counts = Counts::of(kernel);
        let (floor, what) = floor(kernel);
        let operations = counts.adds + counts.xors + counts.rotates + counts.shuffles;
        let issue = kernel.isa.issue(kernel.width);
        lines.push(format!(
            "{:<20} {:>5} {:>5} {:>7} {:>8} {:>6} {:>7} {:>7} {:>12} {:>9} {:>7} {:>6}  {floor} {what}; here {operations} operations, {} cycles at {} a cycle",
            item.name, counts.adds, counts.xors, counts.rotates, counts.shuffles, counts.moves, counts.memory,
            counts.scalar, counts.instructions, counts.registers, kernel.spills, kernel.frame,
            operations.div_ceil(issue as usize), issue,
        ));
    }
    lines.push(format!(
        "The C kernel of `blake3` 1.8.7 for NEON has {OFFICIAL_NEON} instructions for a block of four lanes."
    ));
    lines.join("\n") + "\n"
}

/// What GCC 12 makes of it at -O3, from the disassembly: `.ci/model` counts them again.
const OFFICIAL_NEON: usize = 1026;

/// The table that ends `cargo codegen`: what was proved.
pub fn proofs(proved: &[Proved]) -> String {
    let mut text = format!("{:<20} {:>8} {:>8}\n", "kernel", "ops", "terms");
    for item in proved {
        text.push_str(&format!(
            "{:<20} {:>8} {:>8}  proved\n",
            item.name, item.proof.steps, item.proof.terms
        ));
    }
    text + &format!("{} kernels proved\n", proved.len())
}
