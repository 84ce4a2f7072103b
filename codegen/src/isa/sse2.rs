//! SSE2, which every x86-64 CPU has: no byte shuffle, two operands.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const SSE2: Isa = Isa {
    name: "sse2",
    features: &["sse2"],
    encoding: Encoding::Legacy,
    width: Width::X,
    rotates: [
        (16, Rotate::Halves),
        (12, Rotate::Shifts),
        (8, Rotate::Shifts),
        (7, Rotate::Shifts),
    ],
    broadcasts: false,
    issue: [3, 0, 0],
    // As SSE4.1, whose schedules were measured.
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
