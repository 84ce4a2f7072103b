//! Where there are no kernels: the portable compression does everything.

use super::Kind;
pub(super) use super::passes::{Kernels, Single};

pub(super) fn widest() -> Kind {
    Kind::Portable
}

pub(super) fn has(kind: Kind) -> bool {
    kind == Kind::Portable
}

pub(super) fn kernels(_: Kind) -> Option<&'static [Kernels; 2]> {
    None
}
