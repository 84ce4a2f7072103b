//! NEON, which every AArch64 CPU has: 128-bit registers, thirty-two of them. Eight lanes are two registers side by side.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const NEON: Isa = Isa {
    name: "neon",
    features: &["neon"],
    encoding: Encoding::A64,
    width: Width::Y,
    rotates: [
        (16, Rotate::Native),
        (12, Rotate::Insert),
        (8, Rotate::Table),
        (7, Rotate::Insert),
    ],
    broadcasts: true,
    issue: [4, 4, 0],
    // Cycles a block of four lanes by llvm-mca, on four pipes (neoverse-v2) and on two (neoverse-n2): four lanes 397 and 479
    // whatever the stagger, 1018 instructions with words kept, 1101 without; eight lanes 247 and 490 at a stagger of 4
    // (1084 instructions), 250 and 493 at 0 (1100), 245 and 486 one step apart (1122).
    tuning: [
        Tuning {
            keep: true,
            stagger: 0,
            ..EIGHT
        },
        EIGHT,
        EIGHT,
    ],
};

/// The tuning of eight lanes.
const EIGHT: Tuning = Tuning {
    stagger: 4,
    copies: Copies::Afterwards,
    by_word: true,
    prefetch: 1,
    keep: false,
    apart: 0,
    held: &[],
    fused: [&[]; 4],
};
