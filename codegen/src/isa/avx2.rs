//! AVX2: 256-bit registers, sixteen of them, three operands.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const AVX2: Isa = Isa {
    name: "avx2",
    features: &["avx2"],
    encoding: Encoding::Vex,
    registers: 16,
    width: Width::Y,
    rotates: [
        (16, Rotate::Bytes),
        (12, Rotate::Shifts),
        (8, Rotate::Bytes),
        (7, Rotate::Shifts),
    ],
    broadcasts: true,
    issue: [3, 3, 0],
    // Golden Cove, cycles a block: pairs 394, words 395, vectors 398 at their best stagger (1, 1, 3; the
    // others up to 426). Words need the fewest registers; Zen 4 likes them best too.
    tuning: [Tuning {
        stagger: 1,
        copies: Copies::Words,
        by_word: true,
    }; 3],
};
