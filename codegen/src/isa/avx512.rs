//! AVX-512 F and VL: 512-bit registers, thirty-two of them, and a rotate instruction at every width.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;

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
};
