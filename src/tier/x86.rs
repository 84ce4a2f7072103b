//! The x86-64 tiers: detection, and the table of each one's kernels.

use super::Kind;
pub(super) use super::passes::{Kernels, Single};
use super::passes::{Lanes, Narrow, Rows, Wide, cfi, narrow, wide};

#[rustfmt::skip]
#[path = "../../generated/avx2.rs"]
mod avx2;
#[rustfmt::skip]
#[path = "../../generated/avx512.rs"]
mod avx512;
#[rustfmt::skip]
#[path = "../../generated/sse2.rs"]
mod sse2;
#[rustfmt::skip]
#[path = "../../generated/sse41.rs"]
mod sse41;

/// The widest tier of this machine. One question after the other: in a debug build, a loop over them
/// would take longer than to hash a block.
#[inline]
pub(super) fn widest() -> Kind {
    if detect::avx512() {
        Kind::Avx512
    } else if detect::avx2() {
        Kind::Avx2
    } else if detect::sse41() {
        Kind::Sse41
    } else {
        Kind::Sse2
    }
}

/// Does this machine run that tier?
pub(super) fn has(kind: Kind) -> bool {
    match kind {
        Kind::Portable | Kind::Sse2 => true,
        Kind::Sse41 => detect::sse41(),
        Kind::Avx2 => detect::avx2(),
        Kind::Avx512 => detect::avx512(),
        _ => false,
    }
}

/// What the CPU has, asked by the standard library, which keeps the answer.
#[cfg(feature = "std")]
mod detect {
    use std::arch::is_x86_feature_detected as has;

    pub(super) fn sse41() -> bool {
        has!("ssse3") && has!("sse4.1")
    }

    pub(super) fn avx2() -> bool {
        has!("avx2")
    }

    pub(super) fn avx512() -> bool {
        has!("avx512f") && has!("avx512vl")
    }
}

/// What the CPU has, asked without the standard library.
#[cfg(all(feature = "cpufeatures", not(feature = "std")))]
mod detect {
    cpufeatures::new!(has_sse41, "ssse3", "sse4.1");
    cpufeatures::new!(has_avx2, "avx2");
    cpufeatures::new!(has_avx512, "avx512f", "avx512vl");

    pub(super) fn sse41() -> bool {
        has_sse41::get()
    }

    pub(super) fn avx2() -> bool {
        has_avx2::get()
    }

    pub(super) fn avx512() -> bool {
        has_avx512::get()
    }
}

/// What the target was promised to have when it was compiled.
#[cfg(not(any(feature = "std", feature = "cpufeatures")))]
mod detect {
    pub(super) fn sse41() -> bool {
        cfg!(all(target_feature = "ssse3", target_feature = "sse4.1"))
    }

    pub(super) fn avx2() -> bool {
        cfg!(target_feature = "avx2")
    }

    pub(super) fn avx512() -> bool {
        cfg!(all(target_feature = "avx512f", target_feature = "avx512vl"))
    }
}

static SSE2: [Kernels; 2] = Kernels {
    single: Some(Single {
        blocks: sse2::blocks,
        output: sse2::output,
    }),
    rows2: Some(narrow!(
        sse2,
        chunk_rows2,
        parent_rows2,
        output_rows2,
        rows2
    )),
    rows4: None,
    lanes4: Some(wide!(sse2, chunks4, parents4, messages4, output4)),
    lanes8: None,
    lanes16: None,
    short_tails: &[(2, 2), (3, 10)],
}
.policies();

static SSE41: [Kernels; 2] = Kernels {
    single: Some(Single {
        blocks: sse41::blocks,
        output: sse41::output,
    }),
    rows2: Some(narrow!(
        sse41,
        chunk_rows2,
        parent_rows2,
        output_rows2,
        rows2
    )),
    rows4: None,
    lanes4: Some(wide!(sse41, chunks4, parents4, messages4, output4)),
    lanes8: None,
    lanes16: None,
    short_tails: &[(2, 2), (3, 10)],
}
.policies();

static AVX2: [Kernels; 2] = Kernels {
    single: Some(Single {
        blocks: avx2::blocks,
        output: avx2::output,
    }),
    rows2: Some(narrow!(
        avx2,
        chunk_rows2,
        parent_rows2,
        output_rows2,
        rows2
    )),
    rows4: Some(narrow!(
        avx2,
        chunk_rows4,
        parent_rows4,
        output_rows4,
        rows4
    )),
    lanes4: None,
    lanes8: Some(wide!(avx2, chunks8, parents8, messages8, output8)),
    lanes16: None,
    // As fast either way: of 3 chunks 3 blocks on Zen 3 and 5 on Golden Cove, of 5 chunks 10 and 11.
    short_tails: &[(2, 1), (3, 4), (5, 11)],
}
.policies();

static AVX512: [Kernels; 2] = Kernels {
    single: Some(Single {
        blocks: avx512::blocks,
        output: avx512::output,
    }),
    rows2: Some(narrow!(
        avx512,
        chunk_rows2,
        parent_rows2,
        output_rows2,
        rows2
    )),
    rows4: Some(narrow!(
        avx512,
        chunk_rows4,
        parent_rows4,
        output_rows4,
        rows4
    )),
    lanes4: None,
    lanes8: Some(wide!(avx512, chunks8, parents8, messages8, output8)),
    lanes16: Some(wide!(avx512, chunks16, parents16, messages16, output16)),
    short_tails: &[(2, 1), (3, 2), (5, 11), (9, 11)],
}
.policies();

/// The kernels of a tier for wide and for narrow passes, none for the portable one.
#[inline]
pub(super) fn kernels(kind: Kind) -> Option<&'static [Kernels; 2]> {
    match kind {
        Kind::Sse2 => Some(&SSE2),
        Kind::Sse41 => Some(&SSE41),
        Kind::Avx2 => Some(&AVX2),
        Kind::Avx512 => Some(&AVX512),
        _ => None,
    }
}
