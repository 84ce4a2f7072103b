//! SSE4.1 with SSSE3: byte shuffles, two operands.

use super::{BY_WORD, Encoding, Isa, Rotate};
use crate::ir::Width;

/// The table.
pub const SSE41: Isa = Isa {
    name: "sse41",
    features: &["ssse3", "sse4.1"],
    encoding: Encoding::Legacy,
    registers: 16,
    width: Width::X,
    rotates: [
        (16, Rotate::Bytes),
        (12, Rotate::Shifts),
        (8, Rotate::Bytes),
        (7, Rotate::Shifts),
    ],
    broadcasts: false,
    issue: [3, 0, 0],
    tuning: [BY_WORD; 3],
};
