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
    // What the official crate takes for 64 KiB over what we take, on a Zen 3 whose core is ours, and where another thread
    // is busy on it, which makes every instruction tell, and loads above all: words 1.055 and 0.89, pairs 1.054 and 0.85,
    // quarters 1.045 and 0.91 to 0.94, all of them after the rounds 1.018 and 0.99, vectors 1.02 and 0.75; quarters with the
    // mask by 16 held 1.045 and 0.97 to 1.02, with that by 8 held 1.045 and 0.91 to 0.99, with both 1.034 and 0.99. On a
    // Golden Cove (`cargo codegen --search`), where quarters were not tried, words, pairs and vectors took 20.8, 20.9 and
    // 21.2 ns a block and lane, and where the core was shared 29.9, 29.3 and 29.9.
    tuning: [Tuning {
        stagger: 1,
        copies: Copies::Quarters,
        by_word: true,
        prefetch: 2,
        keep: false,
        apart: 0,
        held: &[16],
        fused: [&[]; 4],
    }; 3],
};
