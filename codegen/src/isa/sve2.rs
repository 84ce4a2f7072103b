//! SVE2 for one instruction: an exclusive or and a rotation at once. The rest is NEON, whatever the vector length.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const SVE2: Isa = Isa {
    name: "sve2",
    features: &["sve2"],
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
    // Cycles a block of four lanes by llvm-mca, on four pipes of which one can do it (neoverse-v2) and on two (neoverse-n2):
    // four lanes, all of them in one 231 and 311, those by 12 and 7 288 and 367. Eight lanes: all 229 and 317, those by 12
    // and 7 189 and 374, and those of one column besides 185 one step apart, 192 without.
    tuning: [
        Tuning {
            stagger: 0,
            copies: Copies::Afterwards,
            by_word: true,
            prefetch: 1,
            keep: true,
            apart: 0,
            fused: [&[16, 12, 8, 7]; 4],
        },
        Tuning {
            stagger: 4,
            copies: Copies::Afterwards,
            by_word: true,
            prefetch: 1,
            keep: false,
            apart: 1,
            fused: [&[16, 12, 8, 7], &[12, 7], &[12, 7], &[12, 7]],
        },
        Tuning {
            stagger: 4,
            copies: Copies::Afterwards,
            by_word: true,
            prefetch: 1,
            keep: false,
            apart: 1,
            fused: [&[16, 12, 8, 7], &[12, 7], &[12, 7], &[12, 7]],
        },
    ],
};
