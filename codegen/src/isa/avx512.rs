//! AVX-512 F and VL: 512-bit registers, thirty-two of them, and a rotate instruction at every width.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const AVX512: Isa = Isa {
    name: "avx512",
    features: &["avx512f", "avx512vl"],
    encoding: Encoding::Evex,
    width: Width::Z,
    rotates: [
        (16, Rotate::Native),
        (12, Rotate::Native),
        (8, Rotate::Native),
        (7, Rotate::Native),
    ],
    broadcasts: true,
    issue: [3, 3, 2],
    // Golden Cove, cycles a block: 512 bits: words 423, pairs 430, vectors 439 at their best stagger (1, 2,
    // 2). Pairs save 240 of the 1310 instructions of words, which is worth more where another thread
    // shares the core: then words take 525, pairs 473. 256 bits: words 299, vectors 300, pairs 305.
    // Prefetch: 436 without and 439 with it from the cache, 597 and 472 from memory.
    tuning: [
        Tuning {
            stagger: 0,
            copies: Copies::Vectors,
            by_word: true,
            prefetch: 0,
            keep: false,
            apart: 0,
            held: &[],
            fused: [&[]; 4],
        },
        Tuning {
            stagger: 0,
            copies: Copies::Vectors,
            by_word: true,
            prefetch: 0,
            keep: false,
            apart: 0,
            held: &[],
            fused: [&[]; 4],
        },
        Tuning {
            stagger: 2,
            copies: Copies::Pairs,
            by_word: true,
            prefetch: 1,
            keep: false,
            apart: 0,
            held: &[],
            fused: [&[]; 4],
        },
    ],
};
