//! SSE4.1 with SSSE3: byte shuffles, two operands.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const SSE41: Isa = Isa {
    name: "sse41",
    features: &["ssse3", "sse4.1"],
    encoding: Encoding::Legacy,
    width: Width::X,
    rotates: [
        (16, Rotate::Bytes),
        (12, Rotate::Shifts),
        (8, Rotate::Bytes),
        (7, Rotate::Shifts),
    ],
    broadcasts: false,
    issue: [3, 0, 0],
    // Golden Cove, cycles a block: words, pairs and vectors 395 to 396 at a stagger of 1 or 2, 399 to 402
    // at 0 or 3. Words need the fewest registers, so the fewest instructions (1334; vectors 1463).
    tuning: [Tuning {
        stagger: 1,
        copies: Copies::Words,
        by_word: true,
        prefetch: 4,
        keep: false,
        apart: 0,
        held: &[],
        fused: [&[]; 4],
    }; 3],
};
