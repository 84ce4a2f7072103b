//! AVX2: 256-bit registers, sixteen of them, three operands.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const AVX2: Isa = Isa {
    name: "avx2",
    features: &["avx2"],
    encoding: Encoding::Vex,
    width: Width::Y,
    rotates: [
        (16, Rotate::Bytes),
        (12, Rotate::Shifts),
        (8, Rotate::Bytes),
        (7, Rotate::Shifts),
    ],
    broadcasts: true,
    issue: [3, 3, 0],
    // Golden Cove, ns a block and lane (`cargo codegen --search`): words 20.8, pairs 20.9, vectors 21.2;
    // where another thread shares the core, pairs 29.3, words and vectors 29.9. Zen 3: words and pairs 12.8 to 12.9 at a
    // stagger of 1, 13.1 at 0, 13.2 and 13.3 at 2, vectors more.
    tuning: [Tuning {
        stagger: 1,
        copies: Copies::Pairs,
        by_word: true,
        prefetch: 2,
        keep: false,
        apart: 0,
        fused: [&[]; 4],
    }; 3],
};
