//! SVE2 for one instruction: an exclusive or and a rotation at once. The rest is NEON, whatever the vector length.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const SVE2: Isa = Isa {
    name: "sve2",
    features: &["sve2"],
    encoding: Encoding::A64,
    width: Width::Y,
    rotates: [
        (16, Rotate::Native),
        (12, Rotate::Insert),
        (8, Rotate::Table),
        (7, Rotate::Insert),
    ],
    fused: [&[16, 12, 8, 7]; 4],
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
