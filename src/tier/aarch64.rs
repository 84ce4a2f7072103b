//! The AArch64 tiers: detection, and the table of each one's kernels.

use super::Kind;
pub(super) use super::passes::{Kernels, Single};
use super::passes::{Lanes, Wide, cfi, wide};

/// The address of a kernel's table of constants, in the register that is for it.
#[cfg(not(target_vendor = "apple"))]
macro_rules! table {
    () => {
        "adrp x15, {constants}\nadd x15, x15, :lo12:{constants}"
    };
}
#[cfg(target_vendor = "apple")]
macro_rules! table {
    () => {
        "adrp x15, {constants}@PAGE\nadd x15, x15, {constants}@PAGEOFF"
    };
}
#[rustfmt::skip]
#[path = "../../generated/neon.rs"]
mod neon;
#[rustfmt::skip]
#[path = "../../generated/sve2.rs"]
mod sve2;

/// The widest tier of this machine.
#[inline]
pub(super) fn widest() -> Kind {
    if has_sve2() { Kind::Sve2 } else { Kind::Neon }
}

/// Does this machine run that tier?
pub(super) fn has(kind: Kind) -> bool {
    match kind {
        Kind::Portable | Kind::Neon => true,
        Kind::Sve2 => has_sve2(),
        _ => false,
    }
}

/// What the CPU has, asked by the standard library, which keeps the answer.
#[cfg(feature = "std")]
fn has_sve2() -> bool {
    std::arch::is_aarch64_feature_detected!("sve2")
}

/// What the target was promised to have when it was compiled: `cpufeatures` does not ask for SVE2.
#[cfg(not(feature = "std"))]
fn has_sve2() -> bool {
    cfg!(target_feature = "sve2")
}

// Tails that are faster alone, from the cycles of llvm-mca for neoverse-v2, of one block of all lanes: four lanes of NEON
// 395, eight 492; of SVE2 229 and 367; one message 171. What is lost on neoverse-n2, where one message takes 311, is less.
static NEON: [Kernels; 2] = Kernels {
    single: None,
    rows2: None,
    rows4: None,
    lanes4: Some(wide!(neon, chunks4, parents4, messages4, output4)),
    lanes8: Some(wide!(neon, chunks8, parents8, messages8, output8)),
    lanes16: None,
    short_tails: &[(2, 10), (5, 8)],
}
.policies();

static SVE2: [Kernels; 2] = Kernels {
    single: None,
    rows2: None,
    rows4: None,
    lanes4: Some(wide!(sve2, chunks4, parents4, messages4, output4)),
    lanes8: Some(wide!(sve2, chunks8, parents8, messages8, output8)),
    lanes16: None,
    short_tails: &[(2, 4), (5, 12)],
}
.policies();

/// The kernels of a tier for wide and for narrow passes, none for the portable one.
#[inline]
pub(super) fn kernels(kind: Kind) -> Option<&'static [Kernels; 2]> {
    match kind {
        Kind::Neon => Some(&NEON),
        Kind::Sve2 => Some(&SVE2),
        _ => None,
    }
}
