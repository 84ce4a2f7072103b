//! NEON, which every AArch64 CPU has: 128-bit registers, thirty-two of them.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const NEON: Isa = Isa {
    name: "neon",
    features: &["neon"],
    encoding: Encoding::A64,
    width: Width::Y,
    rotates: [
        (16, Rotate::Native),
        (12, Rotate::Insert),
        (8, Rotate::Table),
        (7, Rotate::Insert),
    ],
    fused: [&[]; 4],
    broadcasts: true,
    issue: [4, 4, 0],
    tuning: [
        Tuning {
            stagger: 0,
            copies: Copies::Afterwards,
            by_word: true,
            prefetch: 1,
            keep: true,
            apart: 0,
        },
        Tuning {
            stagger: 0,
            copies: Copies::Afterwards,
            by_word: true,
            prefetch: 1,
            keep: false,
            apart: 0,
        },
        Tuning {
            stagger: 0,
            copies: Copies::Afterwards,
            by_word: true,
            prefetch: 0,
            keep: false,
            apart: 0,
        },
    ],
};
