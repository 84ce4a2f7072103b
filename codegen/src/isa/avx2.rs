//! AVX2: 256-bit registers, sixteen of them, three operands.

use super::{BY_WORD, Encoding, Isa, Rotate};
use crate::ir::Width;

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
    tuning: [BY_WORD; 3],
};
