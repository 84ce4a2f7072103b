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
    // A swizzle by bytes that the compiler cannot see: V8 makes two shuffles of the shuffle by 16 bits, and builds the mask of
    // that by 8 each time anew. 1 KiB takes 1.23 us so, 1.43 us with a shuffle and shifts, and 7 KiB 4.85 us and 5.0 us
    // (Node 20; 1.22 and 1.46, 5.2 and 5.45 in Node 24).
    rotates: [
        (16, Rotate::Bytes),
        (12, Rotate::Shifts),
        (8, Rotate::Bytes),
        (7, Rotate::Shifts),
    ],
    broadcasts: true,
    issue: [3, 0, 0],
    tuning: [Tuning {
        stagger: 1,
        copies: Copies::InRegisters,
        by_word: false,
        prefetch: 0,
        keep: false,
        apart: 0,
        held: &[],
        fused: [&[]; 4],
    }; 3],
};
