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
    // others up to 426). Where another thread shares the core vectors are first: 539 against 549 and 567.
    tuning: [Tuning {
        stagger: 3,
        copies: Copies::Vectors,
        by_word: true,
        prefetch: 2,
    }; 3],
};
