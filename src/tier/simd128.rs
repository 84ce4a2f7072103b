//! WebAssembly's tier: what a module is compiled for is what it runs on.

use super::Kind;
pub(super) use super::passes::{Kernels, Single};
use super::passes::{Lanes, Wide, wide};

#[rustfmt::skip]
#[path = "../../generated/simd128.rs"]
mod kernels;

pub(super) const fn widest() -> Kind {
    Kind::Simd128
}

pub(super) const fn has(kind: Kind) -> bool {
    matches!(kind, Kind::Portable | Kind::Simd128)
}

static SIMD128: [Kernels; 2] = Kernels {
    single: Some(Single {
        blocks: kernels::blocks,
        output: kernels::output,
    }),
    rows2: None,
    rows4: None,
    lanes4: Some(wide!(kernels, chunks4, parents4, messages4, output4)),
    lanes8: None,
    lanes16: None,
    // V8: a block of one message 90 ns, of four 140.
    short_tails: &[(2, 11)],
}
.policies();

/// The kernels of a tier for wide and for narrow passes, none for the portable one.
#[inline]
pub(super) const fn kernels(kind: Kind) -> Option<&'static [Kernels; 2]> {
    match kind {
        Kind::Simd128 => Some(&SIMD128),
        _ => None,
    }
}
