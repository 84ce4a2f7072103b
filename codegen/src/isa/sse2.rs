//! SSE2, which every x86-64 CPU has: no byte shuffle, two operands.

use super::{BY_WORD, Encoding, Isa, Rotate};
use crate::ir::Width;

/// The table.
pub const SSE2: Isa = Isa {
    name: "sse2",
    features: &["sse2"],
    encoding: Encoding::Legacy,
    registers: 16,
    width: Width::X,
    rotates: [
        (16, Rotate::Halves),
        (12, Rotate::Shifts),
        (8, Rotate::Shifts),
        (7, Rotate::Shifts),
    ],
    broadcasts: false,
    issue: [3, 0, 0],
    tuning: [BY_WORD; 3],
};
