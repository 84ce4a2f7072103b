//! AVX-512 F and VL: 512-bit registers, thirty-two of them, and a rotate instruction at every width.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

const PAIRS: Tuning = Tuning {
    stagger: 0,
    copies: Copies::Pairs,
    by_word: true,
};

/// The table.
pub const AVX512: Isa = Isa {
    name: "avx512",
    features: &["avx512f", "avx512vl"],
    encoding: Encoding::Evex,
    registers: 32,
    width: Width::Z,
    rotates: [
        (16, Rotate::Native),
        (12, Rotate::Native),
        (8, Rotate::Native),
        (7, Rotate::Native),
    ],
    broadcasts: true,
    issue: [3, 3, 2],
    // Zen 4 and Golden Cove alike: pairs cost 16 shuffles a block, which is less than the 128 loads and
    // 128 stores they save where another thread shares the core; alone on Golden Cove the two are within 2 %.
    tuning: [
        PAIRS,
        PAIRS,
        Tuning {
            stagger: 2,
            ..PAIRS
        },
    ],
};
