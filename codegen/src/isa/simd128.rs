//! WebAssembly's simd128, by Rust's intrinsics: registers without end, which the engine's compiler gives out.

use super::{Encoding, Isa, Rotate};
use crate::ir::Width;
use crate::layout::lanes::{Copies, Tuning};

/// The table.
pub const SIMD128: Isa = Isa {
    name: "simd128",
    features: &["simd128"],
    encoding: Encoding::Intrinsics,
    width: Width::X,
    // V8 knows the shuffle by 16 bits for two of the processor's, and builds the mask of that by 8 each time anew: 64
    // chunks took 41.5 us with shifts for 8, 49.2 us with a shuffle, 44.5 us with shifts for 16 too (Chromium 156).
    rotates: [
        (16, Rotate::Bytes),
        (12, Rotate::Shifts),
        (8, Rotate::Shifts),
        (7, Rotate::Shifts),
    ],
    broadcasts: true,
    issue: [3, 0, 0],
    tuning: [Tuning {
        stagger: 1,
        copies: Copies::Afterwards,
        by_word: false,
        prefetch: 0,
        keep: false,
        apart: 0,
        fused: [&[]; 4],
    }; 3],
};
