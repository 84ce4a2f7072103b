//! SVE2 for one instruction: an exclusive or and a rotation at once. The rest is NEON, whatever the vector length.

use super::Isa;
use super::neon::NEON;
use crate::layout::lanes::Tuning;

/// The table: that of NEON, but for exclusive ors that are rotated at once.
pub const SVE2: Isa = Isa {
    name: "sve2",
    features: &["sve2"],
    // Cycles a block of four lanes by llvm-mca, on four pipes of which one can do it (neoverse-v2) and on two (neoverse-n2):
    // four lanes, all of them in one 231 and 311, those by 12 and 7 288 and 367. Eight lanes: all 229 and 317, those by 12
    // and 7 189 and 374, and those of one column besides 185 one step apart, 192 without.
    tuning: [
        Tuning {
            fused: [&[16, 12, 8, 7]; 4],
            ..NEON.tuning[0]
        },
        EIGHT,
        EIGHT,
    ],
    ..NEON
};

/// The tuning of eight lanes.
const EIGHT: Tuning = Tuning {
    apart: 1,
    fused: [&[16, 12, 8, 7], &[12, 7], &[12, 7], &[12, 7]],
    ..NEON.tuning[1]
};
